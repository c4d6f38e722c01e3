"""
``podsource cases --export``: cases that can be run without Python.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from pytest_podsource.cli import commands
from pytest_podsource.contract import Config
from pytest_podsource.core.backoff import Backoff
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases
from pytest_podsource.suite.export import exported
from pytest_podsource.world.clock import CaseClock

SCHEMA = "exported-case.schema.json"


def export(folder: Path, *arguments: str) -> list[Path]:
    result = CliRunner().invoke(
        commands, ["cases", *arguments, "--export", str(folder)]
    )
    assert result.exit_code == 0, result.output
    return sorted(folder.glob("*/*/*.json"))


def test_export_writes_a_file_for_each_row_that_holds(tmp_path: Path) -> None:
    """By kubelet and component, with the schema beside."""
    found = export(tmp_path, "backoff", "--kubelet=1.1", "--kubelet=1.37")

    names = {path.relative_to(tmp_path).as_posix() for path in found}
    assert "1.37/backoff/next-doubles--max-5s.json" in names
    assert "1.1/backoff/custom-expiry-decides-in-gc.json" not in names
    assert "1.37/backoff/custom-expiry-decides-in-gc.json" in names
    assert (tmp_path / SCHEMA).is_file()


@pytest.mark.parametrize("kubelet", ["1.37", "1.1"])
def test_every_case_can_be_exported_and_fits_the_schema(kubelet: str) -> None:
    """Whatever there is in a case is plain JSON."""
    schema = json.loads((bundled_root() / SCHEMA).read_text())
    validator = Draft202012Validator(schema)

    for case in load_cases(bundled_root() / "cases"):
        if case.holds_for(kubelet):
            told = json.loads(json.dumps(exported(case, kubelet)))
            fault = next(validator.iter_errors(told), None)
            assert fault is None, (case.id, fault)


def test_exported_backoff_cases_can_be_run_by_twenty_lines(tmp_path: Path) -> None:
    """Here in Python, but with nothing of the suite: all pass on the reference."""
    paths = export(tmp_path, "backoff")

    faults = [
        fault for path in paths for fault in _faults(json.loads(path.read_text()))
    ]

    assert len(paths) >= 40
    assert faults == []


def test_kubelet_without_export_says_what_to_add() -> None:
    """A list has no kubelet."""
    result = CliRunner().invoke(commands, ["cases", "--kubelet=1.37"])

    assert result.exit_code == 2
    assert "Add --export FOLDER" in result.output


def _faults(case: dict[str, Any]) -> list[str]:
    clock, config = CaseClock(), Config(**{**case["config"], "headers": ()})
    backoff = Backoff(
        clock,
        config.initial_ns,
        config.max_ns,
        jitter_factor=config.jitter_factor,
        expires_after_ns=config.expires_after_ns,
        random=iter([0.25, *[0.5] * 99]).__next__,
    )
    faults = []
    for step in case["steps"]:
        if step["verb"] == "advance":
            clock.advance(step["argument"])
        elif step["verb"] == "call":
            given = {
                {"id": "id_"}.get(name, name): value
                for name, value in step["argument"]["arguments"].items()
            }
            value = getattr(backoff, step["argument"]["method"])(**given)
            wanted = step["expectations"].get("returns", value)
            if isinstance(wanted, dict):
                low, high = wanted["between"]
                fits = low <= value <= high
            else:
                fits = value == wanted or str(wanted).startswith("$")
            faults += [] if fits else [f"{case['id']}: {value} is not {wanted}"]
    return faults
