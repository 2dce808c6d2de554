"""Effects of variables: `why` beside the metrics' formulas, `separation`, and permutation importance beside its expectation."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import simulate
from matplotlib.colors import to_hex

import protoclass as pc
from protoclass.analysis import variables
from protoclass.pictures.style import colour


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


@pytest.mark.parametrize("row", [70, 106])
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


def test_what_is_measured_together_is_one_variable():
    clinic = simulate.clinic(90, missing=0)
    mixed = pc.Mixed([(["age", "marker"], "euclidean"), (["ward"], "gower")])
    fit = pc.fit("outcome ~ age + marker + ward", clinic, dissimilarity=mixed, eps=0.8)
    table = fit.why(clinic.index[3])
    assert list(table.index) == ["age + marker", "ward"]
    assert table["to_prototype"].sum() == pytest.approx(table.attrs["prototype_distance"])
    assert table.loc["age + marker", "value"] == (clinic["age"].iloc[3], clinic["marker"].iloc[3])


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
    for metric, words in [(pc.DTW(r=1), "not a sum"), (ranked, "not a sum"), (nested, "not a sum"), (called, "not a sum"),
                          (Product(), "add up to")]:  # fmt: skip
        fit = pc.fit("species ~ .", iris[::10], "knn", k=1, dissimilarity=metric)
        table = fit.why(iris.index[70])
        assert words in table.attrs["not_additive"], metric
        assert table[["to_prototype", "to_rival"]].isna().all(axis=None)
        with pytest.raises(pc.errors.NotAvailableError, match=words):
            fit.plot("why", new=iris.index[70])


def test_a_row_may_be_given(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    asked = iris.drop(columns="species").loc[70]
    assert fit.why(asked).equals(fit.why(70))
    assert fit.why(dict(asked)).equals(fit.why(iris.loc[[70]]))
    for wrong, words in (
        (999, "a label of the rows"), ([50, 70], "a label of the rows"), ({1, 2}, "a label of the rows"),
        (np.array([1, 2]), "a label of the rows"), (iris.iloc[:0], "a single row, not 0 rows"),
    ):  # fmt: skip
        with pytest.raises(pc.errors.OptionError, match=words):
            fit.why(wrong)
    with pytest.raises(pc.errors.DataError, match="no value of \\['petal_width'\\]"):
        fit.why({**asked, "petal_width": np.nan})
    with pytest.raises(pc.errors.NotAvailableError, match="not rows"):
        pc.fit("species ~ .", iris, "lvq", K=2).why(70)


def test_parts_under_missing_values_have_two_denominators():
    """By hand: ranges, skipped pairs, and a mean over the variables that both rows have; an asymmetric flag is skipped as well."""
    draw = np.random.default_rng(5)
    data = pd.DataFrame({"a": draw.normal(size=50), "b": draw.normal(size=50), "f": pd.array(draw.random(50) < 0.4, "boolean")})
    data["y"] = np.where(data["a"] > 0, "u", "v")
    data.loc[draw.random(50) < 0.3, "b"] = np.nan
    data.loc[draw.random(50) < 0.2, "f"] = pd.NA
    fit = pc.fit("y ~ .", data, eps=0.3, na="keep", dissimilarity=pc.Gower(asymmetric=["f"], column_weights={"b": 2.0}))
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
    with pytest.raises(pc.errors.NotAvailableError, match="pass new rows"):
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


@pytest.fixture(scope="module")
def patients():
    data = simulate.clinic(200).dropna()
    data = data[data["outcome"] != "referred"]
    return data.assign(outcome=data["outcome"].astype(str), size=np.linspace(0, 9e-9, len(data)), still=3.0)


@pytest.fixture(scope="module")
def cancer():
    return pc.fit("diagnosis ~ .", pc.load_data("breast_cancer"), "medianglvq", K=1, matrix="diagonal", ridge=0.01)


def by_score(fit, table, design):
    """The classes by the linear score."""
    (other,) = [c for c in fit.classes if c != table.attrs["class"]]
    return np.where(design[table.index] @ table["coefficient"] > table.attrs["cut"], table.attrs["class"], other)


def test_the_score_of_two_prototypes_is_the_fit(cancer):
    """Each prediction; shares and coefficients by the formula of the weights."""
    table, data = cancer.why(), pc.load_data("breast_cancer")
    assert (by_score(cancer, table, data) == cancer.predict()).all()
    weights = cancer.dissimilarity.metric.column_weights
    a, b = (cancer.prototypes.set_index("class").loc[c, weights.index].astype(float) for c in (table.attrs["class"], "benign"))
    terms = weights["weight"] * (a - b) ** 2 / weights["scale"] ** 2
    assert table["proportion"].to_dict() == pytest.approx((terms / terms.sum()).to_dict())
    assert table["coefficient"].to_dict() == pytest.approx((2 * weights["weight"] * (a - b) / weights["scale"] ** 2).to_dict())
    assert table["higher"].astype(object).to_dict() == {c: "malignant" if a[c] > b[c] else "benign" for c in weights.index}
    assert table["proportion"].is_monotonic_decreasing


@pytest.mark.parametrize("formula", ["outcome ~ age + marker + ward + size + still", "outcome ~ log(age) * pulse + smoker"])
@pytest.mark.parametrize(("method", "options"), [
    ("medianglvq", {"matrix": "diagonal", "ridge": 0.01}), ("medianglvq", {"matrix": "full", "ridge": 0.1}),
    ("medianglvq", {"matrix": "none"}),
    ("kmeans", {}), ("kmedoids", {"dissimilarity": pc.Mahalanobis(ridge=0.1)}),
])  # fmt: skip
def test_every_euclidean_fit_of_two_prototypes_is_a_linear_score(patients, formula, method, options):
    fit = pc.fit(formula, patients, method, K=1, **{"dissimilarity": "euclidean", **options})
    table = fit.why()
    assert (by_score(fit, table, fit.frame.design) == fit.predict().astype(object)).all()
    assert table["proportion"].sum() == pytest.approx(1)
    assert ("weight" in table) == (fit.dissimilarity.metric.column_weights is not None)
    assert "Score" in str(fit)


def test_more_prototypes_have_the_mean_share_of_the_nearest_of_another_class(iris):
    fit = pc.fit("species ~ .", iris, "kmedoids", K=3, dissimilarity="manhattan")
    X = fit.prototypes[iris.columns[:4]].to_numpy(float) / iris.iloc[:, :4].std(ddof=1).to_numpy()
    classes, shares = fit.prototypes["class"].to_numpy(object), []
    for x, c in zip(X, classes, strict=True):
        terms = np.abs(X[classes != c] - x)
        terms = terms[terms.sum(axis=1).argmin()]
        shares.append(terms / terms.sum())
    table = fit.why()
    assert table["proportion"].to_dict() == pytest.approx(dict(zip(iris.columns[:4], np.mean(shares, axis=0), strict=True)))
    assert table.attrs == {}
    assert "coefficient" not in table


def test_gowers_weights_times_differences(patients):
    fit = pc.fit("outcome ~ age + marker + ward", patients, "medianglvq", K=1, matrix="diagonal", ridge=0.01, dissimilarity="gower")
    table, (a, b) = fit.why(), fit.prototypes[["age", "marker", "ward"]].to_dict("records")
    apart = {c: abs(a[c] - b[c]) / np.ptp(patients[c]) for c in ("age", "marker")} | {"ward": float(a["ward"] != b["ward"])}
    terms = pd.Series(apart) * fit.dissimilarity.metric.column_weights["weight"]
    assert table["proportion"].to_dict() == pytest.approx((terms / terms.sum()).to_dict())
    assert table["higher"].isna().to_dict()["ward"]
    assert "coefficient" not in table


def test_a_slim_fit_has_the_same(cancer):
    assert cancer.slim().why().equals(cancer.why())


@pytest.mark.parametrize(("call", "reason"), [
    ({"method": "knn", "k": 3}, "does not predict the class of the nearest prototype by the metric: use importance"),
    ({"eps": 1.0, "dissimilarity": pc.QDA()}, "QDA dissimilarities depend on the class of the prototype: use why"),
    ({"method": "kmedoids", "K": 1, "dissimilarity": "cosine"}, "Cosine dissimilarities are not a sum over variables"),
])  # fmt: skip
def test_where_there_is_none(iris, call, reason):
    fit = pc.fit("species ~ .", iris, **call)
    with pytest.raises(pc.errors.NotAvailableError, match=reason):
        fit.why()
    assert "Separation" not in str(fit)


def test_summary_card_and_plot_show_it(cancer):
    table = cancer.why()
    first = f"{100 * table['proportion'].iloc[0]:.0f} %"
    assert re.search(rf"^Separation +higher in malignant: worst_radius {re.escape(first)}, ", str(cancer), re.M)
    assert "malignant if the sum of coefficient times variable > 168.603" in str(cancer)
    assert "Separation of the prototypes (the first 20 of 30 variables)" in str(cancer.summary())
    assert f"| Separation | higher in malignant: worst_radius {first}, " in cancer.card().markdown.replace("\\_", "_")
    ax = cancer.plot("weights")
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(table["proportion"].head(20).tolist())
    assert ax.get_yticklabels()[0].get_text() == f"worst_radius (weight {table['weight'].iloc[0]:.3g})"
    sides = table["higher"].cat.codes.head(20)
    assert [to_hex(bar.get_facecolor()) for bar in ax.patches] == [colour(k).lower() for k in sides]


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris[::2], dissimilarity=pc.Euclidean(scale=False), eps=1.0)


def one_by_one(fit, new, response, groups, repeats):
    """The errors with each group permuted: every row predicted for every permutation."""
    draw, errors = np.random.default_rng([0, 1]), {}
    for name, columns in groups.items():
        wrong = []
        for _ in range(repeats):
            donor = draw.permutation(len(new))
            moved = new.assign(**{c: new[c].iloc[donor].set_axis(new.index) for c in columns})
            wrong.append((fit.predict(moved) != new[response]).to_numpy())
        errors[name] = np.mean(wrong)
    return errors


@pytest.fixture(scope="module")
def drawn_one_by_one():
    clinic = simulate.clinic(160).drop(columns="patient", errors="ignore")
    fit = pc.fit("outcome ~ .", clinic[::2], "knn", k=5, dissimilarity="gower", na="keep")
    new = clinic[1::2].dropna(subset="outcome")
    columns = list(fit.frame.schema)
    assert new[columns].isna().any(axis=None)
    assert any(new[c].nunique() < 5 for c in columns)
    groups = {c: [c] for c in columns} | {"pair": columns[:2], "other pair": columns[1:3]}
    return fit, new, groups, one_by_one(fit, new, "outcome", groups, 3)


@pytest.mark.parametrize("rows", [50, 2**13])
def test_blocks_of_permuted_rows_equal_one_permutation_after_the_other(drawn_one_by_one, rows, monkeypatch):
    fit, new, groups, expected = drawn_one_by_one
    monkeypatch.setattr(variables, "ROWS", rows)
    assert fit.importance(new, 3, groups)["error"].to_dict() == pytest.approx(expected, abs=1e-12)


def test_many_permutations_come_near_the_expectation_over_all_pairs(fit, iris):
    new = iris[1::6]
    wrong = (fit.predict(new) != new.species).to_numpy()
    table = fit.importance(new, 200, ["petal_length", "sepal_length"])
    for variable in ("petal_length", "sepal_length"):
        lost = [(fit.predict(new.assign(**{variable: value})) != new.species).to_numpy() for value in new[variable]]
        assert table.loc[variable, "error"] == pytest.approx(np.mean(lost), abs=0.015)
        increase = np.mean(lost, axis=0) - wrong
        assert table.loc[variable, "importance"] == pytest.approx(increase.mean(), abs=0.015)
        assert table.loc[variable, "se"] == pytest.approx(increase.std(ddof=1) / np.sqrt(len(new)), rel=0.15)


def test_a_column_that_never_varies_has_none(iris):
    fit = pc.fit("species ~ .", iris.assign(constant=1.0), eps=1.0)
    table = fit.importance(resamples=2, cv=4)
    assert table.loc["constant", ["importance", "se"]].tolist() == [0.0, 0.0]
    assert table.index[0] in ("petal_width", "petal_length")
    assert fit.importance(resamples=2, cv=4).equals(table)


def test_wrong_questions(fit, iris):
    with pytest.raises(pc.errors.OptionError, match=r"variables must be a list of predictors, or a.*not 'colour'"):
        fit.importance(variables=["colour"])
    with pytest.raises(pc.errors.OptionError, match=r"variables must be .*not 3"):
        fit.importance(variables=3)
    with pytest.raises(pc.errors.OptionError, match=r"resamples must be .*, not 0"):
        fit.importance(resamples=0)
    with pytest.raises(pc.errors.OptionError, match="lack the response"):
        fit.importance(iris.drop(columns="species"))
    D = pc.dissimilarity("species ~ .", iris).frame()
    given = pc.fit("species ~ 1", iris, dissimilarity=D, eps=1.0)
    with pytest.raises(pc.errors.NotAvailableError, match="has no variables to explain"):
        given.importance()
    assert isinstance(fit.importance(iris, 1), pd.DataFrame)


@pytest.mark.parametrize("cv", ["loo", 3])
def test_a_column_counts_the_same_whatever_the_folds(cv):
    """Half of the rows get a value of the other class: the error of 1-NN grows from 0 to a half."""
    draw = np.random.default_rng(3)
    site = draw.permutation(np.arange(60) % 2 + draw.uniform(0, 0.2, 60))
    data = pd.DataFrame({"site": site, "y": np.where(site > 0.6, "u", "v")})
    fit = pc.fit("y ~ site", data, "knn", k=1, cv=None)
    found = fit.importance(resamples=20, cv=cv)
    assert found.loc["site", "importance"] == pytest.approx(0.5, abs=0.05)
    assert found.loc["site", "se"] > 0


def test_of_many_variables_those_that_separate_are_permuted():
    draw = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    X = pd.DataFrame(draw.normal(size=(30, 60)) + 4 * y[:, None] * (np.arange(60) > 57)).add_prefix("g")
    fit = pc.fit("y ~ .", X.assign(y=y), "knn", k=1)
    with pytest.warns(pc.DataWarning, match="60 variables, the 50 with the largest ratio"):
        table = fit.importance(resamples=1)
    assert len(table) == 50
    assert {"g58", "g59"} <= set(table.index)
    levels = pd.DataFrame(draw.choice(["u", "v"], (30, 55))).add_prefix("level")
    frame = pc.fit("y ~ .", levels.assign(nothing=np.nan, number=X["g59"], letter=np.where(y, "a", "b"), y=y), "knn", k=1, na="keep").frame
    found = variables.most_separating(frame, {c: ["nothing", c] for c in frame.columns})  # a group's best column counts
    assert len(found) == 50
    assert {"number", "letter"} <= set(found)


def test_rows_of_a_group_are_one_part_of_the_standard_error(iris):
    """Four copies of each row, in one group, are worth one row; a fold leaves out the same rows of both."""
    fold, options = pd.Series(np.arange(150) % 5, iris.index), {"eps": 1.0, "dissimilarity": "euclidean", "repeats": 1}
    once = pc.fit("species ~ .", iris, cv=fold, **options).importance(resamples=400, cv=fold)["se"]
    four, of_row = iris.loc[iris.index.repeat(4)].reset_index(drop=True), np.repeat(np.arange(150), 4)
    grouped = pc.fit("species ~ .", four, cv=of_row % 5, groups=of_row, **options)
    assert grouped.importance(resamples=100, cv=of_row % 5)["se"].to_dict() == pytest.approx(once.to_dict(), rel=0.2)
    named = pc.fit("species ~ . - g", iris.assign(g=np.arange(150)), groups="g", eps=1.0)
    new = four.assign(g=of_row)
    assert (named.importance(new, 3)["se"] > 1.5 * named.importance(new.drop(columns="g"), 3)["se"]).all()
