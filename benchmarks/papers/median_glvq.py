"""Two real cases and a learned metric beside logistic regression and a forest: python benchmarks/papers/median_glvq.py

Errors on a third of the rows, mean over splits. "medianglvq" has one prototype of each class; its matrix (none, diagonal, full) and ridge
are chosen by cross-validation within the other two thirds (choose="min", 5 folds). Logistic regression and the forest are
scikit-learn's with their defaults, on scaled columns; categories one-hot, missing values imputed for them only. Then digits: a full
matrix, with the ridge chosen in the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from common import Report, file, main, spread, table
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

MATRICES = ("none", "diagonal", "full")
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
    data = pd.read_csv(file(FILES[name])).drop(columns="id", errors="ignore")
    response, na = SETS[name]
    data[response] = data[response].astype(str)
    # one row of the votes has none, and no dissimilarity from rows without the same columns
    return data.dropna(ignore_index=True, thresh=data.shape[1] if na == "drop" else data.shape[1] // 2)


def others(data: pd.DataFrame, response: str) -> dict[str, Any]:
    """Logistic regression and a forest on the same columns."""
    X = data.drop(columns=response)
    categories = make_column_selector(dtype_exclude="number")(X)
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")), categories),
        (make_pipeline(SimpleImputer(), StandardScaler()), [c for c in X if c not in categories]),
    )
    return {
        "logistic": make_pipeline(columns, LogisticRegression(max_iter=5000)),
        "forest": make_pipeline(columns, RandomForestClassifier(500, random_state=0, n_jobs=-1)),
    }


def errors_of(name: str, splits: int) -> pd.DataFrame:
    """Test errors (splits x methods) in percent."""
    (response, na), data, rows = SETS[name], data_of(name), []
    keep = {"na": "keep"} if na == "keep" else {}
    for train, test in StratifiedShuffleSplit(splits, train_size=2 / 3, random_state=0).split(data, data[response]):
        seen, new = data.iloc[train], data.iloc[test]
        row, held_out = {}, {}
        for matrix in MATRICES[:2] if keep else MATRICES:
            fit = pc.fit(f"{response} ~ .", seen, "medianglvq", K=1, matrix=matrix, cv=5, choose="min", progress=False, **keep)
            row[matrix], held_out[matrix] = _error(fit.predict(new), new[response]), fit.validation.table["error"].min()
        row["chosen"] = row[min(held_out, key=lambda matrix: held_out[matrix])]
        for method, model in others(data, response).items():
            row[method] = _error(model.fit(seen.drop(columns=response), seen[response]).predict(new.drop(columns=response)), new[response])
        rows.append(row)
    return 100 * pd.DataFrame(rows)


def digits_of(splits: int) -> pd.DataFrame:
    """Test errors (splits x numbers of prototypes) on digits in percent, with those of 1-NN."""
    X, y = load_digits(return_X_y=True)
    data, rows = pd.DataFrame(X).add_prefix("p").assign(digit=y.astype(str)), []
    raw = pc.Euclidean(scale=False)
    for train, test in StratifiedShuffleSplit(splits, train_size=2 / 3, random_state=0).split(X, y):
        row = {}
        for K, count in DIGITS.items():
            model = pc.MedianGLVQ(K=K, matrix="full")
            fit = pc.fit("digit ~ .", data.iloc[train], model, dissimilarity=raw, cv=5, choose="min", progress=False)
            row[f"{count} digits"] = _error(fit.predict(data.iloc[test]), data["digit"].iloc[test])
        row["1-NN of all"] = _error(KNeighborsClassifier(1).fit(X[train], y[train]).predict(X[test]), y[test])
        rows.append(row)
    return 100 * pd.DataFrame(rows)


def _error(predicted: Any, truth: Any) -> float:
    return float((np.asarray(predicted).astype(str) != np.asarray(truth).astype(str)).mean())


def report(splits: int = 20, digit_splits: int = 4) -> Report:
    columns, lines, level = ["none", "diagonal", "full", "chosen", "logistic", "forest"], [], 0
    for name in SETS:
        found = errors_of(name, splits)
        lines.append([name, *(spread(found[c]) if c in found else "-" for c in columns)])
        apart = found["chosen"] - found["logistic"]
        level += int(apart.mean() <= apart.std() / np.sqrt(splits))
        print(*lines[-1], sep=" | ", flush=True)
    digits = digits_of(digit_splits)
    said = f"on {level} of {len(SETS)} tables the chosen rule is within one standard error of logistic regression, or better"
    body = "\n\n".join([
        f"Errors on new rows (%), mean and standard error over {splits} splits, with one real row of each class as prototypes: {said}.",
        table(["", *columns], lines),
        f"Digits, full matrix, {digit_splits} splits:",
        table(list(digits), [[spread(digits[c]) for c in digits]]),
    ])
    return Report("Two real cases beside logistic regression", {"Median GLVQ with a learned metric": said}, body)


if __name__ == "__main__":
    main(report)
