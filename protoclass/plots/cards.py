"""Cards of prototypes: by which values each differs from its class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..views.names import list_short
from ..views.profiles import describe_head, list_profiles
from .palette import colour, ink
from .style import panels

if TYPE_CHECKING:
    import pandas as pd


ACROSS, LINES = 3, 6  # cards in a row, and variables on a card
BARS, LETTER = 1.6, 0.055  # inches of the bars of a card, and of a letter beside them


def cards(fit: Fitted, count: int = 9) -> Any:
    """The first prototypes, each with the variables by which it differs most from its class, what it covers, and its rival.

    Parameters
    ----------
    count : int
    """
    profiles = list_profiles(fit, whole_number("count", count, 1))
    heads = profiles.heads
    across = min(ACROSS, len(heads))
    lines = min(LINES, profiles.table["variable"].nunique())
    step = len(profiles.table) // len(heads)
    parts = [_choose_lines(profiles.table.iloc[k * step : (k + 1) * step]) for k in range(len(heads))]
    longest = max((len(text) for _, texts in parts for text in texts), default=0)
    figure, places = panels(-(-len(heads) // across), across, BARS + LETTER * longest, (1.0 if lines else 0.7) + 0.24 * lines)
    widest = max(1.0, float(np.nanmax(profiles.table["apart"].abs().to_numpy(), initial=0.0)))
    codes = {level: k for k, level in enumerate(fit.classes)}
    for ax, (own, texts), (name, head) in zip(places.ravel(), parts, heads.astype(object).iterrows(), strict=False):
        at = np.arange(len(own))
        ax.set_title("\n".join(describe_head(head, name)), fontsize="small")
        if not lines:  # of rows that are known by their dissimilarities
            ax.set_axis_off()
            continue
        ax.barh(at, own["apart"].fillna(0.0), 0.6, color=colour(codes[head["class"]]), lw=0)
        ax.axvline(0, lw=0.8, color=ink(ax))
        ax.set_yticks(at, texts, fontsize="x-small")
        ax.set(xlim=(-1.05 * widest, 1.05 * widest), ylim=(max(1, len(own)) - 0.5, -0.5))
        ax.tick_params(axis="x", labelsize="x-small")
    for ax in places.ravel()[len(heads) :]:
        ax.set_axis_off()
    some = f"All {len(heads)} prototypes" if len(heads) == profiles.count else f"The first {len(heads)} of {profiles.count} prototypes"
    if lines:
        figure.suptitle(f"{some}: value (that usual in the class)", fontsize="medium")
        figure.supxlabel("difference from the median of the class, in standard deviations", fontsize="small")
    else:
        figure.suptitle(some, fontsize="medium")
    return figure


def _choose_lines(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The variables on a card, and what is written beside their bars."""
    own = table.sort_values("apart", key=lambda values: -values.abs(), kind="stable").head(LINES)
    parts = zip(list_short(own["variable"], 18), own["value"], own["usual"], strict=True)
    return own, [f"{variable} = {value} ({usual})" for variable, value, usual in parts]
