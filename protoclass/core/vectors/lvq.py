"""Learning vector quantization: LVQ1, OLVQ1, LVQ2.1, LVQ3 (Kohonen 1995, chapter 6) and GLVQ (Sato and Yamada 1996).

Rows are drawn one by one, and the code vectors near each are moved towards it or away from it.
Draws are taken in blocks: two matrix products in single precision give the inner products of a
block's rows with all code vectors and with one another, and a move of one code vector then changes
only its column. If the rounding error of these products leaves no doubt, they determine the nearest
code vectors; otherwise distances are computed again in double precision, in which all moves are
made. So the result is the result of the plain loop, with any BLAS and number of threads.

**The bound.** Let u = 2^-24, and M the larger of |c|^2 and of the largest |x|^2 of the block, all
vectors about the mean of the rows. The score |c|^2 - 2 x'c of a code vector c then differs from
|x - c|^2 - |x|^2 by at most its slack, 4 (p + 2 BLOCK_DRAWS + 8) u M, four times the error in first
order:

1. Rounding the vectors, the products and their sums changes a score by less than 4 (p + 8) u M.
2. A move rounds the products of c with the later rows once, which changes a score by at most 2 u M.
   A block has at most BLOCK_DRAWS moves of c.
3. A step towards a row, 0 < a <= 1, takes means of two products, so neither their errors nor M
   grow.
4. A step away, a < 0, multiplies their errors and M by at most (1 + 2 |a|)^2, and so the slack.

A code vector is surely the nearest if its score plus its slack is below those of all others minus
theirs. Code vectors whose limits overlap are measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import Array
from ..distances.minkowski import minkowski
from ..neighbours.nearest import votes
from ..parallel import alone, kernel
from .centroids import kmeans

VARIANTS = ("lvq1", "olvq1", "lvq2.1", "lvq3", "glvq")
LVQ1, OLVQ1, LVQ21, LVQ3, GLVQ = range(5)
ANY, OWN, OTHER = range(3)  # the classes whose code vectors are compared
BLOCK_DRAWS = 128  # rows whose inner products are found together
DISTANCES_AT_ONCE = 2**24  # numbers in one table of distances, at most
# no code vector is pushed farther from the mean of the rows than this many times the farthest row
FAR = 10.0


@dataclass(frozen=True)
class Learning:
    """Parameters of the training of code vectors.

    Attributes
    ----------
    variant : one of `VARIANTS`
    alpha : float, 0 < alpha < 1
        Initial rate.
    window : float, 0 < window < 1
        Window of LVQ2.1 and LVQ3: a row is in the window between two code vectors if the ratio of
        its smaller to its larger distance exceeds (1 - window) / (1 + window).
    damping : float
        LVQ3: the proportion of the rate by which both nearest code vectors move if they are of the
        row's class.
    steepness : float >= 0
        GLVQ: the cost of a row is f(mu), the logistic function of steepness * mu times 4 /
        steepness; mu itself at 0.
    """

    variant: str
    alpha: float
    window: float = 0.3
    damping: float = 0.1
    steepness: float = 0.0


def train_codes(
    X: Array, y: Array, codes: Array, code_classes: Array, rows: Array, how: Learning
) -> Array:
    """Code vectors after training with the rows `rows`, in this order.

    With d+ and d- the squared distances to the nearest code vectors of the row's class and of the
    others, GLVQ goes down the gradient of f((d+ - d-) / (d+ + d-)). Its rate is in units of the
    rows' mean d+ + d- at the start, so it does not depend on the scale of X, and no step is longer
    than the distance to the row. In LVQ1, LVQ2.1, LVQ3 and GLVQ the rate falls linearly to 0; in
    OLVQ1 the rate of each code vector falls with each row that it classifies correctly and rises,
    up to alpha, with each row that it misclassifies. A step that would move a code vector more than
    `FAR` times as far from the mean of X as the farthest row is not made.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    codes : array (q, p)
        Initial code vectors.
    code_classes : int array (q,)
        Classes of the code vectors; each class has at least one, and there are at least two
        classes.
    rows : int array (T,)
    how : Learning

    Returns
    -------
    float array (q, p)
        Trained code vectors. The first code vector breaks ties between nearest ones.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [4.0]]), np.array([0, 0, 1])
    >>> train_codes(X, y, X[[0, 2]], y[[0, 2]], np.array([1, 1]), Learning("lvq1", 0.5)).tolist()
    [[0.625], [4.0]]
    """
    centre = X.mean(axis=0)
    centred = X - centre
    # a power of two scales the rows to the range of single precision and keeps all digits
    power = -int(np.frexp(np.abs(centred).max(initial=0.0))[1])
    X, codes, centre, centred = (
        np.ascontiguousarray(np.ldexp(a, power)) for a in (X, codes, centre, centred)
    )
    norm = np.einsum("ij,ij->i", centred, centred)
    single, single_codes = centred.astype(np.float32), (codes - centre).astype(np.float32)
    limit = FAR**2 * norm.max(initial=0.0)
    unit = _unit(X, y, codes, code_classes) if how.variant == "glvq" else 1.0
    ratio = ((1 - how.window) / (1 + how.window)) ** 2
    parameters = (VARIANTS.index(how.variant), how.alpha, ratio, how.damping, how.steepness, unit)
    rate = np.full(len(codes), how.alpha)
    # the slack of a code vector as a share of M, see the head of this module
    share = 4 * (X.shape[1] + 2 * BLOCK_DRAWS + 8) * 2.0**-24

    with alone():
        for first in range(0, len(rows), BLOCK_DRAWS):
            block = rows[first : first + BLOCK_DRAWS]
            A = single[block]
            square = np.einsum("ij,ij->i", single_codes, single_codes).astype(float)
            slack = share * np.maximum(square, norm[block].max())
            products = (A @ single_codes.T, A @ A.T, norm[block], square, slack)
            _train(
                X[block],
                y[block],
                first,
                len(rows),
                codes,
                single_codes,
                code_classes,
                rate,
                products,
                parameters,
                (centre, limit),
            )
    return np.ldexp(codes, -power)


def _unit(X: Array, y: Array, codes: Array, code_classes: Array) -> float:
    """Mean over the rows of d+ + d-."""
    total, step = 0.0, max(1, DISTANCES_AT_ONCE // len(codes))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        D, same = minkowski(X[part], codes) ** 2, y[part, None] == code_classes
        total += (
            np.where(same, D, np.inf).min(axis=1) + np.where(same, np.inf, D).min(axis=1)
        ).sum()
    return float(total) / len(X)


@kernel
def _train(
    X,
    row_classes,
    first,
    total,
    codes,
    single_codes,
    code_classes,
    rate,
    products,
    parameters,
    frame,
):
    """Move the code vectors for the rows X of a block, in order.

    `codes`, `single_codes`, `rate`, P, |c|^2 and the slack change with each move.

    first, total : the number of the block's first draw, and of all draws
    products : (P, G, norm, square, slack), the inner products of rows with code vectors (t, q) and
        with one another (t, t), |x|^2 (t,), |c|^2 (q,), and the slack of each score (q,)
    parameters : (variant, alpha, ratio, damping, steepness, unit)
    frame : (centre, limit), the mean of the rows, and the largest |c|^2 about it
    """
    variant, alpha, ratio, damping, steepness, unit = parameters
    P, _, _, square, slack = products
    first_side, second_side = (OWN, OTHER) if variant == GLVQ else (ANY, ANY)
    for t in range(len(X)):
        x, c = X[t], row_classes[t]
        a = alpha * (1 - (first + t) / total)
        i = _nearest(x, P[t], square, slack, codes, code_classes, c, first_side, -1)
        right = code_classes[i] == c
        if variant in (LVQ1, OLVQ1):
            sign = 1.0 if right else -1.0
            if variant == OLVQ1:
                rate[i] = min(alpha, rate[i] / (1 + sign * rate[i]))
                a = rate[i]
            _move(i, sign * a, t, X, codes, single_codes, products, frame)
            continue
        j = _nearest(x, P[t], square, slack, codes, code_classes, c, second_side, i)
        di, dj = _squared(x, codes[i]), _squared(x, codes[j])
        if variant == GLVQ:
            steps = _down_the_gradient(di, dj, a * unit, steepness)
        elif right != (code_classes[j] == c):
            step = a if right else -a
            steps = (step, -step) if di > ratio * dj else (0.0, 0.0)
        else:
            step = damping * a if variant == LVQ3 and right else 0.0
            steps = (step, step)
        if steps[0] != 0:
            _move(i, steps[0], t, X, codes, single_codes, products, frame)
        if steps[1] != 0:
            _move(j, steps[1], t, X, codes, single_codes, products, frame)


@kernel
def _down_the_gradient(di, dj, rate, steepness):
    """The steps of GLVQ of two code vectors at squared distances di and dj from a row."""
    both = di + dj
    if not both > 0:
        return 0.0, 0.0
    f = 1 / (1 + np.exp(-steepness * (di - dj) / both))
    step = rate * 4 * f * (1 - f)
    return min(1.0, step * (dj / both) / both), -min(1.0, step * (di / both) / both)


@kernel
def _nearest(x, product, square, slack, codes, code_classes, row_class, side, without):
    """The nearest code vector of those on a side, the first of equal ones.

    The head of this module has the bound. `high` is the lowest upper limit, and `next_low` the
    second lowest lower limit. If `next_low` is above `high`, one code vector alone has a lower
    limit up to `high`, and it is the one at `high`.
    """
    high, low, next_low, at = np.inf, np.inf, np.inf, -1
    for j in range(len(square)):
        if _is_excluded(j, code_classes, row_class, side, without):
            continue
        score = square[j] - 2 * product[j]
        if score + slack[j] < high:
            high, at = score + slack[j], j
        if score - slack[j] < low:
            low, next_low = score - slack[j], low
        elif score - slack[j] < next_low:
            next_low = score - slack[j]
    if next_low > high:
        return at
    best = np.inf
    for j in range(len(square)):
        if (
            not _is_excluded(j, code_classes, row_class, side, without)
            and square[j] - 2 * product[j] - slack[j] <= high
        ):
            d = _squared(x, codes[j])
            if d < best:
                best, at = d, j
    return at


@kernel
def _is_excluded(j, code_classes, row_class, side, without):
    """Whether code vector j is `without`, or has a class that is not compared on this side."""
    return (
        j == without
        or (side == OWN and code_classes[j] != row_class)
        or (side == OTHER and code_classes[j] == row_class)
    )


@kernel
def _squared(a, b):
    """The squared distance of two vectors in double precision."""
    total = 0.0
    for f in range(len(a)):
        total += (a[f] - b[f]) * (a[f] - b[f])
    return total


@kernel
def _move(k, a, t, X, codes, single_codes, products, frame):
    """Move code vector k by the proportion a of the distance to row t."""
    P, G, norm, square, slack = products
    centre, limit = frame
    x, code, single = X[t], codes[k], single_codes[k]
    if a < 0:
        reach = 0.0
        for f in range(len(x)):
            gap = code[f] + a * (x[f] - code[f]) - centre[f]
            reach += gap * gap
        if reach > limit:
            return
    b = 1 - a
    for f in range(len(x)):
        code[f] += a * (x[f] - code[f])
        single[f] = code[f] - centre[f]
    square[k] = b * b * square[k] + 2 * a * b * P[t, k] + a * a * norm[t]
    for s in range(t + 1, len(X)):
        P[s, k] = b * P[s, k] + a * G[t, s]
    if a < 0:  # point 4 of the bound
        slack[k] *= (1 - 2 * a) * (1 - 2 * a)


def shuffle_rows(rows: Array, w: Array, seed: tuple[int, ...]) -> Array:
    """The rows in random order: at every position, each remaining row is drawn with probability
    proportional to its weight.
    """
    keys = np.random.default_rng(seed).exponential(size=len(rows)) / w[rows]
    return rows[np.argsort(keys, kind="stable")]


def draw_rows(w: Array, count: int, seed: tuple[int, ...]) -> Array:
    """Rows drawn with replacement, with probabilities proportional to their weights: int array (count,)."""
    total = np.cumsum(w)
    draws = np.random.default_rng(seed).random(count) * total[-1]
    # a product may be rounded up to the last total, which belongs to the last row with weight
    return np.minimum(np.searchsorted(total, draws, side="right"), np.flatnonzero(w)[-1])


def neighbours_agree(
    X: Array, y: Array, w: Array, rows: Array, neighbours: int, classes: int
) -> Array:
    """Whether the nearest other rows vote for the class of each of some rows.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    w : array (n,)
        Weight of each row's vote.
    rows : int array (r,)
    neighbours : int >= 1
        Number of rows that vote, with all that are tied with the last one; fewer if there are fewer
        other rows. The first class breaks ties between votes.
    classes : int

    Returns
    -------
    bool array (r,)
    """
    out = np.empty(len(rows), bool)
    ks = np.array([min(neighbours, len(X) - 1)])
    step = max(1, DISTANCES_AT_ONCE // len(X))
    for first in range(0, len(rows), step):
        block = rows[first : first + step]
        D = minkowski(X[block], X)
        D[np.arange(len(block)), block] = np.inf
        out[first : first + step] = votes(D, ks, y, w, classes)[:, 0].argmax(axis=1) == y[block]
    return out


def choose_confirmed(
    X: Array, y: Array, w: Array, order: Array, count: int, neighbours: int, classes: int
) -> tuple[Array, int]:
    """The first `count` rows of an order that their neighbours agree with, see `neighbours_agree`.

    If there are fewer, the first other rows follow; the number of these is returned as well.
    """
    right, wrong = order[:0], order[:0]
    position = 0
    while len(right) < count and position < len(order):
        batch = order[position : position + count - len(right)]
        agree = neighbours_agree(X, y, w, batch, neighbours, classes)
        right, wrong = np.concatenate([right, batch[agree]]), np.concatenate([wrong, batch[~agree]])
        position += len(batch)
    lacking = count - len(right)
    return np.concatenate([right, wrong[:lacking]]), lacking


def codebook(
    X: Array, y: Array, w: Array, counts: Array, start: str, neighbours: int, seed: tuple[int, ...]
) -> tuple[Array, int]:
    """Code vectors to start from, class by class.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    w : array (n,)
        Positive.
    counts : int array (classes,)
        Code vectors of each class, at most its rows.
    start : "knn", "random" or "kmeans"
        Random rows of the class that their `neighbours` nearest agree with; random rows; centroids
        of k-means.
    neighbours : int >= 1
    seed : tuple of int

    Returns
    -------
    codes : array (sum of counts, p)
    lacking : int
        Number of rows that disagree with their neighbours, used because there are no others.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [9.0], [2.0]]), np.array([0, 0, 0, 1])
    >>> codes, lacking = codebook(X, y, np.ones(4), np.array([2, 1]), "knn", 1, (0,))
    >>> sorted(codes[:2, 0].tolist()), codes[2:, 0].tolist(), lacking
    ([0.0, 1.0], [2.0], 1)
    """
    parts, lacking = [], 0
    for c, count in enumerate(counts.tolist()):
        of_class = np.flatnonzero(y == c)
        if start == "kmeans":
            # three runs of k-means, as in method "kmeans" by default
            parts.append(kmeans(X[of_class], w[of_class], count, 3, (*seed, count, c))[0])
            continue
        order = shuffle_rows(of_class, w, (*seed, c))
        if start == "knn":
            order, unconfirmed = choose_confirmed(X, y, w, order, count, neighbours, len(counts))
            lacking += unconfirmed
        parts.append(X[order[:count]])
    return np.concatenate(parts), lacking


def nearest_weights(
    X: Array, y: Array, w: Array, codes: Array, code_classes: Array
) -> tuple[Array, Array]:
    """Weights of the rows nearest to each code vector: of its own class and of other classes, each (q,)."""
    own, other = np.zeros(len(codes)), np.zeros(len(codes))
    step = max(1, DISTANCES_AT_ONCE // len(codes))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        near = minkowski(X[part], codes).argmin(axis=1)
        right = code_classes[near] == y[part]
        own += np.bincount(near, w[part] * right, len(codes))
        other += np.bincount(near, w[part] * ~right, len(codes))
    return own, other
