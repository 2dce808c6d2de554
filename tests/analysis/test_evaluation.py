"""`Fit.test`: the exact test, statistics, scores and groups; ROC curves with the numbers of pROC, caret and scikit-learn."""

import warnings
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import simulate
import statsmodels.api as sm
from scipy import stats
from sklearn import metrics

import protoclass as pc
from protoclass.analysis import groups
from protoclass.analysis.evaluation import Judged
from protoclass.analysis.groups import compare_classes, compare_groups, signs
from protoclass.core.statistics import roc as core
from protoclass.core.statistics.decision import calibration_line, net_benefit
from protoclass.core.statistics.scores import calibration_in_the_large


@pytest.fixture(scope="module")
def wine():
    return pc.load_data("wine")


@pytest.fixture(scope="module")
def fit(wine):
    return pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5)


def test_the_constant_rule_is_that_of_training(wine, fit):
    new = wine.iloc[1::2]
    new = new[new["cultivar"] != "cultivar 2"].iloc[:25]  # the most common class in training is not among them
    found = fit.test(new)
    assert found.no_information == 1.0
    assert found.against == "always 'cultivar 2', the most common training class"


def test_the_sign_test_is_exact(wine, fit):
    new = wine.iloc[1::2]
    truth, said = new["cultivar"].astype(object), fit.predict(new).astype(object)
    lost = int(((said != truth) & (truth == "cultivar 2")).sum())
    won = int(((said == truth) & (truth != "cultivar 2")).sum())
    found = fit.test(new)
    assert found.p_value == pytest.approx(stats.binomtest(lost, lost + won, 0.5, alternative="less").pvalue)
    for text in (repr(found), found.glance()["p_value_method"].iloc[0]):
        assert f"one-sided exact sign test, {lost + won} discordant rows" in text


def test_both_tests_keep_their_level():
    """Rules that name a class at random are no better than a constant; half of the rows decide, so that p is not too coarse."""
    draw, count = np.random.default_rng(0), 800
    rejected = np.zeros(2)
    for _ in range(count):
        y, says, w = draw.random(120) < 0.5, draw.random(120) < 0.5, draw.exponential(size=120)
        wrong = says != y
        lost, won = wrong & y, ~wrong & ~y
        p = signs(np.ones(lost.sum()), np.ones(won.sum()))[0]
        z = (w[won].sum() - w[lost].sum()) / np.sqrt((w[lost | won] ** 2).sum())
        rejected += [p < 0.05, z > stats.norm.ppf(0.95)]
    assert (rejected / count < 0.065).all()
    assert (rejected / count > 0.02).all()  # taking the base rate from the same rows rejects in about 1.5 %


def test_weighted_signs_against_all_of_them():
    draw = np.random.default_rng(3)
    lost, won = draw.random(4), draw.random(8)
    both = np.concatenate([lost, won])
    gain = won.sum() - lost.sum()
    sums = np.array([both @ s for s in product((-1, 1), repeat=12)])
    p, name = signs(lost, won)
    assert p == pytest.approx((sums >= gain - 1e-9).mean(), abs=0.015)
    assert name.startswith("one-sided weighted sign test")
    assert signs(np.full(4, 0.3), np.full(8, 0.3))[0] == signs(np.ones(4), np.ones(8))[0]


