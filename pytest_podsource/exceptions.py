"""
Every public error.

::

    PodSourceError
    +-- UsageError            an option, an argument or a path that can't be used
    |   +-- UnknownKubelet    a kubelet version that no table knows
    |   +-- CannotLoad        an implementation that can't be loaded or bound
    |   +-- UnusableReport    a report that can't be read, written or merged
    +-- CaseError             the case is at fault: *setup failed*
    +-- CannotRunHere         this machine or world can't show it: *disabled*
    +-- DriverError           the harness or the adapter is at fault: *harness error*
    +-- ImplementationError   the implementation is at fault
        +-- Crashed           it raised what it shouldn't
        +-- TimedOut          it didn't come back in time
        +-- Spins             it wakes up again and again at one instant

    UncontrolledWait          a warning: a wait that no virtual clock controls

The wording of a message is not part of the API; the type and the fields are.
"""

from __future__ import annotations

from pathlib import Path


class PodSourceError(Exception):
    """
    Base of all errors of this package.
    """


class UsageError(PodSourceError):
    """
    An option, an argument or a path that can't be used.
    """


class UnknownKubelet(UsageError):
    """
    A kubelet version that no table knows.

    Attributes:
        version: What was asked for.
        known: The versions that would have been right.
    """

    def __init__(self, version: str, known: tuple[str, ...]) -> None:
        super().__init__(version, known)
        self.version = version
        self.known = known

    def __str__(self) -> str:
        return (
            f"kubelet {self.version!r} is not known. "
            f"Known versions: {', '.join(self.known)}."
        )


class CannotLoad(UsageError):
    """
    An implementation that can't be loaded or bound.

    Attributes:
        target: What was asked for, as given.
        reason: What is wrong and what to do.
    """

    def __init__(self, target: str, reason: str) -> None:
        super().__init__(target, reason)
        self.target = target
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.target}: {self.reason}"


class UnusableReport(UsageError):
    """
    A report that can't be read, written or merged.

    Attributes:
        path: Its file.
        reason: What is wrong and what to do.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class CaseError(PodSourceError):
    """
    A case that doesn't fit the grammar, or whose world can't be set up.

    Attributes:
        where: File, and step or key.
        reason: What is wrong, and what would have been right.
    """

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(where, reason)
        self.where = where
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


class CannotRunHere(PodSourceError):
    """
    A case that this machine, this user or this world can't show: *disabled*.

    Attributes:
        reason: What is lacking, and where it would run.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class DriverError(PodSourceError):
    """
    The harness or an adapter is at fault, or idleness could not be known.
    """


class ImplementationError(PodSourceError):
    """
    The implementation under test is at fault.
    """


class Crashed(ImplementationError):
    """
    The implementation raised what the contract doesn't allow.

    Attributes:
        call: What was called, such as ``new_backoff`` or ``start``.
        error: The error's type and text.
        trace: Its traceback, without frames of this package.
    """

    def __init__(self, call: str, error: str, trace: str = "") -> None:
        super().__init__(call, error, trace)
        self.call = call
        self.error = error
        self.trace = trace

    def __str__(self) -> str:
        return f"{self.call} raised {self.error}"


class TimedOut(ImplementationError):
    """
    The implementation didn't come back in real time.
    """


class Spins(ImplementationError):
    """
    The implementation wakes up again and again at one virtual instant.

    Attributes:
        wakeups: How often, before it was given up.
        at_ns: The instant, in nanoseconds of the monotonic clock.
    """

    def __init__(self, wakeups: int, at_ns: int) -> None:
        super().__init__(wakeups, at_ns)
        self.wakeups = wakeups
        self.at_ns = at_ns

    def __str__(self) -> str:
        return (
            f"it spins: {self.wakeups} wake-ups at {self.at_ns / 1e9:g} s "
            "without moving time"
        )


class UncontrolledWait(UserWarning):
    """
    A wait that no virtual clock controls: it takes real time, the clock stands still.

    Attributes:
        call: What waits, such as ``socket.recv``.
    """

    def __init__(self, call: str) -> None:
        super().__init__(call)
        self.call = call

    def __str__(self) -> str:
        return (
            f"{self.call} waits in real time, and podsource_clock stands still "
            "meanwhile; a time limit of its own counts real time. Give the code an "
            "answer without a socket or a program, or ignore this warning."
        )
