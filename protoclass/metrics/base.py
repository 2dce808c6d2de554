"""The interface of metrics: a specification with its traits, the trained metric, and the arrays of its representations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.coding import as_slice
from ..core.distances.minkowski import Geometry, minkowski
from ..core.memory import large
from ..core.parallel import Once
from ..core.sources import Rep, part
from ..frames.frame import Frame, blocks
from ..frames.tables import as_pandas
from ..ground.checks import GRID, NamedArguments, check_parameters, is_listed
from ..ground.errors import DataError, NoVectors, OptionError, brief
from ..ground.savable import savable


def check_rep(rep: Rep, n: int, what: str) -> Rep:
    """The representation, if it is a tuple of arrays with `n` entries each; `what` names its origin."""
    fine = isinstance(rep, tuple) and len(rep) > 0 and all(isinstance(a, np.ndarray) and a.ndim > 0 for a in rep)
    if not fine:
        raise DataError(f"{what} must return a tuple of arrays, such as (X,), not {_kind(rep)}")
    lengths = [len(a) for a in rep]
    if any(length != n for length in lengths):
        raise DataError(f"{what} must return arrays with one entry for each of the {n} rows, not arrays of lengths {lengths}")
    return rep


def joined(parts: Iterable[tuple[int, slice, Rep]]) -> Rep:
    """The representation of all rows from the representations of parts: (number of all rows, positions, their representation)."""
    out: Rep = ()
    for n, at, rep in parts:
        if at.stop - at.start == n:
            return rep
        if not out:
            out = tuple(_room(n, a) for a in rep)
        for all_rows, own in zip(out, rep, strict=True):
            all_rows[at] = own
    return out


def _room(n: int, example: np.ndarray) -> np.ndarray:
    """Room for arrays like `example` with `n` entries; Python's objects stay in memory."""
    shape = (n, *example.shape[1:])
    return np.empty(shape, object) if example.dtype.hasobject else large(shape, example.dtype)


def _kind(rep: Any) -> str:
    if isinstance(rep, tuple):
        return "an empty tuple" if not rep else f"a tuple of {', '.join(type(a).__name__ for a in rep)}"
    return f"a value of type {type(rep).__name__}"


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, arrays in type, shape and every entry; NaN equals NaN."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and bool(a == b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "O":
        return all(x is y or same(x, y) or (x != x and y != y) for x, y in zip(a.flat, b.flat, strict=True))
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def named_arrays(values: dict[str, Any]) -> dict[str, np.ndarray]:
    """Arrays by name; those inside tuples and trained metrics get names such as "parts.0.spread"."""
    named: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            named[name] = value
            continue
        inner = _numbered(value) if isinstance(value, tuple) else value.arrays()  # of a trained metric
        named |= {f"{name}.{key}": array for key, array in inner.items()}
    return named


def _numbered(values: tuple[Any, ...]) -> dict[str, np.ndarray]:
    return named_arrays({str(k): value for k, value in enumerate(values)})


def strings(values: Any) -> np.ndarray:
    """Texts such as names of columns as an array of objects (n,)."""
    out = np.empty(len(values), object)
    out[:] = list(values)
    return out


