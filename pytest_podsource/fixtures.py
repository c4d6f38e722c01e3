"""
The fixtures; what they give lives in ``doubles``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_podsource.options import FILESYSTEMS, THREADS

if TYPE_CHECKING:
    from pytest_podsource.doubles.apiserver.fake import FakeApiserver
    from pytest_podsource.doubles.backoffs import BackoffCheck
    from pytest_podsource.doubles.clock import VirtualClock
    from pytest_podsource.doubles.manifests import ManifestDirectory
    from pytest_podsource.doubles.pods import Pods
    from pytest_podsource.doubles.updates import Updates
    from pytest_podsource.doubles.url import ManifestUrl
    from pytest_podsource.suite.case import Case

URLS = ("mock", "server", "tls")
SCHEMES = ("http", "https")
_SOCKETS_AND_CLOCK = (
    "podsource_apiserver and podsource_clock don't go together: a socket takes real "
    "time. Use one of them in a test."
)


@pytest.fixture(scope="session")
def podsource_impl(request: pytest.FixtureRequest) -> Any:
    """
    The implementation that --podsource-impl names: an object, or "cmd:..." as it is.

    Override it in the root conftest.py to test an object that you make yourself.
    """
    from pytest_podsource.run import run_of  # noqa: PLC0415 - only if asked

    try:
        return run_of(request.config).implementation
    except pytest.UsageError as error:
        reason = str(error)
    pytest.fail(reason, pytrace=False)


@pytest.fixture
def podsource_check(
    podsource_impl: Any, request: pytest.FixtureRequest
) -> Callable[[Case], None]:
    """
    What runs a case on podsource_impl: call it with the case.
    """
    from pytest_podsource.run import run_of  # noqa: PLC0415 - only if asked

    run = run_of(request.config)
    return lambda case: run.check(podsource_impl, request.node, case)


@pytest.fixture
def podsource_manifest_dir(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[ManifestDirectory]:
    """
    A manifest directory to write into; on a fake disk where podsource(fs="fake") is.
    """
    from pytest_podsource.doubles.manifests import ManifestDirectory  # noqa: PLC0415 - only if asked
    from pytest_podsource.settings import settings_of  # noqa: PLC0415

    if _marked(request, "fs", FILESYSTEMS, settings_of(request.config).fs) == "fake":
        threads = request.config.stash[THREADS]
        with ManifestDirectory.fake(threads) as fake:
            yield fake
    else:
        yield ManifestDirectory.within(tmp_path)


@pytest.fixture
def podsource_clock() -> Iterator[VirtualClock]:
    """
    A clock that time.sleep, waits of threads, asyncio and the wall clock follow.
    """
    from pytest_podsource.doubles.clock import VirtualClock  # noqa: PLC0415 - slow

    with VirtualClock() as clock:
        yield clock


@pytest.fixture
def podsource_url(request: pytest.FixtureRequest) -> Iterator[ManifestUrl]:
    """
    A manifest URL that answers as told; podsource(http=...): mock, server or tls.
    """
    from pytest_podsource.doubles.url import ManifestUrl  # noqa: PLC0415 - only if asked

    kind = _marked(request, "http", URLS, "mock")
    clock: VirtualClock | None = _also(request, "podsource_clock")
    failed = request.session.testsfailed
    with (
        ManifestUrl.mock(clock.sleep if clock else None)
        if kind == "mock"
        else ManifestUrl.served(tls=kind == "tls")
    ) as url:
        yield url
        strict, url.strict = url.strict, False
    if strict and request.session.testsfailed == failed:
        _check(url)


def _check(url: ManifestUrl) -> None:
    url.strict = True
    try:
        url.check()
    except AssertionError as error:
        reason = str(error)
    else:
        return
    pytest.fail(reason, pytrace=False)


@pytest.fixture
def podsource_pod() -> Pods:
    """
    What makes pods: of every shape, right by construction, or broken by name.
    """
    from pytest_podsource.doubles.pods import Pods  # noqa: PLC0415 - only if asked

    return Pods()


@pytest.fixture
def podsource_updates(request: pytest.FixtureRequest) -> Updates:
    """
    A recorder of updates, with expect(...) as in cases.
    """
    from pytest_podsource.doubles.updates import Updates  # noqa: PLC0415 - only if asked

    clock: VirtualClock | None = _also(request, "podsource_clock")
    return Updates(clock.monotonic_ns if clock else None)


@pytest.fixture
def podsource_backoff(podsource_clock: VirtualClock) -> BackoffCheck:
    """
    What asserts the delays of anything that tries again, in virtual time.
    """
    from pytest_podsource.doubles.backoffs import BackoffCheck  # noqa: PLC0415 - only if asked

    return BackoffCheck(podsource_clock)


def _also(request: pytest.FixtureRequest, name: str) -> Any:
    """Return another fixture of the same test, ``None`` if it doesn't ask for it."""
    return request.getfixturevalue(name) if name in request.fixturenames else None


@pytest.fixture
def podsource_apiserver(request: pytest.FixtureRequest) -> Iterator[FakeApiserver]:
    """
    An apiserver with pods and nodes; HTTPS where podsource(apiserver="https") is.
    """
    from pytest_podsource.doubles.apiserver import fake  # noqa: PLC0415 - only if asked
    from pytest_podsource.exceptions import UsageError  # noqa: PLC0415

    if "podsource_clock" in request.fixturenames:
        pytest.fail(_SOCKETS_AND_CLOCK, pytrace=False)
    scheme = _marked(request, "apiserver", SCHEMES, "http")
    try:
        apiserver = fake.FakeApiserver(tls=scheme == "https")
        apiserver.start()
    except UsageError as error:
        pytest.fail(str(error), pytrace=False)
    yield apiserver
    apiserver.stop()


def _marked(
    request: pytest.FixtureRequest, name: str, known: tuple[str, ...], default: str
) -> str:
    marker = request.node.get_closest_marker("podsource")
    value = str(marker.kwargs.get(name, default)) if marker else default
    if value not in known:
        pytest.fail(
            f"marker podsource({name}={value!r}) is not known. "
            f"Known: {', '.join(known)}.",
            pytrace=False,
        )
    return value
