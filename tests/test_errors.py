"""Bad input gets an error of our own that names what was given, what is allowed and the cure."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.__main__ import main


@pytest.fixture
def data():
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"x": draw.normal(size=30), "z": draw.normal(size=30)})
    frame["g"] = np.tile(["u", "v", "w"], 10)
    frame["y"] = np.repeat(["a", "b", "c"], [14, 12, 4])
    return frame


SQUARE = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
outside = 3  # a caller's variable


def broken(value, i=2, j=5):
    D = SQUARE.copy()
    D[i, j] = value
    return D


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("y ~ x + q", "'q' in .* is not a column of the data; the columns are 'x', 'z', 'g', 'y'"),
        ("q ~ x", "the response 'q' is not a column"),
        ("y", "is not a formula"),
        ("y ~ ", "is not a formula"),
        ("y ~ x ~ z", "is not a formula"),
        ("log(x) ~ z", "must be the name of a column"),
        ("y ~ x + y", "is also on the right side"),
        ("y ~ __import__('os')", "'__import__' in .* is not allowed: allowed are columns, numbers"),
        ("y ~ x.__class__", "not a column"),
        ("y ~ log(x).real", "is not allowed|can't be read"),
        ("y ~ {x.values}", "'x.values' in .* is not allowed"),
        ("y ~ {open('f')}", "is not allowed"),
        ("y ~ outside", "'outside' in .* is not a column"),
        ("y ~ I(x * outside)", "'outside' in .* is not a column"),
        ("y ~ np.log(x)", "is not allowed"),
        ("y ~ log((lambda: 1)())", "is not allowed"),
        ("y ~ log([v for v in x])", "is not allowed"),
        ("y ~ I(9**9**9)", "the power"),
        ("y ~ I('a' * 1000000000)", "is not a number"),
        ("y ~ x | z", "no conditional or random effects"),
        ("y ~ log(x", "can't be read"),
        ("y ~ x +", "can't be read"),
        ("y ~ 1", "names no predictors"),
        (7, "a formula must be text"),
    ],
)
def test_formulas(data, formula, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.fit(formula, data, eps=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.assign(y=d.x), "the response 'y' is continuous"),
        (lambda d: d.assign(y="a"), "one class, 'a'"),
        (lambda d: d.iloc[:0], "no rows"),
        (lambda d: d.assign(x=d.x.where(d.index != 4, np.inf)), "column 'x' is inf at row 4"),
        (lambda d: d.set_axis([0, 0, *range(2, 30)]), "the row label 0 occurs more than once: data.reset_index"),
        (lambda d: pd.concat([d, d[["x"]]], axis=1), "the column label 'x' occurs more than once"),
        (lambda d: d.rename(columns={"x": 1}), "column names must be text"),
        (lambda d: d.assign(x=np.nan), "no row is complete: column 'x' has no value in any row: leave it out"),
        (lambda d: d.assign(x=np.nan, g=None), "no row is complete: columns 'x', 'g' have no value in any row"),
        (lambda d: d.assign(y=None), "no row is complete: the response 'y' has no value in any row"),
        (
            lambda d: d.assign(x=d.x.where(d.index < 12), z=d.z.where(d.index >= 12)),
            r"no row is complete: most values are missing in 'x' \(60 %\), 'z' \(40 %\): fill them",
        ),
        (lambda d: d.assign(x=pd.date_range("2020", periods=30)), "column 'x' contains datetime"),
        (lambda d: d.assign(x=[{}] * 30), "column 'x' contains dict"),
        (lambda d: d.to_numpy(), "data must be a DataFrame"),
        (lambda d: {"x": [1]}, "data must be a DataFrame"),
    ],
)
def test_data(data, change, message):
    with pytest.raises(pc.DataError, match=message):
        pc.fit("y ~ x + z + g", change(data), dissimilarity="euclidean", eps=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eps": 0}, "eps=0: pvm needs a number > 0"),
        ({"eps": -1}, "eps=-1"),
        ({"eps": np.nan}, "eps=nan"),
        ({"eps": "wide"}, "eps='wide'"),
        ({"eps": [1.0, -2.0]}, "eps=-2.0"),
        ({"eps": []}, "must hold at least one"),
        ({"eps": None}, "eps=None"),
        ({"eps": 1, "lambda_": -1}, "lambda_=-1"),
        ({"epsilon": 1}, "'epsilon' is not a parameter of 'pvm': epsilon= is eps= here; its parameters are eps, lambda_"),
        ({"method": "pwm"}, "did you mean 'pvm'"),
        ({"method": "knn", "k": 0}, "k=0"),
        ({"method": "knn", "k": 2.5}, "k=2.5: knn needs a whole number"),
        ({"method": "knn", "k": 31}, "k=31 neighbours are needed, and there are 30 training rows"),
        ({"method": "kmeans", "K": 5}, "needs at least 5 rows of class .c., and it has 4"),
        ({"method": 3}, "method must be a name or a model object"),
        ({"method": pc.PVM(eps=1), "eps": 2}, "beside a model object"),
        ({"dissimilarity": "euclidian"}, "did you mean 'euclidean'"),
        ({"dissimilarity": 3}, "dissimilarity is a name"),
        ({"cv": 5}, "cv=5 folds, and class 'c' has 4 rows: give cv=4 or fewer"),
        ({"cv": 1}, "cv=1"),
        ({"cv": "ten"}, "cv='ten'"),
        ({"cv": None}, "eps is to be tuned, and cv=None leaves nothing to tune it"),
        ({"cv": np.zeros(30)}, "all the same"),
        ({"cv": np.zeros(7)}, "have shape"),
        ({"cv": pd.Series([0, 1], [0, 1])}, "lack the row 2"),
        ({"choose": "best"}, "choose='best': allowed are '1se', 'min'"),
        ({"na": "omit"}, "na='omit'"),
        ({"na": "keep"}, "na='keep' goes with Gower"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"progress": "yes"}, "progress='yes'"),
        ({"weights": "nope"}, "weights='nope' is not a column"),
        ({"weights": np.full(30, -1.0)}, "finite and not negative"),
        ({"weights": np.r_[np.ones(26), np.zeros(4)]}, "class 'c' of 'y' has no weight"),
        ({"weights": [1.0]}, "have shape"),
        ({"groups": "nope"}, "groups='nope'"),
        ({"candidates": "all"}, "candidates='all': allowed are 'auto', 'train', 'same_class', a number"),
        ({"candidates": 31}, "candidates=31, and there are 30 rows"),
        ({"candidates": 0}, "candidates=0"),
        ({"candidates": 5, "method": "knn"}, "method 'knn' takes the training rows"),
        ({"client": object()}, "client="),
    ],
)
def test_options(data, options, message):
    options = {"dissimilarity": "euclidean", **options}
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.fit("y ~ x + z", data, **options)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (broken(np.nan), "1 dissimilarities are missing, the first from 2 to 5"),
        (broken(np.inf), "1 dissimilarities are infinite, the first from 2 to 5"),
        (broken(-1.0), "1 dissimilarities are negative, the first from 2 to 5"),
        (SQUARE[:, :7], "does not fit 30 rows"),
        (np.ones(7), "a condensed array of 7 values does not fit 30 rows"),
        (pd.DataFrame(SQUARE).rename(index={3: 99}), "lack the row 3"),
        (pd.DataFrame(SQUARE).rename(index={3: 4}), "row label 4 .* more than once"),
        (pd.DataFrame(SQUARE).rename(columns={3: 4}), "column label 4 .* more than once"),
        (pd.DataFrame(SQUARE).astype(object).replace(0.0, "near"), "must be numbers"),
        (np.zeros((30, 30)), "all dissimilarities are 0"),
    ],
)
def test_given_matrices(data, matrix, message):
    with pytest.raises(pc.DataError, match=message):
        pc.fit("y ~ 1", data, dissimilarity=matrix, cv=2)


def test_predictors_beside_a_given_matrix(data):
    with pytest.raises(pc.OptionError, match="names no predictors: write 'y ~ 1', not 'y ~ x'"):
        pc.fit("y ~ x", data, dissimilarity=SQUARE, eps=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.assign(g="Z"), "column 'g' has levels not seen in fit: 'Z'"),
        (lambda d: d.drop(columns="x"), r"the new data lack the columns \['x'\]"),
        (lambda d: d.assign(x=d.x.astype(str)), "column 'x' was numeric in fit and is category"),
        (lambda d: d.assign(g=3.0), "column 'g' was category in fit and is numeric"),
        (lambda d: d.assign(x=np.inf), "infinite|inf"),
        (lambda d: d[["x"]].to_numpy(), "data must be a DataFrame"),
    ],
)
@pytest.mark.parametrize("metric", ["gower", "euclidean"])
def test_new_data(data, change, message, metric):
    fit = pc.fit("y ~ x + g", data, dissimilarity=metric, eps=0.3)
    with pytest.raises(pc.DataError, match=message):
        fit.predict(change(data), unseen="raise")


def test_what_a_fit_does_not_have(data):
    knn = pc.fit("y ~ x + z", data, "knn", k=3)
    with pytest.raises(pc.NotAvailable, match="'knn' has no objective; methods that have: 'pvm'"):
        _ = knn.objective
    with pytest.raises(pc.OptionError, match="kind='cover': method 'knn' predicts 'class', 'prob'"):
        knn.predict(data, "cover")
    with pytest.raises(pc.NotAvailable, match="step by step"):
        knn.plot("progress")
    with pytest.raises(pc.NotAvailable, match="nothing was cross-validated"):
        knn.plot("validation")
    with pytest.raises(pc.OptionError, match="kind='globe': allowed are"):
        knn.plot("globe")
    with pytest.raises(pc.OptionError, match="lack the response 'y'"):
        knn.test(data.drop(columns="y"))
    with pytest.raises(pc.DataError, match="classes not seen in fit: 'q'"):
        knn.test(data.assign(y="q"))


def test_na_raise_names_the_columns(data):
    with pytest.raises(pc.DataError, match=r"missing values in 'x' \(2\), 'y' \(1\)"):
        pc.fit("y ~ x", data.assign(x=data.x.where(data.index > 1), y=data.y.where(data.index != 9)), na="raise")


def test_a_class_with_one_row_cannot_be_cross_validated(data):
    with pytest.raises(pc.DataError, match="class 'q' has one row"):
        pc.fit("y ~ x", data.assign(y=data.y.where(data.index != 0, "q")))


def test_auto_folds_follow_the_rarest_class_and_say_so(data):
    fit = pc.fit("y ~ x + z", data)
    assert fit.validation.folds.nunique() == 4
    assert "4 folds, as class 'c' has 4 rows" in str(fit.summary())


def test_custom_functions_that_misbehave(data):
    for value, message in ((-1.0, "finite and >= 0"), (np.nan, "finite and >= 0"), ("far", "not a number")):
        with pytest.raises(pc.DataError, match=message):
            pc.fit("y ~ x", data, dissimilarity=lambda a, b, value=value: value, eps=1)


def test_loss_matrices(data):
    levels = ["a", "b", "c"]
    good = pd.DataFrame(1.0 - np.eye(3), levels, levels)
    for bad, message in (
        (good.iloc[:2], "one row"),
        (-good, ">= 0"),
        (good + 1, "0 on the diagonal"),
        (good.rename(index={"a": "q"}), "one row"),
        ("accuracy", "measure='accuracy'"),
    ):
        with pytest.raises(pc.OptionError, match=message):
            pc.cross_validate("y ~ x", data, cv=3, measure=bad)


def test_a_column_of_many_texts_is_refused_before_it_is_expanded():
    n = 40_000
    data = pd.DataFrame({"id": [f"row {i}" for i in range(n)], "x": np.arange(n) % 7, "y": np.tile(["a", "b"], n // 2)})
    with pytest.raises(pc.TooLarge, match=r"column 'id' has 40000 levels"):
        pc.fit("y ~ .", data, dissimilarity="euclidean", eps=1)


def test_unknown_names_of_the_package():
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        _ = pc.fitt
    assert set(pc.__all__) <= set(dir(pc))
    for name in pc.__all__:
        assert getattr(pc, name) is not None


def test_every_error_has_one_root():
    for name in ("FormulaError", "DataError", "OptionError", "NotAvailable", "NoVectors", "FileError", "TooLarge"):
        assert issubclass(getattr(pc, name), pc.ProtoclassError)


def test_the_shell(tmp_path, iris, capsys):
    path = tmp_path / "iris.csv"
    iris.to_csv(path, index=False)
    assert main(["species ~ .", str(path), "--eps", "1.0", "--cv", "5", "--out", str(tmp_path / "figures")]) == 0
    assert "Radius         eps = 1" in capsys.readouterr().out
    assert {p.name for p in (tmp_path / "figures").iterdir()} == {
        "prototypes.png",
        "progress.png",
        "confusion.png",
        "validation.png",
    }
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "formula" in capsys.readouterr().out
    assert main(["species ~ .", str(tmp_path / "absent.csv")]) == 2
    capsys.readouterr()
    assert main(["species ~ .", str(path), "--radius", "2"]) == 2
    assert "is not a parameter" in capsys.readouterr().err
    bad = subprocess.run([sys.executable, "-m", "protoclass", "species ~ nope", str(path)], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert bad.stderr.startswith("protoclass: 'nope'")
    assert "Traceback" not in bad.stderr
