"""
What a fixture costs a test, beside the library that it wraps: at most 1.3 times.

Each pair is measured in turns, in one process, start and end of a context; the median
of the rounds counts. ``podsource_url`` as a server is compared with a server of
pytest-httpserver that is started once and cleared for each test; without that package
the line is left out.

    python benchmarks/fixture_start.py [ROUNDS]
"""

from __future__ import annotations

import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import requests
import responses
from freezegun import freeze_time
from pyfakefs.fake_filesystem_unittest import Patcher

from pytest_podsource import ManifestDirectory, ManifestUrl, VirtualClock

BAR = 1.3
Context = Callable[[], object]


def main(rounds: int) -> int:
    """Measure all pairs, print them, and return how many are above the bar."""
    above = 0
    for name, theirs, ours in pairs():
        theirs_ms, ours_ms = medians(theirs, ours, rounds)
        ratio = ours_ms / theirs_ms
        above += ratio > BAR
        print(f"{name:42} {theirs_ms:8.2f} ms {ours_ms:8.2f} ms   x {ratio:.2f}")
    return above


def medians(theirs: Context, ours: Context, rounds: int) -> tuple[float, float]:
    """Return the medians of both, in milliseconds, measured in turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 3):
        for context, times in zip((theirs, ours), taken, strict=True):
            begin = time.perf_counter()
            context()
            if number >= 3:  # noqa: PLR2004 - the first ones fill caches
                times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(taken[0]), statistics.median(taken[1])


def pairs() -> Iterator[tuple[str, Context, Context]]:
    """Yield what is compared: a name, the library alone, and the fixture."""
    with tempfile.TemporaryDirectory() as folder:
        yield "tmp_path, podsource_manifest_dir", *_temporary(Path(folder))
    yield (
        "pyfakefs, podsource_manifest_dir fake",
        _fake,
        _within(ManifestDirectory.fake),
    )
    yield "freezegun, podsource_clock", _frozen, _within(VirtualClock)
    yield "responses, podsource_url mock", _mocked, _ours_mocked
    server = _httpserver()
    if server is not None:
        with server as theirs:
            yield "pytest-httpserver, podsource_url server", theirs, _ours_served


def _temporary(folder: Path) -> tuple[Context, Context]:
    """As pytest's tmp_path: a numbered folder for each test, removed at the end."""
    from _pytest.pathlib import make_numbered_dir  # noqa: PLC0415, TID251 - what it does

    def theirs() -> None:
        (make_numbered_dir(folder, "theirs", 0o700) / "manifests").mkdir()

    def ours() -> None:
        ManifestDirectory.within(make_numbered_dir(folder, "ours", 0o700))

    return theirs, ours


def _within(context: Callable[[], object]) -> Context:
    def run() -> None:
        with context():  # type: ignore[attr-defined]
            pass

    return run


def _fake() -> None:
    with Patcher() as patcher:
        assert patcher.fs is not None
        patcher.fs.create_dir("/etc/kubernetes/manifests")


def _frozen() -> None:
    with freeze_time("2024-01-01"):
        pass


def _mocked() -> None:
    with responses.RequestsMock() as mock:
        mock.get("http://manifests.example/pods", body="x")
        requests.get("http://manifests.example/pods", timeout=5)


def _ours_mocked() -> None:
    with ManifestUrl.mock() as url:
        url.reply("x")
        requests.get(url.url, timeout=5)


def _ours_served() -> None:
    with ManifestUrl.served() as url:
        url.reply("x")
        requests.get(url.url, timeout=5)


def _httpserver():  # type: ignore[no-untyped-def]
    try:
        from pytest_httpserver import HTTPServer  # noqa: PLC0415 - only if it is there
    except ImportError:
        return None

    logging.getLogger("werkzeug").setLevel(logging.ERROR)

    @contextmanager
    def started() -> Iterator[Context]:
        with HTTPServer() as server:

            def theirs() -> None:
                server.clear()
                server.expect_request("/pods").respond_with_data("x")
                requests.get(server.url_for("/pods"), timeout=5)

            yield theirs

    return started()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 100))
