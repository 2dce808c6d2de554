"""What `pc.fit(formula, data)` does without further arguments: the distances that it tries, and how often it draws the folds."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.estimation import cross_validation
from protoclass.estimation.arguments import prepare
from protoclass.estimation.cross_validation import validate
from protoclass.estimation.problem import Call


def tried(formula, data, **given):
    problem = prepare(Call("fit", formula, data, given))
    return problem.metric_axes.get("dissimilarity", [problem.metric.name])


def test_which_distances_are_tried(iris):
    several = ["Euclidean", "LDA", "QDA"]
    assert tried("species ~ .", iris) == tried("species ~ .", iris, max_prototypes=6, class_weights="balanced") == several
    mixed = iris.assign(g=np.resize(["u", "v"], 150))
    assert tried("species ~ .", mixed) == ["Gower", "LDA"]
    given = (
        {"eps": 1.0}, {"eps": [1.0, 2.0]}, {"cv": "loo"}, {"cv": np.arange(150) % 5}, {"groups": np.arange(150) // 2},
        {"candidates": pc.candidates.kmeans(3)}, {"method": "knn"}, {"solver": "ratio"}, {"dissimilarity": "euclidean"},
    )  # fmt: skip
    for arguments in given:
        assert tried("species ~ .", iris, **arguments) == ["Euclidean"], arguments
    assert tried("species ~ .", mixed, na="keep") == ["Gower"]
    assert tried("species ~ g", mixed) == ["Gower"]  # no number
    assert tried("species ~ .", iris.assign(name=[f"r{i // 2}" for i in range(150)])) == ["Gower"]  # few rows of each level
    few = iris.groupby("species", observed=True).head(4)
    assert tried("species ~ .", few, cv=2) == ["Euclidean"]
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(2000, 500))).add_prefix("x").assign(y=np.resize(["a", "b"], 2000))
    assert tried("y ~ .", wide) == ["Euclidean", "LDA"]


def test_of_many_rows_a_sample_selects_the_distance(monkeypatch):
    """The fit is the one of the distance that a cross-validation of the sample selects, and says so."""
    monkeypatch.setattr(cross_validation, "DRAWN_ROWS", 200)
    monkeypatch.setattr(cross_validation, "SAMPLE", 120)
    draw = np.random.default_rng(0)
    y = np.arange(300) % 3
    data = pd.DataFrame(draw.normal(size=(300, 6)) * 3 ** np.arange(6.0)).add_prefix("x").assign(y=y.astype(str))
    data["x0"] = data["x1"] + 0.3 * data["x0"] + y  # the classes lie along two columns that are correlated
    fit = pc.fit("y ~ .", data, repeats=1, progress=False)
    assert fit._problem.metric in (pc.LDA(), pc.QDA())
    note = "the distance was selected from Euclidean, LDA and QDA on a random sample of 150 rows by class"  # 50 of each
    assert note in repr(fit)
    given = pc.fit("y ~ .", data, dissimilarity=fit._problem.metric, repeats=1, progress=False)
    pd.testing.assert_frame_equal(fit.validation.table, given.validation.table)
    assert fit.prototypes.equals(given.prototypes)
    assert not given.frame.notes
    curve = pc.cross_validate("y ~ .", data, repeats=1, progress=False)
    pd.testing.assert_frame_equal(curve.table, given.validation.table)
    listed = pc.cross_validate("y ~ .", data, dissimilarity=["euclidean", pc.LDA()], repeats=1, progress=False)
    assert set(listed.table["dissimilarity"]) == {"Euclidean", "LDA"}  # a list of one's own is tried on all rows


@pytest.mark.parametrize("metric", [pc.LDA(), pc.QDA()])
@pytest.mark.parametrize("given", [{}, {"eps": pc.extend.quantiles(6)}, {"max_size": [3, 5]}])
def test_no_held_out_prediction_depends_on_the_classes_of_its_own_fold(iris, metric, given):
    fold, other = np.arange(150) % 5, iris.copy()
    out = fold == 2
    other.loc[out, "species"] = np.random.default_rng(0).permutation(iris["species"][out])
    calls = (Call("fit", "species ~ .", d, {"dissimilarity": metric, "cv": fold, "progress": False, **given}) for d in (iris, other))
    before, after = (validate(prepare(call))[0]._predicted[0] for call in calls)
    points = min(before.shape[1], after.shape[1])  # a default grid may be extended in one of them
    assert points >= 6
    assert (before[out, :points] == after[out, :points]).all()
    assert (before[~out, :points] != after[~out, :points]).any()


@pytest.mark.parametrize("repeats", [2, pytest.param("auto", marks=pytest.mark.long)])
def test_the_first_answer_on_tumours(repeats):
    """Two patients; of 190 new ones 4 are wrong by default and with two draws of the folds, 2 by logistic regression."""
    cancer = pc.load_data("breast_cancer")
    train = cancer.sample(frac=2 / 3, random_state=0)
    test = cancer.drop(train.index)
    fit = pc.fit("diagnosis ~ .", train, repeats=repeats, progress=False)
    assert len(test) == 190
    assert fit.test(test).wrong <= 6
    assert len(fit.validation._of_fold) == (10 if repeats == "auto" else 2)
    lines = repr(fit).split("\n")
    assert lines[0].startswith("Prototype vector machine: 2 prototypes of 379 observations, 2 classes")
    facts = dict(line.split(maxsplit=1) for line in lines[lines.index("", 3) + 1 :])
    assert list(facts) == ["Error", "Radius", "Distance", "Separation", "Score"]
    assert facts["Distance"] == "LDA, predictors scaled to unit SD (selected from Euclidean, LDA and QDA)"


def test_the_first_answer_does_not_depend_on_the_seed(iris):
    fits = [pc.fit("species ~ .", iris, seed=seed, progress=False) for seed in range(3)]
    sizes = [len(fit.prototypes) for fit in fits]
    assert all(len(fit.validation._of_fold) == 10 for fit in fits)
    assert max(sizes) <= 1.2 * min(sizes) + 1


def test_many_prototypes_are_said_to_be_no_summary():
    draw = np.random.default_rng(0)
    cells = draw.integers(0, 4, (240, 2))  # a chessboard
    y = np.where(cells.sum(axis=1) % 2, "a", "b")
    data = pd.DataFrame(cells + draw.uniform(0.15, 0.85, (240, 2)), columns=["u", "v"]).assign(y=y)
    fit = pc.fit("y ~ .", data, dissimilarity="euclidean", repeats=1, eps=[0.05, 0.1], progress=False)
    said = repr(fit).split("\n")[2]
    assert len(fit.prototypes) > 80
    assert said.startswith(f"{len(fit.prototypes)} of 240 rows are prototypes, which is not a summary. Fewer: ")
    assert "set max_prototypes=" in said


def test_an_error_is_printed_or_said_to_be_missing(iris):
    def said(data=iris, **given):
        (line,) = (line for line in repr(pc.fit("species ~ .", data, eps=1.0, **given)).split("\n") if line.startswith("Error"))
        return " ".join(line.split()[1:])

    assert said() == said(cv=10)  # nothing is tuned, and ten more fits are quick
    assert said().startswith("0.0")
    assert said(cv=None) == said(solver="exact") == "not cross-validated: cv=10"
    assert said(iris.iloc[[0, 1, 50, 51, 100]]) == (
        "not cross-validated: cross-validation needs two rows of each class, but class 'virginica' has one"
    )
    assert said(iris.assign(site=1), groups="site").startswith("not cross-validated: cross-validation leaves groups out")
