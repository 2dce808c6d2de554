"""Descriptions of set covering machines: their features in words, their bounds, and the reasons for a row's class."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pandas as pd

from ..core.machines.bounds import machine_bound
from ..core.machines.grow import BALL, HIGH, HOLE
from ..core.machines.rule import DELTA, REST, BinarySCM, SCMRule, bounds_of
from ..core.query import Query
from ..core.task import Rule
from ..errors import shown
from .capabilities import Condition, Learned, bound_table

COLUMNS = ["machine", "rule", "centre", "class", "radius", "column", "threshold", "q", "r", "value"]


def scm_rule(rule: Rule) -> SCMRule:
    assert isinstance(rule, SCMRule)
    return rule


def has_balls(rule: Rule) -> bool:
    """Whether a feature is a ball or a hole."""
    return any((one.machine.kind <= HOLE).any() for one in scm_rule(rule).machines)


def has_cuts(rule: Rule) -> bool:
    """Whether a feature is a cut of a column."""
    return any((one.machine.kind > HOLE).any() for one in scm_rule(rule).machines)


def features(learned: Learned) -> pd.DataFrame:
    """One row for each feature of set covering machines, in the order of their choice.

    Columns: `machine` (if there are several), `rule` (the condition for the positive class), `centre`, `class` (that of
    the centre), `radius`, `column`, `threshold`, and at the time of choice `q` (|Q|), `r` (|R|) and `value`.
    """
    rule = scm_rule(learned.rule)
    design = learned.design() if has_cuts(rule) else pd.DataFrame()
    rows = [_feature(learned, design, one, k) for one in rule.machines for k in range(len(one.machine))]
    out = pd.DataFrame(rows, columns=COLUMNS)
    names = pd.Series([row["centre"] for row in rows], dtype=object).infer_objects()
    out["centre"] = names if len(learned.prototypes) else None
    unused = [] if has_balls(rule) or out.empty else ["centre", "class", "radius"]
    unused += [] if has_cuts(rule) else ["column", "threshold"]
    return out.drop(columns=unused + (["machine"] if len(rule.machines) == 1 else []))


def _feature(learned: Learned, design: pd.DataFrame, one: BinarySCM, k: int) -> dict[str, Any]:
    m, penalty = one.machine, learned.model.parameters()["penalty"]
    radial, at, cut = m.kind[k] <= HOLE, int(m.at[k]), float(m.cut[k])
    own = learned.classes[learned.rule.prototypes.classes[at]] if radial else None
    name = None if radial else str(design.columns[at])
    text = ball_in_words(one, k, learned.prototypes[at], own) if radial else cut_in_words(one, k, str(name), design)
    return {
        "machine": machine_name(learned, one), "rule": text,
        "centre": learned.prototypes[at] if radial else None, "class": own, "radius": cut if radial else np.nan,
        "column": name, "threshold": np.nan if radial else cut,
        "q": int(m.q[k]), "r": int(m.r[k]), "value": float(m.q[k]) - (penalty * m.r[k] if m.r[k] else 0.0),
    }  # fmt: skip


def machine_name(learned: Learned, one: BinarySCM) -> str:
    """The name of a machine: its positive class against the other."""
    other = "the rest" if one.negative == REST else learned.classes[one.negative]
    return f"{learned.classes[one.positive]} against {other}"


def ball_in_words(one: BinarySCM, k: int, centre: Any, own: Any) -> str:
    """A ball or hole as a condition that holds for the positive class."""
    is_ball, rho = one.machine.kind[k] == BALL, one.machine.cut[k]
    if rho == inf:
        return "never" if one.conjunction else "always"
    words = {(True, True): "within {} of", (False, True): "at least {} from",
             (True, False): "farther than {} from", (False, False): "nearer than {} to"}  # fmt: skip
    return f"{words[bool(is_ball), one.conjunction].format(f'{rho:.4g}')} row {shown(centre)} ({own})"


def cut_in_words(one: BinarySCM, k: int, name: str, design: pd.DataFrame) -> str:
    """A threshold on a column as a condition that holds for the positive class."""
    fires_above, t = one.machine.kind[k] == HIGH, one.machine.cut[k]
    above = fires_above != one.conjunction  # the features of a conjunction hold where they do not fire
    if t == 0.5 and design[name].isin([0.0, 1.0]).all():
        return f"{name} = {int(above)}"
    return f"{name} {'>' if above else '<='} {t:.6g}"


def bound(learned: Learned, delta: float) -> pd.DataFrame:
    """Theorem 5.2 of Marchand and Shawe-Taylor (2001) for each machine; the machines share delta."""
    rule, rows = scm_rule(learned.rule), []
    share = delta / len(rule.machines) / kinds_tried(learned)
    for one in rule.machines:
        m, reasons = one.machine, [*learned.reasons]
        if (m.kind > HOLE).any():
            reasons.append("some features are not balls")
        if m.r.any():
            reasons.append("some features misclassify examples of P")
        n, size, on_p, errors = m.in_n + m.in_p, len(m), int(one.centres_in_p.sum()), int(m.wrong()[-1])
        machine_bounds = machine_bound(n, size, on_p, errors, share)
        rows.append((machine_name(learned, one), n, size, on_p, errors, machine_bounds, reasons))
    return bound_table(rows)


def step_bounds(learned: Learned) -> np.ndarray:
    """The bound of all machines together for their first 0, 1, ... features, at delta = 0.05."""
    return bounds_of(scm_rule(learned.rule).machines, DELTA / kinds_tried(learned))


def kinds_tried(learned: Learned) -> int:
    """Number of kinds of machine from which the data chose: each has its own reconstruction, and delta is divided among them."""
    return max(1, len(set(learned.tried.get("kind", ()))))


def notes(learned: Learned) -> list[str]:
    """Sentences about machines without features."""
    empty = [machine_name(learned, one) for one in scm_rule(learned.rule).machines if len(one.machine) == 0]
    return [f"Machine {name} has no features, so it always gives the same class." for name in empty]


def why(learned: Learned, query: Query) -> list[str]:
    """For each machine, the first feature that fires on the row, in words."""
    rule, table, begin, sentences = scm_rule(learned.rule), features(learned), 0, []
    for one, position in zip(rule.machines, rule.find_fired(query), strict=True):
        s, size = int(position[0]), len(one.machine)
        positive = (s < size) != one.conjunction
        side = learned.classes[one.positive] if positive else "not so"
        if not positive and one.negative >= 0:
            side = str(learned.classes[one.negative])
        if s >= size:
            reason = "all conditions hold" if one.conjunction else "no condition holds"
        else:
            holds = "does not hold" if one.conjunction else "holds"
            reason = f'"{table["rule"].iloc[begin + s]}" {holds}'
        sentences.append(f"Machine {machine_name(learned, one)} says {side}: {reason}.")
        begin += size
    return sentences


def conditions(learned: Learned, query: Query) -> list[Condition]:
    """The features of each machine, with the distance or the column of each row that they cut."""
    rule, table = scm_rule(learned.rule), features(learned)
    out: list[Condition] = []
    D = query.dissimilarities(rule.prototypes) if has_balls(rule) else None
    X = query.columns() if has_cuts(rule) else None
    every = tuple(range(len(learned.classes)))
    for one, position in zip(rule.machines, rule.find_fired(query), strict=True):
        name = machine_name(learned, one) if len(rule.machines) > 1 else ""
        classes = every if one.negative == REST else (one.positive, one.negative)
        for s in range(len(one.machine)):
            at, row, values = int(one.machine.at[s]), table.iloc[len(out)], D if one.machine.kind[s] <= HOLE else X
            assert values is not None
            quantity = f"distance to row {shown(learned.prototypes[at])}" if values is D else str(row["column"])
            cut = float(one.machine.cut[s])
            out.append(Condition(row["rule"], quantity, name, s + 1, classes, values[:, at], cut, position >= s, position == s))
    return out
