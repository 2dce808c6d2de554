"""The cross-validated error curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from ..views.curve import (
    Curve,
    check_axis,
    check_band,
    find_gaps,
    find_slice,
    lie_far_above,
    limit_cells,
    limit_errors,
    make_cells,
    nearest_row_error,
    sort_by_size,
    sort_frontier,
    space_out,
    trace_curve,
    within_one_se,
)
from ..views.words import MEASURES, describe_axis, describe_selection, name_sizes, write_number, write_value
from .layout import framed, keep_within
from .style import (
    RISING,
    SHADE,
    axes,
    colour,
    factor,
    faint,
    has_room,
    ink,
    key,
    letters_on,
    mark,
    paper,
    plain_log,
    scale_letters,
    shade_bar,
)

WRITTEN = 80  # cells of a heat map in which the error is written
STRIP = (-0.32, 0.22)  # bottom and height of Axes with a separate scale below Axes, in proportion to their height


@framed
def curve(validation: ErrorCurve, x: Any = None, ax: Any = None, band: float | None = None) -> Any:
    """Plot the error curve: error +- 1 SE, size on the top axis, lines at the lowest error and the 1-SE point.

    The axis of the errors ends at the data. The shaded region is within one standard error of the lowest error. The no-information error
    is a mark at the right edge, with its value. The cover error and the bound, if the method has them, are in a separate strip.

    Parameters
    ----------
    x : str or pair of str, optional
        Parameter on the horizontal axis, if several were tuned; each value of the others is a line. "size": the error against the
        number of prototypes. "frontier": the lowest error for each number of prototypes, with and without correction (see
        `Validation.frontier`), with the selected point and 1-NN. A pair of parameters: a heat map of the error.
    ax : Axes, optional
        Axes to draw on.
    band : float between 0 and 1, optional
        Level of the simultaneous band of `band()`, which is shaded, and truncated at 0 in the plot.
    """
    pair, count = check_axis(validation, x), len(validation.grid.columns)
    check_band(validation, x, band)
    ax = axes(ax, 6.4 if count < 2 or pair or x == "size" else 8.6, 5.0)
    if not count:
        return _draw_single(validation, ax)
    if x == "size":
        return _draw_by_size(validation, ax, band)
    if x == "frontier":
        return _draw_frontier(validation, ax)
    if pair:
        return _draw_heat(validation, (x[0], x[1]), ax)
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
    steps = {"where": "post", "lw": 1.4 * factor(ax)}
    low, high, shade = ends["error"] - ends["se"], ends["error"] + ends["se"], colour(0)
    ax.fill_between(ends["size"], low, high, step="post", fc=to_rgba(shade, 0.18), ec=to_rgba(shade, 0.6), lw=0.8)
    ax.step(ends["size"], ends["error"], color=colour(0), label=f"lowest held-out {name}, +- 1 SE", **steps)
    ax.step(ends["size"], ends["corrected"], ls="--", color=colour(1), label=f"corrected {name}", **steps)
    label = f"selected: {write_number(round(size, 1))} {noun}"
    ax.plot(size, error, "o", ms=8 * factor(ax), mfc="none", mew=1.6, color=ink(ax), label=label)
    nearest = nearest_row_error(validation)
    if nearest == nearest:
        ax.axhline(nearest, ls=":", lw=1.2, color=ink(ax), label=f"1-NN (all rows are prototypes): {write_number(nearest)}")
    ax.set_xscale("log")
    plain_log(ax.xaxis)
    _limit(validation, pd.concat([ends[["error", "se"]], pd.DataFrame({"error": [nearest, error], "se": 0.0})]), ax)
    ax.set_xlabel(f"maximum {'size' if noun == 'size' else f'number of {noun}'} (log scale)")
    ax.set_title(f"Minimum {name} by {'size' if noun == 'size' else f'number of {noun}'}", fontsize="medium")
    key(ax, "below", ncols=2, values=True)
    return ax


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
    scaled = scale_along(ax, traced.positions, traced.log)
    _draw_choice(validation, ax, traced.positions, lambda g: ", ".join(f"{k} = {write_value(table[k].iloc[g])}" for k in [x, *others]))
    drawn = pd.concat([part for _, part in traced.lines])
    _limit(validation, drawn, ax, drawn["position"])
    ax.set_xlabel(f"{describe_axis(validation, x)}{scaled}")
    if not others and traced.ticks is None and has_room(ax):
        _draw_sizes(validation, x, ax)
    strip = () if others or not has_room(ax) else tuple(name for name in ("cover_error", "bound") if name in table)
    if strip:
        draw_strip(table, traced.positions, strip, ax, traced.log)
    if others:
        shown = len(traced.lines)
        title = f"{shown} of {traced.count} lines" if shown < traced.count else None
        key(ax, "right", title, away=22, values=True)
    else:
        key(ax, "below", ncols=2, values=True)
    return ax


def _draw_choice(validation: ErrorCurve, ax: Any, positions: Any, write: Callable[[int], str]) -> None:
    """Lines at the minimum error and at the 1-SE choice, the range within 1 SE of the minimum, and the choice in words."""
    for point, ls, name in (
        (validation.best, ":", f"minimum {validation.measure_name}"),
        (validation.one_se, "--", "1-SE choice"),
    ):
        ax.axvline(positions[point], ls=ls, lw=1.2, color=ink(ax), label=f"{name}: {write(point)}")
    limit = within_one_se(validation)
    if limit == limit:
        least = float(validation.table["error"].iloc[validation.best])
        label = f"within 1 SE: up to {write_number(limit)}"
        ax.axhspan(least, limit, fc=faint(ax), lw=0, zorder=0, label=label)
    ax.set_title(describe_selection(validation), fontsize="medium")


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
        ax.annotate(f"{' to '.join(dict.fromkeys([said[0], said[-1]]))}\n(above)", (place, 1.0), (8 * side * factor(ax), -4),
                    xycoords=ax.get_xaxis_transform(), textcoords="offset points", ha="left" if side > 0 else "right", va="top",
                    fontsize="small", color=ink(ax), zorder=6)  # fmt: skip
    mark_no_information(ax, validation.no_information)


def mark_no_information(ax: Any, value: float) -> None:
    """A mark at the right edge of an axis of errors: the error of always predicting the most common class, with its number."""
    low, high = ax.get_ylim()
    height = min(max((value - low) / (high - low), 0.0), 1.0)
    above = value > high
    ax.plot([1.0], [height], "^" if above else "<", ms=7, color=ink(ax), transform=ax.transAxes, clip_on=False, zorder=5)
    apart = " " if has_room(ax) else "\n"
    words = f"no-information error:{apart}{write_number(value)}{' (above)' if above else ''}"
    beside = {"rotation": 90, "ha": "left", "va": "top" if height > 0.5 else "bottom", "color": ink(ax), "fontsize": "small"}
    ax.annotate(words, (1.0, height), (9 * factor(ax), 0), xycoords="axes fraction", textcoords="offset points", **beside)


BREAK = 0.12  # of the rest of an axis is as wide as a gap that is broken


def scale_along(ax: Any, places: Any, log: bool) -> str:
    """Scale the horizontal axis for places on it, with a break in each of `find_gaps`; returns the remark for its label."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    measure, value = (np.log, np.exp) if log else (np.asarray, np.asarray)
    places = np.unique(np.asarray(places, float))
    along = measure(places)
    gaps = find_gaps(along)
    if not len(gaps):
        if log:
            ax.set_xscale("log")
            plain_log(ax.xaxis)
        return " (log scale)" if log else ""
    ends, span = gaps.ravel(), float(np.ptp(along))
    steps = np.diff(ends)
    width = BREAK * (span - float(steps[::2].sum()))
    steps[::2] = width
    true = np.array([ends[0] - span, *ends, ends[-1] + span])
    shown = true[0] + np.array([0.0, span, *(span + steps.cumsum()), 2 * span + steps.sum()])

    def forward(x: Any) -> Any:
        return np.interp(measure(np.maximum(x, places[0] / 1e9)) if log else x, true, shown)

    def back(x: Any) -> Any:
        return value(np.interp(x, shown, true))

    ax.set_xscale("function", functions=(forward, back))
    lone = places[[k for k in (0, -1) if along[k] in ends]]
    near = np.setdiff1d(places, lone)
    if log:
        powers = 10.0 ** np.arange(np.floor(np.log10(near[0])), np.ceil(np.log10(near[-1])) + 1)
        ticks = np.outer(powers, (1, 2, 5) if near[-1] > 10 * near[0] else (1, 2, 3, 4, 5, 7)).ravel()
    else:
        ticks = np.asarray(MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(near[0], near[-1]))
    inside = (measure(ticks)[:, None] > gaps[:, 0]) & (measure(ticks)[:, None] < gaps[:, 1])
    ticks = ticks[(ticks >= near[0]) & (ticks <= near[-1]) & ~inside.any(axis=1)]
    ax.xaxis.set_major_locator(FixedLocator(np.union1d(lone, ticks).tolist()))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda tick, _: f"{tick:.3g}"))
    for low, high in gaps:
        sides = value(low + (high - low) * np.array([0.4, 0.6]))
        ax.axvspan(*sides, fc=paper(ax), lw=0, zorder=3)
        for side in sides:
            ax.axvline(side, lw=0.8, color=ink(ax), zorder=3)
    said = " and".join(f" from {write_number(low)} to {write_number(high)}" for low, high in value(gaps)) if has_room(ax) else ""
    return f" ({'log scale, ' if log else ''}broken{said})"


