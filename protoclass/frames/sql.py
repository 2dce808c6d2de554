"""SQL: how names and constants are written in each dialect, the columns of a design matrix, and the variables of mixed metrics."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

from ..ground.checks import either
from ..ground.errors import OptionError, brief, shown
from .formula import Formula
from .frame import Frame
from .terms import Factor, Term, columns_of

LARGEST = 308  # power of ten
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}  # escapes of dialects with backslashes
TWO = 40  # exponent of a power of two that any engine reads exactly
ARGUMENTS = 100  # of one function, at most
ROW = "t"  # the row that is classified
CURE = "compute it as a column of the data first"
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARED = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "=", ast.NotEq: "<>"}


@dataclass(frozen=True)
class Dialect:
    """What is different among the databases.

    Attributes
    ----------
    name : str
    quote : str
        Character around names.
    backslash : str
        Meaning of a backslash in a text: "plain"; "escape", as in BigQuery; "marked", which needs PostgreSQL's `E'...'`; "unknown",
        if engines differ, so a text with a backslash is refused.
    double : str
        Type of numbers of double precision.
    greatest : str
        Function that gives the largest of its arguments.
    first : str
        End of a query of which the first row is taken.
    arrays : bool
        Whether rows of constants are an array of structs, because there is no VALUES.
    typed : bool
        Whether a column has one type of values; otherwise texts among numbers are checked for.
    truths : bool
        Whether only true and false are conditions; otherwise numbers are too, and are checked.
    folds_case : bool
        Whether names that differ in case only are the same, also if quoted.
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
            raise OptionError("SQL names must not be empty: name the table, and rename the column")
        if self.backslash == "escape":
            return f"{self.quote}{_escaped(name, self.quote)}{self.quote}"
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"

    def table(self, name: str | Sequence[str]) -> str:
        """A table, quoted: its name, or its schema and name."""
        parts = (name,) if isinstance(name, str) else name
        if not isinstance(parts, (tuple, list)) or not parts or not all(isinstance(p, str) for p in parts):
            raise OptionError(f"table must be the name of a table or a tuple of schema and name, not {brief(name)}")
        return ".".join(self.identifier(part) for part in parts)

    def check_names(self, names: Iterable[str]) -> None:
        """Raise if two columns would have the same name in a table."""
        seen: dict[str, str] = {}
        for name in names if self.folds_case else ():
            other = seen.setdefault(name.casefold(), name)
            if other != name:
                both = f"columns {shown(other)} and {shown(name)}"
                raise OptionError(f"{both} differ only in case and are the same name in {self.name}: rename one")

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
            f"the text {shown(value)} has a backslash, which databases interpret differently: use "
            f"dialect={either(d for d in DIALECTS if d != self.name)}"
        )

    def number(self, value: float) -> str:
        """A finite number as a constant of double precision, which is read back exactly."""
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
            f"{what} {brief(value)} is of type {type(value).__name__}, but SQL has texts, numbers and truth values: convert the column, "
            "data[column].astype(str)"
        )

    def as_double(self, expression: str) -> str:
        """An expression of numbers in double precision; missing for a text if columns have values of any type."""
        cast = f"CAST({expression} AS {self.double})"
        return cast if self.typed else f"CASE WHEN TYPEOF({expression}) IN ('integer', 'real') THEN {cast} END"

    def is_text(self, expression: str) -> str:
        """Whether an expression is a text; if columns have one type, whether it is present."""
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
        raise OptionError(f"dialect must be {either(DIALECTS)}, not {brief(name)}")
    return DIALECTS[name]


def total(parts: Iterable[str]) -> str:
    """A sum that is added from left to right."""
    return " + ".join(parts)


def _check_text(text: str, what: str) -> None:
    if "\0" in text:
        raise OptionError(f"{what} has a zero character, which SQL does not allow: rename it in the data")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise OptionError(f"{what} has half of a surrogate pair, which is not a character: rename it in the data") from None


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


