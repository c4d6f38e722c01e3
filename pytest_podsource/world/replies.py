"""
The manifest URL of a simulated world: scripted replies, in virtual time.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence

from pytest_podsource.contract import Cancel, Reply
from pytest_podsource.world.base import ScriptedReply
from pytest_podsource.world.clock import CaseClock

FAILURES: Mapping[str, Callable[[], OSError]] = {
    "refused": lambda: ConnectionRefusedError(errno.ECONNREFUSED, "connection refused"),
    "reset": lambda: ConnectionResetError(
        errno.ECONNRESET, "connection reset by the server"
    ),
    "dns": lambda: socket.gaierror(
        socket.EAI_NONAME, "the name of the server is not known"
    ),
    "tls": lambda: ssl.SSLCertVerificationError(
        1, "the server's certificate is not trusted"
    ),
}
"""How a connection fails, by the words of the grammar; all are ``OSError``."""


class ScriptedUrl:
    """
    Answers each request with the next reply; the last one repeats.

    Without a reply nobody listens: the connection is refused.
    """

    def __init__(self, clock: CaseClock, replies: Sequence[ScriptedReply]) -> None:
        self._clock = clock
        self._replies = list(replies)

    def script(self, replies: Sequence[ScriptedReply]) -> None:
        """Answer the next requests with *replies*; what was scripted is forgotten."""
        self._replies = list(replies)

    def next_reply(self) -> ScriptedReply:
        """Return what the next request is answered with."""
        if not self._replies:
            return ScriptedReply(error="refused")
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def fetch(
        self, timeout_ns: int, on_done: Callable[[Reply | OSError], None]
    ) -> Cancel:
        """Answer one request; *timeout_ns* is for all of it, 0 for no limit."""
        reply = self.next_reply()
        if 0 < timeout_ns <= reply.delay_ns:
            late = TimeoutError(errno.ETIMEDOUT, "no whole answer in time")
            return self._clock.call_later(timeout_ns, lambda: on_done(late))
        return self._clock.call_later(
            reply.delay_ns, lambda: on_done(as_outcome(reply))
        )


def as_outcome(reply: ScriptedReply) -> Reply | OSError:
    """
    Return what a client makes of *reply*: the answer, or why there is none.
    """
    if reply.error is not None:
        return FAILURES[reply.error]()
    if reply.cut_at is not None and reply.cut_at < len(reply.body):
        cut = f"the body ended after {reply.cut_at} of {len(reply.body)} bytes"
        return ConnectionAbortedError(errno.ECONNABORTED, cut)
    return Reply(status=reply.status, headers=reply.headers, body=reply.body)
