"""Confusion statistics, AUC and the scores of chances, beside scikit-learn, statsmodels and slow transcriptions."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve
from statsmodels.stats.inter_rater import cohens_kappa

from protoclass.core.statistics.intervals import (
    ConfusionTable,
    accuracy,
    balanced_accuracy,
    count,
    kappa,
    of_class,
    share_of_rows,
    wilson,
)
from protoclass.core.statistics.roc import auc, curve, mean_auc
from protoclass.core.statistics.scores import brier, log_loss, reliability


def draw(n=300, L=3, seed=0, decimals=2):
    """Classes, chances that say something of them (with ties), and whole weights."""
    random = np.random.default_rng(seed)
    y = random.integers(0, L, n)
    z = random.normal(size=(n, L)) + 1.2 * np.eye(L)[y]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    p = np.maximum(p.round(decimals), 0.01)
    return y, p / p.sum(axis=1, keepdims=True), random.integers(0, 4, n).astype(float)


def test_a_fixed_table_by_hand():
    """The liver scans of Altman and Bland (1994), which caret's documentation computes with: 231, 27, 32, 54."""
    table = ConfusionTable(*2 * (np.array([[231.0, 27.0], [32.0, 54.0]]),))
    found = of_class(table, 0)
    assert found.sensitivity.value == pytest.approx(231 / 258)
    assert found.specificity.value == pytest.approx(54 / 86)
    assert found.ppv.value == pytest.approx(231 / 263)
    assert found.npv.value == pytest.approx(54 / 81)
    assert found.f1.value == pytest.approx(2 * 231 / (2 * 231 + 27 + 32))
    assert found.prevalence.value == pytest.approx(258 / 344)
    assert found.detection_prevalence.value == pytest.approx(263 / 344)
    assert found.balanced_accuracy.value == pytest.approx((231 / 258 + 54 / 86) / 2)
    expected = (258 * 263 + 86 * 81) / 344**2
    assert kappa(table).value == pytest.approx((285 / 344 - expected) / (1 - expected))
    for share, k, n in ((found.sensitivity, 231, 258), (found.npv, 54, 81), (accuracy(table), 285, 344)):
        ends = stats.binomtest(k, n).proportion_ci(method="wilson")
        assert (share.low, share.high) == pytest.approx((ends.low, ends.high))


def test_weighted_statistics_are_those_of_scikit_learn():
    y, p, w = draw()
    said = p.argmax(axis=1)
    table = count(y, said, w, 3)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(y, said, sample_weight=w)
    for c in range(3):
        found = of_class(table, c)
        assert (found.ppv.value, found.sensitivity.value, found.f1.value) == pytest.approx(
            (precision[c], recall[c], f1[c])
        )
        assert found.f1.low < found.f1.value < found.f1.high
    assert kappa(table).value == pytest.approx(metrics.cohen_kappa_score(y, said, sample_weight=w))
    assert balanced_accuracy(table).value == pytest.approx(metrics.balanced_accuracy_score(y, said, sample_weight=w))
    assert accuracy(table).value == pytest.approx(metrics.accuracy_score(y, said, sample_weight=w))
    assert brier(p, y) @ w / w.sum() == pytest.approx(metrics.brier_score_loss(y, p, sample_weight=w))
    assert log_loss(p, y) @ w / w.sum() == pytest.approx(metrics.log_loss(y, p, sample_weight=w))
    each, mean = mean_auc(p, y, w)
    assert mean.estimate.value == pytest.approx(metrics.roc_auc_score(y, p, multi_class="ovr", sample_weight=w))
    assert each[1].estimate.value == pytest.approx(metrics.roc_auc_score(y == 1, p[:, 1], sample_weight=w))


def test_weighted_curves_are_those_of_scikit_learn():
    y, p, w = draw()
    found, given = curve(p[:, 2], y == 2, w), {"y_true": y == 2, "y_score": p[:, 2], "sample_weight": w}
    fpr, tpr, _ = metrics.roc_curve(**given, drop_intermediate=False)
    points = zip(found.false_positive.round(9), found.sensitivity.round(9), strict=True)
    assert {*points} == {*zip(fpr.round(9), tpr.round(9), strict=True)}
    assert found.average_precision == pytest.approx(metrics.average_precision_score(**given))


def test_reliability_is_the_calibration_curve():
    y, p, _ = draw(n=500)
    found = reliability(p[:, 0], y == 0, np.ones(500), 10)
    share, chance = calibration_curve(y == 0, p[:, 0], n_bins=10)
    assert [b.observed for b in found] == pytest.approx(share)
    assert [b.mean_predicted for b in found] == pytest.approx(chance)
    assert sum(b.rows for b in found) == 500


def structural_components(score, positive):
    """DeLong, DeLong and Clarke-Pearson's formulas pair by pair."""
    x, z = score[positive], score[~positive]
    m, n = len(x), len(z)
    psi = np.array([[1.0 if b < a else 0.5 if a == b else 0.0 for b in z] for a in x])
    v10, v01, area = psi.mean(axis=1), psi.mean(axis=0), psi.mean()
    s10 = sum((v - area) ** 2 for v in v10) / (m - 1)
    s01 = sum((v - area) ** 2 for v in v01) / (n - 1)
    return area, np.sqrt(s10 / m + s01 / n)


