"""
What the kubelet reads from a pod, and how it copies one.

Rule 1: a pod is a plain dict in the Kubernetes JSON form. Rule 2: a field that is
absent or null is Go's nil; ``[]`` and ``{}`` are empty, which is not the same.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any

from pytest_podsource.contract import Pod

SOURCE_ANNOTATION = "kubernetes.io/config.source"
MIRROR_ANNOTATION = "kubernetes.io/config.mirror"
SEEN_ANNOTATION = "kubernetes.io/config.seen"
HASH_ANNOTATION = "kubernetes.io/config.hash"

#: The annotations that belong to the kubelet: never a reason for an update.
LOCAL_ANNOTATIONS = (SOURCE_ANNOTATION, MIRROR_ANNOTATION, SEEN_ANNOTATION)

API_SOURCE = "api"
_NS_PER_SECOND = 1_000_000_000


def name(pod: Pod) -> str:
    """
    Return the name of *pod*, empty if it has none.
    """
    found: str = _metadata(pod).get("name") or ""
    return found


def namespace(pod: Pod) -> str:
    """
    Return the namespace of *pod*, empty if it has none.
    """
    found: str = _metadata(pod).get("namespace") or ""
    return found


def uid(pod: Pod) -> str:
    """
    Return the UID of *pod*, empty if it has none.
    """
    found: str = _metadata(pod).get("uid") or ""
    return found


def full_name(pod: Pod) -> str:
    """
    Return ``name_namespace``, by which duplicates within a source are found.

    Kubelet: ``GetPodFullName`` in ``pkg/kubelet/container``.
    """
    metadata = _metadata(pod)
    return f"{metadata.get('name') or ''}_{metadata.get('namespace') or ''}"


def annotations_of(pod: Pod) -> dict[str, str]:
    """
    Return the annotations of *pod* to read, empty if it has none.
    """
    return _metadata(pod).get("annotations") or {}


def annotate(pod: Pod, annotations: Mapping[str, str]) -> None:
    """
    Set *annotations* in *pod* itself, beside those that it has.
    """
    annotated = {**annotations_of(pod), **annotations}
    pod["metadata"] = {**_metadata(pod), "annotations": annotated}


def is_static(pod: Pod) -> bool:
    """
    Return whether *pod* names a source, and that isn't the apiserver.

    Kubelet: ``IsStaticPod`` in ``pkg/kubelet/types``.
    """
    return annotations_of(pod).get(SOURCE_ANNOTATION, API_SOURCE) != API_SOURCE


def is_mirror(pod: Pod) -> bool:
    """
    Return whether *pod* carries the mirror annotation, whatever its value.

    Kubelet: ``IsMirrorPod`` in ``pkg/kubelet/types``.
    """
    return MIRROR_ANNOTATION in annotations_of(pod)


def copies(pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """
    Return deep copies of *pods*.

    Kubelet: ``copyPods`` in ``pkg/kubelet/config``.
    """
    originals = tuple(pods)
    try:
        # A pod is plain JSON, which this copies in less than half the time.
        copied: tuple[Pod, ...] = marshal.loads(marshal.dumps(originals))  # noqa: S302
    except ValueError:  # mappings of some other type, or nested very deeply
        return tuple(map(_copy, originals))
    return copied


def timestamp(wall_ns: int, *, trims_zeros: bool) -> str:
    """
    Return *wall_ns* as the kubelet writes ``config.seen``: RFC 3339, in UTC.

    Args:
        wall_ns: Nanoseconds since 1970.
        trims_zeros: Leave out trailing zeros of the fraction, else nine digits.

    Kubelet: ``Timestamp.GetString`` in ``pkg/kubelet/types``.
    """
    seconds, fraction = divmod(wall_ns, _NS_PER_SECOND)
    moment = _to_the_second(seconds)
    digits = f".{fraction:09d}"
    if trims_zeros:
        digits = digits.rstrip("0").rstrip(".")
    return f"{moment}{digits}Z"


@lru_cache(maxsize=1)
def _to_the_second(seconds: int) -> str:
    # Thousands of pods are first seen within one.
    moment = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S")


def _metadata(pod: Pod) -> dict[str, Any]:
    return pod.get("metadata") or {}


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_copy(each) for each in value]
    return value
