"""
The fake apiserver over real sockets: what goes over the wire, and what goes wrong.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import urlencode, urlsplit

import pytest

from pytest_podsource import FakeApiserver
from pytest_podsource.apiserver.answers import call_of
from pytest_podsource.doubles.apiserver.streams import Stream
from pytest_podsource.exceptions import UsageError

if TYPE_CHECKING:
    from pytest_podsource.apiserver.watching import Watch

pytest.importorskip("aiohttp", reason="aiohttp, of the extra apiserver, is lacking")

PODS = "/api/v1/pods"
LIMIT_S = 10


@pytest.fixture
def api() -> Iterator[FakeApiserver]:
    """Serve while a test runs."""
    with FakeApiserver() as apiserver:
        yield apiserver


class Client:
    """One connection, kept open."""

    def __init__(self, api: FakeApiserver, context: ssl.SSLContext | None = None):
        self.response: http.client.HTTPResponse | None = None
        place = urlsplit(api.url)
        assert place.hostname is not None
        self.connection: http.client.HTTPConnection = (
            http.client.HTTPSConnection(
                place.hostname, place.port, timeout=LIMIT_S, context=context
            )
            if context
            else http.client.HTTPConnection(place.hostname, place.port, timeout=LIMIT_S)
        )

    def open(self, path: str = PODS, **query: str) -> http.client.HTTPResponse:
        headers = {"Authorization": query.pop("auth")} if "auth" in query else {}
        self.connection.request("GET", f"{path}?{urlencode(query)}", headers=headers)
        self.response = self.connection.getresponse()
        return self.response

    def close(self) -> None:
        if self.response is not None:
            self.response.close()
        self.connection.close()

    def get(self, path: str = PODS, **query: str) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.open(path, **query).read())
        return read

    def watch(self, path: str = PODS, **query: str) -> Iterator[dict[str, Any]]:
        """Open at once; give events as they come."""
        response = self.open(path, watch="true", **query)
        assert response.status == 200, response.read()
        return (json.loads(line) for line in iter(response.readline, b""))


Connect: TypeAlias = Callable[..., Client]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Give connections that are closed in the end."""
    made: list[Client] = []

    def new(api: FakeApiserver, context: ssl.SSLContext | None = None) -> Client:
        made.append(Client(api, context))
        return made[-1]

    yield new
    for each in made:
        each.close()


@pytest.fixture
def client(api: FakeApiserver, connect: Connect) -> Client:
    """Give a connection to it."""
    return connect(api)


def told(events: Iterator[dict[str, Any]], count: int) -> list[tuple[str, str]]:
    """Return type and name of the next events."""
    return [
        (event["type"], event["object"]["metadata"].get("name", ""))
        for event in islice(events, count)
    ]


def test_list_over_one_kept_connection(api: FakeApiserver, client: Client) -> None:
    """It isn't closed after an answer."""
    api.pods.add("a")

    first, second = client.get(), client.get("/version")

    assert [item["metadata"]["name"] for item in first["items"]] == ["a"]
    assert second["gitVersion"] == "v1.37.2"


def test_version_is_what_it_was_set_to(api: FakeApiserver, client: Client) -> None:
    """A client that is choosy is content."""
    api.version = "1.34.0"

    told = client.get("/version")

    assert (told["major"], told["minor"]) == ("1", "34")
    assert told["gitVersion"] == "v1.34.0"


def test_answers_have_the_headers_of_a_real_one(client: Client) -> None:
    """JSON that nobody may keep."""
    response = client.open()

    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-cache, private"
    assert response.read().startswith(b'{"kind":"PodList"')


def test_long_list_is_packed_for_who_can_read_it(
    api: FakeApiserver, client: Client
) -> None:
    """From 128 KiB on; a client that asks for nothing gets it as it is."""
    for number in range(200):
        api.pods.add({"metadata": {"name": f"p{number}"}, "spec": {"x": "y" * 1000}})

    client.connection.request("GET", PODS, headers={"Accept-Encoding": "gzip"})
    packed = client.connection.getresponse()
    size = len(packed.read())
    plain = client.open()

    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers.get("Content-Encoding") is None
    assert size * 5 < len(plain.read())


