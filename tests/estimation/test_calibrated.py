"""Calibrated fits: chances, prediction sets, other prevalences and losses, and what they promise."""

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
    with pytest.raises(pc.OptionError, match=r"fit.calibrate\(\) adds 'prob' and 'set'"):
        fit.predict(kind="prob")
    with pytest.raises(pc.OptionError, match="not calibrated"):
        fit.predict(prior={"setosa": 0.2, "versicolor": 0.4, "virginica": 0.4})


@pytest.mark.parametrize(("number", "method"), list(enumerate(BUILT_IN)))
def test_any_method_gets_chances_and_sets(iris, number, method):
    kind = BUILT_IN[method]
    model = kind(**{name: values[0] for name, values in kind.example.items()})
    how = ("multinomial", "isotonic")[number % 2]
    fit = pc.fit("species ~ .", iris.iloc[::2], model, calibrate={"how": how, "cv": 3})
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
            np.maximum(part.predict(iris[out], "distance"), fit.calibration.scale.low).to_numpy().copy()
        )  # a row stands twice
        codes = iris.species.cat.codes.to_numpy()[out]
        own = d[np.arange(len(d)), codes]
        d[np.arange(len(d)), codes] = np.inf
        strange[out] = np.log(own) - np.log(d.min(axis=1))
    assert fit.calibration.conformal.strangeness == pytest.approx(strange)


def test_a_missing_row_has_neither_chances_nor_set(fit, iris):
    new = iris.head(3).copy()
    new.loc[1, "petal_width"] = np.nan
    assert fit.predict(new, "prob").isna().all(axis=1).tolist() == [False, True, False]
    assert fit.predict(new, "set").isna().tolist() == [False, True, False]
    assert fit.predict(new, prior={"setosa": 0.2, "versicolor": 0.4, "virginica": 0.4}).isna().tolist() == [
        False,
        True,
        False,
    ]


def test_another_prevalence_reweighs_the_chances(fit, iris):
    p = fit.predict(iris, "prob")
    prior = {"virginica": 0.6, "setosa": 0.1, "versicolor": 0.3}
    other = fit.predict(iris, "prob", prior=prior)
    odds = p * pd.Series(prior)[p.columns] / (1 / 3)
    assert other.to_numpy() == pytest.approx((odds.div(odds.sum(axis=1), axis=0)).to_numpy())
    assert fit.predict(iris, prior=prior).tolist() == other.idxmax(axis=1).tolist()


def test_a_loss_decides_by_expected_loss(fit, iris):
    levels = list(iris.species.cat.categories)
    loss = pd.DataFrame(1 - np.eye(3), levels, levels)
    loss.loc["virginica", ["setosa", "versicolor"]] = 50.0
    p = fit.predict(iris, "prob").to_numpy()
    expected = [levels[k] for k in (p @ loss.to_numpy()).argmin(axis=1)]
    decided = fit.predict(iris, loss=loss)
    assert decided.tolist() == expected
    assert (decided == "virginica").sum() > (fit.predict(iris) == "virginica").sum()


def test_update_and_steps_keep_the_calibration(fit, iris):
    assert fit.call.arguments["calibrate"] is True
    assert fit.update(eps=1.5).calibration is not None
    assert fit.update(calibrate=False).calibration is None
    assert fit.at(size=4).calibration is None
    small = fit.at(size=4).calibrate(how="isotonic")
    again = small.update()
    assert len(again.prototypes) == 4
    assert again.predict(kind="prob").equals(small.predict(kind="prob"))


def test_print_and_summary_say_how_chances_were_learned(fit, iris):
    assert "Chances:       multinomial, learned from 150 rows held out in 10 folds" in repr(fit)
    assert "chance of about 0.9 within each class" in fit.summary().as_text().replace("\n", " ")
    small = iris.groupby("species", observed=True).head(8)
    few = pc.fit("species ~ .", small, eps=1.0).calibrate(cv=4).summary().as_text()
    assert "Every set holds a class with few calibration rows: setosa (above level 0.889)" in few
    given = pc.fit("species ~ .", iris[::2], eps=1.0).calibrate(iris[1::2])
    assert "learned from 75 rows that were given" in repr(given)


