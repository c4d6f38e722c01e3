"""
Several reports as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.report.model import CaseSet, Report


def merge(reports: Mapping[Path, Report]) -> Report:
    """
    Return the runs of all *reports*; shards of one run become one.

    Raises:
        UnusableReport: Two of them are about different case sets.
    """
    merged = Report()
    first: tuple[Path, CaseSet] | None = None
    hashes: dict[str, tuple[Path, str]] = {}
    for path, report in reports.items():
        for run, results in report.runs.items():
            first = first or (path, run.cases)
            if run.cases != first[1]:
                raise UnusableReport(path, _other_set(run.cases, *first))
            for result in results.values():
                known = hashes.setdefault(result.id, (path, result.hash))
                if known[1] != result.hash:
                    raise UnusableReport(path, _other_case(result.id, known[0]))
                merged.add(run, result)
    return merged


def _other_set(cases: CaseSet, path: Path, first: CaseSet) -> str:
    return (
        f"its case set is another ({cases}) than that of {path} ({first}). "
        "Verdicts on different cases can't stand side by side; "
        "run both with the same version of the suite, the same --podsource-set and "
        "the same --podsource-cases."
    )


def _other_case(id_: str, path: Path) -> str:
    return (
        f"its case {id_} is another than the one of that name in {path}. "
        "Run both with the same cases."
    )
