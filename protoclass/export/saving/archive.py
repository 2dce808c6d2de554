"""The file itself: a zip of one JSON document and of arrays, written as a whole and read with every size checked."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import platform
import reprlib
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ...core.memory import room
from ...ground.errors import FileError, TooLarge, cut, shown
from ...ground.files import write_by

FORMAT, VERSION, DOCUMENT = "protoclass", 3, "content.json"
SMALL = 2**12  # bytes that any entry may have
ARRAY_RATIO, TEXT_RATIO = 50, 20  # times that an entry may be larger than it is compressed; values of JSON take far more than its text
KINDS = "biufmMU"  # types of arrays: booleans, numbers, dates and texts of a fixed length
PACKAGES = ("numpy", "pandas", "formulaic", "scipy")


def plain(array: np.ndarray) -> bool:
    """Whether an array can be stored in an npy file unchanged."""
    return array.dtype.kind in KINDS and array.dtype.fields is None


def array_bytes(array: np.ndarray) -> bytes:
    """A plain array as the bytes of an npy file, least byte first."""
    file = io.BytesIO()
    npy.write_array(file, np.asarray(array, array.dtype.newbyteorder("<")), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def write_archive(path: Path, document: Mapping[str, Any], arrays: Sequence[bytes], overwrite: bool) -> int:
    """Write a file of a document and npy files, all or not at all; returns its bytes.

    Raises
    ------
    OptionError, FileError
        See `protoclass.ground.files.write_by`.
    """
    head = {"format": FORMAT, "version": VERSION, "written by": versions()}
    text = json.dumps(head | dict(document), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return write_by(lambda file: _write(file, [text.encode(), *arrays]), path, overwrite)


def _names(count: int) -> list[str]:
    """Names of the entries of a file."""
    return [DOCUMENT, *(f"arrays/{k}.npy" for k in range(count - 1))]


def _write(file: BinaryIO, entries: Sequence[bytes]) -> int:
    archive = zipfile.ZipFile(file, "w")
    try:
        archive.comment = _sum(entries)
        for name, data in zip(_names(len(entries)), entries, strict=True):
            info = zipfile.ZipInfo(name)  # dated 1980, so that the same fit gives the same bytes
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, _method(name, data))
        archive.close()
    except BaseException:
        archive.fp = None  # to close an archive with an open entry fails, which would hide Ctrl-C; the file is thrown away
        raise
    return file.tell()


def _method(name: str, data: bytes) -> int:
    """Compressed, unless the entry would then be too small for its contents."""
    packed = len(zlib.compress(data, wbits=-zlib.MAX_WBITS))  # as in a zip, without a header
    return zipfile.ZIP_DEFLATED if len(data) <= most_bytes(name, packed) else zipfile.ZIP_STORED


def _sum(entries: Sequence[bytes]) -> bytes:
    """The SHA-256 of all entries, one after the other."""
    sha256 = hashlib.sha256()
    for data in entries:
        sha256.update(data)
    return sha256.hexdigest().encode()


def versions() -> dict[str, str]:
    """Versions of this package and of those whose numbers are in a file."""
    from ... import __version__

    return {"protoclass": __version__, "python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def read_archive(path: Path) -> tuple[dict[str, Any], list[np.ndarray], int]:
    """The document of a file, its arrays, and the bytes of all entries.

    Raises
    ------
    FileError
        If there is no such file, or it is damaged, or was not written by this package or by a later version of it.
    TooLarge
        If its contents take more than a quarter of the available memory.
    """
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            size = _checked(archive.infolist(), os.fstat(file.fileno()).st_size, path)
            document = _described(archive.read(DOCUMENT).decode(), path)
            entries, known = [archive.read(info) for info in archive.infolist()], archive.comment
        if _sum(entries) != known:
            raise ValueError("it does not match its checksum")
        return document, [_array(data, size) for data in entries[1:]], size
    except (FileError, TooLarge, MemoryError):
        raise
    except Exception as reason:  # of which a damaged zip, array or text has many
        if isinstance(reason, OSError) and reason.strerror:
            raise FileError(f"{shown(str(path))} can't be opened: {reason.strerror}") from None
        raise damaged(path, cut(str(reason) or type(reason).__name__).lower()) from None


def damaged(path: Path, why: str) -> FileError:
    return FileError(
        f"{shown(str(path))} is damaged, or is not a file that protoclass has saved: {why}. Take another copy, or save the fit again"
    )


def _checked(infos: list[zipfile.ZipInfo], size: int, path: Path) -> int:
    """The bytes of all entries, whose names and declared sizes are possible for a file of this size."""
    if [info.orig_filename for info in infos] != _names(len(infos)):
        raise ValueError("its entries are not a document and its arrays")
    for info in infos:
        if info.file_size > max(info.compress_size, most_bytes(info.filename, info.compress_size)):
            raise ValueError(f"its entry {info.filename} would have {info.file_size:,} bytes, out of {info.compress_size:,}")
    if sum(info.compress_size for info in infos) > size:
        raise ValueError("it has entries that are larger than the file")
    total = sum(info.file_size for info in infos)
    if total > room():
        raise TooLarge(f"the content of {shown(str(path))} needs {total / 2**30:.2f} GB, above a quarter of the available memory")
    return total


def _described(text: str, path: Path) -> dict[str, Any]:
    """The document, of the format and version that is known."""
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError("its document is not a saved fit")
    number, by = document["version"], document["written by"]["protoclass"]
    if number != VERSION:
        cure = "update protoclass" if number > VERSION else "load it with that version, and fit again with this one"
        raise FileError(
            f"{shown(str(path))} has version {number} of the format, written by protoclass {shown(by)}, but this protoclass supports "
            f"{VERSION}: {cure}"
        )
    return document


def most_bytes(name: str, compressed: int) -> int:
    """Bytes that an entry with this many in the file may have."""
    return SMALL + (TEXT_RATIO if name == DOCUMENT else ARRAY_RATIO) * compressed


def _array(data: bytes, most: int) -> np.ndarray:
    """The array of an npy file, no side of which has more than `most` entries."""
    file = io.BytesIO(data)
    if npy.read_magic(file) != (1, 0):
        raise ValueError("an array has another header")
    shape, _, dtype = npy.read_array_header_1_0(file)
    if dtype.kind not in KINDS or math.prod(shape) * dtype.itemsize != len(data) - file.tell() or max(shape, default=0) > most:
        raise ValueError(f"an array would have the shape {reprlib.repr(shape)} of {dtype}, and has {len(data) - file.tell():,} bytes")
    file.seek(0)
    return np.asarray(np.load(file, allow_pickle=False))
