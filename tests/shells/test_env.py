"""
The environment of the real world: real time, the kernel's inotify, real HTTP.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    PodUpdate,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.shells.env import RealEnvironment

LIMIT_NS = 20 * SECOND_NS


@pytest.fixture
def updates() -> list[SourceUpdate | PodUpdate]:
    """What was sent."""
    return []


@pytest.fixture
def env(updates: list[SourceUpdate | PodUpdate]) -> Iterator[RealEnvironment]:
    """An environment that is given back."""
    with closing(RealEnvironment(updates.append)) as env:
        yield env


def run_until(env: RealEnvironment, is_done: Callable[[], bool]) -> None:
    """Run *env* until *is_done*, which is asked after each millisecond."""

    def look() -> None:
        if is_done():
            env.stop()
        else:
            env.clock.call_later(1_000_000, look)

    cancel = env.clock.call_later(LIMIT_NS, env.stop)
    env.clock.call_later(0, look)
    env.run()
    cancel()
    assert is_done()


def test_callbacks_come_in_the_order_of_their_time(env: RealEnvironment) -> None:
    """Equal times keep the order in which they were asked for."""
    told: list[str] = []
    env.clock.call_later(2_000_000, lambda: told.append("later"))
    env.clock.call_later(0, lambda: told.append("first"))
    env.clock.call_later(0, lambda: told.append("second"))
    env.clock.call_later(0, lambda: told.append("never"))()

    run_until(env, lambda: len(told) == 3)

    assert told == ["first", "second", "later"]


def test_a_word_from_another_thread_runs_in_the_loop(env: RealEnvironment) -> None:
    """One thread runs all callbacks."""
    told: list[int] = []
    thread = threading.Thread(
        target=lambda: env.post(lambda: told.append(threading.get_ident()))
    )
    thread.start()

    run_until(env, lambda: bool(told))
    thread.join(LIMIT_NS / SECOND_NS)

    assert told == [threading.get_ident()]


def test_clock_has_two_sides(env: RealEnvironment) -> None:
    """The monotonic side starts with the environment, the wall with 1970."""
    assert 0 <= env.clock.monotonic_ns() < LIMIT_NS
    assert env.clock.now_ns() > 1_600_000_000 * SECOND_NS


def test_send_is_taken_when_it_was_handed_on(
    env: RealEnvironment, updates: list[SourceUpdate | PodUpdate]
) -> None:
    """``taken`` comes after the update."""
    taken: list[int] = []
    update = SourceUpdate(source="file", pods=())

    env.send(update, lambda: taken.append(len(updates)))

    assert (updates, taken) == ([update], [1])


def test_watch_tells_what_happens_in_a_directory(
    env: RealEnvironment, tmp_path: Path
) -> None:
    """Events carry path and fsnotify's words, in order."""
    told: list[WatchEvent | OSError] = []
    env.watch(f"{tmp_path}/", told.append)
    path = tmp_path / "a"
    path.write_bytes(b"x")
    path.chmod(0o600)
    path.rename(tmp_path / "b")
    (tmp_path / "b").unlink()

    run_until(env, lambda: len(told) == 6)

    assert [_short(event) for event in told] == [
        ("a", "create"),
        ("a", "write"),
        ("a", "chmod"),
        ("a", "rename"),
        ("b", "create"),
        ("b", "remove"),
    ]


def test_watch_of_a_file_that_is_replaced_ends(
    env: RealEnvironment, tmp_path: Path
) -> None:
    """The watch is on the inode: what takes its place isn't watched."""
    path = tmp_path / "a"
    path.write_bytes(b"1")
    told: list[WatchEvent | OSError] = []
    env.watch(str(path), told.append)
    (tmp_path / "new").write_bytes(b"2")
    (tmp_path / "new").rename(path)
    path.write_bytes(b"3")

    run_until(env, lambda: len(told) == 2)

    assert [_short(event) for event in told] == [("a", "chmod"), ("a", "remove")]


def test_watch_of_a_file_that_is_moved_ends(
    env: RealEnvironment, tmp_path: Path
) -> None:
    """After the move nothing is told any more."""
    path = tmp_path / "a"
    path.write_bytes(b"1")
    told: list[WatchEvent | OSError] = []
    env.watch(str(path), told.append)
    path.rename(tmp_path / "b")
    run_until(env, lambda: len(told) == 1)

    (tmp_path / "b").write_bytes(b"2")
    done: list[int] = []
    env.clock.call_later(50_000_000, lambda: done.append(1))
    run_until(env, lambda: bool(done))

    assert [_short(event) for event in told] == [("a", "rename")]


