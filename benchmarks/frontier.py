"""The price of few prototypes, as `Validation.frontier` states it and as it is: python benchmarks/frontier.py

Rows of two classes: pure noise with 5 normal columns (the true error is 0.50), the same with means 1 apart in two of them, and a
mixture of normals in the plane (PVM paper, appendix C). For each size on a list: the point of least cross-validated error among all of
at most this size, its error in the table, that corrected, and the true one of the rule that all rows give, measured on new rows.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd

import protoclass as pc

SIZES = (2, 3, 5, 8, 12, 20, 30)
HEAD = ("truth", "CV", "corrected")


def draw_rows(draw: np.random.Generator, n: int, kind: str) -> pd.DataFrame:
    """Rows with columns a, b, ... and the class y."""
    if kind == "mixture":
        y = draw.integers(0, 2, n)
        centres = np.random.default_rng(9).normal(size=(2, 5, 2)) + np.array([[[0.6, 0.0]], [[0.0, 0.6]]])
        X = centres[y, draw.integers(0, 5, n)] + 0.45 * draw.normal(size=(n, 2))
    else:
        y = np.arange(n) % 2
        X = draw.normal(size=(n, 5)) + (kind == "shifted") * np.outer(y, [1, 1, 0, 0, 0])
    return pd.DataFrame(X, columns=list("abcde")[: X.shape[1]]).assign(y=np.where(y, "u", "v"))


def measure(kind: str, method: str, rows: int, seed: int, new_rows: int = 5000) -> np.ndarray:
    """True, cross-validated and corrected error at each of the sizes, (sizes, 3)."""
    draw = np.random.default_rng([seed, rows])
    data, new = draw_rows(draw, rows, kind), draw_rows(draw, new_rows, kind)
    v = pc.cross_validate("y ~ .", data, method, seed=seed, progress=False, max_prototypes=max(SIZES))
    frontier, out = v.frontier(), []
    for size in SIZES:
        row = frontier[frontier["size"] <= size].iloc[-1]
        values = {name: row[name] for name in v.grid}
        truth = 0.5 if kind == "noise" else pc.fit("y ~ .", data, method, **values).test(new).error
        out.append((truth, row["error"], row["corrected"]))
    return np.array(out)


def main(replicates: int, rows: int, methods: list[str]) -> None:
    for kind in ("noise", "shifted", "mixture"):
        for method in methods:
            start = time.perf_counter()
            found = np.array([measure(kind, method, rows, seed) for seed in range(replicates)])
            mean, se = found.mean(axis=0), (found[:, :, 2] - found[:, :, 0]).std(axis=0) / np.sqrt(replicates)
            print(f"{kind}, {method}, {rows} rows, {replicates} replicates, {time.perf_counter() - start:.0f} s")
            for k, size in enumerate(SIZES):
                told = ", ".join(f"{name} {value:.3f}" for name, value in zip(HEAD, mean[k], strict=True))
                print(f"  at most {size:2d}: {told}; corrected less true {mean[k, 2] - mean[k, 0]:+.3f} (se {se[k]:.3f})", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=60)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("methods", nargs="*", default=["pvm", "kmedoids"])
    options = parser.parse_args()
    main(options.replicates, options.rows, options.methods)
