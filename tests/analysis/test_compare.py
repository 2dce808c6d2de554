"""compare: the same splits for all, tuned on training rows alone; tests against their formulas; estimators and scores."""

import re
import warnings
from dataclasses import replace
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
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
from protoclass.analysis.comparison import (
    Design,
    by_row,
    by_split,
    error_interval,
    mean_over_splits,
    paired_interval,
    score_rows,
)
from protoclass.core.statistics.intervals import wilson

RAW = pc.Euclidean(scale=False)
QUICK = {"dissimilarity": "euclidean", "repeats": 1}  # of tuning: one distance, folds drawn once
PVM = {"method": "pvm", **QUICK}


def test_a_split_is_what_fit_and_predict_say(iris):
    methods = {"pvm": {"repeats": 1, "dissimilarity": ["euclidean", "manhattan"]}, "kmeans": {"K": 2}}
    told = pc.compare("species ~ .", iris, [{"method": name, **own} for name, own in methods.items()], test_size=0.3, seed=3)
    test = told.predictions.loc[0].index
    assert len(test) == 45
    assert iris.loc[test, "species"].value_counts().tolist() == [15, 15, 15]
    train = iris.drop(index=test)
    for at, (method, own) in enumerate(methods.items()):
        fit = pc.fit("species ~ .", train, method, seed=3, **own)
        said = fit.predict(iris.loc[test])
        assert said.astype(str).tolist() == told.predictions.loc[0][method].astype(str).tolist()
        row = told.table.loc[method]
        wrong = int((said.astype(str) != iris.loc[test, "species"].astype(str)).sum())
        assert (row["wrong"], row["n"], row["prototypes"]) == (wrong, 45, len(fit.prototypes))
        if method == "pvm":
            kind = fit.params["dissimilarity"]
            assert told.results["choice"][at] == {"dissimilarity": kind, "eps": fit.model.eps}
            assert told.table.loc["pvm", "choice"] == f"{kind}, eps {fit.model.eps:.4g}"


def test_nested_folds_hold_every_row_out_once(iris):
    told = pc.compare("species ~ .", iris, [pc.KNN(k=1), pc.KNN(k=9)], cv=5, seed=1)
    assert sorted(told.predictions.index.get_level_values(1)) == list(range(150))
    assert told.errors.shape == (5, 2)
    assert told.table["n"].tolist() == [150, 150]
    assert told.tests["test"].tolist() == ["corrected resampled t"]  # each row trains the rules of the others
    for name in told.methods:
        ends = error_interval(told.errors[name].to_numpy(), Design(1 / 4), np.full(5, 30))
        assert told.table.loc[name, ["low", "high"]].tolist() == pytest.approx(ends)


@pytest.mark.parametrize("how", ["frame", "array", "dissimilarity"])
def test_a_given_matrix_is_cut_into_training_and_test_rows(iris, how):
    related = pc.dissimilarity("species ~ .", iris, RAW)
    given = {"frame": related.frame(), "array": related.frame().to_numpy(), "dissimilarity": related}[how]
    methods = [{"method": "pvm", "repeats": 1}, pc.KNN(k=3)]
    by_matrix = pc.compare("species ~ 1", iris, methods, test_size=0.3, repeats=2, dissimilarity=given)
    by_columns = pc.compare("species ~ .", iris, methods, test_size=0.3, repeats=2, dissimilarity=RAW)
    pd.testing.assert_frame_equal(by_matrix.predictions, by_columns.predictions)


def test_rows_with_missing_values_and_groups(iris):
    holes = iris.copy()
    holes.loc[[3, 77], "petal_width"] = np.nan
    told = pc.compare("species ~ .", holes, [pc.KNN(k=1)], cv=5)
    assert told.left_out == 2
    assert told.table["n"].tolist() == [148]
    group = np.arange(150) % 30
    told = pc.compare("species ~ .", iris, [pc.KNN(k=3)], cv=5, groups=group)
    of_group = pd.Series(told.predictions.index.get_level_values(0), told.predictions.index.get_level_values(1))
    assert (of_group.groupby(group[of_group.index]).nunique() == 1).all()


