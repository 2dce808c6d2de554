"""Distances whose weights or matrix are learned together with the rows that classify."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.minkowski import Geometry, products
from ..core.parallel import alone
from ..core.sources import Rep, part
from ..core.statistics.folds import stratified_subset
from ..core.vectors.relevance_learning import ROUNDS, Maps, Weights, class_maps, first_axes, learn, one_map
from ..frames.frame import Frame
from ..frames.sql import Columns
from ..ground.checks import MOST_ROWS, MOST_SEED, is_number, number_in_words, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief
from ..ground.savable import savable
from .base import (
    EuclideanSpace,
    Metric,
    TrainedMetric,
    Traits,
    VectorMetric,
    candidates_of,
    compare,
    rows_of,
    strings,
    train_metric,
)
from .in_sql import SQLDistance, sql_distance
from .learned import ByClass, check_classes, in_words, inverse, table_of_weights
from .wrappers import TrainedWrapper, Wrapper

MATRICES = ("diagonal", "full")
AXES = 64  # of a full matrix by default: of more its steps take long
MOST_RIDGE = 1e6  # beside a cost of at most 1; squares of the gradient stay numbers in single precision
AUTO = "auto"
WITHOUT = "matrix='none' to learn nothing"


@dataclass(frozen=True)
class Relevance(Wrapper):
    """A distance with learned weights of the variables, or a learned matrix (relevance learning).

    It is learned together with a few prototype rows. Prototypes are improved by swaps and weights by gradient steps, in turn; both lower
    the mean of s(beta (d+ - d-) / (d+ + d-)). Here d+ and d- are the distances of a row to the nearest prototype of its class and of any
    other class, and s is the logistic function. It uses the class labels, so it is learned again in each fold. Method "medianglvq" with
    `matrix=` uses it; any method can.

    Parameters
    ----------
    of : metric or its name
        Distance whose variables are weighted.
    matrix : "diagonal" or "full"
        Type of the learned distance. "diagonal": a weight for each variable, for distances that are a sum or a mean over variables
        (Minkowski, Gower, and `Mixed`, with its parts as variables). "full": a linear map of the coordinates, for Euclidean distances.
    local : bool, or sequence
        Whether each class has its own weights or matrix, which measures the distances of all rows to candidates of this class. These
        distances are not symmetric, and their scales are learned too.
    K : int >= 1, or sequence
        Number of prototypes per class, on average, for learning. A sequence here and below is tuned by cross-validation.
    ridge : float >= 0, or sequence
        Penalty against distances that depend on few variables: ridge times the mean logarithm of the weights (of the eigenvalues of the
        matrix) is subtracted from the mean cost.
    beta : float > 0, or sequence
        Slope of the logistic function. If it is large, the cost is nearly the number of errors.
    components : int, optional
        Number of axes of a full matrix. Fewer than columns start as principal axes; with `local`, the matrices are learned on these
        axes. Default: the number of columns, at most 64.
    sample : int >= 2
        Maximum number of rows for learning at a time. If there are more, each round of swaps and steps uses a new stratified random
        sample, and the printed fit reports it.
    seed : int
        Seed for the samples and the initial prototypes.

    Raises
    ------
    OptionError
        If the distance has no variables to weight, or no coordinates.
    DataError
        If there is no response, if only one class has rows, or if all variables are constant.

    Notes
    -----
    Sato and Yamada (1996), *Generalized Learning Vector Quantization*. Schneider, Biehl and Hammer (2009), *Adaptive Relevance Matrices
    in Learning Vector Quantization*, Neural Computation 21; their prototypes are not rows. Nebel, Hammer, Frohberg and Villmann (2015),
    *Median variants of learning vector quantization for learning of dissimilarity data*, Neurocomputing 169. Weights have mean 1; a
    variable that does not vary gets weight 0. Redundant variables may divide their weight in any proportion.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5, dissimilarity=pc.Relevance())
    >>> fit.dissimilarity.metric.column_weights["share"].round(1).to_dict()
    {'sepal_length': 0.1, 'sepal_width': 0.1, 'petal_length': 0.5, 'petal_width': 0.3}
    """

    tunable = frozenset({"local", "K", "ridge", "beta"})

    of: Any = "euclidean"
    matrix: str = "diagonal"
    local: Any = False
    K: Any = 1
    ridge: Any = 0.01
    beta: Any = 20.0
    components: int | None = None
    sample: int = 5000
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("matrix", self.matrix, MATRICES)
        one_of("local", self.local, (False, True))
        whole_number("K", self.K, 1, MOST_ROWS)
        if not is_number(self.ridge, 0, high=MOST_RIDGE):
            raise OptionError(f"ridge must be {number_in_words(self.ridge, 0, high=MOST_RIDGE)}, not {brief(self.ridge)}")
        if not is_number(self.beta, 0, above=True):
            raise OptionError(f"beta must be {number_in_words(self.beta, 0, above=True)}, not {brief(self.beta)}")
        if self.components is not None:
            whole_number("components", self.components, 1)
            if self.matrix == "diagonal":
                raise OptionError(f"components={self.components} needs matrix='full': leave it out")
        whole_number("sample", self.sample, 2)
        whole_number("seed", self.seed, 0, MOST_SEED)

    @property
    def papers(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.inner[0].papers, "schneider2009")

    @property
    def traits(self) -> Traits:
        known = self.inner[0].traits
        learned = {"train_in_folds": True, "supervised": True}
        if self.local:
            learned |= {"symmetric": False, "triangle": False, "geometry": None}  # type: ignore[dict-item]
        elif self.matrix == "full":
            learned |= {"symmetric": True, "triangle": True, "geometry": Geometry()}  # type: ignore[dict-item]
        return replace(known if self.matrix == "diagonal" else super().traits, **learned)  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        kind = "weighted" if self.matrix == "diagonal" else "matrix-weighted"
        return f"{'locally ' if self.local else ''}{kind} {self.inner[0].name}"

    def train(self, frame: Frame) -> TrainedMetric:
        if frame.response is None:
            raise DataError(f"a learned metric needs the classes, but {frame.formula.quoted} has no response: use 'response ~ predictors'")
        base = train_metric(self.inner[0], frame)
        live = np.flatnonzero(frame.weights > 0)
        batches = [live] * (ROUNDS + 1)
        if len(live) > self.sample:  # more rows in all, and no step more costly, than with one sample for all rounds
            batches = [live[stratified_subset(frame.codes[live], int(self.sample), self.seed + r)] for r in range(ROUNDS + 1)]
        chosen = np.unique(np.concatenate(batches))
        seen = frame.take(chosen)
        check_classes(seen, seen.codes, "training rows have")
        rows = rows_of(base, seen)
        space: Weights | Maps
        if self.matrix == "full":
            X, varies, center = self._vectors(base, rows)
            count = min(self.components or AXES, X.shape[1])
            axes = first_axes(X, count) if self.local and count < X.shape[1] else np.eye(X.shape[1], dtype=X.dtype)
            if self.local:
                space = class_maps(X @ axes.T, seen.weights, seen.codes, len(frame.levels), float(self.ridge))
            else:
                space = one_map(X, count, float(self.ridge))
        else:
            varies = self._variables(base, rows)
            space = self._weights(base, seen, rows, varies)
        counts = np.minimum(self.K, np.bincount(seen.codes, minlength=len(frame.levels)))
        with alone():  # the same sums on any number of threads, and many small ones
            batches = [np.searchsorted(chosen, at) for at in batches]
            found = learn(space, seen.weights, seen.codes, batches, counts, float(self.beta), (self.seed,))
        size, spec = np.array([len(batches[0]), len(live)]), replace(self, of=base.spec)
        known, one = (size, np.array([found.before, found.after])), replace(spec, local=False)
        parts: list[TrainedMetric]
        if self.matrix == "diagonal":
            names, weights = strings(base.variables), np.zeros((len(found.parameters), len(varies)))
            weights[:, varies] = space.values(found.parameters)
            kind = TrainedRelevanceSpace if isinstance(base, VectorMetric) else TrainedRelevance
            parts = [kind(one, base.weighed(w), *known, names, w) for w in weights]
        else:
            learned = space.values(found.parameters) @ axes
            names, maps = _columns(base, frame), np.zeros((*learned.shape[:2], len(varies)))
            maps[:, :, varies] = learned
            weights = (maps**2).sum(axis=1)
            back = np.zeros((len(varies), maps.shape[1]))
            if not self.local:  # otherwise coordinates have no place without a class
                back[varies] = inverse(learned[0].astype(float), X.astype(float))
            parts = [TrainedMatrix(one, base, *known, names, w, center, m, back) for w, m in zip(weights, maps, strict=True)]
        return TrainedLocal(spec, base, *known, names, weights, tuple(parts)) if self.local else parts[0]

    def _variables(self, base: TrainedMetric, rows: Rep) -> np.ndarray:
        """Which variables vary, bool (v,)."""
        if not base.variables or base.power is None:
            raise OptionError(
                f"{base.name} dissimilarities are not a sum over variables with weights to learn: use matrix='diagonal' with Minkowski "
                f"distances of r < inf, Gower and Mixed, or {WITHOUT}"
            )
        n = len(rows[0])
        looked_at = np.unique(np.linspace(0, n - 1, 20).astype(int))  # a variable in which all rows agree with these is constant
        terms = base.terms(rows, part(rows, looked_at)) if base.same_sides else np.ones((1, 1, len(base.variables)))
        varies = (np.nan_to_num(terms) > 0).any(axis=(0, 1))
        if not varies.any():
            raise DataError(f"all variables of {base.name} are constant over the {n} training rows: use others")
        return np.asarray(varies)

    def _weights(self, base: TrainedMetric, seen: Frame, rows: Rep, varies: np.ndarray) -> Weights:
        """The weights of the variables that vary."""
        candidates = rows if base.same_sides else candidates_of(base, seen)

        def terms(at: np.ndarray, to: np.ndarray) -> np.ndarray:
            found = base.terms(part(rows, at), part(candidates, to))[:, :, varies]
            return np.asarray(found / (np.nanmax(found) or 1.0), np.float32)  # the cost depends on ratios alone

        def between(weights: np.ndarray, at: np.ndarray, to: np.ndarray) -> np.ndarray:
            every = np.zeros(len(varies))
            every[varies] = weights
            weighed = base.weighed(every)
            weighed_rows = rows_of(weighed, seen)
            others = weighed_rows if weighed.same_sides else candidates_of(weighed, seen)
            return compare(weighed, part(weighed_rows, at), part(others, to))

        power = base.power
        assert power is not None
        group, groups = (seen.codes, len(seen.levels)) if self.local else (np.zeros(len(seen), np.int64), 1)
        scaled = isinstance(base, VectorMetric)  # and so a sum
        return Weights(np.arange(len(seen)), terms, between, int(varies.sum()), float(power), float(self.ridge), group, groups, scaled)

    def _vectors(self, base: TrainedMetric, rows: Rep) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates of the training rows, centred and of mean variance 1, on the axes that vary; which do; and the mean."""
        if not isinstance(base, VectorMetric) or base.geometry != Geometry():
            raise OptionError(
                f"{base.name} dissimilarities are not Euclidean distances between coordinates: use matrix='full' with 'euclidean' or "
                f"'mahalanobis', matrix='diagonal' with sums over variables, or {WITHOUT}"
            )
        X = np.asarray(base.coordinates(rows), float)
        varies = X.max(axis=0) > X.min(axis=0)
        if not varies.any():
            raise DataError(f"all columns are constant over the {len(X)} training rows: use others")
        if self.components is not None and self.components > varies.sum():
            raise DataError(f"components must be at most {varies.sum()}, the number of columns that vary, not {self.components}")
        center = X.mean(axis=0)
        Z = (X - center)[:, varies]
        return np.ascontiguousarray(Z / np.sqrt((Z**2).mean()), np.float32), varies, center


