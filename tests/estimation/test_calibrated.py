"""Calibrated fits: chances, prediction sets, other prevalences and losses, and what they promise."""

import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.models.registry import BUILT_IN


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0).calibrate()


def gaussians(n, seed, gap=1.5, share=0.5):
    random = np.random.default_rng(seed)
    y = random.random(n) < share
    x = random.normal(size=(n, 2)) + gap * y[:, None]
    return pd.DataFrame(x, columns=["a", "b"]).assign(y=np.where(y, "ill", "well"))


def test_without_calibration_the_cure_is_named(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    with pytest.raises(pc.errors.OptionError, match=r"kind must be 'class', 'distance', 'nearest' or.*not 'prob':.*and 'set'"):
        fit.predict(kind="prob")
    with pytest.raises(pc.errors.OptionError, match=r"method 'pvm' has no probabilities unless it is calibrated: use fit\.calibrate\(\)"):
        fit.predict(prior={"setosa": 0.2, "versicolor": 0.4, "virginica": 0.4})


@pytest.mark.parametrize(("number", "method"), list(enumerate(BUILT_IN)))
def test_any_method_gets_chances_and_sets(iris, number, method):
    kind = BUILT_IN[method]
    model = kind(**{name: values[0] for name, values in kind.example.items()})
    how = ("multinomial", "isotonic")[number % 2]
    fit = pc.fit("species ~ .", iris.iloc[::2], model, calibrate={"method": how, "cv": 3})
    new = iris.iloc[1::3]
    p, sets = fit.predict(new, "prob"), fit.predict(new, "set", level=0.8)
    assert p.index.equals(new.index)
    assert sets.index.equals(new.index)
    assert p.sum(axis=1).to_numpy() == pytest.approx(1.0)
    assert (p.to_numpy() >= 0).all()
    assert (p.idxmax(axis=1) == new.species.astype(str)).mean() > 0.5
    wider = fit.predict(new, "set", level=0.95)
    assert all(set(a) <= set(b) for a, b in zip(sets, wider, strict=True))
    again = fit.update()
    assert again.predict(new, "prob").equals(p)
    assert again.predict(new, "set", level=0.8).equals(sets)


def test_the_held_out_scores_are_those_of_fits_without_the_fold(iris):
    folds = pd.Series(np.arange(150) % 5, iris.index)
    metric = pc.Euclidean(scale=False)
    fit = pc.fit("species ~ .", iris, dissimilarity=metric, eps=0.6).calibrate(cv=folds)
    strange = np.empty(150)
    for f in range(5):
        out = (folds == f).to_numpy()
        part = pc.fit("species ~ .", iris[~out], dissimilarity=metric, eps=0.6)
        d = (
            np.maximum(part.predict(iris[out], "distance"), fit._calibration.scale.low).to_numpy().copy()
        )  # a row stands twice
        codes = iris.species.cat.codes.to_numpy()[out]
        own = d[np.arange(len(d)), codes]
        d[np.arange(len(d)), codes] = np.inf
        strange[out] = np.log(own) - np.log(d.min(axis=1))
    assert fit._calibration.conformal.strangeness == pytest.approx(strange)


def test_another_prevalence_reweighs_the_chances(fit, iris):
    p = fit.predict(iris, "prob")
    prior = {"virginica": 0.6, "setosa": 0.1, "versicolor": 0.3}
    other = fit.predict(iris, "prob", prior=prior)
    odds = p * pd.Series(prior)[p.columns] / (1 / 3)
    assert other.to_numpy() == pytest.approx((odds.div(odds.sum(axis=1), axis=0)).to_numpy())
    assert fit.predict(iris, prior=prior).tolist() == other.idxmax(axis=1).tolist()


def test_print_and_summary_say_how_chances_were_learned(fit, iris):
    assert "isotonic calibration, 150 held-out rows, 10 folds" in repr(fit)
    assert "with probability about 0.9 in each class" in fit.summary().as_text().replace("\n", " ")
    small = iris.groupby("species", observed=True).head(8)
    few = pc.fit("species ~ .", small, eps=1.0).calibrate(cv=4).summary().as_text()
    assert "Classes with few calibration rows are in every set: setosa (above level 0.889)" in few
    given = pc.fit("species ~ .", iris[::2], eps=1.0).calibrate(iris[1::2])
    assert "calibration, 75 separate rows" in repr(given)


def test_a_calibration_is_checked_before_the_data_are_read():
    for calibrate in ("sigmoid", {"method": "sigmoid"}):
        with pytest.raises(pc.errors.OptionError, match="method must be 'auto', 'multinomial' or 'isotonic', not 'sigmoid': use"):
            pc.fit("y ~ .", None, "knn", k=1, calibrate=calibrate)


def test_words_of_the_guarantee(iris):
    data = gaussians(120, 0)
    metric = pc.Euclidean(scale=False)
    tuned = pc.fit("y ~ .", data, dissimilarity=metric, repeats=1)
    again, same = (tuned.calibrate(tune=tune)._calibration for tune in (True, False))
    assert "the guarantee is about 0.8" in same.guarantee()
    assert "tuned on the same rows" in same.guarantee()
    assert "does not account" not in again.guarantee()
    assert again.words() == same.words() + ", tuned again in each fold"
    by_class = pc.fit("y ~ .", data, dissimilarity=metric, eps=1.0, class_weights="balanced").calibrate()
    assert "does not account" not in by_class._calibration.guarantee()  # sets are made class by class
    weighted = pc.fit("y ~ .", data, dissimilarity=metric, eps=1.0, weights=np.arange(1.0, 121)).calibrate()
    assert "different weights of the rows of a class" in weighted._calibration.guarantee()
    given = pc.fit("y ~ .", data, dissimilarity=metric, repeats=1).calibrate(gaussians(80, 1))
    assert "at least 0.9" in given._calibration.guarantee()
    assert "does not account" not in given._calibration.guarantee()


@pytest.mark.parametrize(
    ("options", "words"),
    [({"method": "sigmoid"}, "method must be 'auto', 'multinomial' or 'isotonic', not 'sigmoid': use method='multinomial'"),
     ({"cv": None}, "leaves no row"),
        ({"new": pd.DataFrame({"a": [1.0]})}, "lack the response"),
     ({"seed": -1}, "whole number")],
)  # fmt: skip
def test_wrong_calibrations(fit, options, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        fit.calibrate(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "set", "level": 1.0}, "between 0 and 1"),
        ({"prior": {"setosa": 1.0}}, "each of the classes"),
        ({"prior": 3}, r"prior must be a proportion for each class, such.*, not 3"),
        ({"prior": {"setosa": 0.5, "versicolor": 0.5, "virginica": 0.5}}, r"prior must sum to 1, but \{'setosa': 0\.5,.*to 1\.5"),
        ({"kind": "set", "prior": {}}, "prior= needs kind='class' or 'prob', not 'set'"),
        ({"kind": "prob", "loss": 1}, "loss= needs kind='class', not 'prob'"),
        ({"loss": 1}, "a DataFrame"),
    ],
)
def test_wrong_questions(fit, options, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        fit.predict(**options)


def coverage(calibrate, level, runs, n):
    """Share of new rows whose set holds their class, by class, over draws of training, calibration and new rows."""
    held = {"ill": [], "well": []}
    for seed in range(runs):
        fit = calibrate(gaussians(n, 3 * seed), gaussians(n, 3 * seed + 1))
        new = gaussians(40, 3 * seed + 2)
        for truth, classes in zip(new.y, fit.predict(new, "set", level=level), strict=True):
            held[truth].append(truth in classes)
    return {c: np.mean(v) for c, v in held.items()}


def test_sets_hold_the_true_class_as_often_as_promised():
    metric = pc.Euclidean(scale=False)

    def given(train, calibration):
        return pc.fit("y ~ .", train, dissimilarity=metric, eps=0.8).calibrate(calibration)

    def folds(train, calibration):
        return pc.fit("y ~ .", train, dissimilarity=metric, eps=0.8, calibrate={"cv": 5})

    for calibrate in (given, folds):
        for share in coverage(
            calibrate, 0.8, 25, 60
        ).values():  # of 25 calibrations with about 30 rows a class: SE about 0.02
            assert 0.74 < share < 0.90


def test_a_rare_class_has_as_many_folds_as_rows(iris):
    rare = iris[(iris.species != "setosa") | (iris.index < 4)]
    fit = pc.fit("species ~ .", rare, eps=1.0, calibrate=True)
    assert "held-out rows, 4 folds" in fit._calibration.words()
    assert len(fit.importance(resamples=1)) == 4


def test_own_rows_do_not_calibrate(iris):
    """Nothing is guaranteed by rows that the fit learned from; other rows of the same labels may calibrate."""
    fit = pc.fit("species ~ .", iris[::2], "knn", k=3)
    with pytest.raises(pc.errors.DataError, match=r"must not be training rows, but 3 of these 78.*\(first: 0\):.*leave"):
        fit.calibrate(pd.concat([iris[1::2], iris[::2][:3]]))
    assert len(fit.calibrate(iris[1::2].reset_index(drop=True))._calibration.conformal.y) == 75
    D = pc.dissimilarity("species ~ .", iris).frame()
    table = pd.concat([D, iris["species"]], axis=1)
    given = pc.fit("species ~ 1", iris[::2], dissimilarity=D.iloc[::2, ::2], eps=1.0)
    with pytest.raises(pc.errors.DataError, match=r"calibration rows must not be training rows, but 75.*: 0\): use rows that were not"):
        given.calibrate(table[::2])
    assert len(given.calibrate(table[1::2])._calibration.conformal.y) == 75


def test_weights_of_calibration_rows(iris):
    """A row of a class of weight 3 counts for the prevalence as three, and for the number of rows as one."""
    fit = pc.fit("species ~ .", iris[::2], eps=1.0)
    rows = iris[1::2]
    heavy = rows.assign(w=np.where(rows.species == "setosa", 3.0, 1.0))
    plain, known = fit.calibrate(rows), fit.calibrate(heavy, weights="w")
    assert known._calibration.share == pytest.approx([0.6, 0.2, 0.2])
    assert known.predict(iris, "set").equals(plain.predict(iris, "set"))
    assert known.predict(iris, "prob")["setosa"].mean() > plain.predict(iris, "prob")["setosa"].mean()
    assert known.update().predict(iris, "prob").equals(known.predict(iris, "prob"))
    with pytest.raises(pc.errors.OptionError, match="weights= must be given with new=, because the"):
        fit.calibrate(weights="w")


def test_parameters_are_tuned_again_without_each_fold():
    """The scores of a fold are those of the fit to the other rows, which tunes by itself."""
    data, metric = gaussians(90, 5), pc.Euclidean(scale=False)
    folds = pd.Series(np.arange(90) % 3, data.index)
    fit = pc.fit("y ~ .", data, "knn", dissimilarity=metric, k=[1, 3, 9, 15], cv=5, choose="min")
    calibrated = fit.calibrate(cv=folds, tune=True)
    chosen = set()
    for f in range(3):
        part = pc.fit("y ~ .", data[folds != f], "knn", dissimilarity=metric, k=[1, 3, 9, 15], cv=5, choose="min")
        chosen.add(part.model.k)
        new = data[folds == f]
        votes = part.predict(new, "prob").to_numpy()
        at = data.index.get_indexer(new.index)
        assert calibrated._calibration.scores[at] == pytest.approx(calibrated._calibration.scale.scores(votes))
    assert len(chosen) > 1
    assert fit.calibrate(cv=folds)._calibration.tuned
    assert not fit.calibrate(cv="loo")._calibration.tuned
    assert "tune=True tunes them again in each fold" in fit.calibrate(cv="loo")._calibration.guarantee()
    assert not pc.fit("y ~ .", data, "knn", k=3).calibrate(tune=True)._calibration.tuned


def test_folds_that_leave_too_few_rows_are_not_tuned_again(iris):
    rare = iris[(iris.species != "setosa") | (iris.index < 2)]
    fit = pc.fit("species ~ .", rare, "knn", k=[1, 3], cv=2).calibrate()
    assert not fit._calibration.tuned
    assert "too few to tune them again" in fit._calibration.guarantee()


def test_noise_gets_no_sure_probabilities():
    """Of 8 fits to 40 rows of noise, whose radius was tuned: hardly a row is said to be of a class for sure."""
    stated = []
    for seed in range(8):
        random = np.random.default_rng(seed)
        data = pd.DataFrame(random.normal(size=(40, 2)), columns=["a", "b"]).assign(y=np.where(np.arange(40) % 2, "ill", "well"))
        fit = pc.fit("y ~ .", data, calibrate=True, dissimilarity="euclidean", repeats=1, progress=False)
        stated.append(fit.predict(pd.DataFrame(random.normal(size=(50, 2)), columns=["a", "b"]), "prob").max(axis=1))
    assert np.mean(np.concatenate(stated) > 0.7) < 0.05


@pytest.fixture(scope="module")
def rare():
    """Training, calibration and new rows, of which a tenth is ill."""
    return [gaussians(n, seed, share=0.1) for n, seed in ((300, 0), (300, 1), (1000, 2))]


@pytest.mark.parametrize("class_weights", ["balanced", {"ill": 9.0}])
def test_probabilities_are_for_the_prevalence_in_the_data(rare, class_weights):
    """Whatever the class weights, and whether the calibration rows are the training rows or others."""
    train, more, new = rare
    fit = pc.fit("y ~ .", train, eps=0.8, class_weights=class_weights)
    for calibrated in (fit.calibrate(), fit.calibrate(more)):
        p = calibrated.predict(new, "prob")["ill"]
        assert p.mean() == pytest.approx((new.y == "ill").mean(), abs=0.03)
        weighed = calibrated.predict(new, "prob", prior="class_weights")["ill"]
        assert (weighed > p).all()
        weight = fit.frame.class_weights
        by_hand = calibrated.predict(new, "prob", prior=dict(zip(fit.classes, weight / weight.sum(), strict=True)))
        assert weighed.equals(by_hand["ill"])
        assert calibrated._calibration.share[0] == pytest.approx(0.1, abs=0.03)
        assert ", for the prevalence without class weights" in calibrated._calibration.words()
        assert "but not the probabilities and sets" in repr(calibrated)
        assert calibrated.slim().predict(new, "prob", prior="class_weights")["ill"].equals(weighed)
    with pytest.raises(pc.errors.OptionError, match="needs a fit with class_weights="):
        pc.fit("y ~ .", train, eps=0.8).calibrate().predict(new, "prob", prior="class_weights")


def test_errors_of_thresholds_are_for_the_prevalence_in_the_data(rare):
    train, _, new = rare
    fit = pc.fit("y ~ .", train, eps=0.8, class_weights="balanced").calibrate()
    cut = fit.threshold("ill")
    assert cut.prevalence == pytest.approx((train.y == "ill").mean())
    assert f"prevalence {cut.prevalence:.3g}" in repr(cut)
    assert cut.table["error"].iloc[0] == pytest.approx((train.y == "ill").mean())  # of never predicting the class
    test = fit.test(new)
    assert test.no_information == (new.y == "ill").mean()  # the most common class in training, not the heaviest
    shares = f"ill {cut.prevalence:.3f}, well {1 - cut.prevalence:.3f}"
    assert f"The probabilities are for the prevalence of the calibration rows: {shares}" in repr(test)


def few_values(n, seed, levels=2, columns=3):
    random = np.random.default_rng(seed)
    data = pd.DataFrame(random.integers(0, levels, (n, columns)), columns=list("abc")[:columns])
    return data.assign(y=np.where(random.random(n) < 0.3 + 0.4 * (data.a > 0), "ill", "well"))


def warned(recorded):
    return [str(w.message) for w in recorded if issubclass(w.category, pc.DataWarning)]


def test_rows_that_coincide_by_chance_calibrate(recwarn):
    """Of eight possible rows nearly all have been seen: that says nothing."""
    for seed in range(5):
        fit = pc.fit("y ~ .", few_values(60, seed), "knn", k=5)
        assert len(fit.calibrate(few_values(60, 100 + seed))._calibration.conformal.y) == 60
        fit.test(few_values(60, 100 + seed))
    assert not [words for words in warned(recwarn) if "training row" in words]


@pytest.mark.parametrize("labels", ["the same", "others"])
def test_training_rows_do_not_calibrate_whatever_their_labels(iris, labels):
    rows = iris[::2]
    fit = pc.fit("species ~ .", rows, eps=1.0)
    again = rows.assign(species=rows.species.to_numpy()[::-1])
    again = again if labels == "the same" else again.sample(frac=1, random_state=0).reset_index(drop=True)
    with pytest.raises(pc.errors.DataError, match=r"calibration rows must not be training rows, but 75.*: 0\): use rows that were not"):
        fit.calibrate(again)
    with pytest.warns(pc.DataWarning, match="75 of the 75 rows have the predictors of .*errors on training rows are optimistic"):
        fit.test(again)


def test_training_rows_of_few_values_are_known_by_their_labels():
    """Eight rows alone say nothing, and the same ones at sixty labels much."""
    rows = few_values(60, 1)
    fit = pc.fit("y ~ .", rows, "knn", k=5)
    with pytest.raises(pc.errors.DataError, match=r"calibration rows must not be training rows, but 60.*: 0\): use rows that were not"):
        fit.calibrate(rows)
    with pytest.warns(pc.DataWarning, match="60 of the 80 rows have the predictors of the training row with the same label"):
        fit.calibrate(pd.concat([rows, few_values(20, 2).set_axis(range(60, 80))]))


def test_some_training_rows_among_others_are_a_warning(iris):
    """A quarter of the rows, without their labels: too many for chance, and not beyond doubt."""
    fit = pc.fit("species ~ .", iris[::2], eps=1.0)
    mixed = pd.concat([iris[1::2], iris[::2][:25]], ignore_index=True).set_axis(range(1000, 1100))
    with pytest.warns(pc.DataWarning, match=r"26 of the 100 rows have the predictors of a training row .expected by coincidence: about"):
        fit.calibrate(mixed)


def test_a_slim_fit_knows_no_training_rows(iris, recwarn):
    slim = pc.fit("species ~ .", iris, eps=1.0).slim()
    slim.test(iris)
    assert len(slim.calibrate(iris)._calibration.conformal.y) == 150
    assert not [words for words in warned(recwarn) if "training row" in words]


def test_a_class_without_weight_among_the_rows_of_a_fold_is_left_out_of_the_balanced_error():
    data = pd.DataFrame({"x": np.random.default_rng(0).normal(size=10), "y": list("acbacbabac")})
    weights, groups = np.array([2, 2, 0, 0, 2, 2, 1, 0, 2, 1]), np.repeat(range(5), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fit = pc.fit("y ~ x", data, eps=[0.8, 1.2], cv=2, groups=groups, weights=weights, measure="balanced").calibrate(cv=2)
    assert np.isfinite(fit.predict(kind="prob")).all(axis=None)
