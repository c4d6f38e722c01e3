"""
What is installed: the whole package, its cases, and the names that others use.

In a checkout the package is installed editable; under tox it comes from a wheel, and
these tests say so.
"""

from __future__ import annotations

from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

import pytest_podsource
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases

CHECKOUT = Path(__file__).parent.parent
PACKAGE = Path(pytest_podsource.__file__).parent


def _installed() -> Distribution:
    return distribution("pytest-podsource")


def _is_editable() -> bool:
    # Not by direct_url.json: tox installs an editable wheel, which says nothing there.
    return any(file.suffix == ".pth" for file in _installed().files or ())


def test_plugin_is_found_under_the_name_of_its_module() -> None:
    """Else -p pytest_podsource.plugin would register it twice."""
    (found,) = [
        point for point in _installed().entry_points if point.group == "pytest11"
    ]

    assert found.name == found.value == "pytest_podsource.plugin"


def test_package_is_typed() -> None:
    """The marker that type checkers look for is installed too."""
    assert (PACKAGE / "py.typed").is_file()


def test_schemas_and_templates_are_installed() -> None:
    """What is no Python file is easily left out of a wheel."""
    ours = CHECKOUT / "pytest_podsource"
    files = [
        path.relative_to(ours)
        for folder in ("driver/schemas", "templates")
        for path in (ours / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]

    assert len(files) >= 45
    assert [path for path in files if not (PACKAGE / path).is_file()] == []


def test_all_cases_of_the_checkout_are_bundled() -> None:
    """Neither a wheel nor an editable install leaves one out."""
    ours = CHECKOUT / "conformance"
    files = {
        path.relative_to(ours)
        for name in ("cases", "recorded")
        for path in (ours / name).rglob("*.yaml")
    }

    found = bundled_root()

    assert {path for path in files if not (found / path).is_file()} == set()
    assert len(load_cases(found / "cases")) >= 200


@pytest.mark.skipif(_is_editable(), reason="an editable install has the checkout's")
def test_wheel_has_everything_inside_the_package() -> None:
    """What is tested comes from site-packages, and so do its cases."""
    assert "site-packages" in PACKAGE.parts
    assert bundled_root() == PACKAGE / "conformance"
    assert all((PACKAGE / "data" / name).is_file() for name in ("facts.json",))
    assert not [path for path in _installed().files or () if path.parts[0] == "tests"]


@pytest.mark.skipif(not _is_editable(), reason="a wheel has its own")
def test_editable_install_has_the_cases_of_the_checkout() -> None:
    """A case that is edited there is the one that runs."""
    assert bundled_root() == CHECKOUT / "conformance"
