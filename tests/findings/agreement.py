"""
``check`` and ``diff`` beside the real kubelets, over many generated manifests.

``python tests/findings/agreement.py check|diff [MINOR]... [--examples N] [--seed N]``
prints each manifest or edit about which the two differ; docs/explanation/validation.md
has what came of it. ``... answers`` writes what the kubelets say of the manifests of
tests/static_pods and tests/manifests into ``answers.json``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from pytest_podsource.contract import Config, Refused
from pytest_podsource.differential.live import case_of
from pytest_podsource.differential.manifests import manifests
from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import load_driver
from pytest_podsource.findings import Verdict, check_manifest
from pytest_podsource.findings.edit import edit_of
from pytest_podsource.suite.content import render
from pytest_podsource.suite.run import Run
from pytest_podsource.suite.scene import scene_of
from pytest_podsource.suite.steps import steps_of
from pytest_podsource.world.simulated import SimulatedWorld

TESTS = Path(__file__).parents[1]
ANSWERS = TESTS / "static_pods" / "answers.json"
BUILT = Path(__file__).parents[2] / "adapters" / "kubelet" / "bin"
MINORS = ("1.20", "1.34", "1.37")
PATH = "/etc/kubernetes/manifests/web.yaml"

T = TypeVar("T")
Content = dict[str, Any]
Files = dict[str, Content]
Edited = tuple[Files, Files, str]
Operations = list[tuple[str, list[str]]]

_BATCH = 250
_KINDS = "Required|Invalid|Unsupported|Forbidden|Duplicate|Not found|Too |must |may "
_FAULT = re.compile(rf"((?:metadata|spec|status)[^\s,:]*): (?:{_KINDS})")
_GO_FIELD = re.compile(r"Go struct field (\S+)(?: of type|$)")
_OLD_GO_FIELD = re.compile(r"(?:v1\.\w+\.)*([A-Z]\w*)\Z")
_READS = re.compile(r"Read(String|Bool|U?[iI]nt\d*|Float\d*|Object|Array|Map)|Unm")
_GO_NAMES = {"CephMonitors": "monitors", "LastTerminationState": "lastState"}
_EMBEDDED = re.compile(r"\b[A-Z]\w*\.")  # structs within structs, which JSON lacks
_INDEX = re.compile(r"\[[^\]]*\]")


def built(minor: str) -> bool:
    """Say whether the kubelet's adapter is there."""
    return (BUILT / f"kubelet-{minor}").exists()


@contextmanager
def kubelet(minor: str) -> Iterator[Driver]:
    """Run the adapter of one kubelet."""
    command = f"cmd:{BUILT / f'kubelet-{minor}'}"
    with closing(load_driver(command, kubelet=minor)) as driver:
        yield driver


def answers(
    driver: Driver, texts: Sequence[bytes], minor: str
) -> Iterator[Refused | None]:
    """Give what the kubelet says of each manifest: a refusal, or nothing."""
    config = Config(kubelet=minor, node_name="node1", path=PATH)
    for begin in range(0, len(texts), _BATCH):
        case = case_of({"given": {}, "steps": []}, "manifest")
        with closing(SimulatedWorld(scene_of(case, kubelet=minor))) as world:
            connection = driver.connect(world)
            for data in texts[begin : begin + _BATCH]:
                arguments = {"data": data, "config": config}
                try:
                    connection.call("manifest", "decode_manifest", arguments)
                except Refused as refused:
                    yield refused
                else:
                    yield None
            connection.close()


def disagreement(verdict: Verdict, real: Refused | None) -> str:
    """Say how *check* and the kubelet differ, empty if they don't."""
    if verdict.taken != (real is None):
        said = "taken" if verdict.taken else "refused"
        return f"check says {said}, the kubelet: {real or 'taken'}"
    if real is None:
        return ""
    ours, theirs = fields_of_ours(verdict), fields_of_theirs(str(real))
    if agree(ours, theirs):
        return ""
    return f"check names {sorted(ours)}, the kubelet {sorted(theirs)}: {real}"


def agree(ours: Iterable[str], theirs: Collection[str]) -> bool:
    """Say whether a field that the kubelet names is among *ours*, if it names any."""
    return not theirs or any(_same(one, set(ours)) for one in theirs)


def fields_of_ours(verdict: Verdict) -> set[str]:
    """Return the fields that *check* names for a refusal."""
    return {each.field for each in verdict.findings if each.code == "refused"}


def fields_of_theirs(reason: str) -> set[str]:
    """Return the fields that a kubelet's error names; none for errors of the text."""
    faults = set(_FAULT.findall(reason))
    if faults:
        return faults
    go = _GO_FIELD.findall(reason)
    if go:
        return {_EMBEDDED.sub("", go[-1].partition(".")[2] or go[-1])}
    if ", error found in" in reason:
        return _field_of_iterator(reason)
    return {"metadata.name"} if "name is needed" in reason else set()


