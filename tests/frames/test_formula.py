"""Formulas: their expansion is formulaic's, and what is out of all proportion is refused before it is made."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protoclass as pc
from protoclass.frames.formula import _parse, name_columns, read
from protoclass.frames.terms import for_formulaic, sum_of_columns

COLUMNS = ["a", "b", "c", "d"]
ATOMS = st.sampled_from([*COLUMNS, ".", "log(a)", "1"])


def joined(parts):
    pairs = st.tuples(parts, st.sampled_from(["+", "-", ":", "*", "/"]), parts).map("".join)
    powers = st.tuples(parts, st.sampled_from(["**2", "^2", "^3"])).map(lambda p: f"({p[0]}){p[1]}")
    return st.one_of(pairs, pairs.map(lambda t: f"({t})"), powers)


@settings(max_examples=60, deadline=None)
@given(st.recursive(ATOMS, joined, max_leaves=5))
def test_the_expansion_is_that_of_formulaic(right):
    from formulaic import Formula
    from formulaic.parser import DefaultFormulaParser

    context = {"__formulaic_variables_available__": COLUMNS, "__formulaic_variables_used_lhs__": []}
    try:
        parsed = Formula.from_spec(right, parser=DefaultFormulaParser(include_intercept=False), context=context)
        expected = [
            [f.expr for f in t.factors] for t in parsed if any(f.eval_method.value != "literal" for f in t.factors)
        ]
    except Exception:
        expected = None
    try:
        terms = [[f.expr for f in t.factors] for t in read(f"y ~ {right}", ["y", *COLUMNS]).terms]
    except pc.errors.FormulaError:
        terms = None
    assert terms == expected


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("+-"), st.sampled_from([".", "a", "b", "c", "in_", "_x", "missing"])), min_size=1, max_size=7),
    st.sampled_from(["", " ", "\n "]),
    st.booleans(),
)
def test_sums_of_columns_are_read_as_formulaic_reads_them(parts, space, signed):
    right = "".join(f"{space}{sign}{space}{word}" for sign, word in parts)
    right = right if signed else right.strip()[1:]
    columns = ["a", "b", "c", "in_", "_x", "if_"]
    terms, written = sum_of_columns(right, columns)
    parsed, factors = _parse(right, columns, name_columns(columns, ()), f"y ~ {right}")
    assert terms == parsed
    assert set(written) == {f for f in factors if f.expr != "."}
    assert [str(t) for t in for_formulaic(terms)] == [str(t) for t in terms]


@pytest.mark.parametrize(
    "right",
    ["a:b", "a*b", "a + 1", "1", "a - 1", "log(a)", "a + (b)", "a + + b", "a b", "a in b", "a +", "", "ä", "if", "a.b", "..", "True"],
)
def test_what_is_no_sum_of_columns_is_left_to_formulaic(right):
    assert sum_of_columns(right, ["a", "b"]) is None


@pytest.mark.parametrize(
    ("right", "columns"),
    [
        (".:.:.:.", 30),
        (".^100", 60),
        ("*".join(f"v{k}" for k in range(60)), 60),
    ],
)
def test_interactions_are_counted_before_they_are_made(right, columns):
    with pytest.raises(pc.errors.FormulaError, match="' expands to too many interactions, more than 20,000:"):
        read(f"y ~ {right}", ["y", *(f"v{k}" for k in range(columns))])


def test_what_is_large_and_not_too_large_is_read():
    assert len(read("y ~ .", ["y", *(f"v{k}" for k in range(25_000))]).terms) == 25_000
    many = [f"v{k}" for k in range(4_000)]
    assert len(read("y ~ " + "+".join(many), ["y", *many]).terms) == 4_000
    assert len(read("y ~ (.)^5", ["y", *many[:10]]).terms) == 10 + 45 + 120 + 210 + 252
    assert len(read("y ~ " + "+".join(f"log({v})" for v in many[:1500]), ["y", *many]).terms) == 1_500


@pytest.mark.parametrize(
    "formula",
    [
        "y ~ " + "`" * 20_001,
        "y ~ " + "a ~ " * 9_000,
        "y ~ " + "q" * 90_000 + " +",
        "q" * 40_000 + " ~ a",
        "y ~ I(" + "a+" * 2_000 + "a)",
        "y ~ I(" + "(" * 400 + "a" + ")" * 400 + "[0])",
        "y ~ " + "log(" * 2_000 + "a" + ")" * 2_000,
        "y ~ " + "a:b:" * 9_000 + "q",
        "y ~ a^" + "9" * 5_000,
        "y ~ {" + "[" * 90 + "]" * 90 + "}",
        "y ~ " + ":".join(f"`c{k}`" for k in range(9_000)),
        "y ~ " + "%" * 20_000,
        "y ~ (a - a) / b",
        "y ~ " + "a ^ " * 300 + "2",
    ],
    ids=lambda f: f[:12],
)
def test_long_and_deep_formulas_end_in_short_errors(formula):
    data = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 3)), columns=list("abc")).assign(y=list("uv") * 5)
    with pytest.raises(pc.ProtoclassError) as caught:
        pc.fit(formula, data, eps=1.0)
    assert len(str(caught.value)) <= 1000


@pytest.mark.parametrize("what", ["column", "method", "option"])
def test_errors_cut_what_they_quote(iris, what):
    long = "q" * 40_000
    calls = {
        "column": lambda: pc.fit("species ~ .", iris.assign(**{long: [{}] * 150}), dissimilarity="euclidean", repeats=1),
        "method": lambda: pc.fit("species ~ .", iris, long),
        "option": lambda: pc.fit("species ~ .", iris, choose=[long, long], dissimilarity="euclidean", repeats=1),
    }
    with pytest.raises(pc.ProtoclassError) as caught:
        calls[what]()
    message = str(caught.value)
    assert len(message) <= 2000
    assert "characters) ..." in message or "<" in message


@pytest.mark.parametrize(
    "term",
    [
        "poly(x, 1000000)",
        "poly(x, 30)",
        "poly(x, 0)",
        "poly(x, degree=2.5)",
        "poly(x, -1)",
        "cr(x, df=100000000)",
        "cs(x, -3)",
        "bs(x, degree=100000)",
        "bs(x, degree=-1)",
        "bs(x, df='4')",
        f"bs(x, knots={list(range(40))})",
        f"poly(x, {10**30})",
    ],
    ids=lambda t: t[:24],
)
def test_degrees_are_bounded_by_the_distinct_values(term):
    data = pd.DataFrame({"x": np.arange(30.0) + 1, "y": list("ab") * 15})
    with pytest.raises(pc.errors.FormulaError, match=r"distinct values|must be numbers, texts"):
        pc.fit(f"y ~ {term}", data, eps=1.0)


def test_degrees_within_the_distinct_values_are_taken():
    x = np.arange(30.0) + 1
    data = pd.DataFrame({"x": x, "few": np.tile([0.0, 1, 2], 10), "y": list("ab") * 15})
    for term, columns in (
        ("poly(x, 5)", 5),
        ("poly(few, 2)", 2),
        ("bs(x, df=6)", 6),
        ("cr(x, df=5)", 5),
        ("bs(few)", 3),
        ("poly(x, 2, True)", 2),
    ):
        fit = pc.fit(f"y ~ {term}", data, eps=1.0)
        assert fit.frame.design.shape == (30, columns)
        assert fit.predict(data.iloc[:2]).tolist() == fit.predict(data).iloc[:2].tolist()
    basis = pc.fit("y ~ poly(x, 2)", data, eps=1.0).frame.design.to_numpy()
    np.testing.assert_allclose(basis.T @ basis, np.eye(2), atol=1e-12)
    with pytest.raises(pc.errors.FormulaError, match=r"degree of poly\(\) must be a whole number from 1.*the 3.*, not 3"):
        pc.fit("y ~ poly(few, 3)", data, eps=1.0)


def test_a_design_matrix_of_crossed_categories_is_refused_before_it_is_made():
    n = 3_000
    data = pd.DataFrame({c: [f"{c}{k}" for k in range(n)] for c in "abc"}).assign(y=list("uv") * (n // 2))
    with pytest.raises(pc.errors.TooLargeError, match="the design matrix of 'y ~ a:b:c' would have 27,000,000,000 columns"):
        pc.fit("y ~ a:b:c", data, dissimilarity="euclidean", eps=1.0)
