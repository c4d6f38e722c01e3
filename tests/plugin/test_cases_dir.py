"""
``--podsource-cases``: cases of one's own, in the same form.
"""

from __future__ import annotations

import pytest

from tests.plugin.conftest import RunPytest

HEAD = "title: t\nwhy: w\nfacts: [CONFIG-24]\n"
GOOD = HEAD + (
    "steps: [{call: {diff_snapshots: {old: {}, new: {a: 1}}},"
    " returns: {added: [a], updated: [], removed: []}}]\n"
)


def _write(pytester: pytest.Pytester, name: str, text: str) -> None:
    path = pytester.path / "mine" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_own_cases_have_ids_below_own(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """They run beside the bundled ones and can be named alone."""
    _write(pytester, "diff/mine.yaml", GOOD)

    both = run_pytest("--podsource-impl=right", "--podsource-cases=mine", "podsource")
    alone = run_pytest(
        "--podsource-impl=right",
        "--podsource-cases=mine",
        "podsource/own/diff/mine.yaml::case",
    )

    assert both.parseoutcomes()["passed"] == 19
    alone.assert_outcomes(passed=1)


FAULTS = {
    "key": (
        GOOD + "stepps: []\n",
        "*mine/diff/x.yaml*5*stepps*",
    ),
    "missing": ("title: t\nwhy: w\nsteps: [{start: }]\n", "*x.yaml*'facts'*"),
    "verb": (HEAD + "steps:\n- {strat: }\n", "*x.yaml*5*strat*"),
    "yaml": (HEAD + "steps: [\n", "*x.yaml*line*"),
    "twice": (GOOD + "title: u\n", "*x.yaml*title*"),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS)
def test_case_that_breaks_the_form_names_file_line_and_key(
    run_pytest: RunPytest, pytester: pytest.Pytester, text: str, message: str
) -> None:
    """It is found before it runs, and told without a line of ours."""
    _write(pytester, "diff/x.yaml", text)

    result = run_pytest(
        "--podsource-impl=right", "--podsource-cases=mine", "podsource/own"
    )

    assert result.ret not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    result.stdout.fnmatch_lines([message])
    assert "pytest_podsource/" not in result.stdout.str() + result.stderr.str()


def test_folder_that_is_no_component_is_told(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """A case lies in the folder of its component."""
    _write(pytester, "kafka/x.yaml", GOOD)

    result = run_pytest(
        "--podsource-impl=right", "--podsource-cases=mine", "podsource/own"
    )

    result.stdout.fnmatch_lines(["*x.yaml: 'kafka' is not a component.*file*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in result.stderr.str()