def _field_of_iterator(reason: str) -> set[str]:
    """Return the last field of the way that 1.20's decoder tells before its error."""
    way = reason.partition(", error found in")[0].split(": ")
    names = [found[1] for each in way if (found := _OLD_GO_FIELD.match(each))]
    fields = [each for each in names if not _READS.match(each)]
    last = fields[-1] if fields else ""
    return {_GO_NAMES.get(last, last)} if last else set()


def _same(theirs: str, ours: set[str]) -> bool:
    """
    Compare paths; a decoder of Go names no index, and an old one the last part only.

    Where a volume has two kinds, kubelets misspell the field of one.
    """
    plain = {_INDEX.sub("", each).lower() for each in ours}
    wanted = _INDEX.sub("", theirs).lower().replace("downwarapi", "downwardapi")
    return any(each == wanted or each.endswith(f".{wanted}") for each in plain)


def collection() -> list[Path]:
    """Return the manifests in the style of what people run."""
    folders = (TESTS / "static_pods", TESTS / "manifests")
    return sorted(path for each in folders for path in each.glob("*.[yj]*"))


def collected_answers(minor: str) -> dict[str, list[str] | None]:
    """Return which fields a kubelet names for each of them, ``None`` if it is taken."""
    paths = [path for path in collection() if path.name != ANSWERS.name]
    texts = [path.read_bytes() for path in paths]
    with kubelet(minor) as driver:
        told = list(answers(driver, texts, minor))
    return {
        path.name: None if real is None else sorted(fields_of_theirs(str(real)))
        for path, real in zip(paths, told, strict=True)
    }


def write_answers() -> None:
    """Keep what the kubelets say of the collection."""
    found = {minor: collected_answers(minor) for minor in MINORS}
    ANSWERS.write_text(json.dumps(found, indent=1) + "\n")


def generated(strategy: st.SearchStrategy[T], count: int, start: int) -> list[T]:
    """Return that many values of *strategy*, the same for the same *start*."""
    found: list[T] = []

    @seed(start)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: T) -> None:
        found.append(value)

    collect()
    return found


def generated_texts(count: int, start: int) -> list[bytes]:
    """Return that many manifests."""
    lists = generated(manifests(), count, start)
    return [render(each, "generated") for contents in lists for each in contents][
        :count
    ]


def check_disagreements(
    driver: Driver, texts: Sequence[bytes], minor: str
) -> Iterator[tuple[bytes, str]]:
    """Give each manifest about which *check* and the kubelet differ."""
    config = Config(kubelet=minor, node_name="node1", path=PATH)
    for data, real in zip(texts, answers(driver, texts, minor), strict=True):
        told = disagreement(check_manifest(data, "web.yaml", config), real)
        if told:
            yield data, told


def edits() -> st.SearchStrategy[Edited]:
    """Return manifests of up to three files before and after, and their source."""
    files = st.dictionaries(st.sampled_from(["a", "b", "c"]), _contents(), max_size=3)
    directory = st.tuples(files, files, st.just("file"))
    edited = st.tuples(files, st.sampled_from(["a", "b", "c"]), _contents()).map(
        lambda made: (made[0], made[0] | {made[1]: made[2]}, "file")
    )
    same = st.tuples(files, _edited_pods()).map(
        lambda made: (made[0] | made[1][0], made[0] | made[1][1], "file")
    )
    one = st.tuples(_answers(), _answers()).map(
        lambda both: ({"u": both[0]}, {"u": both[1]}, "http")
    )
    served = _edited_pods().map(
        lambda both: ({"u": both[0]["a"]}, {"u": both[1]["a"]}, "http")
    )
    return st.one_of(directory, edited, same, same, one, served)


def _edited_pods() -> st.SearchStrategy[tuple[Files, Files]]:
    """Return one manifest with a UID, most often, and the same with few changes."""
    some = st.lists(st.sampled_from(sorted(_FIELDS)), max_size=2, unique=True)
    changes = some.flatmap(
        lambda names: st.fixed_dictionaries({name: _FIELDS[name] for name in names})
    )
    uid: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
        [{"uid": "u"}, {"uid": "u"}, {}]
    )
    return st.tuples(_pods(), uid, changes).map(
        lambda made: (
            {"a": {"pod": made[0] | made[1]}},
            {"a": {"pod": made[0] | made[1] | made[2]}},
        )
    )


_FIELDS: Mapping[str, st.SearchStrategy[Any]] = {
    "image": st.sampled_from(["nginx:1", "nginx:2"]),
    "namespace": st.sampled_from(["default", "other"]),
    "uid": st.sampled_from(["u1", "u2"]),
    "labels": st.sampled_from([{}, {"k": "v"}, {"k": "w"}]),
    "annotations": st.sampled_from(
        [{}, {"a": "1"}, {"kubernetes.io/config.mirror": "x"}]
    ),
    "status": st.sampled_from([{}, {"message": "m"}, {"phase": "Failed"}]),
    "deletionTimestamp": st.sampled_from(
        ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"]
    ),
    "finalizers": st.sampled_from([["a/b"], ["c/d"]]),
    "hostNetwork": st.just(True),  # noqa: FBT003 - a value of YAML
    "priority": st.sampled_from([0, 5]),
    "unknownField": st.integers(0, 2),
    "serviceAccountName": st.just("default"),
}


