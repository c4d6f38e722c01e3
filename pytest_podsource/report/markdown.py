"""
A report as Markdown, for a pull request or the summary of a job.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_podsource.report.causes import causes
from pytest_podsource.report.model import Report, Result, RunInfo
from pytest_podsource.report.scores import scores_of
from pytest_podsource.report.visible import in_markdown, visible
from pytest_podsource.suite.verdict import ERRORS, FAILURES

_MOST_FAILURES = 50
_MOST_STORIES = 10
_LONGEST_STORY = 4000


def markdown(report: Report) -> str:
    """
    Return *report* as Markdown that fits where a comment fits.
    """
    if not report.runs:
        return "## Pod sources\n\nNo case was run.\n"
    return "\n".join(
        line for run, results in report.runs.items() for line in _run(run, results)
    )


def _run(run: RunInfo, results: dict[str, Result]) -> Iterator[str]:
    bad = [
        each for _, each in sorted(results.items()) if each.verdict in FAILURES | ERRORS
    ]
    yield f"## Pod sources: {in_markdown(run.name)}"
    yield ""
    yield (
        f"Against kubelet {in_markdown(run.kubelet)}; {in_markdown(run.world)}; "
        f"{in_markdown(str(run.cases))}; "
        + ", ".join(in_markdown(value) for _, value in run.environment)
        + "."
    )
    yield ""
    yield "| component | scored cases passed | rows run | other verdicts |"
    yield "| --- | ---: | ---: | --- |"
    for score in scores_of(results.values()):
        others = ", ".join(f"{n} {word}" for word, n in sorted(score.verdicts.items()))
        yield (
            f"| {in_markdown(score.component)} | {score.passed} of {score.scored} "
            f"| {score.rows} | {others or 'none'} |"
        )
    yield ""
    if bad:
        yield from _failures(bad, results)


def _failures(bad: list[Result], results: dict[str, Result]) -> Iterator[str]:
    yield f"### {len(bad)} failed"
    yield ""
    for each in bad[:_MOST_FAILURES]:
        yield (
            f"- **{in_markdown(each.id)}** ({each.verdict}): "
            f"{in_markdown(each.title)}. {in_markdown(each.reason)}"
        )
    if len(bad) > _MOST_FAILURES:
        yield f"- and {len(bad) - _MOST_FAILURES} more"
    yield ""
    shared = [cause for cause in causes(results.values()) if len(cause.failed) > 1]
    if shared:
        yield "Probably of one cause:"
        yield ""
        for cause in shared:
            ids = ", ".join(in_markdown(each) for each in cause.failed[:_MOST_STORIES])
            more = len(cause.failed) - _MOST_STORIES
            yield (
                f"- {in_markdown(cause.fact)}, {len(cause.failed)} of {cause.of}: {ids}"
                + (f" and {more} more" if more > 0 else "")
            )
        yield ""
    for each in [each for each in bad if each.story][:_MOST_STORIES]:
        yield f"<details><summary>{in_markdown(each.id)}</summary>"
        yield ""
        yield from (f"    {line}" for line in _story(each))
        yield ""
        yield "</details>"
        yield ""


def _story(result: Result) -> list[str]:
    return visible(result.story, _LONGEST_STORY).splitlines()
