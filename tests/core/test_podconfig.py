"""
PodConfig: what one set after another makes of the pods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import pytest

from pytest_podsource.contract import Operation, Pod, PodUpdate, SourceUpdate
from pytest_podsource.core.podconfig import PodConfig
from pytest_podsource.core.pods import (
    MIRROR_ANNOTATION,
    SEEN_ANNOTATION,
    SOURCE_ANNOTATION,
    is_mirror,
    is_static,
    timestamp,
)
from pytest_podsource.core.versions import kubelet

T0 = 1_704_067_200_000_000_000


def pod(name: str, uid: str | None = None, **more: Any) -> Pod:
    metadata = {"name": name, "namespace": "default", "uid": uid or f"{name}-uid"}
    metadata |= more.pop("metadata", {})
    spec = {"containers": [{"name": "c", "image": more.pop("image", "i:1")}]}
    return {"metadata": metadata, "spec": spec | more.pop("spec", {}), **more}


class Bench:
    """A PodConfig, with all that comes out of it."""

    def __init__(
        self,
        minor: str = "1.37",
        mode: str = "incremental",
        validate: Callable[[Pod], str | None] | None = None,
    ) -> None:
        self.now_ns = T0
        self.out: list[PodUpdate] = []
        self.events: list[tuple[str, str, str]] = []
        self.logs: list[str] = []
        more = {} if validate is None else {"validate": validate}
        self.config = PodConfig(
            kubelet(minor),
            mode,
            now=lambda: self.now_ns,
            send=self._read,
            event=lambda pod, type_, reason, message: self.events.append(
                (pod["metadata"]["uid"], type_, reason)
            ),
            log=lambda level, message, **fields: self.logs.append(level),
            sources=("file",),
            **more,
        )

    def _read(self, update: PodUpdate, taken: Callable[[], None]) -> None:
        self.out.append(update)
        taken()

    def send(
        self, *pods: Pod, source: str = "file", op: Operation = "SET"
    ) -> list[tuple[str, list[str]]]:
        """Give what came out, as operations and names."""
        self.out.clear()
        self.config.channel(source)(SourceUpdate(source=source, pods=pods, op=op))
        return told(self.out)


def told(updates: Iterable[PodUpdate]) -> list[tuple[str, list[str]]]:
    return [(one.op, [pod["metadata"]["name"] for pod in one.pods]) for one in updates]


def later() -> dict[str, str]:
    return {"deletionTimestamp": "2024-01-01T00:00:30Z"}


def test_merge_sends_operations_in_their_order() -> None:
    """REMOVE, ADD, UPDATE, DELETE, RECONCILE; each with the source's name."""
    bench = Bench()
    bench.send(*map(pod, ("rem", "upd", "del", "rec", "same")))

    operations = bench.send(
        pod("rec", status={"phase": "Failed"}),
        pod("del", metadata=later()),
        pod("upd", image="i:2"),
        pod("add"),
        pod("same"),
    )

    assert operations == [
        ("REMOVE", ["rem"]),
        ("ADD", ["add"]),
        ("UPDATE", ["upd"]),
        ("DELETE", ["del"]),
        ("RECONCILE", ["rec"]),
    ]
    assert {update.source for update in bench.out} == {"file"}


def test_merge_in_1_1_knows_three_operations() -> None:
    """A deletion is an UPDATE, a status is nothing."""
    bench = Bench("1.1")
    bench.send(*map(pod, ("rem", "upd", "del", "rec")))

    operations = bench.send(
        pod("rec", status={"phase": "Failed"}),
        pod("del", metadata=later()),
        pod("upd", image="i:2"),
        pod("add"),
    )

    assert operations == [
        ("REMOVE", ["rem"]),
        ("ADD", ["add"]),
        ("UPDATE", ["del", "upd"]),
    ]


@pytest.mark.parametrize(
    ("minor", "first"), [("1.1", []), ("1.20", [("ADD", [])]), ("1.37", [("ADD", [])])]
)
def test_first_empty_set_is_told_once(minor: str, first: list[Any]) -> None:
    """An empty ADD says that the source has been seen; 1.1 says nothing."""
    bench = Bench(minor)

    operations = [bench.send(), bench.send(), bench.send(pod("a"))]

    assert operations == [first, [], [("ADD", ["a"])]]


