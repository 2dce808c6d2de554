"""Random calls: formulas, methods, metrics, solvers and candidates from the registries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import protoclass as pc
from protoclass.metrics.registry import METRICS
from protoclass.models.registry import BUILT_IN

from .frames import TEXT, frames

METHODS = list(BUILT_IN)
OBJECTS = [pc.Euclidean(scale=False), pc.Euclidean(scale="fold"), pc.Manhattan(), pc.Chebyshev(scale="fold"),
           pc.Minkowski(3, column_weights={"x0": 2}), pc.Minkowski(1.5), pc.Mahalanobis(ridge=0.1), pc.Kernel("poly"),
           pc.Kernel("laplacian", scale="fold"), pc.Ranks("manhattan"), pc.Ranks("gower"), pc.Adaptive(neighborhood=4),
           pc.NCA(), pc.NCA(dims=1, sample=8), pc.LDA(),
           pc.DTW(window=1), pc.Mismatch(k=2, m=1), pc.Tangent(shape=(1, 2)), pc.Gower(asymmetric=["x1"]),
           pc.Mixed([(["x0"], "euclidean"), (["x1"], "gower")])]  # fmt: skip
CANDIDATES = ["train", "same_class", 3, pc.candidates.kmeans(2), pc.candidates.hull(5), pc.candidates.kmeans(2, only=True)]
LONGER = ["poly({}, 2)", "bs({}, df=4)", "cr({}, df=3)", "I({}**2)", "I({}/2)"]


@dataclass(frozen=True)
class Call:
    """A call of `fit`: a formula, data, and the further arguments."""

    formula: str
    data: pd.DataFrame
    arguments: dict[str, Any]

    def run(self, function=pc.fit, **changes):
        return function(self.formula, self.data, **{**self.arguments, "progress": False, **changes})

    def on(self, data, **changes):
        return replace(self, data=data, arguments={**self.arguments, **changes})

    def __repr__(self):
        inner = self.data.to_dict("list")
        return f"Call({self.formula!r}, {self.arguments}, {self.data.dtypes.to_dict()}, {inner}, index={list(self.data.index)})"


@st.composite
def formulas(draw, columns):
    """A formula on these columns: sound ones mostly."""
    names = [f"`{c}`" for c in columns if c != "y"] or ["1"]
    one = st.sampled_from(names)
    functions = ["log", "exp", "sqrt", "abs", "I", "C", "scale", "center", "log1p", "expm1", "log2", "log10"]
    term = st.one_of(
        one,
        st.tuples(st.sampled_from(functions), one).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(one, st.sampled_from([":", "*", "/"]), one).map("".join),
        st.tuples(st.sampled_from(LONGER), one).map(lambda t: t[0].format(t[1])),
    )
    kind = draw(st.integers(0, 9))
    if kind <= 4:
        return "y ~ ."
    if kind <= 6:
        return "y ~ " + " + ".join(draw(st.lists(term, min_size=1, max_size=3)))
    if kind == 7:
        return f"y ~ . - {draw(one)}"
    return draw(st.sampled_from(["y ~ 1", "y ~ 0", "~ .", "y ~ y", "y ~ .:.", "y ~ (.)^2", "y ~ nothing", "y ~", "", "`y` ~ ."]))


def parameters(draw, name):
    """Parameters of a method: fixed, tuned or by default, and now and then a further one."""
    kind = BUILT_IN[name]
    out = {}
    for parameter, values in kind.example.items():
        how = draw(st.sampled_from(["fixed", "fixed", "fixed", "tuned", "default"]))
        if how == "fixed" or (how == "default" and draw(st.booleans())):
            out[parameter] = draw(st.sampled_from(values))
        elif how == "tuned":
            out[parameter] = list(values)
    if kind.can.solvers and draw(st.booleans()):
        out |= {"solver": draw(st.sampled_from(kind.can.solvers)), "certify": draw(st.booleans()), "time_limit": 2.0}
    return out


FURTHER = {
    "scm": [{"features": "stumps"}, {"features": "balls+stumps"}, {"features": "boolean"}, {"positive": "a"}],
    "pvm": [{"balls": "closed"}, {"rounding": "union"}, {"eps": pc.extend.quantiles(5)}],
    "hyperplane": [{"embedding": "flip"}, {"embedding": "cut"}, {"C": np.inf}],
    "knn": [{"ties": "random"}, {"k": 1}, {"k": 40}],
    "mixture": [{"covariance": "tied"}, {"priors": "equal"}],
    "multiedit": [{"condense": True}],
    "mmd": [{"gamma": None}, {"criticisms": 2}],
}  # fmt: skip


@st.composite
def metrics(draw, data):
    kind = draw(st.integers(0, 9))
    if kind <= 3:
        return "auto"
    if kind <= 6:
        return draw(st.sampled_from(list(METRICS)))
    if kind <= 8:
        return draw(st.sampled_from(OBJECTS))
    return lambda a, b: abs(float(len(str(a))) - len(str(b)))


def matrices(draw, data):
    """A given matrix: a metric's, or a random one that may be asymmetric or broken."""
    n = len(data)
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    values = rng.integers(0, 6, (n, n)).astype(float) if draw(st.booleans()) else rng.random((n, n))
    if draw(st.booleans()):
        values = (values + values.T) / 2
        np.fill_diagonal(values, 0)
    fault = draw(st.sampled_from([None, None, None, np.nan, np.inf, -1.0, 1e300]))
    if fault is not None and n:
        values[n // 2, n // 3] = fault
    if draw(st.booleans()):
        return values
    return pd.DataFrame(values, data.index, data.index)


@st.composite
def calls(draw, data=None, method=None, odd=0.25):
    """A call of `fit` on a random frame."""
    table = draw(frames(odd) if data is None else data)
    name = draw(st.sampled_from(METHODS)) if method is None else method
    arguments = {"method": name, **parameters(draw, name)}
    if draw(st.integers(0, 3)) == 0 and name in FURTHER:
        arguments |= draw(st.sampled_from(FURTHER[name]))
    formula = draw(formulas([c for c in table.columns if isinstance(c, str)]))
    if draw(st.integers(0, 7)) == 0:
        formula, arguments["dissimilarity"] = "y ~ 1", matrices(draw, table)
    else:
        arguments["dissimilarity"] = draw(metrics(table))
    arguments["cv"] = draw(st.sampled_from([2, 2, 3, "auto", "loo", None]))
    if draw(st.integers(0, 3)) == 0:
        arguments["candidates"] = draw(st.sampled_from(CANDIDATES))
    if draw(st.integers(0, 3)) == 0:
        arguments["na"] = draw(st.sampled_from(["drop", "raise", "keep"]))
    if draw(st.integers(0, 4)) == 0:
        weights = np.random.default_rng(len(table)).integers(0, 3, len(table)) * draw(st.sampled_from([1, 0.1, 1e-200, 1e200]))
        arguments["weights"] = weights
    if draw(st.integers(0, 7)) == 0:
        arguments["groups"] = np.arange(len(table)) // 2
    if arguments["cv"] is not None and draw(st.integers(0, 5)) == 0:
        choose = draw(st.sampled_from(["1se", "min", "bound"]))
        arguments |= {"measure": draw(st.sampled_from(["error", "balanced"])), "choose": choose}
    return Call(formula, table, arguments)


@st.composite
def junk(draw):
    """Text that may or may not be a formula."""
    return draw(st.one_of(TEXT, TEXT.map(lambda t: "y ~ " + t), grammar(), grammar().map(lambda t: "y ~ " + t)))


OPERATORS = ["+", "-", ":", "*", "/", "**", "^", "%in%", "|", ",", "~", "=", "=="]
FUNCTIONS = ["log", "I", "C", "poly", "bs", "cr", "cc", "cs", "scale", "center", "exp", "hashed", "lag", "Q", "print", "__import__"]
OPTIONS = ["2", "df=4", "degree=3", "5", "raw=True", "'a'", "df=-1", "knots=[0]"]


def grammar():
    atom = st.sampled_from([".", "x0", "x1", "`x 2`", "1", "0", "y", "-1", "2.5", "nothing", "'a'", "True", "None"])

    def larger(inner):
        return st.one_of(
            st.tuples(inner, st.sampled_from(OPERATORS), inner).map(" ".join),
            inner.map("({})".format),
            st.tuples(st.sampled_from(FUNCTIONS), inner).map(lambda t: f"{t[0]}({t[1]})"),
            st.tuples(st.sampled_from(["poly", "bs", "cr", "C", "scale"]), inner, st.sampled_from(OPTIONS)).map(
                lambda t: f"{t[0]}({t[1]}, {t[2]})"
            ),
        )

    return st.recursive(atom, larger, max_leaves=6)
