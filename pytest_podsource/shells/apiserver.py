"""
The apiserver over HTTP: lists and watches of the node's pods.

Rule 1: a request runs in a thread of its own; what it brings is told in the loop. Rule
2: after its end or a cancel nothing is told, and the connection is cut. Rule 3: nothing
is kept without a bound: a list and an event have a longest length, and a watch waits
until its events are taken. Rule 4: a list is taken in pages where that costs the server
less. Rule 5: a busy server that says when to come back is asked again then.
"""

from __future__ import annotations

import errno
import json
import random
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlencode

from pytest_podsource.contract import Cancel, LogLevel, ServerStatus
from pytest_podsource.shells.cuttable import Cuttable
from pytest_podsource.shells.kubeconfig import Access
from pytest_podsource.shells.loop import Loop

PAGE = 500
MAX_LIST_BYTES = 128 * 1024 * 1024
MAX_EVENT_BYTES = 16 * 1024 * 1024
#: Events of one watch that are read and not yet taken.
AHEAD = 64
CONNECT_S = 30.0
LIST_S = 60.0
#: How long a watch lasts, chosen anew each time.
WATCH_S = (300, 600)
#: A server that neither tells nor ends a watch in time is given up for lost.
GRACE_S = 30.0
RETRIES = 10

OK = 200
GONE = 410
BUSY = 429
SERVER_ERROR = 500

