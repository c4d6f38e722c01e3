"""
What directory watchers really tell of the ways people change a directory.

They are in the dependency group ``foreign``: ``tox -e foreign``. Watchers that have the
kernel's inotify run in real time; each wait ends with what is waited for.
"""

from __future__ import annotations

import asyncio
import queue
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource import SECOND_NS, ManifestDirectory, VirtualClock

if sys.platform != "linux":
    pytest.skip("inotify is Linux's", allow_module_level=True)

LIMIT_S = 20.0
Change = Callable[[ManifestDirectory], object]


@pytest.fixture
def directory(podsource_manifest_dir: ManifestDirectory) -> ManifestDirectory:
    podsource_manifest_dir.write("a.yaml", "one")
    return podsource_manifest_dir


# ---- watchdog, polling: it waits on an event, so it lives in virtual time


@contextmanager
def polling(path: Path, seconds: float) -> Iterator[list[tuple[str, str]]]:
    pytest.importorskip("watchdog", reason="watchdog is in the group foreign")
    from watchdog.events import FileSystemEventHandler  # noqa: PLC0415
    from watchdog.observers.polling import PollingObserver  # noqa: PLC0415

    seen: list[tuple[str, str]] = []

    class Handler(FileSystemEventHandler):  # type: ignore[misc, unused-ignore]
        def on_any_event(self, event: Any) -> None:
            if not event.is_directory:
                seen.append((event.event_type, Path(event.src_path).name))

    observer = PollingObserver(timeout=seconds)
    observer.schedule(Handler(), str(path))
    observer.start()
    yield seen
    observer.stop()
    observer.join()


def test_watchdog_polling_sees_a_change_at_its_next_poll(
    podsource_clock: VirtualClock, directory: ManifestDirectory
) -> None:
    """A minute of polling takes no time."""
    with polling(directory.path, 10) as seen:
        podsource_clock.advance(5 * SECOND_NS)
        directory.write("b.yaml", "new")
        before = list(seen)
        podsource_clock.advance(10 * SECOND_NS)

        assert before == []
        assert ("created", "b.yaml") in seen


def test_watchdog_polling_takes_an_atomic_replacement_for_a_change(
    podsource_clock: VirtualClock, directory: ManifestDirectory
) -> None:
    """The inode is another one: it tells deleted and created, never modified."""
    with polling(directory.path, 10) as seen:
        podsource_clock.advance(5 * SECOND_NS)
        directory.place("a.yaml", "two")
        podsource_clock.advance(10 * SECOND_NS)

        assert sorted(seen) == [("created", "a.yaml"), ("deleted", "a.yaml")]


def test_watchdog_polling_misses_what_is_gone_between_two_polls(
    podsource_clock: VirtualClock, directory: ManifestDirectory
) -> None:
    """A file that came and went was never there."""
    with polling(directory.path, 10) as seen:
        podsource_clock.advance(5 * SECOND_NS)
        directory.write("b.yaml", "new")
        directory.remove("b.yaml")
        podsource_clock.advance(10 * SECOND_NS)

        assert seen == []


# ---- watchdog, inotify: in real time


def heard_by_watchdog(directory: ManifestDirectory, change: Change) -> list[str]:
    pytest.importorskip("watchdog", reason="watchdog is in the group foreign")
    from watchdog.events import FileSystemEventHandler  # noqa: PLC0415
    from watchdog.observers.inotify import InotifyObserver  # noqa: PLC0415

    told: queue.Queue[str] = queue.Queue()

    class Handler(FileSystemEventHandler):  # type: ignore[misc, unused-ignore]
        def on_any_event(self, event: Any) -> None:
            if not event.is_directory:
                told.put(f"{event.event_type} {Path(event.src_path).name}")

    observer = InotifyObserver()
    observer.schedule(Handler(), str(directory.path))
    observer.start()
    change(directory)
    directory.write("end", "")
    heard: list[str] = []
    while not heard or not heard[-1].endswith(" end"):
        heard.append(told.get(timeout=LIMIT_S))
    observer.stop()
    observer.join(LIMIT_S)
    return heard[:-1]