def test_weights_of_new_rows(wine, fit):
    new = wine.iloc[1::2]
    w = np.random.default_rng(1).integers(0, 4, len(new))
    wrong = (fit.predict(new).astype(object) != new["cultivar"].astype(object)).to_numpy()
    for given in (w, pd.Series(w, new.index)[::-1], "w"):
        found = fit.test(new.assign(w=w), weights=given)
        assert found.error == pytest.approx(w @ wrong / w.sum())
        assert found.confusion.to_numpy().sum() == w.sum()
    ends = fit.test(new, weights=np.full(len(new), 0.1))
    plain = fit.test(new)
    assert (ends.low, ends.high, ends.p_value) == pytest.approx((plain.low, plain.high, plain.p_value))
    assert found.high - found.low > plain.high - plain.low


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": -1}, "weights"),
        ({"weights": np.full(89, -1.0)}, "finite and not negative"),
        ({"weights": np.zeros(89)}, "and weight"),
    ],
)
def test_errors_name_the_cure(wine, fit, arguments, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        fit.test(wine.iloc[1::2], **arguments)


@pytest.fixture(scope="module")
def clinic():
    """Few ill, two groups between which the rule errs differently, and a calibrated fit."""
    draw = np.random.default_rng(4)
    y = draw.choice(["ill", "well"], 700, p=[0.25, 0.75])
    sex = draw.choice(["f", "m"], 700)
    shift = np.where(sex == "f", 2.0, 0.3) * (y == "ill")
    data = pd.DataFrame(draw.normal(size=(700, 2)) + shift[:, None], columns=["a", "b"]).assign(y=y, sex=sex)
    return pc.fit("y ~ a + b", data[:300], eps=0.8).calibrate(cv=4), data[300:]


def test_tables_of_a_test_are_those_of_scikit_learn(clinic):
    fit, new = clinic
    w = np.random.default_rng(0).integers(0, 3, len(new)).astype(float)
    found = fit.test(new, weights=w)
    truth, said = new["y"], fit.predict(new).astype(str)
    p = fit.predict(new, "prob")["well"]
    table, one = found.tidy(), found.glance().iloc[0]
    assert list(table.columns[:8]) == ["class", "n", "sensitivity", "specificity", "ppv", "npv", "f1", "prevalence"]
    assert table["class"].tolist() == ["ill", "well"]
    assert table["f1"].tolist() == pytest.approx(metrics.f1_score(truth, said, average=None, sample_weight=w))
    assert one["kappa"] == pytest.approx(metrics.cohen_kappa_score(truth, said, sample_weight=w))
    assert one["auc"] == pytest.approx(metrics.roc_auc_score(truth == "well", p, sample_weight=w))
    assert one["brier"] == pytest.approx(metrics.brier_score_loss(truth == "well", p, sample_weight=w))
    assert one["log_loss"] == pytest.approx(metrics.log_loss(truth == "well", p, sample_weight=w))
    bins = found.calibration(bins=5)
    assert bins.groupby("class", observed=True)["n"].sum().tolist() == [(w > 0).sum()] * 2


def test_without_chances_there_are_no_scores(wine):
    fit, new = pc.fit("cultivar ~ .", wine.iloc[::2], eps=3.0), wine.iloc[1::2]
    found = fit.test(new)
    assert not {"auc", "brier", "log_loss"} & set(found.glance().columns)
    assert not {"auc", "brier"} & set(found.tidy().columns)
    assert "Brier" not in repr(found)
    for call in (found.calibration, *(lambda kind=kind: found.plot(kind) for kind in ("roc", "pr", "calibration"))):
        with pytest.raises(pc.errors.NotAvailableError, match=r"fit.calibrate\(\)"):
            call()
    with pytest.raises(pc.errors.NotAvailableError, match=r"prediction sets need a calibrated fit: use fit\.calibrate\(\)"):
        found.plot("coverage")
    assert "Brier" in repr(fit.calibrate(cv=3).test(new))  # the cure


def test_coverage_counts_the_prediction_sets(clinic):
    fit, new = clinic
    found = fit.test(new).coverage([0.8, 0.95])
    for level in (0.8, 0.95):
        sets = fit.predict(new, "set", level=level)
        for c in ("ill", "well"):
            own = sets[new["y"] == c]
            row = found[(found["level"] == level) & (found["class"] == c)].iloc[0]
            assert row["n"] == len(own)
            assert row["coverage"] == pytest.approx(np.mean([c in s for s in own]))
            assert row["set_size"] == pytest.approx(np.mean([len(s) for s in own]))


def test_groups_are_tests_of_their_rows(clinic):
    fit, new = clinic
    new = new.assign(sex=new["sex"].where(np.arange(len(new)) % 50 > 0))  # 8 rows of no group
    found = fit.test(new, by="sex")
    assert found.left_out == 8
    assert found.overall.n == len(new)
    for label, one in found.groups.items():
        alone = fit.test(new[new["sex"] == label])
        pd.testing.assert_frame_equal(one.tidy(), alone.tidy())
        pd.testing.assert_frame_equal(one.glance(), alone.glance())
    pair = found.comparisons.iloc[0]
    assert pair["p"] < 0.01  # the rule errs more where ill and well are alike
    assert "8 rows in no group" in repr(found)
    series = fit.test(new, by=new["sex"][::-1])
    pd.testing.assert_frame_equal(series.glance(), found.glance())
    heavy = fit.test(new, weights=np.where(new["sex"] == "m", 2.0, 1.0), by="sex").comparisons.iloc[0]
    assert heavy["test"] == "z test of weighted shares"
    assert heavy["difference"] == pytest.approx(pair["difference"])


def test_the_p_values_of_groups_keep_their_level(monkeypatch):
    """Groups with the same error, of rows of different weights: the z test rejects in about 5 %."""
    monkeypatch.setattr(groups, "FLIPS", 1)  # of the sign test, which is not asked for
    draw, rejected = np.random.default_rng(2), 0
    for _ in range(500):
        tests = {}
        for g in range(2):
            y, w = draw.integers(0, 2, 120), draw.uniform(0.5, 1.5, 120)
            wrong = draw.random(120) < 0.3
            tests[g] = compare_classes(Judged(y, np.where(wrong, 1 - y, y), w), pd.Index(["a", "b"]), 0)
        rejected += compare_groups(0, 1, tests)[-1] < 0.05
    assert 0.02 < rejected / 500 < 0.085


def test_the_loss_is_a_mean_over_the_rows(clinic):
    fit, new = clinic
    losses = pd.DataFrame([[0, 5], [1, 0]], ["ill", "well"], ["ill", "well"])
    one = fit.test(new, loss=losses).glance().iloc[0]
    for said, name in ((fit.predict(new), "loss"), (fit.predict(new, loss=losses), "decision_loss")):
        paid = [losses.loc[t, p] for t, p in zip(new["y"], said, strict=True)]
        assert one[name] == pytest.approx(np.mean(paid))
        assert one[f"{name}_se"] == pytest.approx(stats.sem(paid))
    assert one["decision_loss"] < one["loss"]


def test_a_test_with_losses_reports_that_its_measures_ignore_them_and_the_threshold_that_does_not(clinic):
    fit, new = clinic
    losses = pd.DataFrame([[0, 5], [1, 0]], ["ill", "well"], ["ill", "well"])
    line = "Error, sensitivity and specificity are for predict(new), which does not use the loss; use threshold={'well': 0.8333}"
    with_loss = fit.test(new, loss=losses)
    assert f"{line} for decisions by loss\n" in repr(with_loss)
    assert f"{line} for decisions by loss." in str(with_loss.summary())
    decided = fit.test(new, loss=losses, threshold={"well": 5 / 6})
    assert "which does not use the loss" not in repr(decided) + repr(fit.test(new))
    assert decided._means["loss"][0] == with_loss._means["decision_loss"][0]


def test_curves_and_the_summary_say_what_is_not_known(clinic):
    fit, new = clinic
    found = fit.test(new)
    assert found.plot("roc").get_legend().get_texts()[0].get_text().startswith(f"well: AUC {found.glance()['auc'].iloc[0]:.3f} (")
    ill = fit.test(new[new["y"] == "ill"])
    assert "No row is of class well" in str(ill.summary())
    assert np.isnan(ill.glance()["auc"].iloc[0])
    with pytest.raises(pc.errors.NotAvailableError, match="all rows are of one class"):
        ill.plot("roc")


def test_votes_of_zero_make_the_log_loss_infinite(wine, fit):
    found = fit.test(wine.iloc[1::2])
    assert found.glance()["log_loss"].iloc[0] == np.inf
    text = str(found.summary())
    assert "The log loss is infinite: 1 of 89 rows" in text
    assert "not calibrated" in text


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("none", "by='none' is not a column"),
        (["f"] * 3, "by have shape"),
        (np.zeros(89), "at least two"),
        (np.arange(89), r"by must have at most 50 groups, but .* has 89: use pd\.cut"),
        (pd.Series([[1]] * 89, range(1, 178, 2)), "by must contain labels of groups, not values such as lists, as <89 Series> does"),
    ],
)
def test_groups_that_are_none_name_the_cure(wine, fit, by, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        fit.test(wine.iloc[1::2], by=by)


def visits(n, each, seed):
    """Rows of patients, whose rows go together, and a weight."""
    draw = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n), each)
    y = draw.integers(0, 2, n)[patient]
    moved = 1.5 * y + draw.normal(size=n)[patient] + 0.3 * draw.normal(size=n * each)
    return pd.DataFrame({"a": moved, "patient": patient, "w": draw.integers(1, 4, n * each), "y": np.where(y, "u", "v")})


