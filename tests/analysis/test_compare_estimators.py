"""compare with estimators of scikit-learn: by hand, by DeLong's formulas, and what is refused."""

import re
import warnings
from dataclasses import replace

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


def test_a_search_keeps_its_own_tuning(iris):
    search = GridSearchCV(LOGISTIC, {"logisticregression__C": [0.001, 1.0], "logisticregression__solver": ["lbfgs"]}, cv=3)
    told = pc.compare("species ~ .", iris, {"search": search}, test_size=0.4)
    assert told.table.loc["search", "choice"] == "logisticregression__C 1, 'lbfgs'"
    lists = GridSearchCV(LogisticRegression(max_iter=500), [{"C": [1e-9]}, {"tol": [1e-4]}], cv=3)
    assert pc.compare("species ~ .", iris, [lists], test_size=0.4).table.loc["GridSearchCV", "choice"] == "tol 0.0001"


def test_warnings_and_errors_of_estimators_come_through(iris):
    with pytest.warns(ConvergenceWarning):
        pc.compare("species ~ .", iris, [LogisticRegression(max_iter=1)], test_size=0.3)
    with pytest.raises(ValueError, match=r"Invalid|must be|'newton'") as caught:
        pc.compare("species ~ .", iris, {"odd": LogisticRegression(solver="newton")}, test_size=0.3)
    assert not isinstance(caught.value, pc.ProtoclassError)
    assert caught.value.__notes__ == ["compare, method 'odd'"]


def folds_of(n, count=5):
    return np.random.default_rng(1).permutation(np.arange(n) % count)


# folds that are given


def test_folds_are_given_as_to_fit(iris):
    fold = folds_of(150, 4)
    for cv in (fold, pd.Series(fold, iris.index).sample(frac=1, random_state=0), np.array(list("abcd"))[fold]):
        told = pc.compare("species ~ .", iris, [pc.KNN(k=3)], cv=cv)
        wrong = pc.cross_validate("species ~ .", iris, "knn", k=3, cv=cv)
        assert sorted(told.errors["knn(k=3)"]) == pytest.approx(sorted(wrong.fold_errors.iloc[:, 0]))
    with_holes = iris.assign(petal_width=iris["petal_width"].where(iris.index != 5))
    assert pc.compare("species ~ .", with_holes, [pc.KNN(k=3)], cv=fold).table["n"].tolist() == [149]
    loo = pc.compare("species ~ .", iris.iloc[::5], {"1-NN": pc.KNN(k=1), "theirs": KNeighborsClassifier(3)}, cv="loo")
    assert loo.errors.shape == (30, 2)
    assert loo.how.endswith("one row left out at a time")
    assert np.isnan(loo.table.loc["theirs", "auc"])  # a single row has no area
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
    methods = {"knn": {"method": "knn", "k": [1, 5, 15, 40], "repeats": 1}, "one": pc.KNN(k=1), "logistic": LOGISTIC}
    for how in ({"test_size": 0.4, "seed": 3}, {"cv": 4}):
        told = pc.compare("species ~ .", two, methods, loss=loss, choose="min", **how)
        truth = told.predictions["truth"].astype(str).to_numpy()
        paid = {}
        for name in methods:
            said = told.predictions[name].astype(str).to_numpy()
            paid[name] = np.where(said == truth, 0.0, np.where(truth == "virginica", 9.0, 1.0))
            assert told.table.loc[name, "loss"] == pytest.approx(paid[name].mean())
        tests = told.score_tests("loss")
        assert len(tests) == 3
        if "test_size" in how:
            expected = stats.ttest_rel(paid["one"], paid["logistic"])
            row = tests[(tests["a"] == "one") & (tests["b"] == "logistic")].iloc[0]
            assert (row["statistic"], row["p"]) == pytest.approx((expected.statistic, expected.pvalue))
            train = two.drop(index=told.predictions.loc[0].index)
            fit = pc.fit("species ~ .", train, "knn", k=[1, 5, 15, 40], repeats=1, measure=loss, choose="min", seed=3)
            assert told.results.set_index("method").loc["knn", "choice"] == {"k": fit.model.k}
    lost = replace(told, predictions=told.predictions.assign(one=pd.Categorical([None] * 100, loss.index)))
    assert lost.table.loc["one", "loss"] == 5.0  # the largest loss for the class of each row
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


