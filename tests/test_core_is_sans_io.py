"""
The core knows no file, clock, socket, thread or pytest; its imports show it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_podsource.core

CORE = Path(pytest_podsource.core.__file__).parent
MODULES = sorted(path.relative_to(CORE).as_posix() for path in CORE.rglob("*.py"))

ALLOWED = frozenset(
    {
        # values, types and texts
        "__future__",
        "base64",
        "binascii",
        "collections",
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "fractions",
        "functools",
        "hashlib",
        "ipaddress",
        "json",
        "marshal",  # copies values
        "math",
        "posixpath",
        "re",
        "struct",
        "typing",
        "urllib.parse",
        "zlib",
        # a parser, of bytes that were read elsewhere
        "yaml",
    }
)
OURS = (
    "pytest_podsource.contract",
    "pytest_podsource.core",
    "pytest_podsource.data",
    "pytest_podsource.exceptions",
    "pytest_podsource.known",
)
CLOCKS = frozenset({"now", "today", "utcnow"})
FORBIDDEN_CALLS = frozenset({"open", "print", "input", "exec", "eval", "__import__"})


@pytest.mark.parametrize("module", MODULES)
def test_module_imports_nothing_that_touches_the_world(module: str) -> None:
    """Values in, values out; tables of our own are read by the package's data."""
    imported = set(_imports(ast.parse((CORE / module).read_text())))

    strange = {
        name
        for name in imported
        if name not in ALLOWED
        and name.partition(".")[0] not in ALLOWED
        and not name.startswith(OURS)
    }
    assert strange == set()


@pytest.mark.parametrize("module", MODULES)
def test_module_calls_nothing_that_touches_the_world(module: str) -> None:
    """No file is opened and nothing is printed by a built-in function either."""
    tree = ast.parse((CORE / module).read_text())

    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("date", "datetime")
    }
    assert called & FORBIDDEN_CALLS == set()
    assert asked & CLOCKS == set()


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
