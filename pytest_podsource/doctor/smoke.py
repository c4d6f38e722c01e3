"""
One small thing of each component, and the usual mistakes with it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_podsource.contract import SECOND_NS, Config
from pytest_podsource.doctor.dialogue import Dialogue, whole_number
from pytest_podsource.doctor.findings import Mistake
from pytest_podsource.driver import protocol

_DAY_NS = 24 * 3600 * SECOND_NS
_POD: Mapping[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "default", "uid": "1"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
_TEXT = json.dumps(_POD)


class Smoke:
    """
    Tries the components of an adapter.

    Args:
        dialogue: The conversation with it.
        folder: An empty folder, for a manifest.
        virtual: Its clock is the suite's.
    """

    def __init__(self, dialogue: Dialogue, folder: Path, *, virtual: bool) -> None:
        self._say = dialogue
        self._folder = folder
        self._virtual = virtual

    def of(self, component: str) -> None:
        """
        Try *component*, in a world of its own.

        Raises:
            Mistake: One of the usual mistakes was seen.
        """
        self._say.new_world()
        _TRIES[component](self)
        self._say.ask("world/end")

    def clock(self) -> None:
        """Move the clock on by a second."""
        self._say.new_world()
        target_ns = SECOND_NS
        reached = whole_number(
            self._say.ask("clock/advance", to_ns=target_ns), "clock/advance"
        )
        if self._virtual and reached != target_ns:
            factor = target_ns // reached if reached > 0 else 0
            units = {10**9: "seconds", 10**6: "milliseconds", 10**3: "microseconds"}
            in_ = units.get(factor)
            raise Mistake(
                "clock-units" if in_ else "clock-stuck",
                f"told to go to {target_ns} ns, its clock is at {reached}"
                + (f", as if it counted in {in_}" if in_ else "")
                + "; clock/advance goes to to_ns nanoseconds and says so in now_ns.",
            )
        self._say.ask("world/end")

    def backoff(self) -> None:
        """Let something fail once."""
        self._new("backoff", initial_ns=SECOND_NS, max_ns=5 * SECOND_NS)
        self._call("backoff", "next", id="a", event_ns=0)
        delay = self._call("backoff", "get", id="a")
        if delay != SECOND_NS or type(delay) is not int:
            raise Mistake(
                "units",
                f"the delay after one failure is {delay!r} where initial_ns was "
                f"{SECOND_NS}; durations are whole numbers of nanoseconds.",
            )

    def diff(self) -> None:
        """Compare two caches."""
        value = self._call("diff", "diff_snapshots", old={"a": 1}, new={"b": 1})
        right = {"added": ["b"], "updated": [], "removed": ["a"]}
        if value != right:
            raise Mistake(
                "diff-form",
                f"diff_snapshots gave {value!r}; for old {{a: 1}} and new {{b: 1}} it is "
                f"{json.dumps(right)}.",
            )

    def manifest(self) -> None:
        """Decode one manifest."""
        config = protocol.to_wire(Config(path=str(self._folder / "web.yaml")))
        data = base64.b64encode(_TEXT.encode()).decode()
        self._pod(self._call("manifest", "decode_manifest", data=data, config=config))

    def file(self) -> None:
        """Let it list a folder with one manifest."""
        self._new("file", path=str(self._manifest()))
        self._start("file")
        self._sets("file", "list the folder when it starts")

    def http(self) -> None:
        """Let it fetch one manifest."""
        self._new("http", url="http://127.0.0.1/pods")
        self._start("http")
        asked = self._awaited("env/fetch", "fetch the URL when it starts")
        body = base64.b64encode(_TEXT.encode()).decode()
        reply = {"status": 200, "headers": [], "body": body}
        self._say.tell("http/reply", id=asked["id"], reply=reply)
        self._sets("http", "send what the URL has")

    def api(self) -> None:
        """Let it list the pods of the apiserver."""
        self._new("api")
        self._start("api")
        for params in self._say.words("env/watch_pods"):  # this apiserver only lists
            status = {"kind": "Status", "status": "Failure", "code": 422}
            refused = {"type": "ERROR", "object": status}
            self._say.tell("api/event", id=params["id"], event=refused)
        asked = self._awaited("env/list_pods", "list when it starts")
        items = {
            "kind": "PodList",
            "metadata": {"resourceVersion": "1"},
            "items": [_POD],
        }
        self._say.tell("api/list", id=asked["id"], list=items)
        self._sets("api", "send what the list has")

    def podconfig(self) -> None:
        """Give it one set."""
        self._new("podconfig", sources=("file",))
        self._say.ask(
            "component/send", send_id=0, source="file", op="SET", pods=[_without_kind()]
        )
        self._say.settle()
        if not self._say.words("update/taken"):
            raise Mistake(
                "not-taken",
                "a set was sent and update/taken never came; notify it with the send_id "
                "as soon as PodConfig has taken the set.",
            )
        told = self._awaited("env/send", "tell an ADD for the first pod")
        if told["op"] != "ADD":
            raise Mistake(
                "wrong-operation",
                f"the first pod came as {told['op']!r}; it is an ADD.",
            )
        self._pods(told["pods"])

    def sources(self) -> None:
        """Let the whole tell the pod of a folder."""
        self._new("sources", path=str(self._manifest()), sources=("file",))
        self._start("sources")
        self._awaited("env/send", "tell what the folder has")

    def ready(self) -> None:
        """Ask whether all are ready."""
        self._new("ready")
        self._call("ready", "add_source", source="file")
        self._truth("ready", self._call("ready", "all_ready"))

    def syncloop(self) -> None:
        """Deliver one operation."""
        self._new("syncloop")
        self._start("syncloop")
        update = {"op": "ADD", "source": "file", "pods": [_without_kind()]}
        self._call("syncloop", "deliver", update=update)
        self._awaited("env/handle", "call a handler for what is delivered")

    def flags(self) -> None:
        """Parse no flag at all."""
        config = protocol.to_wire(Config())
        value = self._call("flags", "parse_flags", argv=[], config=config)
        if not isinstance(value, dict):
            raise Mistake(
                "flags-form", f"parse_flags gave {value!r}; it gives a mapping."
            )

    def handlers(self) -> None:
        """There is nothing that is small: it comes with the sync loop."""

    def _manifest(self) -> Path:
        path = self._folder / "manifests"
        path.mkdir(exist_ok=True)
        (path / "web.yaml").write_text(_TEXT)
        return path

    def _new(self, component: str, **config: Any) -> None:
        wire = protocol.to_wire(Config(**config))
        self._say.ask("component/new", component=component, config=wire)

    def _start(self, component: str) -> None:
        self._call(component, "start")
        self._say.settle()

    def _call(self, component: str, method: str, **arguments: Any) -> Any:
        result = self._say.ask(
            "component/call", component=component, method=method, arguments=arguments
        )
        if "value" not in result:
            raise Mistake(
                "no-value",
                f"the result of {method} is {result!r}; it must be {{value: ...}}, with "
                "null where nothing is returned.",
            )
        return result["value"]

    def _awaited(self, word: str, what: str) -> Mapping[str, Any]:
        """Return the first *word*; a day of virtual time may pass before it comes."""
        if not self._say.words(word) and self._virtual:
            self._say.ask("clock/advance", to_ns=_DAY_NS)
        if not self._say.words(word):
            raise Mistake(
                "first-set" if word == "env/send" else "never-asks",
                f"no {word} came, at the start or in a day; it must {what}.",
            )
        return self._say.words(word)[0]

    def _sets(self, component: str, what: str) -> None:
        told = self._awaited("env/send", what)
        if told["op"] != "SET" or told["source"] != component:
            raise Mistake(
                "not-a-set",
                f"it sent {told['op']} of {told['source']!r}; the source {component} "
                f"sends its whole set: op SET, source {component}.",
            )
        self._pods(told["pods"])

    def _pods(self, pods: list[Any]) -> None:
        if not pods:
            raise Mistake(
                "no-pod",
                "it sent no pods where there is one; send the pods themselves.",
            )
        for pod in pods:
            self._pod(pod)

    def _pod(self, pod: Any) -> None:
        if not isinstance(pod, dict):
            raise Mistake(
                "pod-form",
                f"a pod is {str(pod)[:60]!r}; it must be a JSON object in the Kubernetes "
                "form, no text, no list and no bytes.",
            )
        metadata, spec = pod.get("metadata"), pod.get("spec")
        if not isinstance(metadata, dict) or not isinstance(spec, dict):
            raise Mistake(
                "pod-form",
                f"a pod has the keys {sorted(pod)}; it must have metadata and spec, with "
                "the Kubernetes names of fields (metadata.name, spec.containers).",
            )
        odd = [key for key in (*metadata, *spec) if re.search(r"^[A-Z]|_", key)]
        if odd:
            raise Mistake(
                "pod-form",
                f"a pod has a field {odd[0]!r}; names are those of the Kubernetes JSON, "
                "in lower camel case.",
            )

    def _truth(self, component: str, value: Any) -> None:
        if not isinstance(value, bool):
            raise Mistake(
                "not-a-boolean", f"{component} answered {value!r}; it is true or false."
            )


def _without_kind() -> dict[str, Any]:
    return {key: _POD[key] for key in ("metadata", "spec")}


_TRIES: Mapping[str, Callable[[Smoke], None]] = {
    "backoff": Smoke.backoff,
    "diff": Smoke.diff,
    "manifest": Smoke.manifest,
    "file": Smoke.file,
    "http": Smoke.http,
    "api": Smoke.api,
    "podconfig": Smoke.podconfig,
    "sources": Smoke.sources,
    "ready": Smoke.ready,
    "syncloop": Smoke.syncloop,
    "flags": Smoke.flags,
    "handlers": Smoke.handlers,
}
