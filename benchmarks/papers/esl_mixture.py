"""Gaussian mixtures as a soft k-means (ESL13 notes, section I.7): python benchmarks/papers/esl_mixture.py

Mixtures of Gaussians, 300 rows of three classes: k-means and Gaussian mixtures with five prototypes for each class, and with their
number chosen; test errors, and how near the posterior probabilities come to the true chances, over 20 draws in which classes
overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from common import Report, main, spread, table
from mixtures import densities, mixture, outline, overlapping

import protoclass as pc
from protoclass.pictures.style import panels

RAW = pc.Euclidean(scale=False)
K = 5
METHODS = {
    f"k-means, K = {K}": pc.KMeans(K=K), f"mixture, K = {K}, spherical": pc.Mixture(K=K, covariance="spherical"),
    f"mixture, K = {K}, tied": pc.Mixture(K=K, covariance="tied"), f"mixture, K = {K}, full": pc.Mixture(K=K),
    "k-means, K by 10 folds and 1 SE": pc.KMeans(), "mixture, full, K by 10 folds and 1 SE": pc.Mixture(),
    "mixture, full, K by BIC": pc.Mixture(K="bic"), "15 nearest neighbours": pc.KNN(k=15),
}  # fmt: skip


def off(fit: pc.Fit, new: pd.DataFrame, chances: np.ndarray) -> float:
    """Mean absolute difference of the posterior probabilities from the true chances, in percent; NaN without any."""
    if "prob" not in fit.rule.kinds:
        return np.nan
    return float(100 * np.abs(fit.predict(new, "prob").to_numpy() - chances).mean())


def picture(data: pd.DataFrame, means: np.ndarray, fits: list[tuple[str, pc.Fit, float]]) -> Any:
    figure, places = panels(1, 2, 4.2, 3.4)
    for ax, (name, fit, error) in zip(places.ravel(), fits, strict=True):
        fit.plot(ax=ax)
        outline(ax, means, data, False)
        ax.set_title(f"{name}: test error {error:.1f} %", fontsize="small")
        ax.set(aspect="equal")
    return figure


def report(wanted: int = 20) -> Report:
    found, figure = [], None
    for seed, means, new, bayes_error in overlapping(wanted):
        data = mixture(300, seed=seed)
        chances = densities(means, new[["x1", "x2"]].to_numpy())
        chances /= chances.sum(axis=1, keepdims=True)
        fits = [pc.fit("class ~ .", data, model, dissimilarity=RAW, progress=False) for model in METHODS.values()]
        errors = [100 * fit.test(new).error for fit in fits]
        found.append(
            [
                [e - 100 * bayes_error, off(fit, new, chances), len(fit.rule.prototypes)]
                for e, fit in zip(errors, fits, strict=True)
            ]
        )
        if figure is None:
            names = list(METHODS)
            figure = picture(data, means, [(names[i], fits[i], errors[i]) for i in (0, 2)])
    values = np.array(found)
    rows = []
    for i, name in enumerate(METHODS):
        excess, apart, size = values[:, i].T
        rows.append([name, spread(excess, 2), "" if np.isnan(apart).any() else spread(apart, 1), f"{size.mean():.0f}"])
    gain = values[:, 0, 0] - values[:, 2, 0]
    told = (
        f"no figures in the notes; with {K} prototypes for each class a mixture with tied covariances errs {spread(gain, 2)} "
        "points less than k-means"
    )
    body = f"""Points of error above the Bayes error on new rows, and the mean absolute difference between the posterior
probabilities and the true chances of the classes (in points); means over {wanted} draws +- SE. The covariances are
I / 5 in truth, alike for all components.

{table(("method", "excess error", "probabilities off by", "prototypes"), rows)}

![centroids of k-means, and means of the mixtures; dotted: the Bayes boundary](figures/esl_mixture.png)

The notes call the mixture a soft version of k-means. Its boundary is smooth, where that of centroids is made of straight pieces, and it
has probabilities, where the nearest centroid has none.
"""
    return Report("Gaussian mixtures against k-means", {"ESL13 mixture": told}, body, {"esl_mixture.png": figure})


if __name__ == "__main__":
    main(report)
