"""Column generation whose columns are pairs of a candidate and a radius, against plain NumPy and the program of all pairs."""

import numpy as np
import pytest
from test_generation import SOURCES, task_from, task_of

import protoclass as pc
from protoclass.core.setcover import column_generation, solvers
from protoclass.core.setcover.column_generation import price
from protoclass.core.setcover.problems import covers, own_radii
from protoclass.models.pvm import PVM


@pytest.fixture
def few(monkeypatch):
    """Programs that begin with the greedy cover and one more pair of each class."""
    monkeypatch.setattr(column_generation, "SAMPLE", 1)
    monkeypatch.setattr(solvers, "fits", lambda problems: False)


@pytest.mark.parametrize("source", SOURCES)
def test_a_pass_over_pairs_equals_plain_numpy(source, monkeypatch):
    draw, n = np.random.default_rng(4), 900
    task, D, eps = task_from(source, draw, n, monkeypatch)
    radii = own_radii(eps)
    problems = covers(task, np.full(n, -1), 1, radii, 0.0, own=True)
    assert problems.balls.complete == (source != "near tiles")
    prices = [draw.integers(0, 9, len(one.rows)) / 8 for one in problems.classes]
    costs = [draw.integers(1, 40, len(one.candidates)) / 2 for one in problems.classes]
    found = price(problems.balls, [problems.columns(one, 0) for one in problems.classes], prices, costs)
    broken = 0
    for c, one in enumerate(problems.classes):
        at, of = problems.balls_of(one.candidates, 0)
        inside = D[np.ix_(one.rows, at)] < radii[of]  # (rows, pairs)
        sums = prices[c] @ inside
        share = np.where(sums > costs[c], costs[c] / np.where(sums > 0, sums, 1.0), 1.0)
        held = np.where(inside, share, 1.0)
        factor = held.min(axis=1, initial=1.0)
        worst = np.where(factor < 1, np.where(inside, share, 2.0).argmin(axis=1), -1)
        assert (found[c].reduced == costs[c] - sums).all()  # eighths add up exactly in any order
        assert (found[c].factor == factor).all()
        assert (found[c].worst == worst).all()
        broken += (factor < 1).sum()
        assert (problems.find(at, of) == one.candidates).all()
    assert broken > 50


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("solver", ["exact", "rounding", "greedy"])
@pytest.mark.parametrize("seed", range(4))
def test_solvers_equal_those_that_list_all_pairs(seed, solver, monkeypatch):
    task, _ = task_of(seed, extra=8 * (seed % 2), weights=seed % 3 == 1)
    for eps, lambda_, balls in ((3.0, 1 / 40, "open"), (5.0, 0.37, "closed"), (6.0, 2.0, "open")):
        model = PVM(eps=eps, lambda_=lambda_, solver=solver, certify=True, balls=balls, radii="individual")
        rule = model.path(task, {}).at(0)
        with monkeypatch.context() as patch:
            patch.setattr(solvers, "fits", column_generation.fits)
            best = PVM(eps=eps, lambda_=lambda_, solver="exact", balls=balls, radii="individual").path(task, {}).at(0)
            peer = model.path(task, {}).at(0)
        least, found = best.report["objective"].value, rule.report["objective"].value
        certificate, listed = rule.report["certificate"], peer.report["certificate"]
        assert certificate.objective.sum() == pytest.approx(found)
        assert certificate.bound.sum() <= least + 1e-9
        if solver == "exact":
            assert found == pytest.approx(least)
            assert certificate.gap == 0
        if solver == "greedy":
            assert rule.prototypes.at.tolist() == peer.prototypes.at.tolist()
            assert certificate.bound.sum() >= listed.bound.sum() * (1 - 1e-5) - 1e-9


@pytest.mark.parametrize("options", [{"solver": "exact"}, {"certify": True}])
def test_a_sample_has_a_certificate_over_all_rows_at_all_radii(options):
    iris = pc.load_data("iris")
    given = {"eps": 1.5, "lambda_": 0.4, "radii": "individual"}
    best = pc.fit("species ~ .", iris, solver="exact", **given)
    fit = pc.fit("species ~ .", iris, candidates=30, **given, **options)
    certificate = fit.certificate
    assert 0.5 * best.objective.value < certificate.bound.sum() <= best.objective.value + 1e-9
    assert certificate.objective.sum() == pytest.approx(fit.objective.value)
    assert certificate.sampled.bound.sum() >= certificate.bound.sum()
    assert "above the optimum over all 150 rows" in str(fit)
    assert "over the 30 candidates" in str(fit)
    own = pc.fit("species ~ .", iris, candidates="same_class", certify=True, **given).certificate
    assert "over all" not in str(own)
