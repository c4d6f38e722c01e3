"""
Keeps an implementation that lives in the case's time from the network.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pytest_podsource.threads import Worker

_INTERNET = (socket.AF_INET, socket.AF_INET6)


class Fence:
    """
    Refuses connections of the implementation's own code, and remembers that.

    Attributes:
        attempt: The address of the first connection that was refused.
    """

    def __init__(self) -> None:
        self.attempt: Any = None
        self._owner = threading.current_thread()
        self._depth = 0

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Refuse what the code within this block connects to."""
        if self._depth:
            yield
            return
        connect, getaddrinfo = socket.socket.connect, socket.getaddrinfo
        self._depth += 1
        socket.socket.connect = self._connect(connect)  # type: ignore[method-assign]
        socket.getaddrinfo = self._look_up(getaddrinfo)
        try:
            yield
        finally:
            socket.socket.connect = connect  # type: ignore[method-assign]
            socket.getaddrinfo = getaddrinfo
            self._depth -= 1

    def _connect(self, connect: Callable[..., None]) -> Callable[..., None]:
        def fenced(self_: socket.socket, address: Any) -> None:
            if self_.family in _INTERNET:
                self._refuse(address)
            connect(self_, address)

        return fenced

    def _look_up(self, getaddrinfo: Callable[..., Any]) -> Callable[..., Any]:
        def fenced(host: Any, port: Any, *args: Any, **options: Any) -> Any:
            self._refuse((host, port))
            return getaddrinfo(host, port, *args, **options)

        return fenced

    def _refuse(self, address: Any) -> None:
        current = threading.current_thread()
        if current is self._owner or isinstance(current, Worker):
            self.attempt = self.attempt or address
            raise ConnectionRefusedError(f"{address} is outside the case")