def _pods() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"name": st.sampled_from(["web", "web", "db"])}, optional={**_FIELDS}
    )


def _contents() -> st.SearchStrategy[Content]:
    form: st.SearchStrategy[Content] = st.sampled_from(
        [{}, {"as": "json"}, {"comment": "a comment"}]
    )
    sound = st.tuples(_pods(), form).map(lambda both: {"pod": both[0]} | both[1])
    odd = st.sampled_from(["", "rubbish", "kind: Pod\napiVersion: v1\n", "{"])
    return st.one_of(sound, sound, sound, odd.map(lambda text: {"text": text}))


def _answers() -> st.SearchStrategy[Content]:
    lists = st.lists(_pods(), max_size=3).map(lambda pods: {"list": pods})
    return st.one_of(_contents().filter(lambda made: made != {"text": ""}), lists)


def operations_of_kubelet(driver: Driver, edit: Edited, minor: str) -> Operations:
    """Return what a real kubelet emits at the listing after an edit."""
    old, new, source = edit
    steps: list[dict[str, Any]]
    if source == "http":
        replies = [old["u"], new["u"]]
        given_: dict[str, Any] = {"replies": replies, "sources": ["http"]}
        steps = [{"start": None}]
    else:
        gone = sorted(old.keys() - new.keys())
        watch = {"fails": "ENOSPC"}  # no event is told, so the listing sees it all
        given_ = {"files": old, "watch": watch, "sources": ["file"]}
        steps = [{"start": None}, *({"remove": each} for each in gone)]
        steps += [{"place": {name: content}} for name, content in new.items()]
    case = case_of({"given": given_, "steps": [*steps, {"advance": "20s"}]}, "sources")
    return _lived(driver, case, minor)


def _lived(driver: Driver, case: Any, minor: str) -> Operations:
    with closing(SimulatedWorld(scene_of(case, kubelet=minor))) as world:
        connection = driver.connect(world)
        run = Run(case, connection, world)
        told: list[Any] = []
        for number, step in enumerate(steps_of(case)):
            run.act(step)
            seen = world.take("expect")
            told += seen if number else []
        connection.close()
    return [(each["op"], _names(each["pods"])) for each in map(_operation, told)]


def _operation(seen: Any) -> Mapping[str, Any]:
    update = seen.value
    return {"op": update.op, "pods": update.pods}


def operations_of_diff(edit: Edited, minor: str) -> Operations | None:
    """Return what *diff* says, ``None`` if even a kubelet isn't sure."""
    old, new, source = edit
    config = Config(kubelet=minor, node_name="node1", url="http://manifests.test/")
    before, after = (
        {name: render(content, "edit") for name, content in side.items()}
        for side in (old, new)
    )
    found = edit_of(before, after, config, "http" if source == "http" else "file")
    if not found.is_certain:
        return None
    return [(operation, _names(pods)) for operation, pods in found.operations]


def _names(pods: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted(
        f"{each['metadata']['namespace']}/{each['metadata']['name']}" for each in pods
    )


def certain_edits(count: int, start: int) -> list[Edited]:
    """Return that many edits whose operations are the same each time."""
    made = generated(edits(), count + count // 4, start)
    return [each for each in made if operations_of_diff(each, "1.37") is not None][
        :count
    ]


def diff_disagreements(
    driver: Driver, made: Sequence[Edited], minor: str
) -> Iterator[tuple[Any, str]]:
    """Give each edit about which *diff* and the kubelet differ."""
    for edit in made:
        ours = operations_of_diff(edit, minor)
        if ours is None:
            continue
        real = operations_of_kubelet(driver, edit, minor)
        if real != ours:
            yield edit, f"diff says {ours}, the kubelet {real}"


_KINDS_OF_PROOF: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "check": (generated_texts, check_disagreements),
    "diff": (certain_edits, diff_disagreements),
}


def main(arguments: list[str]) -> int:
    """Return 0 if nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["check", "diff", "answers"])
    parser.add_argument("minors", nargs="*", default=MINORS)
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    if chosen.what == "answers":
        write_answers()
        return 0
    make, find = _KINDS_OF_PROOF[chosen.what]
    made = make(chosen.examples, chosen.seed)
    counts: Counter[str] = Counter()
    for minor in chosen.minors:
        with kubelet(minor) as driver:
            for value, told in find(driver, made, minor):
                counts[minor] += 1
                print(f"{minor}: {told}\n{value!r}\n")  # noqa: T201
        print(f"{minor}: {len(made)} compared, {counts[minor]} differ")  # noqa: T201
    return int(bool(counts.total()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
