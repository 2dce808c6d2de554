"""Table 1 of Graepel et al. (1998): python benchmarks/papers/proximity_table1.py

Optimal hyperplanes on proximities, on the flipped and on the cut embedding, and 1 to 5 nearest neighbours with ties at random:
one class against the rest, leaving out one of 65 cortical areas of the cat at a time, and 10 folds of 213 globins, drawn 20
times. The matrices cat_cortex.csv and globin_protein.csv are read from the folder that PROTOCLASS_DATA names: columns d1, d2,
... and `region` or `class`. Written to proximity_table1.md beside this file with --write.
"""

from __future__ import annotations

import argparse
import datetime
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

import protoclass as pc

SETS = {"cat cortex": ("cat_cortex.csv", "region", ("A", "V", "SS", "FL"), 64),
        "globins": ("globin_protein.csv", "class", ("HA", "HB", "M", "G"), 20)}  # fmt: skip
# percent; the columns of the printed table were put back in order by the values of its proximity row
PAPER = {
    "cat cortex": {"cut": (3.08, 3.08, 6.15, 3.08), "flip": (4.62, 3.08, 4.62, 1.54), "proximity": (3.08, 1.54, 3.08, 4.62),
                   1: (5.82, 6.74, 6.09, 6.00), 2: (6.09, 5.09, 7.91, 4.46), 3: (5.29, 4.71, 4.18, 2.29),
                   4: (6.45, 5.17, 3.68, 5.14), 5: (5.55, 5.29, 2.72, 2.75)},
    "globins": {"cut": (0.91, 4.01, 0.45, 0.00), "flip": (0.91, 4.01, 0.45, 0.00), "proximity": (0.45, 3.60, 0.45, 0.00),
                1: (1.65, 3.66, 0.00, 2.01), 2: (2.01, 5.27, 0.00, 3.44), 3: (2.14, 6.34, 0.00, 2.68),
                4: (2.46, 5.13, 0.00, 4.87), 5: (1.65, 5.09, 0.00, 4.11)},
}  # fmt: skip


def errors(name: str, D: np.ndarray, classes: pd.Series, one: str, method: str | int, runs: int) -> np.ndarray:
    """Percent of errors of each run: of folds drawn anew, or for leave-one-out of ties broken anew."""
    data = pd.DataFrame({"y": np.where(classes == one, "yes", "no")})
    hyperplane = isinstance(method, str)
    how = (
        {"method": "hyperplane", "embedding": method}
        if hyperplane
        else {"method": "knn", "k": method, "ties": "random"}
    )
    cv = "loo" if name == "cat cortex" else 10
    seeds = 1 if hyperplane and cv == "loo" else runs
    found = [
        pc.cross_validate("y ~ 1", data, dissimilarity=D, cv=cv, seed=s, progress=False, **how).table["error"].iloc[0]
        for s in range(seeds)
    ]
    return 100 * np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write proximity_table1.md")
    options = parser.parse_args()
    folder = os.environ.get("PROTOCLASS_DATA")
    if folder is None:
        raise SystemExit("PROTOCLASS_DATA names no folder with cat_cortex.csv and globin_protein.csv")
    text = [
        "# Classification of pairwise proximities (table 1)\n",
        f"`python benchmarks/papers/proximity_table1.py --write`, {datetime.date.today()}. Percent of errors, one class against the",
        "rest; in brackets the paper's. Cortex: leave-one-out; k-NN is the mean over 64 ways to break ties at random. Globins: 10",
        "folds, mean over 20 draws +- their standard deviation / sqrt(20); the paper's 11 further proteins are not to be had.\n",
    ]
    for name, (file, column, classes, runs) in SETS.items():
        table = pd.read_csv(Path(folder) / file)
        D = table.filter(regex=r"^d\d+$").to_numpy(float)
        text += [f"## {name}\n", f"| method | {' | '.join(classes)} | seconds |", "|---" * (len(classes) + 2) + "|"]
        for method in ("cut", "flip", "proximity", 1, 2, 3, 4, 5):
            start, cells = time.perf_counter(), []
            for one, theirs in zip(classes, PAPER[name][method], strict=True):
                own = errors(name, D, table[column], one, method, runs)
                spread = f" +- {own.std(ddof=1) / np.sqrt(len(own)):.2f}" if len(own) > 1 else ""
                cells.append(f"{own.mean():.2f}{spread} ({theirs:.2f})")
            label = f"hyperplane, {method}" if isinstance(method, str) else f"{method} nearest"
            text.append(f"| {label} | {' | '.join(cells)} | {time.perf_counter() - start:.1f} |")
            print(text[-1], flush=True)
        text.append("")
    if options.write:
        Path(__file__).with_suffix(".md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
