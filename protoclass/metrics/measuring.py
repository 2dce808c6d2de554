"""Dissimilarities from a frame and a metric or from a file, and candidates besides the training
rows (Bien and Tibshirani 2011, section 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import Array
from ..core.sources import Rep, part
from ..core.statistics.folds import stratified_subset
from ..core.thresholds import LARGEST
from ..core.vectors.centroids import hull_draws
from ..core.vectors.centroids import kmeans as clustered
from ..frames.frame import Frame, mold
from ..frames.schema import check_unique
from ..frames.tables import as_pandas, read_for
from ..ground.checks import MOST_RUNS, NamedArguments, one_of, whole_number
from ..ground.errors import (
    DataError,
    DataWarning,
    OptionError,
    TooLargeError,
    brief,
    first_of,
    printed,
    shown,
    warn,
)
from ..ground.savable import savable
from ..values import public
from .base import Metric, TrainedMetric, as_vectors, candidates_of, compare, rows_of, train_metric
from .dissimilarity import Dissimilarity, of_metric
from .elastic import DTW
from .learned import LDA, QDA
from .matrices import TrainedGiven, given, label_cure, match_rows, read_matrix
from .minkowski import Euclidean
from .registry import metric as by_name
from .tabular import LABEL_ROWS, Gower
from .wrappers import OneOf, Wrapper, list_tuned


@dataclass(frozen=True)
class Candidates(NamedArguments):
    """Candidates that are added to the training rows, or with `only` replace them.

    Attributes
    ----------
    train_in_folds : bool
        Whether they are computed from the training rows, and so again in each fold.
    """

    train_in_folds: ClassVar[bool] = False

    only: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        one_of("only", self.only, (True, False))

    def make(self, metric: TrainedMetric, seen: Frame, seed: int) -> tuple[Rep, pd.DataFrame]:
        """Side j of D for the added candidates, and their predictors by name."""
        raise NotImplementedError


@savable
@dataclass(frozen=True, eq=False)
class unlabelled(Candidates):  # noqa: N801 - lower case because it is used like a function
    """Candidates without a known class, such as rows to be predicted (semi-supervised PVM).

    Parameters
    ----------
    data : DataFrame
        Rows with the predictors of the formula; a response is not used.
    only : bool
        Whether only these rows are candidates, without the training rows.
    """

    data: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        table = as_pandas(self.data)
        check_unique(table.index, "unlabelled row")
        object.__setattr__(self, "data", table)

    @printed
    def __repr__(self) -> str:
        return f"unlabelled({brief(self.data)}{', only=True' if self.only else ''})"

    def make(self, metric: TrainedMetric, seen: Frame, seed: int) -> tuple[Rep, pd.DataFrame]:
        new, complete = seen.again(self.data)
        if not complete.all():
            raise DataError(f"{(~complete).sum()} unlabelled rows lack predictors: leave them out")
        new.unseen_counts.warn(
            {c: fate for c in new.unseen if (fate := metric.unseen_in(c)) in ("unlike", "skipped")}
        )
        return candidates_of(metric, new), new.columns


@dataclass(frozen=True)
class Generated(Candidates):
    """Candidates that are computed from the coordinates of the training rows of each class."""

    train_in_folds: ClassVar[bool] = True

    def make(self, metric: TrainedMetric, seen: Frame, seed: int) -> tuple[Rep, pd.DataFrame]:
        space = as_vectors(metric)
        X, names = space.coordinates(rows_of(space, seen)), [str(level) for level in seen.levels]
        if len(set(names)) < len(names):  # such as 1 and "1"
            names = [repr(level) for level in seen.levels]
        made, labels, kind = [], [], type(self).__name__
        for c, name in enumerate(names):
            rows = (seen.weights > 0) & (seen.codes == c)
            if rows.sum() < self.needed:
                raise DataError(
                    f"{kind} candidates need {self.needed} rows with weight in each class, but "
                    f"{name!r} has {rows.sum()}"
                )
            made.append(self.of_class(X[rows], seen.weights[rows], (seed, c)))
            labels += [f"{kind}[{name}].{k + 1}" for k in range(len(made[-1]))]
        coords = np.concatenate(made)
        return space.place(coords), space.original(coords).set_axis(labels)

    @property
    def needed(self) -> int:
        """Number of rows that each class must have."""
        return 1

    def of_class(self, X: Array, w: Array, seed: tuple[int, int]) -> Array:
        """Coordinates of the candidates of a class, from its rows (r, p) with weights (r,)."""
        raise NotImplementedError


@savable(name="kmeans candidates")
@dataclass(frozen=True)
class kmeans(Generated):  # noqa: N801 - lower case because it is used like a function
    """Candidates that are centroids of k-means on each class.

    Parameters
    ----------
    K : int
        Number of centroids of each class.
    only : bool
        Whether only these centroids are candidates, without the training rows.
    """

    K: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("K", self.K, 1)

    @property
    def needed(self) -> int:
        return self.K

    def of_class(self, X: Array, w: Array, seed: tuple[int, int]) -> Array:
        return clustered(X, w, self.K, 3, seed)[0]


@savable
@dataclass(frozen=True)
class hull(Generated):  # noqa: N801 - lower case because it is used like a function
    """Candidates drawn nearly uniformly (by hit-and-run) from the convex hull of each class.

    Parameters
    ----------
    n : int
        Number of draws for each class.
    only : bool
        Whether only these are candidates, without the training rows.
    steps : int, optional
        Number of steps of the random walk between draws, with ten times as many before the first.
        Default: the dimension of the hull, at least 5. With fewer, draws are similar and too near
        the mean.
    """

    n: int = 200
    steps: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("n", self.n, 1)
        if self.steps is not None:
            whole_number("steps", self.steps, 1, MOST_RUNS)

    def of_class(self, X: Array, w: Array, seed: tuple[int, int]) -> Array:
        if self.n * X.shape[1] > LARGEST:
            raise TooLargeError(
                f"pc.candidates.hull({self.n}) draws too many rows of {X.shape[1]} columns: use fewer"
            )
        return hull_draws(X.astype(float), self.n, self.steps, seed)


def subset(frame: Frame, count: Any, seed: int) -> Array:
    """Rows with weight of a random subset of about equal shares of each class, bool (n,)."""
    live = frame.weights > 0
    if count > live.sum():
        what = "rows" if live.all() else "rows with weight"
        raise OptionError(
            f"candidates={brief(count)} needs as many {what}, but there are {live.sum()}"
        )
    out = np.zeros(len(frame), bool)
    out[live] = stratified_subset(frame.codes[live], count, seed)
    return out


@public
def dissimilarity(
    formula: Any, data: Any = None, metric: Any = "auto", *, na: str = "drop"
) -> Dissimilarity:
    """Dissimilarities between the rows of a data frame.

    Parameters
    ----------
    formula : str or DataFrame
        Formula, or a data frame all of whose columns are used. The response is only used if the
        metric learns from classes.
    data : DataFrame, or path or lazy table as `data` in `fit`
        Data for the formula.
    metric : str, metric object, callable or matrix
        Dissimilarity, as `dissimilarity=` in `fit`.
    na : "drop", "raise" or "keep"
        As in `fit`.

    Returns
    -------
    Dissimilarity
        The dissimilarities, for `dissimilarity=` in `fit`.

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
    if isinstance(formula, str) and data is None:
        raise OptionError("dissimilarity(formula, data) needs data")
    if not isinstance(formula, str):
        if data is not None:
            raise OptionError(
                "data are given twice: use dissimilarity(formula, data, metric), or dissimilarity(data, metric=...)"
            )
        formula, data = "~ .", formula
    for name, values in list_tuned(metric).items():
        raise OptionError(
            f"{name} must be one value for {type(metric).__name__}, not {brief(values)}: use `fit` "
            "or `cross_validate` to tune it"
        )
    table = as_pandas(read_for(data, formula))
    molded = mold(formula, table, na=na, response=False)
    resolved = resolve(metric, molded, table)
    if resolved.supervised and molded.formula.response is not None:
        molded = mold(formula, table, na=na)
    warn_of_values(molded, resolved)
    return measure_frame(molded, resolved)


