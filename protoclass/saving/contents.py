"""What is in a file that may be private, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..analysis.comparison import Comparison
from ..estimation.calibration import Calibration
from ..estimation.problem import Problem
from ..fitting import Fit, Validation
from ..frames.tables import Absent, as_pandas
from ..metrics.dissimilarity import Dissimilarity


def contents(value: Any) -> tuple[str, ...]:
    """What a file of a value holds about rows."""
    return tuple(_WORDS[type(value)](value))


def _of_fit(fit: Fit) -> list[str]:
    out = _of_problem(fit.problem)
    prototypes = fit.rule.prototypes
    if fit.frame.absent is not None:
        which = f"{len(prototypes)} prototypes, among them {len(fit.frame.remembered)} of the {fit.nobs} rows, with labels and predictors"
        if prototypes.at is None:
            which = f"{len(prototypes)} prototypes, none of them a row"
        out.append(which)
    out += _of_metric(fit)
    if fit.validation is not None:
        out.append(_held_out(fit.validation))
    return out + ([] if fit.calibration is None else _of_calibration(fit.calibration))


def _of_problem(problem: Problem) -> list[str]:
    """The data of a call, all of whose columns are kept."""
    out, frame = [], problem.frame
    if not isinstance(problem.call.data, Absent):
        data = as_pandas(problem.call.data)
        unused = [c for c in data.columns if c not in frame.columns and c != frame.formula.response]
        beside = f", also the {len(unused)} that the formula does not use" if unused else ""
        out.append(f"the data: {len(data)} rows with their labels and all {data.shape[1]} columns{beside}; fit.slim() leaves them out")
    levels = [name for name, column in frame.schema.items() if column.kind == "category"]
    if levels and frame.absent is not None:
        out.append(f"the values of the {'column' if len(levels) == 1 else 'columns'} {', '.join(map(repr, levels[:5]))} that were seen")
    return out


def _of_metric(fit: Fit) -> list[str]:
    """Arrays of a metric that have an entry for each row."""
    if fit.frame.absent is None:
        return []
    kept = [name for name, array in fit.dissimilarity.metric.arrays().items() if array.ndim and len(array) == fit.nobs > 1]
    return [f"what the metric learned of each row ({', '.join(kept)})"] if kept else []


def _of_calibration(calibration: Calibration) -> list[str]:
    rows, rules = len(calibration.conformal.y), len(calibration.rules)
    return [f"classes, weights and scores of {rows} calibration rows, and the prototypes of the {rules} rules that scored them"]


def _held_out(v: Validation) -> str:
    repeats, n, points = v.predicted.shape
    return f"held-out predictions of {n} rows ({points} grid points, {repeats} {'repeat' if repeats == 1 else 'repeats'}) and their folds"


def _of_validation(v: Validation) -> list[str]:
    return [*_of_problem(v.problem), _held_out(v)]


def _of_dissimilarity(d: Dissimilarity) -> list[str]:
    n, p = d.data.remembered.columns.shape
    if d.metric.given:
        return [f"{d.shape[0]} x {d.shape[1]} dissimilarities with their labels"]
    return [f"{n} rows of {p} predictors with their labels"]


def _of_comparison(c: Comparison) -> list[str]:
    return [f"labels, classes and predictions of {len(c.predictions)} test rows by {len(c.methods)} methods"]


_WORDS: Mapping[type, Callable[[Any], list[str]]] = {
    Fit: _of_fit, Validation: _of_validation, Dissimilarity: _of_dissimilarity, Comparison: _of_comparison,
}  # fmt: skip
