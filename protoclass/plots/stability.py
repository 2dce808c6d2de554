"""How sure the places of prototypes are."""

from __future__ import annotations

from typing import Any

from ..analysis.stability import Stability
from ..views.analyses import list_stability
from ..views.names import list_short
from .alternatives import NAMED
from .finish import framed
from .palette import colour, faint, mark
from .style import axes, key, list_named


@framed
def stability(result: Stability, ax: Any = None) -> Any:
    """Share of the samples in which the ball of each prototype held one of its class, and in which it was chosen again."""
    table = list_stability(result)
    few = len(table) <= NAMED
    ax = axes(ax, 6.4, 1.4 + 0.24 * len(table) if few else 4.4)
    order, classes = table["order"].to_numpy(), list_named(result.fit.classes)
    for k, level in enumerate(result.fit.classes):
        own = (table["class"] == level).to_numpy()
        for name, face in (("chosen", "none"), ("near", colour(k))):
            if name not in table or not own.any():
                continue
            share = table.loc[own, name]
            spots = (share, order[own]) if few else (order[own], share)
            label = classes[k] if name == "chosen" else None
            ax.plot(
                *spots, mark(k), ms=6 if few else 3, color=colour(k), mfc=face, ls="none", label=label, clip_on=False
            )
    near = "full: one of its class near; " if "near" in table else ""
    what = f"share of samples\n{near}hollow: chosen, if sampled"
    if few:
        names = [f"{label}, within {radius:.3g}" for label, radius in zip(list_short(table.index), table["within"], strict=True)]
        ax.set_yticks(order, names)
        ax.set(xlim=(0, 1), ylim=(len(table) + 0.5, 0.5), xlabel=what, ylabel="prototype, in the order chosen")
        ax.grid(axis="y", lw=0.4, color=faint(ax))
    else:
        ax.set(ylim=(0, 1), xlabel="prototype, in the order chosen", ylabel=what)
    key(ax, "above", ncols=min(4, len(result.fit.classes)))
    return ax
