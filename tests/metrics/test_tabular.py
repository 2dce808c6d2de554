"""Gower as R's daisy, and the dissimilarity of a forest against `apply` of scikit-learn in NumPy."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import simulate
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier

import protoclass as pc
from protoclass.core.distances.categories import apart, gower
from protoclass.export.saving.classes import check_forest
from protoclass.frames.frame import mold
from protoclass.metrics.measuring import measure_frame
from protoclass.metrics.tabular import TrainedForest

REFERENCE = Path(__file__).resolve().parents[1] / "reference"
PREDICTORS = ["sepal_length", "sepal_width", "petal_length", "petal_width"]


def differ(leaves, others=None):
    """The proportion of trees in which leaves differ, from what `apply` gives (n, trees) or (n, trees, classes)."""
    a = leaves.reshape(len(leaves), -1)
    b = a if others is None else others.reshape(len(others), -1)
    return (a[:, None] != b[None]).mean(axis=2)


def leaves_of(known, X):
    """The leaf of each tree that rows reach, by scikit-learn; boosting refuses names of columns that it was fitted with."""
    return np.stack([tree.apply(np.asarray(X, np.float32)) for tree in np.ravel(known.estimators_)], axis=1)


def measured(formula, data, metric, **given):
    return pc.dissimilarity(formula, data, metric, **given).frame().to_numpy()


@pytest.fixture(scope="module")
def mixed():
    """Numbers, a category and a boolean, with missing values in all."""
    draw = np.random.default_rng(0)
    y = draw.choice(["no", "yes"], 120)
    data = pd.DataFrame({"a": draw.normal(size=120) + (y == "yes"), "b": draw.choice([0.1, 0.2, 0.3], 120)})
    data["g"] = np.where(draw.random(120) < 0.6, np.where(y == "yes", "v", "w"), "u")
    data["t"] = draw.random(120) < 0.5
    data = data.mask(draw.random(data.shape) < 0.15)
    return data.astype({"a": float, "b": float, "t": "boolean"}).assign(y=y)


def as_numbers(mixed):
    """The same columns as codes."""
    return np.column_stack([
        mixed["a"], mixed["b"], mixed["g"].map({"u": 0.0, "v": 1.0, "w": 2.0}),
        mixed["t"].astype("Float64").to_numpy(float, na_value=np.nan),
    ])  # fmt: skip


KINDS = {
    "forest": ensemble.RandomForestClassifier(40, random_state=1), "small": ensemble.RandomForestClassifier(7, max_leaf_nodes=5),
    "extra": ensemble.ExtraTreesClassifier(40, random_state=1), "boosting": ensemble.GradientBoostingClassifier(n_estimators=9),
}  # fmt: skip


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_given_forest_is_compared_by_its_leaves(iris, kind):
    train, new = iris.iloc[::2], iris.iloc[1::2]
    for columns in (list, np.asarray):  # with names of columns, and without
        X = train[PREDICTORS] if columns is list else train[PREDICTORS].to_numpy()
        Z = new[PREDICTORS] if columns is list else new[PREDICTORS].to_numpy()
        known = KINDS[kind].fit(X, train["species"])
        metric = pc.Forest(of=known)
        assert np.array_equal(measured("~ . - species", train, metric), differ(leaves_of(known, X)))
        d = pc.dissimilarity("species ~ .", train, metric)
        found = d.metric.new_rows(new, d.data).measure(slice(None), d.candidates)
        assert np.array_equal(found, differ(leaves_of(known, Z), leaves_of(known, X)))


def test_a_learned_forest_is_scikit_learns_with_codes_and_missing_values(mixed):
    X, y = as_numbers(mixed), mixed["y"]
    known = ensemble.RandomForestClassifier(30, random_state=4, n_jobs=2, oob_score=True).fit(X, y)
    frame = mold("y ~ .", mixed, na="keep")
    d = measure_frame(frame, pc.Forest(trees=30, seed=4))
    assert np.array_equal(d.metric.between(d.rows, d.candidates), differ(known.apply(X)))
    assert d.metric.error[0] == pytest.approx(1 - known.oob_score_)
    plain = mixed.assign(g=X[:, 2], t=X[:, 3]).astype({"t": float})
    given = pc.Forest(of=known)
    assert np.array_equal(measured("~ . - y", plain, given, na="keep"), differ(known.apply(X)))


def test_missing_values_that_no_training_row_has_go_as_scikit_learn_sends_them(iris):
    known = ensemble.RandomForestClassifier(20, random_state=0).fit(iris[PREDICTORS], iris["species"])
    holes = iris.mask(np.random.default_rng(0).random(iris.shape) < 0.2).assign(species=iris["species"])
    holes = holes[holes[PREDICTORS].notna().any(axis=1)]
    assert np.array_equal(measured("~ . - species", holes, pc.Forest(of=known), na="keep"), differ(known.apply(holes[PREDICTORS])))


def test_thresholds_are_compared_as_by_scikit_learn():
    """Values beside thresholds, that single precision rounds to them or past them."""
    draw = np.random.default_rng(0)
    X = draw.choice([0.1, 0.1 + 1e-9, 0.1 - 1e-9, 0.1 + 1e-8, 1 / 3, 16777217.0, 16777216.0], (200, 3))
    y = draw.choice(["u", "v"], 200)
    known = ensemble.RandomForestClassifier(30, random_state=0).fit(X, y)
    data = pd.DataFrame(X).add_prefix("x").assign(y=y)
    assert np.array_equal(measured("~ . - y", data, pc.Forest(of=known)), differ(known.apply(X)))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("trees", [1, 3, 4, 301])
def test_the_same_bits_for_any_tiling_and_type(dtype, trees):
    draw = np.random.default_rng(trees)
    a, b = draw.integers(0, 5, (300, trees)).astype(dtype), draw.integers(0, 5, (2500, trees)).astype(dtype)
    D = apart(a, b)
    assert np.array_equal(D[:40, ::50], differ(a[:40], b[::50]))
    for rows, columns in ((slice(7, 8), slice(None)), (slice(None), slice(2047, 2049)), (slice(3, 250), slice(1, 2500, 3))):
        assert np.array_equal(apart(a[rows], b[columns]), D[rows, columns])


def test_weights_count_and_rows_without_one_do_not(iris):
    w = np.random.default_rng(0).choice([0, 1, 3], len(iris))
    X, y = iris[PREDICTORS].to_numpy(), iris["species"]
    known = ensemble.RandomForestClassifier(20, random_state=0).fit(X[w > 0], y[w > 0], sample_weight=w[w > 0])
    d = measure_frame(mold("species ~ .", iris, weights=w), pc.Forest(trees=20))
    assert np.array_equal(apart(d.rows[0], d.rows[0]), differ(known.apply(X)))


PREDICT = """
import sys
sys.modules["sklearn.ensemble"] = sys.modules["sklearn.tree"] = None
import protoclass as pc
fit = pc.load(sys.argv[1])
fit.predict(pc.load_data("iris"), "distance").to_csv(sys.argv[2])
"""


def test_a_saved_fit_predicts_without_scikit_learn(iris, tmp_path):
    known = ensemble.RandomForestClassifier(40, random_state=0, oob_score=True).fit(iris[PREDICTORS], iris["species"])
    fit = pc.fit("species ~ .", iris, "kmedoids", K=1, dissimilarity=pc.Forest(of=known), cv=None)
    place = fit.save(tmp_path / "fit.proto").path
    subprocess.run([sys.executable, "-c", PREDICT, place, tmp_path / "out.csv"], check=True)
    assert np.array_equal(pd.read_csv(tmp_path / "out.csv", index_col=0), fit.predict(iris, "distance"))
    loaded = pc.load(place)
    assert loaded.dissimilarity.metric == fit.dissimilarity.metric
    assert str(loaded) == str(fit)


DAMAGED = {
    "left": lambda f: {"left": np.where(f.left >= 0, 0, -1).astype(np.int32)},  # around in circles
    "right": lambda f: {"right": f.right + 10**6},
    "feature": lambda f: {"feature": f.feature + 4},
    "start": lambda f: {"start": f.start[::-1].copy()},
    "threshold": lambda f: {"threshold": f.threshold.astype(object)},
    "missing": lambda f: {"missing": f.missing.astype(float)},
}


@pytest.mark.parametrize("name", list(DAMAGED))
def test_trees_of_a_damaged_file_are_refused(iris, name):
    whole = pc.dissimilarity("species ~ .", iris, pc.Forest(trees=5)).metric
    check_forest(whole)
    fields = {f: getattr(whole, f) for f in TrainedForest.__dataclass_fields__}
    with pytest.raises(pc.errors.FileError):
        check_forest(TrainedForest(**{**fields, **DAMAGED[name](whole)}))


FITTED = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
REFUSED = [
    ({"trees": [100, 200]}, "trees must be a whole number >= 1"), ({"trees": 10**6}, "and <= 65535"),
    ({"of": ensemble.RandomForestClassifier()}, "is not fitted: use of.fit"),
    ({"of": ensemble.ExtraTreesRegressor()}, "of must be a fitted .*GradientBoostingClassifier' of scikit-learn, whose trees are public"),
    ({"of": ensemble.HistGradientBoostingClassifier()}, "public, not HistGradientBoostingClassifier"),
    ({"of": FITTED}, "not DecisionTreeClassifier"),
    ({"trees": 7, "of": KINDS["small"]}, None),
]  # fmt: skip


@pytest.mark.parametrize(("given", "words"), REFUSED, ids=str)
def test_other_arguments_are_refused(given, words):
    if words is None:  # a number of trees beside a fitted forest of as many is the same forest
        known = ensemble.RandomForestClassifier(7, random_state=0).fit([[0.0], [1.0]] * 9, [0, 1] * 9)
        assert pc.Forest(trees=7, of=known) == pc.Forest(of=known) != pc.Forest(trees=7)
        given, words = {"trees": 8, "of": known}, "leave them out"
    with pytest.raises(pc.errors.OptionError, match=words):
        pc.Forest(**given)


def test_other_columns_are_refused(iris, mixed):
    known = pc.Forest(of=ensemble.RandomForestClassifier(5, random_state=0).fit(iris[PREDICTORS], iris["species"]))
    for right in (". - petal_width", "petal_width + petal_length + sepal_width + sepal_length", "log(petal_width)"):
        with pytest.raises(pc.errors.DataError, match=r"fitted on 4 columns, .*sepal_length.*, but the predictors are .*in the same order"):
            pc.fit(f"species ~ {right}", iris, dissimilarity=known, cv=None, eps=0.5)
    X = as_numbers(mixed)
    nameless = ensemble.RandomForestClassifier(5, random_state=0).fit(X, mixed["y"])
    with pytest.raises(pc.errors.DataError, match="fitted on 4 columns but the predictors are"):
        measured("~ a + b", mixed, pc.Forest(of=nameless), na="keep")
    with pytest.raises(pc.errors.DataError, match=r"but the predictors are .*1 categories.*as numbers for of="):
        measured("~ . - y", mixed, pc.Forest(of=nameless), na="keep")
    nameless.estimators_ = nameless.estimators_[:1] * 2**16
    with pytest.raises(pc.errors.DataError, match="has 65536 trees, above 65535: use a forest of fewer trees"):
        pc.Forest(of=nameless)


def test_data_without_a_forest_are_refused(iris):
    with pytest.raises(pc.errors.DataError, match="has no response: use"):
        pc.dissimilarity("~ . - species", iris, pc.Forest())
    with pytest.raises(pc.errors.DataError, match="rows of two classes"):
        pc.Forest().train(mold("species ~ .", iris).take(np.arange(40)))
    with pytest.raises(pc.errors.DataError, match="no predictors"):
        pc.dissimilarity("species ~ 1", iris, pc.Forest())
    with pytest.raises(pc.errors.DataError, match="none of the 3 trees of the forest has a split"):
        pc.dissimilarity("species ~ .", iris.assign(**dict.fromkeys(PREDICTORS, 1.0)), pc.Forest(trees=3))
    with pytest.raises(pc.errors.DataError, match=r"'petal_width' is 1e\+300 at row 7, beyond the numbers of a forest"):
        pc.dissimilarity("species ~ .", iris.assign(petal_width=iris["petal_width"].where(iris.index != 7, 1e300)), pc.Forest(trees=3))


def test_new_levels_and_missing_values(mixed):
    fit = pc.fit("y ~ .", mixed, "knn", k=3, dissimilarity=pc.Forest(trees=20), na="keep", cv=None)
    new = mixed.head(4).copy()
    new.loc[new.index[0], "g"] = "another"
    new.loc[new.index[1], ["a", "b"]] = np.nan
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predicted = fit.predict(new)
    assert predicted.notna().all()
    assert any("'another' (1 row); the dissimilarity treats them as missing values" in str(w.message) for w in caught)
    hole = new.assign(g=new["g"].mask(new["g"] == "another"))
    leaves = [fit.dissimilarity.metric.rows(fit.frame.again(rows)[0])[0] for rows in (new, hole)]
    assert np.array_equal(*leaves)


# Gower


@pytest.fixture(scope="module")
def clinic():
    return simulate.clinic(90, missing=0, seed=3)


def daisy_table():
    t = pd.read_csv(REFERENCE / "daisy_table.csv")
    t["stage"] = pd.Categorical(t.stage, ["I", "II", "III", "IV"], ordered=True)
    return t.assign(smoker=t.smoker.astype("boolean"), fever=t.fever.astype("boolean"))


WEIGHTS = {"age": 2, "crp": 0.7, "ward": 3, "stage": 0, "smoker": 1.5, "fever": 0.1}  # rank has 1
DAISY = {
    "plain": {},
    "asymmetric": {"asymmetric": ["smoker", "fever"]},
    "weighted": {"column_weights": WEIGHTS},
    "logratio": {},
    "ordratio": {},
    "all": {"column_weights": WEIGHTS, "asymmetric": "fever"},
}
CHANGED = {"logratio": {"age": np.log, "crp": np.log}, "ordratio": {"rank": pd.Series.rank}, "all": {"crp": np.log, "rank": pd.Series.rank}}


@pytest.mark.parametrize("case", DAISY)
def test_gower_equals_daisy(case):
    """R 4.2.2, cluster 2.1.4; the commands are in reference/daisy.R. What `daisy` changes by `type=` is changed in the data here."""
    expected = pd.read_csv(REFERENCE / "daisy.csv")[case]
    t = daisy_table()
    for name, change in CHANGED.get(case, {}).items():
        t[name] = change(t[name]) if change is np.log else change(t[name], method="dense")
    found = pc.dissimilarity("~ .", t, pc.Gower(**DAISY[case]), na="keep").condensed()
    assert found == pytest.approx(expected.to_numpy(), abs=1e-13)


@pytest.mark.parametrize("missing", [0, 0.05])
@pytest.mark.parametrize("weighted", [False, True])
def test_gower_has_the_same_bits_in_any_tile(missing, weighted):
    draw = np.random.default_rng(1)
    x, g = draw.normal(size=(1400, 5)), draw.integers(0, 3, (1400, 4))
    x[:1100][draw.random((1100, 5)) < missing] = np.nan  # the last tile misses nothing, and takes the shorter road
    g[:1100][draw.random((1100, 4)) < missing] = -1
    flags, w = np.array([True, False, False, False]), draw.random(9) if weighted else None
    X = np.column_stack([x, np.where(g < 0, np.nan, g)])
    D = gower(X, X, 5, flags, w)
    assert np.array_equal(D, D.T, equal_nan=True)
    for i, j in [(slice(3, 4), slice(None)), (slice(None), slice(1023, 1026)), (slice(7, 9), slice(1390, 1400))]:
        assert np.array_equal(D[i, j], gower(X[i], X[j], 5, flags, w), equal_nan=True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"column_weights": [1, 2]}, "mapping"),
        ({"column_weights": {"age": "2"}}, "numbers >= 0, .* not '2' for 'age'"),
        ({"column_weights": {"aeg": 1}}, "'aeg', which is not a predictor"),
        ({"column_weights": {"age": 0, "ward": 0, "smoker": 0, "severity": 0}}, "0 for all"),
        ({"asymmetric": ["age"]}, "'age', which is not a boolean predictor"),
    ],
)
def test_gower_refuses_odd_parameters(clinic, options, says):
    with pytest.raises(pc.errors.OptionError, match=says):
        pc.dissimilarity("~ age + ward + smoker + severity", clinic, pc.Gower(**options))


def test_gower_names_the_row_that_is_too_large(clinic):
    fit = pc.fit("outcome ~ age", clinic, dissimilarity="gower", eps=0.1)
    with pytest.raises(pc.errors.DataError, match="'age' is infinite at row"):
        fit.predict(clinic.assign(age=np.inf))
    tiny = pd.DataFrame({"x": [0.0, 1e-300, 2e-300], "y": ["a", "b", "a"]})
    small = pc.fit("y ~ x", tiny, dissimilarity="gower", eps=0.3)
    with pytest.raises(pc.errors.DataError, match=r"column 'x' is 1e\+300 at row 0, too large for its range in the training data, 2e-300"):
        small.predict(pd.DataFrame({"x": [1e300]}))
