"""
A report in each of the forms that it can have.
"""

from __future__ import annotations

from io import StringIO

from pytest_podsource.report.model import Report


def written(report: Report, suffix: str) -> str:
    """
    Return the text of *report* in the form that files of that *suffix* have.

    Raises:
        UsageError: What it takes isn't installed.
    """
    if suffix == ".html":
        from pytest_podsource.report.page import page  # noqa: PLC0415 - needs an extra

        return page(report)
    if suffix == ".md":
        from pytest_podsource.report.markdown import markdown  # noqa: PLC0415

        return markdown(report)
    from pytest_podsource.report.jsonlines import write  # noqa: PLC0415

    stream = StringIO()
    write(report, stream)
    return stream.getvalue()
