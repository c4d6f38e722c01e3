"""
``podsource explain``: a fact, a report, a case or a finding, and what belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from pytest_podsource.cli.parameters import version_option
from pytest_podsource.cli.printing import wrapped
from pytest_podsource.data import table
from pytest_podsource.exceptions import UsageError
from pytest_podsource.findings import RULES
from pytest_podsource.known import NEWEST
from pytest_podsource.record import Record, load_records
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.durations import text_of

_EXAMPLES = """\b
Examples:
  podsource explain FILE-10
  podsource explain R16
  podsource explain file/dir-ignores-dotfiles
  podsource explain same-pod
"""
_MOST_CASES = 12


def _names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return what can be explained and begins like *incomplete*, for the shell."""
    known = [*table("facts"), *table("reports"), *RULES]
    known += [each.file_id for each in _cases()]
    found = dict.fromkeys(name for name in known if name.startswith(incomplete))
    return [CompletionItem(name) for name in found]


@click.command(epilog=_EXAMPLES)
@click.argument("name", shell_complete=_names)
@version_option("--kubelet", help_=f"Whose timeline of a case to show.  [{NEWEST}]")
def explain(name: str, kubelet: str | None) -> None:
    """
    Tell what is known about NAME.

    NAME is a fact (FILE-10), a report (R16), a case (file/dir-ignores-dotfiles, one of
    its rows behind a colon), or a finding of podsource check (same-pod).
    """
    facts, reports = table("facts"), table("reports")
    if name.upper() in facts:
        lines = _of_fact(name.upper())
    elif name.upper() in reports:
        lines = _of_report(name.upper())
    elif name in RULES:
        lines = _of_rule(name)
    else:
        lines = _of_case(name, kubelet or NEWEST)
    for line in lines:
        click.echo(line)


def _of_fact(name: str) -> Iterator[str]:
    fact = table("facts")[name]
    yield _bold(name)
    yield wrapped(fact["rule"], "")
    yield wrapped(f"  kubelets  {fact['versions']}", " " * 12)
    yield wrapped(f"  from      {fact['from']}", " " * 12)
    about = [case for case in _cases() if name in case.facts]
    yield from _listed("shown by", _titles(about))
    yield from _listed("found by", [f"check: {each}" for each in _rules_of(name)])
    yield from _listed("met by", _met_by({r for case in about for r in case.reports}))


def _of_report(name: str) -> Iterator[str]:
    report = table("reports")[name]
    yield _bold(f"{name}  {report['source']}")
    yield wrapped(report["symptom"], "")
    about = [case for case in _cases() if name in case.reports]
    yield from _listed("shown by", _titles(about))
    yield from _listed("facts", _rules({f for case in about for f in case.facts}))


def _of_rule(name: str) -> Iterator[str]:
    rule = RULES[name]
    yield _bold(f"{name}  ({rule.level})")
    yield wrapped(f"{rule.title[:1].upper()}{rule.title[1:]}.", "")
    yield from _listed("facts", _rules(set(rule.facts)))


def _of_case(name: str, kubelet: str) -> Iterator[str]:
    rows = [case for case in _cases() if name in (case.id, case.file_id)]
    if not rows:
        raise UsageError(
            f"{name!r} is no fact, report, case or finding. Right would be such as "
            "FILE-10, R16, file/dir-ignores-dotfiles or same-pod; podsource cases "
            "lists the cases."
        )
    case = rows[0]
    yield _bold(name)
    yield wrapped(f"{case.title[:1].upper()}{case.title[1:]}.", "")
    yield wrapped(f"  why       {case.why}", " " * 12)
    yield f"  kubelets  {case.versions or 'all'}"
    yield from _listed("facts", _rules(set(case.facts)))
    yield from _listed("met by", _met_by(set(case.reports)))
    yield from _listed("answers", _answers(rows))
    chosen = next((each for each in rows if each.holds_for(kubelet)), None)
    if chosen is None:
        yield f"It doesn't hold for {kubelet}, so there is no timeline."
        return
    yield f"\nTimeline of {chosen.id}, kubelet {kubelet}:"
    yield from _timeline(chosen, kubelet)


def _timeline(case: Case, kubelet: str) -> Iterator[str]:
    from pytest_podsource.driver.load import load_driver  # noqa: PLC0415 - only to run
    from pytest_podsource.suite.runner import run_case  # noqa: PLC0415
    from pytest_podsource.world.simulated import SimulatedWorld  # noqa: PLC0415

    driver = load_driver("pytest_podsource.reference", kubelet=kubelet)
    try:
        outcome = run_case(case, driver, SimulatedWorld, kubelet=kubelet)
    finally:
        driver.close()
    for moment in outcome.moments:
        yield wrapped(f"  {text_of(moment.at_ns):>8}  {moment.done}", " " * 12)
        for line in moment.got:
            yield wrapped(f"            -> {line}", " " * 15)
    if outcome.verdict != "passed":
        yield f"The reference doesn't pass it: {outcome.verdict}. {outcome.reason}"


def _cases() -> Sequence[Case]:
    try:
        return load_cases(bundled_root() / "cases")
    except UsageError:  # a zipapp carries none
        return ()


def _records() -> Mapping[str, Record]:
    return load_records(bundled_root() / "recorded")


def _answers(rows: Sequence[Case]) -> Iterator[str]:
    for record in _records().values():
        held = [case for case in rows if case.holds_for(record.kubelet)]
        confirmed = sum(record.confirms(case) for case in held)
        if held:
            yield f"{record.version} confirms {confirmed} of {len(held)}"


def _titles(cases: Sequence[Case]) -> list[str]:
    titles = {case.file_id: case.title for case in cases}
    shown = [f"{id_}: {title}" for id_, title in titles.items()]
    more = len(shown) - _MOST_CASES
    return [*shown[:_MOST_CASES], *([f"and {more} more"] if more > 0 else [])]


def _rules(names: set[str]) -> Iterator[str]:
    facts: Mapping[str, Any] = table("facts")
    for name in sorted(names & facts.keys()):
        yield f"{name}: {facts[name]['rule']} ({facts[name]['versions']})"


def _rules_of(fact: str) -> list[str]:
    return [code for code, rule in RULES.items() if fact in rule.facts]


def _met_by(names: set[str]) -> Iterator[str]:
    reports: Mapping[str, Any] = table("reports")
    for name in sorted(names & reports.keys()):
        yield f"{name} {reports[name]['source']}: {reports[name]['symptom']}"


def _listed(label: str, lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        head = label if index == 0 else ""
        yield wrapped(f"  {head:<9} {line}", " " * 12)


def _bold(text: str) -> str:
    return click.style(text, bold=True)
