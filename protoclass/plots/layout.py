"""Layout of every plot when it is drawn: sizes from its Axes, and text that neither overlaps nor leaves the figure."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import wraps
from inspect import signature
from itertools import pairwise
from math import isclose
from textwrap import wrap
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.text import Text

from ..ground.errors import OptionError, brief
from ..views.matrix import spread_labels
from ..views.prototypes import list_short
from .style import LEAST, colour, factor, find_figure, ink, key, list_named, mark, paper, plain_text, scale_letters

STEEP = 90  # degrees
WIDTH = 0.5  # of a figure that names next to Axes may take
HEIGHT = 0.35  # of a figure that names below Axes may take
TITLE, LABEL = 0.3, 0.2  # of a figure that a title and a name of an axis may take
FEWEST = 10  # letters in a line
APART = 0.5  # smallest distance between two names, in font sizes
_ROOMS: WeakKeyDictionary[Any, tuple[float, float, str]] = WeakKeyDictionary()  # texts have no place for their own


def wrap_words(ax: Any) -> None:
    """Let matplotlib wrap the title and the name below Axes that are alone, at the edges of the figure."""
    box, wide = ax.get_window_extent(), ax.figure.bbox.width
    for text in (ax.title, ax.xaxis.label) if is_alone(ax) else ():
        text.set_wrap(False)
        if text.get_window_extent().width > 2 * min(box.x0 + box.width / 2, wide - box.x0 - box.width / 2):
            text.set_x((wide / 2 - box.x0) / box.width)  # in the middle of the figure, which has most room
        text.set_wrap(True)
        _cut(text, text.get_window_extent().height / ax.figure.bbox.height, TITLE if text is ax.title else LABEL)


def _cut(text: Any, thick: float, most: float) -> None:
    """Cut text that would take more than a given part of the figure in lines: matplotlib would leave no room for the Axes."""
    if thick > most:
        text.set_text(f"{text.get_text()[: int(len(text.get_text()) * most / thick) - 3].rstrip()}...")


def fold_words(ax: Any) -> bool:
    """Wrap text that has its Axes' room alone: the name next to Axes and, with other Axes next to it, all; whether any changed."""
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
    """Whether a figure has no other Axes than these and their colour bars or strips."""
    return sum(other.get_subplotspec() is not None for other in ax.figure.axes) < 2


def _add_words(text: Any, words: str) -> None:
    """Words at the end of a text."""
    if not text.get_text().endswith(words):
        text.set_text(f"{text.get_text()} {words}".strip())


def cut_names(axis: Any, figure: Any) -> bool:
    """Names next to or below Axes that would leave these no room are cut; whether any were."""
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
    """Whether a name is the number of its position, so that the positions between two names need none."""
    try:
        return isclose(float(text.replace("\N{MINUS SIGN}", "-")), place, rel_tol=0.01, abs_tol=1e-9)
    except ValueError:
        return False


def _say_named(label: Any, some: int, count: int) -> None:
    """Number of positions with names; if names were thinned before, of the original number."""
    before = re.search(r" ?\(\d+ of (\d+) named\)$", label.get_text())
    if before:
        label.set_text(label.get_text()[: before.start()])
        count = int(before[1])
    _add_words(label, f"({some} of {count} named)")


def _overlap(labels: list[Any]) -> bool:
    apart = APART * labels[0].get_fontsize() * labels[0].figure.dpi / 72
    boxes = [label.get_window_extent() for label in labels]
    return any(
        box.x0 - apart < other.x1 and other.x0 - apart < box.x1 and box.y0 < other.y1 and other.y0 < box.y1
        for box, other in pairwise(boxes)
    )


def keep_within(text: Any, width: float, height: float, what: str = "numbers") -> None:
    """Declare the cell of a text, in data of Axes with linear scales; `fit_cells` makes it fit."""
    _ROOMS[text] = (width, height, what)


