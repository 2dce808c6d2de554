"""Balls of a grid of radii: the rows in each candidate's balls, and the gain of each ball for its class.

Each dissimilarity is coded once, in a byte: the number of radii that do not reach it. Row i lies in the ball of candidate
j and radius k (ascending) when `code[j, i] <= k`. The coverage, the costs and the masks of cross-validation are computed
from these codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel
from ..sources import Part, Source

Array = NDArray[Any]
Lists = tuple[Array, Array, Array]  # start, upto and places, see `csr_lists`
SAMPLE = 2**27  # entries; with more of them, quantiles are taken from a random set of columns
FINE_FROM = 2**22  # entries
MOST = 254  # radii in one byte
COMPARE = 255


@dataclass(frozen=True)
class Coder:
    """Codes dissimilarities: the number of `radii` with d >= radius.

    Floats are sorted into bins by their leading bits. All values of a bin without a radius have the same code, which is
    looked up in a table. Values are compared only in bins that contain a radius.

    Attributes
    ----------
    radii : array (K,), ascending, in the precision of the dissimilarities
    table : uint8 array (bins,)
        The code of each bin; 255 where values must be compared.
    shift : int
        Number of bits below those that number the bin of a value.
    """

    radii: Array
    table: Array
    shift: int

    def __call__(self, tile: Array) -> Array:
        """Codes of a tile (n, q), candidate by candidate: uint8 (q, n). Open balls: code <= k means d < radii[k]."""
        out = np.empty((tile.shape[1], tile.shape[0]), np.uint8)
        _code(tile, _bits(tile), self.radii, self.table, self.shift, out)
        return out


def coder(radii: Array, dtype: Any, fine: int = 13) -> Coder:
    """A Coder for dissimilarities of a precision, with 2^fine bins; at most 254 radii."""
    exact = np.asarray(radii, np.float64)
    reach = exact.astype(dtype)
    # the smallest number of this precision that is not below the radius: d < radius and d < reach are then equivalent
    reach = np.where(reach.astype(np.float64) < exact, np.nextafter(reach, np.dtype(dtype).type(np.inf)), reach)
    reach = reach.astype(dtype)
    shift = _shift(dtype, fine)
    bins = (_bits(reach) >> shift).astype(np.int64)
    table = np.cumsum(np.bincount(bins + 1, minlength=2**fine + 1)[: 2**fine]).astype(np.uint8)
    table[bins] = COMPARE
    return Coder(reach, table, shift)


@kernel
def _code(tile, bits, radii, table, shift, out):  # type: ignore[no-untyped-def]
    # blocks of 64 x 64, so that reading by rows and writing by candidates both stay in the cache
    n, q = tile.shape
    for top in range(0, n, 64):
        for left in range(0, q, 64):
            for i in range(top, min(top + 64, n)):
                for j in range(left, min(left + 64, q)):
                    c = table[bits[i, j] >> shift]
                    if c == 255:
                        c = 0
                        for k in range(len(radii)):
                            c += tile[i, j] >= radii[k]
                    out[j, i] = c


def tally(codes: Array, cell: Array, weight: Array, cells: int) -> Array:
    """Weight of the rows of each candidate by cell and code.

    `cell[i]` is the first cell of row i's (fold, class), which has one cell for each code; the result is (q, cells).
    """
    out = np.zeros((len(codes), cells))
    _tally(codes, cell, weight, out)
    return out


@kernel
def _tally(codes, cell, weight, out):  # type: ignore[no-untyped-def]
    for j in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            out[j, cell[i] + codes[j, i]] += weight[i]


def find_gains(
    weights: Array, owner: Array, allowed: Array, folds: int, classes: int, radii: int
) -> tuple[Array, Array, Array]:
    """The gain of each candidate for the class that gains most by it, for each fold left out and each radius.

    Parameters
    ----------
    weights : array (q, (folds + 1) * classes * (radii + 1)), as `tally` returns it
        The last fold holds the rows that are never left out.
    owner : int array (q,)
        The fold in which the candidate itself is left out, or -1.
    allowed : int array (q,)
        The only class that the candidate may represent, -1 for any.

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
    _find_gains(parts, parts.sum(axis=1), owner, allowed, np.empty(classes), gain, wrong, best)
    return gain, wrong, best


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


def csr_lists(codes: Array, radii: int) -> Lists:
    """For each line of `codes`, its places with a code below `radii`, by code and then by place.

    Returns
    -------
    start : int64 array (lines,)
    upto : int64 array (lines, radii)
        The places within radius k are `places[start[a] : upto[a, k]]`.
    places : int32 array
    """
    codes = np.ascontiguousarray(codes)
    count = np.zeros((len(codes), radii), np.int64)
    _count(codes, count)
    start, upto, follow = _bounds(count)
    places = np.empty(int(count.sum()), np.int32)
    _fill(codes, follow, places)
    return start, upto, places


def join_lists(parts: list[Lists]) -> Lists:
    """The lists of several sets of lines, one after another."""
    shift = np.cumsum([0] + [len(places) for _, _, places in parts])[:-1]
    start = np.concatenate([s + by for (s, _, _), by in zip(parts, shift, strict=True)])
    upto = np.concatenate([u + by for (_, u, _), by in zip(parts, shift, strict=True)])
    return start, upto, np.concatenate([places for _, _, places in parts])


def transpose(lists: Lists, lines: int) -> Lists:
    """The same pairs transposed: for each place the lines that contain it, by code and then by line."""
    start, upto, places = lists
    count = np.zeros((lines, upto.shape[1]), np.int64)
    _transpose(start, upto, places, count, np.empty(0, np.int32))
    first, last, follow = _bounds(count)
    out = np.empty(len(places), np.int32)
    _transpose(start, upto, places, follow, out)
    return first, last, out


