"""
Cases are found, read, and spread into rows.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_podsource import suite
from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases, load_file, matches

WriteCase = Callable[[str, str], Path]

ROWS = """\
given: {max: "${max}"}
examples: {small: {max: 5s, n: 3}, large: {max: 50s, n: 4}}
steps: [{call: {get: "a-${n}"}, returns: "${n}"}]"""


def test_rows_put_their_values_in_with_their_types(
    tmp_path: Path, write_case: WriteCase
) -> None:
    """A whole scalar takes the value as it is, within a text it is written."""
    write_case("backoff/x.yaml", ROWS)

    small, large = load_cases(tmp_path)

    assert small.id == "backoff/x:small"
    assert small.pytest_id == "podsource/backoff/x.yaml::small"
    assert small.steps == ({"call": {"get": "a-3"}, "returns": 3},)
    assert large.given == {"max": "50s"}


def test_file_without_rows_is_one_case(tmp_path: Path, write_case: WriteCase) -> None:
    """Its id has no row; in pytest it is called case."""
    write_case("file/sub/x.yaml", "steps: [{start: }]")

    (case,) = load_cases(tmp_path)

    assert (case.id, case.component, case.row) == ("file/sub/x", "file", "")
    assert case.pytest_id == "podsource/file/sub/x.yaml::case"


def test_own_cases_have_ids_of_their_own(tmp_path: Path, write_case: WriteCase) -> None:
    """A user's case can't be taken for a bundled one."""
    write_case("file/x.yaml", "steps: [{start: }]")

    (case,) = load_cases(tmp_path, own=True)

    assert (case.id, case.component) == ("own/file/x", "file")


def test_hash_depends_on_what_is_done_and_not_on_prose(
    tmp_path: Path, write_case: WriteCase
) -> None:
    """A corrected sentence keeps a record, a changed step does not."""
    path = write_case("backoff/x.yaml", ROWS)
    before = [case.hash for case in load_file(path, tmp_path)]
    path.write_text(path.read_text().replace("why: w", "why: other # comment"))
    prose = [case.hash for case in load_file(path, tmp_path)]
    path.write_text(path.read_text().replace("n: 4", "n: 5"))
    row = [case.hash for case in load_file(path, tmp_path)]

    assert prose == before
    assert row[0] == before[0]
    assert row[1] != before[1]
    assert before[0] != before[1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("steps: []", "line 1: 'steps' is missing or empty."),
        (
            "steps: [{start: }]\nversions: 1.20",
            'line 5, versions: 1.2 are no versions. Right would be ">=1.20 <1.36" or "1.1", quoted.',
        ),
        (
            "steps: [{start: }]\nexamples: {A b: {}}",
            "line 5, examples.A b: 'A b' is no name of a row. Use small letters, digits, '-', '.'.",
        ),
    ],
)
def test_case_that_breaks_the_format_is_refused(
    tmp_path: Path, write_case: WriteCase, text: str, reason: str
) -> None:
    """The error names file, line and key, and says what would have been right."""
    path = write_case("file/x.yaml", text)

    with pytest.raises(CaseError) as caught:
        load_cases(tmp_path)

    assert str(caught.value) == f"{path}, {reason}"


def test_folder_must_be_a_component(tmp_path: Path, write_case: WriteCase) -> None:
    """A case in a folder of another name is refused."""
    write_case("files/x.yaml", "steps: [{start: }]")

    with pytest.raises(CaseError, match=r"'files' is not a component. .* file, http"):
        load_cases(tmp_path)


def test_file_that_is_no_mapping_is_refused(tmp_path: Path) -> None:
    """A list is not a case."""
    (tmp_path / "file").mkdir()
    (tmp_path / "file/x.yaml").write_text("- a\n")

    with pytest.raises(CaseError, match="a case is a mapping of title"):
        load_cases(tmp_path)


@pytest.mark.parametrize(
    ("versions", "kubelet", "holds"),
    [
        ("", "1.1", True),
        (">=1.20", "1.9", False),
        (">=1.20", "1.20", True),
        (">=1.20", "1.37", True),
        ("1.1", "1.1", True),
        ("1.1", "1.10", False),
        (">=1.20 <1.36", "1.34", True),
        (">=1.20 <1.36", "1.36", False),
        ("<=1.34", "1.34", True),
        (">1.34", "1.34", False),
        (">=1.20", "2.0", True),
        (">=1.20", "1.37.2", True),
    ],
)
def test_versions_compare_minors_as_numbers(
    versions: str, kubelet: str, *, holds: bool
) -> None:
    """1.9 comes before 1.20, and all terms must hold."""
    assert matches(versions, kubelet) is holds


def test_bundled_root_has_cases_and_the_schema() -> None:
    """The folder that came with the package is whole."""
    root = bundled_root()

    assert (root / "case.schema.json").is_file()
    assert (root / "cases").is_dir()


def test_cases_as_parameters_have_the_ids_of_the_cases() -> None:
    """A test of four lines is named like the case that it runs."""
    bundled = load_cases(bundled_root() / "cases")

    found = suite.cases()

    assert [each.id for each in found] == [case.id for case in bundled]
    assert [each.values for each in found] == [(case,) for case in bundled]


def test_importing_cases_reads_nothing_and_loads_no_yaml() -> None:
    """An unused plugin pays for neither yaml nor jsonschema."""
    code = (
        "import sys, pytest_podsource.suite, pytest_podsource.suite.case;"
        "print(sorted({'yaml', 'jsonschema', 'requests'} & set(sys.modules)))"
    )

    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert shown.stdout == "[]\n"
