"""
A recorder of updates, judged as in cases.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from pytest_podsource.contract import Operation, Pod, PodUpdate, SourceUpdate
from pytest_podsource.suite.expect import OPERATIONS, Divergence, entries, judge
from pytest_podsource.suite.show import Shown
from pytest_podsource.suite.values import Names, Values
from pytest_podsource.world.base import Seen

Update: TypeAlias = "SourceUpdate | PodUpdate"
Stream: TypeAlias = "Sequence[Mapping[str, Any]] | Mapping[str, Any] | Literal['any']"
"""What is expected, in the grammar of cases."""

_KEYS = OPERATIONS | {"source", "at"}


class Updates:
    """
    Keeps what a pod source sends, until it is expected.

    Args:
        now_ns: The time for ``at``; since this object was made if not given.

    Attributes:
        seen: All that came, in order.
    """

    def __init__(self, now_ns: Callable[[], int] | None = None) -> None:
        begin_ns = time.monotonic_ns()
        self._now_ns = now_ns or (lambda: time.monotonic_ns() - begin_ns)
        self.seen: list[Update] = []
        self._fresh: list[Seen] = []
        self._names: Names = {}
        self._shown = Shown()

    def send(self, update: Update, taken: Callable[[], None] | None = None) -> None:
        """Keep *update*; has the form of ``env.send``, *taken* is called at once."""
        self.seen.append(update)
        self._fresh.append(Seen(at_ns=self._now_ns(), value=update))
        if taken is not None:
            taken()

    def add(
        self, op: Operation, pods: Iterable[Pod] = (), *, source: str = "file"
    ) -> None:
        """
        Keep an update of code that doesn't know the contract's values.

        Raises:
            ValueError: There is no such operation.
        """
        if op not in OPERATIONS:
            known = ", ".join(sorted(OPERATIONS))
            raise ValueError(f"add: {op!r} is no operation. Known: {known}.")
        kind = SourceUpdate if op == "SET" else PodUpdate
        self.send(kind(op=op, source=source, pods=tuple(pods)))

    def expect(self, stream: Stream) -> None:
        """
        See that exactly this came since the last call, in order.

        Args:
            stream: As ``expect`` in a case: ``[{"ADD": ["web-node1"], "at": "3s"}]``,
                ``[]`` for nothing, ``"any"``, ``{"any_order": [...]}``. A ``$name``
                stays bound from call to call.

        Raises:
            AssertionError: Something else came; both are shown side by side.
            ValueError: *stream* isn't in that form.
        """
        _check(stream)
        fresh, self._fresh = self._fresh, []
        found = judge("expect", stream, fresh, self._names, Values())
        if isinstance(found, Divergence):
            self._shown.guess(stream, fresh)
            raise AssertionError(self._story(stream, fresh, found))  # noqa: TRY004 - a test fails
        self._names = found
        self._shown.learn(found)

    def _story(self, stream: Stream, fresh: Sequence[Seen], found: Divergence) -> str:
        expected = self._shown.expected("expect", stream)
        got = self._shown.seen("expect", fresh, stream)
        parted = (expected[found.expected :], got[found.got :])
        agreed = (expected[: found.expected], got[: found.got])
        rows = [
            ("  ", "expected", "got"),
            *((" ", *row) for row in zip_longest(*agreed, fillvalue="")),
            *((">", *row) for row in zip_longest(*parted, fillvalue="(nothing)")),
        ]
        width = max(len(row[1]) for row in rows)
        lines = [f"{row[0]:2}{row[1]:{width}}   {row[2]}".rstrip() for row in rows]
        return "\n".join(["podsource_updates: they part at the first >", *lines])


def _check(stream: Stream) -> None:
    given: object = stream
    is_list = isinstance(given, Sequence | Mapping) and not isinstance(given, str)
    if given != "any" and not is_list:
        raise ValueError(f"expect: {stream!r} is not known. Right would be a list.")
    for entry in entries(stream):
        if entry == "any":
            continue
        known = isinstance(entry, Mapping) and set(entry) <= _KEYS
        if not known or len(OPERATIONS & set(entry)) != 1:
            raise ValueError(
                f"expect: {entry!r} is no update. It has one of "
                f"{', '.join(sorted(OPERATIONS))}, and may have source and at."
            )
