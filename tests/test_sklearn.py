"""The contracts of scikit-learn and of imbalanced-learn, and what their users do with an estimator."""

import copy
import inspect
import pickle
import sys
import traceback
import warnings

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import protoclass as pc
from protoclass.models.registry import BUILT_IN
from protoclass.sklearn import PrototypeClassifier, PrototypeSelector

# the first values of each example: a check makes a hundred fits
SMALL = {name: {parameter: values[0] for parameter, values in kind.example.items()} for name, kind in BUILT_IN.items()}
SMALL["medianglvq"] |= {"matrix": "diagonal", "ridge": 0.01}  # tuned by default, which takes minutes here
EPS = PrototypeClassifier("pvm", eps=1.0)


@pytest.fixture(scope="module")
def data():
    iris = pc.load_data("iris")
    return iris.drop(columns="species"), iris["species"].astype(str)


@pytest.fixture(scope="module")
def mixed():
    """Rows of every type of column."""
    rng = np.random.default_rng(1)
    n, y = 60, np.arange(60) % 2
    X = pd.DataFrame({
        "a": rng.normal(size=n) + 2 * y, "text": np.where(rng.random(n) < 0.8, np.where(y, "yes", "no"), "maybe"),
        "level": pd.Categorical(rng.choice(["low", "high"], n), ["low", "high"], ordered=True), "flag": rng.random(n) < 0.3 + 0.4 * y,
    })  # fmt: skip
    return X, np.where(y, "ill", "well")


def by_values(table):
    """The rows in the order in which estimators process them."""
    columns = list(table.columns.drop("w", errors="ignore"))
    return table.sort_values([columns[-1], *columns[:-1]], kind="stable")


def checks(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of checks that are skipped, and of the odd data in others
        return check_estimator(estimator)


QUICK = ["pvm", "scm", "knn"]


@pytest.mark.parametrize("method", [m if m in QUICK else pytest.param(m, marks=pytest.mark.long) for m in SMALL])
def test_all_checks_of_scikit_learn(method):
    """With no expected failure; one needs an environment variable of SciPy's that is set before SciPy is imported."""
    done = checks(PrototypeClassifier(method, **SMALL[method]))
    assert len(done) > 60
    assert {each["check_name"] for each in done if each["status"] != "passed"} <= {"check_array_api_input"}


@pytest.mark.parametrize("estimator", [
    PrototypeClassifier(eps=1.0, dissimilarity="precomputed"), PrototypeClassifier(eps=1.0, calibrate={"cv": 2}),
    PrototypeSelector(eps=1.0),
], ids=str)  # fmt: skip
def test_all_checks_of_scikit_learn_with_other_arguments(estimator):
    assert {each["check_name"] for each in checks(estimator) if each["status"] != "passed"} <= {"check_array_api_input"}


@pytest.mark.parametrize("method", QUICK)
def test_it_is_the_fit_of_a_formula(data, method):
    X, y = data
    found = PrototypeClassifier(method, **SMALL[method]).fit(X, y)
    fit = pc.fit("species ~ .", by_values(X.assign(species=y)), method, **SMALL[method])
    pd.testing.assert_frame_equal(found.fit_.prototypes, fit.prototypes)
    assert (found.predict(X) == fit.predict(X)).all()
    assert found.classes_.tolist() == fit.classes == sorted(set(y))
    assert found.prototype_labels_.tolist() == fit.prototypes["class"].tolist()
    if (found.prototype_indices_ >= 0).all():
        assert found.prototype_indices_.tolist() == fit.prototypes.index.tolist()
        pd.testing.assert_frame_equal(found.prototypes_, X.iloc[found.prototype_indices_], check_names=False)
    np.testing.assert_array_equal(found.transform(X), fit._query(X)[0].dissimilarities(fit.rule.prototypes))


def test_search_over_parameters_of_the_method_and_over_methods(data):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), PrototypeClassifier("pvm", eps=0.5))
    grid = [{"prototypeclassifier__eps": [0.7, 1.5]},
            {"prototypeclassifier__method": ["knn"], "prototypeclassifier__k": [1, 5]}]  # fmt: skip
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    own = []
    for train, test in StratifiedKFold(3).split(X, y):
        scaled = (X - X.iloc[train].mean()) / X.iloc[train].std(ddof=0)
        fit = pc.fit("y ~ .", scaled.iloc[train].assign(y=y), "knn", k=5)
        own.append((fit.predict(scaled.iloc[test]) == y.iloc[test]).mean())
    assert search.cv_results_["mean_test_score"][3] == pytest.approx(np.mean(own), abs=0.03)  # ties in the order of the rows
    assert set(search.best_estimator_[-1].get_params()) >= {"method", "cv"}