def draw_strip(table: pd.DataFrame, positions: Any, names: tuple[str, ...], ax: Any, log: bool) -> Any:
    """The cover error or the bound, whose scale differs from the scale of the errors, on separate Axes below them."""
    from matplotlib.transforms import ScaledTranslation

    small = ax.inset_axes((0.0, STRIP[0], 1.0, STRIP[1]), label="strip")
    for k, name in enumerate(names):
        small.plot(positions, table[name], "-", lw=1.2 * factor(ax), color=colour(1 + k))
    scale_along(small, positions, log)
    small.set_xlim(ax.get_xlim())
    small.set_ylim(0, 1.1 * max(float(table[name].max()) for name in names) or 1.0)
    if not log and hasattr(ax.xaxis.get_major_locator(), "locs"):
        small.set_xticks(ax.get_xticks(), [label.get_text() for label in ax.get_xticklabels()])
    small.yaxis.get_major_locator().set_params(nbins=2)
    size = scale_letters(ax, 10)
    small.tick_params(labelsize=size)
    words = " and ".join({"cover_error": "cover error", "bound": "bound on the error"}[name] for name in names)
    small.set_title(f"{words} (separate scale)", fontsize=scale_letters(ax, 8), loc="left", pad=2)
    ax.tick_params(labelbottom=False)
    down = ScaledTranslation(0, -(size + 10) / 72, ax.figure.dpi_scale_trans)
    ax.xaxis.set_label_coords(0.5, STRIP[0], transform=ax.transAxes + down)
    return small


