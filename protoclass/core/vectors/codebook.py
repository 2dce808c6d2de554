"""Codebooks for learning vector quantization: the initial rows or centroids, and the weights of the rows nearest to each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distances.minkowski import minkowski
from ..neighbours.votes import votes
from .centroids import kmeans
from .lvq import AT_ONCE

Array = NDArray[Any]
STARTS = 3  # runs of k-means, as in method "kmeans" by default


def shuffle_rows(rows: Array, w: Array, seed: tuple[int, ...]) -> Array:
    """The rows in random order: at every position, each remaining row is drawn with probability proportional to its weight."""
    keys = np.random.default_rng(seed).exponential(size=len(rows)) / w[rows]
    return np.asarray(rows[np.argsort(keys, kind="stable")])


def draw_rows(w: Array, count: int, seed: tuple[int, ...]) -> Array:
    """Rows drawn with replacement, with probabilities proportional to their weights: int array (count,)."""
    total: Array = np.cumsum(w)
    draws = np.random.default_rng(seed).random(count) * total[-1]
    # a product may be rounded up to the last total, which belongs to the last row with weight
    return np.asarray(np.minimum(np.searchsorted(total, draws, side="right"), np.flatnonzero(w)[-1]))


def neighbours_agree(X: Array, y: Array, w: Array, rows: Array, neighbours: int, classes: int) -> Array:
    """Whether the nearest other rows vote for the class of each of some rows.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    w : array (n,)
        The weight of each row's vote.
    rows : int array (r,)
    neighbours : int >= 1
        Rows that vote, with all that are tied with the last one; fewer if there are fewer other rows. Of classes with equal
        votes the first wins.
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


def choose_confirmed(
    X: Array, y: Array, w: Array, order: Array, count: int, neighbours: int, classes: int
) -> tuple[Array, int]:
    """The first `count` rows of an order that their neighbours agree with, see `neighbours_agree`.

    If there are fewer, the first other rows follow; the number of these is returned as well.
    """
    right, wrong = order[:0], order[:0]
    position = 0
    while len(right) < count and position < len(order):
        batch = order[position : position + count - len(right)]
        agree = neighbours_agree(X, y, w, batch, neighbours, classes)
        right, wrong = np.concatenate([right, batch[agree]]), np.concatenate([wrong, batch[~agree]])
        position += len(batch)
    lacking = count - len(right)
    return np.concatenate([right, wrong[:lacking]]), lacking


def codebook(
    X: Array, y: Array, w: Array, counts: Array, start: str, neighbours: int, seed: tuple[int, ...]
) -> tuple[Array, int]:
    """Code vectors to start from, class by class.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    w : array (n,)
        Positive.
    counts : int array (classes,)
        Code vectors of each class, at most its rows.
    start : "knn", "random" or "kmeans"
        Random rows of the class that their `neighbours` nearest agree with; random rows; centroids of k-means.
    neighbours : int >= 1
    seed : tuple of int

    Returns
    -------
    codes : array (sum of counts, p)
    lacking : int
        Number of rows that their neighbours do not agree with, taken because there are no others.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [9.0], [2.0]]), np.array([0, 0, 0, 1])
    >>> codes, lacking = codebook(X, y, np.ones(4), np.array([2, 1]), "knn", 1, (0,))
    >>> sorted(codes[:2, 0].tolist()), codes[2:, 0].tolist(), lacking
    ([0.0, 1.0], [2.0], 1)
    """
    parts, lacking = [], 0
    for c, count in enumerate(counts.tolist()):
        own = np.flatnonzero(y == c)
        if start == "kmeans":
            parts.append(kmeans(X[own], w[own], count, STARTS, (*seed, count, c))[0])
            continue
        order = shuffle_rows(own, w, (*seed, c))
        if start == "knn":
            order, unconfirmed = choose_confirmed(X, y, w, order, count, neighbours, len(counts))
            lacking += unconfirmed
        parts.append(X[order[:count]])
    return np.concatenate(parts), lacking


def nearest_weights(X: Array, y: Array, w: Array, codes: Array, code_classes: Array) -> tuple[Array, Array]:
    """Weights of the rows nearest to each code vector: of its own class and of other classes, each (q,)."""
    own, other = np.zeros(len(codes)), np.zeros(len(codes))
    step = max(1, AT_ONCE // len(codes))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        near = minkowski(X[part], codes).argmin(axis=1)
        right = code_classes[near] == y[part]
        own += np.bincount(near, w[part] * right, len(codes))
        other += np.bincount(near, w[part] * ~right, len(codes))
    return own, other
