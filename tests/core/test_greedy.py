"""The fast greedy and the fast cross-validation against loops straight from the paper."""

import numpy as np
import pytest
from queries import query
from reference_pvm import classify, cover, greedy

from protoclass.core.parallel import Once
from protoclass.core.setcover.solvers import Options, cover_paths
from protoclass.core.sources import Held
from protoclass.core.task import Task
from protoclass.models.pvm import PVM


def problem(seed):
    """A random problem: asymmetric, n x m with unlabelled candidates, integer distances (ties), duplicates, weights."""
    draw = np.random.default_rng(seed)
    n, classes, extra = draw.integers(8, 22), draw.integers(2, 4), draw.integers(0, 4)
    D = draw.integers(0, 8, (n, n + extra)).astype(float)
    if seed % 3 == 0:  # identical rows, as rows and as candidates
        D[1], D[:, 1] = D[0], D[:, 0]
    if seed % 4 == 1:
        D[:, :n] = (D[:, :n] + D[:, :n].T) / 2
    y = np.concatenate([np.arange(classes), draw.integers(0, classes, n - classes)])
    w = draw.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)
    return Task(
        Once(lambda D=D: Held(D)), y, int(classes), w, np.r_[np.arange(n), np.full(extra, -1)], (0,), Once(lambda: D)
    ), D


def pairs(rule):
    return list(zip(rule.prototypes.at.tolist(), rule.prototypes.classes.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(16))
def test_folds_and_grid_equal_the_loops(seed):
    task, D = problem(seed)
    fold = np.random.default_rng(seed).permutation(np.arange(len(task.y)) % 3)
    eps, lambdas = np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.5, 2.0])
    seen = 0
    for f, path in PVM(eps=eps, lambda_=lambdas).paths(task, fold, 3, {"eps": eps, "lambda_": lambdas}):
        rows = fold != f
        candidates = (task.candidate_row < 0) | rows[task.candidate_row]
        held = np.flatnonzero(~rows)
        told = path.predict("class", query(task.D.take(held, path.prototypes.at)))
        inside = path.predict("cover", query(task.D.take(held, path.prototypes.at)))
        heaviest = int(np.bincount(task.y[rows], task.w[rows], task.classes).argmax())
        for g, (e, lam) in enumerate((e, lam) for e in eps for lam in lambdas):
            slow = greedy(D, task.y, e, lam, task.w, rows, candidates, task.classes)
            assert pairs(path.at(g)) == slow
            assert path.size[g] == len(slow)
            at, classes = [j for j, _ in slow], [c for _, c in slow]
            order = np.argsort(at, kind="stable")  # of equally near prototypes of a class the first row
            at, classes = [at[i] for i in order], [classes[i] for i in order]
            assert told[:, g].tolist() == [classify(D[i, at], classes, heaviest) for i in held]
            assert inside[:, g].tolist() == [cover(D[i, at], classes, e) for i in held]
            seen += 1
    assert seen == 27


def test_folds_in_turns_equal_all_at_once(monkeypatch):
    task = problem(5)[0]
    fold = np.arange(len(task.y))  # leave one out
    eps, lambdas = np.array([1.0, 3.0]), np.array([0.1])
    whole = dict(cover_paths(task, fold, len(fold), eps, lambdas, Options()))
    monkeypatch.setattr("protoclass.core.setcover.solvers.fold_groups", lambda *_: (np.array([f]) for f in fold))
    turns = dict(cover_paths(task, fold, len(fold), eps, lambdas, Options()))
    assert whole.keys() == turns.keys() == set(fold.tolist())
    for f in whole:
        assert all(pairs(whole[f].at(g)) == pairs(turns[f].at(g)) for g in range(2))


def test_a_radius_that_is_a_distance_leaves_that_row_out():
    """The ball is open: `<` and `<=` differ here."""
    D = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 9.0], [9.0, 9.0, 0.0]])
    task = Task(Once(lambda D=D: Held(D)), np.array([0, 0, 1]), 2, np.ones(3), np.arange(3), (0,), Once(lambda: D))
    assert pairs(PVM(eps=1.0).path(task, {}).at(0)) == [(0, 0), (1, 0), (2, 1)]
    assert pairs(PVM(eps=1.0 + 1e-9).path(task, {}).at(0)) == [(0, 0), (2, 1)]
    rule = PVM(eps=1.0).path(task, {}).at(0)
    assert rule.predict("cover", query(np.array([[1.0, 1.0, 1.0]]))).tolist() == [-1]
    assert rule.predict("cover", query(np.array([[0.9, 1.0, 1.0]]))).tolist() == [0]


def test_float32_distances_are_compared_with_the_radius_as_it_is():
    """0.1 is no float32: d = float32(0.1) lies above 0.1 in float64, and must stay outside."""
    D = np.array([[0.0, 0.1], [0.1, 0.0]], np.float32)
    task = Task(Once(lambda D=D: Held(D)), np.array([0, 0]), 1, np.ones(2), np.arange(2), (0,), Once(lambda: D))
    assert len(PVM(eps=0.1).path(task, {}).at(0).prototypes) == 2
    assert len(PVM(eps=float(np.float32(0.1))).path(task, {}).at(0).prototypes) == 2
    assert len(PVM(eps=0.1000001).path(task, {}).at(0).prototypes) == 1


def test_a_task_without_columns_has_none_to_give():
    with pytest.raises(LookupError, match="no columns"):
        Task(Once(lambda: None), np.zeros(2, int), 1, np.ones(2), np.arange(2), (0,)).columns()
