"""
Each verdict of the table is given when its row says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_podsource.contract import Config, Environment, Refused, SourceUpdate
from pytest_podsource.driver.base import Offer
from pytest_podsource.driver.inprocess import InProcessDriver
from pytest_podsource.exceptions import CannotRunHere, DriverError, TimedOut
from pytest_podsource.known import COMPONENTS
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.pods import for_object
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.story import Origins, tell
from pytest_podsource.suite.verdict import Outcome
from pytest_podsource.world.base import Scene
from pytest_podsource.world.simulated import SimulatedWorld

MakeCase = Callable[..., Case]
LOGS = frozenset({"logs"})


def _pods(*names: str) -> SourceUpdate:
    return SourceUpdate(source="file", pods=tuple(for_object(name) for name in names))


class Script:
    """
    A file source that sends what it was told, when it was told.
    """

    def __init__(self, env: Environment, at: Iterable[tuple[int, Any]]) -> None:
        self._env = env
        self._at = tuple(at)
        self.stopped = 0

    def start(self) -> None:
        for delay_ns, act in self._at:
            self._env.clock.call_later(delay_ns, lambda act=act: act(self._env))  # type: ignore[misc]

    def stop(self) -> None:
        self.stopped += 1


def _source(*at: tuple[int, Any]) -> SimpleNamespace:
    return SimpleNamespace(new_file_source=lambda config, env: Script(env, at))


def _sends(*names: str) -> Callable[[Environment], None]:
    return lambda env: env.send(_pods(*names))


def _run(
    case: Case,
    implementation: Any,
    world: Callable[[Scene], Any] = SimulatedWorld,
    **fields: Any,
) -> Outcome:
    offer = Offer(**({"name": "x", "components": frozenset(COMPONENTS)} | fields))
    driver = InProcessDriver(implementation, offer)
    return run_case(case, driver, world, kubelet="1.37")


def test_case_passes_when_all_that_came_was_expected(a_case: MakeCase) -> None:
    """There is a moment for each step, and no reason."""
    case = a_case(
        {"start": None, "expect": [{"SET": ["a"]}]},
        {"advance": "20s", "expect": [{"SET": ["b"], "at": "20s"}]},
        component="file",
    )

    outcome = _run(case, _source((0, _sends("a")), (20_000_000_000, _sends("b"))))

    assert (outcome.verdict, outcome.reason) == ("passed", "")
    assert [each.done for each in outcome.moments] == ["start", "advance 20s"]


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (
            [{"start": None, "expect": [{"SET": ["b"]}]}],
            "expected: SET file [b]; got: SET file [a]",
        ),
        (
            [{"start": None, "expect": []}],
            "expected: nothing; got: SET file [a]",
        ),
        (
            [{"start": None, "expect": [{"SET": ["a"]}, {"SET": ["b"]}]}],
            "expected: SET file [b]; got: nothing more",
        ),
        (
            [{"start": None, "expect": "any"}, {"start": None, "expect": []}],
            "expected: nothing; got: SET file [a]",
        ),
    ],
)
def test_case_fails_where_something_else_came(
    a_case: MakeCase, steps: list[Any], reason: str
) -> None:
    """The reason is the first place where the two part."""
    outcome = _run(a_case(*steps, component="file"), _source((0, _sends("a"))))

    assert (outcome.verdict, outcome.reason) == ("failed", reason)


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ([{"start": None, "expect": []}, {"advance": "20s"}], "failed"),
        ([{"start": None}, {"advance": "20s"}], "passed"),
        ([{"start": None, "expect": "any"}, {"advance": "20s"}], "passed"),
        ([{"start": None}, {"advance": "20s", "expect": [{"SET": ["a"]}]}], "passed"),
    ],
)
def test_what_no_step_has_judged_fails_a_case_that_judges(
    a_case: MakeCase, steps: list[Any], verdict: str
) -> None:
    """A step without an expectation leaves its output to the next; the end judges."""
    source = _source((20_000_000_000, _sends("a")))

    outcome = _run(a_case(*steps, component="file"), source)

    assert outcome.verdict == verdict
    if verdict == "failed":
        assert outcome.reason == "something came that no step has judged"
        assert outcome.moments[-1].got == ("SET file [a]",)


def test_unjudged_calls_fail_a_case_of_the_sync_loop(a_case: MakeCase) -> None:
    """Where operations aren't the point, handlers are."""

    class Loop:
        def __init__(self, env: Environment) -> None:
            self._env = env

        def start(self) -> None:
            self._env.handle("handle_pod_syncs", [])

        def stop(self) -> None: ...

        def deliver(self, update: Any) -> None:
            if update is not None:
                self._env.handle("handle_pod_additions", update.pods)

    loop = SimpleNamespace(new_sync_loop=lambda config, env: Loop(env))
    steps = [
        {"start": None, "calls": [{"handle_pod_syncs": None}]},
        {"deliver": {"ADD": ["a"], "source": "api"}},
    ]
    judged = {"close": None, "calls": [{"handle_pod_additions": ["a"]}]}

    assert _run(a_case(*steps, judged, component="syncloop"), loop).verdict == "passed"
    assert _run(a_case(*steps, component="syncloop"), loop).verdict == "failed"


