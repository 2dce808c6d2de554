"""What a place answers in a round of the greedy algorithm over rows in several places; see `rounds`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory import room
from ..parallel import each, kernel
from ..shards import Rows
from .balls_kept import Balls
from .bits import count_new, popcount, weigh_new
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
    candidates : tuple of int arrays
        For a place that knows no round: the candidates of each class that may be looked at in some round.
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
    candidates: tuple[Array, ...]


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
    balls: Balls | None = rows.kept("balls", key)
    if balls is None:
        if asked.known:
            return None
        balls = rows.keep("balls", key, Balls(place, range(*asked.radii), asked.candidates, room()))
    runs = np.concatenate([asked.by, np.repeat(asked.runs, asked.counts)])
    balls.prepare(runs % spec.classes, np.concatenate([asked.taken, asked.window]))
    look = Look(place, balls, (spec.folds, len(spec.radii), spec.classes), dict(state.rows))
    for run in np.unique(asked.by).tolist():
        look.cover(run, asked.taken[asked.by == run])
    rows.keep("covered", key, Covered(asked.number, look.covered))
    windows = np.split(asked.window, np.cumsum(asked.counts)[:-1])
    some = list(zip(asked.runs.tolist(), windows, asked.few.tolist(), strict=True))
    found = list(each(lambda one: look.weigh(*one), some, len(asked.window) * len(rows)))
    patterns, weights, inside = (np.concatenate(parts) for parts in zip(*found, strict=True))
    count = np.array([len(parts) for parts, _, _ in found])
    return Answer(*map(fewest_bytes, (count, patterns, weights, inside)))


@dataclass(frozen=True)
class Look:
    """A place's rows in one round.

    Attributes
    ----------
    place : Place
    balls : Balls
    shape : (folds, K, L)
    covered : dict of words of bits by run
        Rows that are covered or left out. The arrays are never written to: a place may be asked again while it answers.
    """

    place: Place
    balls: Balls
    shape: tuple[int, int, int]
    covered: dict[int, Array]

    def cover(self, run: int, taken: Array) -> None:
        _, k, c = self._of(run)
        before = self._known(run)
        self.covered[run] = before | _union(*self.balls.of(c, k, taken), before)

    def weigh(self, run: int, window: Array, few: int) -> tuple[Array, Array, Array]:
        """The entries of one run: patterns and weights; and the weights in the other balls."""
        _, k, c = self._of(run)
        known, (w, even), (bits, at) = self._known(run), self.place.weights[c], self.balls.of(c, k, window)
        inside = np.zeros(len(at) - few)
        _look(bits, at[few:], known, w, even, inside)
        some = _union(bits, at[:few], known)
        if few <= TABLE:
            table = np.zeros(2**few)
            _tabulate(bits, at[:few], some, w, table)
            patterns = np.flatnonzero(table).astype(np.uint64)
            return patterns, table[patterns], inside
        patterns, weights = np.empty(_ones(some), np.uint64), np.empty(_ones(some))
        _enter(bits, at[:few], some, w, patterns, weights)
        return patterns, weights, inside

    def _of(self, run: int) -> tuple[int, int, int]:
        f, k, c = np.unravel_index(run, self.shape)
        return int(f), int(k), int(c)

    def _known(self, run: int) -> Array:
        f, _, c = self._of(run)
        return self.covered[run] if run in self.covered else self.place.left_out[c][f]


@kernel
def _union(bits, at, covered):  # type: ignore[no-untyped-def]
    # the rows of some balls that are not covered
    some = np.zeros(len(covered), np.uint64)
    for t in range(len(at)):
        for s in range(len(covered)):
            some[s] |= bits[at[t], s]
    return some & ~covered


@kernel
def _tabulate(bits, at, some, w, table):  # type: ignore[no-untyped-def]
    word = np.empty(len(at), np.uint64)
    for s in range(len(some)):
        left = some[s]
        if left:
            for t in range(len(at)):
                word[t] = bits[at[t], s]
        while left:
            rest = left & (left - np.uint64(1))
            bit = popcount((left ^ rest) - np.uint64(1))
            table[_pattern(word, bit)] += w[64 * s + np.int64(bit)]
            left = rest


@kernel
def _pattern(word, bit):  # type: ignore[no-untyped-def]
    pattern = np.uint64(0)
    for t in range(len(word)):
        pattern |= ((word[t] >> bit) & np.uint64(1)) << np.uint64(t)
    return pattern


@kernel
def _ones(some):  # type: ignore[no-untyped-def]
    n = np.uint64(0)
    for s in range(len(some)):
        n += popcount(some[s])
    return np.int64(n)


@kernel
def _enter(bits, at, some, w, patterns, weights):  # type: ignore[no-untyped-def]
    n, word = 0, np.empty(len(at), np.uint64)
    for s in range(len(some)):
        left = some[s]
        if left:
            for t in range(len(at)):
                word[t] = bits[at[t], s]
        while left:
            rest = left & (left - np.uint64(1))
            bit = popcount((left ^ rest) - np.uint64(1))
            patterns[n], weights[n] = _pattern(word, bit), w[64 * s + np.int64(bit)]
            n += 1
            left = rest


@kernel
def _look(bits, at, covered, w, even, inside):  # type: ignore[no-untyped-def]
    for a in range(len(at)):
        if even > 0:
            inside[a] = even * count_new(bits, at[a], covered)
        else:
            inside[a] = weigh_new(bits, at[a], covered, w)


def tell_room(rows: Rows, wanted: bool, labels: Labels | None, own: None, spec: Spec, asked: None) -> int | None:
    """The bytes of balls that a place can keep."""
    return room() if wanted else None
