"""Calibrated fits: what held-out rows say about the chances behind a rule's values."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import check_level, one_of, public
from ..core.calibration import (
    LEARN,
    Chances,
    Conformal,
    Scale,
    nonconformity,
    rows_of_classes,
    scale_of,
    under_prior,
)
from ..core.query import answer
from ..core.task import Rule, Stepwise, Task
from ..declared import savable
from ..errors import DataError, DataWarning, NotAvailable, OptionError, brief, shown, warn
from ..frames.schema import check_unique, class_codes, given_weights
from ..frames.tables import as_pandas
from ..metrics.dissimilarity import Dissimilarity
from ..progress import bar
from .coincidence import coincidences
from .problem import Problem, lost_levels, with_folds
from .resampling import FoldPath, draw_folds, fold_paths
from .selection import values_at

if TYPE_CHECKING:
    from .fitted import Fitted

READ = ("prob", "decision", "distance")  # what a calibration reads of a rule: the first that it has
HOW = tuple(LEARN)
MOST_FOLDS_TUNED = 20  # folds up to which tuning in each is cheap
MOST_TUNED = 2e8  # and folds x rows x candidates x grid points x repeats
DEFAULTS: Mapping[str, Any] = {"data": None, "how": "multinomial", "cv": "auto", "seed": None, "weights": None,
                               "tune": "auto"}  # of Fit.calibrate, fmt: skip


@savable
@dataclass(frozen=True, eq=False)
class FoldRule:
    """A rule that scored calibration rows.

    Attributes
    ----------
    rule : Rule
    dissimilarity : Dissimilarity
        By which new rows are measured for it.
    """

    rule: Rule
    dissimilarity: Dissimilarity


@savable(scores="n L", share="L")
@public
@dataclass(frozen=True, eq=False)
class Calibration:
    """What held-out rows say of a fit: chances of the classes, and prediction sets.

    Attributes
    ----------
    scale : Scale
        How the rule's values become scores.
    chances : Chances
        How scores become chances.
    conformal : Conformal
        The calibration rows against which new ones are ranked.
    rules : tuple of FoldRule
        The rules that scored them, by the number of the fold; the fit's own where the rows were given.
    own_rows : bool
        Whether the calibration rows are the fit's own, held out fold by fold, and not rows that were given.
    share : array (classes,)
        Proportion of each class among the calibration rows, by their own weights: the prevalence of the probabilities.
    scores : array (n, classes)
        Scores of the calibration rows.
    reasons : tuple of str
        Why the theory of prediction sets does not cover this calibration.
    tuned : bool
        Whether the parameters were tuned again in each fold, without its rows.
    class_weights : bool
        Whether the fit has weights of classes, which probabilities and sets leave out.
    """

    scale: Scale
    chances: Chances
    conformal: Conformal
    rules: tuple[FoldRule, ...]
    own_rows: bool
    share: np.ndarray
    scores: np.ndarray
    reasons: tuple[str, ...] = field(default=())
    tuned: bool = False
    class_weights: bool = False

    def probabilities(self, values: np.ndarray, prior: np.ndarray | None = None) -> np.ndarray:
        """Chances (r, classes) for what the fit's rule says of rows; for another prevalence of the classes with `prior`."""
        p = self.chances.of(self.scale.scores(values))
        return p if prior is None else under_prior(p, self.share, prior)

    def p_values(self, new: Any, zero: bool = False) -> tuple[np.ndarray, pd.Index, np.ndarray]:
        """Conformal p-values (r, classes) of the complete rows of new data, the names of all, and which are complete.

        See `Dissimilarity.new_query` for `zero`.
        """
        strange = []
        for one in self.rules:
            if new is None:
                query, index, complete = one.dissimilarity.query(), one.dissimilarity.index, None
            else:
                query, index, complete = one.dissimilarity.new_query(new, zero)
            values = answer(one.rule, self.scale.kind, query)
            strange.append(nonconformity(self.scale.scores(values)))
        every = np.ones(len(index), bool) if complete is None else complete
        lost = np.isnan(np.stack(strange)).any(axis=(0, 2))
        p = self.conformal.p_values(np.nan_to_num(np.stack(strange)))
        p[lost] = np.nan
        return p, index, every

    def words(self) -> str:
        """How the chances were learned."""
        rows = len(self.conformal.y)
        source = f"{rows} rows held out in {len(self.rules)} folds" if self.own_rows else f"{rows} rows that were given"
        source += ", tuned again in each" if self.tuned else ""
        source += ", at their own prevalence" if self.class_weights else ""
        return f"{self.chances.name}, learned from {source}"

    def guarantee(self, level: float = 0.9) -> str:
        """What is guaranteed of a prediction set of this level, in words."""
        check_level(level)
        alpha = 1 - level
        if not self.own_rows:
            head = (
                f"A set of level {level:g} holds the true class of a new row with a chance of at least {level:g}, within each class, "
                "over draws of the calibration rows and the new row"
            )
        else:
            head = (
                f"A set of level {level:g} holds the true class of a new row with a chance of about {level:g} within each class; "
                f"guaranteed is about {max(0.0, 1 - 2 * alpha):g} (cross-conformal prediction)"
            )
        return head + ("; " + "; ".join(self.reasons) if self.reasons else "") + "."

    def smallest_level(self) -> np.ndarray:
        """For each class, the level from which on every set holds it, as it has too few calibration rows."""
        return np.asarray(1 - 1 / (rows_of_classes(self.conformal.y, self.conformal.w, self.conformal.classes) + 1))


