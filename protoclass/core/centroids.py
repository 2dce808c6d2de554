"""k-means by class: centroids that are no rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

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
    with threadpool_limits(1):  # a solve of 45 rows on two OpenMP threads takes twenty times as long as on one
        found = KMeans(K, n_init=starts, random_state=state).fit(X, sample_weight=w)
    return found.cluster_centers_, np.bincount(found.labels_, w, K)
