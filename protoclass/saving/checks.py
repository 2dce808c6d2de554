"""What must hold between the parts of a fit that was read, before anything is computed from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.comparison import Comparison
from ..core.query import answer_block
from ..core.sources import Rep, part
from ..core.task import Points, Rule
from ..errors import FileError, cut
from ..estimation.calibration import Calibration
from ..estimation.cross_validation import SecondDraw
from ..estimation.fit import Fit
from ..estimation.fitted import KINDS
from ..estimation.problem import Problem
from ..estimation.resampling import MEASURES
from ..estimation.validation import Validation
from ..frames.frame import Frame
from ..metrics.arrays import check_rep, same
from ..metrics.base import as_vectors, candidates_of, rows_of
from ..metrics.dissimilarity import Dissimilarity
from ..models.base import Model

FEW = 2  # rows that a rule is asked about


def check_dissimilarity(d: Dissimilarity) -> None:
    """Representations of rows and candidates as the metric makes them, and candidates that are rows."""
    there = d.data.remembered
    n, m = len(there), len(d.candidate_names)
    row = d.candidate_row
    if row.dtype.kind != "i" or (row < -1).any() or (row >= n).any():
        raise FileError("candidates are rows that do not exist")
    check_rep(d.rows, n, "the file"), check_rep(d.candidates, m, "the file")
    if d.metric.given:
        _check_given(d, n)
        return
    if n:
        _alike(d.rows, _made(d, there, d.rows, rows_of), "rows")
    own = np.flatnonzero(row >= 0)
    if d.metric.same_sides:
        _alike(part(d.candidates, own), part(d.rows, row[own]), "candidates that are rows")
        if len(own) and not same(part(d.candidates, own), part(d.rows, row[own])):
            raise FileError("candidates that are rows are not represented as these")
    elif d.data.absent is None and n and len(own):
        _alike(d.candidates, _made(d, there, d.candidates, candidates_of), "candidates")
    _check_added(d, np.flatnonzero(row < 0))


def _check_given(d: Dissimilarity, n: int) -> None:
    at, columns = d.candidates[0], None if d.data.absent else len(d.metric.candidate_names(d.data))
    values = d.rows[0]
    fine = len(d.rows) == len(d.candidates) == 1 and at.dtype.kind == "i" and at.ndim == 1 and values.ndim == 2
    if not fine or (at < 0).any() or (at >= values.shape[1]).any() or (columns is not None and columns < len(at)):
        raise FileError("the columns of the given dissimilarities are out of range")
    if values.dtype.kind != "f" or not (np.isfinite(values) & (values >= 0)).all():
        raise FileError("given dissimilarities are missing, infinite or negative")


def _made(d: Dissimilarity, frame: Frame, given: Rep, make: Any) -> Rep:
    """What the metric makes of the rows; of the first of them, where the types of the arrays say what may be in them."""
    free = all(a.dtype.kind == "f" for a in given)
    made: Rep = make(d.metric, frame.take(np.arange(1)) if free and not d.metric.train_in_folds else frame)
    return made


def _alike(given: Rep, made: Rep, what: str) -> None:
    """Raise unless two representations have as many arrays of the same types and axes, and the same codes and texts."""
    fine = len(given) == len(made)
    for a, b in zip(given, made, strict=False):
        fine = fine and a.dtype == b.dtype and a.shape[1:] == b.shape[1:]
        if fine and a.dtype.kind != "f" and len(a) == len(b):
            fine = same(a, b)
    if not fine:
        raise FileError(f"{what} are not represented as the metric represents them")


def _check_added(d: Dissimilarity, at: np.ndarray) -> None:
    """Candidates that are no rows: by their predictors, where these are those of rows, or else by coordinates."""
    if not len(at):
        return
    added = d.added
    if added is None or len(added) < len(at) or not set(d.candidate_names[at]) <= set(added.index):
        raise FileError("candidates that are no rows have no predictors")
    given = part(d.candidates, at)
    if all(a.dtype.kind == "f" for a in given):
        like = d.candidates if len(at) < len(d.candidate_row) else d.rows
        if any(a.shape[1:] != b.shape[1:] or a.dtype != b.dtype for a, b in zip(given, like, strict=False)):
            raise FileError("candidates that are no rows are not represented as others")
        return
    frame, complete = d.data.again(added.loc[d.candidate_names[at]])
    if not complete.all():
        raise FileError("candidates that are no rows miss predictors")
    _alike(given, d.metric.candidates(frame), "candidates that are no rows")


def check_rule(rule: Rule, d: Dissimilarity, classes: int) -> None:
    """Prototypes that exist, of classes that exist; and a rule that answers every kind of question as it should."""
    points = rule.prototypes
    if not isinstance(points, Points) or (points.at is None) == (points.coords is None) or not isinstance(rule.report, Mapping):
        raise FileError("the rule has no prototypes, or they are columns and coordinates at once")
    if points.classes.dtype.kind not in "iu" or not ((points.classes >= 0) & (points.classes < classes)).all():
        raise FileError("prototypes are of classes that do not exist")
    if points.at is not None:
        if points.at.dtype.kind not in "iu" or not ((points.at >= 0) & (points.at < len(d.candidate_row))).all():
            raise FileError("prototypes are candidates that do not exist")
    elif points.coords is not None:
        known = as_vectors(d.metric).coordinates(d.rows) if len(d.rows[0]) else points.coords
        if points.coords.shape[1:] != known.shape[1:] or not np.isfinite(points.coords).all():
            raise FileError("prototypes have coordinates of another space")
    for name, values in points.table.items():
        if not isinstance(name, str) or not isinstance(values, np.ndarray) or values.shape != (len(points),):
            raise FileError(f"the column {cut(repr(name))} of the prototypes has another shape")
    if not all(isinstance(name, str) and name for name in rule.report):
        raise FileError("the report of the rule has names that are no texts")
    if not all(a.dtype.kind in "biuf" for a in _arrays_of(replace(points, table={}), rule.report, getattr(rule, "machines", ()))):
        raise FileError("the rule counts what is no number")
    if not all(0 <= one.positive < classes and -1 <= one.negative < classes for one in getattr(rule, "machines", ())):
        raise FileError("a machine of the rule is of classes that do not exist")
    getattr(rule, "steps", None)  # of a greedy cover: raises where the report has no objective, or the table not what it is made of
    if getattr(rule, "classes", classes) != classes or not 0 <= getattr(rule, "fallback", 0) < classes:
        raise FileError("the rule is of other classes")
    if not np.isfinite(rule.size) or "class" not in rule.kinds or not set(rule.kinds) <= set(KINDS):
        raise FileError("the rule has no size, or answers what no rule does")
    _ask(rule, d, classes)


def _arrays_of(*values: Any) -> Iterator[np.ndarray]:
    """The arrays in objects, tuples and mappings."""
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif is_dataclass(value) and not isinstance(value, type):
            yield from _arrays_of(*(getattr(value, f.name) for f in fields(value)))
        elif isinstance(value, (tuple, list)):
            yield from _arrays_of(*value)
        elif isinstance(value, Mapping):
            yield from _arrays_of(*value.values())


def _ask(rule: Rule, d: Dissimilarity, classes: int) -> None:
    if d.data.absent is None:
        few = d.query(np.arange(min(FEW, len(d.data))))
    elif d.metric.given:
        few = d.new_query(pd.DataFrame(np.ones((1, len(d.candidate_names))), columns=d.candidate_names))[0]
    else:
        few = d.new_query(d.data.remembered.columns.iloc[:FEW])[0]
    for kind in rule.kinds:
        out = answer_block(rule, kind, few)
        by_class = kind in ("distance", "prob", "decision")
        if out.shape != ((len(few), classes) if by_class else (len(few),)) or (not by_class and out.dtype.kind not in "iu"):
            raise FileError(f"the rule answers {kind!r} by an array of the shape {out.shape}")
        most = len(rule.prototypes) if kind == "nearest" else classes
        if not by_class and not ((out >= (0 if kind == "class" else -1)) & (out < most)).all():
            raise FileError(f"the rule answers {kind!r} by what does not exist")


def check_problem(problem: Problem) -> None:
    n = len(problem.frame)
    groups = problem.groups
    if groups is not None and (groups.dtype.kind not in "iu" or groups.shape != (n,) or (groups < 0).any()):
        raise FileError("the groups are not those of the rows")
    if problem.order not in ("data", "values") or problem.seed < 0:
        raise FileError("the order of the rows, or the seed, is none")
    known = problem.call.data
    if isinstance(known, pd.DataFrame) and problem.frame.absent is None and not problem.frame.index.isin(known.index).all():
        raise FileError("the rows are not those of the data")


def _check_names(names: Any, model: Model, what: str) -> None:
    strange = [name for name in names if name not in model.parameters()]
    if strange:
        raise FileError(f"the {what} is of {cut(repr(strange[0]))}, which is no parameter of the method")


def check_validation(v: Validation) -> None:
    """Folds of all rows, held-out classes that exist, and errors, sizes and weights that are numbers."""
    check_problem(v.problem)
    _check_names(v.grid, v.problem.model, "grid of the cross-validation")
    if v.second is not None and not isinstance(v.second, SecondDraw):
        raise FileError("the second draw of the folds is none")
    frame, points = v.problem.frame, len(v.grid)
    (repeats, n), classes = v.of_fold.shape, len(frame.levels)
    if n != len(frame) or repeats < 1 or points < 1 or v.of_fold.dtype.kind not in "iu" or (v.of_fold < 0).any():
        raise FileError("the folds are not those of the rows")
    counts = [np.bincount(row) for row in v.of_fold] if (v.of_fold < n).all() else []
    if not counts or sum(map(len, counts)) != len(v.errors):
        raise FileError("the errors are not those of the folds")
    for held in (v.predicted, v.covered):
        if held is not None and (held.dtype.kind != "i" or (held < -1).any() or (held >= classes).any()):
            raise FileError("held-out rows are of classes that do not exist")
    numbers = {"errors": v.errors, "sizes": v.sizes, "weights": v.fold_weight, "losses": v.loss}
    for what, values in numbers.items():
        if values.dtype.kind not in "fiu" or not np.isfinite(values).all() or (what == "weights" and (values < 0).any()):
            raise FileError(f"{what} of the cross-validation are missing or infinite")
    if v.loss.shape != (classes, classes) or v.measure not in MEASURES or v.choice.error.shape != (points,):
        raise FileError("the loss or the choice of the cross-validation is not that of its classes and grid")
    if not all(isinstance(g, (int, np.integer)) and 0 <= g < points for g in v.choice.points.values()):
        raise FileError("the choice of the cross-validation is not in its grid")
    if not {"1se", "1se-paired", "min", v.problem.call.arguments.get("choose", "1se")} <= set(v.choice.points):
        raise FileError("the choice of the cross-validation lacks a rule")


def check_calibration(c: Calibration, classes: int) -> None:
    known, folds = c.conformal, len(c.rules)
    ends = ((known.y, classes), (known.fold, folds))
    if known.classes != classes or any(a.dtype.kind not in "iu" or (a < 0).any() or (a >= most).any() for a, most in ends):
        raise FileError("the calibration is of other classes or folds")
    if np.isnan(known.strangeness).any() or not (np.isfinite(known.w) & (known.w >= 0)).all():
        raise FileError("the calibration holds what is no number")
    shapes = c.scores.shape == (len(known.y), classes) and c.share.shape == (classes,)
    if not shapes or not np.isfinite(c.share).all() or c.scale.kind not in KINDS:
        raise FileError("the shares of the classes in the calibration are not those of its classes")
    p = c.chances.of(np.zeros((1, classes)))
    if p.shape != (1, classes) or not (np.isfinite(p) & (p >= 0) & (p <= 1)).all():
        raise FileError("the calibration gives chances that are none")
    for one in c.rules:
        check_dissimilarity(one.dissimilarity)
        check_rule(one.rule, one.dissimilarity, classes)


def check_fit(fit: Fit) -> None:
    """All that `load` checks of a fit."""
    check_problem(fit.problem)
    classes, n = len(fit.frame.levels), len(fit.frame)
    if len(fit.dissimilarity.data) != n or fit.dissimilarity.data.absent != fit.frame.absent:
        raise FileError("the rows of the fit and of its dissimilarity are not the same")
    for what, names in (("grid", fit.selection.grid), ("choice", fit.selection.values), ("earlier choice", fit.selection.earlier)):
        _check_names(names, fit.problem.model, what)
    if fit.selection.point is not None and not 0 <= fit.selection.point < max(1, len(fit.selection.grid)):
        raise FileError("the point that was chosen is not in the grid")
    fit.model  # the parameters as chosen are those of the method  # noqa: B018
    check_dissimilarity(fit.dissimilarity)
    check_rule(fit.rule, fit.dissimilarity, classes)
    if fit.validation is not None:
        check_validation(fit.validation)
        if len(fit.validation.problem.frame) != n:
            raise FileError("the rows of the fit and of its cross-validation are not the same")
    if fit.calibration is not None:
        check_calibration(fit.calibration, classes)


def check_comparison(c: Comparison) -> None:
    columns = {"split", "method", "n", "wrong", "error", "prototypes", "size", "seconds", "predict_seconds", "choice"}
    if not columns <= set(c.results) or "truth" not in c.predictions or c.predictions.index.nlevels != 2:
        raise FileError("the comparison lacks a column")
    if set(c.results["method"]) != set(c.methods) or any(len(p) != len(c.predictions) for p in c.chances.values()):
        raise FileError("the comparison is of other methods or rows")


CHECKS: Mapping[type, Any] = {
    Fit: check_fit, Validation: check_validation, Dissimilarity: check_dissimilarity, Comparison: check_comparison,
}  # fmt: skip