def fit_cells(ax: Any) -> bool:
    """Texts in cells have the largest size that fits all of their kind. If it is unreadable, they are left out, and the title
    reports it. Whether any were changed."""
    texts = [text for text in ax.texts if text in _ROOMS]
    (x0, y0), (x1, y1) = ax.transData.transform([(0, 0), (1, 1)])
    changed = False
    for what in dict.fromkeys(_ROOMS[text][2] for text in texts):
        cells = [text for text in texts if _ROOMS[text][2] == what]
        share = 1.0
        for text in cells:
            box, (width, height, _) = text.get_window_extent(), _ROOMS[text]
            share = min(share, 0.95 * width * abs(x1 - x0) / max(1.0, box.width), height * abs(y1 - y0) / max(1.0, box.height))
        if share >= 1.0:
            continue
        changed, sizes = True, np.array([share * text.get_fontsize() for text in cells])
        for text, size in zip(cells, sizes, strict=True):
            if sizes.min() < LEAST:
                text.remove()
            else:
                text.set_fontsize(size)
        if sizes.min() < LEAST:
            _add_words(ax.title, f"(no room for {what})")
    return changed


DIRECT = 8  # classes that are named in the plot; more have a legend
LEAD = 12  # points from the end of a line to its name
TRIED = 80  # places for a name
SIDES = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))


class ClassName(Text):
    """The name of a class, and its possible positions (k, 2) in data."""

    own: np.ndarray


def name_classes(ax: Any, places: list[np.ndarray], levels: Any) -> None:
    """Names of classes among their marks; `place_labels` puts them at the positions that hide least."""
    for k, (own, name) in enumerate(zip(places, list_named(levels), strict=True)):
        known = own[np.isfinite(own).all(axis=1)]
        if not len(known):
            continue
        x, y = np.median(known, axis=0)
        text = ClassName(x, y, name, ha="center", va="center", color=ink(ax), zorder=6, clip_on=False)
        text.own = known
        text.set_bbox({"boxstyle": "round,pad=0.15", "fc": paper(ax), "ec": colour(k), "lw": 1.2, "alpha": 0.85})
        text.set_fontsize(0.85 * float(text.get_fontsize()))
        ax.add_artist(text)


def scatter_classes(ax: Any, places: list[np.ndarray], levels: Any, **style: Any) -> None:
    """The places (k, 2) of each class in its marks."""
    for k, (own, name) in enumerate(zip(places, list_named(levels), strict=True)):
        ax.scatter(own[:, 0], own[:, 1], marker=mark(k), color=colour(k), label=name, **style)


def tell_classes(ax: Any, places: list[np.ndarray], levels: Any, title: Any = None, handles: Any = None) -> None:
    """Names of few classes among their marks, and a legend of many."""
    if len(levels) <= DIRECT:
        name_classes(ax, places, levels)
    else:
        key(ax, "right", title, handles=handles)


def drop_names(ax: Any) -> None:
    """Axes without names of classes, if the Axes next to them have them."""
    for child in [child for child in ax.get_children() if isinstance(child, ClassName)]:
        child.remove()


def place_labels(ax: Any) -> None:
    """Put the names of classes at the positions that hide the fewest marks and no other name, near the middle of their class."""
    names = [child for child in ax.get_children() if isinstance(child, ClassName)]
    if not names:
        return
    frame, every = ax.get_window_extent(), [ax.transData.transform(name.own) for name in names]
    taken: list[np.ndarray] = []
    for name, own in zip(names, every, strict=True):
        box = name.get_window_extent()
        half = np.array([box.width, box.height]) / 2 + 4
        tried = own[np.linspace(0, len(own) - 1, min(TRIED, len(own))).astype(int)]
        middle = np.median(own, axis=0)
        spots = np.concatenate([np.vstack([middle, tried]) + half * 1.15 * side for side in np.array(SIDES)])
        low, high = np.array([frame.x0, frame.y0]) + half, np.array([frame.x1, frame.y1]) - half
        spots = spots.clip(low, np.maximum(low, high))
        cost = np.linalg.norm(spots - middle, axis=1) / max(frame.width, frame.height) * 30
        for other, marks in zip(names, every, strict=True):
            inside = (np.abs(marks[None] - spots[:, None]) < half).all(axis=2).mean(axis=1)
            cost += (100 if other is name else 200) * inside
        for spot, size in taken:
            cost += 1e4 * (np.abs(spots - spot) < size + half).all(axis=1)
        best = spots[int(cost.argmin())]
        taken.append(np.array([best, half]))
        name.set_position(ax.transData.inverted().transform(best))