@pytest.mark.parametrize("seed", range(5))
def test_delong_against_all_pairs(seed):
    y, p, w = draw(n=80, seed=seed, decimals=1)
    for c in range(3):
        area, se = structural_components(p[:, c], y == c)
        found = auc(p[:, c], y == c, np.full(80, 0.3))
        assert (found.estimate.value, found.se) == pytest.approx((area, se))
        rows = min(area * (1 - area) / se**2, 4 * (y == c).sum() * (y != c).sum() / 80)
        assert (found.estimate.low, found.estimate.high) == pytest.approx(wilson(area, rows))
    few = w > 0
    assert auc(p[:, 0], y == 0, w).se == pytest.approx(auc(p[few, 0], y[few] == 0, w[few]).se)  # weight 0 is no row


def test_the_standard_error_of_a_mean_area_is_that_of_new_draws():
    found = [mean_auc(p, y, np.ones(len(y)))[1] for y, p, _ in (draw(n=120, seed=s) for s in range(400))]
    spread = np.std([one.estimate.value for one in found])
    assert np.mean([one.se for one in found]) == pytest.approx(spread, rel=0.12)


def test_kappa_has_the_standard_error_of_fleiss_cohen_and_everitt():
    y, p, _ = draw(n=2000)
    table = count(y, p.argmax(axis=1), np.ones(2000), 3)
    found, reference = kappa(table), cohens_kappa(table.weight)
    assert found.value == pytest.approx(reference.kappa)
    assert (found.high - found.low) / (2 * 1.959963984540054) == pytest.approx(reference.std_kappa, rel=0.005)
    perfect = kappa(ConfusionTable(*2 * (np.diag([10.0, 12.0]),)))
    assert perfect.value == perfect.high == 1
    assert 0.5 < perfect.low < 0.95
    assert np.isnan(kappa(ConfusionTable(*2 * (np.diag([10.0, 0.0]),))).value)


def test_intervals_cover():
    """Coverage of 95 % intervals of balanced accuracy, kappa and F1 over draws of 100 rows, near the boundary."""
    random = np.random.default_rng(1)
    cells = np.array([[0.15, 0.01, 0.02], [0.01, 0.26, 0.01], [0.01, 0.02, 0.51]])
    said = cells / cells.sum(axis=1, keepdims=True)
    true = ConfusionTable(cells * 1e6, cells * 1e6)
    held = np.zeros(3)
    for _ in range(600):
        rows = random.multinomial(100, cells.ravel()).reshape(3, 3).astype(float)
        table = ConfusionTable(rows, rows)
        for k, one in enumerate((balanced_accuracy(table), kappa(table), of_class(table, 0).f1)):
            wanted = (np.diag(said).mean(), kappa(true).value, of_class(true, 0).f1.value)[k]
            held[k] += one.low <= wanted <= one.high
    assert (held / 600 > 0.925).all()
    assert (held / 600 < 0.985).all()


def test_what_is_not_known_is_nan():
    table = ConfusionTable(*2 * (np.array([[5.0, 1.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]]),))
    found = of_class(table, 2)
    assert np.isnan([found.sensitivity.value, found.ppv.value, found.f1.value]).all()
    assert found.specificity.value == 1.0
    assert balanced_accuracy(table).value == pytest.approx((5 / 6 + 4 / 6) / 2)
    assert share_of_rows(np.ones(3, bool), np.ones(3)).high == 1.0 == wilson(1.0, 3)[1]


def test_delong_of_the_scans_of_hanley_and_mcneil():
    """The 109 scans of Hanley and McNeil (1982), for which Stata's manual prints the area, DeLong's error and its interval."""
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    rating = np.repeat([1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5], normal + abnormal)
    found = auc(rating, np.arange(109) >= 58, np.ones(109))
    assert found.estimate.value == pytest.approx(0.8932, abs=5e-5)
    assert found.se == pytest.approx(0.0307, abs=5e-5)
    area, z = found.estimate.value, 1.959963984540054
    assert (area - z * found.se, area + z * found.se) == pytest.approx((0.83295, 0.95339), abs=5e-6)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((0.8179, 0.9396), abs=5e-5)  # not symmetric about 0.89


def test_areas_of_groups_have_the_degrees_of_freedom_of_both_sides():
    """Patients of one class each: the jackknife of each side, joined by Welch's formula, by hand."""
    random = np.random.default_rng(3)
    group = np.repeat(np.arange(7), [2, 4, 6, 3, 3, 5, 9])
    positive, score = group < 3, random.normal(size=32)
    found = auc(score + positive, positive, np.ones(32), group)
    above = (score + positive)[positive, None] > (score + positive)[None, ~positive]
    variances, dfs = [], []
    for means, of in ((above.mean(axis=1), group[positive]), (above.mean(axis=0), group[~positive])):
        labels = np.unique(of)
        without = np.array([means[of != g].mean() for g in labels])
        a = np.array([(of == g).mean() for g in labels])
        variances.append((len(labels) - 1) / len(labels) * ((without - means.mean()) ** 2).sum())
        dfs.append((1 - a @ a) ** 2 / (a @ a - 2 * (a**3).sum() + (a @ a) ** 2))
    assert found.se == pytest.approx(np.sqrt(sum(variances)))
    df = sum(variances) ** 2 / sum(v**2 / d for v, d in zip(variances, dfs, strict=True))
    assert found.df == pytest.approx(df)
    area = above.mean()
    rows = min(area * (1 - area) / sum(variances), 4 * 12 * 20 / 32) * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, df)) ** 2
    assert (found.estimate.low, found.estimate.high) == pytest.approx(wilson(area, rows))
