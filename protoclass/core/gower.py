"""Gower's coefficient for mixed variables, missing values skipped pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import each, kernel

WIDTH = 1024
BLOCK = 128


def gower(
    a: tuple[NDArray[Any], NDArray[Any]],
    b: tuple[NDArray[Any], NDArray[Any]],
    asymmetric: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Gower dissimilarities between two sets of rows (Gower 1971; Kaufman and Rousseeuw 1990, section 2.6).

    Parameters
    ----------
    a, b : pairs (numbers, codes)
        numbers : float (n, p), each column divided by its range, NaN where missing.
        codes : int (n, c), -1 where missing.
    asymmetric : bool (c,)
        For a column that is True two zeros (code 0) tell nothing and the pair skips it.

    Returns
    -------
    array (n, m)
        Mean over the variables that both rows have; NaN where they have none in common.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([[0.0], [0.5]]), np.array([[0], [1]])
    >>> gower(a, a, np.array([False]))
    array([[0.  , 0.75],
           [0.75, 0.  ]])
    """
    out = np.empty((len(a[0]), len(b[0])))
    numbers, codes = np.ascontiguousarray(b[0].T), np.ascontiguousarray(b[1].T)

    def block(first: int) -> None:
        part = slice(first, first + BLOCK)
        _gower(a[0][part], a[1][part], numbers, codes, asymmetric, out[part])

    for _ in each(block, range(0, len(out), BLOCK), out.size):
        pass
    return out


@kernel
def _gower(x, g, u, h, asymmetric, out):  # type: ignore[no-untyped-def]
    for first in range(0, out.shape[1], WIDTH):
        width = min(WIDTH, out.shape[1] - first)
        total, known = np.empty(width), np.empty(width)
        for i in range(out.shape[0]):
            total[:] = 0.0
            known[:] = 0.0
            for f in range(u.shape[0]):
                v, column = x[i, f], u[f, first : first + width]
                for j in range(width):
                    d = abs(v - column[j])
                    both = d == d
                    total[j] += d if both else 0.0
                    known[j] += 1.0 if both else 0.0
            for f in range(h.shape[0]):
                c, levels, skip = g[i, f], h[f, first : first + width], asymmetric[f]
                if c < 0:
                    continue
                for j in range(width):
                    both = levels[j] >= 0 and not (skip and c == 0 and levels[j] == 0)
                    total[j] += 1.0 if both and levels[j] != c else 0.0
                    known[j] += 1.0 if both else 0.0
            for j in range(width):
                out[i, first + j] = total[j] / known[j] if known[j] > 0 else np.nan
