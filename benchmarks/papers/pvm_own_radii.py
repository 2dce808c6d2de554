"""Test error against the number of prototypes on the USPS digits, one radius for all balls beside radii of their own
(PVM paper, figure 3 left, section 6.2; own radii are not in the paper):
python benchmarks/papers/pvm_own_radii.py

Euclidean distance, columns as they are. For each (largest) radius one greedy run has the rules of all sizes, in the order in which
lambda falls. What cross-validation takes is measured in processor time, as a multiple of that of scikit-learn's pairwise_distances
on the training rows in the same process (T). USPS comes from `pc.fetch_data`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from common import Report, main, table
from digits import usps

import protoclass as pc
from protoclass.plots.style import axes, colour, mark, plain_log

RAW = pc.Euclidean(scale=False)
KINDS = {"one": "one radius", "own": "own radii"}
LEVELS = (2e-3, 7e-3, 0.02, 0.035, 0.06, 0.1, 0.2, 0.3)  # of the distances
SIZES = (30, 60, 100, 200, 500, 1000, 2000)
LAMBDAS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def walks(train: pd.DataFrame, new: pd.DataFrame, radii: list[float]) -> pd.DataFrame:
    """Test error (%) by `radii`, `eps` and `prototypes`: of every rule of every run."""
    out = []
    for kind in KINDS:
        for eps in radii:
            fit = pc.fit("digit ~ .", train, eps=eps, radii=kind, dissimilarity=RAW, progress=False)
            path = fit.path(new=new)
            out.append(
                pd.DataFrame({"radii": kind, "eps": eps, "prototypes": path["size"], "error": 100 * path["new_error"]})
            )
    return pd.concat(out, ignore_index=True)


def at_sizes(found: pd.DataFrame) -> pd.DataFrame:
    """Error by kind and radius (rows) with so many prototypes (columns); NaN where a run ends before."""
    return found[found["prototypes"].isin(SIZES)].pivot(index=["radii", "eps"], columns="prototypes", values="error")


def processor_time(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def cost(train: pd.DataFrame, eps: float) -> dict[str, float]:
    """Processor time of ten folds with all lambdas at one radius, by kind, in that of `pairwise_distances`."""
    from sklearn.metrics import pairwise_distances

    X = train.drop(columns="digit").to_numpy(float)
    lambdas = [1 / len(train), *LAMBDAS]

    def validate(kind: str, data: pd.DataFrame) -> None:
        pc.cross_validate("digit ~ .", data, eps=eps, lambda_=lambdas, radii=kind, dissimilarity=RAW, progress=False)

    for kind in KINDS:
        validate(kind, train.iloc[::10])  # compiled kernels
    T = processor_time(lambda: pairwise_distances(X))
    return {kind: processor_time(lambda kind=kind: validate(kind, train)) / T for kind in KINDS}


def picture(found: pd.DataFrame, nearest: float, n: int) -> Any:
    ax = axes(None, 6.8, 4.6)
    for k, (kind, name) in enumerate(KINDS.items()):
        for place, (_, run) in enumerate(found[(found["radii"] == kind) & (found["prototypes"] > 9)].groupby("eps")):
            few = run[run["prototypes"].isin(np.unique(np.geomspace(10, n, 40).astype(int)))]
            label = name if place == 0 else None
            ax.plot(
                few["prototypes"], few["error"], f"{mark(k)}-", ms=2.5, lw=0.8, mfc="none", color=colour(k), label=label
            )
    ax.plot(n, nearest, mark(6), ms=8, color=colour(6), label="1-NN")
    ax.set(
        xlabel="prototypes (log scale)", ylabel="test error (%, log scale)", xscale="log", yscale="log", ylim=(4, 60)
    )
    plain_log(ax.xaxis)
    ticks = (4, 5, 6, 8, 10, 15, 20, 30, 50)
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.set_yticks([], minor=True)
    ax.legend(fontsize="small")
    return ax.figure


def report(images: int = 7291) -> Report:
    train, new = usps()
    train = train.head(images)
    related = pc.dissimilarity("digit ~ .", train, RAW)
    radii = related.quantile(LEVELS).tolist()
    nearest = 100 * pc.fit("digit ~ .", train, "knn", k=1, dissimilarity=RAW).test(new).error
    found = walks(train, new, radii)
    sizes = at_sizes(found)
    shown = [
        [KINDS[kind], f"{eps:.3g}", *("" if np.isnan(v) else f"{v:.1f}" for v in row)]
        for (kind, eps), row in zip(sizes.index, sizes.to_numpy(), strict=True)
    ]
    least = sizes.groupby(level="radii").min()
    best = [
        [f"least of {KINDS[kind]}", "", *("" if np.isnan(v) else f"{v:.1f}" for v in least.loc[kind])] for kind in KINDS
    ]
    middle = radii[2]
    times = cost(train, middle)
    both = [s for s in sizes.columns if least[s].notna().all()]
    gains = ", ".join(f"{least.loc['own', s] - least.loc['one', s]:+.1f}" for s in both)
    body = f"""Test errors in percent with so many prototypes, by largest radius; 1-NN {nearest:.2f} with {len(train)}. The prototypes
are the first ones of each run; a cell is empty where a run has fewer. "least" takes the best radius for each size by the test rows, which
flatters both kinds alike; cross-validation chooses it in practice (`radii="grid"`).

{table(("radii", "eps", *(f"{s}" for s in sizes.columns)), [*shown, *best])}

![test error against the number of prototypes, one radius and own radii](figures/pvm_own_radii.png)

Own radii change the least error by {gains} points with {", ".join(map(str, both))} prototypes.

Ten folds with {len(LAMBDAS) + 1} values of lambda at eps = {middle:.3g} take {times["own"]:.1f} T of processor time with own radii, and
{times["one"]:.1f} T with one, where T is that of scikit-learn's `pairwise_distances` on the training rows. One run a fold holds all
lambdas.
"""
    covers = {
        "PVM figure 3, left, beside own radii": f"own radii are ours; with {', '.join(map(str, both))} prototypes the least errors "
        f"are {', '.join(f'{v:.1f}' for v in least.loc['own', both])} % beside "
        f"{', '.join(f'{v:.1f}' for v in least.loc['one', both])} % with one radius; {len(train)} training images"
    }
    return Report(
        "USPS digits, balls with radii of their own",
        covers,
        body,
        {"pvm_own_radii.png": picture(found, nearest, len(train))},
    )


if __name__ == "__main__":
    main(report)
