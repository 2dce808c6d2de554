"""Two real cases and a learned metric beside logistic regression and a forest: python benchmarks/median_glvq.py

Errors on a third of the rows, mean over splits. "medianglvq" has one prototype of each class; its ridge is chosen by cross-validation
within the other two thirds (choose="min", 5 folds). "tuned" has the full matrix, for Gower the diagonal one, and chooses beta (5 or 20)
with the ridge; the columns of each matrix have beta=20, "local" ones a matrix for each class. "auto" is the default: diagonal or full, one
or local, and the ridge, by the 1-SE rule in 5 folds. Logistic regression and the forest are
scikit-learn's with their defaults, on scaled columns; categories one-hot, missing values imputed for them only. Then digits: a full
matrix, with the ridge chosen in the same way, beside prosemble's median LVQ and GMLVQ (whose prototypes are not rows) where --prosemble
names the Python of an environment with `prosemble[jax]` and scikit-learn. The tables are printed, and written to MEDIAN_GLVQ.md
beside this file with --write. Data that the package does not have are read from the folder that PROTOCLASS_DATA names.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from prosemble_digits import digit_splits
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import protoclass as pc

HERE = Path(__file__).resolve().parent
MATRICES = ("none", "diagonal", "full", "local diagonal", "local full")
BETAS = (5.0, 20.0)  # of "tuned"
SETS = {
    "breast cancer": ("diagnosis", "no"), "Wisconsin": ("diagnosis", "drop"), "Pima": ("diabetes", "no"), "heart": ("heart_disease", "no"),
    "Haberman": ("survival_status", "no"), "liver": ("selector", "no"), "wine": ("cultivar", "no"), "iris": ("species", "no"),
    "credit, Gower": ("approved", "keep"), "votes, Gower": ("party", "keep"),
}  # fmt: skip
FILES = {
    "Wisconsin": "breast_cancer_wisconsin.csv", "Pima": "pima_diabetes.csv", "heart": "heart_statlog.csv", "Haberman": "haberman.csv",
    "liver": "liver_bupa.csv", "wine": "wine.csv", "credit, Gower": "credit_crx.csv", "votes, Gower": "house_votes_84.csv",
}  # fmt: skip
DIGITS = {1: 10, 2: 20, 5: 50, 10: 100}  # prototypes of a class, and in all


def data_of(name: str) -> pd.DataFrame:
    if name == "iris":
        return pc.load_data("iris")
    if name == "breast cancer":
        known = load_breast_cancer(as_frame=True)
        columns = known.data.rename(columns=lambda c: c.replace(" ", "_"))
        return columns.assign(diagnosis=known.target.map({0: "malignant", 1: "benign"}))
    data = pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / FILES[name]).drop(columns="id", errors="ignore")
    response, na = SETS[name]
    data[response] = data[response].astype(str)
    # one row of the votes has none, and no dissimilarity from rows without the same columns
    return data.dropna(ignore_index=True, thresh=data.shape[1] if na == "drop" else data.shape[1] // 2)


def others(data: pd.DataFrame, response: str) -> dict[str, Any]:
    """Logistic regression and a forest on the same columns."""
    return {
        "logistic": columns_and(data, response, LogisticRegression(max_iter=5000)),
        "forest": columns_and(data, response, RandomForestClassifier(500, random_state=0, n_jobs=-1)),
    }


def columns_and(data: pd.DataFrame, response: str, estimator: Any) -> Any:
    """A pipeline that gives an estimator scaled numbers and one-hot categories, with missing values imputed."""
    X = data.drop(columns=response)
    categories = make_column_selector(dtype_exclude="number")(X)
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", sparse_output=False)), categories),
        (make_pipeline(SimpleImputer(), StandardScaler()), [c for c in X if c not in categories]),
    )
    return make_pipeline(columns, estimator)


def columns_of(gower: bool) -> dict[str, dict[str, Any]]:
    """Parameters of the columns that are median GLVQ."""
    columns = {name: {"matrix": name.split()[-1], "local": "local" in name} for name in MATRICES if not (gower and "full" in name)}
    tuned = {"matrix": "diagonal" if gower else "full", "local": False, "beta": BETAS}
    return columns | {"tuned": tuned, "auto": {"choose": "1se"}}


def errors_of(name: str, splits: int, columns: list[str]) -> pd.DataFrame:
    """Test errors (splits x methods) in percent."""
    (response, na), data, rows = SETS[name], data_of(name), []
    keep = {"na": "keep"} if na == "keep" else {}
    for train, test in StratifiedShuffleSplit(splits, train_size=2 / 3, random_state=0).split(data, data[response]):
        seen, new = data.iloc[train], data.iloc[test]
        row = {}
        for column, parameters in columns_of(bool(keep)).items():
            if column in columns:
                arguments = {"K": 1, "cv": 5, "choose": "min", "progress": False, **parameters, **keep}
                fit = pc.fit(f"{response} ~ .", seen, "medianglvq", **arguments)
                row[column] = error_of(fit.predict(new), new[response])
        X, X_new = seen.drop(columns=response), new.drop(columns=response)
        for method, model in others(data, response).items():
            row[method] = error_of(model.fit(X, seen[response]).predict(X_new), new[response])
        rows.append(row)
    return 100 * pd.DataFrame(rows)


def digits_of(splits: int, python: str | None) -> pd.DataFrame:
    """Test errors on digits in percent and seconds of a fit with its predictions: a row for each split, method and number of prototypes."""
    X, y = load_digits(return_X_y=True)
    data, rows = pd.DataFrame(X).add_prefix("p").assign(digit=y.astype(str)), []
    raw = pc.Euclidean(scale=False)
    for train, test in digit_splits(splits, X, y):
        for local, K in product((False, True), DIGITS):
            model = pc.MedianGLVQ(K=K, matrix="full", local=local)
            chosen = pc.fit("digit ~ .", data.iloc[train], model, dissimilarity=raw, cv=5, choose="min", progress=False)
            fixed = replace(model, ridge=chosen.model.ridge)
            start = time.perf_counter()
            fit = pc.fit("digit ~ .", data.iloc[train], fixed, dissimilarity=raw, cv=None, progress=False)
            predicted = fit.predict(data.iloc[test])
            name = "medianglvq, a matrix for each class" if local else "medianglvq, full"
            rows.append((name, K, error_of(predicted, data["digit"].iloc[test]), time.perf_counter() - start))
        start = time.perf_counter()
        predicted = KNeighborsClassifier(1).fit(X[train], y[train]).predict(X[test])
        rows.append(("1-NN of all rows", 0, error_of(predicted, y[test]), time.perf_counter() - start))
    if python:
        peer = [python, str(HERE / "prosemble_digits.py"), str(splits), *map(str, DIGITS)]
        rows += json.loads(subprocess.run(peer, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return pd.DataFrame(rows, columns=["method", "K", "error", "seconds"]).assign(error=lambda t: 100 * t["error"])


def digits_table(found: pd.DataFrame) -> str:
    """Mean errors and seconds by method (rows) and number of prototypes (columns)."""
    lines = []
    for method, part in found.groupby("method", sort=False):
        cells = [part[part["K"] == K] for K in DIGITS]
        if not len(cells[0]):
            cells = [part] * len(DIGITS)
        lines.append([str(method), *(f"{spread(c['error'])} ({c['seconds'].mean():.1f} s)" for c in cells)])
    return as_table(["", *(f"{count} digits" for count in DIGITS.values())], lines)


def error_of(predicted: Any, truth: Any) -> float:
    return float((np.asarray(predicted).astype(str) != np.asarray(truth).astype(str)).mean())


def spread(values: pd.Series) -> str:
    """Mean +- standard error."""
    return f"{values.mean():.1f} +- {values.std() / np.sqrt(len(values)):.1f}"


def as_table(head: list[str], rows: list[list[str]]) -> str:
    """A table of markdown."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write MEDIAN_GLVQ.md")
    parser.add_argument("--splits", type=int, default=20, help="of each table, 0 to leave them out (default: %(default)s)")
    parser.add_argument("--digit-splits", type=int, default=3, help="of the digits (default: %(default)s)")
    parser.add_argument("--columns", nargs="+", default=[*MATRICES, "tuned", "auto"], help="of median GLVQ")
    parser.add_argument("--prosemble", metavar="PYTHON", help="an interpreter with prosemble[jax] and scikit-learn")
    options = parser.parse_args()
    columns, lines, level, start = [*options.columns, "logistic", "forest"], [], 0, time.perf_counter()
    for name in SETS if options.splits else ():
        found = errors_of(name, options.splits, options.columns)
        lines.append([name, *(spread(found[c]) if c in found else "-" for c in columns)])
        apart = found[options.columns[-1]] - found["logistic"]
        level += int(apart.mean() <= apart.std() / np.sqrt(options.splits))
        print(*lines[-1], sep=" | ", flush=True)
    parts = ["# Two prototypes and logistic regression"]
    if options.splits:
        parts += [
            f"`python benchmarks/median_glvq.py {' '.join('PYTHON' if a == options.prosemble else a for a in sys.argv[1:])}`, "
            f"{time.perf_counter() - start:.0f} s: errors on new rows (%), mean +- standard error over the splits. The prototypes are one "
            f"real row of each class. On {level} of {len(SETS)} tables, the last column of median GLVQ is within one standard error of "
            "logistic regression, or better. This standard error is of the paired differences over the splits, which share rows.",
            as_table(["", *columns], lines),
        ]
    if options.digit_splits:
        head = f"Digits, mean error (%) over {options.digit_splits} splits of 1,198 training rows, and seconds of a fit:"
        parts += [head, digits_table(digits_of(options.digit_splits, options.prosemble))]
    body = "\n\n".join(parts)
    print(body)
    if options.write:
        (HERE / "MEDIAN_GLVQ.md").write_text(body + "\n")


if __name__ == "__main__":
    main()
