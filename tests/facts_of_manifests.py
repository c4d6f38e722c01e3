"""
Facts of the manifest, each with a line of the reference that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_TEXT = "core.manifest.text"
_FIELDS = "core.manifest.fields"
_DECODE = "core.manifest.decode"
_DEFAULTS = "core.manifest.defaults"
_IDENTITY = "core.manifest.identity"
_REFERENCES = "core.manifest.references"
_METADATA = "core.manifest.validation.metadata"
_SPEC = "core.manifest.validation.spec"
_VERSIONS = "core.versions"

_JSON_AS_YAML = Patch(module=_TEXT, old='startswith(b"{")', new='startswith(b"\\0")')
_ANY_KIND = Patch(
    module=_DECODE,
    old='(kind, api_version or "v1") != (wanted, "v1")',
    new='(api_version or "v1") != "v1"',
)

FACTS: dict[str, Patch] = {
    "DECODE-01": _JSON_AS_YAML,
    "DECODE-02": _JSON_AS_YAML,
    "DECODE-03": Patch(
        module=_TEXT,
        old="loader.get_node() if loader.check_node() else None",
        new="[loader.get_node() for _ in iter(loader.check_node, False)][-1]",
    ),
    "DECODE-04": Patch(
        module=_DECODE,
        old="decode_value(text.read(data), config, source)",
        new='decode_value(text.read(data) or {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}, config, source)',
    ),
    "DECODE-05": Patch(
        module=_TEXT,
        old="found.update(each)",
        new="found.update({key: each[key] for key in each.keys() - found.keys()})",
    ),
    "DECODE-06": Patch(
        module=_FIELDS,
        old="return found\n\n    def _as_written",
        new="return {**given, **found}\n\n    def _as_written",
    ),
    "DECODE-07": Patch(
        module=_TEXT,
        old="found[self._key(key)] = self.value(value)",
        new="found.setdefault(self._key(key), self.value(value))",
    ),
    "DECODE-08": Patch(
        module=_VERSIONS,
        old='"fields_in_any_case": {"1.1": True, "1.20": False}',
        new='"fields_in_any_case": {"1.1": True}',
    ),
    "DECODE-09": Patch(
        module=_FIELDS,
        old='return _typed(value, str, "a text") or ""',
        new='return str(value or "")',
    ),
    "DECODE-10": Patch(
        module="core.manifest.scalars",
        old='("y", "Y", "yes", "Yes", "YES", "on", "On", "ON")',
        new='("TRUE",)',
    ),
    "DECODE-11": Patch(
        module=_VERSIONS,
        old='"needs_api_version": {"1.1": False, "1.20": True}',
        new='"needs_api_version": {"1.1": False}',
    ),
    "DECODE-12": Patch(
        module=_DECODE,
        old='(kind, api_version or "v1") != (wanted, "v1")',
        new="kind != wanted",
    ),
    "DECODE-13": _ANY_KIND,
    "DECODE-14": _ANY_KIND,
    "DECODE-15": Patch(
        module=_DECODE,
        old="defaults=has_version) for pod in pods]",
        new="defaults=has_version) for pod in pods[:1]]",
    ),
    "DECODE-16": Patch(
        module=_DECODE,
        old="super().__init__(f\"invalid pod: [{' '.join(faults)}]\", parsed=True)",
        new="super().__init__(f\"invalid pod: [{' '.join(faults)}]\", parsed=False)",
    ),
    "DECODE-17": Patch(
        module=_DECODE,
        old='not pod["metadata"].get("name")',
        new='not pod["metadata"].setdefault("name", "x")',
    ),
    "DECODE-18": Patch(
        module=_IDENTITY,
        old="meta[\"name\"] = f\"{meta.get('name', '')}-{suffix}\"",
        new="meta[\"name\"] = f\"{suffix}-{meta.get('name', '')}\"",
    ),
    "DECODE-19": Patch(
        module=_METADATA,
        old='yield from needed("metadata.name", metadata.get("name", ""), dns_subdomain)',
        new="yield from ()",
    ),
    "DECODE-20": Patch(
        module=_SPEC, old="if kubelet.checks_node_name:", new="if False:"
    ),
    "DECODE-21": Patch(module=_IDENTITY, old='or "default"', new='or "kube-system"'),
    "DECODE-22": Patch(
        module=_IDENTITY,
        old='spec["nodeName"] = node',
        new='spec.setdefault("nodeName", node)',
    ),
    "DECODE-23": Patch(module=_IDENTITY, old='if not meta.get("uid"):', new="if meta:"),
    "DECODE-24": Patch(module=_IDENTITY, old=".hexdigest()", new=".hexdigest()[:8]"),
    "DECODE-25": Patch(
        module=_IDENTITY, old="if not kubelet.uid_of_origin:", new="if kubelet:"
    ),
    "DECODE-26": Patch(
        module=_IDENTITY,
        old="if not kubelet.uid_of_origin:",
        new="if not kubelet:",
        kubelet="1.20",
    ),
    "DECODE-27": Patch(
        module=_DECODE,
        old="adopt(pod, self._config, self._origin, self._version)",
        new='adopt(pod.setdefault("status", {}).update(x=str(id(pod))) or pod, self._config, self._origin, self._version)',
    ),
    "DECODE-28": Patch(
        module=_IDENTITY, old="json.dumps(pod, ", new='json.dumps(pod["spec"], '
    ),
    "DECODE-29": Patch(
        module=_IDENTITY,
        old='return f"url:{config.url}"',
        new='return f"host:{config.node_name}url:{config.url}"',
    ),
    "DECODE-31": Patch(
        module=_IDENTITY, old="{text}{origin}", new="{text}{origin}{id(pod)}"
    ),
    "DECODE-32": Patch(
        module=_IDENTITY,
        old='{**meta.get("annotations", {}), HASH_ANNOTATION: meta["uid"]}',
        new='{HASH_ANNOTATION: meta["uid"], **meta.get("annotations", {})}',
    ),
    "DECODE-33": Patch(
        module=_VERSIONS,
        old='"file_toleration": {"1.1": False, "1.20": True}',
        new='"file_toleration": {"1.1": False}',
    ),
    "DECODE-34": Patch(
        module=_IDENTITY,
        old='fields = ("key", "operator", "value", "effect")',
        new='fields = ("operator",)',
    ),
    "DECODE-35": Patch(
        module=_IDENTITY,
        old='if origin == "file" and kubelet.file_toleration:',
        new="if kubelet.file_toleration:",
    ),
    "DECODE-36": Patch(
        module=_VERSIONS,
        old='"pending_phase": {"1.1": False, "1.20": True}',
        new='"pending_phase": {"1.1": False}',
    ),
    "DECODE-37": Patch(
        module=_VERSIONS,
        old='"self_link": {"1.1": "odd", "1.20": "api"',
        new='"self_link": {"1.1": "odd", "1.20": "odd"',
        kubelet="1.20",
    ),
    "DECODE-38": Patch(
        module=_VERSIONS,
        old='"dnsPolicy": "ClusterFirst"',
        new='"dnsPolicy": "Default"',
    ),
    "DECODE-39": Patch(
        module=_DEFAULTS, old='("" if form["digest"] else "latest")', new='""'
    ),
    "DECODE-40": Patch(
        module=_DEFAULTS,
        old='volume["emptyDir"] = {}',
        new='volume["hostPath"] = {"path": "/"}',
    ),
    "DECODE-41": Patch(
        module=_DEFAULTS,
        old='spec["terminationGracePeriodSeconds"] = 1',
        new='spec["terminationGracePeriodSeconds"] = 30',
    ),
    "DECODE-42": Patch(
        module=_DECODE,
        old="faults = list(validate(pod, self._version, self._gates))",
        new="faults: list[str] = []",
    ),
    "DECODE-43": Patch(
        module=_SPEC, old='if spec.get("ephemeralContainers"):', new="if False:"
    ),
    "DECODE-44": Patch(
        module=_VERSIONS,
        old='"1.30": True, "1.36": False},\n    "checks',
        new='"1.30": True},\n    "checks',
    ),
    "DECODE-45": Patch(
        module=_REFERENCES, old='if spec.get("serviceAccountName"):', new="if False:"
    ),
    "DECODE-46": Patch(
        module=_REFERENCES,
        old="if any(_secret_names(spec)):",
        new="if list(_secret_names(spec)):",
    ),
    "DECODE-47": Patch(
        module=_REFERENCES,
        old='return _refused("secrets")',
        new='return _refused("objects")',
    ),
    "DECODE-48": Patch(
        module=_REFERENCES,
        old='if rule == "gate" and spec.get("resourceClaims"):',
        new="if False:",
        kubelet="1.34",
    ),
    "DECODE-49": Patch(
        module=_DECODE,
        old="        if faults:",
        new='        if faults or "deletionTimestamp" in pod["metadata"]:',
    ),
    "DECODE-50": Patch(
        module=_DECODE, old="if (priority, name) != _CRITICAL:", new="if name:"
    ),
    "DECODE-51": Patch(
        module="reference",
        old="if warning is not None and warning not in told:",
        new="if warning is not None:",
    ),
    "DECODE-52": Patch(
        module=_DECODE,
        old="plain: Pod = _plain(pod)",
        new='plain: Pod = {**_plain(pod), "kind": "Pod"}',
    ),
}
