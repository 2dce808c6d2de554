"""Colours, marks, Axes to draw on, names of classes, legends, and ticks in plain numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import lcm
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..ground.options import options
from ..views.prototypes import list_short, shorten

MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
GREY = "#6E6E6E"  # contrast of at least 3 : 1 on light and on dark paper
WRONG = "#FF0000"  # rings of misclassified rows, not the colour of any class
RISING = "viridis"  # shades of a quantity
SHADE = "#D55E00"  # of cells that count errors


def colour(k: int) -> str:
    """The colour of class k; after the last one colours recur, with another mark."""
    return options.colours[k % len(options.colours)]


def mark(k: int) -> str:
    """The marker of class k; no two classes have both colour and marker in common, for any number of colours."""
    return MARKS[(k + k // lcm(len(MARKS), len(options.colours))) % len(MARKS)]


def ink(ax: Any) -> Any:
    """The colour of lines that is not the colour of a class: the colour of the text, visible on light and dark backgrounds."""
    return ax.xaxis.label.get_color()


def paper(ax: Any) -> Any:
    """The background of marks: the colour of the Axes, or if they are transparent of the figure."""
    from matplotlib.colors import to_rgba

    own = ax.get_facecolor()
    return own if to_rgba(own)[3] > 0.5 else ax.figure.get_facecolor()


def faint(ax: Any) -> tuple[float, float, float]:
    """The colour of a grid: between paper and ink, near the paper."""
    return blend(ink(ax), paper(ax), 0.2)


def blend(colour: Any, ground: Any, share: float) -> tuple[float, float, float]:
    """What is seen of a colour that covers so much of a ground.

    Examples
    --------
    >>> [round(c, 1) for c in blend("white", "black", 0.2)]
    [0.2, 0.2, 0.2]
    """
    from matplotlib.colors import to_rgb

    over, under = to_rgb(colour), to_rgb(ground)
    red, green, blue = (share * a + (1 - share) * b for a, b in zip(over, under, strict=True))
    return red, green, blue


def luminance(colour: Any) -> float:
    """Relative luminance of a colour, from 0 (black) to 1 (white), as WCAG 2.2 defines it."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: Any, other: Any) -> float:
    """Contrast of two colours, from 1 to 21 (WCAG 2.2, success criterion 1.4.3).

    Examples
    --------
    >>> contrast("white", "black"), round(contrast("#D55E00", "white"), 1)
    (21.0, 3.9)
    """
    lighter, darker = sorted((luminance(colour), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def letters_on(ground: Any) -> str:
    """Black or white, whichever is more readable on a background."""
    return "black" if contrast("black", ground) >= contrast("white", ground) else "white"


LETTERS = 24  # of a class
INSIDE = 0.775  # of a figure's side that Axes take
SMALLEST, LARGEST = 0.2, 3.0
LINE = 1.6  # height of an entry of a legend, in font sizes
SHARE = 0.25  # of the height of a figure that a legend above or below Axes may take
BESIDE = 0.4  # of the width of a figure that a legend of several columns right of Axes may take
NARROW = 0.6  # width of Axes without room for a legend next to them, or for a second scale
LEAST = 6.0  # smallest readable font size in points
CUT = 10  # letters of a name in a legend if there is little room
_FACTORS: WeakKeyDictionary[Any, float] = WeakKeyDictionary()  # Axes have no place for their own


def axes(ax: Any, width: float = 6.4, height: float = 4.4) -> Any:
    """The given Axes, or the Axes of a new figure of this size in inches, which a notebook then shows.

    A figure without a layout gets matplotlib's "constrained" one, which makes room for names and legends.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(width, height), layout="constrained")[1]
        _FACTORS[ax] = 1.0
        return ax
    figure = find_figure(ax)
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    box, dpi = ax.get_window_extent(), figure.dpi
    fit = min(box.width / dpi / width, box.height / dpi / height) / INSIDE
    _FACTORS[ax] = 1.0 if 0.85 < fit < 1.2 else min(max(fit, SMALLEST), LARGEST)
    return ax


def find_figure(ax: Any) -> Any:
    """The figure that Axes are on, of a subfigure the complete one."""
    figure = ax.figure
    while figure is not figure.figure:
        figure = figure.figure
    return figure


def factor(ax: Any) -> float:
    """Factor of the size of marks and lines relative to Axes of the plot's own size."""
    return _FACTORS.get(ax, 1.0)


def letter_factor(ax: Any) -> float:
    """The same of letters, which shrink less."""
    return float(factor(ax) ** 0.6)


def scale_letters(ax: Any, points: float) -> float:
    """The font size that has this many points on Axes of the plot's own size; always readable."""
    return float(max(min(points, LEAST), points * letter_factor(ax)))


def has_room(ax: Any) -> bool:
    """Whether there is room next to the plot for more: a second scale, a strip, a margin."""
    return factor(ax) >= NARROW


def named(level: Any) -> str:
    """A class for a legend, which leaves out labels that begin with an underscore; of a long one the beginning and the end."""
    return _no_underscore(shorten(str(level), LETTERS))


def list_named(levels: Iterable[Any], most: int = LETTERS) -> list[str]:
    """Classes for legends and axes, cut to this many letters and still different."""
    return [_no_underscore(name) for name in list_short(levels, most)]


def _no_underscore(text: str) -> str:
    return f" {text}" if text.startswith("_") else text


def key(
    ax: Any,
    where: str = "right",
    title: Any = None,
    small: bool = True,
    ncols: int = 1,
    away: float = 4,
    values: bool = False,
    **options: Any,
) -> Any:
    """A legend with the font size of the Axes: "right" of them, "above" or "below" them, or at a location of matplotlib inside.

    It has at most `ncols` columns, or more if the entries need them and there is room. It is `away` points from the right of the
    Axes. If there is not enough room next to or inside the Axes, or if lines may run anywhere in small ones ("best"), it is below
    them. Names are cut, and entries left out, with a warning, if it would take too much of the figure. `values` follow a colon or
    comma; small Axes have no room for them, unless they distinguish two entries.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation

    size = scale_letters(ax, FontProperties(size="small" if small else "x-small").get_size_in_points())
    handles = options.pop("handles", None)
    handles, labels = ax.get_legend_handles_labels() if handles is None else (handles, [h.get_label() for h in handles])
    if values and not has_room(ax):
        first = [re.split("[:,] ", label)[0] for label in labels]
        labels = [short if first.count(short) == 1 else label for short, label in zip(first, labels, strict=True)]
    longest, box = max(map(len, labels), default=0), ax.get_window_extent()
    sample = 2.0 if has_room(ax) else 1.5  # sizes of lines and marks in letters, as matplotlib counts; gaps are added
    beside = sample + 1.9
    wide, high = (longest * 0.56 + beside) * size, len(labels) * LINE * size  # points
    inside = where not in ("right", "above", "below")
    points = 72 / ax.figure.dpi
    crowded = inside and (wide > 0.75 * box.width * points or high > 0.6 * box.height * points)
    if crowded or (where in ("right", "best") and not has_room(ax)):
        where, ncols = "below", max(ncols, 4)
    room, most = ax.figure.bbox.width * points, ax.figure.bbox.height * points - 4 * size
    if where in ("above", "below"):
        most *= SHARE
        title = title if has_room(ax) else None
    lines = max(1, int(most / (LINE * size))) - (title is not None)
    if where in ("above", "below") or len(labels) > lines:
        room *= BESIDE if where == "right" else 1.0
        ncols = max(1, min(ncols, int(room / wide) if wide else 1, len(labels)))
        while ncols * lines < len(labels) and (CUT * 0.56 + beside) * size * (ncols + 1) <= room:
            ncols += 1
        labels = list_short(labels, max(6, int((room / ncols / size - beside) / 0.56)))
    count = max(1, ncols * lines)
    if count < len(labels):
        rest = Line2D([], [], ls="none", label=f"and {len(labels) - count + 1} more")
        handles, labels = [*handles[: count - 1], rest], [*labels[: count - 1], rest.get_label()]
    side = ax.transAxes + ScaledTranslation(letter_factor(ax) * away / 72, 0, ax.figure.dpi_scale_trans)
    style = {
        "right": {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "bbox_transform": side, "frameon": False},
        "above": {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "frameon": False, "columnspacing": 1.0},
        "below": {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "frameon": False, "columnspacing": 1.0},
    }.get(where, {"loc": where, "framealpha": 0.85})
    if title is not None:
        options |= {"title": shorten(str(title), 2 * LETTERS), "title_fontsize": size}
    legend = ax.legend(handles, labels, fontsize=size, ncols=ncols, handlelength=sample, **(style | options))
    legend.set_gid(where)
    return legend


def shade_bar(ax: Any, image: Any, label: str, **options: Any) -> Any:
    """A colour bar for the shades of an image, next to its Axes."""
    bar = ax.figure.colorbar(image, ax=ax, **options)
    bar.set_label(label)
    _FACTORS[bar.ax] = factor(ax)
    return bar


def plain_text(drawn: Any) -> Any:
    """Axes or a Figure whose text is shown as it is: a dollar sign in a name begins no formula."""
    from matplotlib.text import Text

    for text in drawn.findobj(Text):
        text.set_parse_math(False)
    return drawn


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    """A figure of rows x columns Axes, each of this size in inches; and the Axes as an array."""
    import matplotlib.pyplot as plt

    size = (columns * width, rows * height)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")


def list_down(ax: Any, names: Sequence[str], **options: Any) -> None:
    """Names on the vertical axis, from 0 above to the last below."""
    ax.set_yticks(range(len(names)), names, **options)
    ax.set_ylim(len(names) - 0.5, -0.5)


def draw_bars(ax: Any, values: Any, names: Sequence[str], height: float = 0.62, size: Any = None, **style: Any) -> None:
    """A bar for each value from a line at 0 on, the first above, with its name."""
    ax.barh(np.arange(len(values)), values, height, lw=0, **style)
    ax.axvline(0, lw=0.8, color=ink(ax))
    list_down(ax, names, fontsize=size)


def grid_lines(ax: Any, axis: str) -> None:
    """Faint lines across an axis, behind the plot."""
    ax.grid(axis=axis, lw=0.4, color=faint(ax))
    ax.set_axisbelow(True)


def draw_intervals(ax: Any, table: Any, names: Sequence[str], total: bool = False, what: str = "error") -> None:
    """Test errors (or `what`) with the 95 % intervals `low` to `high`, the first one on top; `total`: the last is of all rows."""
    for i, (error, low, high) in enumerate(zip(table[what], table["low"], table["high"], strict=True)):
        form, shade = ("D", GREY) if total and i == len(table) - 1 else ("o", colour(0))
        ax.errorbar(error, i, xerr=[[error - low], [high - error]], fmt=form, ms=6, color=shade, capsize=4, lw=1.6, zorder=2)
    list_down(ax, names)
    if what == "error":
        ax.set_xlim(left=-0.02 * ax.get_xlim()[1])  # a dot at 0 is not cut
    grid_lines(ax, "x")
    ax.set_xlabel("test error (95 % CI)")


def plain_log(axis: Any) -> None:
    """Ticks of a log axis at 1, 2 and 5 times powers of ten, written as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1000 * low else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
