"""
What ``check`` says of the files of a directory, of their names and of each other.
"""

from __future__ import annotations

import pytest

from pytest_podsource.contract import Config
from pytest_podsource.findings import Verdict, check_directory
from pytest_podsource.findings.directory import Entry, Kind, about_directory


def pod(name: str = "web", uid: str = "", image: str = "nginx:1") -> bytes:
    metadata = f"name: {name}, uid: {uid}" if uid else f"name: {name}"
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{{metadata}}}\n"
        f"spec: {{containers: [{{name: c, image: '{image}'}}]}}\n"
    ).encode()


def entry(name: str, data: bytes | None = None, **more: str) -> Entry:
    path = f"manifests/{name}"
    return Entry(path=path, real_path=f"/{path}", data=data, **more)  # type: ignore[arg-type]


def checked(*entries: Entry, kubelet: str = "1.37") -> list[Verdict]:
    return check_directory(entries, Config(kubelet=kubelet, node_name="node1"))


def codes(verdict: Verdict) -> list[str]:
    return [each.code for each in verdict.findings]


@pytest.mark.parametrize(
    "name",
    [
        *("web.yaml~", "web.yaml.bak", "web.yaml.orig", "#web.yaml#", "4913"),
        *("web.old", "web.yaml.20240101", "web.yaml.rpmsave", "Copy of web.yaml"),
    ],
)
def test_a_backup_is_read_and_told(name: str) -> None:
    """Whatever editor or person left it there."""
    (verdict,) = checked(entry(name, pod()))

    assert verdict.taken
    assert codes(verdict) == ["backup-file"]
    assert "is read like any other" in verdict.findings[0].message


@pytest.mark.parametrize("name", ["web.yaml", "web.json", "web", "kube-bak-er.yaml"])
def test_an_ordinary_name_is_no_backup(name: str) -> None:
    """The extension doesn't matter."""
    (verdict,) = checked(entry(name, pod()))

    assert verdict.findings == ()


def test_of_files_with_one_pod_the_last_name_counts() -> None:
    """Each of them is told, and what a removal does."""
    first, second, other = checked(
        entry("a.yaml", pod()), entry("b.yaml", pod()), entry("c.yaml", pod("db"))
    )

    assert codes(first) == codes(second) == ["same-pod"]
    assert "b.yaml has the pod default/web-node1 too, b.yaml counts" in (
        first.findings[0].message
    )
    assert "and counts; removing either drops the pod until the next listing" in (
        second.findings[0].message
    )
    assert other.findings == ()


def test_in_1_1_the_first_name_counts() -> None:
    """Nothing is stored there; the merge drops the others with an event."""
    first, second = checked(
        entry("a.yaml", pod()), entry("b.yaml", pod()), kubelet="1.1"
    )

    assert "and counts" in first.findings[0].message
    assert "a.yaml counts; the others are dropped with an event" in (
        second.findings[0].message
    )


def test_pods_of_one_uid_are_told() -> None:
    """Their names differ, and the kubelet mixes them up."""
    first, second = checked(
        entry("a.yaml", pod("a", "u")), entry("b.yaml", pod("b", "u"))
    )

    assert codes(first) == codes(second) == ["explicit-uid", "same-uid"]


@pytest.mark.parametrize(
    ("kind", "code", "level"),
    [
        ("directory", "subdirectory", "finding"),
        ("special", "special-file", "finding"),
        ("missing", "dangling-link", "refused"),
        ("dot-file", "dot-file", "note"),
        ("not-listed", "not-listed", "refused"),
    ],
)
def test_what_is_no_file_is_not_read(kind: Kind, code: str, level: str) -> None:
    """And it isn't taken."""
    (verdict,) = checked(entry("x", kind=kind))

    assert (verdict.is_read, verdict.taken) == (False, False)
    assert [(each.code, each.level) for each in verdict.findings] == [(code, level)]


def test_a_file_that_cannot_be_read_says_why() -> None:
    """Such as one without permission, or of 10 MiB."""
    (verdict,) = checked(entry("x", error="it reaches the limit"))

    assert [(each.code, each.message) for each in verdict.findings] == [
        ("unreadable", "it reaches the limit")
    ]


def test_a_link_is_taken_and_its_swap_told() -> None:
    """The watch doesn't look behind it."""
    (verdict,) = checked(entry("a.yaml", pod(), link="../real.yaml"))

    assert verdict.taken
    assert codes(verdict) == ["symlink"]
    assert "../real.yaml" in verdict.findings[0].message


@pytest.mark.parametrize("path", ["/m/[k8s]", "/m/a*", "/m/a?", "/m/a\\b"])
def test_a_directory_whose_name_is_a_pattern_is_told(path: str) -> None:
    """Its listings and its watch see different files."""
    (finding,) = about_directory(path)

    assert finding.code == "glob-directory"


def test_an_ordinary_directory_is_not_told() -> None:
    """A link is, for the watch stays where it was."""
    assert list(about_directory("/etc/kubernetes/manifests")) == []
    assert [each.code for each in about_directory("/m", link="n")] == ["symlink"]
