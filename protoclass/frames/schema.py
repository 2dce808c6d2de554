"""Types of columns: the schema that a fit stores, checks of data and of new rows, and values that
are not in the training data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from operator import add, or_
from typing import Any

import numpy as np
import pandas as pd

from ..ground.checks import hint_for_value
from ..ground.errors import DataError, DataWarning, FormulaError, first_of, shown, warn
from ..ground.savable import savable
from .formula import Formula
from .misread import (
    LOOKED_AT,
    REPEATED,
    check_separator,
    in_days,
    numbers_as_text,
    refuse_numbers_as_text,
    warn_of_alike,
)

HOW = ("warn", "raise", "zero")  # how `Fit.predict` treats them
FATES = {  # treatment of the rows, by the metric: see `Metric.unseen`
    "missing": "the rows with these values get no prediction (NA)",
    "unlike": "the dissimilarity treats them as different from every known value",
    "skipped": "the dissimilarity treats them as missing values",
    "zero": "all columns derived from it are 0 in these rows",
}

# types of Python, and how a column of them becomes one of numbers, texts or series
CONVERTED: tuple[tuple[Any, str, str], ...] = (
    ((int, float, np.number, Decimal), "numbers as Python objects", "pd.to_numeric({})"),
    (bytes, "bytes", "{}.str.decode('utf-8')"),
    (timedelta, "durations", "pd.to_timedelta({}).dt.total_seconds()"),
)


@savable
@dataclass(frozen=True)
class Column:
    """The properties of a column.

    Attributes
    ----------
    kind : "numeric", "boolean", "category" or "series" (lists or arrays of numbers)
    levels : tuple
        Levels of a category, in order; empty for other kinds.
    ordered : bool
        Whether the levels are ordered in the data.
    coded : bool
        Whether C() makes a category of numbers.
    """

    kind: str
    levels: tuple[Any, ...] = ()
    ordered: bool = False
    coded: bool = False


def learn_schema(kept: Mapping[Any, pd.Series], formula: Formula) -> dict[str, Column]:
    """The properties of the columns that a formula uses."""
    schema = {name: describe_column(kept[name]) for name in kept}
    coded, computed, unchanged = formula.coded(), formula.computed(), formula.unchanged()
    for name, column in schema.items():
        declared = isinstance(kept[name].dtype, pd.CategoricalDtype)
        if column.kind == "category" and not declared and name not in coded:
            refuse_numbers_as_text(name, column.levels)
            warn_of_alike(f"levels of {name!r}", column.levels)
    for name in coded:
        if schema[name].kind == "category":
            continue
        if name in unchanged or name in computed:
            raise FormulaError(
                f"{formula.quoted} uses {name!r} both as C({name}) and as a number: make a copy of the column"
            )
        levels = np.unique(kept[name].dropna().to_numpy(dtype=object)).tolist()
        schema[name] = Column("category", tuple(levels), coded=True)
    for name in computed:
        if schema[name].kind == "category":
            raise FormulaError(
                f"{name!r} in {formula.quoted} is a category, but transforms need numbers: leave the transform out"
            )
    return schema


def describe_column(values: pd.Series) -> Column:
    dtype, name = values.dtype, values.name
    check_texts(values, f"the column {name!r}")
    if isinstance(dtype, pd.CategoricalDtype):
        return Column("category", tuple(dtype.categories), bool(dtype.ordered))
    if pd.api.types.is_bool_dtype(dtype):
        return Column("boolean")
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        return Column("numeric")
    present = values.dropna().astype(object)

    def only(*kinds: Any) -> bool:
        return all(isinstance(v, kinds) for v in present)

    untyped = isinstance(dtype, (pd.StringDtype, pd.ArrowDtype, np.dtypes.ObjectDType))
    if untyped and only(str):
        return Column("category", tuple(sorted(present.unique())))
    if untyped and only(bool, np.bool_):
        return Column("boolean")
    if untyped and only(list, tuple, np.ndarray):
        return Column("series")
    types = " and ".join(sorted({type(v).__name__ for v in present}))
    column = f"data[{name!r}]"
    for kinds, what, convert in CONVERTED:
        if len(present) and only(kinds):
            raise DataError(
                f"column {name!r} contains {what}: convert it, {column} = {convert.format(column)}"
            )
    if pd.api.types.is_datetime64_any_dtype(dtype) or only(date):
        raise DataError(
            f"column {name!r} contains dates, but distances need numbers: use {in_days(column, column)}"
        )
    if only(str, int, float, np.number):
        refuse_numbers_as_text(name, sorted(map(str, present.unique())))
    raise DataError(
        f"column {name!r} contains {types if untyped else dtype}: convert it to numbers, texts, "
        "categories or booleans, or leave it out"
    )


def check_kind(values: pd.Series, known: Column) -> None:
    if (known.kind == "numeric" and values.dtype.kind in "iuf") or values.isna().all():
        return
    kind = describe_column(values).kind
    coded = (
        kind == "numeric"
        and known.kind == "category"
        and not any(isinstance(level, str) for level in known.levels)
    )
    if kind != known.kind and not coded and not {kind, known.kind} <= {"numeric", "boolean"}:
        name, cure = values.name, ": convert it"
        if known.kind == "numeric" and kind == "category":
            found = numbers_as_text(name, values.dropna().astype(str).unique())
            cure = f", {found}" if found else cure
        elif known.kind == "category":
            cure += f", data[{name!r}] = data[{name!r}].astype(str)"
        raise DataError(
            f"column {name!r} was {known.kind} in the training data, but is {kind} "
            f"({values.dtype}) in the new data{cure}"
        )


def with_levels(values: pd.Series, known: Column) -> pd.Categorical:
    """A category with the known levels; other values are missing."""
    # each value is sought once: 15 % of the time of 300,000 rows with six categories and LDA
    codes, found = pd.factorize(values)
    places = np.append(pd.Index(known.levels).get_indexer(found.astype(object)), -1)
    return pd.Categorical.from_codes(places[codes], list(known.levels), ordered=known.ordered)


def numbers(values: pd.Series) -> np.ndarray:
    if values.dtype == np.float32:
        return values.to_numpy()
    return values.to_numpy(dtype=float, na_value=np.nan)


def read_classes(response: pd.Series, missing: pd.Series) -> tuple[pd.Categorical, tuple[str, ...]]:
    """The response with the levels that occur, and notes on it; `missing` counts by column."""
    check_texts(response, f"the response {response.name!r}")
    name, counts = response.name, response.value_counts()
    if isinstance(response.dtype, pd.CategoricalDtype):
        full = pd.Categorical(response)
        levels = full.remove_unused_categories()
        unused = [repr(c) for c in full.categories if c not in set(levels.categories)]
        notes = (f"levels of {name!r} without rows: {', '.join(unused)}",) if unused else ()
    else:
        if isinstance(response.dtype, pd.ArrowDtype):
            response = response.astype(object)
        # of which there is no index
        response = response.astype("float32") if response.dtype == np.float16 else response
        if pd.api.types.is_any_real_numeric_dtype(response.dtype):
            numbers = np.asarray(response, float)
            with np.errstate(invalid="ignore"):
                integral = np.isfinite(numbers) & (numbers == np.floor(numbers))
            # whole numbers with many levels, and few rows for each, are a measurement
            several = len(counts) > 50 and len(counts) > len(response) / 10
            rare = counts.min() < REPEATED or not np.isfinite(numbers).all()
            if rare and (several or not integral.all()):
                raise DataError(
                    f"the response {name!r} is continuous or has classes of one or two rows "
                    f"({len(counts)} distinct numbers): make "
                    f"classes, such as pd.cut(data[{name!r}], 3), or use "
                    f"data[{name!r}].astype('category') if they are classes"
                )
        try:
            levels, notes = pd.Categorical(response), ()
            levels = levels.remove_unused_categories() if levels.ordered else levels
            sorted(levels.categories)
        except TypeError:
            raise DataError(
                f"the response {name!r} mixes types that cannot be ordered: make it a categorical"
            ) from None
        if counts.min() < REPEATED and levels.categories.inferred_type == "string":
            refuse_numbers_as_text(name, levels.categories)
    if len(levels.categories) == 1:
        lost = (
            f" in the {len(levels)} rows that no missing value has dropped ({_counted(missing)})"
            if missing.any()
            else ""
        )
        cure = ": fill in missing values, or use na='keep' with Gower or series" if lost else ""
        cure += (
            "; classes called 'NA' or 'None' need pd.read_csv(..., keep_default_na=False)"
            if missing.get(name)
            else ""
        )
        raise DataError(
            f"the response {name!r} has one class, {shown(levels.categories[0])}{lost}, but "
            f"classification needs two{cure}"
        )
    warn_of_alike(f"classes of {name!r}", levels.categories)
    return levels, notes


def class_codes(truth: pd.Series, levels: pd.Index) -> np.ndarray:
    """Class codes of a response, -1 if missing; raises for unknown classes."""
    check_texts(truth, f"the response {truth.name!r}")
    try:
        codes = levels.get_indexer(truth.astype(object))
    except TypeError:
        raise DataError(
            f"the response {truth.name!r} contains values that are not classes"
        ) from None
    unseen = truth[(codes < 0) & truth.notna().to_numpy()].astype(object).unique()
    if len(unseen):
        raise DataError(
            f"the response {truth.name!r} has classes that were not in the training data: "
            f"{first_of([*map(shown, unseen)])}"
        )
    return codes


@dataclass(frozen=True)
class Unseen:
    """Counts of rows by value that is not a level of its column; `+` joins two sets of rows.

    Attributes
    ----------
    counts : mapping of column to counts of rows by value
    schema : mapping of column to Column
    """

    counts: Mapping[str, Counter[Any]] = field(default_factory=dict)
    schema: Mapping[str, Column] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __add__(self, other: Unseen) -> Unseen:
        return self._joined(other, add)

    def __or__(self, other: Unseen) -> Unseen:
        """Both, of the same rows."""
        return self._joined(other, or_)

    def _joined(self, other: Unseen, join: Callable[..., Counter[Any]]) -> Unseen:
        names, none = dict.fromkeys([*self.counts, *other.counts]), Counter[Any]()
        counts = {c: join(self.counts.get(c, none), other.counts.get(c, none)) for c in names}
        return Unseen(counts, {**self.schema, **other.schema})

    def of(self, names: Iterable[str]) -> Unseen:
        """The values of some columns."""
        return Unseen({c: self.counts[c] for c in names}, self.schema)

    def words(self, name: str) -> str:
        """The values of a column and the known levels, in words."""
        known = self.schema[name]
        if known.kind == "letters":
            return f"column {name!r} has letters that the training data lack: {self.values(name)}"
        if known.kind == "boolean":
            return (
                f"column {name!r} was boolean in the training data, but has values that are "
                f"neither true nor false: {self.values(name)}"
            )
        levels = first_of([shown(level) for level in known.levels])
        return f"column {name!r} has levels that the training data ({levels}) lack: {self.values(name)}"

    def values(self, name: str) -> str:
        """The values of a column with their counts, in words."""
        return first_of(
            [
                f"{shown(value)} ({n} row{'s' if n > 1 else ''})"
                for value, n in self.counts[name].most_common()
            ]
        )

    def refuse(self) -> None:
        """Raise if there are any."""
        for name in self.counts:
            letters = self.schema[name].kind == "letters"
            raise DataError(
                f"{self.words(name)}. Leave these rows out"
                f"{'' if letters else ', or fit without the column, because an identifier is not a useful predictor'}"
            )

    def warn(self, fates: Mapping[str, str], cure: str = "") -> None:
        """Warn of each column in `fates`, with the treatment of its rows, a key of `FATES`."""
        for name in self.counts:
            if name in fates:
                warn(f"{self.words(name)}; {FATES[fates[name]]}{cure}", DataWarning)

    def warn_of_folds(self, fold: str = "fold") -> None:
        """Warn that training rows of a fold lack levels of the held-out rows."""
        for name in self.counts:
            warn(
                f"column {name!r} has levels that the training rows of a {fold} lack "
                f"({self.values(name)}): when held out, these rows get "
                "no prediction (NA), as new rows would, and count as errors",
                DataWarning,
            )


def alone(codes: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Whether the level of a row occurs in its fold only, bool (n,).

    Parameters
    ----------
    codes : int array (n,)
        Codes of levels, -1 for none.
    fold : int array (n,)

    Examples
    --------
    >>> alone(np.array([0, 0, 1, 1, -1]), np.array([0, 1, 1, 1, 0])).tolist()
    [False, False, True, True, False]
    """
    return np.asarray((codes >= 0) & (pd.Series(fold).groupby(codes).transform("nunique") == 1))


