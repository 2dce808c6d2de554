"""Milliseconds of the page's own work for one frame of a map: `timed(page)` on a page that a fit was saved as.

What is counted is the processor time of the page's thread for a move of the pointer or of a slider and the drawing that it asks
for: neither the clock of frames nor other work of the machine. Run as a script it prints the table for the 7,291 digits of USPS.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import protoclass as pc

# The sliders are moved as users do, by their events. What they ask for is drawn when the next frame begins: the page's
# requestAnimationFrame is put off and what waits is run at once, inside the measured time.
PREPARE = """() => {
  const map = document.querySelector(".protoclass-map").explorer;
  const size = document.querySelector("input[type=range]");
  const { page } = map;
  const waiting = new Map(), { left, top, width, height } = map.frame.box;
  let asked = 0;
  const place = (k) => [left + width * ((k * 0.618) % 1), top + height * ((k * 0.414) % 1)];
  window.requestAnimationFrame = (work) => waiting.set(++asked, work) && asked;
  window.cancelAnimationFrame = (one) => waiting.delete(one);
  function set(input, value) {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  }
  const moves = {
    nothing: () => {},
    sums: () => {
      let sum = 0;
      for (let k = 0; k < 1e7; k++) sum += k * 0.5;
      return sum;
    },
    radius: (k) => page.radius(page.stages[k % page.stages.length]),
    size: (k) => set(size, Math.round(size.max * ((k * 0.618) % 1))),
    hover: (k) => map.move(...place(k)),
    zoom: (k) => {
      map.frame.zoomAt(k % 2 ? 1 / 1.3 : 1.3, ...place(k));
      map.draw();
    },
  };
  window.moveOnce = (kind, k) => {
    moves[kind](k);
    const due = [...waiting.values()];
    waiting.clear();
    due.forEach((work) => work());
  };
}"""
KINDS = ("nothing", "sums", "radius", "size", "hover", "zoom")


def timed(page, moves=40):
    """Median and 95th percentile over the moves, in milliseconds, of the work for a frame of each kind.

    "sums" is a loop of ten million of them, by which machines can be compared: about 10 ms on one of 2020.
    """
    page.evaluate(PREPARE)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def used():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(one["value"] for one in metrics if one["name"] == "ThreadTime")

    found = {kind: [] for kind in KINDS}
    for kind in KINDS:
        for k in range(2 * moves):
            before = used()
            session.send("Runtime.evaluate", {"expression": f"moveOnce({kind!r}, {k})"})
            found[kind].append(used() - before)
    asking = np.median(found.pop("nothing"))
    late = {kind: np.quantile(values[moves:], [0.5, 0.95]) - asking for kind, values in found.items()}  # once all is compiled
    return pd.DataFrame(late, index=["median", "95 %"]).T.round(1)


def save_usps(path):
    """The digits of USPS as a page, of balls of three radii."""
    images = pc.fetch_data("usps")
    images = images[images.pop("split") == "train"]
    fit = pc.fit("digit ~ .", images, eps=12.0, dissimilarity=pc.Euclidean(scale=False), progress=False)
    return fit.explore(radii=[11.0, 12.0, 13.0], save=path)


def main(path):
    import shutil

    from conftest import QUIET
    from playwright.sync_api import sync_playwright

    if not Path(path).exists():
        save_usps(path)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        page.goto(Path(path).absolute().as_uri())
        page.locator(".protoclass-map[data-drawn]").wait_for(timeout=300_000)
        print(timed(page).to_string())
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
