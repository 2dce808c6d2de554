"""The file itself: one zip of two texts and of arrays, written as a whole and read with every size checked before it is allocated."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO

from ..core.memory import room
from ..errors import FileError, TooLarge, cut, shown
from ..files import write_by

FORMAT, VERSION = "protoclass", 1
MANIFEST, CONTENT = "manifest.json", "content.json"
ARRAY = re.compile(r"arrays/(0|[1-9][0-9]{0,6})\.npy")
ARRAY_RATIO, TEXT_RATIO = 50, 10  # times that an entry may be larger than it is compressed; values of JSON take far more than its text
SMALL = 2**12  # bytes that any entry may have
AT_ONCE = 2**20  # bytes that are compressed or read at a time: Ctrl-C is noticed in between
MANIFEST_LIMIT = 2**24  # bytes
FROM_ZIP = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, OverflowError, LookupError)
PACKAGES = ("numpy", "pandas", "formulaic", "scipy")


@dataclass(frozen=True)
class Archive:
    """What is in a file.

    Attributes
    ----------
    kind : str
        The class of what was saved.
    content : str
        The text that says what the arrays are.
    entries : mapping of name to bytearray
        The arrays as `numpy.save` writes them.
    size : int
        Bytes of all entries.
    """

    kind: str
    content: str
    entries: Mapping[str, bytearray]
    size: int


def write_archive(path: Path, kind: str, content: str, entries: Mapping[str, bytes], overwrite: bool) -> int:
    """Write a file, all or not at all; returns its bytes.

    Raises
    ------
    OptionError, FileError
        See `protoclass.files.write_by`.
    """
    parts = {CONTENT: content.encode(), **entries}
    listed = {name: {"bytes": len(data), "sha256": _sum(data)} for name, data in parts.items()}
    manifest = {"format": FORMAT, "version": VERSION, "kind": kind, "written by": versions(), "entries": listed}
    return write_by(lambda file: _write(file, {MANIFEST: _text(manifest).encode(), **parts}), path, overwrite)


def _write(file: BinaryIO, parts: Mapping[str, bytes]) -> int:
    archive = zipfile.ZipFile(file, "w")
    try:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name)  # of 1980, so that the same fit gives the same bytes
            info.compress_type, info.external_attr, info.file_size = _method(name, data), 0o644 << 16, len(data)
            with archive.open(info, "w") as entry:
                for piece in _pieces(data):
                    entry.write(piece)
        archive.close()
    except BaseException:
        archive.fp = None  # to close an archive with an open entry fails, which would hide Ctrl-C; the file is thrown away
        raise
    return file.tell()


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
    from .. import __version__

    out = {"protoclass": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            out[name] = "not known"
    return out


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def most_bytes(name: str, compressed: int) -> int:
    """What an entry of so many bytes in the file may have."""
    return SMALL + (ARRAY_RATIO if ARRAY.fullmatch(name) else TEXT_RATIO) * compressed


def _method(name: str, data: bytes) -> int:
    """Compressed, unless the entry would then look like a bomb."""
    packer, size = zlib.compressobj(6), 0
    for piece in _pieces(data):
        size += len(packer.compress(piece))
        if most_bytes(name, size) >= len(data):
            return zipfile.ZIP_DEFLATED
    return zipfile.ZIP_DEFLATED if most_bytes(name, size + len(packer.flush())) >= len(data) else zipfile.ZIP_STORED


def read_archive(path: Path) -> Archive:
    """Read a file whose every entry is what its manifest says.

    Raises
    ------
    FileError
        Where there is no such file, or it is damaged, or was not written by this package or by a later version of it.
    TooLarge
        Where what it holds takes more than a quarter of the available memory.
    """
    try:
        with open(path, "rb", opener=_open_regular) as file:
            size = os.fstat(file.fileno()).st_size
            with zipfile.ZipFile(file) as archive:
                return _read(archive, size, path)
    except (FileError, TooLarge):
        raise
    except FROM_ZIP as reason:
        if isinstance(reason, OSError) and reason.strerror and not isinstance(reason, zipfile.BadZipFile):
            raise FileError(f"{shown(str(path))} can't be read: {reason.strerror}") from None
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
        raise FileError(f"{shown(path)} is not a file that can be read: it is a folder, a pipe or a device")
    return file


def _read(archive: zipfile.ZipFile, size: int, path: Path) -> Archive:
    entries = _checked(archive, size, path)
    manifest = parse(_bytes(archive, entries.pop(MANIFEST)).decode(), path)
    kind, listed = _described(manifest, path)
    if listed.keys() != entries.keys():
        raise damaged(path, "its entries are not those that its manifest lists")
    read = {}
    for name, info in entries.items():
        data = _bytes(archive, info)
        if listed[name] != {"bytes": len(data), "sha256": _sum(data)}:
            raise damaged(path, f"{name} is not what its manifest says")
        read[name] = data
    size = sum(map(len, read.values()))
    return Archive(kind, read.pop(CONTENT).decode(), read, size)


def _described(manifest: Any, path: Path) -> tuple[str, Mapping[str, Any]]:
    """The class that was saved and the entries, by a manifest of a format and version that is known."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise damaged(path, "its manifest is not that of a saved fit")
    number, made = manifest.get("version"), manifest.get("written by")
    if type(number) is not int or number < 1:
        raise damaged(path, f"it has the version {shown(number)}")
    if number > VERSION:
        by = shown(made.get("protoclass")) if isinstance(made, dict) else "a later version"
        raise FileError(
            f"{shown(str(path))} has version {number} of the format, written by protoclass {by}, and this one reads up to {VERSION}: "
            "update protoclass"
        )
    kind, listed = manifest.get("kind"), manifest.get("entries")
    if not isinstance(kind, str) or not isinstance(listed, dict):
        raise damaged(path, "its manifest is not complete")
    return kind, listed


