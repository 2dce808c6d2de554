"""Explorers that share their state."""

from __future__ import annotations

from typing import Any

from ..ground.errors import OptionError, brief
from .base import Explorer

SHARED = ("eps", "size", "class_", "selected")  # a radius is set before the size that it allows


class Link:
    """What `link` made; `close()` ends it."""

    def __init__(self, explorers: tuple[Explorer, ...], names: tuple[str, ...]) -> None:
        self.explorers, self.names = explorers, names
        self._moving = False
        for each in explorers:
            each.observe(self._follow, [name for name in names if each.has_trait(name)])

    def __repr__(self) -> str:
        return f"Link of {len(self.explorers)} explorers: {', '.join(self.names)}"

    def close(self) -> None:
        """From now on each explorer moves alone."""
        for each in self.explorers:
            each.unobserve(self._follow, [name for name in self.names if each.has_trait(name)])

    def _follow(self, change: Any) -> None:
        self.spread(change.owner)

    def spread(self, of: Explorer) -> None:
        """Give the others the state of an explorer."""
        if self._moving:
            return
        self._moving = True
        try:
            for other in self.explorers:
                if other is not of:
                    other.take_over(of, self.names)
        finally:
            self._moving = False


def link(first: Any, *others: Any) -> Link:
    """Let explorers share radius, size, class and selection: what one moves, all show.

    Parameters
    ----------
    first, *others : explorers
        At least two, such as those of `fit.explore()` and of `fit.validation.explore()`. They take over the state of the first.
        A state that another cannot have, such as a row that it does not know, it says in its `alert`.

    Returns
    -------
    Link
        With `names`, the traits that they share (each that two of them have), and `close()`.

    Raises
    ------
    OptionError
        Where there are no two explorers, or where they have no such trait in common.

    Examples
    --------
    >>> import protoclass as pc
    >>> from protoclass.widgets.curve import CurveExplorer
    >>> from protoclass.widgets.prototypes import PrototypeExplorer
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 2.0])
    >>> curve, prototypes = CurveExplorer(fit.validation), PrototypeExplorer(fit)
    >>> pc.link(curve, prototypes)
    Link of 2 explorers: eps
    >>> curve.eps = 2.0
    >>> prototypes.eps
    2.0
    """
    explorers = (first, *others)
    for each in explorers:
        if not isinstance(each, Explorer):
            raise OptionError(f"link({brief(each)}): explorers, such as those of protoclass.widgets")
    if len({id(each) for each in explorers}) < 2:
        raise OptionError("link() takes two explorers at least")
    names = tuple(name for name in SHARED if sum(each.has_trait(name) for each in explorers) > 1)
    if not names:
        raise OptionError(f"link(): these explorers have none of {', '.join(SHARED)} in common")
    made = Link(explorers, names)
    made.spread(first)
    return made
