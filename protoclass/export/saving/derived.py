"""Parts of a fit in a file: classes with derived fields, and the checks before anything is computed from them.

Classes have their names in files, so their modules do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from ...core.query import answer_block
from ...core.sources import Rep, part
from ...frames.formula import TRANSFORMS, check_factors
from ...frames.schema import check_kind
from ...frames.specification import spec_of_states, states_of
from ...frames.spelling import name_columns
from ...ground.errors import FileError, cut
from ...metrics.base import as_vectors, candidates_of, check_rep, rows_of, same

FUNCTIONS = ("fit", "cross_validate")
LITERAL = re.compile(r"[0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300}")
MOST_ROWS = 2**40
FEW = 2  # rows in a trial prediction of a rule


@dataclass(frozen=True)
class Derived:
    """A class with fields that are not in a file, because they follow from the others and from the values written instead."""

    without: tuple[str, ...] | None  # fields that are not written; None if there are none
    adds: Callable[[Any], dict[str, Any]]  # values written instead
    names: tuple[str, ...]  # of these
    read: Callable[[Any, dict[str, Any]], Any]  # makes the object of a class from the written values; annotations are checked afterwards

    def written(self, of: type) -> set[str]:
        own = () if self.without is None else {f.name for f in fields(of)} - set(self.without)
        return {*own, *self.names}


def written(value: Any, name: str) -> dict[str, Any]:
    """The fields of an object of a class, as a file has them."""
    derived = DERIVED.get(name)
    given = {} if derived is None else derived.adds(value)
    for f in fields(value):
        if f.init and (derived is None or f.name in derived.written(type(value))):
            given.setdefault(f.name, getattr(value, f.name))
    return given


def must(fine: Any, otherwise: str) -> None:
    if not fine:
        raise FileError(otherwise)


def read_formula(of: Any, given: dict[str, Any]) -> Any:
    """A formula, each factor of which is in the closed grammar."""
    columns = given.pop("columns")
    for what, texts in (("variables", given["variables"]), ("columns", columns)):
        fine = isinstance(texts, tuple) and all(isinstance(t, str) for t in texts) and len(set(texts)) == len(texts)
        must(fine, f"the {what} of the formula are not different texts")
    for term in given["terms"]:
        must(term.factors, "a term of the formula has no factors")
        for f in term.factors:
            fine = f.how in ("lookup", "python") or (f.how == "literal" and LITERAL.fullmatch(f.expr) is not None)
            must(fine, f"a factor of the formula is {cut(f.expr, 80)}, evaluated as {cut(f.how, 20)}")
    formula = of(**given, names=name_columns(columns, TRANSFORMS))
    return replace(formula, uses=check_factors(formula.terms, formula.names, formula.text))


def learned(frame: Any) -> dict[str, Any]:
    """What the transforms of a formula have learned, and the names of the columns that they make."""
    spec = frame.spec
    return {"states": None if spec is None else states_of(spec), "design": None if spec is None else tuple(spec.column_names)}


def read_frame(of: Any, given: dict[str, Any]) -> Any:
    """A frame whose parts agree, with the specification of its design matrix restored from the states of its transforms."""
    states, design = given.pop("states"), given.pop("design")
    frame = of(**given, spec=None)
    n, columns, weights, response = len(frame.columns), frame.columns, frame.weights, frame.response
    numbers = weights.shape == (n,) and weights.dtype.kind in "fiu" and (np.isfinite(weights) & (weights >= 0)).all()
    must(numbers, f"the weights of {n} rows are not so many numbers >= 0")
    labels = columns.columns.is_unique and all(isinstance(c, str) for c in columns.columns) and columns.index.is_unique
    must(labels, "rows or columns have the same label twice")
    must(set(frame.schema) == set(columns.columns), "the kinds of the columns do not match the predictors")
    used = frozenset().union(*frame.formula.uses.values())
    must(used <= set(columns.columns), "the formula uses columns that are not predictors")
    for name, known in frame.schema.items():
        fine = known.kind == "category" or (known.kind in ("numeric", "boolean", "series") and not known.levels)
        must(fine, f"the column {name!r} is of the kind {known.kind!r}")
        check_kind(columns[name], known)
    must(frame.keep or not columns.isna().to_numpy().any(), "predictors have missing values that the fit does not allow")
    frame.unseen_counts.refuse()
    if response is not None:
        fine = len(response) == n and (response.codes >= 0).all() and len(response.categories) and response.categories.is_unique
        must(fine, f"the classes of {n} rows are missing, or not so many")
    must((states is None) == (design is None), "the design matrix of the formula has states or names, and not both")
    if states is None:
        return frame
    made = spec_of_states(frame, states)
    fine = tuple(made.column_names) == design and _plain(states_of(made)) == _plain(states)
    must(fine, "the transforms of the formula are not those that the file has states of")
    return replace(frame, spec=made)


def _plain(state: Any) -> Any:
    """A state of a transform as values of which the same ones are equal, to the bit."""
    if isinstance(state, dict):
        return [(key, _plain(v)) for key, v in state.items()]
    if isinstance(state, (list, tuple)):
        return [_plain(v) for v in state]
    if isinstance(state, (np.ndarray, np.number, float)):
        return np.asarray(state).dtype, np.shape(state), np.asarray(state).tobytes()
    return state


def read_rowless(of: Any, given: dict[str, Any]) -> Any:
    """The frame of a slim fit."""
    frame, counts, weights = (given[name] for name in ("remembered", "class_counts", "class_weights"))
    fine = frame.absent is None and counts.dtype.kind == "i" and counts.shape == weights.shape == (len(frame.levels),)
    fine = fine and (counts >= frame.class_counts).all() and counts.max() <= MOST_ROWS and (np.isfinite(weights) & (weights > 0)).all()
    must(fine, "the numbers of rows of the classes are none")
    return of(frame, counts, weights)


def read_call(of: Any, given: dict[str, Any]) -> Any:
    """A call of this package's own functions."""
    must(given["function"] in FUNCTIONS, f"its call is of {cut(str(given['function']), 80)}")
    return of(**given)


