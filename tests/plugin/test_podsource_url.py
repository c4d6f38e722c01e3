"""
The fixture ``podsource_url``: a mock, a server of this machine, and one with TLS.
"""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable

import pytest
import requests

from pytest_podsource import ManifestUrl, Pods, VirtualClock
from pytest_podsource.contract import SECOND_NS
from tests.plugin.conftest import RunPytest

POD = Pods()("a")
kinds = pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.podsource(http=kind))
        for kind in ("mock", "server", "tls")
    ],
)
Get = Callable[..., requests.Response]


@pytest.fixture
def get(podsource_url: ManifestUrl) -> Get:
    """GET of the URL or of another path, as a client that trusts the server."""

    def get(url: str = podsource_url.url, **options: object) -> requests.Response:
        verify = str(podsource_url.ca_file or "") or True
        settings = {"timeout": 5, "verify": verify, **options}
        return requests.get(url, **settings)  # type: ignore[arg-type]

    return get


@kinds
def test_replies_come_in_order_and_the_last_one_repeats(
    podsource_url: ManifestUrl, get: Get, kind: str
) -> None:
    """Status, headers and body are those that were told."""
    podsource_url.reply("busy", status=503, headers={"Retry-After": "1"})
    podsource_url.reply(POD)

    first, second, third = (get() for _ in range(3))

    assert (first.status_code, first.text) == (503, "busy")
    assert first.headers["Retry-After"] == "1"
    assert second.json() == third.json() == POD


@kinds
def test_requests_are_kept_with_their_headers(
    podsource_url: ManifestUrl, get: Get, kind: str
) -> None:
    """Names are in small letters, whatever the client wrote."""
    podsource_url.reply("x")

    get(f"{podsource_url.url}?a=1", headers={"X-Token": "abc"})

    (seen,) = podsource_url.requests
    assert (seen.method, seen.path) == ("GET", "/pods?a=1")
    assert seen.headers["x-token"] == "abc"


@kinds
def test_reset_breaks_the_connection_and_the_next_reply_follows(
    podsource_url: ManifestUrl, get: Get, kind: str
) -> None:
    """A client must survive it."""
    podsource_url.fail("reset")
    podsource_url.reply("x")

    with pytest.raises(requests.ConnectionError):
        get()

    assert get().text == "x"


@kinds
def test_silence_is_a_timeout(podsource_url: ManifestUrl, get: Get, kind: str) -> None:
    """The server lets the client wait; the mock doesn't take its time."""
    podsource_url.fail("silent")

    with pytest.raises(requests.Timeout):
        get(timeout=0.2)


@kinds
@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_packed_body_is_unpacked_by_the_client(
    podsource_url: ManifestUrl, get: Get, kind: str, packing: str
) -> None:
    """With the header that says so."""
    podsource_url.reply("x" * 1000, packing=packing)  # type: ignore[arg-type]

    got = get()

    assert got.text == "x" * 1000
    assert got.headers["Content-Encoding"] == packing


@kinds
def test_cut_body_is_an_error_of_the_client(
    podsource_url: ManifestUrl, get: Get, kind: str
) -> None:
    """Whole or not at all."""
    podsource_url.reply("x" * 100, cut_at=10)

    with pytest.raises(requests.exceptions.RequestException):
        get()


@pytest.mark.parametrize("kind", ["server", "tls"])
def test_body_comes_in_chunks(kind: str) -> None:
    """Whole, or cut off between."""
    with ManifestUrl.served(tls=kind == "tls") as url:
        verify = str(url.ca_file or "") or True
        url.reply("0123456789", chunks=3)
        url.reply("0123456789", chunks=3, cut_at=5)

        whole = requests.get(url.url, timeout=5, verify=verify)
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            requests.get(url.url, timeout=5, verify=verify)

    assert whole.text == "0123456789"
    assert whole.headers["Transfer-Encoding"] == "chunked"


@kinds
def test_redirect_is_followed_to_another_path(
    podsource_url: ManifestUrl, get: Get, kind: str
) -> None:
    """Both requests are kept in one list."""
    podsource_url.redirect("/moved")
    podsource_url.at("/moved").reply("x")

    got = get()

    assert got.text == "x"
    assert [each.path for each in podsource_url.requests] == ["/pods", "/moved"]


