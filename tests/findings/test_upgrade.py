"""
What another kubelet makes of the same manifests.
"""

from __future__ import annotations

import pytest

from pytest_podsource.contract import Config
from pytest_podsource.findings import Finding, check_upgrade
from pytest_podsource.findings.directory import Entry
from pytest_podsource.findings.upgrade import behaviour_changes

HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
FIXED = HEAD.replace("name: web", "name: web, uid: u")
SPEC = "spec:\n  containers: [{name: c, image: 'nginx:1'}]\n"


def upgraded(text: str, old: str, new: str) -> list[Finding]:
    entry = Entry(path="web.yaml", real_path="/m/web.yaml", data=text.encode())
    configs = [Config(kubelet=each, node_name="node1") for each in (old, new)]
    (verdict,) = check_upgrade([entry], *configs)
    return list(verdict.findings)


@pytest.mark.parametrize(
    ("old", "new"), [("1.20", "1.34"), ("1.34", "1.37"), ("1.36", "1.37")]
)
def test_a_generated_uid_never_outlives_an_upgrade(old: str, new: str) -> None:
    """So every static pod restarts, but those with a UID of their own."""
    assert [each.code for each in upgraded(HEAD + SPEC, old, new)] == ["upgrade-uid"]
    assert upgraded(FIXED + SPEC, old, new) == []


def test_a_reference_that_is_refused_from_now_on_is_told_with_its_gate() -> None:
    """Line and field as for a check, and which gate decides."""
    text = HEAD + SPEC + "  serviceAccountName: default\n"

    (finding,) = upgraded(text, "1.20", "1.34")
    (always,) = upgraded(text, "1.20", "1.37")

    assert (finding.code, finding.line) == ("upgrade-refused", 6)
    assert "by the gate PreventStaticPodAPIReferences" in finding.message
    assert "gate" not in always.message


def test_what_was_refused_is_taken() -> None:
    """A regular container may restart by a rule of its own from 1.36 on."""
    text = HEAD + SPEC.replace("'nginx:1'", "'nginx:1', restartPolicy: Always")

    (finding,) = upgraded(text, "1.34", "1.37")

    assert finding.code == "upgrade-taken"
    assert finding.field == "spec.containers[0].restartPolicy"


def test_what_stays_refused_is_told_as_by_check() -> None:
    """It is no news of the upgrade."""
    assert [each.code for each in upgraded("rubbish", "1.34", "1.37")] == ["refused"]


def test_a_default_that_differs_is_told_with_both_values() -> None:
    """An image without a tag was pulled if it wasn't there."""
    text = FIXED + SPEC.replace("nginx:1", "nginx")

    found = {each.field: each for each in upgraded(text, "1.1", "1.20")}

    policy = found["spec.containers[0].imagePullPolicy"]
    assert policy.code == "upgrade-default"
    assert policy.message == "'IfNotPresent' becomes 'Always'"


def test_behaviour_that_differs_is_told_whatever_the_manifests_hold() -> None:
    """And nothing between a kubelet and itself."""
    texts = list(behaviour_changes("1.1", "1.37"))

    assert any("REMOVE and ADD" in each for each in texts)
    assert any("no longer" in each for each in behaviour_changes("1.37", "1.1"))
    assert list(behaviour_changes("1.37", "1.37")) == []