def unseen_values(values: pd.Series, known: Column, levels: pd.Categorical | None) -> np.ndarray:
    """Mask (n,) of values that are neither missing nor a level.

    Parameters
    ----------
    values : Series (n,)
    known : Column
        A category, or a boolean, whose levels are false and true, also as 0 and 1.
    levels : Categorical (n,), or None for a boolean
        The column with the known levels.
    """
    if levels is not None:
        return (levels.codes < 0) & ~values.isna().to_numpy()
    if pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        return np.zeros(len(values), bool)
    return values.notna().to_numpy() & ~values.isin([0, 1]).to_numpy()


def check_names(columns: pd.Index, values: Sequence[Any] = ()) -> None:
    """Raise unless names are texts that differ; values of an only column may show a separator."""
    check_separator(columns, values)
    check_unique(pd.Index(columns), "column")
    not_text = [c for c in columns if not isinstance(c, str)]
    if not_text:
        raise DataError(
            f"column names must be text, but {not_text[0]!r} is not: use data.columns = data.columns.map(str)"
        )


def missing_values(counts: pd.Series, na: str) -> DataError:
    """The error if values are missing with na="raise", or leave no row; `counts` is by column."""
    if na == "raise":
        return DataError(f"missing values in {_counted(counts)}: fill them, or use na='drop'")
    return DataError(
        f"no row is complete, with missing values in {_counted(counts)}: fill them, or leave out "
        "the columns that miss most"
    )


