"""Columns may have any text as their name."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.frames.formula import name_columns

HOSTILE = [
    "C(a)",
    "log(x)",
    "poly(x, 3)",
    "scale(u)",
    "a b",
    "a_b",
    "it's",
    '"quoted"',
    "back`quote",
    "``",
    "`",
    "new\nline",
    "tab\t",
    "größe",
    "长度",
    "\ufb01",
    "fi",
    "a.b",
    "a:b",
    "a + b",
    "a~b",
    ".",
    "",
    " ",
    "1",
    "0",
    "1e5",
    "-1",
    "class",
    "None",
    "True",
    "lambda",
    "in",
    "log",
    "I",
    "np",
    "column_1_",
    "__FORMULAIC_STATE__",
    "x[0]",
    "{x}",
    "%in%",
    "y ~ x",
    "<b>",
    "$\\alpha$",
    "😀",
    "\u200b",
    "\x00",
    "a" * 500,
    "_",
    "__class__",
    "data",
]


def draw(n=40):
    values = np.random.default_rng(0).normal(size=(n, len(HOSTILE)))
    return pd.DataFrame(values, columns=HOSTILE).assign(y=["u", "v"] * (n // 2))


def plain(data):
    return data.set_axis([*(f"v{k}" for k in range(data.shape[1] - 1)), "y"], axis=1)


def test_all_of_them_at_once_under_a_dot():
    data = draw()
    one, two = pc.fit("y ~ .", data, eps=3.0), pc.fit("y ~ .", plain(data), eps=3.0)
    assert list(one.frame.design.columns) == HOSTILE
    np.testing.assert_array_equal(one.frame.design, two.frame.design)
    assert one.predict(data.iloc[::-1]).tolist() == two.predict(plain(data).iloc[::-1]).tolist()
    assert str(one.summary())
    assert one.augment().shape == two.augment().shape


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_each_in_backquotes_and_in_transforms(name):
    data = draw()[list(dict.fromkeys([name, "a b", "log(x)", "fi", "y"]))]
    data[name] = data[name].abs() + 1
    assert list(pc.fit("y ~ .", data, eps=1.0).frame.design.columns) == list(data.columns[:-1])
    if "`" in name:
        return
    for term, expected in (("`{}`", data[name]), ("log(`{}`)", np.log(data[name])), ("I(`{}` * 2)", data[name] * 2)):
        if name == "":
            continue
        design = pc.fit(f"y ~ {term.format(name)}", data, eps=1.0).frame.design
        np.testing.assert_array_equal(design.to_numpy()[:, 0], expected)
        if not name.isidentifier() or name == "class":
            assert list(design.columns) == [name if term == "`{}`" else term.format(name)]
    assert name not in pc.fit(f"y ~ . - `{name}`", data, eps=1.0).frame.columns


@pytest.mark.parametrize("name", ["C(a)", "log(x)", "a b", "\ufb01", "class"])
def test_categories_and_interactions_keep_the_names(name):
    data = pd.DataFrame({name: ["p", "q"] * 10, "z": np.arange(20.0) + 0.5, "y": ["u", "u", "v", "v"] * 5})
    fit = pc.fit("y ~ .", data, dissimilarity="euclidean", eps=1.0)
    assert list(fit.frame.design.columns) == [f"{name}[p]", f"{name}[q]", "z"]
    assert pc.fit("y ~ .", data, eps=0.3).dissimilarity.metric.name == "Gower"
    crossed = pc.fit(f"y ~ `{name}`:z", data, dissimilarity="euclidean", eps=1.0)
    assert list(crossed.frame.design.columns) == [f"{name}[p]:z", f"{name}[q]:z"]
    with pytest.raises(pc.errors.DataError, match=r"' has levels that the training data \('p', 'q'\) lack: 'r'"):
        fit.predict(data.assign(**{name: "r"}), unseen="raise")


def test_a_column_and_the_transform_of_its_name_are_two_things():
    data = pd.DataFrame(
        {"x": np.arange(1.0, 21), "log(x)": np.arange(20.0)[::-1], "C(x)": 1.5 * np.arange(20), "y": list("uv") * 10}
    )
    np.testing.assert_array_equal(pc.fit("y ~ log(x)", data, eps=1.0).frame.design.iloc[:, 0], np.log(data.x))
    np.testing.assert_array_equal(pc.fit("y ~ `log(x)`", data, eps=1.0).frame.design.iloc[:, 0], data["log(x)"])
    assert pc.fit("y ~ `C(x)` + x", data, eps=1.0).frame.schema["x"].kind == "numeric"
    with pytest.raises(pc.errors.DataError, match=r"two columns of the design matrix have the name 'log\(x\)': rename one in the data"):
        pc.fit("y ~ log(x) + `log(x)`", data, eps=1.0)
    with pytest.raises(pc.errors.FormulaError, match=r"'q' in .* is not a column"):
        pc.fit("y ~ log(q)", data, eps=1.0)


def test_what_a_transform_of_a_quoted_column_learned_serves_new_data():
    """With "a b" beside "a_b" formulaic once drew a new name in every call, and learned the scale anew at predict."""
    draw = np.random.default_rng(0)
    data = pd.DataFrame({"a b": draw.normal(5, 3, 40), "a_b": draw.normal(size=40), "y": list("uv") * 20})
    fit = pc.fit("y ~ scale(`a b`) + a_b", data, eps=1.0)
    new = fit.frame.again(data.iloc[:4])[0].design
    pd.testing.assert_frame_equal(new, fit.frame.design.iloc[:4])


@pytest.mark.parametrize("name", [1, None, ("a", 1), 2.5, np.nan, pd.Timestamp("2020"), b"x", True])
def test_names_that_are_not_text_are_refused_with_the_cure(name):
    data = pd.DataFrame({"x": np.arange(20.0), "y": list("uv") * 10})
    data.columns = pd.Index([name, "y"], tupleize_cols=False, dtype=object)
    with pytest.raises(
        pc.errors.DataError, match=r"is not: use data\.columns = data\.columns\.map\(str\)"
    ):
        pc.fit("y ~ .", data, eps=1.0)
    assert pc.fit("y ~ .", data.set_axis(data.columns.map(str), axis=1), eps=1.0).predict().notna().all()


def test_aliases_are_the_same_in_every_call_and_hit_no_column():
    names = name_columns(["column_1_", "a b", "x"], ["log"])
    assert dict(names.alias) == {"a b": "the_column_2_"}
    assert names.restore("log(the_column_2_):the_column_2_[u]") == "log(`a b`):a b[u]"
