"""How names, texts and numbers are written in SQL, so that nothing that comes from data can be read as a command."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from .errors import OptionError, brief, shown

LARGEST = 308  # power of ten
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}  # where backslashes escape
TWO = 40  # a power of two that any engine reads exactly
ARGUMENTS = 100  # of one function, at most


@dataclass(frozen=True)
class Dialect:
    """What is different among the databases.

    Attributes
    ----------
    name : str
    quote : str
        The sign around names.
    backslash : str
        What a backslash in a text is: "plain"; "escape", as in BigQuery; "marked", which needs PostgreSQL's `E'...'`; "unknown",
        where engines differ, so that a text that has one is refused.
    double : str
        The type of numbers of double precision.
    greatest : str
        The function that gives the largest of its arguments.
    first : str
        What ends a query of which the first row is taken.
    arrays : bool
        Whether rows of constants are an array of structs, as there is no VALUES.
    typed : bool
        Whether a column has one type of values; otherwise a text among numbers is looked for.
    truths : bool
        Whether only true and false stand where a condition stands; otherwise numbers do as well, and are looked at.
    folds_case : bool
        Whether names that differ in case alone are the same, also quoted ones.
    exact : bool
        Whether decimal numbers are read as the nearest double; otherwise they are written as a quotient of whole numbers.
    """

    name: str
    quote: str = '"'
    backslash: str = "plain"
    double: str = "DOUBLE PRECISION"
    greatest: str = "GREATEST"
    first: str = "LIMIT 1"
    arrays: bool = False
    typed: bool = True
    truths: bool = True
    folds_case: bool = False
    exact: bool = True

    def identifier(self, name: str) -> str:
        """A name of a column or table, quoted."""
        _check_text(name, f"the name {shown(name)}")
        if not name:
            raise OptionError("an empty name can't be written in SQL: name the table, and rename the column")
        if self.backslash == "escape":
            return f"{self.quote}{_escaped(name, self.quote)}{self.quote}"
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"

    def table(self, name: str | Sequence[str]) -> str:
        """A table, quoted: its name, or its schema and name."""
        parts = (name,) if isinstance(name, str) else name
        if not isinstance(parts, (tuple, list)) or not parts or not all(isinstance(p, str) for p in parts):
            raise OptionError(f"table={brief(name)}: the name of a table, or a tuple of schema and name")
        return ".".join(self.identifier(part) for part in parts)

    def check_names(self, names: Iterable[str]) -> None:
        """Raise where two columns would have the same name in a table."""
        seen: dict[str, str] = {}
        for name in names if self.folds_case else ():
            other = seen.setdefault(name.casefold(), name)
            if other != name:
                both = f"columns {shown(other)} and {shown(name)}"
                raise OptionError(f"{both} differ in case alone, and are one name in {self.name}: rename one")

    def text(self, value: str) -> str:
        """A text constant."""
        _check_text(value, f"the text {shown(value)}")
        if self.backslash == "escape":
            return f"'{_escaped(value, chr(39))}'"
        doubled = value.replace("'", "''")
        if "\\" not in value or self.backslash == "plain":
            return f"'{doubled}'"
        if self.backslash == "marked":
            return "E'" + doubled.replace("\\", "\\\\") + "'"
        raise OptionError(
            f"the text {shown(value)} has a backslash, which databases read in different ways: name yours, dialect= one of "
            f"{', '.join(repr(d) for d in DIALECTS if d != self.name)}"
        )

    def number(self, value: float) -> str:
        """A finite number as a constant of double precision, which is read back to the last bit."""
        value = float(value)
        if not math.isfinite(value):
            raise OptionError(f"{value} is not a number that can be written in SQL")
        written = _decimal(abs(value)) if self.exact else _quotient(abs(value))
        return f"(-{written})" if math.copysign(1.0, value) < 0 else written

    def constant(self, value: Any, what: str) -> str:
        """A class or a level of a category: a text, a number or a truth value."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool) or type(value).__name__ == "bool":  # also NumPy's
            return "TRUE" if value else "FALSE"
        if isinstance(value, Integral):
            return f"({int(value)})" if value < 0 else str(int(value))
        if isinstance(value, Real):
            return self.number(float(value))
        raise OptionError(
            f"{what} {brief(value)} is of type {type(value).__name__}, and SQL has texts, numbers and truth values: convert the "
            "column, data[column].astype(str)"
        )

    def as_double(self, expression: str) -> str:
        """An expression of numbers in double precision; missing for a text where columns have values of any type."""
        cast = f"CAST({expression} AS {self.double})"
        return cast if self.typed else f"CASE WHEN TYPEOF({expression}) IN ('integer', 'real') THEN {cast} END"

    def is_text(self, expression: str) -> str:
        """Whether an expression is a text; where columns have one type, whether it is there."""
        return f"{expression} IS NOT NULL" if self.typed else f"TYPEOF({expression}) = 'text'"

    def largest(self, expressions: Sequence[str]) -> str:
        """The largest of some expressions."""
        parts = list(expressions)
        while len(parts) > 1:
            groups = [parts[k : k + ARGUMENTS] for k in range(0, len(parts), ARGUMENTS)]
            parts = [f"{self.greatest}({', '.join(group)})" if len(group) > 1 else group[0] for group in groups]
        return parts[0]

    def within(self, expression: str, largest: int = LARGEST) -> str:
        """Whether an expression is a number no larger than this power of ten; not true of NULL, NaN and infinity."""
        return f"{expression} BETWEEN -1e{largest} AND 1e{largest}"


