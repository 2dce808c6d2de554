"""Random triples are of three different rows, each as likely as the others."""

from itertools import combinations, permutations

import numpy as np
import pytest

from protoclass.core.embedding.properties import triangles


def test_three_rows_have_one_triple():
    P = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]])
    found = triangles(P, exact=2, triples=60)
    assert (found.tested, found.violated, found.exact, found.excess) == (60, 60, False, 2.0)
    assert found.at in ((0, 1, 2), (2, 1, 0))


@pytest.mark.parametrize("seed", range(3))
def test_random_triples_find_the_share_and_the_largest_excess(seed):
    random = np.random.default_rng(seed)
    P = random.integers(1, 6, (6, 6)).astype(float)  # asymmetric
    excess = {(a, b, c): P[a, c] - P[a, b] - P[b, c] for a, b, c in permutations(range(6), 3)}
    broken = {three for three in combinations(range(6), 3) if max(excess[at] for at in permutations(three)) > 0}
    every, some = triangles(P), triangles(P, seed=seed, exact=5, triples=4000)
    assert (every.tested, every.violated, every.exact) == (20, len(broken), True)
    assert some.violated / 4000 == pytest.approx(len(broken) / 20, abs=0.04)
    for found in (every, some):
        assert found.excess == max(excess.values()) == excess[found.at]
