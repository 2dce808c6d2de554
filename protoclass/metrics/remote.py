"""Metrics of rows that stay on the workers of a cluster: trained and represented there."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

from ..core.parts import Rows, parted_rep
from ..core.sources import Rep
from ..errors import OptionError
from ..frames.blocks import blocks
from ..frames.frame import Frame


def train_remote(metric: Any, frame: Frame) -> Any:
    """The metric trained on rows that stay where they are, from what each place says of its own.

    Raises
    ------
    OptionError
        For a metric whose training reads all rows.
    """
    if not metric.trained_in_parts:
        raise OptionError(
            f"{metric.name} learns from all rows in one place{f' ({metric.scaling})' if metric.scaling else ''}, and they stay on the "
            "cluster: train it on a sample of them, pc.dissimilarity(formula, sample, metric).metric, and give that"
        )
    assert frame.parts is not None
    tallies = frame.parts.map(_tally, metric)
    return metric.trained(reduce(add, [tally for tally in tallies if tally is not None]), frame)


def _tally(frame: Frame, metric: Any) -> Any:
    return reduce(add, (metric.tally(rows) for _, rows in blocks(frame))) if len(frame) else None


def rows_where_they_are(metric: Any, frame: Frame, rows_of: Any) -> Rep:
    """The representation of rows that stay where they are; `rows_of(metric, frame)` makes that of a part."""
    parts = frame.parts
    assert parts is not None
    firsts = [(int(first),) for first in parts.bounds[:-1]]
    return parted_rep(parts.make(_represent, metric, rows_of, each=firsts))


def _represent(frame: Frame, first: int, metric: Any, rows_of: Any) -> Rows:
    return Rows(first, rows_of(metric, frame))
