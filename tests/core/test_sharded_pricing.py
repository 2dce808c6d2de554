"""Lists, prices, certificates and exact covers of rows in several places against those of rows in one place."""

import numpy as np
import pytest
from places import Forgetful, moved
from test_rounds import EPS, assert_same, paths, problem

from protoclass.core.covers import generation, reading, solving
from protoclass.core.covers.own_paths import own_paths
from protoclass.core.covers.pricing import price
from protoclass.core.covers.problems import covers
from protoclass.core.covers.reading import Sets
from protoclass.core.covers.sharded_pricing import price_in_parts
from protoclass.core.parts import LocalParts


def both(seed, parts=LocalParts):
    task, D, fold, folds, cuts = problem(seed, rows=(20, 60))
    return covers(task, fold, folds, EPS, 0.0), covers(moved(task, D, cuts, parts), fold, folds, EPS, 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_lists_come_from_all_places(seed):
    here, there = both(seed, Forgetful if seed % 2 else LocalParts)
    assert there.entries == here.entries
    for a, b in zip(there.lists_of(here.classes, np.inf), here.lists_of(here.classes, np.inf), strict=True):
        for mine, other in zip(a, b, strict=True):
            np.testing.assert_array_equal(mine, other)
    # without the rows of a fold
    some = tuple(Sets(one.candidates[::2], one.rows[here.fold[one.rows] != 0]) for one in here.classes)
    for one, lists in zip(some, there.lists_of(some, np.inf), strict=True):
        inside = here.read.codes(one)
        for k in range(len(EPS)):
            balls = [np.sort(lists[2][start:upto]) for start, upto in zip(lists[0], lists[1][:, k], strict=True)]
            expected = [np.flatnonzero(line <= k) for line in inside]
            for mine, other in zip(balls, expected, strict=True):
                np.testing.assert_array_equal(mine, other)
    pairs = sum(len(lists[2]) for lists in there.lists_of(here.classes, np.inf))
    assert there.lists_of(here.classes, pairs) is not None
    assert there.lists_of(here.classes, pairs - 1) is None


@pytest.mark.parametrize("seed", range(8))
def test_prices_sum_over_all_places(seed, monkeypatch):
    monkeypatch.setattr(reading, "TILE", 64)  # several strips of a class
    here, there = both(seed, Forgetful if seed % 2 else LocalParts)
    draw, k = np.random.default_rng(seed), seed % len(EPS)
    columns = [here.columns(one, k) for one in here.classes]
    whole = [draw.integers(0, 2, len(one.rows)) * here.w[one.rows] for one in here.classes]  # sums are exact
    costs = [draw.integers(1, 5, len(one.candidates)) / 2 for one in here.classes]
    found, expected = price_in_parts(there.read, columns, whole, costs), price(here.read, columns, whole, costs)
    assert any((one.reduced < 0).any() for one in expected)
    for a, b in zip(found, expected, strict=True):
        for name in ("prices", "reduced", "factor", "worst"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize(("options", "generated"), [
    ({"certify": True}, False), ({"certify": True}, True), ({"solver": "exact"}, False), ({"solver": "exact"}, True),
    ({"solver": "rounding"}, False), ({"solver": "ratio"}, False),
])  # fmt: skip
def test_solvers_and_certificates(options, generated, monkeypatch):
    if generated:
        monkeypatch.setattr(solving, "fits", lambda problems: False)
        monkeypatch.setattr(generation, "SAMPLE", 3)
    proved = 0
    for seed in range(3):
        task, D, fold, folds, cuts = problem(seed, rows=(15, 30))
        expected, found = (paths(one, fold, folds, EPS[1:3], **options) for one in (task, moved(task, D, cuts)))
        if not generated:
            assert_same(found, expected)
        for (_, a), (_, b) in zip(found, expected, strict=True):
            for run, other in zip(a.runs, b.runs, strict=True):
                if other.certificate is None:
                    continue
                proved += 1
                np.testing.assert_allclose(run.certificate.objective, other.certificate.objective, rtol=1e-9)
                np.testing.assert_allclose(run.certificate.bound, other.certificate.bound, rtol=1e-6, atol=1e-9)
    assert proved > 0 or options == {"solver": "ratio"}


@pytest.mark.parametrize("seed", range(3))
def test_radii_of_their_own(seed):
    task, D, fold, folds, cuts = problem(seed, rows=(15, 40))
    runs = [
        list(own_paths(one, fold, folds, EPS[1:3], np.array([0.5]), solving.Options()))
        for one in (moved(task, D, cuts, Forgetful if seed else LocalParts), task)
    ]
    for (f, found), (g, expected) in zip(*runs, strict=True):
        assert f == g
        for of, other in zip(found.runs, expected.runs, strict=True):
            for run, same in zip(of, other, strict=True):
                for name in ("at", "classes", "covers", "wrong", "radii"):
                    np.testing.assert_array_equal(getattr(run, name), getattr(same, name))
