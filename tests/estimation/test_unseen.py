"""Levels that no row of a fit has, in new rows and in rows that are held out."""

import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc

COMPARED = ["gower", "hamming", "zero_one", pc.Mixed([("a", "euclidean"), (["g", "o", "flag"], "gower")])]
EXPANDED = ["euclidean", "manhattan", "cosine", pc.Mixed([(["a", "o", "flag"], "gower"), ("g", "euclidean")])]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    n = 60
    t = pd.DataFrame({"a": rng.normal(size=n), "g": rng.choice(["u", "v", "w"], n), "flag": rng.random(n) < 0.5})
    t["o"] = pd.Categorical(rng.choice(["lo", "mid", "hi"], n), ["lo", "mid", "hi"], ordered=True)
    t["y"] = np.where(t.a + (t.g == "u") + rng.normal(size=n) / 2 > 0.3, "p", "q")
    return t


@pytest.fixture
def new(data):
    return data.head(6).assign(g=["u", "Z", "v", "Z", "X", "w"])


SAID = r"column 'g' has levels that the training data \('u', 'v', 'w'\) lack: 'Z' \(2 rows\), 'X' \(1 row\)"


@pytest.mark.parametrize("metric", COMPARED, ids=str)
def test_a_new_level_is_unlike_every_level(data, new, metric):
    fit = pc.fit("y ~ .", data, "knn", k=1, dissimilarity=metric)
    with pytest.warns(pc.DataWarning, match=f"{SAID}; the dissimilarity treats them as different") as told:
        found = fit.predict(new)
    assert len(told) == 1
    assert found.notna().all()
    known = new.g.isin(["u", "v", "w"])
    assert found[known].equals(fit.predict(new[known]))
    with pytest.raises(pc.errors.DataError, match=SAID):
        fit.predict(new, unseen="raise")
    assert fit.predict(new[known], unseen="raise").equals(found[known])


@pytest.mark.parametrize("metric", EXPANDED, ids=str)
def test_a_row_that_the_design_matrix_has_no_column_for_is_na(data, new, metric):
    fit = pc.fit("y ~ .", data, "knn", k=3, dissimilarity=metric)
    known = new.g.isin(["u", "v", "w"])
    for kind in ("class", "distance", "nearest", "prob"):
        with pytest.warns(pc.DataWarning, match=f"{SAID}; the rows with these values get no prediction"):
            found = fit.predict(new, kind)
        assert pd.DataFrame(found)[~known].isna().all(axis=None)
        assert found[known].astype(object).equals(fit.predict(new[known], kind).astype(object))
    with pytest.raises(pc.errors.DataError, match=SAID):
        fit.predict(new, unseen="raise")
    with pytest.warns(pc.DataWarning, match="derived from it are 0 in these rows"):
        assert fit.predict(new, unseen="zero").notna().all()
    with pytest.warns(pc.DataWarning, match="has levels that the training data"):
        assert fit.predict(new.assign(g="never")).isna().all()
    with pytest.raises(pc.errors.OptionError, match="unseen must be 'warn', 'raise' or 'zero', not 'na'"):
        fit.predict(new, unseen="na")


def test_zero_is_what_one_hot_encoding_that_ignores_does(data, new):
    from sklearn.compose import make_column_transformer
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import OneHotEncoder

    fit = pc.fit("y ~ a + g", data, "knn", k=1, dissimilarity=pc.Euclidean(scale=False))
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["g"]), remainder="passthrough")
    near = NearestNeighbors(n_neighbors=1).fit(encode.fit_transform(data[["a", "g"]]))
    with pytest.warns(pc.DataWarning):
        mine = fit.predict(new, "distance", unseen="zero").min(axis=1)
    assert np.allclose(mine, near.kneighbors(encode.transform(new[["a", "g"]]))[0][:, 0])


def test_an_ordered_level_without_a_rank_is_at_one_from_every_level(data):
    train = data[["a", "o", "y"]]
    fit = pc.fit("y ~ .", train, "knn", k=1, dissimilarity=pc.Gower(column_weights={"o": 3}))
    new = train.head(3).assign(o=["lo", "never", "hi"])
    with pytest.warns(pc.DataWarning, match=r"'o' has levels that the training data .'lo', 'mid', 'hi'. lack: 'never' \(1 row\)"):
        found = fit.predict(new, "distance").iloc[1].min()
    assert found == pytest.approx((np.abs(train.a - new.a.iloc[1]) / np.ptp(train.a)).min() / 4 + 3 / 4)
    d = pc.dissimilarity("~ a + o", train, pc.Gower(column_weights={"o": 3}))
    rep = d.metric.rows(d.data.again(new)[0])
    whole = d.metric.between(rep, d.candidates)
    assert np.array_equal(whole[:, ::7], d.metric.between(rep, tuple(a[::7] for a in d.candidates)))
    assert np.array_equal(whole.T, d.metric.between(d.candidates, rep))


def test_a_number_that_is_no_truth_value_is_a_level_too(data):
    new = data.head(3).assign(flag=[0, 1, 2])
    for metric, lost in (("gower", False), ("hamming", False), ("euclidean", True)):
        fit = pc.fit("y ~ a + flag", data, "knn", k=1, dissimilarity=metric)
        with pytest.warns(pc.DataWarning, match=r"'flag' was boolean in the training data, but has values that are neither true nor"):
            assert fit.predict(new).isna().tolist() == [False, False, lost]


