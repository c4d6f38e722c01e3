"""
Verdicts as pytest shows them, and what the run as a whole ends with.
"""

from __future__ import annotations

import pytest

from tests.plugin.conftest import RunPytest

CASE = "--podsource-case=diff/keys-differ-by-case"


def test_failed_case_tells_its_story_and_nothing_of_ours(run_pytest: RunPytest) -> None:
    """What was done, expected and got, the rule, and how to run it again."""
    result = run_pytest("--podsource-impl=wrong", CASE)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "FAILED diff/keys-differ-by-case   step 1 of 1: *",
            "*done*expected*got*",
            "*<- they part here",
            "  kubelet   *",
            "  met by    *",
            "  again     pytest --podsource-impl=wrong --podsource-case=diff/keys-*",
        ]
    )
    assert ".py:" not in result.stdout.str()


def test_story_repeats_the_options_that_matter(run_pytest: RunPytest) -> None:
    """The line to run it again has kubelet and seed, and no selection."""
    result = run_pytest(
        "--podsource-impl=wrong", "--podsource-kubelet=1.34", "--podsource-seed=7", CASE
    )

    result.stdout.fnmatch_lines(
        ["*again * --podsource-kubelet=1.34 --podsource-seed=7 --podsource-case=diff/*"]
    )


def test_crashed_case_shows_the_implementations_own_lines(
    run_pytest: RunPytest,
) -> None:
    """Its traceback is there, without frames of this package."""
    result = run_pytest("--podsource-impl=broken", CASE)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["CRASHED diff/keys-differ-by-case*", "*RuntimeError: out of order*"]
    )
    assert "pytest_podsource/" not in result.stdout.str()


def test_skipped_cases_say_their_verdict_first(run_pytest: RunPytest) -> None:
    """Unsupported and not applicable are words that -rs shows."""
    result = run_pytest(
        "--podsource-impl=right", "--podsource-component=diff,ready", "-rs"
    )

    result.stdout.fnmatch_lines(["SKIPPED *: unsupported: ready is not offered"])


def test_case_at_fault_is_an_error(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """What is no fault of the implementation is an error, not a failure."""
    _own_case(pytester, "steps: [{call: {diff_snapshots: {old: {}, new: {}, x: 1}}}]")

    result = run_pytest(
        "--podsource-impl=right", "--podsource-cases=mine", "podsource/own"
    )

    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["SETUP FAILED own/diff/x*"])


def test_nothing_run_is_exit_code_5(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Only skipped cases are not green, even beside a test that passed."""
    pytester.makepyfile(test_mine="def test_mine(): pass")

    result = run_pytest("--podsource-impl=right", "--podsource-component=ready")

    assert result.parseoutcomes()["passed"] == 1
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["No case was run."])


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_fewer_than_min_is_not_green(
    run_pytest: RunPytest, workers: tuple[str, ...]
) -> None:
    """A selection that lost its cases is seen."""
    arguments = ("--podsource-impl=right", "podsource/diff", *workers)

    enough = run_pytest(*arguments, "--podsource-min=10")
    fewer = run_pytest(*arguments, "--podsource-min=11")

    assert enough.ret == pytest.ExitCode.OK
    assert fewer.ret == pytest.ExitCode.TESTS_FAILED
    fewer.stdout.fnmatch_lines(["10 cases were run; --podsource-min asks for 11."])


def test_required_component_that_lacks_fails(run_pytest: RunPytest) -> None:
    """What was unsupported is failed, and says why."""
    result = run_pytest(
        "--podsource-impl=right",
        "--podsource-require=ready",
        "podsource/ready/twice-is-once.yaml",
    )

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["--podsource-require names ready: ready is not offered."]
    )


def test_stories_of_passed_cases_are_told_if_asked(run_pytest: RunPytest) -> None:
    """Their steps are kept with the report."""
    result = run_pytest("--podsource-impl=right", "--podsource-stories", "-rP", CASE)

    result.stdout.fnmatch_lines(["PASSED diff/keys-differ-by-case*", "*done*expected*"])


def test_junit_report_carries_id_and_verdict(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Reports of pytest's own say which case it was and what came of it."""
    run_pytest("--podsource-impl=wrong", "--junitxml=junit.xml", CASE)

    text = (pytester.path / "junit.xml").read_text()
    assert '<property name="podsource_case" value="diff/keys-differ-by-case" />' in text
    assert '<property name="podsource_verdict" value="failed" />' in text


def _own_case(pytester: pytest.Pytester, body: str) -> None:
    folder = pytester.mkdir("mine") / "diff"
    folder.mkdir()
    (folder / "x.yaml").write_text(f"title: t\nwhy: w\nfacts: [CONFIG-24]\n{body}\n")
