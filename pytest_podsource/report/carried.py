"""
What a case has shown, as it travels from the process that ran it to the reports.
"""

from __future__ import annotations

import os
import platform
from typing import Any

import pytest

from pytest_podsource.driver.base import Offer
from pytest_podsource.report.judged import Judged
from pytest_podsource.report.model import Result
from pytest_podsource.suite.verdict import Outcome

CARRIED = pytest.StashKey[dict[str, Any]]()


def carried(
    outcome: Outcome, judged: Judged, offer: Offer, *, story: str, moments: bool
) -> dict[str, Any]:
    """
    Return *outcome* as plain values, with where it was run and on what.

    Args:
        outcome: What running the case has shown.
        judged: The verdict as the run sees it.
        offer: What the implementation says of itself.
        story: The story, empty where there is none.
        moments: Whether its steps are wanted.
    """
    case = outcome.case
    result = Result(
        id=case.id,
        hash=case.hash,
        title=case.title,
        facts=case.facts,
        reports=case.reports,
        versions=case.versions,
        verdict=judged.verdict,
        reason=judged.reason or judged.remark,
        scored=judged.scored,
        moments=outcome.moments if moments else (),
        story=story,
    )
    run = {
        "implementation": offer.name,
        "version": offer.version,
        "language": offer.language,
        "components": sorted(offer.components),
        "environment": environment(),
    }
    return {"run": run, "result": result.as_json()}


def properties(judged: Judged, outcome: Outcome, offer: Offer) -> list[tuple[str, str]]:
    """
    Return the properties that pytest's JUnit report has for the case.
    """
    return [
        *judged.properties(),
        ("podsource_implementation", f"{offer.name} {offer.version}".strip()),
        ("podsource_kubelet", outcome.kubelet),
        ("podsource_facts", " ".join(outcome.case.facts)),
    ]


def environment() -> dict[str, str]:
    """
    Return what may matter of where cases run, without names of machines or people.
    """
    found = {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.machine()}",
        "pytest": pytest.__version__,
    }
    if name := os.environ.get("TOX_ENV_NAME"):
        found["tox"] = name
    return found
