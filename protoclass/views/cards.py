"""What there is to say of one prototype and of one observation: words, and the rows that they speak of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..models.scm_words import features
from ..plots.style import named
from ..core.machines.rule import Machines, first_to_fire
from ..core.sources import Rep, Source, part
from ..core.task import Points
from ..errors import shown
from ..estimation.fit import Fit
from ..estimation.problem import columns_of, places, read
from .coverage import Reach, as_points, measured

RIVALS = 5
COVERS, HOLDS, WRONGLY = "covers first", "holds, covered before", "holds wrongly"
SPEAKS, WITHIN, RIVAL = "is nearest to", "within its radius", "rival"
NEAREST, VOTE, DECISION = "nearest of class", "probability of class", "decision for class"
NONE = np.empty(0, np.int64)
COLUMNS = ["relation", "label", "class", "value"]


@dataclass(frozen=True)
class Said:
    """Of a prototype or an observation.

    Attributes
    ----------
    title, words : str
    table : DataFrame
        `relation` (to it), `label`, `class` and `value`: a distance, or the share of votes or the decision value for a class.
    rows, wrong : int arrays
        The rows that a prototype covers first (or is nearest to), and those that it holds wrongly.
    places : int array
        The prototypes that decide on a row, the nearest of each class.
    """

    title: str
    words: str
    table: pd.DataFrame
    rows: np.ndarray = field(default_factory=lambda: NONE)
    wrong: np.ndarray = field(default_factory=lambda: NONE)
    places: np.ndarray = field(default_factory=lambda: NONE)


def labels_of(fit: Fit) -> pd.Index:
    """Labels of the prototypes, in the order chosen."""
    points = fit.rule.points
    return fit.dissimilarity.labels[points.at] if points.at is not None else fit.prototypes.index


def of_prototype(fit: Fit, source: Source | None, told: Reach, place: int) -> Said:
    """What the prototype at a place in the order covers first and wrongly, and which prototypes of other classes are near.

    Where the rule has no balls that cover: which rows it is nearest to, or which lie within its radius.
    """
    points, frame, related = fit.rule.points, fit.frame, fit.dissimilarity
    level, label, n = fit.classes[points.classes[place]], labels_of(fit)[place], len(points)
    own = frame.codes == points.classes[place]
    d = _to_point(fit, source, place)
    parts: list[tuple[str, np.ndarray]] = []
    if told.first is not None and points.radii is not None:
        inside = d < points.radii[place]
        parts = [(COVERS, told.first == place), (HOLDS, inside & own & (told.first != place)), (WRONGLY, inside & ~own)]
    elif told.nearest is not None:
        parts = [(SPEAKS, told.nearest == place)]
    elif points.radii is not None:
        parts = [(WITHIN, d <= points.radii[place])]
    rows = [_rows(fit, relation, np.flatnonzero(mask), d) for relation, mask in parts]
    at, far = rivals(fit, source, place)
    names = pd.DataFrame(
        {"relation": RIVAL, "label": labels_of(fit)[at], "class": _levels(fit, points.classes[at]), "value": far}
    )
    row = -1 if points.at is None else int(related.origin[points.at[place]])
    same = (
        ""
        if row < 0 or frame.codes[row] == points.classes[place]
        else f" (its own class: {fit.classes[frame.codes[row]]})"
    )
    order = (
        f", {place + 1} of {n} in the order chosen" if "support" not in points.table and points.at is not None else ""
    )
    return Said(
        f"Prototype {shown(label)}: {level}{same}{order}",
        _counts(parts, own) + _machine(points, place),
        pd.concat([*rows, names], ignore_index=True)[COLUMNS],
        np.flatnonzero(dict(parts).get(COVERS, dict(parts).get(SPEAKS, NONE))),
        np.flatnonzero(dict(parts).get(WRONGLY, NONE)),
    )


def _counts(parts: list[tuple[str, np.ndarray]], own: np.ndarray) -> str:
    count = {relation: int(mask.sum()) for relation, mask in parts}
    if COVERS in count:
        ringed = " (ringed in orange)" if count[WRONGLY] else ""
        return (
            f"It is the first to cover {_rows_of(count[COVERS])} of its class. In its ball lie also {_rows_of(count[HOLDS])} that "
            f"others covered before, and {_rows_of(count[WRONGLY])} of other classes{ringed}."
        )
    for relation, words in ((SPEAKS, "It is the nearest prototype of {}"), (WITHIN, "Within its radius lie {}")):
        if relation in count:
            mask = dict(parts)[relation]
            return f"{words.format(_rows_of(count[relation]))}, {int((mask & own).sum())} of them of its class."
    return "It is one of the rows that hold the rule."


def _rows_of(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"


def _machine(points: Points, place: int) -> str:
    """What a set covering machine says of a centre."""
    if "holds" not in points.table:
        return ""
    told = {name: values[place] for name, values in points.table.items()}
    return (
        f" A row counts as positive where {told['holds']}, with radius {told['radius']:.4g}; when chosen it covered {told['q']:g} "
        f"examples and got {told['r']:g} wrong."
    )


def rivals(fit: Fit, source: Source | None, place: int, count: int = RIVALS) -> tuple[np.ndarray, np.ndarray]:
    """The nearest prototypes of other classes than a prototype's, by place, and their distances; none where these are not known."""
    points, related = fit.rule.points, fit.dissimilarity
    others = np.flatnonzero(points.classes != points.classes[place])
    row = -1 if points.at is None else int(related.origin[points.at[place]])
    if not len(others) or (points.at is not None and row < 0):
        return others[:0], np.empty(0)
    if points.at is None:
        rep = as_points(fit.rule, related)
        far = np.asarray(related.metric.between(part(rep, [place]), part(rep, others)), float)[0]
    else:
        far = np.asarray(measured(fit.rule, related, source, np.array([row])), float)[0, others]
    first = np.argsort(far, kind="stable")[:count]
    return others[first], far[first]


