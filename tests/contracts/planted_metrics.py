"""Metrics of a newcomer's own: good ones, and such with one fault each, by kind of fault.

`FAULTS` has (kind of fault, class, words that the message must have).
"""

import random
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

import protoclass as pc
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.metrics.base import VectorMetric
from protoclass.metrics.in_sql import SQLDistance, coordinate, value


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
@dataclass(frozen=True)
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
@dataclass(frozen=True)
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
            raise pc.DataError("Hellinger distances take numbers of at least 0: leave rows with negative ones out")
        return (np.sqrt(X),)

    def between(self, rows, candidates):
        return minkowski(rows[0], candidates[0])


@pc.extend.savable(scale="p", columns="p")
@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Unlike(pc.Metric):
    """The share of the columns that differ, on columns of any kind."""

    traits = pc.extend.Traits(symmetric=True, triangle=True, row_by_row=True, power=1.0)

    def rows(self, frame):
        out = np.empty(frame.columns.shape, object)
        for k, name in enumerate(frame.columns):
            out[:, k] = frame.columns[name].astype(str).to_numpy(object)
        return (out,)

    def between(self, rows, candidates):
        return (rows[0][:, None] != candidates[0][None]).mean(axis=2).astype(float)


@dataclass(frozen=True)
class InSQL(CityBlock):
    def sql(self, columns):
        terms = [f"ABS({coordinate(k)} - {value(k)})" for k in range(len(columns.design))]
        return SQLDistance(columns.design, " + ".join(terms), [], lambda prototypes: prototypes[0])

    def rows(self, frame):
        return super().rows(frame)


GOOD = [CityBlock, Range, Weighted, Scaled, Upwards, Unlike, InSQL]
FAULTS = []


def fault(kind, words):
    """Put a class among those with a fault."""

    def put(cls):
        FAULTS.append((kind, cls, words))
        return cls

    return put


def trained(base, **methods):
    """A savable class of a trained metric with some methods changed."""
    name = f"Trained{len(SEEN)}"
    SEEN.append(name)
    cls = dataclass(frozen=True)(type(name, (base,), {"__module__": __name__, "__qualname__": name, **methods}))
    globals()[name] = cls
    return pc.extend.savable(cls)


SEEN = []

# a new row alone


@fault("alone", "alone than among others")
class CentredOnBatch(CityBlock):
    traits = replace(CityBlock.traits, row_by_row=False)

    def rows(self, frame):
        X = numbers(frame)
        return (X / np.abs(X).max(axis=0, initial=1.0),)


@fault("alone", "alone than among others|1 row|alone")
class Squeezed(CityBlock):
    def rows(self, frame):
        return (np.squeeze(numbers(frame)),)


@fault("alone", "after other rows were represented|alone than among others")
class RemembersRows(CityBlock):
    seen: ClassVar[list] = []
    traits = replace(CityBlock.traits, row_by_row=False, power=None)

    def rows(self, frame):
        self.seen.append(float(np.abs(numbers(frame)).max(initial=0.0)))
        return (numbers(frame) + (max(self.seen) > 500),)

    def between(self, rows, candidates):
        return absolute(rows, candidates).sum(axis=2)


@fault("alone", "alone than among others|when they come as new rows|in another order")
class ByLabel(CityBlock):
    def rows(self, frame):
        known = pd.to_numeric(pd.Series(frame.index), errors="coerce").fillna(1000.0).to_numpy(float)
        return (numbers(frame) + 0.001 * known[:, None],)


@fault("alone", "response|classes")
class ClassesInRows(CityBlock):
    def rows(self, frame):
        return (numbers(frame) + frame.codes[:, None],)


# geometry and coordinates


@fault("geometry", "geometry is declared")
class WrongExponent(CityBlock):
    traits = replace(CityBlock.traits, geometry=Geometry(2.0))


@fault("geometry", "geometry is declared|geometry.value")
class WrongValue(Hellinger):
    traits = replace(Hellinger.traits, geometry=Geometry(value=np.square))

    def rows(self, frame):
        return (numbers(frame),)


