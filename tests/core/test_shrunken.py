"""Nearest shrunken centroids against a transcription of the paper, and what it promises."""

from math import exp, fsum, log, sqrt
from statistics import median

import numpy as np
import pytest

from protoclass.core.vectors.shrunken import PATH_STEPS, probabilities, scores, shrunken
from protoclass.ground.errors import DataError


def problem(seed, n=24, p=7, G=3):
    draw = np.random.default_rng(seed)
    y = np.concatenate([np.arange(G).repeat(2), draw.integers(0, G, n - 2 * G)])
    X = draw.normal(size=(n, p)) * draw.uniform(0.2, 5, p) + draw.normal(size=p) * 10
    X[:, : p // 2] += draw.normal(size=(G, p // 2))[y] * 2
    return X, y, draw.integers(1, 4, n).astype(float)


class Slow:
    """The paper's equations one number at a time, on rows that are repeated as often as they weigh."""

    def __init__(self, X, y, w, G, threshold):
        rows = [i for i, times in enumerate(w) for _ in range(int(times))]
        n, p = len(rows), X.shape[1]
        members = [[i for i in rows if y[i] == k] for k in range(G)]
        self.overall = [fsum(X[i, j] for i in rows) / n for j in range(p)]
        mean = [[fsum(X[i, j] for i in own) / len(own) for j in range(p)] for own in members]
        s = [sqrt(fsum((X[i, j] - mean[k][j]) ** 2 for k in range(G) for i in members[k]) / (n - G)) for j in range(p)]
        self.scale = [sj + median(s) for sj in s]
        self.centroids = [[0.0] * p for _ in range(G)]
        self.moved = set()
        self.most = 0.0
        for k, own in enumerate(members):
            m = sqrt(1 / len(own) - 1 / n)
            for j in range(p):
                d = (mean[k][j] - self.overall[j]) / (m * self.scale[j])
                short = (1 if d > 0 else -1) * max(abs(d) - threshold, 0)
                self.centroids[k][j] = self.overall[j] + m * self.scale[j] * short
                self.most = max(self.most, abs(d))
                if short:
                    self.moved.add(j)
        self.priors = [len(own) / n for own in members]

    def scores(self, x):
        return [fsum((x[j] - c[j]) ** 2 / self.scale[j] ** 2 for j in range(len(x))) - 2 * log(prior)
                for c, prior in zip(self.centroids, self.priors, strict=True)]  # fmt: skip

    def probabilities(self, x):
        found = self.scores(x)
        parts = [exp(-(v - min(found)) / 2) for v in found]
        return [part / fsum(parts) for part in parts]


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_paper(seed):
    X, y, w = problem(seed)
    new = np.random.default_rng(seed + 50).normal(size=(5, 7)) * 3 + X.mean(axis=0)
    path = np.array([0.0, 0.4, 1.3, 2.5, 30.0])
    fit = shrunken(X, y, w, 3, path)
    told = scores(fit, new)
    likely = probabilities(told)
    for at, threshold in enumerate(path):
        slow = Slow(X, y, w, 3, threshold)
        assert np.allclose(fit.centroids[:, at], slow.centroids, rtol=1e-12)
        assert fit.survivors[at] == len(slow.moved)
        for r, x in enumerate(new):
            wanted, found = np.array(slow.scores(x)), told[r, :, at]
            # less what all classes share
            assert np.allclose(wanted - wanted[0], found - found[0], rtol=1e-11, atol=1e-11)
            shared = fsum((x[j] - slow.overall[j]) ** 2 / slow.scale[j] ** 2 for j in range(7))
            assert np.allclose(wanted - shared, found, rtol=1e-11, atol=1e-11)
            assert np.allclose(likely[r, :, at], slow.probabilities(x), rtol=1e-10)
    assert np.allclose(fit.overall, slow.overall, rtol=1e-13)
    assert np.allclose(fit.scale, slow.scale, rtol=1e-13)
    assert np.allclose(fit.priors, slow.priors, rtol=1e-14)
    assert fit.survivors[0] == 7
    assert fit.survivors[-1] == 0


@pytest.mark.parametrize("seed", range(3))
def test_default_path_is_that_of_pamr(seed):
    X, y, w = problem(seed)
    fit = shrunken(X, y, w, 3)
    assert len(fit.thresholds) == PATH_STEPS == 30
    assert fit.thresholds[0] == 0
    assert fit.thresholds[-1] == pytest.approx(Slow(X, y, w, 3, 0.0).most, rel=1e-12)
    assert np.allclose(np.diff(fit.thresholds), fit.thresholds[-1] / 29)
    assert fit.survivors[-1] == 0
    assert fit.survivors[-2] >= 1
    assert (fit.centroids[:, -1] == fit.overall).all()
    assert (np.diff(fit.survivors) <= 0).all()
    # at 0 the classes' means
    assert np.allclose(fit.centroids[1, 0], w[y == 1] @ X[y == 1] / w[y == 1].sum(), rtol=1e-13)
    # a path holds what its thresholds give one by one
    for at in (0, 3, 17, 29):
        one = shrunken(X, y, w, 3, fit.thresholds[[at]])
        assert (one.centroids[:, 0] == fit.centroids[:, at]).all()
        assert (scores(one, X)[:, :, 0] == scores(fit, X)[:, :, at]).all()


def test_a_variable_that_does_not_survive_adds_nothing():
    X, y, w = problem(0)
    fit = shrunken(X, y, w, 3, np.array([1.5, 1e9]))
    gone = (fit.centroids[:, 0] == fit.overall).all(axis=0)
    assert 0 < gone.sum() < 7
    wild = X.copy()
    wild[:, gone] = 1e6
    assert (scores(fit, wild)[:, :, 0] == scores(fit, X)[:, :, 0]).all()
    # none left: the priors decide
    assert np.allclose(probabilities(scores(fit, X))[:, :, 1], fit.priors, rtol=1e-14)


def test_more_than_half_of_the_columns_are_constant_within_classes():
    X, y, w = problem(0)
    X[:, :3] = 0.1
    X[:, 3:5] = np.array([0.1, 0.1, 0.7])[y][:, None]  # tells one class
    fit = shrunken(X, y, w, 3)
    slow = Slow(X[:, 5:], y, w, 3, 0.0)  # of the two that vary: s_0 is the median of theirs
    assert np.allclose(fit.scale[5:], slow.scale, rtol=1e-12)
    assert np.allclose(fit.scale[:5], median(slow.scale) / 2, rtol=1e-12)
    assert np.isfinite(fit.centroids).all()
    assert np.isfinite(fit.thresholds[-1])
    assert fit.survivors[0] == 4
    assert (fit.centroids[:, :, :3] == 0.1).all()
    assert fit.centroids[:, 0, 3].tolist() == [0.1, 0.1, 0.7]


def test_all_columns_are_constant_within_classes():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.column_stack([np.array([0.1, 0.7])[y], np.full(6, 0.3)])
    fit = shrunken(X, y, np.ones(6), 2)
    assert fit.scale == pytest.approx([0.3, 0.3])  # the standard deviation of the first about its mean
    assert fit.survivors.tolist() == [1] * 29 + [0]
    assert (scores(fit, X).argmin(axis=1) == y[:, None])[:, :-1].all()
    same = shrunken(np.full((6, 2), 0.3), y, np.ones(6), 2)
    assert same.scale.tolist() == [1, 1]
    assert same.thresholds.tolist() == [0] * 30
    assert (same.survivors == 0).all()
    assert np.allclose(probabilities(scores(same, X)), 0.5)


def test_errors():
    X, y, w = problem(0)
    with pytest.raises(DataError, match="because they count rows, but they sum to 3"):
        shrunken(X, y, w * 3 / w.sum(), 3)
