"""
Records: what a kubelet answered, bound to the cases.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from pytest_podsource.cli.record import record as record_command
from pytest_podsource.contract import Config, Pod
from pytest_podsource.driver.base import Offer
from pytest_podsource.driver.inprocess import InProcessDriver
from pytest_podsource.exceptions import UsageError
from pytest_podsource.known import COMPONENTS
from pytest_podsource.record import (
    Answer,
    Record,
    confirmed_by,
    contradicted,
    load_record,
    load_records,
    share_confirmed,
    stale,
    take_record,
    text_of,
)
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.world.simulated import SimulatedWorld

SAMPLE = str(Path(__file__).with_name("served_sample.py"))
CASE = """\
title: a node's name is a pod's
why: for the test
facts: [DECODE-18]
given: {{node_name: {node}}}
steps:
- {{call: {{decode_manifest: {{text: pod}}}}, returns: [{expected}]}}
"""
FLOOR = 0.9
LACKING = {"1.1": {"ready"}}
SCORED_PAGE = (
    (Path(__file__).parents[1] / "docs" / "explanation" / "what-is-scored.md")
    .read_text()
    .partition("Where a component isn't answered")[2]
)

BUNDLED = bundled_root()
RECORDS = load_records(BUNDLED / "recorded")


@pytest.fixture(scope="module")
def bundled() -> list[Case]:
    return load_cases(BUNDLED / "cases")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "cases" / "manifest").mkdir(parents=True)
    return tmp_path


def write_case(root: Path, node: str = "n", expected: str = "n") -> None:
    path = root / "cases" / "manifest" / "name.yaml"
    path.write_text(CASE.format(node=node, expected=expected))


def run(root: Path, *options: str) -> Result:
    arguments = [SAMPLE, "--kubelet", "1.34", "--root", str(root), *options]
    return CliRunner().invoke(record_command, arguments, catch_exceptions=False)


def recorded(root: Path) -> Record:
    return load_record(root / "recorded" / "1.34.yaml")


@pytest.mark.parametrize("kubelet", RECORDS)
def test_every_recorded_answer_is_of_the_case_as_it_is(
    kubelet: str, bundled: list[Case]
) -> None:
    """A case that changes must be recorded anew."""
    assert stale(RECORDS[kubelet], bundled) == []


@pytest.mark.parametrize("kubelet", RECORDS)
def test_no_record_contradicts_its_case(kubelet: str) -> None:
    """Where a kubelet answers otherwise, the case is wrong."""
    assert contradicted(RECORDS[kubelet]) == []


@pytest.mark.parametrize("kubelet", RECORDS)
def test_nine_of_ten_cases_of_each_component_are_confirmed(
    kubelet: str, bundled: list[Case]
) -> None:
    """What isn't confirmed isn't scored."""
    shares = share_confirmed(RECORDS[kubelet], bundled)

    assert {name: share for name, share in shares.items() if share < FLOOR} == {}


@pytest.mark.parametrize("kubelet", RECORDS)
def test_each_kubelet_answers_every_component_that_it_has(kubelet: str) -> None:
    """A component that nobody answers would pass the floor; what is lacking is named."""
    unanswered = set(COMPONENTS) - set(RECORDS[kubelet].components)

    assert unanswered == {"diff", "handlers"} | LACKING.get(kubelet, set())


@pytest.mark.parametrize("kubelet", RECORDS)
def test_what_is_unscored_is_told_by_the_docs(kubelet: str) -> None:
    """Each case that a kubelet doesn't confirm has its reason on a page."""
    rows = re.findall(r"^\| `(\w+)` \| ([\w., ]+) \| ", SCORED_PAGE, re.MULTILINE)
    told = {(name, each) for name, kubelets in rows for each in kubelets.split(", ")}

    assert [
        id_
        for id_, answer in RECORDS[kubelet].answers.items()
        if answer.verdict != "passed"
        and not told & {(id_.split("/")[0], kubelet), (id_.split("/")[0], "all")}
    ] == []