def test_rows_in_groups_are_not_independent():
    fit, new = pc.fit("y ~ a", visits(30, 4, 0), "knn", k=9, cv=None), visits(25, 6, 1)
    alone, found = fit.test(new), fit.test(new, clusters="patient")
    assert alone.clusters is None
    assert found.clusters == 25
    assert "Intervals and test are cluster-robust for 25 groups of rows" in repr(found)
    assert found.error == alone.error
    for name in ("accuracy", "balanced_accuracy", "kappa", "auc"):
        one, other = found.glance().iloc[0], alone.glance().iloc[0]
        assert one[name] == pytest.approx(other[name])
        assert one[f"{name}_high"] - one[f"{name}_low"] > 1.3 * (other[f"{name}_high"] - other[f"{name}_low"])
    assert found.glance()["brier_se"].iloc[0] > 1.5 * alone.glance()["brier_se"].iloc[0]
    assert found.low < alone.low < alone.high < found.high
    assert found.p_value > alone.p_value
    assert "discordant groups" in found.p_value_method
    pair = fit.test(new, by=new["patient"] % 2, clusters="patient").comparisons.iloc[0]
    assert pair["test"] == "z test by groups of rows"
    assert pair["p"] > fit.test(new, by=new["patient"] % 2).comparisons.iloc[0]["p"]