@pytest.mark.parametrize(
    ("change", "operation"),
    [
        pytest.param({"image": "i:2"}, "UPDATE", id="image"),
        pytest.param({"metadata": {"labels": {}}}, "UPDATE", id="empty-labels"),
        pytest.param({"metadata": {"labels": None}}, None, id="null-labels"),
        pytest.param({"spec": {"volumes": []}}, "UPDATE", id="empty-volumes"),
        pytest.param({"metadata": {"annotations": {}}}, None, id="empty-annotations"),
        pytest.param({"metadata": {"annotations": {"x": "1"}}}, "UPDATE", id="added"),
        pytest.param(
            {"metadata": {"annotations": {"kubernetes.io/config.hash": "h"}}},
            "UPDATE",
            id="hash",
        ),
        pytest.param(
            {"metadata": {"annotations": {MIRROR_ANNOTATION: "m"}}}, None, id="mirror"
        ),
        pytest.param(
            {"metadata": {"annotations": {SEEN_ANNOTATION: "2001"}}}, None, id="seen"
        ),
        pytest.param(
            {"metadata": {"deletionGracePeriodSeconds": 5}}, "UPDATE", id="grace"
        ),
        pytest.param({"metadata": later()}, "DELETE", id="deletion"),
        pytest.param({"metadata": {"resourceVersion": "7"}}, None, id="version"),
        pytest.param({"metadata": {"generation": 7}}, None, id="generation"),
        pytest.param({"metadata": {"name": "b"}}, None, id="name"),
        pytest.param({"status": {"phase": "Failed"}}, "RECONCILE", id="status"),
        pytest.param({"status": {"conditions": []}}, "RECONCILE", id="empty-status"),
        pytest.param({"status": {}}, None, id="status-is-a-struct"),
        pytest.param(
            {"status": {"phase": "Failed"}, "image": "i:2"}, "UPDATE", id="both"
        ),
    ],
)
def test_change_makes_one_operation(change: Any, operation: str | None) -> None:
    """What is compared makes an UPDATE or DELETE, the status a RECONCILE."""
    bench = Bench()
    bench.send(pod("a", "1"))

    operations = bench.send(pod("a", "1", **deepcopy(change)))
    again = bench.send(pod("a", "1", **deepcopy(change)))

    assert operations == ([] if operation is None else [(operation, ["a"])])
    assert again == []


def test_deletion_goes_on_until_it_is_cleared() -> None:
    """While the timestamp is set every difference is a DELETE, then an UPDATE."""
    bench = Bench()
    bench.send(pod("a", metadata=later()))

    operations = [
        bench.send(pod("a", metadata=later() | {"labels": {"x": "1"}})),
        bench.send(pod("a", metadata=later(), status={"phase": "Failed"})),
        bench.send(pod("a", metadata=later(), status={"phase": "Pending"})),
        bench.send(pod("a", status={"phase": "Pending"})),
    ]

    assert operations == [
        [("DELETE", ["a"])],
        [("DELETE", ["a"])],
        [("RECONCILE", ["a"])],
        [("UPDATE", ["a"])],
    ]


@pytest.mark.parametrize(
    ("minor", "generation", "phase"),
    [("1.1", 1, "Old"), ("1.20", 1, "New"), ("1.34", 2, "New"), ("1.37", 2, "New")],
)
def test_update_takes_over_what_its_kubelet_does(
    minor: str, generation: int, phase: str
) -> None:
    """Spec and labels always, status and generation later; the rest never."""
    bench = Bench(minor)
    old = {"generation": 1, "resourceVersion": "1", "finalizers": ["f"]}
    new = {"generation": 2, "resourceVersion": "2", "labels": {"x": "1"}}
    bench.send(pod("a", metadata=old, status={"phase": "Old"}))

    bench.send(pod("a", metadata=new, image="i:2", status={"phase": "New"}))

    [updated] = bench.out[0].pods
    metadata = updated["metadata"]
    assert updated["spec"]["containers"][0]["image"] == "i:2"
    assert metadata["labels"] == {"x": "1"}
    assert metadata["generation"] == generation
    assert (metadata["resourceVersion"], metadata["finalizers"]) == ("1", ["f"])
    assert updated["status"] == {"phase": phase}