@pytest.mark.parametrize("kubelet", RECORDS)
def test_every_answer_that_is_no_pass_says_why(kubelet: str) -> None:
    """A case that isn't scored says why."""
    silent = [
        id_
        for id_, answer in RECORDS[kubelet].answers.items()
        if answer.verdict != "passed" and not answer.reason
    ]

    assert silent == []


def test_record_keeps_hash_and_verdict(root: Path) -> None:
    """A first record needs no leave, and confirms its case."""
    write_case(root)

    result = run(root)

    (case,) = load_cases(root / "cases")
    assert result.exit_code == 0
    assert "manifest: 100% of its cases confirmed" in result.output
    assert recorded(root).answers == {
        "manifest/name": Answer(hash=case.hash, verdict="passed")
    }
    assert confirmed_by(case, load_records(root / "recorded")) == ("",)


def test_a_record_that_contradicts_its_case_tells_the_story(root: Path) -> None:
    """What came is kept, and shown."""
    write_case(root, expected="other")

    result = run(root)

    answer = recorded(root).answers["manifest/name"]
    assert "they part here" in result.output
    assert (answer.verdict, answer.step) == ("failed", 1)
    assert "n" in answer.got[0]
    assert contradicted(recorded(root)) == ["manifest/name"]
    assert share_confirmed(recorded(root), load_cases(root / "cases")) == {
        "manifest": 0.0
    }


def test_an_answer_that_is_other_now_is_not_overwritten(root: Path) -> None:
    """The record stays as it is until somebody accepts the new answer."""
    write_case(root)
    run(root)
    path = root / "recorded" / "1.34.yaml"
    before = path.read_text().replace("passed", "failed")
    path.write_text(before)

    refused = run(root)

    assert refused.exit_code == 1
    assert "manifest/name: was answered otherwise before; now passed" in refused.output
    assert "Overwrite it with --accept" in refused.output
    assert path.read_text() == before

    assert run(root, "--accept").exit_code == 0
    assert recorded(root).answers["manifest/name"].verdict == "passed"


def test_a_case_that_changed_is_stale_and_is_recorded_without_leave(
    root: Path,
) -> None:
    """Another case has another answer; that contradicts nothing."""
    write_case(root)
    run(root)
    write_case(root, node="m", expected="m")
    cases = load_cases(root / "cases")

    assert stale(recorded(root), cases) == ["manifest/name"]
    assert not recorded(root).confirms(cases[0])
    assert run(root).exit_code == 0
    assert stale(recorded(root), cases) == []


def test_a_record_survives_its_file(tmp_path: Path) -> None:
    """Ids with colons and texts with quotes come back as they went."""
    answers = {
        "file/x:row": Answer(
            hash="1e10", verdict="failed", reason='a "b": c', step=2, got=("x: {", "é")
        ),
        "file/y": Answer(hash="ab", verdict="passed"),
    }
    record = Record(
        kubelet="1.20", version="1.20.15", components=("file",), answers=answers
    )
    path = tmp_path / "1.20.yaml"

    path.write_text(text_of(record), "utf-8")

    assert load_record(path) == record


@pytest.mark.parametrize("text", ["kubelet: 1.37", "[]", "{kubelet: a, cases: {a: 1}}"])
def test_a_file_that_is_no_record_says_so(tmp_path: Path, text: str) -> None:
    """The file is named, and who writes such files."""
    path = tmp_path / "x.yaml"
    path.write_text(text)

    with pytest.raises(UsageError, match=r"x\.yaml: this is no record"):
        load_record(path)


def test_an_answer_that_varies_is_no_answer(root: Path) -> None:
    """Every case is run several times, and all answers must agree."""
    write_case(root)
    names = iter(["n", "other", "n"])

    def decode_manifest(data: bytes, config: Config) -> Pod:
        return {"metadata": {"name": next(names)}}

    offer = Offer(name="moody", components=frozenset({"manifest"}))
    moody = SimpleNamespace(decode_manifest=decode_manifest)
    driver = InProcessDriver(moody, offer)
    cases = load_cases(root / "cases")

    record = take_record(cases, driver, SimulatedWorld, "1.34", lambda _: None)

    answer = record.answers["manifest/name"]
    assert answer.verdict == "harness error"
    assert answer.reason.endswith("from run to run: failed, passed")
