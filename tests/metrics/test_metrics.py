"""Metrics against SciPy, definitions in loops, and R's published numbers."""

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from new_rows import measure
from scipy.spatial.distance import braycurtis, cdist, pdist, squareform

import protoclass as pc
from protoclass.core.distances.minkowski import minkowski
from protoclass.core.histogram import radii_at
from protoclass.core.sources import Held


@pytest.mark.parametrize(("r", "name"), [(1, "cityblock"), (2, "euclidean"), (np.inf, "chebyshev"), (3, "minkowski")])
@pytest.mark.parametrize("p", [1, 2, 5, 16])
def test_minkowski_equals_scipy(r, name, p):
    draw = np.random.default_rng(p)
    a, b = draw.normal(size=(37, p)), draw.normal(size=(611, p))
    options = {"p": 3} if name == "minkowski" else {}
    assert_close(minkowski(a, b, r), cdist(a, b, name, **options), rel=1e-12)
    single = minkowski(a.astype(np.float32), b.astype(np.float32), r)
    assert single.dtype == np.float32
    assert_close(single, cdist(a, b, name, **options), rel=1e-4, abs=1e-6)


def test_gower_takes_numbers_0_and_1_as_asymmetric():
    """R 4.2.2, cluster 2.1.4: daisy(g, "gower", type = list(asymm = c("a", "b")))."""
    g = pd.DataFrame({"a": [1, 0, 0, 1, 1], "b": [0, 0, 1, 1, 0], "x": [1.0, 2, 3, 4, 9]})
    expected = [0.5625, 0.75, 0.458333, 0.5, 0.5625, 0.75, 0.9375, 0.375, 0.916667, 0.541667]
    for table in (g, g.astype({"a": bool}), g.astype({"a": float})):
        d = pc.dissimilarity("~ .", table, pc.Gower(asymmetric=["a", "b"]))
        assert np.allclose(d.condensed(), expected, atol=1e-6)
    with pytest.raises(
        pc.errors.OptionError, match=r"asymmetric names 'x', which is not a boolean predictor, or one of 0 and 1: use 'a', 'b'"
    ):
        pc.dissimilarity("~ .", g, pc.Gower(asymmetric=["x"]))


def test_an_unknown_name_shows_that_a_function_is_taken(iris):
    with pytest.raises(pc.errors.OptionError, match=r"or a function of two rows, such as scipy\.spatial\.distance\.braycurtis"):
        pc.dissimilarity("~ . - species", iris, "braycurtis")
    d = pc.dissimilarity("~ . - species", iris[:9], braycurtis)
    assert np.allclose(d.condensed(), pdist(iris.iloc[:9, :4], "braycurtis"))


def test_ranks_are_counted_among_training_rows(iris):
    base = pc.dissimilarity("species ~ .", iris).frame().to_numpy()
    ranks = pc.dissimilarity("species ~ .", iris, pc.Ranks()).frame().to_numpy()
    slow = (base[:, None, :] <= base[None, :, :]).sum(axis=0)  # rows x_k with d(x_k, z) <= d(x, z), for each x and z
    assert np.array_equal(ranks, slow)
    assert (ranks.diagonal() >= 1).all()


def test_a_callable_is_measured_on_raw_rows(iris):
    few = iris.iloc[::6]
    d = pc.dissimilarity("species ~ .", few, lambda a, b: abs(a["petal_length"] - b.petal_length))
    x = few.petal_length.to_numpy()
    assert_close(d.frame().to_numpy(), np.abs(x[:, None] - x))
    fit = pc.fit("species ~ .", few, dissimilarity=lambda a, b: abs(a.petal_length - b.petal_length), eps=0.5)
    assert fit.predict(iris.iloc[[0, 149]]).tolist() == ["setosa", "virginica"]


