"""Terms of formulas as values of this package, and sums of columns, which most formulas are, read without formulaic.

Importing formulaic takes as long as a fit of small data.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..declared import savable

WORD = r"(?:\.|[A-Za-z_]\w*+)"
SUM = re.compile(rf"\s*+[+-]?\s*+{WORD}\s*+(?:[+-]\s*+{WORD}\s*+)*+", re.ASCII)
PART = re.compile(rf"([+-]?)\s*+({WORD})", re.ASCII)


@savable
@dataclass(frozen=True)
class Factor:
    """What terms are products of.

    Attributes
    ----------
    expr : str
        The text by which formulaic knows it.
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
    """Where the columns of a term stand in the design matrix of formulaic's specification.

    formulaic keeps the hash of a term, which is another one in each process, so that a dictionary of a specification that was sent
    to another process is only read from beginning to end.
    """
    wanted = for_formulaic([term])[0]
    return next(place for known, place in spec.term_slices.items() if known == wanted)


def sum_of_columns(right: str, names: Iterable[str]) -> tuple[tuple[Term, ...], tuple[Factor, ...]] | None:
    """The terms of columns that are added and left out, and all factors that occur; None for any other formula.

    Parameters
    ----------
    right : str
        The right side of a formula.
    names : columns that `.` stands for, in their order

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
