"""Bounds on the error of new rows by sample compression."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import pandas as pd

from ..errors import OptionError, brief
from ..models.registry import lacking

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def bound(fit: Fit, delta: float) -> pd.DataFrame:
    """See `Fit.bound`."""
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < delta < 1:
        raise OptionError(f"delta={brief(delta)}: a number between 0 and 1")
    if fit.model.can.bound is None or fit.rule.prototypes.at is None:
        raise lacking(fit.model, "compression bound", "bound")
    return fit.model.can.bound(fit.learned, float(delta))
