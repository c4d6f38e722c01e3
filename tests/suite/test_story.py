"""
A failed case tells what was done, where it parts, the rule and its origin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.suite.case import Case
from pytest_podsource.suite.expect import judge
from pytest_podsource.suite.show import Shown, done
from pytest_podsource.suite.steps import Step
from pytest_podsource.suite.story import Origins, load_origins, tell
from pytest_podsource.suite.values import Values
from pytest_podsource.suite.verdict import Moment, Outcome
from pytest_podsource.world.base import Seen

MakeCase = Callable[..., Case]
Make = Callable[..., Seen]
OLD, NEW = "0" * 31 + "1", "0" * 31 + "2"
ORIGINS = Origins(
    facts={
        "CONFIG-15": {
            "rule": "In one merge REMOVE comes before ADD",
            "from": "pkg/kubelet/config/config.go podStorage.Merge, merge (1.1.1 x.go y)",
        },
        "CONFIG-48": {"rule": "An edit is a new pod", "from": "reading only"},
    },
    reports={"R16": {"source": "kubernetes/kubernetes#52939", "symptom": "Both run."}},
)


def _failed(a_case: MakeCase, *moments: Moment, **fields: Any) -> Outcome:
    outcome = {k: fields.pop(k) for k in ("verdict", "reason", "trace") if k in fields}
    case = a_case({}, {}, component="sources", **fields)
    values: dict[str, Any] = {
        "verdict": "failed",
        "kubelet": "1.37",
        "moments": moments,
    } | outcome
    return Outcome(case=case, **values)


START = Moment(
    step=1,
    at_ns=0,
    done="start",
    expected=("ADD file [a-node1 uid=$old]",),
    got=("ADD file [a-node1 uid=$old]",),
)
PLACE = Moment(
    step=2,
    at_ns=0,
    done="place a.yaml",
    expected=("REMOVE file [a-node1 uid=$old]", "ADD file [a-node1 uid=$new]"),
    got=("ADD file [a-node1 uid=$new]", "REMOVE file [a-node1 uid=$old]"),
    parts_at=0,
)


def test_story_is_told_as_the_contract_shows_it(a_case: MakeCase) -> None:
    """Done, expected, got; the rule and its place; who met it; how to run it again."""
    outcome = _failed(
        a_case,
        START,
        PLACE,
        facts=("CONFIG-15", "CONFIG-48", "CONFIG-99"),
        reports=("R16",),
        versions=">=1.20",
        title="in one merge REMOVE comes before ADD",
    )

    told = tell(outcome, ORIGINS, again="pytest x", confirmed=("1.34.0", "1.37.2"))

    assert told == (
        "FAILED sources/x   step 2 of 2: place a.yaml, at 0 s\n"
        "  done               expected                           got\n"
        "  0 s start          ADD file [a-node1 uid=$old]        "
        "ADD file [a-node1 uid=$old]\n"
        "  0 s place a.yaml   REMOVE file [a-node1 uid=$old]  >  "
        "ADD file [a-node1 uid=$new]      <- they part here\n"
        "                     ADD file [a-node1 uid=$new]        "
        "REMOVE file [a-node1 uid=$old]\n"
        "  kubelet   In one merge REMOVE comes before ADD: CONFIG-15, CONFIG-48, "
        "CONFIG-99 (kubelets >=1.20, confirmed by 1.34.0, 1.37.2).\n"
        "            CONFIG-15: In one merge REMOVE comes before ADD "
        "(config.go podStorage.Merge).\n"
        "            CONFIG-48: An edit is a new pod (reading only).\n"
        "  met by    kubernetes#52939: Both run.\n"
        "  again     pytest x"
    )


def test_story_without_a_report_says_why_the_case_is_there(a_case: MakeCase) -> None:
    """Every case was written for somebody."""
    told = tell(_failed(a_case, PLACE), ORIGINS)

    assert told.endswith("  met by    Both ran at once.")


def test_story_without_a_step_gives_the_reason(a_case: MakeCase) -> None:
    """A setup that failed has nothing to show but that."""
    outcome = _failed(a_case, verdict="setup failed", reason="x.yaml: no such verb")

    lines = tell(outcome, ORIGINS).splitlines()

    assert lines[:2] == ["SETUP FAILED sources/x", "  x.yaml: no such verb"]


def test_story_of_a_crash_has_the_trace(a_case: MakeCase) -> None:
    """The implementation's own frames, and nothing of ours."""
    crash = Moment(
        step=1, at_ns=0, done="start", expected=("",), got=("x",), parts_at=0
    )
    outcome = _failed(a_case, crash, verdict="crashed", trace="File a\n  1 // 0")

    assert "\n    File a\n      1 // 0\n" in tell(outcome, ORIGINS)


