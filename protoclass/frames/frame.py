"""The molded predictors and classes of a table, with or without its rows."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ..core.coding import as_slice
from ..ground.checks import one_of
from ..ground.errors import (
    DataError,
    FormulaError,
    NotAvailableError,
    OptionError,
    TooLargeError,
    cut,
    printed,
    shown,
)
from ..ground.savable import savable
from .formula import Formula, read
from .misread import LOOKED_AT, check_separator, note_codes, refuse_row_numbers
from .schema import (
    Column,
    Unseen,
    alone,
    check_kind,
    check_names,
    check_unique,
    check_weight_of_classes,
    columns_given,
    given_weights,
    learn_schema,
    missing_values,
    numbers,
    read_classes,
    unseen_values,
    with_levels,
)
from .tables import GONE, as_pandas, rows_at_once
from .terms import Term, columns_of, for_formulaic, functions

LARGEST = 2**33  # bytes of a design matrix
COMPUTING = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)


@savable
@dataclass(frozen=True)
class Frame:
    """Predictors and response of the rows that take part.

    Attributes
    ----------
    columns : DataFrame (n, ...)
        The predictors that the formula names, as they are in the data.
    response : Categorical (n,), or None
    formula : Formula
    schema : mapping of column name to Column
    spec : formulaic's trained specification of the design matrix, or None for unchanged predictors
    weights : array (n,)
    dropped : Index
        Labels of the rows left out because of missing values.
    keep : bool
        Whether rows with missing predictors take part (Gower).
    notes : tuple of str
        Notes on the data for the summary.
    """

    columns: pd.DataFrame
    response: pd.Categorical | None
    formula: Formula
    schema: Mapping[str, Column]
    spec: Any
    weights: np.ndarray
    dropped: pd.Index
    keep: bool = False
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.columns)

    @printed
    def __repr__(self) -> str:
        classes = "" if self.response is None else f", {len(self.response.categories)} classes"
        return f"<Frame {self.formula.quoted}: {len(self)} rows, {len(self.schema)} predictors{classes}>"

    @property
    def index(self) -> pd.Index:
        return self.columns.index

    @property
    def classes(self) -> pd.Categorical:
        """The response; raises if the formula has none."""
        if self.response is None:
            raise DataError(f"{self.formula.quoted} has no response: use 'response ~ predictors'")
        return self.response

    @property
    def levels(self) -> pd.Index:
        """Classes in level order."""
        return self.classes.categories

    @property
    def codes(self) -> np.ndarray:
        """Class codes (n,)."""
        return self.classes.codes.astype(np.int64)

    @cached_property
    def class_counts(self) -> np.ndarray:
        """Rows of each class, int (classes,)."""
        return np.bincount(self.codes, minlength=len(self.levels))

    @cached_property
    def class_weights(self) -> np.ndarray:
        """Weight of each class, (classes,)."""
        return np.bincount(self.codes, self.weights, len(self.levels))

    @cached_property
    def remembered(self) -> Frame:
        """The stored rows: all, except for a slim fit."""
        return self

    @property
    def absent(self) -> str | None:
        """The reason why the rows are absent; None if they are present."""
        return None

    def take(self, rows: np.ndarray | slice) -> Frame:
        """Some of the rows, by position; a slice is not copied."""
        response = None if self.response is None else self.response[rows]
        return replace(
            self, columns=self.columns.iloc[rows], response=response, weights=self.weights[rows]
        )

    def again(self, data: Any) -> tuple[Frame, np.ndarray]:
        """A Frame of the complete rows of new data, and which rows those are, bool (rows of data,).

        Every column of the schema must exist once, with the same kind.
        """
        data = as_pandas(data)
        missing = [c for c in self.schema if c not in data.columns]
        if missing:
            check_separator(data.columns)
            raise DataError(
                f"the new data lack the columns {missing}, which the formula {self.formula.quoted} needs: add them"
            )
        columns = data[list(self.schema)]
        check_unique(columns.columns, "column")
        for (name, known), dtype in zip(self.schema.items(), columns.dtypes, strict=True):
            # numbers at once: 0.1 ms a column, 12 of the 16 s of `importance` of 2,308 columns
            if known.kind != "numeric" or dtype.kind not in "iuf":
                check_kind(columns[name], known)
        complete = (
            np.ones(len(columns), bool) if self.keep else columns.notna().to_numpy().all(axis=1)
        )
        part = columns if complete.all() else columns[complete]
        dropped = columns.index[~complete]
        return Frame(
            part, None, self.formula, self.schema, self.spec, np.ones(len(part)), dropped, self.keep
        ), complete

    def refuse_series(self) -> None:
        """Raise for columns of lists or arrays, which have no design matrix."""
        for name, known in self.schema.items():
            if known.kind == "series":
                raise DataError(
                    f"column {name!r} contains series (lists of numbers), which need "
                    "dissimilarity=pc.DTW() and no other predictor: leave out the other "
                    f"predictors, or the column ('- {name}')"
                )

    @cached_property
    def canonical(self) -> pd.DataFrame:
        """The predictors as floats (booleans as 0 and 1), and categories with the known levels.

        Other values of a category are missing.
        """
        self.refuse_series()
        known = self._levels
        values = {c: known[c] if c in known else numbers(self.columns[c]) for c in self.columns}
        return pd.DataFrame(values, self.index)

    @cached_property
    def _levels(self) -> dict[str, pd.Categorical]:
        """The categories with the known levels."""
        return {
            c: with_levels(self.columns[c], known)
            for c, known in self.schema.items()
            if known.kind == "category"
        }

    @cached_property
    def unseen(self) -> dict[str, np.ndarray]:
        """Masks (n,) of values that are not levels, by category and boolean that has some."""
        levels = self._levels
        known = [c for c, column in self.schema.items() if column.kind in ("category", "boolean")]
        where = {c: unseen_values(self.columns[c], self.schema[c], levels.get(c)) for c in known}
        return {c: at for c, at in where.items() if at.any()}

    @property
    def unseen_counts(self) -> Unseen:
        """Counts of rows by value in `unseen`."""
        return self.counted(self.unseen)

    def held_out_levels(self, fold: np.ndarray) -> dict[str, np.ndarray]:
        """Masks (n,) of levels that occur in one fold only, by category that declares no levels."""
        learned = {
            c: v
            for c, v in self._levels.items()
            if not isinstance(self.columns[c].dtype, pd.CategoricalDtype)
        }
        where = {c: alone(v.codes, fold) for c, v in learned.items()}
        return {c: at for c, at in where.items() if at.any()}

    def counted(self, where: Mapping[str, np.ndarray]) -> Unseen:
        """Counts of rows by value, in the rows of a mask for each column."""
        counts = {c: Counter(self.columns[c][at].tolist()) for c, at in where.items()}
        return Unseen(counts, {c: self.schema[c] for c in counts})

    def without_unseen(self, names: Iterable[str]) -> Frame:
        """The frame whose unseen values of these columns are missing, or false."""
        columns = self.columns
        for name in names:
            if name in self.unseen:
                boolean = self.schema[name].kind == "boolean"
                values = columns[name] if boolean else columns[name].astype(object)
                known = values.mask(self.unseen[name], 0 if boolean else None)
                columns = columns.assign(**{name: known})
        if columns is self.columns:
            return self
        keep = self.keep and bool(self.columns.isna().any(axis=None))
        return replace(self, columns=columns, keep=keep)

    @property
    def design(self) -> pd.DataFrame:
        """The design matrix (n, p) in floats: no intercept, a column for each level of a category;
        raises DataError for unseen levels and values that are not finite."""
        self.unseen_counts.refuse()
        return self.expanded

    @cached_property
    def expanded(self) -> pd.DataFrame:
        """The design matrix; the columns of a category are 0 for unseen values."""
        self.refuse_series()
        if self.keep and (missing := self.columns.isna()).to_numpy().any():
            row, column = np.argwhere(missing.to_numpy())[0]
            raise DataError(
                f"column {missing.columns[column]!r} is missing at row {shown(self.index[row])}, "
                "but only Gower and forest dissimilarities take missing values: use na='drop'"
            )
        table = self._unchanged() if self.spec is None else self._computed()
        values = table.to_numpy()
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
        if not np.isfinite(total) and not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            name, label = table.columns[column], self.index[row]
            raise DataError(
                f"column {name!r} is {values[row, column]} at row {shown(label)}, but distances need finite numbers"
            )
        return table

    def _unchanged(self) -> pd.DataFrame:
        # a frame without a schema has the columns of a design matrix
        if self.schema and not _unchanged_numbers(self):
            raise _too_wide(self)
        single = set(self.columns.dtypes) == {np.dtype("float32")}
        values = self.columns.to_numpy(np.float32 if single else float, na_value=np.nan)
        return pd.DataFrame(values, self.index, self.columns.columns)

    def _computed(self) -> pd.DataFrame:
        names = pd.Index([self.formula.written(c) for c in self.spec.column_names])
        if not names.is_unique:
            raise DataError(
                f"two columns of the design matrix have the name {names[names.duplicated()][0]!r}: "
                "rename one in the data"
            )
        return compute(self.spec, self)[0].set_axis(names, axis=1)

    def terms(self) -> dict[str, pd.Series]:
        """One variable for each term, for metrics of mixed columns: numbers or categories."""
        canonical = self.canonical
        variables: dict[str, pd.Series] = {}
        for term in self.formula.terms:
            factors = [f for f in term.factors if f.how != "literal"]
            if len(factors) != 1:
                raise OptionError(
                    f"the interaction {shown(self.formula.written(term))} is not one variable: use "
                    "its columns as terms of their own, compute the interaction as a column of the "
                    "data frame, or use dissimilarity='euclidean', which codes the levels of "
                    "categories as columns of 0 and 1"
                )
            name, column = factors[0].expr, self.formula.column_of(term)
            if column is not None:
                variables[column] = canonical[column]
                continue
            if self.keep and self.columns.isna().any(axis=None):
                written = shown(self.formula.written(name))
                raise OptionError(
                    f"na='keep' needs unchanged columns, not {written}: compute it in the data first"
                )
            table = self.expanded
            if name.startswith("cut("):  # its columns are the levels of one category
                block = table.iloc[:, columns_of(term, self.spec)]
                codes = block.to_numpy().argmax(axis=1)
                values = pd.Categorical.from_codes(codes, block.columns)
                variables[self.formula.written(name)] = pd.Series(values, self.index)
                continue
            variables |= {c: table[c] for c in table.columns[columns_of(term, self.spec)]}
        return variables


def mold(
    formula: str,
    data: pd.DataFrame,
    *,
    na: str = "drop",
    weights: Any = None,
    aside: tuple[Any, ...] = (),
    response: bool = True,
) -> Frame:
    """Make a Frame.

    Parameters
    ----------
    formula : str
        R's grammar; the response must be a column. One-sided (`"~ a + b"`) if `response` is False.
    data : DataFrame
    na : "drop", "raise" or "keep"
        Treatment of rows with missing values; "keep" keeps those with some predictors.
    weights : column name, Series (by label) or array (by position), optional
    aside : names, or values for each row, of further columns that `.` leaves out

    Raises
    ------
    FormulaError, DataError, OptionError

    Examples
    --------
    >>> import pandas as pd
    >>> mold("y ~ .", pd.DataFrame({"a": [1.0, 2.0], "y": ["u", "v"]}))
    <Frame 'y ~ .': 2 rows, 1 predictors, 2 classes>
    """
    check_names(data.columns, data.iloc[:LOOKED_AT, 0] if data.shape[1] == 1 else ())
    one_of("na", na, ("drop", "raise", "keep"))
    if len(data) == 0:
        raise DataError("the data have no rows")
    check_unique(data.index, "row")
    weight = given_weights(weights, data)
    excluded = [name for given in (*aside, weights) for name in columns_given(given, data)]
    parsed = read(formula, data.columns, excluded)
    refuse_row_numbers(parsed, data)
    if response and parsed.response is None:
        raise DataError(f"{formula!r} has no response: use 'response ~ predictors'")
    columns = data[list(parsed.variables)]
    needed = [*([] if na == "keep" else columns), *([parsed.response] if response else [])]
    missing = data[needed].isna()
    dropped, counts = missing.to_numpy().any(axis=1), missing.sum()
    # a row without any predictor has no dissimilarity to another
    if na == "keep" and len(columns.columns):
        dropped |= columns.isna().to_numpy().all(axis=1)
    if dropped.any() and (na == "raise" or dropped.all()):
        raise missing_values(counts, na)
    complete = columns[~dropped] if dropped.any() else columns
    schema = learn_schema(complete, parsed)
    # how the rows were sampled
    notes: tuple[str, ...] = (data.attrs["note"],) if "note" in data.attrs else ()
    levels = None
    if response:
        levels, of_classes = read_classes(data[parsed.response][~dropped], counts)
        notes += of_classes + note_codes(complete, parsed.unchanged())
        check_weight_of_classes(levels, weight[~dropped], parsed.response)
    frame = Frame(
        complete,
        levels,
        parsed,
        schema,
        None,
        weight[~dropped],
        data.index[dropped],
        na == "keep",
        notes,
    )
    return replace(frame, spec=trained_spec(frame))


def trained_spec(frame: Frame) -> Any:
    """Formulaic's specification, trained on the rows; None for plain numbers, and for a design
    matrix that is too large.
    """
    if _unchanged_numbers(frame) or _width(frame) * len(frame) * 8 > LARGEST:
        return None  # Gower uses unchanged categories; a metric that requests `design` checks it
    rows = frame
    if frame.keep:
        rows = frame.take(np.flatnonzero(~frame.columns.isna().any(axis=1).to_numpy()))
        if len(rows) == 0:
            return None
    if frame.formula.plain():
        # unchanged columns: only the levels are learned, and one row has them
        rows = rows.take(slice(1))
    # rows with missing values are already left out; `design` reports values that a transform makes
    # missing
    return compute(untrained(frame.formula.terms), rows)[1]


def spec_of_states(frame: Frame, states: Mapping[str, Any]) -> Any:
    """Formulaic's specification from the stored states of its transforms, by text, without rows."""
    return compute(untrained(frame.formula.terms, states), frame.take(np.arange(0)))[1]


