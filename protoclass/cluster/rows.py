"""Frames whose rows stay on the workers of a Dask cluster: made from tables there, represented by metrics, and used in queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import pairwise
from operator import add
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from ..core.memory import at_most, check_fits
from ..core.parallel import on_this_thread
from ..core.parts import Rows, parted_rep
from ..core.sources import Rep
from ..frames.blocks import blocks
from ..frames.formula import Formula, read
from ..frames.frame import Frame
from ..frames.read import is_path
from ..frames.schema import (
    check_names,
    check_unique,
    check_weight_of_classes,
    describe_column,
    given_weights,
    learn_schema,
    missing_values,
    read_classes,
)
from ..frames.specification import trained_spec
from ..frames.tables import as_pandas
from ..ground.checks import one_of
from ..ground.errors import DataError, OptionError, TooLarge
from .workers import ClusterParts, is_dask

Answer: TypeAlias = pd.Series | pd.DataFrame

PARTS = 2  # for each thread of the workers
SHARE = 1 / 16  # of a worker's memory, which one part may take
ROWS = 50_000  # of a part that is made of a frame in memory


@dataclass(frozen=True)
class Look:
    """Properties of one part of the data."""

    complete: np.ndarray  # bool (r,): which of its rows take part
    missing: pd.Series  # missing values of each column
    size: int  # bytes of the columns that the formula names
    examples: dict[str, pd.Series]  # values of the rows that take part: of text and categories all that occur, of numbers the first
    response: pd.Series | None  # of the rows that take part
    aside: dict[str, pd.Series]  # columns of weights and groups, of all rows


def look(table: pd.DataFrame, formula: Formula, aside: Sequence[str], keep: bool) -> Look:
    """Properties of a part; `keep`: whether rows with missing predictors take part."""
    table = _as_here(table)
    columns, given = table[list(formula.variables)], table[[c for c in (formula.response,) if c is not None]]
    missing = (given if keep else pd.concat([columns, given], axis=1)).isna()
    complete = ~missing.any(axis=1).to_numpy()
    kept, coded = columns[complete], formula.coded()
    examples = {c: _examples(kept[c], c in coded) for c in kept}
    response = None if formula.response is None else _coded(given[complete][formula.response])
    size = int(columns.memory_usage(index=False, deep=True).sum())
    return Look(complete, missing.sum(), size, examples, response, {c: table[c] for c in aside})


def _as_here(table: pd.DataFrame) -> pd.DataFrame:
    """The table with texts as pandas has them by default: Dask makes them another type."""
    texts = [c for c in table if isinstance(table[c].dtype, pd.StringDtype)]
    return table.assign(**{c: table[c].astype(object).infer_objects() for c in texts}) if texts else table


def _examples(values: pd.Series, coded: bool) -> pd.Series:
    """Values that show the kind and the levels of a column."""
    if isinstance(values.dtype, pd.CategoricalDtype) or (pd.api.types.is_numeric_dtype(values.dtype) and not coded):
        return values.iloc[:1]
    return values.drop_duplicates()


def _coded(values: pd.Series) -> pd.Series:
    """Texts as a categorical, which is smaller to send; everything else as it is."""
    if isinstance(values.dtype, pd.CategoricalDtype) or not all(isinstance(v, str) for v in values.unique()):
        return values
    return values.astype("category")  # whose levels are sorted


@dataclass(frozen=True, repr=False)
class RemoteFrame(Frame):
    """A Frame whose predictors stay on the workers of a cluster, part by part; classes and weights are here as well."""

    columns: pd.DataFrame = field(init=False, repr=False)  # all predictors, fetched at their first use
    # the rows of each part of the data that take part in the fit, a Frame each
    parts: ClusterParts = field(kw_only=True)  # type: ignore[misc, assignment]
    labels: pd.Index = field(kw_only=True)

    def __getattr__(self, name: str) -> Any:
        if name != "columns":
            raise AttributeError(name)
        shape = f"{len(self)} x {len(self.schema)}"
        cure = "take some of the rows, fit.frame.take(rows)"
        check_fits(len(self) * len(self.schema) * 8, f"the {shape} predictors, which are on the workers, take", cure)
        fetched = self.take(np.arange(len(self))).columns
        object.__setattr__(self, "columns", fetched)
        return fetched

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def index(self) -> pd.Index:
        return self.labels

    def take(self, rows: np.ndarray | slice) -> Frame:
        """Some of the rows, by position; they come here."""
        rows = np.arange(len(self))[rows]
        order = np.argsort(rows, kind="stable")
        at = np.split(rows[order], np.searchsorted(rows[order], self.parts.bounds[1:-1]))
        local = [(positions - first,) for positions, first in zip(at, self.parts.bounds[:-1], strict=True)]
        found = pd.concat(self.parts.map(_columns, each=local))
        columns = found.iloc[np.argsort(order, kind="stable")].set_axis(self.labels[rows])
        response = None if self.response is None else self.response[rows]
        return Frame(
            columns, response, self.formula, self.schema, self.spec, self.weights[rows], self.dropped, self.keep, self.notes
        )

    def held_out_levels(self, fold: np.ndarray, texts: Iterable[str]) -> dict[str, np.ndarray]:
        of_part = [(own,) for own in np.split(fold, self.parts.bounds[1:-1])]
        found = self.parts.map(_levels_by_fold, int(fold.max(initial=0)) + 1, tuple(texts), each=of_part)
        once = {c: np.flatnonzero(np.logical_or.reduce([part[c] for part in found]).sum(axis=1) == 1) for c in found[0]}
        rare = {c: levels for c, levels in once.items() if len(levels)}
        at = self.parts.map(_rows_with, rare, tuple(texts))
        return {c: np.concatenate([part[c] for part in at]) for c in rare}

    def predictors_of(self, labels: pd.Index) -> pd.DataFrame:
        at = self.labels.get_indexer(labels)
        return self.take(at[at >= 0]).columns.reindex(labels)


def _columns(frame: Frame, at: np.ndarray) -> pd.DataFrame:
    return frame.columns.iloc[at]


def _levels_by_fold(frame: Frame, fold: np.ndarray, folds: int, texts: Iterable[str]) -> dict[str, np.ndarray]:
    """Whether a level of a category occurs in a fold, bool (levels, folds), by column."""
    out = {}
    for c, codes in frame.learned_levels(texts).items():
        out[c] = np.zeros((len(frame.schema[c].levels), folds), bool)
        out[c][codes[codes >= 0], fold[codes >= 0]] = True
    return out


def _rows_with(frame: Frame, levels: Mapping[str, np.ndarray], texts: Iterable[str]) -> dict[str, np.ndarray]:
    """Which rows have some levels of a category, bool (r,), by column."""
    codes = frame.learned_levels(texts)
    return {c: np.isin(codes[c], levels_of) for c, levels_of in levels.items()}


def mold_remote(
    formula: str, data: Any, client: Any, *, na: str, weights: Any, aside: tuple[str, ...]
) -> tuple[pd.DataFrame, RemoteFrame]:
    """Make a Frame of rows on a cluster.

    Parameters
    ----------
    formula : str
    data : dask DataFrame, pandas DataFrame or paths
        The rows of all but a pandas frame are called by their numbers, in the order of the partitions.
    client : Dask client
    na, weights, aside : as in `frame.mold`; the columns that are named there come here

    Returns
    -------
    DataFrame
        A row for each of the data, with the columns named aside alone.
    RemoteFrame
    """
    one_of("na", na, ("drop", "raise", "keep"))
    data, given = as_dask(data), data
    check_names(data.columns)
    names = (*aside, *([weights] if isinstance(weights, str) else []))
    parsed = read(formula, data.columns, names)
    if parsed.response is None:
        raise DataError(f"{formula!r} has no response: use 'response ~ predictors'")
    if parsed.learns():
        raise OptionError(
            f"{parsed.quoted} has a transform that learns from all rows, but these stay on the cluster: compute the column in the data "
            "first, or use client=None and a path of the files"
        )
    needed = [c for c in data.columns if c in {*parsed.variables, parsed.response, *names}]
    present = [c for c in names if c in needed]
    ClusterParts(client, ()).check_versions()
    tables = ClusterParts(client, client.compute(data[needed].to_delayed()), run=_on_worker)
    looks = tables.map(look, parsed, present, na == "keep")
    complete = np.concatenate([look.complete for look in looks])
    if len(complete) == 0:
        raise DataError("the data have no rows")
    labels = given.index if isinstance(given, pd.DataFrame) else pd.RangeIndex(len(complete))
    check_unique(labels, "row")
    table = pd.DataFrame({c: _joined([look.aside[c] for look in looks]).set_axis(labels) for c in present}, labels)
    weight = given_weights(weights, table)
    missing = sum(look.missing for look in looks)
    if not complete.all() and (na == "raise" or not complete.any()):
        raise missing_values(missing, len(complete), parsed.response, na)
    schema = learn_schema({c: _joined([look.examples[c] for look in looks]) for c in parsed.variables}, parsed)
    response = _joined([look.response for look in looks]).rename(parsed.response)
    levels, notes = read_classes(response, missing)
    weight = weight[complete]
    check_weight_of_classes(levels, weight, parsed.response)
    labels = labels if complete.all() else labels[complete]
    _check_partitions([look.size for look in looks], tables.rooms())
    head = _head(tables, parsed, schema, na == "keep")
    groups = _neighbours([look.size for look in looks], tables.rooms())
    counts = np.concatenate([[0], np.cumsum([look.complete.sum() for look in looks])])
    bounds = np.array([0, *(counts[b] for _, b in groups)])
    own = [
        ([look.complete for look in looks[a:b]], labels[counts[a] : counts[b]], levels.codes[counts[a] : counts[b]],
         weight[counts[a] : counts[b]])
        for a, b in groups
    ]  # fmt: skip
    parts = tables.in_groups(groups).make(_frame_of_part, head, levels.categories, levels.ordered, each=own, bounds=bounds)
    frame = RemoteFrame(
        levels, parsed, schema, head.spec, weight, table.index[~complete], na == "keep", notes,
        parts=parts, labels=labels,
    )  # fmt: skip
    return table, frame


def _on_worker(work: Callable[..., Any], *given: Any) -> Any:
    """Number of concurrent parts of a worker: its threads; it stops if it takes more memory than Dask allows."""
    from distributed import get_worker

    with at_most(int(get_worker().memory_manager.memory_limit or 0)):
        return on_this_thread(work, *given)


def _head(tables: ClusterParts, formula: Formula, schema: Any, keep: bool) -> Frame:
    """The Frame of no rows, with the specification of the design matrix."""
    first = next(part for part in tables.map(_first_rows, formula.variables) if len(part))
    complete = first if keep else first.dropna()
    frame = Frame(complete, None, formula, schema, None, np.ones(len(complete)), pd.RangeIndex(0), keep)
    return replace(frame.take(np.arange(0)), spec=trained_spec(frame))


def _first_rows(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    return _as_here(table[list(names)].dropna().head(1))


def _check_partitions(sizes: Sequence[int], rooms: Sequence[int]) -> None:
    """Raise if a partition takes more than a quarter of a worker's memory: it is read, copied and compared there."""
    least = min((room for room in rooms if room), default=0)
    if least and max(sizes) > least / 4:
        size = f"{max(sizes) / 2**20:.0f} MB"
        raise TooLarge(
            f"partition {int(np.argmax(sizes))} needs {size}, above a quarter of the {least / 2**20:.0f} MB of memory of a worker's "
            f"thread: use ddf.repartition(partition_size='{max(1, int(least / 2**20 / 16))}MB')"
        )


