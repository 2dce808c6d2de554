"""Metrics learned with the rows that classify: finite differences, sums over variables, and what they promise through fit."""

import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from scipy.optimize import approx_fprime

import protoclass as pc
from protoclass.core.parallel import alone
from protoclass.core.vectors.relevance_learning import Maps, Rows, Weights, class_maps, one_map
from protoclass.frames.frame import mold
from protoclass.metrics.base import compare, rows_of

LEARNED = ["diagonal", "full"]
EVERY = [(matrix, local) for matrix in LEARNED for local in (False, True)]


def labelled_rows(seed=0, n=30, p=4):
    draw = np.random.default_rng(seed)
    y = np.arange(n) % 3
    w = draw.uniform(0.2, 3, n)
    return draw.normal(size=(n, p)) + y[:, None] * np.arange(p), Rows(w / w.sum(), y, 5.0), np.array([0, 1, 2, 7])


def slope_of(objective, parameters):
    return approx_fprime(parameters.ravel(), lambda a: objective(a.reshape(parameters.shape))[0], 1e-6).reshape(parameters.shape)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["one", "two axes", "local"])
def test_the_gradient_of_maps_is_that_of_finite_differences(ridge, kind):
    X, rows, chosen = labelled_rows()
    space = class_maps(X, rows.w, rows.y, 4, ridge) if kind == "local" else one_map(X, 2 if kind == "two axes" else 4, ridge)
    parameters = space.start() + np.random.default_rng(1).normal(size=space.first.shape) * 0.1
    objective = space.objective(rows, chosen)
    value, slope = objective(parameters)
    assert slope == pytest.approx(slope_of(objective, parameters), abs=3e-6)
    maps = space.values(parameters)
    assert value - penalty_of(maps, space, parameters, ridge) == pytest.approx(plain_cost(X, rows, chosen, maps, space.group))
    assert objective(3 * parameters)[0] == pytest.approx(value)  # one scale for all does not count
    assert (space.values(space.normed(parameters)) ** 2).sum() == pytest.approx(4 * len(maps))


def penalty_of(maps, space, parameters, ridge):
    axes = maps.shape[1]
    logarithms = [np.linalg.slogdet(A @ A.T)[1] for A in parameters]
    return ridge * (np.log((maps**2).sum()) - np.mean(logarithms) / axes)


def plain_cost(X, rows, chosen, maps, group):
    total = 0.0
    for i in range(len(X)):
        d = np.array([np.linalg.norm(maps[group[k]] @ (X[i] - X[k])) for k in chosen])
        own, other = (d[(rows.y[chosen] == rows.y[i]) == same].min() for same in (True, False))
        total += rows.w[i] / (1 + np.exp(-rows.beta * (own - other) / (own + other)))
    return total


@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["one", "local", "local and scaled"])
def test_the_gradient_of_weights_is_that_of_finite_differences(power, missing, kind):
    ridge = 0.3 if power == 2 else 0.0
    X, rows, chosen = labelled_rows()
    terms = np.abs(X[:, None] - X[chosen]) ** power
    scaled, groups = kind == "local and scaled", 1 if kind == "one" else 3
    if missing and not scaled:
        terms[np.random.default_rng(3).random(terms.shape) < 0.2] = np.nan
    group = rows.y if groups == 3 else np.zeros(30, int)
    space = Weights(np.arange(30), lambda *_: terms, lambda *_: np.empty((0, 0)), 4, power, ridge, group, groups, scaled)
    objective = space.objective(rows, chosen)
    logarithms = np.random.default_rng(2).normal(size=(groups, 4)) * 0.5
    weights = space.values(logarithms)
    assert weights.mean(axis=None if scaled else 1) == pytest.approx(1)
    value, slope = objective(logarithms)
    assert slope == pytest.approx(slope_of(objective, logarithms), abs=3e-6)
    plain = 0.0
    for i in range(len(X)):
        known, w = ~np.isnan(terms[i]), weights[group[chosen]]
        d = (np.nansum(terms[i] * w, axis=1) / (4 if scaled else (known * w).sum(axis=1))) ** (1 / power)
        own, other = (d[(rows.y[chosen] == rows.y[i]) == same].min() for same in (True, False))
        plain += rows.w[i] / (1 + np.exp(-rows.beta * (own - other) / (own + other))) if own != other else rows.w[i] / 2
    assert value == pytest.approx(plain - ridge * np.log(weights).mean())


