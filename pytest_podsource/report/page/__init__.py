"""
A report as one HTML page that needs nothing else: no network, no other file.

Rule 1: what anybody wrote reaches the page as autoescaped text or as JSON, and from
there as ``textContent``; never as markup. Rule 2: a policy in the page forbids requests
and any script but its own. Rule 3: rows of the matrix and details are made when they
are looked at.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from typing import Any

from pytest_podsource.exceptions import UsageError
from pytest_podsource.known import COMPONENTS
from pytest_podsource.report.model import VERDICTS, Report, Result, RunInfo
from pytest_podsource.report.page.details import details
from pytest_podsource.report.scores import tally_of
from pytest_podsource.report.tally import Score
from pytest_podsource.report.visible import visible

LETTERS = dict(zip(VERDICTS, "pfctsexnuk", strict=True))
_NOT_RUN = "."
_SLOWEST = 5


def page(report: Report) -> str:
    """
    Return the text of the page.

    Raises:
        UsageError: Jinja isn't installed.
    """
    try:
        from jinja2 import Environment, select_autoescape  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            "The page needs Jinja. Install pytest-podsource[report]."
        ) from None
    files = resources.files(__name__)
    style = (files / "page.css").read_text("utf-8")
    script = (files / "page.js").read_text("utf-8")
    environment = Environment(
        autoescape=select_autoescape(default=True), trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((files / "page.html.j2").read_text("utf-8"))
    return template.render(
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        index=_json(_index(report)),
        details=_json(details(report)),
        runs=[_run(run, results) for run, results in report.runs.items()],
        components=_components(report),
        cases=len(report.ids),
        verdicts=VERDICTS,
        names=COMPONENTS,
    )


def _index(report: Report) -> dict[str, Any]:
    ids = report.ids
    titles = {
        result.id: result.title
        for results in report.runs.values()
        for result in results.values()
    }
    return {
        "runs": [visible(_short_name(run, report), 80) for run in report.runs],
        "verdicts": {letter: verdict for verdict, letter in LETTERS.items()},
        "ids": [visible(id_, 200) for id_ in ids],
        "titles": [visible(titles[id_], 300) for id_ in ids],
        "cells": [
            "".join(
                LETTERS[results[id_].verdict] if id_ in results else _NOT_RUN
                for id_ in ids
            )
            for results in report.runs.values()
        ],
    }


def _run(run: RunInfo, results: dict[str, Result]) -> dict[str, Any]:
    slowest = sorted(results.values(), key=lambda each: -each.seconds)[:_SLOWEST]
    counts = {
        verdict: sum(each.verdict == verdict for each in results.values())
        for verdict in VERDICTS
    }
    return {
        "name": visible(run.name, 80),
        "language": visible(run.language, 40),
        "kubelet": visible(run.kubelet, 40),
        "world": visible(run.world, 100) + (f", seed {run.seed}" if run.seed else ""),
        "cases": visible(str(run.cases), 100),
        "environment": ", ".join(visible(value, 80) for _, value in run.environment),
        "counts": [(verdict, n) for verdict, n in counts.items() if n],
        "seconds": sum(each.seconds for each in results.values()),
        "slowest": [(visible(each.id, 200), each.seconds) for each in slowest],
    }


def _components(report: Report) -> list[tuple[str, list[Score | None]]]:
    """
    Return, for each component that was run, how each of the runs did.
    """
    scores = [
        {score.component: score for score in tally_of(results.values()).scores()}
        for results in report.runs.values()
    ]
    return [
        (name, [each.get(name) for each in scores])
        for name in COMPONENTS
        if any(name in each for each in scores)
    ]


def _short_name(run: RunInfo, report: Report) -> str:
    """
    Return the name of *run*, with what sets it apart from others of that name.
    """
    others = [each for each in report.runs if each.name == run.name and each != run]
    if not others:
        return run.name
    where = dict(run.environment)
    facts = [f"kubelet {run.kubelet}", run.world, *where.values(), f"seed {run.seed}"]
    said = [
        {
            f"kubelet {o.kubelet}",
            o.world,
            *dict(o.environment).values(),
            f"seed {o.seed}",
        }
        for o in others
    ]
    apart = [fact for fact in facts if not all(fact in each for each in said)]
    return " ".join([run.name, *apart])


def _json(value: Any) -> str:
    """
    Return *value* as JSON that ends no element of HTML, whatever is in it.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
