"""The class whose balls contain a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .parallel import kernel

Array = NDArray[Any]
NONE = -1


def covering(D: Array, member: Array, radii: Array) -> Array:
    """The class whose balls `d < radii[g]` contain each row: -1 if no ball does, -2 if balls of several classes do.

    D : (r, q); member : int16 (G, q) as in `nearest`; radii : (G,). Returns int64 (r, G).
    """
    reach = np.where(member >= 0, radii[:, None], -np.inf).max(axis=0, initial=-np.inf)
    out = np.full((len(D), len(member)), NONE)
    _covering(np.ascontiguousarray(D), np.ascontiguousarray(member, np.int16), radii, reach, out)
    return out


@kernel
def _covering(D, member, radii, reach, out):  # type: ignore[no-untyped-def]
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            d = D[i, j]
            if not d < reach[j]:
                continue
            for g in range(member.shape[0]):
                c = member[g, j]
                if c >= 0 and d < radii[g]:
                    if out[i, g] == -1:
                        out[i, g] = c
                    elif out[i, g] != c:
                        out[i, g] = -2
