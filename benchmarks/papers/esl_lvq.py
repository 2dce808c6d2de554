"""LVQ moves prototypes away from the boundary (ESL13 notes, section I.6): python benchmarks/papers/esl_lvq.py

Mixtures of Gaussians, 300 rows of three classes: five centroids of k-means in each class, and where LVQ takes them. How far the
prototypes lie from the Bayes boundary, and the test errors, over 20 draws in which classes overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from common import Report, main, spread, table
from mixtures import bayes, mixture, outline, overlapping, plane
from scipy.spatial import cKDTree

import protoclass as pc
from protoclass.pictures.style import panels

RAW = pc.Euclidean(scale=False)
K = 5
NEAR = 1.0  # of the boundary: twice the sd of a component is 0.9
METHODS = {"k-means": pc.KMeans(K=K), "LVQ1 from k-means": pc.LVQ(K=K, variant="lvq1", start="kmeans"),
           "OLVQ1 from k-means": pc.LVQ(K=K, variant="olvq1", start="kmeans"),
           "OLVQ1 from random rows": pc.LVQ(K=K, start="random")}  # fmt: skip


def from_boundary(fit: pc.Fit, means: np.ndarray, data: pd.DataFrame) -> np.ndarray:
    """Distance of each prototype to the Bayes boundary, negative where it lies in another class's region."""
    across, up = plane(data, 400)
    spots = np.column_stack([across.ravel(), up.ravel()])
    told = bayes(means, spots)
    points = fit.rule.prototypes
    away = np.zeros(len(points))
    for c in range(len(means)):
        own = points.classes == c
        inside = bayes(means, points.coords[own]) == c
        out, back = cKDTree(spots[told != c]), cKDTree(spots[told == c])
        away[own] = np.where(inside, out.query(points.coords[own])[0], -back.query(points.coords[own])[0])
    return away


def picture(data: pd.DataFrame, means: np.ndarray, fits: dict[str, pc.Fit], errors: list[float]) -> Any:
    figure, places = panels(1, 2, 4.2, 3.4)
    pairs = zip(places.ravel(), ("k-means", "LVQ1 from k-means"), (errors[0], errors[1]), strict=True)
    for ax, name, error in pairs:
        fits[name].plot(ax=ax)
        outline(ax, means, data, False)
        ax.set_title(f"{name}: test error {error:.1f} %", fontsize="small")
        ax.set(aspect="equal")
    return figure


def report(wanted: int = 20) -> Report:
    over, moved, figure = [], [], None
    for seed, means, new, bayes_error in overlapping(wanted):
        data = mixture(300, seed=seed)
        fits = {name: pc.fit("class ~ .", data, model, dissimilarity=RAW) for name, model in METHODS.items()}
        errors = [100 * fit.test(new).error for fit in fits.values()]
        over.append([error - 100 * bayes_error for error in errors])
        away = [from_boundary(fit, means, data) for fit in fits.values()]
        near = away[0] < NEAR
        moved.append([[away[0][near].mean(), d[near].mean(), (d[near] - away[0][near]).mean()] for d in away[:3]])
        if figure is None:
            figure = picture(data, means, fits, errors)
    excess, places = np.array(over), np.array(moved)
    rows = []
    for i, name in enumerate(METHODS):
        cells = [f"{places[:, i, 1].mean():.2f}", spread(places[:, i, 2], 2)] if i < 3 else ["", ""]
        rows.append([name, spread(excess[:, i], 2), *(cells if i else [cells[0], ""])])
    told = (
        f"started from k-means, LVQ1 takes the centroids within {NEAR:g} of the Bayes boundary {spread(places[:, 1, 2], 2)} away "
        f"from it (from {places[:, 0, 1].mean():.2f} to {places[:, 1, 1].mean():.2f}), and changes the test error by "
        f"{spread(excess[:, 1] - excess[:, 0], 2)} points"
    )
    body = f"""Points of error above the Bayes error on new rows; and the mean distance to the Bayes boundary (below 0 beyond it) of
the prototypes whose centroids lie nearer than {NEAR:g} to it, {K} prototypes in each class; means over {wanted} draws +- SE. The
notes give no figures.

{table(("method", "excess error", "distance to the boundary", "moved away by"), rows)}

![centroids of k-means, and LVQ1 started from them; dotted: the Bayes boundary](figures/esl_lvq.png)

The notes say that LVQ's prototypes tend to move away from the decision boundary, which k-means ignores.
"""
    return Report("LVQ against k-means", {"ESL13 LVQ": told}, body, {"esl_lvq.png": figure})


if __name__ == "__main__":
    main(report)
