"""
Every option and ini key, in one table; parsed once into a frozen :class:`Settings`.

Rule 1: an option ``--podsource-x-y`` has the ini key ``podsource_x_y`` and the field
``x_y``. Rule 2: the command line outranks the ini file, which outranks the default of
the field. Rule 3: whoever gives a value that can't be used is told the ones that can.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_podsource.core.durations import parse_ns
from pytest_podsource.core.versions import KUBELETS, NEWEST
from pytest_podsource.driver.base import COMPONENTS

ROOT = "podsource"
WORLDS = ("simulated", "real")
TIMES = ("env", "patched", "real")
FILESYSTEMS = ("tmp", "fake")
REPORTS = (".jsonl", ".md", ".html")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """
    What a run was told.

    Attributes:
        impl: The implementation, empty if none was named.
        as_: The contract's name for the one function that is tested, or empty.
        isolate: The implementation runs in a process of its own.
        component: The components to run, empty for all.
        case: Ids of cases or of their rows, empty for all.
        cases: A folder of one's own cases.
        world: ``simulated`` or ``real``.
        time: ``env``, ``patched`` or ``real``.
        fs: ``tmp`` or ``fake``.
        kubelet: The kubelet to compare with, as major.minor.
        seed: Permutes what happens at one instant; 0 keeps the natural order.
        real_limit_ns: Longest virtual time of a case in the real world.
        set_: Name of the frozen set of cases that a score counts, empty for all.
        require: Components that must be offered.
        against: Another implementation, to compare with over generated scenarios.
        examples: How many scenarios to make for each component.
        min: How many cases must have run.
        baseline: The list of known failures.
        baseline_write: Where to write one.
        stories: The story of a case that passed is told too.
        trace: Where the dialogue with a program is written down.
        cwd: The folder that a program is started in.
        report: Where to write reports, each in the form of its suffix.
        given: The options that were given, with their texts.
    """

    impl: str = ""
    as_: str = ""
    isolate: bool = False
    component: tuple[str, ...] = ()
    case: tuple[str, ...] = ()
    cases: Path | None = None
    world: str = "simulated"
    time: Literal["env", "patched", "real"] = "env"
    fs: str = "tmp"
    kubelet: str = NEWEST
    seed: int = 0
    real_limit_ns: int = 5_000_000_000
    set_: str = ""
    require: tuple[str, ...] = ()
    against: str = ""
    examples: int = 100
    min: int = 1
    baseline: Path | None = None
    baseline_write: Path | None = None
    stories: bool = False
    trace: Path | None = None
    cwd: Path | None = None
    report: tuple[Path, ...] = ()
    given: tuple[tuple[str, str], ...] = ()


SETTINGS = pytest.StashKey[Settings]()
THREADS = pytest.StashKey[frozenset[threading.Thread]]()
"""The threads of pytest and its plugins: those that ran when it was configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
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
    if (ns := parse_ns(text)) < 0:
        raise ValueError(f"{text!r} is negative. Right would be 5s or 1m30s.")
    return ns


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
        help="The folder in which the program of cmd: is started.",
    ),
    Option(
        name="trace",
        group=_WHAT,
        metavar="FILE",
        convert=Path,
        help="Write the dialogue with the program of cmd: there, as JSON lines.",
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
        "backoff/next-doubles:max-5s.",
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
        help="tmp (default): a temporary directory. fake: pyfakefs.",
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
        "scenarios; a difference is written out as a case. Needs Hypothesis.",
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
        help="Write the failures of this run as a baseline.",
    ),
    Option(
        name="stories",
        group=_COUNTS,
        convert=bool,
        help="Tell the story of each case, also of those that passed.",
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


def settings_of(config: pytest.Config) -> Settings:
    """
    Return what the command line and the ini file say.

    Raises:
        pytest.UsageError: A value can't be used, or two don't go together.
    """
    values: dict[str, Any] = {}
    given: list[tuple[str, str]] = []
    for option in OPTIONS:
        where, text = _given(config, option)
        if not text:
            continue
        try:
            values[option.key] = option.convert(text)
        except ValueError as error:
            raise pytest.UsageError(f"{where}: {error}") from None
        given.append((option.name, text))
    return _checked(Settings(**values, given=tuple(given)))


def take_arguments(config: pytest.Config, settings: Settings) -> list[str]:
    """
    Return the arguments that mean cases of the suite, taken out of pytest's.

    They are ``podsource`` and what begins with ``podsource/``, unless the user has such
    a path; below the root folder too, for that is how pytest shows them in another one.
    With an implementation and no argument at all it is the whole suite.
    """
    meant = {each: _as_ours(each, config) for each in config.args}
    ours = [id_ for id_ in meant.values() if id_]
    if ours:
        config.args = [each for each in config.args if not meant[each]]
    elif settings.impl and config.args_source is not config.ArgsSource.ARGS:
        ours = [ROOT]
    return ours


def _as_ours(argument: str, config: pytest.Config) -> str:
    """
    Return *argument* as it begins with ``podsource``; empty if it means something else.
    """
    place, *row = argument.split("::", 1)
    folder = config.invocation_params.dir
    path = Path(os.path.normpath(folder / place))
    if path.exists():
        return ""
    for base in (folder, config.rootpath):
        if path.is_relative_to(base / ROOT):
            return "::".join([path.relative_to(base).as_posix(), *row])
    return ""


def _given(config: pytest.Config, option: Option) -> tuple[str, str]:
    on_command_line = config.getoption(option.ini)
    if on_command_line is not None:
        last_only = on_command_line if option.name in _ADDS_UP else on_command_line[-1:]
        return option.flag, ",".join(last_only)
    value = config.getini(option.ini)
    return f"ini key {option.ini}", value if isinstance(value, str) else "1" * bool(
        value
    )


_ADDS_UP = ("component", "case", "require", "report")


def _checked(settings: Settings) -> Settings:
    if settings.time == "real" and settings.world != "real":
        raise pytest.UsageError(
            "--podsource-time: 'real' needs the real world. "
            "Say --podsource-world=real, or take env or patched."
        )
    if settings.world == "real" and settings.time == "patched":
        raise pytest.UsageError(
            "--podsource-time: 'patched' is for the simulated world. "
            "Leave --podsource-world=real away, or say --podsource-time=real."
        )
    if settings.world == "real" and settings.fs == "fake":
        raise pytest.UsageError(
            "--podsource-fs: 'fake' is for the simulated world. "
            "Leave --podsource-world=real away, or say --podsource-fs=tmp."
        )
    if settings.time == "patched" and settings.fs == "fake":
        raise pytest.UsageError(
            "--podsource-fs: 'fake' needs time env, for threads and a fake disk don't go "
            "together. Leave --podsource-time=patched away, or say --podsource-fs=tmp."
        )
    for flag, given in (("as", settings.as_), ("against", settings.against)):
        if given and not settings.impl:
            raise pytest.UsageError(
                f"--podsource-{flag}: there is nothing to test. "
                "Add --podsource-impl=TARGET."
            )
    if settings.isolate and (settings.as_ or settings.impl.startswith("cmd:")):
        raise pytest.UsageError(
            "--podsource-isolate: only a module or a file can be isolated. "
            "Leave away --podsource-as, and name no cmd:."
        )
    in_process = settings.impl and not settings.impl.startswith("cmd:")
    if settings.trace and in_process and not settings.isolate:
        raise pytest.UsageError(
            "--podsource-trace: there is no dialogue with what runs in this process. "
            "Add --podsource-isolate, or name a program by cmd:."
        )
    if settings.cwd and in_process:
        raise pytest.UsageError(
            "--podsource-cwd: only a program of cmd: is started in a folder. "
            "Name one, or leave --podsource-cwd away."
        )
    return settings
