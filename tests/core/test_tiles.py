"""Pairs found by a tree, halves of symmetric matrices and codes by products, against a matrix in memory."""

import numpy as np
import pytest
from coordinates import KINDS, coordinates, named

from protoclass.core import coding, parallel, sources
from protoclass.core.coding import Coding
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.core.histogram import radii_at
from protoclass.core.parallel import Once
from protoclass.core.setcover import balls
from protoclass.core.setcover.problems import covers
from protoclass.core.setcover.solvers import Options, cover_paths
from protoclass.core.sources import Held, Spatial, Streamed
from protoclass.core.task import Task

SQUARES = Geometry(value=lambda d: d * d / 2)
GEOMETRIES = (Geometry(), Geometry(1.0), Geometry(np.inf), Geometry(3.0), Geometry(1.5), SQUARES)


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of a few rows, which are used on the smallest matrices."""
    monkeypatch.setattr(coding, "SIDE", 32)
    monkeypatch.setattr(coding, "TILE", 700)


def measured(geometry, X, Z):
    return geometry.value(minkowski(X, Z, geometry.r))


def both(geometry, X, Z, hold):
    """A matrix in memory, and tiles of the same distances."""

    def between(rows, candidates):
        return measured(geometry, rows[0], candidates[0])

    matrix = Once(lambda: measured(geometry, X, Z)) if hold else None
    return Held(measured(geometry, X, Z)), Spatial(Streamed(between, (X,), (Z,)), geometry, Z is X, matrix)


def radii_of(D, count, closed=False):
    """Distances that occur, as ties and rounding matter there, from a few of the smallest to about the median."""
    some = np.unique(D[D > 0])
    chosen = some[np.unique(np.linspace(0, max(1, len(some) // 2), count).astype(int).clip(0, len(some) - 1))].astype(
        float
    )
    return np.nextafter(chosen, np.inf) if closed else chosen


CASES = [
    (kind, dtype, p, scale, geometry, i + j)
    for i, kind in enumerate(KINDS)
    for j, (p, dtype, scale) in enumerate(
        [(1, np.float64, 1e-150), (2, np.float32, 1.0), (5, np.float64, 1e140), (9, np.float32, 1e-5), (32, np.float64, 1.0),
         (60, np.float64, 1e-20)]
    )
    for geometry in [GEOMETRIES[(i + j) % len(GEOMETRIES)]]
]  # fmt: skip


def drawn(case, n):
    kind, dtype, p, scale, geometry, seed = case
    if geometry.value is SQUARES.value or geometry.r not in (1, 2, np.inf):
        scale **= 0.25  # cubes of 1e140 overflow
    return geometry, coordinates(seed, kind, n, p, dtype, scale)


@pytest.mark.parametrize("case", CASES, ids=named)
@pytest.mark.parametrize("sides", ["same", "others"])
def test_tiles_and_near_pairs_have_the_codes_of_the_matrix(case, sides, small_tiles):
    geometry, X = drawn(case, 90)
    Z = X if sides == "same" else np.concatenate([X[3:60:2], (X[:9] + X[9:18]) / 2])
    held, spread = both(geometry, X, Z, hold=False)
    if not (held.values > 0).any():
        return
    radii = radii_of(held.values, 6)
    for some in (radii, radii[:1], radii[-1:] * 1e6):
        coding = Coding(some)
        codes, expected = np.full((len(Z), len(X)), 255, np.uint8), coding(held.values)
        for tile in spread.tiles():
            at = np.ix_(tile.columns, tile.rows)
            assert (codes[at] == 255).all()  # no pair is in two tiles
            codes[at] = spread.codes(tile.rows, tile.columns, coding)
            if tile.mirror:
                codes[np.ix_(tile.rows, tile.columns)] = codes[at].T
        assert (codes == expected).all()
        space = spread.space
        assert (space is None) == (X.shape[1] >= 8)
        if space is not None:
            near = space.near(geometry.reach(coding.reach(X.dtype))[-1], np.inf)
            assert (near.distance == held.values[near.rows(), near.at]).all()
            codes[:] = len(some)
            codes[near.at, near.rows()] = coding(near.distance[None])[:, 0]
            assert (codes == expected).all()


def test_distances_that_a_value_reaches():
    radii = np.array([0.0, 5e-324, 1e-320, 1e-300, 0.3, 2.0, 1e300, np.inf])
    reach = SQUARES.reach(radii)
    with np.errstate(over="ignore"):
        assert (SQUARES.value(reach) >= radii).all()
        assert (SQUARES.value(np.nextafter(reach[1:], 0)) < radii[1:]).all()
    assert SQUARES.reach(np.zeros(1))[0] == reach[0] == 0
    assert SQUARES.reach(radii[3:6].astype(np.float32)).dtype == np.float32


def task_of(source, y, w, row):
    return Task(Once(lambda: source), y, int(y.max()) + 1, w, row, (0,))


def same_problems(one, other):
    assert (one.gain == other.gain).all()
    kept = np.isfinite(one.gain)
    assert (one.wrong[kept] == other.wrong[kept]).all()
    assert (one.best[one.gain > 0] == other.best[one.gain > 0]).all()
    for a, b in zip(one.classes, other.classes, strict=True):
        assert a.candidates.tolist() == b.candidates.tolist()
        assert a.rows.tolist() == b.rows.tolist()


@pytest.mark.parametrize("case", CASES[::2] + CASES[5::6], ids=named)
def test_problems_and_covers_are_those_of_the_matrix(case, small_tiles, monkeypatch):
    geometry, X = drawn(case, 80)
    seed = case[-1]
    draw = np.random.default_rng(seed)
    Z, row = X, np.arange(len(X))
    if seed % 3 == 1:  # some rows, and unlabelled candidates
        some = np.sort(draw.choice(80, 40, replace=False))
        Z, row = np.concatenate([X[some], X[:9] * 1.01]), np.r_[some, np.full(9, -1)]
    if seed % 5 < 2:
        monkeypatch.setattr(parallel, "SMALL", 0)
    if seed % 2:
        monkeypatch.setattr(balls, "KEPT", 0)  # tile by tile, or near pairs alone
        monkeypatch.setattr(balls, "COSTLY", 0.5)
    held, spread = both(geometry, X, Z, hold=seed % 4 < 2)
    y = draw.integers(0, 3, 80)
    y[y == 1] = 0  # a class without rows
    w = [np.ones(80), draw.integers(1, 4, 80).astype(float), draw.gamma(2.0, size=80)][seed % 3]
    fold = draw.permutation(np.arange(80) % 3)
    fold[:5] = -1
    positive = held.values[held.values > 0]
    if not len(positive):
        return
    for radii in (radii_of(held.values, 4, closed=seed % 2 == 0), radii_of(held.values, 2)[:1]):
        expected, found = (covers(task_of(s, y, w, row), fold, 3, radii, 0.01) for s in (held, spread))
        same_problems(expected, found)
        paths = [
            dict(cover_paths(task_of(s, y, w, row), fold, 3, radii, np.array([0.01, 1.0]), Options()))
            for s in (held, spread)
        ]
        for f in range(3):
            for one, other in zip(paths[0][f].runs, paths[1][f].runs, strict=True):
                assert one.at.tolist() == other.at.tolist()
                assert one.classes.tolist() == other.classes.tolist()
                assert one.covers.tolist() == other.covers.tolist()
                assert one.wrong.tolist() == other.wrong.tolist()
    radii = [radii_at(s, row, None, (0,)).tolist() for s in (held, spread)]
    assert radii[0] == radii[1]


def test_an_infinite_distance_is_never_a_code(small_tiles):
    from protoclass.ground.errors import DataError

    def between(rows, candidates):
        values = minkowski(rows[0], candidates[0])
        if np.isinf(values).any():
            raise DataError("infinite")
        return values

    X = coordinates(0, "normal", 60, 3, scale=1e155)
    source = Spatial(Streamed(between, (X,), (X,)), Geometry(), True, None)
    assert source.space is None
    with pytest.raises(DataError):
        source.codes(np.arange(60), np.arange(60), Coding(np.array([1e150])))


def test_threads_prepare_tiles_once(monkeypatch):
    from concurrent.futures import ThreadPoolExecutor
    from time import sleep

    X, found = coordinates(0, "normal", 60, 12), []
    prepare = sources.screen

    def slowly(*sides):
        sleep(0.05)
        found.append(prepare(*sides))
        return found[-1]

    monkeypatch.setattr(sources, "screen", slowly)
    source = both(Geometry(), X, X, hold=False)[1]
    with ThreadPoolExecutor(4) as pool:
        assert len({id(s) for s in pool.map(lambda _: source.screening, range(4))}) == 1
    assert len(found) == 1


def test_streams_of_many_rows_are_read_some_rows_at_a_time():
    n, m = 10_000, 600
    X = np.zeros((n, 1))
    long = Streamed(lambda a, b: minkowski(a[0], b[0]), (X,), (X[:m],)).tiles()
    count = np.zeros((n, m), int)
    for tile in long:
        assert len(tile.rows) <= coding.TILE // coding.SIDE
        count[np.ix_(tile.rows, tile.columns)] += 1
    assert (count == 1).all()
