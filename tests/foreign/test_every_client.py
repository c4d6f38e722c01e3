"""
The server of ``podsource_url`` is understood by the clients that people use.

``httpx`` is in the dependency group ``foreign``; what is lacking is skipped.
"""

from __future__ import annotations

import asyncio
import http.client
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from pytest_podsource import SECOND_NS, ManifestUrl

LIMIT_S = 5.0
Headers = dict[str, str]
Got = tuple[int, str]
Client = Callable[[ManifestUrl, Headers, float], Got]


def _context(url: ManifestUrl) -> ssl.SSLContext | None:
    return ssl.create_default_context(cafile=url.ca_file) if url.ca_file else None


def by_requests(url: ManifestUrl, headers: Headers, limit_s: float) -> Got:
    verify = str(url.ca_file or "") or True
    got = requests.get(url.url, headers=headers, timeout=limit_s, verify=verify)
    return got.status_code, got.text


def by_urllib(url: ManifestUrl, headers: Headers, limit_s: float) -> Got:
    request = urllib.request.Request(url.url, headers=headers)
    try:
        with urllib.request.urlopen(
            request, timeout=limit_s, context=_context(url)
        ) as got:
            return got.status, got.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def by_http_client(url: ManifestUrl, headers: Headers, limit_s: float) -> Got:
    host = urlsplit(url.url).netloc
    context = _context(url)
    connection = (
        http.client.HTTPSConnection(host, timeout=limit_s, context=context)
        if context
        else http.client.HTTPConnection(host, timeout=limit_s)
    )
    try:
        connection.request("GET", urlsplit(url.url).path, headers=headers)
        got = connection.getresponse()
        return got.status, got.read().decode()
    finally:
        connection.close()


def by_urllib3(url: ManifestUrl, headers: Headers, limit_s: float) -> Got:
    import urllib3  # noqa: PLC0415 - comes with requests

    with urllib3.PoolManager(ca_certs=str(url.ca_file or "") or None) as pool:
        got = pool.request(
            "GET", url.url, headers=headers, timeout=limit_s, retries=False
        )
        return got.status, got.data.decode()


def by_httpx(url: ManifestUrl, headers: Headers, limit_s: float) -> Got:
    httpx = pytest.importorskip("httpx", reason="httpx is in the group foreign")

    verify = _context(url) or True
    got = httpx.get(url.url, headers=headers, timeout=limit_s, verify=verify)
    return got.status_code, got.text


def by_aiohttp(url: ManifestUrl, headers: Headers, limit_s: float) -> Got:
    aiohttp = pytest.importorskip("aiohttp", reason="aiohttp is in the group foreign")

    async def get() -> Got:
        limit = aiohttp.ClientTimeout(total=limit_s)
        async with (
            aiohttp.ClientSession(timeout=limit) as session,
            session.get(
                url.url,
                headers=headers,
                ssl=_context(url) or True,
                allow_redirects=False,
            ) as got,
        ):
            return got.status, await got.text()

    return asyncio.run(get())


def by_curl(url: ManifestUrl, headers: Headers, limit_s: float) -> Got:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    command: list[Any] = [
        "curl",
        "-sS",
        "--compressed",
        "-m",
        limit_s,
        "-w",
        "\n%{http_code}",
    ]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    if url.ca_file:
        command += ["--cacert", url.ca_file]
    done = subprocess.run(
        [str(each) for each in [*command, url.url]],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


CLIENTS = {
    "requests": by_requests,
    "urllib": by_urllib,
    "urllib3": by_urllib3,
    "http.client": by_http_client,
    "httpx": by_httpx,
    "aiohttp": by_aiohttp,
    "curl": by_curl,
}
clients = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
served = pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])


@clients
@served
def test_answers_come_in_order_with_their_status(
    client: Client,
    tls: bool,  # noqa: FBT001 - a parameter of pytest
) -> None:
    """The header that is required gets in."""
    with ManifestUrl.served(tls=tls) as url:
        url.require("X-Token", "abc")
        url.reply("busy", status=503)
        url.reply("x" * 70_000)

        got = [client(url, {"X-Token": "abc"}, LIMIT_S) for _ in range(2)]

    assert got == [(503, "busy"), (200, "x" * 70_000)]


@clients
def test_chunks_are_put_together(client: Client) -> None:
    """As the client's own parser does."""
    with ManifestUrl.served() as url:
        url.reply("0123456789", chunks=4)

        assert client(url, {}, LIMIT_S) == (200, "0123456789")


@clients
@pytest.mark.parametrize("chunks", [0, 4])
def test_cut_body_is_an_error_and_never_half_an_answer(
    client: Client, chunks: int
) -> None:
    """Which one is the client's."""
    with ManifestUrl.served() as url:
        url.reply("0123456789", chunks=chunks, cut_at=5)

        with pytest.raises(Exception) as caught:  # noqa: PT011 - any but a skip
            client(url, {}, LIMIT_S)

    assert not isinstance(caught.value, AssertionError)


@clients
@pytest.mark.parametrize("how", ["reset", "silent"])
def test_connection_that_fails_is_an_error(client: Client, how: Any) -> None:
    """A silent one by the client's own limit."""
    with ManifestUrl.served() as url:
        url.fail(how)

        with pytest.raises(Exception) as caught:  # noqa: PT011 - any but a skip
            client(url, {}, 0.2)

    assert not isinstance(caught.value, AssertionError)


@clients
def test_late_answer_comes(client: Client) -> None:
    """It is waited for."""
    with ManifestUrl.served() as url:
        url.reply("x", delay_ns=SECOND_NS // 50)

        assert client(url, {}, LIMIT_S) == (200, "x")


@clients
def test_known_body_is_not_sent_again(client: Client) -> None:
    """304, and the connection ends there."""
    with ManifestUrl.served() as url:
        url.reply("x", etag="v1")

        assert client(url, {"If-None-Match": '"v1"'}, LIMIT_S) == (304, "")


@pytest.mark.parametrize("name", ["requests", "httpx", "aiohttp", "curl"])
def test_packed_body_is_unpacked(name: str) -> None:
    """By those that unpack by themselves."""
    with ManifestUrl.served() as url:
        url.reply("x" * 1000, packing="gzip")

        assert CLIENTS[name](url, {}, LIMIT_S) == (200, "x" * 1000)


@pytest.mark.parametrize("name", ["requests", "urllib"])
def test_redirect_is_followed(name: str) -> None:
    """By those that follow without being told to."""
    with ManifestUrl.served() as url:
        url.redirect("/moved", status=307)
        url.at("/moved").reply("x")

        assert CLIENTS[name](url, {}, LIMIT_S) == (200, "x")
