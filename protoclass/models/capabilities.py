"""What a method declares that it can do beyond prediction, and the values that it gets and gives when it speaks of its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.scm.bounds import Bound
from ..core.task import Rule

if TYPE_CHECKING:
    from .base import Model


@dataclass(frozen=True)
class Learned:
    """The values from which a method describes a rule that it has learned.

    Attributes
    ----------
    rule : Rule
    model : Model
        With the chosen parameters.
    classes : sequence
        Names of the classes.
    prototypes : sequence
        Names of the prototypes, in the order of their choice.
    prototype_row : int array (q,)
        The row that each prototype is, -1 for none.
    y : int array (n,)
        Class codes of the rows.
    fitted : callable
        Returns the class codes that the rule predicts for the rows.
    design : callable
        Returns the design matrix as a DataFrame; it raises if the formula names no predictors.
    tried : mapping of parameter to values
        The values from which cross-validation chose.
    reasons : sequence of str
        Why no theorem covers a bound, as far as rows, formula and dissimilarity tell: see `analysis.bounds`.
    error : float, or None
        Cross-validated share of errors, if this was measured.
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
class Criticised:
    """The rows that prototypes explain worst, the worst first.

    Attributes
    ----------
    rows : int array (c,)
    score : array (c,)
        How badly each is explained.
    name : str
        Of the score, as a column.
    meaning : str
        What it is, in words with its unit.
    """

    rows: np.ndarray
    score: np.ndarray
    name: str
    meaning: str


@dataclass(frozen=True)
class Condition:
    """A condition of a rule that is built of conditions, and the rows of a query that come to it.

    Attributes
    ----------
    text : str
        The condition in words.
    quantity : str
        What it compares, with a unit where there is one.
    machine : str
        The name of the machine that it belongs to; empty where there is one alone.
    step : int
        From 1, in its machine.
    classes : tuple of int
        Codes of the classes that its machine tells apart.
    values : array (r,)
        The quantity of each row.
    cut : float
        What it is compared with.
    there, removed : bool arrays (r,)
        The rows that no condition before has removed, and those of them that this one removes: their class is settled by it.
    """

    text: str
    quantity: str
    machine: str
    step: int
    classes: tuple[int, ...]
    values: np.ndarray
    cut: float
    there: np.ndarray
    removed: np.ndarray


@dataclass(frozen=True)
class Capabilities:
    """Facts about a method. A capability is False or empty if the method lacks it; a text names the condition for it.

    The class declares what its models can do. Where parameters decide, a model may have a `can` of its own. What a method does, such
    as giving a bound, is an optional method of `Model`.

    Attributes
    ----------
    weights : bool
        Whether it takes weights of the rows.
    candidates : frozenset of str
        A choice of "subset" (candidates may be a random part of the rows) and "unlabelled" (candidates need not be rows).
    objective, certificate : bool or str
        Whether its report holds the value of an objective, and a bound on the optimum (`core.covers.certificate`).
    coordinates : bool
        Whether it needs coordinates of the rows, which only metrics of a vector space have.
    nearest : bool
        Whether its rule predicts the class of the nearest prototype.
    own_distances : bool
        Whether its distances, by which a prototype is the nearest, are those of its rule, not of the metric
        (`core.task.ByDistance`).
    balls : bool or str
        Whether its prototypes have balls that cover rows of their class.
    gains : bool or str
        Whether its prototypes have columns `covers` and `miscovers`, in the order of their choice.
    shards : bool
        Whether it learns from rows that are kept in several places, on the workers of a cluster (`core.parts`).
    steps : bool or str
        Whether its rule is built step by step (`core.task.Stepwise`).
    costs : bool or str
        Whether the first steps are the rule of a larger lambda, which the method `at_cost(lambda_)` of the rule returns.
    warm_starts : bool
        Whether the rule of a grid point starts from that of the point before, so that a point fitted alone may give another rule.
    solvers : tuple of str
        Values of its parameter `solver` whose objectives can be compared.
    radius : str
        The parameter that is the radius of the balls.
    grid_bounds : bool
        Whether its paths have bounds over the grid, so that choose="bound" is possible.
    """

    weights: bool = False
    candidates: frozenset[str] = frozenset()
    objective: bool | str = False
    certificate: bool | str = False
    coordinates: bool = False
    nearest: bool = False
    own_distances: bool = False
    balls: bool | str = False
    gains: bool | str = False
    shards: bool = False
    steps: bool | str = False
    costs: bool | str = False
    warm_starts: bool = False
    solvers: tuple[str, ...] = ()
    radius: str = ""
    grid_bounds: bool = False


def bound_table(rows: Sequence[tuple[str, int, int, int, int, Bound, Sequence[str]]]) -> pd.DataFrame:
    """The table of `Fit.bound`, from name, rows, size, balls on P-examples, training errors, bound and reasons of each machine."""
    columns = ["machine", "rows", "size", "on_p", "errors", "tail_bound", "bound", "simple_bound", "proved", "reasons"]
    cells = [
        (*head, float(bound.tail), float(bound.value), float(bound.simple), not reasons, "; ".join(reasons))
        for *head, bound, reasons in rows
    ]
    return pd.DataFrame(cells, columns=columns).set_index("machine")
