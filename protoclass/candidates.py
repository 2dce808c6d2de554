"""Candidates for prototypes besides the training rows, and in their place: values of `candidates=` in `fit`.

>>> import protoclass as pc
>>> iris = pc.load_data("iris")
>>> pc.fit("species ~ .", iris, eps=1.0, candidates=pc.candidates.kmeans(2, only=True)).prototypes.index.tolist()[:2]
['kmeans[setosa].1', 'kmeans[versicolor].1']
"""

from .metrics.measuring import hull, kmeans, unlabelled

__all__ = ["hull", "kmeans", "unlabelled"]
