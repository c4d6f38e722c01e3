"""
Lists and watches over real HTTP, on loopback.
"""

from __future__ import annotations

import socket
import ssl
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource import reference
from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    ServerStatus,
    SourceUpdate,
)
from pytest_podsource.doubles.apiserver.fake import FakeApiserver
from pytest_podsource.shells.apiserver import Apiserver, Limits, NodeSync
from pytest_podsource.shells.env import RealEnvironment
from pytest_podsource.shells.kubeconfig import Access, read_kubeconfig
from pytest_podsource.shells.loop import Loop
from tests.shells.scripted_apiserver import (
    Handler,
    ScriptedApiserver,
    event,
    line_of,
    pod,
    pod_list,
    watch,
    whole,
)

LIMIT_NS = 20 * SECOND_NS
SMALL = Limits(list_bytes=64 * 1024, event_bytes=64 * 1024)


@pytest.fixture
def server() -> Iterator[ScriptedApiserver]:
    """A server whose answers the test says."""
    with closing(ScriptedApiserver()) as server:
        yield server


@pytest.fixture
def loop() -> Iterator[Loop]:
    """A loop that is given back."""
    with closing(Loop()) as loop:
        yield loop


def client(loop: Loop, server: ScriptedApiserver, limits: Limits = SMALL) -> Apiserver:
    return Apiserver(loop, Access(server=server.root), "node1", limits)


def run_until(loop: Loop, is_done: Callable[[], bool]) -> None:
    def look() -> None:
        if is_done():
            loop.stop()
        else:
            loop.call_later(1_000_000, look)

    cancel = loop.call_later(LIMIT_NS, loop.stop)
    loop.call_later(0, look)
    loop.run()
    cancel()
    assert is_done()


def listed(loop: Loop, apiserver: Apiserver, version: str = "") -> Any:
    told: list[Any] = []
    apiserver.list_pods(told.append, version)
    run_until(loop, lambda: bool(told))
    return told[0]


def watched(loop: Loop, apiserver: Apiserver, count: int) -> list[Any]:
    told: list[Any] = []
    cancel = apiserver.watch_pods("1", told.append, initial=False)
    run_until(loop, lambda: len(told) >= count)
    cancel()
    return told


def names(answer: Any) -> list[str]:
    return [item["metadata"]["name"] for item in answer["items"]]


