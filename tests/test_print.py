"""What print says of the data, and what is refused with the name of the cure."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0)


def test_print_names_the_distance(iris):
    missing = iris.copy()
    missing.iloc[3, 0] = np.nan
    flag = iris.assign(flag=np.arange(150) % 2 == 0)
    for data, given in ((missing, {"na": "keep"}), (flag, {}), (flag, {"dissimilarity": "gower"})):
        assert repr(pc.fit("species ~ .", data, eps=0.2, **given)).endswith("\nDistance  Gower")
    assert "Distance  Euclidean, predictors scaled to unit SD" in repr(pc.fit("species ~ .", iris, eps=1.0))


def test_a_name_of_the_row_among_the_predictors(iris):
    data = iris.assign(id=[f"r{i}" for i in range(150)])
    with pytest.warns(pc.DataWarning, match="column 'id' has a different value in every row.*leave it out"):
        fit = pc.fit("species ~ .", data, eps=0.2)
    assert "a different value in every row, which add the same to every distance: id" in str(fit.summary())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.fit("species ~ .", data.assign(id=data["id"].where(data.index != 1, "r0")), eps=0.2)  # two rows share one
        pc.fit("species ~ . - id", data, eps=1.0)
        pc.fit("species ~ .", data, eps=0.2, dissimilarity=pc.Gower(column_weights={"id": 0}))
        pc.dissimilarity("~ .", pd.DataFrame({"a": list("xyz"), "b": [1.0, 2.0, 4.0]}))  # few rows


@pytest.mark.parametrize("verb", [pc.fit, pc.cross_validate])
def test_a_warning_points_at_the_line_of_the_user(iris, verb):
    data = iris.assign(id=[f"r{i}" for i in range(150)])
    with pytest.warns(pc.DataWarning) as seen:
        verb("species ~ .", data, eps=[0.2, 0.3], cv=3)
    assert {w.filename for w in seen} == {__file__}


def test_an_ordered_response_is_said_to_count_as_unordered(iris):
    kinds = pd.CategoricalDtype(["setosa", "versicolor", "virginica"], ordered=True)
    ordered = pc.fit("species ~ .", iris.assign(species=iris.species.astype(kinds)), eps=1.0)
    for text in (repr(ordered), ordered._repr_html_(), str(ordered.summary())):
        assert "3 classes (ordered; the order is not used)" in text
    assert "order" not in repr(pc.fit("species ~ .", iris, eps=1.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"color": "red"}, "no argument 'color': colours, limits and titles are changed on the Axes"),
        ({"type": "prob"}, "use kind=; its arguments are kind, ax, balls, x, y"),
        ({"kind": "path", "newdata": 1}, r"plot\('path'\) has no argument 'newdata': use new=; its"),
        ({"shape": (2, 2)}, "use kind='weights', 'map', 'images' or 'misclassified'"),
        ({"kind": "images"}, r"plot\('images'\) needs shape="),
        ({"kind": "confusion", "what": 1}, "no argument 'what': its arguments are kind, ax"),
    ],
)
def test_plot_names_what_it_does_not_know(fit, options, message):
    with pytest.raises(pc.errors.OptionError, match=message):
        fit.plot(**options)


class PVM(pc.Model):
    """Named like a method of the package."""

    name = "pvm"

    def path(self, task, grid):
        rows = np.array([np.flatnonzero(task.y == c)[0] for c in range(task.classes)])
        points = pc.extend.Points(task.y[rows], at=pc.extend.own_candidates(task)[rows])
        return pc.extend.RulePath((pc.extend.Nearest(points, task.classes, 0),))


def test_a_class_named_like_a_built_in_method_is_fitted_itself(iris):
    for method in (PVM, PVM()):
        first = pc.fit("species ~ .", iris, method)
        assert first.prototypes.index.tolist() == [0, 50, 100]
        assert first.update(seed=1).prototypes.index.tolist() == [0, 50, 100]
        assert pc.compare("species ~ .", iris, {"a": method}, test_size=0.3).table["prototypes"].tolist() == [3]


def test_many_classes_stand_below_one_another():
    names = [f"class number {i}" for i in range(12)]
    data = pd.DataFrame({"x": np.arange(60.0), "y": np.repeat(names, 5)})
    fit = pc.fit("y ~ .", data, eps=0.3)
    shown = repr(fit)
    assert max(len(line) for line in shown.splitlines() if line.startswith("class")) < 60
    assert "class number 11             5" in shown
    assert fit._repr_html_().count("<th>class number") == 12
    few = pc.fit("y ~ .", data.head(15), eps=0.3)
    assert "class number 2" in repr(few).splitlines()[2]


def test_of_many_classes_that_are_never_predicted_five_are_named():
    data = pd.DataFrame({"x": np.arange(60.0), "y": np.repeat([f"c{i:02d}" for i in range(12)], 5)})
    shown = repr(pc.fit("y ~ .", data, "knn", k=60))
    assert "c05 (8.3 % of the rows) and 6 more" in shown
    assert "c06" not in shown.split("class ")[0]


@pytest.mark.parametrize(("call", "line"), [
    ({"method": "knn", "k": 3}, "150 (all rows)"), ({"eps": 0.01}, "149"), ({"method": "knn", "k": [1, 3], "cv": 3}, "150 (all rows)"),
    ({"method": "hyperplane", "C": 1.0}, "150 (all rows)"), ({"method": "kmedoids", "K": 2}, "6"), ({"method": "kmeans", "K": 1}, "3"),
])  # fmt: skip
def test_the_number_of_prototypes_is_always_printed(iris, call, line):
    fit = pc.fit("species ~ .", iris, **call)
    shown = str(fit)
    assert re.search(r"^Prototypes +(.*?) *$", str(fit.summary()), re.M)[1] == line
    by_class = re.search(r"^prototypes +(.*)$", shown, re.M)[1].split()
    assert sum(map(int, by_class)) == int(line.split()[0])
    assert (f": {line} prototypes of 150 observations" in shown) == ("all rows" not in line)
    assert "not cross-validated" not in shown


def test_prototypes_that_are_all_rows_by_choice_are_listed_and_fewer_offered(iris):
    data = iris.iloc[1::5].drop_duplicates()
    fit = pc.fit("species ~ .", data, eps=[0.01, 0.02], cv=3)
    assert "\n30 of 30 rows are prototypes, which is not a summary. Fewer: max_prototypes= limits" in str(fit)
    assert "30 (all rows)" in str(fit.summary())
    assert "Fewer prototypes" in str(fit.summary())
    assert f"Prototypes (the first 20 of {len(data)})" in str(fit.summary())


def test_how_the_prototypes_were_found_is_in_the_summary_alone(iris):
    for method, given, words in (("medianglvq", {"matrix": "none"}, ("Cost ", "Swaps ")), ("kmedoids", {}, ("Loss ",))):
        fit = pc.fit("species ~ .", iris, method, K=1, **given)
        for word in words:
            assert word in str(fit.summary())
            assert word.strip() not in str(fit)


def test_a_class_that_is_a_whole_number_is_printed_as_one(iris):
    two = iris[iris["species"] != "setosa"]
    data = two.assign(species=(two["species"] == "virginica").astype(int))
    fit = pc.fit("species ~ .", data, "kmedoids", K=1, dissimilarity="euclidean")
    assert "higher in 1: petal_width" in str(fit)


def test_print_says_how_often_folds_were_drawn_and_writes_no_error_of_zero(iris):
    assert ", 10 folds x 3 repeats); no-information error 0.6667" in str(pc.fit("species ~ .", iris, "knn", k=[1, 5], repeats=3).summary())
    assert "repeats" not in repr(pc.fit("species ~ .", iris, "knn", k=[1, 5]))
    nothing = pc.fit("species ~ .", iris, eps=1.0, lambda_=1000.0, cv=5)
    assert "0.6667 (SE 0.0091, 5 folds); no-information error 0.6667" in str(nothing.summary())
    perfect = pc.fit("species ~ .", iris[iris.species != "virginica"], "knn", k=1, cv=5)
    assert "0.0000 (SE 0.0135, 5 folds);" in str(perfect.summary())
    assert "0.00 (95 % CI 0.00 to 0.08): cross-validated; most common class 0.50" in repr(perfect)


def test_a_row_without_a_prediction_is_printed_over():
    data = pd.DataFrame({"a": [0.0, 1.0, 5.0, 6.0, None], "b": [None, None, None, None, "y"], "y": ["u", "u", "v", "v", "v"]})
    fit = pc.fit("y ~ .", data, "knn", k=1, na="keep", cv=None)
    assert fit.predict().isna().all()  # each row is compared with one that shares no value with it
    assert "Never predicted  u (40 % of the rows), v (60 % of the rows)" in str(fit)


def test_an_error_about_a_call_is_shown_without_inner_frames(iris):
    with pytest.raises(pc.errors.FormulaError, match="is not a column") as raised:
        pc.fit("species ~ petal_lenght", iris)
    assert [frame.name for frame in raised.traceback] == ["test_an_error_about_a_call_is_shown_without_inner_frames", "checked"]