def test_each_change_is_one_line_and_one_event(
    api: FakeApiserver, client: Client
) -> None:
    """Added, changed, marked, removed."""
    events = client.watch(resourceVersion="1")

    api.pods.add("a", node="n1", labels={"x": "1"})
    api.pods.change("a", {"status": {"phase": "Running"}})
    api.pods.mark_for_deletion("a", grace_s=5)
    api.pods.remove("a")

    added, changed, marked, removed = islice(events, 4)
    assert added["object"]["spec"]["nodeName"] == "n1"
    assert added["object"]["status"]["phase"] == "Pending"
    assert changed["object"]["status"]["phase"] == "Running"
    assert marked["object"]["metadata"]["deletionGracePeriodSeconds"] == 5
    assert marked["type"] == "MODIFIED"
    assert removed["type"] == "DELETED"
    uids = {each["object"]["metadata"]["uid"] for each in (added, marked, removed)}
    assert len(uids) == 1


def test_pod_added_again_is_another(api: FakeApiserver) -> None:
    """By its UID."""
    first = api.pods.add("a")["metadata"]["uid"]
    api.pods.remove("a")

    assert api.pods.add("a")["metadata"]["uid"] != first


def test_change_that_changes_nothing_is_not_told(api: FakeApiserver) -> None:
    """As a real one keeps the resource version then."""
    before = api.pods.add("a")

    after = api.pods.change("a", {"status": {"phase": "Pending"}})

    assert after == before == api.pods.get("a")


def test_change_with_none_removes_a_field(api: FakeApiserver) -> None:
    """A merge patch."""
    api.pods.add("a", namespace="x", labels={"p": "1", "q": "2"})

    api.pods.change("a", {"metadata": {"labels": {"p": None}}}, namespace="x")

    assert api.pods.get("a", namespace="x")["metadata"]["labels"] == {"q": "2"}


def test_what_is_given_is_a_copy(api: FakeApiserver) -> None:
    """Writing into it changes nothing on the server."""
    api.pods.add("a")["spec"]["containers"].clear()

    assert api.pods.get("a")["spec"]["containers"] != []


def test_nodes_are_served_like_pods(api: FakeApiserver, client: Client) -> None:
    """Without a namespace."""
    api.nodes.add("n1", labels={"zone": "a"})

    listed = client.get("/api/v1/nodes", labelSelector="zone=a")

    assert [item["metadata"]["name"] for item in listed["items"]] == ["n1"]
    assert "namespace" not in listed["items"][0]["metadata"]


@pytest.mark.parametrize(
    ("act", "about"),
    [
        (
            lambda api: api.pods.remove("x"),
            "pods: 'default/x' is not there. There: default",
        ),
        (lambda api: api.pods.change("x", {}), "'default/x' is not there"),
        (lambda api: api.pods.add("a"), "'default/a' is there already. Use change()"),
        (lambda api: api.pods.add({"spec": {}}), "pods.add: {'spec': {}} has no name"),
        (lambda api: api.nodes.add(""), "has no name"),
        (lambda api: api.pods.add({"metadata": {"name": "b", "x": {1, 2}}}), "JSON"),
        (lambda api: api.slow(0, 1), "piece=0 bytes can't be sent"),
        (lambda api: api.client_certificate("u"), "Make FakeApiserver(tls=True)"),
    ],
)
def test_slip_of_the_test_is_told(act: Any, about: str) -> None:
    """Where, what, what would have been right."""
    api = FakeApiserver()
    api.pods.add({"metadata": {"name": "a", "namespace": "default"}})

    with pytest.raises(UsageError) as caught:
        act(api)

    assert about in str(caught.value)


def test_url_before_the_start_says_so() -> None:
    """It has no port yet."""
    with pytest.raises(UsageError, match="never started"):
        _ = FakeApiserver().url


def test_client_of_http_1_0_gets_a_watch_without_chunks(
    api: FakeApiserver, connect: Connect
) -> None:
    """Its end is the end of the connection."""
    client = connect(api)
    client.connection._http_vsn, client.connection._http_vsn_str = 10, "HTTP/1.0"  # type: ignore[attr-defined]
    api.pods.add("a")

    response = client.open(watch="true", timeoutSeconds="1")

    assert "Transfer-Encoding" not in response.headers
    assert json.loads(response.read())["object"]["metadata"]["name"] == "a"


def test_watch_that_was_waited_for_is_open(
    api: FakeApiserver, connect: Connect
) -> None:
    """Whatever comes at once afterwards reaches it."""
    for count in range(1, 21):
        client = connect(api)
        bodies: Queue[bytes] = Queue()

        def read(client: Client = client, bodies: Queue[bytes] = bodies) -> None:
            bodies.put(client.open(watch="true", resourceVersion="1").read())

        threading.Thread(target=read, daemon=True).start()
        api.wait_for("watch", count)
        api.end_watches()

        assert bodies.get(timeout=LIMIT_S) == b""


