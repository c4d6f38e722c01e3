"""
The linter finds what would make a case say less than it seems to.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.suite.case import Case
from pytest_podsource.suite.lint import lint
from pytest_podsource.suite.story import Origins

MakeCase = Callable[..., Case]
ORIGINS = Origins(facts={"CONFIG-15": {}}, reports={"R16": {}})
TWO = ["a", "b"]


def _expects(entry: Any) -> dict[str, Any]:
    return {"start": None, "expect": [entry]}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"reports": ("R16",)},
        {"id": "own/podconfig/x:row-1.1"},
    ],
)
def test_sound_case_has_no_findings(a_case: MakeCase, fields: Any) -> None:
    """Nothing is said about a case that is as it should be."""
    case = a_case(
        {"send": {"file": TWO}, "expect": [{"ADD": TWO}]},
        {"repeat": {"call": {"channel": "c${it}"}}, "for": {"range": 2}},
        **fields,
    )

    assert lint([case], ORIGINS) == []


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        ({"facts": ("FILE-99",)}, "facts: there is no fact FILE-99."),
        ({"reports": ("R99",)}, "reports: there is no report R99."),
        ({"id": "podconfig/X"}, "podconfig/X is no id."),
        ({"given": {"period": "soon"}}, "given: period can't be 'soon'"),
        ({"given": {"path": "${p}"}}, "given: the variable 'p' is nowhere given."),
    ],
)
def test_fault_of_a_case_is_found(a_case: MakeCase, fields: Any, finding: str) -> None:
    """Each finding names the file."""
    (found,) = lint([a_case({"start": None}, **fields)], ORIGINS)

    assert found.startswith("cases/podconfig/x.yaml")
    assert finding in found


@pytest.mark.parametrize(
    ("step", "finding"),
    [
        ({"call": {"nothing": None}}, "step 1: 'nothing' is no method."),
        ({"write": {"a": {}}}, "step 1: a content has one of"),
        ({"send": {}}, "step 1: send takes one source"),
        ({"deliver": {}}, "step 1: deliver takes one operation"),
        ({"advance": "20"}, "step 1: advance can't be '20'"),
        ({"remove": "${name}"}, "step 1: the variable 'name' is nowhere given."),
        ({"start": None, "expect": ["${it}"]}, "the variable 'it' is nowhere given."),
        (_expects({"ADD": [{"uid": "0" * 32}]}), "a UID is expected literally."),
        (_expects({"REMOVE": TWO}), "step 1: the order of REMOVE is open."),
    ],
)
def test_fault_of_a_step_is_found(a_case: MakeCase, step: Any, finding: str) -> None:
    """Each finding names the step."""
    (found,) = lint([a_case(step)], ORIGINS)

    assert finding in found


def test_variables_of_a_content_are_its_own(a_case: MakeCase) -> None:
    """They are given where the content is."""
    content = {"text": "${x}", "vars": {"x": 1}}
    case = a_case({"write": {"a": content}}, given={"files": {"b": content}})

    assert lint([case], ORIGINS) == []


@pytest.mark.parametrize(
    ("component", "given", "entry", "open_"),
    [
        ("file", {}, {"SET": TWO}, True),
        ("file", {}, {"SET": {"any_order": TWO}}, False),
        ("file", {}, {"SET": ["a"]}, False),
        ("api", {}, {"SET": TWO}, True),
        ("http", {}, {"SET": TWO}, False),
        ("podconfig", {}, {"ADD": TWO}, False),
        ("sources", {"files": {}}, {"ADD": TWO}, True),
        ("sources", {}, {"ADD": TWO}, True),
        ("sources", {"sources": ["http"]}, {"ADD": TWO}, False),
        ("sources", {"api": {}}, {"UPDATE": TWO}, True),
        ("sources", {"replies": []}, {"ADD": TWO}, False),
        ("sources", {"files": {}}, {"ADD": TWO, "source": "http"}, False),
        ("http", {}, {"any_order": [{"REMOVE": TWO}]}, True),
        ("http", {}, {"one_of": [[{"ADD": TWO}], [{"REMOVE": TWO}]]}, True),
    ],
)
def test_order_of_a_directory_and_of_the_apiserver_is_open(
    a_case: MakeCase, component: str, given: Any, entry: Any, *, open_: bool
) -> None:
    """Since 1.20 their pods come in the order of a map; so do removed ones."""
    stream = entry if entry.keys() & {"any_order", "one_of"} else [entry]
    step = {"start": None, "expect": stream}

    now = lint([a_case(step, component=component, given=given)], ORIGINS)
    then = lint(
        [a_case(step, component=component, given=given, versions="1.1")], ORIGINS
    )

    assert ["is open. Say any_order." in each for each in now] == [True] * open_
    assert then == []


def test_steps_after_a_spin_are_never_done(a_case: MakeCase) -> None:
    """They would look like more than there is."""
    case = a_case({"start": None, "spins": True}, {"stop": None})

    (found,) = lint([case], ORIGINS)

    assert "'spins' ends the case." in found


def test_id_that_is_there_twice_is_found(a_case: MakeCase) -> None:
    """Both files are told by the id that they share."""
    other = a_case({"start": None}, path=Path("elsewhere.yaml"))

    found = lint([a_case({"start": None}), other], ORIGINS)

    assert found == ["elsewhere.yaml: the id podconfig/x is there twice."]


def test_row_that_does_what_another_does_is_found(a_case: MakeCase) -> None:
    """Its variables are put in nowhere, so it shows nothing."""
    rows = [a_case({"advance": "1s"}, id=f"podconfig/x:{row}", row=row) for row in "ab"]
    other = a_case({"advance": "2s"}, id="podconfig/x:c", row="c")

    (found,) = lint([*rows, other], ORIGINS)

    assert "row b does what row a does" in found