def test_other_streams_begin_after_the_last_expect(a_case: MakeCase) -> None:
    """A log that came with a judged set isn't asked for again."""

    def logs(env: Environment) -> None:
        env.log("error", "no such file")
        env.send(_pods("a"))

    at = ((0, logs), (20_000_000_000, logs))
    one, two = [{"level": "error"}], [{"level": "error"}] * 2
    judged = a_case(
        {"start": None, "expect": "any"},
        {"advance": "20s", "logs": one},
        component="file",
    )
    unjudged = a_case(
        {"start": None}, {"advance": "20s", "logs": two}, component="file"
    )

    for case in (judged, unjudged):
        assert _run(case, _source(*at), features=LOGS).verdict == "passed"


def _raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "raises", "verdict"),
    [
        (Refused("bad port", parsed=True), True, "passed"),
        (Refused("bad port"), "Refused", "passed"),
        (Refused("bad port", parsed=True), {"parsed": True, "about": "Port"}, "passed"),
        (Refused("bad port"), {"parsed": True}, "failed"),
        (Refused("bad port"), {"about": "name"}, "failed"),
        (ValueError("oops"), True, "passed"),
        (ValueError("oops"), "Refused", "failed"),
        (ValueError("oops"), {"about": "oops"}, "failed"),
        (Refused("bad port"), None, "failed"),
        (ValueError("oops"), None, "crashed"),
    ],
)
def test_raises_takes_the_error_that_it_says(
    a_case: MakeCase, error: Exception, raises: Any, verdict: str
) -> None:
    """An error that nobody expected fails, and anything but Refused is a crash."""
    step: dict[str, Any] = {"call": {"decode_manifest": {"pod": "a"}}}
    if raises is not None:
        step["raises"] = raises
    decoder = SimpleNamespace(decode_manifest=_raising(error))

    assert _run(a_case(step, component="manifest"), decoder).verdict == verdict


def test_raises_fails_when_nothing_is_raised(a_case: MakeCase) -> None:
    """What came instead is said."""
    step = {"call": {"decode_manifest": {"pod": "a"}}, "raises": "Refused"}
    decoder = SimpleNamespace(decode_manifest=lambda data, config: {})

    outcome = _run(a_case(step, component="manifest"), decoder)

    assert outcome.reason == "expected: raises Refused; got: raised nothing"


