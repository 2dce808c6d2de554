"""Balls as bits: one bit for each row of a class, in words of 64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel

Array = NDArray[Any]


def words(rows: int) -> int:
    """Number of words for this many rows."""
    return -(-rows // 64)


def pack(codes: Array, at: tuple[Array, Array], lines: Array, places: Array, first: int, out: Array) -> None:
    """Set the bits of some pairs in the ring of their radius: the smallest one that reaches them.

    Parameters
    ----------
    codes : uint8 array
    at : int arrays (q,) and (r,)
        Lines and columns of `codes` where the pairs stand.
    lines : int array (q,); places : int array (r,)
        What these candidates and rows are called in `out`.
    first : int
        The radius of the first entry of `out`, which takes the pairs of smaller radii as well.
    out : uint64 array (K, a, words)
        Pairs beyond its last radius are left out.
    """
    _pack(np.ascontiguousarray(codes), *at, lines, places, first, out)


def one_of_each(group: Array, groups: int) -> Array:
    """For each group the bits of its rows, uint64 (groups, words); -1 is no group."""
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
def count_new(bits, a, covered):  # type: ignore[no-untyped-def]
    """Number of rows in ball `a` that are not covered."""
    n = np.uint64(0)
    for s in range(len(covered)):
        n += popcount(bits[a, s] & ~covered[s])
    return n


@kernel
def weigh_new(bits, a, covered, w):  # type: ignore[no-untyped-def]
    """Weight of the rows in ball `a` that are not covered."""
    total = 0.0
    for s in range(len(covered)):
        left = bits[a, s] & ~covered[s]
        while left:
            rest = left & (left - np.uint64(1))
            total += w[64 * s + np.int64(popcount((left ^ rest) - np.uint64(1)))]
            left = rest
    return total
