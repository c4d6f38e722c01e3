"""
Frozen sets: the cases that a release scores, by id and hash.

A set is ``conformance/sets/<name>.txt``, an id and a hash a line. A case that is changed
or added afterwards is run, and not scored by that set: scores stay comparable.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_podsource.exceptions import UsageError
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case


def read(name: str) -> dict[str, str]:
    """
    Return the hashes of the set *name*, by id.

    Raises:
        UsageError: There is no such set.
    """
    known = {path.stem: path for path in _folder().glob("*.txt")}
    if name not in known:
        names = ", ".join(sorted(known)) or "none was frozen yet"
        raise UsageError(f"--podsource-set: {name!r} is not known. Known: {names}.")
    lines = known[name].read_text("utf-8").split()
    return dict(zip(lines[::2], lines[1::2], strict=True))


def text_of(cases: Iterable[Case]) -> str:
    """
    Return the text of a set that has *cases*.
    """
    return "".join(f"{case.id} {case.hash}\n" for case in cases if case.level == "base")


def _folder() -> Path:
    return bundled_root() / "sets"
