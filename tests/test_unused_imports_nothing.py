"""
What pytest imports because this package is installed, and nobody uses it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = frozenset(
    {
        "aiohttp",
        "trustme",
        "yaml",
        "freezegun",
        "responses",
        "requests",
        "jsonschema",
        "rich",
        "click",
        "pyfakefs",
        "hypothesis",
        "inotify_simple",
    }
)
# Other plugins may import what they like; of ours only the plugin is loaded.
ASK = """
import sys, pytest
code = pytest.main(["-q", "-p", "pytest_podsource.plugin", "-p", "no:cacheprovider"])
print("modules:", *sorted({name.partition(".")[0] for name in sys.modules}))
print("ours:", *sorted(n for n in sys.modules if n.startswith("pytest_podsource")))
sys.exit(code)
"""


@pytest.fixture
def modules(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> dict[str, set[str]]:
    """What is imported after a run of one test of a user's."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("def test_mine(): pass")
    done = subprocess.run(
        [sys.executable, "-c", ASK], capture_output=True, text=True, check=True
    )
    lines = dict(
        line.split(":", 1) for line in done.stdout.splitlines() if ": " in line
    )
    return {name: set(lines[name].split()) for name in ("modules", "ours")}


def test_unused_plugin_imports_nothing_slow(modules: dict[str, set[str]]) -> None:
    """A project that only has it installed doesn't pay for it."""
    assert modules["modules"] & SLOW == set()


def test_unused_plugin_imports_five_modules_of_ours(
    modules: dict[str, set[str]],
) -> None:
    """The options and what they name; no contract, no core, no suite, no double."""
    assert modules["ours"] == {
        "pytest_podsource",
        "pytest_podsource.fixtures",
        "pytest_podsource.known",
        "pytest_podsource.options",
        "pytest_podsource.plugin",
    }
