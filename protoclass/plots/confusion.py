"""The confusion table as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .style import axes

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def counts(fit: Fit) -> tuple[pd.DataFrame, str]:
    """Weight of rows by true and predicted class, held out where something was cross-validated; and what rows they are."""
    if fit.validation is not None:
        return fit.validation.confusion(fit.point), "held-out rows"
    told = fit.predict().cat.codes.to_numpy()
    L = len(fit.classes)
    table = np.bincount(fit.frame.codes * L + told, fit.frame.weights, L * L).reshape(L, L)
    return pd.DataFrame(table, fit.frame.levels, fit.frame.levels), "training rows"


def confusion(fit: Fit, ax: Any = None) -> Any:
    """Counts as numbers, the share of each true class as shade."""
    table, rows = counts(fit)
    L = len(table)
    side = max(4.4, 0.5 * L + 1.6)
    ax = axes(ax, side + 0.8, side)
    values = table.to_numpy(float)
    share = values / np.maximum(values.sum(axis=1, keepdims=True), 1e-300)
    ax.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for i in range(L):
        for j in range(L):
            if values[i, j]:
                ax.text(
                    j,
                    i,
                    f"{values[i, j]:g}",
                    ha="center",
                    va="center",
                    color="white" if share[i, j] > 0.55 else "black",
                )
    names = [str(level) for level in fit.classes]
    long = max(map(len, names)) > 4
    ax.set_xticks(range(L), names, rotation=45 if long and L > 3 else 0, ha="right" if long and L > 3 else "center")
    ax.set_yticks(range(L), names)
    ax.set(xlabel="predicted class", ylabel="true class", title=f"Number of {rows} (shade: share of the true class)")
    ax.title.set_fontsize("medium")
    return ax
