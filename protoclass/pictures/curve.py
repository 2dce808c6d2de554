"""The cross-validated error over the grid: curves and the frontier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba

from ..estimation.cross_validation import frontier
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.checks import is_number
from ..ground.errors import NotAvailableError, OptionError, brief
from ..ground.text import write_number, write_value
from ..tables.words import describe_axis, describe_selection, name_choice, name_sizes
from .plane import take_evenly
from .style import axes, colour, framed, has_room, ink, key, mark, plain_log


@framed
def curve(
    validation: ErrorCurve,
    x: Any = None,
    ax: Any = None,
    band: float | None = None,
    point: int | None = None,
) -> Any:
    """Plot the error curve: error +- 1 SE, size on the top axis, lines at the lowest error and the 1-SE choice.

    The axis of the errors ends at the data.

    Parameters
    ----------
    x : str, optional
        Parameter on the horizontal axis, if several were tuned; each value of the others is a line.
        "size": the error against the number of prototypes. "frontier": the lowest error for each
        number of prototypes, with and without correction (see `Validation.frontier`), with the
        selected point.
    ax : Axes, optional
        Axes to draw on.
    band : float between 0 and 1, optional
        Level of the simultaneous band of `band()`, which is shaded, and truncated at 0 in the plot.
    point : int, optional
        Row of `table` that the title names. Default: the selected row.
    """
    check_axis(validation, x)
    check_band(validation, x, band)
    ax = axes(ax, 8.0, 4.6)
    if not len(validation.grid.columns):
        _draw_single(validation, ax)
    elif x == "frontier":
        _draw_frontier(validation, ax)
    else:
        ax.set_title(describe_selection(validation, point))
        if x != "size":
            return _draw_lines(validation, x, band, ax)
        _draw_by_size(validation, ax, band)
    return key(ax, "best").axes


def curve_of_fit(fit: Fitted, ax: Any, x: Any = None, band: float | None = None) -> Any:
    """The curve of the cross-validation of a fit."""
    if fit._curve is None:
        raise NotAvailableError(
            "nothing was cross-validated: use cv=10, or a parameter to tune, such as eps='grid'"
        )
    return curve(fit._curve, x, ax, band, fit._selection.point)


def check_axis(validation: ErrorCurve, x: Any) -> None:
    """Raise unless x can be the axis of an error curve."""
    names = list(validation.grid)
    if not (x is None or (isinstance(x, str) and x in (*names, "size", "frontier"))):
        raise OptionError(
            f"x must be 'size', 'frontier' or one of the tuned parameters, {names}, not {brief(x)}"
        )


def check_band(validation: ErrorCurve, x: Any, band: Any) -> None:
    """Raise unless `band` is None or a level, and what is drawn a curve or several."""
    if band is None:
        return
    if not is_number(band, 0.0, above=True) or band >= 1:
        raise OptionError(
            f"band must be the level of the band, a number between 0 and 1 such as 0.95, or None, not {brief(band)}"
        )
    count = len(validation.grid.columns)
    if not count or x == "frontier" or (x == "size" and count > 1):
        raise OptionError(
            f"band={brief(band)} needs a curve along a parameter: leave x= out, or use "
            "validation.band() for its numbers"
        )


def with_band(validation: ErrorCurve, band: float | None) -> pd.DataFrame:
    """The table of a validation; with a level, also the ends of its simultaneous band."""
    table = validation.table
    return table if band is None else table.join(validation.band(band)[["band_low", "band_high"]])


def main_parameter(table: pd.DataFrame, names: list[str]) -> str:
    """The parameter that a curve is drawn along by default: a numeric one, and of several the one with most values."""
    return max(names, key=lambda k: (table[k].dtype.kind in "if", table[k].nunique()))


def place_values(values: pd.Series) -> tuple[np.ndarray, list[str] | None]:
    """Positions of a parameter's values on an axis: themselves, or (for names, and where inf is
    among them) ranks and names.
    """
    if values.dtype.kind in "if" and np.isfinite(values).all():
        return values.to_numpy(float), None
    ranks = np.unique(values.to_numpy(), return_inverse=True)[1]
    return np.asarray(ranks, float), [write_value(v) for v in sorted(values.unique())]


def limit_errors(table: pd.DataFrame) -> tuple[float, float]:
    """The ends of an axis for the errors of a table with their standard errors, and with its band where it has one.

    Examples
    --------
    >>> errors = pd.DataFrame({"error": [0.24, 0.26], "se": [0.01, 0.02]})
    >>> [round(end, 3) for end in limit_errors(errors)]
    [0.226, 0.284]
    """
    se = table["se"].fillna(0.0)
    bands = [table[name] for name in ("band_low", "band_high") if name in table]
    return find_ends(np.concatenate([table["error"] - se, table["error"] + se, *bands]))


def find_ends(values: np.ndarray) -> tuple[float, float]:
    """The ends of an axis of errors: those of the data and a margin; from 0 where that adds little.

    Examples
    --------
    >>> find_ends(np.array([0.5, 1.0]))
    (0.46, 1.04)
    >>> find_ends(np.array([0.2, 1.0]))
    (0.0, 1.08)
    """
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    if low < 0.35 * high or low == high:
        return 0.0, 1.08 * high or 1.0
    margin = 0.08 * (high - low)
    return low - margin, high + margin


def _draw_lines(validation: ErrorCurve, x: str | None, band: float | None, ax: Any) -> Any:
    """The error along a parameter, a line for each setting of the others: at most 8, those of the
    chosen points among them.

    By default the parameter is numeric, and of several the one with most values.
    """
    table, names = with_band(validation, band), list(validation.grid)
    x = x or main_parameter(table, names)
    positions, ticks = place_values(table[x])
    table, others = table.assign(position=positions), [k for k in names if k != x]
    groups = [*table.groupby(others, sort=True)] if others else [((), table)]
    chosen = {
        i
        for i, (_, part) in enumerate(groups)
        if {validation._choice.best, validation._choice.one_se} & set(part.index)
    }
    # eight values of a second parameter get a line
    even = take_evenly(len(groups), 8 - len(chosen))
    shown = [groups[i] for i in sorted(chosen | set(even.tolist()))]
    for k, (values, part) in enumerate(shown):
        name = ", ".join(
            f"{n} = {write_value(v)}" for n, v in zip(others, np.atleast_1d(values), strict=True)
        )
        _draw_errors(ax, part["position"], part, f"{mark(k)}-", colour(k), name)
        # bands of several lines would hide one another
        if band is not None and validation._choice.one_se in part.index:
            _draw_band(
                part.sort_values("position", kind="stable"),
                "position",
                band,
                f" at {name}" if name else "",
                colour(k),
                ax,
            )
    if ticks is not None:
        ax.set_xticks(range(len(ticks)), ticks)
    log = ticks is None and positions.max() > 10 * positions.min() > 0
    _scale_along(ax, describe_axis(validation, x), log)
    _draw_choice(validation, ax, positions)
    _limit(validation, pd.concat([part for _, part in shown]), ax)
    if not others and ticks is None and has_room(ax):
        _draw_sizes(validation, x, ax)
    title = f"{len(shown)} of {len(groups)} lines" if len(shown) < len(groups) else None
    return key(ax, "right" if len(shown) > 1 else "best", title).axes


def _draw_errors(
    ax: Any,
    places: Any,
    table: pd.DataFrame,
    form: str,
    shade: str,
    name: str = "",
) -> None:
    ax.errorbar(
        places,
        table["error"],
        table["se"],
        fmt=form,
        ms=4,
        lw=1,
        capsize=2,
        color=shade,
        label=name or None,
    )


def _scale_along(ax: Any, label: str, log: bool) -> None:
    """A horizontal axis with its label, of logarithms if it should be one."""
    if log:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.set_xlabel(f"{label}{' (log scale)' if log else ''}")


def _draw_choice(validation: ErrorCurve, ax: Any, positions: Any) -> None:
    """Lines at the minimum error and at the 1-SE choice."""
    best, one_se = validation._choice.best, validation._choice.one_se
    for point, ls, name in (
        (best, ":", f"minimum {validation._measure_name}"),
        (one_se, "--", "1-SE choice"),
    ):
        ax.axvline(positions[point], ls=ls, lw=1.2, color=ink(ax), label=name)


def within_one_se(validation: ErrorCurve) -> float:
    """The largest error that is within one standard error of the least; NaN where there is no standard error."""
    row = validation.table.iloc[validation._choice.best]
    return row["error"] + row["se"]


def _limit(validation: ErrorCurve, table: pd.DataFrame, ax: Any) -> None:
    """An axis of errors that ends at the data."""
    ax.set_ylabel(f"cross-validated {validation._measure_name} (+- 1 SE)")
    ax.set_ylim(*limit_errors(table))


def _draw_band(part: Any, x: str, level: float, of: str, fill: str, ax: Any) -> None:
    """The simultaneous band of a curve."""
    label = f"{100 * level:.4g} % simultaneous band{of}"
    ax.fill_between(
        part[x],
        part["band_low"],
        part["band_high"],
        fc=to_rgba(fill, 0.18),
        ec=to_rgba(fill, 0.6),
        lw=0.8,
        label=label,
    )


def _draw_sizes(validation: ErrorCurve, x: str, ax: Any) -> None:
    """Mean size of the rules on the top axis, if there is room for the numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator

    places = validation.table[x].to_numpy(float)
    shown = space_out(ax.transData.transform(np.column_stack([places, places]))[:, 0])
    top = ax.secondary_xaxis("top")
    scale = ax.xaxis.get_transform()
    top.set_xscale("function", functions=(scale.transform, scale.inverted().transform))
    top.xaxis.set_major_locator(FixedLocator(places[shown]))
    top.xaxis.set_minor_locator(NullLocator())
    top.set_xticklabels([f"{v:.0f}" for v in validation.table["size"].iloc[shown]])
    top.set_xlabel(f"{count_sizes(validation)}, mean over folds")


