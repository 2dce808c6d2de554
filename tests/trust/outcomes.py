"""What a fit gives, as plain arrays: run as a script, of all methods, into a file that the path names."""

import json
import os
import pickle
import sys

import numpy as np

import protoclass as pc
from protoclass.models.registry import BUILT_IN

LABELS = ("index", "held", "class", "nearest", "cover")  # not numbers


def texts(values):
    return np.array([str(value) for value in values])  # also of missing ones, which equal nothing


def outcome(fit, new):
    """Numbers and labels of everything that a fit says and predicts, by name."""
    out = {"index": texts(fit.prototypes.index)}
    numbers = fit.prototypes.select_dtypes("number")
    out |= {f"prototypes {name}": numbers[name].to_numpy(float) for name in numbers}
    if "objective" in fit.rule.report:
        out["objective"] = np.array([fit.objective.value])
    for kind in fit.rule.kinds:
        answer = fit.predict(new, kind)
        out[kind] = texts(answer) if kind in LABELS else answer.to_numpy(float)
    if fit._curve is not None:
        out["held"] = texts(fit.validation.held_out.to_numpy().ravel())
        out["fold errors"] = fit.validation.fold_errors.to_numpy(float)
        for name in ("error", "se", "size"):
            out[name] = fit.validation.table[name].to_numpy(float)
    return out


def small():
    """Thirty rows of iris, of continuous values, so that distances are not tied."""
    data = pc.load_data("iris").iloc[::5]
    noise = np.random.default_rng(0).normal(0, 0.01, (len(data), 4))
    data[data.columns[:4]] += noise
    return data


def method_outcome(method, **given):
    """Of a cross-validated fit of a method, with the parameters that are its examples."""
    data = small()
    tuned = {name: list(values) for name, values in BUILT_IN[method].example.items()}
    fit = pc.fit("species ~ .", data, method, cv=3, progress=False, **{**tuned, **given})
    return outcome(fit, data.iloc[::-1])


FITS = {name: (name, {}) for name in BUILT_IN} | {
    "medianglvq": ("medianglvq", {"matrix": "none"}),
    "matrix": ("medianglvq", {"K": 1, "beta": 2.0, "matrix": ["diagonal", "full"], "local": [False, True], "ridge": 0.1}),
    "rounding": ("pvm", {"eps": 0.8, "lambda_": [0.013, 0.37], "solver": "rounding", "resamples": 40}),
    "exact": ("pvm", {"eps": [0.8, 1.0], "lambda_": 0.37, "solver": "exact"}),
    "mahalanobis": ("knn", {"k": [1, 3], "dissimilarity": "mahalanobis"}),
    "learned": ("knn", {"k": [1, 3], "dissimilarity": pc.LDA(ridge=0)}),
    "forest": ("knn", {"k": [1, 3], "dissimilarity": pc.Forest(trees=20)}),
}


def all_outcomes():
    return {name: method_outcome(method, **given) for name, (method, given) in FITS.items()}


if __name__ == "__main__":
    from threadpoolctl import threadpool_info

    hasattr(os, "sched_setaffinity") and os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
    found = all_outcomes()
    with open(sys.argv[1], "wb") as file:
        pickle.dump(found, file)
    print(json.dumps([pool["architecture"] for pool in threadpool_info() if pool["internal_api"] == "openblas"]))
