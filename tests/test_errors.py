"""Bad input gets an error of our own that names what was given, what is allowed and the cure."""

import re
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
        ("y ~ x + q", r"'q' in 'y ~ x \+ q' is not a column of the data: use one of 'x', 'z', 'g', 'y'"),
        ("q ~ x", "the response 'q' is not a column"),
        ("y ~ x ~ z", "is not a formula"),
        ("y ~ x + y", "is also on the right side"),
        ("y ~ __import__('os')", "'__import__' in \"__import__\\('os'\\)\" is not.*: use columns, numbers, \\+ - \\*"),
        ("y ~ log(x).real", r"the right side of 'y ~ log\(x\)\.real' is not a.*: Missing operator between"),
        ("y ~ {open('f')}", "is not allowed"),
        ("y ~ np.log(x)", "is not allowed"),
        ("y ~ I(9**9**9)", "the power"),
        ("y ~ I('a' * 1000000000)", "is not allowed"),
        ("y ~ x | z", "no conditional or random effects"),
        ("y ~ x +", "' is not a valid formula:"),
        ("y ~ 1", r"'y ~ 1' has no predictors for Euclidean dissimilarities: use column names, or '\.'"),
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
        (lambda d: d.assign(x=np.nan), r"no row is complete, with missing values in 'x' \(\d+\): fill them, or leave out"),
        (lambda d: d.assign(y=None), r"no row is complete, with missing values in 'y' \(\d+\)"),
        (
            lambda d: d.assign(x=d.x.where(d.index < 12), z=d.z.where(d.index >= 12)),
            r"no row is complete, with missing values in 'x' \(\d+\), 'z' \(\d+\): fill them",
        ),
        (lambda d: d.assign(x=pd.date_range("2020", periods=30)), "column 'x' contains dates"),
        (lambda d: d.to_numpy(), "data must be a DataFrame"),
    ],
)
def test_data(data, change, message):
    with pytest.raises(pc.errors.DataError, match=message):
        pc.fit("y ~ x + z + g", change(data), dissimilarity="euclidean", eps=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eps": [1.0, -2.0]}, r"eps of pvm must be a number > 0, a sequence of these, or 'grid', not -2\.0"),
        ({"epsilon": 1}, "'epsilon' is not a parameter of 'pvm': use eps=; its parameters are eps, lambda_"),
        ({"method": "knn", "k": 0}, "k of knn must be a whole number >= 1, a sequence of these, or 'grid', not 0"),
        ({"method": "knn", "k": 31}, "k=31 neighbours need as many training rows with weight, but there are 30:"),
        ({"method": "kmeans", "K": 5}, "kmeans needs at least 5 rows of class 'c', but it has 4"),
        ({"method": pc.PVM(eps=1), "eps": 2}, r"'eps' is not allowed with a model object: use it in the object, PVM\(\.\.\.\)"),
        ({"dissimilarity": 3}, r"dissimilarity must be a name, a metric, a.*, not int"),
        ({"cv": 5}, "cv=5 needs as many rows of each class, but class 'c' has 4:"),
        ({"class_weights": pd.Series([1, 2], ["c", "c"])}, "class_weights names a class twice"),
        ({"cv": None}, "tuning eps needs folds, but cv=None: use one value for eps=, or cv=10"),
        ({"choose": "best"}, r"choose must be 'auto', '1se', 'min' or 'bound', not 'best': use choose='min'"),
        ({"na": "keep"}, "na='keep' needs a dissimilarity that takes missing values, such as 'gower' or 'forest', not Euclidean"),
        ({"seed": -1}, "seed must be a whole number >= 0 and <= 9223372036854775807, not -1"),
        ({"weights": np.r_[np.ones(26), np.zeros(4)]}, "class 'c' of 'y' has no weight"),
        ({"candidates": 0}, r"candidates must be 'auto', 'train', 'same_class', a number of rows >= 1,.*not 0"),
        ({"candidates": 5, "method": "knn"}, "method 'knn' needs the training rows as candidates, not 5: use candidates='train'"),
        ({"sample": 9}, r"sample=9 is for a Dask DataFrame: use data.sample"),
    ],
)
def test_options(data, options, message):
    options = {"dissimilarity": "euclidean", **options}
    with pytest.raises(pc.ProtoclassError, match=message):
        pc.fit("y ~ x + z", data, **options)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (broken(np.nan), "1 dissimilarities are missing, the first of which is from 2 to 5"),
        (broken(-1.0), "1 dissimilarities are negative, the first of which is from 2 to 5"),
        (SQUARE[:, :7], "an array of dissimilarities must be square, with a row for each of the 30"),
        (np.ones(7), "a condensed array for 30 rows needs 435 values, one for each pair, but this has 7"),
        (pd.DataFrame(SQUARE).rename(index={3: 99}), "lack the row 3"),
        (pd.DataFrame(SQUARE).rename(index={3: 4}), "the row label 4 of the dissimilarities occurs more than once"),
        (pd.DataFrame(SQUARE).astype(object).replace(0.0, "near"), "must be numbers"),
        (np.zeros((30, 30)), "all dissimilarities are 0"),
    ],
)
def test_given_matrices(data, matrix, message):
    with pytest.raises(pc.errors.DataError, match=message):
        pc.fit("y ~ 1", data, dissimilarity=matrix, cv=2, repeats=1)


