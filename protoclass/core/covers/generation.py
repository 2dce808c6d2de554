"""The relaxation over all candidates from linear programs of a few of them: column generation.

Start from a cover and a sample of the candidates, solve the relaxation of these, price all candidates in one pass (see `pricing`),
add those whose constraints the prices break, and repeat. When none is broken (by more than 1e-6 of its cost), the relaxation is
optimal over all candidates, and until then every pass gives a lower bound that holds for all of them.

For the integer program, let the best cover known cost `value`. A cover that has candidate j costs at least base + r_j (see
`Priced.base`), r_j its reduced cost, or 0 if that is negative. So no candidate with r_j > value - base is in a better cover. The
others are added, and the integer program of the candidates that are then there is solved as if there were no more: any cover costs
at least its bound, or base + the least r_j of the candidates that are not there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory import room
from ..parallel import each
from .exact import Solved
from .master import Master, master_of
from .pricing import price
from .problems import LISTED, CoverProblems
from .program import Stop
from .reading import PER_PAIR, Sets
from .sharded_pricing import price_in_parts

Array = NDArray[Any]
SAMPLE = 300  # candidates of a class that are drawn for its first program
AFFORDABLE = 20_000_000  # pairs in a linear program that is solved at once
PER_ENTRY = 400  # bytes that a pair takes in a linear program while it is solved
MANY = 2**62  # entries: such work always uses threads


@dataclass(frozen=True)
class Generated:
    """A few candidates of each class, and what is proved of all others; in units.

    Attributes
    ----------
    problems : CoverProblems
        With the few candidates only.
    bounds : array (passes, classes)
        After each pass over the pairs of a row and a candidate of its class, the best lower bound so far on any cover by any of
        the candidates.
    apart : array (classes,)
        Lower bound on any cover with a candidate that is not one of the few; infinite if all are.
    optimal : bool array (classes,)
        Whether the bound meets a cover or, to 1e-6 of it, the relaxation over all candidates.
    prices : tuple of arrays, one for each class
        Prices of its rows that prove the best of its `bounds`.
    """

    problems: CoverProblems
    bounds: Array
    apart: Array
    optimal: Array
    prices: tuple[Array, ...]

    @property
    def bound(self) -> Array:
        """Lower bound on any cover by any of the candidates, (classes,)."""
        return np.asarray(self.bounds.max(axis=0, initial=0.0))

    def over_all(self, c: int, solved: Solved) -> Solved:
        """A class's cover with a bound over all candidates, from one with a bound over the few."""
        bound, proof = float(self.bound[c]), "LP"
        other = min(solved.bound, float(self.apart[c]))
        if solved.proof != "none" and other > bound:
            bound, proof = other, solved.proof
        return replace(solved, bound=min(solved.objective, bound), proof=proof, prices=self.prices[c])


def fits(problems: CoverProblems) -> bool:
    """Whether the balls of all candidates are listed, because memory takes them and a solver can take them at once."""
    pairs, most = sum(len(one.candidates) * len(one.rows) for one in problems.classes), most_pairs()
    return (pairs <= most or problems.entries <= most) and problems.listed is not None


def most_pairs() -> float:
    """How many pairs of a row and a candidate of its class whose ball holds it are listed to be solved at once."""
    return min(LISTED, AFFORDABLE, room() / PER_PAIR)


def most_entries() -> float:
    """How many such pairs the linear programs of all classes may have."""
    return room() / PER_ENTRY


