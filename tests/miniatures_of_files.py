"""
Small file sources, each wrong in one way that people got wrong.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

from pytest_podsource import reference
from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    Environment,
    Pod,
    Refused,
    SourceUpdate,
    WatchEvent,
)
from tests.miniature import Miniature


class Directory:
    """
    Lists a directory every period, watches it, and sends its whole set.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config = config
        self.env = env
        self.pods: dict[str, Pod] = {}
        self.names: dict[str, str] = {}
        self.retry_ns = SECOND_NS

    def start(self) -> None:
        if self.config.period_ns <= 0:
            raise ValueError(f"period {self.config.period_ns} ns: it must be positive.")
        self.env.clock.call_later(0, self.tick)
        self.env.clock.call_later(0, self.watch)

    def tick(self) -> None:
        self.env.clock.call_later(self.config.period_ns, self.tick)
        self.list_all()

    def list_all(self) -> None:
        self.pods = {}
        for path in self.paths():
            self.read(path)
        self.send()

    def paths(self) -> list[str]:
        names = sorted(os.listdir(self.config.path))
        return [
            os.path.join(self.config.path, each) for each in names if each[0] != "."
        ]

    def read(self, path: str) -> bool:
        try:
            self.keep(path, self.pod_of(path))
        except (OSError, Refused) as error:
            self.env.log("error", f"{path}: {error}", path=path)
            return False
        return True

    def pod_of(self, path: str) -> Pod:
        with open(path, "rb") as file:
            data = file.read()
        return reference.decode_manifest(data, replace(self.config, path=path))

    def keep(self, path: str, pod: Pod) -> None:
        name = self.names[path] = pod["metadata"]["name"]
        self.pods[name] = pod

    def send(self) -> None:
        pods = tuple(self.pods.values())
        self.env.send(SourceUpdate(source="file", pods=pods))

    def watch(self) -> None:
        try:
            self.env.watch(self.config.path, self.told)
        except OSError:
            self.watch_again()

    def watch_again(self) -> None:
        self.env.clock.call_later(self.retry_ns, self.watch)
        self.retry_ns = min(2 * self.retry_ns, 20 * SECOND_NS)

    def told(self, event: WatchEvent | OSError) -> None:
        if isinstance(event, OSError):
            self.watch_again()
        elif os.path.basename(event.path)[0] != ".":
            self.changed(event)

    def changed(self, event: WatchEvent) -> None:
        if not event.ops & {"remove", "rename"}:
            self.changed_file(event.path)
        elif event.path in self.names:
            self.pods.pop(self.names.pop(event.path), None)
            self.send()

    def changed_file(self, path: str) -> None:
        if self.read(path):
            self.send()


class ReadsDotFiles(Directory):
    """R03: what an editor keeps beside the manifest, ``.web.yaml.swp``, is a pod too."""

    def paths(self) -> list[str]:
        names = sorted(os.listdir(self.config.path))
        return [os.path.join(self.config.path, name) for name in names]


class ReadsYamlOnly(Directory):
    """R01: backups are left out by their extension; the kubelet reads any."""

    def paths(self) -> list[str]:
        return [path for path in super().paths() if path.endswith((".yaml", ".json"))]


class LetsTheFirstFileWin(Directory):
    """R01: of two files with one pod the backup loses, as a pull request wished."""

    def keep(self, path: str, pod: Pod) -> None:
        self.names[path] = pod["metadata"]["name"]
        self.pods.setdefault(pod["metadata"]["name"], pod)


class EndsTheListingAtABadFile(Directory):
    """R44: an error page saved as a manifest takes all other pods along."""

    def list_all(self) -> None:
        self.pods = {}
        if all(self.read(path) for path in self.paths()):
            self.send()


class OnlyPolls(Directory):
    """R28: on the author's network mount there were no events to see."""

    def watch(self) -> None:
        """Do without."""


class NeverWatchesAgain(Directory):
    """R21: a watcher that stops for good when its watch ends."""

    def watch_again(self) -> None:
        """Leave it at that."""


class WatchesAgainInStep(Directory):
    """A watch that can't be made is tried each second, for ever."""

    def watch_again(self) -> None:
        self.env.clock.call_later(SECOND_NS, self.watch)


