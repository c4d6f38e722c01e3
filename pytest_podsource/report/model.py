"""
A report: what runs of the suite have shown, apart from how it is written.

Rule 1: a run is one implementation, told the same things, in one environment. Rule 2:
results of one run that come from several processes, shards or files add up; of two
verdicts on one case the worse counts. Rule 3: runs over different case sets never
stand in one report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from pytest_podsource.suite.verdict import Moment, Verdict

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_WORST_FIRST: tuple[Verdict, ...] = (
    "crashed",
    "timeout",
    "failed",
    "setup failed",
    "harness error",
    "known",
    "passed",
    "disabled",
    "unsupported",
    "not applicable",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet:
    """
    Which cases a run could have run.

    Attributes:
        suite: Version of the suite.
        name: Of the frozen set that is scored, empty if all are.
        digest: Of the ids and hashes of all cases, bundled and own.
    """

    suite: str
    name: str = ""
    digest: str = ""

    def __str__(self) -> str:
        name = f", set {self.name}" if self.name else ""
        return f"suite {self.suite}{name}, cases {self.digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """
    What was tested, with what, where.

    Attributes:
        implementation: Its name.
        version: Its version, empty if it has none.
        language: Its language.
        components: Those that it offers.
        kubelet: The kubelet that it was compared with, as major.minor.
        world: The world, such as ``simulated, time env, files tmp``.
        seed: What permuted the order within an instant.
        cases: The case set.
        environment: Python, platform, pytest and the like, as pairs.
    """

    implementation: str
    version: str = ""
    language: str = ""
    components: tuple[str, ...] = ()
    kubelet: str
    world: str
    seed: int = 0
    cases: CaseSet
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """Return the implementation with its version."""
        return f"{self.implementation} {self.version}".strip()

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self) | {
            "components": list(self.components),
            "environment": dict(self.environment),
        }

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> RunInfo:
        """Return what :meth:`as_json` gave."""
        return cls(
            **{
                **value,
                "components": tuple(value["components"]),
                "cases": CaseSet(**value["cases"]),
                "environment": tuple(sorted(value["environment"].items())),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """
    What one case has shown.

    Attributes:
        id: The case, with its row.
        hash: Of the case as it was.
        title: Of the case.
        facts: That it shows.
        reports: That it comes from.
        versions: The kubelets that it holds for, empty for all.
        verdict: One word of the table of verdicts.
        reason: Why, empty if passed.
        scored: Every implementation of its component owes it.
        seconds: How long it took, in real time.
        moments: Its steps, in order; the last one decided.
        story: Its story, if it failed.
    """

    id: str
    hash: str = ""
    title: str = ""
    facts: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    versions: str = ""
    verdict: Verdict
    reason: str = ""
    scored: bool = True
    seconds: float = 0.0
    moments: tuple[Moment, ...] = ()
    story: str = ""

    @property
    def component(self) -> str:
        """Return the component that it belongs to."""
        return self.id.removeprefix("own/").partition("/")[0]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values; what is empty is left out."""
        value = asdict(self) | {
            "facts": list(self.facts),
            "reports": list(self.reports),
            "moments": [_moment_as_json(each) for each in self.moments],
        }
        kept = ("id", "verdict", "scored")
        return {name: each for name, each in value.items() if each or name in kept}

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Result:
        """
        Return what :meth:`as_json` gave.

        Raises:
            ValueError: The verdict is none.
        """
        if value["verdict"] not in VERDICTS:
            raise ValueError(f"{value['verdict']!r} is no verdict")
        return cls(
            **{
                **value,
                "facts": tuple(value.get("facts", ())),
                "reports": tuple(value.get("reports", ())),
                "moments": tuple(_moment_of(e) for e in value.get("moments", ())),
            }
        )


@dataclass(slots=True)
class Report:
    """
    Runs, each with its results by id.
    """

    runs: dict[RunInfo, dict[str, Result]] = field(default_factory=dict)

    def add(self, run: RunInfo, result: Result) -> None:
        """Put *result* to those of *run*; of two verdicts the worse counts."""
        results = self.runs.setdefault(run, {})
        known = results.get(result.id)
        if known is None or badness(result.verdict) > badness(known.verdict):
            results[result.id] = result

    @property
    def ids(self) -> list[str]:
        """Return the ids of all cases, in order, each once."""
        return sorted({id_ for results in self.runs.values() for id_ in results})


def badness(verdict: Verdict) -> int:
    """
    Return a number that is higher for the worse of two verdicts on one case.
    """
    return len(_WORST_FIRST) - _WORST_FIRST.index(verdict)


def _moment_as_json(moment: Moment) -> dict[str, Any]:
    value: dict[str, Any] = {
        "step": moment.step,
        "at_ns": moment.at_ns,
        "done": moment.done,
    }
    if moment.expected:
        value["expected"] = list(moment.expected)
    if moment.got:
        value["got"] = list(moment.got)
    if any(at is not None for at in moment.got_at_ns):
        value["got_at_ns"] = list(moment.got_at_ns)
    if moment.parts_at is not None:
        value["parts_at"] = moment.parts_at
    return value


def _moment_of(value: Mapping[str, Any]) -> Moment:
    return Moment(
        step=int(value["step"]),
        at_ns=int(value["at_ns"]),
        done=str(value["done"]),
        expected=tuple(map(str, value.get("expected", ()))),
        got=tuple(map(str, value.get("got", ()))),
        got_at_ns=tuple(value.get("got_at_ns", ())),
        parts_at=value.get("parts_at"),
    )