def learnable(metric: Metric | TrainedMetric, frame: Frame) -> tuple[str, ...]:
    """The matrices that can be learned of a distance that does not use the classes itself."""
    if metric.supervised or metric.given or metric.slow or metric.opaque:
        return ()
    base = train_metric(metric, frame)
    sums = bool(base.variables) and base.power is not None
    full = isinstance(base, VectorMetric) and base.geometry == Geometry()
    return tuple(matrix for matrix, can in zip(MATRICES, (sums, full), strict=True) if can)


def _columns(base: TrainedMetric, frame: Frame) -> np.ndarray:
    known = getattr(base, "columns", None)
    return strings(frame.design.columns) if known is None else known


class Learnt:
    """What is said of a distance that was learned, whether by weights or by a matrix."""

    spec: Relevance
    base: TrainedMetric
    counts: np.ndarray
    search: np.ndarray
    names: np.ndarray
    weights: np.ndarray

    @property
    def traits(self) -> Traits:
        known, there = self.counts
        sample = f", learned from {ROUNDS + 1} samples of {known} of {there} rows" if known < there else ""
        return replace(self.spec.traits, scaling=self.spec.traits.scaling + sample)

    @property
    def untrained(self) -> Relevance:
        return self.spec

    @property
    def column_weights(self) -> pd.DataFrame:
        scale = np.asarray(getattr(self.base, "spread", np.ones(len(self.names))))
        return table_of_weights(np.atleast_2d(self.weights).mean(axis=0), scale, self.names)

    @property
    def notes(self) -> tuple[str, ...]:
        table = self.column_weights
        whose = ", mean over the classes" if self.spec.local else ""
        said = [f"learned weights of variables{whose}: {in_words(table)}"]
        first = "at the start" if self.spec.local else "without them"
        said.append(f"mean cost of the training rows: {self.search[0]:.3f} {first}, {self.search[1]:.3f} with them")
        if self.counts[0] < self.counts[1]:
            known, there = self.counts
            words = f"the weights were learned from stratified samples of {known} of {there} rows"
            said.append(f"{words}, a new one in each of {ROUNDS + 1} rounds")
        axes, count = getattr(getattr(self, "parts", (self,))[0], "map", table), int((table["weight"] > 0).sum())
        if len(axes) < count:
            where = "on the first principal axes" if self.spec.local else "which started as principal axes"
            said.append(f"the learned matrix has {len(axes)} axes of {count} columns, {where}")
        return (*self._given.notes, *said)

    @property
    def _given(self) -> TrainedMetric:
        """The distance that was given."""
        return self.base


