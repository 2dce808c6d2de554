"""Samples of rows with and without replacement, and permutations of classes; units are rows, or groups of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import Array
from .folds import holdout

Order = Callable[[np.random.Generator], Array]


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
    """
    first, second = np.zeros(len(y), bool), np.zeros(len(y), bool)
    for c in range(int(y.max()) + 1):
        rows = draw.permutation(np.flatnonzero(y == c))
        count = int(np.floor(fraction * len(rows)))
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
