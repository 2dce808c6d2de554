"""The cross-validated error of a tuned rule and its corrections: python benchmarks/tuned_error.py [methods] | --worlds

40 rows with 5 normal columns, 20 of each class: pure noise (the true error is 0.50), and with means 1 apart in two columns (there
the true error is measured on 1000 new rows). For the least error and the 1-SE choice: the true error of the fit, the error in
the table, this with the correction of Tibshirani and Tibshirani (2009), and `Validation.corrected`; and how often
`Validation.corrected` contains the true error.

With --worlds, samples of the worlds in `WORLDS`, where the choice is that of the call: the true error of the fit on 4000 new rows
(0.5 on noise), the corrected error, and for its interval the coverage, the mean width and the proportion of width 0.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import protoclass as pc

HEAD = ("truth", "CV", "Tibshirani", "corrected")
ONE = {"dissimilarity": "euclidean", "repeats": 1}
COSTS = pd.DataFrame([[0.0, 1.0], [5.0, 0.0]], list("uv"), list("uv"))


def draw_rows(draw: np.random.Generator, n: int, shift: float) -> pd.DataFrame:
    y = np.arange(n) % 2
    X = draw.normal(size=(n, 5)) + shift * np.outer(y, [1, 1, 0, 0, 0])
    return pd.DataFrame(X, columns=list("abcde")).assign(y=np.where(y, "u", "v"))


def noise(draw: np.random.Generator, n: int) -> pd.DataFrame:
    return draw_rows(draw, n, 0.0)


def equal_spread(draw: np.random.Generator, n: int) -> pd.DataFrame:
    return draw_rows(draw, n, 1.0)


def three_separated(draw: np.random.Generator, n: int) -> pd.DataFrame:
    y = np.arange(n) % 3
    X = draw.normal(size=(n, 2)) + 5 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.array(list("uvw"))[y])


def unequal_spread(draw: np.random.Generator, n: int) -> pd.DataFrame:
    y = np.arange(n) % 2
    return pd.DataFrame(draw.normal(size=(n, 2)) * np.where(y, 1.0, 3.0)[:, None], columns=["a", "b"]).assign(y=np.where(y, "u", "v"))


def rare_class(draw: np.random.Generator, n: int) -> pd.DataFrame:
    y = np.arange(n) % 20 == 0
    return pd.DataFrame(draw.normal(size=(n, 2)) + 4 * y[:, None], columns=["a", "b"]).assign(y=np.where(y, "u", "v"))


def rare_overlapping(draw: np.random.Generator, n: int) -> pd.DataFrame:
    y = np.where(np.arange(n) % 20 == 0, 2, np.arange(n) % 2)
    X = draw.normal(size=(n, 2)) + 2.5 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.array(list("uvw"))[y])


def a_column_that_splits(draw: np.random.Generator, n: int) -> pd.DataFrame:
    y, side = np.arange(n) % 2, draw.random(n) < 0.5  # one half is separable, the other is noise
    X = np.column_stack([draw.normal(size=n) + 8 * side, draw.normal(size=n) + 6 * y * side])
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(y, "u", "v"))


World = Callable[[np.random.Generator, int], pd.DataFrame]
WORLDS: list[tuple[World, int, dict[str, Any]]] = [
    (three_separated, 60, {}), (three_separated, 30, {"method": "knn"}), (noise, 40, {"max_prototypes": 6}),
    (noise, 40, {"tolerance": 0.02}), (noise, 40, {"method": "scm"}), (rare_class, 200, {"measure": "balanced", **ONE}),
    (rare_class, 100, {"measure": "balanced", "method": "knn"}), (rare_overlapping, 200, {"measure": "balanced", "method": "knn"}),
    (unequal_spread, 60, {}), (a_column_that_splits, 100, {"method": "knn"}), (equal_spread, 40, {"max_prototypes": 4}),
    (equal_spread, 60, {"measure": COSTS}),
]  # fmt: skip


def covered(draw_world: World, n: int, arguments: dict[str, Any], replicates: int) -> str:
    """Coverage and width of the interval in samples of a world."""
    found = []
    for seed in range(replicates):
        draw = np.random.default_rng(seed)
        data = draw_world(draw, n)
        fit = pc.fit("y ~ .", data, **arguments, seed=seed, progress=False)
        measure = arguments.get("measure", "error")
        new = draw_world(draw, 4000)
        test = fit.test(new, loss=measure if isinstance(measure, pd.DataFrame) else None)
        truth = test.error if isinstance(measure, str) else float(test.glance()["loss"].iloc[0])
        truth = 1 - test.glance()["balanced_accuracy"].iloc[0] if isinstance(measure, str) and measure == "balanced" else truth
        truth = 0.5 if draw_world is noise else truth
        found = fit.validation.corrected()
        corrected, low, high = found.value, found.low, found.high
        found.append((truth, corrected, low <= truth <= high, high - low, high - low < 1e-9))
    truth, corrected, holds, width, empty = np.mean(found, axis=0)
    return f"truth {truth:.3f}, corrected {corrected:.3f}, covered {holds:.2f}, width {width:.3f}, empty {empty:.2f}"


def measure(method: str, shift: float, seed: int) -> np.ndarray:
    """The four errors at both choices, and whether the interval contains the true one, (2, 5)."""
    draw = np.random.default_rng(seed)
    data, new = draw_rows(draw, 40, shift), draw_rows(draw, 1000, shift)
    v = pc.cross_validate("y ~ .", data, method, seed=seed, progress=False)
    folds = v.fold_errors.to_numpy()
    bias = float(
        (folds[:, v.selected("min").name] - folds.min(axis=1)).mean()
    )  # of the least error; the 1-SE choice is no minimum of a fold
    out = []
    for choose in ("min", "1se"):
        point = v.selected(choose).name
        truth = v.fit_at(point).test(new).error if shift else 0.5
        error = float(v.table["error"].iloc[point])
        found = v.corrected(choose)
        out.append((truth, error, error + bias, found.value, found.low <= truth <= found.high))
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


def worlds(replicates: int) -> None:
    for draw_world, n, arguments in WORLDS:
        told = ", ".join(f"{name}={'costs' if isinstance(v, pd.DataFrame) else v}" for name, v in arguments.items()) or "defaults"
        print(f"{draw_world.__name__.replace('_', ' ')}, {n} rows, {told}: {covered(draw_world, n, arguments, replicates)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=60)
    parser.add_argument("--worlds", action="store_true", help="coverage of the interval in several worlds")
    parser.add_argument("methods", nargs="*", default=["knn", "pvm", "scm"])
    options = parser.parse_args()
    warnings.simplefilter("ignore", pc.DataWarning)
    if options.worlds:
        worlds(options.replicates)
    else:
        main(options.replicates, options.methods)
