"""ROC and precision-recall curves: pROC's and caret's numbers, plain transcriptions, and coverage by simulation."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import simulate
from scipy import stats
from sklearn import metrics

import protoclass as pc
from protoclass.analysis.evaluation import Judged, compare_classes
from protoclass.core.statistics import roc as core

REFERENCE = Path(__file__).parent.parent / "reference"
SETS = {
    "iris": ("species", "virginica", "petal_length", "sepal_width"),
    "wine": ("cultivar", "cultivar 1", "alcohol", "magnesium"),
    "breast_cancer": ("diagnosis", "malignant", "mean_texture", "mean_smoothness"),
}  # as in roc.R: response, class, two columns that it is to be told by


def judged(positive, score, w=None, group=None, rows=None):
    """A Test of classes "no" and "yes" that are told by a score."""
    y = np.asarray(positive).astype(int)
    chances = np.column_stack([-np.asarray(score, float), score])
    w = np.ones(len(y)) if w is None else np.asarray(w, float)
    rows = np.arange(len(y)) if rows is None else rows
    return compare_classes(Judged(y, y, w, chances, group=group, rows=rows), pd.Index(["no", "yes"]), 0)


def of_set(name, column):
    response, level, *columns = SETS[name]
    data = pc.load_data(name)
    data = data[data[response] != "setosa"]
    return judged(data[response] == level, data[columns[column]].to_numpy())


@pytest.fixture(scope="module")
def proc():
    return pd.read_csv(REFERENCE / "roc.csv").set_index(["set", "quantity"])["value"]


def close(value):
    return pytest.approx(value, abs=1e-8, rel=1e-8)


@pytest.mark.parametrize("name", SETS)
def test_areas_equal_those_of_proc(name, proc):
    """R 4.2.2, pROC 1.18.0; the commands are in reference/roc.R."""
    expected = proc[name]
    for column, key in enumerate("ab"):
        found = of_set(name, column)
        row = found.auc("yes").iloc[0]
        for quantity, ours in (("auc", "auc"), ("se", "se"), ("low", "delong_low"), ("high", "delong_high")):
            assert row[ours] == close(expected[f"{quantity}_{key}"]), quantity


@pytest.mark.parametrize("name", SETS)
def test_delongs_test_equals_that_of_proc(name, proc):
    expected, tests = proc[name], [of_set(name, column) for column in (0, 1)]
    row = tests[0].roc_test(tests[1]).iloc[0]
    for quantity, ours in (("z", "statistic"), ("p", "p"), ("difference_low", "low"), ("difference_high", "high")):
        assert row[ours] == close(expected[quantity]), quantity
    assert row["p"] == pytest.approx(expected["p"], rel=1e-8)  # also where it is small
    assert (row["auc_a"], row["auc_b"]) == close((expected["auc_a"], expected["auc_b"]))


def test_cuts_equal_those_of_proc():
    for name, expected in pd.read_csv(REFERENCE / "roc_curve.csv").groupby("set"):
        found = of_set(name, 1).roc("yes").iloc[::-1]
        columns = ["specificity", "sensitivity", "ppv", "npv"]
        assert np.allclose(found[columns], expected[columns], rtol=0, atol=1e-8, equal_nan=True)
        assert found["threshold"].iloc[-1] == np.inf


CARET = {
    "Sensitivity": "sensitivity", "Recall": "sensitivity", "Specificity": "specificity", "Pos Pred Value": "ppv", "Precision": "ppv",
    "Neg Pred Value": "npv", "F1": "f1", "Prevalence": "prevalence", "Detection Prevalence": "detection_prevalence",
    "Balanced Accuracy": "balanced_accuracy",
}  # fmt: skip
CUTS = {
    "iris": ("petal_length", [-np.inf, 2.45, 4.65, np.inf], ["setosa", "versicolor", "virginica"]),
    "wine": ("proline", [-np.inf, 560, 760, np.inf], ["cultivar 2", "cultivar 3", "cultivar 1"]),
    "breast_cancer": ("mean_radius", [-np.inf, 15, np.inf], ["benign", "malignant"]),
}


@pytest.mark.parametrize("name", CUTS)
def test_statistics_of_a_confusion_table_equal_those_of_caret(name):
    """R 4.2.2, caret 6.0-93. Its interval of the accuracy is that of Clopper and Pearson, ours is Wilson's."""
    column, cuts, classes = CUTS[name]
    data = pc.load_data(name)
    truth = data[SETS[name][0]].astype("category")
    predicted = pd.Categorical(pd.cut(data[column], cuts, labels=classes).astype(str), truth.cat.categories)
    expected = pd.read_csv(REFERENCE / "confusion.csv").query("set == @name").set_index(["class", "quantity"])["value"]
    rows = Judged(truth.cat.codes.to_numpy().astype(int), predicted.codes.astype(int), np.ones(len(data)))
    found = compare_classes(rows, truth.cat.categories, 0)
    table = found.tidy().set_index("class")
    for level in truth.cat.categories:
        for theirs, ours in CARET.items():
            assert table.loc[level, ours] == close(expected[level, theirs]), (level, theirs)
        assert found.confusion.loc[level, level] / found.n == close(expected[level, "Detection Rate"])
    assert found.glance()["accuracy"].iloc[0] == close(expected["all", "Accuracy"])
    assert found.glance()["kappa"].iloc[0] == close(expected["all", "Kappa"])


