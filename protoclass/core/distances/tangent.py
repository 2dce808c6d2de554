"""Tangent distance between images (Simard, LeCun and Denker 1993).

Small transformations of an image move it along a plane, spanned by its tangents. The distance is
that between the two planes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import Array
from ..parallel import in_blocks, kernel

TRANSFORMATIONS = ("x", "y", "scale", "rotation", "hyperbolic", "diagonal", "thickness")
# images multiplied at a time: blocks of one shape, for one order of all sums
TILE_ROWS, TILE_COLUMNS = 64, 512
# a tangent counts if at least this proportion of it is independent of those before it
DEPENDENT = 1e-4
# squared sine below which a direction counts as shared by two planes, the limit of float32
SHARED = 1e-5
# proportion of the squared lengths below which a squared difference is computed again in float64
CLOSE = 1e-4


def tangents(
    images: Array, shape: tuple[int, int], sigma: float, background: float, which: tuple[str, ...]
) -> Array:
    """An orthonormal basis of each image's tangents.

    Parameters
    ----------
    images : array (n, height * width)
    shape : (height, width)
    sigma : float
        Standard deviation in pixels of the Gaussian whose derivatives are taken.
    background : float
        The value beyond the border.
    which : names of `TRANSFORMATIONS`

    Returns
    -------
    float32 array (n, len(which), height * width)
        A tangent that depends on those before it is 0.
    """
    out = np.empty((len(images), len(which), images.shape[1]), np.float32)

    def fill(part: slice) -> None:
        out[part] = _basis(images[part], shape, sigma, background, which)

    in_blocks(fill, len(images), 256, out.size)
    return out


def _basis(
    images: Array, shape: tuple[int, int], sigma: float, background: float, which: tuple[str, ...]
) -> Array:
    from scipy.ndimage import gaussian_filter

    height, width = shape
    plain = np.asarray(images, float).reshape(-1, height, width)

    def derivative(order: tuple[int, int, int]) -> Array:
        return gaussian_filter(plain, (0.0, sigma, sigma), order, mode="constant", cval=background)

    down, across = derivative((0, 1, 0)), derivative((0, 0, 1))
    y, x = np.ogrid[:height, :width]
    y, x = y - (height - 1) / 2, x - (width - 1) / 2
    moves: dict[str, Callable[[], Array]] = {
        "x": lambda: across,
        "y": lambda: down,
        "scale": lambda: x * across + y * down,
        "rotation": lambda: y * across - x * down,
        "hyperbolic": lambda: x * across - y * down,
        "diagonal": lambda: y * across + x * down,
        "thickness": lambda: across**2 + down**2,
    }
    basis = np.stack([moves[name]().reshape(len(plain), -1) for name in which], axis=1)
    _orthonormal(basis, DEPENDENT)
    return basis


@kernel
def _orthonormal(basis, least):
    # Gram-Schmidt, twice for each tangent, because rounding makes a single pass inexact
    n, k, p = basis.shape
    for i in range(n):
        for a in range(k):
            size = 0.0
            for s in range(p):
                size += basis[i, a, s] ** 2
            for _ in range(2):
                for b in range(a):
                    inner = 0.0
                    for s in range(p):
                        inner += basis[i, a, s] * basis[i, b, s]
                    for s in range(p):
                        basis[i, a, s] -= inner * basis[i, b, s]
            left = 0.0
            for s in range(p):
                left += basis[i, a, s] ** 2
            scale = 1 / np.sqrt(left) if left > least**2 * size else 0.0
            for s in range(p):
                basis[i, a, s] *= scale


def tangent_distances(a: tuple[Array, Array], b: tuple[Array, Array], center: Array) -> Array:
    """Tangent distances (r, q) of r images to q images.

    With orthonormal tangents A and B, e = x - y, u = A'e, v = B'e and C = A'B, the squared distance
    is e'e less the part of e in the span of A and B: u'u + w'(I - C'C)^-1 w with w = v - C'u. The
    results for both orders of A and B are averaged, so that both directions have the same bits.

    Parameters
    ----------
    a, b : (images, their tangents), float32 (n, p) and (n, k, p)
    center : float32 array (p,)
        Subtracted from all images before they are multiplied, which keeps rounding errors small.

    Returns
    -------
    float32 array (r, q)
    """
    (X, A), (Y, B) = a, b
    r, q, k, p = len(X), len(Y), A.shape[1], X.shape[1]
    out = np.empty((r, q), np.float32)
    left = np.zeros((TILE_ROWS, k + 1, p), np.float32)
    right = np.zeros((k + 1, TILE_COLUMNS, p), np.float32)
    own_a, own_b = _own(X - center, A), _own(Y - center, B)
    for top in range(0, r, TILE_ROWS):
        rows = slice(top, min(top + TILE_ROWS, r))
        m = rows.stop - top
        left[:m, 0], left[:m, 1:] = X[rows] - center, A[rows]
        for start in range(0, q, TILE_COLUMNS):
            columns = slice(start, min(start + TILE_COLUMNS, q))
            c = columns.stop - start
            right[0, :c], right[1:, :c] = Y[columns] - center, B[columns].transpose(1, 0, 2)
            G = (left.reshape(-1, p) @ right.reshape(-1, p).T).reshape(
                TILE_ROWS, k + 1, k + 1, TILE_COLUMNS
            )
            _pairs(G, own_a[rows], own_b[columns], X[rows], Y[columns], out[rows, columns])
    return out


def _own(X: Array, A: Array) -> Array:
    """Squared length of each image and its inner products with its own tangents, float32 (n, 1 + k)."""
    inner = np.einsum("nkp,np->nk", A.astype(float), X.astype(float))
    return np.column_stack([(X.astype(float) ** 2).sum(axis=1), inner]).astype(np.float32)


@kernel
def _pairs(G, own_a, own_b, X, Y, out):
    # the innermost loops run over some columns at a time, for vectorisation within the cache
    k, width = own_a.shape[1] - 1, 64
    u, v = np.zeros((k, width), np.float32), np.zeros((k, width), np.float32)
    C, transposed = np.zeros((k, k, width), np.float32), np.zeros((k, k, width), np.float32)
    explained, explained_back = np.zeros(width, np.float32), np.zeros(width, np.float32)
    S, w = np.zeros((k, k, width), np.float32), np.zeros((k, width), np.float32)
    for i in range(out.shape[0]):
        for start in range(0, out.shape[1], width):
            q = min(width, out.shape[1] - start)
            for a in range(k):
                for j in range(q):
                    u[a, j] = own_a[i, 1 + a] - G[i, 1 + a, 0, start + j]
                    v[a, j] = G[i, 0, 1 + a, start + j] - own_b[start + j, 1 + a]
            for a in range(k):
                for b in range(k):
                    for j in range(width):
                        c = G[i, 1 + a, 1 + b, start + j]
                        C[a, b, j] = c
                        transposed[b, a, j] = c
            _explained(C, u, v, S, w, explained)
            _explained(transposed, v, u, S, w, explained_back)
            for j in range(q):
                size = own_a[i, 0] + own_b[start + j, 0]
                squared = size - np.float32(2) * G[i, 0, 0, start + j]
                if squared <= np.float32(CLOSE) * size:
                    exact = 0.0
                    for s in range(X.shape[1]):
                        exact += (np.float64(X[i, s]) - np.float64(Y[start + j, s])) ** 2
                    squared = np.float32(exact)
                left = squared - np.float32(0.5) * (explained[j] + explained_back[j])
                out[i, start + j] = np.sqrt(left) if left > 0 and squared > 0 else np.float32(0)


@kernel
def _explained(C, u, v, S, w, out):
    # Writes u'u + w' S^-1 w with S = I - C'C and w = v - C'u, by S = L D L'. A direction that both
    # planes share counts once.
    k, q = u.shape
    for j in range(q):
        out[j] = np.float32(0)
    for a in range(k):
        for j in range(q):
            out[j] += u[a, j] * u[a, j]
            w[a, j] = v[a, j]
        for b in range(k):
            for j in range(q):
                w[a, j] -= C[b, a, j] * u[b, j]
        for b in range(a + 1):
            unit = np.float32(1 if a == b else 0)
            for j in range(q):
                S[a, b, j] = unit
            for t in range(k):
                for j in range(q):
                    S[a, b, j] -= C[t, a, j] * C[t, b, j]
    for b in range(k):  # column b of L times D, with 1 / D on the diagonal, or 0 if nothing remains
        for j in range(q):
            S[b, b, j] = (
                np.float32(1) / S[b, b, j] if S[b, b, j] > np.float32(SHARED) else np.float32(0)
            )
            out[j] += w[b, j] * w[b, j] * S[b, b, j]
        for a in range(b + 1, k):
            for j in range(q):
                share = S[a, b, j] * S[b, b, j]
                w[a, j] -= share * w[b, j]
                S[b, a, j] = share  # kept above the diagonal
        for a in range(b + 1, k):
            for t in range(b + 1, a + 1):
                for j in range(q):
                    S[a, t, j] -= S[b, a, j] * S[t, b, j]
