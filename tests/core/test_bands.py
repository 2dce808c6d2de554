"""Bands of a curve: against the multivariate normal distribution, a slow version, and by their coverage."""

import numpy as np
import pytest
from scipy.stats import norm, t

from protoclass.core.bands import simultaneous
from protoclass.core.choose import mean_and_se


def test_one_point_is_student_t_and_independent_points_are_sidak():
    draw = np.random.default_rng(0)
    alone, together = simultaneous([draw.random((10, 1))], [np.ones(10)], 0.9, 100_000, draw)
    assert alone == pytest.approx(t.ppf(0.95, 9))
    assert together == pytest.approx(alone, rel=0.01)
    folds = 1500  # so many that the estimated correlations are 0
    _, together = simultaneous([draw.normal(size=(folds, 5))], [np.ones(folds)], 0.95, 10_000, draw)
    assert together == pytest.approx(norm.ppf((1 + 0.95 ** (1 / 5)) / 2), rel=0.03)


def test_points_that_go_together_need_no_more_than_one():
    draw = np.random.default_rng(1)
    errors = draw.random((8, 1)) * np.array([1.0, 3.0, 0.5]) + [0.0, 1.0, 2.0]
    alone, together = simultaneous([errors], [np.arange(1.0, 9.0)], 0.95, 100_000, draw)
    assert together == pytest.approx(alone, rel=0.02)
    assert np.isnan(simultaneous([np.ones((5, 3))], [np.ones(5)], 0.95, 100, draw)).all()


def test_weighted_repeats_against_the_distribution_that_they_mean():
    """The maximum of Student variables with the correlations of the fold errors, drawn from their covariance matrix."""
    draw = np.random.default_rng(2)
    errors, weights = [draw.random((6, 4)) for _ in range(3)], [draw.random(6) + 0.5 for _ in range(3)]
    covariance = np.zeros((4, 4))
    for e, w in zip(errors, weights, strict=True):
        center = np.average(e, axis=0, weights=w)
        for f in range(6):
            covariance += w[f] / w.sum() * np.outer(e[f] - center, e[f] - center) / 5 / 3
    assert np.sqrt(covariance.diagonal()) == pytest.approx(
        np.sqrt(np.mean([mean_and_se(e, w)[1] ** 2 for e, w in zip(errors, weights, strict=True)], axis=0))
    )
    sd = np.sqrt(covariance.diagonal())
    z = draw.multivariate_normal(np.zeros(4), covariance / np.outer(sd, sd), 200_000)
    slow = np.quantile(np.abs(z).max(axis=1) / np.sqrt(draw.chisquare(5, 200_000) / 5), 0.9)
    assert simultaneous(errors, weights, 0.9, 200_000, draw)[1] == pytest.approx(slow, rel=0.01)


def test_the_band_holds_all_points_as_often_as_it_says_and_bars_do_not():
    """Errors of independent folds over twelve points, which go together in part."""
    draw = np.random.default_rng(3)
    inside, bars, sets = 0, 0, 400
    for _ in range(sets):
        errors = draw.normal(size=(10, 1)) + draw.normal(size=(10, 12))
        alone, together = simultaneous([errors], [np.ones(10)], 0.9, 400, draw)
        mean, se = mean_and_se(errors, np.ones(10))
        inside += (np.abs(mean) <= together * se).all()
        bars += (np.abs(mean) <= alone * se).all()
    assert 0.85 < inside / sets < 0.95
    assert bars / sets < 0.7
