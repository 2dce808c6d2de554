"""Screenshots of the explorers for the tour, into docs/: `make shots`. Needs Chromium and playwright (the extra `test`)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import protoclass as pc

DOCS = Path(__file__).resolve().parent
WIDTH, WAIT = 920, 60_000  # pixels of the page; milliseconds after which a page that shows nothing is given up


def digits(folder: Path) -> str:
    """The address of a saved page: prototypes of the digits, one of them selected."""
    fit = pc.fit("digit ~ .", pc.load_data("digits"), dissimilarity=pc.Euclidean(scale=False), eps=41.0, progress=False)
    page = folder / "digits.html"
    fit.explore(save=page, shape=(8, 8))
    return f"{page.as_uri()}#row={fit.prototypes.index[3]}"


SHOTS = {"explore_digits.png": digits}


def main() -> int:
    """Save the pages, open each and take its picture. Returns the exit status."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("there is no Chromium: apt-get install chromium", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for name, saved in SHOTS.items():
            page = chromium.new_page(viewport={"width": WIDTH, "height": 600})
            page.goto(saved(Path(folder)))
            page.locator("canvas").first.wait_for(timeout=WAIT)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            page.screenshot(path=DOCS / name, full_page=True)
            print(DOCS / name)
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
