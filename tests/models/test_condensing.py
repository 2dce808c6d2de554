"""Condensing and multi-editing against loops, and what they promise."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.neighbours.nearest import condense_rows, edit_rows
from protoclass.core.sources import Held

RAW = pc.Euclidean(scale=False)


def slow_condense(D, y, order):
    kept, again = [], True
    while again:
        again = False
        for i in order:
            if i in kept:
                continue
            near = min(((D[i, j], y[j], j) for j in kept), default=(None, -1, -1))
            if near[1] != y[i]:
                kept.append(int(i))
                again = True
    return kept


@pytest.mark.parametrize("seed", range(8))
def test_condensing_equals_loops(seed):
    draw = np.random.default_rng(seed)
    n = 25
    D = draw.integers(0, 9, (n, n)).astype(float) if seed % 2 else np.abs(np.subtract.outer(*[draw.normal(size=n)] * 2))
    y, order = draw.integers(0, 3, n), draw.permutation(n)
    np.fill_diagonal(D, 0)
    assert condense_rows(Held(D), np.arange(n), y, order).tolist() == slow_condense(D, y, order)


def test_a_condensed_set_is_consistent(iris):
    fit = pc.fit("species ~ .", iris, "condensed")
    distinct = iris.drop_duplicates(subset=list(iris.columns[:-1]))
    assert fit.training_error <= 1 - len(distinct) / 150
    assert len(fit.prototypes) < 50
    assert fit.update(seed=0).prototypes.equals(fit.prototypes)
    assert not fit.update(seed=1).prototypes.index.equals(fit.prototypes.index)
    D = pc.dissimilarity("species ~ .", iris).frame()
    shuffled = D[D.columns[::-1]]
    assert pc.fit("species ~ 1", iris, "condensed", dissimilarity=shuffled).prototypes.index.equals(
        fit.prototypes.index
    )


def test_multiediting_drops_what_neighbours_deny():
    draw = np.random.default_rng(0)
    n = 120
    x = np.sort(draw.uniform(0, 10, n))
    y = (x > 5).astype(int)
    wrong = [20, 50, 95]
    y[wrong] = 1 - y[wrong]
    D = np.abs(np.subtract.outer(x, x))
    kept = edit_rows(Held(D), np.arange(n), y, np.arange(n), 3, 5, (0,))
    assert not set(wrong) & set(kept.tolist())
    assert len(kept) > 90
    assert ((x[kept] > 5) == (y[kept] == 1)).all()
    data = pd.DataFrame({"x": x, "y": np.where(y == 1, "b", "a")})
    fit = pc.fit("y ~ x", data, "multiedit", dissimilarity=RAW)
    assert set(fit.prototypes["class"]) == {"a", "b"}
    assert "Rows left by editing" in str(fit)
    few = fit.update(condense=True)
    assert len(few.prototypes) <= 6
    assert (few.predict().astype(str) == fit.predict().astype(str)).mean() > 0.95


def test_rows_must_be_the_candidates(iris):
    wide = pc.dissimilarity("species ~ .", iris).frame().iloc[:, :40]
    for method in ("condensed", "multiedit"):
        with pytest.raises(pc.DataError, match="this method selects among the rows, so it needs the dissimilarities between all rows"):
            pc.fit("species ~ 1", iris, method, dissimilarity=wide)
        tiny = pd.DataFrame({"x": [0.0, 1.0], "y": ["a", "b"]})
        assert pc.fit("y ~ x", tiny, method).predict().tolist() == ["a", "b"]
