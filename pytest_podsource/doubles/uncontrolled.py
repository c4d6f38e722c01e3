"""
Waits that no virtual clock controls: they are told where they are begun.

They take real time, while the virtual one stands still. What is made in C without a name
that can be replaced (a lock, epoll, a pipe's read) isn't seen here.
"""

from __future__ import annotations

import select
import signal
import socket
import subprocess
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_podsource.doubles.patches import Patches
from pytest_podsource.exceptions import UncontrolledWait

if TYPE_CHECKING:
    from pytest_podsource.doubles.clock import VirtualClock

_OF_SOCKETS = ("accept", "connect", "recv", "recv_into", "recvfrom", "recvmsg")


def patch(clock: VirtualClock, patches: Patches) -> None:
    """
    Let each wait that *clock* doesn't control warn, in the threads that it controls.
    """
    for name in _OF_SOCKETS:
        real = getattr(socket.socket, name)
        tell = _telling(clock, real, f"socket.{name}", _blocks)
        patches.set(socket.socket, name, tell)
    wait = _telling(clock, subprocess.Popen.wait, "Popen.wait", _runs)
    patches.set(subprocess.Popen, "wait", wait)
    chosen = _telling(clock, select.select, "select.select", _waits_for)
    patches.set(select, "select", chosen)
    for name in ("sigwait", "pause"):
        real = getattr(signal, name)
        patches.set(signal, name, _telling(clock, real, f"signal.{name}", _always))


def _telling(
    clock: VirtualClock,
    real: Callable[..., Any],
    name: str,
    waits: Callable[..., bool],
) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        if clock.new_waiter() is not None and waits(*args, **options):
            warnings.warn(UncontrolledWait(name), stacklevel=2)
        return real(*args, **options)

    return call


def _blocks(sock: socket.socket, *args: Any, **options: Any) -> bool:
    return sock.gettimeout() != 0


def _runs(child: subprocess.Popen[bytes], *args: Any, **options: Any) -> bool:
    return child.poll() is None


def _waits_for(
    readers: Any, writers: Any, others: Any, timeout: float | None = None
) -> bool:
    return timeout is None or timeout > 0


def _always(*args: Any, **options: Any) -> bool:
    return True
