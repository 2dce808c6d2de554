"""Rules that can be written as SQL, and what they are written with."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from .task import Points

Array = NDArray[Any]


class Statement(Protocol):
    """All that a rule reads while it is written as SQL, as a `Query` is all that it reads while it predicts.

    `label` is the constant of a class and `column` a column of the design matrix of the row. `nearest` is the class of the
    prototype at the least dissimilarity, or dissimilarity by `divisors`; of equally near ones that of least `rank`. `votes` is the
    class of most weight among the `k` nearest prototypes and those tied with the k-th, of equal ones the first. `most` is the
    class with the largest of some expressions, of equal ones the first. Each is an SQL expression.
    """

    def label(self, code: int) -> str: ...
    def number(self, value: float) -> str: ...
    def column(self, position: int) -> str: ...
    def nearest(self, prototypes: Points, rank: Array, divisors: Array | None = None) -> str: ...
    def votes(self, prototypes: Points, k: int, weight: Array) -> str: ...
    def most(self, values: dict[int, str]) -> str: ...


@runtime_checkable
class InSQL(Protocol):
    """A rule that can be written as SQL: an expression whose value is the class of a row.

    `why_not_sql` says why this rule can't be, and is empty where it can.
    """

    @property
    def why_not_sql(self) -> str: ...
    def sql(self, statement: Statement) -> str: ...
