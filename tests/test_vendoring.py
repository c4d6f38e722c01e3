"""
``podsource vendor``: copies run in projects of any layout, and tell what became of them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_podsource.cli import commands
from pytest_podsource.vendoring.manifest import MANIFEST, Choice, Manifest
from pytest_podsource.vendoring.state import state_of

CHECKOUT = Path(__file__).resolve().parent.parent
CASE = "pytest_podsource/conformance/cases/backoff/first-next-gives-initial.yaml"
MODULE = "from pytest_podsource.reference import new_backoff\n"
OWN_TEST = "def test_mine():\n    assert True\n"
STRICT = "--strict-markers --strict-config -W error --import-mode=importlib"


def vendor(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["vendor", *map(str, arguments)])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with the cases of one component and one kubelet, not to be changed."""
    dest = tmp_path_factory.mktemp("made") / "podsource"
    assert vendor(dest, "--component=backoff", "--kubelet=1.37").exit_code == 0
    return dest


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """One that may be changed."""
    return shutil.copytree(made, tmp_path / "copy")


def src_layout(root: Path) -> tuple[Path, list[Path]]:
    (root / "src/mine").mkdir(parents=True)
    (root / "src/mine/__init__.py").write_text(MODULE)
    (root / "tests").mkdir()
    (root / "tests/test_mine.py").write_text(OWN_TEST)
    (root / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\ntestpaths = ['tests']\n"
    )
    return root, [root / "src"]


def flat_layout(root: Path) -> tuple[Path, list[Path]]:
    (root / "mine.py").write_text(MODULE)
    (root / "test_mine.py").write_text(OWN_TEST)
    return root, []


def monorepo(root: Path) -> tuple[Path, list[Path]]:
    service = root / "services/agent"
    (service / "tests").mkdir(parents=True)
    (service / "mine.py").write_text(MODULE)
    (service / "tests/test_mine.py").write_text(OWN_TEST)
    (service / "tests/conftest.py").write_text("import mine\n")
    (service / "conftest.py").write_text("def pytest_configure(config): ...\n")
    (root / "pytest.ini").write_text(f"[pytest]\naddopts = {STRICT}\n")
    return service, [service]


@pytest.mark.parametrize("layout", [src_layout, flat_layout, monorepo])
def test_copy_runs_in_a_project(
    layout: Callable[[Path], tuple[Path, list[Path]]], made: Path, tmp_path: Path
) -> None:
    """Its own tests and the copy's cases, with nothing installed but dependencies."""
    folder, paths = layout(tmp_path)

    said = run_pytest(folder, [made, *paths], "--podsource-impl=mine")

    assert "1 of 1 components offered" in said
    assert " failed" not in said
    assert f"{made}/pytest_podsource/plugin.py" in said


def test_checkout_as_a_submodule_runs_in_a_project(tmp_path: Path) -> None:
    """A commit of this repository, without an installation."""
    if not (CHECKOUT / ".git").exists():
        pytest.skip("there is no repository here, only its files")
    folder, _ = flat_layout(tmp_path)
    git = ["git", "-c", "protocol.file.allow=always", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    add = [*git, "submodule", "--quiet", "add", str(CHECKOUT), "third_party/podsource"]
    subprocess.run(add, check=True, capture_output=True)

    said = run_pytest(
        folder,
        [folder / "third_party/podsource"],
        "--podsource-impl=mine",
        "--podsource-component=backoff",
        "--ignore=third_party",
    )

    assert "1 of 1 components offered" in said
    assert "third_party/podsource/pytest_podsource/plugin.py" in said


def run_pytest(folder: Path, paths: list[Path], *options: str) -> str:
    plugins = ["-p", "pytest_podsource.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, "--trace-config", *options]
    run = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_copy_holds_what_was_chosen(made: Path) -> None:
    """One component, one kubelet's record; licence, attributes and manifest."""
    conformance = made / "pytest_podsource/conformance"

    assert [each.name for each in (conformance / "cases").iterdir()] == ["backoff"]
    assert [each.name for each in (conformance / "recorded").iterdir()] == ["1.37.yaml"]
    assert {each.name for each in made.iterdir()} == {
        *(".gitattributes", "LICENSE", "README.md", "pytest_podsource", MANIFEST)
    }


def test_whole_copy_passes_its_check(made: Path) -> None:
    """Exit code 0, and a line."""
    result = vendor("--check", made)

    assert result.exit_code == 0
    assert "as they were copied" in result.stdout


@pytest.fixture
def changes(copy: Path) -> tuple[Path, Callable[[str], None]]:
    def change(kind: str) -> None:
        plugin = copy / "pytest_podsource/plugin.py"
        if kind == "edited":
            plugin.write_text("pass\n")
        elif kind == "missing":
            plugin.unlink()
        elif kind == "foreign":
            (copy / "mine.py").write_text("")
        else:
            age(copy, kind)

    return copy, change


def age(copy: Path, kind: str) -> None:
    """Make *copy* one of an older release, in which a case was other or lacking."""
    (case,) = sorted((copy / "pytest_podsource/conformance/cases/backoff").iterdir())[
        :1
    ]
    path = case.relative_to(copy).as_posix()
    manifest = Manifest.read((copy / MANIFEST).read_text())
    files = {p: (copy / p).read_bytes() for p in manifest.files}
    if kind == "new":
        case.unlink()
        del files[path]
    else:
        files[path] = files[path].replace(b"steps:\n", b"steps:\n- {advance: 1s}\n")
        case.write_bytes(files[path])
    old = Manifest.of("0.0.1", manifest.choice, files)
    (copy / MANIFEST).write_text(old.text())


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("edited", "plugin.py: was edited"),
        ("missing", "plugin.py: is missing"),
        ("foreign", "mine.py: isn't ours"),
        ("stale", ".yaml: is of another release"),
        ("new", ".yaml: is new in this release"),
    ],
)
def test_check_names_each_file_that_differs(
    changes: tuple[Path, Callable[[str], None]], kind: str, text: str
) -> None:
    """Exit code 1, a line for the file."""
    copy, change = changes
    change(kind)

    result = vendor("--check", copy)

    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1
    assert text in result.stdout


