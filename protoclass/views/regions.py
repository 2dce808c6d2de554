"""The class that a rule gives to each place of the plane of two predictors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted

CELLS = 1_500_000  # dissimilarities that quick regions may take
FINEST, COARSEST = 110, 40  # places along an axis of quick regions


@dataclass(frozen=True)
class Regions:
    """Classes on a grid of places.

    Attributes
    ----------
    x : array (width,)
    y : array (height,)
        The middles of the cells.
    codes : int array (height, width)
        Class code of each cell.
    """

    x: np.ndarray
    y: np.ndarray
    codes: np.ndarray

    def frame(self, levels: pd.Index) -> pd.DataFrame:
        """One row for each cell: `x`, `y` and `class`."""
        across, up = np.meshgrid(self.x, self.y)
        classes = pd.Categorical.from_codes(self.codes.ravel(), levels)
        return pd.DataFrame({"x": across.ravel(), "y": up.ravel(), "class": classes})


def predict_regions(fit: Fitted, names: tuple[str, str], extent: tuple[float, ...], side: int | None = None) -> Regions:
    """The class of each cell of a plane.

    Parameters
    ----------
    fit : Fitted
        Of two numeric predictors.
    names : (str, str)
        The predictors that are the axes.
    extent : (left, right, bottom, top)
    side : int, optional
        Cells along an axis; by default from 110 down to 40, the fewer the more prototypes there are, to be quick.
    """
    quick = np.clip(np.sqrt(CELLS / max(1, len(fit.rule.prototypes))), COARSEST, FINEST)
    side = int(quick) if side is None else side
    along, up = (low + (np.arange(side) + 0.5) * (high - low) / side for low, high in (extent[:2], extent[2:]))
    across, above = np.meshgrid(along, up)
    grid = pd.DataFrame({names[0]: across.ravel(), names[1]: above.ravel()})
    codes = fit.predict(grid).cat.codes.to_numpy().reshape(side, side)
    return Regions(along, up, np.asarray(codes, np.int64))
