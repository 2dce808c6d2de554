"""Metrics learned together with the rows that classify: relevance learning by the cost of generalized LVQ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import Array
from ..distances.discriminant import principal_axes
from ..parallel import check_wanted, kernel
from .class_medoids import choose_rows, cost_of_row, labelled, swap_for_classes

ROUNDS = 4  # of swaps and gradient steps: further ones change little
# the number of rows drawn in each round, of which prototypes are chosen, and their least multiple of
# the number of prototypes
CANDIDATES, PER_PROTOTYPE = 256, 5
GRADIENT_STEPS = 60  # of gradient in each round
# rates at which the means of gradients and of their squares decay, from Kingma and Ba (2015)
DECAY = (0.9, 0.999)
# the first step of the entries of a map that begins with the covariance of its class, and the
# number of its steps in each round
WHITENED, FEW_STEPS = 0.01, 20


@dataclass(frozen=True)
class Rows:
    """Rows of a round: weights (n,), all > 0 and of sum 1, classes (n,), and the slope of the
    cost's logistic function.
    """

    w: Array
    y: Array
    beta: float


@dataclass(frozen=True)
class LearnedSpace:
    """Parameters of a distance, and the rows that it was learned with.

    Attributes
    ----------
    parameters : array
    before, after : float
        Mean cost of the rows by the distance as it was and as learned, each with the rows that were
        chosen by it.
    chosen : int array (q,)
        The rows that it was learned with.
    """

    parameters: Array
    before: float
    after: float
    chosen: Array


def learn(
    space: Weights | Maps,
    w: Array,
    y: Array,
    batches: Sequence[Array],
    counts: Array,
    beta: float,
    seed: tuple[int, ...],
) -> LearnedSpace:
    """Choose rows by swaps and move the parameters down the gradient, in turn.

    Both lower the mean cost of generalized LVQ (Sato and Yamada 1996; with a matrix Schneider,
    Biehl and Hammer 2009, whose prototypes are not rows), the second with the penalty that keeps
    the distance from resting on few variables.

    Parameters
    ----------
    space : Weights or Maps
        Distance with parameters: `start()` gives the first ones, `normed` those of the same
        distances up to a factor, and `values` the weights or maps that they mean. `take` gives the
        distance between some rows, `distances` those of all rows to some, (n, q), and `objective` a
        function of the parameters: the mean cost with chosen rows and the penalty, with its
        gradient.
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
    parameters, draw = space.start(), np.random.default_rng(seed)
    chosen, costs = np.empty(0, np.int64), []
    for round_, batch in enumerate(batches):
        at = np.union1d(batch, chosen)
        part, chosen = space.take(at), np.searchsorted(at, chosen)
        rows = Rows(w[at] / w[at].sum(), y[at], float(beta))
        if round_ == 0:
            every = np.arange(len(at))
            D = part.distances(parameters, every)
            chosen = choose_rows(
                labelled(D, rows.w, rows.y, rows.y, len(counts), beta), every, counts, seed
            )
        candidates = np.union1d(
            chosen, draw.permutation(len(at))[: max(CANDIDATES, PER_PROTOTYPE * len(chosen))]
        )
        D = part.distances(parameters, candidates) if round_ else D[:, candidates]
        problem = labelled(D, rows.w, rows.y, rows.y[candidates], len(counts), beta)
        found = swap_for_classes(problem, np.searchsorted(candidates, chosen))
        chosen = candidates[found.at]
        costs.append(found.cost)
        if round_ < ROUNDS:
            parameters = _descend(part, parameters, part.objective(rows, chosen))
        chosen = at[chosen]
    return LearnedSpace(parameters, costs[0], costs[-1], chosen)


def _descend(
    space: Weights | Maps, parameters: Array, objective: Callable[[Array], tuple[float, Array]]
) -> Array:
    """Steps of Adam (Kingma and Ba 2015)."""
    mean, square = np.zeros_like(parameters), np.zeros_like(parameters)
    for step in range(1, space.steps + 1):
        check_wanted()
        _, gradient = objective(parameters)
        mean = DECAY[0] * mean + (1 - DECAY[0]) * gradient
        square = DECAY[1] * square + (1 - DECAY[1]) * gradient**2
        size = np.sqrt(square / (1 - DECAY[1] ** step)) + 1e-8
        parameters = space.normed(parameters - space.rate * mean / (1 - DECAY[0] ** step) / size)
    return parameters


