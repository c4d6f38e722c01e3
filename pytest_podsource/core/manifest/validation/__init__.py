"""
Which pods the API's validation refuses; each fault begins with the field's path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_podsource.contract import Pod
from pytest_podsource.core.versions import Kubelet


def validate(pod: Pod, kubelet: Kubelet, gates: Mapping[str, bool]) -> Iterator[str]:
    """
    Yield what is wrong with *pod*.

    Kubelet: ``ValidatePodCreate`` in ``pkg/apis/core/validation``.
    """
    for index, container in enumerate(pod["spec"].get("containers") or ()):
        if not container["name"]:
            yield f"spec.containers[{index}].name: Required value"
