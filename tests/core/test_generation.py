"""Column generation against the program of all candidates, solved by SciPy or at once, and its passes against plain NumPy."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from reference_pvm import objective
from scipy.optimize import linprog

import protoclass as pc
from protoclass.core import spatial
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.core.parallel import Once
from protoclass.core.setcover import column_generation, solvers
from protoclass.core.setcover.balls import Sets
from protoclass.core.setcover.column_generation import generate, price
from protoclass.core.setcover.greedy import greedy, greedy_steps
from protoclass.core.setcover.problems import covers
from protoclass.core.setcover.program import Stop, step_of
from protoclass.core.sources import Held, Streamed
from protoclass.core.spatial import Spatial
from protoclass.core.task import Task
from protoclass.models.pvm import PVM


def task_of(seed, n=40, classes=3, extra=0, weights=False):
    """Whole-numbered dissimilarities with many ties, which are neither symmetric nor 0 on the diagonal."""
    draw = np.random.default_rng(seed)
    D = draw.integers(0, 12, (n, n + extra)).astype(float)
    y = np.concatenate([np.arange(classes), draw.integers(0, classes, n - classes)])
    D -= 3 * (y[:, None] == np.r_[y, draw.integers(0, classes, extra)])
    w = draw.integers(0, 5, n) * 0.5 if weights else np.ones(n)
    w[:classes] = 1.0
    rows = np.r_[np.arange(n), np.full(extra, -1)]
    return Task(Once(lambda: Held(np.maximum(D, 0.0))), y, classes, w, rows, (seed,)), np.maximum(D, 0.0)


def relaxation(D, y, w, eps, lambda_, c):
    """The optimum of one class's relaxation over all candidates, from the paper's formula."""
    inside, own = eps > D, y == c
    cost = lambda_ + w[~own] @ inside[~own]
    A = np.hstack([inside[own], np.eye(own.sum())])
    return linprog(np.r_[cost, w[own]], A_ub=-A, b_ub=-np.ones(own.sum())).fun


def generated(task, eps, lambda_, integer=False, fold=None):
    fold = np.full(len(task.y), -1) if fold is None else fold
    problems = covers(task, fold, 1, np.array([eps]), lambda_)
    cost = lambda_ / problems.unit
    run = greedy(problems, greedy_steps(problems, cost), 0, np.array([lambda_]))[0]
    chosen = [run.at[run.classes == c] for c in range(task.classes)]
    return generate(problems, 0, 0, cost, chosen, 60.0, Stop(), integer), problems.unit


@pytest.fixture
def few(monkeypatch):
    """Programs that begin with the greedy cover and one more candidate of each class, however few there are in all."""
    monkeypatch.setattr(column_generation, "SAMPLE", 1)
    monkeypatch.setattr(solvers, "fits", lambda problems: False)


@pytest.mark.parametrize("seed", range(10))
def test_every_pass_bounds_the_relaxation_and_the_last_one_reaches_it(seed, monkeypatch):
    monkeypatch.setattr(column_generation, "SAMPLE", 1)
    task, D = task_of(seed, classes=2 + seed % 2, extra=10 * (seed % 3), weights=seed % 4 > 1)
    passes = 0
    for eps, lambda_ in ((2.0, 0.025), (4.0, 0.3), (6.0, 1.7), (3.0, 0.0)):
        found, unit = generated(task, eps, lambda_)
        peer = [relaxation(D, task.y, task.w, eps, lambda_, c) for c in range(task.classes)]
        best = PVM(eps=eps, lambda_=lambda_, solver="exact").path(task, {}).at(0).report["certificate"].objective
        step = step_of(lambda_ / unit) * unit  # a bound is raised to the next possible objective
        assert found.optimal.all()
        assert (np.diff(found.bounds, axis=0) >= 0).all()
        assert (found.bounds * unit <= np.array(peer) + step + 1e-6).all()
        assert (found.bounds * unit <= best + 1e-9).all()
        assert (found.bound * unit >= np.array(peer) * (1 - 1e-5) - 1e-9).all()
        passes += len(found.bounds)
    assert passes > 4


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("solver", ["exact", "rounding", "greedy"])
@pytest.mark.parametrize("seed", range(6))
def test_solvers_equal_those_that_list_all_balls(seed, solver, monkeypatch):
    task, D = task_of(seed, extra=8 * (seed % 2), weights=seed % 3 == 1)
    for eps, lambda_, balls in ((3.0, 1 / 40, "open"), (4.0, 0.37, "closed"), (5.0, 2.0, "open"), (3.0, 0.0, "closed")):
        model = PVM(eps=eps, lambda_=lambda_, solver=solver, certify=True, balls=balls)
        rule = model.path(task, {}).at(0)
        with monkeypatch.context() as patch:
            patch.setattr(solvers, "fits", column_generation.fits)
            best = PVM(eps=eps, lambda_=lambda_, solver="exact", balls=balls).path(task, {}).at(0)
            peer = model.path(task, {}).at(0)
        found, certificate = rule.report["objective"].value, rule.report["certificate"]
        chosen = list(zip(rule.prototypes.at, rule.prototypes.classes, strict=True))
        reach = np.nextafter(eps, 9) if balls == "closed" else eps
        assert found == pytest.approx(objective(D, task.y, reach, lambda_, task.w, chosen))
        assert certificate.objective.sum() == pytest.approx(found)
        assert certificate.bound.sum() <= best.report["objective"].value + 1e-9
        assert certificate.bound.sum() >= relaxed_bound(D, task, reach, lambda_) - 1e-5
        if solver == "exact":
            assert found == pytest.approx(best.report["objective"].value)
            assert certificate.gap == 0
        if solver == "greedy":
            assert rule.prototypes.at.tolist() == peer.prototypes.at.tolist()


def relaxed_bound(D, task, eps, lambda_):
    return sum(relaxation(D, task.y, task.w, eps, lambda_, c) for c in range(task.classes))


@pytest.mark.usefixtures("few")
def test_folds_and_grids_are_solved_as_with_lists(iris, monkeypatch):
    def errors():
        v = pc.cross_validate("species ~ .", iris, solver="exact", eps=[0.8, 1.2], lambda_=[0.013, 2.0], cv=3)
        return v.table[["eps", "lambda_", "size"]]

    generated = errors()
    monkeypatch.setattr(solvers, "fits", column_generation.fits)
    pd.testing.assert_frame_equal(generated, errors())


DIGITS = {24.0: 10.16, 30.5: 65.06, 34.4: 203.0, 38.1: 428.0}


@pytest.mark.usefixtures("few")
def test_digits_from_a_few_candidates_of_each_class(monkeypatch):
    """The relaxation over all 1797 rows, which was solved at once before, and how much of it a program of 30 a class knows."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    monkeypatch.setattr(column_generation, "SAMPLE", 30)
    task = Task(Once(lambda: Held(minkowski(X, X))), y, 10, np.ones(len(y)), np.arange(len(y)), (0,))
    for eps, optimum in DIGITS.items():
        found, _ = generated(task, eps, 1 / len(y), integer=True)
        assert found.optimal.all()
        assert found.bound.sum() == pytest.approx(optimum, rel=5e-4)
        assert 2 <= len(found.bounds) <= 10
        assert found.bounds[0].sum() < 0.999 * optimum
        sizes = [len(one.candidates) for one in found.problems.classes]
        assert max(sizes) <= 183


