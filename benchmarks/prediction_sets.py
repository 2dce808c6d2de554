"""How often prediction sets hold the true class: python benchmarks/prediction_sets.py [--runs 2000] [--level 0.9].

Each run draws training, calibration and new rows of two Gaussians anew. "given": the calibration rows chose nothing, and at
least the level is promised within each class. "folds": the fit's own rows, fold by fold; about 1 - 2 (1 - level) is promised. "tuned":
the same, with a radius that is tuned again without each fold.
"""

import argparse

import numpy as np
import pandas as pd

import protoclass as pc

METRIC = pc.Euclidean(scale=False)


def draw(n, random):
    y = random.random(n) < 0.3
    X = random.normal(size=(n, 2)) + 1.5 * y[:, None]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(y, "ill", "well"))


def fits(train, calibration):
    """A calibrated fit of each kind."""
    fixed = pc.fit("y ~ .", train, dissimilarity=METRIC, eps=0.8)
    yield "given", fixed.calibrate(calibration)
    yield "folds", fixed.calibrate()
    yield "tuned", pc.fit("y ~ .", train, dissimilarity=METRIC, calibrate=True)


def main(runs, level):
    rows = []
    for run in range(runs):
        random = np.random.default_rng(run)
        train, calibration, new = draw(100, random), draw(100, random), draw(100, random)
        for kind, fit in fits(train, calibration):
            sets = fit.predict(new, "set", level=level)
            held = pd.Series([t in s for t, s in zip(new.y, sets, strict=True)])
            p = fit.predict(new, "prob")["ill"].to_numpy()
            brier = float(np.mean((p - (new.y == "ill")) ** 2))
            for c in ("ill", "well"):
                own = (new.y == c).to_numpy()
                rows.append(
                    {
                        "calibration": kind,
                        "class": c,
                        "held": held[own].mean(),
                        "size": sets[own].map(len).mean(),
                        "brier": brier,
                    }
                )
    table = (
        pd.DataFrame(rows)
        .groupby(["calibration", "class"])
        .agg(
            held=("held", "mean"),
            se=("held", lambda v: v.std() / np.sqrt(v.count())),
            size=("size", "mean"),
            brier=("brier", "mean"),
        )
    )
    print(f"level {level}, {runs} runs")
    print(table.round(4).to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--level", type=float, default=0.9)
    given = parser.parse_args()
    main(given.runs, given.level)
