"""
Fill the tables of the pages in ``docs/reference`` that are made from the code.

Run it after each change of a fixture, an option, a marker or a verdict; a test compares
what it makes with what is there.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from pytest_podsource import (
    BackoffCheck,
    FakeApiserver,
    ManifestDirectory,
    ManifestUrl,
    Pods,
    UncontrolledWait,
    Updates,
    VirtualClock,
    plugin,
)
from pytest_podsource.doubles.answers import SeenRequest
from pytest_podsource.doubles.apiserver import things
from pytest_podsource.doubles.apiserver.backend import SeenCall
from pytest_podsource.doubles.manifests import FileEvent
from pytest_podsource.doubles.pods import Flaw, Shape
from pytest_podsource.doubles.saves import SCRIPTS
from pytest_podsource.fixtures import SCHEMES, URLS
from pytest_podsource.options import FILESYSTEMS, OPTIONS
from pytest_podsource.suite.verdict import ERRORS, FAILURES, SKIPS, Verdict

REFERENCE = Path(__file__).resolve().parent.parent / "docs/reference"
PAGES = ("fixtures.md", "names.md", "options.md", "verdicts.md")

_BLOCK = re.compile(r"(<!-- made from (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
_ITEM = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")
# What has its place in the tables although a class that isn't public defines it.
_INHERITED = {
    "call_later",
    "change",
    "get",
    "jump",
    "mark_for_deletion",
    "monotonic_ns",
    "now_ns",
    "remove",
    "run_due",
    "sleep",
}
# What the fixtures call, and users needn't.
_INNER = {
    "answer",
    "allow",
    "is_due",
    "join",
    "leave",
    "move_to",
    "new_waiter",
    "next_due_ns",
    "refuse",
    "rest",
    "resume",
    "start",
    "stop",
    "track",
    "wait",
    "within",
}
_KINDS = {
    "BackoffCheck": BackoffCheck,
    "FakeApiserver": FakeApiserver,
    "FakeApiserver.nodes": things.Nodes,
    "FakeApiserver.pods": things.Pods,
    "FileEvent": FileEvent,
    "ManifestDirectory": ManifestDirectory,
    "ManifestUrl": ManifestUrl,
    "Pods": Pods,
    "SeenCall": SeenCall,
    "SeenRequest": SeenRequest,
    "UncontrolledWait": UncontrolledWait,
    "Updates": Updates,
    "VirtualClock": VirtualClock,
}
_ENDS = (
    (pytest.ExitCode.OK, "something passed, nothing failed, enough cases ran"),
    (
        pytest.ExitCode.TESTS_FAILED,
        "something failed; too few cases ran; a known failure passed or is unknown",
    ),
    (pytest.ExitCode.INTERRUPTED, "the run was interrupted"),
    (pytest.ExitCode.INTERNAL_ERROR, "pytest or a plugin is at fault"),
    (pytest.ExitCode.USAGE_ERROR, "an option or an argument can't be used"),
    (pytest.ExitCode.NO_TESTS_COLLECTED, "nothing was run"),
)


def filled(text: str) -> str:
    """
    Return the page *text* with its tables made anew.
    """
    made = dict(_made())
    return _BLOCK.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}", text)


def _made() -> Iterator[tuple[str, str]]:
    for name, kind in _KINDS.items():
        rows = [*_attributes(kind), *_methods(kind)]
        yield name, _table(("name", "what"), rows)
    yield "shapes", ", ".join(f"`{each}`" for each in get_args(Shape)) + "."
    yield "flaws", ", ".join(f"`{each}`" for each in get_args(Flaw)) + "."
    yield "programs", ", ".join(f"`{each}`" for each in SCRIPTS) + "."
    yield "fixtures", _table(("fixture", "scope", "gives", "what"), _fixtures())
    for group in dict.fromkeys(option.group for option in OPTIONS):
        name = group.removeprefix("podsource: ").replace(" ", "-")
        yield name, _table(("option", "ini key", "what"), _options(group))
    yield "markers", _table(("marker", "what"), _markers())
    yield "verdicts", _table(("verdict", "pytest shows", "when"), _verdicts())
    ends = [(str(int(code)), why) for code, why in _ENDS]
    yield "exit-codes", _table(("exit code", "when"), ends)


def _attributes(kind: type) -> Iterator[tuple[str, str]]:
    _, _, part = (inspect.getdoc(kind) or "").partition("Attributes:\n")
    for name, text in _ITEM.findall(part.split("\n\n")[0] + "\n"):
        yield f"`{name}`", _plain(text)


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    if called := vars(kind).get("__call__"):
        yield f"`{_signature(called)}`", _summary(called)
    for name, member in inspect.getmembers(kind):
        inner = name in _INNER and kind is not FakeApiserver
        public = not name.startswith("_") and not inner
        own = name in vars(kind) or name in _INHERITED
        if public and own and inspect.isroutine(member):
            yield f"`{name}{_signature(member)}`", _summary(member)


def _signature(member: Any) -> str:
    parameters = [
        each.replace(annotation=each.empty, default=_named(each))
        for each in inspect.signature(member).parameters.values()
        if each.name not in ("self", "cls")
    ]
    return str(inspect.Signature(parameters))


def _named(parameter: inspect.Parameter) -> Any:
    """Let a class show as its name."""
    default = parameter.default
    is_class = isinstance(default, type) and default is not parameter.empty
    return _Name(default.__name__) if is_class else default


class _Name(str):
    __slots__ = ()
    __repr__ = str.__str__


def _summary(member: Any) -> str:
    head = (inspect.getdoc(member) or "").split("\n\n")[0]
    return _plain(head)


def _fixtures() -> Iterator[tuple[str, ...]]:
    for name, fixture in sorted(vars(plugin).items()):
        if name.startswith("podsource_"):
            function = inspect.unwrap(getattr(fixture, "__wrapped__", fixture))
            scope = "session" if name == "podsource_impl" else "function"
            gives = re.sub(r"^Iterator\[(.*)\]$", r"\1", _returns(function))
            yield f"`{name}`", scope, f"`{gives}`", _summary(function)


def _returns(function: Any) -> str:
    return str(inspect.get_annotations(function)["return"])


def _options(group: str) -> Iterator[tuple[str, ...]]:
    for option in OPTIONS:
        if option.group == group:
            flag = f"{option.flag}={option.metavar}" if option.metavar else option.flag
            yield f"`{flag}`", f"`{option.ini}`", option.help


def _markers() -> Iterator[tuple[str, str]]:
    for name, known in (("fs", FILESYSTEMS), ("http", URLS), ("apiserver", SCHEMES)):
        for value in known:
            yield f'`podsource({name}="{value}")`', _MARKED[value]


_MARKED = {
    "tmp": "`podsource_manifest_dir` is a temporary directory (default)",
    "fake": "it is `/etc/kubernetes/manifests` on a fake disk",
    "mock": "`podsource_url` is answered without a socket, for `requests` (default)",
    "server": "it is a server of this machine, for every client",
    "tls": "the same, with TLS",
    "http": "`podsource_apiserver` without TLS (default)",
    "https": "it has TLS",
}


def _verdicts() -> Iterator[tuple[str, ...]]:
    shown = {**dict.fromkeys(FAILURES, "failed"), **dict.fromkeys(ERRORS, "error")}
    shown |= dict.fromkeys(SKIPS, "skipped")
    for verdict in get_args(Verdict):
        yield f"`{verdict}`", shown.get(verdict, "passed"), _WHEN[verdict]


_WHEN: dict[Verdict, str] = {
    "passed": "all that came was expected, and all that was expected came",
    "failed": "something else came; it refused what it should take; it woke up 1,000 "
    'times at one instant ("it spins")',
    "crashed": "it raised what the contract doesn't allow; its process died",
    "timeout": "it didn't come back in real time",
    "setup failed": "the case is at fault: it can't be read, or its world can't be made",
    "harness error": "the suite, an adapter or the world is at fault, or nobody can know "
    "whether the implementation is idle",
    "unsupported": "it doesn't offer the component, or the feature that the case needs",
    "not applicable": "the case holds for other kubelets than the chosen one",
    "disabled": "this machine, this user or this world can't show it; or it would take "
    "too long",
    "known": "it fails, and the baseline says so",
}


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |"
        for line in lines
    )


def _plain(text: str) -> str:
    return _ROLE.sub(r"`\1`", " ".join(text.split())).replace("``", "`")


if __name__ == "__main__":
    for name in PAGES:
        page = REFERENCE / name
        page.write_text(filled(page.read_text("utf-8")), "utf-8")
