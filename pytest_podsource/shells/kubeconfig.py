"""
How an apiserver is reached: address, trust and identity, from a kubeconfig file.

Rule 1: data in the file goes before a file that it names; a path is relative to the
kubeconfig. Rule 2: a token that stands in a file is read for each request, since it
changes. Rule 3: what can't be used is refused before anything is asked.
"""

from __future__ import annotations

import base64
import binascii
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_podsource.exceptions import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """
    How an apiserver is reached.

    Attributes:
        server: Its address, such as ``https://10.0.0.1:6443``.
        ca: Whom to trust, in PEM; empty for those that the machine trusts.
        certificate: Whom the server sees, in PEM; empty for nobody.
        key: Its key, in PEM.
        token: What is sent as ``Authorization: Bearer``; empty for nothing.
        token_file: The file that the token stands in, instead.
        insecure: Whoever answers is trusted.
        server_name: The name in the server's certificate, if it isn't the address.
        proxy: The proxy on the way; empty for what the environment says.
    """

    server: str
    ca: bytes = b""
    certificate: bytes = b""
    key: bytes = b""
    token: str = ""
    token_file: Path | None = None
    insecure: bool = False
    server_name: str = ""
    proxy: str = ""

    def bearer(self) -> str:
        """
        Return the token as it is now.

        Raises:
            OSError: Its file can't be read, or has no token in it.
        """
        if self.token_file is None:
            return self.token
        token = self.token_file.read_text(encoding="utf-8", errors="replace").strip()
        if not token or not token.isprintable():
            raise OSError(f"{self.token_file} has no token in one line of text.")
        return token

    def tls(self) -> ssl.SSLContext:
        """
        Return how the server is trusted, and who is shown to it.

        Raises:
            UsageError: A certificate or key can't be used.
        """
        try:
            context = ssl.create_default_context(cadata=self.ca.decode() or None)
            # Python 3.13 demands extensions that Go doesn't, nor do clusters have them.
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
            if self.insecure:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            if self.certificate:
                _show(context, self.certificate, self.key)
        except (ssl.SSLError, ValueError) as error:
            raise UsageError(
                f"{self.server}: its certificate authority, or the client's "
                f"certificate and key, can't be used: {error}. They are in PEM, and the "
                "key belongs to the certificate."
            ) from None
        return context


def read_kubeconfig(path: Path, *, context: str = "") -> Access:
    """
    Return what the kubeconfig *path* says.

    Args:
        path: The file.
        context: Which of its contexts; the current one if empty.

    Raises:
        UsageError: It can't be read or used.
    """
    document = _document(path)
    name = context or _text(path, document, "current-context")
    chosen = _named(path, document, "contexts", name, "context")
    cluster = _named(
        path, document, "clusters", _text(path, chosen, "cluster"), "cluster"
    )
    user_name = chosen.get("user")
    user = _named(path, document, "users", user_name, "user") if user_name else {}
    for way in ("exec", "auth-provider", "username"):
        if user.get(way):
            raise UsageError(
                f"{path}: the user {user_name!r} logs in by {way!r}. Right would be a "
                "token, a tokenFile, or a client-certificate and its client-key."
            )
    return _access(path, cluster, user)


def _access(path: Path, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> Access:
    token_file = _text(path, user, "tokenFile", "")
    token = "" if token_file else _text(path, user, "token", "").strip()
    if not token.isprintable():
        raise UsageError(f"{path}: the token has a line break or the like within.")
    server = _text(path, cluster, "server")
    if not server.startswith(("http://", "https://")):
        raise UsageError(f"{path}: server {server!r} is no URL, https://HOST:PORT.")
    certificate = _bytes(path, user, "client-certificate")
    key = _bytes(path, user, "client-key")
    if bool(certificate) != bool(key):
        raise UsageError(f"{path}: client-certificate and client-key go together.")
    return Access(
        server=server.rstrip("/"),
        ca=_bytes(path, cluster, "certificate-authority"),
        certificate=certificate,
        key=key,
        token=token,
        token_file=path.parent / token_file if token_file else None,
        insecure=bool(cluster.get("insecure-skip-tls-verify")),
        server_name=_text(path, cluster, "tls-server-name", ""),
        proxy=_text(path, cluster, "proxy-url", ""),
    )


def _document(path: Path) -> Mapping[str, Any]:
    import yaml  # noqa: PLC0415 - slow, and not everyone has an apiserver

    try:
        document = yaml.safe_load(path.read_bytes())
    except (OSError, yaml.YAMLError, ValueError) as error:
        what = " ".join(str(error).split())
        raise UsageError(f"{path} can't be read: {what}") from None
    if not isinstance(document, Mapping):
        raise UsageError(f"{path} is no kubeconfig: it is not a mapping.")
    return document


def _named(
    path: Path, document: Mapping[str, Any], kind: str, name: object, inner: str
) -> Mapping[str, Any]:
    """Return what *kind* has under *name*; a kubeconfig has lists of named things."""
    things = document.get(kind)
    known = [each for each in things or () if isinstance(each, Mapping)]
    for each in known:
        if each.get("name") == name and isinstance(each.get(inner), Mapping):
            found: Mapping[str, Any] = each[inner]
            return found
    names = ", ".join(str(each.get("name")) for each in known) or "none"
    raise UsageError(f"{path}: {kind} has no {name!r}. There: {names}.")


def _text(
    path: Path, thing: Mapping[str, Any], key: str, default: str | None = None
) -> str:
    value = thing.get(key, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or not (value or default == ""):
        raise UsageError(f"{path}: {key} is {value!r}. Right would be a text.")
    return value


def _bytes(path: Path, thing: Mapping[str, Any], key: str) -> bytes:
    data = _text(path, thing, f"{key}-data", "")
    if data:
        try:
            return base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError) as error:
            raise UsageError(f"{path}: {key}-data is no base64: {error}.") from None
    name = _text(path, thing, key, "")
    if not name:
        return b""
    try:
        return (path.parent / name).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {key} can't be read: {error}") from None


def _show(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    # The ssl module takes a client's certificate from files only.
    with tempfile.TemporaryDirectory(prefix="podsource-") as folder:
        path = Path(folder) / "client.pem"  # the folder is its owner's alone
        path.write_bytes(certificate + b"\n" + key)
        # Without a password an encrypted key would ask at the terminal.
        context.load_cert_chain(path, password=b"")
