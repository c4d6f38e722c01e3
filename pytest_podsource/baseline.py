"""
Known failures: a file with the id of a case and a reason on each line.

::

    # what pytest --podsource-baseline-write=FILE wrote, and a person explained
    file/dir-ignores-dotfiles   our users keep manifests in dot files
    backoff/next-doubles:max-5s   the cap is 6 s on purpose
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_podsource.exceptions import UsageError

_HEAD = (
    "# Known failures, an id and a reason a line. A case of this list that passes fails\n"
    "# the run, so that the list stays true.\n"
)


def read(path: Path) -> dict[str, str]:
    """
    Return the reasons by id.

    Raises:
        UsageError: A line has no reason, or an id is there twice.
    """
    reasons: dict[str, str] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        id_, _, reason = line.strip().partition(" ")
        if not reason.strip():
            raise UsageError(
                f"{path}, line {number}: {id_!r} has no reason. "
                "Write why it may fail, after a blank."
            )
        if id_ in reasons:
            raise UsageError(f"{path}, line {number}: {id_!r} is there twice.")
        reasons[id_] = reason.strip()
    return reasons


def write(path: Path, reasons: Mapping[str, str]) -> None:
    """
    Write *reasons*, by id.
    """
    lines = (f"{id_}   {' '.join(reasons[id_].split())}\n" for id_ in sorted(reasons))
    path.write_text(_HEAD + "".join(lines), encoding="utf-8")
