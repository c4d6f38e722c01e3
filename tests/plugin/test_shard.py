"""
``--podsource-shard``: parts that together are the run, also in their reports.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_podsource.cli import commands
from pytest_podsource.report.jsonlines import read
from pytest_podsource.report.model import Report
from pytest_podsource.sharding import Shard, part_of
from tests.plugin.conftest import RunPytest

ASK = ("--podsource-impl=wrong", "podsource/diff")
PARTS = 4


def test_parts_are_balanced_by_durations() -> None:
    """The longest alone, the others together; no case twice, none left out."""
    seconds = {"a": 9.0, "b": 3.0, "c": 3.0, "d": 3.0}

    parts = [part_of(Shard(part, 2), seconds, seconds) for part in (1, 2)]

    assert parts == [{"a"}, {"b", "c", "d"}]


def test_case_without_a_duration_counts_as_the_median() -> None:
    """A new case is put somewhere, and the others stay balanced."""
    seconds = {"a": 1.0, "b": 5.0, "c": 5.0}

    parts = [part_of(Shard(part, 2), [*seconds, "new"], seconds) for part in (1, 2)]

    assert sorted(map(len, parts)) == [2, 2]
    assert set.union(*parts) == {"a", "b", "c", "new"}


def test_parts_merge_to_the_report_of_one_run(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Four processes, each with its part, balanced by the report of the whole."""
    run_pytest(*ASK, "--podsource-report=whole.jsonl")
    paths = [pytester.path / f"{part}.jsonl" for part in range(1, PARTS + 1)]
    for part, path in enumerate(paths, start=1):
        run_pytest(
            *ASK,
            f"--podsource-shard={part}/{PARTS}",
            "--podsource-durations=whole.jsonl",
            f"--podsource-report={path}",
        )

    merged = pytester.path / "merged.jsonl"
    done = CliRunner().invoke(
        commands, ["report", "merge", *map(str, paths), "-o", str(merged)]
    )

    assert done.exit_code == 0, done.output
    whole = verdicts(pytester.path / "whole.jsonl")
    assert verdicts(merged) == whole
    assert sum(len(verdicts(path)) for path in paths) == len(whole)
    assert all(verdicts(path) for path in paths)


def verdicts(path: Path) -> dict[str, str]:
    report: Report = read(path)
    ((_, results),) = report.runs.items()
    return {id_: result.verdict for id_, result in results.items()}


@pytest.mark.parametrize("text", ["5/4", "0/4", "2", "a/b", "1/"])
def test_part_that_is_none_is_told(run_pytest: RunPytest, text: str) -> None:
    """With what would have been right."""
    result = run_pytest(*ASK, f"--podsource-shard={text}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--podsource-shard: '{text}' is no part*1/4*"])


def test_durations_without_a_part_or_a_report_are_told(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Both are asked for."""
    (pytester.path / "x.jsonl").write_text("{}\n")

    alone = run_pytest(*ASK, "--podsource-durations=x.jsonl")
    bad = run_pytest(*ASK, "--podsource-shard=1/2", "--podsource-durations=x.jsonl")

    alone.stderr.fnmatch_lines(["*Add --podsource-shard=K/N*"])
    assert bad.ret == pytest.ExitCode.USAGE_ERROR
    bad.stderr.fnmatch_lines(["*--podsource-durations: x.jsonl*it is no report*"])
