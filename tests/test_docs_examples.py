"""
The documentation: its examples run, its links lead somewhere, its options exist.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_podsource.options import OPTIONS

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs/how-to/examples"
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda path: path.parts
)
NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]

FILES = sorted(
    path.relative_to(EXAMPLES).as_posix()
    for path in EXAMPLES.rglob("*")
    if path.suffix in (".py", ".yaml")
)

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
_OPTION = re.compile(r"--podsource-[a-z]+(?:-[a-z]+)*")
_INI = re.compile(r"^podsource_[a-z_]+(?= =)", re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_files_and_headings_that_are_there(name: str) -> None:
    """A page that is moved or renamed takes its links along."""
    page = ROOT / name

    broken = [link for link in _links(page) if not _is_there(page, link)]

    assert broken == []


@pytest.mark.parametrize("name", NAMES)
def test_options_that_are_named_exist(name: str) -> None:
    """A page doesn't promise an option that was never there."""
    text = (ROOT / name).read_text()
    known = {option.flag for option in OPTIONS} | {option.ini for option in OPTIONS}

    named = set(_OPTION.findall(text)) | {
        key for _, block in _BLOCK.findall(text) for key in _INI.findall(block)
    }
    assert named - known == set()


@pytest.mark.parametrize("example", FILES)
def test_example_stands_in_a_page_as_it_is(example: str) -> None:
    """What is shown is what runs."""
    blocks = [
        block
        for page in PAGES
        if f"examples/{example}" in page.read_text()
        for _, block in _BLOCK.findall(page.read_text())
    ]

    assert (EXAMPLES / example).read_text() in blocks


def test_fixture_examples_pass(pytester: pytest.Pytester) -> None:
    """Each of them, in a folder of its own, without an implementation."""
    for path in EXAMPLES.glob("test_*.py"):
        if path.name not in ("test_podsource.py", "test_first.py"):
            pytester.makepyfile(**{path.stem: path.read_text()})

    result = pytester.runpytest_subprocess("-p", "no:randomly", "-W", "error")

    result.assert_outcomes(passed=26)


@pytest.mark.parametrize("module", ["my_watcher.py", "my_blocking_watcher.py"])
def test_example_implementations_pass_what_their_page_says(
    pytester: pytest.Pytester, module: str
) -> None:
    """A start: one case passes, most fail, nothing is a fault of the suite."""
    pytester.makepyfile(**{Path(module).stem: (EXAMPLES / module).read_text()})

    said = pytester.runpytest_subprocess(
        f"--podsource-impl={module}", "podsource/file/every-listing-is-sent.yaml"
    )
    other = pytester.runpytest_subprocess(
        f"--podsource-impl={module}", "podsource/file/dir-ignores-dotfiles.yaml"
    )

    said.assert_outcomes(passed=1)
    other.assert_outcomes(failed=1)


def test_example_case_passes_on_the_reference(pytester: pytest.Pytester) -> None:
    """A case of one's own, in the bundled form."""
    result = pytester.runpytest_subprocess(
        "--podsource-impl=pytest_podsource.reference",
        f"--podsource-cases={EXAMPLES / 'own-cases'}",
        "podsource/own",
    )

    result.assert_outcomes(passed=1)


def test_example_test_file_runs_the_suite(pytester: pytest.Pytester) -> None:
    """The four lines for those who want no magic."""
    pytester.makepyfile(test_podsource=(EXAMPLES / "test_podsource.py").read_text())

    result = pytester.runpytest_subprocess(
        "--podsource-impl=pytest_podsource.reference",
        "test_podsource.py",
        "-k",
        "diff/",
    )

    assert result.parseoutcomes()["passed"] >= 10


def test_tutorials_test_fails_where_it_says(pytester: pytest.Pytester) -> None:
    """What vim leaves for a moment is seen."""
    pytester.makepyfile(test_first=(EXAMPLES / "test_first.py").read_text())

    result = pytester.runpytest_subprocess("-p", "no:randomly", "-vv")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E *4913*", "E *web.yaml~*"])


def test_tutorials_test_passes_where_it_says(pytester: pytest.Pytester) -> None:
    """A rename into place leaves nothing for a moment."""
    first, second = (EXAMPLES / "test_first.py").read_text().rsplit('"vim"', 1)
    pytester.makepyfile(test_first=f'{first}"place"{second}')

    result = pytester.runpytest_subprocess("-p", "no:randomly")

    result.assert_outcomes(passed=2)


def test_tutorials_function_is_wrong_where_it_says(pytester: pytest.Pytester) -> None:
    """Keys in both caches count as updated there; compared by value it passes."""
    blocks = _BLOCK.findall((ROOT / "docs/tutorial.md").read_text())
    text = next(block for kind, block in blocks if block.startswith("# mine.py"))
    wrong = "updated = sorted(new.keys() & old.keys())"
    right = next(block.strip() for _, block in blocks if "if new[key]" in block)
    pytester.makepyfile(mine=text, mended=text.replace(wrong, right))

    first = pytester.runpytest_subprocess("--podsource-impl=mine", "podsource/diff")
    second = pytester.runpytest_subprocess("--podsource-impl=mended", "podsource/diff")

    first.stdout.fnmatch_lines(["FAILED diff/*", "*again*--podsource-impl=mine *"])
    assert second.ret == pytest.ExitCode.OK


def test_every_option_is_in_the_reference_page() -> None:
    """With its ini key."""
    text = (ROOT / "docs/reference/options.md").read_text()

    missing = [option.flag for option in OPTIONS if f"`{option.flag}" not in text]
    assert missing == []


@pytest.mark.parametrize(
    "name", ["fixtures.md", "names.md", "options.md", "verdicts.md"]
)
def test_reference_is_what_the_code_says(name: str) -> None:
    """Mend it by: python scripts/make_reference.py."""
    path = ROOT / "scripts/make_reference.py"
    spec = importlib.util.spec_from_file_location("make_reference", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    text = (ROOT / "docs/reference" / name).read_text()

    assert text == script.filled(text), "run: python scripts/make_reference.py"


def test_readme_commands_are_there() -> None:
    """The two that set everything up name scripts of this repository."""
    commands = re.findall(r"^\$ (scripts/\S+)", _console("README.md"), re.MULTILINE)

    assert len(commands) >= 2
    assert all((ROOT / command).stat().st_mode & 0o111 for command in commands)


def test_scripts_are_valid_bash() -> None:
    """A slip in a script is found without running it."""
    scripts = [".ci/run", "scripts/run", "scripts/pythons"]

    for script in scripts:
        subprocess.run(["bash", "-n", ROOT / script], check=True)


def _console(name: str) -> str:
    blocks = _BLOCK.findall((ROOT / name).read_text())
    return "\n".join(block for kind, block in blocks if kind == "console")


def _links(page: Path) -> Iterator[str]:
    text = _BLOCK.sub("", page.read_text())
    text = re.sub(r"`[^`\n]*`", "", text)
    yield from (link for link in _LINK.findall(text) if "://" not in link)


def _is_there(page: Path, link: str) -> bool:
    place, _, anchor = link.partition("#")
    target = page.parent / place if place else page
    if not target.exists():
        return False
    return not anchor or anchor in {
        _anchor(heading) for heading in _HEADING.findall(target.read_text())
    }


def _anchor(heading: str) -> str:
    words = re.sub(r"[^\w\- ]", "", heading.lower())
    return words.replace(" ", "-")
