"""A greedy fit step by step: what each prototype holds, and what the first 1, 2, ... of them do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.choose import mean_and_se
from ..core.covers.problems import Greedy
from ..core.machines.rule import Machines
from ..core.sources import Rep, part
from ..core.task import Rule, Stepwise
from ..errors import DataError, NotAvailable, OptionError, brief
from ..estimation.problem import BLOCK, bar, blocks, columns_of, places, with_folds
from ..estimation.resampling import draw_folds
from ..estimation.validation import fold_paths
from ..frames.frame import as_pandas, once
from ..metrics.base import Metric
from .bounds import path_bounds
from .evaluation import coded

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def stepwise(fit: Fit) -> Stepwise:
    """The rule of a fit, if it was built step by step."""
    if not isinstance(fit.rule, Stepwise):
        raise NotAvailable(f"method {fit.model.name!r} is not built step by step here; 'pvm' by greedy and 'scm' are")
    return fit.rule


def ball(fit: Fit, prototype: Any) -> pd.DataFrame:
    """See `Fit.ball`."""
    points, related, frame = fit.rule.points, fit.dissimilarity, fit.frame
    if points.radii is None or "cover" not in fit.rule.kinds:
        raise NotAvailable(f"method {fit.model.name!r} has no balls that cover; 'pvm' has")
    k = place_of(fit, prototype)
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


def place_of(fit: Fit, prototype: Any) -> int:
    """The first place of a label among the prototypes."""
    labels = fit.prototypes.index.tolist()
    try:
        return labels.index(prototype)
    except (ValueError, TypeError):  # not there; or something that == does not compare, such as a Series
        raise OptionError(f"prototype={brief(prototype)}: a label of fit.prototypes.index") from None


def path(fit: Fit, new: Any = None, cv: Any = None) -> pd.DataFrame:
    """See `Fit.path`."""
    rule, frame, related = stepwise(fit), fit.frame, fit.dissimilarity
    points = places(rule, related)
    table = pd.DataFrame(dict(rule.steps))
    if isinstance(rule, Machines):
        table["bound"] = path_bounds(fit)
    X = columns_of(rule, frame)
    lost, total = _lost(rule, related.metric, related.rows, points, X, frame.codes, frame.weights)
    table["training_error"] = lost / total
    if new is not None:
        new = as_pandas(new)
        response = frame.formula.response
        if response not in new:
            raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
        fresh = related.fresh(new, points)
        once(new.columns, "column")
        codes = coded(new[response], frame.levels)[fresh.whole]
        known = np.flatnonzero(codes >= 0)
        if len(known) == 0:
            raise DataError("no row has both a known class and all predictors")
        X = columns_of(rule, fresh.frame)
        X = None if X is None else X[known]
        rows, weights = part(fresh.rows, known), np.ones(len(known))
        lost, total = _lost(rule, related.metric, rows, fresh.points, X, codes[known], weights)
        if total == 0:
            raise DataError("no row has both a known class and dissimilarities to all prototypes")
        table["new_error"] = lost / total
    if cv is not None:
        table["cv_error"], table["cv_se"] = _held_out(fit, cv, len(table) - 1)
    return table


def _held_out(fit: Fit, cv: Any, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Cross-validated error of the first 0, ..., `most` steps, and its standard error.

    A fold's rule with fewer steps than asked for serves with all that it has.
    """
    problem = with_folds(fit.problem, cv)
    fold = draw_folds(problem, 1)[0][0]
    y, w = problem.frame.codes, problem.frame.weights
    folds = int(fold.max()) + 1
    lost, heft = np.empty((folds, most + 1)), np.empty(folds)
    related = problem.relate()
    with bar(folds, "cross-validating", problem.progress) as validating:
        for its, _, f, found in fold_paths(problem, related, problem.task(related), fold, {}, False):
            rule, rows = found.at(0), np.flatnonzero(fold == f)
            X = columns_of(rule, problem.frame)
            X = None if X is None else X[rows]
            assert isinstance(rule, Stepwise)
            steps, heft[f] = _lost(rule, its.metric, part(its.rows, rows), places(rule, its), X, y[rows], w[rows])
            lost[f] = steps[np.minimum(np.arange(most + 1), len(steps) - 1)]
            validating.update()
    return mean_and_se(lost / np.maximum(heft, 1e-300)[:, None], heft)


def _lost(
    rule: Stepwise, metric: Metric, rows: Rep, points: Rep, X: Any, codes: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, float]:
    """Weight of the rows that the first 0, 1, 2, ... steps misclassify, and of all rows; those at unknown distances are left out."""
    q = len(rule.points)
    wrong: Any = 0.0
    total = 0.0
    for block in blocks(len(codes), max(1, BLOCK // max(1, q))):
        D = metric.between(part(rows, block), points) if points else np.empty((len(codes[block]), 0))
        known = ~np.isnan(D).any(axis=1)
        truth, w = codes[block][known], weights[block][known]
        walked = rule.walk(D[known], None if X is None else X[block][known])
        wrong = wrong + np.array([w @ (told != truth) for told in walked])
        total += float(w.sum())
    return np.asarray(wrong), total


def first(fit: Fit, size: int | None, lambda_: float | None) -> Rule:
    """See `Fit.at`."""
    rule = stepwise(fit)
    if (size is None) == (lambda_ is None):
        raise OptionError("at() takes either size= or lambda_=")
    if size is not None:
        most = len(next(iter(rule.steps.values()))) - 1
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 0 <= size <= most:
            raise OptionError(f"size={brief(size)}: a whole number from 0 to the {most} steps of the fit")
        return rule.first(int(size))
    if not isinstance(rule, Greedy):
        raise NotAvailable(f"method {fit.model.name!r} has no lambda: at() takes size=")
    least = rule.goal.lambda_
    if isinstance(lambda_, bool) or not isinstance(lambda_, (int, float)) or not lambda_ >= least:
        raise OptionError(
            f"lambda_={brief(lambda_)}: the fit holds those from its own {least:.4g} on; fit.update(lambda_=0) holds all"
        )
    return rule.first(int((rule.steps["lambda_low"][:-1] > lambda_).sum()), float(lambda_))
