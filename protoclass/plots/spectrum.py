"""Spectrum and rows of a pseudo-Euclidean embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..views.analyses import list_eigenvalues, list_places
from .finish import framed
from .labels import DIRECT, name_classes
from .palette import GREY, colour, mark
from .style import axes, key, list_named

if TYPE_CHECKING:
    from ..metrics.embedding import Embedding, Spectrum


@framed
def spectrum(result: Spectrum, ax: Any = None) -> Any:
    """Eigenvalues by descending absolute value."""
    ax = axes(ax)
    table = list_eigenvalues(result)
    for k, sign in enumerate(("positive", "negative")):
        own = table[table["sign"] == sign]
        ax.vlines(own["axis"], 0, own["eigenvalue"], color=colour(k), lw=1.2)
        ax.plot(own["axis"], own["eigenvalue"], mark(k), ms=4, color=colour(k), label=f"{sign} ({len(own)})")
    ax.axhline(0, color=GREY, lw=0.8)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="axis, by descending absolute value", ylabel="eigenvalue (squared units of the dissimilarity)")
    ax.set_title(
        f"{result.case}: {100 * result.negative:.2g} % negative mass, effective dimension {result.effective:.3g} of {result.n - 1}",
        fontsize="medium",
    )
    key(ax, "best", "eigenvalues")
    return ax


@framed
def points(embedding: Embedding, pair: tuple[int, int] | None = None, by: Any = None, ax: Any = None) -> Any:
    """Rows along two axes of an embedding, each named with its sign."""
    table = list_places(embedding, pair, by)
    ax = axes(ax, 5.6, 5.0)
    style = {"s": 22, "lw": 0, "alpha": 0.7}
    if by is None:
        ax.scatter(table["x"], table["y"], color=colour(0), **style)
    else:
        levels = table["class"].cat.categories
        places = [table.loc[table["class"].cat.codes == k, ["x", "y"]].to_numpy(float) for k in range(len(levels))]
        for k, (own, name) in enumerate(zip(places, list_named(levels), strict=True)):
            ax.scatter(own[:, 0], own[:, 1], marker=mark(k), color=colour(k), label=name, **style)
        if len(levels) <= DIRECT:
            name_classes(ax, places, levels)
        else:
            key(ax, "right")
    x, y = table.attrs["axes"]
    ax.set_aspect("equal", adjustable="datalim")
    ax.axhline(0, color=GREY, lw=0.6, zorder=0)
    ax.axvline(0, color=GREY, lw=0.6, zorder=0)
    ax.set(xlabel=x, ylabel=y, title=f"signature ({embedding.signature[0]}, {embedding.signature[1]})")
    return ax