def test_story_leaves_out_early_steps_and_far_lines(a_case: MakeCase) -> None:
    """The place where they part is always among what is shown."""
    quiet = [Moment(step=n, at_ns=0, done=f"do {n}") for n in range(20)]
    lines = tuple(f"line {n}" for n in range(60))
    last = Moment(step=21, at_ns=0, done="end", expected=lines, got=lines, parts_at=40)

    told = tell(_failed(a_case, *quiet, last), ORIGINS)

    assert "... 13 earlier steps" in told
    assert "do 12" not in told
    assert "do 13" in told
    assert re.search("line 40 +>  line 40 +<- they part here", told)
    assert "line 60" not in told
    assert "... 14 more lines" in told


def test_place_beyond_the_last_line_is_marked_as_well(a_case: MakeCase) -> None:
    """Nothing came where something was expected, and there is no line for it."""
    lacking = Moment(
        step=1, at_ns=0, done="start", expected=("a",), got=("a",), parts_at=1
    )

    told = tell(_failed(a_case, lacking), ORIGINS)

    assert told.count("<- they part here") == 1


def _shown(stream: Any, came: Sequence[Seen]) -> tuple[list[str], list[str]]:
    shown = Shown("file")
    found = judge("expect", stream, came, {}, Values())
    if isinstance(found, dict):
        shown.learn(found)
    else:
        shown.guess(stream, came)
    return shown.expected("expect", stream), shown.seen("expect", came, stream)


def test_uids_show_as_names_whether_bound_or_not(seen: Make) -> None:
    """Nobody has to compare 32 digits."""
    came = [
        seen("ADD", {"name": "a", "uid": NEW}),
        seen("REMOVE", {"name": "a", "uid": OLD}),
        seen("ADD", {"name": "b", "uid": "f" * 32}),
    ]
    expected = [{"ADD": [{"name": "a", "uid": "$new"}]}, {"ADD": [{"uid": "$u"}]}]

    assert _shown(expected, came) == (
        ["ADD file [a uid=$new]", "ADD file [uid=$u]"],
        ["ADD file [a uid=$new]", "REMOVE file [a uid=$u]", "ADD file [b uid=$uid1]"],
    )


def test_uid_within_another_text_shows_as_its_name(seen: Make) -> None:
    """The hash annotation is the UID once more."""
    pod = {"name": "a", "uid": OLD, "annotations": {"hash": OLD}}
    stream = [{"ADD": [{"uid": "$u", "annotations": {"hash": "$u"}}]}]

    _, got = _shown(stream, [seen("ADD", pod)])

    assert got == ['ADD file [a uid=$u annotations={"hash": "$u"}]']


def test_fields_that_were_asked_for_are_shown_and_no_others(seen: Make) -> None:
    """What is expected of one pod is shown of all."""
    stream = [{"ADD": {"any_order": ["b", {"name": "a", "image": "x"}]}, "at": "20s"}]
    came = [seen("ADD", "a", {"name": "b", "image": "i" * 90}, at_ns=600_000_000)]

    expected, got = _shown(stream, came)

    assert expected == ["ADD file [b, a image=x] in any order at 20 s"]
    assert got == [f"ADD file [a image=nginx:1, b image={'i' * 56} ...] at 0.6 s"]


def test_many_pods_are_counted(seen: Make) -> None:
    """A line stays a line."""
    came = [seen("ADD", *(f"p{n}" for n in range(20)))]

    expected, got = _shown([{"ADD": {"count": 60}}], came)

    assert expected == ["ADD file [60 pods]"]
    assert got[0].endswith("p7, and 12 more]")


@pytest.mark.parametrize(
    ("kind", "expected", "value", "lines"),
    [
        ("watches", "1s", {"path": "/m"}, ("watch at 1 s", "watch at 0 s")),
        (
            "requests",
            {"url": "http://m", "at": "20s"},
            {"url": "http://n", "headers": ()},
            ("GET url=http://m at 20 s", "GET url=http://n headers=[] at 0 s"),
        ),
        (
            "calls",
            {"handle_pod_cleanups": None},
            {"handler": "handle_pod_syncs", "pods": ()},
            ("handle_pod_cleanups []", "handle_pod_syncs []"),
        ),
        (
            "events",
            {"reason": "x", "pod": "a"},
            {"reason": "y", "pod": {"metadata": {"name": "b"}}},
            ("event reason=x pod=a", "event reason=y pod=b"),
        ),
        ("logs", {}, {}, ("log", "log")),
        (
            "logs",
            {"level": "error"},
            {"level": "info", "message": "m"},
            ("log level=error", "log level=info message=m"),
        ),
    ],
)
def test_other_streams_have_a_line_for_each_entry(
    kind: Any, expected: Any, value: Any, lines: tuple[str, str]
) -> None:
    """Expected and got read alike."""
    shown = Shown()
    came = [Seen(at_ns=0, value=value)]

    found = shown.expected(kind, [expected]) + shown.seen(kind, came, [expected])

    assert tuple(found) == lines


