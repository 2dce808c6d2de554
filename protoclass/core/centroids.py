"""k-means by class: centroids that are no rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import alone

Array = NDArray[Any]


def kmeans(X: Array, w: Array, K: int, starts: int, seed: tuple[int, ...]) -> tuple[Array, Array]:
    """Weighted k-means (scikit-learn's, k-means++ starts, best of `starts`).

    Parameters
    ----------
    X : array (n, p)
    w : array (n,)
    K : int <= n
    starts : int
    seed : tuple of int

    Returns
    -------
    centers : array (K, p)
    held : array (K,)
        Weight of the rows of each cluster.
    """
    from sklearn.cluster import KMeans

    state = int(np.random.default_rng(seed).integers(2**31))
    # a solve of 45 rows on two OpenMP threads takes twenty times as long as on one; rows that are all alike make
    # fewer clusters than K, and scikit-learn then repeats a centre with a warning
    with alone(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = KMeans(K, n_init=starts, random_state=state).fit(X, sample_weight=w)
    return found.cluster_centers_, np.bincount(found.labels_, w, K)
