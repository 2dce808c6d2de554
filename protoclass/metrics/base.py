"""The interface of metrics: a specification with its traits, the trained metric, and the arrays of
its representations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from inspect import get_annotations
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import Array
from ..core.coding import as_slice
from ..core.distances.minkowski import Geometry, minkowski
from ..core.memory import large
from ..core.parallel import Once
from ..core.sources import Rep, part
from ..frames.frame import Frame, blocks
from ..frames.sql_columns import Columns
from ..frames.tables import as_pandas
from ..ground.checks import (
    GRID,
    NamedArguments,
    check_parameters,
    is_listed,
    refuse_number,
)
from ..ground.errors import DataError, NoCoordinatesError, OptionError, brief, first_of
from ..ground.savable import savable


@dataclass(frozen=True)
class Traits:
    """Properties of a metric that its values alone do not show, declared once.

    Write `traits = pc.extend.Traits(symmetric=True)` in the body of the class, or a property
    `traits` if they depend on parameters. A class that replaces `train` or `between` declares its
    own traits. Each is also an attribute of the metric, as in `metric.symmetric`.

    Attributes
    ----------
    symmetric : bool
        Whether D[i, j] and D[j, i] are bit-identical.
    triangle : bool
        Whether complete rows are known to satisfy the triangle inequality.
    slow : bool
        Whether the matrix should be computed once and stored.
    row_by_row : bool
        Whether `rows` represents each row with the same bits for any other rows.
    data_dependent : bool
        Whether the dissimilarities depend on the training rows.
    train_in_folds : bool
        Whether cross-validation must train the metric again in each fold.
    supervised : bool
        Whether training uses classes; `train_in_folds` must then be declared as well.
    given : bool
        Whether this is a given matrix.
    opaque : bool
        Whether the values come from the user's own computation.
    skips_missing : bool
        Whether missing values are skipped pair by pair, which na='keep' needs.
    unseen : "missing", "unlike", "skipped" or "measured"
        Treatment of a new row with a level that is not in the training data. "missing": no
        prediction. "unlike": `rows` finds it in `frame.unseen` and treats it as different from
        every level. "skipped": a missing value. "measured": it is compared like any other value.
    reflexive : bool
        Whether rows that agree in all variables are at distance 0.
    power : float, or None
        Power of the dissimilarities that is a sum over variables or `column_groups`, to which a
        variable in which two rows agree adds 0; `why` needs it.
    column_groups : tuple of tuples of str
        Columns that are one variable, such as the pixels of an image.
    series : bool
        Whether the columns are the steps of a series in this order.
    scaling : str
        Description of the scaling of columns; "" for none.
    geometry : Geometry, or None
        Relation of the values to Minkowski distances between the first arrays of the
        representations, bit by bit.
    """

    symmetric: bool = False
    triangle: bool = False
    slow: bool = False
    row_by_row: bool = False
    data_dependent: bool = False
    train_in_folds: bool = False
    supervised: bool = False
    given: bool = False
    opaque: bool = False
    skips_missing: bool = False
    unseen: str = "missing"
    reflexive: bool = True
    power: float | None = None
    column_groups: tuple[tuple[str, ...], ...] = ()
    series: bool = False
    scaling: str = ""
    geometry: Geometry | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "data_dependent", self.data_dependent or self.train_in_folds)


TRAITS = {f.name for f in fields(Traits)}


class WithTraits:
    """A metric before or after training; each of its `traits` is an attribute, too."""

    @property
    def traits(self) -> Traits:
        return Traits()

    def __init_subclass__(cls) -> None:
        for name in TRAITS & {*vars(cls), *get_annotations(cls)}:
            raise OptionError(
                f"{cls.__name__}.{name} would hide the trait {name!r}: use traits = "
                f"protoclass.extend.Traits({name}=...), or another name for a parameter"
            )

    def __getattr__(self, name: str) -> Any:
        if name not in TRAITS:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.traits, name)


@dataclass(frozen=True)
class Metric(NamedArguments, WithTraits):
    """The specification of a dissimilarity between rows: its parameters, without anything learned.

    Custom metrics derive from this class and declare their `Traits`.

    * A metric that learns nothing defines `rows` and `between`.
    * A metric that learns defines `train`, which returns a `TrainedMetric`; this stores the
      learned values as arrays and defines `rows` and `between`.
    * A metric that transforms another metric derives from `Wrapper`.
    * A metric with coordinates trains to a `VectorMetric`.

    D[i, j] is computed from the representations of row i (`rows`) and of candidate j
    (`candidates`), each a tuple of arrays with one entry per row. A frame has the design matrix
    `frame.design`, the raw predictors `frame.columns`, and the class codes `frame.codes`. A metric
    that can be written as SQL has `sql(columns)`.

    Parameters named in `tunable` may be a sequence of values to tune; `default_grid` returns the
    values of "grid". Such a class checks its parameters in `__post_init__`, after
    `if self.checks_each_value(): return`.
    """

    papers: ClassVar[tuple[str, ...]] = ()  # keys of its papers in `export.methods`
    # parameters that may have several values, of which cross-validation chooses one
    tunable: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        check_parameters(cls, Metric, "metric")
        computed = {"between", "train"} & vars(cls).keys()
        if computed and "traits" not in vars(cls) and cls.traits is not Metric.traits:
            raise OptionError(
                f"{cls.__name__} replaces `{min(computed)}`, but inherits `traits`, which describe "
                "the values of its parent: write its own `traits`"
            )

    @property
    def name(self) -> str:
        return type(self).__name__

    def tuned(self) -> dict[str, Any]:
        """The parameters to tune: those that are "grid" or a sequence of values."""
        return {
            name: value for name in sorted(self.tunable) if is_listed(value := getattr(self, name))
        }

    def checks_each_value(self) -> bool:
        """Whether parameters list values to tune, each of which is then checked by itself."""
        tuned = {
            name: GRID if isinstance(value, str) else list(value)
            for name, value in self.tuned().items()
        }
        for name, values in tuned.items():
            if len(values) == 0 or any(value is None for value in values):
                raise OptionError(
                    f"{name} of {type(self).__name__} must be tuned over a sequence of values "
                    f"other than None, not {brief(values)}"
                )
            object.__setattr__(self, name, values)
        every = (
            [getattr(type(self), name)] if values == GRID else values
            for name, values in tuned.items()
        )
        for point in product(*every) if tuned else ():
            replace(self, **dict(zip(tuned, point, strict=True)))
        return bool(tuned)

    def default_grid(self, parameter: str, frame: Frame) -> Sequence[Any]:
        """The values of "grid" for a parameter, with these rows."""
        raise OptionError(
            f"{type(self).__name__} has no default grid for {parameter}: use a sequence of values"
        )

    def unseen_in(self, column: str) -> str:
        """The trait `unseen`, of the values of one column."""
        return self.traits.unseen

    def pretrain(self, frame: Frame) -> Metric:
        """The metric with the parts trained that need not be trained again in each fold."""
        return self

    def train(self, frame: Frame) -> TrainedMetric:
        """The metric trained on the given rows."""
        return TrainedMetric(self)

    def rows(self, frame: Frame) -> Rep:
        """Side i of D[i, j], for a metric that learns nothing."""
        raise lacking(self, "rows")

    def candidates(self, frame: Frame) -> Rep:
        """Side j of D[i, j], for a metric that learns nothing; by default as side i."""
        return self.rows(frame)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        """Dissimilarities (r, q), for a metric that learns nothing; see `TrainedMetric.between`."""
        raise lacking(self, "between")


def lacking(metric: Metric | TrainedMetric, method: str) -> OptionError:
    """The error for a method that a metric lacks, or has only when trained."""
    if isinstance(metric, Metric) and type(metric).train is not Metric.train:
        return OptionError(
            f"the metric {metric.name} is not trained yet: use metric.train(frame).{method}(...)"
        )
    trained = "" if isinstance(metric, Metric) else "trained "
    return OptionError(
        f"the {trained}metric {metric.name} does not define `{method}`, which this computation needs: write it"
    )


@dataclass(frozen=True)
class AskedRows:
    """Rows to be compared with candidates, mostly new ones.

    Attributes
    ----------
    index : Index
        Labels of all rows.
    complete : bool array
        Whether each row is complete; all rows of a given matrix are.
    frame : Frame of the complete rows, or None for a given matrix
    measure : callable
        `measure(at, candidates)`: dissimilarities (len(at), q) of the complete rows at these
        positions, NaN where missing.
    rows : callable, or None for a given matrix
        Representation of the complete rows, computed when it is first used.
    """

    index: pd.Index
    complete: Array
    frame: Frame | None
    measure: Callable[[Any, Rep], Array]
    rows: Any


@savable
@dataclass(frozen=True, eq=False)
class TrainedMetric(WithTraits):
    """A trained metric: its specification, and the learned values as named arrays.

    The fields besides `spec` are arrays, trained metrics, or tuples of these; two are equal
    (`eq=False` keeps this comparison) if their specifications and all arrays are. It can be used in
    place of a specification, and is then not trained again. `@savable` lets saved fits contain it.
    """

    spec: Metric

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        check_parameters(cls, TrainedMetric, "trained metric")

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def papers(self) -> tuple[str, ...]:
        return self.spec.papers

    @property
    def traits(self) -> Traits:
        """The traits of the specification."""
        return self.spec.traits

    def unseen_in(self, column: str) -> str:
        """The trait `unseen`, of the values of one column."""
        return self.spec.unseen_in(column)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the metric for summaries."""
        return ()

    @property
    def column_weights(self) -> pd.DataFrame | None:
        """Table by column of the design matrix: `weight`, `proportion`, `scale` (the divisor)."""
        return None

    @property
    def class_weights(self) -> Array | None:
        """Weights of the columns by class, (classes, columns), if the classes have their own."""
        return None

    @property
    def untrained(self) -> Metric | TrainedMetric:
        """The specification, which can be trained on other rows; for a given matrix, itself."""
        return self.spec

    @property
    def same_sides(self) -> bool:
        """Whether candidates are represented like rows."""
        return (
            type(self).candidates is TrainedMetric.candidates
            and type(self.spec).candidates is Metric.candidates
        )

    def arrays(self) -> dict[str, Array]:
        """All learned arrays by name; those of inner metrics have names such as "base.spread"."""
        return named_arrays(
            (f.name, getattr(self, f.name)) for f in fields(self) if f.name != "spec"
        )

    def pretrain(self, frame: Frame) -> TrainedMetric:
        return self

    def train(self, frame: Frame) -> TrainedMetric:
        return self

    def rows(self, frame: Frame) -> Rep:
        """Side i of D[i, j]."""
        return self.spec.rows(frame)

    def candidates(self, frame: Frame) -> Rep:
        """Side j of D[i, j]."""
        return self.rows(frame) if self.same_sides else self.spec.candidates(frame)

    def some_candidates(self, frame: Frame, at: Array) -> Rep:
        """Side j of D[i, j] for the candidates at these positions."""
        return part(self.candidates(frame), at)

    def candidate_names(self, frame: Frame) -> pd.Index:
        """Names of the candidates."""
        return frame.index

    def between(self, rows: Rep, candidates: Rep) -> Array:
        """Dissimilarities (r, q), finite and >= 0, each with the same bits for any other rows.

        A matrix product does not have this property, nor has NumPy's sum over arrays of varying
        memory order.
        """
        return self.spec.between(rows, candidates)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in `terms`; () if the metric is not a sum over variables."""
        return ()

    def terms(self, rows: Rep, candidates: Rep) -> Array:
        """Term of each variable in the power that is a sum, (r, q, v); NaN if it is skipped."""
        raise lacking(self, "terms")

    def contributions(self, rows: Frame, others: Frame, candidates: Rep) -> Array:
        """Contribution of each design column to the squared distance of row and candidate, (r, p).

        `others` has the candidates as rows, one for each row. Define it if no power of the
        dissimilarities is a sum over variables.
        """
        raise lacking(self, "contributions")

    def weighed(self, weights: Array) -> TrainedMetric:
        """The metric with the weights of the `variables` multiplied by factors."""
        raise lacking(self, "weighed")

    def unmeasured(self, frame: Frame) -> dict[str, Array]:
        """The letters of each row that are not in the training data, by column; "" for none."""
        return {}

    def slim(self, rows: Rep, candidates: Rep) -> tuple[TrainedMetric, Rep, Rep]:
        """The metric without data on other rows and candidates, and the representations."""
        return self, rows, candidates

    def new_rows(self, new: Any, data: Frame, zero: bool = False) -> AskedRows:
        """New rows to be measured, by the formula and schema of the rows `data` of the fit.

        `new` has the predictors, or the dissimilarities to the candidates. A row with a level that
        the metric cannot compare is not complete; with `zero` its columns are 0.
        """
        new = as_pandas(new)
        frame, complete = data.again(new)
        coded = [c for c in frame.unseen if self.unseen_in(c) == "missing"]
        masks = [letters != "" for letters in self.unmeasured(frame).values()]
        if zero:
            frame = frame.without_unseen(coded)
        else:
            masks += [frame.unseen[c] for c in coded]
        if masks:
            known = ~np.logical_or.reduce(masks)
            complete[complete], frame = known, frame.take(np.flatnonzero(known))
        rows = Once(lambda: rows_of(self, frame))

        def measure(at, candidates):
            return compare(self, part(rows(), as_slice(at)), candidates)

        return AskedRows(new.index, complete, frame, measure, rows)


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, arrays in type, shape and every entry; NaN equals NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, TrainedMetric):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype == object:
            return same(tuple(a.flat), tuple(b.flat))
        return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a is b or bool(a == b or (a != a and b != b))


def named_arrays(values: Iterable[tuple[Any, Any]]) -> dict[str, Array]:
    """Arrays by name; those inside tuples and metrics get names such as "parts.0.spread"."""
    named: dict[str, Array] = {}
    for name, value in values:
        if isinstance(value, np.ndarray):
            named[str(name)] = value
        else:
            inner = named_arrays(enumerate(value)) if isinstance(value, tuple) else value.arrays()
            named |= {f"{name}.{key}": array for key, array in inner.items()}
    return named


def check_number(
    name: str, value: object, low: float, above: bool = False, high: float | None = None
) -> None:
    """Raise unless a parameter is a number from `low` (or above it) to `high`."""
    allowed = refuse_number(value, low, above, high=high)
    if allowed:
        raise OptionError(f"{name} must be {allowed}, not {brief(value)}")


def check_names(parameter: str, names: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raise unless the names that a parameter has are known."""
    for name in names:
        if name not in known:
            cure = f"use {first_of([*map(repr, known)], 20)}" if len(known) else "leave it out"
            raise OptionError(f"{parameter} names {name!r}, which is not a {what}: {cure}")


