"""The set covering machine (Marchand and Shawe-Taylor 2001).

Every feature should be right on the examples of P (the positive ones for a conjunction, the
negative ones for a disjunction), and the features together should cover those of N. A feature fires
on the rows that it assigns to the class of N; a row gets that class if any feature fires on it.
All features are cuts of sorted lines, and fire on the rows before the cut:

    ball   d > rho    distances to a P-example, descending; rho is the distance of a P-example
    hole   d < rho    distances to an N-example, ascending; rho as for a ball, or inf
    low    x <= t     a column, ascending; t lies halfway between neighbouring values
    high   x > t      a column, descending
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..ground.errors import short
from ..ground.savable import savable
from . import Array
from .parallel import kernel, left
from .statistics.bounds import machine_bound
from .task import Points, WithPrototypes

if TYPE_CHECKING:
    from .query import Query, Statement

BALL, HOLE, LOW, HIGH = range(4)
# the state of a row: in P, in N, not in the training set, removed from P or from N by a step
IN_P, IN_N, OUT, PAST_P, PAST_N = range(5)
NO_CUT = -2  # in place of the row of a cut; -1 is the end of the line
FIRST = np.uint32(2**31)  # marks the first of equal values on a line
ROW = np.uint32(2**31 - 1)  # the bits that number the row
NEVER = 2**31  # the place of the first feature that fires on a row without any
DELTA = 0.05


@dataclass(frozen=True)
class Lines:
    """Sorted lines: one for each centre, then one for each column.

    Attributes
    ----------
    order : uint32 array (c + p, n)
        The n rows by ascending value, with `FIRST` set if a value differs from the one before.
    D : array (n, c)
        Distances to the centres.
    X : array (n, p)
    """

    order: Array
    D: Array
    X: Array


def sort_lines(D: Array, X: Array) -> Lines:
    """Sort the rows along each centre (n, c) and each column (n, p)."""
    step = max(1, 2**22 // max(1, len(D)))
    parts = [*(_sorted(D[:, k : k + step]) for k in range(0, D.shape[1], step)), _sorted(X)]
    return Lines(np.concatenate(parts), D, X)


def _sorted(values: Array) -> Array:
    along = np.ascontiguousarray(values.T)
    order = np.argsort(along, axis=1)
    along = np.take_along_axis(along, order, axis=1)
    first = np.ones(order.shape, np.uint32)
    first[:, 1:] = along[:, 1:] > along[:, :-1]
    return order.astype(np.uint32) | (first << np.uint32(31))


@dataclass(frozen=True)
class Family:
    """The lines of a machine in the order that breaks ties.

    Attributes
    ----------
    line : int array (f,)
        Numbers of the sorted lines; centres first, then columns.
    kind : int8 array (f,)
    """

    line: Array
    kind: Array


def make_family(
    centres: Array, columns: int, conjunction: bool, stumps: Array, negate: bool
) -> Family:
    """All lines of a machine: balls and holes by centre, then two or one for each column.

    Parameters
    ----------
    centres : int8 array (c,)
        IN_P, IN_N or OUT.
    columns : int
    conjunction : bool
    stumps : bool array (columns,)
        Whether a column is cut in both directions. Otherwise it is a Boolean attribute: it fires at
        0 in a conjunction and at 1 in a disjunction.
    negate : bool
        Whether Boolean attributes come with their negations.
    """
    used = np.flatnonzero(centres != OUT)
    line, kind = [used], [np.where(centres[used] == IN_P, BALL, HOLE)]
    for a in range(columns):
        both = (LOW, HIGH) if conjunction or stumps[a] else (HIGH, LOW)
        kinds = both if stumps[a] or negate else both[:1]
        line.append(np.full(len(kinds), len(centres) + a))
        kind.append(np.array(kinds))
    return Family(np.concatenate(line).astype(np.int64), np.concatenate(kind).astype(np.int8))


@savable(name="SCMMachine", kind="s", at="s", cut="s", q="s", r="s")
@dataclass(frozen=True)
class Machine:
    """Features in the order chosen.

    Attributes
    ----------
    kind : int8 array (s,)
        BALL, HOLE, LOW or HIGH.
    at : int array (s,)
        Centre of a ball or hole, column of a stump.
    cut : array (s,)
        Radius rho, or threshold t.
    q, r : int arrays (s,)
        |Q_h| and |R_h| when chosen.
    in_n, in_p : int
        Training rows of N and of P.
    """

    kind: Array
    at: Array
    cut: Array
    q: Array
    r: Array
    in_n: int
    in_p: int

    def __len__(self) -> int:
        return len(self.kind)

    def wrong(self) -> Array:
        """Training errors of the first 0, 1, ... features, (s + 1,)."""
        return self.in_n + np.concatenate([[0], np.cumsum(self.r - self.q)])

    def moved(self, to: Array) -> Machine:
        """The same features with centre j numbered `to[j]`."""
        at, radial = self.at.copy(), self.kind <= HOLE
        at[radial] = to[at[radial]]
        return replace(self, at=at)

    def first(self, steps: int) -> Machine:
        names = ("kind", "at", "cut", "q", "r")
        return replace(self, **{name: getattr(self, name)[:steps] for name in names})


def as_ratio(penalty: float) -> tuple[int, int]:
    """A penalty as a / b, so that values b |Q| - a |R| are whole numbers; inf is 0 / 1."""
    if penalty == inf:
        return 0, 1
    ratio = Fraction(penalty).limit_denominator(10**6)
    return ratio.numerator, ratio.denominator


def grow_each(
    sorted_lines: Lines, features: Family, side: Array, penalties: Sequence[float], most: int | None
) -> list[Machine]:
    """Run the greedy algorithm for each penalty (section 4; for inf sections 2 and 3).

    Each step adds the feature with the largest positive value |Q_h| - penalty |R_h|. Ties go to the
    smaller |R_h|, then to the first line, then to the cut that fires most widely.

    Lines that cannot win are not scanned: values fall as the penalty rises, so at the first step
    those of a smaller penalty are bounds.

    Parameters
    ----------
    sorted_lines : Lines
    features : Family
    side : int8 array (n,)
        IN_P, IN_N or OUT.
    penalties : sequence of float > 0, or inf
    most : int, or None
        Maximum number of features.
    """
    in_n, in_p = int((side == IN_N).sum()), int((side == IN_P).sum())
    most = in_n if most is None else min(in_n, most)  # each step removes at least one row from N
    f, out = len(features.line), dict[int, Machine]()
    # without lines there are no features: all centres are held out or of other classes
    most = most if f else 0
    base, lengths = np.empty((f, len(side)), np.uint32), np.empty(f, np.int64)
    _lay_out(sorted_lines.order, features.line, features.kind, side, base, lengths)
    live, bound, scale = np.empty_like(base), np.full(f, in_n), 1
    work = tuple(np.empty((7, f), np.int64))
    for g in np.argsort(penalties, kind="stable").tolist():
        a, b = as_ratio(penalties[g])
        exact = in_n * scale * b < 2**62
        bound, scale = (bound * b // scale if exact else np.full(f, in_n * b)), b
        steps, state = np.empty((4, most), np.int64), np.array(side, np.int8)
        lists = (base, lengths, features.kind, state)
        count = _grow(*lists, a, b, penalties[g] == inf, in_n, bound, live, work, steps, left())
        out[g] = _cut_machine(sorted_lines, features, steps[:, :count], side, in_n, in_p)
    return [out[g] for g in range(len(penalties))]


def _cut_machine(
    sorted_lines: Lines, features: Family, steps: Array, side: Array, in_n: int, in_p: int
) -> Machine:
    chosen, row, q, r = steps
    kind, centres = features.kind[chosen], sorted_lines.D.shape[1]
    at = np.where(kind >= LOW, features.line[chosen] - centres, features.line[chosen])
    cuts, finite = np.full(len(at), inf), (kind <= HOLE) & (row >= 0)
    cuts[finite] = sorted_lines.D[row[finite], at[finite]]
    for s in np.flatnonzero(kind > HOLE):
        cuts[s] = _threshold(sorted_lines, kind[s], at[s], row[s], side)
    return Machine(kind, at, cuts, q, r, in_n, in_p)


def _threshold(sorted_lines: Lines, kind: int, at: int, row: int, side: Array) -> float:
    """The threshold of the cut just before a row's value on the line of a column."""
    values = sorted_lines.X[side != OUT, at].astype(float)
    value = float(sorted_lines.X[row, at])
    before = values[values < value].max() if kind == LOW else values[values > value].min()
    return midpoint(min(before, value), max(before, value))


