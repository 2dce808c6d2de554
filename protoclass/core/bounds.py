"""Sample compression bounds on the error of new rows (Marchand and Shawe-Taylor 2001, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, expm1, lgamma, log


@dataclass(frozen=True)
class Bound:
    """Both inequalities of Theorem 5.1; 1 where they say nothing.

    Attributes
    ----------
    value : float
        The first, with binomial coefficients.
    looser : float
        The second, with their logarithms bounded.
    """

    value: float
    looser: float


def compression_bound(m: int, d2: int, d1: int, k: int, delta: float) -> Bound:
    """Theorem 5.1: a bound that holds with probability 1 - delta over training sets of m independent rows.

    Parameters
    ----------
    m : int
        Training rows.
    d2, d1 : int
        Rows of the compression set, and of the part of it that is told apart.
    k : int
        Training errors.
    delta : float in (0, 1)

    Examples
    --------
    >>> b = compression_bound(1000, 10, 5, 20, 0.05)
    >>> round(b.value, 3), round(b.looser, 3)
    (0.164, 0.187)
    """
    left = m - d2 - k
    if left <= 0:
        return Bound(1.0, 1.0)
    # Without a compression set the sum over its sizes has one term: d2 = 0 counts as 1.
    sizes = 2 * log(m) + log(max(d2, 1)) - log(delta)
    exact = _log_choose(m, d2) + _log_choose(d2, d1) + _log_choose(m - d2, k) + sizes
    rough = _log_rough(m, d2) + _log_rough(d2, d1) + _log_rough(m - d2, k) + sizes
    return Bound(min(1.0, -expm1(-exact / left)), min(1.0, rough / left))


def machine_bound(m: int, features: int, on_p: int, k: int, delta: float) -> Bound:
    """Theorem 5.2: `compression_bound` of a set covering machine, whose features are two rows each.

    `on_p` (R+) of its `features` (R) are centred on P-examples.
    """
    return compression_bound(m, 2 * features, on_p, k, delta)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _log_rough(n: int, k: int) -> float:
    return k * log(e * n / k) if k else 0.0  # 0 log 0 = 0
