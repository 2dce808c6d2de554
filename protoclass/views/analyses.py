"""The numbers of pictures of stability, comparisons, permutation tests, alternatives and proved bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..analysis.alternatives import Alternatives, Criticisms
from ..analysis.comparison import Comparison
from ..analysis.importance import PermutationTest, importance
from ..analysis.separation import separation, why_not_separated
from ..analysis.stability import Stability
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from ..metrics.embedding import Embedding, Spectrum
from .prototypes import shorten
from .words import write_number

JITTER = 5  # heights that the errors of the splits take in turn
MOST_BARS = 20  # variables that are named
MOST_BINS = 24  # of a histogram
NORMAL = 1.959964  # quantile for 95 %


def list_stability(stability: Stability) -> pd.DataFrame:
    """One row for each prototype, by name: `order` from 1, `class`, and the columns of `Stability` that the fit has."""
    table = stability.prototypes
    out = table[[c for c in ("class", "ball_hit_rate", "ball_hit_rate_random", "distance_95", "reselected") if c in table]]
    out.insert(0, "order", np.arange(1, len(out) + 1))
    return out


def list_splits(comparison: Comparison) -> pd.DataFrame:
    """The errors of each method (its place `row` from 0) on each split, with a `height` near the row, so that dots part."""
    errors = comparison.errors
    shift = 0.16 * (np.arange(len(errors)) % JITTER - 2) / 2
    parts = [
        pd.DataFrame(
            {"method": name, "row": i, "split": errors.index, "error": errors[name].to_numpy(), "height": i + shift}
        )
        for i, name in enumerate(comparison.table.index)
    ]
    return pd.concat(parts, ignore_index=True)


def list_importance(fit: Fitted, new: Any, repeats: int, variables: Any, cv: Any, seed: int) -> pd.DataFrame:
    """`Fit.importance` of the first 20 variables: `variable`, `importance`, `se`, and its 95 % interval `low`, `high`.

    In `attrs`: `without`, the error of the rows as they are, and `shown`, which variables there are.
    """
    table = importance(fit, new, repeats, variables, cv, seed)
    error = float((table["error"] - table["importance"]).iloc[0])
    out = table.head(MOST_BARS).reset_index()
    half = NORMAL * out["se"]
    out = out.assign(low=out["importance"] - half, high=out["importance"] + half)[["variable", "importance", "se", "low", "high"]]
    rows = "held-out rows" if new is None else "new rows"
    shown = "variable" if len(table) <= MOST_BARS else f"the first {MOST_BARS} of {len(table)} variables"
    out.attrs |= {"without": f"error of {rows} without permutation: {write_number(error)}", "shown": shown}
    return out


def list_weights(fit: Fitted) -> pd.DataFrame:
    """The 20 columns that count most in a metric with learned weights: `column`, `weight`, and where prototypes decide also `share` and
    `higher` of `separation`.

    In `attrs`: `shown`, which columns there are, and `by_class`, weights (classes, columns), or () if the classes have none of their own.
    """
    metric = fit.dissimilarity.metric
    table = metric.column_weights
    if table is None:
        raise NotAvailable(f"{metric.name} dissimilarities have no learned weights of columns: use dissimilarity='learned'")
    decide = metric.class_weights is None and not why_not_separated(fit)
    out = separation(fit) if decide else table[["weight"]].sort_values("weight", ascending=False, kind="stable")
    out, first = out.head(MOST_BARS), table.index.get_indexer(out.index[:MOST_BARS])
    shown = "column" if len(table) <= MOST_BARS else f"the first {MOST_BARS} of {len(table)} columns"
    out.attrs = {"shown": shown, "by_class": () if metric.class_weights is None else metric.class_weights[:, first]}
    return out.rename_axis("column").reset_index()


def count_permutations(result: PermutationTest) -> pd.DataFrame:
    """How many permutations had an error from `low` to below `high`: bins of one width, `count` each."""
    errors = result.table["error"].to_numpy(float)
    levels = np.unique(errors.round(12))
    width = np.diff(levels).min() if len(levels) > 1 else 0.02
    if len(levels) <= MOST_BINS and np.ptp(levels) < 4 * MOST_BINS * width:  # shares of few rows: a bar for each value
        counts = np.array([(np.abs(errors - level) < 1e-9).sum() for level in levels])
        return pd.DataFrame({"low": levels - width / 2, "high": levels + width / 2, "count": counts})
    counts, edges = np.histogram(errors, MOST_BINS)
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "count": counts})


def list_eigenvalues(spectrum: Spectrum) -> pd.DataFrame:
    """Eigenvalues by descending absolute value: `axis` from 1, `eigenvalue` and its `sign`, "positive" or "negative"."""
    values = spectrum.table["eigenvalue"].to_numpy()
    sign = np.where(values > 0, "positive", np.where(values < 0, "negative", "zero"))
    return pd.DataFrame({"axis": np.arange(1, len(values) + 1), "eigenvalue": values, "sign": sign})


def list_places(embedding: Embedding, axes: tuple[int, int] | None = None, by: Any = None) -> pd.DataFrame:
    """Rows along two axes of an embedding, by name: `x`, `y` and, with `by`, `class`; in `attrs` the axes' names.

    By default the first positive axis and, if there is one, the first negative.
    """
    signs = embedding.signs.to_numpy()
    if axes is None:
        up, down = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
        first = [*up[:1], *down[:1]] if len(up) and len(down) else [*range(min(2, len(signs)))]
        axes = (int(first[0]) + 1, int(first[-1]) + 1) if len(first) else (1, 1)
    coordinates = embedding.coordinates
    X = coordinates.to_numpy()
    x, y = (X[:, k - 1] if X.shape[1] else np.zeros(len(X)) for k in axes)
    out = pd.DataFrame({"x": x, "y": y}, coordinates.index)
    if by is not None:
        out["class"] = pd.Categorical(by.loc[coordinates.index])
    out.attrs["axes"] = [f"axis {k} ({'+' if len(signs) == 0 or signs[k - 1] > 0 else '-'})" for k in axes]
    return out


NAME = 24  # letters of a class in brackets


def list_alternatives(result: Alternatives) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row for each prototype (`order` from 1, `name`, `class`, `cost_without`, `at_least`), and for each substitute (`order`
    of the prototype, `class`, `cost`)."""
    table = result.table
    order = np.arange(1, len(table) + 1)
    names = [f"{shorten(str(label))}, {verdict}" for label, verdict in zip(table.index, table["verdict"], strict=True)]
    own = pd.DataFrame({
        "order": order, "name": names, "class": table["class"].to_numpy(),
        "cost_without": table["cost_without"].to_numpy(), "at_least": table["at_least"].to_numpy(),
    })  # fmt: skip
    counts = [len(some) for some in table["substitutes"]]
    costs = [cost for some in table["substitutes"] for cost in some.values()]
    classes = table["class"].to_numpy()
    return own, pd.DataFrame(
        {"order": np.repeat(order, counts), "class": np.repeat(classes, counts), "cost": np.array(costs, float)}
    )


def list_criticisms(result: Criticisms) -> pd.DataFrame:
    """One row for each criticism, those of one reason together, the group of the worst first.

    Columns: `reason`, `place` (from 2 on, as each group begins with a line for its reason), `name` (label, and the prototype that takes
    it), `class` and `score`.
    """
    table = result.table
    named = zip(table.index, table["prototype"], table["prototype_class"], strict=True)
    names = [f"{shorten(str(label))}: {shorten(str(prototype))} ({shorten(str(level), NAME)})" for label, prototype, level in named]
    group, reasons = pd.factorize(table["reason"].replace("", "explained"))
    out = pd.DataFrame({
        "reason": reasons[group], "name": names, "class": table["class"].to_numpy(), "score": table[result.score].to_numpy(),
    }).iloc[np.argsort(group, kind="stable")]  # fmt: skip
    return out.assign(place=np.arange(len(out)) + 2 + np.sort(group)).reset_index(drop=True)
