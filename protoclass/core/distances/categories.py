"""Dissimilarities that compare categories: Gower's coefficient of mixed variables, and the leaves
that rows reach in trees.
"""

from __future__ import annotations

import numpy as np

from .. import Array
from ..parallel import in_blocks, kernel
from ..thresholds import THREAD_ROWS

WIDTH = 1024  # columns whose running sums stay in the first-level cache
TREE_WIDTH = 2048  # columns whose counts of trees, of 16 bits, stay there
MOST_TREES = 2**16 - 1
UNLIKE = np.inf  # a value that differs from all others, also from itself


def gower(
    a: Array,
    b: Array,
    numbers: int,
    asymmetric: Array,
    weights: Array | None = None,
) -> Array:
    """Gower dissimilarities between two sets of rows (Gower 1971; Kaufman and Rousseeuw 1990, section 2.6).

    The sums of every pair run over the variables in their order, for tiles of any shape.

    Parameters
    ----------
    a, b : float arrays (n, p + c) and (m, p + c)
        The numbers, each divided by its range and multiplied by its weight, then the codes of the
        categories; NaN where missing, inf (`UNLIKE`) for a value as far from every other as the
        range is long, or different from every code.
    numbers : int
        Number p of numeric columns.
    asymmetric : bool (c,)
        Whether the column is asymmetric: a pair with two zeros (code 0) skips it.
    weights : float (p + c,), optional
        Weight of each variable; 1 by default.

    Returns
    -------
    array (n, m)
        Weighted mean over the variables observed in both rows; NaN if they have no observed
        variable of positive weight in common.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([[0.0, 0.0], [0.5, 1.0]])
    >>> gower(a, a, 1, np.array([False]))
    array([[0.  , 0.75],
           [0.75, 0.  ]])
    """
    w = np.ones(a.shape[1]) if weights is None else weights.astype(float)
    skip = np.r_[np.zeros(numbers, bool), asymmetric]
    out = np.empty((len(a), len(b)))
    across = np.ascontiguousarray(b.T)
    in_blocks(
        lambda part: _gower(a[part], across, numbers, w, skip, out[part]),
        len(out),
        THREAD_ROWS,
        out.size,
    )
    return out


@kernel
def _gower(x, u, p, w, skip, out):
    # x is (n, p + c), u (p + c, m), of which some columns are compared with all rows at a time
    complete = np.empty(len(u), np.bool_)
    for first in range(0, u.shape[1], WIDTH):
        last = min(first + WIDTH, u.shape[1])
        for f in range(len(u)):
            column, gaps = u[f, first:last], 0
            for j in range(len(column)):
                gaps += 1 if column[j] - column[j] != 0.0 else 0
            complete[f] = gaps == 0
        for i in range(len(x)):
            observed = True
            for f in range(len(u)):
                v = x[i, f]
                observed = observed and complete[f] and v - v == 0.0 and not (skip[f] and v == 0.0)
            if observed:
                _mean_of_all(x[i], u, first, last, p, w, out[i, first:last])
            else:
                _mean_of_observed(x[i], u, first, last, p, w, skip, out[i, first:last])


@kernel
def _mean_of_all(row, u, first, last, p, w, out):
    # the weights are summed once for all pairs, in the same order as the sum of each pair
    total, count = np.zeros(last - first), 0.0
    for f in range(len(w)):
        count += w[f]
    for f in range(0, p - 1, 2):
        v0, v1, u0, u1 = row[f], row[f + 1], u[f, first:last], u[f + 1, first:last]
        for j in range(len(total)):
            total[j] = (total[j] + abs(v0 - u0[j])) + abs(v1 - u1[j])
    if p % 2:
        v0, u0 = row[p - 1], u[p - 1, first:last]
        for j in range(len(total)):
            total[j] += abs(v0 - u0[j])
    for f in range(p, len(row)):
        v0, u0, w0 = row[f], u[f, first:last], w[f]
        for j in range(len(total)):
            total[j] += w0 if u0[j] != v0 else 0.0
    for j in range(len(total)):
        out[j] = total[j] / count if count > 0 else np.nan


