"""A film of a fit as an animated GIF: balls grow, prototypes merge, and the curve below is traced."""

from __future__ import annotations

import html
import os
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import whole_number
from ..errors import FileError, NotAvailable, OptionError, brief, shown
from ..files import check_free, write_by
from ..progress import bar
from ..views.film import Frames, list_frames
from ..views.geometry import find_limits, make_plane
from ..views.words import PARAMETERS
from .labels import drop_names
from .palette import colour, faint, mark
from .prototypes import choose_rows, draw_plane
from .style import LEAST, list_named, plain_log, plain_text

if TYPE_CHECKING:
    from ..estimation.fit import Fit

MOST = 100  # frames
SIZE, DPI = (6.4, 7.2), 100  # inches, pixels in an inch
PLACE = (0.15, 0.42, 0.81, 0.49)  # of the map in the figure
EACH, LAST = 250, 2000  # milliseconds of a frame, and of the last one
MARGIN = 0.04  # of the range of an axis
NAMED = 15  # classes in the legend
EMBEDDED = 10_000_000  # bytes of a film that a notebook plays


@dataclass(frozen=True)
class Film:
    """A film that was written; `open` takes it as a path, and a notebook plays it.

    Attributes
    ----------
    path : Path
    frames : int
    possible : int
        Radii, or sizes, that there are; where they are more than frames, some were taken evenly.
    pixels : (int, int)
        Width and height.
    bytes : int
    """

    path: Path
    frames: int
    possible: int
    pixels: tuple[int, int]
    bytes: int

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        some = f" of {self.possible}, evenly taken" if self.frames < self.possible else ""
        frames = "1 frame" if self.frames == 1 else f"{self.frames} frames"
        return f"{str(self.path)!r}: {frames}{some}, {self.pixels[0]} x {self.pixels[1]} pixels, {self.bytes / 1e6:.2g} MB"

    def _repr_html_(self) -> str:
        words = html.escape(repr(self))
        if not self.path.is_file() or self.path.stat().st_size != self.bytes or self.bytes > EMBEDDED:
            return f"<p>{words}</p>"
        data, (width, height) = b64encode(self.path.read_bytes()).decode(), self.pixels
        return f'<img src="data:image/gif;base64,{data}" width="{width}" height="{height}" alt="A film of a fit: {words}">'


def film(fit: Fit, path: Any, frames: int, overwrite: bool, progress: bool | None) -> Film:
    """See `Fit.film`."""
    if fit.frame.absent is not None:
        raise NotAvailable(fit.frame.absent)
    place, most = _check_place(path, overwrite), whole_number("frames", frames, 2)
    if most > MOST:
        raise OptionError(f"frames={frames}: a film has at most {MOST} frames")
    listed = list_frames(fit, most)
    pictures = _draw_frames(fit, listed, progress)

    def write(file: Any) -> int:
        times = [EACH] * (len(pictures) - 1) + [LAST]
        pictures[0].save(file, format="GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0)
        return int(file.tell())

    size = write_by(write, place, overwrite)
    return Film(place, len(pictures), listed.possible, pictures[0].size, size)


def _check_place(path: Any, overwrite: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or not str(path).lower().endswith(".gif"):
        raise OptionError(f"path={brief(path)}: a film is a file whose name ends in .gif, such as 'fit.gif'")
    place = Path(path).expanduser()
    if not place.parent.is_dir():
        raise FileError(f"{shown(str(place.parent))}: there is no such folder; make it, or name another")
    check_free(place, overwrite)
    return place


def _draw_frames(fit: Fit, listed: Frames, progress: bool | None) -> list[Any]:
    """The pictures of a film, all on one map, with 255 colours each."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    rows = np.unique(np.concatenate([choose_rows(each, None) for each in listed.fits]))
    plane = make_plane(fit, rows=rows)
    low, high = find_limits(plane.rows)
    if plane.one_unit:  # both axes have the scale of the longer one
        room = np.array(SIZE) * PLACE[2:]
        half = room / 2 * ((high - low) / room).max()
        low, high = (low + high) / 2 - half, (low + high) / 2 + half
    figure, pictures = Figure(figsize=SIZE, dpi=DPI), []
    canvas: Any = FigureCanvasAgg(figure)
    with bar(len(listed.fits), "drawing the film", progress) as drawing:
        for k, each in enumerate(listed.fits):
            figure.clear()
            ax: Any = figure.add_axes(PLACE)
            draw_plane(each, plane, rows, ax, True)
            drop_names(ax)
            if ax.get_legend() is not None:
                ax.get_legend().remove()
            ax.set_adjustable("box")
            ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
            ax.set_title(f"{_say(listed, k)}\n{ax.get_title()}", fontsize="small")
            _trace(listed, k, figure.add_axes((0.15, 0.14, 0.81, 0.19)))
            _name_classes(fit, figure)
            plain_text(figure)
            canvas.draw()
            picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
            pictures.append(picture.quantize(255))
            drawing.update()
    return pictures


def _say(listed: Frames, k: int) -> str:
    value = listed.table[listed.along].iloc[k]
    return f"eps = {value:.3g}" if listed.along == "eps" else f"the first {value} of {listed.possible} steps"


def _trace(listed: Frames, k: int, ax: Any) -> None:
    """The curve up to frame k, on axes that are the same in all frames."""
    table, along = listed.table, listed.along
    error = "held_out" if "held_out" in table else "training_error"
    values, name = table[error], {"held_out": "held-out error", "training_error": "training error"}[error]
    so_far = table.iloc[: k + 1]
    ax.plot(so_far[along], so_far[error], "o-", ms=3, lw=1.3, color=colour(0))
    ax.plot(so_far[along].iloc[-1:], so_far[error].iloc[-1:], "o", ms=7, color=colour(1))
    low, high = float(table[along].min()), float(table[along].max())
    if along == "eps" and low > 0:
        edge = (high / low) ** MARGIN
        ax.set(xscale="log", xlim=(low / edge, high * edge))
        plain_log(ax.xaxis)
    else:
        ax.set_xlim(low - MARGIN * (high - low), high + MARGIN * (high - low))
    ax.set(ylim=(0, 1.1 * float(np.nanmax(values)) or 1.0), ylabel=f"{name}\n(share of rows)")
    ax.yaxis.label.set_fontsize("small")
    ax.set_xlabel(PARAMETERS["eps"] if along == "eps" else "number of steps")
    ax.grid(axis="y", lw=0.4, color=faint(ax))


def _name_classes(fit: Fit, figure: Any) -> None:
    from matplotlib.lines import Line2D

    names = list_named(fit.classes, 16)[:NAMED]
    more = len(fit.classes) - len(names)
    handles = [Line2D([], [], ls="none", marker=mark(k), color=colour(k), label=name) for k, name in enumerate(names)]
    if more:
        handles.append(Line2D([], [], ls="none", label=f"and {more} more"))
    figure.legend(handles=handles, loc="lower center", ncols=min(6, len(handles)), fontsize=max(LEAST, 7.5), frameon=False)
