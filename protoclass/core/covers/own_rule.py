"""The rule of balls with radii of their own, and its path over largest radii and lambdas."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...declared import savable
from ..coverage import NONE, SEVERAL
from ..neighbours.nearest import Nearest, nearest, order_of
from ..task import Points
from .path import Chosen, Greedy, rule_of

if TYPE_CHECKING:
    from ..query import Query

Array = NDArray[Any]


def relative_distances(D: Array, radii: Array) -> Array:
    """The distances that decide: the dissimilarity to a prototype as a share of its radius, below 1 inside its ball.

    It is inf where the share is beyond all numbers.

    Parameters
    ----------
    D : array (r, q)
    radii : array (q,)

    Returns
    -------
    array (r, q)

    Examples
    --------
    >>> relative_distances(np.array([[1.0, 3.0]]), np.array([0.5, 4.0])).tolist()
    [[2.0, 0.75]]
    """
    with np.errstate(over="ignore"):
        return np.asarray(D / radii)


def covering_own(D: Array, classes: Array, radii: Array) -> Array:
    """The class of the balls `d < radii[j]` that hold each row, int64 (r,): -1 if none does, -2 if those of several classes do."""
    inside = radii > D
    last = np.where(inside, classes, NONE).max(axis=1, initial=NONE)
    several = (inside & (classes != last[:, None])).any(axis=1)
    return np.asarray(np.where(several, SEVERAL, last))


@savable
@dataclass(frozen=True)
class OwnNearest(Nearest):
    """Rule: the class of the prototype at the least `relative_distances`."""

    def distances(self, query: Query) -> Array:
        assert self.prototypes.radii is not None
        return query.finite(relative_distances(query.dissimilarities(self.prototypes), self.prototypes.radii))

    @property
    def sql_divisors(self) -> Array | None:
        return self.prototypes.radii

    def closest(self, query: Query) -> Array:
        member = np.asarray(self.prototypes.classes, np.int16)[None, :]
        return nearest(self.distances(query), member, order_of(self.prototypes))[:, 0]

    def cover(self, query: Query) -> Array:
        assert self.prototypes.radii is not None
        D = query.dissimilarities(self.prototypes)
        return np.asarray(np.maximum(covering_own(D, self.prototypes.classes, self.prototypes.radii), NONE))


@savable
@dataclass(frozen=True)
class OwnGreedy(OwnNearest, Greedy):
    """Rule of a greedy cover: its first prototypes are those that a larger lambda would have chosen."""


@dataclass(frozen=True)
class OwnPath:
    """Path of the PVM with own radii over a grid of largest radii and lambdas.

    Attributes
    ----------
    runs : tuple of tuple of Chosen
        The runs of each largest radius, lambda by lambda; grid points are in this order.
    eps, lambdas : arrays
        Largest radii and costs.
    weight : array (classes,)
        Training weight of each class, in units.
    unit : float
    nested : bool
        Whether the first prototypes of each run are those of larger lambdas, as in greedy covers.
    """

    runs: tuple[tuple[Chosen, ...], ...]
    eps: Array
    lambdas: Array
    weight: Array
    unit: float
    nested: bool = False
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "cover")

    @cached_property
    def prototypes(self) -> Points:
        return Points(np.full(len(self._union), NONE), at=self._union)

    @cached_property
    def _union(self) -> Array:
        return np.unique(np.concatenate([run.at for runs in self.runs for run in runs]))

    @property
    def size(self) -> Array:
        return np.array([float(len(run.at)) for runs in self.runs for run in runs])

    def predict(self, kind: str, query: Query) -> Array:
        D = query.dissimilarities(self.prototypes)
        return np.concatenate([self._predict_runs(kind, query, D, runs) for runs in self.runs], axis=1)

    def _predict_runs(self, kind: str, query: Query, D: Array, runs: tuple[Chosen, ...]) -> Array:
        """What the runs of one largest radius predict, (r, lambdas), from D (r, union)."""
        at, radii, classes, member = union_of_balls(runs)
        D = D[:, np.searchsorted(self._union, at)]
        if kind == "cover":
            chosen = [covering_own(D[:, of >= 0], classes[of >= 0], radii[of >= 0]) for of in member]
            return np.asarray(np.maximum(np.stack(chosen, axis=1), NONE))
        first = nearest(query.finite(relative_distances(D, radii)), member, np.arange(len(at)))
        heaviest = int(self.weight.argmax())
        if not len(at):
            return np.full_like(first, heaviest)
        return np.where(first < 0, heaviest, classes[np.maximum(first, 0)])

    def at(self, g: int) -> Nearest:
        e, j = divmod(g, len(self.lambdas))
        run, kind = self.runs[e][j], OwnGreedy if self.nested else OwnNearest
        assert run.radii is not None
        said = {"largest radius eps": float(self.eps[e]), "radii": _words(run.radii)}
        rule = rule_of(kind, run, float(self.lambdas[j]), self.weight, self.unit, said)
        table = {"radius": run.radii, **rule.prototypes.table}
        return replace(rule, prototypes=replace(rule.prototypes, table=table))

    def moved(self, columns: Array) -> OwnPath:
        moved = tuple(tuple(replace(run, at=columns[run.at]) for run in runs) for runs in self.runs)
        return replace(self, runs=moved)


def _words(radii: Array) -> str:
    if not len(radii):
        return "none"
    return f"{len(np.unique(radii))} different ones, from {radii.min():.4g} to {radii.max():.4g}"


def union_of_balls(runs: tuple[Chosen, ...]) -> tuple[Array, Array, Array, Array]:
    """The different balls of some runs, by candidate: columns, radii and classes (q,), and int16 (runs, q), the class or -1."""
    at, classes = (np.concatenate([getattr(run, name) for run in runs]) for name in ("at", "classes"))
    radii = np.concatenate([run.radii for run in runs if run.radii is not None])
    order = np.lexsort((classes, radii, at))
    at, radii, classes = at[order], radii[order], classes[order]
    new = np.ones(len(at), np.bool_)
    new[1:] = (at[1:] != at[:-1]) | (radii[1:] != radii[:-1]) | (classes[1:] != classes[:-1])
    ball = np.empty(len(at), np.int64)
    ball[order] = np.cumsum(new) - 1
    member = np.full((len(runs), int(new.sum())), NONE, np.int16)
    member[np.repeat(np.arange(len(runs)), [len(run.at) for run in runs]), ball] = np.concatenate(
        [run.classes for run in runs]
    )
    return at[new], radii[new], classes[new], member
