"""
Manifests in the style of what people run: ``check`` says what the kubelets say.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_podsource.contract import Config
from pytest_podsource.findings import check_manifest
from tests.findings.agreement import (
    ANSWERS,
    MINORS,
    agree,
    built,
    certain_edits,
    check_disagreements,
    collected_answers,
    collection,
    diff_disagreements,
    fields_of_ours,
    generated_texts,
    kubelet,
)

PATHS = {path.name: path for path in collection() if path != ANSWERS}
KEPT: dict[str, dict[str, Any]] = json.loads(ANSWERS.read_text())


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("name", PATHS)
def test_check_says_what_the_kubelet_has_said(name: str, minor: str) -> None:
    """Taken or refused, and the same field is named."""
    config = Config(kubelet=minor, node_name="node1", path=f"/m/{name}")

    verdict = check_manifest(PATHS[name].read_bytes(), name, config)

    fields = KEPT[minor][name]
    assert verdict.taken == (fields is None)
    assert verdict.taken or agree(fields_of_ours(verdict), fields)


def test_the_collection_is_large_and_has_both() -> None:
    """Sound ones and odd ones, and versions part on some."""
    taken = {minor: sum(v is None for v in KEPT[minor].values()) for minor in MINORS}

    assert len(PATHS) >= 60
    assert taken["1.20"] > taken["1.37"] > len(PATHS) / 2


@pytest.fixture(params=MINORS)
def minor(request: pytest.FixtureRequest) -> str:
    if not built(request.param):
        pytest.skip(f"kubelet-{request.param} isn't built; adapters/kubelet/build does")
    return str(request.param)


def test_what_is_kept_is_what_the_kubelet_says(minor: str) -> None:
    """``agreement.py answers`` writes it anew."""
    assert collected_answers(minor) == KEPT[minor]


def test_check_agrees_over_some_generated_manifests(minor: str) -> None:
    """``agreement.py check`` has many more."""
    with kubelet(minor) as driver:
        told = list(check_disagreements(driver, generated_texts(50, 3), minor))

    assert told == []


def test_diff_agrees_over_some_generated_edits(minor: str) -> None:
    """``agreement.py diff`` has many more."""
    with kubelet(minor) as driver:
        told = list(diff_disagreements(driver, certain_edits(25, 3), minor))

    assert told == []