def test_texts_that_are_measured_by_their_letters_are_no_levels():
    t = pd.DataFrame({"word": ["kitten", "mitten", "sitting", "baking"], "y": [*"ppqq"]})
    for metric in (pc.Levenshtein(), pc.Mismatch(k=2, m=0), lambda a, b: abs(len(a.word) - len(b.word))):
        fit = pc.fit("y ~ word", t, "knn", k=1, dissimilarity=metric)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert fit.predict(pd.DataFrame({"word": ["bitten"]}), unseen="raise").notna().all()


def test_a_rule_that_reads_columns_has_no_answer(data, new):
    stumps = {"features": "stumps", "kind": "conjunction", "penalty": 1.0, "max_size": None}
    fit = pc.fit("y ~ a + g", data, "scm", cv=None, **stumps)
    assert fit.dissimilarity.metric.name == "Gower"
    with pytest.warns(pc.DataWarning, match="the rows with these values get no prediction"):
        assert fit.predict(new).isna().tolist() == [False, True, False, True, True, False]
    with pytest.warns(pc.DataWarning, match="are 0 in these rows"):
        assert fit.predict(new, unseen="zero").notna().all()


def test_the_other_rows_are_tested_and_augmented(data, new):
    fit = pc.fit("y ~ a + g", data, "knn", k=3, dissimilarity="euclidean")
    known = new.g.isin(["u", "v", "w"])
    with pytest.warns(pc.DataWarning, match="has levels that the training data") as told:
        test = fit.test(new)
    assert len(told) == 1
    assert (test.n, test.left_out) == (3, 3)
    with pytest.warns(pc.DataWarning, match="has levels that the training data"):
        table = fit.augment(new)
    assert table.loc[~known, ["fitted", "prototype", "distance"] if "prototype" in table else ["fitted"]].isna().all(axis=None)
    assert table.loc[known, "fitted"].equals(fit.predict(new[known]))
    with pytest.warns(pc.DataWarning, match="has levels that the training data"):
        assert pc.compare_fits([fit, pc.fit("y ~ a", data, "knn", k=3)], new).left_out == 3


def test_calibrated_fits_have_no_chances_for_a_new_level(data, new):
    fit = pc.fit("y ~ a + g", data, "knn", k=3, dissimilarity="euclidean", calibrate=True)
    known = new.g.isin(["u", "v", "w"]).tolist()
    for kind in ("prob", "set"):
        with pytest.warns(pc.DataWarning, match="has levels that the training data"):
            assert pd.DataFrame(fit.predict(new, kind)).notna().all(axis=1).tolist() == known
        with pytest.warns(pc.DataWarning, match="are 0 in these rows"):
            assert pd.DataFrame(fit.predict(new, kind, unseen="zero")).notna().all(axis=None)


def test_cross_validation_holds_rows_out_as_new_ones(data):
    rare = data.assign(g=data.g.where(data.index != 7, "once"))
    folds = np.arange(len(rare)) % 5
    arguments = {"method": "knn", "k": 3, "dissimilarity": pc.Euclidean(scale=False)}
    with pytest.warns(pc.DataWarning, match=r"'g' has levels that the training rows of a fold lack \('once' \(1 row\)\): when held out"):
        fit = pc.fit("y ~ a + g", rare, cv=folds, **arguments)
    held_out = fit.validation.held_out.iloc[:, 0]
    for f in range(5):
        train, test = rare[folds != f], rare[folds == f]
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            alone = pc.fit("y ~ a + g", train, **arguments).predict(test)
        assert alone.isna().tolist() == [label == 7 for label in test.index]
        assert held_out.loc[test.index].astype(object).fillna("-").tolist() == alone.astype(object).fillna("-").tolist()
    with pytest.warns(pc.DataWarning, match="training rows of a fold lack"):
        scm = pc.cross_validate("y ~ a + g", rare, "scm", cv=folds, features="stumps", penalty=1.0, kind="conjunction", max_size=None)
    assert scm._problem.metric.name == "Gower"  # the rule reads columns
    assert scm.held_out.loc[7].isna().all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.cross_validate("y ~ a + g", rare, "knn", k=3, cv=folds)  # Gower answers
        declared = rare.assign(g=pd.Categorical(rare.g))
        pc.cross_validate("y ~ a + g", declared, cv=folds, **arguments)  # a level that the column declares is none that is new


def test_held_out_rows_without_a_prediction_are_in_no_cell_and_count_as_wrong(iris):
    data = iris.assign(g=np.where(iris.index == 70, "rare", "usual"))
    fold = np.arange(150) % 5
    with pytest.warns(pc.DataWarning, match="levels that the training rows of a fold lack"):
        fit = pc.fit("species ~ .", data, "knn", k=[1, 5], cv=fold, dissimilarity="euclidean")
    confusion = fit.validation.confusion(fit._selection.point)
    assert confusion.to_numpy().sum() == 149
    wrong = 150 - np.diag(confusion).sum()
    assert fit.validation.table["error"][fit._selection.point] == pytest.approx(wrong / 150)
    of_versicolor = 1 - confusion.loc["versicolor", "versicolor"] / 50
    assert f"{of_versicolor:.4f}" in str(fit.summary())
