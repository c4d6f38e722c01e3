"""
The files of this package, as they lie in a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_file
from pytest_podsource.vendoring.manifest import Choice

_PACKAGE = Path(__file__).resolve().parent.parent
_CASES = "cases"
_RECORDED = "recorded"
_README = """\
A copy of pytest-podsource, written by `podsource vendor`. Don't edit it; leave it out of
your linters. To use it: PYTHONPATH=<this folder> pytest -p pytest_podsource.plugin
"""
_ATTRIBUTES = "* -text linguist-vendored\n"


def package_files(choice: Choice) -> dict[str, bytes]:
    """
    Return what a copy with the cases of *choice* holds, by its path there.
    """
    files = {
        f"{_PACKAGE.name}/{path.relative_to(_PACKAGE).as_posix()}": path.read_bytes()
        for path in _below(_PACKAGE)
        if path.relative_to(_PACKAGE).parts[0] != "conformance"
    }
    root = bundled_root()
    for path in _below(root):
        relative = path.relative_to(root)
        if _is_chosen(path, relative, choice):
            name = f"{_PACKAGE.name}/conformance/{relative.as_posix()}"
            files[name] = path.read_bytes()
    files |= {"README.md": _README.encode(), ".gitattributes": _ATTRIBUTES.encode()}
    licence = _licence()
    return files | ({"LICENSE": licence.encode()} if licence else {})


def _below(root: Path) -> Iterator[Path]:
    return (
        path
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    )


def _is_chosen(path: Path, relative: Path, choice: Choice) -> bool:
    kind, *below = relative.parts
    if kind == _RECORDED:
        return not choice.kubelets or path.stem in choice.kubelets
    if kind != _CASES:
        return True
    if choice.components and below[0] not in choice.components:
        return False
    return not choice.kubelets or any(
        case.holds_for(kubelet)
        for case in load_file(path, bundled_root() / _CASES)
        for kubelet in choice.kubelets
    )


def _licence() -> str:
    beside = _PACKAGE.parent / "LICENSE"  # in a checkout, and in a copy
    if beside.is_file():
        return beside.read_text("utf-8")
    try:
        return distribution("pytest-podsource").read_text("licenses/LICENSE") or ""
    except PackageNotFoundError:
        return ""
