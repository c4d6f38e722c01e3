"""
The apiserver source: the pods that the apiserver has for this node.

Rule 1: nothing is asked before the node has synced; that is looked at once a second.
Rule 2: a list sends one set, and each event of the watch one, the whole set after it,
also if nothing has changed. Rule 3: pods are told apart by namespace and name. Rule 4:
they are passed on as they are. Rule 5: nothing is sent without a list or an event.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_podsource.contract import (
    SECOND_NS,
    Cancel,
    Environment,
    Pod,
    SourceUpdate,
)
from pytest_podsource.core.reflector import Reflector, key
from pytest_podsource.core.versions import Kubelet

SOURCE = "api"
SYNC_PERIOD_NS = SECOND_NS


class ApiSource:
    """
    Sends the pods of one node.

    Args:
        kubelet: Which kubelet to behave like.
        env: Clock, list, watch, reader, log, and whether the node has synced.
        random: Draws a number from 0 to 1, for the delays after failures.

    Kubelet: ``NewSourceApiserver`` in ``pkg/kubelet/config/apiserver.go``.
    """

    def __init__(
        self,
        kubelet: Kubelet,
        env: Environment,
        random: Callable[[], float],
    ) -> None:
        self._kubelet = kubelet
        self._env = env
        self._reflector = Reflector(kubelet, env, _Undelta(env), random)
        self._cancel: Cancel = lambda: None

    def start(self) -> None:
        """
        List as soon as the node has synced, in the background.
        """
        self._cancel = self._env.clock.call_later(0, self._begin)

    def stop(self) -> None:
        """
        Give up what is under way, and ask nothing more.
        """
        self._cancel()
        self._reflector.stop()

    def _begin(self) -> None:
        if self._kubelet.node_sync and not self._env.ask("node_has_synced"):
            self._cancel = self._env.clock.call_later(SYNC_PERIOD_NS, self._begin)
        else:
            self._reflector.start()


class _Undelta:
    """
    The store that sends all it has on each change.

    Kubelet: ``UndeltaStore`` in client-go's ``tools/cache``.
    """

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._pods: dict[str, Pod] = {}

    def replace(self, pods: list[Pod], then: Callable[[], None]) -> None:
        self._pods = {key(pod): pod for pod in pods}
        self._send(then)

    def put(self, pod: Pod, then: Callable[[], None]) -> None:
        self._pods[key(pod)] = pod
        self._send(then)

    def drop(self, pod: Pod, then: Callable[[], None]) -> None:
        self._pods.pop(key(pod), None)
        self._send(then)

    def _send(self, then: Callable[[], None]) -> None:
        pods = tuple(self._pods.values())
        self._env.send(SourceUpdate(source=SOURCE, pods=pods), then)
