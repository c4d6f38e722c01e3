"""
``--podsource-baseline``: known failures, which stay true.
"""

from __future__ import annotations

import pytest

from tests.plugin.conftest import RunPytest

WRONG = ("--podsource-impl=wrong", "podsource/diff")


def test_written_baseline_makes_the_next_run_green(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """What failed is known, with a reason that is shown."""
    first = run_pytest(*WRONG, "--podsource-baseline-write=known.txt")

    second = run_pytest(*WRONG, "--podsource-baseline=known.txt", "-rs")

    failed = first.parseoutcomes()["failed"]
    assert second.ret == pytest.ExitCode.OK
    assert second.parseoutcomes()["skipped"] == failed
    second.stdout.fnmatch_lines(["SKIPPED *: known: failed: expected: *; got: *"])


def test_reasons_of_a_person_survive_a_rewrite(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Writing the list anew keeps what was explained."""
    known = pytester.path / "known.txt"
    known.write_text("diff/keys-differ-by-case   we fold case on purpose\n")

    run_pytest(
        *WRONG, "--podsource-baseline=known.txt", "--podsource-baseline-write=known.txt"
    )

    lines = known.read_text().splitlines()
    assert "diff/keys-differ-by-case   we fold case on purpose" in lines
    assert len(lines) > 5


def test_entry_that_passes_fails_the_run(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """A fault that was mended leaves the list."""
    (pytester.path / "known.txt").write_text("diff/keys-differ-by-case  long ago\n")

    result = run_pytest(
        "--podsource-impl=right", "podsource/diff", "--podsource-baseline=known.txt"
    )

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1, passed=17)
    result.stdout.fnmatch_lines(
        [
            "diff/keys-differ-by-case is in the baseline, but it passes. Take it out there."
        ]
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_entry_that_no_case_has_fails_the_run(
    run_pytest: RunPytest, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    """An id with a slip would hide nothing and nobody would know."""
    (pytester.path / "known.txt").write_text("diff/nope  a slip\n")

    result = run_pytest(
        "--podsource-impl=right",
        "podsource/diff",
        "--podsource-baseline=known.txt",
        *workers,
    )

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["known.txt: there is no case diff/nope. Take it out*"])


FAULTS = {
    "reason": ("diff/keys-differ-by-case\n", "known.txt, line 1: *has no reason.*"),
    "twice": ("a/b x\na/b y\n", "known.txt, line 2: 'a/b' is there twice."),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS)
def test_baseline_of_another_form_is_a_usage_error(
    run_pytest: RunPytest, pytester: pytest.Pytester, text: str, message: str
) -> None:
    """The line is named."""
    (pytester.path / "known.txt").write_text(text)

    result = run_pytest(*WRONG, "--podsource-baseline=known.txt")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
