"""What every picture goes through when it is drawn: sizes from its Axes, and words that neither overlap nor leave the figure."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import signature
from itertools import pairwise
from textwrap import wrap
from typing import Any, TypeVar

import numpy as np

from ..errors import OptionError, brief
from ..views.words import list_short
from .labels import place_labels
from .style import factor, letter_factor, plain_text

FEW = 2  # Axes of a figure that are laid out twice, which takes long for many
STEEP = 90  # degrees
LEAST = 4.0  # points of a name on an axis
WIDTH = 0.5  # of a figure that names beside Axes may take
GAP = 2.0  # points between the names of an axis and a legend
Draw = TypeVar("Draw", bound=Callable[..., Any])


def framed(draw: Draw) -> Draw:
    """A function that draws on `ax` (or on a figure of its own), whose picture is finished; see `finish`."""

    @wraps(draw)
    def drawn(*values: Any, **options: Any) -> Any:
        given = signature(draw).bind(*values, **options).arguments.get("ax")
        before = list_artists(given)
        return finish(draw(*values, **options), before)

    return drawn  # type: ignore[return-value]


def list_artists(ax: Any) -> set[int]:
    """What is on Axes, and which Axes are beside them, before something is drawn on them."""
    if ax is None:
        return set()
    if not hasattr(ax, "get_children") or not hasattr(ax, "figure"):
        raise OptionError(f"ax={brief(ax)}: Axes of matplotlib, as plt.subplots() gives them, or None")
    return {id(artist) for artist in [*ax.get_children(), *ax.figure.axes]}


def finish(drawn: Any, before: set[int]) -> Any:
    """Axes or a Figure whose artists have sizes of their Axes, and whose words stay within the figure and apart.

    Artists that were there `before` are left as they are.
    """
    every = [drawn] if hasattr(drawn, "get_xlabel") else list(drawn.axes)
    figure = every[0].figure
    bars = [ax for ax in figure.axes if ax.get_label() == "<colorbar>" and id(ax) not in before]
    while figure is not figure.figure:  # of a subfigure the complete one
        figure = figure.figure
    plain_text(drawn)
    for ax in [*every, *bars]:
        _resize(ax, before)
    for _ in range(2 if len(every) <= FEW else 1):  # what is written in more lines leaves less room
        _lay_out(figure)
        changed = [_fit_words(ax, figure) for ax in [*every, *bars]]
        for part in (part for ax in every if ax.axison for part in (ax, *ax.child_axes)):
            changed += [_cut_names(part, figure), _part_ticks(part.xaxis), _part_ticks(part.yaxis), _move_legend(part)]
        if not any(changed):
            break
    for ax in every:
        place_labels(ax)
    return plain_text(drawn)  # also of new ticks


def _lay_out(figure: Any) -> None:
    """Axes at their places, so that texts know theirs."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constrained_layout not applied")  # for now: words get smaller only then
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
    for ax in figure.axes:
        ax.apply_aspect()


def _resize(ax: Any, before: set[int]) -> None:
    """Marks, lines and letters as large as their Axes are."""
    by, letters = factor(ax), letter_factor(ax)
    if by == 1.0:
        return
    legend = ax.get_legend()
    handles = [] if legend is None else list(legend.legend_handles)
    once = {id(ax.title), id(ax._left_title), id(ax._right_title)}
    for artist in [*(a for a in ax.get_children() if id(a) not in before or id(a) in once), *handles]:
        _resize_artist(artist, by, letters)
    for axis in (ax.xaxis, ax.yaxis):
        _resize_artist(axis.label, by, letters)
        axis.set_tick_params(labelsize=letters * axis.get_ticklabels()[0].get_fontsize() if axis.get_ticklabels() else None)


def _resize_artist(artist: Any, by: float, letters: float) -> None:
    from matplotlib.collections import Collection, PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    if isinstance(artist, Text):
        artist.set_fontsize(letters * float(artist.get_fontsize()))
    elif isinstance(artist, Line2D):
        artist.set(linewidth=by * artist.get_linewidth(), markersize=by * artist.get_markersize())
        artist.set_markeredgewidth(by * artist.get_markeredgewidth())
    elif isinstance(artist, Collection):
        artist.set_linewidth((by * np.asarray(artist.get_linewidth())).tolist())
        if isinstance(artist, PathCollection):
            artist.set_sizes(by**2 * artist.get_sizes())
    elif isinstance(artist, Patch):
        artist.set_linewidth(by * artist.get_linewidth())


