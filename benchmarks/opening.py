"""How long the explorer's page of the digits takes to open in Chromium: python benchmarks/opening.py

The page has all radii of the default fit (1,797 images). A fresh tab opens it six times. The time ends with the second frame after the
table of prototypes is there. It needs Playwright and a Chromium, as the browser tests do: pip install -e ".[test]".
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

import protoclass as pc

TURNS = 6
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def seconds_to_open(browser: Browser, file: Path) -> float:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    start = time.perf_counter()
    page.goto(file.as_uri())
    page.wait_for_selector(".protoclass-page table tr")
    page.evaluate(DRAWN)
    seconds = time.perf_counter() - start
    page.close()
    return seconds


def main() -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "digits.html"
        pc.fit("digit ~ .", pc.load_data("digits"), progress=False).explore(save=file)
        with playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser:
            seconds = [seconds_to_open(browser, file) for _ in range(TURNS)]
        print(f"{file.stat().st_size / 1e6:.2f} MB, opens in {min(seconds):.2f} to {max(seconds):.2f} s, median {np.median(seconds):.2f}")


if __name__ == "__main__":
    main()
