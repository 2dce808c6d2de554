"""From what a rule says of held-out rows to chances and prediction sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..declared import savable

Array = NDArray[Any]
TINY = np.finfo(float).tiny


@savable
@dataclass(frozen=True)
class Scale:
    """How the values that a rule gives by class become scores: the larger, the more likely the class.

    The score is minus the logarithm of a distance, the logarithm of a share of votes, or a decision value as it is. Only
    differences between the scores of a row matter, so that of distances their ratios do.

    Attributes
    ----------
    kind : "distance", "prob" or "decision"
    low, high : float
        Distances and shares below `low` count as `low`, those above `high` as `high`; so 0 and inf have a logarithm.
    """

    kind: str
    low: float
    high: float

    def scores(self, values: Array) -> Array:
        """Scores (r, classes) of values (r, classes)."""
        if self.kind == "decision":
            return np.asarray(values, float)
        logs = np.log(np.clip(np.asarray(values, float), self.low, self.high))
        return np.asarray(-logs if self.kind == "distance" else logs)


def scale_of(kind: str, values: Array) -> Scale:
    """The scale for values such as these: `low` is half of the smallest positive one, `high` twice the largest finite one."""
    positive = values[(values > 0) & np.isfinite(values)]
    if len(positive) == 0:
        return Scale(kind, 1.0, 1.0)
    return Scale(kind, max(float(positive.min()) / 2, TINY), min(float(positive.max()) * 2, float(np.finfo(float).max)))


class Chances(Protocol):
    """Turns scores (r, classes) into chances (r, classes), each row of which sums to 1; `name` says how."""

    @property
    def name(self) -> str: ...
    def of(self, scores: Array) -> Array: ...


@savable(intercepts="L")
@dataclass(frozen=True)
class Multinomial:
    """Chances proportional to exp(intercept of the class + slope x score of the class).

    Attributes
    ----------
    slope : float
        0 if the scores say nothing.
    intercepts : array (classes,)
        They sum to 0.
    """

    slope: float
    intercepts: Array
    name: ClassVar[str] = "multinomial"

    def of(self, scores: Array) -> Array:
        return softmax(self.intercepts + self.slope * scores)


def softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def fit_multinomial(scores: Array, y: Array, w: Array) -> Multinomial:
    """The multinomial chances of greatest likelihood, with a slope that is not negative.

    The likelihood is that of Platt (1999), for any number of classes: a row of a class of n rows counts as (n + 1)/(n + L) rows of
    this class and 1/(n + L) rows of each of the L - 1 others. So chances are not 0 or 1 where the scores separate the classes.

    Parameters
    ----------
    scores : array (n, L)
    y : int array (n,)
    w : array (n,)
        Weights; a row of weight 2 counts as two.
    """
    from scipy.optimize import minimize

    n, L = scores.shape
    count = np.bincount(y, w, L)
    target = np.repeat((1 / (count + L))[y][:, None], L, axis=1)
    target[np.arange(n), y] = ((count + 1) / (count + L))[y]
    spread = float(np.abs(scores - scores.mean(axis=1, keepdims=True)).mean()) or 1.0
    z = (scores - scores.mean(axis=1, keepdims=True)) / spread

    def loss(parameters: Array) -> tuple[float, Array]:
        slope, intercepts = parameters[0], parameters[1:]
        p = softmax(intercepts + slope * z)
        excess = w[:, None] * (p - target)
        value = -float((w[:, None] * target * np.log(np.maximum(p, TINY))).sum()) / w.sum()
        return value, np.concatenate([[(excess * z).sum()], excess.sum(axis=0)]) / w.sum()

    start = np.concatenate([[1.0], np.log(count + 1) - np.log(count + 1).mean()])
    bounds = [(0.0, None)] + [(None, None)] * L
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-9}
    )
    return Multinomial(float(found.x[0]) / spread, found.x[1:] - found.x[1:].mean())


@savable
@dataclass(frozen=True)
class Isotonic:
    """Chances as steps of how far a class's score lies above the best of the others, one increasing curve a class.

    Of two classes the second has a curve and the first the rest; of more the curves are divided by their sum (Zadrozny and
    Elkan 2002).

    Attributes
    ----------
    x, p : tuples of arrays
        Corners of each curve; between them it is linear, beyond them flat.
    """

    x: tuple[Array, ...]
    p: tuple[Array, ...]
    name: ClassVar[str] = "isotonic"

    def of(self, scores: Array) -> Array:
        lead = -nonconformity(scores)
        if len(self.x) == 1:
            second = np.interp(lead[:, 1], self.x[0], self.p[0])
            return np.column_stack([1 - second, second])
        out = np.stack(
            [np.interp(lead[:, c], x, p) for c, (x, p) in enumerate(zip(self.x, self.p, strict=True))], axis=1
        )
        total = out.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total == 0, 1 / len(self.x), out / np.where(total == 0, 1.0, total)))


def fit_isotonic(scores: Array, y: Array, w: Array) -> Isotonic:
    """The isotonic chances of least squares; parameters as in `fit_multinomial`."""
    from sklearn.isotonic import IsotonicRegression

    lead, L = -nonconformity(scores), scores.shape[1]
    curves = [IsotonicRegression().fit(lead[:, c], y == c, w) for c in ([1] if L == 2 else range(L))]
    return Isotonic(tuple(c.X_thresholds_ for c in curves), tuple(c.y_thresholds_ for c in curves))


LEARN: Mapping[str, Callable[[Array, Array, Array], Chances]] = {"multinomial": fit_multinomial, "isotonic": fit_isotonic}


def under_prior(p: Array, share: Array, prior: Array) -> Array:
    """Chances (r, classes) under another prevalence of the classes, by Bayes' theorem (Saerens, Latinne and Decaestecker 2002, eq. 4).

    Parameters
    ----------
    p : array (r, classes)
        Chances of each row; those of a row with NaN stay NaN.
    share : array (classes,)
        Shares of the classes among the rows that the chances were learned from.
    prior : array (classes,)
        Shares of the classes among the rows asked about. Where they rule out all that a row may be, its chances are these.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.5, 0.5], [0.0, 1.0], [np.nan, np.nan]])
    >>> under_prior(p, share=np.array([0.5, 0.5]), prior=np.array([0.9, 0.1]))
    array([[0.9, 0.1],
           [0. , 1. ],
           [nan, nan]])
    """
    odds = p * (prior / share)
    total = odds.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total == 0, prior, odds / np.where(total == 0, 1.0, total)))


def nonconformity(scores: Array) -> Array:
    """How far the score of each class lies below the best of the other classes, (r, classes).

    For distances this is the logarithm of the distance to the class over the distance to the nearest other one.
    """
    top = np.sort(scores, axis=1)[:, -2:]
    best_other = np.where(scores == top[:, 1:], top[:, :1], top[:, 1:])
    return np.asarray(best_other - scores)


@savable(strangeness="n", y="n", w="n", fold="n")
@dataclass(frozen=True)
class Conformal:
    """Calibration rows against which new ones are ranked, class by class (Mondrian).

    With one fold this is split conformal prediction; with several, cross-conformal prediction (Vovk 2015), where each row was
    scored by the rule that was learned without its fold.

    Attributes
    ----------
    strangeness : array (n,)
        Nonconformity of each calibration row to its own class.
    y : int array (n,)
        Class codes.
    w : array (n,)
        Weights; a row of weight 2 counts as two.
    fold : int array (n,)
        Number of the rule that scored the row.
    classes : int
    """

    strangeness: Array
    y: Array
    w: Array
    fold: Array
    classes: int

    def p_values(self, new: Array) -> Array:
        """Share of the calibration rows of each class that are as strange as a new row would be, (r, classes).

        The new row itself is counted among them.

        Parameters
        ----------
        new : array (folds, r, classes)
            Nonconformity of the new rows to each class by the rule of each fold.
        """
        at_least = np.zeros(new.shape[1:])
        for f, values in enumerate(new):
            for c in range(self.classes):
                own = np.flatnonzero((self.fold == f) & (self.y == c))
                own = own[np.argsort(self.strangeness[own])]
                above = np.concatenate([np.cumsum(self.w[own][::-1])[::-1], [0.0]])
                at_least[:, c] += above[np.searchsorted(self.strangeness[own], values[:, c], side="left")]
        return np.asarray((at_least + 1) / (np.bincount(self.y, self.w, self.classes) + 1))
