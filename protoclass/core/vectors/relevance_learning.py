"""Metrics learned together with the rows that classify: relevance learning by the cost of generalized LVQ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from .. import Array
from ..parallel import check_wanted, kernel
from .class_medoids import choose_rows, cost_of_row, labelled, swap_for_classes

ROUNDS = 4  # of swaps and gradient steps: further ones change little
CANDIDATES, SHARE = 256, 5  # rows, drawn in each round, that may be chosen: so many, or so many times those that are
STEPS = 60  # of gradient in each round
DECAY = (0.9, 0.999)  # of the means of gradients and of their squares, as Kingma and Ba (2015) give them
LOGARITHM = 0.05  # step of a logarithm of a weight, in the first steps
ENTRY = 0.03  # step of an entry of a map between columns of variance about 1


class Space(Protocol):
    """Functions of a distance with parameters that are used for learning these.

    `start` gives the parameters of the given distance, and `normed` those of the same distances up to a factor. `take` gives the
    space of some rows, `distances` the distances of all rows to some, (n, q), and `objective` a function of the parameters: the mean
    cost with chosen rows and the penalty, with its gradient.
    """

    rate: float

    def start(self) -> Array: ...
    def normed(self, parameters: Array) -> Array: ...
    def take(self, at: Array) -> Space: ...
    def distances(self, parameters: Array, to: Array) -> Array: ...
    def objective(self, rows: Rows, chosen: Array) -> Callable[[Array], tuple[float, Array]]: ...


@dataclass(frozen=True)
class Rows:
    """The rows that are learned from: weights (n,), all > 0 and of sum 1, classes (n,), and the slope of the cost's logistic function."""

    w: Array
    y: Array
    beta: float


@dataclass(frozen=True)
class Relevance:
    """A learned distance.

    Attributes
    ----------
    parameters : array
    before, after : float
        Mean cost of the rows by the distance as it was and as learned, each with the rows that were chosen by it.
    chosen : int array (q,)
        The rows that it was learned with.
    """

    parameters: Array
    before: float
    after: float
    chosen: Array


def learn(space: Space, w: Array, y: Array, batches: Sequence[Array], counts: Array, beta: float, seed: tuple[int, ...]) -> Relevance:
    """Choose rows by swaps and move the parameters down the gradient, in turn.

    Both lower the mean cost of generalized LVQ (Sato and Yamada 1996; with a matrix Schneider, Biehl and Hammer 2009, whose
    prototypes are not rows), the second with the penalty that keeps the distance from resting on few variables.

    Parameters
    ----------
    space : Space
    w : float array (n,)
        Weights, all > 0.
    y : int array (n,)
        Classes.
    batches : ROUNDS + 1 int arrays
        Rows of each round, with those chosen before.
    counts : int array (classes,)
        Number of prototypes of each class at the start.
    beta : float
        Slope of the cost's logistic function.
    seed : tuple of int
    """
    parameters, chosen, costs, draw = space.start(), np.empty(0, np.int64), [], np.random.default_rng(seed)
    for round_, batch in enumerate(batches):
        at = np.union1d(batch, chosen)
        part, rows, chosen = space.take(at), Rows(w[at] / w[at].sum(), y[at], float(beta)), np.searchsorted(at, chosen)
        if round_ == 0:
            every = np.arange(len(at))
            D = part.distances(parameters, every)
            chosen = choose_rows(labelled(D, rows.w, rows.y, rows.y, len(counts), beta), every, counts, seed)
        candidates = np.union1d(chosen, draw.permutation(len(at))[: max(CANDIDATES, SHARE * len(chosen))])
        D = part.distances(parameters, candidates) if round_ else D[:, candidates]
        problem = labelled(D, rows.w, rows.y, rows.y[candidates], len(counts), beta)
        found = swap_for_classes(problem, np.searchsorted(candidates, chosen))
        chosen = candidates[found.at]
        costs.append(found.cost)
        if round_ < ROUNDS:
            parameters = _descend(part, parameters, part.objective(rows, chosen))
        chosen = at[chosen]
    return Relevance(parameters, costs[0], costs[-1], chosen)


