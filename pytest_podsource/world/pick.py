"""
Which world a run takes, from what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pytest_podsource.world.base import Scene, World


def pick_world(
    *, world: str, time: str, fs: str, real_limit_ns: int
) -> Callable[[Scene], World]:
    """
    Return what makes the world of a scene.

    Args:
        world: ``simulated`` or ``real``.
        time: ``env``, ``patched`` or ``real``.
        fs: ``tmp`` or ``fake``.
        real_limit_ns: How long a case may take in the real world.
    """
    # Each brings what only it needs, such as requests or pyfakefs.
    if world == "real":
        from pytest_podsource.world.real import RealWorld  # noqa: PLC0415

        return partial(RealWorld, told=time == "env", limit_ns=real_limit_ns)
    if fs == "fake":
        from pytest_podsource.world.fakefs import FakeWorld  # noqa: PLC0415

        return FakeWorld
    if time == "patched":
        from pytest_podsource.world.patched import PatchedWorld  # noqa: PLC0415

        return PatchedWorld
    from pytest_podsource.world.simulated import SimulatedWorld  # noqa: PLC0415

    return SimulatedWorld
