"""The front door: CRAN's facts, and laws that every fit obeys."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import simulate
from hypothesis import given, settings
from hypothesis import strategies as st

import protoclass as pc


@pytest.mark.parametrize(
    ("eps", "counts", "error"),
    [(0.75, [6, 7, 10], 0.0133), (1, [4, 5, 6], 0.0400), (1.5, [3, 2, 3], 0.1267), (2, [3, 1, 1], 0.1333)],
)
def test_cran_protoclass_on_iris(iris, eps, counts, error):
    """CRAN protoclass 1.0 on scale(iris[, 1:4]), lambda = 1/150: prototypes per class and training error."""
    fit = pc.fit("species ~ .", iris, eps=eps, dissimilarity="euclidean", repeats=1)
    assert fit.prototypes["class"].value_counts(sort=False).tolist() == counts
    assert round(fit._training_error, 4) == error


def test_cran_protoclass_first_prototypes(iris):
    """1-based rows of R at eps 1."""
    fit = pc.fit("species ~ .", iris, eps=1)
    assert (fit.prototypes.index[:8] + 1).tolist() == [8, 83, 105, 51, 106, 15, 54, 114]


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_laws_of_the_pvm(seed):
    draw = np.random.default_rng(seed)
    data = pd.DataFrame(draw.normal(size=(40, 2)), columns=["a", "b"]).assign(y=draw.choice(["u", "v", "w"], 40))
    data.loc[:2, "y"] = ["u", "v", "w"]
    fold = pd.Series(np.arange(40) % 4, data.index)
    euclidean = {"cv": fold, "dissimilarity": "euclidean", "repeats": 1}
    fit = pc.fit("y ~ .", data, **euclidean)
    # permuting rows permutes the result: with weights whose sums are all different, only balls that hold the same rows
    # tie, and whichever of them comes first, the same rows are covered at each step
    order = draw.permutation(40)
    w = pd.Series(draw.uniform(0.5, 1.5, 40), data.index)
    heavy = pc.fit("y ~ .", data, weights=w, choose="min", **euclidean)
    moved = pc.fit("y ~ .", data.iloc[order], weights=w, choose="min", **euclidean)
    same = ["eps", "size"]
    pd.testing.assert_frame_equal(moved.validation.table[same], heavy.validation.table[same])
    moved = moved.update(eps=heavy.model.eps)
    assert moved.prototypes["class"].tolist() == heavy.prototypes["class"].tolist()
    assert moved.prototypes["newly_covered"].to_numpy() == pytest.approx(heavy.prototypes["newly_covered"].to_numpy())
    assert moved.objective.value == pytest.approx(heavy.objective.value)
    # renaming classes renames predictions
    names = {"u": "one", "v": "three", "w": "two"}
    ordered = pd.Categorical(data.y.map(names), ["one", "three", "two"])
    renamed = pc.fit("y ~ .", data.assign(y=ordered), **euclidean)
    assert renamed.predict().tolist() == fit.predict().map(names).tolist()
    # scaling D and eps together changes nothing
    d = pc.dissimilarity("y ~ .", data).frame()
    eps = fit.model.eps
    one = pc.fit("y ~ 1", data, dissimilarity=d, eps=eps, repeats=1)
    four = pc.fit("y ~ 1", data, dissimilarity=d * 4, eps=eps * 4, repeats=1)
    assert one.prototypes.equals(four.prototypes)
    # gains do not increase within a class; nor over all
    gains = one.prototypes["newly_covered"] - one.prototypes["miscovered"]
    assert gains.is_monotonic_decreasing
    # the objective from its definition
    inside = d[one.prototypes.index].to_numpy() < eps
    own = data.y.to_numpy()[:, None] == one.prototypes["class"].to_numpy()[None, :]
    uncovered = (~(inside & own).any(axis=1)).sum()
    miscovered = (inside & ~own).sum()
    assert one.objective.value == pytest.approx(uncovered + miscovered + len(one.prototypes) / 40)
    assert one.objective.uncovered == uncovered


def test_a_class_without_prototypes_and_no_prototypes_at_all(iris):
    fit = pc.fit("species ~ .", iris.iloc[:105], eps=1.0, lambda_=6.0)
    for text in (repr(fit), fit._repr_html_(), str(fit.summary())):
        assert re.search("Never predicted.*virginica: no prototypes", text)
    assert (fit.predict(kind="distance")["virginica"] == np.inf).all()
    none = pc.fit("species ~ .", iris.iloc[:120], eps=0.1, lambda_=1000.0)
    for text in (repr(none), none._repr_html_(), str(none.summary())):
        assert "0, every row is predicted as the most common training class (by weight), setosa" in text
    assert "Never predicted" not in repr(pc.fit("species ~ .", iris, eps=1.0))
    assert (none.predict() == "setosa").all()
    assert np.isinf(none.predict(kind="distance")).all(axis=None)
    assert set(none.predict(kind="nearest")) == {None}
    assert none.predict(kind="cover").isna().all()
    assert none.augment().margin.isna().all()
    assert len(none.prototypes) == 0
    assert none.plot() is not None


def test_asymmetric_and_rectangular_matrices_by_label(iris):
    index = [f"r{i}" for i in range(150)]
    data = iris.set_axis(index)
    X = data.drop(columns="species").to_numpy()
    D = pd.DataFrame(np.abs(X[:, None] - X).sum(2) * np.linspace(1, 1.3, 150)[:, None], index, index)
    D.iloc[0, 0] = 0.1
    draw = np.random.default_rng(1)
    extra = pd.DataFrame(np.abs(X[:, None] - X[None, :5] - 0.3).sum(2), index, [f"z{i}" for i in range(5)])
    wide = D.join(extra).iloc[:, draw.permutation(155)].sample(frac=1, random_state=0)
    fit = pc.fit("species ~ 1", data, dissimilarity=wide, eps=1.1)
    assert fit.prototypes["true_class"].isna().sum() == fit.prototypes.index.str.startswith("z").sum()
    new = wide.loc[index[::10], fit.prototypes.index]
    told = fit.predict(new)
    slow = fit.prototypes["class"].astype(object).to_numpy()[new.to_numpy().argmin(axis=1)]
    assert told.tolist() == slow.tolist()
    assert fit.predict().loc[new.index].tolist() == told.tolist()
    with pytest.raises(pc.errors.DataError, match=r"the new rows lack the dissimilarities to 'r4'"):
        fit.predict(new.iloc[:, 1:])
    with pytest.raises(pc.errors.DataError, match="candidates are not rows"):
        pc.fit("species ~ 1", data, "knn", dissimilarity=wide)
    with pytest.raises(pc.errors.NoCoordinatesError, match="coordinates"):
        pc.fit("species ~ 1", data, "kmeans", dissimilarity=wide)
    missing = new.copy()
    missing.iloc[3, 0] = np.nan
    assert fit.predict(missing).isna().tolist() == [i == 3 for i in range(len(new))]
    # held-out rows are never candidates, unlabelled ones always are
    v = pc.cross_validate("species ~ 1", data, dissimilarity=wide, eps=1.1, cv=3)
    assert v.table["error"].iloc[0] < 0.2


def test_missing_values_are_counted_kept_by_label_and_padded():
    data = simulate.clinic(120, missing=0.04, seed=3)
    fit = pc.fit("outcome ~ .", data, eps=0.35)
    gone = data.index[data.isna().any(axis=1)]
    assert fit.dropped.equals(gone)
    assert fit.nobs == 120 - len(gone)
    assert f"({len(gone)} dropped for missing values)" in repr(fit)
    out = fit.augment()
    assert len(out) == 120
    assert out.loc[gone, "fitted"].isna().all()
    assert out.drop(index=gone)["fitted"].notna().all()
    assert fit.predict(data).isna().equals(data.drop(columns="outcome").isna().any(axis=1))
    kept = pc.fit("outcome ~ .", data, eps=0.35, na="keep")
    assert kept.nobs == 120
    assert kept.predict(data).notna().all()


def test_augment_by_hand(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    out = fit.augment()
    D = pc.dissimilarity("species ~ .", iris).frame()[fit.prototypes.index]
    own = fit.prototypes["class"].astype(object).to_numpy()
    row = 70
    d, truth = D.loc[row].to_numpy(), iris.species[row]
    assert out.loc[row, "distance"] == pytest.approx(d.min())
    assert out.loc[row, "margin"] == pytest.approx(d[own != truth].min() - d[own == truth].min())
    assert out.loc[row, "prototype"] == fit.prototypes.index[d.argmin()]
    assert ((out["margin"] >= 0) >= out["correct"]).all()
    held = [set(own[D.loc[i].to_numpy() < 1.0]) == {iris.species[i]} for i in iris.index]
    assert out["covered"].tolist() == held


def test_a_level_order_decides_ties():
    data = pd.DataFrame({"x": [0.0, 2.0], "y": ["a", "b"]})
    middle = pd.DataFrame({"x": [1.0]})
    assert pc.fit("y ~ x", data, eps=0.1).predict(middle).tolist() == ["a"]
    turned = data.assign(y=pd.Categorical(data.y, ["b", "a"]))
    assert pc.fit("y ~ x", turned, eps=0.1).predict(middle).tolist() == ["b"]


def test_training_errors_of_the_classes_are_weighted(iris):
    w = np.where(iris.index % 2, 3.0, 1.0)
    fit = pc.fit("species ~ .", iris, "kmeans", K=1, weights=w)
    wrong, species = (fit.predict() != iris["species"]).to_numpy(), iris["species"].to_numpy()
    sheet = next(s for s in fit.summary().sheets if s.title == "Classes")
    shown = [row[list(sheet.headers).index("training error")] for row in sheet.cells]
    weighted = [f"{np.average(wrong[species == c], weights=w[species == c]):.4f}" for c in fit.classes]
    assert shown == weighted
    assert weighted != [f"{wrong[species == c].mean():.4f}" for c in fit.classes]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_that_are_changed_after_the_fit_change_nothing_in_it(iris, library):
    data = iris.copy() if library == "pandas" else pytest.importorskip("polars").DataFrame(iris.to_dict("list"))
    weights = np.ones(len(iris))
    fit = pc.fit("species ~ .", data, eps=1.0, weights=weights)
    before = fit.prototypes
    if library == "pandas":
        data.iloc[:, :4] = 0.0
    else:
        data.replace_column(0, data["petal_width"].rename("sepal_length"))
    weights[:] = np.arange(len(iris))
    pd.testing.assert_frame_equal(fit.update(eps=1.0).prototypes, before)
    pd.testing.assert_frame_equal(fit.prototypes, before)


def test_rows_with_few_values_that_are_nearest_to_many_are_told():
    draw = np.random.default_rng(0)
    data = pd.DataFrame(draw.normal(size=(120, 6))).add_prefix("x").assign(y=np.repeat(["a", "b"], 60))
    for row in (3, 50, 70, 111):
        data.loc[row, [f"x{j}" for j in range(6) if j != row % 6]] = np.nan
    with pytest.warns(pc.DataWarning, match="4 of the 120 rows have less than half of the predictors, but are nearest to [4-6]. %") as told:
        pc.fit("y ~ .", data, "knn", k=1, na="keep")
    cured = eval(re.search("data.dropna.*", str(told[0].message))[0], {"data": data})
    assert len(cured) == 116
    even = data.mask(draw.random(data.shape) < [0.5] * 6 + [0]).dropna(how="all", subset=data.columns[:6])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.fit("y ~ .", cured, "knn", k=1, na="keep")
        pc.fit("y ~ .", even, "knn", k=1, na="keep")


def test_copies_in_other_folds_are_told_with_the_groups_that_keep_them_together():
    draw = np.random.default_rng(1)
    data = pd.DataFrame(draw.normal(size=(60, 4))).add_prefix("x").assign(y=draw.choice(["a", "b"], 60))
    twice = pd.concat([data, data], ignore_index=True)
    nearly = pd.concat([data, data.assign(**{c: data[c] + 1e-6 * draw.normal(size=60) for c in data.columns[:4]})], ignore_index=True)
    words = pd.DataFrame({"s": ["".join(draw.choice(list("acgt"), 12)) for _ in range(60)] * 2, "y": twice["y"]})
    told = r"of the 120 rows have the predictors of a row in another fold \(expected by coincidence: about 0..*groups="
    for call in (
        lambda: pc.fit("y ~ .", twice, "knn", k=[1, 3]),
        lambda: pc.cross_validate("y ~ .", nearly, "knn", k=1, cv=5),
        lambda: pc.cross_validate("y ~ .", words, "knn", k=1, cv=5, dissimilarity="levenshtein"),
        lambda: pc.compare("y ~ .", twice, ["knn"], cv=3),
    ):
        with pytest.warns(pc.DataWarning, match=told) as caught:
            call()
        assert sum("another fold" in str(w.message) for w in caught) == 1
    with pytest.warns(pc.DataWarning, match=told) as caught:
        naive = pc.cross_validate("y ~ .", twice, "knn", k=1, cv=10).table["error"][0]
    line = next(re.search(r"groups=(data\.groupby.*)", str(w.message)) for w in caught if "another fold" in str(w.message))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*another fold")
        honest = pc.cross_validate("y ~ .", twice, "knn", k=1, cv=10, groups=eval(line[1], {"data": twice})).table["error"][0]
    assert naive < 0.2 < 0.35 < honest


def test_a_fit_without_cross_validation_says_how_to_have_one(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0, cv=None)
    with pytest.raises(pc.errors.NotAvailableError, match=r"not cross-validated: use fit\.update\(cv=10\)"):
        fit.validation.corrected()
    quick, ten = fit.update(cv="auto"), fit.update(cv=10)
    assert quick._curve is None
    assert quick.validation.table.equals(ten.validation.table)
    assert f"{ten.validation.table['error'][0]:.2f}" in str(quick)
    assert fit.update(cv=3).validation.table["error"][0] < 0.2
