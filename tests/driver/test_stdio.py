"""
The stdio driver: what a program says, and whose fault it is when it says it badly.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.contract import (
    Cancel,
    Config,
    LogLevel,
    Pod,
    PodUpdate,
    Refused,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.driver.base import Follower
from pytest_podsource.driver.stdio import StdioConnection, StdioDriver, launch
from pytest_podsource.exceptions import CannotLoad, Crashed, DriverError, TimedOut

ODD = Path(__file__).with_name("odd_adapter.py")
LIMIT_S = 5.0


class Scribe:
    """
    A host and environment that writes down what it is told.
    """

    seed = 7
    user = ""

    def __init__(self) -> None:
        self.said: list[tuple[Any, ...]] = []
        self.time_ns = 0
        self.jumped_ns = 0
        self.replies: list[Callable[[Reply | OSError], None]] = []

    @property
    def env(self) -> Scribe:
        return self

    @property
    def clock(self) -> Scribe:
        return self

    def now_ns(self) -> int:
        return 1_000 + self.time_ns + self.jumped_ns

    def monotonic_ns(self) -> int:
        return self.time_ns

    def call_later(self, delay_ns: int, callback: Callable[[], None]) -> Cancel:
        raise NotImplementedError

    def follow(self, follower: Follower) -> None:
        self.said.append(("follow", follower))

    def reached(self, at_ns: int) -> None:
        self.time_ns = at_ns

    def acting(self) -> AbstractContextManager[None]:
        return nullcontext()

    def send(
        self,
        update: SourceUpdate | PodUpdate,
        taken: Callable[[], None] | None = None,
    ) -> None:
        self.said.append(("send", self.time_ns, update))

    def watch(
        self, path: str, on_event: Callable[[WatchEvent | OSError], None]
    ) -> Cancel:
        raise FileNotFoundError(2, "No such file or directory", path)

    def fetch(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        timeout_ns: int,
        on_done: Callable[[Reply | OSError], None],
    ) -> Cancel:
        self.replies.append(on_done)
        return lambda: None

    def list_pods(
        self,
        on_done: Callable[[dict[str, Any] | OSError], None],
        resource_version: str = "",
    ) -> Cancel:
        raise NotImplementedError

    def watch_pods(
        self,
        resource_version: str,
        on_event: Callable[[dict[str, Any] | OSError | None], None],
        *,
        initial: bool = False,
    ) -> Cancel:
        raise NotImplementedError

    def ask(self, question: str, *args: Any) -> Any:
        return f"{question}?"

    def handle(self, handler: str, pods: Sequence[Pod]) -> None:
        raise NotImplementedError

    def event(self, pod: Pod, type_: str, reason: str, message: str) -> None:
        raise NotImplementedError

    def log(self, level: LogLevel, message: str, **fields: Any) -> None:
        self.said.append((level, message))


def command(oddity: str) -> str:
    return shlex.join([sys.executable, str(ODD), oddity])


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


@pytest.fixture
def start() -> Iterator[Callable[..., StdioDriver]]:
    started: list[StdioDriver] = []

    def start_one(oddity: str = "", limit_s: float = LIMIT_S) -> StdioDriver:
        started.append(launch(command(oddity), "1.37", limit_s))
        return started[-1]

    yield start_one
    for driver in started:
        driver.close()


@pytest.fixture
def lifeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A pipe that a child of the program holds open for as long as it lives."""
    path = tmp_path / "lifeline"
    os.mkfifo(path)
    monkeypatch.setenv("ODD_LIFELINE", str(path))
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield descriptor
    os.close(descriptor)


Start = Callable[..., StdioDriver]


def backoff(driver: StdioDriver, scribe: Scribe) -> StdioConnection:
    connection = driver.connect(scribe)
    connection.new("backoff", Config())
    return connection


def test_offer_is_what_the_program_says(start: Start) -> None:
    """The offer carries name, components, features and abilities."""
    offer = start().offer

    assert offer.name == "odd"
    assert offer.components == {"backoff", "file", "http", "podconfig"}
    assert offer.features == frozenset({"logs"})
    assert offer.kubelet is None


