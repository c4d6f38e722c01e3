"""
A kubeconfig: what of it counts, and how a wrong one is told.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_podsource.exceptions import UsageError
from pytest_podsource.shells.kubeconfig import Access, read_kubeconfig

PEM = b"-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"


def written(
    folder: Path, *, cluster: dict[str, Any] | None = None, **user: Any
) -> Path:
    """Write a kubeconfig with one context, or what stands in *cluster* and *user*."""
    path = folder / "kubeconfig"
    served = {"server": "https://10.0.0.1:6443/", **(cluster or {})}
    document = {
        "current-context": "one",
        "contexts": [{"name": "one", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": served}],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(yaml.safe_dump(document))
    return path


def test_address_and_token(tmp_path: Path) -> None:
    """The end of the address doesn't count."""
    access = read_kubeconfig(written(tmp_path, token="secret\n"))

    assert access == Access(server="https://10.0.0.1:6443", token="secret")
    assert access.bearer() == "secret"


def test_data_goes_before_files_and_files_are_relative(tmp_path: Path) -> None:
    """As kubectl has it."""
    (tmp_path / "ca.crt").write_bytes(b"ca of the file")
    (tmp_path / "me.crt").write_bytes(b"file")
    (tmp_path / "me.key").write_bytes(b"key of the file")

    access = read_kubeconfig(
        written(
            tmp_path,
            cluster={"certificate-authority": "ca.crt", "tls-server-name": "api"},
            **{
                "client-certificate": "me.crt",
                "client-certificate-data": base64.b64encode(PEM).decode(),
                "client-key": "me.key",
            },
        )
    )

    assert access.ca == b"ca of the file"
    assert access.certificate == PEM
    assert access.key == b"key of the file"
    assert access.server_name == "api"


def test_a_token_file_goes_before_a_token(tmp_path: Path) -> None:
    """It is the one that is renewed."""
    access = read_kubeconfig(written(tmp_path, token="old", tokenFile="token"))

    assert access.token == ""
    assert access.token_file == tmp_path / "token"


def test_the_context_may_be_chosen(tmp_path: Path) -> None:
    """By its name; a wrong one is told with the right ones."""
    path = written(tmp_path)

    assert read_kubeconfig(path, context="one").server
    with pytest.raises(UsageError, match="contexts has no 'two'"):
        read_kubeconfig(path, context="two")


@pytest.mark.parametrize(
    ("cluster", "user", "about"),
    [
        ({"server": "10.0.0.1"}, {}, "server '10.0.0.1' is no URL"),
        ({"server": None}, {}, "server is None"),
        ({}, {"exec": {"command": "x"}}, "logs in by 'exec'"),
        ({}, {"username": "admin"}, "logs in by 'username'"),
        ({}, {"token": "two\nlines"}, "the token has a line break"),
        ({}, {"token": 5}, "token is 5. Right would be a text"),
        ({}, {"client-key-data": "AAAA"}, "client-certificate and client-key go"),
        ({"certificate-authority-data": "!"}, {}, "data is no base64"),
        ({"certificate-authority": "none"}, {}, "certificate-authority can't be read"),
    ],
)
def test_what_cannot_be_used_is_refused(
    tmp_path: Path, cluster: dict[str, Any], user: dict[str, Any], about: str
) -> None:
    """Before anything is asked; the file is named."""
    path = written(tmp_path, cluster=cluster, **user)

    with pytest.raises(UsageError) as caught:
        read_kubeconfig(path)

    assert str(path) in str(caught.value)
    assert about in str(caught.value)


@pytest.mark.parametrize(
    ("text", "about"),
    [("[", "can't be read"), ("- 1", "is no kubeconfig"), ("{}", "current-context")],
)
def test_another_file_is_no_kubeconfig(tmp_path: Path, text: str, about: str) -> None:
    """No traceback, whatever is in it."""
    path = tmp_path / "file"
    path.write_text(text)

    with pytest.raises(UsageError, match=about):
        read_kubeconfig(path)


def test_a_certificate_that_is_none_is_refused() -> None:
    """The error says what it should be."""
    access = Access(server="https://h", certificate=PEM, key=b"no key")

    with pytest.raises(UsageError, match="They are in PEM"):
        access.tls()
