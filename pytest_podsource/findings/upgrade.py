"""
What another kubelet makes of the same manifests: refusals, restarts, other fields.

Rule 1: both answers are the core's. Rule 2: a difference that goes away with the old
default of a feature gate is told with that gate's name. Rule 3: each kubelet hashes a
dump of its own types, so a generated UID never outlives an upgrade.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_podsource.contract import Config
from pytest_podsource.core.versions import DIFFERENCES, Kubelet, kubelet
from pytest_podsource.findings.directory import Entry, check_entry, together
from pytest_podsource.findings.edit import differing
from pytest_podsource.findings.finding import Finding
from pytest_podsource.findings.manifest import Verdict

# What differs between kubelets and isn't about one manifest, by the core's row.
_BEHAVIOUR = {
    "pods_by_uid": "an edit of a manifest without a UID is REMOVE and ADD, not UPDATE",
    "file_watch": "changes are seen at once, not at the next listing only",
    "file_toleration": "pods of files tolerate every NoExecute taint",
    "max_manifest_bytes": "manifests of 10 MiB or more are refused",
    "url_timeout_ns": "a URL that doesn't answer is given up after 10 s",
    "lower_node_name": "the node's name is appended in lower case",
    "uid_of_origin": "file and node, or the URL, count for the UID",
    "generation_is_merged": "an UPDATE takes the generation over",
    "priority_warnings": "odd priorities of static pods are logged",
    "first_set_is_told": "a source without pods gives an empty ADD, once",
    "has_delete_and_reconcile": "there are operations DELETE and RECONCILE",
    "node_sync": "pods of the apiserver wait for the node",
}


def check_upgrade(entries: Sequence[Entry], old: Config, new: Config) -> list[Verdict]:
    """
    Return what becomes of *entries* with the kubelet of *new* after that of *old*.

    Args:
        entries: What lies in one directory.
        old: Node name and the kubelet that runs now.
        new: The same node with the kubelet to come.
    """
    before = [check_entry(each, old) for each in entries]
    after = [check_entry(each, new) for each in entries]
    told = [
        Verdict(
            path=verdict.path,
            pods=verdict.pods,
            has_uid=verdict.has_uid,
            is_read=verdict.is_read,
            findings=tuple(_of_file(entry, earlier, verdict, (old, new))),
        )
        for entry, earlier, verdict in zip(entries, before, after, strict=True)
    ]
    if kubelet(old.kubelet).file_watch == kubelet(new.kubelet).file_watch:
        return told
    return together(told, new)  # another file of several with one pod counts


def behaviour_changes(old: str, new: str) -> Iterator[str]:
    """
    Yield what the kubelet *new* does otherwise than *old*, for whatever manifests.
    """
    one, other = kubelet(old), kubelet(new)
    for row, text in _BEHAVIOUR.items():
        if getattr(one, row) != getattr(other, row):
            back = list(DIFFERENCES[row].values()).index(getattr(other, row)) == 0
            yield f"no longer: {text}" if back else text


def _of_file(
    entry: Entry, before: Verdict, after: Verdict, configs: tuple[Config, Config]
) -> Iterator[Finding]:
    old, new = configs
    if not after.is_read:
        return
    if before.taken and not after.taken:
        yield from _refusals(entry, after, configs)
    elif after.taken and not before.taken:
        why = next(each for each in before.findings if each.level == "refused")
        message = f"{new.kubelet} takes it; {old.kubelet}: {why.message}"
        yield _told("upgrade-taken", after, message, field=why.field, line=why.line)
    elif not after.taken:
        yield from (each for each in after.findings if each.level == "refused")
    else:
        yield from _of_pods(entry, before, after, configs)


def _refusals(
    entry: Entry, after: Verdict, configs: tuple[Config, Config]
) -> Iterator[Finding]:
    gate = _gate_behind(entry, after, configs)
    for why in after.findings:
        if why.level == "refused":
            message = f"{why.message}{gate}"
            yield _told(
                "upgrade-refused", after, message, field=why.field, line=why.line
            )


def _of_pods(
    entry: Entry, before: Verdict, after: Verdict, configs: tuple[Config, Config]
) -> Iterator[Finding]:
    if not after.has_uid:
        message = "its UID is made anew, so the pod restarts at the kubelet's start"
        yield _told("upgrade-uid", after, message)
    fields = [
        field
        for was, will in zip(before.pods, after.pods, strict=True)
        for field in differing(was, will)
    ]
    if not fields:
        return
    gate = _gate_behind(entry, after, configs)
    for field in fields:
        was, will = _value(before, field), _value(after, field)
        message = f"{was} becomes {will}{gate}"
        code = "upgrade-gate" if gate else "upgrade-default"
        yield _told(code, after, message, field=field)


def _gate_behind(entry: Entry, after: Verdict, configs: tuple[Config, Config]) -> str:
    """Return which gate's new default makes the difference, for the end of a text."""
    old, new = configs
    one, other = kubelet(old.kubelet), kubelet(new.kubelet)
    for gate in _moved_gates(one, other):
        before = not other.gates[gate]
        verdict = check_entry(entry, replace(new, gates={**new.gates, gate: before}))
        if (verdict.taken, verdict.pods) != (after.taken, after.pods):
            return f", by the gate {gate} (default {str(not before).lower()} now)"
    return ""


def _moved_gates(one: Kubelet, other: Kubelet) -> list[str]:
    return [
        gate
        for gate, default in other.gates.items()
        if one.gates.get(gate, False) != default
    ]


def _value(verdict: Verdict, field: str) -> str:
    from pytest_podsource.findings.text import segments  # noqa: PLC0415

    for pod in verdict.pods:
        value: object = pod
        for part in segments(field):
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and int(part) < len(value):
                value = value[int(part)]
        if value is not None:
            return repr(value)
    return "nothing"


def _told(
    code: str, verdict: Verdict, message: str, *, field: str = "", line: int = 0
) -> Finding:
    return Finding(
        code=code, path=verdict.path, message=message, field=field, line=line
    )
