"""Set covering machines as rules: one for two classes, or several that vote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..task import Points
from .bounds import machine_bound
from .grow import BALL, HOLE, LOW, Machine

Array = NDArray[Any]
REST = -1  # all other classes together
NEVER = 2**31
DELTA = 0.05
# what holds for the positive class, by whether the feature is a ball and the machine a conjunction
HOLDS = {
    (True, True): "d <= radius",
    (False, True): "d >= radius",
    (True, False): "d > radius",
    (False, False): "d < radius",
}


@dataclass(frozen=True)
class Duel:
    """A machine that tells a class from another, or from all others.

    Attributes
    ----------
    positive, negative : int
        Class codes; negative is REST where the machine stands against all others.
    conjunction : bool
    machine : Machine
        Its balls and holes are numbered by their places among the points of the rule, `machine.at`.
    """

    positive: int
    negative: int
    conjunction: bool
    machine: Machine

    @property
    def centres_in_p(self) -> Array:
        """Whether each feature is a ball centred on a P-example, bool (s,)."""
        return np.asarray(self.machine.sort == BALL)

    def bounds(self, delta: float) -> Array:
        """Theorem 5.2 for the first 0, 1, ... features, (s + 1,)."""
        m = self.machine
        on_p = np.concatenate([[0], np.cumsum(self.centres_in_p)])
        return machine_bound(m.in_n + m.in_p, np.arange(len(m) + 1), on_p, m.wrong(), delta).value


def first_to_fire(machine: Machine, D: Array, X: Array | None) -> Array:
    """Place of the first feature that fires on each row, int (r,); NEVER where none does."""
    out = np.full(len(D), NEVER)
    for s in range(len(machine) - 1, -1, -1):
        sort, at, cut = machine.sort[s], machine.at[s], machine.cut[s]
        if sort in (BALL, HOLE):
            hit = D[:, at] > cut if sort == BALL else D[:, at] < cut
        else:
            assert X is not None
            hit = X[:, at] <= cut if sort == LOW else X[:, at] > cut
        out[hit] = s
    return out


def elect(duels: tuple[Duel, ...], fired: list[Array], size: int, classes: int) -> Array:
    """Votes (r, classes) of the machines' first `size` features; a machine against the rest votes for its class or not at all."""
    votes = np.zeros((len(fired[0]), classes + 1), np.int64)
    rows = np.arange(len(votes))
    for duel, first in zip(duels, fired, strict=True):
        fires = first < size  # then it is the class of N, which is the negative one of a conjunction
        votes[rows, np.where(fires == duel.conjunction, duel.negative, duel.positive)] += 1
    return votes[:, :classes]


@dataclass(frozen=True)
class Machines:
    """Rule: machines that vote; of classes with equal votes the first in level order wins.

    Attributes
    ----------
    points : Points
        The centres of the balls and holes, machine by machine, in the order chosen.
    """

    points: Points
    duels: tuple[Duel, ...]
    classes: int
    report: Mapping[str, Any] = field(default_factory=dict)
    kinds: ClassVar[tuple[str, ...]] = ("class", "decision")

    @property
    def reads(self) -> str:
        return read_by(self.duels)

    @property
    def size(self) -> float:
        return float(sum(len(duel.machine) for duel in self.duels))

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        fired = [first_to_fire(duel.machine, D, X) for duel in self.duels]
        votes = elect(self.duels, fired, self._longest, self.classes)
        return votes.argmax(axis=1) if kind == "class" else votes.astype(float)

    @property
    def _longest(self) -> int:
        return max(len(duel.machine) for duel in self.duels)

    @property
    def steps(self) -> Mapping[str, Array]:
        sizes = range(self._longest + 1)
        out = {"size": np.array([float(sum(min(s, len(d.machine)) for d in self.duels)) for s in sizes])}
        if len(self.duels) == 1:
            m = self.duels[0].machine
            none = [np.nan]
            out |= {"q": np.concatenate([none, m.q]), "r": np.concatenate([none, m.r])}
        return out

    def walk(self, D: Array, X: Array | None = None) -> Iterator[Array]:
        fired = [first_to_fire(duel.machine, D, X) for duel in self.duels]
        for size in range(self._longest + 1):
            yield elect(self.duels, fired, size, self.classes).argmax(axis=1)

    def first(self, size: int) -> Machines:
        """The first `size` features of each machine."""
        at = self.points.at
        assert at is not None
        duels = [replace(d, machine=d.machine.first(size).moved(at)) for d in self.duels]
        report = {**self.report, "features": sum(len(d.machine) for d in duels)}
        report.pop("stop at", None)
        return assembled(tuple(duels), self._own, self.classes, report)

    @property
    def _own(self) -> Mapping[int, int]:
        assert self.points.at is not None
        return dict(zip(self.points.at.tolist(), self.points.classes.tolist(), strict=True))

    def moved(self, columns: Array) -> Machines:
        return replace(self, points=self.points.moved(columns))


def bounds_of(duels: tuple[Duel, ...], delta: float = DELTA) -> Array:
    """A bound on the error of all machines together, for their first 0, 1, ... features.

    It is the sum of theirs, each at delta / number of machines.
    """
    each = [duel.bounds(delta / len(duels)) for duel in duels]
    longest = max(map(len, each))
    return np.asarray(np.minimum(1.0, np.sum([np.pad(b, (0, longest - len(b)), "edge") for b in each], axis=0)))


