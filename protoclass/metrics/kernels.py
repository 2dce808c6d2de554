"""Distances in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..core.distances.minkowski import minkowski, products, totals
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import either, is_number, one_of
from ..ground.errors import DataError, OptionError, brief
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits, strings
from .matrices import kernel_distances
from .scaling import SCALES, finite, spread_of, unscaled

KERNELS = ("rbf", "poly", "linear", "laplacian")
PRECISE = ("rbf", "linear", "laplacian")  # others are 0 between near rows, as differences of large numbers
TILE = 64  # rows on either side of a call of the user's kernel
HIGHEST = 100  # degree of a polynomial


@dataclass(frozen=True)
class Kernel(Metric):
    """Kernel distance sqrt(K(x, x) + K(z, z) - 2 K(x, z)) (Bien and Tibshirani 2011, section 4.1).

    "rbf" is K = exp(-gamma |x - z|^2); "laplacian" exp(-gamma sum |x - z|); "poly" (gamma x'z + coef0)^degree; "linear" x'z,
    whose distance is Euclidean.

    Parameters
    ----------
    kernel : "rbf", "poly", "linear", "laplacian" or callable
        Kernel K. A callable `(X, Z) -> array (r, q)` gets rows of the scaled design matrix, always 64 on either side. The last block is
        padded with copies of its last row, so matrix products do not depend on the number of rows. It must be symmetric and positive
        semidefinite, and its value for a pair must not depend on other rows.
    gamma : float > 0, optional
        Parameter of the kernel. Default: 1 / (number of columns * variance of all entries of the scaled design matrix), as
        scikit-learn's `gamma="scale"`. Columns far from 0 make this variance large and gamma small: center() them in the formula, or
        specify gamma.
    degree : int from 1 to 100
        Degree of "poly".
    coef0 : float >= 0
        Constant of "poly".
    scale : True, False, "fold", "range" or "robust"
        Scaling of the columns, as in `Minkowski`; "fold" also learns gamma in each fold.

    Notes
    -----
    These are distances between points, so they satisfy the triangle inequality. For "poly" and a callable they are differences of
    numbers that may be large, and may be 0 between near rows.

    Raises
    ------
    DataError
        If K(x, x) + K(z, z) < 2 K(x, z) beyond rounding, so K is not a kernel.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.dissimilarity("species ~ .", pc.load_data("iris").iloc[::50], pc.Kernel("rbf", gamma=0.1)).condensed().round(4).tolist()
    [1.149, 1.1561, 0.6251]
    """

    kernel: str | Callable[[np.ndarray, np.ndarray], np.ndarray] = "rbf"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    scale: bool | str = True

    def __post_init__(self) -> None:
        if not callable(self.kernel) and not (isinstance(self.kernel, str) and self.kernel in KERNELS):
            raise OptionError(
                f"kernel must be {either(KERNELS)}, or a callable (X, Z) -> array, not {brief(self.kernel)}: for a matrix use "
                "precomputed(K)"
            )
        if self.gamma is not None and not is_number(self.gamma, 0, above=True):
            raise OptionError(f"gamma must be a number > 0 or None, not {brief(self.gamma)}")
        if self.gamma is not None and not self.has_gamma:
            raise OptionError(f"the {self.name} has no gamma, but gamma={brief(self.gamma)}: leave it out")
        integral = isinstance(self.degree, Integral) and not isinstance(self.degree, bool)
        if not integral or not 1 <= self.degree <= HIGHEST:
            raise OptionError(f"degree must be a whole number from 1 to {HIGHEST}, not {brief(self.degree)}")
        if not is_number(self.coef0, 0):
            raise OptionError(f"coef0 must be a number >= 0 to make a kernel, not {brief(self.coef0)}")
        if self.kernel != "poly" and (self.degree, self.coef0) != (3, 1.0):
            raise OptionError(f"degree and coef0 need kernel='poly', not the {self.name}")
        one_of("scale", self.scale, tuple(SCALES))

    @property
    def has_gamma(self) -> bool:
        """Whether gamma enters this kernel."""
        return isinstance(self.kernel, str) and self.kernel != "linear"

    @property
    def traits(self) -> Traits:
        learned = self.has_gamma and self.gamma is None
        return Traits(
            symmetric=not callable(self.kernel),  # whose bits for (x, z) and (z, x) may differ
            triangle=self.kernel in PRECISE, row_by_row=True, data_dependent=bool(self.scale) or learned,
            train_in_folds=self.scale == "fold",
        )  # fmt: skip

    @property
    def name(self) -> str:
        return f"{self.kernel if isinstance(self.kernel, str) else brief(self.kernel)} kernel"

    def train(self, frame: Frame) -> TrainedKernel:
        spread, constant = spread_of(frame, self.name, self.scale).scales(self.scale, frame)
        gamma = np.nan
        if self.has_gamma:
            gamma = float(self.gamma) if self.gamma is not None else _gamma(_scaled(frame, spread))
        return TrainedKernel(self, spread, np.array(gamma), strings(constant))


@savable(spread="p", gamma="", constant="c")
@dataclass(frozen=True)
class TrainedKernel(TrainedMetric):
    """A kernel distance with the scales and the gamma that it learned.

    Attributes
    ----------
    spread : array (p,)
        Divisor of each column of the design matrix.
    gamma : array ()
        Parameter of the kernel; NaN if it has none.
    constant : array of str
        Columns that keep scale 1 because they do not vary.
    """

    spec: Kernel
    spread: np.ndarray
    gamma: np.ndarray
    constant: np.ndarray

    @property
    def notes(self) -> tuple[str, ...]:
        said = unscaled(self.spec.scale, self.constant)
        return (*said, f"gamma of the {self.name}: {self.gamma.item():.4g}") if self.spec.has_gamma else said

    def rows(self, frame: Frame) -> Rep:
        X = _scaled(frame, self.spread)
        return X, self._own(X)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        (X, a), (Z, b) = rows, candidates
        kind, gamma = self.spec.kernel, self.gamma.item()
        if kind == "linear":
            return minkowski(X, Z)
        with np.errstate(over="ignore", under="ignore"):
            if kind == "rbf":
                return _bounded(gamma * minkowski(X, Z) ** 2)
            if kind == "laplacian":
                return _bounded(gamma * minkowski(X, Z, 1.0))
        K = self._power(products(X, Z)) if kind == "poly" else self._tiles(X, Z)
        return np.asarray(kernel_distances(self._finite(K), a, b))

    def _own(self, X: np.ndarray) -> np.ndarray:
        """K(x, x) of each row (n,)."""
        if self.spec.kernel == "poly":
            with np.errstate(over="ignore"):
                squares = totals(X * X)
            return self._finite(self._power(squares))
        if not callable(self.spec.kernel):
            return np.zeros(len(X))  # not used
        tiles = [self._tiles(X[i : i + TILE], X[i : i + TILE]).diagonal() for i in range(0, len(X), TILE)]
        return np.concatenate(tiles) if tiles else np.empty(0)

    def _power(self, inner: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            base = self.gamma.item() * inner + self.spec.coef0
            out: np.ndarray = base.copy()
            for _ in range(int(self.spec.degree) - 1):  # products have the same bits in any tile; a power need not
                out *= base
        return out

    def _tiles(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        out = np.empty((len(X), len(Z)))
        for i in range(0, len(X), TILE):
            left = _filled(X[i : i + TILE])
            for j in range(0, len(Z), TILE):
                tile = out[i : i + TILE, j : j + TILE]
                # never the same array twice: BLAS multiplies X by its own transpose in another way
                tile[:] = self._called(left, _filled(Z[j : j + TILE]))[: len(tile), : tile.shape[1]]
        return out

    def _called(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        assert callable(self.spec.kernel)
        try:
            result: Any = self.spec.kernel(X, Z)
        except Exception as reason:
            raise DataError(
                f"the {self.name} failed on arrays {X.shape} and {Z.shape}: {type(reason).__name__}: {reason}"
            ) from reason
        try:
            K = np.asarray(result)
            if np.iscomplexobj(K):
                raise TypeError
            K = K.astype(float)
        except (TypeError, ValueError):
            raise DataError(f"the {self.name} must return an array of numbers, not {brief(result)}") from None
        if K.shape != (len(X), len(Z)):
            raise DataError(
                f"the {self.name} must return an array of shape {(len(X), len(Z))} for {len(X)} and {len(Z)} rows, not {K.shape}"
            )
        return self._finite(K)

    def _finite(self, K: np.ndarray) -> np.ndarray:
        if np.isfinite(K).all():
            return K
        cure = (
            "a smaller degree or gamma, or scaled columns"
            if self.spec.kernel == "poly"
            else "a kernel defined on all rows"
        )
        raise DataError(f"the {self.name} is not finite for some rows: use {cure}")


def _scaled(frame: Frame, spread: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        X = np.ascontiguousarray(frame.design.to_numpy(float) / spread)
    return finite(X, frame)


def _bounded(exponent: np.ndarray) -> np.ndarray:
    """sqrt(2 - 2 exp(-exponent)), to full precision near 0."""
    return np.asarray(np.sqrt(-2 * np.expm1(-exponent)))


def _gamma(X: np.ndarray) -> float:
    most = np.abs(X).max()  # squares of 1e200 would overflow
    variance = (X / most).var() if most > 0 else 0.0
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        gamma = 1 / (X.shape[1] * variance) / most / most if variance > 0 else 1.0  # 1, as scikit-learn has it
    if not 0 < gamma < np.inf:
        raise DataError("gamma=1 / (columns * variance) is not a positive number for columns of this size: scale them")
    return float(gamma)


def _filled(X: np.ndarray) -> np.ndarray:
    """A tile in its own memory with TILE rows, the missing ones copies of the last."""
    return X[np.minimum(np.arange(TILE), len(X) - 1)]
