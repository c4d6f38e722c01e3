"""
A program that says that its time is real runs in the real world, without an option.
"""

from __future__ import annotations

import sys

import pytest

from tests.plugin.conftest import RunPytest

PROGRAM = """
import json, sys

GREETING = {"protocol": 1, "name": "real", "version": "1", "language": "python",
            "kubelet": None, "components": ["file"], "features": [],
            "abilities": {"time": "real", "watch": "native", "http": "loopback"}}

for line in sys.stdin:
    asked = json.loads(line)
    result = {"initialize": GREETING, "settle": {"now_ns": 1}}.get(asked["method"], {})
    if asked["method"] == "component/call":
        params = {"source": "file", "op": "SET", "pods": [], "at_ns": 5 * 10**9}
        told = {"jsonrpc": "2.0", "method": "env/send", "params": params}
        print(json.dumps(told), flush=True)
        result = {"value": None}
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
    print(json.dumps(answer), flush=True)
    if asked["method"] == "shutdown":
        break
"""
CASE = """
title: one set comes at once
why: for the test
facts: [FILE-16]
steps:
- {start: , expect: [{SET: [], at: 0s}]}
"""
LONG = CASE + "- {advance: 20s, expect: []}\n"


def test_program_with_real_time_runs_in_the_real_world(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Its instants are the case's, and what takes too long is disabled."""
    pytester.makefile(".py", program=PROGRAM)
    cases = pytester.mkdir("cases") / "file"
    cases.mkdir()
    (cases / "short.yaml").write_text(CASE)
    (cases / "long.yaml").write_text(LONG)

    result = run_pytest(
        f"--podsource-impl=cmd:{sys.executable} program.py",
        "--podsource-cases=cases",
        "--podsource-case=own",
        "-rs",
    )

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "podsource: in real time, so it takes about * s on one worker; 1 row*left out*",
            "*disabled: would take 20 s in real time*",
        ]
    )