@public
def read_dissimilarity(path: Any, names: Any = None) -> Dissimilarity:
    """Read dissimilarities between rows from a file.

    Parameters
    ----------
    path : str or path
        File with a table, whole or one triangle, as R's `write.csv(as.matrix(d))` and `print(d)`,
        pandas' `to_csv` and PHYLIP write it; with a line for each pair, which has the names of both
        rows and their dissimilarity, or the numbers of `as.vector(d)` alone; or with an array by
        `numpy.save`, square or condensed.
    names : sequence, optional
        Labels of the rows in the order of the file, such as `data.index`.

    Returns
    -------
    Dissimilarity
        Dissimilarities for `dissimilarity=` in `fit`, which matches its rows to the data by label.

    Raises
    ------
    DataError
        If the file has another format or names that repeat, or if values are missing, infinite,
        negative or similarities.

    Notes
    -----
    Names that are whole numbers become numbers. Rows without names match data whose n rows are
    labelled 0 to n - 1 or 1 to n; otherwise pass `names`.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "dist.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write('"","a","b","c"\\n"a",0,1,2.5\\n"b",1,0,2\\n"c",2.5,2,0\\n')
    >>> pc.read_dissimilarity(path)
    given dissimilarities of 3 rows to 3 candidates
    Dissimilarities read from 'dist.csv'.
         a  b
    b    1
    c  2.5  2
    """
    metric = read_matrix(path, names)
    return of_metric(metric, pd.Index(metric.row_names))


