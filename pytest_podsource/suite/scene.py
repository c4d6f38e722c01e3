"""
``given``: how the world of a case looks before its first step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from pytest_podsource.contract import SECOND_NS, Config
from pytest_podsource.core.durations import parse_ns
from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.content import headers, render, reply
from pytest_podsource.suite.pods import for_object
from pytest_podsource.world.base import Scene

_SETTINGS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "node_name": ("node_name", str),
    "path": ("path", str),
    "url": ("url", str),
    "period": ("period_ns", parse_ns),
    "headers": ("headers", headers),
    "sources": ("sources", tuple),
    "mode": ("mode", str),
    "initial": ("initial_ns", parse_ns),
    "max": ("max_ns", parse_ns),
    "jitter_factor": ("jitter_factor", float),
    "expires_after": ("expires_after_ns", parse_ns),
    "sync_period": ("sync_period_ns", parse_ns),
    "gates": ("gates", dict),
}
SETTINGS = frozenset(_SETTINGS)
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def settings(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """
    Return the fields of ``Config`` that *given* says, by their names there.

    Raises:
        CaseError: A value can't be one.
    """
    found = {}
    for key in given.keys() & SETTINGS:
        name, convert = _SETTINGS[key]
        try:
            found[name] = convert(given[key])
        except (ValueError, TypeError, AttributeError) as error:
            raise CaseError(where, f"{key} can't be {given[key]!r}: {error}") from None
    return found


def scene_of(case: Case, *, kubelet: str, seed: int = 0) -> Scene:
    """
    Return what *case* begins with.

    Args:
        case: The case.
        kubelet: The kubelet to behave like.
        seed: Permutes what happens at one instant.

    Raises:
        CaseError: Its ``given`` can't be made.
    """
    given, where = case.given, f"{case.path}, given"
    implied = {"sources": sources_of(case)} if case.component == "sources" else {}
    config = Config(kubelet=kubelet, **settings({**given, **implied}, where))
    watch, api = given.get("watch") or {}, given.get("api") or {}
    return Scene(
        config=config,
        files={n: render(c, where) for n, c in (given.get("files") or {}).items()},
        dir=given.get("dir", "exists"),
        user=given.get("user", ""),
        replies=[reply(each, where) for each in given.get("replies") or ()],
        pods=[for_object(each) for each in api.get("pods") or ()],
        streams=api.get("streams", False),
        answers=given.get("answers") or {},
        watch_fails=watch.get("fails", ""),
        watch_fails_times=watch.get("times"),
        wall_ns=_wall(given.get("wall", "2024-01-01T00:00:00Z"), where),
        seed=seed,
    )


def sources_of(case: Case) -> tuple[str, ...]:
    """
    Return the sources of a case of ``sources``: those that there is something for.
    """
    hints = {
        "file": ("files", "dir", "path"),
        "http": ("replies", "url"),
        "api": ("api",),
    }
    found = [
        name for name, keys in hints.items() if any(key in case.given for key in keys)
    ]
    return tuple(case.given.get("sources") or found or ["file"])


def _wall(text: str, where: str) -> int:
    """
    Return the nanoseconds since 1970 of *text*, with up to nine digits of a second.
    """
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    try:
        since = datetime.fromisoformat(f"{seconds}+00:00") - _EPOCH
        nanoseconds = int(fraction.ljust(9, "0")) if fraction else 0
    except ValueError:
        raise CaseError(
            where, f"wall can't be {text!r}. Right would be 2024-01-01T00:00:00Z."
        ) from None
    whole = since.days * 86_400 + since.seconds
    return whole * SECOND_NS + nanoseconds
