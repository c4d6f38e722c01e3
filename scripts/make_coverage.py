"""
Make ``docs/reference/coverage.md``: facts, scenarios and reports against cases.

Run it after each change of cases, of the facts or of the reports; a test compares what
it makes with what is there, and that no row is empty.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from make_facts import BEHAVIOUR, REPORTS, ROOT, facts, reports

from pytest_podsource.suite.case import Case, load_cases

PAGE = ROOT / "docs/reference/coverage.md"
NOT_COVERED = ROOT / "docs/explanation/not-covered.md"
_SHOWN = 4
_ONLY_IDS = re.compile(r"[A-Z]+-\d+(?:(?:, | to )[A-Z]+-\d+)*\Z")
_IDS = re.compile(r"\b([A-Z]+-\d+)(?: to ([A-Z]+-\d+))?")

# The cases that live through each scenario, by its place on the page; a text says why
# there is none.
SCENARIOS: Mapping[int, str | tuple[str, ...]] = {
    1: ("api/first-list-gives-one-set", "api/events-in-a-row-build-on-each-other"),
    2: ("api/one-name-in-two-namespaces-is-two-pods",),
    3: ("api/no-pods-give-an-empty-set",),
    4: ("manifest/an-explicit-uid-is-kept", "manifest/json-begins-with-a-brace"),
    5: ("http/a-list-may-be-json", "http/a-list-keeps-its-order"),
    6: ("manifest/references-to-api-objects-are-refused",),
    7: ("manifest/references-to-api-objects-are-refused",),
    8: ("manifest/a-restart-policy-of-a-container-is-accepted",),
    9: (
        "manifest/the-name-has-the-node-as-suffix",
        "manifest/names-must-be-dns-subdomains",
    ),
    10: ("manifest/the-self-link",),
    11: ("manifest/a-negative-grace-period-becomes-one",),
    12: ("file/odd-priorities-are-told-once",),
    13: ("podconfig/a-message-is-the-whole-set", "podconfig/sync-sends-everything"),
    14: (
        "podconfig/nothing-is-validated-later",
        "podconfig/invalid-pods-are-dropped-in-1.1",
    ),
    15: ("podconfig/a-first-set-with-pods-has-no-empty-add",),
    16: ("podconfig/one-name-in-two-namespaces-is-two-pods",),
    17: (
        "podconfig/an-equal-set-gives-nothing",
        "podconfig/invalid-pods-are-dropped-in-1.1",
    ),
    18: ("podconfig/snapshot-and-updates-mode",),
    19: ("podconfig/snapshot-mode-sends-everything",),
    20: ("podconfig/add-change-remove",),
    21: ("podconfig/a-deletion-timestamp-makes-a-delete",),
    22: ("podconfig/three-pods-then-one-of-each-change",),
    23: (
        "podconfig/a-status-alone-is-a-reconcile",
        "podconfig/status-and-spec-together-are-one-update",
    ),
    24: ("podconfig/first-empty-set-gives-an-empty-add",),
    25: ("podconfig/annotations-changed-added-and-removed",),
    26: ("podconfig/what-differs-makes-an-update",),
    27: "calls from several threads at once; in a case one thing happens at a time",
    28: ("file/a-bad-single-file-is-no-update",),
    29: ("file/a-directory-without-pods-is-an-empty-set",),
    30: ("file/missing-path-counts-as-seen", "file/a-single-file-is-its-pod"),
    31: ("file/missing-path-is-told-every-second",),
    32: ("file/missing-path-counts-as-seen",),
    33: ("file/a-single-file-is-its-pod", "manifest/defaults-of-a-pod"),
    34: ("file/a-new-file-is-told-at-once", "file/a-link-whose-target-comes-later"),
    35: (
        "file/a-single-file-written-in-place",
        "file/rewriting-in-place-never-removes",
        "file/a-rename-inside-is-two-sets",
    ),
    36: ("http/a-url-that-never-answers-is-unseen",),
    37: ("manifest/kind-and-version-are-needed",),
    38: ("http/a-list-keeps-its-order", "http/url-pods-have-no-toleration"),
    39: ("http/configured-headers-are-sent",),
    40: ("podconfig/asking-for-a-channel-twice-changes-nothing",),
    41: ("podconfig/the-source-annotation-is-the-sources-name",),
    42: ("podconfig/sources-dont-see-each-other",),
    43: "a helper beside the pod sources",
    44: "a helper for lists of sources (CONFIG-70)",
    45: "a question about one pod, which the handlers ask (CONFIG-69)",
    46: "names of sync types (CONFIG-72)",
    47: "questions about one pod, which the handlers ask (CONFIG-67, CONFIG-68)",
    48: "questions about one pod, which the handlers ask (CONFIG-73, CONFIG-74)",
    49: ("podconfig/first-seen-time-is-set-at-the-add",),
    50: "container statuses are no matter of pod sources",
    51: ("backoff/next-doubles", "backoff/reset-forgets-the-key"),
    52: ("backoff/at-the-cap-until-it-expires",),
    53: ("backoff/idle-at-the-cap-stays-at-the-cap",),
    54: (
        "backoff/gc-keeps-a-key-at-one-step-over-the-cap",
        "backoff/gc-forgets-what-has-expired",
    ),
    55: ("backoff/a-failure-at-every-free-tick",),
    56: ("backoff/jitter-grows-and-is-capped",),
    57: (
        "backoff/custom-expiry-decides-in-next",
        "backoff/custom-expiry-decides-in-gc",
    ),
    58: ("api/each-event-is-one-set",),
    59: "the time stamp that the health check reads (SYNC-16)",
    60: ("syncloop/closed-channel-ends",),
    61: "what happens inside the handlers (SYNC-34)",
    62: ("syncloop/housekeeping-waits-for-ready",),
    63: ("syncloop/nothing-due-calls-nothing",),
    64: "what happens inside the handlers (SYNC-24 to SYNC-27)",
    65: "what happens inside the handlers (SYNC-35)",
    66: "run-once mode (SYNC-36)",
    67: (
        "flags/headers-add-up",
        "flags/a-pair-without-a-colon-is-refused",
        "flags/an-empty-name-or-value-passes",
    ),
    68: ("flags/relative-path-is-relative-to-the-config-file",),
    69: ("flags/defaults",),
    70: "what is logged of the configuration (FLAGS-19)",
}


def scenarios(text: str) -> Iterator[tuple[str, str]]:
    """
    Yield the scenarios of the page *text*: the test file, and what it does.
    """
    place = ""
    part = text.split("## Scenarios the kubelet")[1].split(
        "### Facts that no", maxsplit=1
    )[0]
    for line in part.splitlines():
        if line.startswith("### "):
            place = line.removeprefix("### ").split(" (")[0]
        elif line.startswith("- "):
            yield place, re.split(r" -> (?=[A-Z]+-\d)", line.removeprefix("- "))[0]


def not_covered(text: str) -> set[str]:
    """
    Return the facts that the page *text* gives a reason for.
    """
    found: set[str] = set()
    for line in text.splitlines():
        cell = line.split("|")[1].strip() if line.startswith("| ") else ""
        if _ONLY_IDS.match(cell):
            for first, last in _IDS.findall(cell):
                group, number = first.split("-")
                end = int(last.split("-")[1]) if last else int(number)
                found |= {f"{group}-{each:02}" for each in range(int(number), end + 1)}
    return found


def page(cases: Sequence[Case]) -> str:
    """
    Return the whole page.
    """
    behaviour = BEHAVIOUR.read_text("utf-8")
    files = {case.file_id: case for case in cases}
    lines = [
        "# What the cases cover",
        "",
        "Made by `scripts/make_coverage.py`; a test keeps it whole. Of many cases the first few are named.",
        "",
        "## Facts",
        "| fact | cases |",
        "| --- | --- |",
    ]
    reasons = not_covered(NOT_COVERED.read_text("utf-8"))
    for fact in facts(behaviour):
        shown = _named(each for each, case in files.items() if fact in case.facts)
        why = "[no case](../explanation/not-covered.md)" if fact in reasons else ""
        lines.append(f"| {fact} | {shown or why} |")
    lines += [
        "",
        "## Scenarios of the kubelet's own tests",
        "| test | scenario | cases |",
    ]
    lines.append("| --- | --- | --- |")
    for number, (place, what) in enumerate(scenarios(behaviour), 1):
        by = SCENARIOS.get(number, "")
        shown = f"none: {by}" if isinstance(by, str) and by else _named(by)
        lines.append(f"| {place} | {what.replace('|', '/')} | {shown} |")
    lines += ["", "## Reports", "| report | cases |", "| --- | --- |"]
    for report in reports(REPORTS.read_text("utf-8")):
        shown = _named(each for each, case in files.items() if report in case.reports)
        lines.append(f"| {report} | {shown} |")
    return "\n".join(lines) + "\n"


def _named(ids: Iterable[str]) -> str:
    names = [f"`{each}`" for each in ids]
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def main() -> int:
    """
    Write the page.
    """
    PAGE.write_text(page(load_cases(Path(ROOT / "conformance/cases"))), "utf-8")
    print(PAGE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
