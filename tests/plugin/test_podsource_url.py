"""
The fixture ``podsource_url``: a mock, and a server of this machine.
"""

from __future__ import annotations

import urllib.request

import pytest
import requests

from pytest_podsource.doubles.manifests import manifest
from pytest_podsource.doubles.url import ManifestUrl

both = pytest.mark.parametrize(
    "kind",
    [
        pytest.param("mock", marks=pytest.mark.podsource(http="mock")),
        pytest.param("server", marks=pytest.mark.podsource(http="server")),
    ],
)


@both
def test_replies_come_in_order_and_the_last_one_repeats(
    podsource_url: ManifestUrl, kind: str
) -> None:
    """Status, headers and body are those that were told."""
    podsource_url.reply("busy", status=503, headers={"Retry-After": "1"})
    podsource_url.reply(manifest("a"))

    first, second, third = (
        requests.get(podsource_url.url, timeout=5) for _ in range(3)
    )

    assert (first.status_code, first.text) == (503, "busy")
    assert first.headers["Retry-After"] == "1"
    assert second.json() == third.json() == manifest("a")


@both
def test_requests_are_kept_with_their_headers(
    podsource_url: ManifestUrl, kind: str
) -> None:
    """Names are in small letters, whatever the client wrote."""
    podsource_url.reply("x")

    requests.get(f"{podsource_url.url}?a=1", headers={"X-Token": "abc"}, timeout=5)

    (seen,) = podsource_url.requests
    assert seen.path == "/pods?a=1"
    assert seen.headers["x-token"] == "abc"


@both
def test_reset_breaks_the_connection_and_the_next_reply_follows(
    podsource_url: ManifestUrl, kind: str
) -> None:
    """A client must survive it."""
    podsource_url.fail("reset")
    podsource_url.reply("x")

    with pytest.raises(requests.ConnectionError):
        requests.get(podsource_url.url, timeout=5)

    assert requests.get(podsource_url.url, timeout=5).text == "x"


@both
def test_silence_is_a_timeout(podsource_url: ManifestUrl, kind: str) -> None:
    """The server lets the client wait; the mock doesn't take its time."""
    podsource_url.fail("silent")

    with pytest.raises(requests.ReadTimeout):
        requests.get(podsource_url.url, timeout=0.05)


@both
def test_url_that_was_told_nothing_is_not_found(
    podsource_url: ManifestUrl, kind: str
) -> None:
    """A forgotten reply is seen."""
    assert requests.get(podsource_url.url, timeout=5).status_code == 404


@pytest.mark.podsource(http="server")
def test_server_is_reached_by_every_client(podsource_url: ManifestUrl) -> None:
    """Also by those that no mock of requests sees."""
    podsource_url.reply(b"x")

    with urllib.request.urlopen(podsource_url.url) as reply:
        assert reply.read() == b"x"


def test_mock_lets_nothing_else_through(podsource_url: ManifestUrl) -> None:
    """A slip in the URL doesn't reach the network."""
    with pytest.raises(requests.ConnectionError):
        requests.get("http://manifests.example/other", timeout=5)


@pytest.mark.podsource(http="server")
def test_server_that_has_ended_answers_no_more(
    pytester: pytest.Pytester,
) -> None:
    """Nothing of it outlives the test, a client that waits neither."""
    pytester.makepyfile(
        """
        import http.client, pytest, threading

        seen = []

        @pytest.mark.podsource(http="server")
        def test_one(podsource_url):
            podsource_url.fail("silent")
            host = podsource_url.url.split("/")[2]
            connection = http.client.HTTPConnection(host)
            connection.request("GET", "/pods")
            seen.append((host, connection))

        def test_two():
            host, connection = seen[0]
            connection.close()
            with pytest.raises(OSError):
                http.client.HTTPConnection(host).connect()
            assert not [t for t in threading.enumerate() if t.name == "podsource-server"]
        """
    )

    result = pytester.runpytest_subprocess("-p", "no:randomly", "-W", "error")

    result.assert_outcomes(passed=2)
