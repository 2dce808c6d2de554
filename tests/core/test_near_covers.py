"""Costs of forbidding and forcing candidates against enumeration of all covers, and prices of rows against another solver."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from protoclass.core.parallel import Once
from protoclass.core.setcover.alternatives import find_alternatives, price_rows
from protoclass.core.sources import Held
from protoclass.core.task import Task
from protoclass.models.pvm import PVM


def task_of(seed, n, extra=0, weights=False, classes=2, top=6):
    """Small whole numbers as dissimilarities, asymmetric, so that many candidates tie."""
    draw = np.random.default_rng(seed)
    D = draw.integers(0, top, (n, n + extra)).astype(float)
    y = np.concatenate([np.arange(classes), draw.integers(0, classes, n - classes)])
    w = draw.integers(1, 4, n) * 0.5 if weights else np.ones(n)
    allowed = np.where(np.arange(n + extra) < n, y[np.arange(n + extra) % n], -1) if seed % 5 == 4 else None
    row = np.r_[np.arange(n), np.full(extra, -1)]
    return Task(Once(lambda D=D: Held(D)), y, classes, w, row, (0,), Once(lambda: D), allowed_class=allowed), D


def covers_of(task, D, eps, lambda_, c):
    """All covers of a class, bool (2^m, m), with their objectives, and the rows of the class in each ball."""
    own, inside = task.y == c, eps > D
    cost = lambda_ + task.w[~own] @ inside[~own]
    m = D.shape[1]
    covers = np.array(list(itertools.product([False, True], repeat=m)))
    if task.allowed_class is not None:
        covers = covers[~covers[:, (task.allowed_class >= 0) & (task.allowed_class != c)].any(axis=1)]
    uncovered = covers.astype(int) @ inside[own].T.astype(int) == 0
    return covers, covers @ cost + uncovered @ task.w[own], inside[own]


def cases():
    for seed in range(6):
        task, D = task_of(seed, 4 + seed % 4, seed % 3, seed % 2 == 1, 2 + seed % 2)
        for eps, lambda_ in itertools.product((2.0, 4.0), (1 / len(task.y), 0.37 * (seed % 2))):
            solver = ("greedy", "exact")[seed % 2]
            rule = PVM(eps=eps, lambda_=lambda_, solver=solver).path(task, {}).at(0)
            yield task, D, eps, lambda_, (0.0, 0.1, 0.5)[seed % 3], rule
    task, D = task_of(30, 8)  # others would be of use outside the place that only the substitute may hold
    yield task, D, 2.0, 0.37, 1.0, PVM(eps=2.0, lambda_=0.37).path(task, {}).at(0)


def truth(task, D, eps, lambda_, within, rule):
    """Optimum; cost to leave each prototype out, to have it, and of each substitute; by enumeration."""
    at, classes = rule.prototypes.at, rule.prototypes.classes
    by_class = [covers_of(task, D, eps, lambda_, c) for c in range(task.classes)]
    least = [values.min() for _, values, _ in by_class]
    without, having, substitutes = [], [], []
    for j, c in zip(at, classes, strict=True):
        covers, values, inside = by_class[c]
        without.append(values[~covers[:, j]].min() - least[c])
        having.append(values[covers[:, j]].min() - least[c])
        place = inside[:, j] & ~inside[:, [k for k in at[classes == c] if k != j]].any(axis=1)
        holds = (inside & place[:, None]).any(axis=0)
        costs = {}
        for k in np.flatnonzero(holds & (np.arange(D.shape[1]) != j)):
            others = np.flatnonzero(holds & (np.arange(D.shape[1]) != k))
            fine = covers[:, k] & ~covers[:, others].any(axis=1) & ~covers[:, j]
            if fine.any() and values[fine].min() - least[c] <= within * sum(least) + 1e-9:
                costs[k] = values[fine].min() - least[c]
        substitutes.append(costs)
    return sum(least), without, having, substitutes


def answers(task, eps, lambda_, within, rule, seconds, interest=()):
    chosen, reached = (rule.prototypes.at, rule.prototypes.classes), rule.report["objective"].value
    return find_alternatives(task, eps, lambda_, chosen, reached, within, seconds, np.array(interest, np.int64))


def test_costs_equal_enumeration():
    """Remove, force, put in place, resolve: with ties, weights, asymmetric matrices, unlabelled and own-class candidates."""
    substitutes = 0
    for task, D, eps, lambda_, within, rule in cases():
        optimum, without, having, costs = truth(task, D, eps, lambda_, within, rule)
        found = answers(task, eps, lambda_, within, rule, 60.0)
        assert found.optimum.exact
        assert found.optimum.most == pytest.approx(optimum)
        for mine, theirs in ((found.without, without), (found.having, having)):
            assert all(one.exact for one in mine)
            assert [one.most for one in mine] == pytest.approx(theirs)
        for mine, theirs in zip(found.substitutes, costs, strict=True):
            assert {j: one.most for j, one in mine} == pytest.approx(theirs)
            assert all(one.exact for _, one in mine)
        assert not found.unsettled.any()
        substitutes += sum(map(len, costs))
    assert substitutes > 40


def test_candidates_that_are_forced_in_equal_enumeration():
    for task, D, eps, lambda_, within, rule in itertools.islice(cases(), 15):
        every = np.arange(D.shape[1])
        found = answers(task, eps, lambda_, within, rule, 60.0, every)
        by_class = [covers_of(task, D, eps, lambda_, c) for c in range(task.classes)]
        for j, (c, cost) in zip(every, found.forced, strict=True):
            covers, values, _ = by_class[c]
            assert cost.exact
            assert cost.most == pytest.approx(values[covers[:, j]].min() - values.min())


def test_without_time_the_bounds_hold_the_truth():
    open_ = 0
    for task, D, eps, lambda_, within, rule in cases():
        optimum, without, having, costs = truth(task, D, eps, lambda_, within, rule)
        found = answers(task, eps, lambda_, within, rule, 0.0)
        assert found.optimum.least - 1e-9 <= optimum <= found.optimum.most + 1e-9
        for mine, theirs in ((found.without, without), (found.having, having)):
            assert all(a.least - 1e-9 <= b <= a.most + 1e-9 for a, b in zip(mine, theirs, strict=True))
            open_ += sum(not a.exact for a in mine)
        for mine, theirs, left in zip(found.substitutes, costs, found.unsettled, strict=True):
            assert {j for j, _ in mine} <= set(theirs)
            assert len(theirs) <= len(mine) + left
    assert open_ > 0


@pytest.mark.parametrize("seed", range(6))
def test_prices_are_an_optimal_dual_solution(seed):
    """Feasible for every candidate and class, and their sum is the optimum of the relaxation by another solver."""
    task, D = task_of(seed, 14, weights=seed % 2 == 1, classes=2 + seed % 2, top=9)
    eps, lambda_ = 3.0, 0.3
    inside = eps > D
    nobody = np.empty(0, np.int64)
    price, uncovered, wrong = price_rows(task, eps, lambda_, (nobody, nobody), 60.0)
    assert uncovered.all()
    assert not wrong.any()
    assert (price >= 0).all()
    assert (price <= task.w + 1e-12).all()
    for c in range(task.classes):
        own = task.y == c
        if task.allowed_class is not None:
            inside = (eps > D) & (task.allowed_class == c)
        cost = lambda_ + task.w[~own] @ (eps > D)[~own]
        assert (price[own] @ inside[own] <= cost + 1e-9).all()
        b = own.sum()
        A = np.hstack([inside[own], np.eye(b)])
        peer = linprog(np.r_[cost, task.w[own]], A_ub=-A, b_ub=-np.ones(b)).fun
        assert price[own].sum() == pytest.approx(peer)


def test_wrong_balls_add_the_weight_of_the_row():
    task, D = task_of(1, 12, weights=True)
    rule = PVM(eps=3.0, lambda_=0.1).path(task, {}).at(0)
    at, classes = rule.prototypes.at, rule.prototypes.classes
    nobody = np.empty(0, np.int64)
    alone = price_rows(task, 3.0, 0.1, (nobody, nobody), 60.0)[0]
    price, uncovered, wrong = price_rows(task, 3.0, 0.1, (at, classes), 60.0)
    inside, own = D[:, at] < 3.0, task.y[:, None] == classes
    assert wrong.tolist() == (inside & ~own).sum(axis=1).tolist()
    assert uncovered.tolist() == (~(inside & own).any(axis=1)).tolist()
    assert price == pytest.approx(alone + task.w * wrong)
    assert wrong.any()
    goal = rule.report["objective"]
    assert goal.uncovered == pytest.approx(task.w[uncovered].sum())
    assert goal.miscovered == pytest.approx((task.w * wrong).sum())