def midpoint(low: float, high: float) -> float:
    """A threshold t with low <= t < high, in the middle if rounding allows it."""
    t = float(low) / 2 + float(high) / 2
    return t if low <= t < high else float(low)


@kernel
def _lay_out(order, line, kind, state, base, lengths):
    """Write each line to `base` in the order of its scan, without rows that do not count."""
    for h in range(len(line)):
        up = kind[h] == HOLE or kind[h] == LOW
        lengths[h] = _compact(order[line[h]], order.shape[1], up, kind[h], state, base[h])


@kernel
def _grow(
    base, lengths, kind, state, a, b, strict, remaining, first_bound, live, work, steps, left
):
    """Choose features greedily; their lines, cuts, |Q| and |R| are the columns of `steps`.

    The value of a cut is b q - a r, with the rows of N and of P that remain before it. For each
    line `value`, `errors` (r) and `cut` are those of its best cut at its last scan, or a bound with
    the cut NO_CUT. `removed_then` counts the rows removed from P until this scan, and `gone_then`
    those removed from both until the line was last copied.

    Lines are scanned only if they may win, which is safe:

    1. A removed row of P raises the value of a cut by at most a, and one of N does not raise it.
    2. So value + a (removed - removed_then) is an upper bound for every cut of a line.
    3. A line whose bound is not positive, or below the best value of this step, cannot be chosen.
    4. Before its first scan a line has `first_bound`: |N| b, or its value at a smaller penalty,
       which is not smaller. A scan at the first step lowers it for the next penalty.

    A line is copied from `base` to `live` once more rows are gone than it has, without these rows.
    `leader` settles ties as `grow_each` says, so lines may be scanned in any order.
    """
    f, removed, gone, count = len(kind), 0, 0, 0
    value, errors, cut, removed_then, gone_then, length, copied = work
    value[:], length[:] = first_bound, lengths
    removed_then[:], gone_then[:], copied[:] = 0, 0, 0
    while count < steps.shape[1] and not left[0]:
        top, most = -1, np.int64(0)
        for h in range(f):
            bound = value[h] + a * (removed - removed_then[h])
            if bound > most:
                top, most = h, bound
        chosen, leader = -1, (0, 0, 0)  # the leader has the largest value > 0, then the lowest r
        # the most promising line comes first, so that fewer others are scanned
        for t in range(-1, f if top >= 0 else -1):
            h = top if t < 0 else t
            bound = value[h] + a * (removed - removed_then[h])
            if bound <= 0 or (t >= 0 and h == top) or (chosen >= 0 and bound < value[chosen]):
                continue
            row = live[h] if copied[h] else base[h]
            if gone - gone_then[h] > length[h]:
                length[h] = _compact(row, length[h], True, kind[h], state, live[h])
                gone_then[h], copied[h], row = gone, 1, live[h]
            # a scan ends if it cannot reach half of the best value so far
            floor = value[chosen] // 2 if chosen >= 0 else 0
            value[h], errors[h], cut[h] = _scan(
                row, length[h], kind[h], state, a, b, strict, remaining, floor, bound
            )
            removed_then[h] = removed
            if count == 0:
                first_bound[h] = value[h]
            rank = value[h], -errors[h], -h
            if cut[h] > NO_CUT and rank > leader:
                chosen, leader = h, rank
        if chosen < 0:
            break
        row = live[chosen] if copied[chosen] else base[chosen]
        q, r = _fire(row, length[chosen], state, cut[chosen])
        steps[0, count], steps[1, count] = chosen, cut[chosen]
        steps[2, count], steps[3, count] = q, r
        removed += r
        gone += q + r
        remaining -= q
        count += 1
    return count


