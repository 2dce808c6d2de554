"""The leaves of decision trees that rows reach, and the proportion of trees in which two rows reach different leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import Array
from ..parallel import in_blocks, kernel

WIDTH = 2048  # columns whose counts stay in the first-level cache
BLOCK = 128  # rows given to a thread at a time
MOST_TREES = 2**16 - 1  # counts of trees have 16 bits


def reached(X: NDArray[np.float32], start: Array, left: Array, right: Array, feature: Array, threshold: Array, missing: Array) -> Array:
    """The leaf of each tree that each row reaches.

    Parameters
    ----------
    X : float32 (n, p)
        The rows; NaN where missing.
    start : int (trees + 1,)
        Position of the first node of each tree, its root, among the nodes of all trees; and the number of all nodes.
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
        lambda part: _descend(X[part], start, left, right, feature, threshold, missing, code, out[part]), len(X), BLOCK, out.size
    )
    return out


def apart(a: Array, b: Array) -> NDArray[np.float64]:
    """The proportion (n, m) of trees in which the leaves of rows (n, trees) and of others (m, trees) differ.

    Examples
    --------
    >>> import numpy as np
    >>> apart(np.array([[0, 1]], np.uint8), np.array([[0, 1], [0, 2], [1, 0]], np.uint8))
    array([[0. , 0.5, 1. ]])
    """
    out, across = np.empty((len(a), len(b))), np.ascontiguousarray(b.T)
    in_blocks(lambda part: _apart(a[part], across, out[part]), len(a), BLOCK, out.size)
    return out


@kernel
def _descend(X, start, left, right, feature, threshold, missing, code, out):  # type: ignore[no-untyped-def]
    for t in range(out.shape[1]):
        root = start[t]
        for i in range(len(X)):
            at = root
            while left[at] >= 0:
                value = X[i, feature[at]]
                at = root + (left[at] if (missing[at] if value != value else value <= threshold[at]) else right[at])
            out[i, t] = code[at]


@kernel
def _apart(x, u, out):  # type: ignore[no-untyped-def]
    for first in range(0, u.shape[1], WIDTH):
        width = min(WIDTH, u.shape[1] - first)
        count = np.empty(width, np.uint16)
        for i in range(len(x)):
            count[:] = 0
            for t in range(len(u)):
                leaf, column = x[i, t], u[t, first : first + width]
                for j in range(width):
                    count[j] += np.uint16(leaf != column[j])
            for j in range(width):
                out[i, first + j] = count[j] / len(u)
