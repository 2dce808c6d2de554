"""Column generation: a master program of few columns, and prices that find the columns it lacks.

Start from a cover and a sample of the candidates, solve the relaxation of these, price all candidates in one pass (see `pricing`),
add those with violated constraints, and repeat. When none is violated (by more than 1e-6 of its cost), the relaxation is
optimal over all candidates; until then every pass gives a lower bound that is valid for all of them.

For the integer program, let `value` be the cost of the best known cover. A cover that has candidate j costs at least base + r_j (see
`Priced.base`), with r_j its reduced cost, or 0 if that is negative. So no candidate with r_j > value - base is in a better cover. The
others are added, and the integer program of the candidates in the master program is solved as if there were no more: any cover costs
at least its bound, or base + the lowest r_j of the candidates that are not in the master program.

The relaxation of one class (see `program`) has the dual

    maximise  sum_i y_i    subject to  S_j = sum of y_i over the rows of the class in ball j <= C_j,    0 <= y_i <= prize_i

with one price y_i for each row and one constraint for each candidate. The prices of a program with some of the candidates
may violate the constraints of the missing ones. If none is violated, its optimum is the optimum of the program with all
candidates.

**Bounds.** Any prices with 0 <= y_i <= prize_i bound every cover by any of the candidates from below, in two ways:

* by sum_i y_i + sum_j min(0, C_j - S_j), as in `Program.bound`. So a cover that has candidate j is at least that plus
  max(0, C_j - S_j);
* by sum_i f_i y_i, where f_i is the minimum of 1 and C_j / S_j over the balls j that contain row i. Proof: in a ball with S_j > C_j
  no f_i exceeds C_j / S_j, so the sum of its f_i y_i is at most (C_j / S_j) S_j = C_j; in one with S_j <= C_j it is at most
  S_j. The prices f_i y_i therefore meet all constraints, and sum_i f_i y_i <= sum_j C_j x_j + sum_i prize_i xi_i for
  every solution of the relaxation.

**One pass.** All pairs of the rows of the class and some candidates are computed together. So S_j is complete when the rows in
ball j get their factors, and no pair is computed twice or stored. Parts with rows are used twice: for the sums S_j over their rows,
and if these violate constraints, for the factors of the rows in such balls.

**Pairs that are computed.** S_j is at most the weight of the class in ball j. A candidate whose ball has no more weight of the class
than it costs (its gain is at most lambda) therefore violates no constraint at any prices, and is not computed. Nor are rows of
other classes, whose weight C_j includes from the first count. With L classes of one size a pass computes one pair in L.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Array
from ..memory import room
from ..parallel import MANY, each, kernel
from .balls import PER_PAIR, Balls, PartedBalls, Patch, Sets
from .coded_balls import Lists
from .problems import LISTED, Columns, CoverProblems
from .program import (
    AFFORDABLE,
    Program,
    Solved,
    Stop,
    ascent,
    ball_matrix,
    highs,
    improve_cover,
    round_thresholds,
    round_up,
    step_of,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array


SAMPLE = 300  # candidates of a class that are drawn for its first program
TOLERANCE = 1e-6  # relative difference of the relaxation's optimum from the bound, and of prices from a cost, at the end
PER_ENTRY = 400  # bytes that a pair takes in a linear program while it is solved


@dataclass(frozen=True)
class Master:
    """One class: its program with some of its candidates, the restricted master program of column generation; and the bounds on
    the optimum over all candidates; in units.
    """

    sets: Sets  # all candidates that pay, and the rows
    cost: Array  # of all candidates that pay (a,)
    weight: Array  # of the rows of the class in their balls (a,)
    prize: Array  # weight of each row (b,)
    chosen: Array  # the candidates of a cover to start from, bool (a,)
    step: float  # see `Program`
    lines: Array  # the candidates of the program
    balls: csr_array  # the rows in their balls, (len(lines), b) of ones
    proof: Array  # prices that prove the bound (b,)
    value: float = np.inf  # lowest known cost of a cover by these candidates
    bound: float = 0.0  # the best lower bound known on any cover by any of the candidates
    priced: Priced | None = None  # the pass with the largest base
    optimal: bool = False  # whether the bound meets a cover or, to 1e-6 of it, the relaxation over all candidates
    leaned: float = np.inf  # the optimum of the relaxation of the program when candidates were last left out

    @property
    def absent(self) -> Array:
        """The candidates that are not in the program, int array."""
        out = np.ones(len(self.cost), np.bool_)
        out[self.lines] = False
        return np.flatnonzero(out)

    def size(self, lines: Array) -> Array:
        """Estimated number of rows of the class in the balls of some candidates; exact for equal weights."""
        return np.asarray(self.weight[lines] / self.prize.mean()) if len(lines) else np.empty(0)

    def relaxed(self, integer: bool, seconds: float, stop: Stop) -> tuple[Array, float]:
        """Prices of all rows by the relaxation, and with `integer` the cost of a cover that is rounded from its solution."""
        prices = self.prize.copy()  # a row in no ball of the program costs its weight
        if not len(self.lines):
            return prices, float(prices.sum())
        program, lost = Program(self.cost[self.lines], prices, self.balls, self.step).part(slice(None), prices > 0)
        answer = highs(program, False, seconds, stop, upper=np.inf)
        y = ascent(program, 0)[1] if answer.y is None else answer.y
        prices[program.rows] = np.clip(y, 0.0, program.prize)
        if not integer:
            return prices, np.inf
        cover = improve_cover(program, self.chosen[self.lines])
        value = program.objective(cover)
        if answer.x is not None:
            value = round_thresholds(program, answer.x, cover, value)[1]
        return prices, value + lost

    def after(self, priced: Priced, value: float) -> Master:
        """What is known after a pass with the prices of the program, and a cover of this cost."""
        value, bound, proof = min(self.value, value), round_up(priced.bound, self.step), priced.proof
        if bound <= self.bound:
            bound, proof = self.bound, self.proof
        best = priced if self.priced is None or priced.base > self.priced.base else self.priced
        # the relaxation of the program is at least the relaxation with all candidates, and no bound of theirs can be above it
        reached = bound >= min(value, round_up(float(priced.prices.sum()) * (1 - TOLERANCE), self.step))
        known = replace(self, value=value, bound=bound, proof=proof, priced=best)
        return replace(known, optimal=reached or not len(known.broken(priced)))

    def broken(self, priced: Priced) -> Array:
        """For each row the candidate whose constraint the prices break most, if the row is in one; the most broken first."""
        worst = np.unique(priced.worst[(priced.worst != NONE) & (priced.prices > 0)])
        worst = np.intersect1d(worst, self.absent)
        worst = worst[priced.reduced[worst] < -TOLERANCE * self.cost[worst]]
        return np.asarray(worst[np.argsort(priced.reduced[worst], kind="stable")])

    def possible(self) -> Array:
        """The candidates, not in the program, that a cover which costs less than `value` may have; the likeliest first."""
        if self.priced is None:
            return np.empty(0, np.int64)
        absent, reduced = self.absent, self.priced.reduced
        at_least = round_up(self.priced.base + np.maximum(reduced[absent], 0.0), self.step)
        places = absent[at_least < self.value]
        return np.asarray(places[np.argsort(reduced[places], kind="stable")])

    @property
    def apart(self) -> float:
        """Lower bound on any cover with a candidate that is not in the program; infinite if all are."""
        absent = self.absent
        if not len(absent):
            return np.inf
        if self.priced is None:
            return 0.0
        return float(round_up(self.priced.base + max(0.0, self.priced.reduced[absent].min()), self.step))

    def lean(self, priced: Priced) -> Master:
        """Without the candidates that have no part in the relaxation's solution, as their reduced costs show, unless the relaxation has
        not moved since the last removal: programs would then cycle."""
        value = float(priced.prices.sum())
        if not value < self.leaned * (1 - TOLERANCE):
            return self
        keep = self.chosen[self.lines] | (priced.reduced[self.lines] <= TOLERANCE * self.cost[self.lines])
        return replace(self, lines=self.lines[keep], balls=self.balls[np.flatnonzero(keep)], leaned=value)

    def added(self, lines: Array, columns: Columns, lists: Lists) -> Master:
        """With more columns, whose candidates have these lists."""
        from scipy.sparse import vstack  # most fits do without

        balls = ball_matrix(lists, columns.line, columns.level, len(self.prize))
        return replace(self, lines=np.concatenate([self.lines, lines]), balls=vstack([self.balls, balls], format="csr"))


def master_of(problems: CoverProblems, f: int, k: int, c: int, cost: float, chosen: Array) -> Master:
    """The program of one class without fold `f`, at radius `k` and a cost of a prototype in units, without candidates yet.

    Parameters
    ----------
    chosen : int array
        The candidates of a cover to start from, as columns of D.
    """
    candidate_sets = problems.classes[c]
    gain, wrong, best = (values[f, k, candidate_sets.candidates] for values in (problems.gain, problems.wrong, problems.best))
    pays = (best == c) & (gain > cost)
    sets = Sets(candidate_sets.candidates[pays], candidate_sets.rows[problems.fold[candidate_sets.rows] != f])
    none = np.empty(0, np.int64)
    balls = ball_matrix((none, np.empty((0, 1), np.int64), none), none, none, len(sets.rows))
    return Master(
        sets, wrong[pays] + cost, gain[pays] + wrong[pays], problems.w[sets.rows], np.isin(sets.candidates, chosen), step_of(cost),
        none, balls, np.zeros(len(sets.rows)),
    )  # fmt: skip


@dataclass(frozen=True)
class Generated:
    """A few candidates of each class, and the bounds for all others; in units."""

    problems: CoverProblems  # with the few candidates only
    bounds: Array  # after each pass over the pairs of a row and a candidate of its class, the best so far (passes, classes)
    apart: Array  # lower bound on any cover with a candidate that is not one of the few; infinite if all are (classes,)
    optimal: Array  # whether the bound meets a cover or, to 1e-6 of it, the relaxation over all candidates, bool (classes,)
    prices: tuple[Array, ...]  # for each class, prices of its rows that prove the best of its bounds

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
    """Whether the balls of all candidates are listed, because they fit into memory and a solver can use them at once."""
    pairs, most = sum(len(sets.candidates) * len(sets.rows) for sets in problems.classes), most_pairs()
    return (pairs <= most or problems.entries <= most) and problems.listed is not None


def most_pairs() -> float:
    """Number of listed pairs of a row and a candidate of its class whose ball contains it, for one solution at once."""
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
    masters = [master_of(problems, f, k, c, cost, at) for c, at in enumerate(chosen)]
    masters = _add(problems, k, masters, [np.flatnonzero(master.chosen) for master in masters], np.inf)
    drawn = [_draw(master, SAMPLE, (*problems.task.seed, f, k, c)) for c, master in enumerate(masters)]
    masters, bounds = _add(problems, k, masters, drawn, most / 4), list[Array]()
    columns = [problems.columns(master.sets, k) for master in masters]

    def relaxed(c: int) -> tuple[Array, float]:
        return masters[c].relaxed(integer, end - time.monotonic(), stop)

    while not bounds or time.monotonic() < end:
        at = [c for c, master in enumerate(masters) if not master.optimal]
        answers = dict(zip(at, each(relaxed, at, MANY, stop), strict=True))
        read = [columns[c] if c in answers else problems.columns(_nothing(master.sets), k) for c, master in enumerate(masters)]
        prices = [answers[c][0] if c in answers else np.zeros(len(master.prize)) for c, master in enumerate(masters)]
        costs = [master.cost if c in answers else master.cost[:0] for c, master in enumerate(masters)]
        found = price(problems.balls, read, prices, costs, end if bounds else np.inf)
        if found is None:
            break
        masters = [master.after(found[c], answers[c][1]) if c in answers else master for c, master in enumerate(masters)]
        bounds.append(np.array([master.bound for master in masters]))
        new = [master.broken(found[c]) if not master.optimal else master.lines[:0] for c, master in enumerate(masters)]
        if not any(len(added) for added in new):
            break
        if _pairs(masters, new) > most:
            masters = [master.lean(found[c]) if len(new[c]) else master for c, master in enumerate(masters)]
        size = sum(len(master.lines) for master in masters)
        masters = _add(problems, k, masters, new, most)
        if size == sum(len(master.lines) for master in masters):  # memory takes no more
            break
    if integer:
        masters = _add(problems, k, masters, [master.possible() for master in masters], most)
    few = tuple(Sets(np.sort(master.sets.candidates[master.lines]), master.sets.rows) for master in masters)
    return Generated(
        replace(problems, classes=few, most=np.inf),
        np.array(bounds).reshape(-1, len(masters)),
        np.array([master.apart for master in masters]),
        np.array([master.optimal for master in masters]),
        tuple(master.proof for master in masters),
    )


def _nothing(sets: Sets) -> Sets:
    return replace(sets, candidates=sets.candidates[:0])


def _draw(master: Master, sample: int, seed: tuple[int, ...]) -> Array:
    """Some candidates at random, without those of the cover."""
    drawn = np.random.default_rng(seed).permutation(len(master.cost))[:sample]
    return drawn[~master.chosen[drawn]]


def _pairs(masters: list[Master], lines: list[Array]) -> float:
    """About how many pairs the programs would have with further candidates."""
    return float(sum(master.balls.nnz + master.size(added).sum() for master, added in zip(masters, lines, strict=True)))


def _add(problems: CoverProblems, k: int, masters: list[Master], lines: list[Array], most: float) -> list[Master]:
    """The programs with further candidates, the first ones of each class if not all fit into memory."""
    left = max(0.0, most - sum(master.balls.nnz for master in masters)) / max(1, sum(len(added) > 0 for added in lines))
    new = [
        added[: int(np.searchsorted(np.cumsum(master.size(added)), left, side="right"))]
        for master, added in zip(masters, lines, strict=True)
    ]
    columns = [
        problems.columns(Sets(master.sets.candidates[added], master.sets.rows), k) for master, added in zip(masters, new, strict=True)
    ]
    lists = problems.balls.lists(tuple(of_class.sets for of_class in columns), np.inf)
    assert lists is not None
    return [master.added(*of_class) for master, of_class in zip(masters, zip(new, columns, lists, strict=True), strict=True)]


NONE = -1


@dataclass(frozen=True)
class Priced:
    """One class's columns at given prices of its rows."""

    prices: Array  # y (b,)
    reduced: Array  # C_j - S_j: negative if the constraint of a column is violated (a,)
    factor: Array  # the minimum of 1 and C_j / S_j over the balls that contain each row (b,)
    worst: Array  # the first column with this minimum; -1 if no violated constraint has the row, int (b,)

    @property
    def base(self) -> float:
        """A lower bound on any cover, to which the reduced cost of a candidate may be added if the cover contains it."""
        return float(self.prices.sum() + np.minimum(self.reduced, 0.0).sum())

    @property
    def bound(self) -> float:
        """The larger of the two lower bounds on any cover by any of the candidates."""
        return max(self.base, float((self.prices * self.factor).sum()))

    @property
    def proof(self) -> Array:
        """The prices, as they are or as the factors make them, whose `base` is at least `bound`."""
        return self.prices if self.base >= self.bound else np.asarray(self.prices * self.factor)


