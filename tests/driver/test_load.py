"""
What ``--podsource-impl`` names is found, bound to the contract, or refused with a way out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.driver.base import Abilities
from pytest_podsource.driver.inprocess import InProcessDriver
from pytest_podsource.driver.load import load_driver
from pytest_podsource.exceptions import CannotLoad

FILE_SOURCE = "def new_file_source(config, env):\n    return None\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to load from; what was imported is forgotten."""
    modules = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in set(sys.modules) - modules:
        if not name.startswith(("pytest_podsource", "encodings")):
            del sys.modules[name]


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def refused(target: str, as_: str | None = None) -> str:
    with pytest.raises(CannotLoad) as caught:
        load_driver(target, as_)
    return str(caught.value)


def test_module_of_the_present_folder_is_found() -> None:
    """Its factories say what it offers; its version is told."""
    write("mine.py", FILE_SOURCE + "__version__ = '7'\n")

    offer = load_driver("mine").offer

    assert (offer.name, offer.version, offer.language) == ("mine", "7", "python")
    assert offer.components == {"file"}


@pytest.mark.parametrize(
    ("names", "components"),
    [
        (["diff_snapshots"], {"diff"}),
        (["decode_manifest_list"], {"manifest"}),
        (["parse_config"], {"flags"}),
        (["new_pod_config"], {"podconfig"}),
        (["new_pod_config", "new_http_source"], {"podconfig", "http", "sources"}),
        (["new_pod_sources"], {"sources"}),
        (
            [
                "new_backoff",
                "new_sources_ready",
                "new_sync_loop",
                "new_apiserver_source",
            ],
            {"backoff", "ready", "syncloop", "api"},
        ),
    ],
)
def test_factories_say_which_components_there_are(
    names: list[str], components: set[str]
) -> None:
    """``sources`` too, where it can be composed of what is there."""
    write("mine.py", "".join(f"def {name}(a, b): ...\n" for name in names))

    assert load_driver("mine").offer.components == components


def test_attribute_may_be_an_object_with_factories() -> None:
    """Also one within another."""
    write("mine.py", "class K:\n  def new_backoff(self, c, e): ...\nk = K()\nk.k = k\n")

    assert load_driver("mine:k.k").offer.components == {"backoff"}


def test_class_with_factories_is_made() -> None:
    """Its factories are methods."""
    write("mine.py", "class K:\n  def new_backoff(self, c, e): ...\n")

    assert load_driver("mine:K").offer.components == {"backoff"}


def test_file_is_loaded_with_its_neighbours() -> None:
    """A dataclass in it works, and so does an import from beside it."""
    write("deep/neighbour.py", FILE_SOURCE)
    write(
        "deep/mine.py",
        "from dataclasses import dataclass\n"
        "from neighbour import new_file_source\n"
        "@dataclass\nclass D:\n    a: 'int' = 1\n",
    )

    assert load_driver("deep/mine.py").offer.components == {"file"}


def test_file_may_have_an_attribute() -> None:
    """``path/to/file.py:attribute``."""
    write("deep/mine.py", "class K:\n  def new_backoff(self, c, e): ...\n")

    assert load_driver("deep/mine.py:K").offer.components == {"backoff"}


def test_function_is_told_by_its_name() -> None:
    """A name of the contract is enough."""
    write("mine.py", "def diff_snapshots(old, new): ...\n")

    assert load_driver("mine:diff_snapshots").offer.components == {"diff"}


def test_function_of_another_name_is_told_by_as() -> None:
    """``--podsource-as`` says what it stands for."""
    write("mine.py", "def compare(a, b): ...\n")

    assert load_driver("mine:compare", "diff_snapshots").offer.components == {"diff"}


def test_class_may_stand_for_a_factory() -> None:
    """``--podsource-as new_backoff`` takes a class that is made of config and env."""
    write("mine.py", "class B:\n  def __init__(self, config, env): ...\n")

    assert load_driver("mine:B", "new_backoff").offer.components == {"backoff"}


