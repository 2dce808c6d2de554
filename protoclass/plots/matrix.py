"""A matrix of dissimilarities as a picture, and its distributions by class."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.proximity.torgerson import torgerson
from ..errors import DataError, OptionError
from ..arguments import one_of
from ..metrics.check import classes_of
from .style import COLOURS, GREY, axes, named, plain_text

if TYPE_CHECKING:
    from ..metrics.dissimilarity import Dissimilarity

MOST = 1000  # rows and candidates shown
LEAVES = 600  # rows of a class whose leaf ordering is optimal
NAMES = 30  # classes that can be named along an axis
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def plot(related: Dissimilarity, by: Any = None, kind: str = "matrix", ax: Any = None) -> Any:
    """The figures of `Dissimilarity.plot`."""
    kinds: dict[str, Callable[..., Any]] = {"matrix": picture, "distributions": boxes}
    one_of("kind", kind, tuple(kinds))
    if ax is not None and not hasattr(ax, "plot"):
        raise OptionError(f"ax={ax!r}: Axes of matplotlib, or None")
    return plain_text(kinds[kind](related, by, ax))


def seriated(D: np.ndarray) -> np.ndarray:
    """An order in which neighbours are alike, of the rows of a symmetric matrix (n, n).

    Optimal leaf ordering of average linkage (Bar-Joseph et al. 2001), of more than 600 rows the first axis of classical
    scaling.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 5.0, 1.0, 4.0])
    >>> seriated(np.abs(x[:, None] - x)).tolist()
    [0, 2, 3, 1]
    """
    n = len(D)
    if n < 3:
        return np.arange(n)
    if n > LEAVES:
        order = np.argsort(torgerson(D, 1)[:, 0], kind="stable")
    else:
        from scipy.cluster.hierarchy import leaves_list, linkage

        size = float(D.max()) or 1.0
        flat = D[np.triu_indices(n, 1)] / size
        order = leaves_list(linkage(flat, "average", optimal_ordering=True))
    return np.asarray(order if order[0] < order[-1] else order[::-1])


def arranged(related: Dissimilarity, by: Any = None) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """The matrix as it is drawn: ordered by class and seriated within each, of at most 1000 rows and candidates.

    Returns
    -------
    DataFrame (r, q), Series (r,), Series (q,)
        The dissimilarities, and the classes of its rows and of its columns. Columns that are no rows come last.
    """
    classes, P, origin = classes_of(related, by), related._values, related.origin
    levels = [*classes.levels, "no rows"]
    of_column = np.where(origin >= 0, classes.codes[origin], len(classes.levels))

    def order(codes: np.ndarray, apart: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        taken = np.argsort(codes, kind="stable")
        if len(taken) > MOST:
            taken = taken[np.linspace(0, len(taken) - 1, MOST).round().astype(int)]
        groups = [taken[codes[taken] == c] for c in np.unique(codes[taken])]
        return np.concatenate([group[seriated(apart(group))] for group in groups])

    if related.square:
        rows = columns = order(classes.codes, lambda own: _mean(P[np.ix_(own, own)]))
    else:  # rows are alike where their dissimilarities to the candidates are
        rows = order(classes.codes, lambda own: _profiles(P[own]))
        columns = order(of_column, lambda own: _profiles(P[:, own].T))
    table = pd.DataFrame(P[np.ix_(rows, columns)], related.index[rows], related.labels[columns])
    return (
        table,
        pd.Series([levels[c] for c in classes.codes[rows]], table.index, name="class"),
        pd.Series([levels[c] for c in of_column[columns]], table.columns, name="class"),
    )


def _mean(D: np.ndarray) -> np.ndarray:
    both = D.astype(float) / 2
    both = both + both.T
    np.fill_diagonal(both, 0.0)
    return both


def _profiles(X: np.ndarray) -> np.ndarray:
    from ..core.distances.minkowski import minkowski

    X = X[:, np.linspace(0, X.shape[1] - 1, min(MOST, X.shape[1])).round().astype(int)].astype(float)
    X = np.ascontiguousarray(X / (X.max(initial=0.0) or 1.0))
    return minkowski(X, X)


def picture(related: Dissimilarity, by: Any = None, ax: Any = None) -> Any:
    """The matrix as a picture: colours from the 1 % to the 99 % quantile of what is shown, beyond these the end colours."""
    table, of_row, of_column = arranged(related, by)
    n, m = related.shape
    given, ax = ax, axes(ax, 6.6, 5.6)
    if given is None and related.square:
        # "constrained" lets labels of Axes with a fixed aspect run out of the figure
        ax.figure.set_layout_engine("compressed")
    values = table.to_numpy(float)
    apart = values[table.index.to_numpy()[:, None] != table.columns.to_numpy()] if related.square else values.ravel()
    low, high = np.quantile(apart, [0.01, 0.99]) if len(apart) else (0.0, 0.0)
    if not low < high:
        low, high = 0.0, float(values.max()) or 1.0
    image = ax.imshow(values, cmap="viridis", vmin=low, vmax=high, aspect="equal" if related.square else "auto")
    image.set_rasterized(True)
    below, above = bool(len(apart) and apart.min() < low), bool(len(apart) and apart.max() > high)
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    bar = ax.figure.colorbar(image, ax=ax, extend=extend[below, above], shrink=0.9 if related.square else 1.0)
    bar.set_label(f"dissimilarity ({related.metric.name} units)")
    what = classes_of(related, by).name
    for axis, classes, side in ((ax.yaxis, of_row, "rows"), (ax.xaxis, of_column, "candidates")):
        if what:
            axis.set_label_text(f"{side} by {what}{_named(ax, axis, classes)}")
        else:
            axis.set_ticks([])
            axis.set_label_text(f"{side}, alike ones side by side")
    ax.set(xlim=(-0.5, values.shape[1] - 0.5), ylim=(values.shape[0] - 0.5, -0.5))
    ax.grid(False)
    shares = [
        f"{len(kept)} of {whole} {name}"
        for kept, whole, name in ((of_row, n, "rows"), (of_column, m, "candidates"))
        if len(kept) < whole
    ]
    if shares:
        ax.set_title(f"{shares[0] if related.square else ' and '.join(shares)}, evenly taken", fontsize="medium")
    return ax


def _named(ax: Any, axis: Any, classes: pd.Series) -> str:
    """Draw class boundaries and names along an axis; where not all can be named, say so."""
    names, n, upright = classes.to_numpy(), len(classes), axis.axis_name == "y"
    cuts = np.flatnonzero(names[1:] != names[:-1]) + 1
    starts, ends = np.array([0, *cuts]), np.array([*cuts, n])
    for cut in cuts:
        (ax.axhline if upright else ax.axvline)(cut - 0.5, color="white", lw=min(1.0, 15 / len(cuts)))
    largest = np.sort(np.argsort(starts - ends, kind="stable")[:NAMES])
    middle = (starts + ends - 1)[largest] / 2
    at = _spread(middle, (n - 1) / NAMES, n - 1)
    texts = [_short(names[starts[g]], 18) for g in largest]
    axis.set_ticks(at, texts)
    room = np.diff(at) / max(n, 1)
    sizes = np.array([len(text) for text in texts])
    slanted = not upright and bool((room < 0.009 * (sizes[1:] + sizes[:-1] + 1)).any())
    moved = np.flatnonzero(np.abs(at - middle) > 0.005 * n)
    axis.set_tick_params(length=0, labelsize="small", rotation=90 if slanted else 0, pad=11 if len(moved) else 3)
    for k in moved:  # from a class to its name
        ends_of_line = [(0, -0.02), (middle[k], at[k])]
        line, across = (
            (ends_of_line, ax.get_yaxis_transform()) if upright else (ends_of_line[::-1], ax.get_xaxis_transform())
        )
        ax.plot(*line, transform=across, color=GREY, lw=0.6, clip_on=False)
    return f" ({NAMES} of {len(starts)} named)" if len(starts) > NAMES else ""


def _short(level: str, most: int) -> str:
    return named(level if len(level) <= most else f"{level[: most // 2]}...{level[-(most // 2 - 3) :]}")


def _spread(at: np.ndarray, gap: float, last: float) -> np.ndarray:
    """Positions near `at`, in its order, from 0 to `last` and at least `gap` apart."""
    blocks: list[tuple[float, int]] = []  # mean of at - k gap, and number, of labels that touch
    for k, place in enumerate(at):
        mean, many = place - k * gap, 1
        while blocks and blocks[-1][0] > mean:
            before, number = blocks.pop()
            mean, many = (before * number + mean * many) / (number + many), number + many
        blocks.append((mean, many))
    first = np.concatenate([np.full(many, mean) for mean, many in blocks])
    return np.asarray(np.clip(first, 0, last - gap * (len(at) - 1)) + gap * np.arange(len(at)))


def distributions(related: Dissimilarity, by: Any = None) -> pd.DataFrame:
    """Positive dissimilarities between different rows, from each class to itself and to the others.

    Returns
    -------
    DataFrame
        Rows: class and `to` ("own class", "other classes"). Columns: `number` of dissimilarities (both directions of a
        pair count), `smallest`, quantiles `q5` to `q95`, `largest`; NaN where there is none.

    Raises
    ------
    DataError
        Where no dissimilarity between different rows is positive.
    """
    classes, P, origin = classes_of(related, by), related._values, related.origin
    known = np.flatnonzero(origin >= 0)
    of_column, rows = classes.codes[origin[known]], np.arange(len(P))
    found = []
    for c, level in enumerate(classes.levels):
        own = rows[classes.codes == c]
        for to, picked in (("own class", of_column == c), ("other classes", of_column != c)):
            if classes.single and to == "other classes":
                continue
            columns = known[picked]
            values = P[np.ix_(own, columns)]
            values = values[(values > 0) & (own[:, None] != origin[columns])].astype(float)
            quantiles = np.quantile(values, [0, *LEVELS, 1]) if len(values) else np.full(len(LEVELS) + 2, np.nan)
            found.append((level, to, len(values), *quantiles))
    names = ["class", "to", "number", "smallest", *(f"q{100 * q:.0f}" for q in LEVELS), "largest"]
    table = pd.DataFrame(found, columns=names).set_index(["class", "to"])
    if not table["number"].any():
        raise DataError("there is no positive dissimilarity between different rows, so no distribution to draw")
    return table


def boxes(related: Dissimilarity, by: Any = None, ax: Any = None) -> Any:
    """For each class a box of the dissimilarities within it above one of those to the other classes."""
    from matplotlib.patches import Patch

    table = distributions(related, by)
    classes, what = list(dict.fromkeys(table.index.get_level_values("class"))), classes_of(related, by).name
    ax = axes(ax, 6.8, min(30.0, max(2.2, 1.4 + 0.5 * len(classes))))
    sides = {"own class": (-0.19, COLOURS[5]), "other classes": (0.19, COLOURS[4])}
    for (level, to), row in table.iterrows():
        shift, fill = sides[to]
        at = classes.index(level) + (shift if what else 0.0)
        if not row["number"]:
            ax.annotate(
                "none", (0, at), (4, 0), textcoords="offset points", va="center", fontsize="x-small", color=GREY
            )
            continue
        ax.hlines(at, row["q5"], row["q95"], color="black", lw=0.9)
        ax.plot([row["smallest"], row["largest"]], [at, at], ".", ms=5, color="black")
        ax.barh(at, row["q75"] - row["q25"], 0.3, row["q25"], color=fill, edgecolor="black", lw=0.8, zorder=3)
        ax.vlines(row["q50"], at - 0.15, at + 0.15, color="black", lw=2, zorder=4)
    ax.set_yticks(range(len(classes)), [_short(c, 24) for c in classes])
    ax.set_ylim(len(classes) - 0.5, -0.5)
    ax.set_xlim(0, 1.03 * table["largest"].max())
    ax.set(xlabel=f"dissimilarity ({related.metric.name} units)", ylabel=what or "rows")
    if what:
        told = [Patch(facecolor=fill, edgecolor="black", lw=0.8, label=to) for to, (_, fill) in sides.items()]
        ax.legend(
            handles=told,
            title="from the class to",
            fontsize="small",
            frameon=False,
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
        )
    ax.set_title("quartiles, 5 to 95 %, smallest and largest", fontsize="medium")
    return ax
