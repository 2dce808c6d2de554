"""Paths and lazy tables: the fit is that of the same table in memory."""

import os
import pickle
import subprocess
import sys
import textwrap
from functools import cache
from itertools import pairwise

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import protoclass as pc
from protoclass.estimation.fitted import for_new_rows
from protoclass.frames.reading import Spooled, origin_of, read_for
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


def uneven(frame):
    return dd.concat([dd.from_pandas(frame.iloc[a:b], npartitions=1) for a, b in ((0, 1), (1, 1), (1, 250), (250, 400))])


SOURCES = {
    "parquet": lambda p: (str(p / "one.parquet"), pd.read_parquet(p / "one.parquet")),
    "parquet path": lambda p: (p / "one.parquet", pd.read_parquet(p / "one.parquet")),
    "folder": lambda p: (p / "parquet", clinic()),
    "glob": lambda p: (str(p / "parquet" / "*.parquet"), clinic()),
    "list": lambda p: ([p / "parquet" / f"{k}.parquet" for k in range(5)], clinic()),
    "csv": lambda p: (p / "one.csv", pd.read_csv(p / "one.csv")),
    "csv folder": lambda p: (p / "csv", pd.read_csv(p / "one.csv")),
    "polars": lambda p: (pl.scan_parquet(p / "one.parquet"), pl.read_parquet(p / "one.parquet")),
    "polars csv": lambda p: (pl.scan_csv(p / "one.csv"), pl.read_csv(p / "one.csv")),
    "duckdb": lambda p: (relation(p), relation(p).df()),
    "dask": lambda p: (dd.from_pandas(clinic(), npartitions=7), clinic()),
    "dask uneven": lambda p: (uneven(clinic()), clinic()),
    "dataset": lambda p: (ds.dataset(p / "parquet", format="parquet", exclude_invalid_files=True), clinic()),
}


def relation(folder):
    return duckdb.connect().sql(f"from '{folder}/one.parquet'")


def levels(fit):
    return {name: (c.kind, c.ordered, [str(v) for v in c.levels]) for name, c in fit.frame.schema.items()}


@pytest.mark.parametrize("name", SOURCES)
def test_the_fit_is_that_in_memory(folder, name, monkeypatch):
    monkeypatch.setattr("protoclass.frames.sources.VALUES", 0)
    monkeypatch.setattr("protoclass.frames.sources.FEWEST", 23)  # rows of a block
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
        expected = np.asarray(theirs.predictions(None, kind).astype(str))
        assert (np.asarray(ours.predict(kind=kind).astype(str)) == expected).all()
    assert repr(ours.call) == repr(theirs.call)
    assert "id" not in ours.call.data  # was not read


def pc_table(table):
    return table.to_pandas() if hasattr(table, "to_pandas") else table


def answered(answer):
    # in one thread: Python does not catch warnings of several at the same time
    return answer.compute(scheduler="synchronous") if hasattr(answer, "compute") else answer


