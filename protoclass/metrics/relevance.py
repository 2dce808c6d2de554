"""Distances whose weights or matrix are learned together with the rows that classify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.distances.minkowski import Geometry, products
from ..core.parallel import alone
from ..core.sources import Rep, part
from ..core.statistics.folds import stratified_subset
from ..core.vectors.relevance_learning import (
    ROUNDS,
    Maps,
    Weights,
    class_maps,
    first_axes,
    learn,
    one_map,
)
from ..frames.frame import Frame
from ..frames.sql_columns import Columns
from ..ground.checks import check_seed, one_of, whole_number
from ..ground.errors import OptionError
from ..ground.savable import savable
from .base import (
    EuclideanSpace,
    Metric,
    SQLDistance,
    TrainedMetric,
    Traits,
    VectorMetric,
    as_vectors,
    candidates_of,
    check_number,
    compare,
    rows_of,
    sql_distance,
    strings,
    train_metric,
)
from .learned import (
    VARYING,
    ByClass,
    check_classes,
    check_dims,
    check_varies,
    expanded,
    in_words,
    inverse,
    sampled,
    table_of_weights,
)
from .wrappers import TrainedWrapper, Wrapper

MATRICES = ("diagonal", "full")
# beside a cost of at most 1; squares of the gradient stay numbers in single precision
MOST_RIDGE = 1e6
AUTO = "auto"


@dataclass(frozen=True)
class Relevance(Wrapper):
    """A distance with learned weights of the variables, or a learned matrix (relevance learning).

    It is learned in each fold together with a few prototype rows, by swaps and gradient steps that
    lower the mean of s(beta (d+ - d-) / (d+ + d-)), with the logistic function s. Here d+ and d-
    are the distances of a row to the nearest prototype of its class and of any other class.

    Parameters
    ----------
    of : metric or its name
        Distance whose variables are weighted.
    matrix : "diagonal" or "full"
        "diagonal": a weight for each variable, for distances that are a sum or a mean over
        variables (Minkowski, Gower, and the parts of `Mixed`). "full": a linear map of the
        coordinates, for Euclidean distances.
    local : bool, or sequence
        Whether each class has its own weights or matrix, for distances to its candidates, which are
        then not symmetric.
    K : int >= 1, or sequence
        Mean number of prototypes per class.
    ridge : float >= 0, or sequence
        Penalty against few variables: ridge times the mean logarithm of the weights (of the
        eigenvalues of the matrix) is subtracted from the mean cost.
    beta : float > 0, or sequence
        Slope of the logistic function.
    dims : int, optional
        Number of axes of a full matrix, which start as principal axes. Default: the number of
        columns, at most 64.
    sample : int >= 2
        Maximum number of rows for each round of learning, in stratified random samples.
    seed : int
        Seed for the samples and the initial prototypes.

    Raises
    ------
    OptionError
        If the distance has no variables to weight, or no coordinates.
    DataError
        As for `NCA`.

    Notes
    -----
    Sato and Yamada (1996); Schneider, Biehl and Hammer (2009), Neural Computation 21, whose
    prototypes are not rows; Nebel, Hammer, Frohberg and Villmann (2015), Neurocomputing 169.
    Weights have mean 1; a variable that does not vary gets weight 0. Redundant variables divide
    their weight in any proportion.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5, dissimilarity=pc.Relevance())
    >>> fit.dissimilarity.metric.column_weights["proportion"].round(1).to_dict()
    {'sepal_length': 0.1, 'sepal_width': 0.1, 'petal_length': 0.5, 'petal_width': 0.3}
    """

    tunable = frozenset({"local", "K", "ridge", "beta"})

    of: Any = "euclidean"
    matrix: str = "diagonal"
    local: Any = False
    K: Any = 1
    ridge: Any = 0.01
    beta: Any = 20.0
    dims: int | None = None
    sample: int = 5000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.checks_each_value():
            return
        one_of("matrix", self.matrix, MATRICES)
        one_of("local", self.local, (False, True))
        whole_number("K", self.K, 1)
        check_number("ridge", self.ridge, 0, high=MOST_RIDGE)
        check_number("beta", self.beta, 0, above=True)
        if self.dims is not None:
            whole_number("dims", self.dims, 1)
            if self.matrix == "diagonal":
                raise OptionError(f"dims={self.dims} needs matrix='full': leave it out")
        whole_number("sample", self.sample, 2)
        check_seed(self.seed)

    @property
    def papers(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.inner[0].papers, "schneider2009")

    @property
    def traits(self) -> Traits:
        learned = replace(self.inner[0].traits, train_in_folds=True, supervised=True)
        if self.matrix == "full":
            learned = replace(
                learned, symmetric=True, triangle=True, power=None, geometry=Geometry()
            )
        if self.local:
            return replace(learned, symmetric=False, triangle=False, geometry=None)
        return learned

    @property
    def name(self) -> str:
        kind = "weighted" if self.matrix == "diagonal" else "matrix-weighted"
        return f"{'locally ' if self.local else ''}{kind} {self.inner[0].name}"

    def train(self, frame: Frame) -> TrainedMetric:
        base = train_metric(self.inner[0], frame)
        if self.matrix not in matrices_of(base):
            raise OptionError(
                f"{base.name} dissimilarities have no matrix={self.matrix!r} to learn: use "
                "matrix='diagonal' with Minkowski distances of "
                "r < inf, Gower and Mixed, matrix='full' with 'euclidean' or 'mahalanobis', or "
                "matrix='none' to learn nothing"
            )
        live = np.flatnonzero(frame.weights > 0)
        batches = [live] * (ROUNDS + 1)
        # a sample for each round has more rows in all than one for all rounds, at the same cost
        if len(live) > self.sample:
            batches = [
                live[stratified_subset(frame.codes[live], self.sample, self.seed + r)]
                for r in range(ROUNDS + 1)
            ]
        chosen = np.unique(np.concatenate(batches))
        seen = frame.take(chosen)
        check_classes(seen, seen.codes, "training rows have")
        space, build = (self._maps if self.matrix == "full" else self._weights)(base, seen)
        counts = np.minimum(self.K, np.bincount(seen.codes, minlength=len(frame.levels)))
        with alone():  # the same sums on any number of threads, and many small ones
            places = [np.searchsorted(chosen, at) for at in batches]
            found = learn(
                space, seen.weights, seen.codes, places, counts, float(self.beta), (self.seed,)
            )
        spec = replace(self, of=base.spec)
        learned = np.array([len(batches[0]), len(live)]), np.array([found.before, found.after])
        parts = build(space.values(found.parameters), replace(spec, local=False), *learned)
        if not self.local:
            return parts[0]
        weights = np.stack([metric.weights for metric in parts])
        return TrainedLocal(spec, base, *learned, parts[0].names, weights, tuple(parts))

    def _weights(self, base: TrainedMetric, seen: Frame) -> tuple[Weights | Maps, Build]:
        """The space of the weights of the variables that vary."""
        rows, candidates, n = rows_of(base, seen), candidates_of(base, seen), len(seen)
        # a variable in which all rows agree with these is constant
        compared = np.unique(np.linspace(0, n - 1, 20).astype(int))
        sample = base.terms(rows, part(candidates, compared))
        varies: Any = (np.nan_to_num(sample) > 0).any(axis=(0, 1))
        check_varies(varies, f"variables of {base.name}", n)

        def terms(at, to):
            found = base.terms(part(rows, at), part(candidates, to))[:, :, varies]
            # the cost depends on ratios alone
            return (found / (np.nanmax(found) or 1.0)).astype(np.float32)

        def between(weights, at, to):
            weighed = base.weighed(expanded(weights, varies))
            sides = part(rows_of(weighed, seen), at), part(candidates_of(weighed, seen), to)
            return compare(weighed, *sides)

        def build(values, spec, counts, search):
            weights = expanded(values, varies)
            kind = TrainedRelevanceSpace if isinstance(base, VectorMetric) else TrainedRelevance
            names = strings(base.variables)
            return [kind(spec, base.weighed(w), counts, search, names, w) for w in weights]

        group, groups = (seen.codes, len(seen.levels)) if self.local else (np.zeros(n, np.int64), 1)
        scaled = isinstance(base, VectorMetric)  # and so a sum
        numbers = int(varies.sum()), float(base.power), self.ridge
        return Weights(np.arange(n), terms, between, *numbers, group, groups, scaled), build

    def _maps(self, base: TrainedMetric, seen: Frame) -> tuple[Weights | Maps, Build]:
        """The space of maps of the coordinates that vary, centred and of mean variance 1."""
        vectors = as_vectors(base)
        X = vectors.coordinates(rows_of(base, seen)).astype(float)
        center, varies = X.mean(axis=0), X.max(axis=0) > X.min(axis=0)
        check_varies(varies, "columns", len(X))
        check_dims(self.dims, varies.sum(), VARYING)
        Z = (X - center)[:, varies]
        X = np.ascontiguousarray(Z / np.sqrt((Z**2).mean()), np.float32)
        # a full matrix of more axes takes long
        count, axes = min(self.dims or 64, X.shape[1]), np.eye(X.shape[1], dtype=X.dtype)
        if self.local:
            axes = first_axes(X, count) if count < X.shape[1] else axes
            classes = seen.weights, seen.codes, len(seen.levels)
            space = class_maps(X @ axes.T, *classes, float(self.ridge))
        else:
            space = one_map(X, count, float(self.ridge))

        def build(values, spec, counts, search):
            inner = values @ axes
            maps = expanded(inner, varies)
            back = np.zeros((len(varies), maps.shape[1]))
            if not self.local:  # otherwise coordinates have no place without a class
                back[varies] = inverse(inner[0].astype(float), X.astype(float))
            names = getattr(base, "columns", strings(seen.design.columns))
            weights, known = (maps**2).sum(axis=1), (spec, base, counts, search, names)
            return [
                TrainedMatrix(*known, w, center, m, back)
                for w, m in zip(weights, maps, strict=True)
            ]

        return space, build


# makes the metric of all candidates, or that of each class, from learned values, the specification,
# `counts` and `search`
Build = Callable[..., list["WithWeights"]]


def matrices_of(base: TrainedMetric) -> tuple[str, ...]:
    """The matrices that can be learned for a distance: weights of variables, and maps."""
    sums = bool(base.variables) and base.power is not None
    full = isinstance(base, VectorMetric) and base.geometry == Geometry()
    return tuple(matrix for matrix, can in zip(MATRICES, (sums, full), strict=True) if can)


def learnable(metric: Metric | TrainedMetric, frame: Frame) -> tuple[str, ...]:
    """The matrices that can be learned for a metric that does not use the classes itself."""
    uses_classes_or_slow = metric.supervised or metric.given or metric.slow or metric.opaque
    return () if uses_classes_or_slow else matrices_of(train_metric(metric, frame))


@dataclass(frozen=True, eq=False)
class WithWeights(TrainedMetric):
    """A distance with learned weights or a learned matrix.

    Attributes
    ----------
    base : TrainedMetric
        The distance that was given; with weights of the variables, the distance with these weights.
    counts : int array (2,)
        Rows that it was learned from at a time, and rows that have weight.
    search : array (2,)
        Mean cost of these rows at the start, and as learned.
    names : array (v,) of str
        Names of the variables, or of the columns of a matrix.
    weights : array (v,), or (classes, v)
        Weight of each variable, of mean 1 over the variables that vary; for a matrix, map' map, its
        diagonal.
    """

    spec: Relevance
    base: TrainedMetric
    counts: Array
    search: Array
    names: Array
    weights: Array

    @property
    def traits(self) -> Traits:
        return sampled(self.spec.traits, self.counts, f"{ROUNDS + 1} samples of ")

    @property
    def untrained(self) -> Relevance:
        return self.spec

    @property
    def column_weights(self) -> pd.DataFrame:
        scale = getattr(self.base, "spread", np.ones(len(self.names)))
        return table_of_weights(np.atleast_2d(self.weights).mean(axis=0), scale, self.names)

    @property
    def notes(self) -> tuple[str, ...]:
        table, local = self.column_weights, self.spec.local
        notes = [
            f"learned weights of variables{', mean over the classes' if local else ''}: {in_words(table)}",
            f"mean cost of the training rows: {self.search[0]:.3f} {'at the start' if local else 'without them'}, "
            f"{self.search[1]:.3f} with them",
        ]
        axes = getattr(getattr(self, "parts", (self,))[0], "map", table)
        count = (table["weight"] > 0).sum()
        if len(axes) < count:
            where = "on the first principal axes" if local else "which started as principal axes"
            notes.append(f"the learned matrix has {len(axes)} axes of {count} columns, {where}")
        return (*self.base.notes, *notes)


@savable(counts="2", search="2", names="v", weights="v")
@dataclass(frozen=True, eq=False)
class TrainedRelevance(WithWeights, TrainedWrapper):
    """A distance with the weights that it learned, which `base` has already."""

    spec: Relevance

    @property
    def variables(self) -> tuple[str, ...]:
        return self.base.variables

    def terms(self, rows: Rep, candidates: Rep) -> Array:
        return self.base.terms(rows, candidates)

    def sql(self, columns: Columns) -> SQLDistance:
        return sql_distance(self.base, columns)


@savable
@dataclass(frozen=True, eq=False)
class TrainedRelevanceSpace(TrainedRelevance, VectorMetric):
    """A learned distance whose base has coordinates, which are stretched by the weights."""

    def coordinates(self, rows: Rep) -> Array:
        return as_vectors(self.base).coordinates(rows)

    def place(self, coords: Array) -> Rep:
        return as_vectors(self.base).place(coords)

    def original(self, coords: Array) -> pd.DataFrame:
        return as_vectors(self.base).original(coords)


@savable(counts="2", search="2", names="p", weights="p", center="p", map="k p", back="p k")
@dataclass(frozen=True, eq=False)
class TrainedMatrix(WithWeights, EuclideanSpace):
    """Euclidean distance after a learned map of the coordinates of `base`.

    Attributes
    ----------
    center : array (p,)
        Mean of the training rows.
    map, back : arrays (k, p) and (p, k)
        The map, and its inverse.
    """

    center: Array
    map: Array
    back: Array

    def rows(self, frame: Frame) -> Rep:
        return (products(self.unmapped(frame) - self.center, self.map),)

    def unmapped(self, frame: Frame) -> Array:
        space = as_vectors(self.base)
        return space.coordinates(space.rows(frame)).astype(float)

    def original(self, coords: Array) -> pd.DataFrame:
        return as_vectors(self.base).original(coords @ self.back.T + self.center)

    def contributions(self, rows: Frame, others: Frame, candidates: Rep) -> Array:
        space, a, b = as_vectors(self.base), self.unmapped(rows), self.unmapped(others)
        pull = (a - b) @ self.map.T @ self.map
        moved = (space.original(a) - space.original(b)).to_numpy(float)
        unit = np.eye(len(self.center))
        # each line has the changes of the columns by a step along one coordinate
        columns = (space.original(unit) - space.original(0 * unit)).to_numpy(float)
        return moved * (pull @ np.linalg.pinv(columns).T)


@savable(counts="2", search="2", names="v", weights="L v")
@dataclass(frozen=True, eq=False)
class TrainedLocal(WithWeights, ByClass):
    """A distance to the candidates of each class by the one learned for it, of `parts`."""

    parts: tuple[TrainedMetric, ...]

    @property
    def class_weights(self) -> Array:
        return self.weights

    @property
    def variables(self) -> tuple[str, ...]:
        return self.parts[0].variables

    def terms(self, rows: Rep, candidates: Rep) -> Array:
        return self.by_class(rows, candidates, "terms")
