"""Errors of the README's two patients on new rows, next to other classifiers: python benchmarks/tumours.py

Two thirds of the 569 tumours are training rows, the others are new. The table has the cases that
each method stores and the new tumours that it misclassifies, both for the split of the README. The
last column is the mean error over this split and nine others, with its standard deviation.
"""

from __future__ import annotations

import argparse
from typing import Any

import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import protoclass as pc

RESPONSE = "diagnosis"
METHODS: dict[str, Any] = {  # arguments of pc.fit, or an estimator of scikit-learn
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "**the default fit**": {},
    "median GLVQ, learned weights": {"method": "medianglvq", "K": 1, "matrix": "diagonal"},
    "random forest, 500 trees": RandomForestClassifier(500, random_state=0),
    "k nearest neighbours, k tuned": {"method": "knn"},
    "one medoid per class": {"method": "kmedoids", "K": 1},
}


def evaluate(method: Any, train: pd.DataFrame, new: pd.DataFrame) -> tuple[int, int]:
    """The numbers of stored cases and of misclassified new rows."""
    if isinstance(method, dict):
        fit = pc.fit(f"{RESPONSE} ~ .", train, **method)
        cases, predicted = len(fit.prototypes), fit.predict(new).astype(str)
    else:
        estimator = clone(method).fit(train.drop(columns=RESPONSE), train[RESPONSE].astype(str))
        cases, predicted = 0, estimator.predict(new.drop(columns=RESPONSE))
    return cases, int((predicted != new[RESPONSE].astype(str)).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=10)
    splits = parser.parse_args().splits
    pc.options.progress = False
    tumours = pc.load_data("breast_cancer")
    results = []
    for seed in range(splits):
        train = tumours.sample(frac=2 / 3, random_state=seed)
        new = tumours.drop(train.index)
        for name, method in METHODS.items():
            cases, wrong = evaluate(method, train, new)
            results.append({"method": name, "seed": seed, "cases": cases, "wrong": wrong, "error": 100 * wrong / len(new)})
    table = pd.DataFrame(results)
    first = table[table["seed"] == 0].sort_values("wrong", kind="stable")
    print(f"| Method | Stored cases | Wrong, of {len(new)} new tumours | Mean error, {splits} splits (SD) |\n| --- | --- | --- | --- |")
    for row in first.itertuples():
        error = table.loc[table["method"] == row.method, "error"]
        print(f"| {row.method} | {row.cases or 'none'} | {row.wrong} | {error.mean():.1f} % ({error.std():.1f}) |")
    print("\nCases of the default fit, by split:", table.loc[table["method"] == "**the default fit**", "cases"].tolist())


if __name__ == "__main__":
    main()
