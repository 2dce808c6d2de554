"""Distances that learn from the classes: neighbourhood components, linear and quadratic
discriminants, adaptive distances.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..core import Array
from ..core.distances.discriminant import (
    SINGULAR,
    adaptive_distances,
    discriminants,
    nca,
    quadratic,
)
from ..core.distances.minkowski import Geometry, products
from ..core.parallel import alone
from ..core.sources import Rep, part
from ..core.statistics.folds import stratified_subset
from ..frames.frame import Frame
from ..frames.sql_columns import Columns, number, total
from ..ground.checks import MOST_RUNS, check_seed, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import EuclideanSpace, Metric, SQLDistance, TrainedMetric, Traits, check_number, listing
from .minkowski import (
    SCALES,
    ColumnScales,
    Euclidean,
    TrainedMinkowski,
    design_of,
    distance_in_sql,
    scale_of,
    scaled,
)

LARGEST_SCALED = 1e150  # of a scaled value: squares of larger ones overflow
NAMED = 6  # columns whose weights a summary names


@dataclass(frozen=True)
class NCA(Metric):
    """Euclidean distance after a linear map that neighbourhood components analysis learns.

    The map maximises the probability that a random neighbour of a training row, with near rows more
    probable, is of the same class. Columns are divided by their standard deviation first. All is
    learned again in each fold.

    Parameters
    ----------
    dims : int, optional
        Number of axes of the map. Default: the number of columns.
    diagonal : True, False or None
        Whether the map is a weight for each column. None: True without `dims`. A full map often
        overfits.
    ridge : float >= 0
        Penalty: this times the mean weight of the columns is subtracted from the mean probability.
    sample : int >= 2
        Maximum number of rows; of more, a stratified random sample is used.
    seed : int
        Seed for the sample.

    Raises
    ------
    DataError
        If fewer than two classes have rows, if all columns are constant, or if `dims` is too large.

    Notes
    -----
    Goldberger, Roweis, Hinton and Salakhutdinov (2005). A constant column gets weight 0; the
    weights of the others have mean 1. Centroids are mapped back to the columns by the inverse of
    the map, or by a regression of the training rows if the map has fewer axes than columns.

    If there is little to learn, the weights fit noise. On six data sets with 20 added columns of
    noise, the error of k-NN decreased by 12 points; on the original data sets it decreased on two
    and increased on two (`benchmarks/LEARNED.md`).

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5, dissimilarity=pc.NCA())
    >>> fit.dissimilarity.metric.column_weights["proportion"].round(1).to_dict()
    {'sepal_length': 0.0, 'sepal_width': 0.0, 'petal_length': 0.4, 'petal_width': 0.6}
    """

    dims: int | None = None
    diagonal: bool | None = None
    ridge: float = 0.0
    sample: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("diagonal", self.diagonal, (None, True, False))
        if self.dims is not None:
            whole_number("dims", self.dims, 1)
            if self.diagonal:
                raise OptionError(
                    f"dims={brief(self.dims)} needs diagonal=False, because a diagonal map has no axes to leave out"
                )
        check_number("ridge", self.ridge, 0)
        whole_number("sample", self.sample, 2)
        check_seed(self.seed)

    @property
    def weighs(self) -> bool:
        """Whether the map is a weight for each column."""
        return self.dims is None if self.diagonal is None else bool(self.diagonal)

    @property
    def name(self) -> str:
        return "diagonal NCA" if self.weighs else "NCA"

    @property
    def traits(self) -> Traits:
        return replace(OF_A_MAP, power=2.0 if self.weighs else None)

    def train(self, frame: Frame) -> TrainedLearned:
        known = training_rows(frame)
        chosen = np.ones(len(known.y), bool)
        if len(chosen) > self.sample:
            chosen = stratified_subset(known.y, self.sample, self.seed)
        Z, y, w = known.Z[chosen], known.y[chosen], known.w[chosen]
        if len(y) < len(chosen):
            whose = f"rows of the sample of {self.sample} have"
            check_classes(frame, y, whose, " (a larger sample= may have others)")
        p = Z.shape[1]
        check_dims(self.dims, p, VARYING)
        if np.bincount(y).max() < 2:
            raise DataError(
                "NCA compares rows of the same class, but each class has one training row: use more rows"
            )
        found = nca(Z, y, w, self.dims, self.weighs, self.ridge)
        size = (found.map**2).sum()
        if not size > SINGULAR:
            raise DataError(
                f"ridge={brief(self.ridge)} makes the weights of all columns 0: use a smaller one"
            )
        search = np.array([found.before, found.after, found.steps, found.converged], float)
        # the weights are divided by their mean
        return mapped(self, known, found.map * np.sqrt(p / size), len(y), search)


OF_A_MAP = Traits(
    symmetric=True,
    triangle=True,
    row_by_row=True,
    train_in_folds=True,
    supervised=True,
    scaling=SCALES[True],
    geometry=Geometry(),
)


@dataclass(frozen=True)
class TrainingRows:
    """Rows with weight from which a metric learns: the columns that vary, scaled and centred."""

    Z: Array  # (n, columns that vary)
    y: Array  # (n,)
    w: Array  # (n,)
    center: Array  # (p,), of the scaled columns
    scale: ColumnScales


def training_rows(frame: Frame) -> TrainingRows:
    """The rows of a frame with weight, of at least two classes."""
    live = frame.weights > 0
    frame = frame if live.all() else frame.take(np.flatnonzero(live))
    X, y = design_of(frame), frame.codes
    check_classes(frame, y, "training rows have")
    scale = scale_of(frame, True, frame.design)
    constant, Z = scale.constant, X / scale.spread
    check_varies(~constant, f"columns of {frame.formula.quoted}", len(X))
    center = np.where(constant, Z[0], Z.mean(axis=0))
    return TrainingRows((Z - center)[:, ~constant], y, frame.weights, center, scale)


def mapped(
    spec: Metric, known: TrainingRows, inner: Array, used: int, search: Array
) -> TrainedLearned:
    """The trained metric of a map (k, v) or (v,) of the columns that vary, from `used` rows."""
    scale, shape = known.scale, inner.shape[:-1]
    varies = ~scale.constant
    axes, back = expanded(inner, varies), np.zeros((len(varies), *shape))
    back[varies] = inverse(inner, known.Z)
    counts, names = np.array([used, len(known.y)]), (scale.columns, scale.unscaled)
    return TrainedLearned(spec, known.center, scale.spread, axes, back, counts, search, *names)


def check_classes(frame: Frame, y: Array, whose: str, more: str = "") -> None:
    if len(np.unique(y)) < 2:
        name = shown(frame.levels[y[0]]) if len(y) else "none"
        raise DataError(
            f"a learned metric needs rows of two classes, but all {whose} the class {name}{more}: "
            "use dissimilarity='euclidean' to learn nothing"
        )


VARYING = "the number of columns that vary"


def check_varies(varies: Array, what: str, n: int) -> None:
    if not varies.any():
        raise DataError(f"all {what} are constant over the {n} training rows: use others")


def check_dims(dims: int | None, most: int, reason: str) -> None:
    if dims is not None and dims > most:
        raise DataError(f"dims must be at most {most}, {reason}, not {dims}")


def expanded(values: Array, varies: Array) -> Array:
    """Values (..., v) of the columns that vary as those of all columns (..., p), 0 for the others."""
    out = np.zeros((*values.shape[:-1], len(varies)))
    out[..., varies] = values
    return out


def inverse(inner: Array, Z: Array) -> Array:
    """From coordinates back to scaled columns (p, k), or (p,) for a diagonal map; see `NCA`."""
    if inner.ndim == 1:
        return np.divide(1.0, inner, out=np.zeros_like(inner), where=inner != 0)
    if len(inner) == inner.shape[1]:
        return np.linalg.pinv(inner)
    return np.ascontiguousarray(np.linalg.lstsq(Z @ inner.T, Z, rcond=None)[0].T)


def sampled(traits: Traits, counts: Array, samples: str = "") -> Traits:
    """The traits of a metric learned from `counts[0]` of `counts[1]` rows; `scaling` has this."""
    known, every = counts
    if known == every:
        return traits
    scaling = f"{traits.scaling}, learned from {samples}{known} of {every} rows"
    return replace(traits, scaling=scaling)


def table_of_weights(weight: Array, scale: Array, names: Array) -> pd.DataFrame:
    """See `TrainedMetric.column_weights`."""
    table = {"weight": weight, "proportion": weight / weight.sum(), "scale": scale}
    return pd.DataFrame(table, index=pd.Index(names, name="column"))


def in_words(column_weights: pd.DataFrame) -> str:
    """The largest weights, with the names of their columns."""
    weights = column_weights["weight"].sort_values(ascending=False, kind="stable")
    first = ", ".join(f"{name} {w:.3g}" for name, w in weights.head(NAMED).items())
    rest = weights.iloc[NAMED:]
    return first + (f"; {len(rest)} more of at most {rest.iloc[0]:.3g}" if len(rest) else "")


@dataclass(frozen=True, eq=False)
class Mapped(EuclideanSpace):
    """Euclidean distance after a map of the scaled columns.

    Attributes
    ----------
    center, spread : arrays (p,)
        Mean of the scaled columns, and the standard deviations that scale them.
    map : array (k, p), or (p,) of a diagonal map
        From scaled columns to the coordinates between which the distance is Euclidean.
    """

    spec: Metric
    center: Array
    spread: Array
    map: Array

    def rows(self, frame: Frame) -> Rep:
        Z = self._scaled(frame)
        return (Z * self.map if self.map.ndim == 1 else products(Z, self.map),)

    def _scaled(self, frame: Frame) -> Array:
        return scaled(frame, self.spread, self.center, LARGEST_SCALED)

    def contributions(self, rows: Frame, others: Frame, candidates: Rep) -> Array:
        """Parts of the squared distance; they can be negative if columns are correlated."""
        apart = self._scaled(rows) - self._scaled(others)
        return apart * (apart @ self.map.T @ self.map)


@savable(center="p", spread="p", columns="p", constant="c", counts="2", search="s")
@dataclass(frozen=True, eq=False)
class TrainedLearned(Mapped):
    """A distance with the map that it learned.

    Attributes
    ----------
    back : array (p, k), or (p,)
        From coordinates to scaled columns.
    counts : int array (2,)
        Numbers of rows that the map is learned from, and that have weight.
    search : array (4,), or (0,) for LDA
        Mean probability of the true class before and after, steps, and whether they converged.
    columns, constant : arrays of str
        All columns (p,), and those that do not vary.
    """

    back: Array
    counts: Array
    search: Array
    columns: Array
    constant: Array

    @property
    def column_weights(self) -> pd.DataFrame:
        weight = self.map**2 if self.map.ndim == 1 else (self.map**2).sum(axis=0)
        return table_of_weights(weight, self.spread, self.columns)

    @property
    def notes(self) -> tuple[str, ...]:
        notes = [
            f"learned weights of columns, each divided by its sd: {in_words(self.column_weights)}"
        ]
        if len(self.search):
            before, after, steps, converged = self.search
            end = "" if converged else f"; the search was stopped after {steps:.0f} steps"
            notes.append(
                "mean probability that a random neighbour of a training row is of its class: "
                f"{before:.3f} at the start, {after:.3f} as learned{end}"
            )
        return (*notes, *listing("constant columns, which get weight 0", self.constant))

    @property
    def traits(self) -> Traits:
        return sampled(self.spec.traits, self.counts)

    def sql(self, columns: Columns) -> SQLDistance:
        axes = np.diag(self.map) if self.map.ndim == 1 else self.map
        design = zip(columns.design, self.spread.tolist(), self.center.tolist(), strict=True)
        Z = [f"({x} / {number(spread)} - {number(center)})" for x, spread, center in design]
        rows = [
            total(f"{z} * {number(a)}" for z, a in zip(Z, axis, strict=True))
            for axis in axes.tolist()
        ]
        return distance_in_sql(rows, 2.0, columns)

    def original(self, coords: Array) -> pd.DataFrame:
        Z = coords * self.back if self.back.ndim == 1 else coords @ self.back.T
        return pd.DataFrame((Z + self.center) * self.spread, columns=self.columns)


@dataclass(frozen=True)
class LDA(Metric):
    """Distance on the axes of linear discriminant analysis.

    The axes are those on which the means of the classes differ most, in units in which the
    covariance within classes is spherical. Columns are divided by their standard deviation first.
    All is learned again in each fold.

    Parameters
    ----------
    dims : int, optional
        Number of axes. Default: the maximum, one less than classes.
    ridge : float >= 0, or None
        Proportion of the mean variance of the columns that is added to the variance within classes
        along every axis. None: this covariance is shrunken towards a spherical one (Ledoit and Wolf
        2004).

    Raises
    ------
    DataError
        As for `NCA`, or with `ridge=0` if some axis has no variance within classes.

    Notes
    -----
    *The Elements of Statistical Learning*, section 4.3.3. With the means of the classes as
    prototypes and ridge=0, the predictions are those of linear discriminant analysis for equal
    priors.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=2.0, dissimilarity=pc.LDA())
    >>> fit.dissimilarity.metric.map.shape, len(fit.prototypes)
    ((2, 4), 9)
    """

    name = "LDA"
    dims: int | None = None
    ridge: float | None = None

    def __post_init__(self) -> None:
        if self.dims is not None:
            whole_number("dims", self.dims, 1)
        if self.ridge is not None:
            check_number("ridge", self.ridge, 0)

    traits = OF_A_MAP

    def train(self, frame: Frame) -> TrainedLearned:
        known = training_rows(frame)
        Z, classes = known.Z, len(np.unique(known.y))
        most = min(classes - 1, Z.shape[1])
        check_dims(self.dims, most, f"for {classes} classes and {Z.shape[1]} columns that vary")
        with alone():  # the same sums on any number of threads
            axes = discriminants(Z, known.y, known.w, self.dims or most, self.ridge)
            if axes is None:
                raise _singular("LDA needs variance within classes", known)
            return mapped(self, known, axes, len(Z), np.empty(0))


@dataclass(frozen=True)
class QDA(Metric):
    """Distance by the covariance of the candidate's class, as in quadratic discriminant analysis.

    D[i, j]^2 = (x_i - x_j)' S^-1 (x_i - x_j) with S the covariance of the class of candidate j,
    shrunken towards the covariance within all classes; D is asymmetric. Columns are divided by
    their standard deviation first. All is learned again in each fold.

    Parameters
    ----------
    shrinkage : float from 0 to 1
        Weight of the covariance within all classes in the covariance of each class.
    ridge : float >= 0
        Proportion of the mean variance of the columns that is added to the variance on every axis.

    Raises
    ------
    DataError
        As for `NCA`, or if the covariance of a class is singular.

    Notes
    -----
    Friedman (1989), Journal of the American Statistical Association 84. Axes along which the
    training rows do not vary are ignored. With the means of the classes as prototypes, shrinkage=0
    and ridge=0, the predictions are those of quadratic discriminant analysis for equal priors,
    without the determinants of the covariances.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=4.0, dissimilarity=pc.QDA())
    >>> fit.dissimilarity.metric.maps.shape, len(fit.prototypes)
    ((3, 4, 4), 3)
    """

    shrinkage: float = 0.1
    ridge: float = 0.01

    def __post_init__(self) -> None:
        check_number("shrinkage", self.shrinkage, 0, high=1)
        check_number("ridge", self.ridge, 0)

    traits = Traits(row_by_row=True, train_in_folds=True, supervised=True, scaling=OF_A_MAP.scaling)

    def train(self, frame: Frame) -> TrainedByClass:
        known = training_rows(frame)
        with alone():
            classes = len(frame.levels)
            inner = quadratic(known.Z, known.y, known.w, classes, self.shrinkage, self.ridge)
        if inner is None:
            raise _singular("QDA needs variance within each class", known)
        scale = known.scale
        maps, names = expanded(inner, ~scale.constant), (scale.columns, scale.unscaled)
        return TrainedByClass(self, known.center, scale.spread, maps, *names)


def _singular(need: str, known: TrainingRows) -> DataError:
    return DataError(
        f"{need}, but some axis of {known.Z.shape[1]} columns over {len(known.Z)} rows has none: "
        "leave columns out, or use a larger ridge="
    )


class ByClass(TrainedMetric):
    """A distance to the candidates of each class by the metric of this class, one of `parts`."""

    parts: tuple[TrainedMetric, ...]

    def rows(self, frame: Frame) -> Rep:
        return sum((metric.rows(frame) for metric in self.parts), ())

    def candidates(self, frame: Frame) -> Rep:
        """Representation of each candidate by the metric of its class, and this class."""
        if frame.response is None or (frame.codes < 0).any():
            raise DataError(
                f"{self.name} dissimilarities need the class of each candidate, but some have "
                "none: use candidates='train', or another dissimilarity"
            )
        present = [np.flatnonzero(frame.codes == c) for c in range(len(self.parts))]
        pairs = zip(self.parts, present, strict=True)
        parts = [metric.candidates(frame.take(at)) for metric, at in pairs if len(at)]
        back = np.argsort(np.concatenate(present), kind="stable")
        return (
            *(np.concatenate(arrays)[back] for arrays in zip(*parts, strict=True)),
            frame.codes.astype(np.int64),
        )

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return self.by_class(rows, candidates, "between")

    def by_class(self, rows: Rep, candidates: Rep, measure: str) -> Array:
        """Values of a method of each class's metric for the candidates of the class."""
        *known, codes = candidates
        width, out = len(rows) // len(self.parts), None
        for c in np.unique(codes):
            at = np.flatnonzero(codes == c)
            values = getattr(self.parts[c], measure)(
                rows[c * width : (c + 1) * width], part(tuple(known), at)
            )
            if out is None:
                out = np.empty((values.shape[0], len(codes), *values.shape[2:]), values.dtype)
            out[:, at] = values
        return np.empty((len(rows[0]), 0)) if out is None else out

    def contributions(self, rows: Frame, others: Frame, candidates: Rep) -> Array:
        out = np.empty((len(rows), rows.design.shape[1]))
        for c in np.unique(candidates[-1]):
            at = np.flatnonzero(candidates[-1] == c)
            out[at] = self.parts[c].contributions(rows.take(at), others.take(at), ())
        return out