@kernel
def _compact(source, n, up, kind, state, out):
    """Copy a line in the order of its scan, without the rows that do not count; return its length.

    The last P-example of a ball and the last row of a stump stay even if they are removed: the
    widest cut lies before them.
    """
    last = -1
    for k in range(n - 1 if kind != HOLE else -1, -1, -1):
        s = state[np.int64((source[k] if up else source[n - 1 - k]) & ROW)]
        if s != OUT and (kind != BALL or s in (IN_P, PAST_P)):
            last = k
            break
    m, first = 0, np.uint32(0)
    for k in range(n):
        entry = source[k] if up else source[n - 1 - k]
        # going down, a group begins after the entry that is the first of its group going up
        if (entry & FIRST) if up else (k == 0 or source[n - k] & FIRST):
            first = FIRST
        s = state[np.int64(entry & ROW)]
        if s <= IN_N or (s != OUT and k == last):
            out[m] = (entry & ROW) | first
            m += 1
            first = np.uint32(0)
    return m


@kernel
def _scan(live, n, kind, state, a, b, strict, remaining, floor, bound):
    """The value, the errors r and the row of the best cut of a line; NO_CUT as the row of no cut.

    A line is scanned from the end that fires first, and q and r count the rows of N and P before
    each cut. A cut lies just before a group of equal values: any group for a stump, one with a
    P-example (also a removed one) for a ball or hole. Of cuts with equal values and errors the last
    one is taken, which fires most widely.

    `value` begins at `floor`, and the scan ends as soon as b times all remaining rows of N,
    minus a r, cannot exceed it. So without a cut the line has none above `floor`, and the lesser of `floor`
    and `bound` is a bound for it.
    """
    radial = kind <= HOLE
    value, worst, cut = np.int64(floor), np.int64(n if floor > 0 else 0), np.int64(NO_CUT)
    q, r, q0, r0, offered = np.int64(0), np.int64(0), np.int64(0), np.int64(0), False
    for k in range(n):
        if live[k] & FIRST:
            q0, r0, offered = q, r, False
        i = np.int64(live[k] & ROW)
        s = state[i]
        if not offered and (not radial or s in (IN_P, PAST_P)):
            offered = True
            v = b * q0 - a * r0
            if (v > value or (v == value and r0 <= worst)) and not (strict and r0 > 0):
                value, worst, cut = v, r0, i
        if s == IN_N:
            q += 1
        elif s == IN_P:
            r += 1
            most = b * remaining - a * r
            if strict or most < value or (most == value and r > worst):
                break
    else:
        if kind == HOLE and not (strict and r > 0):
            v = b * q - a * r
            if v > value or (v == value and r <= worst):
                value, worst, cut = v, r, np.int64(-1)
    return min(value, bound) if cut == NO_CUT else value, worst, cut


