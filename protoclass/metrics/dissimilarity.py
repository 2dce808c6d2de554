"""A trained metric with the rows and candidates that it measures."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..core.parallel import SMALL, alone, each
from ..core.proximity.embedding import Embedding as Axes
from ..core.proximity.embedding import embedding, reflexive
from ..core.proximity.sammon import sammon
from ..core.proximity.torgerson import torgerson
from ..core.sources import Held, Rep, Source, Streamed, part
from ..errors import DataError, OptionError, TooLarge, brief, one_of, shown, whole
from ..frames.frame import Frame, as_pandas, mold
from .base import Metric
from .candidates import Candidates, subset
from .check import Check, checked
from .embedding import Embedding, Spectrum, spectrum_of
from .given import converted, given
from .ranks import Ranks
from .registry import automatic
from .registry import metric as by_name

SHARE = 0.25  # of the machine's memory that one matrix may take
ROWS = 512  # measured at a time


@dataclass(frozen=True)
class Fresh:
    """New rows.

    Attributes
    ----------
    rows, points : the complete rows and the points, as `metric.between` takes them
    index : Index
        Labels of all new rows.
    whole : bool array
        Which of these are complete.
    frame : Frame of the complete rows, or None for given dissimilarities
    """

    rows: Rep
    points: Rep
    index: pd.Index
    whole: np.ndarray
    frame: Frame | None


@dataclass(frozen=True)
class Dissimilarity:
    """Dissimilarities of n rows to m candidates, measured when asked for.

    Attributes
    ----------
    metric : Metric, trained
    data : Frame
        The rows.
    rows, points : representations of the rows and of the candidates
    labels : Index (m,)
        Labels of the candidates.
    origin : int array (m,)
        The row that each candidate is, -1 for none.
    added : DataFrame, or None
        Predictors of the candidates that are no rows, by label.
    """

    metric: Metric
    data: Frame
    rows: Rep
    points: Rep
    labels: pd.Index
    origin: np.ndarray
    added: pd.DataFrame | None = None

    @property
    def index(self) -> pd.Index:
        """Labels of the rows."""
        return self.data.index

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.index), len(self.labels)

    @property
    def square(self) -> bool:
        """Whether the candidates are the rows, in their order."""
        n, m = self.shape
        return n == m and bool((self.origin == np.arange(n)).all())

    def source(
        self, tick: Callable[[], None] = lambda: None, hold: bool | None = None, limit: float | None = None
    ) -> Source:
        """Where the models read the dissimilarities.

        Parameters
        ----------
        tick : callable
            Called after each block of rows.
        hold : bool, optional
            Measure once and hold the matrix; by default where it takes at most `limit` bytes, or where measuring is slow.
        limit : float, optional
            A quarter of the machine's memory by default.
        """
        n, m = self.shape
        if self.metric.given and not self.metric.supervised:
            return Held(np.ascontiguousarray(self.metric.between(self.rows, self.points)))
        between = self._checked
        sample = between(part(self.rows, slice(0, 1)), part(self.points, slice(0, 1)))
        size = n * m * sample.dtype.itemsize
        fits = size <= SHARE * memory()
        if hold is None:
            hold = fits and (self.metric.slow or limit is None or size <= limit)
        if not hold:
            return Streamed(
                between, self.rows, self.points, "use fewer rows (data.sample(...)) or a machine with more memory"
            )
        if not fits:
            raise TooLarge(
                f"{n} x {m} dissimilarities take {size / 2**30:.1f} GB, above a quarter of the memory: use fewer rows"
            )
        values, step = np.empty((n, m), sample.dtype), max(ROWS, n // 8)

        half = self.square and self.metric.symmetric

        def block(first: int) -> None:
            at, right = slice(first, first + step), slice(first if half else 0, None)
            values[at, right] = between(
                part(self.rows, at), part(self.points, right), self.index[at], self.labels[right]
            )
            if half:
                values[first + step :, at] = values[at, first + step :].T
            tick()

        # these threads own the processors: products of matrices within them run on one each
        with alone() if n * m >= SMALL else nullcontext():
            for _ in each(block, range(0, n, step), n * m):
                pass
        return Held(values)

    def _checked(
        self, rows: Rep, points: Rep, of_rows: pd.Index | None = None, of_points: pd.Index | None = None
    ) -> np.ndarray:
        values = np.asarray(self.metric.between(rows, points))
        if values.shape != (len(rows[0]), len(points[0])):
            raise DataError(
                f"the metric {self.metric.name} gave an array of shape {values.shape} for {len(rows[0])} rows and "
                f"{len(points[0])} points"
            )
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(float)
        if values.size == 0 or (values.min() >= 0 and values.max() < np.inf):
            return values
        i, j = np.argwhere(~(np.isfinite(values) & (values >= 0)))[0]
        named = of_rows is not None and of_points is not None
        pair = f"rows {shown(of_rows[i])} and {shown(of_points[j])}" if named else "some rows"
        if np.isnan(values[i, j]):
            raise DataError(
                f"the {self.metric.name} dissimilarity between {pair} is missing, as they know no variable in common: leave "
                "out rows or columns that miss most values, or say na='drop'"
            )
        what = "negative" if values[i, j] < 0 else "infinite: scale the columns down"
        raise DataError(f"the {self.metric.name} dissimilarity between {pair} is {what}")

    @cached_property
    def _values(self) -> np.ndarray:
        from tqdm.auto import tqdm

        with tqdm(desc="measuring", delay=2, leave=False) as measuring:
            return self.source(measuring.update, hold=True).array()

    def fresh(self, new: Any, points: Rep) -> Fresh:
        """New rows, to be measured against points."""
        if not self.metric.given:
            new = as_pandas(new)
            frame, whole = self.data.again(new)
            return Fresh(*self.metric.fresh(frame, points), new.index, whole, frame)
        if not isinstance(new, pd.DataFrame):
            raise DataError(
                "for given dissimilarities new rows are a DataFrame of dissimilarities with the candidates' labels as "
                f"columns, not {type(new).__name__}"
            )
        needed = self.metric.needs(points)
        if not new.columns.is_unique:
            raise DataError(f"the column label {shown(new.columns[new.columns.duplicated()][0])} occurs more than once")
        missing = [c for c in needed if c not in new.columns]
        if missing:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise DataError(f"the dissimilarities to {missing[:5]}{more} are needed and missing")
        whole = ~new[list(needed)].isna().any(axis=1).to_numpy()
        return Fresh(*self.metric.fresh(new[whole], points), new.index, whole, None)

    def frame(self) -> pd.DataFrame:
        """The matrix as a DataFrame (n, m).

        Raises
        ------
        TooLarge
            Above a quarter of the machine's memory.
        """
        return pd.DataFrame(self._values, self.index, self.labels)

    def condensed(self) -> np.ndarray:
        """The n (n - 1) / 2 dissimilarities below the diagonal, column by column, as R's `dist` and SciPy have them."""
        if not self.square:
            raise DataError("only a square matrix has a condensed form: its candidates must be its rows")
        if not np.allclose(self._values, self._values.T, rtol=1e-9, atol=0):
            i, j = np.unravel_index(np.abs(self._values - self._values.T).argmax(), self.shape)
            raise DataError(
                f"the matrix is asymmetric (from {shown(self.index[i])} to {shown(self.index[j])}), and a condensed form holds one "
                "value for each pair"
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
        try:
            levels = np.atleast_1d(np.asarray(q, float))
        except (TypeError, ValueError):
            levels = np.array([np.nan])
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise OptionError(f"q={brief(q)}: quantiles lie between 0 and 1")
        apart = self.origin[None, :] != np.arange(self.shape[0])[:, None]
        observed = self._values[apart & (self._values > 0)]
        if len(observed) == 0:
            raise DataError("there is no positive dissimilarity between different rows")
        values = np.quantile(observed, levels)
        return float(values[0]) if np.ndim(q) == 0 else pd.Series(values, levels)

    def map(self, dims: int = 2, method: str = "classical") -> pd.DataFrame:
        """Coordinates in which distances are near the dissimilarities.

        Parameters
        ----------
        dims : int
        method : "classical" or "sammon"
            Classical scaling (Torgerson 1952), or Sammon's mapping (1969), which is most faithful to small dissimilarities.

        Examples
        --------
        >>> import protoclass as pc
        >>> pc.dissimilarity("species ~ .", pc.load_data("iris")).map().head(2).round(2)
           dim1  dim2
        0 -2.26  0.48
        1 -2.07 -0.67
        """
        if not self.square:
            raise DataError("a map needs a square matrix: its candidates must be its rows")
        whole("dims", dims, 1)
        if dims > len(self.index):
            raise OptionError(f"dims={dims}: at most the number of rows, {len(self.index)}")
        one_of("method", method, ("classical", "sammon"))
        scaling = torgerson if method == "classical" else sammon
        X = scaling((self._values + self._values.T) / 2, dims)
        return pd.DataFrame(X, self.index, [f"dim{k + 1}" for k in range(X.shape[1])])

    def symmetrized(self, how: str = "mean") -> Dissimilarity:
        """The same rows with symmetric dissimilarities: of each pair the "mean", "max" or "min" of both directions."""
        one_of("how", how, ("mean", "max", "min"))
        if not self.square:
            raise DataError("only a square matrix can be made symmetric: its candidates must be its rows")
        P = self._values.astype(float)
        both = {"mean": lambda: (P + P.T) / 2, "max": lambda: np.maximum(P, P.T), "min": lambda: np.minimum(P, P.T)}[
            how
        ]()
        return _of_matrix(pd.DataFrame(both, self.index, self.index), self.data)

    @staticmethod
    def from_similarity(similarity: Any, how: str = "max", symmetrize: str | None = None) -> Dissimilarity:
        """Dissimilarities of given similarities or connection strengths.

        Parameters
        ----------
        similarity : DataFrame (square, the same labels on both sides) or square array
        how : str
            "max": largest similarity - s, whatever the scale; "one": 1 - s, for s <= 1; "log": -log(s), for 0 < s <= 1;
            "inverse": 1 / s - 1, for 0 < s <= 1; "kernel": sqrt(s_ii + s_jj - 2 s_ij), for positive semi-definite ones.
            All but "kernel" leave the diagonal what the conversion makes of it.
        symmetrize : "mean", "max", "min" or None
            What to do with the dissimilarities of both directions; None leaves them as they are.

        Examples
        --------
        >>> import pandas as pd
        >>> import protoclass as pc
        >>> links = pd.DataFrame([[4, 3, 0], [2, 4, 1], [0, 1, 4]], list("abc"), list("abc"))
        >>> pc.Dissimilarity.from_similarity(links, symmetrize="mean").frame()
             a    b    c
        a  0.0  1.5  4.0
        b  1.5  0.0  3.0
        c  4.0  3.0  0.0
        """
        one_of("how", how, ("max", "one", "log", "inverse", "kernel"))
        one_of("symmetrize", symmetrize, (None, "mean", "max", "min"))
        matrix = converted(similarity, how)
        found = _of_matrix(matrix, mold("~ 1", pd.DataFrame(index=matrix.index), response=False))
        return found if symmetrize is None else found.symmetrized(symmetrize)

    def embed(self, dims: int | None = None, symmetrize: str | None = None) -> Embedding:
        """The rows as points of a pseudo-Euclidean space (Graepel et al. 1998, section 2).

        Parameters
        ----------
        dims : int, optional
            Axes, those of the largest absolute eigenvalues; all by default. Eigenvalues below 1e-10 of the largest (in
            float32 below n times its precision) are numerically 0.
        symmetrize : "mean", "max", "min" or None
            What to make of asymmetric dissimilarities; None refuses them.

        Returns
        -------
        Embedding
            With `coordinates`, `signs`, `signature`, `place(new)` for new rows and `plot()`.

        Raises
        ------
        DataError
            For a matrix that is not square, asymmetric, or not zero on the diagonal.

        Examples
        --------
        >>> import protoclass as pc
        >>> e = pc.dissimilarity("species ~ .", pc.load_data("iris")).embed()
        >>> e.signature, e.coordinates.shape
        ((4, 0), (150, 4))
        """
        if dims is not None:
            whole("dims", dims, 1)
        related, axes = self._embedded(symmetrize)
        return Embedding(related, axes if dims is None else axes.first(int(dims)))

    def spectrum(self, symmetrize: str | None = None) -> Spectrum:
        """Eigenvalues of the embedding, and which of the paper's cases they are; see `embed`.

        Examples
        --------
        >>> import numpy as np
        >>> import protoclass as pc
        >>> pc.Dissimilarity.from_similarity(np.eye(20)).spectrum().case  # all pairs at distance 1
        'flat'
        """
        return spectrum_of(self._embedded(symmetrize)[1], len(self.index))

    def _embedded(self, symmetrize: str | None) -> tuple[Dissimilarity, Axes]:
        one_of("symmetrize", symmetrize, (None, "mean", "max", "min"))
        if not self.square:
            raise DataError("an embedding needs a square matrix: its candidates must be its rows")
        related = self if symmetrize is None else self.symmetrized(symmetrize)
        reflexive(related._values, lambda i: shown(self.index[i]))
        return related, embedding(related._values)

    def check(self, by: Any = None, seed: int = 0) -> Check:
        """What the dissimilarities are like, to be read before a method is chosen.

        Parameters
        ----------
        by : Series, optional
            Classes, by the rows' labels: then duplicates of different classes are counted too.
        seed : int
            For the random triples (1,000,000 where there are more than 300 rows) and the random rows (1500 where there
            are more) whose spectrum is found.

        Returns
        -------
        Check
            It prints; `table` has a row for each question, with `answer`, `value` and `detail`. What needs a square
            or a symmetric matrix is not asked of another.

        Raises
        ------
        TooLarge
            Above a quarter of the machine's memory.

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
        ties                              9.3 %
        range                  0.1208 to 6.508
        """
        return checked(self, by, seed)

    def plot(self, by: Any = None, kind: str = "matrix", ax: Any = None) -> Any:
        """The matrix as a picture, or its distributions by class.

        Parameters
        ----------
        by : Series, optional
            Classes, by the rows' labels; without them all rows are one group.
        kind : "matrix" or "distributions"
            "matrix": rows by class, alike ones side by side (at most 1000, evenly taken); its colours span the 1 % to 99 %
            quantiles. "distributions": for each class the positive dissimilarities between its rows, and to those of others.
        ax : Axes, optional

        Returns
        -------
        Axes

        Examples
        --------
        >>> import protoclass as pc
        >>> iris = pc.load_data("iris")
        >>> pc.dissimilarity("species ~ .", iris).plot(by=iris["species"]).get_ylabel()
        'rows by species'
        """
        from ..plots.matrix import plot

        return plot(self, by, kind, ax)

    def summary(self) -> pd.Series:
        """Number of rows and candidates, and quartiles of the positive dissimilarities between different rows."""
        quartiles = self.quantile([0, 0.25, 0.5, 0.75, 1])
        names = ["smallest", "lower quartile", "median", "upper quartile", "largest"]
        n, m = self.shape
        return pd.Series(
            {"rows": n, "candidates": m, **dict(zip(names, quartiles, strict=True))}, name=self.metric.name
        )

    def __repr__(self) -> str:
        n, m = self.shape
        head = f"{self.metric.name} dissimilarities of {n} rows to {m} candidates"
        few = 5
        rows = self.metric.between(part(self.rows, slice(0, few)), part(self.points, slice(0, few)))
        table = pd.DataFrame(rows, self.index[:few], self.labels[:few]).map(lambda v: f"{v:.3g}")
        if self.square:
            table = table.where(np.tril(np.ones(table.shape, bool), -1), "").iloc[1:, :-1]
        more = "" if max(n, m) <= few else f"\n... the first {few} of each"
        return f"{head}\n{table.to_string() if table.size else ''}{more}"


def _of_matrix(matrix: pd.DataFrame, frame: Frame) -> Dissimilarity:
    formula = replace(frame.formula, terms=(), variables=())
    bare = replace(frame, columns=frame.columns.iloc[:, :0], formula=formula, schema={}, spec=None, keep=False)
    return relate(bare, given(matrix, matrix.index))


def dissimilarity(data: Any, frame: Any = None, metric: Any = "auto", *, na: str = "drop") -> Dissimilarity:
    """Dissimilarities between the rows of a data frame.

    Parameters
    ----------
    data : str or DataFrame
        A formula (its response, if it has one, is left out), or the frame itself, all of whose columns then count.
    frame : DataFrame
        The data, where a formula is given; else the metric may stand here.
    metric : str, metric object, callable or matrix
        As `dissimilarity=` in `fit`.
    na : "drop", "raise" or "keep"

    Returns
    -------
    Dissimilarity

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.dissimilarity("species ~ .", pc.load_data("iris"), "manhattan")
    Manhattan dissimilarities of 150 rows to 150 candidates
          0      1      2     3
    1  1.39
    2  1.23  0.757
    3  1.58  0.648  0.463
    4  0.35    1.5   1.34  1.69
    ... the first 5 of each
    """
    if isinstance(data, str):
        formula, table = data, frame
        if table is None:
            raise OptionError("dissimilarity(formula, data): the data are missing")
    else:
        formula, table = "~ .", data
        if frame is not None:
            metric = frame if isinstance(metric, str) and metric == "auto" else metric
            if metric is not frame:
                raise OptionError("dissimilarity(frame, metric): two metrics were given")
    table = as_pandas(table)
    molded = mold(formula, table, na=na, response=False)
    return relate(molded, resolve(metric, molded, table.index))


def resolve(spec: Any, frame: Frame, index: pd.Index) -> Metric:
    """The metric that `dissimilarity=` names; `index` holds the labels of all rows of the data, for arrays."""
    if isinstance(spec, str) and spec == "auto":
        return automatic(frame)
    if isinstance(spec, Dissimilarity):
        return spec.metric
    if isinstance(spec, Ranks) and isinstance(spec.of, Dissimilarity):
        raise OptionError("Ranks takes a metric or a matrix: give it d.metric, or d.frame() with a formula 'y ~ 1'")
    if isinstance(spec, Ranks):
        return replace(spec, of=resolve(spec.of, frame, index))
    if isinstance(spec, (pd.DataFrame, np.ndarray, list, tuple)):
        spec = given(spec, index)
    chosen = by_name(spec)
    if chosen.given and frame.formula.terms:
        raise OptionError(
            f"with given dissimilarities the formula names no predictors: write '{frame.formula.response or ''} ~ 1', "
            f"not {frame.formula.text!r}"
        )
    if frame.keep and not chosen.given and not chosen.skips:
        raise OptionError(
            f"na='keep' goes with Gower dissimilarities, which skip what is missing, not with {chosen.name}"
        )
    return chosen


def relate(
    frame: Frame,
    chosen: Metric,
    train: np.ndarray | None = None,
    trained: bool = False,
    candidates: Any = "train",
    seed: int = 0,
) -> Dissimilarity:
    """Train a metric and represent rows and candidates.

    Parameters
    ----------
    frame : Frame
    chosen : Metric
    train : int array, optional
        The rows that the metric may see and that are candidates; all by default.
    trained : bool
        Whether the metric is to serve as it was trained before.
    candidates : as in `fit`
    seed : int
    """
    seen = frame if train is None else frame.take(train)
    metric = chosen if trained else chosen.train(seen)
    labels = metric.candidates(seen)
    rows = metric.rows(frame)
    alike = train is None and type(metric).points is Metric.points  # both sides of D are then represented alike
    points = rows if alike else metric.points(seen)
    origin = frame.index.get_indexer(labels)
    if isinstance(candidates, (int, np.integer)):
        drawn = subset(frame, int(candidates), seed)
        keep = (origin >= 0) & drawn[origin]
        labels, points, origin = labels[keep], part(points, keep), origin[keep]
    if not isinstance(candidates, Candidates):
        return Dissimilarity(metric, frame, rows, points, labels, origin)
    if metric.given:
        raise OptionError("with given dissimilarities the candidates are the matrix's columns: add columns to it")
    extra, predictors = candidates.points(metric, seen, seed)
    clash = predictors.index[predictors.index.isin(frame.index)]
    if len(clash):
        raise DataError(f"the candidate {shown(clash[0])} has the label of a row: give it another")
    outside = np.full(len(predictors), -1)
    if candidates.alone:
        return Dissimilarity(metric, frame, rows, extra, predictors.index, outside, predictors)
    points = tuple(np.concatenate([a, b]) for a, b in zip(points, extra, strict=True))
    labels = labels.append(predictors.index)
    origin = np.concatenate([origin, outside])
    return Dissimilarity(metric, frame, rows, points, labels, origin, predictors)


def memory() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**33
