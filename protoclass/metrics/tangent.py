"""Tangent distance between images."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from ..core.distances.tangent import TRANSFORMATIONS, tangent_distances, tangents
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import is_real
from ..ground.errors import DataError, OptionError, TooLarge, brief
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits

LARGEST = 2**33  # bytes of all tangents


@dataclass(frozen=True)
class Tangent(Metric):
    """Tangent distance: how far two images are apart when each may be moved a little (Simard, LeCun and Denker 1993).

    Small transformations (translations, scaling, rotation, the stretching of one axis or of a diagonal while the other shrinks, and the
    thickness of lines) move an image along a plane, spanned by its tangents. The distance is that between the planes of both images.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image. Its pixels are the predictors in their order, row by row. An array of images
        (n, height, width) is such a table as `pd.DataFrame(images.reshape(n, -1)).add_prefix("pixel")`.
    sigma : float > 0
        Standard deviation in pixels of the Gaussian whose derivatives give the tangents. Beyond the border an image has the smallest
        pixel of the training rows.

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

    traits = Traits(slow=True, symmetric=True, data_dependent=True)

    def __post_init__(self) -> None:
        pair = isinstance(self.shape, (tuple, list)) and len(self.shape) == 2
        if not (
            pair and all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s > 0 for s in self.shape)
        ):
            raise OptionError(f"shape must be the rows and columns of an image, such as (16, 16), not {brief(self.shape)}")
        if not is_real(self.sigma) or not 0 < self.sigma <= 100:
            raise OptionError(f"sigma must be a number of pixels above 0, at most 100, not {brief(self.sigma)}")
        object.__setattr__(self, "shape", (int(self.shape[0]), int(self.shape[1])))

    def train(self, frame: Frame) -> TrainedTangent:
        X = self.pixels(frame)
        return TrainedTangent(self, np.array(X.min()), X.mean(axis=0).astype(np.float32))

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
        size = X.shape[0] * len(TRANSFORMATIONS) * X.shape[1] * 4
        if size > LARGEST:
            raise TooLarge(f"the tangents of {len(X)} images need {size / 2**30:.0f} GB: use fewer rows")
        planes = tangents(X, spec.shape, float(spec.sigma), self.edge.item(), TRANSFORMATIONS)
        return X.astype(np.float32), planes

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return tangent_distances((rows[0], rows[1]), (candidates[0], candidates[1]), self.center)
