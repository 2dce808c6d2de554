"""The order of the rows: choices among equals depend on it, and nothing of an estimator, which sorts them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import PredefinedSplit

import protoclass as pc
from protoclass.models.registry import BUILT_IN
from protoclass.sklearn import PrototypeClassifier


def tuned(method):
    return {name: list(values) for name, values in BUILT_IN[method].example.items()} | (
        {"matrix": "none"} if method == "medianglvq" else {}
    )


@pytest.fixture(scope="module")
def rounded():
    """Rows with many ties, among them rows equal in all, on labels that are not sorted."""
    data = pc.load_data("iris").iloc[::2].round(0).assign(site=list("abcde") * 15)
    return data.set_axis([f"plant {k * 7 % 75}" for k in range(75)])


@pytest.mark.parametrize("method", list(BUILT_IN))
def test_estimators_do_not_depend_on_the_order_of_the_rows(rounded, method):
    X, y = rounded.drop(columns=["species", "site"]), rounded["species"]

    def fitted(rows):
        return PrototypeClassifier(method, "euclidean", cv=3, repeats=1, **tuned(method)).fit(X.iloc[rows], y.iloc[rows])

    one = fitted(np.arange(75))
    for seed in range(2):
        rows = np.random.default_rng(seed).permutation(75)
        other = fitted(rows)
        np.testing.assert_array_equal(other.predict(X), one.predict(X))
        np.testing.assert_array_equal(other.transform(X), one.transform(X))
        assert other.fit_.validation.table.equals(one.fit_.validation.table)
        at = other.prototype_indices_
        np.testing.assert_array_equal(X.iloc[rows].iloc[at[at >= 0]], X.iloc[one.prototype_indices_[at >= 0]])


@pytest.mark.parametrize("what", ["weights", "folds", "groups", "series", "missing"])
def test_nor_on_the_order_of_what_is_given_beside_them(rounded, what):
    X, y = rounded.drop(columns="species"), rounded["species"].to_numpy()
    given = {"eps": [0.2, 0.4], "cv": 3, "repeats": 1, "dissimilarity": "gower", "na": "keep"}
    if what == "series":
        X, given = pd.DataFrame({"wave": X.iloc[:, :4].to_numpy().tolist()}), given | {"dissimilarity": pc.DTW(), "na": "raise"}
    elif what == "missing":
        X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)

    def fitted(rows):
        more = {"cv": PredefinedSplit((np.arange(75) % 4)[rows])} if what == "folds" else {}
        weights = (np.arange(75) % 3 + 0.5)[rows] if what == "weights" else None
        groups = X.groupby(list(X)).ngroup().to_numpy()[rows] // 4 if what == "groups" else None
        return PrototypeClassifier(**given | more).fit(X.iloc[rows], y[rows], weights, groups)

    one, other = fitted(np.arange(75)), fitted(np.random.default_rng(1).permutation(75))
    pd.testing.assert_frame_equal(other.fit_.validation.table, one.fit_.validation.table, rtol=1e-12)  # equal rows may change folds
    np.testing.assert_array_equal(other.predict(X), one.predict(X))
