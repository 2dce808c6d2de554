"""Colours, marks, Axes to draw on, names of classes, legends, and ticks in plain numbers; matplotlib lays them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from math import ceil, lcm
from textwrap import wrap
from typing import Any, TypeVar

import numpy as np
from matplotlib import rcParams
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Patch
from matplotlib.text import Text

from ..ground.errors import OptionError, brief
from ..ground.options import options
from ..ground.text import SHOWN, list_short, shorten

MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
GREY = "#6E6E6E"  # contrast of at least 3 : 1 on light and on dark paper
WRONG = "#FF0000"  # rings of misclassified rows, not the colour of any class
RISING = "viridis"  # shades of a quantity
SHADE = "#D55E00"  # colour of cells that count errors


def colour(k: int) -> str:
    """The colour of class k; after the last one colours recur, with another mark."""
    return options.colours[k % len(options.colours)]


def mark(k: int) -> str:
    """The marker of class k; no two classes have both colour and marker in common, for any number of colours."""
    return MARKS[(k + k // lcm(len(MARKS), len(options.colours))) % len(MARKS)]


def ink(ax: Any) -> Any:
    """The colour of lines that is not the colour of a class: the colour of the text, visible on
    light and dark backgrounds.
    """
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
    """The visible colour if one covers so much of a ground.

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


def letters_on(ground: Any) -> str:
    """Black or white, whichever is more readable on a background: at the limit both have a contrast of 4.6."""
    return "black" if luminance(ground) > 0.179 else "white"


LETTERS = 24  # letters of the name of a class
LETTER = 0.53  # mean width of a letter, in font sizes
LEAST = 6.0  # smallest readable font size in points
FEW = 4  # names inside small Axes
FEWEST = 18  # letters of a name in these
SEEN = 22.0  # square points of the mark of a row, and at least of those in a legend
NARROW = 3.0  # inches of Axes without room for a legend next to them, or for a second scale
# of a figure that names along an axis may take, beside a square less; points left in large ones
SHARE, LEFT = (0.45, 0.3), 100
# font sizes of a figure without words in the middle of its Axes; lines of a title of one of several
# plots
BESIDE, LINES = 8, 6
TITLES = ("axes.titlesize", "figure.titlesize", "figure.labelsize")
Draw = TypeVar("Draw", bound=Callable[..., Any])


def framed(draw: Draw) -> Draw:
    """A function that draws on `ax` (or on a new figure): on small Axes letters are smaller, and
    titles and labels have their first line alone; long words are wrapped, and a dollar sign in a
    name begins no formula. matplotlib's "constrained" layout makes room for names and legends.
    """

    @wraps(draw)
    def drawn(*values: Any, **options: Any) -> Any:
        ax = signature(draw).bind(*values, **options).arguments.get("ax")
        settings: Any = dict.fromkeys(TITLES, "medium")
        if ax is not None:
            if not hasattr(ax, "set_xlabel"):
                raise OptionError(
                    f"ax must be Axes of matplotlib, such as from plt.subplots(), or None, not {brief(ax)}"
                )
            # "small" is 0.83 of it
            size = rcParams["font.size"] * min(1.0, inches(ax)[0] / NARROW) ** 0.5
            settings["font.size"] = max(1.21 * LEAST, size)
        before: Any = {name: rcParams[name] for name in settings}
        rcParams.update(settings)
        try:  # rc_context would also undo the settings of a notebook's backend
            return _finish(draw(*values, **options))
        finally:
            rcParams.update(before)

    return drawn  # type: ignore[return-value]


