"""Sources whose rows are kept in several places: what is taken from them, default radii, and what they refuse."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from places import Forgetful, LocalParts, cuts_of, look_up_beside, moved, parts_of
from test_parted_covers import paths, problem

import protoclass as pc
from protoclass.core import histogram
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.core.histogram import default_radii
from protoclass.core.parts import answers, parted_source
from protoclass.core.query import Query, answer, answer_kinds, candidate_query
from protoclass.core.sources import Held, Streamed
from protoclass.core.spatial import Spatial
from protoclass.core.task import Points
from protoclass.ground.errors import NoVectors, TooLarge
from protoclass.metrics.reading import source_beside


def source_of(D, cuts, parts=LocalParts):
    return parted_source(parts(parts_of((D,), cuts)), (np.arange(D.shape[1]),), look_up_beside)


def test_parts_of_the_matrix_are_taken():
    draw = np.random.default_rng(0)
    D = draw.random((30, 12))
    source = source_of(D, [0, 7, 7, 20, 30])
    assert source.shape == (30, 12)
    for rows, columns in ((draw.integers(0, 30, 9), draw.integers(0, 12, 5)), ([], [3]), ([29], []), (range(30), [1])):
        rows, columns = np.array(rows, int), np.array(columns, int)
        np.testing.assert_array_equal(source.take(rows, columns), D[np.ix_(rows, columns)])
    np.testing.assert_array_equal(source.only(np.array([4, 2])).take(np.arange(30), np.arange(2)), D[:, [4, 2]])


def test_what_needs_all_dissimilarities_is_refused():
    source = source_of(np.zeros((5, 4)), [2])
    with pytest.raises(TooLarge, match=r"of 5 rows to 4 candidates in one place.*sample of the rows"):
        source.array()


@pytest.mark.parametrize("seed", range(12))
def test_default_radii_are_those_of_one_place(seed, monkeypatch):
    draw = np.random.default_rng(seed)
    n = 900 if seed > 9 else int(draw.integers(5, 60))
    m = n + int(draw.integers(0, 4))
    D = draw.integers(0, 8, (n, m)).astype(float) if seed % 2 else draw.random((n, m))
    D = D.astype(np.float32) if seed % 4 == 0 else D
    row = np.r_[np.arange(n), np.full(m - n, -1)]
    source = source_of(D, cuts_of(draw, n), Forgetful if seed % 3 == 0 else LocalParts)
    for levels in (None, np.linspace(0, 1, 7)):
        for sample in (2**27, n * m // 3):
            monkeypatch.setattr(histogram, "SAMPLE", sample)
            expected = default_radii(Held(D), row, levels, (0,))
            assert default_radii(source, row, levels, (0,)).tobytes() == expected.tobytes()


def measure(rows, candidates):
    return np.ascontiguousarray(minkowski(candidates[0], rows[0], 2.0).T)


def spatial_beside(rows, candidates):
    return Spatial(Streamed(measure, rows, candidates), Geometry(), False, None)


def test_default_radii_are_those_of_approximations():
    """In one place products say which distances are measured; several places count all of them."""
    X = np.random.default_rng(1).normal(size=(900, 12))
    row = np.arange(900)
    source = parted_source(LocalParts(parts_of((X,), [300, 899])), (X,), spatial_beside)
    assert spatial_beside((X,), (X,)).screening is not None
    expected = default_radii(spatial_beside((X,), (X,)), row, None, (0,))
    assert default_radii(source, row, None, (0,)).tobytes() == expected.tobytes()


def test_constant_rows_have_no_radii():
    assert len(default_radii(source_of(np.zeros((9, 4)), [3]), np.full(4, -1), None, (0,))) == 0


def query_here(D, rows):
    return Query(rows, lambda at, prototypes: D[np.ix_(at, prototypes.at)], None, None)


@pytest.mark.parametrize("seed", range(6))
def test_rules_are_asked_where_the_rows_are(seed):
    task, D, fold, folds, cuts = problem(seed)
    away = moved(task, D, cuts, Forgetful if seed == 3 else LocalParts)
    for f, path in paths(away, fold, folds):
        rows = np.random.default_rng(seed).permutation(np.flatnonzero(fold == f) if folds > 1 else np.arange(len(D)))
        here, there = query_here(D, rows), replace(candidate_query(away.D, rows), elsewhere=partial(answers, away.D))
        for kind in path.kinds:
            found = answer(path, kind, there)
            assert found.dtype == np.int8
            np.testing.assert_array_equal(found, answer(path, kind, here))
        for kind in path.at(1).kinds:
            np.testing.assert_array_equal(answer(path.at(1), kind, there), answer(path.at(1), kind, here))
        some = there.take(slice(2, 5))
        np.testing.assert_array_equal(answer(path, "class", some), answer(path, "class", here.take(slice(2, 5))))
        for kind, found in zip(path.kinds, answer_kinds(path, path.kinds, there), strict=True):
            np.testing.assert_array_equal(found, answer(path, kind, here))
        none = np.arange(0)
        (found,) = answers(away.D, path, ["class"], none)
        assert found.shape == answer(path, "class", query_here(D, none)).shape


def test_rules_that_read_coordinates_are_refused():
    query = candidate_query(source_of(np.zeros((5, 4)), [2]), np.arange(5))
    for ask in (
        query.coordinates,
        query.columns,
        lambda: query.dissimilarities(Points(np.zeros(1), coords=np.zeros(1))),
    ):
        with pytest.raises(NoVectors, match=r"compared only with candidates: use method='pvm'"):
            ask()


def test_a_trained_metric_measures_where_the_rows_are():
    measured = pc.dissimilarity("species ~ .", pc.load_data("iris"))
    assert isinstance(source_beside(measured.metric, *((np.zeros((2000, 4)),),) * 2), Spatial)
    beside = partial(source_beside, measured.metric)
    source = parted_source(Forgetful(parts_of(measured.rows, [20, 20, 110])), measured.candidates, beside)
    expected = measured.source(lambda: None).take(np.arange(150), np.arange(150))
    assert source.take(np.arange(150), np.arange(150)).tobytes() == expected.tobytes()
