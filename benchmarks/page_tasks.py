"""
The longest task of the page's main thread at load, beside that of an empty page.

    python benchmarks/page_tasks.py [most_ms]

Measured in the processor's time of the thread (``tdur`` of Chromium's trace), so that
other processes count little. 5 implementations, 600 cases; the best of three loads.
Exit code 1 if the page's longest task exceeds the empty page's by more than *most_ms*
(50, what browsers call a long task).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

EMPTY = "<!DOCTYPE html><title>empty</title>"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(most_ms: float) -> int:
    """
    Print both figures; return 0 if the page keeps within *most_ms*.
    """
    from pytest_podsource.report.page import page  # noqa: PLC0415
    from tests.report.samples import many  # noqa: PLC0415

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        longest = {}
        for name, text in (("empty", EMPTY), ("page", page(many(5, 600)))):
            file = Path(folder, f"{name}.html")
            file.write_text(text, "utf-8")
            longest[name] = min(_longest_ms(browser, file) for _ in range(3))
        browser.close()
    print(", ".join(f"{name}: {ms:.1f} ms" for name, ms in longest.items()))
    return int(longest["page"] - longest["empty"] > most_ms)


def _longest_ms(browser: Any, file: Path) -> float:
    shown = browser.new_page()
    browser.start_tracing(page=shown, categories=["toplevel", "devtools.timeline"])
    shown.goto(file.as_uri())
    shown.evaluate("() => new Promise((done) => requestIdleCallback(done))")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    shown.close()
    threads = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name"
        and event["args"].get("name") == "CrRendererMain"
    }
    return max(
        event.get("tdur", 0) / 1000
        for event in events
        if event["name"].endswith("RunTask") and (event["pid"], event["tid"]) in threads
    )


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 50))
