"""How few prototypes: a budget for them, and a tolerance of the error."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.statistics.one_se import Limits, choose_over_repeats
from protoclass.models.pvm import spaced_counts

COUNTED = ("pvm", "kmedoids", "kmeans", "lvq", "mixture", "mmd")


@pytest.fixture(scope="module")
def mixed():
    """Two classes that overlap, with ties among the distances."""
    draw = np.random.default_rng(4)
    X = np.round(draw.normal(size=(120, 2)), 1)
    return pd.DataFrame(X, columns=list("ab")).assign(y=np.where(X[:, 0] + draw.normal(size=120) > 0, "u", "v"), w=draw.integers(1, 4, 120))


def count(fit):
    return np.bincount(fit.rule.prototypes.classes, minlength=len(fit.classes))


@pytest.mark.parametrize("method", COUNTED)
def test_of_the_grid_points_within_a_budget_the_best_is_chosen(iris, method):
    """Every grid point is fitted by itself to all rows, and its prototypes are counted."""
    grids = {"pvm": {"eps": [0.6, 1.0, 1.4], "max_size": [4, 6, 9]}, "mmd": {"K": [1, 2, 4], "gamma": [0.5, 2.0]}}
    grid = grids.get(method, {"K": [1, 2, 4]})
    fit = pc.fit("species ~ .", iris, method, max_prototypes=7, cv=4, **grid)
    v, keeps = fit.validation, []
    for point, values in enumerate(product(*grid.values())):
        alone = pc.fit("species ~ .", iris, method, **dict(zip(grid, values, strict=True)))
        keeps.append(count(alone).sum() <= 7)
        assert v._counts[point] == count(alone).sum() or method in ("kmeans", "kmedoids", "lvq")
    table = v.table[keeps]
    least = table[table["error"].round(12) == table["error"].round(12).min()]
    assert fit._selection.point == least.index[np.lexsort((least.index, least["size"]))[0]]
    assert fit._selection.rule == "min"
    assert count(fit).sum() <= 7


@pytest.mark.parametrize("balls", ["open", "closed"])
def test_every_number_of_prototypes_comes_from_one_run(mixed, balls):
    """Of each fold, rows of it out of sight: the first prototypes of a fit to the other rows, and what they answer."""
    eps, parameters = [0.5, 1.3], {"balls": balls, "weights": "w"}
    unscaled = {"dissimilarity": pc.Euclidean(scale=False)}
    v = pc.cross_validate("y ~ a + b", mixed, eps=eps, max_prototypes=60, cv=3, **unscaled, **parameters)
    assert v.grid["max_size"].unique().tolist() == spaced_counts(60)
    covered = pd.Series(index=mixed.index, dtype=object)
    for f, e in product(range(3), eps):
        train, out = mixed[v._of_fold[0] != f], mixed[v._of_fold[0] == f]
        whole = pc.fit("y ~ a + b", train, eps=e, **unscaled, **parameters)
        for point in v.grid.index[v.grid["eps"] == e]:
            first = whole.at(size=min(int(v.grid["max_size"][point]), len(whole.prototypes)))
            assert first.predict(out).tolist() == v.held_out.loc[out.index, point].tolist()
            assert v._sizes[f, point] == len(first.prototypes)
            covered = np.asarray(first.predict(out, "cover").cat.codes)
            assert covered.tolist() == v._covered[0, v._of_fold[0] == f, point].tolist()
    for point in (7, 55):
        fit, values = v.fit_at(point), v.grid.iloc[point]
        whole = pc.fit("y ~ a + b", mixed, eps=values["eps"], **unscaled, **parameters)
        first = whole.at(size=min(int(values["max_size"]), len(whole.prototypes)))
        pd.testing.assert_frame_equal(fit.prototypes, first.prototypes)
        assert fit.predict().equals(first.predict())
        assert fit.objective == first.objective
        assert v._counts[point] == count(first).sum()


def test_a_method_that_shares_out_its_prototypes_has_one_number_for_all(iris):
    fit = pc.fit("species ~ .", iris, "medianglvq", K=[1, 2, 3], matrix="none", max_prototypes=7, cv=3)
    alone = [pc.fit("species ~ .", iris, "medianglvq", K=K, matrix="none").rule.size for K in (1, 2, 3)]
    assert fit.validation._counts.tolist() == [3, 6, 9] == alone
    assert fit.validation._limits.allowed.tolist() == [True, True, False]


def test_a_budget_tunes_what_makes_rules_smaller(iris, mixed):
    assert list(pc.fit("species ~ .", iris, eps=1.0, max_prototypes=8)._selection.values) == ["max_size"]
    exact = pc.fit("y ~ a + b", mixed[:60], eps=1.0, solver="exact", max_prototypes=8, cv=2)
    assert list(exact._selection.values) == ["lambda_"]
    assert len(exact.prototypes) <= 8
    machine = pc.fit("y ~ a + b", mixed, "scm", max_prototypes=3, cv=3)
    assert machine.rule.size <= 3
    assert "max_size" in machine._selection.values
    assert len(pc.fit("species ~ .", iris, "mixture", K="bic", ridge=[0.1, 1.0], max_prototypes=20, cv=3).prototypes) <= 20
    both = pc.fit("species ~ .", iris, eps=[1.0, 2.5], max_prototypes=9, cv=4, dissimilarity="euclidean", repeats=1)
    assert list(both._selection.values) == ["eps", "max_size"]
    assert len(both.prototypes) <= 9


def test_a_budget_goes_with_the_rules_of_choice(iris):
    fits = {rule:
        pc.fit("species ~ .", iris, max_prototypes=12, choose=rule, dissimilarity="euclidean", repeats=1)
        for rule in ("auto", "min", "1se")
    }
    v = fits["min"].validation
    assert fits["auto"]._selection.point == fits["min"]._selection.point == v.selected("min").name
    assert fits["1se"]._selection.point == v.selected("1se").name == fits["1se"].validation.selected("1se").name
    inside = v.table[v._limits.allowed & (v.table["error"] <= v.selected("min")["error"] + v.selected("min")["se"] + 1e-12)]
    assert v.selected("1se")["size"] == inside["size"].min()
    assert "(at most 12)" in repr(fits["auto"])
    assert "240 grid points, 240 of which satisfy max_prototypes=12" in str(fits["auto"].summary())
    few = pc.fit("species ~ .", iris, max_prototypes=3, dissimilarity="euclidean", repeats=1)
    assert few.model.max_size == 3
    assert "try larger values" not in repr(few)
    assert "at the largest size" not in str(few.summary())
    assert "(at most" not in repr(v.fit_at(3))
    assert pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1)._selection.rule == "1se"


def test_the_tolerance_by_hand():
    errors = np.array([[0.10, 0.12, 0.14, 0.40]] * 2)
    sizes = np.array([[9.0, 5.0, 2.0, 1.0]] * 2)
    for limits, point in (
        (Limits(tolerance=0.02), 1), (Limits(tolerance=0.0), 0), (Limits(tolerance=0.4, relative=True), 2),
        (Limits(tolerance=0.39, relative=True), 1), (Limits(tolerance=1.0), 3),
        (Limits(np.array([True, True, False, False]), 0.05), 1), (Limits(np.array([False, True, True, False]), 0.02), 2),
        (Limits(np.array([False, True, True, False]), 0.019), 1),
    ):  # fmt: skip
        assert choose_over_repeats([errors], [np.ones(2)], sizes, limits=limits).points["tolerance"] == point
    assert "tolerance" not in choose_over_repeats([errors], [np.ones(2)], sizes).points


def test_a_tolerance_chooses_the_smallest_rule_within_it(iris):
    curve = pc.cross_validate("species ~ .", iris, max_size=[3, 5, 8, 12], dissimilarity="euclidean", repeats=1).table
    for tolerance, above in ((0.02, 0.02), ("50%", curve["error"].min() / 2), (0, 0.0)):
        fit = pc.fit("species ~ .", iris, max_size=[3, 5, 8, 12], tolerance=tolerance, dissimilarity="euclidean", repeats=1)
        assert fit._selection.rule == "tolerance"
        assert fit.validation.selected()["size"] == curve["size"][curve["error"] <= curve["error"].min() + above + 1e-12].min()
        assert "simplest model within a tolerance" in str(fit.summary())
        assert fit.validation.corrected().value == fit.validation._corrected_losses[:, 2].mean()
        assert "corrected for tuning" in repr(fit)
    with pytest.raises(pc.errors.OptionError, match="choose must be '1se' or 'min', not 'tolerance'"):
        pc.cross_validate("species ~ .", iris, eps=[1.0, 2.0], dissimilarity="euclidean", repeats=1).corrected("tolerance")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"max_prototypes": 0}, "max_prototypes must be a whole number >= 1, not 0"),
        ({"max_prototypes": {"setosa": 3}}, r"max_prototypes must be a whole number >= 1, not \{'setosa': 3\}"),
        ({"max_prototypes": 2}, r"max_prototypes must be at least 3, one.*not 2:"),
        ({"max_prototypes": 9, "method": "knn"},
         "max_prototypes=9 needs a number of prototypes to select, but method 'knn' has none: use 'pvm', 'scm'"),
        ({"max_prototypes": 5, "method": "kmedoids", "K": 3},
         r"max_prototypes=5 is too small, because the.*has 9.*: use as many, or leave out"),
        ({"max_prototypes": 5, "method": "kmedoids", "K": [3, 2]},
         "max_prototypes=5 is too small, because the smallest rule of 2 grid points has 6"),
        ({"max_prototypes": 5, "method": "condensed"}, r"max_prototypes=5 is too small, because the.*: use as many, or leave out"),
        ({"max_prototypes": 5, "cv": None, "eps": 1.0}, "tuning max_size needs folds, but cv=None: use one value for max_size=, or cv=10"),
        ({"max_size": 0}, "max_size of pvm must be a whole number >= 1, a sequence of these, or 'grid', not 0"),
        ({"max_size": 3, "solver": "exact"}, r"max_size=3 needs the greedy solver without certify=,.*: use a larger lambda_ to"),
        ({"tolerance": "5"}, r"tolerance must be a number >= 0 in the unit of the measure, such as 0\.02,.*not '5'"),
        ({"tolerance": ""}, "tolerance must be a number >= 0 in the unit of the measure, .*not ''"),
        ({"tolerance": 0.1, "choose": "min"}, r"tolerance=0\.1 is itself a rule of selection, beside choose='min': leave out one"),
        ({"choose": "tolerance"}, r"choose must be 'auto', '1se', 'min' or 'bound', not 'tolerance': use tolerance= alone"),
        ({"tolerance": 0.1, "eps": 1.0}, "tolerance= needs cross-validation, but nothing is cross-validated: use cv=10 as well"),
    ],
)
def test_what_makes_no_budget_is_refused_with_the_cure(iris, arguments, said):
    with pytest.raises(pc.errors.OptionError, match=said):
        pc.fit("species ~ .", iris, **arguments)
