"""Terms of formulas, and the functions that formulas call.

Sums of columns are parsed without formulaic, whose import takes as long as a small fit. The
functions are those of R that formulaic lacks, and natural splines in R's basis.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from inspect import signature
from itertools import pairwise
from math import prod
from operator import mul
from typing import Any

import numpy as np

from ..ground.checks import is_number
from ..ground.errors import DataError, FormulaError, brief, shown
from ..ground.savable import savable

WORD = r"(?:\.|[A-Za-z_]\w*+)"
SUM = re.compile(rf"\s*+[+-]?\s*+{WORD}\s*+(?:[+-]\s*+{WORD}\s*+)*+", re.ASCII)
PART = re.compile(rf"([+-]?)\s*+({WORD})", re.ASCII)
# interactions of one formula: as many columns of a design matrix as can be measured
MOST_TERMS = 20_000
MOST_POWER = 100


@savable
@dataclass(frozen=True)
class Factor:
    """A part of a term: a column, a call or a constant.

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

    Hashes of terms differ between processes, so the dictionary is read from beginning to end.
    """
    wanted = for_formulaic([term])[0]
    return next(place for known, place in spec.term_slices.items() if known == wanted)


def sum_of_columns(
    right: str, names: Iterable[str]
) -> tuple[tuple[Term, ...], tuple[Factor, ...]] | None:
    """Terms and factors of a sum or difference of columns; None for any other formula.

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


def expand(tree: Any, names: list[str], text: str) -> tuple[Term, ...]:
    """The terms of a formula, lower degrees first, by formulaic.

    Parameters
    ----------
    tree : formulaic's syntax tree of the right side, or None if it is empty
    names : columns that `.` means, in their order
    text : str
        The formula, for messages.

    Raises
    ------
    FormulaError
        If there are more than 400,000 products or 20,000 terms, or an operator can't be applied.
    """
    _check_size(tree, len(names), text)
    context = {"__formulaic_variables_available__": names, "__formulaic_variables_used_lhs__": []}
    products = (
        []
        if tree is None
        else tree.to_terms(context=context)
        if hasattr(tree, "operator")
        else tree.to_terms()
    )
    terms = [Term(tuple(map(_factor_of, product.factors))) for product in products]
    if len(terms) > MOST_TERMS:
        raise _too_large(text)
    _check_literals(terms, text)
    return tuple(sorted(terms, key=lambda term: term.degree))


def parser() -> Any:
    """Formulaic's parser without intercept; `b %in% (a + c)` is `b:a:c`, as in R."""
    from formulaic.parser import DefaultFormulaParser, DefaultOperatorResolver
    from formulaic.parser.types import Operator, OrderedSet

    def nest(inner: Any, outer: Any) -> Any:
        return OrderedSet(term * reduce(mul, outer) for term in inner)

    class Resolver(DefaultOperatorResolver):  # type: ignore[misc]
        @property
        def operators(self) -> list[Any]:
            others = [operator for operator in super().operators if operator.symbol != "in"]
            return [
                *others,
                Operator("in", arity=2, precedence=200, associativity="left", to_terms=nest),
            ]

    return DefaultFormulaParser(include_intercept=False, operator_resolver=Resolver())


def nodes_of(tree: Any) -> list[Any]:
    """The operators and factors of a syntax tree, each after its operator."""
    nodes = [] if tree is None else [tree]
    # grows meanwhile: without recursion, because a sum of many terms is a deep tree
    for node in nodes:
        nodes.extend(getattr(node, "args", ()))
    return nodes


def factors_of(tree: Any) -> list[Factor]:
    """All factors of a syntax tree, including subtracted ones and powers."""
    return [
        _factor_of(node.to_factor()) for node in nodes_of(tree) if not hasattr(node, "operator")
    ]


def _factor_of(factor: Any) -> Factor:
    return Factor(factor.expr, factor.eval_method.value)


