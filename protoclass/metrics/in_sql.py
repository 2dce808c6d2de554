"""Metrics that can be written as SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ..core.sources import Rep
from ..frames.sql import Columns, number, total, within
from ..ground.errors import OptionError
from .base import Metric, TrainedMetric

ROW, PROTOTYPE = "r", "p"  # tables of the row and of the prototype in the query
MOST = 300  # power of ten of sums that are surely numbers


@dataclass(frozen=True)
class SQLDistance:
    """The dissimilarity of a row of a table to a prototype, in SQL.

    Attributes
    ----------
    rows : sequence of str
        Columns of the row that are compared, as expressions of its columns in the table.
    expression : str
        Expression of `coordinate(k)`, these columns, and `value(k)`, the columns of the prototype.
    conditions : sequence of str
        Conditions that must be true for the row; otherwise it has no class.
    values : callable
        Function for the columns of prototypes (q, c) from their representation; NaN for a missing value.
    may_miss : bool
        Whether the expression may be NULL although the conditions hold. The row then has no class.
    """

    rows: Sequence[str]
    expression: str
    conditions: Sequence[str]
    values: Callable[[Rep], np.ndarray]
    may_miss: bool = False


@runtime_checkable
class MetricInSQL(Protocol):
    """A trained metric, or one that learns nothing, that can be written as SQL."""

    def sql(self, columns: Columns) -> SQLDistance: ...


def sql_distance(metric: TrainedMetric, columns: Columns) -> SQLDistance:
    """The dissimilarity of a trained metric in SQL.

    Raises
    ------
    OptionError
        Where the metric, or a column, is not written.
    """
    written: Metric | TrainedMetric | MetricInSQL
    for written in (metric, metric.spec):
        if isinstance(written, MetricInSQL):
            return written.sql(columns)
    raise unwritten(metric)


def unwritten(metric: TrainedMetric) -> OptionError:
    """The error for a metric that is not written."""
    return OptionError(
        f"{metric.name} dissimilarities can't be written in SQL: use Minkowski distances of finite order (also Euclidean and Manhattan), "
        "LDA, Hamming, zero_one, or Gower without ranks"
    )


def coordinate(k: int) -> str:
    """The k-th coordinate of the row, from 0."""
    return f"{ROW}.x{k + 1}"


def value(k: int) -> str:
    """The k-th column of a prototype, from 0."""
    return f"{PROTOTYPE}.v{k + 1}"


def minkowski_in_sql(count: int, r: float) -> str:
    """The distance (sum |x - v|^r)^(1/r) of the first coordinates, added in their order."""
    apart = [f"{coordinate(k)} - {value(k)}" for k in range(count)]
    if r == 1:
        return total(f"ABS({d})" for d in apart)
    if r == 2:
        return f"SQRT({total(f'({d}) * ({d})' for d in apart)})"
    return f"POWER({total(f'POWER(ABS({d}), {number(r)})' for d in apart)}, {number(1 / r)})"


def distance_in_sql(rows: Sequence[str], r: float, columns: Columns) -> SQLDistance:
    """The Minkowski distance between these coordinates, which are expressions of the row's columns."""
    known = [*map(columns.known, columns.frame.schema), *(within(x, largest_coordinate(r)) for x in rows)]
    return SQLDistance(rows, minkowski_in_sql(len(rows), r), known, lambda prototypes: prototypes[0])


def gower_in_sql(ordered: Sequence[bool], skips_zeros: Sequence[bool], weights: Sequence[str], constant: str | None) -> str:
    """Gower's weighted mean over the variables: first numbers, divided by their ranges and weighted, then codes.

    Parameters
    ----------
    ordered : sequence of bool
        Whether each of the numbers is the number of a level of an ordered category; it is then negative for unknown levels, whose
        difference from every level is the whole weight.
    skips_zeros : sequence of bool
        Whether a pair of zeros does not count, for each of the codes.
    weights : sequence of str
    constant : str, or None
        Sum of the weights, if no pair skips a variable. The mean is NULL if all are skipped.
    """
    sums, counts = [], []
    for k, weight in enumerate(weights):
        x, v = coordinate(k), value(k)
        if k < len(ordered):
            apart = f"CASE WHEN {x} < 0e0 AND {v} IS NOT NULL THEN {weight} ELSE ABS({x} - {v}) END" if ordered[k] else f"ABS({x} - {v})"
            sums.append(apart if constant else f"COALESCE({apart}, 0e0)")
            counts.append(f"CASE WHEN {x} IS NULL OR {v} IS NULL THEN 0e0 ELSE {weight} END")
        else:
            zeros = f" AND {x} <> 0e0" if skips_zeros[k - len(ordered)] else ""
            sums.append(f"CASE WHEN {x} <> {v} THEN {weight} ELSE 0e0 END")
            counts.append(f"CASE WHEN {x} <> {v} OR {x} = {v}{zeros} THEN {weight} ELSE 0e0 END")
    return f"({total(sums)}) / {constant or f'NULLIF({total(counts)}, 0e0)'}"


def largest_coordinate(r: float) -> int:
    """The power of ten up to which coordinates may go without overflow of the r-th powers of their differences."""
    return int(MOST / max(r, 1.0))
