"""Five small methods of a newcomer's own, which keep the contract; `planted_methods.py` has faults of each in many ways."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

import protoclass as pc
from protoclass.core.setcover.problems import objective
from protoclass.models.base import Criticised

# one medoid for each class, on any dissimilarity


@dataclass(frozen=True)
class Medoid(pc.Model):
    name: ClassVar[str] = "medoid"
    can: ClassVar[pc.extend.Capabilities] = pc.extend.Capabilities(weights=True, nearest=True)
    example: ClassVar[dict[str, Any]] = {"power": (0.2, 4.0)}
    as_repeats: ClassVar[dict[str, Any]] = {}
    rule: ClassVar[type] = pc.extend.Nearest

    power: Any = "grid"

    def __post_init__(self):
        pc.extend.check_number("medoid", "power", self.power, low=0, above=True)

    def default_grid(self, parameter, task, smallest):
        return np.array([0.5, 1.0, 2.0])

    def path(self, task, grid):
        return pc.extend.RulePath(tuple(self.learn(task, power) for power in pc.extend.axis(grid, "power", self.power)))

    def learn(self, task, power):
        own, at, classes = pc.extend.own_candidates(task), [], []
        for c in range(task.classes):
            rows = np.flatnonzero((task.y == c) & (task.w > 0))
            if len(rows):
                at.append(own[rows[np.argmin(task.w[rows] @ task.D.take(rows, own[rows]) ** power)]])
                classes.append(c)
        points = pc.extend.Points(np.array(classes), at=np.array(at))
        return self.rule(points, task.classes, pc.extend.heaviest_class(task), {"power": float(power)})


# a linear rule on vectors


@pc.extend.savable(name="small LinearRule")
@dataclass(frozen=True)
class LinearRule:
    prototypes: pc.extend.Points
    slopes: np.ndarray
    offsets: np.ndarray
    report: dict[str, Any] = field(default_factory=dict)
    kinds: ClassVar[tuple[str, ...]] = ("class", "decision", "prob")

    @property
    def size(self):
        return float(len(self.prototypes))

    def scores(self, query):
        return query.coordinates() @ self.slopes + self.offsets

    def predict(self, kind, query):
        values = self.scores(query)
        if kind == "class":
            return values.argmax(axis=1)
        return values if kind == "decision" else self.shares(values)

    def shares(self, values):
        powers = np.exp(values - values.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def moved(self, columns):
        return self


@dataclass(frozen=True)
class Linear(pc.Model):
    name: ClassVar[str] = "linear"
    can: ClassVar[pc.extend.Capabilities] = pc.extend.Capabilities(weights=True)
    example: ClassVar[dict[str, Any]] = {"ridge": (0.01, 5.0)}
    as_repeats: ClassVar[dict[str, Any]] = {}
    rule: ClassVar[type] = LinearRule

    ridge: Any = "grid"

    def __post_init__(self):
        pc.extend.check_number("linear", "ridge", self.ridge, low=0, above=True)

    def default_grid(self, parameter, task, smallest):
        return np.geomspace(0.01, 10, 4)

    def path(self, task, grid):
        return pc.extend.RulePath(tuple(self.learn(task, ridge) for ridge in pc.extend.axis(grid, "ridge", self.ridge)))

    def means(self, X, y, w, classes):
        return np.stack([np.average(X[y == c], axis=0, weights=w[y == c]) for c in classes])

    def share(self, y, w, classes):
        return np.array([w[y == c].sum() for c in classes]) / w.sum()

    def learn(self, task, ridge):
        live = task.w > 0
        X, y, w = task.coordinates()[live], task.y[live], task.w[live]
        classes = np.unique(y)
        means = self.means(X, y, w, classes)
        apart = X - means[np.searchsorted(classes, y)]
        within = (apart.T * w) @ apart / w.sum() + ridge * np.eye(X.shape[1])
        slopes, offsets = np.zeros((X.shape[1], task.classes)), np.full(task.classes, -np.inf)
        slopes[:, classes] = np.linalg.solve(within, means.T)
        offsets[classes] = np.log(self.share(y, w, classes)) - (means * slopes[:, classes].T).sum(axis=1) / 2
        return self.rule(pc.extend.Points(classes, coords=means), slopes, offsets)


# all rows vote, near ones more


@pc.extend.savable(name="small VotesRule")
@dataclass(frozen=True)
class VotesRule:
    prototypes: pc.extend.Points
    weight: np.ndarray
    width: float
    classes: int
    report: dict[str, Any] = field(default_factory=dict)
    kinds: ClassVar[tuple[str, ...]] = ("class", "prob", "distance", "nearest")

    @property
    def size(self):
        return len(self.prototypes) / (1 + self.width)

    def votes(self, query):
        D = query.dissimilarities(self.prototypes)
        near = np.exp((D.min(axis=1, keepdims=True) - D) / self.width) * self.weight
        return np.stack([near[:, self.prototypes.classes == c].sum(axis=1) for c in range(self.classes)], axis=1)

    def predict(self, kind, query):
        if kind in ("class", "prob"):
            shares = self.votes(query)
            shares = shares / shares.sum(axis=1, keepdims=True)
            return shares if kind == "prob" else shares.argmax(axis=1)
        D = query.dissimilarities(self.prototypes)
        if kind == "nearest":
            return D.argmin(axis=1)
        return np.stack([D[:, self.prototypes.classes == c].min(axis=1, initial=np.inf) for c in range(self.classes)], axis=1)

    def moved(self, columns):
        return replace(self, prototypes=self.prototypes.moved(columns))


@dataclass(frozen=True)
class Votes(pc.Model):
    name: ClassVar[str] = "votes"
    can: ClassVar[pc.extend.Capabilities] = pc.extend.Capabilities(weights=True)
    example: ClassVar[dict[str, Any]] = {"width": (0.2, 0.6)}
    as_repeats: ClassVar[dict[str, Any]] = {}
    rule: ClassVar[type] = VotesRule

    width: Any = "grid"

    def __post_init__(self):
        pc.extend.check_number("votes", "width", self.width, low=0, above=True)

    def default_grid(self, parameter, task, smallest):
        return np.geomspace(0.1, 1, 4)

    def path(self, task, grid):
        own = pc.extend.own_candidates(task)
        return pc.extend.RulePath(tuple(self.learn(task, own, float(h)) for h in pc.extend.axis(grid, "width", self.width)))

    def learn(self, task, own, width):
        live = np.flatnonzero(task.w > 0)
        return self.rule(pc.extend.Points(task.y[live], at=own[live]), task.w[live], width, task.classes)


# prototypes that are added one by one


@pc.extend.savable(name="small StepsRule")
@dataclass(frozen=True)
class StepsRule(pc.extend.Nearest):
    lost: Any = ()

    @property
    def steps(self):
        return {"size": np.arange(len(self.lost), dtype=float), "objective": np.array(self.lost)}

    def first(self, size):
        points = pc.extend.Points(self.prototypes.classes[:size], at=self.prototypes.at[:size])
        return replace(self, prototypes=points, lost=self.lost[: size + 1])

    def walk(self, query):
        for size in range(len(self.lost)):
            yield self.first(size).predict("class", query)


@dataclass(frozen=True)
class Steps(pc.Model):
    name: ClassVar[str] = "steps"
    can: ClassVar[pc.extend.Capabilities] = pc.extend.Capabilities(nearest=True, steps=True)
    example: ClassVar[dict[str, Any]] = {"count": (4, 6)}
    rule: ClassVar[type] = StepsRule

    count: Any = "grid"

    def __post_init__(self):
        pc.extend.check_number("steps", "count", self.count, low=1, integral=True)

    def default_grid(self, parameter, task, smallest):
        return np.arange(3, 3 + min(3, smallest.min()))

    def path(self, task, grid):
        own = pc.extend.own_candidates(task)
        D, counts = task.D.take(np.arange(len(task.y)), own), pc.extend.axis(grid, "count", self.count)
        return pc.extend.RulePath(tuple(self.learn(task, D, own, int(count)) for count in counts))

    def learn(self, task, D, own, count):
        near = np.full(len(task.y), D.max())
        rows, lost = [], [float(task.w @ near)]
        same, live = task.y[:, None] == task.y[None, :], task.w > 0
        for _ in range(count):
            left = task.w @ np.where(same, np.minimum(D, near[:, None]), near[:, None])
            best = int(np.where(live, left, np.inf).argmin())
            near = np.where(same[:, best], np.minimum(D[:, best], near), near)
            rows.append(best)
            lost.append(float(task.w @ near))
        points = pc.extend.Points(task.y[rows], at=own[rows])
        return self.rule(points, task.classes, pc.extend.heaviest_class(task), {"count": count}, tuple(lost))


# balls that cover rows of their class


@dataclass(frozen=True)
class Balls(pc.Model):
    name: ClassVar[str] = "balls"
    can: ClassVar[pc.extend.Capabilities] = pc.extend.Capabilities(
        weights=True, nearest=True, objective=True, balls=True, gains=True, radius="eps"
    )
    example: ClassVar[dict[str, Any]] = {"eps": (0.8, 1.3), "lambda_": (0.5, 3.0)}
    as_repeats: ClassVar[dict[str, Any]] = {}
    rule: ClassVar[type] = pc.extend.Nearest

    eps: Any = "grid"
    lambda_: Any = 0.5

    def __post_init__(self):
        pc.extend.check_number("balls", "eps", self.eps, low=0, above=True)
        pc.extend.check_number("balls", "lambda_", self.lambda_, low=0)

    def default_grid(self, parameter, task, smallest):
        return np.array([0.7, 1.0, 1.5]) if parameter == "eps" else np.array([0.1, 1.0])

    def loss(self, task, prototypes):
        D = task.D.take(np.arange(len(task.y)), prototypes.at)
        return objective(self.eps > D, prototypes.classes, task.y, task.w, self.lambda_).value

    def path(self, task, grid):
        D = task.D.take(np.arange(len(task.y)), np.arange(len(task.candidate_row)))
        axes = (pc.extend.axis(grid, name, getattr(self, name)).tolist() for name in ("eps", "lambda_"))
        epses, lambdas = axes
        return pc.extend.RulePath(tuple(self.learn(task, D, eps, lambda_) for eps in epses for lambda_ in lambdas))

    def learn(self, task, D, eps, lambda_):
        inside, chosen, covered = eps > D, [], np.zeros(len(task.y), bool)
        live = task.w[task.candidate_row] > 0
        wrong = np.stack([task.w[task.y != c] @ inside[task.y != c] for c in range(task.classes)])
        while True:
            left = task.w * ~covered
            gain = np.stack([left[task.y == c] @ inside[task.y == c] for c in range(task.classes)]) - wrong - lambda_
            c, j = np.unravel_index(np.where(live, gain, -np.inf).argmax(), gain.shape)
            if gain[c, j] <= 0:
                break
            chosen.append((int(j), int(c)))
            covered |= inside[:, j] & (task.y == c)
        at, classes = np.array(chosen, int).reshape(-1, 2).T
        return self.cover(task, D[:, at], at, classes, eps, lambda_)

    def cover(self, task, D, at, classes, eps, lambda_):
        inside, y, w = eps > D, task.y, task.w
        table = {"newly_covered": self.covers(inside, classes, y, w), "miscovered": self.miscovers(inside, classes, y, w)}
        points = pc.extend.Points(classes, at=at, radii=self.radii(len(at), eps), table=table)
        return self.rule(points, task.classes, pc.extend.heaviest_class(task), self.report(inside, classes, y, w, eps, lambda_))

    def radii(self, count, eps):
        return np.full(count, float(eps))

    def report(self, inside, classes, y, w, eps, lambda_):
        return {"radius": float(eps), "cost": float(lambda_), "objective": objective(inside, classes, y, w, lambda_)}

    def covers(self, inside, classes, y, w):
        own = inside & (y[:, None] == classes)
        first = own & (own.cumsum(axis=1) == 1)
        return w @ first

    def miscovers(self, inside, classes, y, w):
        return w @ (inside & (y[:, None] != classes))

    def swap(self, learned, task, place, candidate):
        report, points = learned.rule.report, learned.rule.prototypes
        at = points.at.copy()
        at[place] = candidate
        return self.cover(task, task.D.take(np.arange(len(task.y)), at), at, points.classes, report["radius"], report["cost"])

    def criticise(self, learned, task, n, seconds):
        points = learned.rule.prototypes
        D = task.D.take(np.arange(len(task.y)), points.at)
        far = np.where(task.y[:, None] == points.classes, D, np.inf).min(axis=1)
        far = np.where(np.isfinite(far), far, D.max())
        worst = np.argsort(-far, kind="stable")[:n]
        return Criticised(worst, far[worst], "far", "distance to the nearest prototype of the class")


CLEAN = [Medoid, Linear, Votes, Steps, Balls]
