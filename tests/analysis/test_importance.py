"""Permutation importance, beside the exact expectation over all pairs of rows."""

import numpy as np
import pandas as pd
import pytest
import simulate

import protoclass as pc
from protoclass.analysis import importance


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
    monkeypatch.setattr(importance, "ROWS", rows)
    assert fit.importance(new, 3, groups)["error"].to_dict() == pytest.approx(expected, abs=1e-12)


def test_lists_of_numbers_are_permuted():
    draw = np.random.default_rng(2)
    y = np.repeat(["u", "v"], 20)
    rises = [list(np.arange(6.0) * (1 if c == "u" else -1) + draw.normal(size=6)) for c in y]
    fit = pc.fit("y ~ x", pd.DataFrame({"x": rises, "y": y}), "knn", k=1, dissimilarity=pc.DTW(), cv=None)
    assert fit.importance(repeats=10, cv=4).loc["x", "importance"] == pytest.approx(0.5, abs=0.1)


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
    table = fit.importance(repeats=2, cv=4)
    assert table.loc["constant", ["importance", "se"]].tolist() == [0.0, 0.0]
    assert table.index[0] in ("petal_width", "petal_length")
    assert fit.importance(repeats=2, cv=4).equals(table)


def test_columns_of_one_name_are_permuted_together(fit, iris):
    new = iris[1::2]
    both = fit.importance(new, 10, variables={"petals": ["petal_length", "petal_width"], "rest": "sepal_length"})
    alone = fit.importance(new, 10)
    assert list(both.index) == ["petals", "rest"]
    assert both.loc["petals", "importance"] > alone.loc["petal_width", "importance"] + 0.2


def test_parts_of_mixed_metrics_are_variables():
    clinic = simulate.clinic(90, missing=0)
    mixed = pc.Mixed([(["age", "marker"], "euclidean"), (["ward"], "gower")])
    fit = pc.fit("outcome ~ age + marker + ward", clinic, "knn", k=5, dissimilarity=mixed)
    assert set(fit.importance(repeats=1, cv=2).index) == {"age + marker", "ward"}


def test_wrong_questions(fit, iris):
    with pytest.raises(pc.OptionError, match=r"variables must be a list of predictors, or a.*not 'colour'"):
        fit.importance(variables=["colour"])
    with pytest.raises(pc.OptionError, match=r"variables must be .*not 3"):
        fit.importance(variables=3)
    with pytest.raises(pc.OptionError, match=r"repeats must be .*, not 0"):
        fit.importance(repeats=0)
    with pytest.raises(pc.OptionError, match="lack the response"):
        fit.importance(iris.drop(columns="species"))
    D = pc.dissimilarity("species ~ .", iris).frame()
    given = pc.fit("species ~ 1", iris, dissimilarity=D, eps=1.0)
    with pytest.raises(pc.NotAvailable, match="given as a matrix"):
        given.importance()
    assert isinstance(fit.importance(iris, 1), pd.DataFrame)


def two_groups_of_columns(n, groups):
    """One informative column that is constant in a group, one that varies, and noise; the class is that of the group."""
    draw = np.random.default_rng(3)
    group = np.repeat(np.arange(groups), n // groups)
    site = draw.permutation(np.arange(groups) % 2 + draw.uniform(0, 0.2, groups))[group]
    y = np.where(site > 0.6, "u", "v")
    return pd.DataFrame({"site": site, "noise": draw.normal(size=n), "group": group, "y": y})


@pytest.mark.parametrize("cv", ["loo", 30, 3])
def test_a_column_counts_the_same_whatever_the_folds(cv):
    """Half of the rows get a value of the other class: the error of 1-NN grows from 0 to a half."""
    data = two_groups_of_columns(60, 60)
    fit = pc.fit("y ~ site", data, "knn", k=1, cv=None)
    found = fit.importance(repeats=20, cv=cv)
    assert found.loc["site", "importance"] == pytest.approx(0.5, abs=0.05)
    assert found.loc["site", "se"] > 0


def test_a_column_that_is_constant_in_a_group_counts_with_one_group_a_fold():
    data = two_groups_of_columns(60, 10)
    fit = pc.fit("y ~ site", data, "knn", k=1, cv=None, groups="group")
    assert fit.importance(repeats=20).loc["site", "importance"] == pytest.approx(0.5, abs=0.1)


def test_of_many_variables_those_that_separate_are_permuted():
    draw = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    X = pd.DataFrame(draw.normal(size=(30, 60)) + 4 * y[:, None] * (np.arange(60) > 57)).add_prefix("g")
    fit = pc.fit("y ~ .", X.assign(y=y), "knn", k=1)
    with pytest.warns(pc.DataWarning, match="60 variables, the 50 that separate"):
        table = fit.importance(repeats=1)
    assert len(table) == 50
    assert {"g58", "g59"} <= set(table.index)
    assert len(fit.importance(repeats=1, variables=["g1", "g2"])) == 2
