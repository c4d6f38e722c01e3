"""
The adapter for Python modules: behind it, an implementation does as in this process.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import load_driver
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.story import Origins, tell
from pytest_podsource.suite.verdict import Outcome
from pytest_podsource.world.simulated import SimulatedWorld

REFERENCE = "pytest_podsource.reference"
SAMPLE = str(Path(__file__).with_name("served_sample.py"))
EXAMPLE = Path(__file__).parent.parent / "docs/how-to/examples/adapter.py"
SERVE = shlex.join([sys.executable, "-m", "pytest_podsource.adapter", SAMPLE])


@pytest.fixture(scope="module")
def served() -> Iterator[Driver]:
    driver = load_driver(f"cmd:{SERVE}")
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def in_process() -> Driver:
    return load_driver(SAMPLE)


def case(component: str, given: dict[str, Any], *steps: dict[str, Any]) -> Case:
    return Case(
        id=f"{component}/sample",
        component=component,
        row="",
        path=Path("sample.yaml"),
        title="",
        why="",
        facts=(),
        reports=(),
        versions="",
        level="base",
        features=frozenset(),
        given=given,
        steps=steps,
        may_equal=frozenset(),
        hash="",
    )


def run(case_: Case, driver: Driver) -> Outcome:
    return run_case(case_, driver, SimulatedWorld, kubelet="1.37")


FILE = case(
    "file",
    {"files": {"a": {"text": "x"}}, "period": "5s"},
    {"start": None, "expect": [{"SET": ["a"], "at": "0s"}], "watches": ["0s"]},
    {"write": {"a": {"text": "y"}}, "events": {"ends_with": [{"reason": "write"}]}},
    {"fault": {"on": "watch", "error": "overflow"}, "logs": [{"level": "error"}]},
    {"remove": "a", "events": []},
    {"advance": "11s", "expect": [{"SET": [], "at": "5s"}, {"SET": [], "at": "10s"}]},
)
NO_WATCH = case(
    "file",
    {"dir": "missing"},
    {"start": None, "logs": [{"level": "error", "errno": 2}]},
)
URL = case(
    "http",
    {
        "period": "1s",
        "replies": [{"text": "one", "delay": "600ms"}, {"error": "refused"}],
    },
    {"start": None, "expect": []},
    {
        "advance": "4s",
        "requests": [{"at": "1600ms"}, {"at": "2600ms"}, {"at": "3600ms"}],
        "expect": [
            {"SET": ["one"], "at": "600ms"},
            {"SET": ["ConnectionRefusedError"], "at": "1600ms"},
            {"SET": ["ConnectionRefusedError"], "at": "2600ms"},
            {"SET": ["ConnectionRefusedError"], "at": "3600ms"},
        ],
    },
)
API = case(
    "api",
    {"api": {"pods": ["a"]}, "answers": {"node_has_synced": False}},
    {"api": {"list_fails": 500}},
    {"start": None, "expect": []},
    {"answer": {"node_has_synced": True}},
    {"advance": "1s", "logs": [{"level": "error", "status": 500}], "requests": "any"},
    {"advance": "1s", "expect": [{"SET": ["a"], "at": "2s"}]},
    {"api": {"ADDED": "b"}, "expect": [{"SET": ["b"]}]},
    {"api": {"end": None}, "expect": [{"SET": []}]},
)
HELD = case(
    "podconfig",
    {"sources": ["file"]},
    {"send": {"file": ["a"]}, "blocked": False, "expect": [{"ADD": ["a"]}]},
    {"hold": None},
    {"send": {"file": ["b"]}, "blocked": False},
    {"send": {"file": ["c"]}, "blocked": True, "expect": []},
    {"release": None, "expect": [{"ADD": ["b"]}, {"ADD": ["c"]}]},
    {"call": {"seen_all_sources": ["file"]}, "returns": True},
    {"call": {"channel": ""}, "raises": True},
)
LOOP = case(
    "syncloop",
    {"wall": "1970-01-01T00:00:01Z"},
    {"start": None, "calls": [{"handle_pod_cleanups": ["1000000000"]}]},
    {"jump": "1s"},
    {"advance": "1s", "calls": [{"handle_pod_cleanups": ["3000000000"], "at": "1s"}]},
    {"deliver": {"ADD": ["a"]}, "calls": [{"handle_pod_additions": ["a"]}]},
    {"close": None, "raises": True},
)
FUNCTION = case(
    "manifest",
    {"node_name": "n"},
    {"call": {"decode_manifest": {"text": "pod"}}, "returns": ["n"]},
    {
        "call": {"decode_manifest": {"text": "x"}},
        "raises": {"parsed": True, "about": "x"},
    },
)
DIFF = case(
    "diff",
    {},
    {
        "call": {"diff_snapshots": {"old": {"a": 1}, "new": {"b": 1}}},
        "returns": {"added": ["b"], "updated": [], "removed": ["a"]},
    },
)
SPINS = case(
    "http", {"period": "0s", "replies": [{"text": "a"}]}, {"start": None, "spins": True}
)
CASES = (FILE, NO_WATCH, URL, API, HELD, LOOP, FUNCTION, DIFF, SPINS)


@pytest.mark.parametrize("sample", CASES, ids=lambda each: each.component)
@pytest.mark.parametrize("how", ["served", "in_process"])
def test_a_case_passes_whichever_way_it_is_reached(
    sample: Case, how: str, request: pytest.FixtureRequest
) -> None:
    """The adapter hides nothing and adds nothing."""
    outcome = run(sample, request.getfixturevalue(how))

    assert outcome.verdict == "passed", tell(outcome, Origins())


def test_an_exit_of_the_implementation_is_a_crash_and_the_next_case_runs(
    served: Driver,
) -> None:
    """Behind the adapter even the end of the process is survived."""
    exits = case("manifest", {}, {"call": {"decode_manifest": {"text": "exit"}}})

    outcome = run(exits, served)

    assert outcome.verdict == "crashed"
    assert "exit code 7" in outcome.reason
    assert run(FUNCTION, served).verdict == "passed"


def answers(*lines: str) -> list[dict[str, Any]]:
    """What a freshly started adapter answers to some lines."""
    done = subprocess.run(
        shlex.split(SERVE),
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("rubbish", -32700, "is not a message"),
        ('{"id": 1, "method": "frob"}', -32601, "unknown method 'frob'"),
        ('{"id": 1, "method": "settle"}', -32603, "No world has begun"),
        ('{"id": 1, "method": "world/begin", "params": {}}', -32602, "'wall_ns'"),
    ],
)
def test_what_cannot_be_answered_gets_an_error_and_the_adapter_goes_on(
    line: str, code: int, text: str
) -> None:
    """A message that doesn't fit is told apart by its code."""
    first, second = answers(line, '{"id": 2, "method": "initialize", "params": {}}')

    assert first["error"]["code"] == code
    assert text in first["error"]["message"]
    assert "file" in second["result"]["components"]


