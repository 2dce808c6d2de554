"""R's formulas, checked before they are evaluated.

Formulaic parses the right side and evaluates it later. In between, this module checks every factor against a closed
grammar (names of columns, numbers, operators, a fixed list of transforms), so that a formula cannot run code.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import FormulaError

EXTRA = {"sqrt": np.sqrt, "abs": np.abs, "log1p": np.log1p, "expm1": np.expm1}  # in addition to those of formulaic
PLAIN = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I")  # functions of one argument
TRANSFORMS = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I", "C", "scale", "center", "poly",
              "bs", "cr", "cs", "cc")  # fmt: skip
LEARNED = ("scale", "center", "poly", "bs", "cr", "cs", "cc")
IN_R = {
    "as.factor": "C({0})", "factor": "C({0})", "as.character": "C({0})", "as.numeric": "{0}", "as.integer": "{0}", "as.double": "{0}",
    "ns": "cr({0}, df=4)", "splines::ns": "cr({0}, df=4)", "splines::bs": "bs({0}, df=4)",
}  # fmt: skip
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
MOST_POWER = 100
MOST_TERMS = 20_000


@dataclass(frozen=True)
class Formula:
    """A formula with names resolved in a data frame.

    Attributes
    ----------
    text : str
        The given text.
    response : str, or None for a one-sided formula
    terms : tuple
        Formulaic's terms of the right side without the intercept, which has no effect on dissimilarities.
    variables : tuple of str
        The columns that the terms use, in the order of the data.
    uses : mapping of str to frozenset of str
        The columns that each factor uses.
    """

    text: str
    response: str | None
    terms: tuple[Any, ...]
    variables: tuple[str, ...]
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def coded(self) -> set[str]:
        """The columns that C() converts to categories."""
        matches = [re.fullmatch(r"C\(\s*`?(.*?)`?\s*\)", f.expr) for t in self.terms for f in t.factors]
        return {m.group(1) for m in matches if m}

    def computed(self) -> set[str]:
        """The columns that stand inside a transform other than C()."""
        transformed = [
            f for t in self.terms for f in t.factors if f.eval_method.value == "python" and not f.expr.startswith("C(")
        ]
        return {c for c in self.variables if any(c in self.uses[f.expr] for f in transformed)}

    def learns(self) -> bool:
        """Whether a transform, wherever it stands in a term, depends on the rows that it is trained on."""
        computed = [f.expr for t in self.terms for f in t.factors if f.eval_method.value == "python"]
        return any(_called(expression) & set(LEARNED) for expression in computed)

    def plain(self) -> bool:
        """Whether every term is an unchanged column."""
        return all(len(t.factors) == 1 and t.factors[0].eval_method.value == "lookup" for t in self.terms)


def read(text: str, columns: Iterable[str], aside: Iterable[str] = ()) -> Formula:
    """Read a formula.

    Parameters
    ----------
    text : str
        `"y ~ x + log(z)"`; `.` means all columns except the response and those in `aside`.
    columns : names of the columns of the data
    aside : names that `.` leaves out (weights, groups)

    Raises
    ------
    FormulaError
        If the formula is outside the grammar; the message names the part and what is allowed.

    Examples
    --------
    >>> read("y ~ . - b", ["y", "a", "b", "c"]).variables
    ('a', 'c')
    """
    from formulaic import Formula as Parsed
    from formulaic import SimpleFormula
    from formulaic.errors import FormulaicError
    from formulaic.parser import DefaultFormulaParser

    if not isinstance(text, str):
        raise FormulaError(f"a formula must be text such as 'y ~ .', not {type(text).__name__}")
    columns = list(columns)
    left, right = _split_sides(text)
    response = _read_response(left, columns) if left is not None else None
    known = [c for c in columns if c != response and c not in set(aside)]
    _check_size(right, len(known))
    _check_no_r(right, text)
    try:
        # without the intercept of the parser, which would hide a column named "1"
        parser = DefaultFormulaParser(include_intercept=False)
        context = {"__formulaic_variables_available__": known, "__formulaic_variables_used_lhs__": []}
        parsed = Parsed.from_spec(right, parser=parser, context=context)
    except (FormulaicError, SyntaxError, TypeError, ValueError, KeyError, AttributeError, RecursionError) as reason:
        first = re.sub(r"\x1b\[[0-9;]*m|[⧛⧚]", "", str(reason)).strip().split("\n")[0]
        raise FormulaError(f"the right side of {text!r} can't be read: {first}") from None
    if not isinstance(parsed, SimpleFormula):
        raise FormulaError(f"{text!r} has several parts: write one right side, without '|' or ','")
    terms = tuple(t for t in parsed if any(f.eval_method.value != "literal" for f in t.factors))
    uses = {f.expr: frozenset(_check_factor(f, columns, text)) for term in terms for f in term.factors}
    used = frozenset().union(*uses.values())
    if response in used:
        raise FormulaError(f"the response {response!r} is also on the right side of {text!r}: leave it out there")
    return Formula(text, response, terms, tuple(c for c in columns if c in used), uses)


def _split_sides(text: str) -> tuple[str | None, str]:
    parts = re.split(r"~(?=(?:[^`]*`[^`]*`)*[^`]*$)", text)  # a ~ between backticks is part of a name
    if len(parts) == 1 or len(parts) > 2 or not parts[1].strip():
        raise FormulaError(f"{text!r} is not a formula: write 'response ~ predictors', such as 'y ~ .' or 'y ~ a + b'")
    return parts[0].strip() or None, parts[1].strip()


def _read_response(left: str, columns: list[str]) -> str:
    name = left[1:-1] if len(left) > 2 and left[0] == left[-1] == "`" else left
    if name in columns:
        return name
    converted = re.fullmatch(r"(?:as\.)?factor\(\s*`?(.*?)`?\s*\)", left)
    if converted and converted.group(1) in columns:
        raise FormulaError(f"the left side {left!r}: write {converted.group(1)!r} alone, its values are the classes")
    if re.fullmatch(r"[\w .]+", name):
        raise FormulaError(f"the response {name!r} is not a column of the data; the columns are {_list_names(columns)}")
    raise FormulaError(f"the left side {left!r} must be the name of a column: compute it in the data frame first")


def _check_size(right: str, columns: int) -> None:
    """Raise an error for formulas that would take too long to expand."""
    if right.count("`") % 2:
        raise FormulaError(f"a backtick is missing in {right!r}")
    if len(right) > 100_000 or right.count("(") > 1_000:
        raise FormulaError("the formula is too long: choose columns of the data frame and write 'y ~ .'")
    unquoted = re.sub(r"`[^`]*`", "q", right)
    names = columns if re.search(r"(?<![\w.])\.(?![\w.])", unquoted) else len(re.findall(r"[+:*/-]", unquoted)) + 1
    powers = [int(k) for k in re.findall(r"[.)]\s*(?:\*\*|\^)\s*(\d+)", unquoted)]
    products = len(re.findall(r"(?<!\*)\*(?!\*)", unquoted))
    terms = max([sum(math.comb(names, k) for k in range(1, min(p, names) + 1)) for p in powers], default=0)
    if terms > MOST_TERMS or max(powers, default=0) > MOST_POWER or products > 12:
        raise FormulaError(f"{right!r} expands to too many interactions: name the relevant ones")


def _check_no_r(right: str, text: str) -> None:
    """Raise where a function of R stands on the right side, and name what stands for it here."""
    for match in re.finditer(r"`[^`]*`|(?<![\w.:])([A-Za-z][\w.:]*)\s*\(\s*(`[^`]*`|[\w.]*)", right):
        name, column = match.groups()
        if name in IN_R:
            raise FormulaError(
                f"{name!r} in {text!r} is a function of R: write {IN_R[name].format(column or 'a')}, or convert the column in "
                "the data frame"
            )


def _check_factor(factor: Any, columns: list[str], text: str) -> set[str]:
    """The columns that a factor uses; raises an error if it does anything except compute from columns."""
    how, expression = factor.eval_method.value, factor.expr
    if how == "literal":
        return set()
    if how == "lookup":
        return {_check_column(expression, columns, text)}
    names: dict[str, str] = {}

    def quoted(match: re.Match[str]) -> str:
        names[f"quoted_{len(names)}_"] = match.group(1)
        return f"quoted_{len(names) - 1}_"

    try:
        tree = ast.parse(re.sub(r"`([^`]*)`", quoted, expression), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(f"{expression!r} in {text!r} can't be read") from None
    used: set[str] = set()
    _check_node(tree, expression, used)
    return {_check_column(names.get(name, name), columns, text) for name in used}


def _called(expression: str) -> set[str]:
    """The names of the functions that a factor calls, at any depth."""
    tree = ast.parse(re.sub(r"`[^`]*`", "quoted_", expression), mode="eval")
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def _check_column(name: str, columns: list[str], text: str) -> str:
    if name not in columns:
        raise FormulaError(f"{name!r} in {text!r} is not a column of the data; the columns are {_list_names(columns)}")
    return name


def _check_node(node: ast.expr, expression: str, used: set[str]) -> None:
    allowed = f"allowed are columns, numbers, + - * / ** and {', '.join(TRANSFORMS)}"
    match node:
        case ast.Name(id=name):
            used.add(name)
        case ast.Constant(value=bool() | int() | float() | str() | None):
            pass
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            _check_node(operand, expression, used)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ARITHMETIC):
            for side in (left, right):
                if isinstance(side, ast.Constant) and (
                    isinstance(side.value, bool) or not isinstance(side.value, (int, float))
                ):
                    raise FormulaError(f"{side.value!r} in {expression!r} is not a number")
            if isinstance(op, ast.Pow):
                power = ast.unparse(right)
                if not re.fullmatch(r"-?[0-9.]+", power) or abs(float(power)) > MOST_POWER:
                    raise FormulaError(f"the power {power} in {expression!r} must be a number up to {MOST_POWER}")
            _check_node(left, expression, used)
            _check_node(right, expression, used)
        case ast.Call(func=ast.Name(id=name), args=[first, *further], keywords=keywords):
            if name not in TRANSFORMS:
                raise FormulaError(f"{name!r} in {expression!r} is not allowed: {allowed}")
            options = [*further, *(k.value for k in keywords)]
            if name == "C" and (options or not isinstance(first, ast.Name)):
                raise FormulaError(f"{expression!r}: C() takes a column alone; set its levels in the data frame")
            if name in PLAIN and options:
                raise FormulaError(f"{expression!r}: {name}() takes one argument")
            if not all(_is_constant(option) for option in options):
                raise FormulaError(f"{expression!r}: the options of {name}() must be numbers, texts or lists of them")
            _check_node(first, expression, used)
        case _:
            raise FormulaError(f"{ast.unparse(node)!r} in {expression!r} is not allowed: {allowed}")


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return True
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            return _is_constant(operand)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_is_constant(item) for item in items)
    return False


def _list_names(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