def price(
    balls: Balls, columns: list[Columns], prices: list[Array], costs: list[Array], end: float = np.inf
) -> list[Priced] | None:
    """All candidates of all classes at given prices of the rows, in one pass.

    Parameters
    ----------
    balls : Balls
    columns : list of Columns, one for each class
    prices : list of arrays (b,)
        Prices of the rows of each class.
    costs : list of arrays (q,)
        C_j of the columns of each class.
    end : float
        Time at which the pass is given up, on the clock of `time.monotonic`.

    Returns
    -------
    list of Priced, one for each class, or None if it was given up
    """
    if isinstance(balls, PartedBalls):
        return _price_parts(balls, columns, prices, costs, end)

    def share(strip: Strip, total: Array) -> Array:
        cost = costs[strip.c][strip.at]
        return np.where(total > cost, cost / np.where(total > cost, total, 1.0), 1.0)

    found = _read(balls, columns, prices, share, end)
    if found is None:
        return None
    return [Priced(y, cost - total, factors.factor, factors.worst) for y, cost, total, factors in zip(prices, costs, *found, strict=True)]


def _read(
    balls: Balls,
    columns: list[Columns],
    prices: list[Array] | None,
    share: Callable[[Strip, Array], Array] | None,
    end: float = np.inf,
) -> tuple[list[Array], list[Least]] | None:
    """All pairs, once: for each class the prices, summed over the ball of each column; and the prices of the rows in the balls of a
    strip after multiplication by the ratios of its columns (below 1 if a constraint is violated); None if the time is over."""
    sums, least = [np.zeros(len(of_class.line)) for of_class in columns], [Least(len(of_class.sets.rows)) for of_class in columns]

    def of_strip(strip: Strip) -> tuple[int, list[Factors]]:
        total, codes = sums[strip.c], [balls.codes_of(columns[strip.c].sets, patch) for patch in strip.patches]
        if prices is not None:
            total[strip.at] = strip.sums(codes, prices[strip.c])
        return strip.c, [] if share is None else strip.factors(codes, share(strip, total[strip.at]))

    for c, found in each(of_strip, strips(balls, columns), sum(len(sets.candidates) * len(sets.rows) for sets in _sets(columns))):
        for factors in found:
            least[c].lower(*factors)
        if time.monotonic() > end:
            return None
    return sums, least