def _check_size(tree: Any, columns: int, text: str) -> None:
    """Raise if a part of a syntax tree has too many terms, by bounds of their numbers."""
    bounds: dict[int, int] = {}
    for node in reversed(nodes_of(tree)):
        parts = [bounds[id(part)] for part in getattr(node, "args", ())]
        match getattr(getattr(node, "operator", None), "symbol", None):
            case None:
                bound = 1
            case ".":
                bound = columns
            case "+" | "/" | "in":
                bound = sum(parts)
            case "-":
                bound = sum(parts[:-1])
            case ":":
                bound = prod(parts)
            case "*":
                bound = prod(part + 1 for part in parts)
            case "**" | "^":
                bound = parts[0] ** _whole(node.args[1], text)
            case _:
                raise FormulaError(
                    f"{shown(text)} has several parts: use one right side, without '|' or ','"
                )
        # products of factors, some of which are the same term: formulaic makes these in 3 s
        if bound > 400_000:
            raise _too_large(text)
        bounds[id(node)] = bound


def _too_large(text: str) -> FormulaError:
    return FormulaError(
        f"{shown(text)} expands to too many interactions, more than {MOST_TERMS:,}: use the "
        "relevant ones, such as 'a:b'"
    )


def _whole(node: Any, text: str) -> int:
    written = getattr(node, "token", "")
    if not (
        isinstance(written, str)
        and written.isdecimal()
        and len(written) < 9
        and 1 <= int(written) <= MOST_POWER
    ):
        raise FormulaError(
            f"a power in {shown(text)} must be a whole number from 1 to {MOST_POWER}"
        )
    return int(written)


def _check_literals(terms: Iterable[Term], text: str) -> None:
    """Raise unless numbers only scale other terms, once each, and no term is a text."""
    seen = set()
    for term in terms:
        literal = [f.expr for f in term.factors if f.how == "literal"]
        rest = frozenset(f.expr for f in term.factors if f.how != "literal")
        scale = all(number.replace(".", "", 1).isdecimal() for number in literal)
        if literal != ["1"] and not (rest and scale):
            raise FormulaError(
                f"{shown(literal[0])} in {shown(text)} is not a column, but terms are columns: use "
                "a column"
            )
        if rest in seen:
            raise FormulaError(
                f"a term of {shown(text)} occurs with different numbers before it: leave them out"
            )
        seen.add(rest)


# in addition to those of formulaic
PLAIN = {"sqrt": np.sqrt, "abs": np.abs, "log1p": np.log1p, "expm1": np.expm1}
EXACT = {2: np.log2, 10: np.log10}  # logarithms of powers of these are whole numbers, as in R
# they have no more columns than there are distinct values
BOUNDED = ("poly", "bs", "ns", "cr", "cs", "cc")


@cache
def functions() -> Mapping[str, Callable[..., Any]]:
    """The functions by name, for formulaic's context."""
    from formulaic.utils.stateful_transforms import stateful_transform

    ours = {"log": log, "ifelse": ifelse, "cut": stateful_transform(cut)}
    return {**PLAIN, **ours, **{name: _bounded(name) for name in BOUNDED}}


def log(x: Any, base: float | None = None) -> Any:
    """The logarithm, natural or to a base."""
    if base is None:
        return np.log(x)
    if not is_number(base, 0, above=True) or base == 1:
        raise FormulaError(
            f"the base of log() must be a number > 0 other than 1, not {brief(base)}"
        )
    return EXACT[int(base)](x) if base in EXACT else np.log(x) / np.log(base)


def ifelse(test: Any, yes: Any, no: Any) -> np.ndarray:
    """`yes` if `test` is true, else `no`."""
    return np.where(test, yes, no).astype(float)


