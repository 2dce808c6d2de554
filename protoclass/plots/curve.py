"""The cross-validated error curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.colors import to_rgba

from ..settings import COLOURS
from ..views.curve import (
    Curve,
    check_axis,
    check_band,
    find_slice,
    limit_errors,
    make_cells,
    sort_by_size,
    space_sizes,
    trace_curve,
)
from ..views.words import MEASURES, PARAMETERS, write_number, write_value
from .style import GREY, axes, colour, ink, mark, plain_log

if TYPE_CHECKING:
    from ..estimation.validation import Validation


def curve(validation: Validation, x: Any = None, ax: Any = None, band: float | None = None) -> Any:
    """Error against a parameter with +- 1 SE, the size on top, and lines at the least error and at the 1-SE choice.

    With x = "size" against the mean size of the rules (PVM paper, figures 3 and 9); with a pair of parameters a heat map. With a
    level, `band`, the simultaneous band of the curve.
    """
    pair, count = check_axis(validation, x), len(validation.grid.columns)
    check_band(validation, x, band)
    ax = axes(ax, 6.4 if count < 2 or pair or x == "size" else 8.6)
    if not count:
        return _draw_single(validation, ax)
    if x == "size":
        return _draw_by_size(validation, ax, band)
    if pair:
        return _draw_heat(validation, (x[0], x[1]), ax)
    return _draw_lines(validation, trace_curve(validation, x, band), ax)


def _draw_lines(validation: Validation, traced: Curve, ax: Any) -> Any:
    table, x, others = validation.table, traced.x, traced.others
    labels = limit_errors(table, validation.no_information)[1]
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
            of = f" of the curve at {name}" if name else " of the curve"
            _draw_band(part.sort_values("position", kind="stable"), "position", traced.band, of, colour(k), ax)
    for k, name in ((4, "cover_error"), (3, "bound")):
        if name in table and not others:
            ax.plot(traced.positions, table[name], "-", lw=1, color=COLOURS[k], label=labels[name])
    if traced.ticks is not None:
        ax.set_xticks(range(len(traced.ticks)), traced.ticks)
    elif traced.log:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    for point, ls, name in (
        (validation.best, ":", f"least {validation.measure_name}"),
        (validation.one_se, "--", "1-SE choice"),
    ):
        chosen = ", ".join(f"{k} = {write_value(table[k].iloc[point])}" for k in [x, *others])
        ax.axvline(traced.positions[point], ls=ls, lw=1.2, color=ink(ax), label=f"{name}: {chosen}")
    _draw_no_information(validation, ax, traced.highest)
    ax.set_xlabel(f"{PARAMETERS.get(x, x)}{' (log scale)' if ax.get_xscale() == 'log' else ''}")
    if not others and traced.ticks is None:
        _draw_sizes(validation, x, ax)
    if others:
        shown = len(traced.lines)
        some = f"{shown} of {traced.count} lines" if shown < traced.count else None
        ax.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), title=some)
    else:
        ax.legend(fontsize="small", frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    return ax


def _draw_band(part: Any, x: str, level: float, of: str, fill: str, ax: Any) -> None:
    """The simultaneous band of a curve."""
    label = f"band{of}, {100 * level:.4g} %"
    ax.fill_between(part[x], part["band_low"], part["band_high"], fc=to_rgba(fill, 0.18), ec=to_rgba(fill, 0.6), lw=0.8, label=label)


def _draw_no_information(validation: Validation, ax: Any, highest: float = 0.0) -> None:
    top, labels = limit_errors(validation.table, validation.no_information)
    top = max(top, 1.05 * highest)
    ax.axhline(validation.no_information, ls="-.", lw=1, color=GREY, label=labels["no_information"])
    ax.set_ylabel(MEASURES[validation.measure])
    ax.set_ylim(0, top)


def _draw_heat(validation: Validation, pair: tuple[str, str], ax: Any) -> Any:
    """Error over two parameters, the others at their 1-SE choice; the least error and the choice are marked."""
    at = find_slice(validation, pair, validation.one_se)
    table, cells = validation.table.iloc[at], make_cells(validation, pair, at)
    others = [k for k in validation.grid if k not in pair]
    image = ax.imshow(cells, origin="lower", aspect="auto", cmap="viridis_r")
    for axis, values in ((ax.xaxis, cells.columns), (ax.yaxis, cells.index)):
        step = max(1, len(values) // 12)
        names = [write_value(v) for v in values[::step]]
        steep = axis is ax.xaxis and sum(map(len, names)) > 40
        axis.set_ticks(range(0, len(values), step), names, rotation=60 if steep else 0)
    for point, sign, name in (
        (validation.best, "x", f"least {validation.measure_name}"),
        (validation.one_se, "s", "1-SE choice"),
    ):
        if point not in table.index:  # the least error lies at other values of the parameters that are fixed here
            continue
        spot = cells.columns.get_loc(table[pair[0]].loc[point]), cells.index.get_loc(table[pair[1]].loc[point])
        ax.plot(*spot, sign, ms=11, mew=2, mfc="none", color="#D55E00", ls="none", label=name)
    ax.set(xlabel=PARAMETERS.get(pair[0], pair[0]), ylabel=PARAMETERS.get(pair[1], pair[1]))
    ax.set_title(", ".join(f"{k} = {write_value(table[k].iloc[0])}" for k in others), fontsize="medium")
    ax.figure.colorbar(image, ax=ax, label=MEASURES[validation.measure])
    if ax.get_legend_handles_labels()[0]:
        above = 1.06 if others else 1.0
        ax.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, above), ncols=2, frameon=False)
    return ax


def _draw_sizes(validation: Validation, x: str, ax: Any) -> None:
    """Mean size of the rules on the top axis, where there is room for the numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator

    table = space_sizes(validation.table, x, ax.get_xscale() == "log")
    top = ax.secondary_xaxis("top")
    top.xaxis.set_major_locator(FixedLocator(table[x].to_list()))
    top.xaxis.set_minor_locator(NullLocator())
    top.set_xticklabels([write_number(round(v, 1)) for v in table["size"]])
    top.set_xlabel("size (mean over folds)")


