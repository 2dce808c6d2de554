"""Why a row has its class, beside the metrics' own formulas and predictions of changed rows."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.mark.parametrize(
    ("metric", "r", "eps"), [(pc.Euclidean(), 2, 1.0), (pc.Manhattan(scale="range"), 1, 0.5), (pc.Minkowski(3), 3, 1.0)]
)
def test_parts_of_a_minkowski_distance_are_those_of_its_formula(iris, metric, r, eps):
    fit = pc.fit("species ~ .", iris, dissimilarity=metric, eps=eps)
    table = fit.why(70)
    X = iris.drop(columns="species")
    scale = X.max() - X.min() if metric.scale == "range" else X.std()
    for name in ("prototype", "rival"):
        other = X.loc[table.attrs[name]]
        powers = ((X.loc[70] - other).abs() / scale) ** r
        distance = powers.sum() ** (1 / r)
        assert table.attrs[f"{name}_distance"] == pytest.approx(distance)
        assert table[f"to_{name}"].to_numpy() == pytest.approx((powers / powers.sum() * distance).to_numpy())
        assert table[name].tolist() == other.tolist()
    assert table.attrs["class"] == fit.predict(iris.loc[[70]]).iloc[0]
    distances = fit.predict(iris.loc[[70]], "distance").iloc[0].sort_values()
    assert [table.attrs["prototype_distance"], table.attrs["rival_distance"]] == distances.iloc[:2].tolist()


def test_parts_of_gower_dissimilarities_are_those_of_its_formula():
    clinic = pc.simulate_clinic(120, missing=0)
    fit = pc.fit("outcome ~ age + marker + ward + smoker", clinic, eps=0.2)
    row = clinic.index[5]
    table = fit.why(row)
    other = clinic.loc[table.attrs["rival"]]
    expected = [abs(clinic.loc[row, c] - other[c]) / np.ptp(clinic[c]) / 4 for c in ("age", "marker")]
    expected += [float(clinic.loc[row, c] != other[c]) / 4 for c in ("ward", "smoker")]
    assert table["to_rival"].to_numpy() == pytest.approx(expected)
    level = table.loc["ward", "change_to"]
    assert level is None or fit.predict(clinic.loc[[row]].assign(ward=level)).iloc[0] == table.loc["ward", "then"]


@pytest.mark.parametrize("row", [70, 50, 106, 133])
def test_no_smaller_change_of_a_number_gives_another_class(iris, row):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    table, asked = fit.why(row), iris.loc[[row]].drop(columns="species")
    for variable in table.index:
        here, there = asked[variable].iloc[0], table.loc[variable, "change_to"]
        low, high = iris[variable].min(), iris[variable].max()
        width = abs(there - here) if there is not None and there == there else max(here - low, high - here)
        values = np.linspace(max(low, here - 0.999 * width), min(high, here + 0.999 * width), 500)
        classes = fit.predict(pd.concat([asked] * 500, ignore_index=True).assign(**{variable: values}))
        assert set(classes) == {table.attrs["class"]}
        if there is not None and there == there:
            assert fit.predict(asked.assign(**{variable: there})).iloc[0] == table.loc[variable, "then"]


def test_all_variables_are_halved_together(iris, monkeypatch):
    fit, calls = pc.fit("species ~ .", iris, eps=1.0), []
    before = pc.Fit.predict
    monkeypatch.setattr(pc.Fit, "predict", lambda self, *args, **given: calls.append(1) or before(self, *args, **given))
    table = fit.why(70)
    assert len(calls) <= 45
    for variable, value in table["change_to"].items():
        assert fit.predict(iris.loc[[70]].assign(**{variable: value})).iloc[0] == table.loc[variable, "then"] == "versicolor"


def test_what_is_measured_together_is_one_variable():
    clinic = pc.simulate_clinic(90, missing=0)
    mixed = pc.Mixed([(["age", "marker"], "euclidean"), (["ward"], "gower")])
    fit = pc.fit("outcome ~ age + marker + ward", clinic, dissimilarity=mixed, eps=0.8)
    table = fit.why(clinic.index[3])
    assert list(table.index) == ["age + marker", "ward"]
    assert table["to_prototype"].sum() == pytest.approx(table.attrs["prototype_distance"])
    assert table.loc["age + marker", "value"] == (clinic["age"].iloc[3], clinic["marker"].iloc[3])


def test_where_distances_are_no_sum_the_reason_is_there(iris):
    table = pc.fit("species ~ .", iris, dissimilarity="mahalanobis", eps=1.0).why(70)
    assert table["to_prototype"].isna().all()
    assert "not a sum over variables" in table.attrs["not_additive"]
    assert table["change_to"].notna().any()


def test_distances_that_are_no_sum_are_not_divided(iris):
    """Time warping with any parameters, a part that is not 0 where rows agree, and a metric that declares wrongly."""

    @dataclass(frozen=True)
    class Product(pc.Metric):
        traits = pc.Traits(power=1.0)

        def rows(self, frame):
            return (frame.design.to_numpy(float),)

        def between(self, rows, candidates):
            return (1 + np.abs(rows[0][:, None] - candidates[0])).prod(axis=2) - 1

    columns = ["sepal_length", "sepal_width"], ["petal_length", "petal_width"]
    ranked = pc.Mixed([(columns[0], pc.Ranks()), (columns[1], "manhattan")])
    nested = pc.Mixed([(columns[0], pc.Mixed([(columns[0], pc.Ranks())])), (columns[1], "manhattan")])
    called = pc.Mixed([(columns[0], lambda a, b: 1.0), (columns[1], "manhattan")])
    for metric, words in [(pc.DTW(r=1), "not a sum"), (pc.DTW(r=2, window=0), "not a sum"), (ranked, "not a sum"), (nested, "not a sum"),
                          (called, "not a sum"), (Product(), "add up to")]:  # fmt: skip
        fit = pc.fit("species ~ .", iris[::10], "knn", k=1, dissimilarity=metric)
        table = fit.why(iris.index[70])
        assert words in table.attrs["not_additive"], metric
        assert table[["to_prototype", "to_rival"]].isna().all(axis=None)
        if isinstance(metric, pc.DTW):  # curves need no parts
            assert len(fit.plot("why", row=iris.index[70]).get_lines()) == 3
            continue
        with pytest.raises(pc.NotAvailable, match=words):
            fit.plot("why", row=iris.index[70])


@pytest.mark.parametrize(("method", "more"), [("knn", {"k": 1}), ("medianglvq", {"K": 1, "matrix": "diagonal", "ridge": 0.01, "cv": None})])
def test_missing_values_add_nothing(method, more):
    draw = np.random.default_rng(2)
    data = pd.DataFrame({"a": draw.normal(size=60), "b": draw.normal(size=60), "c": draw.choice(list("xyz"), 60)})
    data["y"] = np.where(data["a"] + (data["c"] == "x") > 0.4, "u", "v")
    data.loc[::7, "a"], data.loc[1:6:5, "b"] = np.nan, np.nan
    fit = pc.fit("y ~ .", data, method, na="keep", **more)
    for row in (0, 1, 2, 3, data.drop(columns="y").loc[[4]].assign(b=np.nan, c="new level")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pc.DataWarning)
            table = fit.why(row)
        assert "not_additive" not in table.attrs
        for name in ("prototype", "rival"):
            assert table[f"to_{name}"].sum() == pytest.approx(table.attrs[f"{name}_distance"])
            assert (table.loc[table["value"].isna() | table[name].isna(), f"to_{name}"] == 0).all()


def test_a_row_may_be_given(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    asked = iris.drop(columns="species").loc[70]
    assert fit.why(asked).equals(fit.why(70))
    assert fit.why(dict(asked)).equals(fit.why(iris.loc[[70]]))
    for wrong, words in ((999, "a label of the rows"), (iris, "150 were given"), ([1], "a label of the rows")):
        with pytest.raises(pc.OptionError, match=words):
            fit.why(wrong)
    with pytest.raises(pc.DataError, match="no value of \\['petal_width'\\]"):
        fit.why({**asked, "petal_width": np.nan})
    with pytest.raises(pc.NotAvailable, match="not rows"):
        pc.fit("species ~ .", iris, "lvq").why(70)
