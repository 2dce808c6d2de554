"""Paths and lazy tables: the fit is that of the same table in memory."""

import pickle
import subprocess
import sys
import textwrap
from functools import cache
from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import protoclass as pc
from protoclass.frames.tables import as_pandas


@cache
def clinic():
    """400 rows with ties, weights, gaps, all types, and classes and levels that stand in a part of the rows alone."""
    rng, n = np.random.default_rng(5), 400
    frame = pd.DataFrame({
        "id": [f"r{k}" for k in range(n)],
        "a": rng.normal(size=n).round(1),
        "whole": rng.integers(0, 9, n),
        "gaps": rng.integers(0, 5, n).astype(float),
        "flag": rng.random(n) < 0.5,
        "text": rng.choice(["z", "x", "y"], n),
        "stage": pd.Categorical(rng.choice(["low", "high"], n), ["low", "mid", "high"], ordered=True),
        "single": rng.normal(size=n).astype(np.float32),
        "w": rng.integers(1, 4, n),
    })  # fmt: skip
    frame["y"] = np.where(frame.a + rng.normal(size=n) > 0, "up", "down")
    frame.loc[300:340, "y"] = "aside"  # in one partition only
    frame.loc[7, "a"] = np.nan
    frame.loc[9, "text"] = None
    frame.loc[11, ["y", "a"]] = ["lost", np.nan]  # a class of a row that is left out, and a level
    frame.loc[12, ["text", "single"]] = ["lost", np.nan]
    frame.loc[:60, "gaps"] = np.nan
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    frame = clinic()
    frame.to_parquet(folder / "one.parquet", row_group_size=37)
    frame.to_csv(folder / "one.csv", index=False)
    for name in ("parquet", "csv"):
        (folder / name).mkdir()
    edges = [0, 1, 1, 250, 399, 400]  # one row, none, and most of them
    for k, (start, stop) in enumerate(pairwise(edges)):
        part = frame.iloc[start:stop]
        part.to_parquet(folder / "parquet" / f"{k}.parquet")
        part.to_csv(folder / "csv" / f"{k}.csv", index=False)
    (folder / "parquet" / "_SUCCESS").touch()
    return folder


SOURCES = {
    "parquet": lambda p: (str(p / "one.parquet"), pd.read_parquet(p / "one.parquet")),
    "parquet path": lambda p: (p / "one.parquet", pd.read_parquet(p / "one.parquet")),
    "list": lambda p: ([p / "parquet" / f"{k}.parquet" for k in range(5)], clinic()),
    "csv": lambda p: (p / "one.csv", pd.read_csv(p / "one.csv")),
    "csv list": lambda p: (sorted(map(str, (p / "csv").glob("*.csv"))), pd.read_csv(p / "one.csv")),
    "polars": lambda p: (pl.scan_parquet(p / "one.parquet"), pl.read_parquet(p / "one.parquet")),
    "polars csv": lambda p: (pl.scan_csv(p / "one.csv"), pl.read_csv(p / "one.csv")),
    "duckdb": lambda p: (relation(p), relation(p).df()),
}


def relation(folder):
    return duckdb.connect().sql(f"from '{folder}/one.parquet'")


def levels(fit):
    return {name: (c.kind, c.ordered, [str(v) for v in c.levels]) for name, c in fit.frame.schema.items()}


@pytest.mark.parametrize("name", SOURCES)
def test_the_fit_is_that_in_memory(folder, name):
    given, eager = SOURCES[name](folder)
    arguments = {"formula": "y ~ . - id - gaps", "weights": "w", "eps": [0.05, 0.1], "cv": 3}
    ours, theirs = pc.fit(data=given, **arguments), pc.fit(data=eager, **arguments)
    assert levels(ours) == levels(theirs)
    assert ours.frame.notes == theirs.frame.notes
    assert ours.classes == theirs.classes
    assert ours.dropped.tolist() == theirs.dropped.tolist() == [7, 9, 11, 12]
    pd.testing.assert_frame_equal(ours.validation.table, pd.DataFrame(pc_table(theirs.validation.table)), check_exact=True)
    assert ours.prototypes.index.equals(theirs.prototypes.index)
    for column in ("class", "true_class", "newly_covered", "miscovered"):
        assert ours.prototypes[column].astype(str).tolist() == theirs.prototypes[column].astype(str).tolist()
    for kind in ("class", "distance", "nearest"):
        expected = np.asarray(theirs._predictions(None, kind).astype(str))
        assert (np.asarray(ours.predict(kind=kind).astype(str)) == expected).all()
    assert repr(ours.call) == repr(theirs.call)


def pc_table(table):
    return table.to_pandas() if hasattr(table, "to_pandas") else table