def test_kernel_distances():
    X = np.random.default_rng(0).normal(size=(9, 3))
    assert_close(pc.Dissimilarity.from_kernel(X @ X.T).frame().to_numpy(), cdist(X, X), abs=1e-7)
    with pytest.raises(pc.errors.DataError, match="not a kernel"):
        pc.Dissimilarity.from_kernel(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("large", [False, True])
def test_default_radii_lie_default_radii_below_quantiles(dtype, large, monkeypatch):
    D = np.random.default_rng(2).gamma(2.0, size=(60, 60)).astype(dtype)
    if large:  # the finer bins that large matrices get
        monkeypatch.setattr("protoclass.core.histogram.FINE_FROM", 0)
    D[3, 5] = 0.0
    observed = np.sort(D[(~np.eye(60, dtype=bool)) & (D > 0)].astype(float))
    N = len(observed)
    levels = np.r_[0.0, np.geomspace(N**-0.5, 0.5, 19)]
    chosen = observed[np.maximum(np.ceil(levels * N).astype(int) - 1, 0)]
    below = [max((v for v in observed if v < c), default=0.0) for c in chosen]
    expected = np.unique((np.array(below) + chosen) / 2)
    assert radii_at(Held(D), np.arange(60), None, (0,)) == pytest.approx(expected, rel=1e-12)


def test_condensed_order_and_forms(iris):
    few = iris.iloc[[0, 60, 120, 149]]
    d = pc.dissimilarity("species ~ .", few)
    assert_close(squareform(d.condensed()), d.frame().to_numpy())
    by_position = pc.fit("species ~ 1", few, dissimilarity=d.condensed(), eps=1.0, cv=None)
    by_label = pc.fit("species ~ 1", few, dissimilarity=d.frame(), eps=1.0)
    square = pc.fit("species ~ 1", few, dissimilarity=d.frame().to_numpy(), eps=1.0)
    assert by_position.prototypes.equals(by_label.prototypes)
    assert by_position.prototypes.equals(square.prototypes)


def test_a_formula_may_be_left_out(iris):
    X = iris.drop(columns="species")
    d = pc.dissimilarity(X, metric="manhattan")
    assert d.to_frame().equals(pc.dissimilarity("~ .", X, "manhattan").to_frame())
    with pytest.raises(pc.errors.OptionError, match=r"data are given twice: use dissimilarity\(formula, data, metric\)"):
        pc.dissimilarity(X, "manhattan")
    with pytest.raises(pc.errors.OptionError, match="needs data"):
        pc.dissimilarity("~ .")


def test_dissimilarity_as_a_value(iris):
    d = pc.dissimilarity("species ~ .", iris)
    assert d.shape == (150, 150)
    assert "Euclidean dissimilarities of 150 rows" in repr(d)
    assert d.summary()["median"] == d.quantile(0.5) == pytest.approx(d.quantile([0.5]).iloc[0])
    assert d.map().shape == (150, 2)
    a = pc.fit("species ~ 1", iris, dissimilarity=d, eps=1.0)
    b = pc.fit("species ~ .", iris, eps=1.0)
    assert a.prototypes["newly_covered"].equals(b.prototypes["newly_covered"])
    assert a.predict(iris.iloc[:9]).equals(b.predict(iris.iloc[:9]))


def by_definition(X, w, r):
    n = len(X)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            terms = [w[f] * abs(X[i, f] - X[j, f]) ** (1 if r == np.inf else r) for f in range(X.shape[1])]
            D[i, j] = max(terms) if r == np.inf else sum(terms) ** (1 / r)
    return D


def scaled_by(X, scale):
    return X / X.std(axis=0, ddof=1) if scale else X


@pytest.mark.parametrize("r", [1, 2, 3.5, np.inf])
@pytest.mark.parametrize("scale", [True, False])
def test_weights_and_scales_equal_their_definition(r, scale):
    X = np.random.default_rng(3).gamma(2.0, [1, 5, 0.1], size=(23, 3))
    table = pd.DataFrame(X, columns=list("abc"))
    plain = pc.dissimilarity("~ .", table, pc.Minkowski(r, scale=scale))
    assert_close(plain.frame().to_numpy(), by_definition(scaled_by(X, scale), [1, 1, 1], r), rel=1e-9)
    for w in ([2.0, 1.0, 0.5], [0.0, 1.0, 3.0]):
        metric = pc.Minkowski(r, scale=scale, column_weights={"a": w[0], "c": w[2]})
        d = pc.dissimilarity("~ .", table, metric)
        D = d.frame().to_numpy()
        assert_close(D, by_definition(scaled_by(X, scale), [w[0], 1, w[2]], r), rel=1e-9)
        assert np.array_equal(measure(d, table.iloc[[4]]), D[[4]])
    ones = pc.dissimilarity("~ .", table, pc.Minkowski(r, scale=scale, column_weights={"a": 1}))
    assert np.array_equal(ones.frame(), plain.frame())


def test_weights_of_predictors_and_of_the_columns_that_they_make():
    t = pd.DataFrame({"x": [1.0, 2.0, 4.0], "g": list("uvu"), "z": [0.5, 1.0, 3.0]})

    def distances(formula, **weights):
        d = pc.dissimilarity(formula, t, pc.Manhattan(scale=False, column_weights=weights or None))
        return d.frame().to_numpy()

    base, other = distances("~ x"), distances("~ g")
    assert distances("~ x + g", g=3) == pytest.approx(base + 3 * other)
    assert distances("~ x + g", **{"g[u]": 3}) == pytest.approx(base + 2 * other)
    assert distances("~ x + g", g=0, **{"g[u]": 1}) == pytest.approx(base + other / 2)
    assert distances("~ log(x) + z", x=2) == pytest.approx(2 * distances("~ log(x)") + distances("~ z"))
    assert distances("~ x + z + x:z", **{"x:z": 2}) == pytest.approx(
        distances("~ x + z") + 2 * distances("~ x:z - x - z")
    )
    # "x" is a column of its own: the weight holds for it, and not for log(x)
    assert distances("~ x + log(x)", x=5) == pytest.approx(5 * base + distances("~ log(x)"))
    with pytest.raises(
        pc.errors.OptionError, match=r"column_weights names 'y', which is not a column of the.*: use 'x', 'g\[u\]', 'g\[v\]', 'g'"
    ):
        distances("~ x + g", y=2)
    with pytest.raises(pc.errors.OptionError, match=r"use 'x:z'$"):
        distances("~ x:z", x=2)
    with pytest.raises(pc.errors.OptionError, match="column_weights must not be 0 for all columns"):
        distances("~ x + z", x=0, z=0)


@pytest.mark.parametrize("bad", [{"x": -1}, {1: 2.0}, [1, 2]])
def test_wrong_weights(bad):
    with pytest.raises(pc.errors.OptionError, match="a mapping of column names to numbers >= 0"):
        pc.Euclidean(column_weights=bad)


def test_a_weight_of_0_leaves_no_way_back(iris):
    metric = pc.Euclidean(column_weights={"sepal_length": 0, "sepal_width": 0})
    without = pc.fit("species ~ petal_length + petal_width", iris, eps=0.5)
    fit = pc.fit("species ~ .", iris, dissimilarity=metric, eps=0.5)
    assert fit.prototypes["newly_covered"].equals(without.prototypes["newly_covered"])
    assert "weights of columns: sepal_length 0, sepal_width 0 (others 1)" in str(fit.summary())
    with pytest.raises(pc.errors.NoCoordinatesError, match=r"'sepal_length' has weight 0.*leave the column out of the formula"):
        pc.fit("species ~ .", iris, "kmeans", K=2, dissimilarity=metric)
    with pytest.raises(pc.errors.NoCoordinatesError, match="weight 0"):
        fit.dissimilarity.metric.original(np.zeros((1, 4)))
    flat = pc.fit(
        "species ~ petal_length + petal_width", iris, dissimilarity=pc.Euclidean(column_weights={"petal_width": 0}), eps=0.5
    )
    assert flat.plot() is not None  # balls without bounds are not drawn


def test_a_constant_column_keeps_scale_1_and_other_scales_are_refused():
    t = pd.DataFrame({"b": [1.0, 2.0, 3.0, 4.0, 5.0], "c": 7.0})
    assert pc.dissimilarity("~ .", t, "manhattan").metric.notes == ("constant columns, left unscaled: c",)
    assert pc.dissimilarity("~ .", t.iloc[:1], "euclidean").frame().to_numpy().tolist() == [[0]]
    with pytest.raises(pc.errors.OptionError, match="scale must be True, False or 'fold', not 'minmax'"):
        pc.Euclidean(scale="minmax")


def test_numbers_too_large_to_scale_are_named():
    with pytest.raises(pc.errors.DataError, match="the spread of column 'a' is infinite"):
        pc.dissimilarity("~ .", pd.DataFrame({"a": [-1.5e308, 1.5e308]}), pc.Euclidean())
    heavy = pd.DataFrame({"a": [0.0, 0.0, 0.0, 0.0, 10.0]})
    with pytest.raises(pc.errors.DataError, match=r"column 'a' at row 4 is too large after scaling.*: scale it down, or use"):
        pc.dissimilarity("~ .", heavy, pc.Manhattan(column_weights={"a": 1e308}))
