"""A chosen point whose cross-validated error is above that of always predicting one class: what is said of it, and what helps."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..errors import DataWarning, shown, warn
from ..settings import SAME, fixed
from .calibration import READ
from .error_curve import ErrorCurve

WORSE = "worse than no information"  # in every such warning, and by which it is told from others


def worse_than_one_class(validation: ErrorCurve, point: int, kinds: Collection[str] = (), is_calibrated: bool = False) -> str:
    """That always predicting one class has a smaller cross-validated error than a grid point, with what helps; empty if it has not.

    Parameters
    ----------
    validation : ErrorCurve
    point : int
        A row of its table.
    kinds : collection of str
        What the rule of the point predicts, where that is known. A rule with values by class can be calibrated; its decisions by
        probabilities are then no worse than one class, but for chance, as the probabilities are the shares of the classes where
        its values say nothing.
    is_calibrated : bool
    """
    errors, none, name = validation.choice.error, validation.no_information, validation.measure_name
    if not errors[point] > none + SAME:
        return ""
    constant = validation.problem.frame.levels[int(np.argmin(validation.losses_of_one_class))]
    head = f"CV {name} {fixed(errors[point])}, {WORSE}: always predicting {shown(constant)} has {fixed(none)}"
    cures = []
    least = validation.corrected("min")
    if point != validation.chosen("min") and least is not None and least < none:
        cures.append(f"choose='min', whose corrected {name} is {fixed(least)}")
    if set(READ) & set(kinds):
        argument = "loss=" if validation.measure in ("loss", "ordinal") else "prior="
        cures.append(f"{'' if is_calibrated else 'calibrate=True and '}predict(new, {argument}), which decides by probabilities")
    cures.append("validation.permutation_test() shows whether the predictors say anything of the classes")
    return f"{head}; {', or '.join(cures[:-1])}{'; ' if cures[:-1] else ''}{cures[-1]}"


def warn_if_worse(said: str) -> None:
    """A warning of what `worse_than_one_class` says, if it says something."""
    if said:
        warn(said, DataWarning)