def test_bookmark_is_sent_on_demand(api: FakeApiserver, client: Client) -> None:
    """With the newest version."""
    events = client.watch(resourceVersion="1", allowWatchBookmarks="true")
    api.nodes.add("n1")

    api.bookmark()

    (event,) = islice(events, 1)
    assert event["type"] == "BOOKMARK"
    assert event["object"]["metadata"]["resourceVersion"] == "2"


def test_watch_ends_after_its_time_with_a_bookmark(
    api: FakeApiserver, client: Client
) -> None:
    """The body ends properly, and the connection is kept."""
    events = client.watch(
        resourceVersion="1", timeoutSeconds="1", allowWatchBookmarks="true"
    )

    assert told(events, 9) == [("BOOKMARK", "")]
    assert client.get()["kind"] == "PodList"


def test_end_of_watches_is_a_proper_end(api: FakeApiserver, client: Client) -> None:
    """What came before is told first."""
    events = client.watch(resourceVersion="1")
    api.pods.add("a")

    api.end_watches()

    assert told(events, 9) == [("ADDED", "a")]


def test_expired_watch_tells_an_error_and_ends(
    api: FakeApiserver, client: Client
) -> None:
    """410 Expired."""
    events = client.watch(resourceVersion="1")

    api.expire_watches()

    (event,) = list(events)
    assert (event["type"], event["object"]["reason"]) == ("ERROR", "Expired")


def test_forgotten_history_expires_pages_and_watches(
    api: FakeApiserver, client: Client
) -> None:
    """A Status to a list, an event to a watch."""
    api.pods.add("a")
    api.pods.add("b")
    token = client.get(limit="1")["metadata"]["continue"]
    api.pods.add("c")

    api.forget()

    assert client.get(**{"continue": token})["reason"] == "Expired"
    (event,) = list(client.watch(resourceVersion="1"))
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)


def test_tell_sends_what_it_is_given(api: FakeApiserver, client: Client) -> None:
    """After what came before, and before what comes after."""
    response = client.open(watch="true", resourceVersion="1")
    api.pods.add("a")
    api.tell('{"type": "ADD')
    api.tell({"type": "ADDED", "object": {"kind": "Secret"}})
    api.pods.add("b")
    api.end_watches()
    api.tell("too late")

    lines = response.read().splitlines()

    assert len(lines) == 4
    assert [json.loads(lines[place])["type"] for place in (0, 3)] == ["ADDED"] * 2
    assert lines[1:3] == [
        b'{"type": "ADD',
        b'{"type": "ADDED", "object": {"kind": "Secret"}}',
    ]


def test_failures_come_as_often_as_told(api: FakeApiserver, client: Client) -> None:
    """To the requests that they are about, in order."""
    api.fail(429, on="list", resource="pods", times=2, retry_after_s=3)
    api.fail(500, on="list")

    node = client.open("/api/v1/nodes")
    body = node.read()
    first = client.open()
    first.read()
    codes = [client.get().get("code", 200) for _ in range(2)]

    assert (node.status, json.loads(body)["reason"]) == (500, "InternalError")
    assert (first.status, first.headers["Retry-After"]) == (429, "3")
    assert codes == [429, 200]


def test_failure_for_ever_ends_with_heal(api: FakeApiserver, client: Client) -> None:
    """Whatever was ordered is forgotten."""
    api.fail(503, times=None)

    codes = [client.get()["code"] for _ in range(3)]
    api.heal()

    assert codes == [503, 503, 503]
    assert client.get()["kind"] == "PodList"


def test_forbidden_names_user_and_verb(api: FakeApiserver, client: Client) -> None:
    """In the words of a real one; a message of one's own goes first."""
    api.fail(403, on="watch")
    api.fail(403, on="watch", message="no")

    told = [client.get(watch="1")["message"] for _ in range(2)]

    assert 'User "system:unsecured" cannot watch resource "pods"' in told[0]
    assert told[1] == "no"


def test_watch_can_be_refused_with_gone(api: FakeApiserver, client: Client) -> None:
    """A Status instead of a stream, as some servers do."""
    api.fail(410, on="watch")

    assert client.get(watch="1", resourceVersion="1")["reason"] == "Expired"


def test_reset_breaks_before_the_answer(api: FakeApiserver, connect: Connect) -> None:
    """The next one is answered."""
    api.reset(on="list")

    with pytest.raises(ConnectionResetError):
        connect(api).get()
    assert connect(api).get()["items"] == []


def test_cut_list_has_its_first_half(api: FakeApiserver, client: Client) -> None:
    """Then the connection breaks."""
    api.pods.add("a")
    api.cut(on="list")

    response = client.open()

    with pytest.raises((ConnectionResetError, http.client.IncompleteRead)):
        response.read()