@savable(counts="2", search="2", names="v", weights="v")
@dataclass(frozen=True)
class TrainedRelevance(Learnt, TrainedWrapper):
    """A distance with the weights that it learned, which `base` has already.

    Attributes
    ----------
    counts : int array (2,)
        Rows that it was learned from at a time, and rows that have weight.
    search : array (2,)
        Mean cost of these rows without weights, and with them.
    names : array (v,) of str
    weights : array (v,)
        The learned weights, of mean 1 over the variables that vary.
    """

    spec: Relevance
    counts: np.ndarray
    search: np.ndarray
    names: np.ndarray
    weights: np.ndarray

    @property
    def _given(self) -> TrainedMetric:
        return replace(self.base, spec=self.spec.inner[0])  # type: ignore[arg-type]

    @property
    def variables(self) -> tuple[str, ...]:
        return self.base.variables

    def terms(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return self.base.terms(rows, candidates)

    def sql(self, columns: Columns) -> SQLDistance:
        return sql_distance(self.base, columns)


@savable
@dataclass(frozen=True)
class TrainedRelevanceSpace(TrainedRelevance, VectorMetric):
    """A learned distance whose base has coordinates, which are stretched by the weights."""

    def coordinates(self, rows: Rep) -> np.ndarray:
        return _space(self.base).coordinates(rows)

    def place(self, coords: np.ndarray) -> Rep:
        return _space(self.base).place(coords)

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        return _space(self.base).original(coords)


@savable(counts="2", search="2", names="p", weights="p", center="p", map="k p", back="p k")
@dataclass(frozen=True)
class TrainedMatrix(Learnt, EuclideanSpace):
    """Euclidean distance after a learned map of the coordinates of `base`.

    Attributes
    ----------
    counts : int array (2,)
        Rows that it was learned from at a time, and rows that have weight.
    search : array (2,)
        Mean cost of these rows without the map, and with it.
    names : array (p,) of str
    weights : array (p,)
        What each column counts: the diagonal of the matrix, map' map.
    center : array (p,)
        Mean of the training rows.
    map, back : arrays (k, p) and (p, k)
        The map, and the way back.
    """

    spec: Relevance
    base: TrainedMetric
    counts: np.ndarray
    search: np.ndarray
    names: np.ndarray
    weights: np.ndarray
    center: np.ndarray
    map: np.ndarray
    back: np.ndarray

    def rows(self, frame: Frame) -> Rep:
        return (self.mapped(self.unmapped(frame)),)

    def unmapped(self, frame: Frame) -> np.ndarray:
        space = _space(self.base)
        return np.asarray(space.coordinates(space.rows(frame)), float)

    def mapped(self, X: np.ndarray) -> np.ndarray:
        return products(X - self.center, self.map)

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        return _space(self.base).original(coords @ self.back.T + self.center)

    def contributions(self, rows: Frame, others: Frame, candidates: Rep) -> np.ndarray:
        space, a, b = _space(self.base), self.unmapped(rows), self.unmapped(others)
        pull = (a - b) @ self.map.T @ self.map
        moved, unit = (space.original(a) - space.original(b)).to_numpy(float), np.eye(len(self.center))
        columns = (space.original(unit) - space.original(0 * unit)).to_numpy(float)  # what a step along a coordinate changes
        return np.asarray(moved * (pull @ np.linalg.pinv(columns).T))


@savable(counts="2", search="2", names="v", weights="L v")
@dataclass(frozen=True)
class TrainedLocal(Learnt, ByClass):
    """A distance to the candidates of each class that was learned for this class.

    Attributes
    ----------
    base : TrainedMetric
        The distance that was given.
    counts : int array (2,)
        Rows that it was learned from at a time, and rows that have weight.
    search : array (2,)
        Mean cost of these rows at the start, and as learned.
    names : array (v,) of str
    weights : array (classes, v)
        What each variable counts in the distances to the candidates of each class.
    parts : tuple of TrainedMetric
        The distance of each class.
    """

    spec: Relevance
    base: TrainedMetric
    counts: np.ndarray
    search: np.ndarray
    names: np.ndarray
    weights: np.ndarray
    parts: tuple[TrainedMetric, ...]

    @property
    def class_weights(self) -> np.ndarray:
        return self.weights

    @property
    def variables(self) -> tuple[str, ...]:
        return self.parts[0].variables

    def rows(self, frame: Frame) -> Rep:
        if isinstance(self.parts[0], TrainedMatrix):  # whose coordinates before the map are the same
            X = self.parts[0].unmapped(frame)
            return tuple(metric.mapped(X) for metric in self.parts if isinstance(metric, TrainedMatrix))
        return super().rows(frame)

    def terms(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return self.by_class(rows, candidates, "terms")


def _space(metric: TrainedMetric) -> VectorMetric:
    assert isinstance(metric, VectorMetric)
    return metric
