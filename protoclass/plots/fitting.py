"""Words that fit: titles in as many lines as there is room for, names that are cut, ticks that do not overlap, numbers in cells."""

from __future__ import annotations

import re
from itertools import pairwise
from math import isclose
from textwrap import wrap
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..views.names import list_short
from .style import LEAST

STEEP = 90  # degrees
WIDTH = 0.5  # of a figure that names beside Axes may take
HEIGHT = 0.35  # of a figure that names below Axes may take
TITLE, LABEL = 0.3, 0.2  # of a figure that a title and a name of an axis may take
FEWEST = 10  # letters in a line
APART = 0.5  # of the size of letters that is at least between two names
_ROOMS: WeakKeyDictionary[Any, tuple[float, float, str]] = WeakKeyDictionary()  # texts have no place for their own


def wrap_words(ax: Any) -> None:
    """Let matplotlib wrap the title and the name below Axes that are alone, at the edges of the figure."""
    box, wide = ax.get_window_extent(), ax.figure.bbox.width
    for text in (ax.title, ax.xaxis.label) if is_alone(ax) else ():
        text.set_wrap(False)
        if text.get_window_extent().width > 2 * min(box.x0 + box.width / 2, wide - box.x0 - box.width / 2):
            text.set_x((wide / 2 - box.x0) / box.width)  # in the middle of the figure, where it has most room
        text.set_wrap(True)
        _cut(text, text.get_window_extent().height / ax.figure.bbox.height, TITLE if text is ax.title else LABEL)


def _cut(text: Any, thick: float, most: float) -> None:
    """Cut words in so many lines that they take more than a share of the figure: matplotlib would leave no room for the Axes."""
    if thick > most:
        text.set_text(f"{text.get_text()[: int(len(text.get_text()) * most / thick) - 3].rstrip()}...")


def fold_words(ax: Any) -> bool:
    """Fold words that have their Axes' room alone: the name beside Axes and, where other Axes are beside, all; whether any changed."""
    box, words = ax.get_window_extent(), [(ax.yaxis.label, 1.1 * ax.get_window_extent().height)]
    words += [] if is_alone(ax) else [(text, 1.05 * box.width) for text in (ax.title, ax.xaxis.label)]
    before = [text.get_text() for text, _ in words]
    for text, room in words:
        extent, lines = text.get_window_extent(), text.get_text().split("\n")
        long = extent.height if text is ax.yaxis.label else extent.width
        letters = max(FEWEST, int(max(map(len, lines)) * room / max(1.0, long)))
        text.set_text("\n".join(part for line in lines for part in wrap(line, letters) or [""]))
    if is_alone(ax):
        _cut(ax.yaxis.label, ax.yaxis.label.get_window_extent().width / ax.figure.bbox.width, LABEL)
    return before != [text.get_text() for text, _ in words]


def is_alone(ax: Any) -> bool:
    """Whether a figure has no other Axes than these and what belongs to them."""
    return sum(other.get_subplotspec() is not None for other in ax.figure.axes) < 2


def _add_words(text: Any, words: str) -> None:
    """Words at the end of a text."""
    if not text.get_text().endswith(words):
        text.set_text(f"{text.get_text()} {words}".strip())


def cut_names(axis: Any, figure: Any) -> bool:
    """Names beside or below Axes that would leave these no room are cut; whether any were."""
    from matplotlib.ticker import FixedLocator

    upright = axis.axis_name == "y"
    labels = [label for label in axis.get_ticklabels() if label.get_text()]
    if not labels or not isinstance(axis.get_major_locator(), FixedLocator):
        return False
    boxes = [label.get_window_extent() for label in labels]
    longest = max(box.width if upright else box.height for box in boxes)
    room = WIDTH * figure.bbox.width if upright else HEIGHT * figure.bbox.height
    if longest <= room:
        return False
    texts = [label.get_text() for label in labels]
    short = list_short(texts, max(6, int(max(map(len, texts)) * room / longest)))
    axis.set_ticks([label.get_position()[1 if upright else 0] for label in labels], short)
    return short != texts