@dataclass(frozen=True)
class Traits:
    """Properties of a metric that its values alone do not show, declared once.

    Write `traits = pc.extend.Traits(symmetric=True)` in the body of the class, or a property `traits` if they depend on parameters. Each is
    an attribute of the metric itself, as in `metric.symmetric`, before and after training. A class that overrides the computation of
    another metric inherits its traits except `triangle` and `geometry`, unless it declares its own.

    Attributes
    ----------
    symmetric : bool
        Whether D[i, j] and D[j, i] are bit-identical; then half of a square matrix is computed.
    triangle : bool
        Whether the values are known to be a metric for any complete rows: symmetric, and never larger than by way of a third row.
    slow : bool
        Whether computation is so slow that the matrix should be computed once and stored.
    row_by_row : bool
        Whether `rows` represents each row independently, with the same bits for any other rows. A long frame is then represented
        block by block.
    data_dependent : bool
        Whether the dissimilarities depend on the training rows (by scales, ranges, ranks or labels), as they do if trained in folds.
    train_in_folds : bool
        Whether training uses labels, or other rows in a way that must not include held-out rows. Cross-validation then trains the
        metric again on the training rows of each fold.
    supervised : bool
        Whether training uses classes, which `dissimilarity` then needs too; `train_in_folds` must then be declared as well.
    given : bool
        Whether this is a given matrix; new rows are then dissimilarities and not predictors.
    opaque : bool
        Whether the values come from the user's own computation, with unknown dependencies.
    skips_missing : bool
        Whether missing values are skipped pair by pair, which na='keep' needs.
    unseen : "missing", "unlike", "skipped" or "measured"
        Treatment of a new row with a category level that is not in the training data. "missing": no prediction, because the design
        matrix has no column for the level. "unlike": `rows` uses the categories (`frame.terms()`), finds the level by `frame.unseen`
        and treats it as different from every level. "skipped": it counts as a missing value. "measured": it is compared like any other
        value, as a string by its letters.
    reflexive : bool, optional
        Whether rows that agree in all variables are at distance 0. Default: True unless the metric is opaque.
    power : float, or None
        Power of the dissimilarities that is a sum over variables, or over `column_groups`, which `why` needs; None if there is none. A
        variable in which two rows agree adds 0.
    column_groups : tuple of tuples of str
        Columns that are compared together as one variable, such as the pixels of an image; `importance` permutes them together.
    series : bool
        Whether the columns are the steps of a series, in the order of the formula; plots then draw rows as curves.
    scaling : str
        Description of the scaling of columns; "" for none.
    geometry : Geometry, or None
        Relation of the values to Minkowski distances between the first arrays of the representations, bit by bit. Comparisons can
        then often be made without computing the values.
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
    reflexive: bool | None = None
    power: float | None = None
    column_groups: tuple[tuple[str, ...], ...] = ()
    series: bool = False
    scaling: str = ""
    geometry: Geometry | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "data_dependent", self.data_dependent or self.train_in_folds)
        if self.reflexive is None:
            object.__setattr__(self, "reflexive", not self.opaque)


class Trait:
    """An attribute of a metric that its `traits` state."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, metric: Any, owner: type) -> Any:
        return getattr(metric.traits, self.name)


class Described:
    """Attributes of a specification and of a trained metric: the facts of `traits`."""

    symmetric: bool
    triangle: bool
    slow: bool
    row_by_row: bool
    data_dependent: bool
    train_in_folds: bool
    supervised: bool
    given: bool
    opaque: bool
    skips_missing: bool
    unseen: str
    reflexive: bool
    power: float | None
    column_groups: tuple[tuple[str, ...], ...]
    series: bool
    scaling: str
    geometry: Geometry | None

    @property
    def traits(self) -> Traits:
        """The facts of the metric that do not depend on its data."""
        return Traits()


for trait in fields(Traits):
    setattr(Described, trait.name, Trait(trait.name))

MEASURING = {"between", "train"}  # methods that change the values


def _check_class(cls: type[Described], base: type[Described], kind: str, declares: Collection[str] = ()) -> None:
    """Refuse names that mean something to every metric, and drop facts that apply only to the values of its parents.

    A class compares as `base` does, because the comparison by dataclass() does not work for arrays.
    """
    check_parameters(cls, base, kind, declares)
    loose = next((f.name for f in fields(Traits) if f.name in vars(cls) and f.name not in declares), None)
    if loose is not None:
        raise OptionError(
            f"{cls.__name__}.{loose} is not in `traits`: use traits = protoclass.extend.Traits({loose}=...), or a property `traits` if it "
            "depends on parameters"
        )
    replaces = base is not TrainedMetric or any("between" in vars(parent) for parent in cls.__mro__[1 : cls.__mro__.index(base)])
    if MEASURING & set(vars(cls)) and replaces and "traits" not in vars(cls):
        cls.traits = property(lambda self: replace(super(cls, self).traits, triangle=False, geometry=None))  # type: ignore[assignment,method-assign]
    if {"rows", "between"} & set(vars(cls)) and "sql" not in vars(cls):
        cls.sql = None  # type: ignore[attr-defined]
    if "__eq__" not in vars(cls):
        cls.__eq__ = base.__eq__  # type: ignore[method-assign]
        cls.__hash__ = base.__hash__  # type: ignore[method-assign]


def _for_each_value(check: Callable[[Any], None]) -> Callable[[Any], None]:
    """`__post_init__` of a metric, which checks each value of the parameters that are to be tuned."""

    def check_values(metric: Any) -> None:
        tuned = {name: GRID if isinstance(value, str) else list(value) for name, value in metric.tuned().items()}
        if not tuned:
            check(metric)
            return
        for name, values in tuned.items():
            if len(values) == 0 or any(value is None for value in values):
                raise OptionError(
                    f"{name} of {type(metric).__name__} must be tuned over a sequence of values other than None, not {brief(values)}"
                )
            object.__setattr__(metric, name, values)
        every = [[getattr(type(metric), name)] if values == GRID else values for name, values in tuned.items()]
        for point in product(*every):
            replace(metric, **dict(zip(tuned, point, strict=True)))  # whose own `__post_init__` checks it

    return check_values


