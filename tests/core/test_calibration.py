"""Chances and conformal p-values, beside scikit-learn's regressions and slow transcriptions."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from protoclass.core.statistics.scores import (
    Conformal,
    fit_isotonic,
    fit_multinomial,
    fit_selected,
    relative_margins,
    under_prior,
    with_largest,
)


def draw(n=200, L=3, seed=0, signal=1.5):
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % L)
    scores = random.normal(size=(n, L))
    scores[np.arange(n), y] += signal
    return scores, y, random.integers(1, 4, n).astype(float)


def kish(w):
    return w.sum() ** 2 / (w**2).sum()


def slow_loss(slope, intercepts, scores, y, w):
    """Minus the log likelihood of Platt's targets row by row, of as many rows as the weights are worth."""
    L, out = scores.shape[1], 0.0
    count = [kish(w[y == c]) for c in range(L)]
    for i in range(len(y)):
        z = [np.exp(intercepts[c] + slope * (scores[i, c] - scores[i].max())) for c in range(L)]
        for c in range(L):
            target = ((count[c] + 1) if c == y[i] else 1) / (count[y[i]] + L)
            out -= w[i] / w.sum() * kish(w) * target * np.log(z[c] / sum(z))
    return out


def test_two_classes_are_platts_logistic_regression_with_a_shrunken_slope():
    scores, y, w = draw(L=2)
    own = fit_multinomial(scores, y, w)
    count = [kish(w[y == 0]), kish(w[y == 1])]
    high, low = (count[1] + 1) / (count[1] + 2), 1 / (count[0] + 2)
    share = np.where(y == 1, high, low)  # Platt's targets, as two weighted rows each
    x = np.tile(scores[:, 1] - scores[:, 0], 2)[:, None]
    reference = LogisticRegression(C=1e12, tol=1e-12, max_iter=10000).fit(
        x, np.repeat([1, 0], len(y)), np.concatenate([w * share, w * (1 - share)])
    )
    steep, at = reference.coef_[0, 0], reference.intercept_[0] / 2
    mean = w @ share / w.sum()
    flat = np.log([1 - mean, mean])
    ratio = 2 * (slow_loss(0.0, flat, scores, y, w) - slow_loss(steep, [-at, at], scores, y, w))
    assert own.slope == pytest.approx(steep * (1 - 1 / ratio), rel=1e-4)


@pytest.mark.parametrize("L", [2, 4])
def test_no_other_intercepts_are_likelier(L):
    scores, y, w = draw(L=L, seed=1)
    own = fit_multinomial(scores, y, w)
    best = slow_loss(own.slope, own.intercepts, scores, y, w)
    random = np.random.default_rng(2)
    for _ in range(40):
        step = random.normal(size=L) * random.choice([0.003, 0.05, 0.5])
        assert best <= slow_loss(own.slope, own.intercepts + step, scores, y, w) + 1e-9
    assert own.of(scores).sum(axis=1) == pytest.approx(1.0)
    assert own.intercepts.sum() == pytest.approx(0.0, abs=1e-12)


def test_scores_against_the_truth_get_no_slope():
    scores, y, w = draw(signal=-2.0)
    assert fit_multinomial(scores, y, w).slope == 0.0


def slow_steps(x, positive, w):
    """Isotonic regression by scikit-learn, whose steps then count one row more and are joined from the left where they decrease."""
    w = w / w.sum() * kish(w)
    share = positive @ w / w.sum()
    level = IsotonicRegression().fit(x, positive, w).predict(x)
    steps = []
    for value in np.unique(level):
        steps.append(level == value)

        def shrunken(rows):
            return (w[rows] @ positive[rows] + share) / (w[rows].sum() + 1)

        while len(steps) > 1 and shrunken(steps[-2]) >= shrunken(steps[-1]):
            steps[-2:] = [steps[-2] | steps[-1]]
    out = np.empty(len(x))
    for rows in steps:
        out[rows] = shrunken(rows)
    return out


@pytest.mark.parametrize("L", [2, 3])
def test_isotonic_curves_are_scikit_learns_with_shrunken_steps(L):
    scores, y, w = draw(L=L, seed=5)
    ahead = np.array([[s[c] - max(np.delete(s, c)) for c in range(L)] for s in scores])
    curves = np.stack([slow_steps(ahead[:, c], (y == c).astype(float), w) for c in range(L)], axis=1)
    if L == 2:
        curves[:, 0] = 1 - curves[:, 1]
    floor = np.bincount(y, w) / w.sum() / (kish(w) + 1)
    expected = floor + (1 - floor.sum()) * curves / curves.sum(axis=1, keepdims=True)
    assert fit_isotonic(scores, y, w).of(scores) == pytest.approx(expected)


