"""
Reports to test with.
"""

from __future__ import annotations

from typing import Any

from pytest_podsource.report.model import CaseSet, Report, Result, RunInfo
from pytest_podsource.suite.verdict import Moment

HOSTILE = (
    "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
    "\x00\x1b[31m\u202egnp.exe\u2028{{ 7 * 7 }}'\"&amp;]]>"
)


def a_run(name: str = "mine", **fields: Any) -> RunInfo:
    values: dict[str, Any] = {
        "implementation": name,
        "version": "1.0",
        "language": "python",
        "components": ("file",),
        "kubelet": "1.37",
        "world": "simulated, time env, files tmp",
        "cases": CaseSet(suite="0.1.0", digest="aa"),
        "environment": (("python", "CPython 3.13.0"),),
    }
    return RunInfo(**(values | fields))


def a_result(id_: str = "file/x", verdict: Any = "passed", **fields: Any) -> Result:
    values: dict[str, Any] = {
        "hash": "h1",
        "title": "what is shown",
        "facts": ("FILE-10",),
        "reason": "" if verdict == "passed" else "expected: a; got: b",
    }
    return Result(id=id_, verdict=verdict, **(values | fields))


def a_moment(**fields: Any) -> Moment:
    values: dict[str, Any] = {
        "step": 1,
        "at_ns": 0,
        "done": "start",
        "expected": ("SET file [a]", "watch at 1 s"),
        "got": ("SET file [b]",),
        "got_at_ns": (0,),
        "parts_at": 0,
    }
    return Moment(**(values | fields))


def a_report(*results: Result, run: RunInfo | None = None) -> Report:
    report = Report()
    for result in results or (a_result(),):
        report.add(run or a_run(), result)
    return report


def many(runs: int, cases: int) -> Report:
    """A matrix as large as asked, in which every fifth result failed."""
    report = Report()
    for number in range(runs):
        run = a_run(f"implementation-{number}")
        for case in range(cases):
            bad = (case + number) % 5 == 0
            moments = tuple(
                a_moment(
                    step=step,
                    at_ns=step * 1_000_000_000,
                    done=f"place {case}-{step}.yaml",
                    got=(f"SET file [pod-{case} uid=$uid{number if bad else 0}]",),
                    parts_at=0 if bad and step == 4 else None,
                )
                for step in range(1, 5)
            )
            report.add(
                run,
                a_result(
                    f"file/a-case-with-a-name-of-some-length-{case:04}",
                    "failed" if bad else "passed",
                    title=f"what the kubelet does in the case {case}, in a sentence",
                    seconds=case / 1000,
                    moments=moments,
                    reason=f"expected: SET file [a]; got: {case}" if bad else "",
                ),
            )
    return report


def hostile() -> Report:
    """Every field that holds a text holds a hostile one."""
    long = HOSTILE + "A" * 1_000_000
    run = a_run(
        HOSTILE,
        version=HOSTILE,
        language=HOSTILE,
        components=(HOSTILE,),
        kubelet=HOSTILE,
        world=HOSTILE,
        cases=CaseSet(suite=HOSTILE, name=HOSTILE, digest=HOSTILE),
        environment=((HOSTILE, HOSTILE),),
    )
    moment = a_moment(done=long, expected=(long,), got=(HOSTILE,))
    return a_report(
        a_result(
            f"file/{HOSTILE}",
            "failed",
            hash=HOSTILE,
            title=long,
            facts=(HOSTILE,),
            reports=(HOSTILE,),
            versions=HOSTILE,
            reason=long,
            moments=(moment,),
            story=long,
        ),
        run=run,
    )
