"""A fit in the forms in which it leaves Python: a page, a card, a query of a database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments import known_arguments, public
from ..core.memory import limited
from .analysed import Analysed

if TYPE_CHECKING:
    from ..card import Card


@public
@dataclass(frozen=True, eq=False)
class Published(Analysed):
    """What others read of a fit, or run."""

    @known_arguments
    @limited
    def report(self, path: Any, test: Any = None, stability: bool = False, overwrite: bool = False) -> Path:
        """Write the fit as one HTML page that needs nothing beside it.

        It has the call, the picture and the table of the prototypes, the error curve, the confusion, the summary with its notes
        and certificate, the versions of the packages, and how to cite.

        Parameters
        ----------
        path : str or path
            Ends in .html.
        test : Test or DataFrame, optional
            What `fit.test(new, ...)` returned, with its threshold, loss or groups; or new rows with the response, which are
            tested with the defaults. The page then has the test.
        stability : bool
            Whether the page has `stability()` of the prototypes.
        overwrite : bool
            Whether a file of this name is replaced.

        Returns
        -------
        Path

        Raises
        ------
        OptionError
            Where the file is there already.
        FileError
            Where it can't be written; nothing is left behind then.

        Examples
        --------
        >>> import os, tempfile
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     os.path.getsize(fit.report(os.path.join(folder, "iris.html"))) > 50_000
        True
        """
        from ..report import write_report

        return write_report(self, path, test, stability, overwrite)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def card(self) -> Card:
        r"""The model card: one page in words and small tables, for those who use the fit or judge it.

        It has the call, a fingerprint of the data, the classes with their counts, the prototypes, the cross-validated error with its
        folds and the chosen parameters, the certificate, the limits (rows that were dropped, classes that are never predicted, notes
        of the summary), the versions of the packages, and how to cite. See `Card` for what it shows and writes.

        The fingerprint is a SHA-256 of the rows that took part, made as `protoclass.Card` says, so that another can compute it from
        the data: it tells whether a file at hand is the one that was fitted.

        Returns
        -------
        Card
            With `markdown`, `html`, `fingerprint` and `save(path)`; a notebook shows it.

        Examples
        --------
        >>> import protoclass as pc
        >>> card = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).card()
        >>> print(card.markdown.splitlines()[0])
        # Model card: Prototype vector machine (greedy), species \~ .
        """
        from ..card import card_of

        return card_of(self)  # type: ignore[arg-type]

    @known_arguments
    def sql(self, dialect: str = "ansi", table: Any = "new_rows", name: str | None = None) -> str:
        """A query that classifies the rows of a table, for a database: the rows with a further column, `predicted`.

        The prototypes are constants in the query (VALUES), so that nothing besides the table is needed. Written are rules of the
        nearest prototype ("pvm", also with own radii, "kmedoids", "kmeans", "lvq", "condensed", "multiedit" and "mmd"), votes of
        neighbours ("knn" without random ties), and set covering machines of thresholds or Boolean columns; Minkowski distances with
        scales and weights in double precision, Hamming and zero_one, and Gower without ranks, with missing values where the fit has
        na="keep"; of formulas columns, categories, products of two numbers, and + - * / **, log, log10, exp, sqrt, abs, I and ifelse.

        Parameters
        ----------
        dialect : "ansi", "duckdb", "postgres", "sqlite" or "bigquery"
            The tests run DuckDB and SQLite; the others are written after their documentations. SQLite must be built with its
            mathematical functions, and BigQuery has an array of structs instead of VALUES.
        table : str, or tuple of str
            The name of the table; a tuple of schema and name. Its columns have the names of the predictors.
        name : str, optional
            Of the further column, which the table must not have already. By default "predicted", with an underscore where a predictor,
            the response or another column of the data of the fit has that name (a slim fit knows no other columns).

        Returns
        -------
        str

        Raises
        ------
        NotAvailable
            Where the rule is not written in SQL, and where the formula names no predictors.
        OptionError
            For a dialect that is not known, a dissimilarity or a term of the formula that is not written, classes or levels that are
            neither texts, numbers nor truth values, names or texts that SQL can't hold, and a `name` that a column has.

        Notes
        -----
        A row has no class (NULL) where a predictor is NULL, NaN or infinite; `predict` raises for some of these. The same holds where
        a transform is not defined, and where a number is so large that its powers might overflow (10^150 for Euclidean distances,
        10^300 times the range for Gower). A level that the fit has not seen, or a number other than 0 and 1 in a Boolean column, is
        what it is in `predict`: unlike every level for Gower, Hamming and zero_one, and otherwise the row has no class. With na="keep"
        a NULL is skipped as in `predict`, and a row that has no observed variable in common with some prototype has no class.

        Ties are broken as in `predict`: of prototypes at the same distance the class that is first in level order wins, then the first
        row; among neighbours the class of most weight, then the first. Every number is read back to the last bit, and sums run over the
        columns in the same order. Distances that do not multiply (Manhattan, Chebyshev, Hamming, Gower) have the same bits as here.
        In Euclidean ones processors may round a product and a sum at once in `predict`, which SQL does not; powers, logarithms and
        exponentials depend on the database's library. So a row may get another class where two prototypes of different classes are
        equally near up to rounding, about 1e-16 times the number of columns, in relation to the distance. Rows that are equally near by
        whole numbers without scaling (`Euclidean(scale=False)`), or as the differences are the same column by column, are ties in both.
        Databases limit the depth of expressions, DuckDB and SQLite to about 1000: so many columns can be added.

        Names are quoted identifiers, and texts are constants with their quotes doubled or escaped as the dialect demands, so that
        nothing that comes from data is read as SQL; a zero character is refused, and in "ansi" a backslash in a text, which
        databases read in different ways.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ petal_length", pc.load_data("iris"), "kmedoids", K=1, dissimilarity=pc.Manhattan(scale=False))
        >>> print(fit.sql("duckdb"))
        WITH protoclass_prototypes (place, label, v1) AS (
          VALUES
            (0, 'setosa', CAST(1.5e0 AS DOUBLE)),
            (1, 'versicolor', 4.4e0),
            (2, 'virginica', 5.5e0)
        )
        SELECT t.*,
          CASE WHEN CAST(t."petal_length" AS DOUBLE) BETWEEN -1e300 AND 1e300
          THEN (
            SELECT m.label
            FROM (
              SELECT p.place, p.label, (ABS(r.x1 - p.v1)) AS distance
              FROM (SELECT CAST(t."petal_length" AS DOUBLE) AS x1) AS r
              CROSS JOIN protoclass_prototypes AS p
            ) AS m
            ORDER BY m.distance, m.place
            LIMIT 1
          )
          END AS predicted
        FROM "new_rows" AS t
        """
        from ..analysis.sql import query_in_sql

        return query_in_sql(self, dialect, table, name)  # type: ignore[arg-type]
