"""
The environment of the real world: real time, the kernel's inotify, real HTTP.

::

    env = RealEnvironment(on_update=print)
    source = reference.new_file_source(Config(path="/etc/kubernetes/manifests"), env)
    source.start()
    env.run()  # until env.stop(), from any thread
    source.stop()
    env.close()
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_podsource.contract import (
    Cancel,
    Clock,
    LogLevel,
    Pod,
    PodUpdate,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.shells.apiserver import Apiserver
from pytest_podsource.shells.http import HttpGet
from pytest_podsource.shells.inotify import InotifyWatch
from pytest_podsource.shells.kubeconfig import Access
from pytest_podsource.shells.loop import Loop

Update = SourceUpdate | PodUpdate

MAX_BODY_BYTES = 10 * 1024 * 1024


def _ignore(*args: Any, **fields: Any) -> None:
    """Do nothing with what is told."""


class RealEnvironment:
    """
    What a pod source touches on this machine.

    Args:
        on_update: Is given each set or operation, in order, one at a time.
        on_log: Is given level, message and fields.
        on_event: Is given pod, type, reason and message.
        answers: What ``ask`` answers, by question: a value, or a function of its
            arguments.
        on_handle: Is given the calls of handlers, each with its pods.
        max_body_bytes: Bodies are cut off here, which the kubelet's limit refuses.

    Attributes:
        apiserver: Where pods are listed and watched; ``None`` for nowhere.
    """

    def __init__(
        self,
        on_update: Callable[[Update], None],
        *,
        on_log: Callable[..., None] = _ignore,
        on_event: Callable[[Pod, str, str, str], None] = _ignore,
        on_handle: Callable[[str, Sequence[Pod]], None] = _ignore,
        answers: Mapping[str, Any] | None = None,
        max_body_bytes: int | None = MAX_BODY_BYTES,
    ) -> None:
        self._loop = Loop()
        self._on_update = on_update
        self._on_log = on_log
        self._on_event = on_event
        self._on_handle = on_handle
        self.apiserver: Apiserver | None = None
        self._answers = answers or {}
        self._max_body_bytes = max_body_bytes
        self._open: set[InotifyWatch] = set()

    @property
    def clock(self) -> Clock:
        """
        Return real time; its monotonic side starts at 0 with this environment.
        """
        return self._loop

    def run(self) -> None:
        """
        Run what is due, until :meth:`stop`; all callbacks come from here.
        """
        self._loop.run()

    def post(self, callback: Callable[[], None]) -> None:
        """
        Call *callback* where all the others run; from any thread.
        """
        self._loop.post(callback)

    def stop(self) -> None:
        """
        Let :meth:`run` return; from any thread.
        """
        self._loop.stop()

    def close(self) -> None:
        """
        Give back what is open; what is still under way tells nothing.
        """
        for watch in tuple(self._open):
            self._end(watch)
        self._loop.close()

    def connect(self, access: Access, node_name: str) -> Apiserver:
        """
        List and watch the pods of *node_name* at this apiserver from now on.

        Raises:
            UsageError: A certificate or key can't be used.
        """
        self.apiserver = Apiserver(self._loop, access, node_name)
        return self.apiserver

    def send(self, update: Update, taken: Callable[[], None] | None = None) -> None:
        """
        Hand *update* on; it counts as taken when that is done.
        """
        self._on_update(update)
        if taken is not None:
            taken()

    def watch(
        self, path: str, on_event: Callable[[WatchEvent | OSError], None]
    ) -> Cancel:
        """
        Watch *path* with the kernel's inotify.

        Raises:
            OSError: It can't be watched.
        """
        watch = InotifyWatch(self._loop, path, on_event)
        self._open.add(watch)
        return lambda: self._end(watch)

    def fetch(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        timeout_ns: int,
        on_done: Callable[[Reply | OSError], None],
    ) -> Cancel:
        """
        GET *url* once, over the network.
        """
        request = HttpGet(
            self._loop,
            url,
            headers,
            timeout_ns=timeout_ns,
            max_bytes=self._max_body_bytes,
            on_done=on_done,
        )
        request.start()
        return request.cancel

    def list_pods(
        self,
        on_done: Callable[[dict[str, Any] | OSError], None],
        resource_version: str = "",
    ) -> Cancel:
        """
        List the pods of the node, if there is an apiserver.
        """
        if self.apiserver is not None:
            return self.apiserver.list_pods(on_done, resource_version)
        error = OSError(errno.ENOTCONN, "there is no apiserver here")
        return self._loop.call_later(0, lambda: on_done(error))

    def watch_pods(
        self,
        resource_version: str,
        on_event: Callable[[dict[str, Any] | OSError | None], None],
        *,
        initial: bool = False,
    ) -> Cancel:
        """
        Watch the pods of the node; without an apiserver that ends at once.
        """
        if self.apiserver is not None:
            return self.apiserver.watch_pods(
                resource_version, on_event, initial=initial
            )
        return self._loop.call_later(0, lambda: on_event(None))

    def ask(self, question: str, *args: Any) -> Any:
        """
        Return what was given as the answer.

        Raises:
            LookupError: Nobody knows the question.
        """
        if question not in self._answers:
            raise LookupError(f"{question!r} is not answered here.")
        answer = self._answers[question]
        return answer(*args) if callable(answer) else answer

    def handle(self, handler: str, pods: Sequence[Pod]) -> None:
        """
        Tell the call of a handler.
        """
        self._on_handle(handler, pods)

    def event(self, pod: Pod, type_: str, reason: str, message: str) -> None:
        """
        Tell an event about *pod*.
        """
        self._on_event(pod, type_, reason, message)

    def log(self, level: LogLevel, message: str, **fields: Any) -> None:
        """
        Tell *message* and its fields.
        """
        self._on_log(level, message, **fields)

    def _end(self, watch: InotifyWatch) -> None:
        if watch in self._open:
            self._open.discard(watch)
            watch.close()