def space_out(places: np.ndarray) -> list[int]:
    """Indices of ascending places on an axis that are far enough apart for their sizes to be written there."""
    indices = [0]
    for i in range(1, len(places)):
        if places[i] - places[indices[-1]] >= np.ptp(places) / 8:
            indices.append(i)
    return indices


def count_sizes(validation: ErrorCurve) -> str:
    """The label of an axis of sizes."""
    noun = name_sizes(validation)
    return noun if noun == "size" else f"number of {noun}"


def _draw_by_size(validation: ErrorCurve, ax: Any, band: float | None) -> None:
    """The error against the mean size over folds."""
    table = with_band(validation, band).sort_values("size", kind="stable")
    form = "o-" if len(validation.grid.columns) == 1 else "o"  # several parameters make no line
    _draw_errors(ax, table["size"], table, form, colour(0))
    if band is not None:
        _draw_band(table, "size", band, "", colour(0), ax)
    _draw_choice(validation, ax, validation.table["size"].to_numpy(float))
    _scale_along(
        ax,
        f"{count_sizes(validation)}, mean over folds",
        table["size"].max() > 10 * table["size"].min() > 0,
    )
    _limit(validation, table, ax)


def _draw_single(validation: ErrorCurve, ax: Any) -> None:
    _draw_errors(ax, [0], validation.table, "o", colour(0))
    _limit(validation, validation.table, ax)
    ax.set(xticks=[0], xticklabels=[validation._problem.model.name], xlabel="method", xlim=(-1, 1))


