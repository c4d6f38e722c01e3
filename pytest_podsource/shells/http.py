"""
One GET over the network: no redirect followed, no body unpacked.

Rule 1: the time limit is for all of it, from the connection to the end of the body.
Rule 2: a request runs in a thread of its own; what it brings is told in the loop. Rule
3: after its end or a cancel nothing is told, and the connection is cut, so that no thread
waits for a server that drips.
"""

from __future__ import annotations

import errno
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from pytest_podsource.contract import Cancel, Reply
from pytest_podsource.shells.cuttable import Cuttable
from pytest_podsource.shells.loop import Loop

if TYPE_CHECKING:
    import requests

OnDone = Callable[[Reply | OSError], None]

#: Where nobody sets a limit, a silent server is still given up for lost.
SILENCE_S = 300.0


class HttpGet:
    """
    One request.

    Args:
        loop: Where its end is told.
        url: What to get.
        headers: What to send, several values a name in order; nothing else is.
        timeout_ns: For all of it, 0 for no limit.
        max_bytes: The body is cut off here; ``None`` for no limit.
        on_done: Is told the reply, or why there is none.
    """

    def __init__(
        self,
        loop: Loop,
        url: str,
        headers: Sequence[tuple[str, str]],
        *,
        timeout_ns: int,
        max_bytes: int | None,
        on_done: OnDone,
    ) -> None:
        self._loop = loop
        self._url = url
        self._headers = headers
        self._timeout_ns = timeout_ns
        self._max_bytes = max_bytes
        self._on_done: OnDone | None = on_done
        self._cancel_timer: Cancel | None = None
        self._line = Cuttable()

    def start(self) -> None:
        """
        Send the request, in a thread of its own.
        """
        if self._timeout_ns:
            late = TimeoutError(errno.ETIMEDOUT, "no whole answer in time")
            self._cancel_timer = self._loop.call_later(
                self._timeout_ns, lambda: self._tell(late)
            )
        threading.Thread(target=self._work, name="podsource-get", daemon=True).start()

    def cancel(self) -> None:
        """
        Tell nothing any more.
        """
        self._on_done = None
        if self._cancel_timer is not None:
            self._cancel_timer()
        self._line.cut()

    def _tell(self, outcome: Reply | OSError) -> None:
        on_done = self._on_done
        self.cancel()
        if on_done is not None:
            on_done(outcome)

    def _work(self) -> None:
        try:
            outcome: Reply | OSError = self._get()
        except OSError as error:
            outcome = error
        except (ValueError, EOFError) as error:  # a URL or an answer of no known form
            outcome = OSError(errno.EPROTO, str(error))
        self._loop.post(lambda: self._tell(outcome))

    def _get(self) -> Reply:
        import requests  # noqa: PLC0415 - costs 50 ms, and not everyone polls a URL
        import urllib3  # noqa: PLC0415

        prepared = requests.Request("GET", self._url).prepare()
        # Requests has one value a name; its transport takes several.
        headers = urllib3.HTTPHeaderDict(self._headers)
        if "Accept-Encoding" not in headers:  # else the transport asks for "identity"
            headers["Accept-Encoding"] = urllib3.util.SKIP_HEADER
        prepared.headers = headers  # type: ignore[assignment]
        timeout_s = self._timeout_ns / 1e9 or SILENCE_S
        # Not a session: that reads the whole body of a redirect, however long it is.
        with closing(requests.adapters.HTTPAdapter()) as adapter:
            manager = adapter.poolmanager
            manager.pool_classes_by_scheme = self._line.pools(
                manager.pool_classes_by_scheme
            )
            try:
                response = adapter.send(
                    prepared, stream=True, timeout=timeout_s, verify=_roots()
                )
                return Reply(
                    status=response.status_code,
                    headers=tuple(response.raw.headers.iteritems()),
                    body=self._body(response),
                )
            except requests.Timeout as error:
                raise TimeoutError(errno.ETIMEDOUT, str(error)) from error
            except urllib3.exceptions.HTTPError as error:  # while the body was read
                raise OSError(errno.EPROTO, str(error)) from error

    def _body(self, response: requests.Response) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.raw.stream(64 * 1024, decode_content=False):
            parts.append(part)
            size += len(part)
            if self._on_done is None or self._is_enough(size):
                break
        return b"".join(parts)

    def _is_enough(self, size: int) -> bool:
        return self._max_bytes is not None and size >= self._max_bytes


def _roots() -> str | bool:
    # Those of the machine, as Go takes them; by itself requests has its own.
    paths = ssl.get_default_verify_paths()
    return paths.cafile or paths.capath or True
