"""Conjunctions of 5 of 80 attributes (SCM paper, figure 1): python benchmarks/papers/scm_figure1.py

The Valiant-Haussler machine against the hard-margin linear hyperplane. Training sets hold as many positive as negative
examples; 20 of each size; errors on 5000 positive and 5000 negative test rows apart.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pandas as pd
from common import Report, main, table

import protoclass as pc
from protoclass.pictures.style import colour, mark, panels

SIZES = (10, 20, 40, 60, 80, 100, 150, 200, 300)
TESTED, ATTRIBUTES, RELEVANT = 5000, 80, 5
LINES = ("machine, positives", "machine, negatives", "hyperplane, positives", "hyperplane, negatives")


def draw(count: int, positive: bool, random: np.random.Generator) -> np.ndarray:
    """Rows of one class: relevant attributes all 1, or drawn until one of them is 0."""
    rows = random.integers(0, 2, (count, ATTRIBUTES))
    if positive:
        rows[:, :RELEVANT] = 1
        return rows
    while (wrong := rows[:, :RELEVANT].all(axis=1)).any():
        rows[wrong] = random.integers(0, 2, (int(wrong.sum()), ATTRIBUTES))
    return rows


def both(count: int, random: np.random.Generator) -> pd.DataFrame:
    rows = np.concatenate([draw(count, False, random), draw(count, True, random)])
    return pd.DataFrame(rows, columns=[f"x{k + 1}" for k in range(ATTRIBUTES)]).assign(
        y=np.repeat(["neg", "pos"], count)
    )


def errors(size: int, repeat: int) -> tuple[list[float], int]:
    """Percent of errors of each of LINES on one draw, and the number of features that the machine uses."""
    from sklearn.svm import SVC

    random = np.random.default_rng([size, repeat])
    train, new = both(size // 2, random), both(TESTED, random)
    fit = pc.fit("y ~ .", train, "scm", features="boolean", kind="conjunction", penalty=inf, size=None)
    plane = SVC(kernel="linear", C=1e6).fit(train.drop(columns="y"), train["y"])
    told = [fit.predict(new).astype(str).to_numpy(), plane.predict(new.drop(columns="y"))]
    wrong = [100 * (guess != new["y"].to_numpy()).reshape(2, TESTED).mean(axis=1)[::-1] for guess in told]
    return np.concatenate(wrong).tolist(), len(fit.tidy())


def picture(sizes: tuple[int, ...], mean: np.ndarray, se: np.ndarray) -> Any:
    figure, places = panels(1, 2, 4.0, 3.2)
    for ax, name, columns in zip(places.ravel(), ("positive", "negative"), ((0, 2), (1, 3)), strict=True):
        for k, (label, c) in enumerate(
            zip(("set covering machine", "maximum-margin hyperplane"), columns, strict=True)
        ):
            ax.errorbar(sizes, mean[:, c], se[:, c], fmt=f"{mark(k)}-", ms=4, lw=1.1, color=colour(k), label=label)
        ax.set(xlabel="training rows", ylabel=f"errors on {name} test rows (%)", ylim=(0, None))
        ax.legend(fontsize="small")
    return figure


def report(repeats: int = 20) -> Report:
    rows, means, ses = [], [], []
    for size in SIZES:
        runs = [errors(size, repeat) for repeat in range(repeats)]
        found = np.array([run[0] for run in runs])
        means.append(found.mean(axis=0))
        ses.append(found.std(axis=0, ddof=1) / np.sqrt(repeats))
        cells = [f"{a:.2f} +- {b:.2f} %" for a, b in zip(means[-1], ses[-1], strict=True)]
        rows.append([size, f"{np.mean([run[1] for run in runs]):.1f}", *cells])
    mean, se = np.array(means), np.array(ses)
    told = (
        f"the figure's ordering on both classes: at {SIZES[-1]} rows the machine errs on {mean[-1, 0]:.1f} % of the positives and "
        f"{mean[-1, 1]:.1f} % of the negatives, the hyperplane on {mean[-1, 2]:.1f} % and {mean[-1, 3]:.1f} %"
    )
    body = f"""Test errors on {TESTED} positive and {TESTED} negative rows, means over {repeats} training sets +- their standard error. The
paper has a figure without numbers: the machine far below the hyperplane on both classes.

{table(("training rows", "features", *LINES), rows)}

![errors on positive and on negative test rows against the number of training rows](figures/scm_figure1.png)

A machine that has not yet found all five attributes never loses a positive for it, and lets negatives through.
"""
    return Report("Conjunctions of 5 of 80 attributes", {"SCM figure 1": told}, body,
                  {"scm_figure1.png": picture(SIZES, mean, se)})  # fmt: skip


if __name__ == "__main__":
    main(report)
