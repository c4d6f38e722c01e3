"""
The simulated world for modules that were never written for it.

``time.sleep``, threads, waits and the wall clock take the time of the case, and
``requests`` is answered by the case. Everything else is as in the simulated world: the
directory is a real one, and a watch of one's own would be the kernel's, which can't be
kept in virtual time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import requests
import responses

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.clock import VirtualClock
from pytest_podsource.driver.guard import blamed
from pytest_podsource.world.base import Scene, ScriptedReply
from pytest_podsource.world.simulated import SimulatedWorld

_ERRORS: Mapping[str, Callable[[str], requests.RequestException]] = {
    "refused": requests.ConnectionError,
    "reset": requests.ConnectionError,
    "dns": requests.ConnectionError,
    "tls": requests.exceptions.SSLError,
}


class PatchedWorld(SimulatedWorld):
    """
    A simulated world whose time and URL are those of the whole process.

    It begins with its construction and ends with ``close``.
    """

    def __init__(self, scene: Scene) -> None:
        self._clock = VirtualClock(scene.wall_ns, scene.seed, warns=False)
        super().__init__(scene, self._clock)
        self._mock = responses.RequestsMock(assert_all_requests_are_fired=False)
        self._mock.add_callback(
            responses.GET, re.compile(""), callback=self._answer, content_type=None
        )
        self._mock.start()
        self._clock.start()

    def close(self) -> None:
        """
        End the case: threads, virtual time, and what is on the disk.

        Raises:
            DriverError: A thread goes on.
        """
        try:
            self._clock.stop()
        finally:
            self._mock.stop(allow_assert=False)
            super().close()

    def _settle(self) -> None:
        with blamed("a thread"):
            super()._settle()

    def _answer(
        self, request: requests.PreparedRequest
    ) -> tuple[int, Mapping[str, str], bytes]:
        seen = {"url": request.url, "headers": tuple(request.headers.items())}
        self._stage.streams.note("requests", seen)
        reply = self._stage.url.next_reply()
        limit_ns = _limit_ns(request)
        if limit_ns is not None and limit_ns <= reply.delay_ns:
            self._clock.sleep(limit_ns)
            raise requests.ReadTimeout("no whole answer in time", request=request)
        self._clock.sleep(reply.delay_ns)
        if reply.error is not None:
            raise _ERRORS[reply.error](f"the connection failed: {reply.error}")
        return reply.status, dict(_headers(reply)), reply.body[: reply.cut_at]


def _limit_ns(request: requests.PreparedRequest) -> int | None:
    """
    Return the read timeout; ``responses`` keeps it, but doesn't apply it.
    """
    timeout = getattr(request, "req_kwargs", {}).get("timeout")
    read = timeout[1] if isinstance(timeout, tuple) else timeout
    return None if read is None else round(read * SECOND_NS)


def _headers(reply: ScriptedReply) -> tuple[tuple[str, str], ...]:
    if reply.cut_at is None:
        return reply.headers
    return (*reply.headers, ("Content-Length", str(len(reply.body))))
