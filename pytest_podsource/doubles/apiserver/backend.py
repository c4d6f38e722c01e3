"""
What a fake apiserver knows, shared by the test and the server's thread under one lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pytest_podsource.apiserver.answers import Answer, Call, answer, failed
from pytest_podsource.apiserver.discovery import VERSION
from pytest_podsource.apiserver.failures import failure
from pytest_podsource.apiserver.store import Store
from pytest_podsource.apiserver.watching import Watch
from pytest_podsource.doubles.apiserver.identity import user_of
from pytest_podsource.doubles.apiserver.orders import Order, Orders
from pytest_podsource.doubles.apiserver.streams import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCall:
    """
    A request that came.

    Attributes:
        verb: ``get``, ``list`` or ``watch``; for other paths the method in small letters.
        path: Its path, without the query.
        resource: ``pods`` or ``nodes``; empty for other paths.
        namespace: Its namespace, if it has one.
        name: The object's name, if it has one.
        query: Its parameters.
        headers: Its headers; names in small letters.
        user: Who asked; empty if that isn't known.
        status: What it was answered with; 0: no answer.
    """

    verb: str
    path: str
    resource: str
    namespace: str
    name: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    user: str
    status: int


class Backend:
    """
    The store, the orders, the open watches, and what was asked.

    Args:
        token: The one that is right; None: everybody may ask.

    Attributes:
        version: Which Kubernetes it says that it is.
        wake: What lets the server look at its streams.
    """

    def __init__(self, token: str | None) -> None:
        self.store = Store()
        self.orders = Orders()
        self.version = VERSION
        self.seen: list[SeenCall] = []
        self.wake: Callable[[list[Stream]], None] = lambda streams: None
        self._token = token
        self._lock = threading.RLock()
        self._happened = threading.Condition(self._lock)
        self._streams: list[Stream] = []

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the lock; at the end everybody looks at what is new."""
        with self._happened:
            before = self.store.revision
            yield
            if self.store.revision != before:
                self.wake(self._streams)

    @contextmanager
    def watches(self) -> Iterator[list[Stream]]:
        """Give the open watches, and let them look at the end."""
        with self._happened:
            yield [*self._streams]
            self.wake(self._streams)

    def wait(self, until: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until a request makes *until* true; return whether one did."""
        with self._happened:
            return self._happened.wait_for(until, timeout_s)

    def answered(
        self, call: Call, headers: dict[str, str], certificate: dict[str, Any] | None
    ) -> tuple[Answer | Stream, Order | None]:
        """
        Return the answer, and what is to go wrong with it.

        A stream is one of the open watches before anybody learns that it was asked for.
        """
        with self._happened:
            user = user_of(headers, certificate, self._token)
            order = self.orders.of_request(call)
            decided = self._reply(call, user, order)
            reply = (
                self._opened(call, decided) if isinstance(decided, Watch) else decided
            )
            silent = order is not None and order.deed in ("hang", "reset")
            status = reply.status if isinstance(reply, Answer) else 200
            self._note(call, headers, user, 0 if silent else status)
            return reply, order

    def closed(self, stream: Stream) -> None:
        """Take note that a stream has ended."""
        with self._lock:
            self._streams.remove(stream)

    def is_cut(self, stream: Stream) -> bool:
        """Whether the next event is to be broken off."""
        with self._lock:
            return self.orders.of_event(stream.call) is not None

    def _opened(self, call: Call, watch: Watch) -> Stream:
        stream = Stream(call, watch, self._lock)
        self._streams.append(stream)
        return stream

    def _reply(
        self, call: Call, user: str | None, order: Order | None
    ) -> Answer | Watch:
        if user is None:
            return failed(failure(401))
        if order is not None and order.answer is not None:
            return order.answer(call, user)
        return answer(self.store, call, self.version)

    def _note(
        self, call: Call, headers: dict[str, str], user: str | None, status: int
    ) -> None:
        self.seen.append(
            SeenCall(
                verb=call.verb,
                path=call.path,
                resource=call.resource,
                namespace=call.namespace,
                name=call.name,
                query=call.query,
                headers=headers,
                user=user or "",
                status=status,
            )
        )
        self._happened.notify_all()