def _descend(space: Space, parameters: Array, objective: Callable[[Array], tuple[float, Array]]) -> Array:
    """Steps of Adam (Kingma and Ba 2015)."""
    mean, square = np.zeros_like(parameters), np.zeros_like(parameters)
    for step in range(1, STEPS + 1):
        check_wanted()
        _, gradient = objective(parameters)
        mean = DECAY[0] * mean + (1 - DECAY[0]) * gradient
        square = DECAY[1] * square + (1 - DECAY[1]) * gradient**2
        size = np.sqrt(square / (1 - DECAY[1] ** step)) + 1e-8
        parameters = space.normed(parameters - space.rate * mean / (1 - DECAY[0] ** step) / size)
    return parameters


def weights_of(logarithms: Array) -> Array:
    """Weights of mean 1 from their logarithms."""
    weights = np.exp(logarithms - logarithms.max())
    return np.asarray(weights * (len(weights) / weights.sum()))


@dataclass(frozen=True)
class Weights:
    """A sum over variables, whose weights are learned by their logarithms.

    Attributes
    ----------
    rows : int array (n,)
        Rows for which `terms` and `between` are called.
    terms : callable
        `terms(rows, to)`: contribution of each variable to the power of the distances of rows to others, (n, q, v); NaN if it is skipped.
    between : callable
        `between(weights, rows, to)`: distances (n, q).
    count : int
        Number of variables.
    power : float
        Power of the distance that is the sum; if variables are skipped, it is the mean over the others.
    ridge : float
        Weight of the penalty, -ridge times the mean logarithm of the weights.
    """

    rows: Array
    terms: Callable[[Array, Array], Array]
    between: Callable[[Array, Array, Array], Array]
    count: int
    power: float
    ridge: float

    rate = LOGARITHM

    def start(self) -> Array:
        return np.zeros(self.count)

    def normed(self, parameters: Array) -> Array:
        return np.log(weights_of(parameters))

    def take(self, at: Array) -> Weights:
        return replace(self, rows=self.rows[at])

    def distances(self, parameters: Array, to: Array) -> Array:
        return self.between(weights_of(parameters), self.rows, self.rows[to])

    def objective(self, rows: Rows, chosen: Array) -> Callable[[Array], tuple[float, Array]]:
        terms, classes = self.terms(self.rows, self.rows[chosen]), rows.y[chosen]

        def evaluate(parameters: Array) -> tuple[float, Array]:
            weights, slope = weights_of(parameters), np.zeros(self.count)
            single = weights.astype(terms.dtype)
            mean = (terms.reshape(-1, self.count) @ (single / single.sum())).reshape(terms.shape[:2])  # NaN if variables are skipped
            cost = _cost_of_weights(terms, mean, rows.w, rows.y, classes, rows.beta, self.power, single, slope)
            slope = weights * (slope - weights @ slope / self.count) - self.ridge / self.count * (1 - weights)
            return cost - self.ridge * float(np.log(weights).mean()), slope

        return evaluate


@kernel
def _cost_of_weights(terms, mean, w, y, classes, beta, power, weights, slope):  # type: ignore[no-untyped-def]
    # the mean cost, and its derivatives by the weights, which are added to slope
    n, q, v = terms.shape
    total, known = 0.0, np.empty(q)
    for i in range(n):
        own, other = -1, -1
        for k in range(q):
            known[k] = v
            if mean[i, k] != mean[i, k]:
                mean[i, k], known[k] = 0.0, 0.0
                for j in range(v):
                    if terms[i, k, j] == terms[i, k, j]:
                        mean[i, k] += weights[j] * terms[i, k, j]
                        known[k] += weights[j]
                mean[i, k] = mean[i, k] / known[k] if known[k] > 0 else 0.0
            if classes[k] == y[i]:
                if own < 0 or mean[i, k] < mean[i, own]:
                    own = k
            elif other < 0 or mean[i, k] < mean[i, other]:
                other = k
        if own < 0 or other < 0:
            continue
        a, b = float(mean[i, own]), float(mean[i, other])
        a, b = (math.sqrt(a), math.sqrt(b)) if power == 2 else (a ** (1 / power), b ** (1 / power))
        cost = cost_of_row(a, b, beta)
        total += w[i] * cost
        step = 2 * beta * w[i] * cost * (1 - cost) * a * b / power
        for side in range(2):
            k = own if side == 0 else other
            m = float(mean[i, k])
            if m > 0:
                inner, row = (step if side == 0 else -step) / (a + b) ** 2 / m / known[k], terms[i, k]
                for j in range(v):
                    slope[j] += inner * (row[j] - m) if row[j] == row[j] else 0.0
    return total


