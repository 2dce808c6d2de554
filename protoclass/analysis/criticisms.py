"""The rows that the prototypes of a fit explain worst."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import known_arguments, one_of, public, whole_number
from ..core.query import answer
from ..core.task import Points, Task
from ..errors import NotAvailable, printed
from ..estimation.problem import HOLD_LIMIT
from ..models.base import check_fixed
from ..models.capabilities import Criticised
from ..models.registry import lacking
from ..progress import bar
from ..settings import significant

if TYPE_CHECKING:
    from ..estimation.fit import Fit

PAIRS = 2**22  # of a row and a prototype that are measured together


@public
@dataclass(frozen=True, eq=False)
class Criticisms:
    """Rows that the prototypes explain worst, the worst first.

    Attributes
    ----------
    fit : Fit
    table : DataFrame
        One row for each, by label: `class` (its own), `fitted`, `reason` ("uncovered": no ball of its class holds it; "wrongly
        covered": balls of other classes do; "misclassified"), the score, `prototype` (the one that takes
        the row: the nearest of the balls of other classes that hold it, otherwise the nearest of all), `prototype_class`,
        `distance` (to it).
    score : str
        The column that says how badly they are explained: "price", "witness" or "margin".
    meaning : str
        What it is, in words.
    """

    fit: Fit
    table: pd.DataFrame
    score: str
    meaning: str

    def tidy(self) -> pd.DataFrame:
        """The table with the labels as the column `row`."""
        out = self.table.reset_index(drop=True)
        out.insert(0, "row", pd.Series(self.table.index.to_flat_index().tolist(), dtype=object))
        return out

    @known_arguments
    def plot(self, ax: Any = None) -> Any:
        """The score of each row, with the prototype that takes it; returns the Axes.

        Parameters
        ----------
        ax : Axes, optional
        """
        from ..plots.alternatives import criticisms

        return criticisms(self, ax)

    def _line(self) -> str:
        return f"{len(self.table)} rows that the prototypes explain worst, by {self.score} ({self.meaning})"

    @printed
    def __repr__(self) -> str:
        return f"{self._line()}\n{self.table.to_string(float_format=significant)}"

    def _repr_html_(self) -> str:
        return f"<div><pre>{html.escape(self._line())}</pre>{self.table.to_html(float_format=significant)}</div>"


def criticisms(fit: Fit, n: int, seconds: float, progress: bool | None) -> Criticisms:
    """See `Fit.criticisms`."""
    whole_number("n", n, 1)
    check_fixed("criticisms", "seconds", seconds, low=0)
    one_of("progress", progress, (None, True, False))
    model, prototypes = fit.model, fit.rule.prototypes
    if not model.has("criticise") and not model.can.nearest:
        raise NotAvailable(
            f"{lacking(fit.model, 'criticisms of its own and no nearest prototype', 'criticise')}, and every rule of the nearest "
            "prototype; fit.augment() says of each row whether it is predicted right"
        )
    if len(prototypes) == 0:
        raise NotAvailable("the rule has no prototypes, which could explain rows well or badly: fit with a larger eps or fewer costs")
    with bar(2, "looking for criticisms", progress) as looking:
        task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
        looking.update()
        measured = measure(fit, task)
        own = model.has("criticise")
        found = model.criticise(fit.learned, task, int(n), float(seconds)) if own else by_margin(measured, int(n))
        looking.update()
    return Criticisms(fit, _table(fit, task, measured, found), found.name, found.meaning)


@dataclass(frozen=True)
class Measured:
    """The prototypes as seen from each row, arrays (n,).

    Attributes
    ----------
    nearest, taker : int arrays
        Places of the nearest prototype, and of the nearest of another class whose ball holds the row, -1 for none.
    distance, reach : arrays
        Distances to these two; inf for none.
    own, other : arrays
        Distances to the nearest prototype of the row's class and of any other; inf where there is none.
    covered : bool array
        Whether a ball of its class holds the row; True everywhere where there are no balls that cover.
    """

    nearest: np.ndarray
    taker: np.ndarray
    distance: np.ndarray
    reach: np.ndarray
    own: np.ndarray
    other: np.ndarray
    covered: np.ndarray


def measure(fit: Fit, task: Task) -> Measured:
    """See `Measured`."""
    prototypes, y = fit.rule.prototypes, task.y
    n, q = len(y), len(prototypes)
    balls = prototypes.radii if "cover" in fit.rule.kinds else None
    nearest = np.asarray(answer(fit.rule, "nearest", fit.query()[0]))
    out = Measured(
        nearest, np.full(n, -1), np.empty(n), np.full(n, np.inf), np.empty(n), np.empty(n), np.ones(n, bool)
    )
    step = max(1, PAIRS // q)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        D = _distances(fit, task, rows, prototypes)
        own = y[rows, None] == prototypes.classes
        out.distance[rows] = D[np.arange(len(rows)), nearest[rows]]
        out.own[rows] = np.where(own, D, np.inf).min(axis=1)
        out.other[rows] = np.where(own, np.inf, D).min(axis=1)
        if balls is not None:
            inside = balls > D
            out.covered[rows] = (inside & own).any(axis=1)
            wrong = np.where(inside & ~own, D, np.inf)
            out.taker[rows] = np.where(np.isfinite(wrong.min(axis=1)), wrong.argmin(axis=1), -1)
            out.reach[rows] = wrong.min(axis=1)
    return out


def _distances(fit: Fit, task: Task, rows: np.ndarray, prototypes: Points) -> np.ndarray:
    if prototypes.at is not None:
        return np.asarray(task.D.take(rows, prototypes.at), float)
    return np.asarray(fit.dissimilarity.query(rows).dissimilarities(prototypes), float)


def by_margin(measured: Measured, n: int) -> Criticised:
    """The rows whose nearest prototype of another class is nearest, compared with that of their own."""
    with np.errstate(invalid="ignore"):
        margin = measured.other - measured.own  # NaN where both are missing
    margin = np.where(np.isnan(margin), 0.0, margin)
    rows = np.lexsort((np.arange(len(margin)), margin))[:n]
    words = "distance to the nearest prototype of another class minus that of its own"
    return Criticised(rows, margin[rows], "margin", words)


def _table(fit: Fit, task: Task, measured: Measured, found: Criticised) -> pd.DataFrame:
    rows, levels = found.rows, fit.frame.levels
    classes = fit.rule.prototypes.classes
    fitted = fit.fitted_codes[rows]
    wrongly = measured.taker[rows] >= 0
    taker = np.where(wrongly, measured.taker[rows], measured.nearest[rows])
    reasons = [
        ", ".join(word for word, holds in zip(("uncovered", "wrongly covered", "misclassified"), facts, strict=True) if holds)
        for facts in zip(~measured.covered[rows], wrongly, fitted != task.y[rows], strict=True)
    ]
    return pd.DataFrame({
        "class": pd.Categorical.from_codes(task.y[rows], levels),
        "fitted": pd.Categorical.from_codes(fitted, levels),
        "reason": reasons,
        found.name: found.score,
        "prototype": pd.Series([fit.prototype_names[p] for p in taker], dtype=object).to_numpy(),
        "prototype_class": pd.Categorical.from_codes(classes[taker], levels),
        "distance": np.where(wrongly, measured.reach[rows], measured.distance[rows]),
    }, fit.frame.index[rows])  # fmt: skip