def requested(**arguments: Any) -> dict[str, Any]:
    """The arguments of a calibration that are not the defaults."""
    return {
        name: v
        for name, v in arguments.items()
        if not (v is DEFAULTS[name] or (isinstance(v, (int, str)) and v == DEFAULTS[name]))
    }


def arguments_of(calibrate: Any) -> dict[str, Any]:
    """The arguments of `Fit.calibrate` that `calibrate=` of a call means: True, a name, or a mapping of them."""
    if calibrate is True:
        return dict(DEFAULTS)
    if isinstance(calibrate, str):
        return {**DEFAULTS, "how": calibrate}
    if not isinstance(calibrate, Mapping) or set(calibrate) - set(DEFAULTS):
        raise OptionError(
            f"calibrate={brief(calibrate)}: allowed are True, False, 'multinomial', 'isotonic' or a dict of {list(DEFAULTS)}"
        )
    return {**DEFAULTS, **calibrate}


def value_read(rule: Rule) -> str:
    """What a calibration reads of a rule: votes or decisions where it has them, otherwise distances by class."""
    for kind in READ:
        if kind in rule.kinds:
            return kind
    raise NotAvailable(
        f"a rule that predicts only {', '.join(rule.kinds)} can't be calibrated: it has no values by class"
    )


def calibration(fit: Fitted, data: Any, how: str, cv: Any, seed: int | None, weights: Any, tune: Any) -> Calibration:
    """See `Fit.calibrate`."""
    one_of("how", how, HOW)
    one_of("tune", tune, ("auto", True, False))
    kind = value_read(fit.rule)
    chosen: Tuned | None = None
    if data is None:
        if weights is not None:
            raise OptionError("weights= are the weights of the rows of data=: the training rows have those of the fit")
        if cv is None:
            raise OptionError("cv=None leaves no row to calibrate with: give a number of folds, 'loo', folds of your own, or data=")
        drawn = with_folds(fit.chosen_problem, cv, seed)
        chosen = tuned_in_folds(fit, drawn, _folds_of(drawn), tune)
        values, y, w, fold, rules = _held_out(fit, kind, drawn, chosen.values)
    else:
        values, y, w, fold, rules = _given_rows(fit, kind, data, weights)
    empty = [shown(fit.classes[c]) for c in range(len(fit.classes)) if not (w[y == c] > 0).any()]
    if empty:
        raise DataError(f"no calibration row is of class {', '.join(empty)}: each class needs some")
    scale = scale_of(kind, values)
    scores = scale.scores(values)
    chances = LEARN[how](scores, y, w)
    strange = nonconformity(scores)[np.arange(len(y)), y]
    classes = len(fit.classes)
    share = np.bincount(y, w, classes) / w.sum()
    conformal = Conformal(strange, y, w, fold, classes)
    return Calibration(
        scale, chances, conformal, rules, data is None, share, scores, _reasons(fit, conformal, chosen),
        chosen is not None and chosen.values is not None, fit.problem.class_factors is not None,
    )  # fmt: skip


