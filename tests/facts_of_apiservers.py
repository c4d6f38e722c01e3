"""
Facts of the apiserver source, each with a line of the reference that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_SOURCE = "core.api_source"
_REFLECTOR = "core.reflector"
_DELAYS = "core.retry_delays"
_VERSIONS = "core.versions"

FACTS: dict[str, Patch] = {
    "API-01": Patch(
        module=_REFLECTOR,
        old='self._take_over(list(answer.get("items") or ()), _version_of(answer))',
        new='self._take_over([p for p in answer["items"] if (p.get("status") or {}).get("phase") != "Succeeded"], _version_of(answer))',
    ),
    "API-02": Patch(
        module=_SOURCE,
        old='if self._kubelet.node_sync and not self._env.ask("node_has_synced"):',
        new="if False:",
    ),
    "API-04": Patch(
        module=_SOURCE,
        old="        self._pods = {key(pod): pod for pod in pods}\n        self._send(then)",
        new="        self._pods = {key(pod): pod for pod in pods}\n        if pods:\n            self._send(then)\n        else:\n            then()",
    ),
    "API-05": Patch(
        module=_SOURCE,
        old="        self._pods[key(pod)] = pod\n        self._send(then)",
        new="        self._pods[key(pod)] = pod\n        self._env.send(SourceUpdate(source=SOURCE, pods=(pod,)), then)",
    ),
    "API-06": Patch(
        module=_SOURCE,
        old="        self._pods.pop(key(pod), None)\n        self._send(then)",
        new="        self._send(then) if self._pods.pop(key(pod), None) else then()",
    ),
    "API-07": Patch(
        module=_REFLECTOR,
        old='return f"{namespace(pod)}/{name(pod)}" if namespace(pod) else name(pod)',
        new="return name(pod)",
    ),
    "API-08": Patch(
        module=_REFLECTOR,
        old='        if word == "BOOKMARK":\n            stored()',
        new='        if word == "BOOKMARK":\n            self._store.put(pod, stored)',
    ),
    "API-09": Patch(
        module=_REFLECTOR,
        old='elif not isinstance(pod, dict) or pod.get("kind", POD) != POD:',
        new="elif not isinstance(pod, dict):",
    ),
    "API-10": Patch(
        module=_REFLECTOR,
        old="        self._watch(initial=self._initial is not None)",
        new="        self.start()",
    ),
    "API-11": Patch(
        module=_REFLECTOR,
        old='error = OSError(f"the watch ended with {status!r}")',
        new="return self._watch_again()",
    ),
    "API-12": Patch(
        module=_DELAYS,
        old="self._next_ns = min(2 * delay_ns, self._retry.longest_ns)",
        new="self._next_ns = delay_ns",
    ),
    "API-13": Patch(
        module=_REFLECTOR,
        old="        self._version = version\n        if not self._stopped:\n            self._watch()",
        new="        self._version = version\n        self._env.clock.call_later(600 * SECOND_NS, self._list)\n        self._watch()",
    ),
    "API-15": Patch(
        module=_SOURCE,
        old="pods = tuple(self._pods.values())",
        new='pods = tuple({**pod, "metadata": {**pod["metadata"], "annotations": {"a": "b"}}} for pod in self._pods.values())',
    ),
    "API-17": Patch(
        module=_VERSIONS,
        old='"api_streams": {"1.1": False, "1.36": True}',
        new='"api_streams": {"1.1": False}',
    ),
}