def listing(words: str, names: Any) -> tuple[str, ...]:
    """The note on columns with these names; none without names."""
    return (f"{words}: {', '.join(names)}",) if len(names) else ()


def strings(values: Any) -> Array:
    """Texts such as names of columns as an array of objects (n,)."""
    out = np.empty(len(values), object)
    out[:] = list(values)
    return out


def check_rep(rep: Rep, n: int, what: str) -> Rep:
    """The representation, checked to be a tuple of arrays with `n` entries each."""
    if (
        not isinstance(rep, tuple)
        or not rep
        or not all(isinstance(a, np.ndarray) and a.ndim > 0 for a in rep)
    ):
        raise DataError(f"{what} must return a tuple of arrays, such as (X,), not {brief(rep)}")
    lengths = [len(a) for a in rep]
    if any(length != n for length in lengths):
        raise DataError(
            f"{what} must return arrays with one entry for each of the {n} rows, not arrays of lengths {lengths}"
        )
    return rep


def joined(parts: Iterable[tuple[int, slice, Rep]]) -> Rep:
    """The representation of all rows from parts: (number of rows, positions, representation)."""
    out: Rep = ()
    for n, at, rep in parts:
        if at.stop - at.start == n:
            return rep
        out = out or tuple(_empty(n, a) for a in rep)
        for whole, values in zip(out, rep, strict=True):
            whole[at] = values
    return out


