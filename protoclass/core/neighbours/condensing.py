"""Rows that represent all: Hart's condensing (1968), and multi-editing (Devijver and Kittler 1980)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel

Array = NDArray[Any]


def condense_rows(D: Array, own: Array, y: Array, order: Array) -> Array:
    """Rows whose nearest-neighbour rule classifies all rows correctly (Hart 1968).

    The first row in `order` is kept. The others are then visited in turn, and a row whose nearest kept row is of another
    class is kept as well. Passes are repeated until one keeps no new row.

    Parameters
    ----------
    D : array (n, n)
        Dissimilarities of rows to candidates, which are the rows.
    own : int array (n,)
        The candidate that each row is.
    y : int array (n,)
    order : int array
        The rows that take part, in the order of the visits.

    Returns
    -------
    int array
        Rows, in the order in which they were kept. Of equally near rows, that of the first class in level order
        is used, then the first row. Identical rows of different classes are all kept and remain misclassified.
    """
    kept, best, predicted = np.empty(len(order), np.int64), np.full(len(y), np.inf), np.full(len(y), -1)
    count = _condense(np.ascontiguousarray(D), own, y, order, kept, best, predicted, np.zeros(len(y), np.bool_))
    return kept[:count]


@kernel
def _condense(D, own, y, order, kept, best, predicted, inside):  # type: ignore[no-untyped-def]
    # best and predicted: distance of each row to its nearest kept row and the class of that row, updated with each kept row
    count, again = 0, True
    while again:
        again = False
        for i in order:
            if inside[i] or predicted[i] == y[i]:
                continue
            inside[i] = again = True
            kept[count] = i
            count += 1
            for r in order:
                d = D[r, own[i]]
                if d < best[r] or (d == best[r] and y[i] < predicted[r]):
                    best[r] = d
                    predicted[r] = y[i]
    return count


def edit_rows(D: Array, own: Array, y: Array, rows: Array, parts: int, quiet: int, seed: tuple[int, ...]) -> Array:
    """The rows that remain when those that disagree with their neighbours are removed (Devijver and Kittler 1980).

    The rows are split at random into parts, each of which is classified by the nearest rows of the next one; misclassified
    rows are removed. This is repeated with the remaining rows until `quiet` rounds in a row remove nothing, or too few rows
    remain to be split.

    Returns
    -------
    int array, ascending
    """
    draw = np.random.default_rng(seed)
    unchanged = 0
    while unchanged < quiet and len(rows) >= 2 * parts:
        part = draw.permutation(np.arange(len(rows)) % parts)
        right = np.zeros(len(rows), bool)
        for k in range(parts):
            judged, judges = np.flatnonzero(part == k), np.flatnonzero(part == (k + 1) % parts)
            block = D[np.ix_(rows[judged], own[rows[judges]])]
            classes = y[rows[judges]]
            order = np.lexsort(
                (np.arange(len(judges)), classes)
            )  # of equally near rows the first class, then the first row
            right[judged] = classes[order[block[:, order].argmin(axis=1)]] == y[rows[judged]]
        unchanged = unchanged + 1 if right.all() else 0
        rows = rows[right]
    return rows
