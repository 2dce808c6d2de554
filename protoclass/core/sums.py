"""Exact sums of columns and of their squares, from blocks of rows: the same whatever the blocks, their order and the machine.

A float is an integer times a power of two. Integers of one power are added in 64 bits, a product as two halves, and the
powers are joined in Python, whose integers have no limit. So nothing is ever rounded before the mean and the standard
deviation are, once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .parallel import few, kernel

Array = NDArray[Any]
HALF = 27  # bits of the lower half of a mantissa, which has 53
LOW = 2**HALF - 1
HIDDEN = 2**52
POWERS = 2047  # that a finite float may have
LAST = -1075  # more than these, its last bit has the power
ROWS = 2**20  # that are added before the sums of one power are joined: 2^20 products of 106 bits take 126
WIDE = 64  # columns that the kernel adds together
SMALL = 2**14  # entries that NumPy adds together
SHORT = 2**10  # rows up to which it is as fast as the kernel, which has a line for every power
CHUNK = 2**13  # rows whose columns are copied at a time


@dataclass(frozen=True)
class Exact:
    """Numbers number * 2^power, one for each column; a number is odd, or 0 with power 0, so that equal ones look alike."""

    numbers: tuple[int, ...]
    powers: tuple[int, ...]

    def __add__(self, other: Exact) -> Exact:
        pairs = zip(self.numbers, self.powers, other.numbers, other.powers, strict=True)
        return _exact((a << max(0, p - q)) + (b << max(0, q - p)) for a, p, b, q in pairs).times(
            tuple(map(min, self.powers, other.powers))
        )

    def times(self, powers: tuple[int, ...]) -> Exact:
        """The numbers times 2^power."""
        moved = (q + p if n else 0 for n, p, q in zip(self.numbers, self.powers, powers, strict=True))
        return Exact(self.numbers, tuple(moved))


@dataclass(frozen=True)
class Sums:
    """Sums over rows, exact; those of two sets of rows are added by `+`.

    Attributes
    ----------
    count : int
        Number of rows.
    first, second : Exact (p columns)
        Sums of the values and of their squares.

    Examples
    --------
    >>> import numpy as np
    >>> both = sums(np.array([[1e300], [1.0]])) + sums(np.array([[-1e300]]))
    >>> both.mean(), both == sums(np.array([[1.0], [-1e300], [1e300]]))
    (array([0.33333333]), True)
    """

    count: int
    first: Exact
    second: Exact

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.count + other.count, self.first + other.first, self.second + other.second)

    def mean(self) -> Array:
        """Mean of each column (p,), rounded correctly."""
        pairs = zip(self.first.numbers, self.first.powers, strict=True)
        return np.array([_over(n << max(p, 0), self.count << max(-p, 0)) for n, p in pairs], float)

    def deviation(self) -> Array:
        """Standard deviation (n - 1) of each column (p,), rounded correctly; `inf` beyond the largest float.

        There must be two rows at least.
        """
        n, out = self.count, []
        for a, p, b, q in zip(
            self.first.numbers, self.first.powers, self.second.numbers, self.second.powers, strict=True
        ):
            power = min(2 * p, q)  # n sum x^2 - (sum x)^2, in units of 2^power, is n (n - 1) times the variance
            out.append(_root((n * b << (q - power)) - (a * a << (2 * p - power)), power, n * (n - 1)))
        return np.array(out, float)


@dataclass(frozen=True)
class Extremes:
    """Smallest and largest values of columns (p,), not counting missing ones: inf and -inf where there are none."""

    low: Array
    high: Array

    def __add__(self, other: Extremes) -> Extremes:
        return Extremes(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


def extremes(X: Array) -> Extremes:
    """Smallest and largest values of the columns of X (r, p), which may be missing (NaN).

    Examples
    --------
    >>> import numpy as np
    >>> extremes(np.array([[1.0, np.nan], [3.0, np.nan]]))
    Extremes(low=array([ 1., inf]), high=array([  3., -inf]))
    """
    low, high = X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)
    if np.isnan(low).any():  # several times as slow
        low, high = np.fmin.reduce(X, axis=0, initial=np.inf), np.fmax.reduce(X, axis=0, initial=-np.inf)
    return Extremes(low, high)


def sums(X: Array) -> Sums:
    """Exact sums of the columns of X (r, p) and of their squares.

    Parameters
    ----------
    X : float32 or float64 array (r, p)
        Finite numbers.
    """
    parts = [_block(X[first : first + ROWS]) for first in range(0, len(X), ROWS)] or [_block(X)]
    first, second = parts[0]
    for a, b in parts[1:]:
        first, second = first + a, second + b
    return Sums(len(X), first, second)


def _block(X: Array) -> tuple[Exact, Exact]:
    """The sums of at most `ROWS` rows."""
    plain = len(X) <= SHORT or few(X.size)
    add, wide = (_by_powers, max(1, SMALL // max(1, len(X)))) if plain else (_compiled, WIDE)
    parts = [add(X[:, at : at + wide]) for at in range(0, X.shape[1], wide)]
    return _side_by_side([one for one, _ in parts]), _side_by_side([two for _, two in parts])


def _compiled(X: Array) -> tuple[Exact, Exact]:
    totals = np.zeros((X.shape[1], POWERS, 4), np.int64)
    for first in range(0, len(X), CHUNK):
        bits = np.ascontiguousarray(X[first : first + CHUNK].T, float).view(np.int64)
        _add(bits, totals, totals.view(np.uint64))
    used = np.flatnonzero(totals.any(axis=(0, 2)))
    kept = totals[:, used].astype(object)
    low = totals[:, used, 2].view(np.uint64).astype(object)
    return _joined(used, (kept[..., 1] << HALF) + kept[..., 0], (kept[..., 3] << 64) + low)


def _by_powers(X: Array) -> tuple[Exact, Exact]:
    """The same by NumPy: sums of floats below 2^53 are exact."""
    bits = np.ascontiguousarray(X.T, float).view(np.int64)
    power, mantissa = (bits >> 52) & POWERS, bits & (HIDDEN - 1)
    mantissa[power > 0] |= HIDDEN
    np.maximum(power, 1, out=power)
    used = np.flatnonzero(np.bincount(power.ravel()))
    place = np.zeros(POWERS + 1, np.int64)
    place[used] = np.arange(len(used))
    cell = (place[power] + np.arange(len(bits))[:, None] * len(used)).ravel()
    shape = len(bits), len(used)

    def total(values: Array) -> Any:
        return np.bincount(cell, values.ravel(), shape[0] * shape[1]).reshape(shape).astype(np.int64).astype(object)

    low, high = mantissa & LOW, mantissa >> HALF
    sign = np.where(bits < 0, -1, 1)
    one = total(low * sign) + (total(high * sign) << HALF)
    product, two = low * low, 0
    for k, next_product in enumerate((2 * low * high, high * high, 0)):  # each part of a product has 27 bits
        two += total(product & LOW) << k * HALF
        product = (product >> HALF) + next_product
    two += total(product) << 3 * HALF
    return _joined(used, one, two)


def _joined(power: Array, one: Any, two: Any) -> tuple[Exact, Exact]:
    """From sums by power, arrays (p, powers) of Python's integers, to those of the columns."""
    if not len(power):
        zero = Exact((0,) * len(one), (0,) * len(one))
        return zero, zero
    p, shift = len(one), (power - power[0]).astype(object)
    lowest = int(power[0]) + LAST
    first = _exact((one << shift).sum(axis=1)).times((lowest,) * p)
    return first, _exact((two << 2 * shift).sum(axis=1)).times((2 * lowest,) * p)