@savable(center="p", spread="p", maps="L k p", columns="p", constant="c")
@dataclass(frozen=True, eq=False)
class TrainedByClass(ByClass):
    """Euclidean distance to each candidate under the map of its class.

    `maps` (classes, k, p) lead to the coordinates of each class. `center`, `spread`, `columns` and
    `constant` are as in `TrainedLearned`.
    """

    spec: Metric
    center: Array
    spread: Array
    maps: Array
    columns: Array
    constant: Array

    @property
    def notes(self) -> tuple[str, ...]:
        return listing("constant columns, which do not count", self.constant)

    @cached_property
    def parts(self) -> tuple[Mapped, ...]:  # type: ignore[override]
        return tuple(Mapped(self.spec, self.center, self.spread, axes) for axes in self.maps)


@dataclass(frozen=True)
class Adaptive(Metric):
    """Local distances, long across a class boundary and short along it.

    The training rows nearest to row x_i give the covariances W within classes and B between them:

        D[i, j]^2 = (x_i - z_j)' W^-1/2 (W^-1/2 B W^-1/2 + softening I) W^-1/2 (x_i - z_j)

    (Hastie and Tibshirani 1996; ESL, section 13.4.2). With "knn" this is the method "dann". The
    matrix is learned again in each fold.

    Parameters
    ----------
    neighborhood : int >= 2, None or sequence
        Number of these rows. None: a fifth of the training rows, at least 50 (or all).
    softening : float > 0, or sequence
        Weight of W^-1 in the matrix; 1 as in ESL.
    ridge : float >= 0, or sequence
        Constant added to the diagonal of the covariance within classes, as a multiple of its mean.
    iterations : int >= 1, or sequence
        Number of neighbourhood searches, each with the matrix of the one before.
    scale : True, False
        Scaling of the columns, as in `Euclidean`.
    base : TrainedMinkowski, or None
        Set by training.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5, dissimilarity=pc.Adaptive())
    >>> fit.glance()["training_error"].item() < 0.05
    True
    """

    papers = ("hastie1996",)
    tunable = frozenset({"neighborhood", "softening", "ridge", "iterations"})
    traits = Traits(slow=True, row_by_row=True, train_in_folds=True, supervised=True)

    neighborhood: int | None = None
    softening: float = 1.0
    ridge: float = 1.0
    iterations: int = 1
    scale: bool = True
    base: TrainedMinkowski | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.checks_each_value():
            return
        if self.neighborhood is not None:
            whole_number("neighborhood", self.neighborhood, 2)
        whole_number("iterations", self.iterations, 1, MOST_RUNS)
        if not isinstance(self.base, TrainedMinkowski | None):
            raise OptionError(
                f"base must be None, because training sets it, not {brief(self.base)}"
            )
        check_number("softening", self.softening, 0, above=True, high=1e12)
        check_number("ridge", self.ridge, 0, high=1e12)
        one_of("scale", self.scale, (True, False))

    def pretrain(self, frame: Frame) -> Adaptive:
        return replace(self, base=Euclidean(scale=self.scale).train(frame))

    def train(self, frame: Frame) -> TrainedAdaptive:
        base = self.base or Euclidean(scale=self.scale).train(frame)
        live = np.flatnonzero(frame.weights > 0)
        X = base.rows(frame)[0].astype(float)[live]
        count = self.count(len(X))
        if count > len(X):
            raise DataError(
                f"neighborhood={count} needs as many training rows, but there are {len(X)}: use a smaller one"
            )
        return TrainedAdaptive(
            replace(self, base=None), base, X, frame.codes[live], np.array(len(frame.levels))
        )

    def count(self, n: int) -> int:
        """Number of training rows for each matrix, among n."""
        return min(n, max(50, n // 5)) if self.neighborhood is None else self.neighborhood


@savable(X="n p", y="n", classes="")
@dataclass(frozen=True, eq=False)
class TrainedAdaptive(TrainedMetric):
    """Adaptive distances with the training rows that have weight.

    Attributes
    ----------
    base : TrainedMinkowski
        Euclidean distance that scales the columns.
    X, y : arrays (n, p) and (n,)
        Coordinates and class codes of the rows.
    classes : int array ()
        Number of classes.
    """

    spec: Adaptive
    base: TrainedMinkowski
    X: Array
    y: Array
    classes: Array

    @property
    def notes(self) -> tuple[str, ...]:
        return self.base.notes

    def rows(self, frame: Frame) -> Rep:
        return (self.base.rows(frame)[0].astype(float),)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        spec, count = self.spec, self.spec.count(len(self.X))
        known = rows[0], candidates[0], self.X, self.y, self.classes.item()
        return adaptive_distances(*known, count, spec.softening, spec.ridge, spec.iterations)
