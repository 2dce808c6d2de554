"""Small methods with one fault each: `PLANTED` has them with words of the message that names the cause."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from small_methods import Balls, Linear, LinearRule, Medoid, Steps, StepsRule, Votes, VotesRule

import protoclass as pc
from protoclass.core.setcover.problems import objective
from protoclass.models.base import Criticised

PLANTED = []


def planted(words, base=None):
    """Note a method with a fault, or a rule with one as that of a method."""

    def note(cls):
        rule = cls
        if base is None:
            kind = rule = dataclass(frozen=True)(cls)
        else:
            if "plain" not in vars(cls):
                rule = pc.extend.savable(name=f"planted {cls.__name__}")(dataclass(frozen=True)(cls))
            kind = type(f"{cls.__name__}Method", (base,), {"rule": rule, "__module__": cls.__module__})
        PLANTED.append((kind, words))
        return rule

    return note


# a row alone


@planted("alone predicts|alone ends|order of the rows", Linear)
class Centred(LinearRule):
    def scores(self, query):
        X = query.coordinates()
        return (X - 0.1 * X.mean(axis=0)) @ self.slopes + self.offsets


# moved


@planted(r"moved\(columns\)", Votes)
class MovedNot(VotesRule):
    def moved(self, columns):
        return self


@dataclass(frozen=True)
class StayingPath(pc.extend.RulePath):
    def moved(self, columns):
        return self


@planted(r"moved\(columns\)")
class PathMovedNot(Medoid):
    def path(self, task, grid):
        return StayingPath(super().path(task, grid).rules)


# uneven classes, and classes without rows


@planted("of which the training rows have none|classes of 36")
class CodesOfWhatIsThere(Medoid):
    def learn(self, task, power):
        rule = super().learn(task, power)
        return replace(rule, prototypes=replace(rule.prototypes, classes=np.arange(len(rule.prototypes))))


@planted("fit without class .* weight 0|fit without class .* none")
class MeansOfNoRows(Linear):
    def learn(self, task, ridge):
        X, y, w = task.coordinates(), task.y, task.w
        means = np.stack([np.average(X[y == c], axis=0, weights=w[y == c]) for c in range(task.classes)])
        apart = X - means[y]
        slopes = np.linalg.solve((apart.T * w) @ apart / w.sum() + ridge * np.eye(X.shape[1]), means.T)
        offsets = np.log(np.bincount(y, w, task.classes) / w.sum()) - (means * slopes.T).sum(axis=1) / 2
        return LinearRule(pc.extend.Points(np.arange(task.classes), coords=means), slopes, offsets)


# distances


@planted("predict\\('distance'\\) of class", Votes)
class Squares(VotesRule):
    def predict(self, kind, query):
        return super().predict(kind, query) ** (2 if kind == "distance" else 1)


@planted("own_distances", Medoid)
class DistancesOfItsOwn(pc.extend.Nearest):
    def distances(self, query):
        return super().distances(query) * (1 + np.arange(len(self.prototypes)) / 10)

    def closest(self, query):
        return self.distances(query).argmin(axis=1)


# default grids


def grid_of(values):
    return lambda self, parameter, task, smallest: values(task, smallest)


@planted("default_grid.*ascending")
class Descending(Votes):
    default_grid = grid_of(lambda task, smallest: np.array([1.0, 0.5, 0.1]))


@planted("default_grid.*ends in IndexError")
class GridOfThird(Votes):
    default_grid = grid_of(lambda task, smallest: 0.1 * np.arange(1, 4)[[1, 2, 3]])


# rows far away, and no rows


@planted("(1000 times|no rows at all).*NaN", Linear)
class Overflows(LinearRule):
    def shares(self, values):
        with np.errstate(all="ignore"):
            powers = np.exp(values)
            return powers / powers.sum(axis=1, keepdims=True)


@planted("at distance 0.*(NaN|sum to 1)", Votes)
class InverseDistances(VotesRule):
    def votes(self, query):
        with np.errstate(all="ignore"):
            near = self.weight / query.dissimilarities(self.prototypes)
        return np.stack([near[:, self.prototypes.classes == c].sum(axis=1) for c in range(self.classes)], axis=1)

    def predict(self, kind, query):
        with np.errstate(all="ignore"):
            return super().predict(kind, query)


# weights


@planted("weight")
class VotesOfAll(Votes):
    """Rows of weight 0 vote as well."""

    def learn(self, task, own, width):
        return self.rule(pc.extend.Points(task.y, at=own), np.maximum(task.w, 1.0), width, task.classes)


# what a method writes, draws and keeps


@planted("writes into task.D")
class FillsTheDiagonal(Medoid):
    def learn(self, task, power):
        D = task.D.array()
        np.fill_diagonal(D, 9.0)
        return super().learn(task, power)


@planted("writes into task.coordinates")
class CentresInPlace(Linear):
    def learn(self, task, ridge):
        X = task.coordinates()
        X -= X.mean(axis=0)
        X += 0.5
        return super().learn(task, ridge)


@planted("path.*global generator np.random")
class Shuffles(Medoid):
    def learn(self, task, power):
        np.random.permutation(len(task.y))
        return super().learn(task, power)


@planted("second time", Votes)
class DrawsInPredict(VotesRule):
    def votes(self, query):
        return super().votes(query) + 0.1 * np.random.default_rng().random((len(query), self.classes))


# state


@planted("store what is learned in fields of the rule")
class OfTheClass(Votes):
    """Keeps weights in the class of the rule."""

    def learn(self, task, own, width):
        rule = super().learn(task, own, width)
        SharedWidth.shared = float(task.D.array().mean())
        return SharedWidth(rule.prototypes, rule.weight, width, task.classes)


@pc.extend.savable
@dataclass(frozen=True)
class SharedWidth(VotesRule):
    shared: ClassVar[float] = 1.0

    def votes(self, query):
        return replace(VotesRule(self.prototypes, self.weight, self.width, self.classes), width=self.width * self.shared).votes(query)


# fields, pickles and files


@planted("pc.extend.savable", Linear)
class NotSavable(LinearRule):
    plain = True


@planted("more than its fields|copy made from them")
class BesideItsFields(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        other = Beside(rule.prototypes, rule.slopes, rule.offsets)
        object.__setattr__(other, "shift", 0.5 * task.coordinates().mean(axis=0))
        return other


@pc.extend.savable
@dataclass(frozen=True)
class Beside(LinearRule):
    def scores(self, query):
        return (query.coordinates() - getattr(self, "shift", 0.0)) @ self.slopes + self.offsets


@planted("can't be pickled|can't be saved")
class HoldsAFunction(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return WithFunction(rule.prototypes, rule.slopes, rule.offsets, {}, lambda x: x)


@pc.extend.savable
@dataclass(frozen=True)
class WithFunction(LinearRule):
    change: Any = None


# balls, objectives and steps


@planted("predict\\('cover'\\)", Balls)
class CoverOfNearest(pc.extend.Nearest):
    def cover(self, query):
        return self.prototypes.classes[self.closest(query)]


@planted("newly_covered of prototype")
class CoversCountedTwice(Balls):
    def covers(self, inside, classes, y, w):
        return w @ (inside & (y[:, None] == classes))


@planted("objective.*loss")
class LossWithoutCosts(Balls):
    def loss(self, task, prototypes):
        D = task.D.take(np.arange(len(task.y)), prototypes.at)
        return objective(self.eps > D, prototypes.classes, task.y, task.w, 0.0).value


@planted("after a swap")
class SwapKeepsObjective(Balls):
    def swap(self, learned, task, place, candidate):
        rule = super().swap(learned, task, place, candidate)
        return replace(rule, report={**rule.report, "objective": learned.rule.report["objective"]})


@planted("worst row first")
class KindestFirst(Balls):
    def criticise(self, learned, task, n, seconds):
        found = super().criticise(learned, task, len(task.y), seconds)
        return Criticised(found.rows[::-1][:n], found.score[::-1][:n], found.name, found.meaning)


@planted("not a prefix", Steps)
class LastSteps(StepsRule):
    def first(self, size):
        keep = slice(len(self.prototypes) - size, None) if size else slice(0, 0)
        points = pc.extend.Points(self.prototypes.classes[keep], at=self.prototypes.at[keep])
        return replace(self, prototypes=points, lost=self.lost[: size + 1])


@planted("prefix|otherwise than step|last step of walk", Steps)
class WalksBackwards(StepsRule):
    def walk(self, query):
        return reversed(list(super().walk(query)))


# SQL


@planted("in SQL", Medoid)
class TwoPrototypesInSQL(pc.extend.Nearest):
    def sql(self, statement):
        two = pc.extend.Points(self.prototypes.classes[:2], at=self.prototypes.at[:2])
        return statement.nearest(two, np.arange(2))


# examples and structure


@planted("must be pc.extend.Points")
class PrototypesInADict(Medoid):
    def learn(self, task, power):
        rule = super().learn(task, power)
        return replace(rule, prototypes={"at": rule.prototypes.at})


@planted("whole numbers", Linear)
class FloatCodes(LinearRule):
    def predict(self, kind, query):
        out = super().predict(kind, query)
        return out.astype(float) if kind == "class" else out


@planted("with the fold that the path leaves out")
class FoldsMixedUp(Linear):
    def paths(self, task, fold, folds, grid):
        for f, path in super().paths(task, fold, folds, grid):
            yield (f + 1) % folds, path


@planted("leaves out the worst row")
class WorstLeftOut(Balls):
    def criticise(self, learned, task, n, seconds):
        if n >= len(task.y):
            return super().criticise(learned, task, n, seconds)
        found = super().criticise(learned, task, n + 1, seconds)
        return replace(found, rows=found.rows[1:], score=found.score[1:])