def test_remove_carries_the_pod_as_last_stored() -> None:
    """The last UPDATE shows in the REMOVE."""
    bench = Bench()
    bench.send(pod("a"))
    bench.send(pod("a", image="i:2"))

    bench.send()

    assert bench.out[0].pods[0]["spec"]["containers"][0]["image"] == "i:2"


def test_local_annotations_belong_to_the_kubelet() -> None:
    """Source and first-seen time are set over given ones, mirror stays as first seen."""
    bench = Bench()
    given = {SOURCE_ANNOTATION: "odd", SEEN_ANNOTATION: "odd"}
    bench.send(pod("a", metadata={"annotations": given}))
    added = bench.out[0].pods[0]["metadata"]["annotations"]
    bench.now_ns += 1
    mirror = {MIRROR_ANNOTATION: "m1", "x": "1"}
    bench.send(pod("a", metadata={"annotations": given | mirror}))
    bench.send(pod("a", metadata={"annotations": {MIRROR_ANNOTATION: "m2", "x": "2"}}))

    updated = bench.out[0].pods[0]["metadata"]["annotations"]

    seen = "2024-01-01T00:00:00.000000000Z"
    assert added == {SOURCE_ANNOTATION: "file", SEEN_ANNOTATION: seen}
    assert updated == added | {MIRROR_ANNOTATION: "m1", "x": "2"}


@pytest.mark.parametrize(
    ("wall_ns", "trims_zeros", "text"),
    [
        (0, False, "1970-01-01T00:00:00.000000000Z"),
        (0, True, "1970-01-01T00:00:00Z"),
        (T0 + 120_000_000, False, "2024-01-01T00:00:00.120000000Z"),
        (T0 + 120_000_000, True, "2024-01-01T00:00:00.12Z"),
        (T0 + 1, True, "2024-01-01T00:00:00.000000001Z"),
    ],
)
def test_timestamp_has_nine_digits_or_trims_zeros(
    *, wall_ns: int, trims_zeros: bool, text: str
) -> None:
    """1.1 leaves out trailing zeros of the fraction, and the point."""
    assert timestamp(wall_ns, trims_zeros=trims_zeros) == text


@pytest.mark.parametrize(
    ("minor", "type_", "second"),
    [
        ("1.1", "", []),
        ("1.37", "Warning", [("REMOVE", ["a"]), ("ADD", ["a"])]),
    ],
)
def test_second_pod_of_a_name_is_dropped_with_an_event(
    minor: str, type_: str, second: list[Any]
) -> None:
    """The first in the set is kept, at every set anew."""
    bench = Bench(minor)

    first = bench.send(pod("a", "1"), pod("a", "2"))
    operations = bench.send(pod("a", "2"), pod("a", "1"))

    assert first == [("ADD", ["a"])]
    assert operations == second
    assert bench.events == [
        ("2", type_, "FailedValidation"),
        ("1", type_, "FailedValidation"),
    ]
    assert bench.logs == ["warning" if minor == "1.1" else "info"] * 2


def test_equal_uids_share_one_entry() -> None:
    """Both are added, the last one is stored, and they flap for ever."""
    bench = Bench()
    one, two = pod("a", "1"), pod("b", "1", image="i:2")

    operations = [
        bench.send(deepcopy(one), deepcopy(two)),
        bench.send(deepcopy(one), deepcopy(two)),
        bench.send(deepcopy(one), deepcopy(two)),
        bench.send(deepcopy(two)),
    ]

    assert operations == [
        [("ADD", ["a", "b"])],
        [("UPDATE", ["b", "b"])],
        [("UPDATE", ["b", "b"])],
        [],
    ]


def test_1_1_validates_and_later_kubelets_dont() -> None:
    """An invalid pod is dropped with an event; if it was known it is removed."""

    def validate(candidate: Pod) -> str | None:
        return "no namespace" if not candidate["metadata"]["namespace"] else None

    old, new = Bench("1.1", validate=validate), Bench("1.20", validate=validate)
    invalid = pod("a", metadata={"namespace": ""})

    old_operations = [old.send(deepcopy(invalid))]
    new_operations = [new.send(deepcopy(invalid))]

    assert old_operations == [[]]
    assert old.events == [("a-uid", "", "FailedValidation")]
    assert new_operations == [[("ADD", ["a"])]]
    assert new.events == []


