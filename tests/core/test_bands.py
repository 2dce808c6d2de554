"""Bands of a curve: against the multivariate normal distribution, a slow version, and by their coverage."""

import numpy as np
import pytest
from scipy.stats import norm, t

from protoclass.core.statistics.intervals import simultaneous


def test_one_point_is_student_t_and_independent_points_are_sidak():
    draw = np.random.default_rng(0)
    alone, together = simultaneous(draw.random((10, 1)), 0.9, 100_000, draw)
    assert alone == pytest.approx(t.ppf(0.95, 9))
    assert together == pytest.approx(alone, rel=0.01)
    _, together = simultaneous(draw.normal(size=(1500, 5)), 0.95, 10_000, draw)  # their estimated correlations are 0
    assert together == pytest.approx(norm.ppf((1 + 0.95 ** (1 / 5)) / 2), rel=0.03)


def test_points_that_go_together_need_no_more_than_one():
    draw = np.random.default_rng(1)
    parts = draw.normal(size=(8, 1)) * np.array([1.0, 3.0, 0.5, 0.0])
    alone, together = simultaneous(parts, 0.95, 100_000, draw)
    assert together == pytest.approx(alone, rel=0.02)
    assert np.isnan(simultaneous(np.zeros((5, 3)), 0.95, 100, draw)).all()


def test_the_quantile_is_that_of_the_distribution_that_the_parts_mean():
    """The maximum of Student variables with the correlations of the parts, drawn from their covariance matrix."""
    draw = np.random.default_rng(2)
    parts = draw.normal(size=(6, 4)) + draw.normal(size=(6, 1))
    covariance = sum(np.outer(part, part) for part in parts)
    sd = np.sqrt(covariance.diagonal())
    z = draw.multivariate_normal(np.zeros(4), covariance / np.outer(sd, sd), 200_000)
    slow = np.quantile(np.abs(z).max(axis=1) / np.sqrt(draw.chisquare(5, 200_000) / 5), 0.9)
    assert simultaneous(parts, 0.9, 200_000, draw)[1] == pytest.approx(slow, rel=0.01)


def test_the_band_holds_all_points_as_often_as_it_says_and_bars_do_not():
    """Means of independent units over twelve points, which go together in part."""
    draw = np.random.default_rng(3)
    inside, bars, sets = 0, 0, 400
    for _ in range(sets):
        units = draw.normal(size=(40, 1)) + draw.normal(size=(40, 12))
        mean = units.mean(axis=0)
        parts = (units - mean) / np.sqrt(40 * 39)
        alone, together = simultaneous(parts, 0.9, 400, draw)
        se = np.sqrt((parts**2).sum(axis=0))
        inside += (np.abs(mean) <= together * se).all()
        bars += (np.abs(mean) <= alone * se).all()
    assert 0.85 < inside / sets < 0.95
    assert bars / sets < 0.7
