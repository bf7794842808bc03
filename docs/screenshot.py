"""Make the README's picture of the inspector: `python docs/screenshot.py`.

A real run with the practice model, shown as a saved notebook shows it, in a real browser. Needs the
extra `test` and a Chromium on the path.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from course_pkg import Recorder, run, toolbox
from course_pkg.widgets.inspector import bundle

PICTURE = Path(__file__).parent / "inspector.png"
QUESTION = "What is the weather in Beijing, and what is 12 * 7?"
WIDTH_PX, HEIGHT_PX = 1060, 900

#: Which row stands open in the picture: the request that brings the results back.
OPEN_ROW = 7


async def recorded() -> Recorder:
    """One run, recorded."""
    with Recorder() as recorder:
        await run(QUESTION, toolbox("get_weather", "calculate"))
    return recorder


def main() -> int:
    """Write the picture."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if chromium is None:
        print("No Chromium was found on the path. Install one, and try again.", file=sys.stderr)
        return 1
    page_text = bundle(asyncio.run(recorded()), script=True)["text/html"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(f"<!doctype html><meta charset=utf-8>{page_text}", encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH_PX, "height": HEIGHT_PX})
        page.goto(file.as_uri())
        page.locator(".rows > li > details > summary").nth(OPEN_ROW - 1).click()
        page.locator(".tci").screenshot(path=PICTURE)
        browser.close()
    print(f"{PICTURE.name} is written.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
