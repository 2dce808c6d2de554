"""Rules are asked about rows where these are kept; their answers come back."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NoVectors
from .beside import Beside
from .query import Query, answer
from .sharded import Measure, ShardedSource
from .shards import Rows
from .sources import Source
from .task import Path, Points, Rule

Array = NDArray[Any]


def answers(source: ShardedSource, rule: Rule | Path, kind: str, rows: Array) -> Array:
    """What a rule or path, whose prototypes are candidates, says of some rows.

    Parameters
    ----------
    source : ShardedSource
    rule : Rule or Path
    kind : str
    rows : int array (r,)

    Returns
    -------
    array (r, ...)
        Codes and positions are of the smallest type of int8, int16 and int64 that has them.
    """
    place, bounds = source.place(rows), source.shards.bounds
    asked = [(rows[place == s] - bounds[s],) for s in range(len(bounds) - 1)]
    found = list(enumerate(source.shards.map(_answer, asked, (source.measure, rule, kind))))
    answered = [(place == s, some) for s, some in found if some is not None]
    if not answered:  # no rows
        return _short(answer(rule, kind, _query(source, rows)))
    out = np.empty((len(rows), *answered[0][1].shape[1:]), np.result_type(*(some.dtype for _, some in answered)))
    for at, some in answered:
        out[at] = some
    return out


def query_of(source: ShardedSource, rows: Array) -> Query:
    """Some of the rows as a query; what rules say of them is asked where the rows are.

    rows : int array (r,)
    """
    return _query(source, rows, elsewhere=partial(answers, source))


def _answer(rows: Rows, at: Array, measure: Measure, rule: Rule | Path, kind: str) -> Array | None:
    return _short(answer(rule, kind, _query(measure.source(rows), at))) if len(at) else None


def _query(source: Source, rows: Array, **more: Any) -> Query:
    def measure(at: Array, prototypes: Points) -> Array:
        return source.take(at, _columns(prototypes))

    def beside(prototypes: Points) -> Beside | None:
        return Beside(source, _columns(prototypes))

    return Query(rows, measure, _no_vectors, _no_vectors, str, beside if source.shards is None else None, **more)


def _columns(prototypes: Points) -> Array:
    return _no_vectors(prototypes.classes) if prototypes.at is None else prototypes.at


def _no_vectors(rows: Array) -> Array:
    raise NoVectors(
        "rows that are kept in several places are compared with candidates alone, and this method reads coordinates or columns: "
        "use method='pvm', or bring a sample of the rows to one place"
    )


def _short(said: Array) -> Array:
    """Codes and positions in as few bytes as they need."""
    if said.dtype.kind not in "iu":
        return said
    low, high = int(said.min(initial=0)), int(said.max(initial=0))
    kinds = (np.int8, np.int16)
    return said.astype(next((t for t in kinds if np.iinfo(t).min <= low and high <= np.iinfo(t).max), np.int64))