def test_crash_keeps_its_trace_and_where_it_happened(a_case: MakeCase) -> None:
    """Also one that comes out of a callback, while the world settles."""
    source = _source((20_000_000_000, lambda env: 1 // 0))
    case = a_case({"start": None}, {"advance": "20s", "expect": []}, component="file")

    outcome = _run(case, source)

    assert outcome.verdict == "crashed"
    assert "1 // 0" in outcome.trace
    assert outcome.moments[-1].done == "advance 20s"
    assert "ZeroDivisionError" in outcome.moments[-1].got[0]


@pytest.mark.parametrize(
    ("returns", "verdict"),
    [
        ([{"name": "a", "uid": "$u"}], "passed"),
        ({"name": "a"}, "passed"),
        ("a", "passed"),
        (["b"], "failed"),
        (["a", "a"], "failed"),
        ([], "failed"),
        ({"any_order": ["a"]}, "passed"),
    ],
)
def test_pod_that_is_returned_is_one_pod_or_a_list_of_one(
    a_case: MakeCase, returns: Any, verdict: str
) -> None:
    """Short keys hold in what is returned as well."""
    step = {"call": {"decode_manifest": {"pod": "a"}}, "returns": returns}
    decoder = SimpleNamespace(decode_manifest=lambda data, config: for_object("a"))

    assert _run(a_case(step, component="manifest"), decoder).verdict == verdict


def test_function_gets_the_settings_of_the_case_and_of_the_call(
    a_case: MakeCase,
) -> None:
    """Nothing of the world's own paths leaks into a manifest."""
    configs: list[Config] = []

    def decode(data: bytes, config: Config) -> dict[str, Any]:
        configs.append(config)
        return {}

    decoder = SimpleNamespace(decode_manifest=decode)
    steps = (
        {"call": {"decode_manifest": {"pod": "a"}}},
        {"call": {"decode_manifest": {"pod": "a", "path": "/m/b", "node_name": "n"}}},
    )

    _run(a_case(*steps, component="manifest", given={"url": "http://u"}), decoder)

    assert [(c.path, c.url, c.node_name) for c in configs] == [
        ("", "http://u", "node1"),
        ("/m/b", "http://u", "n"),
    ]


def test_diff_returns_its_three_lists_by_name(a_case: MakeCase) -> None:
    """The tuple of the contract is a mapping in a case."""
    differ = SimpleNamespace(diff_snapshots=lambda old, new: (["b"], [], ["a"]))
    step = {
        "call": {"diff_snapshots": {"old": {"a": 1}, "new": {"b": 1}}},
        "returns": {"added": ["b"], "updated": [], "removed": ["a"]},
    }

    assert _run(a_case(step, component="diff"), differ).verdict == "passed"


class _Merge:
    """
    A PodConfig that takes one update, and no second one.
    """

    def __init__(self, env: Environment) -> None:
        self._taken = 0

    def channel(self, source: str) -> Callable[..., None]:
        def put(update: SourceUpdate, taken: Callable[[], None] | None = None) -> None:
            self._taken += 1
            if taken is not None and self._taken == 1:
                taken()

        return put


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [(False, True, "passed"), (True, True, "failed"), (False, False, "failed")],
)
def test_blocked_says_whether_an_update_was_taken(
    a_case: MakeCase,
    *,
    first: bool,
    second: bool,
    verdict: str,
) -> None:
    """Back pressure is seen, not waited for."""
    merge = SimpleNamespace(new_pod_config=lambda config, env: _Merge(env))
    case = a_case(
        {"send": {"file": ["a"]}, "blocked": first},
        {"send": {"file": ["b"]}, "blocked": second},
        given={"sources": ["file"]},
    )

    assert _run(case, merge).verdict == verdict


def _spin(env: Environment) -> None:
    env.clock.call_later(0, lambda: _spin(env))


@pytest.mark.parametrize(
    ("act", "spins", "verdict"),
    [
        (_spin, True, "passed"),
        (_spin, None, "failed"),
        (_sends("a"), True, "failed"),
    ],
)
def test_spinning_fails_unless_it_is_expected(
    a_case: MakeCase, act: Any, *, spins: bool | None, verdict: str
) -> None:
    """An expected spin ends the case."""
    step = {"start": None} | ({"spins": True} if spins else {})
    case = a_case(step, {"advance": "1s", "expect": []}, component="file")

    outcome = _run(case, _source((0, act)))

    assert outcome.verdict == verdict
    assert len(outcome.moments) == 1


def test_restart_stops_and_makes_a_new_object_with_other_settings(
    a_case: MakeCase,
) -> None:
    """What the first one left running is told to stop."""
    made: list[tuple[str, Script]] = []

    def new(config: Config, env: Environment) -> Script:
        made.append((config.node_name, Script(env, ())))
        return made[-1][1]

    case = a_case(
        {"start": None},
        {"restart": {"node_name": "node2"}},
        {"stop": None},
        component="file",
    )

    outcome = _run(case, SimpleNamespace(new_file_source=new))

    assert outcome.verdict == "passed"
    assert [name for name, _ in made] == ["node1", "node2"]
    assert [script.stopped for _, script in made] == [1, 1]


@pytest.mark.parametrize(
    ("fields", "offer", "verdict", "reason"),
    [
        (
            {"versions": "<1.36"},
            {},
            "not applicable",
            "it holds for kubelets <1.36, this is 1.37",
        ),
        (
            {},
            {"components": frozenset({"diff"})},
            "unsupported",
            "file is not offered",
        ),
        (
            {"level": "logs"},
            {"features": frozenset({"base"})},
            "unsupported",
            "logs is not offered",
        ),
        (
            {"features": frozenset({"logs"})},
            {"features": frozenset()},
            "unsupported",
            "logs is not offered",
        ),
        ({"level": "logs"}, {"features": None}, "passed", ""),
        ({"level": "logs"}, {"features": frozenset({"logs"})}, "passed", ""),
        (
            {"given": {"fresh_process": True}},
            {},
            "unsupported",
            "it needs a process of its own, --podsource-isolate gives one",
        ),
        (
            {"given": {"fresh_process": True}},
            {"features": frozenset({"fresh-process"})},
            "passed",
            "",
        ),
    ],
)
def test_case_that_cant_be_shown_is_skipped_with_its_word(
    a_case: MakeCase, fields: Any, offer: Any, verdict: str, reason: str
) -> None:
    """What isn't offered is never failed and never passed."""
    case = a_case({"start": None}, component="file", **fields)

    outcome = _run(case, _source(), **offer)

    assert (outcome.verdict, outcome.reason) == (verdict, reason)


def test_call_of_a_component_that_is_not_offered_is_unsupported(
    a_case: MakeCase,
) -> None:
    """The case needs both."""
    case = a_case({"call": {"add_source": "file"}}, component="podconfig")

    outcome = _run(case, _source(), components=frozenset({"podconfig"}))

    assert outcome.reason == "ready is not offered"


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (CannotRunHere("needs root"), "disabled"),
        (TimedOut("10 s without an answer"), "timeout"),
        (DriverError("a thread runs on"), "harness error"),
        (KeyError("our fault"), "harness error"),
    ],
)
def test_who_is_at_fault_is_in_the_type(
    a_case: MakeCase, error: Exception, verdict: str
) -> None:
    """Nothing but the implementation's own faults fails a case."""
    case = a_case({"start": None}, component="file")

    outcome = _run(case, _source(), world=_raising(error))

    assert outcome.verdict == verdict


