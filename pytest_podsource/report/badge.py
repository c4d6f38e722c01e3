"""
A badge: in one small picture, how many components pass.
"""

from __future__ import annotations

from html import escape

from pytest_podsource.report.model import Report
from pytest_podsource.report.scores import scores_of
from pytest_podsource.report.tally import Score
from pytest_podsource.report.visible import one_line

_GREEN, _AMBER, _RED, _GREY = "#2b7a3d", "#8a5a00", "#b3261e", "#555555"
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" \
aria-label="{label}: {message}">
<title>{label}: {message}</title>
<rect width="{width}" height="20" rx="3" fill="{color}"/>
<path d="M3 0h{stem}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#333333"/>
<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="6" y="14" textLength="{label_width}">{label}</text>
<text x="{message_at}" y="14" textLength="{message_width}">{message}</text>
</g>
</svg>
"""


def badge(report: Report, *, component: str = "", label: str = "pod sources") -> str:
    """
    Return an SVG for *report*; with a *component*, for that one alone.
    """
    scores = [
        score
        for results in report.runs.values()
        for score in scores_of(results.values())
        if component in ("", score.component)
    ]
    message, color = _message(scores, component)
    return _drawn(one_line(label, 40), message, color)


def _message(scores: list[Score], component: str) -> tuple[str, str]:
    passed = sum(score.passed for score in scores)
    scored = sum(score.scored for score in scores)
    whole = sum(_is_whole(score) for score in scores)
    if not scores:
        return "nothing was run", _GREY
    color = _GREEN if whole == len(scores) else _AMBER if passed else _RED
    if component:
        return f"{component} {passed} of {scored}", color
    return f"{whole} of {len(scores)} components pass", color


def _is_whole(score: Score) -> bool:
    return score.passed == score.scored


def _drawn(label: str, message: str, color: str) -> str:
    label_width, message_width = _width(label), _width(message)
    stem = label_width + 10
    return _SVG.format(
        width=stem + 3 + message_width + 12,
        stem=stem,
        label_width=label_width,
        message_at=stem + 9,
        message_width=message_width,
        color=color,
        label=escape(label),
        message=escape(message),
    )


def _width(text: str) -> int:
    return round(len(text) * 6.6)
