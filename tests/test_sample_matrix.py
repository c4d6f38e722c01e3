"""
The sample matrix has a column for everything here that can be tested.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from pytest_podsource.suite.bundled import bundled_root
from tests.miniatures import MINIATURES

sys.path.append(str(Path(__file__).resolve().parents[1] / "scripts"))
sample_matrix = importlib.import_module("sample_matrix")


def test_columns_are_the_reference_the_examples_and_all_miniatures() -> None:
    """Each by a name of its own; kubelets where they are built."""
    columns = {entry.name: entry.options for entry in sample_matrix.entries()}

    assert len(columns) == len(list(sample_matrix.entries()))
    assert "reference" in columns
    assert {"callbacks", "blocking", "coroutines", "plain"} <= columns.keys()
    assert {"chokidar", "notify", "watchdog", "watchfiles"} <= columns.keys()
    assert {each.made.__name__ for each in MINIATURES} <= columns.keys()


@pytest.mark.parametrize("name", ["kubelet-1.20", "kubelet-9.9", "other"])
def test_program_is_compared_with_the_kubelet_of_its_name(name: str) -> None:
    """A kubelet with its own version; anything else with the newest."""
    options = sample_matrix.of_program(sample_matrix.ROOT / "adapters/x/bin" / name)

    assert options[0] == f"--podsource-impl=cmd:adapters/x/bin/{name}"
    assert options[1:] == (
        ("--podsource-kubelet=1.20",) if name == "kubelet-1.20" else ()
    )


def test_component_of_a_miniature_has_cases() -> None:
    """Otherwise its column would be empty."""
    components = {
        component
        for entry in sample_matrix.entries()
        for option in entry.options
        if option.startswith("--podsource-component=")
        for component in option.partition("=")[2].split(",")
    }

    assert all((bundled_root() / "cases" / name).is_dir() for name in components)


def test_builds_to_measure_with_are_left_out(tmp_path: Path) -> None:
    """Coverage of a kubelet is no implementation of its own; a text is no program."""
    for name, mode in (("kubelet-1.20", 0o755), ("kubelet-1.20-cover", 0o755)):
        (tmp_path / name).touch(mode)
    (tmp_path / "notes").touch(0o644)

    found = [p.name for p in sorted(tmp_path.iterdir()) if sample_matrix.is_program(p)]

    assert found == ["kubelet-1.20"]
