"""
When the client of Kubernetes reads its token anew.

It is in the dependency group ``foreign``: ``tox -e foreign``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_podsource import SECOND_NS, ManifestDirectory, VirtualClock

pytest.importorskip("kubernetes", reason="kubernetes is in the group foreign")

from kubernetes.client import Configuration
from kubernetes.config.incluster_config import InClusterConfigLoader

Token = Callable[[], Any]


@pytest.fixture
def token(
    podsource_clock: VirtualClock, podsource_manifest_dir: ManifestDirectory
) -> Token:
    """Gives the token that the client would send now."""
    directory = podsource_manifest_dir
    directory.swap_data_dir({"token": "one", "ca.crt": "certificate"})
    configuration = Configuration()
    InClusterConfigLoader(
        token_filename=str(directory.path / "token"),
        cert_filename=str(directory.path / "ca.crt"),
        environ={"KUBERNETES_SERVICE_HOST": "h", "KUBERNETES_SERVICE_PORT": "1"},
    ).load_and_set(configuration)
    return lambda: configuration.get_api_key_with_prefix("BearerToken")


def test_swapped_token_is_sent_when_the_minute_is_over(
    token: Token,
    podsource_clock: VirtualClock,
    podsource_manifest_dir: ManifestDirectory,
) -> None:
    """For up to a minute it is the old one."""
    podsource_manifest_dir.swap_data_dir({"token": "two", "ca.crt": "certificate"})

    podsource_clock.advance(59 * SECOND_NS)
    before = token()
    podsource_clock.advance(SECOND_NS)

    assert (before, token()) == ("bearer one", "bearer two")


def test_wall_clock_that_goes_back_keeps_the_old_token(
    token: Token,
    podsource_clock: VirtualClock,
    podsource_manifest_dir: ManifestDirectory,
) -> None:
    """The minute is counted by local time: an hour set back is an hour more."""
    podsource_manifest_dir.swap_data_dir({"token": "two", "ca.crt": "certificate"})
    podsource_clock.jump(-3600 * SECOND_NS)

    podsource_clock.advance(3600 * SECOND_NS)
    before = token()
    podsource_clock.advance(60 * SECOND_NS)

    assert (before, token()) == ("bearer one", "bearer two")


def test_daylight_saving_sends_the_old_token_for_an_hour(
    podsource_clock: VirtualClock,
    podsource_manifest_dir: ManifestDirectory,
    token: Token,
) -> None:
    """Local time without a zone comes twice in October."""
    import datetime as dt  # noqa: PLC0415 - the frozen one

    podsource_clock.set_zone("Europe/Berlin")
    podsource_clock.jump_to(
        dt.datetime(2024, 10, 27, 0, 59, 30, tzinfo=dt.timezone.utc)
    )
    first = token()
    podsource_manifest_dir.swap_data_dir({"token": "two", "ca.crt": "certificate"})

    podsource_clock.advance(3600 * SECOND_NS)
    before = token()
    podsource_clock.advance(60 * SECOND_NS)

    assert (first, before, token()) == ("bearer one", "bearer one", "bearer two")
