"""Metrics of a newcomer's own: good ones, and such with one fault each.

`FAULTS` has (class, words that the message must have).
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

import protoclass as pc
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.metrics.base import VectorMetric


def numbers(frame):
    return np.ascontiguousarray(frame.design.to_numpy(float))


def absolute(rows, candidates):
    return np.abs(rows[0][:, None] - candidates[0][None])


# good ones


@dataclass(frozen=True)
class CityBlock(pc.Metric):
    """It learns nothing."""

    traits = pc.extend.Traits(symmetric=True, triangle=True, row_by_row=True, power=1.0)

    def rows(self, frame):
        return (numbers(frame),)

    def between(self, rows, candidates):
        return absolute(rows, candidates).sum(axis=2)


@pc.extend.savable(span="p")
@dataclass(frozen=True, eq=False)
class PlantedSpan(pc.extend.TrainedMetric):
    span: np.ndarray

    def rows(self, frame):
        return (numbers(frame) / self.span,)

    def between(self, rows, candidates):
        return absolute(rows, candidates).max(axis=2, initial=0.0)


@dataclass(frozen=True)
class Range(pc.Metric):
    """The largest difference as a share of the range."""

    traits = pc.extend.Traits(symmetric=True, triangle=True, row_by_row=True, data_dependent=True)

    def train(self, frame):
        span = np.ptp(numbers(frame), axis=0)
        return PlantedSpan(self, np.where(span > 0, span, 1.0))


@pc.extend.savable(weights="p")
@dataclass(frozen=True, eq=False)
class TrainedWeighted(pc.extend.TrainedMetric):
    weights: np.ndarray

    def rows(self, frame):
        return (numbers(frame) * self.weights,)

    def between(self, rows, candidates):
        return absolute(rows, candidates).sum(axis=2)


@dataclass(frozen=True)
class Weighted(pc.Metric):
    """Manhattan distance with weights that are learned from the classes: the spread between class means."""

    traits = pc.extend.Traits(train_in_folds=True, symmetric=True, row_by_row=True)

    def train(self, frame):
        X, y = numbers(frame), frame.codes
        means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
        return TrainedWeighted(self, np.ptp(means, axis=0) + 1.0)


@dataclass(frozen=True)
class Hellinger(pc.Metric):
    traits = pc.extend.Traits(symmetric=True, geometry=Geometry(), row_by_row=True)

    def rows(self, frame):
        X = numbers(frame)
        if (X < 0).any():
            raise pc.errors.DataError("Hellinger distances take numbers of at least 0: leave rows with negative ones out")
        return (np.sqrt(X),)

    def between(self, rows, candidates):
        return minkowski(rows[0], candidates[0])


@pc.extend.savable(scale="p", columns="p")
@dataclass(frozen=True, eq=False)
class TrainedScaled(VectorMetric):
    scale: np.ndarray
    columns: np.ndarray

    def rows(self, frame):
        return (numbers(frame) * self.scale,)

    def between(self, rows, candidates):
        return np.sqrt((absolute(rows, candidates) ** 2).sum(axis=2))

    def coordinates(self, rows):
        return rows[0]

    def place(self, coords):
        return (np.ascontiguousarray(coords),)

    def original(self, coords):
        return pd.DataFrame(coords / self.scale, columns=self.columns)


@dataclass(frozen=True)
class Scaled(pc.Metric):
    """A distance of a vector space, whose first column counts twice."""

    traits = pc.extend.Traits(symmetric=True, triangle=True, row_by_row=True, power=2.0)
    made: ClassVar[type] = TrainedScaled

    def train(self, frame):
        names = np.array(list(frame.design.columns), object)
        return self.made(self, np.where(np.arange(len(names)) == 0, 2.0, 1.0), names)


@dataclass(frozen=True)
class Upwards(pc.Metric):
    """What a candidate has more than the row: asymmetric."""

    def rows(self, frame):
        return (numbers(frame),)

    def between(self, rows, candidates):
        return np.maximum(candidates[0][None] - rows[0][:, None], 0.0).sum(axis=2)


GOOD = [CityBlock, Range, Weighted, Scaled, Upwards]
FAULTS = []


def fault(words):
    """Put a class among those with a fault."""

    def put(cls):
        FAULTS.append((cls, words))
        return cls

    return put


def trained(base, **methods):
    """A savable class of a trained metric with some methods changed."""
    name = f"Trained{len(SEEN)}"
    SEEN.append(name)
    cls = dataclass(frozen=True, eq=False)(type(name, (base,), {"__module__": __name__, "__qualname__": name, **methods}))
    globals()[name] = cls
    return pc.extend.savable(cls)


SEEN = []

# a new row alone


@fault("alone than among others")
class CentredOnBatch(CityBlock):
    traits = replace(CityBlock.traits, row_by_row=False)

    def rows(self, frame):
        X = numbers(frame)
        return (X / np.abs(X).max(axis=0, initial=1.0),)


# geometry and coordinates


@fault("placed by their coordinates")
class WrongPlace(Scaled):
    made = trained(TrainedScaled, place=lambda self, coords: (np.ascontiguousarray(coords * self.scale),))


# classes of unequal sizes, and none


@fault("without the class|finite and at least 0|raises")
class MeansOfAllClasses(Weighted):
    traits = Weighted.traits

    def train(self, frame):
        X, y = numbers(frame), frame.codes
        means = np.array([X[y == c].mean(axis=0) for c in range(len(frame.levels))])
        return TrainedWeighted(self, np.ptp(means, axis=0) + 1.0)


# far rows, copies, none, one candidate


@fault("`between` raises")
class FailsOnNone(CityBlock):
    traits = CityBlock.traits

    def between(self, rows, candidates):
        return absolute(rows, candidates).sum(axis=2) + 0 * rows[0].max()


# changed in place, global generators


@fault("in place|read-only")
class CentresDesign(CityBlock):
    def rows(self, frame):
        X = frame.design.to_numpy()
        X -= 1.0
        return (X,)


# saved, made again, pickled, equal


@fault("can't be pickled")
@dataclass(frozen=True)
class HoldsAFunction(CityBlock):
    traits = CityBlock.traits
    by: object = lambda d: d

    def between(self, rows, candidates):
        return self.by(super().between(rows, candidates))


@pc.extend.savable
@dataclass(frozen=True, eq=False)
class TrainedAlwaysEqual(PlantedSpan):
    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = PlantedSpan.__hash__


@fault("still equal")
class AlwaysEqual(Range):
    traits = Range.traits

    def train(self, frame):
        return TrainedAlwaysEqual(self, super().train(frame).span)


# power and groups


@fault("add up to")
class SumOfSquares(CityBlock):
    traits = replace(CityBlock.traits, power=2.0)


@fault("but the predictors are")
class UnknownGroup(CityBlock):
    traits = replace(CityBlock.traits, column_groups=(("height", "width"),))


# symmetry


@fault("symmetric is declared")
class SaysSymmetric(Upwards):
    traits = pc.extend.Traits(symmetric=True)


# triangles


@fault("triangle is declared")
class Squared(CityBlock):
    traits = replace(CityBlock.traits, triangle=True)

    def between(self, rows, candidates):
        return (absolute(rows, candidates) ** 2).sum(axis=2)


# learning: what is declared


@fault("train_in_folds")
class SeesClasses(Range):
    traits = Range.traits

    def train(self, frame):
        X, y = numbers(frame), frame.codes
        within = X - np.array([X[y == c].mean(axis=0) for c in np.unique(y)])[np.unique(y, return_inverse=True)[1]]
        return PlantedSpan(self, within.std(axis=0) + 1.0)


@fault("data_dependent")
class SaysNothing(Range):
    traits = replace(Range.traits, data_dependent=False)


# words that are declared


@fault("must be a Traits")
class AMethod(CityBlock):
    def traits(self):
        return CityBlock.traits


@fault("tuple of arrays")
class BareArray(CityBlock):
    def rows(self, frame):
        return numbers(frame)


# missing values


@fault("missing values")
class SkipsNothing(CityBlock):
    traits = replace(CityBlock.traits, skips_missing=True)

    def rows(self, frame):
        return (np.ascontiguousarray(frame.columns.astype(float).to_numpy()),)
