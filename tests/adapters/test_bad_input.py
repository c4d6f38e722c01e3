"""
What is bad for a kubelet gets a verdict, and the next case runs on the same adapter.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.driver.stdio import StdioDriver, launch
from pytest_podsource.exceptions import Crashed, DriverError
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.verdict import Outcome
from pytest_podsource.world.simulated import SimulatedWorld

BIN = Path(__file__).parents[2] / "adapters" / "kubelet" / "bin"
MINORS = ("1.1", "1.20", "1.30", "1.34", "1.36", "1.37")
BAD: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]], str, str]] = {
    "a channel without a name": (
        "podconfig",
        {},
        [{"call": {"channel": ""}}],
        "crashed",
        "empty name",
    ),
    "a URL that is fetched again at once": (
        "http",
        {"period": "0s", "replies": [{"pod": "a"}]},
        [{"start": None}],
        "failed",
        "spins",
    ),
}
PERIOD = ("file", {"period": "0s"}, [{"start": None}])


@pytest.fixture(params=MINORS)
def minor(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if not (BIN / f"kubelet-{name}").exists():
        pytest.skip(f"kubelet {name} isn't built. Run adapters/kubelet/build {name}.")
    return name


@pytest.fixture
def adapter(minor: str) -> Iterator[StdioDriver]:
    driver = launch(str(BIN / f"kubelet-{minor}"), minor)
    yield driver
    driver.close()


def outcome(
    adapter: StdioDriver,
    minor: str,
    component: str,
    given: dict[str, Any],
    steps: list[dict[str, Any]],
) -> Outcome:
    case = Case(
        id=f"{component}/made-up",
        component=component,
        row="",
        path=Path("made-up.yaml"),
        title="",
        why="",
        facts=(),
        reports=(),
        versions="",
        level="base",
        features=frozenset(),
        given=given,
        steps=tuple(steps),
        may_equal=frozenset(),
        hash="",
    )
    return run_case(case, adapter, SimulatedWorld, kubelet=minor)


def works(adapter: StdioDriver, minor: str) -> bool:
    """Run a case that asks for nothing odd."""
    expected = [{"SET": ["a-node1"]}]
    given = {"files": {"a": {"pod": "a"}}}
    good = outcome(
        adapter, minor, "file", given, [{"start": None, "expect": expected}]
    )
    return good.verdict == "passed"


@pytest.mark.parametrize("what", BAD)
def test_bad_input_gets_a_verdict_and_the_next_case_runs(
    adapter: StdioDriver, minor: str, what: str
) -> None:
    """A panic or an endless loop of the kubelet's ends one case only."""
    component, given, steps, verdict, about = BAD[what]

    bad = outcome(adapter, minor, component, given, steps)

    assert (bad.verdict, about in bad.reason) == (verdict, True), bad.reason
    assert works(adapter, minor)


def test_a_period_of_zero_gets_a_verdict_and_the_next_case_runs(
    adapter: StdioDriver, minor: str
) -> None:
    """1.1 reads its files again and again; the others panic over their ticker."""
    bad = outcome(adapter, minor, *PERIOD)

    expected = ("failed", "spins") if minor == "1.1" else ("crashed", "non-positive")
    assert (bad.verdict, expected[1] in bad.reason) == (expected[0], True), bad.reason
    assert works(adapter, minor)


def test_an_unknown_method_gets_a_verdict_and_the_next_case_runs(
    adapter: StdioDriver, minor: str
) -> None:
    """The suite wouldn't send one; an adapter of another version may lack one."""
    case = outcome(adapter, minor, "podconfig", {}, [{"call": {"frobnicate": {}}}])

    assert case.verdict in {"setup failed", "harness error"}
    assert works(adapter, minor)


@pytest.mark.parametrize("line", [b"rubbish", b"[1]", b'{"id":5}', b"[" * 20_000])
def test_a_malformed_message_gets_a_verdict_and_the_next_case_runs(
    adapter: StdioDriver, minor: str, line: bytes
) -> None:
    """The adapter says that the line is no message; the suite starts it anew."""
    before = adapter.pid
    adapter._peer.child.write(line + b"\n")

    with pytest.raises((DriverError, Crashed)):
        adapter._peer.demand("initialize", {"protocol": 1, "kubelet": minor})

    assert works(adapter, minor)
    assert adapter.pid != before
