"""A rule step by step: its features and conditions, and the error after each step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import SAME_FOLDS
from ..analysis.steps import path as steps_of
from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..ground.errors import NotAvailableError
from ..ground.text import SHOWN, list_short, shorten, write_number
from ..models.registry import lacking
from ..tables.words import list_features
from .curve import find_ends
from .plane import GOLDEN
from .style import (
    LETTERS,
    WRONG,
    axes,
    colour,
    faint,
    framed,
    has_room,
    ink,
    key,
    list_down,
    list_named,
    mark,
    panels,
    plain_log,
)

COLUMNS = ["machine", "step", "condition", "quantity", "cut", "row", "class", "value", "removed"]


def draw_features(fit: Fitted, ax: Any = None) -> Any:
    """A bar for each feature in the order selected: rows that it covered, and rows that it misclassified."""
    table, names = fit.model.feature_table(fit._learned), list_named(list_features(fit)[:SHOWN], 60)
    few, heights = table.head(SHOWN), np.arange(len(names))
    ax = axes(
        ax, max(6.8, 3.4 + 0.1 * max(map(len, names), default=0)), max(2.4, 1.6 + 0.36 * len(names))
    )
    ax.barh(heights - 0.16, few["q"], 0.3, color=colour(0), label="newly covered")
    ax.barh(heights + 0.16, few["r"], 0.3, color=WRONG, label="misclassified")
    list_down(ax, names)
    ax.set(xlim=(0, None), xlabel="rows")
    count = f"{SHOWN} of " if len(table) > SHOWN else ""
    ax.set_title(f"{count}{len(table)} feature{'s' * (len(table) != 1)}")
    return key(ax).axes if has_room(ax) else ax


def list_conditions(fit: Fitted) -> pd.DataFrame:
    """The rows that each condition of a rule sees.

    Returns
    -------
    DataFrame
        One row for each condition and each row that comes to it: `machine` (empty where there is
        one alone), `step` from 1, `condition` in words, `quantity` (what it compares), `cut`, `row`
        (label), `class`, `value` and `removed`, whether the condition settles the class of the row,
        which does not come to the next. A machine sees the rows of the classes that it tells apart.

    Raises
    ------
    NotAvailableError
        If the rule of the method has no conditions.
    """
    if not fit.model.has("conditions"):
        raise lacking(fit.model, "conditions to draw", "conditions")
    codes, parts = fit.frame.codes, []
    for part in fit.model.conditions(fit._learned, fit._query()[0]):
        rows = np.flatnonzero(part.reached & np.isin(codes, part.classes))
        columns = (
            part.machine,
            part.step,
            part.text,
            part.quantity,
            part.cut,
            fit.frame.index[rows].to_flat_index(),
            pd.Categorical.from_codes(codes[rows], fit.classes),
            part.values[rows],
            part.removed[rows],
        )
        parts.append(pd.DataFrame(dict(zip(COLUMNS, columns, strict=True))))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def count_removed(table: pd.DataFrame) -> str:
    """The rows that a condition removes, in words; see `list_conditions`."""
    reached, removed = (
        part["class"].value_counts(sort=False) for part in (table, table[table["removed"]])
    )
    names = dict(zip(reached.index, list_short(reached.index, 18), strict=True))
    parts = [
        f"{names[level]}: {removed[level]} of {reached[level]}"
        for level in reached.index
        if reached[level]
    ]
    return f"removes {', '.join(parts)}" if parts else "no rows are left"


@framed
def rule(fit: Fitted, n: int = 8) -> Any:
    """Plot a lane for each condition of the rule, in their order; the rows that a condition removes are circled.

    Parameters
    ----------
    n : int
        Maximum number of conditions.
    """
    table, n = list_conditions(fit), whole_number("n", n, 1)
    lanes = [part for _, part in table.groupby(["machine", "step"], sort=False)]
    if not lanes:
        raise NotAvailableError("the rule has no conditions, so it always gives the same class")
    several, shown = table["machine"].nunique() > 1, lanes[:n]
    figure, places = panels(
        len(shown), 1, 6.8, 1.0 + 0.34 * max(part["class"].nunique() for part in shown)
    )
    for ax, part in zip(places.ravel(), shown, strict=True):
        _draw_lane(ax, part, list(fit.classes), several)
    title = (
        f"All {len(lanes)} conditions"
        if len(shown) == len(lanes)
        else f"The first {len(shown)} of {len(lanes)} conditions"
    )
    figure.suptitle(f"{title}: rows that a condition removes (ringed) do not reach the next")
    return figure


def _draw_lane(ax: Any, table: pd.DataFrame, classes: list[Any], several: bool) -> None:
    head, names = table.iloc[0], list_named(classes)
    present = [k for k, level in enumerate(classes) if (table["class"] == level).any()]
    for place, k in enumerate(present):
        rows = table[table["class"] == classes[k]]
        height = place + 0.6 * (np.arange(len(rows)) * GOLDEN % 1 - 0.5)
        out = rows["removed"].to_numpy()
        style = {"s": 20, "marker": mark(k), "color": colour(k)}
        ax.scatter(rows["value"][~out], height[~out], lw=0, **style)
        ax.scatter(rows["value"][out], height[out], lw=0.9, edgecolor=ink(ax), zorder=3, **style)
    if np.isfinite(head["cut"]):
        ax.axvline(head["cut"], lw=1.4, color=ink(ax), zorder=4)
    list_down(ax, [names[k] for k in present])
    ax.hlines(
        np.arange(1, len(present)) - 0.5,
        0,
        1,
        transform=ax.get_yaxis_transform(),
        color=faint(ax),
        lw=0.6,
    )
    ax.set_xlabel(
        f"{shorten(head['quantity'])}, threshold {write_number(head['cut'])}", fontsize="small"
    )
    machine = f"{shorten(head['machine'], LETTERS + 8)}, " if several else ""
    ax.set_title(
        f"{machine}{head['step']}. {shorten(head['condition'], 2 * LETTERS)}\n{count_removed(table)}",
        fontsize="small",
    )


@framed
def path(fit: Fitted, ax: Any = None, new: Any = None, cv: Any = SAME_FOLDS) -> Any:
    """Plot the held-out and training error of the first 1, 2, ... prototypes; see `Fit.path`.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with their classes, to plot their error as well.
    cv : as in `Fit.path`
        Cross-validation folds. Default: the folds of the fit, or none if a class has one row; None:
        only the training error.
    """
    alone = np.bincount(fit.frame.codes).min() < 2
    table = steps_of(fit, new, None if alone and isinstance(cv, str) and cv == SAME_FOLDS else cv)
    table = table[table["size"] > 0]
    if table.empty:
        raise NotAvailableError("the fit has no steps to show")
    ax, size, style = axes(ax), table["size"], "o-" if len(table) < 60 else "-"
    lines = [
        ("training_error", "training rows"),
        ("cv_error", "held-out, +- 1 SE"),
        ("new_error", "new rows"),
    ]
    values = []
    for k, (name, label) in enumerate(lines):
        if name not in table:
            continue
        ax.plot(size, table[name], style, ms=3, lw=1.2, color=colour(k), label=label)
        half = table["cv_se"].fillna(0.0) if name == "cv_error" else 0.0
        values += [table[name] - half, table[name] + half]
        if name == "cv_error":
            ax.fill_between(size, *values[-2:], color=colour(k), alpha=0.2, lw=0)
    # more steps are on a scale of logarithms
    many = len(table) > 30
    if many:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(*find_ends(np.concatenate(values)))
    ax.set(
        xlabel=f"number of {'features' if 'bound' in table else 'prototypes'}{' (log scale)' * many}",
        ylabel="error",
    )
    return key(ax).axes
