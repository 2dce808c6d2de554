"""Pseudo-Euclidean embedding and hyperplanes on proximities, against direct constructions and known answers."""

import math

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from sklearn.svm import SVC

import protoclass as pc

RAW = pc.Euclidean(scale=False)


def minkowski_space(seed, n=24):
    """Points of a space of signature (3, 2), its dissimilarities, and the signs of its axes."""
    draw = np.random.default_rng(seed)
    X = np.column_stack([draw.normal(size=(n, 3)) * 4, draw.normal(size=(n, 2)) * 0.4])
    signs = np.array([1, 1, 1, -1, -1])
    squared = (signs * (X[:, None] - X[None]) ** 2).sum(axis=2)
    assert (squared >= 0).all()
    return X, np.sqrt(squared), signs


def of(D):
    return pc.dissimilarity("~ 1", pd.DataFrame(index=range(len(D))), D)


def test_an_embedding_measured_again_gives_the_distances(iris):
    d = pc.dissimilarity("species ~ .", iris, RAW)
    e = d.embed()
    assert e.signature == (4, 0)
    assert np.abs(e.place(iris) - e.coordinates).to_numpy().max() < 1e-8
    assert e.place(iris.assign(petal_width=np.nan)).isna().all(axis=None)
    X = iris.drop(columns="species").to_numpy()
    new = iris.drop(columns="species").iloc[:7] + 0.1
    apart = np.sqrt(((new.to_numpy()[:, None] - X[None]) ** 2).sum(axis=2))
    placed = e.place(new).to_numpy()
    again = np.sqrt(((placed[:, None] - e.coordinates.to_numpy()[None]) ** 2).sum(axis=2))
    assert np.abs(again - apart).max() < 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_a_pseudo_euclidean_space_is_recovered(seed):
    _, P, _ = minkowski_space(seed)
    d = of(P)
    e = d.embed()
    assert e.signature == (3, 2)
    X = e.coordinates.to_numpy()
    assert_close(((X[:, None] - X) ** 2 * e.signs.to_numpy()).sum(axis=2), P**2, abs=1e-7)
    assert np.abs(e.place(pd.DataFrame(P)) - e.coordinates).to_numpy().max() < 1e-8
    assert (np.diff(np.abs(e.axes.values)) <= 1e-12).all()
    assert_close(e.axes.inner(P), (e.axes.vectors * e.axes.values) @ e.axes.vectors.T, abs=1e-8)
    assert d.embed(2).coordinates.equals(e.coordinates[["dim1", "dim2"]])
    s = d.spectrum()
    assert s.signature == (3, 2)
    assert s.negative == pytest.approx(np.abs(e.axes.values[e.axes.values < 0]).sum() / np.abs(e.axes.values).sum())
    assert s.effective == pytest.approx(np.abs(e.axes.values).sum() ** 2 / (e.axes.values**2).sum())


def test_the_three_cases_of_a_spectrum(iris):
    assert pc.dissimilarity("species ~ .", iris).spectrum().case == "Euclidean"
    draw = np.random.default_rng(0)
    X = np.column_stack([draw.normal(size=(40, 2)) * 4, draw.normal(size=40)])
    squared = ((X[:, None, :2] - X[None, :, :2]) ** 2).sum(axis=2) - (X[:, None, 2] - X[None, :, 2]) ** 2
    assert of(np.sqrt(np.maximum(squared, 0))).spectrum().case == "pseudo-Euclidean"
    flat = of(1 - np.eye(30)).spectrum()
    assert flat.case == "flat"
    assert flat.effective == pytest.approx(29)
    assert "flat" in repr(flat)
    assert flat.plot().get_xlabel()


@pytest.mark.parametrize("flip", [True, False])
@pytest.mark.parametrize("C", [1.0, math.inf])
def test_flip_and_cut_equal_hyperplanes_in_coordinates(flip, C):
    X, P, _ = minkowski_space(3, 40)
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")
    data, train = pd.DataFrame({"y": y}), np.arange(28)
    fit = pc.fit("y ~ 1", data.iloc[train], "hyperplane", dissimilarity=P[np.ix_(train, train)],
                 embedding="flip" if flip else "cut", C=C)  # fmt: skip
    e = of(P[np.ix_(train, train)]).embed()
    axes = e.coordinates.columns if flip else e.coordinates.columns[e.signs > 0]
    inside, new = e.coordinates[axes].to_numpy(), e.place(pd.DataFrame(P[28:][:, train]))[axes].to_numpy()
    scale = (inside**2).sum(axis=1).mean()
    direct = SVC(C=(1e8 if math.inf == C else C) / scale, kernel="linear", tol=1e-8).fit(inside, y[train] == "yes")
    told = fit.predict(pd.DataFrame(P[28:][:, train]), "decision")["yes"]
    assert told.to_numpy() == pytest.approx(direct.decision_function(new), abs=2e-3)
    assert fit.rule.size == len(direct.support_)


