"""
Every option and ini key, in one table.

Rule: an option ``--podsource-x-y`` has the ini key ``podsource_x_y`` and the field
``x_y`` of :class:`pytest_podsource.settings.Settings`. This much is read in every run
of pytest on a machine that has the plugin; the rest waits until something is given.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_podsource.known import COMPONENTS, KUBELETS, NEWEST

ROOT = "podsource"
WORLDS = ("simulated", "real")
TIMES = ("env", "patched", "real")
FILESYSTEMS = ("tmp", "fake")
REPORTS = (".jsonl", ".md", ".html")

THREADS = pytest.StashKey[frozenset[threading.Thread]]()
"""The threads of pytest and its plugins: those that ran when it was configured."""


class Option(NamedTuple):
    """
    One row of :data:`OPTIONS`.

    Attributes:
        name: What follows ``--podsource-``.
        group: The heading of the help that it stands under.
        help: One or two sentences.
        convert: Makes the value of its text, or raises ``ValueError`` that says what
            would have been right.
        metavar: The word for the value; empty for a flag.
        field: The field of :class:`Settings`.
    """

    name: str
    group: str
    help: str
    convert: Callable[[str], Any] = str
    metavar: str = ""
    field: str = ""

    @property
    def flag(self) -> str:
        """Return the option as it is written on the command line."""
        return f"--podsource-{self.name}"

    @property
    def ini(self) -> str:
        """Return its key in the ini file, which is its name in ``config.option``."""
        return f"podsource_{self.name.replace('-', '_')}"

    @property
    def key(self) -> str:
        """Return its field of :class:`Settings`."""
        return self.field or self.name.replace("-", "_")


def one_of(known: tuple[str, ...]) -> Callable[[str], str]:
    """Return what takes one of *known* and refuses anything else."""

    def convert(text: str) -> str:
        if text not in known:
            raise ValueError(f"{text!r} is not known. Known: {', '.join(known)}.")
        return text

    return convert


def list_of(convert: Callable[[str], str]) -> Callable[[str], tuple[str, ...]]:
    """Return what takes several values, parted by commas or blanks."""
    return lambda text: tuple(convert(each) for each in text.replace(",", " ").split())


def at_least(smallest: int) -> Callable[[str], int]:
    """Return what takes a whole number from *smallest* on."""

    def convert(text: str) -> int:
        if not text.lstrip("-").isdigit() or int(text) < smallest:
            raise ValueError(f"{text!r} is no whole number from {smallest} on.")
        return int(text)

    return convert


def duration(text: str) -> int:
    """
    Return the nanoseconds of *text*, such as ``5s``.
    """
    from pytest_podsource.core.durations import parse_ns  # noqa: PLC0415 - only if asked

    if (ns := parse_ns(text)) < 0:
        raise ValueError(f"{text!r} is negative. Right would be 5s or 1m30s.")
    return ns


def shard(text: str) -> Any:
    """
    Return the part that *text* names, such as ``2/4``.
    """
    from pytest_podsource.sharding import Shard  # noqa: PLC0415 - only if asked

    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal()) or not (
        1 <= int(number) <= int(count)
    ):
        raise ValueError(f"{text!r} is no part. Right would be 1/4, 2/4, 3/4 and 4/4.")
    return Shard(int(number), int(count))


def existing_report(text: str) -> Path:
    """
    Return the report *text*.
    """
    if not (path := Path(text)).is_file():
        raise ValueError(
            f"{text!r} is not a file. Write one with --podsource-report={text}."
        )
    return path


def existing_folder(text: str) -> Path:
    """
    Return the folder *text*.
    """
    if not (path := Path(text)).is_dir():
        raise ValueError(f"{text!r} is not a folder. Name one that exists.")
    return path


def existing_file(text: str) -> Path:
    """
    Return the file *text*.
    """
    if not (path := Path(text)).is_file():
        raise ValueError(
            f"{text!r} is not a file. Write one with --podsource-baseline-write={text}."
        )
    return path


def report_files(text: str) -> tuple[Path, ...]:
    """
    Return the files that reports go to, parted by commas.
    """
    paths = tuple(Path(each.strip()) for each in text.split(",") if each.strip())
    for path in paths:
        if path.suffix == ".xml":
            raise ValueError(
                f"{str(path)!r}: JUnit reports are pytest's own. "
                f"Say --junitxml={path}, the verdicts are in it as properties."
            )
        if path.suffix not in REPORTS:
            raise ValueError(
                f"{str(path)!r}: the form of a report follows from how its name ends. "
                f"Right would be one of {', '.join(REPORTS)}."
            )
    return paths


_WHAT = "podsource: what is tested"
_WHICH = "podsource: with which cases"
_WHERE = "podsource: in which world"
_COUNTS = "podsource: what counts"
_AGAINST = "podsource: two implementations compared"

OPTIONS = (
    Option(
        name="impl",
        group=_WHAT,
        metavar="TARGET",
        help="The implementation under test: module, module:attribute, "
        "path/to/file.py[:attribute] or cmd:PROGRAM. Without a path among the "
        "arguments, the conformance suite joins the run.",
    ),
    Option(
        name="as",
        field="as_",
        group=_WHAT,
        metavar="NAME",
        help="TARGET is one function; this is its name in the contract, such as "
        "diff_snapshots.",
    ),
    Option(
        name="isolate",
        group=_WHAT,
        convert=bool,
        help="Run it in a process of its own, which endless loops and os._exit can't "
        "take along.",
    ),
    Option(
        name="cwd",
        group=_WHAT,
        metavar="DIR",
        convert=existing_folder,
        help="The folder in which the program of cmd: is started. (NAME=value before the "
        "program is set in its environment: cmd:LOG=debug ./adapter.)",
    ),
    Option(
        name="trace",
        group=_WHAT,
        metavar="FILE",
        convert=Path,
        help="Add the dialogue with the program of cmd: to this file, as JSON lines of case, "
        "pid, from, and message; or text, for what is no JSON.",
    ),
    Option(
        name="component",
        group=_WHICH,
        metavar="NAMES",
        convert=list_of(one_of(COMPONENTS)),
        help=f"Only these components: {', '.join(COMPONENTS)}.",
    ),
    Option(
        name="case",
        group=_WHICH,
        metavar="IDS",
        convert=list_of(str),
        help="Only these cases, such as file/dir-ignores-dotfiles or, with a row, "
        "backoff/next-doubles:max-5s; what an id begins with, up to a slash, selects "
        "all below.",
    ),
    Option(
        name="cases",
        group=_WHICH,
        metavar="DIR",
        convert=existing_folder,
        help="Cases of your own in the same form; their ids begin with own/.",
    ),
    Option(
        name="world",
        group=_WHERE,
        metavar="WORLD",
        convert=one_of(WORLDS),
        help="simulated (default): virtual time, told events. real: the kernel's "
        "inotify, a loopback server, real time.",
    ),
    Option(
        name="time",
        group=_WHERE,
        metavar="TIME",
        convert=one_of(TIMES),
        help="env (default): through the environment. patched: also for modules that "
        "call time.sleep, open and requests. real: as in the real world.",
    ),
    Option(
        name="fs",
        group=_WHERE,
        metavar="FS",
        convert=one_of(FILESYSTEMS),
        help="tmp (default): a temporary directory. fake: pyfakefs. Also for the fixture "
        "podsource_manifest_dir.",
    ),
    Option(
        name="kubelet",
        group=_WHERE,
        metavar="VERSION",
        convert=one_of(KUBELETS),
        help=f"The kubelet to compare with: {', '.join(KUBELETS)}. Default: {NEWEST}.",
    ),
    Option(
        name="seed",
        group=_WHERE,
        metavar="N",
        convert=at_least(0),
        help="Permutes what happens at one instant. Default: 0, the natural order.",
    ),
    Option(
        name="shard",
        group=_WHERE,
        metavar="K/N",
        convert=shard,
        help="Run part K of N, one for each machine; the reports of all parts merge.",
    ),
    Option(
        name="durations",
        group=_WHERE,
        metavar="REPORT.jsonl",
        convert=existing_report,
        help="With --podsource-shard: balance the parts by how long the cases took in "
        "this report, the same for all parts.",
    ),
    Option(
        name="real-limit",
        field="real_limit_ns",
        group=_WHERE,
        metavar="TIME",
        convert=duration,
        help="Cases that take longer than this in real time are disabled. Default: 5s.",
    ),
    Option(
        name="against",
        group=_AGAINST,
        metavar="TARGET",
        help="Instead of cases: compare with this implementation, over generated "
        "scenarios; a difference is written out as a case. Needs "
        "pytest-podsource[differential].",
    ),
    Option(
        name="examples",
        group=_AGAINST,
        metavar="N",
        convert=at_least(1),
        help="How many scenarios for each component. Default: 100.",
    ),
    Option(
        name="set",
        field="set_",
        group=_COUNTS,
        metavar="NAME",
        help="The frozen set of cases that is scored. Default: all.",
    ),
    Option(
        name="require",
        group=_COUNTS,
        metavar="NAMES",
        convert=list_of(one_of(COMPONENTS)),
        help="Components that must be offered: cases of a lacking one fail.",
    ),
    Option(
        name="min",
        group=_COUNTS,
        metavar="N",
        convert=at_least(1),
        help="With fewer cases run than this, the run is not green. Default: 1.",
    ),
    Option(
        name="baseline",
        group=_COUNTS,
        metavar="FILE",
        convert=existing_file,
        help="Known failures, an id and a reason a line: skipped where they fail, "
        "failed where they pass.",
    ),
    Option(
        name="baseline-write",
        group=_COUNTS,
        metavar="FILE",
        convert=Path,
        help="Write the failures of this run as a baseline; reasons that --podsource-baseline "
        "has are kept.",
    ),
    Option(
        name="stories",
        group=_COUNTS,
        convert=bool,
        help="Tell the story of each case, also of those that passed; with pytest's -rP.",
    ),
    Option(
        name="report",
        group=_COUNTS,
        metavar="FILE",
        convert=report_files,
        help="Write a report: .jsonl for 'podsource report', .md for a pull request, "
        ".html for a page. May be given several times.",
    ),
)


def add_options(parser: pytest.Parser) -> None:
    """
    Tell *parser* the table.
    """
    for option in OPTIONS:
        how: Mapping[str, Any] = (
            {"metavar": option.metavar, "action": "append"}
            if option.metavar
            else {"action": "store_const", "const": ["1"]}
        )
        parser.getgroup(option.group).addoption(
            option.flag, dest=option.ini, default=None, help=option.help, **how
        )
        kind = "string" if option.metavar else "bool"
        parser.addini(option.ini, option.help, type=kind)  # type: ignore[arg-type]


def given(config: pytest.Config, option: Option) -> tuple[str, str]:
    """
    Return where *option* was given, and its text; empty where it wasn't.
    """
    on_command_line = config.getoption(option.ini)
    if on_command_line is not None:
        last_only = on_command_line if option.name in _ADDS_UP else on_command_line[-1:]
        return option.flag, ",".join(last_only)
    value = config.getini(option.ini)
    return f"ini key {option.ini}", value if isinstance(value, str) else "1" * bool(
        value
    )


def are_used(config: pytest.Config) -> bool:
    """
    Return whether this run has anything to do with the suite.
    """
    named = any(ROOT in argument for argument in config.args)
    return named or any(given(config, option)[1] for option in OPTIONS)


_ADDS_UP = ("component", "case", "require", "report")