@kernel
def _fire(live, n, state, cut):
    """Remove the rows before the group of row `cut` (all rows if it is -1); return |Q| and |R|."""
    end, start = n, 0
    for k in range(n):
        if live[k] & FIRST:
            start = k
        if np.int64(live[k] & ROW) == cut:
            end = start
            break
    q, r = 0, 0
    for k in range(end):
        i = np.int64(live[k] & ROW)
        if state[i] == IN_N:
            state[i] = PAST_N
            q += 1
        elif state[i] == IN_P:
            state[i] = PAST_P
            r += 1
    return q, r


# condition for the positive class, by whether the feature is a ball and the machine a conjunction
HOLDS = {
    (True, True): "d <= radius",
    (False, True): "d >= radius",
    (True, False): "d > radius",
    (False, False): "d < radius",
}


@savable
@dataclass(frozen=True)
class BinarySCM:
    """A machine that separates a class from another.

    Attributes
    ----------
    positive, negative : int
        Class codes.
    conjunction : bool
    machine : Machine
        `machine.at` numbers its balls and holes by their positions among the prototypes.
    """

    positive: int
    negative: int
    conjunction: bool
    machine: Machine

    __repr__ = short


def first_to_fire(machine: Machine, D: Array, X: Array) -> Array:
    """First feature that fires on each row of D (r, q) and X (r, p), int (r,); NEVER if none."""
    out = np.full(len(D), NEVER)
    for s in range(len(machine) - 1, -1, -1):
        kind, at, cut = machine.kind[s], machine.at[s], machine.cut[s]
        if kind in (BALL, HOLE):
            hit = D[:, at] > cut if kind == BALL else D[:, at] < cut
        else:
            hit = X[:, at] <= cut if kind == LOW else X[:, at] > cut
        out[hit] = s
    return out


