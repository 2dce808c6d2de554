"""Cases that once went wrong without a word, or with somebody else's error."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.mark.parametrize("term", ["log(x)", "sqrt(x)"])
def test_what_a_transform_makes_missing_is_named(term):
    data = pd.DataFrame({"x": [-1.0, 2.0, 3.0, 4.0], "y": list("abab")})
    with pytest.raises(pc.errors.DataError, match=r"\(x\)' is nan at row 0, but distances need finite numbers"):
        pc.fit(f"y ~ {term}", data, eps=1.0)
    fit = pc.fit(f"y ~ {term}", data.iloc[1:], eps=1.0)
    with pytest.raises(pc.errors.DataError, match="is nan at row 0"):
        fit.predict(data)


@pytest.mark.parametrize(("eps", "lambda_"), [(0.5, 0.0), (1.0, 0.3)])
def test_the_unit_of_the_weights_does_not_matter(iris, eps, lambda_):
    whole = np.random.default_rng(0).integers(1, 5, 150)
    one = pc.fit("species ~ .", iris, eps=eps, lambda_=lambda_, weights=whole, dissimilarity="euclidean", repeats=1)
    for unit in (0.1, 1 / 3, 10.0):
        other = pc.fit("species ~ .", iris, eps=eps, lambda_=lambda_ * unit, weights=whole * unit, dissimilarity="euclidean", repeats=1)
        assert other.prototypes.index.tolist() == one.prototypes.index.tolist()
        assert other.objective.value == pytest.approx(one.objective.value * unit)
    normal = pc.fit("species ~ .", iris, eps=eps, weights=np.full(150, 1 / 150), dissimilarity="euclidean", repeats=1)
    assert normal.prototypes.index.tolist() == pc.fit("species ~ .", iris, eps=eps,
        dissimilarity="euclidean", repeats=1).prototypes.index.tolist()


def test_numbers_that_c_makes_categories(iris):
    data = iris.assign(k=np.arange(150) % 3)
    fit = pc.fit("species ~ C(k) + sepal_width", data, eps=1.0, dissimilarity="euclidean")
    with pytest.raises(pc.errors.DataError, match=r"column 'k' has levels that the training data \(0, 1, 2\) lack: 99"):
        fit.predict(data.head(2).assign(k=[99, 0]), unseen="raise")
    assert pc.fit("species ~ C(k) + sepal_width", data, eps=0.3).dissimilarity.metric.name == "Gower"
    a = pc.dissimilarity("~ C(k) + sepal_width", data).frame()
    b = pc.dissimilarity("~ k + sepal_width", data.assign(k=data.k.astype(str))).frame()
    assert a.equals(b)
    with pytest.raises(pc.errors.FormulaError, match="both as"):
        pc.fit("species ~ C(k) + k", data, eps=1.0)
    with pytest.raises(pc.errors.FormulaError, match=r"C\(\) in 'C\(k, levels=\[0\]\)' must contain one.*: set its levels in the data"):
        pc.fit("species ~ C(k, levels=[0])", data, eps=1.0)
    with pytest.raises(pc.errors.FormulaError, match="is a category, but transforms need numbers"):
        pc.fit("species ~ I(g)", data.assign(g="u"), eps=1.0)


def test_huge_and_tiny_columns(iris):
    draw = np.random.default_rng(0).normal(size=150)
    one = pc.fit("species ~ .", iris.assign(v=draw), eps=1.0)
    for size in (1e200, 1e-300):
        assert pc.fit("species ~ .", iris.assign(v=draw * size), eps=1.0).prototypes.index.equals(one.prototypes.index)


def test_predictors_named_like_columns_of_the_answer(iris):
    data = iris.iloc[:, :3].set_axis(["class", "true_class", "newly_covered"], axis=1).assign(y=iris.species)
    fit = pc.fit("y ~ .", data, eps=1.0)
    assert fit.prototypes.columns.is_unique
    assert "true_class (predictor)" in fit.prototypes
    assert list(fit.tidy().columns) == ["prototype", "class", "true_class", "newly_covered", "miscovered"]
    assert pc.fit("y ~ class + true_class", data, eps=1.0).plot() is not None
    with pytest.raises(pc.errors.DataError, match="'distance', which augment adds"):
        fit.augment(data.assign(distance=1.0))


def test_columns_of_arrow_and_of_objects(iris):
    arrow = iris.assign(g=np.tile(["u", "v"], 75)).convert_dtypes(dtype_backend="pyarrow")
    fit = pc.fit("species ~ .", arrow, eps=0.3)
    assert fit.dissimilarity.metric.name == "Gower"
    assert (
        fit.predict(arrow).tolist()
        == pc.fit("species ~ .", iris.assign(g=np.tile(["u", "v"], 75)), eps=0.3).predict().tolist()
    )
    with pytest.raises(pc.errors.DataError, match=r"pd\.to_numeric"):
        pc.fit("species ~ .", iris.assign(g=pd.Series([1.5] * 150, dtype=object)), eps=1.0)


def test_a_tall_frame_is_streamed_and_what_does_not_fit_is_refused(monkeypatch):
    draw = np.random.default_rng(0)
    data = pd.DataFrame(draw.normal(size=(600, 2)), columns=["a", "b"]).assign(y=draw.choice(["u", "v"], 600))
    held = pc.fit("y ~ .", data, eps=0.05, dissimilarity="euclidean", cv=None)
    monkeypatch.setattr("protoclass.estimation.fitted.HOLD_LIMIT", 0)
    assert pc.fit("y ~ .", data, eps=0.05, dissimilarity="euclidean", cv=None).prototypes.equals(held.prototypes)
    monkeypatch.setattr("protoclass.core.setcover.problems.HELD", 1000)
    with pytest.raises(pc.errors.TooLargeError, match="smaller radii, candidates=500"):
        pc.fit("y ~ .", data, eps=1.0, solver="ratio", dissimilarity="euclidean", cv=None)


def test_dissimilarities_whose_squares_overflow_are_refused_by_name():
    D = np.random.default_rng(0).random((8, 8))
    np.fill_diagonal(D, 0)
    D[4, 2] = 1e300
    data = pd.DataFrame({"x": np.arange(8.0), "y": list("cbaaabcb")})
    D = pd.DataFrame(D, data.index, data.index)
    with pytest.raises(pc.errors.DataError, match=r"some dissimilarities are too large, because.*: correct them, or divide all"):
        pc.fit("y ~ 1", data, "hyperplane", C=1.0, dissimilarity=D)
    fit = pc.fit("y ~ 1", data, "knn", k=3, dissimilarity=D)
    with pytest.raises(pc.errors.DataError, match="too large for a map"):
        fit.plot()
    with pytest.raises(pc.errors.DataError, match="too large for a map"):
        fit.explore()


@pytest.mark.parametrize("where", ["rows", "columns", "levels", "classes"])
def test_half_a_character_is_refused(where):
    n, half = 20, "a\ud800"
    data = pd.DataFrame({"x": np.arange(n) % 7.0, "g": pd.Series(["u", half if where == "levels" else "v"] * 10, dtype=object)})
    data["y"] = pd.Series(["b", half if where == "classes" else "c"] * 10, dtype=object)
    data = data.set_axis(pd.Index(["x" if where != "columns" else half, "g", "y"], dtype=object), axis=1)
    data = data.set_axis(pd.Index([f"{half if where == 'rows' else 'r'}{k}" for k in range(n)], dtype=object))
    with pytest.raises(pc.errors.DataError, match="half a character"):
        pc.fit("y ~ .", data, eps=0.5)


@pytest.mark.parametrize("argument", ["groups", "cv"])
@pytest.mark.parametrize("value", [[1], np.zeros(1, [("a", "f8")])[0]])
def test_labels_without_a_hash_are_refused(argument, value):
    data = pd.DataFrame({"x": np.arange(20.0), "y": list("ab") * 10})
    with pytest.raises(pc.errors.DataError, match="must be labels such as numbers or texts"):
        pc.fit("y ~ x", data, eps=[1.0, 2.0], **{argument: pd.Series([value] * 20, dtype=object)})
