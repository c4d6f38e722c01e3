"""
The file source: lists a path, watches it, and sends its whole set of pods.

Rule 1: listings and events are handled one after the other, each only when what the
last one sent has been taken; a listing that comes due meanwhile is kept, at most one.
Rule 2: a listing with pods replaces the store; one without is sent past the store.
Rule 3: an event reads its one file into the store and sends the whole store, without
comparing; a file that can't be used changes nothing. Rule 4: a deletion removes the pod
that the file gave last, whoever else gives it too. Rule 5: a file that can't be used
costs a directory that one file, but a single file its whole listing. Rule 6: kubelets
that don't watch keep no store and send what they find.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from pytest_podsource.contract import (
    Cancel,
    Config,
    Environment,
    Pod,
    Refused,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.core.disk import CannotList, Disk, Manifest
from pytest_podsource.core.path_watch import PathWatch
from pytest_podsource.core.pods import name, namespace
from pytest_podsource.core.versions import Kubelet

SOURCE = "file"

Decode = Callable[[bytes, str], Pod]


class FileSource:
    """
    Sends the pods of the manifests at one path.

    Args:
        kubelet: Which kubelet to behave like.
        config: ``path`` and ``period_ns`` count.
        env: Clock, watch, reader and log.
        disk: Reads the manifests.
        decode: Makes the pod of a manifest and its path; raises ``Refused``.

    Kubelet: ``sourceFile`` in ``pkg/kubelet/config/file.go``.
    """

    def __init__(
        self,
        kubelet: Kubelet,
        config: Config,
        env: Environment,
        disk: Disk,
        decode: Decode,
    ) -> None:
        self._kubelet = kubelet
        self._path = (
            config.path.rstrip("/") if kubelet.file_cuts_slashes else config.path
        )
        self._period_ns = config.period_ns
        self._env = env
        self._disk = disk
        self._decode = decode
        self._store: dict[str, Pod] = {}
        self._key_of_file: dict[str, str] = {}
        self._due: deque[Callable[[], None]] = deque()
        self._sending = False
        self._working = False
        self._timer: Cancel = _nothing
        self._watch = PathWatch(self._path, env, disk, self._queue_event, self._send)

    def start(self) -> None:
        """
        List at once, in the background, and then every period; begin to watch.

        Raises:
            ValueError: The period isn't positive (not in 1.1, which spins).

        Kubelet: ``NewSourceFile``, ``sourceFile.run``.
        """
        if self._period_ns <= 0 and self._kubelet.file_period_must_be_positive:
            raise ValueError(
                f"period {self._period_ns} ns: a ticker needs a positive period. "
                "Use one such as 20 s."
            )
        self._timer = self._env.clock.call_later(0, self._first)
        if self._kubelet.file_watch:
            self._watch.start()

    def stop(self) -> None:
        """
        End the listings and the watch.
        """
        self._timer()
        self._watch.stop()
        self._due.clear()

    def _first(self) -> None:
        if self._kubelet.file_ticker:
            self._timer = self._env.clock.call_later(self._period_ns, self._tick)
        self._queue_listing()

    def _tick(self) -> None:
        self._timer = self._env.clock.call_later(self._period_ns, self._tick)
        self._queue_listing()

    def _queue_listing(self) -> None:
        if self._list not in self._due:
            self._due.append(self._list)
            self._work()

    def _queue_event(self, event: WatchEvent) -> None:
        self._due.append(lambda: self._consume(event))
        self._work()

    def _work(self) -> None:
        if self._working:  # called back from within: the loop below goes on by itself
            return
        self._working = True
        try:
            while self._due and not self._sending:
                self._due.popleft()()
        finally:
            self._working = False

    def _send(self, pods: tuple[Pod, ...], taken: Callable[[], None]) -> None:
        self._env.send(SourceUpdate(source=SOURCE, pods=pods), taken)

    def _emit(self, pods: tuple[Pod, ...]) -> None:
        self._sending = True
        self._send(pods, self._taken)

    def _taken(self) -> None:
        self._sending = False
        self._work()

    def _list(self) -> None:
        """
        Read the path as a whole.

        Kubelet: ``listConfig``.
        """
        look = self._disk.look(self._path)
        if look.state == "missing":
            self._emit(())
            self._error("the path does not exist")
        elif look.state == "directory":
            self._list_directory()
        elif look.state == "file":
            self._list_file()
        else:
            self._error(look.error or "the path is neither a directory nor a file")
        if not self._kubelet.file_ticker:
            self._due.append(self._rest)

    def _rest(self) -> None:
        self._timer = self._env.clock.call_later(self._period_ns, self._queue_listing)

    def _list_directory(self) -> None:
        try:
            pods = list(self._pods_of_directory())
        except CannotList as error:
            self._error(str(error))
            return
        self._replace(pods)

    def _list_file(self) -> None:
        manifest = self._disk.read(self._path, self._kubelet.max_manifest_bytes)
        try:
            pod = self._pod_of(manifest)
        except Refused as error:
            self._error(str(error))
            return
        self._replace([pod])

    def _pods_of_directory(self) -> Iterator[Pod]:
        limit = self._kubelet.max_manifest_bytes
        for manifest in self._disk.manifests(self._path, limit):
            pod = self._pod_or_none(manifest)
            if pod is not None:
                yield pod

    def _pod_or_none(self, manifest: Manifest) -> Pod | None:
        try:
            return self._pod_of(manifest)
        except Refused as error:
            if not (manifest.is_gone and self._kubelet.file_watch):
                level = self._kubelet.skipped_file_level
                self._env.log(level, f"{manifest.path}: {error}", path=manifest.path)
            return None

    def _pod_of(self, manifest: Manifest) -> Pod:
        """
        Return the pod of *manifest* and note which file it is of.

        Raises:
            Refused: The file can't be read, or its manifest can't be used.

        Kubelet: ``extractFromFile``.
        """
        if manifest.data is None:
            raise Refused(manifest.error)
        pod = self._decode(manifest.data, manifest.path)
        self._key_of_file[manifest.path] = _key(pod)
        return pod

    def _replace(self, pods: list[Pod]) -> None:
        if not pods or not self._kubelet.file_watch:
            self._emit(tuple(pods))
            return
        self._store = {_key(pod): pod for pod in pods}
        self._emit_store()

    def _emit_store(self) -> None:
        self._emit(tuple(self._store.values()))

    def _consume(self, event: WatchEvent) -> None:
        """
        Take in one change of a file.

        Kubelet: ``produceWatchEvent`` (what an event means), ``consumeWatchEvent``.
        """
        if event.ops & {"create", "write", "chmod"}:
            self._file_changed(event.path)
        elif event.ops & {"remove", "rename"}:
            self._file_gone(event.path)

    def _file_changed(self, path: str) -> None:
        try:
            limit = self._kubelet.max_manifest_bytes
            pod = self._pod_of(self._disk.read(path, limit))
        except Refused as error:
            self._error(f"{path}: {error}", file=path)
            return
        self._store[_key(pod)] = pod
        self._emit_store()

    def _file_gone(self, path: str) -> None:
        key = self._key_of_file.get(path)
        if key is None:
            return
        if key not in self._store:
            self._error(f"{path}: its pod {key} is not in the store", file=path)
            return
        del self._store[key]
        del self._key_of_file[path]
        self._emit_store()

    def _error(self, message: str, **fields: str) -> None:
        self._env.log("error", message, path=self._path, **fields)


def _key(pod: Pod) -> str:
    return f"{namespace(pod)}/{name(pod)}" if namespace(pod) else name(pod)


def _nothing() -> None:
    """Cancel nothing."""