@pytest.mark.parametrize("name", SOURCES)
def test_new_rows_are_answered_as_those_in_memory(folder, name, monkeypatch):
    given, eager = SOURCES[name](folder)
    fit = pc.fit("y ~ a + text + flag", clinic().dropna(), eps=0.1)
    monkeypatch.setattr("protoclass.frames.sources.VALUES", 0)
    monkeypatch.setattr("protoclass.frames.sources.FEWEST", 50)
    frame = as_pandas(eager)
    with pytest.raises(pc.DataError, match=r"column 'text' has levels that the training data \('x', 'y', 'z'\) lack: 'lost'"):
        answered(fit.predict(given, unseen="raise"))
    with pytest.warns(pc.DataWarning, match=r"column 'text' has levels that the training data .* lack: 'lost' \(1 row\)"):
        unlike = answered(fit.predict(given))  # by Gower
    expanded = pc.fit("y ~ a + text + flag", clinic().dropna(), eps=1.0, dissimilarity="euclidean")
    with pytest.warns(pc.DataWarning, match=r"'lost' \(1 row\).*the rows with these values get no prediction"):
        without = answered(expanded.predict(given))
    assert unlike.isna().sum() == 3  # those that miss a predictor
    assert without.isna().sum() == 4
    if name.startswith("dask"):
        known = given[given["text"].fillna("x") != "lost"]
        for kind in ("class", "distance", "nearest", "cover"):
            lazily, expected = fit.predict(known, kind), fit.predict(clinic()[clinic().text.fillna("x") != "lost"], kind)
            test = pd.testing.assert_frame_equal if kind == "distance" else pd.testing.assert_series_equal
            test(lazily.compute(), expected.astype(object) if kind == "nearest" else expected, check_index_type=False)
            test(lazily._meta, expected.iloc[:0].astype(object) if kind == "nearest" else expected.iloc[:0], check_index_type=False)
    reduced = pc.fit("y ~ a + flag + single", clinic().fillna({"a": 0.0, "single": 0.0}), eps=0.1)  # with all classes
    tested, expected = reduced.test(given, weights="w"), reduced.test(frame, weights="w")
    pd.testing.assert_frame_equal(tested.confusion, expected.confusion)
    ours, theirs = reduced.augment(given), reduced.augment(frame)
    added = ["fitted", "correct", "prototype", "distance", "margin", "covered"]
    pd.testing.assert_frame_equal(ours[added], theirs[added], check_index_type=False)
    assert list(ours.columns) == list(theirs.columns)
    if not name.startswith("dask"):
        answer = reduced.predict(given)
        pd.testing.assert_series_equal(answer, reduced.predict(frame), check_index_type=False)
        assert isinstance(answer.index, pd.RangeIndex)


needs_pandas_3 = pytest.mark.skipif(pd.__version__.startswith("2."), reason="pandas 2 copies the columns that are selected")


@needs_pandas_3
def test_columns_of_the_disk_are_not_copied(folder):
    data = read_for(folder / "one.parquet", "y ~ a + whole + stage", {})
    part = data[["a", "stage"]]
    assert type(part) is pd.DataFrame
    assert np.shares_memory(part["a"].to_numpy(), data["a"].to_numpy())
    assert np.shares_memory(part["stage"].array.codes, data["stage"].array.codes)
    assert list(data.columns) == ["a", "whole", "stage", "y"]
    assert origin_of(data).names.tolist() == list(clinic().columns)


@needs_pandas_3
def test_long_columns_are_in_files(tmp_path, monkeypatch):
    monkeypatch.setattr("protoclass.frames.reading.SMALLEST", 1000)
    clinic().to_parquet(tmp_path / "a.parquet")
    fit = pc.fit("y ~ a + whole + stage", tmp_path / "a.parquet", eps=0.1)
    for columns in (fit.call.data[["a", "whole"]], fit.frame.columns[["a", "whole"]]):  # as read, and without the rows left out
        for name in columns:
            base = columns[name].to_numpy()
            while base is not None and not isinstance(base, np.memmap):
                base = base.base
            assert base is not None


