"""The metric of discriminant adaptive nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..core.neighbours.dann import local_distances, local_factors
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

    At each candidate, the covariances within and between classes of its nearest training rows define a matrix, and the dissimilarities
    to this candidate are D[i, j] = ((x_i - z_j)' Sigma_j (x_i - z_j))^1/2, see `core.neighbours.dann.local_factors`. It uses the class
    labels, so it is learned again in each fold.

    Parameters
    ----------
    neighborhood : int >= 2, or None
        Number of training rows for each matrix. None: a fifth of them, at least 50 (or all, if there are fewer).
    epsilon : float > 0
        Weight of the Euclidean part of the matrix; 1 as in ESL.
    ridge : float >= 0
        Constant added to the diagonal of the covariance within classes, as a multiple of its mean. If there are hardly more neighbours
        than columns, this covariance is nearly singular, and a small ridge is then harmful.
    iterations : int >= 1
        Number of neighbourhood searches; each one after the first uses the previous matrices.
    scale : True, False
        Scaling of the columns, as in `Euclidean`.
    base : TrainedMinkowski, or None
        Euclidean metric for the coordinates, if it was trained on all rows before the folds. Not given by the user.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5, dissimilarity=pc.Adaptive()).training_error < 0.05
    True
    """

    papers = ("hastie1996",)

    traits = Traits(slow=True, row_by_row=True, train_in_folds=True, supervised=True)

    neighborhood: int | None = None
    epsilon: float = 1.0
    ridge: float = 1.0
    iterations: int = 1
    scale: bool = True
    base: TrainedMinkowski | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, value, least in (("neighborhood", self.neighborhood, 2), ("iterations", self.iterations, 1)):
            if name == "neighborhood" and value is None:
                continue
            whole_number(name, value, least, MOST_RUNS if name == "iterations" else MOST_ROWS)
        for name, given in (("epsilon", self.epsilon), ("ridge", self.ridge)):
            fine = is_real(given) and 0 <= given < 1e12
            if not fine or (name == "epsilon" and given == 0):
                raise OptionError(f"{name} must be a number {'>' if name == 'epsilon' else '>='} 0 and below 1e12, not {brief(given)}")
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

    def candidates(self, frame: Frame) -> Rep:
        return self._local(self.rows(frame)[0])

    def some_candidates(self, frame: Frame, at: np.ndarray) -> Rep:
        return self._local(self.rows(frame.take(at))[0])

    def _local(self, Z: np.ndarray) -> Rep:
        spec = self.spec
        settings = (spec.count(len(self.X)), float(spec.epsilon), float(spec.ridge), int(spec.iterations))
        return Z, local_factors(Z, self.X, self.y, self.classes.item(), *settings)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return local_distances(rows[0], candidates[0], candidates[1])