@pytest.mark.parametrize(
    ("steps", "given"),
    [
        ([{"start": None}], {"period": "soon"}),
        ([{"expect": []}], {}),
        ([{"call": {"nothing": None}}], {}),
        ([{"remove": "not-there"}], {}),
        ([{"advance": 20}], {}),
    ],
)
def test_case_at_fault_is_a_failed_setup(
    a_case: MakeCase, steps: list[Any], given: Any
) -> None:
    """A broken case says nothing about an implementation."""
    outcome = _run(a_case(*steps, component="file", given=given), _source())

    assert outcome.verdict == "setup failed"


class _Connection:
    """
    A connection whose end fails.
    """

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    def new(self, component: str, config: Config) -> None:
        """Make nothing."""

    def call(self, component: str, method: str, arguments: Any) -> Any:
        """Refuse what the case asks for, if it does."""
        if method == "stop":
            raise Refused("no stop")

    def close(self) -> None:
        if self._error:
            raise self._error


@pytest.mark.parametrize(
    ("steps", "verdict"), [([], "harness error"), ([{"stop": None}], "failed")]
)
def test_fault_at_the_end_counts_unless_there_was_one_before(
    a_case: MakeCase, steps: list[Any], verdict: str
) -> None:
    """A thread that runs on is seen when the case is over."""
    driver = SimpleNamespace(
        offer=Offer(name="x", components=frozenset(COMPONENTS)),
        connect=lambda host: _Connection(DriverError("a thread runs on")),
    )
    case = a_case({"start": None}, *steps, component="file")

    outcome = run_case(case, driver, SimulatedWorld, kubelet="1.37")

    assert outcome.verdict == verdict


