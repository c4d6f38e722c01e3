"""
Shows that the two builds of an adapter answer alike, case by case.

``python adapters/kubelet/alike.py 1.37 [--limit 5s] [--jobs 8] [case or component ...]``

One lives in virtual time, with stand-ins for fsnotify and the network; the other in real
time, with the kernel's inotify and a server of this machine. What they told in each step
is compared, not only their verdicts. It ends with 1 if there is a difference, with 5 if
nothing was compared.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from queue import Queue
from typing import TypeAlias

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.core.durations import parse_ns
from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import load_driver
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.steps import steps_of
from pytest_podsource.suite.verdict import Moment, Outcome
from pytest_podsource.world.real import RealWorld
from pytest_podsource.world.simulated import SimulatedWorld

BIN = Path(__file__).parent / "bin"
MEETS_THE_WORLD = ("file", "http", "api", "sources")
TRIES = 3
_LONG = "what it waits for takes longer than 0.2 s"
BEYOND = {
    "file/there-is-no-size-limit-in-1.1": _LONG,
    "file/the-size-limit-is-strict:below": _LONG,
    "http/an-oversize-body-fails:below": _LONG,
    "file/every-listing-is-sent": "it ends within 0.2 s before a listing",
    "file/a-device-as-the-path-is-an-error": "the kernel tells what all others write "
    "to /dev/null",
}
_GRAIN_NS = SECOND_NS // 10
_OWN = (  # what each world has of its own, in texts that may be cut; headers are judged
    (re.compile(r"^(GET url=)http://[^/\s]+(/\S*).*"), r"\1\2"),
    (re.compile(r"^(log .*?)(/\S*?/podsource-|\"?http://).*"), r"\1"),
    (re.compile(r"^(raised .*?\)).*"), r"\1"),
    (re.compile(r"(config\.seen\": \").*"), r"\1"),
    (re.compile(r"/\S*?/podsource-[^/\s\"']*"), ""),
    (re.compile(r" at [0-9.]+ s$"), ""),  # of retries it is drawn; a case judges it
)
_PODS = re.compile(r"\[([^\[\]]*)\]$")

Pair: TypeAlias = "tuple[Driver, Driver]"


def main(arguments: Sequence[str]) -> int:
    """
    Compare, print what came out, and return the exit code.
    """
    parser = argparse.ArgumentParser(prog="alike.py")
    parser.add_argument("kubelet", help="such as 1.37")
    parser.add_argument("what", nargs="*", default=MEETS_THE_WORLD)
    parser.add_argument("--limit", default="5s", help="of a case, in real time")
    parser.add_argument("--jobs", type=int, default=8, help="cases at the same time")
    chosen = parser.parse_intermixed_args(arguments)
    cases = [
        case
        for case in load_cases(bundled_root() / "cases")
        if case.holds_for(chosen.kubelet) and _is_meant(case, chosen.what)
    ]
    counts: Counter[str] = Counter()
    for case, found in _all(cases, chosen.kubelet, parse_ns(chosen.limit), chosen.jobs):
        word, _, more = found.partition("\n")
        counts[word] += 1
        if more:
            print(f"{case.id}: {found}")
    for word, count in sorted(counts.items()):
        print(f"{count:5} {word}")
    return 1 if counts["different"] else 0 if counts["alike"] else 5


def _is_meant(case: Case, what: Sequence[str]) -> bool:
    return any(
        case.id == each or case.id.startswith((f"{each}/", f"{each}:")) for each in what
    )


def _all(
    cases: Sequence[Case], kubelet: str, limit_ns: int, jobs: int
) -> Iterator[tuple[Case, str]]:
    """
    Return each case with what came out: ``alike``, ``different``, or why it can't be.

    Real time may be late where much runs at once: what differs is asked again alone.
    """
    with ExitStack() as stack:
        pairs: Queue[Pair] = Queue()
        for _ in range(jobs):
            names = (f"kubelet-{kubelet}", f"kubelet-{kubelet}-native")
            one, other = (
                stack.enter_context(closing(_driver(name, kubelet))) for name in names
            )
            pairs.put((one, other))

        def compare(case: Case) -> str:
            pair = pairs.get()
            try:
                return _compared(case, pair, kubelet, limit_ns)
            finally:
                pairs.put(pair)

        with ThreadPoolExecutor(jobs) as pool:
            compared = list(pool.map(compare, cases))
        for case, first in zip(cases, compared, strict=True):
            found = first
            for _ in range(TRIES):
                if found.startswith("different"):
                    found = compare(case)
            yield case, found


def _driver(name: str, kubelet: str) -> Driver:
    return load_driver(f"cmd:{BIN / name}", kubelet=kubelet)


def _compared(case: Case, pair: Pair, kubelet: str, limit_ns: int) -> str:
    reason = _unseen(case)
    if reason:
        return reason
    make_real = partial(RealWorld, told=False, limit_ns=limit_ns)
    virtual = run_case(case, pair[0], SimulatedWorld, kubelet=kubelet)
    real = run_case(case, pair[1], make_real, kubelet=kubelet)
    if real.verdict == "disabled":
        return _kind_of(real.reason)
    found = _difference(virtual, real)
    return f"different\n{found}" if found else "alike"


def _unseen(case: Case) -> str:
    """Return why real time can't show what *case* is about, empty if it can."""
    if case.id in BEYOND:
        return f"not in both: {BEYOND[case.id]}"
    for step in steps_of(case):
        if "watches" in step.expectations:
            return "not in both: nobody sees which watches the kernel is asked for"
        if step.verb == "advance" and parse_ns(step.argument) % _GRAIN_NS:
            return "not in both: it is about less than 0.1 s"
    return ""


def _kind_of(reason: str) -> str:
    if reason.startswith("would take"):
        return "not in both: it would take too long in real time"
    if reason.startswith("a server"):
        return "not in both: a server of this machine can't fail in that way"
    return f"not in both: {reason.partition(': ')[0]}"


def _difference(virtual: Outcome, real: Outcome) -> str:
    lines = []
    if virtual.verdict != real.verdict:
        lines.append(f"  {virtual.verdict}, but in real time {real.verdict}")
        lines.append(f"  {virtual.reason or real.reason}")
    for one, other in zip(virtual.moments, real.moments, strict=False):
        if _told(one) != _told(other):
            lines.append(f"  step {one.step}, {one.done}:")
            lines += [f"    virtual  {each}" for each in one.got]
            lines += [f"    real     {each}" for each in other.got]
            break
    return "\n".join(lines)


def _told(moment: Moment) -> list[str]:
    """Return what came, whatever its order at one instant."""
    lines = list(moment.got)
    for own, instead in _OWN:
        lines = [own.sub(instead, line) for line in lines]
    return sorted(_PODS.sub(_in_order, line) for line in lines)


def _in_order(pods: re.Match[str]) -> str:
    """The pods of a set have no order, and of many only the number is told."""
    names = pods[1].split(", ")
    *_, last = names
    return f"{len(names)} {last}" if " more" in last else ", ".join(sorted(names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
