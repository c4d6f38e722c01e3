"""
A conformance run, on the side where cases are run: one object for each pytest process.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_podsource import baseline
from pytest_podsource.driver.base import Abilities, Driver
from pytest_podsource.exceptions import PodSourceError
from pytest_podsource.report.judged import Judged
from pytest_podsource.settings import Settings, settings_of

if TYPE_CHECKING:
    from pytest_podsource.driver.trace import Trace
    from pytest_podsource.record import Record
    from pytest_podsource.suite.case import Case
    from pytest_podsource.suite.runner import MakeWorld
    from pytest_podsource.suite.story import Origins
    from pytest_podsource.suite.verdict import Outcome

_ADAPTER = (sys.executable, "-m", "pytest_podsource.adapter")
_NOT_AGAIN = (
    "impl",
    "component",
    "case",
    "require",
    "min",
    "baseline",
    "baseline-write",
    "trace",
    "report",
)


class Run:
    """
    What the run was told, the implementation, and how a case is judged.

    Args:
        settings: What the run was told.

    Raises:
        pytest.UsageError: The trace can't be written.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._reached: tuple[Any, Driver] | None = None
        self._trace = _trace_to(settings.trace) if settings.trace else None

    @cached_property
    def implementation(self) -> Any:
        """
        Return what ``--podsource-impl`` names: an object with factories.

        Raises:
            pytest.UsageError: It can't be loaded, or none was named.
        """
        settings = self.settings
        if not settings.impl:
            raise pytest.UsageError(
                "podsource: no implementation was named. Add --podsource-impl=TARGET, "
                "or give one by a fixture podsource_impl in the root conftest.py."
            )
        from pytest_podsource.driver.load import load  # noqa: PLC0415 - only if asked

        if settings.isolate:
            return f"cmd:{shlex.join([*_ADAPTER, settings.impl])}"
        return _usage(load, settings.impl, settings.as_ or None)

    @cached_property
    def known(self) -> dict[str, str]:
        """
        Return the reasons of the baseline, by id.

        Raises:
            pytest.UsageError: The file breaks its form.
        """
        path = self.settings.baseline
        return {} if path is None else _usage(baseline.read, path)

    @cached_property
    def frozen(self) -> dict[str, str]:
        """
        Return the hashes of the frozen set's cases, by id; empty if all count.

        Raises:
            pytest.UsageError: There is no such set.
        """
        from pytest_podsource.frozen import read  # noqa: PLC0415 - only if asked

        return _usage(read, self.settings.set_) if self.settings.set_ else {}

    @cached_property
    def _records(self) -> Mapping[str, Record]:
        from pytest_podsource.record import load_records  # noqa: PLC0415
        from pytest_podsource.suite.bundled import bundled_root  # noqa: PLC0415

        return load_records(bundled_root() / "recorded")

    @cached_property
    def _origins(self) -> Origins:
        from pytest_podsource.suite.story import load_origins  # noqa: PLC0415

        return load_origins()

    def driver(self, implementation: Any) -> Driver:
        """
        Return what reaches *implementation*; the same for the same one.

        Raises:
            pytest.UsageError: It doesn't fit the contract.
        """
        if self._reached is None or self._reached[0] is not implementation:
            from pytest_podsource.driver.load import driver_of  # noqa: PLC0415

            self._leave()
            settings = self.settings
            name = settings.impl or getattr(
                implementation, "__name__", type(implementation).__name__
            )
            driver = _usage(
                partial(
                    driver_of,
                    kubelet=settings.kubelet,
                    time=_time_of(settings),
                    folder=str(settings.cwd or ""),
                    trace=self._trace,
                ),
                implementation,
                name,
            )
            self._reached = (implementation, driver)
        return self._reached[1]

    def close(self) -> None:
        """End the implementation's process, if it has one, and the trace."""
        self._leave()
        if self._trace:
            self._trace.close()

    def _leave(self) -> None:
        if self._reached is not None:
            self._reached[1].close()
            self._reached = None

    def check(self, implementation: Any, item: pytest.Item, case: Case) -> None:
        """
        Run *case*; what *item* shows is its verdict and, if it failed, its story.
        """
        from pytest_podsource.report.carried import (  # noqa: PLC0415
            CARRIED,
            carried,
            properties,
        )
        from pytest_podsource.suite.runner import run_case  # noqa: PLC0415

        settings, driver = self.settings, self.driver(implementation)
        if self._trace:
            self._trace.case = case.id
        program = isinstance(implementation, str)
        abilities = driver.offer.abilities if program else Abilities()
        outcome = run_case(
            case,
            driver,
            _world_of(settings, abilities),
            kubelet=settings.kubelet,
            seed=settings.seed,
        )
        judged = self._judge(outcome)
        bad = not judged.skipped and judged.verdict != "passed"
        story = judged.remark or self._story(outcome) if bad else ""
        item.user_properties.extend(properties(judged, outcome, driver.offer))
        item.stash[CARRIED] = carried(
            outcome, judged, driver.offer, story=story, moments=bool(settings.report)
        )
        if settings.stories and judged.verdict == "passed":
            print(self._story(outcome))  # noqa: T201 - pytest keeps it with the report
        if driver.stderr and driver.stderr.strip() not in outcome.trace:
            item.add_report_section("call", "stderr of the program", driver.stderr)
        if judged.skipped:
            pytest.skip(f"{judged.verdict}: {judged.reason}")
        if bad:
            pytest.fail(story, pytrace=False)

    def _judge(self, outcome: Outcome) -> Judged:
        judged = Judged(
            id=outcome.case.id,
            verdict=outcome.verdict,
            reason=outcome.reason,
            scored=self._is_scored(outcome.case),
        )
        if outcome.verdict == "unsupported":
            return judged.required(self.settings.require)
        return judged.known(self.known)

    def _is_scored(self, case: Case) -> bool:
        owed = case.level == "base" and not case.features
        record = self._records.get(self.settings.kubelet)
        return (
            owed
            and (record is None or record.confirms(case))
            and (not self.frozen or self.frozen.get(case.id) == case.hash)
        )

    def _story(self, outcome: Outcome) -> str:
        from pytest_podsource.record import confirmed_by  # noqa: PLC0415
        from pytest_podsource.suite.story import tell  # noqa: PLC0415

        return tell(
            outcome,
            self._origins,
            again=self._again(outcome.case.id),
            confirmed=confirmed_by(outcome.case, self._records),
        )

    def _again(self, id_: str) -> str:
        said = [
            f"--podsource-{name}={text}"
            for name, text in self.settings.given
            if name not in _NOT_AGAIN
        ]
        impl = f"--podsource-impl={self.settings.impl}" if self.settings.impl else ""
        what = [impl or "podsource", *said, f"--podsource-case={id_}"]
        return " ".join(["pytest", *map(shlex.quote, what)])


