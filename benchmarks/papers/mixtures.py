"""New rows, densities and the Bayes rule of `mixture` of data/simulate.py, whose means are in the `attrs` of its data."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from protoclass.pictures.style import colour, mark

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data"))
from simulate import mixture as mixture

VARIANCE = 1 / 5
TESTED = 20_000  # new rows
OVERLAP = 0.02  # least Bayes error of a draw whose classes are said to overlap


def more(means: np.ndarray, n: int, seed: int) -> pd.DataFrame:
    """n rows of the mixture with these means (classes, 10, 2), the classes sharing them evenly."""
    random = np.random.default_rng([seed, n])
    y = np.sort(np.arange(n) % len(means))
    X = means[y, random.integers(0, means.shape[1], n)] + random.normal(0, np.sqrt(VARIANCE), (n, 2))
    classes = [chr(ord("a") + k) for k in range(len(means))]
    return pd.DataFrame(X, columns=["x1", "x2"]).assign(**{"class": pd.Categorical.from_codes(y, classes)})


def densities(means: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Density of each class at each row, up to one factor, (rows, classes)."""
    logs = [logsumexp(-((X[:, None] - own) ** 2).sum(axis=2) / (2 * VARIANCE), axis=1) for own in means]
    heights = np.stack(logs, axis=1)
    return np.exp(heights - heights.max(axis=1, keepdims=True))


def bayes(means: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Code of the class of the largest density at each row: the Bayes rule, as the classes are equally frequent."""
    return densities(means, X).argmax(axis=1)


def overlapping(wanted: int) -> list[tuple[int, np.ndarray, pd.DataFrame, float]]:
    """Seed, means, new rows and Bayes error of the first draws whose classes overlap."""
    found: list[tuple[int, np.ndarray, pd.DataFrame, float]] = []
    seeds = count()
    while len(found) < wanted:
        seed = next(seeds)
        means = np.array(mixture(300, seed=seed).attrs["means"])
        new = more(means, TESTED, seed)
        error = float((bayes(means, new[["x1", "x2"]].to_numpy()) != new["class"].cat.codes).mean())
        if error >= OVERLAP:
            found.append((seed, means, new, error))
    return found


def plane(data: pd.DataFrame, points: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """A grid over the rows and a little beyond, as matplotlib takes it."""
    limits = [(data[c].min() - 0.5, data[c].max() + 0.5) for c in ("x1", "x2")]
    across, up = np.meshgrid(*(np.linspace(*ends, points) for ends in limits))
    return across, up


def outline(ax: Any, means: np.ndarray, data: pd.DataFrame, fill: bool) -> None:
    """The Bayes boundary: dotted, or with the regions."""
    from matplotlib.colors import ListedColormap

    across, up = plane(data)
    told = bayes(means, np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    for k in range(len(means)):
        ax.contour(across, up, (told == k).astype(float), levels=[0.5], colors="0.45", linewidths=1.6,
                   linestyles="-" if fill else ":", zorder=3)  # fmt: skip
    if fill:
        shades = ListedColormap([colour(k) for k in range(len(means))])
        ax.pcolormesh(across, up, told, cmap=shades, alpha=0.13, shading="nearest", zorder=0, rasterized=True)
    ax.set(xlim=(across.min(), across.max()), ylim=(up.min(), up.max()))


def scatter(ax: Any, data: pd.DataFrame) -> None:
    for k, (_, own) in enumerate(data.groupby("class", observed=True)):
        ax.plot(own["x1"], own["x2"], mark(k), ms=3.2, color=colour(k), alpha=0.6, mew=0)