@pytest.mark.parametrize("fit", [fit_multinomial, fit_isotonic])
@pytest.mark.parametrize("L", [2, 3])
def test_no_probability_is_0_or_1(fit, L):
    """However far a new row lies, and also where the scores separate the classes: it counts as one row beside n."""
    scores, y, w = draw(n=30, L=L, signal=50.0)
    far = np.concatenate([1e6 * np.eye(L), -1e6 * np.eye(L), np.zeros((1, L))])
    p = fit(scores, y, w).of(far)
    assert p.min() >= (np.bincount(y, w) / w.sum()).min() / (kish(w) + 1) - 1e-12
    assert p.sum(axis=1) == pytest.approx(1.0)


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
            rows = kish(w[own])
            as_strange = sum(w[i] for i in own if strange[i] >= new[fold[i], r, c]) / w[own].sum() * rows
            expected[r, c] = (as_strange + 1) / (rows + 1)
    assert Conformal(strange, y, w, fold, 2).p_values(new) == pytest.approx(expected)


def test_another_prevalence_by_bayes():
    p = np.array([[0.25, 0.75, 0.0], [0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    share = np.array([0.5, 0.25, 0.25])
    assert under_prior(p, share, share).tolist() == p.tolist()
    prior = np.array([0.2, 0.8, 0.0])
    expected = [[v * a / b for v, a, b in zip(row, prior, share, strict=True)] for row in p[:2]]
    assert under_prior(p, share, prior)[:2] == pytest.approx(np.array([np.array(row) / sum(row) for row in expected]))
    assert under_prior(p, share, prior)[2].tolist() == prior.tolist()  # which rules out what the row is for sure


def half_noise(n, draw):
    y, side = np.arange(n) % 2, draw.random(n) < 0.5
    lead = np.where(side, 3.0 * (2 * y - 1), draw.normal(size=n))  # separable or noise, by the sign and the size of the lead
    return np.column_stack([-lead, lead]), y


@pytest.mark.parametrize("seed", range(3))
def test_the_default_selects_the_calibrator_that_predicts_held_out_rows(seed):
    draw = np.random.default_rng(seed)
    part = np.arange(300) % 10 // 2
    scores, y = half_noise(300, draw)
    assert fit_selected(scores, y, np.ones(300), part).name == "isotonic"
    noise = draw.normal(size=(300, 2))
    logit = np.column_stack([np.zeros(300), draw.normal(size=300) * 2])
    of_logit = (draw.random(300) < 1 / (1 + np.exp(-logit[:, 1]))).astype(int)
    assert fit_selected(noise, y, np.ones(300), part).name == "multinomial"
    assert fit_selected(logit, of_logit, np.ones(300), part).name == "multinomial"
    assert fit_selected(scores, y, np.ones(300), np.zeros(300, int)).name == "multinomial"  # nothing is held out


def test_margins_are_those_of_the_definition():
    D = np.random.default_rng(0).integers(0, 5, (200, 3)).astype(float)
    D[::9, 1], D[::13] = np.inf, np.inf
    found = relative_margins(D)
    for d, margins in zip(D, found, strict=True):
        for c in range(3):
            own, other = d[c], min(d[k] for k in range(3) if k != c)
            if own == other:
                expected = 0.0
            elif np.isinf(own):
                expected = -1.0
            else:
                expected = 1.0 if np.isinf(other) else (other - own) / (other + own)
            assert margins[c] == expected
    assert (found.argmax(axis=1) == D.argmin(axis=1)).all()  # ties included: the first


def test_margins_of_distances_whose_sum_overflows():
    assert relative_margins(np.array([[1.7e308, 1.6e308]])).round(3).tolist() == [[-0.03, 0.03]]


def test_the_predicted_class_has_the_largest_value():
    values = np.array([[0.5, 0.5, 0.0], [0.2, 0.7, 0.1], [-np.inf, -np.inf, -np.inf]])
    out = with_largest(values, np.array([1, 1, 2]))
    assert out.argmax(axis=1).tolist() == [1, 1, 2]
    assert np.isfinite(out).all()
    np.testing.assert_allclose(out[:2], values[:2])
