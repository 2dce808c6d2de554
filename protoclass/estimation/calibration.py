"""Calibrated fits: what held-out rows say about the chances behind a rule's values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
    scale_of,
    under_prior,
)
from ..core.query import answer
from ..core.task import Rule, Stepwise
from ..declared import savable
from ..errors import DataError, NotAvailable, OptionError, brief, shown
from ..frames.checks import check_unique
from ..frames.response import class_codes
from ..frames.tables import as_pandas
from ..metrics.dissimilarity import Dissimilarity
from ..progress import bar
from .problem import lost_levels, with_folds
from .resampling import draw_folds, fold_paths

if TYPE_CHECKING:
    from .fitted import Fitted

READ = ("prob", "decision", "distance")  # what a calibration reads of a rule: the first that it has
HOW = tuple(LEARN)
DEFAULTS: Mapping[str, Any] = {"data": None, "how": "multinomial", "cv": "auto", "seed": None}  # of Fit.calibrate


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
        Share of each class among the calibration rows.
    scores : array (n, classes)
        Scores of the calibration rows.
    reasons : tuple of str
        Why the theory of prediction sets does not cover this calibration.
    """

    scale: Scale
    chances: Chances
    conformal: Conformal
    rules: tuple[FoldRule, ...]
    own_rows: bool
    share: np.ndarray
    scores: np.ndarray
    reasons: tuple[str, ...] = field(default=())

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
        count = np.bincount(self.conformal.y, self.conformal.w, self.conformal.classes)
        return np.asarray(1 - 1 / (count + 1))


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


def calibration(fit: Fitted, data: Any, how: str, cv: Any, seed: int | None) -> Calibration:
    """See `Fit.calibrate`."""
    one_of("how", how, HOW)
    kind = value_read(fit.rule)
    if data is None:
        values, y, w, fold, rules = _held_out(fit, kind, cv, seed)
    else:
        values, y, w, fold, rules = _given_rows(fit, kind, data)
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
    return Calibration(scale, chances, conformal, rules, data is None, share, scores, _reasons(fit, data is None))


def _reasons(fit: Fitted, own_rows: bool) -> tuple[str, ...]:
    """Why the theory of prediction sets does not cover a calibration by these rows."""
    out = []
    if own_rows and (fit.selection.values or fit.selection.by_hand):
        out.append("the parameters were chosen by the same rows, which the guarantee does not cover")
    if own_rows and fit.problem.groups is not None:
        out.append("rows of a group are not independent, which the guarantee does not cover")
    if np.ptp(fit.frame.weights) > 0 and own_rows:
        out.append("rows have different weights, which the guarantee does not cover")
    if own_rows and not fit.problem.train_in_folds and fit.dissimilarity.metric.data_dependent:
        out.append("the dissimilarity was scaled by all rows, which the guarantee does not cover")
    return tuple(out)


Held = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[FoldRule, ...]]


def rules_of_folds(fit: Fitted, cv: Any, seed: int | None) -> Iterator[tuple[np.ndarray, FoldRule]]:
    """For each fold its rows, and the fit's method with its parameters, learned without these rows."""
    problem = with_folds(fit.chosen_problem, cv, seed)
    fold = draw_folds(problem, 1)[0][0]
    dissimilarity = problem.measure()
    with bar(int(fold.max()) + 1, "learning without each fold", problem.progress) as learning:
        for one in fold_paths(problem, dissimilarity, problem.task(dissimilarity), fold, {}, False):
            rule = one.path.at(0)
            if fit.selection.steps is not None and isinstance(rule, Stepwise):
                most = len(next(iter(rule.steps.values()))) - 1
                rule = rule.first(min(fit.selection.steps, most))
            yield np.flatnonzero(fold == one.fold), FoldRule(rule, one.dissimilarity)
            learning.update()


def _held_out(fit: Fitted, kind: str, cv: Any, seed: int | None) -> Held:
    """What the rules of the folds say of the fit's own rows, each without its fold."""
    if cv is None:
        raise OptionError(
            "cv=None leaves no row to calibrate with: give a number of folds, 'loo', folds of your own, or data="
        )
    frame = fit.frame
    values, fold = np.empty((len(frame), len(frame.levels))), np.empty(len(frame), int)
    rules: list[FoldRule] = []
    for rows, one in rules_of_folds(fit, cv, seed):
        values[rows], fold[rows] = answer(one.rule, kind, one.dissimilarity.query(rows)), len(rules)
        rules.append(one)
    lost = lost_levels(fit.problem, fold)
    values[lost.missing if fit.model.measures(fit.rule) else lost.every] = np.nan
    live = ~np.isnan(values).any(axis=1) & (frame.weights > 0)
    return values[live], frame.codes[live], frame.weights[live], fold[live], tuple(rules)


def _given_rows(fit: Fitted, kind: str, data: Any) -> Held:
    """What the fit's rule says of rows that took no part in it."""
    data = as_pandas(data)
    response = fit.frame.formula.response
    if response not in data:
        raise OptionError(f"the calibration data lack the response {response!r}: a calibration needs the true classes")
    check_unique(data.columns, "column")
    fit.warn_of(fit.unseen_in(data))
    query, index, complete = fit.dissimilarity.new_query(data)
    codes = class_codes(data[response], fit.frame.levels)[complete]
    values = answer(fit.rule, kind, query)
    _refuse_own_rows(fit, kind, data[complete], index[complete], codes, values)
    known = (codes >= 0) & ~np.isnan(values).any(axis=1)
    if not known.any():
        raise DataError("no calibration row has both a known class and all predictors")
    n = int(known.sum())
    return values[known], codes[known], np.ones(n), np.zeros(n, int), (FoldRule(fit.rule, fit.dissimilarity),)


def _refuse_own_rows(
    fit: Fitted, kind: str, data: pd.DataFrame, index: pd.Index, codes: np.ndarray, values: np.ndarray
) -> None:
    """Rows that the fit learned from lie nearer to its prototypes than new ones do, so that nothing is guaranteed by them."""
    row = fit.frame.index.get_indexer(index)
    at = np.flatnonzero(row >= 0)
    own, predictors = row[at], fit.frame.columns
    same = fit.frame.codes[own] == codes[at]
    same &= (answer(fit.rule, kind, fit.dissimilarity.query(own)) == values[at]).all(axis=1)
    for name in predictors:
        same &= np.asarray(predictors[name].to_numpy(object)[own] == data[name].to_numpy(object)[at], bool)
    if same.any():
        raise DataError(
            f"the fit learned from {same.sum()} of the {len(index)} rows to calibrate with, such as {shown(index[at[same][0]])}, and "
            "promises nothing by its own rows: give rows that took no part, or leave data= out, so that its own are held out fold by fold"
        )
