"""Distances in the feature space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.distances.minkowski import minkowski, products, totals
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import either, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits, check_number, strings
from .matrices import kernel_distances
from .minkowski import SCALES, scale_of, scaled, unscaled

KERNELS = ("rbf", "poly", "laplacian")
HIGHEST = 100  # degree of a polynomial


@dataclass(frozen=True)
class Kernel(Metric):
    """Kernel distance sqrt(K(x, x) + K(z, z) - 2 K(x, z)) (Bien and Tibshirani 2011, section 4.1).

    "rbf" is K = exp(-gamma |x - z|^2); "laplacian" exp(-gamma sum |x - z|); "poly" (gamma x'z +
    coef0)^degree. The distance of the kernel x'z is `Euclidean`.

    Parameters
    ----------
    kernel : "rbf", "poly" or "laplacian"
        Kernel K. For a matrix of another kernel see `Dissimilarity.from_similarity`.
    gamma : float > 0, optional
        Parameter of the kernel. Default: 1 / (number of columns * variance of all entries of the
        scaled design matrix), as scikit-learn's `gamma="scale"`. Columns far from 0 make it small.
    degree : int from 1 to 100
        Degree of "poly".
    coef0 : float >= 0
        Constant of "poly".
    scale : True, False or "fold"
        Scaling of the columns, as in `Minkowski`; "fold" also learns gamma in each fold.

    Notes
    -----
    These are distances between points, so they satisfy the triangle inequality. For "poly" they are
    differences of numbers that may be large, and may be 0 between near rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> rows, metric = pc.load_data("iris").iloc[::50], pc.Kernel("rbf", gamma=0.1)
    >>> pc.dissimilarity("species ~ .", rows, metric).condensed().round(4).tolist()
    [1.149, 1.1561, 0.6251]
    """

    kernel: str = "rbf"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    scale: bool | str = True

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, str) or self.kernel not in KERNELS:
            cure = 'for the matrix K of another kernel use pc.Dissimilarity.from_similarity(K, "kernel")'
            raise OptionError(f"kernel must be {either(KERNELS)}, not {brief(self.kernel)}: {cure}")
        if self.gamma is not None:
            check_number("gamma", self.gamma, 0, above=True)
        whole_number("degree", self.degree, 1, HIGHEST)
        check_number("coef0", self.coef0, 0)
        if self.kernel != "poly" and (self.degree, self.coef0) != (3, 1.0):
            raise OptionError(f"degree and coef0 need kernel='poly', not the {self.name}")
        one_of("scale", self.scale, tuple(SCALES))

    @property
    def traits(self) -> Traits:
        return Traits(
            # which is 0 between near rows, as a difference of large numbers
            symmetric=True,
            triangle=self.kernel != "poly",
            row_by_row=True,
            data_dependent=bool(self.scale) or self.gamma is None,
            train_in_folds=self.scale == "fold",
        )

    @property
    def name(self) -> str:
        return f"{self.kernel} kernel"

    def train(self, frame: Frame) -> TrainedKernel:
        scale = scale_of(frame, self.name, self.scale)
        gamma = (
            _gamma(scaled(frame, self.name, scale.spread))
            if self.gamma is None
            else float(self.gamma)
        )
        return TrainedKernel(self, scale.spread, np.array(gamma), strings(scale.constant))


@savable(spread="p", gamma="", constant="c")
@dataclass(frozen=True, eq=False)
class TrainedKernel(TrainedMetric):
    """A kernel distance with the scales and the gamma that it learned.

    Attributes
    ----------
    spread : array (p,)
        Divisor of each column of the design matrix.
    gamma : array ()
        Parameter of the kernel.
    constant : array of str
        Columns that keep scale 1 because they do not vary.
    """

    spec: Kernel
    spread: Array
    gamma: Array
    constant: Array

    @property
    def notes(self) -> tuple[str, ...]:
        return (*unscaled(self.constant), f"gamma of the {self.name}: {self.gamma.item():.4g}")

    def rows(self, frame: Frame) -> Rep:
        X = scaled(frame, self.name, self.spread)
        if self.spec.kernel != "poly":
            return (X,)
        with np.errstate(over="ignore"):
            return X, self._power(totals(X * X))

    def between(self, rows: Rep, candidates: Rep) -> Array:
        X, Z, kind, gamma = rows[0], candidates[0], self.spec.kernel, self.gamma.item()
        if kind == "poly":
            return kernel_distances(self._power(products(X, Z)), rows[1], candidates[1])
        with np.errstate(over="ignore", under="ignore"):
            exponent = gamma * (minkowski(X, Z) ** 2 if kind == "rbf" else minkowski(X, Z, 1.0))
            # sqrt(2 - 2 exp(-exponent)), to full precision near 0
            return np.sqrt(-2 * np.expm1(-exponent))

    def _power(self, inner: Array) -> Array:
        """The polynomial kernel of inner products."""
        with np.errstate(over="ignore", invalid="ignore"):
            base = self.gamma.item() * inner + self.spec.coef0
            out = base.copy()
            # products have the same bits in any tile; a power need not
            for _ in range(int(self.spec.degree) - 1):
                out *= base
        if not np.isfinite(out).all():
            raise DataError(
                f"the {self.name} is not finite for some rows: use a smaller degree or gamma, or scaled columns"
            )
        return out


def _gamma(X: Array) -> float:
    most = np.abs(X).max()  # squares of 1e200 would overflow
    variance = (X / most).var() if most > 0 else 0.0
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        # 1, as scikit-learn has it
        gamma = 1 / (X.shape[1] * variance) / most / most if variance > 0 else 1.0
    if not 0 < gamma < np.inf:
        raise DataError(
            "gamma=1 / (columns * variance) is not a positive number for columns of this size: scale them"
        )
    return gamma