def part_ticks(axis: Any) -> bool:
    """Names on an axis that overlap are written steeply, or smaller, or not all, with a word; whether any were changed."""
    from matplotlib.ticker import FixedLocator

    fixed, flat = isinstance(axis.get_major_locator(), FixedLocator), axis.axis_name == "x"
    low, high = sorted(axis.get_view_interval())
    labels = [label for label in axis.get_ticklabels() if label.get_text() and label.get_visible()]
    labels = [label for label in labels if low <= label.get_position()[0 if flat else 1] <= high]  # a scale of logarithms has others too
    if len(labels) < 2 or not _overlap(labels):
        return False
    if fixed and flat and labels[0].get_rotation() != STEEP and max(len(label.get_text()) for label in labels) > 3:
        axis.set_tick_params(rotation=STEEP)
        if not _overlap(labels):
            return True
    size = labels[0].get_fontsize()
    if fixed:
        axis.set_tick_params(labelsize=max(min(size, LEAST), 0.7 * size))
        if not _overlap(labels):
            return True
    at = [(label.get_position()[0 if flat else 1], label.get_text()) for label in labels]
    step = next((k for k in range(2, len(labels)) if not _overlap(labels[::k])), len(labels))
    axis.set_ticks([place for place, _ in at[::step]], [name for _, name in at[::step]], minor=False)
    if fixed and not all(_is_at(name, place) for place, name in at):
        _say_named(axis.label, len(at[::step]), len(at))
    return True


def _is_at(text: str, place: float) -> bool:
    """Whether a name is the number of its place, so that those between two names need none."""
    try:
        return isclose(float(text.replace("\N{MINUS SIGN}", "-")), place, rel_tol=0.01, abs_tol=1e-9)
    except ValueError:
        return False


def _say_named(label: Any, some: int, count: int) -> None:
    """How many have names; where names were parted before, of how many there were at first."""
    before = re.search(r" ?\(\d+ of (\d+) named\)$", label.get_text())
    if before:
        label.set_text(label.get_text()[: before.start()])
        count = int(before[1])
    _add_words(label, f"({some} of {count} named)")


def _overlap(labels: list[Any]) -> bool:
    apart = APART * labels[0].get_fontsize() * labels[0].figure.dpi / 72
    boxes = [label.get_window_extent() for label in labels]
    return any(
        one.x0 - apart < other.x1 and other.x0 - apart < one.x1 and one.y0 < other.y1 and other.y0 < one.y1
        for one, other in pairwise(boxes)
    )


def keep_within(text: Any, width: float, height: float, what: str = "numbers") -> None:
    """Declare the cell of a text, in data of Axes with linear scales; `fit_cells` makes it fit."""
    _ROOMS[text] = (width, height, what)


def fit_cells(ax: Any) -> bool:
    """Texts in cells have the size that all of their kind have room for; where this can't be read they are left out, and the title
    says so. Whether any were changed."""
    texts = [text for text in ax.texts if text in _ROOMS]
    (x0, y0), (x1, y1) = ax.transData.transform([(0, 0), (1, 1)])
    changed = False
    for what in dict.fromkeys(_ROOMS[text][2] for text in texts):
        some = [text for text in texts if _ROOMS[text][2] == what]
        share = 1.0
        for text in some:
            box, (width, height, _) = text.get_window_extent(), _ROOMS[text]
            share = min(share, 0.95 * width * abs(x1 - x0) / max(1.0, box.width), height * abs(y1 - y0) / max(1.0, box.height))
        if share >= 1.0:
            continue
        changed, sizes = True, np.array([share * text.get_fontsize() for text in some])
        for text, size in zip(some, sizes, strict=True):
            if sizes.min() < LEAST:
                text.remove()
            else:
                text.set_fontsize(size)
        if sizes.min() < LEAST:
            _add_words(ax.title, f"(no room for {what})")
    return changed
