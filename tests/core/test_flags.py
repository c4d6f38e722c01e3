"""
Flags and the configuration file, for each kubelet.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_podsource.contract import SECOND_NS, Refused
from pytest_podsource.core.flags import canonical_header, parse_config, parse_flags
from pytest_podsource.core.versions import kubelet


def flags(*argv: str, minor: str = "1.37", host_name: str = "host") -> dict[str, Any]:
    return parse_flags(argv, kubelet(minor), host_name=host_name)


def config(document: object, minor: str = "1.37") -> dict[str, Any]:
    return parse_config(document, kubelet(minor), path="/etc/k/config.yaml")


@pytest.mark.parametrize(("minor", "sync_s"), [("1.1", 10), ("1.20", 60), ("1.37", 60)])
def test_parse_flags_of_nothing_gives_the_defaults(minor: str, sync_s: int) -> None:
    """No source, 20 s, the host's name in lower case."""
    assert flags(minor=minor, host_name=" Node1\n") == {
        "file_path": "",
        "file_period_ns": 20 * SECOND_NS,
        "url": "",
        "http_period_ns": 20 * SECOND_NS,
        "url_headers": {},
        "sync_period_ns": sync_s * SECOND_NS,
        "node_name": "node1",
    }


@pytest.mark.parametrize("minor", ["1.20", "1.37"])
def test_parse_flags_takes_values_in_both_forms(minor: str) -> None:
    """After ``=`` or as the next argument, underscores or not, the last one counts."""
    settings = flags(
        "--pod-manifest-path=/a",
        "--pod_manifest_path",
        "/b=c",
        "--file-check-frequency=0",
        "--http-check-frequency",
        "-1s",
        "--manifest-url=http://h/?a=b",
        "--sync-frequency=2m",
        "--hostname-override= N2 ",
        "--config=/etc/k/config.yaml",
        minor=minor,
    )

    assert settings == {
        "file_path": "/b=c",
        "file_period_ns": 0,
        "url": "http://h/?a=b",
        "http_period_ns": -SECOND_NS,
        "url_headers": {},
        "sync_period_ns": 120 * SECOND_NS,
        "node_name": "n2",
    }


def test_parse_flags_in_1_1_has_the_path_in_config() -> None:
    """The flag's name changed its meaning later."""
    assert flags("--config=/m", minor="1.1")["file_path"] == "/m"
    assert flags("--config=/m", minor="1.20")["file_path"] == ""


@pytest.mark.parametrize(
    ("given", "headers"),
    [
        pytest.param(
            ["a:hello,b:again,c:world", "b:beautiful"],
            {"A": ["hello"], "B": ["again", "beautiful"], "C": ["world"]},
            id="several",
        ),
        pytest.param(["a:http://h:80/x"], {"A": ["http://h:80/x"]}, id="first-colon"),
        pytest.param([" a : b ,,"], {"A": ["b"]}, id="trimmed"),
        pytest.param([""], {}, id="empty"),
        pytest.param([":v,a:"], {"": ["v"], "A": [""]}, id="empty-parts"),
        pytest.param(["x-tok:1,X-Tok:2"], {"X-Tok": ["1", "2"]}, id="canonical"),
    ],
)
def test_parse_flags_reads_headers(
    given: list[str], headers: dict[str, list[str]]
) -> None:
    """Pairs are parted by commas, name and value by the first colon."""
    argv = [f"--manifest-url-header={text}" for text in given]

    assert flags(*argv)["url_headers"] == headers


def test_parse_flags_in_1_1_reads_one_untrimmed_header() -> None:
    """The value keeps its blank, a later flag replaces an earlier one."""
    settings = flags(
        "--manifest-url-header=c:d", "--manifest-url-header=a: b", minor="1.1"
    )

    assert settings["url_headers"] == {"A": [" b"]}
    assert flags("--manifest-url-header=", minor="1.1")["url_headers"] == {}


