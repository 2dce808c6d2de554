"""What the explorers share: public state, controls that follow it, errors in words, one redraw for many changes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ipywidgets import HTML, Layout, VBox
from matplotlib.figure import Figure
from traitlets import TraitType, Unicode

from ..errors import NotAvailable, OptionError, ProtoclassError, brief
from ..views.words import write_value
from .markup import warning
from .picture import DPI, Picture, Prepared, Sheet

WIDTH = 630  # pixels of the page that an explorer takes: a notebook's output that is 700 wide has a margin of 70
SHARPEST = 3.0  # dots for each pixel of the page: more take long and are not seen
HOW = (
    "explore() is a widget: run it in JupyterLab, Jupyter Notebook 7, VS Code or voila (pip install jupyterlab). Here, without "
    "a front end, explore() gives its figure back: figure.savefig() writes it to a file, matplotlib.pyplot.show() opens it."
)


class Explorer(Prepared, VBox):  # type: ignore[misc]
    """A box of controls and a picture; its state is public, as traits.

    A change of state redraws the picture, in the thread that made the change, before it returns. So a front end, which sends
    a control's next value when the last one has been worked off, never sends more than the latest; and changes that come
    while another thread draws lead to one more redraw, whatever their number.

    Attributes
    ----------
    alert : str
        What went wrong with the last change, in words; "" where nothing did.
    exception : Exception, or None
        The error behind `alert`, with its traceback.
    """

    STATE: ClassVar[tuple[str, ...]] = ()  # the traits that the picture depends on
    PICTURE: ClassVar[type[Picture]] = Picture
    WIDEST: ClassVar[int] = WIDTH + 20  # pixels of the page

    alert = Unicode("", read_only=True)

    def __init__(self) -> None:
        super().__init__(layout=Layout(width="100%", max_width=f"{self.WIDEST}px"))
        self.add_class("protoclass-explorer")
        self.exception: Exception | None = None
        self.picture = self.PICTURE()
        self._sheet: Sheet | None = None
        self._blank: Callable[..., Any] = Figure
        self._warning = HTML(layout=Layout(display="none"))
        self._lock = threading.RLock()  # JupyterLab may handle a control's message in another thread than cells
        self._holds = 0
        self._guards = 0
        self._drawn: Any = None
        self._arranged = False
        self._setting = False
        self.picture.on_select(lambda point: self._guarded(lambda: self._select(point)))
        self.picture.observe(self._rescaled, "ratio")

    @property
    def figure(self) -> Any:
        """The figure that is shown, a matplotlib Figure."""
        if self._sheet is None:
            raise NotAvailable(f"there is no figure yet: {self.alert}") from self.exception
        return self._sheet.figure

    def _new_sheet(self, width: int, height: int) -> Sheet:
        """An empty figure of so many pixels of the page; `_sheet` is it once it is drawn."""
        size, ratio = (width / DPI, height / DPI), min(max(self.picture.ratio, 1.0), SHARPEST)
        self.picture.width = width
        return Sheet(self._blank(figsize=size, dpi=DPI * ratio, layout="constrained"))

    @property
    def table(self) -> pd.DataFrame:
        """What is shown, as a DataFrame."""
        raise NotImplementedError

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Several changes and one redraw: `with explorer.hold(): ...`"""
        with self._lock:
            self._holds += 1
            try:
                yield
            finally:
                self._holds -= 1
                self._update()

    def take_over(self, other: Explorer, names: Sequence[str]) -> None:
        """Take over the state of another explorer where both have it; what cannot be is said in words."""
        with self.hold():
            for name in names:
                if not (self.has_trait(name) and other.has_trait(name)):
                    continue
                value = getattr(other, name)
                if value is not None or name in ("class_", "selected"):
                    self._guarded(lambda name=name, value=value: setattr(self, name, value))  # type: ignore[misc]

    def draw_on(self, blank: Callable[..., Any]) -> None:
        """Draw anew on a figure that `blank(figsize=, dpi=, layout=)` makes, such as `plt.figure`."""
        with self.hold():
            self._blank, self._sheet, self._drawn = blank, None, None

    def _state(self) -> tuple[Any, ...]:
        return (*(getattr(self, name) for name in self.STATE), self.picture.ratio)

    def _update(self, change: Any = None) -> None:
        """Bring the page up to date with the state."""
        with self._lock:
            if self._holds:
                return
            self._holds += 1
            try:
                while (state := self._state()) != self._drawn:
                    self._drawn = state  # before the work: what fails is not tried again until something changes
                    self._guarded(self._refresh)
            finally:
                self._holds -= 1
            if not self._arranged:  # with the first picture of these controls
                self._arranged = True
                self.picture.present()
                self.children = self._arrange()
                self.present()

    def _arrange(self) -> list[Any]:
        """The parts of the page, whose controls there are."""
        raise NotImplementedError

    def _refresh(self) -> None:
        """Work out and show the current state."""
        raise NotImplementedError

    def _select(self, point: int) -> None:
        """The page has chosen a point, -1 for none."""
        raise NotImplementedError

    def _rescaled(self, change: Any) -> None:
        with self.hold():
            self._sheet = None  # another number of dots

    @contextmanager
    def _controls(self) -> Iterator[None]:
        """While controls are set from the state, what they report changes nothing."""
        before, self._setting = self._setting, True
        try:
            yield
        finally:
            self._setting = before

    def _follow(self, control: Any, trait: str, meaning: Callable[[Any], Any], of: str = "value") -> None:
        """Let a control move a trait; the state moves the control in `_refresh`."""

        def moved(change: Any) -> None:
            if not self._setting:
                self._guarded(lambda: setattr(self, trait, meaning(change.new)))

        control.observe(moved, of)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do what a control or a click asks for; an error is shown in words, and the explorer goes on working."""
        with self._lock:
            if self._guards == 0:
                self._tell(None)
            self._guards += 1
            try:
                work()
            except Exception as reason:
                self._tell(reason)
            finally:
                self._guards -= 1

    def _tell(self, reason: Exception | None) -> None:
        self.exception = reason
        words = "" if reason is None else str(reason)
        if reason is not None and not isinstance(reason, ProtoclassError):
            words = f"{type(reason).__name__}: {words} (explorer.exception has it)"
        self.set_trait("alert", words)
        self._warning.value = warning(words) if words else ""
        self._warning.layout.display = "block" if words else "none"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """For pages that show no widgets (GitHub, a notebook that was saved) the picture goes with it."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if isinstance(bundle, dict):
            bundle["image/png"] = self.picture.png
        return bundle


