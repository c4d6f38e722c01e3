"""
The fake disk: at the real path, with times, orders and errors as ordered, and no leak.
"""

from __future__ import annotations

import asyncio
import errno
import glob
import linecache
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyfakefs import fake_filesystem_unittest

from pytest_podsource import threads
from pytest_podsource.contract import SECOND_NS, Config, Environment, SourceUpdate
from pytest_podsource.driver.base import Offer
from pytest_podsource.driver.inprocess import InProcessDriver
from pytest_podsource.exceptions import CannotRunHere
from pytest_podsource.world.base import Scene
from pytest_podsource.world.fakefs import FakeWorld

WALL_NS = 1_704_067_200 * SECOND_NS
Make = Callable[..., FakeWorld]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[FakeWorld] = []

    def world(**scene: Any) -> FakeWorld:
        made.append(FakeWorld(Scene(config=Config(), **scene)))
        return made[-1]

    yield world
    for each in made:
        each.close()


def start(world: FakeWorld, new: Callable[..., Any]) -> None:
    offer = Offer(name="x", components=frozenset({"file"}))
    driver = InProcessDriver(SimpleNamespace(new_file_source=new), offer)
    connection = driver.connect(world)
    connection.new("file", world.config)
    connection.call("file", "start", {})
    world.settle()


def test_path_is_the_kubelets(make: Make) -> None:
    """With the files of the scene, which exist nowhere else."""
    world = make(files={"a.yaml": b"a"})

    assert world.config.path == "/etc/kubernetes/manifests"
    assert Path(world.config.path, "a.yaml").read_bytes() == b"a"
    world.close()
    assert not Path(world.config.path, "a.yaml").exists()


@pytest.mark.parametrize("how", ["os", "pathlib"])
def test_real_disk_is_untouched(tmp_path: Path, make: Make, how: str) -> None:
    """A canary at the same path on the real disk outlives its twin on the fake one."""
    canary = tmp_path / "canary"
    canary.write_text("alive", encoding="utf-8")
    world = make()
    twin = Path(str(canary))
    os.makedirs(twin.parent)
    twin.write_text("fake", encoding="utf-8")

    traceback.format_stack()
    if how == "os":
        os.remove(str(canary))
    else:
        twin.unlink()
    gone = not os.path.exists(str(canary))
    world.close()

    assert gone
    assert canary.read_text(encoding="utf-8") == "alive"


def test_other_threads_do_not_open_the_real_disk(tmp_path: Path, make: Make) -> None:
    """A thread of somebody else that opens files meanwhile changes nothing."""
    kept = [tmp_path / str(n) for n in range(400)]
    for path in kept:
        path.touch()
    go_on = [True]

    def other() -> None:
        while go_on:
            with suppress(OSError):
                open("/no/such").close()
            traceback.format_stack()

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    world = make()
    os.makedirs(str(tmp_path))
    for path in kept:
        Path(str(path)).touch()
        os.remove(str(path))
    world.close()
    go_on.clear()
    thread.join(20)

    assert all(path.exists() for path in kept)