def test_the_groups_of_the_fit_are_those_of_the_test():
    fit, new = pc.fit("y ~ a", visits(30, 4, 0), "knn", k=9, cv=None, groups="patient"), visits(25, 6, 1)
    assert fit.test(new).clusters == 25
    assert fit.test(new, clusters=None).clusters is None
    assert fit.test(new.drop(columns="patient")).clusters is None
    with pytest.raises(pc.errors.DataError, match="groups='ward' is not a column"):
        fit.test(new, clusters="ward")
    with pytest.raises(pc.errors.DataError, match="groups must not have missing values"):
        fit.test(new, clusters=new["patient"].where(new["patient"] > 0))


def brute(rows, said, chances, measure, c):
    """A measure of class c on some rows, by definition."""
    y, said = (rows["y"] == c).to_numpy(), (said == c).to_numpy()
    if measure == "error":
        return np.mean(y != said)
    if measure == "calibration_in_the_large":
        return y.mean() - chances[c].mean()
    among, right = {"sensitivity": (y, said), "specificity": (~y, ~said), "ppv": (said, y), "npv": (~said, ~y)}[measure]
    return right[among].mean()


MEASURES = ("error", "sensitivity", "specificity", "ppv", "npv", "calibration_in_the_large")


def test_measures_of_groups_are_plain_shares_and_their_differences_tests_of_two_tables(clinic):
    fit, new = clinic
    found = fit.test(new, by="sex", threshold={"ill": 0.3})
    assert found.of == "ill"
    assert fit.test(new, by="sex").of == "well"  # the second of two, as in curves
    said, chances = fit.predict(new, threshold={"ill": 0.3}).astype(object), fit.predict(new, "prob")
    glance = found.glance().set_index("group")
    for measure in MEASURES:
        plain = {}
        for sex, estimate in found.estimates(measure).items():
            own = new["sex"] == sex
            plain[sex] = brute(new[own], said[own], chances[own], measure, "ill")
            assert estimate.value == pytest.approx(plain[sex], abs=1e-12)
            low = "low" if measure == "error" else f"{measure}_low"
            assert (estimate.value, estimate.low) == pytest.approx((glance[measure][sex], glance[low][sex]))
        pair = found.differences(measure).iloc[0]
        assert pair["difference"] == pytest.approx(plain["f"] - plain["m"], abs=1e-12)
        f, m = found.estimates(measure).values()
        assert pair["low"] == pytest.approx(pair["difference"] - np.hypot(f.value - f.low, m.high - m.value))
    is_ill = (new["y"] == "ill").to_numpy()
    for measure, whole, right in (("ppv", said == "ill", is_ill), ("specificity", ~is_ill, said != "ill")):
        counts = [[(whole & right & own).sum(), (whole & ~right & own).sum()] for own in (new["sex"] == "f", new["sex"] == "m")]
        assert found.differences(measure)["p"].iloc[0] == pytest.approx(stats.fisher_exact(counts)[1])
    residual = is_ill - chances["ill"]
    parts = [residual[new["sex"] == sex] for sex in ("f", "m")]
    z = (parts[0].mean() - parts[1].mean()) / np.hypot(*(stats.sem(part) for part in parts))
    pair = found.differences("calibration_in_the_large").iloc[0]
    assert (pair["statistic"], pair["p"]) == pytest.approx((z, 2 * stats.norm.sf(abs(z))))
    pd.testing.assert_frame_equal(found.comparisons, found.differences("error"))
    other = found.differences("sensitivity", of="well")  # of two classes that is the specificity of the first
    pd.testing.assert_frame_equal(other, found.differences("specificity"))


