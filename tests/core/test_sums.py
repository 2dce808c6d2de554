"""Means and standard deviations of columns against rational numbers, and weights as multiples of a unit."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from protoclass.core.distances.minkowski import _products
from protoclass.core.statistics.sums import COARSE, EXACT, extremes, in_units, sums, units

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


def test_extremes_skip_what_is_missing():
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [-2.0, np.nan]])
    low, high = extremes(X)
    assert low.tolist() == [-2.0, np.inf]
    assert high.tolist() == [1.0, -np.inf]


WEIGHTS = {
    "whole": ([1.0, 2.0, 5.0], 1.0),
    "tenths": ([0.1, 0.25, 2.5], 1 / 20),
    "thirds": ([1 / 3, 2 / 3, 1.0], 1 / 3),
    "a fraction that is rounded": ([0.1, (0.1 + 0.2) * 2**20], 1 / 10),  # by more than 1e-12 of the smallest weight
    "the largest denominator": ([1 / COARSE, 1.0], 1 / COARSE),
    "whole beyond the exact": ([1.5 * EXACT, 1.0], None),
    "beyond the largest denominator": ([1 / (COARSE + 7), 1.0], None),
    "irrational": ([2**0.5, 3**0.5, 0.1], None),
    "fractions of a large sum": ([1 / 3, EXACT / 2], None),
    "a little beside a fraction": ([0.5 + 1e-9, 1.0], None),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_multiples_of_a_unit(name):
    weights, expected = WEIGHTS[name]
    w = np.array(weights)
    multiples, unit = units(w)
    assert (multiples == np.round(multiples)).all()
    assert np.abs(multiples * unit - w).max() <= 1e-12 * w.max()
    assert multiples.sum() <= 2 * EXACT
    if expected is None:  # a power of 2, so small that as many bits are kept as sums can have
        assert np.log2(unit) % 1 == 0
        assert EXACT / 2 <= w.sum() / unit <= EXACT * (1 + 1e-9)
    else:
        assert unit == expected


def test_as_many_different_fractions_as_a_common_denominator_may_have():
    values = np.arange(1, COARSE + 1) / 8
    assert units(values)[1] == 1 / 8
    assert units(np.append(values, COARSE / 8 + 1))[1] < 1 / 8


def test_a_cost_that_differs_from_a_whole_number_by_rounding():
    assert in_units(0.3, 0.1) == 3.0  # 0.3 / 0.1 is below 3
    assert in_units(2.5, 1.0) == 2.5
    assert in_units(1 + 1e-9, 1.0) == 1 + 1e-9
    assert in_units(1e6 + 1e-7, 1.0) == 1e6
    assert in_units(1e-13, 1.0) == 0.0
    assert in_units(1e-9, 1.0) == 1e-9


@pytest.mark.parametrize(("n", "p", "q"), [(7, 5, 3), (8, 6, 600), (1, 1, 1)])
def test_products_are_summed_in_the_order_of_the_columns(n, p, q):
    draw = np.random.default_rng(0)
    a, b, out, total = draw.normal(size=(n, p)), draw.normal(size=(p, q)), np.empty((n, q)), 0.0
    _products(a, b, out)
    for x, z in zip(a.T, b, strict=True):
        total = total + x[:, None] * z
    assert (out == total).all()
