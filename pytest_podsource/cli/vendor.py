"""
``podsource vendor``: a copy of this package for a project that installs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from pytest_podsource.cli.waiting import waiting
from pytest_podsource.driver.load import load_driver
from pytest_podsource.exceptions import UsageError
from pytest_podsource.known import COMPONENTS, KUBELETS, NEWEST
from pytest_podsource.release import release
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.vendoring.manifest import MANIFEST, Choice, Manifest, hash_of
from pytest_podsource.vendoring.package import package_files
from pytest_podsource.vendoring.state import State, state_of
from pytest_podsource.world.simulated import SimulatedWorld

_CASES = "pytest_podsource/conformance/cases"
_WORDS = {
    "edited": "was edited; changes of yours are lost with the next --update",
    "missing": "is missing",
    "foreign": "isn't ours; move it out of this folder",
    "stale": "is of another release",
    "new": "is new in this release",
}
_EXAMPLES = """\b
Examples:
  podsource vendor third_party/podsource --component file --kubelet 1.37
  podsource vendor --check third_party/podsource
  podsource vendor --update third_party/podsource --impl mymodule
"""


@click.command(epilog=_EXAMPLES)
@click.argument("dest", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--component",
    "components",
    multiple=True,
    type=click.Choice(COMPONENTS),
    help="Copy the cases of this component; all if none is said.",
)
@click.option(
    "--kubelet",
    "kubelets",
    multiple=True,
    type=click.Choice(KUBELETS),
    help="Copy the cases that hold for this kubelet; all if none is said.",
)
@click.option("--check", is_flag=True, help="Say what became of the copy at DEST.")
@click.option(
    "--update", is_flag=True, help="Make the copy at DEST one of this release."
)
@click.option(
    "--impl", help="With --update: say which new and changed cases this one fails."
)
def vendor(
    dest: Path,
    components: tuple[str, ...],
    kubelets: tuple[str, ...],
    impl: str | None,
    *,
    check: bool,
    update: bool,
) -> None:
    """
    Copy plugin and cases into the folder DEST of another project.

    There it runs offline with pytest and this package's dependencies:
    PYTHONPATH=DEST pytest -p pytest_podsource.plugin. With --check the exit code is 1 if
    a file of the copy was edited, is missing or stale.
    """
    if check and update:
        raise click.UsageError("Give --check or --update.")
    if (check or update) and (components or kubelets):
        raise click.UsageError("The copy knows its choice. Leave out the options.")
    if impl and not update:
        raise click.UsageError("--impl goes with --update.")
    try:
        if check:
            sys.exit(_check(dest))
        elif update:
            _update(dest, impl)
        else:
            _make(dest, Choice(components=components, kubelets=kubelets))
    except OSError as error:
        raise UsageError(
            f"{error.filename}: {error.strerror}. DEST must be a folder that you can "
            "write."
        ) from None


def _make(dest: Path, choice: Choice) -> None:
    if dest.exists() and any(dest.iterdir()):
        raise UsageError(
            f"{dest} is not empty. Name a folder of its own, or --update a copy."
        )
    count = _write(dest, choice)
    click.echo(
        f"{dest}: {count} files of release {release()}. "
        f"Use it: PYTHONPATH={dest} pytest -p pytest_podsource.plugin"
    )


def _check(dest: Path) -> int:
    manifest = _manifest(dest)
    with waiting("Comparing files"):
        state = state_of(
            manifest, _found(dest), _hashes(package_files(manifest.choice))
        )
    for kind, text in _WORDS.items():
        for path in getattr(state, kind):
            click.echo(f"{dest / path}: {text}")
    if state.is_whole:
        click.echo(f"{dest}: {len(manifest.files)} files, as they were copied.")
    return int(not state.is_whole)


def _update(dest: Path, impl: str | None) -> None:
    manifest = _manifest(dest)
    files = package_files(manifest.choice)
    state = state_of(manifest, _found(dest), _hashes(files))
    if state.edited:
        names = ", ".join(str(dest / path) for path in state.edited)
        raise UsageError(
            f"{names}: edited, and an update would lose that. Take what is to be kept "
            "elsewhere, and bring the files back from version control."
        )
    before = {case.id: case for case in _cases(dest)}
    for path in sorted(manifest.files.keys() - files.keys()):
        (dest / path).unlink(missing_ok=True)
    _write(dest, manifest.choice)
    after = {case.id: case for case in _cases(dest)}
    changed = [
        case
        for id_, case in after.items()
        if id_ not in before or before[id_].hash != case.hash
    ]
    _tell_changes(manifest.release, before, after, state)
    if impl is not None:
        _tell_failures(changed, impl, manifest.choice.kubelets or (NEWEST,))


def _tell_changes(
    old: str, before: Mapping[str, Case], after: Mapping[str, Case], state: State
) -> None:
    for id_ in sorted(after.keys() - before.keys()):
        click.echo(f"new      {id_}: {after[id_].title}")
    for id_ in sorted(before.keys() - after.keys()):
        click.echo(f"gone     {id_}: {before[id_].title}")
    for id_ in sorted(before.keys() & after.keys()):
        if before[id_].hash != after[id_].hash:
            click.echo(f"changed  {id_}: {after[id_].title}")
    count = len(state.stale) + len(state.new) + len(state.missing)
    click.echo(f"From release {old} to {release()}: {count} files changed.")


def _tell_failures(cases: Iterable[Case], impl: str, kubelets: Iterable[str]) -> None:
    for kubelet in kubelets:
        driver = load_driver(impl, kubelet=kubelet)
        try:
            outcomes = [
                run_case(case, driver, SimulatedWorld, kubelet=kubelet)
                for case in cases
                if case.holds_for(kubelet)
            ]
        finally:
            driver.close()
        failed = [
            each for each in outcomes if each.verdict not in ("passed", "unsupported")
        ]
        for outcome in failed:
            click.echo(f"{outcome.verdict:<8} {outcome.case.id} (kubelet {kubelet})")
        click.echo(
            f"{impl} fails {len(failed)} of {len(outcomes)} new and changed cases "
            f"(kubelet {kubelet})."
        )


def _write(dest: Path, choice: Choice) -> int:
    files = package_files(choice)
    for path, data in files.items():
        place = dest / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    manifest = Manifest.of(release(), choice, files)
    (dest / MANIFEST).write_text(manifest.text(), "utf-8")
    return len(files)


def _manifest(dest: Path) -> Manifest:
    path = dest / MANIFEST
    if not path.is_file():
        raise UsageError(f"{path} is not there, so {dest} is no copy. Vendor into it.")
    return Manifest.read(path.read_text("utf-8"))


def _found(dest: Path) -> dict[str, str]:
    return {
        path.relative_to(dest).as_posix(): hash_of(path.read_bytes())
        for path in sorted(dest.rglob("*"))
        if path.is_file()
        and "__pycache__" not in path.parts
        and path.relative_to(dest).as_posix() != MANIFEST
    }


def _hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: hash_of(data) for path, data in files.items()}


def _cases(dest: Path) -> list[Case]:
    return load_cases(dest / _CASES)
