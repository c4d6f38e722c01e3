"""
How findings are printed: for people, for editors and pre-commit, for CI, as JSON.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from pytest_podsource.contract import Config
from pytest_podsource.core.versions import kubelet
from pytest_podsource.findings import Finding, Verdict

WIDTH = 80
FORMATS = ("text", "lines", "github", "json")

Emit = Callable[[Verdict], None]

_COLOURS = {"refused": "red", "finding": "yellow", "note": "cyan"}
_GITHUB = {"refused": "error", "finding": "warning", "note": "notice"}


def printer(format_: str) -> Emit:
    """
    Return what prints a verdict in one of :data:`FORMATS`.
    """
    return {"text": _text, "lines": _lines, "github": _github, "json": _json}[format_]


def wrapped(text: str, indent: str = "  ") -> str:
    """
    Return *text* in lines of at most 80 columns, the later ones indented.
    """
    return textwrap.fill(
        text,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def one_line(finding: Finding) -> str:
    """
    Return place, level, field, message and hint of *finding* on one line.
    """
    code = "" if finding.code == finding.level else f"{finding.code}: "
    return f"{_place(finding)}: {finding.level}: {code}{_said(finding)}"


def summary(verdicts: Sequence[Verdict]) -> str:
    """
    Return how many manifests there are, and how many of them are taken.
    """
    read = [each for each in verdicts if each.is_read]
    taken = sum(each.taken for each in read)
    found = [f for each in verdicts for f in each.findings if f.level == "finding"]
    return (
        f"{_count(len(read), 'manifest')}: {taken} taken, {len(read) - taken} refused; "
        f"{_count(len(found), 'finding')}"
    )


def about_uids(verdicts: Sequence[Verdict], config: Config) -> str:
    """
    Return which edits keep the UIDs of the pods of *verdicts*.
    """
    fixed = sum(each.has_uid for each in verdicts if each.taken)
    made = sum(not each.has_uid for each in verdicts if each.taken)
    place = ", file and node" if kubelet(config.kubelet).uid_of_origin else ""
    return wrapped(
        f"UIDs: {made} made of the content{place}, so any edit is another pod; "
        f"{fixed} fixed by the manifest, so an edit is an update."
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _text(verdict: Verdict) -> None:
    click.echo(wrapped(f"{verdict.path}: {_state(verdict)}", "    "))
    for finding in verdict.findings:
        line = f"line {finding.line}: " if finding.line else ""
        text = f"  {line}{_said(finding)} [{finding.code}]"
        click.secho(wrapped(text, "    "), fg=_COLOURS[finding.level])


def _state(verdict: Verdict) -> str:
    if not verdict.is_read:
        return "the directory itself" if verdict.is_directory else "not read"
    if not verdict.taken:
        return click.style("refused", fg="red", bold=True)
    pods = ", ".join(_pods(verdict)) or "no pods"
    return f"{click.style('taken', fg='green')} as {pods}"


def _pods(verdict: Verdict) -> Iterator[str]:
    for pod in verdict.pods:
        metadata = pod["metadata"]
        uid = f" (UID {metadata['uid']})" if verdict.has_uid else ""
        yield f"{metadata['namespace']}/{metadata['name']}{uid}"


def _lines(verdict: Verdict) -> None:
    for finding in verdict.findings:
        click.echo(one_line(finding))


def _github(verdict: Verdict) -> None:
    for finding in verdict.findings:
        line = f",line={finding.line}" if finding.line else ""
        click.echo(
            f"::{_GITHUB[finding.level]} file={_property(finding.path)}{line},"
            f"title={finding.code}::{_escaped(_said(finding))}"
        )


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _json(verdict: Verdict) -> None:
    click.echo(json.dumps(as_json(verdict)))


def as_json(verdict: Verdict) -> dict[str, Any]:
    """
    Return *verdict* as it is printed with ``--json``.
    """
    state = "taken" if verdict.taken else "refused" if verdict.is_read else "not-read"
    return {
        "path": verdict.path,
        "state": "directory" if verdict.is_directory else state,
        "pods": [
            {
                "namespace": pod["metadata"]["namespace"],
                "name": pod["metadata"]["name"],
                "uid_is": "fixed" if verdict.has_uid else "made-of-the-content",
                "uid": pod["metadata"]["uid"] if verdict.has_uid else None,
            }
            for pod in verdict.pods
        ],
        "findings": [finding_as_json(each) for each in verdict.findings],
    }


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """
    Return *finding* as it is printed with ``--json``.
    """
    return {
        "code": finding.code,
        "level": finding.level,
        "path": finding.path,
        "line": finding.line or None,
        "field": finding.field or None,
        "message": finding.message,
        "hint": finding.hint or None,
    }


def _place(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}" if finding.line else finding.path


def _said(finding: Finding) -> str:
    field = f"{finding.field}: " if finding.field else ""
    hint = f". {finding.hint}" if finding.hint else ""
    return f"{field}{finding.message.rstrip('.')}{hint}"
