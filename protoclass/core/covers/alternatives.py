"""Every good cover: what each prototype is worth to the integer program, and which candidates can take its place.

An optimum is seldom alone. A solution is called near here if its objective is at most `within` of the optimum above the
optimum, over all classes together; classes are independent, so that only the class in question changes. Three questions are
asked of the program, each by forbidding candidates or forcing them in (see `restricted`):

* What does it cost to leave a prototype out? The optimum without it, minus the optimum.
* What does it cost to have a candidate? The optimum with it, minus the optimum.
* What does it cost to put a candidate in the place of a prototype? The place is the rows of the class that the prototype holds
  and no other prototype does. The prototype is out, the candidate is in, and of all candidates it alone may hold rows of the
  place: each of these rows that it does not hold is left uncovered and paid for. Everything else is chosen anew. Without the
  last condition a candidate would pass for a substitute that stands idle beside the true one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each
from ..task import Task
from ..units import in_units
from .balls import CHUNK
from .problems import LISTED, CoverProblems, covers
from .program import Program, Stop, step_of
from .restricted import Case, ClassCover, Range, meet, solve_class

Array = NDArray[Any]
MANY = 2**62  # entries: such work always uses threads


@dataclass(frozen=True)
class Cost:
    """What a restriction costs: at least `least` and at most `most` more than the optimum; one number if it is exact.

    Attributes
    ----------
    least, most : float
        In weight of rows.
    proof : str
        Where `least` comes from.
    """

    least: float
    most: float
    proof: str

    @property
    def exact(self) -> bool:
        return self.least == self.most


@dataclass(frozen=True)
class NearSolutions:
    """What there is beside the prototypes of a cover.

    Attributes
    ----------
    optimum : Cost
        The optimum itself, or its bounds.
    allowance : float
        A solution is near if it costs at most this more than the optimum.
    without, having : tuple of Cost
        Of each prototype: to leave it out, and to have it.
    substitutes : tuple of tuples of (candidate, Cost)
        Of each prototype: the candidates that take its place in a near solution, as columns of D, the cheapest first.
    unsettled : int array (q,)
        Candidates of which it was not settled whether they can take the place of each prototype.
    forced : tuple of (class, Cost)
        Of each candidate of interest.
    """

    optimum: Cost
    allowance: float
    without: tuple[Cost, ...]
    having: tuple[Cost, ...]
    substitutes: tuple[tuple[tuple[int, Cost], ...], ...]
    unsettled: Array
    forced: tuple[tuple[int, Cost], ...]


def find_alternatives(
    task: Task,
    radius: float,
    lambda_: float,
    chosen: tuple[Array, Array],
    reached: float,
    within: float,
    seconds: float,
    interest: Array,
) -> NearSolutions:
    """The alternatives to a cover.

    Parameters
    ----------
    task : Task
    radius : float
        A ball holds the rows with d < radius.
    lambda_ : float
        Cost of a prototype.
    chosen : int arrays (q,), (q,)
        The prototypes, as columns of D, and the classes that they represent.
    reached : float
        Their objective.
    within : float
    seconds : float
        Time limit of all work together. What is not settled by then keeps its bounds.
    interest : int array
        Candidates, as columns of D, of which it is asked what it costs to have them, in the class that has most weight in their
        balls.
    """
    begin, stop = time.monotonic(), Stop()
    end = begin + seconds
    problems = covers(task, np.full(len(task.y), -1), 1, np.array([radius]), lambda_)
    cost = in_units(lambda_, problems.unit)
    held = weigh_balls(problems)
    stands_for = held[interest].argmax(axis=1)
    if task.allowed_class is not None:
        stands_for = np.where(task.allowed_class[interest] < 0, stands_for, task.allowed_class[interest])
    allowance = within * in_units(reached, problems.unit)
    programs = class_programs(problems, held, cost, allowance, chosen, (interest, stands_for))

    def solve(c: int) -> ClassCover:
        program, candidates = programs[c]
        start = np.isin(candidates, chosen[0][chosen[1] == c])
        return solve_class(program, candidates, start, max(0.0, end - time.monotonic()), stop)

    largest_first = np.argsort([-program.covers.nnz for program, _ in programs], kind="stable").tolist()
    solved = dict(zip(largest_first, each(solve, largest_first, MANY, stop), strict=True))
    search = _Search(problems.unit, [solved[c] for c in range(task.classes)], within, (begin + end) / 2, end, stop)
    return search.answers(chosen, (interest, stands_for))


def weigh_balls(problems: CoverProblems) -> Array:
    """Weight of each class in the ball of each candidate, (m, classes), in units."""
    m, classes = len(problems.task.candidate_row), problems.task.classes
    out = np.empty((m, classes))
    for first in range(0, m, CHUNK):
        part = slice(first, first + CHUNK)
        out[part] = problems.balls.weights(part).reshape(-1, 2, classes, 2)[:, 1, :, 0]
    return out


def class_programs(
    problems: CoverProblems, held: Array, cost: float, allowance: float, *asked: tuple[Array, Array]
) -> list[tuple[Program, Array]]:
    """Each class's program with all candidates that can be in a near solution or are asked about, and these candidates.

    A candidate that costs more than it holds raises the objective at least by the difference, which is too much above
    `allowance`.
    """
    task, balls = problems.task, problems.balls
    wrong = held.sum(axis=1, keepdims=True) - held
    pays = (held > 0) & (wrong + cost - held <= allowance)
    if task.allowed_class is not None:
        only = task.allowed_class >= 0
        pays[only] &= task.allowed_class[only, None] == np.arange(task.classes)
    for at, classes in asked:
        pays[at, classes] = True
    from scipy.sparse import csr_array  # fits do without

    sets = balls.sets(pays.T)
    lists = balls.lists(sets, LISTED)
    if lists is None:
        _ = problems.lists  # raises, with the cure
        raise AssertionError("more pairs than the program of the fit has")
    out = []
    for c, (one, (start, upto, places)) in enumerate(zip(sets, lists, strict=True)):
        indptr = np.concatenate([start, upto[-1:, 0]]) if len(start) else np.zeros(1, np.int64)
        ball = csr_array((np.ones(len(places)), places, indptr), shape=(len(start), len(one.rows)))
        ball.sort_indices()
        program = Program(wrong[one.candidates, c] + cost, problems.w[one.rows], ball, step_of(cost))
        out.append((program, one.candidates))
    return out


@dataclass(frozen=True)
class _Search:
    """The work on all questions: what prices settle first, then the solver until time is over, half of it for prototypes."""

    unit: float
    classes: list[ClassCover]
    within: float
    half: float
    end: float
    stop: Stop

    def answers(self, chosen: tuple[Array, Array], interest: tuple[Array, Array]) -> NearSolutions:
        at, of_class = chosen
        place = [int(np.searchsorted(self.classes[c].candidates, j)) for j, c in zip(at, of_class, strict=True)]
        alone = [self._rows_alone(p, place, of_class) for p in range(len(at))]
        lone = [(int(c), self.classes[c].forbid(j)) for c, j in zip(of_class, place, strict=True)]
        own = [(int(c), self.classes[c].force(j)) for c, j in zip(of_class, place, strict=True)]
        named = [
            (int(c), self.classes[c].force(int(np.searchsorted(self.classes[c].candidates, j))))
            for j, c in zip(*interest, strict=True)
        ]
        exactly = self._settle([*lone, *own, *named], self._is_wide, self.half)
        swaps = [(p, int(j)) for p in range(len(at)) for j in self._in_question(int(of_class[p]), place[p], alone[p])]
        cases = [(int(of_class[p]), self.classes[of_class[p]].put_in_place(alone[p], j)) for p, j in swaps]
        near = self._settle(cases, self._is_open, self.end)
        near = self._settle(cases, lambda c, found: self._may_be_near(c, found) and self._is_wide(c, found), self.end, near)
        substitutes: list[list[tuple[int, Cost]]] = [[] for _ in at]
        unsettled = np.zeros(len(at), np.int64)
        for (p, j), found in zip(swaps, near, strict=True):
            c = int(of_class[p])
            if self._is_open(c, found):
                unsettled[p] += 1
            elif self._may_be_near(c, found):
                substitutes[p].append((int(self.classes[c].candidates[j]), self._cost(c, found)))
        costs = [self._cost(c, found) for (c, _), found in zip([*lone, *own, *named], exactly, strict=True)]
        q = len(at)
        return NearSolutions(
            Cost(self._low * self.unit, self._high * self.unit, _joined(one.optimum.proof for one in self.classes)),
            self.within * self._high * self.unit, tuple(costs[:q]), tuple(costs[q : 2 * q]),
            tuple(tuple(sorted(some, key=lambda s: (s[1].most, s[0]))) for some in substitutes), unsettled,
            tuple(zip(interest[1].tolist(), costs[2 * q :], strict=True)),
        )  # fmt: skip

    @property
    def _low(self) -> float:
        return sum(one.optimum.low for one in self.classes)

    @property
    def _high(self) -> float:
        return sum(one.optimum.high for one in self.classes)

    def _cost(self, c: int, found: Range) -> Cost:
        optimum = self.classes[c].optimum
        least, most = max(0.0, found.low - optimum.high), max(0.0, found.high - optimum.low)
        if most - least <= 1e-9 * max(1.0, found.high):
            least = most
        if most <= 1e-9 * max(1.0, found.high):
            least = most = 0.0
        return Cost(_plain(least * self.unit), _plain(most * self.unit), found.proof)

    def _may_be_near(self, c: int, found: Range) -> bool:
        """Whether a solution at the lower end would be near."""
        return found.low - self.classes[c].optimum.high <= self.within * self._high + 1e-9 * max(1.0, found.high)

    def _is_open(self, c: int, found: Range) -> bool:
        """Whether it is not settled if a near solution is there."""
        far = found.high - self.classes[c].optimum.low > self.within * self._low + 1e-9 * max(1.0, found.high)
        return far and self._may_be_near(c, found)

    def _is_wide(self, c: int, found: Range) -> bool:
        """Whether the ends differ by what a reader would see."""
        return found.high - found.low > self.classes[c].close

    def _rows_alone(self, p: int, place: list[int], of_class: Array) -> Array:
        """The place of a prototype: rows of its class that no other prototype of the class holds."""
        one, c = self.classes[of_class[p]], of_class[p]
        others = [place[s] for s in range(len(place)) if s != p and of_class[s] == c]
        held = np.zeros(len(one.candidates))
        held[others] = 1.0
        rows = one.rows_of(place[p])
        return np.asarray(rows[np.asarray(one.by_row @ held)[rows] == 0])

    def _in_question(self, c: int, own: int, rows: Array) -> Array:
        """Candidates that prices do not keep from the place of a prototype."""
        one = self.classes[c]
        near, least = one.least_in_place(rows)
        limit = one.optimum.high + self.within * self._high + 1e-9 * max(1.0, one.optimum.high)
        return np.asarray(near[(near != own) & (least <= limit)])

    def _settle(
        self,
        cases: list[tuple[int, Case]],
        ask: Callable[[int, Range], bool],
        end: float,
        known: list[Range] | None = None,
    ) -> list[Range]:
        """The optimum of each case: by prices (if not `known`), and by the solver where `ask` says so, until `end`."""

        def quick(item: tuple[int, Case]) -> Range:
            return self.classes[item[0]].quick(item[1])

        out = list(each(quick, cases, MANY, self.stop)) if known is None else list(known)

        def solve(k: int) -> Range:
            left = end - time.monotonic()
            c, case = cases[k]
            return meet(out[k], self.classes[c].solve(case, left, self.stop)) if left > 0 else out[k]

        asked = [k for k, (c, _) in enumerate(cases) if ask(c, out[k])]
        asked.sort(key=lambda k: out[k].low - out[k].high)  # the widest first
        for k, found in zip(asked, each(solve, asked, MANY, self.stop), strict=True):
            out[k] = found
        return out


def _plain(value: float) -> float:
    """A difference of sums without the last digits, which are rounding."""
    return float(f"{value:.12g}")


def _joined(proofs: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(proofs))