def name_ends(ax: Any, heights: list[float], levels: Any, colours: list[Any] | None = None) -> None:
    """Names of lines at their right ends, next to the Axes, moved apart."""
    names = list_named(levels)
    low, high = ax.get_ylim()
    size = scale_letters(ax, 8.5)
    box, point = ax.get_window_extent(), ax.figure.dpi / 72
    gap, beside = 1.7 * size * point / max(1.0, box.height), 1.0 + max(0.04, LEAD * point / max(1.0, box.width))
    at = (np.array(heights, float) - low) / (high - low)
    order = np.argsort(at, kind="stable")
    spread = np.empty(len(at))
    spread[order] = spread_labels(at[order], min(gap, 1 / max(1, len(at) - 1)), 1.0)
    for k, (name, end, place) in enumerate(zip(names, at, spread, strict=True)):
        shade = colour(k) if colours is None else colours[k]
        ax.annotate(
            name, (1.0, end), xytext=(beside, place), xycoords="axes fraction", textcoords="axes fraction", va="center", color=ink(ax),
            fontsize=8.5, annotation_clip=False, arrowprops={"arrowstyle": "-", "color": shade, "lw": 1.4, "shrinkA": 0, "shrinkB": 0,
                                                     "relpos": (0, 0.5)},
        )  # fmt: skip


FEW = 2  # Axes of a figure that are laid out several times, which takes long for many
TIMES = 5
STEPS = 12  # layouts at most until the few Axes of a figure stop moving
GAP = 2.0  # points between the names of an axis and a legend
Draw = TypeVar("Draw", bound=Callable[..., Any])


def framed(draw: Draw) -> Draw:
    """A function that draws on `ax` (or on a new figure), whose plot is finished; see `finish`."""

    @wraps(draw)
    def drawn(*values: Any, **options: Any) -> Any:
        given = signature(draw).bind(*values, **options).arguments.get("ax")
        before = list_artists(given)
        return finish(draw(*values, **options), before)

    return drawn  # type: ignore[return-value]


def list_artists(ax: Any) -> set[int]:
    """The artists on Axes, and the neighbouring Axes, before something is drawn on them."""
    if ax is None:
        return set()
    if not hasattr(ax, "set_xlabel"):
        raise OptionError(f"ax must be Axes of matplotlib, such as from plt.subplots(), or None, not {brief(ax)}")
    return {id(artist) for artist in [*ax.get_children(), *ax.figure.axes]}


def finish(drawn: Any, before: set[int]) -> Any:
    """Axes or a Figure whose artists have sizes of their Axes, and whose words stay within the figure and apart.

    Artists that were there `before` are left as they are.
    """
    every = [drawn] if hasattr(drawn, "get_xlabel") else list(drawn.axes)
    figure = find_figure(every[0])
    bars = [ax for ax in every[0].figure.axes if ax.get_label() == "<colorbar>" and id(ax) not in before]
    plain_text(drawn)
    for ax in [*every, *bars]:
        _resize(ax, before)
        for line in ax.lines:  # a layout takes one without points for a mark in the corner of the figure
            line.set_in_layout(line.get_in_layout() and len(line.get_xdata()) > 0)
    times = TIMES if len(every) <= FEW else 1
    for k in range(times):  # text in more lines leaves less room
        _lay_out(figure)
        changed = k == 0
        for ax in [*every, *bars]:
            if ax not in bars:
                wrap_words(ax)
            if k or times == 1:  # once the names of ticks have their lengths
                changed |= fold_words(ax)
        for part in (part for ax in every if ax.axison for part in (ax, *ax.child_axes)):
            cut = [cut_names(axis, figure) for axis in (part.xaxis, part.yaxis)]
            if times == 1 or not any(cut):  # otherwise the room that cut names leave is known the next time
                changed |= part_ticks(part.xaxis) | part_ticks(part.yaxis)
            changed |= any([*cut, fit_cells(part), _move_legend(part)])
        if not changed:
            break
    for ax in every:
        place_labels(ax)
    return plain_text(drawn)  # also of new ticks


