"""k-means by class against scikit-learn from the same starts, and against what k-means is."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import protoclass as pc
from protoclass.core.vectors.centroids import kmeans

RAW = pc.Euclidean(scale=False)


def state(*seed):
    return int(np.random.default_rng(seed).integers(2**31))


@pytest.mark.parametrize("start", ["k-means++", "random"])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_class_is_scikit_learns_k_means(iris, start, weighted):
    w = np.random.default_rng(1).integers(1, 5, 150).astype(float) if weighted else np.ones(150)
    parameters = {"weights": w} if weighted else {}
    fit = pc.fit("species ~ .", iris, "kmeans", K=4, starts=2, start=start, seed=7, dissimilarity=RAW, **parameters)
    X, y = iris.iloc[:, :4].to_numpy(), pd.Categorical(iris.species).codes
    for c, name in enumerate(fit.classes):
        own = y == c
        peer = KMeans(4, init=start, n_init=2, random_state=state(7, 4, c)).fit(X[own], sample_weight=w[own])
        table = fit.prototypes[fit.prototypes["class"] == name]
        assert table.iloc[:, 2:].to_numpy(float) == pytest.approx(peer.cluster_centers_)
        assert table["assigned"].tolist() == [w[own][peer.labels_ == k].sum() for k in range(4)]


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_many_shapes_end_in_scikit_learns_clusters():
    draw, better = np.random.default_rng(4), []
    for trial in range(60):
        n, p = int(draw.integers(5, 300)), int(draw.integers(1, 30))
        K, start = int(draw.integers(1, min(n, 11))), "random" if trial % 3 else "k-means++"
        X, w = draw.normal(size=(n, p)), draw.uniform(0.2, 3, n)
        X = {0: X, 1: np.round(X), 2: np.repeat(X, 3, axis=0)[:n]}[trial % 4 % 3]
        centers, held = kmeans(X, w, K, 2, (trial,), start)
        peer = KMeans(K, init=start, n_init=2, random_state=state(trial)).fit(X, sample_weight=w)
        inertia = w @ ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1)
        if trial % 4 % 3 != 1:  # between whole numbers many distances are equal, and rounding decides
            assert centers == pytest.approx(peer.cluster_centers_, abs=1e-9)
            assert held == pytest.approx(np.bincount(peer.labels_, w, K))
        better.append(peer.inertia_ / max(inertia, 1e-300) if inertia > 1e-9 else 1.0)
    assert 0.99 < np.mean(better) < 1.02
    assert min(better) > 0.8


def test_starts_are_what_they_say():
    """Five rows at random often leave one of five far clusters without a center; k-means++ seldom does."""
    draw = np.random.default_rng(0)
    X = np.concatenate([draw.normal(size=(20, 2)) + 1000 * k for k in range(5)])
    found = {"k-means++": 0, "random": 0}
    for start in found:
        for seed in range(30):
            held = kmeans(X, np.ones(100), 5, 1, (seed,), start)[1]
            found[start] += held.tolist() == [20] * 5
        again = [kmeans(X, np.ones(100), 3, 1, (5,), start)[0] for _ in range(2)]
        assert (again[0] == again[1]).all()
    assert found["k-means++"] == 30
    assert 0 < found["random"] < 20


def test_numbers_of_centroids(iris):
    few = pd.concat([iris.iloc[:50], iris.iloc[50:60], iris.iloc[100:104]])
    for K, want in (
        (2, [2, 2, 2]),
        (0.1, [5, 1, 1]),
        (0.5, [25, 5, 2]),
    ):
        fit = pc.fit("species ~ .", few, "kmeans", K=K)
        assert fit.prototypes["class"].value_counts(sort=False).tolist() == want
        assert fit.rule.size == sum(want)
        assert fit.prototypes["assigned"].groupby(fit.prototypes["class"], observed=True).sum().tolist() == [50, 10, 4]
    assert fit.rule.report == {"centroids per class K": "0.5 of its rows"}
    assert pc.cross_validate("species ~ .", few, "kmeans", cv=2).table["K"].tolist() == [1, 2]
    v = pc.cross_validate("species ~ .", few, "kmeans", cv=2, K=[0.4, 1])
    assert v.table["size"].tolist() == [10 + 2 + 1, 3]


def test_fewer_distinct_rows_than_centroids_are_told():
    rows = [[0.0, 1.0]] * 3 + [[1.0, 2.0]] * 3 + [[5.0, 5.0], [6.0, 6.0], [7.0, 7.0], [9.0, 8.0]]
    data = pd.DataFrame(rows, columns=["a", "b"]).assign(y=["u"] * 6 + ["v"] * 4)
    for start in ("k-means++", "random"):
        fit = pc.fit("y ~ .", data, "kmeans", K=4, dissimilarity=RAW, start=start)
        assert fit.rule.report["centroids repeated"] == "u (4 centroids, 2 distinct rows): give a smaller K"
        assert "Centroids repeated" in str(fit)
        own = fit.prototypes[fit.prototypes["class"] == "u"]
        assert {tuple(row) for row in own[["a", "b"]].round(9).to_numpy()} <= {(0, 1), (1, 2)}
        assert own["assigned"].sum() == 6
        assert fit._training_error == 0
        assert "centroids repeated" not in fit.update(K=2).rule.report