def test_a_cancelled_watch_tells_nothing(env: RealEnvironment, tmp_path: Path) -> None:
    """Cancelling from within an event is the end of it."""
    told: list[WatchEvent | OSError] = []

    def once(event: WatchEvent | OSError) -> None:
        told.append(event)
        cancel()

    cancel = env.watch(str(tmp_path), once)
    for name in "abc":
        (tmp_path / name).write_bytes(b"")

    run_until(env, lambda: bool(told))
    cancel()

    assert len(told) == 1


def test_a_watch_that_another_one_cancels_tells_nothing(
    env: RealEnvironment, tmp_path: Path
) -> None:
    """Whichever is told first ends the other, although both can be read."""
    told: list[WatchEvent | OSError] = []
    cancels: list[Callable[[], None]] = []

    def once(event: WatchEvent | OSError) -> None:
        told.append(event)
        for cancel in cancels:
            cancel()

    for name in "ab":
        (tmp_path / name).mkdir()
        cancels.append(env.watch(str(tmp_path / name), once))
        (tmp_path / name / "x").write_bytes(b"")

    run_until(env, lambda: bool(told))

    assert len(told) == 1


def test_a_timer_that_another_one_cancels_is_not_called(env: RealEnvironment) -> None:
    """Both are due at once; the second one is cancelled by the first."""
    told: list[str] = []
    cancels: list[Callable[[], None]] = []

    def cancel() -> None:
        cancels[0]()

    env.clock.call_later(0, cancel)
    cancels.append(env.clock.call_later(0, lambda: told.append("never")))
    env.clock.call_later(0, lambda: told.append("last"))

    run_until(env, lambda: bool(told))

    assert told == ["last"]


def test_watch_of_what_is_missing_raises_at_once(
    env: RealEnvironment, tmp_path: Path
) -> None:
    """And leaves nothing open."""
    before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(FileNotFoundError):
        env.watch(str(tmp_path / "gone"), lambda event: None)

    assert len(os.listdir("/proc/self/fd")) == before


def test_close_gives_everything_back(tmp_path: Path) -> None:
    """Files that were opened are closed."""
    before = len(os.listdir("/proc/self/fd"))
    env = RealEnvironment(lambda update: None)
    env.watch(str(tmp_path), lambda event: None)

    env.close()

    assert len(os.listdir("/proc/self/fd")) == before


def test_ask_answers_values_and_functions() -> None:
    """What nobody answers is an error that names the question."""
    answers = {"all_ready": True, "seen_all_sources": lambda seen: seen == {"file"}}
    with closing(RealEnvironment(lambda update: None, answers=answers)) as env:
        assert env.ask("all_ready") is True
        assert env.ask("seen_all_sources", {"file"}) is True
        with pytest.raises(LookupError, match="node_has_synced"):
            env.ask("node_has_synced")


class Server:
    """
    Answers one connection after the other with raw bytes; ``None`` stays silent.

    At its end it waits for nobody: a request that was given up may never have come.
    """

    def __init__(self, *answers: bytes | None) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._answers = answers
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.asked: list[bytes] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/pods"

    def __enter__(self) -> Server:  # noqa: PYI034 - Self is new in 3.11
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # it has been closed meanwhile
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(LIMIT_NS / SECOND_NS)
        assert not self._thread.is_alive()

    def _work(self) -> None:
        with self._listener, suppress(OSError):
            for answer in self._answers:
                connection, _ = self._listener.accept()
                with connection:
                    connection.settimeout(LIMIT_NS / SECOND_NS)
                    self.asked.append(_head(connection))
                    if answer is None:
                        connection.recv(1)  # until the client gives up
                    else:
                        connection.sendall(answer)


