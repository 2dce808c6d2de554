"""A fit step by step: what each prototype holds, and what the first 1, 2, ... of them do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.choose import mean_and_se
from ..core.query import lost_by_steps
from ..core.sources import part
from ..core.task import Points, Stepwise
from ..errors import DataError, NotAvailable, OptionError, brief
from ..estimation.problem import with_folds
from ..estimation.resampling import draw_folds, fold_paths
from ..frames.schema import check_unique, class_codes
from ..frames.tables import as_pandas
from ..models.registry import lacking
from ..progress import bar

if TYPE_CHECKING:
    from ..estimation.fit import Fit
    from ..metrics.dissimilarity import Dissimilarity


def stepwise(fit: Fit) -> Stepwise:
    """The rule of a fit, if it was built step by step."""
    if not isinstance(fit.rule, Stepwise):
        raise lacking(fit.model, "steps here: its rule was not built step by step", "steps")
    return fit.rule


def step_count(fit: Fit) -> int:
    """Number of steps in which the rule of a fit was built."""
    return len(next(iter(stepwise(fit).steps.values()))) - 1


def ball(fit: Fit, prototype: Any) -> pd.DataFrame:
    """See `Fit.ball`."""
    prototypes, dissimilarity, frame = fit.rule.prototypes, fit.dissimilarity, fit.frame
    if prototypes.radii is None or "cover" not in fit.rule.kinds:
        raise lacking(fit.model, "balls that cover", "balls")
    k = place_of(fit, prototype)
    D = _to_first(dissimilarity, prototypes, k + 1)
    inside = prototypes.radii[: k + 1] > D
    own = frame.codes == prototypes.classes[k]
    before = inside[:, :k][:, prototypes.classes[:k] == prototypes.classes[k]].any(axis=1)
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


def _to_first(dissimilarity: Dissimilarity, prototypes: Points, count: int) -> np.ndarray:
    """Dissimilarities (n, count) of all rows to the first prototypes."""
    if dissimilarity.sharded is not None and prototypes.at is not None:
        return dissimilarity.sharded.take(np.arange(len(dissimilarity.index)), prototypes.at[:count])
    return dissimilarity.metric.between(dissimilarity.rows, part(dissimilarity.prototype_rep(prototypes), slice(0, count)))


def place_of(fit: Fit, prototype: Any) -> int:
    """The first place of a label among the prototypes."""
    labels: list[Any] = fit.prototypes.index.tolist()
    try:
        return labels.index(prototype)
    except (ValueError, TypeError):  # not there; or something that == does not compare, such as a Series
        raise OptionError(f"prototype={brief(prototype)}: a label of fit.prototypes.index") from None


def path(fit: Fit, new: Any = None, cv: Any = None) -> pd.DataFrame:
    """See `Fit.path`."""
    rule, frame = stepwise(fit), fit.frame
    table = pd.DataFrame(dict(rule.steps))
    if fit.model.has("step_bounds"):
        table["bound"] = fit.model.step_bounds(fit.learned)
    lost, total = lost_by_steps(rule, fit.query()[0], frame.codes, frame.weights)
    table["training_error"] = lost / total
    if new is not None:
        table["new_error"] = _new_error(fit, rule, as_pandas(new))
    if cv is not None:
        table["cv_error"], table["cv_se"] = _held_out(fit, cv, len(table) - 1)
    return table


def _new_error(fit: Fit, rule: Stepwise, new: pd.DataFrame) -> np.ndarray:
    """Share of new rows that the first 0, 1, 2, ... steps misclassify."""
    response = fit.frame.formula.response
    if response not in new:
        raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
    fit.warn_of(fit.unseen_in(new))
    query, _, complete = fit.query(new)
    check_unique(new.columns, "column")
    codes = class_codes(new[response], fit.frame.levels)[complete]
    known = np.flatnonzero(codes >= 0)
    if len(known) == 0:
        raise DataError("no row has both a known class and all predictors")
    lost, total = lost_by_steps(rule, query.take(known), codes[known], np.ones(len(known)))
    if total == 0:
        raise DataError("no row has both a known class and dissimilarities to all prototypes")
    return lost / total


def _held_out(fit: Fit, cv: Any, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Cross-validated error of the first 0, ..., `most` steps, and its standard error.

    A fold's rule with fewer steps than asked for serves with all that it has.
    """
    problem = with_folds(fit.chosen_problem, cv)
    fold = draw_folds(problem, 1)[0][0]
    y, w = problem.frame.codes, problem.frame.weights
    folds = int(fold.max()) + 1
    lost, weight = np.empty((folds, most + 1)), np.empty(folds)
    dissimilarity = problem.measure()
    with bar(folds, "cross-validating", problem.progress) as validating:
        for one in fold_paths(problem, dissimilarity, problem.task(dissimilarity), fold, {}, False):
            rule, rows = one.path.at(0), np.flatnonzero(fold == one.fold)
            assert isinstance(rule, Stepwise)
            steps, weight[one.fold] = lost_by_steps(rule, one.query(rows), y[rows], w[rows])
            lost[one.fold] = steps[np.minimum(np.arange(most + 1), len(steps) - 1)]
            validating.update()
    return mean_and_se(lost / np.maximum(weight, 1e-300)[:, None], weight)


def first_steps(fit: Fit, size: int | None, lambda_: float | None) -> Fit:
    """See `Fit.at`."""
    rule, most = stepwise(fit), step_count(fit)
    if (size is None) == (lambda_ is None):
        raise OptionError("at() takes either size= or lambda_=")
    if lambda_ is not None:
        if not fit.model.can.costs:
            raise NotAvailable(f"{lacking(fit.model, 'lambda', 'costs')}; at() takes size=")
        return fit.derived(rule.at_cost(lambda_), {"lambda_": lambda_})  # type: ignore[attr-defined]
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 0 <= size <= most:
        raise OptionError(f"size={brief(size)}: a whole number from 0 to the {most} steps of the fit")
    return fit.derived(rule.first(int(size)), steps=int(size))
