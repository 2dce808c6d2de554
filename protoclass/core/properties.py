"""Properties of a matrix of dissimilarities: symmetry, duplicates, the triangle inequality, Euclidean or not, ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from . import Array
from .embedding import embedding


@dataclass(frozen=True)
class Asymmetry:
    """The largest differences between D[i, j] and D[j, i].

    Attributes
    ----------
    pairs : int
        Pairs whose two directions have different bits.
    beyond : int
        Pairs that differ by more than rounding: 1e-6 of the smaller plus 1e-9 of the largest of
        all, as for an embedding.
    absolute, relative : float
        The largest difference, and the largest one relative to the larger direction of its pair.
    at, relative_at : (int, int)
        The first pairs (i, j) with these differences.
    """

    pairs: int
    beyond: int
    absolute: float
    at: tuple[int, int]
    relative: float
    relative_at: tuple[int, int]


@dataclass(frozen=True)
class Duplicates:
    """Pairs of different rows at dissimilarity 0, in at least one direction.

    Attributes
    ----------
    pairs : int
    mixed : int
        Pairs of different classes.
    groups, rows : int
        Number of sets of rows that such pairs connect, and number of rows in them.
    first : (int, int)
        The first pair, (-1, -1) for none.
    """

    pairs: int
    mixed: int
    groups: int
    rows: int
    first: tuple[int, int]


@dataclass(frozen=True)
class Triangles:
    """Triples of different rows with one side longer than the other two together.

    Attributes
    ----------
    tested, violated : int
        Number of triples tested, and of those that violate the inequality in some direction.
    exact : bool
        Whether all triples were tested.
    slack : float
        A side may be longer by this proportion of itself, to allow for rounding.
    excess : float
        The largest D[i, k] - D[i, j] - D[j, k] among the violations, 0 if there is none.
    at : (int, int, int)
        The triple (i, j, k) with this excess, where j is the detour; (-1, -1, -1) for none.
    """

    tested: int
    violated: int
    exact: bool
    slack: float
    excess: float
    at: tuple[int, ...]

    @property
    def share(self) -> float:
        return self.violated / self.tested


@dataclass(frozen=True)
class Embeddable:
    """Signature of the embedding, proportion of negative eigenvalues in the sum of absolute ones,
    and number of rows used.
    """

    signature: tuple[int, int]
    negative: float
    rows: int


@dataclass(frozen=True)
class Values:
    """Dissimilarities between different rows; if both directions are equal, they count once.

    Attributes
    ----------
    count, positive, distinct, tied : int
        Number of all values; of positive values; of distinct positive values; and of positive
        values that occur more than once.
    smallest, largest : float
        Range of the positive values; NaN if there are none.
    """

    count: int
    positive: int
    distinct: int
    tied: int
    smallest: float
    largest: float


def asymmetry(P: Array) -> Asymmetry:
    """Compare both directions of each pair of a square matrix (n, n).

    Examples
    --------
    >>> import numpy as np
    >>> asymmetry(np.array([[0.0, 3.0], [2.0, 0.0]]))
    Asymmetry(pairs=1, beyond=1, absolute=1.0, at=(0, 1), relative=0.3333333333333333, relative_at=(0, 1))
    """
    a, atol = P.astype(float, copy=False), 1e-9 * float(P.max(initial=0.0))
    b = a.T
    with np.errstate(invalid="ignore"):
        difference = np.tril(np.where(a == b, 0, np.abs(a - b)))
        share = np.nan_to_num(difference / np.maximum(a, b))
    beyond = difference > atol + 1e-6 * np.minimum(a, b)
    at, relative_at = (np.unravel_index(x.argmax(), P.shape) for x in (difference, share))
    return Asymmetry(
        int(np.count_nonzero(difference)),
        int(np.count_nonzero(beyond)),
        float(difference[at]),
        (int(at[1]), int(at[0])),
        float(share[relative_at]),
        (int(relative_at[1]), int(relative_at[0])),
    )


def self_dissimilarities(P: Array, candidate_row: Array) -> Array:
    """Dissimilarities of rows to themselves: D[candidate_row[j], j] for the candidates that are rows."""
    rows = np.flatnonzero(candidate_row >= 0)
    return P[candidate_row[rows], rows]


def duplicates(P: Array, candidate_row: Array, codes: Array | None = None) -> Duplicates:
    """Different rows at dissimilarity 0.

    Parameters
    ----------
    P : array (n, m)
    candidate_row : int array (m,)
        The row that each candidate is, -1 for none.
    codes : int array (n,), optional
        Classes of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    >>> duplicates(P, np.arange(3), np.array([0, 1, 1]))
    Duplicates(pairs=1, mixed=1, groups=1, rows=2, first=(0, 1))
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(P)
    i, j = np.nonzero((P == 0) & (candidate_row >= 0) & (candidate_row != np.arange(n)[:, None]))
    # a pair counts once if either direction is 0
    pairs = np.unique(np.sort(np.stack([i, candidate_row[j]]), axis=0), axis=1)
    group = connected_components(
        csr_array((np.ones(pairs.shape[1]), pairs), (n, n)), directed=False
    )[1]
    sizes = np.bincount(group)
    mixed = 0 if codes is None else int((codes[pairs[0]] != codes[pairs[1]]).sum())
    first = (int(i[0]), int(candidate_row[j[0]])) if len(i) else (-1, -1)
    return Duplicates(
        pairs.shape[1], mixed, int((sizes > 1).sum()), int(sizes[sizes > 1].sum()), first
    )