ROWLESS = ("remembered", "class_counts", "class_weights")
DERIVED: Mapping[str, Derived] = {
    "Formula": Derived(("uses", "names"), lambda formula: {"columns": tuple(formula.names.columns.values())}, ("columns",), read_formula),
    "Frame": Derived(("spec",), learned, ("states", "design"), read_frame),
    "RowlessFrame": Derived(None, lambda frame: {name: getattr(frame, name) for name in ROWLESS}, ROWLESS, read_rowless),
    "Call": Derived((), lambda call: {}, (), read_call),
}  # fmt: skip


def check_dissimilarity(d: Any) -> None:
    """Representations of rows and candidates as the metric makes them, and candidates that are rows."""
    there, row = d.data.remembered, d.candidate_row
    n, m = len(there), len(d.candidate_names)
    must(_within(row, -1, n), "candidates are rows that do not exist")
    check_rep(d.rows, n, "the file"), check_rep(d.candidates, m, "the file")
    if d.metric.given:
        (values,), (at,) = d.rows, d.candidates
        fine = values.ndim == 2 and at.ndim == 1 and _within(at, 0, values.shape[1])
        must(fine, "the columns of the given dissimilarities are out of range")
        must(d.data.absent or len(d.metric.candidate_names(d.data)) >= m, "given dissimilarities have fewer columns than candidates")
        fine = values.dtype.kind == "f" and (np.isfinite(values) & (values >= 0)).all()
        must(fine, "given dissimilarities are missing, infinite or negative")
        return
    own, added = np.flatnonzero(row >= 0), np.flatnonzero(row < 0)
    if n:
        _check_alike(d.rows, _made(d, there, d.rows, rows_of), "rows")
    if d.metric.same_sides:
        fine = same(part(d.candidates, own), part(d.rows, row[own])) or not len(own)
        must(fine, "candidates that are rows are not represented as these")
    elif d.data.absent is None and n and len(own):
        _check_alike(d.candidates, _made(d, there, d.candidates, candidates_of), "candidates")
    if len(added):
        fine = d.added is not None and set(d.candidate_names[added]) <= set(d.added.index)
        must(fine, "candidates that are not rows have no predictors")
        given = part(d.candidates, added)
        made = d.candidates if len(own) else d.rows
        if not all(a.dtype.kind == "f" for a in given):
            made = d.metric.candidates(d.data.again(d.added.loc[d.candidate_names[added]])[0])
        _check_alike(given, made, "candidates that are not rows")


