"""Pictures of a rule: its prototypes among the rows with their balls, in the plane of two predictors
or on a map; its features, its conditions, and the error after each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.patheffects import withStroke

from ..analysis.steps import SAME_FOLDS
from ..analysis.steps import path as steps_of
from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..ground.errors import NotAvailableError
from ..ground.text import SHOWN, list_short, shorten, write_number
from ..models.registry import lacking
from ..tables.words import (
    describe_balls,
    describe_prototypes,
    list_features,
    list_shown,
    write_rate,
)
from .coverage import PAIRS, Members, find_members, held_out_codes
from .curve import find_ends
from .plane import (
    GOLDEN,
    LANDMARKS,
    MAP,
    Plane,
    choose_axes,
    divide_plane,
    make_plane,
    outline_balls,
    take_evenly,
)
from .style import (
    GREY,
    LETTER,
    LETTERS,
    SEEN,
    WRONG,
    axes,
    blend,
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
    paper,
    plain_log,
    scatter_classes,
)

BALLS = 60  # prototypes whose balls are drawn, the first chosen
# proportion of its class's colour in a line to a row: for very many lines, and for few
PALEST = (0.2, 0.5)
COLUMNS = ["machine", "step", "condition", "quantity", "cut", "row", "class", "value", "removed"]


@framed
def prototypes(
    fit: Fitted, ax: Any = None, balls: bool = True, x: str | None = None, y: str | None = None
) -> Any:
    """Plot rows, prototypes and their balls; see `Fit.plot`.

    If the metric is computed in the plotted plane, a ball has its true shape. In any other plot,
    such as a map, a shape would contain other rows than the ball, so lines join each prototype to
    the rows in its ball. Misclassified rows have a red ring, held out if the fit was
    cross-validated; wrongly covered rows have a dotted grey ring. For a rule of features without
    prototypes, the features are plotted with their counts instead.

    Parameters
    ----------
    balls : bool
        Whether to draw the balls, for at most the first 60 prototypes.
    x, y : str, optional
        Numeric predictors as axes; "map" as x for a map of the dissimilarities. Default: the
        predictors, if there are only two and both are numeric; otherwise a map.
    """
    drawn, on_map = np.arange(fit.nobs), (choose_axes(fit)[0] if x is None else x) == MAP
    if x is None and y is None and on_map and not len(fit.rule.prototypes) and list_features(fit):
        return draw_features(fit, ax)
    if on_map:  # at most 1000 rows, evenly taken, and the prototypes
        rows = fit._prototype_row
        drawn = np.union1d(take_evenly(fit.nobs, LANDMARKS), rows[rows >= 0])
    plane, ax = make_plane(fit, x, y, rows=drawn), axes(ax, 7.4, 4.8)
    ax.set(xlabel=plane.axes[0], ylabel=plane.axes[1])
    spots = plane.locate(fit.rule.prototypes) if len(fit.rule.prototypes) else np.empty((0, 2))
    if plane.of_metric:
        _draw_regions(fit, plane, ax)
    if plane.one_unit:
        ax.set_aspect("equal", adjustable="datalim")
    crowd = SEEN if len(drawn) < 400 else 12.0
    places = [plane.rows[drawn[fit.frame.codes[drawn] == k]] for k in range(len(fit.classes))]
    scatter_classes(ax, places, fit.classes, s=crowd, alpha=0.7, lw=0, zorder=2)
    how = _draw_balls(fit, plane, spots, drawn, crowd, ax) if balls else ""
    held = held_out_codes(fit)
    wrong = drawn[((fit._fitted_codes if held is None else held) != fit.frame.codes)[drawn]]
    sizes = np.where(
        np.isin(wrong, fit._prototype_row[list_shown(fit)]), 2.4 * mark_size(fit), 2.6 * crowd
    )
    when = "in training" if held is None else "held out"
    _draw_rings(plane.rows[wrong], sizes, WRONG, "-", f"misclassified {when}", ax)
    _draw_prototypes(fit, spots, ax)
    lost = np.isnan(spots[list_shown(fit)]).any(axis=1).sum()
    title = describe_prototypes(fit) + (f", {lost} of them not on the map" if lost else "")
    title += f"; {len(wrong)} of {len(drawn)} rows misclassified" if len(wrong) else ""
    if fit._curve is not None and fit._selection.point is not None:
        measure = fit._curve._measure_name
        rate = write_rate(fit._curve.table["error"].iloc[fit._selection.point], measure)
        weighted = "weighted " if (fit.frame.weights != 1).any() else ""
        title += f", {weighted}CV {measure} {rate}"
    ax.set_title(title)
    if how and has_room(ax):
        ax.plot([], [], " ", label=how)
    _name_prototypes(fit, spots, ax)
    return key(ax, title=fit.frame.formula.response).axes


def _draw_balls(
    fit: Fitted, plane: Plane, spots: np.ndarray, drawn: np.ndarray, crowd: float, ax: Any
) -> str:
    """Balls in their true shape, or lines to the rows in them, with dotted rings around rows that
    they wrongly cover; in words.
    """
    first = list_shown(fit)[:BALLS]
    outlines = outline_balls(fit, plane, first)
    members = find_members(fit, first, rows=drawn, most=None if len(outlines) else PAIRS)
    for c, outline in zip(fit.rule.prototypes.classes[first], outlines, strict=False):
        if np.isfinite(outline).all():
            ax.plot(outline[:, 0], outline[:, 1], lw=0.9, color=colour(c), alpha=0.9, zorder=3)
    if not len(outlines):
        _draw_lines(fit, plane, spots, members, ax)
    _draw_rings(
        plane.rows[np.unique(members.rows[members.wrong])],
        5 * crowd,
        GREY,
        ":",
        "wrongly covered",
        ax,
    )
    return describe_balls(fit, len(outlines) or members.count, len(outlines) > 0)


def _draw_rings(places: np.ndarray, size: Any, edge: str, line: str, label: str, ax: Any) -> None:
    if len(places):
        ax.scatter(
            places[:, 0],
            places[:, 1],
            size,
            facecolor="none",
            edgecolor=edge,
            ls=line,
            lw=0.9 if len(places) < 50 else 0.6,
            zorder=4.5,
            label=label,
        )


def _draw_lines(fit: Fitted, plane: Plane, spots: np.ndarray, members: Members, ax: Any) -> None:
    """From each prototype to the rows in its ball, the shortest on top: in a pale colour, so that
    many do not look like a mark.
    """
    from matplotlib.collections import LineCollection

    ends = np.stack([spots[members.prototypes], plane.rows[members.rows]], axis=1)
    known = np.isfinite(ends).all(axis=(1, 2))
    ends, classes = ends[known], fit.rule.prototypes.classes[members.prototypes[known]]
    order = np.argsort(-np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), kind="stable")
    share = min(PALEST[1], max(PALEST[0], 6 / (1 + len(ends)) ** 0.5))
    pale = np.array([blend(colour(k), paper(ax), share) for k in range(len(fit.classes))])
    ax.add_collection(
        LineCollection(
            ends[order], colors=pale[classes[order]], lw=0.6, zorder=1.5, rasterized=True
        )
    )


def mark_size(fit: Fitted) -> float:
    """Square points of the mark of a prototype."""
    count = len(fit.rule.prototypes)
    return 70.0 if count <= BALLS else 26.0 if count <= 300 else 12.0


def _draw_prototypes(fit: Fitted, spots: np.ndarray, ax: Any) -> None:
    prototypes, shown = fit.rule.prototypes, list_shown(fit)
    q, size = len(prototypes), mark_size(fit)
    style = {"edgecolor": ink(ax), "lw": size**0.5 / 6, "zorder": 4}
    # all rows have weight, and the support objects of the hyperplane are circled
    if "support" in prototypes.table:
        style |= {"s": 2 * size, "facecolor": "none", "label": "support objects"}
        ax.scatter(spots[shown, 0], spots[shown, 1], **style)
    elif len(shown) or not q:
        for k in range(len(fit.classes)):
            places = spots[shown[prototypes.classes[shown] == k]]
            if not len(places):
                continue
            ax.scatter(places[:, 0], places[:, 1], s=size, marker=mark(k), color=colour(k), **style)
        ax.scatter(
            [], [], s=70, marker="o", color=paper(ax), edgecolor=ink(ax), lw=1.4, label="prototypes"
        )


def _name_prototypes(fit: Fitted, spots: np.ndarray, ax: Any) -> None:
    """The names of a few prototypes beside their marks, each where it meets no other name or mark."""
    shown = list_shown(fit)
    if not 0 < len(shown) <= SHOWN or not has_room(ax):
        return
    names, high = list_short(fit._prototype_names[shown], LETTERS), 1.25 * rcParams["font.size"]
    halo = [withStroke(linewidth=2.5, foreground=paper(ax))]
    points = ax.transData.transform(spots[shown]) * 72 / ax.figure.dpi
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in points if np.isfinite(x)]
    for name, spot, (x, y) in zip(names, spots[shown], points, strict=True):
        place = _free_place(x, y, LETTER * rcParams["font.size"] * len(name), high, taken)
        if place is not None:
            ax.annotate(
                name,
                spot,
                place,
                textcoords="offset points",
                annotation_clip=True,
                fontsize="small",
                weight="bold",
                zorder=6,
                path_effects=halo,
            )


def _free_place(x: float, y: float, wide: float, high: float, taken: list[Any]) -> Any:
    """The first offset from a mark at which a name meets no box that is taken; its own then is."""
    offsets = ((9, -high / 2), (-9 - wide, -high / 2), (-wide / 2, 8), (-wide / 2, -8 - high))
    for dx, dy in offsets if np.isfinite(x) else ():
        left, low = x + dx, y + dy
        if not any(
            left < c and a < left + wide and low < d and b < low + high for a, b, c, d in taken
        ):
            taken.append((left, low, left + wide, low + high))
            return dx, dy + 0.25 * high
    return None


def _draw_regions(fit: Fitted, plane: Plane, ax: Any) -> None:
    """The class that the rule predicts at each point of the plane, as a pale background."""
    from matplotlib.colors import ListedColormap

    x, y, codes = divide_plane(fit, plane, 240)  # cells a side
    L = len(fit.classes)
    ax.pcolormesh(
        x,
        y,
        codes,
        cmap=ListedColormap([colour(k) for k in range(L)]),
        vmin=-0.5,
        vmax=L - 0.5,
        alpha=0.13,
        shading="nearest",
        zorder=0,
        rasterized=True,
    )
    if len(np.unique(codes)) > 1:
        for k in np.unique(codes):
            inside = (codes == k).astype(float)
            ax.contour(x, y, inside, levels=[0.5], colors=GREY, linewidths=0.6, zorder=1)
    margin_x, margin_y = (x[1] - x[0]) / 2, (y[1] - y[0]) / 2
    ax.set(xlim=(x[0] - margin_x, x[-1] + margin_x), ylim=(y[0] - margin_y, y[-1] + margin_y))


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
        for level in reached.index[reached > 0]
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
    figure.suptitle(f"{title}: rows that a condition removes (circled) do not reach the next")
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
