"""The prototypes of a rule: their names, the rows that they are, and the dissimilarities to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.query import answer
from ..core.sources import Source, part
from ..core.task import Points
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from ..metrics.dissimilarity import Dissimilarity


def list_names(fit: Fitted) -> Any:
    """Index (q,) of the prototypes' names, in the order chosen."""
    return fit.prototype_names


def list_rows(prototypes: Points, dissimilarity: Dissimilarity) -> np.ndarray:
    """Position (q,) of the row that each prototype is, -1 for a prototype that is not a row."""
    if prototypes.at is None:
        return np.full(len(prototypes), -1)
    return np.asarray(dissimilarity.candidate_row[prototypes.at])


def all_rows_serve(fit: Fitted) -> bool:
    """Whether every row is a prototype without having been chosen, as in k-NN."""
    prototypes = fit.rule.prototypes
    return prototypes.at is not None and len(prototypes) == fit.nobs and "covers" not in prototypes.table


def list_shown(fit: Fitted) -> np.ndarray:
    """Places of the prototypes that a picture marks: the support objects where there are such, none where all rows serve."""
    support = fit.rule.prototypes.table.get("support")
    if support is not None:
        return np.flatnonzero(support)
    return np.empty(0, np.int64) if all_rows_serve(fit) else np.arange(len(fit.rule.prototypes))


def find_places(fit: Fitted, name: Any) -> list[int]:
    """Places of a name among the prototypes that are shown; several where machines share a centre."""
    at = list_names(fit).get_indexer_for([name]) if name is not None else np.empty(0, int)
    return [int(k) for k in at[(at >= 0) & np.isin(at, list_shown(fit))]]


def find_name(fit: Fitted, name: Any) -> tuple[int, int]:
    """Place of a name among the prototypes that are shown, and its position among the rows; -1 for none."""
    if name is None:
        return -1, -1
    at = find_places(fit, name)
    return (at[0] if at else -1), int(fit.frame.index.get_indexer_for([name])[0])


def measure_rows(
    prototypes: Points, dissimilarity: Dissimilarity, source: Source | None, rows: np.ndarray
) -> np.ndarray:
    """Dissimilarities (r, q) of some rows of a fit to prototypes; `source` holds or measures those to the candidates."""
    if prototypes.at is not None and source is not None:
        return source.take(rows, prototypes.at)
    rep = dissimilarity.prototype_rep(prototypes)
    return np.asarray(dissimilarity.metric.between(part(dissimilarity.rows, rows), rep))


def measure_prototype(fit: Fitted, source: Source | None, place: int) -> np.ndarray:
    """Dissimilarities (n,) of all rows to the prototype at a place in the order."""
    one = take(fit.rule.prototypes, np.array([place]))
    return np.asarray(measure_rows(one, fit.dissimilarity, source, np.arange(fit.nobs)), float)[:, 0]


def measure_apart(fit: Fitted, which: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Dissimilarities (k, l) from some prototypes to others.

    Raises
    ------
    NotAvailable
        Where a prototype is not a row of the data, and the metric represents candidates in a way of their own.
    """
    prototypes, dissimilarity = fit.rule.prototypes, fit.dissimilarity
    metric, rows = dissimilarity.metric, list_rows(take(prototypes, which), dissimilarity)
    columns = dissimilarity.prototype_rep(take(prototypes, others))
    if (rows >= 0).all():
        return np.asarray(metric.between(part(dissimilarity.rows, rows), columns), float)
    if prototypes.at is not None and not metric.symmetric:
        raise NotAvailable(
            f"the {metric.name} dissimilarities between prototypes are not known, as some prototypes are not rows of the data"
        )
    return np.asarray(metric.between(dissimilarity.prototype_rep(take(prototypes, which)), columns), float)


def take(prototypes: Points, which: np.ndarray) -> Points:
    """Some of the prototypes, without the columns of their table."""

    def some(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else np.asarray(values)[which]

    return Points(
        np.asarray(prototypes.classes)[which], some(prototypes.at), some(prototypes.coords), some(prototypes.radii)
    )


def predict_row(fit: Fitted, kind: str, row: int) -> np.ndarray:
    """What the rule predicts for one row: (classes,), for "nearest" the place of a prototype."""
    values: np.ndarray = np.asarray(answer(fit.rule, kind, fit.dissimilarity.query(np.array([row]))), float)[0]
    return values
