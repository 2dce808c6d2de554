"""The solvers of the PVM on USPS over eps: objective, gap, time, prototypes, test error; and
an exact cross-validation of Pima: python benchmarks/solvers.py

USPS and Pima come from `fetch_data`. T is scikit-learn's `pairwise_distances` on the training images, timed beside every
fit. The table is printed, and written to SOLVERS.md beside this file with --write.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import statistics
import time
from pathlib import Path

import numpy as np

import protoclass as pc

HERE = Path(__file__).resolve().parent
RADII = (3.5, 5.45, 7.3, 8.06, 10.0, 12.07)
SOLVERS = {
    "greedy": {"solver": "greedy"},
    "greedy, certified": {"solver": "greedy", "certify": True},
    "ratio": {"solver": "ratio"},
    "rounding": {"solver": "rounding"},
    "exact": {"solver": "exact"},
}


def rows(runs: int) -> list[str]:
    from sklearn.metrics import pairwise_distances

    data = pc.fetch_data("usps")
    train, new = (data[data.split == part].drop(columns="split").copy() for part in ("train", "test"))
    X = train.drop(columns="digit").to_numpy(np.float32)
    pc.fit("digit ~ .", train.iloc[::10], dissimilarity=pc.Euclidean(scale=False), eps=5.45, solver="exact")  # compiles
    pairwise_distances(X)
    out = []
    for eps in RADII:
        for name, options in SOLVERS.items():
            ratios = []
            for _ in range(runs):
                start = time.perf_counter()
                pairwise_distances(X)
                middle = time.perf_counter()
                fit = pc.fit(
                    "digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=eps, progress=False, **options
                )
                ratios.append((time.perf_counter() - middle) / (middle - start))
            known = "certificate" in fit.rule.report
            gap = f"{100 * fit.certificate.gap:.2g} %" if known else ""
            error = 100 * fit.test(new).error
            out.append(
                f"| {eps} | {name} | {fit.objective.value:.4f} | {gap} | {statistics.median(ratios):.2f} T | "
                f"{len(fit.prototypes)} | {error:.2f} % |"
            )
            print(out[-1], flush=True)
    return out


def pima() -> str:
    """Seconds of an exact 10-fold cross-validation over 20 radii."""
    data = pc.fetch_data("pima")
    start = time.perf_counter()
    v = pc.cross_validate("diabetes ~ .", data, solver="exact", progress=False)
    seconds = time.perf_counter() - start
    greedy = pc.cross_validate("diabetes ~ .", data, progress=False)
    print(seconds, flush=True)
    return (
        f'\n`cross_validate("diabetes ~ .", pima, solver="exact")`, {len(data)} rows, 10 folds x {len(v.table)} radii: '
        f"{seconds:.1f} s. Lowest error {v.table.error.min():.4f} (greedy {greedy.table.error.min():.4f}), its SE "
        f"{v.selected('min')['se']:.4f}.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write SOLVERS.md")
    options = parser.parse_args()
    head = (
        "# Solvers of the PVM on USPS\n\n"
        f"`python benchmarks/solvers.py --runs {options.runs} --write`, {datetime.date.today()}, 2 threads of "
        f"{platform.machine()}, Python {platform.python_version()}. 7291 training and 2007 test images, Euclidean distances, "
        "lambda = 1/n.\n"
        "T is the time of scikit-learn's `pairwise_distances` on the training images, measured next to each fit. The gap is "
        "the upper bound of the certificate\non the distance from the optimum, relative to the optimum.\n\n"
        "| eps | solver | objective | gap | time | prototypes | test error |\n|---|---|---|---|---|---|---|\n"
    )
    text = head + "\n".join(rows(options.runs)) + "\n" + pima()
    if options.write:
        (HERE / "SOLVERS.md").write_text(text)


if __name__ == "__main__":
    main()