def table(n=40, seed=0, missing=True):
    draw = np.random.default_rng(seed)
    out = pd.DataFrame({
        "a": draw.normal(size=n), "b": draw.normal(size=n) * 3, "c": draw.choice(["x", "y", "z"], n), "d": draw.choice(["s", "t"], n),
        "e": draw.random(n) < 0.5,
    })  # fmt: skip
    if missing:
        out.loc[::6, "a"], out.loc[1::5, "c"] = np.nan, None
    return out.assign(y=np.where(np.arange(n) % 2, "u", "v"))


NUMBERS = "y ~ a + b"
PARTS = [(["a"], "euclidean"), (["b"], "manhattan"), (["c", "d", "e"], "gower")]
SUMS = {
    "euclidean": (NUMBERS, pc.Euclidean()), "weights": (NUMBERS, pc.Minkowski(r=2, column_weights={"a": 3.0})),
    "manhattan": (NUMBERS, pc.Manhattan(scale=False)), "cubes": (NUMBERS, pc.Minkowski(r=3)),
    "gower": ("y ~ .", pc.Gower()), "gower, weights": ("y ~ .", pc.Gower(column_weights={"a": 2.0, "c": 0.5})),
    "both false": ("y ~ .", pc.Gower(asymmetric=["e"])),
    "mixed": ("y ~ .", pc.Mixed(PARTS)), "mixed, weights": ("y ~ .", pc.Mixed(PARTS, weights=[1.0, 2.0, 0.0])),
}  # fmt: skip


def trained(formula, metric, **more):
    missing = isinstance(metric, pc.Gower)
    frame = mold(formula, table(missing=missing, **more), na="keep" if missing else "drop", response=True)
    return metric.train(frame), frame


@pytest.mark.parametrize(("formula", "metric"), SUMS.values(), ids=SUMS)
def test_a_weighed_metric_is_the_one_specified_with_these_weights(formula, metric):
    known, frame = trained(formula, metric)
    w = np.arange(1, len(known.variables) + 1) / 2.0
    w[-1] = 0.0
    weighed = known.weighed(w)
    if isinstance(metric, pc.Mixed):
        given = np.array(metric.weights or (1.0,) * len(w))
        specified = pc.Mixed(PARTS, weights=(given * w).tolist())
    else:
        of = dict.fromkeys(known.variables, 1.0) | dict(metric.column_weights or {})
        named = {name: of[name] * v for name, v in zip(known.variables, w.tolist(), strict=True)}
        gower = isinstance(metric, pc.Gower)
        specified = replace(metric, column_weights=named) if gower else pc.Minkowski(r=metric.r, scale=metric.scale, column_weights=named)
    other = specified.train(frame)
    D, expected = (np.asarray(compare(m, rows_of(m, frame), rows_of(m, frame)), float) for m in (weighed, other))
    assert np.isfinite(expected[0, 1])
    assert_close(np.nan_to_num(D, nan=-1), np.nan_to_num(expected, nan=-1), rel=1e-9)


def noisy(n=120, seed=0):
    draw = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return pd.DataFrame({
        "signal": draw.normal(size=n) + 3.0 * y, "noise": draw.normal(size=n), "more": draw.normal(size=n), "y": np.where(y, "u", "v"),
    })  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("matrix", "local"), EVERY)
def test_constant_and_collinear_columns(matrix, local):
    data = noisy()
    arguments = {"method": "medianglvq", "K": 1, "matrix": matrix, "local": local, "ridge": 0.01, "cv": None}
    fit = pc.fit("y ~ .", data, **arguments)
    constant = pc.fit("y ~ .", data.assign(still=7.0), **arguments)
    assert constant.dissimilarity.metric.column_weights["weight"]["still"] == 0
    assert constant.prototypes.index.tolist() == fit.prototypes.index.tolist()
    assert_close(constant.dissimilarity.frame(), fit.dissimilarity.frame(), rel=1e-5, abs=1e-6)
    collinear = data.assign(twice=2 * data["signal"] + 1, sum=data["noise"] + data["more"], again=data["noise"])
    for ridge in (0.0, 1e-6, 0.1):
        fit = pc.fit("y ~ .", collinear, **{**arguments, "ridge": ridge})
        weights = fit.dissimilarity.metric.column_weights["weight"]
        assert np.isfinite(weights).all()
        assert np.isfinite(fit.dissimilarity.frame().to_numpy()).all()
        assert fit.glance()["training_error"].item() < 0.15


