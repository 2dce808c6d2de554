"""The standard error, the best point and the 1-SE rule; folds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoclass.core.statistics.folds import stratified
from protoclass.core.statistics.one_se import choose_over_repeats


def test_glmnet_formula_by_hand():
    """Three folds of 4, 4 and 2 rows. Errors at the first point 0.25, 0.5, 0 and at the second 0.5, 0.5, 0.5.

    glmnet: cvm = weighted.mean(e, w); cvsd = sqrt(weighted.mean((e - cvm)^2, w) / (N - 1)).
    First point: cvm = (4 * 0.25 + 4 * 0.5 + 2 * 0) / 10 = 0.3,
    cvsd^2 = (4 * 0.0025 + 4 * 0.04 + 2 * 0.09) / 10 / 2 = 0.035 / 2 = 0.0175.
    """
    c = choose_over_repeats([np.array([[0.25, 0.5], [0.5, 0.5], [0.0, 0.5]])], [np.array([4.0, 4.0, 2.0])], np.ones((3, 2)))
    assert c.error == pytest.approx([0.3, 0.5])
    assert c.se == pytest.approx([np.sqrt(0.0175), 0.0])
    assert (c.best, c.one_se) == (0, 0)


def test_one_se_takes_the_smallest_within_one_se_of_the_least():
    errors = np.array([[0.10, 0.12, 0.14, 0.40], [0.14, 0.16, 0.18, 0.40]])
    c = choose_over_repeats([errors], [np.ones(2)], np.array([[9.0, 5.0, 2.0, 1.0]] * 2))
    assert c.error == pytest.approx([0.12, 0.14, 0.16, 0.40])
    assert c.se[0] == pytest.approx(0.02)
    assert c.best == 0
    assert c.one_se == 1  # 0.14 is just within 0.12 + 0.02, 0.16 is not


def test_ties_go_to_the_smaller_then_to_the_first():
    c = choose_over_repeats([np.full((2, 3), 0.2)], [np.ones(2)], np.array([[3.0, 1.0, 1.0]] * 2))
    assert (c.best, c.one_se) == (1, 1)
    c = choose_over_repeats([np.full((2, 2), 0.2)], [np.ones(2)], np.ones((2, 2)))
    assert (c.best, c.one_se) == (0, 0)


def test_errors_that_differ_by_rounding_are_equal():
    for apart, best in ((3e-13, 1), (3e-12, 0)):
        errors = np.array([[0.1, 0.1 + apart]] * 2)
        c = choose_over_repeats([errors], [np.ones(2)], np.array([[5.0, 2.0]] * 2), bounds=errors)
        assert (c.best, c.points["bound"]) == (best, best)


def test_the_paired_rule_against_a_slow_version():
    draw = np.random.default_rng(3)
    for repeats, F, G in ((1, 5, 6), (3, 4, 7)):
        hard = draw.random((repeats, F, 1))  # of a fold, for all points
        errors, sizes = hard + 0.1 * draw.random((repeats, F, G)), draw.integers(1, 5, (repeats * F, G)).astype(float)
        weights = draw.integers(1, 9, (repeats, F)).astype(float)
        found = choose_over_repeats(list(errors), list(weights), sizes)
        mean = np.mean([np.average(e, axis=0, weights=w) for e, w in zip(errors, weights, strict=True)], axis=0)
        best = min(range(G), key=lambda g: (mean[g], sizes[:, g].mean(), g))
        assert found.points["min"] == found.best == best


@given(st.lists(st.integers(0, 3), min_size=12, max_size=60), st.integers(2, 6), st.integers(0, 9))
def test_stratified_folds_share_classes_evenly(y, folds, seed):
    y = np.array(y)
    fold = stratified(y, folds, seed)
    assert np.ptp(np.bincount(fold, minlength=folds)) <= 1
    for c in np.unique(y):
        assert np.ptp(np.bincount(fold[y == c], minlength=folds)) <= 1
    assert np.array_equal(fold, stratified(y, folds, seed))
