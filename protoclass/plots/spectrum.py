"""Spectrum and points of a pseudo-Euclidean embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .style import COLOURS, GREY, axes, colour, mark, named

if TYPE_CHECKING:
    from ..metrics.embedding import Embedding, Spectrum


def spectrum(told: Spectrum, ax: Any = None) -> Any:
    """Eigenvalues by descending absolute value."""
    ax = axes(ax)
    values = told.table["eigenvalue"].to_numpy()
    at = np.arange(1, len(values) + 1)
    for sign, name, k in ((1, "positive", 0), (-1, "negative", 1)):
        own = values * sign > 0
        ax.vlines(at[own], 0, values[own], color=COLOURS[k], lw=1.2)
        ax.plot(at[own], values[own], mark(k), ms=4, color=COLOURS[k], label=f"{name} ({own.sum()})")
    ax.axhline(0, color=GREY, lw=0.8)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="axis, by descending absolute value", ylabel="eigenvalue (squared units of the dissimilarity)")
    ax.set_title(
        f"{told.case}: {100 * told.negative:.2g} % negative mass, effective dimension {told.effective:.3g} of {told.n - 1}",
        fontsize="medium",
    )
    ax.legend(fontsize="small", title="eigenvalues")
    return ax


def points(told: Embedding, pair: tuple[int, int] | None = None, by: Any = None, ax: Any = None) -> Any:
    """Rows along two axes of an embedding, each named with its sign."""
    signs = told.signs.to_numpy()
    if pair is None:
        up, down = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
        first = [*up[:1], *down[:1]] if len(up) and len(down) else [*range(min(2, len(signs)))]
        pair = (int(first[0]) + 1, int(first[-1]) + 1) if len(first) else (1, 1)
    ax = axes(ax, 5.6, 5.0)
    X = told.coordinates.to_numpy()
    columns = [X[:, k - 1] if X.shape[1] else np.zeros(len(X)) for k in pair]
    if by is None:
        ax.scatter(*columns, s=22, color=colour(0), lw=0, alpha=0.7)
    else:
        classes = pd.Categorical(by.loc[told.related.index])
        for c, level in enumerate(classes.categories):
            own = classes.codes == c
            ax.scatter(
                columns[0][own],
                columns[1][own],
                s=22,
                marker=mark(c),
                color=colour(c),
                lw=0,
                alpha=0.7,
                label=named(level),
            )
        ax.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    names = [f"axis {k} ({'+' if len(signs) == 0 or signs[k - 1] > 0 else '-'})" for k in pair]
    ax.set_aspect("equal", adjustable="datalim")
    ax.axhline(0, color=GREY, lw=0.6, zorder=0)
    ax.axvline(0, color=GREY, lw=0.6, zorder=0)
    ax.set(xlabel=names[0], ylabel=names[1], title=f"signature ({told.signature[0]}, {told.signature[1]})")
    return ax
