"""
Who may ask: a token, and certificates of an authority made for the occasion.
"""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_podsource.exceptions import UsageError

if TYPE_CHECKING:
    import trustme

UNSECURED = "system:unsecured"
TOKEN_USER = "system:serviceaccount:default:podsource"  # noqa: S105 - a name

_NO_TRUSTME = (
    "FakeApiserver(tls=True): the package trustme, which makes the certificates, is "
    "not installed. Install pytest-podsource[apiserver]."
)


class Certificates:
    """
    An authority, what it has signed, and the files that clients ask for.

    Attributes:
        ca_file: The authority's certificate.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._authority = _authority()
        self.ca_file = folder / "ca.crt"
        self._authority.cert_pem.write_to_path(str(self.ca_file))
        self._served = self._authority.issue_cert("localhost", "127.0.0.1", "::1")

    def context(self) -> ssl.SSLContext:
        """Return the server's side of TLS; a client may have a certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.set_alpn_protocols(["http/1.1"])
        self._served.configure_cert(context)
        self._authority.configure_trust(context)
        return context

    def client(self, user: str, group: str | None) -> tuple[Path, Path]:
        """Return the files of a new certificate and its key."""
        leaf = self._authority.issue_cert(common_name=user, organization_name=group)
        stem = "".join(each if each.isalnum() else "-" for each in user)
        paths = self._folder / f"{stem}.crt", self._folder / f"{stem}.key"
        leaf.cert_chain_pems[0].write_to_path(str(paths[0]))
        leaf.private_key_pem.write_to_path(str(paths[1]))
        return paths


def user_of(
    headers: Mapping[str, str], certificate: Mapping[str, Any] | None, token: str | None
) -> str | None:
    """
    Return who asks; None if that isn't known.

    Args:
        headers: Those of the request; names in small letters.
        certificate: The client's, as ``getpeercert`` gives it.
        token: The one that is right; None: everybody may ask.
    """
    if token is None:
        return UNSECURED
    kind, _, given = headers.get("authorization", "").partition(" ")
    if given:
        right = kind.lower() == "bearer" and given.strip() == token
        return TOKEN_USER if right else None
    return _common_name(certificate or {})


def kubeconfig(url: str, token: str | None, ca_file: Path | None) -> dict[str, Any]:
    """Return a kubeconfig that reaches the server."""
    cluster: dict[str, Any] = {"server": url}
    if ca_file is not None:
        text = base64.b64encode(ca_file.read_bytes()).decode()
        cluster["certificate-authority-data"] = text
    name = "podsource"
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token} if token else {}}],
        "contexts": [
            {
                "name": name,
                "context": {"cluster": name, "user": name, "namespace": "default"},
            }
        ],
        "current-context": name,
    }


def _authority() -> trustme.CA:
    try:
        import trustme  # noqa: PLC0415 - optional, and slow
    except ImportError:
        raise UsageError(_NO_TRUSTME) from None
    return trustme.CA()


def _common_name(certificate: Mapping[str, Any]) -> str | None:
    for part in certificate.get("subject", ()):
        for name, value in part:
            if name == "commonName":
                return str(value)
    return None
