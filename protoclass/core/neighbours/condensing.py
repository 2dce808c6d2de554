"""Rows that stand for all: Hart's condensing (1968), and multi-editing (Devijver and Kittler 1980)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel

Array = NDArray[Any]


def condensed(D: Array, own: Array, y: Array, order: Array) -> Array:
    """Candidates by whose nearest every row is classified right (Hart 1968).

    The first row in `order` is kept. Rows are then taken in turn, and one whose nearest kept candidate is of another class is
    kept as well; passes are made until one keeps nothing new.

    Parameters
    ----------
    D : array (n, n)
        Dissimilarities of rows to candidates, which are the rows.
    own : int array (n,)
        The candidate that each row is.
    y : int array (n,)
    order : int array
        The rows that take part, as they are visited.

    Returns
    -------
    int array
        Rows, in the order in which they were kept. Of equally near ones of different classes the first in level order
        classifies, then the first row; rows alike but of different classes are all kept, and stay wrong.
    """
    kept, best, found = np.empty(len(order), np.int64), np.full(len(y), np.inf), np.full(len(y), -1)
    count = _condense(np.ascontiguousarray(D), own, y, order, kept, best, found, np.zeros(len(y), np.bool_))
    return kept[:count]


@kernel
def _condense(D, own, y, order, kept, best, found, inside):  # type: ignore[no-untyped-def]
    # best and found: each row's distance to its nearest kept candidate and that one's class, brought up to date by each
    count, again = 0, True
    while again:
        again = False
        for i in order:
            if inside[i] or found[i] == y[i]:
                continue
            inside[i] = again = True
            kept[count] = i
            count += 1
            for r in order:
                d = D[r, own[i]]
                if d < best[r] or (d == best[r] and y[i] < found[r]):
                    best[r] = d
                    found[r] = y[i]
    return count


def multiedited(D: Array, own: Array, y: Array, rows: Array, parts: int, quiet: int, seed: tuple[int, ...]) -> Array:
    """Rows that are left after the others disagreed with their neighbours (Devijver and Kittler 1980).

    The rows are split at random into parts, each of which is classified by the nearest rows of the next; those classified
    wrongly are dropped. This is done again with the rows left, until `quiet` times in turn nothing was dropped, or too few
    rows are left to be split.

    Returns
    -------
    int array, ascending
    """
    draw = np.random.default_rng(seed)
    calm = 0
    while calm < quiet and len(rows) >= 2 * parts:
        part = draw.permutation(np.arange(len(rows)) % parts)
        right = np.zeros(len(rows), bool)
        for k in range(parts):
            judged, judges = np.flatnonzero(part == k), np.flatnonzero(part == (k + 1) % parts)
            block = D[np.ix_(rows[judged], own[rows[judges]])]
            labels = y[rows[judges]]
            order = np.lexsort(
                (np.arange(len(judges)), labels)
            )  # of equally near rows the first class, then the first row
            right[judged] = labels[order[block[:, order].argmin(axis=1)]] == y[rows[judged]]
        calm = calm + 1 if right.all() else 0
        rows = rows[right]
    return rows