def test_cut_event_breaks_in_the_middle_of_an_open_watch(
    api: FakeApiserver, client: Client, connect: Connect
) -> None:
    """Also of one that was opened before; the next watch has it whole."""
    response = client.open(watch="true", resourceVersion="1")
    api.cut()

    api.pods.add("a")

    half = response.read1()
    assert half.startswith(b'{"type":"ADDED"')
    assert not half.endswith(b"\n")
    with pytest.raises((ConnectionResetError, http.client.IncompleteRead)):
        response.read()
    again = connect(api).watch(resourceVersion="1")
    assert told(again, 1) == [("ADDED", "a")]


def test_slow_body_comes_whole(api: FakeApiserver, client: Client) -> None:
    """In drops, but all of them."""
    api.slow(7, 0.0)

    assert client.get()["kind"] == "PodList"


def test_slow_watch_comes_whole(api: FakeApiserver, client: Client) -> None:
    """Every line is put together again."""
    api.pods.add("a")
    api.slow(3, 0.0, on="watch")

    events = client.watch(resourceVersion="1")

    assert told(events, 1) == [("ADDED", "a")]


def test_hanging_request_is_seen_and_ended_by_the_stop(
    api: FakeApiserver, connect: Connect
) -> None:
    """The client's own time limit would end it before."""
    api.hang()
    failed = threading.Event()

    def ask() -> None:
        try:
            connect(api).get()
        except (ConnectionError, http.client.HTTPException):
            failed.set()

    threading.Thread(target=ask, daemon=True).start()
    (seen,) = api.wait_for("list")
    api.stop()

    assert seen.status == 0
    assert failed.wait(LIMIT_S)


def test_reply_sends_any_body(api: FakeApiserver, client: Client) -> None:
    """A mapping, a text, pieces that are made on the way."""
    api.reply({"kind": "ConfigMapList"})
    api.reply("<html>", status=502, headers={"Content-Type": "text/html"})
    api.reply(repeat(b"x" * 1000, 5000))

    first, second = client.get(), client.open()
    text = second.read()
    third = client.open().read()

    assert first == {"kind": "ConfigMapList"}
    assert (second.status, text) == (502, b"<html>")
    assert second.headers.get_all("Content-Type") == ["text/html"]
    assert len(third) == 5_000_000


def test_reply_shorter_than_its_length_is_cut(
    api: FakeApiserver, client: Client
) -> None:
    """The connection ends; nobody waits for the rest."""
    api.reply(b'{"kind"', headers={"Content-Length": "1000"})

    with pytest.raises(http.client.IncompleteRead) as caught:
        client.open().read()

    assert caught.value.partial == b'{"kind"'


def test_requests_are_recorded(api: FakeApiserver, client: Client) -> None:
    """What was asked, by whom, and what it got."""
    client.get(fieldSelector="spec.nodeName=n1", limit="500")
    client.get("/api/v1/namespaces/x/pods/a")

    listed, got = api.requests
    assert (listed.verb, listed.resource, listed.status) == ("list", "pods", 200)
    assert listed.query == {"fieldSelector": "spec.nodeName=n1", "limit": "500"}
    assert listed.headers["accept-encoding"] == "identity"
    assert (got.verb, got.namespace, got.name, got.status) == ("get", "x", "a", 404)
    assert got.user == "system:unsecured"


def test_wait_for_what_does_not_come_says_what_did(
    api: FakeApiserver, client: Client
) -> None:
    """Instead of hanging."""
    client.get()

    with pytest.raises(TimeoutError) as caught:
        api.wait_for("watch", 2, resource="pods", timeout_s=0.01)

    assert "2 x watch pods didn't come in 0.01 s" in str(caught.value)
    assert "What came: list /api/v1/pods" in str(caught.value)


def test_stop_breaks_watches_and_start_goes_on_where_it_was(
    api: FakeApiserver, connect: Connect
) -> None:
    """Same port, same objects, same history."""
    api.pods.add("a")
    events, url = connect(api).watch(resourceVersion="1"), api.url
    assert told(events, 1) == [("ADDED", "a")]

    api.stop()
    api.pods.add("b")
    assert list(events) == []
    with pytest.raises(ConnectionRefusedError):
        connect(api).get()
    api.start()

    assert api.url == url
    assert told(connect(api).watch(resourceVersion="2"), 1) == [("ADDED", "b")]


