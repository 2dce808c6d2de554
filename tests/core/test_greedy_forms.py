"""The lazy greedy on codes, on lists, and that of small problems, against a greedy that keeps all gains."""

import numpy as np
import pytest

import protoclass as pc
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.core.parallel import Once
from protoclass.core.setcover import balls, greedy, problems
from protoclass.core.setcover.problems import covers
from protoclass.core.setcover.solvers import Options, cover_paths
from protoclass.core.sources import Held, Spatial, Streamed
from protoclass.core.task import Task

# by name: what is limited
FORMS = {
    "together": {(greedy, "few"): lambda steps: True},
    "codes": {},
    "codes read again": {(balls, "KEPT"): 0},
    "lists": {(balls, "KEPT"): 0, (balls, "PER_PAIR"): 1e-9},
}


def limit(monkeypatch, form):
    """Set the limits of a form."""
    for (module, name), value in {(greedy, "few"): lambda steps: False, **FORMS[form]}.items():
        monkeypatch.setattr(module, name, value)


def problem(seed):
    """A random problem with ties: asymmetric, n x m, duplicates, weights of several kinds, fixed classes."""
    draw = np.random.default_rng(seed)
    n, classes, extra = draw.integers(20, 150), draw.integers(1, 5), draw.integers(0, 9)
    D = draw.integers(0, 40, (n, n + extra)).astype((np.float32, float)[seed % 2])
    D[np.arange(n), np.arange(n)] = 0
    D[1], D[:, 1] = D[0], D[:, 0]
    y = np.concatenate([np.arange(classes), draw.integers(0, classes, n - classes)])
    w = [np.ones(n), np.full(n, 2.5), draw.integers(0, 4, n) / 10, draw.random(n), draw.exponential(size=n) ** 9][
        seed % 5
    ]
    w[: n // 2] = np.maximum(w[: n // 2], 0.1)
    allowed = np.r_[y, np.full(extra, -1)] if seed % 4 == 3 else None
    task = Task(
        Once(lambda: Held(D)), y, int(classes), w, np.r_[np.arange(n), np.full(extra, -1)], (0,), Once(lambda: D), allowed
    )  # fmt: skip
    fold = np.where(draw.random(n) < 0.1, -1, draw.integers(0, 3, n))
    return task, D, fold, np.sort(draw.choice(np.arange(0.5, 30), draw.integers(1, 9), replace=False))


def all_gains(built, inside, f, k, c, cost):
    """Steps of one class: every gain is lowered for every row that becomes covered."""
    left = (built.task.y == c) & (built.fold != f)
    gain = np.where(built.best[f, k] == c, built.gain[f, k], -np.inf)
    order, gains = [], []
    while gain.max() > cost:
        j = int(gain.argmax())
        order.append(j)
        gains.append(gain[j])
        new = left & inside[:, j]
        left &= ~new
        gain -= built.w[new] @ inside[new]
        gain[j] = -np.inf
    return order, gains


@pytest.mark.parametrize("form", FORMS)
def test_every_form_takes_the_steps_of_all_gains(form, monkeypatch):
    limit(monkeypatch, form)
    steps = 0
    for seed in range(8):
        task, D, fold, radii = problem(seed)
        built = covers(task, fold, 3, radii, 0.0)
        for cost in (0.0, 1.0, 7.5):
            found = greedy.greedy_steps(built, cost)
            for k, f in np.ndindex(len(radii), 3):
                run = found.chosen(built, f, k)
                for c in range(task.classes):
                    order, gains = all_gains(built, np.less(D, radii[k]), f, k, c, cost)
                    of_class = run.take(run.classes == c)
                    assert of_class.at.tolist() == order
                    assert (of_class.covers - of_class.wrong).tolist() == gains
                    steps += len(order)
    assert steps > 800


def told(paths):
    return {
        f: [tuple(part.tolist() for part in (r.at, r.classes, r.covers, r.wrong)) for r in path.runs]
        for f, path in paths
    }


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("closed", [False, True])
def test_every_form_gives_the_same_paths(form, closed, monkeypatch):
    """Folds, radii, lambdas; balls with their boundary, on which many rows lie."""
    tasks = [problem(seed) for seed in range(20, 26)]
    lambdas, options = np.array([0.0, 0.3, 2.0]), Options(closed=closed)

    def paths():
        return [told(cover_paths(task, fold, 3, np.ceil(radii), lambdas, options)) for task, _, fold, radii in tasks]

    first = paths()
    limit(monkeypatch, form)
    assert paths() == first


def coordinates(n, decimals):
    """Rows in the plane, and the same with all dissimilarities given."""
    draw = np.random.default_rng(n)
    X = draw.normal(size=(n, 2)).round(decimals)
    y = draw.integers(0, 3, n)
    w = draw.integers(1, 4, n).astype(float)
    X[5:60] = X[4]

    def between(a, b):
        return minkowski(a[0], b[0])

    near = Spatial(Streamed(between, (X,), (X,)), Geometry(), True, None)
    given = Held(between((X,), (X,)))
    return [Task(Once(lambda s=s: s), y, 3, w, np.arange(n), (0,), Once(lambda: X)) for s in (near, given)]


def test_near_pairs_give_the_covers_of_all_pairs(monkeypatch):
    near, given = coordinates(600, 1)
    radii, fold, lambdas = np.array([0.1, 0.2, 0.35]), np.arange(600) % 3, np.array([0.0, 1.0])
    expected = told(cover_paths(given, fold, 3, radii, lambdas, Options()))
    monkeypatch.setattr(balls, "KEPT", 0)
    monkeypatch.setattr(balls, "COSTLY", 1)
    assert all(of_class.lists[2].size for of_class in covers(near, fold, 3, radii, 0.0).classes)
    assert all(of_class.codes.size for of_class in covers(given, fold, 3, radii, 0.0).classes)
    limit(monkeypatch, "codes")
    assert told(cover_paths(near, fold, 3, radii, lambdas, Options())) == expected


def test_only_greedy_covers_do_without_lists_of_too_many_pairs(iris, monkeypatch):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    monkeypatch.setattr(problems, "HELD", 100)
    assert pc.fit("species ~ .", iris, eps=1.0).prototypes.equals(fit.prototypes)
    for slow in ({"solver": "ratio"}, {"solver": "exact"}, {"solver": "rounding"}, {"certify": True}):
        with pytest.raises(pc.errors.TooLargeError, match=r"solver='greedy' without certify=.*smaller radii, candidates=500"):
            pc.fit("species ~ .", iris, eps=1.0, **slow)


def test_a_class_without_candidates_takes_no_steps():
    task, *_ = problem(0)
    none = covers(task, np.full(len(task.y), -1), 1, np.array([3.0]), 1e6)
    for c, one in enumerate(none.classes):
        assert len(one.candidates) == 0
        assert not any(map(len, greedy.take_steps(none, c, 0, np.arange(1), 1e6)))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_ratio_rule_without_a_cost_reaches_the_optimum(iris):
    """Candidates that cost nothing and cover nothing new divided 0 by 0, and ended the search."""
    ratio, best = (pc.fit("species ~ .", iris, eps=1.0, solver=solver, lambda_=0).objective for solver in ("ratio", "exact"))
    assert ratio.uncovered + ratio.miscovered == best.uncovered + best.miscovered == 11
