"""Set covering machines as rules: one machine for two classes, or several that vote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...ground.errors import short
from ...ground.savable import savable
from .. import Array
from ..task import Points, WithPrototypes
from .bounds import machine_bound
from .grow import BALL, HOLE, LOW, Machine

if TYPE_CHECKING:
    from ..query import Query, Statement


REST = -1  # all other classes together
NEVER = 2**31
DELTA = 0.05
# the condition for the positive class, by whether the feature is a ball and the machine a conjunction
HOLDS = {
    (True, True): "d <= radius",
    (False, True): "d >= radius",
    (True, False): "d > radius",
    (False, False): "d < radius",
}


@savable
@dataclass(frozen=True)
class BinarySCM:
    """A machine that separates a class from another, or from all others.

    Attributes
    ----------
    positive, negative : int
        Class codes; negative is REST for a machine against all other classes.
    conjunction : bool
    machine : Machine
        Its balls and holes are numbered by their positions among the prototypes of the rule, `machine.at`.
    """

    positive: int
    negative: int
    conjunction: bool
    machine: Machine

    __repr__ = short

    @property
    def centres_in_p(self) -> Array:
        """Whether each feature is a ball centred on a P-example, bool (s,)."""
        return np.asarray(self.machine.kind == BALL)


def first_to_fire(machine: Machine, D: Array, X: Array) -> Array:
    """Position of the first feature that fires on each row, int (r,); NEVER if none does.

    Balls and holes read D (r, q), cuts of columns read X (r, p).
    """
    out = np.full(len(D), NEVER)
    for s in range(len(machine) - 1, -1, -1):
        kind, at, cut = machine.kind[s], machine.at[s], machine.cut[s]
        if kind in (BALL, HOLE):
            hit = D[:, at] > cut if kind == BALL else D[:, at] < cut
        else:
            hit = X[:, at] <= cut if kind == LOW else X[:, at] > cut
        out[hit] = s
    return out


def fires_in_sql(machine: Machine, statement: Statement) -> str:
    """Whether any feature of a machine fires, as SQL; its features are cuts of columns."""
    def condition(kind: int, at: int, cut: float) -> str:
        if np.isinf(cut):
            return "1 = 1" if (cut > 0) == (kind == LOW) else "1 = 0"
        return f"{statement.column(at)} {'<=' if kind == LOW else '>'} {statement.number(cut)}"

    cuts = zip(machine.kind.tolist(), machine.at.tolist(), machine.cut.tolist(), strict=True)
    return " OR ".join(condition(*cut) for cut in cuts) or "1 = 0"


def find_fired(machines: Iterable[Machine], prototypes: Points, query: Query) -> list[Array]:
    """Position of the first feature of each machine that fires on the rows of a query, see `first_to_fire`.

    Dissimilarities are measured only if a machine has balls or holes, and columns computed only if one has cuts.
    """
    all_machines = tuple(machines)
    kinds = np.concatenate([machine.kind for machine in all_machines])
    no_columns = np.empty((len(query), 0))
    D = query.dissimilarities(prototypes) if (kinds <= HOLE).any() else no_columns
    X = query.columns() if (kinds >= LOW).any() else no_columns
    return [first_to_fire(machine, D, X) for machine in all_machines]


def count_votes(machines: tuple[BinarySCM, ...], first: list[Array], size: int, classes: int) -> Array:
    """Votes (r, classes) of the machines' first `size` features; a machine against the rest votes for its class or not at all."""
    fires = np.array(first) < size  # a row then has the class of N, the negative one for a conjunction
    positive, negative, conjunction = np.array([(d.positive, d.negative, d.conjunction) for d in machines]).T[:, :, None]
    voted = np.where(fires == conjunction, negative, positive)
    voted[voted == REST] = classes
    cells = voted + (classes + 1) * np.arange(voted.shape[1])
    votes = np.bincount(cells.ravel(), minlength=(classes + 1) * voted.shape[1])
    return votes.reshape(-1, classes + 1)[:, :classes]