@pytest.mark.parametrize(("matrix", "dims", "dissimilarity"), [("diagonal", None, "gower"), ("full", 2, "mahalanobis")])
def test_each_class_measures_by_its_own_matrix(iris, matrix, dims, dissimilarity):
    metric = pc.Relevance(dissimilarity, matrix, local=True, dims=dims)
    known = pc.dissimilarity("species ~ .", iris, metric)
    D, trained = known.frame().to_numpy(), known.metric
    plain = np.empty(D.shape)
    for j, c in enumerate(iris["species"].astype("category").cat.codes):
        alone = trained.parts[c]
        own = rows_of(alone, known.data)
        plain[:, j] = compare(alone, own, tuple(a[[j]] for a in own))[:, 0]
    assert (plain == D).all()
    assert not np.allclose(D, D.T)
    candidates = known.candidates
    if matrix == "full":
        X = np.asarray(trained.base.coordinates(trained.base.rows(known.data)))
        for i, j in ((7, 100), (140, 3), (60, 61)):
            L = trained.parts[candidates[-1][j]].map
            assert D[i, j] ** 2 == pytest.approx((X[i] - X[j]) @ L.T @ L @ (X[i] - X[j]))
        assert np.sum([(part.map**2).sum() for part in trained.parts]) == pytest.approx(3 * (dims or 4))


def test_matrices_for_each_class_classify_what_one_matrix_cannot():
    draw = np.random.default_rng(0)
    shapes = {"flat": [3.0, 0.2], "high": [0.2, 3.0], "round": [0.5, 0.5]}
    data = pd.concat([pd.DataFrame(draw.normal(size=(60, 2)) * sd, columns=["a", "b"]).assign(y=y) for y, sd in shapes.items()])
    fit = pc.fit("y ~ .", data.reset_index(drop=True), "medianglvq", K=1, cv=5, progress=False)
    error = fit.validation.table.groupby(["matrix", "local"])["error"].min()
    assert error["full", True] < 0.27 < 0.4 < min(error["full", False], error["diagonal", False])
    ax = fit.plot("weights")
    assert len(ax.patches) == 6
    by_class = fit.stability(resamples=3).weights(resamples=4)
    assert by_class.index.get_level_values("class").unique().tolist() == ["flat", "high", "round"]
    assert by_class.loc[("flat", "b"), "weight"] > by_class.loc[("flat", "a"), "weight"]


def test_distances_with_a_matrix_for_each_class_need_classes(iris):
    unlabelled = pc.candidates.unlabelled(iris.drop(columns="species").head(3).set_axis(["x", "y", "z"]))
    with pytest.raises(pc.errors.DataError, match=r"need the class of each candidate, but some have none: use candidates='train'"):
        pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.Relevance(local=True), candidates=unlabelled, cv=None)
    with pytest.raises(pc.errors.NoCoordinatesError, match="locally weighted Euclidean dissimilarities have none"):
        pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.Relevance(local=True), candidates=pc.candidates.kmeans(2), cv=None)
    with pytest.raises(pc.errors.OptionError, match=r"local must be False or True, not 'yes'"):
        pc.Relevance(local="yes")
    tuned = pc.fit("species ~ .", iris, "knn", k=3, dissimilarity=pc.Relevance(local=[True, False]), cv=3)
    assert sorted(tuned.validation.table["local"].unique()) == [False, True]


