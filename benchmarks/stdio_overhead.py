"""
What a call over the stdio driver costs, against a bare pipe.

The same program answers both: a bare loop that writes the line and reads the answer, and
the driver, which makes, sends, reads and checks messages. Both take turns in one run, in
rounds of a few milliseconds, and the fastest round of each counts: it is the one that
nothing else on the machine has disturbed. The bar is three times the bare pipe.

    python benchmarks/stdio_overhead.py [CALLS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from pytest_podsource.driver import protocol
from pytest_podsource.driver.child import Child
from pytest_podsource.driver.peer import Peer
from pytest_podsource.driver.program import Program

BAR = 3.0
CALLS_A_ROUND = 50
ECHO = """
import sys
read, write, flush = sys.stdin.buffer.readline, sys.stdout.buffer.write, sys.stdout.buffer.flush
number = 0
while line := read():
    number += 1
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"value":1000000000}}\\n' % number)
    flush()
"""
PARAMS = {"component": "backoff", "method": "get", "arguments": {"id": "a"}}
COMMAND = (sys.executable, "-c", ECHO)


def main(calls: int) -> int:
    """Print the best of both and their ratio; return 1 above the bar."""
    # Across two processors a wake-up costs 60 us instead of 3, for both and by chance.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    line = protocol.request(1, "component/call", PARAMS)
    pipe = subprocess.Popen(COMMAND, stdin=-1, stdout=-1, bufsize=0)
    peer = Peer(Child(Program(command=COMMAND)), "echo", 60.0)
    assert pipe.stdin is not None
    assert pipe.stdout is not None
    to, back = pipe.stdin.fileno(), pipe.stdout.fileno()

    def bare() -> None:
        os.write(to, line)
        while not os.read(back, 65536).endswith(b"\n"):
            pass

    def driven() -> None:
        peer.ask("component/call", PARAMS, "get", _deaf)

    times: dict[str, list[float]] = {"bare": [], "driven": []}
    for _ in range(calls // CALLS_A_ROUND):
        for name, call in (("bare", bare), ("driven", driven)):
            times[name].append(_timed(call))
    pipe.stdin.close()
    pipe.wait(10)
    pipe.stdout.close()
    peer.end(1.0)
    bare_s, driven_s = (min(times[name]) for name in ("bare", "driven"))
    print(f"bare pipe    {bare_s * 1e6:8.1f} us a call")
    print(f"stdio driver {driven_s * 1e6:8.1f} us a call")
    print(f"ratio        {driven_s / bare_s:8.2f} (bar {BAR:g})")
    return int(driven_s / bare_s > BAR)


def _timed(call: Callable[[], None]) -> float:
    begun = time.perf_counter()
    for _ in range(CALLS_A_ROUND):
        call()
    return (time.perf_counter() - begun) / CALLS_A_ROUND


def _deaf(method: str, params: object) -> None:
    raise AssertionError(method)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000))