def warn_of_values(frame: Frame, metric: Metric | TrainedMetric) -> None:
    """Warn of series left out, texts compared by equality only, and rows with few values."""
    if metric.series and len(frame.dropped):
        warn(
            f"{len(frame.dropped)} series with missing values are left out: use na='keep' if "
            "missing values at the end of a row are the end of its series",
            DataWarning,
        )
    for message in (texts_as_wholes(frame, metric), sparse_rows(frame, metric)):
        if message:
            warn(message, DataWarning)


# sparse rows are the nearest too often if they are so this many times more than in proportion; and
# the number of rows whose nearest ones are counted
HUBS, HUB_ROWS = 3, 500


def sparse_rows(frame: Frame, metric: Metric | TrainedMetric) -> str:
    """The warning if rows with less than half of the predictors are nearest to many rows; or ""."""
    if not (frame.keep and metric.skips_missing) or metric.given or metric.train_in_folds:
        return ""
    p = len(frame.schema)
    sparse = 2 * frame.columns.notna().sum(axis=1).to_numpy() < p
    if not 0 < sparse.mean() <= 1 / 2:
        return ""
    known = measure_frame(frame, metric)
    sample = np.unique(np.linspace(0, len(frame) - 1, HUB_ROWS).astype(int))
    D = compare(known.metric, part(known.rows, sample), known.candidates)
    D = np.where(np.isnan(D), np.inf, D)
    D[np.arange(len(sample)), sample] = np.inf
    nearest = (D[:, sparse].min(axis=1) < D[:, ~sparse].min(axis=1)).mean()
    if nearest <= HUBS * sparse.mean():
        return ""
    names = list(frame.schema) if p <= 10 else f"data.columns.drop({frame.formula.response!r})"
    return (
        f"{sparse.sum()} of the {len(frame)} rows have less than half of the predictors, but are "
        f"nearest to {100 * nearest:.0f} % of the rows, because missing values are skipped: leave "
        f"them out by data.dropna(thresh={p // 2 + p % 2}, subset={names})"
    )


# proportion of rows with distinct texts, from which on equality has almost no information
DISTINCT = 0.8