@pytest.mark.parametrize(("kind", "word"), [("stale", "changed"), ("new", "new")])
def test_update_says_what_changed_and_what_an_implementation_fails(
    copy: Path, kind: str, word: str
) -> None:
    """Per case; afterwards the copy is whole."""
    age(copy, kind)

    result = vendor("--update", copy, "--impl", "pytest_podsource.reference")

    assert result.exit_code == 0
    assert result.stdout.startswith(f"{word} ")
    assert "From release 0.0.1 to" in result.stdout
    assert "fails 0 of " in result.stdout
    assert vendor("--check", copy).exit_code == 0


def test_update_refuses_to_lose_an_edit(copy: Path) -> None:
    """The file is named, and stays."""
    plugin = copy / "pytest_podsource/plugin.py"
    plugin.write_text("mine\n")

    result = vendor("--update", copy)

    assert "an update would lose that" in str(result.exception)
    assert plugin.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", "--update"], "Give --check or --update"),
        (["--check", "--component=file"], "knows its choice"),
        (["--impl=x"], "--impl goes with --update"),
        (["--check"], "is no copy"),
        ([], "is not empty"),
    ],
)
def test_wrong_call_says_what_would_be_right(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    """And nothing is written."""
    (tmp_path / "mine.txt").write_text("")

    result = vendor(tmp_path, *arguments)

    assert message in result.output + str(result.exception)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_manifest_that_is_none_is_told(copy: Path) -> None:
    """With the way out."""
    (copy / MANIFEST).write_text("[]")

    assert "can't be read" in str(vendor("--check", copy).exception)


def test_state_tells_kinds_apart() -> None:
    """An edited file isn't foreign, a stale one isn't edited."""
    manifest = Manifest(
        release="1", choice=Choice(), files={"a": "1", "b": "1", "c": "1", "d": "1"}
    )

    state = state_of(
        manifest,
        {"a": "1", "b": "2", "c": "1", "x": "1"},
        {"a": "1", "b": "1", "c": "2", "d": "1", "n": "1"},
    )

    assert (state.edited, state.missing, state.foreign) == (("b",), ("d",), ("x",))
    assert (state.stale, state.new) == (("c",), ("n",))


def test_page_shows_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two commands of the how-to page; the number of files is that of its day."""
    page = (CHECKOUT / "docs/how-to/vendor-the-suite.md").read_text()
    shown = re.findall(
        r"^\$ podsource vendor (.*)\n(third_party/.*)\n", page, re.MULTILINE
    )
    monkeypatch.chdir(tmp_path)

    assert len(shown) == 2
    for arguments, said in shown:
        stdout = vendor(*arguments.split()).stdout
        assert re.sub(r"\d+ files", "N files", stdout.strip()) == re.sub(
            r"\d+ files", "N files", said
        )
