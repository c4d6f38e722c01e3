"""
The hooks of pytest that are always there; those of a run are in ``session``.

Installed and unused it prints nothing, changes nothing and imports none of yaml,
freezegun, responses, requests, jsonschema, rich and click.
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
    """Read the settings; where the suite was asked for, let it join the run."""
    config.addinivalue_line("markers", _MARKER)
    config.stash[options.THREADS] = frozenset(threading.enumerate())
    settings = config.stash[options.SETTINGS] = options.settings_of(config)
    if arguments := options.take_arguments(config, settings):
        _join(config, settings, arguments)
    if (arguments or settings.report or settings.impl) and not settings.against:
        _report(config)


def _join(
    config: pytest.Config, settings: options.Settings, arguments: list[str]
) -> None:
    from pytest_podsource import comparison, session  # noqa: PLC0415 - only if asked

    hooks = (
        comparison.Comparison(config)
        if settings.against
        else session.Conformance(config, arguments)
    )
    config.pluginmanager.register(hooks, "podsource")


def _report(config: pytest.Config) -> None:
    from pytest_podsource.report import recorder  # noqa: PLC0415 - only if asked

    config.pluginmanager.register(recorder.Recorder(config), "podsource-report")
