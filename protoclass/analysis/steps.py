"""A fit step by step: what each prototype holds, and what the first 1, 2, ... of them do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..core.query import lost_by_steps
from ..core.sources import part
from ..core.statistics.one_se import mean_and_se
from ..core.task import Points, Stepwise
from ..estimation.fitted import AnyFit, Fitted
from ..estimation.problem import with_folds
from ..estimation.resampling import draw_folds, fold_paths
from ..frames.tables import as_pandas
from ..ground.errors import DataError, NotAvailable, OptionError, brief
from ..ground.progress import bar
from ..metrics.dissimilarity import Dissimilarity
from ..models.registry import lacking


def stepwise(fit: Fitted) -> Stepwise:
    """The rule of a fit, if it was built step by step."""
    if not isinstance(fit.rule, Stepwise):
        raise lacking(fit.model, "steps here: its rule was not built step by step", "steps")
    return fit.rule


def step_count(fit: Fitted) -> int:
    """Number of steps in which the rule of a fit was built."""
    return len(next(iter(stepwise(fit).steps.values()))) - 1


def ball(fit: Fitted, prototype: Any) -> pd.DataFrame:
    """The rows of the fit in the ball of a prototype, nearest first.

    Parameters
    ----------
    prototype : label, as in the index of `prototypes`

    Returns
    -------
    DataFrame
        By row label: `class`, `distance`, `own` (of the class that the prototype serves) and `first` (own and in the
        ball of none chosen before).

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> held = fit.ball(82)
    >>> int(held["first"].sum()), int((~held["own"]).sum())
    (29, 0)
    """
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


def place_of(fit: Fitted, prototype: Any) -> int:
    """The first place of a label among the prototypes."""
    labels: list[Any] = fit.prototypes.index.tolist()
    try:
        return labels.index(prototype)
    except (ValueError, TypeError):  # not there; or something that == does not compare, such as a Series
        raise OptionError(f"prototype={brief(prototype)}: a label of fit.prototypes.index") from None


def path(fit: Fitted, new: Any = None, cv: Any = None) -> pd.DataFrame:
    """What the first 1, 2, ... prototypes of a greedy fit do: its path in their number and in lambda.

    What a larger lambda chooses is the first part of what a smaller one does. So one fit holds the fits of all larger
    lambdas; `fit.update(lambda_=0).path()` has them all. For "scm": what its first 1, 2, ... features do.

    Parameters
    ----------
    new : DataFrame, optional
        With the predictors and the response: its error is added as `new_error`.
    cv : int, "loo", Series or array of folds, optional
        As in `fit`: the error of the first prototypes that each fold's training rows choose is added as `cv_error`,
        with its standard error `cv_se`.

    Returns
    -------
    DataFrame
        One row for each number of prototypes: `lambda_low` and `lambda_high` (chosen for lambda_low <= lambda <
        lambda_high), `size`, `uncovered`, `miscovered`, `objective` (at the fit's own lambda), `training_error`. For
        "scm" one for each step: `size` (features, of all machines), `q` and `r` of the last feature where there is one
        machine, `bound` (see `bound`), `training_error`.

    Raises
    ------
    NotAvailable
        Where prototypes are not chosen step by step.
    """
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


def _new_error(fit: Fitted, rule: Stepwise, new: pd.DataFrame) -> np.ndarray:
    """Share of new rows that the first 0, 1, 2, ... steps misclassify."""
    codes = fit.true_codes(new)
    fit.warn_of(fit.unseen_in(new))
    query, _, complete = fit.query(new)
    codes = codes[complete]
    known = np.flatnonzero(codes >= 0)
    if len(known) == 0:
        raise DataError("no row has both a known class and all predictors")
    lost, total = lost_by_steps(rule, query.take(known), codes[known], np.ones(len(known)))
    if total == 0:
        raise DataError("no row has both a known class and dissimilarities to all prototypes")
    return lost / total


def _held_out(fit: Fitted, cv: Any, most: int) -> tuple[np.ndarray, np.ndarray]:
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


def at(fit: AnyFit, size: int | None = None, lambda_: float | None = None) -> AnyFit:
    """The fit with the first `size` prototypes, or with those that a larger lambda chooses; at once.

    For "scm" the first `size` features, of several machines of each. The cross-validated error was that of another rule,
    so it has none, unless a larger lambda is a point of the grid.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.at(size=5).prototypes.index.equals(fit.prototypes.index[:5]), len(fit.at(lambda_=6).prototypes)
    (True, 6)
    """
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
