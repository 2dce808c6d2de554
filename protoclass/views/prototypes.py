"""The prototypes of a rule: their names, the rows that they are, and the dissimilarities to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.sources import Rep, Source, part
from ..core.task import Points, Rule
from ..errors import NotAvailable
from ..estimation.fit import Fit
from ..estimation.problem import columns_of, places, read
from ..metrics.dissimilarity import Dissimilarity


def list_names(fit: Fit) -> Any:
    """Index (q,) of the prototypes' names, in the order chosen."""
    prototypes = fit.rule.points
    return fit.prototypes.index if prototypes.at is None else fit.dissimilarity.labels[prototypes.at]


def list_rows(prototypes: Points, dissimilarity: Dissimilarity) -> np.ndarray:
    """Position (q,) of the row that each prototype is, -1 for a prototype that is not a row."""
    if prototypes.at is None:
        return np.full(len(prototypes), -1)
    return np.asarray(dissimilarity.origin[prototypes.at])


def all_rows_serve(fit: Fit) -> bool:
    """Whether every row is a prototype without having been chosen, as in k-NN."""
    prototypes = fit.rule.points
    return prototypes.at is not None and len(prototypes) == fit.nobs and "covers" not in prototypes.table


def list_shown(fit: Fit) -> np.ndarray:
    """Places of the prototypes that a picture marks: the support objects where there are such, none where all rows serve."""
    support = fit.rule.points.table.get("support")
    if support is not None:
        return np.flatnonzero(support)
    return np.empty(0, np.int64) if all_rows_serve(fit) else np.arange(len(fit.rule.points))


def find_places(fit: Fit, name: Any) -> list[int]:
    """Places of a name among the prototypes that are shown; several where machines share a centre."""
    at = list_names(fit).get_indexer_for([name]) if name is not None else np.empty(0, int)
    return [int(k) for k in at[(at >= 0) & np.isin(at, list_shown(fit))]]


def find_name(fit: Fit, name: Any) -> tuple[int, int]:
    """Place of a name among the prototypes that are shown, and its position among the rows; -1 for none."""
    if name is None:
        return -1, -1
    at = find_places(fit, name)
    return (at[0] if at else -1), int(fit.frame.index.get_indexer_for([name])[0])


def represent(prototypes: Points, dissimilarity: Dissimilarity) -> Rep:
    """Prototypes as `metric.between` takes them, also where the rule reads no dissimilarities."""
    if prototypes.at is not None:
        return part(dissimilarity.points, prototypes.at)
    return dissimilarity.metric.place(np.asarray(prototypes.coords))


def measure_rows(
    prototypes: Points, dissimilarity: Dissimilarity, source: Source | None, rows: np.ndarray
) -> np.ndarray:
    """Dissimilarities (r, q) of some rows of a fit to prototypes; `source` holds or measures those to the candidates."""
    if prototypes.at is not None and source is not None:
        return source.take(rows, prototypes.at)
    rep = represent(prototypes, dissimilarity)
    return np.asarray(dissimilarity.metric.between(part(dissimilarity.rows, rows), rep))


def measure_prototype(fit: Fit, source: Source | None, place: int) -> np.ndarray:
    """Dissimilarities (n,) of all rows to the prototype at a place in the order."""
    one = take(fit.rule.points, np.array([place]))
    return np.asarray(measure_rows(one, fit.dissimilarity, source, np.arange(fit.nobs)), float)[:, 0]


def measure_apart(fit: Fit, which: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Dissimilarities (k, l) from some prototypes to others.

    Raises
    ------
    NotAvailable
        Where a prototype is not a row of the data, and the metric represents candidates in a way of their own.
    """
    prototypes, dissimilarity = fit.rule.points, fit.dissimilarity
    metric, rows = dissimilarity.metric, list_rows(take(prototypes, which), dissimilarity)
    columns = represent(take(prototypes, others), dissimilarity)
    if (rows >= 0).all():
        return np.asarray(metric.between(part(dissimilarity.rows, rows), columns), float)
    if prototypes.at is not None and not metric.symmetric:
        raise NotAvailable(
            f"the {metric.name} dissimilarities between prototypes are not known, as some prototypes are not rows of the data"
        )
    return np.asarray(metric.between(represent(take(prototypes, which), dissimilarity), columns), float)


def take(prototypes: Points, which: np.ndarray) -> Points:
    """Some of the prototypes, without the columns of their table."""

    def some(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else np.asarray(values)[which]

    return Points(
        np.asarray(prototypes.classes)[which], some(prototypes.at), some(prototypes.coords), some(prototypes.radii)
    )


def predict_classes(rule: Rule, dissimilarity: Dissimilarity) -> np.ndarray:
    """Class codes (n,) that a rule gives the rows of its fit."""
    rows, columns = dissimilarity.rows, columns_of(rule, dissimilarity.data)
    return read("class", rule, dissimilarity, rows, places(rule, dissimilarity), columns)


def predict_row(fit: Fit, kind: str, row: int) -> np.ndarray:
    """What the rule predicts for one row: (classes,), for "nearest" the place of a prototype."""
    rule, dissimilarity = fit.rule, fit.dissimilarity
    X: Any = columns_of(rule, fit.frame)
    X = None if X is None else X[[row]]
    one = part(dissimilarity.rows, np.array([row]))
    return np.asarray(read(kind, rule, dissimilarity, one, places(rule, dissimilarity), X), float)[0]
