"""Balls and covers over the radius (PVM paper, figure 1): python benchmarks/papers/pvm_figure1.py

The mixture of Gaussians of appendix C, 300 rows of three classes; radii from the smallest distance to the median one. The
paper's own draw of the data is not to be had.
"""

from __future__ import annotations

import numpy as np
from common import Report, main, table
from mixtures import mixture

import protoclass as pc
from protoclass.pictures.style import panels

RAW = pc.Euclidean(scale=False)


def report(seed: int = 0) -> Report:
    data = mixture(300, seed=seed)
    related = pc.dissimilarity("class ~ .", data, RAW)
    eps = related.quantile([0, 0.01, 0.05, 0.15, 0.3, 0.5]).to_numpy()
    rows = []
    for share, radius in zip(("smallest", "1 %", "5 %", "15 %", "30 %", "median"), eps, strict=True):
        fit = pc.fit("class ~ 1", data, dissimilarity=related, eps=radius)
        parts = fit.objective
        by_class = fit.prototypes["class"].value_counts(sort=False).tolist()
        rows.append([share, f"{radius:.3g}", len(fit.prototypes), ", ".join(map(str, by_class)), f"{parts.uncovered:.0f}",
                     f"{parts.miscovered:.0f}", f"{100 * fit._training_error:.1f} %"])  # fmt: skip
    figure, places = panels(2, 3, 3.1, 2.9)
    for radius, ax in zip(eps, places.ravel(), strict=True):
        at = fit.update(eps=radius)
        at.plot(ax=ax).set_title(f"eps = {radius:.3g}: {len(at.prototypes)} prototypes", fontsize="medium")
        ax.get_legend().remove()
        ax.set_aspect("equal")
    head = (
        "quantile of the distances",
        "radius eps",
        "prototypes",
        "by class",
        "uncovered",
        "wrongly covered",
        "training error",
    )
    numbers = [int(row[2]) for row in rows]
    assert np.all(np.diff(numbers) <= 0)
    told = f"the same six steps on a draw of our own: from {numbers[0]} prototypes (all rows) to {numbers[-1]}"
    body = f"""{table(head, rows)}

The paper's figure has no numbers. What it shows is here as well: with the smallest radius every row is its own prototype;
with growing radius a few balls cover each class, and where classes overlap some rows are left uncovered and some wrongly covered.

![300 rows of three classes with prototypes, balls and regions at six radii](figures/pvm_figure1.png)
"""
    return Report("Balls over the radius", {"PVM figure 1": told}, body, {"pvm_figure1.png": figure})


if __name__ == "__main__":
    main(report)
