"""Draws of rows: folds, test sets, samples with and without replacement, and permutations of classes.

Folds are one int vector: `fold[i]` is the fold that leaves row i out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...ground.errors import OptionError
from .. import Array

FOLDS = 10
Order = Callable[[np.random.Generator], Array]


def stratified(y: Array, folds: int, seed: int) -> Array:
    """Folds with about the same proportion of every class.

    Parameters
    ----------
    y : int array (n,)
        Class codes.
    folds : int
    seed : int

    Returns
    -------
    int array (n,)
        The sizes of the folds differ by at most 1, and so do the counts of each class.

    Examples
    --------
    >>> import numpy as np
    >>> fold = stratified(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 4, seed=0)
    >>> np.bincount(fold).tolist(), sorted(fold[:4].tolist())
    ([2, 2, 2, 2], [0, 1, 2, 3])
    """
    order = _shuffled(y, seed)
    fold = np.empty(len(y), np.int64)
    fold[order] = np.arange(len(y)) % folds
    return fold


def _shuffled(values: Array, seed: int | list[int]) -> Array:
    """The positions of the values in their order, ties at random."""
    return np.lexsort((np.random.default_rng(seed).random(len(values)), values))


def usual_folds(y: Array, groups: int | None = None) -> int:
    """The number of folds unless it is given: 10, or the number of rows of the smallest class if
    that is less. With groups it is 10, or the number of groups if that is less.

    Examples
    --------
    >>> usual_folds(np.repeat([0, 1], [50, 7])), usual_folds(np.repeat([0, 1], [50, 7]), groups=12)
    (7, 10)
    """
    return min(FOLDS, int(np.bincount(y).min()) if groups is None else groups)


def stratified_subset(y: Array, count: int, seed: int) -> Array:
    """A random subset of `count` rows with about the same proportion of every class, bool (n,).

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    >>> np.bincount(y[stratified_subset(y, 3, seed=0)]).tolist()
    [2, 1]
    """
    order = _shuffled(y, [seed, count])
    chosen = np.zeros(len(y), bool)
    chosen[order[np.floor((np.arange(count) + 0.5) * len(y) / count).astype(int)]] = True
    return chosen


def quotas(rows: Array, number: int, known: Array) -> Array:
    """Number of rows of each class in a sample of `number` rows; a class that is not `known` may have none.

    Each known class has at least number / 10 / (number of known classes) rows, or all if it
    has fewer.

    Examples
    --------
    >>> quotas(np.array([1_000_000, 100_000, 300]), 12_000, np.array([True, True, True])).tolist()
    [10636, 1064, 300]
    """
    if number >= rows.sum():
        return rows
    # the share of a class does not fall below a tenth of an equal one
    least = np.where(known, np.minimum(rows, number // (10 * max(1, known.sum()))), 0)
    exact, raised = rows * (number / rows.sum()), np.zeros(len(rows), bool)
    while (exact < least).any():  # the other classes then have fewer
        raised |= exact < least
        exact = np.where(
            raised, least, rows * ((number - least[raised].sum()) / rows[~raised].sum())
        )
    out = exact.astype(int)
    # the largest remainders
    out[np.argsort(-(exact % 1), kind="stable")[: number - out.sum()]] += 1
    return out


def drawn_by_class(y: Array, quota: Array, random: np.random.Generator) -> Array:
    """The positions, ascending, of a random sample with so many rows of each class."""
    return np.sort(
        np.concatenate(
            [
                random.choice(np.flatnonzero(y == c), size, replace=False)
                for c, size in enumerate(quota)
            ]
        )
    )


def grouped(y: Array, group: Array, folds: int, seed: int) -> Array:
    """Folds that keep the rows of a group together, with class proportions that are as even as this allows.

    The groups are assigned from the largest to the smallest, those of equal size in random order.
    Each goes to the fold in which it leaves the class proportions most even (lowest sum of squares
    of the fold's class counts over class sizes); ties go to the smallest fold.

    Parameters
    ----------
    y : int array (n,)
    group : int array (n,)
        Group codes, 0 to the number of groups - 1.
    folds : int
    seed : int

    Returns
    -------
    int array (n,)
        Fold of each row, 0 to `folds` - 1.
    """
    groups, classes = group.max() + 1, y.max() + 1
    if groups < folds:
        raise OptionError(
            f"cv={folds} needs at least {folds} groups, but there are {groups}: use a smaller cv"
        )
    count = np.zeros((groups, classes))
    np.add.at(count, (group, y), 1)
    # of the rows of a calibration, a class may have none
    share = count / np.maximum(1.0, count.sum(axis=0))
    order = _shuffled(-count.sum(axis=1), seed)
    shares, size = np.zeros((folds, classes)), np.zeros(folds)
    group_fold = np.empty(groups, np.int64)
    for g in order:
        increase = ((shares + share[g]) ** 2 - shares**2).sum(axis=1)
        f = np.lexsort((size, increase.round(12)))[0]
        group_fold[g] = f
        shares[f] += share[g]
        size[f] += count[g].sum()
    return group_fold[group]


def holdout(y: Array, test: float, seed: int) -> Array:
    """Rows held out once, about the same proportion of every class.

    Parameters
    ----------
    y : int array (n,)
        Class codes.
    test : float between 0 and 1
        Proportion of the rows to hold out.
    seed : int

    Returns
    -------
    bool array (n,)
        True for round(n x test) rows, or fewer if small classes keep a row: each class keeps at
        least one. It gives the integer part of its size times `test`, and the classes with the
        largest remainders give one row more.

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
    still_needed = max(0, round(len(y) * test) - take.sum())
    remainder = np.where(take < count - 1, share - take, -1.0)
    extra = np.argsort(-remainder, kind="stable")[:still_needed]
    take[extra[remainder[extra] >= 0]] += 1
    order = _shuffled(y, seed)
    position = np.arange(len(y)) - np.repeat(np.cumsum(count) - count, count)
    out = np.zeros(len(y), bool)
    out[order] = position < np.repeat(take, count)
    return out


def bootstrap(draw: np.random.Generator, strata: Sequence[Array]) -> Array:
    """Times that each unit is in a sample with replacement, which has as many units of each stratum as there are.

    Parameters
    ----------
    draw : Generator
    strata : sequence of int arrays
        Units of each stratum, all of 0, 1, ..., the number of units - 1.
    """
    drawn = [units[draw.integers(0, len(units), len(units))] for units in strata]
    return np.bincount(np.concatenate(drawn), minlength=sum(map(len, strata)))


def sample_by_class(y: Array, kind: str, seed: tuple[int, ...]) -> Array:
    """Times that each row is in a sample, int (n,), drawn class by class: a "bootstrap", or "halves" of the rows."""
    if kind == "halves":
        half = int(np.random.SeedSequence(seed).generate_state(1)[0])
        return (~holdout(y, 0.5, half)).astype(np.int64)
    return bootstrap(
        np.random.default_rng(seed), [np.flatnonzero(y == c) for c in range(int(y.max()) + 1)]
    )


def disjoint(y: Array, fraction: float, draw: np.random.Generator) -> tuple[Array, Array]:
    """Two samples without a row in common, bool (n,) each, with this fraction of the rows of each
    class, rounded down.

    Examples
    --------
    >>> first, _ = disjoint(np.zeros(100, int), 0.29, np.random.default_rng(0))
    >>> int(first.sum())
    29
    """
    first, second = np.zeros(len(y), bool), np.zeros(len(y), bool)
    for c in range(int(y.max()) + 1):
        rows = draw.permutation(np.flatnonzero(y == c))
        count = int(fraction * len(rows) + 1e-9)  # 0.29 * 100 < 29
        first[rows[:count]], second[rows[count : 2 * count]] = True, True
    return first, second


def exchangeable(y: Array, groups: Array | None) -> tuple[str, Order]:
    """Description of the permutations, and a function that draws an order of the rows from which
    their classes are taken.

    Parameters
    ----------
    y : int array (n,)
        Class codes.
    groups : int array (n,), or None
        Codes 0, 1, ... of the groups that the rows belong to.
    """
    n = len(y)
    if groups is None:
        return "classes permuted among all rows", lambda draw: draw.permutation(n)
    first = np.unique(groups, return_index=True)[1]  # a row of each group
    if (y == y[first][groups]).all():
        return "classes permuted among groups", lambda draw: first[draw.permutation(len(first))][
            groups
        ]
    members = [np.flatnonzero(groups == g) for g in range(len(first))]

    def within(draw: np.random.Generator) -> Array:
        order = np.arange(n)
        for rows in members:
            order[rows] = draw.permutation(rows)
        return order

    return "classes permuted within groups", within