def test_fits_on_new_rows(iris):
    test = iris.sample(60, random_state=2)
    train = iris.drop(index=test.index)
    a, b, c = (pc.fit("species ~ .", train, m, **QUICK) for m in ("pvm", "knn", "pvm"))
    test.iloc[0, 0] = np.nan
    told = pc.compare_fits([a, b, c], test)
    assert told.methods == ["pvm.1", "knn", "pvm.2"]
    assert told.left_out == 1
    for name, fit in zip(told.methods, (a, b, c), strict=True):
        expected = fit.test(test)
        row = told.table.loc[name]
        assert (row["error"], row["low"], row["high"]) == pytest.approx((expected.error, expected.low, expected.high))
    same = told.tests[(told.tests["a"] == "pvm.1") & (told.tests["b"] == "pvm.2")]
    assert same[["difference", "p"]].to_numpy().tolist() == [[0.0, 1.0]]
    assert pc.compare_fits({"one": a, "two": b}, test).methods == ["one", "two"]


def test_tests_by_row_against_their_formulas():
    draw = np.random.default_rng(0)
    wrong = pd.DataFrame({name: draw.random(400) < rate for name, rate in (("a", 0.1), ("b", 0.13), ("c", 0.3))})
    told = by_row(wrong).set_index(["a", "b"])
    x = wrong.to_numpy(float)
    L, k = x.sum(axis=1), 3
    q = (k - 1) * (k * (x.sum(axis=0) ** 2).sum() - x.sum() ** 2) / (k * x.sum() - (L**2).sum())
    assert told.loc[("all", ""), "statistic"] == pytest.approx(q)
    assert told.loc[("all", ""), "p"] == pytest.approx(stats.chi2.sf(q, 2))
    p = {}
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        u, v = int((wrong[a] & ~wrong[b]).sum()), int((wrong[b] & ~wrong[a]).sum())
        assert u + v >= 25
        p[a, b] = stats.chi2.sf((abs(u - v) - 1) ** 2 / (u + v), 1)
        assert told.loc[(a, b), "p"] == pytest.approx(p[a, b])
        assert told.loc[(a, b), "difference"] == pytest.approx(wrong[a].mean() - wrong[b].mean())
    ranked, worst = sorted(p, key=p.__getitem__), 0.0
    for place, pair in enumerate(ranked):
        worst = max(worst, min(1.0, p[pair] * (3 - place)))
        assert told.loc[pair, "p_holm"] == pytest.approx(worst)


def test_few_discordant_rows_take_the_binomial_test():
    a, b = np.zeros(50, bool), np.zeros(50, bool)
    a[:7], b[7:9] = True, True
    told = by_row(pd.DataFrame({"a": a, "b": b}))
    assert len(told) == 1
    assert told["test"][0] == "McNemar (exact)"
    assert told["p"][0] == pytest.approx(2 * sum(comb(9, i) for i in range(3)) / 2**9)
    same = by_row(pd.DataFrame({"a": a, "b": a, "c": a}))
    assert same["p"].tolist() == [1.0] * 4


def test_tests_by_split_against_their_formula():
    draw = np.random.default_rng(1)
    errors = pd.DataFrame(draw.random((10, 2)), columns=["a", "b"])
    told = by_split(errors, Design(0.5)).iloc[0]
    d = errors["a"] - errors["b"]
    t = d.mean() / np.sqrt((1 / 3 + 0.5) * d.var())  # three disjoint test sets
    assert told["statistic"] == pytest.approx(t)
    assert told["p"] == pytest.approx(2 * stats.t.sf(abs(t), 9))
    assert by_split(errors.assign(b=errors["a"]), Design(0.5))["p"].tolist() == [1.0]


def test_the_mean_over_repeated_folds_against_its_formula():
    values = np.random.default_rng(4).random((3, 5))
    sizes = np.array([[4, 4, 4, 4, 4], [5, 5, 4, 3, 3], [20, 0.5, 0.5, 0.5, 0.5]])
    found = mean_over_splits(values.ravel(), Design(1 / 4, sets=3), sizes.ravel())
    variances = []
    for row, size in zip(values, sizes, strict=True):
        middle = sum(size * row) / sum(size)
        variances.append(sum(size * (row - middle) ** 2) / sum(size) * 5 / 4)
    assert variances[0] == pytest.approx(values[0].var(ddof=1))
    assert found.value == pytest.approx((sizes * values).sum() / sizes.sum())
    assert found.se == pytest.approx(np.sqrt((1 / 5 + 1 / 4) * np.mean(variances)))
    assert found.df == 12
    told = by_split(pd.DataFrame({"a": values.ravel(), "b": 0.0}), Design(1 / 4, sets=3), sizes.ravel()).iloc[0]
    assert [told["low"], told["high"]] == pytest.approx(
        found.value + np.array([-1, 1]) * stats.t.ppf(0.975, 12) * found.se
    )


