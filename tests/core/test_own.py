"""Balls with radii of their own: greedy against loops, exact against all subsets of pairs, bounds in order."""

import numpy as np
import pytest
import reference_own as slow
from queries import query
from test_greedy_forms import FORMS, limit

from protoclass.core import coding, spatial
from protoclass.core.coding import Coding
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.core.parallel import Once
from protoclass.core.setcover import problems
from protoclass.core.setcover.problems import covers, own_radii
from protoclass.core.setcover.solvers import Options, cover_paths
from protoclass.core.sources import Held, Streamed
from protoclass.core.spatial import Spatial
from protoclass.core.task import Task
from protoclass.ground.errors import TooLarge


def problem(seed, n=None, classes=None, places=30):
    """Random and asymmetric, with ties, unlabelled candidates, identical rows and weights."""
    draw = np.random.default_rng(seed)
    n, classes, extra = n or draw.integers(9, 18), classes or draw.integers(2, 4), draw.integers(0, 3)
    D = draw.integers(0, places, (n, n + extra)) * 0.25
    if seed % 3 == 0:
        D[1], D[:, 1] = D[0], D[:, 0]
    y = np.concatenate([np.arange(classes), draw.integers(0, classes, n - classes)])
    w = draw.integers(1, 4, n) * 0.5 if seed % 2 else np.ones(n)
    row = np.r_[np.arange(n), np.full(extra, -1)]
    return Task(Once(lambda D=D: Held(D)), y, int(classes), w, row, (0,)), D


def path_of(task, eps, lambdas, solver="greedy", fold=None, folds=1, **options):
    fold = np.full(len(task.y), -1) if fold is None else fold
    given = Options(solver, own=True, **options)
    return dict(cover_paths(task, fold, folds, np.atleast_1d(eps), np.atleast_1d(lambdas), given))


def balls(rule):
    points = rule.prototypes
    return list(zip(points.at.tolist(), points.radii.tolist(), points.classes.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(10))
def test_greedy_folds_and_predictions_equal_the_loops(seed):
    task, D = problem(seed)
    fold = np.random.default_rng(seed).permutation(np.arange(len(task.y)) % 3)
    eps, lambdas = np.array([2.0, 5.0, 8.0]), np.array([0.0, 0.4, 1.5])
    seen = set()
    for f, path in path_of(task, eps, lambdas, fold=fold, folds=3).items():
        rows = fold != f
        candidates = (task.candidate_row < 0) | rows[task.candidate_row]
        held = np.flatnonzero(~rows)
        asked = query(task.D.take(held, path.prototypes.at))
        said, inside = path.predict("class", asked), path.predict("cover", asked)
        heaviest = int(np.bincount(task.y[rows], task.w[rows], task.classes).argmax())
        for g, (e, lambda_) in enumerate((e, lambda_) for e in eps for lambda_ in lambdas):
            chosen = slow.greedy(D, task.y, e, lambda_, task.w, rows, candidates, task.classes)
            rule = path.at(g)
            assert balls(rule) == chosen
            assert path.size[g] == len(chosen)
            goal = slow.objective(D[rows], task.y[rows], lambda_, task.w[rows], chosen)
            assert rule.report["objective"].value == pytest.approx(goal)
            at, radii, of = zip(*chosen, strict=True) if chosen else ((), (), ())
            assert said[:, g].tolist() == [slow.classify(D[i, list(at)], radii, of, heaviest) for i in held]
            assert inside[:, g].tolist() == [slow.cover(D[i, list(at)], radii, of) for i in held]
            alone = query(D[np.ix_(held, np.array(at, int))])
            assert rule.predict("class", alone).tolist() == said[:, g].tolist()
            assert rule.predict("cover", alone).tolist() == inside[:, g].tolist()
            seen |= set(radii)
    assert len(seen) > 5  # there is something to choose


@pytest.mark.parametrize("seed", range(8))
def test_exact_is_the_least_of_all_subsets_and_bounds_are_in_order(seed):
    task, D = problem(seed, n=7 + seed % 3, classes=2, places=12)
    for eps, lambda_ in ((1.5, 0.1), (2.5, 0.0), (2.5, 0.7), (3.0, 2.0)):
        least = slow.least_objective(D, task.y, eps, lambda_, task.w)
        value, bound = {}, {}
        for solver in ("greedy", "exact", "rounding", "ratio"):
            rule = path_of(task, eps, lambda_, solver, certify=True)[0].at(0)
            value[solver] = rule.report["objective"].value
            bound[solver] = rule.report["certificate"].bound.sum()
            assert value[solver] == pytest.approx(slow.objective(D, task.y, lambda_, task.w, balls(rule)))
            assert bound[solver] <= least + 1e-9
            assert value[solver] >= least - 1e-9
        assert value["exact"] == pytest.approx(least)
        assert bound["exact"] == pytest.approx(least)
        assert np.isin(rule.prototypes.radii, own_radii(eps)).all()


def clouds(seed, n=90):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 2))
    y = (X[:, 0] + draw.normal(0, 0.7, n) > 0).astype(int)
    w = draw.uniform(0.5, 2, n) if seed % 2 else np.ones(n)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    return Task(Once(lambda D=D: Held(D)), y, 2, w, np.arange(n), (seed,)), D


