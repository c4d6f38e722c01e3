"""
Which pods the API's validation refuses; each fault begins with the field's path.

What of the API's rules isn't here is listed in ``docs/explanation/validation.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_podsource.contract import Pod
from pytest_podsource.core.manifest.validation.annotations import (
    faults_of_annotations,
)
from pytest_podsource.core.manifest.validation.metadata import faults_of_metadata
from pytest_podsource.core.manifest.validation.spec import faults_of_spec
from pytest_podsource.core.versions import Kubelet


def validate(pod: Pod, kubelet: Kubelet, gates: Mapping[str, bool]) -> Iterator[str]:
    """
    Yield what is wrong with *pod*.

    Kubelet: ``ValidatePodCreate`` in ``pkg/apis/core/validation``.
    """
    yield from faults_of_metadata(pod["metadata"])
    yield from faults_of_annotations(pod, kubelet, gates)
    yield from faults_of_spec(pod["spec"], kubelet, gates)
