"""The errors of protoclass: one root, and one class for each kind of cure."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any

QUOTED = 200  # characters of one value in a message
MESSAGE = 2000  # characters of a message
LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "<": "$<$", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_",
    "%": r"\%", ">": "$>$", "|": "$|$",
    "[": "{[}", "*": "{*}",  # which would belong to the end of the line before
})  # fmt: skip


class ProtoclassError(Exception):
    """Base class of all errors that protoclass raises deliberately.

    A message of more than 2000 characters is shortened to its beginning and its end, which has the
    remedy.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(
            *(cut(visible_lines(a), MESSAGE) if isinstance(a, str) else a for a in args)
        )


class FormulaError(ProtoclassError, ValueError):
    """The formula cannot be parsed, or uses something outside the grammar."""


class DataError(ProtoclassError, ValueError):
    """The data cannot be used as they are: missing columns, columns of another type, duplicate
    labels, infinities."""


class OptionError(ProtoclassError, ValueError):
    """An argument or a parameter has a value that is not allowed, or does not exist."""


class NotAvailableError(ProtoclassError, AttributeError):
    """The fitted model does not have the requested feature, such as an objective or probabilities."""


class NoCoordinatesError(ProtoclassError, TypeError):
    """The method needs coordinates, but the dissimilarity has none."""


class FileError(ProtoclassError, OSError):
    """A file or folder cannot be read or written."""


class DaskError(ProtoclassError, RuntimeError):
    """A Dask cluster is lost, or cannot do its work."""


class TooLargeError(ProtoclassError, MemoryError):
    """The complete matrix was requested but does not fit into the stated proportion of memory."""


class DataWarning(UserWarning):
    """The data can be used as they are, but a column, some rows or a result are probably not
    intended."""


# warnings to repeat in another process
deferred: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("deferred", default=None)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line of the user that led to it: the line that called this package, from any
    depth."""
    later = deferred.get()
    if later is not None:
        later.append((message, category))
        return
    own, frame = str(Path(__file__).parent.parent) + os.sep, inspect.currentframe()
    depth = level = 1
    while frame is not None:
        depth += 1
        # frames of other libraries may be in between
        level = depth if frame.f_code.co_filename.startswith(own) else level
        frame = frame.f_back
    warnings.warn(cut(visible_lines(message), MESSAGE), category, stacklevel=level)


def visible(text: str) -> str:
    """A text in one line, in which control characters, codes of terminals and marks of direction
    are shown and not obeyed.

    Examples
    --------
    >>> print(visible("a\\x1b[2Jb"), visible("naïve 日本"))
    a\\x1b[2Jb naïve 日本
    """
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    )


def visible_lines(text: str) -> str:
    """A text of several lines, each of which is `visible`."""
    return "\n".join(map(visible, text.split("\n")))


def in_letters_of(stream: Any, text: str) -> str:
    """A text in which the characters that a stream cannot write are escaped, such as \\xe9 for
    ASCII."""
    coding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(coding, "backslashreplace").decode(coding)


def escape_latex(text: str) -> str:
    """Text for LaTeX, in which no character is a command.

    Examples
    --------
    >>> print(escape_latex(r"\\input{x} 50 %"))
    \\textbackslash{}input\\{x\\} 50 \\%
    """
    return text.translate(LATEX)


def printed(method: Callable[[Any], str]) -> Callable[[Any], str]:
    """A `__repr__` of which each line is `visible`, in the characters of the terminal: names of
    classes, columns and rows are any text."""

    @wraps(method)
    def shown_lines(self: Any) -> str:
        return in_letters_of(sys.stdout, visible_lines(method(self)))

    return shown_lines


def cut(text: str, most: int = QUOTED) -> str:
    """A text as a message quotes it: of a long one the beginning, the end, and its length.

    Examples
    --------
    >>> cut("a" * 10_000, 50)
    'aaaaaaaaaaaaa ... (10,000 characters) ... aaaaaaaa'
    """
    if len(text) <= most:
        return text
    note = f" ... ({len(text):,} characters) ... "
    end = (most - len(note)) * 2 // 5
    return text[: most - len(note) - end] + note + text[-end:]


def why(reason: Exception) -> str:
    """An error of Python or another library in one line."""
    words = getattr(reason, "strerror", None) or " ".join(str(reason).split())
    return cut(words or type(reason).__name__)


def shown(label: object) -> str:
    """A row or column label, or another value, as quoted in a message: NumPy's numbers as plain
    ones, cut if it is long."""
    value = label.item() if hasattr(label, "item") and getattr(label, "size", 1) == 1 else label
    if isinstance(value, int) and value.bit_length() > QUOTED:
        # Python refuses to write the longest
        return f"{'-' if value < 0 else ''}<a whole number of {value.bit_length():,} bits>"
    return cut(repr(value))


def first_of(words: Sequence[str], most: int = 5) -> str:
    """The first words of a list, and how many are left.

    Examples
    --------
    >>> first_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def brief(value: object) -> str:
    """A value as a message shows it, tables and long sequences by their size."""
    shape = getattr(value, "shape", None)
    if shape is not None and shape != ():
        return f"<{' x '.join(map(str, shape))} {type(value).__name__}>"
    if isinstance(value, (list, tuple, set, dict)) and len(value) > 8:
        return f"<{type(value).__name__} of {len(value)}>"
    if isinstance(value, dict):
        return cut(
            f"{{{', '.join(f'{shown(k)}: {shown(v) if isinstance(v, dict) else brief(v)}' for k, v in value.items())}}}"
        )
    if callable(value):
        return cut(str(getattr(value, "__name__", None) or repr(value)))
    return shown(value)


def short(value: Any) -> str:
    """The `__repr__` of a dataclass with arrays: its fields, tables and arrays by their size.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Circle:
    ...     centre: list
    ...     radius: float
    ...     __repr__ = short
    >>> Circle(list(range(9)), 2.0)
    Circle(centre=<list of 9>, radius=2.0)
    """
    parts = (
        f"{f.name}={' '.join(brief(getattr(value, f.name)).split())}"
        for f in fields(value)
        if f.repr
    )
    return visible(f"{type(value).__name__}({', '.join(parts)})")
