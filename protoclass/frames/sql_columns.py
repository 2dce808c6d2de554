"""SQL for DuckDB, SQLite and PostgreSQL: names, constants, and columns of designs and metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

from ..ground.errors import OptionError, brief, shown
from .frame import Frame
from .terms import Term, columns_of

LARGEST = 308  # power of ten
ROW = "t"  # the row that is classified
CURE = "compute it as a column of the data first"


def identifier(name: str) -> str:
    """A name of a column or table, quoted."""
    _check_text(name, f"the name {shown(name)}")
    if not name:
        raise OptionError("SQL names must not be empty: name the table, and rename the column")
    return '"' + name.replace('"', '""') + '"'


def table_of(name: str | Sequence[str]) -> str:
    """A table, quoted: its name, or its schema and name."""
    parts = (name,) if isinstance(name, str) else name
    if (
        not isinstance(parts, (tuple, list))
        or not parts
        or not all(isinstance(p, str) for p in parts)
    ):
        raise OptionError(
            f"table must be the name of a table or a tuple of schema and name, not {brief(name)}"
        )
    return ".".join(map(identifier, parts))


def check_case(names: Iterable[str]) -> None:
    """Raise if two names differ only in case."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            both = f"columns {shown(other)} and {shown(name)}"
            raise OptionError(
                f"{both} differ only in case, so DuckDB and SQLite take them for one column: rename one"
            )


def number(value: float) -> str:
    """A finite number in full precision, with an exponent, so that it is not of a decimal type."""
    if not math.isfinite(value):
        raise OptionError(f"{value} is not a number that can be written in SQL")
    written = repr(abs(float(value))).removesuffix(".0")
    written += "" if "e" in written else "e0"
    return f"(-{written})" if math.copysign(1.0, value) < 0 else written


def constant(value: Any, what: str) -> str:
    """A class or a level of a category: a text, a number or a truth value.

    Examples
    --------
    >>> print(constant("O'Hara", "the class"), constant(-3, "the class"), identifier('a"b'))
    'O''Hara' (-3) "a""b"
    """
    if isinstance(value, str):
        _check_text(value, f"the text {shown(value)}")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool) or type(value).__name__ == "bool":  # also NumPy's
        return "TRUE" if value else "FALSE"
    if isinstance(value, Integral):
        return f"({int(value)})" if value < 0 else str(int(value))
    if isinstance(value, Real):
        return number(float(value))
    raise OptionError(
        f"{what} {brief(value)} is of type {type(value).__name__}, but SQL has texts, numbers and "
        "truth values: convert the column, data[column].astype(str)"
    )


def as_double(expression: str) -> str:
    """An expression of numbers in double precision."""
    return f"CAST({expression} AS DOUBLE PRECISION)"


def within(expression: str, largest: int = LARGEST) -> str:
    """Whether an expression is a number up to a power of ten; false or NULL for NULL, NaN, inf."""
    return f"{expression} BETWEEN -1e{largest} AND 1e{largest}"


def total(parts: Iterable[str]) -> str:
    """A sum that is added from left to right."""
    return " + ".join(parts)


def _check_text(text: str, what: str) -> None:
    if "\0" in text:
        raise OptionError(
            f"{what} has a zero character, which SQL does not allow: rename it in the data"
        )


@dataclass(frozen=True)
class Columns:
    """The columns of a table that has the predictors of a frame, in SQL."""

    frame: Frame

    def of(self, name: str) -> str:
        """A column of the table, as it is."""
        return f"{ROW}.{identifier(name)}"

    def number(self, name: str) -> str:
        """A numeric column in double precision, or the code of a level."""
        if self.frame.schema[name].kind != "numeric":
            return self.code(name)
        return as_double(self.of(name))

    def code(self, name: str) -> str:
        """The number of a level, from 0; -1 for a value that is not a level."""
        cases = " ".join(f"WHEN {level} THEN {k}e0" for k, level in enumerate(self._levels(name)))
        coded = f"CASE {self._value(name)} {cases} ELSE (-1e0) END"
        return f"CASE WHEN {self._value(name)} IS NOT NULL THEN {coded} END"

    def known(self, name: str, compared: bool = False) -> str:
        """The condition for a value that a fit accepts: a finite number, a truth value or a level.

        If values are `compared`, any other value is accepted, and differs from all levels.
        """
        column = self.frame.schema[name]
        if column.kind in ("category", "boolean") and not compared:
            return f"{self._value(name)} IN ({', '.join(self._levels(name))})"
        return within(self._value(name)) if self._numeric(name) else f"{self.of(name)} IS NOT NULL"

    def _levels(self, name: str) -> list[str]:
        column = self.frame.schema[name]
        levels = (False, True) if column.kind == "boolean" else column.levels
        return [constant(level, f"the level of column {shown(name)}") for level in levels]

    def _numeric(self, name: str) -> bool:
        """Whether a column is compared as numbers, also as levels of C()."""
        column = self.frame.schema[name]
        return column.kind == "numeric" or (column.coded and not isinstance(column.levels[0], bool))

    def _value(self, name: str) -> str:
        """A column as it is compared; the sign makes a text larger than all numbers in SQLite."""
        return f"+{self.of(name)}" if self._numeric(name) else self.of(name)

    @cached_property
    def design(self) -> tuple[str, ...]:
        """The columns of the design matrix, in order.

        Raises
        ------
        OptionError
            For an interaction or a transform.
        """
        frame = self.frame
        if frame.spec is None:
            return tuple(self.number(name) for name in frame.schema)
        out = [""] * len(frame.spec.column_names)
        for term in frame.formula.terms:
            out[columns_of(term, frame.spec)] = self._term(term)
        return tuple(out)

    def variable(self, name: str) -> str:
        """A variable of `Frame.terms`, see `number`."""
        if name not in self.frame.schema:
            raise OptionError(f"the variable {shown(name)} can't be written in SQL: {CURE}")
        return self.number(name)

    def _term(self, term: Term) -> list[str]:
        """The columns of a term, which is a column of the table."""
        used = self.frame.formula.column_of(term)
        if used is None or len(term.factors) > 1:
            written = shown(self.frame.formula.written(term))
            raise OptionError(
                f"the term {written} can't be written in SQL, which takes columns and categories alone: {CURE}"
            )
        if self.frame.schema[used].kind != "category":
            return [self.number(used)]
        return [
            f"CASE WHEN {self._value(used)} = {level} THEN 1e0 ELSE 0e0 END"
            for level in self._levels(used)
        ]
