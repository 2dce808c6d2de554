"""The common part of explorers: public state, a page that shows it, and one answer to what the page asks."""

from __future__ import annotations

import io
import json
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets
from matplotlib.figure import Figure
from traitlets import Bytes, Dict, TraitType, Unicode

from ..ground.checks import is_number
from ..ground.errors import OptionError, ProtoclassError, brief
from ..ground.files import check_path
from ..ground.text import write_value
from .browser import fragment, script, style, write_page

HOW = (
    "explore() is a widget: run it in JupyterLab, Jupyter Notebook 7 or VS Code (pip install "
    "jupyterlab). Here, without a front "
    "end, explore() gives its figure back: figure.savefig() writes it to a file, matplotlib.pyplot.show() opens it."
)
Plain = dict[str, Any]  # plain values, and packed arrays


class Explorer(anywidget.AnyWidget):
    """A page in a notebook, and the Python behind it. The state is public, as traits.

    The page draws `content` by itself. It tells its state in a message whenever the user has
    changed it, and names what it lacks; `answer` takes the state over and returns that. A change of
    a trait changes `state`, which the page follows.

    Attributes
    ----------
    alert : str
        What went wrong with the last message of the page, in words; "" where nothing did.
    exception : Exception, or None
        The error behind `alert`, with its traceback.
    """

    _esm: ClassVar[str] = script("explorer")
    _css: ClassVar[str] = style()
    STATE: ClassVar[tuple[str, ...]] = ()  # the traits that the state is made of

    content = Bytes(b"").tag(sync=True)  # what the page draws, as `join` writes it
    # plain values, with the `view` and its `turn` whose message was the last
    state = Dict().tag(sync=True)
    alert = Unicode("", read_only=True)

    def __init__(self) -> None:
        self.exception: Exception | None = None
        # JupyterLab may handle messages in another thread than cells
        self._lock = threading.RLock()
        self._holds = 0
        self._last: Plain = {"view": "", "turn": 0}
        super().__init__()
        self.on_msg(self._hear)

    def open(self) -> None:
        """Open it to front ends, which then have all that the page draws; nothing before there is content."""
        if self.content:
            super().open()

    @property
    def figure(self) -> Figure:
        """The plot, as a matplotlib Figure."""
        figure = Figure(figsize=(6.4, 4.8), layout="constrained")
        self.draw(figure.subplots())
        return figure

    def draw(self, ax: Any = None) -> Any:
        """Draw what is shown on Axes of matplotlib, by default those of a new figure of pyplot."""
        raise NotImplementedError

    def describe_state(self) -> Plain:
        """The state in plain values, as the page has it."""
        raise NotImplementedError

    def take_state(self, state: Plain) -> None:
        """Take over the state of the page."""
        raise NotImplementedError

    def reply(self, message: Plain) -> Plain:
        """Parts that the page lacks, and the details of the current state."""
        return {}

    def settle(self) -> None:
        """Bring up to date what follows from the state."""

    def answer(self, message: Plain) -> Plain:
        """Take over the `state` of a message, do what it asks for, and return what it `wants`; of
        an error the words, as `problem`.
        """
        with self._lock:
            self._last = {name: message.get(name, value) for name, value in self._last.items()}
            found: Plain = {}

            def work() -> None:
                with self.hold():
                    self.take_state(message["state"])
                found.update(self.reply(message))

            self._guarded(work)
            return found if self.exception is None else {"problem": self.alert}

    def _hear(self, _: Any, message: Plain, buffers: Any) -> None:
        self.send({"kind": "answer", "id": message.get("id")}, [join(self.answer(message))])

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Several changes that the page follows at once: `with explorer.hold(): ...`"""
        with self._lock, self.hold_sync():  # content and state go to the page together
            self._holds += 1
            try:
                yield
            finally:
                self._holds -= 1
                self._update()

    def _update(self, change: Any = None) -> None:
        with self._lock:
            if not self._holds:
                self._holds += 1
                try:
                    before: Plain = {}
                    # settling tells observers, who may change the state again: until it stays
                    while (now := self.describe_state()) != before:
                        before = now
                        self.settle()
                finally:
                    self._holds -= 1
                self.state = {**now, **self._last}

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do what a page asks for; an error is said in words, and the explorer goes on working."""
        with self._lock:
            self.exception, words = None, ""
            try:
                work()
            except Exception as reason:
                self.exception, words = reason, str(reason)
                if not isinstance(reason, ProtoclassError):
                    words = f"{type(reason).__name__}: {words} (explorer.exception has it)"
            self.set_trait("alert", words)

    def page_content(self) -> Plain:
        """All that a page without Python draws."""
        raise NotImplementedError

    def fragment(self) -> str:
        """The explorer as a part of a page, see `browser.fragment`."""
        content = join(
            {**self.page_content(), "state": {**self.describe_state(), "view": "", "turn": 0}}
        )
        return fragment(self.png(), content)

    def save(self, path: Any, overwrite: bool = False) -> Path:
        """Write the explorer as one HTML file that needs neither Python nor a network, with all radii or grid points.

        The address with `#row=` and a label behind it opens the explorer of a fit at that row or
        prototype.

        Parameters
        ----------
        path : str or path
            Ends in .html.
        overwrite : bool
            Whether a file of this name is replaced.
        """
        return write_page(check_path(path), self.fragment(), overwrite)

    def png(self) -> bytes:
        """The figure as a picture."""
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=100)
        return file.getvalue()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """For pages that show no widgets (GitHub, a notebook that was saved) a picture goes with
        it, where there is one.
        """
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        with suppress(ProtoclassError):
            bundle[0]["image/png"] = self.png()
        return bundle


