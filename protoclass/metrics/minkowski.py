"""Euclidean, Manhattan, Chebyshev and Minkowski distances on the columns of the design matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.minkowski import Geometry, minkowski
from ..core.sources import Rep
from ..frames.frame import Frame, predictors_of_columns
from ..frames.sql import Columns, number
from ..ground.checks import is_number, is_real, one_of
from ..ground.errors import NoVectors, OptionError, brief
from ..ground.savable import savable
from .base import Metric, Traits, VectorMetric, strings
from .in_sql import SQLDistance, distance_in_sql, unwritten
from .scaling import SCALES, finite, spread_of, unscaled


@dataclass(frozen=True)
class Minkowski(Metric):
    """Minkowski distance (sum w |x - z|^r)^(1/r) on scaled columns.

    Parameters
    ----------
    r : float >= 1, sequence or "grid"
        Exponent. A sequence is tuned by cross-validation; "grid" is 1, 1.5, 2, 3 and inf.
    scale : True, False or "fold"
        Scaling of the columns.

        * True: division by the standard deviation (n - 1) over all rows; a constant column has scale 1;
        * "fold": the same, learned again on the training rows of each fold;
        * False: no scaling.
    weights : mapping of name to number >= 0, optional
        Weights w of columns of the design matrix, or of predictors, for all columns made from this predictor alone; the name of a column
        takes precedence. Default: 1. For r = inf the distance is max w |x - z|.

    Raises
    ------
    OptionError
        If weights are for unknown columns, or if all weights are 0.
    NoVectors
        If a method needs coordinates and a weight is 0, because this column cannot be recovered from the coordinates.

    Notes
    -----
    Scaling does not use the class labels, so learning it once on all rows does not materially bias a cross-validated error (*The
    Elements of Statistical Learning*, section 7.10.2). An outer test set is never used for scaling.

    Examples
    --------
    >>> import protoclass as pc
    >>> d = pc.dissimilarity("~ sepal_length + sepal_width", pc.load_data("iris").head(3), pc.Minkowski(3, scale=False))
    >>> d.condensed().round(3).tolist()
    [0.51, 0.45, 0.252]
    >>> heavy = pc.Manhattan(scale=False, weights={"sepal_width": 2})
    >>> pc.dissimilarity("~ sepal_length + sepal_width", pc.load_data("iris").head(3), heavy).condensed().round(3).tolist()
    [1.2, 1.0, 0.6]
    """

    tunable = frozenset({"r"})

    r: Any = 2.0
    scale: bool | str = True
    weights: Any = None

    def __post_init__(self) -> None:
        if not is_number(self.r, 1) and not (isinstance(self.r, float) and self.r == np.inf):
            raise OptionError(f"r of a Minkowski distance must be >= 1 (inf for Chebyshev), not {brief(self.r)}")
        one_of("scale", self.scale, tuple(SCALES))
        if self.weights is not None:
            object.__setattr__(self, "weights", _weights(self.weights))

    def default_grid(self, parameter: str, frame: Frame) -> Sequence[float]:
        return (1.0, 1.5, 2.0, 3.0, np.inf)

    @property
    def traits(self) -> Traits:
        return Traits(
            symmetric=True, triangle=True, row_by_row=True, data_dependent=bool(self.scale), train_in_folds=self.scale == "fold",
            power=self.r if self.r < np.inf else None, scaling=SCALES[self.scale], geometry=Geometry(self.r),
        )  # fmt: skip

    def train(self, frame: Frame) -> TrainedMinkowski:
        known = spread_of(frame, self.name, self.scale)
        spread, constant = known.scales()
        factor = np.ones(len(spread))
        if self.weights:
            w = _of_columns(self.weights, frame, known.columns)
            factor = w if self.r == np.inf else w ** (1 / self.r)
        return TrainedMinkowski(
            self, spread, factor, strings(known.columns), strings(constant), np.array(known.precision)
        )


@savable(spread="p", factor="p", columns="p", constant="c", precision="")
@dataclass(frozen=True)
class TrainedMinkowski(VectorMetric):
    """A Minkowski distance with the scales that it learned.

    Attributes
    ----------
    spread : array (p,)
        What each column of the design matrix is divided by.
    factor : array (p,)
        What each scaled column is multiplied by for its weight.
    columns : array (p,) of str
        Names of the columns.
    constant : array of str
        Columns that keep scale 1 as they do not vary.
    precision : array () of str
        Type of the numbers, "float32" or "float64".
    """

    spec: Minkowski
    spread: np.ndarray
    factor: np.ndarray
    columns: np.ndarray
    constant: np.ndarray
    precision: np.ndarray

    @property
    def notes(self) -> tuple[str, ...]:
        said = unscaled(self.constant)
        weights = self.spec.weights
        if weights:
            said += (f"weights of columns: {', '.join(f'{c} {w:g}' for c, w in weights.items())} (others 1)",)
        return said

    def rows(self, frame: Frame) -> Rep:
        with np.errstate(over="ignore"):
            Z = frame.design.to_numpy() / self.spread
            if self.spec.weights:
                Z = Z * self.factor
            Z = np.ascontiguousarray(Z, self._dtype)
        return (finite(Z, frame),)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return minkowski(rows[0], candidates[0], self.spec.r)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self.columns) if self.spec.r < np.inf else ()

    def terms(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return np.asarray(np.abs(rows[0][:, None] - candidates[0]) ** self.spec.r)

    def weighed(self, weights: np.ndarray) -> TrainedMinkowski:
        known = dict(zip(self.columns.tolist(), (self.factor**self.spec.r * weights).tolist(), strict=True))
        return replace(self, spec=replace(self.spec, weights=known), factor=self.factor * weights ** (1 / self.spec.r))

    def coordinates(self, rows: Rep) -> np.ndarray:
        if not self.factor.all():
            name = self.columns[int(np.argmin(self.factor))]
            raise NoVectors(
                f"this method needs coordinates, but column {name!r} has weight 0, so they do not determine it: leave the column out of "
                "the formula"
            )
        return rows[0]

    def place(self, coords: np.ndarray) -> Rep:
        return (np.ascontiguousarray(coords, self._dtype),)

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        coords = self.coordinates((coords,))
        plain = coords / self.factor if self.spec.weights else coords
        return pd.DataFrame(plain * self.spread, columns=self.columns)

    def sql(self, columns: Columns) -> SQLDistance:
        if self._dtype != np.float64:
            raise OptionError(
                "distances of single precision can't be written in SQL, which would round them differently: fit in double precision, "
                "data.astype(float)"
            )
        if self.spec.r == np.inf:
            raise unwritten(self)
        rows = []
        for x, spread, factor in zip(columns.design, self.spread.tolist(), self.factor.tolist(), strict=True):
            scaled = x if spread == 1 else f"{x} / {number(spread)}"
            rows.append(scaled if factor == 1 else f"{scaled} * {number(factor)}")
        return distance_in_sql(rows, self.spec.r, columns)

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(str(self.precision))


@dataclass(frozen=True)
class Euclidean(Minkowski):
    """Euclidean distance; see `Minkowski` for `scale` and `weights`."""

    r: Any = field(default=2.0, init=False, repr=False)


@dataclass(frozen=True)
class Manhattan(Minkowski):
    """Manhattan (city block) distance; see `Minkowski` for `scale` and `weights`."""

    r: Any = field(default=1.0, init=False, repr=False)


@dataclass(frozen=True)
class Chebyshev(Minkowski):
    """Chebyshev distance, the largest difference over the columns; see `Minkowski` for `scale` and `weights`."""

    r: Any = field(default=np.inf, init=False, repr=False)


def _weights(weights: Any) -> dict[str, float]:
    cure = "a mapping of column names to numbers >= 0, such as {'sepal_width': 2}"
    if not isinstance(weights, Mapping) or not all(isinstance(c, str) for c in weights):
        raise OptionError(f"weights must be {cure}, not {brief(weights)}")
    for name, w in weights.items():
        if not is_real(w) or not 0 <= w < np.inf:
            raise OptionError(f"weights must be {cure}, not {brief(w)} for {name!r}")
    return {name: float(w) for name, w in weights.items()}


def _of_columns(weights: Mapping[str, float], frame: Frame, columns: Sequence[str]) -> np.ndarray:
    """The weight of each column of the design matrix (p,)."""
    made: dict[str, list[int]] = {}  # columns that a predictor makes alone
    for k, used in enumerate(predictors_of_columns(frame)):
        if len(used) == 1:
            made.setdefault(next(iter(used)), []).append(k)
    strange = [c for c in weights if c not in columns and c not in made]
    if strange:
        known = [*columns, *(c for c in made if c not in columns)]
        raise OptionError(
            f"weights name {strange[0]!r}, which is not a column of the design matrix of {frame.formula.quoted}: use "
            f"{', '.join(map(repr, known[:20]))}{f' and {len(known) - 20} more' if len(known) > 20 else ''}"
        )
    out = np.ones(len(columns))
    for name in sorted(weights, key=lambda c: c in columns):  # a column's own name goes last, so it takes precedence
        out[[columns.index(name)] if name in columns else made[name]] = weights[name]
    if not out.any():
        raise OptionError("weights must not be 0 for all columns")
    return out
