"""Sums of squares by NumPy with the bits of a kernel, whose processor adds a product to a sum in one instruction.

Such an instruction rounds once. NumPy rounds the product and then the sum, so the product's error is computed as well and
what is lost of both is added before the last rounding.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SPLIT = 2.0**27 + 1
SLOWER = 2  # times as slow as one step of `few`
BLOCK = 2048  # pairs whose sums stay in the first-level cache
# sizes of numbers, by precision, whose differences have squares that lose no bits and sums that are finite
RANGE = {"f": (0.0, 1e15), "d": (1e-120, 1e150)}
OVERRIDES = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX", "NUMBA_DISABLE_JIT")


@cache
def fuses() -> bool:
    """Whether kernels surely fuse products and sums on this processor; its name and features are not set by hand."""
    if any(name in os.environ for name in OVERRIDES):
        return False
    if platform.machine().lower() in ("aarch64", "arm64"):
        return True
    from llvmlite.binding import get_host_cpu_features

    return bool(get_host_cpu_features().get("fma", False))


def root_of_squares(a: Array, b: Array) -> Array | None:
    """Euclidean distances (n, m) between the rows of two arrays (n, p) and (m, p), in their precision.

    Each square is added in the order of the columns and rounded with the sum. None where squares would overflow or lose
    bits to underflow.
    """
    least, most = RANGE[a.dtype.char]
    for side in (a, b):
        size = np.abs(side)
        if not size.max(initial=0) < most or (size[size < least] > 0).any():
            return None
    out = np.empty((len(a), len(b)), a.dtype)
    step = max(1, BLOCK // max(1, len(b)))
    total = _sum_of_squares if a.dtype == np.float64 else _sum_of_short_squares
    for first in range(0, len(a), step):
        apart = a[first : first + step].T[:, :, None] - b.T[:, None]
        out[first : first + step] = np.sqrt(total(apart.astype(float, copy=False)))
    return out


def _sum_of_squares(d: Array) -> Array:
    total, square = np.zeros(d.shape[1:]), d * d
    error = _error_of_square(d, square)
    for f in range(len(d)):
        total, lost = _two_sum(total, square[f])
        total += to_odd(lost, error[f])
    return total


def _sum_of_short_squares(d: Array) -> Array:
    """The sum in float32 of the squares of float32 numbers, which are exact in float64."""
    total = np.zeros(d.shape[1:], np.float32)
    for square in d * d:
        total = to_odd(total, square).astype(np.float32)
    return total


def to_odd(a: Array, b: Array) -> Array:
    """a + b cut to a float, with a last bit of 1 where something was cut.

   gives what one rounding of the exact sum gives (Boldo and Melquiond 2008, Emulation of FMA and
    correctly rounded sums: proved algorithms using rounding to odd).
    """
    total, lost = _two_sum(a, b)
    inexact = lost != 0
    away = inexact & ((lost < 0) != (total < 0))
    return np.asarray(((total.view(np.int64) - away) | inexact).view(float))


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum and its error (Knuth, The Art of Computer Programming 2, section 4.2.2, theorem B)."""
    total = np.add(a, b, dtype=float)
    from_b = total - a
    return total, (a - (total - from_b)) + (b - from_b)


def _error_of_square(d: Array, square: Array) -> Array:
    """d * d - square, exactly (Dekker 1971, A floating-point technique for extending the available precision)."""
    scaled = SPLIT * d
    high = scaled - (scaled - d)
    low = d - high
    return np.asarray(((high * high - square) + 2 * high * low) + low * low)
