"""
Make ``pytest_podsource/data/facts.json`` and ``reports.json`` from the pages in docs.

Run it after each edit of ``docs/reference/behaviour.md`` or ``reports.md``; a test
compares what it makes with what is there.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BEHAVIOUR = ROOT / "docs/reference/behaviour.md"
REPORTS = ROOT / "docs/reference/reports.md"
DATA = ROOT / "pytest_podsource/data"

_FACT = re.compile(
    r"- \*\*(?P<id>[A-Z]+-\d+)\*\* (?P<odd>! )?(?P<text>.*?)"
    r" `versions:` (?P<versions>.*?) `from:` (?P<from>.*?)"
    r"(?: `(?P<probed>probed[^`]*)`)?\s*$"
)
_LONGEST = 160


def facts(text: str) -> dict[str, dict[str, Any]]:
    """
    Return the facts of the page *text* by id.

    Raises:
        ValueError: A line begins like a fact and isn't one.
    """
    found = {}
    for line in text.splitlines():
        if not line.startswith("- **") or not re.match(r"- \*\*[A-Z]+-\d+\*\*", line):
            continue
        fact = _FACT.match(line)
        if not fact:
            raise ValueError(f"not a fact: {line[:80]}")
        found[fact["id"]] = {
            "rule": _first_sentence(fact["text"].replace("! ", "")),
            "versions": fact["versions"],
            "from": fact["from"],
            "executed": fact["probed"] is not None,
        }
    return found


def reports(text: str) -> dict[str, dict[str, str]]:
    """
    Return the reports of the page *text* by number: source and symptom.
    """
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if re.match(r"\| [RE]\d+ \|", line):
            found[cells[0]] = {"source": cells[1], "symptom": cells[2]}
    return found


def written(value: Any) -> str:
    """
    Return *value* as it stands in a data file: one entry a line.
    """
    lines = [
        f"{json.dumps(key)}: {json.dumps(each, ensure_ascii=False)}"
        for key, each in value.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _first_sentence(text: str) -> str:
    """
    Cut *text* after its first sentence, and a long one after a part of it.
    """
    sentence = re.split(r"(?<=[\w\]\)`])\. (?=[A-Z!`0-9<({])", text, maxsplit=1)[0]
    sentence = sentence.strip().rstrip(".")
    if len(sentence) <= _LONGEST:
        return sentence
    cut = re.split(r"[;:(]", sentence[:_LONGEST])
    shorter = sentence[: len(sentence[:_LONGEST]) - len(cut[-1]) - 1].rstrip()
    return shorter or sentence[:_LONGEST].rsplit(" ", 1)[0]


def main() -> int:
    """
    Write both files.
    """
    tables = {
        "facts.json": facts(BEHAVIOUR.read_text("utf-8")),
        "reports.json": reports(REPORTS.read_text("utf-8")),
    }
    for name, table in tables.items():
        (DATA / name).write_text(written(table), "utf-8")
        print(f"{name}: {len(table)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