@pytest.fixture(scope="module")
def weighted():
    """Scores with ties, integer weights, and the same rows repeated."""
    draw = np.random.default_rng(3)
    y, w = draw.random(80) < 0.4, draw.integers(0, 4, 80)
    score = (draw.normal(size=80) + y).round(1)
    again = np.repeat(np.arange(80), w)
    return judged(y, score, w), judged(y[again], score[again])


def test_a_weight_counts_as_as_many_rows(weighted):
    for name in ("roc", "pr"):
        one, other = (getattr(t, name)("yes").drop(columns="class") for t in weighted)
        assert np.allclose(one, other, equal_nan=True)


def test_curves_equal_those_of_scikit_learn(weighted):
    t = weighted[1]
    y, score = t.judged.y, t.probabilities[:, 1]
    fpr, tpr, cuts = metrics.roc_curve(y, score, drop_intermediate=False)
    found = t.roc("yes")
    assert np.allclose(found[["threshold", "specificity", "sensitivity"]], np.column_stack([cuts, 1 - fpr, tpr]))
    precision, recall, cuts = metrics.precision_recall_curve(y, score)
    found = t.pr("yes")
    assert np.allclose(found["precision"].iloc[::-1], precision)
    assert np.allclose(found["recall"].iloc[::-1], recall)
    f1 = [metrics.f1_score(y, score >= cut, zero_division=0) for cut in found["threshold"]]
    assert np.allclose(found["f1"], f1)
    assert t.auc("yes")["average_precision"].iloc[0] == pytest.approx(metrics.average_precision_score(y, score))


def test_the_band_is_campbells_by_trying_widths():
    """The curve moved by c / sqrt(m) upwards and c / sqrt(n) to the left, or down and right: the least c that holds 95 % of samples."""
    y, x = np.arange(325) < 25, np.linspace(0, 1, 3001)
    t = judged(y, np.random.default_rng(2).normal(size=325) + y)
    points = t.roc("yes")
    fpr, tpr = 1 - points["specificity"].to_numpy(), points["sensitivity"].to_numpy()
    _, *drawn = core.samples(t.probabilities[:, 1], y, np.ones(325), None, 100, np.random.default_rng(0))
    drawn = np.array([np.interp(x, *sample) for sample in drawn])

    def move(c):
        across, up = c / np.sqrt(300), c / np.sqrt(25)
        return np.interp(x, fpr + across, tpr - up), np.interp(x, fpr - across, tpr + up)

    def held(c):
        low, high = move(c)
        return ((drawn >= low - 1e-9) & (drawn <= high + 1e-9)).all(axis=1).mean()

    c = next(c for c in np.arange(0.3, 4, 0.01) if held(c) >= 0.95)
    low, high = move(c)
    found = t.roc_band("yes", 1 - x, draws=100)
    assert 0.8 < c < 2
    assert np.abs(found["band_low"] - low.clip(min=0)).mean() < 0.004
    assert np.abs(found["band_high"] - high.clip(max=1)).mean() < 0.004