def test_words_of_the_guarantee(iris):
    data = gaussians(120, 0)
    metric = pc.Euclidean(scale=False)
    tuned = pc.fit("y ~ .", data, dissimilarity=metric).calibrate()
    assert "guaranteed is about 0.8" in tuned.calibration.guarantee(0.9)
    assert "chosen by the same rows" in tuned.calibration.guarantee(0.9)
    given = pc.fit("y ~ .", data, dissimilarity=metric).calibrate(gaussians(80, 1))
    assert "at least 0.9" in given.calibration.guarantee(0.9)
    assert "does not cover" not in given.calibration.guarantee(0.9)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"how": "platt"}, "allowed are"), ({"cv": None}, "leaves no row"), ({"data": pd.DataFrame({"a": [1.0]})}, "lack the response"),
     ({"seed": -1}, "whole number")],
)  # fmt: skip
def test_wrong_calibrations(fit, options, words):
    with pytest.raises(pc.OptionError, match=words):
        fit.calibrate(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "set", "level": 1.0}, "between 0 and 1"),
        ({"prior": {"setosa": 1.0}}, "each of the classes"),
        ({"prior": 3}, "a share for each"),
        ({"prior": {"setosa": 0.5, "versicolor": 0.5, "virginica": 0.5}}, "sum to 1.5"),
        ({"kind": "set", "prior": {}}, "prior= goes with"),
        ({"kind": "prob", "loss": 1}, "loss= goes with"),
        ({"loss": 1}, "a DataFrame"),
    ],
)
def test_wrong_questions(fit, options, words):
    with pytest.raises(pc.OptionError, match=words):
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


def test_the_order_of_the_rows_need_not_matter(iris):
    one = pc.fit("species ~ .", iris, eps=1.0, order="values", calibrate={"cv": 4})
    other = pc.fit("species ~ .", iris.sample(frac=1, random_state=1), eps=1.0, order="values", calibrate={"cv": 4})
    for kind in ("prob", "set"):
        assert one.predict(kind=kind).index.equals(iris.index)
        assert one.predict(kind=kind).equals(other.predict(kind=kind).loc[iris.index])


def test_a_rare_class_has_as_many_folds_as_rows(iris):
    rare = iris[(iris.species != "setosa") | (iris.index < 4)]
    fit = pc.fit("species ~ .", rare, eps=1.0, calibrate=True)
    assert "held out in 4 folds" in fit.calibration.words()
    assert len(fit.importance(repeats=1)) == 4


@pytest.mark.parametrize("how", ["multinomial", "isotonic"])
def test_a_row_of_missing_dissimilarities_has_no_chances(iris, how):
    D = pc.dissimilarity("species ~ .", iris).frame()
    fit = pc.fit("species ~ 1", iris, dissimilarity=D, eps=1.0, calibrate={"how": how, "cv": 3})
    new = D.head(3).copy()
    new.iloc[1, :] = np.nan
    prior = {"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5}
    for chances in (fit.predict(new, "prob"), fit.predict(new, "prob", prior=prior)):
        assert chances.iloc[1].isna().all()
        assert np.allclose(chances.iloc[[0, 2]].sum(axis=1), 1)
    assert fit.predict(new, prior=prior).isna().tolist() == [False, True, False]


def test_own_rows_do_not_calibrate(iris):
    """Nothing is guaranteed by rows that the fit learned from; other rows of the same labels may calibrate."""
    for method in ("pvm", "knn"):
        fit = pc.fit("species ~ .", iris[::2], method=method, cv=None, **({"eps": 1.0} if method == "pvm" else {"k": 3}))
        with pytest.raises(pc.DataError, match=r"learned from 3 of the 78 rows .*such as 0, .*leave data= out"):
            fit.calibrate(pd.concat([iris[1::2], iris[::2][:3]]))
        assert len(fit.calibrate(iris[1::2].reset_index(drop=True)).calibration.conformal.y) == 75
    D = pc.dissimilarity("species ~ .", iris).frame()
    table = pd.concat([D, iris["species"]], axis=1)
    given = pc.fit("species ~ 1", iris[::2], dissimilarity=D.iloc[::2, ::2], eps=1.0)
    with pytest.raises(pc.DataError, match="learned from 75 of the 75 rows"):
        given.calibrate(table[::2])
    assert len(given.calibrate(table[1::2]).calibration.conformal.y) == 75


def test_calibration_rows_are_shown_by_their_size(iris):
    fit = pc.fit("species ~ .", iris[::2], eps=1.0).calibrate(iris[1::2])
    assert "calibrate={'data': <75 x 5 DataFrame>}" in repr(fit).splitlines()[0]
