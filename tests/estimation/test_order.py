"""The order of the rows: choices among equals depend on it, and nothing of an estimator, which sorts them."""

import numpy as np
import pytest

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
