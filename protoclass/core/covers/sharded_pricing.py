"""All candidates at given prices of rows that are kept in several places; see `pricing`.

Each place is sent the prices of its rows and answers with their sums over the balls. Where these break constraints, the places
are sent by how much, and answer with the factors of the rows in such balls. So these balls are read twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each
from ..shards import Rows
from .pricing import NONE, Priced, add_prices, columns_of, least_beyond, least_share
from .problems import Columns
from .reading import Part, Reading, Sets
from .sharded_reading import Labels, Place, ShardedReading, Spec, place_of

Array = NDArray[Any]


@dataclass(frozen=True)
class Balls:
    """A question about balls of each class: around which candidates, as in `Columns`.

    Attributes
    ----------
    candidates : tuple of int arrays
    line, level : tuples of int arrays
    share : tuple of arrays
        C_j / S_j of each; empty where sums are asked for.
    """

    candidates: tuple[Array, ...]
    line: tuple[Array, ...]
    level: tuple[Array, ...]
    share: tuple[Array, ...] = ()

    def columns(self, place: Place) -> list[Columns]:
        """The balls over the rows of a place."""
        parts = zip(self.candidates, place.rows, self.line, self.level, strict=True)
        return [Columns(Sets(at, rows), line, level) for at, rows, line, level in parts]


def price_in_parts(
    read: Reading, columns: list[Columns], prices: list[Array], costs: list[Array], end: float = np.inf
) -> list[Priced] | None:
    """As `pricing.price`, of rows in several places."""
    assert isinstance(read, ShardedReading)
    at = [np.searchsorted(rows, one.read.rows) for rows, one in zip(read.of_class, columns, strict=True)]
    asked = Balls(
        tuple(one.read.candidates for one in columns),
        tuple(one.line for one in columns),
        tuple(one.level for one in columns),
    )
    sums = [np.zeros(len(cost)) for cost in costs]
    for some in read.ask(sum_prices, asked, own=_by_place(read, at, prices)):
        for c, total in enumerate(some):
            sums[c] += total
    if time.monotonic() > end:
        return None
    broken = [np.flatnonzero(total > cost) for total, cost in zip(sums, costs, strict=True)]
    factor, worst = [np.ones(len(rows)) for rows in read.of_class], [np.full(len(rows), NONE) for rows in read.of_class]
    if any(len(some) for some in broken):
        for i, answer in enumerate(read.ask(find_factors, _only(asked, broken, costs, sums))):
            for c, (places, least, which) in enumerate(answer):
                places = read.class_bounds[c][i] + places
                factor[c][places], worst[c][places] = least, broken[c][which]
    parts = zip(prices, costs, sums, factor, worst, at, strict=True)
    return [Priced(y, cost - total, f[rows], w[rows]) for y, cost, total, f, w, rows in parts]


def _by_place(read: ShardedReading, at: list[Array], prices: list[Array]) -> list[tuple[Array, ...]]:
    """The prices of the rows of each class in each place that has rows; 0 of rows that have none."""
    out: list[tuple[Array, ...]] = [() for _ in read.occupied]
    for rows, places, some, bounds in zip(read.of_class, at, prices, read.class_bounds, strict=True):
        of_class = np.zeros(len(rows))
        of_class[places] = some
        for i in range(len(out)):
            out[i] = *out[i], of_class[bounds[i] : bounds[i + 1]]
    return out


def _only(asked: Balls, broken: list[Array], costs: list[Array], sums: list[Array]) -> Balls:
    """The balls whose constraints are broken, with their shares."""
    candidates, lines = [], []
    for at, line, some in zip(asked.candidates, asked.line, broken, strict=True):
        kept, place = np.unique(line[some], return_inverse=True)
        candidates.append(at[kept])
        lines.append(place)
    levels = (level[some] for level, some in zip(asked.level, broken, strict=True))
    shares = (cost[some] / total[some] for cost, total, some in zip(costs, sums, broken, strict=True))
    return Balls(tuple(candidates), tuple(lines), tuple(levels), tuple(shares))


def sum_prices(
    rows: Rows, wanted: bool, labels: Labels | None, own: tuple[Array, ...], spec: Spec, asked: Balls
) -> tuple[Array, ...] | None:
    """For each class the prices of the rows of a place, summed over the balls."""
    place = place_of(rows, labels, spec) if wanted else None
    if place is None:
        return None
    sums = [np.zeros(len(line)) for line in asked.line]

    def of_strip(item: Strip) -> tuple[int, Array, Array]:
        c, parts, at, line, level = item
        within = np.zeros((len(parts[0].lines), int(level.max(initial=0)) + 1))
        for part in parts:
            add_prices(place.read.codes_of(columns[c].read, part), own[c][part.places], within)
        return c, at, np.cumsum(within, axis=1)[line, level]

    columns = asked.columns(place)
    for c, at, total in each(of_strip, _strips(place, columns), _entries(columns)):
        sums[c][at] = total
    return tuple(sums)


Factors = tuple[Array, Array, Array]


def find_factors(
    rows: Rows, wanted: bool, labels: Labels | None, own: None, spec: Spec, asked: Balls
) -> tuple[Factors, ...] | None:
    """For each class the rows of a place in some of the balls; the least share of these, and the first ball that has it."""
    place = place_of(rows, labels, spec) if wanted else None
    if place is None:
        return None
    factor, worst = [np.full(len(of), np.inf) for of in place.rows], [np.full(len(of), NONE) for of in place.rows]

    def of_strip(item: Strip) -> tuple[int, list[Factors]]:
        c, parts, at, line, level = item
        lines, least, which = least_beyond(line, level, asked.share[c][at], at, int(level.max(initial=0)) + 1)
        codes = (place.read.codes_of(columns[c].read, part)[lines] for part in parts)
        return c, [(part.places, *least_share(one, least, which)) for part, one in zip(parts, codes, strict=True)]

    columns = asked.columns(place)
    for c, found in each(of_strip, _strips(place, columns), _entries(columns)):
        for places, least, line in found:
            before, first = factor[c][places], worst[c][places]
            lower = (line != NONE) & ((least < before) | ((least == before) & (line < first)))
            factor[c][places[lower]], worst[c][places[lower]] = least[lower], line[lower]
    return tuple((at, f[at], w[at]) for f, w in zip(factor, worst, strict=True) for at in [np.flatnonzero(w != NONE)])


Strip = tuple[int, list[Part], Array, Array, Array]


def _strips(place: Place, columns: list[Columns]) -> Iterator[Strip]:
    """The pairs of each class as in `Reading.strips`, with the columns around these candidates, their lines and levels."""
    for c, parts in place.read.strips(tuple(one.read for one in columns)):
        at, line = columns_of(columns[c], parts[0].lines)
        yield c, parts, at, line, columns[c].level[at]


def _entries(columns: list[Columns]) -> int:
    return sum(len(one.read.candidates) * len(one.read.rows) for one in columns)
