"""Arrays whose rows are kept in several places, and come here when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .memory import check_fits
from .shards import Rows, Shards

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class RemoteArray:
    """One array of a representation of rows that are kept in several places.

    Attributes
    ----------
    shards : Shards
    which : int
        Its place in the representation.
    shape : tuple of int
        Of all rows.
    dtype : dtype
    """

    shards: Shards
    which: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, at: Any) -> Array:
        """Some of the rows (positions, a slice, or a bool array)."""
        rows, bounds = np.arange(len(self))[at], self.shards.bounds
        check_fits(self._size(len(rows)), f"{len(rows)} rows that are kept elsewhere take", "read fewer of them")
        place = np.searchsorted(bounds, rows, side="right") - 1
        asked = [(rows[place == s] - bounds[s],) for s in range(len(bounds) - 1)]
        out = np.empty((len(rows), *self.shape[1:]), self.dtype)
        for s, values in enumerate(self.shards.map(_rows, asked, (self.which,))):
            if values is not None:
                out[place == s] = values
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)

    def _size(self, rows: int) -> int:
        return rows * prod(self.shape[1:]) * self.dtype.itemsize


def _rows(rows: Rows, at: Array, which: int) -> Array | None:
    return rows.rep[which][at] if len(at) else None


def represented(shards: Shards) -> tuple[RemoteArray, ...]:
    """The representation of all rows."""
    shapes = shards.map(_shapes, [()] * (len(shards.bounds) - 1))
    n = int(shards.bounds[-1])
    return tuple(RemoteArray(shards, k, (n, *tail), dtype) for k, (tail, dtype) in enumerate(shapes[0]))


def _shapes(rows: Rows) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
    return [(a.shape[1:], a.dtype) for a in rows.rep]


def shards_of(rep: Any) -> Shards | None:
    """Where the rows of a representation are kept, None if they are here."""
    return rep[0].shards if len(rep) and isinstance(rep[0], RemoteArray) else None
