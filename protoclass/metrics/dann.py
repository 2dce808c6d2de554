"""The metric of discriminant adaptive nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..core.distances.discriminant import adaptive_distances
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import MOST_ROWS, MOST_RUNS, is_real, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits
from .minkowski import Euclidean, TrainedMinkowski


@dataclass(frozen=True)
class Adaptive(Metric):
    """Local distances that are long across a class boundary and short along it (Hastie and Tibshirani 1996).

    The training rows nearest to row x_i give the covariance W within their classes and B between them. The distances from this row are

        D[i, j]^2 = (x_i - z_j)' W^-1/2 (W^-1/2 B W^-1/2 + softening I) W^-1/2 (x_i - z_j)

    (ESL, section 13.4.2). With "knn" this is the method of discriminant adaptive nearest neighbours, "dann". The matrix depends on the
    classes, so it is learned again in each fold.

    Parameters
    ----------
    neighborhood : int >= 2, None or sequence
        Number of training rows for each matrix. None: a fifth of them, at least 50 (or all, if there are fewer).
    softening : float > 0, or sequence
        Weight of W^-1 in the matrix; 1 as in ESL.
    ridge : float >= 0, or sequence
        Constant added to the diagonal of the covariance within classes, as a multiple of its mean. If there are hardly more neighbours
        than columns, this covariance is nearly singular, and a small ridge is then harmful.
    iterations : int >= 1, or sequence
        Number of neighbourhood searches; each one after the first uses the previous matrix.
    scale : True, False
        Scaling of the columns, as in `Euclidean`.
    base : TrainedMinkowski, or None
        Euclidean metric for the coordinates, if it was trained on all rows before the folds. Not given by the user.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5, dissimilarity=pc.Adaptive()).training_error() < 0.05
    True
    """

    papers = ("hastie1996",)
    tunable = frozenset({"neighborhood", "softening", "ridge", "iterations"})
    traits = Traits(slow=True, row_by_row=True, train_in_folds=True, supervised=True)

    neighborhood: int | None = None
    softening: float = 1.0
    ridge: float = 1.0
    iterations: int = 1
    scale: bool = True
    base: TrainedMinkowski | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.neighborhood is not None:
            whole_number("neighborhood", self.neighborhood, 2, MOST_ROWS)
        whole_number("iterations", self.iterations, 1, MOST_RUNS)
        for name, given in (("softening", self.softening), ("ridge", self.ridge)):
            fine = is_real(given) and 0 <= given < 1e12
            if not fine or (name == "softening" and given == 0):
                raise OptionError(f"{name} must be a number {'>' if name == 'softening' else '>='} 0 and below 1e12, not {brief(given)}")
        one_of("scale", self.scale, (True, False))
        if self.base is not None and not isinstance(self.base, TrainedMinkowski):
            raise OptionError(f"base must be None, because training sets it, not {brief(self.base)}")

    def pretrain(self, frame: Frame) -> Adaptive:
        return replace(self, base=self._pooled(frame))

    def train(self, frame: Frame) -> TrainedAdaptive:
        if frame.response is None:
            raise DataError(f"adaptive distances need the classes, but {frame.formula.quoted} has no response: use 'response ~ predictors'")
        base = self._pooled(frame) if self.base is None else self.base
        live = np.flatnonzero(frame.weights > 0)
        X = np.asarray(base.coordinates(base.rows(frame)), float)[live]
        count = self.count(len(X))
        if count > len(X):
            raise DataError(f"neighborhood={count} needs as many training rows, but there are {len(X)}: use a smaller one")
        return TrainedAdaptive(replace(self, base=None), base, X, frame.codes[live], np.array(len(frame.levels)))

    def _pooled(self, frame: Frame) -> TrainedMinkowski:
        trained = Euclidean(scale=self.scale).train(frame)
        assert isinstance(trained, TrainedMinkowski)
        return trained

    def count(self, n: int) -> int:
        """Number of training rows for each matrix, among n."""
        return min(n, max(50, n // 5)) if self.neighborhood is None else int(self.neighborhood)


@savable(X="n p", y="n", classes="")
@dataclass(frozen=True)
class TrainedAdaptive(TrainedMetric):
    """Adaptive distances with the training rows that they learn from.

    Attributes
    ----------
    base : TrainedMinkowski
        The Euclidean distance that scales the columns.
    X : array (n, p)
        Coordinates of the training rows that have weight.
    y : int array (n,)
        Their classes.
    classes : int array ()
        Number of classes.
    """

    spec: Adaptive
    base: TrainedMinkowski
    X: np.ndarray
    y: np.ndarray
    classes: np.ndarray

    @property
    def notes(self) -> tuple[str, ...]:
        return self.base.notes

    def rows(self, frame: Frame) -> Rep:
        return (np.asarray(self.base.rows(frame)[0], float),)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        spec = self.spec
        settings = (spec.count(len(self.X)), float(spec.softening), float(spec.ridge), int(spec.iterations))
        return adaptive_distances(rows[0], candidates[0], self.X, self.y, self.classes.item(), *settings)
