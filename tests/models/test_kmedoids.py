"""k-medoids against loops and brute force, against the package kmedoids, and what it promises through fit."""

from itertools import combinations
from math import fsum

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.vectors.medoids import STARTS, begin, block, kmedoids, swap_medoids
from protoclass.models.kmedoids import KMedoids

RAW = pc.Euclidean(scale=False)


def problem(seed, n=None, m=None, dtype=float):
    """Dissimilarities, weights and the rows that the candidates are: asymmetric with ties, or of points in the plane."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(5, 12)) if n is None else n
    own = np.sort(draw.choice(n, n if m is None else m, replace=False))
    if seed % 2:
        return draw.integers(0, 7, (n, len(own))).astype(dtype), draw.integers(1, 4, n).astype(float), own
    X = draw.normal(size=(n, 2))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))[:, own]
    return D.astype(dtype), draw.random(n) + 0.1, own


def plain(D):
    """A Block of all rows, each weighing 1."""
    return block(D, np.ones(len(D)), np.arange(len(D)))


def loss(D, w, medoids):
    return fsum(w * D[:, list(medoids)].min(axis=1))  # rounded once: the same terms in any order give the same


def slow_swaps(D, w, first):
    """FasterPAM with every loss added up anew (Schubert and Rousseeuw 2021, section 3.3)."""
    medoids, swaps, passes, seen, j = list(first), 0, 0, 0, 0
    while seen < D.shape[1]:
        passes += j == 0
        if j not in medoids:
            after = [loss(D, w, [*medoids[:k], j, *medoids[k + 1 :]]) for k in range(len(medoids))]
            if min(after) < loss(D, w, medoids):
                medoids[int(np.argmin(after))] = j
                swaps, seen = swaps + 1, 0
        seen, j = seen + 1, (j + 1) % D.shape[1]
    return sorted(medoids), swaps, passes


def slow_build(D, w, K, known=()):
    chosen = list(known)
    while len(chosen) < K:
        left = [j for j in range(D.shape[1]) if j not in chosen]
        chosen.append(min(left, key=lambda j: (loss(D, w, [*chosen, j]), j)))
    return chosen


def no_swap_helps(D, w, medoids):
    least = loss(D, w, medoids)
    others = [j for j in range(D.shape[1]) if j not in medoids]
    return all(loss(D, w, [*set(medoids) - {k}, j]) >= least * (1 - 1e-12) for k in medoids for j in others)


@pytest.mark.parametrize("seed", range(30))
def test_swaps_equal_loops(seed):
    n = (9, 17, 33, 63, 64, 65, 128)[seed % 7]  # around full lanes
    D, w, own = problem(2 * seed + 1, n, n - seed % 3, (float, np.float32)[seed % 2])  # whole numbers: sums are exact
    for K in (2, 3, 5):
        first = np.random.default_rng(seed).permutation(len(own))[:K]
        found = swap_medoids(block(D, w, own), first)
        medoids, swaps, passes = slow_swaps(D, w, first)
        assert (found.medoids.tolist(), found.swaps, found.iterations) == (medoids, swaps, passes)
        assert found.loss == loss(D, w, medoids)
        assert found.assignment.tolist() == D[:, medoids].argmin(axis=1).tolist()


@pytest.mark.parametrize("seed", range(24))
def test_no_swap_helps_and_the_best_of_many_starts_is_optimal(seed):
    D, w, own = problem(seed)
    for K in range(1, min(5, len(own))):
        found = kmedoids(D, w, own, np.array([K]), "k-means++", 20, (seed,))[K]
        assert found.loss == pytest.approx(loss(D, w, found.medoids))
        assert no_swap_helps(D, w, found.medoids.tolist())
        assert found.loss == pytest.approx(min(loss(D, w, some) for some in combinations(range(len(own)), K)))
        for start in STARTS:
            one = kmedoids(D, w, own, np.array([K]), start, 1, (seed,))[K]
            assert no_swap_helps(D, w, one.medoids.tolist())
            assert one.loss >= found.loss * (1 - 1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_build_equals_loops(seed):
    D, w, own = problem(seed, (12, 33, 50)[seed % 3])
    chosen = begin(block(D, w, own), 9, "build", np.random.default_rng(0))
    assert chosen.tolist() == slow_build(D, w, 9)
    known = np.array([5, 2])
    assert begin(block(D, w, own), 7, "build", np.random.default_rng(0), known).tolist() == slow_build(D, w, 7, known)


@pytest.mark.parametrize(("n", "K"), [(40, 2), (150, 7), (150, 70), (300, 40), (260, 90)])
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_the_package_kmedoids_makes_the_same_swaps(n, K, dtype):
    other = pytest.importorskip("kmedoids")
    X = np.random.default_rng(n).normal(size=(n, 3))
    # whole numbers, as the package also swaps for what only rounding gains
    D = np.round(np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) * 2**16).astype(dtype)
    first = np.random.default_rng(K).permutation(n)[:K]
    ours, theirs = swap_medoids(plain(D), first), other.fasterpam(D, first.astype(np.uintp), n_cpu=1)
    assert ours.medoids.tolist() == sorted(theirs.medoids.tolist())
    assert (ours.loss, ours.swaps, ours.iterations) == (theirs.loss, theirs.n_swap, theirs.n_iter)
    built = begin(plain(D), K, "build", np.random.default_rng(0)).tolist()
    assert built == other.pam_build(D, K).medoids.tolist()


def test_k_means_pp_draws_in_proportion_to_what_rows_add():
    D = np.array([[0.0, 1.0, 3.0, 6.0], [1.0, 0.0, 2.0, 5.0], [3.0, 2.0, 0.0, 4.0], [6.0, 5.0, 4.0, 0.0]])
    D[2, 0] = 0.5  # what counts is from the row to the medoid
    w = np.array([1.0, 1.0, 4.0, 2.0])
    one = block(D[:, [0, 2, 3]], w, np.array([0, 2, 3]))
    draws = np.array([begin(one, 2, "k-means++", np.random.default_rng(s)) for s in range(4000)])
    assert np.bincount(draws[:, 0]) / 4000 == pytest.approx([1 / 7, 4 / 7, 2 / 7], abs=0.02)
    after = draws[draws[:, 0] == 0, 1]
    assert np.bincount(after, minlength=3) / len(after) == pytest.approx([0, 2 / 14, 12 / 14], abs=0.04)
    known = np.array([begin(one, 2, "k-means++", np.random.default_rng(s), np.array([1])) for s in range(4000)])
    assert (known[:, 0] == 1).all()
    assert np.bincount(known[:, 1], minlength=3) / 4000 == pytest.approx([3 / 11, 0, 8 / 11], abs=0.02)


def test_equal_losses_are_not_swapped_for_rounding():
    n = 40
    D = np.full((n, n), 0.1)
    np.fill_diagonal(D, 0)
    w = np.full(n, 1 / 3)
    for K in (2, 7, 39):
        first = np.random.default_rng(K).permutation(n)[:K]
        found = swap_medoids(block(D, w, np.arange(n)), first)
        assert found.medoids.tolist() == sorted(first)
        assert found.swaps == 0
    for seed in range(8):  # with pairs of rows of which either can stand for both
        X = np.random.default_rng(seed).normal(size=(50, 2))
        D, first = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), np.random.default_rng(seed).permutation(50)[:22]
        found = swap_medoids(plain(D), first)
        assert (found.medoids.tolist(), found.swaps, found.iterations) == slow_swaps(D, np.ones(50), first)


@pytest.mark.parametrize("start", STARTS)
def test_the_loss_never_rises_with_k_and_is_never_above_that_of_k_alone(start):
    for seed in range(8):
        D, w, own = problem(seed, 40)
        path = kmedoids(D, w, own, np.array([9, 1, 2, 3, 3, 5, 40, 6]), start, 2, (seed,))
        assert list(path) == [1, 2, 3, 5, 6, 9, 40]
        losses = np.array([found.loss for found in path.values()])
        assert (np.diff(losses) <= 1e-12).all()
        assert path[40].medoids.tolist() == list(range(40))
        assert path[40].swaps == 0
        best = int((w @ D).argmin())
        assert path[1].medoids.tolist() == [best]
        assert [swap_medoids(block(D, w, own), np.array([j])).swaps for j in (best, (best + 1) % 40)] == [0, 1]
        for K, found in path.items():
            alone = kmedoids(D, w, own, np.array([K]), start, 2, (seed,))[K]
            assert found.loss <= alone.loss
            assert len(set(found.medoids.tolist())) == K


def of_class(fit, D):
    """Checks what holds of every fit, given the frame of all dissimilarities: each class's medoids, rows and loss."""
    y, w, total = fit.frame.codes, fit.frame.weights, 0.0
    table = fit.prototypes
    assert (table["class"].astype(str) == table["true_class"].astype(str)).all()
    for c, level in enumerate(fit.classes):
        rows, chosen = fit.frame.index[(y == c) & (w > 0)], table.index[table["class"] == level]
        heft = w[fit.frame.index.get_indexer(rows)]
        near = D.loc[rows, chosen].to_numpy()
        candidates = [label for label in D.columns if label in rows and label in fit.dissimilarity.candidate_names]
        at = [candidates.index(label) for label in chosen]
        assert no_swap_helps(D.loc[rows, candidates].to_numpy(), heft, at)
        assert table.loc[chosen, "assigned"].to_numpy() == pytest.approx(
            np.bincount(near.argmin(axis=1), heft, len(chosen))
        )
        total += (heft * near.min(axis=1)).sum()
    assert fit.rule.report["loss"] == pytest.approx(total)


