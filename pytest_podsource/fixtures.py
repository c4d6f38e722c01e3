"""
The fixtures; what they give lives in ``doubles``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_podsource.exceptions import UsageError
from pytest_podsource.options import FILESYSTEMS, SETTINGS, THREADS

if TYPE_CHECKING:
    from pytest_podsource.doubles.apiserver.fake import FakeApiserver
    from pytest_podsource.doubles.clock import VirtualClock
    from pytest_podsource.doubles.manifests import ManifestDirectory
    from pytest_podsource.doubles.url import ManifestUrl
    from pytest_podsource.suite.case import Case

_SOCKETS_AND_CLOCK = (
    "podsource_apiserver and podsource_clock don't go together: a socket takes real "
    "time. Use one of them in a test."
)
_START_NS = 1_704_067_200_000_000_000  # 2024-01-01


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
    from pytest_podsource.doubles import manifests  # noqa: PLC0415 - only if asked

    if _marked(request, "fs", FILESYSTEMS, request.config.stash[SETTINGS].fs) == "fake":
        threads = request.config.stash[THREADS]
        with manifests.fake_manifest_directory(threads) as fake:
            yield fake
    else:
        yield manifests.ManifestDirectory.within(tmp_path)


@pytest.fixture
def podsource_clock() -> Iterator[VirtualClock]:
    """
    A clock that time.sleep, waits of threads and the wall clock follow.
    """
    from pytest_podsource.doubles.clock import VirtualClock  # noqa: PLC0415 - slow

    clock = VirtualClock(_START_NS)
    clock.start()
    yield clock
    clock.stop()


@pytest.fixture
def podsource_url(request: pytest.FixtureRequest) -> Iterator[ManifestUrl]:
    """
    A manifest URL that answers as told; a server where podsource(http="server") is.
    """
    from pytest_podsource.doubles import url  # noqa: PLC0415 - only if asked

    kind = _marked(request, "http", ("mock", "server"), "mock")
    with url.mock_url() if kind == "mock" else url.served_url() as manifests:
        yield manifests


@pytest.fixture
def podsource_apiserver(request: pytest.FixtureRequest) -> Iterator[FakeApiserver]:
    """
    An apiserver with pods and nodes; HTTPS where podsource(apiserver="https") is.
    """
    from pytest_podsource.doubles.apiserver import fake  # noqa: PLC0415 - only if asked

    if "podsource_clock" in request.fixturenames:
        pytest.fail(_SOCKETS_AND_CLOCK, pytrace=False)
    scheme = _marked(request, "apiserver", ("http", "https"), "http")
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