@kinds
def test_body_that_is_known_is_not_sent_again(
    podsource_url: ManifestUrl, get: Get, kind: str
) -> None:
    """By its validator."""
    podsource_url.reply("x", etag="v1")

    tag = get().headers["ETag"]
    again = get(headers={"If-None-Match": tag})
    other = get(headers={"If-None-Match": '"v0"'})

    assert (tag, again.status_code, again.text) == ('"v1"', 304, "")
    assert (other.status_code, other.text) == (200, "x")


@kinds
def test_required_header_lets_a_request_in(
    podsource_url: ManifestUrl, get: Get, kind: str
) -> None:
    """With its value, or with any."""
    podsource_url.require("X-Token", "abc")
    podsource_url.require("User-Agent")
    podsource_url.reply("x")

    assert get(headers={"X-Token": "abc"}).text == "x"


@kinds
def test_head_has_the_headers_alone(podsource_url: ManifestUrl, kind: str) -> None:
    """It takes a reply, as a GET does."""
    podsource_url.reply("x", etag="v1")
    verify = str(podsource_url.ca_file or "") or True

    got = requests.head(podsource_url.url, timeout=5, verify=verify)

    assert (got.headers["ETag"], got.text) == ('"v1"', "")
    assert podsource_url.requests[0].method == "HEAD"


def test_delay_and_silence_take_the_virtual_clocks_time(
    podsource_url: ManifestUrl, podsource_clock: VirtualClock
) -> None:
    """With the mock; a time limit ends them."""
    podsource_url.reply("x", delay_ns=3 * SECOND_NS)
    podsource_url.reply("y", delay_ns=30 * SECOND_NS)
    podsource_url.fail("silent")

    got = [requests.get(podsource_url.url, timeout=10).text, str(time.monotonic())]
    for _ in range(2):
        with pytest.raises(requests.ReadTimeout):
            requests.get(podsource_url.url, timeout=10)
        got.append(str(time.monotonic()))

    assert got == ["x", "3.0", "13.0", "23.0"]


@pytest.mark.podsource(http="server")
@pytest.mark.filterwarnings("ignore::pytest_podsource.UncontrolledWait")
def test_server_works_beside_a_virtual_clock(
    podsource_clock: VirtualClock, podsource_url: ManifestUrl
) -> None:
    """Its threads live in real time; the clock stands still meanwhile."""
    podsource_url.reply("x")

    got = requests.get(podsource_url.url, timeout=5).text

    assert (got, time.monotonic()) == ("x", 0)


@pytest.mark.podsource(http="tls")
def test_client_that_does_not_trust_is_refused(podsource_url: ManifestUrl) -> None:
    """As with any authority that nobody knows."""
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(podsource_url.url, timeout=5)

    assert podsource_url.requests == []


@pytest.mark.podsource(http="server")
def test_server_is_reached_by_every_client(podsource_url: ManifestUrl) -> None:
    """Also by those that no mock of requests sees."""
    podsource_url.reply(b"x")

    with urllib.request.urlopen(podsource_url.url) as reply:
        assert reply.read() == b"x"