def ns(x: Any, df: Any = None, knots: Any = None, _state: Any = None) -> Any:
    """Natural cubic splines in R's basis; knots and boundary come from the training rows."""
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
    """Cubic splines at x, (n, k + 1), linear beyond the boundary knots `low` and `high`, 0 at `low`.

    B-splines of order 4 without the first, with second derivative 0 at both boundary knots. The
    basis is from Householder reflections of these conditions, as in R, because distances depend on
    it.

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
    return (spline(inside) + beyond)[:, 1:] @ complement


def cut(
    x: Any,
    breaks: Any = None,
    labels: Any = None,
    right: Any = True,
    include_lowest: Any = False,
    _state: Any = None,
) -> Any:
    """Intervals as 0 and 1: a column for each.

    As R's `cut`; but if `breaks` is a number, the first and last intervals are open for new rows.
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
            f"the value {values[outside][0]:.6g} is outside the breaks of cut(), {edges[0]:.6g} to "
            f"{edges[-1]:.6g}: use breaks from -Inf "
            "to Inf, or leave the row out"
        )
    return FactorValues(
        (code[:, None] == np.arange(len(names))).astype(float), column_names=tuple(names)
    )


def _edges(x: np.ndarray, breaks: Any) -> np.ndarray:
    if isinstance(breaks, (list, tuple)) and len(breaks) > 1:
        numeric = all(isinstance(b, (int, float)) and not isinstance(b, bool) for b in breaks)
        if numeric and len(set(breaks)) == len(breaks):
            return np.sort(np.asarray(breaks, float))
    distinct = len(np.unique(x))
    if isinstance(breaks, float) or not is_number(breaks, 2, integral=True, high=distinct):
        raise FormulaError(
            f"breaks of cut() must be a number of intervals from 2 to {distinct}, or different "
            "breaks, such as c(0, 10, 20), not "
            f"{brief(breaks)}"
        )
    inside = np.linspace(x.min(), x.max(), breaks + 1)[1:-1]
    return np.concatenate([[-np.inf], inside, [np.inf]])


def _interval_names(edges: np.ndarray, labels: Any, right: Any) -> list[str]:
    count = len(edges) - 1
    if labels is not None:
        fits = (
            isinstance(labels, (list, tuple))
            and len(labels) == count
            and all(isinstance(n, str) for n in labels)
        )
        if not fits or len(set(labels)) < count:
            raise FormulaError(
                f"labels of cut() must be {count} different texts, one for each interval, not {brief(labels)}"
            )
        return list(labels)
    digits = next(
        digits
        for digits in range(3, 18)
        if len({f"{edge:.{digits}g}" for edge in edges}) == len(edges)
    )
    shown = [f"{edge:.{digits}g}" for edge in edges]
    return [f"({a},{b}]" if right else f"[{a},{b})" for a, b in pairwise(shown)]


def _bounded(name: str) -> Callable[..., Any]:
    """The transform of that name; raises for more columns than distinct training values."""
    from formulaic.transforms import TRANSFORMS
    from formulaic.utils.stateful_transforms import stateful_transform

    transform = stateful_transform(ns) if name == "ns" else TRANSFORMS[name]
    positions = tuple(signature(transform).parameters)

    def bounded(data: Any, *args: Any, _state: Any = None, **options: Any) -> Any:
        if not _state:
            given = dict(zip(positions[1:], args, strict=False)) | options
            _check(name, given, len(np.unique(np.asarray(data, float))))
            _state["checked"] = True  # new data may have fewer distinct values
        return transform(data, *args, _state=_state, **options)

    return stateful_transform(bounded)


def _check(name: str, given: Mapping[str, Any], distinct: int) -> None:
    """Raise for a degree, degrees of freedom or knots too many for the distinct values."""
    most = distinct - 1 if name in ("poly", "ns") else distinct  # these have a constant besides
    for option in ("degree", "df"):
        value, least = given.get(option), int(name != "bs" or option == "df")
        if value is not None and (
            isinstance(value, float) or not is_number(value, least, integral=True, high=most)
        ):
            raise FormulaError(
                f"{option} of {name}() must be a whole number from {least} to {most} (limited by "
                f"the {distinct} distinct values), not "
                f"{brief(value)}"
            )
    knots = given.get("knots")
    if isinstance(knots, (list, tuple)) and len(knots) > most:
        raise FormulaError(
            f"{name}() allows at most {most} knots for {distinct} distinct values, not {len(knots)}: use fewer"
        )