@savable
@dataclass(frozen=True)
class SCMRule(WithPrototypes):
    """Rule: machines that vote; of classes with equal votes the first in level order wins.

    Attributes
    ----------
    prototypes : Points
        The centres of the balls and holes, machine by machine, in the order chosen.
    machines : tuple of BinarySCM
    classes : int
        Number of classes.
    report : mapping of str to value
        Entries for the printed fit and the summary.
    """

    prototypes: Points
    machines: tuple[BinarySCM, ...]
    classes: int
    report: Mapping[str, Any] = field(default_factory=dict)
    kinds: ClassVar[tuple[str, ...]] = ("class", "decision")

    __repr__ = short

    @property
    def size(self) -> float:
        return float(sum(len(binary.machine) for binary in self.machines))

    def predict(self, kind: str, query: Query) -> Array:
        votes = count_votes(self.machines, self.find_fired(query), self._longest, self.classes)
        return votes.argmax(axis=1) if kind == "class" else votes.astype(float)

    @property
    def _longest(self) -> int:
        return max(len(binary.machine) for binary in self.machines)

    @property
    def steps(self) -> Mapping[str, Array]:
        sizes = range(self._longest + 1)
        out = {"size": np.array([float(sum(min(s, len(d.machine)) for d in self.machines)) for s in sizes])}
        if len(self.machines) == 1:
            m = self.machines[0].machine
            none = [np.nan]
            out |= {"q": np.concatenate([none, m.q]), "r": np.concatenate([none, m.r])}
        return out

    def find_fired(self, query: Query) -> list[Array]:
        """Position of the first feature of each machine that fires on the rows, NEVER if none does."""
        return find_fired((binary.machine for binary in self.machines), self.prototypes, query)

    def walk(self, query: Query) -> Iterator[Array]:
        first = self.find_fired(query)
        for size in range(self._longest + 1):
            yield count_votes(self.machines, first, size, self.classes).argmax(axis=1)

    def first(self, size: int) -> SCMRule:
        """The first `size` features of each machine."""
        at = self.prototypes.at
        assert at is not None
        machines = [replace(d, machine=d.machine.first(size).moved(at)) for d in self.machines]
        report = {**self.report, "features": sum(len(d.machine) for d in machines)}
        report.pop("stop at", None)
        return assemble(tuple(machines), self._own, self.classes, report)

    @property
    def _own(self) -> Mapping[int, int]:
        assert self.prototypes.at is not None
        return dict(zip(self.prototypes.at.tolist(), self.prototypes.classes.tolist(), strict=True))

    @property
    def why_not_sql(self) -> str:
        radial = any((binary.machine.kind <= HOLE).any() for binary in self.machines)
        return "it has balls or holes, and of its features thresholds of columns alone are written" if radial else ""

    def sql(self, statement: Statement) -> str:
        votes: dict[int, list[str]] = {c: [] for c in range(self.classes)}
        for binary in self.machines:
            fires = fires_in_sql(binary.machine, statement)
            of_n, of_p = (binary.negative, binary.positive) if binary.conjunction else (binary.positive, binary.negative)
            for code, cast, other in ((of_n, 1, 0), (of_p, 0, 1)):
                if code != REST:
                    votes[code].append(f"CASE WHEN {fires} THEN {cast} ELSE {other} END")
        return statement.most({code: " + ".join(cast) or "0" for code, cast in votes.items()})


def bounds_of(machines: tuple[BinarySCM, ...], delta: float = DELTA) -> Array:
    """A bound on the error of all machines together, for their first 0, 1, ... features.

    It is the sum of the bounds of the machines, each at delta / number of machines.
    """
    all_m = [binary.machine for binary in machines]
    sizes = np.array([len(m) + 1 for m in all_m])
    steps = np.concatenate([np.arange(size) for size in sizes])
    on_p = np.concatenate([np.cumsum([0, *binary.centres_in_p]) for binary in machines])
    wrong = np.concatenate([m.wrong() for m in all_m])
    rows = np.repeat([m.in_n + m.in_p for m in all_m], sizes)
    bounds = np.split(machine_bound(rows, steps, on_p, wrong, delta / len(machines)).value, np.cumsum(sizes)[:-1])
    total = np.zeros(sizes.max())
    for bound in bounds:
        total[: len(bound)] += bound
        total[len(bound) :] += bound[-1]
    return np.minimum(1.0, total)


def assemble(
    machines: tuple[BinarySCM, ...], own: Mapping[int, int] | Array, classes: int, report: Mapping[str, Any]
) -> SCMRule:
    """The rule of machines whose balls are numbered by columns of D; `own` is the class of each column."""
    placed, at, radii, table = [], [], [], {"machine": [], "radius": [], "holds": [], "q": [], "r": []}  # type: ignore[var-annotated]
    for number, binary in enumerate(machines):
        m = binary.machine
        radial = np.flatnonzero(m.kind <= HOLE)
        positions = m.at.copy()
        positions[radial] = len(at) + np.arange(len(radial))
        placed.append(replace(binary, machine=replace(m, at=positions)))
        at += m.at[radial].tolist()
        radii += m.cut[radial].tolist()
        table["machine"] += [number + 1] * len(radial)
        table["radius"] += m.cut[radial].tolist()
        table["holds"] += [HOLDS[kind == BALL, binary.conjunction] for kind in m.kind[radial].tolist()]
        table["q"] += m.q[radial].tolist()
        table["r"] += m.r[radial].tolist()
    codes = np.array([own[j] for j in at], np.int64)
    columns = {name: np.array(values) for name, values in table.items()}
    if len(machines) == 1:
        del columns["machine"]
    prototypes = Points(codes, at=np.array(at, np.int64), radii=np.array(radii, float), table=columns)
    return SCMRule(prototypes, tuple(placed), classes, report)


