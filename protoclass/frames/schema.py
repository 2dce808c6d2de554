"""Types of columns: the schema that a fit stores, checks of data and of new rows, and values that are not in the training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add, or_
from typing import Any

import numpy as np
import pandas as pd

from ..ground.checks import hint_for_value, quoted
from ..ground.errors import DataError, DataWarning, FormulaError, shown, warn
from ..ground.savable import savable
from .formula import Formula

CODED = 50  # a whole-number response with more levels than this, and few rows for each, counts as a measurement
HOW = ("warn", "raise", "zero")  # how `Fit.predict` treats them
FATES = {  # treatment of the rows, by the metric: see `Metric.unseen`
    "missing": "the rows with these values get no prediction (NA)",
    "unlike": "the dissimilarity treats them as different from every known value",
    "skipped": "the dissimilarity treats them as missing values",
    "zero": "all columns derived from it are 0 in these rows",
}
LEAST = 1e-250  # of a weight that is not 0


@savable
@dataclass(frozen=True)
class Column:
    """The properties of a column that a fit learns.

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


def learn_schema(kept: pd.DataFrame, formula: Formula) -> dict[str, Column]:
    schema = {name: describe_column(kept[name]) for name in kept}
    coded, computed, unchanged = formula.coded(), formula.computed(), formula.unchanged()
    for name in coded:
        used_as_number = name in unchanged or name in computed
        if used_as_number and schema[name].kind != "category":
            raise FormulaError(f"{formula.quoted} uses {name!r} both as C({name}) and as a number: make a copy of the column")
        if schema[name].kind != "category":
            levels = np.unique(kept[name].dropna().to_numpy(dtype=object)).tolist()
            schema[name] = Column("category", tuple(levels), coded=True)
    for name in computed:
        if schema[name].kind == "category":
            raise FormulaError(f"{name!r} in {formula.quoted} is a category, but transforms need numbers: leave the transform out")
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
    if untyped and all(isinstance(v, (list, tuple, np.ndarray)) for v in present):
        return Column("series")
    types = " and ".join(sorted({type(v).__name__ for v in present}))
    if untyped and all(isinstance(v, (int, float, np.number)) for v in present):
        raise DataError(
            f"column {name!r} contains numbers as Python objects: convert it, data[{name!r}] = pd.to_numeric(data[{name!r}])"
        )
    raise DataError(
        f"column {name!r} contains {types if untyped else dtype}: convert it to numbers, texts, categories or booleans, or leave it out"
    )


