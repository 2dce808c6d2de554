"""How the set cover problems read dissimilarities of rows that are kept in several places: every place reads its own.

What is sent are weights of rows: whole numbers of one unit, so that their sums over the places are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ..coding import Coding
from ..parallel import Once
from ..sharded import Measure, ShardedSource
from ..shards import Rows, Shards
from ..task import Task
from ..tiles import all_tiles
from .balls import Lists, Pairs, lists_of_pairs
from .bits import one_of_each
from .reading import Reading, Sets

Array = NDArray[Any]
AT_ONCE = 2**27  # bytes of weights that all places together send at a time


@dataclass(frozen=True)
class Labels:
    """What a place gets to know of its rows, once: their class codes, weights in units, and folds + 1, (r,) each."""

    y: Array
    w: Array
    fold: Array


@dataclass(frozen=True, eq=False)
class Spec:
    """What all places get to know of the problems, once.

    Attributes
    ----------
    measure : Measure
    radii : array (K,), ascending
    fine : int
        See `coding.coder`.
    classes, folds : int
    key : str
        Names it.
    """

    measure: Measure
    radii: Array
    fine: int
    classes: int
    folds: int
    key: str


@dataclass(frozen=True, eq=False)
class Place:
    """The rows of one place as the set cover problems read them.

    Attributes
    ----------
    read : Reading
        Of these rows alone.
    fold : int array (r,)
        Fold that leaves each row out, -1 for none.
    folds : int
    """

    read: Reading
    fold: Array
    folds: int

    @cached_property
    def rows(self) -> tuple[Array, ...]:
        """For each class its rows that have a weight."""
        nobody = np.zeros((self.read.task.classes, 0), bool)
        return tuple(one.rows for one in self.read.sets(nobody))

    @cached_property
    def weights(self) -> tuple[tuple[Array, float], ...]:
        """For each class the weights of these rows, and their weight if all have the same, otherwise 0."""
        found = [self.read.w[rows] for rows in self.rows]
        return tuple((w, float(w[0]) if len(w) and (w == w[0]).all() else 0.0) for w in found)

    @cached_property
    def left_out(self) -> tuple[Array, ...]:
        """For each class the bits of these rows that each fold leaves out, uint64 (folds, words)."""
        return tuple(one_of_each(self.fold[rows], self.folds) for rows in self.rows)


def place_of(rows: Rows, labels: Labels | None, spec: Spec) -> Place | None:
    """What a place keeps of the problems; None where it neither has its labels nor gets them."""
    known: Place | None = rows.kept("place", spec.key)
    if known is not None or labels is None:
        return known
    K, L = len(spec.radii), spec.classes
    y, w, fold = labels.y.astype(np.int64), labels.w.astype(float), labels.fold.astype(np.int64) - 1
    coding, source = Coding(spec.radii, spec.fine), spec.measure.source(rows)
    of_nobody = np.full(len(spec.measure.candidates[0]), -1)
    task = Task(Once(lambda: source), y, L, w, of_nobody, (0,))
    cell = (np.where(fold < 0, spec.folds, fold) * L + y) * (K + 1)
    read = Reading(task, coding, source.tiles(coding), cell, (spec.folds + 1) * L * (K + 1), w)
    return rows.keep("place", spec.key, Place(read, fold, spec.folds))


def fewest_bytes(values: Array) -> Array:
    """Whole numbers >= 0 in the smallest type that has them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


@dataclass
class Traffic:
    """What was sent.

    Attributes
    ----------
    calls : int
        Times that all places were asked.
    messages : int
        Times that one place was asked.
    sent, received : int
        Bytes of the arrays in the questions and in the answers.
    again : int
        Messages to places that had lost what they kept.
    """

    calls: int = 0
    messages: int = 0
    sent: int = 0
    received: int = 0
    again: int = 0

    def since(self, before: Traffic) -> Traffic:
        """What was sent after another count."""
        return Traffic(*(getattr(self, f.name) - getattr(before, f.name) for f in fields(self)))


