"""The errors of protoclass, each for one kind of cure; `ProtoclassError` and `DataWarning` are
names of the package too.
"""

from .ground.errors import (
    DaskError,
    DataError,
    DataWarning as DataWarning,
    FileError,
    FormulaError,
    NoCoordinatesError,
    NotAvailableError,
    OptionError,
    ProtoclassError as ProtoclassError,
    TooLargeError,
)

__all__ = [
    "DaskError",
    "DataError",
    "FileError",
    "FormulaError",
    "NoCoordinatesError",
    "NotAvailableError",
    "OptionError",
    "TooLargeError",
]