def _unchanged_numbers(frame: Frame) -> bool:
    """Whether the design matrix has the predictors as they are."""
    return frame.formula.plain() and all(c.kind != "category" for c in frame.schema.values())


def _too_wide(frame: Frame) -> TooLargeError:
    """The error if the design matrix is too large, which names the category of the most levels."""
    widest = max(frame.schema, key=lambda c: len(frame.schema[c].levels))
    return TooLargeError(
        f"the design matrix of {frame.formula.quoted} would have {_width(frame):,} columns "
        f"({len(frame.schema[widest].levels)} levels of {shown(widest)}), too many for "
        f"{len(frame)} rows: leave out terms or the column, or use dissimilarity='gower'"
    )


def _width(frame: Frame) -> int:
    """A lower bound on the number of columns of the design matrix, from numbers of levels."""

    def columns(factor: Any) -> int:
        if factor.how == "lookup" or factor.expr.startswith("C("):
            return max(1, *(len(frame.schema[c].levels) for c in frame.formula.uses[factor.expr]))
        return 1

    return sum(prod(map(columns, term.factors)) for term in frame.formula.terms)


def compute(spec: Any, rows: Frame) -> tuple[pd.DataFrame, Any]:
    """The design matrix by formulaic, and its trained specification."""
    from formulaic.errors import FormulaicError

    columns = rows.canonical
    columns = columns.set_axis([rows.formula.names.of(c) for c in columns], axis=1)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # log of a negative number: the check for finite values gives a better message
            warnings.simplefilter("ignore")
            made = spec.get_model_matrix(columns, context=functions())
            return pd.DataFrame(made).astype(float), made.model_spec
    except (FormulaicError, *COMPUTING) as reason:
        if isinstance(reason.__cause__, (FormulaError, DataError)):
            raise reason.__cause__ from None
        first = (str(reason).splitlines() or [type(reason).__name__])[0]
        raise DataError(
            f"{rows.formula.quoted} can't be computed: {cut(rows.formula.written(first))}"
        ) from None


