"""Weights of the classes: `class_weights=` as factors of the rows' own weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_number
from ..errors import DataError, OptionError, brief, shown
from ..frames.frame import Frame
from ..frames.schema import LEAST


def with_class_factors(frame: Frame, factors: np.ndarray | None, class_weights: Any) -> Frame:
    """The frame with the weight of each row multiplied by the factor of its class (classes,), which `class_weights` gave."""
    if factors is None:
        return frame
    with np.errstate(over="ignore", under="ignore"):
        weights = frame.weights * factors[frame.codes]
        total = weights.sum()
    if not np.isfinite(total) or (weights[frame.weights > 0] < LEAST).any():
        raise DataError(
            f"class_weights={brief(class_weights)} times the weights of the rows overflows or is about 0: give factors nearer to 1"
        )
    return replace(frame, weights=weights)


def class_factors(frame: Frame, class_weights: Any) -> np.ndarray:
    """The factor of each class (classes,).

    Parameters
    ----------
    frame : Frame
        Every class has rows with weight.
    class_weights : "balanced", or mapping of class to number > 0
        Balanced: the sum of all weights over (number of classes x sum of the class's weights), so that all classes weigh the
        same and the sum of all weights stays. In a mapping, classes that are not named have the factor 1.

    Examples
    --------
    >>> from protoclass.frames.frame import mold
    >>> frame = mold("y ~ a", pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": ["ill", "well", "well", "well"]}))
    >>> class_factors(frame, "balanced").round(3).tolist(), class_factors(frame, {"ill": 5}).tolist()
    ([2.0, 0.667], [5.0, 1.0])
    """
    levels = frame.levels
    if isinstance(class_weights, str) and class_weights == "balanced":
        of_class = np.array([fsum(frame.weights[frame.codes == c]) for c in range(len(levels))])
        return np.asarray(fsum(frame.weights) / (len(levels) * of_class))
    if not isinstance(class_weights, (Mapping, pd.Series)):
        raise OptionError(
            f"class_weights={brief(class_weights)}: allowed are 'balanced', and a dict or Series of factors by class, such as "
            f"{{{levels[0]!r}: 5}}"
        )
    factors = dict(class_weights)
    strange = [name for name in factors if name not in levels]
    if strange or not factors:
        named = f"{shown(strange[0])} is not a class" if strange else "no class is named"
        raise OptionError(f"class_weights: {named}; classes are {', '.join(map(shown, levels))}")
    wrong = [name for name, value in factors.items() if not is_number(value, 0.0, above=True)]
    if wrong:
        raise OptionError(
            f"class_weights[{shown(wrong[0])}]={brief(factors[wrong[0]])}: a factor is a number > 0; rows are left out of the data "
            "to leave out a class"
        )
    return np.array([float(factors.get(level, 1.0)) for level in levels])
