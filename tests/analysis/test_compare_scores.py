"""Brier score and log loss in compare: those of fits to the training rows alone, by scikit-learn, with paired tests."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics

import protoclass as pc
from protoclass.analysis.comparison import score_rows

RAW = pc.Euclidean(scale=False)
METHODS = [pc.KNN(k=5), pc.KNN(k=25)]


@pytest.fixture(scope="module")
def two(iris):
    return iris[iris.species != "setosa"].assign(species=lambda d: d["species"].astype(str))


@pytest.fixture(scope="module")
def folds(two):
    return pc.compare("species ~ .", two, METHODS, cv=4, seed=2, dissimilarity=RAW, calibrate={"cv": 3})


def test_the_chances_are_those_of_fits_that_saw_the_training_rows_alone(two, folds):
    for split, said in folds.predictions.groupby(level="split"):
        test = said.index.get_level_values(1)
        at = folds.predictions.index.get_level_values(0) == split
        for name, model in zip(folds.methods, METHODS, strict=True):
            fit = pc.fit("species ~ .", two.drop(index=test), model, seed=2, dissimilarity=RAW, calibrate={"cv": 3})
            p = fit.predict(two.loc[test], "prob").to_numpy()
            assert np.array_equal(folds.chances[name][at], p)
    truth = (two.loc[folds.predictions.index.get_level_values(1), "species"] == "virginica").to_numpy()
    for name in folds.methods:
        p = folds.chances[name][:, 1]
        assert folds.table.loc[name, "brier"] == pytest.approx(metrics.brier_score_loss(truth, p))
        assert folds.table.loc[name, "log_loss"] == pytest.approx(metrics.log_loss(truth, p))


def test_standard_errors_and_tests_of_folds_are_those_of_nadeau_and_bengio(folds):
    for score in ("brier", "log_loss"):
        means = score_rows(score, folds.chances, folds.predictions["truth"]).groupby(level="split").mean()
        factor = 1 / 4 + 1 / 3  # 25 rows test, 75 train
        for name in folds.methods:
            assert folds.table.loc[name, f"{score}_se"] == pytest.approx(np.sqrt(factor * means[name].var()))
        difference = means.iloc[:, 0] - means.iloc[:, 1]
        row = folds.score_tests(score).iloc[0]
        t = difference.mean() / np.sqrt(factor * difference.var())
        assert row["test"] == "corrected resampled t"
        assert (row["difference"], row["statistic"]) == pytest.approx((difference.mean(), t))
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(t), 3))
        assert row["low"] < row["difference"] < row["high"]


def test_on_one_split_and_of_fits_rows_are_independent(iris):
    three = {f"k{k}": {"method": "knn", "k": k} for k in (3, 9, 30)}
    split = pc.compare("species ~ .", iris, {**three, "plain": pc.KNN(k=1)}, test_size=0.4, dissimilarity=RAW)
    assert "brier" not in split.table
    with pytest.raises(pc.NotAvailable, match=r"compare\(..., calibrate=True\)"):
        split.score_tests()
    three = {name: {**one, "calibrate": True} for name, one in three.items()}
    split = pc.compare("species ~ .", iris, {**three, "plain": pc.KNN(k=1)}, test_size=0.4, dissimilarity=RAW)
    assert list(split.chances) == ["k3", "k9", "k30"]
    assert split.table["brier"].isna().tolist() == [False, False, False, True]
    assert "brier_se" in repr(split)
    test = split.predictions.index.get_level_values(1)
    fits = {k: pc.fit("species ~ .", iris.drop(index=test), dissimilarity=RAW, **one) for k, one in three.items()}
    fitted = pc.compare({**fits, "k1": pc.fit("species ~ .", iris, "knn", k=1)}, new=iris.loc[test])
    truth = iris.loc[test, "species"].cat.codes.to_numpy()
    for told in (split, fitted):
        rows = score_rows("brier", told.chances, told.predictions["truth"])
        for name, fit in fits.items():
            p = fit.predict(iris.loc[test], "prob").to_numpy()
            by_hand = ((p - np.eye(3)[truth]) ** 2).sum(axis=1)
            assert rows[name].to_numpy() == pytest.approx(by_hand)
            assert told.table.loc[name, ["brier", "brier_se"]].tolist() == pytest.approx([by_hand.mean(), stats.sem(by_hand)])
        tests = told.score_tests()
        assert tests[["a", "b"]].to_numpy().tolist() == [["k3", "k9"], ["k3", "k30"], ["k9", "k30"]]
        expected = stats.ttest_rel(rows["k3"], rows["k30"])
        assert tests.loc[1, ["statistic", "p"]].tolist() == pytest.approx([expected.statistic, expected.pvalue])
        assert tests.loc[1, ["low", "high"]].tolist() == pytest.approx(list(expected.confidence_interval()))
        assert (tests["p_holm"] >= tests["p"]).all()


def test_log_losses_are_finite_and_rows_without_chances_are_left_out(two):
    draw = np.random.default_rng(0)
    noisy = two.assign(species=np.where(draw.random(len(two)) < 0.1, "versicolor", two["species"]))
    told = pc.compare("species ~ .", noisy, METHODS, cv=3, dissimilarity=RAW, calibrate="isotonic")
    assert np.isfinite(told.table["log_loss"]).all()  # no calibrated probability is 0
    assert told.table["log_loss_se"].notna().all()
    assert told.score_tests("log_loss")["p"].notna().all()
    certain = replace(told, chances={name: np.round(p) for name, p in told.chances.items()})
    assert certain.score_tests("log_loss")[["low", "high", "p"]].isna().all(axis=None)
    assert certain.score_tests("brier")["p"].notna().all()
    p = {"a": np.array([[0.5, 0.5], [np.nan, np.nan]]), "b": np.array([[0.2, 0.8], [0.1, 0.9]])}
    rows = score_rows("brier", p, pd.Series(pd.Categorical(["x", "y"]), index=[7, 8]))
    assert rows.index.tolist() == [7]
    assert rows.loc[7].tolist() == pytest.approx([0.25, 0.64])


@pytest.mark.parametrize(
    ("methods", "options", "words"),
    [
        (["knn"], {"calibrate": 3}, r"calibrate must be True, False, 'auto',.*not 3"),
        (["knn"], {"calibrate": {"new": pd.DataFrame({"a": [1]})}},
         r"method 'knn' has its own calibration rows, which may be among the test rows: leave new out"),
        ({"own": {"method": "knn", "calibrate": {"new": pd.DataFrame({"a": [1]})}}}, {},
         r"method 'own' has its own calibration rows, which may be among the test rows: leave new out"),
    ],
)
def test_calibration_by_other_rows_is_refused(two, methods, options, words):
    with pytest.raises(pc.OptionError, match=words):
        pc.compare("species ~ .", two, methods, test_size=0.5, **options)


def test_scores_are_named(folds):
    with pytest.raises(pc.OptionError, match="score must be 'brier', 'log_loss', 'auc' or 'loss', not 'area'"):
        folds.score_tests("area")
