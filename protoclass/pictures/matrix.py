"""Pictures of dissimilarities: their matrix, distributions, spectrum and embedding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..ground.checks import is_number, one_of
from ..ground.errors import DataError, OptionError, brief
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.embedding import Embedding, Spectrum, classes_of
from .plane import take_evenly
from .style import (
    GREY,
    RISING,
    colour,
    framed,
    has_room,
    ink,
    key,
    list_down,
    list_named,
    mark,
    name_ticks,
    scatter_classes,
)
from .style import axes as draw_on

MOST = 600  # rows and candidates shown
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def seriate(D: np.ndarray) -> np.ndarray:
    """An order in which neighbours are similar, of the rows of a symmetric matrix (n, n).

    Optimal leaf ordering of average linkage (Bar-Joseph et al. 2001).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 5.0, 1.0, 4.0])
    >>> seriate(np.abs(x[:, None] - x)).tolist()
    [0, 2, 3, 1]
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(D) < 3:
        return np.arange(len(D))
    flat = D[np.triu_indices(len(D), 1)] / (D.max() or 1.0)
    order = leaves_list(linkage(flat, "average", optimal_ordering=True))
    return order if order[0] < order[-1] else order[::-1]


def arrange(
    dissimilarity: Dissimilarity, by: Any = None
) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """The matrix as it is drawn: ordered by class and seriated within each, of at most 600 rows and candidates.

    Returns
    -------
    DataFrame (r, q), Series (r,), Series (q,)
        The dissimilarities, and the classes of its rows and of its columns. Columns that are not
        rows come last.
    """
    classes, P, row_of = (
        classes_of(dissimilarity.index, by),
        dissimilarity._values,
        dissimilarity.candidate_row,
    )
    levels = [*classes.levels, "not rows"]
    of_column = np.where(row_of >= 0, classes.codes[row_of], len(classes.levels))
    if dissimilarity.square:
        rows = columns = _order(classes.codes, lambda group: _symmetrize(P[np.ix_(group, group)]))
    else:  # rows are similar where their dissimilarities to the candidates are
        rows = _order(classes.codes, lambda group: _compare_profiles(P[group]))
        columns = _order(of_column, lambda group: _compare_profiles(P[:, group].T))
    table = pd.DataFrame(
        P[np.ix_(rows, columns)], dissimilarity.index[rows], dissimilarity.candidate_names[columns]
    )
    return (
        table,
        pd.Series([levels[c] for c in classes.codes[rows]], table.index, name="class"),
        pd.Series([levels[c] for c in of_column[columns]], table.columns, name="class"),
    )


