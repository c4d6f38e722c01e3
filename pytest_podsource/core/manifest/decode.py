"""
From the bytes of a manifest to a pod, in the kubelet's order.

Rule 1: text, kind, types; then defaults, identity, validation, references. Rule 2: what
isn't a pod (list) is refused as not parsed; a pod that can't be used as parsed. Rule 3:
the first pod of a list that can't be used refuses the list. Rule 4: the result has no
kind and no apiVersion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_podsource.contract import Config, Pod, Refused
from pytest_podsource.core.manifest import fields, text
from pytest_podsource.core.manifest.defaults import set_defaults
from pytest_podsource.core.manifest.identity import Origin, adopt
from pytest_podsource.core.manifest.quantity import Quantity
from pytest_podsource.core.manifest.references import refused_reference
from pytest_podsource.core.manifest.validation import validate
from pytest_podsource.core.versions import Kubelet, kubelet

_INIT_ANNOTATIONS = tuple(
    f"pod.{stage}.kubernetes.io/init-container{what}"
    for stage in ("alpha", "beta")
    for what in ("s", "-statuses")
)
_CRITICAL = (2_000_001_000, "system-node-critical")


class InvalidPod(Refused):
    """
    A pod that the API's validation refuses.

    Args:
        faults: What is wrong with it; each begins with the field's path.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__(f"invalid pod: [{' '.join(faults)}]", parsed=True)
        self.faults = tuple(faults)

    def __reduce__(self) -> tuple[type[InvalidPod], tuple[Sequence[str]]]:
        return InvalidPod, (self.faults,)


def decode_manifest(data: bytes, config: Config, source: Origin = "file") -> Pod:
    """
    Return the pod that the manifest *data* makes on this node.

    Args:
        data: The manifest, YAML or JSON.
        config: Node name, kubelet and gates; ``path`` or ``url`` is where it is from.
        source: Which of the two.

    Raises:
        Refused: It isn't a pod (``parsed`` false) or can't be used.

    Kubelet: ``tryDecodeSinglePod`` in ``pkg/kubelet/config``.
    """
    return decode_value(text.read(data), config, source)


def decode_value(value: Any, config: Config, source: Origin = "file") -> Pod:
    """
    Return the pod of a manifest that was read already; see :func:`decode_manifest`.

    Raises:
        Refused: It isn't a pod, or can't be used.
    """
    version = kubelet(config.kubelet)
    value, has_version = _object(value, "Pod", version)
    pod = fields.decode(value, "Pod", version)
    return _Decoder(config, source, version).finish(pod, defaults=has_version)


def decode_manifest_list(
    data: bytes, config: Config, source: Origin = "http"
) -> list[Pod]:
    """
    Return the pods of the PodList *data*, in its order.

    Raises:
        Refused: It isn't a PodList (``parsed`` false), or a pod can't be used.

    Kubelet: ``tryDecodePodList`` in ``pkg/kubelet/config``.
    """
    return decode_value_list(text.read(data), config, source)


def decode_value_list(value: Any, config: Config, source: Origin = "http") -> list[Pod]:
    """
    Return the pods of a list that was read already; see :func:`decode_manifest_list`.

    Raises:
        Refused: It isn't a PodList, or a pod can't be used.
    """
    version = kubelet(config.kubelet)
    value, has_version = _object(value, "PodList", version)
    pods = fields.decode(value, "PodList", version).get("items") or []
    items = value.get("items") or ()
    for index, (pod, item) in enumerate(zip(pods, items, strict=False)):
        head = _head(item, f"items[{index}]")
        if version.list_items_keep_kind:
            pod.update(head)
    decoder = _Decoder(config, source, version, in_list=True)
    return [decoder.finish(pod, defaults=has_version) for pod in pods]


