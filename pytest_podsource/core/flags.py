"""
What the kubelet is told about its pod sources, by flags and by its configuration file.

Rule 1: path, URL and the two periods aren't checked; a period of 0 on the command line
gets through. Rule 2: in the file a period of 0 means that nothing was said. Rule 3: a
sync period that isn't positive is refused. Rule 4: a header's name and value part at
the first colon; 1.1 allows but one colon and one header. Rule 5: the path in the file
is relative to the file, that of the flag to the working directory.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pytest_podsource.contract import Refused
from pytest_podsource.core.durations import parse_ns
from pytest_podsource.core.versions import Kubelet

T = TypeVar("T")
Headers = dict[str, list[str]]

DEFAULT_PERIOD_NS = 20_000_000_000

_KIND = "KubeletConfiguration"
_API_VERSION = "kubelet.config.k8s.io/v1beta1"
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")


def parse_flags(
    argv: Sequence[str], kubelet: Kubelet, *, host_name: str
) -> dict[str, Any]:
    """
    Return the settings that a command line makes.

    Args:
        argv: The arguments, without the program's name.
        kubelet: Which kubelet to behave like.
        host_name: What the host calls itself.

    Raises:
        Refused: The kubelet would not start.

    Kubelet: ``AddKubeletConfigFlags`` in ``cmd/kubelet/app/options``.
    """
    texts = _texts(argv, kubelet)
    if kubelet.single_header:
        headers = _single_header(_last(texts["manifest-url-header"], ""))
    else:
        headers = _headers(texts["manifest-url-header"])

    def period_ns(flag: str, default_ns: int) -> int:
        given = texts[flag]
        return (
            [_duration(f"--{flag}", text) for text in given][-1]
            if given
            else default_ns
        )

    return {
        "file_path": _last(texts[kubelet.path_flag], ""),
        "file_period_ns": period_ns("file-check-frequency", DEFAULT_PERIOD_NS),
        "url": _last(texts["manifest-url"], ""),
        "http_period_ns": period_ns("http-check-frequency", DEFAULT_PERIOD_NS),
        "url_headers": headers,
        "sync_period_ns": _positive(
            "--sync-frequency",
            period_ns("sync-frequency", kubelet.default_sync_period_ns),
        ),
        "node_name": _node_name(
            _last(texts["hostname-override"], "") or host_name, kubelet
        ),
    }


def parse_config(document: Any, kubelet: Kubelet, *, path: str) -> dict[str, Any]:
    """
    Return the settings that a configuration file makes.

    Args:
        document: The file as read from YAML; ``kind`` and ``apiVersion`` may be lacking.
        kubelet: Which kubelet to behave like.
        path: Where the file is.

    Raises:
        Refused: The kubelet would not start.

    Kubelet: ``DecodeKubeletConfiguration`` and ``SetDefaults_KubeletConfiguration``.
    """
    if not kubelet.has_config_file:
        raise Refused(f"kubelet {kubelet.minor} has no configuration file. Use flags.")
    fields = _configuration(document)
    static_path = _typed(fields, "staticPodPath", str, "")
    if static_path and not static_path.startswith("/"):
        static_path = posixpath.normpath(
            posixpath.join(posixpath.dirname(path), static_path)
        )
    headers = _typed(fields, "staticPodURLHeader", dict, {})
    return {
        "file_path": static_path,
        "file_period_ns": _period(fields, "fileCheckFrequency", DEFAULT_PERIOD_NS),
        "url": _typed(fields, "staticPodURL", str, ""),
        "http_period_ns": _period(fields, "httpCheckFrequency", DEFAULT_PERIOD_NS),
        "url_headers": _canonical(
            (name, value) for name in headers for value in _texts_of(headers, name)
        ),
        "sync_period_ns": _positive(
            "syncFrequency",
            _period(fields, "syncFrequency", kubelet.default_sync_period_ns),
        ),
    }


def _texts(argv: Sequence[str], kubelet: Kubelet) -> dict[str, list[str]]:
    """Return what each flag was given, in order; a flag takes the next argument."""
    texts: dict[str, list[str]] = {flag: [] for flag in kubelet.flags}
    arguments = iter(argv)
    for argument in arguments:
        name, equals, value = argument.partition("=")
        flag = name.removeprefix("--").replace("_", "-")
        if not name.startswith("--") or flag not in texts:
            raise Refused(
                f"{argument!r} is not a flag of the pod sources. Known flags: "
                f"{', '.join(f'--{known}' for known in texts)}."
            )
        texts[flag].append(value if equals else _next_of(arguments, name))
    return texts


def _next_of(arguments: Iterable[str], name: str) -> str:
    for argument in arguments:
        return argument
    raise Refused(f"{name} needs a value, such as {name}=VALUE.")


def _last(given: Sequence[str], default: str) -> str:
    return given[-1] if given else default


def _single_header(text: str) -> Headers:
    if not text:
        return {}
    pieces = text.split(":")
    if len(pieces) != 2:  # noqa: PLR2004 - a name and a value
        raise Refused(f"--manifest-url-header: {text!r} has not exactly one colon.")
    return _canonical([(pieces[0], pieces[1])])


def _headers(given: Iterable[str]) -> Headers:
    pairs = [pair for text in given for pair in text.split(",") if pair]
    for pair in pairs:
        if ":" not in pair:
            raise Refused(
                f"--manifest-url-header: {pair!r} has no colon. Right is name:value."
            )
    split = [pair.split(":", 1) for pair in pairs]
    return _canonical((name.strip(), value.strip()) for name, value in split)


def _canonical(pairs: Iterable[tuple[str, str]]) -> Headers:
    headers: Headers = {}
    for name, value in pairs:
        headers.setdefault(canonical_header(name), []).append(value)
    return headers


def canonical_header(name: str) -> str:
    """
    Return *name* as HTTP writes it, ``X-Tok``; one that isn't a header's as it is.

    Go: ``textproto.CanonicalMIMEHeaderKey``.
    """
    if not _HEADER_NAME.match(name):
        return name
    return "-".join(part[:1].upper() + part[1:].lower() for part in name.split("-"))


def _node_name(name: str, kubelet: Kubelet) -> str:
    trimmed = name.strip().lower()
    if not trimmed and kubelet.refuses_empty_node_name:
        raise Refused("the node's name is empty. Set --hostname-override.")
    return trimmed


def _configuration(document: Any) -> Mapping[str, Any]:
    if document is None:
        return {}
    if not isinstance(document, Mapping):
        raise Refused(f"a configuration file is a mapping, not {document!r}.")
    for key, right in (("kind", _KIND), ("apiVersion", _API_VERSION)):
        if document.get(key, right) != right:
            raise Refused(f"{key} is {document[key]!r}. Right would be {right}.")
    return document


def _typed(fields: Mapping[str, Any], key: str, kind: type[T], default: T) -> T:
    value = fields.get(key)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise Refused(f"{key}: {value!r} is not of the right type, {kind.__name__}.")
    return value


def _texts_of(fields: Mapping[str, Any], key: str) -> list[str]:
    values = _typed(fields, key, list, [])
    if not all(isinstance(value, str) for value in values):
        raise Refused(f"{key}: {values!r} is not a list of texts.")
    return values


def _period(fields: Mapping[str, Any], key: str, default_ns: int) -> int:
    return _duration(key, _typed(fields, key, str, "0")) or default_ns


def _duration(where: str, text: str) -> int:
    try:
        return parse_ns(text)
    except ValueError as error:
        raise Refused(f"{where}: {error}") from error


def _positive(where: str, period_ns: int) -> int:
    if period_ns <= 0:
        raise Refused(f"{where}: {period_ns} ns. It must be more than 0.")
    return period_ns