def test_the_signature_has_all_arguments_once():
    names = list(inspect.signature(PrototypeClassifier).parameters)
    assert set(names) == {"parameters", *PrototypeClassifier().get_params()}
    assert len(names) == 15
    ours, theirs = (list(inspect.signature(function).parameters) for function in (pc.cross_validate, pc.fit))
    assert ours == [name for name in theirs if name != "calibrate"]
    assert inspect.signature(pc.cross_validate).return_annotation == "Validation"


def test_parameters_and_clones():
    found = PrototypeClassifier("pvm", eps=1.0, solver="exact")
    assert found.get_params()["eps"] == found.eps == 1.0
    assert is_classifier(found)
    assert clone(found).get_params() == found.get_params()
    assert repr(found) == "PrototypeClassifier(eps=1.0, solver='exact')"
    other = copy.copy(found).set_params(eps=2.0)
    assert (found.eps, other.eps) == (1.0, 2.0)
    other.eps = 3.0
    assert other.get_params()["eps"] == 3.0
    assert pickle.loads(pickle.dumps(other)).eps == 3.0
    assert set(other.set_params(method="knn").get_params()) == set(PrototypeClassifier().get_params())
    assert other.set_params(method="pvm", eps=1).eps == 1
    with pytest.raises(
        ValueError, match=r"'epsilon' is not a parameter of PrototypeClassifier with method 'pvm': use "
    ):
        other.set_params(epsilon=1)


@pytest.mark.parametrize(("given", "words"), [
    ({"epsilon": 1.0}, "use eps="), ({"method": "pwm"}, "did you mean"),
    ({"na": "drop"}, "na must be 'raise' or 'keep', not 'drop'"), ({"weighting": "x"}, "'auto', 'copies'"),
    ({"dissimilarity": np.eye(150)}, "use the matrix as X with dissimilarity='precomputed'"),
    ({"metric": "euclidean"}, "use dissimilarity="),
    ({"cv": ShuffleSplit(3)}, r"cv must leave each row out once, such as.*: use GridSearchCV for other"),
], ids=str)  # fmt: skip
def test_parameters_that_are_wrong_are_said_by_fit(data, given, words):
    with pytest.raises(ValueError, match=words):
        PrototypeClassifier(**given).fit(*data)


def test_precomputed_dissimilarities(data):
    X, y = data
    at = np.lexsort(X.to_numpy().T[::-1])  # rows of a class are in the order of the values, which D does not show
    X, y = X.iloc[at], y.iloc[at]
    D = pc.dissimilarity("~ .", X, pc.Euclidean(scale=False)).frame().to_numpy()
    plain = PrototypeClassifier(eps=0.8, dissimilarity=pc.Euclidean(scale=False))
    pairs = PrototypeClassifier(eps=0.8, dissimilarity="precomputed")
    assert pairs.__sklearn_tags__().input_tags.pairwise
    assert (cross_val_predict(pairs, D, y, cv=3) == cross_val_predict(plain, X, y, cv=3)).all()
    a, b = pairs.fit(D[:100, :100], y.iloc[:100]), clone(plain).fit(X.iloc[:100], y.iloc[:100])
    assert a.prototype_indices_.tolist() == b.prototype_indices_.tolist()
    np.testing.assert_array_equal(a.transform(D[100:, :100]), b.transform(X.iloc[100:]))
    assert not hasattr(a, "prototypes_")
    search = GridSearchCV(clone(pairs), {"eps": [0.4, 0.8]}, cv=3, error_score="raise").fit(D, y)
    assert search.predict(D).shape == (150,)
    with pytest.raises(ValueError, match="must be square"):
        pairs.fit(D[:, :100], y)
    with pytest.raises(ValueError, match="Negative values"):
        pairs.fit(-D, y)


