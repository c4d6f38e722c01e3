"""
Facts of flags and the configuration file, each with a line that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_FLAGS = "core.flags"
_VERSIONS = "core.versions"

FACTS: dict[str, Patch] = {
    "FLAGS-01": Patch(
        module=_VERSIONS,
        old='"path_flag": {"1.1": "config", "1.20": "pod-manifest-path"}',
        new='"path_flag": {"1.1": "config"}',
    ),
    "FLAGS-02": Patch(
        module=_FLAGS,
        old='period_ns("file-check-frequency", DEFAULT_PERIOD_NS)',
        new='period_ns("file-check-frequency", 2 * DEFAULT_PERIOD_NS)',
    ),
    "FLAGS-03": Patch(
        module=_FLAGS,
        old='_last(texts["manifest-url"], "")',
        new='_last(texts["manifest-url"][:1], "")',
    ),
    "FLAGS-04": Patch(
        module=_FLAGS,
        old='period_ns("http-check-frequency", DEFAULT_PERIOD_NS)',
        new='period_ns("http-check-frequency", 2 * DEFAULT_PERIOD_NS)',
    ),
    "FLAGS-05": Patch(
        module=_FLAGS,
        old='"staticPodURLHeader", dict',
        new='"staticPodURLHeaders", dict',
    ),
    "FLAGS-06": Patch(module=_FLAGS, old="if period_ns <= 0:", new="if period_ns < 0:"),
    "FLAGS-07": Patch(
        module=_FLAGS, old='str, "0")) or default_ns', new='str, f"{default_ns}ns"))'
    ),
    "FLAGS-08": Patch(
        module=_FLAGS,
        old='return _duration(key, _typed(fields, key, str, "0")) or default_ns',
        new='return _positive(key, _duration(key, _typed(fields, key, str, "0")) or default_ns)',
    ),
    "FLAGS-09": Patch(
        module=_FLAGS,
        old='period_ns("file-check-frequency", DEFAULT_PERIOD_NS)',
        new='_positive("file", period_ns("file-check-frequency", DEFAULT_PERIOD_NS))',
        kubelet="1.1",
    ),
    "FLAGS-12": Patch(
        module=_FLAGS,
        old="posixpath.join(posixpath.dirname(path), static_path)",
        new='posixpath.join("/", static_path)',
    ),
    "FLAGS-13": Patch(
        module=_FLAGS, old='pair.split(":", 1)', new='pair.rsplit(":", 1)'
    ),
    "FLAGS-14": Patch(
        module=_FLAGS, old='if ":" not in pair:', new='if ":" not in pair.strip(":"):'
    ),
    "FLAGS-15": Patch(
        module=_FLAGS,
        old="pair for text in given for",
        new="pair for text in given[-1:] for",
    ),
    "FLAGS-17": Patch(
        module=_FLAGS,
        old="if len(pieces) != 2:",
        new="if len(pieces) < 2:",
        kubelet="1.1",
    ),
    "FLAGS-18": Patch(
        module=_FLAGS,
        old="headers.setdefault(canonical_header(name), [])",
        new="headers.setdefault(name, [])",
    ),
    "FLAGS-20": Patch(module=_FLAGS, old="name.strip().lower()", new="name.strip()"),
}
