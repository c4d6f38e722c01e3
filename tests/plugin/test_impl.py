"""
``--podsource-impl``: what is tested, and when the suite joins a run.
"""

from __future__ import annotations

import pytest

from tests.plugin.conftest import RunPytest

COMPONENT = "--podsource-component=diff"


def test_impl_alone_in_an_empty_folder_runs_the_suite(run_pytest: RunPytest) -> None:
    """An implementation is enough; no path, no test file, no ini file."""
    result = run_pytest("--podsource-impl=right")

    result.stdout.fnmatch_lines(
        [
            "podsource: right (python), against kubelet *, in the simulated world*",
            "podsource: it offers diff; not backoff, *",
            "podsource: * cases in * rows",
            "diff *18 rows",
            "1 of * components offered; not *",
        ]
    )
    assert result.ret == 0
    assert result.parseoutcomes()["passed"] == 18


def test_impl_with_a_path_leaves_the_suite_out(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Whoever names a test file gets that file."""
    pytester.makepyfile(test_mine="def test_mine(): pass")

    result = run_pytest("--podsource-impl=right", "test_mine.py")

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*podsource: *")


def test_suite_beside_own_tests_runs_both(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Without arguments the user's tests are not lost, and with both named either."""
    pytester.makepyfile(test_mine="def test_mine(): pass")

    alone = run_pytest("--podsource-impl=right", COMPONENT)
    named = run_pytest("--podsource-impl=right", "test_mine.py", "podsource/diff")

    alone.assert_outcomes(passed=19)
    named.assert_outcomes(passed=19)


def test_unused_plugin_prints_nothing(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Installed and not asked for, it is not to be seen."""
    pytester.makepyfile(test_mine="def test_mine(): pass")

    result = run_pytest()

    result.assert_outcomes(passed=1)
    assert "podsource:" not in result.stdout.str()


@pytest.mark.parametrize("how", ["pytest.ini", "fixture"])
def test_implementation_can_be_given_without_the_option(
    run_pytest: RunPytest, pytester: pytest.Pytester, how: str
) -> None:
    """An ini file names it, or a fixture of the root conftest makes it."""
    if how == "fixture":
        pytester.makeconftest(
            "import pytest, right\n"
            "@pytest.fixture(scope='session')\n"
            "def podsource_impl(): return right\n"
        )
    else:
        pytester.makeini("[pytest]\npythonpath = .\npodsource_impl = right\n")

    result = run_pytest("podsource/diff")

    result.assert_outcomes(passed=18)


def test_suite_without_an_implementation_says_how_to_name_one(
    run_pytest: RunPytest,
) -> None:
    """Neither option nor fixture: the first case is an error that says so, and the last."""
    result = run_pytest("podsource/diff")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*no implementation was named. Add --podsource-impl=*"]
    )
    result.stdout.no_fnmatch_line("*pytest_podsource/*.py:*")
    result.stdout.no_fnmatch_line("*During handling*")


FAULTS = {
    "module": ("nothing", "nothing: there is no module 'nothing'*"),
    "attribute": (
        "right:diff_snapshot",
        "*no attribute 'diff_snapshot'. Did you mean*",
    ),
    "file": ("nothing.py", "nothing.py: there is no file 'nothing.py'*"),
    "class": ("shapes:Other", "shapes:Other: this class has none of the contract's*"),
    "signature": ("shapes:Signature", "*new_file_source(*) can't be called with*"),
    "nothing": ("shapes:nothing", "*offers none of the contract's*"),
    "import": ("shapes_broken", "shapes_broken: its import fails: ZeroDivisionError*"),
    "features": ("shapes:featured", "*FEATURES is 'logs'. It must be a list of names*"),
    "program": ("cmd:./nothing", "*nothing*"),
}


@pytest.mark.parametrize(("target", "message"), FAULTS.values(), ids=FAULTS)
def test_impl_that_cannot_be_loaded_is_a_usage_error(
    run_pytest: RunPytest, pytester: pytest.Pytester, target: str, message: str
) -> None:
    """What is wrong with it is said before the first case, in one line."""
    pytester.makepyfile(
        shapes="""
        class Other:
            def watch(self): ...
        class Signature:
            def new_file_source(self, path): ...
        class Nothing: ...
        nothing = Nothing()
        class Featured:
            FEATURES = "logs"
            new_file_source = lambda self, config, env: None
        featured = Featured()
        """,
        shapes_broken="1 / 0",
    )

    result = run_pytest(f"--podsource-impl={target}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize(
    ("features", "outcomes"),
    [("", {"passed": 1}), ('FEATURES = ["logs"]', {"failed": 1})],
    ids=["none said", "logs"],
)
def test_logs_of_a_base_case_are_judged_of_who_offers_them(
    run_pytest: RunPytest,
    pytester: pytest.Pytester,
    features: str,
    outcomes: dict[str, int],
) -> None:
    """A source that logs nothing is a whole source; one that says it logs must."""
    pytester.makepyfile(
        silent=f"""
        from pytest_podsource.reference import new_file_source as new
        {features}
        def new_file_source(config, env):
            env.log = lambda *args, **fields: None
            return new(config, env)
        """
    )

    result = run_pytest(
        "--podsource-impl=silent",
        "--podsource-case=file/an-event-for-a-file-that-is-gone",
    )

    result.assert_outcomes(**outcomes)


FACTORY_FAULTS = {
    "raises": ("raise RuntimeError('no disk')", "*new_backoff raised RuntimeError*"),
    "returns": ("return 5", "*it gave 5, which lacks next, get*"),
}


@pytest.mark.parametrize(
    ("body", "message"), FACTORY_FAULTS.values(), ids=FACTORY_FAULTS
)
def test_factory_that_misbehaves_crashes_the_case(
    run_pytest: RunPytest, pytester: pytest.Pytester, body: str, message: str
) -> None:
    """It is the implementation's fault, told without a line of ours."""
    pytester.makepyfile(factory=f"def new_backoff(config, env): {body}")

    result = run_pytest(
        "--podsource-impl=factory", "--podsource-case=backoff/unknown-key-has-no-delay"
    )

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["CRASHED backoff/unknown-key-has-no-delay*", message])
    assert "pytest_podsource/" not in result.stdout.str()


def test_as_names_a_function_of_another_name(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """One function of any name is tested as what it stands for."""
    pytester.makepyfile(other="from right import diff_snapshots as compare")

    result = run_pytest(
        "--podsource-impl=other:compare", "--podsource-as=diff_snapshots"
    )

    assert result.parseoutcomes()["passed"] == 18


def test_isolate_runs_the_module_in_a_process_of_its_own(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """An implementation that ends its process takes nothing along."""
    pytester.makepyfile(
        deadly="import os\ndef diff_snapshots(old, new): os._exit(3)",
    )

    result = run_pytest(
        "--podsource-impl=deadly",
        "--podsource-isolate",
        "--podsource-case=diff/keys-differ-by-case",
    )

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["CRASHED diff/keys-differ-by-case*"])


def test_hooks_of_the_root_conftest_are_called_for_cases(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """As for the user's own tests; the cases lie elsewhere."""
    pytester.makeconftest(
        """
        def pytest_runtest_setup(item):
            print("set up:", item.nodeid)

        def pytest_make_collect_report(collector):
            print("collected:", collector.nodeid)
        """
    )

    result = run_pytest(
        "--podsource-impl=right", "podsource/diff/keys-differ-by-case.yaml", "-s"
    )

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines_random(
        [
            "collected: podsource/diff/keys-differ-by-case.yaml",
            "*set up: podsource/diff/keys-differ-by-case.yaml::case",
        ]
    )