def _empty(n: int, example: Array) -> Array:
    """An empty array like `example` with `n` entries; Python's objects stay in memory."""
    shape = (n, *example.shape[1:])
    return np.empty(shape, object) if example.dtype.hasobject else large(shape, example.dtype)


def train_metric(metric: Metric | TrainedMetric, frame: Frame) -> TrainedMetric:
    """`metric.train` of rows that have predictors, whose type is checked."""
    if not (metric.given or frame.formula.terms):
        raise DataError(
            f"{frame.formula.quoted} has no predictors for {metric.name} dissimilarities: use "
            "column names, or '.'"
        )
    # overflow is no warning here: the values are refused later, by the names of their columns
    with np.errstate(over="ignore", invalid="ignore"):
        trained = metric.train(frame)
    if not isinstance(trained, TrainedMetric):
        raise OptionError(
            f"`train` of the metric {metric.name} must return a TrainedMetric, which contains what "
            f"was learned, not a {type(trained).__name__}"
        )
    return trained


def rows_of(metric: TrainedMetric, frame: Frame) -> Rep:
    """`metric.rows`, whose lengths are checked; for a long frame block by block."""
    what = f"`rows` of the metric {metric.name}"
    parts = blocks(frame) if metric.row_by_row else [(slice(0, len(frame)), frame)]
    with np.errstate(over="ignore", invalid="ignore"):
        return joined(
            (len(frame), at, check_rep(metric.rows(block), len(block), what)) for at, block in parts
        )