def untrained(terms: Iterable[Term], states: Mapping[str, Any] | None = None) -> Any:
    """Formulaic's specification to be trained; with `states`, the transforms are trained."""
    from formulaic import ModelSpec, SimpleFormula

    return ModelSpec(
        formula=SimpleFormula(for_formulaic(terms)),
        ensure_full_rank=False,
        na_action="ignore",
        output="pandas",
        transform_state=deepcopy(dict(states or {})),
    )


def states_of(spec: Any) -> dict[str, Any]:
    """The learned states of the transforms, by text: numbers, texts and arrays."""
    return deepcopy(dict(sorted(spec.transform_state.items())))


def predictors_of_columns(frame: Frame) -> tuple[frozenset[str], ...]:
    """The predictors of each column of the design matrix, which is not computed.

    Examples
    --------
    >>> import pandas as pd
    >>> from protoclass.frames.frame import mold
    >>> frame = mold("~ a + a:b", pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 3.0]}), response=False)
    >>> [sorted(used) for used in predictors_of_columns(frame)]
    [['a'], ['a', 'b']]
    """
    if frame.spec is None:
        return tuple(frozenset([c]) for c in frame.columns.columns)
    made: list[frozenset[str]] = [frozenset()] * len(frame.spec.column_names)
    for term in frame.formula.terms:
        used = frozenset().union(*(frame.formula.uses[f.expr] for f in term.factors))
        for k in range(len(made))[columns_of(term, frame.spec)]:
            made[k] = used
    return tuple(made)


