"""Terms of formulas: sums of columns, the usual case, are parsed without formulaic; others are expanded from its syntax tree.

Importing formulaic takes as long as a fit of small data.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np

from ..ground.checks import is_number
from ..ground.errors import DataError, FormulaError, brief, shown
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


PLAIN = {"sqrt": np.sqrt, "abs": np.abs, "log1p": np.log1p, "expm1": np.expm1}  # in addition to those of formulaic
EXACT = {2: np.log2, 10: np.log10}  # logarithms of powers of these are whole numbers, as in R
BOUNDED = ("poly", "bs", "ns", "cr", "cs", "cc")  # they have no more columns than there are distinct values


@cache
def functions() -> Mapping[str, Callable[..., Any]]:
    """The functions by name, for formulaic's context."""
    from formulaic.utils.stateful_transforms import stateful_transform

    own = {"log": log, "ifelse": ifelse, "cut": stateful_transform(cut)}
    return {**PLAIN, **own, **{name: _bounded(name) for name in BOUNDED}}


def log(x: Any, base: float | None = None) -> Any:
    """The logarithm, natural or to a base."""
    if base is None:
        return np.log(x)
    return EXACT[int(base)](x) if base in EXACT else np.log(x) / np.log(base)


def ifelse(test: Any, yes: Any, no: Any) -> np.ndarray:
    """`yes` if `test` is true, else `no`."""
    return np.asarray(np.where(test, yes, no).astype(float))


def ns(x: Any, df: Any = None, knots: Any = None, _state: Any = None) -> Any:
    """Natural cubic splines in R's basis; knots and boundary come from the rows that it is trained on."""
    from formulaic.materializers.types import FactorValues

    values = np.asarray(x, float)
    if "spline" not in _state:
        if df is not None and knots is not None:
            raise FormulaError("ns() takes df= or knots=, not both")
        if knots is None:
            knots = np.quantile(values, np.linspace(0, 1, (1 if df is None else df) + 1)[1:-1])
        inside = np.sort(np.ravel(knots).astype(float))
        low, high = float(np.min(values)), float(np.max(values))
        if not (np.diff([low, *inside, high]) > 0).all():
            raise FormulaError(
                f"the knots of ns() must differ and lie between the minimum {low:.4g} and the maximum {high:.4g}, not "
                f"{', '.join(f'{v:.4g}' for v in inside[:9])}: use a smaller df= or other knots="
            )
        _state["spline"] = (inside, low, high)
    basis = natural_basis(values, *_state["spline"])
    return FactorValues(basis, column_names=tuple(str(i + 1) for i in range(basis.shape[1])))


def natural_basis(x: np.ndarray, knots: np.ndarray, low: float, high: float) -> np.ndarray:
    """Cubic splines that are linear beyond the boundary knots `low` and `high`, and 0 at the first of them, at x: (n, k + 1).

    B-splines of order 4 without the first, on the subspace where the second derivative at both boundary knots is 0; the
    orthogonal complement is taken from the Householder reflections of these two conditions, as in R, because distances
    depend on the basis.

    Examples
    --------
    >>> natural_basis(np.array([0.0, 1.0, 4.0]), np.array([1.0]), 0.0, 4.0).shape
    (3, 2)
    """
    from scipy.interpolate import BSpline

    ends = np.repeat([low, high], 4)
    all_knots = np.concatenate([ends[:4], knots, ends[4:]])
    spline = BSpline(all_knots, np.eye(len(all_knots) - 4), 3)
    boundary = np.array([low, high])
    conditions = spline.derivative(2)(boundary)[:, 1:]  # (2, k + 3)
    complement = np.linalg.qr(conditions.T, mode="complete")[0][:, 2:]
    inside = np.clip(x, low, high)
    slopes = spline.derivative(1)(boundary)
    beyond = (x - inside)[:, None] * slopes[(x > high).astype(int)]
    return np.asarray((spline(inside) + beyond)[:, 1:] @ complement)