def _finish(drawn: Any) -> Any:
    for ax in [drawn] if hasattr(drawn, "get_xlabel") else drawn.axes:
        wide, high = cell(ax)
        for text, room, other in (
            (ax.title, wide, high),
            (ax.xaxis.label, wide, high),
            (ax.yaxis.label, high, wide),
        ):
            size, lines = (
                text.get_fontsize(),
                text.get_text().split("\n")[: None if has_room(ax) else 1],
            )
            letters, most = (
                int((room / size - BESIDE) / LETTER),
                int(0.15 * other / size) if drawn is ax else LINES,
            )
            lines = [
                part
                for line in lines
                for part in wrap(line, max(LETTERS, letters), break_on_hyphens=False) or [""]
            ]
            # small Axes would vanish
            text.set(text="\n".join(lines[:most]) + " ..." * (len(lines) > most), wrap=has_room(ax))
    for text in drawn.findobj(Text):
        text.set_parse_math(False)
    return drawn


def axes(ax: Any, width: float = 6.4, height: float = 4.4) -> Any:
    """The given Axes, or the Axes of a new figure of this size in inches, which a notebook then shows."""
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(width, height), layout="constrained")[1]
    if ax.figure.figure.get_layout_engine() is None:
        ax.figure.figure.set_layout_engine("constrained")
    ax.tick_params(labelsize=rcParams["font.size"])
    for text in (ax.title, ax.xaxis.label, ax.yaxis.label):
        text.set_fontsize(rcParams["font.size"])
    return ax


def inches(ax: Any) -> tuple[float, float]:
    """Width and height of Axes, before names and legends get their room."""
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi, box.height / ax.figure.dpi


def has_room(ax: Any) -> bool:
    """Whether there is room next to the plot for more: a legend, a second scale, values in the legend."""
    return inches(ax)[0] >= NARROW


def cell(ax: Any) -> tuple[float, float]:
    """Width and height in points of the part of a figure that Axes and their names have."""
    place, box = ax.get_subplotspec(), ax.figure.bbox
    rows, columns = (1, 1) if place is None else place.get_gridspec().get_geometry()
    return 72 * box.width / columns / ax.figure.dpi, 72 * box.height / rows / ax.figure.dpi


def list_named(levels: Iterable[Any], most: int = LETTERS) -> list[str]:
    """Classes for legends and axes, cut to this many letters and still different; a legend leaves
    out labels that begin with an underscore.
    """
    return [f" {name}" if name.startswith("_") else name for name in list_short(levels, most)]


def named(level: Any) -> str:
    """A class for a legend."""
    return list_named([level])[0]


def name_ticks(
    axis: Any, names: Sequence[str], label: str = "", places: Any = None, letters: Any = None
) -> None:
    """Names at positions (0, 1, ... by default). Names that would take too much of the figure are
    wrapped, then cut, and long ones are upright. If there are more than have room, every second,
    third ... of them is written, which the label of the axis reports.
    """
    ax, size, upright = (
        axis.axes,
        FontProperties(size=letters).get_size_in_points(),
        axis.axis_name == "y",
    )
    places, box, sides = (
        range(len(names)) if places is None else places,
        ax.get_window_extent(),
        cell(ax),
    )
    side, square = sides[not upright], ax.get_aspect() != "auto"
    most = max(
        6, int((SHARE[1] * side if square else max(SHARE[0] * side, side - LEFT)) / (LETTER * size))
    )
    room = (box.height if upright else box.width) * 72 / ax.figure.dpi
    # long names go on in a second line before they are cut
    lines = 2 if len(names) * 2.4 * size < room else 1
    names = [
        "\n".join(wrap(name, most)) if len(name) > most else name
        for name in list_short(names, lines * most)
    ]
    longest = (
        max((len(line) for name in names for line in name.split("\n")), default=0) * LETTER * size
    )
    if square:  # a square beside such names, a title and a label
        room = min(sides) - longest - BESIDE * size
    flat = longest * len(names) < room
    step = max(1, ceil(len(names) * 1.2 * size / max(1.0, room))) if upright or not flat else 1
    axis.set_ticks(
        places[::step], names[::step], rotation=0 if upright or flat else 90, fontsize=size
    )
    axis.set_label_text(
        f"{label} ({len(names[::step])} of {len(names)} named)".strip() if step > 1 else label
    )


