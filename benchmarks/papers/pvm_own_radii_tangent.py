"""Own radii under tangent distance on the USPS digits (PVM paper, figure 3 right, section 6.2; own radii are not in the paper):
python benchmarks/papers/pvm_own_radii_tangent.py

Test error against the number of prototypes with one radius for all balls and with radii of their own. For each (largest) radius one
greedy run has the rules of all sizes. USPS comes from `pc.fetch_data`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from common import Report, main, table
from digits import error, usps

import protoclass as pc

KINDS = {"one": "one radius", "own": "own radii"}
LEVELS = (1e-3, 4e-3, 0.012, 0.025, 0.045, 0.08, 0.14)  # of the distances; the paper's radii end at the last
SIZES = (60, 100, 200, 500, 1000, 2000, 3000)


def at_sizes(y: pd.Series, D: pd.DataFrame, test: pd.DataFrame, truth: pd.Series, radii: list[float]) -> pd.DataFrame:
    """Test error (%) by kind and radius (rows) with so many prototypes (columns); NaN where a run ends before."""
    labels, out = pd.DataFrame({"digit": y}), {}
    for kind in KINDS:
        for eps in radii:
            fit = pc.fit("digit ~ 1", labels, dissimilarity=D, eps=eps, radii=kind, progress=False)
            there = [size for size in SIZES if size <= len(fit.prototypes)]
            out[kind, eps] = pd.Series({size: error(fit.at(size=size), test, truth) for size in there}, dtype=float)
    return pd.DataFrame(out).T.reindex(columns=list(SIZES)).rename_axis(["radii", "eps"])


def report(images: int = 7291) -> Report:
    train, new = usps()
    train = train.head(images)
    y, truth = train["digit"], new["digit"]
    related = pc.dissimilarity("digit ~ .", train, pc.Tangent())
    D = related.frame()
    rows = related.metric.new_rows(new, related.data)
    test = pd.DataFrame(rows.measure(np.arange(len(new)), related.candidates), new.index, related.candidate_names)
    radii = related.quantile(LEVELS).tolist()
    nearest = 100 * (y.to_numpy()[test.to_numpy().argmin(axis=1)] != truth.to_numpy()).mean()
    found = at_sizes(y, D, test, truth, radii)
    shown = [
        [KINDS[kind], f"{eps:.3g}", *("" if np.isnan(v) else f"{v:.2f}" for v in row)]
        for (kind, eps), row in zip(found.index, found.to_numpy(), strict=True)
    ]
    least = found.groupby(level="radii").min()
    best = [[f"least of {KINDS[k]}", "", *("" if np.isnan(v) else f"{v:.2f}" for v in least.loc[k])] for k in KINDS]
    both = [s for s in SIZES if least[s].notna().all()]
    body = f"""Test errors in percent with so many prototypes, by largest radius; the nearest neighbour errs {nearest:.2f} %
with {len(train)}. The prototypes are the first ones of each run; a cell is empty where a run has fewer. "least" takes the best radius
for each size by the test rows, which flatters both kinds alike. One image in {len(new)} is {100 / len(new):.2f} %.

{table(("radii", "eps", *map(str, SIZES)), [*shown, *best])}
"""
    sentence = (
        f"own radii are ours; with {', '.join(map(str, both))} prototypes the least errors are "
        f"{', '.join(f'{v:.2f}' for v in least.loc['own', both])} % beside {', '.join(f'{v:.2f}' for v in least.loc['one', both])} % "
        f"with one radius; {len(train)} training images"
    )
    return Report("USPS digits, own radii under tangent distance", {"PVM figure 3, right, beside own radii": sentence}, body)


if __name__ == "__main__":
    main(report)
