"""The cross-validated error of a tuned rule and its corrections: python benchmarks/tuned_error.py

40 rows with 5 normal columns, 20 of each class: pure noise (the true error is 0.50), and with means 1 apart in two columns (there
the true error is measured on 1000 new rows). For the least error and the 1-SE choice: the true error of the fit, the error in
the table, this with the correction of Tibshirani and Tibshirani (2009), and `Validation.corrected`; and how often
`Validation.corrected_interval` contains the true error.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd

import protoclass as pc

HEAD = ("truth", "CV", "Tibshirani", "corrected")


def draw_rows(draw: np.random.Generator, n: int, shift: float) -> pd.DataFrame:
    y = np.arange(n) % 2
    X = draw.normal(size=(n, 5)) + shift * np.outer(y, [1, 1, 0, 0, 0])
    return pd.DataFrame(X, columns=list("abcde")).assign(y=np.where(y, "u", "v"))


def measure(method: str, shift: float, seed: int) -> np.ndarray:
    """The four errors at both choices, and whether the interval contains the true one, (2, 5)."""
    draw = np.random.default_rng(seed)
    data, new = draw_rows(draw, 40, shift), draw_rows(draw, 1000, shift)
    v = pc.cross_validate("y ~ .", data, method, seed=seed, progress=False)
    folds = v.fold_errors.to_numpy()
    bias = float(
        (folds[:, v.best] - folds.min(axis=1)).mean()
    )  # of the least error; the 1-SE choice is no minimum of a fold
    out = []
    for choose in ("min", "1se"):
        point = v.chosen(choose)
        truth = v.fit_at(point).test(new).error if shift else 0.5
        error = float(v.table["error"].iloc[point])
        low, high = v.corrected_interval(choose)
        out.append((truth, error, error + bias, v.corrected(choose), low <= truth <= high))
    return np.array(out)


def main(replicates: int, methods: list[str]) -> None:
    for shift in (0.0, 1.0):
        for method in methods:
            start = time.perf_counter()
            found = np.array([measure(method, shift, seed) for seed in range(replicates)])
            for k, choice in enumerate(("least", "1-SE")):
                mean, spread = found[:, k].mean(axis=0), found[:, k].std(axis=0)
                told = ", ".join(f"{n} {m:.3f} (sd {s:.2f})" for n, m, s in zip(HEAD, mean, spread, strict=False))
                print(f"means {shift:g} apart, {method}, {choice}: {told}, covered {mean[4]:.2f}", flush=True)
            print(f"  {replicates} replicates, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=60)
    parser.add_argument("methods", nargs="*", default=["knn", "pvm", "scm"])
    options = parser.parse_args()
    main(options.replicates, options.methods)
