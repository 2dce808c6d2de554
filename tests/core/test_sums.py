"""Means and standard deviations of columns: against rational numbers, and whatever the blocks."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from protoclass.core.statistics.sums import extremes, sums

TINY = np.nextafter(0.0, 1.0)


def by_hand(X):
    """Mean and standard deviation of each column, by rational numbers."""
    columns = [[Fraction(float(v)) for v in column] for column in X.T]
    means = [sum(column) / len(column) for column in columns]
    variances = [sum((v - m) ** 2 for v in column) / (len(column) - 1) for column, m in zip(columns, means, strict=True)]
    return np.array(list(map(float, means))), np.array([sqrt(v) for v in variances])


@pytest.mark.parametrize("power", [0, -530, 530, 960])
def test_means_and_deviations(power):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=137), 1000 + rng.normal(size=137), rng.integers(0, 9, 137) / 10])
    mean, deviation = by_hand(X)
    known = sums(X * 2.0**power)
    np.testing.assert_allclose(known.mean(), mean * 2.0**power, rtol=1e-13, atol=1e-15 * 2.0**power)
    np.testing.assert_allclose(known.deviation(), deviation * 2.0**power, rtol=1e-12)


def test_the_largest_and_smallest_numbers():
    big = np.finfo(float).max
    assert not np.isfinite(sums(np.array([[big], [-big]])).deviation()[0])
    assert not np.isfinite(sums(np.array([[big]])).join(sums(np.array([[-big]]))).deviation()[0])
    assert sums(np.array([[big], [big]])).deviation()[0] == 0
    assert sums(np.array([[TINY], [0.0]])).deviation()[0] == TINY  # 0.7 of it


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_joined_parts_are_the_whole_but_for_rounding(dtype):
    X = (1e4 + np.random.default_rng(1).standard_normal((20_000, 70)).round(3)).astype(dtype)
    whole, parts = sums(X), [sums(part) for part in np.array_split(X, [0, 1, 300, 301, 15_000])]
    joined = parts[3].join(parts[1])
    for part in (parts[4], parts[0], parts[2], parts[5]):
        joined = part.join(joined)
    assert joined.count == whole.count
    np.testing.assert_allclose(joined.mean(), whole.mean(), rtol=1e-14)
    np.testing.assert_array_equal(joined.deviation(), whole.deviation())


def test_the_layout_and_other_columns_change_no_bit():
    X = np.random.default_rng(2).standard_normal((3000, 200))
    whole, across = sums(X), sums(np.asfortranarray(X))
    some = sums(X[:, 7:9])
    for name in ("middle", "squares"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(across, name))
        np.testing.assert_array_equal(getattr(whole, name)[7:9], getattr(some, name))


def test_no_rows_and_no_columns():
    empty, ones = sums(np.empty((0, 2))), sums(np.arange(6.0).reshape(3, 2))
    for joined in (empty.join(ones), ones.join(empty)):
        assert (joined.count, joined.mean().tolist(), joined.squares.tolist()) == (3, [2, 3], [8, 8])
    assert empty.join(empty).mean().tolist() == [0, 0]
    assert sums(np.empty((4, 0))).mean().shape == (0,)


def test_extremes_skip_what_is_missing():
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [-2.0, np.nan]])
    low, high = extremes(X)
    assert low.tolist() == [-2.0, np.inf]
    assert high.tolist() == [1.0, -np.inf]