@fault("geometry", "geometry is declared")
class OtherBits(CityBlock):
    traits = replace(CityBlock.traits, geometry=Geometry(2.0))

    def between(self, rows, candidates):
        a, b = rows[0], candidates[0]
        return np.sqrt(np.maximum(0.0, (absolute(rows, candidates) ** 2).sum(axis=2))) * (1 + 2**-50) + 0 * len(a) * len(b)


@fault("geometry", "must be coordinates|geometry is declared")
class WrongArrayFirst(Hellinger):
    traits = replace(Hellinger.traits, geometry=Geometry())

    def rows(self, frame):
        X = numbers(frame)
        return np.arange(len(X)) * 0, X

    def between(self, rows, candidates):
        return minkowski(rows[1], candidates[1])


@fault("screen", "must never fall")
class Falling(CityBlock):
    falling = Geometry(1.0, value=lambda d: np.where(d > 1e6, 1e6 / d, d) * 1.0)
    traits = replace(CityBlock.traits, geometry=falling, triangle=False, power=None, row_by_row=False)

    def between(self, rows, candidates):
        return self.geometry.value(minkowski(rows[0], candidates[0], 1.0))


def doubled(d):
    return np.asarray(d, float) * 2


@fault("screen", "not change the precision")
class LosesPrecision(CityBlock):
    traits = replace(CityBlock.traits, geometry=Geometry(1.0, value=doubled))

    def between(self, rows, candidates):
        return doubled(minkowski(rows[0], candidates[0], 1.0))


def waves(d):
    return d + np.asarray(2 * np.sin(d), d.dtype)


@fault("screen", "must never fall")
class Waves(CityBlock):
    traits = replace(CityBlock.traits, geometry=Geometry(1.0, value=waves), triangle=False, power=None)

    def between(self, rows, candidates):
        return np.maximum(0.0, waves(minkowski(rows[0], candidates[0], 1.0)))


@fault("coordinates", "placed by their coordinates")
class WrongPlace(Scaled):
    made = trained(TrainedScaled, place=lambda self, coords: (np.ascontiguousarray(coords * self.scale),))


@fault("coordinates", "lead back")
class WrongWayBack(Scaled):
    made = trained(TrainedScaled, original=lambda self, coords: pd.DataFrame(coords, columns=self.columns))


@fault("coordinates", "columns of the design matrix")
class UnnamedWayBack(Scaled):
    made = trained(TrainedScaled, original=lambda self, coords: pd.DataFrame(coords / self.scale))


@fault("coordinates", "halfway")
class Clock(Scaled):
    """Hours of a clock, which has no place halfway between 23 and 1."""

    traits = replace(Scaled.traits, power=None)
    made = trained(
        TrainedScaled, between=lambda self, a, b: np.minimum(absolute(a, b) % 7.0, 7.0 - absolute(a, b) % 7.0).sum(axis=2)
    )


# classes of unequal sizes, and none


@fault("classes", "without the class|finite and at least 0|raises")
class MeansOfAllClasses(Weighted):
    def train(self, frame):
        X, y = numbers(frame), frame.codes
        means = np.array([X[y == c].mean(axis=0) for c in range(len(frame.levels))])
        return TrainedWeighted(self, np.ptp(means, axis=0) + 1.0)


@fault("classes", "without the class|unequal sizes")
class DividesByCounts(Weighted):
    def train(self, frame):
        X, y = numbers(frame), frame.codes
        counts = np.bincount(y, minlength=len(frame.levels))
        return TrainedWeighted(self, np.abs(X.mean(axis=0)) * (1 / counts).min() + 1 / counts.min() * np.ones(X.shape[1]))


@fault("classes", "unequal sizes|class without rows")
class SpreadWithinClasses(Weighted):
    def train(self, frame):
        X, y = numbers(frame), frame.codes
        spread = np.array([X[y == c].std(axis=0, ddof=1) for c in np.unique(y)])
        return TrainedWeighted(self, 1 / spread.max(axis=0))


@fault("classes", "unequal sizes|without the class|raises")
class EqualClasses(Weighted):
    def train(self, frame):
        X, y = numbers(frame), frame.codes
        blocks = X[np.argsort(y, kind="stable")].reshape(len(frame.levels), -1, X.shape[1])
        return TrainedWeighted(self, np.ptp(blocks.mean(axis=1), axis=0) + 1.0)


