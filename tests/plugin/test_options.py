"""
Options and ini keys: one table, and whoever errs is told the right values.
"""

from __future__ import annotations

import pytest

from pytest_podsource import options
from pytest_podsource.settings import settings_of
from tests.plugin.conftest import RunPytest

FAULTS = {
    "world": (
        ["--podsource-world=moon"],
        "*'moon' is not known. Known: simulated, real.",
    ),
    "time": (
        ["--podsource-time=slow"],
        "*'slow' is not known. Known: env, patched, real.",
    ),
    "fs": (["--podsource-fs=ext4"], "*'ext4' is not known. Known: tmp, fake."),
    "kubelet": (
        ["--podsource-kubelet=1.99"],
        "*'1.99' is not known. Known: 1.1, 1.20*",
    ),
    "component": (
        ["--podsource-component=a,diff"],
        "*'a' is not known. Known: backoff*",
    ),
    "require": (
        ["--podsource-require=kafka"],
        "*'kafka' is not known. Known: backoff*",
    ),
    "min": (
        ["--podsource-min=0"],
        "--podsource-min: '0' is no whole number from 1 on.",
    ),
    "seed": (
        ["--podsource-seed=x"],
        "--podsource-seed: 'x' is no whole number from 0*",
    ),
    "limit": (
        ["--podsource-real-limit=5"],
        "--podsource-real-limit: '5' is not a dura*",
    ),
    "cases": (
        ["--podsource-cases=nope"],
        "*'nope' is not a folder. Name one that exists.",
    ),
    "baseline": (["--podsource-baseline=no"], "*'no' is not a file. Write one with *"),
    "set": (["--podsource-set=9"], "--podsource-set: '9' is not known. Known: *"),
    "time-world": (["--podsource-time=real"], "*'real' needs the real world.*"),
    "world-time": (
        ["--podsource-world=real", "--podsource-time=patched"],
        "*'patched' is for the simulated world.*",
    ),
    "world-fs": (
        ["--podsource-world=real", "--podsource-fs=fake"],
        "*'fake' is for the simulated world.*",
    ),
    "isolate": (
        ["--podsource-isolate", "--podsource-impl=cmd:x"],
        "--podsource-isolate: only a module or a file can be isolated.*",
    ),
    "trace-in-process": (
        ["--podsource-trace=t"],
        "--podsource-trace: there is no dialogue with what runs in this process.*",
    ),
    "trace-nowhere": (
        ["--podsource-isolate", "--podsource-trace=/no/such/folder/t"],
        "--podsource-trace: '/no/such/folder/t' can't be written: No such file*",
    ),
    "cwd-in-process": (
        ["--podsource-cwd=."],
        "--podsource-cwd: only a program of cmd: is started in a folder.*",
    ),
    "cwd-missing": (
        ["--podsource-impl=cmd:x", "--podsource-cwd=nowhere"],
        "--podsource-cwd: 'nowhere' is not a folder.*",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), FAULTS.values(), ids=FAULTS)
def test_value_that_cannot_be_used_is_a_usage_error(
    run_pytest: RunPytest, arguments: list[str], message: str
) -> None:
    """One line says which option, which value, and which ones would be right."""
    result = run_pytest("--podsource-impl=right", *arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize("option", ["as", "against"])
def test_option_that_needs_an_implementation_says_so(
    run_pytest: RunPytest, option: str
) -> None:
    """What acts on an implementation is not taken in silence without one."""
    result = run_pytest(f"--podsource-{option}=right")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --podsource-{option}: there is nothing to*"])


def test_wrong_ini_key_names_the_key(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """The error says where the value stands."""
    pytester.makeini("[pytest]\npodsource_world = moon\n")

    result = run_pytest()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: ini key podsource_world: 'moon' is not known.*"]
    )


def test_help_lists_every_option_below_its_heading(run_pytest: RunPytest) -> None:
    """Options are grouped by what a person wants to decide."""
    text = run_pytest("--help").stdout.str()

    assert all(option.flag in text and option.ini in text for option in options.OPTIONS)
    assert all(f"{option.group}:" in text for option in options.OPTIONS)


VALUES = {
    "impl": ("m", "m"),
    "as": ("diff_snapshots", "diff_snapshots"),
    "isolate": ("true", True),
    "component": ("diff, file", ("diff", "file")),
    "case": ("a/b c/d", ("a/b", "c/d")),
    "world": ("simulated", "simulated"),
    "time": ("patched", "patched"),
    "fs": ("fake", "fake"),
    "kubelet": ("1.20", "1.20"),
    "seed": ("3", 3),
    "real-limit": ("1m30s", 90_000_000_000),
    "set": ("0.1", "0.1"),
    "require": ("api", ("api",)),
    "min": ("7", 7),
    "examples": ("9", 9),
    "stories": ("true", True),
}


@pytest.mark.parametrize("name", VALUES)
def test_ini_key_and_option_give_the_same(pytester: pytest.Pytester, name: str) -> None:
    """Whatever can be said on the command line can be kept in an ini file."""
    text, value = VALUES[name]
    option = next(each for each in options.OPTIONS if each.name == name)
    said = [f"{option.flag}={text}"] if option.metavar else [option.flag]
    others = [] if name == "impl" else ["--podsource-impl=m"]

    from_line = settings_of(pytester.parseconfig(*others, *said))
    pytester.makeini(f"[pytest]\n{option.ini} = {text}\n")
    from_ini = settings_of(pytester.parseconfig(*others))

    assert getattr(from_line, option.key) == value
    assert getattr(from_ini, option.key) == value


def test_command_line_outranks_the_ini_file(pytester: pytest.Pytester) -> None:
    """And the last of several counts, where they don't add up."""
    pytester.makeini("[pytest]\npodsource_seed = 3\npodsource_component = diff\n")

    settings = settings_of(
        pytester.parseconfig(
            "--podsource-seed=1",
            "--podsource-seed=2",
            "--podsource-component=file",
            "--podsource-component=api",
        )
    )

    assert settings.seed == 2
    assert settings.component == ("file", "api")
