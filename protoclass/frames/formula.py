"""R's formulas, checked before they are evaluated.

Formulaic parses the right side, unless it is a sum of columns (`terms.py`), and evaluates it later.
In between, every factor is checked against a closed grammar of names, numbers, operators and a
fixed list of functions, so a formula cannot run code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from ..ground.checks import is_number, is_real
from ..ground.errors import FormulaError, cut, shown
from ..ground.savable import savable
from .spelling import Names, check_left, name_columns, sides_of, translate, unknown
from .terms import Factor, Term, expand, factors_of, parser, sum_of_columns

PLAIN = ("log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I")  # functions of one argument
TRANSFORMS = (
    "log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I", "C", "scale", "center",
    "poly", "bs", "ns", "cr", "cs", "cc", "cut", "ifelse",
)  # fmt: skip
OPTIONS = {  # of the functions that are defined here
    "log": ("base",), "ns": ("df", "knots"), "cut": ("breaks", "labels", "right", "include_lowest"),
}  # fmt: skip
COMPARISONS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq)
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
MOST_POWER = 100

ALLOWED = f"use columns, numbers, + - * / ** and {', '.join(TRANSFORMS)}"
LEARNED = ("scale", "center", "poly", "bs", "ns", "cr", "cs", "cc", "cut")
NO_CONSTANT = object()
# of formulaic's parser
SYNTAX = (SyntaxError, TypeError, ValueError, KeyError, AttributeError, RecursionError, MemoryError)
LONGEST = 100_000  # characters of a formula


def names_in(tree: ast.expr, expression: str) -> set[str]:
    """The columns that a transform uses; raises if it does more than compute from columns."""
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
                if isinstance(side, ast.Constant) and not is_real(side.value):
                    raise FormulaError(
                        f"{shown(side.value)} in {shown(expression)} is not a number"
                    )
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
                f"{shown(ast.unparse(node))} in {shown(expression)} is true or false, but distances need numbers: use "
                f"ifelse({cut(ast.unparse(node))}, 1, 0)"
            )
        case ast.Call(func=ast.Name(id=name), args=[first, *further], keywords=keywords):
            if name not in TRANSFORMS:
                raise FormulaError(
                    f"{shown(name)} in {shown(expression)} is not allowed: {ALLOWED}"
                )
            if name == "C" and (further or keywords or not isinstance(first, ast.Name)):
                raise FormulaError(
                    f"C() in {shown(expression)} must contain one column only: set its levels in the data frame"
                )
            _check_options(name, further, keywords, expression)
            _check_node(first, expression, used)
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=name)) if name in TRANSFORMS:
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {shown(expression)} is not allowed: use {name}(...) alone"
            )
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str(name))):
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {shown(expression)} is not allowed, because the "
                "formula names columns of the data: use "
                f"{cut(name)} alone"
            )
        case _:
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {shown(expression)} is not allowed: {ALLOWED}"
            )


def _check_options(
    name: str, further: list[ast.expr], keywords: list[ast.keyword], expression: str
) -> None:
    """Raise for options that are unknown or not constants, and for an invalid base."""
    options = [*further, *(keyword.value for keyword in keywords)]
    if name in PLAIN and options:
        raise FormulaError(f"{name}() in {shown(expression)} takes one argument")
    values = [constant_of(option) for option in options]
    if name in OPTIONS:
        known = OPTIONS[name]
        given = [*known[: len(further)], *(str(keyword.arg) for keyword in keywords)]
        wrong = [option for option in given if option not in known]
        if wrong or len(further) > len(known) or len(set(given)) < len(given):
            what = f"has no option {shown(wrong[0])}" if wrong else "is given too many options"
            raise FormulaError(f"{name}() in {shown(expression)} {what}: use {', '.join(known)}")
        base = dict(zip(given, values, strict=True)).get("base")
        if base is not None and (not is_number(base, 0, above=True) or base == 1):
            raise FormulaError(
                f"the base of log() in {shown(expression)} must be a number > 0 other than 1"
            )
    if NO_CONSTANT in values:
        raise FormulaError(
            f"the options of {name}() in {shown(expression)} must be numbers, texts or lists of them"
        )


def _check_choice(
    args: list[ast.expr], keywords: list[ast.keyword], expression: str, used: set[str]
) -> None:
    """Check `ifelse(x > 2, 1, 0)`: one comparison of columns and numbers, and two numbers."""
    if len(args) != 3 or keywords:
        raise FormulaError(
            f"ifelse() in {shown(expression)} needs a comparison and two numbers, such as ifelse(x > 2, 1, 0)"
        )
    test, *values = args
    sides = (
        [test.left, *test.comparators]
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], COMPARISONS)
        else []
    )
    if len(sides) != 2 or not all(
        isinstance(side, ast.Name) or is_real(constant_of(side)) for side in sides
    ):
        raise FormulaError(
            f"ifelse() in {shown(expression)} needs one comparison of columns and numbers, such as x > 2 or x > z, not "
            f"{shown(ast.unparse(test))}: nest ifelse() for several comparisons, or compute the "
            "column in the data frame"
        )
    for part in (*sides, *values):
        value = constant_of(part)
        if value is NO_CONSTANT:
            _check_node(part, expression, used)
        elif not is_real(value):
            raise FormulaError(
                f"{shown(value)} in {shown(expression)} is not a number, but ifelse() returns "
                "numbers: use 1 and 0, for example"
            )


def constant_of(node: ast.expr) -> Any:
    """The number, text or list of a node; `NO_CONSTANT` if it has names or functions."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return NO_CONSTANT
    return (
        value
        if value is None or isinstance(value, (bool, int, float, str, list, tuple))
        else NO_CONSTANT
    )