def _exact(numbers: Any) -> Exact:
    odd, powers = [], []
    for n in numbers:
        n = int(n)
        power = (n & -n).bit_length() - 1 if n else 0
        odd.append(n >> power)
        powers.append(power)
    return Exact(tuple(odd), tuple(powers))


def _side_by_side(parts: list[Exact]) -> Exact:
    return Exact(tuple(n for part in parts for n in part.numbers), tuple(p for part in parts for p in part.powers))


def _over(a: int, b: int) -> float:
    """a / b, rounded correctly."""
    try:
        return a / b
    except OverflowError:
        return np.inf if a > 0 else -np.inf


def _root(a: int, power: int, b: int) -> float:
    """sqrt(a 2^power / b), rounded correctly."""
    if a == 0:
        return 0.0
    # so many bits that 64 of the root are left, and a last one that says whether there are more
    more = max(0, 130 + b.bit_length() - a.bit_length())
    more += (power - more) % 2
    whole, rest = divmod(a << more, b)
    root = isqrt(whole)
    root = (root << 1) | (rest != 0 or root * root != whole)
    half = (power - more) // 2 - 1
    return _over(root << max(half, 0), 1 << max(-half, 0))


@kernel
def _add(bits, totals, bare):  # type: ignore[no-untyped-def]
    # floats of columns (p, n) as integers; `bare` is `totals` without signs. By column and power: the sums of the lower and upper
    # halves of the mantissas, and the lower 64 bits and the rest of the sums of their squares
    for c in range(bits.shape[0]):
        own, plain = totals[c], bare[c]
        for i in range(bits.shape[1]):
            b = bits[c, i]
            power, m = (b >> 52) & 2047, b & (HIDDEN - 1)
            if power > 0:
                m |= HIDDEN
            else:
                power = 1
            low, high = m & LOW, m >> HALF
            if b < 0:
                own[power, 0] -= low
                own[power, 1] -= high
            else:
                own[power, 0] += low
                own[power, 1] += high
            cross, top = 2 * low * high, high * high
            one = np.uint64(low * low)
            two = one + (np.uint64(cross) << np.uint64(HALF))
            square = two + (np.uint64(top) << np.uint64(2 * HALF))
            before = plain[power, 2]
            after = before + square
            plain[power, 2] = after
            carried = (two < one) + (square < two) + (after < before)
            own[power, 3] += (cross >> (64 - HALF)) + (top >> (64 - 2 * HALF)) + carried
