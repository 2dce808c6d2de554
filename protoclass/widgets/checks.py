"""The values that the state of an explorer of prototypes can have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import OptionError, brief
from ..estimation.fitted import Fitted
from ..views.prototypes import list_names
from .base import find_value


def check_radius(value: Any, radii: Sequence[float], method: str) -> float | None:
    """One of the slider's radii; None where there is no slider."""
    if value is None and not radii:
        return None
    if not radii:
        raise OptionError(
            f"eps={brief(value)}: method {method!r} has no slider of radii here; radii=[...] makes one where it has radii"
        )
    return float(radii[find_value("eps", value, radii)])


def check_size(value: Any, most: int | None, method: str) -> int | None:
    """A number of steps; None where the rule was not built step by step."""
    if value is None and most is None:
        return None
    if most is None:
        raise OptionError(f"size={brief(value)}: method {method!r} was not built step by step")
    integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integer or not 0 <= value <= most:
        raise OptionError(f"size={brief(value)}: an integer from 0 to {most}")
    return int(value)


def check_label(value: Any, fit: Fitted) -> Any:
    """The label of a row or prototype, or None."""
    try:
        fine = value is None or value in fit.frame.index or value in list_names(fit)
    except TypeError:  # what has no hash is no label
        fine = False
    if not fine:
        raise OptionError(f"selected={brief(value)}: a label of a row, or of explorer.fit.prototypes.index")
    return value.item() if isinstance(value, np.generic) else value


def check_text(text: str, places: Mapping[str, int]) -> int:
    """The position of the row whose label was typed."""
    if text not in places:
        raise OptionError(f"no row of the fit has the label {text!r}")
    return places[text]