@savable
class RowlessFrame(Frame):
    """A frame without its rows, which still reads new rows.

    Attributes
    ----------
    remembered : Frame
        The rows that are prototypes.
    class_counts, class_weights : int array and array (classes,)
        Number and weight of the former rows of each class.
    """

    def __init__(
        self, remembered: Frame, class_counts: np.ndarray, class_weights: np.ndarray
    ) -> None:
        for name in ("formula", "schema", "spec", "keep", "dropped", "notes"):
            vars(self)[name] = getattr(remembered, name)
        vars(self).update(
            remembered=remembered, class_counts=class_counts, class_weights=class_weights
        )

    @property
    def absent(self) -> str | None:
        return GONE

    @property
    def response(self) -> pd.Categorical | None:
        """The classes, without rows."""
        known = self.remembered.response
        return None if known is None else known[:0]

    def __len__(self) -> int:
        return int(self.class_counts.sum())

    @printed
    def __repr__(self) -> str:
        return f"<Frame {self.formula.quoted}: {len(self)} rows, which are gone>"

    def again(self, data: Any) -> tuple[Frame, np.ndarray]:
        return self.remembered.again(data)

    def _gone(self, *_: Any) -> NoReturn:
        raise NotAvailableError(GONE)

    columns = weights = index = codes = design = canonical = property(_gone)
    take = terms = _gone  # type: ignore[assignment]