@pytest.mark.long
@pytest.mark.usefixtures("few")
def test_usps_from_few_candidates_is_solved_to_the_same_optimum(papers_data, monkeypatch):
    monkeypatch.setattr(column_generation, "SAMPLE", 100)
    data = pc.fetch_data("usps")
    train = data[data.split == "train"].drop(columns="split")
    fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=10.0, solver="exact")
    assert fit.objective.value == pytest.approx(571.1046, rel=1e-6)
    assert fit.certificate.gap == 0


def twin(D, y, c, prices, cost, eps):
    """Sums, factors and the lower bounds of one class's prices, with the full matrix at hand."""
    inside = (eps > D)[y == c]
    sums = prices @ inside
    broken = sums > cost
    share = np.where(broken, cost / np.where(broken, sums, 1.0), 1.0)
    factor = np.where(inside, share, 1.0).min(axis=1, initial=1.0)
    worst = np.where(factor < 1, np.where(inside, share, 2.0).argmin(axis=1), -1)
    return sums, factor, worst


SOURCES = ["held", "near tiles", "blocks of rows"]


def task_from(source, draw, n, monkeypatch):
    """A task of three classes that is read in one of three ways, its matrix, and a radius."""
    X = draw.integers(0, 300, (n, 1 if source == "near tiles" else 9)) / 300.0
    D = minkowski(X, X)
    monkeypatch.setattr(spatial, "BLOCK", 16)
    near = Spatial(Streamed(lambda a, b: minkowski(a[0], b[0]), (X,), (X,)), Geometry(), True, None)
    y = draw.integers(0, 3, n)
    task = Task(Once(lambda: Held(D) if source == "held" else near), y, 3, np.ones(n), np.arange(n), (0,))
    return task, D, 0.05 if source == "near tiles" else 0.9


