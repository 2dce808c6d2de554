"""The file itself: a zip of one JSON document and of arrays, written as a whole and read with every size checked."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import platform
import re
import reprlib
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ...core.memory import room
from ...ground.errors import FileError, TooLarge, cut, shown
from ...ground.files import write_by

FORMAT, VERSION, DOCUMENT = "protoclass", 2, "content.json"
SMALL = 2**12  # bytes that any entry may have
ARRAY_RATIO, TEXT_RATIO = 50, 20  # times that an entry may be larger than it is compressed; values of JSON take far more than its text
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][biufmMU][0-9]{1,9}(?:\[\w{1,9}\])?)', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9, ]{0,200})\), \} *\n",
    re.DOTALL,
)  # types of numpy.save for booleans, numbers, dates and texts of a fixed length, least byte first
HIGHEST, SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)  # the last character of a text, and those that are none
ARRAY = re.compile(r"arrays/(0|[1-9][0-9]{0,6})\.npy")
AT_ONCE = 2**20  # bytes that are compressed or read at a time: Ctrl-C is noticed in between
KINDS = "biufmMU"  # types of arrays: booleans, numbers, dates and texts of a fixed length
FROM_ZIP = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, OverflowError, LookupError)
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
    head = {"format": FORMAT, "version": VERSION, "written by": versions(), "arrays": [_sum(data) for data in arrays]}
    text = json.dumps(head | dict(document), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    entries = {DOCUMENT: text.encode(), **{f"arrays/{k}.npy": data for k, data in enumerate(arrays)}}
    return write_by(lambda file: _write(file, entries), path, overwrite)


def _write(file: BinaryIO, entries: Mapping[str, bytes]) -> int:
    archive = zipfile.ZipFile(file, "w")
    try:
        archive.comment = _sum(entries[DOCUMENT]).encode()
        for name, data in entries.items():
            info = zipfile.ZipInfo(name)  # dated 1980, so that the same fit gives the same bytes
            info.compress_type, info.external_attr, info.file_size = _method(name, data), 0o644 << 16, len(data)
            with archive.open(info, "w") as entry:
                for piece in _pieces(data):
                    entry.write(piece)
        archive.close()
    except BaseException:
        archive.fp = None  # to close an archive with an open entry fails, which would hide Ctrl-C; the file is thrown away
        raise
    return file.tell()


def _method(name: str, data: bytes) -> int:
    """Compressed, unless the entry would then be too small for its contents."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)  # as in a zip, without a header
    size = sum(len(packer.compress(piece)) for piece in _pieces(data)) + len(packer.flush())
    return zipfile.ZIP_DEFLATED if len(data) <= most_bytes(name, size) else zipfile.ZIP_STORED


def _sum(data: bytes | bytearray) -> str:
    sha256 = hashlib.sha256()
    for piece in _pieces(data):
        sha256.update(piece)
    return sha256.hexdigest()


def _pieces(data: bytes | bytearray) -> Iterator[memoryview]:
    """The data piece by piece, without a copy."""
    view = memoryview(data)
    return (view[at : at + AT_ONCE] for at in range(0, len(data), AT_ONCE))


