"""Rows and the prototypes of a rule as two sides of one source, by which they are compared without measuring all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .distances.screen import Compared, Screening, Side
from .neighbours.k_nearest import Near, nearest_compared, share_open
from .neighbours.search import Search
from .places import as_slice
from .sources import Source

Array = NDArray[Any]
SEARCHED = 2**22  # pairs from which on preparing a search pays, if it saves most of them
SCREENED = 2**18  # pairs from which on looking whether products leave few of them open pays
WORTH = 0.15  # share of pairs that are measured below which a search pays
OPEN = 0.1  # share of pairs that products leave open below which they pay
LOOKED_UP = 8  # rows that show this share


@dataclass(frozen=True, eq=False)
class Beside:
    """Prototypes among the candidates of a source, beside its rows.

    Attributes
    ----------
    source : Source
    columns : int array (q,)
        The candidates that are the prototypes.
    """

    source: Source
    columns: Array

    def compared(self, rows: Array) -> Compared | None:
        """Some rows beside the prototypes, compared by a product, where there is such a thing."""
        if self._screened is None:
            return None
        screening, side = self._screened
        return screening.only(rows, self.columns, side)

    def nearest(self, rows: Array, k: int, together: int) -> Near | None:
        """For some rows the prototypes up to the distance of the k-th nearest; None where measuring all pairs is as fast.

        Parameters
        ----------
        rows : int array (r,)
        k : int, at most q
        together : int
            The number of rows for which this is asked, these among them.
        """
        pairs = together * len(self.columns)
        space = self.source.space
        if space is not None and pairs > SEARCHED and space.share(k) < WORTH:
            return self._search.nearest(space.rows[as_slice(rows)], k)[0]
        if pairs > SCREENED and self._few_open(k):
            compared = self.compared(rows)
            return None if compared is None else nearest_compared(compared, k)
        return None

    def _few_open(self, k: int) -> bool:
        if k not in self._open:
            some = np.unique(np.linspace(0, self.source.shape[0] - 1, LOOKED_UP).astype(int))
            compared = self.compared(some)
            self._open[k] = 1.0 if compared is None else share_open(compared, k)
        return self._open[k] < OPEN

    @cached_property
    def _open(self) -> dict[int, float]:
        return {}

    @cached_property
    def _search(self) -> Search:
        space = self.source.space
        assert space is not None
        return space.search(self.columns)

    @cached_property
    def _screened(self) -> tuple[Screening, Side] | None:
        screening = self.source.screening
        if screening is None or not len(self.columns):
            return None
        return screening, screening.candidates[as_slice(self.columns)]
