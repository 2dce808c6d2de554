"""Screenshot of the explorer for docs/tour.md: `make shots`. Needs Chromium."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import protoclass as pc

DOCS = Path(__file__).resolve().parent
WIDTH, WAIT = 1100, 300_000  # pixels of the page; milliseconds after which a page that shows nothing is given up


def digits(page: Any) -> None:
    """A saved page: a 5 that is misclassified as a 9."""
    data = pc.load_data("digits").groupby("digit", observed=True).head(60)
    fit = pc.fit("digit ~ .", data, dissimilarity=pc.Euclidean(scale=False), eps=30.9, progress=False)
    with TemporaryDirectory() as folder:
        saved = Path(folder) / "digits.html"
        fit.explore(save=saved, shape=(8, 8))
        page.goto(f"{saved.as_uri()}#row=5")
        take(page, page.locator("main"), "explore_digits.png")


def take(page: Any, what: Any, name: str) -> None:
    """The picture of a part of a page, once the browser has drawn it."""
    what.locator("canvas, svg").first.wait_for()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    what.screenshot(path=DOCS / name)
    print(DOCS / name)


def main() -> int:
    """Open the page and take its picture. Returns the exit status."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("there is no Chromium: apt-get install chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport={"width": WIDTH, "height": 900})
        page.set_default_timeout(WAIT)
        digits(page)
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
