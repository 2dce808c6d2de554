"""Chances and conformal p-values, beside scikit-learn's regressions and slow transcriptions."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from protoclass.core.calibration import Conformal, fit_isotonic, fit_multinomial, nonconformity, scale_of, under_prior


def draw(n=200, L=3, seed=0, signal=1.5):
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % L)
    scores = random.normal(size=(n, L))
    scores[np.arange(n), y] += signal
    return scores, y, random.integers(1, 4, n).astype(float)


def test_two_classes_are_platts_logistic_regression():
    scores, y, w = draw(L=2)
    own = fit_multinomial(scores, y, w)
    count = np.bincount(y, w)
    high, low = (count[1] + 1) / (count[1] + 2), 1 / (count[0] + 2)
    share = np.where(y == 1, high, low)  # Platt's targets, as two weighted rows each
    x = np.tile(scores[:, 1] - scores[:, 0], 2)[:, None]
    reference = LogisticRegression(C=1e12, tol=1e-12, max_iter=10000).fit(
        x, np.repeat([1, 0], len(y)), np.concatenate([w * share, w * (1 - share)])
    )
    assert own.slope == pytest.approx(reference.coef_[0, 0], rel=1e-4)
    assert own.of(scores)[:, 1] == pytest.approx(reference.predict_proba(x[: len(y)])[:, 1], abs=1e-5)


def slow_loss(slope, intercepts, scores, y, w):
    """The likelihood of Platt's targets row by row."""
    L, count, out = scores.shape[1], np.bincount(y, w), 0.0
    for i in range(len(y)):
        z = [np.exp(intercepts[c] + slope * (scores[i, c] - scores[i].max())) for c in range(L)]
        for c in range(L):
            target = ((count[c] + 1) if c == y[i] else 1) / (count[y[i]] + L)
            out -= w[i] * target * np.log(z[c] / sum(z))
    return out


@pytest.mark.parametrize("L", [2, 4])
def test_no_other_slope_or_intercepts_are_likelier(L):
    scores, y, w = draw(L=L, seed=1)
    own = fit_multinomial(scores, y, w)
    best = slow_loss(own.slope, own.intercepts, scores, y, w)
    random = np.random.default_rng(2)
    for _ in range(40):
        step = random.normal(size=L + 1) * random.choice([0.003, 0.05, 0.5])
        assert best <= slow_loss(own.slope + step[0], own.intercepts + step[1:], scores, y, w) + 1e-9
    assert own.of(scores).sum(axis=1) == pytest.approx(1.0)
    assert own.intercepts.sum() == pytest.approx(0.0, abs=1e-12)


def test_scores_against_the_truth_get_no_slope():
    scores, y, w = draw(signal=-2.0)
    assert fit_multinomial(scores, y, w).slope == 0.0


def test_weights_are_repeated_rows():
    scores, y, w = draw(seed=3)
    again = np.repeat(np.arange(len(y)), w.astype(int))
    one = np.ones(len(again))
    for fit in (fit_multinomial, fit_isotonic):
        assert fit(scores, y, w).of(scores) == pytest.approx(fit(scores[again], y[again], one).of(scores), abs=1e-5)
    new = np.random.default_rng(4).normal(size=(1, 7, 3))
    strange = nonconformity(scores)[np.arange(len(y)), y]
    weighted = Conformal(strange, y, w, np.zeros(len(y), int), 3).p_values(new)
    repeated = Conformal(strange[again], y[again], one, np.zeros(len(again), int), 3).p_values(new)
    assert weighted == pytest.approx(repeated)


@pytest.mark.parametrize("L", [2, 3])
def test_isotonic_curves_are_scikit_learns(L):
    scores, y, w = draw(L=L, seed=5)
    ahead = np.array([[s[c] - max(np.delete(s, c)) for c in range(L)] for s in scores])
    curves = np.stack([IsotonicRegression().fit(ahead[:, c], y == c, w).predict(ahead[:, c]) for c in range(L)], axis=1)
    if L == 2:
        curves[:, 0] = 1 - curves[:, 1]
    expected = curves / curves.sum(axis=1, keepdims=True)
    assert fit_isotonic(scores, y, w).of(scores) == pytest.approx(expected)


def test_infinite_and_zero_distances_have_scores():
    values = np.array([[0.0, 2.0, np.inf], [0.0, 0.0, np.inf], [1.0, 4.0, np.inf]])
    scale = scale_of("distance", values)
    assert (scale.low, scale.high) == (0.5, 8.0)
    assert scale.scores(values) == pytest.approx(-np.log([[0.5, 2, 8], [0.5, 0.5, 8], [1, 4, 8]]))
    assert np.isfinite(scale_of("prob", np.zeros((2, 2))).scores(np.zeros((2, 2)))).all()


def test_p_values_count_as_one_does_by_hand():
    random = np.random.default_rng(6)
    n, folds = 60, 3
    strange, y, fold = random.integers(0, 9, n) / 3, np.arange(n) % 2, random.integers(0, folds, n)
    w = random.integers(1, 3, n).astype(float)
    new = random.integers(0, 9, (folds, 11, 2)) / 3
    expected = np.empty((11, 2))
    for r in range(11):
        for c in range(2):
            own = [i for i in range(n) if y[i] == c]
            as_strange = sum(w[i] for i in own if strange[i] >= new[fold[i], r, c])
            expected[r, c] = (as_strange + 1) / (sum(w[i] for i in own) + 1)
    assert Conformal(strange, y, w, fold, 2).p_values(new) == pytest.approx(expected)


def test_another_prevalence_by_bayes():
    p = np.array([[0.25, 0.75, 0.0], [0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    share = np.array([0.5, 0.25, 0.25])
    assert under_prior(p, share, share).tolist() == p.tolist()
    prior = np.array([0.2, 0.8, 0.0])
    expected = [[v * a / b for v, a, b in zip(row, prior, share, strict=True)] for row in p[:2]]
    assert under_prior(p, share, prior)[:2] == pytest.approx(np.array([np.array(row) / sum(row) for row in expected]))
    assert under_prior(p, share, prior)[2].tolist() == prior.tolist()  # which rules out what the row is for sure
