"""Formulas as R users write them: they have R's values, or our error names a cure that works."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import BSpline
from words import DATA, G, K, X, Z, fitted

import protoclass as pc
from protoclass.frames.frame import mold


def columns_of(right):
    return mold(f"y ~ {right}", DATA).design.to_numpy()


def dummies(values):
    return (np.asarray(values)[:, None] == np.unique(values)).astype(float)


def boxes(edges, right=True):
    inside = [(X > a) & (X <= b) if right else (X >= a) & (X < b) for a, b in pairwise(edges)]  # noqa: SIM300
    return np.column_stack(inside).astype(float)


def orthogonal(x, degree):
    """R's poly: the QR decomposition of the powers of x - mean, as its help describes."""
    q, r = np.linalg.qr(np.vander(x - x.mean(), degree + 1, increasing=True))
    return (q * np.sign(np.diag(r)))[:, 1:]


def natural_space(x, knots):
    """Natural cubic splines in the truncated power basis (ESL, equations 5.4 and 5.5), without the constant."""

    def d(k):
        return (np.clip(x - knots[k], 0, None) ** 3 - np.clip(x - knots[-1], 0, None) ** 3) / (knots[-1] - knots[k])

    return np.column_stack([x, *(d(k) - d(len(knots) - 2) for k in range(len(knots) - 2))])


THIRDS = np.linspace(58, 72, 4)[1:-1]
EQUALS = {
    "I(x^2)": X**2,
    "I(-x^2)": -(X**2),
    "I(`my x`^2)": (Z + 1) ** 2,
    "x^2": X,
    "(x + z)^2": np.column_stack([X, Z, X * Z]),
    "x*z - x:z": np.column_stack([X, Z]),
    **{f"x{times}z {minus} x:z": np.column_stack([X, Z]) for times, minus in ("\xd7\u2212", "\u2217\u2014", "\uff0a\u2010", "*\uff0d")},
    "factor(k)": dummies(K),
    "g": dummies(G),
    "factor(k):x": dummies(K) * X[:, None],
    "log(x, base=2)": np.log2(X),
    "log(x)": np.log(X),
    "base::log(x)": np.log(X),
    "log2(x)": np.log2(X),
    "sqrt(x)": np.sqrt(X),
    "log(z / (3 - z))": np.log(Z / (3 - Z)),
    "scale(x)": (X - X.mean()) / X.std(ddof=1),
    "center(x)": X - X.mean(),
    "poly(x, 2, raw = T)": np.column_stack([X, X**2]),
    "poly(x, 2)": orthogonal(X, 2),
    "ifelse(x > 65, 1, 0)": np.where(X > 65, 1.0, 0.0),
    "ifelse(x >= 65, z, -z)": np.where(X >= 65, Z, -Z),
    "ifelse(x > z, 1, 0) + z": np.column_stack([np.ones(24), Z]),
    "ifelse(x < 60, 1, ifelse(x < 65, 2, 3))": np.where(X < 60, 1.0, np.where(X < 65, 2.0, 3.0)),
    "ifelse(`my x` != 2, 1, 0)": np.where(Z + 1 != 2, 1.0, 0.0),
    "cut(x, 3)": boxes([-np.inf, *THIRDS, np.inf]),
    "cut(x, c(50, 60, 70, 80))": boxes([50, 60, 70, 80]),
    "cut(x, breaks = c(-Inf, 60, Inf))": boxes([-np.inf, 60, np.inf]),
    "cut(x, c(50, 60, 80), right=FALSE)": boxes([50, 60, 80], right=False),
    "cut(x, c(58, 65, 72), include.lowest=TRUE)": boxes([57, 65, 72]),
    "cut(x, c(50, 65, 80), labels=c('low', 'high (old)'))": boxes([50, 65, 80]),
    "flag": DATA["flag"].to_numpy(float),
}  # fmt: skip


@pytest.mark.parametrize("right", EQUALS)
def test_what_is_written_as_in_r_has_the_same_values(right):
    expected = EQUALS[right]
    np.testing.assert_allclose(columns_of(right), np.reshape(expected, (len(DATA), -1)), rtol=1e-9, atol=1e-9)
    fit = fitted(right)
    assert fit.predict(DATA.sample(frac=1, random_state=1)).sort_index().equals(fit.predict())  # the same on new rows


