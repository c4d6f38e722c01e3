"""
How the expectations of one step were met, line by line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_podsource.contract import Refused
from pytest_podsource.exceptions import Crashed
from pytest_podsource.suite.expect import Divergence, mentions
from pytest_podsource.suite.verdict import Moment


class Judgement:
    """
    What was expected of one step and what came, line by line.
    """

    def __init__(self) -> None:
        self.expected: list[str] = []
        self.got: list[str] = []
        self._times: list[int | None] = []
        self.parted_at: int | None = None
        self.reason = ""

    @property
    def parted(self) -> bool:
        """Return whether something else came than was expected."""
        return self.parted_at is not None

    def note(self, expected: str, got: str, *, agree: bool) -> None:
        """Add a line to both sides."""
        self._align()
        self.expected.append(expected)
        self.got.append(got)
        self._times.append(None)
        if not agree:
            self.parted_at = len(self.expected) - 1
            self.reason = f"expected: {expected}; got: {got}"

    def part(self, expected: str, got: str) -> None:
        """Add a line to both sides where they part."""
        self.note(expected, got, agree=False)

    def told(self, moment: Moment) -> Moment:
        """Return *moment* with what was expected and what came."""
        return replace(
            moment,
            expected=tuple(self.expected),
            got=tuple(self.got),
            got_at_ns=tuple(self._times),
            parts_at=self.parted_at,
        )

    def stream(
        self,
        expected: list[str],
        got: list[str],
        divergence: Divergence | None,
        times: Sequence[int] = (),
    ) -> None:
        """
        Add the lines of a stream, and where they part if they do.

        Args:
            expected: A line for each entry that was expected.
            got: A line for each entry that came.
            divergence: Where they part.
            times: When each entry came, in nanoseconds of the case's clock.
        """
        self._align()
        first = len(self.got)
        self.expected += expected
        self.got += got
        self._times += times
        if divergence:
            self.parted_at = first + divergence.got
            wanted = expected[divergence.expected : divergence.expected + 1]
            came = got[divergence.got : divergence.got + 1]
            self.reason = (
                f"expected: {wanted[0] if wanted else 'nothing more'}; "
                f"got: {came[0] if came else 'nothing more'}"
            )

    def _align(self) -> None:
        width = max(len(self.expected), len(self.got))
        self.expected += [""] * (width - len(self.expected))
        self.got += [""] * (width - len(self.got))
        self._times += [None] * (width - len(self._times))


def fits(expected: Any, error: Refused | Crashed) -> bool:
    """
    Return whether *error* is what ``raises`` expected.
    """
    if expected is True:
        return True
    if not isinstance(error, Refused):
        return False
    if not isinstance(expected, Mapping):
        return True
    parsed = expected.get("parsed", error.parsed)
    about = str(expected.get("about", ""))
    return parsed is error.parsed and mentions(error.reason, about)


def wanted_error(expected: Any) -> str:
    """
    Return ``raises`` for people.
    """
    if isinstance(expected, Mapping):
        parts = " ".join(f"{key}={value}" for key, value in expected.items())
        return f"raises Refused {parts}"
    return "raises an error" if expected is True else f"raises {expected}"


def raised(error: Refused | Crashed) -> str:
    """
    Return *error* for people.
    """
    if isinstance(error, Refused):
        return f"raised Refused (parsed={error.parsed}): {error.reason}"
    return f"raised {error.error}"
