"""
Small readers of manifests and settings, each wrong in one way that people got wrong.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from dataclasses import replace
from functools import partial
from typing import Any

import yaml

from pytest_podsource import reference
from pytest_podsource.contract import Config, Pod, Refused
from tests.miniature import Miniature

_TOP = {"apiVersion", "kind", "metadata", "spec", "status"}


def _with_uid(pod: Pod, uid: str) -> Pod:
    return {**pod, "metadata": {**pod["metadata"], "uid": uid}}


def takes_the_last_document(data: bytes, config: Config) -> Pod:
    """R37: the documents of a file are read in a loop, and the last one is left."""
    *_, last = yaml.safe_load_all(data)
    return reference.decode_manifest(yaml.safe_dump(last).encode(), config)


def makes_texts_of_values(data: bytes, config: Config) -> Pod:
    """R41: ``value: yes`` in env is made a text, as a kind of help."""
    value = yaml.safe_load(data)
    for container in value["spec"]["containers"]:
        for variable in container.get("env", ()):
            variable["value"] = str(variable["value"]).lower()
    return reference.decode_manifest(yaml.safe_dump(value).encode(), config)


def dates_the_uid(data: bytes, config: Config) -> Pod:
    """R35: the time of reading is hashed along, so each reading is another pod."""
    now = str(time.perf_counter_ns()).encode()
    uid = hashlib.md5(data + now).hexdigest()
    return _with_uid(reference.decode_manifest(data, config), uid)


def hashes_the_bytes(data: bytes, config: Config) -> Pod:
    """R29: a comment or another spacing restarts the pod."""
    uid = hashlib.md5(data).hexdigest()
    return _with_uid(reference.decode_manifest(data, config), uid)


def leaves_the_path_out(data: bytes, config: Config) -> Pod:
    """R07, R34: equal manifests in two files have one UID."""
    return reference.decode_manifest(data, replace(config, path="manifest.yaml"))


def draws_a_uuid(data: bytes, config: Config) -> Pod:
    """R36: a UUID with its dashes, where the kubelet has 32 digits."""
    pod = reference.decode_manifest(data, config)
    return _with_uid(pod, str(uuid.UUID(pod["metadata"]["uid"])))


def refuses_unknown_fields(data: bytes, config: Config) -> Pod:
    """R47: a manifest of a newer kubelet is refused by an older agent."""
    if unknown := yaml.safe_load(data).keys() - _TOP:
        raise Refused(f"unknown fields: {sorted(unknown)}")
    return reference.decode_manifest(data, config)


def refuses_equal_keys(data: bytes, config: Config) -> Pod:
    """R43: strict YAML, where the kubelet takes the last of two equal keys."""
    root = yaml.compose(data, yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    keys = [key.value for key, _ in root.value]
    if len(keys) > len(set(keys)):
        raise Refused("a key stands there twice")
    return reference.decode_manifest(data, config)


def reads_field_names_in_any_case(data: bytes, config: Config) -> Pod:
    """R47: a decoder for structs that takes ``Image`` for ``image``."""
    return reference.decode_manifest(data.replace(b"Image:", b"image:"), config)


def allows_references(data: bytes, config: Config) -> Pod:
    """R32: a pod with a service account runs, and never gets its mirror pod."""
    return reference.decode_manifest(data, replace(config, kubelet="1.20"))


def leaves_the_name_as_it_is(data: bytes, config: Config) -> Pod:
    """The suffix of the node is left out, so two nodes' mirror pods collide."""
    pod = reference.decode_manifest(data, config)
    name = pod["metadata"]["name"].removesuffix(f"-{config.node_name}")
    return {**pod, "metadata": {**pod["metadata"], "name": name}}


def splits_headers_at_every_colon(argv: list[str], config: Config) -> dict[str, Any]:
    """R76: the value of a header is a URL, and what follows its colon is lost."""
    name, value, *_ = argv[1].split(":")
    return {"url_headers": {name.title(): [value]}}


def takes_zero_for_a_period(data: bytes, config: Config) -> dict[str, Any]:
    """R77: kubeadm writes ``fileCheckFrequency: 0s``, which means nothing was said."""
    given = yaml.safe_load(data)
    seconds = int(given.get("fileCheckFrequency", "20s").removesuffix("s"))
    period_ns = seconds * 10**9
    return {"file_period_ns": period_ns, "http_period_ns": period_ns}


_decodes = partial(Miniature, offers="decode_manifest")

MINIATURES = (
    _decodes(
        made=takes_the_last_document,
        case="manifest/first-document-counts",
        fact="DECODE-03",
    ),
    _decodes(
        made=makes_texts_of_values,
        case="manifest/more-wrong-types-are-refused:env-yes",
        fact="DECODE-10",
    ),
    _decodes(
        made=dates_the_uid,
        case="manifest/uid-does-not-depend-on-comments",
        fact="DECODE-28",
    ),
    _decodes(
        made=hashes_the_bytes,
        case="manifest/uid-does-not-depend-on-comments",
        fact="DECODE-27",
    ),
    _decodes(
        made=leaves_the_path_out,
        case="manifest/uid-depends-on-path-and-node",
        fact="DECODE-25",
    ),
    _decodes(
        made=draws_a_uuid, case="manifest/uid-has-32-hex-digits", fact="DECODE-24"
    ),
    _decodes(
        made=refuses_unknown_fields,
        case="manifest/unknown-fields-vanish",
        fact="DECODE-06",
    ),
    _decodes(
        made=refuses_equal_keys,
        case="manifest/the-last-of-equal-keys-counts:yaml",
        fact="DECODE-07",
    ),
    _decodes(
        made=reads_field_names_in_any_case,
        case="manifest/field-names-are-case-sensitive:image",
        fact="DECODE-08",
    ),
    _decodes(
        made=allows_references,
        case="manifest/references-to-api-objects-are-refused:account",
        fact="DECODE-45",
    ),
    _decodes(
        made=leaves_the_name_as_it_is,
        case="manifest/the-name-has-the-node-as-suffix:plain",
        fact="DECODE-18",
    ),
    Miniature(
        made=splits_headers_at_every_colon,
        offers="parse_flags",
        case="flags/header-splits-at-the-first-colon",
        fact="FLAGS-13",
    ),
    Miniature(
        made=takes_zero_for_a_period,
        offers="parse_config",
        case="flags/a-zero-period-in-the-file-is-the-default:zero",
        fact="FLAGS-07",
    ),
)
