"""Arrays as `numpy.save` writes them, read back without pickling and without trusting their headers."""

from __future__ import annotations

import io
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ..errors import FileError, cut

KINDS = "biufMmU"  # booleans, numbers, dates and texts of a fixed length
LONGEST_HEADER = 10_000
MOST_AXES = 8
HIGHEST = 0x10FFFF  # of a letter


def to_bytes(array: np.ndarray) -> bytes:
    """An array of plain numbers, dates or texts as the bytes of an npy file, least byte first."""
    file = io.BytesIO()
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and not np.little_endian):
        array = array.astype(array.dtype.newbyteorder("<"))
    npy.write_array(file, np.asarray(array), allow_pickle=False)
    return file.getvalue()


def from_bytes(name: str, data: bytearray, most: int) -> np.ndarray:
    """The array of an npy file, over the memory of its bytes.

    Parameters
    ----------
    name : str
        Of the entry.
    data : bytearray
    most : int
        Bytes of all entries, more than which no side of an array has entries, also where another side has none.

    Raises
    ------
    FileError
        Where the header is none, or says another size than there is, or a type that is not allowed.
    """
    file = io.BytesIO(data)
    try:
        major = npy.read_magic(file)[0]
        read = {1: npy.read_array_header_1_0, 2: npy.read_array_header_2_0}[major]
        shape, fortran, dtype = read(file, max_header_size=LONGEST_HEADER)
    except (ValueError, LookupError, TypeError, SyntaxError, RecursionError, MemoryError) as reason:
        raise FileError(f"{name} has no header of an array: {type(reason).__name__}") from None
    if dtype.kind not in KINDS or dtype.hasobject or dtype.fields is not None or dtype.subdtype is not None:
        raise FileError(f"{name} holds {dtype}, which is not allowed")
    sides = all(type(n) is int and 0 <= n <= most for n in shape)
    if not sides or len(shape) > MOST_AXES or (dtype.itemsize == 0 and prod(shape) > 0):
        raise FileError(f"{name} has the shape {cut(str(shape), 80)} of {dtype}")
    start = file.tell()
    if prod(shape) * dtype.itemsize != len(data) - start:
        raise FileError(f"{name} would have {prod(shape) * dtype.itemsize:,} bytes, and there are {len(data) - start:,}")
    array = np.frombuffer(data, dtype, prod(shape), start) if prod(shape) else np.empty(0, dtype)
    array = array.reshape(shape, order="F" if fortran else "C")
    if dtype.byteorder == ">" or (dtype.byteorder == "<" and not np.little_endian):
        array = array.astype(dtype.newbyteorder("="))
    _check_contents(name, array, data, start)
    return array


def _check_contents(name: str, array: np.ndarray, data: bytearray, start: int) -> None:
    """Raise for bytes that are no value of their type: they would be found when the value is used."""
    if array.dtype.kind == "b" and array.size and np.frombuffer(data, np.uint8, offset=start).max() > 1:
        raise FileError(f"{name} holds what is neither true nor false")
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        letters = np.ascontiguousarray(array).view(np.uint32)
        if letters.max() > HIGHEST or ((letters >= 0xD800) & (letters <= 0xDFFF)).any():
            raise FileError(f"{name} holds what is not a text")


def plain(array: np.ndarray) -> bool:
    """Whether an array can stand in an npy file as it is."""
    return array.dtype.kind in KINDS and array.dtype.fields is None


def ragged(array: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """An array of arrays (n,) as one array and the lengths of its parts, where they are of one type and have one axis."""
    parts: list[Any] = list(array.flat)
    same = array.ndim == 1 and parts and all(isinstance(p, np.ndarray) and p.ndim == 1 and p.dtype == parts[0].dtype for p in parts)
    if not same or not plain(parts[0]):
        return None
    return np.concatenate(parts), np.array([len(p) for p in parts], np.int64)


def cut_up(flat: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The array of arrays (n,) of its parts in a row."""
    whole = lengths.ndim == 1 and lengths.dtype == np.int64 and flat.ndim == 1
    if not whole or (lengths < 0).any() or lengths.astype(object).sum() != len(flat):
        raise FileError("the lengths of its parts do not fit an array")
    out, ends = np.empty(len(lengths), object), np.cumsum(lengths)
    for i, (first, last) in enumerate(zip(ends - lengths, ends, strict=True)):
        out[i] = flat[first:last]
    return out
