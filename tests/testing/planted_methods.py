"""Small methods with one fault each: `PLANTED` has the promise that each breaks, and words that name its cause."""

import random
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from small_methods import Balls, Linear, LinearRule, Medoid, Steps, StepsRule, Votes, VotesRule, criticisms, swap

import protoclass as pc
from protoclass.core.covers.certificate import objective
from protoclass.models.capabilities import Criticised

PLANTED = []


def planted(group, words, base=None):
    """Note a method with a fault, or a rule with one as that of a method."""

    def note(cls):
        kind = cls
        if base is not None:
            rule = cls
            if "plain" not in vars(cls):
                rule = pc.savable(name=f"planted {cls.__name__}")(dataclass(frozen=True)(cls))
            kind = type(f"{cls.__name__}Method", (base,), {"rule": rule, "__module__": __name__})
        else:
            cls = kind = dataclass(frozen=True)(cls)
        PLANTED.append((group, kind, words))
        return cls if base is None else rule

    return note


# a row alone


ALONE = "alone differs|alone ends|order of the rows"


@planted("alone", ALONE, Linear)
class Centred(LinearRule):
    def scores(self, query):
        X = query.coordinates()
        return (X - 0.1 * X.mean(axis=0)) @ self.slopes + self.offsets


@planted("alone", ALONE, Votes)
class Scaled(VotesRule):
    def votes(self, query):
        D = query.dissimilarities(self.prototypes)
        near = np.exp(-D / D.std()) * self.weight
        return np.stack([near[:, self.prototypes.classes == c].sum(axis=1) for c in range(self.classes)], axis=1)


@planted("alone", "alone", Linear)
class Squeezed(LinearRule):
    def scores(self, query):
        return np.squeeze(query.coordinates()) @ self.slopes + self.offsets


@planted("alone", ALONE, Linear)
class RememberedByNumber(LinearRule):
    def scores(self, query):
        known = self.report.setdefault("scores", {})
        if len(query) not in known:
            known[len(query)] = super().scores(query)
        return known[len(query)]


@planted("alone", ALONE, Linear)
class Balanced(LinearRule):
    """Half of the shares come from how often a class is predicted among the new rows."""

    kinds = ("class", "prob")

    def predict(self, kind, query):
        own = super().predict("prob", query)
        total = own * (0.5 + own.mean(axis=0))
        return total.argmax(axis=1) if kind == "class" else total / total.sum(axis=1, keepdims=True)


@planted("alone", ALONE, Linear)
class FirstRowDecides(LinearRule):
    def scores(self, query):
        values = super().scores(query)
        return values + 0.05 * values[:1]


# moved


MOVED = r"moved\(columns\)"


@planted("moved", MOVED, Votes)
class MovedNot(VotesRule):
    def moved(self, columns):
        return self


@planted("moved", MOVED, Votes)
class MovedBySum(VotesRule):
    def moved(self, columns):
        return replace(self, prototypes=replace(self.prototypes, at=self.prototypes.at + columns[0]))


@planted("moved", MOVED, Medoid)
class MovedWithoutClasses(pc.Nearest):
    def moved(self, columns):
        return replace(self, prototypes=pc.Points(np.sort(self.prototypes.classes)[::-1].copy(), at=columns[self.prototypes.at]))


@planted("moved", MOVED, Balls)
class MovedWithoutTable(pc.Nearest):
    def moved(self, columns):
        points = self.prototypes
        return replace(self, prototypes=pc.Points(points.classes, at=columns[points.at], radii=points.radii))


@planted("moved", MOVED, Balls)
class MovedWithoutRadii(pc.Nearest):
    def moved(self, columns):
        points = self.prototypes
        return replace(self, prototypes=pc.Points(points.classes, at=columns[points.at], table=points.table))


@planted("moved", MOVED, Votes)
class MovedInPlace(VotesRule):
    def moved(self, columns):
        self.prototypes.at[:] = columns[self.prototypes.at]
        return self


@planted("moved", MOVED)
class SecondColumns(Medoid):
    """The rule has further columns, by which it decides and which stay where they were."""

    def learn(self, task, power):
        rule = super().learn(task, power)
        return TwoColumns(rule.prototypes, rule.classes, rule.fallback, rule.report, rule.prototypes.at)


@pc.savable
@dataclass(frozen=True)
class TwoColumns(pc.Nearest):
    second: Any = None

    def distances(self, query):
        return query.dissimilarities(replace(self.prototypes, at=self.second))

    def closest(self, query):
        return self.distances(query).argmin(axis=1)


@dataclass(frozen=True)
class StayingPath(pc.RulePath):
    def moved(self, columns):
        return self


@planted("moved", MOVED)
class PathMovedNot(Medoid):
    def path(self, task, grid):
        return StayingPath(super().path(task, grid).rules)


# uneven classes, and classes without rows


WITHOUT = "of which the training rows have none|classes of 36"


@planted("uneven", WITHOUT)
class EqualClasses(Linear):
    def means(self, X, y, w, classes):
        few = np.bincount(y).min()
        return np.stack([X[y == c][:few].reshape(few, -1).mean(axis=0) for c in range(len(np.bincount(y)))])