def test_tables_with_texts_categories_and_booleans(mixed):
    X, y = mixed
    found = PrototypeClassifier("knn", k=3).fit(X, y)
    assert found.feature_names_in_.tolist() == list(X)
    assert found.n_features_in_ == 4
    assert found.fit_.dissimilarity.metric.name == "Gower"
    assert found.score(X, y) > 0.8
    assert cross_val_score(found, X, y, cv=3, error_score="raise").mean() > 0.6
    for other in (polars.from_pandas(X), pyarrow.table({name: X[name].to_list() for name in X})):
        assert (clone(found).fit(other, y).predict(other) == found.predict(X)).all()
    with pytest.warns(pc.DataWarning, match="levels that the training data .* lack: 'never'") as caught:
        found.predict(X.assign(text="never"))
    assert not any("unseen=" in str(one.message) for one in caught)  # an argument that estimators do not have
    flat, new = PrototypeClassifier("knn", "euclidean", k=3).fit(X, y), X.assign(text="never")
    with pytest.warns(pc.DataWarning, match="never"):
        assert flat.classes_[(flat.decision_function(new) > 0).astype(int)].tolist() == flat.predict(new).tolist()
    with pytest.raises(ValueError, match="same order"):
        found.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="could not convert string to float"):
        clone(found).fit(X.to_numpy(), y)


def test_missing_values(mixed):
    X, y = mixed
    holes = X.assign(a=X["a"].where(X.index % 7 > 0))
    with pytest.raises(ValueError, match=r"missing values \(NaN\) in 'a': .*na='keep'"):
        PrototypeClassifier(eps=0.2).fit(holes, y)
    found = PrototypeClassifier(eps=0.2, na="keep").fit(holes, y)
    assert found.score(holes, y) > 0.8
    assert np.isfinite(found.transform(holes)).all()
    nothing = pd.DataFrame({name: pd.Series([None], dtype=X[name].dtype if name == "level" else object) for name in X})
    for ask in (found.predict, found.transform):
        with pytest.raises(ValueError, match="row 0 of X has no"):
            ask(nothing)


def test_sparse_matrices_are_dense_ones_unless_they_are_too_large_or_dissimilarities(data):
    X, y = data
    dense, sparse = X.to_numpy(), csr_array(X.to_numpy())
    assert (clone(EPS).fit(sparse, y).predict(sparse.tocsc()) == clone(EPS).fit(dense, y).predict(dense)).all()
    with pytest.raises(pc.errors.TooLargeError, match=r"a dense matrix of X takes .* GB, .*TruncatedSVD"):
        clone(EPS).fit(csr_array((len(y), 10**9)), y)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        PrototypeClassifier("knn", "precomputed", k=1).fit(csr_array(np.ones((150, 150))), y)


def test_columns_that_number_the_rows_are_taken_as_given():
    X, y = pd.DataFrame({"my id": range(20), "x": 1.5}), ["a", "b"] * 10
    assert list(PrototypeClassifier("knn", k=1).fit(X, y).predict(X)) == y


