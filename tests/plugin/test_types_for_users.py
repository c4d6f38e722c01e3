"""
What mypy, strict, says to a user: nothing to what is right, something to each slip.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RIGHT = """
from __future__ import annotations

import unittest

import pytest

from pytest_podsource import (
    SECOND_NS, BackoffCheck, Config, Environment, FakeApiserver, ManifestDirectory,
    ManifestUrl, Pods, SourceUpdate, Updates, VirtualClock, WatchEvent,
)


def test_fixtures(
    podsource_apiserver: FakeApiserver,
    podsource_backoff: BackoffCheck,
    podsource_clock: VirtualClock,
    podsource_manifest_dir: ManifestDirectory,
    podsource_pod: Pods,
    podsource_updates: Updates,
    podsource_url: ManifestUrl,
) -> None:
    pod = podsource_pod("web", image="nginx:2")
    text: str = podsource_manifest_dir.write("web.yaml", pod).read_text()
    podsource_manifest_dir.save_like("vim", "web.yaml", [pod, pod])
    seen: list[WatchEvent] = []
    podsource_manifest_dir.watch(seen.append)()
    assert podsource_manifest_dir.events == [("create", "web.yaml")]
    podsource_url.reply(text, status=503, delay_ns=SECOND_NS, packing="gzip")
    podsource_url.at("/moved").fail("reset")
    path: str = podsource_url.requests[0].path
    instant_ns: int = podsource_clock.run_until(lambda: path) + 1
    podsource_updates.send(SourceUpdate(source="file", pods=(pod,)))
    podsource_updates.expect([{"SET": ["web"]}])
    podsource_backoff.expect_values([1.0], ["1s"])
    podsource_backoff.expect(lambda attempt: attempt(), [("0s", "1s")], error=OSError)
    podsource_apiserver.pods.add("web", node="node1")
    podsource_apiserver.fail(429, on="watch", retry_after_s=instant_ns)


class TestUnittest(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _take(self, podsource_clock: VirtualClock) -> None:
        self.clock = podsource_clock

    def test_it(self) -> None:
        self.clock.advance(SECOND_NS)


def outside_pytest() -> None:
    with (
        ManifestDirectory.fake() as fake,
        ManifestDirectory.temporary() as temporary,
        VirtualClock() as clock,
        ManifestUrl.mock(clock.sleep) as url,
        FakeApiserver(tls=True) as api,
    ):
        fake.mkdir(temporary.path.name + url.url + api.url)


def new_file_source(config: Config, env: Environment) -> object:
    return config.path, env.clock.monotonic_ns()
"""
SLIPS = """
from pytest_podsource import (
    FakeApiserver, ManifestDirectory, ManifestUrl, Pods, Updates, VirtualClock,
)


def slips(
    d: ManifestDirectory, u: ManifestUrl, c: VirtualClock, p: Pods, a: FakeApiserver,
    r: Updates,
) -> None:
    d.save_like("nano", "x", "y")
    d.write("x", 3)
    u.reply("x", packing="zstd")
    u.fail("boom")
    c.advance("1s")
    p.shape("nothing")
    p.broken("nothing")
    a.fail(429, on="put")
    r.expect("anything")
    r.add("PATCH")
"""


@pytest.mark.parametrize(("text", "errors"), [(RIGHT, []), (SLIPS, range(11, 21))])
def test_mypy_says(tmp_path: Path, text: str, errors: range) -> None:
    """Line by line."""
    pytest.importorskip("mypy", reason="mypy is in the group typing")
    (tmp_path / "test_mine.py").write_text(text)

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "test_mine.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    told = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [int(line.split(":")[1]) for line in told] == [*errors], done.stdout
    assert done.stderr == ""
