"""What is known of one prototype and of one observation: words, and the rows and prototypes that it has to do with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import Source
from ..errors import NotAvailable, shown
from ..estimation.fit import Fit
from ..metrics.vectors import as_vectors
from .coverage import Coverage
from .members import lies_within
from .prototypes import (
    find_name,
    find_places,
    list_names,
    list_rows,
    list_shown,
    measure_apart,
    measure_prototype,
    measure_rows,
    predict_row,
)
from .words import write_rows

RIVALS = 5
COVERS, HOLDS, WRONGLY = "covers first", "holds, covered before", "holds wrongly"
NEAREST_TO, WITHIN, RIVAL = "is nearest to", "within its radius", "rival"
NEAREST, VOTE, DECISION = "nearest of class", "probability of class", "decision for class"
NONE = np.empty(0, np.int64)
COLUMNS = ["relation", "label", "class", "value"]


@dataclass(frozen=True)
class Card:
    """What is known of a prototype or an observation.

    Attributes
    ----------
    title, text : str
    table : DataFrame
        `relation` (to it), `label`, `class` and `value`: a distance, or the share of votes or the decision value for a class.
    rows, wrong : int arrays
        The rows that a prototype holds (or is nearest to), and those that it holds wrongly.
    prototypes : int array
        Places of the prototypes that decide on a row, the nearest of each class.
    """

    title: str
    text: str
    table: pd.DataFrame
    rows: np.ndarray = field(default_factory=lambda: NONE)
    wrong: np.ndarray = field(default_factory=lambda: NONE)
    prototypes: np.ndarray = field(default_factory=lambda: NONE)


def make_cards(fit: Fit, source: Source | None, coverage: Coverage, name: Any) -> list[Card]:
    """The cards of a name: one for each prototype of that name, and one for the row; none where there is neither."""
    row = find_name(fit, name)[1]
    cards = [describe_prototype(fit, source, coverage, place) for place in find_places(fit, name)]
    return [*cards, describe_row(fit, source, coverage, row)] if row >= 0 else cards


def list_details(cards: list[Card]) -> pd.DataFrame:
    """The tables of some cards below one another."""
    return pd.concat([card.table for card in cards], ignore_index=True) if cards else pd.DataFrame(columns=COLUMNS)


def describe_prototype(fit: Fit, source: Source | None, coverage: Coverage, place: int) -> Card:
    """What the prototype at a place in the order covers first and wrongly, and which prototypes of other classes are near.

    Where the rule has no balls that cover: which rows it is nearest to, or which lie within its radius.
    """
    prototypes, codes = fit.rule.prototypes, fit.frame.codes
    code, names = prototypes.classes[place], list_names(fit)
    d, own = measure_prototype(fit, source, place), codes == code
    groups: dict[str, np.ndarray] = {}
    if coverage.first is not None and prototypes.radii is not None:
        inside, first = lies_within(fit, d, prototypes.radii[place]), coverage.first == place
        groups = {COVERS: first, HOLDS: inside & own & ~first, WRONGLY: inside & ~own}
    elif coverage.nearest is not None:
        groups = {NEAREST_TO: coverage.nearest == place}
    elif prototypes.radii is not None:
        groups = {WITHIN: lies_within(fit, d, prototypes.radii[place])}
    rows = [_list_rows(fit, relation, np.flatnonzero(mask), d) for relation, mask in groups.items()]
    at, far = find_rivals(fit, source, place)
    classes = _name_classes(fit, prototypes.classes[at])
    rivals = pd.DataFrame({"relation": RIVAL, "label": names[at], "class": classes, "value": far})
    row = int(list_rows(prototypes, fit.dissimilarity)[place])
    other = row >= 0 and codes[row] != code
    title = f"Prototype {shown(names[place])}: {fit.classes[code]}"
    title += f" (its own class: {fit.classes[codes[row]]})" if other else ""
    if "support" not in prototypes.table and prototypes.at is not None:
        title += f", {place + 1} of {len(prototypes)} in the order chosen"
    return Card(
        title,
        _describe_groups(groups, own) + _describe_centre(fit, place),
        pd.concat([*rows, rivals], ignore_index=True)[COLUMNS],
        np.flatnonzero(np.logical_or.reduce(list(groups.values()))) if groups else NONE,
        np.flatnonzero(groups.get(WRONGLY, NONE)),
    )


def _describe_groups(groups: dict[str, np.ndarray], own: np.ndarray) -> str:
    count = {relation: int(mask.sum()) for relation, mask in groups.items()}
    if COVERS in count:
        ringed = " (ringed in red)" if count[WRONGLY] else ""
        return (
            f"It is the first to cover {write_rows(count[COVERS])} of its class. Its ball also holds {write_rows(count[HOLDS])} "
            f"that others covered before, and {write_rows(count[WRONGLY])} of other classes{ringed}."
        )
    for relation, words in ((NEAREST_TO, "It is the nearest prototype of {}"), (WITHIN, "It has {} within its radius")):
        if relation in count:
            mask = groups[relation]
            return f"{words.format(write_rows(count[relation]))}, {int((mask & own).sum())} of them of its class."
    return "The rule depends on this row."


def _describe_centre(fit: Fit, place: int) -> str:
    """What a set covering machine knows of a centre."""
    table = fit.rule.prototypes.table
    if "holds" not in table:
        return ""
    centre = {name: values[place] for name, values in table.items()}
    return (
        f" A row counts as positive where {centre['holds']}, with radius {centre['radius']:.4g}; when chosen it covered "
        f"{centre['q']:g} examples and got {centre['r']:g} wrong."
    )


def find_rivals(fit: Fit, source: Source | None, place: int, count: int = RIVALS) -> tuple[np.ndarray, np.ndarray]:
    """The nearest prototypes of other classes than a prototype's, by place, and their distances; none where these are not known."""
    prototypes = fit.rule.prototypes
    others = np.flatnonzero(prototypes.classes != prototypes.classes[place])
    if not len(others):
        return others, np.empty(0)
    row = list_rows(prototypes, fit.dissimilarity)[[place]]
    if row[0] >= 0:
        far = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, row), float)[0, others]
    else:
        try:
            far = measure_apart(fit, np.array([place]), others)[0]
        except NotAvailable:
            return others[:0], np.empty(0)
    first = np.argsort(far, kind="stable")[:count]
    return others[first], far[first]


