"""Tables that go back to the library that they came from, or on to others; the list of data sets."""

import pandas as pd
import pytest
from words import DATA

import protoclass as pc


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_what_came_from_a_library_goes_back_to_it(library, tmp_path):
    polars = pytest.importorskip("polars")
    pytest.importorskip(library)
    gaps = DATA.assign(x=DATA["x"].mask(DATA.index == 3))
    table = polars.DataFrame({c: gaps[c].tolist() for c in gaps}).with_columns(polars.col("x").fill_nan(None))
    table = table if library == "polars" else table.to_arrow()
    plain, other = (pc.fit("y ~ x + z", d, eps=1.0).calibrate(cv=3) for d in (gaps, table))

    def as_lists(frame):
        frame = polars.from_arrow(frame) if library == "pyarrow" else frame
        return frame.to_dict(as_series=False)

    def plain_lists(frame):
        frame = frame.astype(object).where(frame.notna(), None)
        return {str(c): frame[c].tolist() for c in frame}

    for kind in ("class", "nearest", "cover"):
        got = other.predict(kind=kind)
        assert type(got).__module__.startswith(library)
        assert len(got) == 24
        got = got.to_list() if library == "polars" else got.to_pylist()
        expected = plain.predict(kind=kind).reindex(gaps.index).astype(object)
        assert got == expected.where(expected.notna(), None).tolist()  # the row that was dropped is null
        assert got[3] is None
    for kind in ("distance", "prob"):
        assert as_lists(other.predict(table, kind)) == plain_lists(plain.predict(gaps, kind))
    sets = other.predict(table, "set")
    sets = sets.to_list() if library == "polars" else sets.to_pylist()
    assert [None if s is None else tuple(s) for s in sets][4:] == plain.predict(gaps, "set").tolist()[4:]
    assert as_lists(other.tidy()) == plain_lists(plain.tidy())
    assert as_lists(other.glance()) == plain_lists(plain.glance())
    augmented, expected = as_lists(other.augment(table)), plain_lists(plain.augment(gaps))
    assert list(augmented) == list(expected)
    assert augmented == expected
    assert isinstance(other.predict(gaps), pd.Series)  # pandas in, pandas out
    assert repr(other.test(table)) == repr(plain.test(gaps))
    assert str(other.summary())
    assert other.report(tmp_path / "fit.html").exists()
    v = pc.cross_validate("y ~ x + z", table, "knn", k=[1, 3], cv=3)
    w = pc.cross_validate("y ~ x + z", gaps, "knn", k=[1, 3], cv=3)
    assert as_lists(v.tidy()) == plain_lists(w.tidy())


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_labels_of_several_types_are_texts_there(library):
    polars = pytest.importorskip("polars")
    pytest.importorskip(library)
    eager = polars.DataFrame({c: DATA[c].tolist() for c in DATA})
    table = eager if library == "polars" else eager.to_arrow()
    for labels in ([k if k // 4 % 2 else f"row {k}" for k in range(24)], [(k, "a") for k in range(24)]):
        fit = pc.fit("y ~ x + z", DATA.set_axis(pd.Index(labels, tupleize_cols=False)), eps=1.0)
        names = fit.predict(DATA, "nearest")
        for found in (fit.predict(table, "nearest"), fit.augment(table)["prototype"]):
            found = found.to_list() if library == "polars" else found.to_pylist()
            assert found == names.map(str).tolist()
