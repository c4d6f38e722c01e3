"""
The channels and the buffer: who waits for whom.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pytest_podsource.contract import PodUpdate, SourceUpdate
from pytest_podsource.core.mux import BUFFER, Mux


class Reader:
    """A reader that takes nothing until it is told to."""

    def __init__(self, *, held: bool) -> None:
        self.held = held
        self.got: list[str] = []
        self._offered: list[tuple[PodUpdate, Callable[[], None]]] = []

    def send(self, update: PodUpdate, taken: Callable[[], None]) -> None:
        self._offered.append((update, taken))
        if not self.held:
            self.take()

    def take(self) -> None:
        update, taken = self._offered.pop(0)
        self.got.append(update.source)
        taken()

    def release(self) -> None:
        self.held = False
        while self._offered:
            self.take()


def output(label: str) -> PodUpdate:
    return PodUpdate(op="ADD", source=label, pods=())


def message(label: str) -> SourceUpdate:
    return SourceUpdate(source=label, pods=())


def echo(update: SourceUpdate) -> list[PodUpdate]:
    return [output(update.source)]


def test_send_offers_one_output_at_a_time() -> None:
    """The next is offered when the reader has taken the one before."""
    reader = Reader(held=True)
    put = Mux(reader.send).listen(echo)

    put(message("1"))
    put(message("2"))
    put(message("3"))
    reader.take()
    reader.take()

    assert reader.got == ["1", "2"]


def test_outputs_of_one_merge_stay_together() -> None:
    """A second source's merge waits until the first has delivered all."""
    reader = Reader(held=True)
    mux = Mux(reader.send)
    many = mux.listen(lambda update: [output(f"a{i}") for i in range(BUFFER + 5)])
    one = mux.listen(echo)

    many(message("a"))
    one(message("b"))
    reader.release()

    assert reader.got == [f"a{i}" for i in range(BUFFER + 5)] + ["b"]


def test_full_buffer_takes_one_more_message_of_each_source() -> None:
    """The one that the reader looks at is among the 50; after that all sources wait."""
    reader = Reader(held=True)
    mux = Mux(reader.send)
    file, http = mux.listen(echo), mux.listen(echo)
    taken: list[str] = []

    for number in range(BUFFER):
        file(message("file"), partial(taken.append, f"f{number}"))
    before = len(taken)
    file(message("file"), lambda: taken.append("f-last"))
    http(message("http"), lambda: taken.append("h1"))
    http(message("http"), lambda: taken.append("h2"))
    file(message("file"), lambda: taken.append("f-late"))

    assert before == BUFFER
    assert taken[BUFFER:] == ["f-last", "h1"]

    reader.take()
    assert taken[BUFFER:] == ["f-last", "h1", "f-late"]
    reader.take()
    assert taken[BUFFER:] == ["f-last", "h1", "f-late", "h2"]
    reader.release()
    assert reader.got[BUFFER:] == ["file", "http", "file", "http"]


def test_merge_without_output_doesnt_block() -> None:
    """With a full buffer, messages that change nothing go on being merged."""
    reader = Reader(held=True)
    mux = Mux(reader.send)
    many = mux.listen(lambda update: [output("a")] * BUFFER)
    silent = mux.listen(lambda update: [])
    taken: list[int] = []

    many(message("a"))
    for number in range(3):
        silent(message("b"), partial(taken.append, number))

    assert taken == [0, 1, 2]


def test_run_locked_waits_for_its_turn() -> None:
    """What is asked for while a merge holds the lock is delivered after it."""
    reader = Reader(held=True)
    mux = Mux(reader.send)
    many = mux.listen(lambda update: [output("a")] * (BUFFER + 1))

    many(message("a"))
    mux.run_locked(lambda: [output("sync")])
    reader.release()

    assert reader.got == ["a"] * (BUFFER + 1) + ["sync"]


def test_reader_that_sends_from_within_is_served_afterwards() -> None:
    """A message put while an output is being read comes after what is under way."""
    got: list[str] = []

    def read(update: PodUpdate, taken: Callable[[], None]) -> None:
        got.append(update.source)
        taken()
        if update.source == "first":
            put(message("second"))

    put = Mux(read).listen(lambda update: [output(update.source), output("end")])

    put(message("first"))

    assert got == ["first", "end", "second", "end"]


def test_many_messages_dont_recurse() -> None:
    """A release after 5,000 waiting messages doesn't reach the recursion limit."""
    reader = Reader(held=True)
    put = Mux(reader.send).listen(echo)
    for _ in range(5_000):
        put(message("a"))

    reader.release()

    assert len(reader.got) == 5_000