def test_after_cross_validation_tests_keep_their_level_and_intervals_cover():
    """1-NN on either of two pairs of columns without information, 60 rows, 10 folds: both errors are 0.5 in truth."""
    draw, count = np.random.default_rng(0), 400
    rejected, by_rows, covers, naive = 0, 0, 0, 0
    for _ in range(count):
        y = draw.permutation(np.repeat([0, 1], 30))
        order, fold = np.lexsort((draw.random(60), y)), np.empty(60, int)
        fold[order] = np.arange(60) % 10
        wrong = []
        for _ in range(2):
            X = draw.normal(size=(60, 2))
            D = ((X[:, None] - X) ** 2).sum(axis=2)
            D[fold[:, None] == fold] = np.inf
            wrong.append(y[D.argmin(axis=1)] != y)
        a, b = (np.bincount(fold, w) / 6 for w in wrong)
        mean = mean_over_splits(a - b, Design(1 / 9))
        rejected += abs(mean.value) > stats.t.ppf(0.975, 9) * mean.se
        low, high = error_interval(a, Design(1 / 9), np.full(10, 6))
        covers += low <= 0.5 <= high
        low, high = wilson(wrong[0].mean(), 60)
        naive += low <= 0.5 <= high
        low, high = paired_interval(int((wrong[0] & ~wrong[1]).sum()), int((wrong[1] & ~wrong[0]).sum()), 60)
        by_rows += not low <= 0 <= high
    assert rejected / count < 0.065 < by_rows / count
    assert naive / count < 0.93 < covers / count


def test_intervals_of_differences_on_new_rows_cover():
    draw = np.random.default_rng(5)
    for n, p in ((30, (0.2, 0.1)), (100, (0.3, 0.3)), (200, (0.02, 0.08))):
        counts = draw.multinomial(n, [*p, 1 - sum(p)], size=1000)
        ends = np.array([paired_interval(a, b, n) for a, b, _ in counts.tolist()])
        assert ((ends[:, 0] <= p[0] - p[1]) & (p[0] - p[1] <= ends[:, 1])).mean() > 0.935


