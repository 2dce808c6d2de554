"""Exact sums: against rational numbers, whatever the blocks, their order and who adds them."""

import pickle
from fractions import Fraction
from itertools import pairwise
from math import isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from protoclass.core import sums as module
from protoclass.core.sums import Exact, extremes, sums

TINY = np.nextafter(0.0, 1.0)


def rational(exact: Exact) -> list[Fraction]:
    return [Fraction(n) * Fraction(2) ** p for n, p in zip(exact.numbers, exact.powers, strict=True)]


def by_hand(X):
    columns = [[Fraction(float(v)) for v in column] for column in X.T]
    return [sum(c, Fraction(0)) for c in columns], [sum((v * v for v in c), Fraction(0)) for c in columns]


def rounded_root(value: Fraction) -> float:
    """The float nearest to the root of a rational number, found among neighbours of an approximation."""
    if value == 0:
        return 0.0
    digits = 2**2400
    near = float(Fraction(isqrt(value.numerator * digits**2 // value.denominator), digits))
    around = [near]
    for _ in range(2):
        around += [np.nextafter(around[-1], np.inf)]
        around.insert(0, np.nextafter(around[0], 0.0))
    for low, high in pairwise(around):
        middle = (Fraction(float(low)) + Fraction(float(high))) / 2
        if Fraction(float(low)) ** 2 <= value < Fraction(float(high)) ** 2:
            return float(low if value < middle**2 else high)
    raise AssertionError


def wild(rng, n, p):
    X = rng.standard_normal((n, p)) * 10.0 ** rng.integers(-300, 300, (n, p))
    X[::5] = TINY * rng.integers(-1000, 1000, X[::5].shape)  # denormals and zeros
    return X


@pytest.mark.parametrize("add", ["_by_powers", "_compiled"])
def test_both_ways_give_the_rational_sums(add):
    X = wild(np.random.default_rng(0), 137, 3)
    first, second = getattr(module, add)(X)
    assert (rational(first), rational(second)) == by_hand(X)


def test_the_largest_and_smallest_numbers_and_float32():
    big = np.finfo(float).max
    X = np.array([[big, TINY, -0.0], [big, -TINY, 0.0], [-big, TINY, 0.0]])
    for Y in (X, np.array([[3.4e38, 1e-45], [1.5, -1e-45]], np.float32)):
        known = sums(Y)
        assert (rational(known.first), rational(known.second)) == by_hand(Y)
        assert known.mean().tolist() == [float(t / len(Y)) for t in by_hand(Y)[0]]
    assert sums(np.array([[big], [-big]])).deviation()[0] == np.inf
    assert sums(np.array([[big], [big]])).deviation()[0] == 0
    assert sums(np.array([[TINY], [0.0]])).deviation()[0] == TINY  # 0.7 of it


def test_full_sums_of_one_power_do_not_overflow():
    """2^20 rows are added in 64 bits: here all mantissas are the largest, and all of one power."""
    most = np.nextafter(2.0, 1.0)
    X = np.full((2**20 + 5, 1), most)
    n, m = len(X), Fraction(most)
    known = sums(X)
    assert rational(known.first) == [n * m]
    assert rational(known.second) == [n * m * m]
    assert rational(sums(-X).first) == [-n * m]


@settings(max_examples=60, deadline=None)
@given(arrays(float, (7, 2), elements=st.floats(allow_nan=False, allow_infinity=False)), st.randoms())
def test_the_division_and_the_order_of_rows_do_not_matter(X, random):
    order = random.sample(range(7), 7)
    cut = random.randrange(8)
    parts = [sums(X[order[:cut]]), sums(X[order[cut:]])]
    random.shuffle(parts)
    joined, whole = parts[0] + parts[1], sums(X)
    assert joined == whole
    assert (rational(whole.first), rational(whole.second)) == by_hand(X)


@settings(max_examples=60, deadline=None)
@given(arrays(float, (5, 1), elements=st.floats(-1e150, 1e150)))
def test_mean_and_deviation_are_rounded_correctly(X):
    (total,), (squares,) = by_hand(X)
    variance = (squares - total**2 / 5) / 4
    assert sums(X).mean()[0] == float(total / 5)
    assert sums(X).deviation()[0] == rounded_root(variance)


def test_kernel_and_numpy_agree_on_any_layout():
    X = np.random.default_rng(1).standard_normal((20_000, 70)).round(3)
    whole = sums(X)
    assert whole == sums(np.asfortranarray(X)) == sums(X[::-1])
    parts = [sums(part) for part in np.array_split(X, [1, 300, 301, 15_000])]
    joined = parts[3] + parts[1]
    for part in (parts[4], parts[0], parts[2]):
        joined = part + joined
    assert joined == whole
    np.testing.assert_allclose(whole.deviation(), X.std(axis=0, ddof=1), rtol=1e-13)
    np.testing.assert_allclose(whole.mean(), X.mean(axis=0), rtol=1e-9, atol=1e-15)


def test_sums_are_small_when_sent():
    X = np.random.default_rng(2).standard_normal((5000, 20))
    assert len(pickle.dumps(sums(X))) < 2000


def test_no_rows_and_no_columns():
    empty = sums(np.empty((0, 2)))
    assert empty + sums(np.ones((3, 2))) == sums(np.ones((3, 2)))
    assert sums(np.empty((4, 0))).mean().shape == (0,)


def test_extremes_skip_what_is_missing():
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [-2.0, np.nan]])
    both = extremes(X[:1]) + extremes(X[1:])
    assert both.low.tolist() == [-2.0, np.inf]
    assert both.high.tolist() == [1.0, -np.inf]