def fires_in_sql(machine: Machine, statement: Statement) -> str:
    """Condition in SQL that any feature of a machine fires; all must be cuts of columns."""

    def condition(kind: int, at: int, cut: float) -> str:
        if np.isinf(cut):
            return "1 = 1" if (cut > 0) == (kind == LOW) else "1 = 0"
        return f"{statement.column(at)} {'<=' if kind == LOW else '>'} {statement.number(cut)}"

    cuts = zip(machine.kind.tolist(), machine.at.tolist(), machine.cut.tolist(), strict=True)
    return " OR ".join(condition(*cut) for cut in cuts) or "1 = 0"


def find_fired(machines: Iterable[Machine], prototypes: Points, query: Query) -> list[Array]:
    """`first_to_fire` of each machine for the rows of a query; only what they need is computed."""
    machines = tuple(machines)
    kinds = np.concatenate([machine.kind for machine in machines])
    no_columns = np.empty((len(query), 0))
    D = query.dissimilarities(prototypes) if (kinds <= HOLE).any() else no_columns
    X = query.columns() if (kinds >= LOW).any() else no_columns
    return [first_to_fire(machine, D, X) for machine in machines]


def count_votes(
    machines: Sequence[BinarySCM], first: list[Array], size: int, classes: int
) -> Array:
    """Votes (r, classes) of the machines' first `size` features."""
    # a row on which a machine fires has the class of N, the negative one for a conjunction
    fires = np.array(first) < size
    sides = np.array([(d.positive, d.negative, d.conjunction) for d in machines])
    positive, negative, conjunction = sides.T[:, :, None]
    voted = np.where(fires == conjunction, negative, positive)
    cells = voted + classes * np.arange(voted.shape[1])
    return np.bincount(cells.ravel(), minlength=classes * voted.shape[1]).reshape(-1, classes)


