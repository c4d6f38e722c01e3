"""
The apiserver of a simulated world: the pods of one node, listed and watched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from pytest_podsource.contract import Cancel, Clock, Pod, ServerStatus
from pytest_podsource.exceptions import CaseError
from pytest_podsource.world.clock import Lane
from pytest_podsource.world.replies import FAILURES

WatchedEvent: TypeAlias = dict[str, Any] | OSError | None
OnWatched: TypeAlias = Callable[[WatchedEvent], None]

_CHANGES = ("ADDED", "MODIFIED", "DELETED")
_OTHERS = ("BOOKMARK", "ERROR", "end", "list_fails", "watch_fails")
_INVALID = 422
_REASONS = {410: "Expired", _INVALID: "Invalid", 429: "TooManyRequests"}


class _Watcher:
    def __init__(self, clock: Clock, on_event: OnWatched) -> None:
        self._lane = Lane(clock)
        self._on_event = on_event

    def tell(self, event: WatchedEvent) -> None:
        self._lane.post(lambda: self._on_event(deepcopy(event)))

    def forget(self) -> None:
        self._lane.clear()


class PodModel:
    """
    Pods with a resource version that counts changes, and those who watch them.

    Args:
        clock: The clock of the case.
        pods: The pods at first.
        streams: A watch may begin with the pods that are there.

    Attributes:
        streams: The same.
    """

    def __init__(
        self, clock: Clock, pods: Sequence[Pod], *, streams: bool = False
    ) -> None:
        self.streams = streams
        self._clock = clock
        self._version = 1
        self._pods = {_key(pod): self._stamped(pod) for pod in pods}
        self._history: list[tuple[int, dict[str, Any]]] = []
        self._watchers: list[_Watcher] = []
        self._failing_lists: list[int | str] = []
        self._failing_watches: list[int | str] = []

    def list_pods(self, on_done: Callable[[dict[str, Any] | OSError], None]) -> Cancel:
        """Answer one list, or let it fail as ordered."""
        answer = _failure(self._failing_lists, "list") or self._listing()
        return self._clock.call_later(0, lambda: on_done(answer))

    def watch_pods(
        self, resource_version: str, on_event: OnWatched, *, initial: bool = False
    ) -> Cancel:
        """Tell what came after *resource_version*, and what comes from now on."""
        watcher = _Watcher(self._clock, on_event)
        failure = _failure(self._failing_watches, "watch")
        if failure is not None:
            watcher.tell(failure)
            return watcher.forget
        self._watchers.append(watcher)
        if initial:
            self._begin(watcher)
            return lambda: self._forget(watcher)
        seen = int(resource_version) if resource_version.isdigit() else self._version
        for version, event in self._history:
            if version > seen:
                watcher.tell(event)
        return lambda: self._forget(watcher)

    def refuse_to_stream(self, on_event: OnWatched) -> Cancel:
        """Say that a watch can't begin with the pods that are there."""
        watcher = _Watcher(self._clock, on_event)
        watcher.tell({"type": "ERROR", "object": _status(_INVALID)})
        return watcher.forget

    def apply(self, argument: Mapping[str, Any]) -> None:
        """
        Carry out the verb ``api``: each key is an event, an end or a failure.

        Raises:
            CaseError: A key that is none of those.
        """
        for word, value in argument.items():
            if word in _CHANGES:
                self._change(word, value)
            elif word == "BOOKMARK":
                self._tell({"type": word, "object": self._bookmark()})
            elif word == "ERROR":
                self._tell({"type": word, "object": _status(value)})
                self._end()
            elif word == "end":
                self._end()
            elif word == "list_fails":
                self._failing_lists.append(_known_failure(value))
            elif word == "watch_fails":
                self._failing_watches.append(_known_failure(value))
            else:
                known = ", ".join((*_CHANGES, *_OTHERS))
                raise CaseError("api", f"{word!r} is not known. Known words: {known}.")

    def _change(self, word: str, pod: Pod) -> None:
        self._version += 1
        stamped = self._stamped(pod)
        if pod.get("kind", "Pod") != "Pod":
            pass  # an event that has lost its way
        elif word == "DELETED":
            self._pods.pop(_key(pod), None)
        else:
            self._pods[_key(pod)] = stamped
        event = {"type": word, "object": stamped}
        self._history.append((self._version, event))
        self._tell(event)

    def _stamped(self, pod: Pod) -> Pod:
        metadata = {**pod.get("metadata", {}), "resourceVersion": str(self._version)}
        return {**deepcopy(pod), "metadata": metadata}

    def _bookmark(self) -> dict[str, Any]:
        metadata = {"resourceVersion": str(self._version)}
        return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata}

    def _listing(self) -> dict[str, Any]:
        return {
            "kind": "PodList",
            "apiVersion": "v1",
            "metadata": {"resourceVersion": str(self._version)},
            "items": [deepcopy(pod) for pod in self._pods.values()],
        }

    def _begin(self, watcher: _Watcher) -> None:
        for pod in self._pods.values():
            watcher.tell({"type": "ADDED", "object": pod})
        end = self._bookmark()
        end["metadata"]["annotations"] = {"k8s.io/initial-events-end": "true"}
        watcher.tell({"type": "BOOKMARK", "object": end})

    def _tell(self, event: dict[str, Any]) -> None:
        for watcher in self._watchers:
            watcher.tell(event)

    def _end(self) -> None:
        for watcher in self._watchers:
            watcher.tell(None)
        self._watchers.clear()

    def _forget(self, watcher: _Watcher) -> None:
        watcher.forget()
        if watcher in self._watchers:
            self._watchers.remove(watcher)


def _key(pod: Pod) -> tuple[str, str]:
    metadata = pod.get("metadata") or {}
    return (metadata.get("namespace") or "", metadata.get("name") or "")


def _known_failure(failure: int | str) -> int | str:
    if isinstance(failure, str) and failure not in FAILURES:
        known = ", ".join(sorted(FAILURES))
        raise CaseError(
            "api", f"{failure!r} is no failure. Known ones: a status, {known}."
        )
    return failure


def _failure(failing: list[int | str], what: str) -> OSError | None:
    if not failing:
        return None
    failure = failing.pop(0)
    if isinstance(failure, str):
        return FAILURES[failure]()
    return ServerStatus(failure, f"the {what} was answered with {failure}")


def _status(code: int) -> dict[str, Any]:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "reason": _REASONS.get(code, "InternalError"),
        "message": f"the watch ended with {code}",
        "code": code,
    }
