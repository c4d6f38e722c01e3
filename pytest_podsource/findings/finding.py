"""
A finding, and the rules that there are; ``docs/reference/findings.md`` shows each.

Rule 1: a code is a promise, like the id of a case. Rule 2: ``refused`` means that the
kubelet doesn't run what is there, ``finding`` that it does something else than one would
think, ``note`` that it is worth knowing and nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Level = Literal["note", "finding", "refused"]

LEVELS: tuple[Level, ...] = ("note", "finding", "refused")


@dataclass(frozen=True, slots=True)
class Rule:
    """
    What findings of one code have in common.

    Attributes:
        level: How bad it is.
        title: What it is about, for a list of rules.
        facts: The facts of ``docs/reference/behaviour.md`` behind it.
    """

    level: Level
    title: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    One thing about one file.

    Attributes:
        code: The rule, a key of :data:`RULES`.
        path: The file or directory.
        line: Where in it, from 1; 0 if nobody can say.
        field: The path of the field, such as ``spec.containers[0].image``.
        message: What the kubelet does.
        hint: What to do about it.
    """

    code: str
    path: str
    message: str
    line: int = 0
    field: str = ""
    hint: str = ""

    @property
    def level(self) -> Level:
        """
        Return how bad it is.
        """
        return RULES[self.code].level


def worst(findings: Iterable[Finding]) -> Level:
    """
    Return the highest level among *findings*, ``note`` for none.
    """
    return max((each.level for each in findings), key=LEVELS.index, default="note")


RULES: Mapping[str, Rule] = {
    "refused": Rule(
        "refused",
        "the kubelet doesn't take the manifest",
        ("DECODE-04", "DECODE-09", "DECODE-16", "DECODE-42", "DECODE-45", "FILE-14"),
    ),
    "unreadable": Rule(
        "refused", "the file can't be read, or is too large", ("FILE-25", "FILE-26")
    ),
    "dangling-link": Rule(
        "refused", "a link that leads nowhere is left out", ("FILE-12", "FILE-59")
    ),
    "not-listed": Rule(
        "refused",
        "characters of the directory's name make a pattern that misses its files",
        ("FILE-18",),
    ),
    "glob-directory": Rule(
        "finding",
        "the directory's name has characters of a pattern",
        ("FILE-18",),
    ),
    "subdirectory": Rule(
        "finding", "directories in the directory aren't read", ("FILE-11",)
    ),
    "special-file": Rule(
        "finding", "FIFOs, sockets and devices aren't read", ("FILE-13", "FILE-21")
    ),
    "dot-file": Rule(
        "note", "a name that begins with a dot isn't read", ("FILE-10", "FILE-40")
    ),
    "symlink": Rule(
        "finding",
        "what a link leads to is not watched",
        ("FILE-59", "FILE-60"),
    ),
    "backup-file": Rule(
        "finding",
        "backups and editors' files are manifests as well",
        ("FILE-09",),
    ),
    "same-pod": Rule(
        "finding",
        "several files have one pod, of which one counts",
        ("FILE-27", "FILE-28", "FILE-54", "FILE-55", "FILE-56"),
    ),
    "same-uid": Rule(
        "finding",
        "several pods have one UID, and the kubelet mixes them up",
        ("CONFIG-42",),
    ),
    "unknown-field": Rule(
        "finding", "a field that isn't known vanishes", ("DECODE-06", "DECODE-08")
    ),
    "ignored-document": Rule(
        "finding",
        "only the first document of a file is read",
        ("DECODE-03", "URL-18"),
    ),
    "duplicate-key": Rule(
        "finding", "a key given twice counts the last time", ("DECODE-07",)
    ),
    "yaml-value": Rule(
        "finding",
        "YAML reads a value as something else than it looks like",
        ("DECODE-10",),
    ),
    "repeated-env": Rule(
        "finding", "a variable given twice counts the last time", ("DECODE-42",)
    ),
    "priority": Rule(
        "finding",
        "a priority that the apiserver or the node doesn't see that way",
        ("DECODE-50",),
    ),
    "mirror-annotation": Rule(
        "finding",
        "a pod that claims to be a mirror pod isn't run",
        ("DECODE-49", "SYNC-26"),
    ),
    "deletion-timestamp": Rule(
        "finding", "a pod that says it is being deleted", ("DECODE-49", "CONFIG-31")
    ),
    "api-reference": Rule(
        "finding",
        "a pod that refers to objects of the API runs without a mirror pod",
        ("DECODE-45", "DECODE-48"),
    ),
    "overwritten": Rule(
        "note",
        "the kubelet sets the field itself",
        ("DECODE-22", "DECODE-32", "DECODE-36"),
    ),
    "explicit-uid": Rule(
        "note",
        "a fixed UID makes edits updates instead of restarts",
        ("DECODE-23", "CONFIG-50", "CONFIG-27"),
    ),
    "upgrade-refused": Rule(
        "refused",
        "the newer kubelet refuses what the older one takes",
        ("DECODE-44", "DECODE-45", "DECODE-48"),
    ),
    "upgrade-taken": Rule(
        "finding",
        "the newer kubelet takes what the older one refuses",
        ("DECODE-44",),
    ),
    "upgrade-uid": Rule(
        "finding",
        "the UID is another one, so the pod restarts",
        ("DECODE-24", "DECODE-25", "DECODE-30"),
    ),
    "upgrade-default": Rule(
        "finding",
        "the same manifest makes a pod with other fields",
        ("DECODE-38", "DECODE-39", "DECODE-41"),
    ),
    "upgrade-gate": Rule(
        "finding",
        "a feature gate has another default, which matters here",
        ("DECODE-44", "DECODE-45"),
    ),
    "upgrade-behaviour": Rule(
        "note",
        "the kubelet works otherwise, whatever the manifests hold",
        ("CONFIG-23", "FILE-37"),
    ),
}
