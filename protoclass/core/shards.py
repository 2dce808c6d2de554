"""Rows that are kept in several places: work is sent to them, and what comes back is small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .sources import Rep

Array = NDArray[Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Rows:
    """What a place keeps of its rows.

    Attributes
    ----------
    first : int
        The number of its first row among all rows; they are consecutive.
    rep : representation (r rows)
        Side i of D[i, j].
    """

    first: int
    rep: Rep
    _kept: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rep[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (self.first, self.rep)  # what is kept stays where it was made

    def kept(self, name: str, key: Any) -> Any | None:
        """What was kept last under a name, if it was for this key."""
        known = self._kept.get(name)
        return known[1] if known is not None and known[0] == key else None

    def keep(self, name: str, key: Any, value: T) -> T:
        """Keep a value beside the rows, in the place of what had this name: as long as the rows, and only in this process."""
        self._kept[name] = key, value
        return value


class Shards(Protocol):
    """All rows, in consecutive parts.

    Attributes
    ----------
    bounds : int array (parts + 1,)
        The number of the first row of each part, and of all rows.
    """

    bounds: Array

    def map(self, work: Callable[..., Any], each: Sequence[tuple[Any, ...]], shared: tuple[Any, ...] = ()) -> list[Any]:
        """`work(rows, *each[s], *shared)` for every part s, where its `rows` are; `work` is a function of a module.

        It may be called again for the same part, also elsewhere, where a place is lost: so it returns the same for the same
        arguments, and what it keeps between calls (`Rows.keep`) it can make again, or else answers that it does not know. What
        is `shared` by several calls is the same object in each, so that it may be sent once.
        """
        ...


@dataclass(frozen=True)
class Here:
    """Parts in this process."""

    parts: tuple[Rows, ...]

    @property
    def bounds(self) -> Array:
        return np.concatenate([[0], np.cumsum([len(part) for part in self.parts])])

    def map(self, work: Callable[..., Any], each: Sequence[tuple[Any, ...]], shared: tuple[Any, ...] = ()) -> list[Any]:
        return [work(part, *own, *shared) for part, own in zip(self.parts, each, strict=True)]
