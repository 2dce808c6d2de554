"""Inputs that once went wrong, each beside what must come of it."""

import math
import re

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.scm import midpoint
from protoclass.core.vectors.centroids import hull_draws

ONE = {"kind": "conjunction", "penalty": 1.0, "max_size": None}


def two(n=60, p=2, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    table = pd.DataFrame(draw.normal(size=(n, p)) + 1.5 * y[:, None], columns=[f"x{i}" for i in range(p)])
    return table.assign(y=np.where(y == 1, "b", "a"))


def test_machines_without_centres(iris):
    v = pc.cross_validate(
        "species ~ .", iris.iloc[50:], "scm", candidates=1, cv=3, kind="conjunction", penalty=1.0, max_size=2
    )
    assert v.table["error"].between(0, 1).all()
    fit = pc.fit("species ~ .", iris, "scm", candidates=1, **ONE)
    assert "has no features" in str(fit.summary())


@pytest.mark.parametrize(("method", "parameters"), [("scm", ONE), ("pvm", {"eps": 0.1})])
def test_rows_at_unknown_distances_are_left_out_everywhere(method, parameters):
    data, new = two(), two(20, seed=9)
    new.loc[:9, ["x0", "x1"]] = np.nan
    fit = pc.fit("y ~ .", data, method, na="keep", dissimilarity="gower", **parameters)
    assert fit.path(new=new)["new_error"].iloc[-1] == pytest.approx(fit.test(new).error)
    with pytest.raises(pc.errors.DataError, match="no row has both"):
        fit.path(new=new.iloc[:5])


def test_a_smaller_fit_speaks_of_itself(iris):
    fit = pc.fit("species ~ .", iris, "scm", kind="conjunction", penalty=1.0)
    small = fit.at(size=1)
    assert re.search(rf"\nFeatures +{int(small.rule.size)}\b", str(small))
    assert "CV error" not in str(small)
    assert "worth" not in str(fit.at(size=0).summary())


def test_hull_draws_reach_the_corners():
    corners = np.vstack([np.zeros(10), np.eye(10)])
    X = np.vstack([corners, corners.mean(axis=0)])  # a simplex, but with a row too many to be taken for one
    largest = []
    for seed in range(12):
        drawn = hull_draws(X, 10, None, (seed,))
        weights = np.column_stack([1 - drawn.sum(axis=1), drawn])
        largest += weights.max(axis=1).tolist()
    exact = sum(1 / k for k in range(1, 12)) / 11  # of the uniform distribution on a simplex with 11 corners
    assert np.mean(largest) == pytest.approx(exact, abs=0.025)


def test_a_bound_counts_the_choice_of_kind(iris):
    data = two(100)
    both = pc.fit("y ~ .", data, "scm", dissimilarity=pc.Euclidean(scale=False), penalty=math.inf, max_size=[1, 2])
    kind = both.model.kind
    one = pc.fit(
        "y ~ .", data, "scm", dissimilarity=pc.Euclidean(scale=False), penalty=math.inf, kind=kind, max_size=both.model.max_size
    )
    assert one.bound(0.05 / 2)["bound"].iloc[0] == pytest.approx(both.bound(0.05)["bound"].iloc[0])
    whole = both.bound()["bound"].iloc[0]
    assert both.path()["bound"].iloc[-1] == pytest.approx(whole)
    assert both.at(size=int(both.rule.size)).bound()["bound"].iloc[0] == pytest.approx(whole)
    of_object = pc.fit("y ~ .", data, pc.SCM(penalty=math.inf, max_size=[1, 2]), dissimilarity=pc.Euclidean(scale=False))
    assert of_object.bound()["bound"].iloc[0] == pytest.approx(whole)


def test_thresholds_stay_between_their_values():
    up = math.nextafter
    low = 1.0
    for high in (up(1.0, 2), 3.0, 1.7e308):
        assert low <= midpoint(low, high) < high
    assert midpoint(-1.7e308, 1.7e308) == 0
    assert 1.5e308 <= midpoint(1.5e308, 1.7e308) < 1.7e308
    for x in ([1.0, up(1.0, 2), up(up(1.0, 2), 3), up(up(up(1.0, 2), 3), 3)], [1e308, 1.2e308, 1.5e308, 1.7e308]):
        data = pd.DataFrame({"x": x, "y": list("aabb")})
        for kind in ("conjunction", "disjunction"):
            fit = pc.fit("y ~ x", data, "scm", features="stumps", kind=kind, penalty=math.inf, max_size=None)
            assert fit._training_error == 0


def test_classes_of_odd_kinds():
    data = two()
    for wrong in (pd.NA, pd.Series(["a"]), "c"):
        with pytest.raises(pc.errors.OptionError, match="positive must be"):
            pc.fit("y ~ .", data, "scm", positive=wrong, **ONE)
    pairs = data.assign(y=[("a", 1) if c == "a" else ("b", 2) for c in data.y])
    v = pc.cross_validate(
        "y ~ .", pairs, "scm", positive=("a", 1), kind="conjunction", penalty=[1.0, 2.0], max_size=2, cv=3
    )
    assert v.table["error"].max() < 0.5
    mixed = data.assign(y=pd.Categorical([1 if c == "a" else "1" for c in data.y]))
    for candidates in (pc.candidates.hull(5), pc.candidates.kmeans(2)):
        fit = pc.fit("y ~ .", mixed, eps=1.0, candidates=candidates)
        assert str(fit.summary())
