"""How far each row is from its nearest prototype and from the next that speaks for another answer, at every size of a rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.parallel import kernel
from ..core.sources import Source
from ..estimation.fitted import Fitted
from ..views.prototypes import measure_rows
from ..views.stages import count_steps
from .film import BLOCK, pack


def make_rivals(fit: Fitted, source: Source | None) -> dict[str, Any]:
    """Packed by row: from `rival_starts[i]` on the sizes `rival_steps` at which its nearest prototype or its rival changes.

    The rival is the nearest prototype of another class where the nearest is of the row's own class, else the nearest of its own
    class. `rivals` has its place, -1 for none, `near` the distance to the nearest prototype and `gap` how much farther the rival
    is. Empty where the rule does not predict the class of the nearest prototype.
    """
    prototypes, n, q = fit.rule.prototypes, fit.nobs, len(fit.rule.prototypes)
    if not q or not fit.model.can.nearest or fit.model.can.own_distances:
        return {}
    rank = np.arange(q) if prototypes.at is None else prototypes.at
    stepwise, parts = count_steps(fit.rule) is not None, []
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(n, start + BLOCK))
        d = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, rows), float)
        pairs = np.empty((len(rows), q, 2), np.int64)
        _walk(d, rank, prototypes.classes, fit.frame.codes[rows], pairs)
        changed = np.ones((len(rows), q), bool)
        changed[:, 1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=2)
        if not stepwise:
            changed[:, :-1], changed[:, -1] = False, True
        row, place = np.nonzero(changed)
        near, rival = pairs[row, place].T
        close = d[row, near]
        gap = np.where(rival >= 0, d[row, rival] - close, np.nan)
        parts.append((row + start, place + 1 if stepwise else np.zeros_like(place), rival, close, gap))
    of, steps, rivals, near, gap = (np.concatenate(part) for part in zip(*parts, strict=True))
    return {
        "rival_starts": pack(np.searchsorted(of, np.arange(n + 1))),
        "rival_steps": pack(steps),
        "rivals": pack(rivals),
        "near": pack(near),
        "gap": pack(gap),
    }


@kernel
def _walk(D, rank, classes, codes, pairs):  # type: ignore[no-untyped-def]
    # of prototypes equally near that of the first class wins, then the first row, as `views.cards` has it
    best = np.empty(2, np.int64)  # of the row's own class, and of the others
    for i in range(len(D)):
        best[:] = -1
        for s in range(len(classes)):
            side = 0 if classes[s] == codes[i] else 1
            if best[side] < 0 or _nearer(D[i], rank, classes, s, best[side]):
                best[side] = s
            first = 0
            if best[0] < 0 or (best[1] >= 0 and _nearer(D[i], rank, classes, best[1], best[0])):
                first = 1
            pairs[i, s, 0], pairs[i, s, 1] = best[first], best[1 - first]


@kernel
def _nearer(d, rank, classes, a, b):  # type: ignore[no-untyped-def]
    if d[a] != d[b]:
        return d[a] < d[b]
    return classes[a] < classes[b] or (classes[a] == classes[b] and rank[a] < rank[b])
