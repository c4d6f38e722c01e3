"""
The handbook says of each rule what holds it up, and of each case what it shows.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

from pytest_podsource.record import load_records
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases
from pytest_podsource.suite.story import load_origins

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
sys.path.append(str(SCRIPTS))
build_docs = importlib.import_module("build_docs")
handbook = importlib.import_module("handbook")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    sources = handbook.Sources(
        cases=load_cases(bundled_root() / "cases"),
        records=load_records(bundled_root() / "recorded"),
        origins=load_origins(),
        odd=frozenset(build_docs.odd_facts()),
        timeline=lambda case: [f"  timeline of {case.id}"],
    )
    made: dict[str, str] = handbook.pages(sources)
    return made


def test_every_rule_and_every_case_has_one_place(pages: dict[str, str]) -> None:
    """A link to it leads there, from each of the pages."""
    anchors = re.findall(r"^\((.*)\)=$", "\n".join(pages.values()), re.MULTILINE)
    links = set(re.findall(r"\]\(#(.*?)\)", "\n".join(pages.values())))
    files = {case.file_id for case in load_cases(bundled_root() / "cases")}

    assert len(anchors) == len(set(anchors))
    assert len(anchors) == len(files) + len(load_origins().facts)
    assert links - set(anchors) == set()


def test_rule_has_versions_place_evidence_and_reports(pages: dict[str, str]) -> None:
    """Here one that all kubelets confirm, and people met."""
    rule = pages["file.md"].partition("### FILE-09")[2].partition("### FILE-10")[0]

    assert "- Versions: all" in rule
    assert "- In the kubelet: pkg/kubelet/config/file.go extractFromDir" in rule
    assert (
        "- Evidence: confirmed by 1.1.1, 1.20.15, 1.30.14, 1.34.0, 1.36.3, 1.37.2;"
        in rule
    )
    assert "[file/any-extension-is-read](#case-file-any-extension-is-read)" in rule
    assert "- Met by kubernetes/kubernetes#136962" in rule


def test_case_has_its_rules_and_its_timeline(pages: dict[str, str]) -> None:
    """And its rows, the first of which is shown."""
    case = pages["file.md"].partition("### file/any-extension-is-read")[2]

    assert "Rules: [FILE-09](#fact-file-09); all kubelets; confirmed by" in case
    assert "Rows: `text`, `none`" in case
    assert "```text\ntimeline of file/any-extension-is-read:text\n```" in case


def test_differences_and_surprises_are_listed(pages: dict[str, str]) -> None:
    """By component."""
    assert "- [FILE-28](#fact-file-28) (1.1.1): " in pages["differences.md"]
    assert "FILE-09](" not in pages["differences.md"]
    assert "- [FILE-18](#fact-file-18): " in pages["surprises.md"]
    assert "FILE-10](" not in pages["surprises.md"]
