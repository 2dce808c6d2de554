"""Bounds on the error of new rows by sample compression, and what must hold for them."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..arguments import one_of
from ..errors import OptionError, brief
from ..metrics.base import TrainedMetric
from ..models.registry import lacking

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def bound(fit: Fit, delta: float, fixed_dissimilarity: bool) -> pd.DataFrame:
    """See `Fit.bound`."""
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < delta < 1:
        raise OptionError(f"delta={brief(delta)}: a number between 0 and 1")
    one_of("fixed_dissimilarity", fixed_dissimilarity, (False, True))
    if not fit.model.has("bound") or fit.rule.prototypes.at is None:
        raise lacking(fit.model, "compression bound", "bound")
    learned = replace(fit.learned, reasons=find_reasons(fit, fixed_dissimilarity))
    return fit.model.bound(learned, float(delta))


def find_reasons(fit: Fit, fixed_dissimilarity: bool) -> tuple[str, ...]:
    """Why no compression set gives the rule again, or the rows are not a sample, whatever the method."""
    out = []
    if fit.model.measures(fit.rule):
        out += _of_dissimilarity(fit, fixed_dissimilarity)
    if fit.frame.formula.learns():
        out.append("a transform in the formula depends on the sample")
    if np.ptp(fit.frame.weights) > 0:
        out.append("rows have different weights")
    if fit.problem.groups is not None:
        out.append("rows of a group are not independent")
    return tuple(out)


def _of_dissimilarity(fit: Fit, fixed: bool) -> list[str]:
    metric, elsewhere = fit.dissimilarity.metric, isinstance(fit.problem.metric, TrainedMetric)
    if metric.data_dependent and fixed and not elsewhere:
        raise OptionError(
            f"fixed_dissimilarity=True: {metric.name} was trained on the rows of this fit (scaled columns, ranges or ranks), so that "
            "it depends on them: fit with a metric that learns nothing, such as Euclidean(scale=False)"
        )
    if fixed or not (metric.data_dependent or metric.opaque):
        return []
    if metric.data_dependent:
        return ["the dissimilarity depends on the sample (scaled columns, ranges or ranks)"]
    what = "the given matrix" if metric.given else f"the function of {metric.name}"
    return [f"{what} is not known to be computed without looking at the rows: if it was, say fixed_dissimilarity=True"]
