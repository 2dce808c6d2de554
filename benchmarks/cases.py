"""The cases of `bench.py` and `scale.py`: each makes its data, warms up on few rows, and returns the work to be measured.

The work returns a few words on its answer. `one_case.run` runs it in a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from made import made, predictors, radius

import protoclass as pc
from protoclass.core.query import answer

Work = Callable[[], str]
RAW = pc.Euclidean(scale=False)
FITTED = 30_000  # rows of the fit whose predictions are written
FEW = 300  # rows of the warm-up, which loads what is imported and compiled at the first call
MEDOIDS, BLOCK = 100, 1000


def one_eps(n: int, p: int, rows: int) -> Work:
    """A fit of the PVM at one eps with all rows as candidates, from frame to Fit; balls hold about so many rows."""
    few = made(FEW, p)
    eps = radius(predictors(few), min(rows, FEW // 4))
    pc.fit("y ~ .", few, dissimilarity=RAW, eps=eps, candidates="train", progress=False)
    data = made(n, p)
    eps = radius(predictors(data), rows)

    def work() -> str:
        fit = pc.fit("y ~ .", data, dissimilarity=RAW, eps=eps, candidates="train", progress=False)
        return f"{len(fit.prototypes):,} prototypes"

    return work


def default_fit(n: int, p: int, categories: int = 0) -> Work:
    """`pc.fit` with all its defaults: distance and eps by cross-validation and the 1-SE rule.

    The last `categories` columns are cut into fifths, so the distances are Gower and LDA.
    """

    def table(rows: int) -> pd.DataFrame:
        data = made(rows, p)
        return data.assign(**{f"x{k}": pd.qcut(data[f"x{k}"], 5, labels=list("abcde")) for k in range(p - categories, p)})

    pc.fit("y ~ .", table(FEW), progress=False)
    data = table(n)

    def work() -> str:
        fit = pc.fit("y ~ .", data, progress=False)
        error = fit.validation.table["error"].min()
        return f"{len(fit.prototypes):,} prototypes of {fit.dissimilarity.shape[1]:,} candidates, lowest CV error {error:.3f}"

    return work


def written(n: int, p: int, rows: int, compare: bool = False) -> Work:
    """`predict_to` from a parquet file with a key to another one, by a fit of `one_eps` on the first `FITTED` rows.

    With `compare` only what the rule does with the same rows, which are prepared in memory: their comparisons with the prototypes.
    """
    data = made(n, p)
    some = data[:FITTED]
    eps = radius(predictors(some), min(rows, len(some) // 4))
    fit = pc.fit("y ~ .", some, dissimilarity=RAW, eps=eps, candidates="train", progress=False)
    folder = TemporaryDirectory()
    source, out = f"{folder.name}/rows.parquet", f"{folder.name}/out.parquet"
    data[:FEW].to_parquet(source)
    fit.predict_to(source, out)  # compiles what small data leave to NumPy only where it is used
    query = fit._query(data)[0] if compare else None
    data.drop(columns="y").assign(id=np.arange(n)).to_parquet(source, row_group_size=FITTED)
    del data, some

    def work() -> str:
        before, at = time.process_time(), folder.name  # the folder is there as long as the work
        if query is not None:
            answer(fit.rule, "class", query)
        else:
            fit.predict_to(source, f"{at}/out.parquet", key="id", overwrite=True, progress=False)
        return f"{len(fit.prototypes):,} prototypes, {time.process_time() - before:.1f} s of processor"

    return work


def compared(n: int, p: int, rows: int) -> Work:
    """The comparisons of `written`."""
    return written(n, p, rows, compare=True)


def product(n: int, p: int) -> Work:
    """One product X X' in the data's precision, a block of rows at a time into the same memory."""
    X = predictors(made(n, p))
    out = np.empty((BLOCK, n), X.dtype)
    X[:BLOCK] @ X[:BLOCK].T

    def work() -> str:
        for a in range(0, n, BLOCK):
            part = X[a : a + BLOCK]
            np.matmul(part, X.T, out=out[: len(part)])
        return "X X'"

    return work


def numpy_greedy(n: int, p: int, rows: int) -> Work:
    """The greedy of `greedy`, the same radius as in `one_eps`."""
    data = made(n, p)
    X, y = predictors(data), data["y"].cat.codes.to_numpy()
    eps = radius(X, rows)
    greedy(X[:FEW], y[:FEW], eps, 1 / FEW)
    return lambda: f"{len(greedy(X, y, eps, 1 / n)):,} prototypes"


def greedy(X: np.ndarray, y: np.ndarray, eps: float, cost: float) -> list[tuple[int, int]]:
    """Prototypes (row, class) in the order chosen, by the greedy of the PVM paper, section 3.2, written in plain NumPy.

    In each step the row j and class l are chosen whose ball covers the most rows of l that no ball of l covers, less the rows
    of other classes in it and less the cost of a prototype; until this is no gain.
    """
    n, square = len(X), (X**2).sum(axis=1)
    inside = np.empty((n, n), bool)  # whether row i is in the ball of row j
    for a in range(0, n, BLOCK):
        squares = square[a : a + BLOCK, None] + square - 2 * X[a : a + BLOCK] @ X.T
        inside[a : a + BLOCK] = squares < eps * eps
    own = np.eye(y.max() + 1, dtype=np.float32)[y]  # counts are exact in single precision up to 2^24
    holds = np.vstack([inside[:, a : a + BLOCK].T @ own for a in range(0, n, BLOCK)]).T
    gain = 2 * holds - holds.sum(axis=0)  # (classes, n), whole numbers: of equal ones the first class counts, then the first row
    uncovered, chosen = np.ones(n, bool), list[tuple[int, int]]()
    while True:
        c, j = np.unravel_index(gain.argmax(), gain.shape)
        if gain[c, j] <= cost:
            return chosen
        chosen.append((int(j), int(c)))
        new = np.flatnonzero(inside[:, j] & uncovered & (y == c))
        uncovered[new] = False
        gain[c] -= inside[new].sum(axis=0)


def nearest_centroid(n: int, p: int) -> Work:
    """scikit-learn's NearestCentroid: the fit, and the classes of the same rows."""
    from sklearn.neighbors import NearestCentroid

    return _fit_and_predict(NearestCentroid(), n, p)


