"""Small methods with one fault each in what they predict: of rows alone, among more candidates, without a class, far away."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from planting import planted
from small_methods import Balls, Linear, LinearRule, Medoid, Steps, Votes, VotesRule

import protoclass as pc

# a row alone


ALONE = "alone predicts|alone ends|order of the rows"


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
class MovedWithoutClasses(pc.extend.Nearest):
    def moved(self, columns):
        return replace(self, prototypes=pc.extend.Points(np.sort(self.prototypes.classes)[::-1].copy(), at=columns[self.prototypes.at]))


@planted("moved", MOVED, Balls)
class MovedWithoutTable(pc.extend.Nearest):
    def moved(self, columns):
        points = self.prototypes
        return replace(self, prototypes=pc.extend.Points(points.classes, at=columns[points.at], radii=points.radii))


@planted("moved", MOVED, Balls)
class MovedWithoutRadii(pc.extend.Nearest):
    def moved(self, columns):
        points = self.prototypes
        return replace(self, prototypes=pc.extend.Points(points.classes, at=columns[points.at], table=points.table))


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


@pc.extend.savable
@dataclass(frozen=True)
class TwoColumns(pc.extend.Nearest):
    second: Any = None

    def distances(self, query):
        return query.dissimilarities(replace(self.prototypes, at=self.second))

    def closest(self, query):
        return self.distances(query).argmin(axis=1)


@dataclass(frozen=True)
class StayingPath(pc.extend.RulePath):
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
        own, at = pc.extend.own_candidates(task), []
        for c in range(task.classes):
            rows = np.flatnonzero((task.y == c) & (task.w > 0))
            at.append(own[rows[np.argmin(task.w[rows] @ task.D.take(rows, own[rows]) ** power)]])
        return pc.extend.Nearest(pc.extend.Points(np.arange(task.classes), at=np.array(at)), task.classes, 0, {"power": float(power)})


@planted("uneven", "fit without class .* weight 0|fit without class .* none")
class MeansOfNoRows(Linear):
    def learn(self, task, ridge):
        X, y, w = task.coordinates(), task.y, task.w
        means = np.stack([np.average(X[y == c], axis=0, weights=w[y == c]) for c in range(task.classes)])
        apart = X - means[y]
        slopes = np.linalg.solve((apart.T * w) @ apart / w.sum() + ridge * np.eye(X.shape[1]), means.T)
        offsets = np.log(np.bincount(y, w, task.classes) / w.sum()) - (means * slopes.T).sum(axis=1) / 2
        return LinearRule(pc.extend.Points(np.arange(task.classes), coords=means), slopes, offsets)


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
        return self.rule(pc.extend.Points(task.y[rows], at=own[rows]), task.w[rows], width, task.classes)


# distances


@planted("distances", "predict\\('distance'\\) of class", Votes)
class Squares(VotesRule):
    def predict(self, kind, query):
        return super().predict(kind, query) ** (2 if kind == "distance" else 1)


@planted("distances", "predict\\('distance'\\) of class|lowest distance", Votes)
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
class DistancesOfItsOwn(pc.extend.Nearest):
    def distances(self, query):
        return super().distances(query) * (1 + np.arange(len(self.prototypes)) / 10)

    def closest(self, query):
        return self.distances(query).argmin(axis=1)


@planted("distances", "predict\\('distance'\\) of class", Medoid)
class Rounded(pc.extend.Nearest):
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
        return np.full(len(held), int(pc.extend.axis(grid, "count", self.count).max()) // 3)


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
class Joined(pc.extend.Nearest):
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
        return self.rule(pc.extend.Points(task.y, at=own), np.maximum(task.w, 1.0), width, task.classes)


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