def rowless(frame: Frame, rows: np.ndarray) -> RowlessFrame:
    """The frame without its rows, except these."""
    prototypes = replace(frame.remembered.take(rows), dropped=frame.dropped[:0], notes=())
    return RowlessFrame(prototypes, frame.class_counts, frame.class_weights)


WHOLE = 2**23  # entries of a design matrix that is made as a whole: 64 MB


def blocks(frame: Frame) -> Iterator[tuple[slice, Frame]]:
    """The blocks of rows of a frame, and the frame of each; a short frame is one block.

    Blocks start at multiples of a power of two.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = mold("~ a", pd.DataFrame({"a": [1.0, 2.0]}), response=False)
    >>> [(rows.start, rows.stop) for rows, _ in blocks(frame)]
    [(0, 2)]
    """
    n, step = len(frame), _rows(frame)
    for first in range(0, max(1, n), step):
        rows = slice(first, min(first + step, n))
        yield rows, frame if step >= n else frame.take(rows)


def long(frame: Frame) -> bool:
    """Whether `blocks` divides the frame."""
    return _rows(frame) < len(frame)


def design_rows(frame: Frame, at: np.ndarray | slice) -> np.ndarray:
    """Rows of the design matrix (len(at), p), in double precision; a long one is not made whole."""
    if isinstance(at, np.ndarray):
        at = as_slice(at)
    if long(frame):
        return frame.take(at).design.to_numpy(float)
    return frame.design.to_numpy(float)[at]


def _rows(frame: Frame) -> int:
    """Rows of a block."""
    width = len(frame.schema if frame.spec is None else frame.spec.column_names)
    return max(1, len(frame)) if len(frame) * width <= WHOLE else rows_at_once(width)