def _fit_words(ax: Any, figure: Any) -> bool:
    """Titles and names of axes in as many lines as they need; whether there are new lines."""
    box = ax.get_window_extent()
    shared = sum(other.get_subplotspec() is not None for other in figure.axes) > 1
    width = box.width * 1.05 if shared else 2 * min(box.x0 + box.width / 2, figure.bbox.width - box.x0 - box.width / 2)
    height = box.height * 1.1 if shared else 2 * min(box.y0 + box.height / 2, figure.bbox.height - box.y0 - box.height / 2)
    rooms = (ax.title, width), (ax.xaxis.label, width), (ax.yaxis.label, height)
    folded = [_fold(text, 0.97 * room, text is ax.yaxis.label) for text, room in rooms]
    return any(folded)


def _fold(text: Any, room: float, upright: bool) -> bool:
    """A text in lines that are no longer than the room in pixels; whether there are new ones."""
    if not text.get_text():
        return False
    box = text.get_window_extent()
    long = box.height if upright else box.width
    if long <= room:
        return False
    lines = text.get_text().split("\n")
    letters = max(8, int(max(map(len, lines)) * room / long))
    text.set_text("\n".join(part for line in lines for part in wrap(line, letters) or [""]))
    return True


def _cut_names(ax: Any, figure: Any) -> bool:
    """Names beside Axes that would leave these no room are cut; whether any were."""
    from matplotlib.ticker import FixedLocator

    axis = ax.yaxis
    labels = [label for label in axis.get_ticklabels() if label.get_text()]
    if not labels or not isinstance(axis.get_major_locator(), FixedLocator):
        return False
    widest, room = max(label.get_window_extent().width for label in labels), WIDTH * figure.bbox.width
    if widest <= room:
        return False
    texts = [label.get_text() for label in labels]
    axis.set_ticks([label.get_position()[1] for label in labels], list_short(texts, max(6, int(max(map(len, texts)) * room / widest))))
    return True


def _move_legend(ax: Any) -> bool:
    """A legend below Axes begins where their names end; whether it was moved."""
    from matplotlib.transforms import ScaledTranslation

    legend, names = ax.get_legend(), ax.xaxis.get_tightbbox()
    if legend is None or legend.get_gid() != "below" or names is None:
        return False
    down = (ax.get_window_extent().y0 - names.y0) / ax.figure.dpi + GAP / 72
    legend.set_bbox_to_anchor((0.5, 0.0), ax.transAxes + ScaledTranslation(0, -down, ax.figure.dpi_scale_trans))
    return True


def _part_ticks(axis: Any) -> bool:
    """Names on an axis that overlap are written smaller, or steeply, or not all; whether any were changed."""
    from matplotlib.ticker import FixedLocator

    labels = [label for label in axis.get_ticklabels() if label.get_text() and label.get_visible()]
    if len(labels) < 2 or not _overlap(labels):
        return False
    fixed, flat = isinstance(axis.get_major_locator(), FixedLocator), axis.axis_name == "x"
    if fixed and flat and labels[0].get_rotation() != STEEP and max(len(label.get_text()) for label in labels) > 3:
        axis.set_tick_params(rotation=STEEP)
        if not _overlap(labels):
            return True
    size = labels[0].get_fontsize()
    if fixed:
        size = max(min(size, LEAST), 0.7 * size)
        axis.set_tick_params(labelsize=size)
        if not _overlap(labels):
            return True
    at = [(label.get_position()[0 if flat else 1], label.get_text()) for label in labels]
    step = next((k for k in range(2, len(labels)) if not _overlap(labels[::k])), len(labels))
    axis.set_ticks([place for place, _ in at[::step]], [name for _, name in at[::step]], minor=False)
    return True


def _overlap(labels: list[Any]) -> bool:
    boxes = [label.get_window_extent() for label in labels]
    return any(one.overlaps(other) for one, other in pairwise(boxes))
