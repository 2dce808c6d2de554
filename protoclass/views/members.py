"""The rows that balls hold: what a picture joins to each prototype, wherever its axes put them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.sources import Source
from ..estimation.fitted import Fitted
from .prototypes import measure_rows, take

PAIRS = 20_000  # that a picture joins by lines


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


def lies_within(fit: Fitted, D: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Whether dissimilarities D (r, q) are those of rows in balls of these radii (q,).

    Balls that cover are open. The radius of a set covering machine is that of a row, which its features count in as they do.
    """
    return radii > D if fit.model.can.nearest else radii >= D


def find_members(
    fit: Fitted, which: np.ndarray, source: Source | None = None, rows: np.ndarray | None = None, most: int | None = None
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
    rows, which = np.arange(fit.nobs) if rows is None else rows, np.asarray(which, np.int64)
    if prototypes.radii is None or not len(which):
        return Members(none, none, none.astype(bool))
    some = take(prototypes, which)
    radii = np.asarray(some.radii, float)
    inside = lies_within(fit, measure_rows(some, fit.dissimilarity, source, rows), radii) & np.isfinite(radii)
    if most is not None:
        which = which[: max(1, int(np.searchsorted(np.cumsum(inside.sum(axis=0)), most, "right")))]
    place, row = np.nonzero(inside.T[: len(which)])
    place, row = which[place], rows[row]
    other = fit.frame.codes[row] != prototypes.classes[place]
    return Members(place, row, other & bool(fit.model.can.nearest), len(which))
