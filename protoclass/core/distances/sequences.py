"""Dissimilarities of sequences: the mismatch kernel of strings, and dynamic time warping of series.

**Mismatch kernel.** The kernel of two strings is a sum over pairs of their k-mers of a number that
depends on the pair's Hamming distance d alone: the number of words of k letters that lie within m
mismatches of both. The k-mers are not compared: products of counts give the pairs that agree when a
set of positions is left out, and inclusion-exclusion converts these counts into the numbers of
pairs at distance d. All counts are integers, so the result does not depend on the tile.

**Dynamic time warping** (Sakoe and Chiba 1978). A warping path is a sequence of pairs of steps
(i, j) of two series, from the two first steps to the two last ones. From pair to pair it advances
by one step in one series or in both. The cost of a path is the sum of |a_i - b_j| ** power over its
pairs. The dissimilarity is the lowest cost of any path, and for power 2 its square root: without
warping it is the Euclidean distance. It is symmetric to the bit, exactly 0 for identical series,
and has the same bits in every tile. It is not a metric: the triangle inequality can fail, and
series that differ only in repeated steps, such as (0, 1) and (0, 0, 1), have dissimilarity 0.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, factorial
from typing import TYPE_CHECKING

import numpy as np

from ...ground.errors import OptionError
from .. import Array
from ..parallel import in_blocks, kernel
from ..thresholds import SMALL

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DENSE = 100  # multiplications in a matrix product that take as long as one of a sparse product


def shared(k: int, m: int, letters: int, d: int) -> int:
    """Number of words of k letters that are within m mismatches of both of two words at Hamming distance d.

    Where the two differ, a word agrees with the first (p times), with the second (q times) or with
    neither.

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
    """W_t such that the kernel is sum_t W_t M_t, with M_t the pairs that agree with t positions
    left out, over all sets of t.

    A pair at distance d agrees for C(k - d, t - d) sets, so n_d = sum_t (-1)^(d - t) C(k - t, d -
    t) M_t.

    Examples
    --------
    >>> weights(3, 0, 4), weights(3, 1, 4)  # m = 0: 10 n_0 + 4 n_1 + 2 n_2 for m = 1
    ([1], [4, 0, 2])
    """
    most = min(2 * m, k)
    size = [shared(k, m, letters, d) for d in range(most + 1)]
    return [
        sum((-1) ** (d - t) * comb(k - t, d - t) * size[d] for d in range(t, most + 1))
        for t in range(most + 1)
    ]


