"""Tangent distance between images."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.tangent import TRANSFORMATIONS, tangent_distances, tangents
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import is_number, is_real, one_of
from ..ground.errors import DataError, OptionError, TooLarge, brief
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits

LARGEST = 2**33  # bytes of all tangents


@dataclass(frozen=True)
class Tangent(Metric):
    """Tangent distance: how far two images are apart when each may be moved a little (Simard, LeCun and Denker 1993).

    Small transformations move an image along a plane, spanned by its tangents. The two-sided distance is the distance between the
    planes of both images; the one-sided distance is from the image of the row to the plane of the candidate.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image. Its pixels are the predictors in their order, row by row; see `images`.
    sigma : float > 0
        Standard deviation in pixels of the Gaussian whose derivatives give the tangents.
    transformations : sequence of str
        Transformations, among "x", "y" (translations), "scale", "rotation", "hyperbolic" (one axis stretched, the other shrunk),
        "diagonal" (the same along the diagonals), "thickness".
    two_sided : bool
        Whether the distance is two-sided.
    background : float, optional
        Value beyond the border. Default: the smallest pixel of the training rows.

    Notes
    -----
    It is never above the Euclidean distance of the images themselves. It is not a metric: two images whose planes intersect are at
    distance 0.

    Examples
    --------
    >>> import protoclass as pc
    >>> digits = pc.load_data("digits").head(40)
    >>> d = pc.dissimilarity("digit ~ .", digits, pc.Tangent(shape=(8, 8)))
    >>> e = pc.dissimilarity("digit ~ .", digits, pc.Euclidean(scale=False))
    >>> bool((d.frame() <= e.frame() + 1e-4).all(axis=None))
    True
    """

    papers = ("simard1993",)

    shape: tuple[int, int] = (16, 16)
    sigma: float = 0.9
    transformations: tuple[str, ...] = TRANSFORMATIONS
    two_sided: bool = True
    background: float | None = None

    def __post_init__(self) -> None:
        pair = isinstance(self.shape, (tuple, list)) and len(self.shape) == 2
        if not (
            pair and all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s > 0 for s in self.shape)
        ):
            raise OptionError(f"shape must be the rows and columns of an image, such as (16, 16), not {brief(self.shape)}")
        if not is_real(self.sigma) or not 0 < self.sigma <= 100:
            raise OptionError(f"sigma must be a number of pixels above 0, at most 100, not {brief(self.sigma)}")
        names = self.transformations
        if not isinstance(names, (tuple, list)) or not names or len(set(map(str, names))) < len(names):
            raise OptionError(f"transformations must be a list of {', '.join(map(repr, TRANSFORMATIONS))}, not {brief(names)}")
        for name in names:
            one_of("transformations", name, TRANSFORMATIONS)
        one_of("two_sided", self.two_sided, (True, False))
        if self.background is not None and not is_number(self.background):
            raise OptionError(f"background must be a pixel value, or None for the smallest one, not {brief(self.background)}")
        object.__setattr__(self, "transformations", tuple(names))
        object.__setattr__(self, "shape", (int(self.shape[0]), int(self.shape[1])))

    @property
    def traits(self) -> Traits:
        return Traits(slow=True, symmetric=self.two_sided, data_dependent=self.background is None)

    def train(self, frame: Frame) -> TrainedTangent:
        X = self.pixels(frame)
        edge = float(X.min()) if self.background is None else float(self.background)
        return TrainedTangent(self, np.array(edge), X.mean(axis=0).astype(np.float32))

    def pixels(self, frame: Frame) -> np.ndarray:
        """The images (n, height * width)."""
        X = np.asarray(frame.design.to_numpy(float))
        if X.shape[1] != prod(self.shape):
            raise DataError(
                f"Tangent(shape={self.shape}) needs {prod(self.shape)} pixels, but {frame.formula.quoted} has {X.shape[1]} columns: use "
                "the shape of the images, and leave other columns out of the formula"
            )
        if np.abs(X).max(initial=0.0) > 1e15:
            raise DataError("pixels must be at most 1e15 for squares in single precision: scale the images down")
        return X


@savable(edge="", center="p")
@dataclass(frozen=True)
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
    edge: np.ndarray
    center: np.ndarray

    def rows(self, frame: Frame) -> Rep:
        spec, X = self.spec, self.spec.pixels(frame)
        size = X.shape[0] * len(spec.transformations) * X.shape[1] * 4
        if size > LARGEST:
            raise TooLarge(f"the tangents of {len(X)} images need {size / 2**30:.0f} GB: use fewer rows or transformations")
        planes = tangents(X, spec.shape, float(spec.sigma), self.edge.item(), spec.transformations)
        return X.astype(np.float32), planes

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        sides = (rows[0], rows[1]), (candidates[0], candidates[1])
        return tangent_distances(*sides, self.center, self.spec.two_sided)


def images(array: Any, index: Any = None) -> pd.DataFrame:
    """Convert an array of images to a data frame of pixels, row by row.

    Parameters
    ----------
    array : array (n, height, width) or (n, pixels)
        Images.
    index : sequence (n,), optional
        Names of the images.

    Returns
    -------
    DataFrame (n, height * width)
        Pixels in columns pixel1, pixel2, ...

    Examples
    --------
    >>> import numpy as np
    >>> images(np.zeros((2, 3, 3))).shape
    (2, 9)
    """
    try:
        values = np.asarray(array, float)
    except (TypeError, ValueError):
        raise DataError("images must be an array of numbers (n, height, width) or (n, pixels)") from None
    if values.ndim not in (2, 3) or 0 in values.shape:
        raise DataError(f"images must be an array (n, height, width) or (n, pixels), not one of shape {values.shape}")
    flat = values.reshape(len(values), -1)
    if index is not None and len(index) != len(flat):
        raise OptionError(f"index has {len(index)} labels, but there are {len(flat)} images")
    return pd.DataFrame(flat, index, [f"pixel{k + 1}" for k in range(flat.shape[1])])
