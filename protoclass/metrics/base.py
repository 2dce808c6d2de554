"""What a metric is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..core.sources import Rep
from ..errors import NoVectors, OptionError
from ..frames.frame import Frame


@dataclass(frozen=True)
class Metric:
    """A dissimilarity between rows of frames: frozen knobs, and after `train` what it learned.

    A metric of one's own derives from this class and writes `rows` and `between`; the rest has defaults. D[i, j] is
    measured from a representation of row i (`rows`) and one of candidate j (`points`), each a tuple of arrays with one
    entry a row, so that it can be cut, joined and saved without a class of its own.

    Attributes
    ----------
    supervised : bool
        True where training looks at labels or at the other rows in a way that must not see a held-out fold: then the
        metric is trained anew on each fold's training rows.
    symmetric : bool
        True where D[i, j] and D[j, i] have the same bits: then half of a square matrix is measured.
    slow : bool
        True where measuring costs so much that the matrix should be measured once and held.
    """

    slow: ClassVar[bool] = False
    symmetric: ClassVar[bool] = False

    @property
    def given(self) -> bool:
        """Whether new rows come as a frame of dissimilarities rather than of predictors."""
        return False

    @property
    def supervised(self) -> bool:
        return False

    @property
    def learns(self) -> bool:
        """Whether what it measures depends on the rows that it was trained on (scales, ranges, ranks, labels)."""
        return self.supervised

    @property
    def skips(self) -> bool:
        """Whether missing values are skipped pair by pair, so that na='keep' makes sense."""
        return False

    @property
    def scaling(self) -> str:
        """How columns are scaled, in words; "" where they are not."""
        return ""

    @property
    def name(self) -> str:
        return type(self).__name__

    @property
    def notes(self) -> tuple[str, ...]:
        """What a summary should say of it, once trained."""
        return ()

    def once(self, frame: Frame) -> Self:
        """For a supervised metric: itself after learning what looks at no label (scales), once, on all rows."""
        return self

    def train(self, frame: Frame) -> Self:
        """What it learns of the rows that it may see."""
        return self

    def rows(self, frame: Frame) -> Rep:
        """Side i of D[i, j]."""
        raise OptionError(f"the metric {self.name} does not say how rows are represented: write its `rows`")

    def points(self, frame: Frame) -> Rep:
        """Side j of D[i, j]."""
        return self.rows(frame)

    def candidates(self, frame: Frame) -> pd.Index:
        """Labels of the points."""
        return frame.index

    def between(self, rows: Rep, points: Rep) -> np.ndarray:
        """Dissimilarities (r, q)."""
        raise OptionError(f"the metric {self.name} does not say how rows are compared: write its `between`")

    def needs(self, points: Rep) -> pd.Index:
        """For given dissimilarities: the labels of the points, which new rows must have as columns."""
        raise OptionError(f"the metric {self.name} measures rows by their predictors, not by given dissimilarities")

    def fresh(self, new: Any, points: Rep) -> tuple[Rep, Rep]:
        """New rows (a Frame, or for given dissimilarities a DataFrame) and points as `between` takes them."""
        return self.rows(new), points

    def measure(self, new: Any, points: Rep) -> np.ndarray:
        """Dissimilarities (r, q) of new rows to points."""
        return self.between(*self.fresh(new, points))

    def vectors(self, rows: Rep) -> np.ndarray:
        """Coordinates (r, p) in which the metric is that of a vector space."""
        raise NoVectors(
            f"{self.name} dissimilarities have no coordinates, and this method needs some: use dissimilarity='euclidean', "
            "or a method that reads dissimilarities, such as 'pvm' or 'knn'"
        )

    def place(self, coords: np.ndarray) -> Rep:
        """Side j for coordinates such as centroids."""
        self.vectors(())
        raise AssertionError

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        """Coordinates in the units of the design matrix."""
        self.vectors(())
        raise AssertionError
