"""The confusion table as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.fitted import Fitted
from ..views.confusion import Confusion, count_confusion
from ..views.words import write_share
from .fitting import keep_within
from .palette import SHADE, blend, faint, ink, letters_on, paper
from .style import axes, has_room, list_named

PALE = 0.12  # shade of the smallest error


def confusion_of_fit(fit: Fitted, ax: Any = None) -> Any:
    """Held-out or training rows of a fit; see `draw_counts`."""
    return draw_counts(count_confusion(fit), ax)


def draw_counts(counts: Confusion, ax: Any = None) -> Any:
    """Counts as numbers, errors shaded by their share of the true class; at the margins recall and precision."""
    L = len(counts.table)
    side = max(4.4, 0.5 * L + 2.1)
    ax = axes(ax, side + 0.8, side)
    values, share = counts.table.to_numpy(float), counts.shares
    ground = np.array([[_shade(ax, share[i, j], i == j) for j in range(L)] for i in range(L)])
    ax.imshow(ground, extent=(-0.5, L - 0.5, L - 0.5, -0.5))
    middle = {"ha": "center", "va": "center"}
    for i, j in np.argwhere(values > 0):
        style = {"weight": "bold"} if i == j else {}
        text = ax.text(j, i, f"{values[i, j]:g}", color=letters_on(ground[i, j]), fontsize=10, **middle, **style)
        keep_within(text, 0.94, 0.94)
    for k in range(L if has_room(ax) else 0):
        recall = ax.text(L + 0.1, k, write_share(counts.recall[k]), fontsize=8, color=ink(ax), **middle)
        precision = ax.text(k, L + 0.1, write_share(counts.precision[k]), fontsize=8, color=ink(ax), **middle)
        keep_within(recall, 1.1, 0.94, "recall and precision")
        keep_within(precision, 0.98, 0.94, "recall and precision")
    ax.hlines(np.arange(L + 1) - 0.5, -0.5, L - 0.5, color=faint(ax), lw=0.6)
    ax.vlines(np.arange(L + 1) - 0.5, -0.5, L - 0.5, color=faint(ax), lw=0.6)
    names = list_named(counts.table.index)
    steep = max(map(len, names)) > 4 and L > 3
    at, margins = ([*range(L), L + 0.1], True) if has_room(ax) else ([*range(L)], False)
    ax.set_xticks(at, [*names, "recall"] if margins else names, rotation=90 if steep else 0)
    ax.set_yticks(at, [*names, "precision"] if margins else names)
    ax.tick_params(length=0)
    end = L + 0.6 if margins else L - 0.5
    ax.set(xlim=(-0.5, end), ylim=(end, -0.5), xlabel="predicted class", ylabel="true class")
    ax.set_title(f"{counts.errors:g} of {values.sum():g} {counts.rows} wrong\n(shade: share of the true class)")
    ax.title.set_fontsize("medium")
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _shade(ax: Any, share: float, right: bool) -> tuple[float, float, float]:
    """The ground of a cell: paper for what is right or empty, else the darker the larger the share."""
    return blend(SHADE, paper(ax), 0.0 if right or not share else PALE + (1 - PALE) * share**0.5)
