"""
What the API fills in where a manifest says nothing.

Rule 1: a default is set before the UID is made, so writing it out changes nothing.
Rule 2: a text or number that is empty or 0 counts as not said; decoding has left it
out already. Rule 3: requests are taken from limits before both are rounded up. Rule 4:
an image without tag and digest has the tag ``latest``; one that can't be parsed has
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_podsource.contract import Pod
from pytest_podsource.core.manifest.pod_resources import default_pod_resources
from pytest_podsource.core.versions import Kubelet

Part = dict[str, Any]

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")

# With this gate the apiserver fills in what a pod as a whole requests, nobody else.
_LATER = "PodLevelResourcesFixDefaulting"
_STATUSES = (
    "initContainerStatuses",
    "containerStatuses",
    "ephemeralContainerStatuses",
)

_PATH = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_LABEL = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_IMAGE = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_PATH}(?:/{_PATH})*)(?::(?P<tag>\w[\w.-]{{0,127}}))?"
    r"(?P<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*"
    r":[0-9a-fA-F]{32,})?\Z",
    re.ASCII,
)
_IMAGE_ID = re.compile(r"[a-f0-9]{64}\Z")


def set_defaults(pod: Pod, kubelet: Kubelet, gates: Mapping[str, bool]) -> None:
    """
    Fill in *pod*, in place.

    Kubelet: ``SetObjectDefaults_Pod`` in ``pkg/apis/core/v1``; the defaulting
    functions of ``pkg/api/v1`` up to 1.1.
    """
    spec = pod["spec"]
    _default_requests(spec)
    if gates.get("PodLevelResources") and not gates.get(_LATER):
        default_pod_resources(spec)
    if spec.get("hostNetwork"):
        _default_host_ports(spec)
    _fill(spec, kubelet.spec_defaults)
    if kubelet.negative_grace_becomes_1 and spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for volume in spec.get("volumes") or ():
        _default_volume(volume, kubelet, gates)
    for container in containers(spec):
        _default_container(container, kubelet)
    _default_account(spec)
    if kubelet.syncs_pod_ips:
        _default_ips(pod["status"])
    for resources in _resource_lists(pod):
        for name, quantity in resources.items():
            resources[name] = quantity.rounded_up()


def containers(spec: Part, kinds: Iterable[str] = CONTAINERS) -> Iterator[Part]:
    """
    Yield the containers of *spec*: init, regular and ephemeral ones.
    """
    for kind in kinds:
        yield from spec.get(kind) or ()


def image_tag(image: str) -> str:
    """
    Return the tag of *image*; ``latest`` without tag and digest.

    Kubelet: ``parsers.ParseImageName`` in ``pkg/util/parsers``.
    """
    form = _IMAGE.match(image)
    if not form or _IMAGE_ID.match(image):
        return ""
    return form["tag"] or ("" if form["digest"] else "latest")


def _fill(part: Part, defaults: Mapping[str, Any]) -> None:
    for name, value in defaults.items():
        if name not in part:
            part[name] = dict(value) if isinstance(value, dict) else value


def _default_requests(spec: Part) -> None:
    for container in containers(spec, ("initContainers", "containers")):
        resources = container["resources"]
        if "limits" in resources:
            requests = resources.setdefault("requests", {})
            _fill(requests, resources["limits"])


def _default_host_ports(spec: Part) -> None:
    for container in containers(spec, ("initContainers", "containers")):
        for port in container.get("ports") or ():
            if port["containerPort"]:
                port.setdefault("hostPort", port["containerPort"])


def _default_volume(volume: Part, kubelet: Kubelet, gates: Mapping[str, bool]) -> None:
    if volume.keys() <= {"name"}:
        volume["emptyDir"] = {}
    for source, defaults in kubelet.volume_defaults.items():
        if source in volume:
            _fill(volume[source], defaults)
    if gates.get("ImageVolume") and "image" in volume:
        tag = image_tag(volume["image"].get("reference", ""))
        _fill(volume["image"], {"pullPolicy": _pull_policy(tag)})
    for item in _paths(volume):
        _default_field_ref(item)
    for source in volume.get("projected", {}).get("sources") or ():
        if "serviceAccountToken" in source:
            _fill(source["serviceAccountToken"], {"expirationSeconds": 3600})
    template = volume.get("ephemeral", {}).get("volumeClaimTemplate")
    if template is not None:
        _fill(template["spec"], {"volumeMode": "Filesystem"})


def _paths(volume: Part) -> Iterator[Part]:
    # The items of downward API volumes, alone and projected.
    yield from volume.get("downwardAPI", {}).get("items") or ()
    for source in volume.get("projected", {}).get("sources") or ():
        yield from source.get("downwardAPI", {}).get("items") or ()


def _default_field_ref(part: Part) -> None:
    if "fieldRef" in part:
        _fill(part["fieldRef"], {"apiVersion": "v1"})


def _default_container(container: Part, kubelet: Kubelet) -> None:
    image = container.get("image", "")
    # Up to 1.1 the tag is what follows the last colon.
    parsed = kubelet.parses_images
    tag = image_tag(image) if parsed else image.rpartition(":")[2]
    _fill(container, {"imagePullPolicy": _pull_policy(tag)})
    _fill(container, kubelet.container_defaults)
    for port in container.get("ports") or ():
        _fill(port, {"protocol": "TCP"})
    for variable in container.get("env") or ():
        source = variable.get("valueFrom", {})
        _default_field_ref(source)
        if "fileKeyRef" in source:
            _fill(source["fileKeyRef"], {"optional": False})
    for name in PROBES:
        if name in container:
            _fill(container[name], kubelet.probe_defaults)
            if "grpc" in container[name]:
                _fill(container[name]["grpc"], {"service": ""})
    for action in _http_gets(container):
        _fill(action, {"path": "/", "scheme": "HTTP"})


def _pull_policy(tag: str) -> str:
    return "Always" if tag == "latest" else "IfNotPresent"


def _http_gets(container: Part) -> Iterator[Part]:
    hooks = container.get("lifecycle", {})
    handlers = [container.get(name, {}) for name in PROBES]
    handlers += [hooks.get(name, {}) for name in ("postStart", "preStop")]
    return (each["httpGet"] for each in handlers if "httpGet" in each)


def _default_account(spec: Part) -> None:
    # The old name is an alias of the new one, which wins.
    name = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if name:
        spec["serviceAccountName"] = spec["serviceAccount"] = name


def _default_ips(status: Part) -> None:
    single, several = status.get("podIP", ""), status.get("podIPs") or []
    if single and (not several or several[0].get("ip", "") != single):
        status["podIPs"] = [{"ip": single}]
    elif several and several[0].get("ip"):
        status["podIP"] = several[0]["ip"]


def _resource_lists(pod: Pod) -> Iterator[dict[str, Any]]:
    spec, status = pod["spec"], pod["status"]
    holders = [each["resources"] for each in containers(spec)]
    holders += [spec.get("resources", {}), status.get("resources", {})]
    plain = [spec.get("overhead"), status.get("allocatedResources")]
    for each in containers(status, _STATUSES):
        holders.append(each.get("resources", {}))
        plain.append(each.get("allocatedResources"))
    for volume in spec.get("volumes") or ():
        template = volume.get("ephemeral", {}).get("volumeClaimTemplate", {})
        holders.append(template.get("spec", {}).get("resources", {}))
    for holder in holders:
        plain += [holder.get("limits"), holder.get("requests")]
    return (each for each in plain if each is not None)
