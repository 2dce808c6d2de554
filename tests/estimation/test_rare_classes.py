"""Costs and rare classes: class weights, losses, the ordinal measure, and what print says of a class never predicted."""


import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.models.registry import MODELS


@pytest.fixture(scope="module")
def rare():
    """300 rows, of which 4 % are ill and hardly stand apart."""
    draw = np.random.default_rng(0)
    y = np.repeat(["well", "ill"], [288, 12])
    x = draw.normal(size=(300, 2)) + 2 * (y == "ill")[:, None]
    return pd.DataFrame(x, columns=["a", "b"]).assign(y=y)


@pytest.mark.parametrize("method", ["pvm", "knn", "kmeans"])
def test_class_weights_are_weights_to_the_bit(iris, method):
    data = iris.iloc[np.r_[0:50, 50:80, 100:117]]
    own = np.random.default_rng(1).integers(1, 4, len(data)).astype(float)
    for class_weights in ("balanced", {"virginica": 5.5}, pd.Series({"setosa": 0.3, "virginica": 2})):
        factor = dict(class_weights) if not isinstance(class_weights, str) else {
            c: own.sum() / (3 * own[(data.species == c).to_numpy()].sum()) for c in data.species.unique()
        }  # fmt: skip
        w = own * np.array([factor.get(c, 1.0) for c in data.species])
        common = {"method": method, "cv": 3, "dissimilarity": "euclidean", "repeats": 1}
        one = pc.cross_validate("species ~ .", data, weights=own, class_weights=class_weights, **common)
        two = pc.cross_validate("species ~ .", data, weights=w, **common)
        assert np.array_equal(one._problem.frame.weights, two._problem.frame.weights)
        pd.testing.assert_frame_equal(one.table, two.table, check_exact=True)
        pd.testing.assert_frame_equal(one.held_out, two.held_out)
        fits = [
            pc.fit("species ~ .", data, weights=weights, class_weights=classes, **common)
            for weights, classes in ((own, class_weights), (w, None))
        ]
        pd.testing.assert_frame_equal(fits[0].prototypes, fits[1].prototypes, check_exact=True)
        assert fits[0]._training_error == fits[1]._training_error


def test_balanced_classes_weigh_the_same_and_the_sum_stays(rare):
    frame = pc.fit("y ~ .", rare, eps=0.5, class_weights="balanced").frame
    of_class = np.bincount(frame.codes, frame.weights)
    assert of_class == pytest.approx([150, 150])


@pytest.mark.parametrize(
    ("class_weights", "message"),
    [
        ("equal", r"class_weights must be 'balanced', or a dict or.*not 'equal'"),
        (3, r"class_weights must be 'balanced', or a dict or.*not 3"),
        ({"sick": 2}, r"class_weights must have classes as keys \('ill', 'well'\), but 'sick' is not a class"),
        ({}, "no class is named"),
        ({"ill": 0}, r"class_weights\['ill'\] must be a number > 0, not.*: to leave out a class,"),
        ({"ill": float("nan")}, ": to leave out a class, remove its rows from the data"),
        ({"ill": True}, ": to leave out a class, remove its rows from the data"),
    ],
)
def test_class_weights_are_checked(rare, class_weights, message):
    with pytest.raises(pc.errors.OptionError, match=message):
        pc.fit("y ~ .", rare, eps=0.5, class_weights=class_weights)


def test_class_weights_must_not_overflow(rare):
    for factor, weight in ((1e300, 1e100), (1e-300, 1e-200)):
        with pytest.raises(pc.errors.DataError, match=r"overflows or is about 0: use factors nearer to 1"):
            pc.fit("y ~ .", rare, eps=0.5, class_weights={"ill": factor}, weights=np.full(300, weight))




@pytest.mark.parametrize("method", [name for name, kind in MODELS.items() if not kind.can.weights])
def test_methods_without_weights_refuse_and_name_those_that_have(rare, method):
    with pytest.raises(pc.errors.OptionError, match="' does not have: use 'pvm', 'hyperplane',"):
        pc.fit("y ~ .", rare, method, class_weights="balanced")


def test_loss_of_fit_is_the_measure(iris):
    levels = list(iris.species.cat.categories)
    loss = pd.DataFrame([[0, 1, 1], [1, 0, 5], [1, 2, 0]], levels, levels)
    one = pc.fit("species ~ .", iris, "knn", cv=5, measure=loss)
    assert one.validation.measure == "loss"
    v = pc.cross_validate("species ~ .", iris, "knn", cv=5, measure=loss)
    pd.testing.assert_frame_equal(v.table, one.validation.table, check_exact=True)
    calibrated = one.calibrate(cv=3)  # the class stays the rule's own; a loss at predict decides by the chances
    assert calibrated.predict().equals(one.predict())
    assert calibrated.predict(loss=loss).tolist() == [
        levels[c] for c in (calibrated.predict(kind="prob").to_numpy() @ loss.to_numpy()).argmin(axis=1)
    ]
    for name in ("loss", "cost", "costs"):
        with pytest.raises(pc.errors.OptionError, match=f"'{name}' is not a parameter of 'pvm': use measure= in fit.*loss= in predict"):
            pc.fit("species ~ .", iris, **{name: loss}, dissimilarity="euclidean", repeats=1)
    with pytest.raises(pc.errors.OptionError, match=r"measure must be 'error',.*or the cost of an error in a class,.*not 3"):
        pc.fit("species ~ .", iris, measure=3, dissimilarity="euclidean", repeats=1)
    with pytest.raises(pc.errors.OptionError, match="measure= needs cross-validation"):
        pc.fit("species ~ .", iris, eps=1.0, measure=loss)


