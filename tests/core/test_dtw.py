"""Dynamic time warping against a recursion, published examples, and what it promises."""

from itertools import pairwise

import numpy as np
import pytest
from reference_dtw import slow

from protoclass.core import parallel
from protoclass.core.distances.dtw import dtw


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
@pytest.mark.parametrize("window", [None, 0, 1, 2, 3, 7, 50])
def test_equals_recursion(power, window):
    for T, S in ((1, 1), (1, 5), (13, 13), (13, 19), (20, 6)):
        A, B = series(T, 5, T), series(S + 100, 6, S)
        wanted = [[slow(a, b, window, power) for b in B] for a in A]
        assert np.allclose(dtw(A, B, window=window, power=power), wanted, rtol=1e-13, atol=0)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("window", [None, 0, 4])
def test_symmetric_and_zero_to_the_bit(power, window):
    for seed, T in enumerate((1, 2, 7, 16, 33, 70)):
        A, B = series(seed, 17, T), series(seed + 100, 12, T + seed)
        assert (dtw(A, B, window=window, power=power) == dtw(B, A, window=window, power=power).T).all()
        own = dtw(A, A, window=window, power=power)
        assert (own == own.T).all()
        assert (own.diagonal() == 0).all()


def test_no_tile_changes_a_bit(monkeypatch):
    A, B = series(3, 30, 40), series(4, 20, 31)
    whole = dtw(A, B)
    assert (np.concatenate([dtw(A[i : i + 1], B) for i in range(30)]) == whole).all()
    assert (np.concatenate([dtw(A, B[j : j + 1]) for j in range(20)], axis=1) == whole).all()
    assert (dtw(np.asfortranarray(A), B) == whole).all()
    monkeypatch.setattr(parallel, "SMALL", 1)
    monkeypatch.setattr("protoclass.core.distances.dtw.SMALL", 2000)  # so that there are many blocks, on threads
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    assert (dtw(A, B) == whole).all()


def test_window_zero_is_minkowski():
    draw = np.random.default_rng(0)
    A, B = draw.normal(size=(8, 25)), draw.normal(size=(6, 25))
    assert np.allclose(dtw(A, B, window=0, power=1), np.abs(A[:, None] - B).sum(axis=2), rtol=1e-13)
    assert np.allclose(dtw(A, B, window=0, power=2), np.sqrt(((A[:, None] - B) ** 2).sum(axis=2)), rtol=1e-13)


def test_a_wider_window_never_costs_more():
    draw = np.random.default_rng(1)
    A, B = draw.normal(size=(8, 25)), draw.normal(size=(6, 25))
    found = [dtw(A, B, window=w) for w in (*range(25), 25, 10**6)]
    assert all((wide <= narrow).all() for narrow, wide in pairwise(found))
    assert (found[0] > found[24]).any()
    for at in (24, 25, 26):
        assert (found[at] == dtw(A, B)).all()


def test_series_that_linger():
    a, b = np.array([[0.0, 1.0]]), np.array([[0.0, 0.0, 1.0]])
    assert dtw(a, b)[0, 0] == 0
    # not a metric: 0 to b and nothing to c, but further from c than b is
    c = np.array([[1.0, 2.0, 2.0]])
    assert dtw(b, c)[0, 0] > dtw(a, c)[0, 0] + dtw(a, b)[0, 0]


def test_nothing_to_measure():
    A = np.ones((3, 4))
    assert dtw(A[:0], A).shape == (0, 3)
    assert dtw(A, A[:0]).shape == (3, 0)
