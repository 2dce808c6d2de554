"""k nearest neighbours against straight loops where rows are tied, and scikit-learn where they are not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import protoclass as pc
from protoclass.models.knn import ballots

RAW = pc.Euclidean(scale=False)


def shares(d, y, w, k, classes):
    """KNNPath of the k nearest rows of one query and of those tied with the k-th, in loops."""
    live = [j for j in range(len(d)) if w[j] > 0]
    last = sorted(d[j] for j in live)[k - 1]
    cast = [sum(w[j] for j in live if d[j] <= last and y[j] == c) for c in range(classes)]
    return [v / sum(cast) for v in cast]


@pytest.mark.parametrize("seed", range(10))
def test_ties_and_weights_equal_loops(seed):
    draw = np.random.default_rng(seed)
    n, classes = 18, 3
    y = np.r_[0, 1, 2, draw.integers(0, classes, n - 3)]
    D, new = draw.integers(0, 6, (n, n)).astype(float), draw.integers(0, 6, (9, n)).astype(float)
    np.fill_diagonal(D, 0)
    w = draw.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)
    w[5] = 0.0 if seed % 2 else 1.0
    data = pd.DataFrame({"y": np.array(list("abc"))[y]})
    for k in (1, 2, 3, 7, 17):
        fit = pc.fit("y ~ 1", data, "knn", dissimilarity=pd.DataFrame(D), k=k, weights=w)
        want = np.array([shares(d, y, w, k, classes) for d in new])
        assert fit.predict(pd.DataFrame(new), "prob").to_numpy() == pytest.approx(want)
        assert fit.predict(pd.DataFrame(new)).cat.codes.tolist() == want.argmax(axis=1).tolist()
        apart = np.array([[min(d[(y == c) & (w > 0)]) for c in range(classes)] for d in new])
        assert (fit.predict(pd.DataFrame(new), "distance").to_numpy() == apart).all()
        near = [min((j for j in range(n) if w[j] > 0), key=lambda j, d=d: (d[j], y[j], j)) for d in new]
        assert fit.predict(pd.DataFrame(new), "nearest").tolist() == near
        assert fit.rule.size == (w > 0).sum() / k


@pytest.mark.parametrize("ties", ["all", "random"])
@pytest.mark.parametrize(("metric", "name"), [(RAW, "euclidean"), (pc.Manhattan(scale=False), "manhattan")])
def test_without_ties_it_is_scikit_learns(metric, name, ties):
    draw = np.random.default_rng(3)
    X, new, y = draw.normal(size=(90, 4)), draw.normal(size=(40, 4)), draw.choice(["u", "v", "z"], 90)
    data, more = (pd.DataFrame(a).add_prefix("x") for a in (X, new))
    for k in (1, 4, 15, 90):
        fit = pc.fit("y ~ .", data.assign(y=y), "knn", dissimilarity=metric, k=k, ties=ties)
        peer = KNeighborsClassifier(k, metric=name).fit(X, y)
        assert fit.predict(more, "prob").to_numpy() == pytest.approx(peer.predict_proba(new))
        if ties == "all":
            assert fit.predict(more).tolist() == peer.predict(new).tolist()  # both give even votes to the first class
        assert fit.rule.report == {"neighbours k": k}


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_random_ties_take_k_rows_and_every_tied_row_alike(k):
    draw = np.random.default_rng(k)
    n = 8
    d = np.array([[0.0, 1, 1, 1, 1, 1, 1, 2]])
    data = pd.DataFrame({"y": list("abcdefgh")})
    full = np.abs(draw.normal(size=(n, n))) * (1 - np.eye(n))
    total = np.zeros(n)
    for seed in range(120):
        fit = pc.fit("y ~ 1", data, "knn", dissimilarity=pd.DataFrame(full), k=k, ties="random", seed=seed)
        share = fit.predict(pd.DataFrame(d), "prob").to_numpy()[0]
        assert sorted(share)[-k:] == [1 / k] * k
        assert share[0] == 1 / k
        assert share[7] == 0
        assert fit.predict(pd.DataFrame(d)).iloc[0] in {"abcdefgh"[c] for c in np.flatnonzero(share)}
        total += share
    mean = (k - 1) / 6 / k  # each of the six tied rows
    assert total[1:7] / 120 == pytest.approx(np.full(6, mean), abs=4 * np.sqrt(0.25 / 120) / k)


def test_votes_that_are_even_but_for_rounding_are_even():
    data = pd.DataFrame({"y": ["b", "b", "a"]})
    D = np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])
    new = pd.DataFrame([[1.0, 1.0, 1.0]])
    fit = pc.fit("y ~ 1", data, "knn", dissimilarity=pd.DataFrame(D), k=3, weights=[0.1, 0.2, 0.3])
    assert 0.1 + 0.2 > 0.3
    assert fit.predict(new).tolist() == ["a"]
    assert fit.predict(new, "prob").iloc[0].tolist() == pytest.approx([0.5, 0.5])
    assert ballots(np.array([0.5, 0.25])).tolist() == [2, 1]
    tiny = np.array([1.0, 1e-30])  # too far apart for whole numbers: a row with weight keeps a vote
    assert (ballots(tiny) == tiny).all()
    assert pc.fit("y ~ 1", data, "knn", dissimilarity=pd.DataFrame(D), k=1, weights=[1.0, 1, 1e-30]).predict(
        pd.DataFrame([[5.0, 5.0, 1.0]])
    ).tolist() == ["a"]


def test_leaving_one_out_equals_loops():
    draw = np.random.default_rng(8)
    n = 20
    D, y = draw.integers(1, 5, (n, n)).astype(float), np.r_[0, 0, 1, 1, draw.integers(0, 2, n - 4)]
    D = np.minimum(D, D.T)
    np.fill_diagonal(D, 0)
    data = pd.DataFrame({"y": np.where(y == 1, "b", "a")})
    v = pc.cross_validate("y ~ 1", data, "knn", dissimilarity=D, k=[1, 2, 5, 19], cv="loo")
    for g, k in enumerate((1, 2, 5, 19)):
        told = []
        for i in range(n):
            rest = np.arange(n) != i
            told.append(int(np.argmax(shares(D[i, rest], y[rest], np.ones(n - 1), k, 2))))
        assert v.held_out[g].cat.codes.tolist() == told
    assert v.table["size"].tolist() == pytest.approx([19 / k for k in (1, 2, 5, 19)])


def test_the_default_grid_and_errors(iris):
    v = pc.cross_validate("species ~ .", iris, "knn", cv=3)
    assert v.table["k"].tolist() == [1, 2, 3, 5, 7, 9, 11, 15, 19, 25, 31]  # to a third of 99 rows
    assert pc.fit("species ~ .", iris.iloc[[0, 1, 50, 51]], "knn", cv=2).model.k == 1
    w = np.r_[1, 1, np.zeros(48), 1, 1, np.zeros(48), 1, np.zeros(49)]
    with pytest.raises(pc.DataError, match="k=6 neighbours need as many training rows with weight, but there are 5:"):
        pc.fit("species ~ .", iris, "knn", k=6, weights=w)
    wide = pc.dissimilarity("~ . - species", iris).frame().iloc[:100]
    with pytest.raises(pc.DataError, match="50 candidates are not rows"):
        pc.fit("species ~ 1", iris.iloc[:100], "knn", k=3, dissimilarity=wide)
