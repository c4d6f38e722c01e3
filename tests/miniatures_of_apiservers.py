"""
Small apiserver sources, each wrong in one way that people got wrong.
"""

from __future__ import annotations

from typing import Any

from pytest_podsource.contract import SECOND_NS, Config, Environment, Pod, SourceUpdate
from tests.miniature import Miniature


class Watcher:
    """
    Waits for the node, lists, watches, and sends all that it has on each change.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config = config
        self.env = env
        self.pods: dict[Any, Pod] = {}
        self.version = ""
        self.told = False
        self.opened_ns = 0
        self.delay_ns = SECOND_NS

    def start(self) -> None:
        self.env.clock.call_later(0, self.begin)

    def begin(self) -> None:
        if self.env.ask("node_has_synced"):
            self.ask_for_list()
        else:
            self.env.clock.call_later(SECOND_NS, self.begin)

    def stop(self) -> None:
        """Nothing: the case is over."""

    def ask_for_list(self) -> None:
        self.env.list_pods(self.listed)

    def listed(self, answer: dict[str, Any] | OSError) -> None:
        if isinstance(answer, OSError):
            self.list_failed()
            return
        self.version = answer["metadata"]["resourceVersion"]
        self.take_over(answer["items"])
        self.watch()

    def list_failed(self) -> None:
        self.later()

    def later(self) -> None:
        self.env.clock.call_later(self.delay_ns, self.ask_for_list)
        self.delay_ns = min(2 * self.delay_ns, 30 * SECOND_NS)

    def take_over(self, pods: list[Pod]) -> None:
        self.pods = {self.key(pod): pod for pod in pods}
        self.send()

    def watch(self) -> None:
        self.told = False
        self.opened_ns = self.env.clock.monotonic_ns()
        self.env.watch_pods(self.version, self.heard)

    def heard(self, event: dict[str, Any] | OSError | None) -> None:
        if event is None:
            self.ended()
        elif isinstance(event, OSError) or event["type"] == "ERROR":
            self.failed()
        elif event["type"] == "BOOKMARK":
            self.bookmark(event["object"])
        elif event["object"].get("kind", "Pod") == "Pod":
            self.told = True
            self.version = event["object"]["metadata"]["resourceVersion"]
            self.change(event["type"], event["object"])

    def ended(self) -> None:
        lasted_ns = self.env.clock.monotonic_ns() - self.opened_ns
        if lasted_ns < SECOND_NS and not self.told:
            self.later()
        elif self.opened_ns >= 0:
            self.watch()

    def failed(self) -> None:
        self.opened_ns = -1  # the end that follows an error is none
        self.told = True
        self.later()

    def bookmark(self, thing: dict[str, Any]) -> None:
        self.told = True
        self.version = thing["metadata"]["resourceVersion"]

    def change(self, type_: str, pod: Pod) -> None:
        if type_ == "DELETED":
            self.pods.pop(self.key(pod), None)
        else:
            self.pods[self.key(pod)] = pod
        self.send()

    def key(self, pod: Pod) -> Any:
        return pod["metadata"].get("namespace"), pod["metadata"]["name"]

    def send(self) -> None:
        self.env.send(SourceUpdate(source="api", pods=tuple(self.pods.values())))


class SendsTheChangeAlone(Watcher):
    """
    Sends the pod of the event, not the set: all others are removed.
    """

    def change(self, type_: str, pod: Pod) -> None:
        self.env.send(SourceUpdate(source="api", pods=(pod,)))


class KeysByName(Watcher):
    """
    Tells pods apart by name: the same name in two namespaces is one pod.
    """

    def key(self, pod: Pod) -> Any:
        return pod["metadata"]["name"]


class KeysByUid(Watcher):
    """
    Tells pods apart by UID: one that was made anew stands beside the old one.
    """

    def key(self, pod: Pod) -> Any:
        return pod["metadata"].get("uid")


class EmptiesOnAFailedList(Watcher):
    """
    Takes a list that fails for an empty one: a second of trouble kills all pods.
    """

    def list_failed(self) -> None:
        self.take_over([])
        self.later()


class AddsToWhatItHad(Watcher):
    """
    Adds a new list to the old one: what was deleted during a gap lives on.
    """

    def take_over(self, pods: list[Pod]) -> None:
        self.pods.update({self.key(pod): pod for pod in pods})
        self.send()


class WatchesOnAfterGone(Watcher):
    """
    Watches again from the same version after 410, and is told 410 for ever.
    """

    def failed(self) -> None:
        self.env.clock.call_later(SECOND_NS, self.watch)


class ListsAfterEachWatch(Watcher):
    """
    Lists whenever a watch ends, as they all do after some minutes.
    """

    def ended(self) -> None:
        if self.opened_ns >= 0:
            self.ask_for_list()


class KeepsBookmarks(Watcher):
    """
    Takes a bookmark for a pod, one without a name.
    """

    def bookmark(self, thing: dict[str, Any]) -> None:
        self.pods[None] = thing
        self.send()


class DoesNotWaitForTheNode(Watcher):
    """
    Lists before the node is known.
    """

    def begin(self) -> None:
        self.ask_for_list()


class SendsNothingForNothing(Watcher):
    """
    Sends no empty set, so that a node without pods never becomes ready.
    """

    def send(self) -> None:
        if self.pods:
            super().send()


class ComparesFirst(Watcher):
    """
    Sends nothing if nothing has changed, which is the merger's business.
    """

    def change(self, type_: str, pod: Pod) -> None:
        old = self.pods.get(self.key(pod), {})
        if old.get("spec") != pod.get("spec"):
            super().change(type_, pod)


class TriesEachSecond(Watcher):
    """
    Tries a failed list again each second, with a thousand others.
    """

    def later(self) -> None:
        self.env.clock.call_later(SECOND_NS, self.ask_for_list)


def _miniature(made: type[Watcher], case: str, fact: str) -> Miniature:
    return Miniature(
        made=made, offers="new_apiserver_source", case=f"api/{case}", fact=fact
    )


MINIATURES = (
    _miniature(SendsTheChangeAlone, "added-event-sends-the-whole-set", "API-05"),
    _miniature(KeysByName, "one-name-in-two-namespaces-is-two-pods", "API-07"),
    _miniature(KeysByUid, "a-recreated-pod-replaces-the-old-one", "API-07"),
    _miniature(EmptiesOnAFailedList, "a-failed-list-keeps-the-pods", "API-12"),
    _miniature(AddsToWhatItHad, "the-list-after-an-error-is-the-truth", "API-11"),
    _miniature(WatchesOnAfterGone, "an-error-event-lists-again:gone", "API-11"),
    _miniature(ListsAfterEachWatch, "an-ended-watch-is-opened-again", "API-10"),
    _miniature(KeepsBookmarks, "bookmark-sends-nothing", "API-08"),
    _miniature(
        DoesNotWaitForTheNode, "nothing-is-asked-before-the-node-has-synced", "API-02"
    ),
    _miniature(SendsNothingForNothing, "no-pods-give-an-empty-set", "API-04"),
    _miniature(ComparesFirst, "added-for-an-equal-pod-sends-the-set", "API-06"),
    _miniature(TriesEachSecond, "the-fourth-delay-is-over-six-seconds", "API-12"),
)
