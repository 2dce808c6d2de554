"""The greedy algorithm over rows in several places against the one over rows in one place, bit by bit."""

import numpy as np
import pytest
from places import Forgetful, cuts_of, look_up_beside, moved, parts_of

from protoclass.core import spatial
from protoclass.core.covers import answering, balls_kept, rounds
from protoclass.core.covers.bits import words
from protoclass.core.covers.problems import covers
from protoclass.core.covers.reading import Reading
from protoclass.core.covers.rounds import steps_in_rounds
from protoclass.core.covers.solving import Options, cover_paths
from protoclass.core.distances.geometry import Geometry
from protoclass.core.distances.minkowski import minkowski
from protoclass.core.parallel import Once
from protoclass.core.parts import LocalParts, parted_source
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


@pytest.mark.parametrize("seed", range(20))
def test_rounds_equal_the_path_in_one_place(seed):
    task, D, fold, folds, cuts = problem(seed)
    for closed in (False, True):
        expected = paths(task, fold, folds, closed=closed)
        assert_same(paths(moved(task, D, cuts), fold, folds, closed=closed), expected)


@pytest.mark.parametrize("seed", range(12))
def test_small_windows_change_nothing(seed, monkeypatch):
    task, D, fold, folds, cuts = problem(seed)
    expected = paths(task, fold, folds)
    for fewest, most, entries, others in ((1, 1, 1, 0), (1, 3, 4, 1), (2, 5, 2**40, 0), (3, 3, 0, 2)):
        monkeypatch.setattr(answering, "TABLE", fewest)
        monkeypatch.setattr(rounds, "FEWEST", fewest)
        monkeypatch.setattr(rounds, "MOST", most)
        monkeypatch.setattr(rounds, "ENTRIES", entries)
        monkeypatch.setattr(rounds, "IN_ALL", 0)
        monkeypatch.setattr(rounds, "OTHERS", others)
        assert_same(paths(moved(task, D, cuts), fold, folds), expected)


def test_places_that_forget_give_the_same(monkeypatch):
    lost, again = 0, 0
    for seed in range(5):
        task, D, fold, folds, cuts = problem(seed, rows=(20, 60))
        expected = paths(task, fold, folds)
        for name in ("FEWEST", "MOST", "OTHERS"):  # many rounds
            monkeypatch.setattr(rounds, name, 1)
        away = moved(task, D, cuts, Forgetful)
        assert_same(paths(away, fold, folds), expected)
        found = steps_in_rounds(covers(away, fold, folds, EPS, 0.0), 0.0)
        assert found.traffic.messages > found.rounds
        lost, again = lost + away.D.parts.lost, again + found.traffic.again
        monkeypatch.undo()
    assert lost > 10
    assert again > 10


@pytest.mark.parametrize("kept", [0, 900, 2700])
def test_places_with_little_memory_give_the_same(kept, monkeypatch):
    groups = []
    for seed in range(4):
        task, D, fold, folds, cuts = problem(seed, rows=(40, 60))
        expected = paths(task, fold, folds)
        monkeypatch.setattr(answering, "room", lambda: kept)
        away = moved(task, D, cuts)
        assert_same(paths(away, fold, folds), expected)
        monkeypatch.undo()
        problems = covers(away, fold, folds, EPS, 0.0)
        monkeypatch.setattr(answering, "room", lambda: kept)
        groups.append(len(list(rounds._groups(problems, problems.read))))
        monkeypatch.undo()
    assert max(groups) > 1


def test_balls_are_read_at_once_where_memory_takes_them_and_otherwise_as_they_are_asked_for(monkeypatch):
    task, D, fold, folds, _ = problem(2, rows=(50, 51))
    measured, whole = [], []
    measure, bits = balls_kept.Balls._measure, Reading.bits
    monkeypatch.setattr(
        balls_kept.Balls, "_measure", lambda self, c, at: measured.append((c, at.tolist())) or measure(self, c, at)
    )
    monkeypatch.setattr(Reading, "bits", lambda self, one, radii: whole.append(one.candidates) or bits(self, one, radii))
    expected = paths(moved(task, D, []), fold, folds)
    assert (len(whole), len(measured)) == (task.classes, 0)
    one_place = covers(task, fold, folds, EPS, 0.0).classes
    needed = 8 * len(EPS) * sum(words(len(one.rows)) * len(one.candidates) for one in one_place)
    whole.clear()
    monkeypatch.setattr(rounds, "tell_room", lambda *asked: 2 * needed)
    monkeypatch.setattr(answering, "room", lambda: needed - 1)
    assert_same(paths(moved(task, D, []), fold, folds), expected)
    assert len(measured) > 0
    assert not whole


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
    assert spatial_beside((X[:700],), (X,)).tiles(covers(away, fold, 2, eps, 0.0).read.coding).complete == (columns > 2)


def test_what_is_sent_is_counted():
    task, D, fold, folds, _ = problem(7, rows=(40, 41))
    problems = covers(moved(task, D, [10, 10, 30]), fold, folds, EPS, 0.0)
    found = steps_in_rounds(problems, 0.0)
    places = 3  # one of the four is empty
    assert found.traffic.calls == found.rounds + 1  # and one that asks for their memory
    assert found.traffic.messages == places * found.traffic.calls
    assert found.traffic.again == 0
    assert found.traffic.received > 0
    longest = max(int(np.diff(steps.bounds).max()) for of in found.steps for steps in of)
    assert found.rounds < longest  # several prototypes a round


def test_held_and_streamed_are_in_one_place():
    assert Held(np.zeros((2, 2))).parts is None
    assert look_up_beside((np.zeros((2, 2)),), (np.arange(2),)).parts is None