def _sets(columns: list[Columns]) -> tuple[Sets, ...]:
    return tuple(of_class.sets for of_class in columns)


Factors = tuple[Array, Array, Array]  # places of rows in their class, the lowest ratio of the balls that contain each, and its column


class Least:
    """The minimum of 1 and the ratios of the violated balls that contain each row, and the first column that has it."""

    def __init__(self, rows: int) -> None:
        self.factor, self.worst = np.ones(rows), np.full(rows, NONE)

    def lower(self, places: Array, share: Array, column: Array) -> None:
        factor, worst = self.factor[places], self.worst[places]
        lower = (column != NONE) & ((share < factor) | ((share == factor) & (column < worst)))
        self.factor[places[lower]], self.worst[places[lower]] = share[lower], column[lower]


@dataclass(frozen=True)
class Strip:
    """All pairs of some candidates of a class that may be in a ball, and the columns around these candidates."""

    c: int
    patches: list[Patch]
    at: Array  # columns (q,)
    line: Array  # position of each column's candidate among the candidates of the strip (q,)
    level: Array  # the place of its radius (q,)

    def sums(self, codes: list[Array], prices: Array) -> Array:
        """The prices of the rows of the class, summed over the ball of each column (q,)."""
        within = np.zeros((len(self.patches[0].lines), int(self.level.max(initial=0)) + 1))  # price of the rows of each code
        for patch, of_patch in zip(self.patches, codes, strict=True):
            _add_prices(of_patch, prices[patch.places], within)
        return np.cumsum(within, axis=1)[self.line, self.level]

    def factors(self, codes: list[Array], share: Array) -> list[Factors]:
        """Factors of the rows of each patch from the columns by their ratios (q,), which are below 1 if a constraint is violated."""
        broken = share < 1
        lines, least, which = _least_beyond(self.line[broken], self.level[broken], share[broken], self.at[broken])
        out = []
        for patch, of_patch in zip(self.patches, codes, strict=True):
            factor, column = np.ones(len(patch.places)), np.full(len(patch.places), NONE)
            _lower(of_patch[lines], least, which, factor, column)
            out.append((patch.places, factor, column))
        return out


