"""
What connects an implementation to a case, whichever way it is reached.

A :class:`Driver` lives for a run, a :class:`Connection` for one case. The connection
is given the case's :class:`Host`: the environment that the implementation talks to,
and a way to keep an implementation with a clock of its own in step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pytest_podsource.contract import Config, Environment, SourceUpdate


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """
    How an implementation meets the world; this picks the world that it runs in.

    Attributes:
        time: ``virtual``: it waits through ``env.clock``; ``real``: it sleeps.
        watch: ``told``: events come by ``env.watch``; ``native``: it asks the kernel.
        http: ``told``: replies come by ``env.fetch``; ``loopback``: it uses sockets.
        users: In a process of its own it can act as the user of a case.
    """

    time: Literal["virtual", "real"] = "virtual"
    watch: Literal["told", "native"] = "told"
    http: Literal["told", "loopback"] = "told"
    users: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """
    What an implementation says of itself.

    Attributes:
        name: Its name, for headers and reports.
        version: Its version, empty if it has none.
        language: Its language, such as ``python``.
        kubelet: The kubelet that it claims to behave like, ``None`` for any.
        components: Those of :data:`COMPONENTS` that it offers.
        features: Levels beyond ``base`` that it offers; ``None``: all may be tried.
        abilities: How it meets the world.
        remarks: What a person should know of it, such as a name that is nearly one of
            the contract's.
    """

    name: str
    version: str = ""
    language: str = "python"
    kubelet: str | None = None
    components: frozenset[str]
    features: frozenset[str] | None = None
    abilities: Abilities = Abilities()
    remarks: tuple[str, ...] = ()


class Follower(Protocol):
    """
    An implementation with a clock of its own, kept in step by the host.
    """

    def settle(self) -> None:
        """Run until nothing is left to do at this instant."""
        ...

    def advance_to(self, target_ns: int) -> int:
        """
        Move its clock on, and stop where it asks the environment something.

        Returns:
            The monotonic time reached, at most *target_ns*.
        """
        ...

    def hold(self, held: bool) -> None:  # noqa: FBT001 - a state, not an option
        """Take nothing more from the implementation, or go on, as the reader does."""
        ...


class Host(Protocol):
    """
    The world, as a driver sees it.
    """

    @property
    def env(self) -> Environment:
        """Return what the implementation is given."""
        ...

    @property
    def seed(self) -> int:
        """Return what permutes things at one instant; 0 keeps the natural order."""
        ...

    @property
    def user(self) -> str:
        """Return whom the implementation acts as: ``nobody``, or empty: as it is."""
        ...

    def reached(self, at_ns: int) -> None:
        """
        Move the clock of the case on to where a follower is by now.

        Called before the follower's next word to ``env``; nothing of the world itself
        is due before *at_ns*, since a follower is never sent beyond that.
        """
        ...

    def follow(self, follower: Follower) -> None:
        """Keep *follower* in step with the clock of the case, until its end."""
        ...

    def acting(self) -> AbstractContextManager[None]:
        """Return what the implementation's own code runs within, in this process."""
        ...


class Connection(Protocol):
    """
    One implementation within one case; at most one object of each component.
    """

    def new(self, component: str, config: Config) -> None:
        """
        Make the object of *component*; an earlier one is forgotten.

        Raises:
            Refused: The implementation refuses the configuration.
            Crashed: It raised something else.
        """
        ...

    def call(self, component: str, method: str, arguments: Mapping[str, Any]) -> Any:
        """
        Call *method* of the object, or a function such as ``decode_manifest``.

        Args:
            component: The component that was made by :meth:`new`; functions need none.
            method: A name of the contract; also ``start``, ``stop``, ``deliver``.
            arguments: By the names of the contract, as Python values.

        Raises:
            Refused: As the contract allows.
            Crashed: It raised something else.
        """
        ...

    def send(self, update: SourceUpdate) -> Callable[[], bool]:
        """
        Put *update* on the channel of its source in PodConfig.

        Returns:
            Asks whether the update has been taken by now.
        """
        ...

    def close(self) -> None:
        """End whatever the case has left running."""
        ...


class Driver(Protocol):
    """
    One way to reach an implementation, for a whole run.
    """

    @property
    def offer(self) -> Offer:
        """Return what the implementation says of itself."""
        ...

    @property
    def stderr(self) -> str:
        """Return the last that a process of its own wrote there in this case."""
        ...

    def connect(self, host: Host) -> Connection:
        """Begin a case."""
        ...

    def close(self) -> None:
        """End the run."""
        ...