def versions() -> dict[str, str]:
    """Versions of this package and of those whose numbers are in a file."""
    from ... import __version__

    out = {"protoclass": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            out[name] = "not known"
    return out


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
        with open(path, "rb", opener=_open_regular) as file, zipfile.ZipFile(file) as archive:
            infos = _checked(archive, os.fstat(file.fileno()).st_size, path)
            entries, known = {name: _bytes(archive, info) for name, info in infos.items()}, archive.comment
        if _sum(entries[DOCUMENT]).encode() != known:
            raise ValueError(f"{DOCUMENT} does not match its checksum")
        document = _described(entries.pop(DOCUMENT).decode(), path)
        names = [f"arrays/{k}.npy" for k in range(len(document["arrays"]))]
        if entries.keys() != set(names):
            raise ValueError("its arrays differ from the list in its document")
        strange = [name for name, own in zip(names, document["arrays"], strict=True) if _sum(entries[name]) != own]
        if strange:
            raise ValueError(f"{strange[0]} does not match its checksum")
        size = sum(info.file_size for info in infos.values())
        return document, [_array(name, entries[name], size) for name in names], size
    except (FileError, TooLarge):
        raise
    except FROM_ZIP as reason:
        if isinstance(reason, OSError) and reason.strerror and not isinstance(reason, zipfile.BadZipFile):
            raise FileError(f"{shown(str(path))} can't be opened: {reason.strerror}") from None
        why = "it is not a zip file" if "not a zip file" in str(reason) else cut(str(reason) or type(reason).__name__)
        raise damaged(path, why) from None


def damaged(path: Path, why: str) -> FileError:
    return FileError(
        f"{shown(str(path))} is damaged, or is not a file that protoclass has saved: {why}. Take another copy, or save the fit again"
    )


def _open_regular(path: str, flags: int) -> int:
    """Open a file that has an end; a pipe would wait for ever."""
    file = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise FileError(f"{shown(path)} must be a file, not a folder, a pipe or a device")
    return file


def _checked(archive: zipfile.ZipFile, size: int, path: Path) -> dict[str, zipfile.ZipInfo]:
    """The entries by name, whose names and declared sizes are possible for a file of this size."""
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name, stored = info.orig_filename, info.compress_type == zipfile.ZIP_STORED
        if name in entries or (name != DOCUMENT and not ARRAY.fullmatch(name)):
            raise ValueError(f"it has {'two entries' if name in entries else 'an entry'} {shown(name)}")
        if info.flag_bits & 0x1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"its entry {name} is encrypted, or its compression is not allowed")
        most = info.compress_size if stored else most_bytes(name, info.compress_size)
        if info.file_size > most or (stored and info.file_size < most):
            raise ValueError(f"its entry {name} would have {info.file_size:,} bytes, out of {info.compress_size:,}")
        entries[name] = info
    if DOCUMENT not in entries or sum(info.compress_size for info in entries.values()) > size:
        raise ValueError(f"it has no {DOCUMENT}, or entries that are larger than the file")
    total = sum(info.file_size for info in entries.values())
    if total > room():
        raise TooLarge(f"the content of {shown(str(path))} needs {total / 2**30:.2f} GB, above a quarter of the available memory")
    return entries


def _bytes(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytearray:
    """An entry, whose checksum in the zip is verified; at most its declared size is read."""
    data = bytearray()
    with archive.open(info) as file:
        while piece := file.read(AT_ONCE):
            data += piece
    if len(data) != info.file_size:
        raise ValueError(f"{info.filename} is shorter than its header states")
    return data


def _described(text: str, path: Path) -> dict[str, Any]:
    """The document, of a format and version that is known."""
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError("its document is not a saved fit")
    number, made = document.get("version"), document.get("written by")
    if type(number) is not int or number < VERSION:
        raise ValueError(f"it has version {shown(number)} of the format, but this one is {VERSION}")
    if number > VERSION:
        by = shown(made.get("protoclass")) if isinstance(made, dict) else "a later version"
        raise FileError(
            f"{shown(str(path))} has version {number} of the format, written by protoclass {by}, but this protoclass supports {VERSION}: "
            "update protoclass"
        )
    if set(document) != {"format", "version", "written by", "arrays", "kind", "objects", "root"}:
        raise ValueError("its document has other parts than expected")
    if type(document["arrays"]) is not list or type(document["objects"]) is not list:
        raise ValueError("its document lists no arrays or no objects")
    return document


def most_bytes(name: str, compressed: int) -> int:
    """Bytes that an entry with this many in the file may have."""
    return SMALL + (TEXT_RATIO if name == DOCUMENT else ARRAY_RATIO) * compressed


def _array(name: str, data: bytearray, most: int) -> np.ndarray:
    try:
        return array_of(data, most)
    except (TypeError, ValueError) as reason:  # raised by NumPy if a type does not exist
        raise ValueError(f"{name} {reason}") from None


def array_of(data: bytes | bytearray, most: int) -> np.ndarray:
    """The array of an npy file, over the memory of its bytes; no side has more than `most` entries.

    A ValueError describes the problem, as in "has another header".
    """
    found = HEADER.match(data)
    if found is None:
        raise ValueError("has another header than arrays of numbers, dates and texts have")
    dtype, shape, start = np.dtype(found[1].decode()), tuple(int(side) for side in found[3].split(b",") if side.strip()), found.end()
    if math.prod(shape) * dtype.itemsize != len(data) - start or max(shape, default=0) > most:
        raise ValueError(f"would have the shape {reprlib.repr(shape)} of {dtype}, and has {len(data) - start:,} bytes")
    array: np.ndarray = np.frombuffer(data, dtype, offset=start) if len(data) > start else np.empty(shape, dtype)
    if dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise ValueError("contains a value that is neither true nor false")
    letters = array.view("<u4") if dtype.kind == "U" and array.size else np.zeros(1)
    if letters.max() > HIGHEST or ((letters >= SURROGATES[0]) & (letters <= SURROGATES[1])).any():
        raise ValueError("contains a value that is not a text")
    return array.reshape(shape, order="F" if found[2] == b"True" else "C").astype(dtype.newbyteorder("="), copy=False)
