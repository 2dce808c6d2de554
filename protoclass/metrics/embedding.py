"""Dissimilarities as distances in a pseudo-Euclidean space, and the spectrum that shows whether they can be such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.embedding.scaling import Spectral
from ..ground.errors import printed
from ..values import Above

if TYPE_CHECKING:
    from .dissimilarity import Dissimilarity

EUCLIDEAN = 0.01  # share of negative mass up to which a spectrum counts as Euclidean
FLAT = 0.25  # share of n - 1 above which an effective dimension counts as flat


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues of the inner products about the mean, and what they mean (Graepel et al. 1998, section 2).

    Attributes
    ----------
    table : DataFrame
        By descending absolute value: `eigenvalue`, `share` of the sum of absolute values, `cumulative` share.
    n : int
        Number of rows.
    """

    table: pd.DataFrame
    n: int

    plot = Above("protoclass.plots")

    @property
    def signature(self) -> tuple[int, int]:
        """Number of positive and of negative eigenvalues."""
        values = self.table["eigenvalue"]
        return int((values > 0).sum()), int((values < 0).sum())

    @property
    def negative(self) -> float:
        """Share of the negative eigenvalues in the sum of absolute values."""
        return float(self.table["share"][self.table["eigenvalue"] < 0].sum())

    @property
    def effective(self) -> float:
        """Effective dimension (sum |l|)^2 / sum l^2: k equal eigenvalues give k."""
        share = self.table["share"].to_numpy()
        return float(1 / (share**2).sum()) if len(share) else 0.0

    @property
    def case(self) -> str:
        """The paper's cases: "flat" where the effective dimension is above a quarter of n - 1 (no linear embedding in few
        dimensions), else "Euclidean" where at most 1 % of the mass is negative, else "pseudo-Euclidean"."""
        if self.n > 2 and self.effective > FLAT * (self.n - 1):
            return "flat"
        return "Euclidean" if self.negative <= EUCLIDEAN else "pseudo-Euclidean"

    @printed
    def __repr__(self) -> str:
        up, down = self.signature
        advice = {
            "flat": "a hyperplane on the proximities themselves needs no embedding",
            "Euclidean": "a Euclidean embedding is faithful",
            "pseudo-Euclidean": "an embedding needs its negative axes",
        }[self.case]
        return (
            f"Spectrum of {self.n} rows: signature ({up}, {down}), {100 * self.negative:.2g} % negative mass, effective dimension "
            f"{self.effective:.3g} of {self.n - 1}\n{self.case}: {advice}\n{self.table.head(8).round(4).to_string()}"
        )


@dataclass(frozen=True, eq=False)
class Embedding:
    """Rows as points in a pseudo-Euclidean space.

    Squared distances are the sum of squared differences along the positive axes minus that along the negative ones.

    Attributes
    ----------
    dissimilarity : Dissimilarity
    axes : core.proximity.embedding.Embedding
    """

    dissimilarity: Dissimilarity
    axes: Spectral

    plot = Above("protoclass.plots")

    @property
    def signs(self) -> pd.Series:
        """1 or -1 for each axis."""
        return pd.Series(np.sign(self.axes.values).astype(int), self._names, name="sign")

    @property
    def signature(self) -> tuple[int, int]:
        """Number of positive and of negative axes."""
        return self.axes.signature

    @property
    def coordinates(self) -> pd.DataFrame:
        """The rows, one column for each axis, by descending absolute eigenvalue."""
        return pd.DataFrame(self.axes.coordinates(), self.dissimilarity.index, self._names)

    @property
    def _names(self) -> pd.Index:
        return pd.Index([f"dim{k + 1}" for k in range(len(self.axes.values))])

    def place(self, new: Any) -> pd.DataFrame:
        """Coordinates of new rows: NaN for rows with missing predictors.

        Parameters
        ----------
        new : DataFrame
            Of predictors, or for given dissimilarities of those to all rows, by label.
        """
        known = self.dissimilarity
        rows = known.metric.new_rows(new, known.data)
        D = rows.measure(np.arange(int(rows.complete.sum())), known.candidates)
        seen = ~np.isnan(D).any(axis=1)
        out = np.full((len(rows.index), len(self.axes.values)), np.nan)
        out[np.flatnonzero(rows.complete)[seen]] = self.axes.place(D[seen])
        return pd.DataFrame(out, rows.index, self._names)

    def distances(self) -> pd.DataFrame:
        """Distances between the coordinates of the rows; NaN where a square is negative beyond rounding."""
        X, sign = self.axes.coordinates(), np.sign(self.axes.values)
        inner = (X * sign) @ X.T
        squared = np.diag(inner)[:, None] + np.diag(inner)[None, :] - 2 * inner
        slack = 1e-9 * float(np.abs(squared).max(initial=0.0))
        with np.errstate(invalid="ignore"):
            values = np.sqrt(np.where(np.abs(squared) <= slack, 0.0, squared))
        np.fill_diagonal(values, 0.0)
        return pd.DataFrame(values, self.dissimilarity.index, self.dissimilarity.index)

    @printed
    def __repr__(self) -> str:
        up, down = self.signature
        head = f"Embedding of {len(self.dissimilarity.index)} rows, signature ({up}, {down})"
        return f"{head}\n{self.coordinates.iloc[:5, :5].round(3).to_string()}"


def spectrum_of(axes: Spectral, n: int) -> Spectrum:
    size = np.abs(axes.values)
    share = size / size.sum() if len(size) else size
    return Spectrum(pd.DataFrame({"eigenvalue": axes.values, "share": share, "cumulative": np.cumsum(share)}), n)