def neighbours(n: int, p: int) -> Work:
    """scikit-learn's KNeighborsClassifier with k = 5: the fit, and the classes of the same rows."""
    from sklearn.neighbors import KNeighborsClassifier

    return _fit_and_predict(KNeighborsClassifier(), n, p)


def _fit_and_predict(model, n: int, p: int) -> Work:  # type: ignore[no-untyped-def]
    data = made(n, p)
    X, y = predictors(data), data["y"].cat.codes.to_numpy()
    model.fit(X[:FEW], y[:FEW]).predict(X[:FEW])
    return lambda: f"training error {np.mean(model.fit(X, y).predict(X) != y):.3f}"


def medoids(n: int, p: int) -> Work:
    """FasterPAM of the package kmedoids for 100 medoids from a random start, the distances by scikit-learn."""
    import kmedoids
    from sklearn.metrics import pairwise_distances

    X = predictors(made(n, p))
    kmedoids.fasterpam(pairwise_distances(X[:FEW]), MEDOIDS, init="random", random_state=0)

    def work() -> str:
        result = kmedoids.fasterpam(pairwise_distances(X), MEDOIDS, init="random", random_state=0)
        return f"{len(result.medoids)} medoids, {result.n_iter} iterations"

    return work


def default_method(name: str, method: str) -> Work:
    """A fit of one of the package's data sets with a method's defaults, the first of which warms up."""
    data = pc.load_data(name)
    formula = {"iris": "species ~ .", "digits": "digit ~ ."}[name]
    pc.fit(formula, data, method, progress=False)

    def work() -> str:
        fit = pc.fit(formula, data, method, progress=False)
        return f"error {fit.validation.selected('1se')['error']:.3f}"

    return work
