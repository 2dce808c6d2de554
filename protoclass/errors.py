"""The errors of protoclass, each for one kind of cure; `ProtoclassError` and `DataWarning` are
names of the package too.
"""

from .ground.errors import (
    DaskError,
    DataError,
    DataWarning,
    FileError,
    FormulaError,
    NoCoordinatesError,
    NotAvailableError,
    OptionError,
    ProtoclassError,
    TooLargeError,
)

__all__ = [
    "DaskError",
    "DataError",
    "DataWarning",
    "FileError",
    "FormulaError",
    "NoCoordinatesError",
    "NotAvailableError",
    "OptionError",
    "ProtoclassError",
    "TooLargeError",
]
