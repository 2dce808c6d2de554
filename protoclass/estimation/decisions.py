"""Calibrated probabilities and prediction sets of a rule, and decisions from probabilities: by
losses, priors and thresholds.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import Array
from ..core.query import Rule, answer
from ..core.statistics.intervals import Estimate, columns_of
from ..core.statistics.scores import (
    Chances,
    Conformal,
    Scale,
    nonconformity,
    rows_of_classes,
    under_prior,
)
from ..ground.checks import is_number
from ..ground.errors import OptionError, brief, printed, short, shown, visible
from ..ground.savable import savable
from ..metrics.dissimilarity import Dissimilarity
from ..values import Result, public
from .problem import Problem

LEVEL = 0.9  # the usual level of prediction sets


@savable
@dataclass(frozen=True, eq=False)
class FoldRule:
    """A rule that scored calibration rows.

    Attributes
    ----------
    rule : Rule
    dissimilarity : Dissimilarity
        Dissimilarity of new rows for the rule.
    """

    rule: Rule
    dissimilarity: Dissimilarity

    __repr__ = short


@savable(scores="n L", share="L")
@public
@dataclass(frozen=True, eq=False)
class Calibration:
    """Calibrated probabilities and conformal prediction sets of a fit.

    Attributes
    ----------
    scale : Scale
        Conversion of the model's values to scores.
    chances : Chances
        Conversion of scores to probabilities.
    conformal : Conformal
        Calibration rows against which new rows are ranked.
    rules : tuple of FoldRule
        Models that scored these rows, by fold; the model of the fit if the rows were given.
    own_rows : bool
        Whether the calibration rows are held-out training rows, and not rows that were given.
    share : array (classes,)
        Proportion of each class among the calibration rows: the prevalence of the probabilities.
    scores : array (n, classes)
        Scores of the calibration rows.
    reasons : tuple of str
        Reasons why the theory of prediction sets does not cover this calibration.
    tuned : bool
        Whether the parameters were tuned again in each fold, without its rows.
    class_weights : bool
        Whether the fit has weights of classes, which probabilities and sets ignore.
    """

    scale: Scale
    chances: Chances
    conformal: Conformal
    rules: tuple[FoldRule, ...]
    own_rows: bool
    share: Array
    scores: Array
    reasons: tuple[str, ...] = ()
    tuned: bool = False
    class_weights: bool = False

    def probabilities(self, values: Array, prior: Array | None = None) -> Array:
        """Probabilities (r, classes) from the model's values, for the prevalence `prior`."""
        p = self.chances.of(self.scale.scores(values))
        return p if prior is None else under_prior(p, self.share, prior)

    def p_values(self, new: Any, zero: bool = False) -> tuple[Array, pd.Index, Array]:
        """Conformal p-values (r, classes) of the complete rows of new data, the labels of all rows,
        and which are complete.
        """
        strange = []
        for fold_rule in self.rules:
            known = fold_rule.dissimilarity
            if new is None:
                query, index = known._query(), known.index
                complete = np.ones(len(index), bool)
            else:
                query, index, complete = known._new_query(new, zero)
            values = answer(fold_rule.rule, self.scale.kind, query)
            strange.append(nonconformity(self.scale.scores(values)))
        lost = np.isnan(np.stack(strange)).any(axis=(0, 2))
        p = self.conformal.p_values(np.nan_to_num(np.stack(strange)))
        p[lost] = np.nan
        return p, index, complete

    def sets(self, new: Any, classes: list[Any], level: float, zero: bool = False) -> pd.Series:
        """For each row the tuple of classes that conform; None for a row with missing values."""
        p, index, complete = self.p_values(new, zero)
        out, labels = np.full(len(index), None, object), np.array(classes, object)
        for i, row in zip(np.flatnonzero(complete), p, strict=True):
            out[i] = None if np.isnan(row).any() else tuple(labels[row > 1 - level])
        return pd.Series(out, index, dtype=object)

    @printed
    def __repr__(self) -> str:
        return f"Calibration: {self.words()}\n{self.guarantee()}"

    def words(self) -> str:
        """How the probabilities were learned."""
        name, rows = self.chances.name, len(self.conformal.y)
        name = "logistic (Platt)" if name == "multinomial" else name
        source = f"{rows} separate rows"
        if self.own_rows:
            source = f"{rows} held-out rows, {len(self.rules)} folds"
        source += ", tuned again in each fold" if self.tuned else ""
        source += ", for the prevalence without class weights" if self.class_weights else ""
        return f"{name} calibration, {source}"

    def guarantee(self) -> str:
        """The nominal coverage of prediction sets, and the reasons why it is not guaranteed."""
        head = f"Prediction sets of level {LEVEL:g} contain the true class with probability "
        if self.own_rows:
            head += f"about {LEVEL:g} in each class; the guarantee is about "
            head += f"{2 * LEVEL - 1:g} (cross-conformal)."
        else:
            head += (
                f"at least {LEVEL:g} in each class, on average over calibration rows and new rows."
            )
        reasons = ", or for ".join(self.reasons)
        return f"{head} The guarantee does not account for {reasons}." if reasons else head

    def smallest_level(self) -> Array:
        """For each class, the level from which every set contains it, by its calibration rows."""
        known = self.conformal
        return 1 - 1 / (rows_of_classes(known.y, known.w, known.classes) + 1)


