"""
``podsource explain`` and ``completion``: what is known about a name, and their help.
"""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

from pytest_podsource.cli import commands
from pytest_podsource.data import table
from pytest_podsource.findings import RULES

WITH_EXAMPLES = ("diff", "explain", "record", "watch")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, arguments)


def test_a_fact_is_told_with_cases_findings_and_reports() -> None:
    """In any case of its letters."""
    text = run("explain", "file-10").stdout

    assert "Names that begin with a dot are not listed" in text
    assert "pkg/kubelet/config/file.go extractFromDir" in text
    assert "shown by  file/dir-ignores-dotfiles" in " ".join(text.split("\n"))
    assert "check: dot-file" in text


def test_a_report_is_told_with_its_cases() -> None:
    """And the facts that they show."""
    text = run("explain", "R16").stdout

    assert "kubernetes/kubernetes#52939" in text
    assert "sources/edit-is-remove-then-add" in text
    assert "CONFIG-48" in text


def test_a_case_is_told_with_answers_and_timeline() -> None:
    """What kubelets answered, and what happens when."""
    text = run("explain", "sources/edit-is-remove-then-add").stdout

    assert "1.37.2 confirms 1 of 1" in text
    timeline = [line.strip() for line in text.partition("Timeline")[2].splitlines()]
    assert timeline[1:] == [
        "0 s  start",
        "-> ADD file [a-node1 uid=$old]",
        "0 s  place a.yaml",
        "-> REMOVE file [a-node1 uid=$old]",
        "-> ADD file [a-node1 uid=$new]",
    ]


def test_a_case_that_does_not_hold_has_no_timeline() -> None:
    """It says so."""
    text = run("explain", "sources/edit-is-remove-then-add", "--kubelet=1.1").stdout

    assert "It doesn't hold for 1.1, so there is no timeline." in text


@pytest.mark.parametrize("code", RULES)
def test_each_finding_is_told_with_facts_that_exist(code: str) -> None:
    """No finding without a fact behind it."""
    text = run("explain", code).stdout

    assert RULES[code].facts
    assert set(RULES[code].facts) <= table("facts").keys()
    assert text.startswith(f"{code}  ({RULES[code].level})")


def test_an_unknown_name_is_told() -> None:
    """With names that would have been right."""
    assert "Right would be such as FILE-10" in str(run("explain", "nope").exception)


@pytest.mark.parametrize("name", ["FILE-10", "R16", "file/dir-ignores-dotfiles"])
def test_text_fits_on_80_columns(name: str) -> None:
    """For each kind of name."""
    assert max(map(len, run("explain", name).stdout.splitlines())) <= 80


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    """Which asks the command itself."""
    result = run("completion", shell)

    assert result.exit_code == 0
    assert "_PODSOURCE_COMPLETE" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "incomplete", "expected"),
    [
        ([], "ch", "check"),
        (["explain"], "FILE-1", "FILE-10"),
        (["explain"], "same", "same-pod"),
        (["explain"], "file/dir-ignores", "file/dir-ignores-dotfiles"),
        (["check", "--kubelet"], "1.3", "1.37"),
        (["check", "--format"], "g", "github"),
    ],
)
def test_names_are_completed(
    arguments: list[str], incomplete: str, expected: str
) -> None:
    """Commands, options' values and what can be explained."""
    complete = ShellComplete(commands, {}, "podsource", "_PODSOURCE_COMPLETE")

    found = [each.value for each in complete.get_completions(arguments, incomplete)]

    assert expected in found


@pytest.mark.parametrize(
    "name", [*("backoff", "cases", "check", "completion", "decode"), *WITH_EXAMPLES]
)
def test_help_has_examples(name: str) -> None:
    """Each is one of this command, and all fit on 80 columns."""
    text = run(name, "--help").stdout

    examples = text.partition("Examples:\n")[2].splitlines()
    assert examples
    assert all(f"podsource {name}" in line for line in examples)
    assert max(map(len, text.splitlines())) <= 80
