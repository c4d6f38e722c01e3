"""
A child process that is spoken to line by line, within a time limit.

It has a process group of its own and is ended with it, and with whatever else carries
the mark of its environment. Its standard error is kept, the last of it, for the story
of a failed case.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from pytest_podsource.driver.program import Program

MARK = "PODSOURCE_PROCESS"
LINE_LIMIT = 256 * 1024 * 1024
STDERR_KEPT = 16 * 1024
_CHUNK = 64 * 1024  # what a pipe holds; a larger buffer costs more than it saves
_MOST_CHUNKS = 64  # to be read at once from one who never stops writing
_LAST_WORDS_S = 2.0


class Ended(Exception):
    """
    The process has ended.

    Attributes:
        how: ``exit code 2`` or ``signal 9``.
    """

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Late(Exception):
    """
    Nothing came within the time limit.
    """


class Flood(Exception):
    """
    A line without end.
    """


class Child:
    """
    A running child process.

    Args:
        program: The program, its arguments, environment and folder.

    Raises:
        OSError: It can't be started.
    """

    def __init__(self, program: Program) -> None:
        mark = uuid.uuid4().hex
        self._mark = f"{MARK}={mark}".encode()
        self._process = subprocess.Popen(  # noqa: S603 - what the user asked for
            list(program.command),
            cwd=program.folder or None,
            env={**program.whole_environment, MARK: mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._to, self._from, self._errors = (p.fileno() for p in self._pipes())
        self._poll = select.poll()
        self._polled = {self._from, self._errors}
        self._lines: deque[bytes] = deque()
        self._line = bytearray()
        self._unwritten = bytearray()
        self._stderr = bytearray()
        self._ended = False
        for descriptor in (self._to, self._from, self._errors):
            os.set_blocking(descriptor, False)
        for descriptor in self._polled:
            self._poll.register(descriptor, select.POLLIN)

    @property
    def pid(self) -> int:
        """Return the id of the process and of its group."""
        return self._process.pid

    @property
    def stderr(self) -> str:
        """Return the last that it has written to standard error so far."""
        self._drain_stderr()
        return self._stderr.decode(errors="replace")

    def forget_stderr(self) -> None:
        """Begin a new case: what was written before belongs to another."""
        self._drain_stderr()
        self._stderr.clear()

    def write(self, line: bytes) -> None:
        """Send *line*, as far as the process takes it; :meth:`read` sends the rest."""
        self._unwritten += line
        if not self._stdin.closed:
            self._flush()

    def read(self, deadline: float) -> bytes:
        """
        Return the next line that the process writes.

        Raises:
            Late: It wrote none before *deadline*, a time of ``time.monotonic``.
            Ended: It has ended and left no line.
            Flood: It doesn't end its line.
        """
        while not self._lines:
            self._serve((deadline - time.monotonic()) * 1000)
        return self._lines.popleft()

    def end(self, patience_s: float = 0.0) -> list[int]:
        """
        End the process and its group, after *patience_s* to end by itself.

        Returns:
            The ids of what it had started and left behind, by now ended as well.
        """
        if self._ended:
            return []
        self._ended = True
        self.close_input()
        if patience_s:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience_s)
        left = [pid for pid in self._marked() if pid != self.pid]
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        for pid in left:
            _kill(pid)
        self._drain_stderr()
        for pipe in self._pipes():
            with suppress(OSError):
                pipe.close()
        return left

    def close_input(self) -> None:
        """Tell the process that nothing more will be said."""
        self._leave(self._to)
        with suppress(OSError):
            self._stdin.close()

    def _marked(self) -> Iterator[int]:
        """Give the processes that have this one's environment; on Linux only."""
        for each in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if self._mark in each.read_bytes().split(b"\0"):
                    yield int(each.parent.name)

    def _serve(self, left_ms: float) -> None:
        ready = self._poll.poll(left_ms) if left_ms > 0 else []
        if not ready:
            raise Late
        for descriptor, _ in ready:
            if descriptor == self._from:
                self._take_stdout()
            elif descriptor == self._errors:
                self._take_stderr()
            else:
                self._flush()

    def _flush(self) -> None:
        try:
            while self._unwritten:
                del self._unwritten[: os.write(self._to, self._unwritten)]
        except BlockingIOError:
            self._polled.add(self._to)
            self._poll.register(self._to, select.POLLOUT)
            return
        except BrokenPipeError:  # its last words are still to be read
            self._unwritten.clear()
        if self._to in self._polled:
            self._leave(self._to)

    def _leave(self, descriptor: int) -> None:
        """Look no more whether there is something to do for *descriptor*."""
        if descriptor in self._polled:
            self._polled.discard(descriptor)
            self._poll.unregister(descriptor)

    def _take_stderr(self) -> None:
        text = os.read(self._errors, _CHUNK)
        if not text:
            self._leave(self._errors)
        self._stderr = (self._stderr + text)[-STDERR_KEPT:]

    def _take_stdout(self) -> None:
        text = os.read(self._from, _CHUNK)
        if not text:
            raise Ended(self._how_it_ended())
        if not self._line and text.find(b"\n") == len(text) - 1:  # nearly always
            self._lines.append(text[:-1])
            return
        self._line += text
        if b"\n" in text:
            *whole, self._line = self._line.split(b"\n")
            self._lines.extend(bytes(each) for each in whole)
        if len(self._line) > LINE_LIMIT:
            raise Flood

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            return "closed standard output"
        self._drain_stderr()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _drain_stderr(self) -> None:
        """Take what is there by now; a child of its own may still hold the pipe."""
        if self._stderr_pipe.closed:
            return
        with suppress(BlockingIOError):
            for _ in range(_MOST_CHUNKS):
                if self._errors not in self._polled:
                    break
                self._take_stderr()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        return self._stdin, self._stdout, self._stderr_pipe

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def _stderr_pipe(self) -> IO[bytes]:
        assert self._process.stderr is not None
        return self._process.stderr


def _kill(pid: int) -> None:
    """Kill a process that isn't ours to wait for, and see it gone; on Linux only."""
    with suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            select.select([descriptor], [], [], _LAST_WORDS_S)
        finally:
            os.close(descriptor)
