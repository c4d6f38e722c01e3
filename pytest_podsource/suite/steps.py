"""
Steps: one verb each, rounds spelled out, arguments as the world takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from pytest_podsource.contract import Operation, PodUpdate, SourceUpdate
from pytest_podsource.core.durations import parse_ns
from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.content import render, reply
from pytest_podsource.suite.expect import OPERATIONS
from pytest_podsource.suite.pods import for_object
from pytest_podsource.suite.variables import put_in
from pytest_podsource.world.base import StreamName

STREAMS: tuple[StreamName, ...] = get_args(StreamName)
RESULTS = ("returns", "raises", "blocked", "spins")
CONTENTS = ("write", "append", "place")
WORLD = (
    *CONTENTS,
    "rename",
    "remove",
    "mkdir",
    "touch",
    "symlink",
    "hardlink",
    "chmod",
    "event",
    "fault",
    "replies",
    "api",
    "answer",
    "jump",
    "hold",
    "release",
)
OBJECT = ("start", "stop", "restart", "call", "send", "deliver", "close")
VERBS = (*OBJECT, *WORLD, "advance", "repeat")
WATCH_TYPES = ("ADDED", "MODIFIED", "DELETED", "BOOKMARK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    One verb, and what must be seen after it.

    Attributes:
        number: Its place in the case, from 1; all rounds of ``repeat`` share one.
        where: File and step, for errors.
        verb: One of :data:`VERBS`; empty after the last round of a ``repeat``.
        argument: As in the grammar.
        expectations: By stream or result.
    """

    number: int
    where: str
    verb: str
    argument: Any
    expectations: Mapping[str, Any] = field(default_factory=dict)


def length_ns(steps: Sequence[Step]) -> int:
    """
    Return how far *steps* move the clock on, all together.
    """
    moves = [for_world(step) for step in steps if step.verb == "advance"]
    return sum(moves)


def steps_of(case: Case) -> list[Step]:
    """
    Return the steps of *case*, each round of a ``repeat`` by itself.

    Raises:
        CaseError: A step has not exactly one verb.
    """
    return [
        step
        for number, raw in enumerate(case.steps, start=1)
        for step in _spelled_out(raw, number, f"{case.path}, step {number}")
    ]


def _spelled_out(raw: Mapping[str, Any], number: int, where: str) -> Iterator[Step]:
    verbs = [key for key in raw if key in VERBS]
    if len(verbs) != 1:
        raise CaseError(
            where,
            f"a step has one verb; here: {', '.join(verbs) or 'none'}. "
            f"Verbs are {', '.join(VERBS)}.",
        )
    expectations = {key: raw[key] for key in (*STREAMS, *RESULTS) if key in raw}
    verb = verbs[0]
    if verb != "repeat":
        argument = raw[verb]
        yield Step(
            number=number,
            where=where,
            verb=verb,
            argument=argument,
            expectations=expectations,
        )
        return
    for it in _rounds(raw, where):
        for inner in (raw["repeat"], raw.get("then")):
            if inner is not None:
                yield from _spelled_out(put_in(inner, {"it": it}), number, where)
    if expectations:
        yield Step(
            number=number,
            where=where,
            verb="",
            argument=None,
            expectations=expectations,
        )


def _rounds(raw: Mapping[str, Any], where: str) -> Sequence[Any]:
    rounds = raw.get("for")
    if isinstance(rounds, Mapping) and isinstance(rounds.get("range"), int):
        return range(rounds["range"])
    if isinstance(rounds, list):
        return rounds
    raise CaseError(where, f"'for' can't be {rounds!r}. It is a list or {{range: n}}.")


def for_world(step: Step) -> Any:
    """
    Return the argument of a world's verb: bytes, replies, pods, nanoseconds.

    Raises:
        CaseError: It can't be made.
    """
    convert = _CONVERT.get(step.verb)
    try:
        return convert(step.argument, step.where) if convert else step.argument
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise CaseError(
            step.where, f"{step.verb} can't be {step.argument!r}: {error}"
        ) from error


def _contents(argument: Mapping[str, Any], where: str) -> dict[str, bytes]:
    return {name: render(content, where) for name, content in argument.items()}


def _api(argument: Mapping[str, Any], where: str) -> dict[str, Any]:
    return {
        word: for_object(value) if word in WATCH_TYPES else value
        for word, value in argument.items()
    }


_CONVERT: Mapping[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(CONTENTS, _contents),
    "api": _api,
    "replies": lambda argument, where: [reply(each, where) for each in argument],
    "jump": lambda argument, where: parse_ns(argument),
    "advance": lambda argument, where: parse_ns(argument),
}


def update_to_send(step: Step) -> SourceUpdate:
    """
    Return what ``send`` sends.

    Raises:
        CaseError: It isn't one source with its pods.
    """
    sources = [key for key in step.argument if key != "op"]
    if len(sources) != 1:
        raise CaseError(step.where, f"send takes one source; here: {sources}.")
    pods = tuple(for_object(each) for each in step.argument[sources[0]] or ())
    op: Operation = step.argument.get("op", "SET")
    return SourceUpdate(source=sources[0], pods=pods, op=op)


def update_to_deliver(step: Step) -> PodUpdate:
    """
    Return what ``deliver`` delivers; an operation that nobody knows is fine.

    Raises:
        CaseError: It isn't one operation with its pods.
    """
    operations = [key for key in step.argument if key != "source"]
    if len(operations) != 1:
        raise CaseError(
            step.where,
            f"deliver takes one operation; here: {operations}. "
            f"Known ones are {', '.join(sorted(OPERATIONS))}.",
        )
    pods = tuple(for_object(each) for each in step.argument[operations[0]] or ())
    op: Any = operations[0]
    return PodUpdate(op=op, source=step.argument.get("source", "file"), pods=pods)