@dataclass(frozen=True)
class Weights:
    """A sum over variables, whose weights are learned by their logarithms: the same for all
    candidates, or others for each class.

    Attributes
    ----------
    rows : int array (n,)
        Rows for which `terms` and `between` are called.
    terms : callable
        `terms(rows, to)`: contribution of each variable to the power of the distances of rows to
        others, (n, q, v); NaN if it is skipped.
    between : callable
        `between(weights, rows, to)`: distances (n, q).
    count : int
        Number of variables.
    power : float
        Power of the distance that is the sum; if variables are skipped, it is the mean over the
        others.
    ridge : float
        Weight of the penalty, -ridge times the mean logarithm of the weights.
    group : int array (n,)
        The weights, among G, of each row as a candidate.
    groups : int
        G.
    scaled : bool
        Whether the weights of a class may be larger than those of another; not if the distance is a
        mean over variables.
    """

    rows: Array
    terms: Callable[[Array, Array], Array]
    between: Callable[[Array, Array, Array], Array]
    count: int
    power: float
    ridge: float
    group: Array
    groups: int = 1
    scaled: bool = False

    rate = 0.05  # the first step of the logarithm of a weight
    steps = GRADIENT_STEPS

    def start(self) -> Array:
        return np.zeros((self.groups, self.count))

    def normed(self, parameters: Array) -> Array:
        return np.log(self.values(parameters))

    def values(self, parameters: Array) -> Array:
        """Weights (G, v) of mean 1 over all classes, or over each."""
        weights = np.exp(parameters - parameters.max())
        return weights / weights.mean(axis=None if self.scaled else 1, keepdims=True)

    def take(self, at: Array) -> Weights:
        return replace(self, rows=self.rows[at], group=self.group[at])

    def distances(self, parameters: Array, to: Array) -> Array:
        weights = self.values(parameters)
        out = np.empty((len(to), len(self.rows))).T  # as the kernels of swaps read it
        for g in np.unique(self.group[to]):
            k = np.flatnonzero(self.group[to] == g)
            out[:, k] = self.between(weights[g], self.rows, self.rows[to[k]])
        return out

    def objective(self, rows: Rows, chosen: Array) -> Callable[[Array], tuple[float, Array]]:
        terms = self.terms(self.rows, self.rows[chosen])
        # sums over variables run over all rows at once, gradients over the variables of a row
        columns = np.ascontiguousarray(terms.transpose(1, 2, 0))
        terms = np.ascontiguousarray(terms)
        classes, group = rows.y[chosen], self.group[chosen]

        def evaluate(parameters: Array) -> tuple[float, Array]:
            weights, slope = self.values(parameters), np.zeros(parameters.shape)
            single = weights.astype(terms.dtype)
            mean = _weighted_means(columns, single / self.count, group)
            cost = _cost_of_weights(
                terms,
                mean,
                rows.w,
                rows.y,
                classes,
                rows.beta,
                self.power,
                single,
                group,
                self.scaled,
                slope,
            )
            # `part` is the gradient by the logarithms of the weights
            part = weights * (slope - self.ridge / weights.size / weights)
            slope = part - weights * part.mean(axis=None if self.scaled else 1, keepdims=True)
            return cost - self.ridge * float(np.log(weights).mean()), slope

        return evaluate


@kernel(contract=False)
def _weighted_means(columns, weights, group):
    """Weighted means over the variables, (q, n); NaN if variables are skipped."""
    q, v, n = columns.shape
    mean = np.zeros((q, n), columns.dtype)
    for k in range(q):
        for j in range(v):
            weight = weights[group[k], j]
            for i in range(n):
                mean[k, i] += weight * columns[k, j, i]
    return mean


