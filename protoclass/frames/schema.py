"""The schema of columns that a fit learns, and checks of new data against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..declared import savable
from ..errors import DataError, FormulaError, shown
from .formula import Formula

CODED = 50  # a whole-number response with more levels than this, and few rows for each, counts as a measurement


@savable
@dataclass(frozen=True)
class Column:
    """The properties of a column that a fit learns.

    Attributes
    ----------
    kind : "numeric", "boolean" or "category"
    levels : tuple
        Of a category, in order; empty for other kinds.
    ordered : bool
        Whether the order of the levels is one of the data.
    coded : bool
        Whether C() makes a category of numbers.
    """

    kind: str
    levels: tuple[Any, ...] = ()
    ordered: bool = False
    coded: bool = False


def learn_schema(kept: pd.DataFrame, formula: Formula) -> dict[str, Column]:
    schema = {name: describe_column(kept[name]) for name in kept}
    coded, computed, unchanged = formula.coded(), formula.computed(), formula.unchanged()
    for name in coded:
        used_as_number = name in unchanged or name in computed
        if used_as_number and schema[name].kind != "category":
            raise FormulaError(
                f"{name!r} stands in {formula.quoted} both as C({name}) and as a number: make a copy of the column"
            )
        if schema[name].kind != "category":
            levels = np.unique(kept[name].dropna().to_numpy(dtype=object)).tolist()
            schema[name] = Column("category", tuple(levels), coded=True)
    for name in computed:
        if schema[name].kind == "category":
            raise FormulaError(
                f"{name!r} in {formula.quoted} is a category, and transforms need numbers: leave the transform out"
            )
    return schema


def describe_column(values: pd.Series) -> Column:
    dtype, name = values.dtype, values.name
    if isinstance(dtype, pd.CategoricalDtype):
        return Column("category", tuple(dtype.categories), bool(dtype.ordered))
    if pd.api.types.is_bool_dtype(dtype):
        return Column("boolean")
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        return Column("numeric")
    present = values.dropna().astype(object)
    untyped = pd.api.types.is_object_dtype(dtype) or isinstance(dtype, (pd.StringDtype, pd.ArrowDtype))
    if untyped and all(isinstance(v, str) for v in present):
        return Column("category", tuple(sorted(present.unique())))
    if untyped and all(isinstance(v, (bool, np.bool_)) for v in present):
        return Column("boolean")
    types = " and ".join(sorted({type(v).__name__ for v in present}))
    if untyped and all(isinstance(v, (int, float, np.number)) for v in present):
        raise DataError(
            f"column {name!r} contains numbers as Python objects: convert it, data[{name!r}] = pd.to_numeric(data[{name!r}])"
        )
    raise DataError(
        f"column {name!r} contains {types if untyped else dtype}: convert it to numbers, texts, categories or booleans, or leave it out"
    )


def check_kind(values: pd.Series, known: Column) -> None:
    if values.isna().all():
        return
    kind = describe_column(values).kind
    compatible = {kind, known.kind} <= {"numeric", "boolean"} or (known.coded and kind == "numeric")
    if kind != known.kind and not compatible:
        raise DataError(
            f"column {values.name!r} was {known.kind} in fit and is {kind} ({values.dtype}) in the new data: convert it"
        )


def first_of(levels: Sequence[Any], most: int = 5) -> str:
    """The first levels, as a message names them."""
    more = f" and {len(levels) - most} more" if len(levels) > most else ""
    return ", ".join(shown(level) for level in levels[:most]) + more


def with_levels(values: pd.Series, known: Column) -> pd.Categorical:
    """Values of a category with the known levels; any other value is missing."""
    codes = pd.Index(known.levels).get_indexer(values.astype(object))
    return pd.Categorical.from_codes(codes, list(known.levels), ordered=known.ordered)


def numbers(values: pd.Series) -> np.ndarray:
    if values.dtype == np.float32:
        return np.asarray(values.to_numpy())
    return np.asarray(values.to_numpy(dtype=float, na_value=np.nan))


def read_classes(response: pd.Series) -> tuple[pd.Categorical, tuple[str, ...]]:
    """The response as a categorical with only the levels that occur, and notes on it."""
    name = response.name
    if isinstance(response.dtype, pd.CategoricalDtype):
        full = pd.Categorical(response)
        levels = full.remove_unused_categories()
        unused = [repr(c) for c in full.categories if c not in set(levels.categories)]
        notes = (f"levels of {name!r} without rows: {', '.join(unused)}",) if unused else ()
    else:
        if isinstance(response.dtype, pd.ArrowDtype):
            response = response.astype(object)
        if pd.api.types.is_numeric_dtype(response.dtype) and not pd.api.types.is_bool_dtype(response.dtype):
            distinct = response.nunique()
            numbers = np.asarray(response, float)
            with np.errstate(invalid="ignore"):
                integral = np.isfinite(numbers) & (numbers == np.floor(numbers))
            if not integral.all() or (distinct > CODED and distinct > len(response) / 10):
                raise DataError(
                    f"the response {name!r} is continuous ({distinct} distinct numbers): classification needs classes, "
                    f"such as pd.cut({name}, 3)"
                )
        try:
            levels, notes = pd.Categorical(response), ()
            levels = levels.remove_unused_categories() if levels.ordered else levels
            sorted(levels.categories)
        except TypeError:
            raise DataError(
                f"the response {name!r} mixes types that cannot be ordered: make it a categorical"
            ) from None
    if len(levels.categories) == 1:
        raise DataError(f"the response {name!r} has one class, {shown(levels.categories[0])}: classification needs two")
    return levels, notes