@public
@dataclass(frozen=True, eq=False, repr=False)
class Threshold(Result):
    """A threshold on the probability of one class, below which another class is predicted.

    Attributes
    ----------
    of : class
        The class with the threshold.
    value : float
        The threshold; inf if the class is never predicted, 0 if it always is.
    rule : str
        Description of the selection.
    measure : str
        Measure that was minimised: "error", "balanced error", "ordinal error" or "loss".
    error, se : float
        The measure on held-out rows, with probabilities and threshold refitted without the fold of
        each row, and its standard error over the folds. The models that scored the other rows were
        trained with the row, so this is less strict than a test on new rows.
    apparent_error : float
        The measure on the rows that selected the threshold, which is optimistic.
    error_without : float
        The same error if the most probable class is predicted instead.
    sensitivity, specificity : Estimate
        Sensitivity and specificity for the class on the same rows, each with a 95 % interval for
        new rows.
    table : DataFrame
        One row for each threshold that was tried: `value`, `error` (apparent), `sensitivity`,
        `specificity`.
    rows, folds : int
        Held-out rows, and parts of them in which the threshold was re-selected.
    prevalence : float
        Proportion of the class among these rows, without `class_weights=`, for all measures.
    """

    of: Any
    value: float
    rule: str
    measure: str
    error: float
    se: float
    apparent_error: float
    error_without: float
    sensitivity: Estimate
    specificity: Estimate
    table: pd.DataFrame
    rows: int
    folds: int
    prevalence: float

    _label: ClassVar[str] = "number"

    def words(self) -> str:
        """The decision in words."""
        return decision_in_words(self.of, self.value)

    def glance(self) -> pd.DataFrame:
        """Table with one row: the attributes, and the ends of the intervals."""
        values, ends = columns_of(
            {"sensitivity": self.sensitivity, "specificity": self.specificity}
        )
        row = pd.DataFrame([{**vars(self), "class": self.of, **values, **ends}])
        errors = ["measure", "error", "se", "apparent_error", "error_without"]
        return row[["class", "value", *errors, *values, *ends, "rows", "folds", "prevalence"]]

    def _said(self) -> tuple[str, list[Any]]:
        name = self.measure
        lines = [
            f"{self.words()}",
            f"Selected by: {self.rule}, among {len(self.table)} thresholds on {self.rows} held-out "
            f"rows; prevalence {self.prevalence:.3g}",
            f"CV {name} {self.error:.4f} (SE {self.se:.4f}), threshold re-selected in each of {self.folds} folds",
            f"Apparent {name} {self.apparent_error:.4f} (optimistic); {self.error_without:.4f} if "
            "the most probable class is predicted",
        ]
        for word, e in (("Sensitivity", self.sensitivity), ("specificity", self.specificity)):
            lines.append(f"{word} {e.value:.3f} (95 % CI {e.low:.3f} to {e.high:.3f})")
        return "\n".join([*lines[:4], "; ".join(lines[4:])]), []