@pytest.mark.parametrize("broken", [None, DriverError("x"), KeyboardInterrupt()])
def test_world_is_closed_whatever_happens(
    a_case: MakeCase, broken: BaseException | None
) -> None:
    """Nothing of a case is left behind."""
    worlds: list[SimulatedWorld] = []
    closed: list[SimulatedWorld] = []

    class World(SimulatedWorld):
        def close(self) -> None:
            closed.append(self)
            super().close()

        def settle(self) -> None:
            if broken:
                raise broken

    def make(scene: Scene) -> SimulatedWorld:
        worlds.append(World(scene))
        return worlds[-1]

    case = a_case({"start": None}, component="file")
    interrupted = isinstance(broken, KeyboardInterrupt)
    context: AbstractContextManager[Any] = (
        pytest.raises(KeyboardInterrupt) if interrupted else nullcontext()
    )

    with context:
        _run(case, _source(), world=make)

    assert len(worlds) == 1
    assert closed == worlds


@pytest.mark.parametrize(
    "value", [None, ([], []), "abc", {"added": 1}, [[], [], [], []]]
)
def test_diff_of_another_shape_fails(a_case: MakeCase, value: Any) -> None:
    """It is the implementation's fault, not the harness's."""
    differ = SimpleNamespace(diff_snapshots=lambda old, new: value)
    step = {
        "call": {"diff_snapshots": {"old": {}, "new": {}}},
        "returns": {"added": [], "updated": [], "removed": []},
    }

    assert _run(a_case(step, component="diff"), differ).verdict == "failed"


@pytest.mark.parametrize(
    "sent",
    [
        "text",
        None,
        SourceUpdate(source="file", pods="ab"),  # type: ignore[arg-type]
        SourceUpdate(source="file", pods=None),  # type: ignore[arg-type]
        SourceUpdate(source="file", pods=(1, None)),  # type: ignore[arg-type]
        SourceUpdate(source="file", pods=({"metadata": "x", "spec": 1},)),
        SourceUpdate(source="file", pods=({"metadata": {"name": [], "uid": {}}},)),
        SourceUpdate(source="file", pods=({(1, 2): {3}, 4: b"x"},)),  # type: ignore[dict-item]
    ],
)
@pytest.mark.parametrize(
    "stream",
    [
        [{"SET": [{"name": "a", "uid": "$u", "image": "x"}]}],
        [{"SET": ["a", "b"]}],
        [{"SET": []}],
        {"any_order": [{"SET": {"any_order": ["a"]}}]},
        {"ends_with": [{"SET": {"count": 9}}]},
        [],
    ],
)
def test_rubbish_that_is_sent_fails(a_case: MakeCase, sent: Any, stream: Any) -> None:
    """Whatever comes, the verdict is about the implementation, and can be told."""
    source = _source((0, lambda env: env.send(sent)), (0, lambda env: env.send(sent)))
    case = a_case({"start": None, "expect": stream}, component="file")

    outcome = _run(case, source)

    assert outcome.verdict in {"failed", "crashed"}
    assert tell(outcome, Origins())


