"""Balls with radii of their own on the papers' sets, beside one radius and other methods (PVM paper, table 2; own radii are not in
the paper): python benchmarks/papers/pvm_own_radii_sets.py

Nested cross-validation, 5 outer folds and 5 inner ones that tune, drawn several times, the same for all methods: 1-NN, k-medoids and
LVQ as in table 2, and the PVM with one radius for all balls, with radii of their own, and with cross-validation choosing between
these. Columns are divided by their sd; the globins (GHBO paper, section 5) are given by their dissimilarities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from common import Report, file, main, table
from pvm_table2 import SHARES, sets

import protoclass as pc

LAMBDAS = (0.5, 1.0, 2.0, 4.0, 8.0)
ONE, OWN, EITHER = "PVM, one radius", "PVM, own radii", "PVM, CV chooses"
CHOICES = {"min": "the least error", "1se": "the 1-SE rule"}


def globins() -> tuple[str, pd.DataFrame, dict[str, Any]]:
    """Formula, rows and how they are compared: the classes of globins by their dissimilarities."""
    data = pd.read_csv(file("globin_protein.csv"))
    return "y ~ 1", pd.DataFrame({"y": data["class"]}), {"dissimilarity": data.filter(regex=r"^d\d+$").to_numpy(float)}


def methods(n: int, given: bool) -> dict[str, pc.Model]:
    """What is compared; lambda is tuned with the radius, from 1 / n on. LVQ needs coordinates."""
    lambdas = (1 / n, *LAMBDAS)
    other = {"1-NN": pc.KNN(k=1), "k-medoids": pc.KMedoids(K=SHARES, starts=1)}
    return {
        **other,
        **({} if given else {"LVQ": pc.LVQ(K=SHARES)}),
        "PVM, one radius, lambda 1/n": pc.PVM(),
        ONE: pc.PVM(lambda_=lambdas),
        OWN: pc.PVM(lambda_=lambdas, radii="individual"),
        EITHER: pc.PVM(lambda_=lambdas, radii="grid"),
    }


def compared(repeats: int, names: tuple[str, ...], choose: str) -> dict[str, pc.Comparison]:
    """The comparison on each set."""
    known = {name: (formula, data, {}) for name, (formula, data) in sets().items()} | {"Globins": globins()}
    return {
        name: pc.compare(formula, data, methods(len(data), bool(how)), cv=5, inner=5, repeats=repeats, choose=choose,
                         progress=False, **how)
        for name, (formula, data, how) in known.items() if name in names
    }  # fmt: skip


def in_table(runs: dict[str, pc.Comparison]) -> str:
    """Mean test error and number of prototypes by method (rows) and set."""
    labels = list(dict.fromkeys(label for found in runs.values() for label in found.table.index))
    rows = []
    for label in labels:
        cells = [found.table.loc[label] if label in found.table.index else None for found in runs.values()]
        rows.append([label, *("" if c is None else f"{100 * c['error']:.1f} ({c['prototypes']:.0f})" for c in cells)])
    return table(("", *runs), rows)


def difference(found: pc.Comparison) -> pd.Series:
    """Own radii beside one radius, both with lambda tuned: the difference of errors in points, and its 95 % interval."""
    tests = found.tests.set_index(["a", "b"])
    row = tests.loc[ONE, OWN]  # the error of a minus that of b
    return 0.0 - 100 * row[["difference", "high", "low"]].astype(float).set_axis(["difference", "low", "high"])


def in_words(name: str, d: pd.Series) -> str:
    if np.isnan(d["low"]):
        return f"{name} {d['difference']:+.1f} (the same in each fold)"
    return f"{name} {d['difference']:+.1f} ({d['low']:+.1f} to {d['high']:+.1f})"


def report(repeats: int = 1, names: str = "Diabetes,Glass,Heart,Liver,Vowel,Wine,Globins") -> Report:
    runs = {choose: compared(repeats, tuple(names.split(",")), choose) for choose in CHOICES}
    parts = []
    gains: dict[str, dict[str, pd.Series]] = {}
    for choose, words in CHOICES.items():
        gains[choose] = {name: difference(found) for name, found in runs[choose].items()}
        told = "; ".join(in_words(name, d) for name, d in gains[choose].items())
        parts.append(f"""## The point of {words}

{in_table(runs[choose])}

Own radii minus one radius, lambda tuned in both, in points (95 % interval of the corrected resampled t, not corrected for the
number of sets): {told}.

""")
    clear = [
        f"{name} ({CHOICES[choose]}: {d['difference']:+.1f})"
        for choose in CHOICES for name, d in gains[choose].items() if d["low"] > 0 or d["high"] < 0
    ]  # fmt: skip
    largest = max((abs(d["difference"]) for sets_ in gains.values() for d in sets_.values()), default=0.0)
    sentence = (
        f"own radii are ours; beside one radius, lambda tuned in both, their error differs by at most {largest:.1f} points on these "
        f"{len(names.split(','))} sets, and the 95 % interval leaves out 0 on {', '.join(clear) or 'none'}"
    )
    draws = "once" if repeats == 1 else f"{repeats} times"
    body = f"""Test errors in percent, and prototypes in brackets, of nested cross-validation: 5 outer folds, 5 inner ones, drawn
{draws}. "PVM, one radius, lambda 1/n" is the paper's machine; the others tune lambda over 1 / n, {", ".join(f"{v:g}" for v in LAMBDAS)}
with the radius. USPS is in `pvm_own_radii.md`.

{"".join(parts)}"""
    return Report("The papers' sets, balls with radii of their own", {"PVM table 2, beside own radii": sentence}, body)


if __name__ == "__main__":
    main(report)