# far rows, copies, none, one candidate


@fault("far", "1000 times as far")
class Overflows(CityBlock):
    traits = replace(CityBlock.traits, power=None, triangle=False)

    def between(self, rows, candidates):
        return np.expm1(absolute(rows, candidates).sum(axis=2) / 90)


@fault("far", "1000 times as far")
class InSmallIntegers(CityBlock):
    traits = replace(CityBlock.traits, power=None, triangle=False)

    def rows(self, frame):
        return (np.float16(numbers(frame)),)

    def between(self, rows, candidates):
        return (absolute(rows, candidates).sum(axis=2) ** 2).astype(float)


@fault("far", "1000 times as far")
class Table(CityBlock):
    traits = replace(CityBlock.traits, power=None, triangle=False, row_by_row=False)

    def rows(self, frame):
        return (np.round(numbers(frame) * 10).astype(int) + 500,)

    def between(self, rows, candidates):
        return np.arange(1000.0)[np.abs(rows[0][:, None] - candidates[0][None]).max(axis=2)]


@fault("zero", "finite and at least 0.*spread that is 0")
class NoSpread(Range):
    def train(self, frame):
        return PlantedSpan(self, np.ptp(numbers(frame), axis=0))


@fault("zero", "finite and at least 0")
class DividesByDistance(CityBlock):
    traits = replace(CityBlock.traits, power=None, triangle=False)

    def between(self, rows, candidates):
        d = absolute(rows, candidates).sum(axis=2)
        return d * d / d


@fault("zero", "finite and at least 0")
class Logarithm(CityBlock):
    traits = replace(CityBlock.traits, power=None, triangle=False)

    def between(self, rows, candidates):
        return np.log(absolute(rows, candidates).sum(axis=2)) + 100


@fault("zero", "rows of zeros")
class Directions(CityBlock):
    traits = replace(CityBlock.traits, power=None, triangle=False)

    def rows(self, frame):
        X = numbers(frame)
        return (X / np.sqrt((X**2).sum(axis=1))[:, None],)


@fault("none", "no rows")
class FailsOnNone(CityBlock):
    def between(self, rows, candidates):
        return absolute(rows, candidates).sum(axis=2) + 0 * rows[0].max()


@fault("none", "no rows")
class Stacks(CityBlock):
    def between(self, rows, candidates):
        return np.stack([np.abs(x - candidates[0]).sum(axis=1) for x in rows[0]])


@fault("none", "0 rows|no rows|no candidates")
class FromAList(CityBlock):
    def between(self, rows, candidates):
        return np.array([[float(np.abs(x - z).sum()) for z in candidates[0]] for x in rows[0]])


@fault("one candidate", "gave the shape")
class SqueezesCandidates(CityBlock):
    def between(self, rows, candidates):
        return np.squeeze(super().between(rows, candidates))


@fault("one candidate", "part of the matrix|1 candidate")
class ScaledByCandidates(CityBlock):
    def between(self, rows, candidates):
        return super().between(rows, candidates) / max(1, len(candidates[0]))


@fault("one candidate", "1 candidate|1 row|shape")
class Broadcasts(CityBlock):
    def between(self, rows, candidates):
        if len(candidates[0]) == 1:
            return np.abs(rows[0] - candidates[0]).sum(axis=1)
        return super().between(rows, candidates)


# changed in place, global generators


@fault("in place", "in place")
class CentresDesign(CityBlock):
    def rows(self, frame):
        X = frame.design.to_numpy()
        X -= 1.0
        return (X,)


@fault("in place", "frame.columns in place")
class WritesColumns(CityBlock):
    def rows(self, frame):
        name = frame.columns.columns[0]
        if len(frame):
            frame.columns.iloc[0, 0] = float(frame.columns[name].iloc[0]) + 0.0 if False else 7.0
        return (numbers(frame),)


@fault("in place", "in place")
class ChangesRepresentation(CityBlock):
    def between(self, rows, candidates):
        rows[0][:] = rows[0] + 0.0
        return super().between(rows, candidates)


