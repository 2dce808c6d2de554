"""Formulaic's specification of a design matrix: trained on rows, or restored from the state of its transforms."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from copy import deepcopy
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.memory import check_fits
from ..ground.errors import DataError, FormulaError, TooLarge, cut, shown
from .terms import Term, for_formulaic
from .transforms import functions, most_columns

if TYPE_CHECKING:
    from .frame import Frame

LARGEST = 2**33  # bytes of a design matrix
COMPUTING = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, np.linalg.LinAlgError, RuntimeError)


def trained_spec(frame: Frame) -> Any:
    """Formulaic's specification, trained on the rows; None if the predictors are plain numbers."""
    if frame.formula.plain() and all(c.kind != "category" for c in frame.schema.values()):
        return None
    width = _width(frame)
    if width * len(frame) * 8 > LARGEST:
        categories = [c for c, column in frame.schema.items() if column.kind == "category"]
        if frame.formula.plain() and categories:
            return None  # Gower uses the unchanged categories; a metric that requests `design` checks it
        widest = max(categories, key=lambda c: len(frame.schema[c].levels), default=None)
        cure = "" if widest is None else f"; column {shown(widest)} has {len(frame.schema[widest].levels)} levels"
        cure += "; df= of a transform may be smaller" if not frame.formula.plain() else ""
        raise TooLarge(
            f"the design matrix of {frame.formula.quoted} would have {width:,} columns, too many for {len(frame)} rows{cure}: leave out "
            "terms, or categories of many levels"
        )
    if not frame.formula.plain():
        check_fits(width * len(frame) * 8.0, f"the {len(frame)} x {width} design matrix takes", "leave out terms, or use fewer rows")
    rows = frame
    if frame.keep:
        rows = frame.take(np.flatnonzero(~frame.columns.isna().any(axis=1).to_numpy()))
        if len(rows) == 0:
            return None
    if frame.formula.plain():
        rows = rows.take(np.arange(1))  # unchanged columns: only the levels are learned, and one row has them
    # rows with missing values are already left out; `design` reports values that a transform makes missing
    return compute(untrained(frame.formula.terms), rows)[1]


def spec_of_states(frame: Frame, states: Mapping[str, Any]) -> Any:
    """Formulaic's specification from the stored state of its transforms, by their texts; nothing is trained on the rows.

    Without rows, all that is left to find is the names of the columns, which follow from formula, schema and states.
    """
    return compute(untrained(frame.formula.terms, states), frame.take(np.arange(0)))[1]


def _width(frame: Frame) -> int:
    """The number of columns of the design matrix, at most: for every term a product of levels and of columns of transforms."""

    def columns(factor: Any) -> int:
        if factor.how == "lookup" or factor.expr.startswith("C("):
            return max(1, *(len(frame.schema[c].levels) for c in frame.formula.uses[factor.expr]))
        return most_columns(factor.expr)

    return sum(prod(map(columns, term.factors)) for term in frame.formula.terms)


def compute(spec: Any, rows: Frame) -> tuple[pd.DataFrame, Any]:
    """The design matrix by formulaic, which uses the names of columns in the formula, and its trained specification."""
    from formulaic.errors import FormulaicError

    columns = rows.canonical()
    columns = columns.set_axis([rows.formula.names.of(c) for c in columns], axis=1)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter(
                "ignore"
            )  # log of a negative number: the check for finite values gives a better message
            made = spec.get_model_matrix(columns, context=functions())
            return pd.DataFrame(made).astype(float), made.model_spec
    except (FormulaicError, *COMPUTING) as reason:
        if isinstance(reason.__cause__, (FormulaError, DataError)):
            raise reason.__cause__ from None
        first = (str(reason).splitlines() or [type(reason).__name__])[0]
        raise DataError(f"{rows.formula.quoted} can't be computed: {cut(rows.formula.written(first))}") from None


def untrained(terms: Iterable[Term], states: Mapping[str, Any] | None = None) -> Any:
    """Formulaic's specification of a design matrix, to be trained on rows; with `states` the transforms have learned already."""
    from formulaic import ModelSpec, SimpleFormula

    return ModelSpec(
        formula=SimpleFormula(for_formulaic(terms)), ensure_full_rank=False, na_action="ignore", output="pandas",
        transform_state=deepcopy(dict(states or {})),
    )  # fmt: skip


def states_of(spec: Any) -> dict[str, Any]:
    """What the transforms of a trained specification have learned, by their texts: numbers, texts and arrays."""
    return deepcopy(dict(sorted(spec.transform_state.items())))
