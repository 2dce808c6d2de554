"""Files that are written completely or not at all, and tables that are read or refused with a
reason."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from time import time
from typing import Any, BinaryIO, TypeVar

from .errors import FileError, OptionError, ProtoclassError, brief, printed, shown, why

PAGES = (".html", ".htm")
T = TypeVar("T")


@dataclass(frozen=True)
class Saved:
    """A file that was written; `open` and `load` take it as a path.

    Attributes
    ----------
    path : Path
        Path of the file.
    size : int
        Size in bytes.
    holds : tuple of str
        Contents that may be private.
    """

    path: Path
    size: int
    holds: tuple[str, ...]

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    @printed
    def __repr__(self) -> str:
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 1e6 else f"{self.size / 1e3:.1f} kB"
        return "\n".join(
            [f"Saved {self.path} ({size}). It contains:", *(f"* {line}" for line in self.holds)]
        )


def check_path(path: Any, endings: tuple[str, ...] = PAGES, argument: str = "path") -> Path:
    """The path of a file that is to be written; raises an OptionError unless its name has one of
    these endings."""
    if not isinstance(path, (str, Path)) or Path(path).suffix.lower() not in endings:
        raise OptionError(
            f"{argument} must be a file name that ends in {' or '.join(endings)}, not {brief(path)}"
        )
    return Path(path)


def check_free(path: Path, overwrite: Any) -> None:
    """Raise an OptionError if a file exists already, or if `overwrite` is not True or False: before
    the work for the file."""
    if not isinstance(overwrite, bool):
        raise OptionError(f"overwrite must be True or False, not {brief(overwrite)}")
    if not overwrite and os.path.lexists(path):
        raise OptionError(f"{brief(str(path))} already exists: use overwrite=True, or another name")


def write_file(path: Path, content: str | bytes, overwrite: bool = True) -> None:
    """Write a file under a temporary name and rename it, so it is complete or absent; see
    `write_by`."""
    data = content.encode() if isinstance(content, str) else content
    write_by(lambda file: file.write(data), path, overwrite)


def write_by(fill: Callable[[BinaryIO], T], path: Path, overwrite: bool = True) -> T:
    """Let `fill` write a temporary file, which replaces the old file once all is written and on
    disk.

    A process that is killed meanwhile leaves a file `.<name>.<16 digits>.part` next to it, which
    the first write after an hour removes: a younger one may belong to another process.

    It is not a context manager: Ctrl-C between its parts would leave the file behind as long as the
    traceback is kept.

    Returns
    -------
    What `fill` returns.

    Raises
    ------
    OptionError
        Where it exists and `overwrite` is False.
    FileError
        Where it can't be written: a full disk, a folder without permission, a name that is too
        long. Nothing is left behind.
    """
    try:
        part = f".{path.name[:40]}."  # a longer name may be too long
        beside = path.with_name(f"{part}{secrets.token_hex(8)}.part")
        check_free(path, overwrite)
        for old in path.parent.glob(f"{escape(part)}{'?' * 16}.part"):
            with suppress(OSError):
                if time() - old.stat().st_mtime > 3600:
                    old.unlink()
        try:
            with open(beside, "xb") as file:
                out = fill(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
            return out
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as reason:
        if isinstance(reason, ProtoclassError):  # raised by the content, not by writing it
            raise
        raise FileError(
            f"{shown(str(path))} can't be written ({why(reason)}; no file is left behind): free "
            "some space, or use another folder"
        ) from None


def in_encoding(reason: Exception) -> str:
    """Why a file cannot be decoded, and the encoding that it probably has; "" for other errors."""
    if not isinstance(reason, UnicodeDecodeError):
        return ""
    known = "utf-16" if reason.object[:1] in (b"\xff", b"\xfe") else "latin-1"
    return f"it is not encoded in UTF-8; use pd.read_csv(path, encoding='{known}'), or save it in UTF-8"
