"""Gaussian mixtures against scikit-learn's own, SciPy's densities, closed forms and BIC by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.mixture import GaussianMixture

import protoclass as pc
from protoclass.core.parallel import alone
from protoclass.core.vectors import mixture as core
from protoclass.models import mixture as model
from protoclass.models.mixture import Mixture

RAW = pc.Euclidean(scale=False)
FORMS = ("full", "tied", "diag", "spherical")


def fitted(data, formula="species ~ .", **parameters):
    call = {name: parameters.pop(name) for name in ("seed", "cv", "choose") if name in parameters}
    return pc.fit(formula, data, Mixture(**parameters), dissimilarity=RAW, **call)


def parts(data):
    X, y = data.iloc[:, :-1].to_numpy(float), pd.Categorical(data.iloc[:, -1]).codes
    return X, y, [X[y == c] for c in range(y.max() + 1)]


def within(X, y):
    """Mean over columns of the variance within classes, in loops."""
    total = sum(((row - X[y == c].mean(axis=0)) ** 2).sum() for row, c in zip(X, y, strict=True))
    return total / X.size


def peer(own, K, form, ridge, c, seed=0, starts=3):
    state = int(np.random.default_rng((seed, K, c)).integers(2**31))
    with alone():
        return GaussianMixture(
            K, covariance_type=form, reg_covar=ridge, max_iter=500, n_init=starts, random_state=state
        ).fit(own)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("K", [1, 2, 4])
def test_each_class_is_scikit_learns_mixture(iris, form, K):
    X, y, own = parts(iris)
    new = iris.iloc[::7].drop(columns="species") + 0.3
    fit = fitted(iris, K=K, covariance=form, seed=5)
    peers = [peer(rows, K, form, 0.01 * within(X, y), c, 5) for c, rows in enumerate(own)]
    log_density = np.stack([m.score_samples(new.to_numpy()) for m in peers], axis=1)
    assert fit.predict(new, "decision").to_numpy() == pytest.approx(log_density + math.log(1 / 3))
    assert fit.predict(new, "prob").to_numpy() == pytest.approx(softmax(log_density, axis=1), abs=1e-12)
    assert fit.predict(new).cat.codes.tolist() == log_density.argmax(axis=1).tolist()
    table = fit.prototypes
    assert table.iloc[:, 3:].to_numpy(float) == pytest.approx(np.concatenate([m.means_ for m in peers]))
    assert table["weight"].to_numpy(float) == pytest.approx(np.concatenate([m.weights_ for m in peers]))
    held = [np.bincount(m.predict(rows), minlength=K) for m, rows in zip(peers, own, strict=True)]
    assert table["assigned"].tolist() == np.concatenate(held).tolist()
    assert fit.rule.size == sum(
        round((m.bic(rows) + 2 * m.score_samples(rows).sum()) / math.log(len(rows)))
        for m, rows in zip(peers, own, strict=True)
    )


@pytest.mark.parametrize("form", FORMS)
def test_likelihoods_are_no_worse_than_scikit_learns(form):
    """On rows of all shapes, many columns among them, where most components never matter to a row."""
    gained, same = [], 0
    for trial in range(24):
        draw = np.random.default_rng(trial)
        n, p, K = int(draw.integers(20, 120)), int(draw.choice([1, 2, 5, 30, 70])), int(draw.integers(1, 7))
        X = draw.normal(size=(n, p)) * draw.uniform(0.3, 3, p) + 4 * draw.integers(0, 3, (n, 1))
        if trial % 4 == 0:
            X = np.repeat(np.round(X), 2, axis=0)
        new = X[::5] + draw.normal(size=X[::5].shape) / 2
        m, theirs = core.mix(X, K, form, 3, 0.05, (trial, K, 0)), peer(X, K, form, 0.05, 0, trial)
        for rows in (X, new):
            ours = logsumexp(core.log_densities(rows, m.weights, m.means, m.roots), axis=1)
            assert np.isfinite(ours).all()
            gained.append(ours.mean() - theirs.score(rows))
        same += abs(gained[-1]) < 1e-6 and abs(gained[-2]) < 1e-6
        assert m.weights.sum() == pytest.approx(1)
    assert same >= 18
    assert np.mean(gained[::2]) > -0.02


def test_a_component_without_rows_repeats_another():
    X = np.array([[0.0, 1.0]] * 4 + [[5.0, 2.0]] * 3)
    m = core.mix(X, 4, "full", 1, 0.5, (0,))
    assert {tuple(mean) for mean in m.means.round(9)} == {(0, 1), (5, 2)}
    assert np.sort(m.weights) == pytest.approx([0, 0, 3 / 7, 4 / 7], abs=1e-12)


def test_one_component_is_discriminant_analysis(iris):
    new = iris.drop(columns="species") * 1.05
    fit = fitted(iris.iloc[:130], K=1, ridge=0)
    X, y, own = parts(iris.iloc[:130])
    for c, rows in enumerate(own):
        S = np.cov(rows.T, bias=True)
        want = multivariate_normal(rows.mean(axis=0), S).logpdf(new.to_numpy()) + math.log(len(rows) / 130)
        assert fit.predict(new, "decision").iloc[:, c].to_numpy() == pytest.approx(want)
    qda = QuadraticDiscriminantAnalysis().fit(np.repeat(X, 500, axis=0), np.repeat(y, 500))  # n - 1 is then nearly n
    assert fit.predict(new, "prob").to_numpy() == pytest.approx(qda.predict_proba(new.to_numpy()), abs=2e-4)


def test_posteriors_are_bayes_rule_also_far_away(iris):
    fit = fitted(iris, K=1)
    new = iris.drop(columns="species").iloc[[0, 60, 120, 5, 6, 7]].reset_index(drop=True)
    new.loc[3:, "petal_length"] = [1e4, 1e160, -1e300]
    decision, prob = fit.predict(new, "decision").to_numpy(), fit.predict(new, "prob").to_numpy()
    assert prob.sum(axis=1) == pytest.approx(np.ones(6))
    assert prob[:4] == pytest.approx(softmax(decision[:4], axis=1))
    assert np.isfinite(decision[:4]).all()
    assert (decision[4:] == -np.inf).all()
    assert set(prob[3:].ravel()) == {0.0, 1.0}
    assert prob.argmax(axis=1).tolist() == fit.predict(new).cat.codes.tolist()
    # beyond all numbers the class of the widest Gaussian in that direction, as it is before
    assert prob[4].tolist() == prob[3].tolist()
    below = new.assign(petal_length=[-1e5] * 6)
    assert prob[5].tolist() == fit.predict(below, "prob").iloc[5].tolist()


@pytest.mark.parametrize("form", FORMS)
def test_bic_by_hand(iris, form, monkeypatch):
    monkeypatch.setattr(model, "MOST", 4)
    X, y, own = parts(iris)
    ridge = 0.01 * within(X, y)
    free = {"full": lambda K: 4 * K + 10 * K + K - 1, "tied": lambda K: 4 * K + 10 + K - 1,
            "diag": lambda K: 4 * K + 4 * K + K - 1, "spherical": lambda K: 4 * K + K + K - 1}  # fmt: skip
    best = []
    for c, rows in enumerate(own):
        scores = []
        for K in range(1, 5):
            m = peer(rows, K, form, ridge, c, starts=1)
            S = {"full": lambda k, m=m: m.covariances_[k], "tied": lambda k, m=m: m.covariances_,
                 "diag": lambda k, m=m: np.diag(m.covariances_[k]),
                 "spherical": lambda k, m=m: m.covariances_[k] * np.eye(4)}[form]  # fmt: skip
            each = [math.log(m.weights_[k]) + multivariate_normal(m.means_[k], S(k)).logpdf(rows) for k in range(K)]
            scores.append(-2 * logsumexp(each, axis=0).sum() + free[form](K) * math.log(50))
            assert scores[-1] == pytest.approx(m.bic(rows))
            found = core.mix(rows, K, form, 1, ridge, (0, K, c))
            assert core.bic(found, rows, form) == pytest.approx(scores[-1])
            assert core.count_parameters(K, 4, form) == free[form](K)
        best.append(int(np.argmin(scores)) + 1)
    fit = fitted(iris, K="bic", covariance=form, starts=1)
    assert fit.prototypes["class"].value_counts(sort=False).tolist() == best
    assert fit._curve is None
    told = ", ".join(f"{name}: {K}" for name, K in zip(fit.classes, best, strict=True))
    assert fit.rule.report["components per class K"] == f"{told} (least BIC)"
    assert fit.rule.size == sum(free[form](K) for K in best)


def test_priors(iris):
    few = iris.iloc[:120]
    shares, equal = fitted(few, K=1), fitted(few, K=1, priors="equal")
    named = fitted(few, K=1, priors={"virginica": 0.7, "setosa": 0.1, "versicolor": 0.2})
    density = shares.predict(kind="decision").to_numpy() - np.log(np.array([50, 50, 20]) / 120)
    for fit, prior in ((equal, [1 / 3] * 3), (named, [0.1, 0.2, 0.7])):
        assert fit.predict(kind="decision").to_numpy() == pytest.approx(density + np.log(prior))
        assert fit.predict(kind="prob").to_numpy() == pytest.approx(softmax(density + np.log(prior), axis=1))
    for priors in ({"setosa": 0.5, "virginica": 0.5}, {"setosa": 0.2, "versicolor": 0.3, "virginica": 0.4}, "even",
                   {"setosa": 0, "versicolor": 0.5, "virginica": 0.5}):  # fmt: skip
        with pytest.raises(pc.errors.OptionError, match=r"^priors must be .*, not "):
            fitted(few, K=1, priors=priors)


def test_what_cannot_be_fitted_and_what_is_told(iris, monkeypatch):
    one = iris.iloc[[*range(60), 100]]
    with pytest.raises(pc.errors.DataError, match="mixture needs at least 2 rows of class 'virginica', but it has 1"):
        fitted(one, K=1)
    few = iris.iloc[[*range(53), *range(100, 150)]]
    with pytest.raises(
        pc.errors.DataError, match="1 Gaussian with covariance='full' cannot be fitted to the 3 rows of class 'ver"
    ):
        fitted(few, K=1, ridge=0)
    assert fitted(few, K=1)._training_error < 0.1  # the ridge makes up for rows that there are too few of
    assert fitted(few, K=1, ridge=0, covariance="spherical")._training_error < 0.2
    alike = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": list("aabb")})
    with pytest.raises(pc.errors.DataError, match="are identical"):
        fitted(alike, "y ~ x", K=1)
    huge = pd.DataFrame({"x": [0.0, 1e200, 1, 2], "y": list("aabb")})
    with pytest.raises(pc.errors.DataError, match="too large"):
        fitted(huge, "y ~ x", K=1)
    half = pd.DataFrame({"x": [0.0, 0, 0, 1, 1, 5, 6, 7, 8], "y": list("aaaaabbbb")})
    told = fitted(half, "y ~ x", K=3)
    assert told.rule.report["components repeated"] == "a (3 components, 2 distinct rows): give a smaller K"
    assert "components repeated" not in fitted(half, "y ~ x", K="bic").rule.report
    assert "EM" not in told.rule.report
    monkeypatch.setattr(core, "EM_STEPS", 1)
    assert fitted(iris, K=3).rule.report["EM"].endswith("setosa, versicolor, virginica")
    with pytest.raises(pc.errors.OptionError):
        Mixture(K=["bic", 1])
