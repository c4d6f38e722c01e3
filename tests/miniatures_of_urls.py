"""
Small URL sources, each wrong in one way that people got wrong.
"""

from __future__ import annotations

import urllib.parse
from functools import partial

import yaml

from pytest_podsource import reference
from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    Environment,
    Pod,
    Reply,
    SourceUpdate,
)
from tests.miniature import Miniature

Headers = tuple[tuple[str, str], ...]


class Poller:
    """
    Gets a manifest, sends its pod when the body is another one, rests for a period.
    """

    timeout_ns = 10 * SECOND_NS

    def __init__(self, config: Config, env: Environment) -> None:
        self.config = config
        self.env = env
        self.body = b""

    def start(self) -> None:
        self.env.clock.call_later(0, self.attempt)

    def attempt(self) -> None:
        self.get(self.config.url, self.config.headers)

    def get(self, url: str, headers: Headers) -> None:
        self.env.fetch(url, headers, self.timeout_ns, self.done)

    def done(self, reply: Reply | OSError) -> None:
        if isinstance(reply, OSError):
            self.failed(str(reply))
        elif location := dict(reply.headers).get("Location"):
            self.redirected(urllib.parse.urljoin(self.config.url, location))
            return
        else:
            self.answered(reply)
        self.rest()

    def redirected(self, url: str) -> None:
        self.get(url, self.config.headers)

    def answered(self, reply: Reply) -> None:
        if reply.status != 200:
            self.failed(f"status {reply.status}")
        elif not reply.body:
            self.empty()
        elif reply.body != self.body:
            self.body = reply.body
            self.send(*self.pods(reply.body))

    def failed(self, reason: str) -> None:
        self.env.log("warning", reason, url=self.config.url)

    def empty(self) -> None:
        self.failed("the body is empty")
        self.send()

    def pods(self, body: bytes) -> list[Pod]:
        return [reference.decode_manifest(body, self.config)]

    def send(self, *pods: Pod) -> None:
        self.env.send(SourceUpdate(source="http", pods=pods))

    def rest(self) -> None:
        self.env.clock.call_later(self.config.period_ns, self.attempt)


class TakesErrorPagesForContent(Poller):
    """R56: the status is ignored, so the page of a 404 is a manifest."""

    def answered(self, reply: Reply) -> None:
        super().answered(Reply(status=200, body=reply.body))


class WaitsForEver(Poller):
    """R51: a server that never answers holds up the poller for minutes."""

    timeout_ns = 0


class RedirectsWithoutHeaders(Poller):
    """R53: the token gets lost on the way to where the manifest is now."""

    def redirected(self, url: str) -> None:
        self.get(url, ())


class BacksOff(Poller):
    """R51: failures are met with longer and longer rests, and so is the recovery."""

    failures = 0

    def failed(self, reason: str) -> None:
        self.failures += 1
        super().failed(reason)

    def rest(self) -> None:
        rest_ns = self.config.period_ns * 2**self.failures
        self.env.clock.call_later(rest_ns, self.attempt)


class TicksAtAFixedRate(Poller):
    """R51: a slow answer and the next request overlap."""

    def attempt(self) -> None:
        self.env.clock.call_later(self.config.period_ns, self.attempt)
        super().attempt()

    def rest(self) -> None:
        """The tick is under way."""


class KeepsPodsOfAnEmptyBody(Poller):
    """R68: an empty answer is an error only, so the source is never seen."""

    def empty(self) -> None:
        self.failed("the body is empty")


class SendsEveryBody(Poller):
    """R29: a set with every attempt, whether anything changed or not."""

    def answered(self, reply: Reply) -> None:
        self.body = b""
        super().answered(reply)


class ForgetsTheBodyAfterAnError(Poller):
    """R56: the recovery of the server is taken for a change."""

    def failed(self, reason: str) -> None:
        self.body = b""
        super().failed(reason)


class ReadsAllDocuments(Poller):
    """R37: each document of the body becomes a pod."""

    def pods(self, body: bytes) -> list[Pod]:
        documents = [yaml.safe_dump(each) for each in yaml.safe_load_all(body)]
        return [
            reference.decode_manifest(each.encode(), self.config) for each in documents
        ]


class SendsOneValueAHeader(Poller):
    """R53: headers in a dict, so of several values of one name the last is left."""

    def get(self, url: str, headers: Headers) -> None:
        super().get(url, tuple(dict(headers).items()))


_http = partial(Miniature, offers="new_http_source")

MINIATURES = (
    _http(
        made=TakesErrorPagesForContent,
        case="http/status-other-than-200-keeps-the-pods:not-found",
        fact="URL-03",
    ),
    _http(made=WaitsForEver, case="http/time-limit-10s", fact="URL-02"),
    _http(
        made=RedirectsWithoutHeaders,
        case="http/redirects-are-followed:found",
        fact="URL-23",
    ),
    _http(
        made=BacksOff,
        case="http/failures-are-neither-retried-nor-backed-off:refused",
        fact="URL-29",
    ),
    _http(
        made=TicksAtAFixedRate, case="http/period-counts-from-the-end", fact="URL-29"
    ),
    _http(
        made=KeepsPodsOfAnEmptyBody,
        case="http/an-empty-body-is-an-empty-set",
        fact="URL-06",
    ),
    _http(made=SendsEveryBody, case="http/an-equal-body-sends-nothing", fact="URL-07"),
    _http(
        made=ForgetsTheBodyAfterAnError,
        case="http/after-an-error-the-same-body-is-unchanged",
        fact="URL-11",
    ),
    _http(made=ReadsAllDocuments, case="http/the-first-document-counts", fact="URL-18"),
    _http(
        made=SendsOneValueAHeader,
        case="http/configured-headers-are-sent",
        fact="URL-21",
    ),
)
