"""Names of classes beside what they name, where they hide least."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.text import Text

from ..views.matrix import spread_labels
from .palette import colour, ink, paper
from .style import list_named, scale_letters

DIRECT = 8  # classes that are named in the picture; more have a legend
LEAD = 12  # points from the end of a line to its name
TRIED = 80  # places for a name
SIDES = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))


class ClassName(Text):
    """The name of a class, and the places (k, 2) in data that it may stand at."""

    own: np.ndarray


def name_classes(ax: Any, places: list[np.ndarray], levels: Any) -> None:
    """Names of classes among their marks; `place_labels` puts them where they hide least."""
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


def drop_names(ax: Any) -> None:
    """Axes without names of classes, where Axes beside them have them."""
    for child in [child for child in ax.get_children() if isinstance(child, ClassName)]:
        child.remove()


def place_labels(ax: Any) -> None:
    """Put the names of classes where they hide the fewest marks and no other name, near the middle of their class."""
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
    """Names of lines at their right ends, beside the Axes, from which they are led apart."""
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