def _draw_by_size(validation: Validation, ax: Any, band: float | None = None) -> Any:
    """The error against the mean size over folds; where all training rows are prototypes the rule is 1-NN."""
    table, full = sort_by_size(validation, band)
    one = len(validation.grid.columns) == 1  # several parameters make no line
    style = {"fmt": "o-" if one else "o", "ms": 4, "lw": 1, "capsize": 2, "color": colour(0)}
    ax.errorbar(
        table["size"], table["error"], table["se"], label=f"held-out {validation.measure_name}, +- 1 SE", **style
    )
    if band is not None:
        _draw_band(table, "size", band, " of the curve", colour(0), ax)
    for point, ls, name in (
        (validation.best, ":", f"least {validation.measure_name}"),
        (validation.one_se, "--", "1-SE choice"),
    ):
        size = validation.table["size"].iloc[point]
        ax.axvline(size, ls=ls, lw=1.2, color=ink(ax), label=f"{name}: size {write_number(round(float(size), 1))}")
    if full:
        last = table.iloc[-1]
        ax.plot(last["size"], last["error"], "s", ms=9, mfc="none", color=colour(1), label="all rows kept: 1-NN")
    if table["size"].min() > 0:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    _draw_no_information(validation, ax, float(table["band_high"].max()) if band is not None else 0.0)
    ax.set_xlabel(f"size (mean over folds{', log scale' if ax.get_xscale() == 'log' else ''})")
    ax.legend(fontsize="small", framealpha=0.9)
    return ax


def _draw_single(validation: Validation, ax: Any) -> Any:
    row, name = validation.table.iloc[0], f"held-out {validation.measure_name}, +- 1 SE"
    ax.errorbar(
        [0],
        [row["error"]],
        [row["se"]],
        fmt="o",
        capsize=4,
        color=COLOURS[0],
        label=name,
    )
    _draw_no_information(validation, ax)
    ax.set(xticks=[0], xticklabels=[validation.problem.model.name], xlabel="method", xlim=(-1, 1))
    ax.legend(fontsize="small")
    return ax
