"""Why a row has its class, variable by variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.fitted import Fitted
from ..ground.errors import brief
from ..views.names import list_short
from ..views.why import list_reasons
from ..views.words import write_number
from .palette import GREY, colour, ink
from .style import axes, named

MOST = 20  # variables that have a bar


def why(fit: Fitted, ax: Any = None, *, row: Any) -> Any:
    """A bar for each variable, the decisive ones above: to the right it speaks for the class of the row, to the left for the rival's.

    Parameters
    ----------
    row : label, or DataFrame of one row, Series or dict
        As in `Fit.why`.
    """
    table = list_reasons(fit, row)
    shown, said, at = table.head(MOST), table.attrs, np.arange(min(MOST, len(table)))
    names = [f"{name} = {value}" for name, value in zip(list_short(shown["variable"], 28), shown["value"], strict=True)]
    ax = axes(ax, 6.4, 2.0 + 0.3 * len(shown))
    code = list(fit.classes).index(said["class"])
    favour = shown["favour"].to_numpy()
    ax.barh(at, favour, 0.62, color=[colour(code) if value >= 0 else GREY for value in favour], lw=0)
    ax.axvline(0, lw=0.8, color=ink(ax))
    ax.set_yticks(at, names)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    far, near = said["rival_distance"], said["prototype_distance"]
    head = f"Row {brief(row)}: {named(said['class'])}" if np.isscalar(row) else f"The row: {named(said['class'])}"
    ax.set_title(f"{head}\nprototype {said['prototype']} at {write_number(near)}, rival {said['rival']} at {write_number(far)}")
    ax.title.set_fontsize("medium")
    rest = len(table) - len(shown)
    more = f"; {rest} more variables add {write_number(float(table['favour'].iloc[MOST:].sum()))}" if rest else ""
    ax.set_xlabel(f"distance to the rival minus distance to the prototype, sum {write_number(far - near)}{more}")
    return ax
