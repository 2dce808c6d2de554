"""A fit step by step: its path in the number of prototypes and in lambda, one ball, bounds, and a
fit without its rows.
"""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.query import Query, Rule, Stepwise, lost_by_steps
from ..core.setcover.problems import Certificate
from ..core.sources import part
from ..core.statistics.intervals import least_se
from ..core.statistics.one_se import mean_and_se
from ..core.statistics.scores import lowest_of_others
from ..core.task import Points, Task
from ..core.thresholds import HOLD_LIMIT
from ..estimation.cross_validation import draw_folds, fold_paths, redrawn
from ..estimation.decisions import FoldRule
from ..estimation.fitted import AnyFit, Fitted
from ..estimation.problem import short
from ..frames.frame import rowless
from ..frames.tables import Absent, as_pandas
from ..ground.checks import check_level, find_labels, one_of
from ..ground.errors import DataError, OptionError, brief
from ..ground.options import watch
from ..metrics.base import TrainedMetric
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import unlabelled
from ..models.registry import lacking


def bound(fit: Fitted, delta: float = 0.05, fixed_dissimilarity: bool = False) -> pd.DataFrame:
    """Sample-compression bound on the error for new rows, from the training rows alone.

    It holds with probability 1 - delta over training sets of independent rows, and depends on the
    training error and on how few rows (the prototypes) determine the fitted model.

    Parameters
    ----------
    delta : float between 0 and 1
        Probability that the bound fails.
    fixed_dissimilarity : bool
        Whether you assert that a given matrix, a function of two rows or a previously trained
        metric took no scales, ranges or choices from the rows of the fit, which cannot be checked.

    Returns
    -------
    DataFrame
        One row for each binary classifier, with these columns:

        * `rows`, `size` (features or prototypes), `on_p` (balls centred on P-examples) and training
          `errors`;
        * `tail_bound`: the binomial tail inverted for the same compression set (Langford 2005), the
          tightest;
        * `bound` and `simple_bound`: the first and second inequality of the theorem;
        * `proved`, and `reasons` why the theorem does not cover this fit; the values are then
          without proof, as in Table 2 of Marchand and Shawe-Taylor (2001).

    Raises
    ------
    OptionError
        If this fit trained the metric, but `fixed_dissimilarity=True`.

    Notes
    -----
    For "scm" it is Theorem 5.2 of Marchand and Shawe-Taylor (2001); for "pvm" their Theorem 5.1.
    It holds simultaneously for all sets of prototypes, so parameters that only select rows (`eps`,
    `lambda_`, `penalty`, `max_size`) may be tuned in any way. Several binary classifiers, and the
    kinds of an SCM if one of two was selected, share delta. Numbers that you give, such as weights
    of a metric, are assumed to be chosen before the rows were seen.

    Examples
    --------
    >>> import protoclass as pc
    >>> metric = pc.Euclidean(scale=False)
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity=metric, eps=1.0)
    >>> fit.bound()[["rows", "size", "errors", "tail_bound", "bound", "proved"]].round(3)
             rows  size  errors  tail_bound  bound  proved
    machine
    pvm       150     8       6       0.338  0.391    True
    """
    check_level(delta, "delta")
    one_of("fixed_dissimilarity", fixed_dissimilarity, (False, True))
    if not fit.model.has("bound") or fit.rule.prototypes.at is None:
        raise lacking(fit.model, "compression bound", "bound")
    learned = replace(fit._learned, reasons=find_reasons(fit, fixed_dissimilarity))
    return fit.model.bound(learned, delta)