Outcome: TypeAlias = dict[str, Any] | OSError | None
OnOutcome: TypeAlias = Callable[[Any], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    What is read at most.

    Attributes:
        list_bytes: All pages of one list.
        event_bytes: One event of a watch.
    """

    list_bytes: int = MAX_LIST_BYTES
    event_bytes: int = MAX_EVENT_BYTES


class Apiserver:
    """
    The pods of one node, and the node, at one apiserver.

    Args:
        loop: Where all is told.
        access: How the server is reached.
        node_name: Which node.
        limits: What is read at most.

    Raises:
        UsageError: A certificate or key can't be used.
    """

    def __init__(
        self,
        loop: Loop,
        access: Access,
        node_name: str,
        limits: Limits | None = None,
    ) -> None:
        self._loop = loop
        self._access = access
        self._limits = limits or Limits()
        self._tls = access.tls() if access.server.startswith("https:") else None
        self._pods = {"fieldSelector": f"spec.nodeName={node_name}"}
        self._node = {"fieldSelector": f"metadata.name={node_name}"}

    def list_pods(self, on_done: OnOutcome, resource_version: str) -> Cancel:
        """List the pods; *on_done* gets a PodList."""
        query = dict(self._pods)
        if resource_version:
            query["resourceVersion"] = resource_version
        return self._begin(partial(self._list, "pods", query), on_done)

    def list_nodes(self, on_done: OnOutcome) -> Cancel:
        """List the node; *on_done* gets a NodeList, empty if there is no such node."""
        return self._begin(partial(self._list, "nodes", self._node), on_done)

    def watch_pods(
        self, resource_version: str, on_event: OnOutcome, *, initial: bool
    ) -> Cancel:
        """Watch the pods; see :class:`pytest_podsource.contract.Environment`."""
        lasts_s = random.randint(*WATCH_S)  # noqa: S311 - spreads load
        query = {
            **self._pods,
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(lasts_s),
        }
        if resource_version:
            query["resourceVersion"] = resource_version
        if initial:
            query["sendInitialEvents"] = "true"
            query["resourceVersionMatch"] = "NotOlderThan"
        return self._begin(partial(self._watch, query, lasts_s), on_event)

    def _begin(self, work: Callable[[_Request], None], on_outcome: OnOutcome) -> Cancel:
        request = _Request(self._loop, self._access.server, on_outcome)
        threading.Thread(
            target=request.run, args=(work,), name="podsource-api", daemon=True
        ).start()
        return request.cancel

    def _list(self, what: str, query: Mapping[str, str], request: _Request) -> None:
        request.tell(self._pages(what, query, request), last=True)

    def _pages(
        self, what: str, query: Mapping[str, str], request: _Request
    ) -> dict[str, Any]:
        """Kubelet: ``ListPager.List`` in client-go's ``tools/pager``."""
        if query.get("resourceVersion", "0") != "0":
            return self._page(what, query, request, self._limits.list_bytes)[0]
        left = self._limits.list_bytes
        asked = {**query, "limit": str(PAGE)}
        listed, size = self._page(what, asked, request, left)
        while token := listed["metadata"].get("continue"):
            left -= size
            asked = {**self._of_pages(query), "limit": str(PAGE), "continue": token}
            try:
                more, size = self._page(what, asked, request, left)
            except ServerStatus as error:
                if error.status != GONE:
                    raise
                whole = self._of_pages(query)
                return self._page(what, whole, request, self._limits.list_bytes)[0]
            listed["items"] += more["items"]
            listed["metadata"] = more["metadata"]
        return listed

    def _of_pages(self, query: Mapping[str, str]) -> dict[str, str]:
        return {k: v for k, v in query.items() if k != "resourceVersion"}

    def _page(
        self, what: str, query: Mapping[str, str], request: _Request, left: int
    ) -> tuple[dict[str, Any], int]:
        response = self._ask(request, what, query, LIST_S)
        body = _read(response, left)
        if body is None:
            raise OSError(
                errno.EMSGSIZE, f"{self._where(what)}: a list of over {left} bytes"
            )
        return _as_list(body, self._where(what)), len(body)

    def _watch(self, query: Mapping[str, str], lasts_s: int, request: _Request) -> None:
        response = self._ask(request, "pods", query, lasts_s + GRACE_S)
        where = self._where("pods")
        for line in _lines(response, self._limits.event_bytes):
            request.tell(_as_event(line, where))
        request.tell(None, last=True)

    def _ask(
        self, request: _Request, what: str, query: Mapping[str, str], read_s: float
    ) -> Any:
        """
        Return the response, once its status is good.

        Raises:
            ServerStatus: It isn't.
            OSError: There is none.
        """
        import urllib3  # noqa: PLC0415 - slow, and not everyone has an apiserver

        url = f"{self._access.server}/api/v1/{what}?{urlencode(query)}"
        headers = {"Accept": "application/json", "User-Agent": "podsource"}
        token = self._access.bearer()
        if token:
            headers["Authorization"] = f"Bearer {token}"
        for attempt in range(RETRIES + 1):
            response = self._manager(url, request.line).request(
                "GET",
                url,
                headers=headers,
                preload_content=False,
                decode_content=False,
                redirect=False,
                retries=False,
                timeout=urllib3.Timeout(connect=CONNECT_S, read=read_s),
            )
            pause_s = _pause_s(response)
            if response.status == OK:
                return response
            if pause_s is None or attempt == RETRIES:
                break
            response.close()
            request.rest(pause_s)
        raise ServerStatus(response.status, _told(response, self._where(what)))

    def _manager(self, url: str, line: Cuttable) -> Any:
        import urllib3  # noqa: PLC0415

        settings: dict[str, Any] = {}
        if self._tls is not None:
            settings["ssl_context"] = self._tls
            if self._access.server_name:
                settings["server_hostname"] = self._access.server_name
                settings["assert_hostname"] = self._access.server_name
            elif self._access.insecure:
                settings["assert_hostname"] = False
        proxy = self._access.proxy or _proxy_of_environment(url)
        manager = (
            urllib3.ProxyManager(proxy, **settings)
            if proxy
            else urllib3.PoolManager(**settings)
        )
        manager.pool_classes_by_scheme = line.pools(manager.pool_classes_by_scheme)
        return manager

    def _where(self, what: str) -> str:
        return f"{self._access.server}, {what}"


@dataclass(eq=False)
class _Request:
    """
    One list or watch: its connection, and what it tells.
    """

    loop: Loop
    server: str
    on_outcome: OnOutcome
    line: Cuttable = field(default_factory=Cuttable)
    _room: threading.Semaphore = field(
        default_factory=lambda: threading.Semaphore(AHEAD)
    )
    _ended: threading.Event = field(default_factory=threading.Event)

    def run(self, work: Callable[[_Request], None]) -> None:
        """Do *work* in this thread, and tell how it failed."""
        with suppress(_Unwanted):
            try:
                work(self)
            except _NotAnEvent as error:
                event = {"type": "ERROR", "object": _status(str(error))}
                self.tell(event, last=True)
            except Exception as error:  # noqa: BLE001 - told to whoever asked
                self.tell(_at(self.server, _as_os_error(error)), last=True)
        self.line.cut()

    def tell(self, outcome: Outcome, *, last: bool = False) -> None:
        """
        Tell *outcome* in the loop, as soon as there is room.

        Raises:
            _Unwanted: It was cancelled.
        """
        self._room.acquire()
        if self._ended.is_set():
            raise _Unwanted
        self.loop.post(lambda: self._told(outcome, last=last))

    def rest(self, seconds: float) -> None:
        """
        Do nothing for a while.

        Raises:
            _Unwanted: It was cancelled meanwhile.
        """
        if self._ended.wait(seconds):
            raise _Unwanted

    def cancel(self) -> None:
        """Tell nothing any more."""
        self._ended.set()
        self.line.cut()
        self._room.release()  # the thread may wait for it

    def _told(self, outcome: Outcome, *, last: bool) -> None:
        if self._ended.is_set():
            return
        if last:
            self._ended.set()
        self._room.release()
        self.on_outcome(outcome)


class _Unwanted(BaseException):
    """
    Nobody waits for what a request brings any more.
    """


class _NotAnEvent(Exception):
    """
    A line of a watch that can't be understood.
    """


def _read(response: Any, limit: int) -> bytes | None:
    """Return the whole body, None if it is longer than *limit*."""
    parts, size = [], 0
    for part in response.stream(64 * 1024, decode_content=False):
        parts.append(part)
        size += len(part)
        if size > limit:
            return None
    return b"".join(parts)


def _lines(response: Any, limit: int) -> Iterator[bytes]:
    """
    Give each whole line as it comes; an unfinished one at the end is left out.

    Kubelet: ``StreamWatcher.receive``, for which a broken connection is an end.
    """
    parts: list[bytes] = []
    size = 0
    for part in _parts(response):
        *ends, rest = part.split(b"\n")
        for end in ends:
            line = b"".join((*parts, end))
            parts, size = [], 0
            if line.strip():
                yield line
        parts.append(rest)
        size += len(rest)
        if size > limit:
            raise _NotAnEvent(f"an event of over {limit} bytes")


def _parts(response: Any) -> Iterator[bytes]:
    import urllib3  # noqa: PLC0415

    # Without chunks nothing says how much can be read without waiting for more.
    amount = 64 * 1024 if response.chunked else 1
    with suppress(OSError, urllib3.exceptions.HTTPError):
        yield from response.stream(amount, decode_content=False)


def _as_list(body: bytes, where: str) -> dict[str, Any]:
    listed = _parsed(body, where)
    if not isinstance(listed, dict) or not str(listed.get("kind")).endswith("List"):
        kind = listed.get("kind") if isinstance(listed, dict) else type(listed).__name__
        raise OSError(errno.EPROTO, f"{where}: no list was answered, but {kind!r}")
    items = listed.setdefault("items", None) or []
    if not isinstance(items, list) or not all(map(_has_metadata, items)):
        raise OSError(errno.EPROTO, f"{where}: an item of the list has no metadata")
    listed["items"] = items
    if not isinstance(listed.get("metadata"), dict):
        listed["metadata"] = {}
    return listed


def _as_event(line: bytes, where: str) -> dict[str, Any]:
    try:
        event = _parsed(line, where)
    except OSError as error:
        raise _NotAnEvent(error.strerror) from None
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise _NotAnEvent(f"{where}: {line[:80]!r} is no event")
    if not _has_metadata(event.get("object")):
        raise _NotAnEvent(f"{where}: the event {event['type']} has no object")
    return event


def _has_metadata(thing: object) -> bool:
    return isinstance(thing, dict) and isinstance(thing.get("metadata", {}), dict)


def _parsed(data: bytes, where: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        shown = data[:80].decode(errors="replace")
        text = f"{where}: {shown!r}... is no JSON: {error}"
        raise OSError(errno.EPROTO, text) from None


def _pause_s(response: Any) -> int | None:
    """Return when a busy server wants to be asked again. Go: ``rest.checkWait``."""
    text = response.headers.get("Retry-After", "")
    busy = response.status == BUSY or response.status >= SERVER_ERROR
    return min(int(text), 3600) if busy and text.isdecimal() else None


def _told(response: Any, where: str) -> str:
    """Return what the server says is wrong."""
    message = ""
    with suppress(Exception):  # the status is all that there is, then
        body = response.read(64 * 1024)
        message = str(json.loads(body).get("message") or "")
    return f"{where}: status {response.status}{message and f', {message}'}"


def _status(message: str) -> dict[str, Any]:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "InternalError",
        "code": 500,
    }


def _as_os_error(error: BaseException) -> OSError:
    """Return *error*, or the error of the system that is behind it."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, OSError):
            return behind
        behind = behind.__cause__ or behind.__context__
    if type(error).__name__ == "SSLError":  # urllib3 looks at names itself
        return ssl.SSLError(errno.EPROTO, str(error))
    return OSError(errno.EPROTO, f"{type(error).__name__}: {error}")


def _at(server: str, error: OSError) -> OSError:
    """Return *error* with the address in its text."""
    if server in str(error):
        return error
    what = error if error.filename else error.strerror or error
    return type(error)(error.errno or errno.EIO, f"{server}: {what}")


def _proxy_of_environment(url: str) -> str:
    import requests  # noqa: PLC0415 - slow, and not everyone has an apiserver

    return str(requests.utils.get_environ_proxies(url).get(url.split(":", 1)[0], ""))


class NodeSync:
    """
    Whether the node has synced, found out in the background.

    Args:
        apiserver: Where the node is looked for.
        must_exist: The node has to be there; else that it could be asked for is enough.
        log: Takes level and message.

    Kubelet: ``nodeHasSynced`` of ``NewMainKubelet``.
    """

    def __init__(
        self,
        apiserver: Apiserver,
        *,
        must_exist: bool,
        log: Callable[[LogLevel, str], None],
    ) -> None:
        self._apiserver = apiserver
        self._must_exist = must_exist
        self._log = log
        self._has_synced = False
        self._asking = False

    def __call__(self) -> bool:
        """Return what is known, and ask anew while it is no."""
        if not self._has_synced and not self._asking:
            self._asking = True
            self._apiserver.list_nodes(self._listed)
        return self._has_synced

    def _listed(self, answer: dict[str, Any] | OSError) -> None:
        self._asking = False
        if isinstance(answer, OSError):
            self._log("error", f"the node can't be looked for: {answer}")
        else:
            self._has_synced = bool(answer["items"]) or not self._must_exist
