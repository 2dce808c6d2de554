"""Every mutant of a file: one operator, constant or name inside a function changed, in the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

OTHERS = {  # of an operator; those of pairs stand for one another
    "Lt": "LtE GtE", "LtE": "Lt Gt", "Gt": "GtE LtE", "GtE": "Gt Lt", "FloorDiv": "Mult", "Mod": "FloorDiv", "Pow": "Mult",
}  # fmt: skip
OPERATOR_PAIRS = "Eq NotEq, Is IsNot, In NotIn, And Or, Add Sub, Mult Div, BitAnd BitOr, LShift RShift"
PAIRS = "min max, argmin argmax, minimum maximum, any all, floor ceil, zeros ones"


def both_ways(pairs: str) -> dict[str, str]:
    """The other one of each pair."""
    return {a: b for pair in pairs.split(", ") for a, b in (pair.split(), pair.split()[::-1])}


NAMES = both_ways(PAIRS)
OPERATORS = {
    getattr(ast, name): [getattr(ast, other) for other in others.split()] for name, others in (OTHERS | both_ways(OPERATOR_PAIRS)).items()
}
SIDES = {"left": "right", "right": "left"}  # of `searchsorted`
NOT_WALKED = {"annotation", "returns", "decorator_list", "type_params"}


@dataclass(frozen=True)
class Mutant:
    """One change in a file: the line on which it stands, that line's text, and the expression before and after."""

    file: str
    line: int
    text: str
    change: str
    number: int  # among all of the file, in the order of the syntax tree

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.change}    [{self.text}]"


def mutants(file: str, source: str) -> list[Mutant]:
    """The mutants of a file; annotations, decorators and what only errors say stay as they are."""
    lines = source.splitlines()
    found = []
    for number, (node, around, field, value) in enumerate(_changes(ast.parse(source))):
        before, kept = _text(around, field), getattr(node, field)
        setattr(node, field, value)
        after = _text(around, field)
        setattr(node, field, kept)
        found.append(Mutant(file, node.lineno, lines[node.lineno - 1].strip(), f"{before} -> {after}", number))
    return found


def mutated(mutant: Mutant, source: str) -> ast.Module:
    """The syntax tree of a file with one change."""
    tree = ast.parse(source)
    node, _, field, value = list(_changes(tree))[mutant.number]
    setattr(node, field, value)
    return ast.fix_missing_locations(tree)


Change = tuple[Any, ast.AST, str, Any]  # a node, the expression that shows it, and the field's new value


def _changes(tree: ast.AST) -> Iterator[Change]:
    for node, parent in _walk(tree, tree, False):
        around = parent if isinstance(parent, ast.expr | ast.keyword) else node
        if isinstance(node, ast.Compare):
            for k, operator in enumerate(node.ops):
                for other in OPERATORS[type(operator)]:
                    yield node, node, "ops", [*node.ops[:k], other(), *node.ops[k + 1 :]]
        elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
            for other in OPERATORS.get(type(node.op), ()):
                yield node, node, "op", other()
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):  # twice is not at all
            yield node, node, "operand", ast.UnaryOp(node.op, node.operand)
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):  # which no other change turns around
                yield node, node, "test", ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Constant):
            is_axis = isinstance(parent, ast.keyword) and parent.arg == "axis"
            others = (1 - node.value,) if is_axis and node.value in (0, 1) else _other_constants(node.value)
            yield from ((node, around, "value", value) for value in others)
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield node, around, "id", NAMES[node.id]
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node, around, "attr", NAMES[node.attr]


def _text(node: Any, field: str) -> str:
    return ast.unparse(node.test if field == "test" else node)


def _other_constants(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1) if value else (1,)
    if isinstance(value, float):
        return (value * 2 if value else 1.0,)
    return (SIDES[value],) if isinstance(value, str) and value in SIDES else ()


def _walk(node: ast.AST, parent: ast.AST, inside: bool) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What is inside functions; what stands outside, as default arguments do, is read at import."""
    if inside:
        yield node, parent
    for field, value in ast.iter_fields(node):
        if field in NOT_WALKED:
            continue
        enters = isinstance(node, ast.FunctionDef | ast.Lambda) and field == "body"
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Raise | ast.JoinedStr) and not _of_zip(child):
                yield from _walk(child, node, inside or enters)


def _of_zip(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == "strict"  # no value depends on it
