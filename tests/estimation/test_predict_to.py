"""Predictions of files and streams of Arrow batches, written block by block: they are those of the same rows in memory."""

import datetime
import os
import warnings
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import protoclass as pc

N = 400
KINDS = ["class", "nearest", "distance", "prob", "set"]


@pytest.fixture(scope="module")
def rows():
    """Rows with a number, a category and gaps, and keys of several types."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, N)).round(2)
    data = pd.DataFrame({"id": np.arange(N)[::-1] + 2**60, "code": [f"{k:05}" for k in range(N)], "a": a, "b": b})
    data["g"] = rng.choice(["1", "2", "x"], N)
    data.loc[:60, "g"] = "1"  # in the first blocks of a CSV file a number
    data["day"] = [datetime.date(2020, 1, 1) + datetime.timedelta(k) for k in range(N)]
    data["y"] = np.where(a + rng.normal(size=N) > 0, "up", "down")
    data.loc[[5, 250], "a"] = np.nan
    data.loc[[7, 399], "g"] = None
    return data


@pytest.fixture(scope="module")
def fit(rows):
    return pc.fit("y ~ a + b + g", rows, eps=0.1).calibrate(cv=3)


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    rows.to_parquet(folder / "rows.parquet", row_group_size=70)
    rows.to_csv(folder / "rows.csv", index=False)
    return folder


@pytest.fixture
def small(monkeypatch):
    """Blocks of 37 rows."""
    monkeypatch.setattr("protoclass.frames.tables.rows_at_once", lambda columns: 37)


TEXTS = pyarrow.csv.ConvertOptions(column_types={"code": pa.string(), "g": pa.string()}, strings_can_be_null=True)
SOURCES = {
    "parquet": lambda p: p / "rows.parquet",
    "csv": lambda p: pyarrow.csv.open_csv(p / "rows.csv", convert_options=TEXTS),
    "polars": lambda p: pl.read_parquet(p / "rows.parquet"),
    "duckdb": lambda p: duckdb.connect().sql(f"from '{p}/rows.parquet'"),
    "dataset": lambda p: ds.dataset(p / "rows.parquet").scanner().to_reader(),
}


def same(got, fit, rows):
    """Whether a frame has what `predict` says of the rows, all in their order."""
    assert len(got) == len(rows)
    missing = rows[["a", "b", "g"]].isna().any(axis=1)
    for kind in ("class", "nearest"):
        expected = fit.predict(rows, kind).astype(object)
        assert got[kind].isna().tolist() == missing.tolist() == expected.isna().tolist()
        assert got.loc[~missing, kind].tolist() == expected[~missing].tolist()
    for kind in ("distance", "prob"):
        expected = fit.predict(rows, kind)
        np.testing.assert_array_equal(got[[f"{kind}_{c}" for c in fit.classes]].to_numpy(float), expected.to_numpy())
    for c in fit.classes:
        expected = [None if s is None else c in s for s in fit.predict(rows, "set")]
        assert got[f"set_{c}"].astype(object).where(got[f"set_{c}"].notna(), None).tolist() == expected


@pytest.mark.parametrize("out", ["out.parquet", "out.csv"])
@pytest.mark.parametrize("name", SOURCES)
def test_a_file_has_what_predict_says(name, out, rows, fit, folder, tmp_path, small):
    path = fit.predict_to(SOURCES[name](folder), tmp_path / out, ["id", "code"], KINDS)
    got = pd.read_parquet(path) if out == "out.parquet" else pd.read_csv(path, dtype={"code": str, "id": str})
    assert list(got) == ["id", "code", "class", "nearest", *(f"{kind}_{c}" for kind in KINDS[2:] for c in ("down", "up"))]
    assert got["id"].astype(str).tolist() == rows["id"].astype(str).tolist()  # beyond the integers that floats hold
    assert got["code"].tolist() == rows["code"].tolist()  # zeros in front are kept
    same(got, fit, rows)
    assert os.listdir(tmp_path) == [out]


def test_the_nearest_prototype_is_named_by_the_key(rows, fit, folder, tmp_path, small):
    def nearest(one, key):
        path = one.predict_to(folder / "rows.parquet", tmp_path / "out.parquet", key, "nearest", overwrite=True)
        return [name for name in pq.read_table(path)["nearest"].to_pylist() if name is not None]

    labels, means = fit.predict(rows, "nearest").dropna(), pc.fit("y ~ a + b", rows, "kmeans", K=2)
    assert nearest(fit, "code") == labels.map(rows["code"]).tolist()
    assert nearest(fit, ["code", "id"]) == labels.tolist()
    assert nearest(fit.slim(), "code") == labels.tolist()  # stores no data
    assert nearest(means, "code") == means.predict(rows, "nearest").dropna().tolist()


def test_keys_keep_their_type_and_their_gaps(rows, fit, tmp_path, small):
    keys = {
        "int": [None if k % 50 == 3 else 2**60 + k for k in range(N)],
        "decimal": [None if k == 0 else Decimal(k) / 10 for k in range(N)],
        "time": [datetime.datetime(2020, 1, 1, microsecond=k) for k in range(N)],
        "list": [[k, None] for k in range(N)],
    }
    table = pa.table(keys | {c: pa.array(rows[c], from_pandas=True) for c in ("a", "b", "g")})
    pq.write_table(table, tmp_path / "rows.parquet")
    for source in (tmp_path / "rows.parquet", pl.read_parquet(tmp_path / "rows.parquet"), duckdb.sql(f"from '{tmp_path}/rows.parquet'")):
        got = pq.read_table(fit.predict_to(source, tmp_path / "out.parquet", list(keys), overwrite=True))
        assert {name: got[name].to_pylist() for name in keys} == keys
    got = pq.read_table(fit.predict_to(tmp_path / "rows.parquet", tmp_path / "out.parquet", overwrite=True))
    assert got.column_names == ["class"]


def test_a_source_without_rows(fit, rows, tmp_path):
    rows.iloc[:0].to_parquet(tmp_path / "none.parquet")
    for one in (fit, fit.slim()):
        got = pq.read_table(one.predict_to(tmp_path / "none.parquet", tmp_path / "out.parquet", "id", ["class", "prob"], overwrite=True))
        assert (got.num_rows, got.column_names) == (0, ["id", "class", "prob_down", "prob_up"])


def test_decisions_are_those_of_predict(fit, rows, folder, tmp_path, small):
    loss = pd.DataFrame([[0, 1], [5, 0]], ["down", "up"], ["down", "up"])
    for how in ({"loss": loss}, {"prior": {"down": 0.9, "up": 0.1}}, {"threshold": {"up": 0.2}}):
        got = pd.read_parquet(fit.predict_to(folder / "rows.parquet", tmp_path / "out.parquet", overwrite=True, **how))
        assert got["class"].astype(object).fillna("").tolist() == fit.predict(rows, **how).astype(object).fillna("").tolist()
    assert not fit.predict(rows).equals(fit.predict(rows, loss=loss))


def test_unseen_levels_are_said_once_with_their_rows(rows, tmp_path, small):
    other = rows.assign(g=rows["g"].replace("x", "new"))
    other.to_parquet(tmp_path / "other.parquet")
    fit, out = pc.fit("y ~ a + b + g", rows, eps=0.3, dissimilarity="euclidean"), tmp_path / "out.csv"
    with pytest.warns(pc.DataWarning, match=rf"'new' \({(other.dropna()['g'] == 'new').sum()} rows\)") as said:
        fit.predict_to(tmp_path / "other.parquet", out, "id")
    assert len(said) == 1
    before = out.read_bytes()
    with pytest.raises(pc.errors.DataError, match=r"column 'g' has levels that the training data \('1', '2', 'x'\) lack: 'new'"):
        fit.predict_to(tmp_path / "other.parquet", out, "id", unseen="raise", overwrite=True)
    assert out.read_bytes() == before
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit.predict_to(tmp_path / "other.parquet", out, "id", unseen="zero", overwrite=True)
        assert pd.read_csv(out)["class"].fillna("").tolist() == fit.predict(other, unseen="zero").astype(object).fillna("").tolist()


REFUSED = {
    "lazy": (lambda p, rows: (pl.scan_parquet(p / "rows.parquet"), p / "out.csv"), {}, pc.errors.DataError,
        r"source must be a path, a list of paths or a stream of Arrow batches, not LazyFrame: write.*sink_parquet"),
    "csv": (lambda p, rows: (p / "rows.csv", p / "out.csv"), {}, pc.errors.DataError, r"use pyarrow.csv.open_csv\(path\), or predict"),
    "ending": (lambda p, rows: (p / "rows.parquet", "out.json"), {}, pc.errors.OptionError, "ends in .parquet or .csv"),
    "one column": (lambda p, rows: (p / "rows.parquet", p / "out.csv"), {"key": None}, pc.errors.OptionError, "of one column"),
    "itself": (lambda p, rows: (p / "rows.parquet", p / "rows.parquet"), {"overwrite": True}, pc.errors.OptionError, "is also an input"),
    "there": (lambda p, rows: (p / "rows.parquet", p / "there.parquet"), {}, pc.errors.OptionError, "already exists: use overwrite"),
    "key": (lambda p, rows: (p / "rows.parquet", p / "out.csv"), {"key": "ident"}, pc.errors.DataError, "key='ident' is not a column"),
    "keys": (lambda p, rows: (p / "rows.parquet", p / "out.csv"), {"key": ["id", "id"]}, pc.errors.DataError,
        "the output column label 'id' occurs more than once: rename one of them"),
    "kind": (lambda p, rows: (p / "rows.parquet", p / "out.csv"), {"kind": []}, pc.errors.OptionError,
        r"kind must be 'class', 'distance', 'nearest',.*: class, distance, nearest,"),
    "column": (lambda p, rows: (p / "there.parquet", p / "out.csv"), {}, pc.errors.DataError, r"lack the columns \['g'\]"),
    "query": (lambda p, rows: (duckdb.sql("select cast(i::varchar || 'x' as int) as a, 2 as b, 'x' as g, i as id from range(9) t(i)"),
        p / "out.csv"), {}, pc.errors.DataError, "the duckdb DuckDBPyRelation can't be read: .*Could not convert string"),
    "folder": (lambda p, rows: (p / "rows.parquet", p / "none" / "out.csv"), {}, pc.errors.FileError, "can't be written"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_leaves_no_file(case, rows, fit, tmp_path):
    given, how, error, words = REFUSED[case]
    rows.to_parquet(tmp_path / "rows.parquet")
    rows.to_csv(tmp_path / "rows.csv")
    rows.drop(columns="g").to_parquet(tmp_path / "there.parquet")
    with pytest.raises(error, match=words):
        fit.predict_to(*given(tmp_path, rows), **{"key": "id"} | how)
    assert sorted(os.listdir(tmp_path)) == ["rows.csv", "rows.parquet", "there.parquet"]


def test_an_error_names_the_row_of_the_source(fit, rows, tmp_path, small):
    rows.assign(b=rows["b"].where(rows.index != 150, np.inf)).to_parquet(tmp_path / "rows.parquet")
    plain = pc.fit("y ~ a + b", rows, eps=0.2)
    with pytest.raises(pc.errors.DataError, match="column 'b' is inf at row 150"):
        plain.predict_to(tmp_path / "rows.parquet", tmp_path / "out.parquet", "id")
    assert os.listdir(tmp_path) == ["rows.parquet"]


def test_an_interrupt_leaves_the_old_file(fit, folder, tmp_path, small, monkeypatch):
    (tmp_path / "out.csv").write_text("old")
    calls = []

    def stop(self, *given, **decision):
        calls.append(given)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return answer_rows(self, *given, **decision)

    answer_rows = type(fit)._answer_rows
    monkeypatch.setattr(type(fit), "_answer_rows", stop)
    with pytest.raises(KeyboardInterrupt):
        fit.predict_to(folder / "rows.parquet", tmp_path / "out.csv", "id", overwrite=True)
    assert os.listdir(tmp_path) == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"