@pytest.mark.parametrize("value", [None, 1, "a", [None], [[]], {"metadata": None}])
def test_rubbish_that_is_returned_fails(a_case: MakeCase, value: Any) -> None:
    """A pod is a mapping, and a list of pods a list."""
    decoder = SimpleNamespace(decode_manifest=lambda data, config: value)
    step = {"call": {"decode_manifest": {"pod": "a"}}, "returns": ["a"]}

    assert _run(a_case(step, component="manifest"), decoder).verdict == "failed"


def test_moments_show_where_the_streams_of_a_step_part(a_case: MakeCase) -> None:
    """Lines of several streams stand below each other, in step with what came."""

    def act(env: Environment) -> None:
        env.send(_pods("a"))
        env.send(_pods("b"))
        env.log("error", "one")
        env.log("info", "two")

    step = {
        "start": None,
        "expect": {"ends_with": [{"SET": ["b"]}]},
        "logs": [{"level": "error"}, {"level": "error"}],
    }

    outcome = _run(
        a_case(step, component="file"),
        _source((0, act)),
        features=LOGS,
    )

    (moment,) = outcome.moments
    assert moment.expected == (
        "...",
        "SET file [b]",
        "log level=error",
        "log level=error",
    )
    assert moment.got == (
        "SET file [a]",
        "SET file [b]",
        "log level=error message=one",
        "log level=info message=two",
    )
    assert moment.parts_at == 3
    assert outcome.reason == (
        "expected: log level=error; got: log level=info message=two"
    )


def test_streams_of_different_length_are_aligned_below_each_other(
    a_case: MakeCase,
) -> None:
    """What is written beside a line belongs to it."""

    def act(env: Environment) -> None:
        env.send(_pods("a"))
        env.send(_pods("a"))
        env.log("error", "one")

    step = {"start": None, "expect": [{"SET": ["a"]}], "logs": []}

    outcome = _run(a_case(step, component="file"), _source((0, act)), features=LOGS)

    (moment,) = outcome.moments
    assert moment.expected == ("SET file [a]", "", "no log")
    assert moment.got == ("SET file [a]", "SET file [a]", "log level=error message=one")
    assert moment.parts_at == 2


def test_ending_that_parts_is_shown_at_its_line(a_case: MakeCase) -> None:
    """What came before it is passed over on the left."""
    source = _source(*((0, _sends(name)) for name in "abc"))
    stream = {"ends_with": [{"SET": ["b"]}, {"SET": ["d"]}]}
    case = a_case({"start": None, "expect": stream}, component="file")

    outcome = _run(case, source)

    assert outcome.moments[-1].expected == ("...", "SET file [b]", "SET file [d]")
    assert outcome.moments[-1].parts_at == 2
    assert outcome.reason == "expected: SET file [d]; got: SET file [c]"


def test_uids_that_were_never_bound_have_names_in_the_story(a_case: MakeCase) -> None:
    """The first mismatch is at the very pod that should have bound the name."""
    uid = "0123456789abcdef0123456789abcdef"
    pod = for_object({"name": "b", "uid": uid})
    update = SourceUpdate(source="file", pods=(pod,))
    step = {"start": None, "expect": [{"SET": [{"name": "a", "uid": "$u"}]}]}

    outcome = _run(
        a_case(step, component="file"), _source((0, lambda env: env.send(update)))
    )

    assert outcome.moments[-1].got == ("SET file [b uid=$u]",)


@pytest.mark.parametrize(
    ("level", "verdict"), [("base", "passed"), ("nil-and-empty", "failed")]
)
def test_level_tells_nil_and_empty_apart(
    a_case: MakeCase, level: str, verdict: str
) -> None:
    """Elsewhere an empty list is as good as none."""
    pod = for_object({"name": "a", "finalizers": []})
    decoder = SimpleNamespace(decode_manifest=lambda data, config: pod)
    step = {
        "call": {"decode_manifest": {"pod": "a"}},
        "returns": {"finalizers": "$absent"},
    }

    case = a_case(step, component="manifest", level=level)

    assert _run(case, decoder).verdict == verdict
