"""
One manifest: whether the kubelet takes it, as which pod, and what is odd about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import yaml

from pytest_podsource.contract import Config, Pod, Refused
from pytest_podsource.core.manifest import (
    decode_value,
    decode_value_list,
    is_json,
    read_document,
)
from pytest_podsource.core.manifest.identity import Origin
from pytest_podsource.core.versions import kubelet
from pytest_podsource.findings import text
from pytest_podsource.findings.finding import Finding
from pytest_podsource.findings.pod import odd_about
from pytest_podsource.findings.reasons import Reason, reasons_of
from pytest_podsource.findings.unknown import Unknown, unknown_fields
from pytest_podsource.findings.written import odd_values, read_as, repeated_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    What a kubelet makes of one file, or of the answer of a URL.

    Attributes:
        path: The file, as it was named.
        pods: The pods that it makes; none if it is refused.
        has_uid: Whether the manifest has a UID of its own.
        findings: What there is to say.
        is_read: Whether the kubelet looks into it at all.
        is_directory: It is the directory itself, not a file of it.
    """

    path: str
    pods: tuple[Pod, ...] = ()
    has_uid: bool = False
    findings: tuple[Finding, ...] = ()
    is_read: bool = True
    is_directory: bool = False

    @property
    def taken(self) -> bool:
        """
        Return whether the kubelet runs what is there.
        """
        return self.is_read and not any(
            each.level == "refused" for each in self.findings
        )

    def with_findings(self, *findings: Finding) -> Verdict:
        """
        Return the verdict with more *findings*.
        """
        return replace(self, findings=(*self.findings, *findings))


def check_manifest(
    data: bytes, path: str, config: Config, source: Origin = "file"
) -> Verdict:
    """
    Return what the kubelet makes of *data*.

    Args:
        data: The manifest; from a URL also a list of pods.
        path: What to call it.
        config: Node name and kubelet, and ``path`` or ``url``, which counts for UIDs.
        source: Where it is from.
    """
    return _Manifest(data, path, config, source).verdict()


class _Manifest:
    def __init__(self, data: bytes, path: str, config: Config, source: Origin) -> None:
        self._data = data
        self._path = path
        self._config = config
        self._source = source
        self._value: Any = None
        self._read_root: yaml.Node | None = None

    def verdict(self) -> Verdict:
        """Decode it, and look for what is odd."""
        try:
            document = read_document(self._data)
            self._value, self._read_root = document.value, document.root
            pods = self._decoded()
        except Refused as refused:
            found = tuple(self._refused(refused))
            fields = {each.field for each in found if each.field}
            more = (each for each in self._as_written() if each.field not in fields)
            return Verdict(path=self._path, findings=(*found, *more))
        return Verdict(
            path=self._path,
            pods=tuple(pods),
            has_uid=self._has_uid(),
            findings=(*self._as_written(), *self._odd(pods)),
        )

    def _decoded(self) -> list[Pod]:
        try:
            return [decode_value(self._value, self._config, self._source)]
        except Refused as refused:
            if self._source == "file" or refused.parsed:
                raise
            as_pod = refused
        try:
            return decode_value_list(self._value, self._config, self._source)
        except Refused as as_list:
            raise as_list if self._kind() == "PodList" else as_pod from None

    @cached_property
    def _root(self) -> yaml.Node | None:
        # JSON is read without nodes; it is a kind of YAML, so they can be had.
        if self._read_root is None:
            return text.nodes_of(self._data)
        return self._read_root

    def _kind(self) -> str:
        value = self._value if isinstance(self._value, dict) else {}
        kinds = [each for name, each in value.items() if name.lower() == "kind"]
        return str(kinds[-1]) if kinds else ""

    def _has_uid(self) -> bool:
        return any(
            bool((each.get("metadata") or {}).get("uid")) for each, _ in self._given()
        )

    def _given(self) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield each pod as it is written, with the path before its fields."""
        if self._kind() != "PodList":
            yield self._value, ""
            return
        for index, each in enumerate(self._value.get("items") or ()):
            yield each, f"items[{index}]."

    def _refused(self, refused: Refused) -> Iterator[Finding]:
        for reason in reasons_of(refused, self._value):
            node = text.node_at(self._root, reason.field) if reason.field else None
            hint = f"In YAML {told}." if (told := read_as(node)) else ""
            yield self._finding("refused", reason, hint)

    def _as_written(self) -> Iterator[Finding]:
        """Yield what is odd about the text, whether it is taken or not."""
        if not isinstance(self._value, dict):
            return
        for unknown in self._unknown():
            reason = Reason("no such field is known, so it vanishes", unknown.field)
            yield self._finding("unknown-field", reason, unknown.hint)
        nodes = self._root
        for line, field in repeated_keys(nodes):
            reason = Reason("the key stands there twice; this one counts", field, line)
            yield self._finding("duplicate-key", reason, "Keep one of them.")
        if is_json(self._data):
            return
        for odd in odd_values(self._data, nodes):
            reason = Reason(odd.message, odd.field, odd.line)
            yield self._finding("yaml-value", reason, odd.hint)
        line = text.next_document(self._data, nodes)
        if line:
            reason = Reason("the second document of a file isn't read", line=line)
            hint = "Put it into a file of its own."
            yield self._finding("ignored-document", reason, hint)

    def _unknown(self) -> Iterator[Unknown]:
        kind = self._kind()
        if kind == "Pod" or (kind == "PodList" and self._source == "http"):
            version = kubelet(self._config.kubelet)
            yield from unknown_fields(self._value, kind, version)

    def _odd(self, pods: list[Pod]) -> Iterator[Finding]:
        for pod, (given, before) in zip(pods, self._given(), strict=True):
            for code, reason, hint in odd_about(pod, given, self._config):
                place = Reason(reason.text, before + reason.field)
                yield self._finding(code, place, hint)

    def _finding(self, code: str, reason: Reason, hint: str = "") -> Finding:
        line = reason.line or (
            text.line_of(self._root, reason.field) if reason.field else 0
        )
        return Finding(
            code=code,
            path=self._path,
            line=line,
            field=reason.field,
            message=reason.text,
            hint=hint,
        )
