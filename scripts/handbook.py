"""
The handbook "How the kubelet reads pods", made of the cases, the facts and the records.

Values in, Markdown out; ``build_docs.py`` reads and writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_podsource.known import COMPONENTS
from pytest_podsource.record import Record, confirmed_by
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.story import Origins

_PREFIXES = {
    "BACKOFF": "backoff",
    "DECODE": "manifest",
    "FILE": "file",
    "URL": "http",
    "API": "api",
    "CONFIG": "podconfig",
    "SYNC": "syncloop",
    "FLAGS": "flags",
}
_WHAT = {
    "backoff": "Exponential backoff per key.",
    "diff": "Two keyed caches compared.",
    "manifest": "The text of a manifest, and the pod that is made of it.",
    "file": "A directory or a single file: listed once a period, and watched.",
    "http": "A manifest URL: asked once a period.",
    "api": "The apiserver: a list, then a watch.",
    "podconfig": "Sets of all sources in, operations out.",
    "sources": "File, URL, apiserver and merger as one.",
    "ready": "Whether every source was seen.",
    "syncloop": "What the loop does with each operation.",
    "flags": "Flags and config file of all this.",
    "handlers": "What happens behind the calls of the sync loop.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """
    What the handbook is made of.

    Attributes:
        cases: All bundled cases.
        records: What the kubelets answered, by major.minor.
        origins: The tables of facts and reports.
        odd: Ids of the facts that surprise.
        timeline: Gives the lines of a case's timeline.
    """

    cases: Sequence[Case]
    records: Mapping[str, Record]
    origins: Origins
    odd: frozenset[str]
    timeline: Callable[[Case], Iterable[str]]


def pages(sources: Sources) -> dict[str, str]:
    """
    Return the handbook's pages, by the names of their files.
    """
    components = {f"{name}.md": _component(name, sources) for name in COMPONENTS}
    return {
        "index.md": _index(sources),
        **{name: _text(lines) for name, lines in components.items()},
        "differences.md": _text(_differences(sources)),
        "surprises.md": _text(_surprises(sources)),
    }


def _index(sources: Sources) -> str:
    versions = ", ".join(each.version for each in sources.records.values())
    files = {case.file_id for case in sources.cases}
    listed = "\n".join(f"- [{name}]({name}.md): {_WHAT[name]}" for name in COMPONENTS)
    tree = "\n".join([*COMPONENTS, "differences", "surprises"])
    return f"""\
# How the kubelet reads pods

{len(sources.origins.facts)} rules of pod sources, and {len(files)} cases that show them. It is made from the cases at each build: what you read is what is run.
Confirmed means that the code of that kubelet, run in virtual time, answered the case as it says: {versions}.

{listed}
- [What differs between kubelets](differences.md)
- [What surprises](surprises.md)