@kernel
def _mean_of_observed(row, u, first, last, p, w, skip, out):
    """Weighted means over the variables that a row and each column of u have."""
    total, weight = np.zeros(last - first), np.zeros(last - first)
    for f in range(len(row)):
        v, u0, w0 = row[f], u[f, first:last], w[f]
        both_zero = skip[f] and v == 0.0
        if v != v:
            continue
        if f < p:
            for j in range(len(total)):
                y = u0[j]
                d = w0 if v == np.inf or y == np.inf else abs(v - y)
                total[j] += d if y == y else 0.0
                weight[j] += w0 if y == y else 0.0
        else:
            for j in range(len(total)):
                y = u0[j]
                counted = y == y and not (both_zero and y == 0.0)
                weight[j] += w0 if counted else 0.0
                total[j] += w0 if counted and (y != v or y == np.inf) else 0.0
    for j in range(len(total)):
        out[j] = total[j] / weight[j] if weight[j] > 0 else np.nan


def reached(
    X: Array,
    start: Array,
    left: Array,
    right: Array,
    feature: Array,
    threshold: Array,
    missing: Array,
) -> Array:
    """The leaf of each tree that each row reaches.

    Parameters
    ----------
    X : float32 (n, p)
        The rows; NaN where missing.
    start : int (trees + 1,)
        Position of the first node of each tree, its root, among the nodes of all trees; and the
        number of all nodes.
    left, right : int (nodes,)
        Children, counted from the root of the tree; -1 for a leaf.
    feature : int (nodes,)
    threshold : float64 (nodes,)
        A row goes left if its value of the feature is at most the threshold.
    missing : bool (nodes,)
        Whether a row without the value goes left.

    Returns
    -------
    unsigned int (n, trees)
        Leaves, counted from 0 in each tree, in the smallest type that has room for them.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([1, -1, -1]), np.array([2, -1, -1]), np.zeros(3, int), np.array([0.5, 0, 0]), np.zeros(3, bool)
    >>> reached(np.array([[0.5], [0.7], [np.nan]], np.float32), np.array([0, 3]), *one)
    array([[0],
           [1],
           [1]], dtype=uint8)
    """
    code = np.cumsum(left < 0) - 1
    code -= np.repeat(code[start[:-1]] + (left[start[:-1]] >= 0), np.diff(start))
    out = np.empty((len(X), len(start) - 1), np.min_scalar_type(code.max()))
    in_blocks(
        lambda part: _descend(
            X[part], start, left, right, feature, threshold, missing, code, out[part]
        ),
        len(X),
        THREAD_ROWS,
        out.size,
    )
    return out


def apart(a: Array, b: Array) -> Array:
    """The proportion (n, m) of trees in which the leaves of rows (n, trees) and of others (m, trees) differ.

    Examples
    --------
    >>> import numpy as np
    >>> apart(np.array([[0, 1]], np.uint8), np.array([[0, 1], [0, 2], [1, 0]], np.uint8))
    array([[0. , 0.5, 1. ]])
    """
    out, across = np.empty((len(a), len(b))), np.ascontiguousarray(b.T)
    in_blocks(lambda part: _apart(a[part], across, out[part]), len(a), THREAD_ROWS, out.size)
    return out


@kernel
def _descend(X, start, left, right, feature, threshold, missing, code, out):
    """Write the leaf that each row reaches in each tree, by its code."""
    for t in range(out.shape[1]):
        root = start[t]
        for i in range(len(X)):
            at = root
            while left[at] >= 0:
                value = X[i, feature[at]]
                at = root + (
                    left[at]
                    if (missing[at] if value != value else value <= threshold[at])
                    else right[at]
                )
            out[i, t] = code[at]


@kernel
def _apart(x, u, out):
    """Write the proportion of trees with different leaves, in blocks of columns."""
    for first in range(0, u.shape[1], TREE_WIDTH):
        width = min(TREE_WIDTH, u.shape[1] - first)
        count = np.empty(width, np.uint16)
        for i in range(len(x)):
            count[:] = 0
            for t in range(len(u)):
                leaf, column = x[i, t], u[t, first : first + width]
                for j in range(width):
                    count[j] += np.uint16(leaf != column[j])
            for j in range(width):
                out[i, first + j] = count[j] / len(u)