_RUN = pytest.StashKey[Run]()


def run_of(config: pytest.Config) -> Run:
    """
    Return the run of this pytest process.
    """
    if _RUN not in config.stash:
        run = config.stash[_RUN] = Run(settings_of(config))
        config.add_cleanup(run.close)
    return config.stash[_RUN]


def _trace_to(path: Path) -> Trace:
    from pytest_podsource.driver.trace import Trace  # noqa: PLC0415 - only if asked

    try:
        return Trace(path)
    except OSError as error:
        raise pytest.UsageError(
            f"--podsource-trace: {str(path)!r} can't be written: {error.strerror}. "
            "Name a file in a folder that exists."
        ) from None


def _time_of(settings: Settings) -> Literal["env", "patched", "real"]:
    return "real" if settings.world == "real" else settings.time


def is_in_real_time(settings: Settings, abilities: Abilities) -> bool:
    """
    Return whether a second of a case takes a second: as asked for, or as needed.
    """
    return "real" in (settings.world, abilities.time)


def _world_of(settings: Settings, abilities: Abilities) -> MakeWorld:
    """
    Return what makes the worlds: as asked for, or as a program's abilities need.
    """
    if is_in_real_time(settings, abilities):
        from pytest_podsource.world.real import RealWorld  # noqa: PLC0415 - slow

        told = settings.time != "real" and abilities.watch == "told"
        return partial(RealWorld, told=told, limit_ns=settings.real_limit_ns)
    from pytest_podsource.world.pick import pick_world  # noqa: PLC0415

    return pick_world(
        world=settings.world,
        time=settings.time,
        fs=settings.fs,
        real_limit_ns=settings.real_limit_ns,
    )


def _usage(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return call(*args)
    except PodSourceError as error:
        raise pytest.UsageError(str(error)) from None
