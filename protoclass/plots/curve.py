"""The cross-validated error curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba

from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from ..views.curve import (
    Curve,
    check_axis,
    check_band,
    lie_far_above,
    limit_errors,
    nearest_row_error,
    sort_by_size,
    sort_frontier,
    space_out,
    trace_curve,
    within_one_se,
)
from ..views.words import MEASURES, describe_axis, describe_selection, name_sizes, write_number, write_value
from .style import axes, colour, faint, framed, has_room, ink, key, mark, plain_log


@framed
def curve(validation: ErrorCurve, x: Any = None, ax: Any = None, band: float | None = None) -> Any:
    """Plot the error curve: error +- 1 SE, size on the top axis, lines at the lowest error and the 1-SE point.

    The axis of the errors ends at the data. The shaded region is within one standard error of the lowest error. The no-information error
    is a mark at the right edge.

    Parameters
    ----------
    x : str, optional
        Parameter on the horizontal axis, if several were tuned; each value of the others is a line. "size": the error against the
        number of prototypes. "frontier": the lowest error for each number of prototypes, with and without correction (see
        `Validation.frontier`), with the selected point and 1-NN.
    ax : Axes, optional
        Axes to draw on.
    band : float between 0 and 1, optional
        Level of the simultaneous band of `band()`, which is shaded, and truncated at 0 in the plot.
    """
    check_axis(validation, x)
    check_band(validation, x, band)
    ax = axes(ax, 8.0, 4.6)
    if not len(validation.grid.columns):
        return _draw_single(validation, ax)
    if x == "size":
        return _draw_by_size(validation, ax, band)
    if x == "frontier":
        return _draw_frontier(validation, ax)
    return _draw_lines(validation, trace_curve(validation, x, band), ax)


def curve_of_fit(fit: Fitted, ax: Any, x: Any = None, band: float | None = None) -> Any:
    """The curve of the cross-validation of a fit."""
    if fit.curve is None:
        raise NotAvailable("nothing was cross-validated: use cv=10, or a parameter to tune, such as eps='grid'")
    return curve(fit.curve, x, ax, band)


def frontier_of_fit(fit: Fitted, ax: Any) -> Any:
    """The frontier of the cross-validation of a fit."""
    return curve_of_fit(fit, ax, "frontier")


def _draw_frontier(validation: ErrorCurve, ax: Any) -> Any:
    """The lowest error for each number of prototypes, which is valid from its own size up to the next."""
    table, name, point = sort_frontier(validation), validation.measure_name, validation.chosen_by_call()
    size, error, noun = float(validation.rule_sizes[point]), float(validation.choice.error[point]), name_sizes(validation)
    ends = pd.DataFrame([*table.to_dict("records"), {**table.iloc[-1], "size": max(size, 1.15 * float(table["size"].iloc[-1]))}])
    steps = {"where": "post", "lw": 1.4}
    low, high, shade = ends["error"] - ends["se"], ends["error"] + ends["se"], colour(0)
    ax.fill_between(ends["size"], low, high, step="post", fc=to_rgba(shade, 0.18), ec=to_rgba(shade, 0.6), lw=0.8)
    ax.step(ends["size"], ends["error"], color=colour(0), label=f"lowest held-out {name}, +- 1 SE", **steps)
    ax.step(ends["size"], ends["corrected"], ls="--", color=colour(1), label=f"corrected {name}", **steps)
    label = f"selected: {write_number(round(size, 1))} {noun}"
    ax.plot(size, error, "o", ms=8, mfc="none", mew=1.6, color=ink(ax), label=label)
    nearest = nearest_row_error(validation)
    if nearest == nearest:
        ax.axhline(nearest, ls=":", lw=1.2, color=ink(ax), label=f"1-NN (all rows are prototypes): {write_number(nearest)}")
    ax.set_xscale("log")
    plain_log(ax.xaxis)
    _limit(validation, pd.concat([ends[["error", "se"]], pd.DataFrame({"error": [nearest, error], "se": 0.0})]), ax)
    ax.set_xlabel(f"maximum {'size' if noun == 'size' else f'number of {noun}'} (log scale)")
    ax.set_title(f"Minimum {name} by {'size' if noun == 'size' else f'number of {noun}'}", fontsize="medium")
    return key(ax).axes


def _draw_lines(validation: ErrorCurve, traced: Curve, ax: Any) -> Any:
    table, x, others = validation.table, traced.x, traced.others
    for k, (name, part) in enumerate(traced.lines):
        style = {"fmt": f"{mark(k)}-", "ms": 4, "lw": 1, "capsize": 2, "color": colour(k)}
        ax.errorbar(
            part["position"],
            part["error"],
            part["se"],
            label=name or f"held-out {validation.measure_name}, +- 1 SE",
            **style,
        )
        if traced.band is not None and validation.one_se in part.index:  # bands of several lines would hide one another
            place = f" at {name}" if name else ""
            _draw_band(part.sort_values("position", kind="stable"), "position", traced.band, place, colour(k), ax)
    if traced.ticks is not None:
        ax.set_xticks(range(len(traced.ticks)), traced.ticks)
    scaled = _scale_along(ax, traced.log)
    _draw_choice(validation, ax, traced.positions, lambda g: ", ".join(f"{k} = {write_value(table[k].iloc[g])}" for k in [x, *others]))
    drawn = pd.concat([part for _, part in traced.lines])
    _limit(validation, drawn, ax, drawn["position"])
    ax.set_xlabel(f"{describe_axis(validation, x)}{scaled}")
    if not others and traced.ticks is None and has_room(ax):
        _draw_sizes(validation, x, ax)
    shown = len(traced.lines)
    return key(ax, title=f"{shown} of {traced.count} lines" if shown < traced.count else None).axes


def _scale_along(ax: Any, log: bool) -> str:
    """A horizontal axis of logarithms, if it should be one; returns the remark for its label."""
    if log:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    return " (log scale)" if log else ""


def _draw_choice(validation: ErrorCurve, ax: Any, positions: Any, write: Callable[[int], str]) -> None:
    """Lines at the minimum error and at the 1-SE choice, the range within 1 SE of the minimum, and the choice in words."""
    for point, ls, name in (
        (validation.best, ":", f"minimum {validation.measure_name}"),
        (validation.one_se, "--", "1-SE choice"),
    ):
        ax.axvline(positions[point], ls=ls, lw=1.2, color=ink(ax), label=_with_value(ax, name, write(point)))
    limit = within_one_se(validation)
    if limit == limit:
        least = float(validation.table["error"].iloc[validation.best])
        ax.axhspan(least, limit, fc=faint(ax), lw=0, zorder=0, label=_with_value(ax, "within 1 SE", f"up to {write_number(limit)}"))
    ax.set_title(describe_selection(validation), fontsize="medium")


def _with_value(ax: Any, name: str, value: str) -> str:
    """An entry of a legend; small Axes have no room for its value."""
    return f"{name}: {value}" if has_room(ax) else name


def _limit(validation: ErrorCurve, table: pd.DataFrame, ax: Any, places: Any = None) -> None:
    """An axis that ends at the data, and at its edge the no-information error, and an error that is far above all others."""
    ax.set_ylabel(MEASURES[validation.measure])
    errors, places = table["error"].to_numpy(float), np.asarray([] if places is None else places, float)
    far = lie_far_above(errors, places) if len(places) else np.zeros(len(errors), bool)
    ax.set_ylim(*limit_errors(table[~far]))
    if far.any():
        place, said = places[far][0], [write_number(error) for error in np.unique(errors[far])]
        edge = {"color": ink(ax), "clip_on": False, "zorder": 5}
        ax.plot(place, 1.0, "^", ms=7, transform=ax.get_xaxis_transform(), **edge)
        side = 1 if ax.transAxes.inverted().transform(ax.transData.transform((place, 0.0)))[0] < 0.5 else -1
        ax.annotate(f"{' to '.join(dict.fromkeys([said[0], said[-1]]))}\n(above)", (place, 1.0), (8 * side, -4),
                    xycoords=ax.get_xaxis_transform(), textcoords="offset points", ha="left" if side > 0 else "right", va="top",
                    fontsize="small", color=ink(ax), zorder=6)  # fmt: skip
    mark_no_information(ax, validation.no_information)


def mark_no_information(ax: Any, value: float) -> None:
    """A mark at the right edge of an axis of errors: the error of always predicting the most common class."""
    low, high = ax.get_ylim()
    height, above = min(max((value - low) / (high - low), 0.0), 1.0), value > high
    label = f"no-information error: {write_number(value)}{' (above)' if above else ''}"
    style = {"ms": 7, "color": ink(ax), "clip_on": False, "zorder": 5, "ls": "none", "label": label if has_room(ax) else None}
    ax.plot([1.0], [height], "^" if above else "<", transform=ax.transAxes, **style)


def _draw_band(part: Any, x: str, level: float, of: str, fill: str, ax: Any) -> None:
    """The simultaneous band of a curve."""
    label = f"{100 * level:.4g} % simultaneous band{of}"
    ax.fill_between(part[x], part["band_low"], part["band_high"], fc=to_rgba(fill, 0.18), ec=to_rgba(fill, 0.6), lw=0.8, label=label)


def _draw_sizes(validation: ErrorCurve, x: str, ax: Any) -> None:
    """Mean size of the rules on the top axis, if there is room for the numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator

    places = validation.table[x].to_numpy(float)
    kept = space_out(ax.transData.transform(np.column_stack([places, places]))[:, 0])
    top = ax.secondary_xaxis("top")
    scale = ax.xaxis.get_transform()
    top.set_xscale("function", functions=(scale.transform, scale.inverted().transform))
    top.xaxis.set_major_locator(FixedLocator(places[kept]))
    top.xaxis.set_minor_locator(NullLocator())
    top.set_xticklabels([write_number(round(v, 1)) for v in validation.table["size"].iloc[kept]])
    top.set_xlabel(write_sizes(validation))


