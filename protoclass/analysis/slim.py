"""A fit without the rows that it was learned from: what predicts, to be published."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.setcover.problems import Certificate
from ..core.sources import part
from ..core.task import Rule
from ..estimation.calibration import Calibration, FoldRule
from ..estimation.fitted import AnyFit
from ..estimation.problem import Call, short
from ..frames.rowless import rowless
from ..frames.tables import Absent
from ..metrics.candidates import unlabelled
from ..metrics.dissimilarity import Dissimilarity

if TYPE_CHECKING:
    pass

OF_CLASSES = ("loss", "measure", "class_weights")  # arguments that say nothing of single rows


def slim(fit: AnyFit) -> AnyFit:
    """The fit without the rows that it was learned from: what predicts, for publishing.

    It keeps prototypes, parameters, metric and calibration, and the numbers of rows of each class, and predicts new rows to the same
    bits. What reads the rows or the cross-validation raises `NotAvailable`; `update(data=...)` fits again. The prototypes of
    k-nearest neighbours are all rows: they stay. `slim().save(path)` says what else is left of them.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris, eps=1.0)
    >>> fit.slim().predict(iris).equals(fit.predict(iris)), len(fit.slim().prototypes)
    (True, 15)
    """
    if fit.frame.absent is not None:
        return fit
    rule, dissimilarity = without_rows(fit.rule, fit.dissimilarity)
    problem = fit.problem
    metric = dissimilarity.metric if problem.metric.given else problem.metric
    bare = replace(
        problem, call=_call_without_rows(problem.call), frame=dissimilarity.data, groups=None, cv=_without_rows(problem.cv), metric=metric,
        candidates=_without_rows(problem.candidates), order="data",
    )  # fmt: skip
    calibration = None if fit.calibration is None else _calibration(fit.calibration)
    return replace(fit, problem=bare, dissimilarity=dissimilarity, rule=rule, validation=None, calibration=calibration)


def without_rows(rule: Rule, d: Dissimilarity) -> tuple[Rule, Dissimilarity]:
    """A rule and its dissimilarity with no candidates but its prototypes, and no rows but those that are prototypes."""
    at = rule.prototypes.at
    kept = np.empty(0, np.int64) if at is None else np.unique(at)
    place = np.full(len(d.candidate_row), -1)
    place[kept] = np.arange(len(kept))
    row = d.candidate_row[kept]
    rows = np.unique(row[row >= 0])
    metric, own, candidates = d.metric.slim(part(d.rows, rows), part(d.candidates, kept))
    names = d.candidate_names[kept]
    added = None if d.added is None else d.added[d.added.index.isin(names)]
    new_row = np.where(row < 0, -1, np.searchsorted(rows, row))
    return _without_prices(rule.moved(place)), Dissimilarity(metric, rowless(d.data, rows), own, candidates, names, new_row, added)


def _without_prices(rule: Rule) -> Rule:
    """A rule whose certificate has no price of each row."""
    known = rule.report.get("certificate")
    if not isinstance(known, Certificate) or not is_dataclass(rule):
        return rule
    return replace(rule, report={**rule.report, "certificate": known.without_prices()})


def _calibration(calibration: Calibration) -> Calibration:
    rules = tuple(FoldRule(*without_rows(one.rule, one.dissimilarity)) for one in calibration.rules)
    return replace(calibration, rules=rules)


def _call_without_rows(call: Call) -> Call:
    arguments = {name: v if name in OF_CLASSES else _without_rows(v) for name, v in call.arguments.items()}
    return replace(call, data=Absent("data"), arguments=arguments)


def _without_rows(value: Any) -> Any:
    """An argument, in the place of which stands what it was where it says something of single rows."""
    if isinstance(value, (pd.Series, pd.Index, pd.DataFrame, np.ndarray, Dissimilarity, unlabelled)):
        return Absent(short(value))
    if isinstance(value, dict):
        return {name: _without_rows(v) for name, v in value.items()}
    return value
