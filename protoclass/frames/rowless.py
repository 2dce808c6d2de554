"""The frame of a fit whose rows are gone: formula, kinds and classes of the data, and of the rows those that are prototypes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ..ground.errors import NotAvailable, printed
from ..ground.savable import savable
from .frame import Frame
from .tables import GONE


@savable
class RowlessFrame(Frame):
    """A frame without its rows. What reads these raises `NotAvailable`; new rows are read as by the frame that it was.

    Attributes
    ----------
    remembered : Frame
        The rows that are prototypes.
    class_counts, class_weights : int array and array (classes,)
        The number and the weight of the rows of each class that there were.
    """

    _remembered: Frame
    _class_counts: np.ndarray
    _class_weights: np.ndarray

    def __init__(self, remembered: Frame, class_counts: np.ndarray, class_weights: np.ndarray) -> None:
        same = ("formula", "schema", "spec", "keep", "dropped", "notes")
        own: dict[str, Any] = {"remembered": remembered, "class_counts": class_counts, "class_weights": class_weights}
        for name, value in {**{name: getattr(remembered, name) for name in same}, **own}.items():
            object.__setattr__(self, f"_{name}" if name in own else name, value)

    @property
    def remembered(self) -> Frame:
        return self._remembered

    @property
    def class_counts(self) -> np.ndarray:
        return self._class_counts

    @property
    def class_weights(self) -> np.ndarray:
        return self._class_weights

    @property
    def absent(self) -> str | None:
        return GONE

    @property
    def response(self) -> pd.Categorical | None:
        """The classes, of no rows."""
        known = self.remembered.response
        return None if known is None else known[:0]

    def __len__(self) -> int:
        return int(self.class_counts.sum())

    @printed
    def __repr__(self) -> str:
        return f"<Frame {self.formula.quoted}: {len(self)} rows, which are gone>"

    def again(self, data: Any) -> tuple[Frame, np.ndarray]:
        return self.remembered.again(data)

    def predictors_of(self, labels: pd.Index) -> pd.DataFrame:
        return self.remembered.predictors_of(labels)

    def _gone(self, *_: Any) -> NoReturn:
        raise NotAvailable(GONE)

    columns = weights = index = codes = design = property(_gone)
    take = canonical = terms = _gone  # type: ignore[assignment]


def rowless(frame: Frame, rows: np.ndarray) -> RowlessFrame:
    """The frame without its rows but these."""
    kept = replace(frame.remembered.take(rows), dropped=frame.dropped[:0], notes=())
    return RowlessFrame(kept, frame.class_counts, frame.class_weights)