@savable
@dataclass(frozen=True)
class Formula:
    """A formula with names resolved in a data frame.

    Attributes
    ----------
    text : str
        Formula as given.
    response : str, or None for a one-sided formula
    terms : tuple of Term
        Terms of the right side without the intercept, which has no effect on dissimilarities.
    variables : tuple of str
        Columns that the terms use, in the order of the data.
    uses : mapping of str to frozenset of str
        Columns that each factor uses.
    """

    text: str
    response: str | None
    terms: tuple[Term, ...]
    variables: tuple[str, ...]
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: Names = field(default_factory=Names)

    @property
    def quoted(self) -> str:
        """The text as a message quotes it."""
        return shown(self.text)

    def coded(self) -> set[str]:
        """The columns that C() converts to categories."""
        matches = [re.fullmatch(r"C\(\s*(\w+)\s*\)", f.expr) for f in self._transforms()]
        return {self.names.columns[m.group(1)] for m in matches if m}

    def computed(self) -> set[str]:
        """The columns inside a transform other than C()."""
        transformed = [f for f in self._transforms() if not f.expr.startswith("C(")]
        return {c for c in self.variables if any(c in self.uses[f.expr] for f in transformed)}

    def by_dot(self) -> list[str]:
        """The columns that `.` means and the text does not name."""
        named = self.named()
        return [c for c in self.variables if c not in named]

    def named(self) -> set[str]:
        """The words of the text, some of which are names of columns."""
        return {
            word
            for words in re.findall(r"`([^`]*)`|([\w.]+)", "~".join(sides_of(self.text)))
            for word in words
            if word
        }

    def learns(self) -> bool:
        """Whether a transform in the term depends on its training rows."""
        return any({*re.findall(r"(\w+)\(", f.expr)} & {*LEARNED} for f in self._transforms())

    def plain(self) -> bool:
        """Whether every term is an unchanged column."""
        return all(len(t.factors) == 1 and t.factors[0].how == "lookup" for t in self.terms)

    def unchanged(self) -> set[str]:
        """The columns that are factors of a term themselves."""
        return {
            self.names.columns[f.expr] for t in self.terms for f in t.factors if f.how == "lookup"
        }

    def written(self, term: object) -> str:
        """A term or a factor with the names of the data."""
        # Python's way of writing R's Inf
        return re.sub(r"\b1e309\b", "Inf", self.names.restore(str(term)))

    def without_interactions(self) -> str:
        """The formula with the factors of every interaction as separate terms."""
        quoted = {c: c if c.isidentifier() else f"`{c}`" for c in self.names.columns.values()}
        single = dict.fromkeys(f for t in self.terms for f in t.factors if f.how != "literal")
        columns, lookup = self.names.columns, "lookup"
        right = [quoted[columns[f.expr]] if f.how == lookup else self.written(f) for f in single]
        left = "" if self.response is None else f"{quoted[self.response]} "
        return f"{left}~ {' + '.join(right)}"

    def column_of(self, term: Term) -> str | None:
        """The column of a term, unchanged or as C(); None for interactions and transforms."""
        factors = [f for f in term.factors if f.how != "literal"]
        if len(factors) == 1 and (factors[0].how == "lookup" or factors[0].expr.startswith("C(")):
            return next(iter(self.uses[factors[0].expr]))
        return None

    def grouped(self, expression: str) -> bool:
        """Whether the columns of a transform are the levels of one category."""
        return expression.startswith("cut(")

    def _transforms(self) -> list[Factor]:
        return [f for t in self.terms for f in t.factors if f.how == "python"]


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
        If the formula is outside the grammar; the message names the part and the allowed ones.

    Examples
    --------
    >>> read("y ~ . - b", ["y", "a", "b", "c"]).variables
    ('a', 'c')
    """
    if not isinstance(text, str):
        raise FormulaError(f"a formula must be text such as 'y ~ .', not {type(text).__name__}")
    columns, aside = list(columns), set(aside)
    left, right = _split_sides(text)
    names = name_columns(columns, TRANSFORMS)
    response = _read_response(left, columns) if left is not None else None
    known = [names.of(c) for c in columns if c != response and c not in aside]
    try:
        replaced = translate(normalize("NFC", right), names, text)
        expanded, written = sum_of_columns(replaced, known) or _parse(replaced, known, names, text)
        terms = tuple(t for t in expanded if any(f.how != "literal" for f in t.factors))
        uses = check_factors(terms, names, text)
        for factor in written:
            # subtracted: a name that is mistyped would stay in the formula
            if factor.expr not in uses:
                _check_factor(factor, names, text)
    except FormulaError:
        bare = re.sub(r"`[^`]*`", "", right)
        odd = [
            c
            for c in names.alias
            if not re.fullmatch(r"[\w.]*|\W+|.*`.*", c) and c.split("(")[0] not in TRANSFORMS
        ]
        name = max((c for c in odd if c in bare), key=len, default=None)
        if name is None:
            raise
        raise FormulaError(
            f"the name {shown(name)} in {shown(text)} is not a plain word: write it in backticks, `{cut(name)}`"
        ) from None
    used = frozenset().union(*uses.values())
    if response in used:
        raise FormulaError(
            f"the response {shown(response)} is also on the right side of {shown(text)}: leave it out there"
        )
    return Formula(text, response, terms, tuple(c for c in columns if c in used), uses, names)


def _parse(
    right: str, known: list[str], names: Names, text: str
) -> tuple[tuple[Term, ...], tuple[Factor, ...]]:
    """The terms of any formula, and all factors that occur in it."""
    from formulaic.errors import FormulaicError

    try:
        # without an intercept, which would hide a column named "1"
        tree = parser().get_ast(right, context={})
        return expand(tree, known, text), tuple(factors_of(tree))
    except FormulaError:
        raise
    except (FormulaicError, *SYNTAX) as reason:
        first = re.sub(r"\x1b\[[0-9;]*m|[⧛⧚]", "", str(reason)).strip().split("\n")[0]
        raise FormulaError(
            f"the right side of {shown(text)} is not a valid formula: {cut(names.restore(first))}"
        ) from None


def _split_sides(text: str) -> tuple[str | None, str]:
    if len(text) > LONGEST:
        raise FormulaError(
            f"the formula has {len(text):,} characters, more than {LONGEST:,}: select columns of "
            "the data frame and use 'y ~ .'"
        )
    if text.count("`") % 2:
        raise FormulaError(f"a backtick is missing in {shown(text)}")
    sides = sides_of(text)
    if len(sides) != 2 or not sides[1].strip():
        raise FormulaError(
            f"{shown(text)} is not a formula: use 'response ~ predictors', such as 'y ~ .' or 'y ~ a + b'"
        )
    return sides[0].strip() or None, sides[1].strip()


def _read_response(left: str, columns: list[str]) -> str:
    name = left[1:-1] if len(left) > 2 and left[0] == left[-1] and left[0] in "`'\"" else left
    if name in columns:
        return name
    for column in columns:
        if normalize("NFC", column) == normalize("NFC", name):
            return column
    check_left(left, left)
    if name != left or re.fullmatch(r"[\w .]+", name):
        raise FormulaError(unknown(f"the response {shown(name)}", columns))
    several = [c for c in columns if re.search(rf"(?<![\w.]){re.escape(c)}(?![\w.])", left)]
    made = " + ' ' + ".join(f"data[{shown(c)}].astype(str)" for c in several)
    cure = (
        f"use data['both'] = {made}, and 'both ~ ...'"
        if len(several) > 1
        else "compute it in the data frame first"
    )
    raise FormulaError(f"the left side must be the name of a column, not {shown(left)}: {cure}")


def _check_factor(factor: Factor, names: Names, text: str) -> set[str]:
    """The columns that a factor uses; raises if it does more than compute from columns."""
    how, expression = factor.how, factor.expr
    if how == "literal":
        return set()
    if how == "lookup":
        return {_check_column(expression, names, text)}
    try:
        used = names_in(ast.parse(expression, mode="eval").body, names.restore(expression))
    except FormulaError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(
            f"{shown(expression)} in {shown(text)} is not a valid expression, or too deep: compute it first"
        ) from None
    return {_check_column(name, names, text) for name in used}


def check_factors(terms: Iterable[Term], names: Names, text: str) -> dict[str, frozenset[str]]:
    """The columns that each factor of some terms uses; raises for other grammar."""
    factors = {f.expr: f for term in terms for f in term.factors}
    return {
        expression: frozenset(_check_factor(f, names, text)) for expression, f in factors.items()
    }


def _check_column(name: str, names: Names, text: str) -> str:
    if name not in names.columns:
        raise FormulaError(unknown(f"{shown(name)} in {shown(text)}", names.columns.values()))
    return names.columns[name]
