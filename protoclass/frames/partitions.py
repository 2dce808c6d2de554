"""Answers about tables whose rows lie in partitions, of dask: computed where these are, when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

import pandas as pd

from .sources import library_of

Answer: TypeAlias = pd.Series | pd.DataFrame


def in_partitions(data: Any) -> bool:
    """Whether a table has its rows in partitions."""
    return library_of(data) == "dask"


def over_partitions(data: Any, names: Iterable[str] | None, function: Callable[[pd.DataFrame], Answer], like: Answer) -> Any:
    """A function of each partition of a table, as a lazy answer of the table's own library.

    Parameters
    ----------
    data : dask DataFrame
    names : the columns that the function reads, None for all
    function : of a pandas frame, which gives an answer about its rows
    like : Series or DataFrame
        An answer of no rows, which has the types of all.
    """
    part = data if names is None else data[list(names)]
    like = like.set_axis(part._meta.index)
    return part.map_partitions(partial(_answer, function, like), meta=like)


def _answer(function: Callable[[pd.DataFrame], Answer], like: Answer, rows: pd.DataFrame) -> Answer:
    """The answer about a partition, with the types that were promised; a partition may have no rows."""
    if len(rows) == 0:
        return like.set_axis(rows.index)
    answer = function(rows)
    return answer.astype(like.dtypes if isinstance(like, pd.DataFrame) else like.dtype)