def test_list_asks_for_the_pods_of_the_node(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """Selector and version go as parameters, and nobody is sent away with a page."""
    server.answers = [whole(pod_list("a", "b"))]

    answer = listed(loop, client(loop, server), "7")

    assert names(answer) == ["a", "b"]
    assert server.asked == [
        (
            "/api/v1/pods",
            {"fieldSelector": "spec.nodeName=node1", "resourceVersion": "7"},
        )
    ]


def test_pages_of_a_list_are_one_list(loop: Loop, server: ScriptedApiserver) -> None:
    """The first list is taken in pages; its version is that of the last page."""
    server.answers = [
        whole(pod_list("a", version=5, more="more")),
        whole(pod_list("b", version=5)),
    ]

    answer = listed(loop, client(loop, server), "0")

    assert names(answer) == ["a", "b"]
    assert answer["metadata"] == {"resourceVersion": "5"}
    assert [query.get("limit") for _, query in server.asked] == ["500", "500"]
    assert server.asked[1][1]["continue"] == "more"
    assert "resourceVersion" not in server.asked[1][1]


def test_a_page_that_is_gone_gives_the_whole_list(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """A token that has expired in the middle is no reason to fail."""
    server.answers = [
        whole(pod_list("a", more="more")),
        whole({"kind": "Status", "message": "expired"}, status=410),
        whole(pod_list("a", "b", version=9)),
    ]

    answer = listed(loop, client(loop, server))

    assert names(answer) == ["a", "b"]
    assert "limit" not in server.asked[2][1]


def test_a_status_is_told_with_what_the_server_said(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """The status decides, the text is for people."""
    server.answers = [whole({"kind": "Status", "message": "no way"}, status=403)]

    answer = listed(loop, client(loop, server))

    assert isinstance(answer, ServerStatus)
    assert answer.status == 403
    assert f"{server.root}, pods: status 403, no way" in str(answer)


def test_a_busy_server_is_asked_again_when_it_says(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """Retry-After is waited for within the list."""
    server.answers = [whole({}, 429, Retry_After="0"), whole(pod_list("a"))]

    answer = listed(loop, client(loop, server))

    assert names(answer) == ["a"]
    assert len(server.asked) == 2


def test_a_cancelled_request_that_waits_tells_nothing(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """An hour of Retry-After ends with the cancel."""
    server.answers = [whole({}, 503, Retry_After="3600")]
    told: list[Any] = []
    cancel = client(loop, server).list_pods(told.append, "")
    run_until(loop, lambda: bool(server.asked))

    cancel()
    run_until(loop, lambda: True)

    assert told == []


@pytest.mark.parametrize(
    ("body", "about"),
    [
        (b'{"kind": "PodList", "items": [', "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        (b"[]", "no list was answered, but 'list'"),
        (b'{"kind": "Status"}', "no list was answered, but 'Status'"),
        (b'{"kind": "PodList", "items": [1]}', "an item of the list has no metadata"),
        (b'{"kind": "PodList", "items": {"a": 1}}', "an item of the list"),
        (b"[" * 100_000, "is no JSON"),
    ],
    ids=["cut", "no-text", "an-array", "a-status", "a-number", "a-mapping", "deep"],
)
def test_a_list_that_is_none_says_so(
    loop: Loop, server: ScriptedApiserver, body: bytes, about: str
) -> None:
    """Where, what it was, and no traceback."""
    server.answers = [whole(body)]

    answer = listed(loop, client(loop, server, Limits()))

    assert isinstance(answer, OSError)
    assert about in str(answer)
    assert server.root in str(answer)


def test_a_list_without_items_is_empty(loop: Loop, server: ScriptedApiserver) -> None:
    """Go's nil slice is null."""
    server.answers = [whole({"kind": "PodList", "items": None, "metadata": None})]

    answer = listed(loop, client(loop, server))

    assert answer["items"] == []


def test_a_list_without_end_is_given_up(loop: Loop, server: ScriptedApiserver) -> None:
    """A server that never ends costs no more memory than the limit."""

    def endless(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while not handler.server.closing.is_set():
            handler.chunk(b" " * 65_536)

    server.answers = [endless]
    limits = Limits(list_bytes=1024 * 1024)
    tracemalloc.start()

    answer = listed(loop, client(loop, server, limits))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert "a list of over 1048576 bytes" in str(answer)
    assert peak < 20 * 1024 * 1024


def test_nobody_listens(loop: Loop) -> None:
    """The system's own error comes through."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    apiserver = Apiserver(loop, Access(server=address), "node1")

    answer = listed(loop, apiserver)
    assert isinstance(answer, ConnectionRefusedError)
    assert f"{address}: Connection refused" in str(answer)
    assert isinstance(watched(loop, apiserver, 1)[0], ConnectionRefusedError)


def test_watch_asks_for_news_and_bookmarks(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """From the version on, for five to ten minutes."""
    server.answers = [watch(event("ADDED", "a"), event("DELETED", "a", 3))]

    told = watched(loop, client(loop, server), 3)

    assert [each and each["type"] for each in told] == ["ADDED", "DELETED", None]
    path, query = server.asked[0]
    lasts_s = int(query.pop("timeoutSeconds"))
    assert path == "/api/v1/pods"
    assert 300 <= lasts_s <= 600
    assert query == {
        "fieldSelector": "spec.nodeName=node1",
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "1",
    }


def test_watch_may_begin_with_what_is_there(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """The words of a streamed list."""
    server.answers = [watch()]
    told: list[Any] = []

    client(loop, server).watch_pods("", told.append, initial=True)
    run_until(loop, lambda: bool(told))

    query = server.asked[0][1]
    assert query["sendInitialEvents"] == "true"
    assert query["resourceVersionMatch"] == "NotOlderThan"
    assert "resourceVersion" not in query


def test_events_are_told_as_they_come_in_whatever_pieces(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """Byte by byte, two in one piece, and empty lines between."""
    first, second, third = (
        line_of(event("MODIFIED", name)) for name in ("a", "b", "c")
    )
    slow = [bytes([byte]) for byte in first]
    server.answers = [watch(*slow, b"\n", second + third, then="stay")]

    told = watched(loop, client(loop, server), 3)

    assert [each["object"]["metadata"]["name"] for each in told] == ["a", "b", "c"]


@pytest.mark.parametrize("then", ["end", "reset"])
def test_an_event_that_is_cut_off_is_the_end_of_the_watch(
    loop: Loop, server: ScriptedApiserver, then: str
) -> None:
    """What was whole counts; no error, for the next watch goes on from there."""
    cut = line_of(event("ADDED", "b"))[:20]
    server.answers = [watch(event("ADDED", "a"), cut, then=then)]

    told = watched(loop, client(loop, server), 2)

    assert told[0]["object"]["metadata"]["name"] == "a"
    assert told[1] is None


@pytest.mark.parametrize(
    ("line", "about"),
    [
        (b'{"type": "ADDED", \n', "is no JSON"),
        (b"[]\n", "is no event"),
        (b'{"type": 1, "object": {}}\n', "is no event"),
        (b'{"type": "ADDED"}\n', "the event ADDED has no object"),
        (b"x" * 70_000, "an event of over 65536 bytes"),
    ],
    ids=["cut", "an-array", "a-number", "no-object", "without-end"],
)
def test_a_line_that_is_no_event_is_an_error_event(
    loop: Loop, server: ScriptedApiserver, line: bytes, about: str
) -> None:
    """The source lists anew then; what came before counts."""
    server.answers = [watch(event("ADDED", "a"), line, then="stay")]

    told = watched(loop, client(loop, server), 2)

    assert [each["type"] for each in told] == ["ADDED", "ERROR"]
    assert about in told[1]["object"]["message"]
    assert told[1]["object"]["code"] == 500


def test_a_watch_that_is_refused_tells_the_status(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """That is another thing than an event."""
    server.answers = [whole({}, status=410)]

    (error,) = watched(loop, client(loop, server), 1)

    assert isinstance(error, ServerStatus)
    assert error.status == 410


def test_a_flood_of_events_waits_until_they_are_taken(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """Nothing is read far ahead of who takes it, and nothing is lost."""
    sent = [0]

    def flood(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while not handler.server.closing.is_set():
            handler.chunk(line_of(event("ADDED", f"p{sent[0]}")) + b" " * 60_000)
            sent[0] += 1

    server.answers = [flood]
    told: list[Any] = []
    cancel = client(loop, server).watch_pods("1", told.append, initial=False)

    run_until(loop, lambda: len(told) >= 300)
    cancel()

    order = [each["object"]["metadata"]["name"] for each in told]
    assert order == [f"p{number}" for number in range(len(told))]


def test_cancelled_watch_tells_nothing(loop: Loop, server: ScriptedApiserver) -> None:
    """Also not what was on its way."""
    server.answers = [watch(event("ADDED", "a"), then="stay")]
    told: list[Any] = []
    apiserver = client(loop, server)
    apiserver.watch_pods("1", told.append, initial=False)()

    run_until(loop, lambda: True)

    assert told == []


def test_token_of_a_file_is_read_each_time(
    loop: Loop, server: ScriptedApiserver, tmp_path: Path
) -> None:
    """A token that is renewed is sent renewed."""
    server.answers = [whole(pod_list())]
    file = tmp_path / "token"
    access = Access(server=server.root, token_file=file)
    apiserver = Apiserver(loop, access, "node1")

    for token in ("one\n", "two"):
        file.write_text(token)
        listed(loop, apiserver)

    sent = [each.get("Authorization") for each in server.headers]
    assert sent == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize("text", ["", "two\nlines"])
def test_token_file_without_a_token_is_an_error(
    loop: Loop, server: ScriptedApiserver, tmp_path: Path, text: str
) -> None:
    """Nothing is asked with half a token."""
    file = tmp_path / "token"
    file.write_text(text)
    access = Access(server=server.root, token_file=file)

    answer = listed(loop, Apiserver(loop, access, "node1"))

    assert f"{file} has no token in one line" in str(answer)
    assert server.asked == []


def test_proxy_is_asked_for_what_is_behind_it(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """The request goes to the proxy, with the whole address."""
    server.answers = [whole(pod_list("a"))]
    access = Access(server="http://apiserver.invalid", proxy=server.root)

    answer = listed(loop, Apiserver(loop, access, "node1"))

    assert names(answer) == ["a"]
    assert server.headers[0]["Host"] == "apiserver.invalid"


def test_the_node_is_synced_once_it_was_found(
    loop: Loop, server: ScriptedApiserver
) -> None:
    """Where it has to be there, an empty list is a no, and so is a failure."""
    node = {"kind": "NodeList", "metadata": {}, "items": [{"metadata": {"name": "n"}}]}
    server.answers = [
        whole({}, status=500),
        whole({"kind": "NodeList", "items": []}),
        whole(node),
    ]
    logs: list[str] = []
    synced = NodeSync(
        client(loop, server), must_exist=True, log=lambda level, text: logs.append(text)
    )

    run_until(loop, synced)

    assert [path for path, _ in server.asked] == ["/api/v1/nodes"] * 3
    assert server.asked[0][1]["fieldSelector"] == "metadata.name=node1"
    assert len(logs) == 1


def test_an_older_kubelet_needs_no_node(loop: Loop, server: ScriptedApiserver) -> None:
    """That it could be asked for is enough."""
    server.answers = [whole({"kind": "NodeList", "items": []})]
    synced = NodeSync(client(loop, server), must_exist=False, log=lambda *_: None)

    run_until(loop, synced)

    assert len(server.asked) == 1


@pytest.fixture
def tls_server() -> Iterator[FakeApiserver]:
    """An apiserver with TLS, which knows clients by their certificates."""
    pytest.importorskip("aiohttp", reason="the extra apiserver is not installed")
    with FakeApiserver(tls=True) as server:
        server.pods.add("a", node="node1")
        yield server


@pytest.fixture
def access(tls_server: FakeApiserver) -> Access:
    """How it is reached."""
    certificate, key = tls_server.client_certificate("system:node:node1")
    assert tls_server.ca_file is not None
    return Access(
        server=tls_server.url,
        ca=tls_server.ca_file.read_bytes(),
        certificate=certificate.read_bytes(),
        key=key.read_bytes(),
    )


def test_client_and_server_show_their_certificates(loop: Loop, access: Access) -> None:
    """Both trust the authority."""
    answer = listed(loop, Apiserver(loop, access, "node1"))

    assert names(answer) == ["a"]


def test_the_certificate_may_have_another_name(loop: Loop, access: Access) -> None:
    """``tls-server-name`` is what is looked for in it."""
    right = Apiserver(loop, replace(access, server_name="localhost"), "node1")
    wrong = Apiserver(loop, replace(access, server_name="other"), "node1")

    assert names(listed(loop, right)) == ["a"]
    assert isinstance(listed(loop, wrong), ssl.SSLError)


@pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
def test_a_server_that_nobody_vouches_for_is_refused(
    loop: Loop, access: Access
) -> None:
    """Unless it is said that all are trusted."""
    stranger = Apiserver(loop, replace(access, ca=b""), "node1")
    trusting = Apiserver(loop, replace(access, ca=b"", insecure=True), "node1")

    answer = listed(loop, stranger)

    assert isinstance(answer, ssl.SSLError)
    assert "certificate verify failed" in str(answer)
    assert names(listed(loop, trusting)) == ["a"]


def test_a_client_without_certificate_is_told_the_status(
    loop: Loop, access: Access
) -> None:
    """The server doesn't know it; a token would do instead."""
    nobody = replace(access, certificate=b"", key=b"")

    answer = listed(loop, Apiserver(loop, nobody, "node1"))
    with_token = listed(
        loop, Apiserver(loop, replace(nobody, token="podsource"), "node1")
    )

    assert isinstance(answer, ServerStatus)
    assert answer.status == 401
    assert names(with_token) == ["a"]


def test_a_kubeconfig_is_enough(
    loop: Loop, tls_server: FakeApiserver, tmp_path: Path
) -> None:
    """Address, authority and token of the file."""
    path = tls_server.write_kubeconfig(tmp_path / "kubeconfig")

    answer = listed(loop, Apiserver(loop, read_kubeconfig(path), "node1"))

    assert names(answer) == ["a"]


def test_the_reference_keeps_its_pods_over_a_restart(
    server: ScriptedApiserver,
) -> None:
    """A watch that breaks, a server that fails: no set without the pods."""
    server.answers = [
        whole({}, status=422),  # no streaming
        whole(pod_list("a")),
        watch(event("ADDED", "b"), then="reset"),
        watch(event("ADDED", "c", 3), then="stay"),
    ]
    updates: list[Any] = []
    env = RealEnvironment(updates.append, answers={"node_has_synced": True})
    with closing(env):
        env.connect(Access(server=server.root), "node1")
        source = reference.new_apiserver_source(Config(), env)
        source.start()
        cancel = env.clock.call_later(LIMIT_NS, env.stop)

        def look() -> None:
            if len(updates) == 3:
                env.stop()
            else:
                env.clock.call_later(1_000_000, look)

        env.clock.call_later(0, look)
        env.run()
        cancel()
        source.stop()

    assert all(isinstance(update, SourceUpdate) for update in updates)
    assert [len(update.pods) for update in updates] == [1, 2, 3]
    assert [query.get("resourceVersion") for _, query in server.asked] == [
        None,
        "0",
        "1",
        "2",
    ]
    assert pod("a")["metadata"]["name"] == updates[2].pods[0]["metadata"]["name"]
