"""Coverage of the intervals of thresholds, tests and cross-validated curves: python benchmarks/inference.py threshold | ...

Each subject draws samples with a fixed seed, and prints how often a 95 % interval contains the truth.

threshold : sensitivity and specificity of `Fit.threshold` against those of the chosen cut on 20,000 new rows. Two classes, 30 % ill, two
    normal columns with means 1.2 and 0.6 apart; "pvm" at radius 1 and 15-NN, calibrated with their own rows in ten folds or
    with as many other rows; a cut of least error, of least balanced error, or with a sensitivity of at least 0.9.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

import protoclass as pc
from protoclass.core.intervals import wilson

METHODS = {"15-NN": {"method": "knn", "k": 15}, "pvm": {"method": "pvm", "eps": 1.0}}
CUTS = {"error": {}, "balanced": {"measure": "balanced"}, "sensitivity 0.9": {"sensitivity": 0.9}}


def draw_rows(draw: np.random.Generator, n: int, share: float = 0.3) -> pd.DataFrame:
    y = draw.random(n) < share
    X = draw.normal(size=(n, 2)) + np.outer(y, [1.2, 0.6])
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(y, "ill", "well"))


def covers(low: float, high: float, truth: float) -> bool:
    return bool(low <= truth <= high)


def threshold(replicates: int) -> None:
    new = draw_rows(np.random.default_rng(99), 20_000)
    ill = (new["y"] == "ill").to_numpy()
    for name, method in METHODS.items():
        for own, n in ((True, 100), (True, 400), (False, 100), (False, 400)):
            held: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
            for seed in range(replicates):
                draw = np.random.default_rng(seed)
                fit = pc.fit("y ~ .", draw_rows(draw, n), cv=None, progress=False, **method)
                fit = fit.calibrate(cv=10) if own else fit.calibrate(draw_rows(draw, n))
                p, rows = fit.predict(new, "prob")["ill"].to_numpy(), np.bincount(fit.calibration.conformal.y)
                for rule, arguments in CUTS.items():
                    cut = fit.threshold("ill", **arguments)
                    said = p >= cut.cut
                    truths = {"sensitivity": said[ill].mean(), "specificity": 1 - said[~ill].mean()}
                    for (what, truth), count in zip(truths.items(), rows, strict=True):
                        found = getattr(cut, what)
                        pair = covers(*wilson(found.value, count), truth), covers(found.low, found.high, truth)
                        held.setdefault((rule, what), []).append(pair)
            whose = "own rows" if own else "other rows"
            for (rule, what), pairs in held.items():
                before, after = np.mean(pairs, axis=0)
                print(f"{name}, {n} {whose}, {rule}: {what} covered by Wilson's {before:.3f}, by the interval {after:.3f}", flush=True)


SUBJECTS = {"threshold": threshold}


def main(subject: str, replicates: int) -> None:
    start = time.perf_counter()
    warnings.simplefilter("ignore", pc.DataWarning)
    SUBJECTS[subject](replicates)
    print(f"{replicates} replicates, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subject", choices=list(SUBJECTS))
    parser.add_argument("--replicates", type=int, default=120)
    options = parser.parse_args()
    main(options.subject, options.replicates)