def _order(codes: np.ndarray, measure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    taken = np.argsort(codes, kind="stable")[take_evenly(len(codes), MOST)]
    groups = [taken[codes[taken] == c] for c in np.unique(codes[taken])]
    return np.concatenate([group[seriate(measure(group))] for group in groups])


def _symmetrize(D: np.ndarray) -> np.ndarray:
    both = D.astype(float) / 2
    both = both + both.T
    np.fill_diagonal(both, 0.0)
    return both


def _compare_profiles(X: np.ndarray) -> np.ndarray:
    from ..core.distances.minkowski import minkowski

    X = X[:, take_evenly(X.shape[1], MOST)].astype(float)
    X = np.ascontiguousarray(X / (X.max(initial=0.0) or 1.0))
    return minkowski(X, X)


def describe_shares(dissimilarity: Dissimilarity, table: pd.DataFrame) -> str:
    """The number of rows and candidates that are shown, in words; "" for all."""
    sides = zip(table.shape, dissimilarity.shape, ("rows", "candidates"), strict=True)
    shares = [f"{shown} of {count} {name}" for shown, count, name in sides if shown < count]
    return (
        f"{' and '.join(shares[: 1 if dissimilarity.square else 2])}, evenly taken"
        if shares
        else ""
    )


def find_range(table: pd.DataFrame, square: bool) -> tuple[float, float]:
    """Ends of the colours of a matrix: its 1 % and 99 % quantiles; in a square matrix without what
    is between a row and itself.
    """
    values = table.to_numpy(float)
    apart = (
        values[table.index.to_numpy()[:, None] != table.columns.to_numpy()]
        if square
        else values.ravel()
    )
    low, high = np.quantile(apart, [0.01, 0.99]) if len(apart) else (0.0, 0.0)
    return (low, high) if low < high else (0.0, values.max() or 1.0)


def find_blocks(classes: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """First indices of the classes of neighbouring rows, and their ends (exclusive)."""
    names = classes.to_numpy()
    cuts = np.flatnonzero(names[1:] != names[:-1]) + 1
    return np.array([0, *cuts]), np.array([*cuts, len(names)])


def summarize_distributions(dissimilarity: Dissimilarity, by: Any = None) -> pd.DataFrame:
    """Positive dissimilarities between different rows, from each class to itself and to the others.

    Returns
    -------
    DataFrame
        Rows: class and `to` ("own class", "other classes"). Columns: `number` of dissimilarities
        (both directions of a pair count), `smallest`, quantiles `q5` to `q95`, `largest`; NaN where
        there is none.

    Raises
    ------
    DataError
        If no dissimilarity between different rows is positive.
    """
    classes, P, row_of = (
        classes_of(dissimilarity.index, by),
        dissimilarity._values,
        dissimilarity.candidate_row,
    )
    known = np.flatnonzero(row_of >= 0)
    of_column, rows = classes.codes[row_of[known]], np.arange(len(P))
    lines = []
    for c, level in enumerate(classes.levels):
        members = rows[classes.codes == c]
        for to, picked in (("own class", of_column == c), ("other classes", of_column != c)):
            if classes.single and to == "other classes":
                continue
            columns = known[picked]
            values = P[np.ix_(members, columns)]
            values = values[(values > 0) & (members[:, None] != row_of[columns])].astype(float)
            quantiles = (
                np.quantile(values, [0, *LEVELS, 1])
                if len(values)
                else np.full(len(LEVELS) + 2, np.nan)
            )
            lines.append((level, to, len(values), *quantiles))
    names = ["class", "to", "number", "smallest", *(f"q{100 * q:.0f}" for q in LEVELS), "largest"]
    table = pd.DataFrame(lines, columns=names).set_index(["class", "to"])
    if not table["number"].any():
        raise DataError(
            "all dissimilarities between different rows are 0, so there is no distribution to draw: "
            "use rows or columns that differ"
        )
    return table


@framed
def plot(dissimilarity: Dissimilarity, by: Any = None, kind: str = "matrix", ax: Any = None) -> Any:
    """Plot the dissimilarity matrix as an image, or its distributions by class.

    Parameters
    ----------
    by : Series, optional
        Classes by row label. Default: all rows are one group.
    kind : "matrix" or "distributions"
        Kind of plot. "matrix": an image with rows sorted by class, similar rows next to each other
        (at most 600, evenly sampled); its colours span the 1 % to 99 % quantiles. "distributions":
        for each class, the positive dissimilarities between its rows, and to rows of other classes.
    ax : Axes, optional
        Axes to draw on.

    Returns
    -------
    Axes
        The Axes.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> pc.dissimilarity("species ~ .", iris).plot(by=iris["species"]).get_ylabel()
    'rows by species'
    """
    kinds = {"matrix": draw_matrix, "distributions": draw_boxes}
    one_of("kind", kind, tuple(kinds), "picture")
    return kinds[kind](dissimilarity, by, ax)


def draw_matrix(dissimilarity: Dissimilarity, by: Any = None, ax: Any = None) -> Any:
    """The matrix as an image: colours from the 1 % to the 99 % quantile of its values, beyond these the end colours."""
    table, of_row, of_column = arrange(dissimilarity, by)
    given, ax = ax, draw_on(ax, 6.6, 5.6)
    if given is None and dissimilarity.square:
        # "constrained" lets labels of Axes with a fixed aspect run out of the figure
        ax.figure.set_layout_engine("compressed")
    values = table.to_numpy(float)
    low, high = find_range(table, dissimilarity.square)
    image = ax.imshow(
        values, cmap=RISING, vmin=low, vmax=high, aspect="equal" if dissimilarity.square else "auto"
    )
    image.set_rasterized(True)
    words, shrink = "dissimilarity", 0.9 if dissimilarity.square else 1.0
    words += f" ({dissimilarity.metric.name} units)" if has_room(ax) else ""
    ax.figure.colorbar(image, ax=ax, label=words, extend="both", shrink=shrink)
    what = classes_of(dissimilarity.index, by).name
    for axis, classes, side in ((ax.yaxis, of_row, "rows"), (ax.xaxis, of_column, "candidates")):
        if what:
            _name_classes(ax, axis, classes, f"{side} by {what}")
        else:
            axis.set_ticks([])
            axis.set_label_text(f"{side}, similar ones side by side")
    ax.set(xlim=(-0.5, values.shape[1] - 0.5), ylim=(values.shape[0] - 0.5, -0.5))
    ax.grid(False)
    if words := describe_shares(dissimilarity, table):
        ax.set_title(words)
    return ax


def _name_classes(ax: Any, axis: Any, classes: pd.Series, label: str) -> None:
    """Draw class boundaries, and name the classes at their middles along an axis."""
    starts, ends = find_blocks(classes)
    for cut in starts[1:]:
        (ax.axhline if axis.axis_name == "y" else ax.axvline)(
            cut - 0.5, color="white", lw=min(1.0, 15 / (len(starts) - 1))
        )
    name_ticks(
        axis, list_named(classes.to_numpy()[starts]), label, ((starts + ends - 1) / 2).tolist()
    )
    axis.set_tick_params(length=0)


def draw_boxes(dissimilarity: Dissimilarity, by: Any = None, ax: Any = None) -> Any:
    """For each class a box of the dissimilarities within it above one of those to the other classes."""
    table = summarize_distributions(dissimilarity, by)
    classes, what = (
        table.index.unique("class").tolist(),
        classes_of(dissimilarity.index, by).name,
    )
    ax = draw_on(ax, 6.8, min(30.0, max(2.2, 1.4 + 0.5 * len(classes))))
    sides = {"own class": (-0.19, colour(0)), "other classes": (0.19, colour(1))}
    boxes: dict[Any, Any] = {}
    for (level, to), row in table.iterrows():
        shift, fill = sides[to]
        height = classes.index(level) + (shift if what else 0.0)
        if not row["number"]:
            continue
        ax.hlines(height, row["q5"], row["q95"], color=ink(ax), lw=0.9)
        ax.plot([row["smallest"], row["largest"]], [height, height], ".", ms=5, color=ink(ax))
        boxes[to] = ax.barh(
            height,
            row["q75"] - row["q25"],
            0.3,
            row["q25"],
            color=fill,
            edgecolor=ink(ax),
            lw=0.8,
            zorder=3,
        )
        ax.vlines(row["q50"], height - 0.15, height + 0.15, color=ink(ax), lw=2, zorder=4)
    list_down(ax, list_named(classes), what or "rows")
    ax.set(
        xlim=(0, 1.03 * table["largest"].max()),
        xlabel=f"dissimilarity ({dissimilarity.metric.name} units)",
    )
    if what:
        for to, box in boxes.items():
            box.set_label(to)
        key(ax, "right", "from the class to")
    ax.set_title("Quartiles, 5 to 95 %, smallest and largest")
    return ax


@framed
def spectrum(result: Spectrum, ax: Any = None) -> Any:
    """Plot the eigenvalues by descending absolute value, with positive and negative ones distinguished."""
    ax, values = draw_on(ax), result.table["eigenvalue"].to_numpy()
    for k, (sign, mask) in enumerate((("positive", values > 0), ("negative", values < 0))):
        numbers = np.flatnonzero(mask) + 1
        ax.vlines(numbers, 0, values[mask], color=colour(k), lw=1.2)
        ax.plot(
            numbers, values[mask], mark(k), ms=4, color=colour(k), label=f"{sign} ({len(numbers)})"
        )
    ax.axhline(0, color=GREY, lw=0.8)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(
        xlabel="axis, by descending absolute value",
        ylabel="eigenvalue (squared units of the dissimilarity)",
    )
    ax.set_title(
        f"Negative mass {100 * result.negative:.2g} % ({result.case})\neffective dimension "
        f"{result.effective:.3g} of {result.n - 1}"
    )
    return key(ax, title="eigenvalues").axes


@framed
def points(
    embedding: Embedding, axes: tuple[int, int] | None = None, by: Any = None, ax: Any = None
) -> Any:
    """Plot the rows along two axes of the embedding.

    Parameters
    ----------
    axes : (int, int), optional
        Numbers of the axes, from 1. Default: the first positive and, if there is one, the first
        negative.
    by : Series, optional
        Classes by row label.
    ax : Axes, optional
        Axes to draw on.
    """
    if axes is not None:
        count = len(embedding.axes.values)
        fine = isinstance(axes, tuple) and len(axes) == 2
        if not fine or not all(is_number(k, 1, integral=True, high=count) for k in axes):
            raise OptionError(
                f"axes must be two numbers from 1 to {count}, such as (1, 2), not {brief(axes)}"
            )
    classes = classes_of(embedding.coordinates.index, by)
    signs, X = embedding.signs.to_numpy(), embedding.coordinates.to_numpy()
    if axes is None:
        positive, negative = (1 + np.flatnonzero(signs == sign) for sign in (1, -1))
        several = len(positive) and len(negative)
        axes = (positive[0], negative[0]) if several else (1, max(1, min(2, len(signs))))
    numbers = [int(k) for k in axes]
    places = np.column_stack([X[:, k - 1] if X.shape[1] else np.zeros(len(X)) for k in numbers])
    ax = draw_on(ax, 5.6, 5.0)
    levels = classes.levels
    groups = [places[classes.codes == k] for k in range(len(levels))]
    scatter_classes(ax, groups, levels, s=22, lw=0, alpha=0.7)
    if not classes.single:
        key(ax)
    x, y = (f"axis {k} ({'+' if len(signs) == 0 or signs[k - 1] > 0 else '-'})" for k in numbers)
    ax.set_aspect("equal", adjustable="datalim")
    ax.axhline(0, color=GREY, lw=0.6, zorder=0)
    ax.axvline(0, color=GREY, lw=0.6, zorder=0)
    plus, minus = embedding.signature
    ax.set(xlabel=x, ylabel=y, title=f"{plus} positive and {minus} negative axes")
    return ax
