"""Prototypes and criticisms by maximum mean discrepancy, MMD-critic (Kim, Khanna and Koyejo 2016).

Prototypes are rows on which kernel functions have about the same mean as on all rows; criticisms
are rows where the two means differ most. Both are selected one after another, so the first k of a
run are the run for k alone.

"Examples are not enough, learn to criticize! Criticism for interpretability", NIPS 29, section 3.
There the prototypes S maximise

    J(S) = 2 / (n |S|) sum_{i = 1..n} sum_{j in S} k(x_i, x_j) - 1 / |S|^2 sum_{i in S} sum_{j in S}
    k(x_i, x_j),

a constant minus the squared discrepancy between rows and prototypes. Here each row counts by its
proportion of the weights instead of 1 / n, and the kernel may be any similarity, such as
`similarities` of any dissimilarity.

Two properties hold for some kernels only. If the diagonal is constant and all other values are
small enough in comparison, J is monotone and submodular over sets of at least one row: J of the
empty set is 0, and J of a single row can be lower. With a constant added to make this true from the
empty set on, the greedy choice reaches at least 1 - 1/e of the largest value. For other kernels J
may fall as prototypes are added, and is reported as it is. If the similarity is positive
semi-definite, a constant minus J is a squared distance between means; exp(-gamma d^2) is positive
semi-definite for Euclidean d and need not be for others. J is then still defined and maximised in
the same way, but the squared difference that it represents may be negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .. import Array
from ..parallel import kernel, left

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Selected:
    """Candidates in the order in which they were chosen.

    Attributes
    ----------
    chosen : int array (k,)
        Columns of K.
    objective : float array (k,)
        The maximised objective for the first 1, 2, ..., k of them.
    """

    chosen: Array
    objective: Array


def default_gamma(blocks: Iterable[tuple[Array, Array, Array]]) -> float:
    """1 / median(d^2) over pairs that differ: at the median dissimilarity a similarity is then 1/e.

    Parameters
    ----------
    blocks : tuples (D, w, own)
        For each class the dissimilarities (n, m) of its rows to its candidates, weights (n,) >= 0
        of its rows, and the row (m,) of each candidate. Only pairs within a class count, because no
        others enter the objectives, and all classes together, so that there is one gamma.

    Returns
    -------
    float
        The weight of a pair is the product of the weights of its rows. Of the dissimilarities that
        are positive and finite, the median is the lowest one up to which lies half of the weight. 1
        if there is no such pair, because all similarities are then 0 or 1.

    Examples
    --------
    >>> D = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 4.0], [2.0, 4.0, np.inf]])
    >>> default_gamma([(D, np.ones(3), np.arange(3))])
    0.25
    """
    # the unit of the weights is a power of 2 in which no product of two overflows
    blocks = list(blocks)
    unit = -int(np.frexp(max((np.max(w, initial=0.0) for _, w, _ in blocks), default=0.0))[1])
    values, weights = [np.empty(0)], [np.empty(0)]
    for D, of_rows, own in blocks:
        w = np.ldexp(np.asarray(of_rows, np.float64), unit)
        counts = (D > 0) & (np.inf > D)
        values.append(D[counts])
        weights.append(np.outer(w, w[own])[counts])
    found, weight = np.concatenate(values), np.concatenate(weights)
    if not weight.any():
        return 1.0
    order = np.argsort(found)
    upto = np.cumsum(weight[order])
    median = found[order[np.searchsorted(upto, upto[-1] / 2)]]
    with np.errstate(over="ignore"):
        return float(np.clip(median**-2.0, TINY, 1 / TINY))


def similarities(D: Array, gamma: float) -> Array:
    """exp(-gamma d^2) of dissimilarities D (n, m): 1 at d = 0, and 0 at d = inf.

    Examples
    --------
    >>> similarities(np.array([[0.0, 1.0, np.inf]]), np.log(2))
    array([[1. , 0.5, 0. ]])
    """
    with np.errstate(over="ignore"):
        # d^2 alone may overflow although gamma d^2 does not
        K = D.astype(float, order="C") * np.sqrt(gamma)
        K *= -K
    return np.exp(K, out=K)


def mmd_prototypes(K: Array, w: Array, count: int, own: Array) -> Selected:
    """Prototypes that are added one after another, each the candidate with which J is largest, the first of equal ones.

    A candidate is chosen at most once; a copy of it counts as another candidate. Choosing k of m
    costs one pass over K and then O(m) for each prototype.

    Parameters
    ----------
    K : array (n, m)
        Similarities of the rows to the candidates, finite; may be asymmetric.
    w : array (n,)
        Weights of the rows, > 0. A row of weight 2 is worth two rows of weight 1; a prototype is
        worth the same as any other.
    count : int
        Number of prototypes, 1 to m.
    own : int array (m,)
        The row that each candidate is.

    Returns
    -------
    Selected
        With J as objective. For some similarities J falls beyond some count, and this maximum is
        one way to choose k.

    Examples
    --------
    >>> x = np.array([0.0, 0.2, 0.5, 5.0, 5.1, 5.3])
    >>> selected = mmd_prototypes(similarities(np.abs(x[:, None] - x), 1.0), np.ones(6), 3, np.arange(6))
    >>> selected.chosen.tolist(), selected.objective.round(3).tolist()
    ([4, 1, 5], [-0.016, 0.471, 0.42])
    """
    chosen, objective = np.empty(count, np.int64), np.empty(count)
    _grow(K, own, _means(K, w / w.sum()), chosen, objective, left())
    return Selected(chosen, objective)


def witness(K: Array, w: Array, prototypes: Array) -> Array:
    """The mean similarity of the rows to each candidate minus the mean similarity of the prototypes.

    f(z) = sum_i w_i k(x_i, z) / sum_i w_i - sum_{j in S} k(x_j, z) / |S|: positive if prototypes
    are too few, negative if they are too many.

    Parameters
    ----------
    K : array (n, m)
        Similarities of the rows to the candidates.
    w : array (n,)
    prototypes : int array (k,)
        The rows that are prototypes, k >= 1. With the columns `chosen` of a run on candidates
        `own`: own[chosen].

    Returns
    -------
    array (m,)

    Examples
    --------
    >>> K = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> witness(K, np.ones(3), np.array([0])).tolist()
    [-0.5, 0.0, 0.3333333333333333]
    """
    return _means(K, w / w.sum()) - K[prototypes].sum(axis=0) / len(prototypes)


def criticisms(K: Array, w: Array, prototypes: Array, count: int, own: Array) -> Selected:
    """Candidates at which rows and prototypes differ most, and that differ from one another.

    Each step adds the candidate with the largest L(C) = sum_{j in C} |f(x_j)| + log det K_CC, the
    first of ties (section 3 of the paper; f is `witness`). The determinant is updated by a Cholesky
    factorisation, so the c-th criticism costs O(c m).

    Parameters
    ----------
    K, w, own
        Arguments of `mmd_prototypes`. If K is asymmetric, the determinant is of the mean of both
        directions.
    prototypes : int array (k,)
        Columns of K, which cannot be criticisms.
    count : int
        Number of criticisms, 0 to m - k.

    Returns
    -------
    Selected
        Criticisms with L as objective. Fewer than `count` if K_CC has no positive determinant with
        any remaining candidate: all of them repeat criticisms (as copies of a row do), or K is not
        positive definite on them.

    Examples
    --------
    >>> x = np.array([0.0, 0.2, 0.5, 5.0, 9.0, 9.0])
    >>> K = similarities(np.abs(x[:, None] - x), 1.0)
    >>> criticisms(K, np.ones(6), np.array([1]), 5, np.arange(6)).chosen.tolist()  # row 5 repeats row 4
    [0, 4, 3, 2]
    """
    free = np.ones(len(own), np.bool_)
    free[prototypes] = False
    gap = np.abs(witness(K, w, own[prototypes]))
    chosen, objective = np.empty(count, np.int64), np.empty(count)
    size = _criticise(K, own, gap, free, chosen, objective, left())
    return Selected(chosen[:size], objective[:size])


@kernel
def _means(K, w):
    # row by row, so that the means of equal columns are bit-identical
    out = np.zeros(K.shape[1])
    for i in range(K.shape[0]):
        for j in range(K.shape[1]):
            out[j] += w[i] * K[i, j]
    return out


@kernel
def _grow(K, own, mean, chosen, objective, left):
    # `inner` is the sum of k over pairs of chosen candidates, `cross` that over each candidate and
    # the chosen ones in both directions, and `outer` the sum of the chosen ones' means.
    m, inner, outer = K.shape[1], 0.0, 0.0
    cross, free = np.zeros(m), np.ones(m, np.bool_)
    for s in range(len(chosen)):
        if left[0]:
            return
        best, pick = -np.inf, -1
        for j in range(m):
            if free[j]:
                value = (
                    2 * (outer + mean[j]) / (s + 1)
                    - (inner + cross[j] + K[own[j], j]) / (s + 1) ** 2
                )
                if value > best:
                    best, pick = value, j
        chosen[s], objective[s], free[pick] = pick, best, False
        outer += mean[pick]
        inner += cross[pick] + K[own[pick], pick]
        for j in range(m):
            cross[j] += K[own[pick], j] + K[own[j], pick]


@kernel
def _criticise(K, own, gap, free, chosen, objective, left):
    # `rest` is the similarity of each candidate to itself, minus the part that the chosen ones
    # explain: the factor by which it would multiply the determinant. `factor` has the rows of the
    # Cholesky factor, one for each chosen candidate.
    m, total = K.shape[1], 0.0
    rest, factor = np.empty(m), np.empty((len(chosen), m))
    for j in range(m):
        rest[j] = K[own[j], j]
    for s in range(len(chosen)):
        if left[0]:
            return s
        best, pick = -np.inf, -1
        for j in range(m):
            # the proportion of similarity to itself that the selected ones must leave unexplained
            if free[j] and rest[j] > 1e-10 * K[own[j], j]:
                value = gap[j] + np.log(rest[j])
                if value > best:
                    best, pick = value, j
        if pick < 0:
            return s
        total += best
        chosen[s], objective[s], free[pick] = pick, total, False
        new, root = factor[s], np.sqrt(rest[pick])
        for j in range(m):
            new[j] = (K[own[pick], j] + K[own[j], pick]) / 2
        for t in range(s):
            part = factor[t, pick]
            for j in range(m):
                new[j] -= part * factor[t, j]
        for j in range(m):
            new[j] /= root
            rest[j] -= new[j] * new[j]
    return len(chosen)