def _neighbours(sizes: Sequence[int], rooms: Sequence[int]) -> list[tuple[int, int]]:
    """Partitions in runs, because a round of the work takes a message for each: two for each thread, if they fit into its memory."""
    most = max(1, sum(sizes)) / (PARTS * max(1, len(rooms)))
    limits = [SHARE * room for room in rooms if room]
    most = min([most, *limits])
    ends, size = [], 0
    for k, count in enumerate(sizes):
        if size and size + count / 2 > most:
            ends.append(k)
            size = 0
        size += count
    return list(pairwise([0, *ends, len(sizes)]))


def _frame_of_part(
    tables: list[pd.DataFrame], complete: list[np.ndarray], labels: pd.Index, codes: np.ndarray, weights: np.ndarray,
    head: Frame, levels: pd.Index, ordered: bool,
) -> Frame:  # fmt: skip
    names = list(head.schema)
    tables = [_as_here(table) for table in tables]
    kept = [table[names] if whole.all() else table.loc[whole, names] for table, whole in zip(tables, complete, strict=True)]
    columns = pd.DataFrame({c: _joined([table[c] for table in kept]).array for c in names}, labels)
    return replace(head, columns=columns, response=pd.Categorical.from_codes(codes, levels, ordered), weights=weights)


def _joined(parts: list[Any]) -> pd.Series:
    """A column from its parts, some of which may be empty."""
    filled = [part for part in parts if len(part)] or parts[:1]
    types = {str(part.dtype) for part in filled}
    if all(isinstance(part.dtype, pd.CategoricalDtype) for part in filled):
        same = len({tuple(part.cat.categories) for part in filled}) == 1
        joined = union_categoricals([part.array for part in filled], sort_categories=not same)
        return pd.Series(joined)
    if len(types) > 1 and not all(pd.api.types.is_numeric_dtype(part.dtype) for part in filled):
        kinds = {describe_column(part).kind for part in filled}
        if len(kinds) > 1:
            raise DataError(f"a column contains {' and '.join(sorted(types))} in different partitions: use data.astype(...)")
    return pd.concat(filled, ignore_index=True)