def candidates_of(metric: TrainedMetric, frame: Frame, at: Array | None = None) -> Rep:
    """`metric.candidates`, those at some positions or all, whose lengths are checked."""
    count = len(metric.candidate_names(frame)) if at is None else len(at)
    with np.errstate(over="ignore", invalid="ignore"):
        rep = metric.candidates(frame) if at is None else metric.some_candidates(frame, at)
        return check_rep(rep, count, f"`candidates` of the metric {metric.name}")


def compare(metric: TrainedMetric, rows: Rep, candidates: Rep) -> Array:
    """`metric.between`, whose shape is checked, but not whether its values are finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.asarray(metric.between(rows, candidates))
    shape = len(rows[0]), len(candidates[0])
    if values.shape != shape:
        raise DataError(
            f"`between` of the metric {metric.name} must return an array of shape {shape} for "
            f"{shape[0]} rows and {shape[1]} candidates, not {values.shape}"
        )
    return values


class VectorMetric(TrainedMetric):
    """A trained metric that is the distance of a vector space, in which centroids can be computed.

    Custom vector metrics define the three methods below.
    """

    def coordinates(self, rows: Rep) -> Array:
        """Coordinates (r, p) of rows."""
        raise lacking(self, "coordinates")

    def place(self, coords: Array) -> Rep:
        """Side j of D[i, j] for coordinates (q, p) such as the coordinates of centroids."""
        raise lacking(self, "place")

    def original(self, coords: Array) -> pd.DataFrame:
        """Coordinates (q, p) in the units of the design matrix."""
        raise lacking(self, "original")


def as_vectors(metric: TrainedMetric) -> VectorMetric:
    """The metric, if it has coordinates.

    Raises
    ------
    NoCoordinatesError
    """
    if isinstance(metric, VectorMetric):
        return metric
    raise NoCoordinatesError(
        f"this method needs coordinates, but {metric.name} dissimilarities have none: use "
        "dissimilarity='euclidean', or a method that needs only dissimilarities, such as 'pvm' or "
        "'knn'"
    )


class EuclideanSpace(VectorMetric):
    """A metric with `geometry=Geometry()`: Euclidean between the only array of `rows`."""

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return minkowski(rows[0], candidates[0])

    def coordinates(self, rows: Rep) -> Array:
        return rows[0]

    def place(self, coords: Array) -> Rep:
        return (np.ascontiguousarray(coords, float),)


ROW, PROTOTYPE = "r", "p"  # tables of the row and of the prototype in an SQL query


@dataclass(frozen=True)
class SQLDistance:
    """The dissimilarity of a row of a table to a prototype, in SQL.

    Attributes
    ----------
    rows : sequence of str
        Columns of the row that are compared, as expressions of its columns in the table.
    expression : str
        Expression of `coordinate(k)`, these columns, and `value(k)`, the columns of the prototype.
    conditions : sequence of str
        Conditions that must be true for the row; otherwise it has no class.
    values : callable
        Function from the representation of prototypes to their columns (q, c); NaN if missing.
    may_miss : bool
        Whether the expression may be NULL although the conditions are true; then no class.
    """

    rows: Sequence[str]
    expression: str
    conditions: Sequence[str]
    values: Callable[[Rep], Array]
    may_miss: bool = False


def sql_distance(metric: TrainedMetric, columns: Columns) -> SQLDistance:
    """The dissimilarity of a trained metric in SQL, by `sql` of it or of its specification.

    Raises
    ------
    OptionError
        If the metric, or a column, cannot be written.
    """
    write = getattr(metric, "sql", None) or getattr(metric.spec, "sql", None)
    if write is None:
        raise unwritten(metric)
    return write(columns)


def unwritten(metric: TrainedMetric) -> OptionError:
    """The error for a metric that cannot be written in SQL."""
    return OptionError(
        f"{metric.name} dissimilarities can't be written in SQL: use Minkowski distances of finite "
        "order (also Euclidean and Manhattan), LDA, Hamming, zero_one, or Gower without ranks"
    )


def coordinate(k: int) -> str:
    """The k-th coordinate of the row, from 0."""
    return f"{ROW}.x{k + 1}"


def value(k: int) -> str:
    """The k-th column of a prototype, from 0."""
    return f"{PROTOTYPE}.v{k + 1}"