def generate(
    problems: CoverProblems,
    f: int,
    k: int,
    cost: float,
    chosen: Sequence[Array],
    seconds: float,
    stop: Stop,
    integer: bool = False,
) -> Generated:
    """Generate candidates for all classes without fold `f`, at radius `k` and a cost of a prototype in units.

    Parameters
    ----------
    problems : CoverProblems
    f, k : int
    cost : float
    chosen : sequence of int arrays, one for each class
        The candidates of a cover, such as the greedy one.
    seconds : float
        After which no other program is solved; the first pass is always completed.
    stop : Stop
    integer : bool
        Whether all candidates are added that a better cover than the best one known may have.
    """
    end, most = time.monotonic() + seconds, most_entries()
    look = price if problems.task.D.parts is None else price_in_parts
    masters = [master_of(problems, f, k, c, cost, at) for c, at in enumerate(chosen)]
    masters = _add(problems, k, masters, [np.flatnonzero(one.chosen) for one in masters], np.inf)
    drawn = [_draw(one, SAMPLE, (*problems.task.seed, f, k, c)) for c, one in enumerate(masters)]
    masters, bounds = _add(problems, k, masters, drawn, most / 4), list[Array]()
    columns = [problems.columns(one.sets, k) for one in masters]

    def relaxed(c: int) -> tuple[Array, float]:
        return masters[c].relaxed(integer, end - time.monotonic(), stop)

    while not bounds or time.monotonic() < end:
        at = [c for c, one in enumerate(masters) if not one.optimal]
        answers = dict(zip(at, each(relaxed, at, MANY, stop), strict=True))
        read = [columns[c] if c in answers else problems.columns(_nothing(one.sets), k) for c, one in enumerate(masters)]
        prices = [answers[c][0] if c in answers else np.zeros(len(one.prize)) for c, one in enumerate(masters)]
        costs = [one.cost if c in answers else one.cost[:0] for c, one in enumerate(masters)]
        found = look(problems.read, read, prices, costs, end if bounds else np.inf)
        if found is None:
            break
        masters = [one.after(found[c], answers[c][1]) if c in answers else one for c, one in enumerate(masters)]
        bounds.append(np.array([one.bound for one in masters]))
        new = [one.broken(found[c]) if not one.optimal else one.lines[:0] for c, one in enumerate(masters)]
        if not any(len(some) for some in new):
            break
        if _pairs(masters, new) > most:
            masters = [one.lean(found[c]) if len(new[c]) else one for c, one in enumerate(masters)]
        size = sum(len(one.lines) for one in masters)
        masters = _add(problems, k, masters, new, most)
        if size == sum(len(one.lines) for one in masters):  # memory takes no more
            break
    if integer:
        masters = _add(problems, k, masters, [one.possible() for one in masters], most)
    few = tuple(Sets(np.sort(one.sets.candidates[one.lines]), one.sets.rows) for one in masters)
    return Generated(
        replace(problems, classes=few, most=np.inf),
        np.array(bounds).reshape(-1, len(masters)),
        np.array([one.apart for one in masters]),
        np.array([one.optimal for one in masters]),
        tuple(one.proof for one in masters),
    )


def _nothing(sets: Sets) -> Sets:
    return replace(sets, candidates=sets.candidates[:0])


def _draw(one: Master, sample: int, seed: tuple[int, ...]) -> Array:
    """Some candidates at random, without those of the cover."""
    drawn = np.random.default_rng(seed).permutation(len(one.cost))[:sample]
    return drawn[~one.chosen[drawn]]


def _pairs(masters: list[Master], lines: list[Array]) -> float:
    """About how many pairs the programs would have with further candidates."""
    return float(sum(one.balls.nnz + one.size(some).sum() for one, some in zip(masters, lines, strict=True)))


def _add(problems: CoverProblems, k: int, masters: list[Master], lines: list[Array], most: float) -> list[Master]:
    """The programs with further candidates, the first ones of each class where memory does not take all."""
    left = max(0.0, most - sum(one.balls.nnz for one in masters)) / max(1, sum(len(some) > 0 for some in lines))
    new = [
        some[: int(np.searchsorted(np.cumsum(one.size(some)), left, side="right"))]
        for one, some in zip(masters, lines, strict=True)
    ]
    sets = tuple(Sets(one.sets.candidates[some], one.sets.rows) for one, some in zip(masters, new, strict=True))
    lists = problems.lists_of(sets, np.inf)
    assert lists is not None
    return [one.added(some, of_class, k) for one, some, of_class in zip(masters, new, lists, strict=True)]