def test_areas_of_two_classes_are_compared_by_delong():
    draw = np.random.default_rng(0)
    data = pd.DataFrame({"a": draw.normal(size=120), "b": draw.normal(size=120)})
    data["y"] = np.where(data["a"] + data["b"] + draw.normal(size=120) > 0.3, "u", "v")
    methods = {"knn": KNeighborsClassifier(5), "logistic": LOGISTIC, "forest": RandomForestClassifier(9, random_state=0)}  # with ties
    told = pc.compare("y ~ a + b", data, methods, test_size=0.5)
    positive = (told.predictions["truth"] == "v").to_numpy()
    areas, S = delong([told.chances[name][:, 1] for name in methods], positive)
    assert told.table["auc"].to_numpy() == pytest.approx(areas)
    assert areas == pytest.approx([roc_auc_score(positive, told.chances[name][:, 1]) for name in methods])
    assert told.table["auc_se"].to_numpy() == pytest.approx(np.sqrt(S.diagonal()))
    tests = told.score_tests("auc")
    assert tests["test"].tolist() == ["DeLong"] * 3
    for (a, b), (_, row) in zip([(0, 1), (0, 2), (1, 2)], tests.iterrows(), strict=True):
        se = np.sqrt(S[a, a] + S[b, b] - 2 * S[a, b])
        z = (areas[a] - areas[b]) / se
        assert row[["difference", "statistic", "p"]].tolist() == pytest.approx([areas[a] - areas[b], z, 2 * stats.norm.sf(abs(z))])
        assert row[["low", "high"]].tolist() == pytest.approx([areas[a] - areas[b] + side * stats.norm.ppf(0.975) * se for side in (-1, 1)])
    assert (tests["p_holm"] >= tests["p"]).all()


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


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([StandardScaler()], r"method 'StandardScaler': StandardScaler has no predict: use a classifier"),
        ([RandomForestClassifier], r"RandomForestClassifier is a class: use an object of it, RandomForestClassifier\(\)"),
        ([LogisticRegression(), LogisticRegression(C=2)], r"two methods have the name 'LogisticRegression',.*: use a mapping of other"),
        ({"a": {"method": LogisticRegression(), "k": 3}}, "method 'a' is a LogisticRegression, which has no 'k': set it in the estimator"),
    ],
)  # fmt: skip
def test_errors_name_the_cure(iris, methods, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.compare("species ~ .", iris, methods, cv=3)


def test_what_an_estimator_cannot_learn_from(iris):
    D = pc.dissimilarity("species ~ .", iris)
    with pytest.raises(pc.OptionError, match=r"needs predictors, but .* has none: name them"):
        pc.compare("species ~ 1", iris, [LogisticRegression()], dissimilarity=D, cv=3)
    with pytest.raises(pc.OptionError, match=r"unchanged columns of the data, but 'species ~ log\(sepal_width\)' computes others"):
        pc.compare("species ~ log(sepal_width)", iris, [LOGISTIC], cv=3)
    numbers = iris.assign(species=iris["species"].cat.codes)
    with pytest.raises(pc.DataError, match=r"method 'LinearRegression': predictions must be among the classes 0, 1, 2, not .* as for"):
        pc.compare("species ~ .", numbers, [LinearRegression()], cv=3)


def test_entries_without_prototypes_are_shown_saved_and_drawn(iris, tmp_path):
    methods = {"forest": RandomForestClassifier(5, random_state=0), "pvm": pc.PVM(eps=1.0)}
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
