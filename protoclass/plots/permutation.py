"""A cross-validated error among those with permuted classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..views.analyses import count_permutations
from ..views.words import write_number
from .style import GREY, axes, colour, ink, plain_text

if TYPE_CHECKING:
    from ..analysis.permutation import PermutationTest


def permutations(result: PermutationTest, ax: Any = None) -> Any:
    """How often permuted classes had which error, and the error of the classes as they are."""
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
    ax.set_title(result.how, fontsize="medium", pad=28)
    ax.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return plain_text(ax)
