"""The colours and marks of all pictures: of classes, of lines and letters in no class's colour, and of what is wrong."""

from __future__ import annotations

from math import lcm
from typing import Any

from ..ground.options import options

MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
GREY = "#6E6E6E"  # 3 : 1 at least on light and on dark paper
WRONG = "#FF0000"  # rings of rows that a ball holds wrongly, in no class's colour
RISING = "viridis"  # shades of a quantity
SHADE = "#D55E00"  # of cells that count errors


def colour(k: int) -> str:
    """The colour of class k; after the last one colours recur, with another mark."""
    return options.colours[k % len(options.colours)]


def mark(k: int) -> str:
    """The mark of class k; no two classes share both colour and mark, however many colours there are."""
    return MARKS[(k + k // lcm(len(MARKS), len(options.colours))) % len(MARKS)]


def ink(ax: Any) -> Any:
    """The colour of lines in no class's colour: that of the text, which is seen on light and dark backgrounds."""
    return ax.xaxis.label.get_color()


def paper(ax: Any) -> Any:
    """The colour that marks lie on: that of the Axes, or where they are transparent of the figure."""
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


def contrast(one: Any, other: Any) -> float:
    """Contrast of two colours, from 1 to 21 (WCAG 2.2, success criterion 1.4.3).

    Examples
    --------
    >>> contrast("white", "black"), round(contrast("#D55E00", "white"), 1)
    (21.0, 3.9)
    """
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def letters_on(ground: Any) -> str:
    """Black or white, whichever is read better on a ground."""
    return "black" if contrast("black", ground) >= contrast("white", ground) else "white"