@dataclass(frozen=True)
class SCMPath:
    """Path of the set covering machine over kinds, penalties and stops.

    Attributes
    ----------
    runs : mapping of (kind, penalty) to tuple of BinarySCM
        Balls are numbered by columns of D.
    grid : tuple of (kind, penalty, stop)
    own : int array (m,)
        Class of each column of D.
    classes : int
    report : mapping
        The report of every rule.
    """

    runs: Mapping[tuple[str, float], tuple[BinarySCM, ...]]
    grid: tuple[tuple[str, float, int | None], ...]
    own: Array
    classes: int
    report: Mapping[str, Any]
    kinds: ClassVar[tuple[str, ...]] = ("class",)

    @cached_property
    def _union(self) -> Array:
        used = [d.machine.at[d.machine.kind <= HOLE] for machines in self.runs.values() for d in machines]
        return np.unique(np.concatenate(used)).astype(np.int64)

    @cached_property
    def prototypes(self) -> Points:
        return Points(self.own[self._union], at=self._union)

    @cached_property
    def _lengths(self) -> Mapping[tuple[str, float], Array]:
        """Features of the machines of each run."""
        return {key: np.array([len(d.machine) for d in machines]) for key, machines in self.runs.items()}

    @cached_property
    def _sizes(self) -> list[int]:
        """Features of the longest machine at each point of the grid."""
        longest = {key: int(lengths.max()) for key, lengths in self._lengths.items()}
        return [longest[k, p] if stop is None else min(stop, longest[k, p]) for k, p, stop in self.grid]

    @property
    def size(self) -> Array:
        of_grid = zip(self.grid, self._sizes, strict=True)
        return np.array([float(np.minimum(self._lengths[k, p], size).sum()) for (k, p, _), size in of_grid])

    @cached_property
    def bounds(self) -> Array:
        """Theorem 5.2 for each rule, at delta = 0.05 shared among the kinds that the grid chooses from."""
        share = DELTA / len({kind for kind, _, _ in self.grid})
        bounds = {key: bounds_of(machines, share) for key, machines in self.runs.items()}
        return np.array([bounds[k, p][s] for (k, p, _), s in zip(self.grid, self._sizes, strict=True)])

    def predict(self, kind: str, query: Query) -> Array:
        out = np.empty((len(query), len(self.grid)), np.int64)
        position = np.full(len(self.own), -1)
        position[self._union] = np.arange(len(self._union))
        all_machines = [d.machine.moved(position) for machines in self.runs.values() for d in machines]
        first = iter(find_fired(all_machines, self.prototypes, query))
        of_run = {key: [next(first) for _ in machines] for key, machines in self.runs.items()}
        known: dict[tuple[str, float, int], Array] = {}  # many stops are longer than any machine
        for g, ((k, p, _), size) in enumerate(zip(self.grid, self._sizes, strict=True)):
            if (k, p, size) not in known:
                known[k, p, size] = count_votes(self.runs[k, p], of_run[k, p], size, self.classes).argmax(axis=1)
            out[:, g] = known[k, p, size]
        return out

    def at(self, g: int) -> SCMRule:
        kind, penalty, stop = self.grid[g]
        machines = tuple(replace(d, machine=d.machine.first(self._sizes[g])) for d in self.runs[kind, penalty])
        parameters = {"kind": kind, "penalty p": penalty, **({} if stop is None else {"stop at": stop})}
        parameters["features"] = sum(len(d.machine) for d in machines)
        return assemble(machines, self.own, self.classes, {**parameters, **self.report})

    def moved(self, columns: Array) -> SCMPath:
        own = np.full(int(columns.max(initial=-1)) + 1, REST)
        own[columns] = self.own
        runs = {
            key: tuple(replace(d, machine=d.machine.moved(columns)) for d in machines)
            for key, machines in self.runs.items()
        }
        return replace(self, runs=runs, own=own)
