"""
Facts of the merge, its channels and readiness, each with a line that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_CONFIG = "core.podconfig"
_MERGE = "core.merge"
_MUX = "core.mux"
_PODS = "core.pods"
_SOURCE = "core.file_source"
_VERSIONS = "core.versions"
_BY_UID = '"pods_by_uid": {"1.1": False, "1.20": True}'
_COMPARED = (
    'COMPARED_METADATA = ("labels", "deletionTimestamp", "deletionGracePeriodSeconds")'
)
_LOCAL = "LOCAL_ANNOTATIONS = (SOURCE_ANNOTATION, MIRROR_ANNOTATION, SEEN_ANNOTATION)"
_ADDED = "                changes.adds.append(pod)"
_REMOVED = "changes.removes = [pod for key, pod in before.items() if key not in after]"
_CONFIGURED = "configured = self._channels.keys()"
_YIELDED = "                names.add(name)\n                yield pod\n"

FACTS: dict[str, Patch] = {
    "CONFIG-01": Patch(module=_MUX, old="BUFFER = 50", new="BUFFER = 49"),
    "CONFIG-02": Patch(
        module=_CONFIG,
        old="        if source not in self._channels:\n",
        new="        self._storage._seen.discard(source)\n        if source not in self._channels:\n",
    ),
    "CONFIG-03": Patch(module=_CONFIG, old="if not source:", new="if source is None:"),
    "CONFIG-04": Patch(
        module=_MUX, old="listener.waiting.popleft()", new="listener.waiting.pop()"
    ),
    "CONFIG-05": Patch(
        module=_MUX,
        old="if listener.busy or not listener.waiting:",
        new="if not listener.waiting:",
    ),
    "CONFIG-09": Patch(
        module=_MERGE,
        old=_REMOVED,
        new="after.update({key: pod for key, pod in before.items() if key not in after})",
    ),
    "CONFIG-10": Patch(
        module=_MERGE,
        old="stored = self._pods.setdefault(source, {})",
        new='stored = self._pods.setdefault(f"{source} operations", {})',
        kubelet="1.34",
    ),
    "CONFIG-11": Patch(
        module=_MERGE,
        old="return self._insert(source, update.pods, stored, stored)",
        new="return self._replace(source, update.pods)",
        kubelet="1.34",
    ),
    "CONFIG-12": Patch(
        module=_MERGE,
        old="found = [stored.pop(self._key_of(pod), None) for pod in incoming]",
        new="found = [pod for pod in incoming if stored.pop(self._key_of(pod), None)]",
        kubelet="1.34",
    ),
    "CONFIG-13": Patch(
        module=_MERGE,
        old='return ("ADD", "UPDATE", "DELETE")',
        new='return ("ADD", "UPDATE", "DELETE", "RECONCILE")',
        kubelet="1.34",
    ),
    "CONFIG-15": Patch(
        module=_CONFIG,
        old='            *self._told("REMOVE", source, changes.removes),\n            *self._told("ADD", source, changes.adds),\n',
        new='            *self._told("ADD", source, changes.adds),\n            *self._told("REMOVE", source, changes.removes),\n',
    ),
    "CONFIG-16": Patch(
        module=_CONFIG,
        old="return [PodUpdate(op=op, source=source, pods=delivered)]",
        new="return [PodUpdate(op=op, source=source, pods=(pod,)) for pod in delivered]",
    ),
    "CONFIG-17": Patch(
        module=_VERSIONS,
        old='"has_delete_and_reconcile": {"1.1": False, "1.20": True}',
        new='"has_delete_and_reconcile": {"1.1": True}',
        kubelet="1.1",
    ),
    "CONFIG-18": Patch(
        module=_VERSIONS,
        old='"first_set_is_told": {"1.1": False, "1.20": True}',
        new='"first_set_is_told": {"1.1": False}',
    ),
    "CONFIG-19": Patch(
        module=_CONFIG,
        old="            changes.adds or changes.updates or changes.deletes\n",
        new="            changes.removes or changes.adds or changes.updates or changes.deletes\n",
        kubelet="1.34",
    ),
    "CONFIG-20": Patch(
        module=_MERGE,
        old="if differs(existing, incoming):",
        new='if differs(existing, incoming) or _part(existing, "status") == _part(incoming, "status"):',
    ),
    "CONFIG-21": Patch(
        module=_MERGE, old=_ADDED, new=_ADDED.replace("append(", "insert(0, ")
    ),
    "CONFIG-22": Patch(
        module=_MERGE,
        old=_REMOVED,
        new='changes.removes = [{"metadata": pod["metadata"]} for key, pod in before.items() if key not in after]',
    ),
    "CONFIG-23": Patch(
        module=_VERSIONS, old=_BY_UID, new='"pods_by_uid": {"1.1": False}'
    ),
    "CONFIG-24": Patch(
        module=_MERGE, old=_COMPARED, new=_COMPARED.replace('"labels", ', "")
    ),
    "CONFIG-25": Patch(
        module=_MERGE,
        old="if before.get(key) != after.get(key):",
        new="if (before.get(key) or None) != (after.get(key) or None):",
    ),
    "CONFIG-26": Patch(
        module=_MERGE,
        old=_COMPARED,
        new=_COMPARED.replace('"labels"', '"finalizers", "labels"'),
    ),
    "CONFIG-27": Patch(
        module=_MERGE,
        old="return pod_words.uid if",
        new='return (lambda pod: f"{pod_words.uid(pod)} {pod_words.full_name(pod)}") if',
    ),
    "CONFIG-28": Patch(
        module=_MERGE,
        old="metadata = dict(_metadata(existing))",
        new="metadata = dict(_metadata(incoming))",
    ),
    "CONFIG-29": Patch(
        module=_VERSIONS,
        old='"status_is_merged": {"1.1": False, "1.20": True}',
        new='"status_is_merged": {"1.1": True}',
        kubelet="1.1",
    ),
    "CONFIG-30": Patch(
        module=_MERGE,
        old="if deleting and self._kubelet.has_delete_and_reconcile:",
        new="if False:",
    ),
    "CONFIG-31": Patch(
        module=_MERGE,
        old=_ADDED,
        new='                (changes.deletes if "deletionTimestamp" in pod["metadata"] else changes.adds).append(pod)',
    ),
    "CONFIG-32": Patch(
        module=_MERGE,
        old='            self._take_over(existing, incoming)\n            deleting = _metadata(incoming).get("deletionTimestamp") is not None\n',
        new='            deleting = "deletionTimestamp" in _metadata(incoming) and "deletionTimestamp" not in _metadata(existing)\n            self._take_over(existing, incoming)\n',
    ),
    "CONFIG-33": Patch(
        module=_MERGE,
        old='            _assign(existing, incoming, "status")\n            changes',
        new="            changes",
    ),
    "CONFIG-34": Patch(
        module=_MERGE,
        old='        if self._kubelet.status_is_merged:\n            _assign(existing, incoming, "status")\n',
        new="",
    ),
    "CONFIG-35": Patch(
        module=_PODS,
        old=_LOCAL,
        new=_LOCAL.replace("SEEN_ANNOTATION", "SEEN_ANNOTATION, HASH_ANNOTATION"),
    ),
    "CONFIG-36": Patch(
        module=_MERGE,
        old="own = {SOURCE_ANNOTATION: source,",
        new="own = {SOURCE_ANNOTATION: pod_words.annotations_of(pod).get(SOURCE_ANNOTATION, source),",
    ),
    "CONFIG-37": Patch(
        module=_VERSIONS,
        old='"seen_trims_zeros": {"1.1": True, "1.20": False}',
        new='"seen_trims_zeros": {"1.1": True}',
    ),
    "CONFIG-38": Patch(
        module=_PODS, old=_LOCAL, new=_LOCAL.replace("MIRROR_ANNOTATION, ", "")
    ),
    "CONFIG-39": Patch(module=_MERGE, old=_YIELDED, new="                yield pod\n"),
    "CONFIG-40": Patch(
        module=_MERGE,
        old="        for pod in incoming:\n            name",
        new="        for pod in sorted(incoming, key=lambda pod: self._key_of(pod) not in self._pods.get(source, {})):\n            name",
    ),
    "CONFIG-41": Patch(
        module=_MERGE,
        old="        self._event(\n",
        new="        _ = source in self._seen or self._event(\n",
    ),
    "CONFIG-42": Patch(
        module=_MERGE,
        old=_YIELDED,
        new="                names.add(pod_words.full_name(pod))\n                if pod_words.uid(pod) not in names - {''}:\n                    yield pod\n                names.add(pod_words.uid(pod))\n",
    ),
    "CONFIG-43": Patch(
        module=_MERGE,
        old="return pod_words.uid if",
        new="return (lambda pod: pod_words.uid(pod) or pod_words.full_name(pod)) if",
    ),
    "CONFIG-44": Patch(
        module=_MERGE,
        old="        names: set[str] = set()\n",
        new="        names = {pod_words.full_name(pod) for each, stored in self._pods.items() if each != source for pod in stored.values()}\n",
    ),
    "CONFIG-45": Patch(
        module=_MERGE,
        old=_ADDED,
        new="                if not any(key in stored for each, stored in self._pods.items() if each != source):\n                    changes.adds.append(pod)",
    ),
    "CONFIG-46": Patch(
        module=_VERSIONS,
        old='"merge_validates": {"1.1": True, "1.20": False}',
        new='"merge_validates": {"1.1": False}',
        kubelet="1.1",
    ),
    "CONFIG-47": Patch(
        module=_VERSIONS,
        old='"merge_validates": {"1.1": True, "1.20": False}',
        new='"merge_validates": {"1.1": True}',
    ),
    "CONFIG-48": Patch(
        module="core.manifest.identity",
        old="text = json.dumps(pod,",
        new='text = json.dumps(pod["metadata"],',
    ),
    "CONFIG-49": Patch(
        module=_VERSIONS, old=_BY_UID, new='"pods_by_uid": {"1.1": True}', kubelet="1.1"
    ),
    "CONFIG-50": Patch(
        module=_MERGE,
        old="return pod_words.uid if",
        new="return (lambda pod: f\"{pod_words.uid(pod)} {pod.get('spec')}\") if",
    ),
    "CONFIG-51": Patch(
        module=_SOURCE,
        old='elif event.ops & {"remove", "rename"}:',
        new='elif event.ops & {"remove"}:',
    ),
    "CONFIG-52": Patch(
        module=_SOURCE,
        old="            pod = self._pod_of(self._disk.read(path, limit))\n",
        new='            self._store.pop(self._key_of_file.get(path, ""), None)\n            pod = self._pod_of(self._disk.read(path, limit))\n',
    ),
    "CONFIG-53": Patch(
        module=_VERSIONS,
        old='"copies_pods": {"1.1": False, "1.20": True}',
        new='"copies_pods": {"1.1": False}',
    ),
    "CONFIG-55": Patch(
        module=_CONFIG,
        old="return configured <= self._storage.seen",
        new="return bool(configured) and configured <= self._storage.seen",
    ),
    "CONFIG-56": Patch(
        module=_VERSIONS,
        old='"seen_needs_loop": {"1.1": False, "1.20": True}',
        new='"seen_needs_loop": {"1.1": False}',
    ),
    "CONFIG-57": Patch(
        module=_CONFIG,
        old=_CONFIGURED,
        new='configured = vars(self).setdefault("_asked_first", frozenset(self._channels))',
    ),
    "CONFIG-58": Patch(
        module=_MERGE,
        old="return frozenset(self._seen)",
        new="return frozenset(each for each in self._seen if self._pods[each])",
    ),
    "CONFIG-59": Patch(
        module="core.sources_ready",
        old="self._seen |= {source}",
        new="self._seen = frozenset({source})",
    ),
    "CONFIG-60": Patch(
        module=_CONFIG,
        old="if self._mode == SNAPSHOT:",
        new="if self._mode.startswith(SNAPSHOT):",
        kubelet="1.34",
    ),
    "CONFIG-61": Patch(
        module=_CONFIG,
        old="if changes.updates or changes.deletes or _adds_or_removes(changes):",
        new="if _adds_or_removes(changes):",
        kubelet="1.34",
    ),
    "CONFIG-62": Patch(
        module=_VERSIONS,
        old='"snapshot_comes_first": {"1.1": False, "1.20": True}',
        new='"snapshot_comes_first": {"1.1": False}',
        kubelet="1.34",
    ),
    "CONFIG-63": Patch(
        module=_CONFIG, old='ALL_SOURCES = "*"', new='ALL_SOURCES = ""', kubelet="1.34"
    ),
    "CONFIG-64": Patch(
        module=_CONFIG,
        old="if self._kubelet.panics_end_it:",
        new="if False:",
        kubelet="1.34",
    ),
    "CONFIG-65": Patch(
        module=_MERGE,
        old="return [pod for stored in self._pods.values() for pod in stored.values()]",
        new="return list({key: pod for stored in self._pods.values() for key, pod in stored.items()}.values())",
        kubelet="1.34",
    ),
    "CONFIG-75": Patch(
        module=_CONFIG,
        old="lambda update: self._merge(source, update)",
        new="lambda update: self._merge(next(iter(self._channels)), update)",
    ),
}
