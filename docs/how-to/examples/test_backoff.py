import itertools
import time


def fetch_for_ever(fetch) -> None:
    """The code under test: tries again after 1, 2, 4, ... seconds, 20 at most."""
    for failures in itertools.count():
        try:
            return fetch()
        except ConnectionError:
            time.sleep(min(2**failures, 20))


def test_delays_double_up_to_twenty_seconds(podsource_backoff):
    podsource_backoff.expect(
        fetch_for_ever, ["1s", "2s", "4s", "8s", "16s", "20s", "20s"]
    )


def test_delays_that_are_drawn_at_random(podsource_backoff):
    def with_jitter(fetch) -> None:
        from random import uniform

        while True:
            try:
                return fetch()
            except TimeoutError:
                time.sleep(uniform(5, 10))

    podsource_backoff.expect(with_jitter, [("5s", "10s")] * 100, error=TimeoutError)


def test_delays_that_are_only_computed(podsource_backoff):
    delays = (min(2.0**n / 10, 1) for n in itertools.count())

    podsource_backoff.expect_values(delays, ["100ms", "200ms", "400ms", "800ms", "1s"])
