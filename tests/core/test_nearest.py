"""The nearest prototypes, found by a tree and by products, against all dissimilarities."""

import numpy as np
import pandas as pd
import pytest
from coordinates import KINDS, coordinates, named
from queries import query

import protoclass as pc
from protoclass.core import parallel
from protoclass.core.distances.minkowski import Geometry, measure_row, minkowski
from protoclass.core.distances.near import Space, nearest_compared
from protoclass.core.distances.screen import screen
from protoclass.core.neighbours import nearest as nearest_file
from protoclass.core.neighbours.nearest import KNNPath, Nearest, Sets, nearest, nearest_k
from protoclass.core.parallel import Once
from protoclass.core.query import Beside, Latest, Query, answer
from protoclass.core.sources import Spatial, Streamed
from protoclass.core.task import Points

KS = (1, 2, 5, 17, 50)
EXPONENTS = (2.0, 1.0, np.inf, 3.0, 1.5)
LOW = [
    (kind, dtype, p, scale, EXPONENTS[(i + j) % len(EXPONENTS)], i + j)
    for i, kind in enumerate(KINDS)
    for j, (p, dtype, scale) in enumerate(
        [(1, np.float64, 1e-150), (2, np.float32, 1.0), (3, np.float64, 1e150), (7, np.float32, 1e-5)]
    )
]  # fmt: skip
HIGH = [
    (kind, dtype, p, scale, 2.0, i + j)
    for i, kind in enumerate(KINDS)
    for j, (p, dtype, scale) in enumerate(
        [(8, np.float64, 1e-140), (9, np.float32, 1e-5), (31, np.float64, 1e140), (64, np.float32, 1e14), (300, np.float64, 1.0)]
    )
]  # fmt: skip


@pytest.fixture
def always(monkeypatch):
    """What pays for much work is done for the least, and whether it pays or not."""
    for name, value in (("SEARCHED", -1), ("SCREENED", -1), ("FEW_OPEN", 2.0)):
        monkeypatch.setattr(nearest_file, name, value)


