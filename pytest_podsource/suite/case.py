"""
Cases: where they are, how they are read, what one is.

Importing this module imports neither yaml nor jsonschema; reading the first case does.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_podsource.exceptions import CaseError
from pytest_podsource.known import COMPONENTS
from pytest_podsource.suite.variables import put_in

if TYPE_CHECKING:
    from pytest_podsource.suite.core_yaml import Document

MANDATORY = ("title", "why", "facts", "steps")
_ROW = re.compile(r"[a-z0-9][a-z0-9.-]*\Z")
_TERM = re.compile(r"(>=|<=|>|<|)(\d+)\.(\d+)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    One row of a case file, or the whole of a file without rows.

    Attributes:
        id: ``file/x``, with a row ``file/x:row``; below ``own/`` for a user's own.
        component: The folder that it lies in.
        row: Name of the row, empty without rows.
        path: Its file.
        title: What is shown, in one line.
        why: Which mistake it catches, and whom that hit.
        facts: Ids of the facts that it shows.
        reports: Ids of the reports that it comes from.
        versions: The kubelets that it holds for, empty for all.
        level: ``base``, or the feature that it belongs to.
        features: Further features that it needs.
        given: The world before the first step, variables put in.
        steps: The steps, variables put in.
        may_equal: Pairs of names that may have the same value.
        hash: Of given, steps and the row's values; prose is left out.
    """

    id: str
    component: str
    row: str
    path: Path
    title: str
    why: str
    facts: tuple[str, ...]
    reports: tuple[str, ...]
    versions: str
    level: str
    features: frozenset[str]
    given: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]
    may_equal: frozenset[frozenset[str]]
    hash: str

    @property
    def file_id(self) -> str:
        """Return the id of the file: of all rows."""
        return self.id.rpartition(":")[0] if self.row else self.id

    @property
    def pytest_id(self) -> str:
        """Return the id in pytest, ``podsource/file/x.yaml::row``."""
        return f"podsource/{self.file_id}.yaml::{self.row or 'case'}"

    def holds_for(self, kubelet: str) -> bool:
        """Return whether *kubelet*, as major.minor, is among its versions."""
        return matches(self.versions, kubelet)


def load_cases(root: Path, *, own: bool = False) -> list[Case]:
    """
    Return all cases below *root*, in the order of their ids.

    Args:
        root: A folder with one folder for each component.
        own: They are a user's own: ids go below ``own/``, and each file is checked
            against the schema; for the bundled ones a test does that.

    Raises:
        CaseError: A case breaks the format; file, line and key are named.
    """
    return [
        case
        for path in sorted(root.rglob("*.yaml"))
        for case in load_file(path, root, own=own)
    ]


def load_file(path: Path, root: Path, *, own: bool = False) -> list[Case]:
    """
    Return the cases of one file below *root*.

    Raises:
        CaseError: It breaks the format.
    """
    from pytest_podsource.suite.core_yaml import Document  # noqa: PLC0415 - yaml is slow

    document = Document(path)
    if own:
        from pytest_podsource.suite.schema import Schema  # noqa: PLC0415 - slow as well

        Schema().check(document)
    return list(_rows(document, path.relative_to(root), own=own))


def matches(versions: str, kubelet: str) -> bool:
    """
    Return whether *kubelet* is among *versions*; minors are compared as numbers.

    Args:
        versions: Terms such as ``>=1.20 <1.36``, all of which must hold; empty: all.
        kubelet: A version as major.minor; what follows is not looked at.

    Raises:
        ValueError: *versions* or *kubelet* is not of that form.
    """
    major, minor = kubelet.split(".")[:2]
    number = (int(major), int(minor))
    return all(_holds(term, number) for term in versions.split())


def _holds(term: str, number: tuple[int, int]) -> bool:
    parts = _TERM.match(term)
    if not parts:
        raise ValueError(f"{term!r} is no version. Right would be >=1.20 or 1.1.")
    bound = (int(parts[2]), int(parts[3]))
    return {
        "": number == bound,
        ">=": number >= bound,
        "<=": number <= bound,
        ">": number > bound,
        "<": number < bound,
    }[parts[1]]


def _rows(document: Document, relative: Path, *, own: bool) -> Iterator[Case]:
    body = _checked(document, relative)
    examples = body.get("examples")
    if examples is None:
        yield _case(document, relative, "", {}, own=own)
        return
    for row, values in examples.items():
        if not _ROW.match(row):
            raise CaseError(
                document.where(("examples", row)),
                f"{row!r} is no name of a row. Use small letters, digits, '-', '.'.",
            )
        yield _case(document, relative, row, values or {}, own=own)


def _checked(document: Document, relative: Path) -> Mapping[str, Any]:
    body = document.value
    if not isinstance(body, dict):
        raise CaseError(
            document.where(), "a case is a mapping of title, why, facts, ..."
        )
    for key in MANDATORY:
        if not body.get(key):
            raise CaseError(document.where(), f"{key!r} is missing or empty.")
    if relative.parts[0] not in COMPONENTS:
        raise CaseError(
            str(document.path),
            f"{relative.parts[0]!r} is not a component. "
            f"The folder of a case is one of {', '.join(COMPONENTS)}.",
        )
    return body


def _case(
    document: Document,
    relative: Path,
    row: str,
    values: Mapping[str, Any],
    *,
    own: bool,
) -> Case:
    body = document.value
    given, steps = body.get("given") or {}, body["steps"]
    file_id = ("own/" if own else "") + relative.with_suffix("").as_posix()
    versions = body.get("versions", "")
    _check_versions(document, versions)
    return Case(
        id=f"{file_id}:{row}" if row else file_id,
        component=relative.parts[0],
        row=row,
        path=document.path,
        title=body["title"],
        why=body["why"],
        facts=tuple(body["facts"]),
        reports=tuple(body.get("reports", ())),
        versions=versions,
        level=body.get("level", "base"),
        features=frozenset(body.get("features", ())),
        given=put_in(given, values),
        steps=tuple(put_in(steps, values)),
        may_equal=frozenset(frozenset(pair) for pair in body.get("may_equal", ())),
        hash=_hash({"given": given, "steps": steps, "row": values}),
    )


def _check_versions(document: Document, versions: Any) -> None:
    try:
        matches(versions, "1.0")
    except (ValueError, AttributeError):
        raise CaseError(
            document.where(("versions",)),
            f'{versions!r} are no versions. Right would be ">=1.20 <1.36" or "1.1", quoted.',
        ) from None


def _hash(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
