"""
Delays of whatever tries again, asserted without waiting for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from inspect import isawaitable
from itertools import islice, pairwise, zip_longest
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.core.durations import parse_ns
from pytest_podsource.suite.durations import text_of

if TYPE_CHECKING:
    from pytest_podsource.doubles.clock import VirtualClock

Delay: TypeAlias = "str | int"
"""``"1m30s"``, or nanoseconds."""
Expected: TypeAlias = "Delay | tuple[Delay, Delay]"
"""A delay, or the least and the most that it may be, where it is drawn at random."""


class BackoffCheck:
    """
    Lets something try again in virtual time, and looks at its delays.

    Args:
        clock: A clock that is started, by this thread.
    """

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def measure(
        self,
        run: Callable[[Callable[[], None]], object],
        failures: int,
        *,
        error: Callable[[], BaseException] = ConnectionError,
    ) -> list[int]:
        """
        Return the delays between the attempts of *run*, in nanoseconds.

        Args:
            run: Is given an attempt that fails, and calls it until it succeeds or
                gives up; may be ``async def``.
            failures: How often the attempt fails.
            error: Makes what it raises.
        """
        attempts_ns: list[int] = []

        def attempt() -> None:
            attempts_ns.append(self._clock.monotonic_ns())
            if len(attempts_ns) <= failures:
                raise error()

        _run(run, attempt)
        return [b - a for a, b in pairwise(attempts_ns)]

    def expect(
        self,
        run: Callable[[Callable[[], None]], object],
        delays: Sequence[Expected],
        *,
        error: Callable[[], BaseException] = ConnectionError,
    ) -> None:
        """
        See that *run* waits *delays* between its attempts, as often as there are.

        Args:
            run: As for :meth:`measure`.
            delays: ``["1s", "2s"]``, or ``[("0s", "1s")]`` for a range.
            error: Makes what a failing attempt raises.

        Raises:
            AssertionError: A delay is another one, or lacks.
        """
        _compare(delays, self.measure(run, len(delays), error=error))

    def expect_values(
        self,
        delays_of: Iterable[float | timedelta] | Callable[[], float | timedelta],
        delays: Sequence[Expected],
    ) -> None:
        """
        See that something computes *delays*, without anybody who waits.

        Args:
            delays_of: Gives the delays in seconds: a callable, or what can be iterated.
            delays: As for :meth:`expect`.

        Raises:
            AssertionError: A delay is another one, or lacks.
        """
        _compare(delays, list(islice(_nanoseconds(delays_of), len(delays))))


def _run(
    run: Callable[[Callable[[], None]], object], attempt: Callable[[], None]
) -> None:
    failed: list[BaseException] = []

    def noted() -> None:
        try:
            attempt()
        except BaseException as error:
            failed.append(error)
            raise

    try:
        outcome = run(noted)
        if isawaitable(outcome):
            _await(outcome)
    except BaseException as error:
        if not failed or not _comes_from(error, failed):
            raise


def _await(outcome: Any) -> None:
    import asyncio  # noqa: PLC0415 - most don't need it

    async def main() -> None:
        await outcome

    asyncio.run(main())


def _comes_from(error: BaseException | None, failed: list[BaseException]) -> bool:
    """Return whether *error* only says that *run* has given up."""
    while error is not None:
        if any(error is each for each in failed):
            return True
        error = error.__cause__ or error.__context__
    return False


def _nanoseconds(
    delays_of: Iterable[float | timedelta] | Callable[[], float | timedelta],
) -> Iterator[int]:
    values = iter(delays_of, object()) if callable(delays_of) else iter(delays_of)
    for value in values:
        seconds = value.total_seconds() if isinstance(value, timedelta) else value
        given: object = seconds
        if not isinstance(given, int | float) or not isfinite(given):
            raise AssertionError(
                f"podsource_backoff: {value!r} is no delay. Right would be seconds, or "
                "a timedelta."
            )
        yield round(seconds * SECOND_NS)


def _compare(delays: Sequence[Expected], got: Sequence[int]) -> None:
    for place, (expected, delay_ns) in enumerate(zip_longest(delays, got), 1):
        if expected is None or delay_ns is None or not _fits(expected, delay_ns):
            wanted = "none" if expected is None else _shown(expected)
            came = "none" if delay_ns is None else text_of(delay_ns)
            raise AssertionError(
                f"podsource_backoff: delay {place} is {came}, expected {wanted}\n"
                f"  expected  {' '.join(map(_shown, delays)) or 'none'}\n"
                f"  got       {' '.join(map(text_of, got)) or 'none'}"
            )


def _fits(expected: Expected, delay_ns: int) -> bool:
    least, most = expected if isinstance(expected, tuple) else (expected, expected)
    return _ns(least) <= delay_ns <= _ns(most)


def _ns(delay: Delay) -> int:
    return parse_ns(delay) if isinstance(delay, str) else delay


def _shown(expected: Expected) -> str:
    if isinstance(expected, tuple):
        return f"{_shown(expected[0])}..{_shown(expected[1])}"
    return text_of(_ns(expected))