def decision_in_words(of: Any, value: float) -> str:
    """The decision by a threshold."""
    if value == np.inf:
        return f"{visible(str(of))} is never predicted"
    always = " (always)" if value == 0 else ""
    return f"Predict {visible(str(of))} if its probability is at least {value:.4g}{always}"


def threshold_in_words(threshold: Any, levels: pd.Index) -> str:
    """The decision by a threshold, in words, from the argument of `predict`."""
    code, value = threshold_of(threshold, levels)
    return decision_in_words(levels[code], value)


def threshold_of(threshold: Any, levels: pd.Index) -> tuple[int, float]:
    """Class code and value of a Threshold, or of a mapping of one class to a threshold."""
    if isinstance(threshold, Threshold):
        given = {threshold.of: threshold.value}
    elif isinstance(threshold, Mapping) and len(threshold) == 1:
        given = dict(threshold)
    else:
        example = f"{{{levels[-1]!r}: 0.3}}"
        raise OptionError(
            "threshold must be the result of fit.calibrate().threshold(...), or a dict of one "
            f"class and a threshold, such as {example}, "
            f"not {brief(threshold)}"
        )
    (label, cut), *_ = given.items()
    if not isinstance(threshold, Threshold) and not is_number(cut, 0.0, high=1.0):
        raise OptionError(f"a threshold must be a number from 0 to 1, not {brief(threshold)}")
    return class_code(label, levels), float(cut)


def class_code(of: Any, levels: pd.Index) -> int:
    """The code of a class; raises unless it is one."""
    code = levels.get_indexer([of])[0] if isinstance(of, Hashable) else -1
    if code >= 0:
        return int(code)
    quotes = ", without quotes" if isinstance(of, str) and of in map(str, levels) else ""
    raise OptionError(f"{shown(of)} is not a class: use {', '.join(map(shown, levels))}{quotes}")


def decide(p: Array, loss: Array) -> Array:
    """The first class with the lowest expected loss (r,); -1 for a row without probabilities."""
    expected = p @ loss
    lost = np.isnan(expected).any(axis=1)
    return np.where(lost, -1, np.where(lost[:, None], 0.0, expected).argmin(axis=1))


def prior_of(prior: Any, problem: Problem) -> Array | None:
    """Proportions of the classes in level order: given by class, or by `class_weights=`."""
    levels = problem.frame.levels
    if prior is None:
        return None
    if isinstance(prior, str) and prior == "class_weights":
        if problem.class_factors is None:
            raise OptionError(
                "prior='class_weights' needs a fit with class_weights=, but this fit has none"
            )
        weight = problem.frame.class_weights
        return weight / weight.sum()
    try:
        values = dict(prior)
    except (TypeError, ValueError):
        raise OptionError(
            "prior must be a proportion for each class, such as a dict or a Series by class, or "
            f"'class_weights', not {brief(prior)}"
        ) from None
    if len(values) != len(levels) or any(level not in values for level in levels):
        raise OptionError(
            f"prior must have a proportion for each of the classes {brief(list(levels))}, not {brief(prior)}"
        )
    if not all(is_number(v, 0.0) for v in values.values()):
        raise OptionError(f"prior must have proportions >= 0, not {brief(prior)}")
    shares = np.array([float(values[level]) for level in levels])
    if abs(shares.sum() - 1) > 1e-6:
        raise OptionError(f"prior must sum to 1, but {brief(prior)} sums to {shares.sum():.6g}")
    return shares / shares.sum()
