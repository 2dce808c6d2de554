"""Folds as one int vector: `fold[i]` is the fold that leaves row i out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError

Array = NDArray[Any]


def stratified(y: Array, folds: int, seed: int) -> Array:
    """Folds that share every class out evenly.

    Parameters
    ----------
    y : int array (n,)
        Class codes.
    folds : int
    seed : int

    Returns
    -------
    int array (n,)
        Sizes of the folds differ by at most 1, and so do the counts of each class.

    Examples
    --------
    >>> import numpy as np
    >>> fold = stratified(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 4, seed=0)
    >>> np.bincount(fold).tolist(), sorted(fold[:4].tolist())
    ([2, 2, 2, 2], [0, 1, 2, 3])
    """
    order = np.lexsort((np.random.default_rng(seed).random(len(y)), y))
    fold = np.empty(len(y), np.int64)
    fold[order] = np.arange(len(y)) % folds
    return fold


def grouped(y: Array, group: Array, folds: int, seed: int) -> Array:
    """Folds that keep the rows of a group together, and share the classes out as evenly as that allows.

    Groups are dealt from the largest to the smallest, equal ones at random, each to the fold where it leaves the classes'
    shares most even (least sum of squares of the fold's class counts over class sizes), then to the smallest fold.

    Parameters
    ----------
    y : int array (n,)
    group : int array (n,)
        Group codes, 0 to the number of groups - 1.
    folds : int
    seed : int
    """
    groups, classes = int(group.max()) + 1, int(y.max()) + 1
    if groups < folds:
        raise OptionError(f"cv={folds} folds need as many groups, and there are {groups}: give a smaller cv")
    count = np.zeros((groups, classes))
    np.add.at(count, (group, y), 1)
    share = count / count.sum(axis=0)
    order = np.lexsort((np.random.default_rng(seed).random(groups), -count.sum(axis=1)))
    held, size = np.zeros((folds, classes)), np.zeros(folds)
    of_group = np.empty(groups, np.int64)
    for g in order:
        rise = ((held + share[g]) ** 2 - held**2).sum(axis=1)
        f = np.lexsort((size, rise.round(12)))[0]
        of_group[g] = f
        held[f] += share[g]
        size[f] += count[g].sum()
    fold: Array = of_group[group]
    return fold
