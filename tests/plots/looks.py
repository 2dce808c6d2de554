"""What is wrong with the looks of a figure, measured on what is drawn: words that are cut, overlap or can't be read, Axes without room."""

from contextlib import contextmanager

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from protoclass.pictures.style import luminance, paper

READ = 5.99  # points of letters that can be read
TEXT, MARK = 4.5, 3.0  # contrasts that WCAG 2.2 asks of text (1.4.3) and of what else is needed to understand a picture (1.4.11)


def contrast(colour, other):
    """Contrast of two colours, from 1 to 21 (WCAG 2.2, success criterion 1.4.3)."""
    lighter, darker = sorted((luminance(colour), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@contextmanager
def recorded():
    """The texts that are drawn: (words, Text)."""
    drawn, draw = [], RendererAgg.draw_text

    def record(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        if mtext is not None and s.strip():
            drawn.append((s, mtext))
        return draw(self, gc, x, y, s, prop, angle, ismath, mtext)

    RendererAgg.draw_text = record
    try:
        yield drawn
    finally:
        RendererAgg.draw_text = draw


def find_faults(figure):
    """Sentences about words outside the figure, words that overlap, contrasts that are too low, and Axes without room."""
    canvas = FigureCanvasAgg(figure)
    with recorded() as drawn:
        canvas.draw()
    texts = list({id(text): text for _, text in drawn}.values())
    boxes = [Text.get_window_extent(text) for text in texts]  # of an annotation without its arrow
    words = [*_cut(figure, texts, boxes), *_overlaps(texts, boxes), *_pale_words(canvas, texts, boxes)]
    words += [f"tiny: {_said(text)} has {text.get_fontsize():.1f} points" for text in texts if text.get_fontsize() < READ]
    return [*words, *_pale_marks(figure), *_narrow(figure)]


def _said(text):
    words = text.get_text().replace("\n", " / ")
    return repr(words if len(words) < 50 else f"{words[:50]}...")


def _cut(figure, texts, boxes):
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in zip(texts, boxes, strict=True):
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            yield f"cut: {_said(text)} at {box.extents.round().tolist()} of {width:.0f} x {height:.0f}"


def _overlaps(texts, boxes):
    if not boxes:
        return
    ends = np.array([box.extents for box in boxes])
    low, high = np.maximum(ends[:, None, :2], ends[None, :, :2]), np.minimum(ends[:, None, 2:], ends[None, :, 2:])
    shared = (high - low - 1.0).clip(0).prod(axis=2)  # a pixel of the boxes is white
    size = (ends[:, 2:] - ends[:, :2]).prod(axis=1)
    for i, j in zip(*np.nonzero(np.triu(shared, 1) > 0.1 * np.minimum(size[:, None], size)), strict=True):
        yield f"overlap: {_said(texts[i])} and {_said(texts[j])}"


def _pale_words(canvas, texts, boxes):
    for text in texts:
        text.set_alpha(0.0)
    canvas.draw()
    ground = np.asarray(canvas.buffer_rgba())[::-1, :, :3] / 255
    for text, box in zip(texts, boxes, strict=True):
        text.set_alpha(None)
        x0, y0, x1, y1 = box.extents.clip(0).astype(int)
        seen = ground[y0 : y1 + 1, x0 : x1 + 1].reshape(-1, 3)
        if len(seen):
            behind = np.median(seen, axis=0)
            found = contrast(text.get_color(), behind)
            if found < TEXT:
                yield f"contrast {found:.1f}: {_said(text)}"


def _pale_marks(figure):
    for ax in figure.axes:
        if ax.images:  # lines lie on shades that change
            continue
        ground = paper(ax)
        for line in ax.lines:
            if line.get_visible() and line.get_linestyle() != "None" and line.get_linewidth() and to_rgba(line.get_color())[3]:
                found = contrast(line.get_color(), ground)
                if found < MARK:
                    yield f"contrast {found:.1f}: line {line.get_label()!r} {line.get_color()}"
        for marks in ax.collections:
            if isinstance(marks, PathCollection) and marks.get_visible() and len(marks.get_offsets()):
                colours = [*marks.get_facecolor(), *(marks.get_edgecolor() if np.any(marks.get_linewidth()) else [])]
                found = max([contrast(c[:3], ground) for c in colours], default=21.0)
                if found < MARK:
                    yield f"contrast {found:.1f}: marks {marks.get_label()!r}"


def _narrow(figure):
    own = [ax for ax in figure.axes if ax.axison and ax.get_label() != "<colorbar>" and ax.get_subplotspec() is not None]
    for ax in own:
        rows, columns = ax.get_subplotspec().get_gridspec().get_geometry()
        below = [child.get_window_extent() for child in ax.child_axes if child.get_label() == "strip"]
        box = Bbox.union([ax.get_window_extent(), *below])
        share = box.width / figure.bbox.width * columns, box.height / figure.bbox.height * rows
        if min(share) < 0.2:
            yield f"room: Axes take {share[0]:.2f} of the width and {share[1]:.2f} of the height"
