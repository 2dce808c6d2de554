"""A cross-validated error among those with permuted classes."""

from __future__ import annotations

from typing import Any

from ..analysis.permutation import PermutationTest
from ..views.analyses import count_permutations
from ..views.words import write_number
from .finish import framed
from .palette import GREY, colour, ink
from .style import axes, key


@framed
def permutations(result: PermutationTest, ax: Any = None) -> Any:
    """The errors with permuted classes as a histogram, with the error of the classes as they are; returns the Axes.

    Parameters
    ----------
    ax : Axes, optional
    """
    table = count_permutations(result)
    ax = axes(ax, 6.4, 3.8)
    width = table["high"] - table["low"]
    ax.bar(table["low"], table["count"], width, align="edge", color=GREY, alpha=0.7, lw=0, label=f"{len(result.table)} permutations")
    said = f"as observed: {write_number(result.error)}, p = {write_number(result.p_value)}"
    ax.axvline(result.error, color=colour(1), lw=2, label=said)
    ax.axvline(result.table["error"].mean(), color=ink(ax), lw=1, ls=":", label="mean of the permutations")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.margins(x=0.04)
    ax.set(xlabel=f"cross-validated {result.measure} of the chosen point", ylabel="permutations")
    ax.set_title(result.how, fontsize="medium")
    key(ax, "below", ncols=2)
    return ax
