"""What fit learns of columns, and how it holds new data to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, FormulaError, shown
from .formula import Formula

CODED = 50  # a whole-number response with more levels than this, and few rows for each, is taken for a measurement


@dataclass(frozen=True)
class Column:
    """What fit learned of a column: `kind` is "numeric", "boolean" or "category"; categories have levels.

    `coded` is True for numbers that C() makes a category.
    """

    kind: str
    levels: tuple[Any, ...] = ()
    ordered: bool = False
    coded: bool = False


def learn(kept: pd.DataFrame, asked: Formula) -> dict[str, Column]:
    schema = {name: column(kept[name]) for name in kept}
    coded, computed = asked.coded(), asked.computed()
    for name in coded:
        bare = name in asked.uses or name in computed
        if bare and schema[name].kind != "category":
            raise FormulaError(
                f"{name!r} stands in {asked.text!r} both as C({name}) and as a number: make a copy of it"
            )
        if schema[name].kind != "category":
            levels = np.unique(kept[name].dropna().to_numpy(dtype=object)).tolist()
            schema[name] = Column("category", tuple(levels), coded=True)
    for name in computed:
        if schema[name].kind == "category":
            raise FormulaError(f"{name!r} in {asked.text!r} is a category, and transforms take numbers")
    return schema


def column(values: pd.Series) -> Column:
    dtype, name = values.dtype, values.name
    if isinstance(dtype, pd.CategoricalDtype):
        return Column("category", tuple(dtype.categories), bool(dtype.ordered))
    if pd.api.types.is_bool_dtype(dtype):
        return Column("boolean")
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        return Column("numeric")
    present = values.dropna().astype(object)
    loose = pd.api.types.is_object_dtype(dtype) or isinstance(dtype, (pd.StringDtype, pd.ArrowDtype))
    if loose and all(isinstance(v, str) for v in present):
        return Column("category", tuple(sorted(present.unique())))
    if loose and all(isinstance(v, (bool, np.bool_)) for v in present):
        return Column("boolean")
    types = " and ".join(sorted({type(v).__name__ for v in present}))
    if loose and all(isinstance(v, (int, float, np.number)) for v in present):
        raise DataError(
            f"column {name!r} holds numbers as Python objects: data[{name!r}] = pd.to_numeric(data[{name!r}])"
        )
    raise DataError(
        f"column {name!r} holds {types if loose else dtype}: make it numbers, texts, categories or booleans, or leave it out"
    )


def agrees(values: pd.Series, known: Column) -> None:
    if values.isna().all():
        return
    found = column(values).kind
    alike = {found, known.kind} <= {"numeric", "boolean"} or (known.coded and found == "numeric")
    if found != known.kind and not alike:
        raise DataError(
            f"column {values.name!r} was {known.kind} in fit and is {found} ({values.dtype}) in the new data"
        )


def canonical(values: pd.Series, known: Column) -> Any:
    if known.kind != "category":
        return numbers(values)
    codes = pd.Index(known.levels).get_indexer(values.astype(object))
    unseen = values[(codes < 0) & ~values.isna().to_numpy()].unique()
    if len(unseen):
        first = ", ".join(shown(v) for v in unseen[:5])
        raise DataError(f"column {values.name!r} has levels not seen in fit: {first}")
    return pd.Categorical.from_codes(codes, list(known.levels), ordered=known.ordered)


def numbers(values: pd.Series) -> np.ndarray:
    if values.dtype == np.float32:
        return values.to_numpy()
    return values.to_numpy(dtype=float, na_value=np.nan)


def classes(answer: pd.Series) -> tuple[pd.Categorical, tuple[str, ...]]:
    """The response as a categorical with only the levels that occur, and what to note of it."""
    name = answer.name
    if isinstance(answer.dtype, pd.CategoricalDtype):
        full = pd.Categorical(answer)
        levels = full.remove_unused_categories()
        left = [repr(c) for c in full.categories if c not in set(levels.categories)]
        notes = (f"levels of {name!r} without rows: {', '.join(left)}",) if left else ()
    else:
        if isinstance(answer.dtype, pd.ArrowDtype):
            answer = answer.astype(object)
        if pd.api.types.is_numeric_dtype(answer.dtype) and not pd.api.types.is_bool_dtype(answer.dtype):
            distinct = answer.nunique()
            numbers = np.asarray(answer, float)
            with np.errstate(invalid="ignore"):
                whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
            if not whole.all() or (distinct > CODED and distinct > len(answer) / 10):
                raise DataError(
                    f"the response {name!r} is continuous ({distinct} distinct numbers): classification needs classes, "
                    f"such as pd.cut({name}, 3)"
                )
        try:
            levels, notes = pd.Categorical(answer), ()
            levels = levels.remove_unused_categories() if levels.ordered else levels
            sorted(levels.categories)
        except TypeError:
            raise DataError(f"the response {name!r} mixes types that have no order: make it a categorical") from None
    if len(levels.categories) == 1:
        raise DataError(f"the response {name!r} has one class, {shown(levels.categories[0])}: classification needs two")
    return levels, notes
