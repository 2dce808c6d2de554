"""Discriminant adaptive nearest neighbours against the book in loops, and plain neighbours where they must agree."""


import numpy as np
import pandas as pd
import pytest
from scipy.linalg import sqrtm
from sklearn.neighbors import KNeighborsClassifier

import protoclass as pc
from protoclass.models.dann import DANN

RAW = pc.Euclidean(scale=False)


def sigma(N, labels, epsilon, ridge):
    """The metric of neighbours N, as ESL writes it in equation 13.8."""
    K, p = N.shape
    W, B = np.zeros((p, p)), np.zeros((p, p))
    for c in np.unique(labels):
        own = N[labels == c]
        for row in own:
            W += np.outer(row - own.mean(axis=0), row - own.mean(axis=0)) / K
        B += len(own) / K * np.outer(own.mean(axis=0) - N.mean(axis=0), own.mean(axis=0) - N.mean(axis=0))
    W += ridge * np.trace(W) / p * np.eye(p)
    root = np.linalg.inv(np.real(sqrtm(W)))
    return root @ (root @ B @ root + epsilon * np.eye(p)) @ root


def distances(x0, X, y, q, epsilon=1.0, ridge=1.0, iterations=1):
    """Distances from a query to all rows under the metric at the query, in loops."""
    d = np.array([np.sqrt((x - x0) @ (x - x0)) for x in X])
    for _ in range(iterations):
        near = np.argsort(d, kind="stable")[:q]
        S = sigma(X[near], y[near], epsilon, ridge)
        d = np.array([np.sqrt((x - x0) @ S @ (x - x0)) for x in X])
    return d


def votes(d, y, w, k, classes):
    cast = np.zeros(classes)
    for j in np.argsort(d, kind="stable")[:k]:
        cast[y[j]] += w[j]
    return cast / cast.sum()


def clouds(seed, n=70, p=3, classes=3):
    draw = np.random.default_rng(seed)
    y = np.r_[np.arange(classes), draw.integers(0, classes, n - classes)]
    X = draw.normal(size=(n, p)) + 0.8 * np.eye(classes, p)[y]
    return X, y, draw.normal(size=(25, p)) + 0.3


def frame(X, y=None):
    table = pd.DataFrame(X).add_prefix("x")
    return table if y is None else table.assign(y=np.array(list("abcdef"))[y])


def fitted(X, y, weights=None, cv="auto", **parameters):
    return pc.fit("y ~ .", frame(X, y), DANN(**parameters), dissimilarity=RAW, weights=weights, cv=cv)


@pytest.mark.parametrize(
    "parameters",
    [
        {"neighborhood": 20},
        {"neighborhood": 12, "epsilon": 0.2, "ridge": 0.0},
        {"neighborhood": 30, "epsilon": 3.0, "ridge": 0.3, "iterations": 2},
        {"neighborhood": 15, "ridge": 0.1, "iterations": 4},
        {},
    ],
)
def test_it_equals_the_book_in_loops(parameters):
    X, y, new = clouds(0)
    how = {"epsilon": 1.0, "ridge": 1.0, "iterations": 1, **parameters}
    q = how.pop("neighborhood", 50)
    for k in (1, 4, 9):
        fit = fitted(X, y, k=k, **parameters)
        d = np.array([distances(x, X, y, q, **how) for x in new])
        share = np.array([votes(row, y, np.ones(70), k, 3) for row in d])
        assert fit.predict(frame(new), "prob").to_numpy() == pytest.approx(share)
        assert fit.predict(frame(new)).cat.codes.tolist() == share.argmax(axis=1).tolist()
        apart = np.stack([d[:, y == c].min(axis=1) for c in range(3)], axis=1)
        assert fit.predict(frame(new), "distance").to_numpy() == pytest.approx(apart)
        names = fit.prototypes.index.to_numpy()
        assert fit.predict(frame(new), "nearest").tolist() == names[d.argmin(axis=1)].tolist()
        assert fit.rule.size == 70 / k
        assert fit.rule.report == {"neighbours k": k, "rows that make the metric": q}


def test_with_all_rows_about_it_is_one_metric_for_all():
    X, y, new = clouds(1)
    for epsilon, ridge in ((0.5, 0.2), (1.0, 0.0)):
        S = sigma(X, y, epsilon, ridge)
        peer = KNeighborsClassifier(5, metric="mahalanobis", metric_params={"VI": S}, algorithm="brute").fit(X, y)
        fit = fitted(X, y, k=5, neighborhood=70, epsilon=epsilon, ridge=ridge)
        assert fit.predict(frame(new), "prob").to_numpy() == pytest.approx(peer.predict_proba(new))


def test_a_large_ridge_leaves_plain_neighbours():
    X, y, new = clouds(3)
    for k in (1, 6):
        fit = fitted(X, y, k=k, neighborhood=20, ridge=1e9)
        plain = pc.fit("y ~ .", frame(X, y), "knn", k=k, dissimilarity=RAW)
        assert fit.predict(frame(new), "prob").to_numpy() == pytest.approx(plain.predict(frame(new), "prob").to_numpy())


