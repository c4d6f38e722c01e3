"""
What is wrong with a case that loads: said before anything runs it.

Rule 1: each finding is one sentence with file and step. Rule 2: nothing here runs an
implementation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pytest_podsource.exceptions import CaseError
from pytest_podsource.known import KUBELETS
from pytest_podsource.suite.calls import call_of
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.expect import OPERATIONS
from pytest_podsource.suite.scene import scene_of, sources_of
from pytest_podsource.suite.steps import (
    WORLD,
    Step,
    for_world,
    steps_of,
    update_to_deliver,
    update_to_send,
)
from pytest_podsource.suite.story import Origins
from pytest_podsource.suite.variables import names_in

_UID = re.compile(r"\b[0-9a-f]{32}\b")
_ID = re.compile(r"(own/)?[a-z]+(/[a-z0-9][a-z0-9.-]*)+(:[a-z0-9][a-z0-9.-]*)?\Z")


def lint(cases: Iterable[Case], origins: Origins) -> list[str]:
    """
    Return the findings on *cases*, empty if all are sound.

    Args:
        cases: The cases, all that have ids of one space.
        origins: The tables that facts and reports are looked up in.
    """
    found: list[str] = []
    seen: set[str] = set()
    rows: dict[tuple[str, str], str] = {}
    for case in cases:
        if case.id in seen:
            found.append(f"{case.path}: the id {case.id} is there twice.")
        seen.add(case.id)
        body = json.dumps([case.given, case.steps], sort_keys=True, default=str)
        first = rows.setdefault((case.file_id, body), case.row)
        if first != case.row:
            found.append(
                f"{case.path}: row {case.row} does what row {first} does. Put what "
                "differs in as ${name}."
            )
        found += _findings(case, origins)
    return list(dict.fromkeys(found))


def _findings(case: Case, origins: Origins) -> Iterator[str]:
    if not _ID.match(case.id):
        yield f"{case.path}: {case.id} is no id. Use small letters, digits, '-', '.'."
    yield from _unknown(case, "fact", case.facts, origins.facts)
    yield from _unknown(case, "report", case.reports, origins.reports)
    try:
        scene_of(case, kubelet=_newest(case))
        steps = steps_of(case)
        for step in steps:
            _convert(step, case.component)
    except CaseError as error:
        yield str(error)
        return
    yield from _variables(case, steps)
    for step in steps:
        for rule in _RULES:
            yield from rule(case, step)
    if any(step.expectations.get("spins") for step in steps[:-1]):
        yield f"{case.path}: 'spins' ends the case. Leave out the steps after it."


def _unknown(
    case: Case, kind: str, ids: Iterable[str], known: Mapping[str, Any]
) -> Iterator[str]:
    for each in ids:
        if each not in known:
            yield f"{case.path}, {kind}s: there is no {kind} {each}."


def _newest(case: Case) -> str:
    return next((k for k in reversed(KUBELETS) if case.holds_for(k)), KUBELETS[-1])


def _convert(step: Step, component: str) -> None:
    if step.verb in (*WORLD, "advance"):
        for_world(step)
    elif step.verb == "call":
        call_of(step, component, now_ns=0)
    elif step.verb == "send":
        update_to_send(step)
    elif step.verb == "deliver":
        update_to_deliver(step)


def _variables(case: Case, steps: Iterable[Step]) -> Iterator[str]:
    local = _vars_in(case.given)
    for step in steps:
        local |= _vars_in(step.argument)
    for step in steps:
        open_names = names_in([step.argument, dict(step.expectations)]) - local
        for name in sorted(open_names):
            yield f"{step.where}: the variable {name!r} is nowhere given."
    for name in sorted(names_in(dict(case.given)) - local):
        yield f"{case.path}, given: the variable {name!r} is nowhere given."


def _vars_in(value: Any) -> set[str]:
    """
    Return the names that contents within *value* put in for themselves.
    """
    if isinstance(value, Mapping):
        own = set(value["vars"]) if isinstance(value.get("vars"), Mapping) else set()
        return own.union(*(_vars_in(each) for each in value.values()))
    if isinstance(value, list):
        return set().union(*(_vars_in(each) for each in value))
    return set()


def _no_literal_uids(case: Case, step: Step) -> Iterator[str]:
    if _UID.search(json.dumps(dict(step.expectations))):
        yield f"{step.where}: a UID is expected literally. Bind it: uid: $u."


def _any_order(case: Case, step: Step) -> Iterator[str]:
    """
    Sets of directories and of the apiserver come in the order of a map, since 1.20.
    """
    if not any(case.holds_for(kubelet) for kubelet in KUBELETS[1:]):
        return
    for entry in _updates(step.expectations.get("expect")):
        for op in OPERATIONS & entry.keys():
            several = isinstance(entry[op], list) and len(entry[op]) > 1
            if several and _is_unordered(case, op, entry.get("source")):
                yield f"{step.where}: the order of {op} is open. Say any_order."


def _is_unordered(case: Case, op: str, source: str | None) -> bool:
    if op == "REMOVE":
        return True
    if case.component == "sources":
        return source != "http" and set(sources_of(case)) != {"http"}
    return case.component in {"file", "api"}


def _updates(stream: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(stream, list):
        for each in stream:
            yield from _updates(each)
    elif isinstance(stream, Mapping) and stream.keys() & OPERATIONS:
        yield stream
    elif isinstance(stream, Mapping):
        for inner in stream.values():
            yield from _updates(inner)


_RULES: tuple[Callable[[Case, Step], Iterator[str]], ...] = (
    _no_literal_uids,
    _any_order,
)
