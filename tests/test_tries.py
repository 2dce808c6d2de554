"""What users of R and of scikit-learn try first: each works, or is refused by our error with a cure that was followed and works."""

import ast
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import simulate
from tries_of_python import OF_PYTHON
from tries_of_r import OF_R

import protoclass as pc

TRIES = [(group, *row) for group, rows in {**OF_R, **OF_PYTHON}.items() for row in rows]


@pytest.fixture(scope="module")
def names():
    """What the code may use."""
    polars = pytest.importorskip("polars")
    from scipy.spatial.distance import pdist
    from sklearn.metrics import confusion_matrix
    from sklearn.model_selection import KFold
    from sklearn.neighbors import KNeighborsClassifier

    iris = pc.load_data("iris")
    new = iris.iloc[1::10]
    old = iris.drop(new.index)
    data = iris.iloc[::3].reset_index(drop=True)
    two = old[old["species"] != "setosa"].assign(species=lambda d: d["species"].cat.remove_unused_categories())
    pvm = pc.fit("species ~ .", old, eps=1.0)
    levels = ["setosa", "versicolor", "virginica"]
    return {
        "pc": pc, "pd": pd, "np": np, "pl": polars, "plt": plt, "io": io, "pdist": pdist, "KFold": KFold,
        "confusion_matrix": confusion_matrix, "KNeighborsClassifier": KNeighborsClassifier,
        "iris": iris, "new": new, "old": old, "data": data, "two": two, "clinic": simulate.clinic(60, seed=2),
        "spaced": data.rename(columns=lambda c: c.replace("_", " ")), "grid": pd.DataFrame({"k": [1, 5]}),
        "loss": pd.DataFrame(1 - np.eye(3), levels, levels), "D": pc.dissimilarity("~ . - species", data).frame(),
        "fit": pc.fit("species ~ .", old, "knn", k=3), "pvm": pvm, "cal": pvm.calibrate(cv=3),
        "binary": pc.fit("species ~ .", two, eps=1.0).calibrate(cv=3),
        "v": pc.cross_validate("species ~ .", data, "knn", k=[1, 5, 9], cv=5),
        "tuned": pc.fit("species ~ .", data, "knn", k=[1, 5, 9], cv=5),
        "compared": pc.compare("species ~ .", data, [pc.KNN(k=1), pc.KNN(k=5)], cv=3),
    }  # fmt: skip


def value_of(code, names):
    """The value of the last expression of some lines."""
    tree, names = ast.parse(code), dict(names)
    last = tree.body.pop()
    exec(compile(tree, "<try>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<try>", "eval"), names)


@pytest.mark.parametrize("row", TRIES, ids=[f"{row[0]}: {row[1]}" for row in TRIES])
def test_it_works_or_is_refused_with_a_cure_that_works(names, row):
    _, code, expected, *cure = row
    if not cure:
        assert value_of(expected, {**names, "it": value_of(code, names)})
        return
    kind, words = expected.split(": ", 1)
    with pytest.raises(pc.ProtoclassError) as raised:
        value_of(code, names)
    assert type(raised.value).__name__ == kind
    assert words in str(raised.value)
    assert value_of(cure[0], names) is not None


def test_there_is_a_row_for_each_try():
    assert len({row[1] for row in TRIES}) == len(TRIES) >= 150
