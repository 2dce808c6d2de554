"""From a frame and a metric to dissimilarities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.memory import limited
from ..core.sources import Rep, part
from ..frames.blocks import rounded
from ..frames.frame import Frame, mold
from ..frames.reading import read_for
from ..frames.tables import as_pandas
from ..ground.checks import known_arguments
from ..ground.errors import DataError, DataWarning, OptionError, shown, warn
from .base import Metric, TrainedMetric, candidates_of, rows_of, train_metric
from .candidates import Candidates, subset
from .dissimilarity import Dissimilarity
from .given import given
from .gower import Gower
from .minkowski import Euclidean
from .registry import metric as by_name
from .wrappers import Wrapper


@limited
@known_arguments
def dissimilarity(data: Any, frame: Any = None, metric: Any = "auto", *, na: str = "drop") -> Dissimilarity:
    """Dissimilarities between the rows of a data frame.

    Parameters
    ----------
    data : str or DataFrame
        A formula, or the frame itself, all of whose columns then count. The response of a formula is read where the metric learns
        from classes, as `Learned` does, and left out otherwise.
    frame : DataFrame, or path or lazy table as `data` in `fit`
        The data, where a formula is given; else the metric may stand here.
    metric : str, metric object, callable or matrix
        As `dissimilarity=` in `fit`.
    na : "drop", "raise" or "keep"

    Returns
    -------
    Dissimilarity

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.dissimilarity("species ~ .", pc.load_data("iris"), "manhattan")
    Manhattan dissimilarities of 150 rows to 150 candidates
          0      1      2     3
    1  1.39
    2  1.23  0.757
    3  1.58  0.648  0.463
    4  0.35    1.5   1.34  1.69
    ... the first 5 of each
    """
    if isinstance(data, str):
        formula, table = data, frame
        if table is None:
            raise OptionError("dissimilarity(formula, data): the data are missing")
    else:
        formula, table = "~ .", data
        if frame is not None:
            metric = frame if isinstance(metric, str) and metric == "auto" else metric
            if metric is not frame:
                raise OptionError("dissimilarity(frame, metric): two metrics were given")
    table = as_pandas(read_for(table, formula, {}))
    molded = mold(formula, table, na=na, response=False)
    resolved = resolve(metric, molded, table.index)
    if resolved.supervised and molded.formula.response is not None:
        molded = mold(formula, table, na=na)
    warn_of_rounded(molded, resolved)
    return measure_frame(molded, resolved)


def warn_of_rounded(frame: Frame, metric: Metric | TrainedMetric) -> None:
    """Warn of columns of integers that floats round, unless the metric reads the integers themselves."""
    for name, value in rounded(frame).items():
        if metric.unseen_in(name) != "measured":
            warn(
                f"column {name!r} has integers beyond 2^53, such as {value}, which are rounded to floats, so that rows may seem equal "
                f"in it that are not: leave it out ('- {name}') if it only names the rows, or take off what is common to all, "
                f"data[{name!r}] - data[{name!r}].min()",
                DataWarning,
            )


def resolve(spec: Any, frame: Frame, index: pd.Index) -> Metric | TrainedMetric:
    """The metric that `dissimilarity=` names.

    Parameters
    ----------
    spec : name, metric, callable, matrix or Dissimilarity
        The trained metric of a Dissimilarity, and one that is given itself, stays as it is, unless it must be trained anew
        in each fold.
    frame : Frame
    index : Index
        Names of all rows of the data, for arrays.
    """
    if isinstance(spec, str) and spec == "auto":
        return automatic(frame)[0]
    if isinstance(spec, Dissimilarity):
        spec.metric.check_rows(index)
        return _as_trained(spec.metric)
    if isinstance(spec, Wrapper) and hasattr(spec, "of"):
        if isinstance(spec.of, Dissimilarity):
            raise OptionError(f"{type(spec).__name__} takes a metric or a matrix: give it d.metric, or d.frame() with a formula 'y ~ 1'")
        return spec.with_inner([resolve(spec.of, frame, index)])
    if isinstance(spec, (pd.DataFrame, np.ndarray, list, tuple)):
        spec = given(spec, index)
    metric = by_name(spec)
    if metric.given and frame.formula.terms:
        raise OptionError(
            f"with given dissimilarities the formula names no predictors: write '{frame.formula.response or ''} ~ 1', "
            f"not {frame.formula.quoted}"
        )
    if frame.keep and not metric.given and not metric.skips_missing:
        raise OptionError(
            f"na='keep' goes with Gower dissimilarities, which skip what is missing, not with {metric.name}"
        )
    return _as_trained(metric)


def _as_trained(metric: Metric | TrainedMetric) -> Metric | TrainedMetric:
    return metric.untrained if isinstance(metric, TrainedMetric) and metric.train_in_folds else metric


def automatic(frame: Frame) -> tuple[Metric, str]:
    """Euclidean where all predictors are numeric, Gower otherwise; and the reason in words."""
    if frame.keep:
        return Gower(), "na='keep' needs a dissimilarity that skips missing values"
    others = {name: column.kind for name, column in frame.schema.items() if column.kind != "numeric"}
    if not others:
        return Euclidean(), "all predictors are numeric"
    first = next(iter(others))
    if len(others) < len(frame.schema) and set(others.values()) == {"boolean"}:
        rest = f"{first!r} is" if len(others) == 1 else f"{first!r} and {len(others) - 1} more are"
        return Gower(), f"{rest} boolean, and all other predictors are numeric"
    return Gower(), "some predictors are not numeric"


def measure_frame(
    frame: Frame,
    metric: Metric | TrainedMetric,
    train: np.ndarray | None = None,
    candidates: Any = "train",
    seed: int = 0,
) -> Dissimilarity:
    """Train a metric and represent rows and candidates; a row of weight 0 is no candidate.

    Parameters
    ----------
    frame : Frame
    metric : Metric
        One that is trained already is not trained again.
    train : int array, optional
        The rows that the metric may see and that are candidates; all by default.
    candidates : as in `fit`
    seed : int
    """
    seen = frame if train is None else frame.take(train)
    trained = train_metric(metric, seen)
    names = trained.candidate_names(seen)
    rows = rows_of(trained, frame)
    row, chosen = frame.index.get_indexer(names), None
    allowed = (row < 0) | (frame.weights[row] > 0)
    if isinstance(candidates, (int, np.integer)):
        allowed &= (row >= 0) & subset(frame, int(candidates), seed)[row]
    if not allowed.all():
        chosen = np.flatnonzero(allowed)
        names, row = names[chosen], row[chosen]
    if trained.same_sides and trained.row_by_row:
        measured = rows if train is None and chosen is None else part(rows, row)
    else:
        measured = candidates_of(trained, seen, chosen)
    if frame.parts is not None:
        measured = tuple(np.asarray(a) for a in measured)  # the candidates come here
    known = Dissimilarity(trained, frame, rows, measured, names, row)
    return _added(known, candidates, seen, seed) if isinstance(candidates, Candidates) else known


def _added(known: Dissimilarity, candidates: Candidates, seen: Frame, seed: int) -> Dissimilarity:
    """With candidates that are not rows, or with these alone."""
    if known.metric.given:
        raise OptionError("with given dissimilarities the candidates are the matrix's columns: add columns to it")
    rep, predictors = candidates.make(known.metric, seen, seed)
    clash = predictors.index[predictors.index.isin(known.index)]
    if len(clash):
        raise DataError(f"the candidate {shown(clash[0])} has the label of a row: give it another")
    outside = np.full(len(predictors), -1)
    if candidates.alone:
        return replace(known, candidates=rep, candidate_names=predictors.index, candidate_row=outside, added=predictors)
    return replace(
        known,
        candidates=_joined(known.candidates, rep),
        candidate_names=known.candidate_names.append(predictors.index),
        candidate_row=np.concatenate([known.candidate_row, outside]),
        added=predictors,
    )


def _joined(a: Rep, b: Rep) -> Rep:
    return tuple(np.concatenate(pair) for pair in zip(a, b, strict=True))
