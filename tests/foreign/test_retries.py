"""
What libraries that try again really wait, shown in no time.

They are in the dependency group ``foreign``: ``tox -e foreign``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from pytest_podsource import SECOND_NS, BackoffCheck, ManifestUrl, VirtualClock

Attempt = Callable[[], None]


def test_tenacity_doubles_up_to_its_cap(podsource_backoff: BackoffCheck) -> None:
    """The first delay is multiplier * 2**0."""
    tenacity = pytest.importorskip("tenacity")
    retry = tenacity.retry(wait=tenacity.wait_exponential(multiplier=1, max=20))

    podsource_backoff.expect(
        lambda attempt: retry(attempt)(), ["1s", "2s", "4s", "8s", "16s", "20s", "20s"]
    )


def test_tenacity_waits_alike_in_a_coroutine(podsource_backoff: BackoffCheck) -> None:
    """By asyncio.sleep, in the same virtual time."""
    tenacity = pytest.importorskip("tenacity")

    async def run(attempt: Attempt) -> None:
        @tenacity.retry(wait=tenacity.wait_fixed(3))  # type: ignore[untyped-decorator, unused-ignore]
        async def work() -> None:
            attempt()

        await work()

    podsource_backoff.expect(run, ["3s", "3s", "3s"])


def test_tenacity_draws_from_nought_to_the_doubled_delay(
    podsource_backoff: BackoffCheck,
) -> None:
    """Full jitter: it may try again at once."""
    tenacity = pytest.importorskip("tenacity")
    retry = tenacity.retry(wait=tenacity.wait_random_exponential(multiplier=1, max=8))

    podsource_backoff.expect(
        lambda attempt: retry(attempt)(),
        [("0s", "1s"), ("0s", "2s"), ("0s", "4s"), ("0s", "8s"), ("0s", "8s")],
    )


def test_tenacity_gives_up_by_the_virtual_clock(
    podsource_backoff: BackoffCheck, podsource_clock: VirtualClock
) -> None:
    """An hour of trying takes no time."""
    tenacity = pytest.importorskip("tenacity")
    retry = tenacity.retry(
        wait=tenacity.wait_fixed(600), stop=tenacity.stop_after_delay(3600)
    )

    delays = podsource_backoff.measure(lambda attempt: retry(attempt)(), 100)

    assert len(delays) == 6
    assert podsource_clock.monotonic_ns() == 3600 * SECOND_NS


def test_backoff_draws_from_nought_to_the_doubled_delay(
    podsource_backoff: BackoffCheck,
) -> None:
    """Unless jitter is None; then 1, 2, 4, ..."""
    backoff = pytest.importorskip("backoff")
    drawn = backoff.on_exception(backoff.expo, ConnectionError, max_value=8)
    exact = backoff.on_exception(
        backoff.expo, ConnectionError, max_value=8, jitter=None
    )

    podsource_backoff.expect(
        lambda attempt: drawn(attempt)(),
        [("0s", "1s"), ("0s", "2s"), ("0s", "4s"), ("0s", "8s"), ("0s", "8s")],
    )
    podsource_backoff.expect(
        lambda attempt: exact(attempt)(), ["1s", "2s", "4s", "8s", "8s"]
    )


def test_stamina_adds_up_to_a_second_of_jitter(
    podsource_backoff: BackoffCheck,
) -> None:
    """Beginning with a tenth; ten attempts at most, or 45 s."""
    stamina = pytest.importorskip("stamina")
    retry = stamina.retry(on=ConnectionError, attempts=6, timeout=None)

    podsource_backoff.expect(
        lambda attempt: retry(attempt)(),
        [
            ("100ms", "1100ms"),
            ("200ms", "1200ms"),
            ("400ms", "1400ms"),
            ("800ms", "1800ms"),
            ("1600ms", "2600ms"),
        ],
    )


def _session(retry: Retry) -> requests.Session:
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retry))
    return session


@pytest.mark.podsource(http="server")
@pytest.mark.filterwarnings("ignore::pytest_podsource.UncontrolledWait")
def test_urllib3_tries_again_at_once_then_doubles(
    podsource_clock: VirtualClock, podsource_url: ManifestUrl
) -> None:
    """Its backoff_factor counts from the second retry on; 0 + 2 + 4 + 8 s."""
    for _ in range(4):
        podsource_url.reply("busy", status=503)
    podsource_url.reply("x")
    session = _session(Retry(total=5, backoff_factor=1, status_forcelist=[503]))

    got = session.get(podsource_url.url, timeout=5)

    assert (got.text, podsource_clock.monotonic_ns()) == ("x", 14 * SECOND_NS)


@pytest.mark.podsource(http="server")
@pytest.mark.filterwarnings("ignore::pytest_podsource.UncontrolledWait")
def test_urllib3_does_what_retry_after_says(
    podsource_clock: VirtualClock, podsource_url: ManifestUrl
) -> None:
    """Instead of its own delay."""
    podsource_url.reply("busy", status=503, headers={"Retry-After": "120"})
    podsource_url.reply("x")
    session = _session(Retry(total=2, backoff_factor=1, status_forcelist=[503]))

    got = session.get(podsource_url.url, timeout=5)

    assert (got.text, podsource_clock.monotonic_ns()) == ("x", 120 * SECOND_NS)


def test_urllib3_retries_a_mock_without_waiting(
    podsource_clock: VirtualClock, podsource_url: ManifestUrl
) -> None:
    """The mock counts retries, and leaves out their delays: take the server for those."""
    podsource_url.reply("busy", status=503, headers={"Retry-After": "120"})
    podsource_url.reply("x")
    session = _session(Retry(total=2, backoff_factor=1, status_forcelist=[503]))

    got = session.get(podsource_url.url, timeout=5)

    assert (got.text, podsource_clock.monotonic_ns()) == ("x", 0)
