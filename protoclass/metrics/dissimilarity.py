"""A trained metric with the rows and candidates that it measures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.coding import as_slice
from ..core.embedding import Spectral, embedding, reflexive, sammon, torgerson
from ..core.memory import available, check_fits
from ..core.parallel import Once, alone, each
from ..core.query import Beside, Latest, Query
from ..core.sources import Held, Rep, Source, Spatial, Streamed, part
from ..core.task import Points
from ..core.thresholds import BLOCK, SHARE, SMALL, SMALLEST
from ..frames.frame import Frame, design_rows, mold
from ..ground.checks import is_number, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief, printed, shown
from ..ground.options import bar
from ..ground.savable import savable
from ..values import Above, Saveable, public
from .base import AskedRows, TrainedMetric, as_vectors, compare
from .embedding import Check, Embedding, Spectrum, check_dissimilarity, spectrum_of
from .matrices import Given, TrainedGiven, converted, trained_given

FEWEST = 256  # prototypes from which on preparing their comparison pays


@savable(candidate_names="m", candidate_row="m")
@public
@dataclass(frozen=True)
class Dissimilarity(Saveable):
    """Dissimilarities of n rows to m candidates."""

    metric: TrainedMetric  #: The trained metric.
    data: Frame  #: The rows.
    rows: Rep  #: Representation of the rows.
    candidates: Rep  #: Representation of the candidates.
    candidate_names: pd.Index  #: Names of the m candidates.
    candidate_row: Array  #: Row position of each candidate, -1 if it is not a row.
    added: pd.DataFrame | None = None  #: Predictors of the candidates that are not rows, by name.

    plot = Above("protoclass.pictures")

    @property
    def index(self) -> pd.Index:
        """Names of the rows."""
        return self.data.index

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of candidates, (n, m)."""
        return len(self.index), len(self.candidate_names)

    @property
    def square(self) -> bool:
        """Whether the candidates are the rows, in their order."""
        n, m = self.shape
        return n == m and bool((self.candidate_row == np.arange(n)).all())

    def _source(
        self,
        tick: Callable[[], None] = lambda: None,
        hold: bool | None = None,
        limit: float | None = None,
    ) -> Source:
        """Source of the dissimilarities for the models.

        Parameters
        ----------
        tick : callable
            Function that is called after each block of rows.
        hold : bool, optional
            Whether to compute the matrix once and store it. Default: if it takes at most `limit`
            bytes, or if computation is slow.
        limit : float, optional
            Limit in bytes. Default: a quarter of the available memory.
        """
        n, m = self.shape
        if self.metric.given and not self.metric.train_in_folds:
            return Held(np.ascontiguousarray(self.metric.between(self.rows, self.candidates)))
        between = partial(checked_values, self.metric)
        sample = between(part(self.rows, slice(0, 1)), part(self.candidates, slice(0, 1)))
        size = n * m * sample.dtype.itemsize
        fits = size <= SMALLEST or size <= SHARE * available()
        if hold is None:
            hold = fits and (self.metric.slow or limit is None or size <= limit)
        cure = "use fewer rows (data.sample(...)) or a machine with more memory"
        streamed = Streamed(between, self.rows, self.candidates, cure)
        geometry = self.metric.geometry
        if geometry is not None and n * m > SMALL and (fits or not hold):
            measured = Once(lambda: self._matrix(tick, sample.dtype)) if hold else None
            return Spatial(streamed, geometry, self.square and self.metric.same_sides, measured)
        if not hold:
            return streamed
        check_fits(size, f"{n} x {m} dissimilarities take", "use fewer rows")
        return Held(self._matrix(tick, sample.dtype))

    def _matrix(self, tick: Callable[[], None], dtype: np.dtype) -> Array:
        """The full matrix (n, m); of a symmetric one half is measured."""
        n, m = self.shape
        values, step = np.empty((n, m), dtype), max(BLOCK, n // 8)
        half = self.square and self.metric.symmetric

        def block(first):
            at, right = slice(first, first + step), slice(first if half else 0, None)
            sides = part(self.rows, at), part(self.candidates, right)
            rows, candidates = self.index[at], self.candidate_names[right]
            values[at, right] = checked_values(
                self.metric,
                *sides,
                lambda i, j: f"rows {shown(rows[i])} and {shown(candidates[j])}",
            )
            if half:
                values[first + step :, at] = values[at, first + step :].T
            tick()

        # these threads own the processors: products of matrices within them run on one each
        with alone() if n * m >= SMALL else nullcontext():
            for _ in each(block, range(0, n, step), n * m):
                pass
        return values

    def _query(self, rows: Array | None = None) -> Query:
        """Query with some of the rows (positions; all by default)."""
        n = len(self.index)
        known = AskedRows(
            self.index, np.ones(n, bool), self.data, self._measured, lambda: self.rows
        )
        return self._asked(known, np.arange(n) if rows is None else rows)

    def _new_query(
        self, new: Any, zero: bool = False, measured: bool = True
    ) -> tuple[Query, pd.Index, Array]:
        """Query with the complete new rows, the names of all rows, and which of them are complete.

        Parameters
        ----------
        new : DataFrame
            Predictors of the new rows; for given dissimilarities, the dissimilarities to the
            prototypes by name.
        zero : bool
            Whether a row with an unseen level has 0 in all columns of the category; otherwise it is
            not complete.
        measured : bool
            Whether dissimilarities are needed, or only columns.
        """
        known = self.metric.new_rows(new, self.data, zero)
        if measured and known.rows is not None:
            known.rows()  # which raises for invalid values, also if a rule has no prototypes
        return (
            self._asked(known, np.arange(known.complete.sum()), zero),
            known.index,
            known.complete,
        )

    def _measured(self, at: Any, candidates: Rep) -> Array:
        return compare(self.metric, part(self.rows, as_slice(at)), candidates)

    def _asked(self, known: AskedRows, rows: Array, zero: bool = False) -> Query:
        """Query with some of the complete rows."""
        names, rep = known.index[known.complete], known.rows
        missing = self.metric.given or self.metric.skips_missing  # these rows have no prediction

        def measure(at, prototypes):
            values = known.measure(at, self._prototype_rep(prototypes))
            row = names[as_slice(at)]
            check_values(
                self.metric, values, lambda i, j: f"row {shown(row[i])} and a prototype", missing
            )
            return values

        def coordinates(at):
            return as_vectors(self.metric).coordinates(part(rep(), as_slice(at)))

        def beside(prototypes):
            """Prototypes and rows, if there are so many pairs that another way is faster."""
            q, geometry = len(prototypes), self.metric.geometry
            if geometry is None or q < FEWEST or len(rep()[0]) * q <= SMALL:
                return None
            streamed = Streamed(
                partial(checked_values, self.metric), rep(), self._prototype_rep(prototypes)
            )
            return Beside(Spatial(streamed, geometry, False, None), np.arange(q))

        return Query(
            rows,
            measure,
            coordinates,
            design_of_rows(known.frame, zero),
            lambda i: shown(names[i]),
            Latest(beside),
        )

    def _prototype_rep(self, prototypes: Points) -> Rep:
        """Side j of D[i, j] for the prototypes of a rule."""
        if prototypes.at is not None:
            return part(self.candidates, prototypes.at)
        return as_vectors(self.metric).place(np.asarray(prototypes.coords))

    @cached_property
    def _values(self) -> Array:
        with bar(None, "measuring", None) as measuring:
            return self._source(measuring.update, hold=True).array()

    def to_frame(self) -> pd.DataFrame:
        """The matrix as a DataFrame (n, m), or TooLargeError beyond a quarter of the memory."""
        return pd.DataFrame(self._values, self.index, self.candidate_names)

    frame = to_frame  # a shorter name

    def condensed(self) -> Array:
        """The n (n - 1) / 2 dissimilarities below the diagonal, as in R's `dist` and SciPy."""
        self._check_square("a condensed form")
        if not np.allclose(self._values, self._values.T, rtol=1e-9, atol=0):
            i, j = np.unravel_index(np.abs(self._values - self._values.T).argmax(), self.shape)
            raise DataError(
                "a condensed form has one value for each pair, but the matrix is asymmetric (from "
                f"{shown(self.index[i])} to {shown(self.index[j])}): use symmetrized() first"
            )
        return self._values[np.triu_indices(len(self.index), 1)]

    def quantile(self, q: Any) -> Any:
        """Quantiles of the positive dissimilarities between different rows.

        Examples
        --------
        >>> import protoclass as pc
        >>> round(pc.dissimilarity("species ~ .", pc.load_data("iris")).quantile(0.5), 3)
        2.49
        """
        levels = np.atleast_1d(q)
        if levels.ndim > 1 or not all(is_number(level, 0, high=1) for level in levels):
            raise OptionError(f"q must be quantiles between 0 and 1, not {brief(q)}")
        D = self._values
        different = self.candidate_row != np.arange(len(D))[:, None]
        values = D[different & (D > 0) & np.isfinite(D)]
        if len(values) == 0:
            raise DataError("all dissimilarities between different rows are 0")
        found = np.quantile(values, levels.astype(float))
        return float(found[0]) if np.ndim(q) == 0 else pd.Series(found, levels)

    def map(self, dims: int = 2, method: str = "classical") -> pd.DataFrame:
        """Coordinates whose distances approximate the dissimilarities (multidimensional scaling).

        Parameters
        ----------
        dims : int
            Number of dimensions.
        method : "classical" or "sammon"
            Classical scaling (Torgerson 1952), or Sammon's mapping (1969).

        Examples
        --------
        >>> import protoclass as pc
        >>> pc.dissimilarity("species ~ .", pc.load_data("iris")).map().head(2).round(2)
           dim1  dim2
        0 -2.26  0.48
        1 -2.07 -0.67
        """
        self._check_square("a map")
        whole_number("dims", dims, 1)
        if dims > len(self.index):
            raise OptionError(
                f"dims must be at most the number of rows, {len(self.index)}, not {dims}"
            )
        one_of("method", method, ("classical", "sammon"))
        scaling = torgerson if method == "classical" else sammon
        X = scaling((self._values + self._values.T) / 2, dims)
        return pd.DataFrame(X, self.index, [f"dim{k + 1}" for k in range(X.shape[1])])

    def symmetrized(self, method: str = "mean") -> Dissimilarity:
        """Symmetric dissimilarities: the "mean", "max" or "min" of both directions."""
        one_of("method", method, ("mean", "max", "min"))
        self._check_square("a symmetric form")
        P, join = self._values.astype(float), {"max": np.maximum, "min": np.minimum}.get(method)
        both = pd.DataFrame(join(P, P.T) if join else (P + P.T) / 2, self.index, self.index)
        spec = self.metric.spec
        spec = replace(spec, origin="") if isinstance(spec, Given) else Given()
        return of_metric(trained_given(both, spec), self.index)

    @staticmethod
    def from_similarity(similarity: Any, method: str = "max") -> Dissimilarity:
        """Convert similarities or connection strengths to dissimilarities.

        Parameters
        ----------
        similarity : DataFrame (square, the same labels on both sides) or square array
            Similarities s.
        method : str
            "max": largest similarity - s, for any scale; "kernel": sqrt(s_ii + s_jj - 2 s_ij), for
            a positive semidefinite matrix.

        Examples
        --------
        >>> import pandas as pd
        >>> import protoclass as pc
        >>> links = pd.DataFrame([[4, 3, 0], [2, 4, 1], [0, 1, 4]], list("abc"), list("abc"))
        >>> pc.Dissimilarity.from_similarity(links).symmetrized("mean").to_frame()
             a    b    c
        a  0.0  1.5  4.0
        b  1.5  0.0  3.0
        c  4.0  3.0  0.0
        """
        one_of("method", method, ("max", "kernel"))
        matrix = converted(similarity, method)
        return of_metric(trained_given(matrix), matrix.index)

    @staticmethod
    def from_kernel(kernel: Any) -> Dissimilarity:
        """Distances sqrt(K_ii + K_jj - 2 K_ij) between the points of a kernel matrix (Bien and
        Tibshirani 2011, section 4.1).

        Parameters
        ----------
        kernel : DataFrame (square, the same labels on both sides) or square array
            Kernel matrix K, with K_ii + K_jj >= 2 K_ij.

        Examples
        --------
        >>> import numpy as np
        >>> import protoclass as pc
        >>> pc.Dissimilarity.from_kernel(np.array([[1.0, 0.5], [0.5, 1.0]])).condensed()
        array([1.])
        """
        return Dissimilarity.from_similarity(kernel, "kernel")

    def embed(self, dims: int | None = None) -> Embedding:
        """The rows as points in a pseudo-Euclidean space (Graepel et al. 1998, section 2).

        Parameters
        ----------
        dims : int, optional
            Number of axes, with the largest absolute eigenvalues. Default: all. Eigenvalues below
            1e-10 of the largest are numerically 0.

        Returns
        -------
        Embedding
            The points, with `place(new)` for new rows.

        Raises
        ------
        DataError
            If the matrix is not square, is asymmetric, or is not zero on the diagonal.

        Examples
        --------
        >>> import protoclass as pc
        >>> e = pc.dissimilarity("species ~ .", pc.load_data("iris")).embed()
        >>> e.signature, e.coordinates.shape
        ((4, 0), (150, 4))
        """
        if dims is not None:
            whole_number("dims", dims, 1)
        axes = self._spectral()
        axes = axes if dims is None else axes.first(dims)
        return Embedding(self.metric, self.data, self.candidates, axes)

    def spectrum(self) -> Spectrum:
        """Eigenvalues of the embedding, and their case in Graepel et al. (1998); see `embed`.

        Examples
        --------
        >>> import numpy as np
        >>> import protoclass as pc
        >>> pc.Dissimilarity.from_similarity(np.eye(20)).spectrum().case  # all pairs at distance 1
        'flat'
        """
        return spectrum_of(self._spectral(), len(self.index))

    def _spectral(self) -> Spectral:
        self._check_square("an embedding")
        reflexive(self._values, lambda i: shown(self.index[i]))
        return embedding(self._values)

    def _check_square(self, what: str) -> None:
        if not self.square:
            raise DataError(
                f"{what} needs a square matrix, but the candidates of this one are not its rows"
            )

    def check(self, by: Any = None, seed: int = 0) -> Check:
        """Check properties of the dissimilarities: symmetric, metric, Euclidean, ties.

        Parameters
        ----------
        by : Series, optional
            Classes by row label. If given, duplicates of different classes are counted too.
        seed : int
            Seed for the random triples (1,000,000 for more than 300 rows) and the random rows for
            the spectrum (1500).

        Returns
        -------
        Check
            Its `table` has a row for each question, with `answer`, `value` and `detail`.

        Examples
        --------
        >>> import protoclass as pc
        >>> check = pc.dissimilarity("species ~ .", pc.load_data("iris")).check()
        >>> print(check.table["answer"].to_string())
        question
        shape                         150 x 150
        square                              yes
        symmetric                           yes
        zero diagonal                       yes
        duplicates                       1 pair
        triangle inequality               holds
        Euclidean                           yes
        ties                             9.25 %
        range                  0.1208 to 6.508
        """
        return check_dissimilarity(
            self._values, self.index, self.candidate_row, self.metric.name, by, seed
        )

    def summary(self) -> pd.Series:
        """Number of rows and candidates, and quartiles of the positive dissimilarities."""
        quartiles = self.quantile([0, 0.25, 0.5, 0.75, 1])
        names = ["smallest", "lower quartile", "median", "upper quartile", "largest"]
        n, m = self.shape
        return pd.Series(
            {"rows": n, "candidates": m, **dict(zip(names, quartiles, strict=True))},
            name=self.metric.name,
        )

    @printed
    def __repr__(self) -> str:
        n, m = self.shape
        head = f"{self.metric.name} dissimilarities of {n} rows to {m} candidates"
        head = "\n".join([head, *self.metric.notes])
        few = 5
        rows = self.metric.between(
            part(self.rows, slice(0, few)), part(self.candidates, slice(0, few))
        )
        table = pd.DataFrame(rows, self.index[:few], self.candidate_names[:few])
        table = table.map("{:.3g}".format)
        if self.square:
            table = table.where(np.tril(np.ones(table.shape, bool), -1), "").iloc[1:, :-1]
        more = "" if max(n, m) <= few else f"\n... the first {few} of each"
        return f"{head}\n{table.to_string() if table.size else ''}{more}"


def of_metric(metric: TrainedGiven, index: pd.Index) -> Dissimilarity:
    """The dissimilarities of a square matrix with the labels of an index on both sides."""
    frame = mold("~ 1", pd.DataFrame(index=index), response=False)
    sides = metric.rows(frame), metric.candidates(frame)
    return Dissimilarity(metric, frame, *sides, frame.index, np.arange(len(frame)))


def checked_values(
    metric: TrainedMetric, rows: Rep, candidates: Rep, pair: Callable[[int, int], str] | None = None
) -> Array:
    """Dissimilarities (r, q) as floats, finite and >= 0; `pair` names a row and a candidate."""
    values = compare(metric, rows, candidates)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(float)
    check_values(metric, values, pair or (lambda i, j: "some rows"))
    return values


def check_values(
    metric: TrainedMetric, values: Array, pair: Callable[[int, int], str], missing: bool = False
) -> None:
    """Raise if a dissimilarity is negative, infinite, or NaN unless it may be missing.

    Raises
    ------
    DataError
        With the first such pair, by its name.
    """
    if values.size == 0 or (values.min() >= 0 and values.max() < np.inf):
        return
    wrong = ~((values >= 0) & (values < np.inf))
    if missing:
        wrong &= ~np.isnan(values)
    for i, j in np.argwhere(wrong)[:1]:
        fault = fault_of(values[i, j], metric)
        raise DataError(f"the {metric.name} dissimilarity between {pair(i, j)} is {fault}")


def fault_of(value: float, metric: TrainedMetric) -> str:
    """The fault of a value that is no dissimilarity, and its cure."""
    if value < 0:
        return "negative, but dissimilarities must be >= 0"
    if value > 0:
        return "infinite: correct the values of the row, or scale the columns down"
    if not metric.skips_missing:
        return "not a number (NaN): `between` of the metric must return finite numbers >= 0"
    return (
        "missing, because they have no observed variable in common: leave out rows or columns "
        "that miss most values, or use na='drop'"
    )


def design_of_rows(frame: Frame | None, zero: bool) -> Callable[[Array], Array]:
    """Columns of the design matrix; NaN for a row with an unseen level that is not set to 0."""
    blank = Once(lambda: frame.without_unseen(frame.unseen))

    def columns(at: Array) -> Array:
        if frame is None or not frame.formula.terms:
            what = "a given matrix" if frame is None else repr(frame.formula.text)
            raise DataError(f"the method needs columns, but {what} has no predictors")
        values = design_rows(blank(), at)
        if zero or not frame.unseen:
            return values
        return np.where(np.logical_or.reduce(list(frame.unseen.values()))[at, None], np.nan, values)

    return columns