# rows 2, 5 and 15 of ns(women$height, df = 5) as R prints them, the example of its help
WOMEN = {1: [7.592323e-03, 0, -8.670223e-02, 2.601067e-01, -1.734045e-01],
         4: [4.334305e-01, 1.311953e-02, -1.324404e-01, 3.973211e-01, -2.648807e-01],
         14: [0, 0, -1.428571e-01, 4.285714e-01, 7.142857e-01]}  # fmt: skip


@pytest.mark.parametrize("right", ["ns(x, df=5)", "splines::ns(x, df = 5)", "ns(x, knots=c(60.8, 63.6, 66.4, 69.2))"])
def test_natural_splines_are_those_of_r(right):
    women = DATA.iloc[:15]
    values = mold(f"y ~ {right}", women).design.to_numpy()
    for row, expected in WOMEN.items():
        np.testing.assert_allclose(values[row], expected, rtol=5e-7, atol=1e-9)
    knots = np.array([58, 60.8, 63.6, 66.4, 69.2, 72])
    beyond = np.r_[50.0, X[:15], 80.0]  # linear there, as the truncated powers are
    frame = mold(f"y ~ {right}", women).again(pd.DataFrame({"x": beyond}))[0]
    space = np.column_stack([np.ones(17), natural_space(beyond, knots)])
    off = frame.design.to_numpy() - space @ np.linalg.lstsq(space, frame.design.to_numpy(), rcond=None)[0]
    assert abs(off).max() < 1e-8


def test_orthogonal_polynomials_are_those_of_r_and_b_splines_those_of_scipy():
    data = pd.DataFrame({"x": np.arange(1.0, 11.0), "y": list("ab") * 5})
    first = mold("y ~ poly(x, 3)", data).design.to_numpy()[0]
    np.testing.assert_allclose(first, [-0.49543369, 0.52223297, -0.45342519], atol=1e-8)  # poly(1:10, 3)[1, ] in R
    knots = np.r_[[58.0] * 4, 62, 68, [72.0] * 4]
    expected = BSpline.design_matrix(X, knots, 3).toarray()[:, 1:]
    np.testing.assert_allclose(columns_of("bs(x, knots=c(62, 68))"), expected, atol=1e-12)


def test_what_a_transform_learned_is_kept_for_new_rows():
    fit = fitted("cut(x, 3) + ns(x, df=3) + log(z, 2)")
    few = DATA.iloc[[3, 9]]
    assert fit.predict(few).equals(fit.predict().loc[few.index])
    far = DATA.iloc[:1].assign(x=200.0)  # the outer intervals are open, and the spline goes on
    assert fit.predict(far).notna().all()


def test_intervals_are_one_category_for_gower():
    frame = mold("y ~ cut(x, 3) + z", DATA)
    d = pc.dissimilarity("y ~ cut(x, 3) + z", DATA, "gower").frame().to_numpy()
    group = boxes([-np.inf, *THIRDS, np.inf]).argmax(axis=1)
    expected = ((group[:, None] != group) + abs(Z[:, None] - Z) / np.ptp(Z)) / 2
    np.testing.assert_allclose(d, expected, atol=1e-12)
    assert list(frame.terms()) == ["cut(x, 3)", "z"]