def test_predictors_beside_a_given_matrix(data):
    with pytest.raises(
        pc.errors.OptionError, match="if dissimilarities are given, the formula must have no predictors: use 'y ~ 1', not 'y ~ x'"
    ):
        pc.fit("y ~ x", data, dissimilarity=SQUARE, eps=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.assign(g="Z"), r"column 'g' has levels that the training data \('u', 'v', 'w'\) lack: 'Z'"),
        (lambda d: d.drop(columns="x"), r"the new data lack the columns \['x'\]"),
        (lambda d: d.assign(x=d.x.astype(str)), r"column 'x' was numeric in the training data,.*: use .*pd.to_numeric"),
        (lambda d: d.assign(g=3.0), r"column 'g' was category in the training data,.*: convert it"),
        (lambda d: d.assign(x=np.inf), "infinite|inf"),
    ],
)
@pytest.mark.parametrize("metric", ["gower", "euclidean"])
def test_new_data(data, change, message, metric):
    fit = pc.fit("y ~ x + g", data, dissimilarity=metric, eps=0.3)
    with pytest.raises(pc.errors.DataError, match=message):
        fit.predict(change(data), unseen="raise")


def test_what_a_fit_does_not_have(data):
    knn = pc.fit("y ~ x + z", data, "knn", k=3)
    with pytest.raises(pc.errors.NotAvailableError, match="method 'knn' has no objective: use 'pvm'"):
        _ = knn.objective
    with pytest.raises(pc.errors.OptionError, match=r"kind must be 'class', 'prob', .* for method 'knn', not 'cover'"):
        knn.predict(data, "cover")
    with pytest.raises(pc.errors.NotAvailableError, match="step by step"):
        knn.plot("path")
    with pytest.raises(pc.errors.NotAvailableError, match="nothing was cross-validated"):
        knn.plot("validation")
    with pytest.raises(pc.errors.OptionError, match=r"kind must be None, 'prototypes', .*not 'globe'"):
        knn.plot("globe")
    with pytest.raises(pc.errors.OptionError, match="lack the response 'y'"):
        knn.test(data.drop(columns="y"))
    with pytest.raises(pc.errors.DataError, match="classes that were not in the training data: 'q'"):
        knn.test(data.assign(y="q"))


def test_na_raise_names_the_columns(data):
    with pytest.raises(pc.errors.DataError, match=r"missing values in 'x' \(2\), 'y' \(1\)"):
        pc.fit("y ~ x", data.assign(x=data.x.where(data.index > 1), y=data.y.where(data.index != 9)), na="raise")


def test_a_class_with_one_row_cannot_be_cross_validated(data):
    with pytest.raises(
        pc.errors.DataError, match=r"cross-validation needs two rows of each class, but class 'q'.*: use fixed parameters, or"
    ):
        pc.fit("y ~ x", data.assign(y=data.y.where(data.index != 0, "q")))


def test_auto_folds_follow_the_rarest_class_and_say_so(data):
    fit = pc.fit("y ~ x + z", data, dissimilarity="euclidean", repeats=1)
    assert fit.validation.folds.nunique() == 4
    assert "4 folds, as class 'c' has 4 rows" in str(fit.summary())


def test_custom_functions_that_misbehave(data):
    for value, message in ((-1.0, "must return a finite number >= 0 for rows 0 and 0, not -1.0"), ("far", "failed on rows 0 and 0: ")):
        with pytest.raises(pc.errors.DataError, match=f"<lambda> {message}"):
            pc.fit("y ~ x", data, dissimilarity=lambda a, b, value=value: value, eps=1)


def test_loss_matrices(data):
    levels = ["a", "b", "c"]
    good = pd.DataFrame(1.0 - np.eye(3), levels, levels)
    for bad, message in (
        (good.iloc[:2], "one row"),
        (-good, ">= 0"),
        (good + 1, "0 on the diagonal"),
        (good.rename(index={"a": "q"}), "one row"),
        ("accuracy", r"measure must be 'error', 'balanced', .* a loss.*not 'accuracy': use measure='error'"),
    ):
        with pytest.raises(pc.errors.OptionError, match=message):
            pc.cross_validate("y ~ x", data, cv=3, measure=bad)


def test_a_column_of_many_texts_is_refused_before_it_is_expanded():
    n = 40_000
    data = pd.DataFrame({"id": [f"row {i}" for i in range(n)], "x": np.arange(n) % 7, "y": np.tile(["a", "b"], n // 2)})
    with pytest.raises(pc.errors.TooLargeError, match=r"40,001 columns \(40000 levels of 'id'\), too many"):
        pc.fit("y ~ .", data, dissimilarity="euclidean", eps=1)


def test_unknown_names_of_the_package():
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        _ = pc.fitt
    assert set(pc.__all__) <= set(dir(pc))
    for name in pc.__all__:
        assert getattr(pc, name) is not None


def test_every_error_has_one_root():
    for name in set(pc.errors.__all__) - {"DataWarning"}:
        assert issubclass(getattr(pc.errors, name), pc.ProtoclassError)


def test_the_shell(tmp_path, iris, capsys):
    path = tmp_path / "iris.csv"
    iris.to_csv(path, index=False)
    assert main(["species ~ .", str(path), "--eps", "1.0", "--cv", "5", "--out", str(tmp_path / "figures")]) == 0
    assert re.search(r"^Radius +1 ", capsys.readouterr().out, re.M)
    assert {p.name for p in (tmp_path / "figures").iterdir()} == {
        "prototypes.png",
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
    assert main(["species ~ .", str(path), "--shape", "3"]) == 2
    with pytest.raises(SystemExit, match="2"):
        main(["species ~ .", str(path), "--formula", "petal_length ~ ."])
    assert main(["species ~ .", str(path), "--method", "medianglvq", "--K", "1", "--matrix", "none"]) == 0
    assert "K=1, matrix='none'" in capsys.readouterr().out
    bad = subprocess.run([sys.executable, "-m", "protoclass", "species ~ nope", str(path)], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert bad.stderr.startswith("protoclass: 'nope'")
    assert "Traceback" not in bad.stderr