def cut(
    x: Any, breaks: Any = None, labels: Any = None, right: Any = True, include_lowest: Any = False, _state: Any = None
) -> Any:
    """Intervals as 0 and 1: a column for each.

    As R's `cut`; if `breaks` is a number, the first and the last of that many intervals of equal width are open, so that new
    rows are in an interval as well.
    """
    from formulaic.materializers.types import FactorValues

    values = np.asarray(x, float)
    if "edges" not in _state:
        _state["edges"] = _edges(values, breaks)
        _state["labels"] = _interval_names(_state["edges"], labels, right)
    edges, names = _state["edges"], _state["labels"]
    code = np.searchsorted(edges, values, side="left" if right else "right") - 1
    if include_lowest:
        code[values == (edges[0] if right else edges[-1])] = 0 if right else len(names) - 1
    outside = (code < 0) | (code >= len(names))
    if outside.any():
        raise DataError(
            f"the value {values[outside][0]:.6g} is outside the breaks of cut(), {edges[0]:.6g} to {edges[-1]:.6g}: use breaks from -Inf "
            "to Inf, or leave the row out"
        )
    return FactorValues((code[:, None] == np.arange(len(names))).astype(float), column_names=tuple(names))


def _edges(x: np.ndarray, breaks: Any) -> np.ndarray:
    if isinstance(breaks, (list, tuple)) and len(breaks) > 1:
        numeric = all(isinstance(b, (int, float)) and not isinstance(b, bool) for b in breaks)
        if numeric and len(set(breaks)) == len(breaks):
            return np.sort(np.asarray(breaks, float))
    distinct = len(np.unique(x))
    if isinstance(breaks, float) or not is_number(breaks, 2, integral=True, high=distinct):
        raise FormulaError(
            f"breaks of cut() must be a number of intervals from 2 to {distinct}, or different breaks, such as c(0, 10, 20), not "
            f"{brief(breaks)}"
        )
    inside = np.linspace(x.min(), x.max(), breaks + 1)[1:-1]
    return np.concatenate([[-np.inf], inside, [np.inf]])


def _interval_names(edges: np.ndarray, labels: Any, right: Any) -> list[str]:
    count = len(edges) - 1
    if labels is not None:
        fits = isinstance(labels, (list, tuple)) and len(labels) == count and all(isinstance(n, str) for n in labels)
        if not fits or len(set(labels)) < count:
            raise FormulaError(f"labels of cut() must be {count} different texts, one for each interval, not {brief(labels)}")
        return list(labels)
    digits = next(digits for digits in range(3, 18) if len({f"{edge:.{digits}g}" for edge in edges}) == len(edges))
    shown = [f"{edge:.{digits}g}" for edge in edges]
    return [f"({a},{b}]" if right else f"[{a},{b})" for a, b in pairwise(shown)]


def _bounded(name: str) -> Callable[..., Any]:
    """The transform of that name; while it learns, it refuses to make more columns than there are distinct values."""
    from formulaic.transforms import TRANSFORMS
    from formulaic.utils.stateful_transforms import stateful_transform

    transform = stateful_transform(ns) if name == "ns" else TRANSFORMS[name]
    positions = tuple(signature(ns if name == "ns" else transform).parameters)

    def bounded(data: Any, *args: Any, _state: Any = None, **options: Any) -> Any:
        if not _state:
            given = dict(zip(positions[1:], args, strict=False)) | options
            _check(name, given, len(np.unique(np.asarray(data, float))))
            _state["checked"] = True  # new data may have fewer distinct values
        return transform(data, *args, _state=_state, **options)

    return stateful_transform(bounded)  # type: ignore[no-any-return]


def _check(name: str, given: Mapping[str, Any], distinct: int) -> None:
    """Raise for a degree, degrees of freedom or knots out of all proportion to the values."""
    most = distinct - 1 if name in ("poly", "ns") else distinct  # these have a constant besides
    for option in ("degree", "df"):
        value, least = given.get(option), int(name != "bs" or option == "df")
        if value is not None and (isinstance(value, float) or not is_number(value, least, integral=True, high=most)):
            raise FormulaError(
                f"{option} of {name}() must be a whole number from {least} to {most} (limited by the {distinct} distinct values), not "
                f"{brief(value)}"
            )
    knots = given.get("knots")
    if isinstance(knots, (list, tuple)) and len(knots) > most:
        raise FormulaError(f"{name}() allows at most {most} knots for {distinct} distinct values, not {len(knots)}: use fewer")
