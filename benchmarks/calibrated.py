"""Are calibrated probabilities true: python benchmarks/calibrated.py [--quick] [--runs 16] [--new 400].

Each run draws training rows of two classes from a world, fits a method, calibrates it with its own rows, and predicts further
rows. The worlds differ in kind: two normal classes of equal or unequal spread, rows of which one half is separable and the other
noise, a rare class (8 %), noise, and 60 rows with a given radius or a tuned one.

The table has for each world and way (`method=` of `Fit.calibrate`) the mean log loss and Brier score, the gap (the mean absolute
difference between the mean probability and the proportion of the class, over ten bins), how often "auto" selected isotonic, how often the
prediction sets of level 0.9 contain the class, and said -> true: the mean probability and the proportion of the class among the rows
whose probability is in one of five bins, if it has at least 1 % of the rows.
"""

import argparse
import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd

import protoclass as pc
from protoclass.core.statistics.scores import LEARN, brier, fit_selected, log_loss
from protoclass.estimation.calibration import parts_of

METRIC = pc.Euclidean(scale=False)
WAYS = ("auto", *LEARN)


def apart(draw, n, gap=1.5, proportion=0.5):
    y = draw.permutation(n) < round(proportion * n)
    return draw.normal(size=(n, 2)) + gap * y[:, None], y


def noise(draw, n):
    return apart(draw, n, 0.0)


def unequal_spread(draw, n):
    y = np.arange(n) % 2 == 0
    return draw.normal(size=(n, 2)) * np.where(y, 1.0, 3.0)[:, None], y


def half_separable(draw, n):
    y, side = np.arange(n) % 2 == 0, draw.random(n) < 0.5
    return np.column_stack([draw.normal(size=n) + 8 * side, draw.normal(size=n) + 6 * y * side]), y


def rare(draw, n):
    return apart(draw, n, proportion=0.08)


WORLDS = {
    "equal spread, n = 150, pvm tuned": (apart, 150, {}),
    "equal spread, n = 60, pvm tuned": (apart, 60, {}),
    "equal spread, n = 60, pvm eps=0.8": (apart, 60, {"eps": 0.8}),
    "unequal spread, n = 150, pvm tuned": (unequal_spread, 150, {}),
    "unequal spread, n = 300, 7-NN": (unequal_spread, 300, {"method": "knn", "k": 7}),
    "half separable, half noise, n = 600, 7-NN": (half_separable, 600, {"method": "knn", "k": 7}),
    "half separable, half noise, n = 200, 7-NN": (half_separable, 200, {"method": "knn", "k": 7}),
    "rare class (8 %), n = 400, pvm tuned": (rare, 400, {}),
    "noise, n = 60, pvm tuned": (noise, 60, {}),
    "noise, n = 60, pvm eps=0.8": (noise, 60, {"eps": 0.8}),
}


def table_of(draw, world, n):
    X, y = world(draw, n)
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(y, "yes", "no"))


def run_once(world, n, arguments, seed, count):
    """By way: probabilities (count, 2) of new rows; their classes, whether sets contain these, and whether isotonic was selected."""
    draw = np.random.default_rng([seed, n])
    train, new = table_of(draw, world, n), table_of(draw, world, count)
    calibrate = {"method": "multinomial"}
    fit = pc.fit("y ~ .", train, **arguments, dissimilarity=METRIC, seed=seed, calibrate=calibrate, progress=False)
    c = fit._calibration
    given = (c.scores, c.conformal.y, c.conformal.w)
    chances = {how: learn(*given) for how, learn in LEARN.items()}
    chances["auto"] = fit_selected(*given, parts_of(given[1], c.conformal.fold, int(np.bincount(given[1]).min())))
    p = {how: replace(fit, _calibration=replace(c, chances=chances[how])).predict(new, "prob").to_numpy() for how in WAYS}
    held = [t in s for t, s in zip(new["y"], fit.predict(new, "set", level=0.9), strict=True)]
    return p, (new["y"] == "yes").to_numpy().astype(int), held, chances["auto"].name == "isotonic"


def bins_of(p, y, count):
    """Mean probability, proportion of the class and rows of each bin that has rows, (3, bins)."""
    place = np.minimum((p * count).astype(int), count - 1)
    rows = np.bincount(place, minlength=count)
    sums = np.bincount(place, p, count), np.bincount(place, y, count)
    return np.array([*(s[rows > 0] / rows[rows > 0] for s in sums), rows[rows > 0]])


def main(runs, count):
    for name, (world, n, arguments) in WORLDS.items():
        start = time.process_time()
        found = [run_once(world, n, arguments, seed, count) for seed in range(runs)]
        y = np.concatenate([f[1] for f in found])
        picked, covered = np.mean([f[3] for f in found]), np.mean(np.concatenate([f[2] for f in found]))
        print(f"{name}: {runs} runs, isotonic selected in {picked:.2f}, sets cover {covered:.3f}, {time.process_time() - start:.0f} s")
        for how in WAYS:
            p = np.concatenate([f[0][how] for f in found])
            said, true, rows = bins_of(p[:, 1], y, 10)
            gap = float(rows @ np.abs(said - true) / rows.sum())
            shown = [f"{s:.2f} -> {t:.2f}" for s, t, r in bins_of(p[:, 1], y, 5).T if r >= 0.01 * len(y)]
            scores = f"log loss {log_loss(p, y).mean():.3f}, Brier {brier(p, y).mean():.3f}, gap {gap:.3f}"
            print(f"  {how:11} {scores}; {', '.join(shown)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three runs of each world")
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--new", type=int, default=400)
    options = parser.parse_args()
    warnings.simplefilter("ignore", pc.DataWarning)
    main(3 if options.quick else options.runs, options.new)
