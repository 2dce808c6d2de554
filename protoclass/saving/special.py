"""Classes of which a file holds something else than their fields: formulas, frames and calls."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import FileError, cut
from ..estimation.problem import Call
from ..fitting import cross_validate, fit
from ..frames.formula import TRANSFORMS, Formula, check_factors
from ..frames.frame import Frame
from ..frames.rowless import RowlessFrame
from ..frames.schema import Column, check_kind
from ..frames.specification import spec_of_states, states_of
from ..frames.spelling import name_columns
from ..frames.terms import Factor, Term

FUNCTIONS = (fit.__name__, cross_validate.__name__)
LITERAL = re.compile(r"[0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300}")
MOST_ROWS = 2**40
MOST_STATE = 10_000  # numbers that one transform has learned: knots and the like


@dataclass(frozen=True)
class Special:
    """How a class is written and read.

    Attributes
    ----------
    fields : callable
        What a file holds of an object, by name.
    build : callable
        The object of these, which are checked.
    """

    fields: Callable[[Any], Mapping[str, Any]]
    build: Callable[[Mapping[str, Any]], Any]


def _fields(given: Mapping[str, Any], **kinds: Any) -> list[Any]:
    """The values of a file's fields, in order, where they are those and of these types."""
    if set(given) != set(kinds):
        raise FileError(f"it has the fields {sorted(given)} in the place of {sorted(kinds)}: update protoclass")
    for name, kind in kinds.items():
        if not isinstance(given[name], kind):
            raise FileError(f"the field {name!r} is {cut(str(given[name]), 80)}")
    return [given[name] for name in kinds]


def formula_fields(formula: Formula) -> dict[str, Any]:
    terms = [[[f.expr, f.how] for f in term.factors] for term in formula.terms]
    return {
        "text": formula.text, "response": formula.response, "terms": terms, "variables": list(formula.variables),
        "columns": list(formula.names.columns.values()),
    }  # fmt: skip


def read_formula(given: Mapping[str, Any]) -> Formula:
    """A formula, every factor of which is in the closed grammar."""
    text, response, written, variables, columns = _fields(
        given, text=str, response=(str, type(None)), terms=list, variables=list, columns=list
    )
    _texts(variables, "variables")
    _texts(columns, "columns")
    terms = []
    for factors in written:
        if not isinstance(factors, list) or not factors:
            raise FileError("a term of the formula has no factors")
        terms.append(Term(tuple(_factor(f) for f in factors)))
    names = name_columns(columns, TRANSFORMS)
    formula = Formula(text, response, tuple(terms), tuple(variables), {}, names)
    return replace(formula, uses=check_factors(formula))


def _texts(values: list[Any], what: str) -> None:
    if not all(isinstance(v, str) for v in values) or len(set(values)) != len(values):
        raise FileError(f"the {what} of the formula are no different texts")


def _factor(written: Any) -> Factor:
    if not isinstance(written, list) or len(written) != 2 or not all(isinstance(part, str) for part in written):
        raise FileError(f"a factor of the formula is {cut(str(written), 80)}")
    expr, how = written
    if how not in ("lookup", "python", "literal") or (how == "literal" and not LITERAL.fullmatch(expr)):
        raise FileError(f"a factor of the formula is {cut(expr, 80)}, read as {cut(how, 20)}")
    return Factor(expr, how)


def frame_fields(frame: Frame) -> dict[str, Any]:
    return {
        "columns": frame.columns, "response": frame.response, "formula": frame.formula, "schema": dict(frame.schema),
        "states": None if frame.spec is None else states_of(frame.spec),
        "design": None if frame.spec is None else list(frame.spec.column_names),
        "weights": frame.weights, "dropped": frame.dropped, "keep": frame.keep, "notes": frame.notes,
    }  # fmt: skip


def read_frame(given: Mapping[str, Any]) -> Frame:
    """A frame whose parts agree, with the specification of its design matrix made anew from the states of its transforms."""
    nothing = type(None)
    columns, response, formula, schema, states, design, weights, dropped, keep, notes = _fields(
        given, columns=pd.DataFrame, response=(pd.Categorical, nothing), formula=Formula, schema=dict, states=(dict, nothing),
        design=(list, nothing), weights=np.ndarray, dropped=pd.Index, keep=bool, notes=tuple,
    )  # fmt: skip
    frame = Frame(columns, response, formula, schema, None, weights, dropped, keep, notes)
    _check_frame(frame)
    if (states is None) != (design is None):
        raise FileError("the design matrix of the formula has states or names, and not both")
    if states is None:
        return frame
    _check_states(states, formula)
    made = spec_of_states(frame, states)
    if list(made.column_names) != design or not _equal(states_of(made), states):
        raise FileError("the transforms of the formula are not those that the file has states of")
    return replace(frame, spec=made)