def priority_warning(pod: Pod, config: Config) -> str | None:
    """
    Return what is odd about the priority of a static *pod*, or ``None``.

    A kubelet logs each of the texts once, for single pods only.

    Kubelet: ``getStaticPodPriorityWarning``, from 1.37 on.
    """
    priority = pod["spec"].get("priority")
    name = pod["spec"].get("priorityClassName", "")
    if not kubelet(config.kubelet).priority_warnings or (priority, name) == (None, ""):
        return None
    if priority is None:
        return "a static pod has a priority class and no priority, so it has none"
    if not name:
        return "a static pod has a priority and no priority class"
    if (priority, name) != _CRITICAL:
        return f"a static pod has another priority than {_CRITICAL[0]}, {_CRITICAL[1]}"
    return None


def fault_of(pod: Pod, config: Config) -> str | None:
    """
    Return what is wrong with *pod*, whatever it is from, or ``None``.

    Kubelet: ``ValidatePod``, which 1.1 asks again in its merge.
    """
    version = kubelet(config.kubelet)
    try:
        typed = fields.decode(pod, "Pod", version)
    except Refused as error:
        return str(error)
    gates = {**version.gates, **config.gates}
    set_defaults(typed, version, gates)  # as the kubelet's own decoding has done
    return " ".join(validate(typed, version, gates)) or None


class _Decoder:
    """
    Finishes pods of one origin.
    """

    def __init__(
        self, config: Config, origin: Origin, version: Kubelet, *, in_list: bool = False
    ) -> None:
        self._config = config
        self._origin = origin
        self._version = version
        self._in_list = in_list
        self._gates: Mapping[str, bool] = {**version.gates, **config.gates}

    def finish(self, pod: Pod, *, defaults: bool) -> Pod:
        """Make the decoded *pod* one of this node, or refuse it."""
        if defaults:
            set_defaults(pod, self._version, self._gates)
        if self._version.drops_init_annotations:
            _drop_init_annotations(pod)
        if self._version.name_checked_first and not pod["metadata"].get("name"):
            raise Refused("invalid pod: a name is needed for the pod", parsed=True)
        adopt(pod, self._config, self._origin, self._version)
        faults = list(validate(pod, self._version, self._gates))
        if faults:
            raise InvalidPod(faults)
        reason = refused_reference(
            pod, self._version, self._gates, in_list=self._in_list
        )
        if reason:
            raise Refused(reason, parsed=True)
        plain: Pod = _plain(pod)
        return plain


def _object(value: Any, wanted: str, version: Kubelet) -> tuple[dict[str, Any], bool]:
    """
    Return *value* as an object of that kind, and whether it names its API version.
    """
    if not isinstance(value, dict):
        shown = "nothing" if value is None else type(value).__name__
        raise Refused(f"a manifest is an object with a kind, this is {shown}")
    kind, api_version = _named(value, "kind"), _named(value, "apiVersion")
    if not kind:
        raise Refused(f"'kind' is missing. Right would be kind: {wanted}.")
    if not api_version and version.needs_api_version:
        raise Refused("'apiVersion' is missing. Right would be apiVersion: v1.")
    if (kind, api_version or "v1") != (wanted, "v1"):
        raise Refused(
            f"invalid pod: this is a {api_version} {kind}. Right would be v1 {wanted}."
        )
    return value, bool(api_version)


def _head(item: dict[str, Any] | None, path: str) -> dict[str, str]:
    """
    Return kind and API version of an item as it is written.
    """
    found = {}
    for name in ("kind", "apiVersion"):
        given = (item or {}).get(name)
        if not isinstance(given, (str, type(None))):
            raise Refused(f"{path}.{name}: {given!r} is not a text")
        if given:
            found[name] = given
    return found


def _named(value: dict[str, Any], name: str) -> str:
    """
    Return the text *name* of an object, which matches in any case; the last one.
    """
    found = [each for key, each in value.items() if key.lower() == name.lower()]
    for each in found:
        if not isinstance(each, (str, type(None))):
            raise Refused(f"{name}: {each!r} is not a text")
    return next((each for each in reversed(found) if each is not None), "")


def _drop_init_annotations(pod: Pod) -> None:
    annotations = pod["metadata"].get("annotations", {})
    for name in _INIT_ANNOTATIONS:
        annotations.pop(name, None)


def _plain(value: Any) -> Any:
    """
    Return *value* with quantities as texts, sharing nothing with it.
    """
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Quantity) else value
