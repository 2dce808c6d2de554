"""The balls that a place looks at, as bits: all at once where memory allows it, otherwise as they are asked for."""

from __future__ import annotations

from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each
from ..tiles import TILE
from .bits import pack, words
from .reading import Part, Sets
from .sharded_reading import Place

Array = NDArray[Any]
ABSENT = -1


class Balls:
    """The balls of some radii around candidates of each class, over the rows of the class in one place.

    Parameters
    ----------
    place : Place
    radii : range
    candidates : tuple of int arrays
        Those of each class that may be asked for.
    most : float
        Bytes that are kept.
    """

    def __init__(self, place: Place, radii: range, candidates: tuple[Array, ...], most: float) -> None:
        self._place, self._radii, self._most = place, radii, most
        self._lock = RLock()
        self._forget()
        if self._size([len(at) for at in candidates]) <= most:
            for c, at in enumerate(candidates):
                self._slot[c][at], self._count[c] = np.arange(len(at)), len(at)
                self._bits[c] = place.read.bits(Sets(at, place.rows[c]), radii)

    def _forget(self) -> None:
        m, K = self._place.read.task.shape[1], len(self._radii)
        self._slot = [np.full(m, ABSENT) for _ in self._place.rows]
        self._count = [0] * len(self._place.rows)
        self._bits = [np.empty((K, 0, words(len(rows))), np.uint64) for rows in self._place.rows]

    def prepare(self, classes: Array, candidates: Array) -> None:
        """Measure the balls of these candidates of these classes together, where memory takes them."""
        with self._lock:
            asked = [np.unique(candidates[classes == c]) for c in range(len(self._slot))]
            new = [at[self._slot[c][at] == ABSENT] for c, at in enumerate(asked)]
            if self._size([count + len(at) for count, at in zip(self._count, new, strict=True)]) > self._most:
                self._forget()
                new = asked
            if self._size([len(at) for at in new]) <= self._most:
                for c, at in enumerate(new):
                    self._add(c, at)

    def of(self, c: int, k: int, candidates: Array) -> tuple[Array, Array]:
        """Balls of a class at radius `k`, uint64 (a, words), and where those of some candidates stand, int (q,)."""
        with self._lock:
            if (self._slot[c][candidates] == ABSENT).any():
                self.prepare(np.full(len(candidates), c), candidates)
            slot = self._slot[c][candidates]
            if (slot == ABSENT).any():  # memory takes no more than what is asked for now
                lines, slot = np.unique(candidates, return_inverse=True)
                return self._measure(c, lines)[k - self._radii.start], slot
            return self._bits[c][k - self._radii.start], slot

    def _size(self, counts: list[int]) -> int:
        K = len(self._radii)
        return sum(8 * K * words(len(rows)) * n for rows, n in zip(self._place.rows, counts, strict=True))

    def _add(self, c: int, candidates: Array) -> None:
        if not len(candidates):
            return
        first, last = self._count[c], self._count[c] + len(candidates)
        kept = self._bits[c]
        if last > kept.shape[1]:
            larger = np.empty((kept.shape[0], max(last, kept.shape[1] * 3 // 2), kept.shape[2]), np.uint64)
            larger[:, :first] = kept[:, :first]
            self._bits[c] = larger
        self._bits[c][:, first:last] = self._measure(c, candidates)
        self._count[c] = last  # before the slots are known: Ctrl-C in between leaves a gap, and never two balls in one place
        self._slot[c][candidates] = np.arange(first, last)

    def _measure(self, c: int, candidates: Array) -> Array:
        """The balls of these candidates, ascending, at all radii, uint64 (K, q, words)."""
        read, one = self._place.read, Sets(candidates, self._place.rows[c])
        q, b = len(one.candidates), len(one.rows)
        out = np.zeros((len(self._radii), q, words(b)), np.uint64)
        step = max(1, TILE // max(1, b))

        def measure(first: int) -> None:
            part = Part(np.arange(first, min(first + step, q)), np.arange(b))
            at = np.arange(len(part.lines)), part.places
            pack(read.codes_of(one, part), at, part.lines, part.places, self._radii.start, out)

        if b:
            for _ in each(measure, range(0, q, step), q * b):
                pass
        for k in range(1, len(out)):
            out[k] |= out[k - 1]
        return out