@pytest.mark.parametrize("kind", ["mock", "server", "tls"])
def test_what_was_not_told_or_not_asked_fails_the_test(
    run_pytest: RunPytest, pytester: pytest.Pytester, kind: str
) -> None:
    """Each with what comes nearest."""
    pytester.makepyfile(
        test_url=f"""
        import pytest, requests
        from pytest_podsource import SECOND_NS

        pytestmark = pytest.mark.podsource(http={kind!r})

        @pytest.fixture
        def get(podsource_url):
            def get(url, method="GET", **options):
                verify = str(podsource_url.ca_file or "") or True
                return requests.request(method, url, timeout=5, verify=verify, **options)
            return get

        def test_path(podsource_url, get):
            podsource_url.reply("x")
            assert get(podsource_url.url).text == "x"
            assert get(podsource_url.url.replace("pods", "podz")).status_code == 404

        def test_header(podsource_url, get):
            podsource_url.require("X-Token", "abc")
            podsource_url.reply("x")
            got = get(podsource_url.url, headers={{"X-Token": "abd"}})
            assert (got.status_code, got.text) == (
                401, "GET /pods: its x-token is 'abd', not 'abc'\\n")
            assert get(podsource_url.url, headers={{"X-Token": "abc"}}).text == "x"

        def test_nothing_told(podsource_url, get):
            assert get(podsource_url.url).status_code == 404

        def test_post(podsource_url, get):
            podsource_url.reply("x")
            assert get(podsource_url.url, "POST").status_code == 405
            get(podsource_url.url)

        def test_unused(podsource_url, get):
            podsource_url.reply("first")
            podsource_url.reply("second", status=503)
            podsource_url.fail("reset")
            podsource_url.at("/other").reply("x")
            get(podsource_url.url)

        def test_meant(podsource_url, get):
            podsource_url.strict = False
            podsource_url.reply("x")
            get(podsource_url.url + "/other")

        def test_fails_itself(podsource_url):
            podsource_url.reply("x")
            assert False, "the reason"
        """
    )

    result = run_pytest("test_url.py")

    result.assert_outcomes(passed=6, failed=1, errors=5)
    result.stdout.fnmatch_lines(
        [
            "  not told   GET /podz: told is /pods",
            "  not told   GET /pods: its x-token is 'abd', not 'abc'",
            "  not told   GET /pods: no answer was told",
            "  not told   POST /pods: only GET and HEAD are told",
            "  not asked  /pods: 503 'second'",
            "  not asked  /pods: reset",
            "  not asked  /other: 200 'x'",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_mock_lets_nothing_else_through(podsource_url: ManifestUrl) -> None:
    """A slip in the URL doesn't reach the network, and isn't lost in the code."""
    with pytest.raises(requests.ConnectionError, match="isn't mocked"):
        requests.get("http://elsewhere.example/pods", timeout=5)

    with pytest.raises(AssertionError, match=r"GET http://elsewhere.*only http://man"):
        podsource_url.check()
    podsource_url.strict = False


def test_silence_without_a_time_limit_is_told(podsource_url: ManifestUrl) -> None:
    """It would wait for ever."""
    podsource_url.fail("silent")
    with pytest.raises(requests.ReadTimeout):
        requests.get(podsource_url.url)

    with pytest.raises(AssertionError, match=r"would wait for ever"):
        podsource_url.check()
    podsource_url.strict = False


def _fail_within_a_url() -> None:
    with ManifestUrl.mock() as url:
        url.reply("never asked for")
        raise KeyError("mine")


def test_error_of_the_test_itself_comes_first() -> None:
    """As a context manager, outside pytest too."""
    with pytest.raises(KeyError):
        _fail_within_a_url()


@pytest.mark.parametrize("kind", ["server", "tls"])
def test_server_that_has_ended_answers_no_more(
    pytester: pytest.Pytester, kind: str
) -> None:
    """Nothing of it outlives the test, a client that waits neither."""
    pytester.makepyfile(
        f"""
        import pytest, socket, ssl, threading

        seen = []

        @pytest.mark.podsource(http={kind!r})
        def test_one(podsource_url):
            podsource_url.fail("silent")
            host, port = podsource_url.url.split("/")[2].split(":")
            idle = socket.create_connection((host, int(port)), 5)
            plain = socket.create_connection((host, int(port)), 5)
            if podsource_url.ca_file:
                context = ssl.create_default_context(cafile=podsource_url.ca_file)
                plain = context.wrap_socket(plain, server_hostname=host)
            plain.sendall(b"GET /pods HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
            assert any(podsource_url.requests for _ in range(10**8))
            seen.extend((host, int(port), plain, idle))

        def test_two():
            host, port, *clients = seen
            for client in clients:
                client.close()
            with pytest.raises(OSError):
                socket.create_connection((host, port), 5)
            assert not [t for t in threading.enumerate() if t.name == "podsource-server"]
        """
    )

    result = pytester.runpytest_subprocess("-p", "no:randomly", "-W", "error")

    result.assert_outcomes(passed=2)
