"""Distances compared by products: the bound of their error, and answers that are those of the exact kernel to the last tie."""

from fractions import Fraction

import numpy as np
import pytest
from coordinates import KINDS, coordinates, named

from protoclass.core import coding
from protoclass.core.coding import Coding
from protoclass.core.distances import screen as screening
from protoclass.core.distances.minkowski import minkowski
from protoclass.core.distances.screen import approximate, screen
from protoclass.core.histogram import radii_at
from protoclass.core.neighbours.nearest import Sets, covering, nearest, nearest_to
from protoclass.core.query import Beside, Query
from protoclass.core.sources import Held, Streamed
from protoclass.core.task import Points

COLUMNS = (5, 8, 31, 64, 300)
DTYPES = (np.float32, np.float64)
SCALES = {np.float32: (1e-5, 1.0, 1e14), np.float64: (1e-140, 1e-20, 1.0, 1e140)}
CASES = [
    (kind, dtype, p, SCALES[dtype][(i + j) % len(SCALES[dtype])], i)
    for i, kind in enumerate(KINDS)
    for dtype in DTYPES
    for j, p in enumerate(COLUMNS)
    if (i + j) % 2 == 0
]


def exact_square(x, z):
    return sum(((Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(x, z, strict=True)), Fraction(0))


def rows_of(case, n=40):
    kind, dtype, p, scale, seed = case
    return coordinates(seed, kind, n, p, dtype, scale)


def reaches(D, count):
    """Some of the distances themselves, and their neighbours among the floats: the radii that are hardest to compare with."""
    some = np.unique(D)[:: max(1, D.size // count)]
    return np.unique(np.concatenate([np.nextafter(some, -np.inf), some, np.nextafter(some, np.inf)]))[-250:].clip(0)


def check_bounds(X):
    known = screen(X, X)
    if known is None:
        return False
    S, limits, side = Fraction(known.bounds.scale), known.bounds, known.rows
    square = side.square.astype(float)
    N, twice = side.square + side.square[:, None], approximate(side, side)
    approximation = N - twice
    near = S**2
    D = minkowski(X, X)
    # the pairs in which errors show most, by a first look in double precision
    s = (((X[:, None].astype(np.longdouble) - X) * np.longdouble(limits.scale)) ** 2).sum(axis=2)
    bound = limits.norm * (square + square[:, None]) + limits.slack
    for share in (
        np.abs(approximation - s) / bound,
        np.abs(D.astype(np.longdouble) * limits.scale / np.sqrt(s.clip(1e-300)) - 1),
    ):
        for at in np.argsort(share, axis=None)[-6:]:
            i, j = divmod(int(at), len(X))
            exact = near * exact_square(X[i], X[j])
            assert abs(Fraction(float(approximation[i, j])) - exact) <= Fraction(float(bound[i, j]))
            measured, k, lost = (S * Fraction(float(D[i, j]))) ** 2, Fraction(limits.kernel), Fraction(limits.slack) / 2
            assert exact * (1 - k) - lost <= measured <= exact * (1 + k) + lost
    assert (np.abs(approximation - s) <= bound).all()
    return True


@pytest.mark.parametrize("case", CASES, ids=named)
def test_approximations_lie_within_their_bound(case):
    assert check_bounds(rows_of(case)) or case[0] != "normal"


@pytest.mark.parametrize("case", CASES, ids=named)
@pytest.mark.parametrize("sides", ["same", "others"])
def test_codes_are_those_of_the_exact_kernel(case, sides, monkeypatch):
    monkeypatch.setattr(screening, "OFTEN", 0)  # measure the unsure ones, however many they are
    X = rows_of(case, 60)
    Z = X if sides == "same" else np.concatenate([X[::2], X[:7] + X[7:14]])
    D, known = minkowski(Z, X), screen(X, Z, hold=True)
    if known is None:
        return
    for reach in (reaches(D, 25), np.array([0, D.max(), np.inf], D.dtype), np.array([np.finfo(D.dtype).tiny], D.dtype)):
        expected = (D[:, :, None] >= reach).sum(axis=2)
        rows, columns = np.arange(len(X)), np.arange(len(Z))
        assert (known.tile(rows, columns).codes(reach) == expected).all()
        some = np.random.default_rng(0).permutation(len(X))[:31]
        assert (known.tile(some, columns[1:]).codes(reach) == expected[1:, some]).all()
    known.hold()
    assert (known.tile(rows, columns).codes(reach) == expected).all()
    assert (known.tile(some, columns[::-1]).codes(reach) == expected[::-1][:, some]).all()


def test_254_radii_have_254_codes(monkeypatch):
    monkeypatch.setattr(screening, "OFTEN", 0)  # each radius is a distance, so many are unsure
    X = coordinates(3, "normal", 50, 10)
    D = minkowski(X, X)
    reach = np.quantile(D, np.linspace(0, 1, 254))
    known = screen(X, X).tile(np.arange(50), np.arange(50)).codes(reach)
    assert (known == (D[:, :, None] >= reach).sum(axis=2)).all()
    assert known.max() == 254


def test_squares_that_underflow_are_measured():
    # single precision: the first column makes S large, and squares of the others are below the smallest number
    X = np.zeros((8, 9), np.float32)
    X[:, 0] = 2.0**-19
    X[0, 0] -= 2.0**-28
    X[1, 0] += 2.0**-28
    X[2:, 1:] = np.float32(2.0**-75) * (1 + np.arange(6)[:, None] / 4)
    D = minkowski(X, X)
    for reach in reaches(D, 100):
        known = screen(X, X)
        codes = None if known is None else known.tile(np.arange(8), np.arange(8)).codes(np.array([reach]))
        assert codes is None or (codes == (reach <= D)).all()


@pytest.mark.parametrize(("low", "high"), [(1e-300, 1e300), (1e-30, 1e30)])
def test_radii_beyond_single_precision(low, high):
    X = coordinates(0, "normal", 30, 12)
    reach = np.array([low, 3.0, high])
    codes = screen(X, X).tile(np.arange(30), np.arange(30)).codes(reach)
    assert (codes == (minkowski(X, X)[:, :, None] >= reach).sum(axis=2)).all()
    single = Coding(reach)  # warns of nothing
    assert (single(minkowski(X, X).astype(np.float32)) == codes).all()


def test_what_a_product_cannot_compare():
    X = coordinates(0, "normal", 20, 12)
    missing = X.copy()
    missing[3, 4] = np.nan
    for Z in (missing, X * 1e160, X * 1e-160, X * 1e307, X * 0, X[:0], X + 1e9, X[:, :4]):
        assert screen(np.ascontiguousarray(Z), np.ascontiguousarray(Z)) is None


LEVELS = (None, np.array([0.0, 0.1, 0.5, 0.9, 1.0]), np.array([1e-3]))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_default_radii_by_products_are_those_of_one_scan(case, monkeypatch):
    monkeypatch.setattr(coding, "SIDE", 32)  # so that most tiles stand for their transposes as well
    X = rows_of(case, 130)
    Z, row = np.concatenate([X[5:80], X[:20] * 1.5]), np.r_[np.arange(5, 80), np.full(20, -1)]
    for candidates, candidate_row in ((X, np.arange(len(X))), (Z, row)):
        known = screen(X, candidates, hold=True)
        D = Held(minkowski(X, candidates))
        for levels in LEVELS:
            if known is not None:
                found = radii_at(Screened(D.values, known), candidate_row, levels, (0,))
                assert found.tolist() == radii_at(D, candidate_row, levels, (0,)).tolist()


class Screened(Held):
    """A matrix whose pairs are compared by products first, in halves if it is symmetric."""

    def __init__(self, values, known):
        super().__init__(values)
        object.__setattr__(self, "known", known)

    @property
    def screening(self):
        return self.known

    def tiles(self):
        return coding.half_tiles(len(self.values)) if self.known.symmetric else super().tiles()


def asked(X, Z, known):
    """A query about the rows of X, whose distances to Z are compared by a product."""
    source = Streamed(lambda a, b: minkowski(a[0], b[0]), (X,), (Z,))

    class Compared(Streamed):
        screening = known

    return Query(
        np.arange(len(X)), lambda at, points: source.take(at, points.at), lambda at: X[at], lambda at: X[at],
        beside=lambda points: Beside(Compared(source.between, source.rows, source.candidates), points.at),
    )  # fmt: skip


def covered(D, member, radii):
    """The class whose balls contain each row of each set, in loops."""
    out = np.full((len(D), len(member)), -1)
    for i, g in np.ndindex(out.shape):
        classes = {c for c, d in zip(member[g].tolist(), D[i].tolist(), strict=True) if c >= 0 and d < radii[g]}
        out[i, g] = min(classes) if len(classes) == 1 else -1
    return out


@pytest.mark.parametrize("kind", ["normal", "integers"])
def test_sets_of_all_sizes_over_many_prototypes(kind, monkeypatch):
    """Sets of nearly all prototypes, which share a pass, beside small ones."""
    monkeypatch.setattr("protoclass.core.neighbours.nearest.SAMPLED", 60)
    draw = np.random.default_rng(len(kind))
    X = draw.normal(size=(460, 12)) if kind == "normal" else draw.integers(0, 3, (460, 12)).astype(float)
    known, points = screen(X, X), Points(np.zeros(400, int), at=np.sort(draw.choice(460, 400, replace=False)))
    member = np.full((14, 400), -1, np.int16)
    for g, size in enumerate([400, 399, 260, 257, 256, 130, 65, 64, 9, 8, 3, 2, 1, 0]):
        member[g, draw.choice(400, size, replace=False)] = draw.integers(0, 3, size)
    radii = np.quantile(minkowski(X, X), np.geomspace(0.002, 0.5, 14))
    for order in (np.arange(400), draw.permutation(400)):
        some, of = Points(points.classes, at=points.at[order]), np.ascontiguousarray(member[:, order])
        D, sets = minkowski(X, X)[:, some.at], Sets(of)
        assert (nearest_to(asked(X, X, known), some, sets) == nearest(D, sets)).all()
        assert (covering(asked(X, X, known), some, of, radii) == covered(D, of, radii)).all()


@pytest.mark.parametrize("case", CASES, ids=named)
def test_nearest_prototypes_and_coverage_are_those_of_the_distances(case):
    X = rows_of(case, 90)
    draw = np.random.default_rng(case[-1])
    Z = np.concatenate([X[:50], X[:9]])  # copies are as near as their originals
    for candidates in (X, Z):
        known = screen(X, candidates, hold=draw.random() < 0.5)
        if known is None:
            return
        points = Points(np.zeros(30, int), at=np.sort(draw.choice(len(candidates), 30, replace=False)))
        member = draw.integers(-1, 3, (12, 30)).astype(np.int16)
        member[1:3], member[3, 1:], member[4, 4:] = -1, -1, -1  # small sets, and empty ones
        D = minkowski(X, candidates)[:, points.at]
        sets = Sets(member)
        assert (nearest_to(asked(X, candidates, known), points, sets) == nearest(D, sets)).all()
        reach = reaches(D, 5)
        radii = reach[draw.integers(0, len(reach), 12)].astype(float)
        radii[::4] = np.nextafter(radii[::4], np.inf)  # as closed balls have them
        assert (covering(asked(X, candidates, known), points, member, radii) == covered(D, member, radii)).all()
        known.hold()
        assert (nearest_to(asked(X, candidates, known), points, sets) == nearest(D, sets)).all()


def test_prototypes_that_products_cannot_tell_apart_are_measured():
    """The nearest of two at distances that differ by less than the products' error."""
    draw = np.random.default_rng(8)
    X = draw.normal(size=(80, 8))
    steps = draw.normal(size=(2, 80, 8))
    steps *= (1 + draw.uniform(0, 0.3, (2, 80, 1))) * 1e-3 / np.linalg.norm(steps, axis=2, keepdims=True)
    Z = np.concatenate(X + steps)
    known, points = screen(X, Z), Points(np.zeros(160, int), at=np.arange(160))
    sets = Sets((np.arange(160) // 80).astype(np.int16)[None])
    D = minkowski(X, Z)
    assert known.error > (D.min(axis=1) ** 2).max() / 4
    assert (nearest_to(asked(X, Z, known), points, sets) == nearest(D, sets)).all()
