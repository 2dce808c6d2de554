"""Exact, rounded and certified covers against brute force, the definition, and one another."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from reference_pvm import objective
from scipy.optimize import linprog

import protoclass as pc
from protoclass.core.parallel import Once
from protoclass.core.setcover.problems import covers
from protoclass.core.setcover.program import Stop, draw, dual_bound, highs
from protoclass.core.setcover.solvers import program_of
from protoclass.core.sources import Held
from protoclass.core.task import Task
from protoclass.models.pvm import PVM


def task_of(seed, n, extra=0, weights=False, top=8):
    draw = np.random.default_rng(seed)
    D = draw.integers(0, top, (n, n + extra)).astype(float)
    y = np.concatenate([[0, 1], draw.integers(0, 2, n - 2)])
    w = draw.integers(1, 4, n) * 0.5 if weights else np.ones(n)
    return Task(Once(lambda D=D: Held(D)), y, 2, w, np.r_[np.arange(n), np.full(extra, -1)], (0,), Once(lambda: D)), D


def best_by_enumeration(D, y, eps, lambda_, w):
    """The least objective over all subsets of candidates, class by class."""
    total = 0.0
    for c in np.unique(y):
        inside, own = eps > D, y == c
        cost = lambda_ + w[~own] @ inside[~own]
        total += min(
            sum(cost[list(some)]) + w[own][~inside[own][:, list(some)].any(axis=1)].sum()
            for size in range(D.shape[1] + 1)
            for some in itertools.combinations(range(D.shape[1]), size)
        )
    return total


@pytest.mark.parametrize("seed", range(12))
def test_exact_equals_enumeration(seed):
    task, D = task_of(seed, 5 + seed % 4, extra=seed % 3, weights=seed % 2 == 1, top=6)
    for eps, lambda_ in itertools.product((1.0, 2.0, 4.0), (0.0, 1 / len(task.y), 0.37, 2.0)):
        rule = PVM(eps=eps, lambda_=lambda_, solver="exact").path(task, {}).at(0)
        found = rule.report["objective"].value
        chosen = list(zip(rule.prototypes.at, rule.prototypes.classes, strict=True))
        assert found == pytest.approx(objective(D, task.y, eps, lambda_, task.w, chosen))
        assert found == pytest.approx(best_by_enumeration(D, task.y, eps, lambda_, task.w))
        assert rule.report["certificate"].gap == 0
        assert rule.report["certificate"].objective.sum() == pytest.approx(found)


def cases():
    for seed in range(6):
        draw = np.random.default_rng(seed)
        X = draw.normal(size=(90, 2))
        y = (X[:, 0] + draw.normal(0, 0.7, 90) > 0).astype(int)
        w = draw.uniform(0.5, 2, 90) if seed % 2 else np.ones(90)
        D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
        yield Task(Once(lambda D=D: Held(D)), y, 2, w, np.arange(90), (seed,), Once(lambda: None)), D


def programs(eps=0.8, lambda_=0.2):
    for task, _ in cases():
        problems = covers(task, np.full(90, -1), 1, np.array([eps]), lambda_)
        for c in range(2):
            yield program_of(problems, 0, 0, c, lambda_ / problems.unit)[0], problems.unit


def test_bounds_are_those_of_the_relaxation():
    for program, _ in programs():
        b = len(program.prize)
        A = np.hstack([program.covers.toarray().T, np.eye(b)])
        peer = linprog(np.r_[program.cost, program.prize], A_ub=-A, b_ub=-np.ones(b)).fun
        _, y, *_ = highs(program, False, 60, Stop())
        assert program.bound(y)[0] == pytest.approx(peer, rel=1e-6)
        raised = dual_bound(program).value
        assert 0.9 * peer <= raised <= peer + 1e-9 * peer
        assert program.bound(np.random.default_rng(0).uniform(-1, 3, b) * program.prize)[0] <= peer + 1e-6


def test_rounding_obeys_the_bound_of_the_papers_appendix():
    """E[objective] <= (weight of the class) / e + the relaxation's optimum."""
    for program, _ in programs():
        x, y, *_ = highs(program, False, 60, Stop())
        drawn, values = draw(program, np.clip(x, 0, 1), 4000, (1,))
        assert drawn.mean(axis=0) == pytest.approx(np.clip(x, 0, 1), abs=0.05)
        assert values[7] == pytest.approx(program.objective(drawn[7]))
        assert values.mean() <= program.prize.sum() / np.e + program.bound(y)[0]


def test_a_time_limit_gives_a_cover_and_a_true_gap():
    draw = np.random.default_rng(0)
    data = pd.DataFrame(draw.uniform(size=(700, 2)), columns=["a", "b"]).assign(
        y=draw.choice(["u", "v"], 700, p=[0.9, 0.1])
    )
    options = {"eps": 0.11, "lambda_": 3.0, "solver": "exact", "dissimilarity": pc.Euclidean(scale=False)}
    short = pc.fit("y ~ .", data, time_limit=0.1, **options)
    assert short.certificate.gap >= 0
    assert short.certificate.bound.sum() <= short.objective.value + 1e-9
    assert short.certificate.objective.sum() == pytest.approx(short.objective.value)
    none = pc.fit("y ~ .", data, time_limit=0, **options)
    assert none.certificate.bound.sum() <= short.objective.value + 1e-9
    assert "optimum" in str(none.summary()) or "optimal" in str(none.summary())


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_during_an_exact_solve_leaves_the_process_usable(iris):
    draw = np.random.default_rng(0)
    data = pd.DataFrame(draw.uniform(size=(2500, 2)), columns=["a", "b"]).assign(
        y=draw.choice(["u", "v"], 2500, p=[0.9, 0.1])
    )

    def long():
        pc.fit("y ~ .", data, eps=0.06, lambda_=3.0, solver="exact", dissimilarity=pc.Euclidean(scale=False))
        time.sleep(30)  # should it have been solved already, the interrupt still comes here

    timer = threading.Timer(3.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        long()
    assert time.monotonic() - start < 40  # its time limit is 60 s for each class
    assert pc.fit("species ~ .", iris, eps=1.0, solver="exact").certificate.gap == 0


@pytest.mark.long
def test_usps_is_solved_to_optimality(papers_data):
    """Objectives that the trial runs proved optimal."""
    data = pc.fetch_data("usps")
    train = data[data.split == "train"].drop(columns="split")
    for eps, best in ((5.45, 15.6786), (10.0, 571.1046)):
        fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=eps, solver="exact")
        assert fit.objective.value == pytest.approx(best, rel=1e-4)
        assert fit.certificate.gap == 0


def test_union_rounding_says_how_often_it_drew(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0, solver="rounding", rounding="union")
    assert "union draws" in str(fit.summary())
    assert fit.certificate.bound.sum() <= fit.objective.value
    with pytest.raises(pc.errors.OptionError, match=r"rounding must be .*not 'all'"):
        pc.fit("species ~ .", iris, eps=1.0, solver="rounding", rounding="all")
