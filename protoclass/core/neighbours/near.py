"""The nearest prototypes of the rows of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pool import Near, nearest_of

if TYPE_CHECKING:
    from ..query import Query
    from ..task import Points


def nearest_k(query: Query, prototypes: Points, k: int) -> Near:
    """For each row of a query the prototypes up to the distance of the k-th nearest one, with those tied with it.

    Parameters
    ----------
    query : Query
    prototypes : Points
        At least one.
    k : int
        All prototypes where it is larger than their number.
    """
    k, beside = min(k, len(prototypes)), query.beside(prototypes)
    near = None if beside is None else beside.nearest(query.rows, k, query.together)
    return nearest_of(query.dissimilarities(prototypes), k) if near is None else near
