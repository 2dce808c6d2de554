"""Stability, comparison, spectrum and embedding, as the tables that their pictures draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison
    from ..analysis.stability import Stability
    from ..metrics.embedding import Embedding, Spectrum

JITTER = 5  # heights that the errors of the splits take in turn


def list_stability(stability: Stability) -> pd.DataFrame:
    """One row for each prototype, by name: `order` from 1, `class`, `near`, `within` and `chosen` as far as they are there."""
    table = stability.prototypes
    out = table[[c for c in ("class", "near", "within", "chosen") if c in table]]
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