def test_kneighbors_are_those_of_scikit_learn(data):
    X, y = data[0].to_numpy() + np.random.default_rng(0).normal(0, 1e-3, (150, 4)), data[1]
    own = PrototypeClassifier("knn", pc.Euclidean(scale=False), k=3).fit(X, y)
    theirs = KNeighborsClassifier(3).fit(X, y)
    for count in (None, 5):
        for a, b in zip(own.kneighbors(X[:7] + 0.1, count), theirs.kneighbors(X[:7] + 0.1, count), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)
    assert PrototypeClassifier("kmeans", K=2).fit(X, y).kneighbors(X, return_distance=False).tolist() == [[-1]] * 150
    with pytest.raises(pc.errors.OptionError, match="n_neighbors must be a whole number >= 1 and <= 150, not 151"):
        own.kneighbors(X, 151)


def test_whole_weights_are_copies(data):
    X, y = data
    weights = np.arange(150) % 4
    rows = np.repeat(np.arange(150), weights)
    for method in ("pvm", "scm", "lvq"):
        found = PrototypeClassifier(method, **{"eps": 1.0} if method == "pvm" else SMALL[method])
        weighted, repeated = clone(found).fit(X, y, sample_weight=weights), found.fit(X.iloc[rows], y.iloc[rows])
        np.testing.assert_array_equal(weighted.transform(X), repeated.transform(X))
    weighted = PrototypeClassifier("knn").fit(X, y, weights)  # without leakage into the fold that holds a copy
    assert len(weighted.fit_.frame) == len(rows)
    folds = weighted.fit_.validation.folds
    assert folds.groupby(rows[folds.index]).nunique().max() == 1
    assert weighted.prototype_indices_.min() >= 0
    assert (weights[weighted.prototype_indices_] > 0).all()
    assert (y.to_numpy()[weighted.prototype_indices_] == weighted.prototype_labels_).all()


def test_other_weights_go_to_the_method(data):
    X, y = data
    weights = np.where(y == "virginica", 2.5, 1.0) * (np.arange(150) > 3)
    found = PrototypeClassifier(eps=1.0).fit(X, y, weights)
    table = X.assign(species=y, w=weights)[4:]
    own = pc.fit("species ~ . - w", by_values(table), eps=1.0, weights="w")
    assert found.prototype_indices_.tolist() == own.prototypes.index.tolist()
    whole = PrototypeClassifier(eps=1.0, weighting="weights").fit(X, y, np.where(y == "virginica", 2, 1))
    assert len(whole.fit_.frame) == 150
    assert whole.fit_.frame.weights.max() == 2
    with pytest.raises(ValueError, match=r"weights= needs a method with weights, which 'scm'.*: use 'pvm', 'hyperplane',"):
        PrototypeClassifier("scm").fit(X, y, weights)
    for wrong, words in ((-weights, "Negative values"), (0 * weights, "zero")):
        with pytest.raises(ValueError, match=words):
            PrototypeClassifier(eps=1.0).fit(X, y, wrong)
    with pytest.raises(ValueError, match=r"needs whole numbers as weights, not 2\.5"):
        PrototypeClassifier(eps=1.0, weighting="copies").fit(X, y, weights)
    with pytest.raises(pc.errors.TooLargeError, match=r"copies of rows by sample_weight take .*: use weighting='weights'"):
        PrototypeClassifier(eps=1.0).fit(X, y, np.full(150, 1e12))


def test_folds_of_scikit_learn(data):
    X, y = data
    splitter, groups = StratifiedKFold(5, shuffle=True, random_state=1), np.arange(150) // 2
    fold = np.empty(150, int)
    for number, (_, test) in enumerate(splitter.split(X, y)):
        fold[test] = number
    own = pc.fit("species ~ .", by_values(X.assign(species=y)), "knn", cv=pd.Series(fold)).validation.table
    for cv in (splitter, list(splitter.split(X, y)), PredefinedSplit(fold)):
        pd.testing.assert_frame_equal(PrototypeClassifier("knn", cv=cv).fit(X, y).fit_.validation.table, own)
    for cv in (GroupKFold(5), 5):
        folds = PrototypeClassifier("knn", cv=cv).fit(X, y, groups=groups).fit_.validation.folds
        assert folds.groupby(groups[folds.index]).nunique().max() == 1
    with pytest.raises(ValueError, match="split a group"):
        PrototypeClassifier("knn", cv=list(splitter.split(X, y))).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        PrototypeClassifier("knn").fit(X, y, groups=[1, 2, 3])


