"""Small methods with one fault each in what they write, draw, keep, save and claim."""

import random
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from planting import PLANTED, planted
from small_methods import Balls, Linear, LinearRule, Medoid, Steps, StepsRule, Votes, VotesRule

import protoclass as pc
from protoclass.core.setcover.problems import objective
from protoclass.models.base import Criticised

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
class PythonDraws(pc.extend.Nearest):
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


STATE = "store what is learned in fields of the rule"
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


@pc.extend.savable
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


@planted("files", "pc.extend.savable", Linear)
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


@planted("files", "more than its fields|copy made from them")
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


@planted("files", "can't be pickled|can't be saved")
class HoldsAFunction(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return WithFunction(rule.prototypes, rule.slopes, rule.offsets, {}, lambda x: x)


@pc.extend.savable
@dataclass(frozen=True)
class WithFunction(LinearRule):
    change: Any = None


@planted("files", "can't be saved")
class HoldsASet(Linear):
    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return WithFunction(rule.prototypes, rule.slopes, rule.offsets, {}, {1, 2})


@planted("files", "more than its fields|made again|other parameters|otherwise|saved")
class RoundsAtFirst(Linear):
    """A field that the rule changes when it is made, so that one made again from it is another."""

    def learn(self, task, ridge):
        rule = super().learn(task, ridge)
        return Shrinks(rule.prototypes, rule.slopes, rule.offsets)


@pc.extend.savable
@dataclass(frozen=True)
class Shrinks(LinearRule):
    def __post_init__(self):
        object.__setattr__(self, "slopes", self.slopes * 0.9)


# balls, objectives and steps


@planted("balls", "predict\\('cover'\\)", Balls)
class CoverOfNearest(pc.extend.Nearest):
    def cover(self, query):
        return self.prototypes.classes[self.closest(query)]


@planted("balls", "predict\\('cover'\\)", Balls)
class CoverOfAny(pc.extend.Nearest):
    def cover(self, query):
        inside = self.prototypes.radii > query.dissimilarities(self.prototypes)
        return np.where(inside.any(axis=1), self.prototypes.classes[inside.argmax(axis=1)], -1)


@planted("balls", "predict\\('cover'\\)")
class HalfRadii(Balls):
    """What the rule calls radii is half of them."""

    def learn(self, task, D, eps, lambda_):
        rule = super().learn(task, D, eps, lambda_)
        return Halved(rule.prototypes, rule.classes, rule.fallback, rule.report)


@pc.extend.savable
@dataclass(frozen=True)
class Halved(pc.extend.Nearest):
    def cover(self, query):
        inside = 2 * self.prototypes.radii > query.dissimilarities(self.prototypes)
        by = np.stack([inside[:, self.prototypes.classes == c].any(axis=1) for c in range(self.classes)], axis=1)
        return np.where(by.sum(axis=1) == 1, by.argmax(axis=1), -1)


@planted("balls", "newly_covered of prototype")
class CoversCountedTwice(Balls):
    def covers(self, inside, classes, y, w):
        return w @ (inside & (y[:, None] == classes))


@planted("balls", "miscovered of prototype")
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


@planted("balls", "after a swap")
class SwapKeepsObjective(Balls):
    def swap(self, learned, task, place, candidate):
        rule = super().swap(learned, task, place, candidate)
        return replace(rule, report={**rule.report, "objective": learned.rule.report["objective"]})


@planted("balls", "swap")
class SwapsAnother(Balls):
    def swap(self, learned, task, place, candidate):
        return super().swap(learned, task, place, (candidate + 3) % len(task.y))


@planted("balls", "worst row first")
class KindestFirst(Balls):
    def criticise(self, learned, task, n, seconds):
        found = super().criticise(learned, task, len(task.y), seconds)
        return Criticised(found.rows[::-1][:n], found.score[::-1][:n], found.name, found.meaning)


@planted("balls", "different rows")
class OneCriticism(Balls):
    def criticise(self, learned, task, n, seconds):
        found = super().criticise(learned, task, n, seconds)
        return replace(found, rows=np.repeat(found.rows[:1], n), score=np.repeat(found.score[:1], n))


@planted("balls", "declare can.objective")
class ObjectiveUndeclared(Balls):
    can: ClassVar[pc.extend.Capabilities] = replace(Balls.can, objective=False)
    swap = pc.Model.swap


@planted("balls", "report's 'objective' is a float")
class ObjectiveIsANumber(Balls):
    def report(self, inside, classes, y, w, eps, lambda_):
        report = super().report(inside, classes, y, w, eps, lambda_)
        return {**report, "objective": report["objective"].value}


@planted("steps", "not a prefix", Steps)
class LastSteps(StepsRule):
    def first(self, size):
        keep = slice(len(self.prototypes) - size, None) if size else slice(0, 0)
        points = pc.extend.Points(self.prototypes.classes[keep], at=self.prototypes.at[keep])
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
class TwoPrototypesInSQL(pc.extend.Nearest):
    def sql(self, statement):
        two = pc.extend.Points(self.prototypes.classes[:2], at=self.prototypes.at[:2])
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
        return pc.extend.RulePath(rules if len(grid) < 2 else (rules[0], rules[2], rules[1], rules[3]))


@planted("structure", "must be pc.extend.Points")
class PrototypesInADict(Medoid):
    def learn(self, task, power):
        rule = super().learn(task, power)
        return replace(rule, prototypes={"at": rule.prototypes.at})


@planted("structure", "covers must be an array|a list")
class ListInTable(Medoid):
    def learn(self, task, power):
        rule = super().learn(task, power)
        return replace(rule, prototypes=replace(rule.prototypes, table={"newly_covered": [1] * len(rule.prototypes)}))


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