@dataclass(frozen=True, eq=False)
class Metric(NamedArguments, Described):
    """The specification of a dissimilarity between rows: its parameters, without anything learned.

    Custom metrics derive from this class and declare their `Traits`.

    * A metric that learns nothing defines `rows` and `between`.
    * A metric that learns from the rows defines `train`, which returns a `TrainedMetric`; this stores the learned values as arrays and
      defines `rows` and `between`.
    * A metric that transforms another metric derives from `Wrapper`.
    * A metric with coordinates trains to a `VectorMetric`.

    D[i, j] is computed from a representation of row i (`rows`) and a representation of candidate j (`candidates`). Each is a tuple of
    arrays with one entry per row, so representations can be split, joined and saved.

    A frame has the design matrix as `frame.design`, the raw predictors as `frame.columns`, and the class codes as `frame.codes`. A
    metric that can be written as SQL has `sql(columns)`, which returns an `SQLDistance` (`metrics.in_sql`); a class that overrides
    `rows` or `between` does not inherit it.

    Parameters that the class names in `tunable` may be a sequence of values, which `fit` tunes by cross-validation; `default_grid`
    returns the values of "grid".

    A parameter cannot have the name of an attribute or method of this class. If its value is the attribute, the class declares this:
    `class Mine(pc.Metric, declares=["triangle"])`.
    """

    papers: ClassVar[tuple[str, ...]] = ()  # keys of its papers in `export.methods`
    tunable: ClassVar[frozenset[str]] = frozenset()  # parameters that may have several values, of which cross-validation chooses one

    def __init_subclass__(cls, declares: Collection[str] = ()) -> None:
        _check_class(cls, Metric, "metric", declares)
        if "__post_init__" in vars(cls):
            cls.__post_init__ = _for_each_value(cls.__post_init__)  # type: ignore[attr-defined]

    @property
    def name(self) -> str:
        return type(self).__name__

    def tuned(self) -> dict[str, Any]:
        """The parameters to tune: those that are "grid" or a sequence. The metric then only lists values."""
        return {name: value for name in sorted(self.tunable) if is_listed(value := getattr(self, name))}

    def default_grid(self, parameter: str, frame: Frame) -> Sequence[Any]:
        """The values of "grid" for a parameter, with these rows."""
        raise OptionError(f"{type(self).__name__} has no default grid for {parameter}: use a sequence of values")

    def unseen_in(self, column: str) -> str:
        """`unseen`, of the values of one column."""
        return self.unseen

    def pretrain(self, frame: Frame) -> Metric:
        """For a metric that is trained in folds: the same, with the inner metrics that do not use labels already trained."""
        return self

    def train(self, frame: Frame) -> TrainedMetric:
        """The metric trained on the given rows."""
        return TrainedMetric(self)

    def rows(self, frame: Frame) -> Rep:
        """Side i of D[i, j], for a metric that learns nothing."""
        raise OptionError(self._unwritten("rows", "how rows are represented"))

    def candidates(self, frame: Frame) -> Rep:
        """Side j of D[i, j], for a metric that learns nothing; by default the same as side i."""
        return self.rows(frame)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        """Dissimilarities (r, q), for a metric that learns nothing; see `TrainedMetric.between`."""
        raise OptionError(self._unwritten("between", "how rows are compared"))

    def _unwritten(self, method: str, what: str) -> str:
        if type(self).train is not Metric.train:
            return f"the metric {self.name} is not trained yet: use metric.train(frame).{method}(...)"
        return f"the metric {self.name} does not define {what}: write its `{method}`"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and same(tuple(vars(self).values()), tuple(vars(other).values()))

    def __hash__(self) -> int:
        return hash(type(self))


@dataclass(frozen=True)
class NewRows:
    """New rows as a trained metric needs them.

    Attributes
    ----------
    index : Index
        Labels of all new rows.
    complete : bool array
        Whether each row is complete. For a given matrix all are, and `measure` shows which values are missing.
    frame : Frame of the complete rows, or None for a given matrix
    measure : callable
        `measure(at, candidates)`: dissimilarities (len(at), q) of the complete rows at these positions, NaN where missing.
    rows : callable, or None for a given matrix
        Representation of the complete rows, computed at its first use: a rule may need their columns only.
    """

    index: pd.Index
    complete: np.ndarray
    frame: Frame | None
    measure: Callable[[Any, Rep], np.ndarray]
    rows: Callable[[], Rep] | None