@pytest.mark.parametrize("name", SOURCES)
def test_new_rows_are_answered_as_those_in_memory(folder, name):
    given, eager = SOURCES[name](folder)
    fit = pc.fit("y ~ a + text + flag", clinic().dropna(), eps=0.1)
    frame = as_pandas(eager)
    with pytest.raises(pc.errors.DataError, match=r"column 'text' has levels that the training data \('x', 'y', 'z'\) lack: 'lost'"):
        fit.predict(given, unseen="raise")
    with pytest.warns(pc.DataWarning, match=r"column 'text' has levels that the training data .* lack: 'lost' \(1 row\)"):
        unlike = fit.predict(given)  # by Gower
    expanded = pc.fit("y ~ a + text + flag", clinic().dropna(), eps=1.0, dissimilarity="euclidean")
    with pytest.warns(pc.DataWarning, match=r"'lost' \(1 row\).*the rows with these values get no prediction"):
        without = expanded.predict(given)
    assert unlike.isna().sum() == 3  # those that miss a predictor
    assert without.isna().sum() == 4
    reduced = pc.fit("y ~ a + flag + single", clinic().fillna({"a": 0.0, "single": 0.0}), eps=0.1)  # with all classes
    tested, expected = reduced.test(given, weights="w"), reduced.test(frame, weights="w")
    pd.testing.assert_frame_equal(tested.confusion, expected.confusion)
    ours, theirs = reduced.augment(given), reduced.augment(frame)
    added = ["fitted", "correct", "prototype", "distance", "margin", "covered"]
    pd.testing.assert_frame_equal(ours[added], theirs[added], check_index_type=False)
    assert list(ours.columns) == list(theirs.columns)
    answer = reduced.predict(given)
    pd.testing.assert_series_equal(answer, reduced.predict(frame), check_index_type=False)
    assert isinstance(answer.index, pd.RangeIndex)


def test_only_the_columns_of_the_formula_are_read(folder, tmp_path):
    for given in (folder / "one.parquet", folder / "one.csv", pl.scan_csv(folder / "one.csv"), relation(folder)):
        fit = pc.fit("y ~ a + log(whole + 1) - flag", given, eps=0.1, weights="w")
        assert sorted(fit.call.data) == ["a", "flag", "w", "whole", "y"]
        assert list(pc.fit("y ~ .", fit.call.data, eps=0.1).frame.columns) == ["a", "whole", "flag", "w"]
    again = fit.update(". ~ . + flag")
    assert repr(again.call) == "fit('y ~ a + log(whole + 1) - flag + flag', data, weights='w', eps=0.1)"
    with pytest.raises(pc.errors.FormulaError, match=r"'single' in .* is not a column"):
        fit.update(". ~ . + single")


def test_a_fit_is_pickled_without_its_source():
    c = duckdb.connect()  # whose relations can't be pickled
    c.sql("create table t as select i as a, i % 7 as b, if(i % 3 = 0, 'u', 'v') as y from range(60) t(i)")
    fit = pc.fit("y ~ a", c.sql("from t"), eps=0.1)
    again = pickle.loads(pickle.dumps(fit))
    assert again.predict().equals(fit.predict())
    assert again.update(eps=0.2).predict().equals(fit.update(eps=0.2).predict())


def test_each_front_door_reads(folder):
    path, frame = folder / "one.parquet", clinic()
    formula = "y ~ . - id - gaps"
    ours = pc.cross_validate(formula, path, "knn", k=[1, 5], groups="w", cv=2)
    theirs = pc.cross_validate(formula, frame, "knn", k=[1, 5], groups="w", cv=2)
    pd.testing.assert_frame_equal(ours.table, theirs.table)
    compared = [pc.compare(formula, data, ["knn"], cv=2, progress=False).table for data in (path, frame)]
    pd.testing.assert_frame_equal(*(t.drop(columns=[c for c in t if "seconds" in c]) for t in compared))
    pd.testing.assert_frame_equal(pc.dissimilarity("~ a + text", path).frame(), pc.dissimilarity("~ a + text", frame).frame(),
                                  check_index_type=False, check_column_type=False)  # fmt: skip
    with pytest.warns(pc.DataWarning, match="'id' has a different value in every row"):
        assert pc.dissimilarity(path).shape == pc.dissimilarity(frame).shape
    fit = pc.fit(formula, path, "knn", k=[1, 5], cv=2)
    memory = pc.fit(formula, frame, "knn", k=[1, 5], cv=2).validation
    pd.testing.assert_frame_equal(fit.validation.permutation_test(3).table, memory.permutation_test(3).table)


