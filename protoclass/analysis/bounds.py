"""Rules in words, and the bounds that sample compression puts on their error."""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.covers.problems import Objective
from ..core.machines.bounds import compression_bound, machine_bound
from ..core.machines.grow import BALL, HIGH, HOLE
from ..core.machines.rule import DELTA, REST, Duel, Machines, bounds_of
from ..errors import NotAvailable, OptionError, brief, shown
from ..models.scm import KINDS, SCM

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def features(fit: Fit) -> pd.DataFrame:
    """One row for each feature of set covering machines, in the order chosen.

    Columns: `machine` (where there are several), `rule` (what holds for the positive class), `centre`, `class` (the
    centre's own), `radius`, `column`, `threshold`, and at the time of choice `q` (|Q|), `r` (|R|) and `value`.
    """
    rule = fit.rule
    assert isinstance(rule, Machines)
    names = fit.frame.design.columns if "columns" in rule.reads else pd.Index([])
    labels, levels = fit.prototypes.index, fit.frame.levels
    rows = []
    for duel in rule.duels:
        m = duel.machine
        for k in range(len(m)):
            radial, at, cut = m.sort[k] <= HOLE, int(m.at[k]), float(m.cut[k])
            own = levels[rule.points.classes[at]] if radial else None
            told = ball(duel, k, labels[at], own) if radial else stump(fit, duel, k, str(names[at]))
            rows.append({
                "machine": named(fit, duel), "rule": told,
                "centre": labels[at] if radial else None, "class": own, "radius": cut if radial else np.nan,
                "column": None if radial else str(names[at]), "threshold": np.nan if radial else cut,
                "q": int(m.q[k]), "r": int(m.r[k]),
                "value": float(m.q[k]) - (fit.model.penalty * m.r[k] if m.r[k] else 0.0),
            })  # fmt: skip
    columns = ["machine", "rule", "centre", "class", "radius", "column", "threshold", "q", "r", "value"]
    out = pd.DataFrame(rows, columns=columns)
    out["centre"] = pd.Series([row["centre"] for row in rows], dtype=object).infer_objects() if labels.size else None
    idle = [] if "D" in rule.reads or out.empty else ["centre", "class", "radius"]
    idle += [] if "columns" in rule.reads else ["column", "threshold"]
    return out.drop(columns=idle + (["machine"] if len(rule.duels) == 1 else []))


def named(fit: Fit, duel: Duel) -> str:
    """The name of a machine: its positive class against the other."""
    levels = fit.frame.levels
    return f"{levels[duel.positive]} against {'the rest' if duel.negative == REST else levels[duel.negative]}"


def ball(duel: Duel, k: int, centre: Any, own: Any) -> str:
    """A ball or hole as a condition that holds for the positive class."""
    is_ball, rho = duel.machine.sort[k] == BALL, duel.machine.cut[k]
    if rho == inf:
        return "never" if duel.conjunction else "always"
    words = {(True, True): "within {} of", (False, True): "at least {} from",
             (True, False): "farther than {} from", (False, False): "nearer than {} to"}  # fmt: skip
    return f"{words[bool(is_ball), duel.conjunction].format(f'{rho:.4g}')} row {shown(centre)} ({own})"


def stump(fit: Fit, duel: Duel, k: int, name: str) -> str:
    """A threshold on a column as a condition that holds for the positive class."""
    fires_above, t = duel.machine.sort[k] == HIGH, duel.machine.cut[k]
    above = fires_above != duel.conjunction  # the features of a conjunction hold where they do not fire
    if t == 0.5 and fit.frame.design[name].isin([0.0, 1.0]).all():
        return f"{name} = {int(above)}"
    return f"{name} {'>' if above else '<='} {t:.6g}"


def bound(fit: Fit, delta: float) -> pd.DataFrame:
    """See `Fit.bound`."""
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < delta < 1:
        raise OptionError(f"delta={brief(delta)}: a number between 0 and 1")
    rule = fit.rule
    common = sampled(fit)
    if isinstance(rule, Machines):
        rows, share = [], delta / len(rule.duels) / kinds(fit)
        for duel in rule.duels:
            m = duel.machine
            against = [*common]
            if (m.sort > HOLE).any():
                against.append("some features are no balls")
            if m.r.any():
                against.append("some features err on examples that they should be right on")
            size, on_p, errors = len(m), int(duel.centres_in_p.sum()), int(m.wrong()[-1])
            told = machine_bound(m.in_n + m.in_p, size, on_p, errors, share)
            rows.append(
                (named(fit, duel), m.in_n + m.in_p, size, on_p, errors, told.value, told.looser, "; ".join(against))
            )
    elif isinstance(rule.report.get("objective"), Objective) and rule.points.at is not None:
        origin, q = fit.dissimilarity.origin[rule.points.at], len(rule.points)
        against = [*common]
        told_wrong = fit.predict().cat.codes.to_numpy() != fit.frame.codes
        if (origin < 0).any():
            against.append("some prototypes are no rows")
        elif (fit.frame.codes[origin] != rule.points.classes).any():
            against.append("some prototypes serve another class than their own")
        elif told_wrong[origin].any():
            against.append("some prototypes are at no distance from one of another class")
        told = compression_bound(fit.nobs, q, 0, int(told_wrong.sum()), delta)
        rows = [(fit.model.name, fit.nobs, q, 0, int(told_wrong.sum()), told.value, told.looser, "; ".join(against))]
    else:
        raise NotAvailable(f"method {fit.model.name!r} has no compression bound; 'scm' and 'pvm' have one")
    columns = ["machine", "rows", "size", "on_p", "errors", "bound", "looser", "against"]
    out = pd.DataFrame(rows, columns=columns).set_index("machine")
    out.insert(6, "proved", out["against"] == "")
    return out


def path_bounds(fit: Fit) -> np.ndarray:
    """The bound of all machines together for their first 0, 1, ... features, at delta = 0.05."""
    assert isinstance(fit.rule, Machines)
    return bounds_of(fit.rule.duels, DELTA / kinds(fit))


def kinds(fit: Fit) -> int:
    """Kinds of machine that the data chose from: each has a reconstruction of its own, among which delta is shared."""
    asked = fit.call.arguments.get("method")
    kind = asked.kind if isinstance(asked, SCM) else fit.call.arguments.get("kind", SCM.kind)
    return len(KINDS) if isinstance(kind, str) and kind == "grid" else 1 if isinstance(kind, str) else len(set(kind))


def sampled(fit: Fit) -> list[str]:
    """What in the data's preparation depends on the sample, so that no compression set alone gives the rule again."""
    out = []
    if "D" in fit.rule.reads and fit.dissimilarity.metric.learns:
        out.append("the dissimilarity depends on the sample (scaled columns, ranges or ranks)")
    if fit.frame.formula.learns():
        out.append("a transform in the formula depends on the sample")
    if np.ptp(fit.frame.weights) > 0:
        out.append("rows have different weights")
    return out