def test_call_gives_the_value(start: Start, scribe: Scribe) -> None:
    """Arguments go by the contract's names, less a last underscore."""
    value = backoff(start(), scribe).call("backoff", "get", {"id_": "kä"})

    assert value.startswith("kä")


def test_a_crash_inside_leaves_the_process_alive(start: Start, scribe: Scribe) -> None:
    """The error of the implementation is told, and the next call is answered."""
    driver = start()
    connection = backoff(driver, scribe)
    pid = driver.pid

    with pytest.raises(Crashed, match="next raised no such luck"):
        connection.call("backoff", "next", {"id_": "a", "event_ns": 0})

    assert connection.call("backoff", "gc", {}) is None
    assert driver.pid == pid


def test_refused_keeps_reason_and_parsed(start: Start, scribe: Scribe) -> None:
    """A refusal comes as the contract's Refused."""
    connection = start().connect(scribe)

    with pytest.raises(Refused) as caught:
        connection.new("file", Config(path="/refused"))

    assert (caught.value.reason, caught.value.parsed) == ("not there", True)


def test_requests_of_the_program_are_answered_while_it_works(
    start: Start, scribe: Scribe
) -> None:
    """A watch that can't be made is told with its errno; a question is answered."""
    connection = start().connect(scribe)

    value = connection.call("file", "start", {})

    assert value == "node_has_synced?"
    assert "'errno': 2" in scribe.said[-1][1]


def test_what_comes_while_the_clock_moves_has_its_own_time(
    start: Start, scribe: Scribe
) -> None:
    """The host's clock is moved to each ``at_ns`` before the word is carried out."""
    connection = start().connect(scribe)

    reached = connection.advance_to(20)

    assert reached == 20
    assert scribe.said[-1] == ("send", 19, SourceUpdate(source="file", pods=()))


def test_replies_of_the_world_reach_the_program(start: Start, scribe: Scribe) -> None:
    """A reply is told as a notification, followed by a settle."""
    connection = start().connect(scribe)
    connection.advance_to(20)

    scribe.replies[0](Reply(status=200, body=b"a"))
    scribe.replies[0](ConnectionRefusedError("no"))

    assert '"body":"YQ=="' in scribe.said[-2][1]
    assert '"kind":"refused"' in scribe.said[-1][1]


def test_hold_and_jump_are_told(start: Start, scribe: Scribe) -> None:
    """The program learns that nobody reads; a moved wall clock is told on the way."""
    connection = start().connect(scribe)

    connection.hold(held=True)
    connection.hold(held=False)

    assert ["reader/hold" in scribe.said[-2][1], "reader/release" in scribe.said[-1][1]]


def test_a_jump_of_the_wall_clock_is_told_before_the_next_request(
    start: Start, scribe: Scribe
) -> None:
    """The program's wall clock follows that of the host."""
    connection = start().connect(scribe)
    scribe.jumped_ns = -5

    connection.settle()

    assert scribe.said[-1] == ("info", "jump {'by_ns': -5}")


def test_taken_is_known_by_set(start: Start, scribe: Scribe) -> None:
    """Each set that was put on a channel can be asked after."""
    connection = start().connect(scribe)

    taken = connection.send(SourceUpdate(source="file", pods=({"spec": {}},)))

    assert taken()


@pytest.mark.parametrize(
    ("oddity", "text"),
    [
        ("exit", "exit code 3"),
        ("hang", "no answer within 0.5 s"),
        ("version-2", "protocol 2, not 1"),
    ],
)
def test_a_program_that_cannot_begin_is_the_harness_fault(
    oddity: str, text: str, start: Start, lifeline: int
) -> None:
    """What goes wrong before a case begins is no verdict on an implementation."""
    with pytest.raises(DriverError, match=text):
        start(oddity, limit_s=0.5 if oddity == "hang" else LIMIT_S)


