"""Alternatives and criticisms of a fit: labels, verdicts, words, pictures, and what is refused; swaps."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc

RAW = pc.Euclidean(scale=False)


@pytest.fixture(scope="module")
def iris():
    return pc.load_data("iris")


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0)


@pytest.fixture(scope="module")
def result(fit):
    return fit.alternatives(within=0.1, progress=False)


def objective(fit, labels):
    """Of the solution with these prototypes, each of its own class, from distances."""
    D, y = pc.dissimilarity("species ~ .", fit.call.data).frame(), fit.call.data["species"]
    inside = D[labels] < fit.params["eps"]
    own = y.to_numpy()[:, None] == y[labels].to_numpy()
    lost = (~(inside & own).any(axis=1)).sum() + (inside & ~own).to_numpy().sum()
    return lost + len(labels) * fit.objective.lambda_


def test_the_optimum_is_that_of_the_exact_solver(fit, result):
    exact = fit.update(solver="exact")
    assert exact.certificate.gap == 0
    assert result.optimum.exact
    assert result.optimum.most == pytest.approx(exact.objective.value)
    assert result.glance().loc[0, "objective"] == fit.objective.value


def test_forbidden_prototypes_cost_what_a_fit_without_these_candidates_costs(iris):
    """A row that is no candidate is forbidden; it is still a row."""
    exact = pc.fit("species ~ .", iris, eps=1.0, solver="exact")
    result = exact.alternatives(progress=False)
    D = pc.dissimilarity("species ~ .", iris).frame()
    for label in exact.prototypes.index[:5]:
        again = pc.fit("species ~ 1", iris, dissimilarity=D.drop(columns=label), eps=1.0, solver="exact",
                       lambda_=exact.objective.lambda_)  # fmt: skip
        cost = again.objective.value - exact.objective.value
        assert result.table.loc[label, "cost_without"] == pytest.approx(cost, abs=1e-9)


def test_a_swap_reaches_what_is_said_of_the_substitute(iris):
    """With an optimal fit the swap alone is a solution, so that it costs at least as much; here it costs just this."""
    exact = pc.fit("species ~ .", iris, eps=1.0, solver="exact")
    result = exact.alternatives(within=0.1, progress=False)
    labels, same = exact.prototypes.index.tolist(), 0
    for p, some in result.table["substitutes"].items():
        for j, cost in some.items():
            swapped = objective(exact, [j if label == p else label for label in labels]) - result.optimum.most
            assert swapped >= cost - 1e-9
            same += swapped == pytest.approx(cost, abs=1e-9)
    assert same > 0.9 * len(result.substitutes)


def test_verdicts_follow_the_costs(result):
    table, limit = result.table, result.within * result.optimum.most + 1e-9
    assert (table["at_least"] <= table["cost_without"]).all()
    for verdict, rows in table.groupby("verdict"):
        if verdict == "indispensable":
            assert (rows["cost_without"] > limit).all()
        elif verdict == "exchangeable":
            assert (rows[["cost_without", "cost_with"]] <= limit).all(axis=None)
        else:
            assert verdict == "in no solution within 10 %"
            assert (rows["cost_with"] > limit).all()
    assert set(table["verdict"]) == {"indispensable", "exchangeable", "in no solution within 10 %"}
    assert table["open"].sum() == 0


def test_weights_are_repeats():
    draw = np.random.default_rng(4)
    X = pd.DataFrame(draw.normal(size=(40, 2)), columns=["a", "b"])
    data = X.assign(y=np.where(X.a + draw.normal(0, 0.4, 40) > 0, "u", "v"), w=draw.integers(1, 3, 40))
    twice = data.loc[data.index.repeat(data["w"])].reset_index(drop=True)
    options = {"dissimilarity": RAW, "eps": 0.9, "lambda_": 0.5, "solver": "exact"}
    one = pc.fit("y ~ a + b", data, weights="w", **options).alternatives(within=0.05, progress=False)
    other = pc.fit("y ~ a + b", twice, **options).alternatives(within=0.05, progress=False)
    assert one.optimum.most == pytest.approx(other.optimum.most)
    # a row that is there twice can be replaced by its copy, so that only prototypes of weight 1 are compared
    place = {tuple(row): k for k, row in enumerate(data[["a", "b"]].to_numpy())}
    of_twice = {place[tuple(twice.loc[p, ["a", "b"]])]: row for p, row in other.table.iterrows()}
    compared = 0
    for label, row in one.table.iterrows():
        if data.loc[label, "w"] == 1 and label in of_twice:
            assert row["cost_without"] == pytest.approx(of_twice[label]["cost_without"])
            compared += 1
    assert compared


def test_closed_balls_and_own_candidates(iris):
    D = pc.dissimilarity("species ~ .", iris, pc.Manhattan(scale=False)).frame().round(1)
    options = {"dissimilarity": D, "lambda_": 0.1, "solver": "exact"}
    closed = pc.fit("species ~ 1", iris, eps=1.0, balls="closed", **options).alternatives(progress=False)
    opened = pc.fit("species ~ 1", iris, eps=1.05, **options).alternatives(progress=False)
    assert closed.table.drop(columns="substitutes").equals(opened.table.drop(columns="substitutes"))
    own = pc.fit("species ~ 1", iris, eps=1.0, candidates="same_class", **options).alternatives(within=0.2, progress=False)
    for _, row in own.table.iterrows():
        assert {iris.loc[j, "species"] for j in row["substitutes"]} <= {row["class"]}


def test_time_that_is_over_leaves_bounds(fit):
    late = fit.alternatives(within=0.1, time_limit=0, progress=False)
    sure = fit.alternatives(within=0.1, progress=False)
    assert late.optimum.least <= sure.optimum.most <= late.optimum.most
    for name in fit.prototypes.index:
        assert late.table.loc[name, "at_least"] <= sure.table.loc[name, "cost_without"] + 1e-9
        assert sure.table.loc[name, "cost_without"] <= late.table.loc[name, "cost_without"] + 1e-9
    wrong = late.table["verdict"].ne("not settled") & late.table["verdict"].ne(sure.table["verdict"])
    assert not wrong.any()
    assert repr(late)


def test_criticisms_are_rows_in_trouble(fit, iris):
    result = fit.criticisms(n=150, progress=False)
    table, augmented = result.table, fit.augment()
    D = pc.dissimilarity("species ~ .", iris).frame()[fit.prototypes.index]
    own = iris["species"].to_numpy()[:, None] == fit.prototypes["class"].to_numpy()
    inside = (D < 1.0).to_numpy()
    uncovered, wrong = ~(inside & own).any(axis=1), (inside & ~own).sum(axis=1)
    astray = (augmented["fitted"] != iris["species"]).to_numpy()
    assert set(table.index) == set(iris.index[uncovered | (wrong > 0) | astray])
    assert table["price"].is_monotonic_decreasing
    for label, row in table.iterrows():
        words = row["reason"].split(", ")
        assert ("uncovered" in words, "wrongly covered" in words, "misclassified" in words) == (
            uncovered[label], wrong[label] > 0, astray[label]
        )  # fmt: skip
        assert row["distance"] == pytest.approx(D.loc[label, row["prototype"]])
        assert row["price"] >= wrong[label] - 1e-9
        if wrong[label]:
            held = D.loc[label].to_numpy()[inside[label] & ~own[label]]
            assert row["distance"] == held.min()
            assert row["prototype_class"] != row["class"]
        else:
            assert row["distance"] == D.loc[label].min()
    assert fit.criticisms(n=4, progress=False).table.equals(table.head(4))


def test_criticisms_of_mmd_are_shared_among_classes(iris):
    fit = pc.fit("species ~ .", iris, "mmd", K=3)
    for n in (3, 5, 9):  # the first of each class, the second of each, and so on, of these the worst first
        some = fit.criticisms(n=n, progress=False).table
        assert some["class"].value_counts().max() - some["class"].value_counts().min() <= 1
        assert (some["witness"].abs().diff().dropna() <= 0).all()


def test_criticisms_of_other_rules_of_the_nearest_prototype(iris):
    fit = pc.fit("species ~ .", iris, "kmedoids", K=2)
    table = fit.criticisms(n=8, progress=False).table
    margin = fit.augment()["margin"].sort_values(kind="stable")
    assert table.index.tolist() == margin.index[:8].tolist()
    assert table["margin"].to_numpy() == pytest.approx(margin.to_numpy()[:8])
    assert pc.fit("species ~ .", iris, "lvq", K=2).criticisms(n=3, progress=False).table["prototype"].str.startswith("lvq[").all()


def test_what_is_refused(fit, iris):
    with pytest.raises(pc.errors.NotAvailableError, match="method 'knn' has no objective to compare solutions: use 'pvm' or 'medianglvq'"):
        pc.fit("species ~ .", iris, "knn", k=3).alternatives()
    with pytest.raises(pc.errors.NotAvailableError, match=r"method 'scm' has no criticisms .* fit\.augment\(\)"):
        pc.fit("species ~ .", iris, "scm", penalty=1.0).criticisms()
    with pytest.raises(pc.errors.NotAvailableError, match="criticisms need prototypes, but the rule has none"):
        pc.fit("species ~ .", iris, eps=1.0, lambda_=1e6).criticisms()
    for argument, message in (
        ({"within": -0.1}, r"within .*must be"), ({"time_limit": "x"}, r"time_limit .*must be"),
        ({"candidates": "7"}, r"candidates must be a list of row labels"), ({"candidates": ["none"]}, "is not the label of a candidate"),
    ):  # fmt: skip
        with pytest.raises(pc.errors.OptionError, match=message):
            fit.alternatives(**argument)
    with pytest.raises(pc.errors.OptionError, match="n must be"):
        fit.criticisms(n=0)


@pytest.fixture(scope="module")
def exact_fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0, solver="exact")


def test_a_swap_and_back_is_the_fit_itself(exact_fit, iris):
    old = exact_fit.prototypes.index[1]
    of_class = iris.index[iris["species"] == exact_fit.prototypes["class"].iloc[1]]
    new = of_class.difference(exact_fit.prototypes.index)[0]
    back = exact_fit.at(swap={old: new}).at(swap={new: old})
    assert back.prototypes["newly_covered"].tolist() == exact_fit.prototypes["newly_covered"].tolist()
    assert back.objective == exact_fit.objective
    assert back.predict(iris).equals(exact_fit.predict(iris))
    tuned = pc.fit("species ~ .", iris, eps=[1.0, 1.5], cv=3, dissimilarity="euclidean", repeats=1)
    other = next(row for row in iris.index if row not in tuned.prototypes.index)
    assert tuned.at(swap={tuned.prototypes.index[0]: other})._curve is None  # its error was that of the other prototypes
    assert f"{new} for {old}" in repr(exact_fit.at(swap={old: new}))


@pytest.mark.parametrize("method", [{"eps": 1.0}, {"method": "medianglvq", "K": 2}])
def test_the_pairs_of_a_swap_are_of_the_prototypes_as_they_stand(method, iris):
    """No pair replaces the substitute of another, a chain ends where it says, and two prototypes can be exchanged."""
    fit = pc.fit("species ~ .", iris, **method, dissimilarity="euclidean", cv=None)
    first = fit.prototypes[fit.prototypes["class"] == "virginica"].index
    a, b, (c, d) = first[0], first[1], iris.index[100:].difference(first)[:2]
    with pytest.raises(pc.errors.OptionError, match=f"prototype must be a label of .*, not {c}"):
        fit.at(swap={a: c, c: d})
    assert set(fit.at(swap={a: b, b: c}).prototypes.index) == set(fit.prototypes.index) - {a} | {c}
    assert set(fit.at(swap={a: b, b: a}).prototypes.index) == set(fit.prototypes.index)


def test_a_swap_that_can_not_be_swapped_is_refused(exact_fit, iris):
    old = exact_fit.prototypes.index[0]
    for call, message in (
        (lambda: exact_fit.at(swap={"none": 3}), r"prototype must be a label of fit\.prototypes\.index, not 'none'"),
        (lambda: exact_fit.at(swap={old: "none"}), "'none' is not the label of a candidate"),
        (lambda: exact_fit.at(swap={old: [3]}), "is not the label of a candidate"),
        (lambda: exact_fit.at(swap={}), r"swap must map prototypes to their substitutes, such as \{5: 12\}, not \{\}"),
        (lambda: exact_fit.at(swap={old: old}), "is already a prototype of this class"),
    ):
        with pytest.raises(pc.errors.OptionError, match=message):
            call()
    other = next(row for row in iris.index if iris["species"][row] != exact_fit.prototypes["class"].iloc[0])
    with pytest.raises(pc.errors.OptionError, match=rf"{other} in swap={{{old}: {other}}} is a candidate of another class than"):
        exact_fit.update(candidates="same_class").at(swap={old: other})
    with pytest.raises(pc.errors.NotAvailableError, match="has no prototypes to replace by a row: use 'pvm' or 'medianglvq'"):
        exact_fit.update(method="knn", k=3).at(swap={0: 1})