@kernel
def _cost_of_weights(terms, mean, w, y, classes, beta, power, weights, group, scaled, slope):
    """The mean cost; its derivatives by the weights are added to `slope`.

    `scaled` terms are summed over the variables, and others averaged.
    """
    n, q, v = terms.shape
    total, known = 0.0, np.empty(q)
    for i in range(n):
        own, other = -1, -1
        for k in range(q):
            known[k] = v
            if mean[k, i] != mean[k, i]:
                mean[k, i], known[k] = 0.0, 0.0
                for j in range(v):
                    if terms[i, k, j] == terms[i, k, j]:
                        mean[k, i] += weights[group[k], j] * terms[i, k, j]
                        known[k] += weights[group[k], j]
                mean[k, i] = mean[k, i] / known[k] if known[k] > 0 else 0.0
            if classes[k] == y[i]:
                if own < 0 or mean[k, i] < mean[own, i]:
                    own = k
            elif other < 0 or mean[k, i] < mean[other, i]:
                other = k
        if own < 0 or other < 0:
            continue
        a, b = float(mean[own, i]), float(mean[other, i])
        a, b = (math.sqrt(a), math.sqrt(b)) if power == 2 else (a ** (1 / power), b ** (1 / power))
        cost = cost_of_row(a, b, beta)
        total += w[i] * cost
        step = 2 * beta * w[i] * cost * (1 - cost) * a * b / power
        for side in range(2):
            k = own if side == 0 else other
            m = float(mean[k, i])
            if m > 0:
                inner = (step if side == 0 else -step) / (a + b) ** 2 / m / known[k]
                row, g = terms[i, k], group[k]
                for j in range(v):
                    slope[g, j] += (
                        inner * (row[j] - (0.0 if scaled else m)) if row[j] == row[j] else 0.0
                    )
    return total


@dataclass(frozen=True)
class Maps:
    """Euclidean distances after a linear map of coordinates, one map for all candidates or one for
    the candidates of each class.

    Attributes
    ----------
    X : tuple of G arrays (n, k)
        Coordinates that the parameters of each map multiply; mean 0 and variance about 1 suit the
        rate.
    bases : array (G, k, p)
        From the p columns to these coordinates.
    first : array (G, m, k)
        Parameters at the start.
    group : int array (n,)
        The map of each row as a candidate.
    ridge : float
        Weight of the penalty, -ridge times the mean logarithm of the eigenvalues of the maps'
        squares.
    rate : float
    steps : int
    """

    X: tuple[Array, ...]
    bases: Array
    first: Array
    group: Array
    ridge: float
    rate: float = 0.03
    steps: int = GRADIENT_STEPS

    def start(self) -> Array:
        return self.normed(self.first)

    def normed(self, parameters: Array) -> Array:
        """One scale for all: the mean square of an entry of a square map's diagonal is 1 at the identity."""
        G, _, p = self.bases.shape
        return (parameters * np.sqrt(G * p / (self.values(parameters) ** 2).sum())).astype(
            parameters.dtype, copy=False
        )

    def values(self, parameters: Array) -> Array:
        """From the columns to the coordinates between which distances are Euclidean, (G, m, p)."""
        return parameters @ self.bases

    def take(self, at: Array) -> Maps:
        return replace(self, X=tuple(X[at] for X in self.X), group=self.group[at])

    def distances(self, parameters: Array, to: Array) -> Array:
        squares = self._squares(self._mapped(parameters), to)
        return np.sqrt(squares, out=squares)

    def _mapped(self, parameters: Array) -> list[Array]:
        return [X @ A.T for X, A in zip(self.X, parameters, strict=True)]

    def _squares(self, Z: list[Array], to: Array) -> Array:
        out = np.empty((len(self.group), len(to)), Z[0].dtype)
        for g, z in enumerate(Z):
            k = np.flatnonzero(self.group[to] == g)
            square, others = (z**2).sum(axis=1), z[to[k]]
            out[:, k] = np.maximum(square[:, None] + square[to[k]] - 2 * (z @ others.T), 0)
        out[to, np.arange(len(to))] = 0  # of a row to itself, because products leave rounding
        return out

    def objective(self, rows: Rows, chosen: Array) -> Callable[[Array], tuple[float, Array]]:
        group, by = self.group[chosen], np.empty((len(self.group), len(chosen)), self.X[0].dtype)

        def evaluate(parameters: Array) -> tuple[float, Array]:
            Z, slope = self._mapped(parameters), np.zeros_like(parameters)
            cost = _cost_of_squares(self._squares(Z, chosen), chosen, rows.w, rows.y, rows.beta, by)
            for g, (z, x) in enumerate(zip(Z, self.X, strict=True)):
                k = np.flatnonzero(group == g)
                i = np.flatnonzero(by[:, k].any(axis=1))
                # sum over pairs of c (z_i - z_k) (x_i - x_k)', c the derivative of the cost by the
                # distance, over the distance
                c, near, far = by[np.ix_(i, k)], z[chosen[k]], z[i]
                slope[g] = (c.sum(axis=1)[:, None] * far - c @ near).T @ x[i]
                slope[g] += (c.sum(axis=0)[:, None] * near - c.T @ far).T @ x[chosen[k]]
            penalty = 0.0
            if self.ridge:  # the penalty of the maps, with one scale for all
                maps, square = self.values(parameters), parameters @ parameters.transpose(0, 2, 1)
                size = (maps**2).sum()
                slope += 2 * self.ridge / size * (maps @ self.bases.transpose(0, 2, 1))
                slope -= (
                    2
                    * self.ridge
                    / (len(maps) * maps.shape[1])
                    * np.linalg.solve(square, parameters)
                )
                penalty = self.ridge * (
                    math.log(size) - float(np.linalg.slogdet(square)[1].mean()) / maps.shape[1]
                )
            return cost + penalty, slope

        return evaluate


