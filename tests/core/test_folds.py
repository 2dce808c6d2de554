"""Folds of groups, rows held out and random subsets, beside slow versions that count one class at a time."""

from fractions import Fraction

import numpy as np
import pytest

from protoclass.core.statistics.folds import grouped, holdout, stratified_subset


def slow_groups(y, group, folds, seed):
    """The rule of `grouped` with exact shares."""
    groups, classes = range(max(group) + 1), range(max(y) + 1)
    counts = [[sum(1 for a, b in zip(y, group, strict=True) if (a, b) == (c, g)) for c in classes] for g in groups]
    share = [[Fraction(counts[g][c], max(1, sum(y == c))) for c in classes] for g in groups]
    draw = np.random.default_rng(seed).random(len(groups))
    held, size, place = [[Fraction(0)] * len(classes) for _ in range(folds)], [0] * folds, {}
    for g in sorted(groups, key=lambda g: (-sum(counts[g]), draw[g])):
        uneven = [sum((h + s) ** 2 - h**2 for h, s in zip(held[f], share[g], strict=True)) for f in range(folds)]
        f = min(range(folds), key=lambda f: (uneven[f], size[f], f))
        place[g], size[f] = f, size[f] + sum(counts[g])
        held[f] = [h + s for h, s in zip(held[f], share[g], strict=True)]
    return [place[g] for g in group]


@pytest.mark.parametrize("seed", range(6))
def test_groups_go_where_they_leave_the_shares_most_even(seed):
    random = np.random.default_rng(seed)
    group = np.concatenate([np.arange(7), random.integers(0, 7, 33)])
    y = np.concatenate([np.arange(3), random.integers(0, 3, 37)])
    folds = 2 + seed % 4
    assert grouped(y, group, folds, seed).tolist() == slow_groups(y, group, folds, seed)


@pytest.mark.parametrize("test", [0.1, 0.25, 1 / 3, 0.5, 0.9])
@pytest.mark.parametrize("counts", [(6, 3), (10, 5, 5), (1, 7, 2), (1, 1, 1), (4, 4, 4, 9), (2, 2, 2, 100)])
def test_rows_held_out_by_class(counts, test):
    """The whole part of each share, then one more where most is left; a class keeps a row."""
    y = np.repeat(np.arange(len(counts)), counts)
    share = [min(n * test, n - 1) for n in counts]
    take = [int(s + 1e-9) for s in share]
    left = sorted((c for c in range(len(counts)) if take[c] < counts[c] - 1), key=lambda c: take[c] - share[c])
    for c in left[: max(0, round(len(y) * test) - sum(take))]:
        take[c] += 1
    held = holdout(y, test, seed=1)
    assert np.bincount(y[held], minlength=len(counts)).tolist() == take
    random = np.random.default_rng(1).random(len(y))  # within a class, the rows with the smallest draws
    for c, number in enumerate(take):
        rows = np.flatnonzero(y == c)
        assert np.flatnonzero(held & (y == c)).tolist() == sorted(rows[np.argsort(random[rows])][:number])


@pytest.mark.parametrize("count", [0, 1, 7, 29, 30])
def test_a_subset_has_each_class_by_its_share(count):
    y = np.repeat([0, 1, 2], [15, 10, 5])
    chosen = stratified_subset(y, count, seed=3)
    assert chosen.sum() == count
    assert (np.abs(np.bincount(y[chosen], minlength=3) - np.array([15, 10, 5]) * count / 30) < 1).all()
    assert count in (0, 30) or (chosen != stratified_subset(y, count, seed=4)).any()