def mismatch(a: Array, b: Array, k: int, m: int, letters: int) -> Array:
    """Distances sqrt(2 - 2 K) of the normalised (k, m)-mismatch kernel (Leslie et al. 2004).

    Parameters
    ----------
    a, b : object arrays (n,) and (q,) of int arrays
        Each string as codes 0 to letters - 1; a k-mer with a negative code is left out. Every
        string has a k-mer.
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
    from scipy.sparse import csr_array

    n, q = len(a), len(b)
    if n == 0 or q == 0:
        return np.empty((n, q))
    words, owner = _words(np.concatenate([a, b]), k)
    most, factors = int(np.bincount(owner).max()), weights(k, m, letters)
    # intermediate sums may exceed 64 bits: the kernel itself fits, so it is exact modulo 2^64
    if max(shared(k, m, letters, 0) * most**2, *map(abs, factors)) >= 2**63:
        raise OptionError(
            f"k={k}, m={m} over {letters} letters has kernel values beyond 64 bits for strings of "
            f"{most} k-mers: use a smaller m"
        )
    total, own = np.zeros((n, q), np.int64), np.zeros(n + q, np.int64)
    for t, factor in enumerate(factors):
        weight = np.int64(factor)
        for kept in combinations(range(k), k - t):
            # an index of features may have 16 cells for each k-mer
            ids, size = _features(words[list(kept)], letters, 16 * max(len(owner), 2**10))
            counts = csr_array((np.ones(len(ids), np.int64), (owner, ids)), (n + q, size))
            own += weight * counts.multiply(counts).sum(axis=1)
            total += weight * _products(counts[:n], counts[n:], most)
    norm = own.astype(np.float64)
    squared = total / np.sqrt(norm[:n, None] * norm[None, n:]) * -2 + 2
    # within rounding of 0, both have the same k-mers in the same proportions
    squared[squared < 2e-15] = 0
    return np.sqrt(squared)


def _products(a: csr_array, b: csr_array, most: int) -> Array:
    """Inner products (n, q) of counts, at most `most` in a row: of dense matrices if so many
    features are shared that this is faster.
    """
    (n, size), q = a.shape, b.shape[0]
    steps = np.bincount(a.indices, minlength=size).astype(float) @ np.bincount(
        b.indices, minlength=size
    )
    if size * (n + q) > 2**25 or steps * DENSE <= float(n) * q * size:
        return (a @ b.T).toarray()
    # sums of whole numbers within the precision are exact, in any order of BLAS
    precision = np.float32 if most**2 < 2**24 else np.float64
    return (a.astype(precision).toarray() @ b.astype(precision).toarray().T).astype(np.int64)


def _words(strings: Array, k: int) -> tuple[Array, Array]:
    """All k-mers without a negative code, (k, number), and the string of each, in order."""
    flat = np.concatenate([*strings, np.full(k, -1)])
    string = np.repeat(np.arange(len(strings) + 1), [*map(len, strings), k])
    known = np.concatenate([[0], np.cumsum(flat >= 0)])
    positions = len(flat) - k
    complete = (known[k:-1] - known[:positions] == k) & (string[k - 1 : -1] == string[:positions])
    starts = np.flatnonzero(complete)
    return np.stack([flat[starts + p] for p in range(k)]).astype(np.int64), string[starts]


def _features(words: Array, letters: int, limit: int) -> tuple[Array, int]:
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


def _rank(ids: Array) -> tuple[Array, int]:
    distinct, ranks = np.unique(ids, return_inverse=True)
    return ranks.astype(np.int64), len(distinct)


def dtw(A: Array, B: Array, window: int | None = None, power: int = 2) -> Array:
    """Dynamic time warping dissimilarities between two sets of series.

    The steps are the steps of Sakoe and Chiba (1978) without slope constraint, all with weight 1:
    the lowest cost up to (i, j) is the local cost plus the lowest of the costs up to (i - 1, j),
    (i, j - 1) and (i - 1, j - 1). Their weights (2 for a step in both series, and division by the
    sum of the lengths) are not used.

    Parameters
    ----------
    A : array (r, T) or (r, channels, T)
    B : array (q, S) or (q, channels, S)
        Series as rows, all values finite; a shorter one has NaN at its end. The costs of all
        channels are added up.
    window : int >= 0, optional
        The largest difference between two paired steps, |i - j| <= window (the adjustment window of
        Sakoe and Chiba). If the lengths of two series differ by more, it is widened to that
        difference, the smallest with a path. None: no limit.
    power : 1 or 2
        Power of the local cost: |a - b|, or (a - b) ** 2 with a square root at the end.

    Returns
    -------
    array (r, q)

    Examples
    --------
    >>> a, b = np.array([[0.0, 0.0, 1.0, 2.0]]), np.array([[0.0, 1.0, 2.0, 2.0]])
    >>> dtw(a, b, power=1), dtw(a, b, window=0, power=1)
    (array([[0.]]), array([[2.]]))
    """
    A, B = (X[:, None] if X.ndim == 2 else X for X in (A, B))
    (r, channels, T), (q, _, S) = A.shape, B.shape
    band = max(T, S) if window is None else min(window, max(T, S))
    n, m = (np.count_nonzero(~np.isnan(X[:, 0]), axis=1) for X in (A, B))
    left = np.ascontiguousarray(A, np.float64)
    right = np.ascontiguousarray(B[..., ::-1], np.float64)
    out, cells = np.empty((r, q)), T * S * q * channels  # for one row
    step = max(1, SMALL // max(1, cells))
    in_blocks(
        lambda part: _dtw(left[part], right, n[part], m, band, power, out[part]), r, step, r * cells
    )
    return out


@kernel
def _dtw(A, B, n, m, band, power, out):
    # B contains each series in reverse order; n and m are the lengths
    table = np.empty((3, A.shape[2] + 1))
    for x in range(out.shape[0]):
        for y in range(out.shape[1]):
            widest = max(band, abs(n[x] - m[y]))
            cost = _least(A[x], B[y], n[x], m[y], widest, power, table)
            out[x, y] = cost if power == 1 else np.sqrt(cost)


@kernel
def _least(a, b, n, m, band, power, table):
    # The table of lowest costs is filled along its diagonals i + j = d, whose cells do not depend
    # on one another and are computed in a vectorised loop. The last three diagonals are kept, cell
    # (i, d - i) at position i + 1, with inf on either side of the cells inside table and band. As b
    # is reversed, both series run forwards along a diagonal.
    last_step = b.shape[1] - 1
    table[:] = np.inf
    table[1, 0] = 0.0  # every path starts here
    for d in range(n + m - 1):
        before, last, now = table[(d + 1) % 3], table[(d + 2) % 3], table[d % 3]
        low, high = max(0, d - m + 1, (d - band + 1) // 2), min(n - 1, d, (d + band) // 2)
        size = high + 1 - low  # 0 on every other diagonal of a band of 0
        here = now[low + 1 : low + 1 + size]
        left, other, both = (
            last[low + 1 : low + 1 + size],
            last[low : low + size],
            before[low : low + size],
        )
        for c in range(len(a)):
            u, v = a[c, low : low + size], b[c, last_step - d + low : last_step + 1 - d + high]
            for k in range(size):
                gap, before_it = u[k] - v[k], here[k] if c else min(min(left[k], other[k]), both[k])
                here[k] = before_it + (abs(gap) if power == 1 else gap * gap)
        now[low] = np.inf  # positions beyond `high` are still inf
    return table[(n + m - 2) % 3, n]
