"""A few real images with a matrix for each class, and what such fits take: python benchmarks/local_matrices.py

First USPS: one, two and five images of each class, on 40 principal axes, with the ridge of the lowest error in 3 folds of the training
images. Beside them are one matrix for all classes and the nearest of all training images. Quadratic discriminant analysis and a support
vector machine of scikit-learn have the same components. Then processor time and memory, each fit in a process of its own beside T,
scikit-learn's `pairwise_distances` on the training images. With --write both tables are written to LOCAL_MATRICES.md beside this file.
USPS comes from `fetch_data("usps")`, that is from the folder that PROTOCLASS_DATA names.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from median_glvq import as_table, data_of, error_of
from sklearn.datasets import load_digits, make_classification
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import protoclass as pc

HERE = Path(__file__).resolve().parent
AXES = 40
RIDGES = (0.01, 0.1)
RAW = {"dissimilarity": pc.Euclidean(scale=False), "progress": False}
IMAGES = {"matrix": "full", "dims": AXES, **RAW}
GOALS = {"USPS, ten images": "12 T", "digits, ten images": "3 T", "breast cancer, matrix='auto', ten folds": "10 T", "20,000 x 20": "60 s"}


def usps() -> tuple[pd.DataFrame, pd.DataFrame]:
    both = pc.fetch_data("usps")
    return both[both["split"] == "train"].drop(columns="split"), both[both["split"] == "test"].drop(columns="split")


def errors() -> list[list[str]]:
    """Errors on the test images in percent, by rule."""
    seen, new = usps()
    lines = []
    for local, K in ((True, 1), (True, 2), (True, 5), (False, 1)):
        fit = pc.fit("digit ~ .", seen, "medianglvq", K=K, local=local, ridge=RIDGES, cv=3, choose="min", **IMAGES)
        wrong = error_of(fit.predict(new), new["digit"])
        kind = "a matrix for each class" if local else "one matrix"
        lines.append([f"{10 * K} images, {kind}", f"{fit._selection.values['ridge']:g}", f"{100 * wrong:.2f}"])
        print(*lines[-1], sep=" | ", flush=True)
    X, Z = (frame.drop(columns="digit").to_numpy(float) for frame in (seen, new))
    axes = PCA(AXES, svd_solver="full").fit(X)
    size = np.sqrt(axes.transform(X).var())
    others: dict[str, tuple[Any, np.ndarray, np.ndarray]] = {
        "nearest of all 7,291 images": (KNeighborsClassifier(1), X, Z),
        "support vector machine, C 10": (SVC(C=10.0), axes.transform(X) / size, axes.transform(Z) / size),
    }
    for r in (0.001, 0.01, 0.1):
        name = f"quadratic discriminant analysis, regularised by {r}"
        others[name] = (QuadraticDiscriminantAnalysis(reg_param=r), axes.transform(X), axes.transform(Z))
    for name, (estimator, known, asked) in others.items():
        wrong = error_of(estimator.fit(known, seen["digit"]).predict(asked), new["digit"])
        lines.append([name, "", f"{100 * wrong:.2f}"])
        print(*lines[-1], sep=" | ", flush=True)
    return lines


def case_of(name: str) -> tuple[pd.DataFrame, str, dict[str, Any]]:
    """Data, response and arguments of a fit whose time is measured."""
    fixed = {"local": True, "ridge": 0.01, "cv": None}
    if name == "USPS, ten images":
        return usps()[0], "digit", {**IMAGES, **fixed}
    if name == "digits, ten images":
        X, y = load_digits(return_X_y=True)
        return pd.DataFrame(X).add_prefix("p").assign(digit=y.astype(str)), "digit", {"matrix": "full", **RAW, **fixed}
    if name == "20,000 x 20":
        X, y = make_classification(20_000, 20, n_informative=12, n_classes=4, random_state=0)
        return pd.DataFrame(X).add_prefix("x").assign(y=y.astype(str)), "y", {"matrix": "full", "progress": False, **fixed}
    return data_of("breast cancer"), "diagnosis", {"cv": 10, "progress": False}


def measured(name: str) -> dict[str, float]:
    """Processor seconds of a fit and of T, and the largest memory in MB, in this process."""
    data, response, arguments = case_of(name)
    warm = data.groupby(response).head(12)
    pc.fit(f"{response} ~ .", warm, "medianglvq", K=1, **{**arguments, "dims": None})  # compiles
    start = time.process_time()
    pc.fit(f"{response} ~ .", data, "medianglvq", K=1, **arguments)
    seconds, memory = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    X = usps()[0].drop(columns="digit").to_numpy(float)
    pairwise_distances(X[:200])
    start = time.process_time()
    pairwise_distances(X)
    return {"seconds": seconds, "T": time.process_time() - start, "memory": memory}


def times() -> list[list[str]]:
    lines = []
    for name, goal in GOALS.items():
        run = subprocess.run([sys.executable, __file__, "--measure", name], check=True, capture_output=True, text=True)
        found = json.loads(run.stdout.splitlines()[-1])
        lines.append([name, f"{found['seconds']:.1f}", f"{found['seconds'] / found['T']:.1f}", goal, f"{found['memory']:.0f}"])
        print(*lines[-1], sep=" | ", flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write LOCAL_MATRICES.md")
    parser.add_argument("--measure", metavar="NAME", choices=GOALS, help="one of the fits whose time is measured")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure)))
        return
    body = "\n\n".join([
        "# A matrix for each class",
        "`python benchmarks/local_matrices.py --write`. Errors on the test images of USPS (%), with the ridge of the lowest error in 3 "
        f"folds of the 7,291 training images. The images are reduced to {AXES} principal axes, except for the nearest neighbour:",
        as_table(["", "ridge", "test error"], errors()),
        "Processor time of a fit with one prototype per class. T is the processor time of scikit-learn's `pairwise_distances` on the "
        "training images in the same process. MB is the largest memory of the process up to the end of the fit:",
        as_table(["", "seconds", "T", "goal", "MB"], times()),
    ])  # fmt: skip
    print(body)
    if options.write:
        (HERE / "LOCAL_MATRICES.md").write_text(body + "\n")


if __name__ == "__main__":
    main()
