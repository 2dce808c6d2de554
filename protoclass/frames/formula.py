"""R's formulas: names of columns and words of R, and a closed grammar that is checked before
anything is evaluated.

A formula is read in this order: its sides, the names of the columns, R's words as formulaic has
them, the terms (`terms.py`), and every factor. A factor has names, numbers, operators and a fixed
list of functions, so a formula cannot run code. Formulaic evaluates the terms later.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from ..ground.checks import is_real
from ..ground.errors import FormulaError, cut, first_of, shown
from ..ground.savable import savable
from .terms import BOUNDED, MOST_POWER, Factor, Term, expand, factors_of, parser, sum_of_columns

PLAIN = ("log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "I")  # functions of one argument
LEARNED = ("scale", "center", *BOUNDED, "cut")  # functions that depend on the training rows
TRANSFORMS = ("log", *PLAIN, "C", *LEARNED, "ifelse")
COMPARISONS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq)
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
ALLOWED = f"use columns, numbers, + - * / ** and {', '.join(TRANSFORMS)}"
NO_CONSTANT = object()
# of formulaic's parser
SYNTAX = (SyntaxError, TypeError, ValueError, KeyError, AttributeError, RecursionError, MemoryError)
LONGEST = 100_000  # characters of a formula


FUNCTIONS = {
    "factor": "C", "as.factor": "C", "as.character": "C", "splines::ns": "ns", "splines::bs": "bs",
    "stats::poly": "poly", "base::log": "log",
}  # fmt: skip
WORDS = {"TRUE": "True", "FALSE": "False", "NULL": "None", "Inf": "1e999"}
SHORT = {"T": "True", "F": "False"}  # only in options: elsewhere these are likely columns

FRAME = "compute the column in the data frame first"
RIGHT = {  # function of R: its cure; {0} is its first argument
    "as.numeric": "use {0}, or convert the column in the data frame",
    "as.integer": "use {0}, or convert the column in the data frame",
    "ordered": "use {0}, and order its levels in the data frame, pd.Categorical(data[{1}], levels, ordered=True)",
    "relevel": "use {0}, because every level has a column and none is the reference",
    "droplevels": "use {0}, and remove levels without rows in the data frame, "
    "data[{1}].cat.remove_unused_categories()",
    "offset": "leave it out because dissimilarities have no offset, or use {0} if it should be a predictor",
    "Surv": "use the columns themselves, because survival times are not predictors",
    "cbind": "join columns by +, as in 'a + b'",
    "strata": "use {0}, or groups= with the column to have its rows in the same fold",
    "cluster": "use groups= with the column to have its rows in the same fold",
    "Error": "use groups= with the column to have its rows in the same fold",
    "s": "use ns({0}, df=4)",
    "lo": "use ns({0}, df=4)",
    "rcs": "use ns({0}, df=4)",
    "interaction": "use the columns joined by ':', with dissimilarity='euclidean'",
    "is.na": "use na='keep' with Gower to skip missing values, or compute data[{1}].isna() in the data frame",
    "round": f"{FRAME}, data[{{1}}].round()",
    "logit": "use log({0} / (1 - {0}))",
}
LEFT = {  # function on the left side
    **dict.fromkeys(
        ["factor", "as.factor", "as.character", "C"],
        "use {1} alone, because its values are the classes",
    ),
    "Surv": "make classes of the survival times in the data frame, such as data['late'] = data[{1}] > 365",
    "cut": "make the classes in the data frame, pd.cut(data[{1}], 3), and use their column",
    "ifelse": "make the classes in the data frame, np.where(...), and use their column",
}
PARTS = re.compile(
    r"`(?P<name>[^`]*)`|(?P<other>\"[^\"]*\"|'[^']*'|%[^%]*%)"
    r"|(?P<taken>[\w.]++\$(?P<column>`[^`]*`|[\w.]+))"
    # [^\x00-\x7f]: any letter or sign beyond ASCII (its range takes 4 ms to compile, this .2)
    r"|(?P<word>(?:[A-Za-z_]\w*::)?(?:[A-Za-z_]|[^\x00-\x7f])(?:[\w.]|[^\x00-\x7f])*|\.[\w.]+)(?P<call>\s*\()?"
    r"|(?P<number>\d[\w.]*)|(?P<power>\^)|(?P<close>\))|(?P<bar>\|)"
)
PIECES = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^']*'|%[^%]*%|[(\[)\]|]|[^`\"'%(\[)\]|]+|.", re.DOTALL)
VECTOR = re.compile(r"\s*((?:[^()'\"`]|'[^']*'|\"[^\"]*\")*)\)")  # after R's "c("
CONSTANTS = re.compile(r"(?:'[^']*'|\"[^\"]*\"|Inf|TRUE|FALSE|[\d.]+(?:e[+-]?\d+)?|[\s,+-])*")
COMPARED = re.compile(
    r"(?<![\w.])(`[^`]*+`|[\w.]++)\s*+([<>]=?|[!=]=)\s*([\w.]+|'[^']*'|\"[^\"]*\")"
)
ARGUMENT = re.compile(r"\s*(`[^`]*`|[\w.]*(?:\([^()]*\))?)")
FIXED = ("True", "False", "None", ".")  # words that are never bare names
QUOTED_BY_PATSY = re.compile(r"\bQ\(\s*(['\"])([^`]+?)\1\s*\)")
LOOK_ALIKE = str.maketrans(
    "\u223c\u223d\u2053\uff5e\u02dc\u301c\u2010\u2011\u2212\u2013\u2014\uff0d\uff0a\u2217\xd7\uff0b\uff1a\xa0",
    "~~~~~~------***+: ",
)


@dataclass(frozen=True)
class Names:
    """The names of columns in formulaic.

    Attributes
    ----------
    alias : mapping of column to str
        An identifier for every column without a plain name, such as `my x`, `log(x)` or `class`.
    columns : mapping of str to column
        The inverse, for every column.
    """

    alias: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)

    def of(self, column: str) -> str:
        """The name of a column inside formulaic."""
        return self.alias.get(column, column)

    def restore(self, text: str) -> str:
        """A term, or a column of the design matrix, with the names of the data."""
        if not self.alias:
            return text

        def shorten(match: re.Match[str]) -> str:
            column = self.columns.get(match.group())
            if column is None or column == match.group():
                return match.group()
            before, after = text[: match.start()], text[match.end() :]
            alone = before[-1:] in ("", ":") and after[:1] in ("", ":", "[")
            return column if alone else f"`{column}`"

        return re.sub(r"\w+", shorten, text)


def name_columns(columns: Iterable[str], reserved: Iterable[str]) -> Names:
    """Aliases for the columns that need one.

    Parameters
    ----------
    columns : names of the columns
    reserved : words that mean something else inside a formula

    Examples
    --------
    >>> name_columns(["a", "my x", "log"], ["log"]).alias
    {'my x': 'column_2_', 'log': 'column_3_'}
    """
    columns, reserved = list(columns), set(reserved)
    stem = "column_"
    while any(c.startswith(stem) for c in columns):
        stem = f"the_{stem}"
    alias = {
        c: f"{stem}{k + 1}_" for k, c in enumerate(columns) if not _is_plain(c) or c in reserved
    }
    known = {alias.get(c, c): c for c in columns}
    return Names({**{normalize("NFC", c): a for c, a in alias.items()}, **alias}, known)


def _is_plain(name: str) -> bool:
    """Whether a name is an identifier that Python neither reserves nor changes."""
    plain = (
        name.isidentifier()
        and re.fullmatch(r"\w+", name)
        and not keyword.iskeyword(name)
        and not name.startswith("__FORMULAIC")
    )
    return bool(plain) and normalize("NFKC", name) == name


def unknown(what: str, columns: Iterable[str]) -> str:
    """The message if a formula names a column that does not exist."""
    listed = first_of([*map(shown, columns)], 12)
    return f"{what} is not a column of the data: use one of {listed}"


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
        return {self.names.columns[m[1]] for m in matches if m}

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

    def column_of(self, term: Term) -> str | None:
        """The column of a term, unchanged or as C(); None for interactions and transforms."""
        factors = [f for f in term.factors if f.how != "literal"]
        if len(factors) == 1 and (factors[0].how == "lookup" or factors[0].expr.startswith("C(")):
            return next(iter(self.uses[factors[0].expr]))
        return None

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
        # also subtracted ones: a name that is mistyped would stay in the formula
        check_factors([Term(written)], names, text)
    except FormulaError:
        bare = re.sub(r"`[^`]*`", "", right)
        odd = [c for c in names.alias if re.fullmatch(r"[\w.]+\W[^`(]*", c) and c in bare]
        if not odd:
            raise
        name = max(odd, key=len)
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
        if compared := COMPARED.search(text):
            raise FormulaError(
                f"{shown(compared[0])} in {shown(text)} is true or false, but distances need "
                f"numbers: use ifelse({cut(compared[0])}, 1, 0)"
            ) from None
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
    quoted = re.fullmatch(r"(?s)([`'\"])(.+)\1", left)
    name = quoted[2] if quoted else left
    if name in columns:
        return name
    for column in columns:
        if normalize("NFC", column) == normalize("NFC", name):
            return column
    called = re.match(r"([A-Za-z][\w.]*)\s*\(", left)
    if called and called[1] in LEFT:
        raise _refused(called[1], left[called.end() :], LEFT, left)
    if name != left or re.fullmatch(r"[\w .]+", name):
        raise FormulaError(unknown(f"the response {shown(name)}", columns))
    several = [c for c in columns if re.search(rf"(?<![\w.]){re.escape(c)}(?![\w.(])", left)]
    joined = " + ' ' + ".join(f"data[{shown(c)}].astype(str)" for c in several)
    cure = (
        f"use data['both'] = {joined}, and 'both ~ ...'"
        if several[1:]
        else "compute it in the data frame first"
    )
    raise FormulaError(f"the left side must be the name of a column, not {shown(left)}: {cure}")


def check_factors(terms: Iterable[Term], names: Names, text: str) -> dict[str, frozenset[str]]:
    """The columns that each factor of some terms uses; raises for other grammar."""
    uses: dict[str, frozenset[str]] = {}
    for factor in (f for term in terms for f in term.factors):
        expression = factor.expr
        used = {expression} if factor.how == "lookup" else set[str]()
        if factor.how == "python":
            try:
                where = shown(names.restore(expression))
                _check_node(ast.parse(expression, mode="eval").body, where, used)
            except FormulaError:
                raise
            except SYNTAX:
                raise FormulaError(
                    f"{shown(expression)} in {shown(text)} is not a valid expression, or too deep: compute it first"
                ) from None
        for name in used - {*names.columns}:
            raise FormulaError(unknown(f"{shown(name)} in {shown(text)}", names.columns.values()))
        uses[expression] = frozenset(names.columns[name] for name in used)
    return uses


def _check_node(node: ast.expr, where: str, used: set[str]) -> None:
    """Add the columns of a part of a transform, quoted in `where`, to `used`; raise if it does more
    than compute from columns."""
    match node:
        case ast.Name(id=name):
            used.add(name)
        case ast.Constant(value=int() | float()):
            pass
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            _check_node(operand, where, used)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ARITHMETIC):
            if isinstance(op, ast.Pow):
                power = ast.unparse(right)
                if not re.fullmatch(r"-?[0-9.]+", power) or abs(float(power)) > MOST_POWER:
                    raise FormulaError(
                        f"the power {cut(power)} in {where} must be a number up to {MOST_POWER}"
                    )
            _check_node(left, where, used)
            _check_node(right, where, used)
        case ast.Call(func=ast.Name(id="ifelse"), args=args, keywords=keywords):
            _check_choice(args, keywords, where, used)
        case ast.Compare():
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {where} is true or false, but distances need numbers: use "
                f"ifelse({cut(ast.unparse(node))}, 1, 0)"
            )
        case ast.Call(func=ast.Name(id=name), args=[first, *further], keywords=keywords):
            if name not in TRANSFORMS:
                raise FormulaError(f"{shown(name)} in {where} is not allowed: {ALLOWED}")
            if name == "C" and (further or keywords or not isinstance(first, ast.Name)):
                raise FormulaError(
                    f"C() in {where} must contain one column only: set its levels in the data frame"
                )
            options = [constant_of(option) for option in (*further, *(k.value for k in keywords))]
            if name in PLAIN and options:
                raise FormulaError(f"{name}() in {where} takes one argument")
            if NO_CONSTANT in options:
                raise FormulaError(
                    f"the options of {name}() in {where} must be numbers, texts or lists of them"
                )
            _check_node(first, where, used)
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=name)) if name in TRANSFORMS:
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {where} is not allowed: use {name}(...) alone"
            )
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str(name))):
            raise FormulaError(
                f"{shown(ast.unparse(node))} in {where} is not allowed, because the "
                "formula names columns of the data: use "
                f"{cut(name)} alone"
            )
        case _:
            raise FormulaError(f"{shown(ast.unparse(node))} in {where} is not allowed: {ALLOWED}")


def _check_choice(
    args: list[ast.expr], keywords: list[ast.keyword], where: str, used: set[str]
) -> None:
    """Check `ifelse(x > 2, 1, 0)`: one comparison of columns and numbers, and two numbers."""
    match args:
        case [ast.Compare(left=left, ops=[op], comparators=[right]), yes, no] if not keywords:
            parts = [left, right, yes, no]
            compared = isinstance(op, COMPARISONS) and all(
                isinstance(side, ast.Name) or is_real(constant_of(side)) for side in (left, right)
            )
        case _:
            compared = False
    if not compared:
        raise FormulaError(
            f"ifelse() in {where} needs one comparison of columns and numbers, and two numbers, "
            "such as ifelse(x > 2, 1, 0): nest ifelse() for several comparisons, or compute the "
            "column in the data frame"
        )
    for part in parts:
        value = constant_of(part)
        if value is NO_CONSTANT:
            _check_node(part, where, used)
        elif not is_real(value):
            raise FormulaError(
                f"{shown(value)} in {where} is not a number, but ifelse() returns numbers: use 1 "
                "and 0, for example"
            )


def constant_of(node: ast.expr) -> Any:
    """The number, text or list of a node; `NO_CONSTANT` if it has names or functions."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return NO_CONSTANT
    plain = isinstance(value, int | float | str | list | tuple | None)
    return value if plain else NO_CONSTANT


