"""
Facts of the file source, each with a line of the reference that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_SOURCE = "core.file_source"
_WATCH = "core.path_watch"
_DISK = "shells.files"
_VERSIONS = "core.versions"
_NO_STORE = "if not pods or not self._kubelet.file_watch:"

FACTS: dict[str, Patch] = {
    "FILE-01": Patch(
        module=_SOURCE,
        old="call_later(0, self._first)",
        new="call_later(self._period_ns, self._first)",
    ),
    "FILE-02": Patch(
        module=_SOURCE,
        old="            self._timer = self._env.clock.call_later(self._period_ns, self._tick)\n        self._queue",
        new="            self._timer = self._env.clock.call_later(2 * self._period_ns, self._tick)\n        self._queue",
    ),
    "FILE-03": Patch(
        module=_SOURCE,
        old="        self._timer = self._env.clock.call_later(self._period_ns, self._tick)\n        self._queue_listing()\n\n    def _queue",
        new="        self._timer = self._env.clock.call_later(self._period_ns, self._tick)\n\n    def _queue",
    ),
    "FILE-04": Patch(
        module=_SOURCE,
        old="        self._store[_key(pod)] = pod\n        self._emit_store()",
        new="        self._emit((pod,))",
    ),
    "FILE-05": Patch(
        module=_SOURCE,
        old="            self._emit(())\n",
        new="            self._watch.start()\n",
        kubelet="1.1",
    ),
    "FILE-06": Patch(
        module=_WATCH, old="self._send((), self._again)", new="self._again()"
    ),
    "FILE-07": Patch(
        module=_DISK,
        old="except FileNotFoundError:\n            return PathLook",
        new="except OSError:\n            return PathLook",
    ),
    "FILE-08": Patch(
        module=_DISK, old="key=os.fsencode", new="key=lambda path: (len(path), path)"
    ),
    "FILE-09": Patch(
        module=_DISK, old='NOT_HIDDEN = "[^.]*"', new='NOT_HIDDEN = "[^.]*.yaml"'
    ),
    "FILE-10": Patch(module=_DISK, old='NOT_HIDDEN = "[^.]*"', new='NOT_HIDDEN = "*"'),
    "FILE-11": Patch(
        module=_DISK,
        old='            if look.state == "file":',
        new='            if look.state == "directory":\n                yield from self.manifests(path, max_bytes)\n            elif look.state == "file":',
    ),
    "FILE-12": Patch(
        module=_DISK,
        old="mode = os.stat(path).st_mode",
        new="mode = os.lstat(path).st_mode",
    ),
    "FILE-13": Patch(
        module=_DISK,
        old="            else:\n                yield Manifest(path=path, error=_reason(look))",
        new='            elif look.state == "special":\n                raise CannotList(path)\n            else:\n                yield Manifest(path=path, error=_reason(look))',
    ),
    "FILE-14": Patch(
        module=_SOURCE,
        old="            if not (manifest.is_gone and",
        new="            raise CannotList(str(error)) from None\n            if not (manifest.is_gone and",
    ),
    "FILE-15": Patch(
        module=_SOURCE,
        old='        except Refused as error:\n            self._error(f"{path}: {error}", file=path)\n            return',
        new="        except Refused:\n            return",
    ),
    "FILE-16": Patch(
        module=_SOURCE,
        old=_NO_STORE,
        new="if not pods:\n            return\n        if not self._kubelet.file_watch:",
    ),
    "FILE-17": Patch(
        module=_DISK,
        old="        return []\n    return [os.path.join",
        new='        raise CannotList("unreadable") from None\n    return [os.path.join',
    ),
    "FILE-18": Patch(
        module=_DISK,
        old="    matches = _matcher(pattern)\n    if not _META",
        new="    return _names(*os.path.split(pattern))\n    if not _META",
    ),
    "FILE-19": Patch(
        module=_SOURCE,
        old="        self._replace([pod])",
        new="        self._list_directory()",
    ),
    "FILE-20": Patch(
        module=_SOURCE,
        old="        except Refused as error:\n            self._error(str(error))\n            return\n        self._replace([pod])",
        new="        except Refused as error:\n            self._error(str(error))\n            self._emit(())\n            return\n        self._replace([pod])",
    ),
    "FILE-21": Patch(
        module=_SOURCE,
        old='look.state == "file":\n            self._list_file()',
        new='look.state == "special":\n            self._emit(())',
    ),
    "FILE-22": Patch(
        module=_WATCH,
        old='elif not posixpath.basename(event.path).startswith("."):',
        new='elif event.path == self._path or not posixpath.basename(event.path).startswith("."):',
    ),
    "FILE-23": Patch(
        module=_VERSIONS,
        old='"file_cuts_slashes": {"1.1": False, "1.20": True}',
        new='"file_cuts_slashes": {"1.1": False}',
    ),
    "FILE-24": Patch(
        module=_DISK,
        old="mode = os.stat(path).st_mode",
        new="mode = os.lstat(path).st_mode",
    ),
    "FILE-25": Patch(
        module=_DISK, old="len(data) >= max_bytes", new="len(data) > max_bytes"
    ),
    "FILE-26": Patch(
        module=_DISK,
        old="        except OSError as error:\n            return Manifest(path=path, error=str(error))",
        new="        except OSError as error:\n            raise CannotList(str(error)) from None",
    ),
    "FILE-27": Patch(
        module=_SOURCE,
        old="self._store = {_key(pod): pod for pod in pods}",
        new="self._store = {_key(pod): pod for pod in reversed(pods)}",
    ),
    "FILE-28": Patch(
        module=_SOURCE,
        old="            self._emit(tuple(pods))",
        new="            self._emit(tuple({_key(pod): pod for pod in pods}.values()))",
        kubelet="1.1",
    ),
    "FILE-29": Patch(
        module=_DISK,
        old="sorted(_glob(pattern), key=os.fsencode)",
        new="sorted(_glob(pattern), key=os.fsencode, reverse=True)",
        kubelet="1.1",
    ),
    "FILE-30": Patch(
        module=_SOURCE,
        old='    return f"{namespace(pod)}',
        new='    return str(pod["metadata"]["uid"])\n    return f"{namespace(pod)}',
    ),
    "FILE-31": Patch(
        module=_SOURCE,
        old=_NO_STORE,
        new="if not pods:\n            self._store = {}\n        if not pods or not self._kubelet.file_watch:",
    ),
    "FILE-32": Patch(
        module=_SOURCE,
        old="self._store = {_key(pod): pod for pod in pods}",
        new="self._store.update({_key(pod): pod for pod in pods})",
    ),
    "FILE-33": Patch(
        module=_VERSIONS,
        old='"file_watch": {"1.1": False, "1.20": True}',
        new='"file_watch": {"1.1": True}',
        kubelet="1.1",
    ),
    "FILE-34": Patch(
        module=_SOURCE,
        old="if self._period_ns <= 0 and",
        new="if self._period_ns < 0 and",
    ),
    "FILE-36": Patch(
        module=_VERSIONS,
        old='"skipped_file_level": {"1.1": "info", "1.20": "error"}',
        new='"skipped_file_level": {"1.1": "info"}',
    ),
    "FILE-37": Patch(
        module=_VERSIONS,
        old='"file_watch": {"1.1": False, "1.20": True}',
        new='"file_watch": {"1.1": True}',
        kubelet="1.1",
    ),
    "FILE-38": Patch(
        module=_WATCH,
        old='self._failed(f"the watch has ended: {event}")',
        new='self._env.log("error", "the watch has ended")',
    ),
    "FILE-39": Patch(
        module=_SOURCE,
        old='if event.ops & {"create", "write", "chmod"}:',
        new='if event.ops & {"create", "write", "chmod"} and not event.ops & {"remove", "rename"}:',
    ),
    "FILE-40": Patch(
        module=_WATCH,
        old='elif not posixpath.basename(event.path).startswith("."):',
        new="else:",
    ),
    "FILE-41": Patch(
        module=_SOURCE,
        old="        self._store[_key(pod)] = pod\n        self._emit_store()",
        new="        self._emit((pod,))",
    ),
    "FILE-42": Patch(
        module=_SOURCE,
        old="        self._store[_key(pod)] = pod\n",
        new="        if self._store.get(_key(pod)) == pod:\n            return\n        self._store[_key(pod)] = pod\n",
    ),
    "FILE-43": Patch(
        module=_SOURCE,
        old='            self._error(f"{path}: {error}", file=path)\n            return\n        self._store',
        new="            self._file_gone(path)\n            return\n        self._store",
    ),
    "FILE-44": Patch(
        module=_SOURCE,
        old='if event.ops & {"create", "write", "chmod"}:',
        new='if event.ops & {"chmod"}:',
    ),
    "FILE-45": Patch(
        module=_SOURCE,
        old='if event.ops & {"create", "write", "chmod"}:',
        new='if event.ops & {"create", "chmod"}:',
    ),
    "FILE-46": Patch(
        module=_SOURCE,
        old='if event.ops & {"create", "write", "chmod"}:',
        new='if event.ops & {"create", "chmod"}:',
    ),
    "FILE-47": Patch(
        module=_SOURCE,
        old='if event.ops & {"create", "write", "chmod"}:',
        new='if event.ops & {"create", "chmod"}:',
    ),
    "FILE-48": Patch(
        module=_SOURCE,
        old='elif event.ops & {"remove", "rename"}:',
        new='elif event.ops & {"remove"}:',
    ),
    "FILE-49": Patch(
        module=_SOURCE,
        old='elif event.ops & {"remove", "rename"}:',
        new='elif event.ops & {"remove"}:',
    ),
    "FILE-50": Patch(
        module=_SOURCE,
        old='if event.ops & {"create", "write", "chmod"}:',
        new='if event.ops & {"create"}:\n            self._file_gone(event.path)\n        if event.ops & {"create", "write", "chmod"}:',
    ),
    "FILE-51": Patch(
        module=_SOURCE,
        old='elif event.ops & {"remove", "rename"}:',
        new='elif event.ops & {"rename"}:',
    ),
    "FILE-52": Patch(
        module=_SOURCE,
        old="        if key is None:\n            return\n",
        new="        if key is None:\n            self._emit_store()\n            return\n",
    ),
    "FILE-53": Patch(
        module=_SOURCE,
        old='            self._error(f"{path}: its pod {key} is not in the store", file=path)\n',
        new="",
    ),
    "FILE-54": Patch(
        module=_SOURCE,
        old="        del self._key_of_file[path]\n        self._emit_store()",
        new="        del self._key_of_file[path]\n        if key in self._key_of_file.values():\n            self._queue_listing()\n        else:\n            self._emit_store()",
    ),
    "FILE-55": Patch(
        module=_SOURCE,
        old="        del self._store[key]\n",
        new="        if key not in [each for file, each in self._key_of_file.items() if file > path]:\n            del self._store[key]\n",
    ),
    "FILE-56": Patch(
        module=_SOURCE,
        old="        self._store[_key(pod)] = pod\n        self._emit_store()",
        new="        self._queue_listing()",
    ),
    "FILE-57": Patch(
        module=_SOURCE,
        old="            pod = self._pod_of(self._disk.read(path, limit))\n",
        new='            self._store.pop(self._key_of_file.get(path, ""), None)\n            pod = self._pod_of(self._disk.read(path, limit))\n',
    ),
    "FILE-58": Patch(
        module=_SOURCE,
        old=_NO_STORE,
        new="if not pods:\n            self._store = {}\n        if not pods or not self._kubelet.file_watch:",
    ),
    "FILE-59": Patch(
        module=_DISK,
        old="mode = os.stat(path).st_mode",
        new="mode = os.lstat(path).st_mode",
    ),
    "FILE-60": Patch(
        module=_WATCH,
        old='elif not posixpath.basename(event.path).startswith("."):',
        new='elif posixpath.basename(event.path) == "..data":\n            self._on_event(WatchEvent(path=f"{self._path}/a.yaml", ops=frozenset({"write"})))\n        elif not posixpath.basename(event.path).startswith("."):',
    ),
    "FILE-61": Patch(
        module=_SOURCE,
        old='            self._error(f"{path}: {error}", file=path)\n            return\n        self._store',
        new="            return\n        self._store",
    ),
    "FILE-62": Patch(
        module="reference",
        old="        path=path,\n",
        new='        path=str(__import__("os").stat(path).st_ino),\n',
    ),
    "FILE-63": Patch(
        module=_WATCH,
        old="        elif not posixpath",
        new='        elif event.path == self._path and event.ops & {"remove"}:\n            self._again()\n        elif not posixpath',
    ),
    "FILE-64": Patch(
        module=_SOURCE,
        old="        if key is None:\n            return\n",
        new="        if path == self._path:\n            self._emit(())\n            return\n        if key is None:\n            return\n",
    ),
    "FILE-65": Patch(
        module=_WATCH,
        old="            self._watch = self._env.watch(self._path, self._told)",
        new='            self._watch = self._env.watch(self._path, self._told)\n            self._on_event(WatchEvent(path=f"{self._path}/a", ops=frozenset({"create"})))',
    ),
    "FILE-66": Patch(
        module=_SOURCE,
        old='if event.ops & {"create", "write", "chmod"}:',
        new='if event.ops & {"create", "chmod"}:',
    ),
    "FILE-67": Patch(
        module=_SOURCE,
        old='elif event.ops & {"remove", "rename"}:',
        new='elif event.ops & {"remove", "rename"} and event.path != self._path:',
    ),
    "FILE-68": Patch(
        module=_WATCH,
        old="        elif not posixpath",
        new='        elif event.path == self._path and event.ops & {"remove"}:\n            self._on_event(event)\n            self._again()\n        elif not posixpath',
    ),
    "FILE-69": Patch(
        module=_WATCH,
        old="        elif not posixpath",
        new='        elif event.path == self._path and event.ops & {"rename"}:\n            self._on_event(event)\n            self._again()\n        elif not posixpath',
    ),
    "FILE-70": Patch(
        module=_SOURCE,
        old='config.path.rstrip("/") if',
        new='__import__("posixpath").normpath(config.path) if',
    ),
    "FILE-71": Patch(
        module=_WATCH,
        old="MAX_RETRY_NS = 20 * SECOND_NS",
        new="MAX_RETRY_NS = 30 * SECOND_NS",
    ),
    "FILE-72": Patch(
        module=_SOURCE,
        old="        self._due.append(lambda: self._consume(event))\n",
        new='        if event.path.endswith("p33"):\n            return\n        self._due.append(lambda: self._consume(event))\n',
    ),
    "FILE-73": Patch(
        module=_WATCH, old="self._send((), self._again)", new="self._again()"
    ),
    "FILE-74": Patch(
        module=_SOURCE,
        old="while self._due and not self._sending:",
        new="while self._due:",
    ),
}
