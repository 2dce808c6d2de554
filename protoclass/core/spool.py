"""Arrays beyond memory: in files that no one else sees and that end with the process."""

from __future__ import annotations

import os
import shutil
import tempfile
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..ground.errors import TooLarge
from .memory import room

Array = NDArray[Any]
LEFT = 2**26  # bytes that stay free on the disk
BLOCK = 2**20  # bytes that are written at a time
STEP = 2**16  # elements that are copied at a time


def large(shape: tuple[int, ...], dtype: DTypeLike = float) -> Array:
    """An array to be filled: in memory where it takes at most a quarter of what is left, and in a file otherwise.

    Raises
    ------
    TooLarge
        Where neither memory nor the disk takes it.
    """
    return np.empty(shape, dtype) if prod(shape) * np.dtype(dtype).itemsize <= room() else spooled(shape, dtype)


def spooled(shape: tuple[int, ...], dtype: DTypeLike = float) -> Array:
    """An array of zeros in a file without a name, in the folder for temporary files (TMPDIR).

    The system reads and writes its pages as they are used and takes the file away with the process, however it ends.

    Raises
    ------
    TooLarge
        Where the disk does not take it.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    try:
        folder = tempfile.gettempdir()
        free = shutil.disk_usage(folder).free
        if size + LEFT > free:
            raise _no_room(size, folder, f"has {free / 2**30:.1f} GB left")
        with tempfile.TemporaryFile(prefix="protoclass-") as file:
            _reserve(file, max(1, size))
            return np.ndarray(shape, dtype, np.memmap(file, np.uint8, "r+", shape=max(1, size)))
    except OSError as reason:  # no folder takes a file, this one has no room for it, or the address space is used up
        raise _no_room(size, tempfile.tempdir or "the folder for temporary files", f"does not take it ({reason.strerror})") from None


def _reserve(file: BinaryIO, size: int) -> None:
    """Take the room on the disk now: a disk that is full later would end the process when a page is written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    for start in range(0, size, BLOCK):  # a file that is only made longer takes no room
        file.write(bytes(min(BLOCK, size - start)))
    file.flush()


def _no_room(size: int, folder: object, why: str) -> TooLarge:
    return TooLarge(
        f"{size / 2**30:.1f} GB, more than memory takes, would go into a file in {folder}, which {why}: "
        "set TMPDIR to a folder on a larger disk, or use fewer rows or columns"
    )


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
