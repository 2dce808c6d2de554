"""Integers that floats round: a warning names the column."""

import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.frames.blocks import first_rounded


def table(dtype, first):
    x = pd.Series(np.uint64(first) + np.arange(40).astype(np.uint64)).astype(dtype)
    return pd.DataFrame({"x": x, "a": 1.0 + np.arange(40), "y": np.where(np.arange(40) % 2, "p", "q")})


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "UInt64", "int64[pyarrow]"])
@pytest.mark.parametrize("metric", ["manhattan", "gower"])
def test_rounded_integers_are_named(dtype, metric):
    said = r"column 'x' has integers beyond 2\^53, such as 9007199254740993, which are rounded to floats"
    t = table(dtype, 2**53)
    with pytest.warns(pc.DataWarning, match=said) as told:
        fit = pc.fit("y ~ x", t, "knn", k=1, dissimilarity=metric)
    assert len(told) == 1
    assert fit.training_error() > 0
    with pytest.warns(pc.DataWarning, match=said):
        pc.dissimilarity("~ x", t, metric)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cured = pc.fit("y ~ x", t.assign(x=t.x - t.x.min()), "knn", k=1, dissimilarity=metric)
        pc.fit("y ~ a", t, "knn", k=1, dissimilarity=metric)
        pc.fit("y ~ x", t.assign(x=t.x.astype("uint64") * np.uint64(2) - np.uint64(2**54 - 2**52)), "knn", k=1, dissimilarity=metric)
        pc.fit("y ~ x", t.assign(x=2**55 + 64 * np.arange(40)), "knn", k=1, dissimilarity=metric)  # which floats hold
    assert cured.training_error() == 0


def test_integers_that_are_not_rounded_are_not_named():
    t = table("int64", 2**53)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact = pc.fit("y ~ x", t, "knn", k=1, dissimilarity=lambda a, b: abs(int(a.x) - int(b.x)))
        pc.fit("y ~ C(x)", t, "knn", k=1, dissimilarity="euclidean", cv=None)
    assert exact.training_error() == 0
    held = t.astype({"x": "Int64"})
    held.loc[3, "x"] = pd.NA
    with pytest.warns(pc.DataWarning, match="integers beyond 2"):
        pc.fit("y ~ x + a", held, "knn", k=1, na="keep")
    held["x"] = pd.array([pd.NA] * 40, "Int64")
    pc.fit("y ~ x + a", held, "knn", k=1, na="keep")


def test_the_least_integer_and_even_ones_are_exact():
    assert first_rounded(pd.Series([-(2**63), 2**62, 2**53 + 2, 0, -(2**53)])) is None
    assert first_rounded(pd.Series([0, -(2**53) - 1])) == -(2**53) - 1
    assert first_rounded(pd.Series(np.array([2**64 - 1], np.uint64))) == 2**64 - 1