# right side, words of the message, and the cure as it is written: a right side, or options
CURED = [
    ("ns(x, df=90)", "from 1 to 14", "ns(x, df=4)"),
    ("ns(k, 2) + ns(k, knots=c(5))", "must differ and lie between", "ns(k, 2)"),
    ("ns(x, df=4, knots=c(60))", "df= or knots=", "ns(x, knots=c(60))"),
    ("ns(x, intercept=TRUE)", "unexpected keyword argument 'intercept'", "ns(x, df=2)"),
    ("cut(x, c(60, 65))", "-Inf to Inf", "cut(x, c(-Inf, 60, 65, Inf))"),
    ("cut(x, quantile(x))", "must be numbers, texts or lists", "cut(x, c(-Inf, 65, Inf))"),
    ("cut(x, 3, labels=FALSE)", "3 different texts", "cut(x, 3, labels=c('a', 'b', 'c'))"),
    ("ifelse(x > 60 & z < 1, 1, 0)", "ifelse() in 'ifelse(x > 60 & z < 1, 1, 0)' needs one comparison of",
     "ifelse(x > 60, ifelse(z < 1, 1, 0), 0)"),
    ("ifelse(g == 'u', 1, 0)", "one comparison of columns and numbers", "g"),
    ("ifelse(x > 60, 'a', 'b')", "'a' in \"ifelse(x > 60, 'a', 'b')\" is not a number, but ifelse() returns", "ifelse(x > 60, 1, 0)"),
    ("I(x > 60)", "'x > 60' in 'I(x > 60)' is true or false, but distances need numbers:", "ifelse(x > 60, 1, 0)"),
    ("log(x, 1)", "a number > 0 other than 1", "log(x, 2)"),
    ("log(x, exp(1))", "must be numbers, texts or lists", "log(x)"),
    ("I(x^z)", "must be a number", "I(x^2)"),
    ("poly(x, 40)", "from 1 to 14", "poly(x, 4)"),
    ("offset(z) + x", "'offset' in 'y ~ offset(z) + x' is a function of R: leave it out", "z + x"),
    ("cbind(x, z)", "join columns by +", "x + z"),
    ("Surv(time, status)", "'Surv' in 'y ~ Surv(time, status)' is a function of R: use the columns", "time + status"),
    ("x | g", "'|' in 'y ~ x | g' is not allowed, because there are no conditional or", "x + g"),
    ("x + (1 | g)", "to have its rows in the same fold", "x"),
    ("strata(g) + x", "is a function of R: use g,", "g + x"),
    ("as.numeric(k)", "(k)' is a function of R: use k,", "k"),
    ("interaction(g, k)", "joined by ':'", "g:factor(k)"),
    ("s(x)", "(x)' is a function of R: use ns(x, df=4)", "ns(x, df=4)"),
    ("rcs(`my x`, 4)", "'rcs' in 'y ~ rcs(`my x`, 4)' is a function of R: use ns(`my x`, df=4)", "ns(`my x`, df=4)"),
    ("logit(z)", "'logit' in 'y ~ logit(z)' is a function of R: use log(z / (1 - z))", "log(z / (3 - z))"),
    ("factor(k, levels=c(1, 2))", ")' must contain one column only: set its levels in the data frame", "factor(k)"),
    ("factor(cut(x, 3))", ")' must contain one column only: set its levels in the data frame", "cut(x, 3)"),
    ("factor(k) + k", "make a copy of the column", "factor(k)"),
    ("log(g)", "leave the transform out", "g"),
    ("TRUE", "", "x"),
    ("y", "leave it out there", "x"),
    ("nope", "is not a column", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "words", "cure"), CURED)
def test_what_is_refused_names_a_cure_that_works(right, words, cure):
    with pytest.raises((pc.errors.FormulaError, pc.errors.DataError)) as raised:
        fitted(right)
    assert words in str(raised.value)
    assert fitted(cure).nobs == 24


@pytest.mark.parametrize(
    ("left", "words", "cure"),
    [
        ("factor(y)", ")' is a function of R: use 'y' alone, because its values are the classes", lambda d: ("y", d)),
        ("as.factor(`y`)", ")' is a function of R: use 'y' alone, because its values are the classes", lambda d: ("y", d)),
        ("Surv(time, status)", "data['late'] = data['time'] > 365", lambda d: ("late", d.assign(late=d["time"] > 65))),
        ("interaction(g, k)", "use data['both'] = data['k'].astype(str) + ' ' + data['g'].astype(str), and 'both ~ ...'",
         lambda d: ("both", d.assign(both=d["k"].astype(str) + " " + d["g"].astype(str)))),
        ("cut(x, 3)", "pd.cut(data['x'], 3)", lambda d: ("size", d.assign(size=pd.cut(d["x"], 3)))),
        ("log(x)", "compute it in the data frame", lambda d: ("k", d)),
    ],
)  # fmt: skip
def test_left_sides_of_r_name_their_cure(left, words, cure):
    with pytest.raises(pc.errors.FormulaError) as raised:
        pc.fit(f"{left} ~ z", DATA)
    assert words in str(raised.value)
    response, data = cure(DATA)
    assert pc.fit(f"{response} ~ z", data, "knn", k=1).nobs == 24


