"""Dynamic time warping against a recursion, published examples, and what it promises."""


import numpy as np
import pytest

from protoclass.core.distances.sequences import dtw


def every_path(a, b, power):
    """The least cost over all warping paths, each written out and added up."""

    def walk(i, j, sofar):
        sofar = sofar + abs(a[i] - b[j]) ** power
        if i == len(a) - 1 and j == len(b) - 1:
            yield sofar
        for k, m in ((i + 1, j), (i, j + 1), (i + 1, j + 1)):
            if k < len(a) and m < len(b):
                yield from walk(k, m, sofar)

    return min(walk(0, 0, 0.0)) ** (1 / power)


def series(seed, n, T):
    return np.random.default_rng(seed).normal(size=(n, T))


def test_example_of_coleman():
    # J. Coleman, Oxford, "Dynamic programming example": the table of squares has a path of 0s but for its two ends,
    # both 1
    x, y = np.array([[1.0, 1, 2, 3, 2, 0]]), np.array([[0.0, 1, 1, 2, 3, 2, 1]])
    assert dtw(x, y)[0, 0] == np.sqrt(2)
    assert dtw(x, y, power=1)[0, 0] == 2


def test_example_of_aeon():
    # aeon's documentation of dtw_distance: the sum of squares, without the root, is 768
    assert dtw(np.arange(1.0, 11)[None], np.arange(11.0, 21)[None])[0, 0] ** 2 == pytest.approx(768, rel=1e-15)


@pytest.mark.parametrize("power", [1, 2])
def test_equals_every_path(power):
    for seed in range(20):
        draw = np.random.default_rng(seed)
        a, b = draw.normal(size=draw.integers(1, 6)), draw.normal(size=draw.integers(1, 6))
        assert dtw(a[None], b[None], power=power)[0, 0] == pytest.approx(every_path(a, b, power), rel=1e-13)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("window", [None, 0, 4])
def test_symmetric_and_zero_to_the_bit(power, window):
    for seed, T in enumerate((1, 2, 7, 16, 33, 70)):
        A, B = series(seed, 17, T), series(seed + 100, 12, T + seed)
        assert (dtw(A, B, window=window, power=power) == dtw(B, A, window=window, power=power).T).all()
        own = dtw(A, A, window=window, power=power)
        assert (own == own.T).all()
        assert (own.diagonal() == 0).all()


def test_series_that_linger():
    a, b = np.array([[0.0, 1.0]]), np.array([[0.0, 0.0, 1.0]])
    assert dtw(a, b)[0, 0] == 0
    # not a metric: 0 to b and nothing to c, but further from c than b is
    c = np.array([[1.0, 2.0, 2.0]])
    assert dtw(b, c)[0, 0] > dtw(a, c)[0, 0] + dtw(a, b)[0, 0]
