"""Discriminant adaptive nearest neighbours among noise (ESL13 notes, section III.3): python benchmarks/papers/esl_dann.py

Two classes of 250 rows in ten variables. In class 1 the first four lie in a shell, 22.4 < r^2 < 40; in class 2 they are
unrestricted, and the other six are noise in both (ESL, section 13.4.2). Nearest neighbours by Euclidean distances, and by the metric
of each query (DANN, `pc.Adaptive`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from common import Report, main, spread, table

import protoclass as pc
from protoclass.pictures.style import axes, colour, mark

KS = (1, 3, 5, 9, 15)
METHODS: dict[str, Any] = {
    "Euclidean": "euclidean",
    "DANN, 50 neighbours": pc.Adaptive(neighborhood=50),
    "DANN, 50 neighbours, twice": pc.Adaptive(neighborhood=50, iterations=2),
    "DANN, 100 neighbours": pc.Adaptive(neighborhood=100),
}


def rows(count: int, random: np.random.Generator) -> pd.DataFrame:
    """`count` rows of each class."""
    shell = np.empty((0, 4))
    while len(shell) < count:
        X = random.normal(size=(200_000, 4))
        r2 = (X**2).sum(axis=1)
        shell = np.concatenate([shell, X[(r2 > 22.4) & (r2 < 40)]])
    X = np.concatenate([shell[:count], random.normal(size=(count, 4))])
    table = pd.DataFrame(np.column_stack([X, random.normal(size=(2 * count, 6))])).add_prefix("x")
    return table.assign(y=np.repeat(["shell", "free"], count))


def errors(draw: int) -> np.ndarray:
    """Percent of errors of each method with each k, (methods, ks)."""
    random = np.random.default_rng(draw)
    train, new = rows(250, random), rows(500, random)
    return np.array([[100 * pc.fit("y ~ .", train, "knn", k=k, dissimilarity=metric).test(new).error for k in KS]
                     for metric in METHODS.values()])  # fmt: skip


def picture(means: np.ndarray, ses: np.ndarray) -> Any:
    ax = axes(None, 7.6, 3.8)
    for i, name in enumerate(METHODS):
        ax.errorbar(
            KS, means[i], ses[i], fmt=f"{mark(i)}-", ms=5, lw=1.1, color=colour(i), label=name.replace(", ", "\n", 1)
        )
    ax.set(xlabel="neighbours that vote, k", ylabel="test error (%)", ylim=(0, None), xticks=KS)
    ax.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return ax.figure


def report(draws: int = 20) -> Report:
    found = np.array([errors(draw) for draw in range(draws)])
    lines = [[name, *(spread(found[:, i, j], 1, " %") for j in range(len(KS)))] for i, name in enumerate(METHODS)]
    means, ses = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(draws)
    at = means.argmin(axis=1)
    best = min((1, 2, 3), key=lambda i: means[i].min())
    name = list(METHODS)[best]
    told = (
        f"no figures in the notes; on the shell among noise DANN's best error is {means[best].min():.1f} % "
        f"({name.removeprefix('DANN, ')}, {KS[at[best]]}-NN), that of Euclidean distances {means[0, at[0]]:.1f} % ({KS[at[0]]}-NN)"
    )
    body = f"""Test errors on 500 + 500 rows, means over {draws} draws +- SE. "Twice": neighbourhoods are found again by the metric
found before.

{table(("distances", *(f"{k}-NN" for k in KS)), lines)}

![test error against the number of neighbours that vote, by distances](figures/esl_dann.png)
"""
    return Report("A shell among noise", {"ESL13 DANN": told}, body, {"esl_dann.png": picture(means, ses)})


if __name__ == "__main__":
    main(report)
