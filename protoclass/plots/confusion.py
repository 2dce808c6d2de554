"""The confusion table as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..views.confusion import Confusion, count_confusion
from .style import axes

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def confusion(fit: Fit, ax: Any = None) -> Any:
    """Held-out or training rows of a fit; see `draw_counts`."""
    return draw_counts(count_confusion(fit), ax)


def draw_counts(counts: Confusion, ax: Any = None) -> Any:
    """Counts as numbers, the share of each true class as shade."""
    L = len(counts.table)
    side = max(4.4, 0.5 * L + 1.6)
    ax = axes(ax, side + 0.8, side)
    values, share = counts.table.to_numpy(float), counts.shares
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
    names = [str(level) for level in counts.table.index]
    long = max(map(len, names)) > 4
    ax.set_xticks(range(L), names, rotation=45 if long and L > 3 else 0, ha="right" if long and L > 3 else "center")
    ax.set_yticks(range(L), names)
    ax.set(
        xlabel="predicted class", ylabel="true class", title=f"Number of {counts.rows} (shade: share of the true class)"
    )
    ax.title.set_fontsize("medium")
    return ax
