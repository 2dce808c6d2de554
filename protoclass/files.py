"""Files that are written all or not at all, and tables that are read or refused with a reason."""

from __future__ import annotations

import os
import secrets
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from lzma import LZMAError
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar
from urllib.parse import urlsplit

from .errors import FileError, OptionError, ProtoclassError, brief, cut, shown

if TYPE_CHECKING:
    import pandas as pd

# what reading a file that is something else ends in; pandas' parser errors and those of an encoding are ValueErrors
UNREADABLE = (OSError, ValueError, EOFError, OverflowError, zlib.error, zipfile.BadZipFile, LZMAError)
ADDRESSES = ("http", "https", "ftp")
T = TypeVar("T")


def check_free(path: Path, overwrite: Any) -> None:
    """Raise an OptionError where a file is in the way, or where `overwrite` is no truth value: before the work of what is written."""
    if not isinstance(overwrite, bool):
        raise OptionError(f"overwrite={brief(overwrite)}: True or False")
    if not overwrite and os.path.lexists(path):
        raise OptionError(f"{brief(str(path))} is there already: give overwrite=True, or another name")


def write_file(path: Path, content: str | bytes, overwrite: bool = True) -> None:
    """Write a file beside its place and rename it, so that it is there completely or not at all; see `write_by`."""
    data = content.encode() if isinstance(content, str) else content
    write_by(lambda file: file.write(data), path, overwrite)


def write_by(fill: Callable[[BinaryIO], T], path: Path, overwrite: bool = True) -> T:
    """Let `fill` write into a file, which takes its place, or that of the old file, once all is written and on the disk.

    It is no context manager: Ctrl-C between its parts would leave the file behind as long as the traceback is kept.

    Returns
    -------
    What `fill` returns.

    Raises
    ------
    OptionError
        Where it exists and `overwrite` is False.
    FileError
        Where it can't be written: a full disk, a folder without permission, a name that is too long. Nothing is left behind.
    """
    try:
        beside = path.with_name(f".{secrets.token_hex(8)}.part")
        check_free(path, overwrite)
        try:
            with open(beside, "xb") as file:
                out = fill(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
            _settle(path.parent)
            return out
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as reason:
        if isinstance(reason, ProtoclassError):  # of what is written, not of writing it
            raise
        raise FileError(
            f"{shown(str(path))} can't be written: {_why(reason)}. Free some space, or name another folder; no file is left behind"
        ) from None


def _settle(folder: Path) -> None:
    """Let the disk know of a new name in a folder; some systems and disks have no such request, and the file is there already."""
    if os.name != "posix":
        return
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def make_folder(path: Path) -> None:
    """Make a folder with its parents, where it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as reason:
        raise FileError(f"the folder {shown(str(path))} can't be made: {_why(reason)}. Name another") from None


def read_csv(path: str | Path, url: bool = False) -> pd.DataFrame:
    """A table from a CSV file of this machine; with `url` also from an address.

    Raises
    ------
    OptionError
        Where an address is given, and `url` is False.
    FileError
        Where there is no such file, it can't be read, or it has no rows.
    """
    import pandas as pd

    name = str(path)
    scheme = urlsplit(name).scheme if "://" in name[:20] else ""
    if scheme and not (url and scheme in ADDRESSES):
        allowed = f"a path, or with --url an address of {', '.join(ADDRESSES)}"
        raise OptionError(f"{shown(name)} is an address, and is not opened unless you ask for it: give {allowed}")
    try:
        table = pd.read_csv(name if scheme else os.path.abspath(name))  # an absolute path is never taken for an address
    except UNREADABLE as reason:
        raise FileError(f"{shown(name)} is not a CSV file that can be read: {_why(reason)}") from None
    if table.empty:
        raise FileError(f"{shown(name)} has no rows: a CSV file has a line of column names, and a line for each row")
    return table


def _why(reason: Exception) -> str:
    if isinstance(reason, OSError) and reason.strerror:
        return str(reason.strerror)
    return cut(" ".join(str(reason).split()) or type(reason).__name__)
