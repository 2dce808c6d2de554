"""The distance of a forest, with few real rows, beside the forest and logistic regression: python benchmarks/forest.py

Errors on a third of the rows, mean over splits. "medianglvq" has K prototypes of each class, in the distance of a forest of 300 trees that
is learned from the other two thirds. Logistic regression and the forest (300 trees) are scikit-learn's with their defaults, on the same
columns: one-hot categories and imputed missing values, which `pc.Forest` takes as codes and as they are. "agreement" is the proportion
of new rows for which the prototypes predict the class that this forest predicts. A second table compares codes with one-hot columns
for the distance itself. Then processor time: the dissimilarities of 5,000 x 20 from 300 trees beside a product of matrices in single
precision of the same shape, 5,000 x 5,000 x 300. The tables are printed, and written to FOREST.md beside this file with --write. Data are
read from the folder that PROTOCLASS_DATA names.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from made import clinic
from median_glvq import as_table, columns_and, data_of, error_of, spread
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit

import protoclass as pc
from protoclass.core.distances.categories import apart

HERE = Path(__file__).resolve().parent
TREES = 300
TABLES = {"credit": (1, 2), "glass": (1, 2, 5), "vowel": (1, 2, 5), "liver": (1, 2), "Pima": (1, 2, 5)}  # K
CODED = 8  # splits of the second table
ROWS, COLUMNS = 5000, 20


def table_of(name: str) -> tuple[pd.DataFrame, str]:
    """Data and response."""
    if name == "clinic":
        return clinic(1000), "outcome"
    if name in ("glass", "vowel"):
        data = pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / f"{name}.csv")
        response = "type" if name == "glass" else "vowel"
        predictors = [c for c in data if c not in ("split", "speaker", "sex", "vowel_code", response)]
        return data[predictors].assign(**{response: data[response].astype(str)}), response
    known = "credit, Gower" if name == "credit" else name
    return data_of(known), {"credit": "approved", "liver": "selector", "Pima": "diabetes"}[name]


def splits_of(data: pd.DataFrame, response: str, splits: int) -> Any:
    for train, test in StratifiedShuffleSplit(splits, train_size=2 / 3, random_state=0).split(data, data[response]):
        yield data.iloc[train], data.iloc[test]


def predicted(seen: pd.DataFrame, new: pd.DataFrame, response: str, K: int) -> pd.Series:
    given = {"dissimilarity": pc.Forest(trees=TREES), "cv": None, "na": "keep", "progress": False}
    return pc.fit(f"{response} ~ .", seen, pc.MedianGLVQ(K=K, matrix="none"), **given).predict(new)


def errors_of(name: str, splits: int) -> list[list[str]]:
    """A line of the table for each number of prototypes."""
    (data, response), rows = table_of(name), []
    others = {"forest": RandomForestClassifier(TREES, random_state=0, n_jobs=-1), "logistic": LogisticRegression(max_iter=5000)}
    for seen, new in splits_of(data, response, splits):
        beside = {
            words: columns_and(data, response, model).fit(seen.drop(columns=response), seen[response]).predict(new.drop(columns=response))
            for words, model in others.items()
        }
        row = {words: error_of(classes, new[response]) for words, classes in beside.items()}
        for K in TABLES[name]:
            classes = predicted(seen, new, response, K)
            row[K], row[f"agreement {K}"] = error_of(classes, new[response]), 1 - error_of(classes, beside["forest"])
        rows.append(row)
    found, classes = 100 * pd.DataFrame(rows), data[response].nunique()
    return [
        [name, str(K * classes), spread(found[K]), *(spread(found[words]) for words in others), f"{found[f'agreement {K}'].mean():.0f} %"]
        for K in TABLES[name]
    ]


def coded(name: str, splits: int) -> list[str]:
    """Errors with categories as codes, and as columns of 0 and 1 that are missing together; two prototypes of each class."""
    data, response = table_of(name)
    texts = [c for c in data.select_dtypes(exclude="number") if c != response]
    hot = pd.get_dummies(data, columns=texts, dtype=float)
    for c in texts:
        hot.loc[data[c].isna(), [h for h in hot if h.startswith(f"{c}_")]] = np.nan
    hot.columns = [c.replace(" ", "_") for c in hot]
    found = [
        pd.Series([100 * error_of(predicted(seen, new, response, 2), new[response]) for seen, new in splits_of(table, response, splits)])
        for table in (data, hot)
    ]
    return [name, *map(spread, found)]


def seconds_of(work: Any, times: int = 5) -> float:
    """The lowest processor time of some runs."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def speed() -> str:
    X, y = make_classification(ROWS, COLUMNS, n_informative=10, random_state=0)
    data = pd.DataFrame(X).add_prefix("x").assign(y=y.astype(str))
    known = pc.dissimilarity("y ~ .", data, pc.Forest(trees=TREES))
    leaves = known.rows[0]
    apart(leaves[:10], leaves)  # compiles
    single = leaves.astype(np.float32)
    across = np.ascontiguousarray(single.T)
    ours, product = seconds_of(lambda: apart(leaves, leaves)), seconds_of(lambda: single @ across)
    return (
        f"Processor time of {ROWS:,} x {ROWS:,} dissimilarities from {TREES} trees of up to {leaves.max() + 1} leaves ({leaves.dtype}): "
        f"{ours:.2f} s. A float32 product of the same shape takes {product:.2f} s, a ratio of {ours / product:.1f}. Lowest of five runs."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write FOREST.md")
    parser.add_argument("--splits", type=int, default=4, help="of each table (default: %(default)s)")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES), metavar="NAME", help=", ".join(TABLES))
    options = parser.parse_args()
    start, lines = time.process_time(), []
    for name in options.tables:
        lines += errors_of(name, options.splits)
        print(*lines[-1], sep=" | ", flush=True)
    codes = [coded(name, CODED) for name in ("credit", "clinic")]
    body = "\n\n".join([
        "# Few prototypes with the distance of a random forest",
        f"`python benchmarks/forest.py {' '.join(sys.argv[1:])}`, {time.process_time() - start:.0f} s of processor time: errors on "
        f"new rows (%), mean +- standard error over {options.splits} splits, which share rows. \"agreement\" is the proportion of new rows "
        "for which the prototypes predict the class that the forest predicts.",
        as_table(["", "prototypes", "medianglvq, pc.Forest", "forest", "logistic", "agreement"], lines),
        "Categories for the trees of `pc.Forest` are codes, the default, or one column for each level: errors over "
        f"{CODED} splits (%), two prototypes per class, missing values kept. \"clinic\" is `clinic(1000)` of data/simulate.py.",
        as_table(["", "codes", "one-hot"], codes),
        speed(),
    ])  # fmt: skip
    print(body)
    if options.write:
        (HERE / "FOREST.md").write_text(body + "\n")


if __name__ == "__main__":
    main()
