"""
What ``check`` says of one manifest: line, field, and what was meant.
"""

from __future__ import annotations

import json

import pytest

from pytest_podsource.contract import Config
from pytest_podsource.findings import Finding, Verdict, check_manifest

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: c
    image: nginx:1
"""


def checked(text: str, kubelet: str = "1.37", source: str = "file") -> Verdict:
    config = Config(kubelet=kubelet, node_name="node1", path="/m/web.yaml")
    return check_manifest(
        text.encode(), "web.yaml", config, "http" if source == "http" else "file"
    )


def only(verdict: Verdict) -> Finding:
    (finding,) = verdict.findings
    return finding


def test_a_sound_manifest_is_taken_without_a_word() -> None:
    """Namespace and name are those on the node; the UID follows the content."""
    verdict = checked(POD)

    assert verdict.taken
    assert verdict.findings == ()
    assert verdict.pods[0]["metadata"]["name"] == "web-node1"
    assert not verdict.has_uid


# Text, what is found at which line and field, and a word of message or hint.
FINDINGS = {
    "wrong-case": (
        POD.replace("image:", "Image: i\n    image:"),
        ("unknown-field", 8, "spec.containers[0].Image", "'image' was meant"),
    ),
    "slip": (
        POD + "  hostNetwrk: true\n",
        ("unknown-field", 9, "spec.hostNetwrk", "'hostNetwork' was probably meant"),
    ),
    "wrong-place": (
        POD + "    hostNetwork: true\n",
        ("unknown-field", 9, "spec.containers[0].hostNetwork", "belongs to spec"),
    ),
    "twice": (
        POD + "    image: nginx:2\n",
        ("duplicate-key", 9, "spec.containers[0].image", "this one counts"),
    ),
    "second-document": (
        POD + "---\nkind: ConfigMap\n",
        ("ignored-document", 9, "", "second document"),
    ),
    "yes": (
        POD + "  hostNetwork: yes\n",
        ("yaml-value", 9, "spec.hostNetwork", "yes is read as true"),
    ),
    "octal": (
        POD + "  terminationGracePeriodSeconds: 010\n",
        ("yaml-value", 9, "spec.terminationGracePeriodSeconds", "the number 8"),
    ),
    "key": (
        POD.replace("spec:", '  labels: {on: "x"}\nspec:'),
        ("yaml-value", 5, "metadata.labels.on", "the key on is read as true"),
    ),
    "nothing-in-a-list": (
        POD + "    command: [a, ~]\n",
        ("yaml-value", 9, "spec.containers[0].command[1]", "empty text"),
    ),
    "class-without-priority": (
        POD + "  priorityClassName: system-node-critical\n",
        ("priority", 9, "spec.priorityClassName", "priority: 2000001000"),
    ),
    "priority-without-class": (
        POD + "  priority: 5\n",
        ("priority", 9, "spec.priority", "refuses the mirror pod"),
    ),
    "priority-of-another-class": (
        POD + "  priority: 5\n  priorityClassName: system-node-critical\n",
        ("priority", 9, "spec.priority", "works out 2000001000"),
    ),
    "priority-of-a-class-of-the-cluster": (
        POD + "  priority: 5\n  priorityClassName: mine\n",
        ("priority", 9, "spec.priority", "unless the class mine"),
    ),
    "repeated-variable": (
        POD + "    env: [{name: A, value: a}, {name: A, value: b}]\n",
        ("repeated-env", 9, "spec.containers[0].env[1].name", "A is given twice"),
    ),
    "mirror": (
        POD.replace("spec:", "  annotations: {kubernetes.io/config.mirror: x}\nspec:"),
        (
            "mirror-annotation",
            5,
            "metadata.annotations[kubernetes.io/config.mirror]",
            "doesn't run it",
        ),
    ),
    "hash": (
        POD.replace("spec:", "  annotations: {kubernetes.io/config.hash: x}\nspec:"),
        (
            "overwritten",
            5,
            "metadata.annotations[kubernetes.io/config.hash]",
            "sets this annotation itself",
        ),
    ),
    "node": (
        POD + "  nodeName: other\n",
        ("overwritten", 9, "spec.nodeName", "the node is node1"),
    ),
    "status": (
        POD + "status: {phase: Running}\n",
        ("overwritten", 9, "status", "what the status says"),
    ),
    "uid": (
        POD.replace("spec:", "  uid: u1\nspec:"),
        ("explicit-uid", 5, "metadata.uid", "an edit is an UPDATE"),
    ),
    "deletion": (
        POD.replace("spec:", '  deletionTimestamp: "2024-01-01T00:00:00Z"\nspec:'),
        ("deletion-timestamp", 5, "metadata.deletionTimestamp", "being deleted"),
    ),
}


@pytest.mark.parametrize(("text", "expected"), FINDINGS.values(), ids=FINDINGS)
def test_what_is_odd_is_found_where_it_stands(
    text: str, expected: tuple[str, int, str, str]
) -> None:
    """The manifest is taken, and one thing is said about it."""
    verdict = checked(text)

    found = only(verdict)
    assert verdict.taken
    assert (found.code, found.line, found.field) == expected[:3]
    assert expected[3] in f"{found.message} {found.hint}"


SILENT = {
    "mode": POD + "  volumes: [{name: v, hostPath: {path: /a}}]\n  priority: 0\n",
    "true": POD + "  hostNetwork: true\n",
    "quoted": POD + '    env: [{name: A, value: "yes"}]\n',
    "null": POD.replace("spec:", "  creationTimestamp: null\nspec:"),
    "empty-status": POD + "status: {}\n",
    "end-mark": POD + "---\n# nothing\n",
    "pair": POD + "  priority: 2000001000\n  priorityClassName: system-node-critical\n",
    "other-case-of-kind": POD.replace("kind:", "KIND:"),
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_nothing_is_said_of_what_is_as_it_looks(text: str) -> None:
    """No false alarm."""
    assert checked(text).findings == ()


REFUSED = {
    "yaml": (POD + "  a: {{ b }}\n", 9, "", "key that is no text"),
    "type": (
        POD.replace("nginx:1", "1"),
        8,
        "spec.containers[0].image",
        "is not a text",
    ),
    "kind": (POD.replace("Pod", "PodList"), 2, "kind", "Right would be v1 Pod"),
    "no-kind": (POD.replace("kind: Pod\n", ""), 1, "kind", "'kind' is missing"),
    "name": (
        POD.replace("  name: web\n", "  labels: {}\n"),
        3,
        "metadata.name",
        "needed",
    ),
    "missing": (
        POD.replace("    image: nginx:1\n", ""),
        7,
        "spec.containers[0].image",
        "Required value",
    ),
    "reference": (
        POD + "  volumes:\n  - name: v\n    secret: {secretName: s}\n",
        11,
        "spec.volumes[0].secret",
        "static pods may not reference secrets",
    ),
}


@pytest.mark.parametrize(
    ("text", "line", "field", "words"), REFUSED.values(), ids=REFUSED
)
def test_a_refusal_names_line_and_field(
    text: str, line: int, field: str, words: str
) -> None:
    """A field that isn't there stands where its parent stands."""
    verdict = checked(text)

    found = only(verdict)
    assert not verdict.taken
    assert (found.code, found.line, found.field) == ("refused", line, field)
    assert words in found.message


