"""
Ids: short, the same everywhere, and as arguments of pytest's own options.
"""

from __future__ import annotations

import pytest

from tests.plugin.conftest import RunPytest

IMPL = "--podsource-impl=wrong"
ROWS = "podsource/diff/against-an-empty-cache.yaml"

SELECTIONS = {
    "component": (["podsource/diff"], 18),
    "file": ([ROWS], 3),
    "row": ([f"{ROWS}::all-gone"], 1),
    "no-rows": (["podsource/diff/keys-differ-by-case.yaml::case"], 1),
    "two": ([f"{ROWS}::all-new", "podsource/diff/keys-differ-by-case.yaml"], 2),
    "option-component": (["--podsource-component=diff"], 18),
    "option-case": (["--podsource-case=diff/against-an-empty-cache"], 3),
    "option-row": (["--podsource-case=diff/against-an-empty-cache:all-gone"], 1),
    "option-cases": (
        ["--podsource-case=diff/keys-differ-by-case,ready/twice-is-once"],
        2,
    ),
    "keyword": (["podsource/diff", "-k", "all-gone or both-empty"], 2),
    "keyword-component": (["podsource/diff", "-k", "diff"], 18),
    "marker": (["podsource/diff", "-m", "podsource"], 18),
    "deselect": (["podsource/diff", "--deselect", f"{ROWS}::all-gone"], 17),
}


@pytest.mark.parametrize(("arguments", "count"), SELECTIONS.values(), ids=SELECTIONS)
def test_selection_runs_those_cases_and_no_other(
    run_pytest: RunPytest, arguments: list[str], count: int
) -> None:
    """Each way to select does what it says."""
    result = run_pytest(IMPL, *arguments)

    outcomes = result.parseoutcomes()
    outcomes.pop("deselected", None)
    assert sum(outcomes.values()) == count


UNKNOWN = {
    "component": (["podsource/dif"], "podsource/dif: there is no such case.*"),
    "file": (
        ["podsource/diff/nope.yaml"],
        "podsource/diff/nope.yaml: there is no such*",
    ),
    "near": (
        ["podsource/diff/keys-differ.yaml"],
        "*Near it: diff/keys-differ-by-case*",
    ),
    "row": (
        [f"{ROWS}::nope"],
        f"{ROWS}::nope: *Its rows: all-new, all-gone, both-empty.",
    ),
    "option": (["--podsource-case=diff/nope"], "diff/nope: there is no such case.*"),
}


@pytest.mark.parametrize(("arguments", "message"), UNKNOWN.values(), ids=UNKNOWN)
def test_selection_that_means_nothing_is_a_usage_error(
    run_pytest: RunPytest, arguments: list[str], message: str
) -> None:
    """A slip in an id never makes an empty green run."""
    result = run_pytest(IMPL, *arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_collected_ids_can_be_given_back(run_pytest: RunPytest) -> None:
    """What --collect-only prints is what pytest takes."""
    listed = run_pytest(IMPL, "podsource/diff", "--collect-only", "-q")
    ids = [line for line in listed.outlines if line.startswith("podsource/")]

    result = run_pytest(IMPL, *ids)

    assert len(ids) == 18
    assert sum(result.parseoutcomes().values()) == 18


def test_last_failed_runs_what_failed(run_pytest: RunPytest) -> None:
    """The cache of pytest knows cases as it knows tests."""
    first = run_pytest(IMPL, "podsource/diff").parseoutcomes()

    second = run_pytest(IMPL, "podsource/diff", "--lf").parseoutcomes()

    assert second["failed"] == first["failed"] > 0
    assert "passed" not in second


@pytest.mark.parametrize("dist", ["load", "loadfile", "loadgroup"])
def test_workers_run_each_case_once(run_pytest: RunPytest, dist: str) -> None:
    """With pytest-xdist the same cases have the same verdicts."""
    alone = run_pytest(IMPL, "podsource/diff").parseoutcomes()

    result = run_pytest(IMPL, "podsource/diff", "-n", "2", "--dist", dist)

    assert result.parseoutcomes() == alone
    result.stdout.fnmatch_lines(["diff *18 rows*"])


def test_path_of_the_users_named_podsource_is_the_users(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """A folder that exists is what its name means."""
    pytester.mkpydir("podsource")
    (pytester.path / "podsource" / "test_mine.py").write_text("def test_mine(): pass")

    result = run_pytest(IMPL, "podsource")

    result.assert_outcomes(passed=1)


def test_plain_test_file_runs_the_cases_too(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Four lines in the user's tree do without a collector of ours."""
    pytester.makepyfile(
        test_podsource="""
        import pytest
        from pytest_podsource.suite import cases

        @pytest.mark.parametrize("case", cases())
        def test_podsource(case, podsource_check):
            podsource_check(case)
        """
    )

    result = run_pytest("--podsource-impl=right", "test_podsource.py", "-k", "diff/")

    result.assert_outcomes(passed=18)