def test_update_reads_again_what_was_not_read(folder, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes((folder / "one.csv").read_bytes())
    fit = pc.fit("y ~ a", path, eps=0.1)
    read = fit.call.data
    assert fit.update(eps=0.2).call.data is read
    again = fit.update(". ~ . + single", weights="w")
    assert repr(again.call) == "fit('y ~ a + single', data, weights='w', eps=0.1)"
    memory = pc.fit("y ~ a + single", pd.read_csv(path), eps=0.1, weights="w")
    assert again.predict().tolist() == memory.predict().tolist()
    with path.open("a") as file:
        file.write("x\n")
    with pytest.raises(pc.FileError, match=r"has changed since the first pass: call fit again"):
        fit.update(". ~ . + whole")


def test_a_fit_is_pickled_without_its_source():
    c = duckdb.connect()  # whose relations can't be pickled
    c.sql("create table t as select i as a, i % 7 as b, if(i % 3 = 0, 'u', 'v') as y from range(60) t(i)")
    fit = pc.fit("y ~ a", c.sql("from t"), eps=0.1)
    again = pickle.loads(pickle.dumps(fit))
    assert again.predict().equals(fit.predict())
    assert again.update(eps=0.2).predict().equals(fit.update(eps=0.2).predict())
    assert fit.update("y ~ a + b").nobs == 60
    with pytest.raises(pc.DataError, match=r"column 'b' was not loaded, because the formula.*: call fit with the path or"):
        again.update("y ~ a + b")
    assert list(pc.fit("y ~ .", fit.call.data.head(20), eps=0.1).frame.columns) == ["a"]  # what a frame of it has


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


TYPES = {
    "whole numbers, later a gap": ["a\n1\n2\n", "a\n\n3\n".replace("\n\n", "\nNA\n")],
    "numbers, later texts": ["a\n1\n01\n", "a\nx\nNA\n"],
    "booleans, later a gap": ["a\nTrue\nFalse\n", "a\nNA\nTrue\n"],
    "booleans, later numbers": ["a\nTrue\nFalse\n", "a\n1\n0\n"],
    "gaps, later whole numbers": ["a\nNA\nNA\n", "a\n1\n2\n"],
    "gaps, later texts": ["a\nNA\nNA\n", "a\nu\nt\n"],
    "gaps": ["a\nNA\nNA\n", "a\nNA\nNA\n"],
    "floats, later whole numbers": ["a\n0.1\n2\n", "a\n3\n4\n"],
    "large": ["a\n9007199254740993\n1\n", "a\n0.5\n1\n"],
}


@pytest.mark.parametrize("name", TYPES)
def test_types_of_a_csv_are_those_of_the_whole(tmp_path, name, monkeypatch):
    monkeypatch.setattr("protoclass.frames.sources.VALUES", 0)
    monkeypatch.setattr("protoclass.frames.sources.FEWEST", 2)
    first, second = TYPES[name]
    (tmp_path / "a.csv").write_text(first + second[2:])
    ours, whole = as_pandas(tmp_path / "a.csv")["a"], pd.read_csv(tmp_path / "a.csv")["a"]
    assert ours.isna().tolist() == whole.isna().tolist()
    assert ours.dropna().tolist() == whole.dropna().tolist()
    if whole.dtype.kind in "iuf":
        assert ours.dtype == whole.dtype
    elif "booleans, later a gap" in name:
        assert ours.dtype == "boolean"
    else:
        assert ours.cat.categories.tolist() == sorted(whole.dropna().unique())


PANDAS = {
    "nullable": pd.array([1, None, 3, 2], "Int64"),
    "nullable flags": pd.array([True, None, False, True], "boolean"),
    "nullable floats": pd.array([0.5, None, 2.5, 1.0], "Float32"),
    "small": np.array([1, 2, 3, 100], np.int8),
    "unused levels": pd.Categorical(["b", None, "a", "b"], ["c", "b", "a"]),
}


@pytest.mark.parametrize("name", PANDAS)
@pytest.mark.parametrize("source", ["parquet", "dask"])
def test_columns_are_as_pandas_has_them(tmp_path, name, source, monkeypatch):
    monkeypatch.setattr("protoclass.frames.sources.VALUES", 0)
    monkeypatch.setattr("protoclass.frames.sources.FEWEST", 2)
    frame = pd.DataFrame({"a": PANDAS[name]}, index=list("wxyz"))
    frame.to_parquet(tmp_path / "a.parquet")
    given = dd.from_pandas(frame, npartitions=3, sort=False) if source == "dask" else tmp_path / "a.parquet"
    pd.testing.assert_frame_equal(pd.DataFrame(as_pandas(given)), frame.reset_index(drop=True))


def test_polars_levels_are_in_the_order_of_its_frames():
    enum = pl.Series(["u", "t", "u", None], dtype=pl.Enum(["u", "t", "s"]))
    table = pl.DataFrame({"c": pl.Series(["q", "b", None, "m"], dtype=pl.Categorical), "e": enum})
    lazily, eager = as_pandas(table.lazy()), as_pandas(table)
    pd.testing.assert_frame_equal(pd.DataFrame(lazily), eager)


def test_an_index_that_pandas_wrote_is_no_column(tmp_path):
    iris = pc.load_data("iris").rename_axis("flower")
    iris.index = iris.index.map(lambda k: f"f{k}").rename("flower")
    iris.to_parquet(tmp_path / "a.parquet")
    fit = pc.fit("species ~ .", tmp_path / "a.parquet", eps=1.0)
    assert fit.prototypes.index.equals(pc.fit("species ~ .", iris.reset_index(drop=True), eps=1.0).prototypes.index)
    assert "flower" not in fit.frame.columns


REFUSED = {
    "http://x.org/a.csv": (pc.OptionError, "' is a web address, but data are not fetched.*: save the file and use its"),
    "s3://bucket/a.parquet": (pc.OptionError, "' is a web address, but data are not fetched.*: save the file and use its"),
    "none.csv": (pc.FileError, "no file is named 'none.csv'"),
    "iris": (pc.FileError, r"pc.load_data\('iris'\)"),
    "{}/none*.csv": (pc.FileError, "no file matches"),
    "{}/empty": (pc.FileError, "has no files"),
    "{}/mixed": (pc.FileError, "parquet and CSV files"),
    "{}/deep": (pc.FileError, r"\*\*/\*.parquet"),
    "{}/a.tsv": (pc.FileError, "pd.read_table"),
    "{}/a.txt": (pc.FileError, "is not a file of a supported kind: use files"),
    "{}/cut.parquet": (pc.FileError, r"\.parquet' is not a parquet file that can be loaded:"),
    "{}/page.parquet": (pc.FileError, r"\.parquet' is not a parquet file that can be loaded:"),
    "{}/text.parquet": (pc.FileError, r"\.parquet' is not a parquet file that can be loaded:"),
    "{}/none.csv": (pc.FileError, "no file is named"),
    "{}/nothing.csv": (pc.FileError, "is not a CSV file that can be loaded"),
    "{}/head.csv": (pc.DataError, "no rows"),
    "{}/binary.csv": (pc.FileError, "is not a CSV file that can be loaded"),
    "{}/ragged.csv": (pc.FileError, "is not a CSV file that can be loaded: .*line 4"),
    "{}/wide.csv": (pc.FileError, "more values than its first line"),
    "{}/other": (pc.FileError, "have different columns, such as 'b': use files with the same columns"),
    "a\0b.csv": (pc.FileError, r"no file is named|is not a path: .*File name too long"),
    "a" * 5000: (pc.FileError, r"no file is named|is not a path: .*File name too long"),
    "": (pc.FileError, "no file"),
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    for name in ("empty", "mixed", "deep", "deep/in", "other"):
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
                       "wide.csv": "y,a\nu,1,2\nv,2,3\n"}.items():  # fmt: skip
        (folder / name).write_text(text)
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 40)
    return folder


