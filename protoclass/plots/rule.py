"""The conditions of a rule, a lane for each: the rows that come to it along what it compares, the cut, and those that it removes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..ground.errors import NotAvailable
from ..views.names import shorten
from ..views.rule import count_removed, list_conditions
from ..views.words import write_number
from .palette import colour, faint, ink, mark
from .style import LETTERS, list_named, panels

if TYPE_CHECKING:
    import pandas as pd


GOLDEN = 0.618034  # rows side by side in a lane are apart by this share of its height, which repeats least


def rule(fit: Fitted, count: int = 8) -> Any:
    """A lane for each condition, in the order in which they are asked; the rows that it removes are ringed and do not come to the next.

    Parameters
    ----------
    count : int
        Conditions at most.
    """
    table, count = list_conditions(fit), whole_number("count", count, 1)
    lanes = [part for _, part in table.groupby(["machine", "step"], sort=False)]
    if not lanes:
        raise NotAvailable("the rule has no conditions, so it always gives the same class")
    several, shown = table["machine"].nunique() > 1, lanes[:count]
    figure, places = panels(len(shown), 1, 6.8, 1.0 + 0.34 * max(part["class"].nunique() for part in shown))
    for ax, part in zip(places.ravel(), shown, strict=True):
        _draw_lane(ax, part, list(fit.classes), several)
    some = f"All {len(lanes)} conditions" if len(shown) == len(lanes) else f"The first {len(shown)} of {len(lanes)} conditions"
    figure.suptitle(f"{some}: what each removes (ringed) does not come to the next", fontsize="medium")
    return figure


def _draw_lane(ax: Any, table: pd.DataFrame, classes: list[Any], several: bool) -> None:
    head, names = table.iloc[0], list_named(classes)
    present = [k for k, level in enumerate(classes) if (table["class"] == level).any()]
    for place, k in enumerate(present):
        own = table[table["class"] == classes[k]]
        height = place + 0.6 * (np.arange(len(own)) * GOLDEN % 1 - 0.5)
        out = own["removed"].to_numpy()
        style = {"s": 20, "marker": mark(k), "color": colour(k)}
        ax.scatter(own["value"][~out], height[~out], lw=0, **style)
        ax.scatter(own["value"][out], height[out], lw=0.9, edgecolor=ink(ax), zorder=3, **style)
    if np.isfinite(head["cut"]):
        ax.axvline(head["cut"], lw=1.4, color=ink(ax), zorder=4)
    ax.set_yticks(range(len(present)), [names[k] for k in present])
    ax.set_ylim(len(present) - 0.5, -0.5)
    ax.hlines(np.arange(1, len(present)) - 0.5, 0, 1, transform=ax.get_yaxis_transform(), color=faint(ax), lw=0.6)
    ax.set_xlabel(f"{shorten(head['quantity'])}, cut at {write_number(head['cut'])}", fontsize="small")
    machine = f"{shorten(head['machine'], LETTERS + 8)}, " if several else ""
    ax.set_title(f"{machine}{head['step']}. {shorten(head['condition'], 2 * LETTERS)}\n{count_removed(table)}", fontsize="small")
