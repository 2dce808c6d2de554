"""Milliseconds of the page's own work for one frame of a map: `timed(page)` on a page that a fit was saved as.

What is counted is the work between two frames, not the clock of frames: drawing, and what a move of the pointer or of a slider
starts. Run as a script it prints the table for the 7,291 digits of USPS.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import protoclass as pc

# The sliders are moved as users do, by their events. What they ask for is drawn when the next frame begins: the page's
# requestAnimationFrame is put off for the while and what waits is run at once, inside the measured time. Of each move the least
# of some rounds is taken, as other work of the machine only adds to it.
MEASURE = """([moves, rounds]) => {
  const map = document.querySelector(".protoclass-map").explorer, [eps, size] = document.querySelectorAll("input[type=range]");
  const real = window.requestAnimationFrame, waiting = [], out = {};
  window.requestAnimationFrame = (work) => waiting.push(work);
  const finish = () => waiting.splice(0).forEach((work) => work());
  function time(name, moves) {
    out[name] ||= moves.map(() => Infinity);
    moves.forEach((move, k) => {
      const start = performance.now();
      move();
      finish();
      out[name][k] = Math.min(out[name][k], performance.now() - start);
    });
  }
  const set = (input, value) => () => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  const each = [...Array(moves).keys()], { left, top, width, height } = map.frame.box;
  const places = each.map((k) => [left + width * ((k * 0.618) % 1), top + height * ((k * 0.414) % 1)]);
  const add = () => {
    let sum = 0;
    for (let k = 0; k < 1e6; k++) sum += k * 0.5;
    return sum;
  };
  for (let round = 0; round < rounds; round++) {
    time("a million sums", each.map(() => add));
    time("radius", each.map((k) => set(eps, k % (Number(eps.max) + 1))));
    time("size", each.map((k) => set(size, Math.round(size.max * ((k * 0.618) % 1)))));
    set(size, size.max)();
    finish();
    time("hover", places.map(([x, y]) => () => map.move(x, y)));
    map.hover(-1);
    time("zoom", places.map(([x, y], k) => () => {
      map.frame.zoomAt(k % 2 ? 1 / 1.3 : 1.3, x, y);
      map.draw();
    }));
    map.showAll();
    finish();
  }
  window.requestAnimationFrame = real;
  return out;
}"""


def timed(page, moves=40, rounds=5):
    """Median and 95th percentile over the moves, in milliseconds, of the work for a frame of each kind.

    "a million sums" is a loop of them, by which machines can be compared: about 1 ms where nothing else runs.
    """
    found = page.evaluate(MEASURE, [moves, rounds])
    quantiles = {kind: np.quantile(values, [0.5, 0.95]) for kind, values in found.items()}
    return pd.DataFrame(quantiles, index=["median", "95 %"]).T.round(2)


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