def test_groups_that_differ_widen_the_interval():
    same, apart = np.full(10, 0.3), np.array([0.0, 1.0] * 3 + [0.0] * 4)
    for errors, wider in ((same, False), (apart, True)):
        plain, of_groups = (error_interval(errors, Design(1 / 9, grouped=g), np.full(10, 50)) for g in (False, True))
        assert (of_groups != plain) == wider
        assert of_groups[0] <= plain[0] < plain[1] <= of_groups[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": []}, "methods must contain at least one method"),
        ({"methods": ["pvm", "pvm"]}, r"two methods have the name 'pvm', or one is.*: use a mapping of other"),
        ({"methods": {"a": {"method": "pvm", "seed": 3}}}, "has its own 'seed'"),
        ({"test_size": 0.3, "cv": 5}, "test_size= draws splits, but cv= sets folds:"),
        ({"test_size": 1.0}, r"test_size must be a number between 0 and 1, the.*not 1\.0"),
        ({"cv": 1}, "cv must be a number of folds >= 2, .*not 1"),
        ({"cv": 60}, r"cv=60 needs as many rows of each class, but .* has 50: use cv=50"),
        ({"new": 3}, r"compare\(\) has no argument 'new': use compare_fits\(fits, new\) for existing fits"),
        ({"weights": 3}, r"compare\(\) has no argument 'weights': leave it out"),
        ({"reference": "svm"}, "reference must be None or 'pvm', not 'svm'"),
        ({"test_size": 0.3, "groups": "species"}, "groups need cv=, which leaves whole groups out"),
        ({"inner": None, "dissimilarity": RAW}, r"compare, method 'pvm': tuning eps needs folds,.*: use one value for eps=, or"),
    ],
)  # fmt: skip
def test_errors_name_the_cure(iris, arguments, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.compare("species ~ .", iris, **{"methods": ["pvm"], **arguments})


def test_rows_of_a_matrix_that_take_no_part_are_no_candidates(iris):
    D = pc.dissimilarity("species ~ .", iris).frame()
    some = iris[["species"]].iloc[::3]
    whole, cut = (
        pc.compare("species ~ 1", some, [pc.PVM(eps=1.0)], dissimilarity=matrix, cv=3)
        for matrix in (D, D.loc[some.index, some.index])
    )
    pd.testing.assert_frame_equal(whole.predictions, cut.predictions)
    with pytest.raises(pc.errors.DataError, match="lack the row 100"):
        pc.compare("species ~ 1", iris, [pc.KNN(k=1)], dissimilarity=D.iloc[:100, :100], cv=3)


def test_a_dissimilarity_that_looks_at_classes_is_learned_from_training_rows():
    draw = np.random.default_rng(2)
    df = pd.DataFrame(draw.normal(size=(100, 8)), columns=list("abcdefgh")).assign(
        y=np.where(draw.random(100) < 0.5, "u", "v")
    )
    metric = pc.Adaptive(neighborhood=15, softening=0.01)
    trained = pc.fit("y ~ .", df, "knn", k=1, dissimilarity=metric).dissimilarity
    one = pc.compare("y ~ 1", df, [pc.KNN(k=1)], dissimilarity=trained, cv=5, repeats=4)
    assert one.table["error"].iloc[0] > 0.44


def test_splits_without_spread_give_no_p_value(iris):
    errors = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.3, 0.1, 0.1]})
    told = by_split(errors, Design(0.5)).set_index(["a", "b"])
    assert np.isnan(told.loc[("a", "b"), ["statistic", "p", "p_holm"]].astype(float)).all()
    assert told.loc[("a", "c"), "p_holm"] > 0
    sure = pc.compare("species ~ .", iris, {"a": pc.KNN(k=1), "b": pc.KNN(k=5)}, test_size=0.05, repeats=3)
    assert sure.errors["a"].var() == 0
    assert sure.table.loc["a", ["low", "high"]].tolist() == pytest.approx(wilson(0.0, 8 / (1 / 3 + 8 / 142)))
    assert sure.plot().figure.axes


def test_a_method_that_does_not_take_the_data_is_refused_before_any_is_fitted(iris, monkeypatch):
    fitted = []
    monkeypatch.setattr("protoclass.analysis.compare.fit_call", fitted.append)
    gaps = iris.assign(petal_width=iris["petal_width"].where(iris.index % 7 > 0))
    with pytest.raises(pc.errors.NoCoordinatesError, match=r"compare, method 'kmeans': this method needs.*: use"):
        pc.compare("species ~ .", gaps, [pc.KNN(k=1), "kmeans"], cv=3, na="keep")
    assert fitted == []




def test_arguments_of_fit_are_those_of_each_method_and_pairs_are_those_with_the_reference(iris):
    arguments = {"dissimilarity": "manhattan", "max_prototypes": 6, "measure": "balanced"}
    found = pc.compare("species ~ .", iris, ["kmedoids", "pvm", "lda"], cv=3, reference="lda", **arguments)
    train = iris.drop(index=found.predictions.loc[0].index)
    for name in ("kmedoids", "pvm"):
        fit = pc.fit("species ~ .", train, name, repeats=1, **arguments)
        row = found.results.query("split == 0 and method == @name").iloc[0]
        assert (row["prototypes"], row["choice"]) == (len(fit.prototypes), dict(fit._selection.values))
    assert found.tests[["a", "b"]].to_numpy().tolist() == [["kmedoids", "lda"], ["pvm", "lda"]]
    assert found.tests["difference"].tolist() == pytest.approx((found.table["error"] - found.table["error"]["lda"]).tolist()[:2])
    assert found.as_table().frame.loc["lda", "Difference"] == "reference"
    end = "cv=3, reference='lda', dissimilarity='manhattan', max_prototypes=6, measure='balanced')"
    assert found.call == f"compare('species ~ .', data, ['kmedoids', 'pvm', 'lda'], {end}"