def one_map(X: Array, components: int, ridge: float) -> Maps:
    """One map, from the identity, or from the principal axes if it has fewer axes than columns."""
    p = X.shape[1]
    first = np.eye(p, dtype=X.dtype) if components == p else first_axes(X, components)
    return Maps(
        (X,), np.eye(p, dtype=X.dtype)[None], first[None], np.zeros(len(X), np.int64), ridge
    )


def class_maps(X: Array, w: Array, y: Array, classes: int, ridge: float) -> Maps:
    """A map for each class, from the one that makes the covariance of the class spherical, in whose
    coordinates steps are made.

    A class counts as if it had as many more rows as there are columns, with the covariance within
    all classes; this has some variance along every axis. So the maps of small classes, and of a
    class without rows, are regular.
    """
    p, w = X.shape[1], w * (len(w) / w.sum())
    counts, scatter = np.bincount(y, w, classes), np.zeros((classes, p, p))
    for c in np.flatnonzero(counts):
        Z = X[y == c] - np.average(X[y == c], axis=0, weights=w[y == c])
        scatter[c] = (w[y == c, None] * Z).T @ Z
    # 0.05 is added to the variance within classes along every axis; that of a column is about 1
    within = scatter.sum(axis=0) / len(X) + 0.05 * np.eye(p)
    values, axes = np.linalg.eigh((scatter + p * within) / (counts + p)[:, None, None])
    bases = (axes / np.sqrt(values)[:, None, :]).transpose(0, 2, 1)
    bases = (bases * np.sqrt(classes * p / (bases**2).sum())).astype(X.dtype)
    first = np.repeat(np.eye(p, dtype=X.dtype)[None], classes, axis=0)
    return Maps(tuple(X @ base.T for base in bases), bases, first, y, ridge, WHITENED, FEW_STEPS)


def first_axes(X: Array, count: int) -> Array:
    """The first principal axes (count, p) of rows (n, p), in their precision."""
    return principal_axes((X - X.mean(axis=0)).astype(float), count).astype(X.dtype)


@kernel
def _cost_of_squares(squares, chosen, w, y, beta, by):
    """The mean cost; `by` (n, q) is its derivative by the distance to a prototype, over the distance."""
    n, q = squares.shape
    mean = 0.0
    for i in range(n):
        own, other = -1, -1
        for k in range(q):
            by[i, k] = 0.0
            if y[chosen[k]] == y[i]:
                if own < 0 or squares[i, k] < squares[i, own]:
                    own = k
            elif other < 0 or squares[i, k] < squares[i, other]:
                other = k
        if own < 0 or other < 0:
            continue
        a, b = math.sqrt(float(squares[i, own])), math.sqrt(float(squares[i, other]))
        cost = cost_of_row(a, b, beta)
        mean += w[i] * cost
        step = 2 * beta * w[i] * cost * (1 - cost)
        if a > 0:
            by[i, own] = step * b / (a + b) ** 2 / a
        if b > 0:
            by[i, other] = -step * a / (a + b) ** 2 / b
    return mean