PANDAS = {
    "nullable": pd.array([1, None, 3, 2], "Int64"),
    "nullable flags": pd.array([True, None, False, True], "boolean"),
    "nullable floats": pd.array([0.5, None, 2.5, 1.0], "Float32"),
    "small": np.array([1, 2, 3, 100], np.int8),
    "unused levels": pd.Categorical(["b", None, "a", "b"], ["c", "b", "a"]),
}


@pytest.mark.parametrize("name", PANDAS)
def test_columns_are_as_pandas_has_them(tmp_path, name):
    frame = pd.DataFrame({"a": PANDAS[name]}, index=list("wxyz"))
    frame.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(as_pandas(tmp_path / "a.parquet"), frame.reset_index(drop=True))


def test_an_index_that_pandas_wrote_is_no_column(tmp_path):
    iris = pc.load_data("iris").rename_axis("flower")
    iris.index = iris.index.map(lambda k: f"f{k}").rename("flower")
    iris.to_parquet(tmp_path / "a.parquet")
    fit = pc.fit("species ~ .", tmp_path / "a.parquet", eps=1.0)
    assert fit.prototypes.index.equals(pc.fit("species ~ .", iris.reset_index(drop=True), eps=1.0).prototypes.index)
    assert "flower" not in fit.frame.columns


