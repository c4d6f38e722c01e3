"""
The apiserver of a simulated world: the pods of one node, listed and watched.

Rule 1: what is there is the model's of ``pytest_podsource.apiserver``, as for the fake
apiserver. Rule 2: what a watch tells is what the case says, word for word: events that no
apiserver would tell are how a client's mistakes are found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from pytest_podsource.apiserver.failures import Failure, failure
from pytest_podsource.apiserver.kinds import PODS
from pytest_podsource.apiserver.listing import list_objects
from pytest_podsource.apiserver.options import Options
from pytest_podsource.apiserver.store import Store
from pytest_podsource.apiserver.watching import Watch
from pytest_podsource.contract import Cancel, Clock, Pod, ServerStatus
from pytest_podsource.exceptions import CaseError
from pytest_podsource.world.clock import Lane
from pytest_podsource.world.replies import FAILURES

WatchedEvent: TypeAlias = dict[str, Any] | OSError | None
OnWatched: TypeAlias = Callable[[WatchedEvent], None]

_CHANGES = ("ADDED", "MODIFIED", "DELETED")
_OTHERS = ("BOOKMARK", "ERROR", "end", "list_fails", "watch_fails")
_INVALID = 422


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
    Pods with their history, and those who watch them.

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
        self._store = Store()
        for pod in pods:
            self._store.put(PODS, pod)
        self._told: list[tuple[int, dict[str, Any]]] = []
        self._watchers: list[_Watcher] = []
        self._failing_lists: list[int | str] = []
        self._failing_watches: list[int | str] = []

    def list_pods(
        self,
        on_done: Callable[[dict[str, Any] | OSError], None],
        resource_version: str = "",
    ) -> Cancel:
        """Answer one list, or let it fail as ordered."""
        answer = _failure(self._failing_lists, "list") or self._list(resource_version)
        return self._clock.call_later(0, lambda: on_done(answer))

    def watch_pods(
        self, resource_version: str, on_event: OnWatched, *, initial: bool = False
    ) -> Cancel:
        """Tell what came after *resource_version*, and what comes from now on."""
        watcher = _Watcher(self._clock, on_event)
        failed = _failure(self._failing_watches, "watch")
        if failed is not None:
            watcher.tell(failed)
            return watcher.forget
        self._watchers.append(watcher)
        for event in self._state() if initial else self._since(resource_version):
            watcher.tell(event)
        return lambda: self._forget(watcher)

    def refuse_to_stream(self, on_event: OnWatched) -> Cancel:
        """Say that a watch can't begin with the pods that are there."""
        watcher = _Watcher(self._clock, on_event)
        watcher.tell({"type": "ERROR", "object": failure(_INVALID).status})
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
                self._tell(self._bookmark())
            elif word == "ERROR":
                self._tell({"type": word, "object": failure(value).status})
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
        if pod.get("kind", PODS.kind) != PODS.kind:
            pass  # an event that has lost its way
        elif word == "DELETED":
            self._store.remove(PODS, PODS.key(pod))
        else:
            self._store.put(PODS, pod)
        event = {"type": word, "object": self._stamped(pod)}
        self._told.append((self._store.revision, event))
        self._tell(event)

    def _stamped(self, pod: Pod) -> dict[str, Any]:
        """Return *pod* with the version of now, unless the case gives it one."""
        version = {"resourceVersion": str(self._store.revision)}
        return {**deepcopy(pod), "metadata": {**version, **pod.get("metadata", {})}}

    def _list(self, resource_version: str) -> dict[str, Any] | OSError:
        try:
            options = Options(resource_version=resource_version)
            return deepcopy(list_objects(self._store, PODS, options).whole())
        except Failure as error:
            return ServerStatus(error.code, error.status["message"])

    def _state(self) -> list[dict[str, Any]]:
        options = Options(match="NotOlderThan", bookmarks=True, initial_events=True)
        return [each.whole() for each in Watch(self._store, PODS, options).take()]

    def _since(self, resource_version: str) -> list[dict[str, Any]]:
        now = self._store.revision
        seen = int(resource_version) if resource_version.isdigit() else now
        return [event for revision, event in self._told if revision > seen]

    def _bookmark(self) -> dict[str, Any]:
        now = Options(resource_version=str(self._store.revision), bookmarks=True)
        event = Watch(self._store, PODS, now).bookmark()
        assert event is not None, "they are wanted"
        return event.whole()

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
    how = failing.pop(0)
    if isinstance(how, str):
        return FAILURES[how]()
    return ServerStatus(how, f"the {what} was answered with {how}")