def _reasons(fit: Fitted, conformal: Conformal, chosen: Tuned | None) -> tuple[str, ...]:
    """Why the theory of prediction sets does not cover a calibration by these rows; `chosen` is None if the rows were given."""
    out, own_rows = [], chosen is not None
    if chosen is not None and chosen.values is None and (fit.selection.values or fit.selection.by_hand):
        why = f" ({chosen.why_not})" if chosen.why_not else ""
        out.append(f"the parameters were chosen by the same rows{why}, which the guarantee does not cover")
    if own_rows and fit.problem.groups is not None:
        out.append("rows of a group are not independent, which the guarantee does not cover")
    if any(np.ptp(conformal.w[conformal.y == c]) > 0 for c in range(conformal.classes)):
        out.append("rows of a class have different weights, which the guarantee does not cover")
    if own_rows and not fit.problem.train_in_folds and fit.dissimilarity.metric.data_dependent:
        out.append("the dissimilarity was scaled by all rows, which the guarantee does not cover")
    return tuple(out)


Held = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[FoldRule, ...]]


def rules_of_folds(fit: Fitted, cv: Any, seed: int | None) -> Iterator[tuple[np.ndarray, FoldRule]]:
    """For each fold its rows, and the fit's method with its parameters, learned without these rows."""
    return _rules_of_folds(fit, with_folds(fit.chosen_problem, cv, seed), None)


def _folds_of(problem: Problem) -> np.ndarray:
    """The fold of each row (n,)."""
    fold: np.ndarray = draw_folds(problem, 1)[0][0]
    return fold


def _rules_of_folds(
    fit: Fitted, problem: Problem, values: tuple[Mapping[str, Any], ...] | None
) -> Iterator[tuple[np.ndarray, FoldRule]]:
    """As `rules_of_folds`, with the parameters of each fold where they are given."""
    fold = _folds_of(problem)
    dissimilarity = problem.measure()
    task = problem.task(dissimilarity)
    with bar(int(fold.max()) + 1, "learning without each fold", problem.progress) as learning:
        for f, one in _paths(fit, problem, dissimilarity, task, fold, values):
            rule = one.path.at(0)
            if fit.selection.steps is not None and isinstance(rule, Stepwise):
                most = len(next(iter(rule.steps.values()))) - 1
                rule = rule.first(min(fit.selection.steps, most))
            yield np.flatnonzero(fold == f), FoldRule(rule, one.dissimilarity)
            learning.update()


def _paths(
    fit: Fitted, problem: Problem, dissimilarity: Dissimilarity, task: Task, fold: np.ndarray, values: tuple[Mapping[str, Any], ...] | None
) -> Iterator[tuple[int, FoldPath]]:
    """The number of each fold and its path: of all folds at once, or of each by itself where it has its own parameters."""
    if values is None:
        for one in fold_paths(problem, dissimilarity, task, fold, {}, False):
            yield one.fold, one
        return
    for f, own in enumerate(values):
        tuned = replace(problem, model=replace(fit.problem.model, **own))
        for one in fold_paths(tuned, dissimilarity, replace(task, seed=(*task.seed, f)), np.where(fold == f, 0, -1), {}, False):
            yield f, one


@dataclass(frozen=True)
class Tuned:
    """The parameters that were chosen again without each fold; None with the reason where they were not."""

    values: tuple[Mapping[str, Any], ...] | None
    why_not: str = ""


def tuned_in_folds(fit: Fitted, problem: Problem, fold: np.ndarray, tune: Any) -> Tuned:
    """The parameters that the fit's own cross-validation chooses from the rows outside each fold.

    Parameters
    ----------
    fit : Fitted
    problem : Problem
        Of the fit, with the folds of the calibration.
    fold : int array (n,)
    tune : "auto", True or False
        "auto": if it costs little, see `_costs_little`.
    """
    validation, selection = fit.validation, fit.selection
    if tune is False or validation is None or validation.procedure is None or selection.by_hand or not selection.values:
        return Tuned(None)
    if tune == "auto" and not _costs_little(fit, fold):
        return Tuned(None, "tune=True tunes them again in each fold, which takes long")
    procedure, out = validation.procedure, []
    with bar(int(fold.max()) + 1, "tuning without each fold", problem.progress) as tuning, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the same rows are measured again: the user has been warned of them
        for f in range(int(fold.max()) + 1):
            part = _without(fit, np.flatnonzero(fold != f))
            if part is None:
                return Tuned(None, "without a fold they are too few to tune them again")
            try:
                found = procedure.of_problem(part)
            except DataError as error:
                if tune is True:
                    raise
                return Tuned(None, f"without a fold they can't be tuned again: {error}")
            out.append(values_at(found.grid, found.chosen(selection.rule)))
            tuning.update()
    return Tuned(tuple(out))


