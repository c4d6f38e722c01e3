"""
The URL source: gets a manifest again and again, and sends its pods when it changed.

Rule 1: the next attempt comes one period after the last one ended; there is neither a
retry nor a backoff. Rule 2: only status 200 counts; anything else keeps the pods. Rule
3: an empty body sends an empty set and is a failure all the same; it isn't remembered.
Rule 4: a body that equals the last one is a success without a set; the comparison is on
bytes, and a body is remembered before it is parsed. Rule 5: a body is tried as one pod,
and as a list only if it isn't a pod at all. Rule 6: repeated failures are told four
times.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_podsource.contract import (
    Cancel,
    Config,
    Environment,
    Pod,
    Refused,
    Reply,
    SourceUpdate,
)
from pytest_podsource.core.http_exchange import HttpExchange, Outcome
from pytest_podsource.core.versions import Kubelet

SOURCE = "http"
OK = 200
TOLD_FAILURES = 4


class HttpSource:
    """
    Sends the pods of the manifest at one URL.

    Args:
        kubelet: Which kubelet to behave like.
        config: ``url``, ``headers`` and ``period_ns`` count.
        env: Clock, fetch, reader and log.
        decode: Makes the pod of a manifest; raises ``Refused``.
        decode_list: Makes the pods of a PodList; raises ``Refused``.

    Kubelet: ``sourceURL`` in ``pkg/kubelet/config/http.go``.
    """

    def __init__(
        self,
        kubelet: Kubelet,
        config: Config,
        env: Environment,
        decode: Callable[[bytes], Pod],
        decode_list: Callable[[bytes], list[Pod]],
    ) -> None:
        self._kubelet = kubelet
        self._config = config
        self._env = env
        self._decode = decode
        self._decode_list = decode_list
        self._data = b""
        self._failures = 0
        self._stopped = False
        self._cancel: Cancel = lambda: None

    def start(self) -> None:
        """
        Make the first attempt at once, in the background.

        Kubelet: ``NewSourceURL``.
        """
        self._cancel = self._env.clock.call_later(0, self._attempt)

    def stop(self) -> None:
        """
        Give up what is under way, and attempt no more.
        """
        self._stopped = True
        self._cancel()

    def _attempt(self) -> None:
        exchange = HttpExchange(
            self._env,
            self._config.url,
            self._config.headers,
            timeout_ns=self._kubelet.url_timeout_ns,
            max_bytes=self._kubelet.max_manifest_bytes,
            on_done=self._done,
        )
        self._cancel = exchange.cancel
        exchange.start()

    def _done(self, outcome: Outcome) -> None:
        """
        Take in what an attempt brought; the next one waits until it has been taken.

        Kubelet: ``sourceURL.run``, ``extractFromURL``.
        """
        try:
            pods = self._pods(outcome)
        except Refused as error:
            self._failed(str(error))
            pods = [] if _is_empty(outcome) else None
        else:
            self._succeeded()
        if pods is None:
            self._rest()
        else:
            self._send(pods)

    def _pods(self, outcome: Outcome) -> list[Pod] | None:
        """
        Return the pods of a new body, ``None`` for one that hasn't changed.

        Raises:
            Refused: There is no body that can be used.
        """
        url = self._config.url
        if isinstance(outcome, OSError):
            raise Refused(f"{url}: {outcome}")
        if outcome.status != OK:
            raise Refused(f"{url}: status {outcome.status}")
        if not outcome.body:
            raise Refused(f"{url}: the body is empty")
        if outcome.body == self._data:
            return None
        self._data = outcome.body
        return self._decoded(outcome)

    def _decoded(self, reply: Reply) -> list[Pod]:
        try:
            return [self._decode(reply.body)]
        except Refused as error:
            if error.parsed:
                raise
            as_pod = error
        try:
            return self._decode_list(reply.body)
        except Refused as error:
            if error.parsed:
                raise
            text = reply.body.decode(errors="replace")
            raise Refused(
                f"{self._config.url}: {text!r} is neither a pod ({as_pod}) "
                f"nor a list of pods ({error})"
            ) from None

    def _failed(self, message: str) -> None:
        if self._failures < TOLD_FAILURES:
            level = self._kubelet.url_failure_level
            self._env.log(level, message, url=self._config.url)
        self._failures += 1

    def _succeeded(self) -> None:
        if self._failures:
            self._env.log("info", "pods could be read again", url=self._config.url)
        self._failures = 0

    def _send(self, pods: list[Pod]) -> None:
        self._env.send(SourceUpdate(source=SOURCE, pods=tuple(pods)), self._rest)

    def _rest(self) -> None:
        if not self._stopped:
            self._cancel = self._env.clock.call_later(
                self._config.period_ns, self._attempt
            )


def _is_empty(outcome: Outcome) -> bool:
    return isinstance(outcome, Reply) and outcome.status == OK and not outcome.body
