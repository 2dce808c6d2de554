"""Terms of formulas: sums of columns, the usual case, are parsed without formulaic; others are expanded from its syntax tree.

Importing formulaic takes as long as a fit of small data.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..ground.errors import FormulaError, shown
from ..ground.savable import savable

WORD = r"(?:\.|[A-Za-z_]\w*+)"
SUM = re.compile(rf"\s*+[+-]?\s*+{WORD}\s*+(?:[+-]\s*+{WORD}\s*+)*+", re.ASCII)
PART = re.compile(rf"([+-]?)\s*+({WORD})", re.ASCII)
MOST_TERMS = 20_000  # interactions of one formula: as many columns of a design matrix as can be measured
MOST_PAIRS = 400_000  # pairs of terms that are multiplied at once
MOST_POWER = 100


@savable
@dataclass(frozen=True)
class Factor:
    """What terms are products of.

    Attributes
    ----------
    expr : str
        Text of the factor in formulaic.
    how : str
        "lookup" for an unchanged column, "python" for a call, "literal" for a number or a text.
    """

    expr: str
    how: str

    def __str__(self) -> str:
        return self.expr


@savable
@dataclass(frozen=True)
class Term:
    """A product of factors.

    Attributes
    ----------
    factors : tuple of Factor
        None for the intercept.
    """

    factors: tuple[Factor, ...]

    @property
    def degree(self) -> int:
        """The number of factors that are not literal."""
        return sum(f.how != "literal" for f in self.factors)

    def __str__(self) -> str:
        return ":".join(map(str, self.factors))


def for_formulaic(terms: Iterable[Term]) -> list[Any]:
    """The same terms as formulaic's."""
    from formulaic.parser.types import Factor as Part
    from formulaic.parser.types import Term as Product

    return [Product(Part(f.expr, eval_method=f.how) for f in term.factors) for term in terms]


def columns_of(term: Term, spec: Any) -> slice:
    """Positions of the columns of a term in the design matrix of formulaic's specification.

    formulaic keeps the hash of a term, which differs between processes, so a dictionary of a specification that was sent
    to another process is only read from beginning to end.
    """
    wanted = for_formulaic([term])[0]
    return next(place for known, place in spec.term_slices.items() if known == wanted)


def sum_of_columns(right: str, names: Iterable[str]) -> tuple[tuple[Term, ...], tuple[Factor, ...]] | None:
    """The terms of columns that are added and left out, and all factors that occur; None for any other formula.

    Parameters
    ----------
    right : str
        Right side of a formula.
    names : columns that `.` means, in their order

    Examples
    --------
    >>> terms, factors = sum_of_columns(". - b", ["a", "b", "c"])
    >>> [str(t) for t in terms], [f.expr for f in factors]
    (['a', 'c'], ['b'])
    >>> sum_of_columns("a:b", ["a", "b"])
    """
    parts = PART.findall(right) if SUM.fullmatch(right) else []
    if not parts or any(keyword.iskeyword(word) for _, word in parts):
        return None
    every = tuple(names)
    left: dict[str, Factor] = {}
    for sign, word in parts:
        for name in every if word == "." else (word,):
            if sign == "-":
                left.pop(name, None)
            else:
                left.setdefault(name, Factor(name, "lookup"))
    written = tuple(Factor(word, "lookup") for _, word in parts if word != ".")
    return tuple(Term((factor,)) for factor in left.values()), written


Terms = dict[frozenset[str], tuple[Factor, ...]]  # factors by their texts, in the order of first occurrences


def expand(tree: Any, names: Iterable[str], text: str) -> tuple[Term, ...]:
    """The terms of a formula, lower degrees first.

    Formulaic's own expansion multiplies before anything can be counted; here a formula that becomes too large is refused
    on the way, and sums and powers take linear time.

    Parameters
    ----------
    tree : formulaic's syntax tree of the right side, or None if it is empty
    names : columns that `.` means, in their order
    text : str
        The formula, for messages.

    Raises
    ------
    FormulaError
        Where more than 20,000 interactions would be made, or an operator can't be applied.
    """
    from formulaic.parser.types import ASTNode

    every: Terms = {frozenset([name]): (Factor(name, "lookup"),) for name in names}
    done: list[Terms] = []
    work: list[tuple[Any, bool]] = [(tree, False)] if tree is not None else []
    while work:  # in post-order, without recursion: a sum of many terms is a deep tree
        node, ready = work.pop()
        if not isinstance(node, ASTNode):
            factor = _factor_of(node)
            done.append({frozenset([factor.expr]): (factor,)})
        elif node.operator.symbol in ("**", "^"):
            if not ready:
                work += [(node, True), (node.args[0], False)]
                continue
            done.append(_power(done.pop(), _whole(node.args[1], text), text))
        elif not ready:
            work += [(node, True), *((arg, False) for arg in reversed(node.args))]
        else:
            args = [done.pop() for _ in node.args][::-1]
            done.append(_apply(node.operator.symbol, args, every, text))
    terms = done.pop() if done else {}
    _check_literals(terms, text)
    return tuple(sorted(map(Term, terms.values()), key=lambda term: term.degree))