@savable
@dataclass(frozen=True)
class SCMRule(WithPrototypes):
    """Rule: machines that vote; of classes with equal votes the first in level order wins.

    Attributes
    ----------
    prototypes : Points
        The centres of the balls and holes, machine by machine, in the order chosen.
    machines : tuple of BinarySCM
    classes : int
    report : mapping of str to value
    """

    prototypes: Points
    machines: tuple[BinarySCM, ...]
    classes: int
    report: Mapping[str, Any] = field(default_factory=dict)
    kinds: ClassVar[tuple[str, ...]] = ("class", "decision")

    __repr__ = short

    @property
    def size(self) -> float:
        return float(sum(len(binary.machine) for binary in self.machines))

    def predict(self, kind: str, query: Query) -> Array:
        votes = count_votes(self.machines, self.find_fired(query), self._longest, self.classes)
        return votes.argmax(axis=1) if kind == "class" else votes.astype(float)

    @property
    def _longest(self) -> int:
        return max(len(binary.machine) for binary in self.machines)

    @property
    def steps(self) -> Mapping[str, Array]:
        lengths = np.array([len(d.machine) for d in self.machines])
        sizes = np.arange(self._longest + 1)[:, None]
        out = {"size": np.minimum(sizes, lengths).sum(axis=1).astype(float)}
        if len(self.machines) == 1:
            m = self.machines[0].machine
            out |= {name: np.append(np.nan, getattr(m, name)) for name in ("q", "r")}
        return out

    def find_fired(self, query: Query) -> list[Array]:
        """`first_to_fire` of each machine for the rows of a query."""
        return find_fired((binary.machine for binary in self.machines), self.prototypes, query)

    def walk(self, query: Query) -> Iterator[Array]:
        first = self.find_fired(query)
        for size in range(self._longest + 1):
            yield count_votes(self.machines, first, size, self.classes).argmax(axis=1)

    def first(self, size: int) -> SCMRule:
        """The first `size` features of each machine."""
        at = self.prototypes.at
        assert at is not None
        own = dict(zip(at.tolist(), self.prototypes.classes.tolist(), strict=True))
        machines = [replace(d, machine=d.machine.first(size).moved(at)) for d in self.machines]
        report = {**self.report, "features": sum(len(d.machine) for d in machines)}
        report.pop("max size", None)
        return assemble(tuple(machines), own, self.classes, report)

    @property
    def why_not_sql(self) -> str:
        radial = any((binary.machine.kind <= HOLE).any() for binary in self.machines)
        reason = (
            "it has balls or holes, and of its features thresholds of columns alone are written"
        )
        return reason if radial else ""

    def sql(self, statement: Statement) -> str:
        votes: dict[int, list[str]] = {c: [] for c in range(self.classes)}
        for binary in self.machines:
            fires, conjunction = fires_in_sql(binary.machine, statement), binary.conjunction
            for code, cast in ((binary.positive, not conjunction), (binary.negative, conjunction)):
                votes[code].append(f"CASE WHEN {fires} THEN {cast:d} ELSE {not cast:d} END")
        return statement.most({code: " + ".join(cast) or "0" for code, cast in votes.items()})


def bounds_of(machines: tuple[BinarySCM, ...], delta: float = DELTA) -> Array:
    """Bound on the error of the first 0, 1, ... features of all machines: the sum of their bounds,
    each at delta / number of machines.
    """
    all_m = [binary.machine for binary in machines]
    sizes = np.array([len(m) + 1 for m in all_m])
    steps = np.concatenate([np.arange(size) for size in sizes])
    on_p = np.concatenate([np.cumsum([0, *(m.kind == BALL)]) for m in all_m])
    wrong = np.concatenate([m.wrong() for m in all_m])
    rows = np.repeat([m.in_n + m.in_p for m in all_m], sizes)
    bounds = machine_bound(rows, steps, on_p, wrong, delta / len(machines)).value
    total = np.zeros(sizes.max())
    for bound in np.split(bounds, np.cumsum(sizes)[:-1]):
        total[: len(bound)] += bound
        total[len(bound) :] += bound[-1]
    return np.minimum(1.0, total)


def assemble(
    machines: tuple[BinarySCM, ...],
    own: Mapping[int, int] | Array,
    classes: int,
    report: Mapping[str, Any],
) -> SCMRule:
    """The rule of machines whose balls are numbered by columns of D, with classes `own`."""
    placed, parts, count = [], [], 0
    for number, binary in enumerate(machines, 1):
        m = binary.machine
        radial = np.flatnonzero(m.kind <= HOLE)
        positions = m.at.copy()
        positions[radial] = count + np.arange(len(radial))
        count += len(radial)
        placed.append(replace(binary, machine=replace(m, at=positions)))
        holds = [HOLDS[ball, binary.conjunction] for ball in m.kind[radial] == BALL]
        columns = (m.at, m.cut, m.q, m.r)
        parts.append(
            (np.full(len(radial), number), np.array(holds, str), *(v[radial] for v in columns))
        )
    of, condition, at, radii, q, r = (np.concatenate(part) for part in zip(*parts, strict=True))
    table = {"machine": of, "radius": radii, "holds": condition, "q": q, "r": r}
    if len(machines) == 1:
        del table["machine"]
    codes = np.array([own[j] for j in at.tolist()], np.int64)
    prototypes = Points(codes, at=at, radii=radii, table=table)
    return SCMRule(prototypes, tuple(placed), classes, report)