def _counted(counts: pd.Series) -> str:
    """Columns with missing values and their counts, in words, the most first."""
    most = counts[counts > 0].sort_values(ascending=False, kind="stable")
    return first_of([f"{name!r} ({count})" for name, count in most.items()])


def check_weight_of_classes(levels: pd.Categorical, weight: np.ndarray, response: Any) -> None:
    """Raise unless every class has weight."""
    total = np.bincount(levels.codes, weight, len(levels.categories))
    if not (total > 0).all():
        empty = levels.categories[int(np.argmin(total > 0))]
        raise DataError(
            f"class {shown(empty)} of {response!r} has no weight, but every class needs rows of positive weight"
        )


def given_weights(weights: Any, data: pd.DataFrame) -> np.ndarray:
    """Weights of the rows, (n,). Default: 1."""
    if weights is None:
        return np.ones(len(data))
    values = np.asarray(along(weights, data, "weights"))
    try:
        if values.dtype.kind in "cmM":
            raise TypeError
        values = values.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise DataError("weights must be numbers") from None
    with np.errstate(over="ignore"):
        valid = (np.isfinite(values) & (values >= 0)).all() and np.isfinite(values.sum())
    if not valid:
        raise DataError("weights must be finite and not negative, with a finite sum")
    return values


def group_codes(groups: Any, data: pd.DataFrame) -> np.ndarray | None:
    """Codes 0, 1, ... of the groups of rows, (n,); None if there are none."""
    if groups is None:
        return None
    return pd.factorize(labels_along(groups, data, "groups"))[0]