def test_groups_print_summarise_and_draw_every_measure(clinic):
    fit, new = clinic
    found = fit.test(new, by="sex", threshold={"ill": 0.3})
    text, summary = repr(found), str(found.summary())
    for shown in (text, summary, found._repr_html_()):
        assert "Predict ill if its probability is at least 0.3" in shown
        for words in ("sensitivity", "specificity", "PPV", "NPV", "calibration in the large"):
            assert words in shown
    assert summary.count("Fisher's exact test") == 5
    assert "p (Holm)" in summary
    with pytest.raises(pc.errors.OptionError, match=r"measure must be 'error', 'sensitivity',.*not 'accuracy': use measure='error'"):
        found.plot("accuracy")
    with pytest.raises(pc.errors.OptionError, match=r"npv needs a class among 'ill', 'well', not of='sick': use of='well'"):
        found.differences("npv", of="sick")


def test_groups_of_three_classes_have_measures_of_a_class_that_is_named(wine, fit):
    new = wine.iloc[1::2]
    found = fit.test(new, by=np.arange(len(new)) % 2)
    assert found.of is None
    assert "sensitivity" not in repr(found)
    assert "sensitivity" not in found.glance()
    assert "Differences of error" in str(found.summary())
    with pytest.raises(
        pc.errors.OptionError, match="sensitivity needs a class among 'cultivar 1', 'cultivar 2', 'cultivar 3', not of=None:"
    ):
        found.differences("sensitivity")
    assert len(found.differences("sensitivity", of="cultivar 2")) == 1
    alone = fit.test(new[new["cultivar"] != "cultivar 1"], by=new["cultivar"])
    none = alone.differences("sensitivity", of="cultivar 2").iloc[0]  # one of the groups has no row of the class
    assert none["test"] == "no rows of a group"
    assert np.isnan(none[["p", "p_holm"]].astype(float)).all()


