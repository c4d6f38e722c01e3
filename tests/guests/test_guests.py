"""
Beside other plugins both still work; ``tox -e guests`` installs them all.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

MINE = """
def diff_snapshots(old, new):
    added = sorted(new.keys() - old.keys())
    updated = sorted(key for key in new.keys() & old.keys() if new[key] != old[key])
    return added, updated, sorted(old.keys() - new.keys())
"""
FLAKY = """
import itertools
_calls = itertools.count()

def diff_snapshots(old, new):
    import mine
    return ([], [], []) if next(_calls) == 0 else mine.diff_snapshots(old, new)
"""
ENDLESS = """
def diff_snapshots(old, new):
    while True:
        pass
"""
CASES = 18
ASK = ("podsource/diff", "test_own.py", "--podsource-impl=mine")


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """One with an implementation and a test of its own."""
    pytester.makepyfile(mine=MINE, flaky=FLAKY, endless=ENDLESS)
    if find_spec("pytest_asyncio"):
        pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makepyfile(test_own="def test_own():\n    assert True\n")
    return pytester


def needs(module: str) -> None:
    """Skip where the guest isn't installed."""
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed; tox -e guests has it")


def test_xdist(project: pytest.Pytester) -> None:
    """Two workers."""
    needs("xdist")

    result = project.runpytest_subprocess(*ASK, "-n2")

    result.assert_outcomes(passed=CASES + 1)


def test_cov(project: pytest.Pytester) -> None:
    """What the cases run of the implementation is counted."""
    needs("pytest_cov")

    result = project.runpytest_subprocess(*ASK, "--cov=mine", "--cov-report=term")

    result.assert_outcomes(passed=CASES + 1)
    result.stdout.re_match_lines([r"mine\.py +4 +0 +100%"])


def test_randomly(project: pytest.Pytester) -> None:
    """Cases are shuffled as tests are, and by the seed."""
    needs("pytest_randomly")
    orders = []
    for seed in (1, 2, 1):
        options = ("-v", f"--randomly-seed={seed}", "-p", "no:cacheprovider")
        result = project.runpytest_subprocess(*ASK, *options)
        result.assert_outcomes(passed=CASES + 1)
        orders.append([line.split()[0] for line in result.outlines if "PASSED" in line])

    assert orders[0] == orders[2] != orders[1]


def test_asyncio(project: pytest.Pytester) -> None:
    """A coroutine beside the cases, with a fixture of ours."""
    needs("pytest_asyncio")
    project.makepyfile(
        test_own="""
        import asyncio

        async def test_own(podsource_manifest_dir):
            podsource_manifest_dir.write("a.yaml", "a: b")
            await asyncio.sleep(0)
            assert asyncio.get_running_loop()
        """
    )

    result = project.runpytest_subprocess(*ASK, "--asyncio-mode=auto")

    result.assert_outcomes(passed=CASES + 1)


@pytest.mark.parametrize(
    ("impl", "outcomes"),
    [("mine", {"passed": CASES + 1}), ("endless", {"passed": 1, "failed": 1})],
)
def test_timeout(project: pytest.Pytester, impl: str, outcomes: dict[str, int]) -> None:
    """An endless case ends, and its name is told; the others aren't touched."""
    needs("pytest_timeout")
    case = "podsource/diff/equal-gives-nothing.yaml" if impl == "endless" else ASK[0]

    result = project.runpytest_subprocess(
        case, ASK[1], f"--podsource-impl={impl}", "--timeout=3", "-p", "no:randomly"
    )

    result.assert_outcomes(**outcomes)


def test_rerunfailures(project: pytest.Pytester) -> None:
    """A case that failed once is run again, in a clean world."""
    needs("pytest_rerunfailures")

    result = project.runpytest_subprocess(
        *ASK[:2], "--podsource-impl=flaky", "--reruns=1", "-p", "no:randomly"
    )

    result.stdout.fnmatch_lines([f"*{CASES + 1} passed*1 rerun*"])


def test_fixture_of_pyfakefs(project: pytest.Pytester) -> None:
    """A test with its ``fs`` beside cases that have a fake file system themselves."""
    project.makepyfile(
        test_own="""
        from pathlib import Path

        def test_own(fs):
            fs.create_file("/nowhere/else/a")
            assert Path("/nowhere/else/a").exists()
        """,
        source="from pytest_podsource.reference import new_file_source\n",
    )

    result = project.runpytest_subprocess(
        "podsource/file/dir-ignores-dotfiles.yaml",
        "test_own.py",
        "--podsource-impl=source",
        "--podsource-fs=fake",
    )

    outcomes = result.parseoutcomes()
    assert outcomes.get("failed", 0) == outcomes.get("errors", 0) == 0
    assert outcomes["passed"] >= 2


def test_hypothesis(project: pytest.Pytester) -> None:
    """Generated examples with a clock of ours, beside the cases."""
    needs("hypothesis")
    project.makepyfile(
        test_own="""
        from hypothesis import given, strategies as st
        from pytest_podsource import VirtualClock

        @given(st.integers(1, 10**12))
        def test_own(step_ns):
            with VirtualClock() as clock:
                before_ns = clock.monotonic_ns()
                clock.advance(step_ns)
                assert clock.monotonic_ns() - before_ns == step_ns
        """
    )

    result = project.runpytest_subprocess(*ASK)

    result.assert_outcomes(passed=CASES + 1)