def size_of(value: Any) -> int:
    """Bytes of the arrays in a message."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(size_of, value))
    return sum(size_of(getattr(value, f.name)) for f in fields(value)) if hasattr(value, "__dataclass_fields__") else 0


@dataclass(frozen=True)
class ShardedReading(Reading):
    """The dissimilarities of rows in several places; `cell` is empty, as each place has its own.

    Attributes
    ----------
    shards : Shards
    spec : Spec
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    traffic : Traffic
    """

    shards: Shards
    spec: Spec
    fold: Array
    traffic: Traffic = field(default_factory=Traffic, compare=False)

    @cached_property
    def occupied(self) -> tuple[int, ...]:
        """The places that have rows."""
        return tuple(np.flatnonzero(np.diff(self.shards.bounds)).tolist())

    def rows_of(self, s: int) -> slice:
        """The rows of a place among all."""
        return slice(int(self.shards.bounds[s]), int(self.shards.bounds[s + 1]))

    def labels(self, s: int) -> Labels:
        at = self.rows_of(s)
        return Labels(*(fewest_bytes(values[at]) for values in (self.task.y, self.w, self.fold + 1)))

    def ask(
        self,
        work: Callable[..., Any],
        message: Any,
        own: Sequence[Any] | None = None,
        history: Callable[[], Any] | None = None,
        first: bool = False,
    ) -> list[Any]:
        """The answers of the places that have rows.

        Parameters
        ----------
        work : function of a module
            `work(rows, wanted, labels, own, spec, message)`: the answer of a place, or None if it does not know what it would
            need. A place that is not `wanted` is not asked.
        message
            For all places.
        own : sequence, or None
            For each place that has rows.
        history : callable, or None
            The message for places that have lost what they kept; `message` if None.
        first : bool
            Whether places do not know their labels yet.
        """
        answers = dict.fromkeys(self.occupied)
        self.task.tick()
        self._call(work, message, own, first, answers)
        lost = [s for s, answer in answers.items() if answer is None]
        if lost:
            self.traffic.again += len(lost)
            self._call(work, message if history is None else history(), own, True, answers)
        return list(answers.values())

    def _call(
        self, work: Callable[..., Any], message: Any, own: Sequence[Any] | None, labelled: bool, answers: dict[int, Any]
    ) -> None:
        """Ask the places that have not answered yet."""
        each: list[tuple[Any, ...]] = [(False, None, None)] * (len(self.shards.bounds) - 1)
        for i, s in enumerate(self.occupied):
            if answers[s] is None:
                each[s] = True, self.labels(s) if labelled else None, None if own is None else own[i]
        found = self.shards.map(work, self.spec, message, each=each)
        asked = [s for s, (wanted, *_) in enumerate(each) if wanted]
        self.traffic.calls += 1
        self.traffic.messages += len(asked)
        for s in asked:
            answers[s] = found[s]
            self.traffic.sent += size_of(message) + size_of(each[s])
            self.traffic.received += size_of(found[s])

    @cached_property
    def _codes(self) -> Array | None:
        return None  # they are kept at the places

    @cached_property
    def _counts(self) -> Array:
        m = len(self.task.candidate_row)
        out = np.zeros((m, self.cells))
        step = max(1, AT_ONCE // (8 * self.cells * max(1, len(self.occupied))))
        for first in range(0, m, step):
            some = slice(first, first + step)
            for weights in self.ask(count, some, first=first == 0):
                out[some] += weights
        return out

    @cached_property
    def of_class(self) -> tuple[Array, ...]:
        """The rows of each class that have a weight."""
        nobody = np.zeros((self.task.classes, 0), bool)
        return tuple(one.rows for one in self.sets(nobody))

    @cached_property
    def class_bounds(self) -> tuple[Array, ...]:
        """For each class, where the rows of each place that has rows begin among those of the class, and their number."""
        at = [*(int(self.shards.bounds[s]) for s in self.occupied), len(self.task.y)]
        return tuple(np.searchsorted(rows, at) for rows in self.of_class)

    def lists(self, sets: tuple[Sets, ...], most: float) -> tuple[Lists, ...] | None:
        left = most
        found: list[list[Pairs]] = [[] for _ in sets]
        places = []  # where the rows of each class stand in its set, -1 for nowhere
        for one, rows in zip(sets, self.of_class, strict=True):
            places.append(np.full(len(rows), -1, np.int32))
            places[-1][np.searchsorted(rows, one.rows)] = np.arange(len(one.rows))
        asked = Listed(tuple(one.candidates for one in sets), most)
        for i, pairs in enumerate(self.ask(list_pairs, asked)):
            if len(pairs) < len(sets):
                return None
            for c, some in enumerate(pairs):
                place = places[c][self.class_bounds[c][i] + some.places]
                kept = place >= 0
                found[c].append(Pairs(some.lines[kept], place[kept], some.codes[kept]))
                left -= len(found[c][-1])
        if left < 0:
            return None
        K = len(self.coding.radii)
        return tuple(lists_of_pairs(of, len(one.candidates), K) for of, one in zip(found, sets, strict=True))


def sharded_reading(task: Task, coding: Coding, fold: Array, folds: int, w: Array, cells: int) -> ShardedReading:
    """The reading of a task whose source is a `ShardedSource`; arguments as those of `Reading` and `problems.covers`."""
    source = task.D
    assert isinstance(source, ShardedSource)
    spec = Spec(source.measure, coding.radii, coding.fine, task.classes, folds, uuid4().hex)
    nothing = np.empty(0, np.int64)
    return ShardedReading(task, coding, all_tiles(*task.shape), nothing, cells, w, source.parts, spec, fold)


@dataclass(frozen=True)
class Listed:
    """A question: the rows in the balls of these candidates of each class, if they are at most so many pairs."""

    candidates: tuple[Array, ...]
    most: float


def count(rows: Rows, wanted: bool, labels: Labels | None, own: None, spec: Spec, columns: slice) -> Array | None:
    """The weights of the rows of a place for some candidates; see `Reading.weights`."""
    place = place_of(rows, labels, spec) if wanted else None
    return None if place is None else fewest_bytes(place.read.weights(columns))


def list_pairs(
    rows: Rows, wanted: bool, labels: Labels | None, own: None, spec: Spec, asked: Listed
) -> tuple[Pairs, ...] | None:
    """For each class the pairs of a place, by candidate, code and row; nothing of any class if there are too many."""
    place = place_of(rows, labels, spec) if wanted else None
    if place is None:
        return None
    sets = tuple(Sets(at, own_rows) for at, own_rows in zip(asked.candidates, place.rows, strict=True))
    lists = place.read.lists(sets, asked.most)
    return () if lists is None else tuple(_pairs(*some) for some in lists)


def _pairs(start: Array, upto: Array, places: Array) -> Pairs:
    lines, radii = upto.shape
    count = np.diff(np.concatenate([start[:, None], upto], axis=1), axis=1)
    code = np.tile(np.arange(radii, dtype=np.uint8), lines)
    return Pairs(np.repeat(np.arange(lines, dtype=np.int32), count.sum(axis=1)), places, np.repeat(code, count.ravel()))