@planted("uneven", "classes of 36")
class Reshaped(Linear):
    def means(self, X, y, w, classes):
        return X[np.argsort(y, kind="stable")].reshape(len(classes), -1, X.shape[1]).mean(axis=1)


@planted("uneven", WITHOUT)
class CodesOfWhatIsThere(Medoid):
    def learn(self, task, power):
        rule = super().learn(task, power)
        return replace(rule, prototypes=replace(rule.prototypes, classes=np.arange(len(rule.prototypes))))


@planted("uneven", WITHOUT)
class MedoidOfNoRows(Medoid):
    def learn(self, task, power):
        own, at = pc.own_candidates(task), []
        for c in range(task.classes):
            rows = np.flatnonzero((task.y == c) & (task.w > 0))
            at.append(own[rows[np.argmin(task.w[rows] @ task.D.take(rows, own[rows]) ** power)]])
        return pc.Nearest(pc.Points(np.arange(task.classes), at=np.array(at)), task.classes, 0, {"power": float(power)})


@planted("uneven", "fit without class .* weight 0|fit without class .* none")
class MeansOfNoRows(Linear):
    def learn(self, task, ridge):
        X, y, w = task.coordinates(), task.y, task.w
        means = np.stack([np.average(X[y == c], axis=0, weights=w[y == c]) for c in range(task.classes)])
        apart = X - means[y]
        slopes = np.linalg.solve((apart.T * w) @ apart / w.sum() + ridge * np.eye(X.shape[1]), means.T)
        offsets = np.log(np.bincount(y, w, task.classes) / w.sum()) - (means * slopes.T).sum(axis=1) / 2
        return LinearRule(pc.Points(np.arange(task.classes), coords=means), slopes, offsets)


@planted("uneven", "classes of 36.*LinAlgError")
class WithoutRidge(Linear):
    def learn(self, task, ridge):
        rule, X = super().learn(task, ridge), task.coordinates()
        np.linalg.inv(np.cov(X.T))
        return rule


@planted("uneven", WITHOUT)
class ZeroForNoRows(Linear):
    """A class without rows has the score 0, which may be the largest."""

    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return replace(rule, offsets=np.where(np.isfinite(rule.offsets), rule.offsets, 0.0))


@planted("uneven", "classes of 36")
class AsManyOfEach(Votes):
    """As many rows of each class vote as the first one has."""

    def learn(self, task, own, width):
        count = int((task.y == 0).sum())
        rows = np.array([np.flatnonzero(task.y == c)[i] for c in range(task.classes) for i in range(count)])
        return self.rule(pc.Points(task.y[rows], at=own[rows]), task.w[rows], width, task.classes)


# distances


@planted("distances", "predict\\('distance'\\) of class", Votes)
class Squares(VotesRule):
    def predict(self, kind, query):
        return super().predict(kind, query) ** (2 if kind == "distance" else 1)


@planted("distances", "predict\\('distance'\\) of class|least distance", Votes)
class MeanOfClass(VotesRule):
    def predict(self, kind, query):
        if kind != "distance":
            return super().predict(kind, query)
        D = query.dissimilarities(self.prototypes)
        return np.stack([D[:, self.prototypes.classes == c].mean(axis=1) for c in range(self.classes)], axis=1)


@planted("distances", "predict\\('nearest'\\)", Votes)
class Columns(VotesRule):
    def predict(self, kind, query):
        out = super().predict(kind, query)
        return self.prototypes.at[out][::1] // 2 if kind == "nearest" else out

    kinds = ("class", "prob", "nearest")


@planted("distances", "predict\\('nearest'\\)", Votes)
class SecondNearest(VotesRule):
    """Leaves out the row itself, where it is a prototype."""

    kinds = ("class", "prob", "nearest")

    def predict(self, kind, query):
        D = query.dissimilarities(self.prototypes)
        return np.where(D == 0, np.inf, D).argmin(axis=1) if kind == "nearest" else super().predict(kind, query)


@planted("distances", "own_distances", Medoid)
class DistancesOfItsOwn(pc.Nearest):
    def distances(self, query):
        return super().distances(query) * (1 + np.arange(len(self.prototypes)) / 10)

    def closest(self, query):
        return self.distances(query).argmin(axis=1)


@planted("distances", "predict\\('distance'\\) of class", Medoid)
class Rounded(pc.Nearest):
    def predict(self, kind, query):
        out = super().predict(kind, query)
        return np.round(out, 3) if kind == "distance" else out


@planted("distances", "has NaN|predict\\('distance'\\) of class", Votes)
class LargestOfClass(VotesRule):
    kinds = ("class", "prob", "distance")

    def predict(self, kind, query):
        if kind != "distance":
            return super().predict(kind, query)
        D = query.dissimilarities(self.prototypes)
        return np.stack([D[:, self.prototypes.classes == c].max(axis=1, initial=0) for c in range(self.classes)], axis=1)


# default grids


GRIDS = "default_grid"