def drawn(case, n):
    """Rows, candidates among which are copies of rows, and the slow answer for some of both."""
    kind, dtype, p, scale, r, seed = case
    scale = scale if r in (1, 2, np.inf) else scale**0.25  # cubes of 1e150 overflow
    X = coordinates(seed, kind, n, p, dtype, scale)
    return X, np.ascontiguousarray(np.concatenate([X[: n // 2], X[:9], (X[:20] + X[20:40]) / 2])), r


def slow(D, k):
    """The prototypes of each row up to the distance of its k-th nearest, in loops."""
    lists = []
    for row in D:
        last = sorted(row.tolist())[k - 1]
        lists.append([(j, d) for j, d in enumerate(row.tolist()) if d <= last])
    return lists


def lists_of(near):
    """The lists, in the order of the prototypes."""
    pairs = list(zip(near.at.tolist(), near.distance.tolist(), strict=True))
    return [sorted(pairs[a:b]) for a, b in zip(near.start[:-1], near.start[1:], strict=True)]


@pytest.mark.parametrize("case", LOW, ids=named)
def test_a_search_finds_what_all_distances_say(case):
    X, Z, r = drawn(case, 120)
    D = minkowski(X, Z, r)
    space = Space(X, Z, Geometry(r))
    for k in (*KS, len(Z)):
        for rows in (np.arange(120), np.array([7, 3]), np.arange(0)):
            near = space.nearest(rows, k)
            assert lists_of(near) == slow(D[rows], k)
            assert near.distance.dtype == D.dtype


@pytest.mark.parametrize("r", [2.0, 3.0, 20.0])
def test_a_search_finds_rows_whose_powers_are_0(r):
    X = np.array([[0.0], [1e-18], [5e-14], [1e-3], [1.0]], np.float32)
    assert lists_of(Space(X, X, Geometry(r)).nearest(np.arange(5), 1)) == slow(minkowski(X, X, r), 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("r", EXPONENTS)
def test_one_row_has_the_bits_of_the_kernels(r, dtype, monkeypatch):
    for p in (*range(1, 10), 31, 127):
        X = coordinates(p, "normal", 23, p, dtype)
        total, across = np.empty(23, dtype), np.ascontiguousarray(X.T)
        for few in (-1, 2**40):
            monkeypatch.setattr(parallel, "FEW", few)
            D = minkowski(X, X, r)
            for i in range(23):
                measure_row(X[i], across, r, total)
                assert (total == D[i]).all()


@pytest.mark.parametrize("case", HIGH, ids=named)
def test_products_find_what_all_distances_say(case):
    X, Z, _ = drawn(case, 80)
    known = screen(X, Z, hold=case[-1] % 2 == 0)
    if known is None:
        assert case[0] != "normal"
        return
    rows, columns = np.arange(len(X)), np.arange(len(Z))
    D = minkowski(X, Z)
    for k in KS:
        assert lists_of(nearest_compared(beside(known, rows, columns), k)) == slow(D, k)
        known.hold()
        some, others = rows[::3], columns[5:][::-1]
        assert lists_of(nearest_compared(beside(known, some, others), min(k, 40))) == slow(D[np.ix_(some, others)], min(k, 40))


@pytest.mark.parametrize("q", [1, 63, 200])
def test_the_nearest_of_rows_that_are_tied_with_many(q):
    draw = np.random.default_rng(q)
    X = draw.integers(0, 2, (50, 12)).astype(float)
    Z = np.repeat(draw.integers(0, 2, (-(-q // 40), 12)), 40, axis=0)[:q].astype(float)
    near = nearest_compared(beside(screen(X, Z), np.arange(50), np.arange(q)), 1)
    assert lists_of(near) == slow(minkowski(X, Z, 2.0), 1)


def beside(known, rows, columns):
    return known.beside(rows, columns, known.candidates[columns])


def old_votes(D, ks, codes, weight, classes):
    """Votes as sums over all prototypes in their order."""
    out = np.zeros((len(D), len(ks), classes))
    for i, row in enumerate(D):
        for s, k in enumerate(ks):
            last = np.sort(row)[min(k, len(row)) - 1]
            for j in np.flatnonzero(row <= last):
                out[i, s, codes[j]] += weight[j]
    return out / out.sum(axis=2, keepdims=True)


def old_ordered_votes(D, rows, ks, codes, weight, classes):
    """Votes of exactly k prototypes, tied ones in the order of `rows`."""
    first = np.argsort(D[:, rows], axis=1, kind="stable")[:, : max(ks)]
    cast = np.zeros((*first.shape, classes))
    np.put_along_axis(cast, codes[rows][first][:, :, None], weight[rows][first][:, :, None], axis=2)
    out = np.cumsum(cast, axis=1)[:, np.array(ks) - 1]
    return out / out.sum(axis=2, keepdims=True)


def asked(X, Z, r, at, hold=False):
    """A query about some rows beside candidates, which are compared or searched where that is possible."""
    matrix = Once(lambda: minkowski(X, Z, r)) if hold else None
    source = Spatial(Streamed(lambda a, b: minkowski(a[0], b[0], r), (X,), (Z,)), Geometry(r), False, matrix)
    return Query(
        at, lambda rows, points: source.take(rows, points.at), lambda rows: X[rows], lambda rows: X[rows],
        beside=Latest(lambda points: Beside(source, points.at)),
    )  # fmt: skip


@pytest.mark.parametrize("case", LOW[::2] + HIGH[1::2], ids=named)
def test_rules_say_what_they_say_with_all_distances(case, always, monkeypatch):
    monkeypatch.setattr("protoclass.core.query.AT_ONCE", 1000)  # several blocks
    X, Z, r = drawn(case, 130)
    draw = np.random.default_rng(case[-1])
    columns, rows = np.sort(draw.choice(len(Z), 60, replace=False)), draw.permutation(len(X))[:90]
    codes, D = draw.integers(0, 3, 60), minkowski(X, Z, r)[np.ix_(rows, columns)]
    beside_it, measured = asked(X, Z, r, rows, hold=case[-1] % 3 == 0), query(D)
    points = Points(codes, at=columns, radii=np.full(60, float(np.sort(D, axis=1)[:, 3].mean())))
    weights = [np.ones(60), draw.integers(1, 5, 60).astype(float), draw.gamma(2.0, size=60)]
    for weight in weights:
        for seed in (None, (3,)):
            ks = (9, 1, 2, 60)
            path = KNNPath(ks, points, weight, 3, seed)
            found = answer(path, "prob", beside_it)
            if seed is None:
                assert (found == old_votes(D, ks, codes, weight, 3)).all()
            else:
                order = np.random.default_rng(seed).permutation(60)
                assert (found == old_ordered_votes(D, order, ks, codes, weight, 3)).all()
            assert (answer(path, "class", beside_it) == path.predict("class", measured)).all()
    for rule in (path.at(0), Nearest(points, 3, 0)):
        expected = nearest(D, Sets(codes[None]))[:, 0]
        assert (answer(rule, "nearest", beside_it) == expected).all()
    for kind in rule.kinds:
        assert (answer(rule, kind, beside_it) == rule.predict(kind, measured)).all(), kind
    none = Nearest(Points(np.empty(0, int), at=np.empty(0, int)), 3, 2)
    assert (answer(none, "class", beside_it) == 2).all()
    assert (answer(none, "nearest", beside_it) == -1).all()


def test_prototypes_are_searched_and_compared_where_it_pays(monkeypatch):
    def refused(rows, points):
        raise AssertionError("all dissimilarities are read")

    for p, n in ((2, 4000), (20, 1200)):
        X = coordinates(p, "normal", n, p)
        whole = asked(X, X, 2.0, np.arange(n))
        points = Points(np.arange(n) % 2, at=np.arange(n))
        one = Query(whole.rows, refused, whole.vectors, whole.design, beside=whole.beside)
        blocks = list(one.blocks(n * 200))
        assert len(blocks) > 10
        assert all(len(nearest_k(block, points, 3)) == len(block) for block in blocks)
        assert len({id(block.beside(points)) for block in blocks}) == 1  # prepared once


def test_metrics_that_are_not_distances_have_no_prototypes_beside_their_rows():
    draw = np.random.default_rng(0)
    data = pd.DataFrame(draw.normal(size=(800, 3))).add_prefix("x").assign(y=draw.choice(["a", "b"], 800))
    for metric, there in (("euclidean", True), ("manhattan", True), ("gower", False), ("cosine", True)):
        known = pc.dissimilarity("y ~ .", data, metric)
        points = Points(np.zeros(800, int), at=np.arange(800))
        found = known._query().beside(points)
        assert (found is not None) == there
        near = nearest_k(known._query(), points, 4)
        assert lists_of(near) == slow(known.frame().to_numpy(), 4)