def triangles(P: Array, seed: int = 0, exact: int = 300, triples: int = 1_000_000) -> Triangles:
    """The triangle inequality in a square matrix (n, n), n >= 3, in all directions of each triple.

    Parameters
    ----------
    P : array (n, n)
        It may be asymmetric; its diagonal is not used.
    seed : int
        Seed for the random triples.
    exact : int
        Rows up to which all triples are tested.
    triples : int
        Number of random triples beyond that, drawn with replacement.

    Examples
    --------
    >>> import numpy as np
    >>> triangles(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]]))
    Triangles(tested=1, violated=1, exact=True, slack=1e-09, excess=2.0, at=(0, 1, 2))
    """
    slack = 1e-9 if P.dtype == np.float64 else 1e-5
    tested, violated, excess, at = 0, 0, 0.0, tuple([-1] * 3)
    for i, j, k in _triples(len(P), seed, exact, triples):
        worst, side = np.zeros(len(i)), np.zeros(len(i), int)
        # each path has a start, a detour and an end
        paths = ((i, j, k), (k, j, i), (j, k, i), (i, k, j), (k, i, j), (j, i, k))
        for number, (start, detour, end) in enumerate(paths):
            direct = P[start, end]
            with np.errstate(invalid="ignore"):
                more = direct - (P[start, detour] + P[detour, end])
            longer = (more > slack * direct) & (more > worst)
            worst[longer], side[longer] = more[longer], number
        tested, violated = tested + len(i), violated + int((worst > 0).sum())
        if worst.max(initial=0.0) > excess:
            place = worst.argmax()
            excess, at = float(worst[place]), tuple(int(rows[place]) for rows in paths[side[place]])
    return Triangles(tested, violated, len(P) <= exact, slack, excess, at)


def _triples(n: int, seed: int, exact: int, triples: int) -> Iterator[tuple[Array, Array, Array]]:
    """Three different rows each: all sets, by their first row, or a random sample."""
    if n <= exact:
        for i in range(n - 2):
            j, k = np.triu_indices(n - i - 1, 1)
            yield np.full(len(j), i), j + i + 1, k + i + 1
        return
    draw = np.random.default_rng(seed)
    a, b, c = (draw.integers(n - excluded, size=triples) for excluded in range(3))
    b = b + (b >= a)  # the b-th row other than a, and the c-th row other than both
    low, high = np.minimum(a, b), np.maximum(a, b)
    c = c + (c >= low)
    yield a, b, c + (c >= high)


def euclidean(P: Array, seed: int = 0, most: int = 1500) -> Embeddable:
    """Whether the rows of a symmetric matrix (n, n) are points of a Euclidean space at these
    distances: by the spectrum.

    For more than `most` rows a random sample is tested. Negative eigenvalues in a sample prove it
    for all rows; their absence does not.

    Examples
    --------
    >>> import numpy as np
    >>> euclidean(np.abs(np.subtract.outer([0.0, 1.0, 3.0], [0.0, 1.0, 3.0])))
    Embeddable(signature=(1, 0), negative=0.0, rows=3)
    """
    if len(P) > most:
        rows = np.sort(np.random.default_rng(seed).choice(len(P), most, replace=False))
        P = P[np.ix_(rows, rows)]
    P = P / (P.max(initial=0.0) or 1)  # squares of large values would overflow
    spectral = embedding((P + P.T) / 2)
    size = float(np.abs(spectral.values).sum())
    negative = abs(float(spectral.values[spectral.values < 0].sum())) / size if size else 0.0
    return Embeddable(spectral.signature, negative, len(P))


def values(P: Array, candidate_row: Array) -> Values:
    """Ties and range of the positive dissimilarities (n, m) between different rows; `candidate_row` as in `duplicates`.

    Examples
    --------
    >>> import numpy as np
    >>> values(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0]]), np.arange(3))
    Values(count=3, positive=3, distinct=2, tied=2, smallest=1.0, largest=2.0)
    """
    n, rows = len(P), np.flatnonzero(candidate_row >= 0)
    column = np.full(n, -1, np.int64)  # the candidate that each row is
    column[candidate_row[rows]] = rows
    # `back` is the other direction of each pair, which counts once if both are equal
    i, back = np.arange(n)[:, None], P[np.ix_(candidate_row, column)].T
    twice = (candidate_row >= 0) & (candidate_row < i) & (column[:, None] >= 0) & (back == P)
    observed = P[(candidate_row != i) & ~twice]
    positive, count = np.sort(observed[observed > 0]), len(observed)
    if not len(positive):
        return Values(count, 0, 0, 0, float("nan"), float("nan"))
    first = np.flatnonzero(np.diff(positive, prepend=-1) > 0)
    counts = np.diff(first, append=len(positive))
    tied = int(counts[counts > 1].sum())
    return Values(count, len(positive), len(first), tied, float(positive[0]), float(positive[-1]))
