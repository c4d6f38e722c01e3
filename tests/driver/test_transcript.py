"""
The specification of the protocol: schemas, transcript and code say the same.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.driver import protocol
from pytest_podsource.driver.child import LINE_LIMIT
from pytest_podsource.driver.schema import Schemas
from pytest_podsource.driver.stdio import LIMIT_S, START_LIMIT_S
from tests.driver.transcript import chosen, lines

PAGE = Path(__file__).parent.parent.parent / "docs/reference/driver-protocol.md"
SCHEMAS = Schemas()


@pytest.fixture(scope="module")
def told() -> list[tuple[str, dict[str, Any]]]:
    """What was said in a real run."""
    return lines()


def test_transcript_of_the_page_is_what_was_said(
    told: list[tuple[str, dict[str, Any]]],
) -> None:
    """``python -m tests.driver.transcript`` prints it anew."""
    (block,) = re.findall(
        r"^```text\n(-> .*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )

    assert block.splitlines() == [*chosen(told)]


def test_transcript_has_every_word(told: list[tuple[str, dict[str, Any]]]) -> None:
    """Each method of both sides, and each has a schema."""
    said = {message["method"] for _, message in told if "method" in message}

    assert said == SCHEMAS.methods
    assert protocol.WORDS.keys() <= said


def test_everything_that_was_said_fits_its_schema(
    told: list[tuple[str, dict[str, Any]]],
) -> None:
    """Requests, notifications, and answers by what they answer."""
    open_: dict[tuple[str, Any], str] = {}
    faults = []
    for sender, message in told:
        if "method" in message:
            open_[sender, message.get("id")] = message["method"]
            faults.append(SCHEMAS.fault(message))
        else:
            other = "adapter" if sender == "suite" else "suite"
            faults.append(SCHEMAS.fault(message, open_[other, message["id"]]))

    assert [fault for fault in faults if fault] == []


@pytest.mark.parametrize("method", sorted(protocol.WORDS))
def test_schema_asks_for_what_the_driver_asks_for(method: str) -> None:
    """A word that lacks something is refused by both."""
    required = protocol.WORDS[method]

    fault = SCHEMAS.fault({"jsonrpc": "2.0", "method": method, "params": {}})

    assert "required" in fault
    for name in required:
        sample: dict[str, Any] = {
            each: _sample(each, kind) for each, kind in required.items() if each != name
        }
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": sample}
        whole = {**message, "params": {**sample, name: _sample(name, required[name])}}
        if method in ("env/watch", "env/ask"):
            message["id"] = whole["id"] = 1
        assert f"{name!r} is a required property" in SCHEMAS.fault(message)
        assert SCHEMAS.fault(whole) == ""


def test_limits_stand_in_the_page() -> None:
    """As they are in the code."""
    text = PAGE.read_text()

    assert f"{LINE_LIMIT // 2**20} MiB" in text
    assert f"{LIMIT_S:g} s" in text
    assert f"{START_LIMIT_S:g} s" in text


def _sample(name: str, kind: Any) -> Any:
    kinds: dict[Any, Any] = {
        int: 1,
        str: "SET" if name == "op" else "info",
        list: [],
        dict: {},
    }
    return kinds[kind[0] if isinstance(kind, tuple) else kind]