REFUSED = {
    "http://x.org/a.csv": (pc.errors.OptionError, "' is a web address, but data are not fetched.*: save the file and use its"),
    "s3://bucket/a.parquet": (pc.errors.OptionError, "' is a web address, but data are not fetched.*: save the file and use its"),
    "none.csv": (pc.errors.FileError, "no file is named 'none.csv'"),
    "iris": (pc.errors.FileError, r"pc.load_data\('iris'\)"),
    "{}/none*.csv": (pc.errors.FileError, r"no file is named .*: use a DataFrame.*a list of paths such as sorted\(glob.glob"),
    "{}/mixed": (pc.errors.FileError, r"is not a file of a supported kind: use .*sorted\(glob.glob\("),
    "{}/a.txt": (pc.errors.FileError, r"is not a file of a supported kind: use the path.*or the frame of pd.read_table\(path\)"),
    "{}/cut.parquet": (pc.errors.FileError, r"\.parquet' is not a Parquet file that can be loaded:"),
    "{}/page.parquet": (pc.errors.FileError, r"\.parquet' is not a Parquet file that can be loaded:"),
    "{}/text.parquet": (pc.errors.FileError, r"\.parquet' is not a Parquet file that can be loaded:"),
    "{}/none.csv": (pc.errors.FileError, "no file is named"),
    "{}/nothing.csv": (pc.errors.FileError, "is not a CSV file that can be loaded"),
    "{}/head.csv": (pc.errors.DataError, "no rows"),
    "{}/binary.csv": (pc.errors.FileError, "is not a CSV file that can be loaded"),
    "{}/ragged.csv": (pc.errors.FileError, "is not a CSV file that can be loaded: .*line 4"),
    "{}/wide.csv": (pc.errors.FileError, "more values than its first line"),
    "{}/numbered.csv": (pc.errors.FileError, "more values than its first line"),
    "a\0b.csv": (pc.errors.FileError, r"no file is named|is not a path: .*File name too long"),
    "a" * 5000: (pc.errors.FileError, r"no file is named|is not a path: .*File name too long"),
    "": (pc.errors.FileError, "no file"),
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    for name in ("mixed", "other"):
        (folder / name).mkdir()
    table = pd.DataFrame({"y": list("abab") * 50, "a": np.arange(200.0)})
    table.to_parquet(folder / "whole.parquet")
    table.to_parquet(folder / "mixed" / "a.parquet")
    table.to_csv(folder / "mixed" / "a.csv", index=False)
    table.to_csv(folder / "other" / "a.csv", index=False)
    table.assign(b=1).to_csv(folder / "other" / "b.csv", index=False)
    whole = (folder / "whole.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "page.parquet").write_bytes(whole[:4] + b"\xff" * 400 + whole[404:])
    (folder / "text.parquet").write_text("y,a\n1,2\n")
    for name, text in {"a.tsv": "y\ta\n", "a.txt": "y a\n", "nothing.csv": "", "head.csv": "y,a\n", "ragged.csv": "y,a\nu,1\nv,2\nu,3,4\n",
                       "wide.csv": "y,a\nu,1,2\nv,2,3\n", "numbered.csv": "y,a\n1,u,2\n2,v,3\n"}.items():  # fmt: skip
        (folder / name).write_text(text)
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 40)
    return folder


@pytest.mark.parametrize("path", REFUSED)
def test_files_that_are_refused(odd, path):
    error, words = REFUSED[path]
    with pytest.raises(error, match=words):
        pc.fit("y ~ a", path.format(odd), eps=1.0)


def test_files_of_different_columns_or_kinds_are_refused(odd):
    with pytest.raises(pc.errors.FileError, match="have different columns, such as 'b': use files with the same columns"):
        pc.fit("y ~ a", [odd / "other" / "a.csv", odd / "other" / "b.csv"], eps=1.0)
    with pytest.raises(pc.errors.FileError, match="are of different kinds: use Parquet or CSV files alone"):
        pc.fit("y ~ a", [odd / "mixed" / "a.csv", odd / "mixed" / "a.parquet"], eps=1.0)


def test_a_column_of_different_types_in_two_files_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("y,a\nu,1\nv,2\nu,3\n")
    (tmp_path / "b.csv").write_text("y,a\nu,x\nv,z\nu,x\n")
    with pytest.raises(pc.errors.DataError, match=r"column 'a' contains int and str: convert it to numbers, texts,"):
        pc.fit("y ~ a", [tmp_path / "a.csv", tmp_path / "b.csv"], eps=1.0)
    for name, values in {"a": [1, 2, 3], "b": [0.5, None, 4], "c": ["1", "2", "3"]}.items():
        pd.DataFrame({"y": list("uvu"), "a": values}).to_parquet(tmp_path / f"{name}.parquet")
    fit = pc.fit("y ~ a", [tmp_path / "a.parquet", tmp_path / "b.parquet"], eps=1.0)
    assert fit.call.data["a"].dropna().tolist() == [1, 2, 3, 0.5, 4]  # whole numbers, and numbers with a gap
    with pytest.raises(pc.errors.FileError, match="Field a has incompatible types: int64 vs"):
        pc.fit("y ~ a", [tmp_path / "a.parquet", tmp_path / "c.parquet"], eps=1.0)


@pytest.mark.parametrize("given", [iter([1]), (k for k in range(3)), 3, ["a", 1], [], b"a.csv", {"a": [1]}, np.zeros(3), np, None])
def test_values_that_are_no_tables(given):
    with pytest.raises(pc.errors.DataError, match="must be a DataFrame"):
        pc.fit("y ~ a", given, eps=1.0)


@pytest.mark.parametrize(("values", "words"), [
    ([{"x": 1}, {"x": 2}], r"column 'a' contains dict: convert it"), ([[1], [2]], r"column 'a' contains series \(lists of numbers\)"),
    ([b"a", b"b"], r"column 'a' contains bytes: convert it"),
])  # fmt: skip
def test_values_that_no_column_has_are_refused(values, words, tmp_path):
    pq.write_table(pa.table({"a": values * 2, "y": list("uvuv"), "k": [1.0, 2, 3, 4]}), tmp_path / "a.parquet")
    with pytest.raises(pc.errors.DataError, match=words):
        pc.fit("y ~ .", tmp_path / "a.parquet", eps=1.0)
    assert pc.fit("y ~ . - a", tmp_path / "a.parquet", eps=1.0).nobs == 4
    with pytest.raises(pc.errors.DataError, match=r"not FileSystemDataset: use data.to_table\(columns=\[...\]\)"):
        pc.fit("y ~ .", ds.dataset(tmp_path / "a.parquet"), eps=1.0)


def test_errors_of_a_lazy_table_are_ours(tmp_path):
    for table in (pl.LazyFrame({"y": ["a"], "a": ["x"]}).with_columns(pl.col("a").cast(pl.Int64)),
                  duckdb.sql("select 'u' as y, cast(a as integer) as a from (values ('x')) v(a)")):  # fmt: skip
        with pytest.raises(pc.errors.DataError, match="can't be read"):
            pc.fit("y ~ a", table, eps=1.0)


def test_without_pyarrow(folder):
    code = f"""
        import sys
        sys.modules["pyarrow"] = None
        import protoclass as pc, polars as pl
        folder = {str(folder)!r}
        print(pc.fit("y ~ a + text + whole", folder + "/one.csv", eps=0.1).nobs)
        print(pc.fit("y ~ a + text + whole", pl.scan_csv(folder + "/one.csv"), eps=0.1).nobs)
        try:
            pc.fit("y ~ a + text + whole", folder + "/one.parquet", eps=0.1)
        except pc.errors.FileError as reason:
            print(reason)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    fit = pc.fit("y ~ a + text + whole", clinic(), eps=0.1)
    assert done.stdout.startswith(f"{fit.nobs}\n{fit.nobs}\n"), done.stderr
    assert "needs pyarrow, which is not installed: install it" in done.stdout
