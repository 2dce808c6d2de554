"""What is claimed of a metric: values, training, scales, files and SQL."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import fields
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.minkowski import Geometry, minkowski
from ..core.distances.properties import triangles
from ..core.sources import Rep, part
from ..export.saving import load
from ..export.saving.classes import name_of
from ..frames.frame import mold
from ..frames.sql import ROW as TABLE
from ..frames.sql import Columns, dialect_of
from ..ground.errors import FileError, NotAvailable, OptionError
from ..ground.savable import kind_of
from ..metrics.base import Metric, TrainedMetric, VectorMetric
from ..metrics.in_sql import PROTOTYPE, ROW, MetricInSQL, SQLDistance, sql_distance
from ..metrics.measuring import measure_frame
from ..metrics.mixed import Mixed
from ..metrics.registry import METRICS
from ..metrics.wrappers import Ranks
from .contract import ContractError, accepted, ask_sqlite, pickled, registered, require
from .measured import Array, Measured, equal, first_unequal


def check_saved(s: Measured) -> None:
    """Dissimilarities that are saved and loaded measure to the same bits, also new rows."""
    for kind in _kinds(s.trained, TrainedMetric):
        require(kind_of(kind) is not None, f"{s}: fits with it can't be saved: write @protoclass.extend.savable above @dataclass of "
            f"{kind.__name__}")
    measured = measure_frame(s.frame, s.trained)
    unnamed = {f"under_check_{k}": kind for k, kind in enumerate(_kinds(s.trained, Metric)) if name_of(kind) is None}
    with registered(METRICS, unnamed), tempfile.TemporaryDirectory() as folder:
        try:
            again = load(measured.save(Path(folder) / "metric.proto"))
        except (OptionError, FileError, NotAvailable) as reason:
            said = str(reason).replace(folder, "").replace("\n", " ")
            raise ContractError(
                f"{s}: its dissimilarities can't be saved and loaded ({said}): use fields that a file can contain, with the types of "
                "their annotations"
            ) from reason  # fmt: skip
        D = s.between(again.rows, again.candidates, again.metric)
        require(again.metric == s.trained and hash(again.metric) == hash(s.trained), f"{s}: saved and loaded, the trained "
            "metric is not equal")
        require(equal(D, s.D), f"{s}: after saving and loading, its dissimilarities differ: store all it needs in fields")
        if not s.metric.given:
            known = s.call("`new_rows` of the loaded metric", again.metric.new_rows, s.data.iloc[:3], s.frame)
            new = np.asarray(known.measure(np.arange(3), again.candidates))
            require(equal(new, s.D[:3]), f"{s}: after loading, its dissimilarities of new rows differ: store all it needs in fields")


def _kinds(value: Any, base: type) -> list[type]:
    """The classes of a metric and of those within it, as far as they derive from a class."""
    found: dict[type, None] = {}

    def walk(value: Any) -> None:
        if isinstance(value, base):
            found[type(value)] = None
        if isinstance(value, (Metric, TrainedMetric)):
            for f in fields(value):
                walk(getattr(value, f.name))
        elif isinstance(value, (tuple, list)):
            for v in value:
                walk(v)

    walk(value)
    return list(found)


LADDER = np.concatenate([[0.0], 10.0 ** np.linspace(-150, 150, 601)])  # distances that a geometry makes dissimilarities of
MOST_COLUMNS = 200  # of a table in SQLite
ROWS, PROTOTYPES = 40, 6  # that are measured in SQL
PAIRS = ((0, 1), (0, -1), (3, 2), (5, 7), (-2, 4))


def check_symmetry(s: Measured) -> None:
    """A metric that says that it is symmetric is so to the bit."""
    if not s.metric.symmetric:
        return
    for where, _, _, D in s.places:
        if not equal(D, D.T):
            i, j = first_unequal(D, D.T)
            raise ContractError(
                f"{s}: symmetric is declared, and on {where} D[{i}, {j}] = {float(D[i, j])!r} is not D[{j}, {i}] = {float(D[j, i])!r}: sum "
                "in one order, or leave the declaration out"
            )


def check_triangle(s: Measured) -> None:
    """A metric that declares the triangle inequality keeps it on the rows of the check, on lines and far away."""
    if not s.metric.triangle:
        return
    for where, _, _, D in s.places:
        result = triangles(D)
        i, j, k = result.at
        require(
            result.violated == 0, f"{s}: triangle is declared, and {result.violated} of {result.tested} triples of {where} "
                "violate the triangle "
            f"inequality: D[{i}, {k}] = {D[i, k]:.6g}, but D[{i}, {j}] + D[{j}, {k}] = {D[i, j] + D[j, k]:.6g}: leave the declaration out",
        )  # fmt: skip


def check_parts(s: Measured) -> None:
    """Parts of the rows are represented as all rows are, and tell training all that it needs, where that is declared."""
    n = len(s)
    if s.metric.row_by_row:
        for cuts in ((0, 5, n), (0, 1, 2, n // 2, n)):
            parts = [s.rows_of(s.frame.take(slice(a, b))) for a, b in pairwise(cuts)]
            D = np.concatenate([s.between(rep, s.candidates) for rep in parts])
            require(equal(D, s.D), f"{s}: row_by_row is declared, and parts of the rows are represented otherwise: leave the "
                "declaration out")
    if s.metric.trained_in_parts:
        whole = s.call("`tally`", s.metric.tally, s.frame)
        pickled(whole, f"what `tally` of {s} gives")
        draw = np.random.default_rng(4)
        orders = [np.arange(n), np.arange(n)[::-1], draw.permutation(n), draw.permutation(n)]
        for order, inner in zip(orders, ([5], [1, 2], [n // 3, n // 2, n - 1], [n // 2]), strict=True):
            frames = [s.frame.take(order[a:b]) for a, b in pairwise([0, *inner, n])]
            tallies = [s.call("`tally` of some of the rows", s.metric.tally, frame) for frame in frames]
            left = s.call("`+` of what `tally` gives", lambda: reduce(add, tallies))  # noqa: B023
            right = s.call("`+` of what `tally` gives", lambda: reduce(lambda a, b: b + a, reversed(tallies)))  # noqa: B023
            for tally in (left, right):
                trained = s.call("`trained`", s.metric.trained, tally, frames[0])
                require(
                    same_but_for_rounding(trained, s.trained),
                    f"{s}: trained_in_parts is declared, but training on parts of the rows gives another result: results of `tally` must "
                    "be joined by `+` in any order, and `trained` must not use the rows; else write `train`",
                )


def same_but_for_rounding(a: TrainedMetric, b: TrainedMetric) -> bool:
    """Whether two metrics have learned the same but for what the order of a sum changes in the last digits."""
    mine, other = a.arrays(), b.arrays()
    if type(a) is not type(b) or list(mine) != list(other) or any(mine[name].shape != other[name].shape for name in mine):
        return False
    numbers = [name for name in mine if mine[name].dtype.kind == "f"]
    most = {name: np.nan_to_num(np.abs(other[name])).max(initial=0) for name in numbers}
    return all(
        np.allclose(mine[name], other[name], 1e-9, 1e-12 * most[name], True) if name in most else equal(mine[name], other[name])
        for name in mine
    )


def check_geometry(s: Measured) -> None:
    """A declared geometry gives the bits of `between`, and its values never fall."""
    geometry = s.trained.geometry
    if geometry is None:
        return
    require(isinstance(geometry, Geometry), f"{s}: geometry is a {type(geometry).__name__}: it must be a protoclass Geometry, or None")
    for where, rows, candidates, D in s.places:
        a, b = rows[0], candidates[0]
        floats = a.dtype in (np.float32, np.float64) and a.dtype == b.dtype
        fine = floats and a.ndim == b.ndim == 2 and a.shape[1:] == b.shape[1:]
        require(fine, f"{s}: geometry is declared, but the first arrays of `rows` and `candidates` are {a.dtype} {a.shape} and {b.dtype} "
                f"{b.shape}: they must be coordinates (rows, dimensions) in floats")  # fmt: skip
        values = s.call("`geometry.value`", geometry.value, minkowski(a, b, geometry.r))
        if equal(np.asarray(values), D):
            continue
        i, j = first_unequal(np.asarray(values), D)
        raise ContractError(
            f"{s}: geometry is declared, but on {where} D[{i}, {j}] = {float(D[i, j])!r}, and the geometry gives {float(values[i, j])!r}: "
            "`between` must return the identical geometry.value(minkowski(rows[0], candidates[0], geometry.r)), or leave out the "
            "declaration"
        )
    for kind in (np.float64, np.float32):
        steps = np.unique(np.concatenate([LADDER, s.D.ravel()[:500], np.nextafter(s.D.ravel()[:500], np.inf)]))
        steps = np.unique(steps[steps <= np.finfo(kind).max].astype(kind))
        with np.errstate(over="ignore", under="ignore"):
            values = np.asarray(s.call("`geometry.value`", geometry.value, steps))
        require(values.dtype == kind, f"{s}: geometry.value returns {values.dtype} for {np.dtype(kind)}: it must not change the precision")
        falls = ~(values[1:] >= values[:-1])
        k = int(falls.argmax())
        require(
            not falls.any(), f"{s}: geometry.value falls from {values[k]:.6g} to {values[k + 1]:.6g} when the distance rises "
                f"from {steps[k]:.6g} "
            f"to {steps[k + 1]:.6g}: it must never fall, or comparisons by distances are wrong",
        )  # fmt: skip


def check_coordinates(s: Measured) -> None:
    """Coordinates lead to the same dissimilarities and back to the design matrix; if they are fewer, to rows that have them."""
    if not isinstance(s.trained, VectorMetric):
        return
    trained = s.trained
    rows, candidates, D = s.rows, s.candidates, np.asarray(s.D, float)
    X = np.asarray(s.call("`coordinates`", trained.coordinates, rows))
    require(X.ndim == 2 and len(X) == len(s), f"{s}: coordinates must be an array (rows, dimensions)")
    alone = np.asarray(trained.coordinates(part(rows, slice(2, 3))))
    require(equal(alone, X[2:3]), f"{s}: the coordinates of a row are other ones alone than among others")
    places = s.call("`place`", trained.place, X)
    placed = np.asarray(s.between(rows, places), float)
    require(np.allclose(placed, D, rtol=1e-5, atol=1e-6 * D.max()), f"{s}: rows that are placed by their coordinates have other "
        "dissimilarities")
    single = np.asarray(s.between(rows, s.call("`place` of one row of coordinates", trained.place, X[:1])), float)
    require(np.allclose(single, placed[:, :1]), f"{s}: a place has other dissimilarities alone than among others: `place` takes "
        "each by itself")
    _check_halfway(s, X, rows, candidates)
    back = s.call("`original`", trained.original, X)
    names = s.frame.design.columns
    require(isinstance(back, pd.DataFrame) and list(back.columns) == list(names), f"{s}: `original` must give a DataFrame with "
        "the columns of "
            f"the design matrix, {list(names[:3])}{' and so on' if len(names) > 3 else ''}")  # fmt: skip
    if X.shape[1] < s.frame.design.shape[1]:
        placed_again, _ = s.frame.again(back)
        again = np.asarray(trained.coordinates(trained.rows(placed_again)))
        require(np.allclose(again, X), f"{s}: rows that `original` gives for coordinates have other coordinates")
        return
    design = s.frame.design.to_numpy(float)
    require(
        np.allclose(back.to_numpy(float), design, rtol=1e-5, atol=1e-6 * np.abs(design).max()),
        f"{s}: `original` does not lead back to the columns: it must undo what `rows` and `coordinates` did",
    )


def _check_halfway(s: Measured, X: Array, rows: Rep, candidates: Rep) -> None:
    """The place halfway between two rows is no farther from either than they are from one another."""
    assert isinstance(s.trained, VectorMetric)
    for i, j in PAIRS:
        half = s.between(part(rows, np.array([i, j])), s.trained.place((X[[i]] + X[[j]]) / 2))
        apart = float(s.between(part(rows, np.array([i])), part(candidates, np.array([j])))[0, 0])
        require(
            (half <= apart * (1 + 1e-6) + 1e-12).all(), f"{s}: the place halfway between the coordinates of rows {i % len(s)} and "
            f"{j % len(s)} is {float(half.max()):.6g} from one of them, but they are {apart:.6g} from each other: coordinates "
            "must be those of "
            "a vector space, in which a centroid lies between its rows; else derive from TrainedMetric",
        )  # fmt: skip


def check_power(s: Measured) -> None:
    """The declared power of the dissimilarity is a sum over variables, and its groups are predictors."""
    predictors = list(s.frame.schema)
    groups = s.trained.column_groups
    named = [c for group in groups for c in group] if isinstance(groups, tuple) and all(isinstance(g, tuple) for g in groups) else None
    require(named is not None, f"{s}: column_groups is {groups!r}: it must be a tuple of tuples of names of predictors")
    for name in named or ():
        require(name in predictors, f"{s}: column_groups names {name!r}, which is not a predictor: these are {predictors[:10]}")
        require((named or []).count(name) == 1, f"{s}: column_groups names {name!r} twice")
    power = s.trained.power
    if power is None:
        return
    number = isinstance(power, (int, float, np.number)) and not isinstance(power, bool) and power > 0
    require(number, f"{s}: power is {power!r}: it must be a number above 0, the power of the dissimilarity that is a sum over "
        "variables, or None")
    if not np.isfinite(power) or s.metric.given or not s.frame.formula.plain() or s.frame.columns.isna().any(axis=None):
        return
    alone = [(c,) for c in predictors if c not in (named or [])]
    variables, columns = [*groups, *alone], s.frame.columns
    for i, j in PAIRS:
        d = float(s.D[i, j])
        if d == 0:
            continue
        instead = pd.DataFrame(index=range(len(variables)))
        for c in columns:
            other = np.array([c in group for group in variables])
            instead[c] = columns[c].iloc[np.where(other, j % len(s), i % len(s))].array
        left = np.asarray(s.new(instead, part(s.candidates, np.array([j])))[:, 0], float)
        total = float(((1 - (left / d) ** float(power)).sum()) * d)
        require(
            np.isclose(total, d, rtol=1e-6), f"{s}: power={power:g} is declared, but the parts of D[{i % len(s)}, {j % len(s)}] by "
            f"variable add up to {total:.6g}, and it is {d:.6g}: `power` is the power of the dissimilarity that is a sum over "
            "variables (or over "
            "column_groups), by which `why` divides it; else None, and a parameter needs another name",
        )  # fmt: skip


def check_column_weights(s: Measured) -> None:
    """The table of what columns count is about the columns of the design matrix."""
    table = s.trained.column_weights
    if table is None:
        return
    fine = isinstance(table, pd.DataFrame) and {"weight", "share", "scale"} <= set(table)
    require(fine, f"{s}: column_weights must be a DataFrame with the columns 'weight', 'share' and 'scale', or None")
    names = s.frame.design.columns
    require(list(table.index) == list(names), f"{s}: the index of column_weights must be the columns of the design matrix")
    share = table["share"].to_numpy(float)
    require((share >= 0).all() and np.isclose(share.sum(), 1), f"{s}: the shares of column_weights must be at least 0 and "
        "add up to 1")


def check_missing(s: Measured) -> None:
    """A metric that skips missing values measures rows that have some."""
    names = list(s.frame.schema)
    if not s.metric.skips_missing or len(names) < 2:
        return
    table = s.data.copy()
    for k, name in enumerate(names[1:]):
        gaps = (np.arange(len(table)) + k) % 4 == 0
        if not pd.api.types.is_integer_dtype(table[name].dtype) and not pd.api.types.is_bool_dtype(table[name].dtype):
            table[name] = table[name].mask(gaps)
    frame = mold(s.formula, table, na="keep", response=s.frame.response is not None)
    where = " and ".join(filter(None, [s.where, "rows with missing values"]))
    with accepted(f"{type(s.metric).__name__} on {where}: skips_missing is declared, and they are refused"):
        there = Measured(s.metric, s.train(frame), frame, table, s.formula, where)
        D = there.D
    whole = ~frame.columns.isna().any(axis=1).to_numpy()
    both = whole[:, None] & whole[None, :]
    require((np.isfinite(D) | np.isnan(D)).all() and not (D < 0).any(), f"{there}: dissimilarities must be at least 0, or "
        "NaN if two "
            "rows have no variable in common")  # fmt: skip
    require(not np.isnan(D[both]).any(), f"{there}: a pair of complete rows has no dissimilarity (NaN)")
    require(not np.isnan(D).all(axis=1).any(), f"{there}: skips_missing is declared, but row "
        f"{int(np.isnan(D).all(axis=1).argmax())} has no "
            "dissimilarity to any row: skip missing values pair by pair")  # fmt: skip
    for i in (0, len(frame) // 2):
        require(equal(there.new(table.iloc[[i]]), D[[i]]), f"{there}: a new row is measured otherwise alone than among others")
    check_symmetry(there)


def check_wrappers(s: Measured) -> None:
    """Metrics of metrics measure by it what they would by the matrix, and declare what it declares."""
    if s.metric.given or not s.frame.schema:
        return
    if s.frame.formula.plain():
        with accepted(f"{s}: as the only part of a Mixed it can't be trained"):
            D = s.measured_by(Mixed([(list(s.frame.schema), s.metric)], scale=False).train(s.frame))
        require(equal(np.asarray(s.D, float), D), f"{s}: as the only part of a Mixed, its dissimilarities differ: it must use "
            "nothing of a frame but "
                "the columns of its formula")  # fmt: skip
    ranks = s.call("`train` of Ranks of it", Ranks(s.metric).train, s.frame)
    by_hand = np.column_stack([np.searchsorted(np.sort(s.D[:, j]), s.D[:, j], side="right") for j in range(s.D.shape[1])])
    require(equal(s.measured_by(ranks), by_hand.astype(float)), f"{s}: its Ranks are not the ranks of its dissimilarities")


def check_sql(s: Measured) -> None:
    """What a metric writes as SQL has the values of `between`."""
    written = any(isinstance(m, MetricInSQL) and callable(m.sql) for m in (s.trained, s.trained.spec))
    if not written or not s.frame.schema or len(s.frame.schema) > MOST_COLUMNS:
        return
    dialect = dialect_of("sqlite")
    try:
        distance: Any = s.call("`sql`", sql_distance, s.trained, Columns(s.frame, dialect))
    except OptionError:
        return  # it says what is not written
    require(isinstance(distance, SQLDistance), f"{s}: `sql` gave a value of type {type(distance).__name__}: it must give an SQLDistance")
    values = np.asarray(s.call("`values` of `sql`", distance.values, part(s.candidates, slice(0, PROTOTYPES))), float)
    require(values.ndim == 2 and len(values) == PROTOTYPES, f"{s}: `values` of `sql` gave the shape {values.shape} for "
        f"{PROTOTYPES} prototypes: "
            "it must give an array (prototypes, columns)")  # fmt: skip
    try:
        known, D = _measured_by_sqlite(s, distance, values)
    except sqlite3.Error as reason:
        raise ContractError(
            f"{s}: SQLite does not accept the expression of `sql` ({reason}): `rows` are of columns.design, columns.number(...) or "
            "columns.code(...), and `expression` of coordinate(k) and value(k), k from 0"
        ) from reason
    i = int(np.argmin(known))
    require(known.all(), f"{s}: the conditions of `sql` leave out row {i} of the check, which `between` measures: "
        f"{distance.conditions}")
    exact = np.asarray(s.D[: len(D), :PROTOTYPES], float)
    close = np.isclose(D, exact, rtol=1e-9, atol=1e-12 * exact.max(initial=0.0))
    if not close.all():
        i, j = np.argwhere(~close)[0]
        raise ContractError(f"{s}: `sql` gives {D[i, j]:.12g} for D[{i}, {j}], but `between` {exact[i, j]:.12g}: both must "
            "return the same")


def _measured_by_sqlite(s: Measured, distance: SQLDistance, values: Array) -> tuple[Array, Array]:
    """Which rows meet the conditions, and the dissimilarities by SQLite, NaN where it has none."""
    table = s.frame.columns.iloc[:ROWS]
    rows = [[i, *(None if pd.isna(v) else v for v in row)] for i, row in enumerate(table.astype(object).to_numpy().tolist())]
    prototypes = [[j, *(None if v != v else v for v in row)] for j, row in enumerate(values.tolist())]
    conditions = " AND ".join(f"({c})" for c in distance.conditions) or "1 = 1"
    row = "".join(f", {x} AS x{k + 1}" for k, x in enumerate(distance.rows))
    source = f"SELECT {TABLE}.place_of_the_row AS place, ({conditions}) AS known{row} FROM rows_of_the_check AS {TABLE}"
    query = f"SELECT {ROW}.known, {distance.expression} FROM ({source}) AS {ROW} CROSS JOIN prototypes AS {PROTOTYPE}"
    tables = {
        "rows_of_the_check": (["place_of_the_row", *map(str, table)], rows),
        "prototypes": (["place", *(f"v{k + 1}" for k in range(values.shape[1]))], prototypes),
    }
    found = ask_sqlite(tables, f"{query} ORDER BY {ROW}.place, {PROTOTYPE}.place").to_numpy(float)
    known, D = found.T.reshape(2, len(table), len(values))
    return known[:, 0] == 1, D


CLAIMS: tuple[Callable[[Measured], None], ...] = (
    check_symmetry, check_triangle, check_parts, check_coordinates, check_geometry, check_power, check_column_weights,
    check_missing, check_sql, check_saved, check_wrappers,
)  # fmt: skip