def check_kind(values: pd.Series, known: Column) -> None:
    if (known.kind == "numeric" and values.dtype.kind in "iuf") or values.isna().all():
        return
    kind = describe_column(values).kind
    compatible = {kind, known.kind} <= {"numeric", "boolean"} or (known.coded and kind == "numeric")
    if kind != known.kind and not compatible:
        raise DataError(
            f"column {values.name!r} was {known.kind} in the training data, but is {kind} ({values.dtype}) in the new data: convert it"
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
                    f"the response {name!r} is continuous ({distinct} distinct numbers), but classification needs classes: make some, "
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
        raise DataError(f"the response {name!r} has one class, {shown(levels.categories[0])}, but classification needs two")
    return levels, notes


def class_codes(truth: pd.Series, levels: pd.Index) -> np.ndarray:
    """Class codes of a response, -1 if missing; an error for classes that are not in the training data."""
    try:
        codes = levels.get_indexer(truth.astype(object))
    except TypeError:
        raise DataError(f"the response {truth.name!r} contains values that are not classes") from None
    unseen = truth[(codes < 0) & truth.notna().to_numpy()].astype(object).unique()
    if len(unseen):
        raise DataError(f"the response {truth.name!r} has classes that were not in the training data: {', '.join(map(shown, unseen[:5]))}")
    return np.asarray(codes)


@dataclass(frozen=True)
class Unseen:
    """Numbers of rows with each value that is not a level of its column; the numbers of two sets of rows are joined by `+`.

    Attributes
    ----------
    counts : mapping of column to counts of rows by value
    schema : mapping of column name to Column
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

    def _joined(self, other: Unseen, join: Callable[[Counter[Any], Counter[Any]], Counter[Any]]) -> Unseen:
        names, none = dict.fromkeys([*self.counts, *other.counts]), Counter[Any]()
        counts = {c: join(self.counts.get(c, none), other.counts.get(c, none)) for c in names}
        return Unseen(counts, {**self.schema, **other.schema})

    def of(self, names: Iterable[str]) -> Unseen:
        """Those of some columns."""
        return Unseen({c: self.counts[c] for c in names}, self.schema)

    def words(self, name: str) -> str:
        """The values of a column, with their numbers of rows, and the known levels."""
        known = self.schema[name]
        if known.kind == "boolean":
            return f"column {name!r} was boolean in the training data, but has values that are neither true nor false: {self.values(name)}"
        levels = first_of(known.levels)
        return f"column {name!r} has levels that the training data ({levels}) lack: {self.values(name)}"

    def values(self, name: str) -> str:
        """The values of a column, with their numbers of rows."""
        counts = self.counts[name]
        values = [f"{shown(value)} ({n} row{'s' if n > 1 else ''})" for value, n in counts.most_common(5)]
        return ", ".join(values) + (f" and {len(counts) - 5} more" if len(counts) > 5 else "")

    def refuse(self) -> None:
        """Raise if there are any."""
        for name in self.counts:
            raise DataError(
                f"{self.words(name)}. Leave these rows out, or fit without the column, because an identifier is not a useful predictor"
            )

    def warn(self, fates: Mapping[str, str], cure: str = "") -> None:
        """Warn of each column in `fates`, which gives the treatment of its rows, a key of `FATES`."""
        for name in self.counts:
            if name in fates:
                warn(f"{self.words(name)}; {FATES[fates[name]]}{cure}", DataWarning)

    def warn_of_folds(self, fold: str = "fold") -> None:
        """Warn that held-out rows have them, and the training rows of their fold have not."""
        for name in self.counts:
            warn(
                f"column {name!r} has levels that the training rows of a {fold} lack ({self.values(name)}): when held out, these rows get "
                "no prediction (NA), as new rows would, and count as errors",
                DataWarning,
            )


def alone(codes: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Whether a level occurs in one fold only, so that the rows outside lack it, bool (n,).

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
    first = np.full(codes.max(initial=0) + 1, fold.max(initial=0) + 1)
    last = np.full(len(first), -1)
    np.minimum.at(first, codes[codes >= 0], fold[codes >= 0])
    np.maximum.at(last, codes[codes >= 0], fold[codes >= 0])
    return np.asarray((codes >= 0) & (first == last)[codes])


def unseen_values(values: pd.Series, known: Column, levels: pd.Categorical | None) -> np.ndarray:
    """Where a column has a value that is not missing and none of the levels, bool (n,).

    Parameters
    ----------
    values : Series (n,)
    known : Column
        A category, or a boolean, whose levels are false and true, also as 0 and 1.
    levels : Categorical (n,), or None for a boolean
        The column with the known levels.
    """
    if levels is not None:
        return np.asarray((levels.codes < 0) & ~values.isna().to_numpy())
    if pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        return np.zeros(len(values), bool)
    return np.asarray(values.notna().to_numpy() & ~values.isin([0, 1]).to_numpy())


def check_names(columns: pd.Index) -> None:
    """Raise unless the names of columns are texts that differ."""
    check_unique(pd.Index(columns), "column")
    not_text = [c for c in columns if not isinstance(c, str)]
    if not_text:
        raise DataError(f"column names must be text, but {not_text[0]!r} is not: use data.columns = data.columns.map(str)")


def check_read(needed: Iterable[Any], columns: pd.Index) -> None:
    """Raise unless the columns that a formula needs were read."""
    lost = [name for name in needed if name not in columns]
    if lost:
        raise DataError(
            f"column {lost[0]!r} was not loaded, because the formula of the fit does not name it: call fit with the path or the lazy table"
        )


def missing_values(counts: pd.Series, rows: int, response: Any, na: str) -> DataError:
    """The error of missing values if na="raise", and if they leave no row.

    Parameters
    ----------
    counts : Series
        Missing values of each column.
    rows : int
    response : name of the response, or None
    na : str
    """
    if na == "raise":
        where = ", ".join(f"{c!r} ({k})" for c, k in counts[counts > 0].items())
        return DataError(f"missing values in {where}: fill them, or use na='drop'")
    return DataError(f"no row is complete: {_most_missing(counts / rows, response)}")


def _most_missing(share: pd.Series, response: str | None) -> str:
    """Which columns have no value at all, or otherwise those that miss most, and the cure."""
    if response in share and share[response] == 1:
        return f"the response {response!r} has no value in any row"
    empty = list(share.index[share == 1])
    if empty:
        more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
        which = f"column {empty[0]!r} has" if len(empty) == 1 else f"columns {quoted(empty[:5])}{more} have"
        return f"{which} no value in any row: leave {'it' if len(empty) == 1 else 'them'} out"
    most = share.sort_values(ascending=False, kind="stable").head(5)
    shares = ", ".join(f"{name!r} ({100 * s:.3g} %)" for name, s in most[most > 0].items())
    return f"most values are missing in {shares}: fill them, or leave out the columns that miss most"


def check_weight_of_classes(levels: pd.Categorical, weight: np.ndarray, response: Any) -> None:
    """Raise unless every class has weight, and no weight is so small that sums and quotients of weights are not finite."""
    small = weight[(weight > 0) & (weight < LEAST)]
    if len(small):
        raise DataError(
            f"weights must be 0 or at least {LEAST:g} for numerical accuracy, not {small.min():.4g}: multiply them all by the same number"
        )
    total = np.bincount(levels.codes, weight, len(levels.categories))
    if not (total > 0).all():
        empty = levels.categories[int(np.argmin(total > 0))]
        raise DataError(f"class {shown(empty)} of {response!r} has no weight, but every class needs rows of positive weight")


def given_weights(weights: Any, data: pd.DataFrame) -> np.ndarray:
    """Weights of the rows, (n,): 1, or those given."""
    if weights is None:
        return np.ones(len(data))
    values = np.asarray(along(weights, data, "weights"))
    if values.dtype.kind in "cmM":
        raise DataError("weights must be numbers")
    try:
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
    of_row = pd.Series(np.asarray(along(groups, data, "groups"), object))
    if of_row.isna().any():
        raise DataError("groups must not have missing values")
    return np.asarray(pd.factorize(of_row)[0])


def along(given: Any, data: pd.DataFrame, what: str) -> Any:
    """A value for each row: a column by name, a Series by label, an array by position."""
    if isinstance(given, str):
        check_column(given, data.columns, what)
        return data[given]
    if isinstance(given, pd.Series):
        check_unique(given.index, f"{what} row")
        missing = data.index[~data.index.isin(given.index)]
        if len(missing):
            raise DataError(f"{what} lack the row {shown(missing[0])}: use an index with every row label of the data")
        return given.loc[data.index]
    try:
        values = np.asarray(given)
    except ValueError:
        raise DataError(f"{what} must be one value for each row") from None
    if values.shape != (len(data),):
        raise DataError(f"{what} have shape {values.shape}, but the data have {len(data)} rows")
    return values


def check_column(name: str, columns: pd.Index, what: str) -> None:
    """Raise unless a name is the name of a column."""
    if name not in columns:
        hint = hint_for_value(what, name, map(str, columns))
        raise DataError(f"{what}={name!r} is not a column of the data{hint and ': '}{hint}")


def check_unique(names: pd.Index, what: str) -> None:
    if isinstance(names, pd.IntervalIndex) and names.is_overlapping:
        raise DataError(f"the {what} labels are overlapping intervals: use data.reset_index(drop=True)")
    if not names.is_unique:
        cure = "data.reset_index(drop=True) gives new ones" if what.endswith("row") else "rename one of them"
        repeated = shown(names[names.duplicated()][0])
        raise DataError(f"the {what} label {repeated} occurs more than once: {cure}")
