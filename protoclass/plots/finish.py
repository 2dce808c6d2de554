"""What every picture goes through when it is drawn: sizes from its Axes, and words that neither overlap nor leave the figure."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from ..ground.errors import OptionError, brief
from .fitting import cut_names, fit_cells, fold_words, part_ticks, wrap_words
from .labels import place_labels
from .style import factor, plain_text, scale_letters

FEW = 2  # Axes of a figure that are laid out several times, which takes long for many
TIMES = 5
STEPS = 12  # layouts at most until the few Axes of a figure stay where they are
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
        for line in ax.lines:  # a layout takes one without points for a mark in the corner of the figure
            line.set_in_layout(line.get_in_layout() and len(line.get_xdata()) > 0)
    times = TIMES if len(every) <= FEW else 1
    for k in range(times):  # what is written in more lines leaves less room
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
    """Axes at their places, so that texts know theirs."""
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
    handles = [] if legend is None else [part for part in legend.findobj(_is_mark) if part is not legend.get_frame()]
    once = {id(ax.title), id(ax._left_title), id(ax._right_title)}
    for artist in [*(a for a in ax.get_children() if id(a) not in before or id(a) in once), *handles]:
        _resize_artist(artist, ax)
    second = [child for child in ax.child_axes if isinstance(child, SecondaryAxis) and id(child) not in before]
    for axis in [axis for part in (ax, *second) for axis in (part.xaxis, part.yaxis)]:
        _resize_artist(axis.label, ax)
        labels = axis.get_ticklabels()
        axis.set_tick_params(labelsize=scale_letters(ax, labels[0].get_fontsize()) if labels else None)


def _is_mark(artist: Any) -> bool:
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return isinstance(artist, (Collection, Line2D, Patch))


def _resize_artist(artist: Any, ax: Any) -> None:
    from matplotlib.collections import Collection, PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    by = factor(ax)
    if isinstance(artist, Text):
        artist.set_fontsize(scale_letters(ax, float(artist.get_fontsize())))
    elif isinstance(artist, Line2D):
        artist.set(linewidth=by * artist.get_linewidth(), markersize=by * artist.get_markersize())
        artist.set_markeredgewidth(by * artist.get_markeredgewidth())
    elif isinstance(artist, Collection):
        artist.set_linewidth((by * np.asarray(artist.get_linewidth())).tolist())
        if isinstance(artist, PathCollection):
            artist.set_sizes(by**2 * artist.get_sizes())
    elif isinstance(artist, Patch):
        artist.set_linewidth(by * artist.get_linewidth())


def _move_legend(ax: Any) -> bool:
    """A legend above or below Axes is in the middle of a figure that is theirs, and below begins where their names end; whether it was
    moved."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    legend, names, figure = ax.get_legend(), ax.xaxis.get_tightbbox(), ax.figure
    if legend is None or legend.get_gid() not in ("above", "below"):
        return False
    across = figure.transSubfigure if len(figure.axes) == 1 else ax.transAxes  # beside a shade bar the layout would not settle
    place: Any = blended_transform_factory(across, ax.transAxes)
    height = float(legend.get_gid() == "above")
    if not height and names is not None:
        down = (ax.get_window_extent().y0 - names.y0) / figure.dpi + GAP / 72
        place += ScaledTranslation(0, -down, figure.dpi_scale_trans)
    legend.set_bbox_to_anchor((0.5, height), place)
    return True
