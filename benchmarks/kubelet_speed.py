"""
Merge and decoding: the reference beside the kubelet 1.37, each timed inside.

``python benchmarks/kubelet_speed.py [--rounds N] [--pods N]...`` in turns, in one run;
what is printed are medians and ratios, above 1 where the reference is the faster one.
``adapters/kubelet/build --bench 1.37`` makes the kubelet's side.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pytest_podsource import reference
from pytest_podsource.contract import Config, Pod, SourceUpdate
from pytest_podsource.core.podconfig import PodConfig
from pytest_podsource.core.versions import kubelet

ROOT = Path(__file__).resolve().parent.parent
KUBELET = ROOT / "adapters" / "kubelet" / "bin" / "kubelet-1.37-bench"
SAMPLES = ROOT / "tests" / "manifests"
MANIFESTS = 1000
SETS = ("first", "equal", "one", "all")


def pod(number: int, image: str) -> Pod:
    """Return the pod that the kubelet's side makes, too."""
    name = f"web-{number:06}"
    container = {
        "name": "c",
        "image": f"nginx:{image}",
        "command": ["nginx", "-g", "daemon off;"],
        "ports": [{"containerPort": 80, "protocol": "TCP"}],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
    }
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": name,
            "labels": {"app": "web", "tier": "front"},
            "annotations": {"kubernetes.io/config.hash": name, "team": "a"},
        },
        "spec": {
            "nodeName": "node1",
            "containers": [container],
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
            "schedulerName": "default-scheduler",
        },
        "status": {"phase": "Pending"},
    }


def merges(count: int) -> dict[str, int]:
    """Return how long the merges of four sets of *count* pods take, in nanoseconds."""
    config = PodConfig(
        kubelet("1.37"),
        now=time.time_ns,
        send=lambda update, taken: taken(),
        event=lambda *args: None,
        log=lambda *args, **fields: None,
    )
    channel = config.channel("file")
    sets = [[pod(number, image) for number in range(count)] for image in "1113"]
    sets[2][count // 2] = pod(count // 2, "2")
    gc.collect()
    gc.freeze()
    spent = {}
    for name, pods in zip(SETS, sets, strict=True):
        update = SourceUpdate(source="file", pods=tuple(pods))
        spent[name] = timed(lambda update=update: channel(update))
    gc.unfreeze()
    return spent


def decodes(texts: Iterable[tuple[str, bytes]]) -> int:
    """Return how long it takes to decode *texts*, in nanoseconds."""
    pairs = [(Config(path=path, node_name="node1"), text) for path, text in texts]
    return timed(
        lambda: [reference.decode_manifest(text, config) for config, text in pairs]
    )


def manifests(count: int) -> dict[str, bytes]:
    """Return that many manifests, from the collection, each with a name of its own."""
    sound = sorted(path for path in SAMPLES.iterdir() if "odd" not in path.name)
    return {
        f"{number:05}{(path := sound[number % len(sound)]).suffix}": path.read_bytes()
        for number in range(count)
    }


def timed(act: Callable[[], object]) -> int:
    """Return how long *act* takes, in nanoseconds."""
    begun = time.perf_counter_ns()
    act()
    return time.perf_counter_ns() - begun


def asked(*words: str) -> Any:
    """Return what the kubelet's side measured."""
    run = subprocess.run([KUBELET, *words], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def tell(what: str, ours: list[int], theirs: list[int]) -> None:
    """Print both medians and the ratio."""
    mine, other = statistics.median(ours) / 1e6, statistics.median(theirs) / 1e6
    print(
        f"{what:28} reference {mine:9.2f} ms  kubelet {other:9.2f} ms  "
        f"{other / mine:5.2f}x",
        flush=True,
    )


def main(arguments: list[str]) -> int:
    """Print a line for each set and size, and one for decoding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pods", type=int, nargs="+", default=[1000, 10_000, 100_000])
    chosen = parser.parse_args(arguments)
    if not KUBELET.exists():
        print(f"{KUBELET} is not there. adapters/kubelet/build --bench 1.37 makes it.")
        return 2
    for count in chosen.pods:
        ours, theirs = [], []
        for _ in range(chosen.rounds):
            theirs.append(asked("merge", str(count))[str(count)])
            ours.append(merges(count))
        for name in SETS:
            both = [[each[name] for each in side] for side in (ours, theirs)]
            tell(f"merge, {count} pods, {name}", *both)
    with tempfile.TemporaryDirectory() as folder:
        texts = manifests(MANIFESTS)
        for name, text in texts.items():
            (Path(folder) / name).write_bytes(text)
        paths = [(f"{folder}/{name}", text) for name, text in texts.items()]
        rounds = [
            (decodes(paths), asked("decode", folder, "1")["rounds"][0])
            for _ in range(chosen.rounds)
        ]
        tell(f"decode {MANIFESTS} manifests", *map(list, zip(*rounds, strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