class Requested(TraitType):  # type: ignore[type-arg]
    """A trait whose values its owner checks, None as well, which traitlets does not hand to a `validate` of the class."""

    def validate(self, obj: Any, value: Any) -> Any:
        return getattr(obj, f"_check_{self.name}")(value)


class Among(TraitType):  # type: ignore[type-arg]
    """A trait that is one of some values. A number may be off by a thousandth, as printed ones are."""

    def __init__(self, values: Sequence[Any], **metadata: Any) -> None:
        super().__init__(values[0], **metadata)
        self.values = list(values)

    def validate(self, obj: Any, value: Any) -> Any:
        return self.values[find_value(str(self.name), value, self.values)]


def find_value(name: str, value: Any, values: Sequence[Any]) -> int:
    """The place of a value among those of a slider, a number to within a thousandth.

    Examples
    --------
    >>> find_value("eps", 0.9952, [0.5, 0.99523, 2.0])
    1
    """
    exact = [i for i, v in enumerate(values) if type(v) is not bool and v == value]
    if exact:
        return exact[0]
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and np.isfinite(value):
        numbers = np.array([v if isinstance(v, (int, float)) else np.nan for v in values], float)
        off = np.where(np.isfinite(numbers), np.abs(numbers - value), np.inf)
        at = int(off.argmin())
        if off[at] <= 1e-3 * abs(numbers[at]):
            return at
    texts = [write_value(v) for v in values]
    few = texts if len(texts) <= 24 else [*texts[:12], "...", *texts[-11:]]
    raise OptionError(f"{name}={brief(value)}: its slider has {', '.join(few)}")


def front_end() -> bool:
    """Whether this Python is the kernel of a notebook, whose front end can show widgets."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def show(explorer: Explorer) -> Any:
    """The explorer where it can be shown; elsewhere its figure, after saying how to get the widget."""
    if front_end():
        return explorer
    import matplotlib.pyplot as plt

    print(HOW)
    explorer.draw_on(plt.figure)
    return explorer.figure


def check_options(options: dict[str, Any], allowed: tuple[str, ...]) -> None:
    """Raise for an option that an explorer does not have."""
    for name in options:
        if name not in allowed:
            raise OptionError(f"explore() has no option {name!r}: its options are {', '.join(allowed)}")
