"""
A report as JSON lines: a header, runs, results, a footer.

Every line is an object with a ``kind``. ``report`` comes first and says the schema;
``run`` introduces a run by number; ``case`` belongs to the run that it names;
``footer`` comes last and counts, so that a report that was cut off is seen.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.report.model import Report, Result, RunInfo

SCHEMA = 1


class Writer:
    """
    Writes a report line by line, as results come in.

    Args:
        stream: Where to.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._numbers: dict[RunInfo, int] = {}
        self._verdicts: Counter[str] = Counter()
        self._line({"kind": "report", "schema": SCHEMA})

    def add(self, run: RunInfo, result: Result) -> None:
        """Write *result*, after its run if that is new."""
        self._line({"kind": "case", "run": self._number(run), **result.as_json()})
        self._verdicts[result.verdict] += 1

    def close(self) -> None:
        """Write the footer."""
        self._line(
            {
                "kind": "footer",
                "runs": len(self._numbers),
                "cases": self._verdicts.total(),
                "verdicts": dict(sorted(self._verdicts.items())),
            }
        )

    def _number(self, run: RunInfo) -> int:
        if run not in self._numbers:
            self._numbers[run] = len(self._numbers)
            self._line({"kind": "run", "run": self._numbers[run], **run.as_json()})
        return self._numbers[run]

    def _line(self, value: dict[str, Any]) -> None:
        # ASCII: lone surrogates, too, can be written in any encoding
        self._stream.write(json.dumps(value, separators=(",", ":")) + "\n")
        self._stream.flush()


def write(report: Report, stream: IO[str]) -> None:
    """
    Write all of *report*.
    """
    writer = Writer(stream)
    for run, results in report.runs.items():
        for id_ in sorted(results):
            writer.add(run, results[id_])
    writer.close()


def read(path: Path) -> Report:
    """
    Return the report in the file *path*.

    Raises:
        UnusableReport: It can't be read, isn't one, or was cut off.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            return _report(path, lines)
    except OSError as error:
        raise UnusableReport(path, f"it can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UnusableReport(path, f"it isn't UTF-8. {_RIGHT}") from None


_RIGHT = "Reports of JSON lines are written by --podsource-report=FILE.jsonl."


def _report(path: Path, lines: Iterable[str]) -> Report:
    values = _values(path, lines)
    number, first = next(values, (1, {}))
    if first.get("kind") != "report":
        raise UnusableReport(path, f"line {number}: it is no report. {_RIGHT}")
    if first.get("schema") != SCHEMA:
        raise UnusableReport(
            path,
            f"its schema is {first.get('schema')!r}, known is {SCHEMA}. "
            "Read it with the version of pytest-podsource that wrote it.",
        )
    report, runs, cases = Report(), dict[int, RunInfo](), 0
    for number, value in values:
        kind = value.get("kind")
        if kind == "footer":
            _check_end(path, value.get("cases"), cases, next(values, None))
            return report
        _take(f"line {number}", path, value, report, runs)
        cases += kind == "case"
    raise UnusableReport(
        path,
        f"it was cut off after {cases} cases: the footer is missing. "
        "The run that wrote it was ended, or its disk was full; run it again.",
    )


def _take(
    where: str,
    path: Path,
    value: dict[str, Any],
    report: Report,
    runs: dict[int, RunInfo],
) -> None:
    kind = value.pop("kind", None)
    try:
        number = value.pop("run")
        if kind == "run":
            runs[number] = RunInfo.of(value)
        elif kind == "case":
            report.add(runs[number], Result.of(value))
        else:
            raise ValueError(f"{kind!r} is no kind of line")  # noqa: TRY301
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnusableReport(path, f"{where}: {error!r}. {_RIGHT}") from None


def _check_end(path: Path, promised: Any, cases: int, rest: Any) -> None:
    if promised != cases:
        raise UnusableReport(
            path,
            f"its footer counts {promised} cases, but it has {cases}. "
            "Lines were lost or added; run it again.",
        )
    if rest is not None:
        raise UnusableReport(
            path,
            "it goes on after its footer. "
            "Several reports become one by podsource report merge.",
        )


def _values(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
        except ValueError as error:
            if not line.endswith("\n") and number > 1:
                return  # cut off within this line, which the missing footer tells
            raise UnusableReport(
                path, f"line {number}: it isn't JSON: {error}. {_RIGHT}"
            ) from None
        if not isinstance(value, dict):
            raise UnusableReport(path, f"line {number}: it is no object. {_RIGHT}")
        yield number, value