@pytest.mark.parametrize("start", STARTS)
def test_a_fit_is_swap_optimal_in_each_class(iris, start):
    D = pc.dissimilarity("species ~ .", iris).frame()
    for K in (1, 4, 0.1):
        fit = pc.fit("species ~ .", iris, KMedoids(K=K, start=start))
        of_class(fit, D)
        assert fit.update(seed=0).prototypes.equals(fit.prototypes)
    assert fit.rule.size == 15
    assert "Loss" in str(fit.summary())


def test_given_dissimilarities_in_any_order_of_their_columns():
    draw = np.random.default_rng(2)
    labels = [f"r{i}" for i in range(40)]
    D = pd.DataFrame(draw.integers(1, 9, (40, 40)) * (1.0 - np.eye(40)), labels, labels)
    data = pd.DataFrame({"y": np.repeat(["u", "v"], 20)}, labels)
    fit = pc.fit("y ~ 1", data, KMedoids(K=4), dissimilarity=D)
    of_class(fit, D)
    assert not (D.to_numpy() == D.to_numpy().T).all()
    shuffled = pc.fit("y ~ 1", data, KMedoids(K=4), dissimilarity=D[draw.permutation(labels)])
    assert shuffled.prototypes.index.tolist() == fit.prototypes.index.tolist()
    some = D[labels[5:15] + labels[22:37]]
    wide = pc.fit("y ~ 1", data, KMedoids(K=4), dissimilarity=some)
    assert wide.prototypes.index.isin(some.columns).all()
    of_class(wide, some)