@dataclass(frozen=True)
class SCMPath:
    """Path of the set covering machine over kinds, penalties and sizes.

    Attributes
    ----------
    runs : mapping of (kind, penalty) to tuple of BinarySCM
        Balls are numbered by columns of D.
    grid : tuple of (kind, penalty, max_size)
    own : int array (m,)
        Class of each column of D.
    classes : int
    report : mapping
        Part of the report of every rule.
    """

    runs: Mapping[tuple[str, float], tuple[BinarySCM, ...]]
    grid: tuple[tuple[str, float, int | None], ...]
    own: Array
    classes: int
    report: Mapping[str, Any]
    kinds: ClassVar[tuple[str, ...]] = ("class",)

    @cached_property
    def _union(self) -> Array:
        machines = [d.machine for run in self.runs.values() for d in run]
        used = np.concatenate([machine.at[machine.kind <= HOLE] for machine in machines])
        return np.unique(used).astype(np.int64)

    @cached_property
    def prototypes(self) -> Points:
        return Points(self.own[self._union], at=self._union)

    @cached_property
    def _lengths(self) -> Mapping[tuple[str, float], Array]:
        """Features of the machines of each run."""
        return {key: np.array([len(d.machine) for d in run]) for key, run in self.runs.items()}

    @cached_property
    def _places(self) -> list[tuple[str, float, int]]:
        """The grid with the features of the longest machine in place of each limit."""
        longest = {key: int(lengths.max()) for key, lengths in self._lengths.items()}
        return [(k, p, min(most or longest[k, p], longest[k, p])) for k, p, most in self.grid]

    @property
    def size(self) -> Array:
        total = [np.minimum(self._lengths[k, p], size).sum() for k, p, size in self._places]
        return np.array(total, float)

    @cached_property
    def bounds(self) -> Array:
        """Theorem 5.2 for each rule, at delta = 0.05 divided among the kinds of the grid."""
        share = DELTA / len({kind for kind, _, _ in self.grid})
        bounds = {key: bounds_of(machines, share) for key, machines in self.runs.items()}
        return np.array([bounds[k, p][size] for k, p, size in self._places])

    def predict(self, kind: str, query: Query) -> Array:
        position = np.full(len(self.own), -1)
        position[self._union] = np.arange(len(self._union))
        all_machines = [d.machine.moved(position) for run in self.runs.values() for d in run]
        first = iter(find_fired(all_machines, self.prototypes, query))
        of_run = {key: [next(first) for _ in machines] for key, machines in self.runs.items()}
        known = {}
        for k, p, size in set(self._places):  # many limits are longer than any machine
            votes = count_votes(self.runs[k, p], of_run[k, p], size, self.classes)
            known[k, p, size] = votes.argmax(axis=1)
        return np.column_stack([known[place] for place in self._places])

    def at(self, g: int) -> SCMRule:
        kind, penalty, size = self._places[g]
        run, most = self.runs[kind, penalty], self.grid[g][2]
        machines = tuple(replace(d, machine=d.machine.first(size)) for d in run)
        limit = {} if most is None else {"max size": most}
        parameters = {"kind": kind, "penalty p": penalty, **limit}
        parameters["features"] = sum(len(d.machine) for d in machines)
        return assemble(machines, self.own, self.classes, {**parameters, **self.report})

    def moved(self, columns: Array) -> SCMPath:
        own = np.full(columns.max(initial=-1) + 1, -1)
        own[columns] = self.own
        runs = {
            key: tuple(replace(d, machine=d.machine.moved(columns)) for d in run)
            for key, run in self.runs.items()
        }
        return replace(self, runs=runs, own=own)
