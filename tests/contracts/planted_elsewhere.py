"""Small methods with one fault each, in places where a method is asked for less often."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from planted_predictions import grid_of
from planted_side_effects import WithFunction
from planting import planted
from small_methods import Balls, Linear, LinearRule, Medoid, Steps, StepsRule, Votes, VotesRule

import protoclass as pc

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


@planted("side effects", "draws from the global generator np.random")
class CriticismsDraw(Balls):
    def criticise(self, learned, task, n, seconds):
        np.random.random()
        return super().criticise(learned, task, n, seconds)


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


@planted("folds", "with the fold that the path leaves out")
class FoldsMixedUp(Linear):
    def paths(self, task, fold, folds, grid):
        for f, path in super().paths(task, fold, folds, grid):
            yield (f + 1) % folds, path


@planted("folds", "must yield")
class LastFoldIsLost(Linear):
    def paths(self, task, fold, folds, grid):
        yield from list(super().paths(task, fold, folds, grid))[: max(1, folds - 1)]


@planted("folds", "learn nothing from held-out rows")
class MeanOfAllFolds(Linear):
    def paths(self, task, fold, folds, grid):
        centre = task.coordinates().mean(axis=0)
        for f, path in super().paths(task, fold, folds, grid):
            rule = path.at(0)
            yield f, pc.extend.RulePath(tuple(replace(r, offsets=r.offsets + 0.01 * centre[0]) for r in path.rules) if rule else ())


@planted("balls", "newly_covered of prototype . with weights")
class CoversWithoutWeights(Balls):
    def covers(self, inside, classes, y, w):
        return super().covers(inside, classes, y, np.ones(len(y)))


@planted("balls", "objective.* with weights")
class ObjectiveWithoutWeights(Balls):
    def report(self, inside, classes, y, w, eps, lambda_):
        return super().report(inside, classes, y, np.ones(len(y)), eps, lambda_)


@planted("balls", "after a swap")
class SwapKeepsTheTable(Balls):
    def swap(self, learned, task, place, candidate):
        rule = super().swap(learned, task, place, candidate)
        return replace(rule, prototypes=replace(rule.prototypes, table=learned.rule.prototypes.table))


@planted("balls", "leaves out the worst row")
class WorstLeftOut(Balls):
    def criticise(self, learned, task, n, seconds):
        if n >= len(task.y):
            return super().criticise(learned, task, n, seconds)
        found = super().criticise(learned, task, n + 1, seconds)
        return replace(found, rows=found.rows[1:], score=found.score[1:])


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


@pc.extend.savable(name="planted Misshapen", slopes="p p")
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
        most = pc.extend.axis(grid, "count", self.count).max()
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


@planted("structure", "ends in AttributeError: 'dict' object|must be pc.extend.Points")
class RuleIsADict(Medoid):
    def learn(self, task, power):
        return {"prototypes": super().learn(task, power).prototypes}


@planted("balls", "objective.*loss")
class WrongLossOfPVM(pc.PVM):
    """A method with alternatives, which would find an optimum above the objective."""

    def loss(self, task, prototypes):
        return 1.1 * super().loss(task, prototypes)


@planted("balls", "newly_covered of prototype")
class ShiftedGainsOfPVM(pc.PVM):
    def path(self, task, grid):
        path = super().path(task, grid)
        return pc.extend.RulePath(tuple(shifted(path.at(g)) for g in range(len(path.size))))


def shifted(rule):
    table = rule.prototypes.table
    if len(rule.prototypes) < 2:
        return rule
    return replace(rule, prototypes=replace(rule.prototypes, table={**table, "newly_covered": np.roll(table["newly_covered"], 1)}))
