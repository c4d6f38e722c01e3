"""
The channels of the sources, the lock of the merge, and the buffer to the reader.

Rule 1: each source has one unbuffered channel and one listener; a listener takes its
next message when the merge of the last one has delivered everything. Rule 2: merges
come one at a time, in the order in which listeners took their messages; a merge holds
the lock until all its outputs are in the buffer. Rule 3: the buffer holds 50 outputs,
the one that the reader hasn't taken yet among them. So back pressure is shared: with a
full buffer one more message of each source is taken, and then none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pytest_podsource.contract import PodUpdate, SourceUpdate

BUFFER = 50

Taken = Callable[[], None]
Send = Callable[[PodUpdate, Taken], None]
Outputs = Iterable[PodUpdate]


class Channel(Protocol):
    """
    Where a source puts its messages.
    """

    def __call__(self, update: SourceUpdate, taken: Taken | None = None) -> None:
        """Put *update*; *taken* is called when the listener has accepted it."""
        ...


@dataclass(slots=True)
class _Listener:
    """
    The receiving end of one source: what waits to be taken, and whether it is at work.
    """

    merge: Callable[[SourceUpdate], Outputs]
    waiting: deque[tuple[SourceUpdate, Taken | None]] = field(default_factory=deque)
    busy: bool = False


class Mux:
    """
    Brings the messages of all sources into one order, and their outputs to one reader.

    Args:
        send: Hands one output to the reader; its second argument is called when the
            reader has taken it. The next output is sent only then.

    Kubelet: ``mux`` and the channel of ``PodConfig`` in ``pkg/kubelet/config``.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._jobs: deque[tuple[Callable[[], Outputs], Callable[[], None]]] = deque()
        self._outputs: deque[PodUpdate] = deque()
        self._unlock: Callable[[], None] | None = None
        self._buffer: deque[PodUpdate] = deque()
        self._offered = False
        self._running = False

    def listen(self, merge: Callable[[SourceUpdate], Outputs]) -> Channel:
        """
        Return a new channel whose messages go to *merge*.

        Kubelet: ``mux.ChannelWithContext``.
        """
        listener = _Listener(merge)

        def put(update: SourceUpdate, taken: Taken | None = None) -> None:
            listener.waiting.append((update, taken))
            self._take(listener)
            self._run()

        return put

    def run_locked(self, job: Callable[[], Outputs]) -> None:
        """
        Deliver what *job* gives, once it is its turn.
        """
        self._jobs.append((job, lambda: None))
        self._run()

    def _take(self, listener: _Listener) -> None:
        if listener.busy or not listener.waiting:
            return
        listener.busy = True
        update, taken = listener.waiting.popleft()
        self._jobs.append(
            (lambda: listener.merge(update), lambda: self._done(listener))
        )
        if taken is not None:
            taken()

    def _done(self, listener: _Listener) -> None:
        listener.busy = False
        self._take(listener)

    def _run(self) -> None:
        if self._running:  # called back from within: the loop below goes on by itself
            return
        self._running = True
        try:
            while self._step():
                pass
        finally:
            self._running = False

    def _step(self) -> bool:
        """Do the next thing that can be done; False if there is none."""
        if self._buffer and not self._offered:
            self._offered = True
            self._send(self._buffer[0], self._accepted)
        elif self._outputs:
            if len(self._buffer) == BUFFER:
                return False
            self._buffer.append(self._outputs.popleft())
        elif self._unlock is not None:
            unlock, self._unlock = self._unlock, None
            unlock()
        elif self._jobs:
            job, self._unlock = self._jobs.popleft()
            self._outputs.extend(job())
        else:
            return False
        return True

    def _accepted(self) -> None:
        self._buffer.popleft()
        self._offered = False
        self._run()
