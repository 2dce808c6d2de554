"""compare with estimators of scikit-learn and with predictions from elsewhere: by hand, by DeLong's formulas, and what is refused."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import protoclass as pc

PVM = {"method": "pvm", "dissimilarity": "euclidean", "repeats": 1}  # tuned on one distance, by folds drawn once
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


@pytest.fixture(scope="module")
def clinic():
    """Numbers, a category as text, a truth value, and two classes."""
    draw = np.random.default_rng(0)
    n = 120
    city = draw.choice(["Bern", "Genf", "Ulm"], n)
    age, ill = draw.normal(50, 12, n), draw.random(n) < 0.5
    y = np.where(age / 12 + (city == "Ulm") + ill + draw.normal(size=n) > 5, "yes", "no")
    return pd.DataFrame({"age": age, "city": city, "ill": ill, "out": y}, index=[f"p{i}" for i in range(n)])


class Spy(ClassifierMixin, BaseEstimator):
    """Keeps what it was given, and predicts the first class."""

    seen: list = []  # noqa: RUF012 - shared by the copies that compare fits

    def fit(self, X, y):
        self.classes_, self.first_ = np.unique(y), y[0]
        self.seen.append(("fit", X.copy(), y))
        return self

    def predict(self, X):
        self.seen.append(("predict", X.copy(), None))
        return np.full(len(X), self.classes_[0])


def test_an_estimator_stands_beside_methods_on_the_same_splits(iris):
    forest = RandomForestClassifier(20, random_state=3)
    methods = {"pvm": PVM, "forest": forest, "logistic": LOGISTIC}
    told = pc.compare("species ~ .", iris, methods, cv=4, seed=2)
    alone = pc.compare("species ~ .", iris, {"pvm": PVM}, cv=4, seed=2)
    pd.testing.assert_series_equal(told.predictions["pvm"], alone.predictions["pvm"])
    assert told.table.loc["pvm", ["error", "low", "high"]].equals(alone.table.loc["pvm", ["error", "low", "high"]])
    assert not hasattr(forest, "estimators_")  # a copy was fitted
    X, y = iris.drop(columns="species"), iris["species"].astype(str)
    for split, rows in told.predictions.groupby(level="split"):
        test = rows.index.get_level_values(1)
        train = iris.index.difference(test)
        at = told.predictions.index.get_level_values(0) == split
        for name in ("forest", "logistic"):
            by_hand = {"forest": RandomForestClassifier(20, random_state=3), "logistic": LOGISTIC}[name].fit(X.loc[train], y[train])
            assert rows[name].astype(str).tolist() == by_hand.predict(X.loc[test]).tolist()
            assert np.array_equal(told.chances[name][at], by_hand.predict_proba(X.loc[test]))
    assert told.table.loc["forest", ["prototypes", "choice"]].isna().tolist() == [True, False]
    assert told.results.set_index("method").loc["forest", "size"].isna().all()
    assert (told.results["seconds"] > 0).all()
    assert len(told.tests) == 3
    assert told.tests["p"].notna().any()


def test_a_pipeline_gets_columns_and_any_other_estimator_numbers(clinic):
    Spy.seen.clear()
    pc.compare("out ~ .", clinic.assign(site=np.arange(120) // 10), {"spy": Spy(), "piped": make_pipeline(Spy())}, cv=3, groups="site")
    numbers, columns = ([x for what, x, _ in Spy.seen[k : k + 2]] for k in (0, 2))
    assert list(columns[0]) == ["age", "city", "ill"]
    assert columns[0].equals(clinic.loc[columns[0].index, ["age", "city", "ill"]])
    assert columns[1].equals(clinic.loc[columns[1].index, ["age", "city", "ill"]])
    for table, raw in zip(numbers, columns, strict=True):
        assert set(map(str, table.dtypes)) == {"float64"}
        expected = pd.get_dummies(raw, columns=["city"], dtype=float)
        assert sorted(table.sum().round(6)) == sorted(expected.astype(float).sum().round(6))
        assert table.shape == expected.shape
    _, _, y = Spy.seen[0]
    assert y.tolist() == clinic.loc[columns[0].index, "out"].tolist()
    Spy.seen.clear()
    pc.compare("out ~ log(age) + ill", clinic, [Spy()], test_size=0.5)
    assert np.allclose(Spy.seen[0][1].iloc[:, 0], np.log(clinic.loc[Spy.seen[0][1].index, "age"]))
    Spy.seen.clear()
    pc.compare("out ~ age", clinic, [GridSearchCV(make_pipeline(Spy()), {"memory": [None]}, cv=2)], test_size=0.5)
    assert list(Spy.seen[0][1]) == ["age"]


def test_a_level_that_training_rows_lack_is_zero_in_all_columns(clinic):
    rare = clinic.assign(city=np.where(clinic.index == "p7", "Rom", clinic["city"]))
    Spy.seen.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = pc.compare("out ~ .", rare, [Spy()], cv=3)
    widths = {x.shape[1] for what, x, _ in Spy.seen if what == "fit"}
    assert widths == {5, 6}
    assert told.predictions["Spy"].notna().all()
    for what, x, _ in Spy.seen:
        if what == "predict" and "p7" in x.index and x.shape[1] == 5:
            assert x.loc["p7"].eq(0).sum() >= 3


def test_missing_values_reach_a_pipeline(clinic):
    from sklearn.impute import SimpleImputer

    gaps = clinic.assign(age=clinic["age"].where(np.arange(120) % 5 > 0))
    piped = make_pipeline(SimpleImputer(), LogisticRegression())
    told = pc.compare("out ~ age + ill", gaps, {"piped": piped, "knn": pc.KNN(k=5)}, cv=3, na="keep")
    assert told.table["n"].tolist() == [120, 120]
    assert pc.compare("out ~ age + ill", gaps, [LogisticRegression()], cv=3).table["n"].tolist() == [96]
    with pytest.raises(pc.OptionError, match=r"such as make_pipeline\(SimpleImputer\(\), LogisticRegression\(\)\), or na='drop'"):
        pc.compare("out ~ age + ill", gaps, [LogisticRegression()], cv=3, na="keep")


def test_class_weights_are_sample_weights(clinic):
    one = {"method": LogisticRegression(max_iter=5000), "class_weights": {"yes": 5}}
    told = pc.compare("out ~ age + ill", clinic, {"given": one, "own": LogisticRegression(max_iter=5000, class_weight={"yes": 5})}, cv=3)
    assert told.predictions["given"].equals(told.predictions["own"])
    assert np.allclose(told.chances["given"], told.chances["own"], atol=1e-6)
    for method, name in ((KNeighborsClassifier(), "KNeighborsClassifier"), (LOGISTIC, "Pipeline")):
        with pytest.raises(pc.OptionError, match=rf"needs sample_weight, but {name}.fit has none: leave class_weights out.*class_weight="):
            pc.compare("out ~ age + ill", clinic, {"a": {"method": method, "class_weights": "balanced"}}, cv=3)


def test_a_search_keeps_its_own_tuning(iris):
    search = GridSearchCV(LOGISTIC, {"logisticregression__C": [0.001, 1.0], "logisticregression__solver": ["lbfgs"]}, cv=3)
    told = pc.compare("species ~ .", iris, {"search": search, "pvm": PVM}, cv=3)
    assert told.table.loc["search", "choice"] == "logisticregression__C 1, 'lbfgs'"
    lists = GridSearchCV(LogisticRegression(max_iter=500), [{"C": [1e-9]}, {"tol": [1e-4]}], cv=3)
    assert pc.compare("species ~ .", iris, [lists], cv=3).table.loc["GridSearchCV", "choice"] == "tol 0.0001"


def test_warnings_and_errors_of_estimators_come_through(iris):
    with pytest.warns(ConvergenceWarning):
        pc.compare("species ~ .", iris, [LogisticRegression(max_iter=1)], test_size=0.3)
    with pytest.raises(ValueError, match=r"Invalid|must be|'newton'") as caught:
        pc.compare("species ~ .", iris, {"odd": LogisticRegression(solver="newton")}, test_size=0.3)
    assert not isinstance(caught.value, pc.ProtoclassError)
    assert caught.value.__notes__ == ["compare, method 'odd'"]


def test_labels_of_classes_of_any_type():
    draw = np.random.default_rng(0)
    x = np.r_[draw.normal(size=40), draw.normal(3, 1, 40)]
    for labels in ((True, False), (1, 2), ("a", "b"), (2.0, 5.0)):
        data = pd.DataFrame({"x": x, "y": np.repeat(labels, 40)})
        for y in (data["y"], data["y"].astype("category")):
            told = pc.compare("y ~ x", data.assign(y=y), [LogisticRegression(), pc.KNN(k=5)], cv=4)
            assert told.table["error"].max() < 0.2
            assert told.table.loc["LogisticRegression", "auc"] > 0.9


# predictions from elsewhere


def folds_of(n, count=5):
    return np.random.default_rng(1).permutation(np.arange(n) % count)


def out_of_fold(iris, fold):
    X, y = iris.drop(columns="species"), iris["species"].astype(str)
    labels, p = pd.Series(index=iris.index, dtype=object), pd.DataFrame(index=iris.index, columns=sorted(set(y)), dtype=float)
    for f in range(fold.max() + 1):
        model = LogisticRegression(max_iter=2000).fit(X[fold != f], y[fold != f])
        labels[fold == f], p.loc[fold == f, model.classes_] = model.predict(X[fold == f]), model.predict_proba(X[fold == f])
    return labels, p


def test_predictions_are_judged_as_the_classifier_that_made_them(iris):
    import polars

    fold = folds_of(150)
    labels, p = out_of_fold(iris, fold)
    shuffled = labels.sample(frac=1, random_state=0)
    methods = {
        "here": LogisticRegression(max_iter=2000), "labels": pc.Predictions(shuffled), "array": pc.Predictions(labels.to_numpy()),
        "p": pc.Predictions(p.iloc[:, ::-1]), "polars": pc.Predictions(polars.from_pandas(p)),
        "polars labels": pc.Predictions(polars.Series(labels.to_list())), "pvm": PVM, "two": pc.MedianGLVQ(K=1, matrix="none"),
    }  # fmt: skip
    told = pc.compare("species ~ .", iris, methods, cv=pd.Series(fold, iris.index))
    assert told.how == "Nested cross-validation of 150 rows, 5 folds, folds of the user's own"
    for name in methods.keys() - {"pvm", "two"}:
        assert told.predictions[name].equals(told.predictions["here"])
        assert told.table.loc[name, ["error", "low", "high"]].equals(told.table.loc["here", ["error", "low", "high"]])
    for name in ("p", "polars"):
        assert np.allclose(told.chances[name], told.chances["here"])
    assert told.table.loc["labels", ["prototypes", "seconds", "brier"]].isna().all()
    assert all(len(set(fold[rows.index.get_level_values(1)])) == 1 for _, rows in told.predictions.groupby(level="split"))
    for text in (repr(told), told._repr_html_()):
        assert "NaN" not in text


def test_predictions_of_test_rows_are_enough_and_missing_ones_are_wrong(iris):
    split = pc.compare("species ~ .", iris, [pc.KNN(k=1)], test_size=0.3)
    said = split.predictions.loc[0]["knn(k=1)"].astype(str)
    said.iloc[:4] = None
    told = pc.compare("species ~ .", iris, {"knn": pc.KNN(k=1), "R": pc.Predictions(said)}, test_size=0.3)
    assert told.table.loc["R", "wrong"] == told.table.loc["knn", "wrong"] + 4
    with pytest.raises(pc.DataError, match=r"method 'R': the predictions lack the row \d+, but every test row needs one"):
        pc.compare("species ~ .", iris, {"knn": pc.KNN(k=1), "R": pc.Predictions(said)}, cv=3)
    with pytest.raises(pc.DataError, match="shape"):
        pc.compare("species ~ .", iris, {"R": pc.Predictions(said.to_numpy())}, test_size=0.3)
    twice = pc.compare("species ~ .", iris, {"R": pc.Predictions(iris["species"].rename("R"))}, cv=3, repeats=2)
    assert twice.table["error"].tolist() == [0.0]


def test_predictions_beside_fits_on_new_rows(iris):
    new = iris.iloc[1::2]
    fit = pc.fit("species ~ .", iris.iloc[::2], "knn", k=3)
    loss = pd.DataFrame((1 - np.eye(3)) * [[1], [1], [4]], fit.classes, fit.classes)
    by_width = pc.Predictions(new["petal_width"].map(lambda w: "setosa" if w < 1 else "virginica"))
    told = pc.compare({"R": by_width, "knn": fit}, new=new, loss=loss)
    assert told.table.loc["R", "wrong"] == 25
    assert told.table["loss"].tolist() == pytest.approx([25 / 75, (told.table.loc["knn", "loss"])])
    assert "McNemar" in told.tests["test"][0]
    again = pc.compare(fit, pc.Predictions(fit.predict(new)), new=new)
    assert again.methods == ["knn", "Predictions"]
    assert again.tests["p"].tolist() == [1.0]
    with pytest.raises(pc.OptionError, match=r"pc.Predictions\(estimator.predict\(X\)\) for a fitted estimator"):
        pc.compare({"a": fit, "b": LogisticRegression()}, new=new)
    with pytest.raises(pc.OptionError, match="or only fits: use compare"):
        pc.compare({"a": pc.Predictions([1, 2])}, new=new)
    with pytest.raises(pc.DataError, match=r"method 'R': predictions must be among the classes 'setosa', .*not 'x'"):
        pc.compare({"a": fit, "R": pc.Predictions(np.full(len(new), "x"))}, new=new)


# folds that are given


def test_folds_are_given_as_to_fit(iris):
    fold = folds_of(150, 4)
    for cv in (fold, pd.Series(fold, iris.index).sample(frac=1, random_state=0), np.array(list("abcd"))[fold]):
        told = pc.compare("species ~ .", iris, [pc.KNN(k=3)], cv=cv)
        wrong = pc.cross_validate("species ~ .", iris, "knn", k=3, cv=cv)
        assert sorted(told.errors["knn(k=3)"]) == pytest.approx(sorted(wrong.fold_errors.iloc[:, 0]))
    with_holes = iris.assign(petal_width=iris["petal_width"].where(iris.index != 5))
    assert pc.compare("species ~ .", with_holes, [pc.KNN(k=3)], cv=fold).table["n"].tolist() == [149]
    loo = pc.compare("species ~ .", iris.iloc[::5], {"1-NN": pc.KNN(k=1), "logistic": LOGISTIC}, cv="loo")
    assert loo.errors.shape == (30, 2)
    assert loo.how.endswith("one row left out at a time")
    assert np.isnan(loo.table.loc["logistic", "auc"])  # a single row has no area
    assert loo.score_tests("brier").shape[0] == 0
    group = np.arange(150) % 15
    assert pc.compare("species ~ .", iris, [pc.KNN(k=1)], cv="loo", groups=group).errors.shape == (15, 1)
    assert pc.compare("species ~ .", iris, [pc.KNN(k=1)], cv="auto").how == pc.compare("species ~ .", iris, [pc.KNN(k=1)]).how


@pytest.mark.parametrize(
    ("cv", "more", "message"),
    [
        (np.zeros(150), {}, "the folds in cv are all the same"),
        (np.arange(150) // 50, {}, "a fold has all rows of class 'setosa', so none is left for training: use other folds"),
        (np.arange(10), {}, r"cv folds have shape \(10,\)"),
        (pd.Series(np.arange(9), range(9)), {}, "cv folds lack the row 9"),
        (folds_of(150), {"groups": np.arange(150) // 5}, "split a group"),
    ],
)  # fmt: skip
def test_folds_that_do_not_do(iris, cv, more, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.compare("species ~ .", iris, [pc.KNN(k=1)], cv=cv, **more)


# losses and areas


def test_the_loss_of_the_test_rows_and_tuning_by_it(iris):
    two = iris[iris["species"] != "setosa"].assign(species=lambda d: d["species"].astype(str))
    loss = pd.DataFrame([[0.0, 1.0], [9.0, 0.0]], ["versicolor", "virginica"], ["versicolor", "virginica"])
    same = pc.Predictions(["versicolor"] * 100)
    methods = {"knn": {"method": "knn", "k": [1, 5, 15, 40], "repeats": 1}, "one": pc.KNN(k=1), "logistic": LOGISTIC, "R": same}
    for how in ({"test_size": 0.4, "seed": 3}, {"cv": 4}):
        told = pc.compare("species ~ .", two, methods, loss=loss, choose="min", **how)
        truth = told.predictions["truth"].astype(str).to_numpy()
        for name in methods:
            said = told.predictions[name].astype(str).to_numpy()
            by_hand = np.where(said == truth, 0.0, np.where(truth == "virginica", 9.0, 1.0))
            assert told.scores("loss")[name].to_numpy().tolist() == by_hand.tolist()
            assert told.table.loc[name, "loss"] == pytest.approx(by_hand.mean())
        tests = told.score_tests("loss")
        assert len(tests) == 6
        if "test_size" in how:
            expected = stats.ttest_rel(told.scores("loss")["one"], told.scores("loss")["R"])
            row = tests[(tests["a"] == "one") & (tests["b"] == "R")].iloc[0]
            assert (row["statistic"], row["p"]) == pytest.approx((expected.statistic, expected.pvalue))
            train = two.drop(index=told.predictions.loc[0].index)
            fit = pc.fit("species ~ .", train, "knn", k=[1, 5, 15, 40], repeats=1, loss=loss, choose="min", seed=3)
            assert told.results.set_index("method").loc["knn", "choice"] == {"k": fit.model.k}
    lost = told.predictions.assign(R=pd.Categorical([None] * 100, loss.index))
    from dataclasses import replace

    assert replace(told, predictions=lost).scores("loss")["R"].groupby(truth).max().to_dict() == {"versicolor": 1.0, "virginica": 9.0}
    plain = pc.compare("species ~ .", two, [pc.KNN(k=1)], test_size=0.4)
    assert "loss" not in plain.table
    with pytest.raises(pc.NotAvailable, match=r"compare\(..., loss=matrix\)"):
        plain.score_tests("loss")
    for bad in (3, loss * -1, loss.iloc[:1]):
        with pytest.raises(pc.OptionError, match="loss"):
            pc.compare("species ~ .", two, [pc.KNN(k=1)], test_size=0.4, loss=bad)


def delong(scores, positive):
    """Areas, and the covariance of areas on the same rows: DeLong et al. (1988), equations (3) to (6), in O(methods n m)."""
    m, n = int(positive.sum()), int((~positive).sum())
    areas, by_positive, by_negative = [], [], []
    for score in scores:
        psi = [[1.0 if x > y else 0.5 if x == y else 0.0 for y in score[~positive]] for x in score[positive]]
        areas.append(sum(map(sum, psi)) / (m * n))
        by_positive.append([sum(row) / n for row in psi])
        by_negative.append([sum(row[j] for row in psi) / m for j in range(n)])
    S = np.zeros((len(scores), len(scores)))
    for a in range(len(scores)):
        for b in range(len(scores)):
            tens = sum((x - areas[a]) * (y - areas[b]) for x, y in zip(by_positive[a], by_positive[b], strict=True)) / (m - 1)
            ones = sum((x - areas[a]) * (y - areas[b]) for x, y in zip(by_negative[a], by_negative[b], strict=True)) / (n - 1)
            S[a, b] = tens / m + ones / n
    return np.array(areas), S


@pytest.mark.parametrize("seed", range(4))
def test_areas_of_two_classes_are_compared_by_delong(seed):
    draw = np.random.default_rng(seed)
    n = 60
    data = pd.DataFrame({"a": draw.normal(size=n), "b": draw.normal(size=n)})
    data["y"] = np.where(data["a"] + data["b"] + draw.normal(size=n) > 0.3, "u", "v")
    shifts = {"x": (0.4, 1), "y": (1, 6), "z": (2, 6)}  # and digits: x has ties
    scores = {name: (draw.normal(size=n) + shift * (data["y"] == "v")).round(digits) for name, (shift, digits) in shifts.items()}
    p = {name: 1 / (1 + np.exp(-s)) for name, s in scores.items()}
    given = {name: pc.Predictions(pd.DataFrame({"v": value, "u": 1 - value})) for name, value in p.items()}
    told = pc.compare("y ~ a + b", data, given, test_size=0.5, seed=seed)
    rows = told.predictions.index.get_level_values(1)
    areas, S = delong([p[name][rows].to_numpy() for name in given], (data["y"][rows] == "v").to_numpy())
    assert told.table["auc"].to_numpy() == pytest.approx(areas)
    assert told.table["auc"].to_numpy() == pytest.approx([roc_auc_score(data["y"][rows] == "v", p[name][rows]) for name in given])
    assert told.table["auc_se"].to_numpy() == pytest.approx(np.sqrt(S.diagonal()))
    tests = told.score_tests("auc")
    assert tests["test"].tolist() == ["DeLong"] * 3
    for (a, b), (_, row) in zip([(0, 1), (0, 2), (1, 2)], tests.iterrows(), strict=True):
        se = np.sqrt(S[a, a] + S[b, b] - 2 * S[a, b])
        z = (areas[a] - areas[b]) / se
        assert row[["difference", "statistic", "p"]].tolist() == pytest.approx([areas[a] - areas[b], z, 2 * stats.norm.sf(abs(z))])
        assert row[["low", "high"]].tolist() == pytest.approx([areas[a] - areas[b] + side * stats.norm.ppf(0.975) * se for side in (-1, 1)])
    assert (tests["p_holm"] >= tests["p"]).all()
    fits = {name: pc.fit("y ~ a + b", data.drop(index=rows), "knn", k=k, calibrate={"cv": 3}) for name, k in (("k3", 3), ("k9", 9))}
    new = pc.compare({**fits, **given}, new=data.loc[rows])
    pd.testing.assert_frame_equal(new.score_tests("auc").iloc[-3:, :-1].reset_index(drop=True), tests.iloc[:, :-1])


def test_areas_of_several_classes_and_of_folds(iris):
    noisy = iris.assign(petal_length=np.random.default_rng(0).normal(size=150), petal_width=0.0)
    methods = {"forest": RandomForestClassifier(15, random_state=0), "logistic": LOGISTIC, "svm": LinearSVC()}
    one = pc.compare("species ~ .", noisy, methods, test_size=0.5)
    truth = one.predictions["truth"].to_numpy()
    p = {name: one.chances[name] for name in ("forest", "logistic")}
    own = {name: roc_auc_score(truth, value, multi_class="ovr") for name, value in p.items()}
    assert one.table["auc"].iloc[:2].tolist() == pytest.approx(list(own.values()))
    assert np.isnan(one.table.loc["svm", "auc"])
    # the mean of three areas: the covariance of all six, by the plain transcription row by row
    levels, parts = list(iris["species"].cat.categories), {}
    for name, value in p.items():
        sums = np.zeros(75)
        for c, level in enumerate(levels):
            at = truth == level
            psi = (value[at, c][:, None] > value[~at, c]) + 0.5 * (value[at, c][:, None] == value[~at, c])
            sums[at] += (psi.mean(axis=1) - psi.mean()) / np.sqrt(at.sum() * (at.sum() - 1)) / 3
            sums[~at] += (psi.mean(axis=0) - psi.mean()) / np.sqrt((~at).sum() * ((~at).sum() - 1)) / 3
        parts[name] = sums
    row = one.score_tests("auc").iloc[0]
    z = (own["forest"] - own["logistic"]) / np.sqrt(((parts["forest"] - parts["logistic"]) ** 2).sum())
    assert (row["difference"], row["statistic"]) == pytest.approx((own["forest"] - own["logistic"], z))
    folds = pc.compare("species ~ .", noisy, methods, cv=3)
    at = folds.predictions.index.get_level_values(0)
    truth = folds.predictions["truth"]
    of_fold = [[roc_auc_score(truth[at == k], folds.chances[name][at == k], multi_class="ovr") for k in range(3)] for name in p]
    d = np.subtract(*of_fold)
    row = folds.score_tests("auc").iloc[0]
    assert row["test"] == "corrected resampled t"
    assert row["statistic"] == pytest.approx(d.mean() / np.sqrt((1 / 3 + 1 / 2) * d.var(ddof=1)))
    assert folds.table["auc"].iloc[:2].tolist() == pytest.approx(np.mean(of_fold, axis=1))


# what is refused, and what is shown


def frame_of(p):
    return pd.DataFrame(np.tile(p, (150, 1)), columns=["setosa", "versicolor", "virginica"][: len(p)])


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([StandardScaler()], r"method 'StandardScaler': StandardScaler has no predict: use a classifier"),
        ([RandomForestClassifier], r"RandomForestClassifier is a class: use an object of it, RandomForestClassifier\(\)"),
        ([LogisticRegression(), LogisticRegression(C=2)], r"two methods have the name 'LogisticRegression',.*: use a mapping of other"),
        ({"a": {"method": LogisticRegression(), "k": 3}}, "method 'a' is a LogisticRegression, which has no 'k': leave it out"),
        ({"a": {"method": pc.Predictions([1]), "class_weights": "balanced"}},
         "method 'a' is a Predictions, which has no 'class_weights': leave it out"),
        ({"a": pc.Predictions([1, 2])}, r"predictions have shape \(2,\)"),
        ({"a": pc.Predictions(np.full(150, "rose"))}, r"predictions must be among the classes 'setosa'.*, not 'rose' as for the row 0"),
        ({"a": pc.Predictions(frame_of([0.5, 0.5]))}, r"compare, method 'a': the probabilities must.*, not 'setosa', 'versicolor'"),
        ({"a": pc.Predictions(frame_of([0.5, 0.5, 0.5]))}, "compare, method 'a': the probabilities of a row must be >= 0 and sum to 1,"),
        ({"a": pc.Predictions(frame_of(["u", "v", "w"]))},
         r"compare, method 'a': the probabilities must be numbers: use table\.astype\(float\)"),
        ({"a": pc.Predictions(pd.Series(["setosa"] * 151, [0, *range(150)]))}, "occurs more than once"),
        ({"a": pc.Predictions(pd.Series(["setosa"] * 150, name="sepal_width"))}, r"also a predictor.*'\. - sepal_width'"),
    ],
)  # fmt: skip
def test_errors_name_the_cure(iris, methods, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.compare("species ~ .", iris, methods, cv=3)


def test_what_an_estimator_cannot_learn_from(iris):
    D = pc.dissimilarity("species ~ .", iris)
    with pytest.raises(pc.OptionError, match=r"needs predictors, but .*pc.Predictions\(values\)"):
        pc.compare("species ~ 1", iris, [LogisticRegression()], dissimilarity=D, cv=3)
    with pytest.raises(pc.OptionError, match=r"unchanged columns of the data, but 'species ~ log\(sepal_width\)' computes others"):
        pc.compare("species ~ log(sepal_width)", iris, [LOGISTIC], cv=3)
    numbers = iris.assign(species=iris["species"].cat.codes)
    with pytest.raises(pc.DataError, match=r"method 'LinearRegression': predictions must be among the classes 0, 1, 2, not .* as for"):
        pc.compare("species ~ .", numbers, [LinearRegression()], cv=3)
    for bad in (3, "knn", {"a": 1}, np.zeros((3, 2)), None):
        with pytest.raises(pc.OptionError, match="predictions must be a Series of classes by row label"):
            pc.Predictions(bad)


def test_entries_without_prototypes_are_shown_saved_and_drawn(iris, tmp_path):
    methods = {"forest": RandomForestClassifier(5, random_state=0), "pvm": PVM, "R": pc.Predictions(iris["species"].rename("R"))}
    for how in ({"cv": 3}, {"test_size": 0.4}):
        told = pc.compare("species ~ .", iris, methods, **how)
        assert re.search(r"^forest .* - ", repr(told), re.M)
        again = pc.load(told.save(tmp_path / "c.proto", overwrite=True))
        assert repr(again) == repr(told)
        pd.testing.assert_frame_equal(again.score_tests("auc"), told.score_tests("auc"))
        ax = told.plot()
        assert "prototypes" not in ax.get_yticklabels()[list(told.methods).index("forest")].get_text()
    search = {"s": GridSearchCV(LOGISTIC, {"logisticregression__C": [1.0], "standardscaler": [StandardScaler(), "passthrough"]}, cv=2)}
    told = pc.compare("species ~ .", iris, search, cv=3)
    assert repr(pc.load(told.save(tmp_path / "c.proto", overwrite=True))) == repr(told)
