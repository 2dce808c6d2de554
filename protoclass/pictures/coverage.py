"""The prototypes of a rule: their names, the rows that they are, and what they do to the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.steps import measure_rows, take
from ..core.neighbours.nearest import rank_of
from ..core.query import answer
from ..core.sources import Source, part
from ..core.thresholds import AT_ONCE
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailableError
from ..tables.words import list_shown


def find_places(fit: Fitted, name: Any) -> list[int]:
    """Places of a name among the prototypes that are shown; several where machines share a centre."""
    places = fit._prototype_names.get_indexer_for([name])  # -1 for none
    return places[np.isin(places, list_shown(fit))].tolist()


def find_row(fit: Fitted, name: Any) -> int:
    """Position of a name among the rows; -1 for none."""
    return fit.frame.index.get_indexer_for([name]).item()


def measure_apart(fit: Fitted, which: np.ndarray) -> np.ndarray:
    """Dissimilarities (k, k) between some prototypes.

    Raises
    ------
    NotAvailableError
        If a prototype is not a row of the data, and the metric represents candidates in a way of
        their own.
    """
    dissimilarity, prototypes = fit.dissimilarity, take(fit.rule.prototypes, which)
    metric, rows, columns = (
        dissimilarity.metric,
        fit._prototype_row[which],
        dissimilarity._prototype_rep(prototypes),
    )
    if (rows >= 0).all():
        return np.asarray(metric.between(part(dissimilarity.rows, rows), columns), float)
    if prototypes.at is not None and not metric.symmetric:
        raise NotAvailableError(
            f"the {metric.name} dissimilarities between prototypes are not known, because some "
            "prototypes are not rows of the data"
        )
    return metric.between(columns, columns)


def predict_row(fit: Fitted, kind: str, row: int) -> np.ndarray:
    """Prediction of the rule for one row: (classes,), for "nearest" the place of a prototype."""
    return answer(fit.rule, kind, fit.dissimilarity._query(np.array([row])))[0]


def held_out_codes(fit: Fitted) -> np.ndarray | None:
    """Class codes (n,) of the rows predicted without their fold, of several repeats the most
    frequent, -1 for none; None if unknown.
    """
    if fit._curve is None or fit._selection.point is None:
        return None
    counts = (
        fit._curve._predicted[:, :, fit._selection.point, None] == np.arange(len(fit.classes))
    ).sum(axis=0)
    return np.where(counts.any(axis=1), counts.argmax(axis=1), -1)


@dataclass(frozen=True)
class Coverage:
    """Predictions of a rule for the n rows of its fit, and the prototypes that they are near.

    Attributes
    ----------
    fitted : int array (n,)
        Class codes.
    nearest : int array (n,), or None
        Place of the nearest prototype, -1 where there is none; None where the rule decides by
        something else.
    first : int array (n,), or None
        Place of the first prototype of the row's own class whose ball holds it, -1 where none does;
        None where the rule has no balls that cover.
    wrong : int array (n,), or None
        Number of balls of other classes that hold the row.
    """

    fitted: np.ndarray
    nearest: np.ndarray | None = None
    first: np.ndarray | None = None
    wrong: np.ndarray | None = None


def measure_coverage(fit: Fitted, source: Source | None = None) -> Coverage:
    """Predictions and coverage of the rows of a fit; `source` holds or measures their
    dissimilarities to the candidates.
    """
    frame, prototypes, dissimilarity = fit.frame, fit.rule.prototypes, fit.dissimilarity
    n, q = len(frame), len(prototypes)
    if not fit.model.can.nearest:
        return Coverage(fit._fitted_codes)
    near, first, wrong = (np.full(n, start) for start in (-1, -1, 0))
    classes, balls, line = prototypes.classes, prototypes.radii is not None, rank_of(prototypes)[0]
    step = max(1, AT_ONCE // max(1, q))
    for start in range(0, n if q else 0, step):
        rows = np.arange(start, min(n, start + step))
        D = measure_rows(prototypes, dissimilarity, source, rows)
        D = np.nan_to_num(D, nan=np.inf, posinf=np.inf)
        found = line[D[:, line].argmin(axis=1)]
        near[rows] = np.where(D.min(axis=1) < np.inf, found, -1)
        if prototypes.radii is not None:
            inside, right = prototypes.radii > D, classes == frame.codes[rows, None]
            wrong[rows] = (inside & ~right).sum(axis=1)
            inside &= right
            first[rows] = np.where(inside.any(axis=1), inside.argmax(axis=1), -1)
    if q and fit.model.can.own_distances:
        near = answer(fit.rule, "nearest", fit._query()[0])
    fitted = classes[near] if q else fit._fitted_codes
    return Coverage(fitted, near, first if balls else None, wrong if balls else None)


PAIRS = 20_000  # pairs that a picture joins by lines


@dataclass(frozen=True)
class Members:
    """Rows in balls, an entry for each pair of a prototype and a row in its ball, prototype by prototype.

    Attributes
    ----------
    prototypes : int array (k,)
        Places in the order chosen.
    rows : int array (k,)
        Positions among the rows of the fit.
    wrong : bool array (k,)
        Whether the ball covers rows of its class and the row is of another.
    count : int
        Prototypes whose balls were looked at.
    """

    prototypes: np.ndarray
    rows: np.ndarray
    wrong: np.ndarray
    count: int = 0


def find_members(
    fit: Fitted,
    which: np.ndarray,
    source: Source | None = None,
    rows: np.ndarray | None = None,
    most: int | None = None,
) -> Members:
    """The rows in the balls of some prototypes.

    Parameters
    ----------
    fit : Fitted
        A rule without radii has no members.
    which : int array (q,)
        Places of prototypes.
    source : Source, optional
        The dissimilarities of the rows to the candidates, where they are at hand.
    rows : int array, optional
        The rows that are looked at; all by default.
    most : int, optional
        Pairs at most: of the prototypes the first are taken whose rows are so many together.
    """
    prototypes, none = fit.rule.prototypes, np.empty(0, np.int64)
    rows = np.arange(fit.nobs) if rows is None else rows
    if prototypes.radii is None or not len(which):
        return Members(none, none, none.astype(bool))
    points = take(prototypes, which)
    radii = np.asarray(points.radii, float)
    D = measure_rows(points, fit.dissimilarity, source, rows)
    # balls that cover are open; the radius of a set covering machine is that of a row, which its
    # features count in as they do
    inside = (radii > D if fit.model.can.nearest else radii >= D) & np.isfinite(radii)
    if most is not None:
        which = which[: max(1, int(np.searchsorted(np.cumsum(inside.sum(axis=0)), most, "right")))]
    place, row = np.nonzero(inside.T[: len(which)])
    place, row = which[place], rows[row]
    other = fit.frame.codes[row] != prototypes.classes[place]
    return Members(place, row, other & fit.model.can.nearest, len(which))
