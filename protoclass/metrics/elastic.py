"""Distances that allow deformations: dynamic time warping, and the tangent distance of images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..core import Array
from ..core.distances.sequences import dtw
from ..core.distances.tangent import TRANSFORMATIONS, tangent_distances, tangents
from ..core.memory import check_fits
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import is_number, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits, check_number
from .minkowski import design_of

WINDOWS = (0.0, 0.02, 0.05, 0.1, 0.2)  # of the default grid, as proportions of the steps


@dataclass(frozen=True)
class DTW(Metric):
    """Dynamic time warping: series are compared along the alignment of lowest cost.

    The columns of the design matrix are the steps in time, without scaling. Series of unequal
    length have missing values at their ends, with na="keep"; or they are lists or arrays in one
    column, the only predictor. In arrays of steps x channels all channels are aligned together, and
    their costs are added up.

    Parameters
    ----------
    window : int >= 0, sequence or "grid", optional
        Maximum time difference of two aligned steps; None is no limit, 0 the distance without
        warping. For two series whose lengths differ by more, the window is that difference. "grid"
        is 0, 2, 5, 10 and 20 % of the steps.
    r : 1 or 2, or both as a sequence
        Exponent: a pair of steps costs |a - b|^r, and the distance is the r-th root of the sum.

    Raises
    ------
    DataError
        If values are missing before the end of a series.

    Notes
    -----
    Sakoe and Chiba (1978), IEEE Transactions on Acoustics, Speech, and Signal Processing 26. It
    violates the triangle inequality.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> waves = pd.DataFrame([[0, 1, 2, 1, 0, 0], [0, 0, 1, 2, 1, 0], [2, 2, 2, 2, 2, 2]])
    >>> pc.dissimilarity(waves.add_prefix("t"), metric=pc.DTW(r=1)).condensed().tolist()
    [0.0, 8.0, 8.0]
    """

    papers = ("sakoe1978",)

    traits = Traits(symmetric=True, row_by_row=True, slow=True, series=True)

    tunable = frozenset({"window", "r"})

    window: Any = None
    r: Any = 2

    def __post_init__(self) -> None:
        if self.checks_each_value():
            return
        if self.window is not None:
            whole_number("window", self.window, 0)
        one_of("r", self.r, (1, 2))

    def default_grid(self, parameter: str, frame: Frame) -> Sequence[Any]:
        if parameter != "window":
            return super().default_grid(parameter, frame)
        steps = padded(_series(frame, self.name)).shape[-1]
        return sorted({round(proportion * steps) for proportion in WINDOWS})

    def rows(self, frame: Frame) -> Rep:
        return (_series(frame, self.name),)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        a, b = padded(rows[0]), padded(candidates[0])
        if len(a) and len(b) and a.shape[1:-1] != b.shape[1:-1]:
            raise DataError(
                f"the series of new rows need the channels of the others, {b.shape[1:-1]}, not {a.shape[1:-1]}"
            )
        return dtw(a, b, window=self.window, power=self.r)


def _series(frame: Frame, name: str) -> Array:
    """The series: objects (n,) of one column, or numbers (n, T) with NaN behind shorter ones."""
    kinds = [column.kind for column in frame.schema.values()]
    if kinds == ["series"] and frame.formula.plain():
        return _from_lists(frame)
    missing = frame.columns.isna().to_numpy() if frame.keep else np.zeros((0, 1), bool)
    if not missing.any():
        return design_of(frame)
    if not frame.formula.plain() or set(kinds) != {"numeric"}:
        raise DataError(
            f"na='keep' with {name} needs unchanged numeric columns, but the formula is {frame.formula.quoted}"
        )
    # a row is wrong if its first step is missing, or one before its last
    wrong = missing[:, 0] | (missing[:, :-1] & ~missing[:, 1:]).any(axis=1)
    if wrong.any():
        raise DataError(
            f"row {shown(frame.index[wrong][0])} lacks its first step, or a step before its last, "
            "but series may lack steps only at the end: fill them in, or leave the row out"
        )
    X = np.ascontiguousarray(frame.columns.to_numpy(float, na_value=np.nan))
    infinite = np.isinf(X).any(axis=1)
    if infinite.any():
        raise DataError(
            f"row {shown(frame.index[infinite][0])} has an infinite value, but series need finite numbers"
        )
    return X


def _from_lists(frame: Frame) -> Array:
    """The series of a column of lists or arrays (steps,) or (steps, channels), objects (n,)."""
    column = frame.columns.iloc[:, 0]
    out = np.empty(len(column), object)
    for i, cell in enumerate(column):
        try:
            out[i] = np.array(cell, float)
        except (TypeError, ValueError):
            out[i] = np.empty((0, 0))  # no series: texts, or lists of different lengths
        if (
            out[i].ndim not in (1, 2)
            or out[i].shape[1:] != out[0].shape[1:]
            or not out[i].size
            or not np.isfinite(out[i]).all()
        ):
            where = f"{column.name!r} at row {shown(frame.index[i])}"
            raise DataError(
                f"{where} must be a list of one or more finite numbers, not {brief(cell)}: for "
                "several channels use arrays of steps x "
                "channels, with as many channels in each row"
            )
    return out


def padded(series: Array) -> Array:
    """Series (n, T) or (n, channels, T) of objects (n,), with NaN behind shorter ones."""
    if series.dtype != object:
        return series
    channels = series[0].shape[1:] if len(series) else ()
    out = np.full((len(series), *channels, max(map(len, series), default=1)), np.nan)
    for row, values in zip(out, series, strict=True):
        row[..., : len(values)] = values.T
    return out


@dataclass(frozen=True)
class Tangent(Metric):
    """Tangent distance of images that may be moved a little (Simard, LeCun and Denker 1993).

    Small transformations (translations, scaling, rotation, stretching, and the thickness of lines)
    move an image along a plane; the distance is that between the planes of both images.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image. Its pixels are the predictors in their order, row by row.
    sigma : float > 0
        Standard deviation in pixels of the Gaussian whose derivatives give the tangents.

    Notes
    -----
    It is at most the Euclidean distance, and not a metric.

    Examples
    --------
    >>> import protoclass as pc
    >>> digits = pc.load_data("digits").head(40)
    >>> d = pc.dissimilarity("digit ~ .", digits, pc.Tangent(shape=(8, 8)))
    >>> e = pc.dissimilarity("digit ~ .", digits, pc.Euclidean(scale=False))
    >>> bool((d.to_frame() <= e.to_frame() + 1e-4).all(axis=None))
    True
    """

    papers = ("simard1993",)

    shape: tuple[int, int] = (16, 16)
    sigma: float = 0.9

    traits = Traits(slow=True, symmetric=True, data_dependent=True)

    def __post_init__(self) -> None:
        pair = isinstance(self.shape, (tuple, list)) and len(self.shape) == 2
        if not (pair and all(is_number(s, 1, integral=True) for s in self.shape)):
            raise OptionError(
                f"shape must be the rows and columns of an image, such as (16, 16), not {brief(self.shape)}"
            )
        check_number("sigma", self.sigma, 0, above=True, high=100)
        object.__setattr__(self, "shape", tuple(map(int, self.shape)))

    def train(self, frame: Frame) -> TrainedTangent:
        X = self.pixels(frame)
        return TrainedTangent(self, np.array(X.min()), X.mean(axis=0).astype(np.float32))

    def pixels(self, frame: Frame) -> Array:
        """The images (n, height * width)."""
        X = frame.design.to_numpy(float)
        if X.shape[1] != prod(self.shape):
            raise DataError(
                f"Tangent(shape={self.shape}) needs {prod(self.shape)} pixels, but "
                f"{frame.formula.quoted} has {X.shape[1]} columns: use "
                "the shape of the images, and leave other columns out of the formula"
            )
        if np.abs(X).max(initial=0) > 1e15:  # squares are in single precision
            raise DataError("pixels must be at most 1e15: scale the images down")
        return X


@savable(edge="", center="p")
@dataclass(frozen=True, eq=False)
class TrainedTangent(TrainedMetric):
    """A tangent distance with its statistics of the training images.

    Attributes
    ----------
    edge : array ()
        Pixel value beyond the border.
    center : array (height * width,)
        Mean image, which is subtracted so that single precision is enough.
    """

    spec: Tangent
    edge: Array
    center: Array

    def rows(self, frame: Frame) -> Rep:
        spec, X = self.spec, self.spec.pixels(frame)
        size = X.size * len(TRANSFORMATIONS) * 4
        check_fits(size, f"the tangents of {len(X)} images take", "use fewer rows")
        planes = tangents(X, spec.shape, float(spec.sigma), self.edge.item(), TRANSFORMATIONS)
        return X.astype(np.float32), planes

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return tangent_distances((rows[0], rows[1]), (candidates[0], candidates[1]), self.center)
