"""
Objects of the API that a static pod may not refer to.

Rule 1: the first kind found is told, in this order: service account, secrets, config
maps, resource claims, volumes as they stand. Rule 2: a reference with an empty name
doesn't count in containers, image pull secrets and beside other volumes; a volume of
the kind itself always does. Rule 3: up to 1.30 only a cluster trust bundle is refused,
and only in single pods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.contract import Pod
from pytest_podsource.core.manifest.defaults import containers
from pytest_podsource.core.versions import Kubelet

Part = dict[str, Any]

_VOLUMES = {
    "configMap": "configmaps (via configmap volumes)",
    "secret": "secrets (via secret volumes)",
    "csi": "csidrivers (via CSI volumes)",
    "glusterfs": "endpoints (via glusterFS volumes)",
    "persistentVolumeClaim": "persistentvolumeclaims",
    "ephemeral": "persistentvolumeclaims (via ephemeral volumes)",
    "azureFile": "secrets (via azureFile volumes)",
}
_PROJECTIONS = {
    "configMap": "configmaps (via projected volumes)",
    "secret": "secrets (via projected volumes)",
    "serviceAccountToken": "serviceaccounts (via projected volumes)",
    "clusterTrustBundle": "clustertrustbundles",
    "podCertificate": "podcertificates",
}
# Where a volume of another kind names a secret.
_SECRETS = (
    ("azureFile", "secretName"),
    ("cephfs", "secretRef"),
    ("cinder", "secretRef"),
    ("flexVolume", "secretRef"),
    ("rbd", "secretRef"),
    ("secret", "secretName"),
    ("scaleIO", "secretRef"),
    ("iscsi", "secretRef"),
    ("storageos", "secretRef"),
    ("csi", "nodePublishSecretRef"),
)


def refused_reference(
    pod: Pod, kubelet: Kubelet, gates: Mapping[str, bool], *, in_list: bool
) -> str | None:
    """
    Return why *pod* is refused for what it refers to, or ``None``.

    Kubelet: ``podutil.HasAPIObjectReference``, from 1.34 on.
    """
    rule = kubelet.refuses_references
    spec = pod["spec"]
    if rule == "always" or (
        rule == "gate" and gates.get("PreventStaticPodAPIReferences")
    ):
        return _reference(spec)
    if rule == "no" or in_list:
        return None
    if any("clusterTrustBundle" in each for each in _projections(spec)):
        return "static pods may not use ClusterTrustBundle projected volume sources"
    if rule == "gate" and spec.get("resourceClaims"):
        return "static pods may not use ResourceClaims"
    return None


def _reference(spec: Part) -> str | None:
    if spec.get("serviceAccountName"):
        return _refused("serviceaccounts")
    if any(_secret_names(spec)):
        return _refused("secrets")
    if any(_config_map_names(spec)):
        return _refused("configmaps")
    if spec.get("resourceClaims"):
        return _refused("resourceclaims")
    reasons = (_volume(each) for each in spec.get("volumes") or ())
    return next((each for each in reasons if each), None)


def _refused(resource: str) -> str:
    return f"static pods may not reference {resource}"


def _volume(volume: Part) -> str | None:
    for source, resource in _VOLUMES.items():
        if source in volume:
            return _refused(resource)
    for projection in volume.get("projected", {}).get("sources") or ():
        for source, resource in _PROJECTIONS.items():
            if source in projection:
                return _refused(resource)
        if "downwardAPI" not in projection:
            return f"unknown source for projected volume {volume['name']!r}"
    return None


def _secret_names(spec: Part) -> Iterator[str]:
    for secret in spec.get("imagePullSecrets") or ():
        yield secret.get("name", "")
    yield from _names_in_containers(spec, "secretRef", "secretKeyRef")
    for volume in spec.get("volumes") or ():
        for source, field in _SECRETS:
            found = volume.get(source, {}).get(field, "")
            yield found.get("name", "") if isinstance(found, dict) else found
    for projection in _projections(spec):
        yield projection.get("secret", {}).get("name", "")


def _config_map_names(spec: Part) -> Iterator[str]:
    yield from _names_in_containers(spec, "configMapRef", "configMapKeyRef")
    for volume in spec.get("volumes") or ():
        yield volume.get("configMap", {}).get("name", "")
    for projection in _projections(spec):
        yield projection.get("configMap", {}).get("name", "")


def _names_in_containers(spec: Part, whole: str, key: str) -> Iterator[str]:
    for container in containers(spec):
        for each in container.get("envFrom") or ():
            yield each.get(whole, {}).get("name", "")
        for each in container.get("env") or ():
            yield each.get("valueFrom", {}).get(key, {}).get("name", "")


def _projections(spec: Part) -> Iterator[Part]:
    for volume in spec.get("volumes") or ():
        yield from volume.get("projected", {}).get("sources") or ()
