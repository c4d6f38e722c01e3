"""
The hooks of pytest that are always there; those of a run are in ``session``.

Installed and unused it prints nothing, changes nothing and imports five small modules
of its own: none of yaml, freezegun, responses, requests, jsonschema, rich and click.
"""

from __future__ import annotations

import threading

import pytest

from pytest_podsource import fixtures, options

podsource_apiserver = fixtures.podsource_apiserver
podsource_backoff = fixtures.podsource_backoff
podsource_check = fixtures.podsource_check
podsource_clock = fixtures.podsource_clock
podsource_impl = fixtures.podsource_impl
podsource_manifest_dir = fixtures.podsource_manifest_dir
podsource_pod = fixtures.podsource_pod
podsource_updates = fixtures.podsource_updates
podsource_url = fixtures.podsource_url

_MARKER = (
    "podsource(fs='tmp', http='mock', apiserver='http'): a case of the conformance "
    "suite; on a test of your own, what the fixtures give: fs 'tmp' or 'fake', "
    "http 'mock', 'server' or 'tls', apiserver 'http' or 'https'."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Tell pytest the options."""
    options.add_options(parser)


@pytest.hookimpl(tryfirst=True)  # before anything looks at the arguments; workers too
def pytest_configure(config: pytest.Config) -> None:
    """Where the suite was asked for, let it join the run."""
    config.addinivalue_line("markers", _MARKER)
    config.stash[options.THREADS] = frozenset(threading.enumerate())
    if options.are_used(config):
        _begin(config)


def _begin(config: pytest.Config) -> None:
    from pytest_podsource.settings import (  # noqa: PLC0415 - only if asked
        settings_of,
        take_arguments,
    )

    settings = settings_of(config)
    if arguments := take_arguments(config):
        _join(config, arguments, compared=bool(settings.against))
    if (arguments or settings.report or settings.impl) and not settings.against:
        _report(config)


def _join(config: pytest.Config, arguments: list[str], *, compared: bool) -> None:
    from pytest_podsource import comparison, session  # noqa: PLC0415 - only if asked

    hooks = (
        comparison.Comparison(config)
        if compared
        else session.Conformance(config, arguments)
    )
    config.pluginmanager.register(hooks, "podsource")


def _report(config: pytest.Config) -> None:
    from pytest_podsource.report import recorder  # noqa: PLC0415 - only if asked

    config.pluginmanager.register(recorder.Recorder(config), "podsource-report")