def grid_of(values):
    return lambda self, parameter, task, smallest: values(task, smallest)


@planted("grid", f"{GRIDS}.*ascending")
class Descending(Votes):
    default_grid = grid_of(lambda task, smallest: np.array([1.0, 0.5, 0.1]))


@planted("grid", f"{GRIDS}.*more than once")
class Doubled(Votes):
    default_grid = grid_of(lambda task, smallest: np.array([0.1, 0.5, 0.5, 1.0]))


@planted("grid", f"{GRIDS}.*refuses|ends in")
class Zero(Votes):
    default_grid = grid_of(lambda task, smallest: np.array([0.0, 0.5, 1.0]))


@planted("grid", f"{GRIDS}.*NaN")
class NotANumber(Votes):
    default_grid = grid_of(lambda task, smallest: np.array([0.1, 0.5, np.nan]))


@planted("grid", f"{GRIDS}.*at least one value")
class NoValues(Votes):
    default_grid = grid_of(lambda task, smallest: np.empty(0))


@planted("grid", f"{GRIDS}.*'grid' is the default")
class NoDefaultGrid(Votes):
    default_grid = pc.Model.default_grid


@planted("grid", f"{GRIDS}.*ends in IndexError")
class GridOfThird(Votes):
    default_grid = grid_of(lambda task, smallest: 0.1 * np.arange(1, 4)[[1, 2, 3]])