```{{toctree}}
:hidden:

{tree}
```
"""


def _component(name: str, sources: Sources) -> Iterator[str]:
    yield f"# {name}"
    yield _WHAT[name]
    facts = [fact for fact in sources.origins.facts if _home(fact) == name]
    if facts:
        yield "## Rules"
    for fact in facts:
        yield from _fact(fact, sources)
    cases = [case for case in sources.cases if case.component == name]
    yield "## Cases"
    if not cases:
        yield "None is bundled yet."
    for file_id in dict.fromkeys(case.file_id for case in cases):
        rows = [case for case in cases if case.file_id == file_id]
        yield from _case(rows, sources)


def _fact(fact: str, sources: Sources) -> Iterator[str]:
    known = sources.origins.facts[fact]
    shown_by = [case for case in sources.cases if fact in case.facts]
    yield f"({_fact_anchor(fact)})="
    yield f"### {fact}{' (surprises)' if fact in sources.odd else ''}"
    yield f"{known['rule']}."
    yield f"- Versions: {known['versions']}"
    yield f"- In the kubelet: {known['from']}"
    yield f"- Evidence: {_evidence(known, shown_by, sources)}"
    for number in sorted({each for case in shown_by for each in case.reports}):
        if number in sources.origins.reports:
            report = sources.origins.reports[number]
            yield f"- Met by {report['source']}: {report['symptom']}"


def _evidence(known: Mapping[str, Any], cases: Sequence[Case], sources: Sources) -> str:
    if not cases:
        ran = (
            "a probe of the kubelet has shown it" if known["executed"] else "read only"
        )
        return f"no case shows it; {ran}"
    links = ", ".join(
        f"[{id_}](#{_case_anchor(id_)})"
        for id_ in dict.fromkeys(case.file_id for case in cases)
    )
    return f"{_confirmed(cases, sources)}; shown by {links}"


def _confirmed(cases: Sequence[Case], sources: Sources) -> str:
    """
    Return the kubelets that confirm at least one of *cases*, oldest first.
    """
    found = {each for case in cases for each in confirmed_by(case, sources.records)}
    ordered = [
        each.version for each in sources.records.values() if each.version in found
    ]
    return (
        f"confirmed by {', '.join(ordered)}" if ordered else "confirmed by no kubelet"
    )


def _case(rows: Sequence[Case], sources: Sources) -> Iterator[str]:
    case = rows[0]
    yield f"({_case_anchor(case.file_id)})="
    yield f"### {case.file_id}"
    yield f"{case.title[:1].upper()}{case.title[1:].rstrip('.')}. {case.why}"
    facts = ", ".join(_fact_link(fact, sources) for fact in case.facts)
    holds = f"kubelets {case.versions}" if case.versions else "all kubelets"
    yield f"Rules: {facts}; {holds}; {_confirmed(rows, sources)}."
    if case.row:
        yield f"Rows: {', '.join(f'`{each.row}`' for each in rows)}. Shown is `{case.row}`:"
    lines = [line.removeprefix("  ") for line in sources.timeline(case)]
    if lines:
        yield "\n".join(["```text", *lines, "```"])


def _differences(sources: Sources) -> Iterator[str]:
    yield "# What differs between kubelets"
    yield (
        "Rules that don't hold for all of the kubelets that were read, by component. "
        "The cases that hold for some kubelets only are named beside them."
    )
    for name in COMPONENTS:
        facts = [
            fact
            for fact, known in sources.origins.facts.items()
            if _home(fact) == name and known["versions"] != "all"
        ]
        if facts:
            yield f"## {name}"
            yield "\n".join(_difference(fact, sources) for fact in facts)


def _difference(fact: str, sources: Sources) -> str:
    known = sources.origins.facts[fact]
    ids = dict.fromkeys(
        case.file_id for case in sources.cases if fact in case.facts and case.versions
    )
    cases = ", ".join(f"[{id_}](#{_case_anchor(id_)})" for id_ in ids)
    told = f"- {_fact_link(fact, sources)} ({known['versions']}): {known['rule']}."
    return f"{told} Cases: {cases}." if cases else told


def _surprises(sources: Sources) -> Iterator[str]:
    yield "# What surprises"
    yield "Rules that people who know Kubernetes well got wrong, or would."
    for name in COMPONENTS:
        facts = [
            fact
            for fact in sources.origins.facts
            if fact in sources.odd and _home(fact) == name
        ]
        if facts:
            yield f"## {name}"
            yield "\n".join(
                f"- {_fact_link(fact, sources)}: {sources.origins.facts[fact]['rule']}."
                for fact in facts
            )


def _home(fact: str) -> str:
    """
    Return the component on whose page *fact* stands.
    """
    return _PREFIXES.get(fact.partition("-")[0], "sources")


def _fact_link(fact: str, sources: Sources) -> str:
    known = fact in sources.origins.facts
    return f"[{fact}](#{_fact_anchor(fact)})" if known else fact


def _fact_anchor(fact: str) -> str:
    return f"fact-{fact.lower()}"


def _case_anchor(id_: str) -> str:
    return "case-" + re.sub(r"[^a-z0-9]+", "-", id_.lower())


def _text(blocks: Iterable[str]) -> str:
    """
    Join *blocks* by empty lines, but for a target and items of one list.
    """
    text = ""
    before = ""
    for block in blocks:
        tight = before.endswith(")=") or (before[:2] == "- " and block[:2] == "- ")
        text += ("\n" if tight else "\n\n") * bool(text) + block
        before = block
    return text + "\n"
