"""Dissimilarities of given ranks, and radii at quantiles, from the bins that matter."""

import numpy as np
import pytest

from protoclass.core import coding, histogram
from protoclass.core.histogram import quantile_ranks, radii_at, values_at
from protoclass.core.sources import Held

LEVELS = np.array([0.0, 0.01, 0.2, 0.25, 0.5, 0.75, 0.99, 1.0])


@pytest.mark.parametrize("n", [1, 2, 4, 20, 101])
def test_ranks_are_those_of_the_inverse_of_the_distribution(n):
    values = np.sort(np.random.default_rng(n).normal(size=n))
    found = values[quantile_ranks(LEVELS, n) - 1]
    assert found.tolist() == np.quantile(values, LEVELS, method="inverted_cdf").tolist()
    default = np.concatenate([[0.0], np.geomspace(n**-0.5, 0.5, 19)])
    assert values[quantile_ranks(None, n) - 1].tolist() == np.quantile(values, default, method="inverted_cdf").tolist()


def test_radii_lie_halfway_to_the_next_smaller_value():
    values = np.array([[1.0, 1.0, 2.0, 4.0, 4.0, 8.0]])
    found = radii_at(Held(values), np.full(6, -1), np.array([4, 2, 3, 5, 6]) / 6, (0,))
    assert np.unique(found).tolist() == [0.5, 1.5, 3.0, 6.0]
    assert set(radii_at(Held(values[:, :1]), np.full(1, -1), LEVELS, (0,))) == {0.5}


def slow_values(D, same, ranks):
    counts = (same != np.arange(len(D))[:, None]) & (D > 1e-310) & (np.inf > D)
    values = np.sort(D[counts])
    if not len(values):
        return [], []
    found = values[ranks(len(values)) - 1]
    return found.tolist(), [max(values[values < v], default=0.0) for v in found]


@pytest.mark.parametrize("tile", [3, 1024])
@pytest.mark.parametrize("few", [2**18, 0])
@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_all_pairs_sorted(seed, few, tile, monkeypatch):
    """Ties, empty bins, zeros, tiny and infinite values, and candidates that are rows."""
    monkeypatch.setattr(coding, "SIDE", tile)
    monkeypatch.setattr("protoclass.core.parallel.FEW", few)
    random = np.random.default_rng(seed)
    D = random.choice(random.integers(0, 400, 6 + 9 * seed) / 10, (9, 7))
    D[random.random(D.shape) < 0.1] = random.choice([0.0, 1e-311, np.inf])
    D = D.astype(np.float32) if seed % 2 else D
    same = np.array([8, 0, -1, 3, 4, -1, 7])

    def ranks(total):
        return np.maximum(np.ceil(LEVELS * total), 1).astype(int)

    for fine_from in (0, 2**22):
        monkeypatch.setattr(histogram, "FINE_FROM", fine_from)
        found, smaller = values_at(Held(D), same, ranks)
        assert found.dtype == (D.dtype if len(found) else float)
        assert (found.tolist(), smaller.tolist()) == slow_values(D.astype(float), same, ranks)