@planted("grid", f"{GRIDS}.*(need|ends in|refuses)")
class MoreThanThereAre(Steps):
    """As many steps as the largest class has rows, which the smallest has not."""

    default_grid = grid_of(lambda task, smallest: np.array([3, int(np.bincount(task.y).max())]))

    def rows_needed(self, grid, held, levels):
        return np.full(len(held), int(pc.axis(grid, "count", self.count).max()) // 3)


# rows far away, and no rows


FAR = "1000 times|no rows at all"


@planted("far", f"({FAR}).*NaN", Linear)
class Overflows(LinearRule):
    def shares(self, values):
        with np.errstate(all="ignore"):
            powers = np.exp(values)
            return powers / powers.sum(axis=1, keepdims=True)


@planted("far", f"({FAR}).*(NaN|sum to 1)", Votes)
class VotesOfNone(VotesRule):
    def votes(self, query):
        near = np.exp(-query.dissimilarities(self.prototypes) / self.width) * self.weight
        return np.stack([near[:, self.prototypes.classes == c].sum(axis=1) for c in range(self.classes)], axis=1)

    def predict(self, kind, query):
        with np.errstate(all="ignore"):
            return super().predict(kind, query)


@planted("far", "at distance 0.*(NaN|sum to 1)", Votes)
class InverseDistances(VotesRule):
    def votes(self, query):
        with np.errstate(all="ignore"):
            near = self.weight / query.dissimilarities(self.prototypes)
        return np.stack([near[:, self.prototypes.classes == c].sum(axis=1) for c in range(self.classes)], axis=1)

    def predict(self, kind, query):
        with np.errstate(all="ignore"):
            return super().predict(kind, query)


@planted("far", "no rows at all ends in ValueError", Linear)
class LargestOfNone(LinearRule):
    def scores(self, query):
        values = super().scores(query)
        return values / max(1.0, np.abs(values).max() * 1e-300)


@planted("far", "no rows at all", Linear)
class RowByRow(LinearRule):
    def predict(self, kind, query):
        return np.array([super(RowByRow, self).predict(kind, query.take(slice(i, i + 1)))[0] for i in range(len(query))])


@planted("far", "no rows at all ends in ValueError", Medoid)
class Joined(pc.Nearest):
    def predict(self, kind, query):
        step = super().predict
        return np.concatenate([step(kind, query.take(slice(i, i + 40))) for i in range(0, len(query), 40)])


# weights


WEIGHTS = "weight"


@planted("weights", WEIGHTS)
class SharesOfCounts(Linear):
    def share(self, y, w, classes):
        return np.array([(y == c).sum() for c in classes]) / len(y)


@planted("weights", WEIGHTS)
class VotesOfAll(Votes):
    """Rows of weight 0 vote as well."""

    def learn(self, task, own, width):
        return self.rule(pc.Points(task.y, at=own), np.maximum(task.w, 1.0), width, task.classes)


@planted("weights", WEIGHTS)
class SquaredWeights(Votes):
    def learn(self, task, own, width):
        return super().learn(replace(task, w=task.w**2), own, width)


@planted("weights", WEIGHTS)
class OneOrNone(Votes):
    def learn(self, task, own, width):
        return super().learn(replace(task, w=np.minimum(task.w, 2.0)), own, width)


@planted("weights", WEIGHTS, Votes)
class VotesWithoutWeights(VotesRule):
    """The class counts the weights, and the shares do not, unless they would contradict it."""

    def predict(self, kind, query):
        if kind != "prob":
            return super().predict(kind, query)
        plain = replace(self, weight=np.ones(len(self.weight)))
        shares, codes = VotesRule.predict(plain, kind, query), self.predict("class", query)
        own = VotesRule.predict(self, kind, query)
        return np.where((shares.argmax(axis=1) == codes)[:, None], shares, own)


@planted("weights", WEIGHTS)
class MeansWithoutWeights(Linear):
    def means(self, X, y, w, classes):
        return np.stack([X[y == c].mean(axis=0) for c in classes])


# what a method writes, draws and keeps


WRITES = "writes into"
GLOBAL = "global generator"


@planted("side effects", f"{WRITES} task.D")
class FillsTheDiagonal(Medoid):
    def learn(self, task, power):
        D = task.D.array()
        np.fill_diagonal(D, 9.0)
        return super().learn(task, power)


@planted("side effects", f"{WRITES} task.coordinates")
class CentresInPlace(Linear):
    def learn(self, task, ridge):
        X = task.coordinates()
        X -= X.mean(axis=0)
        X += 0.5
        return super().learn(task, ridge)


@planted("side effects", f"{WRITES} task.w")
class NormsInPlace(Votes):
    def learn(self, task, own, width):
        np.divide(task.w, task.w.sum(), out=task.w)
        return super().learn(task, own, width)


@planted("side effects", f"{WRITES} task.y")
class SortsInPlace(Steps):
    def path(self, task, grid):
        path = super().path(task, grid)
        task.y.sort()
        return path


@planted("side effects", f"{WRITES} `fold`")
class WritesIntoFolds(Medoid):
    def paths(self, task, fold, folds, grid):
        for f in range(folds):
            part, columns = task.keep(fold != f, f)
            yield f, self.path(part, grid).moved(columns)
        fold[:] = 0


@planted("side effects", f"{WRITES} query.dissimilarities", Votes)
class RootsInPlace(VotesRule):
    def predict(self, kind, query):
        D = query.dissimilarities(self.prototypes)
        if kind == "class":
            np.sqrt(D, out=D)
        return super().predict(kind, query)


@planted("side effects", f"{WRITES} query.coordinates", Linear)
class ScalesInPlace(LinearRule):
    def scores(self, query):
        X = query.coordinates()
        X *= 1.001
        return X @ self.slopes + self.offsets


@planted("side effects", f"path.*{GLOBAL} np.random")
class Seeds(Linear):
    def learn(self, task, ridge):
        np.random.seed(0)
        return super().learn(task, ridge)


@planted("side effects", f"path.*{GLOBAL} np.random")
class Shuffles(Medoid):
    def learn(self, task, power):
        np.random.permutation(len(task.y))
        return super().learn(task, power)


@planted("side effects", f"predict.*{GLOBAL} np.random", Votes)
class BreaksTiesAtRandom(VotesRule):
    def votes(self, query):
        return super().votes(query) + 1e-9 * np.random.random((len(query), self.classes))


@planted("side effects", f"predict.*{GLOBAL} of the module random", Medoid)
class PythonDraws(pc.Nearest):
    def closest(self, query):
        at = super().closest(query)
        return at if random.random() < 2 else at[::-1]


@planted("side effects", "second time", Votes)
class DrawsInPredict(VotesRule):
    def votes(self, query):
        return super().votes(query) + 0.1 * np.random.default_rng().random((len(query), self.classes))


@planted("side effects", "same seed gives another rule")
class DrawsInPath(Votes):
    def learn(self, task, own, width):
        w = task.w * np.random.default_rng().uniform(0.5, 2, len(task.w))
        return super().learn(replace(task, w=w), own, width)


# state


STATE = "keep"
KNOWN: dict[str, Any] = {}


@planted("state", STATE, Linear)
class OfTheModule(LinearRule):
    """Reads slopes that the last fit has left in the module."""

    def scores(self, query):
        return query.coordinates() @ KNOWN["slopes"] + self.offsets


OfTheModuleMethod = PLANTED[-1][1]


def _learn_into_module(self, task, ridge):
    rule = Linear.learn(self, task, ridge)
    KNOWN["slopes"] = rule.slopes
    return rule


OfTheModuleMethod.learn = _learn_into_module


@planted("state", STATE)
class OfTheClass(Votes):
    """Keeps weights in the class of the rule."""

    def learn(self, task, own, width):
        rule = super().learn(task, own, width)
        SharedWidth.shared = float(task.D.array().mean())
        return SharedWidth(rule.prototypes, rule.weight, width, task.classes)


@pc.savable
@dataclass(frozen=True)
class SharedWidth(VotesRule):
    shared: ClassVar[float] = 1.0

    def votes(self, query):
        return replace(VotesRule(self.prototypes, self.weight, self.width, self.classes), width=self.width * self.shared).votes(query)


@planted("state", "same shape|keep")
class CachedByShape(Linear):
    rules: ClassVar[dict] = {}

    def learn(self, task, ridge):
        key = (task.coordinates().shape, float(ridge))
        if key not in self.rules:
            self.rules[key] = super().learn(task, ridge)
        return self.rules[key]


@planted("state", "same shape|keep")
class CachedOnModel(Medoid):
    def learn(self, task, power):
        if not hasattr(self, "known"):
            object.__setattr__(self, "known", super().learn(task, power))
        return self.known if len(task.y) == 96 else super().learn(task, power)


FIRST_SEEN: dict[Any, Any] = {}


@planted("state", "same shape|keep")
class RemembersClasses(Votes):
    def learn(self, task, own, width):
        y = FIRST_SEEN.setdefault(len(task.y), task.y.copy())
        return super().learn(replace(task, y=y), own, width)


# fields, pickles and files


@planted("files", "pc.savable", Linear)
class NotSavable(LinearRule):
    plain = True


@planted("files", "not a dataclass")
class PlainClass(Medoid):
    def learn(self, task, power):
        return PlainRule(super().learn(task, power))


class PlainRule:
    def __init__(self, rule):
        self.rule = rule

    kinds: ClassVar[tuple[str, ...]] = ("class",)
    prototypes = property(lambda self: self.rule.prototypes)
    size = property(lambda self: self.rule.size)
    report = property(lambda self: self.rule.report)

    def predict(self, kind, query):
        return self.rule.predict(kind, query)

    def moved(self, columns):
        return PlainRule(self.rule.moved(columns))


@planted("files", "beyond its fields|made again from its fields")
class BesideItsFields(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        other = Beside(rule.prototypes, rule.slopes, rule.offsets)
        object.__setattr__(other, "shift", 0.5 * task.coordinates().mean(axis=0))
        return other


@pc.savable
@dataclass(frozen=True)
class Beside(LinearRule):
    def scores(self, query):
        return (query.coordinates() - getattr(self, "shift", 0.0)) @ self.slopes + self.offsets


@planted("files", "can't be pickled|can't be saved")
class HoldsAFunction(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return WithFunction(rule.prototypes, rule.slopes, rule.offsets, {}, lambda x: x)


@pc.savable
@dataclass(frozen=True)
class WithFunction(LinearRule):
    change: Any = None


@planted("files", "can't be saved")
class HoldsASet(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return WithFunction(rule.prototypes, rule.slopes, rule.offsets, {}, {1, 2})


@planted("files", "beyond its fields|made again|other parameters|otherwise|saved")
class RoundsAtFirst(Linear):
    """A field that the rule changes when it is made, so that one made again from it is another."""

    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return Shrinks(rule.prototypes, rule.slopes, rule.offsets)


@pc.savable
@dataclass(frozen=True)
class Shrinks(LinearRule):
    def __post_init__(self):
        object.__setattr__(self, "slopes", self.slopes * 0.9)


# balls, objectives and steps


@planted("balls", "predict\\('cover'\\)", Balls)
class CoverOfNearest(pc.Nearest):
    def cover(self, query):
        return self.prototypes.classes[self.closest(query)]


@planted("balls", "predict\\('cover'\\)", Balls)
class CoverOfAny(pc.Nearest):
    def cover(self, query):
        inside = self.prototypes.radii > query.dissimilarities(self.prototypes)
        return np.where(inside.any(axis=1), self.prototypes.classes[inside.argmax(axis=1)], -1)


@planted("balls", "predict\\('cover'\\)")
class HalfRadii(Balls):
    """What the rule calls radii is half of them."""

    def learn(self, task, D, eps, lambda_):
        rule = super().learn(task, D, eps, lambda_)
        return Halved(rule.prototypes, rule.classes, rule.fallback, rule.report)


@pc.savable
@dataclass(frozen=True)
class Halved(pc.Nearest):
    def cover(self, query):
        inside = 2 * self.prototypes.radii > query.dissimilarities(self.prototypes)
        by = np.stack([inside[:, self.prototypes.classes == c].any(axis=1) for c in range(self.classes)], axis=1)
        return np.where(by.sum(axis=1) == 1, by.argmax(axis=1), -1)


@planted("balls", "covers of prototype")
class CoversCountedTwice(Balls):
    def covers(self, inside, classes, y, w):
        return w @ (inside & (y[:, None] == classes))


@planted("balls", "miscovers of prototype")
class MiscoversOfAll(Balls):
    def miscovers(self, inside, classes, y, w):
        return w @ inside


@planted("balls", "objective.*loss|objective counts")
class ObjectiveWithoutCosts(Balls):
    def report(self, inside, classes, y, w, eps, lambda_):
        return super().report(inside, classes, y, w, eps, 0.0)


@planted("balls", "objective.*loss")
class LossWithoutCosts(Balls):
    def loss(self, task, prototypes):
        D = task.D.take(np.arange(len(task.y)), prototypes.at)
        return objective(self.eps > D, prototypes.classes, task.y, task.w, 0.0).value


@planted("balls", "objective.*loss|objective counts")
class ObjectiveOfClosedBalls(Balls):
    def report(self, inside, classes, y, w, eps, lambda_):
        report = super().report(inside, classes, y, w, eps, lambda_)
        return {**report, "objective": replace(report["objective"], uncovered=report["objective"].uncovered + 1.0)}


def swap_and_forget(learned, task, place, candidate):
    rule = swap(learned, task, place, candidate)
    return replace(rule, report={**rule.report, "objective": learned.rule.report["objective"]})


def swap_another(learned, task, place, candidate):
    return swap(learned, task, place, (candidate + 3) % len(task.y))


def kindest(learned, task, n, seconds):
    found = criticisms(learned, task, len(task.y), seconds)
    return Criticised(found.rows[::-1][:n], found.score[::-1][:n], found.name, found.meaning)


def same_row(learned, task, n, seconds):
    found = criticisms(learned, task, n, seconds)
    return replace(found, rows=np.repeat(found.rows[:1], n), score=np.repeat(found.score[:1], n))


@planted("balls", "after a swap")
class SwapKeepsObjective(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, swap=swap_and_forget)


@planted("balls", "swap")
class SwapsAnother(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, swap=swap_another)


@planted("balls", "worst row first")
class KindestFirst(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, criticisms=kindest)


@planted("balls", "different rows")
class OneCriticism(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, criticisms=same_row)


@planted("balls", "declare can.objective")
class ObjectiveUndeclared(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, objective=False, swap=None)


@planted("balls", "report's 'objective' is a float")
class ObjectiveIsANumber(Balls):
    def report(self, inside, classes, y, w, eps, lambda_):
        report = super().report(inside, classes, y, w, eps, lambda_)
        return {**report, "objective": report["objective"].value}


@planted("steps", "not a prefix", Steps)
class LastSteps(StepsRule):
    def first(self, size):
        keep = slice(len(self.prototypes) - size, None) if size else slice(0, 0)
        points = pc.Points(self.prototypes.classes[keep], at=self.prototypes.at[keep])
        return replace(self, prototypes=points, lost=self.lost[: size + 1])


@planted("steps", "not a prefix|all steps|column 'size' of steps", Steps)
class OneStepFewer(StepsRule):
    def first(self, size):
        return super().first(max(0, size - 1))


@planted("steps", "prefix|otherwise than step|last step of walk", Steps)
class WalksBackwards(StepsRule):
    def walk(self, query):
        return reversed(list(super().walk(query)))


@planted("steps", "size of the rule", Steps)
class SizeOfNothing(StepsRule):
    @property
    def size(self):
        return float("nan")


@planted("steps", "size of the rule", Votes)
class NegativeSize(VotesRule):
    @property
    def size(self):
        return -1.0 / self.width


@planted("steps", "size of the rule", Linear)
class EndlessSize(LinearRule):
    @property
    def size(self):
        return np.inf


# SQL


@planted("sql", "in SQL", Medoid)
class TwoPrototypesInSQL(pc.Nearest):
    def sql(self, statement):
        two = pc.Points(self.prototypes.classes[:2], at=self.prototypes.at[:2])
        return statement.nearest(two, np.arange(2))


@planted("sql", "in SQL", Linear)
class TruncatedSQL(LinearRule):
    why_not_sql: ClassVar[str] = ""

    def sql(self, statement):
        columns = range(len(self.slopes))
        return statement.most({
            c: " + ".join(f"{statement.column(j)} * {statement.number(round(float(self.slopes[j, c])))}" for j in columns)
            for c in range(len(self.offsets))
        })  # fmt: skip


@planted("sql", "SQLite can't run", Linear)
class BrokenSQL(LinearRule):
    why_not_sql: ClassVar[str] = ""

    def sql(self, statement):
        return statement.most({c: f"{statement.column(0)} ** 2 ** {c}" for c in range(len(self.offsets))})


@planted("sql", "in SQL", Votes)
class VotesOfOneInSQL(VotesRule):
    why_not_sql: ClassVar[str] = ""

    def sql(self, statement):
        return statement.votes(self.prototypes, 45, self.weight)


@planted("sql", "`sql` of the rule ends in KeyError", Linear)
class UnknownInSQL(LinearRule):
    why_not_sql: ClassVar[str] = ""

    def sql(self, statement):
        return {}["the statement"]


# examples and structure


@planted("examples", "whose rules are the same")
class SameRules(Medoid):
    example: ClassVar[dict[str, Any]] = {"power": (1.0, 1.0000001)}


@planted("examples", "one value of")
class OneValue(Votes):
    example: ClassVar[dict[str, Any]] = {"width": (0.5,)}


@planted("examples", "whose rules are the same")
class IgnoresParameter(Linear):
    def learn(self, task, ridge):
        return super().learn(task, 0.1)


@planted("examples", "last varying fastest")
class WrongOrder(Balls):
    def path(self, task, grid):
        rules = super().path(task, grid).rules
        return pc.RulePath(rules if len(grid) < 2 else (rules[0], rules[2], rules[1], rules[3]))


@planted("structure", "must be pc.Points")
class PrototypesInADict(Medoid):
    def learn(self, task, power):
        rule = super().learn(task, power)
        return replace(rule, prototypes={"at": rule.prototypes.at})


@planted("structure", "covers must be an array|a list")
class ListInTable(Medoid):
    def learn(self, task, power):
        rule = super().learn(task, power)
        return replace(rule, prototypes=replace(rule.prototypes, table={"covers": [1] * len(rule.prototypes)}))


@planted("structure", "report of the rule must be a mapping")
class ReportIsAList(Medoid):
    def learn(self, task, power):
        return replace(super().learn(task, power), report=["power"])


@planted("structure", "whole numbers", Linear)
class FloatCodes(LinearRule):
    def predict(self, kind, query):
        out = super().predict(kind, query)
        return out.astype(float) if kind == "class" else out


@planted("structure", "largest 'prob'", Linear)
class SmallestShare(LinearRule):
    def shares(self, values):
        return super().shares(-values)


# further faults, in places where a method is asked for less often


@planted("alone", "alone|order of the rows|of new rows ends in IndexError", Linear)
class RemembersTrainingRows(LinearRule):
    """Takes new rows for those of the fit, by their positions."""

    def scores(self, query):
        values = super().scores(query)
        return values * (1 + 0.5 * (query.rows % 2)[:, None])


@planted("alone", "alone|order of the rows|shape", Votes)
class DropsTheRest(VotesRule):
    """Works in blocks of 10 rows and leaves out those that are over."""

    def votes(self, query):
        whole = [query.take(slice(i, i + 10)) for i in range(0, len(query) // 10 * 10, 10)]
        return np.concatenate([super(DropsTheRest, self).votes(q) for q in whole]) if whole else np.empty((0, self.classes))


@planted("alone", "alone", Linear)
class SingleIsCoarse(LinearRule):
    def scores(self, query):
        values = super().scores(query)
        return values.astype(np.float16).astype(float) if len(query) == 1 else values


@planted("moved", r"moved\(columns\).*writes into `columns`|moved\(columns\)", Votes)
class WritesIntoColumns(VotesRule):
    def moved(self, columns):
        columns += 0
        out = replace(self, prototypes=self.prototypes.moved(columns))
        columns[:] = columns[::-1]
        return out


@planted("distances", "predict\\('distance'\\) of class 0, without class 0", Votes)
class LargeForNoRows(VotesRule):
    def predict(self, kind, query):
        out = super().predict(kind, query)
        return np.where(np.isinf(out), 1e6, out) if kind == "distance" else out


@planted("known", "")
class SharesOfTheLargest(Linear):
    """Takes the first class for the largest."""

    def share(self, y, w, classes):
        share = super().share(y, w, classes)
        return np.sort(share)[::-1]


@planted("side effects", "writes into grid")
class ScalesTheGrid(Votes):
    def path(self, task, grid):
        if "width" in grid:
            grid["width"][:] = grid["width"] * 2
        return super().path(task, grid)


@planted("side effects", "writes into the rows as the metric has them|writes into")
class LossInPlace(Steps):
    def loss(self, task, prototypes):
        X = task.coordinates()
        X *= 0.5
        D = task.D.take(np.arange(len(task.y)), prototypes.at)
        own = np.where(task.y[:, None] == prototypes.classes, D, np.inf).min(axis=1)
        return float(task.w @ own)


@planted("side effects", "default grid calls draws from the global generator np.random")
class GridDraws(Votes):
    default_grid = grid_of(lambda task, smallest: np.sort(np.random.random(3)) + 0.1)


def criticise_at_random(learned, task, n, seconds):
    np.random.random()
    return criticisms(learned, task, n, seconds)


@planted("side effects", "draws from the global generator np.random")
class CriticismsDraw(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, criticisms=criticise_at_random)


@planted("side effects", "second time", Linear)
class DriftsWithUse(LinearRule):
    def scores(self, query):
        values = super().scores(query)
        self.offsets[:] += 0.01 * np.arange(len(self.offsets))
        return values


@planted("state", "same seed gives another rule|keep")
class CountsItsFits(Medoid):
    fits: ClassVar[list] = []

    def learn(self, task, power):
        self.fits.append(1)
        rule = super().learn(task, power)
        return replace(rule, prototypes=rule.prototypes if len(self.fits) % 2 else replace(
            rule.prototypes, at=(rule.prototypes.at + 3) % len(task.y)))  # fmt: skip


@planted("folds", "rule of fold . as that of fold")
class FoldsMixedUp(Linear):
    def paths(self, task, fold, folds, grid):
        for f, path in super().paths(task, fold, folds, grid):
            yield (f + 1) % folds, path


@planted("folds", "must yield")
class LastFoldIsLost(Linear):
    def paths(self, task, fold, folds, grid):
        yield from list(super().paths(task, fold, folds, grid))[: max(1, folds - 1)]


@planted("folds", "held out|holds out")
class MeanOfAllFolds(Linear):
    def paths(self, task, fold, folds, grid):
        centre = task.coordinates().mean(axis=0)
        for f, path in super().paths(task, fold, folds, grid):
            rule = path.at(0)
            yield f, pc.RulePath(tuple(replace(r, offsets=r.offsets + 0.01 * centre[0]) for r in path.rules) if rule else ())


@planted("balls", "covers of prototype . with weights")
class CoversWithoutWeights(Balls):
    def covers(self, inside, classes, y, w):
        return super().covers(inside, classes, y, np.ones(len(y)))


@planted("balls", "objective.* with weights")
class ObjectiveWithoutWeights(Balls):
    def report(self, inside, classes, y, w, eps, lambda_):
        return super().report(inside, classes, y, np.ones(len(y)), eps, lambda_)


def swap_with_old_table(learned, task, place, candidate):
    rule = swap(learned, task, place, candidate)
    return replace(rule, prototypes=replace(rule.prototypes, table=learned.rule.prototypes.table))


@planted("balls", "after a swap")
class SwapKeepsTheTable(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, swap=swap_with_old_table)


def best_left_out(learned, task, n, seconds):
    found = criticisms(learned, task, n + 1, seconds)
    return replace(found, rows=found.rows[1:], score=found.score[1:]) if n < len(task.y) else criticisms(learned, task, n, seconds)


@planted("balls", "leaves out the worst row")
class WorstLeftOut(Balls):
    can: ClassVar[pc.Capabilities] = replace(Balls.can, criticisms=best_left_out)


@planted("steps", "column 'size' of steps", Steps)
class SizeOfAllSteps(StepsRule):
    count: Any = None

    @property
    def steps(self):
        return {"size": np.arange(len(self.lost), dtype=float)[::-1], "objective": np.array(self.lost)}


@planted("files", "can't be saved and loaded|can't be saved")
class WrongShapes(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return Misshapen(rule.prototypes, rule.slopes, rule.offsets)


@pc.savable(name="planted Misshapen", slopes="p p")
@dataclass(frozen=True)
class Misshapen(LinearRule):
    pass


@planted("files", "can't be pickled|can't be saved|saved")
class HoldsAGenerator(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return WithFunction(rule.prototypes, rule.slopes, rule.offsets, {}, np.random.default_rng(0))


@planted("far", "1000 times.*ends in IndexError", Linear)
class LooksUpBins(LinearRule):
    def scores(self, query):
        X = query.coordinates()
        edges = np.linspace(-9, 9, 400)
        near = edges[np.floor((X + 9) / 18 * 399).astype(int)] if len(X) else X
        return (0.999 * X + 0.001 * near) @ self.slopes + self.offsets


@planted("known", "", Linear)
class WrapsAround(LinearRule):
    """Far coordinates run over the largest 16-bit number, so that a far row gets any class."""

    def scores(self, query):
        X = (query.coordinates() * 100).astype(np.int16) / 100
        return X @ self.slopes + self.offsets


@planted("sql", "in SQL", Votes)
class NearestInSQL(VotesRule):
    """SQL has the nearest prototype alone, which is right for a narrow width."""

    why_not_sql: ClassVar[str] = ""

    def sql(self, statement):
        return statement.nearest(self.prototypes, np.arange(len(self.prototypes)))


@planted("grid", "has values that need|refuses|ends in")
class GridOfAllRows(Steps):
    """Values up to the number of all rows of the smallest class, and not of its training rows."""

    default_grid = grid_of(lambda task, smallest: np.array([3, int(np.bincount(task.y).min())]))

    def path(self, task, grid):
        most = pc.axis(grid, "count", self.count).max()
        if most > max(6, np.bincount(task.y).min()):
            raise pc.DataError("there are too few rows")
        return super().path(task, grid)


@planted("grid", "default_grid.*integral|refuses|ends in")
class FractionsForCounts(Steps):
    default_grid = grid_of(lambda task, smallest: np.array([2.5, 3.5]))


@planted("weights", "weight")
class CountsOfRows(Medoid):
    """A medoid of the rows, whatever their weights, unless a weight is large."""

    def learn(self, task, power):
        return super().learn(replace(task, w=np.where(task.w > 100, task.w, np.sign(task.w))), power)


@planted("examples", "whose rules are the same")
class EqualAxis(Balls):
    example: ClassVar[dict[str, Any]] = {"eps": (0.8, 1.3), "lambda_": (0.5, 0.5000001)}


@planted("structure", "without `at`")
class PathIsATuple(Medoid):
    def path(self, task, grid):
        return super().path(task, grid).rules


@planted("structure", "ends in AttributeError: 'dict' object|must be pc.Points")
class RuleIsADict(Medoid):
    def learn(self, task, power):
        return {"prototypes": super().learn(task, power).prototypes}


@planted("balls", "objective.*loss")
class WrongLossOfPVM(pc.PVM):
    """A method with alternatives, which would find an optimum above the objective."""

    def loss(self, task, prototypes):
        return 1.1 * super().loss(task, prototypes)


@planted("balls", "covers of prototype")
class ShiftedGainsOfPVM(pc.PVM):
    def path(self, task, grid):
        path = super().path(task, grid)
        return pc.RulePath(tuple(shifted(path.at(g)) for g in range(len(path.size))))


def shifted(rule):
    table = rule.prototypes.table
    if len(rule.prototypes) < 2:
        return rule
    return replace(rule, prototypes=replace(rule.prototypes, table={**table, "covers": np.roll(table["covers"], 1)}))
