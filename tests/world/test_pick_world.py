"""
What was asked for picks the world.
"""

from __future__ import annotations

import pytest

from pytest_podsource.contract import SECOND_NS, Config
from pytest_podsource.exceptions import CannotRunHere
from pytest_podsource.world.base import Scene
from pytest_podsource.world.pick import pick_world


@pytest.mark.parametrize(
    ("world", "time", "fs", "name"),
    [
        ("simulated", "env", "tmp", "SimulatedWorld"),
        ("simulated", "patched", "tmp", "PatchedWorld"),
        ("simulated", "env", "fake", "FakeWorld"),
        ("real", "env", "tmp", "RealWorld"),
        ("real", "real", "tmp", "RealWorld"),
    ],
)
def test_world_is_the_one_that_was_asked_for(
    world: str, time: str, fs: str, name: str
) -> None:
    """Each combination that the options allow."""
    make = pick_world(world=world, time=time, fs=fs, real_limit_ns=SECOND_NS)

    made = make(Scene(config=Config()))
    made.close()

    assert type(made).__name__ == name


def test_real_world_has_the_limit_that_was_given() -> None:
    """A case that would take longer is left out."""
    make = pick_world(world="real", time="env", fs="tmp", real_limit_ns=SECOND_NS)

    with pytest.raises(CannotRunHere, match="would take 2 s"):
        make(Scene(config=Config(), length_ns=2 * SECOND_NS))


def test_real_time_is_for_implementations_on_their_own() -> None:
    """They can't be told that a watch fails."""
    make = pick_world(world="real", time="real", fs="tmp", real_limit_ns=SECOND_NS)

    with pytest.raises(CannotRunHere, match="on its own"):
        make(Scene(config=Config(), watch_fails="EMFILE"))
