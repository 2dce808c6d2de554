"""New rows of any size: an answer, NA where a value is missing, or an error that names the row; never a class without a reason."""

import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.models.registry import BUILT_IN


def parameters(method):
    return {name: values[0] for name, values in BUILT_IN[method].example.items()}


def answers(fit, new, kind):
    """What a fit says of one row, or its error; a foreign warning or error fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return fit.predict(new, kind)
        except pc.errors.DataError as error:
            reason = str(error)
    assert repr(new.index[0]) in reason or "kernel is not finite for some rows" in reason
    return None


@pytest.mark.parametrize("method", list(BUILT_IN))
def test_far_rows_under_every_method(iris, method):
    fit = pc.fit("species ~ .", iris, method, dissimilarity="manhattan", **parameters(method))
    new = iris.iloc[[60]].set_axis(["far"]).drop(columns="species")
    for size in (1e5, 1e154, -1e300, 1.7e308):
        row = new.assign(petal_length=size)
        told = {kind: answers(fit, row, kind) for kind in fit.rule.kinds}
        if told["class"] is None or told["class"].isna().all():
            continue
        for kind in {"prob", "decision", "distance"} & set(told):
            assert told[kind] is not None
            assert told[kind].notna().all(axis=None)
            if kind != "decision":
                best = told[kind].idxmin(axis=1) if kind == "distance" else told[kind].idxmax(axis=1)
                assert kind == "distance" or best.tolist() == told["class"].astype(object).tolist()


@pytest.mark.parametrize("embedding", ["proximity", "flip"])
def test_the_row_that_overflows_is_named(iris, embedding):
    fit = pc.fit("species ~ .", iris, "hyperplane", embedding=embedding, C=1.0)
    new = iris.head(3).set_axis(["a", "b", "c"]).astype({"petal_length": float})
    new.loc["b", "petal_length"] = 1e200
    with pytest.raises(pc.errors.DataError, match="row 'b'"):
        fit.predict(new)
    knn = fit.update(method="knn", k=1)
    with pytest.raises(pc.errors.DataError, match="between row 'b' and a prototype is infinite: correct the values"):
        knn.predict(new)
    assert knn.predict(new.drop("b")).notna().all()


@pytest.mark.parametrize("embedding", ["proximity", "cut"])
def test_a_hyperplane_needs_weight_in_every_class(embedding):
    data = pd.DataFrame({"x": np.arange(8.0), "y": list("aabbaabb")})
    weights = [1, 0, 1, 1, 0, 1, 0, 1]
    with pytest.raises(pc.errors.DataError, match="hyperplane needs rows with weight of every class, but 'a' has none"):
        pc.fit("y ~ x", data, "hyperplane", C=1.0, embedding=embedding, weights=weights, cv=[0, 0, 0, 0, 0, 0, 1, 1])
