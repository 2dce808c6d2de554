"""The rows that a rule is asked about: what it reads of them is measured when it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .task import Path, Points, Rule, Stepwise

Array = NDArray[Any]
BLOCK = 2**24  # dissimilarities of a query that are measured at a time


@dataclass(frozen=True)
class Query:
    """Rows to be classified.

    A rule or path pulls what it reads: dissimilarities to its prototypes, coordinates, or columns. What it does not read is
    never computed, and what a problem does not have raises where it is read.

    Attributes
    ----------
    rows : int array (r,)
        Positions of the rows, as the functions below count them.
    measure : callable
        `measure(rows, prototypes)`: dissimilarities (r, q), NaN where one is missing.
    vectors : callable
        `vectors(rows)`: coordinates (r, p) in the space of the metric, or it raises `NoVectors`.
    design : callable
        `design(rows)`: columns (r, p) of the design matrix, or it raises.
    """

    rows: Array
    measure: Callable[[Array, Points], Array]
    vectors: Callable[[Array], Array]
    design: Callable[[Array], Array]
    _missing: list[Array] = field(default_factory=list, repr=False, compare=False)
    _last: list[tuple[Points, Array]] = field(default_factory=list, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def missing(self) -> Array:
        """Rows of which a dissimilarity that was read is missing, bool (r,): nothing can be said of them."""
        return np.logical_or.reduce(self._missing) if self._missing else np.zeros(len(self), bool)

    def dissimilarities(self, prototypes: Points) -> Array:
        """Dissimilarities (r, q) to the prototypes of a rule, in their order.

        A row with a missing one is noted in `missing` and has 0 throughout, so that no rule meets NaN. The last
        answer is kept: a rule that is asked for several kinds measures once.
        """
        if self._last and self._last[0][0] is prototypes:
            return self._last[0][1]
        D = np.asarray(self.measure(self.rows, prototypes))
        lost = np.isnan(D).any(axis=1)
        if lost.any():
            self._missing.append(lost)
            D = np.where(lost[:, None], 0.0, D)
        self._last[:] = [(prototypes, D)]
        return D

    def coordinates(self) -> Array:
        """Coordinates (r, p) in the space of the metric."""
        return self.vectors(self.rows)

    def columns(self) -> Array:
        """Columns (r, p) of the design matrix."""
        return self.design(self.rows)

    def take(self, at: Array | slice) -> Query:
        """Some of the rows."""
        return Query(self.rows[at], self.measure, self.vectors, self.design)

    def blocks(self, prototypes: int) -> Iterator[Query]:
        """The rows in blocks, each of about 2^24 dissimilarities to so many prototypes; one empty block of no rows."""
        step = max(1, BLOCK // max(1, prototypes))
        for first in range(0, max(1, len(self)), step):
            yield self.take(slice(first, first + step))


def answer(rule: Rule | Path, kind: str, query: Query) -> Array:
    """What a rule or path says of rows, block by block; -1 or NaN for rows with a missing dissimilarity."""
    return np.concatenate([answer_block(rule, kind, block) for block in query.blocks(len(rule.prototypes))])


def answer_block(rule: Rule | Path, kind: str, block: Query) -> Array:
    """What a rule or path says of the rows of one block.

    Where a dissimilarity turns out to be missing, the rule is asked again about the other rows alone, so that what it says of
    these does not depend on it.
    """
    predicted = np.asarray(rule.predict(kind, block))
    lost = block.missing
    if not lost.any():
        return predicted
    out = np.full_like(predicted, -1 if np.issubdtype(predicted.dtype, np.integer) else np.nan)
    if not lost.all():
        out[~lost] = rule.predict(kind, block.take(~lost))
    return out


def lost_by_steps(rule: Stepwise, query: Query, y: Array, w: Array) -> tuple[Array, float]:
    """Weight of the rows that the first 0, 1, 2, ... steps of a rule misclassify, and of all rows.

    Rows with a missing dissimilarity count in neither.
    """
    wrong: Any = 0.0
    total, first = 0.0, 0
    for block in query.blocks(len(rule.prototypes)):
        here = slice(first, first + len(block))
        first += len(block)
        predicted = list(rule.walk(block))
        known = ~block.missing
        truth, weight = y[here][known], w[here][known]
        wrong = wrong + np.array([weight @ (codes[known] != truth) for codes in predicted])
        total += float(weight.sum())
    return np.asarray(wrong), total
