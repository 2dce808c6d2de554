"""Screenshots of the explorers for the tour, into docs/: `make shots`. Needs Chromium, and what the extra `test` installs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import protoclass as pc
from protoclass.widgets.curve import CurveExplorer

DOCS = Path(__file__).resolve().parent
sys.path.append(str(DOCS.parent / "tests" / "widgets"))
from mounting import mount  # noqa: E402

WIDTH, WAIT = 1100, 300_000  # pixels of the page; milliseconds after which a page that shows nothing is given up


def digits(page: Any) -> None:
    """A saved page: prototypes of the digits, one of them selected."""
    fit = pc.fit("digit ~ .", pc.load_data("digits"), dissimilarity=pc.Euclidean(scale=False), eps=41.0, progress=False)
    with TemporaryDirectory() as folder:
        saved = Path(folder) / "digits.html"
        fit.explore(save=saved, shape=(8, 8))
        page.goto(f"{saved.as_uri()}#row={fit.prototypes.index[3]}")
        take(page, page.locator("main"), "explore_digits.png")


def curve(page: Any) -> None:
    """The error curve as in a notebook, with Python behind it."""
    fit = pc.fit("species ~ .", pc.load_data("iris"), progress=False)
    mount(page, CurveExplorer(fit.validation))
    page.locator(".protoclass-panel table").first.wait_for()
    take(page, page.locator(".protoclass-page"), "explore_curve.png")


def take(page: Any, what: Any, name: str) -> None:
    """The picture of a part of a page, once the browser has drawn it."""
    what.locator("canvas, svg").first.wait_for()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    what.screenshot(path=DOCS / name)
    print(DOCS / name)


def main() -> int:
    """Open each page and take its picture. Returns the exit status."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("there is no Chromium: apt-get install chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for shot in (digits, curve):
            page = chromium.new_page(viewport={"width": WIDTH, "height": 900})
            page.set_default_timeout(WAIT)
            shot(page)
            page.close()
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
