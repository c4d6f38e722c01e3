"""
The fixture ``podsource_apiserver``, from outside.
"""

from __future__ import annotations

import pytest

pytest.importorskip("aiohttp", reason="aiohttp, of the extra apiserver, is lacking")


def test_it_serves_by_http_and_by_https_where_that_is_marked(
    pytester: pytest.Pytester,
) -> None:
    """With a token then; nothing is left running."""
    pytester.makepyfile(
        """
        import threading
        import pytest
        import requests

        def test_plain(podsource_apiserver):
            podsource_apiserver.pods.add("a")
            listed = requests.get(podsource_apiserver.url + "/api/v1/pods", timeout=5)
            assert [p["metadata"]["name"] for p in listed.json()["items"]] == ["a"]

        @pytest.mark.podsource(apiserver="https")
        def test_secure(podsource_apiserver):
            assert podsource_apiserver.url.startswith("https://")
            got = requests.get(
                podsource_apiserver.url + "/version",
                headers={"Authorization": f"Bearer {podsource_apiserver.token}"},
                verify=str(podsource_apiserver.ca_file),
                timeout=5,
            )
            assert got.json()["major"] == "1"

        def test_nothing_runs_on():
            names = [thread.name for thread in threading.enumerate()]
            assert "podsource-apiserver" not in names
        """
    )

    result = pytester.runpytest_subprocess("-p", "no:randomly", "-W", "error")

    result.assert_outcomes(passed=3)


def test_another_scheme_is_refused_with_those_that_are_known(
    pytester: pytest.Pytester,
) -> None:
    """A slip in the marker isn't taken for the default."""
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.podsource(apiserver="tls")
        def test_mine(podsource_apiserver):
            pass
        """
    )

    result = pytester.runpytest_subprocess()

    result.stdout.fnmatch_lines(
        ["*marker podsource(apiserver='tls') is not known. Known: http, https.*"]
    )


def test_it_and_the_clock_are_told_apart(pytester: pytest.Pytester) -> None:
    """A test would hang otherwise."""
    pytester.makepyfile("def test_mine(podsource_apiserver, podsource_clock): pass")

    result = pytester.runpytest_subprocess()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*podsource_clock don't go together: a socket*"])


@pytest.mark.parametrize(
    ("lacking", "mark", "about"),
    [
        ("aiohttp", "", "*the package aiohttp, whose HTTP server it is, is not*"),
        (
            "trustme",
            "@pytest.mark.podsource(apiserver='https')",
            "*the package trustme, which makes the certificates, is not installed*",
        ),
    ],
)
def test_lacking_extra_is_named(
    pytester: pytest.Pytester, lacking: str, mark: str, about: str
) -> None:
    """Without a traceback; the plugin itself runs without it."""
    pytester.makepyfile(
        f"""
        import sys
        import pytest

        sys.modules[{lacking!r}] = None

        {mark}
        def test_mine(podsource_apiserver):
            pass

        def test_plugin(podsource_manifest_dir):
            pass
        """
    )

    result = pytester.runpytest_subprocess()

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([about])
    result.stdout.fnmatch_lines(["*Install pytest-podsource?apiserver?.*"])
    result.stdout.no_fnmatch_line("*Traceback*")
