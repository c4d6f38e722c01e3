"""
An adapter, from its start to its end.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pytest_podsource.doctor.dialogue import Dialogue
from pytest_podsource.doctor.findings import Finding, Mistake
from pytest_podsource.doctor.smoke import Smoke
from pytest_podsource.driver import protocol
from pytest_podsource.driver.base import Offer
from pytest_podsource.driver.child import Child, Ended, Flood, Late
from pytest_podsource.driver.program import Program
from pytest_podsource.driver.stdio import offer_of
from pytest_podsource.known import COMPONENTS

_PATIENCE_S = 2.0


def examine(
    program: Program, *, limit_s: float, start_limit_s: float, kubelet: str
) -> Iterator[Finding]:
    """
    Give what is found, one thing after the other; the first mistake ends it.

    Args:
        program: The adapter.
        limit_s: Real time for an answer.
        start_limit_s: Real time for the first one.
        kubelet: The kubelet to behave like, as major.minor.

    Raises:
        OSError: It can't be started.
    """
    child = Child(program)
    about = "handshake"
    try:
        dialogue = Dialogue(child, start_limit_s)
        offer = _handshake(dialogue, kubelet)
        yield Finding(about=about, text=_greeting(offer))
        dialogue.limit_s = limit_s
        virtual = dialogue.virtual = offer.abilities.time == "virtual"
        with tempfile.TemporaryDirectory(prefix="podsource-") as folder:
            smoke = Smoke(dialogue, Path(folder), virtual=virtual)
            about = "clock"
            smoke.clock()
            yield Finding(about=about, text="it moves, and settles")
            for about in (each for each in COMPONENTS if each in offer.components):
                smoke.of(about)
                yield Finding(about=about, text="a small case passes")
        about = "end"
        _goodbye(dialogue, child)
        yield Finding(about=about, text="it ends by itself, and leaves nothing behind")
    except Mistake as mistake:
        yield Finding(about=about, mistake=mistake.name, text=mistake.text)
    finally:
        child.end()


def _handshake(dialogue: Dialogue, kubelet: str) -> Offer:
    params = {"protocol": protocol.VERSION, "kubelet": kubelet}
    answer = dialogue.ask("initialize", **params)
    try:
        return offer_of(answer)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        lacks = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise Mistake(
            "wrong-offer",
            f"its answer to initialize doesn't fit: {lacks}; it names protocol "
            f"{protocol.VERSION}, name, version, language, kubelet, components (of "
            f"{', '.join(COMPONENTS)}), features and abilities.",
        ) from None


def _greeting(offer: Offer) -> str:
    words = [offer.name, offer.version, offer.language]
    parts = ", ".join(each for each in COMPONENTS if each in offer.components)
    return f"{' '.join(each for each in words if each)} offers {parts or 'nothing'}"


def _goodbye(dialogue: Dialogue, child: Child) -> None:
    dialogue.ask("shutdown")
    try:
        line = child.read(time.monotonic() + _PATIENCE_S)
    except Ended:
        _look_back(child)
        return
    except (Late, Flood):
        raise Mistake(
            "stays",
            f"it has answered shutdown and is still there after {_PATIENCE_S:g} s; end "
            "the process by itself after that answer.",
        ) from None
    raise Mistake(
        "prints",
        f"it wrote {line[:60].decode(errors='replace')!r} after its answer to shutdown; "
        "nothing comes after that.",
    )


def _look_back(child: Child) -> None:
    left = child.end(_PATIENCE_S)
    if left:
        raise Mistake(
            "leaves-children",
            f"it had started {len(left)} processes that went on after its end; end them "
            "when shutdown or the end of standard input comes.",
        )
