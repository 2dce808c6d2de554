"""Candidates for prototypes besides the training rows, and in their place: values of `candidates=` in `fit`.

>>> import protoclass as pc
>>> pc.candidates.kmeans(10), pc.candidates.hull(5)
(kmeans(K=10, only=False), hull(n=5, only=False, steps=None))
"""

from .metrics.measuring import hull, kmeans, unlabelled

__all__ = ["hull", "kmeans", "unlabelled"]
