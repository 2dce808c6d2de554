"""A rule of features in words: what each feature covered and got wrong when it was chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.fitted import Fitted
from ..views.features import list_rule
from .fitting import keep_within
from .palette import WRONG, colour
from .style import axes, key, list_named


def draw_features(fit: Fitted, ax: Any = None) -> Any:
    """A bar for each feature in the order chosen: rows that it covered, and those that it got wrong."""
    rule = list_rule(fit)
    table, at = rule.table, np.arange(len(rule.table))
    names = list_named(table["label"], 60)
    ax = axes(ax, max(6.8, 3.4 + 0.1 * max(map(len, names), default=0)), max(2.4, 1.6 + 0.36 * len(table)))
    ax.barh(at - 0.16, table["covers"], 0.3, color=colour(0), label="covered when chosen")
    ax.barh(at + 0.16, table["errors"], 0.3, color=WRONG, label="got wrong")
    widest = max(1.0, float(table[["covers", "errors"]].to_numpy().max()))
    for shift, name in ((-0.16, "covers"), (0.16, "errors")):
        for k, value in enumerate(table[name]):
            text = ax.annotate(f"{value:g}", (value, k + shift), (3, 0), textcoords="offset points", va="center", fontsize=8.5)
            keep_within(text, np.inf, 0.42)
    ax.set_yticks(at, names)
    ax.set(ylim=(len(table) - 0.5, -0.5), xlim=(0, 1.1 * widest), xlabel="rows", ylabel="rule, in the order chosen")
    ax.set_title(f"{rule.title}\n{rule.subtitle}", fontsize="medium")
    key(ax, "below", ncols=2)
    return ax