DIALECTS = {
    d.name: d
    for d in (
        Dialect("ansi", backslash="unknown", first="FETCH FIRST 1 ROW ONLY"),
        Dialect("duckdb", double="DOUBLE", truths=False, folds_case=True),
        Dialect("postgres", backslash="marked"),
        Dialect("sqlite", double="REAL", greatest="MAX", typed=False, truths=False, folds_case=True, exact=False),
        Dialect("bigquery", quote="`", backslash="escape", double="FLOAT64", arrays=True, folds_case=True),
    )
}


def dialect_of(name: Any) -> Dialect:
    """The dialect of a name.

    Raises
    ------
    OptionError
        For one that is not known; the message has those that are.

    Examples
    --------
    >>> print(dialect_of("duckdb").text("O'Hara"), dialect_of("duckdb").identifier('a"b'), dialect_of("ansi").number(0.1))
    'O''Hara' "a""b" 0.1e0
    """
    if not isinstance(name, str) or name not in DIALECTS:
        raise OptionError(f"dialect={brief(name)}: known are {', '.join(map(repr, DIALECTS))}")
    return DIALECTS[name]


def total(parts: Iterable[str]) -> str:
    """A sum that is added from left to right."""
    return " + ".join(parts)


def _check_text(text: str, what: str) -> None:
    if "\0" in text:
        raise OptionError(f"{what} has a zero character, which SQL can't hold: rename it in the data")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise OptionError(f"{what} has half of a surrogate pair, which is no character: rename it in the data") from None


def _escaped(text: str, quote: str) -> str:
    return "".join(ESCAPES.get(c, f"\\{quote}" if c == quote else c) for c in text)


def _decimal(value: float) -> str:
    """The shortest decimal number that is nearest to this double alone, with an exponent, as without one it would be a decimal type."""
    written = repr(value).removesuffix(".0")
    return written if "e" in written else f"{written}e0"


def _quotient(value: float) -> str:
    """A double as a whole number times or by powers of two, each of which is read exactly."""
    if value == int(value) < 2**53:
        return f"{int(value)}e0"
    digits, by = value.as_integer_ratio()
    if by == 1:
        power = (digits & -digits).bit_length() - 1
        return f"({digits >> power}{_powers('*', power)})"
    return f"({digits}{_powers('/', by.bit_length() - 1)})"


def _powers(sign: str, power: int) -> str:
    steps = [TWO] * (power // TWO) + [power % TWO] * (power % TWO > 0)
    return "".join(f" {sign} {2**step}.0" for step in steps)