def _costs_little(fit: Fitted, fold: np.ndarray) -> bool:
    """Whether tuning in each fold is cheap, whatever the machine."""
    assert fit.validation is not None
    folds = int(fold.max()) + 1
    cost = float(np.prod([folds, *fit.dissimilarity.shape, len(fit.validation.grid), len(fit.validation.of_fold)], dtype=float))
    return folds <= MOST_FOLDS_TUNED and not fit.problem.train_in_folds and cost <= MOST_TUNED


def _without(fit: Fitted, rows: np.ndarray) -> Problem | None:
    """The problem of the fit with these rows only, and with as many folds as they allow; None if they allow none."""
    problem = fit.problem
    if problem.frame.parts is not None:
        return None
    frame, cv = problem.frame.take(rows), problem.cv
    groups = None if problem.groups is None else pd.factorize(problem.groups[rows])[0]
    most = int(frame.class_counts.min()) if groups is None else int(groups.max()) + 1
    if isinstance(cv, np.ndarray):
        cv = cv[rows]
        most = len(np.unique(cv))
    elif not isinstance(cv, str):
        cv = min(int(cv), most)
    metric = problem.metric if problem.train_in_folds else fit.dissimilarity.metric
    part = replace(problem, frame=frame, groups=groups, cv=cv, metric=metric, progress=False)
    return part if most >= 2 else None


def _held_out(fit: Fitted, kind: str, problem: Problem, values: tuple[Mapping[str, Any], ...] | None) -> Held:
    """What the rules of the folds give for the training rows, each without its fold; rows have their own weights."""
    frame, w = fit.frame, fit.problem.own_weights
    found, fold = np.empty((len(frame), len(frame.levels))), np.empty(len(frame), int)
    rules: list[FoldRule] = []
    for rows, one in _rules_of_folds(fit, problem, values):
        found[rows], fold[rows] = answer(one.rule, kind, one.dissimilarity.query(rows)), len(rules)
        rules.append(one)
    lost = lost_levels(fit.problem, fold)
    found[lost.missing if fit.model.measures(fit.rule) else lost.every] = np.nan
    live = ~np.isnan(found).any(axis=1) & (w > 0)
    return found[live], frame.codes[live], w[live], fold[live], tuple(rules)


def _given_rows(fit: Fitted, kind: str, data: Any, weights: Any) -> Held:
    """What the fit's rule gives for rows that took no part in it."""
    data = as_pandas(data)
    w = given_weights(weights, data)
    response = fit.frame.formula.response
    if response not in data:
        raise OptionError(f"the calibration data lack the response {response!r}: a calibration needs the true classes")
    check_unique(data.columns, "column")
    fit.warn_of(fit.unseen_in(data))
    query, _, complete = fit.dissimilarity.new_query(data)
    codes = class_codes(data[response], fit.frame.levels)[complete]
    values = answer(fit.rule, kind, query)
    _check_new(fit, data[complete])
    known = (codes >= 0) & ~np.isnan(values).any(axis=1) & (w[complete] > 0)
    if not known.any():
        weight = "" if weights is None else ", and weight"
        raise DataError(f"no calibration row has both a known class and all predictors{weight}")
    one_fold = np.zeros(int(known.sum()), int)
    return values[known], codes[known], w[complete][known], one_fold, (FoldRule(fit.rule, fit.dissimilarity),)


def _check_new(fit: Fitted, data: pd.DataFrame) -> None:
    """Rows that the fit learned from lie nearer to its prototypes than new ones do, so that nothing is guaranteed by them."""
    found = coincidences(fit, data)
    if found is None or not found.unlikely:
        return
    cure = "give rows that took no part, or leave data= out, so that the training rows are held out fold by fold"
    if found.sure:
        raise DataError(
            f"the fit learned from {int(found.same.sum())} of the {found.rows} rows to calibrate with, such as "
            f"{shown(data.index[found.same][0])}, and guarantees nothing with its own rows: {cure}"
        )
    warn(f"data=: {found.words()}. If they are training rows, probabilities and sets are too sure: {cure}", DataWarning)
