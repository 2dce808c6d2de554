"""compare: the same splits for all, tuned on training rows alone, and paired tests against their formulas."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import protoclass as pc
from protoclass.analysis.comparison import Design, by_row, by_split, error_interval, mean_over_splits, paired_interval
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
        assert ends != wilson(told.table.loc[name, "error"], 150)
    assert told.results.groupby("method")["wrong"].sum().to_dict() == told.table["wrong"].to_dict()


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
    told = pc.compare(a, b, c, new=test)
    assert told.methods == ["pvm.1", "knn", "pvm.2"]
    assert told.left_out == 1
    for name, fit in zip(told.methods, (a, b, c), strict=True):
        expected = fit.test(test)
        row = told.table.loc[name]
        assert (row["error"], row["low"], row["high"]) == pytest.approx((expected.error, expected.low, expected.high))
    same = told.tests[(told.tests["a"] == "pvm.1") & (told.tests["b"] == "pvm.2")]
    assert same[["difference", "p"]].to_numpy().tolist() == [[0.0, 1.0]]
    assert pc.compare({"one": a, "two": b}, new=test).methods == ["one", "two"]


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
    assert all(wilson(0.0, n)[0] == 0.0 and wilson(1.0, n)[1] == 1.0 for n in (28.4, 50, 150))  # to the bit
    assert np.allclose([wilson(7 / 50, 50), wilson(0.0, 9)],
                       [stats.binomtest(k, n).proportion_ci(method="wilson") for k, n in ((7, 50), (0, 9))])  # fmt: skip


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
        ({"new": 3}, r"new= and further positional arguments need fits: use compare\(fit1, fit2, new=test\)"),
        ({"test_size": 0.3, "groups": "species"}, "groups need cv=, which leaves whole groups out"),
        ({"inner": None, "dissimilarity": RAW}, r"compare, method 'pvm': tuning eps needs folds,.*: use one value for eps=, or"),
    ],
)  # fmt: skip
def test_errors_name_the_cure(iris, arguments, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.compare("species ~ .", iris, **{"methods": ["pvm"], **arguments})


def test_errors_of_comparing_fits(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    with pytest.raises(pc.OptionError, match="new rows"):
        pc.compare(fit, fit)
    with pytest.raises(pc.OptionError, match=r"compare needs a formula, data and methods, or.*: use compare\(fit1, fit2,"):
        pc.compare(fit, "knn", new=iris)
    with pytest.raises(pc.OptionError, match="lack the response"):
        pc.compare(fit, new=iris.drop(columns="species"))
    other = pc.fit(
        "species ~ .", iris[iris["species"] != "setosa"].assign(species=lambda d: d["species"].astype(str)), eps=1.0
    )
    with pytest.raises(pc.OptionError, match="response or classes differ"):
        pc.compare(fit, other, new=iris)


def test_a_column_of_groups_is_no_predictor_and_its_rows_are_not_taken_as_independent():
    draw = np.random.default_rng(0)
    df = pd.DataFrame({"a": draw.normal(size=120), "b": draw.normal(size=120), "y": np.repeat(["u", "v"], 60)})
    site = pd.Series(np.arange(120) // 6)
    one = pc.compare("y ~ .", df.assign(site=site), [pc.KNN(k=3)], cv=5, groups="site")
    two = pc.compare("y ~ .", df, [pc.KNN(k=3)], cv=5, groups=site)
    pd.testing.assert_frame_equal(one.predictions, two.predictions)
    assert not one.independent
    assert "whole groups left out" in one.how


def test_rows_of_a_matrix_that_take_no_part_are_no_candidates(iris):
    D = pc.dissimilarity("species ~ .", iris).frame()
    some = iris[["species"]].iloc[::3]
    whole, cut = (
        pc.compare("species ~ 1", some, [pc.PVM(eps=1.0)], dissimilarity=matrix, cv=3)
        for matrix in (D, D.loc[some.index, some.index])
    )
    pd.testing.assert_frame_equal(whole.predictions, cut.predictions)
    with pytest.raises(pc.DataError, match="lack the row 100"):
        pc.compare("species ~ 1", iris, [pc.KNN(k=1)], dissimilarity=D.iloc[:100, :100], cv=3)


def test_a_dissimilarity_that_looks_at_classes_is_learned_from_training_rows():
    draw = np.random.default_rng(2)
    df = pd.DataFrame(draw.normal(size=(100, 8)), columns=list("abcdefgh")).assign(
        y=np.where(draw.random(100) < 0.5, "u", "v")
    )
    metric = pc.Adaptive(neighborhood=15, epsilon=0.01)
    trained = pc.fit("y ~ .", df, "knn", k=1, dissimilarity=metric).dissimilarity
    one = pc.compare("y ~ 1", df, [pc.KNN(k=1)], dissimilarity=trained, cv=5, repeats=4)
    assert one.table["error"].iloc[0] > 0.44
    iris = pc.load_data("iris")
    related = pc.dissimilarity("species ~ .", iris)
    assert pc.compare("species ~ 1", iris, [pc.KMeans(K=1)], dissimilarity=related, cv=3).methods == ["kmeans(K=1)"]


def test_splits_without_spread_give_no_p_value(iris):
    errors = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.3, 0.1, 0.1]})
    told = by_split(errors, Design(0.5)).set_index(["a", "b"])
    assert np.isnan(told.loc[("a", "b"), ["statistic", "p", "p_holm"]].astype(float)).all()
    assert told.loc[("a", "c"), "p_holm"] > 0
    sure = pc.compare("species ~ .", iris, {"a": pc.KNN(k=1), "b": pc.KNN(k=5)}, test_size=0.05, repeats=3)
    assert sure.errors["a"].var() == 0
    assert sure.table.loc["a", ["low", "high"]].tolist() == pytest.approx(wilson(0.0, 8 / (1 / 3 + 8 / 142)))
    assert sure.plot().figure.axes


def test_names_and_arguments_beside_fits(iris):
    f, g = pc.fit("species ~ .", iris, "knn", k=1), pc.fit("species ~ .", iris, "kmeans", K=1)
    for names in ({"truth": g, "knn": f}, {1: g, "1": f}, {"": g, "a": f}):
        with pytest.raises(pc.OptionError, match=r"two methods have the name '.*', or one is named '', 'truth' or 'all': use"):
            pc.compare(names, new=iris)
    for more in ({"cv": 5}, {"test_size": 0.3}, {"seed": 3}, {"groups": "species"}, {"repeats": 2}, {"choose": "min"}):
        with pytest.raises(pc.OptionError, match="needs a formula and data"):
            pc.compare(f, g, new=iris, **more)
    with pytest.raises(pc.OptionError, match="fits must be single arguments"):
        pc.compare([f, g], new=iris)
    assert "seconds" not in pc.compare(f, g, new=iris).table
    call = pc.compare("species ~ .", iris, ["knn"], cv=3, choose="min", dissimilarity="manhattan").call
    assert call == "compare('species ~ .', data, ['knn'], cv=3, dissimilarity='manhattan', choose='min')"


def test_a_method_that_does_not_take_the_data_is_refused_before_any_is_fitted(iris, monkeypatch):
    fitted = []
    monkeypatch.setattr("protoclass.analysis.compare.fit_call", fitted.append)
    gaps = iris.assign(petal_width=iris["petal_width"].where(iris.index % 7 > 0))
    with pytest.raises(pc.NoVectors, match=r"compare, method 'kmeans': this method needs.*: use"):
        pc.compare("species ~ .", gaps, [pc.KNN(k=1), "kmeans"], cv=3, na="keep")
    with pytest.raises(pc.OptionError, match="method 'lvq'"):
        pc.compare("species ~ .", iris, {"knn": pc.KNN(k=1), "lvq": {"method": "lvq", "candidates": 30}}, cv=3)
    assert fitted == []


def test_default_folds_are_as_many_as_the_smallest_class_has_rows(iris):
    """As `fit` has them; folds that are given are refused as before."""
    few = iris.groupby("species", observed=True).head(7)
    assert "7 folds" in pc.compare("species ~ .", few, [pc.KNN(k=1)]).how
    held = pc.cross_validate("species ~ .", few, "knn", k=[1, 3])
    assert held.of_fold.max() == 6
    assert held.folds.equals(pc.fit("species ~ .", few, "knn", k=[1, 3]).validation.folds)
    assert any("7 folds, as class" in note for note in held.notes)
    assert "cv=7" in repr(held)
    again = pc.cross_validate("species ~ .", few, "knn", k=1).fit.update()
    assert again.validation.of_fold.max() == 6
    assert "5 folds" in pc.compare("species ~ .", iris, [pc.KNN(k=1)], groups=np.arange(150) % 5).how
    with pytest.raises(pc.DataError, match="two"):
        pc.compare("species ~ .", few.iloc[6:], ["knn"])
