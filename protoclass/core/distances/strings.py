"""The mismatch kernel of strings, counted by leaving positions out.

The kernel of two strings is a sum over pairs of their k-mers of a number that depends on the pair's Hamming distance d
alone: how many words of k letters lie within m mismatches of both. The k-mers are not compared:
an inverted index counts the pairs that agree when a set of positions is left out, and inclusion-exclusion converts these
counts into the numbers of pairs at distance d. All counts are integers, so the result does not depend on the tile.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ground.errors import OptionError
from .. import Array
from ..parallel import in_blocks, kernel

BLOCK = 64  # rows given to a thread at a time
DENSE = 100  # multiplications in a matrix product that take as long as one step through the index
ENTRIES = 2**25  # of the matrices in such a product
SPARE = 16  # an index of features may have this many cells for each k-mer


def shared(k: int, m: int, letters: int, d: int) -> int:
    """Number of words of k letters that are within m mismatches of both of two words at Hamming distance d.

    Where the two differ, a word agrees with the first (p times), with the second (q times) or with neither.

    Examples
    --------
    >>> [shared(5, 1, 20, d) for d in range(4)]  # 1 + k (a - 1), a, 2, 0
    [96, 20, 2, 0]
    """
    total = 0
    for elsewhere in range(min(m, k - d) + 1):
        same = comb(k - d, elsewhere) * (letters - 1) ** elsewhere
        for p in range(d + 1):
            for q in range(d - p + 1):
                if elsewhere + d - min(p, q) <= m:
                    ways = factorial(d) // (factorial(p) * factorial(q) * factorial(d - p - q))
                    total += same * ways * (letters - 2) ** (d - p - q)
    return total


def weights(k: int, m: int, letters: int) -> list[int]:
    """W_t such that the kernel is sum_t W_t M_t, with M_t the pairs that agree with t positions left out, over all sets of t.

    A pair at distance d agrees for C(k - d, t - d) sets, so n_d = sum_t (-1)^(d - t) C(k - t, d - t) M_t.

    Examples
    --------
    >>> weights(3, 0, 4), weights(3, 1, 4)  # m = 0: 10 n_0 + 4 n_1 + 2 n_2 for m = 1
    ([1], [4, 0, 2])
    """
    most = min(2 * m, k)
    size = [shared(k, m, letters, d) for d in range(most + 1)]
    return [sum((-1) ** (d - t) * comb(k - t, d - t) * size[d] for d in range(t, most + 1)) for t in range(most + 1)]


def mismatch(a: Array, b: Array, k: int, m: int, letters: int) -> NDArray[np.float64]:
    """Distances sqrt(2 - 2 K) of the normalised (k, m)-mismatch kernel (Leslie et al. 2004).

    Parameters
    ----------
    a, b : object arrays (n,) and (q,) of int arrays
        Each string as codes 0 to letters - 1; a k-mer with a negative code is left out. Every string has a k-mer.
    k, m : int
        Length of the k-mers, and the mismatches allowed, m < k.
    letters : int
        Size of the alphabet.

    Returns
    -------
    array (n, q)
        Exactly 0 for strings with the same k-mers.

    Raises
    ------
    OptionError
        Where kernel values may exceed 64 bits.

    Examples
    --------
    >>> import numpy as np
    >>> words = np.empty(2, object)
    >>> words[:] = [np.array([0, 1, 0]), np.array([0, 1, 1])]  # ABA, ABB: one of two 2-mers is shared
    >>> mismatch(words, words, 2, 0, 2)
    array([[0., 1.],
           [1., 0.]])
    """
    n, q = len(a), len(b)
    if n == 0 or q == 0:
        return np.empty((n, q))
    words, owner = _words(np.concatenate([a, b]), k)
    cut = int(np.searchsorted(owner, n))
    owner = owner.astype(np.int32)
    most, factors = int(np.bincount(owner).max()), weights(k, m, letters)
    # intermediate sums may exceed 64 bits: the kernel itself fits, so it is exact modulo 2^64
    if max(shared(k, m, letters, 0) * most**2, *map(abs, factors)) >= 2**63:
        raise OptionError(
            f"k={k}, m={m} over {letters} letters has kernel values beyond 64 bits for strings of {most} k-mers: use a smaller m"
        )
    total, own = np.zeros((n, q), np.int64), np.zeros(n + q, np.int64)
    for t, factor in enumerate(factors):
        weight = np.int64(factor)
        for kept in combinations(range(k), k - t):
            ids, size = _features(words[list(kept)], letters, SPARE * max(len(owner), 2**10))
            start, feature, count = _tally(ids[:cut], owner[:cut], n, size)
            begins, features, counts = _tally(ids[cut:], owner[cut:] - np.int32(n), q, size)
            _norms(start, count, weight, own[:n])
            _norms(begins, counts, weight, own[n:])
            index = _index(begins, features, counts, size)
            if _full(feature, index[0], n, q, size):
                # sums of whole numbers within the precision are exact, in any order of BLAS
                precision = np.float32 if most**2 < 2**24 else np.float64
                left = _dense(start, feature, count, np.zeros((n, size), precision))
                right = _dense(begins, features, counts, np.zeros((q, size), precision))
                total += weight * (left @ right.T).astype(np.int64)
                continue
            in_blocks(partial(_block, start, feature, count, index, weight, total), n, BLOCK, total.size)
    norm = own.astype(np.float64)
    squared: NDArray[np.float64] = total / np.sqrt(norm[:n, None] * norm[None, n:])
    squared *= -2
    squared += 2
    squared[squared < 2e-15] = 0  # within rounding of 0, both have the same k-mers in the same proportions
    np.sqrt(squared, out=squared)
    return squared


def _full(feature: Array, begin: Array, n: int, q: int, size: int) -> bool:
    """Whether strings have so many features in common that a matrix product is faster than the index."""
    if size * (n + q) > ENTRIES:
        return False
    steps = np.bincount(feature, minlength=size).astype(float) @ np.diff(begin)
    return bool(steps * DENSE > float(n) * q * size)


def _block(start: Any, feature: Any, count: Any, index: Any, weight: np.int64, total: Any, part: slice) -> None:
    _add(start[part.start : part.stop + 1], feature, count, *index, weight, total[part])


def _words(strings: Array, k: int) -> tuple[Array, NDArray[np.int64]]:
    """All k-mers without a negative code, (k, number), and the string of each, in order."""
    flat = np.concatenate([*strings, np.full(k, -1)])
    string = np.repeat(np.arange(len(strings) + 1), [*map(len, strings), k])
    known = np.concatenate([[0], np.cumsum(flat >= 0)])
    positions = len(flat) - k
    complete = (known[k:-1] - known[:positions] == k) & (string[k - 1 : -1] == string[:positions])
    at = np.flatnonzero(complete)
    return np.stack([flat[at + p] for p in range(k)]).astype(np.int64), string[at]


def _features(words: NDArray[np.int64], letters: int, limit: int) -> tuple[NDArray[np.int32], int]:
    """A number for the letters of each k-mer at the positions kept, and an upper limit of these numbers."""
    ids, size = np.zeros(words.shape[1], np.int64), 1
    for row in words:
        if size * letters >= 2**62:
            ids, size = _rank(ids)
        ids = ids * letters + row
        size *= letters
    if size > limit:
        ids, size = _rank(ids)
    return ids.astype(np.int32), size


def _rank(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    distinct, ranks = np.unique(ids, return_inverse=True)
    return ranks.astype(np.int64), len(distinct)


@kernel
def _tally(ids, owner, n, size):  # type: ignore[no-untyped-def]
    # the distinct features of each string, and how often each occurs
    seen = np.zeros(size, np.int32)
    feature, count, start = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32), np.zeros(n + 1, np.int64)
    i = end = 0
    for s in range(n):
        while i < len(ids) and owner[i] == s:
            f = ids[i]
            if seen[f] == 0:
                feature[end] = f
                end += 1
            seen[f] += 1
            i += 1
        for x in range(start[s], end):
            count[x] = seen[feature[x]]
            seen[feature[x]] = 0
        start[s + 1] = end
    return start, feature[:end], count[:end]


@kernel
def _index(start, feature, count, size):  # type: ignore[no-untyped-def]
    # the same counts by feature: the strings that have it, and how often
    begin = np.zeros(size + 1, np.int32)
    for f in feature:
        begin[f + 1] += 1
    for f in range(size):
        begin[f + 1] += begin[f]
    who, often = np.empty(len(feature), np.int32), np.empty(len(feature), np.int32)
    for s in range(len(start) - 1):
        for x in range(start[s], start[s + 1]):
            f = feature[x]
            who[begin[f]], often[begin[f]] = s, count[x]
            begin[f] += 1
    # each entry of `begin` has moved to the start of the next one
    for f in range(size, 0, -1):
        begin[f] = begin[f - 1]
    begin[0] = 0
    return begin, who, often


@kernel
def _dense(start, feature, count, out):  # type: ignore[no-untyped-def]
    for s in range(len(start) - 1):
        for x in range(start[s], start[s + 1]):
            out[s, feature[x]] = count[x]
    return out


@kernel
def _norms(start, count, weight, own):  # type: ignore[no-untyped-def]
    for s in range(len(start) - 1):
        for x in range(start[s], start[s + 1]):
            c = np.int64(count[x])
            own[s] += weight * c * c


@kernel
def _add(start, feature, count, begin, who, often, weight, total):  # type: ignore[no-untyped-def]
    for i in range(len(total)):
        row = total[i]
        for x in range(start[i], start[i + 1]):
            f, step = feature[x], weight * count[x]
            for y in range(begin[f], begin[f + 1]):
                row[who[y]] += step * often[y]
