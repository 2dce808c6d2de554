"""Default grids that go on, grids that end at the choice, and choices that depend on the folds."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.models.base import Grid


@pytest.fixture(scope="module")
def noise():
    draw = np.random.default_rng(0)
    return pd.DataFrame(draw.normal(size=(90, 3)), columns=list("abc")).assign(y=draw.choice(list("uv"), 90))


@pytest.fixture(scope="module")
def cancer():
    return pc.load_data("breast_cancer")


def test_a_default_grid_goes_on_until_the_choice_lies_inside(cancer):
    v = pc.cross_validate("diagnosis ~ .", cancer, dissimilarity="euclidean", repeats=1)
    eps, last = v.table["eps"].to_numpy(), v._extensions["eps"].last
    assert eps[19] == last
    assert len(eps) == 24 == 20 + v._extensions["eps"].added
    assert v.selected("1se").name < 23
    assert "24 grid points (extended with eps above 6.376)" in repr(v)
    d = pc.dissimilarity("diagnosis ~ .", cancer).condensed()
    levels = [(d < e).mean() for e in eps[19:]]
    assert levels == pytest.approx([0.5, 0.55, 0.6, 0.65, 0.7], abs=1e-4)
    # the same folds and the same numbers as all values at once
    whole = pc.cross_validate("diagnosis ~ .", cancer, eps=eps.tolist(), dissimilarity="euclidean", repeats=1)
    pd.testing.assert_frame_equal(v.table, whole.table)
    assert np.array_equal(v._predicted, whole._predicted)
    assert np.array_equal(v._of_fold, whole._of_fold)
    fit = pc.fit("diagnosis ~ .", cancer, dissimilarity="euclidean", repeats=1)
    assert fit._selection.point == v.selected("1se").name
    assert fit.prototypes.equals(pc.fit("diagnosis ~ .", cancer, eps=float(eps[fit._selection.point])).prototypes)
    words = "extended by 4 larger values of eps (up to 8.139), because the largest was selected"
    assert words in str(fit.summary())
    assert words not in repr(fit)


def test_a_grid_stops_before_a_class_is_lost():
    draw, y = np.random.default_rng(1), np.repeat(list("uv"), [70, 20])
    X = draw.normal(size=(90, 3))
    X[y == "v"] *= 0.3
    X[y == "v", 0] += 3
    data = pd.DataFrame((X - X.mean(axis=0)) / X.std(axis=0, ddof=1), columns=list("abc")).assign(y=y)
    unscaled = pc.Euclidean(scale=False)
    fit = pc.fit("y ~ .", data, dissimilarity=unscaled, repeats=1)
    end = fit.validation._extensions["eps"]
    assert (end.added, end.all_classes) == (0, False)
    assert "was selected; with the next value a class has no prototypes" in repr(fit)
    # by brute force: both classes have prototypes in every fold at the last radius, and not at the next
    beyond = np.quantile(pc.dissimilarity("y ~ .", data, unscaled).condensed(), 0.55)
    train = [fit.validation._of_fold[0] != f for f in range(10)]
    for eps, kept in ((end.last, True), (float(beyond), False)):
        fits = [pc.fit("y ~ .", data[rows], eps=eps, dissimilarity=unscaled) for rows in train]
        assert all(f.prototypes["class"].nunique() == 2 for f in fits) == kept


def test_a_grid_of_ones_own_is_only_remarked_on(iris, cancer):
    fit = pc.fit("diagnosis ~ .", cancer, eps=[2.0, 4.0, 6.3], dissimilarity="euclidean", repeats=1)
    assert len(fit.validation.table) == 3
    assert not fit.validation._extensions
    assert "\nGrid " in repr(fit)
    assert "the largest eps, 6.3, was selected: try larger values" in repr(fit)
    assert "the largest eps, 6.3, was selected" in str(fit.summary())
    assert "\nGrid " not in repr(pc.fit("species ~ .", iris, eps=[0.5, 1.0, 2.0], dissimilarity="euclidean", repeats=1))  # inside
    assert "\nGrid " not in repr(pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1))
    assert "the largest k, 15, was selected: try" in repr(pc.fit("species ~ .", iris, "knn", k=[1, 5, 15]))
    assert "\nGrid " not in repr(fit.validation.fit_at(1))


def test_folds_are_drawn_as_often_as_the_rows_allow(iris, cancer):
    def draws(*given, **more):
        return len(pc.cross_validate(*given, **more, repeats="auto", progress=False)._of_fold)

    assert draws("species ~ .", iris, dissimilarity="euclidean") == 10
    assert draws("diagnosis ~ .", cancer, dissimilarity="euclidean") == 8  # 569 x 8 <= 5,000
    assert draws("species ~ .", iris, eps=[1.0, 2.0]) == 1  # the radii are given
    assert draws("species ~ .", iris, "knn", k=[1, 5]) == draws("species ~ .", iris, cv="loo", dissimilarity="euclidean") == 1
    assert draws("species ~ .", iris, cv=np.arange(150) % 5, dissimilarity="euclidean") == 1
    assert draws("species ~ .", iris, eps="grid", solver="ratio", cv=2, dissimilarity="euclidean") == 1  # its folds share no work
    with pytest.raises(pc.errors.OptionError, match=r"repeats must be a whole number .*, not 'often'"):
        pc.cross_validate("species ~ .", iris, repeats="often", dissimilarity="euclidean")


@dataclass(frozen=True)
class Drawn(Grid):
    """Values in any order, some twice."""

    those: tuple

    def values(self, task):
        return np.array([*self.those[::-1], *self.those])


@dataclass(frozen=True)
class Bent(pc.Model):
    """A method outside the package that checks its parameter as CONTRIBUTING does."""

    name: ClassVar[str] = "bent"
    power: Any = 1.0

    def __post_init__(self):
        pc.extend.check_number("bent", "power", self.power, low=0, above=True)

    def path(self, task, grid):
        first = [np.flatnonzero(task.y == c)[0] for c in range(task.classes)]
        rule = pc.extend.Nearest(pc.extend.Points(np.arange(task.classes), at=pc.extend.own_candidates(task)[first]), task.classes, 0)
        return pc.extend.RulePath((rule,) * len(pc.extend.axis(grid, "power", self.power)))


def test_what_a_grid_object_draws_is_checked(iris):
    assert len(pc.cross_validate("species ~ .", iris, Bent(Drawn((1.0, 2.0))), cv=3).table) == 2
    for model, words in (
        (Bent(Drawn((-1.0, 2.0))), r"Drawn\(those=\(-1\.0, 2\.0\)\) draws values that bent.*: power of bent must be a"),
        (pc.KNN(Drawn((1.5, 2.0))), r"Drawn\(those=\(1\.5, 2\.0\)\) draws values that knn.*: k of knn must be a whole"),
    ):
        with pytest.raises(pc.errors.OptionError, match=words):
            pc.cross_validate("species ~ .", iris, model, cv=3)
    with pytest.raises(pc.errors.OptionError, match=r"k of knn must be a sequence of at least one value, not \[\]"):
        pc.KNN([])
