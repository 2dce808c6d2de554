"""Spectrum and rows of a pseudo-Euclidean embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..settings import COLOURS
from ..views.analyses import list_eigenvalues, list_places
from .style import GREY, axes, colour, mark, named

if TYPE_CHECKING:
    from ..metrics.embedding import Embedding, Spectrum


def spectrum(result: Spectrum, ax: Any = None) -> Any:
    """Eigenvalues by descending absolute value."""
    ax = axes(ax)
    table = list_eigenvalues(result)
    for k, sign in enumerate(("positive", "negative")):
        own = table[table["sign"] == sign]
        ax.vlines(own["axis"], 0, own["eigenvalue"], color=COLOURS[k], lw=1.2)
        ax.plot(own["axis"], own["eigenvalue"], mark(k), ms=4, color=COLOURS[k], label=f"{sign} ({len(own)})")
    ax.axhline(0, color=GREY, lw=0.8)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="axis, by descending absolute value", ylabel="eigenvalue (squared units of the dissimilarity)")
    ax.set_title(
        f"{result.case}: {100 * result.negative:.2g} % negative mass, effective dimension {result.effective:.3g} of {result.n - 1}",
        fontsize="medium",
    )
    ax.legend(fontsize="small", title="eigenvalues")
    return ax


def points(embedding: Embedding, pair: tuple[int, int] | None = None, by: Any = None, ax: Any = None) -> Any:
    """Rows along two axes of an embedding, each named with its sign."""
    table = list_places(embedding, pair, by)
    ax = axes(ax, 5.6, 5.0)
    style = {"s": 22, "lw": 0, "alpha": 0.7}
    if by is None:
        ax.scatter(table["x"], table["y"], color=colour(0), **style)
    else:
        for k, level in enumerate(table["class"].cat.categories):
            own = table[table["class"].cat.codes == k]
            ax.scatter(own["x"], own["y"], marker=mark(k), color=colour(k), label=named(level), **style)
        ax.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    x, y = table.attrs["axes"]
    ax.set_aspect("equal", adjustable="datalim")
    ax.axhline(0, color=GREY, lw=0.6, zorder=0)
    ax.axvline(0, color=GREY, lw=0.6, zorder=0)
    ax.set(xlabel=x, ylabel=y, title=f"signature ({embedding.signature[0]}, {embedding.signature[1]})")
    return ax
