"""Every fit updates to itself: fits at points of a grid, of first steps, at other costs and from an explorer."""

import inspect

import pandas as pd
import pytest

import protoclass as pc
from protoclass.estimation.problem import DEFAULTS


def same(one, two):
    """The same rule: prototypes, predictions, parameters, and the bound where there is one."""
    assert two.prototypes.equals(one.prototypes)
    assert two.predict().equals(one.predict())
    assert two.model == one.model
    if one.model.has("bound"):
        pd.testing.assert_frame_equal(two.bound(), one.bound())


def test_a_fit_at_a_larger_lambda_updates_to_itself(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0).at(lambda_=6)
    assert len(fit.prototypes) == 6
    assert len(fit.update().prototypes) == 6
    same(fit, fit.update())
    assert fit.update(eps=2.0).model.lambda_ == 6


def test_a_fit_of_the_first_steps_updates_to_as_many(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0).at(size=5)
    same(fit, fit.update())
    assert len(fit.update(eps=0.7).prototypes) == 5
    assert len(fit.update(eps=3.0).prototypes) <= 5
    scm = pc.fit("species ~ .", iris, "scm", kind="conjunction", penalty=1.0, max_size=4).at(size=2)
    same(scm, scm.update())


@pytest.mark.parametrize("method", ["pvm", "scm", "knn", "kmeans"])
def test_a_fit_at_any_point_of_a_grid_updates_to_itself(iris, method):
    v = pc.cross_validate("species ~ .", iris, method, cv=3, seed=4, dissimilarity="euclidean", repeats=1)
    for point in (0, v.selected("1se").name, len(v.table) - 1):
        fit = v.fit_at(point)
        assert fit._selection.point == point
        same(fit, fit.update())
        assert fit._selection.values == v.fit_at(point)._selection.values
    assert v.fit_at(v.selected("1se").name)._selection.rule == "1se"
    other = next(g for g in range(len(v.table)) if g != v.selected("1se").name)
    assert v.fit_at(other)._selection.by_hand
    assert f"Parameters of point {other}, selected manually" in str(v.fit_at(other).summary())


def test_a_tuned_fit_tunes_again(iris):
    fit = pc.fit("species ~ .", iris, cv=4, seed=3, dissimilarity="euclidean", repeats=1)
    same(fit, fit.update())
    assert fit.update(seed=5).validation.folds.tolist() != fit.validation.folds.tolist()
    assert fit.update(method="knn").model.name == "knn"
    assert fit.update(eps=1.0).model.eps == 1.0
    v = pc.cross_validate("species ~ .", iris, cv=4, measure="balanced", repeats=2, seed=3, dissimilarity="euclidean")
    again = v.fit.update()
    same(v.fit, again)
    assert again.validation.table.equals(v.table)
    assert again.validation.measure == "balanced"


def test_a_point_chosen_by_hand_keeps_that_delta_is_shared(iris):
    """Theorem 5.2 holds for one kind of machine; chosen among two, each has half of delta, whatever chose."""
    two = iris[iris["species"] != "setosa"].assign(species=lambda d: d["species"].astype(str))
    raw = pc.Euclidean(scale=False)
    v = pc.cross_validate("species ~ .", two, "scm", dissimilarity=raw, cv=3, penalty=1.0, max_size=3)
    for point in range(len(v.table)):
        fit = v.fit_at(point)
        alone = fit.update(kind=fit.model.kind)  # now named by the user, and not chosen by the data
        assert fit.bound()["bound"].iloc[0] == pytest.approx(alone.bound(0.025)["bound"].iloc[0], rel=1e-12)
        assert fit.bound()["bound"].iloc[0] > alone.bound()["bound"].iloc[0]
        assert fit.path()["bound"].iloc[-1] == pytest.approx(fit.bound()["bound"].iloc[0])


def test_the_defaults_of_a_call_are_those_of_both_functions():
    for function in (pc.fit, pc.cross_validate):
        words = [p for p in inspect.signature(function).parameters.values() if p.default is not p.empty and p.name != "sample"]
        only_of_fit = {"calibrate"} - {p.name for p in words}
        assert {p.name: p.default for p in words} == {k: v for k, v in DEFAULTS.items() if k not in only_of_fit}
