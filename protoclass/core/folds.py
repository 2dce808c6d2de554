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


def holdout(y: Array, test: float, seed: int) -> Array:
    """Rows held out once, of every class about the same share.

    Parameters
    ----------
    y : int array (n,)
        Class codes.
    test : float between 0 and 1
        Share of the rows to hold out.
    seed : int

    Returns
    -------
    bool array (n,)
        True for round(n x test) rows, or fewer where classes of one row keep theirs. Each class gives the whole part of its
        share, and those with the largest rest one row more.

    Examples
    --------
    >>> import numpy as np
    >>> held = holdout(np.repeat([0, 1], [6, 3]), 1 / 3, seed=0)
    >>> int(held[:6].sum()), int(held[6:].sum())
    (2, 1)
    """
    count = np.bincount(y)
    share = np.minimum(count * test, np.maximum(count - 1, 0))
    take = np.floor(share + 1e-9).astype(np.int64)
    left = max(0, round(len(y) * test) - int(take.sum()))
    rest = np.where(take < count - 1, share - take, -1.0)
    more = np.argsort(-rest, kind="stable")[:left]
    take[more[rest[more] >= 0]] += 1
    order = np.lexsort((np.random.default_rng(seed).random(len(y)), y))
    place = np.arange(len(y)) - np.repeat(np.cumsum(count) - count, count)
    held = np.zeros(len(y), bool)
    held[order] = place < np.repeat(take, count)
    return held
