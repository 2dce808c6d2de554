"""Prototypes and the rows in their balls: in the plane of two predictors, or on a map; or a rule in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.fitted import Fitted
from ..views.cards import BALLS
from ..views.geometry import (
    LANDMARKS,
    MAP,
    Plane,
    choose_axes,
    divide_plane,
    make_plane,
    outline_balls,
    take_evenly,
)
from ..views.prototypes import PAIRS, Members, find_members, held_out_codes, list_rows, list_shown, shorten
from ..views.words import describe_balls, describe_prototypes
from .rule import fit_radii, has_features_alone, list_rule
from .style import (
    GREY,
    NAMED,
    WRONG,
    axes,
    blend,
    colour,
    count_names,
    fit_letters,
    framed,
    ink,
    key,
    list_down,
    list_named,
    mark,
    panels,
    paper,
    scatter_classes,
)


def draw_features(fit: Fitted, ax: Any = None) -> Any:
    """A bar for each feature in the order selected: rows that it covered, and rows that it misclassified."""
    rule = list_rule(fit)
    table, at = rule.table, np.arange(len(rule.table))
    names = list_named(table["label"], 60)
    ax = axes(ax, max(6.8, 3.4 + 0.1 * max(map(len, names), default=0)), max(2.4, 1.6 + 0.36 * len(table)))
    ax.barh(at - 0.16, table["newly_covered"], 0.3, color=colour(0), label="newly covered")
    ax.barh(at + 0.16, table["errors"], 0.3, color=WRONG, label="misclassified")
    widest = max(1.0, float(table[["newly_covered", "errors"]].to_numpy().max()))
    list_down(ax, names, "feature, in the order selected")
    ax.set(xlim=(0, 1.1 * widest), xlabel="number of rows")
    ax.set_title(f"{rule.title}\n{rule.subtitle}", fontsize="medium")
    key(ax)
    size = fit_letters(ax, 1.0, 0.42 / max(1, len(table)), len(f"{widest:g}"))
    for shift, name in ((-0.16, "newly_covered"), (0.16, "errors")) if size else ():
        for k, value in enumerate(table[name]):
            ax.annotate(f"{value:g}", (value, k + shift), (3, 0), textcoords="offset points", va="center", fontsize=size)
    return ax


PANEL = 3.1  # inches of one of several plots
GRID = 240  # cells a side of the decision regions
PALEST = (0.2, 0.5)  # proportion of its class's colour in a line to a row: for very many lines, and for few
SEEN = 22.0  # square points of the mark of a row, and of those in a legend


@framed
def prototypes(fit: Fitted, ax: Any = None, balls: bool = True, x: str | None = None, y: str | None = None) -> Any:
    """Plot rows, prototypes and their balls; see `Fit.plot`.

    If the metric is computed in the plotted plane, a ball has its true shape. In any other plot, such as a map, a shape would contain
    other rows than the ball, so lines join each prototype to the rows in its ball. Misclassified rows have a red ring, held out if the fit
    was cross-validated; wrongly covered rows have a dotted grey ring. For a rule of features without prototypes, the features are
    plotted with their counts instead.

    Parameters
    ----------
    balls : bool
        Whether to draw the balls, for at most the first 60 prototypes.
    x, y : str, optional
        Numeric predictors as axes; "map" as x for a map of the dissimilarities. Default: the predictors, if there are only two and both
        are numeric; otherwise a map.
    """
    if x is None and y is None and has_features_alone(fit) and choose_axes(fit)[0] == MAP:
        return draw_features(fit, ax)
    drawn = choose_rows(fit, x)
    ax = draw_plane(fit, make_plane(fit, x, y, rows=drawn), drawn, axes(ax, 7.4, 4.8), balls)
    return key(ax, title=fit.frame.formula.response, handles=_make_entries(fit, ax)).axes


def choose_rows(fit: Fitted, x: str | None) -> np.ndarray:
    """The rows that are drawn: all in a plane; on a map at most 1000, evenly taken, and those that are prototypes."""
    n = fit.nobs
    if (choose_axes(fit)[0] if x is None else x) != MAP:
        return np.arange(n)
    own = list_rows(fit.rule.prototypes, fit.dissimilarity)
    return np.union1d(take_evenly(n, LANDMARKS), own[own >= 0])


def draw_plane(fit: Fitted, plane: Plane, drawn: np.ndarray, ax: Any, balls: bool) -> Any:
    """The rows of a fit that are drawn (positions), its prototypes and balls, in a plane or on a map that is given."""
    ax.set(xlabel=plane.axes[0], ylabel=plane.axes[1])
    spots = plane.locate(fit.rule.prototypes) if len(fit.rule.prototypes) else np.empty((0, 2))
    if plane.of_metric:
        _draw_regions(fit, plane, ax)
    if plane.one_unit:
        ax.set_aspect("equal", adjustable="datalim")
    crowd = SEEN if len(drawn) < 400 else 8
    places = [plane.rows[drawn[fit.frame.codes[drawn] == k]] for k in range(len(fit.classes))]
    scatter_classes(ax, places, fit.classes, s=crowd, alpha=0.7, lw=0, zorder=2)
    how = _draw_balls(fit, plane, spots, drawn, crowd, ax) if balls else ""
    held = held_out_codes(fit)
    wrong = drawn[((fit.fitted_codes if held is None else held) != fit.frame.codes)[drawn]]
    sizes = np.where(np.isin(wrong, list_rows(fit.rule.prototypes, fit.dissimilarity)[list_shown(fit)]), 2.4 * mark_size(fit), 2.6 * crowd)
    _draw_rings(plane.rows[wrong], sizes, WRONG, "-", "misclassified", ax)
    _draw_prototypes(fit, spots, ax)
    lost = int(np.isnan(spots[list_shown(fit)]).any(axis=1).sum())
    title = describe_prototypes(fit) + (f", {lost} of them not on the map" if lost else "")
    when = "in training" if held is None else "in cross-validation"
    title += f"; {len(wrong)} of {len(drawn)} rows misclassified {when} (red rings)" if len(wrong) else ""
    ax.set_title(f"{title}\n{how}" if how else title, fontsize="medium")
    return ax


def _make_entries(fit: Fitted, ax: Any) -> list[Any]:
    """Entries of a legend: marks of the classes in a visible size, if those of many rows are small, and other entries."""
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    style = {"ls": "none", "alpha": 0.7, "ms": SEEN**0.5, "mew": 0}
    names = list_named(fit.classes)
    rows = [Line2D([], [], marker=mark(k), color=colour(k), label=name, **style) for k, name in enumerate(names)]
    rows, shown = count_names(rows, names, NAMED - 4)
    rows[-1].set_label(shown[-1])
    return rows + [handle for handle, label in zip(handles, labels, strict=True) if label not in names]


def _draw_balls(fit: Fitted, plane: Plane, spots: np.ndarray, drawn: np.ndarray, crowd: float, ax: Any) -> str:
    """Balls in their true shape, or lines to the rows in them, with dotted rings around rows that they wrongly cover; in words."""
    first = list_shown(fit)[:BALLS]
    outlines = outline_balls(fit, plane, first)
    members = find_members(fit, first, rows=drawn, most=None if len(outlines) else PAIRS)
    for c, outline in zip(fit.rule.prototypes.classes[first], outlines, strict=False):
        if np.isfinite(outline).all():
            ax.plot(outline[:, 0], outline[:, 1], lw=0.9, color=colour(c), alpha=0.9, zorder=3)
    if not len(outlines):
        _draw_lines(fit, plane, spots, members, ax)
    _draw_rings(plane.rows[np.unique(members.rows[members.wrong])], 5 * crowd, GREY, ":", "wrongly covered", ax)
    dotted = "; dotted rings: wrongly covered" if members.wrong.any() else ""
    return describe_balls(fit, len(outlines) or members.count, len(outlines) > 0) + dotted


def _draw_rings(places: np.ndarray, size: Any, edge: str, line: str, label: str, ax: Any) -> None:
    if len(places):
        style = {"s": size, "facecolor": "none", "edgecolor": edge, "ls": line, "lw": 0.9 if len(places) < 50 else 0.6, "zorder": 4.5}
        ax.scatter(places[:, 0], places[:, 1], label=label, **style)


def _draw_lines(fit: Fitted, plane: Plane, spots: np.ndarray, members: Members, ax: Any) -> None:
    """From each prototype to the rows in its ball, the shortest on top: in a pale colour, so that many do not look like a mark."""
    from matplotlib.collections import LineCollection

    ends = np.stack([spots[members.prototypes], plane.rows[members.rows]], axis=1)
    known = np.isfinite(ends).all(axis=(1, 2))
    ends, classes = ends[known], fit.rule.prototypes.classes[members.prototypes[known]]
    order = np.argsort(-np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), kind="stable")
    share = min(PALEST[1], max(PALEST[0], 6 / (1 + len(ends)) ** 0.5))
    pale = np.array([blend(colour(k), paper(ax), share) for k in range(len(fit.classes))])
    ax.add_collection(LineCollection(ends[order], colors=pale[classes[order]], lw=0.6, zorder=1.5, rasterized=True))


def mark_size(fit: Fitted) -> float:
    """Square points of the mark of a prototype."""
    count = len(fit.rule.prototypes)
    return 70.0 if count <= BALLS else 26.0 if count <= 300 else 12.0


def _draw_prototypes(fit: Fitted, spots: np.ndarray, ax: Any) -> None:
    prototypes, shown = fit.rule.prototypes, list_shown(fit)
    q, size = len(prototypes), mark_size(fit)
    style = {"edgecolor": ink(ax), "lw": size**0.5 / 6, "zorder": 4}
    if "support" in prototypes.table:  # all rows have weight, and the support objects of the hyperplane are circled
        style |= {"s": 2 * size, "facecolor": "none", "label": "support objects"}
        ax.scatter(spots[shown, 0], spots[shown, 1], **style)
    elif len(shown) or not q:
        for k in range(len(fit.classes)):
            own = spots[shown[prototypes.classes[shown] == k]]
            if not len(own):
                continue
            ax.scatter(own[:, 0], own[:, 1], s=size, marker=mark(k), color=colour(k), **style)
        ax.scatter([], [], s=70, marker="o", color=paper(ax), edgecolor=ink(ax), lw=1.4, label="prototypes")


def _draw_regions(fit: Fitted, plane: Plane, ax: Any) -> None:
    """The class that the rule predicts at each point of the plane, as a pale background."""
    from matplotlib.colors import ListedColormap

    regions = divide_plane(fit, plane, GRID)
    L = len(fit.classes)
    ax.pcolormesh(regions.x, regions.y, regions.codes, cmap=ListedColormap([colour(k) for k in range(L)]), vmin=-0.5, vmax=L - 0.5,
                  alpha=0.13, shading="nearest", zorder=0, rasterized=True)  # fmt: skip
    if len(np.unique(regions.codes)) > 1:
        for k in np.unique(regions.codes):
            inside = (regions.codes == k).astype(float)
            ax.contour(regions.x, regions.y, inside, levels=[0.5], colors=GREY, linewidths=0.6, zorder=1)
    ax.set(xlim=regions.extent[:2], ylim=regions.extent[2:])


@framed
def radii(fit: Fitted, eps: Any = None, balls: bool = True) -> Any:
    """Plot the fit at several radii side by side (Bien and Tibshirani 2011, figure 1).

    Parameters
    ----------
    eps : sequence, optional
        Radii. Default: six of the default grid, evenly from the second to the last.
    balls : bool
        Whether to draw the balls.
    """
    fits = fit_radii(fit, eps)
    drawn = [choose_rows(other, None) for other in fits]
    plane = make_plane(fit, rows=np.unique(np.concatenate(drawn)))  # all fits have the dissimilarities of the first
    across = min(3, len(fits))
    wide, high = np.ptp(plane.rows[np.isfinite(plane.rows).all(axis=1)], axis=0)
    tall = np.clip(0.5 + PANEL * high / wide, 1.9, 2.9) if plane.one_unit and wide else 2.9
    figure, places = panels(-(-len(fits) // across), across, PANEL, tall)
    shown = places.ravel()[: len(fits)]
    for ax in places.ravel()[len(fits) :]:
        ax.set_axis_off()
    for ax, other, rows in zip(shown, fits, drawn, strict=True):
        draw_plane(other, plane, rows, axes(ax, 4.2, 3.7), balls)
        ax.set(xlabel="", ylabel="")
        model: Any = other.model
        ax.set_title(f"eps = {model.eps:.3g}: {len(other.rule.prototypes)} prototypes", fontsize="medium")
        handles = _make_entries(fit, ax)
        ax.label_outer()
        ax.set_adjustable("box")
    for side in ("xlim", "ylim"):  # one scale for all, as only the outer axes are labelled
        ends = np.array([getattr(ax, f"get_{side}")() for ax in shown])
        for ax in shown:
            ax.set(**{side: (ends[:, 0].min(), ends[:, 1].max())})
    if balls and max(len(list_shown(other)) for other in fits) > BALLS:
        figure.suptitle(f"balls of the first {BALLS} prototypes of each; misclassified rows have a red ring", fontsize="medium")
    figure.supxlabel(plane.axes[0], fontsize="medium")
    figure.supylabel(plane.axes[1].replace(": ", ":\n"), fontsize="medium")
    entries = count_names(handles, [handle.get_label() for handle in handles])
    title = shorten(str(fit.frame.formula.response), 24)
    figure.legend(*entries, title=title, loc="outside right center", fontsize="small", frameon=False)
    return figure
