"""The errors of protoclass, each for one kind of cure; `ProtoclassError` and `DataWarning` are
names of the package too.
"""

from .ground.errors import (
    DaskError,
    DataError,
    FileError,
    FormulaError,
    NoCoordinatesError,
    NotAvailableError,
    OptionError,
    TooLargeError,
)
from .ground.errors import (
    DataWarning as DataWarning,
)
from .ground.errors import (
    ProtoclassError as ProtoclassError,
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
