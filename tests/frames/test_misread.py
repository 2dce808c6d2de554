"""Data that were read wrongly are named at the door, with the line that reads them right."""

import io
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import protoclass as pc
from protoclass.__main__ import main
from protoclass.frames.frame import mold
from protoclass.frames.tables import as_pandas
from protoclass.sklearn import PrototypeClassifier

N = 40
DRAW = np.random.default_rng(0)
X = (DRAW.normal(size=N) * 1000).round(2)
WHOLE = DRAW.integers(1000, 10**6, N)


def rows(**columns):
    return pd.DataFrame({"a": DRAW.normal(size=N), "y": ["u", "v"] * (N // 2)}).assign(**columns)


def continental(value, thousands="."):
    return f"{value:,.2f}".replace(",", "#").replace(".", ",").replace("#", thousands)


WRITTEN = {  # of each number
    "decimal comma": lambda v: str(v).replace(".", ","),
    "thousands and decimals": lambda v: f"{v:,.2f}",
    "thousands by points": lambda v: continental(v),
    "thousands by narrow blanks": lambda v: continental(v, "\u202f"),
    "percent": lambda v: f"{v}%",
    "euros": lambda v: continental(v) + " €",
    "unit": lambda v: f"{v} mg/dL",
    "minus in brackets": lambda v: f"({-v:,.2f})" if v < 0 else f"{v:,.2f}",
    "minus of typesetters": lambda v: str(v).replace("-", "\u2212").replace(".", ","),
    "quoted by Excel": lambda v: f'="{v}"',
    "minus before dollars": lambda v: f"${v}".replace("$-", "-$"),
}
NUMBERS = {  # the texts, and the numbers that they mean
    **{name: (list(map(write, X)), X) for name, write in WRITTEN.items()},
    "thousands": ([f"{v:,}" for v in WHOLE], WHOLE),
    "few numbers with decimals and a unit": ([f"{v}.5kg" for v in (1, 2) * (N // 2)], [1.5, 2.5] * (N // 2)),
    "decimal comma or point": ([str(v).replace(".", ",") if k % 2 else str(v) for k, v in enumerate(X)], X),
    "groups of two": (["1,23,456", "12,34,567.5"] * (N // 2), [123456, 1234567.5] * (N // 2)),
    "footnotes": ([f"{v}*" if k % 3 else f"{v} (a)" for k, v in enumerate(X)], X),
    "estimates": ([f"~{v} kg/m2" for v in abs(X)], abs(X)),
    "several placeholders": (["n.a.", "unknown", "", *map(str, X[3:])], [np.nan] * 3 + [*X[3:]]),
    "bound": (["<0.5", *map(str, abs(X[1:]))], [0.5, *abs(X[1:])]),
    "dash": (["-", *map(str, X[1:])], [np.nan, *X[1:]]),
    "a word among many": (["see file", *map(str, X[1:])], [np.nan, *X[1:]]),
    "exponents of dollars": (["$1e5", "<1e-5", "$2,000", "$2E+3", "1.e2"] * (N // 5), [1e5, 1e-5, 2000, 2000, 100] * (N // 5)),
    "exponents and units": (["1e2", "1.5e3", "10 kg"] * 10 + ["5e-3"] * (N - 30), [100, 1500, 10] * 10 + [0.005] * (N - 30)),
    "dates": ([f"2024-03-{1 + k % 28:02}" for k in range(N)], 2460370.5 + np.arange(N) % 28),
    "days first": ([f"{1 + k % 28:02}.03.2024" for k in range(N)], 2460370.5 + np.arange(N) % 28),
    "zero date": (["0000-00-00", "2024-03-01 12:00"] * (N // 2), [np.nan, 2460371.0] * (N // 2)),
    "offsets": ([f"2024-03-01T12:00:00+0{1 + k % 2}:00" for k in range(N)], [2460371 - (1 + k % 2) / 24 for k in range(N)]),
    "durations": (["0 days 00:00:30", "1 days 00:00:00"] * (N // 2), [30, 86400] * (N // 2)),
    "times": ([f"12:{k:02}" for k in range(N)], 43200.0 + 60 * np.arange(N)),
}


@pytest.mark.parametrize(("texts", "meant"), NUMBERS.values(), ids=NUMBERS)
def test_texts_that_are_numbers_or_dates_name_the_line_that_converts_them(texts, meant):
    data = rows(x=texts)
    with pytest.raises(pc.errors.DataError, match=r"column 'x' is text that seems to be numbers or dates, such as ") as raised:
        mold("y ~ .", data)
    line = re.search(r": use (.*), or data\['x'\].astype\('category'\)", str(raised.value)).group(1)
    if line.startswith("pd.read_csv("):
        file = io.StringIO(data[["x", "y"]].to_csv(index=False, sep="\t"))
        data = eval(line.replace("...", "file, sep='\\t'"), {"pd": pd, "file": file})
    else:
        exec(line, {"pd": pd, "data": data})
    np.testing.assert_allclose(data["x"], np.asarray(meant, float))
    assert mold("~ x", data, response=False).schema["x"].kind == "numeric"


@pytest.mark.parametrize(
    "texts",
    [["1", "2", "3"], ["1.0", "2.0"], ["3B", "4C", "12B", "12A", "13C", "2A", "1C", "7B", "8A", "9C", "5A", "6B"], ["TRUE", "FALSE"],
     ["02139", *map(str, range(10_000, 10_030))], ["10-19", "20-29", "30+"], ["10 mg", "20 mg"], ["<=50K", ">50K"], ["<18", "18-65", ">65"],
     ["192.168.0.1", "10.0.0.2"], ["E11.9", "I10"], ["1.2.3", "2.0.1"], ["1,2", "1,2,3", "2"], ["1st", "2nd"], ["y", "n", "?"],
     ["120/80", "130/85"], ["ACGT", "GG"], ["-", ""], ["0110", "1011"], [f"P{k:03}" for k in range(N)], ["1", "2", "other"]],
    ids=lambda texts: texts[0],
)  # fmt: skip
def test_codes_and_categories_stay_categories(texts):
    assert mold("y ~ .", rows(x=np.resize(np.array(texts, object), N))).schema["x"].kind == "category"


def test_texts_that_are_meant_as_categories_stay_so(tmp_path):
    data = rows(x=NUMBERS["decimal comma"][0])
    for formula, given in (("y ~ .", data.assign(x=data["x"].astype("category"))), ("y ~ a + C(x)", data), ("y ~ . - x", data)):
        mold(formula, given)
    data.to_csv(tmp_path / "rows.csv", index=False)
    for given in (tmp_path / "rows.csv", pl.from_pandas(data), pl.from_pandas(data).lazy(), data.astype({"x": "string"})):
        with pytest.raises(pc.errors.DataError, match=r"decimal=','"):
            pc.fit("y ~ log(x)", given, "knn", k=1)
    with pytest.raises(pc.errors.DataError, match=r"column 'x' was numeric in the training data, .*decimal=','"):
        pc.fit("y ~ x", data.assign(x=X), "knn", k=1).predict(data)
    with pytest.raises(pc.errors.DataError, match=r"na_values=\['-'\]"):
        mold("y ~ .", data.assign(x=["-", *X[1:]]))


def test_dates_and_decimals_of_other_types():
    with pytest.raises(pc.errors.DataError, match="contains dates, but distances need numbers: use ") as raised:
        mold("y ~ .", data := rows(x=pd.date_range("2024-03-01", periods=N)))
    exec(str(raised.value).split(": use ")[1], {"pd": pd, "data": data})
    assert mold("y ~ .", data).design["x"].diff().iloc[1:].eq(1).all()
    decimals = pl.from_pandas(rows()).with_columns(x=pl.Series([Decimal(k) / 8 for k in range(N)]))
    for table in (decimals, decimals.to_arrow()):
        assert mold("y ~ x", as_pandas(table)).design["x"].tolist() == [k / 8 for k in range(N)]
    when = pd.Series(pd.date_range("2024-03-01", periods=N))
    for values in (when - when[0], [b"1", b"2"] * (N // 2), [Decimal(k) / 8 for k in range(N)]):
        with pytest.raises(pc.errors.DataError, match="convert it, ") as raised:
            mold("y ~ x", data := rows(x=values))
        exec(str(raised.value).split("convert it, ")[1], {"pd": pd, "data": data})
        assert mold("y ~ x", data).schema["x"].kind == ("category" if values[0] == b"1" else "numeric")
    with pytest.raises(pc.errors.DataError, match=r"contains period.*: convert it to numbers, texts"):
        mold("y ~ x", rows(x=when.dt.to_period("D")))


@pytest.mark.parametrize("sep", [";", "\t", "|"])
def test_another_separator_is_named(sep, tmp_path, capsys):
    table = rows(b=X, c=X + 1)
    path = tmp_path / "rows.csv"
    for decimal, quoting in ((".", 0), (",", 0), (",", 1)):
        table.to_csv(path, index=False, sep=sep, decimal=decimal, quoting=quoting)
        told = re.escape(f"use pd.read_csv(path, sep={sep!r})")
        with pytest.raises(pc.errors.DataError, match=told):
            pc.fit("y ~ .", path, "knn", k=1)
        with pytest.raises(pc.errors.DataError, match=told):
            pc.fit("y ~ .", pd.DataFrame(columns=[sep.join(table)], data=["1"]), "knn", k=1)
    if sep == ";":  # lines of several lengths, as decimal commas make them
        path.write_text("a;b;y\n1,5;2;u\n1;2;v\n1,5;2,5;u\n")
        assert main(["y ~ .", str(path)]) == 2
        assert "sep=';'" in capsys.readouterr().err
    fit = pc.fit("y ~ a", rows(), "knn", k=1)
    with pytest.raises(pc.errors.DataError, match=told):
        fit.predict(pd.DataFrame(columns=[f"a{sep}b"], data=[f"1{sep}2"]))
    if sep != "|":
        with pytest.raises(pc.errors.DataError, match="contains the separator"):
            mold("~ .", pd.DataFrame({"x": [f"1{sep}2", f"3{sep}4"]}), response=False)
    mold("~ .", pd.DataFrame({"x": ["A|G", "G|G"]}), response=False)
    mold("~ .", pd.DataFrame({"my sequence": ["A G", "G"]}), response=False)
    with pytest.raises(pc.errors.DataError, match="sep=' '"):
        mold("y ~ .", pd.DataFrame({"x y": ["1 2", "3 4"]}))


NUMBERED = {
    "Unnamed: 0": np.arange(N), "Unnamed: 0.1": [f"row {k}" for k in range(N)], "": np.arange(N), "X": np.arange(N) + 1,
    "index": np.arange(N), "n": np.arange(N) + 1.0, "id": 7 * np.arange(N) + 10_000, "patient_id": DRAW.permutation(10**6)[:N],
    "row": DRAW.permutation(N), "case": [np.nan, *range(2, N + 1)], "part": np.sort(DRAW.permutation(50)[:N]),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERED)
def test_row_numbers_are_no_predictors_unless_they_are_written(name, tmp_path):
    data = rows()
    data.insert(0, name, NUMBERED[name])
    told = re.escape(f"column {name!r} numbers or identifies the rows")
    with pytest.raises(pc.errors.DataError, match=told) as raised:
        mold("y ~ .", data)
    for minus in re.findall(r"'- (\S.*?)' to leave it out", str(raised.value)) if name else []:
        assert list(mold(f"y ~ . - {minus}", data).columns) == ["a"]
        assert list(mold(f"y ~ . + {minus}", data).columns) == [name, "a"]
    if name:
        data.to_csv(tmp_path / "rows.csv", index=False)
        with pytest.raises(pc.errors.DataError, match=told):
            pc.fit("y ~ .", tmp_path / "rows.csv", "knn", k=1)
        assert list(mold("y ~ .", pd.read_csv(tmp_path / "rows.csv", index_col=0)).columns) == ["a"]


@pytest.mark.parametrize(
    "column",
    [20 + DRAW.permutation(N), 1990 + np.arange(N), 1700 + np.arange(N)[::-1],
     np.arange(N) // 2, 10 * np.arange(N), DRAW.integers(0, 60, N), WHOLE, np.arange(N) + 0.5, -np.arange(N), X],
)  # fmt: skip
def test_measurements_are_no_row_numbers(column):
    assert "x" in mold("y ~ .", rows(x=column)).columns
    assert "x" in mold("y ~ .", pd.DataFrame({"x": np.arange(N), "y": ["u", "v"] * (N // 2)})).columns  # `.` is this column alone


def test_columns_given_as_values_leave_the_dot_as_their_names_do():
    data = rows(p=np.arange(N) // 2, w=DRAW.random(N) + 1)
    others = [data["p"].astype(kind) for kind in (str, float, "category")]
    for groups in ("p", data["p"], *others, data["p"].sample(frac=1, random_state=0).rename("other"), data["p"].tolist()):
        for weights in ("w", data["w"]):
            fit = pc.fit("y ~ .", data, "pvm", eps=[0.5, 1.0], groups=groups, weights=weights)
            assert list(fit.frame.columns) == ["a"]
    folds = data.assign(fold=np.arange(N) // 2 % 5)
    for cv in (folds["fold"], folds["fold"].to_numpy()):
        assert list(pc.fit("y ~ . - p - w", folds, "knn", k=[1, 3], cv=cv).frame.columns) == ["a"]
    with pytest.raises(pc.errors.DataError, match="cv folds have shape"):
        pc.fit("y ~ a", data, "knn", k=[1, 3], cv=[1, 2])
    compared = [pc.compare("y ~ .", data, methods=["knn"], groups=groups, cv=3, seed=1).results["error"] for groups in ("p", data["p"])]
    assert compared[0].equals(compared[1])


def test_responses_of_numbers():
    for classes in (np.repeat(np.arange(60), 6), np.resize([1, 1.5, 2], 30)):
        data = pd.DataFrame({"a": DRAW.normal(size=len(classes)), "y": classes})
        assert len(pc.fit("y ~ a", data, "knn", k=1).classes) == len(set(classes))
    with pytest.raises(pc.errors.DataError, match="is continuous"):
        pc.fit("y ~ a", rows(y=np.resize([1.0, np.inf], N)), "knn", k=1)
    data = rows(y=X)
    with pytest.raises(pc.errors.DataError, match="is continuous or has classes of one or two rows"):
        pc.fit("y ~ a", data, "knn", k=1)
    with pytest.raises(pc.errors.DataError, match=r"column 'y' is text that seems to be numbers.*decimal=','"):
        pc.fit("y ~ a", rows(y=[str(v).replace(".", ",") for v in X]), "knn", k=1)
    for cure in (data["y"].astype("category"), pd.cut(data["y"], 3)):
        pc.fit("y ~ a", data.assign(y=cure), "knn", k=1)


def test_one_class_says_why():
    data = rows(b=[1.0, None] * (N // 2))
    with pytest.raises(pc.errors.DataError, match=rf"one class, 'u' in the {N // 2} rows .*'b' \({N // 2}\).*na='keep'"):
        pc.fit("y ~ .", data, "knn", k=1)
    table = "a,y\n" + "1.5,NA\n2.5,DE\n" * 5
    with pytest.raises(pc.errors.DataError, match="keep_default_na=False"):
        pc.fit("y ~ a", pd.read_csv(io.StringIO(table)), "knn", k=1)
    assert len(pc.fit("y ~ a", pd.read_csv(io.StringIO(table), keep_default_na=False), "knn", k=1).classes) == 2


def test_numbers_that_may_be_codes_are_noted():
    data = rows(race=np.resize([1, 2, 3], N), thal=np.resize([3.0, 6.0, 7.0, np.nan], N), children=np.resize([0, 1, 2, 3], N), b=X, c=X + 1)
    fit = pc.fit("y ~ .", data, "knn", k=1)
    note = "numbers that may be codes: race (1, 2, 3), thal (3, 6, 7); .astype('category') makes categories of them"
    assert note in fit.frame.notes
    assert note in str(fit)
    assert not mold("y ~ .", rows(b=[8, *np.resize([0, 1, 3], N - 1)], c=X)).notes  # a rare number
    assert not mold("y ~ a + C(race)", data).notes
    assert not mold("y ~ race + thal + children", data).notes  # a table of grades or counts


def test_labels_that_differ_only_by_blanks_or_case():
    data = rows(y=["u", "v", "u ", "V"] * (N // 4))
    with pytest.warns(pc.DataWarning, match=r"classes of 'y' differ only by blanks or case, 'u', 'u '"):
        pc.fit("y ~ a", data, "knn", k=1)
    for other in ("u\xa0", "\ufeffu", "\uff55"):
        with pytest.warns(pc.DataWarning, match=r"classes of 'y' differ only by blanks or case, 'u'"):
            mold("y ~ a", rows(y=["u", "v", other, "w"] * (N // 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mold("y ~ a", rows(y=["hAd", "had", "hId", "hid"] * (N // 4)))  # vowels
    with pytest.warns(pc.DataWarning, match=r"levels of 'g' differ only by blanks or case, 'f', 'f '"):
        mold("y ~ .", rows(g=["f", "m", "f ", "m"] * (N // 4)))


def test_levels_of_whole_numbers_are_found_in_new_numbers():
    data = rows(g=np.resize([1, 2, 3], N))
    fit = pc.fit("y ~ .", data.astype({"g": "category"}), "knn", k=1)
    for new in (data, data.astype({"g": float})):
        assert fit.predict(new).tolist() == fit.predict().tolist()
    with pytest.raises(pc.errors.DataError, match=r"astype\(str\)"):
        pc.fit("y ~ .", data.astype({"g": str}), "knn", k=1).predict(data)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_encodings_are_named(encoding, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    rows(city="Köln").to_csv(path, index=False, encoding=encoding)
    with pytest.raises(pc.errors.FileError, match=f"encoding='{encoding}'"):
        pc.fit("y ~ a", path, "knn", k=1)
    pc.fit("y ~ a", pd.read_csv(path, encoding=encoding), "knn", k=1)
    assert main(["y ~ a", str(path)]) == 2
    assert f"encoding='{encoding}'" in capsys.readouterr().err


def test_readers_of_other_files_are_named(tmp_path):
    for name in ("rows.feather", "rows.arrow"):
        rows().to_feather(tmp_path / name)
        with pytest.raises(pc.errors.FileError, match=r"pd.read_feather\(path\)"):
            pc.fit("y ~ .", tmp_path / name, "knn", k=1)
        pc.fit("y ~ .", pd.read_feather(tmp_path / name), "knn", k=1)


def test_dictionaries_are_told_how_to_become_tables():
    from sklearn.datasets import load_iris

    fit = pc.fit("y ~ .", rows(), "knn", k=1)
    with pytest.raises(pc.errors.DataError, match=r"pd.DataFrame\(\[row\]\)"):
        fit.predict({"a": 0.5})
    with pytest.raises(pc.errors.DataError, match=r"as_frame=True\).frame"):
        pc.fit("target ~ .", load_iris(), "knn", k=1)


@pytest.mark.parametrize("given", [{"weights": "distance"}, {"groups": [1, 2]}, {"data": 1}])
def test_arguments_of_fit_are_no_parameters_of_estimators(given):
    with pytest.raises(pc.errors.OptionError, match=r"is not a parameter of PrototypeClassifier: (use|leave it out)"):
        PrototypeClassifier("knn", k=3, **given).fit(rows()[["a"]], rows()["y"])
    with pytest.raises(pc.errors.OptionError) as raised:
        PrototypeClassifier("knn", k=3).set_params(**given)
    assert "did you mean" not in str(raised.value)
