"""The class whose balls contain a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import Array
from ..coding import coder
from ..distances.minkowski import measure_pair
from ..parallel import few, kernel

if TYPE_CHECKING:
    from ..query import Query
    from ..task import Points


BLOCK = 64  # prototypes in one step
NONE = -1
SEVERAL = -2


def covering(D: Array, member: Array, radii: Array) -> Array:
    """The class whose balls `d < radii[g, j]` contain each row: -1 if no ball does, -2 if balls of several classes do.

    D : (r, q); member : int16 (G, q) as in `nearest`; radii : (G, q), or (G, 1) or (1, q). Returns int64 (r, G).
    """
    if few(len(D) * member.size):
        inside = (D[:, None, :] < radii) & (member >= 0)  # (r, G, q)
        last = np.where(inside, member, np.int16(NONE)).max(axis=2, initial=NONE).astype(np.int64)
        others = (inside & (member != last[:, :, None])).any(axis=2)
        return np.where(others, SEVERAL, last)
    reach = np.where(member >= 0, radii, -np.inf).max(axis=0, initial=-np.inf)
    out = np.full((len(D), len(member)), NONE)
    member = np.ascontiguousarray(member, np.int16)
    _covering(np.ascontiguousarray(D), member, np.broadcast_to(radii, member.shape), reach, out)
    return out


def covering_by(query: Query, prototypes: Points, member: Array, radii: Array) -> Array:
    """As `covering` at radii (G,), for the rows of a query, whose dissimilarities are only compared with them."""
    compared = query.compared(prototypes)
    if compared is None:
        return covering(query.dissimilarities(prototypes), member, radii[:, None])
    rows, candidates, limits = compared.rows, compared.candidates, compared.bounds
    reach = coder(np.unique(radii), rows.exact.dtype).radii[np.unique(radii, return_inverse=True)[1]]
    low, high = limits.thresholds(reach)
    most = np.where(member >= 0, high[:, None], -np.inf).max(axis=0, initial=-np.inf).astype(np.float32)
    out = np.full((len(query), len(member)), NONE)
    sides = compared.twice, rows.square, candidates.square, rows.exact, candidates.exact
    bounds = np.float32(limits.norm), np.float32(limits.slack)
    _covering_near(*sides, *_sets_of(member, reach), member, reach, low, high, most, *bounds, out)
    return out


def _sets_of(member: Array, reach: Array) -> tuple[Array, Array]:
    """The sets of each prototype, from the largest radii on, and the first position of the sets of each prototype."""
    order = np.argsort(-reach, kind="stable")
    of, at = np.nonzero(member[order].T >= 0)
    return order[at], np.searchsorted(of, np.arange(member.shape[1] + 1))


@kernel
def _covering_near(  # type: ignore[no-untyped-def]
    twice, rows, candidates, X, Z, sets, start, member, reach, low, high, most, norm, slack, out
):
    # as `_covering`; pairs that the bound leaves open are computed exactly. Few pairs lie within the radii: blocks without one are known by
    # the sign bit of how far beyond they are.
    one, q, blocks = np.float32(1), len(candidates), -(-len(candidates) // BLOCK)
    by_block, inside = np.full((blocks, BLOCK), np.float32(np.inf)), np.empty(blocks, np.int32)
    beyond, bits = by_block.reshape(-1), by_block.view(np.int32)
    for i in range(len(rows)):
        own = rows[i]
        for j in range(q):
            beyond[j] = (candidates[j] + own) * (one - norm) - slack - twice[i, j] - most[j]
        for block in range(blocks):
            signs = np.int32(0)
            for t in range(BLOCK):
                signs |= bits[block, t]
            inside[block] = signs
        for block in range(blocks):
            if inside[block] >= 0:
                continue
            for j in range(block * BLOCK, min(q, (block + 1) * BLOCK)):
                if beyond[j] >= 0:
                    continue
                N, t = candidates[j] + own, twice[i, j]
                least, largest = N * (one - norm) - slack - t, N * (one + norm) + slack - t
                exact = np.inf
                for s in range(start[j], start[j + 1]):
                    g = sets[s]
                    if least >= high[g]:
                        break
                    if largest >= low[g]:
                        if exact == np.inf:
                            exact = measure_pair(Z[j], X[i])
                        if not exact < reach[g]:
                            break
                    c = member[g, j]
                    if out[i, g] == -1:
                        out[i, g] = c
                    elif out[i, g] != c:
                        out[i, g] = -2


@kernel
def _covering(D, member, radii, reach, out):  # type: ignore[no-untyped-def]
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            d = D[i, j]
            if not d < reach[j]:
                continue
            for g in range(member.shape[0]):
                c = member[g, j]
                if c >= 0 and d < radii[g, j]:
                    if out[i, g] == -1:
                        out[i, g] = c
                    elif out[i, g] != c:
                        out[i, g] = -2
