"""Made data of any size for the benchmarks: classes with spread, and the radius of balls that hold so many rows."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data"))
from simulate import clinic as clinic
from simulate import mixture as mixture

CLASSES, MEANS, DIMENSIONS = 10, 10, 10
BLOCK = 10_000  # rows drawn at a time


def made(n: int, p: int, seed: int = 0) -> pd.DataFrame:
    """n rows of p predictors and their class.

    Two columns are the three mixtures of the PVM paper (appendix C). More columns have ten classes of ten Gaussians each in
    ten dimensions (centres from N(0, I), means from N(centre, I), rows from N(mean, I / 2)), laid into p columns by an
    orthonormal map, with noise that adds a tenth to the variance. At 784 columns they are in single precision: the shape and
    size of MNIST, and about as easy to tell apart (1-NN errs in some percent of the rows).
    """
    if p == 2:
        points = mixture(n, seed=seed).rename(columns={"class": "y"})  # sorted by class
        return points.sample(frac=1, random_state=seed).reset_index(drop=True)
    draw = np.random.default_rng(seed)
    d = min(DIMENSIONS, p)
    means = draw.normal(size=(CLASSES, 1, d)) + draw.normal(size=(CLASSES, MEANS, d))
    lay = np.linalg.qr(draw.normal(size=(p, d)))[0].T
    y = draw.integers(0, CLASSES, n)
    X = np.empty((n, p), np.float32 if p > 100 else np.float64)
    for a in range(0, n, BLOCK):
        own = y[a : a + BLOCK]
        Z = means[own, draw.integers(0, MEANS, len(own))] + draw.normal(0, np.sqrt(1 / 2), (len(own), d))
        X[a : a + BLOCK] = Z @ lay
        X[a : a + BLOCK] += np.sqrt(0.05 * d / p) * draw.standard_normal((len(own), p), X.dtype)
    names = [chr(ord("a") + k) for k in range(CLASSES)]
    return pd.DataFrame(X, copy=False).add_prefix("x").assign(y=pd.Categorical.from_codes(y, names))


def predictors(data: pd.DataFrame) -> np.ndarray:
    return data.drop(columns="y").to_numpy()


def radius(X: np.ndarray, rows: int, sample: int = 200) -> float:
    """The median, over a sample of the rows, of the distance to the rows-th nearest row, the row itself included.

    An open ball of this radius around a row so holds about this number of them.
    """
    from sklearn.metrics import pairwise_distances

    if rows >= len(X):
        raise ValueError(f"balls of {rows} rows need more than {len(X)}")
    some = np.random.default_rng(0).choice(len(X), min(sample, len(X)), replace=False)
    return float(np.median(np.partition(pairwise_distances(X[some], X), rows, axis=1)[:, rows]))