def translate(right: str, names: Names, text: str) -> str:
    """The right side of a formula as formulaic reads it: `factor(g)` as `C(g)`, `x^2` as `x**2`,
    `TRUE` as `True`, names by their alias.

    Parameters
    ----------
    right : str
    names : Names
        Names of the columns, which may be words of R; a function is one before a parenthesis.
    text : str
        The formula, for messages.

    Raises
    ------
    FormulaError
        For functions of R without a counterpart, for `|`, and for quoted names of no column.

    Examples
    --------
    >>> names = name_columns(["g", "x", "z", "my x"], ["log"])
    >>> translate("factor(g) + I(x^2) + poly(z, 2, raw=TRUE) + log(`my x`)", names, "")
    'C(g) + I(x**2) + poly(z, 2, raw=True) + log( column_4_ )'
    """

    vectors: list[int] = []  # ends of R's c(...)

    def replacement(found: re.Match[str]) -> str:
        written, word = found.group(), found["word"]
        match found.lastgroup:
            case "name":
                return f" {_quoted(found['name'], names, text)} "
            case "other" if written[0] == "%" and written != "%in%":
                raise FormulaError(
                    f"{shown(written)} in {shown(text)} is not an operator of formulas: {FRAME}"
                )
            case "taken":
                raise FormulaError(
                    f"{shown(written)} in {shown(text)} is not a column of the data: use "
                    f"{cut(found['column'])} alone"
                )
            case "bar":
                raise FormulaError(
                    f"'|' in {shown(text)} is not allowed, because there are no conditional or "
                    "random effects: use '+' if the column is a predictor, or groups= to have its "
                    "rows in the same fold"
                )
            case "number":  # such as a column that is called "2x"
                return names.of(written)
            case "power":
                return "**"
            case "close" if found.end() in vectors:
                return "]"
            case "word":
                if re.match(r"\s*=(?!=)", right[found.end() :]):
                    return word.replace(".", "_")  # an option, such as include.lowest
                if word in names.alias or word in names.columns:
                    return word if word in FIXED else names.of(word)
                option = right[: found.start()].rstrip().endswith("=")
                return (WORDS | SHORT if option else WORDS).get(word, word)
            case "call" if word == "c":
                vectors.append(_end_of_vector(right, found.end(), text))
                return "["
            case "call" if word in RIGHT:
                raise _refused(word, right[found.end() :], RIGHT, text)
            case "call":
                return FUNCTIONS.get(word, word) + found["call"]
        return written

    return PARTS.sub(replacement, right)


