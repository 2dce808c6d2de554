"""Intervals beside statsmodels, published numbers and all outcomes of a small experiment."""

from itertools import product

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from protoclass.core.statistics.intervals import (
    Estimate,
    difference_of,
    least_se,
    leverage,
    mean_of,
    mean_over_rows,
    satterthwaite,
    share_of_rows,
    spread_factor,
    wilson,
)


@pytest.mark.parametrize(("hit", "rows"), [(0, 5), (1, 5), (5, 5), (56, 70), (48, 80), (1, 1)])
def test_wilsons_interval(hit, rows):
    assert wilson(hit / rows, rows) == pytest.approx(proportion_confint(hit, rows, method="wilson"), abs=1e-12)


def test_rows_of_weights_are_worth_fewer():
    w = np.array([3.0, 1.0, 1.0, 1.0])
    found = share_of_rows(np.array([False, True, True, True]), w)
    assert (found.value, found.low, found.high) == (0.5, *wilson(0.5, 36 / 12))
    heavy = share_of_rows(np.array([True, False, False, False, False, False]), np.array([3.0, 1, 1, 1, 1, 1]))
    variance = (9 * (5 / 8) ** 2 + 5 * (3 / 8) ** 2) / 64
    assert (heavy.low, heavy.high) == pytest.approx(wilson(3 / 8, (15 / 64) / variance))
    assert share_of_rows(np.ones(3, bool), np.full(3, 0.1)).value == 1.0
    assert np.isnan(share_of_rows(np.ones(2, bool), np.zeros(2)).value)


def test_newcombes_interval_of_a_difference():
    """Newcombe (1998), table II: 56/70 - 48/80 by method 10."""
    a, b = (Estimate(hit / rows, *wilson(hit / rows, rows)) for hit, rows in ((56, 70), (48, 80)))
    found = difference_of(a, b)
    assert [round(v, 4) for v in (found.value, found.low, found.high)] == [0.2, 0.0524, 0.3339]


def test_the_mean_of_shares_recovers_their_variances():
    shares = [Estimate(0.5, 0.25, 0.875), Estimate(1.0, 0.75, 1.0), Estimate(0.75, 0.5, 0.875)]
    found = mean_of(shares)
    assert found.value == 0.75
    assert found.low == pytest.approx(0.75 - (3 * 0.25**2) ** 0.5 / 3)
    assert found.high == pytest.approx(0.75 + (0.375**2 + 0.125**2) ** 0.5 / 3)
    assert mean_of(shares[:1]) == shares[0]
    assert np.isnan(mean_of([shares[0], Estimate(1.0, np.nan, 1.0)]).low)
    assert np.isnan(mean_of([]).value)


@pytest.mark.parametrize("w", [(1.0, 1.0), (1.0, 2.0, 3.0), (5.0, 1.0, 1.0, 2.0)])
def test_the_spread_is_right_on_average(w):
    """Over all outcomes of a fair coin for each row, whose variance is 1."""
    w = np.array(w)
    outcomes = np.array(list(product((-1.0, 1.0), repeat=len(w))))
    apart = outcomes - (outcomes @ w / w.sum())[:, None]
    assert spread_factor(w) * np.mean(apart**2 @ w**2) == pytest.approx(w @ w)
    assert np.isnan(spread_factor(w[:1]))
    assert np.isnan(spread_factor(np.zeros(2)))


def test_the_mean_over_rows():
    x = np.array([1.0, 4.0, 2.0, 7.0])
    mean, error = mean_over_rows(np.append(x, 99.0), np.array([2.0, 2, 2, 2, 0]))
    assert (mean, error) == pytest.approx((3.5, x.std(ddof=1) / 2))
    assert mean_over_rows(np.array([1.0, 4.0]), np.array([3.0, 1.0]))[0] == 1.75
    assert mean_over_rows(np.append(x, np.inf), np.array([2.0, 2, 2, 2, 0])) == (mean, error)  # a row that does not count
    assert np.isnan(mean_over_rows(x[:1], np.ones(1))[1])
    mean, error = mean_over_rows(np.array([1.0, np.inf]), np.ones(2))
    assert mean == np.inf
    assert np.isnan(error)


@pytest.mark.parametrize("sizes", [[10] * 5, [1, 1, 4], [60] + [4] * 19, [2, 4, 6, 10, 15, 22, 33, 45]])
def test_degrees_of_freedom_of_groups_are_satterthwaites(sizes):
    """From the eigenvalues of the quadratic form of the groups' sums about their mean, if rows are independent."""
    sizes, n = np.array(sizes), sum(sizes)
    about_the_mean = np.repeat(np.eye(len(sizes)), sizes, axis=1) @ (np.eye(n) - 1 / n)
    values = np.linalg.eigvalsh(about_the_mean @ about_the_mean.T)
    assert satterthwaite(sizes * 0.25) == pytest.approx(values.sum() ** 2 / (values**2).sum())


def test_groups_of_unequal_size_are_left_out_one_by_one():
    """The variance is the jackknife's, by refits without each group."""
    draw = np.random.default_rng(0)
    group, x = np.repeat(np.arange(4), [2, 3, 8, 20]), draw.normal(size=33)
    without = np.array([x[group != g].mean() for g in range(4)])
    assert mean_over_rows(x, np.ones(33), group)[1] == pytest.approx(np.sqrt(3 / 4 * ((without - x.mean()) ** 2).sum()))
    assert leverage(np.ones(10), np.repeat(np.arange(5), 2)) == pytest.approx(np.full(10, np.sqrt(5 / 4)))
    assert np.isnan(leverage(np.ones(3), np.zeros(3, int))).all()
    assert np.isnan(satterthwaite(np.array([3.0, 0.0])))


def test_the_standard_error_of_no_error():
    p = 2 / 24
    assert least_se(np.ones(20)) == pytest.approx(np.sqrt(p * (1 - p) / 24))
    assert least_se(np.full(20, 1e-200), 3.0) == pytest.approx(3 * least_se(np.ones(20)))
    assert least_se(np.ones(40), group=np.arange(40) // 2) == pytest.approx(least_se(np.ones(20)))
    costs = np.repeat([1.0, 7.0], 10)
    assert least_se(np.ones(20), costs) == pytest.approx(5 * least_se(np.ones(20)))  # the root mean square of 1 and 7