@pytest.mark.parametrize(
    ("minor", "argument", "about"),
    [
        ("1.1", "--manifest-url-header=a:b:c", "one colon"),
        ("1.1", "--manifest-url-header=a", "one colon"),
        ("1.1", "--pod-manifest-path=/m", "--config"),
        ("1.37", "--manifest-url-header=a", "name:value"),
        ("1.37", "--sync-frequency=0", "sync-frequency"),
        ("1.37", "--sync-frequency=-1s", "sync-frequency"),
        ("1.1", "--sync-frequency=0", "sync-frequency"),
        ("1.37", "--file-check-frequency=20", "file-check-frequency"),
        ("1.37", "--hostname-override= ", "hostname-override"),
        ("1.37", "--manifest-url", "needs a value"),
        ("1.37", "-manifest-url=x", "not a flag"),
        ("1.37", "run", "not a flag"),
    ],
)
def test_parse_flags_refuses(minor: str, argument: str, about: str) -> None:
    """The reason names the flag and what would have been right."""
    with pytest.raises(Refused) as refused:
        flags(argument, minor=minor)

    assert about in str(refused.value)


def test_parse_flags_in_1_1_lets_a_blank_node_name_pass() -> None:
    """Only later kubelets refuse it."""
    assert flags("--hostname-override= ", minor="1.1")["node_name"] == ""


@pytest.mark.parametrize("document", [None, {}])
def test_parse_config_of_nothing_gives_the_defaults(document: object) -> None:
    """The same as without flags, the node's name apart."""
    settings = flags()
    del settings["node_name"]

    assert config(document) == settings


def test_parse_config_takes_every_field() -> None:
    """Periods of 0 are not set, negative ones are; header names are canonical."""
    settings = config(
        {
            "kind": "KubeletConfiguration",
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "staticPodPath": "../m/./x",
            "staticPodURL": "http://h",
            "staticPodURLHeader": {"x-tok": ["1,2", "3"], "none": []},
            "fileCheckFrequency": "0s",
            "httpCheckFrequency": "-1s",
            "syncFrequency": "30s",
            "maxPods": 7,
        }
    )

    assert settings == {
        "file_path": "/etc/m/x",
        "file_period_ns": 20 * SECOND_NS,
        "url": "http://h",
        "http_period_ns": -SECOND_NS,
        "url_headers": {"X-Tok": ["1,2", "3"]},
        "sync_period_ns": 30 * SECOND_NS,
    }


@pytest.mark.parametrize(("given", "path"), [("/m/./x", "/m/./x"), ("", "")])
def test_parse_config_leaves_absolute_and_empty_paths(given: str, path: str) -> None:
    """Only a relative path is relative to the file."""
    assert config({"staticPodPath": given})["file_path"] == path


@pytest.mark.parametrize(
    ("document", "about"),
    [
        (["a"], "mapping"),
        ({"kind": "Pod"}, "KubeletConfiguration"),
        ({"apiVersion": "v1"}, "v1beta1"),
        ({"staticPodPath": 5}, "staticPodPath"),
        ({"fileCheckFrequency": 20}, "fileCheckFrequency"),
        ({"fileCheckFrequency": "20"}, "fileCheckFrequency"),
        ({"staticPodURLHeader": {"a": "b"}}, "a:"),
        ({"staticPodURLHeader": {"a": [1]}}, "a:"),
        ({"syncFrequency": "-1s"}, "syncFrequency"),
    ],
)
def test_parse_config_refuses(document: object, about: str) -> None:
    """The reason names the field."""
    with pytest.raises(Refused) as refused:
        config(document)

    assert about in str(refused.value)


def test_parse_config_in_1_1_refuses_any_file() -> None:
    """There was no configuration file."""
    with pytest.raises(Refused, match="no configuration file"):
        config({}, minor="1.1")


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("x-tok", "X-Tok"), ("ETAG", "Etag"), ("a b", "a b"), ("", ""), ("-a", "-A")],
)
def test_canonical_header_follows_http(name: str, canonical: str) -> None:
    """What isn't a header's name stays as it is."""
    assert canonical_header(name) == canonical
