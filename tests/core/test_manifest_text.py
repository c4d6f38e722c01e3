"""
Text of a manifest as one JSON value.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_podsource.contract import Config, Refused
from pytest_podsource.core.manifest import decode_manifest
from pytest_podsource.core.manifest.text import Number, read

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Cc"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abyn01"), inner),
    max_leaves=8,
)


def value_of(text: str) -> Any:
    """Return what stands behind one key."""
    return read(f"a: {text}\n".encode())["a"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True),
        ("YES", True),
        ("on", True),
        ("yEs", "yEs"),
        ("n", False),
        ("Off", False),
        ("~", None),
        ("NULL", None),
        ("nUll", "nUll"),
        ("0x10", 16),
        ("017", 15),
        ("0o17", 15),
        ("08", 8),
        ("0b11", 3),
        ("-0b11", -3),
        ("1_000", 1000),
        ("30.0", 30),
        ("1e3", 1000),
        ("1.5", Number("1.5")),
        ("1e30", Number("1e+30")),
        ("1e-7", Number("1e-7")),
        ("18446744073709551616", 18446744073709552000),
        ("1e400", "1e400"),
        ("1:20", "1:20"),
        ("2001-01-01", "2001-01-01"),
        ("=", "="),
        ("_1", "_1"),
        ("'1'", "1"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
        ("!!float 5", 5),
        ("!!binary aGk=", "hi"),
        ("!own x", "x"),
    ],
)
def test_read_resolves_plain_scalars_as_go_yaml(text: str, value: object) -> None:
    """YAML 1.1 booleans and octals, but neither dates nor base 60."""
    found = value_of(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1", "1"),
        ("y", "true"),
        ("08", "8"),
        ("1e3", "1000"),
        ("1e30", "1e+30"),
        ("1.5", "1.5"),
        (".inf", ".inf"),
        ("'y'", "y"),
    ],
)
def test_read_makes_texts_of_keys(text: str, key: str) -> None:
    """A JSON key is a text; numbers lose what single precision can't hold."""
    assert read(f"{text}: 0\n".encode()) == {key: 0}


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("a: [", "line"),
        ("a:\n\tb: 1", "line 2"),
        ("a: {{ name }}", "line 1"),
        ("a: .nan", "no place in JSON"),
        ("~: 1", "key"),
        ("18446744073709551615: 1", "too large"),
        ("a: &x [*x]", "contains itself"),
        ("<<: 5", "mapping"),
        ("a: !!int x", "not a int"),
        ("a: !!binary x", "base64"),
        ("\x01", "not YAML"),
        ('{"a": 1,}', "isn't JSON"),
        ('{"a": 1}\n---\n', "isn't JSON"),
        ('{"a": NaN}', "isn't JSON"),
        ("[" * 20_000, ""),
    ],
)
def test_read_refuses_what_is_neither_json_nor_yaml(text: str, about: str) -> None:
    """The reason says where and what; it isn't a pod, so not parsed."""
    with pytest.raises(Refused) as caught:
        read(text.encode())

    assert about in caught.value.reason
    assert not caught.value.parsed


def test_read_takes_the_first_document_only() -> None:
    """What follows isn't looked at, even if it is broken."""
    assert read(b"---\na: 1\n---\n{{{ [") == {"a": 1}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_read_takes_a_byte_order_mark(encoding: str) -> None:
    """Editors on Windows write one; line ends don't matter either."""
    assert read("a: 1\r\nb: é\r\n".encode(encoding)) == {"a": 1, "b": "é"}


def test_read_applies_a_merge_key_where_it_stands() -> None:
    """Unlike in YAML's draft, a key before it loses."""
    text = b"x: &x {a: 1, b: 1}\nz: {a: 2, <<: *x, b: 3}\n"

    assert read(text)["z"] == {"a": 1, "b": 3}


def test_read_lets_the_last_of_equal_keys_count() -> None:
    """In YAML the whole value is replaced, in JSON objects grow together."""
    assert read(b"a: {b: 1}\na: {c: 2}\n") == {"a": {"c": 2}}
    assert read(b'{"a": {"b": 1}, "a": {"c": 2}}') == {"a": {"b": 1, "c": 2}}
    assert read(b'{"a": [{"b": 1}, 2], "a": [{"c": 3}]}') == {"a": [{"b": 1, "c": 3}]}


def test_read_counts_the_nodes_that_aliases_make() -> None:
    """A few lines can't make the reader fill the memory."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]"
        for level in range(1, 9)
    ]

    with pytest.raises(Refused, match="too large"):
        read("\n".join(lines).encode())


@given(JSON)
def test_read_gives_back_any_json_object(value: object) -> None:
    """JSON is read as JSON, and as YAML behind a comment, with one result."""
    text = json.dumps({"k": value})

    assert read(text.encode()) == {"k": value}
    assert read(f"# c\n{text}".encode()) == {"k": value}


@pytest.mark.parametrize(
    "text", ["x: {a: b?c}", "[/health?x=true]", "x: {a?b: c}", "a: {b: [c?]}"]
)
def test_a_question_mark_between_braces_is_refused(text: str) -> None:
    """The kubelet's scanner takes it for the sign of a key, so the rest is no YAML."""
    with pytest.raises(Refused, match="question mark"):
        read(text.encode())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: b?c", {"a": "b?c"}),
        ("x: {a: 'b?c'}", {"x": {"a": "b?c"}}),
        ('["b?c"]', ["b?c"]),
        ("x: {? a : b}", {"x": {"a": "b"}}),
    ],
)
def test_a_question_mark_elsewhere_is_a_sign_like_any_other(
    text: str, value: Any
) -> None:
    """In block style, in quotes, and as the sign that it is."""
    assert read(text.encode()) == value


def test_of_two_wrong_fields_the_first_in_the_text_is_told() -> None:
    """In JSON as it stands there; YAML is sorted before."""
    spec = '"spec": {"hostPID": 1, "dnsPolicy": 2}'
    pod = f'"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "a"}}, {spec}'

    for text, field in ((f"{{{pod}}}", "hostPID"), (f"# c\n{{{pod}}}", "dnsPolicy")):
        with pytest.raises(Refused, match=f"spec.{field}"):
            decode_manifest(text.encode(), Config())