def test_proximity_weights_are_those_of_the_vectors_of_proximities():
    draw = np.random.default_rng(1)
    P = draw.random((30, 30)) + 0.5  # asymmetric, no zeros on the diagonal
    np.fill_diagonal(P, np.minimum(P.diagonal(), P.min(axis=1)))
    y = np.repeat(["u", "v"], 15)
    data = pd.DataFrame({"y": y})
    fit = pc.fit("y ~ 1", data, "hyperplane", dissimilarity=P, C=2.0)
    scale = np.diag(P @ P.T).mean()
    direct = SVC(C=2.0 / scale, kernel="linear", tol=1e-8).fit(P, y)
    new = pd.DataFrame(draw.random((6, 30)) + 0.5)
    assert fit.predict(new, "decision")["v"].to_numpy() == pytest.approx(
        direct.decision_function(new.to_numpy()), abs=1e-4
    )
    assert fit.predict(new).astype(str).tolist() == direct.predict(new.to_numpy()).tolist()
    wide = pd.DataFrame(P[:, :12], columns=[f"c{k}" for k in range(12)])
    narrow = pc.fit("y ~ 1", data, "hyperplane", dissimilarity=wide, C=2.0)
    assert narrow.prototypes.index.tolist() == list(wide.columns)


def test_the_0_1_metric_has_the_analytic_weights():
    y = np.repeat([1.0, -1.0], [9, 5])
    n, S = len(y), y.sum()
    data = pd.DataFrame({"y": np.where(y > 0, "b", "a")})
    fit = pc.fit("y ~ 1", data, "hyperplane", dissimilarity=1 - np.eye(n))
    weights = np.zeros(n)
    weights[fit.rule.prototypes.at] = fit.rule.weights[:, 0]
    assert weights == pytest.approx(S / n - y, abs=1e-4)
    alpha = 1 - y * S / n
    assert (1 - np.eye(n)) @ (y * alpha) == pytest.approx(S / n - y)  # w = P Y alpha
    new = pd.DataFrame(np.ones((3, n)))
    assert fit.predict(new).tolist() == ["b"] * 3  # the majority
    assert fit._training_error == 0
    assert fit.rule.size == n


def test_more_than_two_classes_by_decision_value(iris):
    for embedding in ("proximity", "flip"):
        fit = pc.fit("species ~ .", iris, "hyperplane", embedding=embedding, C=10.0)
        decision = fit.predict(kind="decision")
        assert decision.idxmax(axis=1).tolist() == fit.predict().astype(str).tolist()
        for level in fit.classes:
            two = iris.assign(species=np.where(iris.species == level, "yes", "rest"))
            one = pc.fit("species ~ .", two, "hyperplane", embedding=embedding, C=10.0)
            assert decision[level].to_numpy() == pytest.approx(one.predict(kind="decision")["yes"].to_numpy(), abs=1e-3)


def test_matrices_that_cannot_be_embedded():
    data = pd.DataFrame({"y": list("aabb")})
    P = 1.0 - np.eye(4)
    skew = P + np.triu(np.ones((4, 4)), 1)
    own = P + np.eye(4) * 0.5
    for D, message in ((skew, "asymmetric"), (own, "row 0 to itself is 0.5")):
        with pytest.raises(pc.errors.DataError, match=message):
            pc.fit("y ~ 1", data, "hyperplane", dissimilarity=D, embedding="flip")
        with pytest.raises(pc.errors.DataError, match=message):
            of(D).embed()
        assert pc.fit("y ~ 1", data, "hyperplane", dissimilarity=D).nobs == 4
    for how, value in (("mean", 1.5), ("max", 2.0), ("min", 1.0)):
        assert of(skew).symmetrized(how).frame().iloc[0, 1] == value
        made = of(skew).symmetrized(how)
        assert made.embed().coordinates.shape[0] == 4
        assert pc.fit("y ~ 1", data, "hyperplane", dissimilarity=made, embedding="cut").nobs == 4
    wide = pd.DataFrame(P[:, :2], columns=["p", "q"])
    with pytest.raises(pc.errors.DataError, match=r"an embedding needs the dissimilarities between.*: use embedding='proximity',"):
        pc.fit("y ~ 1", data, "hyperplane", dissimilarity=wide, embedding="cut")
    with pytest.raises(pc.errors.DataError, match="square matrix"):
        pc.dissimilarity("~ 1", data[[]], wide).embed()
    holes = pd.DataFrame(P)
    holes.iloc[1, 2] = np.nan
    with pytest.raises(pc.errors.DataError, match="1 dissimilarities are missing, the first of which is from 1 to 2"):
        pc.fit("y ~ 1", data, "hyperplane", dissimilarity=holes)


def test_similarities_become_dissimilarities():
    S = pd.DataFrame([[1.0, 0.5, 0.25], [0.5, 1.0, 0.1], [0.25, 0.1, 1.0]], list("abc"), list("abc"))
    make = pc.Dissimilarity.from_similarity
    assert_close(make(S, "kernel").frame().to_numpy(), np.sqrt(2 - 2 * S.to_numpy()))
    assert make(S * 7, "max").frame().to_numpy() == pytest.approx(7 - 7 * S.to_numpy())
    assert make(S[["c", "a", "b"]]).frame().equals(1 - S)
    data = pd.DataFrame({"y": ["u", "v", "v"]}, list("abc"))
    assert pc.fit("y ~ 1", data, dissimilarity=make(S), eps=0.6).nobs == 3
    for bad, how, message in (
        (S.where(S < 1), "max", "3 similarities are missing"),
        (S.iloc[:2], "max", "must be square"),
        (S.rename(columns={"a": "z"}), "max", "similarities need the same unique labels on rows and columns"),
    ):
        with pytest.raises(pc.errors.DataError, match=message):
            make(bad, how)
    with pytest.raises(pc.errors.OptionError, match=r"method must be .*not 'half'"):
        make(S, "half")


