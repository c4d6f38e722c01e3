"""
The page in Chromium: what it looks like, what it asks for, how it is used.

Needs Chromium on the machine and the dependency group ``browser``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.report.model import Report
from pytest_podsource.report.page import page
from tests.report.samples import a_moment, a_report, a_result, hostile, many

playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed: group browser"
)
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")

LIMIT_MS = 30_000
CONTRAST = """
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const color = rgb(getComputedStyle(each).backgroundColor);
      if (color[3] === 255) return color;
    }
    return rgb("white");
  };
  const low = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || node.closest("script, noscript, svg, option") || !node.getClientRects().length) continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(`${node.tagName} ${node.textContent.slice(0, 40)}`);
  }
  return low;
}
"""
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=LIMIT_MS
        )
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """
    What opens the page of a report; at the end, nothing was logged or asked for.
    """
    path = tmp_path / "page.html"
    said: list[str] = []
    contexts = []

    def opened(report: Report, *, width: int = 1280, scheme: str = "light") -> Any:
        path.write_text(page(report), "utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        contexts.append(context)
        context.set_default_timeout(LIMIT_MS)
        shown = context.new_page()
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("dialog", lambda dialog: said.append(dialog.message))
        shown.on(
            "request",
            lambda request: (
                None if request.url == path.as_uri() else said.append(request.url)
            ),
        )
        shown.goto(path.as_uri())
        return shown

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def test_large_matrix_is_light_at_load(open_page: Open) -> None:
    """Five implementations, 600 cases: rows are made as they scroll into view."""
    shown = open_page(many(5, 600))
    at_load = shown.evaluate("document.querySelectorAll('*').length")
    rows = shown.locator("#cases tbody tr").count()

    shown.locator("#end").scroll_into_view_if_needed()
    shown.locator("#cases tbody tr").nth(rows).wait_for(state="attached")

    assert at_load <= 5000
    assert rows < 600


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), (800, "dark"), (1280, "light")]
)
def test_page_fits_and_can_be_read(
    open_page: Open, tmp_path: Path, width: int, scheme: str
) -> None:
    """On a telephone, a tablet and a desk; by day and by night."""
    shown = open_page(many(3, 20), width=width, scheme=scheme)
    shown.locator("#cases button").first.click()
    shown.wait_for_selector("dialog[open] svg")

    shown.screenshot(path=tmp_path / "shot.png")

    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate(CONTRAST) == []
    assert (tmp_path / "shot.png").stat().st_size > 5000


def test_page_is_used_by_keyboard_alone(open_page: Open) -> None:
    """Search, go down, open, change the run, close; the focus comes back."""
    shown = open_page(many(2, 40))
    focused = "document.activeElement.textContent"
    keys = shown.keyboard

    keys.press("/")
    keys.type("length-003")
    assert shown.locator("#count").text_content() == "10 of 40 cases"
    for _ in range(3):
        keys.press("Tab")
    first = shown.evaluate(focused)
    keys.press("ArrowDown")
    second = shown.evaluate(focused)
    keys.press("Enter")
    assert shown.locator("#case-id").text_content() == second
    keys.press("Escape")

    assert (first[-4:], second[-4:]) == ("0030", "0031")
    assert shown.locator("dialog[open]").count() == 0
    assert shown.evaluate(focused) == second


def test_filters_find_failures_and_differences(open_page: Open) -> None:
    """What one looks for after a run."""
    report = a_report(a_result("file/a", "failed"), a_result("http/b"))
    for number, run in enumerate(many(1, 1).runs):
        report.add(run, a_result("file/a", "failed" if number else "passed"))
        report.add(run, a_result("http/b"))
    shown = open_page(report)
    found = shown.locator("#cases tbody button")

    shown.select_option("#show", "!differ")
    assert found.all_text_contents() == ["file/a"]
    shown.select_option("#show", "passed")
    shown.select_option("#component", "http")
    assert found.all_text_contents() == ["http/b"]
    shown.select_option("#component", "")
    shown.select_option("#show", "")
    shown.fill("#search", "file-10 b")
    assert found.all_text_contents() == ["http/b"]


def test_case_has_a_timeline_a_curve_and_its_rules(open_page: Open) -> None:
    """Steps above, what was expected and what came below, and where they part."""
    watches = tuple(f"watch at {at} s" for at in (0, 1, 3, 7))
    early = tuple(f"watch at {at} s" for at in (0, 1, 2, 3))
    moment = a_moment(
        done="advance 80s", expected=watches, got=early, got_at_ns=(), parts_at=2
    )
    shown = open_page(a_report(a_result("file/a", "failed", moments=(moment,))))

    shown.locator("#cases tbody button").click()

    pictures = shown.locator("dialog svg")
    assert pictures.count() == 2
    assert "1. advance 80s" in pictures.first.text_content()
    assert pictures.first.locator(".box.bad").count() == 2
    assert pictures.last.locator("polyline").count() == 2
    assert (
        "FILE-10: Names that begin with a dot" in shown.locator("dialog").inner_text()
    )


def test_hostile_report_is_shown_as_text(open_page: Open) -> None:
    """Markup, controls, marks of direction, a megabyte: in every field."""
    shown = open_page(hostile())

    shown.locator("#cases tbody button").click()
    shown.wait_for_selector("dialog[open] svg")

    text = shown.locator("body").inner_text()
    assert shown.title() == "Pod sources: 1 runs, 1 cases"
    assert "</script><script>document.title='taken'</script>" in text
    assert "\\u202egnp.exe" in text
    assert shown.locator("img").count() == 0
    assert shown.locator("script").count() == 3
