"""MMD-critic's choices against slow transcriptions of the paper, brute force, and what they promise."""

from math import fsum, inf

import numpy as np
import pytest

from protoclass.core.neighbours.mmd import criticisms, default_gamma, mmd_prototypes, similarities


def slow_J(K, w, own, S):
    """The paper's objective with weights for 1 / n, every sum written out; 0 for no prototype."""
    if not S:
        return 0.0
    rows = fsum(w[i] * K[i, j] for i in range(len(w)) for j in S) / fsum(w)
    return 2 * rows / len(S) - fsum(K[own[i], j] for i in S for j in S) / len(S) ** 2


def slow_witness(K, w, own, S, z):
    return fsum(w[i] * K[i, z] for i in range(len(w))) / fsum(w) - fsum(K[own[j], z] for j in S) / len(S)


def slow_L(K, w, own, S, C):
    """The paper's objective for criticisms with the log-determinant."""
    gaps = fsum(abs(slow_witness(K, w, own, S, z)) for z in C)
    inside = np.array([[(K[own[i], j] + K[own[j], i]) / 2 for j in C] for i in C])
    sign, size = np.linalg.slogdet(inside)
    return gaps + size if sign > 0 else -inf


def points(seed, n=9):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 2))
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), draw.integers(1, 4, n).astype(float)


def problem(seed):
    """Similarities (psd, or neither psd nor symmetric), weights and the rows that the candidates are: all or some."""
    D, w = points(seed, 7 + seed % 5)
    n, draw = len(w), np.random.default_rng(seed)
    K = similarities(D, 0.7) if seed % 2 else draw.random((n, n)) + (np.eye(n) if seed % 4 else 0)
    own = np.arange(n) if seed % 3 else np.sort(draw.choice(n, n - 2, replace=False))
    w = w if seed % 5 else draw.random(n) + 0.01
    return np.ascontiguousarray(K[:, own]), w, own


def test_objective_is_a_constant_less_the_squared_discrepancy():
    # of explicit features: k(x, z) = <x, z>, so that the discrepancy is the distance between two means
    draw = np.random.default_rng(0)
    X, w = draw.normal(size=(8, 3)), draw.random(8)
    K = X @ X.T
    found = mmd_prototypes(K, w, 8, np.arange(8))
    mean = w @ X / w.sum()
    for k in range(1, 9):
        squared = ((mean - X[found.chosen[:k]].mean(axis=0)) ** 2).sum()
        assert mean @ mean - found.objective[k - 1] == pytest.approx(squared, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_every_prototype_is_the_best_by_the_paper(seed):
    K, w, own = problem(seed)
    m = len(own)
    found = mmd_prototypes(K, w, m, own)
    assert sorted(found.chosen) == list(range(m))
    S = []
    for j, value in zip(found.chosen.tolist(), found.objective, strict=True):
        after = {i: slow_J(K, w, own, [*S, i]) for i in range(m) if i not in S}
        assert after[j] == pytest.approx(max(after.values()), abs=1e-12)
        assert value == pytest.approx(after[j], abs=1e-12)
        S.append(j)


@pytest.mark.parametrize("seed", range(3))
def test_every_criticism_is_the_best_by_the_paper(seed):
    K, w, own = problem(seed)
    m = len(own)
    S = mmd_prototypes(K, w, 2, own).chosen
    found, C = criticisms(K, w, S, m - 2, own), []
    for z, value in zip(found.chosen.tolist(), found.objective, strict=True):
        after = {i: slow_L(K, w, own, S, [*C, i]) for i in range(m) if i not in C and i not in S}
        assert after[z] == pytest.approx(max(after.values()), abs=1e-8)
        assert value == pytest.approx(after[z], abs=1e-8)
        C.append(z)
    assert len(C) == m - 2 or all(slow_L(K, w, own, S, [*C, i]) < -20 for i in range(m) if i not in C and i not in S)


@pytest.mark.parametrize("seed", range(3))
def test_copies_of_a_criticism_are_none(seed):
    D, _ = points(seed)
    twice = np.arange(18) % 9
    K = similarities(D[np.ix_(twice, twice)], 2.0)
    found = criticisms(K, np.ones(18), np.array([4, 13]), 16, np.arange(18))
    assert sorted(found.chosen.tolist()) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert np.isfinite(found.objective).all()


def test_rows_that_are_all_the_same():
    D, w = np.zeros((5, 5)), np.array([1.0, 2, 3, 4, 5])
    assert default_gamma([(D, w, np.arange(5))]) == 1
    K = similarities(D, 1.0)
    found = mmd_prototypes(K, w, 5, np.arange(5))
    assert found.chosen.tolist() == [0, 1, 2, 3, 4]
    assert np.allclose(found.objective, 1, rtol=0, atol=1e-14)
    # one criticism stands for all of them, though nothing is to be criticised
    none = criticisms(K, w, np.array([0]), 4, np.arange(5))
    assert none.chosen.tolist() == [1]
    assert none.objective == pytest.approx([0], abs=1e-15)


def test_default_gamma_is_of_the_median():
    for seed in range(20):
        D, w = points(seed, 6 + seed % 3)
        n = len(w)
        pairs = D[np.triu_indices(n, 1)]
        found = default_gamma([(D, np.ones(n), np.arange(n))])
        median = np.sort(pairs)[(len(pairs) - 1) // 2]
        assert found == pytest.approx(1 / median**2, rel=1e-14)
        long = np.repeat(pairs, (w[:, None] * w)[np.triu_indices(n, 1)].astype(int))
        assert default_gamma([(D, w, np.arange(n))]) == pytest.approx(
            1 / np.sort(long)[(len(long) - 1) // 2] ** 2, rel=1e-14
        )
        # two classes: the pairs within both
        own, rest = np.arange(3), np.arange(n - 3)
        parts = [(D[:3, :3], w[:3], own), (D[3:, 3:].astype(np.float32), w[3:], rest)]
        both = np.concatenate([np.repeat(d.ravel(), np.outer(v, v).ravel().astype(int)) for d, v, _ in parts])
        both = np.sort(both[both > 0])
        assert default_gamma(parts) == pytest.approx(1 / both[(len(both) - 1) // 2] ** 2, rel=1e-14)


def test_default_gamma_of_candidates_and_of_sizes_beyond_reach():
    D, w = points(3)
    own = np.array([1, 4])
    some = np.repeat(D[:, own].ravel(), np.outer(w, w[own]).ravel().astype(int))
    some = np.sort(some[some > 0])
    assert default_gamma([(D[:, own], w, own)]) == pytest.approx(1 / some[(len(some) - 1) // 2] ** 2, rel=1e-14)
    with np.errstate(all="raise", under="ignore"):
        for size in (1e-320, 1e-200, 1e-154, 1e154, 1e200, 1e308):
            far = D / D.max() * size
            gamma = default_gamma([(far, w, np.arange(9))])
            K = similarities(far, gamma)
            assert 0 < gamma < inf
            assert np.isfinite(mmd_prototypes(K, w, 3, np.arange(9)).objective).all()
    assert default_gamma([(np.zeros((2, 2)), np.ones(2), np.arange(2))]) == 1
    assert default_gamma([(D, np.zeros(9), np.arange(9))]) == 1