@pytest.mark.parametrize(
    ("time", "abilities"),
    [
        ("env", Abilities()),
        ("patched", Abilities(http="loopback")),
        ("real", Abilities(time="real", watch="native", http="loopback")),
    ],
)
def test_time_says_how_the_world_is_met(time: Any, abilities: Abilities) -> None:
    """The abilities pick the world."""
    write("mine.py", FILE_SOURCE)

    assert load_driver("mine", time=time).offer.abilities == abilities


def test_program_is_reached_over_stdio() -> None:
    """``cmd:`` is another driver's; a program that isn't there is told."""
    assert "can't be started" in refused("cmd:./no-such-program")


def test_near_miss_beside_good_names_is_a_remark() -> None:
    """It is told, and doesn't stop the run."""
    write("mine.py", FILE_SOURCE + "def newBackoff(config, env): ...\n")

    driver = load_driver("mine")

    assert isinstance(driver, InProcessDriver)
    assert driver.offer.remarks == (
        "'newBackoff' is no name of the contract; did you mean 'new_backoff'?",
    )


@pytest.mark.parametrize(
    ("text", "target", "says"),
    [
        ("", "nowhere", "nowhere: there is no module 'nowhere'"),
        ("", "nowhere.deeper", "there is no module 'nowhere.deeper'"),
        ("", "nowhere.py", "there is no file 'nowhere.py' in"),
        ("import nonsense_of_ours", "mine", "No module named 'nonsense_of_ours'"),
        ("1/0", "mine", "its import fails: ZeroDivisionError: division by zero"),
        ("1/0", "./mine.py", "mine.py, line 1)"),
        ("def (", "mine", "its import fails: SyntaxError"),
        (FILE_SOURCE, "mine:new_file", "Did you mean 'new_file_source'?"),
        (FILE_SOURCE, "mine:x.y", "has no attribute 'x.y'"),
        ("", "mine", "offers none of the contract's factories and functions"),
        (
            "def newFileSource(c, e): ...",
            "mine",
            (
                "'newFileSource' is no name of the contract; "
                "did you mean 'new_file_source'?"
            ),
        ),
        (
            "def new_file_source(path): ...",
            "mine",
            (
                "new_file_source(path) can't be called with (config, env). "
                "Write: def new_file_source(config, env)."
            ),
        ),
        ("new_file_source = 5", "mine", "new_file_source is 5, which can't be called"),
        ("def compare(a, b): ...", "mine:compare", "--podsource-as diff_snapshots"),
        (
            "def diff_snapshot(a, b): ...",
            "mine:diff_snapshot",
            "Did you mean 'diff_snapshots'?",
        ),
        ("class W:\n  def run(self): ...", "mine:W", "from mine import W"),
        (
            "class K:\n  def __init__(self, a): ...\n  def new_backoff(self, c, e): ...",
            "mine:K",
            "can't be made without arguments",
        ),
    ],
)
def test_what_cannot_be_loaded_is_told_with_a_way_out(
    text: str, target: str, says: str
) -> None:
    """What is wrong, and what would have been right."""
    write("mine.py", text)

    assert says in refused(target)


def test_unknown_name_of_as_names_the_known() -> None:
    """A slip in ``--podsource-as``."""
    write("mine.py", "def compare(a, b): ...\n")

    text = refused("mine:compare", "diff_snapshot")

    assert "Did you mean 'diff_snapshots'?" in text
    assert "new_file_source" in text


def test_file_that_fails_leaves_no_module_behind() -> None:
    """And a module of that name is still there."""
    write("mine.py", "1/0")
    write("json.py", "1/0")
    json = sys.modules.get("json")

    refused("./mine.py")
    refused("./json.py")

    assert "mine" not in sys.modules
    assert sys.modules.get("json") is json
