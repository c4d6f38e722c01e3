"""
A wait that no clock controls is told, in the threads that the clock controls.
"""

from __future__ import annotations

import select
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator

import pytest

from pytest_podsource import UncontrolledWait, VirtualClock


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    left, right = socket.socketpair()
    with left, right:
        right.sendall(b"x")
        yield left, right


def test_blocking_socket_is_told_with_its_place(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """It waits all the same."""
    with VirtualClock(), pytest.warns(UncontrolledWait, match=r"socket.recv") as told:
        got = pair[0].recv(1)

    assert got == b"x"
    assert told[0].filename == __file__


def test_socket_that_never_blocks_is_not_told(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """Nor a selection that doesn't wait."""
    pair[0].settimeout(0)
    with VirtualClock(), warnings.catch_warnings():
        warnings.simplefilter("error")
        select.select([pair[0]], [], [], 0)
        got = pair[0].recv(1)

    assert got == b"x"


def test_selection_that_waits_is_told(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """Also with a time limit, which is real."""
    with VirtualClock(), pytest.warns(UncontrolledWait, match=r"select.select"):
        ready, _, _ = select.select([pair[0]], [], [], 5)

    assert ready == [pair[0]]


def test_program_that_is_waited_for_is_told() -> None:
    """One that has ended already is not."""
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    )
    assert child.stdin is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with VirtualClock(), pytest.raises(UncontrolledWait, match=r"Popen\.wait"):
            child.wait()  # it can't have ended: its input is open
        child.stdin.close()
        child.wait(60)
        with VirtualClock():
            child.wait()


def test_threads_of_others_are_left_alone(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """They live in real time."""
    begin, got = threading.Lock(), []
    begin.acquire()

    def other() -> None:
        with begin:
            got.append(pair[0].recv(1))

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    with VirtualClock(), warnings.catch_warnings():
        warnings.simplefilter("error")
        begin.release()
        thread.join(10)

    assert got == [b"x"]


def test_names_are_what_they_were_afterwards() -> None:
    """Inherited methods of sockets are inherited again."""
    before = (dict(vars(socket.socket)), select.select, subprocess.Popen.wait)

    with VirtualClock():
        during = select.select

    assert during is not before[1]
    assert (dict(vars(socket.socket)), select.select, subprocess.Popen.wait) == before
