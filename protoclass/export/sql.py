"""A fit as a query in SQL: `Fit.sql`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..core.query import InSQL
from ..core.task import Points
from ..estimation.fitted import Fitted
from ..frames.sql_columns import (
    ROW,
    Columns,
    as_double,
    check_case,
    constant,
    number,
    table_of,
)
from ..ground.errors import NotAvailableError
from ..metrics.base import PROTOTYPE, SQLDistance, sql_distance
from ..metrics.base import ROW as MEASURED


def sql(fit: Fitted, table: Any = "new_rows") -> str:
    """SQL query that classifies the rows of a database table.

    Its result has the rows with a further column, `predicted` (`predicted_` if the data have a
    column of this name). The prototypes are constants in the query, so the query needs only the table. DuckDB, SQLite
    (with its mathematical functions, as in Python) and PostgreSQL run the same text and give the
    same classes.

    Supported methods: nearest prototypes ("pvm", "kmedoids", "kmeans", "lvq", "condensed",
    "multiedit" and "mmd"), "knn" without random ties, and set covering machines of thresholds or
    Boolean columns. Supported dissimilarities: Minkowski distances of finite order with scales and
    weights in double precision, Hamming, zero_one and Gower. Supported terms of the formula:
    columns and categories.

    Parameters
    ----------
    table : str, or tuple of str
        Name of the table, or a tuple of schema and name. Its columns have the names of the
        predictors.

    Returns
    -------
    str
        The query.

    Raises
    ------
    NotAvailableError
        If the method is not supported in SQL, or if the formula names no predictors.
    OptionError
        If the dissimilarity or a term is not supported, or if SQL cannot represent a class, a level
        or a name, such as two names that differ only in case.

    Notes
    -----
    *Rows without a class.* A row has no class (NULL) if a predictor is NULL, NaN or infinite, or so
    large that its powers might overflow (10^150 for Euclidean distances, 10^300 times the range for
    Gower); PostgreSQL may raise an error instead. A level that is not in the training data is
    different from every level for Gower, Hamming and zero_one; otherwise the row has no class. With
    na="keep" a NULL is skipped as in `predict`.

    *Ties* are broken as in `predict`.

    *Rounding.* Distances without products (Manhattan, Hamming, Gower) are bit-identical to
    `predict` in DuckDB and PostgreSQL. SQLite may misread the last bit of a number, and processors
    and databases round products and powers differently. So a row may get another class if two
    prototypes of different classes are equally near up to about 1e-16 times the number of columns,
    relative to the distance.

    *Limits.* DuckDB and SQLite limit the depth of expressions to about 1000, which limits the
    number of columns. Names are quoted identifiers and strings are quoted constants, so no value
    from the data is interpreted as SQL (in PostgreSQL with `standard_conforming_strings`, its
    default).

    Examples
    --------
    >>> import protoclass as pc
    >>> iris, raw = pc.load_data("iris"), pc.Manhattan(scale=False)
    >>> fit = pc.fit("species ~ petal_length", iris, "kmedoids", K=1, dissimilarity=raw)
    >>> print(fit.sql())
    WITH protoclass_prototypes (place, label, v1) AS (
      VALUES
        (0, 'setosa', CAST(1.5e0 AS DOUBLE PRECISION)),
        (1, 'versicolor', 4.4e0),
        (2, 'virginica', 5.5e0)
    )
    SELECT t.*,
      CASE WHEN +t."petal_length" BETWEEN -1e308 AND 1e308
        AND CAST(t."petal_length" AS DOUBLE PRECISION) BETWEEN -1e300 AND 1e300
      THEN (
        SELECT m.label
        FROM (
          SELECT p.place, p.label, (ABS(r.x1 - p.v1)) AS distance
          FROM (SELECT CAST(t."petal_length" AS DOUBLE PRECISION) AS x1) AS r
          CROSS JOIN protoclass_prototypes AS p
        ) AS m
        ORDER BY m.distance, m.place
        LIMIT 1
      )
      END AS predicted
    FROM "new_rows" AS t
    """
    rule = fit.rule
    if not isinstance(rule, InSQL) or rule.why_not_sql:
        why = f": {rule.why_not_sql}" if isinstance(rule, InSQL) else ""
        raise NotAvailableError(
            f"method {fit.model.name!r} can't be written in SQL{why}: use rules of the nearest "
            "prototype, votes of neighbours, and set covering machines of thresholds of columns"
        )
    if not fit.frame.schema:
        raise NotAvailableError(
            f"a query classifies rows by their columns, but {fit.frame.formula.quoted} has no predictors"
        )
    check_case(fit.frame.schema)
    source = table_of(table)
    parts = (table,) if isinstance(table, str) else table
    writer = Writer(fit, Columns(fit.frame), _unused("protoclass_prototypes", *parts))
    label = rule.sql(writer)
    conditions = "\n    AND ".join(dict.fromkeys(writer.conditions))
    query = (
        f"SELECT {ROW}.*,\n  CASE WHEN {conditions}\n  THEN {label}\n  END AS {_name_of_class(fit)}\n"
        f"FROM {source} AS {ROW}"
    )
    return f"{writer.made}{query}"


def _name_of_class(fit: Fitted) -> str:
    """The name of the column of classes, which no column of the data of the fit has."""
    data = fit.call.data
    names = getattr(data, "column_names", getattr(data, "columns", ()))
    return _unused(
        "predicted",
        *(str(c) for c in (*fit.frame.schema, fit.frame.formula.response, *names) if c is not None),
    )


@dataclass
class Writer:
    """The expressions that a rule is written with, and the columns it has used; see
    `core.query.Statement`."""

    fit: Fitted
    columns: Columns
    name: str  # of the table of prototypes
    # conditions that a row must meet besides having known values
    needed: list[str] = field(default_factory=list)
    # the table of the prototypes, which is written before the query; empty if the rule needs none
    made: str = ""

    @property
    def conditions(self) -> list[str]:
        """The conditions for a class: those of the used columns, or that every predictor is known."""
        return self.needed or [self.columns.known(c) for c in self.fit.frame.schema]

    @cached_property
    def distance(self) -> SQLDistance:
        return sql_distance(self.fit.dissimilarity.metric, self.columns)

    def label(self, code: int) -> str:
        return constant(self.fit.classes[code], "the class")

    def number(self, value: float) -> str:
        return number(value)

    def column(self, position: int) -> str:
        if not self.needed:
            self.needed += [self.columns.known(c) for c in self.fit.frame.schema]
        return f"({self.columns.design[position]})"

    def nearest(self, prototypes: Points, rank: np.ndarray) -> str:
        measured = self._measured(prototypes, rank, {})
        return f"(\n    SELECT m.label\n    FROM {measured} AS m\n    ORDER BY m.distance, m.place\n    LIMIT 1\n  )"

    def votes(self, prototypes: Points, k: int, weight: np.ndarray) -> str:
        measured = self._measured(prototypes, np.asarray(prototypes.classes), {"weight": weight})
        near = (
            "SELECT m.place, m.label, m.weight, RANK() OVER (ORDER BY m.distance) AS "
            f"nearness\n      FROM {measured} AS m"
        )
        return (
            f"(\n    SELECT n.label\n    FROM (\n      {near}\n    ) AS n\n    WHERE n.nearness <= "
            f"{k}\n    GROUP BY n.place, n.label\n"
            f"    ORDER BY SUM(n.weight) DESC, n.place\n    LIMIT 1\n  )"
        )

    def most(self, values: dict[int, str]) -> str:
        parts = [
            f"SELECT {code} AS place, {self.label(code)} AS label, {votes} AS votes"
            for code, votes in values.items()
        ]
        cast = "\n      UNION ALL ".join(parts)
        return (
            f"(\n    SELECT v.label\n    FROM (\n      {cast}\n    ) AS v\n"
            f"    ORDER BY v.votes DESC, v.place\n    LIMIT 1\n  )"
        )

    def _measured(
        self, prototypes: Points, place: np.ndarray, beside: dict[str, np.ndarray]
    ) -> str:
        """The prototypes with their distances from the row."""
        distance, source = self.distance, self._prototypes(prototypes, place, beside)
        row = ", ".join(f"{x} AS x{k + 1}" for k, x in enumerate(distance.rows))
        kept = "".join(f", {PROTOTYPE}.{name}" for name in beside)
        measured = (
            f"(\n      SELECT {PROTOTYPE}.place, {PROTOTYPE}.label{kept}, ({distance.expression}) AS distance\n"
            f"      FROM (SELECT {row}) AS {MEASURED}\n      CROSS JOIN {source}\n    )"
        )
        self.needed += distance.conditions
        if distance.may_miss:
            self.needed.append(
                f"NOT EXISTS (SELECT 1 FROM {measured} AS m WHERE m.distance IS NULL)"
            )
        return measured

    def _prototypes(
        self, prototypes: Points, place: np.ndarray, beside: dict[str, np.ndarray]
    ) -> str:
        """The table of the prototypes in a query; they are written once, as constants."""
        fit = self.fit
        values = np.asarray(
            self.distance.values(fit.dissimilarity._prototype_rep(prototypes)), float
        )
        names = ["place", "label", *beside, *(f"v{k + 1}" for k in range(values.shape[1]))]
        numbers = np.column_stack([*beside.values(), values])
        labels = [self.label(code) for code in range(len(fit.classes))]
        rows = [
            [str(int(at)), labels[code], *map(self._constant, row)]
            for at, code, row in zip(place, prototypes.classes, numbers.tolist(), strict=True)
        ]
        # the first row determines the type of each column
        rows[0][2:] = [as_double(cell) for cell in rows[0][2:]]
        lines = ",\n    ".join(f"({', '.join(row)})" for row in rows)
        self.made = f"WITH {self.name} ({', '.join(names)}) AS (\n  VALUES\n    {lines}\n)\n"
        return f"{self.name} AS {PROTOTYPE}"

    def _constant(self, value: float) -> str:
        return "NULL" if np.isnan(value) else number(value)


def _unused(name: str, *taken: str) -> str:
    """A new name that differs from all of these, in any case."""
    used = {other.casefold() for other in taken}
    while name in used:
        name += "_"
    return name
