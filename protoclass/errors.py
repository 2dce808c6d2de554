"""The errors of protoclass: one root, and one class for each kind of cure."""

from __future__ import annotations


class ProtoclassError(Exception):
    """Root of all errors that protoclass raises on purpose."""


class FormulaError(ProtoclassError, ValueError):
    """The formula can't be read, or asks for something outside the grammar."""


class DataError(ProtoclassError, ValueError):
    """The data can't be used as they are: missing columns, new levels, repeated labels, infinities."""


class OptionError(ProtoclassError, ValueError):
    """An argument or a parameter has a value that is not allowed, or does not exist."""


class NotAvailable(ProtoclassError, AttributeError):
    """The fitted rule does not have what was asked for, such as an objective or probabilities."""


class NoVectors(ProtoclassError, TypeError):
    """The method needs coordinates, and the dissimilarity has none."""


class TooLarge(ProtoclassError, MemoryError):
    """The complete matrix was asked for and does not fit the stated share of memory."""


class DataWarning(UserWarning):
    """The data can be used as they are, and a column of them is probably not meant to be."""


def shown(label: object) -> str:
    """A row or column label as a message shows it: NumPy's numbers as plain ones."""
    return repr(label.item() if hasattr(label, "item") else label)


def brief(value: object) -> str:
    """A value as a message shows it, tables and long sequences by their size."""
    shape = getattr(value, "shape", None)
    if shape is not None and shape != ():
        return f"<{' x '.join(map(str, shape))} {type(value).__name__}>"
    if isinstance(value, (list, tuple, set, dict)) and len(value) > 8:
        return f"<{type(value).__name__} of {len(value)}>"
    if callable(value):
        return str(getattr(value, "__name__", None) or repr(value))
    return shown(value)
