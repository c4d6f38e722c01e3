"""
What is odd about a pod that a kubelet takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.contract import Config, Pod
from pytest_podsource.core.manifest.defaults import containers
from pytest_podsource.core.manifest.references import refused_reference
from pytest_podsource.core.pods import LOCAL_ANNOTATIONS, MIRROR_ANNOTATION
from pytest_podsource.core.versions import kubelet
from pytest_podsource.findings.reasons import Reason, field_of_reference
from pytest_podsource.known import KUBELETS

_BUILT_IN = {
    "system-node-critical": 2_000_001_000,
    "system-cluster-critical": 2_000_000_000,
}
_NEWEST = kubelet(KUBELETS[-1])

Told = tuple[str, Reason, str]


def odd_about(pod: Pod, given: Mapping[str, Any], config: Config) -> Iterator[Told]:
    """
    Yield code, reason and hint of what is odd about *pod*.

    Args:
        pod: What the kubelet makes of the manifest.
        given: The manifest, as it is written.
        config: Node and kubelet.
    """
    metadata, spec = _part(given, "metadata"), _part(given, "spec")
    yield from _priority(pod["spec"], config)
    yield from _annotations(_part(metadata, "annotations"))
    yield from _overwritten(given, spec, config)
    yield from _repeated_env(pod["spec"])
    yield from _reference(pod, given)
    if metadata.get("uid"):
        text = (
            "the UID is fixed: an edit is an UPDATE, and another name isn't noticed "
            "until the kubelet restarts"
        )
        yield "explicit-uid", Reason(text, "metadata.uid"), ""
    if metadata.get("deletionTimestamp"):
        text = "the kubelet starts the pod as one that is being deleted"
        yield (
            "deletion-timestamp",
            Reason(text, "metadata.deletionTimestamp"),
            "Remove the field.",
        )


def _priority(spec: Mapping[str, Any], config: Config) -> Iterator[Told]:
    priority, name = spec.get("priority"), spec.get("priorityClassName", "")
    if priority is None and not name:
        return
    if priority is None:
        text = f"without spec.priority the pod has none on the node, whatever {name} is"
        hint = f"Add priority: {_BUILT_IN.get(name, f'that of {name}')}."
        yield "priority", Reason(text, "spec.priorityClassName"), hint
    elif not name and priority:
        text = (
            f"{priority} without a class isn't what the apiserver works out, so it "
            "refuses the mirror pod: the pod runs, and nobody sees it"
        )
        yield "priority", Reason(text, "spec.priority"), _RIGHT
    elif name and priority != _BUILT_IN.get(name, priority):
        text = (
            f"the apiserver works out {_BUILT_IN[name]} for {name} and refuses the "
            f"mirror pod with {priority}: the pod runs, and nobody sees it"
        )
        yield "priority", Reason(text, "spec.priority"), _RIGHT
    elif name not in _BUILT_IN and name:
        text = (
            f"the mirror pod is refused unless the class {name} of the cluster has "
            f"the value {priority}"
        )
        yield "priority", Reason(text, "spec.priority"), _RIGHT


_RIGHT = (
    "Write priorityClassName: system-node-critical with priority: 2000001000, or "
    "neither."
)


def _annotations(annotations: Mapping[str, Any]) -> Iterator[Told]:
    if MIRROR_ANNOTATION in annotations:
        text = "the kubelet takes this for a mirror pod and doesn't run it"
        field = f"metadata.annotations[{MIRROR_ANNOTATION}]"
        yield "mirror-annotation", Reason(text, field), "Remove the annotation."
    for name in (*LOCAL_ANNOTATIONS, "kubernetes.io/config.hash"):
        if name in annotations and name != MIRROR_ANNOTATION:
            text = "the kubelet sets this annotation itself"
            yield (
                "overwritten",
                Reason(text, f"metadata.annotations[{name}]"),
                "Remove it.",
            )


def _overwritten(
    given: Mapping[str, Any], spec: Mapping[str, Any], config: Config
) -> Iterator[Told]:
    node = spec.get("nodeName")
    if node and node != config.node_name:
        text = f"the node is {config.node_name} wherever this file lies, not {node}"
        yield "overwritten", Reason(text, "spec.nodeName"), ""
    if _part(given, "status"):
        text = "what the status says isn't so before the kubelet has found out"
        yield "overwritten", Reason(text, "status"), "Remove it."


def _repeated_env(spec: dict[str, Any]) -> Iterator[Told]:
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(containers(spec, (kind,))):
            seen: dict[str, int] = {}
            for number, each in enumerate(container.get("env") or ()):
                name = each.get("name", "")
                if name in seen:
                    field = f"spec.{kind}[{index}].env[{number}].name"
                    text = f"{name} is given twice; this one counts"
                    yield "repeated-env", Reason(text, field), "Keep one of them."
                seen[name] = number


def _reference(pod: Pod, given: Mapping[str, Any]) -> Iterator[Told]:
    # What the newest kubelet refuses, an older one takes; the apiserver doesn't.
    reason = refused_reference(pod, _NEWEST, {}, in_list=False)
    if reason and reason.startswith("static pods may not reference "):
        resource = reason.split()[5]
        text = (
            f"the apiserver refuses the mirror pod of one that refers to {resource}, "
            "and newer kubelets refuse the manifest"
        )
        field = field_of_reference(given, resource)
        yield "api-reference", Reason(text, field), "Use hostPath, or plain values."


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name) if isinstance(value, dict) else None
    return part if isinstance(part, dict) else {}
