"""Balls with radii of their own: the set cover problems of the PVM with pairs of a candidate and a radius as columns.

A column is the open ball of one of several radii around a candidate. The objective is that of the paper, column by column, and
so are its parts: a column gains in the class of its majority only, gains never increase, the problem separates by class. The
balls of a candidate are nested, hence

* a column is left out if a larger ball around its candidate costs as much, or a smaller one holds as many rows of the class: it is
  in no greedy cover, and an optimal one needs it nowhere;
* a greedy cover has at most one ball of each class around a candidate. After the ball that gained most, a larger one gains
  nothing: at that step it gained no more, so what it adds does not outweigh what it costs;
* an optimal cover needs at most one as well, as the larger of two covers what both do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ..memory import room
from ..parallel import each
from ..task import Task
from .balls import Lists
from .bits import words
from .greedy import NO_BITS, NO_LISTS, greedy_columns
from .measured import Steps
from .path import Chosen
from .problems import LISTED, Columns, CoverProblems, covers
from .reading import PER_PAIR, Sets

Array = NDArray[Any]
RADII = 24


def own_radii(eps: float) -> Array:
    """The radii that a ball may have, (24,): equal steps from eps / 24 to eps.

    They depend on nothing but eps, so that no held-out row has a say in them, and that a number from 1 to 24 tells which one
    a ball has.
    """
    return np.asarray(eps * (np.arange(1, RADII + 1) / RADII))


@dataclass(frozen=True)
class PairProblems(CoverProblems):
    """The problems whose columns are pairs; `gain`, `wrong` and `best` have one place for radii, (folds, 1, pairs).

    Pairs stand in the order of their candidates and, of one candidate, from the largest radius to the smallest.

    Attributes
    ----------
    balls : CoverProblems
        Of the candidates, at all radii.
    candidate : int array (pairs,)
        Column of D.
    level : int array (pairs,)
        The place of its radius among those of `balls`.
    """

    balls: CoverProblems
    candidate: Array
    level: Array

    @property
    def lists(self) -> tuple[Lists, ...]:
        if self.listed is None:
            raise too_many(self)
        return self.listed

    def lists_of(self, sets: tuple[Sets, ...], most: float) -> tuple[Lists, ...] | None:
        columns = [self.columns(one, 0) for one in sets]
        lists = self.read.lists(tuple(one.read for one in columns), most)
        if lists is None:
            return None
        return tuple(
            (start[one.line], upto[one.line, one.level][:, None], places)
            for one, (start, upto, places) in zip(columns, lists, strict=True)
        )

    def columns(self, sets: Sets, k: int) -> Columns:
        candidates, line = np.unique(self.candidate[sets.candidates], return_inverse=True)
        return Columns(Sets(candidates, sets.rows), line, self.level[sets.candidates])

    @property
    def entries(self) -> float:
        held = (self.gain + self.wrong)[:, 0].max(axis=0)
        return float(sum(held[one.candidates].sum() / self.w[one.rows].mean() for one in self.classes if len(one.candidates)))

    def of_task(self, task: Task, fold: Array, k: int, lambda_: float) -> PairProblems:
        return pair_problems(task, fold, 1, self.read.coding.radii, lambda_)

    def balls_of(self, at: Array) -> tuple[Array, Array]:
        return self.candidate[at], self.level[at]

    def find(self, columns: Array, levels: Array) -> Array:
        place = {ball: pair for pair, ball in enumerate(zip(self.candidate.tolist(), self.level.tolist(), strict=True))}
        wanted = zip(columns.tolist(), levels.tolist(), strict=True)
        return np.array([place[ball] for ball in wanted if ball in place], np.int64)

    def lines(self, c: int) -> tuple[Array, Array]:
        """Where the pairs of a class stand among its candidates, and their levels."""
        pairs = self.classes[c].candidates
        return np.searchsorted(self.balls.classes[c].candidates, self.candidate[pairs]), self.level[pairs]

    def bits(self, c: int) -> Array:
        """The balls of the pairs of a class, uint64 (pairs of the class, words)."""
        line, level = self.lines(c)
        return np.asarray(self.read.bits(self.balls.classes[c], range(self.balls.gain.shape[1]))[level, line])

    def named(self, run: Chosen, radii: Array) -> Chosen:
        """A cover by pairs, as candidates with radii."""
        return replace(run, at=self.candidate[run.at], radii=radii[self.level[run.at]])


def too_many(problems: PairProblems) -> TooLarge:
    n, m = problems.task.shape
    return TooLarge(
        f"the balls of up to {RADII} radii around {m} candidates, with {n} rows, are too many for the memory that is left: use "
        "radii='one', candidates=500 (a random subset of the rows as centres), a smaller eps, or fewer rows (data.sample(...))"
    )


def pair_problems(task: Task, fold: Array, folds: int, radii: Array, least: float) -> PairProblems:
    """Read the dissimilarities once and build the problems; as `problems.covers`, where radii are those of one ball each."""
    balls = covers(task, fold, folds, radii, least)
    useful = useful_pairs(balls.gain, balls.wrong, balls.best)
    level, candidate = np.nonzero(useful.any(axis=0))
    order = np.lexsort((-level, candidate))
    level, candidate = level[order], candidate[order]
    gain = np.where(useful, balls.gain, -np.inf)[:, level, candidate]
    wrong, best = balls.wrong[:, level, candidate], balls.best[:, level, candidate]
    classes = []
    for c, one in enumerate(balls.classes):
        pays = ((best == c) & (gain > -np.inf)).any(axis=0) & np.isin(candidate, one.candidates)
        classes.append(Sets(np.flatnonzero(pays), one.rows))
    return PairProblems(
        task, balls.w, balls.unit, balls.fold, gain[:, None], wrong[:, None], best[:, None], tuple(classes), balls.read, balls,
        candidate, level, most=min(LISTED, room() / PER_PAIR),
    )  # fmt: skip


def useful_pairs(gain: Array, wrong: Array, best: Array) -> Array:
    """The columns that a cover may need, bool (folds, K, m), see above; arguments as in `balls.find_gains`."""
    own = gain + wrong
    useful = gain > 0
    same = best[:, 1:] == best[:, :-1]
    useful[:, :-1] &= ~(same & (wrong[:, 1:] == wrong[:, :-1]))
    useful[:, 1:] &= ~(same & (own[:, 1:] == own[:, :-1]) & (wrong[:, 1:] > wrong[:, :-1]))
    return np.asarray(useful)


def own_steps(problems: PairProblems, cost: float) -> list[Steps]:
    """The greedy algorithm on each class, for all folds, where a prototype costs `cost` units.

    Of equal gains the first candidate is taken, at its largest radius. Balls are bits where memory takes those of a class at all
    radii and lists would not be smaller, otherwise lists.
    """
    by_bits = _bits_pay(problems)

    def run(c: int) -> Steps:
        if by_bits:
            return greedy_columns(problems, c, 0, cost, problems.bits(c), NO_LISTS)
        return greedy_columns(problems, c, 0, cost, NO_BITS, problems.lists[c])

    if not by_bits:
        _ = problems.lists  # before the threads below ask for them
    classes = range(len(problems.classes))
    return list(map(run, classes)) if by_bits else list(each(run, classes, len(problems.w) * len(problems.candidate)))


def _bits_pay(problems: PairProblems) -> bool:
    balls, read = problems.balls, problems.read
    sizes = [8 * balls.gain.shape[1] * words(len(one.rows)) * len(one.candidates) for one in balls.classes]
    if 2 * max(sizes) > room():  # those of the candidates, and of the pairs
        return False
    return read.tiles.complete or sum(sizes) <= PER_PAIR * read.pairs(balls.classes)
