"""
``cmd:`` as a user meets it: arguments, environment, folder, standard error, the trace.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

CASE = "podsource/diff/keys-differ-by-case.yaml"
OTHER = "podsource/diff/equal-gives-nothing.yaml"
ADAPTER = """
import json, os, sys

OFFER = {
    "protocol": 1, "name": "odd", "version": "", "language": "python", "kubelet": None,
    "components": ["diff"], "features": [],
    "abilities": {"time": "virtual", "watch": "told", "http": "told"},
}
for line in sys.stdin:
    message = json.loads(line)
    method = message["method"]
    result = {"now_ns": 0}
    if method == "initialize":
        result = {**OFFER, "name": os.path.basename(os.getcwd()), "version": " ".join(sys.argv[1:] + [os.environ["MINE"]])}
    elif method == "component/call":
        given = message["params"]["arguments"]
        print("asked for", *sorted(given["new"]), file=sys.stderr)
        if os.environ["MINE"] == "dies":
            os._exit(3)
        result = {"value": {"added": [], "updated": [], "removed": []}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.fixture
def target(pytester: pytest.Pytester) -> str:
    """The adapter, started with an argument, in the folder ``there``."""
    folder = pytester.mkdir("there")
    (folder / "odd.py").write_text(ADAPTER)
    return f"MINE=env {shlex.quote(sys.executable)} odd.py argument"


def run(pytester: pytest.Pytester, target: str, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(
        *("-p", "no:randomly", "-W", "error", "--podsource-cwd=there"),
        f"--podsource-impl=cmd:{target}",
        *arguments,
    )


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_program_has_its_arguments_environment_and_folder(
    pytester: pytest.Pytester, target: str
) -> None:
    """The header shows what the program said of itself."""
    result = run(pytester, target, CASE)

    result.stdout.fnmatch_lines(["*there argument env*"])


def test_standard_error_is_shown_beside_the_failed_case(
    pytester: pytest.Pytester, target: str
) -> None:
    """Of each case what was written in it, and of no other."""
    result = run(pytester, target, CASE, "podsource/diff/added-updated-removed.yaml")

    text = result.stdout.str()
    result.stdout.fnmatch_lines(["*stderr of the program*", "asked for *"])
    assert text.count("asked for") == text.count("stderr of the program")


def test_program_that_died_is_started_again(
    pytester: pytest.Pytester, target: str
) -> None:
    """Each case has its verdict, and its own last words."""
    result = run(pytester, target.replace("MINE=env", "MINE=dies"), CASE, OTHER)

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["CRASHED diff/equal-gives-nothing *", "CRASHED diff/keys-differ-by-case *"]
    )


def test_trace_has_the_dialogue_of_each_case(
    pytester: pytest.Pytester, target: str
) -> None:
    """Who said what, in which case, by which process."""
    run(pytester, target, "--podsource-trace=dialogue.jsonl", CASE)

    found = entries(pytester.path / "dialogue.jsonl")
    words = [each["message"]["method"] for each in found if "method" in each["message"]]
    answers = [each for each in found if "result" in each["message"]]
    assert words[:2] == ["initialize", "world/begin"]
    assert words[-2:] == ["world/end", "shutdown"]
    assert {each["from"] for each in answers} == {"adapter"}
    assert {each["case"] for each in found} == {"", "diff/keys-differ-by-case"}
    assert len({each["pid"] for each in found}) == 1


def test_trace_keeps_what_is_no_message(pytester: pytest.Pytester) -> None:
    """A line that can't be read is what one looks for in a trace."""
    result = pytester.runpytest_subprocess(
        *("-W", "error", "--podsource-impl=cmd:echo Starting"),
        *("--podsource-trace=dialogue.jsonl", CASE),
    )

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert entries(pytester.path / "dialogue.jsonl")[-1]["text"] == "Starting"


def test_trace_of_an_isolated_module_is_written_by_each_worker(
    pytester: pytest.Pytester,
) -> None:
    """Workers share the file; whole lines come from several processes."""
    pytester.makepyfile(
        mine="def diff_snapshots(old, new):\n    return [], [], sorted(old)\n"
    )

    pytester.runpytest_subprocess(
        *("-p", "no:randomly", "-W", "error", "-n2", "--podsource-isolate"),
        *("--podsource-impl=mine", "--podsource-trace=dialogue.jsonl"),
        "podsource/diff",
    )

    found = entries(pytester.path / "dialogue.jsonl")
    assert len({each["pid"] for each in found if each["case"]}) == 2
