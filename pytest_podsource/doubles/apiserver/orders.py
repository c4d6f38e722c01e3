"""
What is to go wrong with the requests that come.

Rule 1: orders are carried out in the order in which they were given, each as often as
said, by the requests that they are about.
Rule 2: a cut concerns a body: of a list its half, of a watch half of its next event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pytest_podsource.apiserver.answers import Answer, Call

Deed: TypeAlias = Literal["answer", "reset", "cut", "slow", "hang"]
On: TypeAlias = Literal["any", "get", "list", "watch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """
    What is to go wrong.

    Attributes:
        deed: What happens.
        on: To which requests.
        resource: To those about which resource; empty: any.
        answer: What is answered, from the call and the user's name.
        piece: How many bytes are sent at once.
        pause_s: The pause after each piece.
    """

    deed: Deed
    on: On = "any"
    resource: str = ""
    answer: Callable[[Call, str], Answer] | None = None
    piece: int = 0
    pause_s: float = 0.0

    def concerns(self, call: Call) -> bool:
        """Whether it is about *call*."""
        return self.on in ("any", call.verb) and self.resource in ("", call.resource)


class Orders:
    """
    Those that are still to be carried out.
    """

    def __init__(self) -> None:
        self._left: list[tuple[Order, int | None]] = []

    def give(self, order: Order, times: int | None) -> None:
        """Carry out *order* that often; None: always."""
        self._left.append((order, times))

    def clear(self) -> None:
        """Forget them."""
        self._left.clear()

    def of_request(self, call: Call) -> Order | None:
        """Return what is to happen to a request that came."""
        return self._take(
            lambda order: (
                order.concerns(call) and not (order.deed == "cut" and _streams(call))
            )
        )

    def of_event(self, call: Call) -> Order | None:
        """Return what is to happen to the next event of a watch."""
        return self._take(lambda order: order.deed == "cut" and order.concerns(call))

    def _take(self, wanted: Callable[[Order], bool]) -> Order | None:
        for place, (order, times) in enumerate(self._left):
            if wanted(order):
                if times == 1:
                    del self._left[place]
                elif times is not None:
                    self._left[place] = (order, times - 1)
                return order
        return None


def _streams(call: Call) -> bool:
    return call.verb == "watch"