def test_metadata_is_routed(data):
    X, y = data
    weights, groups, folds = np.arange(150) % 3, np.arange(150) // 2, KFold(3, shuffle=True, random_state=0)
    own = []
    for train, test in folds.split(X):
        found = PrototypeClassifier("knn").fit(X.iloc[train], y.iloc[train], weights[train], groups[train])
        own.append(accuracy_score(y.iloc[test], found.predict(X.iloc[test])))
    with config_context(enable_metadata_routing=True):
        asks = (
            PrototypeClassifier("knn")
            .set_fit_request(sample_weight=True, groups=True)
            .set_score_request(sample_weight=False)
        )
        scores = cross_val_score(
            asks, X, y, cv=folds, params={"sample_weight": weights, "groups": groups}, error_score="raise"
        )
        np.testing.assert_array_equal(scores, own)
        routed = make_pipeline("passthrough", asks).fit(X, y, sample_weight=weights, groups=groups)
        assert (routed.predict(X) == clone(asks).fit(X, y, weights, groups).predict(X)).all()
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            cross_val_score(PrototypeClassifier("knn"), X, y, params={"groups": groups})


def test_output_as_a_table(data):
    X, y = data
    found = clone(EPS).set_output(transform="pandas").fit(X, y)
    out = found.transform(X.set_axis(np.arange(150) + 7))
    names = [f"row{row}_{label}" for row, label in zip(found.prototype_indices_, found.prototype_labels_, strict=True)]
    assert out.columns.tolist() == found.get_feature_names_out().tolist() == names
    assert len(set(names)) == 15
    assert out.index.tolist() == list(range(7, 157))
    np.testing.assert_array_equal(clone(EPS).fit_transform(X, y), out)
    means = PrototypeClassifier("kmeans", K=2).fit(X, y).get_feature_names_out().tolist()
    assert means == [f"kmeans{k}_{label}" for label in found.classes_ for k in (1, 2)]
    weights = np.ones(150)
    weights[7] = 3
    copies = PrototypeClassifier("knn", k=1).fit(X, y, weights).get_feature_names_out()
    assert len(set(copies)) == 152
    assert {"row7_setosa", "row7_setosa_2", "row7_setosa_3"} <= set(copies)
    both = ColumnTransformer([("all", clone(EPS), list(X)), ("petal", clone(EPS), ["petal_length", "petal_width"])])
    assert both.set_output(transform="pandas").fit_transform(X, y).columns[0] == f"all__{names[0]}"


