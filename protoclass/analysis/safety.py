"""How far a row can move without changing its predicted class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pandas as pd

from ..core.distances.properties import asymmetry, triangles
from ..core.sources import part
from ..estimation.fitted import Fitted
from ..metrics.dissimilarity import Dissimilarity

SAMPLE = 300  # rows among which the triangle inequality may be refuted, all triples of them


def certified(distance: np.ndarray, fitted: np.ndarray) -> np.ndarray:
    """Half of the distance to the nearest prototype of any other class minus that of the fitted class, (r,).

    By the triangle inequality a row that moves by less, in the dissimilarity of the fit, keeps its class.

    Parameters
    ----------
    distance : array (r, classes)
        Distances to the nearest prototype of each class.
    fitted : int array (r,)
        Class codes, -1 for none.
    """
    at = np.arange(len(fitted))
    own = np.where(fitted >= 0, distance[at, fitted], np.nan)
    others = distance.copy()
    others[at, fitted] = np.inf
    return np.asarray((others.min(axis=1) - own) / 2)


@dataclass(frozen=True, eq=False)
class CertifiedDistances:
    """How far rows can move without changing their predicted class, worked out when it is first read.

    Attributes
    ----------
    fit : Fitted
    new : DataFrame
    at : int array (n,)
        Which rows of `new`.
    """

    fit: Fitted
    new: pd.DataFrame
    at: np.ndarray

    @cached_property
    def reason(self) -> str:
        """Why no distance is certified; "" where it is."""
        return why_not_certified(self.fit)

    @cached_property
    def distance(self) -> np.ndarray:
        """The certified distance of each row (n,), see `certified`."""
        rows = self.new.iloc[self.at]
        return certified(
            self.fit.predictions(rows, "distance", unseen=None).to_numpy(float),
            self.fit.predictions(rows, unseen=None).cat.codes.to_numpy(),
        )

    def take(self, rows: np.ndarray) -> CertifiedDistances:
        """That of some of the rows."""
        return CertifiedDistances(self.fit, self.new, self.at[rows])


def stay_right(distance: np.ndarray, right: np.ndarray, size: float) -> np.ndarray:
    """Whether rows are right and stay so under every change smaller than `size`, (n,); at 0 whether they are right.

    Parameters
    ----------
    distance : array (n,)
        Certified distances; a row with a tie has 0, one whose distances are not known NaN.
    right : bool array (n,)
        Whether the predicted class is the true one.
    """
    return np.asarray(right if size == 0 else right & (distance >= size))


def why_not_certified(fit: Fitted) -> str:
    """The reason why no distance is certified for the rows of a fit; "" where it is."""
    if not fit.model.can.nearest:
        return f"method {fit.model.name!r} does not predict the class of the nearest prototype"
    if fit.model.can.own_distances:
        return "the rule compares distances of its own, not those of the metric"
    if len(fit.rule.prototypes) == 0:
        return "the rule has no prototypes"
    metric = fit.dissimilarity.metric
    if fit.frame.keep:
        return "missing values are skipped pair by pair, so that the triangle inequality need not hold"
    if metric.triangle and not metric.opaque:
        return ""
    refuted = why_no_metric(fit.dissimilarity)
    if refuted or metric.triangle:
        return refuted
    asked = any(f.name == "triangle" for f in fields(metric.spec))
    cure = f"; if they do for all rows that there can be, say so: {type(metric.spec).__name__}(..., triangle=True)" if asked else ""
    return f"it is not known that {metric.name} dissimilarities satisfy the triangle inequality{cure}"


def why_no_metric(dissimilarity: Dissimilarity) -> str:
    """How dissimilarities among some candidates show that they are no metric; "" where they do not."""
    rows, metric = dissimilarity.candidate_row, dissimilarity.metric
    own = np.flatnonzero(rows >= 0)
    if len(own) < 3:
        return ""
    chosen = np.sort(np.random.default_rng(0).permutation(own)[:SAMPLE])
    P = np.asarray(metric.between(part(dissimilarity.rows, rows[chosen]), part(dissimilarity.candidates, chosen)), float)
    if asymmetry(P).beyond:
        return f"{metric.name} dissimilarities are asymmetric"
    tested = triangles(P, exact=SAMPLE)
    if tested.violated:
        return f"{metric.name} dissimilarities violate the triangle inequality in {tested.violated} of {tested.tested} triples"
    return ""