def _checked(archive: zipfile.ZipFile, size: int, path: Path) -> dict[str, zipfile.ZipInfo]:
    """The entries by name, whose names and declared sizes are possible for a file of this size."""
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.orig_filename
        if name not in (MANIFEST, CONTENT) and not ARRAY.fullmatch(name):
            raise damaged(path, f"it has an entry {shown(name)}")
        if name in entries:
            raise damaged(path, f"it has two entries {shown(name)}")
        if info.flag_bits & 0x1:
            raise damaged(path, f"its entry {name} is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise damaged(path, f"its entry {name} is compressed in a way that is not allowed")
        stored = info.compress_type == zipfile.ZIP_STORED
        if (stored and info.file_size != info.compress_size) or info.file_size > most_bytes(name, info.compress_size):
            raise damaged(path, f"its entry {name} would have {info.file_size:,} bytes, out of {info.compress_size:,}")
        entries[name] = info
    if not {MANIFEST, CONTENT} <= entries.keys():
        raise damaged(path, f"it has no {MANIFEST} or no {CONTENT}")
    if sum(info.compress_size for info in entries.values()) > size:
        raise damaged(path, "its entries would be larger than the file")
    if entries[MANIFEST].file_size > MANIFEST_LIMIT:
        raise damaged(path, "its manifest is too large")
    total = sum(info.file_size for info in entries.values())
    if total > room():
        raise TooLarge(f"what {shown(str(path))} holds takes {total / 2**30:.2f} GB, above a quarter of the memory that is left")
    return entries


def _bytes(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytearray:
    """An entry, of which the zip's own sum is checked."""
    data, at = bytearray(info.file_size), 0
    with archive.open(info) as file, memoryview(data) as view:
        while at < len(data):
            count = file.readinto(view[at : at + AT_ONCE])  # type: ignore[attr-defined]
            if not count:
                raise EOFError(f"{info.filename} is shorter than its size says")
            at += count
        if file.read(1):
            raise ValueError(f"{info.filename} is longer than its size says")
    return data


def parse(text: str, path: Path) -> Any:
    """A text in JSON, without what JSON itself does not know, and without names that stand twice."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as reason:
        raise damaged(path, cut(str(reason)) or type(reason).__name__) from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return out


