"""Why a row has its class, beside the metrics' own formulas and predictions of changed rows."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import simulate

import protoclass as pc


@pytest.mark.parametrize(
    ("metric", "r", "eps"), [(pc.Euclidean(), 2, 1.0), (pc.Manhattan(), 1, 2.0), (pc.Minkowski(3), 3, 1.0)]
)
def test_parts_of_a_minkowski_distance_are_those_of_its_formula(iris, metric, r, eps):
    fit = pc.fit("species ~ .", iris, dissimilarity=metric, eps=eps, repeats=1)
    table = fit.why(70)
    X = iris.drop(columns="species")
    scale = X.std()
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
    clinic = simulate.clinic(120, missing=0)
    fit = pc.fit("outcome ~ age + marker + ward + smoker", clinic, eps=0.2)
    row = clinic.index[5]
    table = fit.why(row)
    other = clinic.loc[table.attrs["rival"]]
    expected = [abs(clinic.loc[row, c] - other[c]) / np.ptp(clinic[c]) / 4 for c in ("age", "marker")]
    expected += [float(clinic.loc[row, c] != other[c]) / 4 for c in ("ward", "smoker")]
    assert table["to_rival"].to_numpy() == pytest.approx(expected)
    level = table.loc["ward", "counterfactual"]
    assert level is None or fit.predict(clinic.loc[[row]].assign(ward=level)).iloc[0] == table.loc["ward", "counterfactual_class"]


@pytest.mark.parametrize("row", [70, 50, 106, 133])
def test_no_smaller_change_of_a_number_gives_another_class(iris, row):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    table, asked = fit.why(row), iris.loc[[row]].drop(columns="species")
    for variable in table.index:
        here, there = asked[variable].iloc[0], table.loc[variable, "counterfactual"]
        low, high = iris[variable].min(), iris[variable].max()
        width = abs(there - here) if there is not None and there == there else max(here - low, high - here)
        values = np.linspace(max(low, here - 0.999 * width), min(high, here + 0.999 * width), 500)
        classes = fit.predict(pd.concat([asked] * 500, ignore_index=True).assign(**{variable: values}))
        assert set(classes) == {table.attrs["class"]}
        if there is not None and there == there:
            assert fit.predict(asked.assign(**{variable: there})).iloc[0] == table.loc[variable, "counterfactual_class"]


def test_all_variables_are_halved_together(iris, monkeypatch):
    fit, calls = pc.fit("species ~ .", iris, eps=1.0), []
    before = pc.Fit.predict
    monkeypatch.setattr(pc.Fit, "predict", lambda self, *args, **given: calls.append(1) or before(self, *args, **given))
    table = fit.why(70)
    assert len(calls) <= 45
    for variable, value in table["counterfactual"].items():
        predicted = fit.predict(iris.loc[[70]].assign(**{variable: value})).iloc[0]
        assert predicted == table.loc[variable, "counterfactual_class"] == "versicolor"


def test_what_is_measured_together_is_one_variable():
    clinic = simulate.clinic(90, missing=0)
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
    assert table["counterfactual"].notna().any()


def test_distances_that_are_no_sum_are_not_divided(iris):
    """Time warping with any parameters, a part that is not 0 where rows agree, and a metric that declares wrongly."""

    @dataclass(frozen=True)
    class Product(pc.Metric):
        traits = pc.extend.Traits(power=1.0)

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
        with pytest.raises(pc.NotAvailable, match=words):
            fit.plot("why", row=iris.index[70])


def test_a_row_may_be_given(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    asked = iris.drop(columns="species").loc[70]
    assert fit.why(asked).equals(fit.why(70))
    assert fit.why(dict(asked)).equals(fit.why(iris.loc[[70]]))
    for wrong, words in (
        (999, "a label of the rows"), ([50, 70], "a label of the rows"), ({1, 2}, "a label of the rows"),
        (np.array([1, 2]), "a label of the rows"), (iris.iloc[:0], "a single row, not 0 rows"),
    ):  # fmt: skip
        with pytest.raises(pc.OptionError, match=words):
            fit.why(wrong)
    with pytest.raises(pc.DataError, match="no value of \\['petal_width'\\]"):
        fit.why({**asked, "petal_width": np.nan})
    with pytest.raises(pc.NotAvailable, match="not rows"):
        pc.fit("species ~ .", iris, "lvq", K=2).why(70)


def test_parts_under_missing_values_have_two_denominators():
    """By hand: ranges, skipped pairs, and a mean over the variables that both rows have; an asymmetric flag is skipped as well."""
    draw = np.random.default_rng(5)
    data = pd.DataFrame({"a": draw.normal(size=50), "b": draw.normal(size=50), "f": pd.array(draw.random(50) < 0.4, "boolean")})
    data["y"] = np.where(data["a"] > 0, "u", "v")
    data.loc[draw.random(50) < 0.3, "b"] = np.nan
    data.loc[draw.random(50) < 0.2, "f"] = pd.NA
    fit = pc.fit("y ~ .", data, eps=0.3, na="keep", dissimilarity=pc.Gower(asymmetric=["f"], weights={"b": 2.0}))
    skipped = set()
    for label in data.index[::3]:
        table = fit.why(label)
        for name in ("prototype", "rival"):
            x, z = data.loc[label], data.loc[table.attrs[name]]
            weight = {"a": 1.0, "b": 2.0 * (x["b"] == x["b"] and z["b"] == z["b"])}
            weight["f"] = float(x["f"] is not pd.NA and z["f"] is not pd.NA and bool(x["f"] or z["f"]))
            apart = {c: abs(x[c] - z[c]) / np.ptp(data[c].dropna()) if weight[c] else 0.0 for c in "ab"}
            apart["f"] = float(weight["f"] and x["f"] != z["f"])
            expected = [weight[c] * apart[c] / sum(weight.values()) for c in "abf"]
            np.testing.assert_allclose(table[f"to_{name}"], expected, atol=1e-12)
            skipped.add(tuple(weight.values()))
        assert "not_additive" not in table.attrs
    assert len(skipped) == 4


def test_a_mixture_with_missing_values_is_divided_among_its_parts():
    clinic = simulate.clinic(120, seed=1)
    clinic = clinic[clinic[["age", "marker"]].notna().any(axis=1) & clinic["ward"].notna()]
    mixed = pc.Mixed([(["age", "marker"], "gower"), (["ward"], "gower")])
    fit = pc.fit("outcome ~ age + marker + ward", clinic, "knn", k=1, dissimilarity=mixed, na="keep")
    assert clinic["age"].isna().any()
    for label in clinic.dropna(subset=["age", "marker"]).index[:5]:
        table = fit.why(label)
        assert table["to_rival"].sum() == pytest.approx(table.attrs["rival_distance"], abs=1e-12)


def test_rows_of_other_libraries_and_of_saved_fits(tmp_path):
    polars = pytest.importorskip("polars")
    clinic = simulate.clinic(60)
    fit = pc.fit("outcome ~ .", clinic, eps=0.3, na="keep")
    fit.save(tmp_path / "clinic.proto")
    fit.slim().save(tmp_path / "slim.proto")
    whole, slim = pc.load(tmp_path / "clinic.proto"), pc.load(tmp_path / "slim.proto")
    changed, found = ["counterfactual", "counterfactual_class"], 0
    for label in clinic.index[:4]:
        full = fit.why(label)
        pd.testing.assert_frame_equal(whole.why(label), full)
        pd.testing.assert_frame_equal(fit.why(polars.from_pandas(clinic.loc[[label]])), full)
        few = slim.why(clinic.loc[[label]])
        assert few.drop(columns=changed).equals(full.drop(columns=changed))
        found += few["counterfactual"].notna().sum()  # values of the prototypes alone
    assert found > 0
    with pytest.raises(pc.NotAvailable, match="give new rows"):
        slim.why(0)


def test_levels_are_those_that_give_another_class():
    clinic = simulate.clinic(120, missing=0)
    fit, new = pc.fit("outcome ~ age + marker + ward + smoker", clinic[:80], eps=0.2), clinic[80:]
    found = 0
    for label in new.index[::4]:
        table = fit.why(new.loc[[label]])
        for name in ("ward", "smoker"):
            levels = clinic[name][:80].unique()
            classes = fit.predict(pd.concat([new.loc[[label]]] * len(levels), ignore_index=True).assign(**{name: levels}))
            other = [(v, c) for v, c in zip(levels, classes, strict=True) if c != table.attrs["class"]]
            change, then = table.loc[name, ["counterfactual", "counterfactual_class"]]
            assert (change, then) == other[0] if other else pd.isna(change)
            found += len(other)
    assert found > 2
