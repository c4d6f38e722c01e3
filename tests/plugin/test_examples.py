"""
The example file sources: four shapes, one suite, the same verdicts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import RunPytest

FOLDER = Path(__file__).parents[2] / "examples" / "file_source"
SHAPES = ("callbacks", "blocking", "coroutines")
LISTING = (
    "file/lists-at-once-and-every-period",
    "file/every-listing-is-sent",
    "file/dir-ignores-dotfiles",
    "file/any-extension-is-read",
    "file/a-directory-without-pods-is-an-empty-set",
)
WATCHING = (
    "file/a-new-file-is-told-at-once",
    "file/dot-names-are-ignored-by-the-watch",
    "file/a-deleted-file-takes-its-pod-along",
    "file/moving-out-and-in",
)
"""What all three get right; the patched one has no watch."""


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples find the module that they share."""
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))


def _arguments(shape: str, *ids: str) -> list[str]:
    cases = [f"--podsource-case={each}" for each in ids]
    return [f"--podsource-impl={FOLDER / shape}.py", *cases]


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_passes_the_cases_of_listing_and_watching(
    shape: str, run_pytest: RunPytest
) -> None:
    """Callbacks, threads and asyncio are served alike."""
    result = run_pytest(*_arguments(shape, *LISTING, *WATCHING))

    outcomes = result.parseoutcomes()
    assert outcomes["passed"] >= len(LISTING) + len(WATCHING)
    assert "failed" not in outcomes
    assert "errors" not in outcomes


def test_a_module_never_written_for_this_passes_in_patched_time(
    run_pytest: RunPytest,
) -> None:
    """Its sleeps take the case's time; it has no watch, so listing is what it can."""
    result = run_pytest(*_arguments("plain", *LISTING), "--podsource-time=patched")

    outcomes = result.parseoutcomes()
    assert outcomes["passed"] >= len(LISTING)
    assert "failed" not in outcomes


def test_what_the_examples_get_wrong_is_told(run_pytest: RunPytest) -> None:
    """They list again at each event, so a broken file loses its pod too early."""
    result = run_pytest(
        *_arguments("callbacks", "file/a-file-gone-bad-keeps-its-pod-until-the-listing")
    )

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*FILE-43*"])