@fault("in place", "later call overwrites")
class OneBuffer(CityBlock):
    buffers: ClassVar[dict] = {}

    def between(self, rows, candidates):
        D = super().between(rows, candidates)
        out = self.buffers.setdefault(D.shape, np.empty(D.shape))
        out[:] = D
        return out


@fault("generator", "np.random")
class SeedsAll(CityBlock):
    def rows(self, frame):
        np.random.seed(0)
        return (numbers(frame),)


@fault("generator", "np.random")
class DrawsInTrain(Range):
    def train(self, frame):
        keep = np.random.permutation(len(frame))[: max(2, len(frame) // 2)]
        span = np.ptp(numbers(frame)[keep], axis=0)
        return PlantedSpan(self, np.where(span > 0, span, 1.0))


@fault("generator", "global generator of the module random")
class ShufflesBetween(CityBlock):
    def between(self, rows, candidates):
        random.random()
        return super().between(rows, candidates)


@fault("generator", "equal to itself|default_rng")
class NoSeed(Range):
    def train(self, frame):
        return PlantedSpan(self, 1.0 + np.random.default_rng().random(frame.design.shape[1]))


# saved, made again, pickled, equal, hashable


@dataclass(frozen=True)
class TrainedUnsavable(PlantedSpan):
    pass


@fault("saved", "savable")
class NotSavable(Range):
    def train(self, frame):
        return TrainedUnsavable(self, super().train(frame).span)


@pc.extend.savable
@dataclass(frozen=True)
class TrainedHidden(PlantedSpan):
    def hide(self, centre):
        object.__setattr__(self, "_centre", centre)
        return self

    def between(self, rows, candidates):
        return absolute(rows, candidates).max(axis=2, initial=0.0) + self._centre


@fault("saved", "its fields")
class Hides(Range):
    def train(self, frame):
        return TrainedHidden(self, super().train(frame).span).hide(float(np.abs(numbers(frame)).mean()))


@pc.extend.savable
@dataclass(frozen=True)
class TrainedMapping(pc.extend.TrainedMetric):
    spans: dict

    def rows(self, frame):
        return (numbers(frame) / np.array(list(self.spans.values())),)

    def between(self, rows, candidates):
        return absolute(rows, candidates).max(axis=2, initial=0.0)


@fault("saved", "field 'spans'.*is a dict")
class KeepsADict(Range):
    def train(self, frame):
        return TrainedMapping(self, dict(zip(frame.design.columns, super().train(frame).span, strict=True)))


@pc.extend.savable
@dataclass(frozen=True)
class TrainedNumber(pc.extend.TrainedMetric):
    span: float

    def rows(self, frame):
        return (numbers(frame) / self.span,)

    def between(self, rows, candidates):
        return absolute(rows, candidates).max(axis=2, initial=0.0)


@fault("saved", "field 'span'.*is a float")
class KeepsANumber(Range):
    def train(self, frame):
        return TrainedNumber(self, float(np.abs(numbers(frame)).max()))


@pc.extend.savable
@dataclass(frozen=True)
class TrainedMistyped(pc.extend.TrainedMetric):
    span: tuple

    rows = PlantedSpan.rows
    between = PlantedSpan.between


@fault("saved", "saved and loaded")
class WrongAnnotation(Range):
    def train(self, frame):
        return TrainedMistyped(self, super().train(frame).span)


@fault("pickled", "can't be pickled")
@dataclass(frozen=True)
class HoldsAFunction(CityBlock):
    by: object = lambda d: d

    def between(self, rows, candidates):
        return self.by(super().between(rows, candidates))


@pc.extend.savable
@dataclass(frozen=True)
class TrainedNeverEqual(PlantedSpan):
    def __eq__(self, other):
        return self is other

    __hash__ = PlantedSpan.__hash__


@fault("equal", "equal to itself")
class NeverEqual(Range):
    def train(self, frame):
        return TrainedNeverEqual(self, super().train(frame).span)


@pc.extend.savable
@dataclass(frozen=True)
class TrainedAlwaysEqual(PlantedSpan):
    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = PlantedSpan.__hash__


@fault("equal", "still equal")
class AlwaysEqual(Range):
    def train(self, frame):
        return TrainedAlwaysEqual(self, super().train(frame).span)


@fault("equal", "__hash__")
class NoHash(CityBlock):
    def __eq__(self, other):
        return type(self) is type(other)


@fault("equal", "another hash")
class HashOfItself(CityBlock):
    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return type(self) is type(other)


@fault("made again", "made from its fields")
class MadeOtherwise(Range):
    def train(self, frame):
        made = super().train(frame)
        whole = TrainedFactor(self, made.span)
        object.__setattr__(whole, "factor", 2.0)
        return whole


@pc.extend.savable
@dataclass(frozen=True)
class TrainedFactor(PlantedSpan):
    factor = 1.0

    def between(self, rows, candidates):
        return absolute(rows, candidates).max(axis=2, initial=0.0) * self.factor


# power and groups


@fault("power", "add up to")
class SumOfSquares(CityBlock):
    traits = replace(CityBlock.traits, power=2.0)


@fault("power", "add up to")
class PowerOfLargest(Range):
    traits = replace(Range.traits, power=1.0)


@fault("power", "add up to")
class ForgotThePower(Scaled):
    traits = replace(Scaled.traits, power=1.0)


@fault("power", "above 0")
class PowerZero(CityBlock):
    traits = replace(CityBlock.traits, power=0)


@fault("power", "not a predictor")
class UnknownGroup(CityBlock):
    traits = replace(CityBlock.traits, column_groups=(("height", "width"),))


@fault("power", "twice")
class GroupTwice(CityBlock):
    traits = replace(CityBlock.traits, column_groups=(("x1", "x2"), ("x2", "x3")))


@fault("power", "tuple of tuples")
class GroupsOfText(CityBlock):
    traits = replace(CityBlock.traits, column_groups=["x1"])


# a row and itself


@fault("own row", "than to itself")
class Similarity(CityBlock):
    traits = replace(CityBlock.traits, symmetric=True, triangle=False, power=None)

    def between(self, rows, candidates):
        return 1 / (1 + super().between(rows, candidates))


@fault("own row", "than to itself")
class InnerProduct(Upwards):
    def between(self, rows, candidates):
        return np.maximum(0.0, 500 - (rows[0][:, None] * candidates[0][None]).sum(axis=2))


@fault("own row", "than to itself")
class FromAverage(Upwards):
    def between(self, rows, candidates):
        return np.abs(rows[0][:, None] + candidates[0][None]).sum(axis=2)


# symmetry


@fault("symmetric", "symmetric is declared")
class SaysSymmetric(Upwards):
    traits = pc.extend.Traits(symmetric=True)


@fault("symmetric", "symmetric is declared")
class ByFirstRow(CityBlock):
    traits = replace(CityBlock.traits, triangle=False, power=None)

    def between(self, rows, candidates):
        return super().between(rows, candidates) / (1.0 + np.abs(rows[0]).sum(axis=1))[:, None]


@fault("symmetric", "symmetric is declared.*1000 times as far")
class FarOnOneSide(CityBlock):
    traits = replace(CityBlock.traits, triangle=False, power=None)

    def between(self, rows, candidates):
        return super().between(rows, candidates) * np.where(np.abs(rows[0]).max(axis=1) > 50, 2.0, 1.0)[:, None]


# triangles


@fault("triangle", "triangle is declared")
class Squared(CityBlock):
    traits = replace(CityBlock.traits, triangle=True)

    def between(self, rows, candidates):
        return (absolute(rows, candidates) ** 2).sum(axis=2)


@fault("triangle", "triangle is declared")
class SquaredOnUnits(Hellinger):
    traits = replace(Hellinger.traits, triangle=True, geometry=None)

    def rows(self, frame):
        return (np.tanh(numbers(frame)),)

    def between(self, rows, candidates):
        return minkowski(rows[0], candidates[0]) ** 2


@fault("triangle", "triangle is declared")
class Unbounded(CityBlock):
    traits = replace(CityBlock.traits, triangle=True, power=None)

    def between(self, rows, candidates):
        d = super().between(rows, candidates)
        return np.where(d > 1000, d**1.5, d)


@fault("triangle", "triangle is declared")
class BrayCurtis(CityBlock):
    traits = replace(CityBlock.traits, triangle=True, power=None)

    def between(self, rows, candidates):
        sums = np.abs(rows[0][:, None] + candidates[0][None]).sum(axis=2)
        return super().between(rows, candidates) / np.where(sums > 0, sums, 1.0)


# state outside of the trained metric

LAST = {"span": 1.0}


@fault("state", "after training on other rows|equal to itself|after other rows")
class InAModule(CityBlock):
    traits = replace(CityBlock.traits, data_dependent=True)

    def train(self, frame):
        LAST["span"] = float(np.abs(numbers(frame)).max())
        return pc.extend.TrainedMetric(self)

    def between(self, rows, candidates):
        return super().between(rows, candidates) / LAST["span"]


@fault("state", "after training on other rows|equal to itself|after other rows")
class InAClass(CityBlock):
    traits = replace(CityBlock.traits, data_dependent=True)
    span: ClassVar[float] = 1.0

    def train(self, frame):
        type(self).span = float(np.abs(numbers(frame)).max())
        return pc.extend.TrainedMetric(self)

    def between(self, rows, candidates):
        return super().between(rows, candidates) / self.span


@fault("state", "after training on other rows|equal to itself|after other rows|not equal")
class InItself(CityBlock):
    traits = replace(CityBlock.traits, data_dependent=True)

    def train(self, frame):
        object.__setattr__(self, "_span", float(np.abs(numbers(frame)).max()))
        return pc.extend.TrainedMetric(self)

    def between(self, rows, candidates):
        return super().between(rows, candidates) / self._span


# row by row


@fault("row by row", "alone than among others|row_by_row")
class RanksOfBatch(CityBlock):
    def rows(self, frame):
        return (np.argsort(np.argsort(numbers(frame), axis=0), axis=0).astype(float),)


@fault("row by row", "alone than among others|row_by_row")
class FirstOfBatch(CityBlock):
    def rows(self, frame):
        X = numbers(frame)
        return (X - X[:1],)


@fault("row by row", "alone than among others|row_by_row")
class LongFrames(CityBlock):
    def rows(self, frame):
        X = numbers(frame)
        return (X * (2.0 if len(X) > 40 else 1.0),)


# SQL


@fault("sql", "`sql` gives")
class NoAbs(InSQL):
    def sql(self, columns):
        terms = [f"({coordinate(k)} - {value(k)})" for k in range(len(columns.design))]
        return SQLDistance(columns.design, " + ".join(terms), [], lambda prototypes: prototypes[0])


@fault("sql", "SQLite does not accept")
class CountsFromOne(InSQL):
    def sql(self, columns):
        terms = [f"ABS({coordinate(k + 1)} - {value(k + 1)})" for k in range(len(columns.design))]
        return SQLDistance(columns.design, " + ".join(terms), [], lambda prototypes: prototypes[0])


@fault("sql", "conditions of `sql` leave out")
class WrongConditions(InSQL):
    def sql(self, columns):
        made = super().sql(columns)
        return SQLDistance(made.rows, made.expression, [f"{columns.design[0]} > 0"], made.values)


@fault("sql", "`values` of `sql`")
class WrongValues(InSQL):
    def sql(self, columns):
        made = super().sql(columns)
        return SQLDistance(made.rows, made.expression, [], lambda prototypes: prototypes[0].T)


@fault("sql", "must give an SQLDistance")
class OnlyText(InSQL):
    def sql(self, columns):
        return "ABS(r.x1 - p.v1)"


# wrappers


@fault("wrappers", "Mixed|frame")
class ReadsFormula(CityBlock):
    traits = replace(CityBlock.traits, triangle=False, power=None)

    def rows(self, frame):
        return (numbers(frame) * (2.0 if frame.formula.text.startswith("y") else 1.0),)


@fault("wrappers", "`rows` of 1 row gives")
class ArraysByFrame(CityBlock):
    def rows(self, frame):
        return (numbers(frame), *([np.zeros(len(frame))] if len(frame) > 1 else []))


@fault("wrappers", "Mixed")
class WholeNames(CityBlock):
    def rows(self, frame):
        if frame.formula.text != "y ~ .":
            raise pc.DataError("write the formula as 'y ~ .'")
        return (numbers(frame),)


# learning: what is declared


@fault("labels", "train_in_folds")
class SeesClasses(Range):
    def train(self, frame):
        X, y = numbers(frame), frame.codes
        within = X - np.array([X[y == c].mean(axis=0) for c in np.unique(y)])[np.unique(y, return_inverse=True)[1]]
        return PlantedSpan(self, within.std(axis=0) + 1.0)


@fault("labels", "train_in_folds")
class CountsClasses(Range):
    def train(self, frame):
        first = numbers(frame)[frame.codes == frame.codes.min()]
        return PlantedSpan(self, np.abs(first).max(axis=0) + 1.0)


@fault("labels", "held-out")
@dataclass(frozen=True)
class PretrainsOnClasses(Weighted):
    known: tuple = ()

    def pretrain(self, frame):
        X, y = numbers(frame), frame.codes
        return PretrainsOnClasses(tuple(np.abs(X[y == 0]).mean(axis=0).tolist()) if (y == 0).any() else ())

    def train(self, frame):
        return TrainedWeighted(self, np.array(self.known or np.ones(frame.design.shape[1])))


@fault("labels", "`pretrain` and then `train`")
@dataclass(frozen=True)
class ForgetsPretraining(Weighted):
    def pretrain(self, frame):
        return Doubled()

    def train(self, frame):
        return super().train(frame)


@dataclass(frozen=True)
class Doubled(Weighted):
    def train(self, frame):
        return TrainedWeighted(self, np.full(frame.design.shape[1], 2.0))


@fault("labels", "data_dependent")
class SaysNothing(Range):
    traits = replace(Range.traits, data_dependent=False)


# words that are declared


@fault("words", "write @property above it")
class AMethod(CityBlock):
    def traits(self):
        return CityBlock.traits


@fault("words", "True or False")
class AText(CityBlock):
    traits = replace(CityBlock.traits, slow="no")


@fault("words", "@property above it|must be a text")
class NameIsAMethod(CityBlock):
    def name(self):
        return "city block"


@fault("words", "must be a tuple of arrays|tuple of arrays")
class BareArray(CityBlock):
    def rows(self, frame):
        return numbers(frame)


@fault("words", "must return a TrainedMetric")
class ReturnsNothing(Range):
    def train(self, frame):
        super().train(frame)


@fault("words", "spec")
class SpecSecond(Range):
    def train(self, frame):
        return PlantedSpan(super().train(frame).span, self)


class TrainedPlain(pc.extend.TrainedMetric):
    span: np.ndarray


@fault("words", "@dataclass")
class NoDataclass(Range):
    def train(self, frame):
        return TrainedPlain(self, super().train(frame).span)


# missing values


@fault("missing", "missing values")
class SkipsNothing(CityBlock):
    traits = replace(CityBlock.traits, skips_missing=True)

    def rows(self, frame):
        return (np.ascontiguousarray(frame.columns.astype(float).to_numpy()),)


@fault("missing", "skips_missing is declared, and they are refused")
class CantRead(CityBlock):
    traits = replace(CityBlock.traits, skips_missing=True)


@fault("missing", "missing values")
class FillsByBatch(CityBlock):
    traits = replace(CityBlock.traits, skips_missing=True, row_by_row=False)

    def rows(self, frame):
        X = frame.columns.astype(float)
        return (np.ascontiguousarray(X.fillna(X.mean()).fillna(0.0).to_numpy()),)


# known to be missed


@fault("known", "")
class OnlyLongTables(CityBlock):
    def between(self, rows, candidates):
        return super().between(rows, candidates) * (2.0 if len(rows[0]) > 500 else 1.0)


@fault("known", "")
class OneScratch(CityBlock):
    scratch: ClassVar[dict] = {}

    def between(self, rows, candidates):
        shape = (len(rows[0]), len(candidates[0]))
        out = self.scratch.setdefault(shape, np.empty(shape))
        out[:] = super().between(rows, candidates)
        return out.copy()


@fault("known", "")
class CoarseNumbers(CityBlock):
    traits = replace(CityBlock.traits, power=None)

    def rows(self, frame):
        return (np.clip(np.round(numbers(frame)), -50, 50),)
