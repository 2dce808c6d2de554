"""Decision functions of three Minkowski metrics (GHBO paper, figure 2): python benchmarks/papers/ghbo_figure2.py

A simple problem of two classes in the plane; the optimal hyperplane on proximities (section 4) with the city-block, the
Euclidean and the maximum metric. The paper's points are not to be had.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from common import Report, main, spread, table

import protoclass as pc
from protoclass.pictures.style import panels

METRICS = {"city-block": pc.Manhattan(scale=False), "Euclidean": pc.Euclidean(scale=False),
           "maximum": pc.Chebyshev(scale=False)}  # fmt: skip
ROWS = 30  # of each class


def rows(count: int, seed: int) -> pd.DataFrame:
    """One class in a bent band around the other."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0, np.pi, count)
    outer = np.column_stack([2.4 * np.cos(angle), 2.4 * np.sin(angle) - 0.6]) + random.normal(0, 0.35, (count, 2))
    inner = random.normal(0, 0.55, (count, 2))
    table = pd.DataFrame(np.concatenate([outer, inner]), columns=["x1", "x2"])
    return table.assign(group=pd.Categorical(np.repeat(["outer", "inner"], count)))


def report(draws: int = 20) -> Report:
    figure, places = panels(1, 3, 3.4, 2.4)
    found: dict[str, list[list[float]]] = {name: [] for name in METRICS}
    told = {}
    for draw in range(draws):
        train, new = rows(ROWS, draw), rows(2000, 10_000 + draw)
        labels = []
        for (name, metric), ax in zip(METRICS.items(), places.ravel(), strict=True):
            fit = pc.fit("group ~ .", train, "hyperplane", embedding="proximity", dissimilarity=metric)
            labels.append(fit.predict(new).astype(str).to_numpy())
            found[name].append([100 * fit.test(new).error, fit.rule.size])
            if draw == 0:
                fit.plot(ax=ax)
                ax.set_title(f"{name}: {fit.rule.size:g} support objects", fontsize="small")
                ax.set_aspect("equal")
        if draw == 0:
            apart = 100 * np.mean(
                [(a != b).mean() for a, b in ((labels[0], labels[1]), (labels[1], labels[2]), (labels[0], labels[2]))]
            )
            told = {"GHBO figure 2": "the figure's point on points of our own: three metrics, three boundaries and sets of support "
                    f"objects; on average {apart:.1f} % of new rows are told apart by two of them"}  # fmt: skip
    lines = [
        [name, spread([r[0] for r in runs], 1, " %"), spread([r[1] for r in runs])] for name, runs in found.items()
    ]
    body = f"""{ROWS} rows of each class; means over {draws} draws +- SE, errors on 4000 new rows; the figure is the first draw.

{table(("metric", "test error", "support objects"), lines)}

![regions of the two classes by three metrics, support objects circled](figures/ghbo_figure2.png)

The paper shows no numbers. As there, each metric gives the boundary another form, and other rows carry it.
"""
    return Report("Decision functions of three metrics", told, body, {"ghbo_figure2.png": figure})


if __name__ == "__main__":
    main(report)