def _bounds(count: Array) -> tuple[Array, Array, Array]:
    upto = np.cumsum(count.ravel()).reshape(count.shape)
    follow = upto - count
    return follow[:, 0].copy(), upto, follow


@kernel
def _transpose(start, upto, places, follow, out):  # type: ignore[no-untyped-def]
    # counts if `out` is empty and fills it otherwise: `follow` is where the next line of a place and code is written
    for a in range(upto.shape[0]):
        first = start[a]
        for k in range(upto.shape[1]):
            for s in range(first, upto[a, k]):
                if len(out):
                    out[follow[places[s], k]] = a
                follow[places[s], k] += 1
            first = upto[a, k]


@kernel
def _count(codes, count):  # type: ignore[no-untyped-def]
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            k = codes[a, i]
            if k < count.shape[1]:
                count[a, k] += 1


@kernel
def _fill(codes, follow, places):  # type: ignore[no-untyped-def]
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            k = codes[a, i]
            if k < follow.shape[1]:
                places[follow[a, k]] = i
                follow[a, k] += 1


def default_radii(source: Source, candidate_row: Array, levels: Array | None, seed: tuple[int, ...]) -> Array:
    """Radii at quantiles of the positive dissimilarities between different rows.

    Parameters
    ----------
    source : Source (n, m)
    origin : int array (m,)
        The row that each candidate is, -1 for none.
    levels : array, or None
        Quantile levels. None: 0 and 19 levels spaced geometrically from N^-1/2 to 1/2, where N is the number of
        dissimilarities counted.
    seed : tuple of int
        Used only above 2^27 entries, where a random set of columns represents all.

    Returns
    -------
    array, ascending and distinct
        Each lies halfway between the quantile (an observed value v) and the next smaller observed value (0 for the
        smallest). The open ball `d < eps` is then that of eps = v, and rounding in v cannot change it.
    """
    n, m = source.shape
    if n * m > SAMPLE:
        columns = np.sort(np.random.default_rng(seed).choice(m, max(1, SAMPLE // n), replace=False))
        source, candidate_row = Part(source, np.arange(n), columns), candidate_row[columns]

    fine = bins_for(n * m)

    def count(rows: Array, columns: Array, tile: Array) -> tuple[None, Array]:
        bits, shift = _bits(tile), _shift(tile.dtype, fine)
        counts = np.zeros(2**fine, np.int64)
        _histogram(bits, shift, counts)
        at = np.searchsorted(rows, candidate_row[columns])  # positions of the rows that these candidates are
        same = np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == candidate_row[columns])
        np.subtract.at(counts, (bits[at[same], same] >> shift).astype(np.int64), 1)
        counts[0] = 0  # the first bin holds 0 and tiny values (below 1e-38, in float64 below 1e-308)
        return None, counts

    counts = sum(source.scan(count, lambda rows, columns, stay, sent: sent))
    total = int(counts.sum())
    if total == 0:
        return np.empty(0)
    if levels is None:
        levels = np.concatenate([[0.0], np.geomspace(total**-0.5, 0.5, 19)])
    target = np.clip(np.ceil(np.asarray(levels) * total).astype(np.int64) - 1, 0, total - 1)
    below = np.concatenate([[0], np.cumsum(counts)])
    bins = np.searchsorted(below, target, side="right") - 1
    filled = np.flatnonzero(counts)
    lower_bin = filled[np.maximum(np.searchsorted(filled, bins) - 1, 0)]
    needed = np.zeros(len(counts), np.bool_)
    needed[bins] = needed[lower_bin] = True
    needed[0] = False

    def collect(rows: Array, columns: Array, tile: Array) -> tuple[None, list[Array]]:
        picked = np.empty(tile.size, tile.dtype)
        n = _collect(_bits(tile), tile, rows, candidate_row[columns], _shift(tile.dtype, fine), needed, picked)
        return None, [picked[:n].copy()]

    collected = source.scan(collect, lambda rows, columns, stay, sent: sent)
    values = np.sort(np.concatenate([v for parts in collected for v in parts]).astype(np.float64))
    # `values` lacks the bins that are not needed: positions are counted from the first value of the target's own bin
    kept = np.concatenate([[0], np.cumsum(np.where(needed, counts, 0))])
    chosen = values[kept[bins] + target - below[bins]]
    previous = np.searchsorted(values, chosen) - 1
    lower = np.where(previous >= 0, values[np.maximum(previous, 0)], 0.0)
    return np.unique((lower + chosen) / 2)


def bins_for(entries: int) -> int:
    """Log2 of the number of bins for a matrix: 2^19 are hundreds for each power of two, 2^13 a few."""
    return 19 if entries > FINE_FROM else 13


def _bits(tile: Array) -> Array:
    return tile.view(
        np.uint32 if tile.dtype == np.float32 else np.uint64
    )  # positive floats are ordered as their bits are


def _shift(dtype: Any, fine: int) -> int:
    return (31 if dtype == np.float32 else 63) - fine  # the sign bit is 0


@kernel
def _histogram(bits, shift, counts):  # type: ignore[no-untyped-def]
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            counts[bits[i, j] >> shift] += 1


@kernel
def _collect(bits, tile, rows, candidate_row, shift, needed, out):  # type: ignore[no-untyped-def]
    n = 0
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            if needed[bits[i, j] >> shift] and candidate_row[j] != rows[i]:
                out[n] = tile[i, j]
                n += 1
    return n