@pytest.mark.parametrize("source", SOURCES)
def test_a_pass_equals_plain_numpy(source, monkeypatch):
    draw, n = np.random.default_rng(3), 1500
    task, D, eps = task_from(source, draw, n, monkeypatch)
    y = task.y
    problems = covers(task, np.full(n, -1), 1, np.array([0.01, eps]), 0.0)
    assert problems.balls.complete == (source != "near tiles")
    sets = tuple(Sets(np.arange(n), np.flatnonzero(y == c)) for c in range(3))
    prices = [draw.integers(0, 9, len(one.rows)) / 8 for one in sets]
    costs = [draw.integers(1, 40, n) / 2 for _ in sets]
    found = price(problems.balls, [problems.columns(one, 1) for one in sets], prices, costs)
    for c, (y_c, cost) in enumerate(zip(prices, costs, strict=True)):
        sums, factor, worst = twin(D, y, c, y_c, cost, eps)
        assert (found[c].reduced == cost - sums).all()
        assert (found[c].factor == factor).all()
        assert (found[c].worst == worst).all()
        assert (factor < 1).any()
        assert ((y_c * factor) @ (eps > D)[y == c] <= cost + 1e-9).all()  # what the bound rests on
        assert found[c].bound >= max((y_c * factor).sum(), y_c.sum() + np.minimum(0, cost - sums).sum()) - 1e-9


def test_a_pass_that_takes_too_long_is_given_up():
    task, _ = task_of(0)
    problems = covers(task, np.full(40, -1), 1, np.array([4.0]), 0.0)
    prices = [np.ones(len(one.rows)) for one in problems.classes]
    costs = [np.ones(len(one.candidates)) for one in problems.classes]
    columns = [problems.columns(one, 0) for one in problems.classes]
    assert price(problems.balls, columns, prices, costs, end=-1.0) is None


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("most", [5.0, 100.0, 200.0])
def test_memory_that_takes_no_more_candidates_leaves_a_cover_with_a_true_bound(monkeypatch, most):
    task, _ = task_of(1, n=60)
    best = PVM(eps=4.0, lambda_=0.1, solver="exact").path(task, {}).at(0).report["objective"].value
    monkeypatch.setattr(column_generation, "most_entries", lambda: most)
    for solver in ("exact", "rounding", "greedy"):
        rule = PVM(eps=4.0, lambda_=0.1, solver=solver, certify=True).path(task, {}).at(0)
        certificate = rule.report["certificate"]
        assert rule.report["objective"].value >= best - 1e-9
        assert certificate.objective.sum() == pytest.approx(rule.report["objective"].value)
        assert 0 < certificate.bound.sum() <= best + 1e-9


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("solver", ["exact", "rounding", "greedy"])
def test_without_time_there_is_a_cover_and_the_bound_of_one_pass(solver):
    task, D = task_of(2)
    rule = PVM(eps=4.0, lambda_=0.1, solver=solver, certify=True, time_limit=0).path(task, {}).at(0)
    assert 0 < rule.report["certificate"].bound.sum() <= relaxed_bound(D, task, 4.0, 0.1) + 0.3