def rowless_fields(frame: RowlessFrame) -> dict[str, Any]:
    return {"remembered": frame.remembered, "class_counts": frame.class_counts, "class_weights": frame.class_weights}


def read_rowless(given: Mapping[str, Any]) -> RowlessFrame:
    """The frame of a slim fit."""
    frame, counts, weights = _fields(given, remembered=Frame, class_counts=np.ndarray, class_weights=np.ndarray)
    whole = frame.absent is None and counts.dtype.kind == "i" and counts.shape == weights.shape == (len(frame.levels),)
    if not whole or (counts < frame.class_counts).any() or counts.max() > MOST_ROWS or not (np.isfinite(weights) & (weights > 0)).all():
        raise FileError("the numbers of rows of the classes are none")
    return RowlessFrame(frame, counts, weights)


def _check_frame(frame: Frame) -> None:
    n, columns, weights = len(frame.columns), frame.columns, frame.weights
    if weights.shape != (n,) or weights.dtype.kind not in "fiu" or not (np.isfinite(weights) & (weights >= 0)).all():
        raise FileError(f"the weights of {n} rows are not so many numbers >= 0")
    if not columns.columns.is_unique or not all(isinstance(c, str) for c in columns.columns) or not columns.index.is_unique:
        raise FileError("rows or columns have the same label twice")
    if set(frame.schema) != set(columns.columns) or not all(isinstance(c, Column) for c in frame.schema.values()):
        raise FileError("the kinds of the columns are not those of the predictors")
    if not frozenset().union(*frame.formula.uses.values()) <= set(columns.columns):
        raise FileError("the formula uses columns that are no predictors")
    if not all(isinstance(note, str) for note in frame.notes):
        raise FileError("the notes on the data are no texts")
    for name, known in frame.schema.items():
        if known.kind not in ("numeric", "boolean", "category") or (known.levels and known.kind != "category"):
            raise FileError(f"the column {name!r} is of the kind {known.kind!r}")
        check_kind(columns[name], known)
    if not frame.keep and columns.isna().to_numpy().any():
        raise FileError("predictors are missing where none can be")
    frame.unseen_counts.refuse()
    if frame.response is not None:
        codes, levels = np.asarray(frame.response.codes), frame.response.categories
        if len(codes) != n or (codes < 0).any() or len(levels) < 1 or not levels.is_unique:
            raise FileError(f"the classes of {n} rows are missing, or not so many")


def _check_states(states: Mapping[Any, Any], formula: Formula) -> None:
    """What transforms have learned: numbers and texts by name, few of them, for expressions of the formula."""
    written = " ".join(f.expr for term in formula.terms for f in term.factors)
    for expression, state in states.items():
        if not isinstance(expression, str) or expression not in written or not isinstance(state, dict):
            raise FileError(f"{cut(str(expression), 80)} has a state, and is not in the formula")
        if _count(state) > MOST_STATE:
            raise FileError(f"the state of {cut(expression, 80)} is too large")


def _count(value: Any, depth: int = 0) -> int:
    """How many plain values are in a state."""
    if depth > 10:
        raise FileError("the state of a transform is too deep")
    if isinstance(value, dict):
        if not all(isinstance(key, (str, int)) for key in value):
            raise FileError("the state of a transform has other names than texts and numbers")
        return sum(_count(v, depth + 1) for v in value.values())
    if isinstance(value, (list, tuple)):
        return sum(_count(v, depth + 1) for v in value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return value.size
    if not isinstance(value, (str, bool, int, float, np.number, type(None))):
        raise FileError("the state of a transform holds what is no number")
    return 1


def _equal(a: Any, b: Any) -> bool:
    """Whether two states are the same, to the bit."""
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)


def call_fields(call: Call) -> dict[str, Any]:
    given = {**call.arguments, "client": None}  # a connection is of the process that made it
    arguments = {name: given[name] for name in call.arguments}
    return {"function": call.function, "formula": call.formula, "data": call.data, "arguments": arguments}


def read_call(given: Mapping[str, Any]) -> Call:
    """A call; what makes a fit of it again is always this package's own function."""
    function, formula, data, arguments = _fields(given, function=str, formula=str, data=object, arguments=dict)
    if function not in FUNCTIONS or not all(isinstance(name, str) for name in arguments):
        raise FileError(f"its call is of {cut(function, 80)}")
    return Call(function, formula, data, arguments)


SPECIAL: Mapping[type, Special] = {
    Formula: Special(formula_fields, read_formula),
    Frame: Special(frame_fields, read_frame),
    RowlessFrame: Special(rowless_fields, read_rowless),
    Call: Special(call_fields, read_call),
}
