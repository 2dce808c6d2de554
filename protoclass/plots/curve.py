"""The cross-validated error curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import OptionError
from .style import COLOURS, GREY, axes, colour, mark, number, plain_log

if TYPE_CHECKING:
    from ..estimation.validation import Validation

SIZES = 8  # labels on the top axis
LINES = 8  # values of a second knob that get a line


def curve(validation: Validation, x: Any = None, ax: Any = None) -> Any:
    """Error against a knob with +- 1 SE, the size on top, and lines at the least error and at the 1-SE choice.

    With x = "size" against the mean size of the rules (PVM paper, figures 3 and 9); with a pair of knobs a heat map.
    """
    table, knobs = validation.table, list(validation.points)
    pair = (
        isinstance(x, (tuple, list))
        and len(x) == 2
        and all(isinstance(k, str) and k in knobs for k in x)
        and x[0] != x[1]
    )
    if not (x is None or pair or (isinstance(x, str) and x in (*knobs, "size"))):
        raise OptionError(f"x={x!r}: allowed are 'size', the knobs that were tuned, {knobs}, and a pair of them")
    ax = axes(ax, 6.4 if len(knobs) < 2 or pair or x == "size" else 8.6)
    if not knobs:
        return _single(validation, ax)
    if x == "size":
        return _by_size(validation, ax)
    if pair:
        return _heat(validation, x[0], x[1], ax)
    x = x or max(knobs, key=lambda k: (table[k].dtype.kind in "if", table[k].nunique()))
    place, ticks = _placed(table[x])
    rest = [k for k in knobs if k != x]
    groups = list(table.groupby(rest, sort=True)) if rest else [(None, table)]
    marked = {i for i, (_, part) in enumerate(groups) if {validation.best, validation.one_se} & set(part.index)}
    spread = np.linspace(0, len(groups) - 1, min(LINES - len(marked), len(groups))).round().astype(int)
    shown = sorted(marked | set(spread.tolist()))
    for k, g in enumerate(shown):
        values, part = groups[g]
        label = "held-out error, +- 1 SE"
        if rest:
            label = ", ".join(f"{n} = {told(v)}" for n, v in zip(rest, np.atleast_1d(values), strict=True))
        ax.errorbar(
            place[part.index],
            part["error"],
            part["se"],
            fmt=f"{mark(k)}-",
            ms=4,
            lw=1,
            capsize=2,
            color=colour(k),
            label=label,
        )
    for k, name in ((4, "cover_error"), (3, "bound")):
        if name in table and not rest:
            ax.plot(place, table[name], "-", lw=1, color=COLOURS[k], label=name.replace("_", " "))
    if ticks is not None:
        ax.set_xticks(*ticks)
    elif place.max() > 10 * place.min() > 0:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    for point, style, name in ((validation.best, ":", "least error"), (validation.one_se, "--", "1-SE choice")):
        chosen = ", ".join(f"{k} = {told(table[k].iloc[point])}" for k in [x, *rest])
        ax.axvline(place[point], ls=style, lw=1.2, color="black", label=f"{name}: {chosen}")
    ax.axhline(validation.no_information, ls="-.", lw=1, color=GREY, label="no information")
    ax.set_xlabel(f"{MEANING.get(x, x)}{' (log scale)' if ax.get_xscale() == 'log' else ''}")
    ax.set_ylabel(LABEL[validation.measure])
    ax.set_ylim(bottom=0)
    if not rest and ticks is None:
        _sizes(validation, x, ax)
    if rest:
        some = f"{len(shown)} of {len(groups)} lines" if len(shown) < len(groups) else None
        ax.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), title=some)
    else:
        ax.legend(fontsize="small", frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    return ax


def _placed(values: Any) -> tuple[np.ndarray, tuple[list[int], list[str]] | None]:
    """Places of a knob's values on an axis: themselves, or (for names and where inf is among them) their ranks with ticks."""
    if values.dtype.kind in "if" and np.isfinite(values).all():
        return values.to_numpy(float), None
    every = sorted(values.unique())
    rank = {v: i for i, v in enumerate(every)}
    return values.map(rank).to_numpy(float), (list(range(len(every))), [told(v) for v in every])


def told(value: Any) -> str:
    return value if isinstance(value, str) else number(float(value))


