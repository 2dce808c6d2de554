"""What stands in a slim fit in the place of rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..declared import savable
from ..errors import printed

GONE = "the rows are not in this fit, which is slim: take the full one, give new rows, or fit again"


@savable
@dataclass(frozen=True)
class Absent:
    """Data, or an argument that says something of single rows, of the call of a slim fit.

    Attributes
    ----------
    what : str
        What it was, as a call shows it.
    """

    what: str

    @printed
    def __repr__(self) -> str:
        return self.what
