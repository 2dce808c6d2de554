"""The words and tables beside the picture, for a page."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ..core.machines.rule import Machines
from ..errors import shown
from ..estimation.fit import Fit
from ..views.cards import COVERS, DECISION, NEAREST, RIVAL, SPEAKS, VOTE, WITHIN, WRONGLY, Said, labels_of
from ..views.coverage import Reach
from ..views.explorer import Album, found, serving
from .markup import beside, columns, listed, pictures

FEW = 12  # rows named of each kind
FIELDS = 10  # predictors shown
LETTERS = 160  # of a value
LARGE, SMALL = 72, 36  # pixels of the page
NUMBERS = {RIVAL: "Nearest rivals, of other classes", NEAREST: "Nearest prototype of each class"}


def sentence(fit: Fit, told: Reach) -> str:
    """The fit in a sentence or two."""
    frame, at, rule = fit.frame, serving(fit), fit.rule
    n = fit.nobs
    if "support" in rule.points.table:
        what = f"{len(at)} support objects"
    elif len(rule.points) and not len(at):
        what = "All rows serve as prototypes"
    else:
        what = f"{len(at)} prototype{'' if len(at) == 1 else 's'}"
    knobs = [f"{name} = {value:.4g}" for name, value in fit.knobs().items() if name == "eps" and value is not None]
    words = f"{', '.join([*knobs, what])}. "
    if told.first is not None and told.wrong is not None:
        held, wrong = int((told.first >= 0).sum()), int((told.wrong > 0).sum())
        words += f"{held} of {n} rows lie in a ball of their class, {wrong} in one of another. "
    share = float(frame.weights @ (told.fitted != frame.codes) / frame.weights.sum())
    words += f"Training error {share:.4f} (of the rows that chose the prototypes)"
    if fit.validation is not None and fit.point is not None:
        row = fit.validation.table.iloc[fit.point]
        spread = f" ± {row['se']:.4f}" if row["se"] == row["se"] else ""
        words += f"; held-out {fit.validation.measure} {row['error']:.4f}{spread}"
    return f"{words}."


def overview(fit: Fit, told: Reach) -> str:
    """While nothing is selected: the classes, and for set covering machines their rules."""
    codes, classes = fit.frame.codes, fit.rule.points.classes[serving(fit)]
    counts = [np.bincount(of, minlength=len(fit.classes)) for of in (codes, classes, codes[told.fitted != codes])]
    rows = [[str(level), *(str(of[k]) for of in counts)] for k, level in enumerate(fit.classes)]
    parts = [columns(["class", "rows", "prototypes", "misclassified"], rows, "Classes")]
    if isinstance(fit.rule, Machines):
        rules = fit.tidy()
        named = [f"{row.machine}: {row.rule}" if "machine" in rules else row.rule for row in rules.itertuples()]
        more = [["", f"and {len(named) - FEW} more"]] if len(named) > FEW else []
        parts.append(
            columns(["", "rule"], [[str(k + 1), text] for k, text in enumerate(named[:FEW])] + more, "Features")
        )
    hint = (
        "Choose a prototype from the list or click one; click a row, or type its label, to see why it gets its class."
    )
    return f'<div style="line-height:1.4">{hint}</div>{beside(parts)}'


def panel(fit: Fit, label: Any, about: list[Said], album: Album | None) -> str:
    """A prototype or a row: words, its predictors (or the pictures), and the rows and prototypes that it has to do with."""
    place, row = found(fit, label)
    out = []
    for k, one in enumerate(about):
        out.append(f'<div style="line-height:1.4"><b>{html.escape(one.title)}.</b> {html.escape(one.words)}</div>')
        first = k == 0  # of a prototype that is a row the words as a row are enough, and the votes
        kinds = (RIVAL, NEAREST, VOTE, DECISION) if first and album is None else (VOTE, DECISION)
        tables = [_numbers(one, relation) for relation in kinds]
        if album is not None and first:
            out += _strips(fit, one, place, row, album)
        elif first:
            out += [_named(one, relation) for relation in (COVERS, SPEAKS, WITHIN, WRONGLY)]
            tables.insert(0, _predictors(fit, place, row))
        out.append(beside(tables))
    return "".join(out)


def _parts(one: Said, relation: str) -> tuple[list[tuple[Any, Any, float]], int]:
    """Label, class and value of the first few of a kind, and how many more there are."""
    of = one.table[one.table["relation"] == relation]
    few = of.head(FEW)
    return list(zip(few["label"], few["class"], few["value"], strict=True)), len(of) - len(few)


def _named(one: Said, relation: str) -> str:
    """Rows of a kind, nearest first; those of other classes with their class."""
    parts, more = _parts(one, relation)
    if not parts:
        return ""
    names = [
        f"{shown(label)} ({level})" if relation in (WRONGLY, WITHIN) else shown(label) for label, level, _ in parts
    ]
    words = ", ".join(names) + (f" and {more} more" if more else "")
    return f'<div style="line-height:1.4"><b>{_capital(relation)}:</b> {html.escape(words)}</div>'


def _numbers(one: Said, relation: str) -> str:
    """Prototypes of other classes, or values by class."""
    parts, _ = _parts(one, relation)
    if not parts:
        return ""
    if relation in (VOTE, DECISION):
        return columns(
            ["class", "value"], [[str(level), f"{value:.4g}"] for _, level, value in parts], _capital(relation)
        )
    rows = [["" if label is None else shown(label), str(level), f"{value:.4g}"] for label, level, value in parts]
    return columns(["prototype", "class", "distance"], rows, _capital(NUMBERS[relation]))


def _predictors(fit: Fit, place: int, row: int) -> str:
    """What the data have to say of a row or a prototype."""
    points = fit.rule.points
    if row >= 0:
        values = fit.frame.columns.iloc[row]
    elif points.coords is not None:
        values = fit.dissimilarity.metric.original(np.asarray(points.coords)[[place]]).iloc[0]
    else:
        values = fit.prototypes.iloc[place].reindex(fit.frame.columns.columns)
    if not len(values):
        return ""
    rows = [(str(name), _value(value)) for name, value in values.iloc[:FIELDS].items()]
    rows += [("", f"and {len(values) - FIELDS} more")] if len(values) > FIELDS else []
    return listed(rows, "Predictors")


def _value(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= LETTERS else f"{text[:LETTERS]}... ({len(text)} letters)"


def _strips(fit: Fit, one: Said, place: int, row: int, album: Album) -> list[str]:
    """Pictures of a row or prototype, of the rows that it holds, and of its rivals or of the prototypes that decide on it."""
    if row >= 0:
        own = album.rows(fit, fit.frame.columns.iloc[[row]])
    else:
        own = album.prototypes(fit, np.array([place]))
    out = [pictures(own, [one.title.split(":")[0]], "", LARGE)]
    for relation in (RIVAL, NEAREST, COVERS, SPEAKS, WITHIN, WRONGLY):
        parts, more = _parts(one, relation)
        if not parts:
            continue
        labels = [label for label, _, _ in parts]
        others = relation in (RIVAL, NEAREST)
        if others:
            seen = album.prototypes(fit, labels_of(fit).get_indexer_for(labels))
        else:
            seen = album.rows(fit, fit.frame.columns.loc[labels])
        names = [f"{label}: {level}" + (f", {value:.3g}" if others else "") for label, level, value in parts]
        title = f"{NUMBERS[relation]}, with distances" if others else _capital(relation)
        out.append(pictures(seen, names, f"{title}{f', and {more} more' if more else ''}", SMALL))
    return [beside(out[:2]), *out[2:]]


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