def test_calibration_in_the_large_is_a_difference_of_means_and_its_interval_holds():
    """Calibrated chances from 0.02 to 0.6: the interval has 0 in about 95 of 100 samples, also of rows in groups."""
    draw, inside, width = np.random.default_rng(3), np.zeros(2), np.zeros(2)
    for _ in range(600):
        p = draw.beta(1, 4, 80)
        y, w = draw.random(80) < p, draw.uniform(0.5, 1.5, 80)
        found = calibration_in_the_large(p, y, w)
        assert found.value == pytest.approx(np.average(y - p, weights=w))
        grouped = calibration_in_the_large(np.repeat(p, 3), np.repeat(y, 3), np.ones(240), np.repeat(np.arange(80), 3))
        alone = calibration_in_the_large(p, y, np.ones(80))
        inside += [found.low <= 0 <= found.high, grouped.low <= 0 <= grouped.high]
        width += [alone.high - alone.low, grouped.high - grouped.low]
    assert ((inside / 600 > 0.925) & (inside / 600 < 0.98)).all()
    assert 1 < width[1] / width[0] < 1.05  # each row three times says no more than once, and Student's quantile a little less
    none = calibration_in_the_large(np.full(40, 0.01), np.zeros(40, bool), np.ones(40))
    squared = stats.chi2.ppf(0.95, 1)
    assert (none.value, none.low, none.high) == pytest.approx((-0.01, -0.01, squared / (40 + squared) - 0.01))


@pytest.mark.parametrize(
    ("groups", "told"),
    [(np.maximum(np.arange(89) - 80, 0), "(9, worth 4.1 of equal size)"), (np.arange(89) % 5, None)],
)  # fmt: skip
def test_few_groups_are_said(groups, told):
    wine = pc.load_data("wine")
    fit = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit.test(wine.iloc[1::2], clusters=groups)
    said = [str(w.message) for w in caught if "too few clusters" in str(w.message)]
    assert len(said) == (told is not None)
    assert told is None or told in said[0]


REFERENCE = Path(__file__).parent.parent / "reference"
SETS = {
    "iris": ("species", "virginica", "petal_length", "sepal_width"),
    "wine": ("cultivar", "cultivar 1", "alcohol", "magnesium"),
    "breast_cancer": ("diagnosis", "malignant", "mean_texture", "mean_smoothness"),
}  # as in roc.R: response, class, two columns that it is to be told by


def judged(positive, score, w=None, group=None, rows=None):
    """A TestResult of classes "no" and "yes" that are told by a score."""
    y = np.asarray(positive).astype(int)
    scores = np.column_stack([-np.asarray(score, float), score])
    w = np.ones(len(y)) if w is None else np.asarray(w, float)
    rows = np.arange(len(y)) if rows is None else rows
    return compare_classes(Judged(y, y, w, scores, group=group, rows=rows), pd.Index(["no", "yes"]), 0)


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
    y, score = t.judged.y, t._probabilities[:, 1]
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
    _, *drawn = core.samples(t._probabilities[:, 1], y, np.ones(325), None, 100, np.random.default_rng(0))
    drawn = np.array([np.interp(x, *sample) for sample in drawn])

    def move(c):
        across, up = c / np.sqrt(300), c / np.sqrt(25)
        return np.interp(x, fpr + across, tpr - up), np.interp(x, fpr - across, tpr + up)

    def held(c):
        low, high = move(c)
        return ((drawn >= low - 1e-9) & (drawn <= high + 1e-9)).all(axis=1).mean()

    c = next(c for c in np.arange(0.3, 4, 0.01) if held(c) >= 0.95)
    low, high = move(c)
    found = t.roc_band("yes", 1 - x, resamples=100)
    assert 0.8 < c < 2
    assert np.abs(found["band_low"] - low.clip(min=0)).mean() < 0.004
    assert np.abs(found["band_high"] - high.clip(max=1)).mean() < 0.004


