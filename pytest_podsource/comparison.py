"""
A run that compares two implementations over generated scenarios.

Rule 1: it takes the place of the cases; what no case looks at is what it is for. Rule 2:
a difference is written out as a case file where pytest was called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from types import ModuleType
from typing import Any

import pytest

from pytest_podsource.driver.base import Driver
from pytest_podsource.exceptions import PodSourceError
from pytest_podsource.options import ROOT
from pytest_podsource.run import run_of
from pytest_podsource.settings import Settings, settings_of

COMPONENTS = ("podconfig", "manifest", "file")
_ID = f"{ROOT}/against"


class Comparison:
    """
    The hooks of such a run.

    Args:
        config: The run's.

    Raises:
        pytest.UsageError: Hypothesis is lacking.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._settings = settings_of(config)
        self._compared = 0
        try:
            import hypothesis  # noqa: F401, PLC0415 - only if asked
        except ImportError:
            raise pytest.UsageError(
                "--podsource-against: Hypothesis is needed to make scenarios. "
                "Install pytest-podsource[differential]."
            ) from None

    def pytest_report_header(self) -> str:
        """Say what is compared."""
        settings = self._settings
        return (
            f"podsource: {settings.impl} against {settings.against}, "
            f"{settings.examples} scenarios a component, kubelet {settings.kubelet}, "
            f"seed {settings.seed}"
        )

    @pytest.hookimpl(tryfirst=True)  # before -k, -m, --lf and --deselect
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """Add a comparison for each component."""
        node = ComparisonsNode.from_parent(
            session, path=session.path, name=_ID, nodeid=_ID
        )
        items.extend(session.genitems(node))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what was compared."""
        ours = report.nodeid.startswith(_ID)
        self._compared += ours and report.when == "call" and not report.skipped

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """See that nothing compared is not green."""
        if not self._compared and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


class ComparisonsNode(pytest.Module):
    """
    All comparisons of a run, as one module.
    """

    def collect(self) -> Iterator[pytest.Function]:
        """Return a test for each component."""
        wanted = settings_of(self.config).component
        for component in COMPONENTS:
            if not wanted or component in wanted:
                yield ComparisonNode.from_parent(
                    self, name=component, callobj=compare_component
                )

    def _getobj(self) -> ModuleType:
        return ModuleType(_ID)


class ComparisonNode(pytest.Function):
    """
    The comparison of one component, named like it.
    """

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        """Return the difference alone, without a traceback of ours."""
        if isinstance(excinfo.value, pytest.fail.Exception):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


def compare_component(podsource_impl: Any, request: pytest.FixtureRequest) -> None:
    """
    Compare one component; the test function of all comparisons.
    """
    config, component = request.config, request.node.name
    settings = settings_of(config)
    ours = run_of(config).driver(podsource_impl)
    with closing(_other(settings)) as theirs:
        _skip_if_lacking(component, (ours, theirs))
        _compare(ours, theirs, component, config)


def _other(settings: Settings) -> Driver:
    from pytest_podsource.driver.load import load_driver  # noqa: PLC0415 - only if asked

    try:
        return load_driver(settings.against, kubelet=settings.kubelet)
    except PodSourceError as error:
        raise pytest.UsageError(f"--podsource-against: {error}") from None


def _skip_if_lacking(component: str, drivers: Sequence[Driver]) -> None:
    for driver in drivers:
        if component not in driver.offer.components:
            pytest.skip(f"unsupported: {driver.offer.name} doesn't offer {component}")


def _compare(
    ours: Driver, theirs: Driver, component: str, config: pytest.Config
) -> None:
    from pytest_podsource.differential import case_text, compare  # noqa: PLC0415 - slow

    settings = settings_of(config)
    found = compare(
        ours,
        theirs,
        component,
        settings.examples,
        settings.seed,
        kubelet=settings.kubelet,
    )
    if found:
        path = config.invocation_params.dir / f"podsource-difference-{component}.yaml"
        text = case_text(found)
        path.write_text(text, "utf-8")
        pytest.fail(f"{found}\n\n{text}\nwritten to {path}", pytrace=False)
