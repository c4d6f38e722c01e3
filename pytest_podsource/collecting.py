"""
Cases as pytest's nodes, below the session and beside the user's own tests.

Rule 1: an id is ``podsource/file/x.yaml::row``, wherever the cases lie; as an argument
it may be cut off at any slash or colon. Rule 2: our arguments never reach pytest's own
collection. Rule 3: an argument or id that means no case is an error, not an empty run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_podsource.exceptions import CaseError
from pytest_podsource.options import ROOT
from pytest_podsource.settings import Settings, settings_of
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_file


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """
    A file of cases that is known, and not yet read.

    Attributes:
        id: ``file/x``; below ``own/`` for a user's own.
        path: Where it lies.
        root: The folder of its component's folder.
        own: It is the user's own.
    """

    id: str
    path: Path
    root: Path
    own: bool

    @property
    def component(self) -> str:
        """Return the folder that it lies in."""
        return self.id.removeprefix("own/").partition("/")[0]

    def read(self) -> list[Case]:
        """Return its cases."""
        return load_file(self.path, self.root, own=self.own)


def files_of(settings: Settings) -> list[CaseFile]:
    """
    Return all files, bundled and own, in the order of their ids.
    """
    roots = [(bundled_root() / "cases", "")]
    if settings.cases is not None:
        roots.append((settings.cases.absolute(), "own/"))
    return [
        CaseFile(
            id=prefix + path.relative_to(root).with_suffix("").as_posix(),
            path=path,
            root=root,
            own=bool(prefix),
        )
        for root, prefix in roots
        for path in sorted(root.rglob("*.yaml"))
    ]


class Selection:
    """
    Which cases a run is about.

    Args:
        arguments: Those of the command line that are ours.
        settings: What the run was told.

    Raises:
        pytest.UsageError: One of them means no case.
    """

    def __init__(self, arguments: Sequence[str], settings: Settings) -> None:
        self._files = files_of(settings)
        self._components = settings.component
        self._wanted = [[_id_of(each) for each in arguments]]
        if settings.case:
            self._wanted.append(list(settings.case))
        for said in (*arguments, *settings.case):
            if not self.knows(_id_of(said)):
                raise pytest.UsageError(
                    f"{said}: there is no such case. {self._near(_id_of(said))}"
                )

    def files(self) -> Iterator[CaseFile]:
        """Return the files that may have a case of it."""
        return (
            file
            for file in self._files
            if (not self._components or file.component in self._components)
            and all(any(_reaches(id_, file) for id_ in ids) for ids in self._wanted)
        )

    def cases_of(self, file: CaseFile) -> list[Case]:
        """Return the cases of *file* that belong to it."""
        return [
            case
            for case in file.read()
            if all(any(_means(id_, case) for id_ in ids) for ids in self._wanted)
        ]

    def knows(self, id_: str) -> bool:
        """Return whether *id_*, or what it begins, is a case, selected or not."""
        reached = [file for file in self._files if _reaches(id_, file)]
        if ":" not in id_:
            return bool(reached)
        return any(_means(id_, case) for file in reached for case in file.read())

    def _near(self, id_: str) -> str:
        place, _, row = id_.partition(":")
        known = [file.id for file in self._files]
        if row and place in known:
            file = self._files[known.index(place)]
            return f"Its rows: {', '.join(case.row or 'case' for case in file.read())}."
        if place.partition("/")[0] == "own" and not any(f.own for f in self._files):
            return "Name the folder of your own cases by --podsource-cases."
        near = get_close_matches(place, known, n=3)
        return (
            f"Near it: {', '.join(near)}."
            if near
            else "The command 'podsource cases' lists them."
        )


def _id_of(said: str) -> str:
    """
    Return the id, or the beginning of ids, that an argument or an id stands for.
    """
    if said != ROOT and not said.startswith(f"{ROOT}/"):
        return said
    place, _, row = said.removeprefix(ROOT).strip("/").partition("::")
    place = place.removesuffix(".yaml")
    return f"{place}:{row}" if row else place


def _reaches(id_: str, file: CaseFile) -> bool:
    place = id_.partition(":")[0]
    return place in ("", file.id) or file.id.startswith(f"{place}/")


def _means(id_: str, case: Case) -> bool:
    whole = f"{case.file_id}:{case.row or 'case'}"
    return id_ in ("", whole) or whole.startswith((f"{id_}/", f"{id_}:"))


def _hooks_of_root(node: pytest.Collector | pytest.Item) -> Any:
    """Return those of the user's root ``conftest.py`` too, wherever the cases lie."""
    return node.session.gethookproxy(node.config.rootpath)


class SuiteNode(pytest.Collector):
    """
    The suite, as one node below the session.
    """

    def __init__(self, *, selection: Selection, **kw: Any) -> None:
        super().__init__(**kw)
        self._selection = selection

    @property
    def ihook(self) -> Any:
        """Return the hooks that are called for it."""
        return _hooks_of_root(self)

    def collect(self) -> Iterator[FileNode]:
        """Return a node for each file."""
        for file in self._selection.files():
            yield FileNode.from_parent(
                self,
                path=file.path,
                name=f"{file.id}.yaml",
                nodeid=f"{ROOT}/{file.id}.yaml",
                file=file,
                selection=self._selection,
            )


class FileNode(pytest.Module):
    """
    A file of cases; a module, so that fixtures of every scope work.
    """

    def __init__(self, *, file: CaseFile, selection: Selection, **kw: Any) -> None:
        self._file = file
        self._selection = selection
        super().__init__(**kw)

    @property
    def ihook(self) -> Any:
        """Return the hooks that are called for it."""
        return _hooks_of_root(self)

    def collect(self) -> Iterator[CaseNode]:
        """Return a node for each case."""
        for case in self._selection.cases_of(self._file):
            yield CaseNode.from_parent(
                self, name=case.row or "case", callobj=check_case, case=case
            )

    def _getobj(self) -> ModuleType:
        return ModuleType(f"{ROOT}.{self._file.id}")

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        """Return what is wrong with the file, without our traceback."""
        if isinstance(excinfo.value, CaseError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class CaseNode(pytest.Function):
    """
    A case, as a test function.
    """

    def __init__(self, *, case: Case, **kw: Any) -> None:
        super().__init__(**kw)
        self.case = case
        self.add_marker(ROOT)
        self.extra_keyword_matches.add(case.component)

    @property
    def ihook(self) -> Any:
        """Return the hooks that are called for it."""
        return _hooks_of_root(self)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file of the case, and its id."""
        return self.case.path, 0, self.case.id

    def setup(self) -> None:
        """Make its fixtures; if there is nothing to test, no further case is tried."""
        try:
            super().setup()
        except pytest.fail.Exception:
            if not settings_of(self.config).impl:
                self.session.shouldfail = "there is no implementation"
            raise

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        """Return the story alone, without a traceback of ours."""
        if isinstance(excinfo.value, pytest.fail.Exception):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


def check_case(
    podsource_check: Callable[[Case], None], request: pytest.FixtureRequest
) -> None:
    """
    Run the case of this node; the test function of all of them.
    """
    podsource_check(request.node.case)


def collect(session: pytest.Session, selection: Selection) -> list[CaseNode]:
    """
    Return the items of *selection*.
    """
    suite = SuiteNode.from_parent(session, name=ROOT, nodeid=ROOT, selection=selection)
    return [item for item in session.genitems(suite) if isinstance(item, CaseNode)]
