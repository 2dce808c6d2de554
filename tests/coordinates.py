"""Rows of all kinds, on which distances are hard to compare."""

import re

import numpy as np

KINDS = ("integers", "tenths", "normal", "copies", "outlier", "far", "constant", "uneven", "line")


def coordinates(seed, kind, n, p, dtype=float, scale=1.0):
    """Rows (n, p): with ties, copies, outliers, far from 0, with constant columns, or columns of very different sizes."""
    draw = np.random.default_rng(seed)
    if kind in ("integers", "tenths"):
        X = draw.integers(-2, 3, (n, p)) / (10 if kind == "tenths" else 1)
    else:
        X = draw.normal(size=(n, p))
    if kind == "copies":
        X = X[draw.integers(0, max(1, n // 3), n)]
    if kind == "outlier":
        X[n // 2] *= 1e6
    if kind == "far":
        X += 300 * draw.normal(size=p)
    if kind == "constant":
        X[:, : p // 2] = 20.0
    if kind == "uneven":
        X *= 10.0 ** draw.integers(-9, 3, p)
    if kind == "line":
        X[:, 1:] = X[0, 1:]
    return np.ascontiguousarray(X * scale, dtype)


def named(case):
    """A name for a case that is the same in every process: without addresses of functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(case))
