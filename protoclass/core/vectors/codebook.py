"""Codebooks for learning vector quantization: rows or centroids that it starts from, and what the learned ones hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distances.minkowski import minkowski
from ..neighbours.votes import votes
from .centroids import kmeans
from .lvq import AT_ONCE

Array = NDArray[Any]
STARTS = 3  # runs of k-means, as many as method "kmeans" makes by default


def shuffled(rows: Array, w: Array, seed: tuple[int, ...]) -> Array:
    """The rows in random order: at every place, the chance of each row that is left is proportional to its weight."""
    wait = np.random.default_rng(seed).exponential(size=len(rows)) / w[rows]
    return np.asarray(rows[np.argsort(wait, kind="stable")])


def drawn(w: Array, count: int, seed: tuple[int, ...]) -> Array:
    """Rows drawn with replacement, with probabilities proportional to their weights: int array (count,)."""
    total: Array = np.cumsum(w)
    places = np.random.default_rng(seed).random(count) * total[-1]
    # a product can round up to the last total, which belongs to the last row with weight
    return np.asarray(np.minimum(np.searchsorted(total, places, side="right"), np.flatnonzero(w)[-1]))


def agreed(X: Array, y: Array, w: Array, rows: Array, neighbours: int, classes: int) -> Array:
    """Whether the nearest other rows vote for the class of each of some rows.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    w : array (n,)
        The weight of each row's vote.
    rows : int array (r,)
    neighbours : int >= 1
        Rows that vote, with all that are tied with the last; fewer where there are no more other rows. Of classes with
        equal votes the first wins.
    classes : int

    Returns
    -------
    bool array (r,)
    """
    out = np.empty(len(rows), bool)
    ks = np.array([min(neighbours, len(X) - 1)])
    step = max(1, AT_ONCE // len(X))
    for first in range(0, len(rows), step):
        at = rows[first : first + step]
        D = minkowski(X[at], X)
        D[np.arange(len(at)), at] = np.inf
        out[first : first + step] = votes(D, ks, y, w, classes)[:, 0].argmax(axis=1) == y[at]
    return out


def confirmed(
    X: Array, y: Array, w: Array, order: Array, wanted: int, neighbours: int, classes: int
) -> tuple[Array, int]:
    """The first `wanted` rows of an order that their neighbours agree with, see `agreed`.

    Where there are fewer, the first others follow; the number of these is returned as well.
    """
    right, wrong = order[:0], order[:0]
    first = 0
    while len(right) < wanted and first < len(order):
        some = order[first : first + wanted - len(right)]
        good = agreed(X, y, w, some, neighbours, classes)
        right, wrong = np.concatenate([right, some[good]]), np.concatenate([wrong, some[~good]])
        first += len(some)
    lacking = wanted - len(right)
    return np.concatenate([right, wrong[:lacking]]), lacking


def codebook(
    X: Array, y: Array, w: Array, wanted: Array, start: str, neighbours: int, seed: tuple[int, ...]
) -> tuple[Array, int]:
    """Code vectors to start from, class by class.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    w : array (n,)
        Positive.
    wanted : int array (classes,)
        Code vectors of each class, at most its rows.
    start : "knn", "random" or "kmeans"
        Random rows of the class that their `neighbours` nearest agree with; random rows; centroids of k-means.
    neighbours : int >= 1
    seed : tuple of int

    Returns
    -------
    codes : array (sum of wanted, p)
    lacking : int
        How many are rows that their neighbours do not agree with, for want of others.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [9.0], [2.0]]), np.array([0, 0, 0, 1])
    >>> codes, lacking = codebook(X, y, np.ones(4), np.array([2, 1]), "knn", 1, (0,))
    >>> sorted(codes[:2, 0].tolist()), codes[2:, 0].tolist(), lacking
    ([0.0, 1.0], [2.0], 1)
    """
    parts, lacking = [], 0
    for c, count in enumerate(wanted.tolist()):
        own = np.flatnonzero(y == c)
        if start == "kmeans":
            parts.append(kmeans(X[own], w[own], count, STARTS, (*seed, count, c))[0])
            continue
        order = shuffled(own, w, (*seed, c))
        if start == "knn":
            order, fewer = confirmed(X, y, w, order, count, neighbours, len(wanted))
            lacking += fewer
        parts.append(X[order[:count]])
    return np.concatenate(parts), lacking


def holdings(X: Array, y: Array, w: Array, codes: Array, label: Array) -> tuple[Array, Array]:
    """Weight of the rows that each code vector is the nearest to: those of its class and the others, each (q,)."""
    own, other = np.zeros(len(codes)), np.zeros(len(codes))
    step = max(1, AT_ONCE // len(codes))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        near = minkowski(X[part], codes).argmin(axis=1)
        right = label[near] == y[part]
        own += np.bincount(near, w[part] * right, len(codes))
        other += np.bincount(near, w[part] * ~right, len(codes))
    return own, other
