"""
Build the site: the pages of ``docs`` and the handbook, with every link checked.

    python scripts/build_docs.py OUT

A warning of Sphinx, such as a link that leads nowhere, is an error.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import handbook
from make_facts import BEHAVIOUR

from pytest_podsource.driver.load import load_driver
from pytest_podsource.record import load_records
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.story import load_origins, timeline
from pytest_podsource.world.simulated import SimulatedWorld

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_REFERENCE = "pytest_podsource.reference"
_SPHINX = (
    sys.executable,
    *["-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n", "-q"],
)
_KUBELETS = ("1.37", "1.34", "1.20", "1.1")
_ODD = re.compile(r"^- \*\*([A-Z]+-\d+)\*\*(?: .*?)? ! ", re.MULTILINE)
_LINK = re.compile(r"\[([^\]\n]*)\]\(([^)\s:#][^)\s:]*)\)")
_START = """\
# pytest-podsource

A pytest plugin, fixtures, a conformance suite and a reference implementation for Kubernetes pod sources.

- [How the kubelet reads pods](handbook/index.md): the handbook, made from the cases
- [Tutorial](tutorial.md): to the first fault in ten minutes

```{toctree}
:hidden:

tutorial
handbook/index
```
"""
_PARTS = {
    "How to": "how-to",
    "Reference": "reference",
    "Explanation": "explanation",
    "Decisions": "adr",
}


def main(out: Path) -> int:
    """
    Write the site to *out*; return Sphinx's exit code.
    """
    with TemporaryDirectory() as scratch:
        source = Path(scratch) / "source"
        shutil.copytree(DOCS, source)
        for page in source.rglob("*.md"):
            page.write_text(_within(page, source), "utf-8")
        (source / "index.md").write_text(_start(source), "utf-8")
        (source / "handbook").mkdir()
        for name, text in handbook.pages(sources()).items():
            (source / "handbook" / name).write_text(text, "utf-8")
        return subprocess.run(
            [*_SPHINX, "-d", f"{scratch}/trees", str(source), str(out)],
            check=False,
        ).returncode


def sources() -> handbook.Sources:
    """
    Return what the handbook is made of, each case run on the reference.
    """
    return handbook.Sources(
        cases=load_cases(bundled_root() / "cases"),
        records=load_records(bundled_root() / "recorded"),
        origins=load_origins(),
        odd=odd_facts(),
        timeline=_timeline,
    )


def odd_facts() -> frozenset[str]:
    """
    Return the ids of the facts that the catalogue marks as surprising.
    """
    return frozenset(_ODD.findall(BEHAVIOUR.read_text("utf-8")))


def _timeline(case: Case) -> Iterator[str]:
    kubelet = next((each for each in _KUBELETS if case.holds_for(each)), "")
    if not kubelet:
        return
    with closing(load_driver(_REFERENCE, kubelet=kubelet)) as driver:
        outcome = run_case(case, driver, SimulatedWorld, kubelet=kubelet)
    if outcome.verdict == "passed":
        yield from timeline(outcome.moments, most=20)


def _within(page: Path, source: Path) -> str:
    """
    Return the text of *page* without links to what is there and isn't a page.

    A link to what isn't there stays, for Sphinx to complain about.
    """
    original = DOCS / page.relative_to(source)

    def kept(link: re.Match[str]) -> str:
        target = (original.parent / link[2].partition("#")[0]).resolve()
        outside = target.exists() and not target.is_relative_to(DOCS)
        return link[1] if outside or target.is_dir() else link[0]

    return _LINK.sub(kept, page.read_text("utf-8"))


def _start(source: Path) -> str:
    trees = [
        "\n".join(
            ["", "```{toctree}", f":caption: {caption}", ":hidden:", ""]
            + [
                f"{folder}/{page.stem}"
                for page in sorted((source / folder).glob("*.md"))
            ]
            + ["```", ""]
        )
        for caption, folder in _PARTS.items()
    ]
    return _START + "".join(trees)


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
