"""Covers of rows in several parts against those of rows in one place, bit by bit: steps, lists, prices and certificates."""

import itertools

import numpy as np
import pytest
from places import Forgetful, LocalParts, cuts_of, look_up_beside, moved, parts_of
from test_greedy_forms import limit

from protoclass.core import spatial
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.core.parallel import Once
from protoclass.core.parts import parted_source
from protoclass.core.setcover import balls
from protoclass.core.setcover.balls import Sets
from protoclass.core.setcover.coded_balls import join_bits, words
from protoclass.core.setcover.problems import covers
from protoclass.core.setcover.solvers import Options, cover_paths
from protoclass.core.sources import Held, Streamed
from protoclass.core.spatial import Spatial
from protoclass.core.task import Task


def problem(seed, rows=(8, 60), top=8):
    """Whole numbers as dissimilarities: ties; repeated rows; weights, some of them 0; candidates that are no rows."""
    draw = np.random.default_rng(seed)
    n, classes, extra = int(draw.integers(*rows)), int(draw.integers(2, 5)), int(draw.integers(0, 4))
    D = draw.integers(0, top, (n, n + extra)).astype(float)
    if seed % 3 == 0:
        D[n // 2 :], D[:, n // 2 : 2 * (n // 2)] = D[: n - n // 2], D[:, : n // 2]
    y = np.concatenate([np.arange(classes), draw.integers(0, classes, n - classes)])
    y = np.sort(y) if seed % 4 == 1 else y  # a place then has a class alone
    w = draw.integers(0, 4, n) / 2 if seed % 2 else np.ones(n)
    w[:classes] = 1
    allowed = np.where(np.arange(n + extra) < n, y[np.arange(n + extra) % n], -1) if seed % 5 == 4 else None
    row = np.r_[np.arange(n), np.full(extra, -1)]
    task = Task(Once(lambda: Held(D)), y, classes, w, row, (0,), allowed_class=allowed)
    fold = draw.permutation(np.arange(n) % 3) if seed % 3 else np.full(n, -1)
    return task, D, fold, 3 if seed % 3 else 1, cuts_of(draw, n)


@pytest.fixture(autouse=True, params=["codes stay", "codes come"])
def brought(request, monkeypatch):
    if request.param == "codes stay":
        monkeypatch.setattr(balls, "BROUGHT", 0)
    return request.param


EPS, LAMBDAS = np.array([1.0, 2.0, 3.0, 5.0]), np.array([0.0, 0.5, 2.0])


def paths(task, fold, folds, eps=EPS, **options):
    return list(cover_paths(task, fold, folds, eps, LAMBDAS, Options(**options)))


def assert_same(found, expected):
    for (f, path), (g, other) in zip(found, expected, strict=True):
        assert f == g
        assert path.unit == other.unit
        assert path.weight.tobytes() == other.weight.tobytes()
        for run, same in zip(path.runs, other.runs, strict=True):
            for name in ("at", "classes", "covers", "wrong"):
                a, b = getattr(run, name), getattr(same, name)
                assert a.dtype == b.dtype
                assert a.tobytes() == b.tobytes(), name


@pytest.mark.parametrize("form", ["together", "bits", "bits of one radius", "lists", "bits in a file"])
@pytest.mark.parametrize("seed", range(10))
def test_the_path_in_parts_equals_that_in_one_place(seed, form, monkeypatch):
    task, D, fold, folds, cuts = problem(seed)
    expected = [paths(task, fold, folds, closed=closed) for closed in (False, True)]
    limit(monkeypatch, form)
    for closed, here in zip((False, True), expected, strict=True):
        assert_same(paths(moved(task, D, cuts), fold, folds, closed=closed), here)


@pytest.mark.parametrize("form", ["together", "bits", "lists"])
def test_places_that_forget_give_the_same(form, brought, monkeypatch):
    lost = 0
    for seed in range(8):
        task, D, fold, folds, _ = problem(seed, rows=(20, 60))
        expected = paths(task, fold, folds)
        with monkeypatch.context() as patch:
            limit(patch, form)
            patch.setattr(balls, "SENT", 64)  # many questions
            away = moved(task, D, [7, 13], Forgetful)
            assert_same(paths(away, fold, folds), expected)
        lost += away.D.parts.lost
    assert lost > 10 or brought == "codes come"


def test_bits_of_consecutive_rows_are_joined():
    draw = np.random.default_rng(0)
    for _ in range(50):
        n = int(draw.integers(1, 400))
        inside = draw.random((2, 3, n)) < 0.5
        cuts = [0, *np.sort(draw.integers(0, n + 1, draw.integers(0, 6))).tolist(), n]
        joined = np.zeros((2, 3, words(n)), np.uint64)
        for first, last in itertools.pairwise(cuts):
            join_bits(as_words(inside[..., first:last]), first, joined)
        np.testing.assert_array_equal(joined, as_words(inside))


def as_words(inside):
    padded = np.zeros((*inside.shape[:-1], 64 * words(inside.shape[-1])), bool)
    padded[..., : inside.shape[-1]] = inside
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def test_bits_are_asked_for_once_a_class(brought, monkeypatch):
    task, D, fold, folds, _ = problem(7, rows=(40, 41))
    limit(monkeypatch, "bits")
    asked, ask = [], balls.PartedBalls.ask
    monkeypatch.setattr(balls.PartedBalls, "ask", lambda self, work, *shared: asked.append(work) or ask(self, work, *shared))
    paths(moved(task, D, [10, 10, 30]), fold, folds)
    assert asked == ([] if brought == "codes come" else [balls._weights] + task.classes * [balls._bits])


def measure(rows, candidates):
    return np.ascontiguousarray(minkowski(candidates[0], rows[0], 2.0).T)


def spatial_beside(rows, candidates):
    return Spatial(Streamed(measure, rows, candidates), Geometry(), False, None)


@pytest.mark.parametrize("columns", [2, 40])
def test_places_compare_by_products_and_boxes(columns, monkeypatch):
    """Sources that know which pairs are far away, and such that compare by products."""
    monkeypatch.setattr(spatial, "BLOCK", 16)
    draw = np.random.default_rng(columns)
    X = draw.normal(size=(1200, columns))
    y = (X[:, 0] + draw.normal(size=1200) > 0).astype(int)
    task = Task(Once(lambda: spatial_beside((X,), (X,))), y, 2, np.ones(1200), np.arange(1200), (0,))
    fold, eps = draw.integers(0, 2, 1200), np.quantile(measure((X[:50],), (X,)), [0.002, 0.02])
    expected = paths(task, fold, 2, eps)
    source = parted_source(LocalParts(parts_of((X,), [700, 1190])), (X,), spatial_beside)
    away = Task(Once(lambda: source), y, 2, np.ones(1200), np.arange(1200), (0,))
    assert_same(paths(away, fold, 2, eps), expected)
    assert spatial_beside((X[:700],), (X,)).tiles(covers(away, fold, 2, eps, 0.0).balls.coding).complete == (columns > 2)


def both(seed, parts=LocalParts):
    task, D, fold, folds, cuts = problem(seed, rows=(20, 60))
    return covers(task, fold, folds, EPS, 0.0), covers(moved(task, D, cuts, parts), fold, folds, EPS, 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_lists_come_from_all_places(seed):
    here, there = both(seed, Forgetful if seed % 2 else LocalParts)
    assert there.entries == here.entries
    for a, b in zip(there.balls.lists(here.classes, np.inf), here.balls.lists(here.classes, np.inf), strict=True):
        for mine, other in zip(a, b, strict=True):
            np.testing.assert_array_equal(mine, other)
    # without the rows of a fold
    some = tuple(Sets(one.candidates[::2], one.rows[here.fold[one.rows] != 0]) for one in here.classes)
    for one, lists in zip(some, there.balls.lists(some, np.inf), strict=True):
        inside = here.balls.codes(one)
        for k in range(len(EPS)):
            balls = [np.sort(lists[2][start:upto]) for start, upto in zip(lists[0], lists[1][:, k], strict=True)]
            expected = [np.flatnonzero(line <= k) for line in inside]
            for mine, other in zip(balls, expected, strict=True):
                np.testing.assert_array_equal(mine, other)
    pairs = sum(len(lists[2]) for lists in there.balls.lists(here.classes, np.inf))
    assert there.balls.lists(here.classes, pairs) is not None
    assert there.balls.lists(here.classes, pairs - 1) is None


@pytest.mark.parametrize("options", [{"certify": True}, {"solver": "exact"}, {"solver": "rounding"}, {"solver": "ratio"}])
def test_solvers_and_certificates(options):
    proved = 0
    for seed in range(3):
        task, D, fold, folds, cuts = problem(seed, rows=(15, 30))
        expected, found = (paths(one, fold, folds, EPS[1:3], **options) for one in (task, moved(task, D, cuts)))
        assert_same(found, expected)
        for (_, a), (_, b) in zip(found, expected, strict=True):
            for run, other in zip(a.runs, b.runs, strict=True):
                if other.certificate is None:
                    continue
                proved += 1
                np.testing.assert_allclose(run.certificate.objective, other.certificate.objective, rtol=1e-9)
                np.testing.assert_allclose(run.certificate.bound, other.certificate.bound, rtol=1e-6, atol=1e-9)
    assert proved > 0 or options == {"solver": "ratio"}


def test_held_and_streamed_are_in_one_place():
    assert Held(np.zeros((2, 2))).parts is None
    assert look_up_beside((np.zeros((2, 2)),), (np.arange(2),)).parts is None