def test_fits_that_can_not_be_compared(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    for fits in ([fit, "knn"], fit, []):
        with pytest.raises(pc.errors.OptionError, match=r"fits must be a list of fits, or a mapping of names to fits: use compare_fits\("):
            pc.compare_fits(fits, iris)
    for name in ("truth", ""):
        with pytest.raises(pc.errors.OptionError, match=r"two methods have the name '.*', or one is named '', 'truth' or 'all': use"):
            pc.compare_fits({name: fit}, iris)
    two = iris[iris["species"] != "setosa"].assign(species=lambda d: d["species"].astype(str))
    with pytest.raises(pc.errors.OptionError, match="response or classes differ"):
        pc.compare_fits([fit, pc.fit("species ~ .", two, eps=1.0)], iris)


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
            assert np.array_equal(told.probabilities[name][at], by_hand.predict_proba(X.loc[test]))
    assert told.results.set_index("method").loc["forest", "size"].isna().all()


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
    with pytest.raises(pc.errors.OptionError, match=r"such as make_pipeline\(SimpleImputer\(\), LogisticRegression\(\)\), or na='drop'"):
        pc.compare("out ~ age + ill", gaps, [LogisticRegression()], cv=3, na="keep")


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
    loo = pc.compare("species ~ .", iris.iloc[::5], {"1-NN": pc.KNN(k=1), "theirs": KNeighborsClassifier(3)}, cv="loo")
    assert loo.errors.shape == (30, 2)
    assert loo.how.endswith("one row left out at a time")
    assert np.isnan(loo.table.loc["theirs", "auc"])  # a single row has no area
    assert loo.score_tests("brier").shape[0] == 0


@pytest.mark.parametrize(
    ("cv", "more", "message"),
    [
        (np.zeros(150), {}, "the folds in cv are all the same"),
        (np.arange(150) // 50, {}, "a fold has all rows of class 'setosa', so none is left for training: use other folds"),
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
            train = two.drop(index=told.predictions.loc[0].index)
            fit = pc.fit("species ~ .", train, "knn", k=[1, 5, 15, 40], repeats=1, measure=loss, choose="min", seed=3)
            assert told.results.set_index("method").loc["knn", "choice"] == {"k": fit.model.k}
    plain = pc.compare("species ~ .", two, [pc.KNN(k=1)], test_size=0.4)
    assert "loss" not in plain.table
    with pytest.raises(pc.errors.NotAvailableError, match=r"compare\(..., loss=matrix\)"):
        plain.score_tests("loss")
    with pytest.raises(pc.errors.OptionError, match="loss"):
        pc.compare("species ~ .", two, [pc.KNN(k=1)], test_size=0.4, loss=loss * -1)


def test_areas_of_several_classes(iris):
    noisy = iris.assign(petal_length=np.random.default_rng(0).normal(size=150), petal_width=0.0)
    methods = {"forest": RandomForestClassifier(15, random_state=0), "logistic": LOGISTIC, "svm": LinearSVC()}
    one = pc.compare("species ~ .", noisy, methods, test_size=0.5)
    truth = one.predictions["truth"].to_numpy()
    p = {name: one.probabilities[name] for name in ("forest", "logistic")}
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


# what is refused, and what is shown


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([StandardScaler()], r"method 'StandardScaler': StandardScaler has no predict: use a classifier"),
        ([RandomForestClassifier], r"RandomForestClassifier is a class: use an object of it, RandomForestClassifier\(\)"),
        ({"a": {"method": LogisticRegression(), "k": 3}}, "method 'a' is a LogisticRegression, which has no 'k': set it in the estimator"),
    ],
)  # fmt: skip
def test_estimators_that_are_refused(iris, methods, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.compare("species ~ .", iris, methods, cv=3)


def test_what_an_estimator_cannot_learn_from(iris):
    D = pc.dissimilarity("species ~ .", iris)
    with pytest.raises(pc.errors.OptionError, match=r"needs predictors, but .* has none: name them"):
        pc.compare("species ~ 1", iris, [LogisticRegression()], dissimilarity=D, cv=3)
    with pytest.raises(pc.errors.OptionError, match=r"unchanged columns of the data, but 'species ~ log\(sepal_width\)' computes others"):
        pc.compare("species ~ log(sepal_width)", iris, [LOGISTIC], cv=3)
    numbers = iris.assign(species=iris["species"].cat.codes)
    with pytest.raises(
        pc.errors.DataError, match=r"method 'LinearRegression': predictions must be among the classes 0, 1, 2, not .* as for"
    ):
        pc.compare("species ~ .", numbers, [LinearRegression()], cv=3)


def test_entries_without_prototypes_are_shown_saved_and_drawn(iris, tmp_path):
    methods = {"forest": RandomForestClassifier(5, random_state=0), "pvm": pc.PVM(eps=1.0)}
    told = pc.compare("species ~ .", iris, methods, cv=3)
    assert re.search(r"^forest .* - ", repr(told), re.M)
    again = pc.load(told.save(tmp_path / "c.proto"))
    assert repr(again) == repr(told)
    pd.testing.assert_frame_equal(again.score_tests("auc"), told.score_tests("auc"))
    assert "prototypes" not in told.plot().get_yticklabels()[0].get_text()


def test_estimators_by_name_are_those_of_scikit_learn(clinic):
    """Also for a formula that computes a column, which a pipeline of the user's own does not get."""
    found = pc.compare("out ~ log(age) + city + ill", clinic, ["logistic", "lda", "forest"], test_size=0.4, seed=3)
    test = found.predictions.loc[0].index
    X = pd.get_dummies(clinic[["age", "city", "ill"]], columns=["city"], dtype=float).assign(age=np.log(clinic["age"])).astype(float)
    names = {"logistic": LOGISTIC, "lda": LinearDiscriminantAnalysis(), "forest": None}
    for name, estimator in names.items():
        if estimator is not None:
            p = estimator.fit(X.drop(index=test), clinic["out"].drop(index=test)).predict_proba(X.loc[test])
            assert np.allclose(found.probabilities[name], p)
    again = pc.compare("out ~ log(age) + city + ill", clinic, ["forest"], test_size=0.4, seed=3)
    assert again.predictions["forest"].equals(found.predictions["forest"])  # its seed is that of the call


METHODS = [pc.KNN(k=5), pc.KNN(k=25)]


@pytest.fixture(scope="module")
def two(iris):
    return iris[iris.species != "setosa"].assign(species=lambda d: d["species"].astype(str))


@pytest.fixture(scope="module")
def folds(two):
    return pc.compare("species ~ .", two, METHODS, cv=4, seed=2, dissimilarity=RAW, calibrate={"cv": 3})


def test_the_chances_are_those_of_fits_that_saw_the_training_rows_alone(two, folds):
    for split, said in folds.predictions.groupby(level="split"):
        test = said.index.get_level_values(1)
        at = folds.predictions.index.get_level_values(0) == split
        for name, model in zip(folds.methods, METHODS, strict=True):
            fit = pc.fit("species ~ .", two.drop(index=test), model, seed=2, dissimilarity=RAW, calibrate={"cv": 3})
            p = fit.predict(two.loc[test], "prob").to_numpy()
            assert np.array_equal(folds.probabilities[name][at], p)
    truth = (two.loc[folds.predictions.index.get_level_values(1), "species"] == "virginica").to_numpy()
    for name in folds.methods:
        p = folds.probabilities[name][:, 1]
        assert folds.table.loc[name, "brier"] == pytest.approx(metrics.brier_score_loss(truth, p))
        assert folds.table.loc[name, "log_loss"] == pytest.approx(metrics.log_loss(truth, p))


def test_standard_errors_and_tests_of_folds_are_those_of_nadeau_and_bengio(folds):
    means = score_rows("brier", folds.probabilities, folds.predictions["truth"]).groupby(level="split").mean()
    factor, first = 1 / 4 + 1 / 3, means.columns[0]  # 25 rows test, 75 train
    assert folds.table.loc[first, "brier_se"] == pytest.approx(np.sqrt(factor * means[first].var()))
    difference, row = means.iloc[:, 0] - means.iloc[:, 1], folds.score_tests().iloc[0]
    t = difference.mean() / np.sqrt(factor * difference.var())
    assert row["test"] == "corrected resampled t"
    expected = [difference.mean(), t, 2 * stats.t.sf(abs(t), 3)]
    assert row[["difference", "statistic", "p"]].tolist() == pytest.approx(expected)
    assert row["low"] < row["difference"] < row["high"]


def test_on_one_split_and_of_fits_rows_are_independent(iris):
    three = {f"k{k}": {"method": "knn", "k": k, "calibrate": True} for k in (3, 9, 30)}
    split = pc.compare("species ~ .", iris, {**three, "plain": pc.KNN(k=1)}, test_size=0.4, dissimilarity=RAW)
    with pytest.raises(pc.errors.NotAvailableError, match="the reference 'plain' has no"):
        replace(split, reference="plain").score_tests()
    assert split.table["brier"].isna().tolist() == [False, False, False, True]
    test = split.predictions.index.get_level_values(1)
    fits = {k: pc.fit("species ~ .", iris.drop(index=test), dissimilarity=RAW, **one) for k, one in three.items()}
    fitted = pc.compare_fits({**fits, "k1": pc.fit("species ~ .", iris, "knn", k=1)}, iris.loc[test])
    truth = iris.loc[test, "species"].cat.codes.to_numpy()
    for told in (split, fitted):
        rows = score_rows("brier", told.probabilities, told.predictions["truth"])
        for name, fit in fits.items():
            p = fit.predict(iris.loc[test], "prob").to_numpy()
            by_hand = ((p - np.eye(3)[truth]) ** 2).sum(axis=1)
            assert rows[name].to_numpy() == pytest.approx(by_hand)
            assert told.table.loc[name, ["brier", "brier_se"]].tolist() == pytest.approx([by_hand.mean(), stats.sem(by_hand)])
        tests = told.score_tests()
        assert tests[["a", "b"]].to_numpy().tolist() == [["k3", "k9"], ["k3", "k30"], ["k9", "k30"]]
        expected = stats.ttest_rel(rows["k3"], rows["k30"])
        assert tests.loc[1, ["statistic", "p"]].tolist() == pytest.approx([expected.statistic, expected.pvalue])
        assert tests.loc[1, ["low", "high"]].tolist() == pytest.approx(list(expected.confidence_interval()))
        assert (tests["p_holm"] >= tests["p"]).all()


def test_log_losses_are_finite_and_rows_without_chances_are_left_out(two):
    draw = np.random.default_rng(0)
    noisy = two.assign(species=np.where(draw.random(len(two)) < 0.1, "versicolor", two["species"]))
    told = pc.compare("species ~ .", noisy, METHODS, cv=3, dissimilarity=RAW, calibrate="isotonic")
    assert np.isfinite(told.table["log_loss"]).all()  # no calibrated probability is 0
    assert told.score_tests("log_loss")["p"].notna().all()
    certain = replace(told, probabilities={name: np.round(p) for name, p in told.probabilities.items()})
    assert certain.score_tests("log_loss")[["low", "high", "p"]].isna().all(axis=None)
    assert certain.score_tests("brier")["p"].notna().all()
    p = {"a": np.array([[0.5, 0.5], [np.nan, np.nan]]), "b": np.array([[0.2, 0.8], [0.1, 0.9]])}
    rows = score_rows("brier", p, pd.Series(pd.Categorical(["x", "y"]), index=[7, 8]))
    assert rows.index.tolist() == [7]
    assert rows.loc[7].tolist() == pytest.approx([0.25, 0.64])


@pytest.mark.parametrize(
    ("methods", "options", "words"),
    [
        (["knn"], {"calibrate": 3}, r"calibrate must be True, False, 'auto',.*not 3"),
        (["knn"], {"calibrate": {"new": pd.DataFrame({"a": [1]})}},
         r"method 'knn' has its own calibration rows, which may be among the test rows: leave new out"),
    ],
)
def test_calibration_by_other_rows_is_refused(two, methods, options, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        pc.compare("species ~ .", two, methods, test_size=0.5, **options)


def test_a_split_has_the_proportion_of_every_class():
    data = pd.DataFrame({"y": ["a"] * 60 + ["b"] * 30 + [None] * 4, "x": range(94)})
    train, test = pc.split(data, "y", test_size=0.2, seed=3)
    assert test["y"].value_counts().to_dict() == {"a": 12, "b": 6}
    assert train["y"].isna().sum() == 4  # rows without a class do not test
    assert sorted([*train["x"], *test["x"]]) == list(range(94))
    assert pc.split(data, "y", test_size=0.2, seed=3)[1].equals(test)
    assert not pc.split(data, "y", test_size=0.2, seed=4)[1].equals(test)
    with pytest.raises(pc.errors.OptionError, match="test_size must be a number between 0 and 1"):
        pc.split(data, "y", test_size=3)
    with pytest.raises(pc.errors.DataError, match="'z' is not a column"):
        pc.split(data, "z")
    polars = pytest.importorskip("polars")
    assert pc.split(polars.from_pandas(data), "y", test_size=0.2, seed=3)[1]["x"].to_list() == test["x"].tolist()
