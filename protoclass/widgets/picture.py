"""What the page draws with the picture that stands for it, and the figure behind that, whose still part is drawn once."""

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

from .browser import style

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
    """What a page draws and lets the user choose on, with a still picture and a text for those who do not see it.

    It waits for `present`. A subclass has the script (`_esm`), which is sent with the widget: nothing is fetched from elsewhere.

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

    _css: ClassVar[str] = style()

    png = Bytes(BLANK).tag(sync=True)
    alt = Unicode("").tag(sync=True)
    width = Int(460).tag(sync=True)
    ratio = Float(1.0).tag(sync=True)
    silence = Unicode(SILENCE, read_only=True).tag(sync=True)
    patience = Float(PATIENCE).tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self._turn = 0  # the last one of the page that was heard
        self.on_msg(self._answer)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """The page asks whether Python is there."""
        if content.get("kind") == "ask":
            self.send({"kind": "answer"})

    def on_select(self, handler: Callable[[int], None]) -> None:
        """Call `handler(point)` when the page chooses a point, -1 for none."""

        def report(_: Any, content: Any, buffers: Any) -> None:
            if content.get("kind") == "select":
                self._turn = int(content.get("turn", self._turn))
                handler(int(content["point"]))

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


def line(axes: Any, **style: Any) -> Any:
    """An empty line or cloud of marks, to be filled later."""
    return axes.plot([], [], **style)[0]


def fill(artist: Any, spots: np.ndarray | Sequence[Any]) -> None:
    """Put a line's marks at spots (k, 2)."""
    spots = np.asarray(spots, float).reshape(-1, 2)
    artist.set_data(spots[:, 0], spots[:, 1])
