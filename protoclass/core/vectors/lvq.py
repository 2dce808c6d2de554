"""Learning vector quantization: LVQ1, OLVQ1, LVQ2.1, LVQ3 (Kohonen 1995, chapter 6) and GLVQ (Sato and Yamada 1996).

Rows are drawn one by one, and the code vectors near each are moved towards it or away from it. Draws are taken in blocks: two
matrix products in single precision give the inner products of a block's rows with all code vectors and with one another,
and a move of one code vector then changes only its column. These products settle which code vectors are near where their
rounding error leaves no doubt; the others are measured again in double precision, in which all moves are made. So the
outcome is that of the plain loop, whatever BLAS does and on however many threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distances.minkowski import minkowski
from ..parallel import alone, each, kernel

Array = NDArray[Any]

VARIANTS = ("lvq1", "olvq1", "lvq2.1", "lvq3", "glvq")
LVQ1, OLVQ1, LVQ21, LVQ3, GLVQ = range(5)
ANY, OWN, OTHER = range(3)  # the classes whose code vectors are searched
BLOCK = 128  # draws
AHEAD = 8  # blocks that are made ready at a time
AT_ONCE = 2**24  # distances measured at a time
FAR = 10.0  # no code vector is pushed this many times as far from the rows' mean as the farthest row


@dataclass(frozen=True)
class Learning:
    """How code vectors learn.

    Attributes
    ----------
    variant : one of `VARIANTS`
    alpha : float, 0 < alpha < 1
        The rate at first.
    window : float, 0 < window < 1
        Of LVQ2.1 and LVQ3: a row is in the window between two code vectors where the ratio of its smaller to its larger
        distance exceeds (1 - window) / (1 + window).
    epsilon : float
        Of LVQ3: the part of the rate by which both nearest move that are of the row's class.
    steepness : float >= 0
        Of GLVQ: the cost of a row is f(mu), the logistic function of steepness * mu times 4 / steepness; mu itself at 0.
    """

    variant: str
    alpha: float
    window: float = 0.3
    epsilon: float = 0.1
    steepness: float = 0.0


def learned(X: Array, y: Array, codes: Array, label: Array, rows: Array, how: Learning) -> Array:
    """Code vectors after the rows `rows` were shown to them, in this order.

    With d+ and d- the squared distances to the nearest code vectors of the row's class and of the others, GLVQ goes down the
    gradient of f((d+ - d-) / (d+ + d-)). Its rate is in units of the rows' mean d+ + d- at the start, so that it does not
    depend on the scale of X, and no step is longer than the way to the row. In LVQ1, LVQ2.1, LVQ3 and GLVQ the rate falls
    linearly to 0; in OLVQ1 each code vector's falls with what it gets right and rises, up to alpha, with what it gets
    wrong. A push that would carry a code vector more than `FAR` times as far from the mean of X as the farthest row is not
    made.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
    codes : array (q, p)
        Where the code vectors start.
    label : int array (q,)
        Their classes; each class has at least one, and there are two classes.
    rows : int array (T,)
    how : Learning

    Returns
    -------
    float array (q, p)
        Of code vectors equally near, the first is taken.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [4.0]]), np.array([0, 0, 1])
    >>> learned(X, y, X[[0, 2]], y[[0, 2]], np.array([1, 1]), Learning("lvq1", 0.5)).tolist()
    [[0.625], [4.0]]
    """
    X, y, label = np.asarray(X, float), np.asarray(y, np.int64), np.asarray(label, np.int64)
    centre = X.mean(axis=0)
    off = X - centre
    # a power of two brings the rows into the narrow range of single precision, and leaves all digits as they are
    power = -int(np.frexp(np.abs(off).max(initial=0.0))[1])
    X, codes, centre, off = (np.ascontiguousarray(np.ldexp(a, power)) for a in (X, codes, centre, off))
    norm = np.einsum("ij,ij->i", off, off)
    small, seen = off.astype(np.float32), (codes - centre).astype(np.float32)
    far = FAR**2 * float(norm.max(initial=0.0))
    unit = _unit(X, y, codes, label) if how.variant == "glvq" else 1.0
    ratio = ((1 - how.window) / (1 + how.window)) ** 2
    knobs = (VARIANTS.index(how.variant), how.alpha, ratio, how.epsilon, how.steepness, unit)
    rate = np.full(len(codes), how.alpha)
    # four times the rounding of X C' and of a block's changes to it, see `_move`
    share = 4 * (X.shape[1] + 2 * BLOCK + 8) * 2.0**-24

    def ready(first: int) -> tuple[Any, ...]:
        """What a run of blocks needs that does not depend on the code vectors."""
        out = []
        for start in range(first, min(first + AHEAD * BLOCK, len(rows)), BLOCK):
            at = rows[start : start + BLOCK]
            A = small[at]
            out.append((start, A, A @ A.T, norm[at], X[at], y[at]))
        return tuple(out)

    with alone():
        for run in each(ready, range(0, len(rows), AHEAD * BLOCK), len(rows) * len(codes)):
            for first, A, between, its_norm, its_x, its_y in run:
                square = np.einsum("ij,ij->i", seen, seen).astype(float)
                slack = share * np.maximum(square, its_norm.max())
                products = (A @ seen.T, between, its_norm, square, slack)
                _show(its_x, its_y, first, len(rows), codes, seen, label, rate, products, knobs, (centre, far))
    return np.ldexp(codes, -power)


def _unit(X: Array, y: Array, codes: Array, label: Array) -> float:
    """Mean over the rows of d+ + d-."""
    total, step = 0.0, max(1, AT_ONCE // len(codes))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        D, own = minkowski(X[part], codes) ** 2, y[part, None] == label
        total += float((np.where(own, D, np.inf).min(axis=1) + np.where(own, np.inf, D).min(axis=1)).sum())
    return total / len(X)


@kernel
def _show(X, own, first, total, codes, seen, label, rate, products, knobs, frame):  # type: ignore[no-untyped-def]
    variant, alpha, ratio, epsilon, steepness, unit = knobs
    P, _, _, square, slack = products
    for t in range(len(X)):
        x, c = X[t], own[t]
        a = alpha * (1 - (first + t) / total)
        i = _nearest(x, P[t], square, slack, codes, label, c, OWN if variant == GLVQ else ANY, -1)
        if variant in (LVQ1, OLVQ1):
            sign = 1.0 if label[i] == c else -1.0
            if variant == OLVQ1:
                rate[i] = min(alpha, rate[i] / (1 + sign * rate[i]))
                a = rate[i]
            _move(i, sign * a, t, X, codes, seen, products, frame)
            continue
        j = _nearest(x, P[t], square, slack, codes, label, c, OTHER if variant == GLVQ else ANY, i)
        di, dj = _squared(x, codes[i]), _squared(x, codes[j])
        if variant == GLVQ:
            both = di + dj
            if both > 0:
                f = 1 / (1 + np.exp(-steepness * (di - dj) / both))
                step = a * unit * 4 * f * (1 - f)
                _move(i, min(1.0, step * (dj / both) / both), t, X, codes, seen, products, frame)
                _move(j, -min(1.0, step * (di / both) / both), t, X, codes, seen, products, frame)
        elif (label[i] == c) != (label[j] == c):
            if di > ratio * dj:
                sign = 1.0 if label[i] == c else -1.0
                _move(i, sign * a, t, X, codes, seen, products, frame)
                _move(j, -sign * a, t, X, codes, seen, products, frame)
        elif variant == LVQ3 and label[i] == c:
            _move(i, epsilon * a, t, X, codes, seen, products, frame)
            _move(j, epsilon * a, t, X, codes, seen, products, frame)


@kernel
def _nearest(x, product, square, slack, codes, label, own, side, without):  # type: ignore[no-untyped-def]
    # squared distances less |x|^2 lie within slack of their scores: one is nearest for certain where its highest value is
    # below the lowest of all others
    high, low, next_low, at = np.inf, np.inf, np.inf, -1
    for j in range(len(square)):
        if _barred(j, label, own, side, without):
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
        if not _barred(j, label, own, side, without) and square[j] - 2 * product[j] - slack[j] <= high:
            d = _squared(x, codes[j])
            if d < best:
                best, at = d, j
    return at


@kernel
def _barred(j, label, own, side, without):  # type: ignore[no-untyped-def]
    return j == without or (side == OWN and label[j] != own) or (side == OTHER and label[j] == own)


@kernel
def _squared(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for f in range(len(a)):
        total += (a[f] - b[f]) * (a[f] - b[f])
    return total


@kernel
def _move(k, a, t, X, codes, seen, products, frame):  # type: ignore[no-untyped-def]
    """Code vector k moves by a of the way to row t."""
    P, G, norm, square, slack = products
    centre, far = frame
    x, code, single = X[t], codes[k], seen[k]
    if a < 0:
        reach = 0.0
        for f in range(len(x)):
            gap = code[f] + a * (x[f] - code[f]) - centre[f]
            reach += gap * gap
        if reach > far:
            return
    b = 1 - a
    for f in range(len(x)):
        code[f] += a * (x[f] - code[f])
        single[f] = code[f] - centre[f]
    square[k] = b * b * square[k] + 2 * a * b * P[t, k] + a * a * norm[t]
    for s in range(t + 1, len(X)):
        P[s, k] = b * P[s, k] + a * G[t, s]
    if a < 0:  # errors grow by at most this; a step towards a row takes means of them
        slack[k] *= (1 - 2 * a) * (1 - 2 * a)
