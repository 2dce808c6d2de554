"""Rows that represent all: Hart's condensing (1968), and multi-editing (Devijver and Kittler 1980)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..sources import Source

Array = NDArray[Any]
BLOCK = 2**22  # dissimilarities that are measured at a time


def condense_rows(D: Source, own: Array, y: Array, order: Array) -> Array:
    """Rows whose nearest-neighbour rule classifies all rows correctly (Hart 1968).

    The first row in `order` is kept. The others are then visited in turn, and a row whose nearest kept row is of another
    class is kept as well. Passes are repeated until one keeps no new row. The distances to a row are measured when it is kept.

    Parameters
    ----------
    D : Source (n, n)
        Dissimilarities of rows to candidates, which are the rows.
    own : int array (n,)
        The candidate that each row is.
    y : int array (n,)
    order : int array
        The rows that take part, in the order of the visits.

    Returns
    -------
    int array
        Rows, in the order in which they were kept. Ties between nearest rows go to the first class in level order,
        then to the first row. Identical rows of different classes are all kept and remain misclassified.
    """
    rows = np.sort(order)
    visit = np.searchsorted(rows, order)  # places among the rows, in the order of the visits
    classes = y[rows]
    best, predicted, inside = np.full(len(rows), np.inf), np.full(len(rows), -1), np.zeros(len(rows), bool)
    kept: list[int] = []
    again = True
    while again:
        again, first = False, 0
        while True:
            left = visit[first:]
            wrong = (predicted[left] != classes[left]) & ~inside[left]
            if not wrong.any():
                break
            first += int(wrong.argmax()) + 1
            i = visit[first - 1]
            inside[i] = again = True
            kept.append(int(rows[i]))
            d = D.take(rows, own[rows[i : i + 1]])[:, 0]
            nearer = (d < best) | ((d == best) & (classes[i] < predicted))
            best[nearer], predicted[nearer] = d[nearer], classes[i]
    return np.array(kept, np.int64)


def edit_rows(D: Source, own: Array, y: Array, rows: Array, parts: int, quiet: int, seed: tuple[int, ...]) -> Array:
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
            # of equally near rows the first class, then the first row
            nearest_first = rows[judges[np.lexsort((np.arange(len(judges)), y[rows[judges]]))]]
            step = max(1, BLOCK // len(judges))
            for first in range(0, len(judged), step):
                block = judged[first : first + step]
                near = D.take(rows[block], own[nearest_first]).argmin(axis=1)
                right[block] = y[nearest_first[near]] == y[rows[block]]
        unchanged = unchanged + 1 if right.all() else 0
        rows = rows[right]
    return rows
