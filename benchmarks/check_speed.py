"""
How long ``podsource check`` takes for 1,000 manifests, beside a real kubelet's listing.

``python benchmarks/check_speed.py [MINOR] [--manifests N]``: the kubelet's adapter lists
the same directory, in the same run, in turns with the command, each three times. The
adapter's time has its words to this process in it; the command's has its start.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from pytest_podsource.differential.live import case_of
from pytest_podsource.driver.load import load_driver
from pytest_podsource.suite.run import Run
from pytest_podsource.suite.scene import scene_of
from pytest_podsource.suite.steps import steps_of
from pytest_podsource.world.simulated import SimulatedWorld

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "tests" / "manifests"
TURNS = 3
ALLOWED = 3


def texts(count: int) -> dict[str, str]:
    """Return that many manifests with pods of different names, from the collection."""
    sound = sorted(path for path in SAMPLES.iterdir() if "odd" not in path.name)
    made = {}
    for number in range(count):
        path = sound[number % len(sound)]
        name, text = path.stem.removesuffix("-pod"), path.read_text()
        for quoted in (f'"name": "{name}"', f"name: {name}"):
            renamed = quoted.replace(name, f"{name}-{number}")
            text = text.replace(quoted, renamed, 1)
        made[f"{number:05}{path.suffix}"] = text
    return made


def timed(act: Callable[[], object]) -> float:
    """Return how long *act* takes, in seconds."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def main(arguments: list[str]) -> int:
    """Print both, and return 0 if the command takes at most three listings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minor", nargs="?", default="1.37")
    parser.add_argument("--manifests", type=int, default=1000)
    chosen = parser.parse_args(arguments)
    files = texts(chosen.manifests)
    adapter = f"cmd:{ROOT}/adapters/kubelet/bin/kubelet-{chosen.minor}"
    document = {
        "given": {"files": {name: {"text": text} for name, text in files.items()}},
        "steps": [{"start": None}, *[{"advance": "20s"}] * TURNS],
    }
    case = case_of(document, "file")
    listings, checks = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(load_driver(adapter, kubelet=chosen.minor)) as driver,
        closing(SimulatedWorld(scene_of(case, kubelet=chosen.minor))) as world,
    ):
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        command = [sys.executable, "-m", "pytest_podsource.cli", "check", folder]
        command += ["--format=lines", f"--kubelet={chosen.minor}"]
        connection = driver.connect(world)
        run = Run(case, connection, world)
        start, *advances = steps_of(case)
        run.act(start)
        for step in advances:
            listings.append(timed(lambda step=step: run.act(step)))
            checks.append(
                timed(lambda: subprocess.run(command, capture_output=True, check=False))
            )
        connection.close()
    listing, check = statistics.median(listings), statistics.median(checks)
    print(f"kubelet {chosen.minor}, {chosen.manifests} manifests, median of {TURNS}:")
    print(
        f"  one listing {listing:.2f} s, check {check:.2f} s: {check / listing:.1f} listings"
    )
    return int(check > ALLOWED * listing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
