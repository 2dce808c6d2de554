"""Level of `Fit.test` against no information, and how often votes are right: python benchmarks/new_rows.py

The level: rules without information are tested on 60 new rows of two classes that are equally likely. The rules name either class
at random. "estimated" is the binomial test that takes the share of the most common class in the same rows as if it were known.

The votes: k-NN learns from 60 rows of two classes with two normal columns, whose means lie 1 standard deviation apart in each.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from scipy.stats import binom

import protoclass as pc
from protoclass.analysis.groups import signs

ROWS, NEW = 60, 1000


def levels(replicates: int) -> None:
    """Share of replicates in which each test rejects at 5 %."""
    draw = np.random.default_rng(0)
    rejected = dict.fromkeys(("exact sign test", "sign test with weights", "estimated"), 0)
    for _ in range(replicates):
        y, says, w = draw.random(ROWS) < 0.5, draw.random(ROWS) < 0.5, draw.exponential(size=ROWS)
        wrong = says != y
        lost, won = wrong & y, ~wrong & ~y  # the constant rule names True
        rejected["exact sign test"] += signs(np.ones(lost.sum()), np.ones(won.sum()))[0] < 0.05
        rejected["sign test with weights"] += signs(w[lost], w[won])[0] < 0.05
        rejected["estimated"] += binom.cdf(wrong.sum(), ROWS, min(y.mean(), 1 - y.mean())) < 0.05
    for name, count in rejected.items():
        print(f"{name:24} rejects {count / replicates:.4f} of {replicates}")


def draw_rows(draw: np.random.Generator, n: int) -> pd.DataFrame:
    y = np.arange(n) % 2
    return pd.DataFrame(draw.normal(size=(n, 2)) + y[:, None], columns=["a", "b"]).assign(y=np.where(y, "u", "v"))


def votes(replicates: int) -> None:
    """How often k-NN is right, by the share of the votes that the class it names has."""
    draw = np.random.default_rng(1)
    for k in (1, 5, 15):
        said = []
        for _ in range(replicates):
            fit, new = pc.fit("y ~ .", draw_rows(draw, ROWS), "knn", k=k), draw_rows(draw, NEW)
            right = fit.predict(new).astype(object) == new["y"]
            said.append(pd.DataFrame({"votes": fit.predict(new, "prob").max(axis=1).round(2), "right": right}))
        table = pd.concat(said).groupby("votes")["right"].agg(["mean", "size"])
        told = ", ".join(f"{v:.2f}: {row['mean']:.2f} of {row['size']:.0f}" for v, row in table.iterrows())
        print(f"{k}-NN, share of the votes: right in {told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--replicates", type=int, default=20000, help="of the level; the votes take a hundredth of them"
    )
    options = parser.parse_args()
    levels(options.replicates)
    votes(max(1, options.replicates // 100))
