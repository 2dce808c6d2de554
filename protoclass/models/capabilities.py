"""What a method can do beyond predicting: declared beside the method, and asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.machines.bounds import Bound
from ..core.query import Query
from ..core.task import Rule

if TYPE_CHECKING:
    from .base import Model


@dataclass(frozen=True)
class Learned:
    """What a method may look at when it speaks of a rule that it learned.

    Attributes
    ----------
    rule : Rule
    model : Model
        With the parameters as chosen.
    classes : sequence
        Names of the classes.
    prototypes : sequence
        Names of the prototypes, in the order chosen.
    prototype_row : int array (q,)
        The row that each prototype is, -1 for none.
    y : int array (n,)
        Class codes of the rows.
    fitted : callable
        Returns the class codes that the rule gives to the rows.
    design : callable
        Returns the design matrix as a DataFrame; it raises where the formula names no predictors.
    tried : mapping of parameter to values
        What cross-validation chose from.
    reasons : sequence of str
        Why the rule could not be made again from a compression set alone, as what prepared the data depends on the sample.
    error : float, or None
        Cross-validated share of errors, where that is what was measured.
    """

    rule: Rule
    model: Model
    classes: Sequence[Any]
    prototypes: Sequence[Any]
    prototype_row: np.ndarray
    y: np.ndarray
    fitted: Callable[[], np.ndarray]
    design: Callable[[], pd.DataFrame]
    tried: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    reasons: Sequence[str] = ()
    error: float | None = None


@dataclass(frozen=True)
class Capabilities:
    """What a method can do. Each is False, empty or None where it can't; a text says under which condition it can.

    Attributes
    ----------
    weights : bool
        It takes weights of the rows.
    candidates : frozenset of str
        Of "subset" (candidates may be a random part of the rows) and "unlabelled" (candidates may be no row).
    objective, certificate : bool or str
        Its report holds the value of an objective, and a bound on the optimum (`core.covers.certificate`).
    nearest : bool
        Its rule gives a row the class of its nearest prototype.
    own_distances : bool
        Its distances are not those of the metric but of its rule.
    balls : bool or str
        Its prototypes have balls that cover rows of their class.
    gains : bool or str
        Its prototypes have columns `covers` and `miscovers`, in the order chosen.
    steps : bool or str
        Its rule was built step by step (`core.task.Stepwise`).
    costs : bool or str
        What a larger lambda chooses are the first steps: the rule's `at_cost(lambda_)` is the rule of these.
    warm_starts : bool
        Over a grid a rule starts from that of the point before, so that a point fitted by itself may give another rule.
    solvers : tuple of str
        Values of its parameter `solver`, whose objectives can be compared.
    radius : str
        The parameter that is the radius of the balls.
    bound : callable
        `bound(learned, delta)`: a bound on the error of new rows, one row a machine; see `Fit.bound`.
    step_bounds : callable
        `step_bounds(learned)`: the bounds of the first 0, 1, ... steps, at delta = 0.05.
    grid_bounds : bool
        Its paths have bounds over the grid, so that choose="bound" is possible.
    features : callable
        `features(learned)`: a DataFrame with one row for each feature of the rule, in words.
    notes : callable
        `notes(learned)`: what a summary should say beyond what is said of every rule.
    why : callable
        `why(learned, query)`: for the one row of a query, how its class came about, in sentences.
    """

    weights: bool = False
    candidates: frozenset[str] = frozenset()
    objective: bool | str = False
    certificate: bool | str = False
    nearest: bool = False
    own_distances: bool = False
    balls: bool | str = False
    gains: bool | str = False
    steps: bool | str = False
    costs: bool | str = False
    warm_starts: bool = False
    solvers: tuple[str, ...] = ()
    radius: str = ""
    bound: Callable[[Learned, float], pd.DataFrame] | None = None
    step_bounds: Callable[[Learned], np.ndarray] | None = None
    grid_bounds: bool = False
    features: Callable[[Learned], pd.DataFrame] | None = None
    notes: Callable[[Learned], list[str]] | None = None
    why: Callable[[Learned, Query], list[str]] | None = None


def bound_table(rows: Sequence[tuple[str, int, int, int, int, Bound, Sequence[str]]]) -> pd.DataFrame:
    """The table of `Fit.bound`, from name, rows, size, balls on P-examples, training errors, bound and reasons of each machine."""
    columns = ["machine", "rows", "size", "on_p", "errors", "bound", "simple_bound", "proved", "reasons"]
    cells = [
        (*head, float(bound.value), float(bound.simple), not reasons, "; ".join(reasons))
        for *head, bound, reasons in rows
    ]
    return pd.DataFrame(cells, columns=columns).set_index("machine")
