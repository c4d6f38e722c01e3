"""
Facts of readiness and the sync loop, each with a line of the reference that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_LOOP = "core.syncloop"
_READY = "core.sources_ready"
_VERSIONS = "core.versions"
_HANDLER = "handler = self._kubelet.loop_handlers.get(update.op)"
_ALL_READY = "return self._seen_all_sources(self._seen)"

FACTS: dict[str, Patch] = {
    "SYNC-03": Patch(
        module=_READY,
        old=_ALL_READY,
        new="return bool(self._seen) and self._seen_all_sources(self._seen)",
    ),
    "SYNC-05": Patch(
        module="core.merge",
        old="self._pods: dict[str, Stored] = {}",
        new='self._pods: dict[str, Stored] = vars(now.__self__._clock).setdefault("pods", {})',
    ),
    "SYNC-06": Patch(
        module=_VERSIONS,
        old='"REMOVE": "handle_pod_removes"',
        new='"REMOVE": "handle_pod_deletions"',
    ),
    "SYNC-07": Patch(
        module=_VERSIONS,
        old='"DELETE": "handle_pod_updates"',
        new='"DELETE": "handle_pod_removes"',
    ),
    "SYNC-08": Patch(
        module=_LOOP,
        old=_HANDLER,
        new='handler = self._kubelet.loop_handlers.get("ADD" if update.op == "SET" else update.op)',
        kubelet="1.34",
    ),
    "SYNC-09": Patch(
        module=_LOOP,
        old=_HANDLER,
        new='handler = self._kubelet.loop_handlers.get(update.op, "handle_pod_updates")',
        kubelet="1.1",
    ),
    "SYNC-10": Patch(
        module=_LOOP,
        old="if self._kubelet.loop_notes_sources:",
        new="if self._kubelet.loop_notes_sources and handler is not None:",
        kubelet="1.34",
    ),
    "SYNC-11": Patch(
        module=_LOOP,
        old="if handler is not None:",
        new="if handler is not None and update.pods:",
    ),
    "SYNC-12": Patch(
        module=_LOOP,
        old='the loop ends")\n            self.stop()\n',
        new='the loop ends")\n',
    ),
    "SYNC-14": Patch(
        module=_LOOP, old="self._messages.popleft()", new="self._messages.pop()"
    ),
    "SYNC-15": Patch(
        module=_LOOP, old="min(2 * self._retry_ns, longest_ns)", new="self._retry_ns"
    ),
    "SYNC-17": Patch(
        module=_VERSIONS,
        old='"loop_syncs_all": {"1.1": True, "1.20": False}',
        new='"loop_syncs_all": {"1.1": False}',
        kubelet="1.1",
    ),
    "SYNC-20": Patch(
        module=_READY,
        old=_ALL_READY,
        new="seen, self._seen = self._seen, frozenset()\n        return self._seen_all_sources(seen)",
    ),
    "SYNC-21": Patch(
        module="core.podconfig",
        old="return configured <= self._storage.seen",
        new="return not configured or bool(configured & self._storage.seen)",
    ),
    "SYNC-22": Patch(
        module=_LOOP,
        old="HOUSEKEEPING_NS = 2 * SECOND_NS",
        new="HOUSEKEEPING_NS = 3 * SECOND_NS",
    ),
    "SYNC-23": Patch(
        module=_LOOP,
        old="if self._cleaned_ns is None:\n",
        new='if self._cleaned_ns is None:\n            self._handle("handle_pod_cleanups", ())\n',
        kubelet="1.1",
    ),
}