@pytest.mark.parametrize("path", REFUSED)
def test_files_that_are_refused(odd, path):
    error, words = REFUSED[path]
    with pytest.raises(error, match=words):
        pc.fit("y ~ a", path.format(odd), eps=1.0)


def unordered():
    frame = pl.DataFrame({"y": list("abab"), "a": [1.0, 2, 3, 4]})
    lazy, c = frame.lazy(), duckdb.connect()
    c.sql("create table t as select * from (values ('a', 1.0), ('b', 2.0), ('a', 3.0)) v(y, a)")
    loose = duckdb.connect()
    loose.sql("create table t as select * from (values ('a', 1.0), ('b', 2.0)) v(y, a)")
    loose.sql("set preserve_insertion_order=false")
    return {
        "polars group_by": lazy.group_by("y").agg(pl.col("a").sum()),
        "polars unique": lazy.unique(),
        "polars join": lazy.join(lazy, on="a").select("y", "a"),
        "duckdb group by": c.sql("select y, sum(a) as a from t group by y"),
        "duckdb join": c.sql("select t.y, t.a from t join t s on t.a = s.a"),
        "duckdb setting": loose.sql("from t"),
    }


@pytest.mark.parametrize("name", ["polars group_by", "polars unique", "polars join", "duckdb group by", "duckdb join",
                                  "duckdb setting"])  # fmt: skip
def test_rows_are_taken_in_the_order_in_which_they_come(name):
    fit = pc.fit("y ~ a", unordered()[name], eps=1.0)
    held = fit.call.data
    assert fit.prototypes.index.isin(held.index).all()
    assert fit.update(eps=0.5).call.data is held  # and are not read again