@pytest.mark.parametrize(
    ("right", "cure"), [("x*g", "y ~ x + g"), ("g:z", "y ~ g + z"), ("g %in% k", "y ~ g + k")]
)
def test_interactions_under_gower_name_all_three_cures(right, cure):
    with pytest.raises(pc.errors.OptionError) as raised:
        fitted(right, dissimilarity="gower")
    message = str(raised.value)
    for words in ("use its columns as terms of their own", "column of the data frame", "dissimilarity='euclidean'"):
        assert words in message
    assert pc.fit(cure, DATA, "knn", k=1, dissimilarity="gower").nobs == 24
    assert fitted(right, dissimilarity="euclidean").nobs == 24


@pytest.mark.parametrize(
    ("old", "change", "new"),
    [
        ("y ~ x + z", ". ~ . - x", "y ~ z"),
        ("y ~ .", ". ~ . - time - status", "y ~ x + z + k + g + `my x` + flag"),
        ("y ~ x", "~ . + z", "y ~ x + z"),
        ("y ~ x + z", "~ .:g", "y ~ x:g + z:g"),
        ("y ~ x + z", ". ~ log(.5 + z)", "y ~ log(.5 + z)"),
        ("y ~ x + z", "g ~ .", "g ~ x + z"),
        ("y ~ `my x`", ". ~ . * z", "y ~ `my x` * z"),
        ("y ~ x", "y ~ z", "y ~ z"),
        ("y ~ x", ". ~ .", "y ~ x"),
    ],
)
def test_update_reads_the_dots_as_r_does(old, change, new):
    fit = pc.fit(old, DATA, "knn", k=1, dissimilarity="euclidean")
    expected = pc.fit(new, DATA, "knn", k=1, dissimilarity="euclidean").frame
    for changed in (fit.update(change), fit.update(formula=change)):
        assert changed.frame.design.equals(expected.design)
        assert changed.frame.formula.response == expected.formula.response


def test_a_dot_for_all_columns_needs_the_old_response():
    with pytest.raises(pc.errors.FormulaError, match="name the predictors"):
        fitted(".").update("g ~ .")
    assert fitted(".").update("g ~ x + z").frame.formula.variables == ("x", "z")
    with pytest.raises(pc.errors.FormulaError, match="must be text"):
        fitted("x").update(3)


def test_columns_named_like_words_of_r_are_columns():
    data = pd.DataFrame({"y": list("uvuv"), "TRUE": [1.0, 2, 1, 2], "c": [1.0, 2, 3, 4], "ns": [1.0, 3, 2, 4], "a^b": [1.0, 2, 2, 1]})
    data["T"] = 1.0
    design = mold("y ~ TRUE + c + ns + `a^b` + T + I(c^2)", data).design
    assert list(design) == ["TRUE", "c", "ns", "a^b", "T", "I(c ** 2)"]


@pytest.mark.parametrize(
    "right",
    ["ifelse(x.__class__ > 1, 1, 0)", "ifelse(x > 1, __import__('os'), 0)", "cut(x, [__import__('os')])", "ifelse(1 < x < 2, 1, 0)",
     "ifelse(x is 1, 1, 0)", "ifelse(*x)", "cut(*x)", "cut(breaks=3)", "ns(x, **g)", "log(x, base=x)", "cut(x, TRUE)", "ns(x, df=TRUE)"],
)  # fmt: skip
def test_the_new_functions_take_columns_numbers_and_nothing_else(right):
    with pytest.raises(pc.errors.FormulaError):
        mold(f"y ~ {right}", DATA)


def test_a_in_b_is_the_product_alone():
    """In R 4.2, `terms(y ~ a %in% (b + c))` has the one term `a:b:c`."""
    data = pd.DataFrame(np.random.default_rng(0).normal(size=(24, 3)), columns=list("abc")).assign(y=["u", "v"] * 12)
    design = pc.fit("y ~ a %in% (b + c)", data, "knn", k=1).frame.design
    np.testing.assert_allclose(design.to_numpy(float)[:, 0], data["a"] * data["b"] * data["c"])
    assert design.shape[1] == 1