def _lay_out(figure: Any) -> None:
    """Axes at their final positions, which the texts need."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constrained_layout not applied")  # for now: words get smaller only then
        engine = figure.get_layout_engine()
        boxed = len(figure.axes) <= 2 * FEW and any(ax.get_aspect() != "auto" and ax.get_adjustable() == "box" for ax in figure.axes)
        before: list[Any] = []
        for _ in range(STEPS if boxed else 1):  # a layout takes Axes that are smaller than their place a step nearer to it alone
            if engine is not None:
                engine.execute(figure)
            for ax in figure.axes:
                ax.apply_aspect()
            places = [ax.get_position(original=True).bounds for ax in figure.axes]
            if before and np.abs(np.subtract(places, before)).max() < 1e-3:
                break
            before = places


def _resize(ax: Any, before: set[int]) -> None:
    """Marks, lines and letters as large as their Axes are."""
    from matplotlib.axes._secondary_axes import SecondaryAxis

    if factor(ax) == 1.0:
        return
    legend = ax.get_legend()
    lined = [] if legend is None else legend.findobj(lambda part: hasattr(part, "get_linewidth"))
    handles = [part for part in lined if part is not legend.get_frame()]
    once = {id(ax.title), id(ax._left_title), id(ax._right_title)}
    for artist in [*(a for a in ax.get_children() if id(a) not in before or id(a) in once), *handles]:
        _resize_artist(artist, ax)
    second = [child for child in ax.child_axes if isinstance(child, SecondaryAxis) and id(child) not in before]
    for axis in [axis for part in (ax, *second) for axis in (part.xaxis, part.yaxis)]:
        _resize_artist(axis.label, ax)
        labels = axis.get_ticklabels()
        axis.set_tick_params(labelsize=scale_letters(ax, labels[0].get_fontsize()) if labels else None)


def _resize_artist(artist: Any, ax: Any) -> None:
    from matplotlib.collections import PathCollection

    by = factor(ax)
    if isinstance(artist, Text):
        artist.set_fontsize(scale_letters(ax, float(artist.get_fontsize())))
    elif hasattr(artist, "get_linewidth"):  # lines, patches and collections, which have a width for each member
        artist.set_linewidth((by * np.asarray(artist.get_linewidth())).tolist())
    if hasattr(artist, "get_markersize"):
        artist.set(markersize=by * artist.get_markersize(), markeredgewidth=by * artist.get_markeredgewidth())
    elif isinstance(artist, PathCollection):
        artist.set_sizes(by**2 * artist.get_sizes())


def _move_legend(ax: Any) -> bool:
    """A legend above or below Axes is moved to the middle of its figure, and below the names of the Axes; whether it was
    moved."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    legend, names, figure = ax.get_legend(), ax.xaxis.get_tightbbox(), ax.figure
    if legend is None or legend.get_gid() not in ("above", "below"):
        return False
    across = figure.transSubfigure if len(figure.axes) == 1 else ax.transAxes  # with a colour bar the layout would not settle
    place: Any = blended_transform_factory(across, ax.transAxes)
    height = float(legend.get_gid() == "above")
    if not height and names is not None:
        down = (ax.get_window_extent().y0 - names.y0) / figure.dpi + GAP / 72
        place += ScaledTranslation(0, -down, figure.dpi_scale_trans)
    legend.set_bbox_to_anchor((0.5, height), place)
    return True