def test_client_that_leaves_is_forgotten(api: FakeApiserver, connect: Connect) -> None:
    """Its watch isn't kept open; others go on."""
    leaver, stayer = connect(api), connect(api)
    leaver.open(watch="true", resourceVersion="1")
    events = stayer.watch(resourceVersion="1")
    leaver.close()

    for name in "abc":
        api.pods.add(name)

    assert told(events, 3) == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]


def test_many_watches_all_learn_of_a_change(
    api: FakeApiserver, connect: Connect
) -> None:
    """Fifty at once, one thread."""
    watches = [connect(api).watch(resourceVersion="1") for _ in range(50)]

    api.pods.add("a")

    assert all(told(events, 1) == [("ADDED", "a")] for events in watches)


def test_threads_may_change_at_once(api: FakeApiserver, client: Client) -> None:
    """No change is lost, each has its own revision."""

    def add(start: int) -> None:
        for number in range(start, start + 50):
            api.pods.add(f"p{number}")

    threads = [
        threading.Thread(target=add, args=(50 * each,), daemon=True)
        for each in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)

    items = client.get()["items"]
    assert len({item["metadata"]["resourceVersion"] for item in items}) == 200


def test_token_is_checked(api: FakeApiserver, connect: Connect) -> None:
    """Without the right one, 401 and nothing more."""
    with FakeApiserver(token="secret") as mine:
        client = connect(mine)

        wrong = [client.get(), client.get(auth="Bearer x"), client.get(auth="secret")]
        right = client.get(auth="Bearer secret")

        assert [each["code"] for each in wrong] == [401, 401, 401]
        assert wrong[0]["reason"] == "Unauthorized"
        assert right["kind"] == "PodList"
        assert [seen.status for seen in mine.requests] == [401, 401, 401, 200]


@pytest.fixture(scope="module")
def secure() -> Iterator[FakeApiserver]:
    """Serve by TLS."""
    pytest.importorskip("trustme", reason="trustme, of the extra apiserver, is lacking")
    with FakeApiserver(tls=True) as apiserver:
        yield apiserver


def trusting(api: FakeApiserver) -> ssl.SSLContext:
    """Return a client's side that trusts its authority."""
    return ssl.create_default_context(cafile=str(api.ca_file))


def test_tls_serves_who_has_the_token(secure: FakeApiserver, connect: Connect) -> None:
    """Its certificate is one of its own authority."""
    client = connect(secure, trusting(secure))

    assert client.get()["code"] == 401
    assert client.get(auth=f"Bearer {secure.token}")["kind"] == "PodList"


def test_tls_serves_who_has_a_certificate(
    secure: FakeApiserver, connect: Connect
) -> None:
    """The common name is the user."""
    context = trusting(secure)
    context.load_cert_chain(
        *secure.client_certificate("system:node:n1", "system:nodes")
    )

    assert connect(secure, context).get()["kind"] == "PodList"
    assert secure.requests[-1].user == "system:node:n1"


def test_tls_is_refused_by_who_trusts_others(
    secure: FakeApiserver, connect: Connect
) -> None:
    """An unknown authority ends the handshake."""
    with pytest.raises(ssl.SSLCertVerificationError):
        connect(secure, ssl.create_default_context()).get()


def test_certificate_of_another_authority_is_refused(
    secure: FakeApiserver, connect: Connect
) -> None:
    """At the latest when something is read."""
    other = FakeApiserver(tls=True)
    context = trusting(secure)
    context.load_cert_chain(*other.client_certificate("system:node:n1"))

    with pytest.raises((ssl.SSLError, ConnectionError)):
        connect(secure, context).get()


def test_kubeconfig_has_what_a_client_needs(
    secure: FakeApiserver, tmp_path: Path
) -> None:
    """Address, authority, token; a file that YAML readers can read."""
    path = secure.write_kubeconfig(tmp_path / "config")

    config = json.loads(path.read_text())

    (cluster,), (user,) = config["clusters"], config["users"]
    assert cluster["cluster"]["server"] == secure.url
    assert "certificate-authority-data" in cluster["cluster"]
    assert user["user"] == {"token": secure.token}
    assert config["current-context"] == config["contexts"][0]["name"]


def test_what_is_told_while_lines_are_written_is_not_lost() -> None:
    """The end comes after it, also if both come between two takings."""
    watch = SimpleNamespace(
        options=SimpleNamespace(timeout_s=None), take=list, ended=False
    )
    stream = Stream(call_of("GET", PODS, {}), cast("Watch", watch), threading.RLock())
    stream.tell(b"first")

    first = stream.take()
    stream.tell(b"second")
    stream.end()
    second = stream.take()

    assert (first, second) == (([b"first"], False), ([b"second"], True))
