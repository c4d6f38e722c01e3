"""
The reflector: keeps a store like what the apiserver has, by list and watch.

Rule 1: it lists, and then watches from the list's resource version. Rule 2: each event
is in the store, and what the store sent is taken, before the next one is looked at.
Rule 3: a watch that ends is opened again from the last version seen; one that told
nothing within its first second counts as failed. Rule 4: after a failure it lists again,
one delay later; only where the server can't be reached or is busy is the watch alone
tried again. Rule 5: a version that the server no longer knows is given up at once.
Rule 6: newer kubelets first ask for a watch that begins with what is there, and list
where they don't get it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeAlias

from pytest_podsource.contract import SECOND_NS, Cancel, Environment, LogLevel, Pod
from pytest_podsource.core.pods import name, namespace
from pytest_podsource.core.retry_delays import RetryDelays
from pytest_podsource.core.versions import Kubelet

POD = "Pod"
GONE = 410
BUSY = 429
SHORT_NS = SECOND_NS
ANY_VERSION = "0"
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
TOO_NEW = "Too large resource version"

Heard: TypeAlias = dict[str, Any] | OSError | None


class Store(Protocol):
    """
    What is kept; each change is done when *then* is called.
    """

    def replace(self, pods: list[Pod], then: Callable[[], None]) -> None:
        """Keep *pods* and no others."""
        ...

    def put(self, pod: Pod, then: Callable[[], None]) -> None:
        """Keep *pod*, instead of one with its key."""
        ...

    def drop(self, pod: Pod, then: Callable[[], None]) -> None:
        """Keep no pod with the key of *pod*."""
        ...


class Reflector:
    """
    Lists and watches the pods of the node, for ever.

    Args:
        kubelet: Which kubelet to behave like.
        env: Clock, list, watch and log.
        store: What is kept.
        random: Draws a number from 0 to 1, for the delays.

    Kubelet: ``Reflector`` in client-go's ``tools/cache``.
    """

    def __init__(
        self,
        kubelet: Kubelet,
        env: Environment,
        store: Store,
        random: Callable[[], float],
    ) -> None:
        self._kubelet = kubelet
        self._env = env
        self._store = store
        self._delays = RetryDelays(env.clock, kubelet.api_retry, random)
        self._version = ""
        self._version_is_gone = False
        self._inbox: deque[Heard] = deque()
        self._storing = False
        self._working = False
        self._initial: dict[str, Pod] | None = None
        self._began_ns = 0
        self._events = 0
        self._stopped = False
        self._cancel: Cancel = lambda: None

    def start(self) -> None:
        """
        List, then watch.

        Kubelet: ``Reflector.ListAndWatch``.
        """
        if self._kubelet.api_streams:
            self._watch(initial=True)
        else:
            self._list()

    def stop(self) -> None:
        """
        Give up what is under way.
        """
        self._stopped = True
        self._cancel()
        self._inbox.clear()

    def _list(self) -> None:
        self._cancel = self._env.list_pods(self._listed, self._version_to_list())

    def _version_to_list(self) -> str:
        """Kubelet: ``Reflector.relistResourceVersion``."""
        if not self._kubelet.api_lists_by_version or self._version_is_gone:
            return ""
        return self._version or ANY_VERSION

    def _listed(self, answer: dict[str, Any] | OSError) -> None:
        if _is_gone(answer) and self._kubelet.api_lists_by_version:
            self._version_is_gone = True
            self._cancel = self._env.list_pods(self._listed_anew, "")
        else:
            self._listed_anew(answer)

    def _listed_anew(self, answer: dict[str, Any] | OSError) -> None:
        if isinstance(answer, OSError):
            self._fail("list", answer, level=self._kubelet.api_list_level)
            return
        self._version_is_gone = False
        self._take_over(list(answer.get("items") or ()), _version_of(answer))

    def _take_over(self, pods: list[Pod], version: str) -> None:
        self._cancel = lambda: None
        self._storing = True
        self._store.replace(pods, lambda: self._begin(version))

    def _begin(self, version: str) -> None:
        self._storing = False
        self._version = version
        if not self._stopped:
            self._watch()

    def _watch(self, *, initial: bool = False) -> None:
        """Kubelet: ``Reflector.watch``, ``Reflector.watchList``."""
        self._initial = {} if initial else None
        self._restart()
        version = "" if initial and self._version_is_gone else self._version
        self._cancel = self._env.watch_pods(version, self._hear, initial=initial)

    def _restart(self) -> None:
        self._began_ns = self._env.clock.monotonic_ns()
        self._events = 0

    def _hear(self, heard: Heard) -> None:
        self._inbox.append(heard)
        self._work()

    def _work(self) -> None:
        if self._working:  # whoever takes at once comes back while this still runs
            return
        self._working = True
        while self._inbox and not self._storing:
            self._look_at(self._inbox.popleft())
        self._working = False

    def _look_at(self, heard: Heard) -> None:
        if isinstance(heard, OSError):
            self._refused(heard, _code(heard))
        elif heard is None:
            self._ended()
        elif heard.get("type") == "ERROR":
            self._told_error(heard.get("object"))
        else:
            self._take_in(heard)

    def _leave_watch(self) -> None:
        self._cancel()
        self._inbox.clear()

    def _refused(self, error: OSError, code: int) -> None:
        """A watch couldn't be opened. Kubelet: ``isWatchErrorRetriable``."""
        self._leave_watch()
        busy = code == BUSY and self._kubelet.api_waits_while_busy
        if busy or isinstance(error, ConnectionRefusedError):
            self._later(self._watch_again)
        else:
            self._lost_watch(error, code, level=self._kubelet.api_watch_level)

    def _told_error(self, status: object) -> None:
        self._leave_watch()
        code = status.get("code", 0) if isinstance(status, Mapping) else 0
        if code == BUSY and self._kubelet.api_waits_while_busy:
            self._later(self._watch_again)
        else:
            error = OSError(f"the watch ended with {status!r}")
            self._lost_watch(
                error,
                code,
                level=None if code == GONE else self._kubelet.api_error_level,
            )

    def _ended(self) -> None:
        self._leave_watch()
        short = self._env.clock.monotonic_ns() - self._began_ns < SHORT_NS
        if short and not self._events:
            error = OSError("the watch ended within a second, and told nothing")
            self._lost_watch(error, 0, level=self._kubelet.api_error_level)
        else:
            self._watch_again()

    def _watch_again(self) -> None:
        self._watch(initial=self._initial is not None)

    def _lost_watch(self, error: OSError, code: int, *, level: LogLevel | None) -> None:
        if self._initial is None:
            self._fail("watch", error, level=level)
        elif code == GONE:
            self._version_is_gone = True
            self._watch(initial=True)
        else:
            self._list()

    def _fail(self, what: str, error: OSError, *, level: LogLevel | None) -> None:
        if level is not None:
            self._env.log(level, f"the {what} of pods failed: {error}")
        self._later(self.start)

    def _later(self, work: Callable[[], None]) -> None:
        self._cancel = self._env.clock.call_later(self._delays.next_ns(), work)

    def _take_in(self, event: Mapping[str, Any]) -> None:
        """Kubelet: ``handleAnyWatch``; 1.1 ``Reflector.watchHandler``."""
        word, pod = event.get("type"), event.get("object")
        if word not in self._kubelet.api_events:
            self._not_understood(word)
        elif not isinstance(pod, dict) or pod.get("kind", POD) != POD:
            kind = pod.get("kind") if isinstance(pod, dict) else pod
            self._env.log("error", f"the watch of pods told of {kind!r}, no pod")
        else:
            self._events += 1
            self._change(word, pod)

    def _not_understood(self, word: object) -> None:
        if self._kubelet.api_unknown_event_ends:
            self._ended()
        else:
            self._told_error(f"{word!r}, which is no event")

    def _change(self, word: str, pod: Pod) -> None:
        if self._initial is not None:
            self._collect(self._initial, word, pod)
            return
        self._storing = True
        stored = partial(self._stored, _version_of(pod))
        if word == "BOOKMARK":
            stored()
        elif word == "DELETED":
            self._store.drop(pod, stored)
        else:
            self._store.put(pod, stored)

    def _stored(self, version: str) -> None:
        self._version = version
        self._storing = False
        self._work()

    def _collect(self, pods: dict[str, Pod], word: str, pod: Pod) -> None:
        """Gather what is there, up to the bookmark that ends it."""
        if word == "DELETED":
            pods.pop(key(pod), None)
        elif word != "BOOKMARK":
            pods[key(pod)] = pod
        elif _ends_initial(pod):
            self._initial = None
            self._version_is_gone = False
            self._storing = True
            self._store.replace(
                list(pods.values()), partial(self._synced, _version_of(pod))
            )

    def _synced(self, version: str) -> None:
        self._restart()
        self._stored(version)


def key(pod: Pod) -> str:
    """
    Return what tells *pod* apart: its namespace and name.

    Kubelet: ``MetaNamespaceKeyFunc`` in client-go's ``tools/cache``.
    """
    return f"{namespace(pod)}/{name(pod)}" if namespace(pod) else name(pod)


def _version_of(thing: Mapping[str, Any]) -> str:
    return str((thing.get("metadata") or {}).get("resourceVersion") or "")


def _ends_initial(pod: Pod) -> bool:
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    return bool(annotations.get(INITIAL_EVENTS_END) == "true")


def _code(error: OSError) -> int:
    return int(getattr(error, "status", 0))


def _is_gone(answer: dict[str, Any] | OSError) -> bool:
    if not isinstance(answer, OSError):
        return False
    return _code(answer) == GONE or TOO_NEW in str(answer)
