"""Radii at quantiles, from all values and from the bins that matter."""

import numpy as np
import pytest

from protoclass.core.coding import bits_of, shift_of
from protoclass.core.covers.binned_radii import collect_bins, count_bins, quantile_bins
from protoclass.core.covers.quantiles import between, positions

LEVELS = np.array([0.0, 0.01, 0.2, 0.25, 0.5, 0.75, 0.99, 1.0])


@pytest.mark.parametrize("n", [1, 2, 4, 20, 101])
def test_positions_are_those_of_the_inverse_of_the_distribution(n):
    values = np.sort(np.random.default_rng(n).normal(size=n))
    found = values[positions(LEVELS, n)]
    assert found.tolist() == np.quantile(values, LEVELS, method="inverted_cdf").tolist()
    default = np.concatenate([[0.0], np.geomspace(n**-0.5, 0.5, 19)])
    assert values[positions(None, n)].tolist() == np.quantile(values, default, method="inverted_cdf").tolist()


def test_radii_lie_halfway_to_the_next_smaller_value():
    values = np.array([1.0, 1.0, 2.0, 4.0, 4.0, 8.0])
    assert between(values, np.array([4.0, 1.0, 2.0, 4.0, 8.0])).tolist() == [0.5, 1.5, 3.0, 6.0]
    assert between(values[:1], values[:1]).tolist() == [0.5]


@pytest.mark.parametrize("seed", range(8))
def test_the_bins_that_are_needed_give_the_radii_of_all_values(seed):
    """Many ties, empty bins, and quantiles whose next smaller value lies some bins before; the first bin has no values."""
    random = np.random.default_rng(seed)
    values = np.sort(random.choice(random.integers(10, 400, 6 + seed) / 10, 5 * (1 + 3 * seed)))
    bins = values.astype(int)
    found = quantile_bins(np.bincount(bins, minlength=41), LEVELS[1:-1])
    expected = between(values, values[positions(LEVELS[1:-1], len(values))])
    kept = random.permutation(values[found.needed[bins]])
    assert found.radii(kept).tolist() == expected.tolist()
    once, times = np.unique(kept, return_counts=True)
    order = random.permutation(len(once))
    assert found.radii(once[order], times[order]).tolist() == expected.tolist()


def test_few_bins_are_needed():
    found = quantile_bins(np.array([0, 5, 0, 5, 0, 5, 5]), np.array([0.6]))
    assert np.flatnonzero(found.needed).tolist() == [3, 5]
    assert quantile_bins(np.zeros(4, int), LEVELS) is None


class InParts:
    """A source of a matrix that is scanned in four tiles."""

    def __init__(self, D):
        self.D = D

    def scan(self, local, finish):
        n, m = np.array(self.D.shape) // 2
        tiles = [(np.arange(len(self.D))[a], np.arange(self.D.shape[1])[b]) for a in (slice(n), slice(n, None))
                 for b in (slice(m), slice(m, None))]  # fmt: skip
        return [finish(a, b, *local(a, b, self.D[np.ix_(a, b)])) for a, b in tiles]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_is_not_counted_beside_itself(dtype):
    random = np.random.default_rng(0)
    D, candidate_row = random.random((9, 7)).astype(dtype), np.array([8, 0, -1, 3, 4, -1, 7])
    D[0, 1] = D[2, 2] = 0.0
    others = candidate_row != np.arange(9)[:, None]
    bins = (bits_of(D) >> shift_of(D.dtype, 12)).astype(int)
    expected = np.bincount(bins[others], minlength=2**12)
    expected[0] = 0
    assert count_bins(InParts(D), candidate_row, 12).tolist() == expected.tolist()
    needed = random.random(2**12) < 0.5
    found = collect_bins(InParts(D), candidate_row, 12, needed)
    assert found.dtype == np.float64
    assert sorted(found) == sorted(D[others & needed[bins]])