def describe_row(fit: Fit, source: Source | None, coverage: Coverage, row: int) -> Card:
    """How a row of the fit is classified, whether rightly, and why."""
    frame, rule, levels = fit.frame, fit.rule, fit.classes
    truth, fitted = int(frame.codes[row]), int(coverage.fitted[row])
    verdict = "rightly" if truth == fitted else f"wrongly: its class is {levels[truth]}"
    words, tables, at = [f"It is classified as {levels[fitted]}, {verdict}."], [], NONE
    if "prob" in rule.kinds:
        share = predict_row(fit, "prob", row)
        tables.append(_list_classes(fit, VOTE, share))
        words.append(f"The probability, or share of votes, of {levels[fitted]} is {share[fitted]:.3g}.")
    if "nearest" in rule.kinds and len(rule.prototypes):
        at, near, why = _read_nearest(fit, row) if fit.model.can.own_distances else _find_nearest(fit, source, row)
        tables.append(near)
        words.append(why)
    if coverage.first is not None and coverage.wrong is not None:
        words.append(_describe_balls(fit, int(coverage.first[row]), int(coverage.wrong[row])))
    if fit.model.has("explain"):
        words += fit.model.explain(fit.learned, fit.dissimilarity.query(np.array([row])))
    if "decision" in rule.kinds:
        values = predict_row(fit, "decision", row)
        tables.append(_list_classes(fit, DECISION, values))
        if (values == values.max()).sum() > 1:
            words.append("Of classes with equal votes the first wins.")
    if not len(rule.prototypes) and not fit.model.has("feature_table"):
        words.append("There are no prototypes: every row is classified as the heaviest class.")
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=COLUMNS)
    return Card(f"Row {shown(frame.index[row])}: {levels[truth]}", " ".join(words), table[COLUMNS], prototypes=at)


def _read_nearest(fit: Fit, row: int) -> tuple[np.ndarray, pd.DataFrame, str]:
    """The nearest prototype by the rule's own distances, which it gives by class: its place, a table, and words."""
    far, here = predict_row(fit, "distance", row), int(predict_row(fit, "nearest", row))
    name = list_names(fit)[here]
    table = _list_classes(fit, NEAREST, -far)
    table["value"] = -table["value"]
    table.loc[0, "label"] = name
    of = fit.classes[fit.rule.prototypes.classes[here]]
    words = f"The nearest prototype is {shown(name)} ({of}) at {far.min():.4g}."
    return np.array([here]), table[np.isfinite(table["value"])], words