def read_by(duels: tuple[Duel, ...]) -> str:
    sorts = np.concatenate([duel.machine.sort for duel in duels])
    balls, stumps = bool((sorts <= HOLE).any()), bool((sorts >= LOW).any())
    return "D+columns" if balls and stumps else "columns" if stumps else "D"


def assembled(
    duels: tuple[Duel, ...], own: Mapping[int, int] | Array, classes: int, report: Mapping[str, Any]
) -> Machines:
    """The rule of machines whose balls are numbered by columns of D; `own` is the class of each column."""
    placed, at, radii, table = [], [], [], {"machine": [], "radius": [], "holds": [], "q": [], "r": []}  # type: ignore[var-annotated]
    for number, duel in enumerate(duels):
        m = duel.machine
        radial = np.flatnonzero(m.sort <= HOLE)
        places = m.at.copy()
        places[radial] = len(at) + np.arange(len(radial))
        placed.append(replace(duel, machine=replace(m, at=places)))
        at += m.at[radial].tolist()
        radii += m.cut[radial].tolist()
        table["machine"] += [number + 1] * len(radial)
        table["radius"] += m.cut[radial].tolist()
        table["holds"] += [HOLDS[sort == BALL, duel.conjunction] for sort in m.sort[radial].tolist()]
        table["q"] += m.q[radial].tolist()
        table["r"] += m.r[radial].tolist()
    codes = np.array([own[j] for j in at], np.int64)
    columns = {name: np.array(values) for name, values in table.items()}
    if len(duels) == 1:
        del columns["machine"]
    points = Points(codes, at=np.array(at, np.int64), radii=np.array(radii, float), table=columns)
    return Machines(points, tuple(placed), classes, report)


@dataclass(frozen=True)
class MachinePath:
    """Path of the set covering machine over kinds, penalties and stops.

    Attributes
    ----------
    runs : mapping of (kind, penalty) to tuple of Duel
        Balls are numbered by columns of D.
    grid : tuple of (kind, penalty, stop)
    own : int array (m,)
        Class of each column of D.
    classes : int
    report : mapping
        What every rule has to say.
    """

    runs: Mapping[tuple[str, float], tuple[Duel, ...]]
    grid: tuple[tuple[str, float, int | None], ...]
    own: Array
    classes: int
    report: Mapping[str, Any]
    kinds: ClassVar[tuple[str, ...]] = ("class",)

    @cached_property
    def _union(self) -> Array:
        used = [d.machine.at[d.machine.sort <= HOLE] for duels in self.runs.values() for d in duels]
        return np.unique(np.concatenate(used)).astype(np.int64)

    @property
    def points(self) -> Points:
        return Points(self.own[self._union], at=self._union)

    @property
    def reads(self) -> str:
        return read_by(tuple(duel for duels in self.runs.values() for duel in duels))

    def _sizes(self) -> list[int]:
        longest = {key: max(len(d.machine) for d in duels) for key, duels in self.runs.items()}
        return [longest[k, p] if stop is None else min(stop, longest[k, p]) for k, p, stop in self.grid]

    @property
    def size(self) -> Array:
        return np.array([
            float(sum(min(s, len(d.machine)) for d in self.runs[k, p])) for (k, p, _), s in zip(self.grid, self._sizes(), strict=True)
        ])  # fmt: skip

    @property
    def bounds(self) -> Array:
        """Theorem 5.2 for each rule, at delta = 0.05 shared among the kinds that the grid chooses from."""
        share = DELTA / len({kind for kind, _, _ in self.grid})
        found = {key: bounds_of(duels, share) for key, duels in self.runs.items()}
        return np.array([found[k, p][s] for (k, p, _), s in zip(self.grid, self._sizes(), strict=True)])

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        out = np.empty((len(D), len(self.grid)), np.int64)
        place = np.full(len(self.own), -1)
        place[self._union] = np.arange(len(self._union))
        fired = {key: [first_to_fire(d.machine.moved(place), D, X) for d in duels] for key, duels in self.runs.items()}
        for g, ((k, p, _), size) in enumerate(zip(self.grid, self._sizes(), strict=True)):
            out[:, g] = elect(self.runs[k, p], fired[k, p], size, self.classes).argmax(axis=1)
        return out

    def at(self, g: int) -> Machines:
        kind, penalty, stop = self.grid[g]
        duels = tuple(replace(d, machine=d.machine.first(self._sizes()[g])) for d in self.runs[kind, penalty])
        told = {"kind": kind, "penalty p": penalty, **({} if stop is None else {"stop at": stop})}
        told["features"] = sum(len(d.machine) for d in duels)
        return assembled(duels, self.own, self.classes, {**told, **self.report})

    def moved(self, columns: Array) -> MachinePath:
        own = np.full(int(columns.max(initial=-1)) + 1, REST)
        own[columns] = self.own
        runs = {
            key: tuple(replace(d, machine=d.machine.moved(columns)) for d in duels) for key, duels in self.runs.items()
        }
        return replace(self, runs=runs, own=own)
