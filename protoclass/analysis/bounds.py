"""Bounds on the error of new rows by sample compression, and what must hold for them."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..ground.checks import one_of
from ..ground.errors import OptionError, brief
from ..metrics.base import TrainedMetric
from ..models.registry import lacking


def bound(fit: Fitted, delta: float = 0.05, fixed_dissimilarity: bool = False) -> pd.DataFrame:
    """A bound on the error of new rows from how few training rows give the rule again (sample compression).

    For "scm" Theorem 5.2 of Marchand and Shawe-Taylor (2001); for "pvm" their Theorem 5.1, as the nearest-prototype rule
    is known from its prototypes. It holds with probability 1 - delta over training sets of independent rows, for all sets of
    prototypes at once: parameters that only decide which rows are kept (`eps`, `lambda_`, `penalty`, `stop`) may be chosen in
    any way. Several machines, and the kinds of machine where one of two was chosen, share delta. Weights of a metric and
    other numbers that you give are taken to be chosen before the rows were seen.

    Parameters
    ----------
    delta : float between 0 and 1
    fixed_dissimilarity : bool
        Your word that a given matrix, a function of two rows or a metric that was trained before was made without looking at
        the rows of the fit: no scales, ranges or choices taken from them. The fit can't know it.

    Returns
    -------
    DataFrame
        One row for each machine: `rows`, `size` (features or prototypes), `on_p` (balls centred on P-examples), training
        `errors`, `tail_bound` (the binomial tail inverted for the same compression set, Langford 2005; the tightest), `bound` (the
        first inequality of the theorem; 1 says nothing), `simple_bound` (the second), `proved`, and in `reasons` why the
        theorem does not cover this fit: its value is then computed as in the paper's Table 2, and not proved.

    Raises
    ------
    OptionError
        Where `fixed_dissimilarity=True` is said of a metric that this fit trained.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity=pc.Euclidean(scale=False), eps=1.0)
    >>> fit.bound()[["rows", "size", "errors", "tail_bound", "bound", "proved"]].round(3)
             rows  size  errors  tail_bound  bound  proved
    machine
    pvm       150     8       6       0.338  0.391    True
    """
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < delta < 1:
        raise OptionError(f"delta={brief(delta)}: a number between 0 and 1")
    one_of("fixed_dissimilarity", fixed_dissimilarity, (False, True))
    if not fit.model.has("bound") or fit.rule.prototypes.at is None:
        raise lacking(fit.model, "compression bound", "bound")
    learned = replace(fit.learned, reasons=find_reasons(fit, fixed_dissimilarity))
    return fit.model.bound(learned, float(delta))


def find_reasons(fit: Fitted, fixed_dissimilarity: bool) -> tuple[str, ...]:
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


def _of_dissimilarity(fit: Fitted, fixed: bool) -> list[str]:
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