def strips(balls: Balls, columns: list[Columns]) -> Iterator[Strip]:
    """The pairs of each class, as in `Balls.strips`, with the columns around their candidates."""
    for c, patches in balls.strips(_sets(columns)):
        lines, line = patches[0].lines, columns[c].line
        first, last = (np.searchsorted(line, lines, side=side) for side in ("left", "right"))  # columns are ordered by candidate
        count = last - first
        place = np.repeat(np.arange(len(lines)), count)
        at = np.arange(len(place)) + np.repeat(first - np.cumsum(count) + count, count)
        yield Strip(c, patches, at, place, columns[c].level[at])


def _least_beyond(line: Array, level: Array, share: Array, column: Array) -> tuple[Array, Array, Array]:
    """The lines that have a column, and for each of them and each code the lowest ratio of the columns whose balls contain rows of
    that code, and the first such column: (lines,), (lines, levels), (lines, levels)."""
    lines, place = np.unique(line, return_inverse=True)
    levels = int(level.max(initial=0)) + 1
    least, which = np.full((len(lines), levels), np.inf), np.full((len(lines), levels), NONE)
    least[place, level], which[place, level] = share, column
    for k in range(levels - 2, -1, -1):  # a ball contains the rows of all smaller codes
        beyond = (least[:, k + 1] < least[:, k]) | ((least[:, k + 1] == least[:, k]) & (which[:, k + 1] < which[:, k]))
        least[beyond, k], which[beyond, k] = least[beyond, k + 1], which[beyond, k + 1]
    return lines, least, which