def test_rows_that_come_in_another_order_when_they_are_read_again_are_refused():
    c = duckdb.connect()
    c.sql("create table t as select i as a, i % 7 as b, if(i % 3 = 0, 'u', 'v') as y from range(500) t(i)")
    fit = pc.fit("y ~ a", c.sql("from t order by random()"), eps=0.1)
    with pytest.raises(pc.DataError, match=r"the rows, or their order, have changed since.*: call fit again, and sort"):
        fit.update("y ~ a + b")
    ordered = pc.fit("y ~ a", c.sql("from t order by random()").order("a"), eps=0.1)
    assert ordered.update("y ~ a + b").nobs == 500


def test_rows_that_are_sorted_at_last_are_read():
    tables = unordered()
    assert as_pandas(tables["polars join"].sort("a"))["a"].tolist() == [1, 2, 3, 4]
    assert as_pandas(tables["duckdb join"].order("a"))["a"].tolist() == [1, 2, 3]
    assert as_pandas(tables["duckdb group by"].order("y"))["a"].tolist() == [4, 2]
    assert as_pandas(tables["duckdb setting"].order("a desc"))["a"].tolist() == [2, 1]
    assert as_pandas(duckdb.sql("select sum(a) as a, count(*) as n from range(5) t(a)"))["a"].tolist() == [10]


@pytest.mark.parametrize("given", [iter([1]), (k for k in range(3)), 3, ["a", 1], [], b"a.csv", {"a": [1]}, np.zeros(3), dd, None])
def test_values_that_are_no_tables(given):
    with pytest.raises(pc.DataError, match="must be a DataFrame"):
        pc.fit("y ~ a", given, eps=1.0)


@pytest.mark.parametrize("values", [[{"x": 1}, {"x": 2}], [[1], [2]], [b"a", b"b"]])
def test_values_that_no_column_has_are_refused(values):
    table = ds.dataset(pa.table({"a": values * 2, "y": list("uvuv"), "k": [1.0, 2, 3, 4]}))
    with pytest.raises(pc.DataError, match=r"column 'a' contains (dict|ndarray|bytes): (convert it|make a column)"):
        pc.fit("y ~ .", table, eps=1.0)
    assert pc.fit("y ~ . - a", table, eps=1.0).nobs == 4


def test_columns_that_memory_refuses_are_refused(tmp_path):
    days = pd.DataFrame({"y": list("abab"), "day": pd.date_range("2020", periods=4), "k": [1.0, 2, 3, 4]})
    days.to_parquet(tmp_path / "a.parquet")
    messages = []
    for data in (days, tmp_path / "a.parquet", dd.from_pandas(days, npartitions=2)):
        with pytest.raises(pc.DataError) as error:
            pc.fit("y ~ day", data, eps=1.0)
        messages.append(str(error.value))
        assert pc.fit("y ~ k", data, eps=1.0, groups="day").nobs == 4
        assert pc.fit("day ~ k", data, "knn", k=1).classes == list(days.day)
    assert messages[0] == messages[1] == messages[2]
    for formula, more in {"y ~ z": {}, "z ~ k": {}, "y ~ k": {"weights": "kk"}, "y ~": {}, "y ~ . - z": {}}.items():
        said = []
        for data in (days, tmp_path / "a.parquet"):
            with pytest.raises(pc.ProtoclassError) as error:
                pc.fit(formula, data, eps=1.0, **more)
            said.append((type(error.value), str(error.value)))
        assert said[0] == said[1]


def test_an_old_polars_is_refused(monkeypatch):
    table = pl.LazyFrame({"y": ["u", "v"], "a": [1, 2]})
    monkeypatch.setattr("polars.__version__", "1.39.3")
    with pytest.raises(pc.DataError, match=r"a LazyFrame needs polars 1\.40 or newer, but this is 1\.39\.3:"):
        pc.fit("y ~ a", table, eps=1.0)


def test_errors_of_a_lazy_table_are_ours(tmp_path):
    for table in (pl.LazyFrame({"y": ["a"], "a": ["x"]}).with_columns(pl.col("a").cast(pl.Int64)),
                  duckdb.sql("select 'u' as y, cast(a as integer) as a from (values ('x')) v(a)"),
                  dd.from_pandas(pd.DataFrame({"y": ["a"], "a": ["x"]}), npartitions=1).map_partitions(lambda d: d.astype({"a": float}),
                                                                                                 meta={"y": str, "a": float})):  # fmt: skip
        with pytest.raises(pc.DataError, match="can't be read"):
            pc.fit("y ~ a", table, eps=1.0)