class WaitsForQuiet(Directory):
    """R11: a half written file is waited for, so no change is told at once."""

    def changed_file(self, path: str) -> None:
        later = partial(super().changed_file, path)
        self.env.clock.call_later(SECOND_NS // 2, later)


class DropsThePodOfABadFile(Directory):
    """R13: a bad edit kills the pod at once."""

    def changed_file(self, path: str) -> None:
        if not self.read(path):
            self.pods.pop(self.names.get(path, ""), None)
        self.send()


class TrustsFileTimes(Directory):
    """R84: nothing is sent unless a file's time has moved."""

    times: dict[str, int] | None = None

    def list_all(self) -> None:
        times = {path: os.stat(path).st_mtime_ns for path in self.paths()}
        if times != self.times:
            self.times = times
            super().list_all()


class DescendsIntoFolders(Directory):
    """A glob of ``**``: what lies in folders is read as well."""

    def paths(self) -> list[str]:
        return [
            os.path.join(folder, name)
            for folder, _, names in os.walk(self.config.path)
            for name in sorted(names)
        ]


class SendsTheChangeOnly(Directory):
    """A set is taken for a change: the other pods of the source vanish."""

    def changed_file(self, path: str) -> None:
        self.pods = {}
        super().changed_file(path)


class SendsNoEqualSet(Directory):
    """R15: the source compares what only the merge should."""

    last: tuple[Pod, ...] | None = None

    def send(self) -> None:
        pods = tuple(self.pods.values())
        if pods != self.last:
            self.last = pods
            super().send()


class LeavesDeletionsToTheListing(Directory):
    """R12: a file that was moved out is missed until the next listing."""

    def changed(self, event: WatchEvent) -> None:
        if not event.ops & {"remove", "rename"}:
            super().changed(event)


class TakesAnyPeriod(Directory):
    """R77: ``fileCheckFrequency: 0s`` lists without end."""

    def start(self) -> None:
        self.env.clock.call_later(0, self.tick)


_file = partial(Miniature, offers="new_file_source")

MINIATURES = (
    _file(made=ReadsDotFiles, case="file/dir-ignores-dotfiles", fact="FILE-10"),
    _file(made=ReadsYamlOnly, case="file/any-extension-is-read:bak", fact="FILE-09"),
    _file(
        made=LetsTheFirstFileWin,
        case="file/of-two-files-with-one-pod-the-last-counts",
        fact="FILE-27",
    ),
    _file(
        made=EndsTheListingAtABadFile,
        case="file/one-bad-file-costs-only-itself:html",
        fact="FILE-14",
    ),
    _file(made=OnlyPolls, case="file/a-new-file-is-told-at-once", fact="FILE-39"),
    _file(
        made=NeverWatchesAgain,
        case="file/an-overflow-ends-the-watch-and-is-retried",
        fact="FILE-38",
    ),
    _file(made=WatchesAgainInStep, case="file/watch-failure-backs-off", fact="FILE-71"),
    _file(
        made=WaitsForQuiet,
        case="file/a-valid-prefix-is-taken-for-the-whole",
        fact="FILE-46",
    ),
    _file(
        made=DropsThePodOfABadFile,
        case="file/a-file-gone-bad-keeps-its-pod-until-the-listing",
        fact="FILE-43",
    ),
    _file(
        made=TrustsFileTimes, case="file/lists-at-once-and-every-period", fact="FILE-03"
    ),
    _file(
        made=DescendsIntoFolders,
        case="file/sub-directories-are-skipped",
        fact="FILE-11",
    ),
    _file(made=SendsTheChangeOnly, case="file/the-set-is-whole", fact="FILE-04"),
    _file(
        made=SendsNoEqualSet, case="file/equal-content-is-sent-again", fact="FILE-42"
    ),
    _file(
        made=LeavesDeletionsToTheListing,
        case="file/a-deleted-file-takes-its-pod-along",
        fact="FILE-51",
    ),
    _file(
        made=TakesAnyPeriod,
        case="file/a-period-of-zero-is-refused:zero",
        fact="FILE-34",
    ),
)
