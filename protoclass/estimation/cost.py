"""What a fit will take, before it starts, and how many candidates it may have for that."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import is_number
from ..core.spatial import share_within
from ..frames.frame import Frame
from ..metrics.base import Metric, TrainedMetric
from ..metrics.measuring import measure_frame
from ..models.base import Model

BUDGET = 30.0  # predicted seconds on two processors for which candidates="auto" takes as many rows as it can
ALWAYS = 20_000  # rows that are all candidates, whatever is predicted
LEAST = 500  # candidates of a sample


def predicted_seconds(model: Model, metric: Metric | TrainedMetric, frame: Frame, candidates: int) -> float | None:
    """Seconds that a fit takes on two processors of today with this many candidates; None where the method predicts none.

    It is a rule of thumb and no measurement, so that the same call does the same on every machine: the seconds that the method
    states for a pair of a row and a candidate, times the pairs that may lie within its radius, where that is known.
    """
    each = model.seconds_each(len(frame.schema))
    return None if each is None else each * len(frame) * candidates * _share(model, metric, frame)


def choose_candidates(model: Model, metric: Metric | TrainedMetric, frame: Frame) -> Any:
    """What candidates="auto" means: "train", or the size of a sample.

    All rows are candidates where there are at most 20,000, where the method takes no sample, and where the fit is predicted
    to end within 30 s; otherwise as many as that allows, 500 at least.
    """
    n = int((frame.weights > 0).sum())
    if n <= ALWAYS or metric.given or "subset" not in model.can.candidates:
        return "train"
    seconds = predicted_seconds(model, metric, frame, n)
    if seconds is None or seconds <= BUDGET:
        return "train"
    return int(max(LEAST, n * BUDGET / seconds))


def _share(model: Model, metric: Metric | TrainedMetric, frame: Frame) -> float:
    """Share of the pairs of rows that may lie within the radius of the method, where it is given and the metric tells."""
    radius = getattr(model, model.can.radius) if model.can.radius else None
    if frame.parts is not None or model.tuned() or not is_number(radius) or metric.given or metric.train_in_folds or len(frame) <= ALWAYS:
        return 1.0
    measured = measure_frame(frame, metric)
    geometry = measured.metric.geometry
    if geometry is None or not measured.metric.same_sides:
        return 1.0
    X = measured.rows[0]
    return share_within(X, geometry, np.asarray([radius], X.dtype))