def test_source_lines_need_no_switch_to_the_real_disk(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That switch is what opens the real disk to other threads, from 3.13 on."""
    if not hasattr(fake_filesystem_unittest, "use_original_os"):
        pytest.skip("this pyfakefs reads lines without such a switch")
    switches: list[str] = []

    @contextmanager
    def switch() -> Iterator[None]:
        switches.append("switched")
        yield

    make()
    monkeypatch.setattr(fake_filesystem_unittest, "use_original_os", switch)

    linecache.clearcache()
    stack = traceback.format_stack()

    assert switches == []
    assert "traceback.format_stack()" in stack[-1]


def test_callbacks_see_the_fake_disk(make: Make) -> None:
    """And the model tells what happens on it."""
    world = make()

    class Source:
        def __init__(self, config: Config, env: Environment) -> None:
            self._path = config.path
            self._env = env

        def start(self) -> None:
            self._env.watch(self._path, lambda _: self._list())
            self._list()

        def _list(self) -> None:
            pods = tuple({"name": name} for name in sorted(os.listdir(self._path)))
            self._env.send(SourceUpdate(source="file", pods=pods))

    start(world, Source)
    world.apply("write", {"a": b"a"})
    world.settle()

    assert [len(seen.value.pods) for seen in world.take("expect")] == [0, 1, 1]


def test_asyncio_sees_the_fake_disk(make: Make) -> None:
    """It needs no thread."""
    world = make(files={"a": b"a"})
    seen: list[list[str]] = []

    class Source:
        def __init__(self, config: Config, env: Environment) -> None:
            self._path = config.path

        async def start(self) -> None:
            while True:
                seen.append(os.listdir(self._path))
                await asyncio.sleep(20)

    start(world, Source)
    world.apply("write", {"b": b"b"})
    world.advance(20 * SECOND_NS)

    assert seen == [["a"], ["a", "b"]]


def test_thread_is_refused_before_it_runs(make: Make) -> None:
    """With the reason; its calls could reach the real disk."""
    ran: list[str] = []
    thread = threading.Thread(target=ran.append, args=("a",), name="mine")
    world = make()

    with pytest.raises(CannotRunHere, match=r"'mine'.*leave --podsource-fs=fake away"):
        start(world, lambda config, env: SimpleNamespace(start=thread.start))

    assert ran == []


def test_our_own_threads_are_refused_as_well(make: Make) -> None:
    """Also if the implementation catches the refusal."""

    class Source:
        def __init__(self, config: Config, env: Environment) -> None:
            self._io = threads.run(env)

        def start(self) -> None:
            try:
                self._io.spawn(self._io.sleep, 1)
            except Exception:  # noqa: BLE001 - what is looked for
                return

    with pytest.raises(CannotRunHere, match="second thread"):
        start(make(), Source)


def test_file_times_are_those_of_the_case(make: Make) -> None:
    """A write, a touch and what the implementation writes itself."""
    world = make(files={"a": b"a", "b": b"b"})
    base = Path(world.config.path)

    def times() -> list[float]:
        return [(base / name).stat().st_mtime - WALL_NS / SECOND_NS for name in "ab"]

    at_first = times()
    world.advance(5 * SECOND_NS)
    world.apply("write", {"a": b"aa"})
    world.advance(5 * SECOND_NS)
    world.apply("touch", "b")

    assert at_first == [0, 0]
    assert times() == [5, 10]


@pytest.mark.parametrize(
    ("verb", "argument"),
    [
        ("write", {"n": b"n"}),
        ("place", {"a": b"n"}),
        ("rename", ["a", "n"]),
        ("remove", "a"),
        ("mkdir", "d"),
        ("symlink", {"l": "a"}),
        ("hardlink", {"l": "a"}),
    ],
)
def test_directory_time_moves_with_its_entries(
    make: Make, verb: str, argument: Any
) -> None:
    """On the fake disk alone it never would."""
    world = make(files={"a": b"a"})
    world.advance(5 * SECOND_NS)

    world.apply(verb, argument)

    status = os.stat(world.config.path)
    assert status.st_mtime_ns == WALL_NS + 5 * SECOND_NS
    assert status.st_ctime_ns == WALL_NS + 5 * SECOND_NS


@pytest.mark.parametrize(
    ("verb", "argument"),
    [("write", {"a": b"b"}), ("touch", "a"), ("chmod", {"a": "0600"})],
)
def test_directory_time_stays_where_entries_stay(
    make: Make, verb: str, argument: Any
) -> None:
    """As on Linux."""
    world = make(files={"a": b"a"})
    world.advance(5 * SECOND_NS)

    world.apply(verb, argument)

    assert os.stat(world.config.path).st_mtime_ns == WALL_NS


def test_change_time_of_a_renamed_file_moves(make: Make) -> None:
    """Its modification time doesn't."""
    world = make(files={"a": b"a"})
    world.advance(5 * SECOND_NS)

    world.apply("rename", ["a", "b"])

    status = os.stat(f"{world.config.path}/b")
    assert status.st_ctime_ns == WALL_NS + 5 * SECOND_NS
    assert status.st_mtime_ns == WALL_NS


def _listed(make: Make, seed: int) -> list[str]:
    world = make(files={f"{n}": b"x" for n in range(8)}, seed=seed)
    listed = os.listdir(world.config.path)
    assert [each.name for each in os.scandir(world.config.path)] == listed
    world.close()
    return listed


def test_order_of_a_listing_is_drawn_from_the_seed(make: Make) -> None:
    """Seed 0 gives the order of creation; others permute it, always in the same way."""
    assert _listed(make, 0) == [str(n) for n in range(8)]
    assert _listed(make, 0) == _listed(make, 0)
    assert _listed(make, 5) == _listed(make, 5) != _listed(make, 0)
    assert sorted(_listed(make, 5)) == _listed(make, 0)


READERS: dict[str, Callable[[str], Any]] = {
    "open": lambda path: open(path, "rb").read(),  # noqa: SIM115 - one of many
    "pathlib": lambda path: Path(path).read_bytes(),
    "os": lambda path: os.read(os.open(path, os.O_RDONLY), 9),
}


@pytest.mark.parametrize("reader", READERS)
def test_reading_fails_as_often_as_ordered(make: Make, reader: str) -> None:
    """Whoever reads; a stat isn't a reading."""
    world = make(files={"a": b"a", "b": b"b"})
    path = f"{world.config.path}/a"
    world.apply("fault", {"on": "read", "name": "a", "error": "EIO", "times": 2})

    for _ in range(2):
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            READERS[reader](path)

    assert os.stat(path).st_size == 1
    assert READERS[reader](path) == b"a"
    assert READERS[reader](f"{world.config.path}/b") == b"b"


@pytest.mark.parametrize("lister", ["listdir", "scandir", "iterdir"])
def test_listing_fails_until_the_fault_ends(make: Make, lister: str) -> None:
    """Each way to list; reading a file in it goes on."""
    world = make(files={"a": b"a"})
    path = world.config.path
    ways: dict[str, Callable[[str], Any]] = {
        "listdir": lambda path: list(os.listdir(path)),
        "scandir": lambda path: list(os.scandir(path)),
        "iterdir": lambda path: list(Path(path).iterdir()),
    }
    world.apply("fault", {"on": "list", "error": "EIO"})

    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        ways[lister](path)
    read = Path(path, "a").read_bytes()
    world.apply("fault", {"on": "list", "error": "EIO", "times": 0})

    assert read == b"a"
    assert len(ways[lister](path)) == 1
    assert glob.glob(f"{path}/*") == [f"{path}/a"]


def test_nobody_lacks_permission(make: Make) -> None:
    """As a user of the fake disk; it needs no root."""
    world = make(files={"a": b"a"}, user="nobody")
    world.apply("chmod", {"a": "0000"})
    path = Path(world.config.path, "a")

    with world.acting(), pytest.raises(PermissionError):
        path.read_bytes()

    assert path.read_bytes() == b"a"


def test_modules_that_we_need_are_imported_before(make: Make) -> None:
    """What is first imported inside is thrown away, and half a package breaks others."""
    world = make()
    inside = {"requests", "responses", "yaml", "freezegun"} & set(sys.modules)
    world.close()

    assert inside == {"requests", "responses", "yaml", "freezegun"}
    import requests  # noqa: PLC0415 - after the fake

    jar = requests.Session().cookies
    jar.update({"a": "b"})
    assert jar["a"] == "b"


def test_traceback_has_its_source_lines(make: Make) -> None:
    """Though the disk is a fake, and without a switch to the real one."""
    make()

    def broken() -> None:
        raise ValueError("broken here")

    linecache.clearcache()
    try:
        broken()
    except ValueError:
        text = traceback.format_exc()

    assert 'raise ValueError("broken here")' in text


def test_scene_that_cannot_be_made_leaves_the_real_disk(make: Make) -> None:
    """The fake ends with the failure."""
    with pytest.raises(Exception, match="nonsense"):
        make(watch_fails="nonsense")

    assert Path(__file__).exists()


def test_end_comes_once() -> None:
    """A world that is closed twice leaves a next fake disk within one alone."""
    world = FakeWorld(Scene(config=Config()))

    world.close()
    world.close()

    assert fake_filesystem_unittest.Patcher.REF_COUNT == 0
