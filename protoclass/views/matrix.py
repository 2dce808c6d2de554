"""A matrix of dissimilarities in the order in which it is drawn, and its distributions by class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..core.embedding.scaling import torgerson
from ..ground.errors import DataError
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.embedding import classes_of

MOST = 1000  # rows and candidates shown
LEAVES = 600  # rows of a class whose leaf ordering is optimal
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def seriate(D: np.ndarray) -> np.ndarray:
    """An order in which neighbours are similar, of the rows of a symmetric matrix (n, n).

    Optimal leaf ordering of average linkage (Bar-Joseph et al. 2001), of more than 600 rows the first axis of classical
    scaling.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 5.0, 1.0, 4.0])
    >>> seriate(np.abs(x[:, None] - x)).tolist()
    [0, 2, 3, 1]
    """
    n = len(D)
    if n < 3:
        return np.arange(n)
    if n > LEAVES:
        order = np.argsort(torgerson(D, 1)[:, 0], kind="stable")
    else:
        from scipy.cluster.hierarchy import leaves_list, linkage

        size = float(D.max()) or 1.0
        flat = D[np.triu_indices(n, 1)] / size
        order = leaves_list(linkage(flat, "average", optimal_ordering=True))
    return np.asarray(order if order[0] < order[-1] else order[::-1])


def arrange(dissimilarity: Dissimilarity, by: Any = None) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """The matrix as it is drawn: ordered by class and seriated within each, of at most 1000 rows and candidates.

    Returns
    -------
    DataFrame (r, q), Series (r,), Series (q,)
        The dissimilarities, and the classes of its rows and of its columns. Columns that are not rows come last.
    """
    classes, P, row_of = classes_of(dissimilarity, by), dissimilarity._values, dissimilarity.candidate_row
    levels = [*classes.levels, "not rows"]
    of_column = np.where(row_of >= 0, classes.codes[row_of], len(classes.levels))
    if dissimilarity.square:
        rows = columns = _order(classes.codes, lambda own: _symmetrize(P[np.ix_(own, own)]))
    else:  # rows are similar where their dissimilarities to the candidates are
        rows = _order(classes.codes, lambda own: _compare_profiles(P[own]))
        columns = _order(of_column, lambda own: _compare_profiles(P[:, own].T))
    table = pd.DataFrame(P[np.ix_(rows, columns)], dissimilarity.index[rows], dissimilarity.candidate_names[columns])
    return (
        table,
        pd.Series([levels[c] for c in classes.codes[rows]], table.index, name="class"),
        pd.Series([levels[c] for c in of_column[columns]], table.columns, name="class"),
    )


def _order(codes: np.ndarray, measure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    taken = np.argsort(codes, kind="stable")
    if len(taken) > MOST:
        taken = taken[np.linspace(0, len(taken) - 1, MOST).round().astype(int)]
    groups = [taken[codes[taken] == c] for c in np.unique(codes[taken])]
    return np.concatenate([group[seriate(measure(group))] for group in groups])


def _symmetrize(D: np.ndarray) -> np.ndarray:
    both = D.astype(float) / 2
    both = both + both.T
    np.fill_diagonal(both, 0.0)
    return both


def _compare_profiles(X: np.ndarray) -> np.ndarray:
    from ..core.distances.minkowski import minkowski

    X = X[:, np.linspace(0, X.shape[1] - 1, min(MOST, X.shape[1])).round().astype(int)].astype(float)
    X = np.ascontiguousarray(X / (X.max(initial=0.0) or 1.0))
    return minkowski(X, X)


def describe_shares(dissimilarity: Dissimilarity, table: pd.DataFrame) -> str:
    """How many of the rows and candidates are shown, in words; "" for all."""
    sides = zip(table.shape, dissimilarity.shape, ("rows", "candidates"), strict=True)
    shares = [f"{shown} of {count} {name}" for shown, count, name in sides if shown < count]
    return f"{' and '.join(shares[: 1 if dissimilarity.square else 2])}, evenly taken" if shares else ""


def find_range(table: pd.DataFrame, square: bool) -> tuple[float, float, bool, bool]:
    """Ends of the colours of a matrix: its 1 % and 99 % quantiles; and whether values lie below and above these.

    In a square matrix what is between a row and itself does not count.
    """
    values = table.to_numpy(float)
    apart = values[table.index.to_numpy()[:, None] != table.columns.to_numpy()] if square else values.ravel()
    low, high = np.quantile(apart, [0.01, 0.99]) if len(apart) else (0.0, 0.0)
    if not low < high:
        low, high = 0.0, float(values.max()) or 1.0
    return float(low), float(high), bool(len(apart) and apart.min() < low), bool(len(apart) and apart.max() > high)


def find_blocks(classes: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Where the classes of neighbouring rows begin, and where they end (exclusive)."""
    names = classes.to_numpy()
    cuts = np.flatnonzero(names[1:] != names[:-1]) + 1
    return np.array([0, *cuts]), np.array([*cuts, len(names)])


def summarize_distributions(dissimilarity: Dissimilarity, by: Any = None) -> pd.DataFrame:
    """Positive dissimilarities between different rows, from each class to itself and to the others.

    Returns
    -------
    DataFrame
        Rows: class and `to` ("own class", "other classes"). Columns: `number` of dissimilarities (both directions of a
        pair count), `smallest`, quantiles `q5` to `q95`, `largest`; NaN where there is none.

    Raises
    ------
    DataError
        Where no dissimilarity between different rows is positive.
    """
    classes, P, row_of = classes_of(dissimilarity, by), dissimilarity._values, dissimilarity.candidate_row
    known = np.flatnonzero(row_of >= 0)
    of_column, rows = classes.codes[row_of[known]], np.arange(len(P))
    lines = []
    for c, level in enumerate(classes.levels):
        own = rows[classes.codes == c]
        for to, picked in (("own class", of_column == c), ("other classes", of_column != c)):
            if classes.single and to == "other classes":
                continue
            columns = known[picked]
            values = P[np.ix_(own, columns)]
            values = values[(values > 0) & (own[:, None] != row_of[columns])].astype(float)
            quantiles = np.quantile(values, [0, *LEVELS, 1]) if len(values) else np.full(len(LEVELS) + 2, np.nan)
            lines.append((level, to, len(values), *quantiles))
    names = ["class", "to", "number", "smallest", *(f"q{100 * q:.0f}" for q in LEVELS), "largest"]
    table = pd.DataFrame(lines, columns=names).set_index(["class", "to"])
    if not table["number"].any():
        raise DataError("all dissimilarities between different rows are 0, so there is no distribution to draw")
    return table
