"""
The doctor: each broken adapter is diagnosed in one message that names its mistake.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_podsource.cli import commands
from pytest_podsource.doctor.examine import examine
from pytest_podsource.doctor.findings import Finding
from pytest_podsource.driver.program import Program

BROKEN = Path(__file__).with_name("broken.py")
LIMIT_S = 20.0  # only reached by who never answers, and then it is SHORT_S
SHORT_S = 1.0
SLOW = {"hangs", "never-settles", "buffers", "out-of-order"}

DIAGNOSES = {
    "prints": ("prints", "'Starting up...' to standard output"),
    "buffers": ("buffers", "flush standard output after each line"),
    "out-of-order": ("hangs", "hasn't answered world/begin"),
    "answers-another": ("out-of-order", "(component/call) was open"),
    "answers-twice": ("out-of-order", "answer each request once"),
    "seconds": ("units", "1 where initial_ns was 1000000000"),
    "milliseconds": ("units", "1000 where initial_ns was 1000000000"),
    "a-float": ("units", "whole numbers of nanoseconds"),
    "clock-in-milliseconds": ("clock-units", "as if it counted in milliseconds"),
    "keeps-the-clock": ("old-clock", "must set the monotonic clock to 0"),
    "tells-no-time": ("no-time", "the monotonic time in nanoseconds"),
    "pod-as-text": ("pod-form", "a JSON object in the Kubernetes form"),
    "pod-with-go-names": ("pod-form", "must have metadata and spec"),
    "pod-in-snake-case": ("pod-form", "a field 'restart_policy'"),
    "pod-in-a-list": ("pod-form", "no list"),
    "forgets-the-first-set": ("first-set", "list the folder when it starts"),
    "sends-operations": ("not-a-set", "sends its whole set"),
    "sends-no-pod": ("no-pod", "send the pods themselves"),
    "forgets-the-time": ("wrong-word", "its params lack 'at_ns'"),
    "invents-a-word": ("wrong-word", "'env/sent' is no word of an adapter"),
    "goes-back-in-time": ("time-goes-back", "never goes back"),
    "takes-nothing": ("not-taken", "update/taken never came"),
    "never-settles": ("never-settles", "as soon as nothing is left to do"),
    "spins": ("floods", "instead of answering settle"),
    "hangs": ("hangs", "hasn't answered initialize within 1 s"),
    "ends-at-once": ("dies", "exit code 1) while initialize was open"),
    "exits-in-a-call": ("dies", "Its last words were: no such luck"),
    "is-killed": ("dies", "signal 6) while component/call was open"),
    "closes-early": ("closes-early", "keep it open until the process ends"),
    "garbage": ("garbage", "write one JSON-RPC 2.0 object a line"),
    "writes-without-end": ("no-line-break", "end each message with a line break"),
    "id-as-text": ("id-type", "repeat it as it came"),
    "result-is-null": ("result-form", "must be an object"),
    "error-as-text": ("error-form", "a whole number code and a text message"),
    "other-protocol": ("wrong-offer", "protocol 2, not 1"),
    "unknown-component": ("wrong-offer", "unknown components ['files']"),
    "lacks-components": ("wrong-offer", "lacks 'components'"),
    "leaves-children": ("leaves-children", "started 1 processes that went on"),
    "leaves-a-daemon": ("leaves-children", "started 1 processes that went on"),
    "stays": ("stays", "end the process by itself after that answer"),
}


def found(oddity: str) -> list[Finding]:
    limit_s = SHORT_S if oddity in SLOW else LIMIT_S
    program = Program(command=(sys.executable, str(BROKEN), oddity))
    return [*examine(program, limit_s=limit_s, start_limit_s=limit_s, kubelet="1.37")]


@pytest.mark.parametrize("oddity", DIAGNOSES)
def test_each_broken_adapter_is_diagnosed_in_one_message(
    oddity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One message names the mistake, and all that came before it was right."""
    monkeypatch.setattr("pytest_podsource.driver.child.LINE_LIMIT", 10_000_000)
    monkeypatch.setattr("pytest_podsource.doctor.dialogue.MOST_MESSAGES", 200)
    mistake, text = DIAGNOSES[oddity]

    *before, last = found(oddity)

    assert last.mistake == mistake, last
    assert text in last.text
    assert not any(each.mistake for each in before)
    assert "\n" not in last.text


@pytest.mark.parametrize("oddity", ["leaves-children", "leaves-a-daemon"])
def test_nothing_is_left_of_what_a_broken_adapter_has_started(
    oddity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what has left the group of the process."""
    seconds = f"1{os.getpid()}"
    monkeypatch.setenv("BROKEN_SLEEP", seconds)

    assert found(oddity)[-1].mistake == "leaves-children"

    wanted = f"sleep\0{seconds}\0".encode()
    assert [each for each in _commands() if each == wanted] == []


def test_right_adapter_is_found_right() -> None:
    """Handshake, clock, each component and the end, without a mistake."""
    about = [each.about for each in found("")]

    assert about == [
        *("handshake", "clock", "backoff", "manifest", "file", "podconfig", "end")
    ]
    assert not any(each.mistake for each in found(""))


@pytest.mark.parametrize(
    ("oddity", "code", "line"),
    [
        ("prints", 1, "handshake  WRONG (prints): it printed 'Starting up...'"),
        ("", 0, "backoff    ok: a small case passes"),
    ],
)
def test_doctor_says_what_to_change(oddity: str, code: int, line: str) -> None:
    """A line for each thing that was looked at; wrong ones end it with exit code 1."""
    target = shlex.join([sys.executable, str(BROKEN), oddity])

    result = CliRunner().invoke(commands, ["doctor", f"cmd:{target}"])

    assert result.exit_code == code, result.output
    assert line in result.output
    assert ("pytest --podsource-impl=" in result.output) is (code == 0)


def test_doctor_serves_a_module_itself() -> None:
    """A module is looked at behind the protocol, as isolation runs it."""
    result = CliRunner().invoke(commands, ["doctor", "pytest_podsource.reference"])

    assert result.exit_code == 0, result.output
    assert "syncloop   ok" in result.output


def test_doctor_says_why_a_module_cannot_be_loaded() -> None:
    """In one line, without a traceback."""
    result = CliRunner().invoke(commands, ["doctor", "no_such_module"])

    assert result.exit_code == 1
    assert "there is no module 'no_such_module'" in result.output
    assert "Traceback" not in result.output


def _commands() -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes())
    return found
