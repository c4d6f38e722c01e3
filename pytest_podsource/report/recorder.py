"""
The hooks that carry results from where cases run to where the reports are written.

Rule 1: a result travels as an attribute of pytest's report, so that pytest-xdist takes
it along. Rule 2: a report that can't be written is told, and changes no verdict.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import IO, Any

import pytest

from pytest_podsource.report.carried import CARRIED
from pytest_podsource.report.jsonlines import Writer
from pytest_podsource.report.model import CaseSet, Report, Result, RunInfo
from pytest_podsource.report.told import ToldStory, told_causes
from pytest_podsource.report.visible import visible
from pytest_podsource.report.written import written
from pytest_podsource.settings import Settings, settings_of

_ATTRIBUTE = "podsource"


class Recorder:
    """
    Keeps the results of one pytest run.

    Args:
        config: The run's.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._settings = settings_of(config)
        self._is_worker = hasattr(config, "workerinput")
        self._cases = CaseSet(suite="", digest="")
        self.report = Report()
        self._outputs: list[_Output] = []
        self._failed: list[tuple[pytest.TestReport, str]] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, None]:
        """Give pytest's report what the case has shown."""
        made = yield
        carried = item.stash.get(CARRIED, None)
        if call.when == "call" and carried is not None:
            setattr(made.get_result(), _ATTRIBUTE, carried)

    def pytest_sessionstart(self) -> None:
        """Open the reports, so that what is wrong with a path is known early."""
        if self._is_worker or not self._settings.report:
            return
        self._cases = case_set(self._settings)
        self._outputs = [_Output(path) for path in self._settings.report]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a result, and write its line."""
        carried = getattr(report, _ATTRIBUTE, None)
        if self._is_worker or report.when != "call" or carried is None:
            return
        run = self._run_of(carried["run"])
        result = Result.of({**carried["result"], "seconds": round(report.duration, 6)})
        self.report.add(run, result)
        for output in self._outputs:
            output.add(run, result)
        if report.failed and result.story:
            self._failed.append((report, result.id))

    @pytest.hookimpl(tryfirst=True)  # the terminal prints the failures afterwards
    def pytest_sessionfinish(self) -> None:
        """Write the reports; let each story name the failures that it goes with."""
        if self._is_worker:
            return
        for output in self._outputs:
            output.close(self.report)
        ToldStory.put_into(self._failed, self.report)

    @pytest.hookimpl(trylast=True)  # after what each component did
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Say what failures have in common, and where the reports are."""
        for line in told_causes(self.report):
            terminalreporter.line(visible(line))
        for output in self._outputs:
            if output.error:
                terminalreporter.line(output.error, red=True)
            else:
                terminalreporter.line(f"podsource: report in {output.path}")

    def _run_of(self, carried: dict[str, Any]) -> RunInfo:
        settings = self._settings
        return RunInfo(
            implementation=carried["implementation"],
            version=carried["version"],
            language=carried["language"],
            components=tuple(carried["components"]),
            kubelet=settings.kubelet,
            world=world_of(settings),
            seed=settings.seed,
            cases=self._cases,
            environment=tuple(sorted(carried["environment"].items())),
        )


class _Output:
    """
    One report, while it is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.error = ""
        self._stream: IO[str] | None = None
        self._writer: Writer | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = path.open("w", encoding="utf-8")
            if path.suffix == ".jsonl":
                self._writer = Writer(self._stream)
        except OSError as error:
            self._give_up(error)

    def add(self, run: RunInfo, result: Result) -> None:
        """Write the line of *result*, where the format has lines."""
        if self._writer is not None and not self.error:
            try:
                self._writer.add(run, result)
            except OSError as error:
                self._give_up(error)

    def close(self, report: Report) -> None:
        """Write what is left: the footer, or the whole of *report*."""
        if self._stream is None:
            return
        try:
            if self._writer is None:
                self._stream.write(written(report, self.path.suffix))
            elif not self.error:
                self._writer.close()
            self._stream.close()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.error = self.error or (
            f"podsource: {self.path}: the report could not be written: "
            f"{error.strerror}. The verdicts stand; name another file by "
            "--podsource-report and run again."
        )
        if self._stream is not None:
            stream, self._stream = self._stream, None
            with contextlib.suppress(OSError):  # it tries to write what is left
                stream.close()


def case_set(settings: Settings) -> CaseSet:
    """
    Return the cases that a run can have.
    """
    import hashlib  # noqa: PLC0415 - only for a report

    from pytest_podsource.release import release  # noqa: PLC0415
    from pytest_podsource.suite.bundled import bundled_root  # noqa: PLC0415
    from pytest_podsource.suite.case import load_cases  # noqa: PLC0415

    cases = load_cases(bundled_root() / "cases")
    if settings.cases is not None:
        cases += load_cases(settings.cases.absolute(), own=True)
    text = "".join(f"{case.id} {case.hash}\n" for case in cases)
    return CaseSet(
        suite=release(),
        name=settings.set_,
        digest=hashlib.sha256(text.encode()).hexdigest()[:12],
    )


def world_of(settings: Settings) -> str:
    """
    Return the world in words.
    """
    if settings.world == "real":
        return f"real, time {settings.time}"
    return f"simulated, time {settings.time}, files {settings.fs}"
