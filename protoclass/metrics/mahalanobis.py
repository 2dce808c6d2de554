"""Mahalanobis distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core.distances.minkowski import Geometry, whitened
from ..core.sources import Rep
from ..frames.frame import Frame, blocks
from ..ground.checks import is_number, one_of
from ..ground.errors import DataError, OptionError, brief
from ..ground.savable import savable
from .base import EuclideanSpace, Metric, Traits, strings
from .scaling import design_of, finite, spread_of, unscaled

SINGULAR = 1e-12  # of the largest eigenvalue of the correlations: below it the smallest is rounding


@dataclass(frozen=True)
class Mahalanobis(Metric):
    """Mahalanobis distance sqrt((x - z)' S^-1 (x - z)), S the covariance (n - 1) of all training rows.

    It is the Euclidean distance between whitened rows, and does not change if columns are rescaled or mixed linearly.

    Parameters
    ----------
    ridge : float >= 0
        Regularisation: S + ridge diag(S) replaces S, which adds a proportion of each column's own variance, in any units. A constant
        column counts with variance 1, and then needs a ridge.
    scale : True or "fold"
        Rows for S: True learns S once on all rows, "fold" again on the training rows of each fold. S does not use the class labels.

    Raises
    ------
    DataError
        If S is singular: collinear or constant columns, a category (whose columns add up to 1), or too few rows.

    Notes
    -----
    Mahalanobis (1936), *Proceedings of the National Institute of Sciences of India* 2.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> d = pc.dissimilarity("~ sepal_length + sepal_width", iris, pc.Mahalanobis())
    >>> d.frame().iloc[0, 1:4].round(4).tolist()
    [1.2081, 0.8923, 1.1644]
    """

    papers = ("mahalanobis1936",)

    ridge: float = 0.0
    scale: bool | str = True

    def __post_init__(self) -> None:
        if not is_number(self.ridge, 0):
            raise OptionError(f"ridge must be a number >= 0, not {brief(self.ridge)}")
        one_of("scale", self.scale, (True, "fold"))

    @property
    def traits(self) -> Traits:
        return Traits(
            symmetric=True, triangle=True, row_by_row=True, data_dependent=True, train_in_folds=self.scale == "fold", geometry=Geometry(),
        )  # fmt: skip

    def train(self, frame: Frame) -> TrainedMahalanobis:
        known = spread_of(frame, self.name, True)
        assert known.sums is not None
        spread, constant = known.scales()
        n, p, columns = len(frame), len(known.columns), known.columns
        if n == 1:
            constant = columns
        if not self.ridge and n <= p:  # the rank is below the number of rows: known without any arithmetic
            raise _singular((n, p), "it needs more rows than columns", constant)
        center = known.sums.mean() / spread
        flat = np.isin(columns, constant)
        R = sum(self._products(rows, spread, center, flat) for _, rows in blocks(frame)) / max(n - 1, 1)
        R += self.ridge * np.eye(p)
        values, axes = np.linalg.eigh(R)
        if not values[0] > SINGULAR * values[-1]:
            heavy = [c for c, a in zip(columns, np.abs(axes[:, 0]), strict=True) if a > 0.1 * np.abs(axes[:, 0]).max()]
            which = f"collinear: {', '.join(heavy[:5])}{' and others' if len(heavy) > 5 else ''}"
            raise _singular((n, p), which, constant)
        return TrainedMahalanobis(self, center, spread, np.linalg.cholesky(R), strings(columns), strings(constant))

    def _products(self, frame: Frame, spread: np.ndarray, center: np.ndarray, flat: np.ndarray) -> np.ndarray:
        """Inner products (p, p) of the scaled columns over some rows; 0 for those that do not vary."""
        Z = design_of(frame, self.name) / spread - center
        Z[:, flat] = 0.0  # their mean may differ from them in the last bit
        return np.asarray(Z.T @ Z)


def _singular(shape: tuple[int, ...], reason: str, constant: tuple[str, ...]) -> DataError:
    """The error for a covariance that has no inverse."""
    if constant:
        more = f" and {len(constant) - 5} more" if len(constant) > 5 else ""
        reason = f"constant columns: {', '.join(constant[:5])}{more}"
    return DataError(
        f"the covariance of {shape[1]} columns over {shape[0]} rows is singular ({reason}): leave columns out, or add a ridge, "
        "such as Mahalanobis(ridge=0.01)"
    )


@savable(center="p", spread="p", factor="p p", columns="p", constant="c")
@dataclass(frozen=True)
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
    center: np.ndarray
    spread: np.ndarray
    factor: np.ndarray
    columns: np.ndarray
    constant: np.ndarray

    @property
    def notes(self) -> tuple[str, ...]:
        return unscaled(self.constant)

    def rows(self, frame: Frame) -> Rep:
        with np.errstate(over="ignore", invalid="ignore"):
            Z = whitened(design_of(frame, self.name) / self.spread - self.center, self.factor)
        return (finite(Z, frame),)

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame((coords @ self.factor.T + self.center) * self.spread, columns=self.columns)