def test_costs_of_two_classes_are_a_loss_matrix(rare):
    matrix = pd.DataFrame([[0, 5], [1, 0]], ["ill", "well"], ["ill", "well"])
    named, whole = (pc.cross_validate("y ~ .", rare, "knn", k=[3, 9], cv=5, measure=m) for m in ({"ill": 5}, matrix))
    pd.testing.assert_frame_equal(named.table, whole.table, check_exact=True)
    fit = pc.fit("y ~ .", rare, "knn", k=9, calibrate={"cv": 5})
    assert fit.predict(loss={"ill": 5}).equals(fit.predict(loss=matrix))
    for costs in ({"sick": 5}, {}):
        with pytest.raises(
            pc.errors.OptionError, match=r"need two classes, one or both of them as keys, but the classes are \['ill', 'well'\]"
        ):
            pc.cross_validate("y ~ .", rare, "knn", k=[3, 9], cv=5, measure=costs)


def test_ordinal_measure_is_the_mean_distance_in_levels(iris):
    grade = pd.Categorical(np.digitize(iris.petal_length, [1.6, 4.2, 5.0]), ordered=True).rename_categories(list("dcba"))
    data = iris[["sepal_length", "sepal_width"]].assign(grade=grade)
    weights = np.random.default_rng(0).random(150)
    v = pc.cross_validate("grade ~ .", data, "knn", k=[1, 9], cv=5, measure="ordinal", weights=weights)
    place = {level: i for i, level in enumerate("dcba")}
    for g in range(2):
        away = [abs(place[a] - place[b]) for a, b in zip(v.held_out[g], data.grade, strict=True)]
        assert v.table["error"].iloc[g] == pytest.approx(np.average(away, weights=weights))
    always = [np.average([abs(place[a] - place[c]) for a in data.grade], weights=weights) for c in "dcba"]
    assert v.no_information == pytest.approx(min(always))
    assert "ordinal error" in repr(v)
    fit = pc.fit("grade ~ .", data, "knn", k=[1, 9], cv=5, measure="ordinal")
    assert "\nOrdinal error " in repr(fit)
    assert "(ordered; only the error uses the order)" in repr(fit)
    assert fit.glance()["cv_ordinal_error"].iloc[0] == fit.validation.table["error"].iloc[fit._selection.point]
    fit.plot("validation")


def test_ordinal_measure_needs_an_ordered_response_and_the_cure_works(iris):
    with pytest.raises(
        pc.errors.OptionError, match=r"measure='ordinal' needs an ordered response, but 'species'.*: use data\['species'\] ="
    ):
        pc.fit("species ~ .", iris, measure="ordinal", dissimilarity="euclidean", repeats=1)
    data = iris.copy()
    data["species"] = pd.Categorical(data["species"], categories=["setosa", "versicolor", "virginica"], ordered=True)
    assert pc.fit("species ~ .", data, measure="ordinal", dissimilarity="euclidean", repeats=1).validation.measure == "ordinal"


def test_print_says_that_a_class_is_never_predicted_and_every_cure_works(rare):
    plain = pc.fit("y ~ .", rare, "knn", k=[3, 9, 25])
    assert not (plain.validation.held_out[plain._selection.point] == "ill").any()
    for text in (repr(plain), plain._repr_html_().replace("&quot;", '"'), str(plain.summary())):
        assert "ill (4 % of the rows): not for any held-out row" in text
        assert (
            'measure="balanced" to tune, or class_weights="balanced", or calibrate=True and predict(new, loss=) or predict(new, threshold=)'
            in text
        )
    weighted = plain.update(class_weights="balanced")
    assert "Never predicted" not in repr(weighted)
    assert "balanced, which also weight the errors" in repr(weighted).replace("'", "")
    loss = pd.DataFrame([[0, 40], [1, 0]], ["ill", "well"], ["ill", "well"])
    calibrated = plain.update(calibrate=True)
    assert (calibrated.predict(loss=loss) == "ill").any()
    assert (calibrated.predict(threshold=calibrated.threshold("ill", sensitivity=0.9)) == "ill").any()
    assert 'class_weights="balanced", or predict(new, loss=) or predict(new, threshold=)' in repr(calibrated)
    assert (pc.fit("y ~ .", rare, "knn", k=[3, 9, 25], measure="balanced", choose="min").predict() == "ill").any()


def test_without_prototypes_the_cost_is_the_cure_and_it_works(iris):
    none = pc.fit("species ~ .", iris, eps=1.0, lambda_=1000)
    assert "Never predicted" not in repr(none)
    assert "\nTry             a lower lambda_" in repr(none)
    assert len(none.update(lambda_=1.0).prototypes) > 0
    bare = pc.fit("species ~ .", iris.iloc[:105], eps=1.0, lambda_=6.0)
    assert 'Try              a lower lambda_, or class_weights="balanced"' in repr(bare)
    for cure in ({"lambda_": 1.0}, {"class_weights": "balanced"}):
        assert "virginica" in set(bare.update(**cure).prototypes["class"])


@pytest.mark.parametrize(("method", "fixed", "words"), [
    ("knn", {"k": 5}, "each row is its own nearest neighbour"), ("pvm", {"eps": 1.0}, "the same rows selected the prototypes"),
    ("centroids", {"threshold": 1.0}, "the same rows trained the model"),
])  # fmt: skip
def test_summary_says_why_the_training_error_is_optimistic(iris, method, fixed, words):
    fit = pc.fit("species ~ .", iris, method, cv=None, **fixed)
    assert f"The training error is optimistic: {words}." in str(fit.summary())