def _draw_band(part: Any, x: str, level: float, of: str, fill: str, ax: Any) -> None:
    """The simultaneous band of a curve."""
    label = f"{100 * level:.4g} % simultaneous band{of}"
    ax.fill_between(part[x], part["band_low"], part["band_high"], fc=to_rgba(fill, 0.18), ec=to_rgba(fill, 0.6), lw=0.8, label=label)


def _draw_heat(validation: ErrorCurve, pair: tuple[str, str], ax: Any) -> Any:
    """Error over two parameters, the others at their 1-SE choice; the minimum, the choice and all within 1 SE are marked."""
    at = find_slice(validation, pair, validation.one_se)
    table, cells = validation.table.iloc[at], make_cells(validation, pair, at)
    others = [k for k in validation.grid if k not in pair]
    low, high = limit_cells(validation)
    image = ax.imshow(cells, origin="lower", aspect="auto", cmap=f"{RISING}_r", vmin=low, vmax=high)
    for axis, values in ((ax.xaxis, cells.columns), (ax.yaxis, cells.index)):
        step = max(1, -(-len(values) // 12))
        axis.set_ticks(range(0, len(values), step), [write_value(v) for v in values[::step]])
    _write_cells(cells, within_one_se(validation), image, ax)
    for point, ls, name in ((validation.one_se, "-", "1-SE choice"), (validation.best, ":", f"minimum {validation.measure_name}")):
        if point not in table.index:  # the minimum is at other values of the fixed parameters
            continue
        x, y = cells.columns.get_loc(table[pair[0]].loc[point]), cells.index.get_loc(table[pair[1]].loc[point])
        by = 0.46 if ls == "-" else 0.4
        ax.add_patch(Rectangle((x - by, y - by), 2 * by, 2 * by, fill=False, ec=SHADE, lw=2.5, ls=ls, label=name))
    ax.set(xlabel=describe_axis(validation, pair[0]), ylabel=describe_axis(validation, pair[1]))
    fixed = ", ".join(f"{k} = {write_value(table[k].iloc[0])}" for k in others)
    ax.set_title("; ".join(part for part in (describe_selection(validation), fixed) if part), fontsize="medium")
    extend = "max" if high < float(validation.table["error"].max()) else "neither"
    shade_bar(ax, image, MEASURES[validation.measure] if has_room(ax) else validation.measure_name, extend=extend)
    key(ax, "below", ncols=3)
    return ax


def _write_cells(cells: pd.DataFrame, limit: float, image: Any, ax: Any) -> None:
    """The errors as numbers if there is room, in brackets those within 1 SE of the minimum; otherwise dots for these."""
    values = cells.to_numpy(float)
    inside = values <= limit
    if values.size > WRITTEN or max(values.shape) > 12:
        up, along = np.nonzero(inside)
        ax.plot(along, up, ".", ms=4, color="white", mec="black", mew=0.5, ls="none", label="within 1 SE of the minimum")
        return
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            words = f"{value:.3f}".lstrip("0") or "0"
            words = f"({words})" if inside[i, j] else words
            text = ax.text(j, i, words, ha="center", va="center", fontsize=9, color=letters_on(image.to_rgba(value)))
            keep_within(text, 0.94, 0.94)
    if has_room(ax):
        ax.plot([], [], " ", label="( ): within 1 SE of the minimum")


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
    scaled = scale_along(ax, table["size"], bool(table["size"].min() > 0))
    _limit(validation, table, ax, table["size"])
    ax.set_xlabel(f"{write_sizes(validation)}{scaled}")
    key(ax, "below", ncols=2, values=True)
    return ax


def _draw_single(validation: ErrorCurve, ax: Any) -> Any:
    row, name = validation.table.iloc[0], f"held-out {validation.measure_name}, +- 1 SE"
    ax.errorbar([0], [row["error"]], [row["se"]], fmt="o", capsize=4, color=colour(0), label=name)
    _limit(validation, validation.table, ax)
    ax.set(xticks=[0], xticklabels=[validation.problem.model.name], xlabel="method", xlim=(-1, 1))
    key(ax, "below")
    return ax