def test_chances_and_decisions(data):
    X, y = data
    found = PrototypeClassifier("knn", k=5, calibrate=True).fit(X, y)
    assert cross_val_score(found, X, y, cv=3, scoring="neg_log_loss", error_score="raise").mean() > -0.5
    assert not hasattr(EPS, "predict_proba")
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = clone(EPS).predict_proba
    with pytest.raises(AttributeError) as raised:
        _ = clone(EPS).fit(X, y).predict_proba
    assert "calibrate=True" in str(raised.value)
    search = GridSearchCV(make_pipeline(StandardScaler(), EPS), {"prototypeclassifier__eps": [1.0]}, cv=3).fit(X, y)
    with pytest.raises(AttributeError, match="'GridSearchCV' has no attribute") as raised:
        search.predict_proba(X)  # a message of scikit-learn, after the error of the last step
    assert "use calibrate=True" in "".join(traceback.format_exception(raised.value))
    plane = PrototypeClassifier("hyperplane", C=1.0)
    np.testing.assert_array_equal(plane.fit(X, y).decision_function(X), plane.fit_.predict(X, "decision"))
    assert not hasattr(found, "decision_function")
    for name in ("predict", "transform", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(PrototypeClassifier(), name)(X)


@pytest.mark.parametrize("method", SMALL)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_method_has_values_by_class(data, method, classes):
    """Their largest is the predicted class, ties included, as rows with equal distances and votes are among them."""
    X, y = data
    X, y = (X.round(0), y) if classes == 3 else (X[y != "setosa"].round(0), y[y != "setosa"])
    found = PrototypeClassifier(method, **SMALL[method], weighting="weights").fit(X, y)
    values = found.decision_function(X)
    assert np.isfinite(values).all()
    assert values.shape == ((len(X),) if classes == 2 else (len(X), 3))
    chosen = (values > 0).astype(int) if classes == 2 else values.argmax(axis=1)
    assert (found.classes_[chosen] == found.predict(X)).all()
    assert hasattr(found, "predict_proba") == ("prob" in found.fit_.rule.kinds)
    if hasattr(found, "predict_proba"):
        np.testing.assert_array_equal(found.predict_proba(X), found.fit_.predict(X, "prob"))


def test_margins_where_classes_have_no_prototypes_and_where_ties_are_drawn(data):
    X, y = data
    two, cut = X[y != "setosa"], y[y != "setosa"]
    none = PrototypeClassifier(eps=0.1, lambda_=1000.0).fit(two, cut, np.where(cut == "virginica", 2, 1))
    assert none.fit_.prototypes.empty
    assert (none.decision_function(two) > 0).all()
    assert (none.predict(two) == "virginica").all()
    lone = PrototypeClassifier(eps=3.0, lambda_=20.0).fit(X, y)
    assert 0 < len(set(lone.prototype_labels_)) < 3
    assert (lone.classes_[lone.decision_function(X).argmax(axis=1)] == lone.predict(X)).all()
    drawn = PrototypeClassifier("knn", k=4, ties="random").fit(two.round(0), cut)
    assert ((drawn.decision_function(two.round(0)) > 0) == (drawn.predict(two.round(0)) == "virginica")).all()
    values = drawn.predict_proba(two.round(0))
    assert (values[:, 0] == values[:, 1]).any()


def test_all_checks_of_imbalanced_learn():
    from imblearn.utils.estimator_checks import estimator_checks_generator

    done = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in estimator_checks_generator(PrototypeSelector(eps=1.0)):
            check(estimator)
            done.append(check.func.__name__)
    assert {"check_samplers_pandas", "check_samplers_sample_indices", "check_samplers_list"} <= set(done)


@pytest.mark.parametrize("method", ["pvm", "multiedit"])
def test_rows_that_are_prototypes(data, method, monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn", None)  # as if it were not installed
    X, y = data
    selector = PrototypeSelector(method, **({"eps": 1.0} if method == "pvm" else SMALL[method]))
    fewer, classes = selector.fit_resample(X, y)
    pd.testing.assert_frame_equal(fewer, X.iloc[selector.sample_indices_])
    pd.testing.assert_series_equal(classes, y.iloc[selector.sample_indices_])
    assert set(selector.sample_indices_) == set(selector.prototype_indices_)
    assert selector.sampling_strategy_ == classes.value_counts().sort_index().to_dict()
    assert (selector.fit_.prototypes["class"].to_numpy(object) == y.iloc[selector.prototype_indices_]).all()


def test_selectors_in_a_pipeline_and_what_they_refuse(data):
    from imblearn.pipeline import make_pipeline as with_samplers

    X, y = data
    pipeline = with_samplers(PrototypeSelector("condensed"), PrototypeClassifier("knn", k=1))
    assert cross_val_score(pipeline, X, y, cv=3, error_score="raise").mean() > 0.9
    with pytest.raises(ValueError, match="prototypes that are not rows"):
        PrototypeSelector("kmeans", K=1).fit(X, y)
    with pytest.raises(ValueError, match="no row was selected"):
        PrototypeSelector(eps=0.01, lambda_=2.0).fit(X, y)