def test_sources_dont_see_each_other() -> None:
    """The same pod from two sources is added twice, and removed from one alone."""
    bench = Bench()

    operations = [
        bench.send(pod("a", "1")),
        bench.send(pod("a", "1"), source="api"),
        bench.send(),
    ]

    assert operations == [[("ADD", ["a"])], [("ADD", ["a"])], [("REMOVE", ["a"])]]
    assert bench.out[0].source == "file"


@pytest.mark.parametrize(("minor", "shows"), [("1.1", True), ("1.20", False)])
def test_delivered_pods_are_copies(*, minor: str, shows: bool) -> None:
    """What a reader does to its pods isn't seen by the merge, 1.1 apart."""
    bench = Bench(minor)
    bench.send(pod("a"))

    bench.out[0].pods[0]["metadata"]["labels"] = {"x": "1"}
    operations = bench.send(pod("a"))

    assert bool(operations) is shows


def test_incoming_pods_become_the_stored_ones() -> None:
    """The producer's object is annotated; changing it later is missed, as in Go."""
    bench = Bench()
    mine = pod("a")
    bench.send(mine)

    mine["spec"]["containers"][0]["image"] = "i:2"

    assert mine["metadata"]["annotations"][SOURCE_ANNOTATION] == "file"
    assert bench.send(mine) == []
    assert bench.send(pod("a")) == [("UPDATE", ["a"])]


def test_seen_all_sources_needs_a_full_set_and_the_callers_names() -> None:
    """Configured from the start or later, each one must have delivered."""
    bench = Bench()
    both = frozenset({"file", "api", "extra"})

    answers = [bench.config.seen_all_sources(both)]
    bench.send()
    answers.append(bench.config.seen_all_sources(both))
    answers.append(bench.config.seen_all_sources(frozenset()))
    bench.config.channel("api")
    answers.append(bench.config.seen_all_sources(both))

    assert answers == [False, True, False, False]


def test_seen_all_sources_in_1_1_ignores_the_callers_names() -> None:
    """Only the merge counted."""
    bench = Bench("1.1")
    bench.send()

    assert bench.config.seen_all_sources(frozenset())


def test_channel_is_the_same_each_time_and_needs_a_name() -> None:
    """Another name gives another channel."""
    config = Bench().config

    assert config.channel("file") is config.channel("file")
    assert config.channel("file") is not config.channel("api")
    with pytest.raises(ValueError, match="empty"):
        config.channel("")


@pytest.mark.parametrize("minor", ["1.1", "1.34"])
def test_other_operations_of_sources_remove_nothing_and_dont_count(minor: str) -> None:
    """ADD and UPDATE insert or compare, REMOVE removes; none makes a source seen."""
    bench = Bench(minor)
    removed = pod("a", image="i:3")

    operations = [
        bench.send(pod("a"), op="ADD"),
        bench.send(pod("b"), op="UPDATE"),
        bench.send(pod("a", image="i:2"), op="ADD"),
        bench.send(removed, pod("unknown"), op="REMOVE"),
    ]
    carried = bench.out[0].pods[0]["spec"]["containers"][0]["image"]

    assert operations == [
        [("ADD", ["a"])],
        [("ADD", ["b"])],
        [("UPDATE", ["a"])],
        [("REMOVE", ["a"])],
    ]
    assert carried == "i:2"
    assert not bench.config.seen_all_sources(frozenset({"file"}))


def test_operations_that_a_source_cant_send_are_logged() -> None:
    """RECONCILE never, DELETE not in 1.1; 1.37 takes nothing but SET."""
    old, middle = Bench("1.1"), Bench("1.34")

    assert old.send(pod("a"), op="DELETE") == []
    assert middle.send(pod("a"), op="DELETE") == [("ADD", ["a"])]
    assert middle.send(pod("a"), op="RECONCILE") == []
    assert (old.logs, middle.logs) == (["warning"], ["info"])
    with pytest.raises(ValueError, match="SET only"):
        Bench("1.37").send(pod("a"), op="ADD")