def _within(a: np.ndarray, low: int, end: int) -> bool:
    """Whether an array contains whole numbers from `low` to before `end`."""
    return a.dtype.kind in "iu" and bool(((a >= low) & (a < end)).all())


def _made(d: Any, frame: Any, given: Rep, make: Any) -> Rep:
    """The metric's representation of the rows; of the first ones only, if the types of the arrays suffice for the check."""
    free = all(a.dtype.kind == "f" for a in given)
    made: Rep = make(d.metric, frame.take(np.arange(1)) if free and not d.metric.train_in_folds else frame)
    return made


def _check_alike(given: Rep, made: Rep, what: str) -> None:
    """Raise unless two representations have as many arrays of the same types and axes, and the same codes and texts."""
    fine = len(given) == len(made)
    for a, b in zip(given, made, strict=False):
        fine = fine and a.dtype == b.dtype and a.shape[1:] == b.shape[1:]
        fine = fine and (a.dtype.kind == "f" or len(a) != len(b) or same(a, b))
    must(fine, f"{what} are not represented as the metric represents them")


def check_rule(rule: Any, d: Any, classes: int) -> None:
    """Prototypes that exist, of classes that exist; and a rule that answers each kind of question as it should."""
    points = rule.prototypes
    fine = isinstance(rule.report, Mapping) and (points.at is None) != (points.coords is None)
    must(fine, "the rule has no prototypes, or they are both columns and coordinates")
    must(_within(points.classes, 0, classes), "prototypes are of classes that do not exist")
    must(points.at is None or _within(points.at, 0, len(d.candidate_row)), "prototypes are candidates that do not exist")
    if points.coords is not None:
        known = as_vectors(d.metric).coordinates(d.rows) if len(d.rows[0]) else points.coords
        fine = points.coords.shape[1:] == known.shape[1:] and np.isfinite(points.coords).all()
        must(fine, "prototypes have coordinates of another space")
    for name, values in points.table.items():
        fine = isinstance(values, np.ndarray) and values.shape == (len(points),)
        must(fine, f"the column {cut(repr(name))} of the prototypes has another shape")
    fine = all(0 <= m.positive < classes and -1 <= m.negative < classes for m in getattr(rule, "machines", ()))
    must(fine, "a machine of the rule is of classes that do not exist")
    getattr(rule, "steps", None)  # of a greedy cover: raises if the report has no objective, or the table is invalid
    fine = getattr(rule, "classes", classes) == classes and 0 <= getattr(rule, "fallback", 0) < classes
    must(fine, "the rule is of other classes")
    if d.data.absent is None:
        few = d.query(np.arange(min(FEW, len(d.data))))
    else:
        ones = pd.DataFrame(np.ones((1, len(d.candidate_names))), columns=d.candidate_names)
        few = d.new_query(ones if d.metric.given else d.data.remembered.columns.iloc[:FEW])[0]
    must("class" in rule.kinds, "the rule predicts no class")
    for kind in rule.kinds:
        (out,) = answer_block(rule, (kind,), few)
        by_class = kind in ("distance", "prob", "decision")
        most = len(points) if kind == "nearest" else classes
        fine = out.shape == ((len(few), classes) if by_class else (len(few),))
        must(fine and (by_class or _within(out, 0 if kind == "class" else -1, most)), f"the rule predicts impossible {kind!r}")


def check_problem(problem: Any) -> None:
    n, groups, data = len(problem.frame), problem.groups, problem.call.data
    must(groups is None or (groups.shape == (n,) and _within(groups, 0, 2**62)), "the groups do not match the rows")
    must(problem.seed >= 0, "the seed is not valid")
    rows = not isinstance(data, pd.DataFrame) or problem.frame.absent is not None or problem.frame.index.isin(data.index).all()
    must(rows, "the rows do not match the data")


def _check_names(names: Any, problem: Any, what: str) -> None:
    known = {*problem.model.parameters(), *problem.metric_axes}
    for name in names:
        must(name in known, f"the {what} is of {cut(repr(name))}, which is not a parameter of the method")


