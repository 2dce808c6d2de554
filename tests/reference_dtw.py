"""Dynamic time warping by recursion on one pair of series."""

from functools import cache

import numpy as np


def slow(a, b, window=None, power=2):
    """Least cost of a path to the ends of both series, found backwards by recursion."""
    band = max(len(a), len(b)) if window is None else max(window, abs(len(a) - len(b)))

    @cache
    def cost(i, j):
        if i < 0 or j < 0 or abs(i - j) > band:
            return np.inf
        here = abs(a[i] - b[j]) ** power
        if i == 0 and j == 0:
            return here
        return here + min(cost(i - 1, j), cost(i, j - 1), cost(i - 1, j - 1))

    return cost(len(a) - 1, len(b) - 1) ** (1 / power)
