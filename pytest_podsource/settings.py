"""
What a run was told: the options and ini keys, parsed once into :class:`Settings`.

Rule 1: the command line outranks the ini file, which outranks the default of the field.
Rule 2: whoever gives a value that can't be used is told the ones that can.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_podsource.known import NEWEST
from pytest_podsource.options import OPTIONS, ROOT, given

if TYPE_CHECKING:
    from pytest_podsource.sharding import Shard


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
        shard: The part of the run, ``None`` for all of it.
        durations: A report by which the parts are balanced.
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
    shard: Shard | None = None
    durations: Path | None = None
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


_SETTINGS = pytest.StashKey[Settings]()


def settings_of(config: pytest.Config) -> Settings:
    """
    Return what the command line and the ini file say.

    Raises:
        pytest.UsageError: A value can't be used, or two don't go together.
    """
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = _checked(_read(config))
    return config.stash[_SETTINGS]


def _read(config: pytest.Config) -> Settings:
    values: dict[str, Any] = {}
    texts: list[tuple[str, str]] = []
    for option in OPTIONS:
        where, text = given(config, option)
        if not text:
            continue
        try:
            values[option.key] = option.convert(text)
        except ValueError as error:
            raise pytest.UsageError(f"{where}: {error}") from None
        texts.append((option.name, text))
    return Settings(**values, given=tuple(texts))


def take_arguments(config: pytest.Config) -> list[str]:
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
    elif settings_of(config).impl and config.args_source is not config.ArgsSource.ARGS:
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


def _checked(settings: Settings) -> Settings:
    for option, is_wrong, reason in _conflicts(settings):
        if is_wrong:
            raise pytest.UsageError(f"--podsource-{option}: {reason}")
    return settings


def _conflicts(settings: Settings) -> Iterator[tuple[str, bool, str]]:
    """
    Yield which options may not go together, whether they do, and what to do then.
    """
    is_real, is_patched = settings.world == "real", settings.time == "patched"
    is_program = settings.impl.startswith("cmd:")
    in_process = bool(settings.impl) and not is_program
    yield (
        "time",
        settings.time == "real" and not is_real,
        (
            "'real' needs the real world. Say --podsource-world=real, or take env or "
            "patched."
        ),
    )
    yield (
        "time",
        is_real and is_patched,
        (
            "'patched' is for the simulated world. Leave --podsource-world=real away, or say "
            "--podsource-time=real."
        ),
    )
    yield (
        "fs",
        is_real and settings.fs == "fake",
        (
            "'fake' is for the simulated world. Leave --podsource-world=real away, or say "
            "--podsource-fs=tmp."
        ),
    )
    yield (
        "fs",
        is_patched and settings.fs == "fake",
        (
            "'fake' needs time env, for threads and a fake disk don't go together. Leave "
            "--podsource-time=patched away, or say --podsource-fs=tmp."
        ),
    )
    for option, value in (("as", settings.as_), ("against", settings.against)):
        yield (
            option,
            bool(value) and not settings.impl,
            "there is nothing to test. Add --podsource-impl=TARGET.",
        )
    yield (
        "durations",
        settings.durations is not None and settings.shard is None,
        "there are no parts to balance. Add --podsource-shard=K/N.",
    )
    yield (
        "isolate",
        settings.isolate and (bool(settings.as_) or is_program),
        (
            "only a module or a file can be isolated. Leave away --podsource-as, and name no "
            "cmd:."
        ),
    )
    yield (
        "trace",
        settings.trace is not None and in_process and not settings.isolate,
        (
            "there is no dialogue with what runs in this process. Add --podsource-isolate, "
            "or name a program by cmd:."
        ),
    )
    yield (
        "cwd",
        settings.cwd is not None and in_process,
        (
            "only a program of cmd: is started in a folder. Name one, or leave "
            "--podsource-cwd away."
        ),
    )
