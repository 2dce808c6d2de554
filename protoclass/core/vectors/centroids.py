"""k-means by class: centroids that are not rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import alone

Array = NDArray[Any]


def kmeans(
    X: Array, w: Array, K: int, starts: int, seed: tuple[int, ...], start: str = "k-means++"
) -> tuple[Array, Array]:
    """Weighted k-means (scikit-learn's, best of `starts` runs).

    Parameters
    ----------
    X : array (n, p)
    w : array (n,)
        Positive.
    K : int <= n
    starts : int
    seed : tuple of int
    start : "k-means++" or "random"
        How the first centers are drawn: rows far from one another, or K rows, each in proportion to its weight.

    Returns
    -------
    centers : array (K, p)
        If fewer than K rows are distinct, some centers are repeated.
    held : array (K,)
        Weight of the rows of each cluster.

    Examples
    --------
    >>> centers, held = kmeans(np.array([[0.0], [2.0], [10.0]]), np.array([1.0, 3.0, 1.0]), 2, 3, (0,))
    >>> sorted(zip(centers[:, 0].tolist(), held.tolist()))
    [(1.5, 4.0), (10.0, 1.0)]
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    state = int(np.random.default_rng(seed).integers(2**31))
    # with 45 rows, two OpenMP threads take twenty times as long as one; scikit-learn warns of fewer distinct rows than K,
    # which callers report themselves
    with alone(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KMeans(K, init=start, n_init=starts, random_state=state).fit(X, sample_weight=w)
    return fitted.cluster_centers_, np.bincount(fitted.labels_, w, K)


def count_distinct(X: Array) -> int:
    """Number of distinct rows.

    Examples
    --------
    >>> count_distinct(np.array([[1.0, 0.0], [1.0, -0.0], [2.0, 0.0]]))
    2
    """
    return len(np.unique(X, axis=0))