def labels_along(given: Any, data: pd.DataFrame, what: str) -> pd.Series:
    """A label for each row, by position."""
    try:
        of_row = pd.Series(np.asarray(along(given, data, what), object))
        of_row.nunique()
    except TypeError:  # of a value that has no hash
        raise DataError(
            f"{what} must be labels such as numbers or texts, not values such as lists"
        ) from None
    if of_row.isna().any():
        raise DataError(f"{what} must not have missing values")
    return of_row


def along(given: Any, data: pd.DataFrame, what: str) -> Any:
    """A value for each row: a column by name, a Series by label, an array by position."""
    if isinstance(given, str):
        if given in data.index.names and given not in data.columns:
            return data.index.get_level_values(given).to_series(data.index)
        check_column(given, data.columns, what)
        return data[given]
    if isinstance(given, pd.Series):
        check_unique(given.index, f"{what} row")
        missing = data.index[given.index.get_indexer(data.index) < 0]
        if len(missing):
            raise DataError(
                f"{what} lack the row {shown(missing[0])}: use an index with every row label of the data"
            )
        return given.loc[data.index]
    try:
        values = np.asarray(given)
    except ValueError:
        raise DataError(f"{what} must be one value for each row") from None
    if values.shape != (len(data),):
        raise DataError(
            f"{what} have shape {values.shape}, but the data have {len(data)} rows: use the name "
            "of one column, or a value for each row"
        )
    return values


def columns_given(given: Any, data: pd.DataFrame) -> list[Any]:
    """The columns of the data that are an argument, a name or values of the rows."""
    if given is None:
        return []
    values = labels_along(given, data, "groups").set_axis(data.index)
    return [
        name
        for name in data
        if all(
            same_values(data[name].iloc[:rows], values.iloc[:rows]) for rows in (LOOKED_AT, None)
        )
    ]


def same_values(one: pd.Series, other: pd.Series) -> bool:
    """Whether two columns have the same values, also of different types or as texts."""
    return one.equals(other) or any(
        bool((one.astype(kind) == other.astype(kind)).all()) for kind in (object, str)
    )


def check_column(name: str, columns: pd.Index, what: str) -> None:
    """Raise unless a name is the name of a column."""
    if name not in columns:
        hint = hint_for_value(what, name, map(str, columns))
        raise DataError(f"{what}={name!r} is not a column of the data{hint and ': '}{hint}")


def check_texts(values: pd.Series | pd.Index, what: str) -> None:
    """Raise for a text with half a character (a lone surrogate), which cannot be shown."""
    levels = values.dtype.categories if isinstance(values.dtype, pd.CategoricalDtype) else values
    for text in levels if levels.dtype == object else ():
        if isinstance(text, str) and not text.isascii() and re.search("[\ud800-\udfff]", text):
            cure = "replace it, text.encode('utf-8', 'replace').decode()"
            raise DataError(
                f"{what} contains {shown(text)}, which has half a character (a lone surrogate): {cure}"
            )


def check_unique(names: pd.Index, what: str) -> None:
    check_texts(names, f"a {what} label")
    if not names.is_unique:
        cure = (
            "data.reset_index(drop=True) gives new ones"
            if what.endswith("row")
            else "rename one of them"
        )
        repeated = shown(names[names.duplicated()][0])
        raise DataError(f"the {what} label {repeated} occurs more than once: {cure}")
