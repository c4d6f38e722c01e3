"""
The hooks of a run that the suite has joined.

Rule 1: all hooks that change something work alike in pytest-xdist's workers; what
counts and prints does so where there is a terminal. Rule 2: no case run is never green.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pytest_podsource import baseline
from pytest_podsource.collecting import CaseNode, Selection, collect
from pytest_podsource.driver.base import Offer
from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.report import terminal
from pytest_podsource.report.judged import judged_of
from pytest_podsource.report.tally import Tally
from pytest_podsource.run import is_in_real_time, run_of
from pytest_podsource.settings import settings_of
from pytest_podsource.sharding import part_of, seconds_of
from pytest_podsource.suite.forecast import Forecast, forecast


class Conformance:
    """
    The suite's part of one pytest run.

    Args:
        config: The run's.
        arguments: Those of the command line that mean cases.

    Raises:
        pytest.UsageError: An argument means no case.
    """

    def __init__(self, config: pytest.Config, arguments: Sequence[str]) -> None:
        self._config = config
        self._settings = settings_of(config)
        self._is_worker = hasattr(config, "workerinput")
        self._selection = Selection(arguments, self._settings)
        self._tally = Tally()
        self._unknown: list[str] = []

    def pytest_sessionstart(self) -> None:
        """See early whether the implementation and the lists can be used."""
        run = run_of(self._config)
        _ = run.frozen
        self._unknown = [id_ for id_ in run.known if not self._selection.knows(id_)]
        if self._settings.impl and not self._is_worker:
            run.driver(run.implementation)

    def pytest_report_header(self) -> list[str]:
        """Say what is tested, where, and what it offers."""
        if not self._settings.impl:
            return ["podsource: the implementation is what podsource_impl gives"]
        run = run_of(self._config)
        offer = run.driver(run.implementation).offer
        said = terminal.header(self._settings, offer)
        if is_in_real_time(self._settings, offer.abilities):
            said.append(terminal.length(self._forecast(offer), self._settings))
        return said

    def _forecast(self, offer: Offer) -> Forecast:
        from pytest_podsource.world.real import QUIET_NS  # noqa: PLC0415 - slow

        files = self._selection.files()
        return forecast(
            (case for file in files for case in self._selection.cases_of(file)),
            offer,
            kubelet=self._settings.kubelet,
            limit_ns=self._settings.real_limit_ns,
            quiet_ns=QUIET_NS,
        )

    # Before -k, -m, --lf and --deselect; a wrapper, for pytest-randomly has one that
    # shuffles what is there by then.
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> Iterator[None]:
        """Add the cases."""
        items.extend(self._of_this_shard(collect(session, self._selection)))
        yield

    def _of_this_shard(self, items: list[CaseNode]) -> list[CaseNode]:
        shard, durations = self._settings.shard, self._settings.durations
        if shard is None:
            return items
        try:
            seconds = seconds_of(durations) if durations else {}
        except UnusableReport as error:
            raise pytest.UsageError(f"--podsource-durations: {error}") from None
        part = part_of(shard, [item.case.id for item in items], seconds)
        return [item for item in items if item.case.id in part]

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        """Say how many cases were selected."""
        cases = [item.case for item in items if isinstance(item, CaseNode)]
        files = {case.file_id for case in cases}
        return [terminal.selected(len(files), len(cases))] if items else []

    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, str] | None:
        """Show as an error what is no fault of the implementation."""
        if report.when != "call" or not report.failed:  # "collect" is one more
            return None
        judged = judged_of(report.user_properties)
        return ("error", "E", "ERROR") if judged and judged.error else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a verdict."""
        judged = judged_of(report.user_properties)
        if report.when == "call" and judged:
            self._tally.add(judged)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the baseline; see that nothing is green that shouldn't be."""
        if self._is_worker or self._config.option.collectonly:
            return
        if self._settings.baseline_write:
            baseline.write(self._settings.baseline_write, self._tally.failures)
        if session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = self._exit_status(session.exitstatus)

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Say how each component did, and what is wrong with the run as a whole."""
        if self._config.option.collectonly:
            return
        terminalreporter.section("podsource")
        for line in terminal.summary(self._tally):
            terminalreporter.line(line)
        for line in self._complaints():
            terminalreporter.line(line, red=True)

    def _complaints(self) -> Iterator[str]:
        executed, least = self._tally.executed, self._settings.min
        if executed == 0:
            yield "No case was run."
        elif executed < least:
            yield f"{executed} cases were run; --podsource-min asks for {least}."
        for id_ in self._unknown:
            yield f"{self._settings.baseline}: there is no case {id_}. Take it out there."

    def _exit_status(self, status: int | pytest.ExitCode) -> int | pytest.ExitCode:
        if self._tally.executed == 0:
            return pytest.ExitCode.NO_TESTS_COLLECTED
        return pytest.ExitCode.TESTS_FAILED if any(self._complaints()) else status
