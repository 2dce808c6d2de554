"""How far from the optimum a rule is at most, and its first steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.covers.certificate import Certificate
from ..core.task import Stepwise
from ..estimation.fitted import Fitted


@dataclass(frozen=True)
class Proved:
    """A bound on the optimum, which holds for the complete rule and for its first steps alike.

    Attributes
    ----------
    gaps : array (steps + 1,)
        By which share of the bound the objective of the first 0, 1, ... steps is above it; of the complete rule alone where it was
        not built step by step. 0 is optimal, infinite where the bound is 0.
    certificate : Certificate
    """

    gaps: np.ndarray
    certificate: Certificate

    def describe(self, size: int | None) -> str:
        """A sentence on the first `size` steps; "" where nothing is known of them."""
        at = size or 0 if len(self.gaps) > 1 else 0
        gap = float(self.gaps[at])
        return f"Objective: {self.certificate.state(gap)}." if np.isfinite(gap) else ""


def measure_gaps(fit: Fitted) -> Proved | None:
    """The gaps of a fit and of its first steps; None where its rule has no bound.

    Examples
    --------
    >>> import protoclass as pc
    >>> proved = measure_gaps(pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, certify=True))
    >>> proved.gaps[-3:].round(3), proved.describe(15)
    (array([0.361, 0.271, 0.182]),
     'Objective: at most 18 % above the optimum (bound 11.0867 by dual ascent, linear relaxation).')
    """
    if not fit.model.can.certificate or "certificate" not in fit.rule.report:
        return None
    certificate = fit.rule.report["certificate"]
    steps = fit.rule.steps if isinstance(fit.rule, Stepwise) else {}
    objectives = np.asarray(steps.get("objective", [fit.rule.report["objective"].value]), float)
    return Proved(np.array([certificate.gap_of(float(value)) for value in objectives]), certificate)
