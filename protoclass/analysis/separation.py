"""Whether the dissimilarities tell a class apart: its rows lie relatively nearer to other rows of the class than other rows do."""

from __future__ import annotations

import numpy as np

from ..core.neighbours.nearest import class_distances
from ..core.statistics.roc import auc
from ..core.statistics.scores import relative_margins
from ..core.task import Points
from ..estimation.fitted import Fitted

MOST_ROWS = 100  # of the class, and of the other classes, that are looked at
MOST_PAIRS = 2_000_000
CLEAR = 1.645  # standard errors above 1/2: a one-sided test at 5 %


def tells_apart(fit: Fitted, code: int) -> bool | None:
    """Whether the dissimilarities tell the rows of a class from those of others; None where to look would take long.

    The area under the ROC curve of the relative margins to the nearest other rows, of up to 100 rows of the class and 100 of others, is
    compared with 1/2 by the rank-sum test (Mann and Whitney 1947) at 5 %.
    """
    dissimilarity, y, w = fit.dissimilarity, fit.frame.codes, fit.frame.weights
    if fit.frame.absent is not None or dissimilarity.sharded is not None or dissimilarity.metric.slow:
        return None
    own, others = (_some(np.flatnonzero(mask & (w > 0))) for mask in (y == code, y != code))
    rows, row_of = np.concatenate([own, others]), np.asarray(dissimilarity.candidate_row)
    columns = np.flatnonzero(row_of >= 0)
    if len(rows) * len(columns) > MOST_PAIRS or not len(own) or not len(others):
        return None
    points = Points(y[row_of[columns]], at=columns)
    query = dissimilarity.query(rows)
    D = np.array(query.dissimilarities(points), float)
    D[rows[:, None] == row_of[columns][None, :]] = np.inf  # no row is its own neighbour
    complete = ~query.missing
    margins = relative_margins(class_distances(D, points, len(fit.classes)))[complete, code]
    positive = (np.arange(len(rows)) < len(own))[complete]
    count, rest = int(positive.sum()), int((~positive).sum())
    if count == 0 or rest == 0:
        return None
    spread = np.sqrt((count + rest + 1) / (12 * count * rest))
    return bool((auc(margins, positive, np.ones(len(margins))).estimate.value - 0.5) / spread > CLEAR)


def _some(rows: np.ndarray) -> np.ndarray:
    """Up to `MOST_ROWS` of some rows, evenly spaced."""
    return rows if len(rows) <= MOST_ROWS else rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(int)]
