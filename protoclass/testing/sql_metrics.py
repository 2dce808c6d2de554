"""The dissimilarities of a metric in SQL, compared in SQLite with those that it measures."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import part
from ..errors import OptionError
from ..frames.sql import ROW as TABLE
from ..frames.sql import Columns, dialect_of
from ..metrics.in_sql import PROTOTYPE, ROW, MetricInSQL, SQLDistance, sql_distance
from .contract import ContractError, require
from .measured import Array, Measured

MOST_COLUMNS = 200
ROWS, PROTOTYPES = 40, 6
FUNCTIONS: dict[str, tuple[int, Any]] = {
    "POWER": (2, pow), "SQRT": (1, math.sqrt), "EXP": (1, math.exp), "LN": (1, math.log), "LOG10": (1, math.log10),
}  # fmt: skip


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
        known, D = _measured(s, distance, values)
    except sqlite3.Error as reason:
        raise ContractError(
            f"{s}: SQLite does not read what `sql` wrote ({reason}): `rows` are of columns.design, columns.number(...) or "
            "columns.code(...), "
            "and `expression` of coordinate(k) and value(k), k from 0"
        ) from reason
    i = int(np.argmin(known))
    require(bool(known.all()), f"{s}: the conditions of `sql` leave out row {i} of the check, which `between` measures: "
        f"{distance.conditions}")
    exact = np.asarray(s.D[: len(D), :PROTOTYPES], float)
    close = np.isclose(D, exact, rtol=1e-9, atol=1e-12 * exact.max(initial=0.0))
    if not close.all():
        i, j = np.argwhere(~close)[0]
        raise ContractError(f"{s}: `sql` gives {D[i, j]:.12g} for D[{i}, {j}], and `between` {exact[i, j]:.12g}: both must "
            "measure the same")


def _measured(s: Measured, distance: SQLDistance, values: Array) -> tuple[Array, Array]:
    """Which rows meet the conditions, and the dissimilarities by SQLite, NaN where it has none."""
    table = s.frame.columns.iloc[:ROWS]
    names = ", ".join('"' + str(c).replace('"', '""') + '"' for c in table)
    marks = ", ".join("?" * (1 + table.shape[1]))
    cells = [[i, *(None if pd.isna(v) else v for v in row)] for i, row in enumerate(table.astype(object).to_numpy().tolist())]
    places = ", ".join(["place", *(f"v{k + 1}" for k in range(values.shape[1]))])
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, (arguments, function) in FUNCTIONS.items():
            connection.create_function(name, arguments, function, deterministic=True)
        connection.execute(f"CREATE TABLE rows_of_the_check (place_of_the_row, {names})")
        connection.executemany(f"INSERT INTO rows_of_the_check VALUES ({marks})", cells)
        connection.execute(f"CREATE TABLE prototypes ({places})")
        marks = ", ".join("?" * (1 + values.shape[1]))
        numbers = [[j, *(None if v != v else v for v in row)] for j, row in enumerate(values.tolist())]
        connection.executemany(f"INSERT INTO prototypes VALUES ({marks})", numbers)
        conditions = " AND ".join(f"({c})" for c in distance.conditions) or "1 = 1"
        row = "".join(f", {x} AS x{k + 1}" for k, x in enumerate(distance.rows))
        source = f"SELECT {TABLE}.place_of_the_row AS place, ({conditions}) AS known{row} FROM rows_of_the_check AS {TABLE}"
        asked = f"SELECT {ROW}.place, {PROTOTYPE}.place, {ROW}.known, {distance.expression}"
        found = connection.execute(f"{asked} FROM ({source}) AS {ROW} CROSS JOIN prototypes AS {PROTOTYPE}").fetchall()
    known, D = np.zeros(len(table), bool), np.full((len(table), len(values)), np.nan)
    for i, j, meets, value in found:
        known[i] = meets == 1
        D[i, j] = np.nan if value is None else float(value)
    return known, D
