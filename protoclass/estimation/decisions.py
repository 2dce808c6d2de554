"""Chances of the classes, and the decisions and sets that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import check_level, is_number
from ..core.calibration import under_prior
from ..core.query import Query, answer
from ..errors import OptionError, brief
from .resampling import loss_matrix

if TYPE_CHECKING:
    from .fitted import Fitted
    from .problem import Problem

LEVEL = 0.9


def chances(fit: Fitted, query: Query, prior: np.ndarray | None) -> np.ndarray:
    """Chances (r, classes) of the rows of a query: calibrated ones, else those of the rule; NaN for a row with a missing value.

    Calibrated probabilities are those at the prevalence of the calibration rows, without the factors of `class_weights=`; those of
    the rule are at the prevalence that it learned from, with these factors. With `prior` (classes,) they are those at another one.
    """
    if fit.calibration is not None:
        return fit.calibration.probabilities(answer(fit.rule, fit.calibration.scale.kind, query), prior)
    if "prob" not in fit.rule.kinds:
        raise OptionError(
            f"method {fit.model.name!r} gives no chances of its own, and this fit is not calibrated: fit.calibrate() learns them from "
            "held-out rows"
        )
    p = answer(fit.rule, "prob", query)
    if prior is None:
        return p
    weight = fit.frame.class_weights
    return under_prior(p, weight / weight.sum(), prior)


def decide(p: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """The class of least expected loss (r,); of equal ones the first, and -1 for a row without chances."""
    expected = p @ loss
    lost = np.isnan(expected).any(axis=1)
    return np.where(lost, -1, np.where(lost[:, None], 0.0, expected).argmin(axis=1))


def loss_of(loss: Any, levels: pd.Index) -> np.ndarray:
    """The loss matrix of a decision, 0-1 loss where none is given."""
    if loss is None:
        return 1.0 - np.eye(len(levels))
    if not isinstance(loss, pd.DataFrame):
        raise OptionError(f"loss={brief(loss)}: a DataFrame with true classes as rows and predicted ones as columns")
    return loss_matrix(loss, levels)


def prior_of(prior: Any, problem: Problem) -> np.ndarray | None:
    """Proportions of the classes in level order: given as a mapping or Series by class, or those to which `class_weights=` weigh them."""
    levels = problem.frame.levels
    if prior is None:
        return None
    if isinstance(prior, str) and prior == "class_weights":
        if problem.class_factors is None:
            raise OptionError("prior='class_weights' needs a fit with class_weights=, but this fit has none")
        weight = problem.frame.class_weights
        return np.asarray(weight / weight.sum())
    try:
        values = dict(prior)
    except (TypeError, ValueError):
        raise OptionError(
            f"prior={brief(prior)}: a share for each class, such as a dict or a Series of them by class, or 'class_weights'"
        ) from None
    if len(values) != len(levels) or any(level not in values for level in levels):
        raise OptionError(f"prior={brief(prior)}: a share for each of the classes {brief(list(levels))}")
    if not all(is_number(v, 0.0) for v in values.values()):
        raise OptionError(f"prior={brief(prior)}: shares are numbers >= 0")
    shares = np.array([float(values[level]) for level in levels])
    if abs(shares.sum() - 1) > 1e-6:
        raise OptionError(f"prior={brief(prior)}: the shares sum to {shares.sum():.6g}, and they must sum to 1")
    return np.asarray(shares / shares.sum())


def prediction_sets(fit: Fitted, new: Any, level: Any, zero: bool = False) -> pd.Series:
    """For each row the classes that held-out rows do not speak against: a tuple, None for a row with missing values."""
    check_level(level)
    if fit.calibration is None:
        raise OptionError("prediction sets need a calibrated fit: write fit.calibrate().predict(new, 'set')")
    p, index, complete = fit.calibration.p_values(new, zero)
    out = np.full(len(index), None, object)
    classes = np.array(fit.classes, object)
    for i, row in zip(np.flatnonzero(complete), p, strict=True):
        out[i] = None if np.isnan(row).any() else tuple(classes[row > 1 - level])
    return pd.Series(out, index, dtype=object, name=fit.frame.formula.response)
