"""The closed grammar of a transform: names, numbers, operators and a fixed list of functions, so that no formula runs code."""

from __future__ import annotations

import ast
import math
import re

from ..errors import FormulaError, cut, shown

PLAIN = ("log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I")  # functions of one argument
TRANSFORMS = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I", "C", "scale", "center", "poly",
              "bs", "ns", "cr", "cs", "cc", "cut", "ifelse")  # fmt: skip
OPTIONS = {  # of the functions that are defined here
    "log": ("base",), "ns": ("df", "knots"), "cut": ("breaks", "labels", "right", "include_lowest"),
}  # fmt: skip
COMPARISONS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq)
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
    level: list[ast.AST] = [tree]
    depth = 0
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
        case ast.Call(func=ast.Name(id="ifelse"), args=args, keywords=keywords):
            _check_choice(args, keywords, expression, used)
        case ast.Compare():
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {shown(expression)} is true or false, and distances need numbers: write "
                f"ifelse({cut(ast.unparse(node))}, 1, 0)"
            )
        case ast.Call(func=ast.Name(id=name), args=[first, *further], keywords=keywords):
            if name not in TRANSFORMS:
                raise FormulaError(f"{shown(name)} in {shown(expression)} is not allowed: {ALLOWED}")
            options = [*further, *(k.value for k in keywords)]
            if name == "C" and (options or not isinstance(first, ast.Name)):
                raise FormulaError(f"{shown(expression)}: C() takes a column alone; set its levels in the data frame")
            _check_options(name, further, keywords, expression)
            if name in PLAIN and options:
                raise FormulaError(f"{shown(expression)}: {name}() takes one argument")
            if not all(_is_constant(option) for option in options):
                raise FormulaError(
                    f"{shown(expression)}: the options of {name}() must be numbers, texts or lists of them"
                )
            _check_node(first, expression, used)
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=name)) if name in TRANSFORMS:
            raise FormulaError(f"{shown(ast.unparse(node))} in {shown(expression)} is not allowed: write {name}(...) alone")
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str(name))):
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {shown(expression)} is not allowed: columns are those of the data, write {cut(name)} alone"
            )
        case _:
            raise FormulaError(f"{shown(ast.unparse(node))} in {shown(expression)} is not allowed: {ALLOWED}")


def _check_options(name: str, further: list[ast.expr], keywords: list[ast.keyword], expression: str) -> None:
    """Raise for options that a function of ours does not have, and for a base that is none."""
    if name not in OPTIONS:
        return
    known = OPTIONS[name]
    given = [*known[: len(further)], *(str(k.arg) for k in keywords)]
    wrong = [option for option in given if option not in known]
    if wrong or len(further) > len(known) or len(set(given)) < len(given):
        what = f"has no option {shown(wrong[0])}" if wrong else "is given too many options"
        raise FormulaError(f"{shown(expression)}: {name}() {what}; it takes {', '.join(known)}")
    values = dict(zip(given, [*further, *(k.value for k in keywords)], strict=True))
    base = values.get("base")
    if base is not None:
        value = base.value if isinstance(base, ast.Constant) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf or value == 1:
            raise FormulaError(f"{shown(expression)}: the base of log() must be a number > 0 other than 1")


def _check_choice(args: list[ast.expr], keywords: list[ast.keyword], expression: str, used: set[str]) -> None:
    """Check `ifelse(x > 2, 1, 0)`: one comparison of columns and numbers, which are never missing, and two numbers."""
    if len(args) != 3 or keywords:
        raise FormulaError(f"{shown(expression)}: ifelse() takes a comparison and two numbers, such as ifelse(x > 2, 1, 0)")
    test, *values = args
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    comparable = all(isinstance(side, ast.Name) or _is_real(side) for side in sides)
    plain = isinstance(test, ast.Compare) and all(isinstance(op, COMPARISONS) for op in test.ops)
    if len(sides) != 2 or not comparable or not plain:
        raise FormulaError(
            f"{shown(ast.unparse(test))} in {shown(expression)}: ifelse() takes one comparison of columns and numbers, such as "
            "x > 2 or x > z; write one ifelse() inside another for several, or compute the column in the data frame"
        )
    for part in (*sides, *values):
        if isinstance(part, ast.Constant) and not _is_real(part):
            raise FormulaError(f"{shown(part.value)} in {shown(expression)} is not a number: ifelse() gives numbers, such as 1 and 0")
        if not _is_real(part):
            _check_node(part, expression, used)


def _is_real(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            return _is_real(operand)
    return False


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return True
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            return _is_constant(operand)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_is_constant(item) for item in items)
    return False
