"""Dask: a sample of the rows of a Dask DataFrame, answers of a fit for its partitions, and whole
fits on the workers of a cluster.

`public` in `values.py`, through which each call of a user goes, comes here if an argument is a Dask
DataFrame or a client.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from functools import lru_cache, partial
from importlib import import_module
from inspect import BoundArguments
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from ..analysis.groups import outputs_of, test_outputs
from ..core.parallel import fits_by, on_this_thread
from ..core.statistics.folds import drawn_by_class, quotas
from ..frames.formula import read
from ..frames.schema import check_names
from ..ground.checks import check_seed, whole_number
from ..ground.errors import DaskError, OptionError, ProtoclassError, brief, deferred, shown, warn


def call(function: Callable[..., Any], name: str, bound: BoundArguments) -> Any:
    """The result of a public function with a Dask DataFrame or a client among its arguments."""
    bound.apply_defaults()
    given, client = bound.arguments, bound.arguments.get("client")
    tables = [
        argument
        for argument, value in given.items()
        if type(value).__module__.startswith("dask")
    ]
    if tables == ["data"] and "sample" in given:
        given |= {"data": _sample(given), "sample": bound.signature.parameters["sample"].default}
    elif tables:
        answer = {
            ("predict", "new"): _by_partition,
            ("augment", "new"): _by_partition,
            ("test", "new"): _test,
        }.get((name, tables[0]))
        if answer is None or len(tables) > 1:
            cure = f"{tables[0]}.compute(), or some of its rows"
            if tables[1:]:
                cure = "the name of a column"
            raise OptionError(f"{name}() takes no Dask object as {tables[-1]}: use {cure}")
        fit, table = bound.args[0], given.pop(tables[0])
        further = {argument: value for argument, value in given.items() if value is not fit}
        return answer(name, fit, table, further)
    with nullcontext() if client is None else fits_by(partial(_on_workers, _checked(client))):
        return function(*bound.args, **bound.kwargs)


def _sample(given: Mapping[str, Any]) -> pd.DataFrame:
    """Rows of a Dask DataFrame to learn from, drawn positions random within each class."""
    dask: Any = import_module("dask")
    data, number = given["data"], given["sample"]
    check_names(data.columns)
    response = read(given["formula"], data.columns).response
    # without one, the fit is refused
    classes = dask.compute(*data[[data.columns[0] if response is None else response]].to_delayed())
    y, levels = pd.factorize(joined(classes).iloc[:, 0], use_na_sentinel=False)
    rows, random = np.bincount(y), np.random.default_rng(check_seed(given["seed"]))
    quota = rows
    if number is not None:
        quota = quotas(rows, whole_number("sample", number, 1), pd.notna(levels))
    positions = drawn_by_class(y, quota, random)
    first = np.cumsum([0, *map(len, classes)])
    groups = np.split(positions, np.searchsorted(positions, first[1:-1]))
    take = dask.delayed(pd.DataFrame.take)
    parts = zip(data.to_delayed(), groups, first, strict=False)
    out = joined(dask.compute(*[take(part, group - start) for part, group, start in parts]))
    out = out if data.known_divisions else out.set_axis(positions)
    if len(out) < len(y):
        whole = [shown(level) for level, a, b in zip(levels, rows, quota, strict=True) if a == b]
        note = f", with all rows of {', '.join(whole)}" if whole else ""
        out.attrs["note"] = (
            f"a random sample of {len(out):,} of {len(y):,} rows by class{note} (sample=None uses all rows)"
        )
    return out


def joined(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all parts, whose categories may differ."""
    parts = [part for part in parts if len(part)] or list(parts)[:1]
    out = pd.concat(parts)
    for name in parts[0].select_dtypes("category"):
        if not isinstance(out[name].dtype, pd.CategoricalDtype):
            out[name] = union_categoricals([part[name] for part in parts], sort_categories=True)
    return out


def _by_partition(name: str, fit: Any, table: Any, given: Mapping[str, Any]) -> Any:
    """`Fit.predict` or `Fit.augment` of each partition, where it lies: a lazy result. Arguments and
    columns are checked now."""
    work, needed = partial(_answer, fit.slim(), name, given), fit._needed_of_new()
    if name == "predict" and needed is not None and set(needed) <= set(table.columns):
        table = table[needed]
    empty = pd.DataFrame({column: pd.Series(dtype=dtype) for column, dtype in table.dtypes.items()})
    return table.map_partitions(
        work, meta=work(empty.set_axis(pd.Index([], table.index.dtype, name=table.index.name)))
    )