@pytest.mark.parametrize("dims", [None, 2])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("dissimilarity", ["euclidean", "mahalanobis"])
def test_a_matrix_divides_distances_exactly(iris, local, dims, dissimilarity):
    arguments = {"matrix": "full", "local": local, "dims": dims, "dissimilarity": dissimilarity}
    fit = pc.fit("species ~ .", iris, "medianglvq", K=1, ridge=0.01, cv=None, **arguments)
    metric, negative, columns = fit.dissimilarity.metric, False, iris.columns.drop("species")
    for row in iris.index[[1, 70, 120]]:
        why = fit.why(row)
        for name in ("prototype", "rival"):
            other, distance = why.attrs[name], why.attrs[f"{name}_distance"]
            assert why[f"to_{name}"].sum() == pytest.approx(distance)
            assert distance == pytest.approx(fit.dissimilarity.frame().loc[row, other])
            own = metric.parts[list(fit.classes).index(iris.loc[other, "species"])] if local else metric
            apart = (iris.loc[row, columns] - iris.loc[other, columns]).to_numpy(float)
            if dissimilarity == "euclidean":
                L = own.map.T @ own.map / np.outer(metric.base.spread, metric.base.spread)
                assert why[f"to_{name}"].to_numpy() * distance == pytest.approx(apart * (L @ apart))
            negative |= (why[f"to_{name}"] < 0).any()
        assert why.attrs.get("not_additive") is None
    assert negative
    of_slim = fit.slim().why(dict(iris.loc[1, columns]))
    assert of_slim["to_prototype"].to_numpy() == pytest.approx(fit.why(1)["to_prototype"].to_numpy())
    assert fit.plot("why", new=1).get_title().startswith("Row ")


@pytest.mark.parametrize(("data", "formula", "more"), [
    ("iris", "species ~ .", {}), ("iris", "species ~ .", {"dissimilarity": "manhattan"}), ("table", "y ~ .", {"na": "keep"}),
], ids=["euclidean", "manhattan", "gower"])  # fmt: skip
def test_sql_of_a_diagonal_fit_agrees(iris, data, formula, more):
    data = iris if data == "iris" else table(200)
    fit = pc.fit(formula, data, "medianglvq", K=2, matrix="diagonal", ridge=0.01, cv=None, **more)
    with sqlite3.connect(":memory:") as base:
        data.reset_index(names="place").to_sql("rows", base, index=False)
        found = pd.read_sql_query(fit.sql("rows"), base).sort_values("place")
    predicted = next(c for c in found if c not in data and c != "place")
    assert found[predicted].tolist() == fit.predict(data).astype(object).tolist()


@pytest.mark.parametrize(("given", "words"), [
    ({"matrix": "diag"}, r"matrix must be 'diagonal' or 'full', not 'diag': did you mean 'diagonal'\?"),
    ({"ridge": -1}, "ridge must be a number >= 0 and <= 1000000, not -1"), ({"beta": 0}, "beta must be a number > 0, not 0"),
    ({"K": 0}, "K must be a whole number >= 1, not 0"), ({"dims": 2}, "dims=2 needs matrix='full': leave it out"),
    ({"sample": 1}, "sample must be a whole number >= 2, not 1"),
])  # fmt: skip
def test_arguments_that_mean_nothing(given, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        pc.Relevance(**given)


@pytest.mark.usefixtures("threads_of_blas")
@pytest.mark.parametrize("matrix", LEARNED)
def test_samples_are_named_and_are_new_in_each_round(iris, monkeypatch, matrix):
    found = []
    kind = {"diagonal": Weights, "full": Maps}[matrix]
    take = kind.take
    monkeypatch.setattr(kind, "take", lambda space, at: found.append(at) or take(space, at))
    metric = pc.Relevance(matrix=matrix, sample=60)
    fit = pc.fit("species ~ .", iris, "knn", k=1, dissimilarity=metric, cv=None)
    assert "learned from 5 samples of 60 of 150 rows" in str(fit)
    assert len({tuple(at) for at in found}) == 5
    assert all(60 <= len(at) <= 63 for at in found)  # with the rows that were chosen before
    with alone():
        again = pc.fit("species ~ .", iris, "knn", k=1, dissimilarity=metric, cv=None)
    assert (again.dissimilarity.frame() == fit.dissimilarity.frame()).all(axis=None)
    assert fit.dissimilarity.metric.search[0] > fit.dissimilarity.metric.search[1]