@dataclass(frozen=True)
class Map:
    """Euclidean distance after a linear map of coordinates.

    Attributes
    ----------
    X : array (n, p)
        Coordinates; mean 0 and variance about 1 suit the rate.
    components : int
        Number of axes of the map; fewer than p start as principal axes.
    ridge : float
        Weight of the penalty, -ridge times the mean logarithm of the eigenvalues of the map's square.
    """

    X: Array
    components: int
    ridge: float

    rate = ENTRY

    def start(self) -> Array:
        p = self.X.shape[1]
        if self.components == p:
            return np.eye(p, dtype=self.X.dtype)
        axes = np.linalg.svd(self.X - self.X.mean(axis=0), full_matrices=False)[2][: self.components]
        signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])  # signs of a library depend on its version
        return self.normed(axes * signs[:, None])

    def normed(self, parameters: Array) -> Array:
        return np.asarray(parameters * np.sqrt(self.X.shape[1] / (parameters**2).sum()))

    def take(self, at: Array) -> Map:
        return replace(self, X=self.X[at])

    def distances(self, parameters: Array, to: Array) -> Array:
        Z = self.X @ parameters.T
        square = (Z**2).sum(axis=1)
        out = np.maximum(square[:, None] + square[to] - 2 * (Z @ Z[to].T), 0)
        out[to, np.arange(len(to))] = 0  # of a row to itself, because products leave rounding
        return np.asarray(np.sqrt(out))

    def objective(self, rows: Rows, chosen: Array) -> Callable[[Array], tuple[float, Array]]:
        def evaluate(parameters: Array) -> tuple[float, Array]:
            Z = self.X @ parameters.T
            pulled, total = np.zeros_like(Z), np.zeros((len(chosen), len(parameters)), Z.dtype)
            near = (Z[chosen] ** 2).sum(axis=1) / 2 - Z @ Z[chosen].T  # half of the squared distances, but for a row's own square
            cost = _cost_of_map(Z, near, chosen, rows.w, rows.y, rows.beta, pulled, total)
            # of sum_i c_i |L (x_i - z_i)|: L sum_i (c_i / |L (x_i - z_i)|) (x_i - z_i) (x_i - z_i)'
            slope, penalty = pulled.T @ self.X - total.T @ self.X[chosen], 0.0
            if self.ridge:
                square = parameters @ parameters.T
                slope -= 2 * self.ridge / len(parameters) * np.linalg.solve(square, parameters)
                penalty = -self.ridge * float(np.linalg.slogdet(square)[1]) / len(parameters)
            return cost + penalty, slope

        return evaluate


@kernel
def _cost_of_map(Z, near, chosen, w, y, beta, pulled, total):  # type: ignore[no-untyped-def]
    # the mean cost; pulled: sum over both prototypes of a row of (z_i - z_k) by the derivative of the cost by the distance, over the
    # distance; total: the same summed over the rows of each prototype
    n, axes = Z.shape
    mean = 0.0
    for i in range(n):
        own, other = -1, -1
        for k in range(len(chosen)):
            if y[chosen[k]] == y[i]:
                if own < 0 or near[i, k] < near[i, own]:
                    own = k
            elif other < 0 or near[i, k] < near[i, other]:
                other = k
        if own < 0 or other < 0:
            continue
        a, b = 0.0, 0.0
        for t in range(axes):
            a += (Z[i, t] - Z[chosen[own], t]) ** 2
            b += (Z[i, t] - Z[chosen[other], t]) ** 2
        a, b = math.sqrt(a), math.sqrt(b)
        cost = cost_of_row(a, b, beta)
        mean += w[i] * cost
        if a + b == 0:
            continue
        step = 2 * beta * w[i] * cost * (1 - cost) / (a + b) ** 2
        for side in range(2):
            k, length, by = (own, a, step * b) if side == 0 else (other, b, -step * a)
            if length > 0:
                for t in range(axes):
                    part = by / length * (Z[i, t] - Z[chosen[k], t])
                    pulled[i, t] += part
                    total[k, t] += part
    return mean