@kernel
def _add_prices(codes, prices, within):  # type: ignore[no-untyped-def]
    levels = within.shape[1]
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[a, i] < levels:
                within[a, codes[a, i]] += prices[i]


@kernel
def _lower(codes, least, which, out, column):  # type: ignore[no-untyped-def]
    levels = least.shape[1]
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            k = codes[a, i]
            if k < levels and (
                least[a, k] < out[i] or (least[a, k] == out[i] and which[a, k] < column[i])
            ):
                out[i], column[i] = least[a, k], which[a, k]


def _price_parts(
    balls: PartedBalls, columns: list[Columns], prices: list[Array], costs: list[Array], end: float
) -> list[Priced] | None:
    at = [np.searchsorted(rows, of_class.sets.rows) for rows, of_class in zip(balls.rows, columns, strict=True)]
    whole = [np.zeros(len(rows)) for rows in balls.rows]  # rows that have no price cost nothing
    for of_class, places, y in zip(whole, at, prices, strict=True):
        of_class[places] = y
    own = [
        [of_class[bounds[i] : bounds[i + 1]] for of_class, bounds in zip(whole, balls.bounds, strict=True)]
        for i in range(len(balls.occupied))
    ]
    sums = [sum(parts) for parts in zip(*balls.ask(_sum_prices, [_asked(of_class) for of_class in columns], own=own), strict=True)]
    if time.monotonic() > end:
        return None
    broken = [np.flatnonzero(total > cost) for total, cost in zip(sums, costs, strict=True)]
    least = [Least(len(rows)) for rows in balls.rows]
    if any(map(len, broken)):
        shares = [cost[some] / total[some] for cost, total, some in zip(costs, sums, broken, strict=True)]
        asked = [_asked(of_class, some) for of_class, some in zip(columns, broken, strict=True)]
        for i, answer in enumerate(balls.ask(_find_factors, asked, shares)):
            for c, (places, share, column) in enumerate(answer):
                least[c].lower(balls.bounds[c][i] + places, share, broken[c][column])
    parts = zip(prices, costs, sums, least, at, strict=True)
    return [Priced(y, cost - total, of.factor[rows], of.worst[rows]) for y, cost, total, of, rows in parts]


