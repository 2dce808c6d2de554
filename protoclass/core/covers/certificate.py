"""The cost of a cover, and a bound on its distance from the optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ground.errors import printed
from ...ground.savable import savable

Array = NDArray[Any]


@savable
@dataclass(frozen=True)
class Objective:
    """The objective of the integer program (3), in weight of rows.

    Attributes
    ----------
    uncovered : float
        Sum of xi: weight of the rows that no ball of their own class contains.
    miscovered : float
        Sum of eta: weight of the rows in a ball of another class, once for each such ball.
    prototypes : int
    lambda_ : float
    """

    uncovered: float
    miscovered: float
    prototypes: int
    lambda_: float

    @property
    def value(self) -> float:
        return self.uncovered + self.miscovered + self.lambda_ * self.prototypes


def objective(inside: Array, classes: Array, y: Array, w: Array, lambda_: float) -> Objective:
    """The objective from its definition.

    Parameters
    ----------
    inside : bool array (n, q)
        Whether row i lies in the ball of prototype j.
    classes : int array (q,)
        Class that each prototype represents.
    y : int array (n,)
    w : array (n,)
    lambda_ : float
    """
    own = y[:, None] == classes[None, :]
    uncovered = float(w[~(inside & own).any(axis=1)].sum())
    miscovered = float((w[:, None] * (inside & ~own)).sum())
    return Objective(uncovered, miscovered, len(classes), lambda_)


@savable(objective="L", bound="L", proof="L", prices="n")
@dataclass(frozen=True)
class Certificate:
    """A bound on how far a cover is from the optimum.

    Attributes
    ----------
    objective, bound : arrays (classes,)
        The objective of the cover, and a lower bound on that of any cover, for each class (the problem separates).
    proof : tuple of str
        Where each bound comes from: "dual" (dual ascent), "LP" (the linear relaxation) or "MIP" (the integer program).
    notes : tuple of str
        A note of the solver for each class, "" for none.
    over : str
        Which candidates the bound is over, in words; "" where they are all those that the cover is chosen from.
    sampled : Certificate, or None
        The bound over the sample of candidates that the cover is chosen from, where `bound` is over all rows.
    prices : array (n,), or None
        Dual prices of the rows: 0 <= y_i <= w_i, such that for each class sum y_i + sum_j min(0, C_j - sum of y_i in ball j) is a
        lower bound. It is `bound`, up to the next value that an objective can have, unless that is from the integer program.
    """

    objective: Array
    bound: Array
    proof: tuple[str, ...]
    notes: tuple[str, ...] = ()
    over: str = ""
    sampled: Certificate | None = None
    prices: Array | None = None

    @property
    def gap(self) -> float:
        """(objective - bound) / bound over all classes; 0 is optimal."""
        return self.gap_of(float(self.objective.sum()))

    def gap_of(self, objective: float) -> float:
        """The gap of any cover of this objective, by the same bound: it is one on all covers."""
        bound = float(self.bound.sum())
        above = objective - bound
        if above <= 1e-9 * max(1.0, objective):
            return 0.0
        return above / bound if bound > 0 else float("inf")

    @property
    def statements(self) -> tuple[str, str]:
        """What it says of a cover at the bound, and of one above it, with {} for the share by which it is."""
        names = {"dual": "dual ascent", "LP": "linear relaxation", "MIP": "integer program"}
        proofs = ", ".join(name for proof, name in names.items() if proof in self.proof)
        over = f" over {self.over}" if self.over else ""
        above = f"at most {{}} above the optimum{over} (bound {self.bound.sum():.6g} by {proofs})"
        return f"optimal{over} (proved by {proofs})", above

    def state(self, gap: float) -> str:
        """What it says of a cover of this gap, in words."""
        optimal, above = self.statements
        return optimal if gap == 0 else above.replace("{}", _percent(gap))

    def scaled(self, unit: float) -> Certificate:
        sampled = None if self.sampled is None else self.sampled.scaled(unit)
        prices = None if self.prices is None else self.prices * unit
        return replace(self, objective=self.objective * unit, bound=self.bound * unit, sampled=sampled, prices=prices)

    def without_prices(self) -> Certificate:
        """What it states, without what proves it."""
        sampled = None if self.sampled is None else self.sampled.without_prices()
        return replace(self, sampled=sampled, prices=None)

    @printed
    def __repr__(self) -> str:
        text = self.state(self.gap)
        return text if self.sampled is None else f"{text}; {self.sampled}"


def _percent(share: float) -> str:
    """To two digits, without a power of ten."""
    value = float(f"{100 * share:.2g}")
    return f"{value:,.0f} %" if value >= 100 else f"{np.format_float_positional(value, trim='-')} %"
