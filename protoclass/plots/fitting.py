"""Words that fit: titles in as many lines as there is room for, names that are cut, ticks that do not overlap, numbers in cells."""

from __future__ import annotations

import re
from itertools import pairwise
from math import ceil, inf, isclose
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
EDGE = 0.02  # of a figure, between words and its edge
FULL = 0.93  # of the room that words may take
SPREAD = 1.06  # of the widths of words from one resolution to another
FEWEST = 10  # letters in a line
APART = 0.5  # of the size of letters that is at least between two names
_ROOMS: WeakKeyDictionary[Any, tuple[float, float, str]] = WeakKeyDictionary()  # texts have no place for their own
_WHOLE: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # words of texts before they were folded


def fit_words(ax: Any, figure: Any, bar: bool = False) -> bool:
    """Titles and names of axes in as many lines as they need, or have room for; whether any were changed.

    Those of Axes that are alone may be longer than these, and are moved to stay within the figure.
    """
    box, all_ = ax.get_window_extent(), figure.bbox
    shared = bar or not is_alone(ax)
    width, height = box.width * 1.05 if shared else all_.width, box.height * 1.1
    thick = (inf, inf, inf) if shared else (TITLE * all_.height, LABEL * all_.height, LABEL * all_.width)
    rooms = ((ax.title, width, thick[0]), (ax.xaxis.label, width, thick[1]), (ax.yaxis.label, height, thick[2]))
    edge, folded = EDGE * all_.width, [_fold(text, FULL * room, most, text is ax.yaxis.label) for text, room, most in rooms]
    for text in () if shared else (ax.title, ax.xaxis.label):
        half, middle = SPREAD * text.get_window_extent().width / 2, box.x0 + box.width / 2
        inside = min(max(middle, half + edge), max(all_.width - half - edge, all_.width / 2))
        text.set_x((inside - box.x0) / box.width)
    return any(folded)


def is_alone(ax: Any) -> bool:
    """Whether a figure has no other Axes than these and what belongs to them."""
    return sum(other.get_subplotspec() is not None for other in ax.figure.axes) < 2


def _fold(text: Any, room: float, most: float, upright: bool) -> bool:
    """A text in lines that are no longer than the room in pixels and together no thicker than `most`; whether it was changed."""
    before = text.get_text()
    if not before:
        return False
    box, lines, whole = text.get_window_extent(), before.split("\n"), _WHOLE.setdefault(text, before)
    long, thick = (box.height, box.width) if upright else (box.width, box.height)
    letters = max(FEWEST, int(max(map(len, lines)) * room / max(1.0, long)))
    count = max(1, int(most / thick * len(lines))) if most < inf else len(whole)
    folded = [part for line in whole.split("\n") for part in fold_evenly(line, letters)]
    if count < len(folded):
        folded = [*folded[: count - 1], f"{folded[count - 1][: letters - 3].rstrip()}..."]
    text.set_text("\n".join(folded))
    return bool(text.get_text() != before)


def fold_evenly(line: str, letters: int) -> list[str]:
    """A line in as few lines of at most so many letters as it needs, all about as long.

    Examples
    --------
    >>> fold_evenly("24 prototypes; 3 rows held wrongly (red rings)", 42)
    ['24 prototypes; 3 rows', 'held wrongly (red rings)']
    >>> fold_evenly("cross-validated error (share)", 10)
    ['cross-', 'validated', 'error', '(share)']
    """
    parts = wrap(line, letters) or [""]
    widths = range(max(1, ceil(len(line) / len(parts))), letters)
    tried = (wrap(line, width, break_long_words=False) for width in widths)
    return next((even for even in tried if len(even) == len(parts)), parts)


def _add_words(text: Any, words: str) -> None:
    """Words at the end of a text, which is folded anew."""
    full = f"{_WHOLE.get(text, text.get_text())} {words}".strip()
    if _WHOLE.get(text, text.get_text()).endswith(words):
        return
    _WHOLE[text] = full
    text.set_text(full)


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
    before = re.search(r" ?\(\d+ of (\d+) named\)$", _WHOLE.get(label, ""))
    if before:
        _WHOLE[label] = _WHOLE[label][: before.start()]
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