@dataclass(frozen=True)
class Columns:
    """The columns of a table that has the predictors of a frame, in one dialect of SQL.

    Attributes
    ----------
    frame : Frame
    dialect : Dialect
    """

    frame: Frame
    dialect: Dialect

    def of(self, name: str) -> str:
        """A column of the table, as it is."""
        return f"{ROW}.{self.dialect.identifier(name)}"

    def number(self, name: str) -> str:
        """A numeric or boolean column in double precision."""
        if self.frame.schema[name].kind == "boolean" and self.dialect.truths:
            return f"CASE WHEN {self.of(name)} THEN 1e0 WHEN NOT {self.of(name)} THEN 0e0 END"
        return self.dialect.as_double(self.of(name))

    def code(self, name: str, otherwise: int | None = None) -> str:
        """The number of the level of a category, 0 for the first; NULL or `otherwise` for a value that is not a level."""
        cases = " ".join(f"WHEN {constant} THEN {k}e0" for k, constant in enumerate(self._levels(name)))
        if otherwise is None:
            return f"CASE {self._value(name)} {cases} END"
        coded = f"CASE {self._value(name)} {cases} ELSE {self.dialect.number(otherwise)} END"
        return f"CASE WHEN {self._value(name)} IS NOT NULL THEN {coded} END"

    def known(self, name: str, compared: bool = False) -> str:
        """The condition for a value that a fit accepts: a finite number, a truth value, or one of the levels.

        If values are `compared`, a value that is not in the training data differs from all others, also another text or number.
        """
        column = self.frame.schema[name]
        if column.kind == "category" and not compared:
            return f"{self._value(name)} IN ({', '.join(self._levels(name))})"
        if column.kind == "category" and not column.coded:
            texts = all(isinstance(level, str) for level in column.levels)
            return self.dialect.is_text(self.of(name)) if texts else f"{self.of(name)} IS NOT NULL"
        if column.kind == "boolean" and self.dialect.truths:
            return f"{self.of(name)} IS NOT NULL"
        if column.kind == "boolean" and not compared:
            return f"{self.number(name)} IN (0e0, 1e0)"
        return self.dialect.within(self._value(name) if column.kind == "category" else self.number(name))

    def _levels(self, name: str) -> list[str]:
        return [self.dialect.constant(level, f"the level of column {shown(name)}") for level in self.frame.schema[name].levels]

    def _value(self, name: str) -> str:
        """A category as it is compared with its levels: a number that C() makes one as a double."""
        return self.dialect.as_double(self.of(name)) if self.frame.schema[name].coded else self.of(name)

    @cached_property
    def design(self) -> tuple[str, ...]:
        """The columns of the design matrix, in order.

        Raises
        ------
        OptionError
            For a term that is not written: splines and polynomials, interactions of categories, functions that databases
            compute in different ways.
        """
        frame = self.frame
        if frame.spec is None:
            return tuple(self.number(name) for name in frame.schema)
        out = [""] * len(frame.spec.column_names)
        for term in frame.formula.terms:
            places = range(len(out))[columns_of(term, frame.spec)]
            made = self._term(term)
            if len(made) != len(places):
                raise self._refused(term)
            for place, expression in zip(places, made, strict=True):
                out[place] = expression
        return tuple(out)

    @cached_property
    def computed(self) -> bool:
        """Whether a column of the design matrix is more than a column of the table."""
        return not self.frame.formula.plain()

    def variable(self, name: str) -> str:
        """A variable of a metric of mixed columns by its name in `Frame.terms`: a number, or the number of the level, -1 for none."""
        frame = self.frame
        if name in frame.schema:
            return self.code(name, -1) if frame.schema[name].kind == "category" else self.number(name)
        for term in frame.formula.terms:
            if frame.formula.written(term) == name and not frame.formula.grouped(str(term)):
                return self._term(term)[0]
        raise OptionError(f"the variable {shown(name)} can't be written in SQL: {CURE}")

    def _term(self, term: Term) -> list[str]:
        """The columns of a term."""
        if any(f.how == "literal" and f.expr != "1" for f in term.factors):
            raise self._refused(term)
        factors = [self._factor(f, term) for f in term.factors if f.how != "literal"]
        if len(factors) == 1:
            return factors[0]
        if len(factors) > 2 or any(len(columns) != 1 for columns in factors):
            raise self._refused(term)
        return [" * ".join(f"({columns[0]})" for columns in factors)]

    def _factor(self, factor: Factor, term: Term) -> list[str]:
        formula, schema = self.frame.formula, self.frame.schema
        if factor.how == "lookup" or factor.expr.startswith("C("):
            (name,) = formula.uses[factor.expr]
            if schema[name].kind != "category":
                return [self.number(name)]
            return [f"CASE WHEN {self._value(name)} = {level} THEN 1e0 ELSE 0e0 END" for level in self._levels(name)]
        return [self._computed(ast.parse(factor.expr, mode="eval").body, formula, term)]

    def _computed(self, node: ast.expr, formula: Formula, term: Term) -> str:
        """An expression of the grammar of transforms; outside of the domain of a function it is NULL."""

        def sql(part: ast.expr) -> str:
            return self._computed(part, formula, term)

        match node:
            case ast.Name(id=name):
                return self.number(formula.names.columns[name])
            case ast.Constant(value=int() | float() as value):
                return self.dialect.number(value)
            case ast.UnaryOp(op=op, operand=operand):
                return f"({'-' if isinstance(op, ast.USub) else ''} ({sql(operand)}))"
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(sql(left), ast.unparse(right), term)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return f"(({sql(left)}) / NULLIF({sql(right)}, 0e0))"
            case ast.BinOp(left=left, op=op, right=right):
                return f"(({sql(left)}) {ARITHMETIC[type(op)]} ({sql(right)}))"
            case ast.Call(func=ast.Name(id="ifelse"), args=[ast.Compare(left=a, ops=[op], comparators=[b]), yes, no]):
                return f"CASE WHEN {sql(a)} {COMPARED[type(op)]} {sql(b)} THEN {sql(yes)} ELSE {sql(no)} END"
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]):
                return self._called(name, sql(argument), term)
        raise self._refused(term)

    def _called(self, name: str, x: str, term: Term) -> str:
        match name:
            case "I":
                return f"({x})"
            case "abs":
                return f"ABS({x})"
            case "exp":
                return f"CASE WHEN {x} <= 7e2 THEN EXP({x}) END"
            case "sqrt":
                return f"CASE WHEN {x} >= 0e0 THEN SQRT({x}) END"
            case "log" | "log10":
                return f"CASE WHEN {x} > 0e0 THEN {'LN' if name == 'log' else 'LOG10'}({x}) END"
        raise self._refused(term)

    def _power(self, x: str, power: str, term: Term) -> str:
        match power:
            case "1":
                return f"({x})"
            case "2":
                return f"(({x}) * ({x}))"
        if not power.isdecimal():
            raise self._refused(term)
        return f"POWER({x}, {self.dialect.number(float(power))})"

    def _refused(self, term: Any) -> OptionError:
        return OptionError(
            f"the term {shown(self.frame.formula.written(term))} can't be written in SQL: use columns, categories, products of two "
            f"numbers, and + - * / **, log, log10, exp, sqrt, abs, I and ifelse of them; {CURE}"
        )


def all_of(conditions: Sequence[str]) -> str:
    """Conditions that must all be true, each once."""
    return "\n    AND ".join(dict.fromkeys(conditions))
