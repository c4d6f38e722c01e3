"""
A backoff and a PodConfig as kubelet 1.37 has them, for you to replace by your own.

pytest --podsource-impl=implementation.py                # in pytest's own process
pytest --podsource-impl="cmd:python implementation.py"   # over the driver protocol
"""

import random
from copy import deepcopy
from datetime import datetime, timezone

from pytest_podsource import PodUpdate
from pytest_podsource.adapter import main

OWN = ["kubernetes.io/config." + each for each in ("source", "mirror", "seen")]
TAKEN = ("labels", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")


class Backoff:
    def __init__(self, config, env):
        self.config, self.clock, self.entries = config, env.clock, {}
        after_ns = config.expires_after_ns
        self.expires_ns = 2 * config.max_ns if after_ns is None else after_ns

    def alive(self, id_, event_ns):
        return event_ns - self.entries.get(id_, (0, -(10**20)))[1] <= self.expires_ns

    def next(self, id_, event_ns):
        alive, config = self.alive(id_, event_ns), self.config
        last_ns = self.get(id_) if alive else config.initial_ns
        extra_ns = int(random.random() * config.jitter_factor * last_ns)
        grown_ns = min(2 * last_ns + extra_ns, config.max_ns)
        delay_ns = grown_ns if alive else last_ns + extra_ns
        self.entries[id_] = delay_ns, self.clock.monotonic_ns()

    def get(self, id_):
        return self.entries.get(id_, (0, 0))[0]

    def delete_entry(self, id_):
        self.entries.pop(id_, None)

    reset = delete_entry

    def gc(self):
        for id_ in list(self.entries):
            if not self.alive(id_, self.clock.monotonic_ns()):
                del self.entries[id_]

    def is_in_backoff_since(self, id_, event_ns):
        now_ns = self.clock.monotonic_ns()
        return self.alive(id_, event_ns) and now_ns - event_ns < self.get(id_)

    def is_in_backoff_since_update(self, id_, event_ns):
        delay_ns, failed_ns = self.entries.get(id_, (0, 0))
        return self.alive(id_, event_ns) and event_ns - failed_ns < delay_ns


class PodConfig:
    def __init__(self, config, env):
        self.env, self.sources, self.pods = env, set(config.sources), {}

    def channel(self, source):
        if not source:
            raise ValueError("a source needs a name")
        self.sources.add(source)
        return lambda update, taken=None: self.merge(source, update, taken)

    def seen_all_sources(self, seen):
        return self.sources <= seen and self.sources <= self.pods.keys()

    def merge(self, source, update, taken):
        before, after, names = self.pods.get(source, {}), {}, set()
        ops = {op: [] for op in ("REMOVE", "ADD", "UPDATE", "DELETE", "RECONCILE")}
        for pod in update.pods:
            meta, uid = pod["metadata"], pod["metadata"].get("uid")
            if (name := (meta.get("name"), meta.get("namespace"))) in names:
                self.env.event(pod, "Warning", "FailedValidation", f"another {name}")
                continue
            names.add(name)
            notes = meta["annotations"] = meta.get("annotations", {}) | {OWN[0]: source}
            old = after[uid] = before.get(uid, pod)
            if uid not in before:
                seconds, ns = divmod(self.env.clock.now_ns(), 10**9)
                day = datetime.fromtimestamp(seconds, timezone.utc)
                notes[OWN[2]] = f"{day:%Y-%m-%dT%H:%M:%S}.{ns:09}Z"
                ops["ADD"].append(pod)
            elif compared(old) != compared(pod):
                first = old["metadata"]
                own = {k: v for k, v in first["annotations"].items() if k in OWN}
                new = {k: v for k, v in meta.items() if k in TAKEN}
                kept = {k: v for k, v in first.items() if k not in TAKEN}
                old["metadata"] = {**kept, **new, "annotations": notes | own}
                old.update(spec=pod.get("spec"), status=pod.get("status"))
                ops["DELETE" if "deletionTimestamp" in new else "UPDATE"].append(old)
            elif (old.get("status") or {}) != (pod.get("status") or {}):
                old["status"] = pod.get("status")
                ops["RECONCILE"].append(old)
        ops["REMOVE"] = [pod for uid, pod in before.items() if uid not in after]
        told = ops["ADD"] or ops["UPDATE"] or ops["DELETE"]
        signal, self.pods[source] = not told and source not in self.pods, after
        for op, pods in ops.items():
            if pods or (signal and op == "ADD"):
                pods = tuple(deepcopy(pods))
                self.env.send(PodUpdate(op=op, source=source, pods=pods))
        if taken:
            taken()


def compared(pod):
    notes = {k: v for k, v in pod["metadata"]["annotations"].items() if k not in OWN}
    return pod.get("spec") or {}, notes, [pod["metadata"].get(k) for k in TAKEN[:3]]


FEATURES = ["nil-and-empty"]
new_backoff, new_pod_config = Backoff, PodConfig
# Next: new_file_source(config, env) and new_http_source(config, env), with start() and
# stop(): wait by env.clock, look by env.watch or env.fetch, send by env.send.

if __name__ == "__main__":
    raise SystemExit(main([__file__]))
