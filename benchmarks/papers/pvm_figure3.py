"""Test error against the number of prototypes on the USPS digits (PVM paper, figure 3 left, section 6.2):
python benchmarks/papers/pvm_figure3.py

Euclidean distance, columns as they are: PVM over radii from the least distance to the 14 % quantile, PVM with 100 centroids of k-means
(10 of each digit) among the candidates, k-medoids, k-means and LVQ (OLVQ1) over their numbers of prototypes; 7291 training and 2007
test images. USPS comes from `pc.fetch_data`. The right panel is in pvm_tangent.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from common import Report, main, table
from digits import curve, usps

import protoclass as pc
from protoclass.pictures.style import axes, colour, mark, plain_log

RAW = pc.Euclidean(scale=False)
KS = (1, 2, 4, 7, 12, 20, 35, 60, 100, 150)  # of each digit
LEVELS = (0.0, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 2e-3, 4e-3, 7e-3, 0.012, 0.02, 0.035, 0.06, 0.1, 0.14)  # of the distances


def curves(train: pd.DataFrame, new: pd.DataFrame, radii: list[float], ks: tuple[int, ...]) -> dict[str, pd.DataFrame]:
    """Number of prototypes and test error of each method over its parameter."""

    def told(method: pc.Model, **options: Any) -> tuple[int, float]:
        fit = pc.fit("digit ~ .", train, method, dissimilarity=RAW, progress=False, **options)
        return len(fit.rule.prototypes), 100 * fit.test(new).error

    centroids = pc.candidates.kmeans(10)
    return {
        "PVM": curve({eps: told(pc.PVM(eps=eps)) for eps in radii}),
        "PVM, 100 centroids among the candidates": curve(
            {eps: told(pc.PVM(eps=eps), candidates=centroids) for eps in radii}
        ),
        "k-medoids": curve({K: told(pc.KMedoids(K=K, starts=1)) for K in ks}),
        "k-means": curve({K: told(pc.KMeans(K=K)) for K in ks}),
        "LVQ": curve({K: told(pc.LVQ(K=K)) for K in ks if K > 1}),
    }


def picture(found: dict[str, pd.DataFrame], nearest: float, n: int) -> Any:
    ax = axes(None, 6.8, 4.6)
    for k, (name, told) in enumerate(found.items()):
        ax.plot(
            told["prototypes"], told["error"], f"{mark(k)}-", ms=4.5, lw=1.1, mfc="none", color=colour(k), label=name
        )
    ax.plot(n, nearest, mark(6), ms=8, color=colour(6), label="1-NN")
    ax.set(xlabel="prototypes (log scale)", ylabel="test error (%, log scale)", xscale="log", yscale="log")
    plain_log(ax.xaxis)
    ticks = (4, 5, 6, 8, 10, 15, 20, 30)
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.set_yticks([], minor=True)
    ax.legend(fontsize="small")
    return ax.figure


def at(told: pd.DataFrame, size: int) -> float:
    """Error at this number of prototypes, along the curve."""
    ordered = told.sort_values("prototypes")
    if not ordered["prototypes"].iloc[0] <= size <= ordered["prototypes"].iloc[-1]:
        return float("nan")
    return float(np.interp(np.log(size), np.log(ordered["prototypes"]), ordered["error"]))


def report(images: int = 7291, most: int = 150) -> Report:
    train, new = usps()
    train = train.head(images)
    related = pc.dissimilarity("digit ~ .", train, RAW)
    quantiles = related.quantile(LEVELS)
    nearest = 100 * pc.fit("digit ~ .", train, "knn", k=1, dissimilarity=RAW).test(new).error
    found = curves(train, new, quantiles.tolist(), tuple(k for k in KS if k <= most))
    sizes = [40, 100, 200, 500, 1000, 2000]
    along = []
    for name, t in found.items():
        best = t.loc[t["error"].idxmin()]
        cells = ["" if np.isnan(at(t, size)) else f"{at(t, size):.1f}" for size in sizes]
        along.append([name, *cells, f"{best['error']:.2f} ({best['prototypes']:.0f})"])
    points = [
        [name, f"{row.parameter:.3g}", row.prototypes, f"{row.error:.2f}"]
        for name, t in found.items()
        for row in t.itertuples()
    ]
    few = {name: at(t, 200) for name, t in found.items()}
    ordered = sorted((name for name in few if not np.isnan(few[name])), key=lambda name: few[name])
    words = ", ".join(f"{name} {few[name]:.1f} %" for name in ordered)
    ones = [pc.fit("digit ~ .", train, pc.LVQ(K=1), dissimilarity=RAW, seed=seed) for seed in range(5)]
    single = [100 * fit.test(new).error for fit in ones]
    same = sizes[-3:]
    rows_alone, added = (found[name] for name in list(found)[:2])
    gains = [f"{at(added, size) - at(rows_alone, size):+.1f}" for size in same]
    wide = found["PVM"][found["PVM"]["error"] <= nearest + 0.5]["prototypes"].min()
    body = f"""Test errors in percent along each curve, by the number of prototypes; 1-NN {nearest:.2f} with {len(train)}.

{table(("method", *(f"{s}" for s in sizes), "least error (prototypes)"), along)}

![test error against the number of prototypes by method](figures/pvm_figure3_left.png)

The figure of the paper is not to be had, and its text has no numbers. It says that placing prototypes anywhere is an advantage with so
many columns, and gives PVM centroids for that: here too the two methods that may (LVQ, k-means) err least with few prototypes, and
centroids among the candidates change PVM's error by {", ".join(gains)} points with {", ".join(map(str, same))} prototypes. PVM on rows
alone is within half a point of 1-NN down to {wide} prototypes.

LVQ begins with two code vectors of each digit. With one, the rates of OLVQ1, which grow with each row that a code vector gets wrong,
drive some of them far off: with five seeds the errors are {", ".join(f"{v:.0f}" for v in single)} %.

## All points

{table(("method", "eps or K of each digit", "prototypes", "test error"), points)}
"""
    covers = {
        "PVM figure 3, left": f"curves without numbers in the paper; 1-NN {nearest:.2f} %; with 200 prototypes: {words}"
    }
    return Report(
        "USPS digits, Euclidean distance", covers, body, {"pvm_figure3_left.png": picture(found, nearest, len(train))}
    )


if __name__ == "__main__":
    main(report)