def factors_of(tree: Any) -> Iterator[Factor]:
    """All factors of a syntax tree, also those that are subtracted and powers."""
    from formulaic.parser.types import ASTNode

    work = [tree] if tree is not None else []
    while work:
        node = work.pop()
        if isinstance(node, ASTNode):
            work += node.args
        else:
            yield _factor_of(node)


def _factor_of(token: Any) -> Factor:
    factor = token.to_factor()
    return Factor(factor.expr, factor.eval_method.value)


def _product(left: Terms, right: Terms, text: str) -> Terms:
    """All products of two sets of terms."""
    out: Terms = {}
    few = len(left) * len(right) <= MOST_PAIRS
    for a, factors in left.items() if few else ():
        for b, further in right.items():
            if (both := a | b) not in out:
                out[both] = tuple(dict.fromkeys(factors + further))
    if not few or len(out) > MOST_TERMS:
        raise FormulaError(
            f"{shown(text)} expands to too many interactions, more than {MOST_TERMS:,}: use the relevant ones, such as 'a:b'"
        )
    return out


def _apply(symbol: str, args: list[Terms], every: Terms, text: str) -> Terms:
    match symbol, args:
        case ".", []:
            return dict(every)
        case "+", [terms]:
            return terms
        case "-", [_]:
            return {}
        case "+", [left, right]:
            return _add(left, right)
        case "-", [left, right]:
            for term in right:
                left.pop(term, None)
            return left
        case ":", [left, right]:
            return _product(left, right, text)
        case "*", [left, right]:
            products = _product(left, right, text)
            return _add(_add(left, right), products)
        case "/", [outer, inner]:
            return _add(outer, _product(_crossed(outer, text), inner, text))
        case "in", [inner, outer]:
            return _product(inner, _crossed(outer, text), text)
    raise FormulaError(f"{shown(text)} has several parts: use one right side, without '|' or ','")


def _add(left: Terms, right: Terms) -> Terms:
    """The union, with every term as it was written first; `left` becomes it, as every set has one reader."""
    for key, factors in right.items():
        left.setdefault(key, factors)
    return left


def _crossed(outer: Terms, text: str) -> Terms:
    """The product of all terms that others are nested in."""
    if not outer:
        raise FormulaError(f"{shown(text)} removes all the terms that others are nested in")
    common: Terms = {frozenset(): ()}
    for key, factors in outer.items():
        common = _product(common, {key: factors}, text)
    return common


def _power(terms: Terms, power: int, text: str) -> Terms:
    out = terms
    for _ in range(power - 1):
        before, out = out, _product(out, terms, text)
        if len(out) == len(before) and out.keys() == before.keys():
            break  # a further power changes nothing
    return out


def _whole(node: Any, text: str) -> int:
    written = getattr(node, "token", "")
    if not (isinstance(written, str) and written.isdecimal() and len(written) < 9 and 1 <= int(written) <= MOST_POWER):
        raise FormulaError(f"a power in {shown(text)} must be a whole number from 1 to {MOST_POWER}")
    return int(written)


def _check_literals(terms: Terms, text: str) -> None:
    """Numbers other than 1 only scale other terms, and each term has one scale; texts are not terms."""
    seen = set()
    for factors in terms.values():
        literal = [f.expr for f in factors if f.how == "literal"]
        rest = frozenset(f.expr for f in factors if f.how != "literal")
        if any(not number.replace(".", "", 1).isdecimal() for number in literal):
            raise FormulaError(f"{shown(literal[0])} in {shown(text)} is a text, but terms are columns: use a column")
        if not rest and literal != ["1"]:
            raise FormulaError(f"{shown(literal[0])} in {shown(text)} is a number, but terms are columns: use a column")
        if rest in seen:
            raise FormulaError(f"a term of {shown(text)} occurs with different numbers before it: leave them out")
        seen.add(rest)
