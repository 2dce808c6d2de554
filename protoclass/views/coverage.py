"""What the prototypes of a rule do to the rows: the nearest, the first ball that holds a row, and balls that should not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.neighbours.nearest import Nearest
from ..core.parallel import each, kernel
from ..core.sources import Held, Rep, Source, part
from ..core.task import Rule
from ..estimation.problem import BLOCK, blocks, columns_of, places, read
from ..metrics.dissimilarity import Dissimilarity

ROWS = 1024  # of a thread's turn


@dataclass(frozen=True)
class Reach:
    """What a rule says of the n rows of its fit, and which prototypes they are near.

    Attributes
    ----------
    fitted : int array (n,)
        Class codes.
    nearest : int array (n,), or None
        Place of the nearest prototype, -1 where there is none; None where the rule goes by something else.
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


def reach(rule: Rule, related: Dissimilarity, source: Source | None) -> Reach:
    """What a rule does with the rows that `related` measures; `source` holds or measures their dissimilarities."""
    frame = related.data
    if not isinstance(rule, Nearest):
        at = places(rule, related)
        return Reach(read("class", rule, related, related.rows, at, columns_of(rule, frame)))
    points = rule.points
    n, q = len(frame), len(points)
    near, first, wrong = (np.full(n, start) for start in (-1, -1, 0))
    radii = np.full(q, -1.0) if points.radii is None else np.asarray(points.radii, float)
    rank = np.arange(q) if points.at is None else points.at

    def work(rows: slice) -> None:
        held = points.at is not None and isinstance(source, Held)
        D = source.array()[rows] if held else measured(rule, related, source, np.arange(n)[rows])
        columns = rank if held else np.arange(q)
        _reach(D, columns, rank, points.classes, radii, frame.codes[rows], near[rows], first[rows], wrong[rows])

    step = min(ROWS, max(1, BLOCK // max(1, q)))
    for _ in each(work, list(blocks(n, step)), n * q):
        pass
    fitted = np.where(near < 0, rule.fallback, points.classes[near]) if q else np.full(n, rule.fallback)
    balls = points.radii is not None
    return Reach(fitted, near, first if balls else None, wrong if balls else None)


def measured(rule: Rule, related: Dissimilarity, source: Source | None, rows: np.ndarray) -> np.ndarray:
    """Dissimilarities of some rows to the prototypes of a rule, (r, q)."""
    points = rule.points
    if points.at is not None and source is not None:
        return source.take(rows, points.at)
    return np.asarray(related.metric.between(part(related.rows, rows), as_points(rule, related)))


def as_points(rule: Rule, related: Dissimilarity) -> Rep:
    """The prototypes of a rule as `metric.between` takes them, also where the rule reads no dissimilarities."""
    points = rule.points
    if points.at is not None:
        return part(related.points, points.at)
    assert points.coords is not None
    return related.metric.place(points.coords)


@kernel
def _reach(D, columns, rank, classes, radii, y, near, first, wrong):  # type: ignore[no-untyped-def]
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
