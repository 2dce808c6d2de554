"""A picture that can be clicked, and the figure behind it, whose still part is drawn once."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import anywidget
import numpy as np
from ipywidgets import Widget
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from traitlets import Bytes, Float, Int, Unicode

from .browser import script, style

ABOVE = 10  # the frame and the labels of the Axes
PATIENCE = 6.0  # seconds
SILENCE = (
    "Python does not answer: it is busy, or its kernel has ended or was never started. The controls and the picture may have "
    "moved on; words and tables show an earlier state. If this stays, run the cell again."
)
DPI = 100  # dots an inch where a dot is a pixel of the page

def encode(pixels: np.ndarray) -> bytes:
    """A PNG of pixels, uint8 (height, width, 3) or (height, width)."""
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, "png", compress_level=1)
    return buffer.getvalue()


BLANK = encode(np.full((1, 1, 3), 255, np.uint8))


class Prepared(Widget):  # type: ignore[misc]
    """A widget that a front end hears of when its state is complete.

    What comes after a widget was opened comes in messages, and a front end under load, or one that limits their rate, may miss
    one: a picture that was sent so could stay white.
    """

    _complete = False

    def open(self) -> None:
        """Open it to front ends; nothing before `present`."""
        if self._complete:
            super().open()

    def present(self) -> None:
        """The state is complete: open it."""
        self._complete = True
        self.open()


class Picture(Prepared, anywidget.AnyWidget):
    """PNG bytes on the page, with a text for screen readers; a click tells its place. It waits for `present`.

    The script is sent with the widget: nothing is fetched from elsewhere.

    Attributes
    ----------
    png : bytes
    alt : str
        What the picture shows, in a sentence.
    width : int
        On the page, in its pixels; on a narrower page the picture shrinks.
    ratio : float
        Dots of the screen for each pixel of the page, as the front end tells.
    silence : str
        What the page says where Python does not answer.
    patience : float
        Seconds after which it does; before that it says that Python is working.
    """

    _esm: ClassVar[str] = script("picture")
    _css: ClassVar[str] = style()

    png = Bytes(BLANK).tag(sync=True)
    alt = Unicode("").tag(sync=True)
    width = Int(460).tag(sync=True)
    ratio = Float(1.0).tag(sync=True)
    silence = Unicode(SILENCE, read_only=True).tag(sync=True)
    patience = Float(PATIENCE).tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self.on_msg(self._answer)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """The page asks whether Python is there."""
        if content.get("kind") == "ask":
            self.send({"kind": "answer"})

    def on_click(self, handler: Callable[[float, float], None]) -> None:
        """Call `handler(x, y)` at each click: shares of the width from the left and of the height from the top."""

        def report(_: Any, content: Any, buffers: Any) -> None:
            if content.get("kind") == "click":
                handler(float(content["x"]), float(content["y"]))

        self.on_msg(report)


class Sheet:
    """A figure for a picture: what stays is drawn once and kept as pixels, what moves is drawn anew each time.

    Attributes
    ----------
    figure : Figure
        Complete at any time: it can be saved like every other.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._moving: list[Any] = []
        canvas = figure.canvas
        self._canvas: Any = canvas if isinstance(canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)
        self._still: Any = None

    def moves(self, artists: Sequence[Any]) -> None:
        """What moves, in the order in which it is drawn, above all that stays."""
        self._moving = list(artists)
        for k, artist in enumerate(artists):
            artist.set_zorder(ABOVE + k)  # so the whole figure is drawn in the same order

    def png(self) -> bytes:
        """The figure as it is now."""
        self.settle()
        self._canvas.restore_region(self._still)
        for artist in self._moving:
            artist.axes.draw_artist(artist)
        return encode(np.asarray(self._canvas.buffer_rgba())[:, :, :3])

    @property
    def renderer(self) -> Any:
        """For measuring texts before they are drawn."""
        return self._canvas.get_renderer()

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Dots from the left and from the bottom, for shares of the width from the left and of the height from the top."""
        return x * self.figure.bbox.width, (1 - y) * self.figure.bbox.height

    def settle(self) -> None:
        """Draw what stays; from then on the Axes keep their places."""
        if self._still is not None:
            return
        for artist in self._moving:
            artist.set_visible(False)
        self._canvas.draw()
        self.figure.set_layout_engine("none")  # else what moves would move the axes
        self._still = self._canvas.copy_from_bbox(self.figure.bbox)
        for artist in self._moving:
            artist.set_visible(True)


def find_nearest(spots: np.ndarray, x: float, y: float, within: float) -> int:
    """Which of the spots (k, 2), in dots, is nearest to a place; -1 where none lies within so many dots.

    Examples
    --------
    >>> find_nearest(np.array([[0.0, 0.0], [10.0, 0.0]]), 8.0, 1.0, 5.0)
    1
    """
    if len(spots) == 0:
        return -1
    apart = np.hypot(spots[:, 0] - x, spots[:, 1] - y)
    apart = np.where(np.isnan(apart), np.inf, apart)
    at = int(apart.argmin())
    return at if apart[at] <= within else -1


def line(axes: Any, **style: Any) -> Any:
    """An empty line or cloud of marks, to be filled later."""
    return axes.plot([], [], **style)[0]


def fill(artist: Any, spots: np.ndarray | Sequence[Any]) -> None:
    """Put a line's marks at spots (k, 2)."""
    spots = np.asarray(spots, float).reshape(-1, 2)
    artist.set_data(spots[:, 0], spots[:, 1])