def _answer(fit: Any, name: str, given: Mapping[str, Any], rows: pd.DataFrame) -> Any:
    """The answer for a partition; labels of prototypes have a type with missing values, the same in
    all partitions."""
    out = getattr(fit, name)(rows, **given)
    labels = fit._prototype_names.to_series().convert_dtypes().dtype
    if isinstance(out, pd.Series):
        return out.astype(labels) if out.name == "nearest" else out
    return out.astype({"prototype": labels}) if "prototype" in out else out


def _test(name: str, fit: Any, table: Any, given: Mapping[str, Any]) -> Any:
    """`Fit.test` by the outputs of the fit for each partition, which come here with the columns
    that the test names."""
    dask: Any = import_module("dask")
    named = [
        fit.frame.formula.response,
        fit._problem.call.arguments["groups"],
        given["weights"],
        given["by"],
        given["clusters"],
    ]
    named = [value for value in named if isinstance(value, str)]
    aside = [column for column in table.columns if column in named]
    needed = fit._needed_of_new(*aside)
    if needed is not None:
        table = table[[column for column in table.columns if column in needed]]
    work = dask.delayed(partial(_run, partial(_outputs, fit.slim(), aside, given["threshold"])))
    found = _warned(dask.compute(*[work(part) for part in table.to_delayed()]))
    outputs: Any = tuple(
        None if of[0] is None else np.concatenate(of)
        for of in zip(*(values for _, values in found), strict=True)
    )
    return test_outputs(fit, joined([rows for rows, _ in found]), outputs, **given)


def _outputs(fit: Any, aside: list[str], threshold: Any, rows: pd.DataFrame) -> Any:
    return rows[aside], outputs_of(fit, rows, threshold)


def _checked(client: Any) -> Any:
    if (
        not type(client).__module__.startswith("distributed")
        or getattr(client, "status", "") != "running"
    ):
        raise OptionError(
            f"client must be a Dask client that runs, not {brief(client)}: use dask.distributed.Client(address)"
        )
    return client


def _on_workers(client: Any, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """`work(item)` of each item in order, on the workers, for a few items ahead of the reader.

    Dask repeats what a worker has not finished when it is lost. The work is sent once, as a task
    whose result can be made again.
    """
    pickle: Any = import_module("distributed.protocol.pickle")
    pending: deque[Any] = deque()
    ahead = max(8, 2 * sum(client.nthreads().values()))
    shared = client.submit(bytes, pickle.dumps(work), pure=False)

    def result() -> Any:
        try:
            return _warned([pending[0].result()])[0]
        except ProtoclassError:
            raise
        except Exception as reason:
            if type(reason).__module__.partition(".")[0] not in (
                "distributed",
                "concurrent",
                "asyncio",
            ):
                raise
            raise DaskError(
                f"the cluster could not finish the fits, {type(reason).__name__} ({reason}): start "
                "its workers again, with more memory if "
                "they were stopped, or leave out client="
            ) from reason
        finally:
            pending.popleft()

    try:
        for item in items:
            pending.append(client.submit(_run, shared, item, pure=False))
            if len(pending) > ahead:
                yield result()
        while pending:
            yield result()
    finally:
        client.cancel(list(pending))  # of a loop that was left early


@lru_cache(1)
def _loaded(work: bytes) -> Any:
    pickle: Any = import_module("distributed.protocol.pickle")
    return pickle.loads(work)


def _run(work: Any, item: Any) -> tuple[Any, list[Any]]:
    """The result of some work and its warnings; other work runs on this machine at the same time,
    so it stays on its thread."""
    work, warned = _loaded(work) if isinstance(work, bytes) else work, list[Any]()
    token = deferred.set(warned)
    try:
        return on_this_thread(work, item), warned
    finally:
        deferred.reset(token)


def _warned(found: Iterable[tuple[Any, list[Any]]]) -> list[Any]:
    """The results, after their warnings have been repeated in this process."""
    found = list(found)
    for message, category in dict.fromkeys(w for _, warned in found for w in warned):
        warn(message, category)
    return [value for value, _ in found]