def scatter_classes(ax: Any, places: list[np.ndarray], levels: Any, **style: Any) -> None:
    """The places (k, 2) of each class in its marks."""
    for k, (points, name) in enumerate(zip(places, list_named(levels), strict=True)):
        ax.scatter(points[:, 0], points[:, 1], marker=mark(k), color=colour(k), label=name, **style)


def key(ax: Any, where: str = "right", title: Any = None) -> Any:
    """A legend right of the Axes, or inside at a location of matplotlib; inside small Axes. Names
    beyond some are counted.
    """
    (handles, labels), room = ax.get_legend_handles_labels(), has_room(ax)
    labels, most = labels if room else list_short(labels, FEWEST), SHOWN if room else FEW
    if len(labels) > most:
        handles, labels = (
            [*handles[: most - 1], Patch(alpha=0)],
            [*labels[: most - 1], f"and {len(labels) - most + 1} more"],
        )
    if where == "right" and room:
        style: dict[str, Any] = {
            "loc": "upper left",
            "bbox_to_anchor": (1.0, 1.0),
            "frameon": False,
        }
    else:
        style = {
            "loc": "best" if where == "right" else where,
            "framealpha": 0.85,
            "handlelength": 2.0 if room else 1.2,
        }
    title = None if title is None or not room else shorten(str(title), LETTERS)
    legend = ax.legend(
        handles, labels, title=title, title_fontsize="small", fontsize="small", **style
    )
    legend.set_in_layout("bbox_to_anchor" in style)  # inside, it has the room that the Axes have
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes(np.maximum(handle.get_sizes(), SEEN))
    return legend


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    """A figure of rows x columns Axes, each of this size in inches; and the Axes as an array."""
    import matplotlib.pyplot as plt

    size = (columns * width, rows * height)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")


def list_down(ax: Any, names: Sequence[str], label: str = "", letters: Any = None) -> None:
    """Names on the vertical axis, from 0 above to the last below."""
    name_ticks(ax.yaxis, names, label, letters=letters)
    ax.set_ylim(len(names) - 0.5, -0.5)


def draw_bars(ax: Any, values: Any, names: Sequence[str], label: str = "", **style: Any) -> None:
    """A bar for each value from a line at 0 on, the first above, with its name."""
    ax.barh(np.arange(len(values)), values, 0.62, lw=0, **style)
    ax.axvline(0, lw=0.8, color=ink(ax))
    list_down(ax, names, label)


def grid_lines(ax: Any, axis: str) -> None:
    """Faint lines across an axis, behind the plot."""
    ax.grid(axis=axis, lw=0.4, color=faint(ax))
    ax.set_axisbelow(True)


def draw_intervals(
    ax: Any,
    table: Any,
    names: Sequence[str],
    label: str = "",
    total: bool = False,
    what: str = "error",
) -> None:
    """Test errors (or `what`) with the 95 % intervals `low` to `high`, the first one on top;
    `total`: the last is of all rows.
    """
    for i, (error, low, high) in enumerate(
        zip(table[what], table["low"], table["high"], strict=True)
    ):
        form, shade = ("D", GREY) if total and i == len(table) - 1 else ("o", colour(0))
        ax.errorbar(
            error,
            i,
            xerr=[[error - low], [high - error]],
            fmt=form,
            ms=6,
            color=shade,
            capsize=4,
            lw=1.6,
            zorder=2,
        )
    list_down(ax, names, label)
    if what == "error":
        ax.set_xlim(left=-0.02 * ax.get_xlim()[1])  # a dot at 0 is not cut
    grid_lines(ax, "x")
    ax.set_xlabel("test error (95 % CI)")


def plain_log(axis: Any) -> None:
    """Ticks of a log axis at 1, 2 and 5 times powers of ten, written as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 100 * low else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