@pytest.mark.parametrize("hidden", [pytest.param(["pyarrow"], marks=pytest.mark.long), ["pyarrow", "polars"]])
def test_without_pyarrow_and_without_polars(folder, hidden):
    code = f"""
        import sys
        for name in {hidden}:
            sys.modules[name] = None
        import protoclass as pc
        folder = {str(folder)!r}
        print(pc.fit("y ~ a + text + whole", folder + "/one.csv", eps=0.1).nobs)
        try:
            fit = pc.fit("y ~ a + text + whole", folder + "/parquet", eps=0.1)
            print(fit.nobs, list(fit.classes), fit.prototypes.index.tolist())
        except pc.FileError as reason:
            print(reason)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    fit = pc.fit("y ~ a + text + whole", clinic(), eps=0.1)
    expected = f"{fit.nobs} {list(fit.classes)} {fit.prototypes.index.tolist()}"
    last = expected if len(hidden) == 1 else "needs pyarrow or polars, which are not installed"
    assert done.stdout.startswith(f"{fit.nobs}\n"), done.stderr
    assert last in done.stdout


LIMITED = """
import resource, sys
import numpy as np
import protoclass as pc
from protoclass.frames.frame import mold
from protoclass.frames.reading import read_for
mold("y ~ .", read_for(sys.argv[2], "y ~ .", {{}}))  # what is imported and compiled, and the buffers
used = int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1]) * 1024
limit = used + {room}
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
frame = mold("y ~ .", read_for(sys.argv[1], "y ~ .", {{}}))
print(len(frame), len(frame.dropped), sum(frame.columns[c].sum() for c in ("x0", "x1")))
"""


@needs_pandas_3
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit counts pages as Linux does")
def test_a_table_larger_than_memory_is_read(tmp_path):
    n, p = 1_000_000, 30  # 240 MB; some rows are dropped, so that the others move to another file
    x = np.arange(n) % 64.0
    x[7] = np.nan
    columns = {f"x{j}": x for j in range(p)} | {"y": np.where(np.arange(n) % 3, "u", "v")}
    pq.write_table(pa.table(columns), tmp_path / "long.parquet", row_group_size=100_000)
    pq.write_table(pa.table({k: v[:100_000] for k, v in columns.items()}), tmp_path / "short.parquet")
    code = LIMITED.format(room=2**27)
    paths = [str(tmp_path / name) for name in ("long.parquet", "short.parquet")]
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True)
    assert done.stdout.split()[:2] == [str(n - 1), "1"], done.stderr[-2000:]


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("protoclass.frames.reading.SMALLEST", 1)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    clinic().to_parquet(tmp_path / "a.parquet", row_group_size=50)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    calls = []

    def stop(rows):
        calls.append(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr("protoclass.frames.reading.bar", lambda *_: _Bar(stop))
    with pytest.raises(KeyboardInterrupt):
        pc.fit("y ~ a", tmp_path / "a.parquet", eps=0.1)
    assert calls
    assert os.listdir(tmp_path) == ["a.parquet"]
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before


class _Bar:
    def __init__(self, update):
        self.update = update

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_a_partition_is_sent_no_rows_of_the_fit(folder):
    """What predicts a partition is small, however many rows the fit has."""
    frame = pd.concat([clinic().dropna()] * 6, ignore_index=True)
    for method, more in {"pvm": {"eps": 0.5}, "kmeans": {"K": 2}}.items():
        fit = pc.fit("y ~ a + single + whole", frame, method, **more).calibrate(cv=2)
        light = for_new_rows(fit)
        for kind in ("class", "prob", "distance", "set"):
            ours, theirs = light.predictions(clinic().dropna(), kind), fit.predictions(clinic().dropna(), kind)
            assert ours.equals(theirs)
        assert len(pickle.dumps(light)) < len(pickle.dumps(fit)) / 2
    assert isinstance(pc.fit("y ~ a", folder / "one.csv", eps=0.1).call.data, Spooled)