def _heat(validation: Validation, x: str, y: str, ax: Any) -> Any:
    """Error over two knobs, the others at their 1-SE choice; the least error and the choice are marked."""
    table = validation.table
    rest = [k for k in validation.points if k not in (x, y)]
    for k in rest:
        table = table[table[k] == table[k].loc[validation.one_se]]
    cells = table.pivot(index=y, columns=x, values="error")
    image = ax.imshow(cells, origin="lower", aspect="auto", cmap="viridis_r")
    for axis, values in ((ax.xaxis, cells.columns), (ax.yaxis, cells.index)):
        step = max(1, len(values) // 12)
        names = [told(v) for v in values[::step]]
        turned = axis is ax.xaxis and sum(map(len, names)) > 40
        axis.set_ticks(range(0, len(values), step), names, rotation=60 if turned else 0)
    for point, sign, name in ((validation.best, "x", "least error"), (validation.one_se, "s", "1-SE choice")):
        if point not in table.index:  # the least error lies at other values of the knobs that are fixed here
            continue
        at = cells.columns.get_loc(table[x].loc[point]), cells.index.get_loc(table[y].loc[point])
        ax.plot(*at, sign, ms=11, mew=2, mfc="none", color="#D55E00", ls="none", label=name)
    ax.set(xlabel=MEANING.get(x, x), ylabel=MEANING.get(y, y))
    ax.set_title(", ".join(f"{k} = {told(table[k].iloc[0])}" for k in rest), fontsize="medium")
    ax.figure.colorbar(image, ax=ax, label=LABEL[validation.measure])
    if ax.get_legend_handles_labels()[0]:
        ax.legend(
            fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.06 if rest else 1.0), ncols=2, frameon=False
        )
    return ax


MEANING = {
    "eps": "radius eps of the balls",
    "lambda_": "cost lambda of a prototype",
    "k": "neighbours k",
    "K": "prototypes for each class, K",
    "penalty": "penalty p of an error on P",
    "stop": "features at most",
    "kind": "kind of machine",
}
LABEL = {
    "error": "cross-validated error (share)",
    "balanced": "cross-validated error (mean over classes)",
    "loss": "cross-validated loss",
}


def _sizes(validation: Validation, x: str, ax: Any) -> None:
    """Mean size of the rules on the top axis, where labels have room."""
    from matplotlib.ticker import FixedLocator, NullLocator

    table = validation.table
    position = np.log(table[x].to_numpy(float)) if ax.get_xscale() == "log" else table[x].to_numpy(float)
    apart = np.ptp(position) / SIZES
    kept: list[int] = []
    for i in range(len(table)):
        if not kept or position[i] - position[kept[-1]] >= apart:
            kept.append(i)
    top = ax.secondary_xaxis("top")
    top.xaxis.set_major_locator(FixedLocator(table[x].iloc[kept].to_list()))
    top.xaxis.set_minor_locator(NullLocator())
    top.set_xticklabels([number(round(v, 1)) for v in table["size"].iloc[kept]])
    top.set_xlabel("size (mean over folds)")


def _by_size(validation: Validation, ax: Any) -> Any:
    """The error against the mean size over folds; where all training rows are prototypes the rule is 1-NN."""
    table = validation.table.sort_values("size", kind="stable")
    one = len(validation.points.columns) == 1  # points of several knobs make no line
    ax.errorbar(table["size"], table["error"], table["se"], fmt="o-" if one else "o", ms=4, lw=1, capsize=2, color=colour(0),
                label="held-out error, +- 1 SE")  # fmt: skip
    for point, style, name in ((validation.best, ":", "least error"), (validation.one_se, "--", "1-SE choice")):
        size = validation.table["size"].iloc[point]
        ax.axvline(size, ls=style, lw=1.2, color="black", label=f"{name}: size {number(round(float(size), 1))}")
    n, folds = len(validation.problem.frame), int(validation.of_fold.max()) + 1
    last = table.iloc[-1]
    if validation.covered is not None and last["size"] > 0.98 * n * (folds - 1) / folds:
        ax.plot(last["size"], last["error"], "s", ms=9, mfc="none", color=colour(1), label="all rows kept: 1-NN")
    if table["size"].min() > 0:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.axhline(validation.no_information, ls="-.", lw=1, color=GREY, label="no information")
    ax.set_ylim(bottom=0)
    ax.set_ylabel(LABEL[validation.measure])
    ax.set_xlabel(f"size (mean over folds{', log scale' if ax.get_xscale() == 'log' else ''})")
    ax.legend(fontsize="small", framealpha=0.9)
    return ax


def _single(validation: Validation, ax: Any) -> Any:
    row = validation.table.iloc[0]
    ax.errorbar([0], [row["error"]], [row["se"]], fmt="o", capsize=4, color=COLOURS[0], label="held-out error, +- 1 SE")
    ax.axhline(validation.no_information, ls="-.", lw=1, color=GREY, label="no information")
    ax.set(
        xticks=[0],
        xticklabels=[validation.problem.model.name],
        ylabel=LABEL[validation.measure],
        xlabel="method",
        xlim=(-1, 1),
    )
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="small")
    return ax