def first_shown(validation: ErrorCurve, sizes: Any) -> int:
    """The index at which pictures of a frontier begin, in its ascending sizes: the last one that
    leaves classes without prototypes, or the first.
    """
    classes = (
        len(validation._problem.frame.levels)
        if validation._problem.model.can.counted is True
        else 1
    )
    return max(0, (sizes <= classes).sum() - 1)


def _draw_frontier(validation: ErrorCurve, ax: Any) -> None:
    """The lowest error for each number of prototypes, which is valid from its own size up to the next."""
    table, name, point = frontier(validation), validation._measure_name, validation._point_of()
    table = table.iloc[first_shown(validation, table["size"]) :]
    size, error = validation._rule_sizes[point], validation._choice.error[point]
    ends = pd.DataFrame(
        [
            *table.to_dict("records"),
            {**table.iloc[-1], "size": max(size, 1.15 * table["size"].iloc[-1])},
        ]
    )
    low, high, shade = ends["error"] - ends["se"], ends["error"] + ends["se"], colour(0)
    ax.fill_between(
        ends["size"],
        low,
        high,
        step="post",
        fc=to_rgba(shade, 0.18),
        ec=to_rgba(shade, 0.6),
        lw=0.8,
    )
    for k, (column, line, words) in enumerate(
        (("error", "-", f"lowest held-out {name}, +- 1 SE"), ("corrected", "--", f"corrected {name}"))
    ):
        ax.step(ends["size"], ends[column], line, color=colour(k), label=words, where="post", lw=1.4)
    label = f"selected: {write_number(round(size, 1))} {name_sizes(validation)}"
    ax.plot(size, error, "o", ms=8, mfc="none", mew=1.6, color=ink(ax), label=label)
    _scale_along(ax, f"maximum {count_sizes(validation)}", log=True)
    _limit(
        validation,
        pd.concat([ends[["error", "se"]], pd.DataFrame({"error": [error], "se": 0.0})]),
        ax,
    )
    ax.set_title(f"Minimum {name} by {count_sizes(validation)}")


def mark_points(validation: ErrorCurve, point: int) -> pd.DataFrame:
    """The table with a column `mark`: which point is chosen, has the lowest error, and is the 1-SE choice."""
    marks = [name_choice(validation, g) for g in range(len(validation.table))]
    marks[point] = ", ".join(filter(None, ["chosen", marks[point]]))
    return validation.table.assign(mark=marks)
