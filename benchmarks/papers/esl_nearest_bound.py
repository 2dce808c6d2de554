"""The error of the nearest neighbour against the Bayes error (ESL13 notes, section II.4): python benchmarks/papers/esl_nearest_bound.py

Mixtures of Gaussians, whose Bayes error is known: the error of 1-NN as training rows grow in number, its limit, and the limit's
bound R (2 - W R / (W - 1)) of Cover and Hart, W classes and Bayes error R.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import Report, main, table
from mixtures import densities, mixture, more

import protoclass as pc
from protoclass.pictures.style import GREY, axes, colour, mark, plain_log

RAW = pc.Euclidean(scale=False)
SIZES = (30, 100, 300, 1000, 3000, 10_000, 30_000)
SEEDS = {2: 29, 3: 0, 5: 29}  # classes, and a draw of the means with some overlap
TESTED = 20_000


def limits(means: np.ndarray, X: np.ndarray) -> tuple[float, float, bool]:
    """Bayes error, limit of the error of 1-NN, and whether the inequality holds at every row."""
    chances = densities(means, X)
    chances /= chances.sum(axis=1, keepdims=True)
    best = 1 - chances.max(axis=1)
    nearest = 1 - (chances**2).sum(axis=1)
    W = len(means)
    holds = (best <= nearest + 1e-12) & (nearest <= best * (2 - W / (W - 1) * best) + 1e-12)
    return float(best.mean()), float(nearest.mean()), bool(holds.all())


def least_bayes(error: float, W: int) -> float:
    """The Bayes error at which 1-NN has this limit at most: the inequality solved for it."""
    most = (W - 1) / W
    return float(most * (1 - np.sqrt(max(0.0, 1 - error / most))))


def picture(curves: dict[int, list[float]], found: dict[int, tuple[float, float, float]]) -> Any:
    ax = axes(None)
    for k, (W, curve) in enumerate(curves.items()):
        ax.plot(SIZES[: len(curve)], curve, f"{mark(k)}-", ms=5, lw=1.1, color=colour(k), label=f"1-NN, {W} classes")
        ax.axhspan(100 * found[W][0], 100 * found[W][2], color=colour(k), alpha=0.12, lw=0)
        ax.axhline(100 * found[W][1], ls="--", lw=1, color=colour(k))
    ax.plot([], [], "--", lw=1, color=GREY, label="its limit")
    ax.fill_between([], [], [], color=GREY, alpha=0.2, lw=0, label="Bayes error to the bound")
    ax.set_xscale("log")
    plain_log(ax.xaxis)
    ax.set(xlabel="training rows (log scale)", ylabel="error on new rows (%)", ylim=(0, None))
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return ax.figure


def report(largest: int = 30_000) -> Report:
    sizes = [n for n in SIZES if n <= largest]
    found, curves, rows, inverse = {}, {}, [], []
    everywhere = True
    for W, seed in SEEDS.items():
        means = np.array(mixture(10 * W, W, seed).attrs["means"])
        new = more(means, TESTED, 1)
        bayes, limit, holds = limits(means, new[["x1", "x2"]].to_numpy())
        bound = bayes * (2 - W / (W - 1) * bayes)
        everywhere &= holds
        found[W] = (bayes, limit, bound)
        curves[W] = []
        for n in sizes:
            fit = pc.fit("class ~ .", more(means, n, 2), "knn", k=1, dissimilarity=RAW)
            curves[W].append(100 * fit.test(new).error)
        least = least_bayes(curves[W][-1] / 100, W)
        inverse.append(least)
        cells = [f"{v:.1f}" for v in curves[W]]
        rows.append([W, f"{100 * bayes:.1f}", *cells, f"{100 * limit:.1f}", f"{100 * bound:.1f}", f"{100 * least:.1f}"])
    gap = max(abs(curves[W][-1] - 100 * found[W][1]) for W in SEEDS)
    inside = all(b <= e <= u for b, e, u in found.values()) and everywhere
    below = all(least <= found[W][0] + 0.005 for least, W in zip(inverse, SEEDS, strict=True))
    assert inside
    head = (
        "classes W",
        "Bayes error",
        *(f"1-NN, {n} rows" for n in sizes),
        "its limit",
        "bound",
        "least Bayes error by the last",
    )
    told = (
        f"inequality (2) holds at each of {TESTED} rows and on average; 1-NN on {sizes[-1]} rows lies within {gap:.1f} points of its "
        f"limit, and the least Bayes error by its error is {'at or below' if below else 'not everywhere below'} the Bayes error"
    )
    body = f"""Percent; {TESTED} new rows. The Bayes error and the limit are means of 1 - max p and of sum p (1 - p) over the new rows,
p being the true chances of the classes; the notes' inequality (2) was checked at each row.

{table(head, rows)}

![error of 1-NN against training rows, with its limit and the band from the Bayes error to the bound](figures/esl_nearest_bound.png)

The bound is one on the limit: with few rows 1-NN may err more. Read backwards (last column) it gives the least
Bayes error that the error of 1-NN allows, if there were endlessly many training rows.
"""
    return Report("The nearest neighbour against the Bayes error", {"ESL13 k-NN bound": told}, body,
                  {"esl_nearest_bound.png": picture(curves, found)})  # fmt: skip


if __name__ == "__main__":
    main(report)
