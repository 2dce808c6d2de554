"""Data that are read once, in blocks of rows, into a frame on the disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pandas as pd

from ..errors import DataError
from ..progress import bar
from ..settings import options
from .checks import check_column, check_names
from .formula import read
from .schema import describe_column
from .sources import Source, lazy_source
from .spooling import Mixed, collect
from .table_files import file_source, is_path

LONG = 2**25  # values from which on a bar is shown from the start


@dataclass(frozen=True)
class Origin:
    """Where a frame was read.

    Attributes
    ----------
    source : Source, or None for a frame that was made of one that was read
    names : Index
        All columns that the source has.
    texts : frozenset of str
        Columns of texts, whose levels are those that occur in the rows that are used.
    """

    source: Source | None
    names: pd.Index
    texts: frozenset[str]

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the source: a lazy table belongs to its process, and a path to its machine."""
        return Origin, (None, self.names, self.texts)


class Spooled(pd.DataFrame):  # type: ignore[misc]
    """A frame whose columns are on the disk where they are long, in files without a name, which end with the process.

    What is derived from it, such as `frame[["a"]]`, is a plain frame of pandas.

    Attributes
    ----------
    origin : Origin
    """

    _metadata: ClassVar[list[str]] = ["origin"]  # what pandas pickles beside the columns

    origin: Origin


def origin_of(data: pd.DataFrame) -> Origin | None:
    """Where a frame was read, None for one that was given as it is."""
    return data.origin if isinstance(data, Spooled) else None


def names_of(data: pd.DataFrame) -> pd.Index:
    """The columns of a frame, or of what it was read from, of which it may have some."""
    origin = origin_of(data)
    return data.columns if origin is None else origin.names


def made_from(data: pd.DataFrame, changed: pd.DataFrame) -> pd.DataFrame:
    """A frame that was made of another, such as some of its rows, which then knows what the source of that one has."""
    origin = origin_of(data)
    return changed if origin is None else _spooled(changed, replace(origin, source=None))


def _spooled(frame: pd.DataFrame, origin: Origin) -> Spooled:
    out = Spooled(frame, copy=False)
    out.origin = origin
    return out


def unread(data: pd.DataFrame) -> list[str]:
    """The columns of the source that were not read."""
    return [name for name in names_of(data) if name not in data.columns]


def source_of(data: Any) -> Source | None:
    """Where data are to be read: paths and lazy tables. None for what is in memory."""
    if isinstance(data, pd.DataFrame):
        origin = origin_of(data)
        return None if origin is None else origin.source
    return file_source(data) if is_path(data) else lazy_source(data)


def read_for(data: Any, formula: str, aside: Mapping[str, Any], progress: bool | None = None) -> Any:
    """Data for a formula: what is in memory as it is, and of paths and lazy tables the columns that are needed.

    Parameters
    ----------
    data : frame, path, paths, lazy table, or what an earlier call has made of one of these
        Which is not read again if it has the columns.
    formula : str
    aside : mapping of argument to what was given for it
        Texts are names of further columns, such as of weights, which `.` leaves out.
    progress : bool, optional
    """
    if isinstance(data, pd.DataFrame) and origin_of(data) is None:
        return data
    source = source_of(data)
    if source is None:
        return data
    check_names(pd.Index(source.names))
    named = {what: name for what, name in aside.items() if isinstance(name, str)}
    parsed = read(formula, source.names, named.values())
    for what, name in named.items():
        check_column(name, pd.Index(source.names), what)
    wanted = [name for name in source.names if name in {*parsed.variables, parsed.response, *named.values()}]
    if isinstance(data, Spooled) and set(wanted) <= set(data.columns):
        return data
    return read_columns(source, wanted, set(parsed.variables), progress)


def read_table(data: Any, names: Iterable[Any] | None = None, progress: bool | None = None) -> pd.DataFrame | None:
    """All columns of a path or lazy table, or those of some names that it has; None for what is in memory."""
    source = source_of(data)
    if source is None:
        return None
    check_names(pd.Index(source.names))
    named = {name for name in names or () if isinstance(name, str)}
    wanted = list(source.names) if names is None else [name for name in source.names if name in named]
    return read_columns(source, wanted, set(), progress)


def read_columns(source: Source, wanted: list[str], predictors: set[str], progress: bool | None) -> Spooled:
    """Some columns of a source as a frame whose rows are called by their number."""
    checks = dict.fromkeys(predictors, describe_column)
    long = source.expected * len(source.names) > LONG
    shown = True if progress is None and options.progress is None and long else progress
    names = pd.Index(source.names)
    while True:
        try:
            with bar(source.expected or None, "reading", shown) as reading:
                blocks = source.blocks(wanted or list(source.names[:1]))
                frame, texts = collect(blocks, wanted or list(source.names[:1]), source.expected, checks, source.unordered, reading.update)
            break
        except Mixed as reason:
            again = source.as_text(reason.name)
            if again is None:
                raise DataError(str(reason)) from None
            source = again
    return _spooled(frame, Origin(source, names, frozenset(texts)))