def test_separated_classes_are_not_sure():
    y = np.arange(40) < 20
    found = judged(y, y.astype(float) + np.arange(40) / 100).roc_band("yes", [0.5, 1.0], draws=100)
    assert (found["sensitivity"] == 1).all()
    assert found["low"].to_numpy() == pytest.approx(20 / (20 + 1.96**2), abs=1e-3)  # Wilson's, of 20 of 20 rows
    assert (found["band_low"] < found["low"]).all()


def test_groups_widen_what_their_rows_repeat():
    draw = np.random.default_rng(6)
    y = draw.random(50) < 0.5
    score = draw.normal(size=50) + y
    single = judged(y, score)
    again = np.repeat(np.arange(50), 4)
    grouped = judged(y[again], score[again], group=again)
    bands = [t.roc_band("yes", [0.8])[["low", "high"]].to_numpy() for t in (grouped, single)]
    assert bands[0] == pytest.approx(bands[1], abs=0.03)
    other = draw.normal(size=50) + y
    tests = [judged(y, other), judged(y[again], other[again], group=again)]
    one, of_groups = single.roc_test(tests[0]).iloc[0], grouped.roc_test(tests[1]).iloc[0]
    assert of_groups["difference"] == pytest.approx(one["difference"])
    assert of_groups["statistic"] == pytest.approx(one["statistic"], rel=0.03)


@pytest.fixture(scope="module")
def two():
    """Two fits, and new rows of three classes."""
    wine = pc.load_data("wine")
    train, new = wine.iloc[::2], wine.iloc[1::2]
    return [pc.fit(f"cultivar ~ {columns}", train, "knn", k=9).calibrate(cv=4) for columns in ("alcohol + hue", "proline + ash")], new


def test_two_fits_on_the_same_rows_are_tested_as_compare_does(two):
    fits, new = two
    one, other = (f.test(new) for f in fits)
    row, expected = one.roc_test(other).iloc[0], pc.compare(*fits, new=new).score_tests("auc").iloc[0]
    for name in ("test", "difference", "low", "high", "statistic", "p"):
        assert row[name] == expected[name]
    assert row["auc_a"] == one.glance()["auc"].iloc[0]
    of = one.roc_test(other, "cultivar 3").iloc[0]
    assert (of["auc_a"], of["auc_b"]) == tuple(t.tidy()["auc"].iloc[2] for t in (one, other))
    assert one.roc_test(one)["p"].iloc[0] == 1
    weights = np.arange(1.0, len(new) + 1)
    heavy = [f.test(new, weights=weights) for f in fits]
    assert heavy[0].roc_test(heavy[1])["auc_a"].iloc[0] == heavy[0].glance()["auc"].iloc[0]


