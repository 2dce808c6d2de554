"""The nearest neighbour in many dimensions (ESL13 notes, section III.2): python benchmarks/papers/esl_median_radius.py

Rows uniform in the cube [-1/2, 1/2]^p: the median distance from its centre to the nearest of n rows, by the formula and by
simulation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import Report, main, table
from scipy.special import gammaln

from protoclass.pictures.style import GREY, axes, colour, mark

ROWS = (100, 1000, 10_000)
DIMS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)


def median_radius(n: int, p: Any) -> Any:
    """(1 - 2^(-1/n))^(1/p) / v_p^(1/p), v_p the volume of the unit ball; NaN above 1/2, where the ball is not in the cube (equation 3)."""
    dims = np.asarray(p, float)
    log_ball = dims / 2 * np.log(np.pi) - gammaln(dims / 2 + 1)
    radius = np.exp((np.log(-np.expm1(-np.log(2) / n)) - log_ball) / dims)
    return np.where(radius <= 0.5, radius, np.nan)


def simulated(n: int, p: int, draws: int) -> tuple[float, float]:
    """Median over draws of the distance to the nearest of n rows, and its standard error by the quantiles next to it."""
    random = np.random.default_rng([n, p])
    at_once = max(1, 2_000_000 // (n * p))
    found = []
    for first in range(0, draws, at_once):
        X = random.random((min(at_once, draws - first), n, p)) - 0.5
        found.append(np.sqrt((X * X).sum(axis=2).min(axis=1)))
    radii = np.concatenate(found)
    low, middle, high = np.quantile(radii, [0.5 - 0.5 / np.sqrt(draws), 0.5, 0.5 + 0.5 / np.sqrt(draws)])
    return float(middle), float(high - low) / 2


def picture(found: dict[tuple[int, int], tuple[float, float]]) -> Any:
    ax = axes(None)
    for k, n in enumerate(ROWS):
        every = np.arange(1, DIMS[-1] + 1)
        ax.plot(every, median_radius(n, every), "-", lw=1.2, color=colour(k))
        ax.plot(DIMS, [found[n, p][0] for p in DIMS], mark(k), ms=5, mfc="none", color=colour(k), label=f"{n} rows")
    ax.plot([], [], "-", lw=1.2, color=GREY, label="the formula, up to 1/2")
    ax.axhline(0.5, ls=":", color=GREY, lw=1)
    ax.annotate("edge of the cube", (1, 0.51), fontsize="small", color=GREY)
    ax.set(xlabel="dimensions p", ylabel="median distance to the nearest row (sides of the cube)", ylim=(0, None))
    ax.legend(fontsize="small")
    return ax.figure


def report(draws: int = 2000) -> Report:
    found = {(n, p): simulated(n, p, draws) for n in ROWS for p in DIMS}
    rows, off = [], []
    for p in DIMS:
        cells = []
        for n in ROWS:
            formula, (seen, se) = float(median_radius(n, p)), found[n, p]
            if np.isnan(formula):
                cells.append(f"above 1/2, {seen:.3f}")
                continue
            off.append((seen - formula) / se)
            cells.append(f"{formula:.3g}, {seen:.3g} ({100 * (seen / formula - 1):+.1f} %, {off[-1]:+.1f} SE)")
        rows.append([p, *cells])
    within = int((np.abs(off) < 2).sum())
    told = (
        f"formula and simulation within 2 standard errors in {within} of {len(off)} cells, the largest difference "
        f"{np.abs(off).max():.1f}"
    )
    body = f"""Formula, simulated median over {draws} draws, and in brackets the simulation's difference, in percent and in standard
errors of the simulation. The formula holds as long as the ball lies in the cube; beyond a radius of 1/2 the table has the simulation alone.

{table(("dimensions p", *(f"{n} rows" for n in ROWS)), rows)}

![median distance to the nearest row against dimensions, formula as lines and simulation as marks](figures/esl_median_radius.png)

The notes say that the median radius quickly approaches 1/2, the distance to the edge: with 100 rows this is so from
{min(p for p in range(1, 30) if np.isnan(median_radius(100, p)))} dimensions on.
"""
    return Report("The median radius of a nearest neighbourhood", {"ESL13 median radius": told}, body,
                  {"esl_median_radius.png": picture(found)})  # fmt: skip


if __name__ == "__main__":
    main(report)