def write_sizes(validation: ErrorCurve) -> str:
    """The label of an axis of sizes."""
    noun = name_sizes(validation)
    return f"{noun if noun == 'size' else f'number of {noun}'}, mean over folds"


def _draw_by_size(validation: ErrorCurve, ax: Any, band: float | None = None) -> Any:
    """The error against the mean size over folds; if all training rows are prototypes, the rule is 1-NN."""
    table, full = sort_by_size(validation, band)
    single = len(validation.grid.columns) == 1  # several parameters make no line
    style = {"fmt": "o-" if single else "o", "ms": 4, "lw": 1, "capsize": 2, "color": colour(0)}
    ax.errorbar(
        table["size"], table["error"], table["se"], label=f"held-out {validation.measure_name}, +- 1 SE", **style
    )
    if band is not None:
        _draw_band(table, "size", band, "", colour(0), ax)
    sizes = validation.table["size"].to_numpy(float)
    _draw_choice(validation, ax, sizes, lambda g: f"{write_number(round(float(sizes[g]), 1))} {name_sizes(validation)}")
    if full:
        last = table.iloc[-1]
        ax.plot(last["size"], last["error"], "s", ms=9, mfc="none", color=colour(1), label="1-NN (all rows are prototypes)")
    scaled = _scale_along(ax, bool(table["size"].max() > 10 * table["size"].min() > 0))
    _limit(validation, table, ax, table["size"])
    ax.set_xlabel(f"{write_sizes(validation)}{scaled}")
    return key(ax).axes


def _draw_single(validation: ErrorCurve, ax: Any) -> Any:
    row, name = validation.table.iloc[0], f"held-out {validation.measure_name}, +- 1 SE"
    ax.errorbar([0], [row["error"]], [row["se"]], fmt="o", capsize=4, color=colour(0), label=name)
    _limit(validation, validation.table, ax)
    ax.set(xticks=[0], xticklabels=[validation.problem.model.name], xlabel="method", xlim=(-1, 1))
    return key(ax).axes