def _find_nearest(fit: Fit, source: Source | None, row: int) -> tuple[np.ndarray, pd.DataFrame, str]:
    """The nearest prototype of each class, nearest first: places, a table, and in words why the first decides."""
    prototypes, names, levels = fit.rule.prototypes, list_names(fit), fit.classes
    d = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, np.array([row])), float)[0]
    rank = np.arange(len(prototypes)) if prototypes.at is None else prototypes.at
    order = np.lexsort((rank, prototypes.classes, d))
    _, first = np.unique(prototypes.classes[order], return_index=True)
    at = order[np.sort(first)]
    classes = _name_classes(fit, prototypes.classes[at])
    table = pd.DataFrame({"relation": NEAREST, "label": names[at], "class": classes, "value": d[at]})
    truth, here = int(fit.frame.codes[row]), at[0]
    name = "itself" if list_rows(prototypes, fit.dissimilarity)[here] == row else shown(names[here])
    words = f"The nearest prototype is {name} ({levels[prototypes.classes[here]]}) at {d[here]:.4g}"
    right = prototypes.classes[here] == truth
    rest = at[1:] if right else at[prototypes.classes[at] == truth]
    if not len(rest):
        return at, table, f"{words}; {'no other class has prototypes' if right else 'its own class has no prototype'}."
    other = rest[0]
    far = d[other] - d[here]
    tied = "equally far, and of these the class that comes first wins" if far == 0 else f"{far:.4g} farther"
    of = f"{'' if right else 'its own class '}{levels[prototypes.classes[other]]}"
    return at, table, f"{words}; the nearest of {of} is {shown(names[other])} at {d[other]:.4g}, {tied}."


def _describe_balls(fit: Fit, first: int, wrong: int) -> str:
    own = "No ball of its class holds it"
    if first >= 0:
        own = f"The ball of {shown(list_names(fit)[first])} was the first to cover it"
    if not wrong:
        return f"{own}, and none of another class does." if first < 0 else f"{own}; no ball of another class holds it."
    return f"{own}; {wrong} ball{'s' if wrong > 1 else ''} of other classes hold{'' if wrong > 1 else 's'} it wrongly."


def _list_rows(fit: Fit, relation: str, at: np.ndarray, d: np.ndarray) -> pd.DataFrame:
    at = at[np.argsort(d[at], kind="stable")]
    names, classes = fit.frame.index[at], _name_classes(fit, fit.frame.codes[at])
    return pd.DataFrame({"relation": relation, "label": names, "class": classes, "value": d[at]})


def _list_classes(fit: Fit, relation: str, values: np.ndarray) -> pd.DataFrame:
    order = np.argsort(-values, kind="stable")
    classes = _name_classes(fit, order)
    return pd.DataFrame({"relation": relation, "label": None, "class": classes, "value": values[order]})


def _name_classes(fit: Fit, codes: np.ndarray) -> np.ndarray:
    return np.asarray(fit.frame.levels.to_numpy(object)[codes], object)


def read_predictors(fit: Fit, place: int, row: int) -> pd.Series:
    """The predictors of a row, or where `row` is -1 of the prototype at a place, in the units of the data."""
    prototypes = fit.rule.prototypes
    if row >= 0:
        return fit.frame.columns.iloc[row]
    if prototypes.coords is not None:
        return as_vectors(fit.dissimilarity.metric).original(np.asarray(prototypes.coords)[[place]]).iloc[0]
    return fit.prototypes.iloc[place].reindex(fit.frame.columns.columns)


def summarize_classes(fit: Fit, coverage: Coverage) -> pd.DataFrame:
    """One row for each class: its `rows`, `prototypes` and `misclassified` rows."""
    codes, chosen = fit.frame.codes, fit.rule.prototypes.classes[list_shown(fit)]
    counts = {"rows": codes, "prototypes": chosen, "misclassified": codes[coverage.fitted != codes]}
    levels = fit.frame.levels.rename("class")
    return pd.DataFrame({name: np.bincount(of, minlength=len(levels)) for name, of in counts.items()}, levels)


def list_features(fit: Fit) -> list[str]:
    """The features of a rule in words, in the order chosen; none where it has prototypes alone."""
    if not fit.model.has("feature_table"):
        return []
    table = fit.model.feature_table(fit.learned)
    names = [f"{machine}: " for machine in table["machine"]] if "machine" in table else [""] * len(table)
    return [f"{name}{words}" for name, words in zip(names, table["rule"], strict=True)]