def texts_as_wholes(frame: Frame, metric: Metric | TrainedMetric) -> str:
    """The warning if the only predictor is text that hardly repeats, compared as a whole; or ""."""
    if len(frame.schema) != 1:
        return ""
    ((name, column),) = frame.schema.items()
    texts = [text for text in column.levels if isinstance(text, str)]
    few = (
        len(frame) < LABEL_ROWS
        or len(texts) < DISTINCT * len(frame)
        or len(texts) < len(column.levels)
    )
    if few or column.kind != "category" or column.ordered or metric.unseen_in(name) == "measured":
        return ""
    k = min(3, *map(len, texts))
    kernel = f"pc.Mismatch(k={k}, m=0) (pieces of {k} letters) or dissimilarity=" if k else ""
    return (
        f"column {name!r} is text with {len(texts)} different values in {len(frame)} rows, and "
        f"{metric.name} dissimilarities only see "
        f"whether two texts are the same: compare their letters by dissimilarity={kernel}pc.Levenshtein() (edits)"
    )


def resolve(spec: Any, frame: Frame, data: pd.DataFrame) -> Metric | TrainedMetric:
    """The metric by `dissimilarity=`, here `spec`.

    Trained metrics are unchanged, unless they must be trained again in each fold. A given matrix
    must match the row labels of `data`.
    """
    if isinstance(spec, str) and spec == "auto":
        return automatic(frame)[0]
    if isinstance(spec, Dissimilarity):
        metric = untrained_if_in_folds(spec.metric)
        return resolve(metric, frame, data) if metric.given else metric
    if isinstance(spec, Wrapper) and hasattr(spec, "of"):
        if isinstance(spec.of, Dissimilarity):
            raise OptionError(
                f"{type(spec).__name__} needs a metric or a matrix: use d.metric, or d.to_frame() "
                "with a formula 'y ~ 1'"
            )
        return spec.with_inner([resolve(spec.of, frame, data)])
    if isinstance(spec, (pd.DataFrame, pd.Series, np.ndarray, list, tuple)):
        spec = given(spec, data)
    metric = untrained_if_in_folds(by_name(spec))
    if metric.given:
        check_no_predictors(frame)
    if isinstance(metric, TrainedGiven):
        return match_rows(metric, frame.index, data)
    if frame.keep and not (metric.given or metric.skips_missing or metric.series):
        raise OptionError(
            "na='keep' needs a dissimilarity that takes missing values, such as 'gower' or "
            f"'forest', not {metric.name}"
        )
    return metric


def check_no_predictors(frame: Frame) -> None:
    if frame.formula.terms:
        raise OptionError(
            "if dissimilarities are given, the formula must have no predictors: use "
            f"'{frame.formula.response or ''} ~ 1', not {frame.formula.quoted}"
        )


def with_predictors(frame: Frame, dissimilarity: Dissimilarity, data: pd.DataFrame) -> Frame:
    """The frame with the predictors of a Dissimilarity that was given."""
    check_no_predictors(frame)
    if not dissimilarity.data.schema:
        return frame  # a given matrix, whose rows were matched
    source, at = dissimilarity.data, dissimilarity.index.get_indexer(frame.index)
    for name in frame.index[at < 0][:1]:
        raise DataError(
            f"the dissimilarities lack the row {shown(name)} of the data (rows are matched by "
            f"label): {label_cure(dissimilarity.index, data)}"
        )
    return replace(
        frame,
        columns=source.columns.iloc[at],
        formula=replace(source.formula, response=frame.formula.response),
        schema=source.schema,
        spec=source.spec,
        keep=source.keep,
    )


def untrained_if_in_folds(metric: Metric | TrainedMetric) -> Metric | TrainedMetric:
    """The specification of a metric that folds train, or that transforms a given matrix."""
    folds = isinstance(metric, TrainedMetric) and (metric.train_in_folds or metric.given)
    return metric.untrained if folds else metric


