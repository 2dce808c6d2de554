"""k nearest neighbours, adaptive, condensed and edited ones, against loops, the book, and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import sqrtm
from sklearn.neighbors import KNeighborsClassifier

import protoclass as pc
from protoclass.core.neighbours.nearest import condense_rows, edit_rows
from protoclass.core.sources import Held
from protoclass.models.neighbours import ballots

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
    wide = pc.dissimilarity("~ . - species", iris).frame().iloc[:100]
    with pytest.raises(pc.errors.DataError, match="50 candidates are not rows"):
        pc.fit("species ~ 1", iris.iloc[:100], "knn", k=3, dissimilarity=wide)


def sigma(N, labels, softening, ridge):
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
    return root @ (root @ B @ root + softening * np.eye(p)) @ root


def distances(x0, X, y, neighborhood=50, softening=1.0, ridge=1.0, iterations=1):
    """Distances from a query to all rows under the metric at the query, in loops."""
    d = np.array([np.sqrt((x - x0) @ (x - x0)) for x in X])
    for _ in range(iterations):
        near = np.argsort(d, kind="stable")[:neighborhood]
        S = sigma(X[near], y[near], softening, ridge)
        d = np.array([np.sqrt((x - x0) @ S @ (x - x0)) for x in X])
    return d


@pytest.mark.parametrize("parameters", [
    {"neighborhood": 12, "softening": 0.2, "ridge": 0.0}, {"neighborhood": 30, "softening": 3.0, "ridge": 0.3, "iterations": 2}, {},
])  # fmt: skip
def test_adaptive_neighbours_equal_the_book_in_loops(parameters):
    draw = np.random.default_rng(0)
    y, w = np.r_[0, 1, 2, draw.integers(0, 3, 67)], draw.integers(1, 5, 70).astype(float)
    X, new = draw.normal(size=(70, 3)) + 0.8 * np.eye(3)[y], draw.normal(size=(25, 3)) + 0.3
    data, more = (pd.DataFrame(a).add_prefix("x") for a in (X, new))
    d = np.array([distances(x, X, y, **parameters) for x in new])
    metric = pc.Adaptive(scale=False, **parameters)
    for k in (1, 4, 9):
        fit = pc.fit("y ~ .", data.assign(y=np.array(list("abc"))[y]), "dann", k=k, dissimilarity=metric, weights=w)
        want = np.array([shares(row, y, w, k, 3) for row in d])
        assert fit.predict(more, "prob").to_numpy() == pytest.approx(want)
        assert fit.predict(more).cat.codes.tolist() == want.argmax(axis=1).tolist()
        apart = np.stack([d[:, y == c].min(axis=1) for c in range(3)], axis=1)
        assert fit.predict(more, "distance").to_numpy() == pytest.approx(apart)
        assert fit.predict(more, "nearest").tolist() == d.argmin(axis=1).tolist()


def test_dann_is_knn_with_adaptive_distances(iris):
    fit = pc.fit("species ~ .", iris, "dann", cv=3)
    same = pc.fit("species ~ .", iris, "knn", cv=3, dissimilarity=pc.Adaptive())
    assert fit.validation.table.equals(same.validation.table)
    assert fit.predict().equals(same.predict())
    tuned = pc.cross_validate("species ~ .", iris, "dann", k=5, dissimilarity=pc.Adaptive(softening=[0.5, 1.0]), cv=3)
    assert tuned.table["softening"].tolist() == [0.5, 1.0]
    with pytest.raises(pc.errors.NoCoordinatesError, match="needs coordinates, not Gower dissimilarities"):
        pc.fit("species ~ .", iris, "dann", dissimilarity="gower")
    constant = iris.assign(sepal_width=1.0, sepal_length=1.0)
    assert pc.fit("species ~ .", constant, "dann", k=3, dissimilarity=pc.Adaptive(ridge=0))._training_error < 0.1


@pytest.mark.parametrize("far", [1e9, 1e13, 1e160, 1e300])
def test_adaptive_distances_of_far_rows(iris, far):
    fit = pc.fit("species ~ .", iris, "dann", k=5)
    new = iris.head(2).assign(petal_length=[far, -far])
    if far > 1e100:  # all rows are beyond all numbers, and none of them nearest
        with pytest.raises(pc.errors.DataError, match="between row 0 and a prototype is infinite"):
            fit.predict(new)
        return
    assert fit.predict(new, "prob").sum(axis=1).to_numpy() == pytest.approx(1)


def slow_condense(D, y, order):
    kept, again = [], True
    while again:
        again = False
        for i in order:
            if i in kept:
                continue
            near = min(((D[i, j], y[j], j) for j in kept), default=(None, -1, -1))
            if near[1] != y[i]:
                kept.append(int(i))
                again = True
    return kept


@pytest.mark.parametrize("seed", range(8))
def test_condensing_equals_loops(seed):
    draw = np.random.default_rng(seed)
    n = 25
    D = draw.integers(0, 9, (n, n)).astype(float) if seed % 2 else np.abs(np.subtract.outer(*[draw.normal(size=n)] * 2))
    y, order = draw.integers(0, 3, n), draw.permutation(n)
    np.fill_diagonal(D, 0)
    assert condense_rows(Held(D), np.arange(n), y, order).tolist() == slow_condense(D, y, order)


def test_a_condensed_set_is_consistent(iris):
    fit = pc.fit("species ~ .", iris, "condensed")
    distinct = iris.drop_duplicates(subset=list(iris.columns[:-1]))
    assert fit._training_error <= 1 - len(distinct) / 150
    assert len(fit.prototypes) < 50
    assert fit.update(seed=0).prototypes.equals(fit.prototypes)
    assert not fit.update(seed=1).prototypes.index.equals(fit.prototypes.index)


def test_multiediting_drops_what_neighbours_deny():
    draw = np.random.default_rng(0)
    n = 120
    x = np.sort(draw.uniform(0, 10, n))
    y = (x > 5).astype(int)
    wrong = [20, 50, 95]
    y[wrong] = 1 - y[wrong]
    D = np.abs(np.subtract.outer(x, x))
    kept = edit_rows(Held(D), np.arange(n), y, np.arange(n), 3, 5, (0,))
    assert not set(wrong) & set(kept.tolist())
    assert len(kept) > 90
    assert ((x[kept] > 5) == (y[kept] == 1)).all()
    data = pd.DataFrame({"x": x, "y": np.where(y == 1, "b", "a")})
    fit = pc.fit("y ~ x", data, "multiedit", dissimilarity=RAW)
    assert set(fit.prototypes["class"]) == {"a", "b"}
    assert "Rows left by editing" in str(fit)
    few = fit.update(condense=True)
    assert len(few.prototypes) <= 6
    assert (few.predict().astype(str) == fit.predict().astype(str)).mean() > 0.95


def test_rows_must_be_the_candidates(iris):
    wide = pc.dissimilarity("species ~ .", iris).frame().iloc[:, :40]
    for method in ("condensed", "multiedit"):
        with pytest.raises(
            pc.errors.DataError, match="this method selects among the rows, so it needs the dissimilarities between all rows"
        ):
            pc.fit("species ~ 1", iris, method, dissimilarity=wide)
        tiny = pd.DataFrame({"x": [0.0, 1.0], "y": ["a", "b"]})
        assert pc.fit("y ~ x", tiny, method).predict().tolist() == ["a", "b"]
