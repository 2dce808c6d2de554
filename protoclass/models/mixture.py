"""Gaussian mixtures by class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ..core.parallel import each
from ..core.query import RulePath
from ..core.task import Points, Task
from ..core.vectors.mixture import (
    COVARIANCES,
    EM_STEPS,
    Gaussians,
    Mix,
    bic,
    count_parameters,
    log_densities,
    mix,
    spread,
)
from ..ground.checks import GRID, MOST_RUNS, is_real, one_of
from ..ground.errors import DataError, OptionError, brief, shown
from .base import (
    MOST,
    Axes,
    Capabilities,
    PerClass,
    axis,
    check_counts,
    check_fixed,
    check_number,
    counts,
    in_words,
    listed,
)
from .centroids import repeated

BIC = "bic"


@dataclass(frozen=True)
class Mixture(PerClass):
    """Gaussian mixture for each class, fitted by EM.

    The prototypes are the means. Rows go to the class with the largest posterior probability (ESL, section 13.2.3).

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, sequence, "grid" or "bic"
        Number, or proportion of the rows, of each class. "grid": 1 to 10, at most the training rows
        of the smallest class. "bic": for each class the number from 1 to 10, at most its distinct
        rows, with the lowest BIC on the training rows.
    covariance : "full", "tied", "diag", "spherical", a sequence of these or "grid"
        Type of the covariances: any covariance for each component ("full"), one for all components
        of a class ("tied"), diagonal ("diag"), or multiples of the unit matrix ("spherical").
        "grid": all four.
    priors : None, "equal" or mapping
        Prior probability of each class. None: its proportion of the training rows; "equal": the
        same for all; or a mapping by class.
    ridge : float >= 0, sequence or "grid"
        Constant added to the diagonal of each covariance, as a multiple of the mean variance of the
        columns within classes. "grid": 0.0001 to 1.
    starts : int >= 1
        Runs of EM from different k-means solutions, of which the best is used.

    Raises
    ------
    DataError
        If a class has fewer rows than components, or fewer than two, or a covariance is singular.

    Notes
    -----
    `predict(kind="decision")` is the log of prior times density, `kind="prob"` the posterior
    probabilities. Where every density is 0, the nearest mean by Mahalanobis distance has
    probability 1.

    With K=1 and no ridge this is quadratic discriminant analysis by maximum likelihood. The size of
    a fitted model is its number of free parameters. Weights are not supported.

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), *The Elements of Statistical Learning*, sections 8.5,
    12.7 and 13.2.3.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "mixture", K=1)
    >>> fit.predict(kind="prob").loc[[70]].round(2).to_dict("list")
    {'setosa': [0.0], 'versicolor': [0.36], 'virginica': [0.64]}
    """

    name = "mixture"
    papers = ("hastie2009",)
    can = Capabilities(coordinates=True)
    example: ClassVar[Mapping[str, Any]] = {"K": (1, 2), "covariance": ("diag", "full")}
    never_tuned: ClassVar[frozenset[str]] = frozenset({"priors", "starts"})
    grids: ClassVar[frozenset[str]] = frozenset({"covariance", "ridge"})

    K: Any = "grid"
    covariance: Any = "full"
    priors: Any = None
    ridge: Any = 0.01
    starts: int = 3

    @property
    def title(self) -> str:
        return "Gaussian mixtures by class"

    def __post_init__(self) -> None:
        if not by_bic(self.K):
            check_counts("mixture", self.K)
        for covariance in listed("mixture", "covariance", self.covariance):
            one_of(
                "covariance",
                covariance,
                (*COVARIANCES, GRID) if covariance is self.covariance else COVARIANCES,
            )
        check_priors(self.priors)
        check_number(self, "ridge", self.ridge, low=0)
        check_fixed("mixture", "starts", self.starts, low=1, integral=True, high=MOST_RUNS)

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if parameter == "covariance":
            return np.array(COVARIANCES)
        if parameter == "ridge":
            return np.geomspace(1e-4, 1, 5)
        return super().default_grid(parameter, task, smallest)

    def rows_needed(self, grid: Axes, held: np.ndarray) -> np.ndarray:
        of_K = np.zeros_like(held) if by_bic(self.K) else super().rows_needed(grid, held)
        return np.maximum(2, of_K)

    def path(self, task: Task, grid: Axes) -> RulePath:
        X = np.asarray(task.coordinates(), float)
        unit = spread(X, task.y, task.classes)
        if unit == 0:
            raise DataError(
                "a Gaussian needs some variance, but the rows of each class are identical: use 'kmeans' or 'pvm'"
            )
        if unit == np.inf:
            raise DataError(
                "some columns are too large for variances: scale them, as dissimilarity='euclidean' does"
            )
        of_class = [X[task.y == c] for c in range(task.classes)]
        distinct = np.array([len(np.unique(rows, axis=0)) for rows in of_class])
        axes = [
            axis(grid, name, getattr(self, name)).tolist() for name in ("K", "covariance", "ridge")
        ]

        def rule(point: tuple[Any, str, Any]) -> Gaussians:
            return self._rule(task, of_class, distinct, *point[:2], float(point[2]) * unit)

        points = list(product(*axes))
        return RulePath(tuple(each(rule, points, X.size * len(points) * self.starts)))

    def _rule(
        self,
        task: Task,
        of_class: list[np.ndarray],
        distinct: np.ndarray,
        K: Any,
        covariance: str,
        ridge: float,
    ) -> Gaussians:
        if by_bic(K):
            most = np.minimum(MOST, distinct).tolist()
            mixtures = [
                self._least_bic(task, X, c, most[c], covariance, ridge)
                for c, X in enumerate(of_class)
            ]
        else:
            K_of_class = counts(K, np.array([len(X) for X in of_class])).tolist()
            mixtures = [
                self._mix(task, X, c, K_of_class[c], covariance, ridge)
                for c, X in enumerate(of_class)
            ]
        nearest = [
            log_densities(X, m.weights, m.means, m.roots).argmax(axis=1)
            for m, X in zip(mixtures, of_class, strict=True)
        ]
        assigned = [
            np.bincount(at, minlength=len(m.weights)).astype(float)
            for m, at in zip(mixtures, nearest, strict=True)
        ]
        components = np.array([len(m.weights) for m in mixtures])
        weights = np.concatenate([m.weights for m in mixtures])
        prototypes = Points(
            np.repeat(np.arange(task.classes), components),
            coords=np.concatenate([m.means for m in mixtures]),
            table={"weight": weights, "assigned": np.concatenate(assigned)},
        )
        size = float(
            sum(count_parameters(k, of_class[0].shape[1], covariance) for k in components.tolist())
        )
        report = {
            "components per class K": counts_in_words(K, task.levels, components),
            "covariance": covariance,
        }
        report |= repeated("components", task.levels, components, distinct)
        unfinished = [str(c) for c, m in zip(task.levels, mixtures, strict=True) if not m.converged]
        if unfinished:
            report["EM"] = f"did not converge in {EM_STEPS} steps for {', '.join(unfinished)}"
        return Gaussians(
            prototypes,
            weights,
            tuple(r for m in mixtures for r in m.roots),
            self._priors(task),
            size,
            report,
        )

    def _least_bic(
        self, task: Task, X: np.ndarray, c: int, most: int, covariance: str, ridge: float
    ) -> Mix:
        several = [self._mix(task, X, c, k, covariance, ridge) for k in range(1, most + 1)]
        return several[int(np.argmin([bic(m, X, covariance) for m in several]))]

    def _mix(self, task: Task, X: np.ndarray, c: int, K: int, covariance: str, ridge: float) -> Mix:
        try:
            return mix(X, K, covariance, self.starts, ridge, (*task.seed, K, c))
        except ValueError as reason:
            raise DataError(
                f"{K} Gaussian{'s' if K > 1 else ''} with covariance={covariance!r} cannot be "
                f"fitted to the {len(X)} rows of class {shown(task.levels[c])}: use a larger ridge, "
                "a smaller K or covariance='spherical'"
            ) from reason

    def _priors(self, task: Task) -> np.ndarray:
        if self.priors is None:
            return np.bincount(task.y, task.w, task.classes) / task.w.sum()
        if isinstance(self.priors, str):
            return np.full(task.classes, 1 / task.classes)
        if set(self.priors) != set(task.levels):
            raise OptionError(
                f"priors must be a mapping with exactly the classes {list(task.levels)} as keys, "
                f"not {brief(dict(self.priors))}"
            )
        return np.array([float(self.priors[level]) for level in task.levels])


def by_bic(K: Any) -> bool:
    return isinstance(K, str) and K == BIC


def counts_in_words(K: Any, levels: tuple[Any, ...], components: np.ndarray) -> Any:
    """K as shown in a report."""
    if not by_bic(K):
        return in_words(K)
    return ", ".join(f"{c}: {k}" for c, k in zip(levels, components, strict=True)) + " (least BIC)"


def check_priors(priors: Any) -> None:
    """Check the parameter priors, except for the names of the classes."""
    if isinstance(priors, Mapping):
        values = list(priors.values())
        valid = all(is_real(v) and 0 < v <= 1 for v in values)
        if valid and values and math.isclose(math.fsum(values), 1, rel_tol=1e-9):
            return
    elif priors is None or (isinstance(priors, str) and priors == "equal"):
        return
    raise OptionError(
        "priors must be None (the class proportions of the rows), 'equal', or a mapping of every "
        f"class to a probability > 0 with sum 1, not {brief(priors)}"
    )
