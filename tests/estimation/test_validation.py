"""Validation: measures, repeats, groups, own folds, leave-one-out, and what it tells."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


def test_error_is_the_weighted_mean_of_the_folds(iris):
    v = pc.cross_validate("species ~ .", iris, "knn", k=[1, 3], cv=7)
    wrong = (v.held_out.astype(object).to_numpy() != iris.species.to_numpy()[:, None]).mean(axis=0)
    assert v.table["error"].to_numpy() == pytest.approx(wrong)
    size = v.folds.value_counts().sort_index().to_numpy()
    share = size / size.sum()
    e = v.fold_errors.to_numpy()
    assert v.table["se"].to_numpy() == pytest.approx(np.sqrt(share @ (e - share @ e) ** 2 / 6))
    assert v.confusion(0).to_numpy().trace() == 150 - round(150 * wrong[0])
    assert v.no_information == pytest.approx(2 / 3)
    with pytest.raises(pc.errors.OptionError, match=r"point must be a row of `table`, 0 to 1, or.*not 2"):
        v.confusion(2)


def test_balanced_error_and_losses_by_hand(iris):
    data = iris.iloc[np.r_[0:50, 50:80, 100:150]]
    v = pc.cross_validate("species ~ .", data, eps=1.0, cv=5, measure="balanced")
    told, truth = v.held_out[0].astype(object), data.species.astype(object)
    assert v.table["error"].iloc[0] == pytest.approx(
        np.mean([(told != truth)[truth == c].mean() for c in truth.unique()])
    )
    assert v.no_information == pytest.approx(2 / 3)
    levels = ["setosa", "versicolor", "virginica"]
    loss = pd.DataFrame([[0, 1, 1], [1, 0, 5], [1, 2, 0]], levels, levels)
    lossy = pc.cross_validate("species ~ .", data, eps=1.0, cv=5, measure=loss)
    by_hand = np.mean([loss.loc[a, b] for a, b in zip(truth, told, strict=True)])
    assert lossy.table["error"].iloc[0] == pytest.approx(by_hand)
    assert lossy.no_information == pytest.approx(min(loss.loc[truth, c].mean() for c in levels))
    assert lossy.measure == "loss"


def test_cover_error_counts_none_several_and_wrong(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.6, 1.0], cv=4, seed=1, dissimilarity="euclidean", repeats=1)
    D = pc.dissimilarity("species ~ .", iris).frame()
    missed = 0
    for f in range(4):
        train = iris[v.folds != f]
        fit = pc.fit("species ~ 1", train, dissimilarity=D.loc[train.index, train.index], eps=1.0, lambda_=1 / 150)
        held = iris[v.folds == f]
        told = fit.predict(D.loc[held.index, fit.prototypes.index], "cover")
        missed += (told.astype(object) != held.species.astype(object)).sum()
    assert v.table["cover_error"].iloc[1] == pytest.approx(missed / 150)


def test_leave_one_out(iris):
    few = iris.iloc[::5]
    v = pc.cross_validate("species ~ .", few, "knn", k=[1, 3], cv="loo")
    D = pc.dissimilarity("species ~ .", few).frame().to_numpy().copy()
    np.fill_diagonal(D, np.inf)
    wrong = few.species.to_numpy()[D.argmin(axis=1)] != few.species.to_numpy()
    assert v.table["error"].iloc[0] == pytest.approx(wrong.mean())
    assert v.folds.nunique() == len(few)
    assert "one row left out at a time" in v._notes


def test_groups_stay_in_one_fold(iris):
    data = iris.assign(plot=np.arange(150) // 5)
    v = pc.cross_validate("species ~ .", data, groups="plot", eps=1.0, cv=5)
    assert (v.folds.groupby(data["plot"]).nunique() == 1).all()
    assert "plot" not in v._problem.frame.columns
    left = pc.cross_validate("species ~ .", data, groups="plot", eps=1.0, cv="loo")
    assert left.folds.nunique() == 30
    assert (left.folds.groupby(data["plot"]).nunique() == 1).all()


def test_own_folds_by_label(iris):
    own = pd.Series(np.tile(list("abc"), 50), iris.index)
    v = pc.cross_validate("species ~ .", iris, eps=1.0, cv=own.sample(frac=1, random_state=0))
    assert (v.folds.groupby(own).nunique() == 1).all()
    assert v.folds.nunique() == 3


def test_repeats_average_and_do_not_shrink_the_standard_error(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.8, 1.2], cv=5, repeats=3, dissimilarity="euclidean")
    assert v.folds.shape == (150, 3)
    assert len(v.fold_errors) == 15
    assert v.held_out.shape == (450, 2)
    e = v.fold_errors.to_numpy().reshape(3, 5, 2)
    assert v.table["error"].to_numpy() == pytest.approx(e.mean(axis=(0, 1)))
    assert v.table["se"].to_numpy() == pytest.approx(np.sqrt((e.var(axis=1) / 4).mean(axis=0)))
    single = pc.cross_validate("species ~ .", iris, eps=[0.8, 1.2], cv=5, dissimilarity="euclidean", repeats=1)
    assert single.folds.equals(v.folds[0].rename("fold"))
    with pytest.raises(pc.errors.OptionError, match="these folds are fixed"):
        pc.cross_validate("species ~ .", iris, eps=1.0, cv="loo", repeats=2)
    assert len(v.glance()) == 1
    assert v.confusion().to_numpy().sum() == pytest.approx(150)


@pytest.mark.long
def test_usps_greedy_reaches_the_figures_of_the_trial_runs(papers_data):
    """Euclidean, lambda 1/n: greedy's objective at five radii to the last digit known, and prototypes and test error."""
    data = pc.fetch_data("usps")
    train, new = (data[data.split == part].drop(columns="split") for part in ("train", "test"))
    for eps, objective in ((5.45, 23.68), (7.3, 142.4), (8.06, 265.3), (10.0, 699.1), (12.07, 1689.0)):
        fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=eps, repeats=1)
        assert fit.objective.value == pytest.approx(objective, abs=0.05 if objective > 100 else 0.005)
    for eps, count, error in ((2.4, 6582, 5.5), (10.7, 512, 10.3)):
        fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=eps, repeats=1)
        assert len(fit.prototypes) == pytest.approx(count, rel=0.02)
        assert 100 * fit.test(new).error == pytest.approx(error, abs=0.1)


def test_pima_error_is_near_the_papers(papers_data):
    """PVM paper, Table 2: 24.2 % with 12 prototypes on one split of 512 / 256 rows."""
    data = pc.fetch_data("pima")
    fit = pc.fit("diabetes ~ .", data, seed=1, dissimilarity="euclidean", repeats=1)
    assert 0.2 < fit.validation.table["error"].iloc[fit._selection.point] < 0.31
    assert 2 <= len(fit.prototypes) <= 60