@savable
@dataclass(frozen=True, eq=False)
class TrainedMetric(Described):
    """A trained metric: its specification, and the learned values as named arrays.

    The fields besides `spec` are arrays, tuples of arrays, or trained metrics (or tuples of these), and nothing else. So two trained
    metrics are equal if their specifications and all arrays are, and each can be pickled and saved. It can be used in place of a
    specification, and is then not trained again. `@savable` lets saved fits contain it.

    Attributes
    ----------
    spec : Metric
        The specification.
    """

    spec: Metric

    def __init_subclass__(cls) -> None:
        _check_class(cls, TrainedMetric, "trained metric")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

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
        """Treatment of a value that is not in the training data, see `Metric.unseen`."""
        return self.spec.unseen_in(column)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the metric for summaries."""
        return ()

    @property
    def column_weights(self) -> pd.DataFrame | None:
        """Weight of each column of the design matrix: `weight`, its `share` of the total, and `scale`, the divisor of the column."""
        return None

    def of_rows(self, data: pd.DataFrame) -> TrainedMetric:
        """The metric for these data, whose row labels only a given matrix uses: it raises if they do not match."""
        return self

    @property
    def class_weights(self) -> np.ndarray | None:
        """Weight of each column in the distances to candidates of each class, (classes, columns), if the classes have their own."""
        return None

    @property
    def untrained(self) -> Metric | TrainedMetric:
        """The specification, which can be trained on other rows; for a given matrix, which learns nothing, the matrix itself."""
        return self.spec

    @property
    def same_sides(self) -> bool:
        """Whether candidates are represented like rows, so one representation is enough for both sides."""
        own = type(self).candidates is TrainedMetric.candidates
        return own and type(self.spec).candidates is Metric.candidates

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name; arrays of a trained metric within this one have names such as "base.spread"."""
        return named_arrays({f.name: getattr(self, f.name) for f in fields(self) if f.name != "spec"})

    def pretrain(self, frame: Frame) -> TrainedMetric:
        return self

    def train(self, frame: Frame) -> TrainedMetric:
        return self

    def rows(self, frame: Frame) -> Rep:
        """Side i of D[i, j]."""
        return self.spec.rows(frame)

    def candidates(self, frame: Frame) -> Rep:
        """Side j of D[i, j]."""
        plain = type(self.spec).candidates is Metric.candidates
        return self.rows(frame) if plain else self.spec.candidates(frame)

    def some_candidates(self, frame: Frame, at: np.ndarray) -> Rep:
        """Side j of D[i, j] for the candidates at these positions."""
        return part(self.candidates(frame), at)

    def candidate_names(self, frame: Frame) -> pd.Index:
        """Names of the candidates."""
        return frame.index

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        """Dissimilarities (r, q), finite and >= 0, each bit-identical for any other rows and candidates in the same call.

        A matrix product does not have this property, and NumPy's sums over arrays of varying memory order do not either, so `rows`
        returns contiguous arrays.
        """
        return self.spec.between(rows, candidates)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in `terms`, for a metric that is a mean or a sum over variables; () otherwise."""
        return ()

    def terms(self, rows: Rep, candidates: Rep) -> np.ndarray:
        """Term of each of the `variables` in the power of the dissimilarities that is a sum, (r, q, v); NaN if it is skipped."""
        raise OptionError(
            f"{self.name} dissimilarities can't be written as a sum over variables, because the trained metric has no `terms`"
        )

    def contributions(self, rows: Frame, others: Frame, candidates: Rep) -> np.ndarray:
        """What each column of the design matrix adds to the squared distance of each row to its candidate, (r, p), under a matrix.

        `others` has the rows that the candidates are, one for each row, and `candidates` their representation. Define it where no
        power of the dissimilarities is a sum over variables.
        """
        raise OptionError(f"{self.name} dissimilarities have no matrix")

    def weighed(self, weights: np.ndarray) -> TrainedMetric:
        """The metric with the weights of the `variables` multiplied by factors."""
        raise OptionError(f"{self.name} dissimilarities have no weights of variables, because the trained metric has no `weighed`")

    def unmeasured(self, frame: Frame) -> dict[str, np.ndarray]:
        """The letters of each row, "" if there are none, that `rows` cannot use because the training data lack them, by column."""
        return {}

    def slim(self, rows: Rep, candidates: Rep) -> tuple[TrainedMetric, Rep, Rep]:
        """The metric without its data on other rows and candidates, and the representation of the given ones."""
        return self, rows, candidates

    def new_rows(self, new: Any, data: Frame, zero: bool = False) -> NewRows:
        """New rows, to be measured, by the formula and schema of the rows of the fit, `data`.

        `new` is a DataFrame of the predictors, or for a given matrix of dissimilarities to the candidates, by name. A row with a level
        that the metric cannot compare is not complete; with `zero` all columns of such a category are 0.
        """
        new = as_pandas(new)
        frame, complete = data.again(new)
        coded = [c for c in frame.unseen if self.unseen_in(c) == "missing"]
        lacking = [*(found != "" for found in self.unmeasured(frame).values()), *(frame.unseen[c] for c in coded if not zero)]
        if zero:
            frame = frame.without_unseen(coded)
        if lacking:
            known = ~np.logical_or.reduce(lacking)
            complete[complete], frame = known, frame.take(np.flatnonzero(known))
        rows = Once(lambda: rows_of(self, frame))

        def measure(at: Any, candidates: Rep) -> np.ndarray:
            return compare(self, part(rows(), as_slice(at)), candidates)

        return NewRows(new.index, complete, frame, measure, rows)


def train_metric(metric: Metric | TrainedMetric, frame: Frame) -> TrainedMetric:
    """`metric.train`, whose type is checked."""
    trained = metric.train(frame)
    if not isinstance(trained, TrainedMetric):
        raise OptionError(
            f"`train` of the metric {metric.name} must return a TrainedMetric, which contains what was learned, not a "
            f"{type(trained).__name__}"
        )
    return trained


def rows_of(metric: TrainedMetric, frame: Frame) -> Rep:
    """`metric.rows`, whose lengths are checked; for a long frame block by block."""
    if metric.row_by_row:
        return joined((len(frame), at, _rows_of(metric, block)) for at, block in blocks(frame))
    return _rows_of(metric, frame)


def _rows_of(metric: TrainedMetric, frame: Frame) -> Rep:
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is refused with the values, by name
        return check_rep(metric.rows(frame), len(frame), f"`rows` of the metric {metric.name}")


def candidates_of(metric: TrainedMetric, frame: Frame, at: np.ndarray | None = None) -> Rep:
    """`metric.candidates`, those at some positions or all, whose lengths are checked."""
    count = len(metric.candidate_names(frame)) if at is None else len(at)
    with np.errstate(over="ignore", invalid="ignore"):
        rep = metric.candidates(frame) if at is None else metric.some_candidates(frame, at)
        return check_rep(rep, count, f"`candidates` of the metric {metric.name}")


def compare(metric: TrainedMetric, rows: Rep, candidates: Rep) -> np.ndarray:
    """`metric.between`, whose shape is checked; whether its values are finite is for the reader to check."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.asarray(metric.between(rows, candidates))
    if values.shape != (len(rows[0]), len(candidates[0])):
        raise DataError(
            f"`between` of the metric {metric.name} must return an array of shape {(len(rows[0]), len(candidates[0]))} for {len(rows[0])} "
            f"rows and {len(candidates[0])} candidates, not {values.shape}"
        )
    return values


