"""
A URL without a socket: ``requests`` is answered by ``responses``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import requests
import responses

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.answers import Answer, SeenRequest

ROOT = "http://manifests.example"
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

_Reply = tuple[int, Mapping[str, str], bytes]


@contextmanager
def mocked(
    answer: Callable[[SeenRequest], Answer],
    refuse: Callable[[str, str], None],
    sleep: Callable[[int], None] | None,
) -> Iterator[None]:
    """
    Answer ``requests`` with *answer* below :data:`ROOT`; tell *refuse* all else.

    Args:
        answer: Gives what a request gets.
        refuse: Is told a request that can't be answered, and why.
        sleep: Takes the time of delays.
    """

    def call(request: requests.PreparedRequest) -> _Reply:
        url = str(request.url)
        if not url.startswith(f"{ROOT}/"):
            refuse(f"{request.method} {url}", f"only {ROOT} is mocked")
            raise requests.ConnectionError(f"{url} isn't mocked", request=request)
        found = answer(_seen(request, url))
        return _given(found, request, sleep, refuse)

    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for method in _METHODS:
            mock.add_callback(method, re.compile(""), callback=call, content_type=None)
        yield


def _seen(request: requests.PreparedRequest, url: str) -> SeenRequest:
    lower = {name.lower(): value for name, value in request.headers.items()}
    return SeenRequest(
        method=str(request.method), path=url.removeprefix(ROOT), headers=lower
    )


def _given(
    answer: Answer,
    request: requests.PreparedRequest,
    sleep: Callable[[int], None] | None,
    refuse: Callable[[str, str], None],
) -> _Reply:
    limit_ns = read_limit_ns(request)
    if answer.failure == "silent" and limit_ns is None:
        line = f"{request.method} {request.url}"
        refuse(line, "it has no time limit, and would wait for ever")
    if answer.failure == "silent" or 0 < (limit_ns or 0) <= answer.delay_ns:
        _take(sleep, limit_ns or 0)
        raise requests.ReadTimeout("no answer in time", request=request)
    _take(sleep, answer.delay_ns)
    if answer.failure:
        raise requests.ConnectionError("connection reset by peer", request=request)
    headers = dict(answer.headers)
    if answer.cut_at is not None:
        headers["Content-Length"] = str(len(answer.body))
    body = b"" if request.method == "HEAD" else answer.body[: answer.cut_at]
    return answer.status, headers, body


def read_limit_ns(request: requests.PreparedRequest) -> int | None:
    """
    Return the read timeout of *request*; ``responses`` keeps it, but doesn't apply it.
    """
    timeout = getattr(request, "req_kwargs", {}).get("timeout")
    read = timeout[1] if isinstance(timeout, tuple) else timeout
    return None if read is None else round(read * SECOND_NS)


def _take(sleep: Callable[[int], None] | None, duration_ns: int) -> None:
    if sleep is not None:
        sleep(duration_ns)
