"""The closed grammar of a transform: names, numbers, operators and a fixed list of functions, so that no formula runs code."""

from __future__ import annotations

import ast
import re

from ..errors import FormulaError, cut, shown

PLAIN = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I")  # functions of one argument
TRANSFORMS = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I", "C", "scale", "center", "poly",
              "bs", "cr", "cs", "cc")  # fmt: skip
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
MOST_POWER = 100
LONGEST = 10_000  # characters of one transform
DEEPEST = 200  # operators inside one another: `I(a + b + c)` has two

ALLOWED = f"allowed are columns, numbers, + - * / ** and {', '.join(TRANSFORMS)}"


def parse_transform(expression: str, text: str) -> ast.expr:
    """The syntax tree of a transform; raises where it can't be read, or is so long that reading it is no matter of an instant.

    Parameters
    ----------
    expression : str
    text : str
        The formula, for messages.
    """
    cure = "compute it in the data frame first"
    if len(expression) > LONGEST:
        raise FormulaError(f"{shown(expression)} has more than {LONGEST:,} characters: {cure}")
    try:
        tree = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(f"{shown(expression)} in {shown(text)} can't be read") from None
    level, depth = [tree], 0
    while level:
        level, depth = [child for node in level for child in ast.iter_child_nodes(node)], depth + 1
        if depth > 2 * DEEPEST:  # an operator and its operand are two levels
            raise FormulaError(f"{shown(expression)} has more than {DEEPEST} operators inside one another: {cure}")
    return tree


def names_in(tree: ast.expr, expression: str) -> set[str]:
    """The names of columns that a transform uses; raises where it does anything except compute from columns."""
    used: set[str] = set()
    _check_node(tree, expression, used)
    return used


def _check_node(node: ast.expr, expression: str, used: set[str]) -> None:
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
                    raise FormulaError(f"{shown(side.value)} in {shown(expression)} is not a number")
            if isinstance(op, ast.Pow):
                power = ast.unparse(right)
                if not re.fullmatch(r"-?[0-9.]+", power) or abs(float(power)) > MOST_POWER:
                    raise FormulaError(
                        f"the power {cut(power)} in {shown(expression)} must be a number up to {MOST_POWER}"
                    )
            _check_node(left, expression, used)
            _check_node(right, expression, used)
        case ast.Call(func=ast.Name(id=name), args=[first, *further], keywords=keywords):
            if name not in TRANSFORMS:
                raise FormulaError(f"{shown(name)} in {shown(expression)} is not allowed: {ALLOWED}")
            options = [*further, *(k.value for k in keywords)]
            if name == "C" and (options or not isinstance(first, ast.Name)):
                raise FormulaError(f"{shown(expression)}: C() takes a column alone; set its levels in the data frame")
            if name in PLAIN and options:
                raise FormulaError(f"{shown(expression)}: {name}() takes one argument")
            if not all(_is_constant(option) for option in options):
                raise FormulaError(
                    f"{shown(expression)}: the options of {name}() must be numbers, texts or lists of them"
                )
            _check_node(first, expression, used)
        case _:
            raise FormulaError(f"{shown(ast.unparse(node))} in {shown(expression)} is not allowed: {ALLOWED}")


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return True
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            return _is_constant(operand)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_is_constant(item) for item in items)
    return False
