"""Small methods with one fault each: `PLANTED` has them with words of the message that names the cause."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from small_methods import Linear, LinearRule, Medoid, Votes, VotesRule

import protoclass as pc

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


@planted("alone predicts|alone raises|order of the rows", Linear)
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


@planted("path moved")
class PathMovedNot(Medoid):
    def path(self, task, grid):
        return StayingPath(super().path(task, grid).rules)


# distances


@planted("predict\\('distance'\\) is not", Votes)
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


@planted("raises IndexError")
class GridOfThird(Votes):
    default_grid = grid_of(lambda task, smallest: 0.1 * np.arange(1, 4)[[1, 2, 3]])


# rows far away, and no rows


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


@planted("second call", Votes)
class DrawsInPredict(VotesRule):
    def votes(self, query):
        return super().votes(query) + 0.1 * np.random.default_rng().random((len(query), self.classes))


# fields, pickles and files


@planted("pc.extend.savable", Linear)
class NotSavable(LinearRule):
    plain = True


@planted("can't be pickled|can't be saved")
class HoldsAFunction(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return WithFunction(rule.prototypes, rule.slopes, rule.offsets, {}, lambda x: x)


@pc.extend.savable
@dataclass(frozen=True)
class WithFunction(LinearRule):
    change: Any = None


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
