"""The set covering machine (Marchand and Shawe-Taylor 2001)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import inf
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.parallel import each
from ..core.query import Query, Rule
from ..core.scm import (
    BALL,
    DELTA,
    HIGH,
    HOLE,
    IN_N,
    IN_P,
    NEVER,
    OUT,
    BinarySCM,
    Machine,
    SCMPath,
    bounds_of,
    first_to_fire,
    grow_each,
    make_family,
    sort_lines,
)
from ..core.statistics.bounds import machine_bound
from ..core.task import Task
from ..core.thresholds import LARGEST
from ..ground.checks import either, one_of
from ..ground.errors import DataError, OptionError, TooLargeError, brief, first_of, shown
from .base import (
    Axes,
    Capabilities,
    Condition,
    LearnedRule,
    Model,
    axis,
    bound_table,
    check_labelled,
    check_number,
    listed,
)

KINDS = ("conjunction", "disjunction")
FEATURES = ("balls", "boolean", "stumps")
PENALTIES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0, inf)
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30)
LEAST, MOST = 1e-4, 1e6  # penalties, which are counted in whole numbers of a millionth
COLUMNS = ["machine", "rule", "centre", "class", "radius", "column", "threshold", "q", "r", "value"]


@dataclass(frozen=True)
class SCM(Model):
    """Set covering machine: a conjunction or disjunction of simple features.

    A conjunction is positive if all of its features are true, a disjunction if any is. P contains
    the positive examples for a conjunction, the negative ones for a disjunction, and N the others,
    which should be covered. Each step adds the feature with the largest value V = |Q| - penalty
    |R|: the examples of N that it is the first to cover, and of P that it is the first to
    misclassify (Marchand and Shawe-Taylor 2002, sections 2 to 4).

    Parameters
    ----------
    features : str
        "balls" around training rows, on any dissimilarity; "boolean", columns of 0 and 1; "stumps",
        thresholds on columns; or unions such as "balls+stumps".
    kind : "conjunction", "disjunction", sequence or "grid"
        Combination of the features. "grid": both.
    penalty : float from 0.0001 to 1,000,000, inf, sequence or "grid"
        Cost p of an error on P. inf: no error is allowed (the consistent machine). "grid": 0.5 to
        16, and inf.
    max_size : int >= 1, sequence, "grid" or None
        Maximum number of features of each binary classifier (the truncated machine). "grid": 1 to
        30 in increasing steps. None: until no feature has a positive value.
    positive : class, or None
        The positive class, in every pair with this class. None: the later class in level order.
    negate : bool
        Whether negations of Boolean columns are features.

    Notes
    -----
    Binary classifiers of all pairs of classes vote; ties go to the first class in level order.

    A ball centred on a P-example contains the rows with d <= rho; a hole centred on an N-example
    excludes the rows with d < rho; rho is the distance of a P-example (or, for a hole, inf). Ties
    in V go to the smaller |R|, then to the first row (centres before columns), then to the smallest
    radius of a ball or the largest of a hole. Weights are not supported. At most 2^27 pairs of rows
    and centres are allowed, see `candidates=`.

    References
    ----------
    Marchand and Shawe-Taylor (2001), *Learning with the Set Covering Machine*; (2002) *The Set
    Covering Machine*, Journal of Machine Learning Research 3.
    """

    name = "scm"
    papers = ("marchand2002",)
    can = Capabilities(
        candidates=frozenset({"subset"}),
        steps=True,
        grid_bounds=True,
        counted="features",
    )
    example: ClassVar[Mapping[str, Any]] = {
        "kind": ("conjunction", "disjunction"),
        "penalty": (1.0, 4.0),
        "max_size": (1, 3),
    }
    never_tuned: ClassVar[frozenset[str]] = frozenset({"features", "positive"})
    words: ClassVar[Mapping[str, str]] = {
        "kind": "kind of machine",
        "penalty": "penalty p of an error on P",
        "max_size": "maximum number of features",
    }

    features: str = "balls"
    kind: Any = "grid"
    penalty: Any = "grid"
    max_size: Any = "grid"
    positive: Any = None
    negate: bool = False

    def __post_init__(self) -> None:
        parts = self.features.split("+") if isinstance(self.features, str) else []
        if not parts or len(set(parts)) < len(parts) or not set(parts) <= set(FEATURES):
            raise OptionError(
                f"features must be {either(FEATURES)}, or a union such as 'balls+stumps', not {brief(self.features)}"
            )
        for kind in listed("scm", "kind", self.kind):
            one_of("kind", kind, (*KINDS, "grid") if kind is self.kind else KINDS)
        check_number(self, "penalty", self.penalty, low=0, above=True, infinite=True)
        for p in listed("scm", "penalty", self.penalty):
            if p != inf and not LEAST <= p <= MOST:
                raise OptionError(
                    f"penalty must be between {LEAST:g} and {MOST:g}, or inf, which allows no error on P, not {p:g}"
                )
        if self.max_size is not None:
            check_number(self, "max_size", self.max_size, low=1, integral=True)
        one_of("negate", self.negate, (True, False))

    @property
    def _radial(self) -> bool:
        """Whether balls are among the features."""
        return "balls" in self.features

    def measures(self, rule: Rule) -> bool:
        return has_balls(rule) or not has_cuts(rule)

    @property
    def shares_work(self) -> bool:
        return True

    def unused(self, classes: int) -> frozenset[str]:
        return frozenset({"negate"} if "boolean" not in self.features.split("+") else ())

    @property
    def title(self) -> str:
        return f"Set covering machine ({self.features})"

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if parameter == "kind":
            return np.array(KINDS)
        if parameter == "penalty":
            return np.array(PENALTIES)
        return np.array([s for s in SIZES if s <= max(1, smallest.sum() // 2)])

    def path(self, task: Task, grid: Axes) -> SCMPath:
        return next(self.paths(task, np.full(len(task.y), -1), 1, grid))[1]

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes
    ) -> Iterator[tuple[int, SCMPath]]:
        kinds, penalties, sizes = (
            axis(grid, name, getattr(self, name)).tolist()
            for name in ("kind", "penalty", "max_size")
        )
        most = None if None in sizes else max(sizes)
        if self._radial and len(task.y) * len(task.candidate_row) > LARGEST:
            raise TooLargeError(
                f"the machine sorts {len(task.y)} x {len(task.candidate_row)} distances, above {LARGEST}: use "
                f"candidates={LARGEST // len(task.y)} or fewer, a random subset of the rows as centres"
            )
        check_labelled(self.name, task)
        parts, runs = (
            list(product(range(folds), kinds)),
            dict[tuple[int, str, float], tuple[BinarySCM, ...]](),
        )
        for pair in self._pairs(task):
            for part, machines in zip(
                parts, self._grow_pair(task, fold, pair, parts, penalties, most), strict=True
            ):
                for penalty, machine in zip(penalties, machines, strict=True):
                    runs[(*part, penalty)] = (*runs.get((*part, penalty), ()), machine)
        classes, report = task.y[task.candidate_row], self._report(task)
        for f in range(folds):
            task.tick()
            of_fold = {
                (kind, penalty): runs[f, kind, penalty]
                for kind, penalty in product(kinds, penalties)
            }
            yield (
                f,
                SCMPath(
                    of_fold, tuple(product(kinds, penalties, sizes)), classes, task.classes, report
                ),
            )

    def _grow_pair(
        self,
        task: Task,
        fold: np.ndarray,
        pair: tuple[int, int],
        parts: list[tuple[int, str]],
        penalties: list[float],
        most: int | None,
    ) -> Iterator[list[BinarySCM]]:
        """The machines of a pair (positive, negative) for every fold and kind, one a penalty."""
        rows = np.flatnonzero(np.isin(task.y, pair))
        centres = (
            np.flatnonzero(np.isin(task.candidate_row, rows))
            if self._radial
            else np.empty(0, np.int64)
        )
        complete = len(rows) == len(task.y) and len(centres) == len(task.candidate_row)
        D = (
            np.empty((len(rows), 0))
            if not len(centres)
            else task.D.array()
            if complete
            else task.D.take(rows, centres)
        )
        X, stumps = self._columns(task)
        sorted_lines = sort_lines(D, X[rows])
        centre_row, is_positive, row_fold = (
            np.searchsorted(rows, task.candidate_row[centres]),
            task.y[rows] == pair[0],
            fold[rows],
        )

        def run(part: tuple[int, str]) -> list[BinarySCM]:
            f, kind = part
            conjunction = kind == "conjunction"
            side = np.where(is_positive == conjunction, IN_P, IN_N).astype(np.int8)
            side[row_fold == f] = OUT
            family = make_family(side[centre_row], X.shape[1], conjunction, stumps, self.negate)
            grown = grow_each(sorted_lines, family, side, penalties, most)
            if inf in penalties and most is None:
                self._check_consistent(task, grown[penalties.index(inf)], side, rows, D, X[rows])
            voters = pair
            # without rows of one class a binary classifier has no features, and votes for the other
            if not (side == IN_P).any():
                voters, grown = pair[::-1], [machine.first(0) for machine in grown]
            return [BinarySCM(*voters, conjunction, machine.moved(centres)) for machine in grown]

        yield from each(run, parts, len(rows) * sorted_lines.order.shape[0] * len(penalties))

    def _pairs(self, task: Task) -> list[tuple[int, int]]:
        """The machines as (positive, negative) class codes."""
        classes = task.classes
        first = -1
        if self.positive is not None:
            try:
                first = task.levels.index(self.positive)
            except (ValueError, TypeError):  # not a level, or not comparable with the levels
                raise OptionError(
                    f"positive must be one of the classes {list(task.levels)}, not {brief(self.positive)}"
                ) from None
        return [(a, b) if a == first else (b, a) for a, b in combinations(range(classes), 2)]

    def _columns(self, task: Task) -> tuple[np.ndarray, np.ndarray]:
        """The columns (n, p) that are cut, and which of them are stumps, bool (p,)."""
        if self.features == "balls":
            return np.empty((len(task.y), 0)), np.empty(0, bool)
        X = task.columns()
        boolean = np.all(np.isin(X, (0.0, 1.0)), axis=0) & ("boolean" in self.features)
        if "stumps" not in self.features and not boolean.all():
            raise DataError(
                f"features={self.features!r} needs columns of 0 and 1, but {(~boolean).sum()} of "
                f"the {X.shape[1]} columns contain other values: use features='stumps', or "
                "'boolean+stumps'"
            )
        return X, ~boolean

    def _report(self, task: Task) -> dict[str, Any]:
        if task.classes == 2:
            return {"positive class": str(task.levels[self._pairs(task)[0][0]])}
        return {
            "machines": f"{len(self._pairs(task))}, one for each pair of classes; they vote, ties by level order"
        }

    def _check_consistent(
        self,
        task: Task,
        machine: Machine,
        side: np.ndarray,
        rows: np.ndarray,
        D: np.ndarray,
        X: np.ndarray,
    ) -> None:
        """Raise if a consistent machine leaves rows of N uncovered."""
        uncovered = np.flatnonzero((first_to_fire(machine, D, X) == NEVER) & (side == IN_N))
        if len(uncovered) == 0:
            return
        names = first_of([shown(task.label(int(rows[i]))) for i in uncovered])
        raise DataError(
            "the machine can't classify all rows correctly, because no feature without errors on "
            f"the other class covers {names} "
            "(are rows of different classes identical?): use a finite penalty=, or max_size="
        )

    def feature_table(self, learned: LearnedRule) -> pd.DataFrame:
        """Table of the features, in the order of selection.

        Columns: `machine` (the binary classifier, if there are several), `rule` (the condition for
        the positive class), `centre`, `class` (of the centre), `radius`, `column`, `threshold`, and
        when selected `q` (|Q|), `r` (|R|) and `value`.
        """
        rule = learned.rule
        design = learned.design() if has_cuts(rule) else pd.DataFrame()
        rows = [
            _feature(learned, design, binary, k)
            for binary in rule.machines
            for k in range(len(binary.machine))
        ]
        out = pd.DataFrame(rows, columns=COLUMNS)
        names = pd.Series([row["centre"] for row in rows], dtype=object).infer_objects()
        out["centre"] = names if len(learned.prototypes) else None
        unused = [] if has_balls(rule) or out.empty else ["centre", "class", "radius"]
        unused += [] if has_cuts(rule) else ["column", "threshold"]
        return out.drop(columns=unused + (["machine"] if len(rule.machines) == 1 else []))

    def notes(self, learned: LearnedRule) -> list[str]:
        """Sentences about binary classifiers without features."""
        empty = [
            machine_name(learned, binary)
            for binary in learned.rule.machines
            if len(binary.machine) == 0
        ]
        return [
            f"Machine {name} has no features, so it always gives the same class." for name in empty
        ]

    def explain(self, learned: LearnedRule, query: Query) -> list[str]:
        """The first feature of each binary classifier that fires on the row, in words."""
        rule, table, begin, sentences = learned.rule, self.feature_table(learned), 0, []
        for binary, position in zip(rule.machines, rule.find_fired(query), strict=True):
            s, size = int(position[0]), len(binary.machine)
            positive = (s < size) != binary.conjunction
            side = learned.classes[binary.positive if positive else binary.negative]
            if s >= size:
                reason = "all conditions hold" if binary.conjunction else "no condition holds"
            else:
                holds = "does not hold" if binary.conjunction else "holds"
                reason = f'"{table["rule"].iloc[begin + s]}" {holds}'
            sentences.append(f"Machine {machine_name(learned, binary)} says {side}: {reason}.")
            begin += size
        return sentences

    def conditions(self, learned: LearnedRule, query: Query) -> list[Condition]:
        """The features of each binary classifier."""
        rule, table = learned.rule, self.feature_table(learned)
        out: list[Condition] = []
        D = query.dissimilarities(rule.prototypes) if has_balls(rule) else None
        X = query.columns() if has_cuts(rule) else None
        for binary, position in zip(rule.machines, rule.find_fired(query), strict=True):
            name = machine_name(learned, binary) if len(rule.machines) > 1 else ""
            classes = binary.positive, binary.negative
            for s in range(len(binary.machine)):
                at, row = int(binary.machine.at[s]), table.iloc[len(out)]
                values, quantity = X, str(row.get("column"))
                if binary.machine.kind[s] <= HOLE:
                    values, quantity = D, f"distance to row {shown(learned.prototypes[at])}"
                assert values is not None
                cut, fires = float(binary.machine.cut[s]), (position >= s, position == s)
                compared = quantity, name, s + 1, classes, values[:, at], cut
                out.append(Condition(row["rule"], *compared, *fires))
        return out

    def bound(self, learned: LearnedRule, delta: float) -> pd.DataFrame:
        """Theorem 5.2 of Marchand and Shawe-Taylor (2001), with delta divided by their number."""
        rule, rows = learned.rule, []
        share = delta / len(rule.machines) / kinds_tried(learned)
        for binary in rule.machines:
            m, reasons = binary.machine, [*learned.reasons]
            if (m.kind > HOLE).any():
                reasons.append("some features are not balls")
            if m.r.any():
                reasons.append("some features misclassify examples of P")
            n, on_p, errors = m.in_n + m.in_p, int((m.kind == BALL).sum()), int(m.wrong()[-1])
            found = machine_bound(n, len(m), on_p, errors, share)
            rows.append((machine_name(learned, binary), n, len(m), on_p, errors, found, reasons))
        return bound_table(rows)

    def step_bounds(self, learned: LearnedRule) -> np.ndarray:
        """The bound of the rule for its first 0, 1, ... features, at delta = 0.05."""
        return bounds_of(learned.rule.machines, DELTA / kinds_tried(learned))


def has_balls(rule: Any) -> bool:
    """Whether a feature is a ball or a hole."""
    return any((binary.machine.kind <= HOLE).any() for binary in rule.machines)


def has_cuts(rule: Any) -> bool:
    """Whether a feature is a cut of a column."""
    return any((binary.machine.kind > HOLE).any() for binary in rule.machines)


def _feature(
    learned: LearnedRule, design: pd.DataFrame, binary: BinarySCM, k: int
) -> dict[str, Any]:
    m, penalty = binary.machine, learned.model.parameters()["penalty"]
    radial, at, cut = m.kind[k] <= HOLE, int(m.at[k]), float(m.cut[k])
    level = learned.classes[learned.rule.prototypes.classes[at]] if radial else None
    name = None if radial else str(design.columns[at])
    text = (
        ball_in_words(binary, k, learned.prototypes[at], level)
        if radial
        else cut_in_words(binary, k, str(name), design)
    )
    return {
        "machine": machine_name(learned, binary),
        "rule": text,
        "centre": learned.prototypes[at] if radial else None,
        "class": level,
        "radius": cut if radial else np.nan,
        "column": name,
        "threshold": np.nan if radial else cut,
        "q": int(m.q[k]),
        "r": int(m.r[k]),
        "value": float(m.q[k]) - (penalty * m.r[k] if m.r[k] else 0.0),
    }


def machine_name(learned: LearnedRule, binary: BinarySCM) -> str:
    """The positive class of a machine against the other."""
    return f"{learned.classes[binary.positive]} against {learned.classes[binary.negative]}"


def ball_in_words(binary: BinarySCM, k: int, centre: Any, level: Any) -> str:
    """A ball or hole as a condition that is true for the positive class."""
    is_ball, rho = binary.machine.kind[k] == BALL, binary.machine.cut[k]
    if rho == inf:
        return "never" if binary.conjunction else "always"
    words = {
        (True, True): "within {} of",
        (False, True): "at least {} from",
        (True, False): "farther than {} from",
        (False, False): "nearer than {} to",
    }
    return f"{words[bool(is_ball), binary.conjunction].format(f'{rho:.4g}')} row {shown(centre)} ({level})"


def cut_in_words(binary: BinarySCM, k: int, name: str, design: pd.DataFrame) -> str:
    """A threshold on a column as a condition that is true for the positive class."""
    fires_above, t = binary.machine.kind[k] == HIGH, binary.machine.cut[k]
    # the features of a conjunction are true for rows for which they do not fire
    above = fires_above != binary.conjunction
    if t == 0.5 and design[name].isin([0.0, 1.0]).all():
        return f"{name} = {int(above)}"
    return f"{name} {'>' if above else '<='} {t:.6g}"


def kinds_tried(learned: LearnedRule) -> int:
    """Number of kinds of machine that were tuned over; delta is divided among them."""
    return max(1, len(set(learned.tried.get("kind", ()))))