def test_separated_classes_are_not_sure():
    y = np.arange(40) < 20
    found = judged(y, y.astype(float) + np.arange(40) / 100).roc_band("yes", [0.5, 1.0], resamples=100)
    assert (found["sensitivity"] == 1).all()
    assert found["low"].to_numpy() == pytest.approx(20 / (20 + 1.96**2), abs=1e-3)  # Wilson's, of 20 of 20 rows
    assert (found["band_low"] < found["low"]).all()


@pytest.fixture(scope="module")
def two():
    """Two fits, and new rows of three classes."""
    wine = pc.load_data("wine")
    train, new = wine.iloc[::2], wine.iloc[1::2]
    return [pc.fit(f"cultivar ~ {columns}", train, "knn", k=9).calibrate(cv=4) for columns in ("alcohol + hue", "proline + ash")], new


def test_two_fits_on_the_same_rows_are_tested_as_compare_does(two):
    fits, new = two
    one, other = (f.test(new) for f in fits)
    row, expected = one.roc_test(other).iloc[0], pc.compare_fits(fits, new).score_tests("auc").iloc[0]
    for name in ("test", "difference", "low", "high", "statistic", "p"):
        assert row[name] == expected[name]
    assert row["auc_a"] == one.glance()["auc"].iloc[0]
    of = one.roc_test(other, "cultivar 3").iloc[0]
    assert (of["auc_a"], of["auc_b"]) == tuple(t.tidy()["auc"].iloc[2] for t in (one, other))
    assert one.roc_test(one)["p"].iloc[0] == 1


def test_errors_of_curves_name_the_cure(two):
    fits, new = two
    one, other = (f.test(new) for f in fits)
    with pytest.raises(pc.errors.DataError, match=r"weights and groups, but their 89 and 79 rows differ"):
        one.roc_test(fits[1].test(new.iloc[10:]))
    with pytest.raises(pc.errors.OptionError, match=r"another TestResult, not a .*: use fit.test\(new\).roc_test"):
        one.roc_test(fits[1])
    with pytest.raises(pc.errors.OptionError, match="'cultivar 9' is not a class"):
        one.roc("cultivar 9")
    with pytest.raises(pc.errors.OptionError, match="a list of numbers from 0 to 1"):
        one.roc_band(specificity=1.5)
    with pytest.raises(pc.errors.OptionError, match=r"resamples must be .*, not 10"):
        one.roc_band(resamples=10)
    without = other.judged.take(other.judged.y == 0)
    only = compare_classes(without, other.confusion.index, 0)
    with pytest.raises(pc.errors.NotAvailableError, match="all rows are of one class"):
        only.roc()
    with pytest.raises(pc.errors.NotAvailableError, match="no row, or each row, is of class 'cultivar 2'"):
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
        found = t.roc_band("yes", specificity, resamples=200)
        alone += (truth >= found["low"] - 1e-9) & (truth <= found["high"] + 1e-9)
        whole += ((truth >= found["band_low"] - 1e-9) & (truth <= found["band_high"] + 1e-9)).all()
    within = (specificity <= 1 - 2 / n) & (specificity >= 0.02)
    assert whole / runs > 0.92
    assert alone[within].mean() / runs > 0.92
    assert alone[within].min() / runs > 0.78


def test_the_calibration_line_is_that_of_statsmodels():
    """Also with weights, whose errors are those of the sandwich estimator."""
    draw, binomial = np.random.default_rng(0), sm.families.Binomial()
    p = draw.beta(1, 2, 300)
    y, x, one = (draw.random(300) < p**1.3).astype(float), np.log(p / (1 - p)), np.ones(300)
    for w, errors in ((one, {}), (draw.uniform(0.5, 1.5, 300), {"cov_type": "HC0"})):
        slope = sm.GLM(y, sm.add_constant(x), family=binomial, var_weights=w).fit(**errors)
        intercept = sm.GLM(y, one, family=binomial, offset=x, var_weights=w).fit(**errors)
        found = calibration_line(p, y == 1, w)
        for estimate, fitted in zip(found, (intercept, slope), strict=True):
            expected = [fitted.params[-1], *fitted.conf_int()[-1]]
            assert [estimate.value, estimate.low, estimate.high] == pytest.approx(expected, abs=1e-5)
    assert np.isnan(calibration_line(np.array([0.0, 0.5, 0.7]), np.array([False, True, False]), np.ones(3))[1].value)
    apart = calibration_line(np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True]), np.ones(4))
    assert np.isnan(apart[1].value)  # the slope of separated classes is infinite


