"""Arguments of odd types and sizes: a right answer, or an error of ours that names what is allowed."""

import warnings
from inspect import isfunction

import numpy as np
import pandas as pd
import pytest

import protoclass as pc

HUGE = 10**400
ODD = [HUGE, np.array([1, 2]), pd.NA, object, {1: 2}, pd.DataFrame(), (1, 2), b"x", None, "x", True, -1.0, np.nan]


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris").iloc[::5], eps=[1.0, 1.5], cv=2, dissimilarity="euclidean", repeats=1)


@pytest.fixture(scope="module")
def calls(fit):
    data, new, calibrated = pc.load_data("iris").iloc[::5], pc.load_data("iris").iloc[1::5], fit.calibrate(cv=2)
    levels = fit.classes
    loss = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]], object)

    def with_loss(value):
        other = loss.copy()
        other[0, 1] = value
        return calibrated.predict(data, loss=pd.DataFrame(other, levels, levels))

    return {
        "level": lambda v: calibrated.predict(data, "set", level=v),
        "loss": with_loss,
        "prior": lambda v: calibrated.predict(data, prior={"setosa": v, "versicolor": 1, "virginica": 0}),
        "weight": lambda v: fit.test(new, weights=[v] + [1.0] * (len(new) - 1)),
        "within": lambda v: fit.alternatives(within=v, progress=False),
        "candidates": lambda v: fit.alternatives(candidates=v, progress=False),
        "swapped": lambda v: fit.at(swap=v),
        "variables": lambda v: fit.importance(data, resamples=1, variables=v),
        "row": lambda v: fit.why(v),
    }


@pytest.mark.parametrize("name", ["level", "loss", "prior", "weight", "within", "candidates", "swapped", "variables", "row"])
def test_odd_values_are_answered_or_refused(calls, name):
    refused = 0
    for value in ODD:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                calls[name](value)
            except pc.ProtoclassError:
                refused += 1
    assert refused >= len(ODD) / 2


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e160, 1e300])
def test_the_unit_of_the_weights_of_new_rows_does_not_matter(fit, size):
    data = pc.load_data("iris").iloc[1::5]
    share = np.random.default_rng(0).integers(1, 4, len(data)).astype(float)
    one, other = fit.test(data, share), fit.test(data, share * size)
    for name in ("error", "low", "high", "no_information", "p_value"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-2 if size == 1e-320 else 1e-9)
    assert fit.test(data, share * size).confusion.to_numpy().sum() == pytest.approx(size * share.sum(), rel=1e-2)


@pytest.mark.parametrize("index", [pd.Index([(k, "x") for k in range(30)], tupleize_cols=False), pd.interval_range(0, 30)])
def test_a_row_is_explained_by_any_label(index):
    data = pc.load_data("iris").iloc[::5].set_axis(index)
    fit = pc.fit("species ~ .", data, eps=1.0)
    assert fit.why(index[20]).attrs["class"] == fit.predict().iloc[20]
    with pytest.raises(pc.errors.OptionError, match="a label of the rows of the fit"):
        fit.why((1, 2, 3))


def test_labels_of_many_types_are_compared_without_a_warning():
    data = pc.load_data("iris").iloc[::5]
    data.index = pd.Index([1, "a", 2.5, (1, 2), b"x", pd.Timestamp("2020"), *range(10, 34)], dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared = pc.compare("species ~ .", data, [pc.KNN(k=1)], cv=3)
        weighted = pc.fit("species ~ .", data, eps=1.0, weights=pd.Series(1.0, data.index))
        D = pc.dissimilarity("~ . - species", data).frame()
        given = pc.fit("species ~ 1", data, dissimilarity=D, eps=1.0)
        with pytest.raises(pc.errors.DataError, match="weights lack the row 1"):
            pc.fit("species ~ .", data, eps=1.0, weights=pd.Series(1.0, data.index[1:]))
    assert set(compared.predictions.index.get_level_values(1)) == set(data.index)
    assert weighted.prototypes.index.tolist() == given.prototypes.index.tolist()


def test_every_method_of_a_value_names_an_argument_that_it_does_not_have():
    iris = pc.load_data("iris").iloc[::3]
    fit = pc.fit("species ~ .", iris, eps=[0.8, 1.0], cv=3, calibrate=True, dissimilarity="euclidean", repeats=1)
    values = [
        fit, fit.validation, fit._calibration, fit.threshold("setosa"), fit.dissimilarity, fit.test(iris), fit.test(iris, by="species"),
        fit.stability(resamples=3), fit.criticisms(n=3), pc.compare("species ~ .", iris, [pc.PVM(eps=1.0), pc.KNN(k=1)], test_size=0.3),
    ]  # fmt: skip
    for value in values:
        for name in dir(value):
            if not name.startswith("_") and isfunction(getattr(type(value), name, None)):
                needed = (iris,) if name == "reproduce" else ()
                with pytest.raises(pc.errors.OptionError, match="measured"):
                    getattr(value, name)(*needed, measured="sensitivity")