def test_errors_name_the_cure(two):
    fits, new = two
    one, other = (f.test(new) for f in fits)
    with pytest.raises(pc.DataError, match=r"the tests need the same rows, weights and groups, but have 89 and 79"):
        one.roc_test(fits[1].test(new.iloc[10:]))
    for rows in (new.iloc[::-1], new.set_axis(range(len(new)))):  # as many rows, in another order or others
        with pytest.raises(pc.DataError, match="need the same rows, weights and groups"):
            one.roc_test(fits[1].test(rows))
    with pytest.raises(pc.DataError, match="need the same rows, weights and groups"):
        one.roc_test(fits[1].test(new, weights=np.arange(1.0, 90)))
    with pytest.raises(pc.OptionError, match=r"another Test, not a .*: use fit.test\(new\).roc_test"):
        one.roc_test(fits[1])
    iris = pc.load_data("iris")
    with pytest.raises(pc.OptionError, match="different classes"):
        one.roc_test(pc.fit("species ~ .", iris.iloc[::2], "knn", k=3).test(iris.iloc[1::2]))
    with pytest.raises(pc.OptionError, match="'cultivar 9' is not a class"):
        one.roc("cultivar 9")
    for at in (1.5, ["a"]):
        with pytest.raises(pc.OptionError, match="a list of numbers from 0 to 1"):
            one.roc_band(specificity=at)
    with pytest.raises(pc.OptionError, match=r"draws must be .*, not 10"):
        one.roc_band(draws=10)
    without = other.judged.take(other.judged.y == 0)
    only = compare_classes(without, other.confusion.index, 0)
    with pytest.raises(pc.NotAvailable, match="all rows are of one class"):
        only.roc()
    with pytest.raises(pc.NotAvailable, match="no row, or each row, is of class 'cultivar 2'"):
        only.pr("cultivar 2")
    missing = compare_classes(other.judged.take(other.judged.y != 1), other.confusion.index, 0)
    assert missing.roc()["class"].unique().tolist() == ["cultivar 1", "cultivar 3"]  # a class without rows has no curve
    assert missing.auc()["class"].tolist() == ["cultivar 1", "cultivar 3"]


def test_the_cut_that_decided_is_marked_where_the_predictions_are():
    clinic = simulate.infection()
    response = clinic.columns[-1]
    fit = pc.fit(f"{response} ~ .", clinic.iloc[::2], "knn", k=15).calibrate(cv=4)
    a_chance = fit.predict(clinic.iloc[1::2], "prob").iloc[0, 1]  # which is above a cut at it
    for level, cut in ((fit.classes[0], 0.9), (fit.classes[1], 0.2), (fit.classes[1], a_chance)):
        found = fit.test(clinic.iloc[1::2], threshold={level: cut})
        row = found.tidy().set_index("class").loc[level]
        for kind, x, y in (("roc", 1 - row["specificity"], row["sensitivity"]), ("pr", row["sensitivity"], row["ppv"])):
            ax = found.plot(kind)
            (mark,) = [line for line in ax.lines if len(line.get_xdata()) == 1]
            assert (mark.get_xdata()[0], mark.get_ydata()[0]) == pytest.approx((x, y))
            (words,) = [text.get_text() for text in ax.get_legend().get_texts() if text.get_text().startswith("threshold")]
            assert words.startswith(f"threshold {cut:.3g}:\n")
            assert f" {y:.3f}" in words
        assert found.plot("roc").get_legend().get_texts()[0].get_text().startswith(f"{level}: AUC ")
    band = found.plot("roc_band")
    assert len(band.collections) == 1
    assert "95 % band of the whole curve" in band.get_title()
    plt.close("all")


@pytest.mark.long
@pytest.mark.parametrize("rows", [(20, 20), (20, 80), (50, 50), (100, 400)], ids=str)
@pytest.mark.parametrize("area", [0.7, 0.95])
def test_bands_and_intervals_hold_the_truth_as_often_as_they_say(rows, area):
    """Normal scores, whose true curve is known; intervals where the specificity leaves two of the other rows or more on its side."""
    (m, n), draw, runs = rows, np.random.default_rng([4, *rows, int(area * 100)]), 200
    shift = np.sqrt(2) * stats.norm.ppf(area)
    specificity = np.linspace(0, 1, 101)
    truth = stats.norm.sf(stats.norm.isf(1 - specificity) - shift)
    y = np.arange(m + n) < m
    alone, whole = np.zeros(101), 0
    for _ in range(runs):
        t = judged(y, draw.normal(size=m + n) + shift * y)
        found = t.roc_band("yes", specificity, draws=200)
        alone += (truth >= found["low"] - 1e-9) & (truth <= found["high"] + 1e-9)
        whole += ((truth >= found["band_low"] - 1e-9) & (truth <= found["band_high"] + 1e-9)).all()
    within = (specificity <= 1 - 2 / n) & (specificity >= 0.02)
    assert whole / runs > 0.92
    assert alone[within].mean() / runs > 0.92
    assert alone[within].min() / runs > 0.78