def test_first_set_after_other_operations_is_told_beside_them() -> None:
    """The empty ADD comes after REMOVE and before RECONCILE."""
    bench, other = Bench("1.34"), Bench("1.34")
    bench.send(pod("a"), op="ADD")
    other.send(pod("a"), op="ADD")

    assert bench.send() == [("REMOVE", ["a"]), ("ADD", [])]
    assert other.send(pod("a", status={"phase": "Failed"})) == [
        ("ADD", []),
        ("RECONCILE", ["a"]),
    ]


@pytest.mark.parametrize(
    ("minor", "first", "mixed"),
    [
        ("1.1", [], [("UPDATE", ["a"]), ("SET", ["a", "b"])]),
        (
            "1.34",
            [("SET", [])],
            [("SET", ["a", "b"]), ("UPDATE", ["a"])],
        ),
    ],
)
def test_snapshot_and_updates_sends_a_set_for_adds_and_removes(
    minor: str, first: list[Any], mixed: list[Any]
) -> None:
    """UPDATE and DELETE stay messages of their own, RECONCILE is never sent."""
    bench = Bench(minor, "snapshot-and-updates")

    assert bench.send() == first
    assert bench.send(pod("a")) == [("SET", ["a"])]
    assert bench.send(pod("a", image="i:2"), pod("b")) == mixed
    assert bench.send(pod("a", image="i:3"), pod("b")) == [("UPDATE", ["a"])]
    deleting = [("UPDATE" if minor == "1.1" else "DELETE", ["a"])]
    assert bench.send(pod("a", metadata=later()), pod("b")) == deleting
    reconciled = pod("a", metadata=later(), status={"phase": "Failed"})
    assert bench.send(reconciled, pod("b")) == []
    assert bench.send(pod("b")) == [("SET", ["b"])]


def test_snapshot_sends_one_set_of_all_sources() -> None:
    """Any change but the status alone; labelled with the source that changed."""
    bench = Bench("1.34", "snapshot")

    assert bench.send() == [("SET", [])]
    assert bench.send(pod("a"), source="api") == [("SET", ["a"])]
    assert bench.send(pod("b")) == [("SET", ["b", "a"])]
    assert bench.out[0].source == "file"
    assert bench.send(pod("b", status={"phase": "Failed"})) == []
    assert bench.send(pod("b", image="i:2")) == [("SET", ["b", "a"])]
    assert bench.send(pod("b", metadata=later())) == [("SET", ["b", "a"])]
    assert bench.send() == [("SET", ["a"])]


def test_sync_sends_everything_in_any_mode() -> None:
    """One SET from source ``*``."""
    bench = Bench("1.34")
    bench.send(pod("a"))
    bench.out.clear()

    bench.config.sync()

    assert told(bench.out) == [("SET", ["a"])]
    assert bench.out[0].source == "*"


def test_unknown_mode_fails_at_the_first_merge() -> None:
    """Not before; 1.1 logs it; kubelets without modes refuse any other at once."""
    bench, old = Bench("1.34", "unknown"), Bench("1.1", "unknown")

    with pytest.raises(ValueError, match="'unknown' is not a notification mode"):
        bench.send()
    assert old.send(pod("a")) == []
    assert old.logs == ["error"]
    with pytest.raises(ValueError, match="no notification modes"):
        Bench("1.36", "snapshot")


@pytest.mark.parametrize(
    ("annotations", "static", "mirror"),
    [
        (None, False, False),
        ({SOURCE_ANNOTATION: "file"}, True, False),
        ({SOURCE_ANNOTATION: ""}, True, False),
        ({SOURCE_ANNOTATION: "api", MIRROR_ANNOTATION: ""}, False, True),
    ],
)
def test_static_and_mirror_go_by_annotations(
    *, annotations: dict[str, str] | None, static: bool, mirror: bool
) -> None:
    """Static: a source that isn't ``api``. Mirror: the annotation, whatever it says."""
    candidate = pod("a", metadata={"annotations": annotations})

    assert (is_static(candidate), is_mirror(candidate)) == (static, mirror)