def _quoted(name: str, names: Names, text: str) -> str:
    """The name inside formulaic of a column in backquotes."""
    if name not in names.alias and names.columns.get(name) != name:
        raise FormulaError(unknown(f"{shown(name)} in {shown(text)}", names.columns.values()))
    return names.of(name)


def _end_of_vector(right: str, start: int, text: str) -> int:
    """End of R's `c(...)`, which contains numbers or texts."""
    found = VECTOR.match(right, start)
    if found is None or not CONSTANTS.fullmatch(found[1]):
        raise FormulaError(
            f"c() in {shown(text)} must contain numbers or texts: join columns by +, as in 'a + b'"
        )
    return found.end()


def _refused(name: str, after: str, cures: Mapping[str, str], text: str) -> FormulaError:
    """The error for a function of R, whose arguments are `after` it."""
    argument = ARGUMENT.match(after)
    written = (argument and argument[1]) or "a"
    cure = cures[name].format(cut(written), shown(cut(written.strip("`"))))
    return FormulaError(f"{shown(name)} in {shown(text)} is a function of R: {cure}")


def substitute(formula: str, old: str) -> str:
    """A changed formula as in R's `update`: `.` is replaced by this side of the old formula.

    Raises
    ------
    FormulaError
        If the response changes while a `.` means all columns but the response.

    Examples
    --------
    >>> substitute(". ~ . - b", "y ~ a + b"), substitute("~ .:c", "y ~ a + b")
    ('y ~ a + b - b', 'y ~ (a + b):c')
    """
    if not isinstance(formula, str):
        raise FormulaError(
            f"a formula must be text such as '. ~ . - x', not {type(formula).__name__}"
        )
    sides, before = sides_of(formula), sides_of(old)
    if len(sides) != 2 or len(before) != 2:
        return formula  # the parser of formulas reports the error
    left, right = (side.strip() for side in sides)
    old_left, old_right = (side.strip() for side in before)
    left = old_left if left in ("", ".") else left
    dots = _dots(right)
    if left != old_left and dots and _dots(old_right):
        raise FormulaError(
            f"{shown(formula)} changes the response, but '.' in {shown(old)} means all columns "
            "except its response: name the predictors"
        )
    alone = dots == 1 and re.match(r"\.\s*(?:$|[+-])", right)
    inside = old_right if alone or re.fullmatch(r"[\w.]+|`[^`]*`", old_right) else f"({old_right})"
    return f"{left} ~ {_DOT.sub(lambda m: m[1] or inside, right)}"


_DOT = re.compile(r"(`[^`]*`|\"[^\"]*\"|'[^']*'|[\w.]*\w[\w.]*|\.{2,})|(?<![\w.])\.(?![\w.])")


def _dots(right: str) -> int:
    """The number of dots that mean columns."""
    return sum(not match[1] for match in _DOT.finditer(right))


def sides_of(text: str) -> list[str]:
    """The parts of a formula between its tildes, with names in backticks and plain signs.

    Examples
    --------
    >>> sides_of("y \u223c `a~b` \u2212 Q('my x')")
    ['y ', ' `a~b` - `my x`']
    """
    sides = [""]
    for piece in PIECES.findall(QUOTED_BY_PATSY.sub(r"`\2`", text)):
        first, *others = [piece] if piece[0] in "`'\"" else piece.translate(LOOK_ALIKE).split("~")
        sides[-1] += first
        sides += others
    return sides
