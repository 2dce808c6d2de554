"""The picture of rows, prototypes and balls: marks that are made once and moved."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from ..plots.style import GREY, WRONG, colour, mark, named, plain_text
from ..views.geometry import Plane, find_limits, take_evenly
from ..views.marks import BALLS, Marks
from .picture import DPI, Sheet, fill, line

MOST = 8000  # rows that are drawn, evenly taken
SIDE = 24  # pixels of one
FRAME = 2
LETTERS = 24  # of a class in the legend
FAINT = 0.12


class Scene:
    """The marks of every kind on the Axes of a sheet; `show` puts them where Marks are."""

    def __init__(
        self, sheet: Sheet, plane: Plane, levels: list[Any], response: str, held: bool, spots: np.ndarray
    ) -> None:
        self.sheet, self.plane = sheet, plane
        n = len(plane.rows)
        self.drawn = take_evenly(n, MOST)
        self.ax = ax = sheet.figure.subplots()
        ax.set(xlabel=plane.axes[0], ylabel=plane.axes[1])
        low, high = find_limits(np.concatenate([plane.rows, spots]))
        small = 5.5 if n < 400 else 4.0 if n < 1500 else 2.4
        classes, bare = range(len(levels)), {"ls": "none"}
        empty = np.zeros((1, 1, 4), np.uint8)
        full: dict[str, Any] = {
            "extent": (low[0], high[0], low[1], high[1]),
            "origin": "lower",
            "aspect": "auto",
            "interpolation": "nearest",
        }
        self.regions = ax.imshow(empty, **full)
        self.balls = [LineCollection([], colors=colour(k), lw=0.9) for k in classes]
        for balls in self.balls:
            ax.add_collection(balls)
        self.held = [line(ax, marker=mark(k), ms=small, mew=0, mfc=colour(k), **bare) for k in classes]
        self.loose = [line(ax, marker=mark(k), ms=small, mew=0.8, mfc="none", mec=colour(k), **bare) for k in classes]
        self.wrong = line(ax, marker="x", ms=small, mew=1.1 if n < 1500 else 0.5, mec="black", **bare)
        self.rays = LineCollection([], colors=GREY, lw=0.7)
        ax.add_collection(self.rays)
        self.ball = line(ax, color="black", lw=1.6)
        self.first = [line(ax, marker=mark(k), ms=9, mew=1.2, mfc=colour(k), mec="black", **bare) for k in classes]
        self.pictures = ax.imshow(empty, **full)
        self.miscovered = line(ax, marker="o", ms=small + 5, mew=1.6, mfc="none", mec=WRONG, **bare)
        self.halo = line(ax, marker="o", ms=17, mew=4.5, mfc="none", mec="white", **bare)
        self.ring = line(ax, marker="o", ms=17, mew=1.8, mfc="none", mec="black", **bare)
        if plane.one_unit:
            ax.set_aspect("equal", adjustable="datalim")
        sheet.moves([
            self.regions, *self.balls, *self.held, *self.loose, self.wrong, self.rays, self.ball, *self.first,
            self.pictures, self.miscovered, self.halo, self.ring,
        ])  # fmt: skip
        self._legend(levels, response, held)
        plain_text(sheet.figure)
        sheet.settle()
        ax.autoscale(False)
        self.extent = (*ax.get_xlim(), *ax.get_ylim())  # an axis may have grown, for both to have one unit
        self.regions.set_extent(self.extent)
        self.pictures.set_extent(self.extent)

    def _legend(self, levels: list[Any], response: str, held: bool) -> None:
        names = [shorten(named(level), LETTERS, placeholder="...") or named(level)[:LETTERS] for level in levels]
        classes = [
            line(self.ax, marker=mark(k), ms=6, color=colour(k), ls="none", label=x) for k, x in enumerate(names)
        ]
        marks = [line(self.ax, marker="o", ms=8, mfc="white", mec="black", mew=1.2, ls="none", label="prototype")]
        if held:
            marks.append(
                line(self.ax, marker="o", ms=6, mfc="none", mec=GREY, ls="none", label="in no ball of its class")
            )
        marks.append(line(self.ax, marker="x", ms=6, mec="black", ls="none", label="misclassified"))
        title = shorten(response, 60, placeholder="...")
        for handles, place, name in ((classes, "upper", title), (marks, "lower", None)):
            self._fit_legend(handles, place, name)

    def _fit_legend(self, handles: list[Any], place: str, title: str | None) -> None:
        """A legend over or under the Axes, in as few lines as its width allows."""
        figure, lines, wide = self.sheet.figure, 0, float("inf")
        while wide > figure.bbox.width and lines < len(handles):
            lines += 1
            for earlier in figure.legends[1 if place == "lower" else 0 :]:
                earlier.remove()
            legend = plain_text(figure.legend(  # type: ignore[call-overload]
                handles=handles, loc=f"outside {place} center", ncols=-(-len(handles) // lines), title=title, fontsize="small",
                title_fontsize="small", frameon=False, columnspacing=0.8, handletextpad=0.3, borderpad=0.2,
            ))  # fmt: skip
            wide = legend.get_window_extent(self.sheet.renderer).width

    def show(self, marks: Marks) -> bytes:
        """Put the marks where Marks are; the PNG."""
        rows, codes = self.plane.rows[self.drawn], marks.codes[self.drawn]
        held, wrong = marks.held[self.drawn], marks.wrong[self.drawn]
        within = np.arange(len(marks.classes)) < BALLS
        for k in range(len(self.held)):
            own, strong = codes == k, marks.only in (-1, k)
            fill(self.held[k], rows[own & held])
            fill(self.loose[k], rows[own & ~held])
            self.held[k].set_alpha(0.55 if strong else FAINT)
            self.loose[k].set_alpha(0.9 if strong else FAINT)
            mine = marks.classes == k
            fill(self.first[k], marks.prototypes[mine] if strong else [])
            self.first[k].set_markersize(
                9 if len(marks.prototypes) <= 100 else 6 if len(marks.prototypes) <= 500 else 4
            )
            self.balls[k].set_segments(list(marks.outlines[(mine & within)[: len(marks.outlines)]]) if strong else [])
        fill(self.wrong, rows[wrong & ((marks.only == -1) | (codes == marks.only))])
        self.rays.set_alpha(min(0.9, 40 / max(1, len(marks.rays))) ** 0.5)
        self.rays.set_segments([np.stack([marks.chosen[0], spot]) for spot in marks.rays] if len(marks.chosen) else [])
        fill(self.ball, marks.ball)
        fill(self.miscovered, marks.miscovered)
        fill(self.halo, marks.chosen)
        fill(self.ring, marks.chosen)
        self.regions.set_visible(marks.regions is not None)
        self.pictures.set_visible(len(marks.pictures) > 0)
        self.regions.set_data(_paint(marks.regions))
        self.pictures.set_data(self._paste(marks))
        return self.sheet.png()

    def _paste(self, marks: Marks) -> np.ndarray:
        """The pictures of the prototypes at their places, framed in the colour of the class; none hides an earlier one."""
        if not len(marks.pictures):
            return np.zeros((1, 1, 4), np.uint8)
        box, ratio = self.ax.bbox, self.sheet.figure.dpi / DPI
        side = round((SIDE + 2 * FRAME) * ratio)
        frame = round(FRAME * ratio)
        out = np.zeros((round(box.height), round(box.width), 4), np.uint8)
        corners = self.ax.transData.transform(marks.prototypes[: len(marks.pictures)]) - [box.x0, box.y0] - side / 2
        taken: list[np.ndarray] = []
        for corner, picture, k in zip(corners, marks.pictures, marks.classes, strict=False):
            hidden = any((np.abs(corner - other) < side).all() for other in taken)
            inside = (corner >= 0).all() and corner[0] + side <= out.shape[1] and corner[1] + side <= out.shape[0]
            if hidden or not inside or marks.only not in (-1, k):
                continue
            taken.append(corner)
            x, y = corner.round().astype(int)
            patch = out[y : y + side, x : x + side]
            patch[...] = [*(round(255 * c) for c in to_rgb(colour(int(k)))), 255]
            inner = side - 2 * frame
            up, along = (np.arange(inner) * length // inner for length in picture.shape)
            patch[frame : side - frame, frame : side - frame, :3] = picture[::-1][np.ix_(up, along)][:, :, None]
        return out


def _paint(regions: np.ndarray | None) -> np.ndarray:
    """Pale colours of classes."""
    if regions is None:
        return np.zeros((1, 1, 4), np.uint8)
    pale = np.array([[*to_rgb(colour(k)), 0.14] for k in range(int(regions.max()) + 1)])
    return np.asarray(np.asarray(255 * pale, np.uint8)[regions])