def drip(head: bytes) -> tuple[str, threading.Thread]:
    """
    Answer *head*, then a byte at a time for as long as anybody listens.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def work() -> None:
        listener.settimeout(LIMIT_NS / SECOND_NS)
        connection, _ = listener.accept()
        with listener, connection, suppress(OSError):
            _head(connection)
            connection.sendall(head)
            connection.settimeout(0.01)
            while True:
                connection.sendall(b"x")
                with suppress(TimeoutError):
                    if not connection.recv(1):
                        return

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/pods", thread


def _head(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        part = connection.recv(4096)
        if not part:
            raise ConnectionAbortedError(head)
        head += part
    return head


def fetch(
    env: RealEnvironment,
    url: str,
    headers: tuple[tuple[str, str], ...] = (),
    timeout_ns: int = LIMIT_NS,
) -> Reply | OSError:
    done: list[Reply | OSError] = []
    env.fetch(url, headers, timeout_ns, done.append)
    run_until(env, lambda: bool(done))
    return done[0]


def test_fetch_sends_the_headers_as_they_are_and_tells_the_reply(
    env: RealEnvironment,
) -> None:
    """Several values of a name stay several; nothing is unpacked or followed."""
    answer = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nhi"
    headers = (("X-Tok", "a"), ("X-Tok", "b"), ("User-Agent", "u/1"))

    with Server(answer) as server:
        reply = fetch(env, server.url, headers)

    assert isinstance(reply, Reply)
    assert (reply.status, reply.body) == (302, b"hi")
    assert ("Location", "/x") in reply.headers
    lines = server.asked[0].split(b"\r\n")
    assert lines[0] == b"GET /pods HTTP/1.1"
    assert [line for line in lines if line.startswith(b"X-Tok")] == [
        b"X-Tok: a",
        b"X-Tok: b",
    ]
    assert b"User-Agent: u/1" in lines
    assert not [line for line in lines if line.startswith(b"Accept-Encoding")]


def test_fetch_of_a_packed_body_is_left_packed(env: RealEnvironment) -> None:
    """Unpacking is the source's business."""
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"
    )

    with Server(answer) as server:
        reply = fetch(env, server.url)

    assert isinstance(reply, Reply)
    assert reply.body == b"abc"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"rubbish\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
    ids=["closed", "cut", "rubbish", "cut chunk"],
)
def test_fetch_of_a_broken_answer_is_an_error(
    env: RealEnvironment, answer: bytes
) -> None:
    """A cut body is never taken for a whole one."""
    with Server(answer) as server:
        outcome = fetch(env, server.url)

    assert isinstance(outcome, OSError)


def test_fetch_that_gets_no_answer_in_time_is_an_error(env: RealEnvironment) -> None:
    """The limit is for all of it."""
    with Server(None) as server:
        outcome = fetch(env, server.url, timeout_ns=50_000_000)

    assert isinstance(outcome, TimeoutError)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nX-Long: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n",
    ],
    ids=["head", "body"],
)
def test_fetch_of_a_server_that_drips_ends_in_time(
    env: RealEnvironment, head: bytes
) -> None:
    """Each byte is in time, the whole isn't; the connection is cut, no thread stays."""
    url, server = drip(head)

    outcome = fetch(env, url, timeout_ns=100_000_000)
    server.join(LIMIT_NS / SECOND_NS)
    clients = [each for each in threading.enumerate() if each.name == "podsource-get"]
    for client in clients:
        client.join(LIMIT_NS / SECOND_NS)

    assert isinstance(outcome, TimeoutError)
    assert not server.is_alive()
    assert not any(client.is_alive() for client in clients)


def test_fetch_of_an_endless_body_is_cut_off() -> None:
    """What the kubelet's limit refuses anyway isn't kept."""
    body = b"x" * 100_000
    env = RealEnvironment(lambda update: None, max_body_bytes=1000)

    with Server(b"HTTP/1.1 200 OK\r\n\r\n" + body) as server, closing(env):
        reply = fetch(env, server.url)

    assert isinstance(reply, Reply)
    assert 1000 <= len(reply.body) < len(body)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://[::1", "http:///x"])
def test_fetch_of_what_can_not_be_reached_is_an_error(
    env: RealEnvironment, url: str
) -> None:
    """A URL of no known form is an error like a refused connection."""
    assert isinstance(fetch(env, url), OSError)


def test_a_cancelled_fetch_tells_nothing(env: RealEnvironment) -> None:
    """Neither the reply nor the time limit comes."""
    told: list[Reply | OSError] = []
    done: list[int] = []

    with Server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as server:
        env.fetch(server.url, (), 20_000_000, told.append)()
        env.clock.call_later(60_000_000, lambda: done.append(1))
        run_until(env, lambda: bool(done))

    assert told == []


def test_there_is_no_apiserver(env: RealEnvironment) -> None:
    """Lists fail and watches end, so that a source can say so."""
    told: list[object] = []
    env.list_pods(told.append)
    env.watch_pods("1", told.append)

    run_until(env, lambda: len(told) == 2)

    assert isinstance(told[0], OSError)
    assert told[1] is None


def test_the_reference_runs_on_it(
    env: RealEnvironment, updates: list[SourceUpdate | PodUpdate], tmp_path: Path
) -> None:
    """A manifest that is placed is told at once."""
    from pytest_podsource import reference  # noqa: PLC0415 - one test needs it

    source = reference.new_file_source(Config(path=str(tmp_path)), env)
    source.start()
    run_until(env, lambda: bool(updates))
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}"
    (tmp_path / ".a").write_text(f"# yaml\n{pod}")
    env.clock.call_later(1_000_000, lambda: os.replace(tmp_path / ".a", tmp_path / "a"))

    run_until(env, lambda: len(updates) == 2)
    source.stop()

    assert [len(update.pods) for update in updates] == [0, 1]


def _short(event: WatchEvent | OSError) -> tuple[str, str]:
    assert isinstance(event, WatchEvent)
    return os.path.basename(event.path), "|".join(sorted(event.ops))