def of_row(fit: Fit, source: Source | None, told: Reach, row: int) -> Said:
    """How a row of the fit is classified, whether rightly, and why."""
    frame, rule, levels = fit.frame, fit.rule, fit.classes
    truth, fitted = int(frame.codes[row]), int(told.fitted[row])
    verdict = "rightly" if truth == fitted else f"wrongly, for it is {levels[truth]}"
    words, rows, at = [f"It is classified as {levels[fitted]}, {verdict}."], [], NONE
    if "prob" in rule.kinds:
        share = _told(fit, "prob", row)
        rows.append(_by_class(fit, VOTE, share))
        words.append(f"The probability, or share of votes, of {levels[fitted]} is {share[fitted]:.3g}.")
    if "nearest" in rule.kinds and len(rule.points):
        at, near, why = _nearest(fit, source, row)
        rows.append(near)
        words.append(why)
    if told.first is not None and told.wrong is not None:
        words.append(_held(fit, told, row))
    if isinstance(rule, Machines):
        words += _fired(fit, row)
    if "decision" in rule.kinds:
        values = _told(fit, "decision", row)
        rows.append(_by_class(fit, DECISION, values))
        if (values == values.max()).sum() > 1:
            words.append("Of classes with equal votes the first wins.")
    if not len(rule.points) and not isinstance(rule, Machines):
        words.append("There are no prototypes: every row is classified as the heaviest class.")
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=COLUMNS)
    return Said(f"Row {shown(frame.index[row])}: {levels[truth]}", " ".join(words), table[COLUMNS], places=at)


def _nearest(fit: Fit, source: Source | None, row: int) -> tuple[np.ndarray, pd.DataFrame, str]:
    """The nearest prototype of each class, nearest first: places, table, and in words why the first decides."""
    points, labels, levels = fit.rule.points, labels_of(fit), fit.classes
    if (
        fit.rule.reads != "D"
    ):  # distances of the rule's own: it tells them by class, and which prototype is nearest of all
        far, here = _told(fit, "distance", row), int(_told(fit, "nearest", row))
        table = _by_class(fit, NEAREST, -far)
        table["value"] = -table["value"]
        table.loc[0, "label"] = labels[here]
        words = f"The nearest prototype is {shown(labels[here])} ({levels[points.classes[here]]}) at {far.min():.4g}."
        return np.array([here]), table[np.isfinite(table["value"])], words
    d = np.asarray(measured(fit.rule, fit.dissimilarity, source, np.array([row])), float)[0]
    rank = np.arange(len(points)) if points.at is None else points.at
    order = np.lexsort((rank, points.classes, d))
    _, first = np.unique(points.classes[order], return_index=True)
    at = order[np.sort(first)]
    table = pd.DataFrame(
        {"relation": NEAREST, "label": labels[at], "class": _levels(fit, points.classes[at]), "value": d[at]}
    )
    truth, here = int(fit.frame.codes[row]), at[0]
    itself = points.at is not None and fit.dissimilarity.origin[points.at[here]] == row
    name = "itself" if itself else shown(labels[here])
    words = f"The nearest prototype is {name} ({levels[points.classes[here]]}) at {d[here]:.4g}"
    right = points.classes[here] == truth
    rest = at[1:] if right else at[points.classes[at] == truth]
    if not len(rest):
        return at, table, f"{words}; {'no other class has prototypes' if right else 'its own class has no prototype'}."
    other = rest[0]
    far = d[other] - d[here]
    tied = "equally far, and of these the class that comes first wins" if far == 0 else f"{far:.4g} farther"
    of = f"{'' if right else 'its own class '}{levels[points.classes[other]]}"
    return at, table, f"{words}; the nearest of {of} is {shown(labels[other])} at {d[other]:.4g}, {tied}."


