"""Colours and marks that tell classes apart also without colour vision, and Axes to draw on."""

from __future__ import annotations

from math import lcm
from typing import Any

from ..settings import options

MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
GREY = "#666666"
WRONG = "#FF0000"  # rings of rows that a ball holds wrongly, in no class's colour


def colour(k: int) -> str:
    """The colour of class k; after the last one colours recur, with another mark."""
    return options.colours[k % len(options.colours)]


def mark(k: int) -> str:
    """The mark of class k; no two classes share both colour and mark, however many colours there are."""
    return MARKS[(k + k // lcm(len(MARKS), len(options.colours))) % len(MARKS)]


def ink(ax: Any) -> Any:
    """The colour of lines in no class's colour: that of the text, which is seen on light and dark backgrounds."""
    return ax.xaxis.label.get_color()


def axes(ax: Any, width: float = 6.4, height: float = 4.4) -> Any:
    """The Axes that were given, or those of a new figure, which a notebook then shows."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def named(level: Any) -> str:
    """A class for a legend, which leaves out labels that begin with an underscore."""
    text = str(level)
    return f" {text}" if text.startswith("_") else text


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


def plain_log(axis: Any) -> None:
    """Ticks of a log axis at 1, 2 and 5 times powers of ten, written as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1000 * low else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
