"""What learned metrics change, with and without columns of noise: python benchmarks/learned_metrics.py

Test errors of nested cross-validation (5 outer folds, 5 inner ones that tune) on the six sets of table 2 of the PVM paper, as they
are and with 20 columns of normal noise added. Columns are divided by their standard deviations; metrics are learned in each
training set. The table is printed, and written to LEARNED.md beside this file with --write. The data come from `fetch_data`
and the folder that PROTOCLASS_DATA names.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import protoclass as pc

HERE = Path(__file__).resolve().parent
NOISE = 20
SAMPLE = 300  # rows that NCA learns from, fewer than its default to keep this short
KS = [1, 3, 5, 9, 15]
METHODS: dict[str, dict[str, Any]] = {
    "k-NN, scaled Euclidean": {"method": "knn", "k": KS},
    "k-NN, Adaptive (DANN)": {"method": "knn", "k": KS, "dissimilarity": pc.Adaptive()},
    "k-NN, NCA weights": {"method": "knn", "k": KS, "dissimilarity": pc.NCA(sample=SAMPLE)},
    "k-NN, full NCA": {"method": "knn", "k": KS, "dissimilarity": pc.NCA(diagonal=False, sample=SAMPLE)},
    "k-NN, LDA": {"method": "knn", "k": KS, "dissimilarity": pc.LDA(ridge=0.01)},
    "PVM, scaled Euclidean": {"method": "pvm"},
    "PVM, NCA weights": {"method": "pvm", "dissimilarity": pc.NCA(sample=SAMPLE)},
    "GLVQ, scaled Euclidean": {"method": "lvq", "variant": "glvq", "K": [1, 2, 4]},
}


def with_noise(data: pd.DataFrame, columns: int) -> pd.DataFrame:
    """The rows with columns of normal noise."""
    draw = np.random.default_rng(1)
    noise = pd.DataFrame(draw.normal(size=(len(data), columns)), data.index).add_prefix("noise")
    return pd.concat([data, noise], axis=1)


def errors_of(formula: str, data: pd.DataFrame, repeats: int) -> pd.DataFrame:
    """The mean test error of each method in percent, and the seconds of processor time."""
    out = {}
    for name, arguments in METHODS.items():
        start = time.process_time()
        found = pc.compare(
            formula, data, {name: arguments}, cv=5, inner=5, repeats=repeats, choose="min", progress=False
        )
        out[name] = {"error": 100 * found.table["error"].iloc[0], "seconds": time.process_time() - start}
    return pd.DataFrame(out).T


def in_markdown(table: pd.DataFrame, digits: int) -> str:
    lines = [f"| | {' | '.join(table.columns)} |", "|---" * (table.shape[1] + 1) + "|"]
    for name, row in table.iterrows():
        lines.append(f"| {name} | {' | '.join(f'{value:.{digits}f}' for value in row)} |")
    return "\n".join(lines)


def in_words(plain: pd.DataFrame, noisy: pd.DataFrame, base: str, learned: str) -> str:
    """The numbers of data sets on which a metric has a lower, and a higher, error than another, by a point or more."""
    parts = []
    for what, table in (("Without noise", plain), (f"With {NOISE} columns of noise", noisy)):
        gain = table.loc[base] - table.loc[learned]
        parts.append(
            f"{what}, it is better by a point or more on {(gain >= 1).sum()} of {len(gain)} data sets, and worse on "
            f"{(gain <= -1).sum()} (mean {gain.mean():+.1f} points)"
        )
    return f"* {learned}, compared with {base}. {'. '.join(parts)}."


def report(repeats: int, names: list[str]) -> str:
    sys.path.insert(0, str(HERE / "papers"))
    from pvm_table2 import sets

    plain, noisy, seconds = {}, {}, {}
    chosen = {name: known for name, known in sets().items() if name in names or not names}
    for name, (formula, data) in sorted(chosen.items(), key=lambda item: len(item[1][1])):
        for table, columns in ((plain, 0), (noisy, NOISE)):
            found = errors_of(formula, with_noise(data, columns), repeats)
            table[name], seconds[name, columns] = found["error"], found["seconds"]
            print(f"{name}, {columns} columns of noise\n{found.round(1).to_string()}", flush=True)
    first, second = pd.DataFrame(plain), pd.DataFrame(noisy)
    pairs = [("k-NN, scaled Euclidean", name) for name in METHODS if name.startswith("k-NN") and "scaled" not in name]
    words = [in_words(first, second, *pair) for pair in [*pairs, ("PVM, scaled Euclidean", "PVM, NCA weights")]]
    taken = pd.DataFrame(seconds).T.groupby(level=1).sum().T.set_axis(["without noise", "with noise"], axis=1)
    drawn = "once" if repeats == 1 else f"{repeats} times"
    return f"""# Learned metrics

`python benchmarks/learned_metrics.py --write`: test errors (%) of nested cross-validation, 5 outer and 5 inner folds, drawn
{drawn}. Differences of a point or two can be random on data sets of this size. K-NN is tuned over k = {", ".join(map(str, KS))}.
The PVM is tuned over its radii, and GLVQ over 1, 2 and 4 code vectors per class. NCA learns from at most {SAMPLE} rows of each training set
(its default is 1000).

## Without noise

{in_markdown(first, 1)}

## With {NOISE} columns of noise

{in_markdown(second, 1)}

## Comparison

{chr(10).join(words)}

## Seconds of processor time, all data sets together

{in_markdown(taken, 0)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write LEARNED.md")
    parser.add_argument("--repeats", type=int, default=1, help="draws of the folds")
    parser.add_argument("names", nargs="*", help="sets, such as Glass; all by default")
    options = parser.parse_args()
    text = report(options.repeats, options.names)
    print(text)
    if options.write:
        (HERE / "LEARNED.md").write_text(text)


if __name__ == "__main__":
    main()
