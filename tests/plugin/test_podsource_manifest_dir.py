"""
The fixture ``podsource_manifest_dir``, without any conformance run.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_podsource.doubles.manifests import ManifestDirectory, manifest
from tests.plugin.conftest import RunPytest


def test_directory_is_a_temporary_one_and_empty(
    podsource_manifest_dir: ManifestDirectory, tmp_path: Path
) -> None:
    """It is below the test's own folder."""
    assert podsource_manifest_dir.path.parent == tmp_path
    assert list(podsource_manifest_dir.path.iterdir()) == []


def test_place_leaves_the_old_or_the_new_and_no_other_file(
    podsource_manifest_dir: ManifestDirectory,
) -> None:
    """The file is another one, not the old one with another content."""
    old = podsource_manifest_dir.write("a.yaml", "old").stat().st_ino

    path = podsource_manifest_dir.place("a.yaml", b"new")

    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != old
    assert [each.name for each in podsource_manifest_dir.path.iterdir()] == ["a.yaml"]


def test_write_changes_the_file_in_place(
    podsource_manifest_dir: ManifestDirectory,
) -> None:
    """As an editor that doesn't rename does; remove takes it away."""
    old = podsource_manifest_dir.write("a.yaml", manifest("a")).stat().st_ino

    path = podsource_manifest_dir.write("a.yaml", manifest("a", namespace="b"))
    inode = path.stat().st_ino
    podsource_manifest_dir.remove("a.yaml")

    assert inode == old
    assert not path.exists()


def test_fake_directory_is_where_kubelets_have_it(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Code with the path built in can be tested as it is."""
    pytester.makepyfile(
        test_fake="""
        import os, pathlib, pytest
        from pytest_podsource.doubles.manifests import manifest

        @pytest.mark.podsource(fs="fake")
        def test_fake(podsource_manifest_dir):
            podsource_manifest_dir.write("a.yaml", manifest("a"))
            place = pathlib.Path("/etc/kubernetes/manifests")
            assert os.listdir(place) == ["a.yaml"]
            assert (place / "a.yaml").read_text().startswith("{")
        """
    )

    result = run_pytest("test_fake.py")

    result.assert_outcomes(passed=1)


def test_fake_directory_leaves_the_real_disk_alone(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Nothing is written where the path really is, nor lost there."""
    canary = pytester.path / "canary"
    canary.mkdir()
    (canary / "file").touch()
    pytester.makepyfile(
        test_fake=f"""
        import pathlib, shutil, pytest

        @pytest.mark.podsource(fs="fake")
        def test_fake(podsource_manifest_dir):
            assert not pathlib.Path({str(canary)!r}).exists()
            shutil.rmtree("/etc/kubernetes")
        """
    )
    real = Path("/etc/kubernetes").exists()

    result = run_pytest("test_fake.py")

    result.assert_outcomes(passed=1)
    assert (canary / "file").exists()
    assert Path("/etc/kubernetes").exists() == real


def test_fake_directory_refuses_threads(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """One that runs before and one that is started: both are named, with the way out."""
    pytester.makepyfile(
        test_fake="""
        import threading, pytest

        @pytest.fixture
        def poller():
            stop = threading.Event()
            thread = threading.Thread(target=stop.wait, name="poller")
            thread.start()
            yield
            stop.set()
            thread.join()

        @pytest.mark.podsource(fs="fake")
        def test_before(poller, podsource_manifest_dir): pass

        @pytest.mark.podsource(fs="fake")
        def test_within(podsource_manifest_dir):
            threading.Thread(target=print, name="reader").start()
        """
    )

    result = run_pytest("test_fake.py")

    result.assert_outcomes(errors=1, failed=1)
    result.stdout.fnmatch_lines(
        ["E * the thread 'poller' and a fake disk *", "E * the thread 'reader' and a *"]
    )


def test_fake_directory_works_in_workers(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """The threads of pytest-xdist are none of the test's."""
    pytester.makepyfile(
        test_fake="""
        import pytest

        @pytest.mark.podsource(fs="fake")
        @pytest.mark.parametrize("number", range(4))
        def test_fake(podsource_manifest_dir, number):
            podsource_manifest_dir.write("a.yaml", "x")
        """
    )

    run_pytest("test_fake.py", "-n", "2").assert_outcomes(passed=4)


def test_option_makes_all_directories_fake(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """And a marker takes one test out of that."""
    pytester.makepyfile(
        test_fake="""
        import pytest

        def test_fake(podsource_manifest_dir):
            assert str(podsource_manifest_dir.path) == "/etc/kubernetes/manifests"

        @pytest.mark.podsource(fs="tmp")
        def test_tmp(podsource_manifest_dir, tmp_path):
            assert podsource_manifest_dir.path.parent == tmp_path
        """
    )

    run_pytest("test_fake.py", "--podsource-fs=fake").assert_outcomes(passed=2)


def test_marker_that_is_wrong_names_the_right_ones(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """A slip in a marker isn't taken for the default."""
    pytester.makepyfile(
        test_fake="""
        import pytest

        @pytest.mark.podsource(fs="ramdisk")
        def test_fake(podsource_manifest_dir): pass

        @pytest.mark.podsource(http="mocked")
        def test_url(podsource_url): pass
        """
    )

    result = run_pytest("test_fake.py")

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        [
            "marker podsource(fs='ramdisk') is not known. Known: tmp, fake.",
            "marker podsource(http='mocked') is not known. Known: mock, server, tls.",
        ]
    )
