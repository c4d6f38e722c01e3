"""
``call``: which component a method belongs to, and its arguments as Python values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_podsource.core.durations import parse_ns
from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.content import KINDS, MODIFIERS, render
from pytest_podsource.suite.scene import SETTINGS, settings
from pytest_podsource.suite.steps import Step

METHODS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "backoff": {
        "next": ("id", "at"),
        "get": ("id",),
        "reset": ("id",),
        "delete_entry": ("id",),
        "gc": (),
        "is_in_backoff_since": ("id", "at"),
        "is_in_backoff_since_update": ("id", "at"),
    },
    "diff": {"diff_snapshots": ("old", "new")},
    "manifest": {"decode_manifest": ("data",), "decode_manifest_list": ("data",)},
    "sources": {"seen_all_sources": ("seen",)},
    "podconfig": {
        "channel": ("source",),
        "seen_all_sources": ("seen",),
        "sync": (),
    },
    "ready": {"add_source": ("source",), "all_ready": ()},
    "flags": {"parse_flags": ("argv",), "parse_config": ("data",)},
}
FUNCTIONS = frozenset(
    {"decode_manifest", "decode_manifest_list", "parse_flags", "parse_config"}
)
POD_METHODS = frozenset({"decode_manifest", "decode_manifest_list"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    A call as a connection takes it.

    Attributes:
        component: Whose method it is.
        method: Its name.
        arguments: By the names of the contract, without ``config``.
        config: Fields of ``Config`` for this call of a function; else ``None``.
    """

    component: str
    method: str
    arguments: Mapping[str, Any]
    config: Mapping[str, Any] | None = None


def call_of(step: Step, component: str, now_ns: int) -> Call:
    """
    Return what ``call`` calls.

    Args:
        step: A step with that verb.
        component: The case's own; its methods come first.
        now_ns: What times in the call are relative to.

    Raises:
        CaseError: No component has that method, or it has other arguments.
    """
    method, given = _method(step)
    owner = owner_of(method, component)
    if owner is None:
        known = sorted({name for methods in METHODS.values() for name in methods})
        raise CaseError(
            step.where, f"{method!r} is no method. Known: {', '.join(known)}."
        )
    named = _by_name(given, METHODS[owner][method])
    config = _split_config(named, step) if method in FUNCTIONS else None
    return Call(
        component=owner,
        method=method,
        arguments=dict(_converted(named, owner, method, now_ns, step.where)),
        config=config,
    )


def owner_of(method: str, component: str) -> str | None:
    """
    Return the component whose *method* is meant in a case of *component*.
    """
    owners = [name for name, methods in METHODS.items() if method in methods]
    return component if component in owners else next(iter(reversed(owners)), None)


def _method(step: Step) -> tuple[str, Any]:
    if isinstance(step.argument, str):
        return step.argument, None
    if not isinstance(step.argument, Mapping) or len(step.argument) != 1:
        raise CaseError(step.where, "call takes one method: {method: argument}.")
    ((method, given),) = step.argument.items()
    return method, given


def _by_name(given: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, Mapping) and names != ("data",):
        extra = SETTINGS if names == ("argv",) else frozenset()
        if given.keys() <= {*names, *extra}:
            return dict(given)
    return {names[0]: given} if names else {}


def _split_config(named: dict[str, Any], step: Step) -> dict[str, Any]:
    """
    Take the fields of Config from beside the content, or from beside ``argv``.
    """
    beside = named.get("data", named)
    found = settings(beside, step.where)
    if "data" in named:
        content = {k: v for k, v in beside.items() if k in (*KINDS, *MODIFIERS)}
        named["data"] = render(content, step.where)
    return found


def _converted(
    named: Mapping[str, Any], owner: str, method: str, now_ns: int, where: str
) -> Iterator[tuple[str, Any]]:
    for name in METHODS[owner][method]:
        if name == "at":
            yield "event_ns", now_ns + _relative(named.get("at", "0s"), where)
        elif name not in named:
            raise CaseError(where, f"{method} needs {name!r}.")
        elif name == "id":
            yield "id_", named["id"]
        elif name == "seen":
            yield "seen", frozenset(named["seen"] or ())
        else:
            yield name, named[name]


def _relative(text: Any, where: str) -> int:
    try:
        return parse_ns(text)
    except (ValueError, TypeError) as error:
        raise CaseError(where, str(error)) from None