def find_reasons(fit: Fitted, fixed: bool) -> tuple[str, ...]:
    """Reasons why no compression set determines the rule, or the rows are not a sample; `fixed` is
    the user's word for the dissimilarity.
    """
    metric, problem, measures = fit.dissimilarity.metric, fit._problem, fit.model.measures(fit.rule)
    depends, doubted = metric.data_dependent, measures and not fixed
    if measures and fixed and depends and not isinstance(problem.metric, TrainedMetric):
        raise OptionError(
            "fixed_dissimilarity=True needs a dissimilarity that does not depend on the rows, but "
            f"{metric.name} was trained on them (scaled columns, ranges or ranks): "
            "use a metric that learns nothing, such as Euclidean(scale=False)"
        )
    source = "the given matrix" if metric.given else f"the function of {metric.name}"
    computed = (
        f"{source} may have been computed from the rows: if not, use fixed_dissimilarity=True"
    )
    reasons = {
        "the dissimilarity depends on the sample (scaled columns, ranges or ranks)": depends
        and doubted,
        computed: metric.opaque and doubted and not depends,
        "parameters of the dissimilarity were chosen by the sample": problem.to_tune is not None,
        "a transform in the formula depends on the sample": fit.frame.formula.learns(),
        "rows have different weights": np.ptp(fit.frame.weights) > 0,
        "rows of a group are not independent": problem.groups is not None,
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def task_of(fit: Fitted) -> Task:
    """The task of all rows; a small matrix of dissimilarities is stored."""
    return fit._problem.task(fit.dissimilarity, limit=HOLD_LIMIT)


def stepwise(fit: Fitted) -> Stepwise:
    """The rule of a fit, if it was built step by step."""
    if not isinstance(fit.rule, Stepwise):
        raise lacking(fit.model, "steps, because its rule was not built step by step", "steps")
    return fit.rule


def step_count(fit: Fitted) -> int:
    """Number of steps in which the rule of a fit was built."""
    return len(next(iter(stepwise(fit).steps.values()))) - 1


def ball(fit: Fitted, prototype: Any) -> pd.DataFrame:
    """The rows of the fit in the ball of a prototype, see `Fit.why`."""
    prototypes, dissimilarity, frame = fit.rule.prototypes, fit.dissimilarity, fit.frame
    if prototypes.radii is None or "cover" not in fit.rule.kinds:
        raise lacking(fit.model, "balls that cover", "balls")
    k = place_of(fit, prototype)
    # a slim fit refuses this, before its rows are counted
    same_class = frame.codes == prototypes.classes[k]
    D = measure_rows(take(prototypes, slice(k + 1)), dissimilarity, None, np.arange(len(frame)))
    inside = prototypes.radii[: k + 1] > D
    before = inside[:, :k][:, prototypes.classes[:k] == prototypes.classes[k]].any(axis=1)
    classes = pd.Categorical.from_codes(frame.codes, frame.levels)
    columns = {
        "class": classes,
        "distance": D[:, k],
        "same_class": same_class,
        "first": same_class & ~before,
    }
    return pd.DataFrame(columns, frame.index)[inside[:, k]].sort_values("distance", kind="stable")


def measure_rows(
    prototypes: Points, dissimilarity: Dissimilarity, source: Any, rows: Array
) -> Array:
    """Dissimilarities (r, q) of some rows of a fit to prototypes; `source` stores or computes those
    to the candidates, or is None.
    """
    if prototypes.at is not None and source is not None:
        return source.take(rows, prototypes.at)
    return dissimilarity.metric.between(
        part(dissimilarity.rows, rows), dissimilarity._prototype_rep(prototypes)
    )


def margins(distance: Array, codes: Array) -> Array:
    """The distance to the nearest prototype of any other class minus the distance to the class,
    (r,); NaN if either is unknown.

    Parameters
    ----------
    distance : array (r, classes)
        Distances to the nearest prototype of each class.
    codes : int array (r,)
        Class codes, -1 for none.
    """
    with np.errstate(invalid="ignore"):  # neither class has a prototype: inf - inf
        apart = lowest_of_others(distance) - distance
    return np.where(codes >= 0, apart[np.arange(len(codes)), codes], np.nan)


def take(prototypes: Points, which: Any) -> Points:
    """Some of the prototypes, without the columns of their table."""
    arrays = {name: getattr(prototypes, name) for name in ("classes", "at", "coords", "radii")}
    return Points(**{name: values[which] for name, values in arrays.items() if values is not None})


def place_of(fit: Fitted, prototype: Any) -> int:
    """The first place of a label among the prototypes."""
    unknown = "prototype must be a label of fit.prototypes.index, not {}"
    return find_labels([prototype], fit.prototypes.index, unknown)[0]


SAME_FOLDS = "same"  # the folds of the fit's own cross-validation


def path(fit: Fitted, new: Any = None, cv: Any = None) -> pd.DataFrame:
    """Coverage, error and lambdas of the first prototypes of a greedy fit.

    `fit.update(lambda_=0).path()` has the complete path. For "scm": the path of its features.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with the response. Adds their error, `new_error`.
    cv : int, "loo", Series or array of folds, or "same", optional
        Cross-validation folds, as in `fit`; "same": the folds of this fit, or "auto" if it had
        none. Adds `cv_error`, with its standard error `cv_se`.

    Returns
    -------
    DataFrame
        One row for each number of prototypes: `lambda_low` and `lambda_high` (selected if
        lambda_low <= lambda < lambda_high), `size`, `uncovered`, `miscovered`, `objective` (at the
        lambda of the fit), `training_error`. For "scm" one row for each step: `size` (features of
        all binary classifiers), `q` and `r` of the last feature if there is one binary classifier,
        `bound`, `training_error`.

    Raises
    ------
    NotAvailableError
        If the prototypes are not selected step by step.

    """
    rule, frame = stepwise(fit), fit.frame
    table = pd.DataFrame(dict(rule.steps))
    if fit.model.has("step_bounds"):
        table["bound"] = fit.model.step_bounds(fit._learned)
    lost, total = lost_by_steps(rule, fit._query()[0], frame.codes, frame.weights)
    table["training_error"] = lost / total
    if new is not None:
        table["new_error"] = _new_error(fit, rule, as_pandas(new))
    if cv is not None:
        table["cv_error"], table["cv_se"] = _held_out(fit, cv, len(table) - 1)
    return table


def _new_error(fit: Fitted, rule: Stepwise, new: pd.DataFrame) -> Array:
    """Proportion of new rows that the first 0, 1, 2, ... steps misclassify."""
    query, codes, known = answered_rows(fit, new)
    lost, total = lost_by_steps(rule, query, codes[known], np.ones(len(query)))
    if total == 0:
        raise DataError(
            "no row has both a known class and dissimilarities to all prototypes: "
            "give rows without missing values"
        )
    return lost / total


def answered_rows(fit: Fitted, new: pd.DataFrame) -> tuple[Query, Array, Array]:
    """The query of the complete new rows of known classes; of all new rows the class codes (n,),
    and whether each is in the query (n,).
    """
    codes = fit._true_codes(new)
    fit._warn_of(fit._unseen_in(new))
    query, _, complete = fit._query(new)
    known = complete & (codes >= 0)
    if not known.any():
        raise DataError(
            "no row has both a known class and all predictors: "
            f"give rows of the classes {brief(fit.classes)} without missing values"
        )
    return query.take(np.flatnonzero(known[complete])), codes, known


def _held_out(fit: Fitted, cv: Any, most: int) -> tuple[Array, Array]:
    """Cross-validated error of the first 0, ..., `most` steps, and its standard error.

    If the model of a fold has fewer steps than requested, all its steps are used.
    """
    same, problem = isinstance(cv, str) and cv == SAME_FOLDS, fit._chosen_problem
    if same and problem.cv is not None:
        fold = draw_folds(replace(problem, repeats=1))[0][0]
    else:
        problem, fold = redrawn(problem, "auto" if same else cv)
    y, w, dissimilarity = problem.frame.codes, problem.frame.weights, problem.measure()
    folds = fold.max() + 1
    lost, weight = np.empty((folds, most + 1)), np.empty(folds)
    paths = fold_paths(problem, dissimilarity, problem.task(dissimilarity), fold, {})
    for path_of in watch(paths, folds, "cross-validating", problem.progress):
        rule: Any = path_of.path.at(0)
        rows = np.flatnonzero(fold == path_of.fold)
        steps, weight[path_of.fold] = lost_by_steps(rule, path_of.query(rows), y[rows], w[rows])
        lost[path_of.fold] = steps[np.minimum(np.arange(most + 1), len(steps) - 1)]
    if not weight.any():
        raise DataError(
            "no held-out row has dissimilarities to all prototypes: use cv=None, or leave out "
            "columns without common levels"
        )
    return mean_and_se(
        lost / np.maximum(weight, 1e-300)[:, None], weight, least_se(w, group=problem.groups)
    )


OF_ROWS = ("weights", "groups", "cv")
OF_CLASSES = ("measure", "class_weights")  # arguments that are not about single rows


def slim(fit: AnyFit) -> AnyFit:
    """The fit without its training rows, for publishing.

    It keeps prototypes, parameters, metric and calibration, and the number of rows of each class.
    Its predictions are bit-identical. Methods that need the training rows or the cross-validation
    raise `NotAvailableError`. The prototypes of k-nearest neighbours are all training rows, so
    these remain; `slim().save(path)` lists what else does.

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
    problem = fit._problem
    metric = dissimilarity.metric if problem.metric.given else problem.metric
    arguments = {
        name: value if name in OF_CLASSES else _without_rows(value, name in OF_ROWS)
        for name, value in problem.call.arguments.items()
    }
    bare = replace(
        problem,
        call=replace(problem.call, data=Absent("data"), arguments=arguments),
        frame=dissimilarity.data,
        groups=None,
        cv=_without_rows(problem.cv, True),
        metric=metric,
        candidates=_without_rows(problem.candidates),
    )
    calibration = fit._calibration
    if calibration is not None:
        rules = [
            FoldRule(*without_rows(part.rule, part.dissimilarity)) for part in calibration.rules
        ]
        calibration = replace(calibration, rules=tuple(rules))
    return replace(
        fit,
        _problem=bare,
        dissimilarity=dissimilarity,
        rule=rule,
        _curve=None,
        _calibration=calibration,
    )


def without_rows(rule: Rule, d: Dissimilarity) -> tuple[Rule, Dissimilarity]:
    """A rule and its dissimilarity with only the prototypes as candidates and rows."""
    selected = rule.prototypes.at
    columns = np.empty(0, np.int64) if selected is None else np.unique(selected)
    place = np.full(len(d.candidate_row), -1)
    place[columns] = np.arange(len(columns))
    row = d.candidate_row[columns]
    rows = np.unique(row[row >= 0])
    metric, of_rows, candidates = d.metric.slim(part(d.rows, rows), part(d.candidates, columns))
    names = d.candidate_names[columns]
    added = None if d.added is None else d.added[d.added.index.isin(names)]
    new_row = np.where(row < 0, -1, np.searchsorted(rows, row))
    return _without_prices(rule.moved(place)), Dissimilarity(
        metric, rowless(d.data, rows), of_rows, candidates, names, new_row, added
    )


def _without_prices(rule: Rule) -> Rule:
    """A rule whose certificate has no dual prices of the rows."""
    known = rule.report.get("certificate")
    if not isinstance(known, Certificate) or not is_dataclass(rule):
        return rule
    return replace(rule, report={**rule.report, "certificate": known.without_prices()})


def _without_rows(value: Any, of_rows: bool = False) -> Any:
    """An argument, replaced by a placeholder if it is about single rows; `of_rows`: so is anything
    but a name or a number."""
    kinds = (pd.Series, pd.Index, pd.DataFrame, np.ndarray, Dissimilarity, unlabelled)
    if isinstance(value, kinds):
        return Absent(short(value))
    if of_rows and not isinstance(value, (str, int, NoneType)):
        return Absent(f"<{type(value).__name__}>")
    if isinstance(value, dict):
        return {name: _without_rows(v) for name, v in value.items()}
    return value
