"""The columns of a design matrix, and the variables of mixed metrics, as SQL of the columns of a table."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..dialects import Dialect
from ..errors import OptionError, shown
from .formula import Formula
from .frame import Frame
from .terms import Factor, Term, columns_of

ROW = "t"  # the row that is classified
CURE = "compute it as a column of the data first"
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARED = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "=", ast.NotEq: "<>"}


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
        """The number of the level of a category, 0 for the first; NULL or `otherwise` for one that is no level."""
        cases = " ".join(f"WHEN {constant} THEN {k}e0" for k, constant in enumerate(self._levels(name)))
        if otherwise is None:
            return f"CASE {self._value(name)} {cases} END"
        coded = f"CASE {self._value(name)} {cases} ELSE {self.dialect.number(otherwise)} END"
        return f"CASE WHEN {self._value(name)} IS NOT NULL THEN {coded} END"

    def known(self, name: str, compared: bool = False) -> str:
        """The condition for a value that a fit can read: a finite number, a truth value, or one of the levels.

        Where values are `compared`, so that one that no row of the fit has is unlike all others, also another text or number.
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
        """A variable of a metric of mixed columns by its name in `Frame.terms`: a number, or that of the level, -1 for no level."""
        frame = self.frame
        if name in frame.schema:
            return self.code(name, -1) if frame.schema[name].kind == "category" else self.number(name)
        for term in frame.formula.terms:
            if frame.formula.written(term) == name and not frame.formula.grouped(str(term)):
                return self._term(term)[0]
        raise OptionError(f"the variable {shown(name)} is not written in SQL: {CURE}")

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
            f"the term {shown(self.frame.formula.written(term))} is not written in SQL: written are columns, categories, products of two "
            f"numbers, and + - * / **, log, log10, exp, sqrt, abs, I and ifelse of them; {CURE}"
        )


def all_of(conditions: Sequence[str]) -> str:
    """Conditions that hold together, each once."""
    return "\n    AND ".join(dict.fromkeys(conditions))
