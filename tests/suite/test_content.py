"""
CONTENT and REPLY become bytes.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.content import render, reply
from pytest_podsource.suite.pods import for_manifest

AWKWARD = {
    "name": "a",
    "labels": {"yes": "no", "n": "1", "0": "0x1f", "t": "12:30", "e": "1e3", "": ""},
    "args": ["- x", "a: b", "#c", "\"'", "\u00e9\u2028", "a\nb\n", "", "~", "null"],
    "tolerations": [],
    "nodeSelector": {},
    "volumes": [{"name": "v", "projected": {"sources": [{"a": [[1, 2], []]}]}}],
    "hostNetwork": True,
    "priority": 3,
}


@pytest.mark.parametrize("as_", ["yaml", "json"])
def test_pod_is_read_back_as_it_was_written(as_: str) -> None:
    """No text of a pod changes its type on the way, whatever it looks like."""
    data = render({"pod": AWKWARD, "as": as_}, "here")

    assert yaml.safe_load(data) == for_manifest(AWKWARD)


def test_manifest_looks_as_a_person_would_write_it() -> None:
    """Plain names aren't quoted, what could be read otherwise is."""
    assert render({"pod": {"name": "web", "namespace": "on"}}, "here").decode() == (
        "apiVersion: v1\n"
        "kind: Pod\n"
        "metadata:\n"
        "  name: web\n"
        '  namespace: "on"\n'
        "spec:\n"
        "  containers:\n"
        "    - name: c\n"
        '      image: "nginx:1"\n'
    )


def test_several_pods_are_documents_of_one_text() -> None:
    """Each of them is a manifest by itself."""
    documents = list(yaml.safe_load_all(render({"pods": ["a", "b"]}, "here")))

    assert documents == [for_manifest("a"), for_manifest("b")]


def test_list_is_one_pod_list() -> None:
    """What a manifest URL may answer."""
    found = yaml.safe_load(render({"list": ["a", "b"]}, "here"))

    assert found["kind"] == "PodList"
    assert [item["metadata"]["name"] for item in found["items"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "data"),
    [
        ({"text": ""}, b""),
        ({"base64": "AQID"}, b"\x01\x02\x03"),
        ({"text": "a ${x}", "vars": {"x": 1}}, b"a 1"),
        ({"text": "a: ${x}", "vars": {"x": "${y}"}}, b"a: ${y}"),
        ({"text": "a", "comment": "hello"}, b"# hello\na"),
    ],
)
def test_text_is_written_as_it_is(content: Any, data: bytes) -> None:
    """Only the content's own variables are put in."""
    assert render(content, "here") == data


@pytest.mark.parametrize("content", [{"pod": "a"}, {"pod": "a", "as": "json"}])
@pytest.mark.parametrize("more", [0, 1, 5000])
def test_padded_content_has_that_size_and_means_the_same(
    content: dict[str, Any], more: int
) -> None:
    """A manifest can be made as large as a limit."""
    size = len(render(content, "here")) + more

    data = render({**content, "pad_to": size}, "here")

    assert len(data) == size
    assert yaml.safe_load(data) == for_manifest("a")
    assert b"#" not in data or content.get("as") != "json"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({}, "a content has one of text, base64, pod, pods, list; here: none."),
        ({"text": "", "pod": "a"}, r"here: \['text', 'pod'\]"),
        ({"pod": "a", "as": "json", "comment": "x"}, "JSON has no comments."),
        ({"text": "abc", "pad_to": 2}, "pad_to is 2, the content has 3 bytes."),
    ],
)
def test_content_that_is_no_content_is_refused(content: Any, reason: str) -> None:
    """The error names the step."""
    with pytest.raises(CaseError, match=f"^here: .*{reason}"):
        render(content, "here")


def test_reply_has_status_headers_in_order_delay_and_cut() -> None:
    """A list of values is several headers of one name."""
    found = reply(
        {
            "pod": "a",
            "as": "json",
            "status": 201,
            "headers": {"X": [1, 2], "Y": "z"},
            "delay": "600ms",
            "cut_at": 7,
        },
        "here",
    )

    assert json.loads(found.body) == for_manifest("a")
    assert found.headers == (("X", "1"), ("X", "2"), ("Y", "z"))
    assert (found.status, found.delay_ns, found.cut_at) == (201, 600_000_000, 7)


def test_reply_may_be_an_error_or_have_no_body() -> None:
    """What is not said is 200 and empty."""
    assert reply({"error": "dns"}, "here").error == "dns"
    assert (reply({"status": 204}, "here").body, reply({"text": ""}, "").status) == (
        b"",
        200,
    )