class VectorMetric(TrainedMetric):
    """A trained metric that is the distance of a vector space, in which centroids can be computed.

    Custom vector metrics define the three methods below.
    """

    def coordinates(self, rows: Rep) -> np.ndarray:
        """Coordinates (r, p) of rows."""
        raise OptionError(self._unwritten("coordinates", "what the coordinates of rows are"))

    def place(self, coords: np.ndarray) -> Rep:
        """Side j of D[i, j] for coordinates (q, p) such as the coordinates of centroids."""
        raise OptionError(self._unwritten("place", "how a candidate at given coordinates is represented"))

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        """Coordinates (q, p) in the units of the design matrix."""
        raise OptionError(self._unwritten("original", "what coordinates are in the units of the data"))

    def _unwritten(self, method: str, what: str) -> str:
        return f"the trained metric of {self.name} does not define {what}: write its `{method}`"


def as_vectors(metric: TrainedMetric) -> VectorMetric:
    """The metric, if it has coordinates.

    Raises
    ------
    NoVectors
    """
    if isinstance(metric, VectorMetric):
        return metric
    raise NoVectors(
        f"this method needs coordinates, but {metric.name} dissimilarities have none: use dissimilarity='euclidean', or a method that "
        "needs only dissimilarities, such as 'pvm' or 'knn'"
    )


class EuclideanSpace(VectorMetric):
    """A trained metric whose distance is Euclidean between the coordinates that `rows` gives, its only array.

    Its specification declares this by `geometry=Geometry()`.
    """

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return minkowski(rows[0], candidates[0])

    def coordinates(self, rows: Rep) -> np.ndarray:
        return rows[0]

    def place(self, coords: np.ndarray) -> Rep:
        return (np.ascontiguousarray(coords, float),)
