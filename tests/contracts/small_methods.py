"""Three small methods of a newcomer's own, which keep the contract; `planted_methods.py` has faults of each."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

import protoclass as pc

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
    can: ClassVar[pc.extend.Capabilities] = pc.extend.Capabilities(weights=True, coordinates=True)
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


# balls that cover rows of their class


CLEAN = [Medoid, Linear, Votes]
