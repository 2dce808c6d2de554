"""A greedy fit step by step: what each prototype holds, and what the first 1, 2, ... of them do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .core.choose import mean_and_se
from .core.cover import Objective
from .core.sources import Rep, part
from .core.task import Rule
from .errors import DataError, NotAvailable, OptionError, brief
from .frame import as_pandas, once
from .metrics.base import Metric
from .preparing import BLOCK, bar, blocks, places, with_folds
from .resampling import draw_folds
from .testing import coded
from .validating import fold_paths

if TYPE_CHECKING:
    from .fitting import Fit


def stepwise(fit: Fit) -> tuple[np.ndarray, np.ndarray, Objective]:
    """Weights that each prototype covers first and miscovers, and the objective; an error where there are no steps."""
    points, goal = fit.rule.points, fit.rule.report.get("objective")
    nested = goal is not None and getattr(fit.model, "solver", None) == "greedy"
    if not nested or not isinstance(goal, Objective):
        raise NotAvailable(
            f"method {fit.model.name!r} does not choose prototypes step by step here; 'pvm' by greedy does"
        )
    return points.table["covers"], points.table["miscovers"], goal


def ball(fit: Fit, prototype: Any) -> pd.DataFrame:
    """See `Fit.ball`."""
    points, related, frame = fit.rule.points, fit.dissimilarity, fit.frame
    if points.radii is None:
        raise NotAvailable(f"method {fit.model.name!r} has no balls; 'pvm' has")
    at = np.flatnonzero(fit.prototypes.index == prototype)
    if len(at) == 0:
        raise OptionError(f"prototype={brief(prototype)}: a label of fit.prototypes")
    k = int(at[0])
    D = related.metric.between(related.rows, part(places(fit.rule, related), slice(0, k + 1)))
    inside = points.radii[: k + 1] > D
    own = frame.codes == points.classes[k]
    before = inside[:, :k][:, points.classes[:k] == points.classes[k]].any(axis=1)
    held = np.flatnonzero(inside[:, k])
    held = held[np.argsort(D[held, k], kind="stable")]
    return pd.DataFrame(
        {
            "class": pd.Categorical.from_codes(frame.codes[held], frame.levels),
            "distance": D[held, k],
            "own": own[held],
            "first": (own & ~before)[held],
        },
        frame.index[held],
    )


def path(fit: Fit, new: Any = None, cv: Any = None) -> pd.DataFrame:
    """See `Fit.path`."""
    covers, wrong, goal = stepwise(fit)
    gain, frame, related = covers - wrong, fit.frame, fit.dissimilarity
    q, total = len(gain), float(frame.weights.sum())
    size = np.arange(q + 1)
    uncovered = total - np.concatenate([[0.0], np.cumsum(covers)])
    miscovered = np.concatenate([[0.0], np.cumsum(wrong)])
    points = places(fit.rule, related)
    table = pd.DataFrame({
        "lambda_low": np.concatenate([gain, [goal.lambda_]]),
        "lambda_high": np.concatenate([[np.inf], gain]),
        "size": size,
        "uncovered": uncovered,
        "miscovered": miscovered,
        "objective": uncovered + miscovered + goal.lambda_ * size,
        "training_error": _lost(fit.rule, related.metric, related.rows, points, frame.codes, frame.weights) / total,
    })  # fmt: skip
    if new is not None:
        new = as_pandas(new)
        response = frame.formula.response
        if response not in new:
            raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
        rows, points, _, whole = related.fresh(new, points)
        once(new.columns, "column")
        codes = coded(new[response], frame.levels)[whole]
        known = np.flatnonzero(codes >= 0)
        if len(known) == 0:
            raise DataError("no row has both a known class and all predictors")
        lost = _lost(fit.rule, related.metric, part(rows, known), points, codes[known], np.ones(len(known)))
        table["new_error"] = lost / len(known)
    if cv is not None:
        table["cv_error"], table["cv_se"] = _held_out(fit, cv, q)
    return table


def _held_out(fit: Fit, cv: Any, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Cross-validated error of the first 0, ..., q prototypes, and its standard error.

    A fold's rule with fewer prototypes than a step asks for serves with all that it has.
    """
    problem = with_folds(fit.problem, cv)
    fold = draw_folds(problem, 1)[0][0]
    y, w = problem.frame.codes, problem.frame.weights
    folds = int(fold.max()) + 1
    lost = np.empty((folds, q + 1))
    related = problem.relate()
    with bar(folds, "cross-validating", problem.progress) as validating:
        for its, _, f, found in fold_paths(problem, related, problem.task(related), fold, {}, False):
            rule, rows = found.at(0), np.flatnonzero(fold == f)
            steps = _lost(rule, its.metric, part(its.rows, rows), places(rule, its), y[rows], w[rows])
            lost[f] = steps[np.minimum(np.arange(q + 1), len(steps) - 1)]
            validating.update()
    heft = np.bincount(fold, w)
    return mean_and_se(lost / np.maximum(heft, 1e-300)[:, None], heft)


def _lost(rule: Any, metric: Metric, rows: Rep, points: Rep, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of the rows that the first 0, 1, 2, ... prototypes misclassify."""
    classes, at, fallback = rule.points.classes, rule.points.at, rule.fallback
    wrong = np.zeros(len(classes) + 1)
    wrong[0] = weights @ (codes != fallback)
    for block in blocks(len(codes), max(1, BLOCK // max(1, len(classes)))):
        D = metric.between(part(rows, block), points)
        best, found, where = np.full(len(D), np.inf), np.full(len(D), fallback), np.full(len(D), -1)
        for s in range(len(classes)):
            d = D[:, s]
            nearer = (d < best) | ((d == best) & ((classes[s] < found) | ((classes[s] == found) & (at[s] < where))))
            best[nearer], found[nearer], where[nearer] = d[nearer], classes[s], at[s]
            wrong[s + 1] += weights[block] @ (found != codes[block])
    return wrong


def first(fit: Fit, size: int | None, lambda_: float | None) -> Rule:
    """See `Fit.at`."""
    covers, wrong, goal = stepwise(fit)
    if (size is None) == (lambda_ is None):
        raise OptionError("at() takes either size= or lambda_=")
    if size is not None:
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 0 <= size <= len(covers):
            raise OptionError(f"size={brief(size)}: a whole number from 0 to the {len(covers)} prototypes of the fit")
        lam = goal.lambda_
    else:
        if isinstance(lambda_, bool) or not isinstance(lambda_, (int, float)) or not lambda_ >= goal.lambda_:
            raise OptionError(
                f"lambda_={brief(lambda_)}: the fit holds those from its own {goal.lambda_:.4g} on; "
                "fit.update(lambda_=0) holds all"
            )
        lam, size = float(lambda_), int((covers - wrong > lambda_).sum())
    points = fit.rule.points
    kept = replace(
        points, classes=points.classes[:size], at=points.at[:size], radii=points.radii[:size],
        table={name: values[:size] for name, values in points.table.items()},
    )  # fmt: skip
    total = float(fit.frame.weights.sum())
    objective = Objective(total - float(covers[:size].sum()), float(wrong[:size].sum()), size, lam)
    report = {k: v for k, v in fit.rule.report.items() if k != "certificate"}
    return replace(fit.rule, points=kept, report={**report, "cost lambda": lam, "objective": objective})