def as_dask(data: Any) -> Any:
    """A Dask DataFrame: the one that is given, of a pandas frame, or of parquet or csv files by their path.

    Raises
    ------
    DataError
        For other tables.
    """
    if is_dask(data):
        return data
    import dask
    import dask.dataframe as dd

    with dask.config.set({"dataframe.convert-string": False}):  # it would make texts of numbers in mixed columns, and of lists
        data = as_pandas(data) if is_path(data) else data
        if isinstance(data, pd.DataFrame):
            return dd.from_pandas(data.reset_index(drop=True), npartitions=max(1, -(-len(data) // ROWS)), sort=False)  # type: ignore[no-untyped-call]
    raise DataError(
        f"client= needs a Dask DataFrame, a pandas frame or paths of parquet or csv files, not {type(data).__name__}: use "
        "dask.dataframe.from_pandas(frame, npartitions=8)"
    )


def train_remote(metric: Any, frame: Frame) -> Any:
    """The metric trained on rows that stay on the workers, from the statistics of each part.

    Raises
    ------
    OptionError
        If the training of the metric needs all rows together.
    """
    if not metric.trained_in_parts:
        raise OptionError(
            f"{metric.name} learns from all rows in one place{f' ({metric.scaling})' if metric.scaling else ''}, but they stay on the "
            "cluster: train it on a sample, pc.dissimilarity(formula, sample, metric).metric, and use the result"
        )
    assert frame.parts is not None
    tallies = frame.parts.map(_tally, metric)
    return metric.trained(reduce(add, [tally for tally in tallies if tally is not None]), frame)


def _tally(frame: Frame, metric: Any) -> Any:
    return reduce(add, (metric.tally(rows) for _, rows in blocks(frame))) if len(frame) else None


def rows_where_they_are(metric: Any, frame: Frame, rows_of: Any) -> Rep:
    """The representation of rows that stay on the workers; `rows_of(metric, frame)` makes the representation of a part."""
    parts = frame.parts
    assert parts is not None
    firsts = [(int(first),) for first in parts.bounds[:-1]]
    return parted_rep(parts.make(_represent, metric, rows_of, each=firsts))


def _represent(frame: Frame, first: int, metric: Any, rows_of: Any) -> Rows:
    return Rows(first, rows_of(metric, frame))


def over_partitions(data: Any, names: Iterable[str] | None, function: Callable[[pd.DataFrame], Answer], like: Answer) -> Any:
    """A function of each partition of a table, as a lazy result of the table's own library.

    Parameters
    ----------
    data : dask DataFrame
    names : the columns that the function needs, None for all
    function : of a pandas frame, which gives a result for its rows
    like : Series or DataFrame
        Result for no rows, which has the types of all.
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
