"""What a place answers in a round of the greedy algorithm over rows in several places; see `rounds`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory import room
from ..parallel import kernel
from ..shards import Rows
from .balls_kept import Balls
from .bits import count_new, one_of_each, popcount, weigh_new
from .sharded_reading import Labels, Place, Spec, fewest_bytes, place_of

Array = NDArray[Any]
TABLE = 8  # candidates up to which the weights of all patterns are added up; beyond, each row has an entry


@dataclass(frozen=True)
class Round:
    """A question to all places. A run is a class without a fold at a radius: (fold * K + k) * L + class.

    Attributes
    ----------
    radii : (int, int)
        The first of the radii that are worked on together, and the one after the last.
    known : int
        The rounds of these radii whose prototypes a place must know.
    number : int
        The rounds whose prototypes it knows then.
    taken, by : int arrays
        Candidates that were taken since, and their runs, ascending.
    runs : int array (R,)
        Which go on.
    window : int array
        Candidates of each run that are looked at, run after run.
    counts : int array (R,)
        The number of those of each run.
    few : uint8 array (R,)
        The number of the first of them whose patterns are to be answered.
    """

    radii: tuple[int, int]
    known: int
    number: int
    taken: Array
    by: Array
    runs: Array
    window: Array
    counts: Array
    few: Array


@dataclass(frozen=True)
class Answer:
    """What a place has of the rows of each run that are not yet covered.

    Attributes
    ----------
    count : int array (R,)
        The number of entries of each run.
    patterns : int array
        Bit t says whether the ball of candidate t of the window holds the rows of an entry; they are in one of these balls.
    weights : int array
        Weight of the rows of each entry.
    inside : int array
        Weight in the ball of each other candidate of the window.
    """

    count: Array
    patterns: Array
    weights: Array
    inside: Array


@dataclass(frozen=True)
class Covered:
    """What a place knows of the runs: words of bits (b,) of the rows that are covered or left out, after some rounds."""

    rounds: int
    rows: dict[int, Array]


def answer_round(rows: Rows, wanted: bool, labels: Labels | None, own: None, spec: Spec, asked: Round) -> Answer | None:
    """The answer of a place, which keeps the rows that are covered; None if it does not know them."""
    place = place_of(rows, labels, spec) if wanted else None
    key = spec.key, asked.radii
    state: Covered | None = Covered(0, {}) if asked.known == 0 else rows.kept("covered", key)
    if place is None or state is None or state.rounds < asked.known:
        return None
    balls: Balls = rows.kept("balls", key) or rows.keep("balls", key, Balls(place, range(*asked.radii), room()))
    shape = spec.folds, len(spec.radii), spec.classes
    balls.prepare(*_wanted(asked, shape))
    covered = dict(state.rows)  # what is kept is never written to: a place may be asked again while it answers
    for run in np.unique(asked.by).tolist():
        f, k, c = (int(at) for at in np.unravel_index(run, shape))
        held = balls.of(c, k, asked.taken[asked.by == run])
        covered[run] = np.bitwise_or.reduce(held, axis=0) | (covered[run] if run in covered else _left_out(place, f, c))
    rows.keep("covered", key, Covered(asked.number, covered))
    windows = np.split(asked.window, np.cumsum(asked.counts)[:-1])
    runs = zip(asked.runs.tolist(), windows, asked.few.tolist(), strict=True)
    return _answer([_weigh(place, balls, covered, shape, *one) for one in runs])


def _wanted(asked: Round, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The classes and candidates whose balls a round reads, in pairs."""
    runs = np.concatenate([asked.by, np.repeat(asked.runs, asked.counts)])
    return runs % shape[-1], np.concatenate([asked.taken, asked.window])


def _left_out(place: Place, f: int, c: int) -> Array:
    return np.asarray(one_of_each(np.where(place.fold[place.rows[c]] == f, 0, -1), 1)[0])


def _weigh(
    place: Place, balls: Balls, covered: dict[int, Array], shape: tuple[int, ...], run: int, window: Array, few: int
) -> tuple[Array, Array, Array]:
    """The entries of one run: patterns and weights; and the weights in the other balls."""
    f, k, c = (int(at) for at in np.unravel_index(run, shape))
    held = balls.of(c, k, window)
    known = covered[run] if run in covered else _left_out(place, f, c)
    w = place.read.w[place.rows[c]]
    even = float(w[0]) if len(w) and (w == w[0]).all() else 0.0
    inside = np.zeros(len(held) - few)
    _look(held[few:], known, w, even, inside)
    if few <= TABLE:
        table = np.zeros(2**few)
        _tabulate(held[:few], known, w, table)
        patterns = np.flatnonzero(table).astype(np.uint64)
        return patterns, table[patterns], inside
    some = np.bitwise_or.reduce(held[:few], axis=0) & ~known
    patterns, weights = np.empty(_ones(some), np.uint64), np.empty(_ones(some))
    _enter(held[:few], some, w, patterns, weights)
    return patterns, weights, inside


def _answer(found: list[tuple[Array, Array, Array]]) -> Answer:
    patterns, weights, inside = (np.concatenate(some) for some in zip(*found, strict=True))
    count = np.array([len(some) for some, _, _ in found])
    return Answer(*map(fewest_bytes, (count, patterns, weights, inside)))


@kernel
def _tabulate(held, covered, w, table):  # type: ignore[no-untyped-def]
    for s in range(len(covered)):
        left = np.uint64(0)
        for t in range(len(held)):
            left |= held[t, s]
        left &= ~covered[s]
        while left:
            rest = left & (left - np.uint64(1))
            bit = popcount((left ^ rest) - np.uint64(1))
            table[_pattern(held, s, bit)] += w[64 * s + np.int64(bit)]
            left = rest


@kernel
def _pattern(held, s, bit):  # type: ignore[no-untyped-def]
    pattern = np.uint64(0)
    for t in range(len(held)):
        pattern |= ((held[t, s] >> bit) & np.uint64(1)) << np.uint64(t)
    return pattern


@kernel
def _ones(some):  # type: ignore[no-untyped-def]
    n = np.uint64(0)
    for s in range(len(some)):
        n += popcount(some[s])
    return np.int64(n)


@kernel
def _enter(held, some, w, patterns, weights):  # type: ignore[no-untyped-def]
    n = 0
    for s in range(len(some)):
        left = some[s]
        while left:
            rest = left & (left - np.uint64(1))
            bit = popcount((left ^ rest) - np.uint64(1))
            patterns[n], weights[n] = _pattern(held, s, bit), w[64 * s + np.int64(bit)]
            n += 1
            left = rest


@kernel
def _look(held, covered, w, even, inside):  # type: ignore[no-untyped-def]
    for a in range(len(inside)):
        if even > 0:
            inside[a] = even * count_new(held, a, covered)
        else:
            inside[a] = weigh_new(held, a, covered, w)


def tell_room(rows: Rows, wanted: bool, labels: Labels | None, own: None, spec: Spec, asked: None) -> int | None:
    """The bytes of balls that a place can keep."""
    return room() if wanted else None