def check_validation(v: Any) -> None:
    """Folds of all rows, held-out classes that exist, and errors, sizes and weights that are numbers."""
    _check_names(v.grid, v.problem, "grid of the cross-validation")
    frame, points = v.problem.frame, len(v.grid)
    (repeats, n), classes = v.of_fold.shape, len(frame.levels)
    folds = n == len(frame) and repeats and points and _within(v.of_fold, 0, n)
    must(folds, "the folds do not match the rows")
    must(sum(len(np.bincount(row)) for row in v.of_fold) == len(v.errors), "the errors do not match the folds")
    for held in (v.predicted, v.covered):
        must(held is None or _within(held, -1, classes), "held-out rows are of classes that do not exist")
    must(np.isfinite(v.errors).all() and np.isfinite(v.sizes).all(), "errors or sizes of the cross-validation are missing or infinite")
    fine = v.loss.shape == (classes, classes) and v.choice.error.shape == (points,)
    must(fine, "the loss or the choice of the cross-validation does not match its classes and grid")
    must(_within(np.array(list(v.choice.points.values())), 0, points), "the choice of the cross-validation is not in its grid")
    rules = {"1se", "1se-paired", "min", v.problem.call.choose}
    must(rules <= set(v.choice.points), "the choice of the cross-validation lacks a rule")


def check_calibration(c: Any, classes: int) -> None:
    known = c.conformal
    fine = known.classes == classes and _within(known.y, 0, classes) and _within(known.fold, 0, len(c.rules))
    must(fine, "the calibration is of other classes or folds")
    fine = c.scores.shape == (len(known.y), classes) and c.share.shape == (classes,)
    must(fine, "the class proportions in the calibration do not match its classes")
    for learned_in_fold in c.rules:
        check_rule(learned_in_fold.rule, learned_in_fold.dissimilarity, classes)


def check_fit(fit: Any) -> None:
    """Parts of a fit that belong together."""
    classes, n = len(fit.frame.levels), len(fit.frame)
    fine = len(fit.dissimilarity.data) == n and fit.dissimilarity.data.absent == fit.frame.absent
    must(fine, "the rows of the fit and of its dissimilarity are not the same")
    for what, names in (("grid", fit.selection.grid), ("choice", fit.selection.values), ("earlier choice", fit.selection.earlier)):
        _check_names(names, fit.problem, what)
    point = fit.selection.point
    must(point is None or 0 <= point < max(1, len(fit.selection.grid)), "the point that was chosen is not in the grid")
    fit.model  # noqa: B018
    check_rule(fit.rule, fit.dissimilarity, classes)
    fine = fit.curve is None or len(fit.curve.problem.frame) == n
    must(fine, "the rows of the fit and of its cross-validation are not the same")
    if fit.calibration is not None:
        check_calibration(fit.calibration, classes)


def check_comparison(c: Any) -> None:
    columns = {"split", "method", "n", "wrong", "error", "prototypes", "size", "seconds", "predict_seconds", "choice"}
    fine = columns <= set(c.results) and "truth" in c.predictions and c.predictions.index.nlevels == 2
    must(fine and (c.frontiers.empty or {"split", "method", "prototypes", "error"} <= set(c.frontiers)), "the comparison lacks a column")
    fine = set(c.results["method"]) == set(c.methods) and all(len(p) == len(c.predictions) for p in c.chances.values())
    must(fine, "the comparison is of other methods or rows")


def check_forest(f: Any) -> None:
    """Trees that lead from each root to a leaf, by columns that exist: kernels descend without looking."""
    whole, sizes = (f.start, f.left, f.right, f.feature), np.diff(f.start)
    fine = all(a.dtype.kind == "i" for a in whole) and (f.threshold.dtype, f.missing.dtype, f.error.dtype) == (float, bool, float)
    must(fine and len(sizes) and f.start[0] == 0 and f.start[-1] == len(f.left) and (sizes > 0).all(), "the trees do not match their nodes")
    own, inner = np.arange(len(f.left)) - np.repeat(f.start[:-1], sizes), f.left >= 0
    further = [(own < side) & (side < np.repeat(sizes, sizes)) for side in (f.left, f.right)]
    must(np.all(further, axis=0)[inner].all() and _within(f.feature[inner], 0, len(f.columns)), "a node of a tree leads nowhere")


CHECKS: Mapping[str, Callable[[Any], None]] = {
    "Dissimilarity": check_dissimilarity, "Problem": check_problem, "Validation": check_validation, "Fit": check_fit,
    "Comparison": check_comparison, "TrainedForest": check_forest,
}  # fmt: skip
