"""Frames of other libraries: what pyarrow would make of them, without pyarrow."""

import datetime
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pytest

import protoclass as pc
from protoclass.frames.tables import as_pandas

COLUMNS = {
    "whole": pl.Series([1, 2, 3], dtype=pl.Int8),
    "gaps": pl.Series([1, None, 3]),
    "large": pl.Series([1, 2, 2**63 + 1], dtype=pl.UInt64),
    "real": pl.Series([0.1, None, float("nan")]),
    "single": pl.Series([0.1, 0.2, 0.3], dtype=pl.Float32),
    "flag": pl.Series([True, False, True]),
    "flag_gaps": pl.Series([True, None, False]),
    "text": pl.Series(["a", None, ""]),
    "enum": pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "mid", "hi"])),
    "day": pl.Series([datetime.date(2020, 1, 31), None, datetime.date(1900, 1, 1)]),
    "time": pl.Series([datetime.datetime(2020, 1, 31, 5), None, datetime.datetime(1900, 1, 1)]),
    "zone": pl.Series([datetime.datetime(2020, 1, 31, 5)] * 3).dt.replace_time_zone("Europe/Paris"),
    "nothing": pl.Series([None, None, None]),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("rows", [3, 0])
def test_polars_columns_are_as_pyarrow_makes_them(name, rows):
    table = pl.DataFrame({name: COLUMNS[name]}).head(rows)
    ours, theirs = as_pandas(table), table.to_pandas()
    if name in ("day", "time", "zone"):  # pandas and pyarrow count in other units, which depend on their versions
        ours = ours.astype(theirs.dtypes if rows else object)
    if name == "enum":  # versions of pyarrow before 16 forget that its levels are ordered
        assert ours[name].cat.ordered
        theirs[name] = theirs[name].cat.as_ordered()
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=rows > 0, check_index_type=False, check_column_type=False)


def test_levels_of_a_polars_categorical_are_sorted_whatever_the_process_saw_before():
    pl.Series(["z", "q", "m"], dtype=pl.Categorical)
    made = as_pandas(pl.DataFrame({"c": pl.Series(["m", None, "b"], dtype=pl.Categorical)}))["c"]
    assert made.cat.categories.tolist() == ["b", "m"]
    assert not made.cat.ordered
    assert made.isna().tolist() == [False, True, False]


def test_a_fit_to_polars_needs_no_pyarrow():
    code = """
        import sys
        sys.modules["pyarrow"] = None
        import polars as pl, protoclass as pc
        iris = pc.load_data("iris")
        table = pl.DataFrame({c: iris[c].astype(object if c == "species" else float).tolist() for c in iris})
        fit = pc.fit("species ~ .", table, eps=1.0)
        assert fit.predict(table).to_list() == pc.fit("species ~ .", iris, eps=1.0).predict().tolist()
        assert fit.augment(table).shape[0] == 150
        print("fitted")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.stdout.strip() == "fitted", done.stderr


def test_what_is_no_table_is_refused():
    for other in (np.zeros((3, 2)), {"x": [1]}, [], None, pl.Series([1])):
        with pytest.raises(pc.errors.DataError, match=f"must be a DataFrame .* not {type(other).__name__}"):
            as_pandas(other)