def join(content: Any) -> bytes:
    r"""A header in JSON, with its length before it, in which arrays say where their bytes stand; and these bytes.

    Examples
    --------
    >>> join({"a": [1, 2], "b": {"type": "uint8", "data": b"xy"}})
    b':\x00\x00\x00{"a": [1, 2], "b": {"type": "uint8", "at": 0, "bytes": 2}}xy'
    """
    parts: list[bytes] = []
    at = 0

    def place(value: Any) -> Any:
        nonlocal at
        if isinstance(value, dict):
            if isinstance(value.get("data"), bytes):
                data = value["data"]
                parts.append(data)
                at += len(data)
                return {"type": value["type"], "at": at - len(data), "bytes": len(data)}
            return {str(name): place(each) for name, each in value.items()}
        return [place(each) for each in value] if isinstance(value, (list, tuple)) else value

    header = json.dumps(place(content), allow_nan=False, default=_plain).encode()
    return struct.pack("<I", len(header)) + header + b"".join(parts)


def _plain(value: Any) -> Any:
    assert isinstance(value, np.generic)
    return value.item()


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
    exact = [
        i
        for i, v in enumerate(values)
        if isinstance(v, bool) == isinstance(value, bool) and v == value
    ]
    near = [
        i
        for i, v in enumerate(values)
        if is_number(v) and is_number(value) and abs(v - value) <= 1e-3 * abs(v)
    ]
    found = exact or sorted(near, key=lambda i: abs(values[i] - value))
    if not found:
        raise OptionError(
            f"{name}={brief(value)}: its slider has {', '.join(map(write_value, values))}"
        )
    return found[0]


def front_end() -> bool:
    """Whether this Python is the kernel of a notebook, whose front end can show widgets."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def show(explorer: Explorer, path: Any = None) -> Any:
    """The explorer where it can be shown; elsewhere the file that it is saved as, or its figure,
    after saying how to get the widget.
    """
    written = None if path is None else explorer.save(path, overwrite=True)
    if front_end():
        return explorer
    if written is not None:
        return written
    print(HOW)
    return explorer.draw().figure


def link(first: Explorer, second: Explorer, *names: str) -> None:
    """Let two explorers share traits, by default the radius.

    Parameters
    ----------
    first, second : Explorer
        The second takes over the values of the first.
    *names : str
        Traits of both, such as "eps".

    Raises
    ------
    OptionError
        If one is not an explorer, or lacks the trait.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity="euclidean", repeats=1)
    >>> pc.link(fit.explore(), fit.validation.explore())  # doctest: +SKIP
    """
    names = names or ("eps",)
    for name in names:
        for each in (first, second):
            if not isinstance(each, Explorer) or not each.has_trait(name):
                raise OptionError(
                    f"link() needs two explorers in a notebook that have {name!r}: use explorer.trait_names()"
                )
    for name in names:
        traitlets.link((first, name), (second, name))
