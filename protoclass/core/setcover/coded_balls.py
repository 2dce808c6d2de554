"""The balls from the codes of dissimilarities: the gain of each ball for its class, and its rows as lists or as bits.

Each dissimilarity is coded once, in a byte: the number of radii that do not reach it. Row i lies in the ball of candidate
j and radius k (ascending) when `code[j, i] <= k`. The coverage, the costs and the masks of cross-validation are computed
from these codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import Array
from ..parallel import few, kernel

Lists = tuple[Array, Array, Array]  # start, upto and places, see `lists_of_pairs`


def tally(codes: Array, cell: Array, weight: Array, columns: Array, out: Array) -> None:
    """Add the weight of the rows of each candidate by cell and code.

    Parameters
    ----------
    codes : uint8 array (q, r)
    cell : int array (r,)
        The first cell of each row's (fold, class), which has one cell for each code.
    weight : array (r,)
    columns : int array (q,)
        The lines of `out` that the candidates have.
    out : contiguous array (m, cells)
    """
    if few(codes.size):
        at = columns[:, None] * out.shape[1] + cell + codes
        np.add.at(out.reshape(-1), at.ravel(), np.broadcast_to(weight, codes.shape).ravel())
    else:
        _tally(codes, cell, weight, columns, out)


@kernel
def _tally(codes, cell, weight, columns, out):  # type: ignore[no-untyped-def]
    for j in range(codes.shape[0]):
        line = out[columns[j]]
        for i in range(codes.shape[1]):
            line[cell[i] + codes[j, i]] += weight[i]


def find_gains(
    weights: Array, owner: Array, allowed: Array, folds: int, classes: int, radii: int
) -> tuple[Array, Array, Array]:
    """The gain of each candidate for the class that gains most by it, for each fold left out and each radius.

    Parameters
    ----------
    weights : array (q, (folds + 1) * classes * (radii + 1)), as `tally` fills it
        Weights in each ball. The last fold has the rows that are never left out.
    owner : int array (q,)
        Fold in which the candidate itself is left out, or -1.
    allowed : int array (q,)
        Only class that the candidate may represent, -1 for any.

    Returns
    -------
    gain : array (folds, radii, q)
        Weight of the class minus weight of other classes in the ball, without the fold's rows; -inf for a candidate that is
        left out itself.
    wrong : array (folds, radii, q)
        Weight of other classes in the ball.
    best : int16 array (folds, radii, q)
        The class; the first of several equal ones. No other class can gain, because a gain needs the majority of the ball's
        weight.
    """
    shape = folds, radii, len(weights)
    gain, wrong, best = np.full(shape, -np.inf), np.zeros(shape), np.zeros(shape, np.int16)
    parts = weights.reshape(len(weights), folds + 1, classes, radii + 1)
    if few(weights.size):
        _compare_classes(parts, owner, allowed, gain, wrong, best)
    else:
        _find_gains(parts, parts.sum(axis=1), owner, allowed, np.empty(classes), gain, wrong, best)
    return gain, wrong, best


def _compare_classes(parts: Array, owner: Array, allowed: Array, gain: Array, wrong: Array, best: Array) -> None:
    """`find_gains` by NumPy, radius by radius; gain, wrong and best are filled."""
    lines = np.ascontiguousarray(parts.transpose(3, 1, 2, 0))  # (radii + 1, folds + 1, classes, q)
    folds, radii, q = gain.shape
    stays = owner != np.arange(folds)[:, None]
    inside, only = np.zeros((folds, parts.shape[2], q)), np.flatnonzero(allowed >= 0)
    for k in range(radii):
        inside += lines[k].sum(axis=0) - lines[k, :-1]
        ball, own = inside.sum(axis=1), inside.max(axis=1)
        majority = np.zeros(own.shape, np.int16)
        for c in reversed(range(inside.shape[1])):  # the first of several equal ones comes last
            np.copyto(majority, np.int16(c), where=inside[:, c] == own)
        if len(only):
            majority[:, only], own[:, only] = allowed[only], inside[:, allowed[only], only]
        gain[:, k], wrong[:, k] = np.where(stays, 2 * own - ball, -np.inf), np.where(stays, ball - own, 0)
        best[:, k] = np.where(stays, majority, np.int16(0))


@kernel
def _find_gains(parts, total, owner, allowed, inside, gain, wrong, best):  # type: ignore[no-untyped-def]
    folds, radii, q = gain.shape
    for j in range(q):
        for f in range(folds):
            if owner[j] == f:
                continue
            for c in range(len(inside)):
                inside[c] = 0.0
            for k in range(radii):
                ball_weight, majority = 0.0, 0
                for c in range(len(inside)):
                    inside[c] += total[j, c, k] - parts[j, f, c, k]
                    ball_weight += inside[c]
                    if inside[c] > inside[majority]:
                        majority = c
                if allowed[j] >= 0:
                    majority = allowed[j]
                gain[f, k, j] = 2 * inside[majority] - ball_weight
                wrong[f, k, j] = ball_weight - inside[majority]
                best[f, k, j] = majority


@dataclass(frozen=True)
class Pairs:
    """Pairs of a candidate and a row within the largest radius, in any order."""

    lines: Array  # number of the candidate of each pair in the output, int32
    places: Array  # number of its row in the output, int32
    codes: Array  # the smallest radius that reaches it, uint8

    def __len__(self) -> int:
        return len(self.codes)


def pairs_of(codes: Array, radii: int, lines: Array, places: Array) -> Pairs:
    """The pairs of a tile of codes (q, r) with a code below `radii`.

    lines : int array (q,); places : int array (r,): numbers of the lines and columns of the tile in the output.
    """
    column, code, count = np.empty(codes.size, np.int32), np.empty(codes.size, np.uint8), np.empty(len(codes), np.int64)
    n = _find(codes, radii, column, code, count)
    return Pairs(np.repeat(lines.astype(np.int32), count), places.astype(np.int32)[column[:n]], code[:n].copy())


def lists_of_pairs(found: list[Pairs], lines: int, radii: int) -> Lists:
    """The places of each line, by code and then in the order of the pairs.

    Returns
    -------
    start : int64 array (lines,)
    upto : int64 array (lines, radii)
        The places within radius k are `places[start[a] : upto[a, k]]`.
    places : int32 array
    """
    count = np.zeros((lines, radii), np.int64)
    for group in found:
        _count(group.lines, group.codes, count)
    upto = np.cumsum(count.ravel()).reshape(count.shape)
    follow, places = upto - count, np.empty(int(count.sum()), np.int32)
    start = follow[:, 0].copy()
    for group in found:
        _place(group.lines, group.places, group.codes, follow, places)
    return start, upto, places


@kernel
def _find(codes, radii, column, code, count):  # type: ignore[no-untyped-def]
    n = 0
    for a in range(codes.shape[0]):
        before = n
        for i in range(codes.shape[1]):
            column[n], code[n] = i, codes[a, i]
            n += codes[a, i] < radii
        count[a] = n - before
    return n


@kernel
def tally_pairs(lines, places, codes, cell, w, out):  # type: ignore[no-untyped-def]
    """Add the weight of the rows of pairs to `out` (candidates, cells); see `tally`."""
    for s in range(len(codes)):
        i = places[s]
        out[lines[s], cell[i] + codes[s]] += w[i]


@kernel
def _count(lines, codes, count):  # type: ignore[no-untyped-def]
    for s in range(len(codes)):
        count[lines[s], codes[s]] += 1


@kernel
def _place(line, place, code, follow, places):  # type: ignore[no-untyped-def]
    for s in range(len(line)):
        a, k = line[s], code[s]
        places[follow[a, k]] = place[s]
        follow[a, k] += 1


def words(rows: int) -> int:
    """Number of words for this many rows."""
    return -(-rows // 64)


def pack(codes: Array, at: tuple[Array, Array], lines: Array, places: Array, first: int, out: Array) -> None:
    """Set the bits of some pairs in the ring of their radius: the smallest one that reaches them.

    Parameters
    ----------
    codes : uint8 array
    at : int arrays (q,) and (r,)
        Lines and columns of the pairs in `codes`.
    lines : int array (q,); places : int array (r,)
        Numbers of these candidates and rows in `out`.
    first : int
        Radius of the first entry of `out`, which also has the pairs of smaller radii.
    out : uint64 array (K, a, words)
        Pairs beyond its last radius are left out.
    """
    _pack(np.ascontiguousarray(codes), *at, lines, places, first, out)


def one_of_each(group: Array, groups: int) -> Array:
    """For each group the bits of its rows, uint64 (groups, words); -1 is not a group."""
    out = np.zeros((groups, words(len(group))), "<u8")
    for g in range(groups):
        packed = np.packbits(group == g, bitorder="little")
        out[g].view(np.uint8)[: len(packed)] = packed
    return out.astype(np.uint64, copy=False)


@kernel
def _pack(codes, line_at, column_at, lines, places, first, out):  # type: ignore[no-untyped-def]
    last = first + out.shape[0]
    for s in range(len(lines)):
        line = codes[line_at[s]]
        for t in range(len(places)):
            code = np.int64(line[column_at[t]])
            if code < last:
                i = places[t]
                out[max(code - first, 0), lines[s], i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@kernel
def popcount(x):  # type: ignore[no-untyped-def]
    # LLVM turns this formula into one instruction
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def count_new(bits, k, a, covered):  # type: ignore[no-untyped-def]
    """Number of rows in the ball of radius `k` around candidate `a` that are not covered."""
    n = np.uint64(0)
    for s in range(len(covered)):
        n += popcount(bits[k, a, s] & ~covered[s])
    return n


@kernel
def weigh_new(bits, k, a, covered, w):  # type: ignore[no-untyped-def]
    """Weight of the rows in the ball of radius `k` around candidate `a` that are not covered."""
    total = 0.0
    for s in range(len(covered)):
        left = bits[k, a, s] & ~covered[s]
        while left:
            rest = left & (left - np.uint64(1))
            total += w[64 * s + np.int64(popcount((left ^ rest) - np.uint64(1)))]
            left = rest
    return total
