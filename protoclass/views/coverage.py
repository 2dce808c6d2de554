"""What the prototypes of a rule do to the rows: the nearest, the first ball that holds a row, and balls that should not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.parallel import each, kernel
from ..core.query import BLOCK, answer
from ..core.sources import Held, Source
from ..estimation.fitted import Fitted
from .prototypes import measure_rows

ROWS = 1024  # of a thread's turn


@dataclass(frozen=True)
class Coverage:
    """What a rule predicts for the n rows of its fit, and which prototypes they are near.

    Attributes
    ----------
    fitted : int array (n,)
        Class codes.
    nearest : int array (n,), or None
        Place of the nearest prototype, -1 where there is none; None where the rule decides by something else.
    first : int array (n,), or None
        Place of the first prototype of the row's own class whose ball holds it, -1 where none does; None where the rule has
        no balls that cover.
    wrong : int array (n,), or None
        Number of balls of other classes that hold the row.
    """

    fitted: np.ndarray
    nearest: np.ndarray | None = None
    first: np.ndarray | None = None
    wrong: np.ndarray | None = None


def measure_coverage(fit: Fitted, source: Source | None = None) -> Coverage:
    """What the rule of a fit does with its rows; `source` holds or measures their dissimilarities to the candidates."""
    frame, prototypes, dissimilarity = fit.frame, fit.rule.prototypes, fit.dissimilarity
    n, q = len(frame), len(prototypes)
    if not fit.model.can.nearest or q == 0:
        none, balls = np.full(n, -1), prototypes.radii is not None
        if not fit.model.can.nearest:
            return Coverage(fit.fitted_codes)
        return Coverage(fit.fitted_codes, none, none if balls else None, np.zeros(n, np.int64) if balls else None)
    near, first, wrong = (np.full(n, start) for start in (-1, -1, 0))
    radii = np.full(q, -1.0) if prototypes.radii is None else np.asarray(prototypes.radii, float)
    rank = np.arange(q) if prototypes.at is None else prototypes.at

    def work(start: int) -> None:
        rows = slice(start, start + step)
        held = source if prototypes.at is not None and isinstance(source, Held) else None
        D = held.array()[rows] if held else measure_rows(prototypes, dissimilarity, source, np.arange(n)[rows])
        columns = rank if held else np.arange(q)
        _cover(D, columns, rank, prototypes.classes, radii, frame.codes[rows], near[rows], first[rows], wrong[rows])

    step = min(ROWS, max(1, BLOCK // q))
    for _ in each(work, range(0, n, step), n * q):
        pass
    if fit.model.can.own_distances:
        near = answer(fit.rule, "nearest", fit.query()[0])
    balls = prototypes.radii is not None
    return Coverage(prototypes.classes[near], near, first if balls else None, wrong if balls else None)


@kernel
def _cover(D, columns, rank, classes, radii, y, near, first, wrong):  # type: ignore[no-untyped-def]
    # of prototypes equally near that of the first class wins, then the first row, as `core.nearest` has it
    for i in range(len(y)):
        best = np.inf
        for s in range(len(columns)):
            d, c, old = D[i, columns[s]], classes[s], near[i]
            if d < best or (
                d == best and old >= 0 and (c < classes[old] or (c == classes[old] and rank[s] < rank[old]))
            ):
                best = d
                near[i] = s
            if d < radii[s]:
                if c != y[i]:
                    wrong[i] += 1
                elif first[i] < 0:
                    first[i] = s