def _held(fit: Fit, told: Reach, row: int) -> str:
    assert told.first is not None
    assert told.wrong is not None
    place, wrong = int(told.first[row]), int(told.wrong[row])
    own = (
        "No ball of its class holds it"
        if place < 0
        else f"The ball of {shown(labels_of(fit)[place])} was the first to cover it"
    )
    if not wrong:
        return f"{own}, and none of another class does." if place < 0 else f"{own}; no ball of another class holds it."
    return f"{own}; {wrong} ball{'s' if wrong > 1 else ''} of other classes hold{'' if wrong > 1 else 's'} it wrongly."


def _fired(fit: Fit, row: int) -> list[str]:
    """For each set covering machine the first feature that fires on a row, in words."""
    rule = fit.rule
    assert isinstance(rule, Machines)
    at = places(rule, fit.dissimilarity)
    one: Rep = part(fit.dissimilarity.rows, [row])
    D = np.asarray(fit.dissimilarity.metric.between(one, at)) if "D" in rule.reads else np.empty((1, 0))
    X = columns_of(rule, fit.frame)
    X = None if X is None else X[[row]]
    table, begin, words = features(fit), 0, []
    for duel in rule.duels:
        s, size = int(first_to_fire(duel.machine, D, X)[0]), len(duel.machine)
        positive = (s < size) != duel.conjunction
        side = fit.classes[duel.positive] if positive else "not so"
        if not positive and duel.negative >= 0:
            side = str(fit.classes[duel.negative])
        if s >= size:
            why = "all conditions hold" if duel.conjunction else "no condition holds"
        else:
            holds = "does not hold" if duel.conjunction else "holds"
            why = f'"{table["rule"].iloc[begin + s]}" {holds}'
        words.append(f"Machine {named(fit, duel)} says {side}: {why}.")
        begin += size
    return words


def _to_point(fit: Fit, source: Source | None, place: int) -> np.ndarray:
    """Dissimilarities (n,) of all rows to a prototype."""
    rule = fit.rule
    n = np.arange(len(fit.frame))
    if rule.points.at is not None and source is not None:
        return np.asarray(source.take(n, rule.points.at[[place]])[:, 0], float)
    rep = part(as_points(rule, fit.dissimilarity), [place])
    return np.asarray(fit.dissimilarity.metric.between(fit.dissimilarity.rows, rep), float)[:, 0]


def _rows(fit: Fit, relation: str, at: np.ndarray, d: np.ndarray) -> pd.DataFrame:
    at = at[np.argsort(d[at], kind="stable")]
    frame = fit.frame
    return pd.DataFrame(
        {"relation": relation, "label": frame.index[at], "class": _levels(fit, frame.codes[at]), "value": d[at]}
    )


def _levels(fit: Fit, codes: np.ndarray) -> np.ndarray:
    return np.asarray(fit.frame.levels.to_numpy(object)[codes], object)


def _by_class(fit: Fit, relation: str, values: np.ndarray) -> pd.DataFrame:
    order = np.argsort(-values, kind="stable")
    return pd.DataFrame({"relation": relation, "label": None, "class": _levels(fit, order), "value": values[order]})


def _told(fit: Fit, kind: str, row: int) -> np.ndarray:
    """What the rule says of one row: (classes,), for "nearest" a place."""
    rule, related = fit.rule, fit.dissimilarity
    X: Any = columns_of(rule, fit.frame)
    X = None if X is None else X[[row]]
    return np.asarray(read(kind, rule, related, part(related.rows, [row]), places(rule, related), X), float)[0]