def automatic(frame: Frame) -> tuple[Metric, str]:
    """The default metric, Euclidean, DTW or Gower by the types of predictors, and its reason."""
    if frame.keep:
        return Gower(), "na='keep', which needs a dissimilarity that skips missing values"
    others = {
        name: column.kind for name, column in frame.schema.items() if column.kind != "numeric"
    }
    if not others:
        return Euclidean(), "numeric predictors"
    first = next(iter(others))
    if others == {first: "series"} and len(frame.schema) == 1:
        return DTW(), "a predictor that is a series"
    if len(others) < len(frame.schema) and set(others.values()) == {"boolean"}:
        boolean = first_of([*map(repr, others)], 1)
        return Gower(), f"numeric and boolean predictors; boolean: {boolean}"
    return Gower(), "predictors that are not all numeric"


FEWEST_ROWS = 5  # of each class for which covariances are learned
MOST_WORK = 5e8  # classes x rows x columns x columns (or rows, if fewer) up to which QDA is tried


def tried(frame: Frame) -> Metric | OneOf:
    """The dissimilarities that cross-validation tries by default.

    Euclidean, LDA and QDA for numeric predictors, Gower and LDA for mixed ones; one alone for
    series, missing values, and if classes or levels have too few rows for covariances.
    """
    first, kinds = automatic(frame)[0], [column.kind for column in frame.schema.values()]
    levels = sum(
        len(column.levels) for column in frame.schema.values() if column.kind == "category"
    )
    few = np.bincount(frame.codes, frame.weights > 0, len(frame.levels)).min() < FEWEST_ROWS
    alone = few or frame.keep or "series" in kinds or "numeric" not in kinds
    if alone or levels * FEWEST_ROWS > len(frame):
        return first
    if set(kinds) != {"numeric"}:
        return OneOf((first, LDA()))
    n, p = len(frame), frame.design.shape[1]
    wide = len(frame.levels) * n * p * min(n, p) > MOST_WORK
    return OneOf((first, LDA()) if wide else (first, LDA(), QDA()))


def measure_frame(
    frame: Frame,
    metric: Metric | TrainedMetric,
    train: Array | None = None,
    candidates: Any = "train",
    seed: int = 0,
) -> Dissimilarity:
    """Train a metric and represent rows and candidates; a row of weight 0 is not a candidate.

    Parameters
    ----------
    frame : Frame
    metric : Metric
        One that is trained already is not trained again.
    train : int array, optional
        Rows for training that are candidates. Default: all.
    candidates : as in `fit`
    seed : int
    """
    seen = frame if train is None else frame.take(train)
    trained = train_metric(metric, seen)
    names = trained.candidate_names(seen)
    rows = rows_of(trained, frame)
    row, chosen = frame.index.get_indexer(names), None
    allowed = (row < 0) | (frame.weights[row] > 0)
    if isinstance(candidates, (int, np.integer)):
        allowed &= (row >= 0) & subset(frame, candidates, seed)[row]
    if not allowed.all():
        chosen = np.flatnonzero(allowed)
        names, row = names[chosen], row[chosen]
    if trained.same_sides and trained.row_by_row:
        measured = rows if train is None and chosen is None else part(rows, row)
    else:
        measured = candidates_of(trained, seen, chosen)
    known = Dissimilarity(trained, frame, rows, measured, names, row)
    return _added(known, candidates, seen, seed) if isinstance(candidates, Candidates) else known


def _added(known: Dissimilarity, candidates: Candidates, seen: Frame, seed: int) -> Dissimilarity:
    """With candidates that are not rows, or with these alone."""
    if known.metric.given:
        raise OptionError(
            "the candidates of given dissimilarities are the columns of the matrix: add columns to it"
        )
    rep, predictors = candidates.make(known.metric, seen, seed)
    clash = predictors.index[known.index.get_indexer(predictors.index) >= 0]
    if len(clash):
        raise DataError(f"the candidate {shown(clash[0])} has the label of a row: use another")
    rows = slice(0 if candidates.only else None)
    sides = zip(part(known.candidates, rows), rep, strict=True)
    return replace(
        known,
        candidates=tuple(map(np.concatenate, sides)),
        candidate_names=known.candidate_names[rows].append(predictors.index),
        candidate_row=np.append(known.candidate_row[rows], np.full(len(predictors), -1)),
        added=predictors,
    )