@pytest.mark.parametrize(
    ("oddity", "text"),
    [
        ("rubbish", "'Starting up...' is not a message"),
        ("flood", "more than 100000 messages"),
        ("answers-nothing", "answered 99, which nobody asked"),
        ("unknown-word", "'env/frob' is no word of an adapter"),
        ("bad-word", "its params lack 'op'"),
    ],
)
def test_a_broken_protocol_is_the_adapters_fault(
    oddity: str, text: str, start: Start, scribe: Scribe
) -> None:
    """The message says what came and shows the end of standard error."""
    driver = start(oddity, limit_s=60)
    connection = backoff(driver, scribe)

    with pytest.raises(DriverError, match=text) as caught:
        connection.call("backoff", "get", {"id_": "a"})

    assert "last words" in str(caught.value)


@pytest.mark.parametrize(
    ("oddity", "text"),
    [("exit-in-call", "exit code 3"), ("abort", "signal 6")],
)
def test_a_death_in_a_case_is_a_crash_and_the_next_case_runs(
    oddity: str, text: str, start: Start, scribe: Scribe
) -> None:
    """A new process is started for the next case."""
    driver = start(oddity)
    connection = backoff(driver, scribe)
    pid = driver.pid

    with pytest.raises(Crashed, match=text) as caught:
        connection.call("backoff", "get", {"id_": "a"})
    connection.close()
    backoff(driver, scribe).close()

    assert "last words" in caught.value.trace
    assert driver.pid != pid


def test_a_program_that_has_died_does_nothing_more(
    start: Start, scribe: Scribe
) -> None:
    """A case may expect the death, and look at what comes of it: nothing."""
    connection = backoff(start("exit-in-call"), scribe)
    with pytest.raises(Crashed):
        connection.call("backoff", "get", {"id_": "a"})

    connection.settle()
    connection.hold(held=True)

    assert connection.advance_to(5) == 5


def test_silence_is_a_timeout_and_ends_what_the_program_started(
    start: Start, scribe: Scribe, lifeline: int
) -> None:
    """The whole process group is gone afterwards: nobody holds its pipe any more."""
    connection = backoff(start("hang-in-call", limit_s=0.5), scribe)

    with pytest.raises(TimedOut, match=r"get: no answer within 0\.5 s"):
        connection.call("backoff", "get", {"id_": "a"})

    os.set_blocking(lifeline, True)
    assert os.read(lifeline, 1) == b""


def test_a_line_without_end_is_given_up(
    start: Start, scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The suite's memory is not the program's to fill."""
    monkeypatch.setattr("pytest_podsource.driver.child.LINE_LIMIT", 1_000_000)
    connection = backoff(start("endless-line"), scribe)

    with pytest.raises(DriverError, match="a line without end"):
        connection.call("backoff", "get", {"id_": "a"})


def test_a_list_of_other_pods_is_the_implementations_fault(
    start: Start, scribe: Scribe
) -> None:
    """It is always the node's own pods that are listed and watched."""
    connection = backoff(start("wrong-selector"), scribe)

    with pytest.raises(Crashed, match=r"'x' instead of 'spec\.nodeName=node1'"):
        connection.call("backoff", "get", {"id_": "a"})


def test_a_clock_that_goes_back_is_the_adapters_fault(
    start: Start, scribe: Scribe
) -> None:
    """The time reached must lie between now and the target."""
    connection = start("backwards").connect(scribe)

    with pytest.raises(DriverError, match="went from 0 to -5 ns"):
        connection.advance_to(20)


def test_a_death_at_the_end_of_a_world_is_told(start: Start, scribe: Scribe) -> None:
    """Ending a case is a call like another."""
    connection = start("exit-at-the-end").connect(scribe)

    with pytest.raises(Crashed, match="the end of the world raised"):
        connection.close()


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("", "names no program"),
        ("'open", "can't be split into words"),
        ("/no/such/program --x", "can't be started: No such file or directory"),
    ],
)
def test_a_target_that_is_no_program_cannot_be_loaded(target: str, text: str) -> None:
    """The message says what to give instead."""
    with pytest.raises(CannotLoad, match=text):
        launch(target, "1.37")


def test_close_lets_the_program_end_by_itself() -> None:
    """After close the process is gone."""
    with closing(launch(command(""), "1.37")) as driver:
        pid = driver.pid

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