@pytest.mark.parametrize(
    ("value", "expected", "text"),
    [
        (2_000_000_000, "1s", "2 s"),
        ("1h", "1h", "3600 s"),
        (True, "1s", "true"),
        (2, 1, "2"),
        ({"a": {OLD}}, {}, '{"a": ["$uid1"]}'),
    ],
)
def test_returned_value_shows_as_it_was_expected(
    value: Any, expected: Any, text: str
) -> None:
    """Nanoseconds are for machines."""
    assert Shown().result(value, expected) == text


@pytest.mark.parametrize(
    ("verb", "argument", "text"),
    [
        ("start", None, "start"),
        ("place", {"a.yaml": {"pod": "a"}}, "place a.yaml"),
        ("rename", ["a", "b"], "rename [a, b]"),
        ("symlink", {"a": "../b"}, "symlink a ../b"),
        (
            "send",
            {"file": ["a", {"name": "b"}], "op": "ADD"},
            "send file [a, b] op ADD",
        ),
        ("deliver", {"DELETE": None, "source": "api"}, "deliver DELETE source api"),
        ("api", {"ADDED": {"name": "a", "image": "x"}}, "api ADDED a"),
        ("call", {"next": {"id": "a", "at": "-1h"}}, "call next id a at -1h"),
        ("call", {"x": {"text": "ab\n" * 50}}, f"call x text {'ab ' * 16}a ..."),
        ("answer", {"all_ready": True}, "answer all_ready true"),
        ("", None, "repeat"),
    ],
)
def test_step_is_said_in_short(verb: str, argument: Any, text: str) -> None:
    """Contents of files and pods aren't."""
    step = Step(number=1, where="", verb=verb, argument=argument)

    assert done(step) == text


def test_tables_of_origins_are_made_from_the_pages() -> None:
    """Whoever edits a page runs the script."""
    root = Path(__file__).resolve().parents[2]
    script = root / "scripts/make_facts.py"
    made: dict[str, Any] = {"__file__": str(script), "__name__": "make_facts"}
    exec(compile(script.read_text("utf-8"), script, "exec"), made)

    origins = load_origins()

    assert origins.facts == made["facts"](made["BEHAVIOUR"].read_text("utf-8"))
    assert origins.reports == made["reports"](made["REPORTS"].read_text("utf-8"))
    assert len(origins.facts) > 300
    with pytest.raises(ValueError, match="not a fact: - \\*\\*FILE-1"):
        made["facts"]("- **FILE-1** no origin")


@pytest.mark.parametrize(
    ("expected", "value", "lines"),
    [
        (["a"], [{"metadata": {"name": "a"}}], ("[a]", "[a]")),
        (
            [{"name": "a", "uid": "$u"}],
            [{"metadata": {"name": "b", "uid": OLD}}],
            ("[a uid=$u]", "[b uid=$uid1]"),
        ),
        ({"count": 2}, [{"metadata": {"name": "a"}}], ("[2 pods]", "[a]")),
        ({"uid": "$u"}, {"metadata": {"name": "a"}}, ("[uid=$u]", "[a]")),
        (["a"], "rubbish", ("[a]", "rubbish")),
        (["a"], None, ("[a]", "null")),
    ],
)
def test_returned_pods_are_shown_by_name_and_what_was_asked_for(
    expected: Any, value: Any, lines: tuple[str, str]
) -> None:
    """Not as JSON that is cut off before the field that is wrong."""
    shown = Shown()

    assert (shown.expected_pods(expected), shown.pods(value, expected)) == lines


def test_story_says_what_was_there_before_the_first_step(a_case: MakeCase) -> None:
    """Files by name, settings as they stand; contents are left out."""
    world = {"files": {"a.yaml": {"pod": "a"}, ".b": {"text": "x"}}, "period": "5s"}
    case = a_case({}, {}, given=world)

    told = tell(
        Outcome(case=case, verdict="failed", kubelet="1.37", moments=(START,)), ORIGINS
    )

    assert "\n  given     files [a.yaml, .b]; period 5s\n" in told
