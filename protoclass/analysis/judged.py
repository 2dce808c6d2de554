"""New rows with known classes, and what a fit says of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from .safety import CertifiedDistances


@dataclass(frozen=True, eq=False)
class Judged:
    """New rows with known classes, and what a fit says of them.

    Attributes
    ----------
    y, predicted : int arrays (n,)
        Class codes.
    w : array (n,)
        Weights, as shares of the largest, so that the squares of small and large ones are numbers.
    chances : array (n, classes), or None where the fit has none
    p_values : array (n, classes), or None where the fit is not calibrated
        Conformal p-values: a prediction set of a level holds the classes with a larger one than 1 - level.
    given : array (n,), or None
        The weights as they were given, where they are others.
    prevalence : array (classes,), or None where the fit is not calibrated
        Of the classes, for which the chances are.
    group : int array (n,), or None
        Codes of the groups that the rows come in.
    certified : CertifiedDistances, or None
        How far each row can move without changing its predicted class; None where that is not the rule's own.
    """

    y: np.ndarray
    predicted: np.ndarray
    w: np.ndarray
    chances: np.ndarray | None = None
    p_values: np.ndarray | None = None
    given: np.ndarray | None = None
    prevalence: np.ndarray | None = None
    group: np.ndarray | None = None
    certified: CertifiedDistances | None = None

    def take(self, at: np.ndarray) -> Judged:
        """Some of the rows."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("certified", "prevalence")}
        taken: dict[str, Any] = {name: None if v is None else v[at] for name, v in own.items()}
        return replace(self, **taken, certified=None if self.certified is None else self.certified.take(at))


def judged_by(
    fit: Fitted, new: pd.DataFrame, y: np.ndarray, given: np.ndarray, group: np.ndarray | None, threshold: Any
) -> Judged:
    """What a fit says of rows of the classes y (codes, -1 where it is not known) with the given weights and groups."""
    predicted = fit.predict(new, threshold=threshold).cat.codes.to_numpy().astype(int)
    chances = fit.predictions(new, "prob", unseen=None).to_numpy(float) if "prob" in fit.kinds else None
    p_values = prevalence = None
    if fit.calibration is not None:
        p, index, complete = fit.calibration.p_values(new)
        p_values = np.full((len(index), len(fit.classes)), np.nan)
        p_values[complete] = p
        prevalence = fit.calibration.share
    share = given / (given.max(initial=0.0) or 1.0)
    certified = CertifiedDistances(fit, new, np.arange(len(new))) if threshold is None else None
    return Judged(y, predicted, share, chances, p_values, given, prevalence, group, certified)
