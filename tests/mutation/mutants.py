"""
The mutants of the core: one change of one line each, made by mutmut's operators.

Rule 1: what no case can see makes no mutant: texts for people, which have a blank in
them, what is shown or logged beside them, and names for types. Rule 2: the same source
gives the same mutants in the same order.
"""

from __future__ import annotations

import ast
import difflib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import (
    CodeRange,
    MetadataWrapper,
    WhitespaceInclusivePositionProvider,
)
from mutmut.mutation.file_mutation import Mutation, create_mutations

import pytest_podsource

PACKAGE = Path(pytest_podsource.__file__).parent
CORE = PACKAGE / "core"
# Their first argument is the field's path; what follows is shown and never judged.
FAULTS = frozenset(
    {"required", "invalid", "duplicate", "not_found", "forbidden", "unsupported"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """
    One change of one module.

    Attributes:
        module: Below ``pytest_podsource``, such as ``core.backoff``.
        path: Its file.
        line: Where the change begins.
        statement: The lines of the statement that it is in, without what stands below.
        function: Name of the function or method that it is in, and its first line;
            ``None`` for what the import does.
        code: The whole module as it is.
        span: Where in it, in characters.
        new: What stands there instead.
    """

    module: str
    path: Path
    line: int
    statement: range
    function: tuple[str, int] | None
    code: str
    span: tuple[int, int]
    new: str

    @property
    def source(self) -> str:
        """Return the changed module."""
        return self.code[: self.span[0]] + self.new + self.code[self.span[1] :]

    def difference(self) -> tuple[str, str]:
        """Return the lines that differ, before and after, each side in one line."""
        both = self.code.splitlines(), self.source.splitlines()
        lines = list(difflib.unified_diff(*both, n=0))[2:]
        return _joined("-", lines), _joined("+", lines)


def modules() -> list[Path]:
    """
    Return the modules of the core, in the order of their names.
    """
    return sorted(path for path in CORE.rglob("*.py") if path.name != "__init__.py")


def mutants_of(path: Path) -> Iterator[Mutant]:
    """
    Yield the mutants of one module.
    """
    code = path.read_text("utf-8")
    module, mutations, *_ = create_mutations(str(path), code)
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    positions = wrapper.resolve(WhitespaceInclusivePositionProvider)
    begins = [0, *itertools.accumulate(map(len, code.splitlines(keepends=True)))]
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    statements = _statements(code)
    for mutation in mutations:
        if not _is_shown_only(mutation):
            place = positions[mutation.original_node]
            line = place.start.line
            yield Mutant(
                module=name,
                path=path,
                line=line,
                statement=statements.get(line, range(line, line + 1)),
                function=_function(mutation, line, positions),
                code=code,
                span=(
                    begins[line - 1] + place.start.column,
                    begins[place.end.line - 1] + place.end.column,
                ),
                new=module.code_for_node(mutation.mutated_node),
            )


def _function(
    mutation: Mutation, line: int, positions: Mapping[cst.CSTNode, CodeRange]
) -> tuple[str, int] | None:
    function = mutation.contained_by_top_level_function
    if not isinstance(function, cst.FunctionDef):
        return None
    if line < positions[function.body.body[0]].start.line:
        return None  # a default, which the import makes
    first = function.decorators[0] if function.decorators else function.name
    return function.name.value, positions[first].start.line


def _statements(code: str) -> dict[int, range]:
    """
    Return by line the innermost statement, a compound one without its body.
    """
    found: dict[int, range] = {}
    for node in ast.walk(ast.parse(code)):  # outer ones come first
        if isinstance(node, ast.stmt):
            assert node.end_lineno is not None
            body = getattr(node, "body", None)
            end = body[0].lineno if body else node.end_lineno + 1
            lines = range(node.lineno, max(end, node.lineno + 1))
            found.update(dict.fromkeys(lines, lines))
    return found


def _joined(sign: str, lines: Sequence[str]) -> str:
    return " ".join(line[1:].strip() for line in lines if line.startswith(sign))


def _is_shown_only(mutation: Mutation) -> bool:
    old, new = mutation.original_node, mutation.mutated_node
    if isinstance(old, cst.BaseString):
        return _is_prose(old)
    if isinstance(old, cst.Call) and isinstance(new, cst.Call):
        return any(_is_shown(old, index) for index in _changed(old, new))
    if isinstance(old, cst.Assign):
        is_type = isinstance(old.value, cst.Subscript) and not isinstance(
            mutation.contained_by_top_level_function, cst.FunctionDef
        )
        return is_type or _is_prose(old.value)
    return False


def _changed(old: cst.Call, new: cst.Call) -> list[int]:
    """
    Return the indexes of the arguments of *old* that *new* has otherwise or not at all.
    """
    kept = {id(argument.value) for argument in new.args}
    return [index for index, each in enumerate(old.args) if id(each.value) not in kept]


def _is_shown(call: cst.Call, index: int) -> bool:
    argument = call.args[index]
    if _is_prose(argument.value):
        return True
    called = call.func
    if isinstance(called, cst.Attribute):  # a method: the level of a log entry counts
        return called.attr.value in ("log", "_log") and index > 0
    return isinstance(called, cst.Name) and called.value in FAULTS and index > 0


def _is_prose(node: cst.CSTNode) -> bool:
    """
    Tell a text for people: it has a blank in it.
    """
    if isinstance(node, cst.SimpleString):
        return " " in node.value.strip("'\"")
    if isinstance(node, cst.FormattedString):
        texts = [
            each for each in node.parts if isinstance(each, cst.FormattedStringText)
        ]
        return any(" " in each.value for each in texts)
    return isinstance(node, cst.ConcatenatedString) and (
        _is_prose(node.left) or _is_prose(node.right)
    )
