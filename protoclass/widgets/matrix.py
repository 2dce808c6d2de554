"""A matrix of dissimilarities, and two of its rows side by side."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib import colormaps

from ..ground.errors import NotAvailable, OptionError, brief
from ..metrics.dissimilarity import Dissimilarity
from ..plots.matrix import draw_matrix
from ..plots.style import RISING, colour
from ..views.matrix import arrange, describe_shares, find_range
from ..views.words import write_number
from .base import Explorer, Plain, Requested, join
from .film import describe_metric, list_fields, pack

STOPS = 17  # of the scale of colours


class MatrixExplorer(Explorer):
    """Look at dissimilarities, and compare two rows; see `explore_dissimilarity`.

    Attributes
    ----------
    dissimilarity : Dissimilarity
    selected : (label, label), or None
        A row and a candidate that are shown.
    """

    STATE: ClassVar[tuple[str, ...]] = ("selected",)

    selected = Requested(None)

    def __init__(self, dissimilarity: Dissimilarity, by: Any = None) -> None:
        super().__init__()
        if dissimilarity.data.absent is not None:
            raise NotAvailable(dissimilarity.data.absent)
        self.dissimilarity, self._by = dissimilarity, by
        self._table, *self._classes = arrange(dissimilarity, by)
        self.observe(self._update, list(self.STATE))
        self._update()
        self.content = join(self.bake())
        self.open()

    def _check_selected(self, value: Any) -> Any:
        if value is None:
            return None
        sides = (self._table.index, self._table.columns)
        if not isinstance(value, tuple) or len(value) != 2 or not all(label in side for label, side in zip(value, sides, strict=True)):
            raise OptionError(f"selected={brief(value)}: a pair of labels, of a row and of a column of explorer.table")
        return value

    @property
    def table(self) -> pd.DataFrame:
        """The dissimilarities that are shown, in the order of the picture."""
        return self._table

    def draw(self, ax: Any = None) -> Any:
        return draw_matrix(self.dissimilarity, self._by, ax)

    def describe_state(self) -> Plain:
        if self.selected is None:
            return {"point": -1}
        i, j = (side.get_loc(label) for side, label in zip((self._table.index, self._table.columns), self.selected, strict=True))
        return {"point": i * self._table.shape[1] + j}

    def take_state(self, state: Plain) -> None:
        i, j = divmod(state["point"], self._table.shape[1])
        self.selected = None if i < 0 else (self._table.index[i], self._table.columns[j])

    def bake(self) -> Plain:
        measured, frame, table = self.dissimilarity, self.dissimilarity.data, self._table
        values, square = table.to_numpy(float), measured.square
        symmetric = square and np.array_equal(values, values.T)
        low, high, below, above = find_range(table, square)
        of_row, of_column = self._classes
        levels = list(dict.fromkeys([*of_row, *of_column]))
        codes = [pack([levels.index(level) for level in classes]) for classes in (of_row, of_column)]
        return {
            "matrix": {
                "rows": list(map(str, table.index)),
                "columns": list(map(str, table.columns)),
                "quotes": isinstance(table.index[0], str),
                "classes": [{"name": level, "colour": colour(k)} for k, level in enumerate(levels)],
                "row_codes": codes[0],
                "column_codes": codes[1],
                "square": square,
                "symmetric": symmetric,
                "values": pack(values[np.triu_indices(len(values))] if symmetric else values),
                "low": low,
                "high": high,
                "ends": [write_number(low) + (" or less" if below else ""), write_number(high) + (" or more" if above else "")],
                "shades": [[round(255 * part) for part in colormaps[RISING](share)[:3]] for share in np.linspace(0, 1, STOPS)],
            },
            "fields": list_fields(frame, *self._list_predictors()),
            "metric": describe_metric(measured.metric, frame),
            "notes": [words] if (words := describe_shares(measured, table)) else [],
            "formula": frame.formula.text or "dissimilarities",
            "method": f"{measured.metric.name} dissimilarities of {len(measured.index):,} rows",
        }

    def _list_predictors(self) -> list[pd.DataFrame]:
        """Those of the rows, then, where these are others, of the candidates."""
        measured, table = self.dissimilarity, self._table
        own, added = measured.data.columns, measured.added
        rows = own.iloc[measured.index.get_indexer(table.index)]
        if measured.square or not own.shape[1]:
            return [rows]
        of_row = measured.candidate_row[measured.candidate_names.get_indexer(table.columns)]
        if added is None:
            return [rows, own.iloc[of_row]]
        aside = len(own) + added.index.get_indexer(table.columns)
        return [rows, pd.concat([own, added.reindex(columns=own.columns)]).iloc[np.where(of_row >= 0, of_row, aside)]]
