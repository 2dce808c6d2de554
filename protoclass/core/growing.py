"""Arrays whose length is not known before they are complete."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from .spool import Array, spooled

STEP = 2**16  # elements that are copied at a time


class Growing:
    """An array (n,) that grows at its end: in memory while it is small, in a file without a name from then on.

    Parameters
    ----------
    dtype : data type
    small : int
        Bytes up to which it stays in memory.
    expected : int
        Elements for which there is room at once. With more of them it is moved to twice the room.

    Examples
    --------
    >>> import numpy as np
    >>> grown = Growing(float, small=100)
    >>> for start in range(0, 40, 10):
    ...     grown.append(np.arange(start, start + 10.0))
    >>> len(grown), grown.array()[-2:].tolist()
    (40, [38.0, 39.0])
    """

    def __init__(self, dtype: DTypeLike, small: int, expected: int = 0) -> None:
        self.dtype: np.dtype = np.dtype(dtype)
        self._small, self._length = small, 0
        self._expected = expected
        self._values = self._empty(expected)

    def __len__(self) -> int:
        return self._length

    def append(self, values: Array) -> None:
        """Put values at the end; they must fit the type without loss."""
        end = self._length + len(values)
        if end > len(self._values):
            old, self._values = self._values, self._empty(max(end, 2 * len(self._values)))
            _copy(old[: self._length], self._values)
        self._values[self._length : end] = values
        self._length = end

    def repeat(self, value: object, count: int) -> None:
        """Put one value at the end so many times."""
        for start in range(0, count, STEP):
            self.append(np.full(min(STEP, count - start), value, self.dtype))

    def astype(self, dtype: DTypeLike) -> Growing:
        """The same with another type."""
        if np.dtype(dtype) == self.dtype:
            return self
        out = Growing(dtype, self._small, max(self._expected, self._length))
        for start in range(0, self._length, STEP):
            out.append(self._values[start : min(start + STEP, self._length)].astype(dtype))
        return out

    def array(self) -> Array:
        """The array as it is now, without a copy."""
        return self._values[: self._length]

    def _empty(self, length: int) -> Array:
        small = length * self.dtype.itemsize <= self._small
        return np.empty(length, self.dtype) if small else spooled((length,), self.dtype)


def _copy(source: Array, target: Array) -> None:
    for start in range(0, len(source), STEP):
        target[start : start + STEP][: len(source) - start] = source[start : start + STEP]
