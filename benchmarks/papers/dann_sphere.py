"""Adaptive distances among noise (The Elements of Statistical Learning, section 13.4.2): python benchmarks/papers/dann_sphere.py

Two classes of 250 rows in ten variables. In class 1 the first four lie in a shell, 22.4 < r^2 < 40; in class 2 they are
unrestricted, and the other six are noise in both. Nearest neighbours by Euclidean and by adaptive distances, 20 draws, 500 + 500
test rows each. Written to dann_sphere.md beside this file with --write.
"""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path

import numpy as np
import pandas as pd

import protoclass as pc

DRAWS = 20
METRICS = {
    "Euclidean": pc.Euclidean(),
    "adaptive, 50 neighbours": pc.Adaptive(neighborhood=50),
    "adaptive, 100 neighbours, ridge 0.1": pc.Adaptive(neighborhood=100, ridge=0.1),
    "adaptive, 100 neighbours, ridge 0.1, twice": pc.Adaptive(neighborhood=100, ridge=0.1, iterations=2),
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write dann_sphere.md")
    options = parser.parse_args()
    errors: dict[str, list[list[float]]] = {name: [] for name in METRICS}
    for draw in range(DRAWS):
        random = np.random.default_rng(draw)
        train, new = rows(250, random), rows(500, random)
        for name, metric in METRICS.items():
            fits = [pc.fit("y ~ .", train, "knn", k=k, dissimilarity=metric) for k in (1, 5, 15)]
            errors[name].append([100 * fit.test(new).error for fit in fits])
    lines = ["| distances | 1-NN | 5-NN | 15-NN |", "|---|---|---|---|"]
    for name, found in errors.items():
        mean, se = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(DRAWS)
        lines.append(f"| {name} | " + " | ".join(f"{a:.1f} +- {b:.1f} %" for a, b in zip(mean, se, strict=True)) + " |")
    text = "\n".join([
        "# A shell among noise\n",
        f"`python benchmarks/papers/dann_sphere.py --write`, {datetime.date.today()}. Test errors, means over {DRAWS} draws",
        "+- SE. The local matrices are those of the training rows, which a new row is measured by.\n", *lines, "",
    ])  # fmt: skip
    print(text)
    if options.write:
        Path(__file__).with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