def test_each_fault_of_a_pod_has_a_finding_of_its_own() -> None:
    """Two faults, two lines."""
    verdict = checked(POD.replace("name: c", "name: C").replace("web", "We_b"))

    assert [(each.line, each.field) for each in verdict.findings] == [
        (4, "metadata.name"),
        (7, "spec.containers[0].name"),
    ]


def test_a_value_that_yaml_turned_is_told_with_the_refusal() -> None:
    """``yes`` where a text is due: what it was read as is the reason."""
    verdict = checked(POD + "    env:\n    - name: A\n      value: yes\n")

    refused = next(each for each in verdict.findings if each.code == "refused")
    assert refused.line == 11
    assert "'yes' is true" in refused.hint


def test_a_reference_that_an_older_kubelet_takes_is_a_finding() -> None:
    """It runs, and the apiserver refuses its mirror pod."""
    found = only(checked(POD + "  serviceAccountName: default\n", "1.20"))

    assert (found.code, found.field) == ("api-reference", "spec.serviceAccountName")


def test_a_field_of_a_newer_kubelet_is_told_with_its_version() -> None:
    """It isn't a slip."""
    found = only(checked(POD + "  hostUsers: false\n", "1.20"))

    assert found.code == "unknown-field"
    assert "from 1.30 on" in found.hint


def test_json_has_lines_too() -> None:
    """And a key given twice is found there as well."""
    pod = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web"},
            "spec": {"containers": [{"name": "c", "image": "i", "Image": "j"}]},
        },
        indent=1,
    )

    found = only(checked(pod))

    assert (found.code, found.line) == ("unknown-field", 12)


def test_a_list_is_taken_from_a_url_only() -> None:
    """Each pod of it is one of the node's."""
    items = json.dumps([{"metadata": {"name": n}, "spec": SPEC} for n in ("a", "b")])
    text = f'{{"apiVersion": "v1", "kind": "PodList", "items": {items}}}'

    of_url, of_file = checked(text, source="http"), checked(text)

    assert [pod["metadata"]["name"] for pod in of_url.pods] == ["a-node1", "b-node1"]
    assert of_url.findings == ()
    assert only(of_file).field == "kind"


SPEC = {"containers": [{"name": "c", "image": "i"}]}