def test_a_neighborhood_of_one_class_has_its_covariance():
    draw = np.random.default_rng(4)
    X = np.concatenate([draw.normal(size=(40, 2)) * [1, 5], draw.normal(size=(40, 2)) + 500])
    y = np.repeat([0, 1], 40)
    fit = fitted(X, y, k=1, neighborhood=40, epsilon=2.0, ridge=0.0)
    S = 2.0 * np.linalg.inv(np.cov(X[:40].T, bias=True))
    d = np.sqrt(np.einsum("ij,jk,ik->i", X[:40], S, X[:40]))
    assert fit.predict(frame(np.zeros((1, 2))), "distance").iloc[0, 0] == pytest.approx(d.min())


def test_rows_at_one_distance_all_vote():
    X = np.array([[0.0, 0], [1, 0], [1, 0], [1, 0], [5, 5], [6, 2]])
    y = np.array([0, 1, 1, 0, 0, 1])
    new = frame(np.array([[0.9, 0.1]]))
    for k, share in ((1, [1 / 3, 2 / 3]), (2, [1 / 3, 2 / 3]), (4, [0.5, 0.5])):
        fit = fitted(X, y, k=k, neighborhood=6)
        assert fit.predict(new, "prob").iloc[0].tolist() == pytest.approx(share)
    assert fit.predict(new).tolist() == ["a"]  # two against two: the first class
    fit = fitted(X, y, k=4, neighborhood=6, weights=[0.3, 0.1, 0.1, 0.1, 1, 1])
    assert fit.predict(new, "prob").iloc[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    even = fitted(X, y, k=4, neighborhood=6, weights=[0.15, 0.1, 0.2, 0.15, 1, 1])
    assert 0.1 + 0.2 > 0.15 + 0.15
    assert even.predict(new).tolist() == ["a"]  # even but for rounding


def test_weights_are_votes_and_rows_without_take_no_part():
    X, y, new = clouds(5)
    w = np.random.default_rng(0).integers(1, 5, 70).astype(float)
    fit = fitted(X, y, k=7, neighborhood=25, weights=w)
    d = [distances(x, X, y, 25) for x in new]
    assert fit.predict(frame(new), "prob").to_numpy() == pytest.approx(np.array([votes(row, y, w, 7, 3) for row in d]))
    w[::3] = 0
    fit = fitted(X, y, k=7, neighborhood=25, weights=w)
    alone = fitted(X[w > 0], y[w > 0], k=7, neighborhood=25, weights=w[w > 0])
    assert fit.predict(frame(new), "prob").equals(alone.predict(frame(new), "prob"))
    assert len(fit.prototypes) == (w > 0).sum()


def test_the_default_number_of_rows_that_make_the_metric(iris):
    for data, rows in ((iris.iloc[::5], 30), (iris, 50), (pd.concat([iris] * 3, ignore_index=True), 90)):
        assert pc.fit("species ~ .", data, DANN(k=1)).rule.report["rows that make the metric"] == rows
    constant = iris.assign(sepal_width=1.0, sepal_length=1.0)
    assert pc.fit("species ~ .", constant, DANN(k=3, ridge=0)).training_error < 0.1


@pytest.mark.parametrize("far", [1e9, 1e13, 1e160, 1e300])
def test_far_queries(iris, far):
    fit = pc.fit("species ~ .", iris, "dann", k=5)
    new = iris.head(2).assign(petal_length=[far, -far])
    if far > 1e100:  # all rows are beyond all numbers, and none of them nearest
        with pytest.raises(pc.DataError, match="row 0 is so far away that its decision overflows"):
            fit.predict(new)
        return
    assert fit.predict(new, "prob").sum(axis=1).to_numpy() == pytest.approx(1)
    if far == 1e9:  # the covariance is that of the rows about it, whatever the way to these
        X = iris.iloc[:, :4].to_numpy() / iris.iloc[:, :4].std(ddof=1).to_numpy()
        y = pd.Categorical(iris.species).codes
        x0 = new.iloc[0, :4].to_numpy(float) / iris.iloc[:, :4].std(ddof=1).to_numpy()
        d = distances(x0, X, y, 50)
        assert fit.predict(new, "distance").iloc[0].to_numpy() == pytest.approx([d[y == c].min() for c in range(3)])


def test_wrong_parameters(iris):
    with pytest.raises(pc.OptionError):
        DANN(neighborhood=[10, None])
    with pytest.raises(pc.OptionError, match="dann has no default grid for ridge"):
        pc.fit("species ~ .", iris, DANN(ridge="grid"))
    with pytest.raises(pc.DataError, match="k=151 neighbours need as many training rows with weight, but there are 150:"):
        pc.fit("species ~ .", iris, DANN(k=151))
    with pytest.raises(pc.DataError, match="neighborhood=151 needs as many training rows with weight, but there are 150"):
        pc.fit("species ~ .", iris, DANN(k=1, neighborhood=151))
