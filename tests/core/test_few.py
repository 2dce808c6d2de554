"""Small work is done by NumPy, without compiling kernels, and gives the bits of the kernels."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core import parallel
from protoclass.core.coding import Coding
from protoclass.core.histogram import radii_at
from protoclass.core.neighbours import nearest as nearest_file
from protoclass.core.neighbours.nearest import Sets, nearest
from protoclass.core.setcover.balls import tally
from protoclass.core.setcover.problems import find_gains
from protoclass.core.sources import Held

SEEDS = range(4)


@pytest.fixture
def both(monkeypatch):
    """What a function returns by NumPy and by its kernel."""

    def results(work):
        out = []
        for few in (2**40, -1):
            monkeypatch.setattr(parallel, "FEW", few)
            out.append(work())
        return out

    return results


def tied(rng, shape, dtype=float):
    """Values >= 0 of which many are equal, 0 among them."""
    return (rng.integers(0, 6, shape) * rng.choice([0.1, 0.25], shape)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", SEEDS)
def test_codes(both, seed, dtype):
    rng = np.random.default_rng(seed)
    tile = tied(rng, (37, 70), dtype)
    radii = np.unique(np.append(tied(rng, 9)[tied(rng, 9) > 0], [1e-300, 0.1]))
    for work in (lambda: Coding(radii)(tile).T.copy(), lambda: Coding(radii).along(tile)):
        few, many = both(work)
        np.testing.assert_array_equal(few, many, strict=True)
        assert few.flags.c_contiguous
    np.testing.assert_array_equal(few, (tile.astype(float)[:, :, None] >= radii).sum(axis=2))


@pytest.mark.parametrize("seed", SEEDS)
def test_tallies_and_gains(both, seed):
    rng = np.random.default_rng(seed)
    q, r, folds, classes, radii = 9, 40, int(rng.integers(1, 4)), int(rng.integers(1, 5)), int(rng.integers(1, 6))
    codes = rng.integers(0, radii + 1, (q, r)).astype(np.uint8)
    cell = rng.integers(0, (folds + 1) * classes, r) * (radii + 1)
    weight, lines = rng.integers(0, 4, r).astype(float), rng.permutation(q)

    def weights():
        out = np.ones((q, (folds + 1) * classes * (radii + 1)))
        tally(codes, cell, weight, lines, out)
        return out

    few, many = both(weights)
    np.testing.assert_array_equal(few, many, strict=True)
    owner, cells = rng.integers(-1, folds, q), few.reshape(q, folds + 1, classes, radii + 1)
    for allowed in (np.full(q, -1), rng.integers(-1, classes, q), rng.integers(0, classes, q)):
        gain, wrong, best = find_gains(cells, owner, allowed)
        for f, k, j in np.ndindex(folds, radii, q):
            inside = np.delete(cells[j], f, axis=0)[:, :, : k + 1].sum(axis=(0, 2))
            c = inside.argmax() if allowed[j] < 0 else allowed[j]
            assert (best[f, k, j], wrong[f, k, j]) == (c, inside.sum() - inside[c])
            assert gain[f, k, j] == (-np.inf if owner[j] == f else 2 * inside[c] - inside.sum())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", SEEDS)
def test_nearest_in_sets(both, seed, dtype, monkeypatch):
    rng = np.random.default_rng(seed)
    r, q, sets = 30, int(rng.integers(0, 12)), 5
    D = tied(rng, (r, q), dtype)
    share = rng.random((sets, 1))
    member = np.where(rng.random((sets, q)) < share, rng.integers(0, 3, (sets, q)), -1).astype(np.int16)
    monkeypatch.setattr(nearest_file, "SAMPLED", 3)
    np.testing.assert_array_equal(*both(lambda: nearest(D, Sets(member))), strict=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_default_radii(both, seed):
    rng = np.random.default_rng(seed)
    D = tied(rng, (25, 18)) if seed % 2 else rng.random((25, 18)).astype(np.float32)
    D[rng.random(D.shape) < 0.1] = 1e-310 if seed % 2 else 0
    candidate_row = rng.permutation(25)[:18]
    candidate_row[rng.random(18) < 0.3] = -1
    for levels in (None, np.array([0.1, 0.5, 1.0])):
        few, many = both(lambda levels=levels: radii_at(Held(D), candidate_row, levels, (0,)))
        np.testing.assert_array_equal(few, many, strict=True)
    nothing = both(lambda: radii_at(Held(np.zeros((4, 4))), np.arange(4), None, (0,)))
    assert [len(radii) for radii in nothing] == [0, 0]


@pytest.mark.parametrize("columns", [2, 9])
def test_fits(both, columns):
    rng = np.random.default_rng(columns)
    y = rng.integers(0, 3, 90)
    X = np.round(y[:, None] + rng.normal(size=(90, columns)), 1)
    data = pd.DataFrame(X).add_prefix("x").assign(y=y.astype(str))
    weights = pd.Series(rng.integers(1, 4, 90) / 4, data.index)

    def known():
        fit = pc.fit("y ~ .", data, weights=weights, repeats=1, progress=False)
        return fit.prototypes, fit.validation.table, fit.predict(), fit.predict(kind="cover"), fit.predict(kind="distance")

    for few, many in zip(*both(known), strict=True):
        assert few.equals(many)


def test_a_first_fit_compiles_nothing_and_imports_little():
    call = """
import protoclass as pc, sys
fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity="euclidean", repeats=1, progress=False)
assert not {"numba", "formulaic", "scipy"} & set(sys.modules)
fit.predict(), fit.augment(), repr(fit), fit.test(pc.load_data("iris"))
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", call], check=True)


def add_one(x):
    return x + 1


@parallel.kernel
def same(x):
    return x


@parallel.kernel
def same_twice(x):
    return same(x), same(x)


def test_a_kernel_is_compiled_once_and_known_by_name():
    kernel = parallel.Kernel(add_one)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(kernel, range(8))) == [i + 1 for i in range(8)]
    assert kernel.py_func(1) == 2
    assert kernel.__name__ == "add_one"
    assert same_twice(3) == (3, 3)
    assert pickle.loads(pickle.dumps(same)) is same
