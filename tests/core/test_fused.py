"""Sums of squares by NumPy that are rounded as a fused multiplication and addition rounds them."""

from fractions import Fraction

import numpy as np
import pytest

from protoclass.core.distances import fused
from protoclass.core.distances.minkowski import _euclidean, minkowski
from protoclass.core.parallel import Kernel


def rounded(exact, dtype):
    """The float nearest to a fraction; of two the one with an even last bit."""
    near = dtype(float(exact))
    around = [np.nextafter(near, dtype(-np.inf)), near, np.nextafter(near, dtype(np.inf))]
    whole = np.int32 if dtype == np.float32 else np.int64
    return min(around, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(whole)) & 1))


def numbers(rng, kind, dtype):
    """Differences whose squares, or sums of them, often lie midway between two floats in some kinds."""
    if kind == "random":
        return (rng.normal(size=(3, 5)) * 10.0 ** rng.integers(-9, 9, 5)).astype(dtype)
    if kind == "decimals":
        return rng.integers(-99, 99, (3, 5)).astype(dtype) / dtype(10)
    digits = 13 if dtype == np.float32 else 27  # of which a square has one more bit than a float
    return (rng.integers(2 ** (digits - 1), 2**digits, (3, 5)) * 2.0 ** rng.integers(-3, 3, 5)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["random", "decimals", "midway"])
def test_each_square_is_rounded_with_the_sum(kind, dtype):
    differs = 0
    for seed in range(40):
        d = numbers(np.random.default_rng(seed), kind, dtype)
        expected = np.empty(len(d), dtype)
        for i, row in enumerate(d):
            total = dtype(0)
            for x in row:
                total = rounded(Fraction(float(total)) + Fraction(float(x)) ** 2, dtype)
            expected[i] = np.sqrt(total)
        found = fused.root_of_squares(d, np.zeros((1, 5), dtype))[:, 0]
        np.testing.assert_array_equal(found, expected, strict=True)
        differs += (np.sqrt(sum(d[:, f] ** 2 for f in range(5))) != expected).sum()
    assert differs > 5  # NumPy alone rounds twice


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("power", [-250, -155, -119, -40, 0, 14, 30, 149, 153, 200])
def test_extreme_sizes_have_the_bits_of_the_kernel(power, dtype, monkeypatch):
    monkeypatch.setattr(Kernel, "called", False)
    rng = np.random.default_rng(0)
    with np.errstate(over="ignore", under="ignore"):
        a, b = ((rng.normal(size=(9, 3)) * 10.0**power).astype(dtype) for _ in range(2))
    a, b = (np.where(np.isfinite(x), x, 0) for x in (a, b))
    a[0] = b[0]
    expected = np.empty((9, 9), dtype)
    _euclidean(a, np.ascontiguousarray(b.T), expected)
    np.testing.assert_array_equal(minkowski(a, b), expected, strict=True)


def test_sizes_at_which_bits_are_lost_are_left_to_the_kernel():
    one = np.ones((2, 3))
    assert fused.root_of_squares(one, 0 * one).tolist() == [[3**0.5] * 2] * 2
    for scale in (1e-125, 1e155, np.inf):
        assert fused.root_of_squares(one * scale, 0 * one) is None
    assert fused.root_of_squares(one[:0], one).shape == (0, 2)


@pytest.mark.parametrize("name", fused.OVERRIDES)
def test_features_that_are_set_by_hand_are_not_guessed(name, monkeypatch):
    fused.fuses.cache_clear()
    monkeypatch.setenv(name, "1")
    assert not fused.fuses()
    fused.fuses.cache_clear()