def _asked(columns: Columns, some: Any = slice(None)) -> Columns:
    """Some of the columns, for parts, which have their own rows."""
    used, line = np.unique(columns.line[some], return_inverse=True)
    sets = replace(columns.sets, candidates=columns.sets.candidates[used], rows=columns.sets.rows[:0])
    return Columns(sets, line, columns.level[some])


def _with_rows(balls: Balls, asked: list[Columns]) -> list[Columns]:
    return [replace(of_class, sets=replace(of_class.sets, rows=rows)) for of_class, rows in zip(asked, balls.rows, strict=True)]


def _sum_prices(balls: Balls, prices: list[Array], asked: list[Columns]) -> list[Array]:
    """For each class the prices of the rows of a part, summed over the balls."""
    found = _read(balls, _with_rows(balls, asked), prices, None)
    assert found is not None
    return found[0]


def _find_factors(balls: Balls, asked: list[Columns], shares: list[Array]) -> list[Factors]:
    """For each class the rows of a part in some of the balls, whose ratios are given; the lowest ratio, and the first column of it."""
    found = _read(balls, _with_rows(balls, asked), None, lambda strip, _: shares[strip.c][strip.at])
    assert found is not None
    held = [np.flatnonzero(factors.worst != NONE) for factors in found[1]]
    return [(rows, factors.factor[rows], factors.worst[rows]) for rows, factors in zip(held, found[1], strict=True)]
