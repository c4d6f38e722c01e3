import threading
import time
from pathlib import Path

from pytest_podsource import SECOND_NS


def poll(directory: Path, seen: list, stop: threading.Event) -> None:
    """The code under test: looks every twenty seconds, in a thread of its own."""
    while not stop.wait(timeout=20):
        seen.append(
            (time.monotonic(), sorted(path.name for path in directory.iterdir()))
        )


def test_change_is_seen_at_the_next_poll(
    podsource_clock, podsource_manifest_dir, podsource_pod
):
    seen, stop = [], threading.Event()
    poller = threading.Thread(
        target=poll, args=(podsource_manifest_dir.path, seen, stop)
    )
    poller.start()

    podsource_clock.advance(30 * SECOND_NS)
    podsource_manifest_dir.place("web.json", podsource_pod("web"))
    podsource_clock.advance(30 * SECOND_NS)
    stop.set()
    poller.join()

    assert seen == [(20, []), (40, ["web.json"]), (60, ["web.json"])]
