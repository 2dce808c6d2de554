"""The greedy algorithm of the PVM over rows that are kept in several places, in rounds.

In each round every place is sent, for each fold, radius and class that still goes on, the prototypes taken since the last
round and a window of the candidates with the largest known gains. For the first few of the window it answers with the weight of
its rows not yet covered by the pattern of which of their balls hold them; for the others with the weight of such rows in each ball.
The sums over the places are all that a choice among the first few needs, prototype after prototype. A prototype is
taken while its gain is above what every other candidate was last known to gain, which bounds the gain now because gains never
rise; of equal ones the first candidate is. So the steps are those of `greedy`, and the last round knows more than the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel
from .answering import Answer, Round, answer_round, tell_room
from .bits import words
from .measured import Steps
from .problems import CoverProblems
from .sharded_reading import ShardedReading, Traffic, fewest_bytes

Array = NDArray[Any]
FEWEST = 8  # candidates of a run whose patterns are answered
MOST = 64  # of balls that hold few rows, at most: an answer has a bit for each
ENTRIES = 2**FEWEST  # rows, about, that the balls of more candidates may hold: as many as the fewest have patterns,
IN_ALL = 2**16  # or an equal share of so many where few runs go on
OTHERS = 56  # further candidates that are looked at in a round
NEVER = -(2**62)


@dataclass(frozen=True)
class InRounds:
    """The steps of the greedy algorithm, and what they took.

    Attributes
    ----------
    steps : lists by class and radius, see `greedy.greedy_steps`
    rounds : int
    traffic : Traffic
        Of the rounds alone.
    """

    steps: list[list[Steps]]
    rounds: int
    traffic: Traffic


class Runs:
    """What is known of the runs of some radii: kept where the choices are made.

    Parameters
    ----------
    problems : CoverProblems
    radii : range
    cost : float
        Of a prototype, in units.
    """

    def __init__(self, problems: CoverProblems, radii: range, cost: float) -> None:
        self.problems, self.radii, self.cost = problems, radii, cost
        F, K, _ = problems.gain.shape
        self.shape = F, K, len(problems.classes)
        # the gain of each candidate when it was last looked at, NEVER where it is of no use
        self.keys: dict[int, Array] = {}
        self.wrong: dict[int, Array] = {}
        self.order: dict[int, list[int]] = {}
        self.gains: dict[int, list[float]] = {}
        for c, one in enumerate(problems.classes):
            for f in range(F):
                for k in radii:
                    gain = problems.gain[f, k, one.candidates]
                    pays = (problems.best[f, k, one.candidates] == c) & (gain > cost)
                    run = int(np.ravel_multi_index((f, k, c), self.shape))
                    self.keys[run] = np.where(pays, gain, NEVER).astype(np.int64)
                    self.wrong[run] = problems.wrong[f, k, one.candidates]
                    self.order[run], self.gains[run] = [], []
        self.mean = [float(problems.w[one.rows].mean()) if len(one.rows) else 1.0 for one in problems.classes]
        self.windows: dict[int, Array] = {}
        self.few: dict[int, int] = {}
        self._look_next()

    def _look_next(self) -> None:
        """Choose the candidates that are looked at next in each run, and of how many patterns are asked for."""
        self.active = [run for run, key in self.keys.items() if (key > NEVER).any()]
        entries = max(ENTRIES, IN_ALL // max(1, len(self.active)))
        for run in self.active:
            key = self.keys[run]
            some = _largest(key, MOST + OTHERS)
            rows = np.cumsum(key[some] + self.wrong[run][some]) / self.mean[run % self.shape[-1]]
            few = int(np.clip(np.searchsorted(rows, entries, side="right"), FEWEST, MOST))
            self.windows[run], self.few[run] = some[: few + OTHERS], min(few, len(some))

    def candidates(self, run: int) -> Array:
        return self.problems.classes[run % self.shape[-1]].candidates

    def question(self, known: int, number: int, taken: dict[int, list[int]]) -> Round:
        """The question of a round, of which places must know some rounds; `taken` are the prototypes since these."""
        some, active = [run for run in sorted(taken) if taken[run]], self.active
        new = [self.candidates(run)[taken[run]] for run in some]
        windows = [self.candidates(run)[self.windows[run]] for run in active]
        return Round(
            (self.radii.start, self.radii.stop), known, number, _joined(new),
            fewest_bytes(np.repeat(np.array(some, np.int64), [len(at) for at in new])), fewest_bytes(np.array(active)),
            _joined(windows), fewest_bytes(np.array([len(at) for at in windows])),
            np.array([self.few[run] for run in active], np.uint8),
            () if known else tuple(fewest_bytes(one.candidates) for one in self.problems.classes),
        )  # fmt: skip

    def hear(self, answers: list[Answer]) -> dict[int, list[int]]:
        """Take the prototypes that are proved by the answers; returns those of each run."""
        active = self.active
        count = np.stack([answer.count for answer in answers]).sum(axis=0, dtype=np.int64)
        of_run = np.concatenate([np.repeat(np.arange(len(active)), answer.count) for answer in answers])
        at = np.argsort(of_run, kind="stable")
        patterns = np.concatenate([answer.patterns for answer in answers]).astype(np.uint64)[at]
        weights = np.concatenate([answer.weights for answer in answers]).astype(float)[at]
        inside = np.stack([answer.inside for answer in answers]).sum(axis=0, dtype=float)
        taken, entry, first = {}, 0, 0
        for r, run in enumerate(active):
            window, few, last = self.windows[run], self.few[run], entry + count[r]
            others = slice(first, first + len(window) - few)
            order, gains = np.empty(few, np.int64), np.empty(few)
            steps = _advance(
                self.keys[run], self.wrong[run], window, patterns[entry:last], weights[entry:last], inside[others],
                self.cost, order, gains,
            )  # fmt: skip
            entry, first = last, others.stop
            taken[run] = order[:steps].tolist()
            self.order[run] += taken[run]
            self.gains[run] += gains[:steps].tolist()
        self._look_next()
        return taken

    def steps(self, c: int, k: int) -> Steps:
        runs = [int(np.ravel_multi_index((f, k, c), self.shape)) for f in range(self.shape[0])]
        order = np.concatenate([self.candidates(run)[self.order[run]] for run in runs]).astype(np.int64)
        gains = np.array([gain for run in runs for gain in self.gains[run]])
        return Steps(order, gains, np.cumsum([0, *(len(self.order[run]) for run in runs)]))


def _joined(parts: list[Array]) -> Array:
    return fewest_bytes(np.concatenate([np.empty(0, np.int64), *parts]))


def _largest(key: Array, most: int) -> Array:
    """The candidates with the largest known gains, of equal ones the first, from the largest on."""
    alive = np.flatnonzero(key > NEVER)
    if len(alive) > most:
        least = np.partition(key[alive], -most)[-most]
        alive = alive[key[alive] >= least]
    return alive[np.argsort(-key[alive], kind="stable")][:most]


@kernel
def _advance(key, wrong, window, patterns, weights, inside, cost, order, got):  # type: ignore[no-untyped-def]
    # entries: weights of rows not yet covered with the pattern of which of the first few of the window hold them; `inside` is
    # the weight of such rows in the balls of the others
    few = len(order)
    for a in range(few, len(window)):
        gain = inside[a - few] - wrong[window[a]]
        key[window[a]] = np.int64(gain) if gain > cost else NEVER
    for t in range(few):
        key[window[t]] = NEVER
    level, line = np.int64(NEVER), len(key)  # the first of the others with the largest key
    for a in range(len(key)):
        if key[a] > level:
            level, line = key[a], a
    chosen, gain, steps = np.zeros(few, np.bool_), np.zeros(few), 0
    for e in range(len(patterns)):
        for t in range(few):
            if (patterns[e] >> np.uint64(t)) & np.uint64(1):
                gain[t] += weights[e]
    while True:
        best, most = -1, np.int64(NEVER)
        for t in range(few):
            now = gain[t] - wrong[window[t]]
            if chosen[t] or not now > cost:
                key[window[t]] = NEVER
                continue
            key[window[t]] = np.int64(now)
            if best < 0 or key[window[t]] > most or (key[window[t]] == most and window[t] < window[best]):
                best, most = t, key[window[t]]
        if best < 0 or most < level or (most == level and line < window[best]):
            return steps
        order[steps], got[steps] = window[best], most
        steps += 1
        chosen[best] = True
        key[window[best]] = NEVER
        for e in range(len(patterns)):
            if weights[e] > 0 and (patterns[e] >> np.uint64(best)) & np.uint64(1):
                for t in range(few):
                    if (patterns[e] >> np.uint64(t)) & np.uint64(1):
                        gain[t] -= weights[e]
                weights[e] = 0.0


def steps_in_rounds(problems: CoverProblems, cost: float) -> InRounds:
    """The greedy algorithm on each class and radius, for all folds, where a prototype costs `cost` units."""
    read = problems.read
    assert isinstance(read, ShardedReading)
    L, rounds, before = len(problems.classes), 0, replace(read.traffic)
    steps: list[list[Steps]] = [[] for _ in range(L)]
    for radii in _groups(problems, read):
        runs = Runs(problems, radii, cost)
        rounds += _run(read, runs)
        for c in range(L):
            steps[c] += [runs.steps(c, k) for k in radii]
    return InRounds(steps, rounds, read.traffic.since(before))


def _run(read: ShardedReading, runs: Runs) -> int:
    """All rounds of some radii; returns their number."""
    number, taken = 0, dict[int, list[int]]()
    while runs.active:
        number += 1
        question = runs.question(number - 1, number, taken)
        history = partial(runs.question, 0, number, runs.order)
        taken = runs.hear(read.ask(answer_round, question, history=history))
    return number


def _groups(problems: CoverProblems, read: ShardedReading) -> Iterator[range]:
    """The radii in groups whose balls all places can keep."""
    F, K, _ = problems.gain.shape
    counts = [np.diff(at) for at in read.class_bounds]
    most = K
    for i, left in enumerate(read.ask(tell_room, None)):
        each = [(F + len(one.candidates)) * words(int(n[i])) for n, one in zip(counts, problems.classes, strict=True)]
        most = min(most, int(left // max(1, 8 * sum(each))))
    step = max(1, most)
    for first in range(0, K, step):
        yield range(first, min(first + step, K))