@pytest.mark.parametrize("options", [{"solver": "exact"}, {"certify": True}, {"solver": "rounding"}])
def test_a_sample_of_candidates_has_a_certificate_over_all_rows(iris, options):
    """The bound over all rows is that of the fit with all rows; the cover is proved against its own candidates as well."""
    given = {"eps": 0.9, "lambda_": 0.4, **options}
    best = pc.fit("species ~ .", iris, solver="exact", eps=0.9, lambda_=0.4)
    full = pc.fit("species ~ .", iris, certify=True, eps=0.9, lambda_=0.4)
    fit = pc.fit("species ~ .", iris, candidates=30, **given)
    certificate = fit.certificate
    assert full.certificate.bound.sum() * (1 - 1e-5) <= certificate.bound.sum() <= best.objective.value + 1e-9
    assert certificate.objective.sum() == pytest.approx(fit.objective.value)
    assert certificate.sampled.bound.sum() >= certificate.bound.sum()
    gap = 100 * (fit.objective.value / certificate.bound.sum() - 1)
    text = f"{fit.objective.value:.6g}, at most {float(f'{gap:.2g}'):g} % above the optimum over all 150 rows"
    assert text in str(fit)
    assert "over the 30 candidates" in str(fit)
    assert "over all 150 rows" in str(fit.summary())
    assert str(pickle.loads(pickle.dumps(fit)).certificate) == str(certificate)


def test_where_the_time_is_over_the_bound_is_over_the_sample_and_says_so(iris):
    fit = pc.fit("species ~ .", iris, eps=0.9, certify=True, candidates=30, time_limit=0)
    assert "over the 30 candidates, as time_limit ended before all 150 rows were compared" in str(fit)
    sample = pc.fit("species ~ .", iris, eps=0.9, certify=True, candidates=30).certificate.sampled
    assert fit.certificate.bound.sum() <= sample.bound.sum()


def test_a_sample_that_was_taken_because_all_rows_would_take_long(iris, monkeypatch):
    monkeypatch.setattr("protoclass.estimation.problem.ALWAYS", 100)
    monkeypatch.setattr("protoclass.estimation.problem.BUDGET", 0.0)
    monkeypatch.setattr("protoclass.estimation.problem.LEAST_SAMPLE", 40)
    fit = pc.fit("species ~ .", iris, eps=0.9, solver="exact")
    assert "above the optimum over all 150 rows" in str(fit)
    assert "optimal over the 40 candidates" in str(fit)
    assert "certificate" not in pc.fit("species ~ .", iris, eps=0.9).rule.report


def test_a_sample_of_all_rows_is_no_sample(iris):
    fit = pc.fit("species ~ .", iris, eps=0.9, solver="exact", candidates=150)
    assert str(fit.certificate).startswith("optimal (proved")


LIMITED = """
import resource
import numpy as np, pandas as pd
import protoclass as pc


def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) * 1024


def fit(n, **options):
    draw = np.random.default_rng(0)
    y, centres = draw.integers(0, 2, n), draw.normal(0, 6, (6, 10))
    X = (draw.normal(size=(n, 10)) + centres[draw.integers(0, 3, n) + 3 * y]).astype(np.float32)
    data = pd.DataFrame(X).add_prefix("x").assign(y=y.astype(str))
    return pc.fit("y ~ .", data, eps=6.3, progress=False, dissimilarity=pc.Euclidean(scale=False), **options)


fit(800, solver="exact")  # compiles, and starts what runs on threads
resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + 2**29, -1))
best = fit(ROWS, solver="exact")
print(best.objective.value, best.certificate.gap, len(best.prototypes))
"""


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS is Linux's")
def test_a_matrix_and_balls_that_do_not_fit():
    """The matrix would take 0.41 GB of the 0.5 GB that the system allows beyond the start, and a program of all balls more."""
    code = LIMITED.replace("ROWS", "10_500")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    value, gap, size = map(float, done.stdout.split())
    assert value == pytest.approx(6 / 10_500)  # a row near the centre of each of the six clusters
    assert (gap, size) == (0, 6)
