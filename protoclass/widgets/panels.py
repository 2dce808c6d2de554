"""The words and tables beside the picture, for a page."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ..errors import shown
from ..estimation.fitted import Fitted
from ..views.cards import (
    COVERS,
    DECISION,
    NEAREST,
    NEAREST_TO,
    RIVAL,
    VOTE,
    WITHIN,
    WRONGLY,
    Card,
    list_features,
    read_predictors,
    summarize_classes,
)
from ..views.coverage import Coverage
from ..views.pictures import Album
from ..views.prototypes import find_name, list_names
from ..views.words import write_field, write_name
from .markup import beside, columns, listed, pictures

FEW = 12  # rows named of each kind
FIELDS = 10  # predictors shown
LARGE, SMALL = 72, 36  # pixels of the page
NUMBERS = {RIVAL: "Nearest rivals, of other classes", NEAREST: "Nearest prototype of each class"}


def overview(fit: Fitted, coverage: Coverage) -> str:
    """While nothing is selected: the classes, and for set covering machines their rules."""
    table = summarize_classes(fit, coverage)
    rows = [[str(level), *map(str, counts)] for level, counts in zip(table.index, table.to_numpy(), strict=True)]
    parts = [columns(["class", *table], rows, "Classes")]
    features = list_features(fit)
    if features:
        lines = [[str(k + 1), words] for k, words in enumerate(features[:FEW])]
        more = [["", f"and {len(features) - FEW} more"]] if len(features) > FEW else []
        parts.append(columns(["", "rule"], lines + more, "Features"))
    hint = (
        "Choose a prototype from the list or click one; click a row, or type its label, to see why it gets its class."
    )
    return f'<div style="line-height:1.4">{hint}</div>{beside(parts)}'


def panel(fit: Fitted, name: Any, cards: list[Card], album: Album | None) -> str:
    """A prototype or a row: words, its predictors (or the pictures), and the rows and prototypes that it has to do with."""
    place, row = find_name(fit, name)
    out = []
    for k, card in enumerate(cards):
        out.append(f'<div style="line-height:1.4"><b>{html.escape(card.title)}.</b> {html.escape(card.text)}</div>')
        first = k == 0  # of a prototype that is a row the words as a row are enough, and the votes
        kinds = (RIVAL, NEAREST, VOTE, DECISION) if first and album is None else (VOTE, DECISION)
        tables = [_tabulate(card, relation) for relation in kinds]
        if album is not None and first:
            out += _show_pictures(fit, card, place, row, album)
        elif first:
            out += [_name_rows(card, relation) for relation in (COVERS, NEAREST_TO, WITHIN, WRONGLY)]
            tables.insert(0, _list_predictors(fit, place, row))
        out.append(beside(tables))
    return "".join(out)


def _pick(card: Card, relation: str) -> tuple[list[tuple[Any, Any, float]], int]:
    """Name, class and value of the first few of a kind, and how many more there are."""
    table = card.table[card.table["relation"] == relation]
    few = table.head(FEW)
    return list(zip(few["label"], few["class"], few["value"], strict=True)), len(table) - len(few)


def _name_rows(card: Card, relation: str) -> str:
    """Rows of a kind, nearest first; those of other classes with their class."""
    parts, more = _pick(card, relation)
    if not parts:
        return ""
    names = [f"{shown(name)} ({level})" if relation in (WRONGLY, WITHIN) else shown(name) for name, level, _ in parts]
    words = ", ".join(names) + (f" and {more} more" if more else "")
    return f'<div style="line-height:1.4"><b>{_capitalize(relation)}:</b> {html.escape(words)}</div>'


def _tabulate(card: Card, relation: str) -> str:
    """Prototypes of other classes, or values by class."""
    parts, _ = _pick(card, relation)
    if not parts:
        return ""
    if relation in (VOTE, DECISION):
        rows = [[str(level), f"{value:.4g}"] for _, level, value in parts]
        return columns(["class", "value"], rows, _capitalize(relation))
    rows = [[write_name(name), str(level), f"{value:.4g}"] for name, level, value in parts]
    return columns(["prototype", "class", "distance"], rows, _capitalize(NUMBERS[relation]))


def _list_predictors(fit: Fitted, place: int, row: int) -> str:
    """The predictors of a row or a prototype."""
    values = read_predictors(fit, place, row)
    if not len(values):
        return ""
    rows = [(str(name), write_field(value)) for name, value in values.iloc[:FIELDS].items()]
    rows += [("", f"and {len(values) - FIELDS} more")] if len(values) > FIELDS else []
    return listed(rows, "Predictors")


def _show_pictures(fit: Fitted, card: Card, place: int, row: int, album: Album) -> list[str]:
    """Pictures of a row or prototype, of the rows that it holds, and of its rivals or of the prototypes that decide on it."""
    own = album.rows(fit, fit.frame.columns.iloc[[row]]) if row >= 0 else album.prototypes(fit, np.array([place]))
    out = [pictures(own, [card.title.split(":")[0]], "", LARGE)]
    for relation in (RIVAL, NEAREST, COVERS, NEAREST_TO, WITHIN, WRONGLY):
        parts, more = _pick(card, relation)
        if not parts:
            continue
        names = [name for name, _, _ in parts]
        others = relation in (RIVAL, NEAREST)
        if others:
            pixels = album.prototypes(fit, list_names(fit).get_indexer_for(names))
        else:
            pixels = album.rows(fit, fit.frame.columns.loc[names])
        texts = [f"{name}: {level}" + (f", {value:.3g}" if others else "") for name, level, value in parts]
        title = f"{NUMBERS[relation]}, with distances" if others else _capitalize(relation)
        out.append(pictures(pixels, texts, f"{title}{f', and {more} more' if more else ''}", SMALL))
    return [beside(out[:2]), *out[2:]]


def _capitalize(words: str) -> str:
    return words[0].upper() + words[1:]
