"""
The sample matrix: everything here that can be tested, as one page.

    python scripts/sample_matrix.py OUT.html [WORDS...]

In it: the reference, the real kubelets and client-go's backoff, the examples in Python,
Node and Rust, and the miniatures, each wrong in one way. With WORDS, only those whose
name has one. What isn't built is named and left out. Some ten minutes, as examples that
watch by themselves take real time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

from pytest_podsource.known import KUBELETS  # noqa: E402
from pytest_podsource.report.jsonlines import read  # noqa: E402
from pytest_podsource.report.merging import merge  # noqa: E402
from pytest_podsource.report.page import page  # noqa: E402
from tests.miniatures import MINIATURES  # noqa: E402

_AT_ONCE = 2
_LIMIT_S = 900
_REAL = ("--podsource-world=real", "--podsource-time=real")
_IMPORTED = (ROOT, ROOT / "examples/file_source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One column.

    Attributes:
        name: What it is called here.
        options: Those of pytest.
        is_there: It is built, and what it needs is installed.
    """

    name: str
    options: tuple[str, ...]
    is_there: bool = True


def entries() -> Iterator[Entry]:
    """
    Return all columns.
    """
    yield Entry(
        name="reference", options=("--podsource-impl=pytest_podsource.reference",)
    )
    programs = (*ROOT.glob("adapters/*/bin/*"), *ROOT.glob("examples/*/bin/*"))
    for path in sorted(programs):
        if is_program(path):
            yield Entry(name=path.name, options=of_program(path))
    for path in sorted(ROOT.glob("examples/file_source/*.py")):
        if path.stem != "manifests":
            patched = ("--podsource-time=patched",) if path.stem == "plain" else ()
            target = f"--podsource-impl={path.relative_to(ROOT)}"
            yield Entry(
                name=path.stem,
                options=(target, "--podsource-component=file", *patched),
            )
    yield from of_other_libraries()
    for miniature in MINIATURES:
        made = miniature.made
        yield Entry(
            name=made.__name__,
            options=(
                f"--podsource-impl={made.__module__}:{made.__name__}",
                f"--podsource-as={miniature.offers}",
                f"--podsource-component={miniature.case.partition('/')[0]}",
            ),
        )


def of_other_libraries() -> Iterator[Entry]:
    """
    Return the columns of what others wrote, most of it in other languages.
    """
    kubelet = ROOT / "adapters/kubelet/bin" / f"kubelet-{KUBELETS[-1]}"
    yield Entry(
        name="client-go-backoff",
        options=(*of_program(kubelet), "--podsource-component=backoff"),
        is_there=kubelet.exists(),
    )
    node, rust = (
        ROOT / "examples/node",
        ROOT / "examples/rust/target/debug/notify-source",
    )
    yield Entry(
        name="chokidar",
        options=(
            f"--podsource-impl=cmd:node {node.relative_to(ROOT)}/adapter.js",
            "--podsource-component=file",
            *_REAL,
        ),
        is_there=(node / "node_modules").is_dir() and shutil.which("node") is not None,
    )
    yield Entry(
        name="notify",
        options=(
            f"--podsource-impl=cmd:{rust.relative_to(ROOT)}",
            "--podsource-component=file,backoff",
            *_REAL,
        ),
        is_there=rust.exists(),
    )
    for path in sorted(ROOT.glob("examples/python/*_source.py")):
        library = path.stem.removesuffix("_source")
        target = f"--podsource-impl={path.relative_to(ROOT)}"
        yield Entry(
            name=library,
            options=(target, "--podsource-component=file", *_REAL),
            is_there=find_spec(library) is not None,
        )


def is_program(path: Path) -> bool:
    """
    Return whether *path* is an adapter, and no build of a kubelet to measure with.
    """
    what, _, version = path.name.partition("-")
    usual = what != "kubelet" or version in KUBELETS
    return usual and path.is_file() and os.access(path, os.X_OK)


def of_program(path: Path) -> tuple[str, ...]:
    """
    Return the options for a program, which is a kubelet if its name says so.
    """
    version = path.name.partition("-")[2]
    kubelet = (f"--podsource-kubelet={version}",) if version in KUBELETS else ()
    return (f"--podsource-impl=cmd:{path.relative_to(ROOT)}", *kubelet)


def run(entry: Entry, folder: Path) -> Path | None:
    """
    Return the report of *entry*, ``None`` if there is none.
    """
    path = folder / f"{entry.name}.jsonl"
    command = [
        sys.executable,
        *["-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"],
    ]
    command.append("podsource")
    try:
        done = subprocess.run(
            [
                *command,
                f"--podsource-report={path}",
                *entry.options,
            ],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, _IMPORTED))},
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"{entry.name:<32} ended after {_LIMIT_S} s", flush=True)
        return None
    last = (done.stdout.strip() or done.stderr.strip()).splitlines()[-1:]
    print(f"{entry.name:<32} {''.join(last)}", flush=True)
    return path if path.exists() and done.returncode in (0, 1) else None


def main(out: Path, words: list[str]) -> int:
    """
    Write the page to *out*.
    """
    chosen = []
    for entry in entries():
        if words and not any(word.lower() in entry.name.lower() for word in words):
            continue
        if entry.is_there:
            chosen.append(entry)
        else:
            print(f"{entry.name:<32} is not built or not installed, so left out")
    with TemporaryDirectory() as folder:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            paths = list(pool.map(lambda entry: run(entry, Path(folder)), chosen))
        report = merge({path: read(path) for path in paths if path is not None})
    out.write_text(page(report), "utf-8")
    lacking = [e.name for e, path in zip(chosen, paths, strict=True) if path is None]
    print(f"{out}: {len(report.runs)} runs" + f"; lacking: {lacking}" * bool(lacking))
    return 0 if not lacking else 1


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
