"""Arrays beyond memory: in files that no one else sees and that end with the process."""

from __future__ import annotations

import os
import shutil
import tempfile
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import TooLarge
from .memory import room

Array = NDArray[Any]
LEFT = 2**26  # bytes that stay free on the disk
BLOCK = 2**20  # bytes that are written at a time


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