def test_intervals_of_calibration_and_net_benefit_cover():
    """Calibrated probabilities, single rows and clusters of six equal rows: intercept 0, slope 1, and a known net benefit at 0.2,
    also of six clusters whose rows depend on one another."""
    draw, inside = np.random.default_rng(1), np.zeros(5)
    large = draw.beta(1, 3, 500_000)
    truth = np.where(large >= 0.2, large - (1 - large) / 4, 0).mean()
    for _ in range(400):
        p = draw.beta(1, 3, 150)
        y, one = draw.random(150) < p, np.ones(150)
        benefit, lines = net_benefit(p, y, one, 0.2), calibration_line(p, y, one)
        cluster = np.repeat(np.arange(150), 6)
        (repeated, _) = calibration_line(p[cluster], y[cluster], 3 * np.ones(900), cluster)
        site = np.arange(150) // 25
        alike = np.where(draw.random(150) < 0.3, draw.random(6)[site], draw.random(150)) < p
        few = net_benefit(p, alike, one, 0.2, site)
        found = zip((benefit, *lines, repeated, few), (truth, 0, 1, 0, truth), strict=True)
        inside += [e.low <= value <= e.high for e, value in found]
    assert calibration_line(p, y, 3 * one) == lines
    assert ((inside / 400 > 0.92) & (inside / 400 < 0.985)).all()


def test_a_decision_curve_counts_true_and_false_positives(clinic):
    fit, new = clinic
    losses = pd.DataFrame([[0, 5], [1, 0]], ["ill", "well"], ["ill", "well"])
    found, p, ill = fit.test(new, loss=losses), fit.predict(new, "prob")["ill"], new["y"] == "ill"
    for t, row in found.decision_curve("ill", [0.1, 0.4]).set_index("threshold").iterrows():
        said = p >= t
        assert row["net_benefit"] == pytest.approx(((said & ill).sum() - (said & ~ill).sum() * t / (1 - t)) / len(new))
        assert row["net_benefit_all"] == pytest.approx(ill.mean() - (1 - ill.mean()) * t / (1 - t))
        assert row["lift"] == pytest.approx(ill[said].mean() / ill.mean())
        assert row["low"] < row["net_benefit"] < row["high"]
    assert "Predicting well above a threshold" in str(found.summary())
    assert "\n0.833 " in str(found.summary())  # the threshold of the loss
    line = found.plot("decision").lines[1]
    assert line.get_ydata().tolist() == found.decision_curve("well")["net_benefit"].tolist()
    ax, curve = found.plot("decision", of="ill"), found.decision_curve("ill")
    assert ax.get_xlim() == (0, curve["threshold"][curve["predicted"] > 0].max())
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["nobody", "ill: by the fit", "everyone"]
    assert found.plot("roc", of="ill").get_legend().get_texts()[0].get_text().startswith("ill: ")
    with pytest.raises(pc.errors.OptionError, match="'confusion' has all classes: leave out of='ill'"):
        found.plot("confusion", of="ill")
    with pytest.raises(pc.errors.OptionError, match="thresholds must be a list of numbers between 0 and 1"):
        found.decision_curve(thresholds=[1.0])
    with pytest.raises(pc.errors.OptionError, match=r"not \[\[0.9\], \[0.8, 0.7\]\]"):
        found.decision_curve(thresholds=[[0.9], [0.8, 0.7]])
