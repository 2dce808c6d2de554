"""Saved fits that the verifier is tried on, each with its data."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

import protoclass as pc

IRIS = pc.load_data("iris")
FEW = IRIS.iloc[::3]
WEIGHTED = FEW.assign(w=np.arange(len(FEW)) % 3 + 0.5)
GAPS = FEW.assign(sepal_width=FEW["sepal_width"].where(np.arange(len(FEW)) % 7 > 0), long=FEW["petal_length"] > 4)
ENDS = FEW.sample(frac=1, random_state=0).set_axis([f"r{k}" for k in range(len(FEW))])


@cache
def matrix() -> pd.DataFrame:
    return pc.dissimilarity("species ~ .", FEW, "manhattan").frame()


@cache
def clinic() -> pd.DataFrame:
    return pc.simulate_clinic(120)


def iris(data: pd.DataFrame = FEW, **given: object) -> Callable:
    return lambda: (pc.fit("species ~ .", data, **given), data)


FITS: dict[str, Callable] = {
    "greedy": iris(eps=1.0),
    "certified": iris(eps=1.2, certify=True),
    "exact": iris(eps=1.0, solver="exact"),
    "ratio": iris(eps=1.2, solver="ratio", certify=True),
    "rounding": iris(eps=0.9, solver="rounding", draws=50),
    "1se": iris(eps=[0.7, 1.0, 1.3], cv=3),
    "min": iris(eps=[0.7, 1.0], lambda_=[0.1, 0.5], cv=3, choose="min", repeats=2, solver="exact"),
    "weights": iris(WEIGHTED, eps=1.0, weights="w", certify=True),
    "class weights": iris(eps=1.0, class_weights="balanced", certify=True),
    "closed": iris(eps=1.0, balls="closed", dissimilarity=pc.Manhattan(scale=False), certify=True),
    "own radii": iris(eps=1.0, radii="individual", solver="exact"),
    "sample": iris(eps=1.0, candidates=20, solver="exact"),
    "own class": iris(eps=1.0, candidates="same_class", solver="exact"),
    "weighted columns": iris(eps=1.0, dissimilarity=pc.Minkowski(3, scale="range", weights={"petal_width": 2}), certify=True),
    "robust": iris(eps=1.0, dissimilarity=pc.Chebyshev(scale="robust"), certify=True),
    "gaps": lambda: (pc.fit("species ~ .", GAPS, eps=0.15, dissimilarity=pc.Gower(asymmetric=["long"], weights={"petal_width": 2}),
                            na="keep", certify=True), GAPS),
    "dropped": lambda: (pc.fit("species ~ . - long", GAPS, eps=[0.8, 1.2], cv=3), GAPS),
    "names": iris(ENDS, eps=[0.8, 1.2], cv=3, order="values"),
    "matrix": lambda: (pc.fit("species ~ 1", FEW, eps=1.5, dissimilarity=matrix(), solver="exact"), FEW, matrix()),
    "clinic": lambda: (pc.fit("outcome ~ .", clinic(), eps=[0.2, 0.3], cv=3, certify=True), clinic()),
    "scm": iris(method="scm", cv=3, penalty=[0.5, 1.0], kind="conjunction", choose="bound", dissimilarity=pc.Euclidean(scale=False)),
    "disjunction": iris(method="scm", cv=None, penalty=1.0, kind="disjunction", stop=2),
    "knn": iris(method="knn", k=[1, 3, 5], cv=3, measure="balanced"),
    "calibrated": iris(eps=1.0, calibrate={"cv": 3}),
}  # fmt: skip


def slim(name: str) -> Callable:
    return lambda: (lambda fit, *data: (fit.slim(), *data))(*FITS[name]())


# of which less can be checked: that the data are those of the fit is not known
SLIM: dict[str, Callable] = {f"slim {name}": slim(name) for name in ("certified", "weights", "own radii", "gaps", "clinic", "scm")}