@pytest.mark.parametrize("seed", range(4))
def test_own_radii_are_never_worse_than_one_and_the_path_is_nested(seed):
    from protoclass.models.pvm import PVM

    task, _ = clouds(seed)
    lambdas = np.array([0.01, 0.5, 1.0, 3.0])
    for eps in (0.4, 1.2):
        path = path_of(task, eps, lambdas)[0]
        whole = balls(path.at(0))
        assert len({(j, c) for j, _, c in whole}) == len(whole)  # one ball of a class around a candidate
        for g, lambda_ in enumerate(lambdas):
            rule = path.at(g)
            assert balls(rule) == whole[: len(rule.prototypes)]
            assert balls(rule) == balls(path_of(task, eps, lambda_)[0].at(0))
            best = path_of(task, eps, lambda_, "exact")[0].at(0).report["objective"].value
            one = PVM(eps=eps, lambda_=lambda_, solver="exact").path(task, {}).at(0).report["objective"].value
            assert best <= min(one, rule.report["objective"].value) + 1e-9


def test_columns_are_left_out_only_where_a_cover_needs_none():
    """The same covers come from all pairs."""
    task, _ = clouds(2)
    reach = own_radii(1.0)
    some = covers(task, np.full(90, -1), 1, reach, 0.0, own=True)
    assert len(some.candidate) < 0.5 * 24 * 90
    chosen = {
        lambda_: path_of(task, 1.0, lambda_, "exact")[0].at(0).report["objective"].value for lambda_ in (0.1, 1.0)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problems, "useful_columns", lambda gain, wrong, best: gain > 0)
        assert len(covers(task, np.full(90, -1), 1, reach, 0.0, own=True).candidate) > len(some.candidate)
        for lambda_, value in chosen.items():
            assert path_of(task, 1.0, lambda_, "exact")[0].at(0).report["objective"].value == pytest.approx(value)
        every = balls(path_of(task, 1.0, 0.1)[0].at(0))
    assert balls(path_of(task, 1.0, 0.1)[0].at(0)) == every


def test_every_form_of_the_balls_chooses_the_same(monkeypatch):
    task, _ = clouds(1)
    fold, found = np.arange(90) % 3, []
    for form in FORMS:
        with monkeypatch.context() as patch:
            used = limit(patch, form)
            runs = path_of(task, [0.5, 1.5], [0.1], fold=fold, folds=3)
            found.append([balls(runs[f].at(g)) for f in range(3) for g in range(2)])
        assert used == FORMS[form][1]
    assert all(other == found[0] for other in found)


def test_balls_that_memory_does_not_list(monkeypatch):
    task, _ = clouds(1)
    expected = balls(path_of(task, 0.5, 0.1)[0].at(0))
    monkeypatch.setattr(problems, "room", lambda: 1000)
    assert balls(path_of(task, 0.5, 0.1)[0].at(0)) == expected
    with pytest.raises(TooLarge, match="radii='one', candidates=500"):
        path_of(task, 0.5, 0.1, "ratio")


def test_balls_are_open_or_closed():
    D = np.array([[0.0, 2.0, 9.0], [2.0, 0.0, 9.0], [9.0, 9.0, 0.0]])
    task = Task(Once(lambda D=D: Held(D)), np.array([0, 0, 1]), 2, np.ones(3), np.arange(3), (0,))
    assert len(path_of(task, 2.0, 0.1)[0].at(0).prototypes) == 3
    assert len(path_of(task, 2.0, 0.1, closed=True)[0].at(0).prototypes) == 2


@pytest.mark.parametrize("form", FORMS)
def test_tiles_that_leave_pairs_out_choose_what_a_matrix_chooses(form, monkeypatch):
    for module, name, value in (
        (coding, "SIDE", 32),
        (spatial, "SIDE", 32),
        (spatial, "BLOCK", 8),
        (spatial, "WORTH", 2.0),
    ):
        monkeypatch.setattr(module, name, value)
    limit(monkeypatch, form)
    draw = np.random.default_rng(5)
    X = draw.uniform(size=(300, 2)).round(2)
    y, w, fold = (
        (X[:, 0] + draw.normal(0, 0.2, 300) > 0.5).astype(int),
        draw.integers(1, 3, 300) * 1.0,
        np.arange(300) % 3,
    )

    def between(rows, candidates):
        return minkowski(rows[0], candidates[0])

    near = Spatial(Streamed(between, (X,), (X,)), Geometry(), True, None)
    assert not near.tiles(Coding(own_radii(0.06), 13)).complete
    found = []
    for source in (Held(minkowski(X, X)), near):
        task = Task(Once(lambda source=source: source), y, 2, w, np.arange(300), (0,))
        runs = path_of(task, [0.03, 0.06], [0.2, 1.5], fold=fold, folds=3)
        found.append([balls(runs[f].at(g)) for f in range(3) for g in range(4)])
    assert found[0] == found[1]
    assert len(found[0][0]) > 20
