"""Minkowski and Mahalanobis distances between columns of the design matrix, and their scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.distances.minkowski import Geometry, minkowski, whitened
from ..core.sources import Rep
from ..core.statistics.sums import extremes, sums
from ..frames.frame import Frame, blocks, predictors_of_columns
from ..frames.sql_columns import Columns, number, total, within
from ..ground.checks import is_number, is_real, one_of
from ..ground.errors import DataError, NoCoordinatesError, OptionError, brief, first_of, shown
from ..ground.savable import savable
from .base import (
    EuclideanSpace,
    Metric,
    SQLDistance,
    Traits,
    VectorMetric,
    check_names,
    check_number,
    coordinate,
    listing,
    strings,
    unwritten,
    value,
)

SCALES: dict[Any, str] = {  # in words
    True: "predictors scaled to unit SD", False: "", "fold": "predictors scaled to unit SD within each fold",
}  # fmt: skip
UNSCALED = "constant columns, left unscaled"
LARGEST_POWER = 300  # of ten, of sums that are surely numbers


def design_of(frame: Frame) -> Array:
    """The design matrix (n, p) in double precision."""
    return np.ascontiguousarray(frame.design.to_numpy(float))


@dataclass(frozen=True)
class ColumnScales:
    """The scales of the columns of the design matrix.

    Attributes
    ----------
    columns : array (p,) of str
    precision : str
        Type of the numbers, "float32" or "float64".
    spread : array (p,)
        Divisor of each column: its standard deviation, or 1.
    constant : bool array (p,)
        Whether a column keeps scale 1 because it does not vary.
    mean : array (p,), or None
        Mean of each column; None if columns are not scaled.
    """

    columns: Array
    precision: str
    spread: Array
    constant: Array
    mean: Any

    @property
    def unscaled(self) -> Array:
        """Names of the constant columns."""
        return self.columns[self.constant]


def scale_of(frame: Frame, scale: bool | str, design: Any = None) -> ColumnScales:
    """The scales of the columns, learned block by block; `design` is the design matrix if it is
    already made as a whole.

    Raises
    ------
    DataError
        If a standard deviation is beyond the largest number.
    """
    low: Any = np.inf
    high: Any = -np.inf
    known = None
    for at, rows in blocks(frame):
        table = rows.design if design is None else design.iloc[at]
        X = table.to_numpy()
        if scale:
            least, most = extremes(X)
            low, high = np.minimum(low, least), np.maximum(high, most)
            known = sums(X) if known is None else known.join(sums(X))
    columns, precision = strings(table.columns), X.dtype.name
    spread, constant, mean = np.ones(len(columns)), np.zeros(len(columns), bool), None
    if known is not None:
        mean = known.mean()
    if known is not None and len(frame) > 1:
        constant = high == low
        spread = np.where(constant, 1.0, known.deviation())
    for name in columns[~np.isfinite(spread)][:1]:
        raise DataError(f"the spread of column {name!r} is infinite: scale it down")
    return ColumnScales(columns, precision, spread, constant, mean)


def scaled(frame: Frame, spread: Array, center: Any = None, largest: float = np.inf) -> Array:
    """The columns (n, p) divided by their scales, minus their centres, at most `largest`."""
    Z = design_of(frame) / spread
    if center is not None:
        Z -= center
    return finite(Z if largest == np.inf else np.where(np.abs(Z) < largest, Z, np.inf), frame)


def finite(Z: Array, frame: Frame) -> Array:
    """Scaled columns, none of whose values may have become too large for a number."""
    if not np.isfinite(Z).all():
        i, j = np.argwhere(~np.isfinite(Z))[0]
        raise DataError(
            f"column {frame.design.columns[j]!r} at row {shown(frame.index[i])} is too large after "
            "scaling and weighting: scale it down, or use another scale="
        )
    return Z


@dataclass(frozen=True)
class Minkowski(Metric):
    """Minkowski distance (sum w |x - z|^r)^(1/r) on scaled columns.

    Parameters
    ----------
    r : float >= 1, sequence or "grid"
        Exponent; "grid" is 1, 1.5, 2, 3 and inf.
    scale : True, False or "fold"
        Scaling of the columns.

        * True: division by the standard deviation (n - 1) over all rows; a constant column has
          scale 1;
        * "fold": the same, learned again on the training rows of each fold;
        * False: no scaling.
    column_weights : mapping of name to number >= 0, optional
        Weights w of columns of the design matrix, or of predictors for all their columns. Default:
        1. For r = inf the distance is max w |x - z|. With a weight 0 there are no coordinates.

    Notes
    -----
    Scaling does not use the class labels, so learning it once on all rows does not materially bias
    a cross-validated error (*The Elements of Statistical Learning*, section 7.10.2).

    Examples
    --------
    >>> import protoclass as pc
    >>> rows, heavy = pc.load_data("iris").head(3), {"sepal_width": 2}
    >>> metric = pc.Minkowski(1, scale=False, column_weights=heavy)
    >>> d = pc.dissimilarity("~ sepal_length + sepal_width", rows, metric)
    >>> d.condensed().round(3).tolist()
    [1.2, 1.0, 0.6]
    """

    tunable = frozenset({"r"})

    r: Any = 2.0
    scale: bool | str = True
    column_weights: Any = None

    def __post_init__(self) -> None:
        if self.checks_each_value():
            return
        if not is_number(self.r, 1) and not (isinstance(self.r, float) and self.r == np.inf):
            raise OptionError(
                f"r of a Minkowski distance must be >= 1 (inf for Chebyshev), not {brief(self.r)}"
            )
        one_of("scale", self.scale, tuple(SCALES))
        object.__setattr__(self, "column_weights", checked_weights(self.column_weights))

    def default_grid(self, parameter: str, frame: Frame) -> Sequence[float]:
        return (1.0, 1.5, 2.0, 3.0, np.inf)

    @property
    def traits(self) -> Traits:
        return Traits(
            symmetric=True,
            triangle=True,
            row_by_row=True,
            data_dependent=bool(self.scale),
            train_in_folds=self.scale == "fold",
            power=self.r if self.r < np.inf else None,
            scaling=SCALES[self.scale],
            geometry=Geometry(self.r),
        )

    def train(self, frame: Frame) -> TrainedMinkowski:
        scale = scale_of(frame, self.scale)
        factor = np.ones(len(scale.columns))
        if self.column_weights:
            w = _of_columns(self.column_weights, frame, scale.columns)
            factor = w if self.r == np.inf else w ** (1 / self.r)
        return TrainedMinkowski(
            self,
            scale.spread,
            factor,
            scale.columns,
            scale.unscaled,
            np.array(scale.precision),
        )


@savable(spread="p", factor="p", columns="p", constant="c", precision="")
@dataclass(frozen=True, eq=False)
class TrainedMinkowski(VectorMetric):
    """A Minkowski distance with the scales that it learned.

    Attributes
    ----------
    spread : array (p,)
        Divisor of each column of the design matrix.
    factor : array (p,)
        Factor of each scaled column, for its weight.
    columns : array (p,) of str
        Names of the columns.
    constant : array of str
        Columns that keep scale 1 as they do not vary.
    precision : array () of str
        Type of the numbers, "float32" or "float64".
    """

    spec: Minkowski
    spread: Array
    factor: Array
    columns: Array
    constant: Array
    precision: Array

    @property
    def notes(self) -> tuple[str, ...]:
        weights = [f"{c} {w:g}" for c, w in (self.spec.column_weights or {}).items()]
        weighed = [f"{note} (others 1)" for note in listing("weights of columns", weights)]
        return (*listing(UNSCALED, self.constant), *weighed)

    def rows(self, frame: Frame) -> Rep:
        Z = frame.design.to_numpy() / self.spread * self.factor
        return (finite(np.ascontiguousarray(Z, self._dtype), frame),)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return minkowski(rows[0], candidates[0], self.spec.r)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self.columns) if self.spec.r < np.inf else ()

    def terms(self, rows: Rep, candidates: Rep) -> Array:
        return np.abs(rows[0][:, None] - candidates[0]) ** self.spec.r

    def weighed(self, weights: Array) -> TrainedMinkowski:
        return replace(self, factor=self.factor * weights ** (1 / self.spec.r))

    def coordinates(self, rows: Rep) -> Array:
        if not self.factor.all():
            name = self.columns[np.argmin(self.factor)]
            raise NoCoordinatesError(
                f"this method needs coordinates, but column {name!r} has weight 0, so they do not "
                "determine it: leave the column out of the formula"
            )
        return rows[0]

    def place(self, coords: Array) -> Rep:
        return (np.ascontiguousarray(coords, self._dtype),)

    def original(self, coords: Array) -> pd.DataFrame:
        plain = self.coordinates((coords,)) / self.factor
        return pd.DataFrame(plain * self.spread, columns=self.columns)

    def sql(self, columns: Columns) -> SQLDistance:
        if self._dtype != np.float64:
            raise OptionError(
                "distances of single precision can't be written in SQL, which would round them "
                "differently: fit in double precision, data.astype(float)"
            )
        if self.spec.r == np.inf:
            raise unwritten(self)
        rows = []
        for x, spread, factor in zip(
            columns.design, self.spread.tolist(), self.factor.tolist(), strict=True
        ):
            scaled = x if spread == 1 else f"{x} / {number(spread)}"
            rows.append(scaled if factor == 1 else f"{scaled} * {number(factor)}")
        return distance_in_sql(rows, self.spec.r, columns)

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(str(self.precision))


@dataclass(frozen=True)
class Euclidean(Minkowski):
    """Euclidean distance; see `Minkowski` for `scale` and `column_weights`."""

    r: Any = field(default=2.0, init=False, repr=False)


@dataclass(frozen=True)
class Manhattan(Minkowski):
    """Manhattan (city block) distance; see `Minkowski` for `scale` and `column_weights`."""

    r: Any = field(default=1.0, init=False, repr=False)


@dataclass(frozen=True)
class Chebyshev(Minkowski):
    """Chebyshev distance, the largest difference over the columns; see `Minkowski`."""

    r: Any = field(default=np.inf, init=False, repr=False)


@dataclass(frozen=True)
class Mahalanobis(Metric):
    """Mahalanobis distance sqrt((x - z)' S^-1 (x - z)), S the covariance (n - 1) of training rows.

    Parameters
    ----------
    ridge : float >= 0
        S + ridge diag(S) replaces S. A constant column counts with variance 1, and needs a ridge.
    scale : True or "fold"
        Whether S is learned on all rows, or again on the training rows of each fold.

    Raises
    ------
    DataError
        If S is singular: collinear or constant columns, a category, or too few rows.

    Notes
    -----
    Mahalanobis (1936), *Proceedings of the National Institute of Sciences of India* 2.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> d = pc.dissimilarity("~ sepal_length + sepal_width", iris, pc.Mahalanobis())
    >>> d.to_frame().iloc[0, 1:4].round(4).tolist()
    [1.2081, 0.8923, 1.1644]
    """

    papers = ("mahalanobis1936",)

    ridge: float = 0.0
    scale: bool | str = True

    def __post_init__(self) -> None:
        check_number("ridge", self.ridge, 0)
        one_of("scale", self.scale, (True, "fold"))

    @property
    def traits(self) -> Traits:
        return Traits(
            symmetric=True,
            triangle=True,
            row_by_row=True,
            data_dependent=True,
            train_in_folds=self.scale == "fold",
            geometry=Geometry(),
        )

    def train(self, frame: Frame) -> TrainedMahalanobis:
        scale = scale_of(frame, True)
        n, p, columns = len(frame), len(scale.columns), scale.columns
        constant = scale.constant | (n == 1)
        # the rank is below the number of rows, which needs no arithmetic
        if not self.ridge and n <= p:
            raise _singular((n, p), "it needs more rows than columns", columns[constant])
        center, R = scale.mean / scale.spread, np.zeros((p, p))
        for _, rows in blocks(frame):
            # the mean of a constant column may differ from it in the last bit
            Z = np.where(constant, 0.0, design_of(rows) / scale.spread - center)
            R += Z.T @ Z
        R = R / max(n - 1, 1) + self.ridge * np.eye(p)
        values, axes = np.linalg.eigh(R)
        # a smallest eigenvalue below this part of the largest is rounding
        if not values[0] > 1e-12 * values[-1]:
            loads = np.abs(axes[:, 0])
            heavy = columns[loads > 0.1 * loads.max()].tolist()
            raise _singular((n, p), f"collinear: {first_of(heavy)}", columns[constant])
        factor = np.linalg.cholesky(R)
        return TrainedMahalanobis(self, center, scale.spread, factor, columns, columns[constant])


def _singular(shape: tuple[int, ...], reason: str, constant: Any) -> DataError:
    """The error for a covariance that has no inverse."""
    if len(constant):
        reason = f"constant columns: {first_of(constant)}"
    return DataError(
        f"the covariance of {shape[1]} columns over {shape[0]} rows is singular ({reason}): leave "
        "columns out, or add a ridge, such as Mahalanobis(ridge=0.01)"
    )


@savable(center="p", spread="p", factor="p p", columns="p", constant="c")
@dataclass(frozen=True, eq=False)
class TrainedMahalanobis(EuclideanSpace):
    """A Mahalanobis distance with the covariance that it learned.

    Attributes
    ----------
    center, spread : arrays (p,)
        Mean of the scaled columns, and the standard deviations that scale them.
    factor : array (p, p)
        Lower triangular Cholesky factor of the correlations, the ridge added.
    columns : array (p,) of str
        Names of the columns.
    constant : array of str
        Columns that do not vary.
    """

    spec: Mahalanobis
    center: Array
    spread: Array
    factor: Array
    columns: Array
    constant: Array

    @property
    def notes(self) -> tuple[str, ...]:
        return listing(UNSCALED, self.constant)

    def rows(self, frame: Frame) -> Rep:
        return (finite(whitened(scaled(frame, self.spread, self.center), self.factor), frame),)

    def original(self, coords: Array) -> pd.DataFrame:
        return pd.DataFrame(
            (coords @ self.factor.T + self.center) * self.spread, columns=self.columns
        )


def checked_weights(weights: Any) -> dict[str, float] | None:
    """Weights of columns by name, which must be numbers >= 0."""
    if weights is None:
        return None
    cure = "a mapping of column names to numbers >= 0, such as {'sepal_width': 2}"
    if not isinstance(weights, Mapping) or not all(isinstance(c, str) for c in weights):
        raise OptionError(f"column_weights must be {cure}, not {brief(weights)}")
    for name, w in weights.items():
        if not is_real(w) or not 0 <= w < np.inf:
            raise OptionError(f"column_weights must be {cure}, not {brief(w)} for {name!r}")
    return {name: float(w) for name, w in weights.items()}


def _of_columns(weights: Mapping[str, float], frame: Frame, columns: Array) -> Array:
    """The weight of each column of the design matrix (p,)."""
    # the predictor that makes a column alone and is not a column itself; "" for none
    makers = [
        "".join(used) if len(used) == 1 and not used & {*columns} else ""
        for used in predictors_of_columns(frame)
    ]
    known = list(dict.fromkeys([*columns, *filter(None, makers)]))
    what = f"column of the design matrix of {frame.formula.quoted}"
    check_names("column_weights", weights, known, what)
    pairs = zip(columns, makers, strict=True)
    out = np.array([weights.get(c, weights.get(maker, 1.0)) for c, maker in pairs])
    if not out.any():
        raise OptionError("column_weights must not be 0 for all columns")
    return out


def distance_in_sql(rows: Sequence[str], r: float, columns: Columns) -> SQLDistance:
    """The distance (sum |x - v|^r)^(1/r) between SQL expressions of a row and a prototype."""
    apart = [f"{coordinate(k)} - {value(k)}" for k in range(len(rows))]
    if r == 1:
        distance = total(f"ABS({d})" for d in apart)
    elif r == 2:
        distance = f"SQRT({total(f'({d}) * ({d})' for d in apart)})"
    else:
        distance = (
            f"POWER({total(f'POWER(ABS({d}), {number(r)})' for d in apart)}, {number(1 / r)})"
        )
    known = [
        *map(columns.known, columns.frame.schema),
        *(within(x, int(LARGEST_POWER / r)) for x in rows),
    ]
    return SQLDistance(rows, distance, known, lambda prototypes: prototypes[0])