def test_without_an_implementation_the_adapter_says_how_it_is_used() -> None:
    """The one argument is the implementation."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest_podsource.adapter"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m pytest_podsource.adapter")


def test_the_adapter_of_the_docs_passes_the_cases_of_what_it_offers() -> None:
    """The page shows the very file, and the file is a whole adapter."""
    page = EXAMPLE.parent.parent / "adapt-my-program.md"
    code = EXAMPLE.read_text()
    driver = load_driver(f"cmd:{shlex.join([sys.executable, str(EXAMPLE)])}")

    try:
        outcomes = [
            run_case(each, driver, SimulatedWorld, kubelet="1.37")
            for each in load_cases(bundled_root() / "cases")
            if each.component == "diff" and each.level == "base"
        ]
    finally:
        driver.close()

    assert code[code.index("import json") :] in page.read_text()
    assert {each.verdict for each in outcomes} == {"passed"}


def test_the_bundled_cases_get_the_same_verdicts_either_way() -> None:
    """What the reference answers doesn't depend on how it is reached."""
    served = load_driver(
        f"cmd:{sys.executable} -m pytest_podsource.adapter {REFERENCE}"
    )
    cases = load_cases(bundled_root() / "cases")

    verdicts = [
        {each.id: run(each, driver).verdict for each in cases}
        for driver in (served, load_driver(REFERENCE))
    ]
    served.close()

    assert verdicts[0] == verdicts[1]
