"""
A connection that can be cut from another thread than the one that waits for it.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


class Cuttable:
    """
    Keeps the connections that urllib3's pools make, to cut them.
    """

    def __init__(self) -> None:
        self._connection: Any = None
        self.is_cut = False

    def cut(self) -> None:
        """
        End what is under way, and let no connection be made any more.
        """
        self.is_cut = True
        # A closed socket would leave a thread that reads from it where it is.
        reached = getattr(self._connection, "sock", None)
        if reached is not None:
            with suppress(OSError):  # it has come to its end meanwhile
                socket.socket.shutdown(reached, socket.SHUT_RDWR)

    def pools(self, classes: Mapping[str, Any]) -> dict[str, Any]:
        """
        Return *classes*, urllib3's pools by scheme, whose connections are kept.
        """
        return {scheme: self._kept(pool) for scheme, pool in classes.items()}

    def _kept(self, pool: Any) -> Any:
        def connection(*args: Any, **settings: Any) -> Any:
            if self.is_cut:
                raise ConnectionAbortedError(errno.ECONNABORTED, "not wanted any more")
            self._connection = pool.ConnectionCls(*args, **settings)
            return self._connection

        return type("KeptPool", (pool,), {"ConnectionCls": staticmethod(connection)})