def test_watchdog_inotify_tells_a_vim_save_as_a_move_and_a_new_file(
    directory: ManifestDirectory,
) -> None:
    """Who listens for modified alone misses most of it."""
    heard = heard_by_watchdog(directory, lambda d: d.save_like("vim", "a.yaml", "two"))

    of_the_file = [each for each in heard if each.endswith(" a.yaml")]
    assert of_the_file[:2] == ["moved a.yaml", "created a.yaml"]
    assert "created 4913" in heard


def test_watchdog_inotify_says_nothing_of_a_swapped_data_folders_files(
    directory: ManifestDirectory,
) -> None:
    """A mounted ConfigMap changes without an event that names the file."""
    directory.swap_data_dir({"config.yaml": "one"})

    heard = heard_by_watchdog(
        directory, lambda d: d.swap_data_dir({"config.yaml": "two"})
    )

    assert (directory.path / "config.yaml").read_text() == "two"
    assert not [each for each in heard if each.endswith(" config.yaml")]


# ---- watchfiles: in real time, events gathered by the change


def heard_by_watchfiles(directory: ManifestDirectory, change: Change) -> set[str]:
    watchfiles = pytest.importorskip("watchfiles", reason="it is in the group foreign")

    async def main() -> set[str]:
        seen: set[str] = set()
        stop = asyncio.Event()
        watching = watchfiles.awatch(
            directory.path,
            stop_event=stop,
            step=10,
            debounce=50,
            rust_timeout=200,
            yield_on_timeout=True,
        )
        begun = False
        async for changes in watching:
            seen |= {f"{kind.name} {Path(path).name}" for kind, path in changes}
            if not begun:
                begun = True
                change(directory)
                directory.write("end", "")
            if "added end" in seen:
                break
        stop.set()
        await watching.aclose()
        return seen - {"added end", "modified end"}

    return asyncio.run(asyncio.wait_for(main(), LIMIT_S))


def test_watchfiles_tells_an_atomic_replacement_as_added(
    directory: ManifestDirectory,
) -> None:
    """Not as modified, although the file was there before."""
    heard = heard_by_watchfiles(directory, lambda d: d.place("a.yaml", "two"))

    assert "added a.yaml" in heard


def test_watchfiles_leaves_out_vims_swap_files_but_not_its_probe(
    directory: ManifestDirectory,
) -> None:
    """Its filter knows .swp and ~ names."""
    heard = heard_by_watchfiles(
        directory, lambda d: d.save_like("vim", "a.yaml", "two")
    )

    assert any(each.endswith(" a.yaml") for each in heard)
    assert not [each for each in heard if each.endswith((".swp", ".swx", "~"))]


# ---- asyncinotify: an asyncio watcher over the kernel's inotify


def test_asyncinotify_tells_what_the_directory_says_it_did(
    directory: ManifestDirectory,
) -> None:
    """Name by name, in the order of the list of events."""
    asyncinotify = pytest.importorskip("asyncinotify", reason="in the group foreign")
    mask = asyncinotify.Mask
    words = {
        mask.CREATE: "create",
        mask.MOVED_TO: "create",
        mask.MODIFY: "write",
        mask.MOVED_FROM: "rename",
        mask.DELETE: "remove",
    }
    wanted = mask.CREATE | mask.MOVED_TO | mask.MODIFY | mask.MOVED_FROM | mask.DELETE

    async def main() -> list[tuple[str, str]]:
        heard: list[tuple[str, str]] = []
        with asyncinotify.Inotify() as inotify:
            inotify.add_watch(directory.path, wanted)
            directory.events.clear()
            directory.place("a.yaml", "two")
            directory.save_like("sed -i.bak", "a.yaml", "three")
            directory.touch("end")
            async for event in inotify:
                heard += [
                    (w, str(event.name)) for m, w in words.items() if event.mask & m
                ]
                if str(event.name) == "end":
                    return heard
        return heard

    heard = asyncio.run(asyncio.wait_for(main(), LIMIT_S))

    assert heard == [each for each in directory.events if each.op != "chmod"]
