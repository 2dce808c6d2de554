"""What the prototypes of a rule do to the rows: the nearest, the first ball that holds a row, and balls that should not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.neighbours.nearest import Nearest
from ..core.parallel import each, kernel
from ..core.sources import Held, Source
from ..core.task import Rule
from ..estimation.problem import BLOCK, blocks
from ..metrics.dissimilarity import Dissimilarity
from .prototypes import measure_rows, predict_classes

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


def measure_coverage(rule: Rule, dissimilarity: Dissimilarity, source: Source | None) -> Coverage:
    """What a rule does with the rows of a dissimilarity; `source` holds or measures their dissimilarities."""
    frame = dissimilarity.data
    if not isinstance(rule, Nearest):
        return Coverage(predict_classes(rule, dissimilarity))
    prototypes = rule.points
    n, q = len(frame), len(prototypes)
    near, first, wrong = (np.full(n, start) for start in (-1, -1, 0))
    radii = np.full(q, -1.0) if prototypes.radii is None else np.asarray(prototypes.radii, float)
    rank = np.arange(q) if prototypes.at is None else prototypes.at

    def work(rows: slice) -> None:
        held = prototypes.at is not None and isinstance(source, Held)
        D = source.array()[rows] if held else measure_rows(prototypes, dissimilarity, source, np.arange(n)[rows])
        columns = rank if held else np.arange(q)
        _cover(D, columns, rank, prototypes.classes, radii, frame.codes[rows], near[rows], first[rows], wrong[rows])

    step = min(ROWS, max(1, BLOCK // max(1, q)))
    for _ in each(work, list(blocks(n, step)), n * q):
        pass
    fitted = np.where(near < 0, rule.fallback, prototypes.classes[near]) if q else np.full(n, rule.fallback)
    balls = prototypes.radii is not None
    return Coverage(fitted, near, first if balls else None, wrong if balls else None)


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
