"""The set covering machine (Marchand and Shawe-Taylor 2001).

P holds the examples that every feature should be right on (the positive ones for a conjunction, the negative ones for a
disjunction), N those that are to be covered. A feature fires on the rows that it assigns to the class of N; a row gets that
class if any feature of the machine fires on it. All features are cuts of sorted lines: they fire on the rows before the cut:

    ball   d > rho    line: distances to a P-example, from the largest down; rho is the distance of a P-example
    hole   d < rho    line: distances to an N-example, from the smallest up; rho is the distance of a P-example, or inf
    low    x <= t     line: a column, from the smallest up; t lies halfway between neighbouring values
    high   x > t      line: a column, from the largest down
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import inf

import numpy as np

from ...ground.savable import savable
from .. import Array
from ..parallel import kernel, left

BALL, HOLE, LOW, HIGH = range(4)
# the state of a row: in P, in N, not in the training set, removed from P or from N by a step
IN_P, IN_N, OUT, PAST_P, PAST_N = range(5)
NONE = -2  # no cut; -1 is the end of the line
FIRST = np.uint32(2**31)  # marks the first of equal values on a line
ROW = np.uint32(2**31 - 1)  # the bits that number the row


@dataclass(frozen=True)
class Lines:
    """Sorted lines that features are cut from: one for each centre, then one for each column.

    Attributes
    ----------
    order : uint32 array (c + p, n)
        The n rows by ascending value, with `FIRST` set if a value differs from the one before.
    D : array (n, c)
        Distances to the centres.
    X : array (n, p)
        Columns.
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
        BALL, HOLE, LOW or HIGH.
    """

    line: Array
    kind: Array


def make_family(centres: Array, columns: int, conjunction: bool, stumps: Array, negate: bool) -> Family:
    """All lines of a machine: balls and holes by centre, then two or one for each column.

    Parameters
    ----------
    centres : int8 array (c,)
        IN_P, IN_N or OUT for each centre.
    columns : int
    conjunction : bool
    stumps : bool array (columns,)
        Whether a column is cut in both directions. Otherwise it is a Boolean attribute, which is 1 in the positive class of a
        conjunction (the feature fires at 0) and of a disjunction (it fires at 1). A constant attribute gives no feature.
    negate : bool
        Whether Boolean attributes come with their negations.
    """
    kept = np.flatnonzero(centres != OUT)
    line, kind = [kept], [np.where(centres[kept] == IN_P, BALL, HOLE)]
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
        Rows of N and of P in the training set.
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
        part = slice(0, steps)
        return Machine(self.kind[part], self.at[part], self.cut[part], self.q[part], self.r[part], self.in_n, self.in_p)


@cache
def as_ratio(penalty: float) -> tuple[int, int]:
    """A penalty as a / b, so that the values b |Q| - a |R| are whole numbers and compare exactly; inf allows no R: 0 / 1."""
    if penalty == inf:
        return 0, 1
    ratio = Fraction(penalty).limit_denominator(10**6)
    return ratio.numerator, ratio.denominator


def grow_each(
    sorted_lines: Lines, features: Family, side: Array, penalties: Sequence[float], stop: int | None
) -> list[Machine]:
    """Run the greedy algorithm (section 4; with penalty inf sections 2 and 3) for each of several penalties.

    Each step adds the feature with the largest value |Q_h| - penalty |R_h|, as long as that is positive. Ties go to the
    smaller |R_h|, then to the first line, then to the cut that fires most widely (the smallest radius of a
    ball, the largest of a hole).

    Lines that cannot win are not scanned: values fall as the penalty rises, so at the first step those of a smaller penalty
    are bounds. A scan ends if the value can no longer reach half of the best one so far.

    Parameters
    ----------
    sorted_lines : Lines
    features : Family
    side : int8 array (n,)
        IN_P, IN_N or OUT for each row.
    penalties : sequence of float > 0, or inf
    stop : int, or None
        Features at most.
    """
    in_n, in_p = int((side == IN_N).sum()), int((side == IN_P).sum())
    most = in_n if stop is None else min(in_n, stop)  # each step removes at least one row from N
    f, out = len(features.line), dict[int, Machine]()
    most = most if f else 0  # without lines there are no features: all centres are held out or of other classes
    base, lengths = np.empty((f, len(side)), np.uint32), np.empty(f, np.int64)
    _lay_out(sorted_lines.order, features.line, features.kind, side, base, lengths)
    live, work, bound, scale = np.empty_like(base), np.empty((7, f), np.int64), np.full(f, in_n), 1
    for g in np.argsort(penalties, kind="stable").tolist():
        a, b = as_ratio(penalties[g])
        exact = in_n * scale * b < 2**62
        bound, scale = (bound * b // scale if exact else np.full(f, in_n * b)), b
        steps, state = np.empty((4, most), np.int64), np.array(side, np.int8)
        lists = (base, lengths, features.kind, state)
        count = _grow(*lists, a, b, penalties[g] == inf, in_n, bound, live, work, steps, left())
        out[g] = _machine(sorted_lines, features, steps[:, :count], side, in_n, in_p)
    return [out[g] for g in range(len(penalties))]


def _machine(sorted_lines: Lines, features: Family, steps: Array, side: Array, in_n: int, in_p: int) -> Machine:
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
def _lay_out(order, line, kind, state, base, lengths):  # type: ignore[no-untyped-def]
    # each line in the order of its scan, without rows that no longer count
    for h in range(len(line)):
        up = kind[h] == HOLE or kind[h] == LOW
        lengths[h] = _compact(order[line[h]], order.shape[1], up, kind[h], state, base[h])


@kernel
def _grow(base, lengths, kind, state, a, b, strict, remaining, first_bound, live, work, steps, left):  # type: ignore[no-untyped-def]
    # best: value b q - a r, r and cut of each line when last scanned; since: rows removed from P, and from both, until then.
    # A row that leaves P raises a value by at most a, and one that leaves N does not raise it: value + a (removed - since) is
    # a bound for a line. Before its first scan `first_bound` takes the place of the value, and is lowered to it by a scan
    # before the first step. A line is copied from base to live when rows that are gone leave it.
    best, since, length, copied = work[:3], work[3:5], work[5], work[6]
    f, removed, gone, count = len(kind), 0, 0, 0
    best[0], length[:] = first_bound, lengths
    since[:] = 0
    copied[:] = 0
    while count < steps.shape[1] and not left[0]:
        top, most = -1, np.int64(0)
        for h in range(f):
            bound = best[0, h] + a * (removed - since[0, h])
            if bound > most:
                top, most = h, bound
        chosen = -1
        for t in range(
            -1, f if top >= 0 else -1
        ):  # the most promising line first, so that fewer other lines are scanned
            h = top if t < 0 else t
            bound = best[0, h] + a * (removed - since[0, h])
            if bound <= 0 or (t >= 0 and h == top) or (chosen >= 0 and bound < best[0, chosen]):
                continue
            if gone - since[1, h] > length[h]:
                length[h] = _compact(live[h] if copied[h] else base[h], length[h], True, kind[h], state, live[h])
                since[1, h], copied[h] = gone, 1
            floor = best[0, chosen] // 2 if chosen >= 0 else 0
            row = live[h] if copied[h] else base[h]
            _scan(row, length[h], kind[h], state, a, b, strict, remaining, floor, bound, best[:, h])
            since[0, h] = removed
            if count == 0:
                first_bound[h] = best[0, h]
            if best[0, h] > 0 and best[2, h] > NONE and (
                chosen < 0
                or best[0, h] > best[0, chosen]
                or (best[0, h] == best[0, chosen] and best[1, h] < best[1, chosen])
                or (best[0, h] == best[0, chosen] and best[1, h] == best[1, chosen] and h < chosen)
            ):
                chosen = h
        if chosen < 0:
            break
        q, r = _fire(live[chosen] if copied[chosen] else base[chosen], length[chosen], state, best[2, chosen])
        steps[0, count], steps[1, count], steps[2, count], steps[3, count] = chosen, best[2, chosen], q, r
        removed += r
        gone += q + r
        remaining -= q
        count += 1
    return count


@kernel
def _compact(source, n, up, kind, state, out):  # type: ignore[no-untyped-def]
    # Copies a line in the order of its scan, without the rows that do not count. The last P-example of a ball and the last
    # row of a stump stay even if they are removed: the widest cut lies before them.
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
def _scan(live, n, kind, state, a, b, strict, left, floor, bound, best):  # type: ignore[no-untyped-def]
    # Scans a line from the end that fires first, as long as it may reach a value of `floor`; if it does not, the lesser of
    # that and `bound` is left as a bound. A cut lies just before a group of equal values: any group for a stump,
    # one with a P-example (also a removed one) for a ball or hole. Its value is b q - a r, with the counts of the rows
    # scanned so far; of equally good cuts the last one is taken, which fires most widely.
    radial = kind <= HOLE
    value, worst, cut = np.int64(floor), np.int64(n if floor > 0 else 0), np.int64(NONE)
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
            most = b * left - a * r
            if strict or most < value or (most == value and r > worst):
                break
    else:
        if kind == HOLE and not (strict and r > 0):
            v = b * q - a * r
            if v > value or (v == value and r <= worst):
                value, worst, cut = v, r, np.int64(-1)
    best[0], best[1], best[2] = min(value, bound) if cut == NONE else value, worst, cut


@kernel
def _fire(live, n, state, cut):  # type: ignore[no-untyped-def]
    # removes the rows before the group of row `cut` (-1: all rows); returns |Q| and |R|
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
